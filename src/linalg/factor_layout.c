/*
 * factor_layout.c: takes the memory of a factor and fills its pattern: rows, places, runs, gathering, tasks.
 *
 * Counts are exact: with c_j entries below the diagonal in column j of L (merged panels store some zeros more,
 * which are not counted),
 *     symmetric:    entries sum c_j,     multiply-adds sum c_j (c_j + 1) / 2
 *     unsymmetric:  entries 2 sum c_j,   multiply-adds sum c_j^2
 */
#include "factor_data.h"

#include <limits.h>
#include <string.h>

/* Sizes of what a factor holds, besides n, nonzeros, panels and tasks. */
typedef struct factor_sizes {
    size_t rows, pieces, scans;
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

/* The next piece of column j from entry p on: p, its length and its vertex; false: the column ends before end. Symmetric: the
 * rows above j are left out. Unsymmetric: the rows above and from j on are two pieces. */
static bool next_piece(const cairn_factor *f, const cairn_pattern *a, int j, int end, int *p, cairn_stretch *piece) {
    while (*p < end) {
        *piece = cairn_pattern_stretch(a, *p, end);
        int i = a->index[*p], above = i < j ? j - i : 0; /* rows of the piece above j */
        if (above == 0)
            return true;
        above = above < piece->length ? above : piece->length;
        if (!f->symmetric) {
            piece->length = above;
            return true;
        }
        *p += above;
    }
    return false;
}

static void count_pieces(cairn_factor *f, const cairn_pattern *a, factor_sizes *size) {
    cairn_stretch piece;
    for (int j = 0; j < a->n; j++)
        for (int p = a->start[j], end = a->start[j + 1]; next_piece(f, a, j, end, &p, &piece); p += piece.length)
            size->pieces++;
    size->scans = f->symmetric ? 0 : size->pieces;
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
    }
    for (int k = 0; k < a->vertices; k++)
        for (int j = 0; j < cairn_vertex_rows(a, k); j++) {
            double c = a->count[k] - 1 - j;
            f->entries += (f->symmetric ? 1 : 2) * (int64_t)c;
            f->flops += f->symmetric ? 0.5 * c * (c + 1.0) : c * c;
        }
    count_pieces(f, a, size);
    return CAIRN_OK;
}

/* The pattern of the factor; the numbers follow in an arena of their own, when their sizes are known. */
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
    f->runs = cairn_arena_take(arena, panels, sizeof(int));
    f->run = cairn_arena_take(arena, size.rows + panels, sizeof(int));
    f->gather_start = cairn_arena_take(arena, panels + 1, sizeof(int));
    f->piece = cairn_arena_take(arena, size.pieces, sizeof(cairn_piece));
    f->start = cairn_arena_take(arena, n + 1, sizeof(int));
    f->scan = cairn_arena_take(arena, size.scans, sizeof(cairn_piece));
}

static void lay_out_numbers(cairn_factor *f) {
    cairn_arena *arena = &f->numbers;
    size_t n = (size_t)f->n, slack = 16; /* kernels read up to three columns past the end */
    f->lower = cairn_arena_take(arena, (size_t)f->panel_size + slack, sizeof(double));
    f->upper = f->symmetric ? f->lower : cairn_arena_take(arena, (size_t)f->panel_size + slack, sizeof(double));
    f->pivot = cairn_arena_take(arena, n, sizeof(double));
    f->row_max = cairn_arena_take(arena, n, sizeof(double));
    f->x = cairn_arena_take(arena, (size_t)f->slots * CAIRN_SOLVE_GROUP, sizeof(double));
    f->work = cairn_arena_take(arena, (size_t)f->work_size, sizeof(double));
    f->copy = cairn_arena_take(arena, (size_t)(f->slots - f->n), sizeof(int));
}

/* Rows of the panels, by the walk that counted them (cairn_pattern_panels): rows rise because i does. */
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
    int *filled = a->work, *mark = a->work + f->panels;
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

/* Places of the children's rows, and runs of neighbours among them. A run never leaves the parent's own rows. */
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

/* Which values of A go to which panel, in the order of the values, so that numeric reads them from front to back.
 * Symmetric: of (i, j) and (j, i) the one in A's lower triangle is read. Leaves the row of each piece in target (~row for
 * the second side) and its column in column. */
static void sort_pieces(cairn_factor *f, const cairn_pattern *a, int *column, size_t pieces) {
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < f->n; j++) {
            int own = a->vertex_of[j], at_j = a->inverse[own];
            int col = a->begin[at_j] + j - a->vertex_start[own];
            cairn_stretch s;
            for (int p = a->start[j], end = a->start[j + 1]; next_piece(f, a, j, end, &p, &s); p += s.length) {
                int at_i = a->inverse[s.vertex], i = a->index[p];
                int row = a->begin[at_i] + i - a->vertex_start[s.vertex];
                bool down = row >= col; /* its column in the front is j's */
                int *at = &f->gather_start[a->panel_of[down ? at_j : at_i] + 1];
                if (pass == 1) {
                    int high = down ? row : col;
                    f->piece[*at] = (cairn_piece){p, !f->symmetric && !down ? ~high : high,
                                                  down ? s.length : -s.length};
                    column[*at] = down ? col : row;
                    if (!f->symmetric)
                        f->scan[f->scans++] = (cairn_piece){p, i, s.length};
                }
                (*at)++;
            }
        }
        if (pass == 0) /* counts become first places; filling moves each to the next one's */
            for (int s = f->panels, total = (int)pieces; s > 0; s--)
                f->gather_start[s] = total -= f->gather_start[s];
    }
}

/* Rows and columns of the pieces of panel s become places in its front. */
static void place_pieces(cairn_factor *f, int s, const int *place, const int *column) {
    int width = cairn_panel_width(f, s), ld = 4 * (cairn_quads(width) + cairn_quads(cairn_panel_below(f, s)));
    for (int q = f->gather_start[s]; q < f->gather_start[s + 1]; q++) {
        int row = f->piece[q].target, offset = (column[q] - f->first[s]) * ld;
        f->piece[q].target = row < 0 ? ~(place[~row] + offset) : place[row] + offset;
    }
}

/* Rows above a task get copies, one for each row below each of its roots: tasks never write to the same place. */
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

cairn_status cairn_factor_lay_out(cairn_factor *f, const cairn_pattern *a) {
    factor_sizes size = {0};
    cairn_status status = measure(f, a, &size);
    if (status != CAIRN_OK)
        return status;
    int *owner = a->work, *depth = owner + f->panels, *low = depth;
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
    fill_rows(f, a);
    sort_pieces(f, a, column, size.pieces);
    for (int s = 0; s < f->panels; s++) {
        mark_places(f, s, a->place);
        fill_places(f, s, a->place);
        place_pieces(f, s, a->place, column);
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
    status = cairn_arena_reserve(f->context, &f->numbers);
    if (status != CAIRN_OK)
        return status;
    lay_out_numbers(f);
    fill_slots(f, owner, f->copy);
    return CAIRN_OK;
}
