/*
 * mesh_face.c: triangles of a mesh as A sees them, and which directions of contact are real.
 *
 * A triangle alone would be hit at its edges although the surface goes on there. At an edge or
 * corner only directions d of the surface's normal cone count: d'x <= 0 for every edge x that
 * leaves it. Where the neighbour that breaks this lies in the plane of the facet or rises above it,
 * the facet can only be touched along its own normal; where it falls away, the neighbour itself is
 * touched.
 */
#include "collide/mesh/mesh_face.h"

#include <math.h>

#define CONE     1e-7  /* sine by which a direction may leave a normal cone */
#define BEND     1e-4  /* sine below which two triangles count as level */
#define SKEW     1e-3  /* sine by which a direction at an edge may lean along it */
#define SPOT     1e-6  /* of the longest edge: nearer points lie on an edge or corner */
#define SAME     1e-12 /* 1 - cosine: a direction that is the facet's own normal */
#define PARALLEL 1e-6

bool cairn_mesh_face_set(cairn_mesh_face *f, const cairn_mesh *mesh, const cairn_placement *at, int face,
                         cairn_vec3 inside) {
    int patch = mesh->patch[face];
    f->mesh = mesh;
    f->at = at;
    f->face = face;
    f->n = cairn_mat3_apply(&at->R, mesh->patch_normal[patch]);
    f->level = mesh->patch_level[patch] + cairn_vec3_dot(f->n, at->t);
    f->turned = cairn_vec3_dot(f->n, inside) < f->level;
    if (f->turned && mesh->closed)
        return false;
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        f->v[k] = mesh->face[3 * face + (f->turned ? (3 - k) % 3 : k)];
        f->p[k] = cairn_place(at, mesh->point[f->v[k]]);
        f->edge[k] = 3 * face + (f->turned ? 2 - k : k);
    }
    for (int k = 0; k < 3; k++) {
        cairn_vec3 e = cairn_vec3_sub(f->p[(k + 1) % 3], f->p[k]);
        longest = fmax(longest, cairn_vec3_dot(e, e));
    }
    f->length = sqrt(longest);
    if (f->turned) {
        f->n = cairn_vec3_scale(-1.0, f->n);
        f->level = -f->level;
    }
    return true;
}

bool cairn_mesh_face_below(const cairn_mesh_face *f, cairn_vec3 x, double eps) {
    for (int k = 0; k < 3; k++) {
        cairn_vec3 side = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(f->p[(k + 1) % 3], f->p[k]), f->n));
        if (cairn_vec3_dot(side, cairn_vec3_sub(x, f->p[k])) > eps)
            return false;
    }
    return true;
}

cairn_spot cairn_mesh_face_locate(const cairn_mesh_face *f, cairn_vec3 x) {
    double eps = SPOT * f->length;
    for (int k = 0; k < 3; k++)
        if (cairn_vec3_length(cairn_vec3_sub(x, f->p[k])) <= eps)
            return (cairn_spot){-1, k};
    for (int k = 0; k < 3; k++) {
        cairn_vec3 e = cairn_vec3_unit(cairn_vec3_sub(f->p[(k + 1) % 3], f->p[k]));
        if (cairn_vec3_length(cairn_vec3_cross(e, cairn_vec3_sub(x, f->p[k]))) <= eps)
            return (cairn_spot){k, -1};
    }
    return (cairn_spot){-1, -1};
}

cairn_spot cairn_mesh_face_border(const cairn_mesh_face *f, cairn_vec3 *x) {
    double least = INFINITY;
    int edge = 0;
    for (int k = 0; k < 3; k++) {
        cairn_vec3 e = cairn_vec3_unit(cairn_vec3_sub(f->p[(k + 1) % 3], f->p[k])), r = cairn_vec3_sub(*x, f->p[k]);
        double distance = cairn_vec3_length(cairn_vec3_cross(e, r));
        edge = distance < least ? k : edge;
        least = fmin(least, distance);
    }
    cairn_vec3 e = cairn_vec3_unit(cairn_vec3_sub(f->p[(edge + 1) % 3], f->p[edge]));
    *x = cairn_vec3_add_scaled(f->p[edge], cairn_vec3_dot(e, cairn_vec3_sub(*x, f->p[edge])), e);
    return cairn_mesh_face_locate(f, *x);
}

