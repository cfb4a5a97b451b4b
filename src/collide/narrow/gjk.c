/*
 * gjk.c: distance of two convex cores, after Gilbert, Johnson and Keerthi.
 *
 * The simplex holds points of the difference A - B. Its point nearest the origin is found region by
 * region (corners, edges, faces, inside); corners that carry no weight leave. Ends when a support
 * point brings nothing new: v'v - v'w <= 1e-14 v'v, or the point is in the simplex already, or the
 * distance no longer falls.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

#define MAX_ITERATIONS 128

cairn_core cairn_core_of(const cairn_shape *shape, const cairn_placement *at) {
    bool round = shape->kind == CAIRN_SHAPE_SPHERE || shape->kind == CAIRN_SHAPE_CAPSULE;
    return (cairn_core){.shape = shape, .at = at, .radius = round ? shape->radius : 0.0};
}

static cairn_vec3 support_polytope(const cairn_polytope *p, cairn_vec3 d, int *corner) {
    double best = -INFINITY;
    int at = 0;
    for (int i = 0; i < p->vertices; i++) {
        double value = cairn_vec3_dot(p->vertex[i], d);
        if (value > best) {
            best = value;
            at = i;
        }
    }
    *corner = at;
    return p->vertex[at];
}

/* Own frame. */
static cairn_vec3 support_local(const cairn_shape *s, cairn_vec3 d, int *corner) {
    double flat = sqrt(d.x * d.x + d.y * d.y), cx = flat > 0.0 ? s->radius * d.x / flat : s->radius;
    double cy = flat > 0.0 ? s->radius * d.y / flat : 0.0;
    *corner = -1;
    switch (s->kind) {
    case CAIRN_SHAPE_SPHERE:
        *corner = 0;
        return cairn_vec3_of(0, 0, 0);
    case CAIRN_SHAPE_CAPSULE:
        *corner = d.z >= 0.0;
        return cairn_vec3_of(0, 0, d.z >= 0.0 ? s->half : -s->half);
    case CAIRN_SHAPE_BOX:
        *corner = (d.x >= 0.0 ? 1 : 0) + (d.y >= 0.0 ? 2 : 0) + (d.z >= 0.0 ? 4 : 0);
        return s->hull.vertex[*corner];
    case CAIRN_SHAPE_ELLIPSOID: {
        cairn_vec3 e = s->extent, x = cairn_vec3_unit(cairn_vec3_of(e.x * d.x, e.y * d.y, e.z * d.z));
        return cairn_vec3_of(e.x * x.x, e.y * x.y, e.z * x.z);
    }
    case CAIRN_SHAPE_CYLINDER:
        return cairn_vec3_of(cx, cy, d.z >= 0.0 ? s->local.high.z : s->local.low.z);
    case CAIRN_SHAPE_CONE:
        if (s->local.high.z * d.z >= s->local.low.z * d.z + s->radius * flat)
            return cairn_vec3_of(0, 0, s->local.high.z);
        return cairn_vec3_of(cx, cy, s->local.low.z);
    default:
        return support_polytope(&s->hull, d, corner);
    }
}

cairn_vec3 cairn_core_support(const cairn_core *core, cairn_vec3 d, int *corner) {
    if (core->at == NULL)
        return support_local(core->shape, d, corner);
    return cairn_place(core->at, support_local(core->shape, cairn_mat3_apply_transposed(&core->at->R, d), corner));
}

typedef struct simplex {
    int count;
    cairn_vec3 w[4], a[4], b[4]; /* w = a - b */
    int ia[4], ib[4];
    double weight[4];
} simplex;

static void keep(simplex *s, int count, const int *which, const double *weight) {
    simplex old = *s;
    s->count = count;
    for (int i = 0; i < count; i++) {
        int k = which[i];
        s->w[i] = old.w[k];
        s->a[i] = old.a[k];
        s->b[i] = old.b[k];
        s->ia[i] = old.ia[k];
        s->ib[i] = old.ib[k];
        s->weight[i] = weight[i];
    }
}

/* Weights of the point of segment pq nearest the origin. Returns which corners carry weight: 1
 * p, 2 q, 3 both. */
static int nearest_segment(cairn_vec3 p, cairn_vec3 q, double *weight) {
    cairn_vec3 e = cairn_vec3_sub(q, p);
    double t = -cairn_vec3_dot(p, e), length = cairn_vec3_dot(e, e);
    if (t <= 0.0) {
        weight[0] = 1.0;
        weight[1] = 0.0;
        return 1;
    }
    if (t >= length) {
        weight[0] = 0.0;
        weight[1] = 1.0;
        return 2;
    }
    weight[1] = t / length;
    weight[0] = 1.0 - weight[1];
    return 3;
}

static cairn_vec3 blend(int count, const cairn_vec3 *x, const double *weight) {
    cairn_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = cairn_vec3_add_scaled(sum, weight[i], x[i]);
    return sum;
}

/* Weights of the point of a triangle nearest to the origin; returns the mask of vertices with
 * weight. */
