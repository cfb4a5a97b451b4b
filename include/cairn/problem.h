/*
 * problem.h: the cone complementarity problem, its sets, and the certificate of an answer.
 *
 *     H v - D gamma = k                          momentum, n rows
 *     u = D' v + C gamma + b                     velocity in the constraint frames, m rows
 *     gamma in Y,  -(u + Phi(u)) in N_Y(gamma)   Phi = 0 for the associated law
 *
 * The local (Delassus) form has no v: u = N gamma + C gamma + b with a given N (m x m), b = FCLIB's q.
 *
 * Signs and units: gamma is an impulse (N s), u a velocity (m/s); a block of a contact is ordered (normal,
 * tangent, tangent); gamma_N >= 0 pushes the bodies apart and u_N > 0 separates them. Phi(u) puts
 * mu*|u_T| in the normal slot of each plain Coulomb cone (CAIRN_SET_CONE), mu*max_j d_j'u_T in that of each polyhedral one
 * (CAIRN_SET_POLY_CONE), and 0 elsewhere.
 */
#ifndef CAIRN_PROBLEM_H
#define CAIRN_PROBLEM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_BLOCK_DIM_MAX  16  /* rows of one constraint block */
#define CAIRN_BODY_DIM_MAX   24  /* rows of one body or node block of H */
#define CAIRN_DIRECTIONS_MAX 128 /* directions of a polyhedral friction cone */

typedef enum cairn_law {
    CAIRN_LAW_COULOMB = 0,   /* exact Coulomb friction, with De Saxce's term Phi; the default */
    CAIRN_LAW_ASSOCIATED = 1 /* the convex relaxation: sliding contacts separate at speed mu*|u_T| */
} cairn_law;

typedef enum cairn_set_kind {
    CAIRN_SET_BILATERAL = 0, /* R^dim: joints. u = 0 */
    CAIRN_SET_NONNEGATIVE,   /* x >= 0 in every component: frictionless contact, joint limit */
    CAIRN_SET_CONE,          /* |x_T| <= mu x_N, dim 2 or 3, mu >= 0: Coulomb contact */
    CAIRN_SET_DUAL_CONE,     /* mu |x_T| <= x_N, dim 2 or 3, mu >= 0: the dual of the above */
    CAIRN_SET_BOX,           /* lo <= x <= hi in every component (infinite bounds allowed): motors */
    CAIRN_SET_BALL,          /* |x| <= radius: dry friction in joints, von Mises */
    CAIRN_SET_CAPPED_CONE,   /* |x_T| <= mu x_N and x_N <= cap: contacts that crush */
    CAIRN_SET_SHIFTED_CONE,  /* |x_T| <= mu (x_N + adhesion): contacts that stick up to a pull */
    CAIRN_SET_POLY_CONE, /* x_T in mu x_N P, P the regular polygon of `directions` corners inscribed in the unit disc,
                                the first corner along the first tangent; dim 2: the cone itself */
    CAIRN_SET_CUSTOM     /* the user's closed convex set */
} cairn_set_kind;

/* A closed convex set given by the user. project is required, the others may be NULL: derivative is then
 * taken by central differences, and support says "not known"; the certificate does not ask for it. All
 * callbacks must be pure functions; they are called from several threads. */
typedef struct cairn_custom_set {
    void (*project)(void *user, int dim, const double *x, double *projection);  /* x and projection may alias */
    void (*derivative)(void *user, int dim, const double *x, double *jacobian); /* dim x dim, row by row */
    double (*support)(void *user, int dim, const double *direction); /* sup of direction'x; INFINITY is allowed */
    void *user;
} cairn_custom_set;

/* One block of rows and its set. Fields a set does not use are ignored. */
typedef struct cairn_block {
    cairn_set_kind set;
    int dim;                        /* rows: 1 to CAIRN_BLOCK_DIM_MAX; 2 or 3 for the five cones */
    double mu;                      /* cones: friction coefficient, finite and >= 0; 1e8 does where nothing slides */
    int directions;                 /* polyhedral cone: even, 4 to CAIRN_DIRECTIONS_MAX; 2 in dimension 2 */
    double lo, hi;                  /* box: bounds, lo <= hi, N s */
    double radius;                  /* ball: >= 0, N s */
    double cap;                     /* capped cone: largest normal impulse, >= 0, N s */
    double adhesion;                /* shifted cone: largest pull, >= 0, N s */
    const cairn_custom_set *custom; /* custom: copied */
} cairn_block;

