/*
 * inverse.h: the inverse of a small matrix, with a bound of what it is off by.
 */
#ifndef CAIRN_LINALG_INVERSE_H
#define CAIRN_LINALG_INVERSE_H

#define CAIRN_INVERSE_MAX 24 /* rows */

/* G = H^-1 and Z >= |H^-1 - G|, entry by entry, of a positive definite H (size x size, row by row, size <= CAIRN_INVERSE_MAX). Returns -1, or the row where H
 * is not positive definite, or not to the digits of long double. */
int cairn_inverse(int size, const long double *H, long double *G, long double *Z);

#endif
