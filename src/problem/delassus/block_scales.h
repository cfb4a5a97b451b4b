/*
 * block_scales.h: n_i = trace(N_ii)/dim, 1/kg: what an impulse on a block does to its own velocity.
 */
#ifndef CAIRN_PROBLEM_DELASSUS_BLOCK_SCALES_H
#define CAIRN_PROBLEM_DELASSUS_BLOCK_SCALES_H

#include "problem/mass_components.h"

/* scale (blocks). G: inverses of the bodies' blocks of H, row by row, that of a body from
 * start[body] on; pieces: of an H that couples bodies, else NULL. The local form reads N alone.
 * 1 where the trace is no positive number. */
void cairn_problem_scales(const cairn_problem *problem, const int64_t *start, const double *G,
                          const cairn_mass_components *pieces, double *scale);

#endif
