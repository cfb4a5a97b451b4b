/*
 * principal_stretch.h: laws given by their principal stretches: psi(F) = psi(s1, s2, s3), symmetric in the three.
 */
#ifndef CAIRN_FEM_MATERIAL_PRINCIPAL_STRETCH_H
#define CAIRN_FEM_MATERIAL_PRINCIPAL_STRETCH_H

#include "fem/material/material.h"

/* Energy, P and A (NULL: not wanted) of such a law. */
double cairn_fem_isotropic(const cairn_fem_stuff *stuff, cairn_principal_law law, const double *F, double *P,
                           double *A);

#endif
