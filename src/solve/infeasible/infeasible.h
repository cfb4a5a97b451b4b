/*
 * infeasible.h: proofs that a problem has no answer.
 */
#ifndef CAIRN_SOLVE_INFEASIBLE_INFEASIBLE_H
#define CAIRN_SOLVE_INFEASIBLE_INFEASIBLE_H

#include "solve/driver/method.h"

enum { CAIRN_PROVE_MOST = 600 }; /* n from which on cairn_run_prove does not search */

/* Searches for a proof among the normal impulses of contacts and the reactions of rigid joints:
 * these alone decide whether any motion is allowed. *proven: there is none, and the run is over.
 * Takes memory while it runs. The answer of a problem whose motions exist is no matter of this
 * proof. */
cairn_status cairn_run_prove(cairn_run *run, bool *proven);

#endif
