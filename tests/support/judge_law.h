/*
 * judge_law.h: an examiner of the judge: the laws, the motion and the backward error once more, in long double and dense matrices, with
 * nothing taken from the library but the numbers of a problem.
 *
 * A point (g, u) is on the graph of a convex set Y when g is in Y and u'(x - g) >= 0 for all x in Y: the least value of u'x over Y is known in closed
 * form for every set, so no projection is needed. Coulomb's law is written out: it has no such form.
 */
#ifndef CAIRN_TEST_JUDGE_LAW_H
#define CAIRN_TEST_JUDGE_LAW_H

#include "support.h"

#include <float.h>

typedef long double wide;

#define LAW_ROUNDING \
    1e-12L /* what double impulses and velocities may be off the graph, relative to the sizes of the terms */

static inline wide wide_length(int count, const double *x) {
    wide largest = 0.0L, sum = 0.0L;
    for (int i = 0; i < count; i++)
        largest = fmaxl(largest, fabsl((wide)x[i]));
    for (int i = 0; i < count && largest > 0.0L; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrtl(sum);
}

static inline wide wide_dot(int count, const double *x, const double *y, wide *size) {
    wide sum = 0.0L;
    *size = 0.0L;
    for (int i = 0; i < count; i++) {
        sum += (wide)x[i] * y[i];
        *size += fabsl((wide)x[i] * y[i]);
    }
    return sum;
}

/* Least value of d_j'x over the corners of the block's polygon; a round cone has them all. */
static inline wide law_least(const cairn_block *block, const double *x) {
    if (block->dim == 2)
        return -fabsl((wide)x[0]);
    if (block->set != CAIRN_SET_POLY_CONE)
        return -wide_length(2, x);
    wide least = INFINITY;
    for (int j = 0; j < block->directions; j++) {
        wide at = 2.0L * acosl(-1.0L) * j / block->directions;
        least = fminl(least, cosl(at) * x[0] + sinl(at) * x[1]);
    }
    return least;
}

/* Is x_T in radius times the block's disc or polygon, to rounding? */
static inline bool law_holds(const cairn_block *block, wide radius, const double *x) {
    wide size = wide_length(block->dim - 1, x);
    if (block->dim == 2 || block->set != CAIRN_SET_POLY_CONE)
        return size <= radius * (1.0L + LAW_ROUNDING);
    for (int j = 0; j < block->directions; j++) { /* the edge between corners j and j + 1 */
        wide turn = acosl(-1.0L) / block->directions, at = (2 * j + 1) * turn;
        if (cosl(at) * x[0] + sinl(at) * x[1] > cosl(turn) * radius + LAW_ROUNDING * (radius + size))
            return false;
    }
    return true;
}

/* slack: velocities below it are rounding; 0 for round cones. */
static inline bool law_coulomb(const cairn_block *block, const double *g, const double *u, wide slack) {
    int d = block->dim - 1;
    if (!(g[0] >= 0.0 && u[0] >= 0.0 && (g[0] == 0.0 || u[0] == 0.0)))
        return false;
    wide slip = wide_length(d, u + 1), push = wide_length(d, g + 1), size;
    if (isinf(block->mu))
        return slip == 0.0L || (push == 0.0L && g[0] == 0.0);
    if (!law_holds(block, (wide)block->mu * g[0], g + 1))
        return false;
    if (g[0] == 0.0 || slip == 0.0L || block->mu == 0.0)
        return true;
    wide done = wide_dot(d, g + 1, u + 1, &size), least = (wide)block->mu * g[0] * law_least(block, u + 1);
    return done - least <=
           (wide)block->mu * g[0] * (LAW_ROUNDING * slip + slack); /* 1 - cos of the angle to the right direction */
}

/* u_N - mu |u_T| >= 0 (the dual of a cone), g'u = 0. */
static inline bool law_cone(const cairn_block *block, const double *g, const double *u, wide slack) {
    wide size, mu = block->mu;
    if (isinf(block->mu))
        return g[0] >= 0.0 && wide_length(block->dim - 1, u + 1) == 0.0L && u[0] >= 0.0 && (g[0] == 0.0 || u[0] == 0.0);
    wide fall = law_least(block, u + 1), dot = wide_dot(block->dim, g, u, &size);
    return g[0] >= 0.0 && law_holds(block, mu * g[0], g + 1) &&
           u[0] + mu * fall >= -LAW_ROUNDING * (fabs(u[0]) - mu * fall) - slack * (1.0L + mu) &&
           fabsl(dot) <= LAW_ROUNDING * size + slack * wide_length(block->dim, g);
}

/* moved = g + adhesion is rounded where the two cancel: as if the adhesion were another in its last bit. */
static inline bool law_shifted(const cairn_block *block, const double *moved, const double *u) {
    wide size, mu = block->mu, grain = 4.0L * DBL_EPSILON * block->adhesion,
               dot = wide_dot(block->dim, moved, u, &size);
    wide fall = law_least(block, u + 1);
    return moved[0] >= -grain &&
           wide_length(block->dim - 1, moved + 1) <= mu * (moved[0] * (1.0L + LAW_ROUNDING) + grain) &&
           u[0] + mu * fall >= -LAW_ROUNDING * (fabs(u[0]) - mu * fall) &&
           fabsl(dot) <= LAW_ROUNDING * size + grain * (fabs(u[0]) - mu * fall);
}

static inline bool law_dual_cone(const cairn_block *block, const double *g, const double *u) {
    wide size, mu = block->mu, dot = wide_dot(block->dim, g, u, &size);
    wide push = wide_length(block->dim - 1, g + 1), slip = wide_length(block->dim - 1, u + 1);
    return mu * push <= g[0] + LAW_ROUNDING * (mu * push + fabs(g[0])) &&
           slip <= mu * u[0] + LAW_ROUNDING * (slip + fabsl(mu * u[0])) && fabsl(dot) <= LAW_ROUNDING * size;
}

static inline bool law_capped(const cairn_block *block, const double *g, const double *u) {
    wide size, dot = wide_dot(block->dim, g, u, &size), fall = block->mu * law_least(block, u + 1);
    wide least = fminl(0.0L, block->cap * (u[0] + fall));
    bool member = g[0] >= 0.0 && g[0] <= block->cap && law_holds(block, (wide)block->mu * g[0], g + 1);
    return member && dot - least <= LAW_ROUNDING * (size + block->cap * (fabs(u[0]) - fall));
}

static inline bool law_box(double lo, double hi, double g, double u) {
    return g >= lo && g <= hi && (u <= 0.0 || g == lo) && (u >= 0.0 || g == hi);
}

/* slack: velocities below it are rounding. */
static inline bool law_ball(int dim, double radius, const double *g, const double *u, wide slack) {
    wide size, slip = wide_length(dim, u), dot = wide_dot(dim, g, u, &size);
    return wide_length(dim, g) <= radius * (1.0L + LAW_ROUNDING) &&
           dot + radius * slip <= radius * (LAW_ROUNDING * slip + 2.0L * slack);
}

/* Is (g, u) on the graph of the block's law? Custom sets are balls of the radius that user points to. Velocities of custom sets and polyhedral cones are differences of
 * impulses, and off by `slack`. */
static inline bool law_has(const cairn_block *block, cairn_law law, const double *g, const double *u, wide slack) {
    double moved[3];
    for (int i = 0; i < block->dim; i++)
        if (!isfinite(g[i]) || !isfinite(u[i]))
            return false;
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
        return wide_length(block->dim, u) == 0.0L;
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        for (int i = 0; i < block->dim; i++)
            if (!(block->set == CAIRN_SET_BOX ? law_box(block->lo, block->hi, g[i], u[i])
                                              : law_box(0.0, INFINITY, g[i], u[i])))
                return false;
        return true;
    case CAIRN_SET_BALL:
        return law_ball(block->dim, block->radius, g, u, 0.0L);
    case CAIRN_SET_CUSTOM:
        return law_ball(block->dim, *(const double *)block->custom->user, g, u, slack);
    case CAIRN_SET_DUAL_CONE:
        return law_dual_cone(block, g, u);
    case CAIRN_SET_CAPPED_CONE:
        return law_capped(block, g, u);
    case CAIRN_SET_SHIFTED_CONE:
        memcpy(moved, g, (size_t)block->dim * sizeof *g);
        moved[0] = g[0] + block->adhesion;
        return law_shifted(block, moved, u);
    default:
        return law == CAIRN_LAW_COULOMB ? law_coulomb(block, g, u, slack) : law_cone(block, g, u, slack);
    }
}

