/*
 * part_mass.c: how a part moves as a whole: moments of its mass, the rotation nearest to its motion, its angular velocity.
 *
 *     B(a, b) = sum over i, j of M_ij a_i b_j'      a, b from their centres; slopes of beams count as the mass matrix says
 *     R       = the rotation with the largest tr(R' B(x, X)), from the eigenvector of Horn's 4 x 4 matrix [Horn]; X places at rest
 *     J w = L,  J = tr(G) 1 - G,  G = B(x, x),  L from B(x, v)
 *
 * A straight rod does not tell how it is turned about itself. Of all rotations that are as near, the one nearest to the last is taken, and the spin has no part along the rod.
 */
#include "fem/part/part_mass.h"

#include "fem/part/part_data.h"
#include "fem/material/polar_decomposition.h"

#include <math.h>

#define SAME 1e-7 /* of the size of Horn's matrix: eigenvalues that count as equal */
#define THIN 1e-9 /* of the largest moment of inertia: a smaller one is none */

typedef struct field {
    const double *x;
    double from[3]; /* its centre */
} field;

static field about(const double *x, cairn_vec3 center) {
    return (field){x, {center.x, center.y, center.z}};
}

/* Component c of vector i. Slopes have no place, and no lumped mass. */
static double at(const cairn_fem_part *part, const field *f, int i, int c) {
    return f->x[3 * i + c] - (part->lumped[i] > 0.0 ? f->from[c] : 0.0);
}

static void moment(const cairn_fem_part *part, field a, field b, double B[9]) {
    const cairn_fem_work *w = part->work;
    for (int t = 0; t < 9; t++)
        B[t] = 0.0;
    for (int i = 0; i < part->vectors; i++) {
        int begin = w->lumped ? w->diagonal[i] : w->near_start[i], end = w->lumped ? begin + 1 : w->near_start[i + 1];
        double sum[3] = {0.0, 0.0, 0.0};
        for (int p = begin; p < end; p++)
            for (int c = 0; c < 3; c++)
                sum[c] += w->mass[p] * at(part, &b, w->near[p], c);
        for (int t = 0; t < 9; t++)
            B[t] += at(part, &a, i, t / 3) * sum[t % 3];
    }
}

/* tr(R'B) = q'N q for the rotation of the quaternion q. */
static void horn(const double B[9], double N[16]) {
    double trace = B[0] + B[4] + B[8];
    const double d[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]};
    N[0] = trace;
    for (int i = 0; i < 3; i++) {
        N[i + 1] = N[4 * (i + 1)] = d[i];
        for (int j = 0; j < 3; j++)
            N[4 * (i + 1) + j + 1] = B[3 * i + j] + B[3 * j + i] - (i == j ? trace : 0.0);
    }
}

/* Centre of mass of the places at rest. */
static cairn_vec3 rest_center(const cairn_fem_part *part) {
    const double *weight = cairn_fem_work_of(part)->weight, *x = part->rest;
    cairn_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < part->vectors; i++)
        sum = cairn_vec3_add_scaled(sum, weight[i], cairn_vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    return cairn_vec3_scale(1.0 / part->mass, sum);
}

cairn_quat cairn_fem_part_rotation(const cairn_fem_part *part, cairn_quat last) {
    double B[9], N[16], V[16], top = -INFINITY, size = 0.0, length = 0.0;
    double before[4] = {last.w, last.x, last.y, last.z}, q[4] = {0.0, 0.0, 0.0, 0.0};
    moment(part, about(part->x, cairn_fem_part_center(part)), about(part->rest, rest_center(part)), B);
    horn(B, N);
    for (int t = 0; t < 9; t++)
        size += fabs(B[t]);
    if (!(size > 0.0) || !isfinite(size))
        return last;
    cairn_eigen(4, N, V);
    for (int k = 0; k < 4; k++)
        top = fmax(top, N[5 * k]);
    for (int k = 0; k < 4; k++) {
        double along = 0.0;
        for (int i = 0; i < 4; i++)
            along += V[4 * i + k] * before[i];
        for (int i = 0; i < 4 && N[5 * k] >= top - SAME * size; i++)
            q[i] += along * V[4 * i + k];
    }
    for (int i = 0; i < 4; i++)
        length += q[i] * q[i];
    /* a half turn away from the last: any of them */
    for (int k = 0; k < 4 && !(length > 1e-20); k++)
        for (int i = 0; i < 4 && N[5 * k] == top; i++)
            q[i] = V[4 * i + k];
    return cairn_quat_unit((cairn_quat){q[0], q[1], q[2], q[3]});
}

cairn_mat3 cairn_fem_part_inertia(const cairn_fem_part *part) {
    double G[9];
    cairn_mat3 J;
    field x = about(part->x, cairn_fem_part_center(part));
    moment(part, x, x, G);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J.m[i][j] = (i == j ? G[0] + G[4] + G[8] : 0.0) - 0.5 * (G[3 * i + j] + G[3 * j + i]);
    return J;
}

cairn_vec3 cairn_fem_part_spin(const cairn_fem_part *part) {
    double B[9], S[9], V[9], sigma[3], most = 0.0, w[3] = {0.0, 0.0, 0.0};
    moment(part, about(part->x, cairn_fem_part_center(part)), about(part->v, cairn_fem_part_velocity(part)), B);
    const double L[3] = {B[5] - B[7], B[6] - B[2], B[1] - B[3]};
    cairn_mat3 J = cairn_fem_part_inertia(part);
    for (int t = 0; t < 9; t++)
        S[t] = J.m[t / 3][t % 3];
    cairn_eigen3(S, V, sigma);
    for (int k = 0; k < 3; k++)
        most = fmax(most, sigma[k]);
    for (int k = 0; k < 3; k++) {
        double along = V[k] * L[0] + V[3 + k] * L[1] + V[6 + k] * L[2];
        for (int i = 0; i < 3 && sigma[k] > THIN * most; i++)
            w[i] += V[3 * i + k] * (along / sigma[k]);
    }
    return cairn_vec3_of(w[0], w[1], w[2]);
}

void cairn_fem_part_pull(cairn_fem_part *part, cairn_vec3 acceleration) {
    const double *weight = cairn_fem_work_of(part)->weight;
    const double a[3] = {acceleration.x, acceleration.y, acceleration.z};
    for (int k = 0; k < 3 * part->vectors; k++)
        part->load[k] += weight[k / 3] * a[k % 3];
}
