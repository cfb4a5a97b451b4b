/*
 * mesh_face.h: one face of a mesh as a convex shape A sees it, in A's frame.
 */
#ifndef CAIRN_COLLIDE_MESH_MESH_FACE_H
#define CAIRN_COLLIDE_MESH_MESH_FACE_H

#include "collide/narrow/narrowphase.h"

typedef struct cairn_mesh_face {
    const cairn_mesh *mesh;
    const cairn_placement *at; /* the mesh in A's frame */
    int face;
    bool turned;     /* seen from behind */
    cairn_vec3 p[3]; /* corners, counter-clockwise seen from A */
    int v[3];        /* their points */
    int edge[3];     /* of the mesh: from corner k to the next */
    cairn_vec3 n;    /* normal of its patch, towards A */
    double level;    /* the patch is n'x = level */
    double length;   /* of the longest edge */
} cairn_mesh_face;

/* Where on a facet a point lies: at most one of them is not negative; none: inside. */
typedef struct cairn_spot {
    int edge, vertex;
} cairn_spot;

/* What a direction from the mesh to A means for the facet. */
typedef enum cairn_verdict {
    CAIRN_VERDICT_NONE,   /* the surface goes on beyond this facet along it: a neighbour knows better */
    CAIRN_VERDICT_FACE,   /* only the normal of the facet is a direction of contact here */
    CAIRN_VERDICT_FEATURE /* it lies in the normal cone of the edge or corner: contact along it */
} cairn_verdict;

/* Facet of a face. inside: a point inside A. False: A lies behind it and the surface is closed. */
bool cairn_mesh_face_set(cairn_mesh_face *f, const cairn_mesh *mesh, const cairn_placement *at, int face,
                         cairn_vec3 inside);
/* Is edge k one inside a flat patch? */
static inline bool cairn_mesh_face_flat(const cairn_mesh_face *f, int k) {
    const cairn_mesh *m = f->mesh;
    for (int o = m->beside[f->edge[k]]; o >= 0 && o != f->edge[k]; o = m->beside[o])
        if (m->patch[o / 3] == m->patch[f->face])
            return true;
    return false;
}
/* Does x lie over the facet, seen along n, or within eps of that? */
bool cairn_mesh_face_below(const cairn_mesh_face *f, cairn_vec3 x, double eps);
cairn_spot cairn_mesh_face_locate(const cairn_mesh_face *f, cairn_vec3 x);
/* Moves x, inside the facet, to the nearest edge. */
cairn_spot cairn_mesh_face_border(const cairn_mesh_face *f, cairn_vec3 *x);
/* The point nearest to x. */
cairn_vec3 cairn_mesh_face_nearest(const cairn_mesh_face *f, cairn_vec3 x, cairn_spot *spot);
/* Judges the unit direction d of a contact at the spot. face_separation: of A from the plane of
 * the facet. */
cairn_verdict cairn_mesh_face_judge(const cairn_mesh_face *f, cairn_vec3 d, cairn_spot spot, double face_separation);

/* How a polytope A and a facet meet. */
typedef struct cairn_mesh_face_axis {
    cairn_vec3 d;      /* unit, from the facet to A */
    double separation; /* along d */
    int face;          /* of A that looks at the facet; -1: a pair of edges */
    int edge_a, edge;  /* the pair: of A, of the facet */
} cairn_mesh_face_axis;
/* The direction of largest separation among A's faces and pairs of edges; the facet's own normal
 * is not tried. Pairs of edges must be better than faces by tie. Ends early above limit. */
cairn_mesh_face_axis cairn_mesh_face_best_axis(const cairn_polytope *a, const cairn_mesh_face *f, double limit,
                                               double tie);

#endif