static int nearest_triangle(const cairn_vec3 *p, double *weight) {
    cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(p[1], p[0]), cairn_vec3_sub(p[2], p[0]));
    double part[3], sum = 0.0, best = INFINITY;
    for (int i = 0; i < 3; i++) {
        part[i] = cairn_vec3_dot(n, cairn_vec3_cross(p[(i + 1) % 3], p[(i + 2) % 3]));
        sum += part[i];
    }
    if (sum > 0.0 && part[0] > 0.0 && part[1] > 0.0 && part[2] > 0.0) {
        for (int i = 0; i < 3; i++)
            weight[i] = part[i] / sum;
        return 7;
    }
    int mask = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double w[2];
        int here = nearest_segment(p[i], p[j], w);
        cairn_vec3 x = blend(2, (cairn_vec3[]){p[i], p[j]}, w);
        double square = cairn_vec3_dot(x, x);
        if (square < best) {
            best = square;
            weight[0] = weight[1] = weight[2] = 0.0;
            weight[i] = w[0];
            weight[j] = w[1];
            mask = (here & 1 ? 1 << i : 0) | (here & 2 ? 1 << j : 0);
        }
    }
    return mask;
}

/* Weights of the point of a tetrahedron nearest to the origin; mask 15 means that the origin is
 * inside. */
static int nearest_tetrahedron(const cairn_vec3 *p, double *weight) {
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    double best = INFINITY;
    int mask = 0;
    bool outside = false;
    for (int f = 0; f < 4; f++) {
        cairn_vec3 q[3] = {p[face[f][0]], p[face[f][1]], p[face[f][2]]};
        cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(q[1], q[0]), cairn_vec3_sub(q[2], q[0]));
        double apex = cairn_vec3_dot(n, cairn_vec3_sub(p[face[f][3]], q[0])), origin = -cairn_vec3_dot(n, q[0]);
        if (apex * origin > 0.0)
            continue; /* the origin is on the inner side of this face */
        outside = true;
        double w[3];
        int here = nearest_triangle(q, w);
        cairn_vec3 x = blend(3, q, w);
        double square = cairn_vec3_dot(x, x);
        if (square < best) {
            best = square;
            weight[0] = weight[1] = weight[2] = weight[3] = 0.0;
            mask = 0;
            for (int i = 0; i < 3; i++) {
                weight[face[f][i]] = w[i];
                mask |= here & (1 << i) ? 1 << face[f][i] : 0;
            }
        }
    }
    if (!outside)
        return 15;
    return mask;
}

/* Shrinks the simplex to the corners that carry the point nearest the origin. True: the origin
 * is inside. */
static bool reduce(simplex *s) {
    double weight[4] = {1.0, 0.0, 0.0, 0.0}, kept[4];
    int mask = 1, which[4], count = 0;
    if (s->count == 2)
        mask = nearest_segment(s->w[0], s->w[1], weight);
    else if (s->count == 3)
        mask = nearest_triangle(s->w, weight);
    else if (s->count == 4)
        mask = nearest_tetrahedron(s->w, weight);
    if (mask == 15)
        return true;
    for (int i = 0; i < s->count; i++)
        if (mask & (1 << i)) {
            which[count] = i;
            kept[count++] = weight[i];
        }
    keep(s, count, which, kept);
    return false;
}

static void push(simplex *s, const cairn_core *a, const cairn_core *b, cairn_vec3 d) {
    int k = s->count++;
    s->a[k] = cairn_core_support(a, d, &s->ia[k]);
    s->b[k] = cairn_core_support(b, cairn_vec3_scale(-1.0, d), &s->ib[k]);
    s->w[k] = cairn_vec3_sub(s->a[k], s->b[k]);
    s->weight[k] = 1.0;
}

static bool repeated(const simplex *s) {
    int last = s->count - 1;
    for (int i = 0; i < last; i++)
        if (s->w[i].x == s->w[last].x && s->w[i].y == s->w[last].y && s->w[i].z == s->w[last].z)
            return true;
    return false;
}

static void report(const simplex *s, double distance, cairn_closest *out) {
    out->distance = distance;
    out->corners = s->count;
    for (int i = 0; i < s->count; i++) {
        out->corner_a[i] = s->ia[i];
        out->corner_b[i] = s->ib[i];
        out->point_a[i] = s->a[i];
        out->point_b[i] = s->b[i];
    }
    out->on_a = blend(s->count, s->a, s->weight);
    out->on_b = blend(s->count, s->b, s->weight);
    if (distance > 0.0)
        out->normal = cairn_vec3_unit(cairn_vec3_sub(out->on_b, out->on_a));
}

void cairn_gjk(const cairn_core *a, const cairn_core *b, cairn_closest *out) {
    simplex s = {0}, before;
    cairn_vec3 start = b->at != NULL ? b->at->t : cairn_vec3_of(1, 0, 0);
    push(&s, a, b, start);
    cairn_vec3 v = s.w[0];
    double square = cairn_vec3_dot(v, v), size = square;
    for (int it = 0; it < MAX_ITERATIONS; it++) {
        if (square <= 1e-26 * size) {
            report(&s, 0.0, out);
            return;
        }
        before = s;
        push(&s, a, b, cairn_vec3_scale(-1.0, v));
        cairn_vec3 w = s.w[s.count - 1];
        size = fmax(size, cairn_vec3_dot(w, w));
        if (repeated(&s) || square - cairn_vec3_dot(v, w) <= 1e-14 * square) {
            s = before;
            break;
        }
        if (reduce(&s)) {
            if (cairn_vec3_dot(v, w) > 0.0) { /* the plane across v parts the shapes: a flat tetrahedron misled us */
                s = before;
                break;
            }
            report(&s, 0.0, out);
            return;
        }
        v = blend(s.count, s.w, s.weight);
        double now = cairn_vec3_dot(v, v);
        if (!(now < square)) { /* rounding: no more progress */
            s = before;
            break;
        }
        square = now;
    }
    report(&s, sqrt(square), out);
}
