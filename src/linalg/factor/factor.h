/*
 * factor.h: unpivoted sparse factorisation of matrices with symmetric pattern.
 *
 *     symmetric:    P A P' = L D L'      quasi-definite or definite A: exists for every order
 *     unsymmetric:  P A P' = L D U       pattern symmetric, values not; exists when the symmetric part of A, or of
 *                                        A with some rows negated, is positive definite
 *
 * The order P comes from AMD on the quotient graph: one vertex a group (body, node, joint) of rows.
 * Symbolic work (analyze) is apart from numeric work (numeric) and kept while the pattern stays.
 * Numeric and solve use the threads of the context; the bits are the same for every number of
 * threads. Where only some groups change between two factorisations, renew does the part of numeric
 * that they reach.
 */
#ifndef CAIRN_LINALG_FACTOR_FACTOR_H
#define CAIRN_LINALG_FACTOR_FACTOR_H

#include "base/core.h"

typedef struct cairn_factor cairn_factor;

/* Pattern: n columns, start (n + 1), index sorted in each column, BOTH triangles, every diagonal
 * entry present, structurally symmetric (checked: CAIRN_ERROR_ARGUMENT). group_start (groups +
 * 1) cuts 0..n-1 into groups of consecutive rows; NULL: every row its own group. Takes all
 * memory that numeric and solve need. */
cairn_status cairn_factor_analyze(cairn_context *context, int n, const int *start, const int *index, int groups,
                                  const int *group_start, bool symmetric, cairn_factor **factor);
/* Analyzes as cairn_factor_analyze does, or returns CAIRN_ERROR_UNSUPPORTED, without a message,
 * when the numbers would take more than most bytes. changing (groups): not 0 for groups whose
 * blocks with each other change from one factorisation to the next (cairn_factor_renew); NULL:
 * all of them. */
cairn_status cairn_factor_analyze_within(cairn_context *context, int n, const int *start, const int *index, int groups,
                                         const int *group_start, bool symmetric, size_t most,
                                         const unsigned char *changing, cairn_factor **factor);

/* Values in the order of index. sign: expected sign of each pivot in the original order (+1, -1,
 * 0: any), or NULL for all +1. A pivot that is not finite, has the wrong sign, or is tinier than
 * n*eps*(largest |entry| of that row of A) and than n*eps*(the |terms| that it is the sum of) is
 * CAIRN_ERROR_NUMERICAL and the factor is unusable until the next success. Allocates nothing. */
cairn_status cairn_factor_numeric(cairn_factor *factor, const double *value, const signed char *sign);

/* Factors values that differ from those of the last numeric or renew only in blocks of two
 * changing groups. Panels that no such block reaches are kept, with their updates of others. The
 * bits are those of numeric. The caller answers for it that nothing else differs. The first
 * call, and every call where nothing is kept, is numeric. Allocates nothing. */
cairn_status cairn_factor_renew(cairn_factor *factor, const double *value, const signed char *sign);

/* x <- A^-1 x. Allocates nothing. */
void cairn_factor_solve(cairn_factor *factor, double *x);
/* Solves for count vectors x, x + stride, ...: the bits of solving one by one, in less time.
 * stride >= n. */
void cairn_factor_solve_many(cairn_factor *factor, int count, double *x, int64_t stride);

int64_t
cairn_factor_entries(const cairn_factor *factor);      /* entries of L below the diagonal (of L and U if unsymmetric) */
double cairn_factor_flops(const cairn_factor *factor); /* multiply-adds of one numeric factorisation */
double
cairn_factor_renew_flops(const cairn_factor *factor);  /* of one renewal; those of numeric where nothing is kept */
size_t cairn_factor_bytes(const cairn_factor *factor); /* of its numbers */
bool cairn_factor_partial(const cairn_factor *factor); /* the last factorisation has kept something */
int cairn_factor_negative_pivots(const cairn_factor *factor); /* of the last numeric factorisation */
int cairn_factor_failed_row(const cairn_factor *factor);      /* original row of the last bad pivot, -1: none */
void cairn_factor_destroy(cairn_factor *factor);

#endif
