/*
 * material_linear.c: small displacements about the rest state, whose axes do not turn.
 *
 *     e = sym(F - 1),   psi = mu |e|^2 + lambda/2 tr^2 e,   P = 2 mu e + lambda tr e 1,   A constant
 */
#include "fem/material/material.h"

double cairn_fem_linear(const cairn_fem_stuff *m, const double *F, double *P, double *A) {
    double e[9], energy = 0.0, trace = F[0] + F[4] + F[8] - 3.0;
    cairn_fem_bulk bulk = cairn_fem_bulk_of(m, trace);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            e[3 * i + j] = 0.5 * (F[3 * i + j] + F[3 * j + i]) - (i == j ? 1.0 : 0.0);
            energy += e[3 * i + j] * e[3 * i + j];
        }
    if (P != NULL)
        for (int i = 0; i < 9; i++)
            P[i] = 2.0 * m->mu * e[i] + (i % 4 == 0 ? bulk.pressure : 0.0);
    if (A != NULL)
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                A[9 * i + j] = (i == j ? m->mu : 0.0) + (j == 3 * (i % 3) + i / 3 ? m->mu : 0.0) +
                               (i % 4 == 0 && j % 4 == 0 ? bulk.modulus : 0.0);
    return m->mu * energy + bulk.energy;
}

double cairn_fem_linear_volume(const double *F, double *slope) {
    for (int i = 0; i < 9; i++)
        slope[i] = i % 4 == 0 ? 1.0 : 0.0;
    return F[0] + F[4] + F[8] - 3.0;
}
