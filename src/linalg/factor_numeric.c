/*
 * factor_numeric.c: P A P' = L D U, panel by panel, without pivoting; U = L' in the symmetric case.
 *
 * Multifrontal. With l, u the rows of L and of U', the front T of a panel (rows: its own and those below) and its
 * update C (rows below, twice) are
 *
 *     T(i, j) = A(i, j) + sum over children c of C_c(i, j)
 *     d_j, l(i, j), u(i, j) from T by blocks of columns, every block taken from all columns right of it
 *     C(i, j) = - sum_p l(i, p) d_p u(j, p) + sum over children c of C_c(i, j)
 *
 * and the same for the transposed side with l and u exchanged. Tasks run beside each other, then the panels of the
 * top one after the other, each with loops over its tiles. The order of all sums depends on the pattern alone.
 * Reference: J. Liu, SIAM Review 34 (1992). A quasi-definite A has the factors for every P: R. Vanderbei, SIAM J.
 * Optim. 5 (1995).
 *
 * Not checked: that a symmetric matrix is symmetric in its values (its lower triangle is read, and the largest entry of a
 * row is that of its column), growth of L and U. A pivot whose reciprocal overflows counts as not finite.
 */
#include "factor_data.h"

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
    cairn_task *task;
    const double *value;
    const signed char *sign;
    int s, width, own, quads; /* panel, its columns, own quads of rows, all quads */
    int64_t ld, update_ld;    /* of the front and of the update */
    double *front[2], *update[2], *scaled[2];
    bool shared; /* loops go to the threads */
    /* the block in work */
    int begin, k, block_own; /* first column, columns, own quads */
    double *x[2];            /* its L and U' */
    cairn_block block[2];
    double inverse[CAIRN_BLOCK_WIDTH + 4];
    /* the child in work */
    int child, own_runs; /* runs that are own rows of this panel */
} panel_work;

static void loop(panel_work *w, int count, int grain, cairn_parallel_body body) {
    if (w->shared)
        cairn_parallel(w->f->context, count, grain, body, w);
    else if (count > 0)
        body(w, 0, 0, count);
}

/* ---- assembling ------------------------------------------------------------------------------------------- */

static void clear_columns(void *user, int chunk, int begin, int end) {
    panel_work *w = user;
    (void)chunk;
    for (int side = 0; side < w->f->sides; side++)
        for (int j = begin; j < end; j++) {
            int64_t skip = j / 4 * 4; /* rows above are not read */
            memset(w->front[side] + j * w->ld + skip, 0, (size_t)(w->ld - skip) * sizeof(double));
        }
}

static void gather(panel_work *w) {
    cairn_factor *f = w->f;
    for (int q = f->gather_start[w->s]; q < f->gather_start[w->s + 1]; q++) {
        cairn_piece piece = f->piece[q];
        const double *from = w->value + piece.source;
        double *to = piece.target < 0 ? w->front[1] + ~piece.target : w->front[0] + piece.target;
        if (piece.length == 6)
            memcpy(to, from, 6 * sizeof(double)); /* a body's rows: a size the compiler can see */
        else if (piece.length > 0)
            for (int i = 0; i < piece.length; i++)
                to[i] = from[i];
        else
            for (int i = 0; i < -piece.length; i++)
                to[i * w->ld] = from[i];
    }
    if (f->sides == 1)
        f->kernel->largest(w->width, f->order + f->first[w->s], f->start, w->value, f->row_max);
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

/* ---- factoring -------------------------------------------------------------------------------------------- */

/* The header's rule for the pivot of column j. */
static bool good_pivot(const panel_work *w, int j, double d) {
    const cairn_factor *f = w->f;
    int row = f->order[j], wanted = w->sign != NULL ? w->sign[row] : 1;
    double least = f->n * DBL_EPSILON * f->row_max[row];
    return isfinite(d) && isfinite(1.0 / d) && (wanted == 0 || d * wanted > 0.0) && fabs(d) > least;
}

static void prepare_blocks(panel_work *w) {
    for (int side = 0; side < w->f->sides; side++) {
        int other = w->f->sides - 1 - side;
        w->block[side] = (cairn_block){.k = w->k,
                                       .front = w->front[side] + w->begin + w->begin * w->ld,
                                       .ld = w->ld,
                                       .x = w->x[side],
                                       .scaled = w->scaled[side],
                                       .other = w->x[other],
                                       .other_scaled = w->scaled[other],
                                       .inverse = w->inverse};
    }
}

/* The 4 x 4 (or smaller) corner q of the block: t = L D U by elimination; writes its rows of x and scaled. */
static bool factor_corner(panel_work *w, int q, double t[2][16]) {
    int sides = w->f->sides, columns = w->k - 4 * q < 4 ? w->k - 4 * q : 4,
        column = w->f->first[w->s] + w->begin + 4 * q;
    int64_t at = 4 * ((int64_t)q * w->k + 4 * q);
    for (int j = 0; j < columns; j++) {
        double d = t[0][5 * j];
        if (!good_pivot(w, column + j, d)) {
            w->task->failed = column + j;
            w->task->failed_pivot = d;
            return false;
        }
        w->f->pivot[column + j] = d;
        double inverse = w->inverse[4 * q + j] = 1.0 / d;
        for (int side = 0; side < sides; side++) {
            double *raw = w->scaled[side] + at + 4 * j, *unit = w->x[side] + at + 4 * j;
            for (int i = 0; i < 4; i++) {
                raw[i] = i > j && i < columns ? t[side][4 * j + i] : 0.0;
                unit[i] = raw[i] * inverse;
            }
        }
        for (int side = 0; side < sides; side++) {
            const double *raw = w->scaled[sides - 1 - side] + at + 4 * j, *unit = w->x[side] + at + 4 * j;
            for (int c = j + 1; c < columns; c++)
                for (int i = c; i < columns; i++)
                    t[side][4 * c + i] -= unit[i] * raw[c];
        }
    }
    return true;
}

/* The block's own rows, corner by corner. */
static bool factor_own_rows(panel_work *w) {
    const cairn_kernel *kernel = w->f->kernel;
    for (int q = 0; q < w->block_own; q++) {
        double t[2][16];
        for (int side = 0; side < w->f->sides; side++)
            kernel->reduce(&w->block[side], q, t[side]);
        if (!factor_corner(w, q, t))
            return false;
        for (int side = 0; q + 1 < w->block_own && side < w->f->sides; side++)
            kernel->rows(&w->block[side], q + 1, w->block_own, q, q + 1);
    }
    return true;
}

static void factor_rows(void *user, int chunk, int begin, int end) {
    panel_work *w = user;
    (void)chunk;
    for (int side = 0; side < w->f->sides; side++)
        w->f->kernel->rows(&w->block[side], w->block_own + begin, w->block_own + end, 0, w->block_own);
}

/* Tiles of what the block takes from the columns right of it: first those of the front, then those of the update. Piece
 * number: (strip of columns) * (strips of rows) + (strip of rows). Quads are counted from the block's first row. */
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

static bool factor_block(panel_work *w) {
    int from = w->begin / 4, all = w->quads - from, own = w->own - from;
    w->block_own = cairn_quads(w->k);
    for (int j = w->k; j < 4 * w->block_own; j++)
        w->inverse[j] = 0.0;
    prepare_blocks(w);
    if (!factor_own_rows(w))
        return false;
    loop(w, all - w->block_own, ROW_GRAIN, factor_rows);
    int strips = cairn_chunks(own - w->block_own, TILE_COLS) + cairn_chunks(all - own, TILE_COLS);
    loop(w, strips * cairn_chunks(all, TILE_ROWS), 1, take_tiles);
    return true;
}

static bool factor_panel(cairn_factor *f, cairn_task *task, int s, const double *value, const signed char *sign,
                         bool top) {
    panel_work w;
    w.f = f;
    w.task = task;
    w.value = value;
    w.sign = sign;
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
        if (!factor_block(&w))
            return false;
        for (int side = 0; side < f->sides; side++)
            w.x[side] += 4 * (int64_t)w.k * (w.quads - w.begin / 4);
    }
    add_children(&w, false);
    return true;
}

