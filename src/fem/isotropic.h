/*
 * isotropic.h: laws given by their principal stretches: psi(F) = psi(s1, s2, s3), symmetric in the three.
 */
#ifndef CAIRN_FEM_ISOTROPIC_H
#define CAIRN_FEM_ISOTROPIC_H

#include "material.h"

/* Of a law at stretches s. Pair k is the two stretches i, j other than s_k. */
typedef struct cairn_principal {
    double energy;
    double first[3];  /* dpsi/ds_i */
    double second[9]; /* d2psi/ds_i ds_j */
    double flip[3];   /* pair k: (psi_i - psi_j)/(s_i - s_j), its limit where they are equal */
    double twist[3];  /* pair k: (psi_i + psi_j)/(s_i + s_j), likewise */
} cairn_principal;
typedef void (*cairn_principal_law)(const cairn_fem_stuff *stuff, const double s[3], cairn_principal *out);

/* Energy, P and A (NULL: not wanted) of such a law. */
double cairn_fem_isotropic(const cairn_fem_stuff *stuff, cairn_principal_law law, const double *F, double *P,
                           double *A);

#endif
