/*
 * kkt.c: the saddle-point system of [T21 (36), (47a)], reduced to
 *
 *     [ S    D_b          ] [  v       ]   [ p + D_c (Theta_c + C_c)^-1 q_c ]      S = H + D_c (Theta_c + C_c)^-1 D_c'
 *     [ D_b' -Theta_b-C_b ] [ -gamma_b ] = [ q_b                            ]
 *     gamma_c = (Theta_c + C_c)^-1 (q_c - D_c'v)
 *
 * c: all blocks that are eliminated; b: bilateral blocks, which stay as saddle rows because 1/rho_b
 * would ruin S [theory 2]. Rows are cut into groups, one per body: the body's rows, then the
 * bilateral rows given to it, so that a joint's row never comes before a body it holds and its
 * pivot is -(D_b'S^-1 D_b + Theta_b + C_b), not -Theta_b.
 *
 * Storage of the matrix: block columns. A column of group g lists the rows of g's neighbours, group
 * after group:
 *
 *     value:  | column 0 of g: [nb 0][nb 1]... | column 1 of g: [nb 0][nb 1]... | ...      all of length height[g]
 *
 * so the block (h, g) sits at base + column*height[g] + row, and a class of eliminated blocks that
 * touch the same bodies knows the bases of the pairs of these bodies. Assembly (kkt_assemble_fma.c)
 * searches for nothing.
 *
 * Eliminated blocks alone change from one factorisation to the next, with the bodies that they
 * touch. H, D and, as long as theta of the saddle rows does, all other entries stay: from the
 * second time on a factorisation is a renewal (linalg/factor/factor.h).
 */
#include "problem/kkt/kkt_data.h"

#include <math.h>
#include <string.h>

#define REFINE_MAX  3     /* steps */
#define REFINE_GOAL 1e-12 /* componentwise backward error that needs no refinement */

static cairn_status take_vectors(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    cairn_context *context = kkt->context;
    size_t n = (size_t)p->n, m = (size_t)p->m;
    kkt->B_start = cairn_alloc(context, (size_t)p->blocks + 1, sizeof *kkt->B_start);
    if (kkt->B_start == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < p->blocks; i++)
        kkt->B_start[i + 1] = kkt->B_start[i] + p->block[i].dim * p->block[i].dim;
    kkt->sign = cairn_alloc(context, (size_t)kkt->size, sizeof *kkt->sign);
    kkt->any_sign = cairn_alloc(context, (size_t)kkt->size, sizeof *kkt->any_sign);
    kkt->x = cairn_alloc(context, (size_t)kkt->size, sizeof *kkt->x);
    double **of_m[] = {&kkt->weight, &kkt->theta, &kkt->t, &kkt->rq, &kkt->dg};
    double **of_n[] = {&kkt->rp, &kkt->dv};
    kkt->saddle = cairn_alloc(context, m, sizeof *kkt->saddle);
    if (!p->local && kkt->size > p->n) {
        kkt->base = cairn_alloc(context, (size_t)kkt->start[kkt->size], sizeof *kkt->base);
        if (kkt->base == NULL)
            return CAIRN_ERROR_MEMORY;
    }
    bool all = kkt->sign != NULL && kkt->any_sign != NULL && kkt->x != NULL && kkt->saddle != NULL;
    for (int i = 0; i < 5; i++) {
        *of_m[i] = cairn_alloc(context, m, sizeof(double));
        all = all && *of_m[i] != NULL;
    }
    for (int i = 0; i < 2; i++) {
        *of_n[i] = cairn_alloc(context, n, sizeof(double));
        all = all && *of_n[i] != NULL;
    }
    if (!all)
        return CAIRN_ERROR_MEMORY;
    memset(kkt->sign, 1, (size_t)kkt->size);
    for (int j = 0; !p->local && j < p->m; j++)
        if (kkt->position[p->n + j] >= 0) {
            kkt->sign[kkt->position[p->n + j]] = -1;
            kkt->saddle[kkt->saddles++] = j;
        }
    return CAIRN_OK;
}

/* Bodies that an eliminated block touches. Flexible parts come from a cache, where the contacts
 * of a step must not matter: there, and in the local form, everything counts as changing. */
static cairn_status find_changing(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    if (p->local || (kkt->cache != NULL && !p->block_diagonal))
        return CAIRN_OK;
    kkt->changing = cairn_alloc(kkt->context, (size_t)kkt->groups, sizeof *kkt->changing);
    if (kkt->changing == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int c = 0; c < kkt->classes; c++) {
        int i = kkt->class_block[kkt->class_start[c]];
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++)
            kkt->changing[p->body.touch[t]] = 1;
    }
    return CAIRN_OK;
}

