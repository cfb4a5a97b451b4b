/*
 * ray_cast.c: first hit of a ray with a shape, in the shape's frame.
 *
 * A convex shape is where the ray is inside all of its parts: slabs of faces for polytopes,
 * quadrics cut by planes for round ones. Each part gives an interval of t; the largest entry wins.
 */
#include "collide/shape/shape.h"
#include "collide/broad/box_tree.h"

#include <math.h>

typedef struct ray {
    cairn_vec3 o, d; /* |d| = 1 */
    double in, out;  /* inside for in <= t <= out */
    cairn_vec3 normal;
} ray;

/* Half space n'x <= level. */
static void cut_plane(ray *r, cairn_vec3 n, double level) {
    double slope = cairn_vec3_dot(n, r->d), height = cairn_vec3_dot(n, r->o) - level;
    if (slope == 0.0) {
        if (height > 0.0)
            r->out = -INFINITY;
        return;
    }
    double t = -height / slope;
    if (slope > 0.0) {
        r->out = fmin(r->out, t);
    } else if (t > r->in) {
        r->in = t;
        r->normal = n;
    }
}

/* Roots of a t^2 + 2 b t + c <= 0 for a > 0: [in, out]; none: empty. */
static void cut_square(double a, double b, double c, double *in, double *out) {
    double root = b * b - a * c;
    *in = root >= 0.0 ? (-b - sqrt(root)) / a : INFINITY;
    *out = root >= 0.0 ? (-b + sqrt(root)) / a : -INFINITY;
}

static void cut_ball(ray *r, cairn_vec3 center, double radius) {
    cairn_vec3 p = cairn_vec3_sub(r->o, center);
    double in, out;
    cut_square(1.0, cairn_vec3_dot(p, r->d), cairn_vec3_dot(p, p) - radius * radius, &in, &out);
    r->out = fmin(r->out, out);
    if (in > r->in) {
        r->in = in;
        r->normal = cairn_vec3_scale(1.0 / radius, cairn_vec3_add_scaled(p, in, r->d));
    }
}

/* A ball after its axes were scaled to 1. */
static void cut_ellipsoid(ray *r, cairn_vec3 e) {
    cairn_vec3 p = {r->o.x / e.x, r->o.y / e.y, r->o.z / e.z}, d = {r->d.x / e.x, r->d.y / e.y, r->d.z / e.z};
    double in, out;
    cut_square(cairn_vec3_dot(d, d), cairn_vec3_dot(p, d), cairn_vec3_dot(p, p) - 1.0, &in, &out);
    r->out = fmin(r->out, out);
    if (in > r->in) {
        cairn_vec3 x = cairn_vec3_add_scaled(p, in, d);
        r->in = in;
        r->normal = cairn_vec3_unit(cairn_vec3_of(x.x / e.x, x.y / e.y, x.z / e.z));
    }
}

/* x^2 + y^2 <= radius^2 */
static void cut_tube(ray *r, double radius) {
    double a = r->d.x * r->d.x + r->d.y * r->d.y, b = r->o.x * r->d.x + r->o.y * r->d.y;
    double c = r->o.x * r->o.x + r->o.y * r->o.y - radius * radius, in, out;
    if (a <= 1e-30) {
        r->out = c > 0.0 ? -INFINITY : r->out;
        return;
    }
    cut_square(a, b, c, &in, &out);
    r->out = fmin(r->out, out);
    if (in > r->in) {
        r->in = in;
        r->normal = cairn_vec3_of((r->o.x + in * r->d.x) / radius, (r->o.y + in * r->d.y) / radius, 0.0);
    }
}

/* The side of a cone with its tip at z = top, radius k (top - z): both nappes are cut, the upper
 * one by the plane z <= top before. */
