/*
 * test_certificate_fixture.h: dense problems for the tests of the judge, and a second judge written by brute force.
 *
 * The second judge works on dense arrays, solves by Gaussian elimination and projects by slices: for a fixed normal
 * part the best tangent is a radial clamp, and the best normal part is found by bisection on the slope of the
 * squared distance. It shares no formula with src/.
 */
#ifndef CAIRN_TEST_CERTIFICATE_FIXTURE_H
#define CAIRN_TEST_CERTIFICATE_FIXTURE_H

#include <cairn/problem.h>

#include "test.h"

#define MAX_ROWS 160

typedef struct dense_problem {
    cairn_law law;
    int n, m, blocks, bodies;
    bool unsymmetric;
    double H[MAX_ROWS][MAX_ROWS]; /* n x n; local form: N, m x m */
    double D[MAX_ROWS][MAX_ROWS]; /* n x m */
    double k[MAX_ROWS], b[MAX_ROWS], C[MAX_ROWS];
    cairn_block block[MAX_ROWS];
    int body_start[MAX_ROWS + 1];
} dense_problem;

static dense_problem *new_dense(void) {
    dense_problem *dense = calloc(1, sizeof *dense);
    if (dense == NULL)
        exit(1);
    return dense;
}

static int to_triplets(double a[MAX_ROWS][MAX_ROWS], int rows, int cols, int *row, int *col, double *value) {
    int count = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (a[i][j] != 0.0) {
                row[count] = i;
                col[count] = j;
                value[count++] = a[i][j];
            }
    return count;
}

/* NULL when the library refuses. */
static cairn_problem *build(cairn_context *context, dense_problem *dense) {
    size_t size = (size_t)MAX_ROWS * MAX_ROWS;
    int *index = malloc(4 * size * sizeof *index);
    double *value = malloc(2 * size * sizeof *value);
    cairn_problem *problem = NULL;
    cairn_problem_def def = cairn_default_problem_def();
    def.law = dense->law;
    def.n = dense->n;
    def.m = dense->m;
    def.k = dense->k;
    def.b = dense->b;
    def.C = dense->C;
    def.blocks = dense->blocks;
    def.block = dense->block;
    def.bodies = dense->bodies;
    def.body_start = dense->bodies > 0 ? dense->body_start : NULL;
    def.H_unsymmetric = def.N_unsymmetric = dense->unsymmetric;
    if (index != NULL && value != NULL) {
        int rows = dense->n > 0 ? dense->n : dense->m;
        cairn_sparse *A = dense->n > 0 ? &def.H : &def.N;
        *A = (cairn_sparse){.rows = rows, .cols = rows, .row = index, .col = index + size, .value = value};
        A->entries = to_triplets(dense->H, rows, rows, index, index + size, value);
        if (dense->n > 0) {
            int *row = index + 2 * size, *col = index + 3 * size;
            def.D = (cairn_sparse){.rows = dense->n, .cols = dense->m, .row = row, .col = col, .value = value + size};
            def.D.entries = to_triplets(dense->D, dense->n, dense->m, row, col, value + size);
        }
        (void)cairn_problem_create(context, &def, &problem);
    }
    free(index);
    free(value);
    return problem;
}

/* ---- brute force ------------------------------------------------------------------------------------------- */

/* Largest tangent allowed at normal part a, and how fast it grows with a. */
static long double radius_at(const cairn_block *block, long double a, long double *growth) {
    long double mu = block->mu;
    switch (block->set) {
    case CAIRN_SET_DUAL_CONE:
        *growth = mu > 0.0L ? 1.0L / mu : 0.0L;
        return mu > 0.0L ? a / mu : 1e300L;
    case CAIRN_SET_SHIFTED_CONE:
        *growth = mu;
        return mu * (a + block->adhesion);
    default:
        *growth = mu;
        return mu * a;
    }
}

static void brute_cone(const cairn_block *block, const long double *z, long double *p) {
    long double t = block->dim == 2 ? fabsl(z[1]) : sqrtl(z[1] * z[1] + z[2] * z[2]), growth;
    long double low = block->set == CAIRN_SET_SHIFTED_CONE ? -(long double)block->adhesion : 0.0L;
    long double high = block->set == CAIRN_SET_CAPPED_CONE ? block->cap : low + 4.0L * (fabsl(z[0] - low) + t) + 1.0L;
    for (int step = 0; step < 300; step++) {
        long double a = 0.5L * (low + high), radius = radius_at(block, a, &growth);
        long double slope = a - z[0] - (t > radius ? growth * (t - radius) : 0.0L);
        if (slope > 0.0L)
            high = a;
        else
            low = a;
    }
    p[0] = low;
    long double radius = radius_at(block, low, &growth);
    for (int i = 1; i < block->dim; i++)
        p[i] = t > radius ? z[i] * (radius / t) : z[i];
}

