/*
 * incompatible_modes.c: solid elements with inner vectors a, which nobody else sees: they take the place of least energy.
 *
 *     F = sum_n x_n G_n' + sum_k a_k M_k',     E(x) = min over a of sum_q w_q psi(F_q)
 *     f = -dE/dx = -sum_q w_q P_q G_n,         K = K_xx - K_xa K_aa^-1 K_ax
 *
 * Newton's method from a = 0 with halved steps, on exact tangents where K_aa is positive, on positive ones else: no state is kept, so a restart gives the same bits. What
 * turns the element turns a with it. K is positive semidefinite when the tangents of the points are.
 */
#include "fem/element/element_pressure.h"

#include <math.h>

#define ROUNDS  20
#define ENOUGH  1e-16 /* of the energy: what a further step would gain */
#define ROUNDED 1e-12 /* of the energy: gains that rounding hides */
#define HALVES  30
#define INNER   (3 * CAIRN_FEM_MODES_MAX)
#define VECTORS (CAIRN_FEM_NODES_MAX + CAIRN_FEM_MODES_MAX)
#define BLOCKS  (VECTORS * (VECTORS + 1) / 2)

typedef enum wanted { ENERGY, SLOPES_INSIDE, SLOPES } wanted; /* slopes: force, and K of the modes or of all vectors */

typedef struct inner {
    const cairn_fem_element *element;
    int n, m, points, step; /* nodes, modes, points of the rule, numbers kept a point */
    const cairn_fem_stuff *stuff;
    const double *kept;
    double y[3 * VECTORS];     /* nodes, then modes */
    double force[3 * VECTORS]; /* of both */
    int from;                  /* K is that of the vectors from this one on */
    double K[CAIRN_FEM_PAD * BLOCKS];
    double root[INNER * INNER]; /* lower triangle L of K_aa = L L' */
} inner;

/* Energy at y, and what is wanted. */
static double sum_points(inner *s, wanted what) {
    int all = s->n + s->m, from = what == SLOPES ? 0 : s->n, count = all - from;
    double energy, F[9], P[9], A[81];
    cairn_fem_volume volume;
    cairn_fem_volume_at(s->element, s->stuff, s->kept, s->y, what != ENERGY, &volume);
    energy = volume.energy;
    for (int t = 0; what != ENERGY && t < 3 * all; t++)
        s->force[t] = 0.0;
    for (int t = 0; what != ENERGY && t < CAIRN_FEM_PAD * (count * (count + 1) / 2); t++)
        s->K[t] = 0.0;
    if (what != ENERGY)
        s->from = from;
    for (int q = 0; q < s->points; q++) {
        const double *G = s->kept + q * s->step;
        double w = G[3 * all];
        cairn_fem_stuff own = cairn_fem_volume_stuff(&volume, s->stuff, q);
        cairn_fem_solid_deformation(all, G, s->y, F);
        energy += w * s->stuff->law->point(&own, F, what != ENERGY ? P : NULL, what != ENERGY ? A : NULL);
        if (what == ENERGY)
            continue;
        for (int a = 0; a < all; a++)
            for (int i = 0; i < 3; i++)
                s->force[3 * a + i] -= w * (P[3 * i] * G[3 * a] + P[3 * i + 1] * G[3 * a + 1] +
                                            P[3 * i + 2] * G[3 * a + 2]);
        cairn_fem_solid_add_stiffness(count, G + 3 * from, w, A, s->K);
    }
    if (what != ENERGY)
        cairn_fem_volume_stiffness(&volume, s->stuff, from, all, s->K);
    return energy;
}

/* Entry (row, column) of K; rows and columns count from the first node's. */
static double entry(const inner *s, int row, int column) {
    int a = row / 3 - s->from, b = column / 3 - s->from, all = s->n + s->m - s->from;
    int low = a < b ? a : b, high = a < b ? b : a, block = low * all - low * (low - 1) / 2 + high - low;
    const double *B = s->K + CAIRN_FEM_PAD * block;
    return a <= b ? B[3 * (row % 3) + column % 3] : B[3 * (column % 3) + row % 3];
}

/* root = Cholesky's factor of K_aa; false: not positive. */
static bool factor(inner *s) {
    int n = 3 * s->m, first = 3 * s->n;
    double trace = 0.0;
    for (int i = 0; i < n; i++)
        trace += entry(s, first + i, first + i);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = entry(s, first + i, first + j);
            for (int k = 0; k < j; k++)
                sum -= s->root[INNER * i + k] * s->root[INNER * j + k];
            if (i == j && !(sum > 1e-12 * trace))
                return false;
            s->root[INNER * i + j] = i == j ? sqrt(sum) : sum / s->root[INNER * j + j];
        }
    return true;
}

