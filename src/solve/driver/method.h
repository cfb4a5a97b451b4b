/*
 * method.h: what a method is to the driver, and what the driver gives to a method.
 *
 * A method is one file method_<name>.c and one row in method_table.c. It never judges itself: when
 * its own residuals look good it offers a candidate (cairn_run_test) and the judge decides. The
 * driver (solver.c) owns timing, limits, the best candidate so far and the final certificate.
 */
#ifndef CAIRN_SOLVE_DRIVER_METHOD_H
#define CAIRN_SOLVE_DRIVER_METHOD_H

#include <cairn/solver.h>

#include "problem/problem_data.h"
#include "problem/delassus/delassus_operator.h"
#include "sets/sets.h"

struct cairn_kkt;

/* One solve, as a method sees it. */
typedef struct cairn_run {
    cairn_context *context;
    const cairn_problem *problem;
    const cairn_settings *settings;
    cairn_operator *op;               /* N, H^-1, block scales */
    struct cairn_kkt_cache *store;    /* saddle-point systems of earlier problems */
    struct cairn_factor_cache *cache; /* factors of the problem before, where H is sparse; else NULL */
    const double *guess;              /* m: gamma of the warm start, or NULL */
    const double *guess_v;            /* n: velocities before the solve, or NULL: unknown */
    double guess_rho;                 /* 0: none */
    double free_speed;                /* largest velocity without impulses; 0 in local form */
    bool guess_tested;                /* the guess, projected, did not pass the driver's test: */
    double guess_map;                 /* its natural map; INFINITY: there is no guess, or it was not tested */
    const double *row_scale;          /* m: n_i of each row's block */
    const double *free_slip;          /* m: r^ = D'H^-1 k + b, the slip without impulses */
    double least_scale;               /* the smallest share of a body in n_i: about 1/m of the heaviest */
    bool heavy;                       /* light bodies may carry much heavier ones */
    double rounding;                  /* square of the natural map's numerator that rounding of the data makes */
    const cairn_set_run *runs;        /* sets, run by run */
    int run_count;

    /* counters and figures the method keeps up to date */
    int iterations, factorizations, solves;
    int partial_factorizations; /* of factorizations: those that kept a part */
    double partial_work;        /* sum of their shares of a whole one, by multiply-adds */
    double factor_flops;        /* of a whole one; 0: there was none */
    double factor_work;         /* multiply-adds of all factorisations, assembly included, */
    double solve_work;          /* and of one back-substitution with the last factor */
    double allowance;           /* multiply-adds that the solve may take, INFINITY: as many as it likes */
    double most_work;           /* the same for what cairn_solver_allow counts */
    bool hurried;               /* see cairn_solver_allow */
    double primal, dual, rho;

    /* the driver's */
    cairn_judge *judge;
    /* share of the tolerances that the method's own figures are to reach: lowered when the judge
     * has refused what seemed to pass */
    double tighten;
    struct cairn_repair *repair; /* NULL: none was needed yet */
    int repairs, products;       /* how often points were repaired, and the products with N that this took */
    /* iteration at which a candidate was certified that is not near enough to what the method
     * aims at; -1: none was */
    int good_at;
    double repaired_rms; /* rms of the shifts at the last repair, slowly forgotten; INFINITY: none was made */
    /* an accepted answer is made better: the method's own figures decide, the judge looks at
     * what is left in the end */
    bool improving;
    double *best_point; /* m: the point on the graphs that was nearest to its limits, of those judged, */
    double best_excess; /* and its excess; INFINITY: none was judged */
    bool interior;      /* iterates of an interior point method: their map falls fast near the end */
    bool near;          /* the judge took points near the last candidate it was asked about */
    double refused_map; /* natural map of the last candidate that the judge refused, INFINITY: none */
    double refused;     /* its excess */
    bool no_velocity;   /* the judge, and the answer, know impulses alone: the user's problem is in local form */
    double *best_gamma; /* m: candidate with the least natural map so far */
    double *v, *u;      /* n, m: of the last candidate tested */
    double *trace_v, *trace_u, *trace_work; /* n, m, m: room for the candidate that a trace shows; NULL: no trace */
    double *work;                           /* m */
    double *work2;                          /* m */
    double *work_v;                         /* n */
    double *reach;                          /* n: work of infeasible.c */
    double best_map;                        /* its natural map, INFINITY before the first */
    double cold_map;                        /* natural map of zero impulses */
    double last_map;                        /* natural map of the last candidate tested, NAN before */
    bool passed;       /* best_gamma is within the tolerance; the plain figure may be wanted smaller */
    int passed_at;     /* iteration at which that happened first */
    int checks;        /* how often the judge was asked */
    int stalled_since; /* iteration of the last real improvement of best_map */
    double stall_map;  /* best_map then */
    double started;    /* clock */
    double paused;     /* seconds spent on tracing, not the method's */
    bool untimed;      /* processor time, which takes a system call, is not asked for: see cairn_run_cpu */
    double paused_cpu; /* the same in processor time, of the final certificate only */
    double missed;     /* by how much best_gamma, once passed, misses the secondary target: see run.c */
    bool finished;     /* cairn_run_test has said the last word: verdict */
    cairn_outcome verdict;
    bool settled;                  /* v, u and certificate below belong to best_gamma: nothing is left to compute */
    cairn_certificate certificate; /* of the accepted candidate */
    const double *error;           /* blocks: the judge's errors of it; NULL: it was not judged */
    cairn_outcome outcome;         /* otherwise: why the method stopped */
    char note[160];
    char trail[256]; /* stages that are over, in words: see cairn_run_stage */
    char stage[96];  /* the stage in work, "": none */
    int stage_from;  /* iteration at which it began */
} cairn_run;

