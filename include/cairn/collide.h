/*
 * collide.h: shapes, their mass, and contact, distance and ray queries. Knows neither bodies nor solvers.
 *
 * Units are SI. A shape lives in its own frame; a pose places it in the world. A contact's normal points from shape A to shape B;
 * gap > 0 means apart, gap < 0 means overlap: on_b - on_a = gap * normal.
 */
#ifndef CAIRN_COLLIDE_H
#define CAIRN_COLLIDE_H

#include "base.h"
#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_shape_kind {
    CAIRN_SHAPE_SPHERE = 0,
    CAIRN_SHAPE_CAPSULE,
    CAIRN_SHAPE_BOX,
    CAIRN_SHAPE_HULL,
    CAIRN_SHAPE_CYLINDER,
    CAIRN_SHAPE_CONE,
    CAIRN_SHAPE_PLANE,
    CAIRN_SHAPE_MESH,
    CAIRN_SHAPE_COMPOUND,
    CAIRN_SHAPE_ELLIPSOID
} cairn_shape_kind;

/* Never changes after it was made; counted references, so that many bodies share one. */
typedef struct cairn_shape cairn_shape;

/* What shapes and masses may be. Products of such numbers stay within the range of double, and their sums keep digits. */
#define CAIRN_LENGTH_MIN  1e-9  /* m: radii, sides, axes, heights */
#define CAIRN_LENGTH_MAX  1e9   /* m: the same, and coordinates of points */
#define CAIRN_DENSITY_MIN 1e-15 /* kg/m^3 */
#define CAIRN_DENSITY_MAX 1e20  /* kg/m^3 */

/* Centre at the origin. Lengths must lie between CAIRN_LENGTH_MIN and CAIRN_LENGTH_MAX. */
CAIRN_API cairn_status cairn_shape_sphere(cairn_context *context, double radius, cairn_shape **shape);
CAIRN_API cairn_status cairn_shape_box(cairn_context *context, cairn_vec3 half, cairn_shape **shape);
/* Half axes along x, y, z. */
CAIRN_API cairn_status cairn_shape_ellipsoid(cairn_context *context, cairn_vec3 half, cairn_shape **shape);
/* All points within radius of the segment from (0, 0, -half_length) to (0, 0, half_length). */
CAIRN_API cairn_status cairn_shape_capsule(cairn_context *context, double radius, double half_length,
                                           cairn_shape **shape);
/* Axis z. */
CAIRN_API cairn_status cairn_shape_cylinder(cairn_context *context, double radius, double half_height,
                                            cairn_shape **shape);
/* Axis z, base disc at z = -height/4, tip at z = 3 height/4: the centre of mass is the origin. */
CAIRN_API cairn_status cairn_shape_cone(cairn_context *context, double radius, double height, cairn_shape **shape);
/* The convex hull of points, which stay where they are (no shift to the centre of mass). Refused when they are flat. */
CAIRN_API cairn_status cairn_shape_hull(cairn_context *context, int points, const cairn_vec3 *point,
                                        cairn_shape **shape);
/* The half space z <= 0. Never moves. */
CAIRN_API cairn_status cairn_shape_plane(cairn_context *context, cairn_shape **shape);
/* Triangles, three corners each, counter-clockwise seen from outside; for fixed and kinematic bodies. Of a closed surface (see
 * cairn_shape_closed) only the outside is touched; a surface with a rim is touched from either side. Points within 5e-7 of the mesh's size are
 * one; narrower and repeated triangles are left out, and faces that disagree about the front are turned (the surface is not closed then). A body that moves freely needs convex pieces instead: a compound of hulls. */
CAIRN_API cairn_status cairn_shape_mesh(cairn_context *context, int points, const cairn_vec3 *point, int triangles,
                                        const int *corner, cairn_shape **shape);
/* Children in the compound's frame; convex shapes only. Children are kept by reference. */
CAIRN_API cairn_status cairn_shape_compound(cairn_context *context, int children, cairn_shape *const *child,
                                            const cairn_pose *pose, cairn_shape **shape);

CAIRN_API void cairn_shape_retain(cairn_shape *shape);
/* Released too often while bodies or compounds hold it: the log says so, and nothing happens. After the last reference is gone that cannot be told. */
CAIRN_API void cairn_shape_release(cairn_shape *shape); /* the last release frees it; NULL allowed */
CAIRN_API cairn_shape_kind cairn_shape_kind_of(const cairn_shape *shape);
CAIRN_API const char *cairn_shape_kind_name(cairn_shape_kind kind); /* "sphere", "box", ... */

/* A mesh: every edge joins two triangles that agree on which side is out. Other shapes: true, but for a plane. */
CAIRN_API bool cairn_shape_closed(const cairn_shape *shape);

typedef struct cairn_mass {
    double mass;        /* kg */
    cairn_vec3 center;  /* of mass, in the shape's frame */
    cairn_mat3 inertia; /* about the centre of mass, axes of the shape's frame, kg m^2 */
} cairn_mass;

/* Of a solid of this density (kg/m^3), exact. Refused for planes and for meshes that are not closed. Children of a
 * compound are added: where they overlap, matter counts twice. */
CAIRN_API cairn_status cairn_shape_mass(const cairn_shape *shape, double density, cairn_mass *mass);

typedef struct cairn_bounds {
    cairn_vec3 low, high; /* axes of the world; infinite for a plane */
} cairn_bounds;
CAIRN_API cairn_bounds cairn_shape_bounds(const cairn_shape *shape, cairn_pose pose);

#define CAIRN_MANIFOLD_MAX 16

typedef struct cairn_contact {
    cairn_vec3 on_a, on_b; /* world */
    double gap;            /* m */
    uint64_t feature;      /* which corners and edges meet: the same number in the next step means the same contact */
} cairn_contact;

/* Contacts of one convex piece of A with one convex piece of B: one normal, the corners of the common area. */
typedef struct cairn_manifold {
    cairn_vec3 normal; /* unit, from A to B, world */
    int count;         /* at most CAIRN_MANIFOLD_MAX */
    cairn_contact point[CAIRN_MANIFOLD_MAX];
} cairn_manifold;

/* All contacts with gap <= margin (margin >= 0). Writes at most capacity manifolds, returns how many there are (more than capacity:
 * ask again with more room). Pure: same shapes and poses, same bits. */
CAIRN_API int cairn_collide(const cairn_shape *a, cairn_pose pose_a, const cairn_shape *b, cairn_pose pose_b,
                            double margin, cairn_manifold *manifold, int capacity);

typedef struct cairn_ray_hit {
    double distance;   /* from the origin, m */
    cairn_vec3 point;  /* world */
    cairn_vec3 normal; /* of the surface, world */
} cairn_ray_hit;

/* First hit of the ray origin + t direction, 0 <= t <= reach, direction of length 1. False: none. A ray that begins inside hits
 * at distance 0 with normal -direction. */
CAIRN_API bool cairn_shape_ray(const cairn_shape *shape, cairn_pose pose, cairn_vec3 origin, cairn_vec3 direction,
                               double reach, cairn_ray_hit *hit);

#ifdef __cplusplus
}
#endif
#endif
