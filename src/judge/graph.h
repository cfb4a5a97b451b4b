/*
 * graph.h: points exactly on the graph of a block's law, for one kind of number.
 *
 * Included by measure.h, which defines `real` (double or long double), real_sqrt, real_abs and REAL_LEAST, a square below which squares may have
 * been lost to underflow. Symbols as in [theory 1]: g = (g_N, g_T) impulse, w = (w_N, w_T) velocity of a block, n its scale n_i in 1/kg, t a unit
 * vector of the tangent plane.
 *
 *     point     a point (g', u') of the graph near (g, w); g' is rounded to double, its place on the graph is told as a state
 *     fibre     u' = the point nearest to w among those that the law allows beside g'
 *
 * Coulomb's law has three candidates, and the nearest in |u' - w|^2 + n^2 |g' - g|^2 is taken [certificate, "The points on the graph"]:
 *     open      g' = 0,              u' = (max(w_N, 0), w_T)
 *     stick     g' = P(g),           u' = 0
 *     slide     g' = a (1, mu t),    u' = (0, -s t),     s = max(0, -w_T't),  a = max(0, (g_N + mu g_T't)/(1 + mu^2))
 * The best t is a fixed point of t <- s (-w_T) + n^2 mu a g_T, normalised: a maximum of a convex function of t, which each such step raises.
 * A convex set takes g' = P(g - w/n), and u' in the normal cone of g'. A poor point makes the certificate larger, never untrue.
 *
 * mu = 0, mu = INFINITY (g_N >= 0, g_T free) and directions of length 0 are ordinary cases.
 */

/* Where on the graph a point lies. */
enum {
    AT_APEX,   /* g' = 0: a contact that is open */
    AT_INSIDE, /* u' = 0: a contact that sticks */
    AT_SLANT,  /* on the side of a cone, or the surface of a ball: a contact that slides */
    AT_LID,    /* at the cap of a capped cone */
    AT_RIM,    /* at its rim */
    AT_STORED, /* u' was found together with g' */
    AT_ANY     /* to be found with the velocity: normal_of */
};

#define SEARCH     4    /* steps of the search for t */
#define SHORT_STEP 1e-4 /* of an impulse: a step within the tangent cone */

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

/* ---- cones of revolution: wedges of the half plane (N, T >= 0) ---------------------------------------------------- */

typedef struct meridian {
    real N, T;
} meridian;

/* Direction of the slant: (1, mu) of the Coulomb cone, (mu, 1) of its dual. */
static meridian slant_of(const cairn_block *block) {
    meridian e = {1, (real)block->mu};
    if (block->set == CAIRN_SET_DUAL_CONE)
        e = (meridian){(real)block->mu, 1};
    return e;
}

/* Scaled so that a large mu does not overflow; an infinite one is the half space. */
static meridian unit_slant(meridian e) {
    const real most = (real)1e100; /* whose square is still a number */
    if (e.N > most || e.T > most)
        return (meridian){e.N > most ? 1 : 0, e.T > most ? 1 : 0};
    real length = real_sqrt(e.N * e.N + e.T * e.T);
    return (meridian){e.N / length, e.T / length};
}

/* Nearest point of the wedge under N = cap; *state: where it lies. */
static meridian nearest_in_wedge(meridian e, real cap, meridian x, int *state) {
    meridian d = unit_slant(e);
    bool below = x.N <= cap, wide = isinf(e.T) || isinf(e.N);
    if (cap == 0) {
        *state = AT_APEX;
        return (meridian){0, 0};
    }
    if (below && x.N >= 0 && (wide ? isinf(e.T) || x.T <= 0 : x.T * e.N <= x.N * e.T)) {
        *state = x.N == cap ? AT_LID : AT_INSIDE;
        return x;
    }
    if (!below && (wide || x.T <= e.T * cap)) {
        *state = AT_LID;
        return (meridian){cap, x.T};
    }
    real along = x.N * d.N + x.T * d.T;
    if (!(along > 0)) {
        *state = AT_APEX;
        return (meridian){0, 0};
    }
    *state = AT_SLANT;
    meridian q = {along * d.N, along * d.T};
    if (q.N >= cap) {
        *state = AT_RIM;
        q = (meridian){cap, e.T * cap};
    }
    return q;
}

static real tangent_of(int dim, const real *x) {
    return dim == 2 ? real_abs(x[1]) : length_of(2, x + 1);
}

