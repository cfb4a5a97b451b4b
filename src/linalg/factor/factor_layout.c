/*
 * factor_layout.c: takes the memory of a factor and fills its pattern: rows, places, runs,
 * gathering, tasks.
 *
 * Counts are exact: with c_j entries below the diagonal in column j of L (merged panels store some
 * zeros more, which are not counted),
 *     symmetric:    entries sum c_j,     multiply-adds sum c_j (c_j + 1) / 2
 *     unsymmetric:  entries 2 sum c_j,   multiply-adds sum c_j^2
 */
#include "linalg/factor/factor_data.h"

#include <limits.h>
#include <string.h>

/* Sizes of what a factor holds, besides n, nonzeros, panels and tasks. */
typedef struct factor_sizes {
    size_t rows, pieces, scans;
    size_t kept; /* panels that a renewal keeps */
} factor_sizes;

/* Doubles of a panel: blocks of k columns, each from its own first quad of rows on. */
static int64_t panel_doubles(int width, int below) {
    int quads = cairn_quads(width) + cairn_quads(below), block = cairn_block_width(width);
    int64_t doubles = 0;
    for (int begin = 0; begin < width; begin += block) {
        int k = width - begin < block ? width - begin : block;
        doubles += 4 * (int64_t)k * (quads - begin / 4);
    }
    return doubles;
}

static cairn_status measure(cairn_factor *f, const cairn_pattern *a, factor_sizes *size) {
    f->nonzeros = a->n > 0 ? a->start[a->n] : 0;
    f->panels = a->panels;
    for (int s = 0; s < a->panels; s++) {
        int width = a->begin[a->first[s + 1]] - a->begin[a->first[s]];
        int64_t own = cairn_quads(width), quads = own + cairn_quads(a->below[s]);
        if (16 * own * quads > INT_MAX)
            return cairn_fail(f->context, CAIRN_ERROR_UNSUPPORTED, "factor: %d columns with %d rows below are too many",
                              width, a->below[s]);
        size->rows += (size_t)a->below[s];
        f->panel_size += panel_doubles(width, a->below[s]);
        size->kept += a->keep != NULL && a->keep[a->first[s]];
    }
    for (int k = 0; k < a->vertices; k++)
        for (int j = 0; j < cairn_vertex_rows(a, k); j++) {
            double c = a->count[k] - 1 - j;
            f->entries += (f->symmetric ? 1 : 2) * (int64_t)c;
            double flops = f->symmetric ? 0.5 * c * (c + 1.0) : c * c;
            f->flops += flops;
            f->renew_flops += a->keep != NULL && a->keep[k] ? 0.0 : flops;
        }
    size->pieces = cairn_count_pieces(f, a, a->work + a->vertices);
    size->scans = f->symmetric ? 0
                  : a->uniform ? (size_t)a->edge_start[a->vertices] + (size_t)a->vertices
                               : size->pieces;
    return CAIRN_OK;
}

/* The pattern of the factor; the numbers follow in an arena of their own, when their sizes are
 * known. */
static void lay_out_indices(cairn_factor *f, factor_sizes size) {
    cairn_arena *arena = &f->arena;
    size_t n = (size_t)f->n, panels = (size_t)f->panels;
    f->task = cairn_arena_take(arena, (size_t)f->tasks + 1, sizeof(cairn_task));
    f->row_start = cairn_arena_take(arena, panels + 1, sizeof(int64_t));
    f->at = cairn_arena_take(arena, panels + 1, sizeof(int64_t));
    f->update_at = cairn_arena_take(arena, panels, sizeof(int64_t));
    f->order = cairn_arena_take(arena, n, sizeof(int));
    f->first = cairn_arena_take(arena, panels + 1, sizeof(int));
    f->parent = cairn_arena_take(arena, panels, sizeof(int));
    f->child = cairn_arena_take(arena, panels, sizeof(int));
    f->next = cairn_arena_take(arena, panels, sizeof(int));
    f->top = cairn_arena_take(arena, panels, sizeof(int));
    f->row = cairn_arena_take(arena, size.rows, sizeof(int));
    f->slot = cairn_arena_take(arena, size.rows, sizeof(int));
    f->place = cairn_arena_take(arena, size.rows, sizeof(int));
    f->span_start = cairn_arena_take(arena, panels + 1, sizeof(int));
    f->span = cairn_arena_take(arena, 2 * size.rows, sizeof(int));
    f->runs = cairn_arena_take(arena, panels, sizeof(int));
    f->run = cairn_arena_take(arena, size.rows + panels, sizeof(int));
    f->gather_start = cairn_arena_take(arena, panels + 1, sizeof(int));
    f->piece = cairn_arena_take(arena, size.pieces, sizeof(cairn_piece));
    f->start = cairn_arena_take(arena, n + 1, sizeof(int));
    f->keep = size.kept > 0 ? cairn_arena_take(arena, panels, sizeof(bool)) : NULL;
    f->scan = cairn_arena_take(arena, size.scans, sizeof(cairn_piece));
}

