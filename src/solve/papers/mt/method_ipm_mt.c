/*
 * method_ipm_mt.c: ipm-mt: the primal-dual interior point method of [MT] for unilateral and
 * bilateral rows.
 *
 *     unknowns v, y = s G'u (slack), lambda with gamma = s G lambda, gamma_b of the bilateral rows;
 *         G as in cone_edges.c
 *     r_d = H v - k - D gamma,   r_p = s G'(D'v + C gamma + b) - y,   r_b = D_b'v + C_b gamma_b + b_b         [MT (18)]
 *     tau = y'lambda / count                                                                              [MT (12)]
 *     Newton:  dlambda = -t/y - W dy,  dy = s G'(D'dv + C dgamma) + r_p,  W = lambda/y          [MT (20), MT (39)]
 *              (H + D P B D') dv - D_b dgamma_b = -r_d + D P c,   B = s^2 G W G',  P = (I + B C)^-1,
 *                  c = -s G (t/y + W r_p)
 *     t = y lambda (predictor);  y lambda + dy_p dlambda_p - sigma tau (corrector), sigma = (tau_p/tau)^3
 *         [MT (14)-(16)]
 *     steps: (9) with eta = 1 (predictor), eta = min(.9 + .1 exp(-x), 1 - 1e-8) (corrector), x = tau
 *         [MT (9), MT (17)]
 *     residuals by [MT (19)], with compliance r_p <- (1 - a_p) r_p + (a_d - a_p) E dlambda; or computed anew
 *     exit: |r_p|/count < eps_rp, |r_d|/n < eps_rd, y'lambda < eps_tau                                  [MT (38)]
 *
 * stop=paper also settles what the print leaves open or mistakes, as the authors' program does
 * (ChInteriorPoint): x = y'lambda in eta, the total and not the mean; Nocedal's point [MT (21)]
 * begins at y = A x - a, of either sign, and lambda = 1; (38) holds the total against eps_tau.
 * Otherwise Nocedal begins at y = lambda = 1.
 *
 * Signs as corrected in [theory 5]. Differences from the paper: bilateral rows are saddle rows with
 * the penalty rho_bilateral, and their residual is kept beside r_p; "1" of the starting points is 1
 * in SI units only with units=si, else in units of the block scales and of the load; slacks are
 * kept from vanishing before their time (hold_weights); a full warm start is lifted off the
 * boundary; polyhedral cones under the associated law are inequality rows like others. With
 * stop=certificate (default) every iterate is offered to the judge and the exit test is not used.
 */
#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"
#include "solve/papers/mt/cone_edges.h"
#include "solve/papers/mt/mt_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE   25    /* iterations without a smaller natural map */
#define TAU_MIN    1e-28 /* in units: nothing is left to gain */
#define WEIGHT_MAX 1e12  /* largest lambda/y, relative to the mass behind a row */
#define LIFT       5.0   /* a full warm start is raised to this times its natural map */

