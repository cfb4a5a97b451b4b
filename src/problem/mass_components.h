/*
 * mass_components.h: bodies or nodes that H couples, and how heavy such a piece is as a whole.
 */
#ifndef CAIRN_PROBLEM_MASS_COMPONENTS_H
#define CAIRN_PROBLEM_MASS_COMPONENTS_H

#include "problem/problem_data.h"

typedef struct cairn_pieces {
    int count;
    int *piece_of; /* bodies: number of its piece; -1: H couples it with no other body */
    double *mass;  /* 3 a piece: w'Hw, w = 1 on rows 0, 1 or 2 of each of its bodies */
} cairn_pieces;

/* Global form only. Takes memory. */
cairn_status cairn_pieces_create(const cairn_problem *problem, cairn_pieces *out);
void cairn_pieces_free(cairn_context *context, cairn_pieces *pieces);

/* N_ii (dim x dim, row by row) += sum over the pieces of block i and the axes w of
 * (D_i'w)(D_i'w)'/(w'Hw). */
void cairn_pieces_add(const cairn_problem *problem, const cairn_pieces *pieces, int block, double *N_ii);

#endif
