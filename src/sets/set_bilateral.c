/*
 * set_bilateral.c: the whole space R^dim, for joints [theory 1].
 *
 *     P(x) = x,   derivative I,   sigma(d) = 0 at d = 0 and infinite elsewhere
 */
#include <string.h>

#include "sets/set_classes.h"

static void project(const cairn_block *block, const double *x, double *out) {
    memmove(out, x, (size_t)block->dim * sizeof *x);
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    (void)x;
    cairn_set_fill_identity(block->dim, 1.0, jacobian);
}

/* The point nearest to d where sigma is finite is 0. */
static double support(const cairn_block *block, const double *d, double *outside) {
    *outside = cairn_set_norm(block->dim, d);
    return 0.0;
}

const cairn_set_class cairn_set_class_bilateral = {
    .name = "bilateral",
    .check = cairn_set_check_dim,
    .project = project,
    .derivative = derivative,
    .support = support,
};
