/*
 * method.h: what a method is to the driver, and what the driver gives to a method.
 *
 * A method is one file method_<name>.c and one row in method_table.c. It never judges itself: when its own residuals
 * look good it offers a candidate (cairn_run_offer) and the judge decides. The driver (solver.c) owns timing,
 * limits, the best candidate so far and the final certificate.
 */
#ifndef CAIRN_SOLVE_METHOD_H
#define CAIRN_SOLVE_METHOD_H

#include <cairn/solver.h>

#include "../problem/data.h"
#include "../problem/operator.h"
#include "../sets/sets.h"

/* One solve, as a method sees it. */
typedef struct cairn_run {
    cairn_context *context;
    const cairn_problem *problem;
    const cairn_settings *settings;
    cairn_operator *op;        /* N, H^-1, block scales */
    const double *guess;       /* m: gamma of the warm start, or NULL */
    double guess_rho;          /* 0: none */
    const double *row_scale;   /* m: n_i of each row's block */
    const cairn_set_run *runs; /* sets, run by run */
    int run_count;

    /* counters and figures the method keeps up to date */
    int iterations, factorizations, solves;
    double primal, dual, rho;

    /* the driver's */
    struct cairn_judge *judge;
    double *best_gamma;        /* m: candidate with the least natural map so far */
    double *best_v;            /* n */
    double *trial_v, *trial_u; /* n, m */
    double best_map;           /* its natural map, INFINITY before the first */
    double last_map;           /* natural map of the last offer */
    bool accepted;             /* the judge said yes */
    int checks;
    int stalled_since; /* iteration of the last real improvement of best_map */
    double stall_map;  /* best_map then */
    double started;    /* clock */
    double paused;     /* seconds spent on tracing, not counted as the method's */
    cairn_outcome outcome;
    char note[160];
} cairn_run;

typedef struct cairn_option cairn_option;

typedef struct cairn_method {
    const char *name, *summary, *paper, *accepts;
    const char *options;  /* keys it uses, separated by spaces */
    const char *defaults; /* "key=value key=value": where its defaults differ from the common ones */
    /* Why this problem is not for this method, or NULL. */
    const char *(*refuses)(const cairn_problem *problem, const cairn_settings *settings);
    /* Makes workspace and symbolic work for a problem; allocates. */
    cairn_status (*prepare)(cairn_run *run, void **workspace);
    /* Runs until accepted or a limit; allocates nothing; sets run->outcome. A status other than CAIRN_OK is a call
     * that failed, not a solve that did not converge. */
    cairn_status (*run)(cairn_run *run, void *workspace);
    void (*release)(cairn_context *context, void *workspace);
} cairn_method;

const cairn_method *cairn_method_find(const char *name);
const cairn_method *cairn_method_at(int index);

/* Offers a candidate gamma (m, in its sets) to the judge. Keeps it when it is the best so far. True when it is
 * certified at the tolerance asked: the method stops with CAIRN_SOLVED. */
bool cairn_run_offer(cairn_run *run, const double *gamma);

/* End of one iteration: counts, tells on_iteration, checks limits and stalling. candidate (m) is used for the trace's natural map
 * and violation. False: stop; run->outcome says why. map: natural map if just computed by an offer, else NAN. */
bool cairn_run_tick(cairn_run *run, const double *candidate, double map);

/* Proof that no answer exists, from a direction d (m): d in the recession cone of the sets, N d = 0 and r'd < 0, so that
 * u'd = r'd < 0 whatever gamma is. Under the Coulomb law only the normal parts may be non-zero. True when proven to
 * rounding; sets run->outcome and note. Uses work (2m). */
bool cairn_run_infeasible(cairn_run *run, const double *d, double *work);

/* z = P(x) over all blocks; parallel. May alias. law_resolvent: Coulomb cones by cairn_cone_resolvent. */
void cairn_run_project(const cairn_run *run, bool law_resolvent, const double *x, double *z);

/* phi (m) = Phi(u): mu |u_T| in the normal slot of Coulomb cones, 0 elsewhere; 0 everywhere for the associated law. */
void cairn_run_phi(const cairn_run *run, const double *u, double *phi);

/* sum of x_i^2 w_i (w NULL: 1) and max |x_i|: fixed chunks, same bits for any number of threads. */
double cairn_norm2(const cairn_run *run, int count, const double *x);
double cairn_dot(const cairn_run *run, int count, const double *x, const double *y);
double cairn_norm_max(int count, const double *x);

/* Natural map of gamma as methods estimate it between offers: u = N gamma + r^ from u (m). Own code, own projections. */
double cairn_run_residual(const cairn_run *run, const double *gamma, const double *u, double *work);

#endif