typedef struct workspace {
    cairn_arena arena;
    cairn_kkt *kkt;
    cairn_cone_edges rows;
    double *y, *lambda, *dy, *dlambda, *dy_p, *dlambda_p, *rp, *t, *weight; /* count: multipliers */
    double *v, *rd, *k, *p, *dv, *Hdv;                                      /* n */
    double *b, *gamma, *h, *u, *q, *rb, *theta, *dgamma;                    /* m; dgamma of bilateral rows only */
    double *B;                                                              /* blocks of P B */
    int *B_start;                                                           /* blocks + 1 */
    double unit;
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_kkt_destroy(w->kkt);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void layout(workspace *w, const cairn_problem *p) {
    size_t count = (size_t)cairn_cone_edges_count(p), entries = 0;
    for (int i = 0; i < p->blocks; i++)
        entries += (size_t)(p->block[i].dim * p->block[i].dim);
    cairn_cone_edges_layout(&w->rows, &w->arena, p);
    w->B = cairn_arena_take(&w->arena, entries, sizeof(double));
    w->B_start = cairn_arena_take(&w->arena, (size_t)p->blocks + 1, sizeof(int));
    double **of_rows[] = {&w->y, &w->lambda, &w->dy, &w->dlambda, &w->dy_p, &w->dlambda_p, &w->rp, &w->t, &w->weight};
    double **of_n[] = {&w->v, &w->rd, &w->k, &w->p, &w->dv, &w->Hdv};
    double **of_m[] = {&w->b, &w->gamma, &w->h, &w->u, &w->q, &w->rb, &w->theta, &w->dgamma};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        *of_rows[i] = cairn_arena_take(&w->arena, count, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(&w->arena, (size_t)p->n, sizeof(double));
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(&w->arena, (size_t)p->m, sizeof(double));
}

static bool as_published(const cairn_run *run) {
    return run->settings->stop == CAIRN_STOP_PAPER;
}

static cairn_status prepare(cairn_run *run, void **out) {
    const cairn_problem *p = run->problem;
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    layout(w, p);
    bool any_sign = as_published(run) && run->settings->start == CAIRN_START_NOCEDAL; /* of y, and so of pivots */
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK)
        status = cairn_kkt_create(p, any_sign, &w->kkt);
    if (status != CAIRN_OK) {
        release(run->context, w);
        return status;
    }
    layout(w, p);
    for (int i = 0; i < p->blocks; i++) {
        w->B_start[i + 1] = w->B_start[i] + p->block[i].dim * p->block[i].dim;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->theta[j] = run->settings->rho_bilateral * run->row_scale[j];
    }
    *out = w;
    return CAIRN_OK;
}

static bool is_joint(const cairn_problem *p, int block) {
    return p->block[block].set == CAIRN_SET_BILATERAL;
}

/* gamma from lambda; the bilateral part is kept. */
static void spread(workspace *w, const double *lambda, double *gamma) {
    for (int i = 0; i < w->rows.blocks; i++)
        cairn_cone_edges_impulse(&w->rows, i, lambda + w->rows.block[i].first, gamma + w->rows.block[i].row);
}

/* out (multipliers) = s G'x over all blocks. */
static void gather(const workspace *w, const double *x, double *out) {
    for (int i = 0; i < w->rows.blocks; i++)
        cairn_cone_edges_velocity(&w->rows, i, x + w->rows.block[i].row, out + w->rows.block[i].first);
}

/* r_d, r_p, r_b of the present point. */
static void residuals(const cairn_run *run, workspace *w) {
    const cairn_problem *p = run->problem;
    spread(w, w->lambda, w->gamma);
    for (int j = 0; j < p->m; j++)
        w->u[j] = w->b[j] + p->C[j] * w->gamma[j];
    cairn_problem_slip(p, w->v, 1.0, w->u);
    memcpy(w->rb, w->u, (size_t)p->m * sizeof *w->rb);
    gather(w, w->u, w->rp);
    for (int i = 0; i < w->rows.count; i++)
        w->rp[i] -= w->y[i];
    cairn_problem_impulse(p, w->gamma, 0.0, w->rd);
    for (int i = 0; i < p->n; i++)
        w->rd[i] = -w->k[i] - w->rd[i];
    cairn_problem_multiply(p, w->v, 1.0, w->rd);
}

/* ---- Newton's system ---- */

/* X (dim x columns, row by row) <- (I + B C)^-1 X of one block, C its diagonal compliance. */
static void soften(int dim, const double *B, const double *C, int columns, double *X) {
    double A[9];
    bool soft = false;
    for (int i = 0; i < dim; i++)
        soft = soft || C[i] > 0.0;
    if (!soft)
        return;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            A[i * dim + j] = B[i * dim + j] * C[j] + (i == j ? 1.0 : 0.0);
    for (int c = 0; c < dim; c++)
        for (int r = 0; r < dim; r++) { /* Gauss-Jordan; I + B C is similar to a positive definite matrix */
            double f = A[r * dim + c] / A[c * dim + c];
            if (r == c)
                continue;
            for (int j = c; j < dim; j++)
                A[r * dim + j] -= f * A[c * dim + j];
            for (int j = 0; j < columns; j++)
                X[r * columns + j] -= f * X[c * columns + j];
        }
    for (int r = 0; r < dim; r++)
        for (int j = 0; j < columns; j++)
            X[r * columns + j] /= A[r * dim + r];
}

/* Softens X for a nonnegative block: B is diagonal. */
static void soften_diagonal(int dim, const double *B, const double *C, int columns, double *X) {
    for (int r = 0; r < dim; r++)
        for (int j = 0; j < columns; j++)
            X[r * columns + j] /= 1.0 + B[r * dim + r] * C[r];
}

static void apply_P(const cairn_problem *p, const cairn_cone_edges_block *b, const double *weight_block, int columns,
                    double *X) {
    if (b->unit)
        soften_diagonal(b->dim, weight_block, p->C + b->row, columns, X);
    else
        soften(b->dim, weight_block, p->C + b->row, columns, X);
}

/* W, then P B of every block, then the factor. */
static cairn_status factor(cairn_run *run, workspace *w) {
    const cairn_problem *p = run->problem;
    double plain[CAIRN_BLOCK_DIM_MAX * CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < w->rows.count; i++)
        w->weight[i] = w->lambda[i] / w->y[i];
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        double *B = w->B + w->B_start[b->block];
        cairn_cone_edges_weight(&w->rows, i, w->weight + b->first, plain);
        memcpy(B, plain, (size_t)(b->dim * b->dim) * sizeof *B);
        apply_P(p, b, plain, b->dim, B);
    }
    return cairn_run_factor(run, w->kkt, w->B, w->theta);
}

