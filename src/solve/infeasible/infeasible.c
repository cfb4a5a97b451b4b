/*
 * infeasible.c: proofs that a problem has no answer.
 *
 * Whatever the impulses are, an answer has D_N'v + b_N >= 0 at contacts without compliance and
 * D_J'v + b_J = 0 at rigid joint rows. Farkas' lemma: there is no such v exactly if there are d_N
 * >= 0 and d_J with D d = 0 and b'd < 0. Under the associated law the same holds with d in the
 * cones, as u lies in their duals.
 *
 * A computed d has D d = e, e not 0 by rounding. Then -b'd <= d'(D'v) = e'v, so that every answer
 * has
 *
 *     max_j r_j |v_j| >= V = -b'd / sum_j |e_j|/r_j
 *         r_j: largest entry of row j of D, so that r_j v_j is a speed of a contact
 *
 * with the bounds of rounding added to e and to b'd. "Proven" means that V is FAST times the
 * largest speed in the data: of b, and of the motion without impulses.
 *
 * The search: d minimises |W D d|^2 + (b'd/s + 1)^2, W = diag(1/r), s the largest |b|, by the
 * active set method of [LH 23.3] with an orthogonal factor of the columns in use. The minimum is
 * 1/(1 + |v/s|^2) for the smallest allowed v: below 1/FAST^2 it is a proof, and else a motion
 * exists.
 *
 * The local form knows neither D nor b, only r = D'H^-1 k + b and N: the proof is N d = 0 with r'd
 * < 0, and undoing r'd by N d must take impulses REACH times as large as r itself suggests.
 */
#include "solve/infeasible/infeasible.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAST       1e7
#define LOCAL_NULL 1e-9  /* |s N d| <= this * |d/s| counts as N d = 0 */
#define LOCAL_PULL 1e-6  /* r'd <= -this * |s r| |d/s| counts as negative */
#define REACH      1e12  /* towers of bodies, each eight times heavier than the one below, take up to 1e10 */
#define DEPENDENT  1e-11 /* part of a column outside the span of those in use from which it may join them */
#define GAIN       1e-12 /* of its length: a column that promises less is left alone */
#define WORK_MOST  2e9   /* multiply-adds of the search */

/* Keeps of d what a proof may use: a direction of the recession cone, normal parts only for
 * Coulomb cones. */
static void recession(const cairn_run *run, double *d) {
    const cairn_problem *p = run->problem;
    for (int r = 0; r < run->run_count; r++) {
        const cairn_set_run *set = &run->runs[r];
        int rows = set->count * set->dim;
        double *x = d + set->row;
        switch (set->set) {
        case CAIRN_SET_BILATERAL:
            break;
        case CAIRN_SET_NONNEGATIVE:
            for (int i = 0; i < rows; i++)
                x[i] = fmax(0.0, x[i]);
            break;
        case CAIRN_SET_CONE:
        case CAIRN_SET_POLY_CONE:
        case CAIRN_SET_DUAL_CONE:
            cairn_set_project_run(set->set, set->dim, set->count, p->block + set->first, x, x);
            for (int i = 0; i < rows && cairn_is_contact(set->set) && p->law == CAIRN_LAW_COULOMB; i++)
                if (i % set->dim != 0)
                    x[i] = 0.0;
            break;
        case CAIRN_SET_SHIFTED_CONE:
            for (int i = 0; i < set->count; i++) {
                cairn_block cone = p->block[set->first + i];
                cone.set = CAIRN_SET_CONE;
                cairn_set_project_run(CAIRN_SET_CONE, set->dim, 1, &cone, x + i * set->dim, x + i * set->dim);
            }
            break;
        default: /* bounded, or not known to be unbounded */
            memset(x, 0, (size_t)rows * sizeof *x);
        }
    }
}

