/*
 * pair_polytopes.c: contact of boxes and hulls.
 *
 * Separating axes: the normals of both polytopes and the cross products of edges that meet on the
 * Gauss map. The axis of largest separation wins; a face is preferred to a pair of edges, and A's
 * face to B's, unless the other is better by TIE of the size, so that rounding does not flip the
 * normal of a contact at rest. Two boxes have code of their own for axes and faces (box_axes.c). A
 * face: the other's most opposed face is cut by its sides. Edges: one contact between their nearest
 * points, and those of two faces that all but lie on each other. When polytopes are apart and
 * nothing of one lies over the other's face, the nearest points (GJK) make the contact.
 */
#include "collide/narrow/polytope_axes.h"

#include <math.h>

#define TIE    1e-7
#define FACING 0.98 /* cosine between the normals of an edge pair and of a face that all but touches */
#define CLOSE  0.02 /* of the size: points that are one */

static double least_along(const cairn_shape *s, cairn_vec3 d) {
    if (s->kind == CAIRN_SHAPE_BOX)
        return -(fabs(d.x) * s->extent.x + fabs(d.y) * s->extent.y + fabs(d.z) * s->extent.z);
    double least = INFINITY;
    for (int i = 0; i < s->hull.vertices; i++)
        least = fmin(least, cairn_vec3_dot(d, s->hull.vertex[i]));
    return least;
}

/* Best face of p against q; q lies at (R, t) in p's frame, or, when inverse, p lies at (R, t) in
 * q's. Stops at a separation above limit. */
static cairn_axis best_face(const cairn_shape *p, const cairn_shape *q, const cairn_placement *at, bool inverse,
                            double limit) {
    cairn_axis best = {.separation = -INFINITY, .face = -1};
    for (int f = 0; f < p->hull.faces && best.separation <= limit; f++) {
        cairn_vec3 n = p->hull.normal[f];
        cairn_vec3 d = inverse ? cairn_mat3_apply(&at->R, n) : cairn_mat3_apply_transposed(&at->R, n);
        double shift = inverse ? -cairn_vec3_dot(d, at->t) : cairn_vec3_dot(n, at->t);
        double separation = least_along(q, d) + shift - p->hull.offset[f];
        if (separation > best.separation) {
            best.separation = separation;
            best.face = f;
            best.normal = inverse ? cairn_vec3_scale(-1.0, d) : n;
        }
    }
    return best;
}

/* Do the arcs (a, b) of one edge and (c, d) of another, both on the unit sphere, cross? c and d
 * are already negated. */
static bool arcs_cross(cairn_vec3 a, cairn_vec3 b, cairn_vec3 c, cairn_vec3 d) {
    cairn_vec3 ba = cairn_vec3_cross(b, a), dc = cairn_vec3_cross(d, c);
    double cba = cairn_vec3_dot(c, ba), dba = cairn_vec3_dot(d, ba);
    double adc = cairn_vec3_dot(a, dc), bdc = cairn_vec3_dot(b, dc);
    return cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
}

/* Best pair of edges of two polytopes. */
static cairn_axis best_edges(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at) {
    cairn_axis best = {.separation = -INFINITY, .face = -1};
    const cairn_polytope *p = &a->hull, *q = &b->hull;
    cairn_vec3 middle = cairn_vec3_scale(0.5, cairn_vec3_add(a->local.low, a->local.high));
    for (int j = 0; j < q->edges; j++) {
        const int *eq = q->edge + 4 * j;
        cairn_vec3 b0 = cairn_place(at, q->vertex[eq[0]]);
        cairn_vec3 db = cairn_vec3_sub(cairn_place(at, q->vertex[eq[1]]), b0);
        cairn_vec3 c = cairn_vec3_scale(-1.0, cairn_mat3_apply(&at->R, q->normal[eq[2]]));
        cairn_vec3 d = cairn_vec3_scale(-1.0, cairn_mat3_apply(&at->R, q->normal[eq[3]]));
        for (int i = 0; i < p->edges; i++) {
            const int *ep = p->edge + 4 * i;
            if (!arcs_cross(p->normal[ep[2]], p->normal[ep[3]], c, d))
                continue;
            cairn_vec3 a0 = p->vertex[ep[0]], da = cairn_vec3_sub(p->vertex[ep[1]], a0), n = cairn_vec3_cross(da, db);
            double length = cairn_vec3_length(n);
            if (length <= CAIRN_EDGES_PARALLEL * sqrt(cairn_vec3_dot(da, da) * cairn_vec3_dot(db, db)))
                continue;
            n = cairn_vec3_scale(1.0 / length, n);
            if (cairn_vec3_dot(n, cairn_vec3_sub(a0, middle)) < 0.0)
                n = cairn_vec3_scale(-1.0, n);
            double separation = cairn_vec3_dot(n, cairn_vec3_sub(b0, a0));
            if (separation > best.separation)
                best = (cairn_axis){.separation = separation, .normal = n, .face = -1, .edge_a = i, .edge_b = j};
        }
    }
    return best;
}

