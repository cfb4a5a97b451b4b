/*
 * factor.c: puts the symbolic steps together.
 */
#include "factor_data.h"

#include <limits.h>

static void lay_out_pattern(cairn_pattern *a) {
    cairn_arena *arena = &a->arena;
    size_t n = (size_t)a->n, nonzeros = n > 0 ? (size_t)a->start[n] : 0;
    a->zeros = cairn_arena_take(arena, n, sizeof(int64_t));
    a->cost = cairn_arena_take(arena, 2 * n, sizeof(double));
    a->single = cairn_arena_take(arena, n + 1, sizeof(int));
    a->transpose = cairn_arena_take(arena, nonzeros, sizeof(int));
    a->order = cairn_arena_take(arena, n, sizeof(int));
    a->inverse = cairn_arena_take(arena, n, sizeof(int));
    a->parent = cairn_arena_take(arena, n, sizeof(int));
    a->count = cairn_arena_take(arena, n, sizeof(int));
    a->first = cairn_arena_take(arena, n + 1, sizeof(int));
    a->panel_of = cairn_arena_take(arena, n, sizeof(int));
    a->panel_parent = cairn_arena_take(arena, n, sizeof(int));
    a->below = cairn_arena_take(arena, n, sizeof(int));
    a->work = cairn_arena_take(arena, 4 * n + 1, sizeof(int));
    a->graph = cairn_arena_take(arena, 9 * (size_t)a->groups + (size_t)a->graph_room, sizeof(int));
}

/* Everything up to the panels. The caller frees a->arena. */
static cairn_status analyze_pattern(cairn_context *context, cairn_pattern *a) {
    int64_t nonzeros = a->n > 0 ? a->start[a->n] : 0;
    if (a->group_start == NULL)
        a->groups = a->n;
    if (nonzeros + a->groups > INT_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "factor: a pattern of %lld entries is too large",
                          (long long)nonzeros);
    int64_t room = nonzeros + nonzeros / 5 + a->groups;
    a->graph_room = room < INT_MAX ? (int)room : INT_MAX;
    lay_out_pattern(a);
    cairn_status status = cairn_arena_reserve(context, &a->arena);
    if (status != CAIRN_OK)
        return status;
    lay_out_pattern(a);
    if (a->group_start == NULL) {
        for (int i = 0; i <= a->n; i++)
            a->single[i] = i;
        a->group_start = a->single;
    }
    status = cairn_pattern_mirror(context, a);
    if (status != CAIRN_OK)
        return status;
    status = cairn_pattern_order(context, a);
    if (status != CAIRN_OK)
        return status;
    cairn_pattern_tree(a);
    cairn_pattern_panels(a);
    return CAIRN_OK;
}

cairn_status cairn_factor_analyze(cairn_context *context, int n, const int *start, const int *index, int groups,
                                  const int *group_start, bool symmetric, cairn_factor **factor) {
    cairn_status status = cairn_pattern_check(context, n, start, index, groups, group_start);
    if (status != CAIRN_OK)
        return status;
    cairn_pattern a = {.n = n, .start = start, .index = index, .groups = groups, .group_start = group_start};
    cairn_factor *f = cairn_alloc(context, 1, sizeof *f);
    if (f == NULL)
        return CAIRN_ERROR_MEMORY;
    f->context = context;
    f->kernel = cairn_kernel_best();
    f->n = n;
    f->symmetric = symmetric;
    f->sides = symmetric ? 1 : 2;
    f->failed_row = -1;
    status = analyze_pattern(context, &a);
    if (status == CAIRN_OK)
        status = cairn_factor_lay_out(f, &a);
    cairn_arena_free(context, &a.arena);
    if (status != CAIRN_OK) {
        cairn_factor_destroy(f);
        return status;
    }
    *factor = f;
    return CAIRN_OK;
}

int64_t cairn_factor_entries(const cairn_factor *f) {
    return f->entries;
}

double cairn_factor_flops(const cairn_factor *f) {
    return f->flops;
}

int cairn_factor_failed_row(const cairn_factor *f) {
    return f->failed_row;
}

void cairn_factor_destroy(cairn_factor *f) {
    if (f == NULL)
        return;
    cairn_arena_free(f->context, &f->arena);
    cairn_arena_free(f->context, &f->numbers);
    cairn_free(f->context, f);
}
