/*
 * random_depth.h: how deep convex shapes are in each other, from support functions alone; shares nothing with src/collide.
 *
 * The depth of A in B is min over unit directions n of h(n), h the support function of the difference A - B. Each h(n) is an upper bound. A
 * polytope of points of A - B that holds the origin gives a lower bound: the least distance of its faces. Its nearest face is pushed out
 * until both bounds are near enough ([B], expanding polytopes; here also while the origin is outside, with signed distances).
 */
#ifndef CAIRN_RANDOM_DEPTH_H
#define CAIRN_RANDOM_DEPTH_H

#include <cairn/record.h>

typedef struct depth_shape {
    cairn_shape_kind kind; /* convex; a mesh or hull: of its points */
    double size[3];
    int points;
    const double *point;
    cairn_pose pose;
} depth_shape;

/* A segment between two world points. */
depth_shape depth_segment(cairn_vec3 from, cairn_vec3 to);
cairn_vec3 depth_support(const depth_shape *shape, cairn_vec3 direction);
/* Radius about the pose's origin, and least width over many directions (at most a few percent too large). */
double depth_radius(const depth_shape *shape);
double depth_width(const depth_shape *shape);
/* 0 when the shapes are at most `limit` deep in each other, else a lower bound of their depth, within 1 % of it where that is reached in 200 supports. */
double depth_above(const depth_shape *a, const depth_shape *b, double limit);
/* Of a shape below the plane z = 0 of the pose. */
double depth_below(const depth_shape *shape, cairn_pose plane);

#endif
