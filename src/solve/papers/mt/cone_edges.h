/*
 * cone_edges.h: polyhedral sets as gamma = G lambda, lambda >= 0, block by block: the inequality
 * rows G'u >= 0 of a quadratic program.
 */
#ifndef CAIRN_SOLVE_PAPERS_MT_CONE_EDGES_H
#define CAIRN_SOLVE_PAPERS_MT_CONE_EDGES_H

#include "solve/driver/method.h"

/* One block that is not bilateral. */
typedef struct cairn_cone_edges_block {
    int row, dim;     /* of the problem */
    int block;        /* of the problem */
    int first, count; /* of its multipliers */
    bool unit;        /* G = I */
    double scale;     /* s: gamma = s G lambda, y = s G'u */
} cairn_cone_edges_block;

typedef struct cairn_cone_edges {
    int blocks, count;             /* blocks that are not bilateral; multipliers of all */
    cairn_cone_edges_block *block; /* blocks */
    double *G; /* multipliers x 3: each column of G; of a nonnegative block the unit vectors, not stored */
} cairn_cone_edges;

/* Why the problem's sets are no polyhedral cones under a convex law, or NULL. */
const char *cairn_cone_edges_refuse(const cairn_problem *problem, const cairn_settings *settings);
/* Most multipliers, whatever the friction coefficients will be. */
int64_t cairn_cone_edges_count(const cairn_problem *problem);
void cairn_cone_edges_layout(cairn_cone_edges *w, cairn_arena *arena, const cairn_problem *problem);
/* For the present friction and scales (m); scale NULL: 1. False: the sets or the law no longer
 * fit. */
bool cairn_cone_edges_fill(cairn_cone_edges *w, const cairn_problem *problem, const double *row_scale);

/* y (count) = s G'u of one block, u its dim components. */
void cairn_cone_edges_velocity(const cairn_cone_edges *w, int i, const double *u, double *y);
/* gamma (dim) = s G lambda of one block. */
void cairn_cone_edges_impulse(const cairn_cone_edges *w, int i, const double *lambda, double *gamma);
/* B (dim x dim, row by row) = s^2 G diag(weight) G' of one block. */
void cairn_cone_edges_weight(const cairn_cone_edges *w, int i, const double *weight, double *B);
/* lambda (count) >= 0 with gamma = s G lambda for a gamma of the set, spread over all directions
 * as far as it goes. */
void cairn_cone_edges_split(const cairn_cone_edges *w, int i, const double *gamma, double *lambda);

#endif
