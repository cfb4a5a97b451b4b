/*
 * triangulation.h: from the triangles that a user gives to a surface whose faces meet edge to edge.
 *
 * Points nearer than `reach` are one. Triangles without width and repeated ones are left out. Faces
 * are cut where points of others lie on their edges.
 */
#ifndef CAIRN_COLLIDE_MESH_TRIANGULATION_H
#define CAIRN_COLLIDE_MESH_TRIANGULATION_H

#include "collide/shape/shape.h"

/* Of the size: how far a point may be from where it is meant. Meshes in single precision are off
 * by less. */
#define CAIRN_MESH_NOISE 2.5e-7

typedef struct cairn_triangulation {
    cairn_context *context;
    const cairn_vec3 *point; /* points, as they were given */
    int points;
    double size;  /* longest side of the box around the triangles */
    double reach; /* nearer points are one: twice the noise */
    int faces;
    int *face;   /* 3 per face: points; of points that are one the first */
    int *beside; /* 3 per face: the next edge 3 face + k along the same line, round about; -1: there is no other */
    bool turned; /* faces had to be turned to agree about the front */
    bool closed; /* every edge joins two faces that go along it in opposite directions, as they were given */
    int open[2]; /* ends of an edge that does not */
} cairn_triangulation;

static inline int cairn_edge_next(int edge) {
    return edge % 3 == 2 ? edge - 2 : edge + 1;
}

/* Places of a hash table for so many items: a power of 2. */
static inline size_t cairn_table_size(size_t items) {
    size_t size = 16;
    while (size < 2 * items)
        size *= 2;
    return size;
}

/* Where a key belongs in a table: the highest bits of its product with 2^64 over the golden
 * ratio, which depend on all bits of the key. */
static inline size_t cairn_table_place(uint64_t key, size_t size) {
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> __builtin_clzll((unsigned long long)size - 1));
}

/* Twice the area of a face, along its normal. */
cairn_vec3 cairn_triangulation_area(const cairn_triangulation *s, int face);

/* Faces of the triangles. Refused when no triangle is wider than half the reach. The arrays are
 * the caller's to free. */
cairn_status cairn_triangulation_weld(cairn_triangulation *s, int triangles, const int *corner);
/* Finds the faces beside each other. Leaves out repeated faces; of faces that go the same way
 * along their only common edge one is turned. */
cairn_status cairn_triangulation_pair(cairn_triangulation *s);
/* Cuts faces where points lie on an edge that has no other face. *cut: how many points did. */
cairn_status cairn_triangulation_cut(cairn_triangulation *s, int *cut);
/* All of it. */
cairn_status cairn_triangulation_make(cairn_triangulation *s, int triangles, const int *corner);

/* Flat regions. patch (faces): the region of each face. normal, level (faces): of each region,
 * the plane is normal'x = level; *patches: how many there are. */
cairn_status cairn_triangulation_patches(const cairn_triangulation *s, int *patch, cairn_vec3 *normal, double *level,
                                         int *patches);

#endif