/* Global form: is V of the head comment that much? */
static bool is_too_fast(cairn_run *run, const double *d) {
    const cairn_problem *p = run->problem;
    const double *reach = run->reach;
    double pull = 0.0, sizes = 0.0, rest = 0.0, speed = 0.0;
    for (int j = 0; j < p->m; j++) {
        pull += p->b[j] * d[j];
        sizes += fabs(p->b[j] * d[j]);
        speed = fmax(speed, fabs(p->b[j]));
        if (p->C[j] != 0.0 && d[j] != 0.0)
            return false; /* it gives way */
    }
    pull += p->m * DBL_EPSILON * sizes;
    if (!(pull < 0.0))
        return false;
    cairn_problem_reach(p, run->reach);
    memset(run->work_v, 0, (size_t)p->n * sizeof *run->work_v);
    for (int j = 0; j < p->m; j++)
        for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++) {
            double x = p->D.value[e] * d[j];
            run->work_v[p->D.index[e]] += x;
            rest += 2.0 * DBL_EPSILON * fabs(x) / reach[p->D.index[e]];
        }
    for (int j = 0; j < p->n; j++)
        rest += fabs(run->work_v[j]) / reach[j];
    if (!(-pull >= FAST * speed * rest))
        return false;
    cairn_operator_solve(run->op, p->k, run->work_v);
    for (int j = 0; j < p->n; j++)
        speed = fmax(speed, reach[j] * fabs(run->work_v[j]));
    return -pull >= FAST * speed * rest;
}

/* Local form: N d against d, r'd against both. */
static bool is_out_of_reach(cairn_run *run, const double *d, double *work) {
    double pull = 0.0, load = 0.0, length = 0.0, image = 0.0;
    cairn_operator_product(run->op, d, work);
    for (int j = 0; j < run->problem->m; j++) {
        double n = run->row_scale[j];
        pull += run->free_slip[j] * d[j];
        load += run->free_slip[j] * run->free_slip[j] / n;
        length += n * d[j] * d[j];
        image += work[j] * work[j] / n;
    }
    return length > 0.0 && image <= LOCAL_NULL * LOCAL_NULL * length &&
           pull <= -LOCAL_PULL * sqrt(load) * sqrt(length) && pull <= -REACH * sqrt(load) * sqrt(image);
}

bool cairn_run_infeasible(cairn_run *run, const double *direction, double *work) {
    const cairn_problem *p = run->problem;
    double *d = run->work, largest = cairn_norm_max(p->m, direction), pull = 0.0;
    if (!(largest > 0.0) || !isfinite(largest))
        return false;
    /* adhesion a moves the pull by a*u_N >= 0 at most; leave such cases to the limits */
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set == CAIRN_SET_SHIFTED_CONE && p->block[i].adhesion > 0.0)
            return false;
    for (int j = 0; j < p->m; j++)
        d[j] = direction[j] / largest;
    recession(run, d);
    if (p->local ? !is_out_of_reach(run, d, work) : !is_too_fast(run, d))
        return false;
    for (int j = 0; j < p->m; j++)
        pull += (p->local ? run->free_slip[j] : p->b[j]) * d[j];
    run->outcome = CAIRN_INFEASIBLE;
    snprintf(run->note, sizeof run->note,
             "no answer exists: impulses d in the sets with N d = 0 and r'd = %.3g < 0 (largest |d| = 1)", pull);
    return true;
}

/* The search. Columns of the matrix A are (W D_j, b_j/s); those in use have A = Q R. */
typedef struct search {
    int rows, columns, used; /* n + 1 */
    int *row;                /* columns: which row of the problem */
    bool *free;              /* columns: of a joint */
    bool *in, *barred;       /* columns: in use; without gain since the last change */
    int *order;              /* used: column of each place */
    double *A;               /* rows x columns, column by column */
    double *Q;               /* rows x rows, column by column */
    double *R;               /* rows x rows, upper, column by column */
    double *x, *z;           /* columns; rows: d of the columns in use, now and next */
    double *rest;            /* rows: (0, ..., 0, -1) - A d */
    double *d;               /* m */
    double work;             /* multiply-adds so far */
} search;

