/*
 * random_depth.c: see random_depth.h.
 */
#include "random_depth.h"

#include <float.h>
#include <string.h>

#define MOST_POINTS 204
#define MOST_FACES  (2 * MOST_POINTS + 8)

depth_shape depth_segment(cairn_vec3 from, cairn_vec3 to) {
    cairn_vec3 way = cairn_vec3_sub(to, from);
    double length = cairn_vec3_length(way);
    depth_shape shape = {.kind = CAIRN_SHAPE_CAPSULE, .size = {0, 0.5 * length, 0}, .pose = cairn_pose_identity()};
    shape.pose.position = cairn_vec3_add_scaled(from, 0.5, way);
    if (length > 0) { /* the rotation that takes z to the way */
        cairn_vec3 z = cairn_vec3_of(0, 0, 1), n = cairn_vec3_scale(1 / length, way), axis = cairn_vec3_cross(z, n);
        cairn_quat q = {1 + n.z, axis.x, axis.y, axis.z};
        shape.pose.rotation = 1 + n.z > 1e-12 ? cairn_quat_unit(q) : (cairn_quat){0, 1, 0, 0};
    }
    return shape;
}

/* Farthest point of the shape along d, in its own frame. */
static cairn_vec3 support_local(const depth_shape *shape, cairn_vec3 d) {
    const double *s = shape->size;
    double flat = sqrt(d.x * d.x + d.y * d.y), length = cairn_vec3_length(d);
    double up = d.z >= 0 ? 1 : -1;
    switch (shape->kind) {
    case CAIRN_SHAPE_SPHERE:
        return cairn_vec3_scale(length > 0 ? s[0] / length : 0, d);
    case CAIRN_SHAPE_CAPSULE:
        return cairn_vec3_add(cairn_vec3_scale(length > 0 ? s[0] / length : 0, d), cairn_vec3_of(0, 0, up * s[1]));
    case CAIRN_SHAPE_BOX:
        return cairn_vec3_of(copysign(s[0], d.x), copysign(s[1], d.y), copysign(s[2], d.z));
    case CAIRN_SHAPE_ELLIPSOID: {
        cairn_vec3 e = cairn_vec3_of(s[0] * d.x, s[1] * d.y, s[2] * d.z);
        double size = cairn_vec3_length(e);
        return size > 0 ? cairn_vec3_of(s[0] * e.x / size, s[1] * e.y / size, s[2] * e.z / size)
                        : cairn_vec3_of(0, 0, s[2]);
    }
    case CAIRN_SHAPE_CYLINDER:
        return flat > 0 ? cairn_vec3_of(s[0] * d.x / flat, s[0] * d.y / flat, up * s[1])
                        : cairn_vec3_of(0, 0, up * s[1]);
    case CAIRN_SHAPE_CONE: {
        cairn_vec3 tip = cairn_vec3_of(0, 0, 0.75 * s[1]);
        cairn_vec3 rim = cairn_vec3_of(flat > 0 ? s[0] * d.x / flat : 0, flat > 0 ? s[0] * d.y / flat : 0,
                                       -0.25 * s[1]);
        return cairn_vec3_dot(tip, d) > cairn_vec3_dot(rim, d) ? tip : rim;
    }
    default: {
        int best = 0;
        double most = -INFINITY;
        for (int i = 0; i < shape->points; i++) {
            const double *p = &shape->point[3 * i];
            double along = p[0] * d.x + p[1] * d.y + p[2] * d.z;
            best = along > most ? i : best;
            most = fmax(most, along);
        }
        return cairn_vec3_of(shape->point[3 * best], shape->point[3 * best + 1], shape->point[3 * best + 2]);
    }
    }
}

cairn_vec3 depth_support(const depth_shape *shape, cairn_vec3 direction) {
    cairn_vec3 local = cairn_quat_rotate(cairn_quat_conjugate(shape->pose.rotation), direction);
    return cairn_pose_apply(shape->pose, support_local(shape, local));
}

