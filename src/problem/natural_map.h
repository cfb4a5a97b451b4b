/*
 * natural_map.h: figures that other programs and the first edition of the certificate tell. They
 * decide nothing.
 */
#ifndef CAIRN_PROBLEM_NATURAL_MAP_H
#define CAIRN_PROBLEM_NATURAL_MAP_H

#include "problem/problem_data.h"

/* |gamma - P(gamma - u~/n)| / max(|r|, |gamma|, |u|), lengths in the metric of the scales n
 * (blocks, NULL: 1), r (m) the free velocities; round: with round cones in place of polyhedral
 * ones. */
double cairn_natural_map(const cairn_problem *problem, const double *scale, bool round, const double *r,
                         const double *gamma, const double *u);

#endif