/* May weights of blocks be unsymmetric? Those of one row are not, and joints have none. */
static bool has_wide_weights(const cairn_problem *p) {
    for (int i = 0; i < p->blocks; i++)
        if (p->local || (p->block[i].dim > 1 && !cairn_kkt_is_saddle(p, i)))
            return true;
    return false;
}

static cairn_status create(const cairn_problem *problem, bool unsymmetric, size_t most, cairn_factor_cache *cache,
                           cairn_kkt **out) {
    cairn_context *context = problem->context;
    cairn_kkt *kkt = cairn_alloc(context, 1, sizeof *kkt);
    if (kkt == NULL)
        return CAIRN_ERROR_MEMORY;
    kkt->problem = problem;
    kkt->context = context;
    kkt->cache = cache;
    kkt->unsymmetric_blocks = unsymmetric;
    kkt->position = cairn_alloc(context, (size_t)problem->n + (size_t)problem->m, sizeof *kkt->position);
    cairn_status status = kkt->position == NULL ? CAIRN_ERROR_MEMORY
                          : problem->local      ? cairn_kkt_prepare_local(kkt)
                                                : cairn_kkt_prepare_global(kkt);
    if (status == CAIRN_OK)
        status = take_vectors(kkt);
    if (status == CAIRN_OK)
        status = find_changing(kkt);
    if (status == CAIRN_OK)
        status = cairn_factor_cache_analyze(
            cache, context, kkt->size, kkt->start, kkt->index, kkt->groups, kkt->group_first,
            !problem->unsymmetric && !(unsymmetric && has_wide_weights(problem)), most, kkt->changing, &kkt->factor);
    if (status != CAIRN_OK) {
        cairn_kkt_destroy(kkt);
        return status;
    }
    *out = kkt;
    return CAIRN_OK;
}

cairn_status cairn_kkt_create(const cairn_problem *problem, bool unsymmetric, cairn_kkt **out) {
    return create(problem, unsymmetric, SIZE_MAX, NULL, out);
}

cairn_status cairn_kkt_create_within(const cairn_problem *problem, bool unsymmetric, size_t most, cairn_kkt **out) {
    return create(problem, unsymmetric, most, NULL, out);
}

cairn_status cairn_kkt_create_kept(const cairn_problem *problem, bool unsymmetric, struct cairn_factor_cache *cache,
                                   cairn_kkt **out) {
    return create(problem, unsymmetric, SIZE_MAX, cache, out);
}

void cairn_kkt_destroy(cairn_kkt *kkt) {
    if (kkt == NULL)
        return;
    if (kkt->store != NULL) {
        cairn_kkt_cache_take(kkt->store, kkt);
        return;
    }
    cairn_context *context = kkt->context;
    cairn_body_factor_destroy(kkt->body_factor[0]);
    cairn_body_factor_destroy(kkt->body_factor[1]);
    cairn_factor_cache_return(kkt->cache, kkt->factor);
    void *owned[] = {kkt->group_first, kkt->neighbour_start,
                     kkt->neighbour,   kkt->neighbour_row,
                     kkt->start,       kkt->index,
                     kkt->value,       kkt->base,
                     kkt->changing,    kkt->position,
                     kkt->A_map,       kkt->row_map,
                     kkt->pair_start,  kkt->pair,
                     kkt->class_start, kkt->class_block,
                     kkt->sum,         kkt->weighted,
                     kkt->saddle,      kkt->sign,
                     kkt->any_sign,    kkt->B_start,
                     kkt->weight,      kkt->theta,
                     kkt->x,           kkt->t,
                     kkt->rp,          kkt->rq,
                     kkt->dv,          kkt->dg,
                     kkt->pattern,     kkt};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(context, owned[i]);
}

/* theta + C of the saddle rows, before a factorisation. Where it is new, so is the whole matrix. */
static void take_saddles(cairn_kkt *kkt, const double *theta) {
    const double *C = kkt->problem->C;
    bool same = kkt->settled;
    for (int s = 0; s < kkt->saddles; s++) {
        int j = kkt->saddle[s];
        double now = theta[j] + C[j];
        same = same && kkt->theta[j] == now;
        kkt->theta[j] = now;
    }
    kkt->settled = same;
    if (!same && kkt->base != NULL)
        cairn_kkt_assemble_base(kkt);
}

static cairn_status factor(cairn_kkt *kkt, const signed char *sign) {
    cairn_status status = kkt->settled ? cairn_factor_renew(kkt->factor, kkt->value, sign)
                                       : cairn_factor_numeric(kkt->factor, kkt->value, sign);
    kkt->settled = true;
    return status;
}

