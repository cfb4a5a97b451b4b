/*
 * judge_poly.c: the judge's own polyhedral friction cone [theory 6]: nearest point by comparing faces.
 *
 * The cone is spanned by the rays e_j = (1, mu d_j), d_j = (cos 2 pi j/N, sin 2 pi j/N), N = directions; d = +1, -1 in dimension 2.
 * Its faces are the apex, the N rays and the N facets between neighbours. For every face the nearest point of its span is
 * computed; where it lies in the face it is a member of the cone, and the nearest of all these members is the projection.
 * A point inside, which every facet's inequality says, is its own projection.
 *
 * No symmetry is used, nothing divides by mu. Cost: a few operations a direction.
 */
#include "judge_cones.h"
#include "judge_sums.h"

#include <math.h>

#define PI 3.14159265358979323846264338327950288L

/* The directions one after the other, by turning the first. */
typedef struct compass {
    long double d[2]; /* the present direction */
    long double c, s; /* turn to the next */
} compass;

static compass first_direction(const cairn_block *block) {
    long double phi = 2.0L * PI / block->directions;
    compass made = {.d = {1.0L, 0.0L}, .c = cosl(phi), .s = sinl(phi)};
    if (block->dim == 2) {
        made.c = -1.0L;
        made.s = 0.0L;
    }
    return made;
}

static void next_direction(compass *at) {
    long double x = at->c * at->d[0] - at->s * at->d[1];
    at->d[1] = at->s * at->d[0] + at->c * at->d[1];
    at->d[0] = x;
}

long double cairn_judge_poly_reach(const cairn_block *block, const long double *u_T) {
    compass at = first_direction(block);
    long double most = -INFINITY;
    for (int j = 0; j < block->directions; j++, next_direction(&at)) {
        long double reach = -(at.d[0] * u_T[0] + (block->dim == 3 ? at.d[1] * u_T[1] : 0.0L));
        if (!(reach <= most))
            most = reach;
    }
    return most;
}

static long double dot(const long double *a, const long double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Keeps q in p when it is nearer to z than what p holds. */
static void offer(const long double *z, const long double *q, long double *p, long double *least) {
    long double square = 0.0L;
    for (int i = 0; i < 3; i++)
        square += (z[i] - q[i]) * (z[i] - q[i]);
    if (!(square >= *least)) {
        *least = square;
        for (int i = 0; i < 3; i++)
            p[i] = q[i];
    }
}

static void offer_ray(const long double *z, const long double *e, long double *p, long double *least) {
    long double lambda = dot(z, e) / dot(e, e), q[3];
    if (!(lambda > 0.0L))
        return;
    for (int i = 0; i < 3; i++)
        q[i] = lambda * e[i];
    offer(z, q, p, least);
}

/* The facet between e and f: p g + c h with g = (e + f)/2, h = (f - e)/2, which are orthogonal; its points have |c| <= p. */
static void offer_facet(const long double *z, const long double *e, const long double *f, long double *p,
                        long double *least) {
    long double g[3], h[3], q[3];
    for (int i = 0; i < 3; i++) {
        g[i] = 0.5L * (e[i] + f[i]);
        h[i] = 0.5L * (f[i] - e[i]);
    }
    long double width = dot(h, h), along = dot(z, g) / dot(g, g), across = width > 0.0L ? dot(z, h) / width : 0.0L;
    if (!(width > 0.0L && fabsl(across) <= along))
        return;
    for (int i = 0; i < 3; i++)
        q[i] = along * g[i] + across * h[i];
    offer(z, q, p, least);
}

void cairn_judge_poly_project(const cairn_block *block, const long double *z, long double *p) {
    compass at = first_direction(block);
    long double x[3] = {z[0], z[1], block->dim == 3 ? z[2] : 0.0L}, q[3] = {0.0L, 0.0L, 0.0L}, least = dot(x, x);
    long double mu = block->mu, half = cosl(PI / block->directions), size = cairn_judge_norm(3, x);
    bool inside = x[0] >= 0.0L;
    if (!isfinite(size)) {
        for (int i = 0; i < block->dim; i++)
            p[i] = NAN;
        return;
    }
    for (int j = 0; j < block->directions; j++) {
        long double e[3] = {1.0L, mu * at.d[0], mu * at.d[1]};
        offer_ray(x, e, q, &least);
        compass after = at;
        next_direction(&after);
        if (block->dim == 3) {
            long double f[3] = {1.0L, mu * after.d[0], mu * after.d[1]};
            offer_facet(x, e, f, q, &least);
            /* outward normal of the edge: (d_j + d_{j+1})/(2 half); its inequality is n'x_T <= mu half x_N */
            long double along = ((at.d[0] + after.d[0]) * x[1] + (at.d[1] + after.d[1]) * x[2]) / (2.0L * half);
            inside = inside && along <= mu * half * x[0];
        } else {
            inside = inside && at.d[0] * x[1] <= mu * x[0];
        }
        at = after;
    }
    for (int i = 0; i < block->dim; i++)
        p[i] = inside ? x[i] : q[i];
}
