/*
 * cone_algebra.c: Jordan algebra of Lorentz cones for the interior point method, eight cones at a
 * time; the conic form of [MT 2] as [theory 5] asks for: Nesterov-Todd scaling, same structure of
 * the Newton system.
 *
 *     s = y when c = 0 (associated law), else (y_0 + R, y_T), R = sqrt(|y_T|^2 + c y_0^2):
 *         De Saxce's change, made smooth by c > 0
 *     and exact where y_0 = 0
 *     sJ^2 = gap (gap + 2|s_T|) = s_0^2 - |s_T|^2;  bars: divided by sJ, zJ;  g = sqrt((1 + s'z/(sJ zJ))/2)
 *     w = ((s_0 + z_0), (s_T - z_T))/(2g) of the bars;  W = eta [w_0 w_T'; w_T I + w_T w_T'/(1 + w_0)],  eta^2 = sJ/zJ
 *     W^-2 = [w_0^2 + |w_T|^2, -2 w_0 w_T'; -2 w_0 w_T, I + 2 w_T w_T'] / eta^2
 *
 * The loops over lanes have no branches, only selections, so that compilers turn them into vector
 * instructions.
 */
#include "solve/second_order/cone_algebra.h"

#include "base/core.h"

#include <math.h>

#define TINY     1e-300
#define NO_LIMIT 1e10
#define LANES    CAIRN_LANES

CAIRN_INLINE double larger(double a, double b) {
    return a > b ? a : b;
}

CAIRN_INLINE double smaller(double a, double b) {
    return a < b ? a : b;
}

CAIRN_INLINE double length(double a, double b) {
    return sqrt(a * a + b * b);
}

/* Gap of s for c > 0, from y: y_0 + c y_0^2/(R + |y_T|), without cancellation. */
CAIRN_INLINE double coulomb_gap(double c, double y0, double tangent) {
    double R = sqrt(tangent * tangent + c * y0 * y0);
    return y0 + c * y0 * y0 / larger(R + tangent, TINY);
}

/* s'z from the gaps and tangents, without cancellation. */
CAIRN_INLINE double product(double s_gap, double s1, double s2, double ns, double z_gap, double z1, double z2,
                            double nz) {
    double c1 = s1 * nz + z1 * ns, c2 = s2 * nz + z2 * ns;
    return s_gap * z_gap + s_gap * nz + z_gap * ns + 0.5 * (c1 * c1 + c2 * c2) / larger(ns * nz, TINY);
}

/* Change of the gap of x along a d, without cancellation. */
CAIRN_INLINE double gap_change(double x1, double x2, double d0, double d1, double d2, double a) {
    double sum = length(x1, x2) + length(x1 + a * d1, x2 + a * d2);
    double square = 2.0 * a * (x1 * d1 + x2 * d2) + a * a * (d1 * d1 + d2 * d2), ratio = square / sum;
    return a * d0 - (sum > 0.0 ? ratio : 0.0);
}

/* Largest a with x + a d in the cone, at most NO_LIMIT; gap: that of x. On the axis the
 * quadratic has a double root. */
CAIRN_INLINE double largest_step(double x1, double x2, double gap, double d0, double d1, double d2) {
    double n = length(x1, x2), t1 = x1 / larger(n, TINY), t2 = x2 / larger(n, TINY), tangent = d1 * d1 + d2 * d2;
    double A = d0 * d0 - tangent, half = gap * d0 + n * (d0 - t1 * d1 - t2 * d2), C = gap * (gap + 2.0 * n);
    double root = half * half - A * C, depth = sqrt(larger(root, 0.0));
    double q = -(half + (half >= 0.0 ? depth : -depth));
    double first = q / A, second = C / q, axis = -gap / d0, limit = NO_LIMIT;
    limit = first > 0.0 && first < limit ? first : limit;
    limit = second > 0.0 && second < limit ? second : limit;
    limit = root < -1e-12 * half * half ? NO_LIMIT : limit;
    axis = d0 < 0.0 && axis < NO_LIMIT ? axis : NO_LIMIT;
    return n + tangent > 0.0 ? limit : axis;
}

