/*
 * ipm.h: the interior point iteration on v, shared by `ipm` and `auto`.
 */
#ifndef CAIRN_SOLVE_SECOND_ORDER_IPM_H
#define CAIRN_SOLVE_SECOND_ORDER_IPM_H

#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"

#include "solve/second_order/cone_algebra.h"

/* Vectors of the problem; those of the cones are in the tiles. Vectors of m have one more place,
 * which stands for rows that a short cone does not have. */
typedef struct cairn_ipm {
    cairn_kkt *kkt; /* not owned */
    cairn_cones cones;
    int now;                   /* the direction in work: way of the tiles, dv and dgamma */
    double *dv[2], *dgamma[2]; /* n, m (bilateral rows) */
    double *v, *rd;            /* n: velocity, momentum residual */
    double *k;                 /* n: k / unit */
    double *b;                 /* m: b / unit */
    double *gamma;             /* m: L z and the bilateral impulses, in units of unit */
    double *h;                 /* m: impulses of a right-hand side */
    double *u, *q;             /* m */
    double *p;                 /* n */
    double *theta;             /* m: rho_b n_i */
    double *B;                 /* blocks of weights */
    int *B_start;              /* blocks + 1 */
    int *joint_row;            /* joint_rows: the bilateral rows */
    int joint_rows;
    double unit;    /* impulses, velocities and loads are divided by this */
    double damping; /* least share of the largest step that is taken */
    double share;   /* that of this iteration */
    double goal;    /* natural map at which another method takes over, after HANDOVER iterations; 0: none does */
    /* NULL, or called once per attempt, under the exact law, when it slows down near the answer,
     * with its candidate in u; true: the run is over */
    bool (*aside)(cairn_run *run, void *user);
    void *user;
    bool heavy;     /* cones have the scale of the heaviest bodies */
    double common;  /* the n_i of all cones then; 0: each has its own */
    bool drifting;  /* rp is carried along, not computed from v */
    bool factored;  /* in this attempt */
    bool compliant; /* some C is not 0 */
    bool coulomb;   /* some cone is under the exact law */
} cairn_ipm;

void cairn_ipm_layout(cairn_ipm *w, cairn_arena *arena, const cairn_problem *problem);
void cairn_ipm_prepare(const cairn_run *run, cairn_ipm *w, cairn_kkt *kkt);
/* Runs from cold, or from run->guess when warm. smooth: c of cone_algebra.h for cones under the
 * exact law. damping: share of the largest step that is taken. True: the run is over
 * (cairn_run_tick said so). False: the iteration has done what it can; run->best_gamma holds its
 * best candidate. */
bool cairn_ipm_run(cairn_run *run, cairn_ipm *w, bool warm, double smooth, double damping, int max_iterations);
/* Why this problem is not for the method, or NULL. */
const char *cairn_ipm_refuses(const cairn_problem *problem, const cairn_settings *settings);

#endif