static void layout(search *s, cairn_arena *arena, int m) {
    size_t rows = (size_t)s->rows, columns = (size_t)s->columns;
    s->row = cairn_arena_take(arena, columns, sizeof *s->row);
    s->order = cairn_arena_take(arena, rows, sizeof *s->order);
    bool **marks[] = {&s->free, &s->in, &s->barred};
    for (int i = 0; i < 3; i++)
        *marks[i] = cairn_arena_take(arena, columns, sizeof **marks[i]);
    s->A = cairn_arena_take(arena, rows * columns, sizeof(double));
    s->Q = cairn_arena_take(arena, rows * rows, sizeof(double));
    s->R = cairn_arena_take(arena, rows * rows, sizeof(double));
    s->x = cairn_arena_take(arena, columns, sizeof(double));
    s->z = cairn_arena_take(arena, rows, sizeof(double));
    s->rest = cairn_arena_take(arena, rows, sizeof(double));
    s->d = cairn_arena_take(arena, (size_t)m, sizeof(double));
}

/* Does row j bind velocities whatever the impulses are? */
static bool binds(const cairn_problem *p, int block, int j) {
    cairn_set_kind set = p->block[block].set;
    bool first = j == p->block_start[block];
    return p->C[j] == 0.0 && (set == CAIRN_SET_BILATERAL || set == CAIRN_SET_NONNEGATIVE ||
                              (first && (cairn_is_contact(set) || set == CAIRN_SET_DUAL_CONE)));
}

