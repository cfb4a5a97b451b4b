/*
 * test_sets_support.c: the support function sigma(d) = sup of d'x: never below a sampled member, reached by a member,
 * evaluated at the nearest direction where it is finite, and equal to the table of [theory 1] for d = -u.
 */
#include "test_sets_samples.h"

static double support(const cairn_block *block, const double *d, double *outside) {
    return cairn_set_get(block->set)->support(block, d, outside);
}

/* The point nearest to d where sigma is finite, by the limit of d - P(k d)/k for large k: what is subtracted is the
 * part of d along which the set never ends. */
static double nearest_finite(const cairn_block *block, const double *d, double *nearest) {
    double far[DIM], k = 1e12;
    for (int i = 0; i < block->dim; i++)
        far[i] = k * d[i];
    cairn_set_get(block->set)->project(block, far, far);
    for (int i = 0; i < block->dim; i++)
        nearest[i] = d[i] - far[i] / k;
    return norm_difference(block->dim, d, nearest);
}

TEST(above_every_member) {
    test_random r = {21};
    for (int s = 0; s < SAMPLES; s++) {
        if (samples[s].set == CAIRN_SET_CUSTOM)
            continue;
        int dim = samples[s].dim;
        for (int round = 0; round < 300; round++) {
            double d[DIM], nearest[DIM], x[DIM], outside = -1.0;
            random_point(&r, dim, d);
            double sigma = support(&samples[s], d, &outside);
            CHECK(isfinite(sigma) && outside >= 0.0);
            CHECK_NEAR(nearest_finite(&samples[s], d, nearest), outside, 1e-10);
            for (int trial = 0; trial < 20; trial++) {
                random_member(&r, &samples[s], x);
                CHECK(dot(dim, nearest, x) <= sigma + 1e-9);
            }
        }
    }
}

/* The maximiser of d'x is the projection of a point far out along d. */
TEST(reached_by_a_member) {
    test_random r = {22};
    for (int s = 0; s < SAMPLES; s++) {
        if (samples[s].set == CAIRN_SET_CUSTOM)
            continue;
        int dim = samples[s].dim;
        for (int round = 0; round < 300; round++) {
            double d[DIM], nearest[DIM], x[DIM], outside, k = 1e6;
            random_point(&r, dim, d);
            double sigma = support(&samples[s], d, &outside);
            if (outside > 0.0)
                continue;
            nearest_finite(&samples[s], d, nearest);
            for (int i = 0; i < dim; i++)
                x[i] = k * d[i];
            cairn_set_get(samples[s].set)->project(&samples[s], x, x);
            CHECK_NEAR(dot(dim, d, x), sigma, 1e-5); /* P(k d) is within 1/k of the maximiser */
        }
    }
}

/* Table of [theory 1] with d = -u. */
TEST(table) {
    double u[3] = {0.5, 0.3, -0.4}, d[3] = {-0.5, -0.3, 0.4}, outside; /* |u_T| = 0.5 */
    cairn_block bilateral = {.set = CAIRN_SET_BILATERAL, .dim = 3};
    CHECK_NEAR(support(&bilateral, d, &outside), 0.0, 0.0);
    CHECK_NEAR(outside, norm(3, u), 1e-15);
    cairn_block cone = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.6}; /* u in the dual: 0.6*0.5 <= 0.5 */
    CHECK_NEAR(support(&cone, d, &outside), 0.0, 0.0);
    CHECK_NEAR(outside, 0.0, 0.0);
    cone.mu = 2.0; /* distance of u to mu|x_T| <= x_N: (2*0.5 - 0.5)/sqrt(5) */
    CHECK_NEAR(support(&cone, d, &outside), 0.0, 0.0);
    CHECK_NEAR(outside, 0.5 / sqrt(5.0), 1e-15);
    cairn_block ball = {.set = CAIRN_SET_BALL, .dim = 3, .radius = 2.0};
    CHECK_NEAR(support(&ball, d, &outside), 2.0 * norm(3, u), 1e-15);
    cairn_block box = {.set = CAIRN_SET_BOX, .dim = 3, .lo = -1.0, .hi = 3.0};
    CHECK_NEAR(support(&box, d, &outside), 0.5 + 0.3 + 1.2, 1e-15);
    CHECK_NEAR(outside, 0.0, 0.0);
    cairn_block capped = {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 2.0, .cap = 3.0};
    CHECK_NEAR(support(&capped, d, &outside), 3.0 * (2.0 * 0.5 - 0.5), 1e-15);
    capped.mu = 0.6;
    CHECK_NEAR(support(&capped, d, &outside), 0.0, 0.0);
    cairn_block shifted = {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.6, .adhesion = 3.0};
    CHECK_NEAR(support(&shifted, d, &outside), 3.0 * u[0], 1e-15);
    CHECK_NEAR(outside, 0.0, 0.0);
    shifted.mu = 0.0; /* u_N < 0 is outside the half space; at u_N = 0 the support is 0 */
    double pull[3] = {0.7, 0.0, 0.1};
    CHECK_NEAR(support(&shifted, pull, &outside), 0.0, 0.0);
    CHECK_NEAR(outside, 0.7, 1e-15);
}

TEST(infinite_bounds) {
    cairn_block box = {.set = CAIRN_SET_BOX, .dim = 2, .lo = -INFINITY, .hi = 0.5};
    double outside, zero[2] = {0.0, 0.0}, up[2] = {2.0, 0.0}, down[2] = {-3.0, 2.0};
    CHECK_NEAR(support(&box, zero, &outside), 0.0, 0.0);
    CHECK_NEAR(outside, 0.0, 0.0);
    CHECK_NEAR(support(&box, up, &outside), 1.0, 0.0);
    CHECK_NEAR(outside, 0.0, 0.0);
    CHECK_NEAR(support(&box, down, &outside), 1.0, 0.0);
    CHECK_NEAR(outside, 3.0, 0.0);
}

static double own_support(void *user, int dim, const double *direction) {
    const double *value = user;
    (void)dim;
    (void)direction;
    return *value;
}

TEST(custom) {
    double value = 4.0, d[2] = {1.0, 2.0}, outside = 5.0;
    cairn_custom_set custom = {.project = half_space_project, .support = own_support, .user = &value};
    cairn_block block = {.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &custom};
    CHECK_NEAR(support(&block, d, &outside), 4.0, 0.0);
    CHECK_NEAR(outside, 0.0, 0.0);
    value = INFINITY; /* where it would be finite is not known */
    CHECK(isnan(support(&block, d, &outside)) && isnan(outside));
    custom.support = NULL;
    CHECK(isnan(support(&block, d, &outside)) && isnan(outside));
}

int main(void) {
    RUN(above_every_member);
    RUN(reached_by_a_member);
    RUN(table);
    RUN(infinite_bounds);
    RUN(custom);
    return test_end();
}
