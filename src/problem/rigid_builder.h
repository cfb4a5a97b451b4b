/*
 * rigid_builder.h: builds a problem of rigid bodies, contacts and joints in place, without
 * copying or validating: for trusted callers. It takes one block of memory. cairn_problem_create
 * builds an equal problem from any arrays, except that zeros of D are stored here.
 *
 *     reserve -> body 0, 1, ... -> contact 0, 1, ... -> further blocks -> finish
 */
#ifndef CAIRN_PROBLEM_RIGID_BUILDER_H
#define CAIRN_PROBLEM_RIGID_BUILDER_H

#include "problem/problem_data.h"

typedef struct cairn_direct_size {
    int bodies;        /* of six rows each */
    int contacts, dim; /* blocks of dim rows that touch one or two bodies */
    int others, rows;  /* blocks after them, of any rows, that touch up to three; the rows of all of these */
} cairn_direct_size;

/* A problem of that size. The caller fills problem->k, b, C, and block of the contacts;
 * body_start and body_of are there, block_start of the contacts too. On failure nothing is left. */
cairn_status cairn_direct_reserve(cairn_context *context, cairn_law law, const cairn_direct_size *size,
                                  cairn_problem **out);
/* H of body i: mass, and the symmetric part of J (3 x 3, row by row). */
void cairn_direct_body(cairn_problem *problem, int i, double mass, const double *J);
/* Block i touches count (1 or 2) bodies, in rising order. Returns where its part of D' is to be
 * written: dim rows of six numbers per body. */
double *cairn_direct_contact(cairn_problem *problem, int i, int count, const int *body);
/* Begins block i, one of those after the contacts, as cairn_direct_contact does; count is 0 to
 * 3. */
double *cairn_direct_block(cairn_problem *problem, int i, const cairn_block *block, int count, const int *body);
/* What follows from all that. False: something is not finite or a set is not in order, and the
 * problem is not fit for use. */
bool cairn_direct_finish(cairn_problem *problem);

#endif
