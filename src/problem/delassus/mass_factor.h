/*
 * mass_factor.h: a sparse factor of H by itself.
 */
#ifndef CAIRN_PROBLEM_DELASSUS_MASS_FACTOR_H
#define CAIRN_PROBLEM_DELASSUS_MASS_FACTOR_H

#include "linalg/factor/factor_cache.h"
#include "problem/problem_data.h"

/* Global form. CAIRN_ERROR_NUMERICAL: H is not positive definite at *failed, and nothing was
 * said of it. On an error *out stays as it was. cache: where a factor of the same pattern may lie,
 * and to which the caller returns this one. */
cairn_status cairn_problem_factor_mass(const cairn_problem *problem, cairn_factor_cache *cache, cairn_factor **out,
                                       int *failed);

#endif
