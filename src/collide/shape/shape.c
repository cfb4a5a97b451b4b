/*
 * shape.c: making, sharing and bounding shapes.
 */
#include "collide/shape/shape.h"

#include "base/core.h"

#include <math.h>
#include <string.h>

#define POINTS_MAX 1000000  /* of a hull */
#define MESH_MAX   20000000 /* points, triangles of a mesh */

static bool is_length(double x) {
    return x >= CAIRN_LENGTH_MIN && x <= CAIRN_LENGTH_MAX;
}

static bool are_lengths(cairn_vec3 a) {
    return is_length(a.x) && is_length(a.y) && is_length(a.z);
}

static bool is_near(cairn_vec3 a) {
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))) <= CAIRN_LENGTH_MAX && !isnan(a.x + a.y + a.z);
}

static cairn_status refuse_length(cairn_context *context, const char *what, double value) {
    return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s is %g m; it must be between %g and %g m", what, value,
                      CAIRN_LENGTH_MIN, CAIRN_LENGTH_MAX);
}

static cairn_status refuse_point(cairn_context *context, const char *what, int i, cairn_vec3 p) {
    return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                      "%s: point %d is (%g, %g, %g); coordinates must be finite and at most %g m", what, i, p.x, p.y,
                      p.z, CAIRN_LENGTH_MAX);
}

/* A shape with one reference; NULL when there is no memory. */
static cairn_shape *make(cairn_context *context, cairn_shape_kind kind) {
    cairn_shape *s = cairn_alloc(context, 1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->context = context;
    atomic_init(&s->references, 1);
    s->kind = kind;
    return s;
}

static cairn_bounds symmetric(double x, double y, double z) {
    return (cairn_bounds){{-x, -y, -z}, {x, y, z}};
}

static cairn_bounds around(int n, const cairn_vec3 *p) {
    cairn_bounds b = {p[0], p[0]};
    for (int i = 1; i < n; i++) {
        b.low = cairn_vec3_of(fmin(b.low.x, p[i].x), fmin(b.low.y, p[i].y), fmin(b.low.z, p[i].z));
        b.high = cairn_vec3_of(fmax(b.high.x, p[i].x), fmax(b.high.y, p[i].y), fmax(b.high.z, p[i].z));
    }
    return b;
}

cairn_status cairn_shape_sphere(cairn_context *context, double radius, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_sphere: an argument is NULL");
    if (!is_length(radius))
        return refuse_length(context, "sphere: radius", radius);
    cairn_shape *s = make(context, CAIRN_SHAPE_SPHERE);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    s->radius = radius;
    s->local = symmetric(radius, radius, radius);
    *shape = s;
    return CAIRN_OK;
}

cairn_status cairn_shape_box(cairn_context *context, cairn_vec3 half, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_box: an argument is NULL");
    if (!are_lengths(half))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "box: half sides are (%g, %g, %g) m; each must be between %g and %g m", half.x, half.y,
                          half.z, CAIRN_LENGTH_MIN, CAIRN_LENGTH_MAX);
    cairn_shape *s = make(context, CAIRN_SHAPE_BOX);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_vec3 *room = cairn_alloc(context, 16, sizeof *room); /* 8 corners, 6 normals, 6 offsets in 2 */
    if (room == NULL) {
        cairn_free(context, s);
        return CAIRN_ERROR_MEMORY;
    }
    s->memory = room;
    s->extent = half;
    cairn_box_polytope(half, room, room + 8, &room[14].x, &s->hull);
    s->local = symmetric(half.x, half.y, half.z);
    *shape = s;
    return CAIRN_OK;
}

cairn_status cairn_shape_ellipsoid(cairn_context *context, cairn_vec3 half, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_ellipsoid: an argument is NULL");
    if (!are_lengths(half))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "ellipsoid: half axes are (%g, %g, %g) m; each must be between %g and %g m", half.x, half.y,
                          half.z, CAIRN_LENGTH_MIN, CAIRN_LENGTH_MAX);
    cairn_shape *s = make(context, CAIRN_SHAPE_ELLIPSOID);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    s->extent = half;
    s->local = symmetric(half.x, half.y, half.z);
    *shape = s;
    return CAIRN_OK;
}

