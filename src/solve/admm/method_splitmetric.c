/*
 * method_splitmetric.c: over-relaxed ADMM with a metric for each contact and direction, chosen by
 * its state. [T21 (44)] asks for penalties by constraint but cannot know the active set; here it
 * is read off the iterate every step_every iterations:
 *
 *     Theta_i = rho n_i diag(l_N, l_T, l_T);   open (z = 0): l_N = l_T = 10;   stick (x = z): .1;
 *         slide: l_N = .1, l_T = 1
 *
 * The iteration is that of [T21 (47)] on the state x (see method_admm.c). Projection in the metric:
 * Coulomb's resolvent does not feel it; the associated cone is projected in the coordinates
 * Theta^(1/2) x, with friction mu sqrt(theta_T/theta_N). rho follows the ratio of relative
 * residuals in the 2-norm. A change of rho or of any state means a new factorisation; for few
 * digits that pays: half the solves of padmm.
 */
#include "solve/admm/admm.h"

#include <math.h>
#include <string.h>

#define OPEN        10.0
#define STICK       0.1
#define PROOF_EVERY 50  /* iterations between two attempts to prove infeasibility */
#define SLIDE       1.0 /* tangential, of a sliding contact */

/* The factors l live in the workspace of the accelerated methods. */
static double *factors(cairn_admm *w) {
    return w->extra[0];
}

void cairn_admm_project(const cairn_run *run, const cairn_admm *w, const double *x, double *z) {
    const cairn_problem *p = run->problem;
    cairn_run_project(run, w->resolvent, x, z);
    for (int r = 0; !w->resolvent && r < run->run_count; r++) {
        const cairn_set_run *set = &run->runs[r];
        if (set->set != CAIRN_SET_CONE)
            continue;
        for (int i = 0, row = set->row; i < set->count; i++, row += set->dim) {
            double ratio = sqrt(w->theta[row + 1] / w->theta[row]), scaled[3];
            if (ratio == 1.0)
                continue;
            cairn_block cone = p->block[set->first + i];
            cone.mu *= ratio;
            for (int k = 0; k < set->dim; k++)
                scaled[k] = k == 0 ? x[row] : ratio * x[row + k];
            cairn_set_project_run(CAIRN_SET_CONE, set->dim, 1, &cone, scaled, scaled);
            for (int k = 0; k < set->dim; k++)
                z[row + k] = k == 0 ? scaled[0] : scaled[k] / ratio;
        }
    }
}

/* New l from the state of each contact at (x, z = P(x)). True when any changed. */
static bool classify(const cairn_run *run, cairn_admm *w, const double *x, const double *z) {
    const cairn_problem *p = run->problem;
    double *l = factors(w);
    bool changed = false;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i], dim = p->block[i].dim;
        bool cone = p->block[i].set == CAIRN_SET_CONE;
        if (!cone && (p->block[i].set != CAIRN_SET_NONNEGATIVE || dim != 1))
            continue;
        bool open = true, stick = true;
        for (int k = 0; k < dim; k++) {
            open = open && z[row + k] == 0.0;
            stick = stick && x[row + k] == z[row + k];
        }
        double normal = open ? OPEN : STICK, tangent = open ? OPEN : stick ? STICK : SLIDE;
        for (int k = 0; k < dim; k++) {
            double wanted = k == 0 ? normal : tangent;
            changed = changed || l[row + k] != wanted;
            l[row + k] = wanted;
        }
    }
    return changed;
}

static cairn_status refactor(cairn_run *run, cairn_admm *w) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->theta[j] = p->block[i].set == CAIRN_SET_BILATERAL ? run->settings->rho_bilateral * run->row_scale[j]
                                                                 : w->rho * w->base[j] * factors(w)[j];
    run->rho = w->rho;
    return cairn_run_factor(run, w->kkt, NULL, w->theta);
}