/* g (dim) = P (c - B x) of one block, c = -s G (t/y + W r_p). */
static void respond(const cairn_run *run, const workspace *w, int i, const double *x, double *g) {
    const cairn_cone_edges_block *b = &w->rows.block[i];
    double plain[CAIRN_BLOCK_DIM_MAX * CAIRN_BLOCK_DIM_MAX], target[CAIRN_DIRECTIONS_MAX];
    for (int j = 0; j < b->count; j++) {
        int e = b->first + j;
        target[j] = -(w->t[e] / w->y[e] + w->weight[e] * w->rp[e]);
    }
    cairn_cone_edges_impulse(&w->rows, i, target, g);
    cairn_cone_edges_weight(&w->rows, i, w->weight + b->first, plain);
    for (int r = 0; r < b->dim; r++)
        for (int c = 0; c < b->dim; c++)
            g[r] -= plain[r * b->dim + c] * x[c];
    apply_P(run->problem, b, plain, 1, g);
}

/* Direction for the target t. h keeps D'dv. */
static bool direction(cairn_run *run, workspace *w) {
    const cairn_problem *p = run->problem;
    static const double zero[CAIRN_BLOCK_DIM_MAX];
    memset(w->h, 0, (size_t)p->m * sizeof *w->h);
    for (int i = 0; i < w->rows.blocks; i++)
        respond(run, w, i, zero, w->h + w->rows.block[i].row);
    cairn_problem_impulse(p, w->h, 0.0, w->p);
    for (int i = 0; i < p->n; i++)
        w->p[i] -= w->rd[i];
    for (int j = 0; j < p->m; j++)
        w->q[j] = -w->rb[j];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve_blocks(w->kkt, 0, w->p, w->q, w->dv, w->dgamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    if (status != CAIRN_OK)
        return false;
    cairn_problem_slip(p, w->dv, 0.0, w->h);
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        double g[CAIRN_BLOCK_DIM_MAX], x[CAIRN_BLOCK_DIM_MAX];
        respond(run, w, i, w->h + b->row, g);
        for (int k = 0; k < b->dim; k++)
            x[k] = w->h[b->row + k] + p->C[b->row + k] * g[k];
        cairn_cone_edges_velocity(&w->rows, i, x, w->dy + b->first);
        for (int e = b->first; e < b->first + b->count; e++) {
            w->dy[e] += w->rp[e];
            w->dlambda[e] = -w->t[e] / w->y[e] - w->weight[e] * w->dy[e];
        }
    }
    return true;
}

/* ---- steps ---- */

/* min(1, eta * largest step that keeps x >= 0) [MT (9)]. */
static double step_length(int count, const double *x, const double *dx, double eta) {
    double a = INFINITY;
    for (int i = 0; i < count; i++)
        if (dx[i] < 0.0)
            a = fmin(a, -x[i] / dx[i]);
    return fmin(1.0, eta * a);
}

static void step_lengths(const cairn_run *run, const workspace *w, double eta, double *primal, double *dual) {
    *primal = step_length(w->rows.count, w->y, w->dy, eta);
    *dual = step_length(w->rows.count, w->lambda, w->dlambda, eta);
    if (run->settings->steps == CAIRN_STEPS_COMMON)
        *primal = *dual = fmin(*primal, *dual);
}

