/*
 * plasticity.c: the rows of von Mises plasticity; formulas in plasticity.h.
 *
 * Basis E_m of symmetric traceless matrices: (diag(1, -1, 0), diag(1, 1, -2)/sqrt 3, offdiagonal pairs)/sqrt 2. With R the nearest rotation of F,
 * e_m = E_m : R' grad v R = sum_a (R E_m R'g_a) . v_a,
 * g_a = F^-T G_a: grad v by the places of now, so that what flows keeps its volume. A held component moves with a velocity that is known: it goes to b.
 */
#include "fem/part/plasticity.h"

#include "fem/part/part_data.h"
#include "fem/material/polar_decomposition.h"

#include <math.h>

enum { ROWS = CAIRN_FEM_YIELD_ROWS, NODES = 4 };
#define LEAST 0.1 /* of its volume: below, an element flows as if it had so much; as in material_neo_hookean.c */

/* psi = lambda/2 ln^2 J, lambda being the bulk modulus: what the neo-Hookean law has of lambda. */
static double volume_only(const cairn_fem_stuff *m, const double *F, double *P, double *A) {
    cairn_fem_stuff bulk = *m;
    bulk.mu = 0.0;
    return cairn_fem_neo_hookean(&bulk, F, P, A);
}

static void volume_principal(const cairn_fem_stuff *m, const double s[3], cairn_principal *out) {
    cairn_fem_stuff bulk = *m;
    bulk.mu = 0.0;
    cairn_fem_neo_hookean_principal(&bulk, s, out);
}

static const cairn_fem_law_row volume_row = {"volume", volume_only, volume_principal, cairn_fem_neo_hookean_volume};

static cairn_status check(const cairn_fem_part *part, const double *limit) {
    const cairn_fem_work *w = part->work;
    for (int i = 0; i < part->materials; i++) {
        if (!(limit[i] > 0.0) || !isfinite(limit[i]))
            return cairn_fail(part->context, CAIRN_ERROR_ARGUMENT,
                              "yield: the limit of material %d is %g; a positive, finite stress (Pa) is needed", i,
                              limit[i]);
        if (w->stuff[i].law->point != cairn_fem_corotational)
            return cairn_fail(part->context, CAIRN_ERROR_UNSUPPORTED,
                              "yield: material %d has the law %s; only the corotational law yields", i,
                              w->stuff[i].law->name);
    }
    for (int e = 0; e < part->view.elements; e++)
        if (part->view.kind[e] != CAIRN_ELEMENT_TET4)
            return cairn_fail(part->context, CAIRN_ERROR_UNSUPPORTED, "yield: element %d is a %s; only tet4 yields", e,
                              cairn_fem_element_of(part->view.kind[e])->name);
    return CAIRN_OK;
}

cairn_status cairn_fem_yield_create(cairn_fem_part *part, const double *limit, cairn_fem_yield **out) {
    cairn_status status = check(part, limit);
    if (status != CAIRN_OK)
        return status;
    cairn_context *c = part->context;
    cairn_fem_work *w = part->work;
    size_t elements = (size_t)part->view.elements;
    cairn_fem_yield *y = cairn_alloc(c, 1, sizeof *y);
    if (y == NULL)
        return CAIRN_ERROR_MEMORY;
    y->context = c;
    y->limit = cairn_alloc(c, (size_t)part->materials, sizeof *y->limit);
    y->stress = cairn_alloc(c, ROWS * elements, sizeof *y->stress);
    y->plastic = cairn_alloc(c, elements, sizeof *y->plastic);
    y->D_start = cairn_alloc(c, ROWS * elements + 1, sizeof *y->D_start);
    y->D_row = cairn_alloc(c, ROWS * 3 * NODES * elements, sizeof *y->D_row);
    y->D_value = cairn_alloc(c, ROWS * 3 * NODES * elements, sizeof *y->D_value);
    y->C = cairn_alloc(c, ROWS * elements, sizeof *y->C);
    y->b = cairn_alloc(c, ROWS * elements, sizeof *y->b);
    y->block = cairn_alloc(c, elements, sizeof *y->block);
    y->kappa = cairn_alloc(c, elements, sizeof *y->kappa);
    y->gamma = cairn_alloc(c, ROWS * elements, sizeof *y->gamma);
    y->u = cairn_alloc(c, ROWS * elements, sizeof *y->u);
    if (y->limit == NULL || y->stress == NULL || y->plastic == NULL || y->D_start == NULL || y->D_row == NULL ||
        y->D_value == NULL || y->C == NULL || y->b == NULL || y->block == NULL || y->kappa == NULL ||
        y->gamma == NULL || y->u == NULL) {
        cairn_fem_yield_destroy(y);
        return CAIRN_ERROR_MEMORY;
    }
    for (int e = 0; e < part->view.elements; e++)
        for (int t = 0; t < ROWS * 3 * NODES; t++) {
            int column = ROWS * e + t / (3 * NODES), r = t % (3 * NODES);
            y->D_start[column + 1] = 3 * NODES * (column + 1);
            y->D_row[3 * NODES * column + r] = 3 * w->slot[w->slot_start[e] + r / 3] + r % 3;
        }
    for (int i = 0; i < part->materials; i++) {
        y->limit[i] = limit[i];
        w->seen_count = 0; /* another law */
        w->stuff[i].law = &volume_row;
        w->stuff[i].lambda += 2.0 / 3.0 * w->stuff[i].mu;
    }
    y->part = part;
    *out = y;
    return CAIRN_OK;
}

