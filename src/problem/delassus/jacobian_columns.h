/*
 * jacobian_columns.h: D_i and H^-1 D_i of every block, densely over the bodies the block touches.
 * Block-diagonal H only.
 */
#ifndef CAIRN_PROBLEM_DELASSUS_JACOBIAN_COLUMNS_H
#define CAIRN_PROBLEM_DELASSUS_JACOBIAN_COLUMNS_H

#include "problem/delassus/delassus_operator.h"

typedef struct cairn_jacobian_columns {
    int blocks;
    int *body_start;  /* blocks + 1 */
    int *body;        /* bodies that each block touches, rising */
    int *start;       /* blocks + 1: first degree of freedom of each block in dof */
    int *dof;         /* rows of H: all rows of these bodies, rising */
    int64_t *offset;  /* blocks + 1: where the values of each block begin */
    double *D;        /* degrees of freedom x dim, row by row */
    double *W;        /* H^-1 D_i, likewise */
    int *block_start; /* bodies + 1 */
    int *block;       /* blocks that touch each body, rising */
} cairn_jacobian_columns;

/* Allocates. On failure out is empty and needs no free. */
cairn_status cairn_jacobian_columns_create(const cairn_operator *op, cairn_jacobian_columns *out);
void cairn_jacobian_columns_free(cairn_context *context, cairn_jacobian_columns *columns);

#endif
