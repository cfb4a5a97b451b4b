/*
 * shape_width.c: how thin a shape is: the least distance of two parallel planes with the shape
 * between them.
 *
 * Of a hull the least over the normals of its faces is taken; two edges may come nearer, which
 * is not asked for here. Of a closed mesh the least over the axes of its frame and over the first
 * PATCHES flat regions: a plate is found whichever way it lies, the thinnest place of a bent
 * surface is not. A compound is as thin as its thinnest part.
 */
#include "collide/shape/shape.h"

#include <math.h>

#define PATCHES 32

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

/* Between planes across n. */
static double mesh_extent(const cairn_mesh *mesh, cairn_vec3 n) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < mesh->points; i++) {
        double at = cairn_vec3_dot(n, mesh->point[i]);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

static double mesh_width(const cairn_mesh *mesh) {
    static const cairn_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double least = mesh->closed ? INFINITY : 0.0;
    for (int k = 0; k < 3 && mesh->closed; k++)
        least = fmin(least, mesh_extent(mesh, axis[k]));
    for (int k = 0; k < mesh->patches && k < PATCHES && mesh->closed; k++)
        least = fmin(least, mesh_extent(mesh, mesh->patch_normal[k]));
    return least;
}

/* Of the parts that have a thickness. */
static double compound_width(const cairn_shape *s) {
    double least = INFINITY;
    for (int i = 0; i < s->children; i++) {
        double width = cairn_shape_width(s->child[i]);
        least = width > 0.0 ? fmin(least, width) : least;
    }
    return least;
}

/* Of a triangle through the axis, with its top at the tip: its shortest height. */
static double cone_width(const cairn_shape *s) {
    return fmin(s->height, 2.0 * s->radius * s->height / hypot(s->radius, s->height));
}

double cairn_shape_width(const cairn_shape *s) {
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
        return compound_width(s);
    case CAIRN_SHAPE_PLANE:
        return INFINITY;
    default:
        return mesh_width(&s->mesh);
    }
}
