/*
 * skin.h: the outer surface of something that deforms: triangles over points that move. And rods:
 * curves with a radius.
 *
 * Points are known by their number in one array of places that the owner moves; after a move the
 * skin is refreshed. A contact names, for each side that deforms, up to four of these numbers with
 * weights: the touching point is their weighted sum. A side without any is a rigid shape.
 */
#ifndef CAIRN_COLLIDE_DEFORMABLE_SKIN_H
#define CAIRN_COLLIDE_DEFORMABLE_SKIN_H

#include "base/core.h"
#include "collide/shape/shape.h"
#include "collide/broad/box_tree.h"

/* A point of something that deforms: sum of weight[i] x[vector[i]]. */
typedef struct cairn_spread {
    int count; /* 0: a rigid side */
    int vector[4];
    double weight[4];
} cairn_spread;

typedef struct cairn_skin_contact {
    cairn_vec3 on_a, on_b, normal; /* world; normal from a to b */
    double gap;
    uint64_t feature;
    cairn_spread a, b;
    bool blind; /* the surfaces do not look at each other: they meet only where one is crushed or turned inside out */
} cairn_skin_contact;

typedef struct cairn_skin_contacts {
    cairn_context *context;
    int count, capacity;
    cairn_skin_contact *item;
    bool failed; /* memory ran out: the list is not complete */
} cairn_skin_contacts;
/* A full list grows; when it cannot, failed is set. */
void cairn_skin_contacts_add(cairn_skin_contacts *list, const cairn_skin_contact *contact);

typedef struct cairn_skin {
    cairn_context *context;
    const cairn_vec3 *x; /* places by number */
    int faces, edges, nodes;
    int *face;                  /* 3 per face: numbers of points, counter-clockwise seen from outside */
    int *edge;                  /* 2 per edge: numbers of points */
    int *edge_face;             /* 2 per edge: the faces beside it; -1: none */
    int *beside;                /* 3 per face: edge from corner k to the next */
    int *node;                  /* nodes: numbers of points */
    int *around_start, *around; /* nodes + 1; faces around a node */
    int *node_of;               /* by number of a point: its node, -1: not of the skin */
    cairn_vec3 *normal;         /* faces: unit; 0 for a face without area */
    cairn_bounds *face_box, *edge_box, *face_tree, *edge_tree;
    int *face_order, *edge_order;
    double length; /* mean length of the edges when it was made */
    void *memory;
} cairn_skin;

/* numbers: how many places there are. All index arrays are copied; x is read here and at every
 * refresh and query. */
cairn_status cairn_skin_create(cairn_context *context, int numbers, const cairn_vec3 *x, int faces, const int *face,
                               int edges, const int *edge, int nodes, const int *node, cairn_skin **skin);
void cairn_skin_destroy(cairn_skin *skin); /* NULL allowed */
/* Normals, boxes and trees for the present places. */
void cairn_skin_refresh(cairn_skin *skin);

/* Where a point is nearest to a skin. */
typedef struct cairn_skin_spot {
    int face;         /* -1: nothing within reach */
    int edge, corner; /* of that face, when the nearest point lies there; -1 else */
    cairn_vec3 point;
    double weight[3];
    double distance; /* >= 0 */
    bool inside;     /* behind the surface, by the angle-weighted normal there */
} cairn_skin_spot;
/* Normals of the surface around a point that asks: it meets only faces that one of them looks
 * at. count 0: any face. */
typedef struct cairn_lookout {
    int count;
    cairn_vec3 normal[24];
} cairn_lookout;
cairn_skin_spot cairn_skin_nearest(const cairn_skin *skin, cairn_vec3 p, double reach, const cairn_lookout *look);
/* The faces around a node. */
cairn_lookout cairn_skin_lookout(const cairn_skin *skin, int node);
/* Largest cosine between d and the normals. */
double cairn_lookout_along(const cairn_lookout *look, cairn_vec3 d);
/* A point with its lookout against a skin: signed gap along *normal (out of the skin). False:
 * they do not meet within margin. *blind: none of the normals looks at the skin there. */
