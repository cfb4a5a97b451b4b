/*
 * solvers.h: the contestants of the race of factorisations, each behind three calls.
 *
 * All of them keep the symbolic analysis between factorisations, run on one thread and get the same matrix. A contestant runs in a
 * process of its own, whose end frees everything. Contestants that were not found when this was built have analyze = NULL.
 */
#ifndef CAIRN_PEERS_SOLVERS_H
#define CAIRN_PEERS_SOLVERS_H

#include "matrices.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct linear_solver {
    const char *name;
    const char *note;                         /* one line for the head of the table */
    void *(*analyze)(const linear_system *a); /* order and symbolic work; NULL: failed */
    bool (*factor)(void *state, const linear_system *a);
    bool (*solve)(void *state, const double *b, double *x);
    double (*entries)(
        void *state); /* of the factor, below the diagonal or all of it, as the solver counts; 0: unknown */
} linear_solver;

extern const linear_solver solver_cairn, solver_cholmod, solver_ldl, solver_mumps, solver_eigen_ldlt, solver_eigen_lu,
    solver_study;

#ifdef __cplusplus
}
#endif
#endif
