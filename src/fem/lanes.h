/*
 * lanes.h: four elements at a time: the same sums in four lanes of a vector. No lane sees another.
 */
#ifndef CAIRN_FEM_LANES_H
#define CAIRN_FEM_LANES_H

#include "element.h"

#define CAIRN_FEM_LANES 4

/* Corotational linear tetrahedra that share one material: kept, x (12) of four elements; what cairn_fem_solid_evaluate gives, K times factor. force (12) and K (90)
 * of lane l go to force[l] and K[l]. Returns false, and nothing is written, when one of them is so flat that it needs the careful
 * way. */
bool cairn_fem_tet4_lanes(const cairn_fem_stuff *stuff, const double *const kept[CAIRN_FEM_LANES],
                          const double x[CAIRN_FEM_LANES][12], double factor, double energy[CAIRN_FEM_LANES],
                          double *const force[CAIRN_FEM_LANES], double *const K[CAIRN_FEM_LANES]);

#endif