/* The place in use, when it was asked for. */
static cairn_body_factor *body_factor_of(const cairn_kkt *kkt) {
    return kkt->place < kkt->prepared ? kkt->body_factor[kkt->place] : NULL;
}

cairn_status cairn_kkt_factor(cairn_kkt *kkt, const double *theta) {
    const cairn_problem *p = kkt->problem;
    take_saddles(kkt, theta);
    for (int j = 0; j < p->m; j++) {
        kkt->theta[j] = theta[j] + p->C[j];
        kkt->weight[j] = 1.0 / kkt->theta[j];
        if (!(theta[j] > 0.0) || !isfinite(kkt->weight[j]))
            return cairn_fail(kkt->context, CAIRN_ERROR_NUMERICAL, "the penalty of row %d is %g, expected > 0", j,
                              theta[j]);
    }
    cairn_kkt_assemble(kkt, NULL);
    kkt->refine = -1;
    cairn_status status = factor(kkt, kkt->sign);
    if (status == CAIRN_OK && body_factor_of(kkt) != NULL)
        cairn_body_factor_refresh(body_factor_of(kkt));
    return status;
}

cairn_status cairn_kkt_prepare_bodies(cairn_kkt *kkt, int places) {
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < places && status == CAIRN_OK; i++)
        if (kkt->body_factor[i] == NULL)
            status = cairn_body_factor_create(kkt->context, kkt->factor, &kkt->body_factor[i]);
    if (status == CAIRN_OK && kkt->prepared < places)
        kkt->prepared = places;
    return status;
}

int cairn_kkt_places(const cairn_kkt *kkt) {
    return kkt->prepared == 2 && kkt->body_factor[1] != NULL ? 2 : 1;
}

void cairn_kkt_choose(cairn_kkt *kkt, int place) {
    CAIRN_ASSERT(place >= 0 && place < cairn_kkt_places(kkt));
    kkt->place = place;
}

void cairn_kkt_solve_bodies(cairn_kkt *kkt, double *v) {
    CAIRN_ASSERT(kkt->saddles == 0 && !kkt->problem->local);
    kkt->solves++;
    if (body_factor_of(kkt) != NULL)
        cairn_body_factor_solve(body_factor_of(kkt), v);
    else
        cairn_factor_solve(kkt->factor, v);
}

cairn_status cairn_kkt_factor_blocks(cairn_kkt *kkt, const double *B, const double *theta) {
    const cairn_problem *p = kkt->problem;
    CAIRN_ASSERT(!p->local);
    take_saddles(kkt, theta);
    for (int j = 0; j < p->m; j++)
        kkt->theta[j] = theta[j] + p->C[j];
    cairn_kkt_assemble(kkt, B);
    kkt->B = B;
    return factor(kkt, kkt->unsymmetric_blocks ? kkt->any_sign : kkt->sign);
}

/* v and the bilateral gamma from p and the bilateral q, by one back-substitution. */
static void solve_reduced(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    const cairn_problem *problem = kkt->problem;
    int n = problem->n;
    const int *position = kkt->position;
    kkt->solves++;
    if (kkt->saddles == 0) { /* then position[i] = i */
        memcpy(v, p, (size_t)n * sizeof *v);
        cairn_factor_solve(kkt->factor, v);
        return;
    }
    for (int i = 0; i < n; i++)
        kkt->x[position[i]] = p[i];
    for (int s = 0; s < kkt->saddles; s++)
        kkt->x[position[n + kkt->saddle[s]]] = q[kkt->saddle[s]];
    cairn_factor_solve(kkt->factor, kkt->x);
    for (int i = 0; i < n; i++)
        v[i] = kkt->x[position[i]];
    for (int s = 0; s < kkt->saddles; s++)
        gamma[kkt->saddle[s]] = -kkt->x[position[n + kkt->saddle[s]]];
}

/* t = -B x over the rows of one block. */
static inline void weigh_block(int dim, const double *restrict B, const double *restrict x, double *restrict t) {
    if (dim == 3) {
        double x0 = x[0], x1 = x[1], x2 = x[2];
        t[0] = -(B[0] * x0 + B[1] * x1 + B[2] * x2);
        t[1] = -(B[3] * x0 + B[4] * x1 + B[5] * x2);
        t[2] = -(B[6] * x0 + B[7] * x1 + B[8] * x2);
        return;
    }
    for (int r = 0; r < dim; r++) {
        double sum = 0.0;
        for (int c = 0; c < dim; c++)
            sum -= B[r * dim + c] * x[c];
        t[r] = sum;
    }
}