void cairn_fem_yield_destroy(cairn_fem_yield *y) {
    if (y == NULL)
        return;
    cairn_context *c = y->context;
    if (y->part != NULL) {
        cairn_fem_work *w = y->part->work;
        for (int i = 0; i < y->part->materials; i++) {
            w->seen_count = 0;
            w->stuff[i].law = cairn_fem_law_of(CAIRN_FEM_COROTATIONAL);
            w->stuff[i].lambda -= 2.0 / 3.0 * w->stuff[i].mu;
        }
    }
    void *arrays[] = {y->limit, y->stress, y->plastic, y->D_start, y->D_row, y->D_value, y->C,
                      y->b,     y->block,  y->gamma,   y->u,       y->kappa, y};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cairn_free(c, arrays[i]);
}

/* R E_m R'g for the five E_m. */
static void apply_basis(const double R[9], const double g[3], double out[ROWS][3]) {
    const double a = sqrt(0.5), b = sqrt(1.0 / 6.0);
    double G[3];
    for (int i = 0; i < 3; i++)
        G[i] = R[i] * g[0] + R[3 + i] * g[1] + R[6 + i] * g[2];
    const double E[ROWS][3] = {{a * G[0], -a * G[1], 0.0},
                               {b * G[0], b * G[1], -2.0 * b * G[2]},
                               {a * G[1], a * G[0], 0.0},
                               {0.0, a * G[2], a * G[1]},
                               {a * G[2], 0.0, a * G[0]}};
    for (int m = 0; m < ROWS; m++)
        for (int i = 0; i < 3; i++)
            out[m][i] = R[3 * i] * E[m][0] + R[3 * i + 1] * E[m][1] + R[3 * i + 2] * E[m][2];
}

/* The rotation of element e, and the gradients of its shape functions by the places of now: F^-T G. An element that is flat keeps those of LEAST of its volume. */
static void frame_of(const cairn_fem_part *part, int e, double R[9], double g[NODES][3]) {
    const cairn_fem_work *w = part->work;
    const double *G = w->kept + w->kept_start[e];
    const int *slot = w->slot + w->slot_start[e];
    double F[9] = {0.0}, S[9], cof[9];
    for (int a = 0; a < NODES; a++)
        for (int t = 0; t < 9; t++)
            F[t] += part->x[3 * slot[a] + t / 3] * G[3 * a + t % 3];
    cairn_polar(F, R, S);
    for (int i = 0; i < 9; i++) {
        int r = (i / 3 + 1) % 3, s = (i / 3 + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
        cof[i] = F[3 * r + p] * F[3 * s + q] - F[3 * r + q] * F[3 * s + p];
    }
    double J = fmax(F[0] * cof[0] + F[1] * cof[1] + F[2] * cof[2], LEAST);
    for (int a = 0; a < NODES; a++)
        for (int i = 0; i < 3; i++)
            g[a][i] = (cof[3 * i] * G[3 * a] + cof[3 * i + 1] * G[3 * a + 1] + cof[3 * i + 2] * G[3 * a + 2]) / J;
}

void cairn_fem_yield_pull(const cairn_fem_yield *y, double *residual) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    for (int e = 0; e < part->view.elements; e++) {
        const int *slot = w->slot + w->slot_start[e];
        double R[9], g[NODES][3], B[ROWS][3];
        if ((part->held[slot[0]] | part->held[slot[1]] | part->held[slot[2]] | part->held[slot[3]]) == 0)
            continue;
        frame_of(part, e, R, g);
        for (int a = 0; a < NODES; a++) {
            apply_basis(R, g[a], B);
            for (int t = 0; t < 3 * ROWS; t++)
                if (part->held[slot[a]] >> t % 3 & 1)
                    residual[3 * slot[a] + t % 3] += B[t / 3][t % 3] * cairn_fem_yield_impulse(y, ROWS * e + t / 3);
        }
    }
}

