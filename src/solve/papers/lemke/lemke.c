/*
 * lemke.c: complementary pivoting of Lemke on a dense tableau, as [A] names it for its time step
 * [theory 6].
 *
 *     w - M z - e z0 = q
 *
 * The artificial z0 enters and the most negative row leaves. Then the complement of what left
 * enters, until z0 leaves (an answer) or nothing limits the step (a ray).
 *
 * Tableau: x_B + T x_N = q over the n basic and n + 1 other variables; the columns of basic
 * variables, which are unit vectors, are not stored. A pivot on (r, c) with p = T_rc clears row r
 * and column c, then adds a rank one matrix:
 *
 *     T += a b',   a_i = -T_ic/p, a_r = 1/p;   b_k = T_rk, b_c = 1
 *
 * RANK such matrices are kept aside as U V and added in one pass, so that the tableau goes through
 * the memory once for RANK pivots. Rows are shared among threads; each entry is summed in one
 * order, so the bits do not depend on their number.
 *
 * Ties of the ratio test go to the lexicographically least row of [q, B^-1]/T_ic: B^-1's columns
 * are those of the w. Every row stays lexicographically positive, so no basis comes twice and the
 * method ends on degenerate problems too (in exact arithmetic; differences below TIE count as
 * none). z0 leaves first where it ties.
 *
 * Every CHECK pivots w - M z - e z0 = q is computed with the true M; when it misses by more than
 * DRIFT the tableau is rebuilt from M by pivoting the present basis in, largest pivots first. Not
 * checked: that M is of a class for which a ray means "no answer".
 */
#include "solve/papers/lemke/lemke.h"

#include <math.h>
#include <string.h>

#define TIE        1e-12 /* values of variables, and entries over the pivot, closer than this are equal */
#define PIVOT      1e-9  /* least pivot, relative to the largest entry of its column */
#define CHECK      128
#define DRIFT      1e-8
#define FLUSH_ROWS 64
#define TILE       64

void cairn_lemke_layout(cairn_lemke *w, cairn_arena *arena, int capacity) {
    size_t n = (size_t)capacity;
    w->capacity = capacity;
    w->T = cairn_arena_take(arena, n * (n + 1), sizeof(double));
    w->U = cairn_arena_take(arena, n * CAIRN_LEMKE_RANK, sizeof(double));
    w->V = cairn_arena_take(arena, (n + 1) * CAIRN_LEMKE_RANK, sizeof(double));
    w->q = cairn_arena_take(arena, n, sizeof(double));
    w->column = cairn_arena_take(arena, n, sizeof(double));
    w->line = cairn_arena_take(arena, n + 1, sizeof(double));
    w->basic = cairn_arena_take(arena, n, sizeof(int));
    w->outside = cairn_arena_take(arena, n + 1, sizeof(int));
    w->place = cairn_arena_take(arena, 2 * n + 1, sizeof(int));
    w->tie = cairn_arena_take(arena, n, sizeof(int));
}

/* ---- the tableau ---- */

static double *row_of(const cairn_lemke *w, int i) {
    return w->T + (size_t)i * ((size_t)w->n + 1);
}

/* v (pending): column c of V. */
static void take_column(const cairn_lemke *w, int c, double *v) {
    for (int p = 0; p < w->pending; p++)
        v[p] = w->V[(size_t)p * ((size_t)w->n + 1) + (size_t)c];
}

/* (T + U V)_ic, v being column c of V. */
static inline double entry(const cairn_lemke *w, int i, int c, const double *v) {
    double sum = row_of(w, i)[c];
    const double *u = w->U + (size_t)i * CAIRN_LEMKE_RANK;
    for (int p = 0; p < w->pending; p++)
        sum += u[p] * v[p];
    return sum;
}

/* s, t (count) += the pending multiples u_s, u_t of rows of V, from v on; four rows of V at a
 * time for two rows of T. */
CAIRN_CLONES static void add_tile(int count, int pending, const double *restrict u_s, const double *restrict u_t,
                                  const double *restrict v, int stride, double *restrict s, double *restrict t) {
    for (int p = 0; p < pending; p += 4, u_s += 4, u_t += 4, v += 4 * (size_t)stride) {
        const double *v1 = v + stride, *v2 = v1 + stride, *v3 = v2 + stride;
        for (int k = 0; k < count; k++) {
            s[k] += (u_s[0] * v[k] + u_s[1] * v1[k]) + (u_s[2] * v2[k] + u_s[3] * v3[k]);
            t[k] += (u_t[0] * v[k] + u_t[1] * v1[k]) + (u_t[2] * v2[k] + u_t[3] * v3[k]);
        }
    }
}

