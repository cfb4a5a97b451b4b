/*
 * solver.h: settings, solver, answer, info. Usable without any mechanics.
 *
 *     create(settings) -> load(problem) -> solve(guess, answer, info) -> solve again ...
 *
 * load does the symbolic work and takes all memory; a later solve with new k, b, mu or guess allocates
 * nothing. Settings are copied and never written; results never live in settings.
 */
#ifndef CAIRN_SOLVER_H
#define CAIRN_SOLVER_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a solve ended. CAIRN_SOLVED always means: the certificate agrees. */
typedef enum cairn_outcome {
    CAIRN_SOLVED = 0,
    CAIRN_ITERATION_LIMIT,
    CAIRN_TIME_LIMIT,
    CAIRN_STALLED,    /* no progress over many iterations */
    CAIRN_INFEASIBLE, /* a proof was found that no answer exists */
    CAIRN_NUMERICAL,  /* a factorisation failed or a number stopped being finite */
    CAIRN_CANCELLED   /* the on_iteration callback said stop */
} cairn_outcome;

/* One iteration, as told to on_iteration. Fields not computed are NAN. */
typedef struct cairn_iteration {
    int iteration;      /* from 1 */
    int factorizations; /* so far */
    int solves;         /* back-substitutions so far */
    double primal;      /* the method's primal residual, max norm (impulse, N s) */
    double dual;        /* the method's dual residual, max norm (velocity, m/s) */
    double rho;         /* current step or penalty */
    double natural_map; /* of the current candidate: every iteration when settings.trace, else when tested */
    double violation;   /* only when settings.trace: largest penetrating velocity max(0, -u_N), m/s */
    double seconds;     /* since the solve began */
    double
        phi; /* only when settings.trace: |Phi(u)|, the De Saxce term of the candidate, m/s; 0 under the associated law */
} cairn_iteration;

typedef enum cairn_step_policy {
    CAIRN_STEP_FIXED = 0,
    CAIRN_STEP_BALANCED,            /* [T21 (42)] */
    CAIRN_STEP_BALANCED_NORMALIZED, /* [T21 (43)] */
    CAIRN_STEP_SPECTRAL             /* Barzilai-Borwein, reference 42 of [T21] */
} cairn_step_policy;

typedef enum cairn_coulomb_mode {
    CAIRN_COULOMB_RESOLVENT = 0, /* the exact law as the resolvent of the projection step; no lagged term */
    CAIRN_COULOMB_INSIDE,        /* Phi(u) of the last iterate added to b in every iteration */
    CAIRN_COULOMB_OUTER          /* Phi frozen, an outer fixed point around the convex problem */
} cairn_coulomb_mode;

/* The twelve algorithms of [AKM table 1]: constant penalty, or varied by He (38), Wohlberg (39), spectral (49), each plain,
 * relaxed (50), relaxed and restarted (52). */
typedef enum cairn_akm_variant {
    CAIRN_CP_N = 0,
    CAIRN_CP_R,
    CAIRN_CP_RR,
    CAIRN_VP_N_HE,
    CAIRN_VP_R_HE,
    CAIRN_VP_RR_HE,
    CAIRN_VP_N_WOHLBERG,
    CAIRN_VP_R_WOHLBERG,
    CAIRN_VP_RR_WOHLBERG,
    CAIRN_VP_N_SPECTRAL,
    CAIRN_VP_R_SPECTRAL,
    CAIRN_VP_RR_SPECTRAL
} cairn_akm_variant;

/* A first penalty [AKM (34)-(37)] or step [AC (13)-(19)] taken from the matrices. */
typedef enum cairn_penalty_rule {
    CAIRN_PENALTY_NUMBER = 0, /* settings.rho */
    CAIRN_PENALTY_GHADIMI,    /* 1/sqrt(l_min(N) l_max(N)), eigenvalues that are not 0 */
    CAIRN_PENALTY_DICAIRANO,  /* sqrt(l_min(H) l_max(H)) */
    CAIRN_PENALTY_ACARY,      /* |H|_1 / |D'|_1 */
    CAIRN_PENALTY_NORMAL,     /* 1 */
    CAIRN_PENALTY_SMALLER,    /* 2/3 */
    CAIRN_PENALTY_W,          /* 1/|N|, Frobenius */
    CAIRN_PENALTY_EIGEN_W     /* 1/l_max(N) */
} cairn_penalty_rule;

