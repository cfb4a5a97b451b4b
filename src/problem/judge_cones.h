/*
 * judge_cones.h: the judge's own projections, distances and support functions, one block at a time.
 *
 * Nothing here is shared with the solvers' sets: a wrong projection there must not pass here. All figures are
 * long double, so that the judge's own rounding stays below that of the answers it reads.
 */
#ifndef CAIRN_PROBLEM_JUDGE_CONES_H
#define CAIRN_PROBLEM_JUDGE_CONES_H

#include <cairn/problem.h>

/* p = nearest point of the block's set to z; both dim long, no aliasing. */
void cairn_judge_project(const cairn_block *block, const long double *z, long double *p);

/* Distance of x (dim) to the block's set. */
long double cairn_judge_distance(const cairn_block *block, const long double *x);

/* max_j -d_j'u_T over the directions of a polyhedral cone; u_T: dim - 1 components. */
long double cairn_judge_poly_reach(const cairn_block *block, const long double *u_T);
/* p = nearest point of a polyhedral cone to z; both dim long, no aliasing. */
void cairn_judge_poly_project(const cairn_block *block, const long double *z, long double *p);

/* Support function sigma(d) = sup { d'x : x in the set } at d = -u. Where it is infinite it is taken at the nearest
 * point of its domain, and *outside is the distance of d to that domain. Returns false, and leaves both untouched,
 * when the support is not known (custom sets without it, or where theirs is infinite). */
bool cairn_judge_support(const cairn_block *block, const long double *u, long double *sigma, long double *outside);

#endif
