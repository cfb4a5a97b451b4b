/*
 * set_shifted_cone.c: |x_T| <= mu (x_N + a), the Coulomb cone K moved by -a along the normal, for
 * contacts that stick up to a pull a = adhesion [T21 section 3, theory 1]. e is the unit normal.
 *
 *     P(x) = P_K(x + a e) - a e,   derivative that of P_K at x + a e
 *     sigma(d) = -a d_N for d in the polar cone
 *
 * For another d the nearest point of the polar cone is d - P_K(d) = -P_K*(-d): sigma = a P_K*(-d)_N
 * there, and the distance to it is |P_K(d)|. Rounding is relative to a where a is far larger than
 * x.
 */
#include "sets/cone_geometry.h"
#include "sets/set_classes.h"

static const char *check(const cairn_block *block) {
    const char *why = cairn_set_check_cone(block);
    if (why != NULL)
        return why;
    return block->adhesion >= 0.0 && isfinite(block->adhesion) ? NULL : "adhesion must be finite and >= 0";
}

static void shift(const cairn_block *block, const double *x, double *moved) {
    moved[0] = x[0] + block->adhesion;
    for (int i = 1; i < block->dim; i++)
        moved[i] = x[i];
}

/* A normal part that the cone leaves alone is handed back as it came, without the rounding of
 * two shifts. */
static void project(const cairn_block *block, const double *x, double *out) {
    double moved[CAIRN_BLOCK_DIM_MAX], z[CAIRN_BLOCK_DIM_MAX];
    shift(block, x, moved);
    cairn_circular_project(block->dim, cairn_ray_cone(block->mu), moved, z);
    out[0] = z[0] == moved[0] ? x[0] : z[0] - block->adhesion;
    for (int i = 1; i < block->dim; i++)
        out[i] = z[i];
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    double moved[CAIRN_BLOCK_DIM_MAX];
    shift(block, x, moved);
    cairn_circular_derivative(block->dim, cairn_ray_cone(block->mu), moved, jacobian);
}

static double support(const cairn_block *block, const double *d, double *outside) {
    double above[CAIRN_BLOCK_DIM_MAX], minus[CAIRN_BLOCK_DIM_MAX];
    cairn_circular_project(block->dim, cairn_ray_cone(block->mu), d, above);
    *outside = cairn_set_norm(block->dim, above);
    for (int i = 0; i < block->dim; i++)
        minus[i] = -d[i];
    cairn_circular_project(block->dim, cairn_ray_dual(block->mu), minus, minus);
    return block->adhesion * minus[0];
}

const cairn_set_class cairn_set_class_shifted_cone = {
    .name = "shifted cone",
    .check = check,
    .project = project,
    .derivative = derivative,
    .support = support,
};
