/*
 * judge_cones.c: projection, distance and support function of every set, by geometry in the meridian plane.
 *
 * Symbols: x = (x_N, x_T) a point of a block, t = |x_T|; e = (e_N, e_T) direction of a cone's slant in the half
 * plane (N, t >= 0); lambda place along the slant; sigma support function; u velocity, d = -u. [theory 1], table
 * "Sets and their projections".
 *
 * A cone of revolution is a wedge of that half plane between the normal axis and the ray lambda e, lambda >= 0:
 *     Coulomb cone   e = (1, mu)        dual cone   e = (mu, 1)
 * and the nearest point of a point outside lies on the ray, at lambda = max(0, e'(x_N, t) / e'e). Neither form
 * divides by mu, and t = 0 needs no direction: mu = 0 and points on the axis are ordinary cases. A cap cuts the ray
 * at lambda = cap and adds the lid x_N = cap; adhesion moves the apex to x_N = -adhesion.
 *
 * Not checked: parameters (lo <= hi, mu >= 0, ...), which the problem checked when it was made, and what the
 * user's callbacks do.
 */
#include "judge_cones.h"

#include "judge_sums.h"

#include <math.h>

/* ---- cones of revolution: wedges of the half plane (N, t) ------------------------------------------------ */

typedef struct meridian {
    long double N, t; /* place along the axis, distance from it */
} meridian;

static meridian fold(int dim, const long double *x) {
    return (meridian){x[0], dim == 2 ? fabsl(x[1]) : cairn_judge_norm(2, x + 1)};
}

static long double meridian_length(meridian x) {
    return cairn_judge_norm(2, (long double[]){x.N, x.t});
}

static meridian primal_slant(const cairn_block *block) {
    return (meridian){1.0L, block->mu};
}

static meridian dual_slant(const cairn_block *block) {
    return (meridian){block->mu, 1.0L};
}

static bool inside_wedge(meridian e, meridian x) {
    return x.N >= 0.0L && x.t * e.N <= x.N * e.t;
}

/* Nearest point of { lambda e : 0 <= lambda <= longest }. */
static meridian nearest_on_ray(meridian e, meridian x, long double longest) {
    long double lambda = (x.N * e.N + x.t * e.t) / (e.N * e.N + e.t * e.t);
    if (lambda < 0.0L)
        lambda = 0.0L;
    if (lambda > longest)
        lambda = longest;
    return (meridian){lambda * e.N, lambda * e.t};
}

static meridian nearest_in_wedge(meridian e, meridian x) {
    return inside_wedge(e, x) ? x : nearest_on_ray(e, x, INFINITY);
}

/* The wedge of e = (1, mu) under the lid N = cap: inside, above the lid, else on the slant up to the rim. */
static meridian nearest_under_lid(meridian e, meridian x, long double cap) {
    if (x.N > cap && x.t <= e.t * cap)
        return (meridian){cap, x.t};
    if (x.N <= cap && inside_wedge(e, x))
        return x;
    return nearest_on_ray(e, x, cap);
}

/* Outside the wedge the distance is that to the slant's line, or to the apex when the foot lies behind it. */
static long double wedge_distance(meridian e, meridian x) {
    if (inside_wedge(e, x))
        return 0.0L;
    if (x.N * e.N + x.t * e.t <= 0.0L)
        return meridian_length(x);
    return (x.t * e.N - x.N * e.t) / meridian_length(e);
}

/* p = the point of the meridian plane of x that folds to q. A point that did not move keeps its bits. */
static void unfold(int dim, const long double *x, meridian from, meridian q, long double *p) {
    p[0] = q.N;
    bool moved = from.t != q.t;
    long double shrink = moved ? q.t / from.t : 1.0L;
    for (int i = 1; i < dim; i++)
        p[i] = moved ? x[i] * shrink : x[i];
}