/* w, shrink, lambda, det, and the directions of B. */
CAIRN_INLINE void scale_tile(cairn_cone_tile *restrict k) {
    for (int l = 0; l < LANES; l++) {
        double y0 = k->y[0][l], y1 = k->y[1][l], y2 = k->y[2][l], z0 = k->z[0][l], z1 = k->z[1][l], z2 = k->z[2][l];
        double c = k->c[l], s_gap = k->y_gap[l], z_gap = k->z_gap[l], ns = length(y1, y2), nz = length(z1, z2);
        double R = sqrt(ns * ns + c * y0 * y0), s0 = c > 0.0 ? y0 + R : y0;
        double sJ = sqrt(s_gap * (s_gap + 2.0 * ns)), zJ = sqrt(z_gap * (z_gap + 2.0 * nz)), det = sJ * zJ;
        double g = sqrt(0.5 * (1.0 + product(s_gap, y1, y2, ns, z_gap, z1, z2, nz) / det));
        double to_s = 1.0 / sJ, to_z = 1.0 / zJ, half = 0.5 / g;
        double w1 = (y1 * to_s - z1 * to_z) * half, w2 = (y2 * to_s - z2 * to_z) * half, ww = w1 * w1 + w2 * w2;
        k->w[0][l] = sqrt(1.0 + ww);
        k->w[1][l] = w1;
        k->w[2][l] = w2;
        k->shrink[l] = sqrt(zJ / sJ);
        /* lambda from numerators that do not cancel */
        double scale = sqrt(det), ratio = scale / (s0 * to_s + z0 * to_z + 2.0 * g), one = 1.0 / det;
        double over1 = y1 * z_gap + z1 * s_gap + (y1 * nz + z1 * ns);
        double over2 = y2 * z_gap + z2 * s_gap + (y2 * nz + z2 * ns);
        k->lambda[0][l] = scale * g;
        k->lambda[1][l] = ratio * (g * (y1 * to_s + z1 * to_z) + over1 * one);
        k->lambda[2][l] = ratio * (g * (y2 * to_s + z2 * to_z) + over2 * one);
        k->det[l] = det;
        double to_R = 1.0 / larger(R, TINY);
        k->G[0][l] = c > 0.0 ? 1.0 + c * y0 * to_R : 1.0;
        k->G[1][l] = c > 0.0 ? y1 * to_R : 0.0;
        k->G[2][l] = c > 0.0 ? y2 * to_R : 0.0;
        k->t[0][l] = -z0;
        k->t[1][l] = -z1;
        k->t[2][l] = -z2;
    }
}

/* B = W^-2 G. */
CAIRN_INLINE void weigh_tile(cairn_cone_tile *restrict k) {
    for (int l = 0; l < LANES; l++) {
        double w0 = k->w[0][l], w1 = k->w[1][l], w2 = k->w[2][l], e = k->shrink[l] * k->shrink[l];
        double g0 = k->G[0][l], g1 = k->G[1][l], g2 = k->G[2][l];
        double v00 = e * (w0 * w0 + (w1 * w1 + w2 * w2)), v01 = -2.0 * e * w0 * w1, v02 = -2.0 * e * w0 * w2;
        double v11 = e * (1.0 + 2.0 * w1 * w1), v12 = 2.0 * e * w1 * w2, v22 = e * (1.0 + 2.0 * w2 * w2);
        k->B[0][l] = v00 * g0;
        k->B[1][l] = v00 * g1 + v01;
        k->B[2][l] = v00 * g2 + v02;
        k->B[3][l] = v01 * g0;
        k->B[4][l] = v01 * g1 + v11;
        k->B[5][l] = v01 * g2 + v12;
        k->B[6][l] = v02 * g0;
        k->B[7][l] = v02 * g1 + v12;
        k->B[8][l] = v02 * g2 + v22;
    }
}

