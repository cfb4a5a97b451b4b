/*
 * test_sets_samples.h: sample blocks of every set, random points and random members, for the tests of src/sets. The
 * members and the membership test are written from the definition of each set and share nothing with src/sets.
 */
#ifndef CAIRN_TEST_SETS_SAMPLES_H
#define CAIRN_TEST_SETS_SAMPLES_H

#include "support/test.h"

#include "sets/sets.h"

#define DIM CAIRN_BLOCK_DIM_MAX

/* The custom set of the samples: the half space sum(x) <= 1. */
static inline void half_space_project(void *user, int dim, const double *x, double *projection) {
    double sum = 0.0;
    (void)user;
    for (int i = 0; i < dim; i++)
        sum += x[i];
    double excess = sum > 1.0 ? (sum - 1.0) / dim : 0.0;
    for (int i = 0; i < dim; i++)
        projection[i] = x[i] - excess;
}

static const cairn_custom_set half_space = {.project = half_space_project};

static const cairn_block samples[] = {
    {.set = CAIRN_SET_BILATERAL, .dim = 1},
    {.set = CAIRN_SET_BILATERAL, .dim = 6},
    {.set = CAIRN_SET_NONNEGATIVE, .dim = 1},
    {.set = CAIRN_SET_NONNEGATIVE, .dim = 16},
    {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.6},
    {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.0},
    {.set = CAIRN_SET_CONE, .dim = 3, .mu = 3.0},
    {.set = CAIRN_SET_CONE, .dim = 3, .mu = 1e-3},
    {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.3},
    {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.0},
    {.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.6},
    {.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.0},
    {.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 3.0},
    {.set = CAIRN_SET_DUAL_CONE, .dim = 2, .mu = 0.3},
    {.set = CAIRN_SET_DUAL_CONE, .dim = 2, .mu = 0.0},
    {.set = CAIRN_SET_BOX, .dim = 1, .lo = -0.5, .hi = 0.7},
    {.set = CAIRN_SET_BOX, .dim = 4, .lo = 0.1, .hi = 0.2},
    {.set = CAIRN_SET_BOX, .dim = 2, .lo = -INFINITY, .hi = 0.4},
    {.set = CAIRN_SET_BOX, .dim = 2, .lo = -0.4, .hi = INFINITY},
    {.set = CAIRN_SET_BOX, .dim = 2, .lo = 0.3, .hi = 0.3},
    {.set = CAIRN_SET_BALL, .dim = 1, .radius = 0.5},
    {.set = CAIRN_SET_BALL, .dim = 5, .radius = 1.0},
    {.set = CAIRN_SET_BALL, .dim = 16, .radius = 2.0},
    {.set = CAIRN_SET_BALL, .dim = 3, .radius = 0.0},
    {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.6, .cap = 0.8},
    {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 2.0, .cap = 0.4},
    {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.0, .cap = 0.5},
    {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.5, .cap = 0.0},
    {.set = CAIRN_SET_CAPPED_CONE, .dim = 2, .mu = 0.6, .cap = 0.8},
    {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.6, .adhesion = 0.5},
    {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.0, .adhesion = 0.5},
    {.set = CAIRN_SET_SHIFTED_CONE, .dim = 2, .mu = 0.9, .adhesion = 0.2},
    {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.6, .directions = 4},
    {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.6, .directions = 6},
    {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 3.0, .directions = 8},
    {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.0, .directions = 4},
    {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 1e-3, .directions = 128},
    {.set = CAIRN_SET_POLY_CONE, .dim = 2, .mu = 0.3, .directions = 2},
    {.set = CAIRN_SET_CUSTOM, .dim = 3, .custom = &half_space},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static inline double dot(int dim, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Long double: squares of 1e-300 and 1e300 do not matter. */
static inline double norm(int dim, const double *x) {
    long double sum = 0.0L;
    for (int i = 0; i < dim; i++)
        sum += (long double)x[i] * (long double)x[i];
    return (double)sqrtl(sum);
}

static inline double norm_difference(int dim, const double *a, const double *b) {
    double rest[DIM];
    for (int i = 0; i < dim; i++)
        rest[i] = a[i] - b[i];
    return norm(dim, rest);
}

/* Magnitudes from 0.01 to 10, now and then a component that is exactly 0. */
static inline void random_point(test_random *r, int dim, double *x) {
    double size = pow(10.0, -2.0 + 3.0 * test_random_unit(r));
    for (int i = 0; i < dim; i++)
        x[i] = test_random_unit(r) < 0.1 ? 0.0 : size * test_random_signed(r);
}

static inline double random_amount(test_random *r) { /* [0, 10], both small and large values */
    double unit = test_random_unit(r);
    return unit < 0.1 ? 0.0 : 10.0 * unit * unit * unit;
}

/* tangent (count) of length at most radius; often exactly on the rim. */
static inline void random_tangent(test_random *r, int count, double radius, double *tangent) {
    double length = test_random_unit(r) < 0.5 ? radius : radius * test_random_unit(r);
    double size;
    do {
        for (int i = 0; i < count; i++)
            tangent[i] = test_random_signed(r);
        size = norm(count, tangent);
    } while (size < 1e-3);
    for (int i = 0; i < count; i++)
        tangent[i] *= length / size;
}

/* A random member of the block's set. */
static inline void random_member(test_random *r, const cairn_block *block, double *x) {
    int dim = block->dim;
    double amount = random_amount(r);
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
        random_point(r, dim, x);
        break;
    case CAIRN_SET_NONNEGATIVE:
        for (int i = 0; i < dim; i++)
            x[i] = random_amount(r);
        break;
    case CAIRN_SET_CONE:
        x[0] = amount;
        random_tangent(r, dim - 1, block->mu * amount, x + 1);
        break;
    case CAIRN_SET_DUAL_CONE:
        random_tangent(r, dim - 1, amount, x + 1);
        x[0] = block->mu * norm(dim - 1, x + 1) + (test_random_unit(r) < 0.5 ? 0.0 : random_amount(r));
        break;
    case CAIRN_SET_BOX:
        for (int i = 0; i < dim; i++) {
            double lo = isinf(block->lo) ? block->hi - random_amount(r) : block->lo;
            double hi = isinf(block->hi) ? block->lo + random_amount(r) : block->hi;
            x[i] = test_random_unit(r) < 0.3 ? lo : lo + (hi - lo) * test_random_unit(r);
        }
        break;
    case CAIRN_SET_BALL:
        random_tangent(r, dim, block->radius, x);
        break;
    case CAIRN_SET_CAPPED_CONE:
        x[0] = test_random_unit(r) < 0.3 ? block->cap : block->cap * test_random_unit(r);
        random_tangent(r, dim - 1, block->mu * x[0], x + 1);
        break;
    case CAIRN_SET_SHIFTED_CONE:
        x[0] = amount - block->adhesion;
        random_tangent(r, dim - 1, block->mu * amount, x + 1);
        break;
    case CAIRN_SET_POLY_CONE: { /* a mixture of two corners, mostly neighbours */
        int j = (int)(test_random_unit(r) * block->directions), k = j + (test_random_unit(r) < 0.7 ? 1 : 3);
        double share = test_random_unit(r) < 0.3 ? 1.0 : test_random_unit(r),
               phi = 2.0 * acos(-1.0) / block->directions;
        x[0] = amount;
        for (int i = 1; i < dim; i++) {
            double turn = dim == 2 || i == 1 ? 0.0 : -0.5 * acos(-1.0);
            x[i] = block->mu * amount * (share * cos(j * phi + turn) + (1.0 - share) * cos(k * phi + turn));
        }
        break;
    }
    case CAIRN_SET_CUSTOM:
        random_point(r, dim, x);
        x[0] += 1.0 - dot(dim, x, (const double[DIM]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) - amount;
        break;
    }
}

/* By how much x breaks the inequalities of the set; 0 for a member. */
static inline double violation(const cairn_block *block, const double *x) {
    double worst = 0.0, tangent = norm(block->dim - 1, x + 1), sum = 0.0;
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
        break;
    case CAIRN_SET_NONNEGATIVE:
        for (int i = 0; i < block->dim; i++)
            worst = fmax(worst, -x[i]);
        break;
    case CAIRN_SET_CONE:
        worst = fmax(tangent - block->mu * x[0], -x[0]);
        break;
    case CAIRN_SET_DUAL_CONE:
        worst = block->mu * tangent - x[0];
        break;
    case CAIRN_SET_BOX:
        for (int i = 0; i < block->dim; i++)
            worst = fmax(worst, fmax(block->lo - x[i], x[i] - block->hi));
        break;
    case CAIRN_SET_BALL:
        worst = norm(block->dim, x) - block->radius;
        break;
    case CAIRN_SET_CAPPED_CONE:
        worst = fmax(fmax(tangent - block->mu * x[0], -x[0]), x[0] - block->cap);
        break;
    case CAIRN_SET_SHIFTED_CONE:
        worst = fmax(tangent - block->mu * (x[0] + block->adhesion), -block->adhesion - x[0]);
        break;
    case CAIRN_SET_POLY_CONE: /* every facet's inequality */
        worst = fmax(-x[0], block->dim == 2 ? tangent - block->mu * x[0] : 0.0);
        for (int j = 0; j < block->directions && block->dim == 3; j++) {
            double half = acos(-1.0) / block->directions, angle = (2 * j + 1) * half;
            worst = fmax(worst, cos(angle) * x[1] + sin(angle) * x[2] - block->mu * cos(half) * x[0]);
        }
        break;
    case CAIRN_SET_CUSTOM:
        for (int i = 0; i < block->dim; i++)
            sum += x[i];
        worst = sum - 1.0;
        break;
    }
    return worst > 0.0 ? worst : 0.0;
}

#endif
