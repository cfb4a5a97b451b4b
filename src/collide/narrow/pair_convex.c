/*
 * pair_convex.c: contact of any two convex shapes of which one has a curved side (cylinder, cone).
 *
 * Curved shapes are drawn in by INSET of their size and fattened again by a ball of that radius: as
 * long as they overlap by less, the distance of the cores gives the normal to rounding. Deeper ones
 * part by EPA. Then the parts that face each other (a face, an edge, a point) are laid over each
 * other for the manifold. A cap is drawn as an octagon inside its rim.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

#define INSET 1e-3
#define FACE  0.995 /* cosine: a face that looks along the normal */
#define EDGE  0.1   /* sine: an edge or a side line that lies across the normal */
#define SNAP  1e-12 /* 1 - cosine below which the normal is that of a face */

const cairn_shape *cairn_shape_inset(const cairn_shape *s, cairn_shape *room, double *radius) {
    *radius = s->kind == CAIRN_SHAPE_CAPSULE || s->kind == CAIRN_SHAPE_SPHERE ? s->radius : 0.0;
    if (s->kind == CAIRN_SHAPE_CYLINDER) {
        double d = INSET * fmin(s->radius, s->half);
        room->kind = s->kind;
        room->radius = s->radius - d;
        room->local.low.z = s->local.low.z + d;
        room->local.high.z = s->local.high.z - d;
        *radius = d;
        return room;
    }
    if (s->kind == CAIRN_SHAPE_CONE) {
        double side = sqrt(s->radius * s->radius + s->height * s->height), sine = s->radius / side;
        double d = INSET * fmin(s->radius, s->height) * 0.5, height = s->height - d - d / sine;
        room->kind = s->kind;
        room->radius = s->radius * height / s->height;
        room->local.low.z = s->local.low.z + d;
        room->local.high.z = s->local.high.z - d / sine;
        *radius = d;
        return room;
    }
    return s;
}

/* The part of a shape that looks along d (own frame): 1 point, 2 points of a line, or a polygon. */
static void part_of_polytope(const cairn_polytope *p, cairn_vec3 d, cairn_polygon *out) {
    int best = 0, top = 0;
    out->count = 0;
    for (int f = 1; f < p->faces; f++)
        best = cairn_vec3_dot(p->normal[f], d) > cairn_vec3_dot(p->normal[best], d) ? f : best;
    if (cairn_vec3_dot(p->normal[best], d) > FACE) {
        for (int i = p->face_start[best]; i < p->face_start[best + 1]; i++) {
            out->point[out->count] = p->vertex[p->face_vertex[i]];
            out->id[out->count++] = (uint64_t)p->face_vertex[i] + 1;
        }
        return;
    }
    for (int i = 1; i < p->vertices; i++)
        top = cairn_vec3_dot(p->vertex[i], d) > cairn_vec3_dot(p->vertex[top], d) ? i : top;
    out->point[0] = p->vertex[top];
    out->id[0] = (uint64_t)top + 1;
    out->count = 1;
    double flattest = EDGE;
    for (int e = 0; e < p->edges; e++) {
        const int *edge = p->edge + 4 * e;
        if (edge[0] != top && edge[1] != top)
            continue;
        int other = edge[0] == top ? edge[1] : edge[0];
        double slope = fabs(cairn_vec3_dot(cairn_vec3_unit(cairn_vec3_sub(p->vertex[other], p->vertex[top])), d));
        if (slope < flattest) {
            flattest = slope;
            out->point[1] = p->vertex[other];
            out->id[1] = (uint64_t)other + 1;
            out->count = 2;
        }
    }
}

static void disc(double r, double z, bool up, cairn_polygon *out) {
    static const double c[8] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                -1, -0.70710678118654752, 0, 0.70710678118654752};
    out->count = 8;
    for (int i = 0; i < 8; i++) { /* counter-clockwise seen from outside */
        int k = up ? i : (8 - i) % 8;
        out->point[i] = cairn_vec3_of(r * c[k], r * c[(k + 6) % 8], z);
        out->id[i] = (uint64_t)k + 1;
    }
}

