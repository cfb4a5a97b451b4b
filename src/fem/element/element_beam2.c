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
#include "fem/element/element.h"
#include "fem/material/polar_decomposition.h"

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

/* z turned as the direction of a turns into that of b, on the shortest way; as it is where that is not known. */
static void carry(const double a[3], const double b[3], const double z[3], double out[3]) {
    double scale = sqrt(dot(a, a) * dot(b, b)), c = dot(a, b) / scale;
    for (int i = 0; i < 3; i++)
        out[i] = z[i];
    if (!(scale > 0.0) || !(c > -0.999))
        return;
    double w[3];
    for (int i = 0; i < 3; i++)
        w[i] = (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]) / scale;
    double along = dot(w, z) / (1.0 + c);
    for (int i = 0; i < 3; i++)
        out[i] = c * z[i] + w[(i + 1) % 3] * z[(i + 2) % 3] - w[(i + 2) % 3] * z[(i + 1) % 3] + along * w[i];
}

static double turn(const cairn_fem_element *element, const double *kept, double h, const double *x, const double *v,
                   double Q[9]) {
    (void)element;
    double d1[4], d2[4], now[3], rate[3], before[3], out[3];
    slopes(0.5, kept[LENGTH], d1, d2);
    combine(d1, x, now);
    combine(d1, v, rate);
    for (int i = 0; i < 3; i++)
        before[i] = now[i] - h * rate[i];
    for (int j = 0; j < 3; j++) {
        const double unit[3] = {j == 0, j == 1, j == 2};
        carry(before, now, unit, out);
        for (int i = 0; i < 3; i++)
            Q[3 * i + j] = out[i];
    }
    double scale = sqrt(dot(before, before) * dot(now, now));
    return scale > 0.0 ? acos(fmin(1.0, fmax(-1.0, dot(before, now) / scale))) : 0.0;
}

/* Stretch of a step at one of its points: returns the stress of the prediction over E, and B = d1 a. */
static double stretch_step(const double *kept, const cairn_fem_motion *m, int q, double d1[4], double a[3],
                           double *predicted) {
    double d2[4], rate[3], end[3];
    slopes(stretch_place[q], kept[LENGTH], d1, d2);
    combine(d1, m->x, a);
    combine(d1, m->v, rate);
    for (int i = 0; i < 3; i++)
        end[i] = a[i] + m->h * rate[i];
    *predicted = dot(a, rate);
    double now = 0.5 * (dot(a, a) - kept[STRETCH + q]);
    return m->near * 0.5 * (dot(end, end) - kept[STRETCH + q]) - m->far * now;
}

static void add_stretch(const cairn_fem_stuff *stuff, const double *kept, const cairn_fem_motion *m, int q,
                        double *force, double *K) {
    double d1[4], a[3], B[9], rate, stress = stretch_step(kept, m, q, d1, a, &rate);
    double w = stretch_weight[q] * kept[LENGTH] * stuff->E * PI * stuff->radius * stuff->radius;
    stress -= m->h * m->near * rate;
    for (int t = 0; t < 12; t++)
        force[t] -= w * stress * d1[t / 3] * a[t % 3];
    for (int t = 0; t < 9; t++)
        B[t] = w * a[t / 3] * a[t % 3];
    if (K != NULL)
        add_blocks(d1, d1, B, K);
}

/* k = r' x r''/(r'.r') */
static void curvature(const double a[3], const double b[3], double k[3]) {
    double square = dot(a, a);
    for (int i = 0; i < 3; i++)
        k[i] = (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]) / square;
}

/* How the curvature changes in axes that turn with the rod: its derivatives by r' and r'', 3 x 3 each, less the turn of r' times itself. */
static void curvature_slopes(const double a[3], const double b[3], const double k[3], double by_a[9], double by_b[9]) {
    double square = dot(a, a), ka = dot(k, a);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            double ec_b = (c == j ? b[l] : 0.0) - (c == l ? b[j] : 0.0),
                   a_ec = (c == l ? a[j] : 0.0) - (c == j ? a[l] : 0.0);
            by_b[3 * i + c] = a_ec / square;
            /* (a x e_c) x k / a.a = (e_c (a.k) - a (e_c.k)) / a.a */
            by_a[3 * i + c] = (ec_b - 2.0 * a[c] * k[i] - (i == c ? ka : 0.0) + a[i] * k[c]) / square;
        }
}

