/*
 * set_ball.c: |x| <= r in any dimension, for dry friction in joints and von Mises plasticity
 * [theory 1].
 *
 *     |x| <= r   P(x) = x,         derivative I
 *     else       P(x) = r x/|x|,   derivative (r/|x|)(I - w w'), w = x/|x|
 *     sigma(d) = r |d|, finite everywhere
 *
 * r = 0 is the point 0, with derivative 0. NaN in x gives NaN.
 */
#include "sets/cone_geometry.h"
#include "sets/set_classes.h"

static const char *check(const cairn_block *block) {
    const char *why = cairn_set_check_dim(block);
    if (why != NULL)
        return why;
    return block->radius >= 0.0 && isfinite(block->radius) ? NULL : "radius must be finite and >= 0";
}

static void project(const cairn_block *block, const double *x, double *out) {
    cairn_disc_project(block->dim, block->radius, x, out);
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    cairn_disc_derivative(block->dim, block->radius, x, block->dim, jacobian);
}

static double support(const cairn_block *block, const double *d, double *outside) {
    *outside = 0.0;
    return block->radius * cairn_set_norm(block->dim, d);
}

const cairn_set_class cairn_set_class_ball = {
    .name = "ball",
    .check = check,
    .project = project,
    .derivative = derivative,
    .support = support,
};