CAIRN_CLONES static void scale_all(cairn_cones *cones) {
    for (int i = 0; i < cones->tiles; i++) {
        scale_tile(&cones->tile[i]);
        weigh_tile(&cones->tile[i]);
    }
}

/* eta cancels in every product of (W^-1 ds) and (W dz), so both are formed without it. */
CAIRN_INLINE void target_tile(cairn_cone_tile *restrict k, double level, double weight, int way) {
    for (int l = 0; l < LANES; l++) {
        double w0 = k->w[0][l], w1 = k->w[1][l], w2 = k->w[2][l], under = 1.0 / (1.0 + w0);
        double s1 = k->way[way].dy[1][l], s2 = k->way[way].dy[2][l];
        double s0 = k->G[0][l] * k->way[way].dy[0][l] + k->G[1][l] * s1 + k->G[2][l] * s2;
        double z0 = k->way[way].dz[0][l], z1 = k->way[way].dz[1][l], z2 = k->way[way].dz[2][l];
        double ws = w1 * s1 + w2 * s2, wz = w1 * z1 + w2 * z2, fs = ws * under - s0, fz = wz * under + z0;
        double a0 = w0 * s0 - ws, a1 = s1 + w1 * fs, a2 = s2 + w2 * fs;
        double b0 = w0 * z0 + wz, b1 = z1 + w1 * fz, b2 = z2 + w2 * fz;
        double r0 = level - weight * (a0 * b0 + a1 * b1 + a2 * b2);
        double r1 = -weight * (a0 * b1 + b0 * a1), r2 = -weight * (a0 * b2 + b0 * a2);
        double l0 = k->lambda[0][l], l1 = k->lambda[1][l], l2 = k->lambda[2][l], to_l0 = 1.0 / l0;
        double x0 = (l0 * r0 - l1 * r1 - l2 * r2) / k->det[l], x1 = (r1 - x0 * l1) * to_l0;
        double x2 = (r2 - x0 * l2) * to_l0, wx = w1 * x1 + w2 * x2, fx = wx * under - x0, shrink = k->shrink[l];
        k->t[0][l] = shrink * (w0 * x0 - wx) - k->z[0][l];
        k->t[1][l] = shrink * (x1 + w1 * fx) - k->z[1][l];
        k->t[2][l] = shrink * (x2 + w2 * fx) - k->z[2][l];
    }
}

CAIRN_CLONES static void target_all(cairn_cones *cones, double level, double weight, int way) {
    for (int i = 0; i < cones->tiles; i++)
        target_tile(&cones->tile[i], level, weight, way);
}

CAIRN_CLONES static void respond_all(const cairn_cones *cones, double *h) {
    for (int i = 0; i < cones->tiles; i++) {
        const cairn_cone_tile *restrict k = &cones->tile[i];
        cairn_lanes a[3];
        for (int l = 0; l < LANES; l++) {
            double x0 = k->rp[0][l], x1 = k->rp[1][l], x2 = k->rp[2][l];
            a[0][l] = k->L[0][l] * (k->t[0][l] - k->B[0][l] * x0 - k->B[1][l] * x1 - k->B[2][l] * x2);
            a[1][l] = k->L[1][l] * (k->t[1][l] - k->B[3][l] * x0 - k->B[4][l] * x1 - k->B[5][l] * x2);
            a[2][l] = k->L[2][l] * (k->t[2][l] - k->B[6][l] * x0 - k->B[7][l] * x1 - k->B[8][l] * x2);
        }
        for (int l = 0; l < LANES; l++)
            for (int j = 0; j < 3; j++)
                h[k->row[j][l]] = a[j][l];
    }
}

/* to = from in the cones' rows. */
CAIRN_INLINE void fetch(const cairn_cone_tile *k, const double *from, cairn_lanes *restrict to) {
    for (int l = 0; l < LANES; l++)
        for (int j = 0; j < 3; j++)
            to[j][l] = from[k->row[j][l]];
}