/* How the De Saxce term Phi(s) of the exact law is renewed [AKM 8], [AC 2.5]. */
typedef enum cairn_s_update {
    CAIRN_S_NONE = 0,              /* s = 0: the associated problem */
    CAIRN_S_EXTERNAL,              /* an outer fixed point around the convex problem */
    CAIRN_S_INTERNAL,              /* in every iteration */
    CAIRN_S_INTERNAL_EXTERNAL_STOP /* in every iteration, stopped by the test of the outer fixed point */
} cairn_s_update;

typedef enum cairn_admm_form {
    CAIRN_FORM_PRIMAL = 0, /* on velocities [AKM 3] */
    CAIRN_FORM_DUAL        /* on impulses [AKM 9.1] */
} cairn_admm_form;

typedef enum cairn_stop_rule {
    CAIRN_STOP_CERTIFICATE = 0, /* go on until certified, or a limit */
    CAIRN_STOP_PAPER            /* stop where the method's own test says so; the judge still decides the outcome */
} cairn_stop_rule;

typedef enum cairn_step_update {
    CAIRN_UPDATE_ADAPTIVE = 0, /* backtracking on the Lipschitz constant, metric of the block scales */
    CAIRN_UPDATE_FIXED,
    CAIRN_UPDATE_RATIO1, /* [AC (20)] */
    CAIRN_UPDATE_RATIO2  /* [AC (21)] */
} cairn_step_update;

/* Starting points of ipm-mt and ipm: [MT (22)], [MT (21)]; the last is ipm's own. */
typedef enum cairn_start_point {
    CAIRN_START_DAPUZZO = 0,
    CAIRN_START_NOCEDAL,
    CAIRN_START_LEAST_SQUARES
} cairn_start_point;

/* What ipm-mt and ipm take from a guess [MT 4.2]. */
typedef enum cairn_warm_mode {
    CAIRN_WARM_FULL = 0, /* velocities, slacks and impulses */
    CAIRN_WARM_PARTIAL,  /* velocities only */
    CAIRN_WARM_NONE
} cairn_warm_mode;

/* Steps of velocities and slacks on one side, of impulses on the other [MT 2.1.2]. */
typedef enum cairn_steps_mode { CAIRN_STEPS_COMMON = 0, CAIRN_STEPS_SEPARATE } cairn_steps_mode;

/* What 1 means in starting points, steps and barrier of ipm-mt. */
typedef enum cairn_units {
    CAIRN_UNITS_PROBLEM = 0, /* scaled by the blocks' n_i and the size of the load */
    CAIRN_UNITS_SI           /* as published */
} cairn_units;

/* Start from cairn_default_settings(method). Every field can be set by name with cairn_settings_set;
 * `cairn methods NAME` lists the names, ranges and defaults a method uses. */
