/*
 * small_inverse.h: the inverse of a small matrix, with a bound of what it is off by.
 */
#ifndef CAIRN_LINALG_SMALL_INVERSE_H
#define CAIRN_LINALG_SMALL_INVERSE_H

#define CAIRN_INVERSE_MAX 24 /* rows */

/* G = H^-1 of a positive definite H (size x size, row by row, size <= CAIRN_INVERSE_MAX), and z
 * (size) with |H^-1 - G|_jl <= z_j z_l. Returns -1, or the row where H is not positive definite,
 * or not to the digits of long double: then z is not to be used. */
int cairn_inverse(int size, const double *H, long double *G, double *z);

#endif
