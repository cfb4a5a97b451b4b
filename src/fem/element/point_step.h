/*
 * point_step.h: what a step asks of one point of a solid.
 */
#ifndef CAIRN_FEM_ELEMENT_POINT_STEP_H
#define CAIRN_FEM_ELEMENT_POINT_STEP_H

#include "fem/element/element.h"

/* F where the step begins, rate = dF/dt that is predicted. now, then: the material there and where that rate leads; they differ in pressures that are given. P = B'(near T(F + h rate) - far T(F) - h near C B rate), A = B'C B (81; NULL: not wanted). */
void cairn_fem_point_step(const cairn_fem_stuff *now, const cairn_fem_stuff *then, const cairn_fem_motion *motion,
                          const double F[9], const double rate[9], double P[9], double *A);
/* The stress (9, rest axes) that this applies with the rate of the answer, and what damping takes of it, J/m^3. */
double cairn_fem_point_applied(const cairn_fem_stuff *now, const cairn_fem_stuff *then, const cairn_fem_motion *motion,
                               const double F[9], const double rate[9], const double answer[9], double stress[9]);

#endif
