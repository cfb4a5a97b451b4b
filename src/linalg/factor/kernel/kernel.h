/*
 * kernel.h: the dense inner loops of a factorisation, once for each instruction set.
 *
 * All loops work on quads: four neighbouring rows of one column. A block of k columns keeps its
 * rows quad by quad,
 *
 *     entry (4 q + r, p)  at  4 (q k + p) + r          q: quad, p: column, r = 0 .. 3
 *
 * so that a product of two blocks reads both from front to back. Fronts and updates are kept by
 * columns with a leading dimension (ld). For every entry the order of its sums depends on the
 * numbers of rows and columns alone, never on how a region is cut into calls. Instruction sets
 * differ by rounding (with or without fused multiply-add).
 */
#ifndef CAIRN_LINALG_FACTOR_KERNEL_KERNEL_H
#define CAIRN_LINALG_FACTOR_KERNEL_KERNEL_H

#include "base/core.h"

#define CAIRN_BLOCK_WIDTH 192 /* most columns of a block, multiple of 4 */
#define CAIRN_SOLVE_GROUP 4   /* most right-hand sides in one sweep */

/* A block while it is factored: k columns, rows from its own first row on. x: rows of L (or of
 * U'), other: rows of U' (or of L); the same in the symmetric case. scaled = x D. */
typedef struct cairn_block {
    int k;
    const double *front; /* entries to be reduced, by columns; columns up to the next multiple of 4 are there */
    int64_t ld;
    double *x, *scaled;
    const double *other, *other_scaled;
    double *pivot, *inverse; /* k: d and 1 / d */
} cairn_block;

/* Rows of a vector, some neighbours at a time: span[2 r] is the first of span r, span[2 r + 1]
 * how many there are. */
typedef struct cairn_spans {
    int count;
    const int *span;
} cairn_spans;

typedef struct cairn_kernel {
    const char *name;
    /* The block's own rows: x, scaled, pivot and inverse from front. sides: blocks given, the
     * second for U'. Pivots are taken as they come. */
    void (*own)(const cairn_block *block, int sides);
    /* Rows of quads begin .. end-1, columns of quads from .. to-1: x and scaled from front and
     * the columns before. */
    void (*rows)(const cairn_block *block, int begin, int end, int from, int to);
    /* c(i, j) = [c(i, j)] - sum_p x(i, p) y(j, p), p < k, for the tiles of row quads i_begin ..
     * i_end-1 and column quads j_begin .. j_end-1 that have an entry with i >= j. c points at
     * entry (0, 0); bracket only if add. */
    void (*update)(int k, const double *x, const double *y, int i_begin, int i_end, int j_begin, int j_end, double *c,
                   int64_t ld, bool add);
    /* to(place(i), place(j)) += from(i, j), i >= j, for the columns j in runs begin .. end-1.
     * Run r holds rows run[r] .. run[r+1]-1, whose places are place[run[r]] - shift, and on by
     * ones. Some i < j are added too. */
    void (*add)(const int *run, int runs, int begin, int end, const int *place, int shift, const double *from,
                int64_t from_ld, double *to, int64_t to_ld);
    /* max |value[p]|, p < count; not-a-numbers are left out */
    double (*largest)(int64_t count, const double *value);
    /* v <- the unit lower block's part of L^-1 v: quads of rows in all, count vectors, ld apart. */
    void (*forward)(int k, int quads, const double *x, int count, double *v, int64_t ld);
    /* v <- the block's part of U^-1 D^-1 v; inverse: 1 / d, k of them. count is at most
     * CAIRN_SOLVE_GROUP. */
    void (*backward)(int k, int quads, const double *x, const double *inverse, int count, double *v, int64_t ld);
    /* forward and backward for one vector y and a panel of one block, without copies: own is its
     * part of y, below its number of rows below, spans where they are in y. v: room for below,
     * rounded up to quads. The bits are those of forward and backward. */
    void (*forward_one)(int k, int below, const double *x, double *own, const cairn_spans *spans, double *y, double *v);
    void (*backward_one)(int k, int below, const double *x, const double *inverse, double *own,
                         const cairn_spans *spans, const double *y, double *v);
} cairn_kernel;

extern const cairn_kernel cairn_kernel_portable; /* plain C */
/* The fastest that this processor can run. */
const cairn_kernel *cairn_kernel_best(void);
/* NULL when this processor or this build has none. */
const cairn_kernel *cairn_kernel_avx2(void);

#endif