cairn_vec3 cairn_mesh_face_nearest(const cairn_mesh_face *f, cairn_vec3 x, cairn_spot *spot) {
    cairn_vec3 best = f->p[0];
    double least = INFINITY;
    bool inside = true;
    *spot = (cairn_spot){-1, -1};
    for (int k = 0; k < 3; k++) {
        cairn_vec3 p = f->p[k], e = cairn_vec3_sub(f->p[(k + 1) % 3], p), r = cairn_vec3_sub(x, p);
        inside = inside && cairn_vec3_dot(cairn_vec3_cross(e, f->n), r) <= 0.0;
        double s = cairn_vec3_dot(r, e) / cairn_vec3_dot(e, e);
        s = s > 0.0 ? (s < 1.0 ? s : 1.0) : 0.0;
        cairn_vec3 q = cairn_vec3_add_scaled(p, s, e), d = cairn_vec3_sub(x, q);
        double square = cairn_vec3_dot(d, d);
        if (square < least) {
            least = square;
            best = q;
        }
    }
    if (inside)
        return cairn_vec3_add_scaled(x, f->level - cairn_vec3_dot(f->n, x), f->n);
    *spot = cairn_mesh_face_locate(f, best);
    return best;
}

/* The edge that leaves corner k most steeply along d; *sine: how steeply. */
static cairn_vec3 steepest(const cairn_mesh_face *f, int k, cairn_vec3 d, double *sine) {
    const cairn_mesh *m = f->mesh;
    cairn_vec3 worst = {0, 0, 0};
    *sine = -INFINITY;
    for (int i = m->ring_start[f->v[k]]; i < m->ring_start[f->v[k] + 1]; i++) {
        cairn_vec3 x = cairn_vec3_sub(cairn_place(f->at, m->point[m->ring[i]]), f->p[k]);
        double length = cairn_vec3_length(x), s = length > 0.0 ? cairn_vec3_dot(d, x) / length : -INFINITY;
        if (s > *sine) {
            *sine = s;
            worst = x;
        }
    }
    return worst;
}

/* Of the other faces along edge k the one that leaves it most steeply along d, from corner k to
 * the corner across; *sine: how steeply. One that is level with the facet or rises above it
 * comes before all that fall away. */
static cairn_vec3 across(const cairn_mesh_face *f, int k, cairn_vec3 d, double *sine) {
    const cairn_mesh *m = f->mesh;
    cairn_vec3 worst = {0, 0, 0};
    bool rises = false;
    *sine = -INFINITY;
    for (int o = m->beside[f->edge[k]]; o != f->edge[k]; o = m->beside[o]) {
        cairn_vec3 x = cairn_vec3_sub(cairn_place(f->at, m->point[m->face[o % 3 == 0 ? o + 2 : o - 1]]), f->p[k]);
        double length = cairn_vec3_length(x), s = cairn_vec3_dot(d, x) / length;
        bool up = cairn_vec3_dot(f->n, x) >= -BEND * length;
        if (up == rises ? s > *sine : up) {
            rises = up;
            *sine = s;
            worst = x;
        }
    }
    return worst;
}

/* Does no edge that leaves corner k rise above the facet? */
static bool is_summit(const cairn_mesh_face *f, int k) {
    double sine;
    cairn_vec3 x = steepest(f, k, f->n, &sine);
    return cairn_vec3_dot(f->n, x) <= BEND * cairn_vec3_length(x);
}

