/*
 * primal_admm.c: the half steps of primal-admm in its two forms, relaxation and restart.
 *
 *     primal [AKM (25), (27), (24)]                              dual [AKM (74), (76), (73)]
 *     a = D'v + C gamma + b + Phi(s)                             a = r
 *     H v - D gamma = k,  a = y^ - z^ - gamma/rho                (N + rho) r = -(r^ + Phi(s)) + rho (y^ - z^)
 *     gamma = P(-rho (a + z^)),  y = a + z^ + gamma/rho          y = P(a + z^)
 *     z = a + z^ - y                                             z = a + z^ - y
 *
 * Both linear systems are the saddle-point system of kkt.h, with Theta = 1/rho or rho; N is never
 * formed. Eliminating gamma from the primal one gives (H + rho D D') v = k + rho D (y^ - b - Phi -
 * z^), which is (25) with the sign of k corrected [theory 3]. y = P_{K*}(a + z^) by Moreau; written
 * with P it serves every convex set, and gamma = -rho z is in its set. A compliant row is one more
 * velocity C^(1/2) gamma of unit mass: it adds C to Theta and rows C^(1/2) to A'. Bilateral rows
 * have y = 0 (primal) or z = 0 (dual) and a penalty of their own, which makes them all but exact.
 */
#include "solve/papers/akm/primal_admm.h"

#include "solve/papers/penalty_rule.h"

#include <math.h>
#include <string.h>

#define PAD 6 /* velocity vectors have a body of zeros at their end, for contacts with one body */

static void layout(cairn_primal_admm *w, const cairn_problem *problem) {
    if (w->fast)
        cairn_contact_simd_layout(&w->contacts, &w->arena, problem, w->kkt);
    w->rows = w->fast ? w->contacts.rows : problem->m;
    size_t m = (size_t)(w->rows > problem->m ? w->rows : problem->m), n = (size_t)problem->n + PAD;
    cairn_primal_admm_pair *pairs[] = {&w->y, &w->z, &w->yn, &w->zn, &w->hat_y, &w->hat_z, &w->shift};
    double **of_m[] = {&w->penalty, &w->theta,  &w->a,      &w->x,      &w->gamma,
                       &w->q,       &w->old[0], &w->old[1], &w->old[2], &w->old[3]};
    double **of_n[] = {&w->v, &w->w, &w->rhs};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        pairs[i]->x = cairn_arena_take(&w->arena, m, sizeof(double));
        pairs[i]->D = cairn_arena_take(&w->arena, w->fast ? n : 0, sizeof(double));
    }
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(&w->arena, m, sizeof(double));
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = cairn_arena_take(&w->arena, n, sizeof(double));
    cairn_slip_term_layout(&w->term, &w->arena, problem);
}

cairn_status cairn_primal_admm_prepare(cairn_run *run, void **workspace) {
    const cairn_settings *settings = run->settings;
    const cairn_problem *p = run->problem;
    cairn_primal_admm *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->dual = settings->form == CAIRN_FORM_DUAL;
    w->policy = (cairn_penalty_policy)((int)settings->variant / 3);
    w->relaxed = (int)settings->variant % 3 > 0;
    w->restarts = (int)settings->variant % 3 == 2;
    w->only_joints = true;
    for (int i = 0; i < p->blocks; i++)
        w->only_joints = w->only_joints && p->block[i].set == CAIRN_SET_BILATERAL;
    w->fast = !w->dual && cairn_contact_simd_fit(p);
    cairn_status status = cairn_kkt_create(p, false, &w->kkt);
    if (status == CAIRN_OK && w->fast)
        status = cairn_kkt_prepare_bodies(w->kkt, 1);
    if (status == CAIRN_OK) {
        layout(w, p);
        status = cairn_arena_reserve(run->context, &w->arena);
    }
    if (status == CAIRN_OK) {
        layout(w, p);
        status = cairn_divergence_create(run->context, p->m, &w->growth);
    }
    if (status == CAIRN_OK)
        status = cairn_penalty_value(run, settings->rho0, &w->first);
    if (status != CAIRN_OK) {
        cairn_primal_admm_release(run->context, w);
        return status;
    }
    if (w->fast)
        cairn_contact_simd_fill(p, w->kkt, &w->contacts);
    w->diagonal = p->A.start[p->A.cols] == p->A.cols;
    for (int j = 0; w->diagonal && j < p->A.cols; j++)
        w->diagonal = p->A.index[j] == j;
    if (w->dual && settings->rho0 != CAIRN_PENALTY_NUMBER)
        w->first = 1.0 / w->first; /* the rules are for the primal form [theory 3] */
    *workspace = w;
    return CAIRN_OK;
}

