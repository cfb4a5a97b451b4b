/*
 * solver_cholmod.c: CHOLMOD's supernodal Cholesky factorisation. Needs a definite matrix: for K, and for S with joints, it
 * says that it failed.
 */
#include "solvers.h"

#ifdef PEER_CHOLMOD
#include <cholmod.h>

#include <string.h>

typedef struct state {
    cholmod_common common;
    cholmod_sparse matrix; /* lower triangle, a copy */
    cholmod_factor *factor;
    cholmod_dense *x, *y, *e;
    size_t n;
} state;

/* The lower triangle of compressed columns. */
static void copy_lower(const sparse *a, cholmod_sparse *lower) {
    int *start = bench_need((size_t)a->cols + 1, sizeof *start), entries = 0;
    int *index = bench_need((size_t)a->start[a->cols], sizeof *index);
    double *value = bench_need((size_t)a->start[a->cols], sizeof *value);
    for (int j = 0; j < a->cols; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (a->index[k] >= j) {
                index[entries] = a->index[k];
                value[entries++] = a->value[k];
            }
        start[j + 1] = entries;
    }
    *lower = (cholmod_sparse){.nrow = (size_t)a->rows,
                              .ncol = (size_t)a->cols,
                              .nzmax = (size_t)entries,
                              .p = start,
                              .i = index,
                              .x = value,
                              .stype = -1,
                              .itype = CHOLMOD_INT,
                              .xtype = CHOLMOD_REAL,
                              .dtype = CHOLMOD_DOUBLE,
                              .sorted = 1,
                              .packed = 1};
}

static void *analyze(const linear_system *a) {
    state *s = bench_need(1, sizeof *s);
    cholmod_start(&s->common);
    s->common.supernodal = CHOLMOD_SUPERNODAL;
    s->common.print = 0;
    s->n = (size_t)a->A.cols;
    copy_lower(&a->A, &s->matrix);
    s->factor = cholmod_analyze(&s->matrix, &s->common);
    return s->factor != NULL ? s : NULL;
}

static bool factor(void *data, const linear_system *a) {
    state *s = data;
    (void)a;
    return cholmod_factorize(&s->matrix, s->factor, &s->common) && s->common.status == CHOLMOD_OK;
}

static bool solve(void *data, const double *b, double *x) {
    state *s = data;
    cholmod_dense right = {.nrow = s->n,
                           .ncol = 1,
                           .nzmax = s->n,
                           .d = s->n,
                           .x = (void *)(size_t)b,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_solve2(CHOLMOD_A, s->factor, &right, NULL, &s->x, NULL, &s->y, &s->e, &s->common))
        return false;
    memcpy(x, s->x->x, s->n * sizeof *x);
    return true;
}

static double entries(void *data) {
    state *s = data;
    return s->common.lnz - (double)s->n;
}

#define ANALYZE analyze
#else
#define ANALYZE NULL
#define factor  NULL
#define solve   NULL
#define entries NULL
#endif

const linear_solver solver_cholmod = {
    "cholmod", "CHOLMOD, supernodal Cholesky, its own choice of order", ANALYZE, factor, solve, entries};