/* Ratio of the relative primal and dual residuals, in the norms of n_i. */
static double balance(const cairn_run *run, const cairn_admm *w) {
    double primal = 0.0, dual = 0.0, impulse = 0.0, other = 0.0, slip = 0.0, load = 0.0;
    for (int j = 0; j < run->problem->m; j++) {
        double n = run->row_scale[j];
        primal += n * w->rp[j] * w->rp[j];
        dual += w->rd[j] * w->rd[j] / n;
        impulse += n * w->zn[j] * w->zn[j];
        other += n * w->gamma[j] * w->gamma[j];
        slip += w->yn[j] * w->yn[j] / n;
        load += run->free_slip[j] * run->free_slip[j] / n;
    }
    double ratio = sqrt(primal / fmax(impulse, other)) / sqrt(dual / fmax(slip, load));
    if (!(ratio > 0.0) || !isfinite(ratio))
        return 1.0;
    ratio = fmin(fmax(ratio, 1.0 / run->settings->step_clamp), run->settings->step_clamp);
    return ratio > run->settings->step_ignore || ratio < 1.0 / run->settings->step_ignore ? ratio : 1.0;
}

/* z, y of the state, the solve, the over-relaxed step to q, zn, yn and the residuals. */
static cairn_status iterate(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    cairn_admm_project(run, w, w->x, w->z);
    for (int j = 0; j < m; j++)
        w->y[j] = w->theta[j] * (w->x[j] - w->z[j]);
    cairn_status status = cairn_admm_solve(run, w, w->z, w->y);
    if (status != CAIRN_OK)
        return status;
    for (int j = 0; j < m; j++)
        w->q[j] = w->x[j] + w->relax[j] * (w->gamma[j] - w->z[j]);
    cairn_admm_project(run, w, w->q, w->zn);
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

/* Looks at rho and at the states; leaves x in the metric of the next iteration. */
static cairn_status advance(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    if (run->iterations < w->next_look) {
        memcpy(w->x, w->q, (size_t)m * sizeof *w->x);
        return CAIRN_OK;
    }
    double ratio = balance(run, w);
    bool changed = classify(run, w, w->q, w->zn) || ratio != 1.0;
    w->rho *= ratio;
    w->interval = changed ? fmin(w->interval * run->settings->step_grow, 1e6) : w->interval;
    w->next_look = run->iterations + (int)ceil(w->interval);
    cairn_status status = changed ? refactor(run, w) : CAIRN_OK;
    for (int j = 0; j < m; j++)
        w->x[j] = changed ? w->zn[j] + w->yn[j] / w->theta[j] : w->q[j];
    return status;
}

bool cairn_splitmetric_run(cairn_run *run, cairn_admm *w, int limit) {
    int m = run->problem->m;
    for (int j = 0; j < m; j++)
        factors(w)[j] = 1.0;
    cairn_status status = cairn_admm_begin(run, w);
    if (status == CAIRN_OK && run->guess != NULL) { /* a warm start is classified before the first solve */
        if (cairn_run_test(run, w->z))
            return true;
        cairn_admm_project(run, w, w->x, w->zn);
        classify(run, w, w->x, w->zn);
        status = refactor(run, w);
        for (int j = 0; j < m; j++)
            w->x[j] = w->z[j] + w->y[j] / w->theta[j];
    }
    for (int count = 1;; count++) {
        if (status == CAIRN_OK)
            status = iterate(run, w);
        if (status != CAIRN_OK) {
            cairn_run_broken(run, cairn_error_message(run->context));
            return true;
        }
        bool test = w->only_joints || (run->iterations + 1) % run->settings->test_every == 0;
        if (test)
            cairn_run_test(run, w->zn);
        if (!cairn_run_tick(run, w->zn, test))
            return true;
        if (run->iterations % PROOF_EVERY == 0) {
            for (int j = 0; j < m; j++)
                w->step[j] = w->zn[j] - w->z[j];
            if (cairn_run_infeasible(run, w->step, w->u))
                return true;
        }
        if (count == limit)
            return false;
        status = advance(run, w);
    }
}

static cairn_status run_splitmetric(cairn_run *run, void *workspace) {
    cairn_splitmetric_run(run, workspace, 0);
    return CAIRN_OK;
}

static cairn_status prepare(cairn_run *run, void **workspace) {
    return cairn_admm_prepare(run, true, NULL, workspace);
}

const cairn_method cairn_method_splitmetric = {
    .name = "splitmetric",
    .summary = "over-relaxed ADMM with a penalty for each contact and direction: open, stick, slide",
    .paper = "[T21] 5.3 carried on; exact Coulomb resolvent",
    .accepts = "every problem",
    .options = "test_every rho rho_bilateral step_every step_grow step_clamp step_ignore relaxation",
    .defaults = "relaxation=1.6 step_every=10 step_grow=1.05 coulomb=resolvent",
    .prepare = prepare,
    .run = run_splitmetric,
    .release = cairn_admm_release,
};
