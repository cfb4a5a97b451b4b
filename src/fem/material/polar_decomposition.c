/*
 * polar_decomposition.c: nearest rotation in closed form.
 *
 *     s = max over rotations of tr(R'F) = sum of the (signed) singular values is the largest root of
 *         p(s) = s^4 - 2 I s^2 - 8 J s + I^2 - 4 |cof F|^2,      I = |F|^2, J = det F
 *     R = ds/dF = ((s^2 + I) F + 2 s cof F - 2 F F'F) / (s^3 - I s - 2 J)
 *
 * p is the characteristic polynomial of Horn's 4 x 4 matrix [Horn]; differentiating p(s(F)) = 0 gives R, because ds = R : dF [LCK].
 * Newton from above, s <= sqrt(3 I), falls without swinging; near a rotation it takes one or two rounds. The
 * denominator is 2 (s1 + s2)(s2 + s3)(s3 + s1); where it is small (flat to a line, or inside out) the eigenvector of
 * Horn's matrix gives R as a unit quaternion.
 */
#include "fem/material/polar_decomposition.h"

#include "base/core.h"

#include <cairn/math.h>

#include <math.h>

#define NEWTON_MAX  60
#define JACOBI_MAX  30
#define DEGENERATE  0.01 /* smallest denominator over s^3; at rest 16 / 27 */
#define JACOBI_DONE 1e-300

/* One turn of Jacobi in the plane (p, q): A <- J'AJ, V <- V J with A(p, q) = 0 after. n x n, row by row. */
static void jacobi_turn(int n, double *A, double *V, int p, int q) {
    double apq = A[n * p + q];
    if (fabs(apq) <= JACOBI_DONE)
        return;
    double theta = 0.5 * (A[n * q + q] - A[n * p + p]) / apq;
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    A[n * p + p] -= t * apq;
    A[n * q + q] += t * apq;
    A[n * p + q] = A[n * q + p] = 0.0;
    for (int k = 0; k < n; k++) {
        if (k != p && k != q) {
            double akp = A[n * k + p], akq = A[n * k + q];
            A[n * k + p] = A[n * p + k] = c * akp - s * akq;
            A[n * k + q] = A[n * q + k] = s * akp + c * akq;
        }
        double vkp = V[n * k + p], vkq = V[n * k + q];
        V[n * k + p] = c * vkp - s * vkq;
        V[n * k + q] = s * vkp + c * vkq;
    }
}

void cairn_eigen(int n, double *A, double *V) {
    for (int i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < JACOBI_MAX; sweep++) {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                all += A[n * i + j] * A[n * i + j];
                if (i != j)
                    off += A[n * i + j] * A[n * i + j];
            }
        if (!(off > 1e-32 * all))
            return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                jacobi_turn(n, A, V, p, q);
    }
}

/* One turn of Jacobi in the plane (p, q) of a 3 x 3 matrix; r is the third axis. */
CAIRN_INLINE void turn3(double *A, double *V, int p, int q, int r) {
    double apq = A[3 * p + q], d = A[4 * q] - A[4 * p], root = sqrt(d * d + 4.0 * apq * apq);
    double t = root > 0.0 ? 2.0 * apq / (d < 0.0 ? d - root : d + root) : 0.0;
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c, arp = A[3 * r + p], arq = A[3 * r + q];
    A[4 * p] -= t * apq;
    A[4 * q] += t * apq;
    A[3 * p + q] = A[3 * q + p] = 0.0;
    A[3 * r + p] = A[3 * p + r] = c * arp - s * arq;
    A[3 * r + q] = A[3 * q + r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        double vp = V[3 * k + p], vq = V[3 * k + q];
        V[3 * k + p] = c * vp - s * vq;
        V[3 * k + q] = s * vp + c * vq;
    }
}

void cairn_eigen3(const double S[9], double V[9], double sigma[3]) {
    double A[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A[3 * i + j] = 0.5 * (S[3 * i + j] + S[3 * j + i]);
            V[3 * i + j] = i == j ? 1.0 : 0.0;
        }
    for (int sweep = 0; sweep < JACOBI_MAX; sweep++) {
        double off = A[1] * A[1] + A[2] * A[2] + A[5] * A[5];
        if (!(off > 1e-33 * (A[0] * A[0] + A[4] * A[4] + A[8] * A[8])))
            break;
        turn3(A, V, 0, 1, 2);
        turn3(A, V, 0, 2, 1);
        turn3(A, V, 1, 2, 0);
    }
    for (int i = 0; i < 3; i++)
        sigma[i] = A[4 * i];
}

