/*
 * shape.h: what a shape holds, and the polytope that boxes and hulls share.
 */
#ifndef CAIRN_COLLIDE_SHAPE_SHAPE_H
#define CAIRN_COLLIDE_SHAPE_SHAPE_H

#include <cairn/collide.h>

#include <stdatomic.h>

#define CAIRN_FACE_CORNERS_MAX 128 /* corners of one face of a hull */

/* A convex polytope. Faces lie in n'x = offset with n outward; their corners go round
 * counter-clockwise seen from outside. */
typedef struct cairn_polytope {
    int vertices, faces, edges;
    const cairn_vec3 *vertex; /* vertices */
    const cairn_vec3 *normal; /* faces: unit, outward */
    const double *offset;     /* faces */
    const int *face_start;    /* faces + 1 */
    const int *face_vertex;   /* face_start[faces]: corners of the faces, one face after the other */
    const int *edge;          /* 4 per edge: corner, corner, face, face */
} cairn_polytope;

/* A surface of triangles. Its faces are the triangles with points at one place welded, without
 * repeated ones and those without area, and cut so that all faces meet edge to edge
 * (triangulation.h); contacts and rays see only these. */
typedef struct cairn_mesh {
    int points, triangles, faces, patches;
    bool closed;             /* every edge joins two faces that go round it in opposite directions */
    int open[2];             /* ends of an edge that does not, when not closed */
    const cairn_vec3 *point; /* points */
    const int *corner;       /* 3 per triangle, as they were given */
    const int *face;         /* 3 per face */
    /* 3 per face: of edge 3 face + k, from corner k to the next, another edge along the same line,
     * and so on round; -1: none */
    const int *beside;
    const int *patch;               /* faces: the flat region */
    const cairn_vec3 *patch_normal; /* patches: unit */
    const double *patch_level;      /* patches: the plane is normal'x = level */
    const int *ring_start,
        *ring; /* points + 1; the points that edges join a point with, some twice; none for points inside a region */
    const int *order;         /* faces in the order of the tree's leaves */
    const cairn_bounds *node; /* of the tree (box_tree.h) */
} cairn_mesh;

struct cairn_shape {
    cairn_context *context;
    atomic_int references, held; /* all; those of bodies and compounds, which the user cannot give back */
    cairn_shape_kind kind;
    double radius;       /* sphere, capsule, cylinder, cone */
    double half;         /* capsule, cylinder: half the length of the axis */
    double height;       /* cone */
    cairn_vec3 extent;   /* box: half sides; ellipsoid: half axes */
    cairn_polytope hull; /* box, hull */
    cairn_mesh mesh;
    int children;        /* compound */
    cairn_shape **child; /* children */
    cairn_pose *pose;    /* children */
    cairn_bounds local;  /* in the shape's own frame */
    void *memory;        /* of the arrays above */
};

/* Neither plane nor mesh nor compound. */
static inline bool cairn_shape_convex(const cairn_shape *shape) {
    return shape->kind < CAIRN_SHAPE_PLANE || shape->kind == CAIRN_SHAPE_ELLIPSOID;
}

/* Goes on from hash with all that the shape is: kind, sizes, points, children. NULL allowed. */
uint64_t cairn_shape_hash(uint64_t hash, const cairn_shape *shape);

/* Radii of curvature where the outward unit normal is n (in the shape's frame): the touching
 * point moves by R dn when the normal turns. R (9) is symmetric; 0 for shapes without round
 * sides. */
void cairn_shape_radii(const cairn_shape *shape, cairn_vec3 n, double R[9]);

/* How thin it is, m; INFINITY: a plane, 0: an open mesh. shape_width.c */
double cairn_shape_width(const cairn_shape *shape);

/* Hull of points (n >= 4) into out, whose arrays lie in one block *memory for the caller to
 * free. eps: points nearer than this to the hull are left out; faces that bend less are one. */
cairn_status cairn_hull_build(cairn_context *context, int n, const cairn_vec3 *point, cairn_polytope *out,
                              void **memory);

/* Mesh of triangles (all indices in range, all points finite) into out, whose arrays lie in one
 * block *memory for the caller to free. Refused when no triangle has an area. */
cairn_status cairn_mesh_build(cairn_context *context, int points, const cairn_vec3 *point, int triangles,
                              const int *corner, cairn_mesh *out, void **memory);

/* The polytope of a box with half sides h; vertex, normal and offset (8, 6, 6) are written to
 * the caller's arrays, which out refers to. */
void cairn_box_polytope(cairn_vec3 h, cairn_vec3 *vertex, cairn_vec3 *normal, double *offset, cairn_polytope *out);

/* References of bodies and compounds. NULL allowed in unhold. */
void cairn_shape_hold(cairn_shape *shape);
void cairn_shape_unhold(cairn_shape *shape);

#endif
