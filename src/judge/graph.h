/*
 * graph.h: points exactly on the graph of a block's law, for one kind of number.
 *
 * Included by measure.h, which defines `real` (double or long double), real_sqrt, real_abs, REAL_EPSILON and REAL_LEAST, a square below which squares may have
 * been lost to underflow. Symbols as in [theory 1]: g = (g_N, g_T) impulse, w = (w_N, w_T) velocity of a block, n its scale n_i in 1/kg, t a unit vector of the tangent plane.
 *
 *     given_impulse   g' = g, or the nearest legal impulse where g is none
 *     near_impulse    g' of a point (g', u') of the graph near (g, w)
 *     fibre           u' = the point nearest to w among those that the law allows beside g'
 *
 * Coulomb's law has three candidates, and the nearest in |u' - w|^2 + n^2 |g' - g|^2 is taken [certificate, "The points on the graph"]:
 *     open      g' = 0,              u' = (max(w_N, 0), w_T)
 *     stick     g' = P(g),           u' = 0
 *     slide     g' = a (1, mu t),    u' = (0, -s t),     s = max(0, -w_T't),  a = max(0, (g_N + mu g_T't)/(1 + mu^2))
 * The best t is a fixed point of t <- s (-w_T) + n^2 mu a g_T, normalised: a maximum of a convex function of t, which each such step raises.
 * A convex set takes g' = P(g - w/n), and u' in the normal cone of g'. A poor point makes the certificate larger, never untrue.
 *
 * g' is a double: it is on the side of its set when it is so to 4 eps of double. mu = 0, mu = INFINITY (g_N >= 0, g_T free) and directions of length 0 are ordinary cases.
 */

#define SEARCH 4 /* steps of the search for t */
#define BITS   (4 * (real)DBL_EPSILON)

/* Length of x. Where squares may have been lost: the sum of the sizes, which is not below it. */
static real length_of(int dim, const real *x) {
    real square = 0, sum = 0;
    for (int i = 0; i < dim; i++)
        square += x[i] * x[i];
    if (square > REAL_LEAST)
        return real_sqrt(square);
    for (int i = 0; i < dim; i++)
        sum += real_abs(x[i]);
    return sum;
}

static real size_of(int dim, const double *x) {
    real y[CAIRN_BLOCK_DIM_MAX] = {0};
    for (int i = 0; i < dim; i++)
        y[i] = x[i];
    return length_of(dim, y);
}

static real dot_of(int dim, const real *x, const real *y) {
    real sum = 0;
    for (int i = 0; i < dim; i++)
        sum += x[i] * y[i];
    return sum;
}

/* In dimension 2, and without friction, a polyhedral cone is the round one. */
static bool is_poly(const cairn_block *block) {
    return block->set == CAIRN_SET_POLY_CONE && block->dim == 3 && block->mu > 0.0;
}

static bool has_coulomb_law(const cairn_block *block, cairn_law law) {
    return law == CAIRN_LAW_COULOMB && (block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_POLY_CONE);
}

/* ---- sets of revolution: wedges of the half plane (N, T >= 0), with a cap -------------------------------------------- */
typedef struct meridian {
    real N, T;
} meridian;

/* Unit vector of the slant: along (1, mu), or (mu, 1) of the dual cone. A mu whose square is no number is infinite: the half space. */
static meridian slant_of(const cairn_block *block) {
    real mu = block->mu, length = real_sqrt(1 + mu * mu);
    meridian e = mu > (real)1e100 ? (meridian){0, 1} : (meridian){1 / length, mu / length};
    return block->set == CAIRN_SET_DUAL_CONE ? (meridian){e.T, e.N} : e;
}

static real adhesion_of(const cairn_block *block) {
    return block->set == CAIRN_SET_SHIFTED_CONE ? block->adhesion : 0;
}

static real cap_of(const cairn_block *block) {
    return block->set == CAIRN_SET_CAPPED_CONE ? (real)block->cap : (real)INFINITY;
}

static meridian nearest_in_wedge(meridian e, real cap, meridian x) {
    bool inside = x.N >= 0 && x.T * e.N <= x.N * e.T;
    real s = x.N * e.N + x.T * e.T;
    if (inside && x.N <= cap)
        return x;
    if (x.N > cap && x.T * e.N <= cap * e.T)
        return (meridian){cap, x.T};
    if (!(s > 0) || cap == 0)
        return (meridian){0, 0};
    return s * e.N > cap ? (meridian){cap, cap * e.T / e.N} : (meridian){s * e.N, s * e.T};
}

