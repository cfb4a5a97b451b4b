/*
 * pair_sphere_capsule.c: spheres and capsules with each other, with boxes, hulls, cylinders and
 * cones.
 *
 * A sphere is its centre, a capsule its axis, both fattened by a radius: gap = distance of the
 * cores - radii. Inside a core the way out is the shortest one to the surface.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

/* One contact from a point of each core, whose distance (negative: inside) is along n. */
static bool single(cairn_vec3 a, double ra, double rb, double distance, cairn_vec3 n, double margin, uint64_t feature,
                   cairn_manifold *out) {
    double gap = distance - ra - rb;
    out->normal = n;
    out->count = 0;
    if (gap > margin)
        return false;
    cairn_vec3 on_a = cairn_vec3_add_scaled(a, ra, n);
    cairn_manifold_add(out, on_a, cairn_vec3_add_scaled(on_a, gap, n), gap, feature);
    return true;
}

/* Two core points; one on the other: the z axis is as good as any. */
static bool points(cairn_vec3 a, double ra, cairn_vec3 b, double rb, double margin, uint64_t feature,
                   cairn_manifold *out) {
    cairn_vec3 d = cairn_vec3_sub(b, a);
    double distance = cairn_vec3_length(d);
    cairn_vec3 n = distance > 0.0 ? cairn_vec3_scale(1.0 / distance, d) : cairn_vec3_of(0, 0, 1);
    return single(a, ra, rb, distance, n, margin, feature, out);
}

bool cairn_pair_spheres(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                        cairn_manifold *out) {
    return points(cairn_vec3_of(0, 0, 0), a->radius, at->t, b->radius, margin, 1, out);
}

static cairn_vec3 axis_of(const cairn_placement *at) {
    return cairn_vec3_of(at->R.m[0][2], at->R.m[1][2], at->R.m[2][2]);
}

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

bool cairn_pair_sphere_capsule(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                               cairn_manifold *out) {
    cairn_vec3 axis = axis_of(at);
    double s = clamp(-cairn_vec3_dot(at->t, axis), -b->half, b->half);
    return points(cairn_vec3_of(0, 0, 0), a->radius, cairn_vec3_add_scaled(at->t, s, axis), b->radius, margin, 1, out);
}

/* Side by side: the common stretch [low, high] of A's axis, measured along z; contacts at its
 * ends. */
static bool parallel_capsules(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                              cairn_manifold *out) {
    cairn_vec3 axis = axis_of(at);
    double end[2] = {at->t.z - b->half * axis.z, at->t.z + b->half * axis.z};
    double low = fmax(-a->half, fmin(end[0], end[1])), high = fmin(a->half, fmax(end[0], end[1]));
    if (!(high > low))
        return false;
    double middle = 0.5 * (low + high), z[2] = {low, high};
    cairn_vec3 at_middle = cairn_vec3_add_scaled(at->t, (middle - at->t.z) / axis.z, axis);
    double distance = sqrt(at_middle.x * at_middle.x + at_middle.y * at_middle.y);
    if (!(distance > 0.0))
        return false;
    cairn_vec3 n = cairn_vec3_of(at_middle.x / distance, at_middle.y / distance, 0.0);
    out->normal = n;
    out->count = 0;
    for (int i = 0; i < 2; i++) {
        cairn_vec3 q = cairn_vec3_add_scaled(at->t, (z[i] - at->t.z) / axis.z, axis);
        double gap = cairn_vec3_dot(n, q) - a->radius - b->radius;
        cairn_vec3 on_a = cairn_vec3_of(a->radius * n.x, a->radius * n.y, z[i]);
        if (gap <= margin)
            cairn_manifold_add(out, on_a, cairn_vec3_add_scaled(on_a, gap, n), gap, (uint64_t)(2 + i));
    }
    return out->count > 0;
}

/* Nearest points of the axes: A's is z from -half to half. */
bool cairn_pair_capsules(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                         cairn_manifold *out) {
    cairn_vec3 e = axis_of(at), r = at->t;
    double sine = sqrt(e.x * e.x + e.y * e.y), re = cairn_vec3_dot(r, e), s, t;
    if (sine < 1e-3 && parallel_capsules(a, b, at, margin, out))
        return true;
    s = sine > 1e-9 ? clamp((r.z - re * e.z) / (sine * sine), -a->half, a->half) : clamp(r.z, -a->half, a->half);
    t = s * e.z - re;
    if (fabs(t) > b->half) {
        t = clamp(t, -b->half, b->half);
        s = clamp(r.z + t * e.z, -a->half, a->half);
    }
    return points(cairn_vec3_of(0, 0, s), a->radius, cairn_vec3_add_scaled(r, t, e), b->radius, margin, 1, out);
}

/* Nearest point of a convex outline in the plane (rho >= 0, z), corners in order,
 * counter-clockwise; the edges on the axis rho = 0 are not part of the surface. Returns the
 * signed distance; *q: the point, *n: outward normal. */