void cairn_primal_admm_release(cairn_context *context, void *workspace) {
    cairn_primal_admm *w = workspace;
    cairn_kkt_destroy(w->kkt);
    cairn_divergence_free(context, &w->growth);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void set_penalty(const cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            double joint = run->settings->rho_bilateral * run->row_scale[j];
            bool is_joint = p->block[i].set == CAIRN_SET_BILATERAL;
            w->penalty[j] = !is_joint ? w->rho : w->dual ? joint : 1.0 / joint;
            w->theta[j] = w->dual ? w->penalty[j] : 1.0 / w->penalty[j];
        }
    w->stale = true;
}

void cairn_primal_admm_change(cairn_run *run, cairn_primal_admm *w, double rho) {
    int m = run->problem->m;
    double ratio = w->rho / rho;
    memcpy(w->x, w->penalty, (size_t)m * sizeof *w->x);
    w->rho = rho;
    set_penalty(run, w);
    for (int j = 0; j < w->rows; j++) {
        double scale = w->fast ? ratio : w->x[j] / w->penalty[j];
        w->z.x[j] *= scale;
        (w->fast ? w->zn.x : w->hat_z.x)[j] *= scale;
    }
    for (int i = 0; w->fast && i < run->problem->n; i++) {
        w->z.D[i] *= ratio;
        w->zn.D[i] *= ratio;
    }
}

/* y, z from the argument x = a + z^ [AKM (27), (76)]; x is destroyed. */
static void split(const cairn_run *run, cairn_primal_admm *w, double *y, double *z) {
    int m = run->problem->m;
    if (w->dual) {
        cairn_run_project(run, false, w->x, y);
        for (int j = 0; j < m; j++)
            z[j] = w->x[j] - y[j];
        return;
    }
    for (int j = 0; j < m; j++)
        w->q[j] = -w->penalty[j] * w->x[j];
    cairn_run_project(run, false, w->q, w->gamma);
    for (int j = 0; j < m; j++) {
        z[j] = -w->theta[j] * w->gamma[j];
        y[j] = w->x[j] - z[j];
    }
}

void cairn_primal_admm_still(cairn_primal_admm *w) {
    w->alpha = 1.0;
    w->combined = INFINITY;
    w->momentum = 0.0;
    w->yh = w->y;
    w->zh = w->z;
}

void cairn_primal_admm_shift(const cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    double *shift = w->fast ? w->x : w->shift.x, square = 0.0;
    for (int j = 0; j < p->m; j++) {
        shift[j] = p->b[j] + w->term.phi[j];
        square += shift[j] * shift[j];
    }
    w->size_c = w->dual ? 0.0 : sqrt(square);
    if (w->fast) {
        cairn_contact_simd_to_lanes(p, &w->contacts, w->x, w->shift.x);
        cairn_contact_simd_impulse(p, &w->contacts, w->shift.x, w->shift.D);
    }
}

/* y, z of a guess: as if it were the answer. */
static void warm_start(cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    cairn_run_project(run, false, run->guess, w->gamma);
    cairn_operator_velocity(run->op, w->gamma, w->v);
    cairn_operator_slip(run->op, w->v, w->gamma, w->a);
    if (run->settings->s_update != CAIRN_S_NONE)
        cairn_run_phi(run, w->a, w->term.phi);
    for (int j = 0; j < p->m; j++) {
        double slip = w->a[j] + w->term.phi[j];
        w->x[j] = w->dual ? w->gamma[j] - slip / w->penalty[j] : slip - w->gamma[j] / w->penalty[j];
    }
    split(run, w, w->fast ? w->a : w->y.x, w->fast ? w->q : w->z.x);
    if (w->fast) {
        cairn_contact_simd_to_lanes(p, &w->contacts, w->a, w->y.x);
        cairn_contact_simd_to_lanes(p, &w->contacts, w->q, w->z.x);
        cairn_contact_simd_impulse(p, &w->contacts, w->y.x, w->y.D);
        cairn_contact_simd_impulse(p, &w->contacts, w->z.x, w->z.D);
    }
}