/* p: the point nearest to z over the meridian plane of z; one that does not move keeps its bits. */
static void project_revolution(meridian e, real raise, real cap, int dim, const real *z, real *p) {
    meridian x = {z[0] + raise, length_of(dim - 1, z + 1)}, q = nearest_in_wedge(e, cap, x);
    real shrink = q.T != x.T ? q.T / x.T : 1;
    p[0] = q.N != x.N ? q.N - raise : z[0];
    for (int i = 1; i < dim; i++)
        p[i] = q.T != x.T ? z[i] * shrink : z[i];
}

/* ---- polyhedral cones [theory 6] --------------------------------------------------------------------------------------- */
/* z_T in the sector of its polygon: z_T = a m + c (m turned by 90 degrees), m the middle of an edge of the polygon of radius 1, which is `near` from its centre and `half` long to either side. */
typedef struct polygon {
    long double turn, sector;
    real m[2], a, c, near, half, slope; /* slope: of the facets of the cone */
} polygon;

static polygon polygon_of(const cairn_block *block, const real *z) {
    polygon f = {.turn = 6.28318530717958647692528676655900577L / block->directions};
    f.sector = floorl(atan2l(z[2], z[1]) / f.turn);
    f.m[0] = (real)cosl(f.turn * (f.sector + 0.5L));
    f.m[1] = (real)sinl(f.turn * (f.sector + 0.5L));
    f.near = (real)cosl(f.turn / 2);
    f.half = (real)sinl(f.turn / 2);
    f.a = z[1] * f.m[0] + z[2] * f.m[1];
    f.c = z[2] * f.m[0] - z[1] * f.m[1];
    f.slope = (real)block->mu * f.near;
    return f;
}

/* Nearest point of z (3) in the cone; radius >= 0: z_N stays, and z_T goes to the polygon of that radius. The mirrors of the polygon map the set to itself, so z and its image lie in
 * one sector. */
static void project_poly(const cairn_block *block, real radius, const real *z, real *p) {
    polygon f = polygon_of(block, z);
    bool flat = radius >= 0;
    real mu = flat ? 1 : (real)block->mu, size = flat ? radius : (z[0] + f.slope * f.a) / (1 + f.slope * f.slope);
    real d[2] = {f.near * f.m[0], f.near * f.m[1]};
    memcpy(p, z, 3 * sizeof *p);
    if (flat ? f.a <= radius * f.near : z[0] >= 0 && f.a <= f.slope * z[0])
        return;
    if (size > 0 && real_abs(f.c) <= mu * size * f.half) { /* a facet */
        d[0] -= f.c / (mu * size) * f.m[1];
        d[1] += f.c / (mu * size) * f.m[0];
    } else { /* an edge, or the apex */
        long double at = f.turn * (f.sector + (f.c > 0 ? 1.0L : 0.0L));
        d[0] = (real)cosl(at);
        d[1] = (real)sinl(at);
        size = flat ? radius : (z[0] + mu * (z[1] * d[0] + z[2] * d[1])) / (1 + mu * mu);
        size = size > 0 ? size : 0;
    }
    p[0] = flat ? z[0] : size;
    p[1] = mu * size * d[0];
    p[2] = mu * size * d[1];
}

/* ---- any set ------------------------------------------------------------------------------------------------------ */
static void project_custom(const cairn_block *block, const real *z, real *p) {
    double from[CAIRN_BLOCK_DIM_MAX], to[CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < block->dim; i++) {
        from[i] = (double)z[i];
        to[i] = NAN;
    }
    block->custom->project(block->custom->user, block->dim, from, to);
    for (int i = 0; i < block->dim; i++)
        p[i] = to[i];
}

static void bounds_of(const cairn_block *block, real *lo, real *hi) {
    *lo = block->set == CAIRN_SET_BOX ? (real)block->lo : block->set == CAIRN_SET_NONNEGATIVE ? 0 : -(real)INFINITY;
    *hi = block->set == CAIRN_SET_BOX ? (real)block->hi : (real)INFINITY;
}