/* Shapes of radius and half length or height along z. */
static cairn_status make_round(cairn_context *context, cairn_shape_kind kind, const char *names[2], double radius,
                               double length, cairn_shape **shape) {
    if (!is_length(radius))
        return refuse_length(context, names[0], radius);
    if (!is_length(length))
        return refuse_length(context, names[1], length);
    cairn_shape *s = make(context, kind);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    s->radius = radius;
    s->half = length;
    s->height = length;
    s->local = symmetric(radius, radius, kind == CAIRN_SHAPE_CAPSULE ? length + radius : length);
    if (kind == CAIRN_SHAPE_CONE) {
        s->local.low.z = -0.25 * length;
        s->local.high.z = 0.75 * length;
    }
    *shape = s;
    return CAIRN_OK;
}

cairn_status cairn_shape_capsule(cairn_context *context, double radius, double half_length, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_capsule: an argument is NULL");
    return make_round(context, CAIRN_SHAPE_CAPSULE, (const char *[]){"capsule: radius", "capsule: half length"}, radius,
                      half_length, shape);
}

cairn_status cairn_shape_cylinder(cairn_context *context, double radius, double half_height, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_cylinder: an argument is NULL");
    return make_round(context, CAIRN_SHAPE_CYLINDER, (const char *[]){"cylinder: radius", "cylinder: half height"},
                      radius, half_height, shape);
}

cairn_status cairn_shape_cone(cairn_context *context, double radius, double height, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_cone: an argument is NULL");
    return make_round(context, CAIRN_SHAPE_CONE, (const char *[]){"cone: radius", "cone: height"}, radius, height,
                      shape);
}

cairn_status cairn_shape_hull(cairn_context *context, int points, const cairn_vec3 *point, cairn_shape **shape) {
    if (context == NULL || point == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_hull: an argument is NULL");
    if (points < 4 || points > POINTS_MAX)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "convex hull: %d points; 4 to %d are needed", points,
                          POINTS_MAX);
    for (int i = 0; i < points; i++)
        if (!is_near(point[i]))
            return refuse_point(context, "convex hull", i, point[i]);
    cairn_shape *s = make(context, CAIRN_SHAPE_HULL);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = cairn_hull_build(context, points, point, &s->hull, &s->memory);
    if (status != CAIRN_OK) {
        cairn_free(context, s);
        return status;
    }
    s->local = around(s->hull.vertices, s->hull.vertex);
    *shape = s;
    return CAIRN_OK;
}

cairn_status cairn_shape_plane(cairn_context *context, cairn_shape **shape) {
    if (context == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_plane: an argument is NULL");
    cairn_shape *s = make(context, CAIRN_SHAPE_PLANE);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    s->local = symmetric(INFINITY, INFINITY, INFINITY);
    *shape = s;
    return CAIRN_OK;
}

cairn_status cairn_shape_mesh(cairn_context *context, int points, const cairn_vec3 *point, int triangles,
                              const int *corner, cairn_shape **shape) {
    if (context == NULL || point == NULL || corner == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_mesh: an argument is NULL");
    if (points < 3 || triangles < 1 || points > MESH_MAX || triangles > MESH_MAX)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "mesh: %d points and %d triangles; at least 3 and 1 are needed, at most %d of either", points,
                          triangles, MESH_MAX);
    for (int i = 0; i < points; i++)
        if (!is_near(point[i]))
            return refuse_point(context, "mesh", i, point[i]);
    for (int i = 0; i < 3 * triangles; i++)
        if (corner[i] < 0 || corner[i] >= points)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: triangle %d refers to point %d of %d", i / 3,
                              corner[i], points);
    cairn_shape *s = make(context, CAIRN_SHAPE_MESH);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = cairn_mesh_build(context, points, point, triangles, corner, &s->mesh, &s->memory);
    if (status != CAIRN_OK) {
        cairn_free(context, s);
        return status;
    }
    s->local = s->mesh.node[0];
    *shape = s;
    return CAIRN_OK;
}