/* ---- the motion ------------------------------------------------------------------------------------------------------ */

/* A problem as dense numbers: N = D'H^-1 D or as given, free = D'H^-1 k + b, and sizes of their terms. */
typedef struct examiner {
    cairn_problem_view p;
    wide *N, *size;         /* m x m, row by row: N, |D|'|H^-1||D| */
    wide *free, *free_size; /* m */
    wide *G;                /* n x n: H^-1 */
    int *component;         /* blocks */
    wide *s, *grain;        /* blocks: of their component */
} examiner;

/* Gauss and Jordan on a symmetric positive definite matrix, which may be graded. */
static inline void wide_invert(int n, wide *A) {
    for (int k = 0; k < n; k++) {
        wide pivot = A[k * n + k];
        A[k * n + k] = 1.0L;
        for (int j = 0; j < n; j++)
            A[k * n + j] /= pivot;
        for (int i = 0; i < n; i++) {
            wide factor = A[i * n + k];
            if (i == k || factor == 0.0L)
                continue;
            A[i * n + k] = 0.0L;
            for (int j = 0; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
}

static inline void examiner_fill(examiner *x) {
    const cairn_problem_view *p = &x->p;
    int n = p->n, m = p->m;
    for (int j = 0; p->local && j < m; j++)
        for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++) {
            x->N[p->H_index[e] * m + j] += p->H_value[e];
            x->size[p->H_index[e] * m + j] += fabs(p->H_value[e]);
        }
    for (int j = 0; j < n; j++)
        for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++)
            x->G[p->H_index[e] * n + j] += p->H_value[e];
    wide_invert(n, x->G);
    wide *y = calloc((size_t)(2 * n + 1), sizeof *y), *z = y + n;
    for (int r = 0; r <= m && !p->local; r++) { /* column r of D, last k */
        memset(y, 0, (size_t)(2 * n) * sizeof *y);
        for (int i = 0; i < n && r == m; i++)
            for (int j = 0; j < n; j++) {
                y[i] += x->G[i * n + j] * p->k[j];
                z[i] += fabsl(x->G[i * n + j] * p->k[j]);
            }
        for (int e = r < m ? p->D_start[r] : 0; r < m && e < p->D_start[r + 1]; e++)
            for (int i = 0; i < n; i++) {
                y[i] += x->G[i * n + p->D_index[e]] * p->D_value[e];
                z[i] += fabsl(x->G[i * n + p->D_index[e]] * p->D_value[e]);
            }
        for (int c = 0; c < m; c++)
            for (int e = p->D_start[c]; e < p->D_start[c + 1]; e++) {
                *(r < m ? &x->N[c * m + r] : &x->free[c]) += p->D_value[e] * y[p->D_index[e]];
                *(r < m ? &x->size[c * m + r] : &x->free_size[c]) +=
                    fabs(p->D_value[e]) * (r < m ? z[p->D_index[e]] : fabsl(y[p->D_index[e]]));
            }
    }
    for (int r = 0; r < m; r++) {
        x->free[r] += p->b[r];
        x->free_size[r] += fabs(p->b[r]);
    }
    free(y);
}

static inline bool examiner_linked(const examiner *x, int i, int j) {
    const cairn_problem_view *p = &x->p;
    for (int r = p->block_start[i]; r < p->block_start[i + 1]; r++)
        for (int c = p->block_start[j]; c < p->block_start[j + 1]; c++)
            if (x->size[r * p->m + c] > 0.0L || x->size[c * p->m + r] > 0.0L)
                return true;
    return false;
}

static inline void examiner_components(examiner *x) {
    const cairn_problem_view *p = &x->p;
    for (int i = 0; i < p->blocks; i++)
        x->component[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->blocks; i++)
            for (int j = 0; j < i; j++)
                if (x->component[i] != x->component[j] && examiner_linked(x, i, j)) {
                    int least = x->component[i] < x->component[j] ? x->component[i] : x->component[j];
                    x->component[i] = x->component[j] = least;
                    changed = true;
                }
    }
    for (int i = 0; i < p->blocks; i++)
        for (int j = 0; j < p->blocks; j++)
            if (x->component[i] == x->component[j]) {
                wide sum = 0.0L, size = 0.0L;
                for (int r = p->block_start[j]; r < p->block_start[j + 1]; r++) {
                    sum += x->free[r] * x->free[r];
                    size += x->free_size[r] * x->free_size[r];
                }
                x->s[i] = fmaxl(x->s[i], sqrtl(sum));
                x->grain[i] = fmaxl(x->grain[i], 16.0L * DBL_EPSILON * sqrtl(size));
            }
}

