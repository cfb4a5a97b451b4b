/*
 * mass_components.h: bodies or nodes that H couples, and how heavy such a piece is as a whole.
 */
#ifndef CAIRN_PROBLEM_MASS_COMPONENTS_H
#define CAIRN_PROBLEM_MASS_COMPONENTS_H

#include "problem/problem_data.h"

typedef struct cairn_mass_components {
    int count;
    int *piece_of; /* bodies: number of its piece; -1: H couples it with no other body */
    double *mass;  /* 3 per piece: w'Hw, w = 1 on rows 0, 1 or 2 of each of its bodies */
} cairn_mass_components;

/* Global form only. Takes memory. */
cairn_status cairn_mass_components_create(const cairn_problem *problem, cairn_mass_components *out);
void cairn_mass_components_free(cairn_context *context, cairn_mass_components *pieces);

/* N_ii (dim x dim, row by row) += sum over the pieces of block i and the axes w of
 * (D_i'w)(D_i'w)'/(w'Hw). */
void cairn_mass_components_add(const cairn_problem *problem, const cairn_mass_components *pieces, int block,
                               double *N_ii);

#endif
