/*
 * light.h: loading a problem whose guess is likely to be its answer, as that of a step of bodies at rest.
 */
#ifndef CAIRN_SOLVE_LIGHT_H
#define CAIRN_SOLVE_LIGHT_H

#include <cairn/solver.h>

/* cairn_solver_load without what the method prepares (orders of elimination, packed contacts). The next solve tests no impulses and the guess, projected;
 * the method's part is made only when neither passes, and takes memory then. Processor time is not
 * taken: cpu_seconds and load_cpu_seconds are 0. */
cairn_status cairn_solver_load_light(cairn_solver *solver, const cairn_problem *problem);

/* From now on the method's own figures decide and no judge is asked: for problems that only lead to a guess. certificate.natural_map is the method's, and all that is said. */
void cairn_solver_trust(cairn_solver *solver);

#endif