static void cut_cone(ray *r, double top, double k) {
    double z = top - r->o.z, a = r->d.x * r->d.x + r->d.y * r->d.y - k * k * r->d.z * r->d.z;
    double b = r->o.x * r->d.x + r->o.y * r->d.y + k * k * z * r->d.z;
    double c = r->o.x * r->o.x + r->o.y * r->o.y - k * k * z * z, root = b * b - a * c;
    double t[2] = {INFINITY, INFINITY};
    if (root >= 0.0 && fabs(a) > 1e-30) {
        t[0] = (-b - sqrt(root)) / a;
        t[1] = (-b + sqrt(root)) / a;
    } else if (root >= 0.0 && b != 0.0) {
        t[0] = -0.5 * c / b;
    }
    bool inside = c <= 0.0 && z >= 0.0;
    double first = INFINITY, last = inside ? INFINITY : -INFINITY;
    for (int i = 0; i < 2; i++) {
        double at = top - r->o.z - t[i] * r->d.z;
        if (!isfinite(t[i]) || at < 0.0)
            continue;
        cairn_vec3 x = cairn_vec3_add_scaled(r->o, t[i], r->d), n = cairn_vec3_of(x.x, x.y, k * k * at);
        if (cairn_vec3_dot(n, r->d) < 0.0)
            first = fmin(first, t[i]);
        else
            last = isfinite(last) && last > t[i] ? last : t[i];
    }
    if (first == INFINITY && !inside && last == -INFINITY) {
        r->out = -INFINITY;
        return;
    }
    if (last > -INFINITY)
        r->out = fmin(r->out, last);
    if (first < INFINITY && first > r->in) {
        cairn_vec3 x = cairn_vec3_add_scaled(r->o, first, r->d);
        r->in = first;
        r->normal = cairn_vec3_unit(cairn_vec3_of(x.x, x.y, k * k * (top - x.z)));
    }
}

static bool hits(const ray *r, double reach) {
    return r->in <= r->out && r->out >= 0.0 && r->in <= reach;
}

/* The nearer of two rays through parts of a union. */
static void keep_nearer(ray *best, const ray *r, double reach) {
    if (hits(r, reach) && (!hits(best, reach) || r->in < best->in))
        *best = *r;
}

/* Does the ray come into the box before t = reach? */
static bool hits_box(const ray *r, const cairn_bounds *b, double reach) {
    const double o[3] = {r->o.x, r->o.y, r->o.z}, d[3] = {r->d.x, r->d.y, r->d.z};
    const double low[3] = {b->low.x, b->low.y, b->low.z}, high[3] = {b->high.x, b->high.y, b->high.z};
    double in = 0.0, out = reach;
    for (int k = 0; k < 3; k++) {
        double slack = 1e-12 * (fabs(o[k]) + fabs(low[k]) + fabs(high[k])); /* a ray along a side of the box hits */
        if (d[k] == 0.0) {
            if (o[k] < low[k] - slack || o[k] > high[k] + slack)
                return false;
            continue;
        }
        double s = (low[k] - slack - o[k]) / d[k], t = (high[k] + slack - o[k]) / d[k];
        in = fmax(in, fmin(s, t));
        out = fmin(out, fmax(s, t));
    }
    return in <= out;
}

/* *side: +1 from the front, -1 from behind. */
static void hit_face(const cairn_mesh *m, int face, ray *best, double *side) {
    const int *c = m->face + 3 * face;
    cairn_vec3 a = m->point[c[0]], u = cairn_vec3_sub(m->point[c[1]], a), v = cairn_vec3_sub(m->point[c[2]], a);
    cairn_vec3 n = cairn_vec3_cross(u, v), p = cairn_vec3_sub(best->o, a);
    double slope = cairn_vec3_dot(n, best->d);
    if (slope == 0.0)
        return;
    double t = -cairn_vec3_dot(n, p) / slope, square = cairn_vec3_dot(n, n);
    cairn_vec3 x = cairn_vec3_add_scaled(p, t, best->d);
    double beta = cairn_vec3_dot(cairn_vec3_cross(x, v), n) / square;
    double gamma = cairn_vec3_dot(cairn_vec3_cross(u, x), n) / square;
    /* a little beyond the edges, so that no ray slips through between two triangles */
    if (t < 0.0 || beta < -1e-12 || gamma < -1e-12 || beta + gamma > 1.0 + 1e-12 || t >= best->in)
        return;
    best->in = best->out = t;
    *side = slope < 0.0 ? 1.0 : -1.0;
    best->normal = cairn_vec3_unit(cairn_vec3_scale(*side, n));
}

