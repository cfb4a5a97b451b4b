/*
 * principal_stretch.c: stress and tangent of laws given by principal stretches, F = U diag(s) V'.
 *
 *     P = U diag(psi_i) V'
 *     A has nine eigenvector-like modes [Smith]: u_i v_i' (three, coupled by psi_ij), and for each pair
 *     (u_i v_j' + u_j v_i')/sqrt 2 with eigenvalue (psi_i - psi_j)/(s_i - s_j),
 *     (u_i v_j' - u_j v_i')/sqrt 2 with eigenvalue (psi_i + psi_j)/(s_i + s_j).
 *
 * Projecting clamps the six numbers and the eigenvalues of psi_ij at 0: the positive semidefinite matrix nearest to A.
 */
#include "fem/material/principal_stretch.h"
#include "fem/material/polar_decomposition.h"

#include <math.h>

/* second <- its nearest positive semidefinite matrix. */
static void clamp3(double second[9]) {
    double minor = second[0] * second[4] - second[1] * second[1];
    double det = second[0] * (second[4] * second[8] - second[5] * second[5]) -
                 second[1] * (second[1] * second[8] - second[5] * second[2]) +
                 second[2] * (second[1] * second[5] - second[4] * second[2]);
    if (second[0] > 0.0 && minor > 0.0 && det > 0.0)
        return;
    double V[9], value[3];
    cairn_eigen3(second, V, value);
    if (value[0] >= 0.0 && value[1] >= 0.0 && value[2] >= 0.0)
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += fmax(value[k], 0.0) * V[3 * i + k] * V[3 * j + k];
            second[3 * i + j] = sum;
        }
}

/* A += a x y' */
CAIRN_INLINE void add_product(double a, const double x[9], const double y[9], double *restrict A) {
    for (int i = 0; i < 9; i++) {
        double factor = a * x[i];
        for (int j = 0; j < 9; j++)
            A[9 * i + j] += factor * y[j];
    }
}

/* u v' of columns i of U and j of V */
CAIRN_INLINE void outer(const double U[9], int i, const double V[9], int j, double out[9]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out[3 * r + c] = U[3 * r + i] * V[3 * c + j];
}

CAIRN_CLONES
static void tangent(const double U[9], const double V[9], const cairn_principal *p, double *A) {
    double D[3][9];
    for (int i = 0; i < 81; i++)
        A[i] = 0.0;
    for (int i = 0; i < 3; i++)
        outer(U, i, V, i, D[i]);
    for (int i = 0; i < 3; i++) {
        double E[9];
        for (int t = 0; t < 9; t++)
            E[t] = p->second[3 * i] * D[0][t] + p->second[3 * i + 1] * D[1][t] + p->second[3 * i + 2] * D[2][t];
        add_product(1.0, D[i], E, A); /* the sum over i is symmetric */
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double Q[9], T[9], plus[9], minus[9];
        outer(U, i, V, j, Q);
        outer(U, j, V, i, T);
        for (int t = 0; t < 9; t++) {
            plus[t] = Q[t] + T[t];
            minus[t] = Q[t] - T[t];
        }
        add_product(0.5 * p->flip[k], plus, plus, A);
        add_product(0.5 * p->twist[k], minus, minus, A);
    }
}

double cairn_fem_isotropic(const cairn_fem_stuff *stuff, cairn_principal_law law, const double *F, double *P,
                           double *A) {
    double U[9], V[9], s[3];
    cairn_principal p;
    cairn_stretches(F, U, V, s);
    law(stuff, s, &p);
    if (P != NULL)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                P[3 * i + j] = U[3 * i] * p.first[0] * V[3 * j] + U[3 * i + 1] * p.first[1] * V[3 * j + 1] +
                               U[3 * i + 2] * p.first[2] * V[3 * j + 2];
    if (A == NULL)
        return p.energy;
    if (stuff->project) {
        clamp3(p.second);
        for (int k = 0; k < 3; k++) {
            p.flip[k] = fmax(p.flip[k], 0.0);
            p.twist[k] = fmax(p.twist[k], 0.0);
        }
    }
    tangent(U, V, &p, A);
    return p.energy;
}