/* (y + primal dy)'(lambda + dual dlambda) / count. */
static double measure(const workspace *w, double primal, double dual) {
    double sum = 0.0;
    for (int i = 0; i < w->rows.count; i++)
        sum += (w->y[i] + primal * w->dy[i]) * (w->lambda[i] + dual * w->dlambda[i]);
    return w->rows.count > 0 ? sum / w->rows.count : 0.0;
}

static double measure_now(const workspace *w) {
    double sum = 0.0;
    for (int i = 0; i < w->rows.count; i++)
        sum += w->y[i] * w->lambda[i];
    return w->rows.count > 0 ? sum / w->rows.count : 0.0;
}

/* Residuals after the step, without a product with D [MT (19)]. */
static void update_residuals(const cairn_run *run, workspace *w, double primal, double dual) {
    const cairn_problem *p = run->problem;
    double apart = primal - dual;
    if (apart != 0.0)
        cairn_problem_multiply(p, w->dv, 0.0, w->Hdv);
    for (int i = 0; i < p->n; i++)
        w->rd[i] = (1.0 - dual) * w->rd[i] + (apart != 0.0 ? apart * w->Hdv[i] : 0.0);
    for (int j = 0; j < p->m; j++)
        w->rb[j] += primal * w->h[j] + dual * p->C[j] * w->dgamma[j];
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        double g[CAIRN_BLOCK_DIM_MAX], e[CAIRN_DIRECTIONS_MAX];
        cairn_cone_edges_impulse(&w->rows, i, w->dlambda + b->first, g);
        for (int k = 0; k < b->dim; k++)
            g[k] *= p->C[b->row + k];
        cairn_cone_edges_velocity(&w->rows, i, g, e);
        for (int j = 0; j < b->count; j++)
            w->rp[b->first + j] = (1.0 - primal) * w->rp[b->first + j] - apart * e[j];
    }
}

static void move(const cairn_run *run, workspace *w, double primal, double dual) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < w->rows.count; i++) {
        w->y[i] += primal * w->dy[i];
        w->lambda[i] += dual * w->dlambda[i];
    }
    for (int i = 0; i < p->n; i++)
        w->v[i] += primal * w->dv[i];
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; is_joint(p, i) && j < p->block_start[i + 1]; j++)
            w->gamma[j] += dual * w->dgamma[j];
}

/* The least y/lambda of a block. */
static double least_share(const cairn_run *run, const cairn_cone_edges_block *b) {
    return run->row_scale[b->row] * b->scale * b->scale / WEIGHT_MAX;
}

/* Slacks that (9) and (17) took to 1e-8 of themselves would make weights that no factorisation
 * survives: y is raised until n_i s^2 lambda/y <= WEIGHT_MAX, and r_p says so. */
static void hold_weights(const cairn_run *run, workspace *w) {
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        double share = least_share(run, b);
        for (int e = b->first; e < b->first + b->count; e++) {
            double raise = fmax(0.0, share * w->lambda[e] - w->y[e]);
            w->y[e] += raise;
            w->rp[e] -= raise;
        }
    }
}

/* y'lambda, J; slacks that hold_weights keeps up count as 0, or many of them would keep the exit
 * (38) shut. */
static double total_of(const cairn_run *run, const workspace *w) {
    double sum = 0.0;
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        double share = least_share(run, b);
        for (int e = b->first; e < b->first + b->count; e++)
            sum += fmax(0.0, w->y[e] - share * w->lambda[e]) * w->lambda[e];
    }
    return w->unit * w->unit * sum;
}

/* [MT (17)], which exceeds 1 as printed. */
static double eta_of(const cairn_run *run, const workspace *w, double tau) {
    return fmin(0.9 + 0.1 * exp(as_published(run) ? -total_of(run, w) : -tau), 1.0 - 1e-8);
}

/* Predictor, corrector, step. False: no direction. */
static bool advance(cairn_run *run, workspace *w, double tau) {
    double primal, dual, eta = eta_of(run, w, tau);
    int count = w->rows.count;
    if (factor(run, w) != CAIRN_OK)
        return false;
    for (int i = 0; i < count; i++)
        w->t[i] = w->y[i] * w->lambda[i];
    if (!direction(run, w))
        return false;
    if (count > 0) {
        step_lengths(run, w, 1.0, &primal, &dual);
        double sigma = pow(fmax(0.0, measure(w, primal, dual)) / tau, 3.0);
        for (int i = 0; i < count; i++)
            w->t[i] += w->dy[i] * w->dlambda[i] - sigma * tau;
        if (!direction(run, w))
            return false;
    }
    step_lengths(run, w, eta, &primal, &dual);
    move(run, w, primal, dual);
    if (run->settings->cheap_residuals)
        update_residuals(run, w, primal, dual);
    else
        residuals(run, w);
    hold_weights(run, w);
    return true;
}