double depth_radius(const depth_shape *shape) {
    const double *s = shape->size;
    switch (shape->kind) {
    case CAIRN_SHAPE_SPHERE:
        return s[0];
    case CAIRN_SHAPE_CAPSULE:
        return s[0] + s[1];
    case CAIRN_SHAPE_BOX:
        return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    case CAIRN_SHAPE_ELLIPSOID:
        return fmax(s[0], fmax(s[1], s[2]));
    case CAIRN_SHAPE_CYLINDER:
        return sqrt(s[0] * s[0] + s[1] * s[1]);
    case CAIRN_SHAPE_CONE:
        return fmax(0.75 * s[1], sqrt(s[0] * s[0] + s[1] * s[1] / 16));
    default:
        break;
    }
    double most = 0;
    for (int i = 0; i < shape->points; i++) {
        const double *p = &shape->point[3 * i];
        most = fmax(most, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
    return sqrt(most);
}

/* Directions of a grid over a half sphere. */
static cairn_vec3 grid_direction(int i, int j, int k) {
    return cairn_vec3_unit(cairn_vec3_of(i, j, k));
}

double depth_width(const depth_shape *shape) {
    double least = INFINITY;
    for (int i = -4; i <= 4; i++)
        for (int j = -4; j <= 4; j++)
            for (int k = -4; k <= 4; k++) {
                if (i == 0 && j == 0 && k == 0)
                    continue;
                cairn_vec3 d = grid_direction(i, j, k);
                cairn_vec3 way = cairn_vec3_sub(support_local(shape, d), support_local(shape, cairn_vec3_scale(-1, d)));
                least = fmin(least, cairn_vec3_dot(way, d));
            }
    return least;
}

double depth_below(const depth_shape *shape, cairn_pose plane) {
    cairn_vec3 up = cairn_quat_rotate(plane.rotation, cairn_vec3_of(0, 0, 1));
    cairn_vec3 low = depth_support(shape, cairn_vec3_scale(-1, up));
    return -cairn_vec3_dot(up, cairn_vec3_sub(low, plane.position));
}

/* ---- the polytope ------------------------------------------------------------------------------------------- */

typedef struct face {
    int corner[3];
    cairn_vec3 normal; /* outward, length 1 */
    double distance;   /* of its plane from the origin, signed */
    bool gone;
} face;

typedef struct polytope {
    const depth_shape *a, *b;
    cairn_vec3 point[MOST_POINTS];
    face face[MOST_FACES];
    int points, faces;
} polytope;

/* The farthest point of A - B along n. */
static cairn_vec3 difference(const polytope *p, cairn_vec3 n) {
    return cairn_vec3_sub(depth_support(p->a, n), depth_support(p->b, cairn_vec3_scale(-1, n)));
}

/* false: no room, or a face without area. */
static bool add_face(polytope *p, int i, int j, int k) {
    cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(p->point[j], p->point[i]), cairn_vec3_sub(p->point[k], p->point[i]));
    double length = cairn_vec3_length(n);
    int slot = 0;
    while (slot < p->faces && !p->face[slot].gone)
        slot++;
    if (!(length > DBL_MIN) || slot >= MOST_FACES)
        return false;
    n = cairn_vec3_scale(1 / length, n);
    p->face[slot] = (face){{i, j, k}, n, cairn_vec3_dot(n, p->point[i]), false};
    p->faces = slot == p->faces ? slot + 1 : p->faces;
    return true;
}

/* The point farthest from what the first ones span, on either side along n. */
static double widest(polytope *p, cairn_vec3 n, cairn_vec3 base, cairn_vec3 *best) {
    cairn_vec3 up = difference(p, n), down = difference(p, cairn_vec3_scale(-1, n));
    double high = cairn_vec3_dot(cairn_vec3_sub(up, base), n), low = cairn_vec3_dot(cairn_vec3_sub(base, down), n);
    *best = high >= low ? up : down;
    return high >= low ? high : -low;
}

/* A tetrahedron of points of A - B; false: it has no volume. */
static bool begin(polytope *p, cairn_vec3 along) {
    cairn_vec3 *q = p->point;
    p->points = p->faces = 0;
    q[0] = difference(p, along);
    widest(p, along, q[0], &q[1]);
    cairn_vec3 t1, t2, way = cairn_vec3_sub(q[1], q[0]), third[2];
    if (!(cairn_vec3_length(way) > DBL_MIN))
        return false;
    cairn_vec3_frame(cairn_vec3_unit(way), &t1, &t2);
    double first = fabs(widest(p, t1, q[0], &third[0])), second = fabs(widest(p, t2, q[0], &third[1]));
    q[2] = first >= second ? third[0] : third[1];
    cairn_vec3 n = cairn_vec3_cross(way, cairn_vec3_sub(q[2], q[0]));
    if (!(cairn_vec3_length(n) > DBL_MIN))
        return false;
    double side = widest(p, cairn_vec3_unit(n), q[0], &q[3]);
    p->points = 4;
    bool up = side > 0; /* the fourth point lies where the normal of 0 1 2 points: then that face is turned */
    return side != 0 && add_face(p, 0, up ? 2 : 1, up ? 1 : 2) && add_face(p, 0, up ? 1 : 2, 3) &&
           add_face(p, up ? 1 : 2, up ? 2 : 1, 3) && add_face(p, up ? 2 : 1, 0, 3);
}

/* Puts a point that lies outside of some faces into the polytope. */
static bool insert(polytope *p, cairn_vec3 point) {
    int edge[3 * MOST_FACES][2], edges = 0;
    if (p->points >= MOST_POINTS)
        return false;
    for (int f = 0; f < p->faces; f++) {
        face *at = &p->face[f];
        if (at->gone || cairn_vec3_dot(at->normal, point) <= at->distance)
            continue;
        at->gone = true;
        for (int e = 0; e < 3; e++) { /* an edge that two faces share is inside of what is taken away */
            int from = at->corner[e], to = at->corner[(e + 1) % 3], i = 0;
            while (i < edges && !(edge[i][0] == to && edge[i][1] == from))
                i++;
            if (i < edges) {
                edges--;
                edge[i][0] = edge[edges][0];
                edge[i][1] = edge[edges][1];
            } else {
                edge[edges][0] = from;
                edge[edges++][1] = to;
            }
        }
    }
    p->point[p->points++] = point;
    for (int i = 0; i < edges; i++)
        if (!add_face(p, edge[i][0], edge[i][1], p->points - 1))
            return false;
    return edges > 0;
}

/* Directions that often tell shapes apart. */
static bool plainly_shallow(const polytope *p, double limit) {
    cairn_vec3 between = cairn_vec3_sub(p->b->pose.position, p->a->pose.position);
    double distance = cairn_vec3_length(between);
    if (distance > depth_radius(p->a) + depth_radius(p->b))
        return true;
    for (int i = -1; i < 6; i++) {
        cairn_vec3 n = i < 0 ? between : cairn_vec3_of(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        if (i >= 0)
            n = cairn_quat_rotate(i < 3 ? p->a->pose.rotation : p->b->pose.rotation, n);
        else if (!(distance > 0))
            continue;
        n = cairn_vec3_unit(n);
        for (int side = 0; side < 2; side++, n = cairn_vec3_scale(-1, n))
            if (cairn_vec3_dot(difference(p, n), n) <= limit)
                return true;
    }
    return false;
}

/* The same from one first direction. -1: faces without area came up. */
static double depth_along(polytope *p, cairn_vec3 along, double limit) {
    if (!begin(p, along))
        return -1;
    for (;;) {
        const face *nearest = NULL;
        for (int f = 0; f < p->faces; f++)
            if (!p->face[f].gone && (nearest == NULL || p->face[f].distance < nearest->distance))
                nearest = &p->face[f];
        if (nearest == NULL)
            return -1;
        cairn_vec3 point = difference(p, nearest->normal);
        double lower = nearest->distance, upper = cairn_vec3_dot(point, nearest->normal);
        if (upper <= limit)
            return 0;
        if (lower > 0.99 * upper)
            return lower > limit ? lower : 0;
        if (!insert(p, point))
            return lower > limit ? lower : -1;
    }
}

double depth_above(const depth_shape *a, const depth_shape *b, double limit) {
    static const double first[4][3] = {{1, 0, 0}, {0.31, 0.93, 0.17}, {-0.21, 0.4, 0.89}, {0.64, -0.5, 0.57}};
    polytope p;
    p.a = a;
    p.b = b;
    double depth = plainly_shallow(&p, limit) ? 0 : -1;
    for (int i = 0; i < 4 && depth < 0; i++)
        depth = depth_along(&p, cairn_vec3_of(first[i][0], first[i][1], first[i][2]), limit);
    return fmax(depth, 0);
}