static inline examiner examiner_make(const cairn_problem *problem) {
    examiner x = {.p = cairn_problem_get(problem)};
    size_t n = (size_t)x.p.n, m = (size_t)x.p.m, blocks = (size_t)x.p.blocks;
    x.N = calloc(2 * m * m + 2 * m + n * n + 2 * blocks + 1, sizeof *x.N);
    x.size = x.N + m * m;
    x.free = x.size + m * m;
    x.free_size = x.free + m;
    x.G = x.free_size + m;
    x.s = x.G + n * n;
    x.grain = x.s + blocks;
    x.component = calloc(blocks + 1, sizeof *x.component);
    examiner_fill(&x);
    examiner_components(&x);
    return x;
}

static inline void examiner_end(examiner *x) {
    free(x->N);
    free(x->component);
}

/* w = N g + C g + free of row r, and the size of the terms. */
static inline wide examiner_slip(const examiner *x, const double *g, int r, wide *size) {
    int m = x->p.m;
    wide w = x->free[r] + (wide)x->p.C[r] * g[r];
    *size = x->free_size[r] + fabsl((wide)x->p.C[r] * g[r]);
    for (int c = 0; c < m; c++) {
        w += x->N[r * m + c] * g[c];
        *size += x->size[r * m + c] * fabs(g[c]);
    }
    return w;
}

