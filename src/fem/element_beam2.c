/*
 * element_beam2.c: cable or rod between two nodes, absolute nodal coordinates without transverse slopes [GS].
 *
 *     r(s) = N1 r1 + N2 t1 + N3 r2 + N4 t2,  0 <= s <= L     Hermite's cubics; r places, t = dr/ds slopes; L: distance of the nodes at rest
 *     stretch    e = (r'.r' - r0'.r0')/2                                      r0: at rest
 *     bending    k = |r' x r''|/(r'.r'),  k^2 = q = b/a - d^2/a^2              a = r'.r', b = r''.r'', d = r'.r''
 *     E = EA/2 int e^2 ds + EI/2 int (k - k0)^2 ds                             round section: A = pi R^2, I = pi R^4/4
 *
 * Stretch is summed at the ends and the middle (Simpson, three points shared with the neighbours): as many conditions as slopes and places can
 * meet while they bend, so that thin rods do not lock. Bending is summed at two points of Gauss, exact for small bending. Where k0 > 0 (lines with corners), k
 * is sqrt(q + c^2) with c = k0/100, smooth where the rod is straight. The mass matrix is consistent and constant. No torsion: a section has no
 * direction of its own. The law of the material is not asked: the strains above are those of large rotations.
 *
 * Projected: stretch keeps (a + e)+ along r' and e+ across; the 6 x 6 curvature of bending in (r', r'') is clamped by its eigenvalues.
 */
#include "element.h"
#include "polar.h"

#include <math.h>

#define PI     3.14159265358979323846
#define SMOOTH 0.01 /* c / k0 */

enum { LENGTH = 0, STRETCH = 1, BEND = 4, KEPT = 6 };

static const double stretch_place[3] = {0.0, 0.5, 1.0}, stretch_weight[3] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
static const double bend_place[2] = {0.21132486540518711775, 0.78867513459481288225}; /* (1 -+ 1/sqrt 3)/2 */

/* First (d1) and second (d2) derivatives of the four cubics by s at s = z L. */
static void slopes(double z, double L, double d1[4], double d2[4]) {
    d1[0] = 6.0 * z * (z - 1.0) / L;
    d1[1] = 1.0 + z * (3.0 * z - 4.0);
    d1[2] = -d1[0];
    d1[3] = z * (3.0 * z - 2.0);
    d2[0] = (12.0 * z - 6.0) / (L * L);
    d2[1] = (6.0 * z - 4.0) / L;
    d2[2] = -d2[0];
    d2[3] = (6.0 * z - 2.0) / L;
}

static void combine(const double d[4], const double *x, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = d[0] * x[i] + d[1] * x[3 + i] + d[2] * x[6 + i] + d[3] * x[9 + i];
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double bending_square(const double a[3], const double b[3]) {
    double alpha = dot(a, a), delta = dot(a, b);
    return fmax((dot(b, b) - delta * delta / alpha) / alpha, 0.0);
}

static void prepare(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *X, double *kept,
                    double *mass) {
    (void)e;
    double chord[3] = {X[6] - X[0], X[7] - X[1], X[8] - X[2]}, L = sqrt(dot(chord, chord)), d1[4], d2[4], a[3], b[3];
    kept[LENGTH] = L;
    for (int q = 0; q < 3; q++) {
        slopes(stretch_place[q], L, d1, d2);
        combine(d1, X, a);
        kept[STRETCH + q] = dot(a, a);
    }
    for (int q = 0; q < 2; q++) {
        slopes(bend_place[q], L, d1, d2);
        combine(d1, X, a);
        combine(d2, X, b);
        double k0 = sqrt(bending_square(a, b));
        kept[BEND + q] = k0 * L > 1e-9 ? k0 : 0.0; /* straight but for rounding */
    }
    double m = stuff->density * PI * stuff->radius * stuff->radius * L / 420.0;
    const double unit[16] = {156, 22, 54, -13, 22, 4, 13, -3, 54, 13, 156, -22, -13, -3, -22, 4};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            mass[4 * i + j] = m * unit[4 * i + j] * (i & 1 ? L : 1.0) * (j & 1 ? L : 1.0);
}

/* K(block i, j) += d_i e_j B */
static void add_blocks(const double *d, const double *e, const double B[9], double *K) {
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++, K += 9)
            for (int t = 0; t < 9; t++)
                K[t] += d[i] * e[j] * B[t];
}

static double stretch(const cairn_fem_stuff *stuff, const double *kept, int q, const double *x, double *force,
                      double *K) {
    double L = kept[LENGTH], d1[4], d2[4], a[3], B[9];
    slopes(stretch_place[q], L, d1, d2);
    combine(d1, x, a);
    double alpha = dot(a, a), e = 0.5 * (alpha - kept[STRETCH + q]);
    double w = stretch_weight[q] * L * stuff->E * PI * stuff->radius * stuff->radius;
    for (int i = 0; force != NULL && i < 4; i++)
        for (int c = 0; c < 3; c++)
            force[3 * i + c] -= w * e * d1[i] * a[c];
    if (K != NULL) {
        double across = stuff->project ? fmax(e, 0.0) : e, along = alpha + e;
        if (stuff->project)
            along = fmax(along, 0.0);
        double f = alpha > 0.0 ? (along - across) / alpha : 0.0;
        for (int t = 0; t < 9; t++)
            B[t] = w * (f * a[t / 3] * a[t % 3] + (t % 4 == 0 ? across : 0.0));
        add_blocks(d1, d1, B, K);
    }
    return 0.5 * w * e * e;
}

