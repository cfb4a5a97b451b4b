/*
 * set_capped_cone.c: |x_T| <= mu x_N and x_N <= cap, for contacts that crush
 * [T21 section 3, theory 1].
 *
 * In the half plane (x_N, |x_T|) the set is the triangle with the corners (0,0), (cap,0), (cap, mu
 * cap). Let z be the projection onto the whole cone.
 *
 *     z_N <= cap   P(x) = z: inside, apex or slant. z is nearest in a larger set and lies in this one.
 *     z_N >  cap   P(x) = (cap, x_T clipped to the disc of radius mu cap): cap (not clipped) or rim (clipped)
 *
 * The second line is right because z_N > cap leaves only points nearest to the cap or its rim: a
 * slant point with z_N > cap has |x_T| > mu cap.
 *
 *     sigma(d) = cap max(0, d_N + mu |d_T|), at the apex or on the rim
 */
#include "sets/cone_geometry.h"
#include "sets/set_classes.h"

static const char *check(const cairn_block *block) {
    const char *why = cairn_set_check_cone(block);
    if (why != NULL)
        return why;
    return block->cap >= 0.0 && isfinite(block->cap) ? NULL : "cap must be finite and >= 0";
}

static void project(const cairn_block *block, const double *x, double *out) {
    double z[CAIRN_BLOCK_DIM_MAX];
    cairn_circular_project(block->dim, cairn_ray_cone(block->mu), x, z);
    if (z[0] > block->cap) {
        cairn_disc_project(block->dim - 1, block->mu * block->cap, x + 1, out + 1);
        out[0] = block->cap;
        return;
    }
    for (int i = 0; i < block->dim; i++)
        out[i] = z[i];
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    int dim = block->dim;
    double z[CAIRN_BLOCK_DIM_MAX];
    cairn_circular_project(dim, cairn_ray_cone(block->mu), x, z);
    if (block->cap == 0.0) { /* the point 0 */
        cairn_set_fill_identity(dim, 0.0, jacobian);
    } else if (z[0] > block->cap) {
        cairn_set_fill_identity(dim, 0.0, jacobian);
        cairn_disc_derivative(dim - 1, block->mu * block->cap, x + 1, dim, jacobian + dim + 1);
    } else {
        cairn_circular_derivative(dim, cairn_ray_cone(block->mu), x, jacobian);
    }
}

static double support(const cairn_block *block, const double *d, double *outside) {
    *outside = 0.0;
    double rim = d[0] + block->mu * cairn_set_norm(block->dim - 1, d + 1);
    return rim < 0.0 ? 0.0 : block->cap * rim;
}

const cairn_set_class cairn_set_class_capped_cone = {
    .name = "capped cone",
    .check = check,
    .project = project,
    .derivative = derivative,
    .support = support,
};