/* Tiles of TILE columns: their part of V stays in the first cache while the rows go by. */
static void flush_rows(void *user, int chunk, int begin, int end) {
    const cairn_lemke *w = user;
    int width = w->n + 1;
    double unused[TILE];
    (void)chunk;
    for (int k = 0; k < width; k += TILE)
        for (int i = begin; i < end; i += 2) {
            bool pair = i + 1 < end;
            const double *u = w->U + (size_t)i * CAIRN_LEMKE_RANK;
            memset(unused, 0, pair ? 0 : sizeof unused);
            add_tile(width - k < TILE ? width - k : TILE, w->pending, u, pair ? u + CAIRN_LEMKE_RANK : u, w->V + k,
                     width, row_of(w, i) + k, pair ? row_of(w, i + 1) + k : unused);
        }
}

/* T += U V; the unused columns of U in the last four are 0. */
static void flush(cairn_lemke *w) {
    if (w->pending == 0)
        return;
    for (int i = 0; i < w->n; i++)
        for (int p = w->pending; p < CAIRN_LEMKE_RANK; p++)
            w->U[(size_t)i * CAIRN_LEMKE_RANK + (size_t)p] = 0.0;
    cairn_parallel(w->context, w->n, FLUSH_ROWS, flush_rows, w);
    w->pending = 0;
}

static void fill_column(cairn_lemke *w, int c) {
    double v[CAIRN_LEMKE_RANK];
    take_column(w, c, v);
    for (int i = 0; i < w->n; i++)
        w->column[i] = entry(w, i, c, v);
}

static void fill_line(cairn_lemke *w, int r) {
    int width = w->n + 1;
    memcpy(w->line, row_of(w, r), (size_t)width * sizeof *w->line);
    for (int p = 0; p < w->pending; p++) {
        double u = w->U[(size_t)r * CAIRN_LEMKE_RANK + (size_t)p];
        const double *v = w->V + (size_t)p * (size_t)width;
        for (int k = 0; k < width; k++)
            w->line[k] += u * v[k];
    }
}

/* Exchanges the variables of row r and column c; column holds column c. */
static void exchange(cairn_lemke *w, int r, int c) {
    int width = w->n + 1, new = w->pending;
    double pivot = w->column[r], step = w->q[r] / pivot;
    fill_line(w, r);
    w->line[c] = 1.0;
    memset(row_of(w, r), 0, (size_t)width * sizeof(double));
    for (int p = 0; p < w->pending; p++) {
        w->U[(size_t)r * CAIRN_LEMKE_RANK + (size_t)p] = 0.0;
        w->V[(size_t)p * (size_t)width + (size_t)c] = 0.0;
    }
    memcpy(w->V + (size_t) new *(size_t)width, w->line, (size_t)width * sizeof *w->line);
    for (int i = 0; i < w->n; i++) {
        row_of(w, i)[c] = 0.0;
        w->U[(size_t)i * CAIRN_LEMKE_RANK + (size_t) new] = i == r ? 1.0 / pivot : -w->column[i] / pivot;
        w->q[i] = i == r ? step : w->q[i] - step * w->column[i];
    }
    int out = w->basic[r], in = w->outside[c];
    w->basic[r] = in;
    w->outside[c] = out;
    w->place[in] = r;
    w->place[out] = -1 - c;
    w->pending++;
    if (w->pending == CAIRN_LEMKE_RANK)
        flush(w);
}

/* The tableau of the basis w. */
static void fill(cairn_lemke *w) {
    int n = w->n;
    for (int i = 0; i < n; i++) {
        double *t = row_of(w, i);
        w->row(w->user, i, t);
        for (int k = 0; k < n; k++)
            t[k] = -t[k];
        t[n] = -1.0;
        w->q[i] = w->q0[i];
        w->basic[i] = i;
        w->outside[i] = n + i;
        w->place[i] = i;
        w->place[n + i] = -1 - i;
    }
    w->outside[n] = 2 * n;
    w->place[2 * n] = -1 - n;
    w->pending = 0;
}

/* ---- drift ---- */

/* max |w - M z - e z0 - q| of the present basis, with the true M. */
static double drift(cairn_lemke *w) {
    int n = w->n;
    double worst = 0.0, z0 = w->place[2 * n] >= 0 ? w->q[w->place[2 * n]] : 0.0;
    for (int i = 0; i < n; i++) {
        w->row(w->user, i, w->line);
        double sum = w->q0[i] + z0 - (w->place[i] >= 0 ? w->q[w->place[i]] : 0.0);
        for (int k = 0; k < n; k++)
            if (w->place[n + k] >= 0)
                sum += w->line[k] * w->q[w->place[n + k]];
        worst = fabs(sum) > worst || isnan(sum) ? fabs(sum) : worst;
    }
    return worst;
}

