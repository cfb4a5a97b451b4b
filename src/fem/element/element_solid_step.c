/*
 * element_solid_step.c: a step of a solid element: sums over its points of what point_step.c has.
 */
#include "fem/element/point_step.h"
#include "fem/material/polar_decomposition.h"
#include "fem/element/element_pressure.h"

#include <math.h>

/* Mean over the volume of sum a_n G_n'. Modes do not change it. Returns the volume. */
static double mean_gradient(const cairn_fem_element *e, const double *kept, const double *a, double F[9]) {
    double volume = 0.0;
    for (int t = 0; t < 9; t++)
        F[t] = 0.0;
    for (const double *G = kept; G < kept + e->kept; G += cairn_fem_solid_stride(e)) {
        double own[9], w = G[3 * (e->nodes + e->modes)];
        cairn_fem_solid_deformation(e->nodes, G, a, own);
        for (int t = 0; t < 9; t++)
            F[t] += w * own[t];
        volume += w;
    }
    for (int t = 0; t < 9; t++)
        F[t] /= volume;
    return volume;
}

double cairn_fem_solid_turn(const cairn_fem_element *e, const double *kept, double h, const double *x, const double *v,
                            double Q[9]) {
    double now[9], rate[9], before[9], R[9], back[9], S[9];
    mean_gradient(e, kept, x, now);
    mean_gradient(e, kept, v, rate);
    for (int t = 0; t < 9; t++)
        before[t] = now[t] - h * rate[t];
    cairn_polar(now, R, S);
    cairn_polar(before, back, S);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = R[3 * i] * back[3 * j] + R[3 * i + 1] * back[3 * j + 1] + R[3 * i + 2] * back[3 * j + 2];
    return acos(fmin(1.0, fmax(-1.0, 0.5 * (Q[0] + Q[4] + Q[8] - 1.0))));
}

/* Pressures of the element where the step begins and where the prediction leads. */
static void predict_volume(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                           const cairn_fem_motion *motion, cairn_fem_volume *now, cairn_fem_volume *then) {
    double end[3 * CAIRN_FEM_VOLUME_VECTORS];
    cairn_fem_volume_at(e, stuff, kept, motion->x, true, now);
    for (int t = 0; now->pressures > 0 && t < 3 * (e->nodes + e->modes); t++)
        end[t] = motion->x[t] + motion->h * motion->v[t];
    cairn_fem_volume_at(e, stuff, kept, end, false, then);
}

void cairn_fem_solid_step_sums(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                               const cairn_fem_motion *motion, double *force, double *K) {
    int all = e->nodes + e->modes, step = cairn_fem_solid_stride(e);
    double F[9], rate[9], P[9], A[81];
    cairn_fem_volume now, then;
    predict_volume(e, stuff, kept, motion, &now, &then);
    for (int q = 0; q < e->kept / step; q++) {
        const double *G = kept + q * step;
        double w = G[3 * all];
        cairn_fem_stuff first = cairn_fem_volume_stuff(&now, stuff, q), last = cairn_fem_volume_stuff(&then, stuff, q);
        cairn_fem_solid_deformation(all, G, motion->x, F);
        cairn_fem_solid_deformation(all, G, motion->v, rate);
        cairn_fem_point_step(&first, &last, motion, F, rate, P, K != NULL ? A : NULL);
        for (int a = 0; a < all; a++)
            for (int i = 0; i < 3; i++)
                force[3 * a + i] -= w *
                                    (P[3 * i] * G[3 * a] + P[3 * i + 1] * G[3 * a + 1] + P[3 * i + 2] * G[3 * a + 2]);
        if (K != NULL)
            cairn_fem_solid_add_stiffness(all, G, w, A, K);
    }
    cairn_fem_volume_product(&now, stuff, all, motion->h * motion->near, motion->v, force);
    if (K != NULL)
        cairn_fem_volume_stiffness(&now, stuff, 0, all, K);
}

