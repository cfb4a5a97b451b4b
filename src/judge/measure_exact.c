/*
 * measure_exact.c: the reference: the measurement in long double, which has 64 bits of mantissa on x86. Where it has 53 all stays true, and less is certified.
 * Beside it what only a report needs: the free motion, the distance of a given v, the figures of the first edition.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef long double real;
#define real_sqrt          sqrtl
#define real_abs           fabsl
#define REAL_EPSILON       LDBL_EPSILON
#define REAL_LEAST         1e-600L
#define INVERSE(judge, at) ((judge)->mass.inverse[at])
#define SLACK(judge, at)   ((judge)->mass.slack[at])
#define PASS

struct vectors;
static void move_coupled(cairn_judge *judge, struct vectors *x);

#include "measure.h"

/* H couples bodies: v' of the factor, refined; what is left is a share of momentum that is measured by itself. */
static void move_coupled(cairn_judge *judge, vectors *x) {
    const cairn_problem *p = judge->problem;
    for (int body = 0; body < p->bodies; body++)
        for (int j = p->body_start[body]; j < p->body_start[body + 1]; j++)
            x->size[j] *= (judge->terms[body] + 1) * REAL_EPSILON;
    long double left = judge->spare > 0.0 ? cairn_judge_mass_left(judge, x->load, x->size, x->v, x->e) : INFINITY;
    if (!(left <= judge->spare) && cairn_judge_mass_factor(judge) == CAIRN_OK)
        left = cairn_judge_mass_solve(judge, x->load, x->size, x->v, x->e);
    judge->momentum = isfinite(left) ? (double)left : (double)INFINITY;
    for (int j = 0; j < p->n; j++)
        x->e[j] = 0;
}

void cairn_judge_measure_exact(cairn_judge *judge, bool as_given, const double *hint, const double *gamma) {
    measure(judge, as_given, hint, gamma);
}

/* v = H^-1 (k + D gamma) in the vectors; gamma NULL: none. */
static vectors motion_of(cairn_judge *judge, const double *gamma) {
    const cairn_problem *p = judge->problem;
    vectors x = vectors_of(judge);
    begin_load(p, &x);
    for (int i = 0; gamma != NULL && i < p->blocks; i++)
        add_load(p, i, gamma, &x);
    move(judge, &x);
    return x;
}

/* r^ of block i, and the length of the sizes of its terms, |D_i|'|H^-1 k| + |b_i|; x->e holds |H^-1 k|. */
static void free_slip(const cairn_judge *judge, const vectors *x, int i, real *r, real *terms) {
    const cairn_problem *p = judge->problem;
    real size[CAIRN_BLOCK_DIM_MAX];
    int dim = p->block[i].dim, first = p->block_start[i];
    for (int j = 0; j < dim; j++)
        r[j] = size[j] = 0;
    if (!p->local)
        block_slip(p, i, x->v, x->e, r, size);
    for (int j = 0; j < dim; j++) {
        r[j] += p->b[first + j];
        size[j] += fabsl((real)p->b[first + j]);
    }
    *terms = length_of(dim, size);
}

static vectors free_motion(cairn_judge *judge) {
    vectors x = vectors_of(judge);
    if (judge->problem->local)
        return x;
    x = motion_of(judge, NULL);
    for (int j = 0; j < judge->problem->n; j++)
        x.e[j] = fabsl(x.v[j]);
    return x;
}

void cairn_judge_measure_free(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    vectors x = free_motion(judge);
    for (int c = 0; c < judge->components; c++)
        judge->free[c] = judge->grain[c] = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        real r[CAIRN_BLOCK_DIM_MAX], terms;
        free_slip(judge, &x, i, r, &terms);
        int c = judge->component[p->bodies + i];
        judge->free[c] = fmax(judge->free[c], (double)length_of(p->block[i].dim, r));
        judge->grain[c] = fmax(judge->grain[c], (double)(16 * (real)DBL_EPSILON * terms));
    }
}

/* What a velocity of component c is held against, m/s; more: a velocity of its own that it is measured by too. */
static double limit_of(const cairn_judge *judge, const cairn_limits *limits, int c, double more) {
    if (!(limits->relative > 0.0))
        return limits->velocity;
    double s = c < judge->components ? judge->free[c] : 0.0, grain = c < judge->components ? judge->grain[c] : 0.0;
    return fmax(limits->relative * fmax(s, more), fmax(grain, 16.0 * DBL_EPSILON * more));
}

static void raise(double figure, double limit, double *worst, double *excess) {
    double over = figure == 0.0 ? 0.0 : limit > 0.0 ? figure / limit : (double)INFINITY;
    *worst = figure <= *worst ? *worst : figure;
    *excess = over <= *excess ? *excess : over;
}

double cairn_judge_motion(cairn_judge *judge, const double *v, const double *gamma, const cairn_limits *limits,
                          double *excess) {
    const cairn_problem *p = judge->problem;
    double worst = 0.0;
    vectors x = motion_of(judge, gamma);
    if (!judge->mass.coupled)
        cairn_judge_reach(judge);
    for (int j = 0; j < p->n; j++) {
        double reach = judge->mass.reach[j], own = (double)(fabsl(x.v[j]) * reach);
        int c = limits->relative > 0.0 ? judge->component[p->body.body_of[j]] : 0;
        raise((double)(fabsl(v[j] - x.v[j]) * reach), limit_of(judge, limits, c, own), &worst, excess);
    }
    return isnan(worst) ? (double)INFINITY : worst;
}