static void part_of_round(const cairn_shape *s, cairn_vec3 d, cairn_polygon *out) {
    double flat = sqrt(d.x * d.x + d.y * d.y), x = flat > 0.0 ? d.x / flat : 1.0, y = flat > 0.0 ? d.y / flat : 0.0;
    double low = s->local.low.z, high = s->local.high.z, r = s->radius;
    cairn_vec3 a, b;
    bool cone = s->kind == CAIRN_SHAPE_CONE;
    if (s->kind == CAIRN_SHAPE_SPHERE || s->kind == CAIRN_SHAPE_ELLIPSOID) {
        cairn_core core = cairn_core_of(s, NULL);
        int none;
        out->count = 1;
        out->point[0] = cairn_vec3_add_scaled(cairn_core_support(&core, d, &none), core.radius, d);
        out->id[0] = 18;
        return;
    }
    if (s->kind == CAIRN_SHAPE_CAPSULE) {
        a = cairn_vec3_add_scaled(cairn_vec3_of(0, 0, -s->half), r, d);
        b = cairn_vec3_add_scaled(cairn_vec3_of(0, 0, s->half), r, d);
    } else {
        if (d.z < -FACE || (d.z > FACE && !cone)) {
            disc(r, d.z > 0.0 ? high : low, d.z > 0.0, out);
            return;
        }
        a = cairn_vec3_of(r * x, r * y, low);
        b = cone ? cairn_vec3_of(0, 0, high) : cairn_vec3_of(r * x, r * y, high);
    }
    double slope = cairn_vec3_dot(cairn_vec3_unit(cairn_vec3_sub(b, a)), d);
    out->count = fabs(slope) < EDGE ? 2 : 1;
    out->point[0] = out->count == 2 || slope < 0.0 ? a : b;
    out->point[1] = b;
    out->id[0] = out->count == 2 || slope < 0.0 ? 16 : 17;
    out->id[1] = 17;
}

void cairn_part_along(const cairn_shape *s, const cairn_placement *at, cairn_vec3 d, cairn_polygon *out) {
    cairn_vec3 own = at != NULL ? cairn_mat3_apply_transposed(&at->R, d) : d;
    if (s->kind == CAIRN_SHAPE_BOX || s->kind == CAIRN_SHAPE_HULL)
        part_of_polytope(&s->hull, own, out);
    else
        part_of_round(s, own, out);
    for (int i = 0; at != NULL && i < out->count; i++)
        out->point[i] = cairn_place(at, out->point[i]);
}

static cairn_vec3 plane_of(const cairn_polygon *p) {
    cairn_vec3 sum = {0, 0, 0};
    for (int i = 1; i + 1 < p->count; i++)
        sum = cairn_vec3_add(sum, cairn_vec3_cross(cairn_vec3_sub(p->point[i], p->point[0]),
                                                   cairn_vec3_sub(p->point[i + 1], p->point[0])));
    return cairn_vec3_unit(sum);
}

/* q lies on one shape; the other shape's part is the plane through base with normal up. Adds the
 * contact along out->normal. */
static void add_over_plane(cairn_manifold *out, cairn_vec3 q, uint64_t id, bool q_on_b, cairn_vec3 base, cairn_vec3 up,
                           double margin) {
    double gap = cairn_vec3_dot(up, cairn_vec3_sub(q, base)) / cairn_vec3_dot(up, out->normal);
    gap = q_on_b ? gap : -gap;
    if (gap > margin)
        return;
    cairn_vec3 foot = cairn_vec3_add_scaled(q, q_on_b ? -gap : gap, out->normal);
    cairn_manifold_add(out, q_on_b ? foot : q, q_on_b ? q : foot, gap, id);
}