bool cairn_shape_closed(const cairn_shape *shape) {
    if (shape == NULL)
        return false;
    return shape->kind == CAIRN_SHAPE_MESH ? shape->mesh.closed : shape->kind != CAIRN_SHAPE_PLANE;
}

static cairn_bounds merge(cairn_bounds a, cairn_bounds b) {
    return (cairn_bounds){{fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
                          {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

cairn_status cairn_shape_compound(cairn_context *context, int children, cairn_shape *const *child,
                                  const cairn_pose *pose, cairn_shape **shape) {
    if (context == NULL || child == NULL || pose == NULL || shape == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_shape_compound: an argument is NULL");
    if (children < 1)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "compound: %d children; at least 1 is needed", children);
    for (int i = 0; i < children; i++)
        if (child[i] == NULL || !cairn_shape_convex(child[i]))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                              "compound: child %d is a %s; only convex shapes can be children", i,
                              child[i] == NULL ? "null pointer" : cairn_shape_kind_name(child[i]->kind));
    cairn_shape *s = make(context, CAIRN_SHAPE_COMPOUND);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    s->memory = cairn_alloc(context, (size_t)children, sizeof(cairn_pose) + sizeof(cairn_shape *));
    if (s->memory == NULL) {
        cairn_free(context, s);
        return CAIRN_ERROR_MEMORY;
    }
    s->children = children;
    s->pose = s->memory;
    s->child = (cairn_shape **)(void *)(s->pose + children);
    for (int i = 0; i < children; i++) {
        s->pose[i] = pose[i];
        s->pose[i].rotation = cairn_quat_unit(pose[i].rotation);
        s->child[i] = child[i];
        cairn_shape_hold(child[i]);
        cairn_bounds b = cairn_shape_bounds(child[i], s->pose[i]);
        s->local = i == 0 ? b : merge(s->local, b);
    }
    *shape = s;
    return CAIRN_OK;
}

static void drop(cairn_shape *shape) {
    if (atomic_fetch_sub(&shape->references, 1) > 1)
        return;
    for (int i = 0; i < shape->children; i++)
        cairn_shape_unhold(shape->child[i]);
    cairn_free(shape->context, shape->memory);
    cairn_free(shape->context, shape);
}

void cairn_shape_retain(cairn_shape *shape) {
    if (shape != NULL)
        atomic_fetch_add(&shape->references, 1);
}

void cairn_shape_release(cairn_shape *shape) {
    if (shape == NULL)
        return;
    if (atomic_load(&shape->references) <= atomic_load(&shape->held))
        cairn_log(shape->context, CAIRN_LOG_WARNING,
                  "cairn_shape_release: released too often; bodies or compounds still hold the shape");
    else
        drop(shape);
}

void cairn_shape_hold(cairn_shape *shape) {
    atomic_fetch_add(&shape->held, 1);
    atomic_fetch_add(&shape->references, 1);
}

void cairn_shape_unhold(cairn_shape *shape) {
    if (shape == NULL)
        return;
    atomic_fetch_sub(&shape->held, 1);
    drop(shape);
}

cairn_shape_kind cairn_shape_kind_of(const cairn_shape *shape) {
    if (shape == NULL)
        return CAIRN_SHAPE_SPHERE;
    return shape->kind;
}

const char *cairn_shape_kind_name(cairn_shape_kind kind) {
    static const char *const name[] = {"sphere", "capsule", "box",  "hull",     "cylinder",
                                       "cone",   "plane",   "mesh", "compound", "ellipsoid"};
    return (unsigned)kind < sizeof name / sizeof *name ? name[kind] : "unknown shape";
}

/* Half widths of a disc of this radius about the world direction axis: r sqrt(1 - axis_k^2). */
static cairn_vec3 disc(double r, cairn_vec3 axis) {
    return cairn_vec3_of(r * sqrt(fmax(0.0, 1.0 - axis.x * axis.x)), r * sqrt(fmax(0.0, 1.0 - axis.y * axis.y)),
                         r * sqrt(fmax(0.0, 1.0 - axis.z * axis.z)));
}

/* Tight for every shape but hulls, meshes and compounds, whose own box is turned. */
cairn_bounds cairn_shape_bounds(const cairn_shape *shape, cairn_pose pose) {
    if (shape == NULL)
        return (cairn_bounds){{0, 0, 0}, {0, 0, 0}};
    if (shape->kind == CAIRN_SHAPE_PLANE)
        return shape->local;
    cairn_mat3 R = cairn_quat_matrix(pose.rotation);
    cairn_vec3 axis = {R.m[0][2], R.m[1][2], R.m[2][2]}, c = pose.position, d;
    if (shape->kind == CAIRN_SHAPE_SPHERE) {
        d = cairn_vec3_of(shape->radius, shape->radius, shape->radius);
    } else if (shape->kind == CAIRN_SHAPE_CAPSULE) {
        d = cairn_vec3_of(fabs(axis.x) * shape->half + shape->radius, fabs(axis.y) * shape->half + shape->radius,
                          fabs(axis.z) * shape->half + shape->radius);
    } else if (shape->kind == CAIRN_SHAPE_CYLINDER) {
        cairn_vec3 r = disc(shape->radius, axis);
        d = cairn_vec3_of(fabs(axis.x) * shape->half + r.x, fabs(axis.y) * shape->half + r.y,
                          fabs(axis.z) * shape->half + r.z);
    } else if (shape->kind == CAIRN_SHAPE_ELLIPSOID) {
        cairn_vec3 e = shape->extent;
        d = cairn_vec3_of(cairn_vec3_length(cairn_vec3_of(R.m[0][0] * e.x, R.m[0][1] * e.y, R.m[0][2] * e.z)),
                          cairn_vec3_length(cairn_vec3_of(R.m[1][0] * e.x, R.m[1][1] * e.y, R.m[1][2] * e.z)),
                          cairn_vec3_length(cairn_vec3_of(R.m[2][0] * e.x, R.m[2][1] * e.y, R.m[2][2] * e.z)));
    } else if (shape->kind == CAIRN_SHAPE_CONE) {
        cairn_vec3 r = disc(shape->radius, axis), tip = cairn_vec3_add_scaled(c, 0.75 * shape->height, axis);
        cairn_vec3 base = cairn_vec3_add_scaled(c, -0.25 * shape->height, axis);
        return merge((cairn_bounds){tip, tip}, (cairn_bounds){cairn_vec3_sub(base, r), cairn_vec3_add(base, r)});
    } else {
        cairn_vec3 middle = cairn_vec3_scale(0.5, cairn_vec3_add(shape->local.low, shape->local.high));
        cairn_vec3 h = cairn_vec3_scale(0.5, cairn_vec3_sub(shape->local.high, shape->local.low));
        c = cairn_vec3_add(c, cairn_mat3_apply(&R, middle));
        d = cairn_vec3_of(fabs(R.m[0][0]) * h.x + fabs(R.m[0][1]) * h.y + fabs(R.m[0][2]) * h.z,
                          fabs(R.m[1][0]) * h.x + fabs(R.m[1][1]) * h.y + fabs(R.m[1][2]) * h.z,
                          fabs(R.m[2][0]) * h.x + fabs(R.m[2][1]) * h.y + fabs(R.m[2][2]) * h.z);
    }
    return (cairn_bounds){cairn_vec3_sub(c, d), cairn_vec3_add(c, d)};
}