/* ---- starting points ---- */

/* Units, rows and vectors for the present problem. False: it no longer fits. */
static bool set_units(const cairn_run *run, workspace *w) {
    const cairn_problem *p = run->problem;
    bool own = run->settings->units == CAIRN_UNITS_PROBLEM;
    double load = 0.0;
    int count = 0;
    if (!cairn_cone_edges_fill(&w->rows, p, own ? run->row_scale : NULL))
        return false;
    for (int i = 0; i < w->rows.blocks; i++)
        for (int k = 0; k < w->rows.block[i].dim; k++, count++) {
            double slip = w->rows.block[i].scale * run->free_slip[w->rows.block[i].row + k];
            load += slip * slip;
        }
    w->unit = own && load > 0.0 && isfinite(load) ? sqrt(load / count) : 1.0;
    for (int i = 0; i < p->n; i++)
        w->k[i] = p->k[i] / w->unit;
    for (int j = 0; j < p->m; j++)
        w->b[j] = p->b[j] / w->unit;
    return true;
}

/* y becomes the slack itself, so that r_p vanishes; of either sign, but kept from 0 as by
 * hold_weights. */
static void take_slacks(const cairn_run *run, workspace *w) {
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        double least = least_share(run, b);
        for (int e = b->first; e < b->first + b->count; e++) {
            double slack = w->y[e] + w->rp[e];
            w->y[e] = copysign(fmax(fabs(slack), least), slack);
            w->rp[e] = slack - w->y[e];
        }
    }
}

/* From x = v, or ones: y and lambda by the chosen rule; bilateral impulses 0. */
static bool start_cold(cairn_run *run, workspace *w, const double *v) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->n; i++)
        w->v[i] = v != NULL ? v[i] / w->unit : 1.0;
    memset(w->gamma, 0, (size_t)p->m * sizeof *w->gamma);
    if (run->settings->start == CAIRN_START_DAPUZZO) {
        memcpy(w->u, w->b, (size_t)p->m * sizeof *w->u);
        cairn_problem_slip(p, w->v, 1.0, w->u);
        gather(w, w->u, w->rp);
        cairn_start_dapuzzo(w->rows.count, w->rp, w->y, w->lambda);
        return true;
    }
    for (int i = 0; i < w->rows.count; i++)
        w->y[i] = w->lambda[i] = 1.0;
    residuals(run, w);
    if (as_published(run))
        take_slacks(run, w);
    memcpy(w->t, w->y, (size_t)w->rows.count * sizeof *w->t);
    if (factor(run, w) != CAIRN_OK || !direction(run, w))
        return false;
    cairn_start_nocedal(w->rows.count, w->dy, w->dlambda, w->y, w->lambda);
    return true;
}

/* From all of the guess: impulses, their velocities and slacks, lifted by its natural map. */
static void start_full(cairn_run *run, workspace *w) {
    const cairn_problem *p = run->problem;
    cairn_run_project(run, false, run->guess, w->h);
    cairn_operator_velocity(run->op, w->h, w->v);
    cairn_operator_slip(run->op, w->v, w->h, w->u);
    double map = cairn_run_residual(run, w->h, w->u);
    for (int i = 0; i < p->n; i++)
        w->v[i] /= w->unit;
    for (int j = 0; j < p->m; j++) {
        w->gamma[j] = w->h[j] / w->unit;
        w->u[j] /= w->unit;
    }
    gather(w, w->u, w->y);
    for (int i = 0; i < w->rows.blocks; i++)
        cairn_cone_edges_split(&w->rows, i, w->gamma + w->rows.block[i].row, w->lambda + w->rows.block[i].first);
    cairn_start_lift(w->rows.count, fmin(1.0, fmax(1e-12, LIFT * map)), w->y, w->lambda);
}

