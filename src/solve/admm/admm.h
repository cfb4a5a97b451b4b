/*
 * admm.h: what the ADMM family shares: workspace, metric, step policies, Coulomb term, warm start.
 */
#ifndef CAIRN_SOLVE_ADMM_ADMM_H
#define CAIRN_SOLVE_ADMM_ADMM_H

#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"

#include "solve/admm/anderson.h"

/* Vectors of m rows unless stated. x is the one state: z = P(x), y = Theta (x - z). */
typedef struct cairn_admm {
    cairn_kkt *kkt;
    bool shared_kkt; /* not owned */
    cairn_arena arena;
    bool preconditioned; /* Theta = rho n_i instead of rho */
    bool resolvent;      /* the exact Coulomb law in the projection step */
    double rho;
    int next_look;         /* iteration of the next look at rho */
    double interval;       /* iterations between two looks: n_s, grown by the changes */
    int changes;           /* of rho */
    double *base;          /* n_i or 1 */
    double *relax;         /* over-relaxation: settings->relaxation; bilateral rows 1 */
    double *theta;         /* rho*base; bilateral rows rho_b n_i */
    double *x;             /* state */
    double *z, *y;         /* projection of the state, multiplier */
    double *zn, *yn;       /* the same after the iteration */
    double *gamma, *v, *q; /* solve: m, n, m */
    double *phi;           /* Phi(u) in use; 0 when associated or resolvent */
    double *u;             /* slip of the last solve, without Phi */
    double *rp, *rd;       /* residuals: impulse, velocity */
    double *step;          /* fixed-point step of x, or the direction of an infeasibility proof */
    double *old[4];        /* spectral policy: gamma, lambda^, z, y of the last update */
    double *extra[4];      /* FADMM: extrapolated and previous gamma, y */
    bool only_joints;      /* no block but bilateral ones: one factorisation, a few solves */
    bool have_old;
    bool outer_due; /* outer fixed point: the inner problem is solved well enough */
    cairn_anderson anderson;
    struct cairn_rigid_admm *lanes; /* rigid bodies in contact alone: see rigid_admm.h; else NULL */
    cairn_arena graded;             /* of cairn_graded_run alone: */
    cairn_anderson quick;           /* its acceleration */
    double *weight;                 /* and the norm of that */
} cairn_admm;

/* kkt: NULL, or one to share, which stays the caller's. */
cairn_status cairn_admm_prepare(cairn_run *run, bool preconditioned, cairn_kkt *kkt, void **workspace);
void cairn_admm_release(cairn_context *context, void *workspace);

/* [T21 Algorithm 1] from cold or from run->guess, for at most limit iterations (0: no limit of
 * its own). True: the run is over. False: limit reached, run->best_gamma has the best candidate. */
bool cairn_admm_run(cairn_run *run, cairn_admm *w, int limit);

/* Runs the iteration with a metric for each contact and direction; see method_splitmetric.c. */
bool cairn_splitmetric_run(cairn_run *run, cairn_admm *w, int limit);

/* Runs the iteration with a metric graded by the ratio of slip and impulse, from impulses gamma
 * and slips u (m each); see graded_metric.c. Leaves when it no longer makes good progress. Its
 * memory must have been taken, once. */
cairn_status cairn_graded_prepare(const cairn_run *run, cairn_admm *w);
bool cairn_graded_run(cairn_run *run, cairn_admm *w, const double *gamma, const double *u, int limit);

/* z = P(x) in the metric w->theta. */
void cairn_admm_project(const cairn_run *run, const cairn_admm *w, const double *x, double *z);

/* rho, theta, cold or warm start [T21 Algorithm 2], first factorisation. */
cairn_status cairn_admm_begin(cairn_run *run, cairn_admm *w);

/* Solves [T21 (47a)] with z, y and the Coulomb term: gamma, v, and u = slip without Phi. */
cairn_status cairn_admm_solve(cairn_run *run, cairn_admm *w, const double *z, const double *y);

/* Phi for the next iteration, by settings->coulomb. */
void cairn_admm_coulomb(cairn_run *run, cairn_admm *w);

/* New theta for rho*factor, and factor again. */
cairn_status cairn_admm_change(cairn_run *run, cairn_admm *w, double factor);

/* Factor of rho by the policy [T21 (41)-(43)], after clamping; 1: leave it. multiplier: y after
 * the iteration. */
double cairn_step_factor(const cairn_run *run, cairn_admm *w, const double *z, const double *multiplier);

/* Factor of rho by the policy of [T21 (42)], from the norms of both residuals in the metric of
 * theory 2. */
double cairn_step_balance(const cairn_run *run, cairn_admm *w, double primal, double dual);

/* The method's own stop [T21 5.1]: both residuals below their tolerances. False when no
 * tolerance is set. */
bool cairn_admm_own_stop(const cairn_run *run, const cairn_admm *w, const double *z, const double *y);

#endif
