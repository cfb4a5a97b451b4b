/*
 * passive_motion.c: impulses that take energy away, by descent on a convex function from zero.
 *
 *     q(gamma) = gamma'N gamma/2 + r'gamma,   r = D'v_f + b_e,   v_f = H^-1 k,   N = D'H^-1 D + C
 *     b_e = given,   and at normal rows of contacts given + max(b - given, 0)
 *
 * Proof of the bound, H symmetric. v = v_f + H^-1 D gamma, so
 *
 *     T(v) - T(v_f) = gamma'D'v_f + gamma'D'H^-1 D gamma/2 = q(gamma) - gamma'b_e - gamma'C gamma/2
 *         <= q(gamma) - gamma'given
 *
 * as C >= 0 and gamma_N (b_e - given)_N >= 0. It remains to keep q <= 0 = q(0). Every visit to a
 * block lowers q or does nothing; and whatever rounding has made of the sum of the visits, at the
 * end gamma is replaced by s gamma with s in [0, 1] where the energy along that line, computed from
 * v_f and w = H^-1 D gamma, is least. Sets are convex and contain 0, so s gamma lies in them. With
 *
 *     E(s) = s^2 w'Hw/2 + s (v_f'Hw + gamma'given),   v_f'Hw taken with the symmetric part of H
 *
 * the minimum is never above E(0) = 0: this also holds for an unsymmetric H. QED
 *
 * A visit to block i with slip u = D'v + b_e + C gamma: contacts under Coulomb's law try Alart and
 * Curnier's step, x_N = gamma_N - u_N/N_NN, x_T = gamma_T - u_T/trace(N_TT), normal part to >= 0,
 * then the tangential part into the disc of radius mu x_N. It makes no separation by sliding, but
 * it may raise q. Where it does, and for all other sets, the step is P(gamma - u/t) with t =
 * trace(N_ii) >= |N_ii|, which lowers q by t |step|^2/2 or more.
 *
 * H block diagonal: sweeps there and back, v carried along. H that couples bodies: all blocks step
 * from the same v, and the sum is taken as far along as lowers q most. The work: SWEEPS at most,
 * fewer where a sweep costs much, none beyond the first that changes no velocity by more than STILL
 * of the largest.
 */
#include "solve/driver/passive_motion.h"

#include "problem/delassus/delassus_operator.h"
#include "sets/sets.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SWEEPS    400
#define WORK_MOST 4e8 /* multiply-adds of all sweeps; three sweeps are always made */
#define STILL     1e-12

typedef struct passive {
    const cairn_problem *problem;
    cairn_operator *op;
    const double *N; /* diagonal blocks */
    const int *N_start;
    cairn_arena arena;
    double *b;         /* m: b_e */
    double *r;         /* m: free slip */
    double *step;      /* m: where H couples bodies */
    double *free, *w;  /* n: v_f; work */
    double *gamma, *v; /* the caller's */
    double largest;    /* impulse step times scale in this sweep, m/s */
} passive;

static void layout(passive *s) {
    size_t m = (size_t)s->problem->m, n = (size_t)s->problem->n;
    s->b = cairn_arena_take(&s->arena, m, sizeof(double));
    s->r = cairn_arena_take(&s->arena, m, sizeof(double));
    s->step = cairn_arena_take(&s->arena, m, sizeof(double));
    s->free = cairn_arena_take(&s->arena, n, sizeof(double));
    s->w = cairn_arena_take(&s->arena, n, sizeof(double));
}

/* Is the row the normal of a contact, whose gap may keep it open? */
static bool is_normal(const cairn_block *block, int row) {
    return block->set == CAIRN_SET_NONNEGATIVE ||
           (row == 0 &&
            (block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_POLY_CONE || block->set == CAIRN_SET_CAPPED_CONE));
}

static void take_b(passive *s, const double *given) {
    const cairn_problem *p = s->problem;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            double own = given != NULL ? given[j] : 0.0;
            s->b[j] = own + (is_normal(&p->block[i], j - p->block_start[i]) ? fmax(p->b[j] - own, 0.0) : 0.0);
        }
}

static bool contains_zero(const cairn_block *block) {
    double x[CAIRN_BLOCK_DIM_MAX] = {0};
    cairn_set_get(block->set)->project(block, x, x);
    for (int r = 0; r < block->dim; r++)
        if (x[r] != 0.0)
            return false;
    return true;
}

