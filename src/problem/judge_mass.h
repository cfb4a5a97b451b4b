/*
 * judge_mass.h: the judge's access to H^-1: products, solves with refinement, block scales.
 */
#ifndef CAIRN_PROBLEM_JUDGE_MASS_H
#define CAIRN_PROBLEM_JUDGE_MASS_H

#include "data.h"

typedef struct cairn_judge_mass cairn_judge_mass;

/* Factors H of a global problem, which must outlive the object. CAIRN_ERROR_NUMERICAL: H is not positive definite
 * (symmetric) or singular (unsymmetric); the message names the row. */
cairn_status cairn_judge_mass_create(const cairn_problem *problem, cairn_judge_mass **mass);
void cairn_judge_mass_destroy(cairn_judge_mass *mass); /* NULL allowed */

/* x = H^-1 rhs, both n long, no aliasing; refined against the true H. Allocates nothing. CAIRN_ERROR_NUMERICAL: the
 * backward error stays above 1e-10. */
cairn_status cairn_judge_mass_solve(cairn_judge_mass *mass, const long double *rhs, long double *x);

/* scale[i] = n_i = trace(N_ii)/dim of every block, N_ii = D_i' blockdiag(H)^-1 D_i + C_i; 1 where that is 0. */
void cairn_judge_mass_scales(const cairn_judge_mass *mass, long double *scale);

/* y += A x with compressed columns of A; x (cols) and y (rows) do not alias. */
void cairn_judge_multiply(const cairn_csc *A, const long double *x, long double *y);

#endif
