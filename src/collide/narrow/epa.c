/*
 * epa.c: penetration of two convex cores by the expanding polytope.
 *
 * A polytope inside the difference A - B that holds the origin grows at its face nearest the origin
 * until the support point there is no farther than the face: |gain| <= 1e-8 of the size. On curved
 * sides it stops after POINTS_MAX points with a depth too small by at most the last gain.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

#define POINTS_MAX    96
#define TRIANGLES_MAX (2 * POINTS_MAX)

typedef struct face {
    int corner[3];
    cairn_vec3 normal;
    double offset;
    bool dead;
} face;

typedef struct polytope {
    int points, faces;
    cairn_vec3 w[POINTS_MAX], a[POINTS_MAX], b[POINTS_MAX];
    face face[TRIANGLES_MAX];
} polytope;

static void add_point(polytope *p, const cairn_core *a, const cairn_core *b, cairn_vec3 d) {
    int corner, k = p->points++;
    p->a[k] = cairn_core_support(a, d, &corner);
    p->b[k] = cairn_core_support(b, cairn_vec3_scale(-1.0, d), &corner);
    p->w[k] = cairn_vec3_sub(p->a[k], p->b[k]);
}

/* False: no room, or no area. */
static bool add_face(polytope *p, int i, int j, int k) {
    int at = 0;
    while (at < p->faces && !p->face[at].dead)
        at++;
    if (at == TRIANGLES_MAX)
        return false;
    cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(p->w[j], p->w[i]), cairn_vec3_sub(p->w[k], p->w[i]));
    double length = cairn_vec3_length(n);
    if (!(length > 0.0))
        return false;
    n = cairn_vec3_scale(1.0 / length, n);
    p->face[at] = (face){{i, j, k}, n, cairn_vec3_dot(n, p->w[i]), false};
    p->faces = at == p->faces ? at + 1 : p->faces;
    return true;
}

