/*
 * matrices_bars.c: matrices of the size of [T21 TEST 4]: 15 elastic bars of 13 x 4 x 4 nodes, 208 as there, six linear tetrahedra a cell.
 *
 *     H = M + (h^2 + alpha h) K         h = 0.05 s, alpha = 0.01 (Rayleigh), M lumped
 *     K_ab = V (lambda g_a g_b' + mu g_b g_a' + mu (g_a . g_b) I)       g: gradients of the shape functions
 *
 * Five layers of three bars, each layer turned by 1.3 rad against the one below. The lowest three rest on their nodes; between
 * layers random points of the overlaps touch, each with three nodes above and three below.
 */
#include "matrices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NX = 13, NY = 4, NZ = 4, NODES = NX * NY * NZ, BARS = 15, CONTACTS = 1650 };
static const double LENGTH[3] = {0.6, 0.06, 0.06}, SPACING = 0.12, TURN = 1.3;

static int node(int i, int j, int k) {
    return (i * NY + j) * NZ + k;
}

/* The bar's own coordinates (from its middle) to the scene's, in the plane, and back. */
static void to_scene(int bar, const double own[2], double out[2]) {
    double angle = TURN * (bar / 3), c = cos(angle), s = sin(angle), y = own[1] + SPACING * (bar % 3 - 1);
    out[0] = c * own[0] - s * y;
    out[1] = s * own[0] + c * y;
}

static void to_bar(int bar, const double p[2], double own[2]) {
    double angle = TURN * (bar / 3), c = cos(angle), s = sin(angle);
    own[0] = c * p[0] + s * p[1];
    own[1] = -s * p[0] + c * p[1] - SPACING * (bar % 3 - 1);
}

static void place_node(int bar, int which, double x[3]) {
    int at[3] = {which / (NY * NZ), which / NZ % NY, which % NZ};
    static const int count[3] = {NX - 1, NY - 1, NZ - 1};
    double own[3];
    for (int i = 0; i < 3; i++)
        own[i] = LENGTH[i] * ((double)at[i] / count[i] - 0.5);
    to_scene(bar, own, x);
    x[2] = own[2] + LENGTH[2] * (bar / 3 + 0.5);
}

/* Gradients of the four shape functions (rows of g) and six times the volume, signed. */
static double gradients(double x[4][3], double g[4][3]) {
    double e[3][3];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            e[a][i] = x[a + 1][i] - x[0][i];
    for (int a = 0; a < 3; a++) {
        const double *p = e[(a + 1) % 3], *q = e[(a + 2) % 3];
        for (int i = 0; i < 3; i++)
            g[a + 1][i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
    }
    double volume = e[0][0] * g[1][0] + e[0][1] * g[1][1] + e[0][2] * g[1][2];
    for (int i = 0; i < 3; i++) {
        for (int a = 1; a < 4; a++)
            g[a][i] /= volume;
        g[0][i] = -g[1][i] - g[2][i] - g[3][i];
    }
    return volume;
}

static void add_tetrahedron(triplets *H, int bar, const int corner[4], double young) {
    const double h = 0.05, alpha = 0.01, nu = 0.3, density = 1000.0;
    double lambda = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu = young / (2.0 * (1.0 + nu));
    double x[4][3], g[4][3];
    for (int a = 0; a < 4; a++)
        place_node(bar, corner[a], x[a]);
    double volume = fabs(gradients(x, g)) / 6.0, factor = (h * h + alpha * h) * volume;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            int row = 3 * (NODES * bar + corner[a]), col = 3 * (NODES * bar + corner[b]);
            double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double k = lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * dot : 0.0);
                    triplets_add(H, row + i, col + j, factor * k + (a == b && i == j ? density * volume / 4.0 : 0.0));
                }
        }
}

/* Six tetrahedra around the diagonal from corner 0 to corner 7: one for each order in which the axes are walked. */
static void add_cell(triplets *H, int bar, int i, int j, int k, double young) {
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int t = 0; t < 6; t++) {
        int at[3] = {i, j, k}, corner[4] = {node(i, j, k)};
        for (int a = 0; a < 3; a++) {
            at[order[t][a]]++;
            corner[a + 1] = node(at[0], at[1], at[2]);
        }
        add_tetrahedron(H, bar, corner, young);
    }
}

