/*
 * primal_admm_penalty.c: how primal-admm varies its penalty [AKM 4.2].
 *
 *     He        tau rho if |r| > phi |s|;  rho/tau if |s| > phi |r|                                          (38)
 *     Wohlberg  the same on relative residuals with xi phi, tau = sqrt(their ratio), at most tau_max         (39)-(41)
 *     spectral  sqrt(alpha beta), or the one that is trusted                                                 (42)-(49)
 *               alpha from (A dx, -dw^), beta from (dy, dw); w = rho z, w^ = rho (z^ + A x + B y^ - c)
 *
 * w^ uses the relaxed terms, as the note to [AKM table 1] says. The signs are those of [theory 3]:
 * (46) as printed would have <dF, dw^> <= 0. (47) is taken as printed; the source it cites has
 * another hybrid. Ratios 0/0 change nothing. rho stays within LIMIT of its first value, so that a
 * run that diverges stays finite. Bilateral rows take no part.
 */
#include "solve/papers/akm/primal_admm.h"

#include <math.h>
#include <string.h>

#define LIMIT 1e9

static double he(const cairn_run *run, const cairn_primal_admm *w) {
    double phi = run->settings->balance, tau = run->settings->tau;
    if (w->r > phi * w->s)
        return tau * w->rho;
    return w->s > phi * w->r ? w->rho / tau : w->rho;
}

static double wohlberg(const cairn_run *run, cairn_primal_admm *w) {
    const cairn_settings *settings = run->settings;
    double size = fmax(w->size_x, fmax(w->size_y, w->size_c)), size_z = cairn_primal_admm_size_z(run, w);
    double r = size > 0.0 ? w->r / size : 0.0, s = size_z > 0.0 ? w->s / size_z : 0.0;
    double bound = settings->xi * settings->balance, ratio = sqrt(r / s / settings->xi), tau = settings->tau_max;
    if (ratio >= 1.0 && ratio < settings->tau_max)
        tau = ratio;
    else if (ratio < 1.0 && ratio > 1.0 / settings->tau_max)
        tau = 1.0 / ratio;
    if (r > bound * s)
        return tau * w->rho;
    return s > bound * r ? w->rho / tau : w->rho;
}

/* (46)-(48) from <w,w>, <w,f>, <f,f>; 0 when not to be trusted. */
static double curvature(const cairn_run *run, double ww, double wf, double ff) {
    if (!(wf > run->settings->eps_cor * sqrt(ww) * sqrt(ff)) || !(wf > 0.0))
        return 0.0;
    double steepest = ww / wf, minimal = wf / ff;
    return 2.0 * minimal > steepest ? steepest : minimal;
}

typedef struct curvature_sums {
    double ff, fw, ww, gg, gl, ll;
} curvature_sums;

/* Adds the rows begin .. end - 1 and remembers them. */
static void add_rows(cairn_primal_admm *w, int begin, int end, curvature_sums *sums) {
    for (int j = begin; j < end; j++) {
        double now[4] = {w->rho * (w->zh.x[j] + w->a[j] - w->yh.x[j]), w->a[j] - (w->dual ? 0.0 : w->shift.x[j]),
                         w->rho * w->zn.x[j], w->yn.x[j]};
        double dw = w->old[0][j] - now[0], df = now[1] - w->old[1][j];
        double dl = now[2] - w->old[2][j], dg = now[3] - w->old[3][j];
        sums->ww += dw * dw;
        sums->fw += df * dw;
        sums->ff += df * df;
        sums->ll += dl * dl;
        sums->gl += dg * dl;
        sums->gg += dg * dg;
        for (int t = 0; t < 4; t++)
            w->old[t][j] = now[t];
    }
}

static double spectral(const cairn_run *run, cairn_primal_admm *w) {
    const cairn_problem *p = run->problem;
    curvature_sums sums = {0};
    if ((w->count - 1) % run->settings->t_f != run->settings->t_f - 1)
        return w->rho;
    if (w->fast)
        add_rows(w, 0, w->rows, &sums);
    for (int i = 0; !w->fast && i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_BILATERAL)
            add_rows(w, p->block_start[i], p->block_start[i + 1], &sums);
    bool first = !w->have_old;
    w->have_old = true;
    double alpha = curvature(run, sums.ww, sums.fw, sums.ff), beta = curvature(run, sums.ll, sums.gl, sums.gg);
    if (first || (alpha == 0.0 && beta == 0.0))
        return w->rho;
    return alpha > 0.0 && beta > 0.0 ? sqrt(alpha * beta) : alpha > 0.0 ? alpha : beta;
}

double cairn_primal_admm_choose(const cairn_run *run, cairn_primal_admm *w) {
    double rho = w->rho;
    if (w->only_joints)
        return rho;
    if (w->policy == CAIRN_HE)
        rho = he(run, w);
    else if (w->policy == CAIRN_WOHLBERG)
        rho = wohlberg(run, w);
    else if (w->policy == CAIRN_SPECTRAL)
        rho = spectral(run, w);
    return isfinite(rho) ? fmin(fmax(rho, w->first / LIMIT), w->first * LIMIT) : w->rho;
}