/* |u - w(g)| of block i, rows of one unit or (turning < 0) all; *size: of the terms. */
static inline wide examiner_error(const examiner *x, int i, int turning, const double *g, const double *u, wide *size) {
    wide sum = 0.0L, sizes = 0.0L, term;
    for (int r = x->p.block_start[i]; r < x->p.block_start[i + 1]; r++) {
        bool turns = x->p.angular != NULL && x->p.angular[r] != 0;
        wide off = u[r] - examiner_slip(x, g, r, &term);
        if (turning >= 0 && turns != (turning > 0))
            continue;
        sum += off * off;
        sizes += (term + fabs(u[r])) * (term + fabs(u[r]));
    }
    *size = sqrtl(sizes);
    return sqrtl(sum);
}

/* Does every block lie on its graph? The first that does not, or -1. */
static inline int examiner_off_graph(const examiner *x, const double *g, const double *u) {
    for (int i = 0; i < x->p.blocks; i++) {
        int first = x->p.block_start[i];
        wide slack = 0.0L, size = 0.0L;
        bool stored = x->p.block[i].set == CAIRN_SET_CUSTOM || x->p.block[i].set == CAIRN_SET_POLY_CONE;
        for (int r = first; stored && r < x->p.block_start[i + 1]; r++) {
            examiner_slip(x, g, r, &size);
            slack += 1e-14L * (size + x->size[r * x->p.m + r]);
        }
        if (!law_has(&x->p.block[i], x->p.law, g + first, u + first, slack))
            return i;
    }
    return -1;
}

/* Largest of X_i over its limit, rounding of this very computation taken off: above 1 is surely wrong. */
static inline wide examiner_excess(const examiner *x, double tolerance, const double *g, const double *u) {
    wide worst = 0.0L, size;
    for (int i = 0; i < x->p.blocks; i++) {
        wide X = examiner_error(x, i, -1, g, u, &size), limit = fmaxl(tolerance * x->s[i], x->grain[i]);
        X -= 1e3L * LDBL_EPSILON * size;
        if (X > 0.0L)
            worst = fmaxl(worst, limit > 0.0L ? X / limit : (wide)INFINITY);
    }
    return worst;
}

#endif