double cairn_judge_moved(cairn_judge *judge, const double *gamma, const cairn_limits *limits, double *excess) {
    const cairn_problem *p = judge->problem;
    double worst = 0.0;
    vectors x = vectors_of(judge);
    if (p->m == 0 || memcmp(gamma, judge->gamma, (size_t)p->m * sizeof *gamma) == 0)
        return 0.0;
    if (p->local)
        find_local(p, gamma, &x);
    else
        x = motion_of(judge, gamma);
    for (int i = 0; i < p->blocks; i++) {
        real w[CAIRN_BLOCK_DIM_MAX];
        int first = p->block_start[i], dim = p->block[i].dim;
        slip_of(judge, &x, i, gamma, w, NULL);
        for (int r = 0; r < dim; r++) /* u' - shift is the velocity of the points' own motion */
            w[r] -= (real)judge->u[first + r] - judge->shift[first + r];
        int c = limits->relative > 0.0 ? judge->component[p->bodies + i] : 0;
        raise((double)length_of(dim, w), limit_of(judge, limits, c, 0.0), &worst, excess);
    }
    return isnan(worst) ? (double)INFINITY : worst;
}

void cairn_judge_velocities(cairn_judge *judge, const double *gamma, double *u, double *v) {
    const cairn_problem *p = judge->problem;
    vectors x = vectors_of(judge);
    if (p->local)
        find_local(p, gamma, &x);
    else
        x = motion_of(judge, gamma);
    for (int i = 0; i < p->blocks && u != NULL; i++) {
        real w[CAIRN_BLOCK_DIM_MAX];
        slip_of(judge, &x, i, gamma, w, NULL);
        for (int r = 0; r < p->block[i].dim; r++)
            u[p->block_start[i] + r] = (double)w[r];
    }
    for (int j = 0; j < p->n && v != NULL; j++)
        v[j] = (double)x.v[j];
}

/* ---- the first edition --------------------------------------------------------------------------------------------- */

/* u~ = u + Phi(u): mu |u_T| in the normal slot under Coulomb's law, mu max_j -d_j'u_T with a polygon. */
static void lift(const cairn_block *block, cairn_law law, real *u) {
    real most = -INFINITY, d[2];
    if (!has_coulomb_law(block, law))
        return;
    for (int j = 0; block->set == CAIRN_SET_POLY_CONE && j < block->directions; j++) {
        direction_of(block, j, d);
        most = fmaxl(most, -(d[0] * u[1] + (block->dim == 3 ? d[1] * u[2] : 0)));
    }
    u[0] += block->mu == 0.0 ? 0 : block->mu * (block->set == CAIRN_SET_CONE ? tangent_of(block->dim, u) : most);
}

/* Squares of g - P(g - u~/n), g, u, each with the weight n or 1/n. */
static void add_map(const cairn_block *block, cairn_law law, real n, const double *g, const real *u, real *sums) {
    real z[CAIRN_BLOCK_DIM_MAX], q[CAIRN_BLOCK_DIM_MAX];
    memcpy(z, u, (size_t)block->dim * sizeof *z);
    lift(block, law, z);
    for (int r = 0; r < block->dim; r++)
        z[r] = g[r] - z[r] / n;
    project(block, z, q);
    for (int r = 0; r < block->dim; r++) {
        sums[0] += n * (g[r] - q[r]) * (g[r] - q[r]);
        sums[1] += n * g[r] * (real)g[r];
        sums[2] += u[r] * u[r] / n;
    }
}

static double map_of(const real *sums, real load) {
    real size = fmaxl(load, fmaxl(sums[1], sums[2])), map = sqrtl(sums[0] / size);
    return sums[0] == 0 ? 0.0 : isfinite(map) ? (double)map : (double)INFINITY;
}

void cairn_judge_natural_maps(cairn_judge *judge, double *scaled, double *plain, double *round) {
    const cairn_problem *p = judge->problem;
    real sums[3][3] = {{0}}, load[2] = {0};
    vectors x = free_motion(judge);
    for (int i = 0; i < p->blocks; i++) {
        real r[CAIRN_BLOCK_DIM_MAX], terms, n = judge->scale[i];
        free_slip(judge, &x, i, r, &terms);
        load[0] += dot_of(p->block[i].dim, r, r) / n;
        load[1] += dot_of(p->block[i].dim, r, r);
    }
    for (int i = 0; i < p->blocks; i++) {
        cairn_block block = p->block[i];
        int first = p->block_start[i];
        real u[CAIRN_BLOCK_DIM_MAX];
        for (int r = 0; r < block.dim; r++)
            u[r] = (real)judge->u[first + r] - judge->shift[first + r];
        add_map(&block, p->law, judge->scale[i], judge->gamma + first, u, sums[0]);
        add_map(&block, p->law, 1, judge->gamma + first, u, sums[1]);
        if (block.set == CAIRN_SET_POLY_CONE)
            block.set = CAIRN_SET_CONE;
        add_map(&block, p->law, judge->scale[i], judge->gamma + first, u, sums[2]);
    }
    *scaled = map_of(sums[0], load[0]);
    *plain = map_of(sums[1], load[1]);
    *round = map_of(sums[2], load[0]);
}