/* R from the eigenvector of the largest eigenvalue of Horn's matrix. F must not be 0. */
static void by_quaternion(const double F[9], double R[9]) {
    double A[16] = {F[0] + F[4] + F[8], F[7] - F[5],        F[2] - F[6],         F[3] - F[1],
                    F[7] - F[5],        F[0] - F[4] - F[8], F[1] + F[3],         F[2] + F[6],
                    F[2] - F[6],        F[1] + F[3],        -F[0] + F[4] - F[8], F[5] + F[7],
                    F[3] - F[1],        F[2] + F[6],        F[5] + F[7],         -F[0] - F[4] + F[8]};
    double V[16];
    cairn_eigen(4, A, V);
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (A[5 * i] > A[5 * best])
            best = i;
    cairn_quat q = cairn_quat_unit((cairn_quat){V[best], V[4 + best], V[8 + best], V[12 + best]});
    cairn_mat3 M = cairn_quat_matrix(q);
    for (int i = 0; i < 9; i++)
        R[i] = M.m[i / 3][i % 3];
}

/* The largest root of p; most: a bound from above. */
static double largest_root(double I, double J, double constant, double most) {
    double s = most;
    for (int round = 0; round < NEWTON_MAX; round++) {
        double square = s * s, value = (square - 2.0 * I) * square - 8.0 * J * s + constant;
        double slope = 4.0 * ((square - I) * s - 2.0 * J), next = s - value / slope;
        if (!(slope > 0.0) || !(next < s))
            break;
        double moved = s - next;
        s = next;
        if (moved <= 1e-9 * s) { /* the error after is of the order of the square */
            square = s * s;
            value = (square - 2.0 * I) * square - 8.0 * J * s + constant;
            s -= value / (4.0 * ((square - I) * s - 2.0 * J));
            break;
        }
    }
    return s;
}

void cairn_polar(const double F[9], double R[9], double S[9]) {
    double cof[9] = {F[4] * F[8] - F[5] * F[7], F[5] * F[6] - F[3] * F[8], F[3] * F[7] - F[4] * F[6],
                     F[2] * F[7] - F[1] * F[8], F[0] * F[8] - F[2] * F[6], F[1] * F[6] - F[0] * F[7],
                     F[1] * F[5] - F[2] * F[4], F[2] * F[3] - F[0] * F[5], F[0] * F[4] - F[1] * F[3]};
    double I = 0.0, second = 0.0;
    for (int i = 0; i < 9; i++) {
        I += F[i] * F[i];
        second += cof[i] * cof[i];
    }
    double J = F[0] * cof[0] + F[1] * cof[1] + F[2] * cof[2];
    double s = largest_root(I, J, I * I - 4.0 * second, sqrt(3.0 * I));
    double below = (s * s - I) * s - 2.0 * J;
    if (below > DEGENERATE * s * s * s) {
        double C[9]; /* F'F */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                C[3 * i + j] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
        double a = (s * s + I) / below, b = 2.0 * s / below, c = 2.0 / below;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                R[3 * i + j] = a * F[3 * i + j] + b * cof[3 * i + j] -
                               c * (F[3 * i] * C[j] + F[3 * i + 1] * C[3 + j] + F[3 * i + 2] * C[6 + j]);
    } else if (I > 0.0) {
        by_quaternion(F, R);
    } else {
        for (int i = 0; i < 9; i++)
            R[i] = i % 4 == 0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[3 * i + j] = R[i] * F[j] + R[3 + i] * F[3 + j] + R[6 + i] * F[6 + j];
}

void cairn_stretches(const double F[9], double U[9], double V[9], double sigma[3]) {
    double R[9], S[9];
    cairn_polar(F, R, S);
    cairn_eigen3(S, V, sigma);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            U[3 * i + j] = R[3 * i] * V[j] + R[3 * i + 1] * V[3 + j] + R[3 * i + 2] * V[6 + j];
}
