/*
 * sphere_kernel.h: contacts between balls laid out for accelerated sweeps: frame and arms instead
 * of a matrix, a quarter of the memory traffic of contact_kernel.h.
 */
#ifndef CAIRN_SOLVE_SWEEP_SPHERE_KERNEL_H
#define CAIRN_SOLVE_SWEEP_SPHERE_KERNEL_H

#include "solve/sweep/contact_kernel.h"

/* Each number of four contacts side by side. A lane without contact has zeros everywhere but for
 * weight = normal = tangent = 1. */
typedef struct cairn_sphere_kernel_group {
    cairn_quad F[3][3];         /* normal and two tangents, right-handed */
    cairn_quad b[3];            /* of u */
    cairn_quad arm[2];          /* of the two bodies, see sphere_kernel.c */
    cairn_quad mu, weight;      /* friction; n_i = trace(N_ii) / 3 */
    cairn_quad normal, tangent; /* 1 / N_ii along the normal and across */
    cairn_quad x[3], old[3];    /* impulses now, and when the iteration began */
    cairn_quad p[3];            /* direction of the conjugate gradients */
    /* pushed by -F, by F: where their numbers begin in v; none: a last body that stays 0 */
    int body[2][CAIRN_CONTACT_KERNEL_LANES];
} cairn_sphere_kernel_group;

typedef struct cairn_sphere_kernel {
    int groups, bodies;
    bool coulomb;
    void *memory;                     /* of all that follows, */
    cairn_sphere_kernel_group *group; /* which begins at a line of the cache */
    double *v, *old, *p; /* eight numbers per body: velocity, 1/m, spin, 1/J; the same before, and their direction */
    double *free;        /* v without impulses */
    int *row;            /* lanes: where the impulses begin; -1: none */
} cairn_sphere_kernel;

/* Figures of an iteration, and of a candidate. */
typedef struct cairn_sphere_kernel_change {
    double square, primal, dual; /* sum of n f^2; largest |f| and n |f| of f = x - old */
} cairn_sphere_kernel_change;

typedef struct cairn_sphere_kernel_error {
    double map;      /* natural map, with run->free_slip */
    double velocity; /* worst velocity of a contact */
} cairn_sphere_kernel_error;

/* *out with NULL in memory: the problem has other contacts than those between balls. place: as
 * in contact_kernel.h. On failure nothing is left. */
cairn_status cairn_sphere_kernel_create(const cairn_run *run, int groups, const int *place, cairn_sphere_kernel *out);
void cairn_sphere_kernel_free(cairn_context *context, cairn_sphere_kernel *round);

/* Impulses from problem order, v from them, p = 0; and back to problem order. */
void cairn_sphere_kernel_put(cairn_sphere_kernel *round, const double *gamma);
void cairn_sphere_kernel_get(const cairn_sphere_kernel *round, double *gamma);
/* v anew from the impulses. */
void cairn_sphere_kernel_refresh(cairn_sphere_kernel *round);

/* x <- x + beta p, p <- beta p + keep (x - old), then a sweep forwards and one backwards. */
cairn_sphere_kernel_change cairn_sphere_kernel_iterate(cairn_sphere_kernel *round, double beta, double keep);
/* x <- a x, 0 <= a <= most: the size of all impulses together for which x'(u + mu |u_T| n)
 * vanishes while the slips of their friction keep their sizes; without friction the least energy
 * along x. v with it; p is to be cleared. Returns a. */
double cairn_sphere_kernel_resize(cairn_sphere_kernel *round, double most);
/* How good x is. load: square of the norm of the free slip, as in candidate_map.c. */
cairn_sphere_kernel_error cairn_sphere_kernel_test(const cairn_sphere_kernel *round, double load);

#endif