static void brute_direction(const cairn_block *block, int j, long double *d) {
    long double angle = 2.0L * acosl(-1.0L) * j / block->directions;
    d[0] = block->dim == 2 ? (j % 2 ? -1.0L : 1.0L) : cosl(angle);
    d[1] = block->dim == 2 ? 0.0L : sinl(angle);
}

/* max_j d_j'w. */
static long double brute_reach(const cairn_block *block, const long double *w) {
    long double most = -INFINITY, d[2];
    for (int j = 0; j < block->directions; j++) {
        brute_direction(block, j, d);
        most = fmaxl(most, d[0] * w[0] + (block->dim == 3 ? d[1] * w[1] : 0.0L));
    }
    return most;
}

/* q = nearest point of the polygon of radius r to w (two components): inside by the edges' inequalities, else the nearest
 * point of all edges. */
static void brute_polygon(const cairn_block *block, long double r, const long double *w, long double *q) {
    long double least = INFINITY, half = acosl(-1.0L) / block->directions;
    bool inside = true;
    for (int j = 0; j < block->directions; j++) {
        long double a[2], b[2], share = 0.0L, length = 0.0L, square = 0.0L, at[2];
        brute_direction(block, j, a);
        brute_direction(block, j + 1, b);
        long double normal[2] = {cosl((2 * j + 1) * half), sinl((2 * j + 1) * half)};
        inside = inside && normal[0] * w[0] + normal[1] * w[1] <= r * cosl(half);
        for (int i = 0; i < 2; i++) {
            share += (w[i] - r * a[i]) * (b[i] - a[i]);
            length += r * (b[i] - a[i]) * (b[i] - a[i]);
        }
        share = length > 0.0L ? fminl(1.0L, fmaxl(0.0L, share / length)) : 0.0L;
        for (int i = 0; i < 2; i++) {
            at[i] = r * (a[i] + share * (b[i] - a[i]));
            square += (w[i] - at[i]) * (w[i] - at[i]);
        }
        if (square < least) {
            least = square;
            q[0] = at[0];
            q[1] = at[1];
        }
    }
    if (inside) {
        q[0] = w[0];
        q[1] = w[1];
    }
}

/* Bisection on the normal component a: the slope of (a - z_N)^2/2 + dist(z_T, mu a P)^2/2 is a - z_N - mu h(z_T - nearest). */
static void brute_poly_cone(const cairn_block *block, const long double *z, long double *p) {
    if (block->dim == 2) { /* the round cone */
        cairn_block cone = *block;
        cone.set = CAIRN_SET_CONE;
        brute_cone(&cone, z, p);
        return;
    }
    long double low = 0.0L, high = 4.0L * (fabsl(z[0]) + fabsl(z[1]) + fabsl(z[2])) + 1.0L, rest[2];
    for (int step = 0; step < 120; step++) {
        long double a = 0.5L * (low + high);
        brute_polygon(block, block->mu * a, z + 1, p + 1);
        rest[0] = z[1] - p[1];
        rest[1] = z[2] - p[2];
        if (a - z[0] - block->mu * brute_reach(block, rest) > 0.0L)
            high = a;
        else
            low = a;
    }
    p[0] = low;
    brute_polygon(block, block->mu * low, z + 1, p + 1);
}

/* De Saxce's term of a block under the exact law, from its u. */
static long double brute_phi(const cairn_block *block, const long double *u) {
    if (block->set == CAIRN_SET_POLY_CONE)
        return block->mu * brute_reach(block, u + 1);
    long double slip = block->dim == 2 ? fabsl(u[1]) : hypotl(u[1], u[2]);
    return block->set == CAIRN_SET_CONE ? block->mu * slip : 0.0L;
}

static void brute_ball(const cairn_block *block, const long double *z, long double *p) {
    long double low = 0.0L, high = 1.0L; /* share of z that still fits */
    for (int step = 0; step < 200; step++) {
        long double share = 0.5L * (low + high), sum = 0.0L;
        for (int i = 0; i < block->dim; i++)
            sum += share * z[i] * share * z[i];
        if (sum > (long double)block->radius * block->radius)
            high = share;
        else
            low = share;
    }
    for (int i = 0; i < block->dim; i++)
        p[i] = low > 1.0L - 1e-18L ? z[i] : low * z[i];
}

