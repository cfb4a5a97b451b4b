/*
 * kkt.h: the saddle-point system of [T21 (36)], factored and solved.
 *
 *     [ H    D         ] [  v     ]   [ p ]
 *     [ D'  -Theta - C ] [ -gamma ] = [ q ]
 *
 * For the local form: (N + Theta + C) gamma = q; p and v are not used.
 *
 * While theta of the bilateral rows stays, later factorisations recompute only the part of the
 * factor that contacts affect, not the links and joints of a machine. The bits are those of a
 * complete factorisation.
 */
#ifndef CAIRN_PROBLEM_KKT_KKT_H
#define CAIRN_PROBLEM_KKT_KKT_H

#include "problem/problem_data.h"

typedef struct cairn_kkt cairn_kkt;
struct cairn_factor_cache;

/* Symbolic work and all memory. unsymmetric: blocks handed to cairn_kkt_factor_blocks may be
 * unsymmetric. */
cairn_status cairn_kkt_create(const cairn_problem *problem, bool unsymmetric, cairn_kkt **out);
/* Creates the system, or returns CAIRN_ERROR_UNSUPPORTED, without a message, when the factor
 * would take more than most bytes. */
cairn_status cairn_kkt_create_within(const cairn_problem *problem, bool unsymmetric, size_t most, cairn_kkt **out);
/* Creates a system whose factor comes from a cache (linalg/factor/factor_cache.h) and returns to
 * it; NULL: no cache. The cache must outlive the system. */
cairn_status cairn_kkt_create_kept(const cairn_problem *problem, bool unsymmetric, struct cairn_factor_cache *cache,
                                   cairn_kkt **out);

/* A cache of factorised systems, most recent first, reused for problems with the same sparsity
 * pattern. The bits are those of a new system. Begins as {0}; must outlive what comes from it. */
#define CAIRN_KKT_CACHE_PLACES 6
#define CAIRN_KKT_CACHE_BYTES  ((size_t)4 << 20) /* of the factor: larger ones are not kept */
typedef struct cairn_kkt_cache {
    int count;
    cairn_kkt *place[CAIRN_KKT_CACHE_PLACES];
} cairn_kkt_cache;
/* cairn_kkt_create_within, or a system from the store, to which cairn_kkt_destroy gives it back;
 * NULL: none. */
cairn_status cairn_kkt_create_cached(const cairn_problem *problem, bool unsymmetric, size_t most,
                                     cairn_kkt_cache *store, cairn_kkt **out);
void cairn_kkt_cache_empty(cairn_kkt_cache *store);

void cairn_kkt_destroy(cairn_kkt *kkt); /* NULL allowed */

/* Numeric factorisation for theta (m, > 0). CAIRN_ERROR_NUMERICAL when a pivot is bad. Allocates
 * nothing. */
cairn_status cairn_kkt_factor(cairn_kkt *kkt, const double *theta);

/* p (n), q (m) -> v (n), gamma (m); no aliasing. Refined against the full matrix: the first
 * solve after a factorisation measures the componentwise backward error and sets how many steps
 * of refinement the following ones take. CAIRN_ERROR_NUMERICAL when the answer is not finite.
 * Allocates nothing. */
cairn_status cairn_kkt_solve(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma);

/* The reduced system with a full block of weights for each eliminated block, global form only:
 *
 *     S = H + sum_i D_i B_i D_i'        B: dim x dim row by row, blocks one after the other
 *         (bilateral blocks: not read)
 *
 * and saddle rows -(theta + C) for bilateral rows; theta of other rows is not read. Allocates
 * nothing. */
cairn_status cairn_kkt_factor_blocks(cairn_kkt *kkt, const double *B, const double *theta);

/* [S D_b; D_b' -Theta_b - C_b] [v; -gamma_b] = [p; q_b] after cairn_kkt_factor_blocks. Only the
 * bilateral entries of q (m) are read and of gamma (m) written. refine: steps of refinement
 * against H, D and B. CAIRN_ERROR_NUMERICAL when not finite. */
cairn_status cairn_kkt_solve_blocks(cairn_kkt *kkt, int refine, const double *p, const double *q, double *v,
                                    double *gamma);

/* Blocks that are eliminated, sorted into classes that touch the same bodies: class c has
 * block[start[c]] ... block[start[c + 1] - 1]. Returns how many classes there are. Global form
 * only. */
int cairn_kkt_classes(const cairn_kkt *kkt, const int **start, const int **block);

/* Of the last measured solve, after refinement. */
double cairn_kkt_backward_error(const cairn_kkt *kkt);
/* Back-substitutions so far, refinement included. */
int cairn_kkt_solves(const cairn_kkt *kkt);
/* Of the last factorisation; its parity is the sign of the determinant. */
int cairn_kkt_negative_pivots(const cairn_kkt *kkt);
/* Prepares cairn_kkt_solve_bodies for factors in `places` places, 1 or 2; takes memory. A kkt
 * whose rows are not those of bodies has one place. */
cairn_status cairn_kkt_prepare_bodies(cairn_kkt *kkt, int places);
int cairn_kkt_places(const cairn_kkt *kkt);
/* Where the next cairn_kkt_factor goes and the next cairn_kkt_solve_bodies comes from; 0 at
 * first. */
void cairn_kkt_choose(cairn_kkt *kkt, int place);
/* v <- S^-1 v (n), after cairn_kkt_factor, for problems without bilateral blocks: no refinement,
 * no test of what comes out. Fast where all bodies have six rows. */
void cairn_kkt_solve_bodies(cairn_kkt *kkt, double *v);

bool cairn_kkt_is_symmetric(const cairn_kkt *kkt);  /* has it a symmetric factor? */
double cairn_kkt_flops(const cairn_kkt *kkt);       /* multiply-adds of one whole factorisation, */
double cairn_kkt_solve_flops(const cairn_kkt *kkt); /* and of one back-substitution */
/* The part of them that the last factorisation took: below 1 when it was a renewal that kept
 * something. */
double cairn_kkt_share(const cairn_kkt *kkt);

#endif
