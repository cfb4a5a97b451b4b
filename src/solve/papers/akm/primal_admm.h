/*
 * primal_admm.h: workspace of primal-admm [AKM] and its parts: the two half steps (primal_admm.c),
 * their velocity vectors on the fast path (primal_admm_velocity.c), the penalty
 * (primal_admm_penalty.c).
 */
#ifndef CAIRN_SOLVE_PAPERS_AKM_PRIMAL_ADMM_H
#define CAIRN_SOLVE_PAPERS_AKM_PRIMAL_ADMM_H

#include "solve/admm/rigid/contact_simd.h"
#include "solve/infeasible/divergence.h"
#include "solve/papers/slip_term.h"

#include "problem/kkt/kkt.h"

typedef enum cairn_penalty_policy { CAIRN_CONSTANT, CAIRN_HE, CAIRN_WOHLBERG, CAIRN_SPECTRAL } cairn_penalty_policy;

/* A vector of rows (of m, or in lanes) and D times it (n + 6), which only the fast path keeps. */
typedef struct cairn_primal_admm_pair {
    double *x, *D;
} cairn_primal_admm_pair;

/* Vectors of m rows unless stated, y, z, a, shift, old in lanes on the fast path; x, y, z, A, B,
 * c as in [AKM (5)]. */
typedef struct cairn_primal_admm {
    cairn_kkt *kkt;
    bool fast;     /* primal form, rigid bodies in contact and nothing else: contact_simd.c */
    bool diagonal; /* H is */
    bool keeps;    /* fast path: a, y^, z^ are asked for after the step */
    cairn_contact_simd contacts;
    int rows; /* of the vectors in lanes; m on the general path */
    cairn_arena arena;
    cairn_divergence growth;
    cairn_penalty_policy policy;
    bool dual, relaxed, restarts;
    cairn_slip_term term;
    bool only_joints; /* no block but bilateral ones */
    double first;     /* rho^0, from the rule */
    double rho;
    bool stale;                          /* the factor is not that of rho */
    double alpha;                        /* (50a) */
    double momentum;                     /* of (50b); 0 when plain */
    double combined;                     /* e_{k-1} of (51) */
    double *penalty;                     /* rho; bilateral rows: one of their own */
    double *theta;                       /* of the saddle-point system: 1/penalty (primal) or penalty (dual) */
    cairn_primal_admm_pair y, z;         /* plain iterates */
    cairn_primal_admm_pair yn, zn;       /* the next ones */
    cairn_primal_admm_pair hat_y, hat_z; /* memory of the relaxed ones */
    cairn_primal_admm_pair yh, zh;       /* where the half steps start: hat_y, hat_z, or y, z when plain */
    cairn_primal_admm_pair shift;        /* b + Phi(s) */
    double *rhs;                         /* n + 6: right-hand side of the fast path */
    double *a;                           /* A x - c */
    double *x;                           /* argument of the projection */
    double *gamma;                       /* of the solve; primal form: then the candidate */
    double *q;                           /* right-hand side */
    double *v, *w;                       /* n + 6: velocity, A'(...) */
    double *old[4];                      /* spectral: w^, A x, w, y of the last look */
    bool have_old;
    double r, s;                   /* |primal|, |dual residual| (15) */
    double size_x, size_y, size_c; /* |A x|, |B y|, |c| */
    double size_z;                 /* |A' rho z|; NAN: not computed */
    double e;                      /* e_k of (51) */
    int count;                     /* iterations */
} cairn_primal_admm;

/* Memory and symbolic work; rho^0 by its rule. */
cairn_status cairn_primal_admm_prepare(cairn_run *run, void **workspace);
void cairn_primal_admm_release(cairn_context *context, void *workspace);

/* Cold start, or warm from run->guess. */
void cairn_primal_admm_begin(cairn_run *run, cairn_primal_admm *w);

/* One iteration (12)-(14): factors if rho has changed, solves for a, projects, leaves yn, zn and
 * the norms. */
cairn_status cairn_primal_admm_step(cairn_run *run, cairn_primal_admm *w);

/* Fast path: rhs = k + rho D (y^ - z^ - shift), and D z^. */
void cairn_primal_admm_right_hand_side(const cairn_run *run, cairn_primal_admm *w);
/* Fast path: D z from rhs and v, then |s| and |A' rho z|. */
void cairn_primal_admm_velocity_norms(const cairn_run *run, cairn_primal_admm *w);

/* What is to be judged: impulses (m) in their sets. */
const double *cairn_primal_admm_candidate(const cairn_run *run, cairn_primal_admm *w);

/* After Phi(s) has changed. */
void cairn_primal_admm_shift(const cairn_run *run, cairn_primal_admm *w);

/* u (m) = slip of the last solve, without Phi. */
void cairn_primal_admm_slip(const cairn_run *run, const cairn_primal_admm *w, double *u);

/* |A' rho z|, computed once per iteration when asked for. */
double cairn_primal_admm_size_z(const cairn_run *run, cairn_primal_admm *w);

/* Stop test (16), (17). */
bool cairn_primal_admm_own_stop(const cairn_run *run, cairn_primal_admm *w);

/* The penalty for the next iteration by the policy (38), (39), (49). */
double cairn_primal_admm_choose(const cairn_run *run, cairn_primal_admm *w);

/* Takes yn, zn over: relaxation (50), restart (52). */
void cairn_primal_admm_advance(const cairn_run *run, cairn_primal_admm *w);
/* Forgets the momentum: another s is another problem. */
void cairn_primal_admm_still(cairn_primal_admm *w);
/* Another penalty: stored duals are scaled by rho_old/rho_new. */
void cairn_primal_admm_change(cairn_run *run, cairn_primal_admm *w, double rho);

#endif
