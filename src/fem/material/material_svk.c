/*
 * material_svk.c: St. Venant-Kirchhoff, linear between Green's strain and the second Piola-Kirchhoff stress. Softens when squeezed hard.
 *
 *     psi = mu |E|^2 + lambda/2 tr^2 E,  E = (F'F - 1)/2;   in stretches: mu/4 sum (s^2 - 1)^2 + lambda/8 t^2,  t = sum (s^2 - 1)
 */
#include "fem/material/principal_stretch.h"

void cairn_fem_svk_principal(const cairn_fem_stuff *m, const double s[3], cairn_principal *out) {
    double t = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3.0;
    cairn_fem_bulk bulk = cairn_fem_bulk_of(m, 0.5 * t);
    double half = bulk.pressure;
    out->energy = bulk.energy;
    for (int i = 0; i < 3; i++) {
        double square = s[i] * s[i], e = square - 1.0;
        out->energy += 0.25 * m->mu * e * e;
        out->first[i] = s[i] * (m->mu * e + half);
        for (int j = 0; j < 3; j++)
            out->second[3 * i + j] = bulk.modulus * s[i] * s[j];
        out->second[4 * i] += m->mu * (3.0 * square - 1.0) + half;
    }
    for (int k = 0; k < 3; k++) {
        double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        out->flip[k] = m->mu * (a * a + a * b + b * b - 1.0) + half;
        out->twist[k] = m->mu * (a * a - a * b + b * b - 1.0) + half;
    }
}

double cairn_fem_svk(const cairn_fem_stuff *m, const double *F, double *P, double *A) {
    return cairn_fem_isotropic(m, cairn_fem_svk_principal, F, P, A);
}

double cairn_fem_svk_volume(const double *F, double *slope) {
    double square = 0.0;
    for (int i = 0; i < 9; i++) {
        slope[i] = F[i];
        square += F[i] * F[i];
    }
    return 0.5 * (square - 3.0);
}