/* False: no factor. */
static bool start(cairn_run *run, workspace *w) {
    bool ready = true;
    if (run->guess == NULL || run->settings->warm == CAIRN_WARM_NONE) {
        ready = start_cold(run, w, NULL);
    } else if (run->settings->warm == CAIRN_WARM_FULL) {
        start_full(run, w);
    } else {
        cairn_operator_velocity(run->op, run->guess, w->dv);
        ready = start_cold(run, w, w->dv);
    }
    residuals(run, w);
    return ready;
}

/* ---- the iteration ---- */

static double mean_norm(int count, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return count > 0 ? sqrt(sum) / count : 0.0;
}

/* The exit test, in SI units. */
static bool own_stop(const cairn_run *run, const workspace *w) {
    const cairn_settings *s = run->settings;
    double sum = 0.0;
    for (int i = 0; i < w->rows.blocks; i++) {
        const cairn_cone_edges_block *b = &w->rows.block[i];
        for (int e = b->first; e < b->first + b->count; e++)
            sum += w->rp[e] / b->scale * (w->rp[e] / b->scale);
    }
    double rp = w->rows.count > 0 ? w->unit * sqrt(sum) / w->rows.count : 0.0;
    return rp < s->eps_rp && w->unit * mean_norm(run->problem->n, w->rd) < s->eps_rd && total_of(run, w) < s->eps_tau;
}

/* h (m) = the impulses, in their sets. */
static void candidate(const cairn_run *run, workspace *w) {
    spread(w, w->lambda, w->gamma);
    for (int j = 0; j < run->problem->m; j++)
        w->h[j] = w->unit * w->gamma[j];
    cairn_run_project(run, false, w->h, w->h);
}

static cairn_status stalled(cairn_run *run, workspace *w, bool tested, const char *why) {
    if (!tested && cairn_run_test(run, w->h))
        return CAIRN_OK;
    if (!cairn_run_infeasible(run, w->h, w->u)) {
        run->outcome = CAIRN_STALLED;
        snprintf(run->note, sizeof run->note, "%s", why);
    }
    return CAIRN_OK;
}

static cairn_status run_ipm_mt(cairn_run *run, void *memory) {
    workspace *w = memory;
    bool paper = as_published(run);
    double best = INFINITY;
    int waited = 0;
    if (run->guess != NULL && run->settings->warm == CAIRN_WARM_FULL && cairn_run_test(run, run->guess))
        return CAIRN_OK;
    if (!set_units(run, w))
        return cairn_run_broken(run, "friction, law or cone have changed since the problem was loaded");
    if (!start(run, w))
        return cairn_run_broken(run, cairn_error_message(run->context));
    for (;;) {
        double tau = measure_now(w);
        bool own = own_stop(run, w), test = !paper || own;
        candidate(run, w);
        if (test)
            cairn_run_test(run, w->h);
        run->primal = w->unit * cairn_norm_max(run->problem->n, w->rd);
        run->dual = w->unit * cairn_norm_max(w->rows.count, w->rp);
        run->rho = tau;
        if (!cairn_run_tick(run, w->h, test))
            return CAIRN_OK;
        if (paper && own)
            return stalled(run, w, true, "stopped at its own tolerances; the certificate asks for more");
        waited = test && run->last_map < 0.9 * best ? 0 : waited + 1;
        best = test ? fmin(best, run->last_map) : best;
        if (waited >= (paper ? 4 * PATIENCE : PATIENCE) || !(tau > TAU_MIN || w->rows.count == 0))
            return stalled(run, w, test, "the interior point made no more progress");
        if (!advance(run, w, tau))
            return cairn_run_broken(run, cairn_error_message(run->context));
    }
}

static const char *refuses(const cairn_problem *p, const cairn_settings *settings) {
    if (settings->start == CAIRN_START_LEAST_SQUARES)
        return "start=least-squares is for ipm; expected dapuzzo or nocedal";
    return cairn_cone_edges_refuse(p, settings);
}

const cairn_method cairn_method_ipm_mt = {
    .name = "ipm-mt",
    .summary = "Mehrotra's predictor and corrector for unilateral and bilateral rows, as published",
    .paper = "[MT]",
    .accepts = "no friction, or polyhedral cones under the associated law",
    .options = "start warm steps units cheap_residuals stop eps_rp eps_rd eps_tau rho_bilateral",
    .defaults = "start=dapuzzo",
    .choices = "start=dapuzzo|nocedal",
    .on_velocities = true,
    .refuses = refuses,
    .prepare = prepare,
    .run = run_ipm_mt,
    .release = release,
};
