/*
 * solver_ldl.c: LDL of SuiteSparse, scalar and up-looking, ordered by AMD.
 */
#include "solvers.h"

#ifdef PEER_LDL
#include <amd.h>
#include <ldl.h>

typedef struct state {
    int n;
    int *p, *inverse, *parent, *count, *flag, *start, *index, *pattern;
    double *value, *d, *y;
} state;

static void *analyze(const linear_system *a) {
    state *s = bench_need(1, sizeof *s);
    size_t n = (size_t)a->A.cols;
    s->n = a->A.cols;
    s->p = bench_need(n, sizeof(int));
    s->inverse = bench_need(n, sizeof(int));
    s->parent = bench_need(n, sizeof(int));
    s->count = bench_need(n, sizeof(int));
    s->flag = bench_need(n, sizeof(int));
    s->pattern = bench_need(n, sizeof(int));
    s->start = bench_need(n + 1, sizeof(int));
    s->d = bench_need(n, sizeof(double));
    s->y = bench_need(n, sizeof(double));
    if (amd_order(s->n, a->A.start, a->A.index, s->p, NULL, NULL) < AMD_OK)
        return NULL;
    ldl_symbolic(s->n, a->A.start, a->A.index, s->start, s->parent, s->count, s->flag, s->p, s->inverse);
    s->index = bench_need((size_t)s->start[n], sizeof(int));
    s->value = bench_need((size_t)s->start[n], sizeof(double));
    return s;
}

static bool factor(void *data, const linear_system *a) {
    state *s = data;
    return ldl_numeric(s->n, a->A.start, a->A.index, a->A.value, s->start, s->parent, s->count, s->index, s->value,
                       s->d, s->y, s->pattern, s->flag, s->p, s->inverse) == s->n;
}

static bool solve(void *data, const double *b, double *x) {
    state *s = data;
    ldl_perm(s->n, s->y, (double *)(size_t)b, s->p);
    ldl_lsolve(s->n, s->y, s->start, s->index, s->value);
    ldl_dsolve(s->n, s->y, s->d);
    ldl_ltsolve(s->n, s->y, s->start, s->index, s->value);
    ldl_permt(s->n, x, s->y, s->p);
    for (int i = 0; i < s->n; i++) /* numeric expects it zero */
        s->y[i] = 0.0;
    return true;
}

static double entries(void *data) {
    state *s = data;
    return s->start[s->n];
}

#define ANALYZE analyze
#else
#define ANALYZE NULL
#define factor  NULL
#define solve   NULL
#define entries NULL
#endif

const linear_solver solver_ldl = {"ldl", "LDL of SuiteSparse, AMD", ANALYZE, factor, solve, entries};
