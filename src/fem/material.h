/*
 * material.h: the table of laws. The next material is one file and one row.
 *
 *     energy density psi(F), stress P = dpsi/dF (first Piola-Kirchhoff), tangent A = d2psi/dF2        F = dx/dX
 *
 * Matrices of three are nine numbers row by row; A is 9 x 9 over these, symmetric.
 */
#ifndef CAIRN_FEM_MATERIAL_H
#define CAIRN_FEM_MATERIAL_H

#include "../base/core.h"

#include <cairn/fem.h>

typedef struct cairn_fem_stuff cairn_fem_stuff;

typedef struct cairn_fem_law_row {
    const char *name;
    /* Returns psi; P (9) and A (81) when not NULL. A is made positive semidefinite when stuff->project. */
    double (*point)(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
} cairn_fem_law_row;

/* A material as the elements need it. */
struct cairn_fem_stuff {
    const cairn_fem_law_row *law;
    double lambda, mu; /* Lame's constants, Pa */
    double E, density, radius;
    double damping_mass, damping_stiffness;
    bool consistent, project;
};

/* NULL: no such law. */
const cairn_fem_law_row *cairn_fem_law_of(cairn_fem_law law);
/* Checks; the message names the number of the material. */
cairn_status cairn_fem_stuff_of(cairn_context *context, int number, const cairn_fem_material *material,
                                cairn_fem_stuff *stuff);

double cairn_fem_corotational(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
double cairn_fem_linear(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
double cairn_fem_svk(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
double cairn_fem_neo_hookean(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);

#endif
