/*
 * set_nonnegative.c: the orthant x >= 0, for frictionless contacts and joint limits [theory 1].
 *
 *     P(x)_i = max(0, x_i),   derivative diag(1 where x_i >= 0, else 0),   sigma(d) = 0 for d <= 0
 *
 * NaN in x gives NaN.
 */
#include "sets/set_classes.h"

static void project(const cairn_block *block, const double *x, double *out) {
    for (int i = 0; i < block->dim; i++)
        out[i] = x[i] < 0.0 ? 0.0 : x[i];
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    int dim = block->dim;
    cairn_set_fill_identity(dim, 0.0, jacobian);
    for (int i = 0; i < dim; i++)
        jacobian[i * dim + i] = x[i] >= 0.0 ? 1.0 : 0.0;
}

/* The polar cone is d <= 0; the distance to it is |max(0, d)|. */
static double support(const cairn_block *block, const double *d, double *outside) {
    double positive[CAIRN_BLOCK_DIM_MAX];
    project(block, d, positive);
    *outside = cairn_set_norm(block->dim, positive);
    return 0.0;
}

const cairn_set_class cairn_set_class_nonnegative = {
    .name = "nonnegative",
    .check = cairn_set_check_dim,
    .project = project,
    .derivative = derivative,
    .support = support,
};
