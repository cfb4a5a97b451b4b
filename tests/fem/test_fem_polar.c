/*
 * Nearest rotations and principal stretches of all kinds of matrices: near rotations, squeezed, flat, inside out, zero.
 */
#include "fem/material/polar_decomposition.h"
#include "support/test.h"

#include <cairn/math.h>

static double inner(const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < 9; i++)
        sum += a[i] * b[i];
    return sum;
}

static void random_rotation(test_random *r, double *R) {
    cairn_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    cairn_mat3 M = cairn_quat_matrix(cairn_quat_unit(q));
    memcpy(R, M.m, 9 * sizeof *R);
}

static void compose(const double *A, const double *d, const double *B, double *out) { /* A diag(d) B' */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[3 * i] * d[0] * B[3 * j] + A[3 * i + 1] * d[1] * B[3 * j + 1] +
                             A[3 * i + 2] * d[2] * B[3 * j + 2];
}

static double determinant(const double *F) {
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static void check_rotation(const double *R, double tolerance) {
    const double one[3] = {1, 1, 1};
    double RR[9];
    compose(R, one, R, RR);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(RR[i], i % 4 == 0 ? 1.0 : 0.0, tolerance);
    CHECK_NEAR(determinant(R), 1.0, tolerance);
}

TEST(nearest_rotation_of_anything) {
    test_random r = {1};
    const double stretches[][3] = {{1, 1, 1},          {1.001, 0.999, 1.0002},
                                   {2, 1, 0.5},        {1, 1, 1e-3},
                                   {1, 1, 0},          {1, 0, 0},
                                   {0, 0, 0},          {1, 1, -0.2},
                                   {1, 0.9, -0.9},     {1, 1, -1},
                                   {1e-8, 1e-8, 1},    {1e6, 1, 1},
                                   {1e-9, 2e-9, 3e-9}, {-1, -1, -1}};
    for (size_t c = 0; c < sizeof stretches / sizeof stretches[0]; c++)
        for (int round = 0; round < 20; round++) {
            double A[9], B[9], F[9], R[9], S[9], U[9], V[9], s[3], back[9], size = 0.0;
            random_rotation(&r, A);
            random_rotation(&r, B);
            compose(A, stretches[c], B, F);
            for (int i = 0; i < 3; i++)
                size = fmax(size, fabs(stretches[c][i]));
            cairn_polar(F, R, S);
            check_rotation(R, 1e-12);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < i; j++)
                    CHECK_NEAR(S[3 * i + j], S[3 * j + i], 1e-12 * size);
            double best = inner(R, F);
            for (int trial = 0; trial < 200; trial++) { /* no other rotation is nearer */
                double Q[9];
                random_rotation(&r, Q);
                CHECK(inner(Q, F) <= best + 1e-12 * size);
            }
            cairn_stretches(F, U, V, s);
            compose(U, s, V, back);
            for (int i = 0; i < 9; i++)
                CHECK_NEAR(back[i], F[i], 1e-12 * size);
            CHECK((s[0] < -1e-12 * size) + (s[1] < -1e-12 * size) + (s[2] < -1e-12 * size) <= 1);
        }
}

/* From a rotation that is already near, the answer is right to the last digits. */
TEST(nearest_rotation_is_sharp) {
    test_random r = {2};
    for (int round = 0; round < 1000; round++) {
        double A[9], R[9], S[9], F[9];
        const double even[3] = {1.0 + 1e-9, 1.0 - 1e-9, 1.0};
        random_rotation(&r, A);
        compose(A, even, A, F); /* symmetric: its rotation is 1 */
        cairn_polar(F, R, S);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(R[i], i % 4 == 0 ? 1.0 : 0.0, 1e-14);
    }
}

TEST(eigenvectors) {
    test_random r = {3};
    for (int n = 2; n <= 6; n++)
        for (int round = 0; round < 50; round++) {
            double A[36], D[36], V[36];
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    A[n * i + j] = A[n * j + i] = test_random_signed(&r);
            memcpy(D, A, sizeof D);
            cairn_eigen(n, D, V);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0.0, unit = 0.0;
                    for (int k = 0; k < n; k++) {
                        sum += V[n * i + k] * D[(n + 1) * k] * V[n * j + k];
                        unit += V[n * i + k] * V[n * j + k];
                    }
                    CHECK_NEAR(sum, A[n * i + j], 1e-13);
                    CHECK_NEAR(unit, i == j ? 1.0 : 0.0, 1e-13);
                }
        }
}

/* Equal on the diagonal, beside it so small that squares vanish. */
TEST(eigenvectors_of_nearly_nothing) {
    for (int k = 0; k < 3; k++) {
        double S[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, V[9], s[3];
        S[1] = S[3] = k == 0 ? 1e-170 : 1e-3;
        S[2] = S[6] = k == 1 ? 1e-170 : 0.0;
        S[5] = S[7] = k == 2 ? -1e-200 : 0.0;
        cairn_eigen3(S, V, s);
        for (int i = 0; i < 9; i++)
            CHECK(fabs(V[i]) <= 1.0 + 1e-15);
        CHECK_NEAR(s[0] + s[1] + s[2], 6.0, 1e-14);
    }
}

int main(void) {
    RUN(eigenvectors_of_nearly_nothing);
    RUN(nearest_rotation_of_anything);
    RUN(nearest_rotation_is_sharp);
    RUN(eigenvectors);
    return test_end();
}
