/*
 * test_sets_projection.c: what every projection must do: land in the set, leave members alone, never expand, satisfy
 * the variational inequality that defines it, allow aliasing, and keep NaN.
 */
#include "test_sets_samples.h"

static void project(const cairn_block *block, const double *x, double *out) {
    cairn_set_get(block->set)->project(block, x, out);
}

TEST(in_the_set_and_idempotent) {
    test_random r = {1};
    for (int s = 0; s < SAMPLES; s++)
        for (int round = 0; round < 500; round++) {
            double x[DIM], z[DIM], again[DIM];
            random_point(&r, samples[s].dim, x);
            project(&samples[s], x, z);
            double tolerance = 1e-14 * (1.0 + norm(samples[s].dim, x));
            CHECK_NEAR(violation(&samples[s], z), 0.0, 4.0 * tolerance);
            project(&samples[s], z, again);
            CHECK_NEAR(norm_difference(samples[s].dim, z, again), 0.0, tolerance);
            CHECK_NEAR(cairn_set_distance(&samples[s], x), norm_difference(samples[s].dim, x, z), tolerance);
        }
}

TEST(members_stay) {
    test_random r = {2};
    for (int s = 0; s < SAMPLES; s++)
        for (int round = 0; round < 300; round++) {
            double y[DIM], z[DIM];
            random_member(&r, &samples[s], y);
            double tolerance = 1e-14 * (1.0 + norm(samples[s].dim, y));
            CHECK_NEAR(violation(&samples[s], y), 0.0, 10.0 * tolerance);
            project(&samples[s], y, z);
            CHECK_NEAR(norm_difference(samples[s].dim, y, z), 0.0, 10.0 * tolerance);
        }
}

/* (x - P(x))'(y - P(x)) <= 0 for every member y. Together with membership this is the definition of P(x). */
TEST(variational_inequality) {
    test_random r = {3};
    for (int s = 0; s < SAMPLES; s++) {
        int dim = samples[s].dim;
        for (int round = 0; round < 300; round++) {
            double x[DIM], z[DIM], y[DIM], a[DIM], b[DIM];
            random_point(&r, dim, x);
            project(&samples[s], x, z);
            for (int trial = 0; trial < 30; trial++) {
                random_member(&r, &samples[s], y);
                for (int i = 0; i < dim; i++) {
                    a[i] = x[i] - z[i];
                    b[i] = y[i] - z[i];
                }
                CHECK(dot(dim, a, b) <= 1e-13 * (1.0 + norm(dim, x) * (norm(dim, y) + norm(dim, z))));
            }
        }
    }
}

/* |P(x) - P(y)|^2 <= (P(x) - P(y))'(x - y): firmly nonexpansive, hence nonexpansive. */
TEST(firmly_nonexpansive) {
    test_random r = {4};
    for (int s = 0; s < SAMPLES; s++) {
        int dim = samples[s].dim;
        for (int round = 0; round < 500; round++) {
            double x[DIM], y[DIM], px[DIM], py[DIM], a[DIM], b[DIM];
            random_point(&r, dim, x);
            random_point(&r, dim, y);
            project(&samples[s], x, px);
            project(&samples[s], y, py);
            for (int i = 0; i < dim; i++) {
                a[i] = px[i] - py[i];
                b[i] = x[i] - y[i];
            }
            double slack = 1e-13 * (1.0 + norm(dim, x) + norm(dim, y));
            CHECK(dot(dim, a, a) <= dot(dim, a, b) + slack);
            CHECK(norm(dim, a) <= norm(dim, b) + slack);
        }
    }
}

TEST(aliasing) {
    test_random r = {5};
    for (int s = 0; s < SAMPLES; s++)
        for (int round = 0; round < 200; round++) {
            double x[DIM], z[DIM];
            random_point(&r, samples[s].dim, x);
            project(&samples[s], x, z);
            project(&samples[s], x, x);
            CHECK(memcmp(x, z, (size_t)samples[s].dim * sizeof *x) == 0);
        }
}

/* A NaN must be seen by the caller; turning it into 0 would hide a failed solve. */
TEST(not_a_number_is_kept) {
    test_random r = {6};
    for (int s = 0; s < SAMPLES; s++)
        for (int bad = 0; bad < samples[s].dim; bad++)
            for (int round = 0; round < 20; round++) {
                double x[DIM], z[DIM];
                random_point(&r, samples[s].dim, x);
                x[bad] = NAN;
                project(&samples[s], x, z);
                bool found = false;
                for (int i = 0; i < samples[s].dim; i++)
                    found = found || isnan(z[i]);
                CHECK(found);
            }
}

/* For the cones P(k x) = k P(x) for every k > 0, from 1e-300 to 1e300. */
TEST(extreme_magnitudes_of_cones) {
    static const double factor[] = {1e-300, 1e-160, 1e-140, 1e140, 1e160, 1e300};
    test_random r = {7};
    for (int s = 0; s < SAMPLES; s++) {
        if (samples[s].set != CAIRN_SET_CONE && samples[s].set != CAIRN_SET_DUAL_CONE &&
            samples[s].set != CAIRN_SET_POLY_CONE)
            continue;
        for (int round = 0; round < 600; round++) {
            double x[DIM], z[DIM], kx[DIM], kz[DIM];
            double k = factor[round % 6];
            random_point(&r, samples[s].dim, x);
            for (int i = 0; i < samples[s].dim; i++)
                kx[i] = k * x[i];
            project(&samples[s], x, z);
            project(&samples[s], kx, kz);
            for (int i = 0; i < samples[s].dim; i++)
                CHECK_NEAR(kz[i] / k, z[i], 1e-13 * norm(samples[s].dim, x));
        }
    }
}

