/*
 * graded_metric.c: ADMM [T21 (47)] with Anderson acceleration and a metric for each contact and
 * direction that is graded by what is known of the answer.
 *
 *     Theta_N = rho n_i ((|u_N| + e)/(n_i gamma_N + e))^(1/2),
 *         Theta_T = rho n_i ((|u_T| + e)/(mu n_i gamma_N + e))^(1/2),   e = 1e-3 of the mean n_i gamma_N
 *
 * A contact that opens has u and no gamma, one that sticks gamma and no u: far from rho n_i on
 * either side, as splitmetric wants them; one that is not decided stays near it. The ratio is what
 * an interior point would take at its last iterates, with the square root for caution. The metric
 * is renewed from the iterate after PERIOD iterations.
 *
 * The start: impulses and slips that need not fit each other are made to, z = P(gamma - u/(PAIR
 * n_i)), y = PAIR n_i (gamma - z) - u.
 *
 * The candidate is the gamma of the linear solve, not its projection z. It leaves its set by what
 * is left of the residual, which the natural map sees as it is; but it is in balance with the v of
 * the same solve. z is in its set and out of balance, and since N has eigenvalues of 150 n_i on a
 * part that many contacts touch, its slip is wrong by 150 times as much. So gamma passes 10 to 30
 * times earlier, and its test needs no solve with H.
 */
#include "solve/admm/admm.h"

#include <math.h>
#include <string.h>

#define PERIOD 15
/* of the first STEADY periods; later ones take LOW and HIGH in turn, which reach errors of other
 * sizes of N */
#define RHO      0.5
#define STEADY   5
#define LOW      0.2
#define HIGH     1.0
#define MEMORY   10 /* iterates that the acceleration knows */
#define PAIR     3.0
#define SMALL    1e-3  /* of the mean n_i gamma_N: what counts as none */
#define CONTRAST 100.0 /* largest ratio of Theta to rho n_i, and its inverse the least */
#define PATIENCE 4     /* periods in a row that may fail to bring the natural map to PROGRESS of the best */
#define PROGRESS 0.7

static void layout(cairn_admm *w, const cairn_problem *problem) {
    cairn_anderson_layout(&w->quick, &w->graded, MEMORY, problem->m);
    w->quick.probation = INFINITY;
    w->weight = cairn_arena_take(&w->graded, (size_t)problem->m, sizeof *w->weight);
}

cairn_status cairn_graded_prepare(const cairn_run *run, cairn_admm *w) {
    layout(w, run->problem);
    cairn_status status = cairn_arena_reserve_raw(run->context, &w->graded);
    if (status == CAIRN_OK)
        layout(w, run->problem);
    return status;
}

static double grade(double slip, double impulse, double small) {
    double ratio = sqrt((slip + small) / (impulse + small));
    return ratio > CONTRAST ? CONTRAST : ratio > 1.0 / CONTRAST ? ratio : 1.0 / CONTRAST;
}

/* Theta from z and y = -u, and its factorisation. */
static cairn_status renew(cairn_run *run, cairn_admm *w, const double *z, const double *y) {
    const cairn_problem *p = run->problem;
    double small = SMALL * cairn_run_push(run, z);
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        int row = p->block_start[i];
        double n = run->row_scale[row], normal = 1.0, tangent = 1.0;
        bool contact = block->set == CAIRN_SET_CONE || (block->set == CAIRN_SET_NONNEGATIVE && block->dim == 1);
        if (contact && small > 0.0)
            normal = grade(fabs(y[row]), n * z[row], small);
        if (contact && small > 0.0 && block->dim > 1)
            tangent = grade(cairn_tangent(block->dim, y + row), block->mu * n * z[row], small);
        for (int k = 0; k < block->dim; k++)
            w->theta[row + k] = block->set == CAIRN_SET_BILATERAL ? run->settings->rho_bilateral * n
                                                                  : w->rho * n * (k == 0 ? normal : tangent);
    }
    for (int j = 0; j < p->m; j++)
        w->weight[j] = sqrt(w->theta[j] * run->row_scale[j]);
    cairn_anderson_reset(&w->quick);
    run->rho = w->rho;
    return cairn_run_factor(run, w->kkt, NULL, w->theta);
}

/* z, y of the state x, the solve, and the step from x. */
static cairn_status iterate(cairn_run *run, cairn_admm *w) {
    int m = run->problem->m;
    cairn_admm_project(run, w, w->x, w->z);
    for (int j = 0; j < m; j++)
        w->y[j] = w->theta[j] * (w->x[j] - w->z[j]);
    cairn_status status = cairn_admm_solve(run, w, w->z, w->y);
    for (int j = 0; j < m; j++) {
        w->step[j] = w->gamma[j] - w->z[j];
        w->rd[j] = w->theta[j] * w->step[j];
    }
    run->primal = cairn_norm_max(m, w->step);
    run->dual = cairn_norm_max(m, w->rd);
    return status;
}

/* z and y from gamma and u. */
static void begin(const cairn_run *run, cairn_admm *w, const double *gamma, const double *u) {
    const cairn_problem *p = run->problem;
    w->resolvent = p->law == CAIRN_LAW_COULOMB;
    memset(w->phi, 0, (size_t)p->m * sizeof *w->phi);
    for (int j = 0; j < p->m; j++) {
        w->theta[j] = PAIR * run->row_scale[j];
        w->x[j] = gamma[j] - u[j] / w->theta[j];
    }
    cairn_admm_project(run, w, w->x, w->zn);
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            bool joint = p->block[i].set == CAIRN_SET_BILATERAL;
            w->zn[j] = joint ? gamma[j] : w->zn[j];
            w->yn[j] = joint ? 0.0 : w->theta[j] * (w->x[j] - w->zn[j]);
        }
}

/* PERIOD iterations with one metric. False: the run is over, or *status says that it cannot go
 * on. */
static bool run_period(cairn_run *run, cairn_admm *w, cairn_status *status) {
    int m = run->problem->m;
    *status = renew(run, w, w->zn, w->yn);
    for (int j = 0; j < m; j++)
        w->x[j] = w->zn[j] + w->yn[j] / w->theta[j];
    for (int i = 0; i < PERIOD; i++) {
        if (*status == CAIRN_OK)
            *status = iterate(run, w);
        if (*status != CAIRN_OK)
            return false;
        memcpy(run->v, w->v, (size_t)run->problem->n * sizeof *w->v);
        cairn_run_test_moving(run, w->gamma);
        if (!cairn_run_tick(run, w->gamma, true))
            return false;
        cairn_anderson_step(&w->quick, w->weight, w->x, w->step);
    }
    cairn_admm_project(run, w, w->x, w->zn);
    for (int j = 0; j < m; j++)
        w->yn[j] = w->theta[j] * (w->x[j] - w->zn[j]);
    return true;
}

bool cairn_graded_run(cairn_run *run, cairn_admm *w, const double *gamma, const double *u, int limit) {
    int idle = 0;
    double reached = INFINITY;
    cairn_status status = CAIRN_OK;
    begin(run, w, gamma, u);
    for (int period = 0; period * PERIOD < limit && idle < PATIENCE; period++) {
        w->rho = period < STEADY ? RHO : (period - STEADY) % 2 == 0 ? LOW : HIGH;
        if (!run_period(run, w, &status))
            return status == CAIRN_OK;
        idle = run->last_map < PROGRESS * reached ? 0 : idle + 1;
        reached = fmin(reached, run->last_map);
    }
    return false;
}
