/*
 * changes.h: a problem made harder or odder in a named way, for tests and benches of certainty. A change copies the
 * problem into plain arrays, edits them with random numbers of its own seed, and makes a new problem. The same name and
 * seed give the same bits.
 */
#ifndef CAIRN_TESTS_CHANGES_H
#define CAIRN_TESTS_CHANGES_H

#include <cairn/cairn.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A problem taken apart; D as columns. Rows with gone[j] are left out, blocks are made anew from block and keep. */
typedef struct change_parts {
    cairn_problem_view view;
    double *H, *D, *k, *b, *C; /* values: entries of H, entries of D, n, m, m */
    cairn_block *block;
    int *copies; /* blocks: how often each block is in the new problem, 0: gone */
    int *rows;   /* blocks: how many of its rows are kept */
    uint64_t random;
} change_parts;

static double change_random(change_parts *p) {
    uint64_t z = p->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static bool change_is_cone(const change_parts *p, int i) {
    return p->block[i].set == CAIRN_SET_CONE;
}

static void change_mu(change_parts *p, double mu) { /* mu < 0: random in [0, 1.5], every tenth 0 */
    for (int i = 0; i < p->view.blocks; i++)
        if (change_is_cone(p, i))
            p->block[i].mu = mu >= 0.0 ? mu : fmax(0.0, 1.65 * change_random(p) - 0.15);
}

static void change_noise(change_parts *p, double size) {
    for (int i = 0; i < p->view.n; i++)
        p->k[i] *= 1.0 + size * (2.0 * change_random(p) - 1.0);
    for (int j = 0; p->view.local && j < p->view.m; j++)
        p->b[j] *= 1.0 + size * (2.0 * change_random(p) - 1.0);
}

/* Factor of each row of H: v' = v / f, momentum' = f momentum. */
static void change_rows(change_parts *p, const double *f) {
    for (int j = 0; j < p->view.n; j++)
        for (int e = p->view.H_start[j]; e < p->view.H_start[j + 1]; e++)
            p->H[e] *= f[p->view.H_index[e]] * f[j];
    for (int j = 0; j < p->view.m && !p->view.local; j++)
        for (int e = p->view.D_start[j]; e < p->view.D_start[j + 1]; e++)
            p->D[e] *= f[p->view.D_index[e]];
    for (int j = 0; j < p->view.n; j++)
        p->k[j] *= f[j];
}

/* Every seventh body or so a million times heavier or lighter. Rows of H that couple bodies get the geometric mean. */
static void change_masses(change_parts *p) {
    double *f = calloc((size_t)p->view.n + 1, sizeof *f);
    for (int i = 0; f != NULL && i < p->view.bodies; i++) {
        double x = change_random(p), scale = x < 0.07 ? 1e3 : x < 0.14 ? 1e-3 : 1.0;
        for (int j = p->view.body_start[i]; j < p->view.body_start[i + 1]; j++)
            f[j] = scale;
    }
    for (int j = 0; f != NULL && j < p->view.n; j++) {
        for (int e = p->view.H_start[j]; e < p->view.H_start[j + 1]; e++)
            p->H[e] *= f[p->view.H_index[e]] * f[j];
        p->k[j] *= f[j] * f[j];
    }
    free(f);
}

/* All masses by one factor. */
static void change_unit_of_mass(change_parts *p, double factor) {
    for (int e = 0; e < p->view.H_start[p->view.local ? p->view.m : p->view.n]; e++)
        p->H[e] *= p->view.local ? 1.0 / factor : factor;
    for (int i = 0; i < p->view.n; i++)
        p->k[i] *= factor;
    for (int j = 0; j < p->view.m; j++)
        p->C[j] /= factor;
}

/* Lengths in thousandths: slips by 1000; rows of rotation, the last three of a body of six, keep their velocities. */
static void change_unit_of_length(change_parts *p) {
    double *f = calloc((size_t)p->view.n + 1, sizeof *f);
    for (int i = 0; f != NULL && i < p->view.bodies; i++) {
        int first = p->view.body_start[i], rows = p->view.body_start[i + 1] - first;
        for (int j = 0; j < rows; j++)
            f[first + j] = rows == 6 && j >= 3 ? 1000.0 : 1.0;
    }
    if (f != NULL)
        change_rows(p, f);
    for (int j = 0; j < p->view.n; j++)
        p->k[j] *= 1000.0;
    for (int j = 0; j < p->view.m; j++)
        p->b[j] *= 1000.0;
    free(f);
}

/* trace of D_i' diag(H)^-1 D_i over rows; of N for the local form. */
static double change_scale(const change_parts *p, int i) {
    const cairn_problem_view *v = &p->view;
    double sum = 0.0;
    for (int j = v->block_start[i]; j < v->block_start[i + 1]; j++)
        for (int e = v->local ? v->H_start[j] : v->D_start[j]; e < (v->local ? v->H_start : v->D_start)[j + 1]; e++) {
            int row = v->local ? v->H_index[e] : v->D_index[e];
            if (v->local) {
                sum += row == j ? p->H[e] : 0.0;
                continue;
            }
            for (int d = v->H_start[row]; d < v->H_start[row + 1]; d++)
                sum += v->H_index[d] == row ? p->D[e] * p->D[e] / p->H[d] : 0.0;
        }
    return sum / (v->block_start[i + 1] - v->block_start[i]);
}

static void change_compliance(change_parts *p, double size) {
    for (int i = 0; i < p->view.blocks; i++) {
        double c = size * change_random(p) * change_scale(p, i);
        for (int j = p->view.block_start[i]; j < p->view.block_start[i + 1]; j++)
            p->C[j] = c;
    }
}

/* Gaps of either sign, as fast as the bodies would fall. */
static void change_gaps(change_parts *p, double size) {
    double speed = 0.0;
    const cairn_problem_view *v = &p->view;
    for (int j = 0; j < v->n; j++)
        for (int e = v->H_start[j]; e < v->H_start[j + 1]; e++)
            if (v->H_index[e] == j)
                speed = fmax(speed, fabs(p->k[j] / p->H[e]));
    for (int j = 0; j < v->m && v->local; j++)
        speed = fmax(speed, fabs(p->b[j]));
    for (int i = 0; i < v->blocks; i++)
        if (change_is_cone(p, i))
            p->b[v->block_start[i]] += size * speed * (2.0 * change_random(p) - 1.0);
}

static void change_some(change_parts *p, double share, int copies, int rows, bool joint) {
    for (int i = 0; i < p->view.blocks; i++) {
        if (!change_is_cone(p, i) || change_random(p) >= share)
            continue;
        p->copies[i] = copies;
        p->rows[i] = rows < p->block[i].dim ? rows : p->block[i].dim;
        if (joint || rows == 1)
            p->block[i].set = joint ? CAIRN_SET_BILATERAL : CAIRN_SET_NONNEGATIVE;
        for (int j = p->view.block_start[i]; joint && j < p->view.block_start[i + 1]; j++)
            p->b[j] = 0.0;
    }
}

static const char *const change_names[] = {
    "plain",      "mu-0",  "mu-0.1",      "mu-0.6",   "mu-0.9",    "mu-1.5",   "mu-mixed",   "noise-1%", "noise-10%",
    "noise-100%", "fewer", "masses",      "mass-1e6", "mass-1e-6", "mm",       "b-times-10", "b-by-10",  "twice",
    "gaps",       "soft",  "barely-soft", "joints",   "one-row",   "two-rows", "all"};
enum { CHANGES = sizeof change_names / sizeof *change_names };

static void change_edit(change_parts *p, const char *name) {
    const char *const *n = change_names;
    int which = 0;
    while (which < CHANGES - 1 && strcmp(n[which], name) != 0)
        which++;
    static const double mu[] = {0.0, 0.1, 0.6, 0.9, 1.5, -1.0}, noise[] = {0.01, 0.1, 1.0};
    if (which >= 1 && which <= 6)
        change_mu(p, mu[which - 1]);
    else if (which >= 7 && which <= 9)
        change_noise(p, noise[which - 7]);
    else if (which == 10)
        change_some(p, 0.3, 0, 3, false);
    else if (which == 11)
        change_masses(p);
    else if (which == 12 || which == 13)
        change_unit_of_mass(p, which == 12 ? 1e6 : 1e-6);
    else if (which == 14)
        change_unit_of_length(p);
    else if (which == 15 || which == 16)
        for (int j = 0; j < p->view.m; j++)
            p->b[j] *= which == 15 ? 10.0 : 0.1;
    else if (which == 17)
        change_some(p, 0.5, 2, 3, false);
    else if (which == 18)
        change_gaps(p, 0.1);
    else if (which == 19 || which == 20)
        change_compliance(p, which == 19 ? 1.0 : 1e-6);
    else if (which == 21)
        change_some(p, 0.05, 1, 3, true);
    else if (which == 22 || which == 23)
        change_some(p, 0.5, 1, which - 21, false);
    else if (which == 24) {
        change_mu(p, -1.0);
        change_noise(p, 0.1);
        change_masses(p);
        change_gaps(p, 0.01);
        change_some(p, 0.1, 2, 3, false);
        change_some(p, 0.1, 0, 3, false);
    }
}

/* The new problem from the edited parts. */
static cairn_status change_make(cairn_context *context, const change_parts *p, cairn_problem **out) {
    const cairn_problem_view *v = &p->view;
    cairn_problem_def def = cairn_default_problem_def();
    int m = 0, blocks = 0, entries = 0, size = v->local ? v->m : v->n;
    for (int i = 0; i < v->blocks; i++) {
        m += p->copies[i] * p->rows[i];
        blocks += p->copies[i];
        for (int j = v->block_start[i]; j < v->block_start[i + 1] && !v->local; j++)
            entries += p->copies[i] * (v->D_start[j + 1] - v->D_start[j]);
    }
    int *start = calloc((size_t)m + 1, sizeof *start), *index = calloc((size_t)entries + 1, sizeof *index);
    double *value = calloc((size_t)entries + 1, sizeof *value), *b = calloc((size_t)m + 1, sizeof *b),
           *C = calloc((size_t)m + 1, sizeof *C);
    cairn_block *block = calloc((size_t)blocks + 1, sizeof *block);
    int row = 0, at = 0, made = 0;
    for (int i = 0; i < v->blocks; i++)
        for (int copy = 0; copy < p->copies[i]; copy++) {
            block[made] = p->block[i];
            block[made++].dim = p->rows[i];
            for (int j = v->block_start[i]; j < v->block_start[i] + p->rows[i]; j++) {
                b[row] = p->b[j];
                C[row] = p->C[j];
                for (int e = v->local ? 0 : v->D_start[j]; e < (v->local ? 0 : v->D_start[j + 1]); e++) {
                    index[at] = v->D_index[e];
                    value[at++] = p->D[e];
                }
                start[++row] = at;
            }
        }
    cairn_sparse matrix = {.format = CAIRN_SPARSE_COLUMNS, .rows = size, .cols = size};
    matrix.start = v->H_start;
    matrix.row = v->H_index;
    matrix.value = p->H;
    def.law = v->law;
    def.m = m;
    def.b = b;
    def.C = C;
    def.blocks = blocks;
    def.block = block;
    if (v->local) {
        def.N = matrix;
        def.N_unsymmetric = v->unsymmetric;
    } else {
        def.n = v->n;
        def.H = matrix;
        def.H_unsymmetric = v->unsymmetric;
        def.D = (cairn_sparse){
            .format = CAIRN_SPARSE_COLUMNS, .rows = v->n, .cols = m, .start = start, .row = index, .value = value};
        def.k = p->k;
        def.bodies = v->bodies;
        def.body_start = v->body_start;
    }
    cairn_status status = cairn_problem_create(context, &def, out);
    free(start);
    free(index);
    free(value);
    free(b);
    free(C);
    free(block);
    return status;
}

static void *change_copy(const void *from, size_t bytes) {
    void *to = calloc(1, bytes + 1);
    if (to != NULL && bytes > 0)
        memcpy(to, from, bytes);
    return to;
}

/* Local problems keep all their rows, because N is given as a whole. */
static cairn_status change_problem(cairn_context *context, const cairn_problem *problem, const char *name,
                                   uint64_t seed, cairn_problem **out) {
    change_parts p = {.view = cairn_problem_get(problem), .random = seed};
    cairn_problem_view v = p.view;
    size_t real = sizeof(double), n = (size_t)v.n, m = (size_t)v.m;
    p.H = change_copy(v.H_value, (size_t)v.H_start[v.local ? v.m : v.n] * real);
    p.D = change_copy(v.D_value, v.local ? 0 : (size_t)v.D_start[v.m] * real);
    p.k = change_copy(v.k, n * real);
    p.b = change_copy(v.b, m * real);
    p.C = change_copy(v.C, m * real);
    p.block = change_copy(v.block, (size_t)v.blocks * sizeof *p.block);
    p.copies = calloc((size_t)v.blocks + 1, sizeof(int));
    p.rows = calloc((size_t)v.blocks + 1, sizeof(int));
    for (int i = 0; i < v.blocks; i++) {
        p.copies[i] = 1;
        p.rows[i] = v.block[i].dim;
    }
    change_edit(&p, name);
    for (int i = 0; i < v.blocks && v.local; i++) {
        p.copies[i] = 1;
        p.rows[i] = v.block[i].dim;
        if (p.block[i].set == CAIRN_SET_NONNEGATIVE)
            p.block[i].set = v.block[i].set;
    }
    cairn_status status = change_make(context, &p, out);
    free(p.H);
    free(p.D);
    free(p.k);
    free(p.b);
    free(p.C);
    free(p.block);
    free(p.copies);
    free(p.rows);
    return status;
}

#endif
