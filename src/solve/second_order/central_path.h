/*
 * central_path.h: the interior path of a problem under the exact law, followed by its length; the
 * last resort of `ipm` and `auto`.
 */
#ifndef CAIRN_SOLVE_SECOND_ORDER_CENTRAL_PATH_H
#define CAIRN_SOLVE_SECOND_ORDER_CENTRAL_PATH_H

#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"

#include "solve/second_order/central_path_cone.h"

/* One cone: rows of the problem, the diagonal L with y = L u, gamma = L z, and E = L C L. */
typedef struct cairn_central_path_cone {
    int row, dim;
    int block;
    double c; /* smoothing of the exact law; 0: no tangent */
    double L[3], E[3];
} cairn_central_path_cone;

/* A direction, or a point without its gaps: velocity (n), slip and impulse in cone scales (3
 * cones), bilateral impulses (m). */
typedef struct cairn_central_path_vector {
    double *v, *y, *z, *joints;
    double log_level; /* of a direction: change of the logarithm of the level */
} cairn_central_path_vector;

typedef struct cairn_central_path_point {
    cairn_central_path_vector at;
    double *y_gap, *z_gap; /* cones */
    double level;          /* s(y) o z = level e, and residuals = level (those of the start) */
} cairn_central_path_point;

typedef struct cairn_central_path {
    cairn_kkt *kkt; /* not owned */
    int cones;
    cairn_central_path_cone *cone;
    cairn_cone_scaling *scaling;
    cairn_central_path_point here, next;
    cairn_central_path_vector tangent, newton,
        along;                         /* unit tangent of the predictor; corrector; d/dlog(level) of the corrector */
    double *rd0, *rp0, *q0;            /* residuals of the start: n, 3 cones, m (bilateral rows) */
    double *rd, *rp, *q, *t;           /* residuals and target: n, 3 cones, m, 3 cones */
    double *gamma, *u, *h, *p, *k, *b; /* m, m, m, n, n, m */
    double *theta;                     /* m: rho_b n_i */
    double *B;                         /* blocks of weights */
    int *B_start;                      /* blocks + 1 */
    double unit;                       /* impulses, velocities and loads are divided by this */
    double step;                       /* length of the next predictor */
    bool flipped;                      /* parity of negative pivots at the start */
    bool compliant;
} cairn_central_path;

typedef enum cairn_central_path_end {
    CAIRN_CENTRAL_PATH_OVER,
    CAIRN_CENTRAL_PATH_GOAL,
    CAIRN_CENTRAL_PATH_LOST
} cairn_central_path_end;

void cairn_central_path_layout(cairn_central_path *w, cairn_arena *arena, const cairn_problem *problem);
void cairn_central_path_prepare(const cairn_run *run, cairn_central_path *w, cairn_kkt *kkt);
/* Puts the point to the start of the path. smooth: c of central_path_cone.h. False: no factor. */
bool cairn_central_path_begin(cairn_run *run, cairn_central_path *w, double smooth);
/* Goes on. OVER: cairn_run_tick ended the run. GOAL: a candidate has a natural map below goal.
 * LOST: no way on, or limit factorisations are spent. */
cairn_central_path_end cairn_central_path_follow(cairn_run *run, cairn_central_path *w, double goal, int limit);

#endif
