/*
 * test_linalg_lanczos.c: extreme eigenvalues by Lanczos runs: known spectra, the upper bound on spectra made to deceive it, small and
 * empty operators, numbers that are not finite, the same bits on every run.
 */
#include "support/test.h"
#include "linalg/lanczos.h"

#include <float.h>

#define MAX_N 4000

typedef struct diagonal {
    int n, products;
    double value[MAX_N];
} diagonal;

static diagonal M;
static double work[3 * MAX_N];

static void multiply(void *user, const double *x, double *y) {
    diagonal *m = user;
    m->products++;
    for (int i = 0; i < m->n; i++)
        y[i] = m->value[i] * x[i];
}

/* -1, 2, -1 with n rows: 2 - 2 cos(k pi / (n + 1)) */
static void second_difference(void *user, const double *x, double *y) {
    int n = *(const int *)user;
    for (int i = 0; i < n; i++)
        y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < n ? x[i + 1] : 0.0);
}

static cairn_extremes run(int steps) {
    M.products = 0;
    cairn_extremes s = cairn_lanczos(M.n, steps, multiply, &M, work);
    CHECK(s.steps == M.products && s.steps <= steps);
    return s;
}

TEST(small_operators_are_exact) {
    M = (diagonal){.n = 5, .value = {3.0, -2.0, 0.5, 7.0, 1.0}};
    cairn_extremes s = run(50);
    CHECK(s.steps >= 5);
    CHECK_NEAR(s.smallest, -2.0, 1e-12);
    CHECK_NEAR(s.largest, 7.0, 1e-12);
    CHECK(s.upper >= 7.0 * (1.0 - 1e-13) && s.upper < 7.5);
    M = (diagonal){.n = 1, .value = {4.0}};
    s = run(10);
    CHECK(s.steps == 1 && s.smallest == s.largest);
    CHECK_NEAR(s.largest, 4.0, 1e-15);
    M.n = 0;
    s = run(10);
    CHECK(s.steps == 0 && s.largest == 0.0 && s.upper == 0.0);
    M = (diagonal){.n = 300}; /* the zero operator */
    s = run(10);
    CHECK(s.steps == 1 && s.largest == 0.0 && s.upper == 0.0);
    for (int i = 0; i < 300; i++)
        M.value[i] = i % 3; /* three eigenvalues: three steps */
    s = run(50);
    CHECK(s.steps <= 5);
    CHECK_NEAR(s.largest, 2.0, 1e-12);
    CHECK_NEAR(s.smallest, 0.0, 1e-12);
}

TEST(second_differences) {
    int n = 200;
    cairn_extremes s = cairn_lanczos(n, CAIRN_LANCZOS_STEPS, second_difference, &n, work);
    double largest = 2.0 - 2.0 * cos(n * 3.14159265358979323846 / (n + 1));
    CHECK(s.largest <= largest * (1.0 + 1e-13));
    CHECK_NEAR(s.largest, largest, 2e-3);
    CHECK(s.upper >= largest && s.upper < 1.03 * largest);
    CHECK(s.smallest > 0.0 && s.smallest < 5e-3);
}

/* Spectra of many shapes and sizes, few steps: upper is above the largest eigenvalue, and not by much more than promised. */
TEST(upper_bounds) {
    test_random r = {4};
    for (int shape = 0; shape < 5; shape++)
        for (int n = 50; n <= MAX_N; n *= 3)
            for (int steps = 15; steps <= 60; steps += 15) {
                double largest = 0.0;
                M.n = n;
                for (int i = 0; i < n; i++) {
                    double t = (i + 0.5) / n;
                    double value[5] = {t,                                     /* even */
                                       1.0 - t * t * t,                       /* crowded below the top */
                                       pow(10.0, -12.0 * t),                  /* of every size */
                                       i == n / 2 ? 1.0 : 0.99 * t,           /* one alone, just above the rest */
                                       test_random_unit(&r) < 0.5 ? t : 0.0}; /* semidefinite */
                    M.value[i] = value[shape];
                    largest = fmax(largest, M.value[i]);
                }
                cairn_extremes s = run(steps);
                CHECK(s.largest <= largest * (1.0 + 1e-12));
                CHECK(s.upper >= largest);
                if (steps >= 30)
                    CHECK(s.upper <= 1.25 * largest);
            }
}

TEST(bad_numbers_and_bits) {
    M.n = 100;
    for (int i = 0; i < 100; i++)
        M.value[i] = 1.0 + i;
    cairn_extremes a = run(20), b = run(20);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    M.value[50] = NAN;
    a = run(20);
    CHECK(isnan(a.largest) && isnan(a.smallest) && isnan(a.upper));
    M.value[50] = 1e200; /* its square overflows */
    a = run(20);
    CHECK(isnan(a.upper) || a.upper >= 1e200);
}

int main(void) {
    RUN(small_operators_are_exact);
    RUN(second_differences);
    RUN(upper_bounds);
    RUN(bad_numbers_and_bits);
    return test_end();
}