static void brute_project(const cairn_block *block, const long double *z, long double *p) {
    switch (block->set) {
    case CAIRN_SET_BALL:
        brute_ball(block, z, p);
        return;
    case CAIRN_SET_POLY_CONE:
        brute_poly_cone(block, z, p);
        return;
    case CAIRN_SET_CUSTOM: {
        double from[CAIRN_BLOCK_DIM_MAX], to[CAIRN_BLOCK_DIM_MAX];
        for (int i = 0; i < block->dim; i++)
            from[i] = (double)z[i];
        block->custom->project(block->custom->user, block->dim, from, to);
        for (int i = 0; i < block->dim; i++)
            p[i] = to[i];
        return;
    }
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        for (int i = 0; i < block->dim; i++) {
            p[i] = z[i];
            if (block->set == CAIRN_SET_NONNEGATIVE)
                p[i] = fmaxl(p[i], 0.0L);
            if (block->set == CAIRN_SET_BOX)
                p[i] = fminl(fmaxl(p[i], block->lo), block->hi);
        }
        return;
    default:
        brute_cone(block, z, p);
    }
}

/* x <- A^-1 x by elimination with row exchanges; A and x are overwritten. */
static void brute_solve(int n, long double A[MAX_ROWS][MAX_ROWS], long double *x) {
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j; i < n; i++)
            if (fabsl(A[i][j]) > fabsl(A[best][j]))
                best = i;
        for (int c = 0; c < n; c++) {
            long double kept = A[j][c];
            A[j][c] = A[best][c];
            A[best][c] = kept;
        }
        long double kept = x[j];
        x[j] = x[best];
        x[best] = kept;
        for (int i = 0; i < n; i++)
            if (i != j && A[i][j] != 0.0L) {
                long double ratio = A[i][j] / A[j][j];
                for (int c = j; c < n; c++)
                    A[i][c] -= ratio * A[j][c];
                x[i] -= ratio * x[j];
            }
    }
    for (int j = 0; j < n; j++)
        x[j] /= A[j][j];
}

/* x <- H^-1 x; with bodies only: blockdiag(H)^-1 x. */
static void brute_mass(const dense_problem *dense, bool bodies_only, long double *x) {
    static long double work[MAX_ROWS][MAX_ROWS];
    int body_of[MAX_ROWS];
    for (int body = 0; body < dense->bodies; body++)
        for (int i = dense->body_start[body]; i < dense->body_start[body + 1]; i++)
            body_of[i] = body;
    for (int i = 0; i < dense->n; i++)
        for (int j = 0; j < dense->n; j++)
            work[i][j] = bodies_only && body_of[i] != body_of[j] ? 0.0L : dense->H[i][j];
    brute_solve(dense->n, work, x);
}