static double outline(int corners, const double (*c)[2], double rho, double z, double *q, double *n) {
    double best = INFINITY, inside = -INFINITY;
    bool outside = false;
    double foot[2] = {0, 0}, deep_n[2] = {0, 0}, deep_q[2] = {0, 0};
    for (int i = 0; i + 1 < corners; i++) {
        double ex = c[i + 1][0] - c[i][0], ez = c[i + 1][1] - c[i][1], length = sqrt(ex * ex + ez * ez);
        double nx = ez / length, nz = -ex / length, x = rho - c[i][0], y = z - c[i][1];
        double height = nx * x + nz * y, s = clamp((x * ex + y * ez) / (length * length), 0.0, 1.0);
        double p[2] = {c[i][0] + s * ex, c[i][1] + s * ez}, d = hypot(rho - p[0], z - p[1]);
        outside = outside || height > 0.0;
        if (d < best) {
            best = d;
            foot[0] = p[0];
            foot[1] = p[1];
        }
        if (height > inside) {
            inside = height;
            deep_n[0] = nx;
            deep_n[1] = nz;
            deep_q[0] = rho - height * nx;
            deep_q[1] = z - height * nz;
        }
    }
    bool out = outside && best > 0.0;
    for (int k = 0; k < 2; k++) {
        q[k] = out ? foot[k] : deep_q[k];
        n[k] = out ? ((k == 0 ? rho : z) - foot[k]) / best : deep_n[k];
    }
    return out ? best : inside;
}

/* Signed distance of x to a cylinder or cone about z; q: nearest surface point, n: outward
 * normal there. */
static double round_distance(const cairn_shape *s, cairn_vec3 x, cairn_vec3 *q, cairn_vec3 *n) {
    double rho = sqrt(x.x * x.x + x.y * x.y), cx = rho > 0.0 ? x.x / rho : 1.0, cy = rho > 0.0 ? x.y / rho : 0.0;
    double foot[2], normal[2], d;
    if (s->kind == CAIRN_SHAPE_CYLINDER) {
        const double c[4][2] = {{0, -s->half}, {s->radius, -s->half}, {s->radius, s->half}, {0, s->half}};
        d = outline(4, c, rho, x.z, foot, normal);
    } else {
        const double c[3][2] = {{0, -0.25 * s->height}, {s->radius, -0.25 * s->height}, {0, 0.75 * s->height}};
        d = outline(3, c, rho, x.z, foot, normal);
    }
    *q = cairn_vec3_of(foot[0] * cx, foot[0] * cy, foot[1]);
    *n = cairn_vec3_of(normal[0] * cx, normal[0] * cy, normal[1]);
    return d;
}

/* Signed distance of x from a box or hull. *feature: the face when inside. */
static double polytope_distance(const cairn_shape *s, cairn_vec3 x, cairn_vec3 *q, cairn_vec3 *n) {
    const cairn_polytope *p = &s->hull;
    double deep = -INFINITY;
    for (int f = 0; f < p->faces; f++) {
        double height = cairn_vec3_dot(p->normal[f], x) - p->offset[f];
        if (height > deep) {
            deep = height;
            *n = p->normal[f];
        }
    }
    *q = cairn_vec3_add_scaled(x, -deep, *n);
    if (deep <= 0.0)
        return deep;
    if (s->kind == CAIRN_SHAPE_BOX) {
        *q = cairn_vec3_of(clamp(x.x, -s->extent.x, s->extent.x), clamp(x.y, -s->extent.y, s->extent.y),
                           clamp(x.z, -s->extent.z, s->extent.z));
    } else {
        cairn_shape point = {.kind = CAIRN_SHAPE_SPHERE};
        cairn_placement at = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, x};
        cairn_core a = cairn_core_of(s, NULL), b = cairn_core_of(&point, &at);
        cairn_closest near;
        cairn_gjk(&a, &b, &near);
        if (near.distance == 0.0)
            return deep;
        *q = near.on_a;
    }
    cairn_vec3 d = cairn_vec3_sub(x, *q);
    double distance = cairn_vec3_length(d);
    if (distance > (1.0 + 1e-12) * deep)
        *n = cairn_vec3_scale(1.0 / distance, d); /* an edge or a corner is nearest; else the face's own normal */
    return distance;
}

bool cairn_pair_sphere_convex(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                              cairn_manifold *out) {
    cairn_vec3 center = cairn_mat3_apply_transposed(&at->R, cairn_vec3_scale(-1.0, at->t)), q, n = {0, 0, 1};
    bool flat = b->kind == CAIRN_SHAPE_BOX || b->kind == CAIRN_SHAPE_HULL;
    double distance = flat ? polytope_distance(b, center, &q, &n) : round_distance(b, center, &q, &n);
    return single(cairn_vec3_of(0, 0, 0), a->radius, 0.0, distance, cairn_mat3_apply(&at->R, cairn_vec3_scale(-1.0, n)),
                  margin, 1, out);
}
