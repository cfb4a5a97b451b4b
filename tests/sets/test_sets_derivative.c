/*
 * test_sets_derivative.c: the derivative of each projection: equal to central differences away from kinks, symmetric,
 * eigenvalues in [0, 1] everywhere, and the right element at the places where a formula is tempted to divide by 0.
 */
#include "test_sets_samples.h"

static void differences(const cairn_block *block, const double *x, double h, double *jacobian) {
    int dim = block->dim;
    for (int j = 0; j < dim; j++) {
        double ahead[DIM], back[DIM];
        memcpy(ahead, x, (size_t)dim * sizeof *x);
        memcpy(back, x, (size_t)dim * sizeof *x);
        ahead[j] += h;
        back[j] -= h;
        cairn_set_get(block->set)->project(block, ahead, ahead);
        cairn_set_get(block->set)->project(block, back, back);
        for (int i = 0; i < dim; i++)
            jacobian[i * dim + j] = (ahead[i] - back[i]) / (2.0 * h);
    }
}

/* Largest entry of the difference of two dim x dim matrices. */
static double largest_difference(int dim, const double *a, const double *b) {
    double worst = 0.0;
    for (int i = 0; i < dim * dim; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Two steps that do not agree betray a kink between the points; such points are left out and counted. */
TEST(central_differences) {
    test_random r = {11};
    for (int s = 0; s < SAMPLES; s++) {
        const cairn_block *block = &samples[s];
        int dim = block->dim, used = 0, rounds = 400;
        for (int round = 0; round < rounds; round++) {
            double x[DIM], exact[DIM * DIM], coarse[DIM * DIM], fine[DIM * DIM];
            for (int i = 0; i < dim; i++)
                x[i] = 2.0 * test_random_signed(&r);
            double size = norm(dim - 1, x + 1);
            if (size > 0.0 && size < 0.05)
                continue; /* strong curvature: differences are not accurate */
            differences(block, x, 1e-4, coarse);
            differences(block, x, 1e-5, fine);
            if (largest_difference(dim, coarse, fine) > 1e-5)
                continue;
            used++;
            cairn_set_get(block->set)->derivative(block, x, exact);
            CHECK_NEAR(largest_difference(dim, exact, fine), 0.0, 1e-6);
        }
        CHECK(used > rounds / 2);
    }
}

/* x'Jx in [0, |x|^2] for random x, at random points and at members (kinks among them). */
TEST(symmetric_between_zero_and_identity) {
    test_random r = {12};
    for (int s = 0; s < SAMPLES; s++) {
        int dim = samples[s].dim;
        for (int round = 0; round < 400; round++) {
            double x[DIM], J[DIM * DIM], y[DIM], Jy[DIM];
            if (round % 2)
                random_member(&r, &samples[s], x);
            else
                random_point(&r, dim, x);
            cairn_set_get(samples[s].set)->derivative(&samples[s], x, J);
            for (int trial = 0; trial < 5; trial++) {
                random_point(&r, dim, y);
                for (int i = 0; i < dim; i++)
                    Jy[i] = dot(dim, J + i * dim, y);
                double quadratic = dot(dim, y, Jy), slack = 1e-9 * dot(dim, y, y);
                CHECK(quadratic >= -slack && quadratic <= dot(dim, y, y) + slack);
                CHECK(norm(dim, Jy) <= norm(dim, y) * (1.0 + 1e-9));
            }
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < i; j++)
                    CHECK_NEAR(J[i * dim + j], J[j * dim + i], 1e-15);
        }
    }
}

/* P of a cone is positively homogeneous: P(x) = J(x) x for every element J. */
TEST(cone_derivative_reproduces_projection) {
    static const double factor[] = {1e-300, 1e-160, 1.0, 1e160, 1e300};
    test_random r = {13};
    for (int s = 0; s < SAMPLES; s++) {
        if (samples[s].set != CAIRN_SET_CONE && samples[s].set != CAIRN_SET_DUAL_CONE)
            continue;
        int dim = samples[s].dim;
        for (int round = 0; round < 500; round++) {
            double x[DIM], z[DIM], J[DIM * DIM], k = factor[round % 5];
            random_point(&r, dim, x);
            for (int i = 0; i < dim; i++)
                x[i] *= k;
            cairn_set_get(samples[s].set)->project(&samples[s], x, z);
            cairn_set_get(samples[s].set)->derivative(&samples[s], x, J);
            for (int i = 0; i < dim; i++)
                CHECK_NEAR(dot(dim, J + i * dim, x) / k, z[i] / k, 1e-14 * (1.0 + norm(dim, x) / k));
        }
    }
}

static void check_diagonal(const cairn_block *block, double x_N, double x_T, double normal, double tangent) {
    double x[3] = {x_N, x_T, 0.0}, J[9];
    cairn_set_get(block->set)->derivative(block, x, J);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(J[i], i == 0 ? normal : i % 4 == 0 ? tangent : 0.0, 0.0);
}

/* Half line, half space, points and segments: sets without an inside, where I is not an element. */
TEST(degenerate_sets) {
    cairn_block line = {.set = CAIRN_SET_CONE, .dim = 3};
    check_diagonal(&line, 2.0, 0.0, 1.0, 0.0);
    check_diagonal(&line, 2.0, 1.0, 1.0, 0.0);
    check_diagonal(&line, -2.0, 0.0, 0.0, 0.0);
    check_diagonal(&line, -2.0, 1.0, 0.0, 0.0);
    cairn_block half = {.set = CAIRN_SET_DUAL_CONE, .dim = 3};
    check_diagonal(&half, 2.0, 0.0, 1.0, 1.0);
    check_diagonal(&half, -2.0, 0.0, 0.0, 1.0);
    check_diagonal(&half, -2.0, 1.0, 0.0, 1.0);
    cairn_block segment = {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .cap = 1.0};
    check_diagonal(&segment, 0.5, 0.0, 1.0, 0.0);
    check_diagonal(&segment, 1.5, 0.0, 0.0, 0.0);
    cairn_block point = {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.5, .cap = 0.0};
    check_diagonal(&point, 0.0, 0.0, 0.0, 0.0);
    check_diagonal(&point, 1.0, 0.1, 0.0, 0.0);
    cairn_block ball = {.set = CAIRN_SET_BALL, .dim = 3, .radius = 0.0};
    check_diagonal(&ball, 0.0, 0.0, 0.0, 0.0);
    cairn_block box = {.set = CAIRN_SET_BOX, .dim = 3, .lo = 1.0, .hi = 1.0};
    check_diagonal(&box, 1.0, 1.0, 0.0, 0.0);
    cairn_block cone = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    check_diagonal(&cone, 0.0, 0.0, 1.0, 1.0); /* apex: a limit from inside */
    check_diagonal(&cone, -1.0, 0.0, 0.0, 0.0);
}

static void own_derivative(void *user, int dim, const double *x, double *jacobian) {
    int *calls = user;
    (*calls)++;
    (void)x;
    for (int i = 0; i < dim * dim; i++)
        jacobian[i] = 7.0;
}

TEST(custom_derivative_is_used_when_there) {
    int calls = 0;
    cairn_custom_set custom = {.project = half_space_project, .derivative = own_derivative, .user = &calls};
    cairn_block block = {.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &custom};
    double x[2] = {3.0, 4.0}, J[4];
    cairn_set_get(block.set)->derivative(&block, x, J);
    CHECK(calls == 1 && J[0] == 7.0 && J[3] == 7.0);
    custom.derivative = NULL; /* differences of a plane: I - ee'/2 */
    cairn_set_get(block.set)->derivative(&block, x, J);
    CHECK(calls == 1);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(J[i], i % 3 == 0 ? 0.5 : -0.5, 1e-9);
    double zero[2] = {0.0, 0.0}; /* inside; the step must not be 0 */
    cairn_set_get(block.set)->derivative(&block, zero, J);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(J[i], i % 3 == 0 ? 1.0 : 0.0, 1e-9);
}

int main(void) {
    RUN(central_differences);
    RUN(symmetric_between_zero_and_identity);
    RUN(cone_derivative_reproduces_projection);
    RUN(degenerate_sets);
    RUN(custom_derivative_is_used_when_there);
    return test_end();
}
