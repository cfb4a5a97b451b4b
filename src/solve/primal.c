/*
 * primal.c: the half steps of primal-admm in its two forms, relaxation and restart.
 *
 *     primal [AKM (25), (27), (24)]                              dual [AKM (74), (76), (73)]
 *     a = D'v + C gamma + b + Phi(s)                             a = r
 *     H v - D gamma = k,  a = y^ - z^ - gamma/rho                (N + rho) r = -(r^ + Phi(s)) + rho (y^ - z^)
 *     gamma = P(-rho (a + z^)),  y = a + z^ + gamma/rho          y = P(a + z^)
 *     z = a + z^ - y                                             z = a + z^ - y
 *
 * Both linear systems are the saddle-point system of kkt.h, with Theta = 1/rho or rho; N is never formed. Eliminating gamma from the
 * primal one gives (H + rho D D') v = k + rho D (y^ - b - Phi - z^), which is (25) with the sign of k corrected [theory 3].
 * y = P_{K*}(a + z^) by Moreau; written with P it serves every convex set, and gamma = -rho z is in its set. A compliant row is one more
 * velocity C^(1/2) gamma of unit mass: it adds C to Theta and rows C^(1/2) to A'. Bilateral rows have y = 0 (primal) or z = 0 (dual)
 * and a penalty of their own, which makes them all but exact.
 */
#include "primal.h"

#include "penalty_rule.h"

#include <math.h>
#include <string.h>

static void layout(cairn_primal *w, const cairn_problem *problem) {
    size_t m = (size_t)problem->m, n = (size_t)problem->n;
    double **of_m[] = {&w->penalty, &w->theta, &w->y,     &w->z, &w->yn,     &w->zn,     &w->hat_y,  &w->hat_z,
                       &w->a,       &w->x,     &w->gamma, &w->q, &w->old[0], &w->old[1], &w->old[2], &w->old[3]};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(&w->arena, m, sizeof(double));
    w->v = cairn_arena_take(&w->arena, n, sizeof(double));
    w->w = cairn_arena_take(&w->arena, n, sizeof(double));
    cairn_slip_term_layout(&w->term, &w->arena, problem);
}

cairn_status cairn_primal_prepare(cairn_run *run, void **workspace) {
    const cairn_settings *settings = run->settings;
    const cairn_problem *p = run->problem;
    cairn_primal *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->dual = settings->form == CAIRN_FORM_DUAL;
    w->policy = (cairn_penalty_policy)((int)settings->variant / 3);
    w->relaxed = (int)settings->variant % 3 > 0;
    w->restarts = (int)settings->variant % 3 == 2;
    w->only_joints = true;
    for (int i = 0; i < p->blocks; i++)
        w->only_joints = w->only_joints && p->block[i].set == CAIRN_SET_BILATERAL;
    layout(w, p);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK) {
        layout(w, p);
        status = cairn_growth_create(run->context, p->m, &w->growth);
    }
    if (status == CAIRN_OK)
        status = cairn_kkt_create(p, false, &w->kkt);
    if (status == CAIRN_OK)
        status = cairn_penalty_value(run, settings->rho0, &w->first);
    if (status != CAIRN_OK) {
        cairn_primal_release(run->context, w);
        return status;
    }
    if (w->dual && settings->rho0 != CAIRN_PENALTY_NUMBER)
        w->first = 1.0 / w->first; /* the rules are for the primal form [theory 3] */
    *workspace = w;
    return CAIRN_OK;
}

