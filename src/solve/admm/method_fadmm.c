/*
 * method_fadmm.c: fadmm and pfadmm, [T21 Algorithm 3] as corrected in [theory 2].
 *
 *     z = P(gamma^ + Theta^-1 y^);  solve (47a) with z and y^ for gamma;  y = y^ + Theta (gamma - z)
 *     r = |y - y^|^2 in Theta^-1 + |gamma - gamma^|^2 in Theta
 *     r < eps_r r_old:  a+ = (1 + sqrt(1 + 4 a^2))/2;  gamma^ = gamma + (a - 1)/a+ (gamma - gamma_prev);  y^ likewise
 *     else:             a = 1, gamma^ = gamma, y^ = y, r = r_old/eps_r
 *
 * Residuals: primal gamma - z, dual Theta (gamma - gamma^). The penalty is fixed in the paper; a
 * step policy is an option, and a change of the penalty restarts the acceleration. The candidate is
 * z. extra[0], extra[1]: gamma^, y^; extra[2], extra[3]: gamma, y of the iteration before.
 */
#include "solve/admm/admm.h"

#include <math.h>
#include <string.h>

#define PROOF_EVERY 50

typedef struct nesterov {
    double a;    /* momentum counter */
    double last; /* combined residual */
} nesterov;

static cairn_status iterate(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    double *gamma_hat = w->extra[0], *y_hat = w->extra[1];
    for (int j = 0; j < m; j++)
        w->x[j] = gamma_hat[j] + y_hat[j] / w->theta[j];
    memcpy(w->step, w->z, (size_t)m * sizeof *w->z);
    cairn_run_project(run, w->resolvent, w->x, w->z);
    cairn_status status = cairn_admm_solve(run, w, w->z, y_hat);
    for (int j = 0; j < m; j++) {
        w->rp[j] = w->gamma[j] - w->z[j];
        w->rd[j] = w->theta[j] * (w->gamma[j] - gamma_hat[j]);
        w->y[j] = y_hat[j] + w->theta[j] * w->rp[j];
        w->step[j] = w->z[j] - w->step[j];
    }
    run->primal = cairn_norm_max(m, w->rp);
    run->dual = cairn_norm_max(m, w->rd);
    return status;
}

/* gamma^ and y^ for the next iteration. */
static void extrapolate(cairn_run *run, cairn_admm *w, nesterov *state) {
    int m = run->problem->m;
    size_t bytes = (size_t)m * sizeof(double);
    double combined = 0.0;
    for (int j = 0; j < m; j++)
        combined += w->theta[j] * w->rp[j] * w->rp[j] + w->rd[j] * w->rd[j] / w->theta[j];
    if (combined < run->settings->restart * state->last) {
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * state->a * state->a)), f = (state->a - 1.0) / next;
        for (int j = 0; j < m; j++) {
            w->extra[0][j] = w->gamma[j] + f * (w->gamma[j] - w->extra[2][j]);
            w->extra[1][j] = w->y[j] + f * (w->y[j] - w->extra[3][j]);
        }
        state->a = next;
        state->last = combined;
    } else {
        memcpy(w->extra[0], w->gamma, bytes);
        memcpy(w->extra[1], w->y, bytes);
        state->a = 1.0;
        state->last /= run->settings->restart;
    }
    memcpy(w->extra[2], w->gamma, bytes);
    memcpy(w->extra[3], w->y, bytes);
}

static cairn_status change_penalty(cairn_run *run, cairn_admm *w, nesterov *state) {
    double factor = cairn_step_factor(run, w, w->z, w->y);
    if (factor == 1.0)
        return CAIRN_OK;
    memcpy(w->extra[0], w->gamma, (size_t)run->problem->m * sizeof(double));
    memcpy(w->extra[1], w->y, (size_t)run->problem->m * sizeof(double));
    *state = (nesterov){1.0, INFINITY};
    return cairn_admm_change(run, w, factor);
}

static cairn_status run_fadmm(cairn_run *run, void *workspace) {
    cairn_admm *w = workspace;
    size_t bytes = (size_t)run->problem->m * sizeof(double);
    nesterov state = {1.0, INFINITY};
    if (cairn_admm_begin(run, w) != CAIRN_OK)
        return cairn_run_broken(run, cairn_error_message(run->context));
    if (run->guess != NULL && cairn_run_test(run, w->z))
        return CAIRN_OK;
    memcpy(w->extra[0], w->z, bytes);
    memcpy(w->extra[1], w->y, bytes);
    memcpy(w->extra[2], w->z, bytes);
    memcpy(w->extra[3], w->y, bytes);
    for (;;) {
        if (iterate(run, w) != CAIRN_OK)
            return cairn_run_broken(run, cairn_error_message(run->context));
        bool own_stop = cairn_admm_own_stop(run, w, w->z, w->y);
        bool test = own_stop || w->only_joints || (run->iterations + 1) % run->settings->test_every == 0;
        w->outer_due = test && !cairn_run_test(run, w->z) &&
                       run->primal + run->dual <= 0.1 * run->last_map * cairn_norm_max(run->problem->m, w->z);
        if (!cairn_run_tick(run, w->z, test))
            return CAIRN_OK;
        if (own_stop) {
            run->outcome = CAIRN_STALLED;
            strcpy(run->note, "stopped at its own tolerances; the certificate asks for more");
            return CAIRN_OK;
        }
        if (run->iterations % PROOF_EVERY == 0 && cairn_run_infeasible(run, w->step, w->q))
            return CAIRN_OK;
        cairn_admm_coulomb(run, w);
        extrapolate(run, w, &state);
        if (change_penalty(run, w, &state) != CAIRN_OK)
            return cairn_run_broken(run, cairn_error_message(run->context));
    }
}

static cairn_status prepare_plain(cairn_run *run, void **workspace) {
    return cairn_admm_prepare(run, false, NULL, workspace);
}

static cairn_status prepare_scaled(cairn_run *run, void **workspace) {
    return cairn_admm_prepare(run, true, NULL, workspace);
}

#define FADMM_OPTIONS \
    "test_every rho rho_bilateral step_policy step_every step_grow step_clamp step_ignore step_root step_max " \
    "restart coulomb eps_primal " \
    "eps_dual eps_relative carry_rho warm_velocity"

const cairn_method cairn_method_fadmm = {
    .name = "fadmm",
    .summary = "admm with Nesterov's acceleration and restart",
    .paper = "[T21] Algorithm 3, corrected",
    .accepts = "every problem",
    .options = FADMM_OPTIONS,
    .defaults = "rho=0.05 step_policy=fixed carry_rho=on",
    .prepare = prepare_plain,
    .run = run_fadmm,
    .release = cairn_admm_release,
};

const cairn_method cairn_method_pfadmm = {
    .name = "pfadmm",
    .summary = "fadmm with the penalty scaled to each contact's effective mass",
    .paper = "[T21] Algorithm 3 with 6.1",
    .accepts = "every problem",
    .options = FADMM_OPTIONS,
    .defaults = "rho=0.05 step_policy=fixed",
    .prepare = prepare_scaled,
    .run = run_fadmm,
    .release = cairn_admm_release,
};
