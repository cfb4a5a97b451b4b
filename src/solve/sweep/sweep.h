/*
 * sweep.h: block Gauss-Seidel sweeps, in the order of the blocks or colour by colour.
 */
#ifndef CAIRN_SOLVE_SWEEP_SWEEP_H
#define CAIRN_SOLVE_SWEEP_SWEEP_H

#include "problem/delassus/jacobian_columns.h"
#include "solve/driver/method.h"
#include "solve/sweep/contact_kernel.h"
#include "solve/sweep/row_kernel.h"

typedef struct cairn_sweep {
    bool by_velocity;            /* u from v, by columns; else from gamma, by rows of N */
    bool is_packed;              /* u from w = R'(k + D gamma), see contact_kernel.c; then by_velocity too */
    cairn_contact_kernel packed; /* is_packed */
    cairn_row_kernel singles;    /* memory is not NULL: all blocks are single unilateral rows; then by_velocity too */
    cairn_jacobian_columns columns; /* by_velocity otherwise */
    cairn_delassus N;               /* else */
    int *start;                     /* blocks + 1: where N_ii begins in diagonal and inverse */
    double *diagonal;               /* symmetric parts of N_ii */
    double *inverse;                /* bilateral blocks: (N_ii + tiny)^-1 */
    int *order;                     /* blocks, sorted by colour, rising in each */
    int *colour_start;              /* colours + 1: in order, or in the groups of packed */
    int colours;                    /* 1 and in sequence when not asked to colour */
    double *gamma;                  /* m, and three for packed: the iterate */
    double *v;      /* state: H^-1 (k + D gamma), and six zeros for rows; or packed: R'(k + D gamma); linear in gamma */
    int state;      /* length of v, 0 unless by_velocity */
    double *change; /* likewise: the last sweep's change of gamma */
} cairn_sweep;

/* All memory for run->problem. On failure nothing is left. */
cairn_status cairn_sweep_create(cairn_run *run, cairn_sweep **out);
void cairn_sweep_destroy(cairn_context *context, cairn_sweep *sweep);

/* v anew from gamma, which removes the rounding that sweeps add up. */
void cairn_sweep_refresh(cairn_run *run, cairn_sweep *sweep);

/* One sweep: gamma_i <- (1 - omega) gamma_i + omega (answer of block i's own problem), projected
 * when omega != 1. */
void cairn_sweep_run(cairn_run *run, cairn_sweep *sweep, double omega, bool backwards);

/* The iteration of nncg as a stage of another method (method_nncg.c): workspace, and at most
 * limit iterations (0: no limit of its own) from run->guess or from zero; with a limit it also
 * ends when the map has not fallen by a quarter over `window` iterations. True: the run is over. */
cairn_status cairn_nncg_prepare(cairn_run *run, void **workspace);
void cairn_nncg_release(cairn_context *context, void *workspace);
bool cairn_nncg_run(cairn_run *run, void *workspace, int limit, int window);
/* Runs as cairn_nncg_run, from gamma (m; NULL: from zero) instead of the guess; plain: without
 * conjugate gradients. */
bool cairn_nncg_again(cairn_run *run, void *workspace, const double *gamma, bool plain, int limit, int window);

#endif
