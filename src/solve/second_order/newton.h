/*
 * newton.h: augmented Lagrangian with a semismooth Newton method inside, on v; alone as `nsn`, and
 * as the polish of others.
 */
#ifndef CAIRN_SOLVE_SECOND_ORDER_NEWTON_H
#define CAIRN_SOLVE_SECOND_ORDER_NEWTON_H

#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"

/* Vectors of m rows unless stated. */
typedef struct cairn_newton {
    cairn_kkt *kkt;                 /* not owned */
    double *B;                      /* blocks of weights */
    int *B_start;                   /* blocks + 1 */
    double *theta;                  /* rho_b n_i of bilateral rows */
    double *base;                   /* 1/n_i: sigma_i = sigma*base */
    double *r;                      /* the multiplier gamma^k of the augmented Lagrangian */
    double *x, *P;                  /* argument and value of the projection; P of bilateral rows is their gamma */
    double *u;                      /* D'v + b */
    double *q, *dgamma;             /* right-hand side and step of bilateral rows */
    double *v, *g, *d;              /* n: velocity, momentum residual, Newton direction */
    double *vt, *gt, *xt, *Pt, *ut; /* trial point of the line search: n, n, m, m, m */
    double *saved;                  /* n: v at the start of an inner loop */
    double *weighted;               /* n: H^-1 g of the last merit */
    double *image;                  /* n: H v */
    double *scale;                  /* n_i, 0 for bilateral rows */
    int *joint_row;                 /* joint_rows: the bilateral rows */
    int joint_rows;
    double sigma;
    bool coulomb;
    bool hasty; /* an attempt that ends with the first step that does not help; set by the caller */
    /* natural map from which on a step that does not halve it ends the attempt: it is made of
     * rounding; set by the caller, 0: none */
    double rounded;
    int slow; /* steps so far that have hardly helped */
} cairn_newton;

/* Takes memory from the arena (counting or real). */
void cairn_newton_layout(cairn_newton *w, cairn_arena *arena, const cairn_problem *problem);
/* Once after layout with real memory. */
void cairn_newton_prepare(const cairn_run *run, cairn_newton *w, cairn_kkt *kkt);
/* Runs from gamma (m) until cairn_run_tick says stop (returns true) or limit factorisations are
 * spent or no progress is made (returns false; run->best_gamma has the best candidate). v: n, or
 * NULL: H^-1(k + D gamma). */
bool cairn_newton_run(cairn_run *run, cairn_newton *w, const double *gamma, const double *v, double sigma, int limit);

/* Why Newton's matrix cannot be formed for this problem, or NULL. */
const char *cairn_newton_refuses(const cairn_problem *problem, const cairn_settings *settings);

#endif
