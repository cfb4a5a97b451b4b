/*
 * shape_curvature.c: how a convex shape is curved where its outward normal is n.
 *
 *     s(n) = max n'x over the shape,   point = grad s,
 *         R = hess s: the point moves by R dn when the normal turns by dn
 *
 * R is positive semidefinite, R n = 0; its other eigenvalues are the radii of curvature. Ball of
 * radius r: R = r (1 - nn'). Ellipsoid of half axes a, A = diag(a): s = |A n|, R = (A A - p p')/|A
 * n| with p = A A n/|A n|. A circle of radius r about the axis z: s = r |n_xy|, R = r t t'/|n_xy|,
 * t the unit vector across n and z; that of a cone's side is taken at its base. Along straight
 * sides and on flat ends, where a point can be anywhere, R is 0.
 */
#include "collide/shape/shape.h"

#include <math.h>

#define FLAT 1e-2 /* sine: a normal that leans less from the axis is that of a flat end */

/* R += a x x' */
static void add(double a, cairn_vec3 x, double R[9]) {
    const double v[3] = {x.x, x.y, x.z};
    for (int t = 0; t < 9; t++)
        R[t] += a * v[t / 3] * v[t % 3];
}

void cairn_shape_radii(const cairn_shape *shape, cairn_vec3 n, double R[9]) {
    double across = hypot(n.x, n.y), r = shape->radius;
    for (int t = 0; t < 9; t++)
        R[t] = 0.0;
    if (shape->kind == CAIRN_SHAPE_SPHERE || shape->kind == CAIRN_SHAPE_CAPSULE) {
        add(-r, n, R);
        for (int t = 0; t < 3; t++)
            R[4 * t] += r;
    } else if ((shape->kind == CAIRN_SHAPE_CYLINDER || shape->kind == CAIRN_SHAPE_CONE) && across > FLAT) {
        add(r / across, cairn_vec3_of(-n.y / across, n.x / across, 0), R);
    } else if (shape->kind == CAIRN_SHAPE_ELLIPSOID) {
        const double a[3] = {shape->extent.x, shape->extent.y, shape->extent.z};
        double s = sqrt(a[0] * a[0] * n.x * n.x + a[1] * a[1] * n.y * n.y + a[2] * a[2] * n.z * n.z);
        add(-1.0 / s, cairn_vec3_of(a[0] * a[0] * n.x / s, a[1] * a[1] * n.y / s, a[2] * a[2] * n.z / s), R);
        for (int t = 0; t < 3; t++)
            R[4 * t] += a[t] * a[t] / s;
    }
}