void cairn_primal_release(cairn_context *context, void *workspace) {
    cairn_primal *w = workspace;
    cairn_kkt_destroy(w->kkt);
    cairn_growth_free(context, &w->growth);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void set_penalty(const cairn_run *run, cairn_primal *w) {
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

void cairn_primal_change(cairn_run *run, cairn_primal *w, double rho) {
    int m = run->problem->m;
    memcpy(w->x, w->penalty, (size_t)m * sizeof *w->x);
    w->rho = rho;
    set_penalty(run, w);
    for (int j = 0; j < m; j++) {
        double scale = w->x[j] / w->penalty[j];
        w->z[j] *= scale;
        w->hat_z[j] *= scale;
    }
}

/* y, z from the argument x = a + z^ [AKM (27), (76)]; x is destroyed. */
static void split(const cairn_run *run, cairn_primal *w, double *y, double *z) {
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

void cairn_primal_still(cairn_primal *w) {
    w->alpha = 1.0;
    w->combined = INFINITY;
    w->yh = w->y;
    w->zh = w->z;
}

void cairn_primal_begin(cairn_run *run, cairn_primal *w) {
    int m = run->problem->m;
    size_t bytes = (size_t)m * sizeof(double);
    cairn_slip_term_begin(run, &w->term);
    w->count = 0;
    w->rho = run->guess_rho > 0.0 ? run->guess_rho : w->first;
    w->have_old = false;
    set_penalty(run, w);
    memset(w->y, 0, bytes);
    memset(w->z, 0, bytes);
    memset(w->hat_z, 0, bytes);
    memset(w->gamma, 0, bytes);
    memset(w->yn, 0, bytes);
    if (run->guess != NULL) {
        cairn_run_project(run, false, run->guess, w->gamma);
        cairn_operator_velocity(run->op, w->gamma, w->v);
        cairn_operator_slip(run->op, w->v, w->gamma, w->a);
        if (run->settings->s_update != CAIRN_S_NONE)
            cairn_run_phi(run, w->a, w->term.phi);
        for (int j = 0; j < m; j++) {
            double slip = w->a[j] + w->term.phi[j];
            w->x[j] = w->dual ? w->gamma[j] - slip / w->penalty[j] : slip - w->gamma[j] / w->penalty[j];
        }
        split(run, w, w->y, w->z);
    }
    cairn_primal_still(w);
    cairn_growth_begin(&w->growth, run, cairn_primal_candidate(w));
}

/* The x-step: a from y^ and z^. */
static cairn_status solve(cairn_run *run, cairn_primal *w) {
    const cairn_problem *p = run->problem;
    if (w->stale) {
        run->factorizations++;
        cairn_status status = cairn_kkt_factor(w->kkt, w->theta);
        if (status != CAIRN_OK)
            return status;
        w->stale = false;
    }
    for (int j = 0; j < p->m; j++)
        w->q[j] = (w->dual ? w->penalty[j] : 1.0) * (w->yh[j] - w->zh[j]) - p->b[j] - w->term.phi[j];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve(w->kkt, p->k, w->q, w->v, w->gamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    for (int j = 0; j < p->m; j++)
        w->a[j] = w->dual ? w->gamma[j] : w->yh[j] - w->zh[j] - w->theta[j] * w->gamma[j];
    return status;
}

/* |A't|: t itself in the dual form, [D t; C^(1/2) t] in the primal one. */
static double adjoint_norm(const cairn_run *run, cairn_primal *w, const double *t) {
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

double cairn_primal_size_z(const cairn_run *run, cairn_primal *w) {
    if (isnan(w->size_z)) {
        for (int j = 0; j < run->problem->m; j++)
            w->q[j] = w->penalty[j] * w->zn[j];
        w->size_z = adjoint_norm(run, w, w->q);
    }
    return w->size_z;
}

static void measure(cairn_run *run, cairn_primal *w) {
    const cairn_problem *p = run->problem;
    double r = 0.0, x = 0.0, y = 0.0, c = 0.0;
    for (int j = 0; j < p->m; j++) {
        double miss = w->a[j] - w->yn[j], shift = w->dual ? 0.0 : p->b[j] + w->term.phi[j], image = w->a[j] - shift;
        r += miss * miss;
        x += image * image;
        y += w->yn[j] * w->yn[j];
        c += shift * shift;
        w->q[j] = w->penalty[j] * (w->yn[j] - w->y[j]);
    }
    w->r = run->primal = sqrt(r);
    w->s = run->dual = adjoint_norm(run, w, w->q);
    w->size_x = sqrt(x);
    w->size_y = sqrt(y);
    w->size_c = sqrt(c);
    w->size_z = NAN;
}

cairn_status cairn_primal_step(cairn_run *run, cairn_primal *w) {
    cairn_status status = solve(run, w);
    for (int j = 0; j < run->problem->m; j++)
        w->x[j] = w->a[j] + w->zh[j];
    split(run, w, w->yn, w->zn);
    measure(run, w);
    run->rho = w->rho;
    w->count++;
    return status;
}

const double *cairn_primal_candidate(const cairn_primal *w) {
    return w->dual ? w->yn : w->gamma;
}

void cairn_primal_slip(const cairn_run *run, const cairn_primal *w, double *u) {
    for (int j = 0; j < run->problem->m; j++)
        u[j] = (w->dual ? w->penalty[j] * (w->yh[j] - w->zh[j] - w->a[j]) : w->a[j]) - w->term.phi[j];
}

bool cairn_primal_own_stop(const cairn_run *run, cairn_primal *w) {
    const cairn_settings *settings = run->settings;
    int rows = w->dual ? run->problem->m : run->problem->n;
    double size = fmax(w->size_x, fmax(w->size_y, w->size_c));
    if (!(w->r <= sqrt((double)run->problem->m) * settings->eps_abs + settings->eps_rel * size))
        return false;
    return w->s <= sqrt((double)rows) * settings->eps_abs + settings->eps_rel * cairn_primal_size_z(run, w);
}

/* e_k of (51). */
static double combined_residual(const cairn_run *run, const cairn_primal *w) {
    double sum = 0.0;
    for (int j = 0; j < run->problem->m; j++) {
        double dz = w->zn[j] - w->zh[j], dy = w->yn[j] - w->yh[j];
        sum += w->penalty[j] * (dz * dz + dy * dy);
    }
    return sum;
}

void cairn_primal_advance(const cairn_run *run, cairn_primal *w) {
    double *y = w->y, *z = w->z, eta = run->settings->restart;
    bool extrapolate = w->relaxed;
    if (w->restarts) {
        double e = combined_residual(run, w);
        extrapolate = e < eta * w->combined;
        w->combined = extrapolate ? e : w->combined / eta;
    }
    double alpha = extrapolate ? 0.5 * (1.0 + sqrt(1.0 + 4.0 * w->alpha * w->alpha)) : 1.0;
    double momentum = (w->alpha - 1.0) / alpha;
    for (int j = 0; extrapolate && j < run->problem->m; j++) {
        w->hat_y[j] = w->yn[j] + momentum * (w->yn[j] - y[j]);
        w->hat_z[j] = w->zn[j] + momentum * (w->zn[j] - z[j]);
    }
    w->alpha = alpha;
    w->y = w->yn;
    w->z = w->zn;
    w->yn = y;
    w->zn = z;
    w->yh = extrapolate ? w->hat_y : w->y;
    w->zh = extrapolate ? w->hat_z : w->z;
}