/* The point of the meridian plane of x that folds to q; one that did not move keeps its bits. */
static void unfold(int dim, const real *x, real T, meridian q, real *p) {
    real shrink = q.T != T ? q.T / T : 1;
    p[0] = q.N;
    for (int i = 1; i < dim; i++)
        p[i] = q.T != T ? x[i] * shrink : x[i];
}

static int project_revolution(const cairn_block *block, const real *z, real *p) {
    real raise = block->set == CAIRN_SET_SHIFTED_CONE ? block->adhesion : 0;
    real cap = block->set == CAIRN_SET_CAPPED_CONE ? (real)block->cap : (real)INFINITY;
    meridian x = {z[0] + raise, tangent_of(block->dim, z)};
    int state;
    meridian q = nearest_in_wedge(slant_of(block), cap, x, &state);
    q.N = state == AT_INSIDE ? z[0] : q.N - raise;
    unfold(block->dim, z, x.T, q, p);
    return state;
}

/* ---- polyhedral cones: nearest point by comparing all faces [theory 6] --------------------------------------------- */

/* Keeps q in p when it is nearer to z than what p holds. */
static void offer(const real *z, const real *q, real *p, real *least) {
    real d[3] = {z[0] - q[0], z[1] - q[1], z[2] - q[2]}, square = dot_of(3, d, d);
    if (!(square >= *least)) {
        *least = square;
        memcpy(p, q, 3 * sizeof *p);
    }
}

/* The facet between the rays e and f: a g + c h with g = (e + f)/2, h = (f - e)/2, which are orthogonal; its points have |c| <= a. */
static void offer_facet(const real *z, const real *e, const real *f, real *p, real *least) {
    real g[3], h[3], q[3];
    for (int i = 0; i < 3; i++) {
        g[i] = (e[i] + f[i]) / 2;
        h[i] = (f[i] - e[i]) / 2;
    }
    real width = dot_of(3, h, h), along = dot_of(3, z, g) / dot_of(3, g, g);
    real across = width > 0 ? dot_of(3, z, h) / width : 0;
    if (!(width > 0 && real_abs(across) <= along))
        return;
    for (int i = 0; i < 3; i++)
        q[i] = along * g[i] + across * h[i];
    offer(z, q, p, least);
}

/* Direction j of the block's polygon. */
static void direction_of(const cairn_block *block, int j, real *d) {
    const long double turn = 6.28318530717958647692528676655900577L;
    long double at = turn * j / block->directions;
    d[0] = block->dim == 2 ? (real)(j % 2 == 0 ? 1 : -1) : (real)cosl(at);
    d[1] = block->dim == 2 ? 0 : (real)sinl(at);
}

/* Nearest point of x (3) in the cone of slope mu; radius >= 0: of its tangential part in the polygon of that radius. */
static void project_polygon(const cairn_block *block, real radius, const real *x, real *p) {
    bool flat = radius >= 0;
    real z[3] = {flat ? 0 : x[0], x[1], x[2]}, least = (real)INFINITY, q[3];
    real slope = flat ? radius : (real)block->mu;
    bool inside = flat || z[0] >= 0;
    if (!flat)
        offer(z, (const real[]){0, 0, 0}, p, &least);
    for (int j = 0; j < block->directions; j++) {
        real d[2], next[2];
        direction_of(block, j, d);
        direction_of(block, (j + 1) % block->directions, next);
        real e[3] = {flat ? 0 : 1, slope * d[0], slope * d[1]}, f[3] = {e[0], slope * next[0], slope * next[1]};
        real along = flat ? 1 : dot_of(3, z, e) / dot_of(3, e, e);
        for (int i = 0; i < 3; i++)
            q[i] = along * e[i];
        if (along > 0)
            offer(z, q, p, &least);
        if (flat) { /* the edge from e to f */
            real edge[3] = {0, f[1] - e[1], f[2] - e[2]}, square = dot_of(3, edge, edge);
            real at = square > 0 ? ((z[1] - e[1]) * edge[1] + (z[2] - e[2]) * edge[2]) / square : -1;
            for (int i = 0; i < 3; i++)
                q[i] = e[i] + at * edge[i];
            if (at > 0 && at < 1)
                offer(z, q, p, &least);
        } else if (block->dim == 3) {
            offer_facet(z, e, f, p, &least);
        }
        real outward[2] = {d[0] + next[0], d[1] + next[1]};
        if (block->dim == 2) {
            outward[0] = d[0];
            outward[1] = 0;
        }
        real reach = slope * (outward[0] * d[0] + outward[1] * d[1]) * (flat ? 1 : z[0]);
        inside = inside && outward[0] * z[1] + outward[1] * z[2] <= reach;
    }
    if (inside)
        memcpy(p, z, sizeof z);
}

