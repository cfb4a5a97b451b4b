/*
 * refine_resting.h: refines the answer of bodies at rest until it can be
 * kept in the following steps.
 */
#ifndef CAIRN_SOLVE_AUTO_REFINE_RESTING_H
#define CAIRN_SOLVE_AUTO_REFINE_RESTING_H

#include "solve/second_order/ipm_newton.h"

/* True when reusing the last impulses would accelerate resting bodies: they also cancelled a
 * velocity that no longer exists. Without a better answer every later guess is off by as much. */
bool cairn_resting_disturbed(const cairn_run *run);

/* True if the accepted answer brings bodies to rest and is worth refining. */
bool cairn_resting_rough(const cairn_run *run);

/* Refines the answer with few factorisations. run->settings are the caller's for this, with
 * *tolerance in them. Takes no memory. */
void cairn_resting_refine(cairn_run *run, cairn_ipm_newton *second, double *tolerance, int limit);

#endif
