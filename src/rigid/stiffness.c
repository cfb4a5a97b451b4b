/*
 * stiffness.c: geometric stiffness of forces at arms [theory 7].
 *
 * A force f that keeps its world direction turns by -t x f in the axes of a body that turns by t, so its torque about the centre changes by
 * -s x (t x f) = -((s'f) I - f s') t. Eigenvalues by Jacobi's rotations: three sides, a handful of sweeps.
 */
#include "rigid/stiffness.h"

#include <math.h>

#define SWEEPS 12

void cairn_stiffness_add(cairn_mat3 *K, cairn_vec3 s, cairn_vec3 f) {
    const double a[3] = {s.x, s.y, s.z}, b[3] = {f.x, f.y, f.z};
    double dot = cairn_vec3_dot(s, f);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K->m[i][j] += (i == j ? dot : 0.0) - b[i] * a[j];
}

/* One rotation in the plane (p, q) that makes A_pq zero; V collects them. */
static void rotate(double A[3][3], double V[3][3], int p, int q) {
    if (A[p][q] == 0.0)
        return;
    double ratio = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    double t = (ratio >= 0.0 ? 1.0 : -1.0) / (fabs(ratio) + sqrt(ratio * ratio + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double x = A[k][p], y = A[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = A[p][k], y = A[q][k];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
        x = V[k][p];
        y = V[k][q];
        V[k][p] = c * x - s * y;
        V[k][q] = s * x + c * y;
    }
}

void cairn_stiffness_clamp(cairn_mat3 *K) {
    double A[3][3], V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, size = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A[i][j] = 0.5 * (K->m[i][j] + K->m[j][i]);
            size = fmax(size, fabs(A[i][j]));
        }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if (fabs(A[0][1]) + fabs(A[0][2]) + fabs(A[1][2]) <= 1e-15 * size)
            break;
        rotate(A, V, 0, 1);
        rotate(A, V, 0, 2);
        rotate(A, V, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += fmax(0.0, A[k][k]) * V[i][k] * V[j][k];
            K->m[i][j] = K->m[j][i] = sum;
        }
}