/* u = D_i'v + b_e + C gamma. */
static void slip_of(const passive *s, int i, double *u) {
    const cairn_problem *p = s->problem;
    const cairn_body_blocks *B = &p->body;
    const double *d = B->dense + B->dense_start[i];
    for (int r = 0; r < p->block[i].dim; r++) {
        int j = p->block_start[i] + r;
        u[r] = s->b[j] + p->C[j] * s->gamma[j];
        for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++)
            for (int l = p->body_start[B->touch[t]]; l < p->body_start[B->touch[t] + 1]; l++)
                u[r] += *d++ * s->v[l];
    }
}

/* u'x + x'N_ii x/2: what the step x does to q. */
static double change_of(const passive *s, int i, const double *u, const double *x) {
    int dim = s->problem->block[i].dim;
    const double *N = s->N + s->N_start[i];
    double sum = 0.0;
    for (int r = 0; r < dim; r++) {
        double image = 0.0;
        for (int c = 0; c < dim; c++)
            image += N[r * dim + c] * x[c];
        sum += x[r] * (u[r] + 0.5 * image);
    }
    return sum;
}

/* The step x of block i at slip u, to target. */
static void visit(passive *s, int i, const double *u, double *x, double *target) {
    const cairn_problem *p = s->problem;
    const cairn_block *block = &p->block[i];
    int dim = block->dim;
    const double *N = s->N + s->N_start[i], *gamma = s->gamma + p->block_start[i];
    double trace = 0.0;
    for (int r = 0; r < dim; r++)
        trace += N[r * dim + r];
    memset(x, 0, (size_t)dim * sizeof *x);
    memcpy(target, gamma, (size_t)dim * sizeof *x);
    if (!(trace > 0.0) || !isfinite(trace))
        return;
    double tangent = trace - N[0];
    bool friction = p->law == CAIRN_LAW_COULOMB && block->set == CAIRN_SET_CONE && N[0] > 0.0 && tangent > 0.0;
    for (int turn = friction ? 0 : 1; turn < 2; turn++) {
        for (int r = 0; r < dim; r++)
            target[r] = gamma[r] - u[r] / (turn == 1 ? trace : r == 0 ? N[0] : tangent);
        if (turn == 0)
            cairn_cone_resolvent(dim, block->mu, target, target);
        else
            cairn_set_get(block->set)->project(block, target, target);
        for (int r = 0; r < dim; r++)
            x[r] = target[r] - gamma[r];
        if (change_of(s, i, u, x) <= 0.0)
            break;
        if (turn == 0)
            continue;
        memset(x, 0, (size_t)dim * sizeof *x); /* rounding */
        memcpy(target, gamma, (size_t)dim * sizeof *x);
    }
    for (int r = 0; r < dim; r++)
        s->largest = fmax(s->largest, trace * fabs(x[r]));
}

/* v += H^-1 D_i x; H block diagonal. */
static void push(passive *s, int i, const double *x) {
    const cairn_problem *p = s->problem;
    const cairn_body_blocks *B = &p->body;
    int offset = 0;
    for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++) {
        int first = p->body_start[B->touch[t]], size = p->body_start[B->touch[t] + 1] - first;
        const double *d = B->dense + B->dense_start[i] + offset, *G = cairn_operator_body_inverse(s->op, B->touch[t]);
        double load[CAIRN_BODY_DIM_MAX] = {0};
        for (int r = 0; r < p->block[i].dim; r++)
            for (int l = 0; l < size; l++)
                load[l] += d[r * B->width[i] + l] * x[r];
        for (int l = 0; l < size; l++)
            for (int c = 0; c < size; c++)
                s->v[first + l] += G[l * size + c] * load[c];
        offset += size;
    }
}

static void sweep(passive *s) {
    const cairn_problem *p = s->problem;
    double u[CAIRN_BLOCK_DIM_MAX], x[CAIRN_BLOCK_DIM_MAX], target[CAIRN_BLOCK_DIM_MAX];
    for (int k = 0; k < 2 * p->blocks; k++) {
        int i = k < p->blocks ? k : 2 * p->blocks - 1 - k;
        if (!contains_zero(&p->block[i]))
            continue;
        slip_of(s, i, u);
        visit(s, i, u, x, target);
        memcpy(s->gamma + p->block_start[i], target,
               (size_t)p->block[i].dim * sizeof *target); /* no rounding leads out of its set */
        push(s, i, x);
    }
}

