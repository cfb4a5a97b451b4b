/*
 * reduced_basis.h: a problem with flexible parts, solved first in a few modes of each part.
 */
#ifndef CAIRN_SOLVE_AUTO_REDUCED_BASIS_H
#define CAIRN_SOLVE_AUTO_REDUCED_BASIS_H

#include "solve/driver/method.h"

typedef struct cairn_reduced_basis cairn_reduced_basis;

/* Why the problem is refused, or NULL: no flexible parts, H unsymmetric, sets that the
 * interior point does not take. */
const char *cairn_reduced_basis_refuse(const cairn_run *run);

/* Mean residual compliance of the truncated modes, relative to the block scales n_i: 0.5 for
 * rubber, 1e-6 for steel. Takes memory while it runs. */
cairn_status cairn_reduced_basis_softness(const cairn_run *run, double *softness);

/* Finds the modes, with solves by H that are counted in run, and loads the problem in them.
 * Takes memory. *out stays NULL where no part is touched. */
cairn_status cairn_reduced_basis_create(cairn_run *run, cairn_reduced_basis **out);
void cairn_reduced_basis_destroy(cairn_context *context, cairn_reduced_basis *modes); /* NULL allowed */

/* The answer in the modes: *gamma and *u (m each, the modes' own until the next call) are in the
 * sets, and complementary to what the interior point reached. from: m, what the impulses are
 * expected to be near, or NULL. *good: it is worth a try. */
cairn_status cairn_reduced_basis_solve(cairn_run *run, cairn_reduced_basis *modes, const double *from,
                                       const double **gamma, const double **u, bool *good);

#endif