/* x <- L^-1 x */
static void forward(const inner *s, double *x) {
    for (int i = 0; i < 3 * s->m; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= s->root[INNER * i + k] * x[k];
        x[i] /= s->root[INNER * i + i];
    }
}

static void backward(const inner *s, double *x) {
    for (int i = 3 * s->m - 1; i >= 0; i--) {
        for (int k = i + 1; k < 3 * s->m; k++)
            x[i] -= s->root[INNER * k + i] * x[k];
        x[i] /= s->root[INNER * i + i];
    }
}

/* Energy at y with force and factorised K_aa: of the exact tangents where these are positive inside, of positive ones else. False: no curvature inside. */
static bool look(inner *s, wanted what, double *energy) {
    cairn_fem_stuff stuff = *s->stuff, *own = &stuff;
    const cairn_fem_stuff *given = s->stuff;
    s->stuff = own;
    bool good = false;
    for (int t = 0; t < 2 && !good; t++) {
        stuff.project = t == 1;
        *energy = sum_points(s, what);
        good = factor(s);
    }
    s->stuff = given;
    return good;
}

/* a of least energy; force belongs to it. Returns the energy. */
static double settle(inner *s) {
    double *a = s->y + 3 * s->n, energy, move[INNER], start[INNER];
    bool good = look(s, SLOPES_INSIDE, &energy);
    for (int round = 0; round < ROUNDS && good; round++) {
        double gain = 0.0, next = INFINITY, share = 1.0;
        for (int t = 0; t < 3 * s->m; t++) {
            move[t] = s->force[3 * s->n + t];
            start[t] = a[t];
        }
        forward(s, move);
        for (int t = 0; t < 3 * s->m; t++)
            gain += 0.5 * move[t] * move[t];
        if (gain <= ENOUGH * energy)
            break;
        backward(s, move);
        for (int half = 0; half < HALVES; half++, share *= 0.5) {
            for (int t = 0; t < 3 * s->m; t++)
                a[t] = start[t] + share * move[t];
            if (half == 0)
                good = look(s, SLOPES_INSIDE, &next);
            else
                next = sum_points(s, ENERGY);
            if (next < energy || gain < ROUNDED * energy)
                break;
        }
        if (share < 1.0)
            good = look(s, SLOPES_INSIDE, &next);
        energy = next;
    }
    return energy;
}

/* K (9 a block a <= b of the nodes) = K_xx - K_xa K_aa^-1 K_ax */
static void condense(const inner *s, double *K) {
    double side[3 * CAIRN_FEM_NODES_MAX][INNER]; /* L^-1 K_ax, a row a component of the nodes */
    for (int r = 0; r < 3 * s->n; r++) {
        for (int t = 0; t < 3 * s->m; t++)
            side[r][t] = entry(s, r, 3 * s->n + t);
        forward(s, side[r]);
    }
    for (int a = 0; a < s->n; a++)
        for (int b = a; b < s->n; b++, K += 9)
            for (int t = 0; t < 9; t++) {
                int r = 3 * a + t / 3, c = 3 * b + t % 3;
                double sum = entry(s, r, c);
                for (int k = 0; k < 3 * s->m; k++)
                    sum -= side[r][k] * side[c][k];
                K[t] = sum;
            }
}

static inner inner_of(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept) {
    int step = cairn_fem_solid_stride(e);
    return (inner){.element = e,
                   .n = e->nodes,
                   .m = e->modes,
                   .step = step,
                   .points = e->kept / step,
                   .stuff = stuff,
                   .kept = kept};
}

double cairn_fem_modes_evaluate(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                                const double *x, double *force, double *K) {
    inner s = inner_of(e, stuff, kept);
    for (int t = 0; t < 3 * s.n; t++)
        s.y[t] = x[t];
    double energy = settle(&s);
    for (int t = 0; force != NULL && t < 3 * s.n; t++)
        force[t] = s.force[t];
    if (K == NULL)
        return energy;
    double same;
    if (stuff->project)
        sum_points(&s, SLOPES);
    if (stuff->project ? factor(&s) : look(&s, SLOPES, &same)) {
        condense(&s, K);
        return energy;
    }
    for (int b = 0, a = 0, at = 0; a < s.n; a++) /* no curvature inside: only a flat or torn element has this */
        for (b = a; b < s.n; b++, at++)
            for (int t = 0; t < 9; t++)
                K[9 * at + t] = entry(&s, 3 * a + t / 3, 3 * b + t % 3);
    return energy;
}