/* rp, rq: what [v; -gamma_b] leaves of [p; q_b]. */
static void residual_reduced(cairn_kkt *kkt, const double *p, const double *q, const double *v, const double *gamma) {
    const cairn_problem *problem = kkt->problem;
    cairn_problem_slip(problem, v, 0.0, kkt->rq);
    for (int i = 0; i < problem->blocks; i++) {
        int row = problem->block_start[i];
        if (!cairn_kkt_is_saddle(problem, i))
            weigh_block(problem->block[i].dim, kkt->B + kkt->B_start[i], kkt->rq + row, kkt->t + row);
    }
    for (int s = 0; s < kkt->saddles; s++)
        kkt->t[kkt->saddle[s]] = gamma[kkt->saddle[s]];
    cairn_problem_multiply(problem, v, 0.0, kkt->rp);
    for (int i = 0; i < problem->n; i++)
        kkt->rp[i] = p[i] - kkt->rp[i];
    cairn_problem_impulse(problem, kkt->t, 1.0, kkt->rp);
    for (int s = 0; s < kkt->saddles; s++) {
        int j = kkt->saddle[s];
        kkt->rq[j] = q[j] - kkt->rq[j] - kkt->theta[j] * gamma[j];
    }
}

static bool all_finite(int count, const double *x) {
    double sum[4] = {0.0};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += x[i + l] - x[i + l]; /* 0, or NAN where x is not finite */
    for (; i < count; i++)
        sum[0] += x[i] - x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

cairn_status cairn_kkt_solve_blocks(cairn_kkt *kkt, int refine, const double *p, const double *q, double *v,
                                    double *gamma) {
    const cairn_problem *problem = kkt->problem;
    solve_reduced(kkt, p, q, v, gamma);
    for (int step = 0; step < refine; step++) {
        residual_reduced(kkt, p, q, v, gamma);
        solve_reduced(kkt, kkt->rp, kkt->rq, kkt->dv, kkt->dg);
        for (int i = 0; i < problem->n; i++)
            v[i] += kkt->dv[i];
        for (int s = 0; s < kkt->saddles; s++)
            gamma[kkt->saddle[s]] += kkt->dg[kkt->saddle[s]];
    }
    if (!all_finite(problem->n, v))
        return cairn_fail(kkt->context, CAIRN_ERROR_NUMERICAL, "the solve gave a number that is not finite");
    return CAIRN_OK;
}

/* One back-substitution of the reduced system. */
static void solve_once(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    const cairn_problem *problem = kkt->problem;
    int n = problem->n, m = problem->m;
    kkt->solves++;
    if (problem->local) {
        memcpy(gamma, q, (size_t)m * sizeof *gamma);
        cairn_factor_solve(kkt->factor, gamma);
        return;
    }
    const int *position = kkt->position;
    for (int j = 0; j < m; j++)
        kkt->t[j] = position[n + j] < 0 ? kkt->weight[j] * q[j] : 0.0;
    memcpy(v, p, (size_t)n * sizeof *v);
    cairn_problem_impulse(problem, kkt->t, 1.0, v);
    for (int i = 0; i < n; i++)
        kkt->x[position[i]] = v[i];
    for (int j = 0; j < m; j++)
        if (position[n + j] >= 0)
            kkt->x[position[n + j]] = q[j];
    cairn_factor_solve(kkt->factor, kkt->x);
    for (int i = 0; i < n; i++)
        v[i] = kkt->x[position[i]];
    cairn_problem_slip(problem, v, 0.0, gamma);
    for (int j = 0; j < m; j++)
        gamma[j] = position[n + j] < 0 ? kkt->weight[j] * (q[j] - gamma[j]) : -kkt->x[position[n + j]];
}

/* rp = p - (Hv - D gamma), rq = q - (D'v + (Theta + C) gamma); local: rq = q - (N + Theta + C)
 * gamma. */
static void residual(cairn_kkt *kkt, const double *p, const double *q, const double *v, const double *gamma) {
    const cairn_problem *problem = kkt->problem;
    int n = problem->n, m = problem->m;
    if (problem->local) {
        cairn_problem_multiply(problem, gamma, 0.0, kkt->rq);
    } else {
        cairn_problem_multiply(problem, v, 0.0, kkt->rp);
        for (int i = 0; i < n; i++)
            kkt->rp[i] = p[i] - kkt->rp[i];
        cairn_problem_impulse(problem, gamma, 1.0, kkt->rp);
        cairn_problem_slip(problem, v, 0.0, kkt->rq);
    }
    for (int j = 0; j < m; j++)
        kkt->rq[j] = q[j] - kkt->rq[j] - kkt->theta[j] * gamma[j];
}

/* sum of |A_ej x_e| over column j. */
static double absolute_column(const cairn_csc *A, int j, const double *x) {
    double sum = 0.0;
    for (int e = A->start[j]; e < A->start[j + 1]; e++)
        sum += fabs(A->value[e] * x[A->index[e]]);
    return sum;
}

/* max over rows of |residual| / (|matrix| |answer| + |right-hand side|), after residual(). */
static double backward_error(const cairn_kkt *kkt, const double *p, const double *q, const double *v,
                             const double *gamma) {
    const cairn_problem *problem = kkt->problem;
    const cairn_csc *rows = problem->unsymmetric ? &problem->At : &problem->A;
    double worst = 0.0;
    for (int i = 0; i < problem->n; i++) {
        int body = problem->body.body_of[i];
        double size = absolute_column(rows, i, v) + cairn_problem_row_size(problem, body, i, gamma) + fabs(p[i]);
        if (!(fabs(kkt->rp[i]) <= worst * size))
            worst = fabs(kkt->rp[i]) / size;
    }
    for (int j = 0; j < problem->m; j++) {
        double size = problem->local ? absolute_column(rows, j, gamma) : absolute_column(&problem->D, j, v);
        size += kkt->theta[j] * fabs(gamma[j]) + fabs(q[j]);
        if (!(fabs(kkt->rq[j]) <= worst * size))
            worst = fabs(kkt->rq[j]) / size;
    }
    return worst;
}

static void correct(cairn_kkt *kkt, double *v, double *gamma) {
    const cairn_problem *problem = kkt->problem;
    solve_once(kkt, kkt->rp, kkt->rq, kkt->dv, kkt->dg);
    for (int i = 0; i < problem->n; i++)
        v[i] += kkt->dv[i];
    for (int j = 0; j < problem->m; j++)
        gamma[j] += kkt->dg[j];
}

/* Refines until the backward error is at rounding or stops falling; remembers how many steps
 * that took. */
static void measure(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    residual(kkt, p, q, v, gamma);
    kkt->backward_error = backward_error(kkt, p, q, v, gamma);
    for (kkt->refine = 0; kkt->refine < REFINE_MAX && kkt->backward_error > REFINE_GOAL; kkt->refine++) {
        correct(kkt, v, gamma);
        residual(kkt, p, q, v, gamma);
        double error = backward_error(kkt, p, q, v, gamma);
        bool slow = !(error < 0.5 * kkt->backward_error);
        kkt->backward_error = error;
        if (slow)
            break;
    }
}

cairn_status cairn_kkt_solve(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    solve_once(kkt, p, q, v, gamma);
    if (kkt->refine < 0) {
        measure(kkt, p, q, v, gamma);
    } else {
        for (int step = 0; step < kkt->refine; step++) {
            residual(kkt, p, q, v, gamma);
            correct(kkt, v, gamma);
        }
    }
    if (!all_finite(kkt->problem->m, gamma) || !all_finite(kkt->problem->n, v))
        return cairn_fail(kkt->context, CAIRN_ERROR_NUMERICAL, "the solve gave a number that is not finite");
    return CAIRN_OK;
}

double cairn_kkt_backward_error(const cairn_kkt *kkt) {
    return kkt->backward_error;
}

int cairn_kkt_classes(const cairn_kkt *kkt, const int **start, const int **block) {
    *start = kkt->class_start;
    *block = kkt->class_block;
    return kkt->classes;
}

int cairn_kkt_solves(const cairn_kkt *kkt) {
    return kkt->solves;
}

int cairn_kkt_negative_pivots(const cairn_kkt *kkt) {
    return cairn_factor_negative_pivots(kkt->factor);
}

bool cairn_kkt_is_symmetric(const cairn_kkt *kkt) {
    return !kkt->problem->unsymmetric && !kkt->unsymmetric_blocks;
}

double cairn_kkt_flops(const cairn_kkt *kkt) {
    return cairn_factor_flops(kkt->factor);
}

double cairn_kkt_solve_flops(const cairn_kkt *kkt) {
    return (cairn_kkt_is_symmetric(kkt) ? 2.0 : 1.0) * (double)cairn_factor_entries(kkt->factor) + kkt->size;
}

double cairn_kkt_share(const cairn_kkt *kkt) {
    double whole = cairn_factor_flops(kkt->factor);
    return cairn_factor_partial(kkt->factor) && whole > 0.0 ? cairn_factor_renew_flops(kkt->factor) / whole : 1.0;
}