static double dot(int count, const double *x, const double *y) {
    double sum[4] = {0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += x[i + l] * y[i + l];
    for (; i < count; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void fill(const cairn_run *run, search *s) {
    const cairn_problem *p = run->problem;
    double *reach = run->reach;
    double size = cairn_norm_max(p->m, p->b);
    int c = 0;
    cairn_problem_reach(p, reach);
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            if (!binds(p, i, j))
                continue;
            double *a = s->A + (size_t)c * (size_t)s->rows;
            for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
                a[p->D.index[e]] = p->D.value[e] / reach[p->D.index[e]];
            a[p->n] = p->b[j] / size;
            s->row[c] = j;
            s->free[c++] = p->block[i].set == CAIRN_SET_BILATERAL;
        }
    s->rest[p->n] = -1.0;
}

/* Column c joins those in use, orthogonalised twice. False: it lies in their span. */
static bool join(search *s, int c) {
    size_t n = (size_t)s->rows, k = (size_t)s->used;
    const double *a = s->A + (size_t)c * n;
    double *q = s->Q + k * n, *r = s->R + k * n, length = sqrt(dot(s->rows, a, a));
    if (s->used == s->rows || length == 0.0)
        return false;
    memcpy(q, a, n * sizeof *q);
    memset(r, 0, n * sizeof *r);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k; i++) {
            double along = dot(s->rows, s->Q + i * n, q);
            r[i] += along;
            for (size_t j = 0; j < n; j++)
                q[j] -= along * s->Q[i * n + j];
        }
    s->work += 4.0 * (double)n * (double)k;
    r[k] = sqrt(dot(s->rows, q, q));
    if (!(r[k] > DEPENDENT * length))
        return false;
    for (size_t j = 0; j < n; j++)
        q[j] /= r[k];
    s->order[s->used++] = c;
    s->in[c] = true;
    return true;
}

/* The column in place k leaves; those behind it join anew. */
static void leave(search *s, int k) {
    int behind = s->used - k - 1;
    s->in[s->order[k]] = false;
    s->x[s->order[k]] = 0.0;
    s->used = k;
    for (int i = 0; i < behind; i++) {
        int c = s->order[k + 1 + i];
        s->in[c] = false;
        if (!join(s, c))
            s->x[c] = 0.0;
    }
}

/* z = the least squares answer with the columns in use, rest with it. */
static void answer(search *s) {
    size_t n = (size_t)s->rows;
    memset(s->rest, 0, n * sizeof *s->rest);
    s->rest[n - 1] = -1.0;
    for (int k = 0; k < s->used; k++) {
        const double *q = s->Q + (size_t)k * n;
        double along = dot(s->rows, q, s->rest);
        s->z[k] = along;
        for (size_t j = 0; j < n; j++)
            s->rest[j] -= along * q[j];
    }
    for (int k = s->used; k-- > 0;) {
        s->z[k] /= s->R[(size_t)k * n + (size_t)k];
        for (int i = 0; i < k; i++)
            s->z[i] -= s->R[(size_t)k * n + (size_t)i] * s->z[k];
    }
    s->work += 3.0 * (double)n * s->used;
}

/* From x to z, or as far as no contact pulls; the first that would pull leaves. True: z was
 * reached. */
static bool advance(search *s) {
    double step = 1.0;
    int first = -1;
    for (int k = 0; k < s->used; k++) {
        double x = s->x[s->order[k]];
        if (s->free[s->order[k]] || s->z[k] > 0.0)
            continue;
        if (first < 0 || x < step * (x - s->z[k])) {
            first = k;
            step = x > 0.0 ? x / (x - s->z[k]) : 0.0;
        }
    }
    for (int k = 0; k < s->used; k++)
        s->x[s->order[k]] += step * (s->z[k] - s->x[s->order[k]]);
    if (first >= 0)
        leave(s, first);
    return first < 0;
}

/* The contact that lowers the sum most for its length; -1: none. */
static int best_column(search *s) {
    int best = -1;
    double most = GAIN;
    for (int c = 0; c < s->columns; c++) {
        const double *a = s->A + (size_t)c * (size_t)s->rows;
        if (s->in[c] || s->barred[c] || s->free[c])
            continue;
        double gain = dot(s->rows, a, s->rest) / sqrt(dot(s->rows, a, a));
        if (gain > most) {
            most = gain;
            best = c;
        }
    }
    s->work += 2.0 * s->rows * s->columns;
    return best;
}

static void minimise(search *s) {
    for (int c = 0; c < s->columns; c++)
        if (s->free[c])
            join(s, c);
    answer(s);
    for (int k = 0; k < s->used; k++)
        s->x[s->order[k]] = s->z[k];
    for (int c = best_column(s); c >= 0 && s->work < WORK_MOST; c = best_column(s)) {
        bool joined = join(s, c);
        if (joined)
            answer(s);
        if (!joined || !(s->z[s->used - 1] > 0.0)) { /* rounding: it gains nothing */
            if (joined)
                leave(s, s->used - 1);
            s->barred[c] = true;
            answer(s);
            continue;
        }
        while (!advance(s) && s->work < WORK_MOST)
            answer(s);
        answer(s);
        memset(s->barred, 0, (size_t)s->columns * sizeof *s->barred);
    }
}

cairn_status cairn_run_prove(cairn_run *run, bool *proven) {
    const cairn_problem *p = run->problem;
    search s = {.rows = p->n + 1};
    *proven = false;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            s.columns += binds(p, i, j);
    if (p->local || p->n >= CAIRN_PROVE_MOST || s.columns == 0 || cairn_norm_max(p->m, p->b) == 0.0)
        return CAIRN_OK;
    cairn_arena arena = {0};
    layout(&s, &arena, p->m);
    cairn_status status = cairn_arena_reserve(run->context, &arena);
    if (status != CAIRN_OK)
        return status;
    layout(&s, &arena, p->m);
    fill(run, &s);
    minimise(&s);
    for (int c = 0; c < s.columns; c++)
        s.d[s.row[c]] = s.x[c];
    *proven = cairn_run_infeasible(run, s.d, run->work2);
    if (*proven) {
        run->finished = true;
        run->verdict = CAIRN_INFEASIBLE;
    }
    cairn_arena_free(run->context, &arena);
    return CAIRN_OK;
}
