/*
 * set_poly_cone.c: the polyhedral friction cone of Stewart, Trinkle, Anitescu and Potra [theory 6].
 *
 *     K = { x : x_N >= 0, x_T in mu x_N P },   P = convex hull of d_0 .. d_{N-1},
 *         d_j = (cos j phi, sin j phi), phi = 2 pi/N
 *
 * P is inscribed in the unit disc and d_0 lies along the first tangent; N is even, so that P = -P.
 * In dimension 2 the directions are +1 and -1 and K is the round cone. The symmetries of P map K to
 * itself, so a point and its projection lie in one sector between d_j and d_{j+1}. There x_T = a n
 * + c t with n the edge's outer normal, t = n turned by 90 degrees, a >= 0, and with kappa = mu
 * cos(phi/2), m = mu sin(phi/2):
 *
 *     a <= kappa x_N                           inside   P(x) = x
 *     p = (x_N + kappa a)/(1 + kappa^2) > 0,
 *     |c| <= m p                               facet    P(x) = p (1, kappa n) + (0, c t)
 *     s = (x_N + kappa a + m |c|)/(1 + mu^2) > 0  edge  P(x) = s (1, mu d), d the nearer of d_j, d_{j+1}
 *     else                                     apex     P(x) = 0
 *
 * The derivative is I, the orthogonal projection onto the facet or onto the edge, or 0. The exact
 * law needs the support function of P, h(w) = max_j d_j'w = cos(phi/2) a + sin(phi/2) |c|, and the
 * nearest point of a multiple of P.
 *
 * Unit vectors along facet and edge keep magnitudes from 1e-300 to 1e300 safe. NaN in x gives NaN.
 * Not checked: infinite x.
 */
#include "sets/cone_geometry.h"
#include "sets/set_classes.h"

#define PI 3.14159265358979323846

/* x_T in the frame of its sector's edge. */
typedef struct sector {
    double normal[2];          /* n; t = (-n_1, n_0) */
    double a, c;               /* x_T = a n + c t */
    double half_cos, half_sin; /* of phi/2 */
} sector;

static const char *check(const cairn_block *block) {
    const char *why = cairn_set_check_cone(block);
    if (why != NULL)
        return why;
    if (block->dim == 2)
        return block->directions == 2 ? NULL : "directions must be 2 in dimension 2";
    _Static_assert(CAIRN_DIRECTIONS_MAX == 128, "the text below names the limit");
    return block->directions >= 4 && block->directions <= CAIRN_DIRECTIONS_MAX && block->directions % 2 == 0
               ? NULL
               : "directions must be even, 4 to 128";
}

/* tangent: the two tangential components, of a block of dimension 3. */
static sector locate(const cairn_block *block, const double *tangent) {
    double phi = 2.0 * PI / block->directions, angle = atan2(tangent[1], tangent[0]);
    double middle = (isnan(angle) ? 0.0 : floor(angle / phi) + 0.5) * phi;
    sector s = {.normal = {cos(middle), sin(middle)}, .half_cos = cos(0.5 * phi), .half_sin = sin(0.5 * phi)};
    s.a = tangent[0] * s.normal[0] + tangent[1] * s.normal[1];
    s.c = tangent[1] * s.normal[0] - tangent[0] * s.normal[1];
    return s;
}

static void turn_back(const sector *s, double a, double c, double *tangent) {
    tangent[0] = a * s->normal[0] - c * s->normal[1];
    tangent[1] = a * s->normal[1] + c * s->normal[0];
}

typedef enum region { INSIDE, FACET, EDGE, APEX } region;

/* Where x lies, and the length along the unit ray of facet or edge. */
static region find_region(const cairn_block *block, const sector *s, double x_N, double *length) {
    cairn_ray facet = cairn_ray_cone(block->mu * s->half_cos), edge = cairn_ray_cone(block->mu);
    if (x_N >= 0.0 && facet.n * s->a <= facet.t * x_N)
        return INSIDE;
    *length = facet.n * x_N + facet.t * s->a;
    if (*length > 0.0 && fabs(s->c) * s->half_cos <= facet.t * s->half_sin * *length)
        return FACET;
    *length = edge.n * x_N + edge.t * (s->half_cos * s->a + s->half_sin * fabs(s->c));
    return *length <= 0.0 ? APEX : EDGE; /* NaN goes on to the edge, and stays */
}