static void project_poly(const cairn_block *block, const real *z, real *p) {
    real x[3] = {z[0], z[1], block->dim == 3 ? z[2] : 0}, q[3];
    project_polygon(block, -1, x, q);
    memcpy(p, q, (size_t)block->dim * sizeof *p);
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

/* p = P(z) of any set; returns where it lies. */
static int project(const cairn_block *block, const real *z, real *p) {
    real lo, hi, size;
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        bounds_of(block, &lo, &hi);
        for (int i = 0; i < block->dim; i++)
            p[i] = z[i] < lo ? lo : z[i] > hi ? hi : z[i];
        return AT_INSIDE;
    case CAIRN_SET_BALL:
        size = length_of(block->dim, z);
        for (int i = 0; i < block->dim; i++)
            p[i] = size <= block->radius ? z[i] : z[i] / size * (real)block->radius;
        return size <= block->radius ? AT_INSIDE : AT_SLANT;
    case CAIRN_SET_CUSTOM:
        project_custom(block, z, p);
        return AT_STORED;
    case CAIRN_SET_POLY_CONE:
        project_poly(block, z, p);
        return AT_STORED;
    default:
        return project_revolution(block, z, p);
    }
}

/* ---- points of Coulomb's law --------------------------------------------------------------------------------------- */

/* |u' - w|^2 + n^2 |g' - g|^2. */
static real cost_of(int dim, real n, const real *g, const real *w, const real *to_g, const real *to_u) {
    real first = 0, second = 0;
    for (int i = 0; i < dim; i++) {
        first += (to_u[i] - w[i]) * (to_u[i] - w[i]);
        second += (to_g[i] - g[i]) * (to_g[i] - g[i]);
    }
    return first + n * n * second;
}

/* The sliding candidate; false: there is no direction to slide in. */
static bool slide(int dim, real mu, real n, const real *g, const real *w, real *to_g, real *to_u) {
    int d = dim - 1;
    real t[2] = {0}, pull = n * n * mu, share = 1 / (1 + mu * mu), s = 1, a = 0;
    real speed = length_of(d, w + 1), push = length_of(d, g + 1);
    real best = (g[0] + mu * push) * share;
    for (int i = 0; i < d; i++)
        t[i] = -speed * w[i + 1] + pull * (best > 0 ? best : 0) * g[i + 1];
    for (int k = 0; k < SEARCH; k++) {
        real size = length_of(d, t);
        if (!(size > 0) || !isfinite(size))
            return false;
        for (int i = 0; i < d; i++)
            t[i] /= size;
        size = length_of(d, t); /* not 1 where squares had been lost */
        for (int i = 0; i < d; i++)
            t[i] /= size;
        s = -dot_of(d, w + 1, t);
        a = (g[0] + mu * dot_of(d, g + 1, t)) * share;
        s = s > 0 ? s : 0;
        a = a > 0 ? a : 0;
        if (d == 1 || speed == 0 || push == 0 || k + 1 == SEARCH)
            break;
        for (int i = 0; i < d; i++)
            t[i] = -s * w[i + 1] + pull * a * g[i + 1];
        if (!(length_of(d, t) > 0))
            return false;
    }
    to_g[0] = a;
    to_u[0] = 0;
    for (int i = 0; i < d; i++) {
        to_g[i + 1] = mu * a * t[i];
        to_u[i + 1] = -s * t[i];
    }
    return a > 0 && mu > 0;
}