/* One node's share of a contact. Rows 3 c..3 c + 2; the frame is nearly the axes, normal z. */
static void add_share(triplets *D, int contact, int bar, int which, double weight, double frame[3][3]) {
    for (int q = 0; q < 3; q++)
        for (int i = 0; i < 3; i++)
            triplets_add(D, 3 * (NODES * bar + which) + i, 3 * contact + q, weight * frame[q][i]);
}

static void contact_frame(bench_random *random, double frame[3][3]) {
    double a = 1e-3 * random_normal(random), b = 1e-3 * random_normal(random), c = sqrt(1.0 - a * a - b * b);
    double rows[3][3] = {{a, b, c}, {c, 0.0, -a}, {0.0, c, -b}};
    double length[3] = {1.0, sqrt(c * c + a * a), sqrt(c * c + b * b)};
    for (int q = 0; q < 3; q++)
        for (int i = 0; i < 3; i++)
            frame[q][i] = rows[q][i] / length[q];
}

/* The triangle of the face k = layer that holds a point given in the bar's coordinates: its nodes and their weights. */
static bool face_weights(const double own[2], int layer, int which[3], double weight[3]) {
    double s = (own[0] / LENGTH[0] + 0.5) * (NX - 1), t = (own[1] / LENGTH[1] + 0.5) * (NY - 1);
    if (s <= 0.0 || t <= 0.0 || s >= NX - 1 || t >= NY - 1)
        return false;
    int i = (int)s, j = (int)t;
    s -= i;
    t -= j;
    which[0] = node(i, j, layer);
    which[1] = s > t ? node(i + 1, j, layer) : node(i, j + 1, layer);
    which[2] = node(i + 1, j + 1, layer);
    weight[0] = 1.0 - fmax(s, t);
    weight[1] = fabs(s - t);
    weight[2] = fmin(s, t);
    return true;
}

static void add_contacts(triplets *D) {
    bench_random random = {3};
    double frame[3][3];
    int contact = 0;
    for (int bar = 0; bar < 3; bar++)
        for (int f = 0; f < NX * NY; f++) {
            contact_frame(&random, frame);
            add_share(D, contact++, bar, node(f / NY, f % NY, 0), 1.0, frame);
        }
    while (contact < CONTACTS) {
        int upper = 3 + (int)(random_uniform(&random) * (BARS - 3)), lower = 3 * (upper / 3 - 1);
        lower += (int)(random_uniform(&random) * 3);
        double own[2], p[2], other[2], up[3], down[3];
        int top[3], bottom[3];
        for (int i = 0; i < 2; i++)
            own[i] = LENGTH[i] * (random_uniform(&random) - 0.5);
        to_scene(upper, own, p);
        to_bar(lower, p, other);
        if (!face_weights(own, 0, top, up) || !face_weights(other, NZ - 1, bottom, down))
            continue;
        contact_frame(&random, frame);
        for (int a = 0; a < 3; a++) {
            add_share(D, contact, upper, top[a], up[a], frame);
            add_share(D, contact, lower, bottom[a], -down[a], frame);
        }
        contact++;
    }
}

scene scene_bars(double young) {
    triplets H = {0}, D = {0};
    int n = 3 * NODES * BARS;
    for (int bar = 0; bar < BARS; bar++)
        for (int c = 0; c < (NX - 1) * (NY - 1) * (NZ - 1); c++)
            add_cell(&H, bar, c / ((NY - 1) * (NZ - 1)), c / (NZ - 1) % (NY - 1), c % (NZ - 1), young);
    add_contacts(&D);
    scene s = {.name = "bars", .bodies = NODES * BARS, .blocks = CONTACTS};
    s.H = sparse_compress(&H, n, n);
    s.D = sparse_compress(&D, n, 3 * CONTACTS);
    s.body_start = bench_need((size_t)s.bodies + 1, sizeof *s.body_start);
    s.block_start = bench_need((size_t)s.blocks + 1, sizeof *s.block_start);
    for (int i = 0; i <= s.bodies; i++)
        s.body_start[i] = 3 * i;
    for (int i = 0; i <= s.blocks; i++)
        s.block_start[i] = 3 * i;
    return s;
}
