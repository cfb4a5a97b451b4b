/*
 * judge_lanes.h: four contacts side by side, in double: what judge_quick.c and judge_even.c share. Sums go lane by lane, then over the lanes: the same bits on every
 * processor.
 */
#ifndef CAIRN_PROBLEM_JUDGE_LANES_H
#define CAIRN_PROBLEM_JUDGE_LANES_H

#include "judge_tally.h"

#include <math.h>
#include <string.h>

#define ROWS  6
#define DIM   3
#define LANES 4

typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32)));

CAIRN_INLINE pair pair_at(const double *x) {
    pair out;
    memcpy(&out, x, sizeof out);
    return out;
}

CAIRN_INLINE void choose(const mask *which, const quad *yes, quad *no) {
    *no = (quad)(((mask)*yes & *which) | ((mask)*no & ~*which));
}

/* x <- max(x, y). */
CAIRN_INLINE void raise(quad *x, const quad *y) {
    mask more = *y > *x;
    choose(&more, y, x);
}

CAIRN_INLINE void root(quad *x) {
    for (int l = 0; l < LANES; l++)
        (*x)[l] = sqrt((*x)[l]);
}

CAIRN_INLINE double total(const quad *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

CAIRN_INLINE double most_of(const quad *x) {
    return fmax(fmax((*x)[0], (*x)[1]), fmax((*x)[2], (*x)[3]));
}

static const double nothing[3 * 2 * ROWS];

/* Twelve numbers of four contacts side by side: six from first, six from second. */
CAIRN_INLINE void gather(const double *const *first, const double *const *second, quad *out) {
    for (int half = 0; half < 2; half++, out += ROWS) {
        const double *const *x = half == 0 ? first : second;
        for (int c = 0; c < 3; c++) {
            quad even = __builtin_shufflevector(pair_at(x[0] + 2 * c), pair_at(x[2] + 2 * c), 0, 1, 2, 3);
            quad odd = __builtin_shufflevector(pair_at(x[1] + 2 * c), pair_at(x[3] + 2 * c), 0, 1, 2, 3);
            out[2 * c] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
            out[2 * c + 1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
        }
    }
}

/* Vectors over the bodies, n numbers each. */
typedef struct cairn_judge_lanes {
    const double *root;     /* 1/sqrt(H_ii); NULL: not known, and no trace is found */
    const double *v, *free; /* v^, H^-1 k */
} cairn_judge_lanes;

/* Four contacts; lanes beyond the last one are zero. */
typedef struct contacts {
    const double *rows[LANES][2]; /* of D: first body, second, width apart */
    int width[LANES];
    const double *v[2][LANES], *free[2][LANES], *scale[2][LANES]; /* of their bodies */
    quad b[DIM], C[DIM], gamma[DIM], mu;
} contacts;

CAIRN_INLINE void read_contacts(const cairn_problem *p, const cairn_judge_lanes *q, const double *gamma, int begin,
                                contacts *g) {
    const cairn_body_blocks *B = &p->body;
    for (int l = 0; l < LANES; l++) {
        int i = begin + l;
        bool there = i < p->blocks, two = there && B->width[i] > ROWS;
        const int *touch = B->touch + (there ? B->touch_start[i] : 0);
        const double *E = there ? B->dense + B->dense_start[i] : nothing;
        g->rows[l][0] = E;
        g->rows[l][1] = two ? E + ROWS : nothing;
        g->width[l] = there ? B->width[i] : ROWS;
        g->v[0][l] = there ? q->v + ROWS * touch[0] : nothing;
        g->free[0][l] = there ? q->free + ROWS * touch[0] : nothing;
        g->scale[0][l] = there && q->root != NULL ? q->root + ROWS * touch[0] : nothing;
        g->v[1][l] = two ? q->v + ROWS * touch[1] : nothing;
        g->free[1][l] = two ? q->free + ROWS * touch[1] : nothing;
        g->scale[1][l] = two && q->root != NULL ? q->root + ROWS * touch[1] : nothing;
        for (int r = 0, row = there ? p->block_start[i] : 0; r < DIM; r++) {
            g->b[r][l] = there ? p->b[row + r] : 0.0;
            g->C[r][l] = there ? p->C[row + r] : 0.0;
            g->gamma[r][l] = there ? gamma[row + r] : 0.0;
        }
        g->mu[l] = there ? p->block[i].mu : 0.0;
    }
}

/* u = D'v^ + C gamma + b, r = D'H^-1 k + b, the sizes of their terms, and the trace of N_ii; the sizes as squares over the rows. */
typedef struct slips {
    quad u[DIM], r[DIM], trace, u_terms, r_terms, r_square;
} slips;

/* fresh: all of it, else u and u_terms only. */
CAIRN_INLINE void find_slips(const contacts *g, bool fresh, slips *out) {
    const mask size = (mask){0} + INT64_MAX;
    quad v[2 * ROWS], free[2 * ROWS] = {0}, scale[2 * ROWS] = {0}, E[2 * ROWS];
    gather(g->v[0], g->v[1], v);
    if (fresh) {
        gather(g->free[0], g->free[1], free);
        gather(g->scale[0], g->scale[1], scale);
    }
    *out = (slips){0};
    for (int r = 0; r < DIM; r++) {
        const double *first[LANES], *second[LANES];
        for (int l = 0; l < LANES; l++) {
            first[l] = g->rows[l][0] + r * g->width[l];
            second[l] = g->rows[l][1] + (g->width[l] > ROWS ? r * g->width[l] : 0);
        }
        gather(first, second, E);
        quad own = g->C[r] * g->gamma[r], u = own + g->b[r], slip = g->b[r], trace = g->C[r];
        quad r_terms = (quad)((mask)g->b[r] & size), u_terms = r_terms + (quad)((mask)own & size);
        for (int c = 0; c < 2 * ROWS; c++) {
            quad moved = E[c] * v[c];
            u += moved;
            u_terms += (quad)((mask)moved & size);
            if (!fresh)
                continue;
            quad free_moved = E[c] * free[c], square = E[c] * scale[c];
            slip += free_moved;
            r_terms += (quad)((mask)free_moved & size);
            trace += square * square;
        }
        out->u[r] = u;
        out->r[r] = slip;
        out->trace += trace;
        out->u_terms += u_terms * u_terms;
        out->r_terms += r_terms * r_terms;
        out->r_square += slip * slip;
    }
}

#endif
