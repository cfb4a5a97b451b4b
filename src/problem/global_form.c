/*
 * global_form.c: from the local (Delassus) form to a global one with the same N [theory 1], for
 * methods that work on velocities.
 *
 *     N = D'H^-1 D,   D = R,  H^-1 = I + K      R'R: the symmetric part of N,  R'K R: its antisymmetric part
 *
 * R (r x m, r the rank) by Cholesky's algorithm with pivots: the row whose part not yet explained
 * is largest beside its diagonal comes next, until what is left is rounding. K = R_1^-T A R_1^-1 on
 * the rows and columns of the pivots, where R_1 is triangular. Both are exact up to rounding as
 * long as N maps into the range of its symmetric part, as it does when it comes from bodies;
 * otherwise the problem is refused. Dense: m*m + r*m numbers, m r^2 multiply-adds.
 */
#include "problem/problem_data.h"

#include <math.h>
#include <string.h>

#define LEFT_OVER   1e-12 /* of a row's diagonal: the row is explained */
#define NEGATIVE    1e-9  /* of a row's diagonal: N is not positive semidefinite */
#define UNEXPLAINED 1e-9  /* of N: its antisymmetric part reaches outside the range */
#define LIMIT_BYTES 1e9

typedef struct gram {
    const cairn_problem *problem;
    int m, rank;
    double *S;                  /* m x m: symmetric part of N */
    double *A;                  /* m x m: antisymmetric part; NULL for a symmetric N */
    double *R;                  /* m x m, row by row: rank rows are used */
    double *K;                  /* rank x rank, row by row; then H. Unsymmetric N only */
    double *left, *scale, *row; /* m: diagonal not yet explained; its first value; one row of work */
    int *pivot;                 /* m */
} gram;

static void release(gram *g) {
    cairn_context *context = g->problem->context;
    void *owned[] = {g->S, g->A, g->R, g->K, g->left, g->scale, g->row, g->pivot};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(context, owned[i]);
}

static cairn_status take_memory(gram *g) {
    cairn_context *context = g->problem->context;
    size_t m = (size_t)g->m;
    bool both = g->problem->unsymmetric;
    if ((double)m * (double)m * (both ? 4.0 : 2.0) * sizeof(double) > LIMIT_BYTES)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED,
                          "the local form has %d rows, too many for a method that works on velocities", g->m);
    g->S = cairn_alloc(context, m * m, sizeof *g->S);
    g->R = cairn_alloc(context, m * m, sizeof *g->R);
    g->A = both ? cairn_alloc(context, m * m, sizeof *g->A) : NULL;
    g->K = both ? cairn_alloc(context, m * m, sizeof *g->K) : NULL;
    g->left = cairn_alloc(context, m, sizeof *g->left);
    g->scale = cairn_alloc(context, m, sizeof *g->scale);
    g->row = cairn_alloc(context, m, sizeof *g->row);
    g->pivot = cairn_alloc(context, m, sizeof *g->pivot);
    bool all = g->S && g->R && g->left && g->scale && g->row && g->pivot && (!both || (g->A && g->K));
    return all ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static void fill_parts(gram *g) {
    const cairn_csc *N = &g->problem->A;
    size_t m = (size_t)g->m;
    for (int j = 0; j < g->m; j++)
        for (int e = N->start[j]; e < N->start[j + 1]; e++) {
            size_t at = (size_t)N->index[e] * m + (size_t)j, mirror = (size_t)j * m + (size_t)N->index[e];
            g->S[at] += 0.5 * N->value[e];
            g->S[mirror] += 0.5 * N->value[e];
            if (g->A != NULL) {
                g->A[at] += 0.5 * N->value[e];
                g->A[mirror] -= 0.5 * N->value[e];
            }
        }
    for (size_t j = 0; j < m; j++)
        g->left[j] = g->scale[j] = g->S[j * m + j];
}

/* y -= a x */
CAIRN_CLONES static void subtract(int count, double a, const double *restrict x, double *restrict y) {
    for (int i = 0; i < count; i++)
        y[i] -= a * x[i];
}