/* A sparse matrix as triplets or compressed columns or rows. Indices count from 0; repeated positions are
 * summed. Which arrays are read depends on format; nothing is kept after the call. */
typedef enum cairn_sparse_format {
    CAIRN_SPARSE_TRIPLET = 0,
    CAIRN_SPARSE_COLUMNS,
    CAIRN_SPARSE_ROWS
} cairn_sparse_format;
typedef struct cairn_sparse {
    cairn_sparse_format format;
    int rows, cols;
    int entries;      /* triplet: number of entries; compressed: ignored */
    const int *row;   /* triplet, columns: row of each entry */
    const int *col;   /* triplet, rows: column of each entry */
    const int *start; /* columns: cols + 1 starts; rows: rows + 1 starts */
    const double *value;
} cairn_sparse;

typedef struct cairn_problem cairn_problem;

/* What a problem is made from; all arrays are copied. Start from cairn_default_problem_def().
 * Give either H, D, k (global form) or N (local form). */
typedef struct cairn_problem_def {
    uint32_t cookie;
    cairn_law law;      /* default CAIRN_LAW_COULOMB */
    int n;              /* velocities; 0 for the local form */
    int m;              /* constraint rows = sum of block dims */
    cairn_sparse H;     /* n x n, symmetric part positive definite */
    bool H_unsymmetric; /* false: a difference between H and H' beyond rounding is an error */
    cairn_sparse D;     /* n x m */
    cairn_sparse N;     /* local form: m x m, symmetric part positive semidefinite */
    bool N_unsymmetric;
    const double *k;              /* n; NULL means 0 */
    const double *b;              /* m; NULL means 0 */
    const double *C;              /* m, diagonal compliance >= 0; NULL means 0 */
    const unsigned char *angular; /* m: not 0 for rows in rad/s, whose impulses are in N m s; NULL: all are in m/s */
    int blocks;                   /* number of blocks */
    const cairn_block *block;     /* blocks; in the order of the rows */
    int bodies;                   /* number of body or node blocks of H, 0: found from the pattern */
    const int *body_start;        /* bodies + 1: first row of each, body_start[bodies] = n; NULL if bodies = 0 */
} cairn_problem_def;

CAIRN_API cairn_problem_def cairn_default_problem_def(void);

/* Checks and copies. The error message names the array and the index that is wrong. */
CAIRN_API cairn_status cairn_problem_create(cairn_context *context, const cairn_problem_def *def,
                                            cairn_problem **problem);
CAIRN_API void cairn_problem_destroy(cairn_problem *problem);

/* New right-hand sides on the same matrices; NULL keeps the old one. Values must be finite. */
CAIRN_API cairn_status cairn_problem_set_vectors(cairn_problem *problem, const double *k, const double *b);
CAIRN_API cairn_status cairn_problem_set_law(cairn_problem *problem, cairn_law law);
/* The friction cone of every contact (CAIRN_SET_CONE and CAIRN_SET_POLY_CONE): directions = 0: round; an even number from 4 to
 * CAIRN_DIRECTIONS_MAX: polyhedral with so many directions, blocks of dimension 2 with their two. Capped and shifted cones stay
 * round. The sets change, so a solver must load the problem again and a judge be made anew. */
CAIRN_API cairn_status cairn_problem_set_cone(cairn_problem *problem, int directions);
/* New set parameters (mu, bounds, ...) for one block; set and dim must stay. */
CAIRN_API cairn_status cairn_problem_set_block(cairn_problem *problem, int index, const cairn_block *block);

