/*
 * pair_capsule_polytope.c: a capsule on a box or hull, in the polytope's frame.
 *
 * The axis of the capsule is the segment p0 p1. Where a face is nearest (its height over the face
 * is the distance of the cores), the segment is cut by the sides of the face and both ends that are
 * left are contacts; else the nearest points make one contact. A segment that enters the polytope
 * leaves along the face or the cross product of edges with the largest separation.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

typedef struct query {
    const cairn_polytope *p;
    cairn_vec3 end[2]; /* of the capsule's axis, polytope's frame */
    double radius, margin;
    const cairn_placement *at;
    cairn_manifold *out;
} query;

/* Contact with outward normal n of the polytope; x: point of the axis, height: its distance over
 * the polytope along n. */
static void add(const query *q, cairn_vec3 x, cairn_vec3 n, double height, uint64_t feature) {
    double gap = height - q->radius;
    if (gap > q->margin)
        return;
    cairn_vec3 on_a = cairn_place(q->at, cairn_vec3_add_scaled(x, -q->radius, n));
    cairn_vec3 on_b = cairn_place(q->at, cairn_vec3_add_scaled(x, -height, n));
    cairn_manifold_add(q->out, on_a, on_b, gap, feature);
}

static void set_normal(const query *q, cairn_vec3 n) {
    q->out->normal = cairn_vec3_scale(-1.0, cairn_mat3_apply(&q->at->R, n));
    q->out->count = 0;
}

/* The part of the axis over face f. */
static bool over_face(const query *q, int f) {
    const cairn_polytope *p = q->p;
    cairn_vec3 n = p->normal[f], d = cairn_vec3_sub(q->end[1], q->end[0]);
    int begin = p->face_start[f], end = p->face_start[f + 1];
    double low = 0.0, high = 1.0, eps = 1e-9 * cairn_vec3_length(d);
    for (int i = begin; i < end; i++) {
        cairn_vec3 u = p->vertex[p->face_vertex[i]], w = p->vertex[p->face_vertex[i + 1 < end ? i + 1 : begin]];
        cairn_vec3 side = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(w, u), n));
        double h0 = cairn_vec3_dot(side, cairn_vec3_sub(q->end[0], u)), slope = cairn_vec3_dot(side, d);
        if (h0 > eps && h0 + slope > eps)
            return false;
        if (h0 > eps)
            low = fmax(low, -h0 / slope);
        else if (h0 + slope > eps)
            high = fmin(high, -h0 / slope);
    }
    if (low > high)
        return false;
    set_normal(q, n);
    double s[2] = {low, high};
    for (int i = 0; i < (high > low ? 2 : 1); i++) {
        cairn_vec3 x = cairn_vec3_add_scaled(q->end[0], s[i], d);
        add(q, x, n, cairn_vec3_dot(n, x) - p->offset[f], (uint64_t)(2 * f + i + 8));
    }
    return q->out->count > 0;
}

/* Overlapping cores: the best cross product of the axis with an edge. Returns its separation;
 * *n: outward. */
static double best_cross(const query *q, cairn_vec3 *normal, cairn_vec3 *point) {
    cairn_vec3 d = cairn_vec3_sub(q->end[1], q->end[0]);
    double best = -INFINITY, length = cairn_vec3_length(d);
    for (int e = 0; e < q->p->edges; e++) {
        const int *edge = q->p->edge + 4 * e;
        cairn_vec3 u = q->p->vertex[edge[0]], w = cairn_vec3_sub(q->p->vertex[edge[1]], u);
        cairn_vec3 n = cairn_vec3_cross(d, w);
        double size = cairn_vec3_length(n);
        if (size <= 1e-6 * length * cairn_vec3_length(w))
            continue;
        n = cairn_vec3_scale(1.0 / size, n);
        if (cairn_vec3_dot(n, cairn_vec3_add(q->p->normal[edge[2]], q->p->normal[edge[3]])) < 0.0)
            n = cairn_vec3_scale(-1.0, n);
        bool extreme = true; /* the edge must be the farthest part of the polytope along n */
        double level = cairn_vec3_dot(n, u);
        for (int i = 0; i < q->p->vertices && extreme; i++)
            extreme = cairn_vec3_dot(n, q->p->vertex[i]) <= level + 1e-9 * length;
        double separation = cairn_vec3_dot(n, q->end[0]) - level;
        if (extreme && separation > best) {
            cairn_vec3 r = cairn_vec3_sub(u, q->end[0]); /* point of the axis nearest to the edge's line */
            double dd = length * length, dw = cairn_vec3_dot(d, w), ww = cairn_vec3_dot(w, w);
            double s = (cairn_vec3_dot(r, d) * ww - cairn_vec3_dot(r, w) * dw) / (dd * ww - dw * dw);
            best = separation;
            *normal = n;
            *point = cairn_vec3_add_scaled(q->end[0], fmin(1.0, fmax(0.0, s)), d);
        }
    }
    return best;
}

bool cairn_pair_capsule_polytope(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                                 cairn_manifold *out) {
    query q = {.p = &b->hull, .radius = a->radius, .margin = margin, .at = at, .out = out};
    for (int i = 0; i < 2; i++)
        q.end[i] = cairn_mat3_apply_transposed(&at->R,
                                               cairn_vec3_sub(cairn_vec3_of(0, 0, i == 0 ? -a->half : a->half), at->t));
    double height = -INFINITY;
    int face = 0;
    out->count = 0;
    for (int f = 0; f < q.p->faces; f++) {
        double h = fmin(cairn_vec3_dot(q.p->normal[f], q.end[0]), cairn_vec3_dot(q.p->normal[f], q.end[1])) -
                   q.p->offset[f];
        if (h > height) {
            height = h;
            face = f;
        }
    }
    if (height > margin + a->radius)
        return false;
    cairn_core ca = cairn_core_of(a, NULL), cb = cairn_core_of(b, at);
    cairn_closest near;
    cairn_gjk(&ca, &cb, &near);
    if (near.distance > margin + a->radius)
        return false;
    if (near.distance > 0.0) {
        if (near.distance <= (1.0 + 1e-9) * height && over_face(&q, face))
            return true;
        cairn_vec3 n = cairn_mat3_apply_transposed(&at->R, cairn_vec3_scale(-1.0, near.normal));
        cairn_vec3 x = cairn_mat3_apply_transposed(&at->R, cairn_vec3_sub(near.on_a, at->t));
        set_normal(&q, n);
        add(&q, x, n, near.distance, 1);
        return out->count > 0;
    }
    cairn_vec3 n = {0, 0, 1}, x = {0, 0, 0};
    double cross = best_cross(&q, &n, &x);
    if (cross > height + 1e-9 * a->half) {
        set_normal(&q, n);
        add(&q, x, n, cross, 2);
        return out->count > 0;
    }
    if (over_face(&q, face))
        return true;
    int deep = cairn_vec3_dot(q.p->normal[face], q.end[0]) < cairn_vec3_dot(q.p->normal[face], q.end[1]) ? 0 : 1;
    set_normal(&q, q.p->normal[face]);
    add(&q, q.end[deep], q.p->normal[face], height, (uint64_t)(3 + deep));
    return out->count > 0;
}
