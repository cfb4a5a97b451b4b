/*
 * element_pressure.c: pressures of an element; formulas in element_pressure.h.
 */
#include "fem/element/element_pressure.h"

#include <math.h>

/* What pressures have of lambda. */
static double excess(const cairn_fem_stuff *stuff) {
    return stuff->lambda - stuff->local;
}

void cairn_fem_volume_prepare(const cairn_fem_element *e, const cairn_fem_rule *rule, double *kept) {
    int step = cairn_fem_solid_stride(e), all = e->nodes + e->modes;
    for (int j = 0; j < e->pressures; j++) { /* Gram and Schmidt: 1, r, s, t */
        double square = 0.0;
        for (int q = 0; q < rule->points; q++)
            kept[q * step + 3 * all + 1 + j] = j == 0 ? 1.0 : rule->xi[q][j - 1];
        for (int i = 0; i < j; i++) {
            double share = 0.0;
            for (int q = 0; q < rule->points; q++) {
                const double *end = kept + q * step + 3 * all;
                share += end[0] * end[1 + i] * end[1 + j];
            }
            for (int q = 0; q < rule->points; q++) {
                double *end = kept + q * step + 3 * all;
                end[1 + j] -= share * end[1 + i];
            }
        }
        for (int q = 0; q < rule->points; q++) {
            const double *end = kept + q * step + 3 * all;
            square += end[0] * end[1 + j] * end[1 + j];
        }
        for (int q = 0; q < rule->points; q++)
            kept[q * step + 3 * all + 1 + j] /= sqrt(square);
    }
}

void cairn_fem_volume_at(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept, const double *y,
                         bool slope, cairn_fem_volume *v) {
    int step = cairn_fem_solid_stride(e), all = e->nodes + e->modes, points = e->kept / step;
    double mean[CAIRN_FEM_PRESSURES_MAX] = {0.0}, F[9], own[9];
    v->pressures = stuff->local < stuff->lambda ? e->pressures : 0;
    v->energy = 0.0;
    for (int j = 0; slope && j < v->pressures; j++)
        for (int t = 0; t < 3 * all; t++)
            v->slope[j][t] = 0.0;
    for (int q = 0; v->pressures > 0 && q < points; q++) {
        const double *G = kept + q * step, *end = G + 3 * all;
        cairn_fem_solid_deformation(all, G, y, F);
        double g = stuff->law->volume(F, own);
        for (int j = 0; j < v->pressures; j++)
            mean[j] += end[0] * end[1 + j] * g;
        for (int a = 0; slope && a < all; a++, G += 3)
            for (int i = 0; i < 3; i++) {
                double c = end[0] * (own[3 * i] * G[0] + own[3 * i + 1] * G[1] + own[3 * i + 2] * G[2]);
                for (int j = 0; j < v->pressures; j++)
                    v->slope[j][3 * a + i] += end[1 + j] * c;
            }
    }
    for (int q = 0; v->pressures > 0 && q < points; q++)
        v->pressure[q] = 0.0;
    for (int j = 0; j < v->pressures; j++) {
        v->energy += 0.5 * excess(stuff) * mean[j] * mean[j];
        for (int q = 0; q < points; q++)
            v->pressure[q] += excess(stuff) * mean[j] * kept[q * step + 3 * all + 1 + j];
    }
}

cairn_fem_stuff cairn_fem_volume_stuff(const cairn_fem_volume *v, const cairn_fem_stuff *stuff, int q) {
    cairn_fem_stuff own = *stuff;
    own.pressure = v->pressures > 0 ? &v->pressure[q] : NULL;
    return own;
}

void cairn_fem_volume_stiffness(const cairn_fem_volume *v, const cairn_fem_stuff *stuff, int from, int vectors,
                                double *K) {
    for (int j = 0; j < v->pressures; j++) {
        const double *c = v->slope[j];
        double *to = K, share = excess(stuff);
        for (int a = from; a < vectors; a++)
            for (int b = a; b < vectors; b++, to += CAIRN_FEM_PAD)
                for (int t = 0; t < 9; t++)
                    to[t] += share * c[3 * a + t / 3] * c[3 * b + t % 3];
    }
}

static double along(const double *c, int vectors, const double *y) {
    double sum = 0.0;
    for (int t = 0; t < 3 * vectors; t++)
        sum += c[t] * y[t];
    return sum;
}

void cairn_fem_volume_product(const cairn_fem_volume *v, const cairn_fem_stuff *stuff, int vectors, double a,
                              const double *y, double *force) {
    for (int j = 0; j < v->pressures; j++) {
        double share = a * excess(stuff) * along(v->slope[j], vectors, y);
        for (int t = 0; t < 3 * vectors; t++)
            force[t] += share * v->slope[j][t];
    }
}

void cairn_fem_volume_change(const cairn_fem_element *e, const cairn_fem_volume *v, const cairn_fem_stuff *stuff,
                             const double *kept, double a, const double *y, double *pressure) {
    int step = cairn_fem_solid_stride(e), all = e->nodes + e->modes;
    for (int j = 0; j < v->pressures; j++) {
        double share = a * excess(stuff) * along(v->slope[j], all, y);
        for (int q = 0; q < e->kept / step; q++)
            pressure[q] += share * kept[q * step + 3 * all + 1 + j];
    }
}
