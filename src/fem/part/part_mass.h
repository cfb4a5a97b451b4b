/*
 * part_mass.h: how a part moves as a whole. All in world axes.
 */
#ifndef CAIRN_FEM_PART_PART_MASS_H
#define CAIRN_FEM_PART_PART_MASS_H

#include "fem/part/part.h"

/* The rotation from the places at rest that is nearest to the present ones, weighted by mass. last: the rotation before, which decides where several are as near. */
cairn_quat cairn_fem_part_rotation(const cairn_fem_part *part, cairn_quat last);
cairn_mat3 cairn_fem_part_inertia(const cairn_fem_part *part); /* about the centre of mass, now */
cairn_vec3 cairn_fem_part_spin(const cairn_fem_part *part);    /* angular momentum about the centre over inertia */
/* Adds to load what gives every point this acceleration, m/s^2. */
void cairn_fem_part_pull(cairn_fem_part *part, cairn_vec3 acceleration);

#endif