/* Face of p most opposed to the direction d, in p's frame. */
static int opposed_face(const cairn_polytope *p, cairn_vec3 d) {
    int best = 0;
    double least = INFINITY;
    for (int f = 0; f < p->faces; f++) {
        double value = cairn_vec3_dot(p->normal[f], d);
        if (value < least) {
            least = value;
            best = f;
        }
    }
    return best;
}

static void load_face(const cairn_polytope *p, int face, const cairn_placement *at, cairn_polygon *out) {
    out->count = 0;
    for (int i = p->face_start[face]; i < p->face_start[face + 1]; i++) {
        cairn_vec3 x = p->vertex[p->face_vertex[i]];
        out->point[out->count] = at != NULL ? cairn_place(at, x) : x;
        out->id[out->count++] = (uint64_t)p->face_vertex[i] + 1;
    }
}

/* Does a point lie over face f of a polytope, whose normal is n? A polygon is large: only the
 * point's place in it is set. */
static bool lies_over(cairn_vec3 at_point, const cairn_shape *face, int f, const cairn_placement *at, cairn_vec3 n,
                      double size) {
    if (face->kind == CAIRN_SHAPE_BOX && at == NULL)
        return cairn_box_over(face, f, at_point, CAIRN_RIM * size);
    if (face->kind == CAIRN_SHAPE_BOX)
        return cairn_box_over(face, f, cairn_mat3_apply_transposed(&at->R, cairn_vec3_sub(at_point, at->t)),
                              CAIRN_RIM * size);
    cairn_polygon point;
    point.count = 1;
    point.point[0] = at_point;
    point.id[0] = 0;
    cairn_polygon_clip_to_face(&point, &face->hull, f, at, n, size);
    return point.count == 1;
}

/* The lowest corner of a polytope over the face of the other one may belong to none of the
 * polygon's corners, when it is tilted: it is added when it lies over the face. deep: that
 * corner, base: of its name. */
static void add_lowest(const cairn_shape *face, int f, const cairn_placement *at, cairn_vec3 n, double offset,
                       cairn_vec3 deep, bool of_b, double margin, double size, uint64_t base, cairn_manifold *out) {
    double gap = cairn_vec3_dot(n, deep) - offset;
    for (int i = 0; i < out->count; i++)
        if (out->point[i].gap <= gap + TIE * size)
            return; /* it, or one as low, is there */
    if (gap > margin || !lies_over(deep, face, f, at, n, size))
        return;
    cairn_vec3 foot = cairn_vec3_add_scaled(deep, -gap, n);
    cairn_contact c = {
        .on_a = of_b ? deep : foot, .on_b = of_b ? foot : deep, .gap = gap, .feature = base ^ UINT64_C(0xFFFFF)};
    if (out->count == CAIRN_MANIFOLD_MAX)
        out->count--;
    out->point[out->count++] = c;
}

/* Manifold of a face contact; of_b: the face belongs to B. n: the face's normal, outward. */
static void face_manifold(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *x,
                          bool of_b, double margin, double size, cairn_manifold *out) {
    uint64_t base = ((uint64_t)(of_b ? 2 : 1) << 62) ^ ((uint64_t)x->face << 40);
    if (a->kind == CAIRN_SHAPE_BOX && b->kind == CAIRN_SHAPE_BOX) {
        cairn_boxes_face(a, b, at, x, of_b, margin, size, base, out);
        return;
    }
    cairn_polygon polygon;
    cairn_vec3 n = of_b ? cairn_vec3_scale(-1.0, x->normal) : x->normal;
    const cairn_polytope *face = of_b ? &b->hull : &a->hull;
    int other;
    if (of_b) {
        other = opposed_face(&a->hull, n);
        load_face(&a->hull, other, NULL, &polygon);
    } else {
        other = opposed_face(&b->hull, cairn_mat3_apply_transposed(&at->R, n));
        load_face(&b->hull, other, at, &polygon);
    }
    cairn_polygon_clip_to_face(&polygon, face, x->face, of_b ? at : NULL, n, size);
    cairn_polygon_thin(&polygon, n);
    double offset = face->offset[x->face] + (of_b ? cairn_vec3_dot(n, at->t) : 0.0);
    for (int i = 0; i < polygon.count; i++) {
        cairn_vec3 q = polygon.point[i];
        double gap = cairn_vec3_dot(n, q) - offset;
        if (gap > margin)
            continue;
        cairn_vec3 foot = cairn_vec3_add_scaled(q, -gap, n);
        cairn_manifold_add(out, of_b ? q : foot, of_b ? foot : q, gap, base ^ polygon.id[i]);
    }
    cairn_core other_core = cairn_core_of(of_b ? a : b, of_b ? NULL : at);
    int corner;
    cairn_vec3 deep = cairn_core_support(&other_core, cairn_vec3_scale(-1.0, n), &corner);
    add_lowest(of_b ? b : a, x->face, of_b ? at : NULL, n, offset, deep, of_b, margin, size, base, out);
}