static int next_pivot(const gram *g) {
    int best = -1;
    double most = LEFT_OVER;
    for (int j = 0; j < g->m; j++)
        if (g->scale[j] > 0.0 && g->left[j] > most * g->scale[j]) {
            most = g->left[j] / g->scale[j];
            best = j;
        }
    return best;
}

static cairn_status explain(gram *g) {
    size_t m = (size_t)g->m;
    for (int p = next_pivot(g); p >= 0 && g->rank < g->m; p = next_pivot(g)) {
        double *row = g->R + (size_t)g->rank * m, root = sqrt(g->left[p]);
        memcpy(row, g->S + (size_t)p * m, m * sizeof *row);
        for (int q = 0; q < g->rank; q++)
            subtract(g->m, g->R[(size_t)q * m + (size_t)p], g->R + (size_t)q * m, row);
        for (size_t j = 0; j < m; j++) {
            row[j] /= root;
            g->left[j] -= row[j] * row[j];
        }
        for (int q = 0; q < g->rank; q++)
            row[g->pivot[q]] = 0.0;
        row[p] = root;
        g->left[p] = 0.0;
        g->pivot[g->rank++] = p;
    }
    for (int j = 0; j < g->m; j++)
        if (!(g->left[j] >= -NEGATIVE * g->scale[j]))
            return cairn_fail(g->problem->context, CAIRN_ERROR_NUMERICAL,
                              "N is not positive semidefinite: row %d has %.2g left of its diagonal %.2g", j,
                              g->left[j], g->scale[j]);
    return CAIRN_OK;
}

static double r_at(const gram *g, int row, int pivot) {
    return g->R[(size_t)row * (size_t)g->m + (size_t)g->pivot[pivot]];
}

/* K = R_1^-T A R_1^-1: K' R_1 = (R_1^-T A)' row by row, twice. */
static void fill_antisymmetric(gram *g) {
    size_t r = (size_t)g->rank, m = (size_t)g->m;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++)
            g->K[i * r + j] = g->A[(size_t)g->pivot[i] * m + (size_t)g->pivot[j]];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < g->rank; i++) { /* K <- R_1^-T K */
            double *row = g->K + (size_t)i * r, d = r_at(g, i, i);
            for (int q = 0; q < i; q++)
                subtract(g->rank, r_at(g, q, i), g->K + (size_t)q * r, row);
            for (size_t j = 0; j < r; j++)
                row[j] /= d;
        }
        for (size_t i = 0; i < r; i++) /* K <- K' */
            for (size_t j = 0; j < i; j++) {
                double t = g->K[i * r + j];
                g->K[i * r + j] = g->K[j * r + i];
                g->K[j * r + i] = t;
            }
    }
}

/* Is R'K R = A? Row by row, with two rows of work. */
static bool explains_antisymmetric(const gram *g, double *work) {
    size_t m = (size_t)g->m, r = (size_t)g->rank;
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < m; i++) {
        memset(work, 0, r * sizeof *work);
        for (size_t q = 0; q < r; q++)
            subtract(g->rank, -g->R[q * m + i], g->K + q * r, work);
        memcpy(g->row, g->A + i * m, m * sizeof *g->row);
        for (size_t q = 0; q < r; q++)
            subtract(g->m, work[q], g->R + q * m, g->row);
        for (size_t j = 0; j < m; j++) {
            double size = sqrt(fmax(g->scale[i] * g->scale[j], 0.0));
            worst = fmax(worst, fabs(g->row[j]));
            largest = fmax(largest, size);
        }
    }
    return worst <= UNEXPLAINED * largest;
}

/* K <- (I + K)^-1 in place, by Gauss and Jordan without pivots: the symmetric part of I + K is
 * I. */
