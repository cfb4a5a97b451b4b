/*
 * set_classes.h: what the files of this folder share: the ten rows of the table, checks, and a norm
 * that neither overflows nor underflows. Private to src/sets.
 */
#ifndef CAIRN_SETS_SET_CLASSES_H
#define CAIRN_SETS_SET_CLASSES_H

#include <math.h>

#include "sets/sets.h"

extern const cairn_set_class cairn_set_class_bilateral;
extern const cairn_set_class cairn_set_class_nonnegative;
extern const cairn_set_class cairn_set_class_cone;
extern const cairn_set_class cairn_set_class_dual_cone;
extern const cairn_set_class cairn_set_class_box;
extern const cairn_set_class cairn_set_class_ball;
extern const cairn_set_class cairn_set_class_capped_cone;
extern const cairn_set_class cairn_set_class_shifted_cone;
extern const cairn_set_class cairn_set_class_poly_cone;
extern const cairn_set_class cairn_set_class_custom;

/* Sums of squares inside these bounds are safe: what underflowed is below rounding, nothing
 * overflowed. */
#define CAIRN_SQUARE_MIN 1e-280
#define CAIRN_SQUARE_MAX 1e280

/* NULL, or why dim is out of 1 to CAIRN_BLOCK_DIM_MAX. */
const char *cairn_set_check_dim(const cairn_block *block);
/* NULL, or why dim or mu does not fit a cone. */
const char *cairn_set_check_cone(const cairn_block *block);

/* |x| by scaling with the largest component. NaN stays NaN. */
double cairn_set_norm_scaled(int dim, const double *x);

/* |x|, x has dim components; the fast way when the squares are safe. */
static inline double cairn_set_norm(int dim, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += x[i] * x[i];
    if (sum >= CAIRN_SQUARE_MIN && sum <= CAIRN_SQUARE_MAX)
        return sqrt(sum);
    return cairn_set_norm_scaled(dim, x);
}

/* jacobian (dim x dim) = value * I. */
static inline void cairn_set_fill_identity(int dim, double value, double *jacobian) {
    for (int i = 0; i < dim * dim; i++)
        jacobian[i] = i % (dim + 1) == 0 ? value : 0.0;
}

/* out = P(x) over count blocks of CAIRN_SET_CONE, dim 3. May alias. */
void cairn_cone_project_run(int count, const cairn_block *block, const double *x, double *out);

#endif
