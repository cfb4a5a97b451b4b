/*
 * local_newton.h: Newton's method for a problem in local form, on velocities that are made for it
 * (local_newton.c).
 */
#ifndef CAIRN_SOLVE_AUTO_LOCAL_NEWTON_H
#define CAIRN_SOLVE_AUTO_LOCAL_NEWTON_H

#include "solve/driver/method.h"

typedef struct cairn_local_newton cairn_local_newton;

/* *moved is NULL where Newton's method is not for the problem: in global form, or with so many
 * rows that a factorisation takes seconds. */
cairn_status cairn_local_newton_create(cairn_run *run, cairn_local_newton **moved);
void cairn_local_newton_destroy(cairn_context *context, cairn_local_newton *moved);

/* From gamma (m; may be run->best_gamma). True: the run is over, or *status says why not. */
bool cairn_local_newton_run(cairn_run *run, cairn_local_newton *moved, const double *gamma, cairn_status *status);

/* Why N has no form on velocities, in words: it is not positive semidefinite, or unsymmetric
 * outside its range. "": it has one. */
const char *cairn_local_newton_reason(const cairn_local_newton *moved);

#endif