static void lay_out_numbers(cairn_factor *f) {
    cairn_arena *arena = &f->numbers;
    size_t n = (size_t)f->n, slack = 16; /* kernels read up to three columns past the end */
    f->lower = cairn_arena_take(arena, (size_t)f->panel_size + slack, sizeof(double));
    f->upper = f->symmetric ? f->lower : cairn_arena_take(arena, (size_t)f->panel_size + slack, sizeof(double));
    f->pivot = cairn_arena_take(arena, n, sizeof(double));
    f->inverse = cairn_arena_take(arena, n, sizeof(double));
    f->most = cairn_arena_take(arena, (size_t)cairn_chunks(f->nonzeros, CAIRN_VALUE_GRAIN), sizeof(double));
    f->row_max = cairn_arena_take(arena, n, sizeof(double));
    f->x = cairn_arena_take(arena, (size_t)f->slots * CAIRN_SOLVE_GROUP, sizeof(double));
    f->work = cairn_arena_take(arena, (size_t)f->work_size, sizeof(double));
    f->copy = cairn_arena_take(arena, (size_t)(f->slots - f->n), sizeof(int));
}

/* Rows of the panels, by the walk that counted them (cairn_pattern_panels): rows rise because i
 * does. */
static void fill_rows(cairn_factor *f, const cairn_pattern *a) {
    for (int s = 0; s < f->panels; s++) {
        f->first[s] = a->begin[a->first[s]];
        f->parent[s] = a->panel_parent[s];
        f->row_start[s + 1] = f->row_start[s] + a->below[s];
        f->at[s + 1] = f->at[s] + panel_doubles(a->begin[a->first[s + 1]] - f->first[s], a->below[s]);
        f->child[s] = f->next[s] = -1;
    }
    for (int s = f->panels - 1; s >= 0; s--)
        if (f->parent[s] >= 0) {
            f->next[s] = f->child[f->parent[s]];
            f->child[f->parent[s]] = s;
        }
    f->first[f->panels] = f->n;
    int *filled = a->work, *mark = a->work + 2 * a->vertices;
    for (int s = 0; s < f->panels; s++) {
        filled[s] = 0;
        mark[s] = -1;
    }
    for (int i = 0; i < a->vertices; i++) {
        int own = a->panel_of[i], original = a->order[i], rows = cairn_vertex_rows(a, i);
        for (int r = 0; r < rows; r++)
            f->order[a->begin[i] + r] = a->vertex_start[original] + r;
        for (int p = a->edge_start[original]; p < a->edge_start[original + 1]; p++) {
            int k = a->inverse[a->edge[p]];
            if (k >= i)
                continue;
            for (int s = a->panel_of[k]; s != own && mark[s] != i; s = a->panel_parent[s]) {
                int *row = f->row + f->row_start[s] + filled[s];
                for (int r = 0; r < rows; r++)
                    row[r] = a->begin[i] + r;
                filled[s] += rows;
                mark[s] = i;
            }
        }
    }
}

/* place[i]: place of row i in the front of panel s */
static void mark_places(const cairn_factor *f, int s, int *place) {
    int width = cairn_panel_width(f, s), own = cairn_quads(width);
    for (int i = 0; i < width; i++)
        place[f->first[s] + i] = i;
    for (int i = 0; i < cairn_panel_below(f, s); i++)
        place[f->row[f->row_start[s] + i]] = 4 * own + i;
}

/* Places of the children's rows, and runs of neighbours among them. A run never leaves the
 * parent's own rows. */
static void fill_places(cairn_factor *f, int s, const int *place) {
    int width = cairn_panel_width(f, s);
    for (int c = f->child[s]; c >= 0; c = f->next[c]) {
        int below = cairn_panel_below(f, c), used = 0, *to = f->place + f->row_start[c];
        int *run = f->run + f->row_start[c] + c;
        for (int i = 0; i < below; i++) {
            to[i] = place[f->row[f->row_start[c] + i]];
            if (i == 0 || to[i] != to[i - 1] + 1 || (to[i - 1] < width && to[i] >= width))
                run[used++] = i;
        }
        run[used] = below;
        f->runs[c] = used;
    }
}

/* Rows above a task get copies, one for each row below each of its roots: tasks never write to
 * the same place. */
