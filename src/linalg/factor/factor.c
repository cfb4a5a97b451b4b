/*
 * factor.c: puts the symbolic steps together.
 */
#include "linalg/factor/factor_data.h"

/* Everything up to the panels. The caller frees both arenas of a. */
static cairn_status analyze_pattern(cairn_context *context, cairn_pattern *a) {
    cairn_status status = cairn_pattern_graph(context, a);
    if (status == CAIRN_OK)
        status = cairn_pattern_order(context, a);
    if (status == CAIRN_OK)
        cairn_pattern_panels(a);
    return status;
}

cairn_status cairn_factor_analyze(cairn_context *context, int n, const int *start, const int *index, int groups,
                                  const int *group_start, bool symmetric, cairn_factor **factor) {
    return cairn_factor_analyze_within(context, n, start, index, groups, group_start, symmetric, SIZE_MAX, NULL,
                                       factor);
}

cairn_status cairn_factor_analyze_within(cairn_context *context, int n, const int *start, const int *index, int groups,
                                         const int *group_start, bool symmetric, size_t most,
                                         const unsigned char *changing, cairn_factor **factor) {
    cairn_status status = cairn_pattern_check(context, n, start, index, groups, group_start);
    if (status != CAIRN_OK)
        return status;
    cairn_pattern a = {.n = n,
                       .start = start,
                       .index = index,
                       .groups = groups,
                       .group_start = group_start,
                       .changing = group_start != NULL ? changing : NULL};
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
        status = cairn_factor_lay_out(f, &a, most);
    cairn_arena_free(context, &a.rows);
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

int cairn_factor_negative_pivots(const cairn_factor *f) {
    int count = 0;
    for (int i = 0; i < f->n; i++)
        count += f->pivot[i] < 0.0;
    return count;
}

double cairn_factor_flops(const cairn_factor *f) {
    return f->flops;
}

double cairn_factor_renew_flops(const cairn_factor *f) {
    return f->keep != NULL ? f->renew_flops : f->flops;
}

size_t cairn_factor_bytes(const cairn_factor *f) {
    return f->numbers.capacity;
}

bool cairn_factor_partial(const cairn_factor *f) {
    return f->partial;
}

int cairn_factor_failed_row(const cairn_factor *f) {
    return f->failed_row;
}

void cairn_factor_destroy(cairn_factor *f) {
    if (f == NULL)
        return;
    cairn_arena_free(f->context, &f->arena);
    cairn_arena_free(f->context, &f->numbers);
    cairn_free(f->context, f->group_start);
    cairn_free(f->context, f->index);
    cairn_free(f->context, f->changing);
    cairn_free(f->context, f);
}
