/*
 * row_kernel.h: sweeps over single unilateral rows of rigid bodies, one or two a row, as when
 * overlaps are parted.
 */
#ifndef CAIRN_SOLVE_SWEEP_ROW_KERNEL_H
#define CAIRN_SOLVE_SWEEP_ROW_KERNEL_H

#include "solve/driver/method.h"

#define CAIRN_ROW_KERNEL_WIDTH 12 /* numbers of a row: six a body */

typedef struct cairn_row_kernel {
    /* 2 per row: where the velocities of its bodies begin; a row of one body has six zeros after
     * the last for its second */
    int *body;
    double *D, *W; /* CAIRN_ROW_KERNEL_WIDTH a row: D_i, H^-1 D_i */
    double *N;     /* of each row, C included */
    void *memory;  /* of all of them; NULL: there are none */
} cairn_row_kernel;

/* Is every block such a row, and H one block a body? */
bool cairn_row_kernel_fit(const cairn_problem *problem);
/* Allocates. False in *good, and nothing kept: a row has no N > 0. */
cairn_status cairn_row_kernel_create(cairn_run *run, cairn_row_kernel *rows, bool *good);
void cairn_row_kernel_free(cairn_context *context, cairn_row_kernel *rows);
/* Visits rows [begin, end), the last one first when backwards. v: n and six zeros, H^-1 (k + D
 * gamma). */
void cairn_row_kernel_visit(const cairn_run *run, const cairn_row_kernel *rows, double omega, int begin, int end,
                            bool backwards, double *gamma, double *change, double *v);

#endif
