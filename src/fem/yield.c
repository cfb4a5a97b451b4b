/*
 * yield.c: the rows of von Mises plasticity; formulas in yield.h.
 *
 * Basis E_m of symmetric traceless matrices: (diag(1, -1, 0), diag(1, 1, -2)/sqrt 3, offdiagonal pairs)/sqrt 2. With R the nearest rotation of F,
 * e_m = E_m : R' grad v = sum_a (R E_m G_a) . v_a. A held component moves with a velocity that is known: it goes to b.
 */
#include "yield.h"

#include "part_data.h"
#include "polar.h"

#include <math.h>

enum { ROWS = CAIRN_FEM_YIELD_ROWS, NODES = 4 };

/* psi = lambda/2 (tr S - 3)^2, lambda being the bulk modulus; the tangent leaves out how R changes. */
static double volume_only(const cairn_fem_stuff *m, const double *F, double *P, double *A) {
    double R[9], S[9];
    cairn_polar(F, R, S);
    double grown = S[0] + S[4] + S[8] - 3.0;
    for (int i = 0; P != NULL && i < 9; i++)
        P[i] = m->lambda * grown * R[i];
    for (int i = 0; A != NULL && i < 81; i++)
        A[i] = m->lambda * R[i / 9] * R[i % 9];
    return 0.5 * m->lambda * grown * grown;
}

static const cairn_fem_law_row volume_row = {"volume", volume_only};

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
    y->gamma = cairn_alloc(c, ROWS * elements, sizeof *y->gamma);
    y->u = cairn_alloc(c, ROWS * elements, sizeof *y->u);
    if (y->limit == NULL || y->stress == NULL || y->plastic == NULL || y->D_start == NULL || y->D_row == NULL ||
        y->D_value == NULL || y->C == NULL || y->b == NULL || y->block == NULL || y->gamma == NULL || y->u == NULL) {
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
            w->stuff[i].law = cairn_fem_law_of(CAIRN_FEM_COROTATIONAL);
            w->stuff[i].lambda -= 2.0 / 3.0 * w->stuff[i].mu;
        }
    }
    void *arrays[] = {y->limit, y->stress, y->plastic, y->D_start, y->D_row, y->D_value,
                      y->C,     y->b,      y->block,   y->gamma,   y->u,     y};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cairn_free(c, arrays[i]);
}

/* R E_m G for the five E_m. */
static void apply_basis(const double R[9], const double G[3], double out[ROWS][3]) {
    const double a = sqrt(0.5), b = sqrt(1.0 / 6.0);
    const double E[ROWS][3] = {{a * G[0], -a * G[1], 0.0},
                               {b * G[0], b * G[1], -2.0 * b * G[2]},
                               {a * G[1], a * G[0], 0.0},
                               {0.0, a * G[2], a * G[1]},
                               {a * G[2], 0.0, a * G[0]}};
    for (int m = 0; m < ROWS; m++)
        for (int i = 0; i < 3; i++)
            out[m][i] = R[3 * i] * E[m][0] + R[3 * i + 1] * E[m][1] + R[3 * i + 2] * E[m][2];
}

void cairn_fem_yield_write(cairn_fem_yield *y, double h) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    for (int e = 0; e < part->view.elements; e++) {
        const double *G = w->kept + w->kept_start[e];
        const int *slot = w->slot + w->slot_start[e];
        double F[9] = {0.0}, R[9], S[9], B[ROWS][3], V = G[3 * NODES];
        for (int a = 0; a < NODES; a++)
            for (int t = 0; t < 9; t++)
                F[t] += part->x[3 * slot[a] + t / 3] * G[3 * a + t % 3];
        cairn_polar(F, R, S);
        double twice = 2.0 * w->stuff[part->view.group[e]].mu;
        for (int m = 0; m < ROWS; m++) {
            y->C[ROWS * e + m] = 1.0 / (twice * h * h * V);
            y->b[ROWS * e + m] = -y->stress[ROWS * e + m] / (twice * h);
        }
        for (int a = 0; a < NODES; a++) {
            apply_basis(R, G + 3 * a, B);
            for (int m = 0; m < ROWS; m++)
                for (int i = 0; i < 3; i++) {
                    bool held = part->held[slot[a]] >> i & 1;
                    y->D_value[3 * NODES * (ROWS * e + m) + 3 * a + i] = held ? 0.0 : -B[m][i];
                    if (held)
                        y->b[ROWS * e + m] -= B[m][i] * part->held_v[3 * slot[a] + i];
                }
        }
        y->block[e] = (cairn_block){
            .set = CAIRN_SET_BALL, .dim = ROWS, .radius = h * V * sqrt(2.0 / 3.0) * y->limit[part->view.group[e]]};
    }
}

void cairn_fem_yield_take(cairn_fem_yield *y, double h, const double *gamma, const double *u) {
    const cairn_fem_part *part = y->part;
    const cairn_fem_work *w = part->work;
    for (int e = 0; e < part->view.elements; e++) {
        double V = w->kept[w->kept_start[e] + 3 * NODES], rate = 0.0;
        for (int m = 0; m < ROWS; m++) {
            y->stress[ROWS * e + m] = gamma[ROWS * e + m] / (h * V);
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
