/*
 * packed.h: contacts between rigid bodies laid out for sweeps.
 */
#ifndef CAIRN_SOLVE_PACKED_H
#define CAIRN_SOLVE_PACKED_H

#include "method.h"

#define CAIRN_PACKED_BODY 6 /* rows of a body at most; fewer are padded with zeros */

typedef struct cairn_packed {
    int count;     /* contacts, in the order in which they are visited */
    int *block;    /* count */
    int *body;     /* 2 count: where the two bodies begin in w, -1: none */
    double *D;     /* 36 count: R'D of the first body, three rows of six, then of the second */
    double *local; /* 15 count: b; N_ii and its inverse, six entries each of the upper triangle row by row */
    char *kind;    /* count: what closed forms hold, see packed.c */
    double *free;  /* w without impulses: R'k */
} cairn_packed;

/* Are all blocks plain cones of three rows between at most two bodies of at most six rows, without compliance, H symmetric? */
bool cairn_packed_fits(const cairn_problem *problem);
/* order (blocks): which block is visited when. On failure nothing is left. CAIRN_ERROR_NUMERICAL: an inverse of H is not
 * positive definite. */
cairn_status cairn_packed_create(const cairn_run *run, const int *order, cairn_packed *out);
void cairn_packed_free(cairn_context *context, cairn_packed *packed);

/* w (6 a body) = R'(k + D gamma), where H^-1 = R R'. */
void cairn_packed_refresh(const cairn_packed *packed, const cairn_problem *problem, const double *gamma, double *w);

/* Visits contacts begin to end - 1, or the other way round: gamma and change (m) in problem order, w as above. */
void cairn_packed_visit(const cairn_run *run, const cairn_packed *packed, double omega, int begin, int end,
                        bool backwards, double *gamma, double *change, double *w);

#endif
