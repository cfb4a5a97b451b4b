/*
 * lemke.h: Lemke's complementary pivoting on a dense linear complementarity problem, lexicographic.
 *
 *     w = M z + q,   w >= 0,   z >= 0,   w'z = 0          n rows
 */
#ifndef CAIRN_SOLVE_PAPERS_LEMKE_LEMKE_H
#define CAIRN_SOLVE_PAPERS_LEMKE_LEMKE_H

#include "base/core.h"

/* out (n) = row i of M. */
typedef void (*cairn_lcp_row)(const void *user, int i, double *out);

typedef enum cairn_lemke_state {
    CAIRN_LEMKE_GOES_ON,
    CAIRN_LEMKE_DONE, /* z0 = 0: the basis is complementary */
    CAIRN_LEMKE_RAY,  /* the entering variable can grow for ever */
    CAIRN_LEMKE_LOST  /* rounding has destroyed the tableau, or M is not finite */
} cairn_lemke_state;

enum { CAIRN_LEMKE_RANK = 32 }; /* pivots between two passes over the tableau */

/* Variables: w_0 .. w_{n-1} are 0 .. n-1, z_0 .. z_{n-1} are n .. 2n-1, z0 is 2n. */
typedef struct cairn_lemke {
    cairn_context *context;
    int n, capacity;   /* rows now, rows there is room for */
    bool plain;        /* no lexicographic rule: ties go to the first row; for tests only */
    cairn_lcp_row row; /* M */
    const void *user;
    const double *q0; /* n: q */
    double *T;        /* capacity x (capacity + 1): basic variables + T nonbasic ones = q */
    double *q;        /* values of the basic variables */
    double *U, *V;    /* what T still lacks: U V, U n x RANK row by row, V RANK x (n + 1) */
    double *column;   /* n: of the entering variable */
    double *line;     /* n + 1 */
    int *basic;       /* n: variable of each row */
    int *outside;     /* n + 1: variable of each column */
    int *place;       /* 2n + 1: row of a basic variable, -1 - column of another */
    int *tie;         /* n */
    int pending;      /* columns of U in use */
    int entering;     /* variable that enters next */
    int since_check;  /* pivots since the last look at the residual */
    int rebuilds;
} cairn_lemke;

/* Takes memory for n rows from an arena; call twice, as for every layout. */
void cairn_lemke_layout(cairn_lemke *w, cairn_arena *arena, int capacity);

/* Sets the problem; M's rows are asked for again when the tableau is rebuilt. n <= capacity.
 * DONE when q >= 0. */
cairn_lemke_state cairn_lemke_begin(cairn_lemke *w, cairn_context *context, int n, cairn_lcp_row row, const void *user,
                                    const double *q);

/* One pivot. */
cairn_lemke_state cairn_lemke_pivot(cairn_lemke *w);

/* z (n) of the present basis. */
void cairn_lemke_point(const cairn_lemke *w, double *z);
/* After RAY: the direction dz (n) in which z may go for ever. */
void cairn_lemke_ray(const cairn_lemke *w, double *dz);

/* After DONE: factors M on the rows and columns of the basic z, in the tableau's memory, which
 * is lost. False: singular. */
bool cairn_lemke_factor(cairn_lemke *w);
/* After factor: dz (n) = the change of the basic z that takes w to 0 on their rows, from its
 * present value residual (n). */
void cairn_lemke_correct(const cairn_lemke *w, const double *residual, double *dz);

#endif