/* Nearest points of two lines p + s d, q + t e. False: they lie beyond the ends of the edges. */
static bool edge_manifold(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *x,
                          cairn_manifold *out) {
    const int *ea = a->hull.edge + 4 * x->edge_a, *eb = b->hull.edge + 4 * x->edge_b;
    cairn_vec3 p = a->hull.vertex[ea[0]], d = cairn_vec3_sub(a->hull.vertex[ea[1]], p);
    cairn_vec3 q = cairn_place(at, b->hull.vertex[eb[0]]);
    cairn_vec3 e = cairn_vec3_sub(cairn_place(at, b->hull.vertex[eb[1]]), q), r = cairn_vec3_sub(q, p);
    double dd = cairn_vec3_dot(d, d), de = cairn_vec3_dot(d, e), ee = cairn_vec3_dot(e, e);
    double rd = cairn_vec3_dot(r, d), re = cairn_vec3_dot(r, e), det = dd * ee - de * de;
    double s = (rd * ee - re * de) / det, t = (rd * de - re * dd) / det;
    if (fmin(s, t) < -1e-9 || fmax(s, t) > 1.0 + 1e-9)
        return false;
    cairn_vec3 on_a = cairn_vec3_add_scaled(p, s, d), on_b = cairn_vec3_add_scaled(q, t, e);
    double gap = cairn_vec3_dot(x->normal, cairn_vec3_sub(on_b, on_a));
    cairn_vec3 middle = cairn_vec3_scale(0.5, cairn_vec3_add(on_a, on_b));
    cairn_manifold_add(out, cairn_vec3_add_scaled(middle, -0.5 * gap, x->normal),
                       cairn_vec3_add_scaled(middle, 0.5 * gap, x->normal), gap,
                       UINT64_C(3) << 62 ^ (uint64_t)x->edge_a << 24 ^ (uint64_t)x->edge_b);
    return true;
}

/* A point q of one body over the face of the other, whose normal is n (outward) and which holds
 * the point foot: its place on the face along d, with slope = n'd. Points at the rim are moved
 * towards `inside` by twice the error that d causes, so that both ends are on their bodies.
 * Returns the gap along d. */
static double slide_down(cairn_vec3 n, cairn_vec3 d, cairn_vec3 inside, cairn_vec3 *q, cairn_vec3 *foot) {
    double slope = cairn_vec3_dot(n, d), gap = cairn_vec3_dot(n, cairn_vec3_sub(*q, *foot));
    cairn_vec3 way = cairn_vec3_sub(inside, *q);
    double astray = 2.0 * fabs(gap) * sqrt(fmax(0.0, 1.0 - slope * slope)) / slope, length = cairn_vec3_length(way);
    if (length > 0.0)
        *q = cairn_vec3_add_scaled(*q, fmin(0.5, astray / length), way);
    gap = cairn_vec3_dot(n, cairn_vec3_sub(*q, *foot)) / slope;
    *foot = cairn_vec3_add_scaled(*q, -gap, d);
    return gap;
}

/* Edges that cross while two faces all but lie on each other: a small turn brings corners down.
 * Points of the best face's manifold join, along the edges' normal, none nearer than the edges
 * are. */
