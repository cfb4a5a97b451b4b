/*
 * set_custom.c: a closed convex set given by the user's callbacks (cairn_custom_set) [theory 1].
 *
 * project is the user's. Without a derivative callback the derivative is taken by central
 * differences,
 *
 *     J_ij = (P(x + h e_j) - P(x - h e_j))_i / 2h,   h = eps^(1/3) |x|   (eps^(1/3) when x = 0),
 *
 * and its symmetric part is kept, because P is the gradient of a convex function. Near a kink this
 * is a mean of the two sides. Without a support callback, or where it says infinity, sigma and the
 * distance are NAN: not known. Not checked: that the callback is a projection, or that the set is
 * convex.
 */
#include <float.h>

#include "sets/set_classes.h"

static const char *check(const cairn_block *block) {
    const char *why = cairn_set_check_dim(block);
    if (why != NULL)
        return why;
    if (block->custom == NULL)
        return "a custom set needs its callbacks";
    return block->custom->project != NULL ? NULL : "a custom set needs a project callback";
}

static void project(const cairn_block *block, const double *x, double *out) {
    block->custom->project(block->custom->user, block->dim, x, out);
}

/* jacobian (dim x dim) by central differences, 2 dim calls of project. */
static void differences(const cairn_block *block, const double *x, double *jacobian) {
    int dim = block->dim;
    double ahead[CAIRN_BLOCK_DIM_MAX], back[CAIRN_BLOCK_DIM_MAX];
    double size = cairn_set_norm(dim, x);
    double h = cbrt(DBL_EPSILON) * (size > 0.0 ? size : 1.0);
    for (int j = 0; j < dim; j++) {
        for (int i = 0; i < dim; i++)
            ahead[i] = back[i] = x[i];
        ahead[j] += h;
        back[j] -= h;
        double width = ahead[j] - back[j];
        project(block, ahead, ahead);
        project(block, back, back);
        for (int i = 0; i < dim; i++)
            jacobian[i * dim + j] = (ahead[i] - back[i]) / width;
    }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (jacobian[i * dim + j] + jacobian[j * dim + i]);
            jacobian[i * dim + j] = jacobian[j * dim + i] = mean;
        }
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    if (block->custom->derivative != NULL)
        block->custom->derivative(block->custom->user, block->dim, x, jacobian);
    else
        differences(block, x, jacobian);
}

static double support(const cairn_block *block, const double *d, double *outside) {
    double sigma = NAN;
    if (block->custom->support != NULL)
        sigma = block->custom->support(block->custom->user, block->dim, d);
    if (!isfinite(sigma)) {
        *outside = NAN;
        return NAN;
    }
    *outside = 0.0;
    return sigma;
}

const cairn_set_class cairn_set_class_custom = {
    .name = "custom",
    .check = check,
    .project = project,
    .derivative = derivative,
    .support = support,
};