/* A polygon p (of A, or of B when p_of_b) with at least 3 corners; q is cut by its sides. */
static void over_polygon(const cairn_polygon *p, cairn_polygon *q, bool p_of_b, double size, double margin,
                         cairn_manifold *out) {
    cairn_vec3 up = plane_of(p);
    for (int i = 0; i < p->count && q->count > 0; i++) {
        cairn_vec3 u = p->point[i], w = p->point[i + 1 < p->count ? i + 1 : 0];
        cairn_vec3 side = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(w, u), up));
        cairn_polygon_clip(q, side, cairn_vec3_dot(side, u), CAIRN_RIM * size, i);
    }
    cairn_polygon_drop_twins(q, CAIRN_RIM * size);
    cairn_polygon_thin(q, up);
    for (int i = 0; i < q->count; i++)
        add_over_plane(out, q->point[i], q->id[i] ^ (p_of_b ? UINT64_C(1) << 61 : 0), !p_of_b, p->point[0], up, margin);
}

/* Two lines side by side: the ends of the common stretch. */
static void over_line(const cairn_polygon *p, const cairn_polygon *q, double margin, cairn_manifold *out) {
    cairn_vec3 d = cairn_vec3_sub(p->point[1], p->point[0]), e = cairn_vec3_sub(q->point[1], q->point[0]);
    cairn_vec3 t = cairn_vec3_unit(d), n = out->normal;
    double along = cairn_vec3_dot(e, t);
    if (cairn_vec3_length(cairn_vec3_cross(t, cairn_vec3_unit(e))) > EDGE || along == 0.0)
        return;
    double s0 = cairn_vec3_dot(t, cairn_vec3_sub(q->point[0], p->point[0])), s1 = s0 + along;
    double low = fmax(0.0, fmin(s0, s1)), high = fmin(cairn_vec3_dot(d, t), fmax(s0, s1)), s[2] = {low, high};
    for (int i = 0; high > low && i < 2; i++) {
        cairn_vec3 x = cairn_vec3_add_scaled(p->point[0], s[i], t);
        cairn_vec3 y = cairn_vec3_add_scaled(q->point[0], (s[i] - s0) / along, e);
        double gap = cairn_vec3_dot(n, cairn_vec3_sub(y, x));
        if (gap <= margin)
            cairn_manifold_add(out, x, cairn_vec3_add_scaled(x, gap, n), gap, (uint64_t)(40 + i));
    }
}

void cairn_lay_parts(cairn_polygon *a, cairn_polygon *b, double size, double margin, cairn_manifold *out) {
    if (a->count >= 3 && b->count >= 2)
        over_polygon(a, b, false, size, margin, out);
    else if (b->count >= 3 && a->count >= 2)
        over_polygon(b, a, true, size, margin, out);
    else if (a->count == 2 && b->count == 2)
        over_line(a, b, margin, out);
}

/* The exact normal of a face or cap that the computed one comes close to. */
static cairn_vec3 snap(const cairn_shape *s, const cairn_placement *at, cairn_vec3 d) {
    cairn_vec3 own = at != NULL ? cairn_mat3_apply_transposed(&at->R, d) : d, exact = own;
    if (s->kind == CAIRN_SHAPE_CYLINDER || s->kind == CAIRN_SHAPE_CONE) {
        if (1.0 - fabs(own.z) < SNAP)
            exact = cairn_vec3_of(0, 0, own.z > 0.0 ? 1.0 : -1.0);
    } else if (s->kind != CAIRN_SHAPE_CAPSULE) {
        for (int f = 0; f < s->hull.faces; f++)
            if (1.0 - cairn_vec3_dot(own, s->hull.normal[f]) < SNAP)
                exact = s->hull.normal[f];
    }
    return at != NULL ? cairn_mat3_apply(&at->R, exact) : exact;
}

