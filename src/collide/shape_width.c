/*
 * shape_width.c: how thin a shape is: the least distance of two parallel planes with the shape between them.
 *
 * Of a hull the least over the normals of its faces is taken; two edges may come nearer, which nobody asks for here. A compound is as thin as its thinnest part.
 */
#include "shape.h"

#include <math.h>

static double hull_width(const cairn_polytope *hull) {
    double least = INFINITY;
    for (int f = 0; f < hull->faces; f++) {
        double deepest = 0.0;
        for (int i = 0; i < hull->vertices; i++)
            deepest = fmax(deepest, hull->offset[f] - cairn_vec3_dot(hull->normal[f], hull->vertex[i]));
        least = fmin(least, deepest);
    }
    return least;
}

/* Of a triangle through the axis, with its top at the tip: its shortest height. */
static double cone_width(const cairn_shape *s) {
    return fmin(s->height, 2.0 * s->radius * s->height / hypot(s->radius, s->height));
}

double cairn_shape_width(const cairn_shape *s) {
    double least = INFINITY;
    switch (s->kind) {
    case CAIRN_SHAPE_SPHERE:
    case CAIRN_SHAPE_CAPSULE:
        return 2.0 * s->radius;
    case CAIRN_SHAPE_CYLINDER:
        return 2.0 * fmin(s->radius, s->half);
    case CAIRN_SHAPE_CONE:
        return cone_width(s);
    case CAIRN_SHAPE_BOX:
    case CAIRN_SHAPE_ELLIPSOID:
        return 2.0 * fmin(s->extent.x, fmin(s->extent.y, s->extent.z));
    case CAIRN_SHAPE_HULL:
        return hull_width(&s->hull);
    case CAIRN_SHAPE_COMPOUND:
        for (int i = 0; i < s->children; i++)
            least = fmin(least, cairn_shape_width(s->child[i]));
        return least;
    case CAIRN_SHAPE_PLANE:
        return INFINITY;
    default:
        return 0.0;
    }
}