void cairn_primal_admm_begin(cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    cairn_slip_term_begin(run, &w->term);
    w->keeps = w->policy == CAIRN_SPECTRAL || w->term.any;
    w->count = 0;
    w->rho = run->guess_rho > 0.0 ? run->guess_rho : w->first;
    w->have_old = false;
    set_penalty(run, w);
    cairn_primal_admm_pair *pairs[] = {&w->y, &w->z, &w->yn, &w->zn, &w->hat_z, &w->shift};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        memset(pairs[i]->x, 0, (size_t)w->rows * sizeof(double));
        memset(pairs[i]->D, 0, w->fast ? ((size_t)p->n + PAD) * sizeof(double) : 0);
    }
    memset(w->gamma, 0, (size_t)p->m * sizeof(double));
    if (w->fast)
        cairn_contact_simd_friction(p, &w->contacts);
    if (run->guess != NULL)
        warm_start(run, w);
    cairn_primal_admm_shift(run, w);
    cairn_primal_admm_still(w);
    cairn_divergence_begin(&w->growth, run, w->gamma);
}

static cairn_status factor(cairn_run *run, cairn_primal_admm *w) {
    if (!w->stale)
        return CAIRN_OK;
    w->stale = false;
    return cairn_run_factor(run, w->kkt, NULL, w->theta);
}