static double largest_side(const cairn_shape *s) {
    cairn_vec3 extent = cairn_vec3_sub(s->local.high, s->local.low);
    return fmax(extent.x, fmax(extent.y, extent.z));
}

/* How far apart the shapes themselves are along n, from A to B; drawn in they have no sharp rims
 * and tips. *level: of A's last point. */
static double gap_along(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, cairn_vec3 n,
                        double *level) {
    cairn_core ca = cairn_core_of(a, NULL), cb = cairn_core_of(b, at);
    int corner;
    *level = cairn_vec3_dot(n, cairn_core_support(&ca, n, &corner)) + ca.radius;
    return cairn_vec3_dot(n, cairn_core_support(&cb, cairn_vec3_scale(-1.0, n), &corner)) - cb.radius - *level;
}

bool cairn_core_gap(const cairn_core *a, const cairn_core *b, cairn_gap *out) {
    cairn_closest near;
    double depth = 0.0;
    cairn_gjk(a, b, &near);
    *out = (cairn_gap){near.normal, near.on_a, near.on_b, near.distance};
    if (near.distance > 0.0)
        return true;
    bool found = cairn_epa(a, b, &near, &out->normal, &depth, &out->on_a, &out->on_b);
    out->gap = -depth;
    return found;
}

/* The normal along which the shapes are farthest apart, or overlap least: that of the shapes
 * drawn in, unless sharp rims and tips, which these do not have, come nearer than they do. Along
 * any direction shapes are at most as far apart as they are, so the larger gap is the better
 * one. False: they are farther apart than the margin. */
static bool find_gap(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double size, double margin,
                     cairn_gap *out) {
    cairn_shape room_a = {.radius = 0.0}, room_b = {.radius = 0.0};
    double ra, rb, level;
    cairn_core ca = {cairn_shape_inset(a, &room_a, &ra), NULL, 0.0}, cb = {cairn_shape_inset(b, &room_b, &rb), at, 0.0};
    double sharp_at_most = INSET * (largest_side(a) + largest_side(b));
    if (!cairn_core_gap(&ca, &cb, out) || out->gap - ra - rb > margin + sharp_at_most)
        return false;
    double gap = gap_along(a, b, at, out->normal, &level);
    if (out->gap - ra - rb > gap + CAIRN_SHARP * size) {
        cairn_gap sharp;
        ca = cairn_core_of(a, NULL);
        cb = cairn_core_of(b, at);
        if (cairn_core_gap(&ca, &cb, &sharp) && gap_along(a, b, at, sharp.normal, &level) > gap - CAIRN_LEVEL * size)
            *out = sharp;
    }
    cairn_vec3 n = snap(a, NULL, out->normal);
    n = cairn_vec3_scale(-1.0, snap(b, at, cairn_vec3_scale(-1.0, n)));
    out->gap = gap_along(a, b, at, n, &level);
    out->on_a = cairn_vec3_add_scaled(out->on_a, level - cairn_vec3_dot(n, out->on_a), n);
    out->on_b = cairn_vec3_add_scaled(out->on_a, out->gap, n);
    out->normal = n;
    return out->gap <= margin;
}

bool cairn_pair_convex(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                       cairn_manifold *out) {
    double size = largest_side(a), least = INFINITY;
    cairn_gap near;
    if (!find_gap(a, b, at, size, margin, &near))
        return false;
    out->normal = near.normal;
    out->count = 0;
    cairn_polygon part_a, part_b;
    cairn_part_along(a, NULL, near.normal, &part_a);
    cairn_part_along(b, at, cairn_vec3_scale(-1.0, near.normal), &part_b);
    cairn_lay_parts(&part_a, &part_b, size, margin, out);
    for (int i = 0; i < out->count; i++)
        least = fmin(least, out->point[i].gap);
    if (least > near.gap + 1e-6 * size) /* the nearest points themselves belong to the contact */
        cairn_manifold_add(out, near.on_a, near.on_b, near.gap, 50);
    return out->count > 0;
}
