/*
 * kkt.h: the saddle-point system of [T21 (36)], factored and solved.
 *
 *     [ H    D         ] [  v     ]   [ p ]
 *     [ D'  -Theta - C ] [ -gamma ] = [ q ]
 *
 * For the local form: (N + Theta + C) gamma = q; p and v are not used.
 */
#ifndef CAIRN_PROBLEM_KKT_H
#define CAIRN_PROBLEM_KKT_H

#include "data.h"

typedef struct cairn_kkt cairn_kkt;

/* Symbolic work and all memory. */
cairn_status cairn_kkt_create(const cairn_problem *problem, cairn_kkt **out);
void cairn_kkt_destroy(cairn_kkt *kkt);

/* Numeric factorisation for theta (m, > 0). CAIRN_ERROR_NUMERICAL when a pivot is bad. Allocates nothing. */
cairn_status cairn_kkt_factor(cairn_kkt *kkt, const double *theta);

/* p (n), q (m) -> v (n), gamma (m); no aliasing. Refined against the full matrix: the first solve after a
 * factorisation measures the componentwise backward error and sets how many steps of refinement the following ones
 * take. CAIRN_ERROR_NUMERICAL when the answer is not finite. Allocates nothing. */
cairn_status cairn_kkt_solve(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma);

/* Of the last measured solve, after refinement. */
double cairn_kkt_backward_error(const cairn_kkt *kkt);
/* Back-substitutions so far, refinement included. */
int cairn_kkt_solves(const cairn_kkt *kkt);
int64_t cairn_kkt_entries(const cairn_kkt *kkt); /* of the factor */

#endif
