/*
 * element_solid.c: what all solid elements share: energy, force and stiffness by summing over the points of a rule.
 *
 *     E = sum_q w_q psi(F_q),   f_a = -sum_q w_q P_q G_a,   K_ab = sum_q w_q G_a A_q G_b
 *
 * w_q is the weight times det J of the rest state. Dispatch is once a point for the law.
 */
#include "fem/element/element_pressure.h"

#include <math.h>

#define PAD CAIRN_FEM_PAD

double cairn_fem_solid_gradient(const cairn_fem_element *e, const double *X, const double xi[3], double (*G)[3]) {
    double dN[CAIRN_FEM_NODES_MAX][3], J[3][3] = {{0}}; /* J_ij = dX_i/dxi_j */
    e->shape(xi, NULL, dN);
    for (int a = 0; a < e->nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                J[i][j] += X[3 * a + i] * dN[a][j];
    double C[3][3]; /* cofactors: J^-T = C / det */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int r = (i + 1) % 3, s = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
            C[i][j] = J[r][p] * J[s][q] - J[r][q] * J[s][p];
        }
    double det = J[0][0] * C[0][0] + J[0][1] * C[0][1] + J[0][2] * C[0][2];
    for (int a = 0; G != NULL && a < e->nodes; a++)
        for (int i = 0; i < 3; i++)
            G[a][i] = (C[i][0] * dN[a][0] + C[i][1] * dN[a][1] + C[i][2] * dN[a][2]) / det;
    return det;
}

void cairn_fem_solid_prepare(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *X, double *kept,
                             double *mass) {
    cairn_fem_rule rule;
    e->stiffness_rule(&rule);
    for (int q = 0; q < rule.points; q++) {
        int n = e->nodes + e->modes;
        double *to = kept + q * cairn_fem_solid_stride(e), G[CAIRN_FEM_NODES_MAX + CAIRN_FEM_MODES_MAX][3];
        double det = cairn_fem_solid_gradient(e, X, rule.xi[q], G);
        if (e->modes > 0)
            e->mode_gradients(e, X, rule.xi[q], det, G + e->nodes);
        for (int t = 0; t < 3 * n; t++)
            to[t] = G[t / 3][t % 3];
        to[3 * n] = rule.weight[q] * det;
    }
    cairn_fem_volume_prepare(e, &rule, kept);
    for (int t = 0; t < e->nodes * e->nodes; t++)
        mass[t] = 0.0;
    e->mass_rule(&rule);
    for (int q = 0; q < rule.points; q++) {
        double N[CAIRN_FEM_NODES_MAX];
        e->shape(rule.xi[q], N, NULL);
        double w = stuff->density * rule.weight[q] * cairn_fem_solid_gradient(e, X, rule.xi[q], NULL);
        for (int a = 0; a < e->nodes; a++)
            for (int b = 0; b < e->nodes; b++)
                mass[a * e->nodes + b] += w * N[a] * N[b];
    }
}

void cairn_fem_solid_deformation(int nodes, const double *G, const double *x, double F[9]) {
    for (int t = 0; t < 9; t++)
        F[t] = 0.0;
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                F[3 * i + j] += x[3 * a + i] * G[3 * a + j];
}

/* Sums over rows of nine, so that they fill vectors. */
CAIRN_CLONES
static void add_stiffness(int nodes, const double *restrict G, double w, const double *restrict A, double *restrict K) {
    double AG[CAIRN_FEM_NODES_MAX + CAIRN_FEM_MODES_MAX][3][PAD]; /* of node b: j, (i, k) = w sum_l A(ij, kl) G_bl */
    for (int b = 0; b < nodes; b++) {
        double g[3] = {w * G[3 * b], w * G[3 * b + 1], w * G[3 * b + 2]};
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    const double *a = A + 9 * (3 * i + j) + 3 * k;
                    AG[b][j][3 * i + k] = a[0] * g[0] + a[1] * g[1] + a[2] * g[2];
                }
        for (int t = 9; t < PAD; t++)
            AG[b][0][t] = AG[b][1][t] = AG[b][2][t] = 0.0;
    }
    for (int a = 0; a < nodes; a++) {
        double g0 = G[3 * a], g1 = G[3 * a + 1], g2 = G[3 * a + 2];
        for (int b = a; b < nodes; b++, K += PAD)
            for (int t = 0; t < PAD; t++)
                K[t] += g0 * AG[b][0][t] + g1 * AG[b][1][t] + g2 * AG[b][2][t];
    }
}

