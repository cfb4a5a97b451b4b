/*
 * data.h: the inside of cairn_problem, and small helpers over it. Read-only for everyone but problem.c.
 */
#ifndef CAIRN_PROBLEM_DATA_H
#define CAIRN_PROBLEM_DATA_H

#include <cairn/problem.h>

#include "../base/core.h"

/* Compressed columns, rows sorted in each, no repeats; explicit zeros of the input are kept out. */
typedef struct cairn_csc {
    int rows, cols;
    int *start;    /* cols + 1 */
    int *index;    /* start[cols] */
    double *value; /* start[cols] */
} cairn_csc;

struct cairn_problem {
    cairn_context *context;
    cairn_law law;
    bool local;          /* Delassus form: A is N */
    bool unsymmetric;    /* A differs from its transpose */
    bool block_diagonal; /* A has no entry outside the body blocks */
    bool bodies_found;
    int n, m, blocks, bodies;
    cairn_csc A;              /* H (n x n), or N (m x m) for the local form */
    cairn_csc D;              /* n x m; empty for the local form */
    cairn_csc Dt;             /* m x n: its transpose, so that D*gamma gathers; empty for the local form */
    double *k, *b, *C;        /* n, m, m */
    cairn_block *block;       /* blocks; block[i].custom points into custom */
    cairn_custom_set *custom; /* blocks */
    int *block_start;         /* blocks + 1 */
    int *body_start;          /* bodies + 1 */
};

/* y = alpha*y + A x by gathering over the columns of A' given as csc: y_j = sum_i A_ij x_i for column j, that is
 * y = alpha*y + A'x. Parallel, same bits for any number of threads. */
void cairn_csc_multiply_transposed(cairn_context *context, const cairn_csc *A, const double *x, double alpha,
                                   double *y);

#endif