void cairn_fem_solid_step(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                          const cairn_fem_motion *motion, double *lean, double *force, double *K) {
    double padded[CAIRN_FEM_PAD * CAIRN_FEM_BLOCKS_MAX];
    int n = e->nodes, blocks = n * (n + 1) / 2;
    (void)lean;
    for (int t = 0; t < 3 * n; t++)
        force[t] = 0.0;
    for (int t = 0; K != NULL && t < CAIRN_FEM_PAD * blocks; t++)
        padded[t] = 0.0;
    cairn_fem_solid_step_sums(e, stuff, kept, motion, force, K != NULL ? padded : NULL);
    for (int t = 0; K != NULL && t < 9 * blocks; t++)
        K[t] = padded[CAIRN_FEM_PAD * (t / 9) + t % 9];
}

double cairn_fem_solid_applied(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                               const cairn_fem_motion *motion, const double *lean, const double *answer,
                               double stress[6]) {
    static const int at[6] = {0, 4, 8, 1, 5, 6};
    int all = e->nodes + e->modes, step = cairn_fem_solid_stride(e);
    double F[9], rate[9], last[9], T[9], heat = 0.0, volume = 0.0;
    cairn_fem_volume now, then;
    (void)lean;
    for (int t = 0; t < 6; t++)
        stress[t] = 0.0;
    predict_volume(e, stuff, kept, motion, &now, &then);
    cairn_fem_volume_change(e, &now, stuff, kept, motion->h, answer, then.pressure);
    cairn_fem_volume_change(e, &now, stuff, kept, -motion->h, motion->v, then.pressure);
    for (int q = 0; q < e->kept / step; q++) {
        const double *G = kept + q * step;
        double w = G[3 * all];
        cairn_fem_stuff first = cairn_fem_volume_stuff(&now, stuff, q), end = cairn_fem_volume_stuff(&then, stuff, q);
        cairn_fem_solid_deformation(all, G, motion->x, F);
        cairn_fem_solid_deformation(all, G, motion->v, rate);
        cairn_fem_solid_deformation(all, G, answer, last);
        heat += w * cairn_fem_point_applied(&first, &end, motion, F, rate, last, T);
        volume += w;
        for (int t = 0; t < 6; t++)
            stress[t] += w * T[at[t]];
    }
    for (int t = 0; t < 6; t++)
        stress[t] /= volume;
    return heat;
}

/* The part of a symmetric matrix that pulls; false: none does. */
static bool pulling(const double stress[6], double T[9]) {
    const double S[9] = {stress[0], stress[3], stress[5], stress[3], stress[1],
                         stress[4], stress[5], stress[4], stress[2]};
    double V[9], s[3];
    cairn_eigen3(S, V, s);
    for (int i = 0; i < 9; i++)
        T[i] = 0.0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9 && s[k] > 0.0; i++)
            T[i] += s[k] * V[3 * (i / 3) + k] * V[3 * (i % 3) + k];
    return s[0] > 0.0 || s[1] > 0.0 || s[2] > 0.0;
}

double cairn_fem_solid_taut(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                            const double stress[6], double *L) {
    int n = e->nodes;
    double T[9], volume = 0.0, most = 0.0;
    for (int b = 0; b < n * (n + 1) / 2; b++)
        L[b] = 0.0;
    if (!pulling(stress, T))
        return 0.0;
    for (const double *G = kept; G < kept + e->kept; G += cairn_fem_solid_stride(e)) {
        double w = G[3 * (e->nodes + e->modes)], *to = L;
        volume += w;
        for (int a = 0; a < n; a++) {
            const double *g = G + 3 * a;
            double Tg[3];
            for (int i = 0; i < 3; i++)
                Tg[i] = w * (T[i] * g[0] + T[3 + i] * g[1] + T[6 + i] * g[2]);
            for (int b = a; b < n; b++)
                *to++ += Tg[0] * G[3 * b] + Tg[1] * G[3 * b + 1] + Tg[2] * G[3 * b + 2];
        }
    }
    for (int a = 0, b = 0; a < n; b += n - a, a++)
        most = fmax(most, L[b]);
    return most * n / (stuff->density * volume);
}