/* ---- all panels ------------------------------------------------------------------------------------------- */

typedef struct numeric_work {
    cairn_factor *f;
    const double *value;
    const signed char *sign;
} numeric_work;

static void run_tasks(void *user, int chunk, int begin, int end) {
    numeric_work *n = user;
    (void)chunk;
    for (int t = begin; t < end; t++) {
        cairn_task *task = &n->f->task[t];
        for (int s = task->begin; s < task->end; s++)
            if (!factor_panel(n->f, task, s, n->value, n->sign, false))
                break;
    }
}

static void largest_of_rows(cairn_factor *f, const double *value) {
    memset(f->row_max, 0, (size_t)f->n * sizeof(double));
    for (int q = 0; q < f->scans; q++) {
        cairn_piece piece = f->scan[q];
        const double *v = value + piece.source;
        double *largest = f->row_max + piece.target;
        for (int i = 0; i < piece.length; i++)
            largest[i] = fabs(v[i]) > largest[i] ? fabs(v[i]) : largest[i];
    }
}

/* The failure that comes first in the order of elimination; the top is not begun when a task fails. */
static cairn_status report_failure(cairn_factor *f, const signed char *sign) {
    int column = -1;
    double d = 0.0;
    for (int t = 0; t <= f->tasks; t++)
        if (f->task[t].failed >= 0 && (column < 0 || f->task[t].failed < column)) {
            column = f->task[t].failed;
            d = f->task[t].failed_pivot;
        }
    int row = f->order[column], wanted = sign != NULL ? sign[row] : 1;
    f->failed_row = row;
    return cairn_fail(f->context, CAIRN_ERROR_NUMERICAL,
                      "factor: the pivot of row %d is %g, expected a %s number larger than %g in size", row, d,
                      wanted > 0   ? "positive"
                      : wanted < 0 ? "negative"
                                   : "any",
                      f->n * DBL_EPSILON * f->row_max[row]);
}

cairn_status cairn_factor_numeric(cairn_factor *f, const double *value, const signed char *sign) {
    numeric_work work = {f, value, sign};
    f->ready = false;
    f->failed_row = -1;
    if (!f->symmetric)
        largest_of_rows(f, value);
    for (int t = 0; t <= f->tasks; t++)
        f->task[t].failed = -1;
    cairn_parallel(f->context, f->tasks, 1, run_tasks, &work);
    for (int t = 0; t < f->tasks; t++)
        if (f->task[t].failed >= 0)
            return report_failure(f, sign);
    for (int i = 0; i < f->tops; i++)
        if (!factor_panel(f, &f->task[f->tasks], f->top[i], value, sign, true))
            return report_failure(f, sign);
    f->ready = true;
    return CAIRN_OK;
}
