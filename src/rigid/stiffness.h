/*
 * stiffness.h: how the torque of a force held in world axes changes when its body turns.
 */
#ifndef CAIRN_RIGID_STIFFNESS_H
#define CAIRN_RIGID_STIFFNESS_H

#include <cairn/math.h>

/* K += (s'f) I - f s': torque s x f of the force f at the arm s, both in body axes, falls by K t when the body turns by the small t. */
void cairn_stiffness_add(cairn_mat3 *K, cairn_vec3 s, cairn_vec3 f);

/* The nearest matrix to (K + K')/2 without negative eigenvalues, in place. */
void cairn_stiffness_clamp(cairn_mat3 *K);

#endif
