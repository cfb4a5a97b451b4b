/*
 * factor_numeric.c: P A P' = L D U, panel by panel, without pivoting; U = L' in the symmetric case.
 *
 * Multifrontal. With l, u the rows of L and of U', the front T of a panel (rows: its own and those
 * below) and its update C (rows below, twice) are
 *
 *     T(i, j) = A(i, j) + sum over children c of C_c(i, j)
 *     d_j, l(i, j), u(i, j) from T by blocks of columns, every block taken from all columns right of it
 *     C(i, j) = - sum_p l(i, p) d_p u(j, p) + sum over children c of C_c(i, j)
 *
 * and the same for the transposed side with l and u exchanged. Tasks run beside each other, then
 * the panels of the top one after the other, each with loops over its tiles. The order of all sums
 * depends on the pattern alone. Reference: J. Liu, SIAM Review 34 (1992). A quasi-definite A has
 * the factors for every P: R. Vanderbei, SIAM J. Optim. 5 (1995).
 *
 * Not checked: that a symmetric matrix is symmetric in its values (its lower triangle is read, and
 * the largest entry of a row is that of its column), growth of L and U. A pivot whose reciprocal
 * overflows counts as not finite.
 */
#include "linalg/factor/factor_data.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROW_GRAIN   12  /* quads of rows in one piece of a loop over rows */
#define TILE_ROWS   48  /* quads of rows in one piece of a loop over tiles */
#define TILE_COLS   32  /* quads of columns in it: 192 columns of them stay in the second cache */
#define SHARED_WORK 2e6 /* multiply-adds of a panel from which on its loops are worth waking threads */

/* One panel in work. */
typedef struct panel_work {
    cairn_factor *f;
    const double *value;
    int s, width, own, quads; /* panel, its columns, own quads of rows, all quads */
    int64_t ld, update_ld;    /* of the front and of the update */
    double *front[2], *update[2], *scaled[2];
    bool shared; /* loops go to the threads */
    /* the block in work */
    int begin, k, block_own; /* first column, columns, own quads */
    double *x[2];            /* its L and U' */
    cairn_block block[2];
    /* the child in work */
    int child, own_runs; /* runs that are own rows of this panel */
} panel_work;

static void loop(panel_work *w, int count, int grain, cairn_parallel_body body) {
    if (w->shared)
        cairn_parallel(w->f->context, count, grain, body, w);
    else if (count > 0)
        body(w, 0, 0, count);
}

/* ---- assembling ---- */

static void clear_columns(void *user, int chunk, int begin, int end) {
    panel_work *w = user;
    (void)chunk;
    for (int side = 0; side < w->f->sides; side++)
        for (int j = begin; j < end; j++) {
            int64_t skip = j / 4 * 4; /* rows above are not read */
            memset(w->front[side] + j * w->ld + skip, 0, (size_t)(w->ld - skip) * sizeof(double));
        }
}

/* A piece of six columns, six rows (two rigid bodies): sizes the compiler can see. */
static inline void gather_six(const double *restrict from, int stride, double *restrict to, int64_t ld, bool turned) {
    for (int j = 0; j < 6 && !turned; j++)
        for (int i = 0; i < 6; i++)
            to[i + j * ld] = from[i + (int64_t)j * stride];
    for (int i = 0; i < 6 && turned; i++)
        for (int j = 0; j < 6; j++)
            to[j + i * ld] = from[i + (int64_t)j * stride];
}

/* Copies any number of columns without transposing them. */
static inline void gather_columns(const double *from, int stride, int rows, int cols, double *to, int64_t ld) {
    for (int j = 0; j < cols; j++, from += stride, to += ld) {
        int i = 0;
        for (; i + 4 <= rows; i += 4)
            memcpy(to + i, from + i, 4 * sizeof *to);
        for (; i < rows; i++)
            to[i] = from[i];
    }
}

