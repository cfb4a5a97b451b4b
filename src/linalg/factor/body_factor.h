/*
 * body_factor.h: a factor of rigid bodies rearranged for many solves.
 */
#ifndef CAIRN_LINALG_FACTOR_BODY_FACTOR_H
#define CAIRN_LINALG_FACTOR_BODY_FACTOR_H

#include "linalg/factor/factor.h"

typedef struct cairn_body_factor cairn_body_factor;

/* For a symmetric factor whose rows come in bodies of six, which must outlive it; *out is NULL
 * when they do not. Takes all memory. */
cairn_status cairn_body_factor_create(cairn_context *context, const cairn_factor *factor, cairn_body_factor **out);
void cairn_body_factor_destroy(cairn_body_factor *body_factor); /* NULL allowed */

/* After every successful cairn_factor_numeric. Allocates nothing. */
void cairn_body_factor_refresh(cairn_body_factor *body_factor);

/* x <- A^-1 x (n). One thread. As accurate as cairn_factor_solve while the bodies' own blocks
 * are well conditioned. */
void cairn_body_factor_solve(const cairn_body_factor *body_factor, double *x);

#endif
