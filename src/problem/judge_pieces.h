/*
 * judge_pieces.h: the judge's own measure of how a flexible part moves as a whole.
 */
#ifndef CAIRN_PROBLEM_JUDGE_PIECES_H
#define CAIRN_PROBLEM_JUDGE_PIECES_H

#include "data.h"

/* scale[i] += trace of block i's part of D'W (W'HW)^-1 W'D, divided by the block's dim; W: the motions of each piece of H along its axes, one by one.
 * body_of: n, whose row it is. */
cairn_status cairn_judge_piece_scales(const cairn_problem *problem, const int *body_of, long double *scale);

#endif
