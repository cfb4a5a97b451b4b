/*
 * material_corotational.c: linear elasticity in the frame of the nearest rotation R of F [Muller].
 *
 *     psi = mu |F - R|^2 + lambda/2 (tr S - 3)^2,      S = R'F
 *     P   = 2 mu (F - R) + lambda (tr S - 3) R
 *     dP  = 2 mu dF + lambda R (R : dF) + c dR,        c = lambda (tr S - 3) - 2 mu
 *
 * dR = R [w]x with T w = a, T = tr S 1 - S, [a]x = R'dF - dF'R: differentiate S' = S [Chao]. Column m of B (9 x 3) is R [e_m]x, so
 * a = B'dF and A = 2 mu 1 + lambda R R' + c B T^-1 B'. On turns R [w]x the curvature is that of mu 1 + c T^-1, everywhere else that of linear
 * elasticity: only this 3 x 3 matrix can be negative, and projecting clamps its eigenvalues at 0.
 */
#include "fem/material/material.h"
#include "fem/material/polar_decomposition.h"

#define TURN_LEAST 1e-6 /* of tr S: least sum of two stretches in T, where R jumps */

/* W = c T^-1, or max(-mu, c T^-1) by eigenvalues: what turns add to 2 mu 1. */
static void turn_stiffness(const cairn_fem_stuff *m, const double S[9], double trace, double c, double W[9]) {
    double T[9] = {S[4] + S[8],          -0.5 * (S[1] + S[3]), -0.5 * (S[2] + S[6]), -0.5 * (S[1] + S[3]), S[0] + S[8],
                   -0.5 * (S[5] + S[7]), -0.5 * (S[2] + S[6]), -0.5 * (S[5] + S[7]), S[0] + S[4]};
    double V[9], tau[3];
    cairn_eigen3(T, V, tau);
    for (int i = 0; i < 3; i++) {
        double least = TURN_LEAST * trace;
        tau[i] = c / (tau[i] > least ? tau[i] : least);
        if (m->project && tau[i] < -m->mu)
            tau[i] = -m->mu;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            W[3 * i + j] = V[3 * i] * tau[0] * V[3 * j] + V[3 * i + 1] * tau[1] * V[3 * j + 1] +
                           V[3 * i + 2] * tau[2] * V[3 * j + 2];
}

CAIRN_CLONES
static void tangent(const cairn_fem_stuff *m, const double R[9], const double S[9], double trace, cairn_fem_bulk bulk,
                    double *restrict A) {
    double W[9], B[9][3], BW[9][3];
    turn_stiffness(m, S, trace, bulk.pressure - 2.0 * m->mu, W);
    for (int i = 0; i < 3; i++) { /* R [e_m]x: column k is R (e_m x e_k) */
        const double *r = R + 3 * i;
        double rows[3][3] = {{0.0, r[2], -r[1]}, {-r[2], 0.0, r[0]}, {r[1], -r[0], 0.0}}; /* of entry (i, k) over m */
        for (int k = 0; k < 3; k++)
            for (int t = 0; t < 3; t++)
                B[3 * i + k][t] = rows[k][t];
    }
    for (int i = 0; i < 9; i++)
        for (int t = 0; t < 3; t++)
            BW[i][t] = B[i][0] * W[t] + B[i][1] * W[3 + t] + B[i][2] * W[6 + t];
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++)
            A[9 * i + j] = bulk.modulus * R[i] * R[j] + BW[i][0] * B[j][0] + BW[i][1] * B[j][1] + BW[i][2] * B[j][2];
        A[10 * i] += 2.0 * m->mu;
    }
}

double cairn_fem_corotational(const cairn_fem_stuff *m, const double *F, double *P, double *A) {
    double R[9], S[9], energy = 0.0;
    cairn_polar(F, R, S);
    double trace = S[0] + S[4] + S[8];
    cairn_fem_bulk bulk = cairn_fem_bulk_of(m, trace - 3.0);
    for (int i = 0; i < 9; i++) {
        energy += (F[i] - R[i]) * (F[i] - R[i]);
        if (P != NULL)
            P[i] = 2.0 * m->mu * (F[i] - R[i]) + bulk.pressure * R[i];
    }
    energy = m->mu * energy + bulk.energy;
    if (A == NULL)
        return energy;

    tangent(m, R, S, trace, bulk, A);
    return energy;
}

void cairn_fem_corotational_principal(const cairn_fem_stuff *m, const double s[3], cairn_principal *out) {
    cairn_fem_bulk bulk = cairn_fem_bulk_of(m, s[0] + s[1] + s[2] - 3.0);
    out->energy = bulk.energy;
    for (int i = 0; i < 3; i++) {
        out->energy += m->mu * (s[i] - 1.0) * (s[i] - 1.0);
        out->first[i] = 2.0 * m->mu * (s[i] - 1.0) + bulk.pressure;
        for (int j = 0; j < 3; j++)
            out->second[3 * i + j] = bulk.modulus + (i == j ? 2.0 * m->mu : 0.0);
        out->flip[i] = 2.0 * m->mu;
    }
    for (int k = 0; k < 3; k++)
        out->twist[k] = 2.0 * m->mu + 2.0 * (bulk.pressure - 2.0 * m->mu) / (s[(k + 1) % 3] + s[(k + 2) % 3]);
}

double cairn_fem_corotational_volume(const double *F, double *slope) {
    double S[9];
    cairn_polar(F, slope, S);
    return S[0] + S[4] + S[8] - 3.0;
}