void cairn_fem_solid_add_stiffness(int count, const double *restrict G, double w, const double *restrict A,
                                   double *restrict K) {
    add_stiffness(count, G, w, A, K);
}

double cairn_fem_solid_evaluate(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                                const double *x, double *force, double *K) {
    int n = e->nodes, step = cairn_fem_solid_stride(e), points = e->kept / step;
    double energy, F[9], P[9], A[81];
    cairn_fem_volume volume;
    cairn_fem_volume_at(e, stuff, kept, x, K != NULL, &volume);
    energy = volume.energy;
    for (int t = 0; force != NULL && t < 3 * n; t++)
        force[t] = 0.0;
    double padded[PAD * CAIRN_FEM_BLOCKS_MAX];
    int blocks = n * (n + 1) / 2;
    for (int t = 0; K != NULL && t < PAD * blocks; t++)
        padded[t] = 0.0;
    for (int q = 0; q < points; q++) {
        const double *G = kept + q * step;
        double w = G[3 * n];
        cairn_fem_stuff own = cairn_fem_volume_stuff(&volume, stuff, q);
        cairn_fem_solid_deformation(n, G, x, F);
        energy += w * stuff->law->point(&own, F, force != NULL ? P : NULL, K != NULL ? A : NULL);
        for (int a = 0; force != NULL && a < n; a++)
            for (int i = 0; i < 3; i++)
                force[3 * a + i] -= w *
                                    (P[3 * i] * G[3 * a] + P[3 * i + 1] * G[3 * a + 1] + P[3 * i + 2] * G[3 * a + 2]);
        if (K != NULL)
            add_stiffness(n, G, w, A, padded);
    }
    if (K != NULL)
        cairn_fem_volume_stiffness(&volume, stuff, 0, n, padded);
    for (int b = 0; K != NULL && b < blocks; b++)
        for (int t = 0; t < 9; t++)
            K[9 * b + t] = padded[PAD * b + t];
    return energy;
}

/* The material with the mean of the element's pressures, modes left out; as it is where it has none. X, x: in the order of the nodes, which is not that of what is kept. */
static cairn_fem_stuff mean_pressure(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *X,
                                     const double *x, double *mean) {
    cairn_fem_stuff own = *stuff;
    cairn_fem_rule rule;
    double sum = 0.0, volume = 0.0, F[9], slope[9];
    if (e->pressures == 0 || stuff->local == stuff->lambda)
        return own;
    e->stiffness_rule(&rule);
    for (int q = 0; q < rule.points; q++) {
        double G[CAIRN_FEM_NODES_MAX][3], w = rule.weight[q] * cairn_fem_solid_gradient(e, X, rule.xi[q], G);
        cairn_fem_solid_deformation(e->nodes, &G[0][0], x, F);
        sum += w * stuff->law->volume(F, slope);
        volume += w;
    }
    *mean = (stuff->lambda - stuff->local) * sum / volume;
    own.pressure = mean;
    return own;
}

double cairn_fem_solid_stress(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                              const double *X, const double *x, double stress[6], double strain[6]) {
    static const int row[6] = {0, 1, 2, 0, 1, 2}, col[6] = {0, 1, 2, 1, 2, 0};
    double G[CAIRN_FEM_NODES_MAX][3], F[9], P[9], volume = 0.0, mean;
    cairn_fem_solid_gradient(e, X, e->middle, G);
    cairn_fem_solid_deformation(e->nodes, &G[0][0], x, F);
    cairn_fem_stuff own = mean_pressure(e, stuff, X, x, &mean);
    stuff->law->point(&own, F, P, NULL);
    double det = F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
                 F[2] * (F[3] * F[7] - F[4] * F[6]);
    bool small = stuff->law->point == cairn_fem_linear; /* P is the stress itself, and strain is linear */
    for (int t = 0; t < 6; t++) {
        const double *p = P + 3 * row[t], *f = F + 3 * col[t], *g = F + row[t], *h = F + col[t];
        double sum = p[0] * f[0] + p[1] * f[1] + p[2] * f[2], one = row[t] == col[t] ? 1.0 : 0.0;
        stress[t] = small ? p[col[t]] : det != 0.0 ? sum / det : 0.0;
        strain[t] = small ? 0.5 * (F[3 * row[t] + col[t]] + F[3 * col[t] + row[t]]) - one
                          : 0.5 * (g[0] * h[0] + g[3] * h[3] + g[6] * h[6] - one);
    }
    int step = cairn_fem_solid_stride(e), weight = 3 * (e->nodes + e->modes);
    for (int q = 0; q < e->kept / step; q++)
        volume += kept[q * step + weight];
    return volume;
}
