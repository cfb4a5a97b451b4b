/*
 * judge_sparse.h: a sparse factor of H, for the judge.
 */
#ifndef CAIRN_PROBLEM_JUDGE_SPARSE_H
#define CAIRN_PROBLEM_JUDGE_SPARSE_H

#include "../linalg/factor.h"
#include "data.h"

/* Factors H: LDL' or, if H is unsymmetric, LDU.
 * CAIRN_ERROR_NUMERICAL: a pivot is not positive; the message names its row. */
cairn_status cairn_judge_sparse_create(const cairn_problem *problem, cairn_factor **factor);

#endif
