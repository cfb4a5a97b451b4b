/*
 * narrowphase.h: contact of two convex shapes in the frame of the first.
 *
 * A pair function sees shape A at rest and shape B placed by (R, t): x_A = R x_B + t. It writes one
 * manifold in A's frame (normal from A to B) and returns whether there is any contact with gap <=
 * margin.
 */
#ifndef CAIRN_COLLIDE_NARROW_NARROWPHASE_H
#define CAIRN_COLLIDE_NARROW_NARROWPHASE_H

#include "collide/shape/shape.h"

/* Of the size: points of a face that stick out over the rim of the other one by less are not cut
 * off, and nearer points are one. Faces that all but cover each other would have pairs of points
 * at each corner, other ones with each step. */
#define CAIRN_RIM 1e-6

typedef struct cairn_placement {
    cairn_mat3 R;
    cairn_vec3 t;
} cairn_placement;

static inline cairn_vec3 cairn_place(const cairn_placement *at, cairn_vec3 x) {
    return cairn_vec3_add(cairn_mat3_apply(&at->R, x), at->t);
}

typedef bool (*cairn_pair)(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                           cairn_manifold *out);

bool cairn_pair_spheres(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                        cairn_manifold *out);
bool cairn_pair_sphere_capsule(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                               cairn_manifold *out);
bool cairn_pair_capsules(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                         cairn_manifold *out);
/* sphere, then box, hull, cylinder or cone */
bool cairn_pair_sphere_convex(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                              cairn_manifold *out);
/* capsule, then box or hull */
bool cairn_pair_capsule_polytope(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                                 cairn_manifold *out);
bool cairn_pair_polytopes(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                          cairn_manifold *out);
/* one of the two has a curved side */
bool cairn_pair_convex(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                       cairn_manifold *out);
/* any convex shape, then the plane */
bool cairn_pair_plane(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                      cairn_manifold *out);

/* A convex shape, then a mesh that lies at pose mesh_in_a in its frame. Writes up to capacity
 * manifolds in A's frame, returns how many there are. Manifolds of one flat region are one, as
 * long as there is room for them. */
int cairn_pair_mesh(const cairn_shape *a, const cairn_shape *mesh, cairn_pose mesh_in_a, double margin,
                    cairn_manifold *out, int capacity);

/* Is the gap of two spheres, or of a sphere and a plane, surely above margin? Most pairs of near
 * boxes are, and this costs a tenth of meeting them. False for all other shapes, and where
 * rounding might decide. x, q: where the shapes' frames are. */
static inline bool cairn_surely_apart(const cairn_shape *a, const cairn_vec3 *xa, const cairn_quat *qa,
                                      const cairn_shape *b, const cairn_vec3 *xb, const cairn_quat *qb, double margin) {
    const double slack = 1e-12;
    double x = xb->x - xa->x, y = xb->y - xa->y, z = xb->z - xa->z, reach = a->radius + b->radius + margin;
    if (a->kind == CAIRN_SHAPE_SPHERE && b->kind == CAIRN_SHAPE_SPHERE)
        return x * x + y * y + z * z > (1.0 + slack) * reach * reach && reach > 0.0;
    bool first = a->kind == CAIRN_SHAPE_SPHERE;
    if (first ? b->kind != CAIRN_SHAPE_PLANE : a->kind != CAIRN_SHAPE_PLANE || b->kind != CAIRN_SHAPE_SPHERE)
        return false;
    const cairn_quat *q = first ? qb : qa; /* the plane looks along its third axis */
    double height = 2.0 * (q->x * q->z + q->w * q->y) * x + 2.0 * (q->y * q->z - q->w * q->x) * y +
                    (1.0 - 2.0 * (q->x * q->x + q->y * q->y)) * z;
    return (first ? -height : height) >
           reach + slack * (reach + ((x < 0.0 ? -x : x) + (y < 0.0 ? -y : y) + (z < 0.0 ? -z : z)));
}

/* Adds a contact; on_b - on_a = gap * out->normal. A full manifold takes no more. */
void cairn_manifold_add(cairn_manifold *out, cairn_vec3 on_a, cairn_vec3 on_b, double gap, uint64_t feature);

