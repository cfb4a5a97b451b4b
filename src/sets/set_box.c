/*
 * set_box.c: lo <= x_i <= hi in every component, for motors with limited force [theory 1]. Bounds
 * may be infinite.
 *
 *     P(x)_i = clamp(x_i, lo, hi),   derivative diag(1 where lo <= x_i <= hi, else 0; 0 when lo = hi)
 *     sigma(d) = sum_i max(d_i lo, d_i hi)
 *
 * A component of d that points to an infinite bound has no finite sigma; the nearest point with one
 * has 0 there. NaN in x gives NaN.
 */
#include "sets/set_classes.h"

static const char *check(const cairn_block *block) {
    const char *why = cairn_set_check_dim(block);
    if (why != NULL)
        return why;
    if (isnan(block->lo) || isnan(block->hi))
        return "lo and hi must not be NaN";
    if (block->lo > block->hi)
        return "lo must be <= hi";
    if (block->lo == INFINITY || block->hi == -INFINITY)
        return "lo must be below +infinity and hi above -infinity";
    return NULL;
}

static void project(const cairn_block *block, const double *x, double *out) {
    for (int i = 0; i < block->dim; i++)
        out[i] = x[i] < block->lo ? block->lo : x[i] > block->hi ? block->hi : x[i];
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    int dim = block->dim;
    cairn_set_fill_identity(dim, 0.0, jacobian);
    if (block->lo < block->hi)
        for (int i = 0; i < dim; i++)
            jacobian[i * dim + i] = x[i] >= block->lo && x[i] <= block->hi ? 1.0 : 0.0;
}

static double support(const cairn_block *block, const double *d, double *outside) {
    double sigma = 0.0;
    double beyond[CAIRN_BLOCK_DIM_MAX]; /* the part of d where sigma is infinite */
    for (int i = 0; i < block->dim; i++) {
        double bound = d[i] > 0.0 ? block->hi : block->lo;
        bool infinite = d[i] != 0.0 && isinf(bound);
        beyond[i] = infinite ? d[i] : 0.0;
        if (!infinite && d[i] != 0.0) /* 0 times infinity is 0 here */
            sigma += d[i] * bound;
    }
    *outside = cairn_set_norm(block->dim, beyond);
    return sigma;
}

const cairn_set_class cairn_set_class_box = {
    .name = "box",
    .check = check,
    .project = project,
    .derivative = derivative,
    .support = support,
};
