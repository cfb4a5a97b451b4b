/*
 * inverted.h: elements that are inside out.
 */
#ifndef CAIRN_FEM_PART_INVERTED_H
#define CAIRN_FEM_PART_INVERTED_H

#include "fem/part/part.h"

/* How many solid elements of the part are inside out where it is now. */
int cairn_fem_part_inverted(const cairn_fem_part *part);

#endif
