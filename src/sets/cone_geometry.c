/*
 * cone_geometry.c: projection onto a circular cone given by a unit ray (r_n, r_t), and onto a disc
 * or ball [theory 1].
 *
 * With t = |x_T|, w = x_T/t and p = r_n x_N + r_t t (the length along the ray):
 *
 *     r_n t <= r_t x_N, x_N >= 0   P(x) = x
 *     p <= 0                       P(x) = 0                     (x in the polar cone)
 *     else                         P(x) = p (r_n, r_t w)
 *
 * The derivative in the last case, with q = r_t p / t in [0, 1]:
 *
 *     [ r_n^2        r_n r_t w'                 ]
 *     [ r_n r_t w    r_t^2 w w' + q (I - w w')  ]
 *
 * For r = (c, s) the a of the table is c p = (x_N + mu t)/(1 + mu^2). Nothing here overflows or
 * underflows to harm for magnitudes and mu from 1e-300 to 1e300. NaN in x gives NaN. Not checked:
 * infinite x.
 */
#include "sets/cone_geometry.h"

#include "sets/set_classes.h"

/* c = 1/sqrt(1 + mu^2) without overflow. */
static double cosine(double mu) {
    return mu <= 1e100 ? 1.0 / sqrt(1.0 + mu * mu) : 1.0 / mu;
}

cairn_ray cairn_ray_cone(double mu) {
    double c = cosine(mu);
    return (cairn_ray){.n = c, .t = mu <= 1e100 ? mu * c : 1.0};
}

cairn_ray cairn_ray_dual(double mu) {
    cairn_ray ray = cairn_ray_cone(mu);
    return (cairn_ray){.n = ray.t, .t = ray.n};
}

/* x in the half plane of the cone. */
typedef struct half_plane {
    double n, t; /* x_N, |x_T| */
    bool inside;
    double p; /* length along the ray */
} half_plane;

static half_plane locate(int dim, cairn_ray ray, const double *x) {
    double n = x[0], t = cairn_set_norm(dim - 1, x + 1);
    return (half_plane){.n = n, .t = t, .inside = n >= 0.0 && ray.n * t <= ray.t * n, .p = ray.n * n + ray.t * t};
}

void cairn_circular_project(int dim, cairn_ray ray, const double *x, double *out) {
    half_plane h = locate(dim, ray, x);
    if (h.inside) {
        for (int i = 0; i < dim; i++)
            out[i] = x[i];
    } else if (h.p <= 0.0) {
        for (int i = 0; i < dim; i++)
            out[i] = 0.0;
    } else { /* here t > 0: a point of the axis is inside or has p <= 0 */
        out[0] = ray.n * h.p;
        for (int i = 1; i < dim; i++)
            out[i] = ray.t * h.p * (x[i] / h.t);
    }
}

void cairn_circular_derivative(int dim, cairn_ray ray, const double *x, double *jacobian) {
    half_plane h = locate(dim, ray, x);
    /* The half line and the half space (mu = 0) have a derivative of their own: one has no
     * inside, the other no apex. */
    if (ray.t == 0.0 || ray.n == 0.0) {
        cairn_set_fill_identity(dim, ray.t, jacobian);
        jacobian[0] = h.n >= 0.0 ? 1.0 : 0.0;
        return;
    }
    if (h.inside || h.p <= 0.0) {
        cairn_set_fill_identity(dim, h.inside ? 1.0 : 0.0, jacobian);
        return;
    }
    double q = fmin(1.0, ray.t * h.p / h.t);
    jacobian[0] = ray.n * ray.n;
    for (int i = 1; i < dim; i++) {
        double wi = x[i] / h.t;
        jacobian[i] = jacobian[i * dim] = ray.n * ray.t * wi;
        for (int j = 1; j < dim; j++) {
            double ww = wi * (x[j] / h.t);
            jacobian[i * dim + j] = ray.t * ray.t * ww + q * ((i == j ? 1.0 : 0.0) - ww);
        }
    }
}

void cairn_disc_project(int count, double radius, const double *x, double *out) {
    double t = cairn_set_norm(count, x);
    if (t <= radius) {
        for (int i = 0; i < count; i++)
            out[i] = x[i];
    } else {
        for (int i = 0; i < count; i++)
            out[i] = radius * (x[i] / t);
    }
}

void cairn_disc_derivative(int count, double radius, const double *x, int stride, double *jacobian) {
    double t = cairn_set_norm(count, x);
    bool inside = radius > 0.0 && t <= radius;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double identity = i == j ? 1.0 : 0.0;
            double value = identity;
            if (!inside) /* radius 0 is a point: no derivative, and t may be 0 */
                value = radius > 0.0 ? radius / t * (identity - x[i] / t * (x[j] / t)) : 0.0;
            jacobian[i * stride + j] = value;
        }
}