/* The table of [theory 1] in long double, whose exponents reach 1e4932: cone K, its dual (Moreau), K with the region
 * tests of the capped cone, and K shifted. Blocks of dimension 3. */
static void reference(const cairn_block *block, const double *x, long double *z) {
    long double mu = block->mu, sign = block->set == CAIRN_SET_DUAL_CONE ? -1.0L : 1.0L;
    long double shift = block->set == CAIRN_SET_SHIFTED_CONE ? (long double)block->adhesion : 0.0L;
    long double n = sign * (long double)x[0] + shift, t = hypotl((long double)x[1], (long double)x[2]);
    long double a = (n + mu * t) / (1.0L + mu * mu), rim = mu * (long double)block->cap;
    long double z_N = a, z_T = mu * a;
    if (n >= 0.0L && t <= mu * n) {
        z_N = n;
        z_T = t;
    } else if (mu * t <= -n) {
        z_N = z_T = 0.0L;
    }
    if (block->set == CAIRN_SET_CAPPED_CONE && n >= (long double)block->cap && t <= rim) { /* cap */
        z_N = block->cap;
        z_T = t;
    } else if (block->set == CAIRN_SET_CAPPED_CONE && t >= rim && a >= (long double)block->cap) { /* rim */
        z_N = block->cap;
        z_T = rim;
    }
    long double factor = t > 0.0L ? sign * z_T / t : 0.0L;
    z[0] = z_N - shift;
    z[1] = factor * (long double)x[1];
    z[2] = factor * (long double)x[2];
    if (block->set == CAIRN_SET_DUAL_CONE)
        for (int i = 0; i < 3; i++)
            z[i] += (long double)x[i];
}

/* Every combination of huge, tiny and moderate components and mu. */
TEST(extreme_mixtures) {
    static const double size[] = {0.0, 5e-324, 1e-300, 1e-155, 1e-8, 1.0, 1e8, 1e155, 1e300};
    enum { SIZES = sizeof size / sizeof size[0] };
    static const cairn_set_kind kind[] = {CAIRN_SET_CONE, CAIRN_SET_DUAL_CONE, CAIRN_SET_CAPPED_CONE,
                                          CAIRN_SET_SHIFTED_CONE};
    for (int which = 0; which < 4 * SIZES; which++)
        for (int point = 0; point < 2 * SIZES * SIZES; point++) {
            cairn_block block = {.set = kind[which % 4], .dim = 3, .mu = size[which / 4], .cap = 1.0, .adhesion = 1.0};
            int n = point / 2 % SIZES, t = point / 2 / SIZES;
            double x[3] = {point % 2 ? -size[n] : size[n], 0.6 * size[t], -0.8 * size[t]}, z[3];
            long double expected[3];
            project(&block, x, z);
            reference(&block, x, expected);
            double scale = fmax(size[n], size[t]) + (block.set == CAIRN_SET_SHIFTED_CONE ? 1.0 : 0.0);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(z[i], (double)expected[i], 2e-15 * scale + 1e-323);
        }
}

/* The same against random points of moderate size. */
TEST(closed_forms) {
    test_random r = {8};
    for (int s = 0; s < SAMPLES; s++) {
        cairn_set_kind kind = samples[s].set;
        if (samples[s].dim != 3 || (kind != CAIRN_SET_CONE && kind != CAIRN_SET_DUAL_CONE &&
                                    kind != CAIRN_SET_CAPPED_CONE && kind != CAIRN_SET_SHIFTED_CONE))
            continue;
        for (int round = 0; round < 1000; round++) {
            double x[3], z[3];
            long double expected[3];
            random_point(&r, 3, x);
            project(&samples[s], x, z);
            reference(&samples[s], x, expected);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(z[i], (double)expected[i], 2e-15 * (norm(3, x) + 1.0));
        }
    }
}

TEST(extreme_balls) {
    static const double size[] = {1e-300, 1e-155, 1.0, 1e155, 1e300};
    for (int radius = 0; radius < 5; radius++)
        for (int point = 0; point < 5; point++) {
            cairn_block block = {.set = CAIRN_SET_BALL, .dim = 2, .radius = size[radius]};
            double x[2] = {0.6 * size[point], 0.8 * size[point]}, z[2];
            project(&block, x, z);
            double expected = fmin(size[radius], size[point]);
            CHECK_NEAR(z[0] / expected, 0.6, 1e-14);
            CHECK_NEAR(z[1] / expected, 0.8, 1e-14);
        }
}

int main(void) {
    RUN(in_the_set_and_idempotent);
    RUN(members_stay);
    RUN(variational_inequality);
    RUN(firmly_nonexpansive);
    RUN(aliasing);
    RUN(not_a_number_is_kept);
    RUN(extreme_magnitudes_of_cones);
    RUN(extreme_mixtures);
    RUN(closed_forms);
    RUN(extreme_balls);
    return test_end();
}