/* Pivots the present basis into a fresh tableau. False: it is singular to rounding. */
static bool rebuild(cairn_lemke *w) {
    int n = w->n, wanted = 0;
    int *target = w->tie; /* variables that shall be basic and are not in the fresh tableau */
    for (int i = 0; i < n; i++)
        if (w->basic[i] >= n)
            target[wanted++] = w->basic[i];
    for (int i = 0; i < n; i++) /* keep marks of the wanted w in q, which fill sets anew */
        w->line[i] = w->place[i] >= 0 ? 1.0 : 0.0;
    memcpy(w->column, w->line, (size_t)n * sizeof *w->line);
    fill(w);
    double *stays = w->V +
                    (size_t)(CAIRN_LEMKE_RANK - 1) * ((size_t)n + 1); /* last row of V: filled last, flushed at once */
    memcpy(stays, w->column, (size_t)n * sizeof *stays);
    for (int t = 0; t < wanted; t++) {
        if (w->pending == CAIRN_LEMKE_RANK - 1)
            flush(w);
        int c = -1 - w->place[target[t]], best = -1;
        fill_column(w, c);
        for (int i = 0; i < n; i++)
            if (w->basic[i] < n && stays[w->basic[i]] == 0.0 &&
                (best < 0 || fabs(w->column[i]) > fabs(w->column[best])))
                best = i;
        if (best < 0 || !(fabs(w->column[best]) > 1e-14))
            return false;
        exchange(w, best, c);
    }
    flush(w);
    w->rebuilds++;
    return true;
}

static bool keep_true(cairn_lemke *w) {
    if (++w->since_check < CHECK)
        return true;
    w->since_check = 0;
    return drift(w) <= DRIFT || rebuild(w);
}

/* ---- the pivot rule ---- */

/* line[t] = entry of B^-1 in row tie[t], column of w_k. */
static void inverse_entries(cairn_lemke *w, int count, int k) {
    double v[CAIRN_LEMKE_RANK];
    int c = -1 - w->place[k];
    if (c >= 0)
        take_column(w, c, v);
    for (int t = 0; t < count; t++)
        w->line[t] = c >= 0 ? entry(w, w->tie[t], c, v) : w->place[k] == w->tie[t] ? 1.0 : 0.0;
}

/* Of the count rows in tie, the one whose [B^-1] is lexicographically least; divide: whose
 * [B^-1]/column is. */
static int break_ties(cairn_lemke *w, int count, bool divide) {
    for (int k = 0; k < w->n && count > 1 && !w->plain; k++) {
        double least = INFINITY;
        int kept = 0;
        inverse_entries(w, count, k);
        for (int t = 0; t < count; t++) {
            w->line[t] /= divide ? w->column[w->tie[t]] : 1.0;
            least = fmin(least, w->line[t]);
        }
        for (int t = 0; t < count; t++)
            if (w->line[t] <= least + TIE * fmax(1.0, fabs(least)))
                w->tie[kept++] = w->tie[t];
        count = kept;
    }
    return w->tie[0];
}

/* The row that leaves when the column's variable grows; -1: none. */
static int choose_row(cairn_lemke *w) {
    double largest = 0.0, step = INFINITY;
    int count = 0;
    for (int i = 0; i < w->n; i++)
        largest = fmax(largest, fabs(w->column[i]));
    for (int i = 0; i < w->n; i++)
        if (w->column[i] > PIVOT * largest)
            step = fmin(step, fmax(0.0, w->q[i]) / w->column[i]);
    if (!isfinite(step))
        return -1;
    for (int i = 0; i < w->n; i++)
        if (w->column[i] > PIVOT * largest && w->q[i] - step * w->column[i] <= TIE) {
            if (w->basic[i] == 2 * w->n)
                return i;
            w->tie[count++] = i;
        }
    return break_ties(w, count, true);
}

cairn_lemke_state cairn_lemke_begin(cairn_lemke *w, cairn_context *context, int n, cairn_lcp_row row, const void *user,
                                    const double *q) {
    double least = 0.0;
    int count = 0;
    CAIRN_ASSERT(n <= w->capacity);
    w->context = context;
    w->n = n;
    w->row = row;
    w->user = user;
    w->q0 = q;
    w->rebuilds = w->since_check = 0;
    memset(w->V, 0, ((size_t)w->capacity + 1) * CAIRN_LEMKE_RANK * sizeof *w->V);
    fill(w);
    for (int i = 0; i < n; i++) {
        if (!isfinite(q[i]))
            return CAIRN_LEMKE_LOST;
        least = fmin(least, q[i]);
    }
    if (least >= 0.0)
        return CAIRN_LEMKE_DONE;
    for (int i = 0; i < n; i++)
        if (q[i] <= least + TIE)
            w->tie[count++] = i;
    fill_column(w, n);
    int r = break_ties(w, count, false);
    w->entering = n + r; /* the complement of w_r, which leaves */
    exchange(w, r, n);
    return CAIRN_LEMKE_GOES_ON;
}