/* Moment over EI of a curvature k that was k0 at rest: g k; slope: of g by |k|^2. */
static double moment(double k0, const double k[3], double *slope) {
    double c2 = SMOOTH * SMOOTH * k0 * k0, rest = sqrt(k0 * k0 + c2), root = sqrt(dot(k, k) + c2);
    *slope = k0 > 0.0 ? 0.5 * rest / (root * root * root) : 0.0;
    return k0 > 0.0 ? 1.0 - rest / root : 1.0;
}

/* Bending of a step at one of its points. */
typedef struct bend_state {
    double d1[4], d2[4], by_a[9], by_b[9];
    double C[9]; /* moduli over EI */
    double now[3], end[3],
        predicted[3]; /* moments over EI at the begin, predicted for the end; rate of the curvature in the prediction */
} bend_state;

static void rate_of(const bend_state *s, const double *v, double out[3]) {
    double a[3], b[3];
    combine(s->d1, v, a);
    combine(s->d2, v, b);
    for (int i = 0; i < 3; i++)
        out[i] = dot(s->by_a + 3 * i, a) + dot(s->by_b + 3 * i, b);
}

static bool bend_step(const double *kept, const cairn_fem_motion *m, int q, bend_state *s) {
    double a[3], b[3], a_end[3], b_end[3], k[3], k_end[3], carried[3], slope, k0 = kept[BEND + q];
    slopes(bend_place[q], kept[LENGTH], s->d1, s->d2);
    combine(s->d1, m->x, a);
    combine(s->d2, m->x, b);
    combine(s->d1, m->v, a_end);
    combine(s->d2, m->v, b_end);
    for (int i = 0; i < 3; i++) {
        a_end[i] = a[i] + m->h * a_end[i];
        b_end[i] = b[i] + m->h * b_end[i];
    }
    if (!(dot(a, a) > 0.0) || !(dot(a_end, a_end) > 0.0))
        return false; /* a point without direction: the stretch drives it apart */
    curvature(a, b, k);
    curvature(a_end, b_end, k_end);
    carry(a_end, a, k_end, carried);
    curvature_slopes(a, b, k, s->by_a, s->by_b);
    double g_end = moment(k0, carried, &slope), g = moment(k0, k, &slope), square = dot(k, k);
    double across = fabs(g), along = fabs(g + 2.0 * slope * square); /* where it would grow, it is slow */
    for (int i = 0; i < 3; i++) {
        s->now[i] = g * k[i];
        s->end[i] = g_end * carried[i];
        for (int j = 0; j < 3; j++)
            s->C[3 * i + j] = (i == j ? across : 0.0) + (square > 0.0 ? (along - across) * k[i] * k[j] / square : 0.0);
    }
    rate_of(s, m->v, s->predicted);
    return true;
}

