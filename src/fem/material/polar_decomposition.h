/*
 * polar_decomposition.h: rotations and principal stretches of 3 x 3 matrices (nine numbers, row by row).
 */
#ifndef CAIRN_FEM_MATERIAL_POLAR_DECOMPOSITION_H
#define CAIRN_FEM_MATERIAL_POLAR_DECOMPOSITION_H

/* The rotation R (det R = 1) nearest to F, and S = R'F, symmetric up to rounding. Works for every finite F, flat and turned inside out too: there
 * S has a negative eigenvalue. Where several rotations are as near, one of them. */
void cairn_polar(const double F[9], double R[9], double S[9]);
/* A (n x n, symmetric, destroyed): eigenvalues on its diagonal, eigenvectors in the columns of V. */
void cairn_eigen(int n, double *A, double *V);
/* S = V diag(sigma) V', S symmetric; V orthogonal, no order. */
void cairn_eigen3(const double S[9], double V[9], double sigma[3]);
/* F = U diag(sigma) V' with det U V' = 1: at most one sigma is negative. */
void cairn_stretches(const double F[9], double U[9], double V[9], double sigma[3]);

#endif