/* Places of the modes that belong to those of the nodes in y. */
static void settle_at(inner *s, const double *x) {
    for (int t = 0; t < 3 * s->n; t++)
        s->y[t] = x[t];
    for (int t = 3 * s->n; t < 3 * (s->n + s->m); t++)
        s->y[t] = 0.0;
    settle(s);
}

/* G = K_xa K_aa^-1, a row a component of the nodes; 0 where nothing is stiff inside. */
static void keep_share(inner *s, double *G) {
    int m = 3 * s->m;
    bool stiff = factor(s);
    for (int r = 0; r < 3 * s->n; r++, G += m) {
        for (int t = 0; t < m; t++)
            G[t] = stiff ? entry(s, r, 3 * s->n + t) : 0.0;
        if (stiff) {
            forward(s, G);
            backward(s, G);
        }
    }
}

/* K (9 a block a <= b of the nodes) = K_xx - G K_ax */
static void condense_by(const inner *s, const double *G, double *K) {
    int m = 3 * s->m;
    for (int a = 0; a < s->n; a++)
        for (int b = a; b < s->n; b++, K += 9)
            for (int t = 0; t < 9; t++) {
                int r = 3 * a + t / 3, c = 3 * b + t % 3;
                K[t] = entry(s, r, c);
                for (int k = 0; k < m; k++)
                    K[t] -= G[m * r + k] * entry(s, c, 3 * s->n + k);
            }
}

/* Nodes and modes where the step begins, and their rates as far as the modes follow the nodes. */
static cairn_fem_motion with_modes(inner *s, const cairn_fem_motion *motion, const double *modes, double *x,
                                   double *v) {
    double end[3 * CAIRN_FEM_NODES_MAX];
    int n = 3 * s->n;
    for (int t = 0; t < n; t++) {
        x[t] = motion->x[t];
        v[t] = motion->v[t];
        end[t] = motion->x[t] + motion->h * motion->v[t];
    }
    settle_at(s, end);
    for (int t = 0; t < 3 * s->m; t++) {
        x[n + t] = modes[t];
        v[n + t] = motion->h > 0.0 ? (s->y[n + t] - modes[t]) / motion->h : 0.0;
    }
    cairn_fem_motion all = *motion;
    all.x = x;
    all.v = v;
    return all;
}

void cairn_fem_modes_step(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                          const cairn_fem_motion *motion, double *lean, double *force, double *K) {
    inner s = inner_of(e, stuff, kept);
    int n = 3 * s.n, m = 3 * s.m, all = s.n + s.m;
    double x[3 * VECTORS], v[3 * VECTORS], *G = lean + m;
    if (K != NULL) {
        settle_at(&s, motion->x);
        for (int t = 0; t < m; t++)
            lean[t] = s.y[n + t];
    }
    cairn_fem_motion whole = with_modes(&s, motion, lean, x, v);
    for (int t = 0; t < 3 * all; t++)
        s.force[t] = 0.0;
    for (int t = 0; K != NULL && t < CAIRN_FEM_PAD * (all * (all + 1) / 2); t++)
        s.K[t] = 0.0;
    s.from = 0;
    cairn_fem_solid_step_sums(e, stuff, kept, &whole, s.force, K != NULL ? s.K : NULL);
    if (K != NULL) {
        keep_share(&s, G);
        condense_by(&s, G, K);
    }
    for (int r = 0; r < n; r++) {
        force[r] = s.force[r];
        for (int k = 0; k < m; k++)
            force[r] -= G[m * r + k] * s.force[n + k];
    }
}

/* The modes' mean stress is none: that they go on as predicted is enough. */
double cairn_fem_modes_applied(const cairn_fem_element *e, const cairn_fem_stuff *stuff, const double *kept,
                               const cairn_fem_motion *motion, const double *lean, const double *answer,
                               double stress[6]) {
    inner s = inner_of(e, stuff, kept);
    int n = 3 * s.n;
    double x[3 * VECTORS], v[3 * VECTORS], last[3 * VECTORS];
    cairn_fem_motion whole = with_modes(&s, motion, lean, x, v);
    for (int t = 0; t < n + 3 * s.m; t++)
        last[t] = t < n ? answer[t] : v[t];
    return cairn_fem_solid_applied(e, stuff, kept, &whole, lean, last, stress);
}