static void gather(panel_work *w) {
    cairn_factor *f = w->f;
    for (int q = f->gather_start[w->s]; q < f->gather_start[w->s + 1]; q++) {
        const cairn_piece *piece = &f->piece[q];
        const double *from = w->value + piece->source;
        double *to = piece->target < 0 ? w->front[1] + ~piece->target : w->front[0] + piece->target;
        int rows = piece->rows, cols = piece->cols;
        if (rows == 6 && (cols == 6 || cols == -6)) {
            gather_six(from, piece->stride, to, w->ld, cols < 0);
            continue;
        }
        if (cols > 0) {
            gather_columns(from, piece->stride, rows, cols, to, w->ld);
            continue;
        }
        cols = -cols;
        for (int j = 0; j < cols; j++)
            for (int i = 0; i < rows; i++)
                to[i * w->ld + j] = from[i + (int64_t)j * piece->stride];
    }
}

/* Adds columns of the child's update, given by runs, to the front or to the update. */
static void add_runs(panel_work *w, int begin, int end, bool to_front) {
    cairn_factor *f = w->f;
    int c = w->child, below = cairn_panel_below(f, c), runs = f->runs[c];
    int64_t from_ld = 4 * (int64_t)cairn_quads(below);
    const int *run = f->run + f->row_start[c] + c, *place = f->place + f->row_start[c];
    for (int side = 0; side < f->sides; side++) {
        const double *from = f->work + f->update_at[c] + side * from_ld * from_ld;
        if (to_front)
            f->kernel->add(run, runs, begin, end, place, 0, from, from_ld, w->front[side], w->ld);
        else
            f->kernel->add(run, runs, begin, end, place, 4 * w->own, from, from_ld, w->update[side], w->update_ld);
    }
}

static void add_to_front(void *user, int chunk, int begin, int end) {
    (void)chunk;
    add_runs(user, begin, end, true);
}

static void add_to_update(void *user, int chunk, int begin, int end) {
    panel_work *w = user;
    (void)chunk;
    add_runs(w, w->own_runs + begin, w->own_runs + end, false);
}

/* Adds all children to the front, or to the update: columns that are own, or not. */
static void add_children(panel_work *w, bool to_front) {
    cairn_factor *f = w->f;
    for (int c = f->child[w->s]; c >= 0; c = f->next[c]) {
        const int *run = f->run + f->row_start[c] + c, *place = f->place + f->row_start[c];
        int runs = f->runs[c], own = 0;
        while (own < runs && place[run[own]] < w->width)
            own++;
        w->child = c;
        w->own_runs = own;
        int grain = (to_front ? own : runs - own) / 16 + 1;
        if (to_front)
            loop(w, own, grain, add_to_front);
        else
            loop(w, runs - own, grain, add_to_update);
    }
}

/* ---- factoring ---- */

static void prepare_blocks(panel_work *w) {
    int column = w->f->first[w->s] + w->begin;
    for (int side = 0; side < w->f->sides; side++) {
        int other = w->f->sides - 1 - side;
        w->block[side] = (cairn_block){.k = w->k,
                                       .front = w->front[side] + w->begin + w->begin * w->ld,
                                       .ld = w->ld,
                                       .x = w->x[side],
                                       .scaled = w->scaled[side],
                                       .other = w->x[other],
                                       .other_scaled = w->scaled[other],
                                       .pivot = w->f->pivot + column,
                                       .inverse = w->f->inverse + column};
    }
}

static void factor_rows(void *user, int chunk, int begin, int end) {
    panel_work *w = user;
    (void)chunk;
    for (int side = 0; side < w->f->sides; side++)
        w->f->kernel->rows(&w->block[side], w->block_own + begin, w->block_own + end, 0, w->block_own);
}

/* Tiles of what the block takes from the columns right of it: first those of the front, then
 * those of the update. Piece number: (strip of columns) * (strips of rows) + (strip of rows).
 * Quads are counted from the block's first row. */