/* Read access. Pointers stay valid until the problem is destroyed. */
typedef struct cairn_problem_view {
    bool local; /* Delassus form: n = 0, H and D empty */
    cairn_law law;
    int n, m, blocks, bodies;
    bool unsymmetric;    /* H (or N) differs from its transpose */
    bool block_diagonal; /* H has no entry outside its body blocks (rigid bodies); false for the local form */
    bool bodies_found;   /* body blocks were found from the pattern, not stated */
    const int *H_start, *H_index;
    const double *H_value; /* compressed columns, sorted; local: N */
    const int *D_start, *D_index;
    const double *D_value;        /* compressed columns, sorted: one column a constraint row */
    const double *k, *b, *C;      /* n, m, m */
    const unsigned char *angular; /* m: not 0 for rows in rad/s; NULL: there are none */
    const cairn_block *block;     /* blocks */
    const int *block_start;       /* blocks + 1: first row of each block */
    const int *body_start;        /* bodies + 1 */
} cairn_problem_view;

CAIRN_API cairn_problem_view cairn_problem_get(const cairn_problem *problem);

/* The same problem in the local form: N = D'H^-1 D + C, b = D'H^-1 k + b, no compliance left; one solve a row when H is
 * sparse. There is no way back: many H, D, k give the same N. CAIRN_ERROR_ARGUMENT when it is local already,
 * CAIRN_ERROR_UNSUPPORTED when N would take more than 4 GB. */
CAIRN_API cairn_status cairn_problem_to_local(const cairn_problem *problem, cairn_problem **local);

/* ---- what a problem is like ------------------------------------------------------------------------- */

/* Numbers to know before a solve. What was too large to compute is -1 or NAN. N = D'H^-1 D + C; the symmetric part where
 * a matrix is not symmetric. */
typedef struct cairn_analysis {
    int set_count[CAIRN_SET_CUSTOM + 1]; /* blocks of each cairn_set_kind */
    double mu_min, mu_max;               /* over all cones; NAN when there are none */
    int body_dim_min, body_dim_max;      /* rows of the smallest and largest body block; 0 for the local form */
    bool diagonal;                       /* H (or N) has no entry off its diagonal */
    int64_t H_entries, D_entries;        /* stored entries of H (or N) and of D */
    double unsymmetry;                   /* largest |H - H'| over largest |H|; 0 when symmetric */
    double mass_min, mass_max;           /* least and largest mean of the diagonal of H over one body's rows */
    double H_min, H_max;                 /* extreme eigenvalues of H; NAN for the local form */
    bool H_estimated;                    /* H_min, H_max come from a Lanczos run: inside the true range */
    int rank;                            /* of N, which is that of D when C = 0; -1: too large to compute */
    double N_min, N_max;                 /* extreme eigenvalues of N on its range; N_min NAN: too large to compute */
    bool N_estimated;                    /* N_max comes from a Lanczos run: a lower bound, mostly sharp */
    double C_max;                        /* largest compliance */
} cairn_analysis;

/* Takes seconds for thousands of rows: dense work up to min(n, m) = 1500 or so. CAIRN_ERROR_NUMERICAL: H has no factor. */
CAIRN_API cairn_status cairn_problem_analyze(const cairn_problem *problem, cairn_analysis *analysis);

/* ---- the certificate -------------------------------------------------------------------------------- */

/* An answer gamma is judged by the exact answer next to it. At every block a point (gamma', u') exactly on the graph of the block's law is taken near
 * (gamma, u); then v' = H^-1 (k + D gamma') and
 *
 *     shift = u' - (D'v' + C gamma' + b)
 *
 * so that (gamma', v') is the exact answer of the problem with b + shift. The certificate says how large the shift is: *exact for free velocities within X m/s*.
 * Bounds of the judge's own rounding are part of every figure. docs/certificate.md has the theorem and an example by hand. */
