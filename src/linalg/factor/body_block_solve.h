/*
 * body_block_solve.h: a factor of rigid bodies rearranged for many solves.
 */
#ifndef CAIRN_LINALG_FACTOR_BODY_BLOCK_SOLVE_H
#define CAIRN_LINALG_FACTOR_BODY_BLOCK_SOLVE_H

#include "linalg/factor/factor.h"

typedef struct cairn_sixes cairn_sixes;

/* For a symmetric factor whose rows come in bodies of six, which must outlive it; *out is NULL
 * when they do not. Takes all memory. */
cairn_status cairn_sixes_create(cairn_context *context, const cairn_factor *factor, cairn_sixes **out);
void cairn_sixes_destroy(cairn_sixes *sixes); /* NULL allowed */

/* After every successful cairn_factor_numeric. Allocates nothing. */
void cairn_sixes_refresh(cairn_sixes *sixes);

/* x <- A^-1 x (n). One thread. As accurate as cairn_factor_solve while the bodies' own blocks
 * are well conditioned. */
void cairn_sixes_solve(const cairn_sixes *sixes, double *x);

#endif
