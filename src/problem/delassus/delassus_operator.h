/*
 * delassus_operator.h: the Delassus operator N = D'H^-1 D + C without forming it, and what methods
 * need beside it.
 */
#ifndef CAIRN_PROBLEM_DELASSUS_DELASSUS_OPERATOR_H
#define CAIRN_PROBLEM_DELASSUS_DELASSUS_OPERATOR_H

#include "problem/problem_data.h"

typedef struct cairn_operator cairn_operator;
struct cairn_factor_cache;

/* Factors H (dense per body when block diagonal, else sparse). CAIRN_ERROR_NUMERICAL when H has
 * no factor. The problem must outlive it. Nothing below allocates but cairn_operator_delassus. */
cairn_status cairn_operator_create(const cairn_problem *problem, cairn_operator **out);
/* Creates an operator whose factor of a sparse H comes from a cache
 * (linalg/factor/factor_cache.h) and returns to it; NULL: no cache. The cache must outlive the
 * operator. */
cairn_status cairn_operator_create_kept(const cairn_problem *problem, struct cairn_factor_cache *cache,
                                        cairn_operator **out);
void cairn_operator_destroy(cairn_operator *op);
struct cairn_factor *cairn_operator_factor(cairn_operator *op); /* of a sparse H; else NULL */
const cairn_problem *cairn_operator_problem(const cairn_operator *op);

/* v = H^-1 x (n). May alias. Global form only. */
void cairn_operator_solve(cairn_operator *op, const double *x, double *v);
/* Solves in place for count vectors, stored one after the other. */
void cairn_operator_solve_many(cairn_operator *op, int count, double *x);
/* v = H^-1 (k + D gamma). Global form only; does nothing for the local form (v may be NULL). */
void cairn_operator_velocity(cairn_operator *op, const double *gamma, double *v);
/* u = D'v + C gamma + b; local form: u = N gamma + C gamma + b, v ignored. */
void cairn_operator_slip(cairn_operator *op, const double *v, const double *gamma, double *u);
/* y = N x, C included (m). x and y must not alias. */
void cairn_operator_product(cairn_operator *op, const double *x, double *y);

/* n_i = trace(N_ii)/dim of each block (blocks), as in the certificate; 1 where that is 0. */
const double *cairn_operator_scale(cairn_operator *op);
/* N_ii: dim x dim row by row, blocks one after the other; offset of block i in *start (blocks +
 * 1). With block-diagonal H exact; with sparse H from the diagonal blocks of H and the motion of
 * whole pieces (mass_components.h). */
cairn_status cairn_operator_diagonal(cairn_operator *op, const double **diagonal, const int **start);
/* Inverse of one body's diagonal block of H, row by row. Global form only. */
const double *cairn_operator_body_inverse(const cairn_operator *op, int body);

/* N as compressed rows of blocks, for sweeps over blocks: exact. Row i holds the blocks (i, j)
 * with N_ij != 0, dim_i x dim_j row by row at value + offset[e]. Allocates. For sparse H every
 * block couples with every other, so memory is m*m: refused with CAIRN_ERROR_UNSUPPORTED above
 * limit bytes. */
typedef struct cairn_delassus {
    int blocks;
    int *start;      /* blocks + 1 */
    int *index;      /* block column, sorted; the diagonal is present */
    int64_t *offset; /* start[blocks] + 1: where each block's values begin */
    double *value;
} cairn_delassus;
cairn_status cairn_operator_delassus(cairn_operator *op, double limit_bytes, cairn_delassus *out);
void cairn_delassus_free(cairn_context *context, cairn_delassus *N);

#endif
