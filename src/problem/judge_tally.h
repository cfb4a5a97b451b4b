/*
 * judge_tally.h: what the judge sums up and looks for over the blocks, and its word on one block.
 */
#ifndef CAIRN_PROBLEM_JUDGE_TALLY_H
#define CAIRN_PROBLEM_JUDGE_TALLY_H

#include "data.h"

#include <math.h>

/* A vector's norm over all blocks: with the weights of the natural map, and plain. */
typedef struct cairn_judge_size {
    long double weighted, plain;
} cairn_judge_size;

typedef struct cairn_judge_tally {
    long double worst_velocity, cone, gap, dual; /* largest, largest, sum, largest */
    int worst_block;                             /* -1: none yet */
    long double worst_cone, worst_gap, worst_gamma, worst_slip;
    long double free_slip, slip, terms;     /* largest |r^_i|, |u_i| and terms of r^_i */
    cairn_judge_size residual, r, gamma, u; /* of the natural map's numerator, r^, gamma, u */
    long double terms_norm;                 /* weighted, of the terms of r^ */
    long double idle; /* the natural map of no impulses: weighted square of its numerator; judge_even.c only */
} cairn_judge_tally;

/* Residuals gamma - P(gamma - u~/n) and gamma - P(gamma - u~) of block i, whose scale is n; the figures of the worst block, cone, gap
 * and dual go into sums. gamma, u, residual, residual_plain: dim long, no aliasing. */
void cairn_judge_block(const cairn_problem *problem, int i, long double n, const long double *gamma,
                       const long double *u, long double *residual, long double *residual_plain,
                       cairn_judge_tally *sums);

/* Raises *most to x; a figure that is not a number counts as INFINITY. True: it was raised. */
static inline bool cairn_judge_raise(long double *most, long double x) {
    if (x <= *most)
        return false;
    *most = isnan(x) ? INFINITY : x;
    return true;
}

#endif
