/*
 * judge_sums.h: the judge's norms and sums, in long double, without overflow or underflow on the way.
 */
#ifndef CAIRN_PROBLEM_JUDGE_SUMS_H
#define CAIRN_PROBLEM_JUDGE_SUMS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* A sum of squares this large has lost nothing that matters to underflow, and nothing to overflow. */
static inline bool cairn_judge_is_safe(long double sum) {
    return sum >= LDBL_MIN / (LDBL_EPSILON * LDBL_EPSILON) && sum <= LDBL_MAX;
}

long double cairn_judge_careful_norm(int dim, const long double *x); /* for all sums */

/* Euclidean norm of x (dim); INFINITY when an entry is not finite. */
static inline long double cairn_judge_norm(int dim, const long double *x) {
    long double sum = 0.0L;
    for (int i = 0; i < dim; i++)
        sum += x[i] * x[i];
    return cairn_judge_is_safe(sum) ? sqrtl(sum) : cairn_judge_careful_norm(dim, x);
}

/* Norm of (weight_i x_j), block i holding the rows start[i] to start[i + 1] - 1; weight NULL: all 1. weight > 0. */
long double cairn_judge_block_norm(int blocks, const int *start, const long double *weight, const long double *x);

/* sqrt(x'y) for y = H^-1 x or x = H^-1 y with a positive definite H, so that x'y >= 0 but for rounding. */
long double cairn_judge_energy_norm(int n, const long double *x, const long double *y);

/* A sum of sizes of terms: doubles below this have fewer digits, or come from sums that had, so such a sum is as uncertain as one of this size. */
#define CAIRN_JUDGE_LEAST ((long double)DBL_MIN / (long double)DBL_EPSILON)

static inline long double cairn_judge_at_least(long double sum) {
    return sum > 0.0L && sum < CAIRN_JUDGE_LEAST ? CAIRN_JUDGE_LEAST : sum;
}

/* figure, or INFINITY when it is not a number. */
double cairn_judge_told(long double figure);

/* above / below with 0/0 = 0; INFINITY where the quotient says nothing. */
double cairn_judge_quotient(long double above, long double below);

#endif