typedef struct cairn_settings {
    uint32_t cookie;
    char method[32]; /* "padmm", ...; see cairn_method_get */
    double
        tolerance; /* certificate asked for, relative to the largest free velocity of a connected component; default 1e-8 */
    double
        tolerance_plain; /* also wish for the certificate's plain <= this, within ten times the iterations that the certificate
                                 took; -1 (default): the same as tolerance; 0: no wish. Never decides the outcome. */
    double
        tolerance_velocity; /* m/s; > 0: the certificate asked for is this, and tolerance is what the method aims at first; 0 (default): tolerance decides */
    double tolerance_angular; /* rad/s, beside tolerance_velocity, for rows in rad/s; 0 (default): the same number */
    int max_iterations;       /* default 20000; auto, some of whose are sweeps: 40000 */
    double time_limit;        /* seconds; 0: none. The only setting that makes a result depend on the clock */
    bool repair;              /* move the judge's points jointly where they miss the tolerance by little (default on) */
    bool trace;               /* compute every field of cairn_iteration in every iteration (slow) */
    bool (*on_iteration)(void *user, const cairn_iteration *iteration); /* return false to cancel; NULL: none */
    void *user;

    /* ADMM family */
    double rho;           /* first penalty rho^0 */
    double rho_bilateral; /* rho_b, relative to n_i in the preconditioned methods */
    cairn_step_policy step_policy;
    int step_every; /* n_s: iterations between two looks at rho */
    double
        step_grow; /* the interval grows by this factor with every change of rho, so that changes die out; 1: never */
    double step_clamp;  /* largest factor in one update, 50 */
    double step_ignore; /* factors within [1/x, x] are ignored, 2 */
    bool
        step_root; /* balanced policies take the square root of their ratio, as [AKM (41)] and Chrono do; default on for admm, off for the others */
    int step_max;  /* at most this many changes of rho; 0: no limit */
    double relaxation; /* over-relaxation, 1 = none, in (0, 2) */
    int anderson;      /* Anderson memory, 0 = off */
    double restart;    /* FADMM: epsilon_r, 0.999 */
    cairn_coulomb_mode coulomb;
    double eps_primal, eps_dual; /* the method's own stop: absolute, N s and m/s; 0: certificate decides alone */
    double eps_relative;         /* added to both, relative to the iterates */
    int test_every;              /* iterations between two looks at the natural map */
    bool
        carry_rho; /* in worlds: begin with the last step's penalty; default on where rho has units, off for padmm and pfadmm */
    bool
        warm_velocity; /* a guess with velocities: the first y from them, not from H^-1(k + D gamma); default off [T21 Algorithm 2] */

    /* Baselines */
    double omega;      /* relaxation of jacobi, psor */
    bool symmetric;    /* sweep forwards, then backwards */
    bool colouring;    /* sweep colour by colour (parallel); false: in the order of the blocks */
    bool precondition; /* spg: scale by the block scales n_i */
    int history;       /* spg: length of the nonmonotone memory */

    /* primal-admm [AKM]; s_update, stop and eps_external also pg, apgd */
    cairn_akm_variant variant;
    cairn_penalty_rule rho0; /* CAIRN_PENALTY_NUMBER: rho */
    cairn_s_update s_update;
    cairn_admm_form form;
    cairn_stop_rule stop;
    double eps_abs, eps_rel; /* (17) */
    double eps_external;     /* (67), [AC (22)] */
    double balance;          /* phi of (38), (39) */
    double tau;              /* (38) */
    double tau_max, xi;      /* (39), (41) */
    int t_f;                 /* T_f of the spectral penalty */
    double eps_cor;          /* (49) */

    /* pg, apgd [AC] */
    cairn_penalty_rule step_size; /* CAIRN_PENALTY_NUMBER: rho */
    cairn_step_update step_update;
    double ratio_max, ratio_min, ratio_shrink; /* L, L_min, w of Algorithm 2 */
    bool gradient_restart;                     /* apgd: forget the momentum when it points uphill */
    double g_d, eps_metric;                    /* (10) */

    /* ipm-mt [MT] */
    cairn_start_point start;
    cairn_warm_mode warm;
    cairn_steps_mode steps;
    cairn_units units;
    bool cheap_residuals;           /* (19): residuals follow from the step; false: computed anew */
    double eps_rp, eps_rd, eps_tau; /* (38), m/s, N s, J (y'lambda, all rows): used with stop = paper */

    /* auto */
    int refine; /* small problems (at most 120 rows, no joints): this many factorisations bring an accepted answer near rounding; 0 (default): none */

    /* lemke */
    double soft;  /* compliance while pivoting, relative to the block scales */
    int max_rows; /* most rows of the LCP, and of the problem; more are refused */
} cairn_settings;

/* Unknown names are caught by cairn_solver_create. */
CAIRN_API cairn_settings cairn_default_settings(const char *method);

/* Sets one field from text, as `--opt KEY=VALUE` does. On failure the message (at most size bytes) says
 * which keys or values are allowed and settings are untouched. */
CAIRN_API cairn_status cairn_settings_set(cairn_settings *settings, const char *key, const char *value, char *message,
                                          size_t size);

/* A warm start: any array may be NULL. gamma is the last step's impulses (m), v its velocities (n). */
typedef struct cairn_guess {
    const double *gamma; /* m */
    const double *v;     /* n */
    double rho;          /* last penalty; 0: the settings' own */
} cairn_guess;

/* Owned by the solver, valid until its next load, solve or destroy. */
typedef struct cairn_answer {
    const double *v;     /* n; NULL for the local form */
    const double *gamma; /* m */
    const double
        *u; /* m, without Phi: on the graph of the law with gamma; D'v + C gamma + b is within the certificate of it */
    const double *error; /* blocks: how far that is, m/s; NULL: not judged */
} cairn_answer;

