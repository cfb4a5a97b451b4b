/*
 * judge_dense.h: dense long double factors of the diagonal blocks of H, for the judge.
 */
#ifndef CAIRN_PROBLEM_JUDGE_DENSE_H
#define CAIRN_PROBLEM_JUDGE_DENSE_H

#include "data.h"

typedef struct cairn_judge_dense cairn_judge_dense;

/* Factors every body's diagonal block of H: dim^2 numbers and dim^3/3 (LU: 2/3) multiply-adds each.
 * CAIRN_ERROR_NUMERICAL: a block is not positive definite (symmetric H) or singular. */
cairn_status cairn_judge_dense_create(const cairn_problem *problem, cairn_judge_dense **dense);
void cairn_judge_dense_destroy(cairn_judge_dense *dense); /* NULL allowed */

/* x <- H_b^-1 x, x as long as the body has rows. */
void cairn_judge_dense_solve(const cairn_judge_dense *dense, int body, long double *x);

/* x'H_b^-1 x, good to about 1e-15; x as long as the body has rows. */
long double cairn_judge_dense_energy(const cairn_judge_dense *dense, int body, const double *x);

/* 1/sqrt(H_ii) of all n rows where H is symmetric and has nothing off its diagonal within the bodies' blocks; NULL: it has. */
const double *cairn_judge_dense_roots(const cairn_judge_dense *dense);

#endif