/* A (6 x 6) of (k - k0)^2/2 in (r', r''). first, second: of it by q. */
static void bending_tangent(const double a[3], const double b[3], double first, double second, double A[36]) {
    double al = dot(a, a), be = dot(b, b), de = dot(a, b), i1 = 1.0 / al, i2 = i1 * i1, i3 = i2 * i1;
    double g[3] = {-be * i2 + 2.0 * de * de * i3, i1, -2.0 * de * i2}; /* of q by alpha, beta, delta */
    double h[9] = {
        2.0 * be * i3 - 6.0 * de * de * i2 * i2, -i2, 4.0 * de * i3, -i2, 0.0, 0.0, 4.0 * de * i3, 0.0, -2.0 * i2};
    double u[3][6];
    for (int c = 0; c < 3; c++) {
        u[0][c] = 2.0 * a[c];
        u[0][3 + c] = 0.0;
        u[1][c] = 0.0;
        u[1][3 + c] = 2.0 * b[c];
        u[2][c] = b[c];
        u[2][3 + c] = a[c];
    }
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            double sum = 0.0;
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    sum += (first * h[3 * p + q] + second * g[p] * g[q]) * u[p][r] * u[q][c];
            if (r % 3 == c % 3)
                sum += first * (r != c ? g[2] : r < 3 ? 2.0 * g[0] : 2.0 * g[1]);
            A[6 * r + c] = sum;
        }
}

static void clamp6(double A[36]) {
    double V[36], D[36];
    for (int t = 0; t < 36; t++)
        D[t] = A[t];
    cairn_eigen(6, D, V);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            A[6 * r + c] = 0.0;
            for (int k = 0; k < 6; k++)
                A[6 * r + c] += V[6 * r + k] * fmax(D[7 * k], 0.0) * V[6 * c + k];
        }
}

static double bend(const cairn_fem_stuff *stuff, const double *kept, int q, const double *x, double *force, double *K) {
    double L = kept[LENGTH], k0 = kept[BEND + q], d1[4], d2[4], a[3], b[3];
    slopes(bend_place[q], L, d1, d2);
    combine(d1, x, a);
    combine(d2, x, b);
    double alpha = dot(a, a);
    if (!(alpha > 0.0))
        return 0.0; /* a point without direction: the stretch drives it apart */
    double square = bending_square(a, b), c2 = SMOOTH * SMOOTH * k0 * k0, root = sqrt(square + c2),
           rest = sqrt(k0 * k0 + c2);
    double R2 = stuff->radius * stuff->radius, w = 0.5 * L * stuff->E * 0.25 * PI * R2 * R2;
    double first = k0 > 0.0 ? 0.5 * (1.0 - rest / root) : 0.5,
           second = k0 > 0.0 ? 0.25 * rest / (root * root * root) : 0.0;
    if (force != NULL) {
        double beta = dot(b, b), delta = dot(a, b);
        double ga = (2.0 * delta * delta / alpha - beta) / (alpha * alpha), gd = -2.0 * delta / (alpha * alpha);
        for (int c = 0; c < 3; c++) {
            double by_a = first * (2.0 * ga * a[c] + gd * b[c]), by_b = first * (2.0 * b[c] / alpha + gd * a[c]);
            for (int i = 0; i < 4; i++)
                force[3 * i + c] -= w * (d1[i] * by_a + d2[i] * by_b);
        }
    }
    if (K != NULL) {
        double A[36], B[4][9];
        bending_tangent(a, b, first, second, A);
        if (stuff->project)
            clamp6(A);
        for (int s = 0; s < 4; s++)
            for (int t = 0; t < 9; t++)
                B[s][t] = w * A[6 * (3 * (s / 2) + t / 3) + 3 * (s % 2) + t % 3];
        add_blocks(d1, d1, B[0], K);
        add_blocks(d1, d2, B[1], K);
        add_blocks(d2, d1, B[2], K);
        add_blocks(d2, d2, B[3], K);
    }
    return 0.5 * w * (root - rest) * (root - rest);
}

static double evaluate(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                       const double *x, double *force, double *K) {
    (void)element;
    double energy = 0.0;
    for (int t = 0; force != NULL && t < 12; t++)
        force[t] = 0.0;
    for (int t = 0; K != NULL && t < 90; t++)
        K[t] = 0.0;
    for (int q = 0; q < 3; q++)
        energy += stretch(stuff, kept, q, x, force, K);
    for (int q = 0; q < 2; q++)
        energy += bend(stuff, kept, q, x, force, K);
    return energy;
}

/* stress[0]: axial stress of the middle with the bending stress of the side where it is worse; strain[0]: stretch of the middle. */
static double stress(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                     const double *X, const double *x, double out[6], double strain[6]) {
    (void)element;
    double L = kept[LENGTH], d1[4], d2[4], a[3], b[3], k[2];
    for (int t = 0; t < 6; t++)
        out[t] = strain[t] = 0.0;
    slopes(0.5, L, d1, d2);
    for (int side = 0; side < 2; side++) {
        combine(d1, side == 0 ? X : x, a);
        combine(d2, side == 0 ? X : x, b);
        k[side] = sqrt(bending_square(a, b));
    }
    strain[0] = 0.5 * (dot(a, a) - kept[STRETCH + 1]);
    double bending = fabs(k[1] - k[0]) * stuff->radius;
    out[0] = stuff->E * (strain[0] + (strain[0] < 0.0 ? -bending : bending));
    return PI * stuff->radius * stuff->radius * L;
}

const cairn_fem_element cairn_fem_beam2 = {.name = "beam2",
                                           .nodes = 2,
                                           .vectors = 2,
                                           .kept = KEPT,
                                           .corners = 2,
                                           .prepare = prepare,
                                           .evaluate = evaluate,
                                           .stress = stress};
