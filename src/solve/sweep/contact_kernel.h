/*
 * contact_kernel.h: contacts between rigid bodies laid out for sweeps, four side by side.
 */
#ifndef CAIRN_SOLVE_SWEEP_CONTACT_KERNEL_H
#define CAIRN_SOLVE_SWEEP_CONTACT_KERNEL_H

#include "solve/driver/method.h"

/* numbers of a body in w: its rows, six at most, padded with zeros to a line of the cache */
#define CAIRN_CONTACT_KERNEL_BODY  8
#define CAIRN_CONTACT_KERNEL_LANES 4  /* contacts of a group, which share no body */
#define CAIRN_CONTACT_KERNEL_LINE  64 /* bytes of a line of the cache */

typedef double cairn_quad __attribute__((vector_size(32)));
typedef int64_t cairn_quad_mask __attribute__((vector_size(32)));

/* Each number of four contacts side by side. A lane without contact has zeros everywhere, and
 * row = m. */
typedef struct cairn_contact_kernel_group {
    int row[CAIRN_CONTACT_KERNEL_LANES];     /* where the impulses begin */
    int body[2][CAIRN_CONTACT_KERNEL_LANES]; /* where the bodies begin in w; none: a last body that stays 0 */
    cairn_quad b[3];
    cairn_quad N[6], inverse[6]; /* N_ii and its inverse: the upper triangle row by row */
    cairn_quad mu;
    cairn_quad_mask invertible, isotropic; /* which closed forms hold, see contact_kernel.c */
    cairn_quad E[2][3][6];                 /* R'D of the two bodies */
} cairn_contact_kernel_group;

typedef struct cairn_contact_kernel {
    int groups;
    void *memory;                      /* of the groups, */
    cairn_contact_kernel_group *group; /* which begin at a line of the cache */
    int bodies;   /* of the problem; w has CAIRN_CONTACT_KERNEL_BODY numbers for each and for the one that stays 0 */
    double *free; /* w without impulses: R'k */
} cairn_contact_kernel;

/* Are all blocks plain cones of three rows between at most two bodies of at most six rows,
 * without compliance, H symmetric? */
bool cairn_contact_kernel_fits(const cairn_problem *problem);
/* place (CAIRN_CONTACT_KERNEL_LANES groups): which block is in which lane, -1: none. On failure
 * nothing is left. CAIRN_ERROR_NUMERICAL: an inverse of H is not positive definite. */
cairn_status cairn_contact_kernel_create(const cairn_run *run, int groups, const int *place, cairn_contact_kernel *out);
void cairn_contact_kernel_free(cairn_context *context, cairn_contact_kernel *packed);

/* Groups for contacts in the order of the blocks, as nearly as may be: contact_groups.c. place:
 * room for CAIRN_CONTACT_KERNEL_LANES blocks; *groups: how many there are. */
cairn_status cairn_contact_kernel_arrange(const cairn_problem *problem, int *place, int *groups);
/* Groups contacts colour by colour: order (blocks) holds one colour after the other, and no two
 * contacts of a colour share a body. colour_start (colours + 1): in blocks, then in groups. */
void cairn_contact_kernel_split(const int *order, int colours, int *colour_start, int *place, int *groups);

/* w (CAIRN_CONTACT_KERNEL_BODY a body, and one more) = R'(k + D gamma), where H^-1 = R R'. gamma: m
 * numbers and three more. */
void cairn_contact_kernel_refresh(const cairn_contact_kernel *packed, const double *gamma, double *w);

/* Visits groups begin to end - 1, or the other way round: gamma and change (m numbers and three
 * more) in problem order, w as above. shared: other threads may visit other groups of the colour
 * at the same time. */
void cairn_contact_kernel_visit(const cairn_run *run, const cairn_contact_kernel *packed, double omega, int begin,
                                int end, bool backwards, bool shared, double *gamma, double *change, double *w);

#endif