bool cairn_skin_meet_point(const cairn_skin *skin, cairn_vec3 p, const cairn_lookout *look, double margin,
                           cairn_skin_spot *spot, cairn_vec3 *normal, double *gap, bool *blind);

/* A sharp edge with its two sides. */
typedef struct cairn_sharp {
    cairn_vec3 from, to, normal[2];
} cairn_sharp;
/* Do the edges cross, each within the sharp side of the other? s, t: where, from 0 to 1; d:
 * unit, from a to b. */
bool cairn_sharp_cross(const cairn_sharp *a, const cairn_sharp *b, double *s, double *t, cairn_vec3 *d, double *gap);
/* Edge e of the skin; false: it is a hollow, or, unless flat ones are asked for too, not sharp. */
bool cairn_skin_sharp(const cairn_skin *skin, int e, bool flat, cairn_sharp *sharp);
/* Edges that have crossed deeper than this part of the skin's mean edge are not each other's
 * business: nodes see them. */
#define CAIRN_CROSSED 0.1

/* All contacts with gap <= margin; thickness is taken off every gap. The first is a. */
void cairn_skin_meet_shape(const cairn_skin *skin, const cairn_shape *shape, cairn_pose pose, double margin,
                           double thickness, cairn_skin_contacts *list);
/* Of these, the edges of a box, hull or mesh against those of the skin; part: number of the
 * shape in a compound. */
void cairn_skin_meet_edges(const cairn_skin *skin, const cairn_shape *shape, cairn_pose pose, double margin,
                           double thickness, uint64_t part, cairn_skin_contacts *list);
void cairn_skin_meet_skin(const cairn_skin *a, const cairn_skin *b, double margin, double thickness,
                          cairn_skin_contacts *list);

/* Curves with a radius: cubic pieces between two places with slopes, r(s) = sum of Hermite's
 * weights times (place, slope) of both ends. */
typedef struct cairn_rods {
    int count;
    const int *vector;    /* 4 per piece: place, slope, place, slope */
    const double *length; /* of the pieces at rest: slopes are with respect to arc length */
    const double *radius;
    const cairn_vec3 *x;
} cairn_rods;
/* The point at t (0 to 1) of a piece. */
cairn_spread cairn_rods_spread(const cairn_rods *rods, int piece, double t);
cairn_bounds cairn_rods_bounds(const cairn_rods *rods);
void cairn_rods_meet_shape(const cairn_rods *rods, const cairn_shape *shape, cairn_pose pose, double margin,
                           double thickness, cairn_skin_contacts *list);
void cairn_rods_meet_skin(const cairn_rods *rods, const cairn_skin *skin, double margin, double thickness,
                          cairn_skin_contacts *list);
void cairn_rods_meet_rods(const cairn_rods *a, const cairn_rods *b, double margin, double thickness,
                          cairn_skin_contacts *list);

/* Kinds of features, in the highest digits of their numbers. */
enum { CAIRN_FEATURE_NODE = 1, CAIRN_FEATURE_VERTEX, CAIRN_FEATURE_FACE, CAIRN_FEATURE_EDGES, CAIRN_FEATURE_ROD };
static inline uint64_t cairn_feature_name(int kind, uint64_t part, uint64_t first, uint64_t second) {
    return ((uint64_t)kind << 60) + (part << 48) + (first << 24) + second;
}
static inline int cairn_feature_kind(uint64_t feature) {
    return (int)(feature >> 60);
}
static inline int cairn_feature_part(uint64_t feature) {
    return (int)(feature >> 48 & 0xfff);
}
static inline int cairn_feature_first(uint64_t feature) {
    return (int)(feature >> 24 & 0xffffff);
}

#endif
