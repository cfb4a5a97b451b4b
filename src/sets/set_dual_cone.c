/*
 * set_dual_cone.c: the dual of the Coulomb cone, mu |x_T| <= x_N, dimension 2 or 3, mu >= 0
 * [theory 1].
 *
 * Moreau's P*(x) = x + P(-x) subtracts nearly equal numbers; the ray (s, c) of cone_geometry.h
 * gives P* directly. mu = 0 is the half space x_N >= 0.
 *
 *     sigma(d) = 0 on the polar cone (minus the Coulomb cone); the distance of d to it is |P*(d)|
 */
#include "sets/cone_geometry.h"
#include "sets/set_classes.h"

static void project(const cairn_block *block, const double *x, double *out) {
    cairn_circular_project(block->dim, cairn_ray_dual(block->mu), x, out);
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    cairn_circular_derivative(block->dim, cairn_ray_dual(block->mu), x, jacobian);
}

static double support(const cairn_block *block, const double *d, double *outside) {
    double above[CAIRN_BLOCK_DIM_MAX];
    project(block, d, above);
    *outside = cairn_set_norm(block->dim, above);
    return 0.0;
}

const cairn_set_class cairn_set_class_dual_cone = {
    .name = "dual cone",
    .check = cairn_set_check_cone,
    .project = project,
    .derivative = derivative,
    .support = support,
};
