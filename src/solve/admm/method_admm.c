/*
 * method_admm.c: admm and padmm, [T21 Algorithm 1] with the metric of (44), or preconditioned as in
 * (47).
 *
 *     [ H    D          ] [  v     ]   [ k                     ]
 *     [ D'  -Theta - C  ] [ -gamma ] = [ -b + Theta z - y      ]                                        (47a)
 *     z <- P(gamma + Theta^-1 y),   y <- y + Theta (gamma - z)                                  (47b), (47c)
 *
 * The state is x = gamma + Theta^-1 y, so that z = P(x), y = Theta (x - z), and one iteration is
 * x <- x + alpha (gamma - z) with over-relaxation alpha (alpha = 1: the paper). Anderson
 * acceleration works on x. Residuals: primal gamma - z (here x - z minus the same before, which is
 * that for alpha = 1), dual Theta (z - z_old).
 *
 * Differences from the paper: the candidate answer is z, which is in its set, with v = H^-1(k + D
 * z); the certificate decides when to stop, the paper's two tolerances are settings; padmm
 * over-relaxes (relaxation=1 is the paper) and lets changes of rho die out (step_grow=1 is the
 * paper), which more than halves the iterations on the box stacks; exact Coulomb friction; without
 * unilateral blocks z = gamma and iteration goes on with one factorisation. Rigid bodies in contact
 * have loops of their own (rigid_admm_fma.c).
 */
#include "solve/admm/rigid/rigid_admm.h"

#include <math.h>
#include <string.h>

#define PROOF_EVERY 50 /* iterations between two attempts to prove infeasibility */

/* One iteration from x: leaves zn, yn, the residuals and the fixed-point step. */
static cairn_status iterate(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    cairn_run_project(run, w->resolvent, w->x, w->z);
    for (int j = 0; j < m; j++)
        w->y[j] = w->theta[j] * (w->x[j] - w->z[j]);
    cairn_status status = cairn_admm_solve(run, w, w->z, w->y);
    if (status != CAIRN_OK)
        return status;
    for (int j = 0; j < m; j++) {
        w->step[j] = w->relax[j] * (w->gamma[j] - w->z[j]);
        w->q[j] = w->x[j] + w->step[j];
    }
    cairn_run_project(run, w->resolvent, w->q, w->zn);
    for (int j = 0; j < m; j++) {
        double slack = w->q[j] - w->zn[j];
        w->yn[j] = w->theta[j] * slack;
        w->rp[j] = slack - (w->x[j] - w->z[j]);
        w->rd[j] = w->theta[j] * (w->zn[j] - w->z[j]);
    }
    run->primal = cairn_norm_max(m, w->rp);
    run->dual = cairn_norm_max(m, w->rd);
    return CAIRN_OK;
}

/* Moves x: to the plain or accelerated point, or to (zn, yn) in a new metric. */
static cairn_status advance(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    double factor = cairn_step_factor(run, w, w->zn, w->yn);
    if (factor != 1.0) {
        cairn_status status = cairn_admm_change(run, w, factor);
        for (int j = 0; j < m; j++)
            w->x[j] = w->zn[j] + w->yn[j] / w->theta[j];
        return status;
    }
    if (run->settings->anderson > 0)
        cairn_anderson_step(&w->anderson, w->theta, w->x, w->step);
    else
        memcpy(w->x, w->q, (size_t)m * sizeof *w->x);
    return CAIRN_OK;
}

/* Is the convex problem with Phi frozen solved to a tenth of what the exact law still misses? */
static bool inner_solved(const cairn_run *run, const cairn_admm *w) {
    double primal = 0.0, dual = 0.0, impulse = 0.0, slip = 0.0;
    for (int j = 0; j < run->problem->m; j++) {
        double n = run->row_scale[j];
        primal += n * w->rp[j] * w->rp[j];
        dual += w->rd[j] * w->rd[j] / n;
        impulse += n * w->zn[j] * w->zn[j];
        slip += run->free_slip[j] * run->free_slip[j] / n;
    }
    double goal = 0.1 * run->last_map * sqrt(fmax(impulse, slip));
    return sqrt(primal) <= goal && sqrt(dual) <= goal;
}

/* Attempts to prove infeasibility from the direction in which z drifts. Leaves rd and step as
 * they were. */
static bool proven_infeasible(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    for (int j = 0; j < m; j++)
        w->rd[j] /= w->theta[j];
    if (cairn_run_infeasible(run, w->rd, w->step))
        return true;
    for (int j = 0; j < m; j++) {
        w->rd[j] *= w->theta[j];
        w->step[j] = w->q[j] - w->x[j];
    }
    return false;
}

static bool broken(cairn_run *run) {
    cairn_run_broken(run, cairn_error_message(run->context));
    return true;
}

bool cairn_admm_run(cairn_run *run, cairn_admm *w, int limit) {
    const cairn_settings *settings = run->settings;
    if (cairn_admm_begin(run, w) != CAIRN_OK)
        return broken(run);
    if (run->guess != NULL && cairn_run_test(run, w->z))
        return true;
    if (w->lanes != NULL && cairn_rigid_admm_serve(run))
        return cairn_rigid_admm_run(run, w, limit);
    for (int count = 1;; count++) {
        if (iterate(run, w) != CAIRN_OK)
            return broken(run);
        bool own_stop = cairn_admm_own_stop(run, w, w->zn, w->yn);
        bool test = own_stop || w->only_joints || (run->iterations + 1) % settings->test_every == 0;
        if (test && !cairn_run_test(run, w->zn))
            w->outer_due = inner_solved(run, w);
        if (!cairn_run_tick(run, w->zn, test))
            return true;
        if (own_stop) {
            run->outcome = CAIRN_STALLED;
            strcpy(run->note, "stopped at its own tolerances; the certificate asks for more");
            return true;
        }
        if (run->iterations % PROOF_EVERY == 0 && proven_infeasible(run, w))
            return true;
        if (count == limit)
            return false;
        cairn_admm_coulomb(run, w);
        if (advance(run, w) != CAIRN_OK)
            return broken(run);
    }
}

static cairn_status run_admm(cairn_run *run, void *workspace) {
    cairn_admm_run(run, workspace, 0);
    return CAIRN_OK;
}

static cairn_status prepare_plain(cairn_run *run, void **workspace) {
    return cairn_admm_prepare(run, false, NULL, workspace);
}

static cairn_status prepare_scaled(cairn_run *run, void **workspace) {
    return cairn_admm_prepare(run, true, NULL, workspace);
}

#define ADMM_OPTIONS \
    "test_every rho rho_bilateral step_policy step_every step_grow step_clamp step_ignore step_root step_max " \
    "relaxation anderson coulomb " \
    "eps_primal eps_dual eps_relative carry_rho warm_velocity"

const cairn_method cairn_method_admm = {
    .name = "admm",
    .summary = "alternating directions on impulses, one penalty for all contacts",
    .paper = "[T21] Algorithm 1, (36)-(38), (44)",
    .accepts = "every problem",
    .options = ADMM_OPTIONS,
    .defaults = "carry_rho=on step_root=on",
    .prepare = prepare_plain,
    .run = run_admm,
    .release = cairn_admm_release,
};

const cairn_method cairn_method_padmm = {
    .name = "padmm",
    .summary = "alternating directions with the penalty scaled to each contact's effective mass",
    .paper = "[T21] 6.1, (47a)-(47c)",
    .accepts = "every problem",
    .options = ADMM_OPTIONS,
    .defaults = "relaxation=1.6 step_grow=1.2",
    .prepare = prepare_scaled,
    .run = run_admm,
    .release = cairn_admm_release,
};
