/*
 * dense_spectrum.h: dense linear algebra for the analysis of a problem: eigenvalues, ranks, an
 * envelope factor.
 */
#ifndef CAIRN_PROBLEM_ANALYSIS_DENSE_SPECTRUM_H
#define CAIRN_PROBLEM_ANALYSIS_DENSE_SPECTRUM_H

#include "linalg/lanczos.h"
#include "problem/problem_data.h"

/* Householder's reduction of the symmetric A (n x n, column by column, lower triangle read,
 * destroyed) to a tridiagonal matrix T with the same eigenvalues: diagonal d (n), off-diagonal e
 * (n; e[i] couples i - 1 and i, e[0] is not used). */
void cairn_tridiagonalize(int n, double *A, double *d, double *e);

/* Rank of A (rows x cols, column by column, destroyed) by Householder QR with column pivoting;
 * column norms at or below tolerance times the first one count as 0. norm (cols) is work. */
int cairn_rank_qr(int rows, int cols, double *A, double tolerance, double *norm);

/* Rank of the symmetric positive semidefinite A (n x n, column by column, lower triangle read,
 * destroyed) by Cholesky with pivoting; pivots at or below tolerance times the largest diagonal
 * entry count as 0. */
int cairn_rank_cholesky(int n, double *A, double tolerance);

/* H = L L' of the symmetric part of H, row by row from each row's first entry on: cheap for
 * diagonal and blocked H. */
typedef struct cairn_envelope {
    int n;
    int *first;    /* n: first column of each row */
    size_t *start; /* n + 1: where each row begins in value */
    double *value;
} cairn_envelope;
/* CAIRN_ERROR_NUMERICAL: not positive definite. On failure L is empty. */
cairn_status cairn_envelope_create(cairn_context *context, const cairn_csc *H, cairn_envelope *L);
void cairn_envelope_free(cairn_context *context, cairn_envelope *L);
void cairn_envelope_forward(const cairn_envelope *L, double *x); /* x (n) <- L^-1 x */

#endif