/* out = B'C B' of two slopes of the curvature */
static void triple(const double A[9], const double C[9], const double B[9], double w, double out[9]) {
    double CB[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CB[3 * i + j] = w * (C[3 * i] * B[j] + C[3 * i + 1] * B[3 + j] + C[3 * i + 2] * B[6 + j]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = A[i] * CB[j] + A[3 + i] * CB[3 + j] + A[6 + i] * CB[6 + j];
}

static double bending_weight(const cairn_fem_stuff *stuff, const double *kept) {
    double R2 = stuff->radius * stuff->radius;
    return 0.5 * kept[LENGTH] * stuff->E * 0.25 * PI * R2 * R2;
}

static void add_bending(const cairn_fem_stuff *stuff, const double *kept, const cairn_fem_motion *m, int q,
                        double *force, double *K) {
    bend_state s;
    double w = bending_weight(stuff, kept), t[3], B[9];
    if (!bend_step(kept, m, q, &s))
        return;
    for (int i = 0; i < 3; i++)
        t[i] = m->near * (s.end[i] - m->h * dot(s.C + 3 * i, s.predicted)) - m->far * s.now[i];
    for (int c = 0; c < 3; c++) {
        double along_a = s.by_a[c] * t[0] + s.by_a[3 + c] * t[1] + s.by_a[6 + c] * t[2];
        double along_b = s.by_b[c] * t[0] + s.by_b[3 + c] * t[1] + s.by_b[6 + c] * t[2];
        for (int i = 0; i < 4; i++)
            force[3 * i + c] -= w * (s.d1[i] * along_a + s.d2[i] * along_b);
    }
    if (K == NULL)
        return;
    const double *d[2] = {s.d1, s.d2}, *by[2] = {s.by_a, s.by_b};
    for (int side = 0; side < 4; side++) {
        triple(by[side / 2], s.C, by[side % 2], w, B);
        add_blocks(d[side / 2], d[side % 2], B, K);
    }
}

static void step(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                 const cairn_fem_motion *motion, double *lean, double *force, double *K) {
    (void)element;
    (void)lean;
    for (int t = 0; t < 12; t++)
        force[t] = 0.0;
    for (int t = 0; K != NULL && t < 90; t++)
        K[t] = 0.0;
    for (int q = 0; q < 3; q++)
        add_stretch(stuff, kept, motion, q, force, K);
    for (int q = 0; q < 2; q++)
        add_bending(stuff, kept, motion, q, force, K);
}

/* stress: along the axis, at the three points of stretch; then the size of the moments at the two of bending, N m. */
static double applied(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                      const cairn_fem_motion *m, const double *lean, const double *answer, double stress[6]) {
    (void)element;
    (void)lean;
    double heat = 0.0, d1[4], a[3], rate[3], area = PI * stuff->radius * stuff->radius;
    for (int t = 0; t < 6; t++)
        stress[t] = 0.0;
    for (int q = 0; q < 3; q++) {
        double predicted, part = stretch_step(kept, m, q, d1, a, &predicted);
        combine(d1, answer, rate);
        part += m->near * m->h * (dot(a, rate) - predicted);
        double now = 0.5 * (dot(a, a) - kept[STRETCH + q]), change = (part - now) / m->near;
        stress[q] = stuff->E * part;
        heat += m->far * stretch_weight[q] * kept[LENGTH] * stuff->E * area * change * change;
    }
    for (int q = 0; q < 2; q++) {
        bend_state s;
        double w = bending_weight(stuff, kept), change[3], sum[3];
        if (!bend_step(kept, m, q, &s))
            continue;
        rate_of(&s, answer, rate);
        for (int i = 0; i < 3; i++)
            rate[i] -= s.predicted[i];
        for (int i = 0; i < 3; i++) {
            change[i] = s.end[i] - s.now[i] + m->h * dot(s.C + 3 * i, rate);
            sum[i] = s.now[i] + m->near * change[i];
        }
        stress[3 + q] = 2.0 * w / kept[LENGTH] * sqrt(dot(sum, sum));
        heat += m->far * w * dot(change, change);
    }
    return heat;
}

/* Moments turn with the rod too: M.(dr' x dr'') is at most |M| (|dr'|^2/l + l |dr''|^2)/2, l the length over which both are alike. */
static double taut(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                   const double stress[6], double *L) {
    (void)element;
    double d1[4], d2[4], length = kept[LENGTH], area = PI * stuff->radius * stuff->radius;
    for (int b = 0; b < 10; b++)
        L[b] = 0.0;
    for (int q = 0; q < 3; q++) {
        double w = stretch_weight[q] * length * area * fmax(stress[q], 0.0);
        slopes(stretch_place[q], length, d1, d2);
        for (int i = 0, b = 0; i < 4; i++)
            for (int j = i; j < 4; j++, b++)
                L[b] += w * d1[i] * d1[j];
    }
    for (int q = 0; q < 2; q++) {
        double w = 0.5 * length * stress[3 + q], l = 0.25 * length;
        slopes(bend_place[q], length, d1, d2);
        for (int i = 0, b = 0; i < 4; i++)
            for (int j = i; j < 4; j++, b++)
                L[b] += w * (d1[i] * d1[j] / l + l * d2[i] * d2[j]);
    }
    double mass = stuff->density * area * length / 420.0; /* as in the mass matrix */
    return fmax(L[0] / (156.0 * mass), L[4] / (4.0 * length * length * mass));
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
                                           .turn = turn,
                                           .step = step,
                                           .applied = applied,
                                           .taut = taut,
                                           .stress = stress};