CAIRN_CLONES static double direct_all(cairn_cones *cones, const double *h, int way) {
    cairn_lanes least;
    for (int l = 0; l < LANES; l++)
        least[l] = NO_LIMIT;
    for (int i = 0; i < cones->tiles; i++) {
        cairn_cone_tile *restrict k = &cones->tile[i];
        cairn_lanes u[3];
        fetch(k, h, u);
        for (int l = 0; l < LANES; l++) {
            double x0 = k->rp[0][l] + k->L[0][l] * u[0][l], x1 = k->rp[1][l] + k->L[1][l] * u[1][l];
            double x2 = k->rp[2][l] + k->L[2][l] * u[2][l];
            double d0 = k->t[0][l] - k->B[0][l] * x0 - k->B[1][l] * x1 - k->B[2][l] * x2;
            double d1 = k->t[1][l] - k->B[3][l] * x0 - k->B[4][l] * x1 - k->B[5][l] * x2;
            double d2 = k->t[2][l] - k->B[6][l] * x0 - k->B[7][l] * x1 - k->B[8][l] * x2;
            x0 += k->E[0][l] * d0;
            x1 += k->E[1][l] * d1;
            x2 += k->E[2][l] * d2;
            k->way[way].dz[0][l] = d0;
            k->way[way].dz[1][l] = d1;
            k->way[way].dz[2][l] = d2;
            k->way[way].dy[0][l] = x0;
            k->way[way].dy[1][l] = x1;
            k->way[way].dy[2][l] = x2;
            double z_step = largest_step(k->z[1][l], k->z[2][l], k->z_gap[l], d0, d1, d2);
            double y_step = largest_step(k->y[1][l], k->y[2][l], k->y_gap[l], x0, x1, x2);
            double normal = -k->y[0][l] / x0, exact = x0 < 0.0 ? normal : NO_LIMIT;
            double step = smaller(k->c[l] > 0.0 ? exact : y_step, z_step);
            least[l] = k->live[l] > 0.0 ? smaller(step, least[l]) : least[l];
        }
    }
    double a = NO_LIMIT;
    for (int l = 0; l < LANES; l++)
        a = smaller(least[l], a);
    return a;
}

/* Sum over the lanes, divided by the number of cones. */
static double mean_of(const cairn_cones *cones, const double *sum) {
    double total = 0.0;
    for (int l = 0; l < LANES; l++)
        total += sum[l];
    return total / cones->count;
}

CAIRN_CLONES static double mean_after_all(const cairn_cones *cones, double a, int way) {
    cairn_lanes sum = {0};
    for (int i = 0; i < cones->tiles; i++) {
        const cairn_cone_tile *restrict k = &cones->tile[i];
        for (int l = 0; l < LANES; l++) {
            double y0 = k->y[0][l] + a * k->way[way].dy[0][l], y1 = k->y[1][l] + a * k->way[way].dy[1][l];
            double y2 = k->y[2][l] + a * k->way[way].dy[2][l], c = k->c[l];
            double R = sqrt(y1 * y1 + y2 * y2 + c * y0 * y0), s0 = c > 0.0 ? y0 + R : y0;
            sum[l] += k->live[l] *
                      (s0 * (k->z[0][l] + a * k->way[way].dz[0][l]) + y1 * (k->z[1][l] + a * k->way[way].dz[1][l]) +
                       y2 * (k->z[2][l] + a * k->way[way].dz[2][l]));
        }
    }
    return mean_of(cones, sum);
}

