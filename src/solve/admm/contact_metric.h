/*
 * contact_metric.h: from the last step's impulses and velocities to this step's, with one
 * factorisation or two: see contact_metric.c.
 */
#ifndef CAIRN_SOLVE_ADMM_CONTACT_METRIC_H
#define CAIRN_SOLVE_ADMM_CONTACT_METRIC_H

#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"

#include "solve/admm/anderson.h"

/* B of one contact in its own directions: normal, along the slip, across it. */
typedef struct cairn_track_metric {
    double normal, along, across;
    double couple; /* friction that goes with the normal impulse: mu where the contact slides, 0 where it sticks */
    double t[2];   /* direction of friction where it slides, in the contact's tangents */
} cairn_track_metric;

/* Vectors of m rows unless stated. */
typedef struct cairn_track {
    cairn_kkt *kkt;             /* not owned */
    cairn_track_metric *metric; /* a block */
    double *B;                  /* the same as blocks of weights */
    int *B_start;               /* blocks + 1 */
    double *x;                  /* state */
    double *z, *u;              /* impulses and slips that keep the law, x = z - B u */
    double *gamma, *v;          /* of the linear solve: m, n */
    double *given;              /* contacts: 2z - x - B b */
    double *step;               /* gamma - z; 0 at joints */
    double *theta;              /* joints: rho_b n_i */
    double *weight;             /* of the norm of the acceleration */
    double *q;                  /* right-hand side of joints, then slips of contacts */
    double *p;                  /* n: right-hand side */
    cairn_anderson quick;
    double power, normal; /* see POWER and NORMAL in contact_metric.c */
} cairn_track;

/* Rigid bodies, contacts without compliance under the exact law, unilateral rows, joints. */
bool cairn_track_fits(const cairn_run *run);
void cairn_track_layout(cairn_track *w, cairn_arena *arena, const cairn_problem *problem);
/* kkt: for blocks that need not be symmetric. */
void cairn_track_prepare(const cairn_run *run, cairn_track *w, cairn_kkt *kkt);
/* From run->guess and run->guess_v, the last step's. True: the run is over. False: what is here
 * is no small change of what was. */
bool cairn_track_run(cairn_run *run, cairn_track *w);
/* From gamma (m) until the best natural map is at most goal. True: the run is over. False: it
 * is, or will not be. */
bool cairn_track_settle(cairn_run *run, cairn_track *w, const double *gamma, double goal);

/* z: the point of the disc of radius r >= 0 nearest to x in the norm with weights 1/b_0, 1/b_1. */
void cairn_track_disc(double b0, double b1, double r, const double x[2], double z[2]);

#endif
