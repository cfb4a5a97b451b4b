/*
 * block_solve.h: the problem of one block with all the others held fixed.
 */
#ifndef CAIRN_SOLVE_SWEEP_BLOCK_SOLVE_H
#define CAIRN_SOLVE_SWEEP_BLOCK_SOLVE_H

#include <cairn/problem.h>

/* What a block brings to its own problem. */
typedef struct cairn_block_solver {
    const cairn_block *block;
    bool coulomb;          /* the exact law; used by the two Coulomb cones only */
    const double *N;       /* dim x dim: symmetric part of N_ii */
    const double *inverse; /* dim x dim: (N_ii + tiny I)^-1; bilateral only, else NULL */
    double scale;          /* n_i > 0 */
} cairn_block_solver;

/* Finds gamma in the set with -(u + Phi(u)) in its normal cone at gamma, u = N gamma + q. gamma
 * (dim): in the last value, out the new one; q (dim). Exact to rounding for bilateral rows,
 * cones and shifted cones and for dim 1, a few sweeps or projected steps for the others. Where
 * no answer exists gamma moves one projected step, so that it grows. */
void cairn_block_solve(const cairn_block_solver *local, const double *q, double *gamma);

/* inverse (dim x dim) of N + tiny*scale*I, N symmetric positive semidefinite. */
void cairn_block_invert(int dim, const double *N, double scale, double *inverse);

/* Contact (normal, tangents), dim 2 or 3, |gamma_T| <= mu gamma_N. False: no answer (N_NN = 0,
 * and q pulls). */
bool cairn_block_solve_cone(int dim, double mu, bool coulomb, const double *N, const double *q, double *gamma);

#endif