cairn_verdict cairn_mesh_face_judge(const cairn_mesh_face *f, cairn_vec3 d, cairn_spot spot, double face_separation) {
    const cairn_mesh *m = f->mesh;
    double along = cairn_vec3_dot(d, f->n), sine;
    if (1.0 - along < SAME || (spot.edge < 0 && spot.vertex < 0) ||
        (spot.edge >= 0 && cairn_mesh_face_flat(f, spot.edge)) ||
        (spot.vertex >= 0 && m->ring_start[f->v[spot.vertex]] == m->ring_start[f->v[spot.vertex] + 1]))
        return CAIRN_VERDICT_FACE;
    bool behind = along < -1e-9; /* at a sharp edge, where the facet that looks along d may not be asked */
    if (behind && !m->closed)
        return CAIRN_VERDICT_NONE;
    if (spot.edge >= 0) {
        cairn_vec3 e = cairn_vec3_sub(f->p[(spot.edge + 1) % 3], f->p[spot.edge]);
        if (fabs(cairn_vec3_dot(d, e)) > SKEW * cairn_vec3_length(e))
            return CAIRN_VERDICT_NONE;
        if (m->beside[f->edge[spot.edge]] < 0)
            return CAIRN_VERDICT_FEATURE; /* a rim */
    }
    cairn_vec3 x = spot.edge >= 0 ? across(f, spot.edge, d, &sine) : steepest(f, spot.vertex, d, &sine);
    bool level = cairn_vec3_dot(f->n, x) >= -BEND * cairn_vec3_length(x);
    if (behind) {
        bool convex = spot.edge >= 0 ? !level : is_summit(f, spot.vertex);
        return sine <= CONE && convex ? CAIRN_VERDICT_FEATURE : CAIRN_VERDICT_NONE;
    }
    if (spot.edge >= 0 && level)
        return CAIRN_VERDICT_FACE; /* or a valley */
    if (sine <= CONE)
        return along > 1e-9 || spot.edge >= 0 ? CAIRN_VERDICT_FEATURE : CAIRN_VERDICT_NONE;
    return level || face_separation >= 0.0 ? CAIRN_VERDICT_FACE : CAIRN_VERDICT_NONE;
}

/* Does -d lie in the normal cone of edge e of A? Both faces at the edge must fall away. */
static bool edge_looks(const cairn_polytope *a, const int *edge, cairn_vec3 e, cairn_vec3 d) {
    for (int side = 0; side < 2; side++) {
        cairn_vec3 n = a->normal[edge[2 + side]], other = a->normal[edge[3 - side]], t = cairn_vec3_cross(n, e);
        double sign = cairn_vec3_dot(t, other) > 0.0 ? -1.0 : 1.0; /* t points from the edge into its face */
        if (sign * cairn_vec3_dot(d, t) < -1e-9 * cairn_vec3_length(t))
            return false;
    }
    return true;
}

cairn_mesh_face_axis cairn_mesh_face_best_axis(const cairn_polytope *a, const cairn_mesh_face *f, double limit,
                                               double tie) {
    cairn_mesh_face_axis best = {.separation = -INFINITY, .face = -1};
    for (int i = 0; i < a->faces && best.separation <= limit; i++) {
        cairn_vec3 n = a->normal[i];
        double s = fmin(cairn_vec3_dot(n, f->p[0]), fmin(cairn_vec3_dot(n, f->p[1]), cairn_vec3_dot(n, f->p[2]))) -
                   a->offset[i];
        if (s > best.separation)
            best = (cairn_mesh_face_axis){.d = cairn_vec3_scale(-1.0, n), .separation = s, .face = i};
    }
    double bar = best.separation + tie;
    for (int k = 0; k < 3 && best.separation <= limit; k++) {
        cairn_vec3 p = f->p[k], t = cairn_vec3_sub(f->p[(k + 1) % 3], p), w = cairn_vec3_sub(f->p[(k + 2) % 3], p);
        for (int j = 0; j < a->edges; j++) {
            const int *edge = a->edge + 4 * j;
            cairn_vec3 e = cairn_vec3_sub(a->vertex[edge[1]], a->vertex[edge[0]]), d = cairn_vec3_cross(t, e);
            double length = cairn_vec3_length(d);
            if (length <= PARALLEL * cairn_vec3_length(t) * cairn_vec3_length(e))
                continue;
            d = cairn_vec3_scale((cairn_vec3_dot(d, w) > 0.0 ? -1.0 : 1.0) / length, d);
            double s = cairn_vec3_dot(d, cairn_vec3_sub(a->vertex[edge[0]], p));
            if (s > bar && edge_looks(a, edge, e, d)) {
                best = (cairn_mesh_face_axis){.d = d, .separation = s, .face = -1, .edge_a = j, .edge = k};
                bar = s;
            }
        }
    }
    return best;
}