/* p = P(z). */
static void project(const cairn_block *block, const real *z, real *p) {
    real lo, hi, size;
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        bounds_of(block, &lo, &hi);
        for (int i = 0; i < block->dim; i++)
            p[i] = z[i] < lo ? lo : z[i] > hi ? hi : z[i];
        return;
    case CAIRN_SET_BALL:
        size = length_of(block->dim, z);
        for (int i = 0; i < block->dim; i++)
            p[i] = size <= block->radius ? z[i] : z[i] / size * (real)block->radius;
        return;
    case CAIRN_SET_CUSTOM:
        project_custom(block, z, p);
        return;
    default:
        if (is_poly(block))
            project_poly(block, -1, z, p);
        else
            project_revolution(slant_of(block), adhesion_of(block), cap_of(block), block->dim, z, p);
    }
}

/* ---- points -------------------------------------------------------------------------------------------------------- */
/* stored: u' of a custom set: 0, which goes with every impulse. */
static void given_impulse(const cairn_block *block, const real *g, double *to, real *stored) {
    real p[CAIRN_BLOCK_DIM_MAX] = {0};
    int dim = block->dim;
    bool moved = false, bounds = block->set == CAIRN_SET_NONNEGATIVE || block->set == CAIRN_SET_BOX;
    project(block, g, p);
    for (int i = 0; i < dim; i++) /* bounds hold to the bit */
        moved = moved || !(real_abs(p[i] - g[i]) <= (bounds ? 0 : BITS * real_abs(p[i])));
    for (int i = 0; i < dim; i++)
        to[i] = (double)(moved ? p[i] : g[i]);
    for (int i = 0; i < dim && block->set == CAIRN_SET_CUSTOM; i++)
        stored[i] = 0;
    if (to[0] > cap_of(block))
        to[0] = block->cap;
    bool cone = block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_DUAL_CONE || block->set == CAIRN_SET_POLY_CONE;
    for (int i = 0; i < dim && cone && size_of(dim, to) < (real)1e-280; i++)
        to[i] = 0.0; /* what has lost its digits is nothing */
}

/* |u' - w|^2 + n^2 |g' - g|^2. */
static real cost_of(int dim, real n, const real *g, const real *w, const real *to_g, const real *to_u) {
    real first = 0, second = 0;
    for (int i = 0; i < dim; i++) {
        first += (to_u[i] - w[i]) * (to_u[i] - w[i]);
        second += (to_g[i] - g[i]) * (to_g[i] - g[i]);
    }
    return first + n * n * second;
}

/* t of length 1; false: it has no direction. */
static bool normalise(int d, real *t) {
    for (real size = 0; size * size <= REAL_LEAST;) { /* not 1 after the first where squares had been lost */
        size = length_of(d, t);
        if (!(size > 0) || !isfinite(size))
            return false;
        for (int i = 0; i < d; i++)
            t[i] /= size;
    }
    return true;
}

/* The sliding candidate; false: there is no direction to slide in. */
static bool slide(int dim, real mu, real n, const real *g, const real *w, real *to_g, real *to_u) {
    int d = dim - 1;
    real t[2] = {0}, pull = n * n * mu, share = 1 / (1 + mu * mu);
    real speed = length_of(d, w + 1), push = length_of(d, g + 1);
    real s = speed, a = (g[0] + mu * push) * share;
    for (int k = 0; k < SEARCH; k++) {
        for (int i = 0; i < d; i++)
            t[i] = -s * w[i + 1] + pull * (a > 0 ? a : 0) * g[i + 1];
        if (!normalise(d, t))
            return false;
        s = -dot_of(d, w + 1, t);
        s = s > 0 ? s : 0;
        a = (g[0] + mu * dot_of(d, g + 1, t)) * share;
        if (d == 1 || speed == 0 || push == 0)
            break;
    }
    to_g[0] = a;
    to_u[0] = 0;
    for (int i = 0; i < d; i++) {
        to_g[i + 1] = mu * a * t[i];
        to_u[i + 1] = -s * t[i];
    }
    return a > 0;
}

