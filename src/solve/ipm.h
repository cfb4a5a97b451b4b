/*
 * ipm.h: the interior point iteration on v, shared by `ipm` and `auto`.
 */
#ifndef CAIRN_SOLVE_IPM_H
#define CAIRN_SOLVE_IPM_H

#include "method.h"

#include "../problem/kkt.h"

#include "cone_scaling.h"

/* One cone: rows of the problem and the diagonal L with y = L u, gamma = L z. */
typedef struct cairn_ipm_cone {
    int row, dim;
    int block;
    double c; /* smoothing of the exact law; 0: associated, or no tangent */
    double L[3];
} cairn_ipm_cone;

/* n_c cones of three components; vectors of the problem where stated. */
typedef struct cairn_ipm {
    cairn_kkt *kkt; /* not owned */
    int cones;
    cairn_ipm_cone *cone;
    cairn_cone_scaling *scaling;   /* cones */
    double *y, *z;                 /* 3 cones: slip and impulse in the cones' own scales */
    double *y_gap, *z_gap;         /* cones: gap of the slack s(y), and of z */
    double *rp;                    /* 3 cones: L(D'v + b + C gamma) - y */
    double *t;                     /* 3 cones: target */
    double *dy, *dz, *dv, *dgamma; /* direction: 3 cones, 3 cones, n, m (bilateral rows) */
    double *best_dy, *best_dz, *best_dv, *best_dgamma;
    double *v, *rd;    /* n: velocity, momentum residual */
    double *k;         /* n: k / unit */
    double *b;         /* m: b / unit */
    double *gamma;     /* m: L z and the bilateral impulses, in units of unit */
    double *h, *u, *q; /* m */
    double *p;         /* n */
    double *theta;     /* m: rho_b n_i */
    double *B;         /* blocks of weights */
    int *B_start;      /* blocks + 1 */
    double unit;       /* impulses, velocities and loads are divided by this */
    double damping;    /* share of the largest step that is taken */
    bool compliant;    /* some C is not 0 */
    bool coulomb;      /* some cone is under the exact law */
} cairn_ipm;

void cairn_ipm_layout(cairn_ipm *w, cairn_arena *arena, const cairn_problem *problem);
void cairn_ipm_prepare(const cairn_run *run, cairn_ipm *w, cairn_kkt *kkt);
/* Runs from cold, or from run->guess when warm. smooth: c of cone_scaling.h for cones under the exact law. damping: share of
 * the largest step that is taken. True: the run is over (cairn_run_tick said so). False: the iteration has
 * done what it can; run->best_gamma holds its best candidate. */
bool cairn_ipm_run(cairn_run *run, cairn_ipm *w, bool warm, double smooth, double damping, int max_iterations);
/* Why this problem is not for the method, or NULL. */
const char *cairn_ipm_refuses(const cairn_problem *problem, const cairn_settings *settings);

#endif
