/*
 * cone_geometry.h: circular cones given by a ray. Both the Coulomb cone and its dual are such
 * cones. Private to src/sets.
 *
 *     Q(r) = { (x_N, x_T) : r_n |x_T| <= r_t x_N, x_N >= 0 },   r_n^2 + r_t^2 = 1,   r_n, r_t >= 0
 *
 * In the half plane (x_N, |x_T|) the cone is what lies between the axis and the ray (r_n, r_t).
 * With c = 1/sqrt(1 + mu^2) and s = mu c the Coulomb cone is (c, s) and its dual is (s, c); mu = 0
 * needs no division.
 */
#ifndef CAIRN_SETS_CONE_GEOMETRY_H
#define CAIRN_SETS_CONE_GEOMETRY_H

typedef struct cairn_ray {
    double n, t; /* normal and tangential part of the unit ray */
} cairn_ray;

cairn_ray cairn_ray_cone(double mu); /* (c, s): |x_T| <= mu x_N */
cairn_ray cairn_ray_dual(double mu); /* (s, c): mu |x_T| <= x_N */

/* out = P(x) onto Q(ray), dim >= 1. May alias. */
void cairn_circular_project(int dim, cairn_ray ray, const double *x, double *out);

/* jacobian (dim x dim) = an element of the generalised derivative of P at x. */
void cairn_circular_derivative(int dim, cairn_ray ray, const double *x, double *jacobian);

/* Projection of x_T (count components) onto the disc of radius r >= 0. May alias. */
void cairn_disc_project(int count, double radius, const double *x, double *out);

/* Its derivative, written into the count x count corner that begins at jacobian, rows stride
 * apart; sets every entry. */
void cairn_disc_derivative(int count, double radius, const double *x, int stride, double *jacobian);

#endif
