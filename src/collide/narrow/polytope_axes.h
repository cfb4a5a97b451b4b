/*
 * polytope_axes.h: what the contact of boxes (box_axes.c) and that of all polytopes
 * (pair_polytopes.c) share.
 */
#ifndef CAIRN_COLLIDE_NARROW_POLYTOPE_AXES_H
#define CAIRN_COLLIDE_NARROW_POLYTOPE_AXES_H

#include "collide/narrow/narrowphase.h"

#define CAIRN_EDGES_PARALLEL 1e-6 /* sine of the angle below which edges span no axis */

/* A direction that may separate A and B. */
typedef struct cairn_axis {
    double separation;
    cairn_vec3 normal; /* A's frame, from A to B */
    int face;          /* of A or B; -1: a pair of edges */
    int edge_a, edge_b;
} cairn_axis;

/* Best face of A, best face of B, best pair of edges of two boxes. False: one of them separates
 * by more than margin. The normal and the numbers of the edges are set only where they separate
 * more than both faces. */
bool cairn_boxes_axes(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                      cairn_axis *of_a, cairn_axis *of_b, cairn_axis *edges);
/* Adds the contacts of two boxes over face x->face of A or, of_b, of B: the corners of what the
 * opposed face of the other one has in common with it, up to gaps of margin. base: of their
 * names. */
void cairn_boxes_face(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *x,
                      bool of_b, double margin, double size, uint64_t base, cairn_manifold *out);
/* Does a point in the frame of a box lie over its face f, or within eps of that? */
bool cairn_box_over(const cairn_shape *box, int f, cairn_vec3 point, double eps);

#endif