/* Coulomb's law with a round cone. */
static int coulomb_point(const cairn_block *block, real n, const real *g, const real *w, double *to) {
    int dim = block->dim, best = AT_APEX;
    real mu = block->mu, none[3] = {0}, open[3], stick[3], slip[3], u[3], least;
    memcpy(open, w, (size_t)dim * sizeof *w);
    open[0] = w[0] > 0 ? w[0] : 0;
    least = cost_of(dim, n, g, w, none, open);
    project_revolution(block, g, stick);
    for (int i = 0; i < dim; i++)
        u[i] = mu == 0 && i > 0 ? w[i] : 0; /* without friction a closed contact slides as it likes */
    real cost = cost_of(dim, n, g, w, stick, u);
    const real *taken = none;
    if (cost < least && stick[0] > 0) {
        least = cost;
        best = AT_INSIDE;
        taken = stick;
    }
    if (mu > 0 && isfinite(mu) && slide(dim, mu, n, g, w, slip, u) && cost_of(dim, n, g, w, slip, u) < least) {
        best = AT_SLANT;
        taken = slip;
    }
    for (int i = 0; i < dim; i++)
        to[i] = (double)taken[i];
    return best;
}

/* Coulomb's law with a polygon: open, or closed with g_N as it is and g_T = P(g_T - w_T/n) in its polygon. */
static int polygon_point(const cairn_block *block, real n, const real *g, const real *w, double *to, real *stored) {
    int dim = block->dim;
    real z[3] = {0}, p[3] = {0}, open = w[0] < 0 ? w[0] * w[0] : 0, closed = w[0] * w[0];
    for (int i = 1; i < dim; i++)
        z[i] = g[i] - w[i] / n;
    if (g[0] > 0) {
        project_polygon(block, (real)block->mu * g[0], z, p);
        for (int i = 1; i < dim; i++) {
            real d = n * (g[i] - p[i]), slip = n * (p[i] - z[i]) - w[i];
            closed += d * d + slip * slip;
        }
    }
    for (int i = 0; i < dim; i++)
        open += n * n * g[i] * g[i];
    bool shut = g[0] > 0 && closed < open;
    to[0] = shut ? (double)g[0] : 0.0;
    stored[0] = 0;
    for (int i = 1; i < dim; i++) {
        to[i] = shut ? (double)p[i] : 0.0;
        stored[i] = n * (p[i] - z[i]);
    }
    return shut ? AT_STORED : AT_APEX;
}

static bool has_coulomb_law(const cairn_block *block, cairn_law law) {
    return law == CAIRN_LAW_COULOMB && (block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_POLY_CONE);
}

/* A point of the block's graph near (g, w): impulses in to, u' in stored where the state says so. */
static int point_of(const cairn_block *block, cairn_law law, real n, const real *g, const real *w, double *to,
                    real *stored) {
    real z[CAIRN_BLOCK_DIM_MAX] = {0}, p[CAIRN_BLOCK_DIM_MAX];
    int dim = block->dim, state;
    if (block->set == CAIRN_SET_BILATERAL) {
        for (int i = 0; i < dim; i++)
            to[i] = (double)g[i];
        return AT_INSIDE;
    }
    if (has_coulomb_law(block, law))
        return block->set == CAIRN_SET_CONE ? coulomb_point(block, n, g, w, to)
                                            : polygon_point(block, n, g, w, to, stored);
    for (int i = 0; i < dim; i++)
        z[i] = g[i] - w[i] / n;
    state = project(block, z, p);
    for (int i = 0; i < dim; i++) {
        to[i] = (double)p[i];
        stored[i] = n * (p[i] - z[i]);
    }
    return state;
}

/* Where the impulse g as it is lies on the graph, projected if it is outside its set by more than rounding. */
static int place_of(const cairn_block *block, const real *g, double *to) {
    real p[CAIRN_BLOCK_DIM_MAX] = {0}, raise = block->set == CAIRN_SET_SHIFTED_CONE ? block->adhesion : 0;
    int dim = block->dim, state = block->set == CAIRN_SET_BILATERAL ? AT_INSIDE : project(block, g, p);
    bool moved = false,
         bounds = block->set == CAIRN_SET_NONNEGATIVE || block->set == CAIRN_SET_BOX; /* hold to the bit */
    for (int i = 0; i < dim; i++) {
        real off = block->set == CAIRN_SET_BILATERAL ? 0 : real_abs(p[i] - g[i]);
        moved = moved || !(off <= (bounds ? 0 : 4 * (real)DBL_EPSILON * real_abs(p[i])));
    }
    for (int i = 0; i < dim; i++)
        to[i] = (double)(moved ? p[i] : g[i]);
    if (block->set == CAIRN_SET_CAPPED_CONE && to[0] > block->cap)
        to[0] = block->cap;
    bool cone = block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_DUAL_CONE || block->set == CAIRN_SET_POLY_CONE;
    for (int i = 0; i < dim && cone && size_of(dim, to) < (real)1e-280; i++)
        to[i] = 0.0; /* what has lost its digits is nothing */
    if (state == AT_STORED || block->set == CAIRN_SET_BILATERAL)
        return state == AT_STORED ? AT_ANY : state;
    if (block->set == CAIRN_SET_BALL)
        return size_of(dim, to) >= (real)block->radius * (1 - 4 * (real)DBL_EPSILON) ? AT_SLANT : AT_INSIDE;
    if (block->set == CAIRN_SET_NONNEGATIVE || block->set == CAIRN_SET_BOX)
        return AT_INSIDE;
    meridian e = slant_of(block), x = {to[0] + raise, dim == 2 ? real_abs((real)to[1]) : size_of(dim - 1, to + 1)};
    bool side = x.T * e.N >= x.N * e.T * (1 - 4 * (real)DBL_EPSILON);
    bool lid = block->set == CAIRN_SET_CAPPED_CONE && to[0] >= block->cap;
    if (x.N == 0 && x.T == 0)
        return AT_APEX;
    return lid ? (side ? AT_RIM : AT_LID) : side && !isinf(e.T) ? AT_SLANT : AT_INSIDE;
}

