/*
 * sphere_kernel.h: contacts between balls laid out for accelerated sweeps: frame and arms instead
 * of a matrix, a quarter of the memory traffic of contact_kernel.h.
 */
#ifndef CAIRN_SOLVE_SWEEP_SPHERE_KERNEL_H
#define CAIRN_SOLVE_SWEEP_SPHERE_KERNEL_H

#include "solve/sweep/contact_kernel.h"

/* Each number of four contacts side by side. A lane without contact has zeros everywhere but for
 * weight = normal = tangent = 1. */
typedef struct cairn_round_group {
    cairn_quad F[3][3];         /* normal and two tangents, right-handed */
    cairn_quad b[3];            /* of u */
    cairn_quad arm[2];          /* of the two bodies, see sphere_kernel.c */
    cairn_quad mu, weight;      /* friction; n_i = trace(N_ii) / 3 */
    cairn_quad normal, tangent; /* 1 / N_ii along the normal and across */
    cairn_quad x[3], old[3];    /* impulses now, and when the iteration began */
    cairn_quad p[3];            /* direction of the conjugate gradients */
    int body
        [2]
        [CAIRN_PACKED_LANES]; /* pushed by -F, by F: where their numbers begin in v; none: a last body that stays 0 */
} cairn_round_group;

typedef struct cairn_round {
    int groups, bodies;
    bool coulomb;
    void *memory;             /* of all that follows, */
    cairn_round_group *group; /* which begins at a line of the cache */
    double *v, *old, *p;      /* eight numbers a body: velocity, 1/m, spin, 1/J; the same before, and their direction */
    double *free;             /* v without impulses */
    int *row;                 /* lanes: where the impulses begin; -1: none */
} cairn_round;

/* Figures of an iteration, and of a candidate. */
typedef struct cairn_round_change {
    double square, primal, dual; /* sum of n f^2; largest |f| and n |f| of f = x - old */
} cairn_round_change;

typedef struct cairn_round_error {
    double map;      /* natural map, with run->free_slip */
    double velocity; /* worst velocity of a contact */
} cairn_round_error;

/* *out with NULL in memory: the problem has other contacts than those between balls. place: as
 * in contact_kernel.h. On failure nothing is left. */
cairn_status cairn_round_create(const cairn_run *run, int groups, const int *place, cairn_round *out);
void cairn_round_free(cairn_context *context, cairn_round *round);

/* Impulses from problem order, v from them, p = 0; and back to problem order. */
void cairn_round_put(cairn_round *round, const double *gamma);
void cairn_round_get(const cairn_round *round, double *gamma);
/* v anew from the impulses. */
void cairn_round_refresh(cairn_round *round);

/* x <- x + beta p, p <- beta p + keep (x - old), then a sweep forwards and one backwards. */
cairn_round_change cairn_round_iterate(cairn_round *round, double beta, double keep);
/* x <- a x, 0 <= a <= most: the size of all impulses together for which x'(u + mu |u_T| n)
 * vanishes while the slips of their friction keep their sizes; without friction the least energy
 * along x. v with it; p is to be cleared. Returns a. */
double cairn_round_resize(cairn_round *round, double most);
/* How good x is. load: square of the norm of the free slip, as in candidate_map.c. */
cairn_round_error cairn_round_test(const cairn_round *round, double load);

#endif
