/*
 * test_sets_cone.c: what is special to friction: Moreau's decomposition, mu = 0, the regions of the capped cone, the
 * loop over dimension 3, and the resolvent of the exact Coulomb law.
 */
#include "test_sets_samples.h"

/* x = P_K(x) - P_K*(-x), and the two parts are orthogonal. */
TEST(moreau) {
    static const double mu[] = {0.0, 1e-8, 0.1, 0.7, 1.0, 5.0, 1e8};
    test_random r = {31};
    for (int round = 0; round < 3000; round++) {
        cairn_block cone = {.set = CAIRN_SET_CONE, .dim = 2 + round % 2, .mu = mu[round % 7]}, dual = cone;
        dual.set = CAIRN_SET_DUAL_CONE;
        double x[3] = {0}, minus[3], p[3], q[3];
        random_point(&r, cone.dim, x);
        for (int i = 0; i < cone.dim; i++)
            minus[i] = -x[i];
        cairn_set_get(cone.set)->project(&cone, x, p);
        cairn_set_get(dual.set)->project(&dual, minus, q);
        double size = norm(cone.dim, x);
        for (int i = 0; i < cone.dim; i++)
            CHECK_NEAR(p[i] - q[i], x[i], 1e-15 * size);
        CHECK_NEAR(dot(cone.dim, p, q), 0.0, 1e-15 * size * size);
    }
}

static void check_project(const cairn_block *block, const double *x, const double *expected) {
    double z[3];
    cairn_set_get(block->set)->project(block, x, z);
    for (int i = 0; i < block->dim; i++)
        CHECK_NEAR(z[i], expected[i], 1e-15 * (1.0 + fabs(expected[i])));
}

TEST(no_friction) {
    cairn_block line = {.set = CAIRN_SET_CONE, .dim = 3}, half = {.set = CAIRN_SET_DUAL_CONE, .dim = 3};
    check_project(&line, (const double[]){2.0, 3.0, 4.0}, (const double[]){2.0, 0.0, 0.0});
    check_project(&line, (const double[]){-2.0, 3.0, 4.0}, (const double[]){0.0, 0.0, 0.0});
    check_project(&line, (const double[]){-2.0, 0.0, 0.0}, (const double[]){0.0, 0.0, 0.0});
    check_project(&half, (const double[]){2.0, 3.0, 4.0}, (const double[]){2.0, 3.0, 4.0});
    check_project(&half, (const double[]){-2.0, 3.0, 4.0}, (const double[]){0.0, 3.0, 4.0});
    check_project(&half, (const double[]){-2.0, 0.0, 0.0}, (const double[]){0.0, 0.0, 0.0});
    line.dim = half.dim = 2;
    check_project(&line, (const double[]){-2.0, 0.0}, (const double[]){0.0, 0.0});
    check_project(&line, (const double[]){2.0, -1.0}, (const double[]){2.0, 0.0});
    check_project(&half, (const double[]){-2.0, -1.0}, (const double[]){0.0, -1.0});
}

TEST(on_the_axis) {
    cairn_block cone = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    check_project(&cone, (const double[]){0.0, 0.0, 0.0}, (const double[]){0.0, 0.0, 0.0});
    check_project(&cone, (const double[]){1.0, 0.0, 0.0}, (const double[]){1.0, 0.0, 0.0});
    check_project(&cone, (const double[]){-1.0, 0.0, 0.0}, (const double[]){0.0, 0.0, 0.0});
    check_project(&cone, (const double[]){0.0, 3.0, 4.0}, (const double[]){2.0, 0.6, 0.8});
}

/* mu = 1, cap = 1: corners (0,0), (1,0), (1,1) of the half plane. One point a region. */
TEST(capped_regions) {
    cairn_block block = {.set = CAIRN_SET_CAPPED_CONE, .dim = 2, .mu = 1.0, .cap = 1.0};
    check_project(&block, (const double[]){0.5, 0.2}, (const double[]){0.5, 0.2});   /* inside */
    check_project(&block, (const double[]){-1.0, 0.5}, (const double[]){0.0, 0.0});  /* apex */
    check_project(&block, (const double[]){0.0, -1.0}, (const double[]){0.5, -0.5}); /* slant */
    check_project(&block, (const double[]){0.5, 3.0}, (const double[]){1.0, 1.0});   /* rim, from the slant's side */
    check_project(&block, (const double[]){3.0, -1.5}, (const double[]){1.0, -1.0}); /* rim, inside the cone */
    check_project(&block, (const double[]){3.0, 0.7}, (const double[]){1.0, 0.7});   /* cap */
    block.dim = 3;
    check_project(&block, (const double[]){0.5, 3.0, 4.0}, (const double[]){1.0, 0.6, 0.8});
    check_project(&block, (const double[]){7.0, 0.3, 0.4}, (const double[]){1.0, 0.3, 0.4});
}

TEST(shifted) {
    cairn_block block = {.set = CAIRN_SET_SHIFTED_CONE, .dim = 2, .mu = 1.0, .adhesion = 2.0};
    check_project(&block, (const double[]){-1.0, 0.5}, (const double[]){-1.0, 0.5});
    check_project(&block, (const double[]){-5.0, 0.5}, (const double[]){-2.0, 0.0});
    check_project(&block, (const double[]){-2.0, 1.0}, (const double[]){-1.5, 0.5});
    double tiny[2] = {1e-20, 0.5}, z[2]; /* a member comes back to the last bit */
    cairn_set_get(block.set)->project(&block, tiny, z);
    CHECK(z[0] == tiny[0] && z[1] == tiny[1]);
}

