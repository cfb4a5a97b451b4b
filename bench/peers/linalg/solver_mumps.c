/*
 * solver_mumps.c: MUMPS without message passing, SYM = 1 (symmetric, pivots as they come), ordered by METIS.
 */
#include "solvers.h"

#ifdef PEER_MUMPS
#include <dmumps_c.h>

#include <string.h>

enum { JOB_BEGIN = -1, JOB_ANALYZE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3, USE_COMM_WORLD = -987654 };

static void *analyze(const linear_system *a) {
    DMUMPS_STRUC_C *m = bench_need(1, sizeof *m);
    int room = a->A.start[a->A.cols], count = 0;
    m->job = JOB_BEGIN;
    m->par = 1;
    m->sym = 1;
    m->comm_fortran = USE_COMM_WORLD;
    dmumps_c(m);
    m->irn = bench_need((size_t)room, sizeof *m->irn);
    m->jcn = bench_need((size_t)room, sizeof *m->jcn);
    m->a = bench_need((size_t)room, sizeof *m->a);
    for (int j = 0; j < a->A.cols; j++)
        for (int k = a->A.start[j]; k < a->A.start[j + 1]; k++)
            if (a->A.index[k] >= j) {
                m->irn[count] = a->A.index[k] + 1;
                m->jcn[count] = j + 1;
                m->a[count++] = a->A.value[k];
            }
    m->n = a->A.cols;
    m->nnz = count;
    for (int i = 0; i < 4; i++) /* ICNTL(1) to (4): no messages */
        m->icntl[i] = i == 3 ? 0 : -1;
    m->icntl[6] = 5;  /* ICNTL(7): METIS */
    m->icntl[12] = 1; /* ICNTL(13): no parallel root */
    m->job = JOB_ANALYZE;
    dmumps_c(m);
    return m->infog[0] >= 0 ? m : NULL;
}

static bool factor(void *data, const linear_system *a) {
    DMUMPS_STRUC_C *m = data;
    (void)a;
    m->job = JOB_FACTOR;
    dmumps_c(m);
    return m->infog[0] >= 0;
}

static bool solve(void *data, const double *b, double *x) {
    DMUMPS_STRUC_C *m = data;
    memcpy(x, b, (size_t)m->n * sizeof *x);
    m->rhs = x;
    m->job = JOB_SOLVE;
    dmumps_c(m);
    return m->infog[0] >= 0;
}

/* INFOG(9): entries, in millions when negative. */
static double entries(void *data) {
    DMUMPS_STRUC_C *m = data;
    return m->infog[8] < 0 ? -1e6 * m->infog[8] : m->infog[8];
}

#define ANALYZE analyze
#else
#define ANALYZE NULL
#define factor  NULL
#define solve   NULL
#define entries NULL
#endif

const linear_solver solver_mumps = {"mumps", "MUMPS, sequential, SYM = 1, METIS", ANALYZE, factor, solve, entries};