/* P of a polyhedral cone or a custom set; of Coulomb's law the polygon of radius mu g_N, in the tangential part alone. */
static void project_odd(const cairn_block *block, bool flat, real push, const real *z, real *p) {
    if (flat)
        project_polygon(block, (real)block->mu * push, z, p);
    else
        project(block, z, p);
    p[0] = flat ? push : p[0];
}

/* u' beside an impulse of a set that is known by its projection alone: the part of w in the normal cone of g. -w is the sum of a part in the tangent cone, found by a short step along it from
 * g, and of one in the normal cone (Moreau). What is found is tested: P(g - u'/n) must be g; else u' = 0, which goes with every impulse. */
static int normal_of(const cairn_block *block, cairn_law law, real n, const double *g, const real *w, real *stored) {
    real from[CAIRN_BLOCK_DIM_MAX] = {0}, z[CAIRN_BLOCK_DIM_MAX] = {0}, p[CAIRN_BLOCK_DIM_MAX] = {0}, speed, size;
    bool flat = has_coulomb_law(block, law), same = true;
    int dim = block->dim, first = flat ? 1 : 0;
    if (flat && !(g[0] > 0.0))
        return AT_APEX;
    for (int i = 0; i < dim; i++)
        from[i] = g[i];
    size = length_of(dim, from);
    if (block->set == CAIRN_SET_POLY_CONE) /* what the cone has around g */
        size = (flat || block->mu < 1.0 ? (real)block->mu : 1) * from[0];
    speed = length_of(dim - first, w + first);
    real step = speed > 0 && size > 0 ? SHORT_STEP * size / speed : 1;
    for (int i = 0; i < dim; i++)
        z[i] = from[i] - (i < first ? 0 : step * w[i]);
    project_odd(block, flat, from[0], z, p);
    for (int i = 0; i < dim; i++) {
        stored[i] = i < first ? 0 : (p[i] - z[i]) / step;
        z[i] = from[i] - stored[i] / n;
    }
    project_odd(block, flat, from[0], z, p);
    real noise = block->set == CAIRN_SET_CUSTOM ? 0 : (real)(8 / SHORT_STEP) * (real)REAL_EPSILON * length_of(dim, z);
    real tolerance = 4 * (real)DBL_EPSILON * size + (noise < (real)1e-9 * size ? noise : (real)1e-9 * size);
    for (int i = first; i < dim; i++)
        same = same && real_abs(p[i] - from[i]) <= tolerance;
    for (int i = 0; i < dim && !same; i++)
        stored[i] = 0;
    return AT_STORED;
}

/* ---- the fibre beside g' ------------------------------------------------------------------------------------------- */

/* Nearest point to (x, y) of the plane cone of (1, 0) and (-mu, 1): itself, or on the ray that it goes further along. */
static void rim_fibre(real mu, real x, real y, real *a, real *b) {
    real first = x > 0 ? x : 0, second = (y - mu * x) / (1 + mu * mu);
    bool inside = y >= 0 && x + mu * y >= 0, other = second > 0 && second * second * (1 + mu * mu) > first * first;
    *a = inside ? x : other ? -mu * second : first;
    *b = inside ? y : other ? second : 0;
}

