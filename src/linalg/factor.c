/*
 * factor.c: puts the symbolic steps together, takes the memory, lays out the panels.
 *
 * Counts are exact: with c_j entries below the diagonal in column j of L (merged panels store some zeros more,
 * which are not counted),
 *     symmetric:    entries sum c_j,     multiply-adds sum c_j (c_j + 1) / 2
 *     unsymmetric:  entries 2 sum c_j,   multiply-adds sum c_j^2
 */
#include "factor_data.h"

#include <limits.h>
#include <string.h>

static void lay_out_pattern(cairn_pattern *a) {
    cairn_arena *arena = &a->arena;
    size_t n = (size_t)a->n, nonzeros = n > 0 ? (size_t)a->start[n] : 0;
    a->zeros = cairn_arena_take(arena, n, sizeof(int64_t));
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
    cairn_pattern_order(a);
    cairn_pattern_tree(a);
    cairn_pattern_panels(a);
    return CAIRN_OK;
}

/* Sizes of what a factor holds, besides n, nonzeros and panels. */
typedef struct factor_sizes {
    size_t rows, values, gathered;
} factor_sizes;

static factor_sizes measure(cairn_factor *f, const cairn_pattern *a) {
    factor_sizes size = {0};
    f->nonzeros = a->n > 0 ? a->start[a->n] : 0;
    f->panels = a->panels;
    for (int s = 0; s < a->panels; s++) {
        int width = a->first[s + 1] - a->first[s], height = width + a->below[s];
        size.rows += (size_t)a->below[s];
        size.values += (size_t)width * (size_t)(height + CAIRN_PANEL_PAD);
        if (height > f->max_height)
            f->max_height = height;
    }
    /* symmetric: one triangle and the diagonal */
    size.gathered = f->symmetric ? ((size_t)f->nonzeros + (size_t)f->n) / 2 : (size_t)f->nonzeros;
    for (int j = 0; j < a->n; j++) {
        double c = a->count[j] - 1;
        f->entries += (f->symmetric ? 1 : 2) * (int64_t)(a->count[j] - 1);
        f->flops += f->symmetric ? 0.5 * c * (c + 1.0) : c * c;
    }
    return size;
}

static void lay_out_factor(cairn_factor *f, factor_sizes size) {
    cairn_arena *arena = &f->arena;
    size_t n = (size_t)f->n, panels = (size_t)f->panels, nonzeros = (size_t)f->nonzeros;
    size_t height = (size_t)f->max_height;
    f->lower = cairn_arena_take(arena, size.values, sizeof(double));
    f->upper = f->symmetric ? f->lower : cairn_arena_take(arena, size.values, sizeof(double));
    f->pivot = cairn_arena_take(arena, n, sizeof(double));
    f->row_max = cairn_arena_take(arena, n, sizeof(double));
    f->x = cairn_arena_take(arena, n, sizeof(double));
    f->column = cairn_arena_take(arena, height + CAIRN_PANEL_PAD, sizeof(double));
    f->coefficient = cairn_arena_take(arena, CAIRN_PANEL_WIDTH * CAIRN_PANEL_WIDTH, sizeof(double));
    f->row_start = cairn_arena_take(arena, panels + 1, sizeof(int64_t));
    f->at = cairn_arena_take(arena, panels + 1, sizeof(int64_t));
    f->target = cairn_arena_take(arena, size.gathered, sizeof(int64_t));
    f->source = cairn_arena_take(arena, size.gathered, sizeof(int));
    f->gather_start = cairn_arena_take(arena, panels + 1, sizeof(int));
    f->index = cairn_arena_take(arena, nonzeros, sizeof(int));
    f->order = cairn_arena_take(arena, n, sizeof(int));
    f->first = cairn_arena_take(arena, panels + 1, sizeof(int));
    f->panel_of = cairn_arena_take(arena, n, sizeof(int));
    f->row = cairn_arena_take(arena, size.rows, sizeof(int));
    f->place = cairn_arena_take(arena, n, sizeof(int));
    f->relative = cairn_arena_take(arena, height, sizeof(int));
    f->head = cairn_arena_take(arena, panels, sizeof(int));
    f->next = cairn_arena_take(arena, panels, sizeof(int));
    f->position = cairn_arena_take(arena, panels, sizeof(int));
}

/* Rows of the panels, by the walk that counted them (cairn_pattern_panels): rows rise because i does. */
static void fill_rows(cairn_factor *f, const cairn_pattern *a) {
    for (int s = 0; s < f->panels; s++) {
        f->first[s] = a->first[s];
        f->row_start[s + 1] = f->row_start[s] + a->below[s];
        int width = a->first[s + 1] - a->first[s];
        f->at[s + 1] = f->at[s] + (int64_t)width * (width + a->below[s] + CAIRN_PANEL_PAD);
    }
    f->first[f->panels] = f->n;
    int *filled = a->work, *mark = a->work + f->panels;
    for (int s = 0; s < f->panels; s++) {
        filled[s] = 0;
        mark[s] = -1;
    }
    for (int i = 0; i < f->n; i++) {
        int own = a->panel_of[i];
        f->order[i] = a->order[i];
        f->panel_of[i] = own;
        for (int p = a->start[a->order[i]]; p < a->start[a->order[i] + 1]; p++) {
            int k = a->inverse[a->index[p]];
            if (k >= i)
                continue;
            for (int s = a->panel_of[k]; s != own && mark[s] != i; s = a->panel_parent[s]) {
                mark[s] = i;
                f->row[f->row_start[s] + filled[s]++] = i;
            }
        }
    }
}

/* Where each value of A goes. Symmetric: of (i, j) and (j, i) the one in A's lower triangle is read. */
static void fill_gather(cairn_factor *f, const cairn_pattern *a) {
    int q = 0;
    for (int s = 0; s < f->panels; s++) {
        int begin = f->first[s], width = cairn_panel_width(f, s), stride = cairn_panel_stride(f, s);
        for (int i = 0; i < width; i++)
            f->place[begin + i] = i;
        for (int i = 0; i < cairn_panel_below(f, s); i++)
            f->place[f->row[f->row_start[s] + i]] = width + i;
        for (int j = begin; j < begin + width; j++) {
            int original = f->order[j];
            for (int p = a->start[original]; p < a->start[original + 1]; p++) {
                int i = a->inverse[a->index[p]];
                if (i < j)
                    continue;
                int64_t target = f->at[s] + f->place[i] + (int64_t)(j - begin) * stride;
                f->target[q] = target;
                f->source[q++] = f->symmetric && a->index[p] < original ? a->transpose[p] : p;
                if (!f->symmetric && i > j) {
                    f->target[q] = f->at[f->panels] + target;
                    f->source[q++] = a->transpose[p];
                }
            }
        }
        f->gather_start[s + 1] = q;
    }
    if (f->nonzeros > 0)
        memcpy(f->index, a->index, (size_t)f->nonzeros * sizeof(int));
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
    f->n = n;
    f->symmetric = symmetric;
    f->failed_row = -1;
    status = analyze_pattern(context, &a);
    if (status == CAIRN_OK) {
        factor_sizes size = measure(f, &a);
        lay_out_factor(f, size);
        status = cairn_arena_reserve(context, &f->arena);
        if (status == CAIRN_OK) {
            lay_out_factor(f, size);
            fill_rows(f, &a);
            fill_gather(f, &a);
        }
    }
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
    cairn_free(f->context, f);
}