/* The x-step: a from y^ and z^. */
static cairn_status solve(cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    for (int j = 0; j < p->m; j++)
        w->q[j] = (w->dual ? w->penalty[j] : 1.0) * (w->yh.x[j] - w->zh.x[j]) - w->shift.x[j];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve(w->kkt, p->k, w->q, w->v, w->gamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    for (int j = 0; j < p->m; j++)
        w->a[j] = w->dual ? w->gamma[j] : w->yh.x[j] - w->zh.x[j] - w->theta[j] * w->gamma[j];
    return status;
}

/* |A't|: t itself in the dual form, [D t; C^(1/2) t] in the primal one. */
static double adjoint_norm(const cairn_run *run, cairn_primal_admm *w, const double *t) {
    const cairn_problem *p = run->problem;
    double square = 0.0;
    for (int j = 0; j < p->m; j++)
        square += (w->dual ? 1.0 : p->C[j]) * t[j] * t[j];
    if (!w->dual) {
        cairn_problem_impulse(p, t, 0.0, w->w);
        for (int i = 0; i < p->n; i++)
            square += w->w[i] * w->w[i];
    }
    return sqrt(square);
}

double cairn_primal_admm_size_z(const cairn_run *run, cairn_primal_admm *w) {
    if (isnan(w->size_z)) {
        for (int j = 0; j < run->problem->m; j++)
            w->q[j] = w->penalty[j] * w->zn.x[j];
        w->size_z = adjoint_norm(run, w, w->q);
    }
    return w->size_z;
}

static void measure(cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    double r = 0.0, x = 0.0, y = 0.0, e = 0.0;
    for (int j = 0; j < p->m; j++) {
        double next = w->yn.x[j], miss = w->a[j] - next, image = w->a[j] - (w->dual ? 0.0 : w->shift.x[j]);
        double dz = w->zn.x[j] - w->zh.x[j], dy = next - w->yh.x[j];
        r += miss * miss;
        x += image * image;
        y += next * next;
        e += w->penalty[j] * (dz * dz + dy * dy);
        w->q[j] = w->penalty[j] * (next - w->y.x[j]);
    }
    w->r = sqrt(r);
    w->s = adjoint_norm(run, w, w->q);
    w->size_x = sqrt(x);
    w->size_y = sqrt(y);
    w->size_z = NAN;
    w->e = e;
}

static cairn_status general_step(cairn_run *run, cairn_primal_admm *w) {
    cairn_status status = solve(run, w);
    for (int j = 0; j < run->problem->m; j++)
        w->x[j] = w->a[j] + w->zh.x[j];
    split(run, w, w->yn.x, w->zn.x);
    measure(run, w);
    return status;
}

/* One iteration by contact_simd.c: right-hand side, momentum residuals and D z follow from
 * velocity vectors. */
static cairn_status fast_step(cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    cairn_primal_admm_right_hand_side(run, w);
    int before = cairn_kkt_solves(w->kkt);
    memcpy(w->v, w->rhs, (size_t)p->n * sizeof *w->v);
    cairn_kkt_solve_bodies(w->kkt, w->v);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    cairn_contact_step step = {w->v,    w->shift.x, w->y.x, w->z.x, w->momentum, w->yn.x,
                               w->zn.x, w->yn.D,    NULL,   NULL,   NULL};
    if (w->keeps) {
        step.a = w->a;
        step.yh = w->hat_y.x;
        step.zh = w->hat_z.x;
        w->yh = w->hat_y;
        w->zh = w->hat_z;
    }
    cairn_contact_sums sums = cairn_contact_simd_sweep(p, &w->contacts, &step);
    w->r = sqrt(sums.r);
    w->size_x = sqrt(sums.x);
    w->size_y = sqrt(sums.y);
    w->e = w->rho * sums.e;
    cairn_primal_admm_velocity_norms(run, w);
    if (!isfinite(w->r) || !isfinite(w->s))
        return cairn_fail(run->context, CAIRN_ERROR_NUMERICAL, "the solve gave a number that is not finite");
    return CAIRN_OK;
}

cairn_status cairn_primal_admm_step(cairn_run *run, cairn_primal_admm *w) {
    cairn_status status = factor(run, w);
    if (status != CAIRN_OK)
        return status;
    w->count++;
    status = w->fast ? fast_step(run, w) : general_step(run, w);
    run->primal = w->r;
    run->dual = w->s;
    run->rho = w->rho;
    return status;
}

const double *cairn_primal_admm_candidate(const cairn_run *run, cairn_primal_admm *w) {
    if (w->fast) {
        cairn_contact_simd_from_lanes(run->problem, &w->contacts, w->zn.x, w->gamma);
        for (int j = 0; j < run->problem->m; j++)
            w->gamma[j] *= -w->rho;
        cairn_run_project(run, false, w->gamma, w->gamma);
    } else if (w->dual) {
        memcpy(w->gamma, w->yn.x, (size_t)run->problem->m * sizeof *w->gamma);
    }
    return w->gamma;
}

void cairn_primal_admm_slip(const cairn_run *run, const cairn_primal_admm *w, double *u) {
    int m = run->problem->m;
    if (w->fast)
        cairn_contact_simd_from_lanes(run->problem, &w->contacts, w->a, u);
    else if (w->dual)
        for (int j = 0; j < m; j++)
            u[j] = w->penalty[j] * (w->yh.x[j] - w->zh.x[j] - w->a[j]);
    else
        memcpy(u, w->a, (size_t)m * sizeof *u);
    for (int j = 0; j < m; j++)
        u[j] -= w->term.phi[j];
}

bool cairn_primal_admm_own_stop(const cairn_run *run, cairn_primal_admm *w) {
    const cairn_settings *settings = run->settings;
    int rows = w->dual ? run->problem->m : run->problem->n;
    double size = fmax(w->size_x, fmax(w->size_y, w->size_c));
    if (!(w->r <= sqrt((double)run->problem->m) * settings->eps_abs + settings->eps_rel * size))
        return false;
    return w->s <= sqrt((double)rows) * settings->eps_abs + settings->eps_rel * cairn_primal_admm_size_z(run, w);
}

/* hat = next + momentum (next - old). */
CAIRN_CLONES static void extrapolate(int count, double momentum, const double *restrict next,
                                     const double *restrict old, double *restrict hat) {
    for (int j = 0; j < count; j++)
        hat[j] = next[j] + momentum * (next[j] - old[j]);
}

void cairn_primal_admm_advance(const cairn_run *run, cairn_primal_admm *w) {
    double eta = run->settings->restart;
    bool go_on = w->relaxed;
    if (w->restarts) {
        go_on = w->e < eta * w->combined;
        w->combined = go_on ? w->e : w->combined / eta;
    }
    double alpha = go_on ? 0.5 * (1.0 + sqrt(1.0 + 4.0 * w->alpha * w->alpha)) : 1.0;
    w->momentum = go_on ? (w->alpha - 1.0) / alpha : 0.0;
    if (go_on && !w->fast) { /* the fast path does it in the next sweep */
        extrapolate(w->rows, w->momentum, w->yn.x, w->y.x, w->hat_y.x);
        extrapolate(w->rows, w->momentum, w->zn.x, w->z.x, w->hat_z.x);
    }
    cairn_primal_admm_pair y = w->y, z = w->z;
    w->alpha = alpha;
    w->y = w->yn;
    w->z = w->zn;
    w->yn = y;
    w->zn = z;
    w->yh = go_on ? w->hat_y : w->y;
    w->zh = go_on ? w->hat_z : w->z;
}