/* A ray that meets a closed surface from behind first began inside. */
static void hit_mesh(const cairn_mesh *m, ray *r, double reach) {
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    double side = 1.0;
    r->in = INFINITY;
    r->out = -INFINITY;
    stack[top++] = (cairn_box_tree_range){0, 0, m->faces};
    while (top > 0) {
        cairn_box_tree_range part = stack[--top];
        if (!hits_box(r, &m->node[part.node], fmin(reach, r->in)))
            continue;
        if (part.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(part, stack, top);
            continue;
        }
        for (int l = part.begin; l < part.begin + part.count; l++)
            hit_face(m, m->order[l], r, &side);
    }
    if (m->closed && side < 0.0)
        r->in = -1.0;
}

static void hit_shape(const cairn_shape *s, ray *r, double reach) {
    static const cairn_vec3 up = {0, 0, 1}, down = {0, 0, -1};
    switch (s->kind) {
    case CAIRN_SHAPE_SPHERE:
        cut_ball(r, cairn_vec3_of(0, 0, 0), s->radius);
        break;
    case CAIRN_SHAPE_ELLIPSOID:
        cut_ellipsoid(r, s->extent);
        break;
    case CAIRN_SHAPE_CAPSULE: {
        ray middle = *r, end = *r;
        cut_tube(&middle, s->radius);
        cut_plane(&middle, up, s->half);
        cut_plane(&middle, down, s->half);
        *r = middle;
        for (int i = 0; i < 2; i++) {
            ray ball = end;
            cut_ball(&ball, cairn_vec3_of(0, 0, i == 0 ? -s->half : s->half), s->radius);
            keep_nearer(r, &ball, reach);
        }
        break;
    }
    case CAIRN_SHAPE_CYLINDER:
        cut_tube(r, s->radius);
        cut_plane(r, up, s->half);
        cut_plane(r, down, s->half);
        break;
    case CAIRN_SHAPE_CONE:
        cut_plane(r, down, 0.25 * s->height);
        cut_cone(r, 0.75 * s->height, s->radius / s->height);
        break;
    case CAIRN_SHAPE_PLANE:
        cut_plane(r, up, 0.0);
        break;
    case CAIRN_SHAPE_MESH:
        hit_mesh(&s->mesh, r, s->mesh.closed ? INFINITY : reach);
        break;
    default:
        for (int f = 0; f < s->hull.faces && r->in <= r->out; f++)
            cut_plane(r, s->hull.normal[f], s->hull.offset[f]);
    }
}

bool cairn_shape_ray(const cairn_shape *shape, cairn_pose pose, cairn_vec3 origin, cairn_vec3 direction, double reach,
                     cairn_ray_hit *hit) {
    if (shape == NULL || hit == NULL)
        return false;
    if (shape->kind == CAIRN_SHAPE_COMPOUND) {
        bool any = false;
        for (int i = 0; i < shape->children; i++) {
            cairn_ray_hit here;
            if (cairn_shape_ray(shape->child[i], cairn_pose_multiply(pose, shape->pose[i]), origin, direction, reach,
                                &here) &&
                (!any || here.distance < hit->distance)) {
                *hit = here;
                any = true;
            }
        }
        return any;
    }
    cairn_quat back = cairn_quat_conjugate(pose.rotation);
    ray r = {.o = cairn_pose_apply_inverse(pose, origin),
             .d = cairn_quat_rotate(back, direction),
             .in = -INFINITY,
             .out = INFINITY,
             .normal = {0, 0, 0}};
    hit_shape(shape, &r, reach);
    if (!hits(&r, reach))
        return false;
    bool within = r.in < 0.0;
    hit->distance = within ? 0.0 : r.in;
    hit->point = cairn_vec3_add_scaled(origin, hit->distance, direction);
    hit->normal = within ? cairn_vec3_scale(-1.0, direction) : cairn_quat_rotate(pose.rotation, r.normal);
    return true;
}