/* Coulomb's law with a round cone. */
static void coulomb_impulse(const cairn_block *block, real n, const real *g, const real *w, double *to) {
    int dim = block->dim;
    real mu = block->mu, none[3] = {0}, open[3], stick[3], slip[3], u[3];
    memcpy(open, w, (size_t)dim * sizeof *w);
    open[0] = w[0] > 0 ? w[0] : 0;
    project(block, g, stick);
    for (int i = 0; i < dim; i++)
        u[i] = mu == 0 && i > 0 ? w[i] : 0; /* without friction a closed contact slides as it likes */
    real least = cost_of(dim, n, g, w, none, open), cost = cost_of(dim, n, g, w, stick, u);
    const real *taken = none;
    if (cost < least && stick[0] > 0) {
        least = cost;
        taken = stick;
    }
    /* sliding costs at least w_N^2, and the way from g to the side of the cone */
    real inside = mu * g[0] - length_of(dim - 1, g + 1), side = inside > 0 ? n * inside : 0;
    bool may_slide = mu > 0 && isfinite(mu) && w[0] * w[0] + side * side / (1 + mu * mu) < least;
    if (may_slide && slide(dim, mu, n, g, w, slip, u) && cost_of(dim, n, g, w, slip, u) < least)
        taken = slip;
    for (int i = 0; i < dim; i++)
        to[i] = (double)taken[i];
}

/* Coulomb's law with a polygon: open, or closed with g_N as it is and g_T = P(g_T - w_T/n) in its polygon. */
static void polygon_impulse(const cairn_block *block, real n, const real *g, const real *w, double *to) {
    real z[3] = {g[0], g[1] - w[1] / n, g[2] - w[2] / n}, none[3] = {0}, p[3] = {0}, u[3] = {0};
    real open[3] = {w[0] > 0 ? w[0] : 0, w[1], w[2]};
    if (g[0] > 0)
        project_poly(block, (real)block->mu * g[0], z, p);
    for (int i = 1; i < 3; i++)
        u[i] = n * (p[i] - z[i]);
    bool closed = g[0] > 0 && cost_of(3, n, g, w, p, u) < cost_of(3, n, g, w, none, open);
    for (int i = 0; i < 3; i++)
        to[i] = closed ? (double)p[i] : 0.0;
}

/* The impulse of a point near (g, w). stored: u' of a custom set, which is known by its projection alone. */
static void near_impulse(const cairn_block *block, cairn_law law, real n, const real *g, const real *w, double *to,
                         real *stored) {
    real z[CAIRN_BLOCK_DIM_MAX] = {0}, p[CAIRN_BLOCK_DIM_MAX];
    int dim = block->dim;
    if (has_coulomb_law(block, law)) {
        if (is_poly(block))
            polygon_impulse(block, n, g, w, to);
        else
            coulomb_impulse(block, n, g, w, to);
        return;
    }
    for (int i = 0; i < dim; i++)
        z[i] = block->set == CAIRN_SET_BILATERAL ? g[i] : g[i] - w[i] / n;
    project(block, z, p);
    for (int i = 0; i < dim; i++)
        to[i] = (double)p[i];
    for (int i = 0; i < dim && block->set == CAIRN_SET_CUSTOM; i++)
        stored[i] = n * (p[i] - z[i]);
}

/* ---- the fibre beside g' ------------------------------------------------------------------------------------------- */
/* A polyhedral cone. Rays of its normal cone: (slope, -m), m the middles of the polygon's edges that g lies on, two at most, (0, -m) under Coulomb's law. Half their sum and half their difference
 * are orthogonal: u' is w's part in their plane where that is between the rays, else it is on the ray that w goes further along. */
static void poly_fibre(const cairn_block *block, bool coulomb, const double *g, const real *w, real *u) {
    polygon f = polygon_of(block, (const real[]){g[0], g[1], g[2]});
    real ray[2][3], sum[3], difference[3], most = 0;
    int rays = 0;
    for (int k = -1; k <= 1 && rays < 2; k++) {
        long double at = f.turn * (f.sector + k + 0.5L);
        real m[2] = {(real)cosl(at), (real)sinl(at)};
        if (g[1] * m[0] + g[2] * m[1] >= f.slope * g[0] * (1 - BITS))
            memcpy(ray[rays++], (const real[]){coulomb ? 0 : f.slope, -m[0], -m[1]}, sizeof *ray);
    }
    for (int i = 0; i < 3; i++)
        u[i] = 0;
    for (int k = 0; k < rays; k++) {
        real length = length_of(3, ray[k]), s = dot_of(3, w, ray[k]) / length;
        for (int i = 0; i < 3 && s > most; i++)
            u[i] = s * (ray[k][i] / length);
        most = s > most ? s : most;
    }
    if (rays < 2)
        return;
    for (int i = 0; i < 3; i++) {
        sum[i] = (ray[0][i] + ray[1][i]) / 2;
        difference[i] = (ray[1][i] - ray[0][i]) / 2;
    }
    real a = dot_of(3, w, sum) / dot_of(3, sum, sum), c = dot_of(3, w, difference) / dot_of(3, difference, difference);
    for (int i = 0; i < 3 && real_abs(c) <= a; i++)
        u[i] = a * sum[i] + c * difference[i];
}