/* What GJK sees of a shape: a convex core, and the radius of a ball that is rolled over it. */
typedef struct cairn_core {
    const cairn_shape *shape;
    const cairn_placement *at; /* NULL: the frame of the query */
    double radius;             /* not part of the core: sphere and capsule have a point and a segment as core */
} cairn_core;
cairn_core cairn_core_of(const cairn_shape *shape, const cairn_placement *at);
/* The core's point farthest along d, and its number where the core has corners (else -1). */
cairn_vec3 cairn_core_support(const cairn_core *core, cairn_vec3 d, int *corner);

typedef struct cairn_closest {
    double distance; /* of the cores; 0: they overlap */
    cairn_vec3 on_a, on_b;
    cairn_vec3 normal; /* from A to B; only where distance > 0 */
    int corners;       /* size of the last simplex */
    int corner_a[4], corner_b[4];
    cairn_vec3 point_a[4], point_b[4]; /* the simplex itself: where EPA begins */
} cairn_closest;
/* Distance of two cores, by Gilbert, Johnson and Keerthi's method. Distances below 1e-13 of the
 * shapes' size count as overlap. */
void cairn_gjk(const cairn_core *a, const cairn_core *b, cairn_closest *out);

/* Polygons for clipping. */
typedef struct cairn_polygon {
    int count;
    cairn_vec3 point[2 * CAIRN_FACE_CORNERS_MAX];
    uint64_t id[2 * CAIRN_FACE_CORNERS_MAX];
} cairn_polygon;
/* Cuts away what lies above the plane n'x > d; points within eps stay. New points get an id made
 * of both ends of the cut edge and of `plane`. */
void cairn_polygon_clip(cairn_polygon *p, cairn_vec3 n, double d, double eps, int plane);
/* Cuts away what does not lie over face f of p, whose normal is n; p is placed by at (NULL: it
 * lies in the frame of the query). */
void cairn_polygon_clip_to_face(cairn_polygon *polygon, const cairn_polytope *p, int f, const cairn_placement *at,
                                cairn_vec3 n, double size);
/* Drops points that lie on another one. */
void cairn_polygon_drop_twins(cairn_polygon *p, double eps);
/* Keeps at most CAIRN_MANIFOLD_MAX of many points: the deepest along n, then always the one
 * farthest from those taken. */
void cairn_polygon_thin(cairn_polygon *p, cairn_vec3 n);

/* One number from two; order matters. */
uint64_t cairn_feature_mix(uint64_t a, uint64_t b);

/* The part of a convex shape that looks along d: 1 point, 2 points of a line, or a polygon. at:
 * where it lies (NULL: in the frame of the query). */
void cairn_part_along(const cairn_shape *shape, const cairn_placement *at, cairn_vec3 d, cairn_polygon *out);
/* Contacts where a part of A and a part of B lie over each other along out->normal; adds none
 * when one of them is a point. Changes the parts. */
void cairn_lay_parts(cairn_polygon *a, cairn_polygon *b, double size, double margin, cairn_manifold *out);
/* The shape drawn in, into room; *radius: by how much. Shapes without a curved side stay as they
 * are. */
const cairn_shape *cairn_shape_inset(const cairn_shape *shape, cairn_shape *room, double *radius);

/* Way out of overlapping cores, by the expanding polytope: unit normal from A to B and depth >
 * 0, so that moving B by depth along it parts them. Begins with the simplex of cairn_gjk. False:
 * no polytope could be made (flat difference); nothing is written. */
bool cairn_epa(const cairn_core *a, const cairn_core *b, const cairn_closest *start, cairn_vec3 *normal, double *depth,
               cairn_vec3 *on_a, cairn_vec3 *on_b);

/* Of A's size: so much nearer may rims and tips be than those of the shapes drawn in before they
 * are looked at themselves, */
#define CAIRN_SHARP 1e-6
/* and so exactly are gaps found. */
#define CAIRN_LEVEL 1e-8

/* Where two cores are farthest apart, or overlap least. */
typedef struct cairn_gap {
    cairn_vec3 normal; /* from A to B */
    cairn_vec3 on_a, on_b;
    double gap;
} cairn_gap;
/* By GJK, or EPA where they overlap. False: no polytope could be made. */
bool cairn_core_gap(const cairn_core *a, const cairn_core *b, cairn_gap *out);

#endif
