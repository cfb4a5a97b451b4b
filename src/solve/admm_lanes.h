/*
 * admm_lanes.h: padmm for rigid bodies in contact, four contacts side by side.
 */
#ifndef CAIRN_SOLVE_ADMM_LANES_H
#define CAIRN_SOLVE_ADMM_LANES_H

#include "admm.h"

typedef struct cairn_admm_lanes cairn_admm_lanes;

/* Only cones of three rows between rigid bodies? */
bool cairn_admm_lanes_fit(const cairn_run *run);
/* Do the settings ask for what the lanes do: the law in the projection, the first rule of the penalty, no acceleration, no stop but the certificate, no trace? */
bool cairn_admm_lanes_serve(const cairn_run *run);
/* kkt: symmetric, of the run's problem, which must outlive it. Takes all memory. */
cairn_status cairn_admm_lanes_create(cairn_run *run, cairn_kkt *kkt, cairn_admm_lanes **out);
void cairn_admm_lanes_destroy(cairn_admm_lanes *lanes); /* NULL allowed */

/* The loop of cairn_admm_run after cairn_admm_begin and the test of the guess, with admm->lanes. Same arguments, same answer. */
bool cairn_admm_lanes_run(cairn_run *run, cairn_admm *admm, int limit);

#endif
