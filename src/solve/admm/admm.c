/*
 * admm.c: workspace, metric, Coulomb term, warm start and linear solve of the ADMM family
 * [T21 4 to 6].
 *
 *     Theta = diag(rho base_j), base = 1 (admm, fadmm) or n_i (padmm, pfadmm: [T21 (47)], S^-2 = n_i);
 *     bilateral rows: rho_b n_i [T21 (44)], with n_i so that units do not matter.
 *
 * Exact Coulomb friction [theory 2]: resolvent (the law inside the projection), inside (b +
 * Phi(u^k) with u of the last solve, which is Theta (z - gamma) - y - Phi without a product), or
 * outer (Phi frozen until the convex problem is solved to a tenth of the exact law's residual).
 */
#include "solve/admm/admm.h"

#include "solve/admm/rigid/rigid_admm.h"

#include <math.h>
#include <string.h>

static void layout(cairn_admm *w, const cairn_problem *problem, const cairn_settings *settings) {
    size_t m = (size_t)problem->m;
    double **of_m[] = {&w->base,   &w->relax,    &w->theta,    &w->x,        &w->z,       &w->y,
                       &w->zn,     &w->yn,       &w->gamma,    &w->q,        &w->phi,     &w->u,
                       &w->rp,     &w->rd,       &w->step,     &w->old[0],   &w->old[1],  &w->old[2],
                       &w->old[3], &w->extra[0], &w->extra[1], &w->extra[2], &w->extra[3]};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(&w->arena, m, sizeof(double));
    w->v = cairn_arena_take(&w->arena, (size_t)problem->n, sizeof(double));
    cairn_anderson_layout(&w->anderson, &w->arena, settings->anderson, problem->m);
}

cairn_status cairn_admm_prepare(cairn_run *run, bool preconditioned, cairn_kkt *kkt, void **workspace) {
    cairn_admm *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->preconditioned = preconditioned;
    w->kkt = kkt;
    w->shared_kkt = kkt != NULL;
    layout(w, run->problem, run->settings);
    cairn_status status = cairn_arena_reserve_raw(run->context, &w->arena);
    if (status == CAIRN_OK) {
        layout(w, run->problem, run->settings);
        status = kkt != NULL ? CAIRN_OK : cairn_kkt_create_kept(run->problem, false, run->cache, &w->kkt);
    }
    if (status == CAIRN_OK && preconditioned && cairn_kkt_is_symmetric(w->kkt) && cairn_rigid_admm_fit(run))
        status = cairn_rigid_admm_create(run, w->kkt, &w->lanes);
    if (status != CAIRN_OK) {
        cairn_admm_release(run->context, w);
        return status;
    }
    const cairn_problem *p = run->problem;
    w->only_joints = true;
    for (int i = 0; i < p->blocks; i++) {
        bool joint = p->block[i].set == CAIRN_SET_BILATERAL;
        w->only_joints = w->only_joints && joint;
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            w->base[j] = preconditioned ? run->row_scale[j] : 1.0;
            w->relax[j] = joint ? 1.0 : run->settings->relaxation;
        }
    }
    *workspace = w;
    return CAIRN_OK;
}

void cairn_admm_release(cairn_context *context, void *workspace) {
    cairn_admm *w = workspace;
    cairn_rigid_admm_destroy(w->lanes);
    if (!w->shared_kkt)
        cairn_kkt_destroy(w->kkt);
    cairn_arena_free(context, &w->arena);
    cairn_arena_free(context, &w->graded);
    cairn_free(context, w);
}

static cairn_status set_theta(cairn_run *run, cairn_admm *w) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->theta[j] = p->block[i].set == CAIRN_SET_BILATERAL ? run->settings->rho_bilateral * run->row_scale[j]
                                                                 : w->rho * w->base[j];
    run->rho = w->rho;
    return cairn_run_factor(run, w->kkt, NULL, w->theta);
}

cairn_status cairn_admm_change(cairn_run *run, cairn_admm *w, double factor) {
    w->rho *= factor;
    w->changes++;
    cairn_anderson_reset(&w->anderson);
    return set_theta(run, w);
}

cairn_status cairn_admm_begin(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    size_t bytes = (size_t)m * sizeof(double);
    const cairn_settings *settings = run->settings;
    w->resolvent = run->problem->law == CAIRN_LAW_COULOMB && settings->coulomb == CAIRN_COULOMB_RESOLVENT;
    w->rho = run->guess_rho > 0.0 ? run->guess_rho : settings->rho;
    w->changes = 0;
    w->interval = settings->step_every;
    w->next_look = settings->step_every;
    w->have_old = w->outer_due = false;
    cairn_anderson_reset(&w->anderson);
    cairn_status status = set_theta(run, w);
    memset(w->phi, 0, bytes);
    memset(w->z, 0, bytes);
    memset(w->y, 0, bytes);
    if (run->guess != NULL) { /* [T21 Algorithm 2] */
        cairn_run_project(run, false, run->guess, w->z);
        if (settings->warm_velocity && run->guess_v != NULL)
            memcpy(w->v, run->guess_v, (size_t)run->problem->n * sizeof *w->v);
        else
            cairn_operator_velocity(run->op, w->z, w->v);
        cairn_operator_slip(run->op, w->v, w->z, w->u);
        cairn_run_phi(run, w->u, w->phi);
        for (int j = 0; j < m; j++)
            w->y[j] = -(w->u[j] + (w->resolvent ? 0.0 : w->phi[j]));
        if (w->resolvent)
            memset(w->phi, 0, bytes);
    }
    for (int j = 0; j < m; j++)
        w->x[j] = w->z[j] + w->y[j] / w->theta[j];
    return status;
}

cairn_status cairn_admm_solve(cairn_run *run, cairn_admm *w, const double *z, const double *y) {
    const cairn_problem *p = run->problem;
    for (int j = 0; j < p->m; j++)
        w->q[j] = w->theta[j] * z[j] - y[j] - p->b[j] - w->phi[j];
    int before = cairn_kkt_solves(w->kkt);
    cairn_status status = cairn_kkt_solve(w->kkt, p->k, w->q, w->v, w->gamma);
    run->solves += cairn_kkt_solves(w->kkt) - before;
    for (int j = 0; j < p->m; j++)
        w->u[j] = w->theta[j] * (z[j] - w->gamma[j]) - y[j] - w->phi[j];
    return status;
}

void cairn_admm_coulomb(cairn_run *run, cairn_admm *w) {
    if (run->problem->law != CAIRN_LAW_COULOMB || w->resolvent)
        return;
    if (run->settings->coulomb == CAIRN_COULOMB_INSIDE) {
        cairn_run_phi(run, w->u, w->phi);
    } else if (w->outer_due) {
        cairn_run_phi(run, run->u, w->phi);
        w->outer_due = false;
    }
}

bool cairn_admm_own_stop(const cairn_run *run, const cairn_admm *w, const double *z, const double *y) {
    const cairn_settings *s = run->settings;
    if (s->eps_primal == 0.0 && s->eps_dual == 0.0 && s->eps_relative == 0.0)
        return false;
    int m = run->problem->m;
    double impulse = fmax(cairn_norm_max(m, z), cairn_norm_max(m, w->gamma)), slip = cairn_norm_max(m, y);
    return run->primal <= s->eps_primal + s->eps_relative * impulse &&
           run->dual <= s->eps_dual + s->eps_relative * slip;
}
