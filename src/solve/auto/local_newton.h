/*
 * local_newton.h: Newton's method for a problem in local form, on velocities that are made for it
 * (local_newton.c).
 */
#ifndef CAIRN_SOLVE_AUTO_LOCAL_NEWTON_H
#define CAIRN_SOLVE_AUTO_LOCAL_NEWTON_H

#include "solve/driver/method.h"

typedef struct cairn_moved cairn_moved;

/* *moved is NULL where Newton's method is not for the problem: in global form, or with so many
 * rows that a factorisation takes seconds. */
cairn_status cairn_moved_create(cairn_run *run, cairn_moved **moved);
void cairn_moved_destroy(cairn_context *context, cairn_moved *moved);

/* From gamma (m; may be run->best_gamma). True: the run is over, or *status says why not. */
bool cairn_moved_run(cairn_run *run, cairn_moved *moved, const double *gamma, cairn_status *status);

/* Why N has no form on velocities, in words: it is not positive semidefinite, or unsymmetric
 * outside its range. "": it has one. */
const char *cairn_moved_reason(const cairn_moved *moved);

#endif
