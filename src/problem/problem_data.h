/*
 * problem_data.h: the inside of cairn_problem, and small helpers over it. Read-only for everyone
 * but problem.c.
 */
#ifndef CAIRN_PROBLEM_PROBLEM_DATA_H
#define CAIRN_PROBLEM_PROBLEM_DATA_H

#include <cairn/problem.h>

#include "base/core.h"

/* Compressed columns, rows sorted in each, no repeats; explicit zeros of the input are kept out,
 * but not those of a D written in place (rigid_builder.h). */
typedef struct cairn_csc {
    int rows, cols;
    int *start;    /* cols + 1 */
    int *index;    /* start[cols] */
    double *value; /* start[cols] */
} cairn_csc;

/* D by constraint blocks and bodies; see jacobian_blocks.c. */
typedef struct cairn_body_blocks {
    int *body_of;         /* n: body of a velocity row */
    int *touch_start;     /* blocks + 1 */
    int *touch;           /* bodies a block touches, sorted */
    int64_t *dense_start; /* blocks + 1 */
    double *dense;        /* dim rows over the rows of the block's bodies */
    int *width;           /* blocks: columns of the dense part */
    unsigned char *rigid; /* blocks: 1 or 2 for three rows over that many bodies of six rows, else 0 */
    int *incident_start;  /* bodies + 1 */
    int *incident;        /* blocks that touch a body, in their order */
    int64_t *incident_at; /* where the body's part of their first row begins in dense */
} cairn_body_blocks;

struct cairn_problem {
    cairn_context *context;
    cairn_law law;
    int shape;           /* counts changes of the sets' kinds: what was prepared for another shape is stale */
    bool local;          /* Delassus form: A is N */
    bool unsymmetric;    /* A differs from its transpose */
    bool block_diagonal; /* A has no entry outside the body blocks */
    bool full_pattern;   /* A has its whole diagonal, and the mirror of each of its entries */
    bool bodies_found;
    int n, m, blocks, bodies;
    cairn_csc A;              /* H (n x n), or N (m x m) for the local form */
    cairn_csc At;             /* its transpose when unsymmetric, so that A*x gathers; else empty */
    cairn_csc D;              /* n x m; empty for the local form */
    double *k, *b, *C;        /* n, m, m */
    unsigned char *angular;   /* m: not 0 for rows in rad/s; NULL: there are none */
    cairn_block *block;       /* blocks; block[i].custom points into custom */
    cairn_custom_set *custom; /* blocks */
    int *block_start;         /* blocks + 1 */
    int *body_start;          /* bodies + 1 */
    cairn_body_blocks body;   /* global form only */
    void *memory;             /* written in place: one piece for all arrays, body.dense is D.value; else NULL */
};

cairn_status cairn_body_blocks_create(cairn_problem *problem);
/* incident_start, incident and incident_at from the other arrays. */
void cairn_body_blocks_connect(cairn_problem *problem);
void cairn_body_blocks_free(cairn_context *context, cairn_body_blocks *blocks);
/* u = alpha*u + D'v (m), w = alpha*w + D gamma (n). Parallel, same bits for any number of
 * threads; no aliasing. */
void cairn_problem_slip(const cairn_problem *problem, const double *v, double alpha, double *u);
void cairn_problem_impulse(const cairn_problem *problem, const double *gamma, double alpha, double *w);
/* Sum of |D_ij gamma_j| over the columns j of D, for row i of a body; gamma NULL: of |D_ij|. */
double cairn_problem_row_size(const cairn_problem *problem, int body, int i, const double *gamma);

/* reach (n): the largest |entry| of each row of D, 1 where there is none. */
void cairn_problem_reach(const cairn_problem *problem, double *reach);

/* From the user's arrays; name ("H", "D", ...) goes into error messages. */
cairn_status cairn_csc_create(cairn_context *context, const char *name, const cairn_sparse *source, cairn_csc *out);
/* block (size x size, row by row): rows and columns first .. first + size - 1 of A. */
void cairn_csc_block(const cairn_csc *A, int first, int size, double *block);
cairn_status cairn_csc_transpose(cairn_context *context, const cairn_csc *A, cairn_csc *out);
void cairn_csc_free(cairn_context *context, cairn_csc *A);

/* y = alpha*y + A'x: y_j gathers column j. Parallel, same bits for any number of threads. x and
 * y must not alias. */
void cairn_csc_gather(cairn_context *context, const cairn_csc *A, const double *x, double alpha, double *y);

/* y = alpha*y + H x (or N x), with the true, possibly unsymmetric matrix. */
void cairn_problem_multiply(const cairn_problem *problem, const double *x, double alpha, double *y);

/* A problem in global form with the N, C, b and sets of one in local form; dense, see
 * global_form.c. CAIRN_ERROR_NUMERICAL: N is not positive semidefinite; CAIRN_ERROR_UNSUPPORTED:
 * too large, or its unsymmetric part does not fit. */
cairn_status cairn_problem_to_global(const cairn_problem *problem, cairn_problem **global);
/* b, the sets' parameters and the law of `from`, which `to` was made from. */
void cairn_problem_copy_data(const cairn_problem *from, cairn_problem *to);

/* The pattern a factorisation needs: that of A + A' with a full diagonal, and where A's entries
 * go in it. */
typedef struct cairn_pattern {
    int n;
    int *start; /* n + 1 */
    int *index; /* start[n], sorted */
    int *map;   /* A's entries: position in index */
} cairn_pattern;
/* T: A' where it is at hand, else NULL. full: A is known to have that pattern already. */
cairn_status cairn_pattern_create(cairn_context *context, const cairn_csc *A, const cairn_csc *T, bool full,
                                  cairn_pattern *out);
/* The pattern of H grown to whole blocks of bodies; global form only. On an error it is as
 * before. */
cairn_status cairn_pattern_fill_blocks(const cairn_problem *problem, cairn_pattern *pattern);
void cairn_pattern_free(cairn_context *context, cairn_pattern *pattern);

/* Body or node blocks found from the patterns of H and D; see body_detection.c. body_start has
 * room for n + 1. */
void cairn_find_bodies(const cairn_csc *H, const cairn_csc *D, int blocks, const int *block_start, int *bodies,
                       int *body_start);

#endif