/* A tetrahedron from whatever simplex there is: directions across the span of the points so far. */
static bool first_tetrahedron(polytope *p, const cairn_core *a, const cairn_core *b, double eps) {
    static const cairn_vec3 way[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    for (int k = 0; k < 6 && p->points < 2; k++) {
        add_point(p, a, b, way[k]);
        if (p->points == 2 && cairn_vec3_length(cairn_vec3_sub(p->w[1], p->w[0])) <= eps)
            p->points--;
    }
    if (p->points < 2)
        return false;
    cairn_vec3 line = cairn_vec3_unit(cairn_vec3_sub(p->w[1], p->w[0])), t1, t2;
    cairn_vec3_frame(line, &t1, &t2);
    for (int k = 0; k < 4 && p->points < 3; k++) {
        add_point(p, a, b, cairn_vec3_scale(k % 2 ? -1.0 : 1.0, k / 2 ? t2 : t1));
        cairn_vec3 off = cairn_vec3_cross(line, cairn_vec3_sub(p->w[2], p->w[0]));
        if (cairn_vec3_length(off) <= eps)
            p->points--;
    }
    if (p->points < 3)
        return false;
    cairn_vec3 n = cairn_vec3_unit(
        cairn_vec3_cross(cairn_vec3_sub(p->w[1], p->w[0]), cairn_vec3_sub(p->w[2], p->w[0])));
    for (int k = 0; k < 2 && p->points < 4; k++) {
        add_point(p, a, b, cairn_vec3_scale(k ? -1.0 : 1.0, n));
        if (fabs(cairn_vec3_dot(n, cairn_vec3_sub(p->w[3], p->w[0]))) <= eps)
            p->points--;
    }
    if (p->points < 4)
        return false;
    cairn_vec3 e1 = cairn_vec3_sub(p->w[1], p->w[0]), e2 = cairn_vec3_sub(p->w[2], p->w[0]);
    bool up = cairn_vec3_dot(cairn_vec3_cross(e1, e2), cairn_vec3_sub(p->w[3], p->w[0])) > 0.0;
    return up ? add_face(p, 0, 2, 1) && add_face(p, 0, 1, 3) && add_face(p, 1, 2, 3) && add_face(p, 2, 0, 3)
              : add_face(p, 0, 1, 2) && add_face(p, 0, 3, 1) && add_face(p, 1, 3, 2) && add_face(p, 2, 3, 0);
}

static int nearest_face(const polytope *p) {
    int best = -1;
    for (int f = 0; f < p->faces; f++)
        if (!p->face[f].dead && (best < 0 || p->face[f].offset < p->face[best].offset))
            best = f;
    return best;
}

/* Takes the last point into the hull. False: the fan over the horizon could not be made. */
static bool grow(polytope *p) {
    int from[3 * TRIANGLES_MAX], to[3 * TRIANGLES_MAX], edges = 0, last = p->points - 1;
    for (int f = 0; f < p->faces; f++) {
        face *t = &p->face[f];
        if (t->dead || cairn_vec3_dot(t->normal, p->w[last]) - t->offset <= 0.0)
            continue;
        t->dead = true;
        for (int k = 0; k < 3; k++) { /* an edge met in both directions is inside */
            int i = t->corner[k], j = t->corner[(k + 1) % 3], e = 0;
            while (e < edges && !(from[e] == j && to[e] == i))
                e++;
            if (e < edges) {
                edges--;
                from[e] = from[edges];
                to[e] = to[edges];
            } else {
                from[edges] = i;
                to[edges++] = j;
            }
        }
    }
    for (int e = 0; e < edges; e++)
        if (!add_face(p, from[e], to[e], last))
            return false;
    return edges >= 3;
}

/* Weights of the foot of the origin on face f. */
static void foot(const polytope *p, const face *f, cairn_vec3 *on_a, cairn_vec3 *on_b) {
    const int *c = f->corner;
    cairn_vec3 o = cairn_vec3_scale(f->offset, f->normal);
    double part[3], sum = 0.0;
    for (int i = 0; i < 3; i++) {
        cairn_vec3 q = cairn_vec3_sub(p->w[c[(i + 1) % 3]], o), r = cairn_vec3_sub(p->w[c[(i + 2) % 3]], o);
        part[i] = fmax(0.0, cairn_vec3_dot(f->normal, cairn_vec3_cross(q, r)));
        sum += part[i];
    }
    *on_a = *on_b = cairn_vec3_of(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        double weight = sum > 0.0 ? part[i] / sum : 1.0 / 3.0;
        *on_a = cairn_vec3_add_scaled(*on_a, weight, p->a[c[i]]);
        *on_b = cairn_vec3_add_scaled(*on_b, weight, p->b[c[i]]);
    }
}

bool cairn_epa(const cairn_core *a, const cairn_core *b, const cairn_closest *start, cairn_vec3 *normal, double *depth,
               cairn_vec3 *on_a, cairn_vec3 *on_b) {
    polytope p;
    p.points = p.faces = 0;
    double size = 0.0;
    for (int i = 0; i < start->corners; i++) {
        p.a[i] = start->point_a[i];
        p.b[i] = start->point_b[i];
        p.w[i] = cairn_vec3_sub(p.a[i], p.b[i]);
        size = fmax(size, cairn_vec3_length(p.w[i]));
    }
    p.points = start->corners;
    if (!first_tetrahedron(&p, a, b, 1e-10 * size))
        return false;
    int best = nearest_face(&p);
    face found = p.face[best];
    while (p.points < POINTS_MAX) {
        add_point(&p, a, b, found.normal);
        if (cairn_vec3_dot(found.normal, p.w[p.points - 1]) - found.offset <= 1e-8 * size || !grow(&p))
            break;
        best = nearest_face(&p);
        if (best < 0 || p.face[best].offset < found.offset - 1e-8 * size)
            break; /* slivers have spoilt the polytope; the face before was right */
        found = p.face[best];
    }
    *normal = found.normal;
    *depth = fmax(found.offset, 0.0);
    foot(&p, &found, on_a, on_b);
    return true;
}