static void invert_unit(int r, double *K) {
    size_t n = (size_t)r;
    for (size_t i = 0; i < n; i++)
        K[i * n + i] += 1.0;
    for (size_t c = 0; c < n; c++) {
        double *row = K + c * n, d = 1.0 / row[c];
        row[c] = 1.0;
        for (size_t j = 0; j < n; j++)
            row[j] *= d;
        for (size_t i = 0; i < n; i++) {
            double f = K[i * n + c];
            if (i == c || f == 0.0)
                continue;
            K[i * n + c] = 0.0;
            subtract(r, f, row, K + i * n);
        }
    }
}

/* Entries of a dense matrix that are not zero; row, col, value have room for all. */
static cairn_sparse list(int rows, int cols, const double *dense, int *row, int *col, double *value) {
    int count = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double x = dense != NULL ? dense[(size_t)i * (size_t)cols + (size_t)j] : i == j ? 1.0 : 0.0;
            if (x == 0.0)
                continue;
            row[count] = i;
            col[count] = j;
            value[count++] = x;
        }
    return (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET,
                          .rows = rows,
                          .cols = cols,
                          .entries = count,
                          .row = row,
                          .col = col,
                          .value = value};
}

static cairn_status build(gram *g, cairn_problem **global) {
    const cairn_problem *p = g->problem;
    cairn_context *context = p->context;
    size_t r = (size_t)g->rank, of_h = g->K != NULL ? r * r : r, of_d = r * (size_t)g->m;
    int *index = cairn_alloc(context, 2 * (of_h + of_d), sizeof *index);
    double *value = cairn_alloc(context, of_h + of_d, sizeof *value);
    int *body = cairn_alloc(context, r / CAIRN_BODY_DIM_MAX + 2, sizeof *body);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (index != NULL && value != NULL && body != NULL) {
        cairn_problem_def def = cairn_default_problem_def();
        def.law = p->law;
        def.n = g->rank;
        def.m = g->m;
        def.H = list(g->rank, g->rank, g->K, index, index + of_h, value);
        def.H_unsymmetric = g->K != NULL;
        def.D = list(g->rank, g->m, g->R, index + 2 * of_h, index + 2 * of_h + of_d, value + of_h);
        def.b = p->b;
        def.C = p->C;
        def.angular = p->angular;
        def.blocks = p->blocks;
        def.block = p->block;
        for (; body[def.bodies] < g->rank; def.bodies++)
            body[def.bodies + 1] = body[def.bodies] + CAIRN_BODY_DIM_MAX < g->rank
                                       ? body[def.bodies] + CAIRN_BODY_DIM_MAX
                                       : g->rank;
        def.body_start = body;
        status = cairn_problem_create(context, &def, global);
    }
    cairn_free(context, index);
    cairn_free(context, value);
    cairn_free(context, body);
    return status;
}

cairn_status cairn_problem_to_global(const cairn_problem *problem, cairn_problem **global) {
    CAIRN_ASSERT(problem->local);
    gram g = {.problem = problem, .m = problem->m};
    cairn_status status = take_memory(&g);
    if (status == CAIRN_OK) {
        fill_parts(&g);
        status = explain(&g);
    }
    if (status == CAIRN_OK && g.rank == 0)
        status = cairn_fail(problem->context, CAIRN_ERROR_UNSUPPORTED,
                            "N is zero: there is nothing for a method that works on velocities");
    if (status == CAIRN_OK && g.A != NULL) {
        fill_antisymmetric(&g);
        if (explains_antisymmetric(&g, g.S)) /* S is no more needed */
            invert_unit(g.rank, g.K);
        else
            status = cairn_fail(problem->context, CAIRN_ERROR_UNSUPPORTED,
                                "the unsymmetric part of N reaches outside the range of its symmetric part");
    }
    if (status == CAIRN_OK)
        status = build(&g, global);
    release(&g);
    return status;
}

void cairn_problem_copy_data(const cairn_problem *from, cairn_problem *to) {
    CAIRN_ASSERT(from->m == to->m && from->blocks == to->blocks);
    memcpy(to->b, from->b, (size_t)from->m * sizeof *to->b);
    memcpy(to->block, from->block, (size_t)from->blocks * sizeof *to->block);
    to->law = from->law;
}