/* c (5): the deviator of ln S - h sym L, in the element's axes, for 1 + h L = R S with L = grad v of velocities v (12): what the strain of a step has beyond its linear part. Logarithms add up,
 * however a way is cut into steps. */
static void strain_beyond(const double R[9], double g[NODES][3], double h, const double *v, double c[ROWS]) {
    const double a = sqrt(0.5), b = sqrt(1.0 / 6.0);
    double grown[9], turn[9], S[9], V[9], s[3], e[9], eR[9], own[9];
    for (int i = 0; i < 9; i++) {
        grown[i] = i % 4 == 0 ? 1.0 : 0.0;
        for (int k = 0; k < NODES; k++)
            grown[i] += h * v[3 * k + i / 3] * g[k][i % 3];
    }
    cairn_polar(grown, turn, S);
    for (int i = 0; i < 9; i++)
        e[i] = 0.5 * (S[i] + S[3 * (i % 3) + i / 3]) - (i % 4 == 0 ? 1.0 : 0.0);
    cairn_eigen3(e, V, s);
    for (int k = 0; k < 3; k++)
        s[k] = log1p(fmax(s[k], LEAST - 1.0));
    for (int i = 0; i < 9; i++) {
        const double *p = V + i - i % 3, *q = V + 3 * (i % 3);
        e[i] = s[0] * p[0] * q[0] + s[1] * p[1] * q[1] + s[2] * p[2] * q[2] + (i % 4 == 0 ? 1.0 : 0.0) -
               0.5 * (grown[i] + grown[3 * (i % 3) + i / 3]);
    }
    for (int i = 0; i < 9; i++)
        eR[i] = e[i - i % 3] * R[i % 3] + e[i - i % 3 + 1] * R[3 + i % 3] + e[i - i % 3 + 2] * R[6 + i % 3];
    for (int i = 0; i < 9; i++)
        own[i] = R[i / 3] * eR[i % 3] + R[3 + i / 3] * eR[3 + i % 3] + R[6 + i / 3] * eR[6 + i % 3];
    c[0] = a * (own[0] - own[4]);
    c[1] = b * (own[0] + own[4] - 2.0 * own[8]);
    c[2] = a * (own[1] + own[3]);
    c[3] = a * (own[5] + own[7]);
    c[4] = a * (own[2] + own[6]);
}

/* The velocities of element e that are predicted: those of aim, or the part's as the element turns on. */
static void predict(const cairn_fem_part *part, int e, double h, const double *aim, double *v) {
    const cairn_fem_work *w = part->work;
    const int *slot = w->slot + w->slot_start[e];
    double x[3 * NODES], Q[9];
    cairn_fem_collect(slot, NODES, aim != NULL ? aim : part->v, v);
    if (aim != NULL)
        return;
    cairn_fem_collect(slot, NODES, part->x, x);
    cairn_fem_tet4.turn(&cairn_fem_tet4, w->kept + w->kept_start[e], h, x, v, Q);
    for (double *a = v; a < v + 3 * NODES; a += 3) {
        const double b[3] = {a[0], a[1], a[2]};
        for (int i = 0; i < 3; i++)
            a[i] = Q[3 * i] * b[0] + Q[3 * i + 1] * b[1] + Q[3 * i + 2] * b[2];
    }
}

/* 1/(1 + kappa C) of element e. */
static double share_of(const cairn_fem_yield *y, int e) {
    int group = y->part->view.group[e];
    return 1.0 / (1.0 + y->part->material[group].hardening / (3.0 * cairn_fem_work_of(y->part)->stuff[group].mu));
}

void cairn_fem_yield_aim(cairn_fem_yield *y, double h, const double *aim) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    for (int e = 0; e < part->view.elements; e++) {
        const int *slot = w->slot + w->slot_start[e];
        double R[9], g[NODES][3], v[3 * NODES], c[ROWS], *b = y->b + (ptrdiff_t)ROWS * e;
        double twice = 2.0 * w->stuff[part->view.group[e]].mu, share = share_of(y, e);
        frame_of(part, e, R, g);
        predict(part, e, h, aim, v);
        strain_beyond(R, g, h, v, c);
        for (int m = 0; m < ROWS; m++)
            b[m] = -(y->stress[ROWS * e + m] / twice + c[m]) / h;
        for (int a = 0; a < NODES; a++) {
            double B[ROWS][3];
            if (part->held[slot[a]] == 0)
                continue;
            apply_basis(R, g[a], B);
            for (int t = 0; t < 3 * ROWS; t++)
                if (part->held[slot[a]] >> t % 3 & 1)
                    b[t / 3] -= B[t / 3][t % 3] * part->held_v[3 * slot[a] + t % 3];
        }
        for (int m = 0; m < ROWS; m++)
            b[m] *= share;
    }
}

