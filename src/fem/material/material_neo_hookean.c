/*
 * material_neo_hookean.c: compressible neo-Hookean solid.
 *
 *     psi = mu/2 (s1^2 + s2^2 + s3^2 - 3) - mu L + lambda/2 L^2,   L = ln J,  J = s1 s2 s3
 *
 * Below J = 0.1 the logarithm goes on as its Taylor polynomial of second degree: an element that a step has flattened or turned inside out has
 * finite forces that push it back. Second derivatives have no jump there. With q = dpsi/dJ: psi_i = mu s_i + q J/s_i.
 */
#include "fem/material/principal_stretch.h"

#include <math.h>

#define LEAST 0.1 /* volume ratio from which on the logarithm is the true one */

/* L and its derivatives by J */
static double logarithm(double J, double *slope, double *bend) {
    if (J >= LEAST) {
        *slope = 1.0 / J;
        *bend = -*slope * *slope;
        return log(J);
    }
    double d = (J - LEAST) / LEAST;
    *slope = (1.0 - d) / LEAST;
    *bend = -1.0 / (LEAST * LEAST);
    return log(LEAST) + d - 0.5 * d * d;
}

void cairn_fem_neo_hookean_principal(const cairn_fem_stuff *m, const double s[3], cairn_principal *out) {
    double slope, bend, L = logarithm(s[0] * s[1] * s[2], &slope, &bend);
    cairn_fem_bulk bulk = cairn_fem_bulk_of(m, L);
    double a = bulk.pressure - m->mu, q = a * slope, dq = bulk.modulus * slope * slope + a * bend;
    double cof[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    out->energy = 0.5 * m->mu * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3.0) + bulk.energy - m->mu * L;
    for (int i = 0; i < 3; i++) {
        out->first[i] = m->mu * s[i] + q * cof[i];
        for (int j = 0; j < 3; j++)
            out->second[3 * i + j] = dq * cof[i] * cof[j] + (i == j ? m->mu : q * s[3 - i - j]);
        out->flip[i] = m->mu - q * s[i];
        out->twist[i] = m->mu + q * s[i];
    }
}

double cairn_fem_neo_hookean(const cairn_fem_stuff *m, const double *F, double *P, double *A) {
    return cairn_fem_isotropic(m, cairn_fem_neo_hookean_principal, F, P, A);
}

double cairn_fem_neo_hookean_volume(const double *F, double *slope) {
    double change, bend, J = 0.0;
    for (int i = 0; i < 9; i++) { /* cofactors */
        int r = (i / 3 + 1) % 3, s = (i / 3 + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
        slope[i] = F[3 * r + p] * F[3 * s + q] - F[3 * r + q] * F[3 * s + p];
        J += i < 3 ? F[i] * slope[i] : 0.0;
    }
    double L = logarithm(J, &change, &bend);
    for (int i = 0; i < 9; i++)
        slope[i] *= change;
    return L;
}
