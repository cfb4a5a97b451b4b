/*
 * tet4_simd.h: four elements at a time: the same sums in four lanes of a vector. No lane sees another.
 */
#ifndef CAIRN_FEM_ELEMENT_TET4_SIMD_H
#define CAIRN_FEM_ELEMENT_TET4_SIMD_H

#include "fem/element/element.h"

#define CAIRN_FEM_LANES 4

/* Four corotational linear tetrahedra that share one material, in a step (cairn_fem_motion). */
typedef struct cairn_fem_quad {
    double h, near, far;
    const double *kept[CAIRN_FEM_LANES];
    double x[CAIRN_FEM_LANES][12], v[CAIRN_FEM_LANES][12];
} cairn_fem_quad;

/* What their `step` gives, K times factor; force (12) and K (90) of lane l go to force[l] and K[l]; K NULL: not wanted. angle: v are velocities of the step before and are turned with
 * the elements, by these angles; NULL: they are as predicted. False, and nothing is written: one of them is so flat that it needs the careful way. */
bool cairn_fem_quad_step(const cairn_fem_stuff *stuff, const cairn_fem_quad *quad, double *const force[CAIRN_FEM_LANES],
                         double *const K[CAIRN_FEM_LANES], double factor, double *angle);
/* What their `applied` gives: heat of lane l goes to heat[l]. */
bool cairn_fem_quad_applied(const cairn_fem_stuff *stuff, const cairn_fem_quad *quad,
                            const double answer[CAIRN_FEM_LANES][12], double *angle, double stress[CAIRN_FEM_LANES][6],
                            double heat[CAIRN_FEM_LANES]);
/* Elastic energies at the places x of quad; of it only x and kept are read. */
bool cairn_fem_quad_energy(const cairn_fem_stuff *stuff, const cairn_fem_quad *quad, double energy[CAIRN_FEM_LANES]);

#endif