void cairn_fem_yield_write(cairn_fem_yield *y, double h) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    for (int e = 0; e < part->view.elements; e++) {
        const int *slot = w->slot + w->slot_start[e];
        double R[9], g[NODES][3], B[ROWS][3], V = w->kept[w->kept_start[e] + 3 * NODES];
        double twice = 2.0 * w->stuff[part->view.group[e]].mu, share = share_of(y, e),
               Y = part->material[part->view.group[e]].hardening;
        frame_of(part, e, R, g);
        y->kappa[e] = 2.0 / 3.0 * Y * h * h * V;
        for (int m = 0; m < ROWS; m++)
            y->C[ROWS * e + m] = share / (twice * h * h * V);
        for (int a = 0; a < NODES; a++) {
            apply_basis(R, g[a], B);
            for (int m = 0; m < ROWS; m++)
                for (int i = 0; i < 3; i++)
                    y->D_value[3 * NODES * (ROWS * e + m) + 3 * a + i] = part->held[slot[a]] >> i & 1
                                                                             ? 0.0
                                                                             : -share * B[m][i];
        }
        y->block[e] = (cairn_block){.set = CAIRN_SET_BALL,
                                    .dim = ROWS,
                                    .radius = h * V * sqrt(2.0 / 3.0) *
                                              (y->limit[part->view.group[e]] + Y * y->plastic[e])};
    }
    cairn_fem_yield_aim(y, h, NULL);
}

void cairn_fem_yield_harden(const cairn_fem_yield *y, double *H, double *k) {
    const cairn_fem_part *part = y->part;
    for (int r = 0; r < ROWS * part->view.elements; r++) {
        const double kappa = y->kappa[r / ROWS] / share_of(y, r / ROWS), *D = y->D_value + y->D_start[r];
        const int *row = y->D_row + y->D_start[r];
        for (int p = 0; kappa > 0.0 && p < 3 * NODES; p++) {
            int at = part->H_start[row[p]];
            k[row[p]] -= kappa * D[p] * y->b[r];
            for (int q = 0; H != NULL && q < 3 * NODES; q++) { /* rows rise in both */
                while (part->H_row[at] < row[q])
                    at++;
                H[at] += kappa * D[p] * D[q];
            }
        }
    }
}

void cairn_fem_yield_take(cairn_fem_yield *y, double h, const double *gamma, const double *u) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    for (int e = 0; e < part->view.elements; e++) {
        double V = w->kept[w->kept_start[e] + 3 * NODES], rate = 0.0;
        for (int m = 0; m < ROWS; m++) {
            y->stress[ROWS * e + m] = (gamma[ROWS * e + m] - y->kappa[e] * u[ROWS * e + m]) / (h * V);
            rate += u[ROWS * e + m] * u[ROWS * e + m];
        }
        y->plastic[e] += h * sqrt(2.0 / 3.0 * rate);
    }
}

double cairn_fem_yield_energy(const cairn_fem_yield *y) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    double energy = 0.0;
    for (int e = 0; e < part->view.elements; e++) {
        double V = w->kept[w->kept_start[e] + 3 * NODES], square = 0.0;
        for (int m = 0; m < ROWS; m++)
            square += y->stress[ROWS * e + m] * y->stress[ROWS * e + m];
        energy += 0.25 * V * square / w->stuff[part->view.group[e]].mu;
    }
    return energy;
}

void cairn_fem_yield_mises(const cairn_fem_yield *y, double *mises) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_mesh_view *v = &part->view;
    const cairn_fem_work *w = part->work;
    double *around = w->K; /* room: volume around each node */
    for (int i = 0; i < v->nodes; i++)
        mises[i] = around[i] = 0.0;
    for (int e = 0; e < v->elements; e++) {
        double V = w->kept[w->kept_start[e] + 3 * NODES], square = 0.0;
        for (int m = 0; m < ROWS; m++)
            square += y->stress[ROWS * e + m] * y->stress[ROWS * e + m];
        for (int p = v->start[e]; p < v->start[e + 1]; p++) {
            mises[v->corner[p]] += V * sqrt(1.5 * square);
            around[v->corner[p]] += V;
        }
    }
    for (int i = 0; i < v->nodes; i++)
        mises[i] /= around[i];
}
