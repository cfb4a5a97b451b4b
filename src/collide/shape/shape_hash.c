/*
 * shape_hash.c: one number for all that a shape is. Equal shapes have equal numbers; different
 * ones, for all practical purposes, different numbers.
 */
#include "base/core.h"
#include "collide/shape/shape.h"

uint64_t cairn_shape_hash(uint64_t hash, const cairn_shape *s) {
    const int32_t none = -1;
    if (s == NULL)
        return cairn_hash(hash, &none, sizeof none);
    const int32_t kind = (int32_t)s->kind, count[] = {s->hull.vertices, s->mesh.points, s->mesh.triangles, s->children};
    const double size[] = {s->radius, s->half, s->height, s->extent.x, s->extent.y, s->extent.z};
    hash = cairn_hash(hash, &kind, sizeof kind);
    hash = cairn_hash(hash, count, sizeof count);
    hash = cairn_hash(hash, size, sizeof size);
    hash = cairn_hash(hash, s->hull.vertex, (size_t)s->hull.vertices * sizeof *s->hull.vertex);
    hash = cairn_hash(hash, s->mesh.point, (size_t)s->mesh.points * sizeof *s->mesh.point);
    hash = cairn_hash(hash, s->mesh.corner, 3 * (size_t)s->mesh.triangles * sizeof *s->mesh.corner);
    for (int i = 0; i < s->children; i++) {
        hash = cairn_hash(hash, &s->pose[i], sizeof s->pose[i]);
        hash = cairn_shape_hash(hash, s->child[i]);
    }
    return hash;
}
