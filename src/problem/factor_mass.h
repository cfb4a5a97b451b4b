/*
 * factor_mass.h: a sparse factor of H by itself.
 */
#ifndef CAIRN_PROBLEM_FACTOR_MASS_H
#define CAIRN_PROBLEM_FACTOR_MASS_H

#include "../linalg/shelf.h"
#include "data.h"

/* Global form. CAIRN_ERROR_NUMERICAL: H is not positive definite at *failed, and nothing was said of it. On an error *out stays as it was. shelf: where
 * a factor of the same pattern may lie, and where the caller puts this one at last. */
cairn_status cairn_problem_factor_mass(const cairn_problem *problem, cairn_shelf *shelf, cairn_factor **out,
                                       int *failed);

#endif
