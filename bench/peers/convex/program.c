/*
 * program.c: Cairn's problem as a quadratic program over second-order cones; see program.h.
 */
#include "program.h"

#include <math.h>
#include <stdlib.h>

static bool triplets_create(triplets *t, int room) {
    size_t size = (size_t)room + 1;
    *t = (triplets){0, calloc(size, sizeof(int)), calloc(size, sizeof(int)), calloc(size, sizeof(double))};
    return t->row != NULL && t->col != NULL && t->value != NULL;
}

static void triplets_clear(triplets *t) {
    free(t->row);
    free(t->col);
    free(t->value);
}

static void put(triplets *t, int row, int col, double value) {
    t->row[t->count] = row;
    t->col[t->count] = col;
    t->value[t->count++] = value;
}

/* Entry (i, j) of H, or of N; columns are sorted. */
static double entry(const cairn_problem_view *view, int i, int j) {
    int low = view->H_start[j], high = view->H_start[j + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (view->H_index[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < view->H_start[j + 1] && view->H_index[low] == i ? view->H_value[low] : 0.0;
}

/* Largest difference to the transpose over the largest entry. */
static double unsymmetry(const cairn_problem_view *view) {
    double most = 0.0, difference = 0.0;
    for (int j = 0; j < (view->local ? view->m : view->n); j++)
        for (int k = view->H_start[j]; k < view->H_start[j + 1]; k++) {
            most = fmax(most, fabs(view->H_value[k]));
            difference = fmax(difference, fabs(view->H_value[k] - entry(view, j, view->H_index[k])));
        }
    return most > 0.0 ? difference / most : 0.0;
}

/* Only contacts and joints, without compliance, symmetric but for what files lose in rounding: P is the symmetric part. */
static bool fits(const cairn_problem_view *view, const char **why) {
    *why = NULL;
    for (int i = 0; i < view->blocks; i++)
        if (view->block[i].set != CAIRN_SET_CONE && view->block[i].set != CAIRN_SET_BILATERAL)
            *why = "sets other than contacts and joints";
    for (int i = 0; i < view->m && !view->local; i++)
        if (view->C[i] != 0.0)
            *why = "compliance";
    if (view->unsymmetric && unsymmetry(view) > 1e-6)
        *why = "a matrix that is not symmetric is no convex program";
    return *why == NULL;
}

/* Row i of the constraints: D'v = sum over column i of D. */
static void put_row(const cairn_problem_view *view, triplets *t, int row, int i, double factor) {
    for (int k = view->D_start[i]; k < view->D_start[i + 1]; k++)
        put(t, row, view->D_index[k], factor * view->D_value[k]);
}

static void fill_block(const cairn_problem_view *view, cone_program *p, int block) {
    const cairn_block *set = &view->block[block];
    bool cone = set->set == CAIRN_SET_CONE;
    if (cone)
        p->size[p->cones++] = set->dim;
    for (int c = 0; c < set->dim; c++) {
        int i = view->block_start[block] + c;
        if (cone && view->local) {
            put(&p->G, p->rows, i, c == 0 ? -set->mu : -1.0);
            p->place[i] = p->rows++;
        } else if (cone) {
            p->scale[i] = c == 0 ? 1.0 : set->mu;
            put_row(view, &p->G, p->rows, i, -p->scale[i]);
            p->h[p->rows] = p->scale[i] * view->b[i];
            p->place[i] = p->rows++;
        } else if (!view->local) {
            put_row(view, &p->A, p->equalities, i, 1.0);
            p->b[p->equalities] = -view->b[i];
            p->place[i] = -1 - p->equalities++;
        }
    }
}

bool program_create(const cairn_problem *problem, cone_program *program, const char **why) {
    cairn_problem_view view = cairn_problem_get(problem);
    if (!fits(&view, why))
        return false;
    int n = view.local ? view.m : view.n, m = view.m, entries = view.local ? m : view.D_start[m];
    cone_program p = {.variables = n, .local = view.local, .m = m};
    size_t size = (size_t)m + 1;
    p.q = calloc((size_t)n + 1, sizeof *p.q);
    p.h = calloc(size, sizeof *p.h);
    p.b = calloc(size, sizeof *p.b);
    p.size = calloc((size_t)view.blocks + 1, sizeof *p.size);
    p.place = calloc(size, sizeof *p.place);
    p.scale = calloc(size, sizeof *p.scale);
    bool good = triplets_create(&p.P, view.H_start[n]);
    good = triplets_create(&p.G, entries) && good;
    good = triplets_create(&p.A, entries) && good;
    if (!good || p.q == NULL || p.h == NULL || p.b == NULL || p.size == NULL || p.place == NULL || p.scale == NULL) {
        program_clear(&p);
        *why = "out of memory";
        return false;
    }
    for (int j = 0; j < n; j++) {
        p.q[j] = view.local ? view.b[j] : -view.k[j];
        for (int k = view.H_start[j]; k < view.H_start[j + 1]; k++)
            put(&p.P, view.H_index[k], j,
                view.unsymmetric ? 0.5 * (view.H_value[k] + entry(&view, j, view.H_index[k])) : view.H_value[k]);
    }
    for (int i = 0; i < view.blocks; i++)
        fill_block(&view, &p, i);
    *program = p;
    return true;
}

void program_clear(cone_program *p) {
    triplets_clear(&p->P);
    triplets_clear(&p->G);
    triplets_clear(&p->A);
    free(p->q);
    free(p->h);
    free(p->b);
    free(p->size);
    free(p->place);
    free(p->scale);
}

void program_impulses(const cone_program *p, const double *x, const double *z, const double *y, double *gamma) {
    for (int i = 0; i < p->m; i++)
        if (p->local)
            gamma[i] = x[i];
        else
            gamma[i] = p->place[i] >= 0 ? p->scale[i] * z[p->place[i]] : -y[-1 - p->place[i]];
}