/* A set of revolution, or Coulomb's law. On its side and at its lid the normal cone has the rays `normal` and (-1, 0) in the plane of (1, 0) and t; u' is w's part in that plane where
 * that is between them, else it is on the ray that w goes further along. */
static void revolution_fibre(const cairn_block *block, bool coulomb, const double *g, const real *w, real *u) {
    int dim = block->dim;
    meridian e = slant_of(block), x = {g[0] + adhesion_of(block), size_of(dim - 1, g + 1)}, y = {w[0], 0}, q = {0, 0};
    meridian normal = coulomb ? (meridian){0, -1} : (meridian){e.T, -e.N};
    real bits = BITS * (adhesion_of(block) + real_abs((real)g[0]));
    bool apex = x.N == 0 && x.T == 0, lid = g[0] >= cap_of(block);
    bool side = x.T * e.N >= (x.N - bits) * e.T && !(coulomb && e.N == 0);
    if (apex && !coulomb && !lid) { /* the dual cone */
        project_revolution((meridian){e.T, e.N}, 0, (real)INFINITY, dim, w, u);
        return;
    }
    if (apex || e.T == 0) { /* the normal has one way; the tangents are free */
        memcpy(u, w, (size_t)dim * sizeof *u);
        u[0] = (apex && w[0] > 0) || (lid && w[0] < 0) ? w[0] : 0;
        return;
    }
    for (int i = 1; i < dim && x.T > 0; i++)
        y.T += w[i] * (g[i] / x.T);
    real s = side ? y.N * normal.N + y.T * normal.T : 0, down = lid ? -y.N : 0;
    if (side && lid && y.T <= 0 && -y.T * e.T >= y.N * e.N)
        q = y;
    else if (s > 0 && s >= down)
        q = (meridian){s * normal.N, s * normal.T};
    else if (down > 0)
        q.N = y.N;
    u[0] = q.N;
    for (int i = 1; i < dim; i++)
        u[i] = x.T > 0 ? q.T * (g[i] / x.T) : 0;
}

/* The surface of a ball: against g'. */
static void ball_fibre(const cairn_block *block, const double *g, const real *w, real *u) {
    int dim = block->dim;
    real size = size_of(dim, g), s = 0;
    for (int i = 0; i < dim && size > 0; i++)
        s -= w[i] * (g[i] / size);
    bool side = size >= (real)block->radius * (1 - BITS) && s > 0;
    for (int i = 0; i < dim; i++)
        u[i] = block->radius == 0.0 ? w[i] : side ? -s * (g[i] / size) : 0;
}

/* stored: u' that goes with an impulse of a custom set. */
static void fibre(const cairn_block *block, cairn_law law, const double *g, const real *stored, const real *w,
                  real *u) {
    bool coulomb = has_coulomb_law(block, law);
    real lo, hi, p[3] = {0};
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        bounds_of(block, &lo, &hi);
        for (int i = 0; i < block->dim; i++)
            u[i] = (g[i] <= lo && w[i] > 0) || (g[i] >= hi && w[i] < 0) ? w[i] : 0;
        return;
    case CAIRN_SET_BALL:
        ball_fibre(block, g, w, u);
        return;
    case CAIRN_SET_CUSTOM:
        memcpy(u, stored, (size_t)block->dim * sizeof *u);
        return;
    default:
        if (!is_poly(block) || (coulomb && g[0] == 0.0)) {
            revolution_fibre(block, coulomb, g, w, u);
        } else if (g[0] == 0.0) { /* the dual cone: w + P(-w) */
            project(block, (const real[]){-w[0], -w[1], -w[2]}, p);
            for (int i = 0; i < 3; i++)
                u[i] = w[i] + p[i];
        } else {
            poly_fibre(block, coulomb, g, w, u);
        }
    }
}