typedef struct cairn_certificate {
    double error;         /* X: largest |shift| of a block, rows in m/s */
    double error_angular; /* the same of the rows in rad/s; 0: there are none */
    double
        relative; /* largest X_c / s_c, s_c the largest free velocity |D'H^-1 k + b| of the block's own connected component; NAN: not asked for */
    double scale; /* that s_c, m/s */
    double excess;   /* largest figure over its limit: at most 1 is certified */
    double rms;      /* root of the mean square of the blocks' |shift|, m/s */
    double rounding; /* of the worst block: the part of its figure that bounds rounding, m/s */
    double
        moved; /* what lies between the velocities of the given impulses and of gamma', m/s; 0: they are the same, or nobody asked */
    double motion;   /* distance of a given v from H^-1 (k + D gamma), m/s; 0: no v was given */
    int worst_block; /* nearest to its limit, or farthest beyond it; -1: there are no blocks. Its first three rows: */
    double worst_gamma[3];     /* gamma', N s */
    double worst_u[3];         /* u', m/s */
    double worst_shift[3];     /* shift, m/s */
    double tolerance;          /* asked for, relative to s_c; 0: none */
    double tolerance_velocity; /* asked for, m/s; 0: none */
    double tolerance_angular;  /* asked for, rad/s; 0: none */
    bool
        certified; /* every figure is within its limit. A relative limit is never below 16 eps (|D|'|H^-1 k| + |b|), the rounding of the data */
    cairn_law law;
    int directions; /* of the polyhedral cones, the largest if they differ; 0: every cone is round */
    double
        plain; /* |gamma - P(gamma - u~)| / max(|r^|, |gamma|, |u|), the formula of other programs; NAN: not worked out */
    double
        natural_map; /* the same in the metric of the block scales: the first edition of the certificate; goes with the next release */
    double natural_map_round; /* natural_map with round cones in place of polyhedral ones */
} cairn_certificate;

/* Judges (v, gamma) to a relative tolerance. v may be NULL. Reads the problem only; shares no code with the solvers or their projections. Fails with
 * CAIRN_ERROR_NUMERICAL when H is not positive definite. u_out, v_out: NULL, or where to put
 * u = D'v + C gamma + b (m) and v = H^-1 (k + D gamma) (n) of the impulses as they were given. */
CAIRN_API cairn_status cairn_certify(const cairn_problem *problem, const double *v, const double *gamma,
                                     double tolerance, cairn_certificate *certificate, double *u_out, double *v_out);

/* The same with all that is made of the problem kept between calls: no allocation after create. load takes another problem of the same context. */
typedef struct cairn_judge cairn_judge;
CAIRN_API cairn_status cairn_judge_create(const cairn_problem *problem, cairn_judge **judge);
CAIRN_API cairn_status cairn_judge_load(cairn_judge *judge, const cairn_problem *problem);
CAIRN_API cairn_status cairn_judge_run(cairn_judge *judge, const double *v, const double *gamma, double tolerance,
                                       cairn_certificate *certificate, double *u_out, double *v_out);
CAIRN_API void cairn_judge_destroy(cairn_judge *judge);
/* Makes at once what a later question may need and would take memory for. */
CAIRN_API cairn_status cairn_judge_prepare(cairn_judge *judge);

/* What an answer is held against; 0: not held against that. */
typedef struct cairn_limits {
    double relative; /* of s_c */
    double velocity; /* m/s */
    double angular;  /* rad/s */
} cairn_limits;
typedef struct cairn_question {
    const double *gamma; /* m */
    const double *v;     /* n, or NULL. With report it is judged; else it says where to look for points */
    cairn_limits limits;
    bool quick;  /* double first, long double where that does not decide */
    bool report; /* also motion, plain and natural_map */
    bool
        near; /* points near by are tried before gamma itself, as pays for iterates of interior point methods; the answer may then have other bits */
    bool
        measured; /* gamma is that of the last answer (cairn_judged) and the problem has not changed since: it is not measured again */
} cairn_question;
/* Owned by the judge, valid until its next call. */
typedef struct cairn_judged {
    const double *gamma, *u, *shift; /* m */
    const double *v;                 /* n; NULL for the local form */
    const double *error;             /* blocks: |shift| of the rows in m/s */
} cairn_judged;
/* A question with limits of one's own, as solvers ask. judged may be NULL. */
CAIRN_API cairn_status cairn_judge_ask(cairn_judge *judge, const cairn_question *question,
                                       cairn_certificate *certificate, cairn_judged *judged);

CAIRN_API const char *cairn_law_name(cairn_law law);      /* "coulomb", "associated" */
CAIRN_API const char *cairn_set_name(cairn_set_kind set); /* "bilateral", "cone", ... */

#ifdef __cplusplus
}
#endif
#endif