static void take_tiles(void *user, int chunk, int begin, int end) {
    panel_work *w = user;
    (void)chunk;
    int from = w->begin / 4, all = w->quads - from, own = w->own - from; /* own: first quad below the panel's own */
    int front_strips = cairn_chunks(own - w->block_own, TILE_COLS), row_strips = cairn_chunks(all, TILE_ROWS);
    for (int piece = begin; piece < end; piece++) {
        int strip = piece / row_strips, i_begin = piece % row_strips * TILE_ROWS, i_end = i_begin + TILE_ROWS;
        bool in_front = strip < front_strips;
        int j_begin = in_front ? w->block_own + strip * TILE_COLS : own + (strip - front_strips) * TILE_COLS;
        int j_limit = in_front ? own : all, j_end = j_begin + TILE_COLS < j_limit ? j_begin + TILE_COLS : j_limit;
        i_begin = i_begin > j_begin ? i_begin : j_begin;
        i_end = i_end < all ? i_end : all;
        if (i_begin >= i_end)
            continue;
        for (int side = 0; side < w->f->sides; side++) {
            const double *y = w->scaled[w->f->sides - 1 - side];
            if (in_front)
                w->f->kernel->update(w->k, w->x[side], y, i_begin, i_end, j_begin, j_end,
                                     w->front[side] + w->begin + w->begin * w->ld, w->ld, true);
            else
                w->f->kernel->update(w->k, w->x[side] + 4 * (int64_t)own * w->k, y + 4 * (int64_t)own * w->k,
                                     i_begin - own, i_end - own, j_begin - own, j_end - own, w->update[side],
                                     w->update_ld, w->begin > 0);
        }
    }
}

static void factor_block(panel_work *w) {
    int from = w->begin / 4, all = w->quads - from, own = w->own - from;
    w->block_own = cairn_quads(w->k);
    prepare_blocks(w);
    w->f->kernel->own(w->block, w->f->sides);
    loop(w, all - w->block_own, ROW_GRAIN, factor_rows);
    int strips = cairn_chunks(own - w->block_own, TILE_COLS) + cairn_chunks(all - own, TILE_COLS);
    loop(w, strips * cairn_chunks(all, TILE_ROWS), 1, take_tiles);
}

static void factor_panel(cairn_factor *f, cairn_task *task, int s, const double *value, bool top) {
    panel_work w;
    w.f = f;
    w.value = value;
    w.s = s;
    int below = cairn_panel_below(f, s);
    w.width = cairn_panel_width(f, s);
    w.own = cairn_quads(w.width);
    w.quads = w.own + cairn_quads(below);
    w.ld = 4 * (int64_t)w.quads;
    w.update_ld = 4 * (int64_t)cairn_quads(below);
    for (int side = 0; side < f->sides; side++) {
        w.front[side] = f->work + task->front + side * task->front_size;
        w.scaled[side] = f->work + task->scaled + side * task->scaled_size;
        w.update[side] = f->work + f->update_at[s] + side * w.update_ld * w.update_ld;
        w.x[side] = (side == 0 ? f->lower : f->upper) + f->at[s];
    }
    double height = w.width + below;
    w.shared = top && cairn_thread_count(f->context) > 1 && 0.5 * w.width * height * height > SHARED_WORK;
    if (w.own <= 4) /* cheaper than column by column */
        for (int side = 0; side < f->sides; side++)
            memset(w.front[side], 0, (size_t)(4 * w.own * w.ld) * sizeof(double));
    else
        loop(&w, 4 * w.own, 16, clear_columns);
    gather(&w);
    add_children(&w, true);
    int block = cairn_block_width(w.width);
    for (w.begin = 0; w.begin < w.width; w.begin += block) {
        w.k = w.width - w.begin < block ? w.width - w.begin : block;
        factor_block(&w);
        for (int side = 0; side < f->sides; side++)
            w.x[side] += 4 * (int64_t)w.k * (w.quads - w.begin / 4);
    }
    add_children(&w, false);
}

/* ---- all panels ---- */

typedef struct numeric_work {
    cairn_factor *f;
    const double *value;
} numeric_work;

/* This factorisation leaves panel s as it is. */
static inline bool keeps(const cairn_factor *f, int s) {
    return f->partial && f->keep[s];
}

static void run_tasks(void *user, int chunk, int begin, int end) {
    numeric_work *n = user;
    (void)chunk;
    for (int t = begin; t < end; t++)
        for (int s = n->f->task[t].begin; s < n->f->task[t].end; s++)
            if (!keeps(n->f, s))
                factor_panel(n->f, &n->f->task[t], s, n->value, false);
}

/* ---- pivots ---- */

static void largest_of_chunk(void *user, int chunk, int begin, int end) {
    numeric_work *n = user;
    n->f->most[chunk] = n->f->kernel->largest(end - begin, n->value + begin);
}

