/*
 * kkt_data.h: the inside of cairn_kkt, shared by its symbolic half (kkt_symbolic.c), assembly
 * (kkt_assemble_fma.c) and the rest (kkt.c).
 */
#ifndef CAIRN_PROBLEM_KKT_KKT_DATA_H
#define CAIRN_PROBLEM_KKT_KKT_DATA_H

#include "problem/kkt/kkt.h"

#include "linalg/factor/factor_cache.h"
#include "linalg/factor/body_factor.h"

struct cairn_kkt {
    const cairn_problem *problem;
    cairn_context *context;
    int size; /* rows of the reduced system */
    int groups;
    int *group_first;     /* groups + 1: first position of each group */
    int *neighbour_start; /* groups + 1 */
    int *neighbour;       /* sorted groups that share an entry with this one, itself included */
    int *neighbour_row;   /* rows before this neighbour in a column of the group */
    int *start, *index;   /* the pattern, expanded */
    double *value;
    double *base; /* value without eliminated blocks, where there are saddle rows; else NULL */
    bool settled; /* factored once: from then on eliminated blocks alone change, while theta of saddle rows stays */
    unsigned char *changing; /* groups: touched by an eliminated block */
    int *position;           /* n + m: where a velocity row, then where a bilateral row stands; -1: eliminated */
    int saddles;             /* bilateral rows */
    int *saddle;             /* their numbers */
    int *A_map;              /* entries of H (or N) -> value */
    int *row_map;            /* bilateral row after bilateral row: where it goes, see map_saddle_row */
    int classes;             /* eliminated blocks that touch the same bodies make a class */
    int *class_start;        /* classes + 1: where a class begins in class_block */
    int *class_block;        /* eliminated blocks, class after class */
    int64_t *pair_start;     /* classes + 1 */
    int *pair;               /* touch x touch bases */
    double *sum;             /* widest class x widest class: what a class adds to value */
    double *weighted;        /* CAIRN_BLOCK_DIM_MAX x widest class */
    signed char *sign;       /* size */
    signed char *any_sign;   /* size: 0, for matrices whose symmetric part may be indefinite */
    bool unsymmetric_blocks;
    cairn_factor *factor;
    cairn_factor_cache *cache; /* where it came from, or NULL */
    cairn_body_factor
        *body_factor[2]; /* for cairn_kkt_solve_bodies, when asked for and the rows are those of bodies; NULL: none */
    int prepared;        /* how many of them cairn_kkt_prepare_bodies was asked for */
    int place;           /* which of them is in use */
    double *weight;      /* m: 1/(theta + C); bilateral rows: theta + C */
    double *theta;       /* m: theta + C */
    double *x;           /* size */
    double *t;           /* m */
    double *rp, *rq;     /* n, m: residual */
    double *dv, *dg;     /* n, m: correction */
    const double *B;     /* weights of cairn_kkt_factor_blocks, the caller's */
    int *B_start;        /* blocks + 1 */
    int refine;          /* steps for this factor, -1: not measured */
    double backward_error;
    int solves;
    cairn_kkt_cache *store; /* where it goes when it is not needed, or NULL; then what it is found by: */
    int *pattern;           /* rows of bodies and blocks, touched bodies, pattern of H */
    int pattern_bodies, pattern_blocks;
    bool matrix_unsymmetric, matrix_full, matrix_diagonal;
    size_t most;
};

/* Takes a system that cairn_kkt_create_cached made for this store. */
void cairn_kkt_cache_take(cairn_kkt_cache *store, cairn_kkt *kkt);

/* Groups, pattern and maps; see the head of kkt.c. */
cairn_status cairn_kkt_prepare_global(cairn_kkt *kkt);
cairn_status cairn_kkt_prepare_local(cairn_kkt *kkt);

/* Fills base from H, D and theta of the saddle rows. */
void cairn_kkt_assemble_base(cairn_kkt *kkt);
/* Fills value from H (or N), D, theta and the weights; B: full blocks of weights, NULL:
 * kkt->weight. */
void cairn_kkt_assemble(cairn_kkt *kkt, const double *B);

/* Where the entry at (row, col), both positions, stands in value. */
int cairn_kkt_place(const cairn_kkt *kkt, int row, int col);
/* Rows in a column of group g. */
int cairn_kkt_height(const cairn_kkt *kkt, int g);

/* Bilateral blocks stay as saddle rows, all others are eliminated. */
static inline bool cairn_kkt_is_saddle(const cairn_problem *p, int block) {
    return p->block[block].set == CAIRN_SET_BILATERAL;
}

#endif