CAIRN_CLONES static void move_all(cairn_cones *cones, double a, int way) {
    for (int i = 0; i < cones->tiles; i++) {
        cairn_cone_tile *restrict k = &cones->tile[i];
        for (int l = 0; l < LANES; l++) {
            double y0 = k->y[0][l], y1 = k->y[1][l], y2 = k->y[2][l], z1 = k->z[1][l], z2 = k->z[2][l], c = k->c[l];
            double d0 = k->way[way].dy[0][l], d1 = k->way[way].dy[1][l], d2 = k->way[way].dy[2][l];
            double e0 = k->way[way].dz[0][l], e1 = k->way[way].dz[1][l], e2 = k->way[way].dz[2][l];
            double z_gap = k->z_gap[l] + gap_change(z1, z2, e0, e1, e2, a);
            double y_gap = k->y_gap[l] + gap_change(y1, y2, d0, d1, d2, a);
            y0 += a * d0;
            y1 += a * d1;
            y2 += a * d2;
            double exact = coulomb_gap(c, y0, length(y1, y2));
            k->z_gap[l] = larger(z_gap, 1e-30);
            k->y_gap[l] = larger(c > 0.0 ? exact : y_gap, 1e-30);
            k->y[0][l] = y0;
            k->y[1][l] = y1;
            k->y[2][l] = y2;
            k->z[0][l] += a * e0;
            k->z[1][l] = z1 + a * e1;
            k->z[2][l] = z2 + a * e2;
            k->rp[0][l] *= 1.0 - a;
            k->rp[1][l] *= 1.0 - a;
            k->rp[2][l] *= 1.0 - a;
        }
    }
}

CAIRN_CLONES static void residual_all(cairn_cones *cones, const double *u) {
    for (int i = 0; i < cones->tiles; i++) {
        cairn_cone_tile *restrict k = &cones->tile[i];
        cairn_lanes x[3];
        fetch(k, u, x);
        for (int l = 0; l < LANES; l++) {
            k->rp[0][l] = k->live[l] * (k->L[0][l] * x[0][l] - k->y[0][l]);
            k->rp[1][l] = k->L[1][l] * x[1][l] - k->y[1][l];
            k->rp[2][l] = k->L[2][l] * x[2][l] - k->y[2][l];
        }
    }
}

CAIRN_CLONES static double mean_all(const cairn_cones *cones, double *largest) {
    cairn_lanes sum = {0}, most = {0};
    for (int i = 0; i < cones->tiles; i++) {
        const cairn_cone_tile *restrict k = &cones->tile[i];
        for (int l = 0; l < LANES; l++) {
            double y1 = k->y[1][l], y2 = k->y[2][l], z1 = k->z[1][l], z2 = k->z[2][l];
            double r0 = fabs(k->rp[0][l]), r1 = fabs(k->rp[1][l]), r2 = fabs(k->rp[2][l]);
            most[l] = larger(larger(r0, most[l]), larger(r1, r2));
            sum[l] += k->live[l] * product(k->y_gap[l], y1, y2, length(y1, y2), k->z_gap[l], z1, z2, length(z1, z2));
        }
    }
    *largest = 0.0;
    for (int l = 0; l < LANES; l++)
        *largest = larger(most[l], *largest);
    return mean_of(cones, sum);
}

CAIRN_CLONES static void impulse_all(const cairn_cones *cones, double *gamma) {
    for (int i = 0; i < cones->tiles; i++) {
        const cairn_cone_tile *restrict k = &cones->tile[i];
        for (int l = 0; l < LANES; l++)
            for (int j = 0; j < 3; j++)
                gamma[k->row[j][l]] = k->L[j][l] * k->z[j][l];
    }
}

CAIRN_CLONES static void weights_all(const cairn_cones *cones, double *B) {
    for (int i = 0; i < cones->tiles; i++) {
        const cairn_cone_tile *restrict k = &cones->tile[i];
        for (int l = 0; l < LANES && LANES * i + l < cones->count; l++) {
            double *to = B + k->weight[l];
            int dim = k->dim[l], ld = k->ld[l];
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < dim; c++)
                    to[r * ld + c] = k->L[r][l] * k->B[3 * r + c][l] * k->L[c][l];
        }
    }
}