static long double dot(int n, const long double *x, const long double *y) {
    long double sum = 0.0L;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x'H^-1 x */
static long double brute_energy(const dense_problem *dense, const long double *x) {
    long double y[MAX_ROWS];
    memcpy(y, x, sizeof y);
    brute_mass(dense, false, y);
    return dot(dense->n, x, y);
}

static int brute_body(const dense_problem *dense, int row) {
    int body = 0;
    while (dense->body_start[body + 1] <= row)
        body++;
    return body;
}

/* Which bodies H couples with one another, directly or by others between them. */
static void brute_pieces(const dense_problem *dense, bool together[MAX_ROWS][MAX_ROWS]) {
    int bodies = dense->bodies;
    for (int i = 0; i < dense->n; i++)
        for (int j = 0; j < dense->n; j++)
            if (dense->H[i][j] != 0.0 || dense->H[j][i] != 0.0)
                together[brute_body(dense, i)][brute_body(dense, j)] = true;
    for (int k = 0; k < bodies; k++)
        for (int i = 0; i < bodies; i++)
            for (int j = 0; j < bodies; j++)
                together[i][j] = together[i][j] || (together[i][k] && together[k][j]);
}

/* (d'w)^2 / (w'Hw) over the pieces of two bodies or more and w = 1 on row 0, 1 or 2 of each of the piece's bodies. */
static long double brute_piece_share(const dense_problem *dense, const long double *d) {
    static bool together[MAX_ROWS][MAX_ROWS];
    long double share = 0.0L;
    memset(together, 0, sizeof together);
    brute_pieces(dense, together);
    for (int head = 0; head < dense->bodies; head++) {
        int members = 0, first = head;
        for (int body = dense->bodies - 1; body >= 0; body--)
            if (together[head][body]) {
                members++;
                first = body;
            }
        for (int axis = 0; axis < 3 && members > 1 && first == head; axis++) {
            long double w[MAX_ROWS] = {0}, mass = 0.0L;
            for (int body = 0; body < dense->bodies; body++)
                if (together[head][body] && dense->body_start[body] + axis < dense->body_start[body + 1])
                    w[dense->body_start[body] + axis] = 1.0L;
            for (int i = 0; i < dense->n; i++)
                for (int j = 0; j < dense->n; j++)
                    mass += w[i] * dense->H[i][j] * w[j];
            if (mass > 0.0L)
                share += dot(dense->n, w, d) * dot(dense->n, w, d) / mass;
        }
    }
    return share;
}

/* n_i of the block whose first row is `first`. */
static long double brute_scale(const dense_problem *dense, int first, int dim) {
    long double trace = 0.0L;
    for (int row = first; row < first + dim; row++) {
        long double d[MAX_ROWS] = {0}, y[MAX_ROWS] = {0};
        for (int i = 0; i < dense->n; i++)
            d[i] = y[i] = dense->D[i][row];
        if (dense->n > 0)
            brute_mass(dense, true, y);
        trace += (dense->n > 0 ? dot(dense->n, d, y) + brute_piece_share(dense, d) : dense->H[row][row]) +
                 dense->C[row];
    }
    return trace > 0.0L ? trace / dim : 1.0L;
}

/* u, r^ and v^ from gamma. */
static void brute_velocities(const dense_problem *dense, const double *gamma, long double *u, long double *r,
                             long double *v) {
    long double without[MAX_ROWS] = {0};
    for (int i = 0; i < dense->n; i++) {
        without[i] = v[i] = dense->k[i];
        for (int j = 0; j < dense->m; j++)
            v[i] += (long double)dense->D[i][j] * gamma[j];
    }
    if (dense->n > 0) {
        brute_mass(dense, false, v);
        brute_mass(dense, false, without);
    }
    for (int j = 0; j < dense->m; j++) {
        u[j] = (long double)dense->C[j] * gamma[j] + dense->b[j];
        r[j] = dense->b[j];
        for (int i = 0; i < dense->n; i++) {
            u[j] += dense->D[i][j] * v[i];
            r[j] += dense->D[i][j] * without[i];
        }
        for (int i = 0; dense->n == 0 && i < dense->m; i++)
            u[j] += (long double)dense->H[j][i] * gamma[i];
    }
}

/* The four figures that brute force gives: natural_map, natural_map_plain, momentum, worst_velocity, worst_block. */
static cairn_certificate brute_certificate(const dense_problem *dense, const double *v, const double *gamma) {
    long double u[MAX_ROWS] = {0}, r[MAX_ROWS] = {0}, own[MAX_ROWS] = {0};
    long double map[2] = {0, 0}, su[2] = {0, 0}, sr[2] = {0, 0}, sg[2] = {0, 0}, worst = -1.0L;
    cairn_certificate made = {.worst_block = -1};
    brute_velocities(dense, gamma, u, r, own);
    for (int i = 0, first = 0; i < dense->blocks; first += dense->block[i++].dim) {
        const cairn_block *block = &dense->block[i];
        long double n = brute_scale(dense, first, block->dim), z[CAIRN_BLOCK_DIM_MAX], p[CAIRN_BLOCK_DIM_MAX];
        long double phi = dense->law == CAIRN_LAW_COULOMB ? brute_phi(block, u + first) : 0.0L;
        for (int plain = 0; plain < 2; plain++) {
            long double scale = plain ? 1.0L : n, sum = 0.0L;
            for (int j = 0; j < block->dim; j++)
                z[j] = gamma[first + j] - (u[first + j] + (j == 0 ? phi : 0.0L)) / scale;
            brute_project(block, z, p);
            for (int j = 0; j < block->dim; j++) {
                sum += (gamma[first + j] - p[j]) * (gamma[first + j] - p[j]);
                su[plain] += u[first + j] * u[first + j] / scale;
                sr[plain] += r[first + j] * r[first + j] / scale;
                sg[plain] += (long double)gamma[first + j] * gamma[first + j] * scale;
            }
            map[plain] += sum * scale;
            if (!plain && n * sqrtl(sum) > worst) {
                worst = n * sqrtl(sum);
                made.worst_block = i;
            }
        }
    }
    made.natural_map = (double)sqrtl(map[0] / fmaxl(sr[0], fmaxl(su[0], sg[0])));
    made.natural_map_plain = (double)sqrtl(map[1] / fmaxl(sr[1], fmaxl(su[1], sg[1])));
    made.worst_velocity = (double)worst;
    if (dense->n > 0) {
        long double k[MAX_ROWS] = {0}, load[MAX_ROWS] = {0}, rest[MAX_ROWS] = {0};
        for (int i = 0; i < dense->n; i++) {
            k[i] = dense->k[i];
            for (int j = 0; j < dense->m; j++)
                load[i] += (long double)dense->D[i][j] * gamma[j];
            rest[i] = -k[i] - load[i];
            for (int j = 0; j < dense->n; j++)
                rest[i] += (long double)dense->H[i][j] * v[j];
        }
        made.momentum = (double)sqrtl(brute_energy(dense, rest) /
                                      fmaxl(brute_energy(dense, k), brute_energy(dense, load)));
    }
    return made;
}

#endif