static void project(const cairn_block *block, const double *x, double *out) {
    if (block->dim == 2) {
        cairn_circular_project(2, cairn_ray_cone(block->mu), x, out);
        return;
    }
    sector s = locate(block, x + 1);
    double length = 0.0;
    cairn_ray ray;
    switch (find_region(block, &s, x[0], &length)) {
    case INSIDE:
        for (int i = 0; i < 3; i++)
            out[i] = x[i];
        break;
    case FACET:
        ray = cairn_ray_cone(block->mu * s.half_cos);
        out[0] = ray.n * length;
        turn_back(&s, ray.t * length, s.c, out + 1);
        break;
    case EDGE:
        ray = cairn_ray_cone(block->mu);
        out[0] = ray.n * length;
        turn_back(&s, ray.t * s.half_cos * length, copysign(ray.t * s.half_sin * length, s.c), out + 1);
        break;
    case APEX:
        out[0] = out[1] = out[2] = 0.0;
        break;
    }
}

/* jacobian = sum over count unit vectors (3 each) of e e'. */
static void projector(int count, const double *e, double *jacobian) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            jacobian[3 * i + j] = 0.0;
            for (int k = 0; k < count; k++)
                jacobian[3 * i + j] += e[3 * k + i] * e[3 * k + j];
        }
}

static void derivative(const cairn_block *block, const double *x, double *jacobian) {
    if (block->dim == 2 || block->mu == 0.0) { /* mu = 0 is the half line, round or not */
        cairn_circular_derivative(block->dim, cairn_ray_cone(block->mu), x, jacobian);
        return;
    }
    sector s = locate(block, x + 1);
    double length = 0.0, e[6];
    cairn_ray ray;
    region here = find_region(block, &s, x[0], &length);
    if (here == FACET) {
        ray = cairn_ray_cone(block->mu * s.half_cos);
        e[0] = ray.n;
        turn_back(&s, ray.t, 0.0, e + 1);
        e[3] = 0.0;
        turn_back(&s, 0.0, 1.0, e + 4);
        projector(2, e, jacobian);
    } else if (here == EDGE) {
        ray = cairn_ray_cone(block->mu);
        e[0] = ray.n;
        turn_back(&s, ray.t * s.half_cos, copysign(ray.t * s.half_sin, s.c), e + 1);
        projector(1, e, jacobian);
    } else {
        cairn_set_fill_identity(3, here == INSIDE ? 1.0 : 0.0, jacobian);
    }
}

static double support(const cairn_block *block, const double *d, double *outside) {
    double above[3];
    project(block, d, above);
    *outside = cairn_set_norm(block->dim, above);
    return 0.0;
}

double cairn_poly_speed(const cairn_block *block, const double *u) {
    if (block->dim == 2)
        return fabs(u[1]);
    sector s = locate(block, u + 1);
    return s.half_cos * s.a + s.half_sin * fabs(s.c);
}

void cairn_poly_resolvent(const cairn_block *block, const double *x, double *z) {
    double radius = block->mu * (x[0] < 0.0 ? 0.0 : x[0]);
    if (block->dim == 2) {
        cairn_cone_resolvent(2, block->mu, x, z);
        return;
    }
    sector s = locate(block, x + 1);
    double corner = radius * s.half_sin;
    if (s.a > radius * s.half_cos || isnan(s.a)) {
        turn_back(&s, radius * s.half_cos, fabs(s.c) > corner ? copysign(corner, s.c) : s.c, z + 1);
    } else {
        z[1] = x[1];
        z[2] = x[2];
    }
    z[0] = x[0] < 0.0 ? 0.0 : x[0];
}

void cairn_poly_resolvent_derivative(const cairn_block *block, const double *x, double *jacobian) {
    int dim = block->dim;
    cairn_set_fill_identity(dim, 0.0, jacobian);
    if (x[0] <= 0.0)
        return;
    double radius = block->mu * x[0];
    jacobian[0] = 1.0;
    if (dim == 2) {
        bool inside = fabs(x[1]) <= radius;
        jacobian[2] = inside ? 0.0 : copysign(block->mu, x[1]);
        jacobian[3] = inside ? 1.0 : 0.0;
        return;
    }
    sector s = locate(block, x + 1);
    double corner = block->mu * s.half_sin, moved[2], t[2] = {-s.normal[1], s.normal[0]};
    if (s.a <= radius * s.half_cos) {
        jacobian[4] = jacobian[8] = 1.0;
        return;
    }
    bool on_edge = fabs(s.c) <= radius * s.half_sin;
    turn_back(&s, block->mu * s.half_cos, on_edge ? 0.0 : copysign(corner, s.c), moved);
    for (int i = 0; i < 2; i++) {
        jacobian[3 * (i + 1)] = moved[i];
        for (int j = 0; j < 2; j++)
            jacobian[3 * (i + 1) + j + 1] = on_edge ? t[i] * t[j] : 0.0;
    }
}

const cairn_set_class cairn_set_class_poly_cone = {
    .name = "polyhedral cone",
    .check = check,
    .project = project,
    .derivative = derivative,
    .support = support,
};
