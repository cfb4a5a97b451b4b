/*
 * box_polytope.c: a box as a polytope. Corner i has the signs of the bits of i: bit 0 for x, 1 for
 * y, 2 for z (set: +).
 */
#include "collide/shape/shape.h"

static const int face_start[7] = {0, 4, 8, 12, 16, 20, 24};
/* faces -x, +x, -y, +y, -z, +z, counter-clockwise seen from outside */
static const int face_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
/* corner, corner, face, face; along x, then y, then z */
static const int edge[48] = {0, 1, 2, 4, 2, 3, 3, 4, 4, 5, 2, 5, 6, 7, 3, 5, 0, 2, 0, 4, 1, 3, 1, 4,
                             4, 6, 0, 5, 5, 7, 1, 5, 0, 4, 0, 2, 1, 5, 1, 2, 2, 6, 0, 3, 3, 7, 1, 3};

void cairn_box_polytope(cairn_vec3 h, cairn_vec3 *vertex, cairn_vec3 *normal, double *offset, cairn_polytope *out) {
    for (int i = 0; i < 8; i++)
        vertex[i] = cairn_vec3_of(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    for (int f = 0; f < 6; f++) {
        double side = f % 2 == 0 ? -1.0 : 1.0;
        normal[f] = cairn_vec3_of(f / 2 == 0 ? side : 0.0, f / 2 == 1 ? side : 0.0, f / 2 == 2 ? side : 0.0);
        offset[f] = f / 2 == 0 ? h.x : f / 2 == 1 ? h.y : h.z;
    }
    *out = (cairn_polytope){.vertices = 8,
                            .faces = 6,
                            .edges = 12,
                            .vertex = vertex,
                            .normal = normal,
                            .offset = offset,
                            .face_start = face_start,
                            .face_vertex = face_vertex,
                            .edge = edge};
}
