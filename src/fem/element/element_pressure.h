/*
 * element_pressure.h: pressures that belong to an element, for material whose volume hardly changes.
 *
 * Where nu is near 0.5, lambda/2 g^2 at every point of the rule keeps the volume at each of them, and an element has too few shapes that do: it locks. So points keep no
 * more of lambda than nu = 1/3 has, l0 = 2 mu, and the rest acts on the projection of g onto few functions [Hughes]:
 *
 *     E = sum_q w_q psi(F_q; l0) + (lambda - l0)/2 sum_j m_j^2,    m_j = sum_q w_q phi_j(q) g(F_q),    p_q = (lambda - l0) sum_j m_j phi_j(q)
 *
 * phi_j are orthonormal under the weights w: 1, and in bricks r, s, t too, as the modes 1 - r^2 and so on can balance linear changes of volume. With all of lambda in the
 * projection one quadratic tetrahedron across a bar would bend 14 % too far: it can change its volume linearly for nothing. Constant strain gives what it gave, so that the
 * patch test is passed; at nu = 1/3 the element is the plain one.
 *
 *     force -sum_q w_q (P + p_q dg/dF) G,    K = sum_q w_q G (A + p_q d2g/dF2) G + (lambda - l0) sum_j c_j c_j',    c_j = sum_q w_q phi_j(q) dg/dF G
 */
#ifndef CAIRN_FEM_ELEMENT_ELEMENT_PRESSURE_H
#define CAIRN_FEM_ELEMENT_ELEMENT_PRESSURE_H

#include "fem/element/element.h"

#define CAIRN_FEM_VOLUME_POINTS  8 /* of rules of elements with pressures */
#define CAIRN_FEM_VOLUME_VECTORS (CAIRN_FEM_NODES_MAX + CAIRN_FEM_MODES_MAX)

typedef struct cairn_fem_volume {
    int pressures; /* 0: the element has none of its own here, and all else is not set */
    double energy; /* of the pressures */
    double pressure[CAIRN_FEM_VOLUME_POINTS];
    double slope[CAIRN_FEM_PRESSURES_MAX][3 * CAIRN_FEM_VOLUME_VECTORS]; /* c */
} cairn_fem_volume;

/* phi into kept, whose gradients and weights are there. */
void cairn_fem_volume_prepare(const cairn_fem_element *element, const cairn_fem_rule *rule, double *kept);
/* At y (nodes and modes); slope only when it is wanted. */
void cairn_fem_volume_at(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                         const double *y, bool slope, cairn_fem_volume *volume);
/* The material at point q: that of stuff with the pressure there. */
cairn_fem_stuff cairn_fem_volume_stuff(const cairn_fem_volume *volume, const cairn_fem_stuff *stuff, int q);
/* K (CAIRN_FEM_PAD a block) of the vectors from `from` on += (lambda - l0) sum c c' */
void cairn_fem_volume_stiffness(const cairn_fem_volume *volume, const cairn_fem_stuff *stuff, int from, int vectors,
                                double *K);
/* force += a (lambda - l0) sum c c' y */
void cairn_fem_volume_product(const cairn_fem_volume *volume, const cairn_fem_stuff *stuff, int vectors, double a,
                              const double *y, double *force);
/* pressure of the points += a (lambda - l0) sum phi c'y */
void cairn_fem_volume_change(const cairn_fem_element *element, const cairn_fem_volume *slopes,
                             const cairn_fem_stuff *stuff, const double *kept, double a, const double *y,
                             double *pressure);

#endif
