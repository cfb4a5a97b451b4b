/*
 * penalty_policy.c: how the ADMM family changes its penalty [T21 5.2].
 *
 *     balanced             eta = |primal| / |dual|                                            [T21 (42)]
 *     balanced normalized  eta = (|primal| / max(|z|, |gamma|)) / (|dual| / |y|)              [T21 (43)]
 *     spectral             eta = sqrt(a b)/rho, a and b the curvatures seen along the last steps of gamma and z
 *
 *     step_root            the square root of either ratio, as [AKM (41)] and the program of the
 *                          authors of [T21] have it
 *
 * Max norms; the preconditioned methods use sqrt(n_i) (impulse) and (velocity)/sqrt(n_i)
 * [theory 2]. 0/0 gives 1, x/0 the clamp, 0/x its inverse. Spectral: Barzilai-Borwein steps of both
 * halves, each trusted when the cosine between the step and the change of its gradient exceeds 0.2;
 * f's gradient is -lambda^ with lambda^ = y + Theta (gamma - z_old).
 */
#include "solve/admm/admm.h"

#include <math.h>
#include <string.h>

#define SPECTRAL_TRUST 0.2

static double ratio(double above, double below, double clamp) {
    if (above == 0.0 && below == 0.0)
        return 1.0;
    if (below == 0.0)
        return clamp;
    return above / below;
}

static double balanced(const cairn_run *run, const cairn_admm *w, const double *z, const double *y, bool normalized) {
    double primal = 0.0, dual = 0.0, impulse = 0.0, slip = 0.0;
    for (int j = 0; j < run->problem->m; j++) {
        double s = sqrt(w->base[j]);
        primal = fmax(primal, s * fabs(w->rp[j]));
        dual = fmax(dual, fabs(w->rd[j]) / s);
        impulse = fmax(impulse, s * fmax(fabs(z[j]), fabs(w->gamma[j])));
        slip = fmax(slip, fabs(y[j]) / s);
    }
    double clamp = run->settings->step_clamp;
    if (!normalized)
        return ratio(primal, dual, clamp);
    return ratio(ratio(primal, impulse, clamp), ratio(dual, slip, clamp), clamp);
}

/* Barzilai-Borwein curvature from <dx,dx>, <dx,dg>, <dg,dg>; 0 when the step is not to be
 * trusted. */
static double curvature(double xx, double xg, double gg) {
    if (!(xg > SPECTRAL_TRUST * sqrt(xx) * sqrt(gg)) || !(xg > 0.0))
        return 0.0;
    double steepest = gg / xg, minimal = xg / xx;
    return 2.0 * minimal > steepest ? minimal : steepest - 0.5 * minimal;
}

static double spectral(const cairn_run *run, cairn_admm *w, const double *z, const double *y) {
    int m = run->problem->m;
    double hh = 0.0, hl = 0.0, ll = 0.0, zz = 0.0, zy = 0.0, yy = 0.0;
    for (int j = 0; j < m; j++) {
        double lambda = -(w->u[j] + w->phi[j]), n = w->base[j];
        double dh = w->gamma[j] - w->old[0][j], dl = lambda - w->old[1][j];
        double dz = z[j] - w->old[2][j], dy = y[j] - w->old[3][j];
        hh += n * dh * dh;
        hl -= dh * dl;
        ll += dl * dl / n;
        zz += n * dz * dz;
        zy += dz * dy;
        yy += dy * dy / n;
        w->old[1][j] = lambda;
    }
    memcpy(w->old[0], w->gamma, (size_t)m * sizeof(double));
    memcpy(w->old[2], z, (size_t)m * sizeof(double));
    memcpy(w->old[3], y, (size_t)m * sizeof(double));
    bool first = !w->have_old;
    w->have_old = true;
    double a = curvature(hh, hl, ll), b = curvature(zz, zy, yy);
    if (first || (a == 0.0 && b == 0.0))
        return 1.0;
    double rho = a > 0.0 && b > 0.0 ? sqrt(a * b) : a > 0.0 ? a : b;
    return rho / w->rho;
}

/* Is this the iteration at which rho is looked at? Sets the next one. */
static bool is_due(const cairn_run *run, cairn_admm *w) {
    const cairn_settings *s = run->settings;
    if (s->step_policy == CAIRN_STEP_FIXED || w->only_joints || run->iterations < w->next_look ||
        (s->step_max > 0 && w->changes >= s->step_max))
        return false;
    w->next_look = run->iterations + (int)ceil(fmin(w->interval, 1e6));
    return true;
}

/* The factor within its clamp; 1 where it is not worth a factorisation. */
static double worth(const cairn_run *run, cairn_admm *w, double factor) {
    const cairn_settings *s = run->settings;
    if (isnan(factor))
        return 1.0;
    factor = fmin(fmax(factor, 1.0 / s->step_clamp), s->step_clamp);
    if (factor >= 1.0 / s->step_ignore && factor <= s->step_ignore)
        return 1.0;
    w->interval = fmin(w->interval * s->step_grow, 1e6);
    return factor;
}

static double rooted(const cairn_run *run, double eta) {
    return run->settings->step_root ? sqrt(eta) : eta;
}

double cairn_step_factor(const cairn_run *run, cairn_admm *w, const double *z, const double *y) {
    const cairn_settings *s = run->settings;
    if (!is_due(run, w))
        return 1.0;
    return worth(run, w,
                 s->step_policy == CAIRN_STEP_SPECTRAL
                     ? spectral(run, w, z, y)
                     : rooted(run, balanced(run, w, z, y, s->step_policy == CAIRN_STEP_BALANCED_NORMALIZED)));
}

double cairn_step_balance(const cairn_run *run, cairn_admm *w, double primal, double dual) {
    return is_due(run, w) ? worth(run, w, rooted(run, ratio(primal, dual, run->settings->step_clamp))) : 1.0;
}
