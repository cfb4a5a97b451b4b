/*
 * judge_mass.h: the judge's access to H^-1: products, solves with refinement, block scales.
 */
#ifndef CAIRN_PROBLEM_JUDGE_MASS_H
#define CAIRN_PROBLEM_JUDGE_MASS_H

#include "data.h"

#include "../linalg/factor.h"

typedef struct cairn_judge_mass cairn_judge_mass;

/* Factors H of a global problem, which must outlive the object. CAIRN_ERROR_NUMERICAL: H is not positive definite
 * (symmetric) or singular (unsymmetric); the message names the row. lent: a factor of H for the sparse case, which must outlive the
 * object, or NULL: make one. */
cairn_status cairn_judge_mass_create(const cairn_problem *problem, cairn_factor *lent, cairn_judge_mass **mass);
void cairn_judge_mass_destroy(cairn_judge_mass *mass); /* NULL allowed */

/* x = H^-1 rhs, both n long, no aliasing; refined against the true H. Allocates nothing. CAIRN_ERROR_NUMERICAL: the
 * backward error stays above 1e-10. */
cairn_status cairn_judge_mass_solve(cairn_judge_mass *mass, const long double *rhs, long double *x);

/* scale[i] = n_i = trace(N_ii)/dim of every block, N_ii = D_i' blockdiag(H)^-1 D_i + C_i and, where H couples bodies, what judge_pieces.h adds; 1
 * where that is 0. Takes memory for as long as it runs where H couples bodies. */
cairn_status cairn_judge_mass_scales(const cairn_judge_mass *mass, long double *scale);

/* y += A x, A = H or N; x and y do not alias. */
void cairn_judge_multiply(const cairn_problem *problem, const long double *x, long double *y);

/* y = the rows of one body of D gamma; y as long as the body has rows. */
void cairn_judge_load(const cairn_problem *problem, int body, const double *gamma, long double *y);

/* cairn_judge_create with a factor of a sparse H that its owner keeps until the judge is gone; NULL: the judge makes its own. Every solve
 * begins with the factor and is refined against H itself, with residuals of the judge's own: a wrong factor costs steps,
 * or the certificate (CAIRN_ERROR_NUMERICAL), but never makes it wrong. */
cairn_status cairn_judge_create_lent(const cairn_problem *problem, cairn_factor *lent, cairn_judge **judge);
/* Natural map of no impulses, to a few digits, where the last run came by it; below zero: not known. */
double cairn_judge_idle_map(const cairn_judge *judge);

#endif
