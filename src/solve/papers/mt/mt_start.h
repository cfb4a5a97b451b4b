/*
 * mt_start.h: starting points of interior point methods on y >= 0, lambda >= 0, component by
 * component [MT 2.4].
 */
#ifndef CAIRN_SOLVE_PAPERS_MT_MT_START_H
#define CAIRN_SOLVE_PAPERS_MT_MT_START_H

/* D'Apuzzo: y = max(1, slack), lambda = 1/y; residuals and complementarity of one size
 * [MT (22)]. */
void cairn_start_dapuzzo(int count, const double *slack, double *y, double *lambda);

/* Nocedal: y = max(1, |y + dy|), lambda = max(1, |lambda + dlambda|) after an affine step from
 * y, lambda [MT (21)]. */
void cairn_start_nocedal(int count, const double *dy, const double *dlambda, double *y, double *lambda);

/* Full warm start: the last y, lambda, each raised to at least level > 0, away from the boundary
 * where they ended. */
void cairn_start_lift(int count, double level, double *y, double *lambda);

#endif