/* u' of a point on the side of a cone or a ball, at its lid or rim. */
static void side_fibre(const cairn_block *block, cairn_law law, int state, const double *g, const real *w, real *u) {
    int dim = block->dim;
    real t[CAIRN_BLOCK_DIM_MAX] = {0}, direction[CAIRN_BLOCK_DIM_MAX] = {0}, from[CAIRN_BLOCK_DIM_MAX] = {0};
    bool ball = block->set == CAIRN_SET_BALL;
    int first = ball ? 0 : 1, count = dim - first;
    for (int i = 0; i < count; i++)
        from[i] = g[first + i];
    real size = length_of(count, from);
    for (int i = 0; i < count; i++)
        t[i] = size > 0 ? from[i] / size : 0;
    meridian e = slant_of(block);
    if (ball || has_coulomb_law(block, law)) {
        real s = -dot_of(count, w + first, t);
        u[0] = 0;
        for (int i = 0; i < count; i++)
            u[first + i] = s > 0 ? -s * t[i] : 0;
        return;
    }
    if (state == AT_SLANT) { /* the inward normal */
        meridian d = unit_slant(e);
        direction[0] = d.T;
        for (int i = 0; i < count; i++)
            direction[i + 1] = -d.N * t[i];
        real s = dot_of(dim, w, direction);
        for (int i = 0; i < dim; i++)
            u[i] = s > 0 ? s * direction[i] : 0;
        return;
    }
    real a = w[0] < 0 ? -w[0] : 0, b = 0;
    if (state == AT_RIM && isfinite(e.T))
        rim_fibre(e.T, -w[0], -dot_of(count, w + 1, t), &a, &b);
    u[0] = -a;
    for (int i = 0; i < count; i++)
        u[i + 1] = -b * t[i];
}

/* u' beside an impulse of 0: the dual cone, or w_N >= 0 under Coulomb's law. */
static void apex_fibre(const cairn_block *block, cairn_law law, const real *w, real *u) {
    if (block->set == CAIRN_SET_CAPPED_CONE && block->cap == 0.0) {
        memcpy(u, w, (size_t)block->dim * sizeof *u); /* the set is a point: every velocity goes with it */
        return;
    }
    if (has_coulomb_law(block, law)) {
        memcpy(u, w, (size_t)block->dim * sizeof *u);
        u[0] = w[0] > 0 ? w[0] : 0;
        return;
    }
    meridian e = slant_of(block), dual = {e.T, e.N}, x = {w[0], tangent_of(block->dim, w)};
    int state;
    meridian q = nearest_in_wedge(dual, (real)INFINITY, x, &state);
    unfold(block->dim, w, x.T, q, u);
}

static void fibre(const cairn_block *block, cairn_law law, int state, const double *g, const real *stored,
                  const real *w, real *u) {
    real lo, hi;
    for (int i = 0; i < block->dim; i++)
        u[i] = 0;
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
        return;
    case CAIRN_SET_NONNEGATIVE:
    case CAIRN_SET_BOX:
        bounds_of(block, &lo, &hi);
        for (int i = 0; i < block->dim; i++) {
            bool low = g[i] <= lo, high = g[i] >= hi;
            u[i] = (low && w[i] > 0) || (high && w[i] < 0) ? w[i] : 0;
        }
        return;
    case CAIRN_SET_BALL:
        if (block->radius == 0.0)
            memcpy(u, w, (size_t)block->dim * sizeof *u);
        else if (state == AT_SLANT)
            side_fibre(block, law, state, g, w, u);
        return;
    default:
        break;
    }
    if (block->mu == 0.0 && block->set != CAIRN_SET_DUAL_CONE) { /* without friction the tangents are free */
        for (int i = 1; i < block->dim && state != AT_STORED; i++)
            u[i] = w[i];
        bool one_way = state == AT_APEX ? w[0] > 0 : (state == AT_LID || state == AT_RIM) && w[0] < 0;
        u[0] = one_way || (state == AT_APEX && block->set == CAIRN_SET_CAPPED_CONE && block->cap == 0.0) ? w[0] : 0;
        if (state != AT_STORED)
            return;
    }
    if (state == AT_STORED)
        memcpy(u, stored, (size_t)block->dim * sizeof *u);
    else if (state == AT_APEX)
        apex_fibre(block, law, w, u);
    else if (state != AT_INSIDE)
        side_fibre(block, law, state, g, w, u);
}
