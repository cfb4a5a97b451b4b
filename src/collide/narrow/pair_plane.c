/*
 * pair_plane.c: any convex shape A on the half space z <= 0 of B.
 *
 * Corners, ends of axes and points of rims that lie within the margin. A rim gives its lowest
 * point, which moves as the body rolls, and eight points that are fixed on the body, which carry it
 * when it stands.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

#define RIM_POINTS 8

typedef struct floor {
    cairn_vec3 up; /* normal of the plane, A's frame */
    double level;  /* up'x = level on the plane */
    double margin;
    cairn_manifold *out;
} floor_;

static void offer(const floor_ *f, cairn_vec3 x, double radius, uint64_t feature) {
    double gap = cairn_vec3_dot(f->up, x) - f->level - radius;
    if (gap > f->margin)
        return;
    cairn_vec3 on_a = cairn_vec3_add_scaled(x, -radius, f->up);
    cairn_manifold_add(f->out, on_a, cairn_vec3_add_scaled(on_a, -gap, f->up), gap, feature);
}

/* The rim of radius r about (0, 0, z). */
static void rim(const floor_ *f, double r, double z, uint64_t feature) {
    double flat = sqrt(f->up.x * f->up.x + f->up.y * f->up.y);
    static const double c[RIM_POINTS] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                         -1, -0.70710678118654752, 0, 0.70710678118654752};
    if (flat > 1e-9)
        offer(f, cairn_vec3_of(-r * f->up.x / flat, -r * f->up.y / flat, z), 0.0, feature);
    if (z * f->up.z - f->level + r * flat > f->margin)
        return;
    for (int i = 0; i < RIM_POINTS && f->out->count < CAIRN_MANIFOLD_MAX; i++)
        offer(f, cairn_vec3_of(r * c[i], r * c[(i + 6) % RIM_POINTS], z), 0.0, feature + 1 + (uint64_t)i);
}

/* Corners within the margin; when there are more than fit, the lowest ones, of equal ones the
 * first. */
static void corners(const floor_ *f, const cairn_polytope *p) {
    int lowest[CAIRN_MANIFOLD_MAX], count = 0;
    double height[CAIRN_MANIFOLD_MAX];
    for (int i = 0; i < p->vertices; i++) {
        double gap = cairn_vec3_dot(f->up, p->vertex[i]) - f->level;
        if (gap > f->margin || (count == CAIRN_MANIFOLD_MAX && gap >= height[count - 1]))
            continue;
        int at = count < CAIRN_MANIFOLD_MAX ? count++ : count - 1;
        for (; at > 0 && height[at - 1] > gap; at--) {
            height[at] = height[at - 1];
            lowest[at] = lowest[at - 1];
        }
        height[at] = gap;
        lowest[at] = i;
    }
    for (int i = 1; i < count; i++) { /* in the order of the corners, whatever their heights */
        int k = lowest[i], at = i;
        for (; at > 0 && lowest[at - 1] > k; at--)
            lowest[at] = lowest[at - 1];
        lowest[at] = k;
    }
    for (int i = 0; i < count; i++)
        offer(f, p->vertex[lowest[i]], 0.0, (uint64_t)lowest[i] + 1);
}

bool cairn_pair_plane(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                      cairn_manifold *out) {
    (void)b;
    floor_ f = {.up = {at->R.m[0][2], at->R.m[1][2], at->R.m[2][2]}, .margin = margin, .out = out};
    f.level = cairn_vec3_dot(f.up, at->t);
    out->normal = cairn_vec3_scale(-1.0, f.up);
    out->count = 0;
    switch (a->kind) {
    case CAIRN_SHAPE_SPHERE:
        offer(&f, cairn_vec3_of(0, 0, 0), a->radius, 1);
        break;
    case CAIRN_SHAPE_CAPSULE:
        offer(&f, cairn_vec3_of(0, 0, -a->half), a->radius, 1);
        offer(&f, cairn_vec3_of(0, 0, a->half), a->radius, 2);
        break;
    case CAIRN_SHAPE_CYLINDER:
        rim(&f, a->radius, -a->half, 1);
        rim(&f, a->radius, a->half, 32);
        break;
    case CAIRN_SHAPE_CONE:
        offer(&f, cairn_vec3_of(0, 0, 0.75 * a->height), 0.0, 64);
        rim(&f, a->radius, -0.25 * a->height, 1);
        break;
    case CAIRN_SHAPE_ELLIPSOID: {
        cairn_core core = cairn_core_of(a, NULL);
        int none;
        offer(&f, cairn_core_support(&core, out->normal, &none), 0.0, 1);
        break;
    }
    default:
        corners(&f, &a->hull);
        break;
    }
    return out->count > 0;
}