static void project_revolution(const cairn_block *block, const long double *z, long double *p) {
    meridian x = fold(block->dim, z), q = x;
    switch (block->set) {
    case CAIRN_SET_CONE:
        q = nearest_in_wedge(primal_slant(block), x);
        break;
    case CAIRN_SET_DUAL_CONE:
        q = nearest_in_wedge(dual_slant(block), x);
        break;
    case CAIRN_SET_CAPPED_CONE:
        q = nearest_under_lid(primal_slant(block), x, block->cap);
        break;
    default: { /* shifted cone */
        meridian raised = {x.N + block->adhesion, x.t};
        if (!inside_wedge(primal_slant(block), raised)) {
            q = nearest_on_ray(primal_slant(block), raised, INFINITY);
            q.N -= block->adhesion;
        }
    }
    }
    unfold(block->dim, z, x, q, p);
}

static long double revolution_distance(const cairn_block *block, const long double *x) {
    meridian at = fold(block->dim, x);
    switch (block->set) {
    case CAIRN_SET_CONE:
        return wedge_distance(primal_slant(block), at);
    case CAIRN_SET_DUAL_CONE:
        return wedge_distance(dual_slant(block), at);
    case CAIRN_SET_CAPPED_CONE: {
        meridian q = nearest_under_lid(primal_slant(block), at, block->cap);
        return meridian_length((meridian){at.N - q.N, at.t - q.t});
    }
    default: /* shifted cone */
        return wedge_distance(primal_slant(block), (meridian){at.N + block->adhesion, at.t});
    }
}

/* sigma(-u) of the four cones. Domain: -u in the polar cone, that is u in the dual cone; all of space under a lid. */
static void revolution_support(const cairn_block *block, const long double *u, long double *sigma,
                               long double *outside) {
    meridian at = fold(block->dim, u);
    *sigma = 0.0L;
    *outside = 0.0L;
    switch (block->set) {
    case CAIRN_SET_CONE:
        *outside = wedge_distance(dual_slant(block), at);
        break;
    case CAIRN_SET_DUAL_CONE:
        *outside = wedge_distance(primal_slant(block), at);
        break;
    case CAIRN_SET_CAPPED_CONE: {
        long double rise = (long double)block->mu * at.t - at.N; /* sigma = cap * max(0, mu |u_T| - u_N) */
        if (rise > 0.0L || isnan(rise))
            *sigma = block->cap * rise;
        break;
    }
    default: /* shifted cone: sigma = adhesion * u_N */
        *outside = wedge_distance(dual_slant(block), at);
        *sigma = block->adhesion * nearest_in_wedge(dual_slant(block), at).N;
    }
}

/* ---- boxes, half lines, balls ---------------------------------------------------------------------------- */

/* Bounds of each component of the sets that are products of intervals. */
static void interval_of(const cairn_block *block, long double *lo, long double *hi) {
    *lo = block->set == CAIRN_SET_BOX ? block->lo : block->set == CAIRN_SET_NONNEGATIVE ? 0.0L : -INFINITY;
    *hi = block->set == CAIRN_SET_BOX ? block->hi : INFINITY;
}

/* Support of [lo, hi] at d: d hi for d > 0, d lo for d < 0. Beside an infinite bound the nearest d with a finite
 * value is 0: then the value is 0 and *outside is |d|. */
static long double interval_support(long double lo, long double hi, long double d, long double *outside) {
    long double bound = d > 0.0L ? hi : lo;
    *outside = 0.0L;
    if (d == 0.0L)
        return 0.0L;
    if (isinf(bound)) {
        *outside = fabsl(d);
        return 0.0L;
    }
    return d * bound;
}

static void interval_supports(const cairn_block *block, const long double *u, long double *sigma,
                              long double *outside) {
    long double lo, hi, away[CAIRN_BLOCK_DIM_MAX];
    interval_of(block, &lo, &hi);
    *sigma = 0.0L;
    for (int i = 0; i < block->dim; i++)
        *sigma += interval_support(lo, hi, -u[i], &away[i]);
    *outside = cairn_judge_norm(block->dim, away);
}