typedef struct cairn_method {
    const char *name, *summary, *paper, *accepts;
    const char *options;  /* keys it uses, separated by spaces */
    const char *defaults; /* "key=value key=value": where its defaults differ from the common ones */
    const char *choices;  /* "key=a|b": the first choices of a setting, where it has not all of them; NULL */
    bool on_velocities; /* needs H and D: the driver gives it a problem in local form as a global one with the same N */
    /* Why this problem is not for this method, or NULL. */
    const char *(*refuses)(const cairn_problem *problem, const cairn_settings *settings);
    /* May be NULL. A guess was accepted before the method was asked: would the method make it
     * better still? */
    bool (*is_rough)(const cairn_run *run);
    /* May be NULL. Does the method look at a guess itself, for less than the driver's test of it
     * costs? */
    bool (*tests_guess)(const cairn_run *run);
    /* Makes workspace and symbolic work for a problem; allocates. */
    cairn_status (*prepare)(cairn_run *run, void **workspace);
    /* Runs until accepted or a limit; allocates nothing; sets run->outcome. A status other than
     * CAIRN_OK is a call that failed, not a solve that did not converge. */
    cairn_status (*run)(cairn_run *run, void *workspace);
    void (*release)(cairn_context *context, void *workspace);
} cairn_method;

const cairn_method *cairn_method_find(const char *name);
const cairn_method *cairn_method_at(int index);

/* What the judge holds an answer against. */
cairn_limits cairn_limits_of(const cairn_settings *settings);
/* Takes the judge's answer for the run's: best_gamma, u and v, and the certificate. */
void cairn_run_take(cairn_run *run, const cairn_judged *judged, const cairn_certificate *certificate);
/* Repairs the points of the judge's last answer jointly (joint_repair.c). True: they are
 * certified; judged holds the best points either way. */
bool cairn_run_repair(cairn_run *run, cairn_certificate *certificate, cairn_judged *judged);
/* Natural map, and velocity error of a block (0: none is asked for), that a candidate shall have
 * before the judge is asked. */
double cairn_run_aim(const cairn_run *run);
double cairn_run_aim_velocity(const cairn_run *run);

/* Tests a candidate gamma (m, in its sets): computes v, u and the natural map from gamma alone
 * (one product with N, kept in run->v, run->u, run->last_map), keeps the best candidate, and
 * asks the judge when the map is small enough. True: finished, solved or proven infeasible; the
 * next tick returns false. Call it every settings->test_every iterations. */
bool cairn_run_test(cairn_run *run, const double *gamma);
/* Asks the judge about a candidate that passed the method's own test, with its natural map in
 * run->last_map. Returns as cairn_run_test. */
bool cairn_run_judge(cairn_run *run, const double *gamma);
/* As the function above, when run->v holds H^-1(k + D gamma) already; global form only. */
bool cairn_run_judge_moving(cairn_run *run, const double *gamma);
/* Keeps a candidate that the method itself has found to have this natural map, if it is the best
 * so far and none has passed. */