/* x (3) <- (I + B E)^-1 x by elimination; A = I + B E is destroyed. */
static void eliminate(double *A, double *x) {
    for (int c = 0; c < 3; c++)
        for (int r = c + 1; r < 3; r++) {
            double f = A[3 * r + c] / A[3 * c + c];
            for (int j = c; j < 3; j++)
                A[3 * r + j] -= f * A[3 * c + j];
            x[r] -= f * x[c];
        }
    for (int r = 2; r >= 0; r--) {
        for (int j = r + 1; j < 3; j++)
            x[r] -= A[3 * r + j] * x[j];
        x[r] /= A[3 * r + r];
    }
}

void cairn_cones_soften(cairn_cones *cones) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / LANES];
        int l = c % LANES;
        double soft[9];
        for (int j = 0; j < 6; j++) { /* columns of B, then of the identity */
            double A[9], x[3];
            for (int r = 0; r < 3; r++) {
                for (int i = 0; i < 3; i++)
                    A[3 * r + i] = k->B[3 * r + i][l] * k->E[i][l] + (r == i ? 1.0 : 0.0);
                x[r] = j < 3 ? k->B[3 * r + j][l] : r == j - 3 ? 1.0 : 0.0;
            }
            eliminate(A, x);
            for (int r = 0; r < 3; r++) {
                if (j < 3)
                    soft[3 * r + j] = x[r];
                else
                    k->M[3 * r + j - 3][l] = x[r];
            }
        }
        for (int e = 0; e < 9; e++)
            k->B[e][l] = soft[e];
    }
}

void cairn_cones_soften_target(cairn_cones *cones) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / LANES];
        int l = c % LANES;
        double t[3] = {k->t[0][l], k->t[1][l], k->t[2][l]};
        for (int r = 0; r < 3; r++)
            k->t[r][l] = k->M[3 * r][l] * t[0] + k->M[3 * r + 1][l] * t[1] + k->M[3 * r + 2][l] * t[2];
    }
}

void cairn_cones_set_gaps(cairn_cones *cones) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / LANES];
        int l = c % LANES;
        double y0 = k->y[0][l], tangent = length(k->y[1][l], k->y[2][l]);
        k->z_gap[l] = k->z[0][l] - length(k->z[1][l], k->z[2][l]);
        k->y_gap[l] = k->c[l] > 0.0 ? coulomb_gap(k->c[l], y0, tangent) : y0 - tangent;
    }
}

void cairn_cones_raise(cairn_cones *cones, double level) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / LANES];
        int l = c % LANES;
        k->z[0][l] += larger(0.0, level - k->z_gap[l]);
        k->z_gap[l] = larger(k->z_gap[l], level);
        if (k->c[l] > 0.0) {
            k->y[0][l] = larger(k->y[0][l], level);
            k->y_gap[l] = coulomb_gap(k->c[l], k->y[0][l], length(k->y[1][l], k->y[2][l]));
        } else {
            k->y[0][l] += larger(0.0, level - k->y_gap[l]);
            k->y_gap[l] = larger(k->y_gap[l], level);
        }
    }
}

/* Clones are known to this file alone; these are their names for others. */

void cairn_cones_scale(cairn_cones *cones) {
    scale_all(cones);
}

void cairn_cones_target(cairn_cones *cones, double level, double weight, int way) {
    target_all(cones, level, weight, way);
}

void cairn_cones_respond(const cairn_cones *cones, double *h) {
    respond_all(cones, h);
}

double cairn_cones_direct(cairn_cones *cones, const double *h, int way) {
    return direct_all(cones, h, way);
}

double cairn_cones_mean_after(const cairn_cones *cones, double a, int way) {
    return mean_after_all(cones, a, way);
}

void cairn_cones_move(cairn_cones *cones, double a, int way) {
    move_all(cones, a, way);
}

void cairn_cones_residual(cairn_cones *cones, const double *u) {
    residual_all(cones, u);
}

double cairn_cones_mean(const cairn_cones *cones, double *largest) {
    return mean_all(cones, largest);
}

void cairn_cones_impulse(const cairn_cones *cones, double *gamma) {
    impulse_all(cones, gamma);
}

void cairn_cones_weights(const cairn_cones *cones, double *B) {
    weights_all(cones, B);
}