static void project_ball(const cairn_block *block, const long double *z, long double *p) {
    long double length = cairn_judge_norm(block->dim, z);
    bool outside = !(length <= block->radius);
    for (int i = 0; i < block->dim; i++)
        p[i] = outside ? (z[i] / length) * block->radius : z[i];
}

/* The user's projection, which speaks double. Aliasing is avoided although the callback must allow it. */
static void project_custom(const cairn_block *block, const long double *z, long double *p) {
    double from[CAIRN_BLOCK_DIM_MAX], to[CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < block->dim; i++) {
        from[i] = (double)z[i];
        to[i] = NAN;
    }
    block->custom->project(block->custom->user, block->dim, from, to);
    for (int i = 0; i < block->dim; i++)
        p[i] = to[i];
}

static bool custom_support(const cairn_block *block, const long double *u, long double *sigma, long double *outside) {
    double direction[CAIRN_BLOCK_DIM_MAX];
    if (!block->custom->support)
        return false;
    for (int i = 0; i < block->dim; i++)
        direction[i] = (double)-u[i];
    double value = block->custom->support(block->custom->user, block->dim, direction);
    if (isinf(value))
        return false;
    *sigma = value;
    *outside = 0.0L;
    return true;
}

/* Domain: u in the dual cone. By Moreau the distance of u to it is the length of the projection of -u onto the cone. */
static void poly_support(const cairn_block *block, const long double *u, long double *sigma, long double *outside) {
    long double d[3], p[3];
    for (int i = 0; i < block->dim; i++)
        d[i] = -u[i];
    cairn_judge_poly_project(block, d, p);
    *sigma = 0.0L;
    *outside = cairn_judge_norm(block->dim, p);
}

/* ---- one block of any kind ------------------------------------------------------------------------------- */

void cairn_judge_project(const cairn_block *block, const long double *z, long double *p) {
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX: {
        long double lo, hi;
        interval_of(block, &lo, &hi);
        for (int i = 0; i < block->dim; i++)
            p[i] = z[i] < lo ? lo : z[i] > hi ? hi : z[i];
        break;
    }
    case CAIRN_SET_BALL:
        project_ball(block, z, p);
        break;
    case CAIRN_SET_CUSTOM:
        project_custom(block, z, p);
        break;
    case CAIRN_SET_POLY_CONE:
        cairn_judge_poly_project(block, z, p);
        break;
    default:
        project_revolution(block, z, p);
    }
}

long double cairn_judge_distance(const cairn_block *block, const long double *x) {
    long double away[CAIRN_BLOCK_DIM_MAX];
    switch (block->set) {
    case CAIRN_SET_CONE:
    case CAIRN_SET_DUAL_CONE:
    case CAIRN_SET_CAPPED_CONE:
    case CAIRN_SET_SHIFTED_CONE:
        return revolution_distance(block, x);
    case CAIRN_SET_BALL: {
        long double excess = cairn_judge_norm(block->dim, x) - block->radius;
        return excess > 0.0L ? excess : 0.0L;
    }
    default:
        cairn_judge_project(block, x, away);
        for (int i = 0; i < block->dim; i++)
            away[i] = x[i] - away[i];
        return cairn_judge_norm(block->dim, away);
    }
}

bool cairn_judge_support(const cairn_block *block, const long double *u, long double *sigma, long double *outside) {
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        interval_supports(block, u, sigma, outside);
        return true;
    case CAIRN_SET_BALL:
        *sigma = block->radius * cairn_judge_norm(block->dim, u);
        *outside = 0.0L;
        return true;
    case CAIRN_SET_CUSTOM:
        return custom_support(block, u, sigma, outside);
    case CAIRN_SET_POLY_CONE:
        poly_support(block, u, sigma, outside);
        return true;
    default:
        revolution_support(block, u, sigma, outside);
        return true;
    }
}
