/*
 * set_cone.c: the Coulomb cone |x_T| <= mu x_N of dimension 2 or 3, mu >= 0, and the resolvent of
 * the exact law [theory 1].
 *
 * The projection of the table is three cases. With t = |x_T| and a = max(0, x_N + mu t)/(1 + mu^2)
 * they are one:
 *
 *     P(x) = ( max(x_N, a),  (min(t, mu a)/t) x_T )
 *
 * because a - x_N and t - mu a both carry the sign of t - mu x_N. This is what the loop over
 * dimension 3 computes, without a branch on the case. Magnitudes whose squares are not safe, and t
 * = 0, leave the loop (cone_geometry.c).
 *
 *     sigma(d) = 0 on the polar cone, and the distance of d to the polar cone is |P(d)|
 *
 * NaN in x gives NaN. Not checked: infinite x.
 */
#include "sets/cone_geometry.h"
#include "sets/set_classes.h"

/* Any magnitude; a point of the axis is answered at once. */
static void cone3_rare(double mu, const double *x, double *out) {
    if (x[1] == 0.0 && x[2] == 0.0) {
        out[0] = x[0] < 0.0 ? 0.0 : x[0];
        out[1] = out[2] = 0.0;
    } else {
        cairn_circular_project(3, cairn_ray_cone(mu), x, out);
    }
}

/* Conditions are written so that NaN takes the branch that keeps it. */
static inline void cone3(double mu, const double *x, double *out) {
    double x_N = x[0], x_1 = x[1], x_2 = x[2];
    double t2 = x_1 * x_1 + x_2 * x_2;
    if (!(t2 >= CAIRN_SQUARE_MIN && t2 <= CAIRN_SQUARE_MAX && mu <= 1e100)) {
        cone3_rare(mu, x, out);
        return;
    }
    double t = sqrt(t2);
    double along = x_N + mu * t;
    double a = 0.5 * (along + fabs(along)) / (1.0 + mu * mu); /* max(0, along) */
    double length = t < mu * a ? t : mu * a;
    double factor = length / t;
    out[0] = x_N > a ? x_N : a;
    out[1] = factor * x_1;
    out[2] = factor * x_2;
}

void cairn_cone_project_run(int count, const cairn_block *block, const double *x, double *out) {
    for (int i = 0; i < count; i++)
        cone3(block[i].mu, x + 3 * (size_t)i, out + 3 * (size_t)i);
}

static void project(const cairn_block *block, const double *x, double *out) {
    if (block->dim == 3)
        cone3(block->mu, x, out);
    else
        cairn_circular_project(block->dim, cairn_ray_cone(block->mu), x, out);
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    cairn_circular_derivative(block->dim, cairn_ray_cone(block->mu), x, jacobian);
}

static double support(const cairn_block *block, const double *d, double *outside) {
    double above[CAIRN_BLOCK_DIM_MAX];
    project(block, d, above);
    *outside = cairn_set_norm(block->dim, above);
    return 0.0;
}

/* With u = theta (z - x): u_N >= 0, z_N >= 0, u_N z_N = 0, and -u_T is normal to the disc of
 * radius mu z_N at z_T. These are the exact Coulomb conditions, for every theta > 0. */
void cairn_cone_resolvent(int dim, double mu, const double *x, double *z) {
    double z_N = x[0] < 0.0 ? 0.0 : x[0], radius = mu * z_N, t2 = dim == 3 ? x[1] * x[1] + x[2] * x[2] : 0.0;
    if (t2 >= CAIRN_SQUARE_MIN && t2 <= CAIRN_SQUARE_MAX) {
        double t = sqrt(t2), factor = t <= radius ? 1.0 : radius / t;
        z[1] = factor * x[1];
        z[2] = factor * x[2];
    } else {
        cairn_disc_project(dim - 1, radius, x + 1, z + 1);
    }
    z[0] = z_N;
}

const cairn_set_class cairn_set_class_cone = {
    .name = "cone",
    .check = cairn_set_check_cone,
    .project = project,
    .derivative = derivative,
    .support = support,
};