static void add_facing(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *edges,
                       const cairn_axis *face, bool of_b, double margin, double size, cairn_manifold *out) {
    if (!(cairn_vec3_dot(edges->normal, face->normal) > FACING))
        return;
    double side = of_b ? -1.0 : 1.0;
    cairn_vec3 twice = cairn_vec3_add(out->point[0].on_a, out->point[0].on_b), n = cairn_vec3_scale(side, face->normal),
               inside = {0, 0, 0};
    cairn_manifold flat;
    flat.count = 0;
    face_manifold(a, b, at, face, of_b, margin, size, &flat);
    for (int i = 0; i < flat.count; i++)
        inside = cairn_vec3_add_scaled(inside, 1.0 / flat.count, of_b ? flat.point[i].on_a : flat.point[i].on_b);
    for (int i = 0; i < flat.count && out->count < CAIRN_MANIFOLD_MAX; i++) {
        const cairn_contact *p = &flat.point[i];
        cairn_vec3 q = of_b ? p->on_a : p->on_b, foot = of_b ? p->on_b : p->on_a;
        double gap = slide_down(n, cairn_vec3_scale(side, edges->normal), inside, &q, &foot);
        if (gap > edges->separation && gap <= margin &&
            lies_over(foot, of_b ? b : a, face->face, of_b ? at : NULL, n, size) &&
            cairn_vec3_length(cairn_vec3_sub(cairn_vec3_add(q, foot), twice)) > 2.0 * CLOSE * size)
            cairn_manifold_add(out, of_b ? q : foot, of_b ? foot : q, gap, p->feature);
    }
}

/* Nothing of one lies above a face of the other. Apart: nearest points. Overlapping: B's deepest
 * corner along the best axis. */
static bool nearest_points(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *x,
                           double margin, cairn_manifold *out) {
    cairn_core ca = cairn_core_of(a, NULL), cb = cairn_core_of(b, at);
    cairn_closest near;
    cairn_gjk(&ca, &cb, &near);
    if (near.distance > margin)
        return false;
    uint64_t id = 5;
    if (near.distance == 0.0) {
        int corner;
        cairn_vec3 deep = cairn_core_support(&cb, cairn_vec3_scale(-1.0, x->normal), &corner);
        out->normal = x->normal;
        cairn_manifold_add(out, cairn_vec3_add_scaled(deep, -x->separation, x->normal), deep, x->separation,
                           id + (uint64_t)corner);
        return true;
    }
    out->normal = near.normal;
    for (int i = 0; i < near.corners; i++)
        id += ((uint64_t)near.corner_a[i] << 20 ^ (uint64_t)near.corner_b[i]) * UINT64_C(0x9E3779B97F4A7C15);
    cairn_manifold_add(out, near.on_a, near.on_b, near.distance, id);
    return true;
}

/* Replaces the manifold, whose least gap is given, by the nearest points when they are nearer by
 * a tenth. */
static bool nearer_points(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *x,
                          double least, cairn_manifold *out) {
    cairn_manifold nearest;
    nearest.count = 0;
    if (nearest_points(a, b, at, x, 0.9 * least, &nearest) && nearest.point[0].gap > 0.0)
        *out = nearest;
    return true;
}

static double reach(const cairn_shape *s) {
    cairn_vec3 d = cairn_vec3_sub(s->local.high, s->local.low);
    return fmax(d.x, fmax(d.y, d.z));
}

/* Best face of A, best face of B, best pair of edges. False: one of them separates by more than
 * margin. */
static bool find_axes(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                      cairn_axis *of_a, cairn_axis *of_b, cairn_axis *edges) {
    if (a->kind == CAIRN_SHAPE_BOX && b->kind == CAIRN_SHAPE_BOX)
        return cairn_boxes_axes(a, b, at, margin, of_a, of_b, edges);
    *of_a = best_face(a, b, at, false, margin);
    if (of_a->separation > margin)
        return false;
    *of_b = best_face(b, a, at, true, margin);
    if (of_b->separation > margin)
        return false;
    *edges = best_edges(a, b, at);
    return !(edges->separation > margin);
}

bool cairn_pair_polytopes(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                          cairn_manifold *out) {
    cairn_axis of_a, of_b, edges;
    if (!find_axes(a, b, at, margin, &of_a, &of_b, &edges))
        return false;
    double size = fmin(reach(a), reach(b));
    double tie = TIE * size;
    bool use_b = of_b.separation > of_a.separation + tie;
    const cairn_axis *face = use_b ? &of_b : &of_a;
    out->count = 0;
    if (edges.separation > face->separation + tie) {
        out->normal = edges.normal;
        if (edge_manifold(a, b, at, &edges, out)) {
            add_facing(a, b, at, &edges, face, use_b, margin, size, out);
            return true;
        }
        face = &edges;
    } else {
        out->normal = face->normal;
        face_manifold(a, b, at, face, use_b, margin, size, out);
        double least = INFINITY;
        for (int i = 0; i < out->count; i++)
            least = fmin(least, out->point[i].gap);
        if (out->count > 0 && (least <= 0.0 || least <= face->separation + 1e-3 * size))
            return true;
        if (out->count > 0) /* the nearest part does not lie over the face: it may still be hit first */
            return nearer_points(a, b, at, face, least, out);
    }
    return nearest_points(a, b, at, face, margin, out);
}
