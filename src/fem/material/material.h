/*
 * material.h: the table of laws. The next material is one file and one row.
 *
 *     energy density psi(F), stress P = dpsi/dF (first Piola-Kirchhoff), tangent A = d2psi/dF2        F = dx/dX
 *
 * Matrices of three are nine numbers row by row; A is 9 x 9 over these, symmetric.
 */
#ifndef CAIRN_FEM_MATERIAL_MATERIAL_H
#define CAIRN_FEM_MATERIAL_MATERIAL_H

#include "base/core.h"

#include <cairn/fem.h>

typedef struct cairn_fem_stuff cairn_fem_stuff;

/* A law psi(s1, s2, s3), symmetric in the principal stretches, at stretches s. Pair k is the two stretches i, j other than s_k. */
typedef struct cairn_principal {
    double energy;
    double first[3];  /* dpsi/ds_i */
    double second[9]; /* d2psi/ds_i ds_j */
    double flip[3];   /* pair k: (psi_i - psi_j)/(s_i - s_j), its limit where they are equal */
    double twist[3];  /* pair k: (psi_i + psi_j)/(s_i + s_j), likewise */
} cairn_principal;
typedef void (*cairn_principal_law)(const cairn_fem_stuff *stuff, const double s[3], cairn_principal *out);

typedef struct cairn_fem_law_row {
    const char *name;
    /* Returns psi; P (9) and A (81) when not NULL. A is made positive semidefinite when stuff->project. */
    double (*point)(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
    cairn_principal_law principal; /* NULL: the law sees turns as strains */
    /* Measure g(F) of the change of volume: psi has lambda/2 g^2 and nothing else of lambda. slope (9) = dg/dF. */
    double (*volume)(const double *F, double *slope);
} cairn_fem_law_row;

/* What points keep of lambda, over mu, in elements with pressures of their own (element_pressure.h): that of nu = 1/3, below which such pressures have nothing to do. */
#define CAIRN_FEM_LOCAL 2.0

/* A material as the elements need it. */
struct cairn_fem_stuff {
    const cairn_fem_law_row *law;
    double lambda, mu; /* Lame's constants, Pa */
    double local;      /* of lambda: what points keep where the element has pressures */
    double E, density, radius;
    double damping_mass, damping_stiffness;
    bool consistent, project;
    const double
        *pressure; /* of the element, at the point that is looked at, Pa; NULL: none, and points keep all of lambda */
};

/* What depends on the volume at a point: lambda/2 g^2, its slope and curvature by g; beside a pressure of the element with `local` for lambda. */
typedef struct cairn_fem_bulk {
    double energy, pressure, modulus;
} cairn_fem_bulk;

static inline cairn_fem_bulk cairn_fem_bulk_of(const cairn_fem_stuff *stuff, double g) {
    double own = stuff->pressure != NULL ? stuff->local : stuff->lambda,
           given = stuff->pressure != NULL ? *stuff->pressure : 0.0;
    return (cairn_fem_bulk){0.5 * own * g * g, given + own * g, own};
}

/* NULL: no such law. */
const cairn_fem_law_row *cairn_fem_law_of(cairn_fem_law law);
/* Checks; the message names the number of the material. */
cairn_status cairn_fem_stuff_of(cairn_context *context, int number, const cairn_fem_material *material,
                                cairn_fem_stuff *stuff);

double cairn_fem_corotational(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
double cairn_fem_linear(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
double cairn_fem_svk(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
double cairn_fem_neo_hookean(const cairn_fem_stuff *stuff, const double *F, double *P, double *A);
void cairn_fem_corotational_principal(const cairn_fem_stuff *stuff, const double s[3], cairn_principal *out);
void cairn_fem_svk_principal(const cairn_fem_stuff *stuff, const double s[3], cairn_principal *out);
void cairn_fem_neo_hookean_principal(const cairn_fem_stuff *stuff, const double s[3], cairn_principal *out);
double cairn_fem_corotational_volume(const double *F, double *slope);
double cairn_fem_linear_volume(const double *F, double *slope);
double cairn_fem_svk_volume(const double *F, double *slope);
double cairn_fem_neo_hookean_volume(const double *F, double *slope);

#endif
