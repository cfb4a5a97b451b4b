/*
 * lanczos.h: extreme eigenvalues of a symmetric operator that is known by its products alone.
 */
#ifndef CAIRN_LINALG_LANCZOS_H
#define CAIRN_LINALG_LANCZOS_H

#include "base/core.h"

#define CAIRN_LANCZOS_STEPS 100 /* most */

/* y = M x, both of size n; x and y do not alias. */
typedef void (*cairn_lanczos_product)(void *user, const double *x, double *y);

typedef struct cairn_extremes {
    double smallest, largest; /* of the operator on the space searched: never outside its spectrum, but for rounding */
    double upper;             /* no eigenvalue is above it; holds for positive semidefinite operators, see lanczos.c */
    int steps;                /* products taken */
} cairn_extremes;

/* Runs at most steps (1 .. CAIRN_LANCZOS_STEPS) products. work: 3 n doubles. n = 0: all zero.
 * Equal operators give equal bits. Values that are not finite come out as NAN. Allocates
 * nothing. */
cairn_extremes cairn_lanczos(int n, int steps, cairn_lanczos_product multiply, void *user, double *work);

/* T: symmetric tridiagonal, diagonal d (n), off-diagonal e (n; e[i] couples i - 1 and i, e[0] is
 * not used). */
/* How many eigenvalues of T are below x. */
int cairn_sturm_count(int n, const double *d, const double *e, double x);
/* Eigenvalue number k of T, rising from 0, by bisection down to rounding. n > 0. */
double cairn_sturm_eigenvalue(int n, const double *d, const double *e, int k);

#endif
