/*
 * refine_resting.h: bodies at rest on each other's faces: an answer so good that the steps to come
 * can keep it.
 */
#ifndef CAIRN_SOLVE_AUTO_REFINE_RESTING_H
#define CAIRN_SOLVE_AUTO_REFINE_RESTING_H

#include "solve/second_order/ipm_newton.h"

/* The last step's impulses, taken as they are, set bodies moving that were still: they also did
 * away with a velocity that is gone now. Without a better answer the next guess is as far off,
 * and so on for ever. */
bool cairn_rest_disturbed(const cairn_run *run);

/* Is the accepted answer one of bodies at rest, and worth making better? */
bool cairn_rest_rough(const cairn_run *run);

/* Makes it better, with few factorisations; run->settings are the caller's for this, with
 * *tolerance in them. Takes no memory. */
void cairn_rest_refine(cairn_run *run, cairn_second_order *second, double *tolerance, int limit);

#endif
