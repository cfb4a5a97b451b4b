/*
 * graded.c: over-relaxed ADMM [T21 (47)] with a metric for each contact and direction that is graded by what is known of the answer.
 *
 *     Theta_N = rho n_i ((|u_N| + e)/(n_i gamma_N + e))^(1/2),   Theta_T = rho n_i ((|u_T| + e)/(mu n_i gamma_N + e))^(1/2),   e = 1e-3 of the mean n_i gamma_N
 *
 * A contact that opens has u and no gamma, one that sticks gamma and no u: far from rho n_i on either side, as splitmetric wants
 * them; one that is not decided stays near it. The ratio is what an interior point would take at its last iterates, with the
 * square root for caution. From a pair (gamma, u) that fits each other in every block, as the problem in modes gives it, two or three
 * factorisations with PERIOD solves each replace twenty of the interior point. The metric is renewed from the iterate after PERIOD iterations.
 *
 * The candidate is tested, which costs a solve with H, when the residuals and the last test say that it may pass, and before each renewal.
 */
#include "admm.h"

#include <math.h>
#include <string.h>

#define PERIOD 15
#define RHO \
    0.5 /* of the first STEADY periods; later ones take LOW and HIGH in turn, which reach errors of other sizes of N */
#define STEADY   3
#define LOW      0.2
#define HIGH     1.0
#define RELAX    1.7
#define SMALL    1e-3  /* of the mean n_i gamma_N: what counts as none */
#define CONTRAST 100.0 /* largest ratio of Theta to rho n_i, and its inverse the least */
#define PATIENCE 4     /* periods in a row that may fail to bring the natural map to PROGRESS of the best */
#define PROGRESS 0.7

/* Square mean of n_i gamma_N over contacts that press. */
static double mean_impulse(const cairn_run *run, const double *z) {
    const cairn_problem *p = run->problem;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < p->blocks; i++) {
        int row = p->block_start[i];
        if (p->block[i].set == CAIRN_SET_BILATERAL || !(z[row] > 0.0))
            continue;
        sum += run->row_scale[row] * run->row_scale[row] * z[row] * z[row];
        count++;
    }
    return count > 0 ? sqrt(sum / count) : 0.0;
}

static double grade(double slip, double impulse, double small) {
    double ratio = sqrt((slip + small) / (impulse + small));
    return ratio > CONTRAST ? CONTRAST : ratio > 1.0 / CONTRAST ? ratio : 1.0 / CONTRAST;
}

/* Theta from z and y = -u, and its factorisation. */
static cairn_status renew(cairn_run *run, cairn_admm *w, const double *z, const double *y) {
    const cairn_problem *p = run->problem;
    double small = SMALL * mean_impulse(run, z);
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
    run->rho = w->rho;
    run->factorizations++;
    return cairn_kkt_factor(w->kkt, w->theta);
}

/* One iteration from x to q, zn, yn; returns the larger of the relative residuals. */
static cairn_status iterate(cairn_run *run, cairn_admm *w, double *residual) {
    int m = run->problem->m;
    double primal = 0.0, dual = 0.0, impulse = 0.0, slip = 0.0;
    cairn_admm_project(run, w, w->x, w->z);
    for (int j = 0; j < m; j++)
        w->y[j] = w->theta[j] * (w->x[j] - w->z[j]);
    cairn_status status = cairn_admm_solve(run, w, w->z, w->y);
    if (status != CAIRN_OK)
        return status;
    for (int j = 0; j < m; j++)
        w->q[j] = w->x[j] + (w->relax[j] == 1.0 ? 1.0 : RELAX) * (w->gamma[j] - w->z[j]);
    cairn_admm_project(run, w, w->q, w->zn);
    for (int j = 0; j < m; j++) {
        double n = run->row_scale[j];
        w->yn[j] = w->theta[j] * (w->q[j] - w->zn[j]);
        w->rp[j] = w->gamma[j] - w->zn[j];
        w->rd[j] = w->theta[j] * (w->zn[j] - w->z[j]);
        primal += n * w->rp[j] * w->rp[j];
        dual += w->rd[j] * w->rd[j] / n;
        impulse += n * w->zn[j] * w->zn[j];
        slip += fmax(run->free_slip[j] * run->free_slip[j], w->yn[j] * w->yn[j]) / n;
    }
    run->primal = cairn_norm_max(m, w->rp);
    run->dual = cairn_norm_max(m, w->rd);
    double size = fmax(impulse, slip);
    *residual = size > 0.0 ? sqrt(fmax(primal, dual) / size) : 0.0;
    return CAIRN_OK;
}

static void begin(const cairn_run *run, cairn_admm *w, const double *gamma, const double *u) {
    const cairn_problem *p = run->problem;
    w->resolvent = p->law == CAIRN_LAW_COULOMB;
    memset(w->phi, 0, (size_t)p->m * sizeof *w->phi);
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            w->zn[j] = gamma[j];
            w->yn[j] = p->block[i].set == CAIRN_SET_BILATERAL ? 0.0 : -u[j];
        }
}

bool cairn_graded_run(cairn_run *run, cairn_admm *w, const double *gamma, const double *u, int limit) {
    int m = run->problem->m, idle = 0;
    double reached = INFINITY, ratio = 1.0; /* natural map over residual, at the last test */
    begin(run, w, gamma, u);
    for (int count = 0; count < limit; count++) {
        cairn_status status = CAIRN_OK;
        double residual = 0.0;
        if (count % PERIOD == 0) {
            int period = count / PERIOD;
            w->rho = period < STEADY ? RHO : (period - STEADY) % 2 == 0 ? LOW : HIGH;
            status = renew(run, w, w->zn, w->yn);
        }
        for (int j = 0; j < m; j++)
            w->x[j] = w->zn[j] + w->yn[j] / w->theta[j];
        if (status == CAIRN_OK)
            status = iterate(run, w, &residual);
        if (status != CAIRN_OK)
            return false;
        bool last = count % PERIOD == PERIOD - 1, test = last || ratio * residual <= run->settings->tolerance;
        if (test) {
            cairn_run_test(run, w->zn);
            ratio = residual > 0.0 ? run->last_map / residual : ratio;
        }
        if (!cairn_run_tick(run, w->zn, test))
            return true;
        if (last) {
            idle = run->last_map < PROGRESS * reached ? 0 : idle + 1;
            reached = fmin(reached, run->last_map);
        }
        if (idle >= PATIENCE)
            return false;
    }
    return false;
}