/* All blocks from the same v; then as far as lowers q most. */
static void step_together(passive *s) {
    const cairn_problem *p = s->problem;
    double slope = 0.0, bend = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        double u[CAIRN_BLOCK_DIM_MAX], target[CAIRN_BLOCK_DIM_MAX], *x = s->step + p->block_start[i];
        memset(x, 0, (size_t)p->block[i].dim * sizeof *x);
        if (!contains_zero(&p->block[i]))
            continue;
        slip_of(s, i, u);
        visit(s, i, u, x, target);
        for (int r = 0; r < p->block[i].dim; r++)
            slope += x[r] * u[r];
    }
    cairn_problem_impulse(p, s->step, 0.0, s->w);
    cairn_operator_solve(s->op, s->w, s->w);
    memset(s->r, 0, (size_t)p->m * sizeof *s->r);
    cairn_problem_slip(p, s->w, 0.0, s->r);
    for (int j = 0; j < p->m; j++)
        bend += s->step[j] * (s->r[j] + p->C[j] * s->step[j]);
    double share = slope < 0.0 && bend > 0.0 ? fmin(1.0, -slope / bend) : 0.0;
    for (int j = 0; j < p->m; j++)
        s->gamma[j] += share * s->step[j];
    for (int j = 0; j < p->n; j++)
        s->v[j] += share * s->w[j];
    s->largest *= share;
}

/* gamma <- s gamma and v with it, s in [0, 1] where E is least; returns E there. */
static double settle(passive *s, const double *given) {
    const cairn_problem *p = s->problem;
    long double slope = 0, bend = 0;
    cairn_problem_impulse(p, s->gamma, 0.0, s->w); /* D gamma = H w */
    memcpy(s->v, s->w, (size_t)p->n * sizeof *s->v);
    cairn_operator_solve(s->op, s->v, s->v);
    for (int j = 0; j < p->n; j++) {
        long double w = s->v[j], image = s->w[j];
        slope += 0.5L * (s->free[j] * image + w * p->k[j]);
        bend += w * image;
    }
    for (int j = 0; j < p->m && given != NULL; j++)
        slope += (long double)s->gamma[j] * given[j];
    long double share = slope < 0 && bend > 0 ? -slope / bend : 0;
    double part = (double)share < 1.0 ? (double)share : 1.0;
    if (!isfinite(part) || !isfinite((double)bend))
        part = 0.0;
    for (int j = 0; j < p->m; j++)
        s->gamma[j] *= part;
    for (int j = 0; j < p->n; j++)
        s->v[j] = part > 0.0 ? s->free[j] + part * s->v[j] : s->free[j];
    return part > 0.0 ? (double)(part * (slope + 0.5L * part * bend)) : 0.0;
}

/* *sweeps: at most; those that were made. */
static void descend(passive *s, int *sweeps) {
    const cairn_problem *p = s->problem;
    double speed = 0.0;
    double cost = 2.0 * (4.0 * p->D.start[p->m] + 40.0 * p->m) + 1.0;
    int most = (int)fmax(3.0, fmin(sweeps != NULL ? *sweeps : SWEEPS, WORK_MOST / cost)), made = 0;
    memcpy(s->v, s->free, (size_t)p->n * sizeof *s->v);
    memset(s->gamma, 0, (size_t)p->m * sizeof *s->gamma);
    memcpy(s->r, s->b, (size_t)p->m * sizeof *s->r);
    cairn_problem_slip(p, s->free, 1.0, s->r);
    for (int j = 0; j < p->m; j++)
        speed = fmax(speed, fabs(s->r[j]));
    do {
        s->largest = 0.0;
        made++;
        if (p->block_diagonal)
            sweep(s);
        else
            step_together(s);
    } while (made < most && s->largest > STILL * speed);
    if (sweeps != NULL)
        *sweeps = made;
}

cairn_status cairn_passive_motion(const cairn_problem *p, const double *given, double *gamma, double *v, double *u,
                                  double *gain, int *sweeps) {
    if (p->local)
        return cairn_fail(p->context, CAIRN_ERROR_UNSUPPORTED, "a passive motion needs H and D; the problem is local");
    passive s = {.problem = p, .gamma = gamma, .v = v};
    cairn_status status = cairn_operator_create(p, &s.op);
    if (status == CAIRN_OK)
        status = cairn_operator_diagonal(s.op, &s.N, &s.N_start);
    layout(&s);
    if (status == CAIRN_OK)
        status = cairn_arena_reserve(p->context, &s.arena);
    if (status == CAIRN_OK) {
        layout(&s);
        take_b(&s, given);
        cairn_operator_solve(s.op, p->k, s.free);
        descend(&s, sweeps);
        *gain = settle(&s, given);
        for (int j = 0; j < p->m; j++)
            u[j] = given != NULL ? given[j] : 0.0;
        cairn_problem_slip(p, v, 1.0, u);
    }
    cairn_arena_free(p->context, &s.arena);
    cairn_operator_destroy(s.op);
    return status;
}