typedef struct cairn_info {
    cairn_outcome outcome;
    int iterations;
    int factorizations,
        solves; /* those with a sparse H included; the first solve after a load counts the load's too. Not the judge's */
    int partial_factorizations; /* of factorizations: those that kept what contacts do not reach, with the bits of whole ones */
    double partial_share;        /* multiply-adds of such a one against a whole one, in the mean; 0: there was none */
    double factor_flops;         /* multiply-adds of a whole factorisation of the reduced system; 0: there was none */
    double seconds, cpu_seconds; /* from loaded problem to answer, the final certificate not counted */
    double load_seconds,
        load_cpu_seconds;  /* of the last load: symbolic work, factor of H; the judge's part not counted */
    double rho;            /* last penalty, to be handed to the next guess */
    double primal, dual;   /* the method's own residuals at the end */
    int checks;            /* how often the certificate was asked during the solve */
    int repairs, products; /* joint repairs of the judge's points, and the products with N that they took */
    char note[256];        /* what was done and what happened, in words; "" when there is nothing to say */
    cairn_certificate certificate;
} cairn_info;

typedef struct cairn_solver cairn_solver;

CAIRN_API cairn_status cairn_solver_create(cairn_context *context, const cairn_settings *settings,
                                           cairn_solver **solver);
CAIRN_API void cairn_solver_destroy(cairn_solver *solver);
/* The problem must outlive the solver or the next load. Fails with CAIRN_ERROR_UNSUPPORTED when the method
 * does not accept this problem. */
CAIRN_API cairn_status cairn_solver_load(cairn_solver *solver, const cairn_problem *problem);
/* guess may be NULL. Not converging is CAIRN_OK with an outcome that says so; the answer is then the best found. */
CAIRN_API cairn_status cairn_solver_solve(cairn_solver *solver, const cairn_guess *guess, cairn_answer *answer,
                                          cairn_info *info);

/* Are the friction cones of all contacts pointed? [A]'s condition for its convergence and for bounded impulses. They are not when impulses in the cones, not all zero, balance each
 * other with reactions of rigid joints, D gamma = 0: a body jammed between two contacts whose cones contain opposite directions. Else a motion that keeps the joints parts all contacts by
 * more than sliding asks, u_N > mu |u_T|. */
typedef enum cairn_pointedness {
    CAIRN_POINTED_UNKNOWN = 0, /* too large (more than 20 000 rows), or too near the edge to tell */
    CAIRN_POINTED,             /* a motion that parts all contacts was found */
    CAIRN_NOT_POINTED          /* impulses that balance each other were found */
} cairn_pointedness;
typedef struct cairn_pointed {
    cairn_pointedness verdict;
    int jammed; /* contacts that these impulses push at, if they were found: more than a thousandth of the largest */
} cairn_pointed;
/* Looks at D and the sets alone: gaps, k and compliance do not matter, so a contact counts whether it is closed or not. The associated law is meant, whichever the problem has. impulses
 * (m, or NULL): those that balance each other, written when the verdict is CAIRN_NOT_POINTED; |D gamma| is then at most 1e-6 of their normal parts' sum, in the metric of the masses.
 * Solves one convex problem. */
CAIRN_API cairn_status cairn_problem_pointed(const cairn_problem *problem, double *impulses, cairn_pointed *pointed);

CAIRN_API const char *cairn_outcome_name(cairn_outcome outcome); /* "solved", "iteration limit", ... */

/* The table of methods and their options. */
typedef struct cairn_method_info {
    const char *name;    /* what --method takes */
    const char *summary; /* one line */
    const char *paper;   /* where it comes from */
    const char *accepts; /* which problems, in words */
} cairn_method_info;
typedef struct cairn_option_info {
    const char *key;
    const char *type; /* "real", "count", "switch", "choice", "rule" (a name or a number) */
    const char *help;
    char range[160]; /* allowed values, as text */
    char value[32];  /* default for this method, as text */
} cairn_option_info;
CAIRN_API int cairn_method_count(void);
CAIRN_API cairn_status cairn_method_get(int index, cairn_method_info *info);
/* Options of one method: returns how many there are, fills at most capacity. -1: no such method. */
CAIRN_API int cairn_method_options(const char *method, cairn_option_info *options, int capacity);

#ifdef __cplusplus
}
#endif
#endif
