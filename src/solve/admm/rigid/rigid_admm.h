/*
 * rigid_admm.h: padmm for rigid bodies in contact, four contacts side by side.
 */
#ifndef CAIRN_SOLVE_ADMM_RIGID_RIGID_ADMM_H
#define CAIRN_SOLVE_ADMM_RIGID_RIGID_ADMM_H

#include "solve/admm/admm.h"
#include "solve/admm/rigid/contact_simd.h"

/* Vectors in lanes have contacts.rows numbers, as contact_simd.h has it. */
typedef struct cairn_rigid_admm {
    cairn_context *context;
    cairn_arena arena;
    cairn_contact_simd contacts;
    double *x, *z, *b, *c; /* in lanes; c = b/theta */
    double *old;           /* in lanes: z before the iteration, where a proof is due */
    double *n, *root;      /* 4 per group: n_i and its root; 0 where there is no contact */
    double *under;         /* 4 per group: 1/theta */
    double *v, *image;     /* velocity rows and six zeros: velocity of the last solve, D (2 z - x - c) */
    double *w, *impulse;   /* the same for the test: velocity and D z of the candidate z */
    double load;           /* square of the free slip's norm, as in candidate_map.c */
    double distance;       /* when it was tested last: the larger of map and worst velocity over what is allowed */
    double ratio;          /* square of the map over that of the step when it was tested last; 0: test at once */
} cairn_rigid_admm;

/* What is to be known of an iteration: each costs something. */
typedef enum cairn_admm_measure { CAIRN_MEASURE_NOTHING, CAIRN_MEASURE_SQUARE, CAIRN_MEASURE_ALL } cairn_admm_measure;

/* One iteration. What was not asked for is 0. */
typedef struct cairn_admm_step {
    double square;                 /* of the step of x, with the weights n_i */
    double primal, dual;           /* largest |gamma - z|, Theta |z - z_old| */
    double primal_root, dual_root; /* the same times and over the roots of n_i, for the rule of [T21 (42)] */
} cairn_admm_step;

/* Only cones of three rows between rigid bodies? */
bool cairn_rigid_admm_fit(const cairn_run *run);
/* Do the settings ask for what the lanes do: the law in the projection, the first rule of the
 * penalty, no acceleration, no stop but the certificate? */
bool cairn_rigid_admm_serve(const cairn_run *run);
/* kkt: symmetric, of the run's problem, which must outlive it. Takes all memory. */
cairn_status cairn_rigid_admm_create(cairn_run *run, cairn_kkt *kkt, cairn_rigid_admm **out);
void cairn_rigid_admm_destroy(cairn_rigid_admm *lanes); /* NULL allowed */

/* The loop of cairn_admm_run after cairn_admm_begin and the test of the guess, with admm->lanes.
 * Same arguments, same answer. */
bool cairn_rigid_admm_run(cairn_run *run, cairn_admm *admm, int limit);
/* ADMM with two penalties in turn, both factors kept, from run->guess or cold, for at most limit
 * iterations; see two_penalties.c. True: the run is over. */
bool cairn_admm_turns_run(cairn_run *run, cairn_admm *admm, int limit);

/* Parts of both. x from admm->x, for admm->rho. */
void cairn_rigid_admm_begin(const cairn_run *run, const cairn_admm *admm);
/* x keeps z and y while Theta changes by factor to that of admm->rho. */
void cairn_rigid_admm_rescale(const cairn_run *run, const cairn_admm *admm, double factor);
/* alpha: relaxation. False: something was measured and a number is not finite, and the run is
 * over. */
bool cairn_rigid_admm_iterate(cairn_run *run, cairn_admm *admm, double alpha, cairn_admm_measure measure,
                              cairn_admm_step *step);
/* Tests z: the map is computed in lanes, and the driver's own test follows where it may pass or
 * is worth to be kept. square: of the step before; last: no other test will follow. */
void cairn_rigid_admm_test(cairn_run *run, cairn_admm *admm, double square, bool last);
/* After an iteration and its test: counts it, and now and then attempts to prove infeasibility.
 * False: the run is over. */
bool cairn_rigid_admm_tick(cairn_run *run, cairn_admm *admm, bool tested);
/* True if the last step of x predicts that z passes, by the ratio of the map to that step at the
 * test before? */
bool cairn_rigid_admm_promising(const cairn_run *run, const cairn_rigid_admm *w, double square);

#endif
