/*
 * central_path_cone.c: Jordan algebra of one Lorentz cone for central_path.c, one cone at a time;
 * the same Nesterov-Todd scaling as in cone_algebra.c, [theory 5], without its tiles: the path is a
 * last resort, and its cost is in the factorisations.
 *
 *     sJ^2 = gap (gap + 2|s_T|) = s_0^2 - |s_T|^2;  bars: divided by sJ, zJ;  g = sqrt((1 + s'z/(sJ zJ))/2)
 *     w = ((s_0 + z_0), (s_T - z_T))/(2g) of the bars;  W = eta [w_0 w_T'; w_T I + w_T w_T'/(1 + w_0)],  eta^2 = sJ/zJ
 */
#include "solve/second_order/central_path_cone.h"

#include <math.h>
#include <string.h>

#define TINY 1e-300

static double tangent(const double *x) {
    return sqrt(x[1] * x[1] + x[2] * x[2]);
}

static void slack_of(double c, const double *y, double *s) {
    double t = tangent(y);
    s[0] = c > 0.0 ? y[0] + sqrt(t * t + c * y[0] * y[0]) : y[0];
    s[1] = y[1];
    s[2] = y[2];
}

double cairn_cone_coulomb_gap(double c, const double *y) {
    double t = tangent(y), R = sqrt(t * t + c * y[0] * y[0]);
    return y[0] + c * y[0] * y[0] / fmax(R + t, TINY);
}

static double product(const double *s, double s_gap, const double *z, double z_gap) {
    double ns = tangent(s), nz = tangent(z), c1 = s[1] * nz + z[1] * ns, c2 = s[2] * nz + z[2] * ns;
    return s_gap * z_gap + s_gap * nz + z_gap * ns + 0.5 * (c1 * c1 + c2 * c2) / fmax(ns * nz, TINY);
}

double cairn_cone_gap_change(const double *x, const double *d, double a) {
    double moved[3] = {0.0, x[1] + a * d[1], x[2] + a * d[2]};
    double sum = tangent(x) + tangent(moved);
    double square = 2.0 * a * (x[1] * d[1] + x[2] * d[2]) + a * a * (d[1] * d[1] + d[2] * d[2]);
    return a * d[0] - (sum > 0.0 ? square / sum : 0.0);
}

double cairn_cone_step(const double *x, double gap, const double *d) {
    if (x[1] == 0.0 && x[2] == 0.0 && d[1] == 0.0 &&
        d[2] == 0.0) /* on the axis, where the quadratic has a double root */
        return d[0] < 0.0 ? fmin(-gap / d[0], 1e10) : 1e10;
    double n = tangent(x), t1 = x[1] / fmax(n, TINY), t2 = x[2] / fmax(n, TINY), limit = 1e10;
    double A = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    double half = gap * d[0] + n * (d[0] - t1 * d[1] - t2 * d[2]), C = gap * (gap + 2.0 * n);
    double root = half * half - A * C;
    if (root < -1e-12 * half * half)
        return limit;
    root = fmax(root, 0.0);
    double q = -(half + (half >= 0.0 ? 1.0 : -1.0) * sqrt(root));
    double candidate[2] = {q / A, C / q};
    for (int i = 0; i < 2; i++)
        if (isfinite(candidate[i]) && candidate[i] > 0.0 && candidate[i] < limit)
            limit = candidate[i];
    return limit;
}

/* C = A B, 3 x 3 row by row. */
static void multiply(const double *A, const double *B, double *C) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void apply(const double *A, const double *x, double *y) {
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

void cairn_cone_scale(double c, const double *y, double s_gap, const double *z, double z_gap, cairn_cone_scaling *out) {
    double s[3];
    slack_of(c, y, s);
    double ns = tangent(s), nz = tangent(z);
    double sJ = sqrt(s_gap * (s_gap + 2.0 * ns)), zJ = sqrt(z_gap * (z_gap + 2.0 * nz));
    double both = product(s, s_gap, z, z_gap), g = sqrt(0.5 * (1.0 + both / (sJ * zJ)));
    double eta = sqrt(sJ / zJ), w[3];
    for (int k = 1; k < 3; k++)
        w[k] = (s[k] / sJ - z[k] / zJ) / (2.0 * g);
    w[0] = sqrt(1.0 + w[1] * w[1] + w[2] * w[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double value = i == 0 || j == 0 ? w[i + j] : (i == j ? 1.0 : 0.0) + w[i] * w[j] / (1.0 + w[0]);
            out->W[3 * i + j] = eta * value;
            out->Wi[3 * i + j] = ((i == 0) != (j == 0) ? -value : value) / eta;
        }
    /* lambda from numerators that do not cancel */
    double scale = sqrt(sJ * zJ), below = s[0] / sJ + z[0] / zJ + 2.0 * g;
    out->lambda[0] = scale * g;
    for (int k = 1; k < 3; k++) {
        double cross = s[k] * nz + z[k] * ns;
        double above = g * (s[k] / sJ + z[k] / zJ) + (s[k] * z_gap + z[k] * s_gap + cross) / (sJ * zJ);
        out->lambda[k] = scale * above / below;
    }
    out->det = sJ * zJ;
    double R = sqrt(ns * ns + c * y[0] * y[0]);
    out->G[0] = c > 0.0 ? 1.0 + c * y[0] / fmax(R, TINY) : 1.0;
    out->G[1] = c > 0.0 ? y[1] / fmax(R, TINY) : 0.0;
    out->G[2] = c > 0.0 ? y[2] / fmax(R, TINY) : 0.0;
    double square[9], G[9] = {out->G[0], out->G[1], out->G[2], 0, 1, 0, 0, 0, 1};
    multiply(out->Wi, out->Wi, square);
    multiply(square, G, out->B);
}

void cairn_cone_target(const cairn_cone_scaling *c, const double *z, double level, double *t) {
    const double *l = c->lambda;
    double x[3] = {l[0] * level / c->det, 0.0, 0.0};
    x[1] = -x[0] * l[1] / l[0];
    x[2] = -x[0] * l[2] / l[0];
    apply(c->Wi, x, t);
    for (int k = 0; k < 3; k++)
        t[k] -= z[k];
}
