/*
 * plasticity.h: von Mises plasticity as part of the cone complementarity problem: the stress is a multiplier in a ball [T21 3].
 *
 * Corotational, linear tetrahedra. In each element the deviatoric stress s (5 numbers in an orthonormal basis of symmetric traceless matrices,
 * axes that turn with the element) obeys
 *
 *     s+ = s + 2 mu (h e + c - h p),     |s+| <= sqrt(2/3) sigma_y,     p in N(s+)      e deviatoric strain rate, p plastic strain rate
 *
 * With gamma = h V s+ and e = B v this is a block of a problem with compliance, D = -B', C = 1/(2 mu h^2 V), b = -s/(2 mu h) - c/h:
 *
 *     u = D'v + C gamma + b = -p,    gamma in the ball of radius h V sqrt(2/3) sigma_y,    -u in N(gamma)
 *
 * c is what the logarithm of the stretch of a step with predicted velocities has beyond h e, which sees turns as strains in second order: what spins keeps its shape. Rates and stresses are those of the present shape
 * (Kirchhoff's stress, e of grad v by the places of now), V the volume at rest. The change of volume is elastic, by ln J, and in H. So the solver's own sets do the plasticity, and its certificate judges it.
 *
 * Linear isotropic hardening: the limit grows with the equivalent plastic strain, Y of it: by what was there when the step began in the radius, and by what the step adds as
 * h V s+ = gamma + kappa p, kappa = 2/3 Y h^2 V. With p = -u put in, and all rows over 1 + kappa C, the blocks stay as they are, and
 *
 *     H + kappa D D'/(1 + kappa C),    k - kappa D b/(1 + kappa C)          (D, b as above)
 */
#ifndef CAIRN_FEM_PART_PLASTICITY_H
#define CAIRN_FEM_PART_PLASTICITY_H

#include "fem/part/part.h"

#include <cairn/problem.h>

#define CAIRN_FEM_YIELD_ROWS 5

typedef struct cairn_fem_yield {
    cairn_context *context;
    cairn_fem_part *part;    /* NULL until all is there */
    double *limit;           /* materials: sigma_y, Pa */
    double *stress;          /* 5 an element: s */
    double *plastic;         /* elements: equivalent plastic strain, sum of sqrt(2/3) |p| h */
    int *D_start, *D_row;    /* columns of D: 5 elements + 1; 12 rows each, rising */
    double *D_value, *C, *b; /* 60 an element; 5 an element; over 1 + kappa C */
    double *kappa;           /* elements */
    cairn_block *block;      /* elements */
    double *gamma, *u;       /* 5 an element: the answer of a solve, p = -u */
} cairn_fem_yield;

/* limit: by group of the elements. From now on the part's H and k hold the change of volume alone, and its elastic energy too; destroying the yield gives it
 * back its material. Only TET4 with the corotational law. */
cairn_status cairn_fem_yield_create(cairn_fem_part *part, const double *limit, cairn_fem_yield **yield);
void cairn_fem_yield_destroy(cairn_fem_yield *yield);
/* D, C, b and blocks for a step h from the part's x, b about the motion that goes on. Columns of held components are 0. */
void cairn_fem_yield_write(cairn_fem_yield *yield, double h);
/* b of the same step about other predicted velocities (3 vectors); NULL: those of cairn_fem_yield_write. */
void cairn_fem_yield_aim(cairn_fem_yield *yield, double h, const double *aim);
/* What hardening adds to H (pattern of the part's; NULL: nothing) and k; after write or aim. */
void cairn_fem_yield_harden(const cairn_fem_yield *yield, double *H_value, double *k);
/* h V s+ of the answer, number k of 5 an element. */
static inline double cairn_fem_yield_impulse(const cairn_fem_yield *y, int k) {
    return y->gamma[k] - y->kappa[k / CAIRN_FEM_YIELD_ROWS] * y->u[k];
}
/* residual (3 vectors, N s) -= D gamma of the answer, at the components that are held: what the stresses pull there. From the x of cairn_fem_yield_write. */
void cairn_fem_yield_pull(const cairn_fem_yield *yield, double *residual);
/* Elastic energy of the stresses: sum of V |s|^2/(4 mu). */
double cairn_fem_yield_energy(const cairn_fem_yield *yield);
/* Von Mises stress at the nodes: sqrt(3/2) |s|, means by volume. room: nodes. */
void cairn_fem_yield_mises(const cairn_fem_yield *yield, double *mises);
/* After the solve: stresses from gamma, plastic strain from u (both 5 an element). */
void cairn_fem_yield_take(cairn_fem_yield *yield, double h, const double *gamma, const double *u);

#endif
