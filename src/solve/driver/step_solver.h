/*
 * step_solver.h: loading a problem whose guess is likely to be its answer, as that of a step of
 * bodies at rest.
 */
#ifndef CAIRN_SOLVE_DRIVER_STEP_SOLVER_H
#define CAIRN_SOLVE_DRIVER_STEP_SOLVER_H

#include <cairn/solver.h>

#define CAIRN_FACTOR_COUNTS 20.0 /* iterations that a factorisation counts as where work is counted */

/* cairn_solver_load without what the method prepares (orders of elimination, packed contacts).
 * The next solve tests no impulses and the guess, projected; the method's part is made only when
 * neither passes, and takes memory then. Processor time is not taken: cpu_seconds and
 * load_cpu_seconds are 0. */
cairn_status cairn_solver_load_light(cairn_solver *solver, const cairn_problem *problem);

/* v (n) = H^-1 k of the loaded problem, in global form. */
void cairn_solver_predict(cairn_solver *solver, double *v);

/* From now on the method's own figures decide and no judge is asked: for problems that only lead
 * to a guess. certificate.natural_map is the method's, and all that is said. */
void cairn_solver_trust(cairn_solver *solver);

/* From now on solves by `auto` end as stalled once iterations + CAIRN_FACTOR_COUNTS
 * factorisations exceed `work`; INFINITY: they do not. hurried: small problems begin with sweeps
 * and Newton's method whatever the guess, and an accepted answer is not made better: for the
 * parts of a step that is cut, of which there may be hundreds. */
void cairn_solver_allow(cairn_solver *solver, double work, bool hurried);

#endif