cairn_lemke_state cairn_lemke_pivot(cairn_lemke *w) {
    int n = w->n;
    if (!keep_true(w))
        return CAIRN_LEMKE_LOST;
    int c = -1 - w->place[w->entering];
    fill_column(w, c);
    int r = choose_row(w);
    if (r < 0)
        return isfinite(w->column[0]) ? CAIRN_LEMKE_RAY : CAIRN_LEMKE_LOST;
    int out = w->basic[r];
    exchange(w, r, c);
    if (!isfinite(w->q[r]))
        return CAIRN_LEMKE_LOST;
    if (out == 2 * n)
        return CAIRN_LEMKE_DONE;
    w->entering = out < n ? out + n : out - n;
    return CAIRN_LEMKE_GOES_ON;
}

void cairn_lemke_point(const cairn_lemke *w, double *z) {
    for (int k = 0; k < w->n; k++)
        z[k] = w->place[w->n + k] >= 0 ? fmax(0.0, w->q[w->place[w->n + k]]) : 0.0;
}

void cairn_lemke_ray(const cairn_lemke *w, double *dz) {
    for (int k = 0; k < w->n; k++) {
        int r = w->place[w->n + k];
        dz[k] = r >= 0 ? -w->column[r] : w->entering == w->n + k ? 1.0 : 0.0;
    }
}

/* ---- the final basis ---- */

/* t (count) -= f * top. */
CAIRN_CLONES static void subtract(int count, double f, const double *restrict top, double *restrict t) {
    for (int k = 0; k < count && f != 0.0; k++)
        t[k] -= f * top[k];
}

/* LU with row exchanges of A = M over the basic z; count x count in T, the exchanges in tie, the
 * z in outside. */
bool cairn_lemke_factor(cairn_lemke *w) {
    int n = w->n, count = 0;
    for (int k = 0; k < n; k++)
        if (w->place[n + k] >= 0)
            w->outside[count++] = k;
    w->pending = count; /* from here on: order of A */
    for (int a = 0; a < count; a++) {
        w->row(w->user, w->outside[a], w->line);
        for (int b = 0; b < count; b++)
            w->T[(size_t)a * (size_t)count + (size_t)b] = w->line[w->outside[b]];
    }
    for (int j = 0; j < count; j++) {
        int best = j;
        for (int i = j + 1; i < count; i++)
            if (fabs(w->T[(size_t)i * (size_t)count + (size_t)j]) >
                fabs(w->T[(size_t)best * (size_t)count + (size_t)j]))
                best = i;
        double *top = w->T + (size_t)j * (size_t)count, *other = w->T + (size_t)best * (size_t)count;
        w->tie[j] = best;
        for (int k = 0; k < count && best != j; k++) {
            double kept = top[k];
            top[k] = other[k];
            other[k] = kept;
        }
        if (!(fabs(top[j]) > 0.0) || !isfinite(top[j]))
            return false;
        for (int i = j + 1; i < count; i++) {
            double *t = w->T + (size_t)i * (size_t)count, f = t[j] / top[j];
            t[j] = f;
            subtract(count - j - 1, f, top + j + 1, t + j + 1);
        }
    }
    return true;
}

void cairn_lemke_correct(const cairn_lemke *w, const double *residual, double *dz) {
    int count = w->pending;
    double *x = w->column;
    for (int a = 0; a < count; a++)
        x[a] = -residual[w->outside[a]];
    for (int j = 0; j < count; j++) {
        double kept = x[j];
        x[j] = x[w->tie[j]];
        x[w->tie[j]] = kept;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            x[i] -= w->T[(size_t)i * (size_t)count + (size_t)k] * x[k];
    for (int i = count - 1; i >= 0; i--) {
        for (int k = i + 1; k < count; k++)
            x[i] -= w->T[(size_t)i * (size_t)count + (size_t)k] * x[k];
        x[i] /= w->T[(size_t)i * (size_t)count + (size_t)i];
    }
    for (int k = 0; k < w->n; k++)
        dz[k] = 0.0;
    for (int a = 0; a < count; a++)
        dz[w->outside[a]] = x[a];
}