static void fill_slots(cairn_factor *f, const int *owner, int *copy) {
    int slots = f->n;
    for (int s = f->panels - 1; s >= 0; s--) {
        int up = f->parent[s], below = cairn_panel_below(f, s);
        bool root = owner[s] < f->tasks && (up < 0 || owner[up] != owner[s]);
        for (int i = 0; i < below; i++) {
            int64_t p = f->row_start[s] + i;
            if (root && copy != NULL)
                copy[slots - f->n] = f->row[p];
            if (owner[s] == f->tasks)
                f->slot[p] = f->row[p];
            else if (root)
                f->slot[p] = slots++;
            else if (f->place[p] < cairn_panel_width(f, up))
                f->slot[p] = f->row[p];
            else
                f->slot[p] = f->slot[f->row_start[up] + f->place[p] - 4 * cairn_quads(cairn_panel_width(f, up))];
        }
    }
    f->slots = slots;
}

/* Neighbouring slots as spans, panel by panel. */
static void fill_spans(cairn_factor *f) {
    int used = 0;
    for (int s = 0; s < f->panels; s++) {
        f->span_start[s] = used;
        for (int64_t p = f->row_start[s]; p < f->row_start[s + 1]; p++) {
            if (p > f->row_start[s] && f->slot[p] == f->slot[p - 1] + 1) {
                f->span[2 * (int64_t)used - 1]++;
            } else {
                f->span[2 * (int64_t)used] = f->slot[p];
                f->span[2 * (int64_t)used + 1] = 1;
                used++;
            }
        }
    }
    f->span_start[f->panels] = used;
}

/* Multiply-adds of each panel, and what moving its entries and starting its loops costs besides. */
static void estimate(const cairn_factor *f, const cairn_pattern *a, double *cost) {
    for (int s = 0; s < a->panels; s++) {
        double w = a->begin[a->first[s + 1]] - a->begin[a->first[s]], b = a->below[s];
        cost[s] = f->sides * (w * w * w / 6.0 + 0.5 * w * w * b + 0.5 * w * b * b + 8.0 * b * b + 8.0 * w * b) +
                  400.0 * w;
    }
}

static void fill_tasks(cairn_factor *f, const cairn_pattern *a, int *low) {
    cairn_cut_tasks(f->panels, f->parent, a->cost, a->cost + a->vertices, low, f->task);
    for (int t = 1; t < f->tasks; t++)
        for (int u = t; u > 0 && f->task[u].cost > f->task[u - 1].cost; u--) {
            cairn_task swap = f->task[u];
            f->task[u] = f->task[u - 1];
            f->task[u - 1] = swap;
        }
}

cairn_status cairn_factor_lay_out(cairn_factor *f, const cairn_pattern *a, size_t most) {
    factor_sizes size = {0};
    cairn_status status = measure(f, a, &size);
    if (status != CAIRN_OK)
        return status;
    int *owner = a->work, *count = owner + a->vertices, *depth = count + a->vertices, *low = depth;
    estimate(f, a, a->cost);
    f->tasks = cairn_cut_tasks(f->panels, a->panel_parent, a->cost, a->cost + a->vertices, low, NULL);
    lay_out_indices(f, size);
    status = cairn_arena_reserve(f->context, &f->arena);
    int *column = cairn_alloc(f->context, size.pieces, sizeof *column);
    if (status != CAIRN_OK || column == NULL) {
        cairn_free(f->context, column);
        return CAIRN_ERROR_MEMORY;
    }
    lay_out_indices(f, size);
    for (int s = 0; f->keep != NULL && s < f->panels; s++)
        f->keep[s] = a->keep[a->first[s]];
    fill_rows(f, a);
    cairn_fill_pieces(f, a, count, column);
    for (int s = 0; s < f->panels; s++) {
        mark_places(f, s, a->place);
        fill_places(f, s, a->place);
        cairn_place_pieces(f, s, a->place, column);
    }
    cairn_free(f->context, column);
    fill_tasks(f, a, low);
    cairn_plan_work(f, a, owner, depth);
    for (int s = 0; s < f->panels; s++)
        if (owner[s] == f->tasks)
            f->top[f->tops++] = s;
    if (f->n > 0)
        memcpy(f->start, a->start, ((size_t)f->n + 1) * sizeof(int));
    fill_slots(f, owner, NULL);
    lay_out_numbers(f);
    if (f->numbers.used > most)
        return CAIRN_ERROR_UNSUPPORTED;
    status = cairn_arena_reserve_raw(f->context, &f->numbers);
    if (status != CAIRN_OK)
        return status;
    lay_out_numbers(f);
    for (int side = 0; side < f->sides; side++) /* what fills up quads of rows is never written */
        memset(side == 0 ? f->lower : f->upper, 0, (size_t)f->panel_size * sizeof(double));
    fill_slots(f, owner, f->copy);
    fill_spans(f);
    return CAIRN_OK;
}