void cairn_run_keep(cairn_run *run, const double *gamma, double map);
/* Number of sparse solves needed to evaluate v(gamma): 1 if H is sparse, else 0. */
int cairn_run_solve_cost(const cairn_run *run);
/* As the function above, when run->v holds H^-1(k + D gamma) already; global form only. */
bool cairn_run_test_moving(cairn_run *run, const double *gamma);

/* Tests zero impulses, for the driver. Precondition: best_gamma is 0, run->v and free_slip
 * belong to it. */
bool cairn_run_test_free_flight(cairn_run *run);

/* Factors the reduced system with full blocks of weights (cairn_kkt_factor_blocks), or with
 * theta alone when B is NULL (cairn_kkt_factor), and counts that. */
cairn_status cairn_run_factor(cairn_run *run, struct cairn_kkt *kkt, const double *B, const double *theta);

/* Multiply-adds of the solve so far: factorisations, back-substitutions, and products with D in
 * each iteration. */
double cairn_run_effort(const cairn_run *run);

/* Has the solve taken more than its allowance? Then run->outcome and note say so. */
bool cairn_run_spent(cairn_run *run);

/* Processor time, s; 0 in a run that is not timed. */
double cairn_run_cpu(const cairn_run *run);

/* End of one iteration: counts it, tells on_iteration, checks limits and stalling. candidate (m)
 * is what a trace describes. tested: cairn_run_test was just called with it. False: stop. */
bool cairn_run_tick(cairn_run *run, const double *candidate, bool tested);

/* A method of several stages says what it does: the stage before is over, the one named (as by
 * printf) begins; NULL: none. The trail reads "interior point: 60 iterations to 2e-05; polish: 7
 * iterations" and becomes the note of the result. */
void cairn_run_stage(cairn_run *run, const char *format, ...);

/* Ends the run as CAIRN_NUMERICAL with a note; returns CAIRN_OK, because not converging is a
 * result. */
cairn_status cairn_run_broken(cairn_run *run, const char *what);

/* Proof that no answer exists (infeasible.c), from a direction d (m): d in the recession cone of
 * the sets, N d = 0 and r'd < 0, so that u'd = r'd < 0 whatever gamma is. Under the Coulomb law
 * only the normal parts may be non-zero. True when proven to rounding; sets run->outcome and
 * note. work: m. */
bool cairn_run_infeasible(cairn_run *run, const double *d, double *work);

/* z = P(x) over all blocks; parallel. May alias. resolvent: contacts by the resolvent of the
 * exact law. */
void cairn_run_project(const cairn_run *run, bool resolvent, const double *x, double *z);

/* phi (m) = Phi(u): mu |u_T| in the normal slot of Coulomb cones, mu max_j d_j'u_T in that of
 * polyhedral ones, 0 elsewhere; 0 everywhere for the associated law. */
void cairn_run_phi(const cairn_run *run, const double *u, double *phi);

/* Sets under the exact law: the round and the polyhedral Coulomb cone. */
static inline bool cairn_is_contact(cairn_set_kind set) {
    return set == CAIRN_SET_CONE || set == CAIRN_SET_POLY_CONE;
}

/* |x_T| of a block of dim 2 or 3. */
double cairn_tangent(int dim, const double *x);

/* Square mean of n_i gamma_N over the contacts that press, m/s; 0: none does. */
double cairn_run_push(const cairn_run *run, const double *gamma);

/* max |x_i|; NAN when one is. */
double cairn_norm_max(int count, const double *x);

/* Natural map of gamma with slip u, scaled, as the certificate defines it but with the solver's
 * own projections. Uses run->work. */
double cairn_run_residual(const cairn_run *run, const double *gamma, const double *u);
/* cairn_run_residual that also returns velocity, if not NULL: |gamma - P| relative to |r^|
 * alone. */
double cairn_run_map(const cairn_run *run, const double *gamma, const double *u, double *velocity);
/* The natural map of all rows but bilateral ones, by themselves: reactions of joints are often
 * so large that contacts do not show in that of all. */
double cairn_run_touch_map(const cairn_run *run, const double *gamma, const double *u);
/* max_i n_i |gamma_i - P|, m/s, as worst_velocity of the certificate; right after cairn_run_map
 * with the same gamma. */
double cairn_run_worst_velocity(const cairn_run *run, const double *gamma);
/* Natural map with n = 1, as natural_map_plain of the certificate. */
double cairn_run_map_plain(const cairn_run *run, const double *gamma, const double *u);

#endif