/* Magnitudes that leave the fast loop, points of the axis and ordinary ones, side by side, against one call each. */
TEST(run_of_cones) {
    enum { COUNT = 200 };
    static cairn_block block[COUNT];
    static double x[3 * COUNT], run[3 * COUNT], single[3 * COUNT];
    test_random r = {32};
    for (int i = 0; i < COUNT; i++) {
        block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = i % 5 ? 2.0 * test_random_unit(&r) : 0.0};
        random_point(&r, 3, x + 3 * i);
        for (int j = 0; j < 3; j++)
            x[3 * i + j] *= i % 7 == 1 ? 1e-200 : i % 7 == 2 ? 1e200 : i % 7 == 3 && j > 0 ? 0.0 : 1.0;
        cairn_set_get(CAIRN_SET_CONE)->project(&block[i], x + 3 * i, single + 3 * i);
    }
    cairn_set_project_run(CAIRN_SET_CONE, 3, COUNT, block, x, run);
    CHECK(memcmp(run, single, sizeof run) == 0);
    cairn_set_project_run(CAIRN_SET_CONE, 3, COUNT, block, x, x);
    CHECK(memcmp(x, single, sizeof x) == 0);
}

/* z = resolvent(x), u = theta (z - x). The exact law: z = P_K(z - rho (u + Phi(u))) for every rho > 0. */
TEST(resolvent_satisfies_the_exact_law) {
    test_random r = {33};
    int sliding = 0, sticking = 0, open = 0;
    for (int round = 0; round < 5000; round++) {
        cairn_block block = {.set = CAIRN_SET_CONE, .dim = 2 + round % 2};
        block.mu = round % 10 ? 1.5 * test_random_unit(&r) : 0.0;
        double theta_N = 0.1 + 5.0 * test_random_unit(&r), theta_T = 0.1 + 5.0 * test_random_unit(&r);
        double rho = 0.1 + 3.0 * test_random_unit(&r);
        double x[3], z[3], u[3], back[3];
        random_point(&r, block.dim, x);
        cairn_cone_resolvent(block.dim, block.mu, x, z);
        for (int i = 0; i < block.dim; i++)
            u[i] = (i == 0 ? theta_N : theta_T) * (z[i] - x[i]);
        double slip = norm(block.dim - 1, u + 1), size = 1e-13 * (1.0 + norm(block.dim, x));
        open += z[0] == 0.0;
        sliding += z[0] > 0.0 && slip > 0.0;
        sticking += z[0] > 0.0 && slip == 0.0;
        CHECK(u[0] >= 0.0 && z[0] >= 0.0 && u[0] * z[0] == 0.0);
        CHECK(norm(block.dim - 1, z + 1) <= block.mu * z[0] + size);
        CHECK_NEAR(dot(block.dim - 1, u + 1, z + 1), -block.mu * z[0] * slip, size * (1.0 + norm(block.dim, u)));
        for (int i = 0; i < block.dim; i++)
            back[i] = z[i] - rho * (u[i] + (i == 0 ? block.mu * slip : 0.0));
        cairn_set_get(block.set)->project(&block, back, back);
        CHECK_NEAR(norm_difference(block.dim, z, back), 0.0, 100.0 * size);
        cairn_cone_resolvent(block.dim, block.mu, x, x);
        CHECK(memcmp(x, z, (size_t)block.dim * sizeof *x) == 0);
    }
    CHECK(sliding > 500 && sticking > 200 && open > 500);
}

TEST(resolvent_extremes) {
    double z[3];
    cairn_cone_resolvent(3, 0.5, (const double[]){1e300, 3e300, 4e300}, z);
    CHECK_NEAR(z[0] / 1e300, 1.0, 0.0);
    CHECK_NEAR(z[1] / 1e300, 0.3, 1e-15);
    CHECK_NEAR(z[2] / 1e300, 0.4, 1e-15);
    cairn_cone_resolvent(3, 0.5, (const double[]){1e-300, 3e-300, 4e-300}, z);
    CHECK_NEAR(z[1] / 1e-300, 0.3, 1e-15);
    cairn_cone_resolvent(3, 0.0, (const double[]){1.0, 0.0, 0.0}, z);
    CHECK(z[0] == 1.0 && z[1] == 0.0 && z[2] == 0.0);
    cairn_cone_resolvent(3, 0.5, (const double[]){NAN, 1.0, 0.0}, z);
    CHECK(isnan(z[0]));
    cairn_cone_resolvent(3, 0.5, (const double[]){1.0, NAN, 0.0}, z);
    CHECK(isnan(z[1]));
}

int main(void) {
    RUN(moreau);
    RUN(no_friction);
    RUN(on_the_axis);
    RUN(capped_regions);
    RUN(shifted);
    RUN(run_of_cones);
    RUN(resolvent_satisfies_the_exact_law);
    RUN(resolvent_extremes);
    return test_end();
}