static double largest_of_all(numeric_work *n) {
    double most = 0.0;
    cairn_parallel(n->f->context, n->f->nonzeros, CAIRN_VALUE_GRAIN, largest_of_chunk, n);
    for (int c = 0; c < cairn_chunks(n->f->nonzeros, CAIRN_VALUE_GRAIN); c++)
        most = fmax(most, n->f->most[c]);
    return most;
}

static void largest_of_rows(cairn_factor *f, const double *value) {
    for (int i = 0; i < f->n; i++)
        f->row_max[i] = f->symmetric ? f->kernel->largest(f->start[i + 1] - f->start[i], value + f->start[i]) : 0.0;
    for (int q = 0; q < f->scans; q++) {
        cairn_piece piece = f->scan[q];
        double *largest = f->row_max + piece.target;
        const double *v = value + piece.source;
        for (int j = 0; j < piece.cols; j++, v += piece.stride)
            for (int i = 0; i < piece.rows; i++)
                largest[i] = fabs(v[i]) > largest[i] ? fabs(v[i]) : largest[i];
    }
}

/* Where the terms of a pivot are smaller than the entries of its row, they are what it is
 * measured by. The right-hand sides' room is free now. */
static void take_terms(cairn_factor *f) {
    cairn_factor_terms(f, f->x);
    for (int j = 0; j < f->n; j++)
        if (f->x[j] < f->row_max[f->order[j]])
            f->row_max[f->order[j]] = f->x[j];
}

/* The header's rule for a pivot d; least: what it must exceed. */
static bool good_pivot(double d, double inverse, int wanted, double least) {
    return fabs(d) > least && fabs(d) <= DBL_MAX && fabs(inverse) <= DBL_MAX && (wanted == 0 || d * wanted > 0.0);
}

/* First column with a bad pivot, -1: none. row_max NULL: every row is measured by the largest
 * entry of all. */
static int first_bad_pivot(const cairn_factor *f, const signed char *sign, const double *row_max, double most) {
    for (int j = 0; j < f->n; j++) {
        int row = f->order[j];
        double least = f->n * DBL_EPSILON * (row_max != NULL ? row_max[row] : most);
        if (!good_pivot(f->pivot[j], f->inverse[j], sign != NULL ? sign[row] : 1, least))
            return j;
    }
    return -1;
}

static cairn_status report_failure(cairn_factor *f, const signed char *sign, int column) {
    int row = f->order[column], wanted = sign != NULL ? sign[row] : 1;
    f->failed_row = row;
    return cairn_fail(f->context, CAIRN_ERROR_NUMERICAL,
                      "factor: the pivot of row %d is %g, expected a %s number larger than %g in size", row,
                      f->pivot[column],
                      wanted > 0   ? "positive"
                      : wanted < 0 ? "negative"
                                   : "any",
                      f->n * DBL_EPSILON * f->row_max[row]);
}

/* After a bad pivot numbers are meaningless, and so the first bad one in the order of
 * elimination is the one to name: all that it depends on comes before it. Kept panels depend on
 * kept ones only: a bad pivot above them does not spoil them, and one of their own is found
 * again. */
static cairn_status factor_all(cairn_factor *f, const double *value, const signed char *sign) {
    numeric_work work = {f, value};
    f->ready = false;
    f->failed_row = -1;
    cairn_parallel(f->context, f->tasks, 1, run_tasks, &work);
    for (int i = 0; i < f->tops; i++)
        if (!keeps(f, f->top[i]))
            factor_panel(f, &f->task[f->tasks], f->top[i], value, true);
    f->complete = true;
    if (first_bad_pivot(f, sign, NULL, largest_of_all(&work)) >= 0) {
        largest_of_rows(f, value);
        int column = first_bad_pivot(f, sign, f->row_max, 0.0);
        if (column >= 0) {
            take_terms(f);
            column = first_bad_pivot(f, sign, f->row_max, 0.0);
        }
        if (column >= 0)
            return report_failure(f, sign, column);
    }
    f->ready = true;
    return CAIRN_OK;
}

cairn_status cairn_factor_numeric(cairn_factor *f, const double *value, const signed char *sign) {
    f->partial = false;
    return factor_all(f, value, sign);
}

cairn_status cairn_factor_renew(cairn_factor *f, const double *value, const signed char *sign) {
    f->partial = f->complete && f->keep != NULL;
    return factor_all(f, value, sign);
}
