/*
 * pair_mesh.c: a convex shape A on a mesh.
 *
 * Triangles near A come from the mesh's tree. Each one is met along the direction of largest
 * separation: closest points for spheres, separating axes for boxes and hulls, GJK for the rest.
 * The facet's own normal is preferred within TIE, and a direction at an edge or corner counts only
 * when it is in the surface's normal cone there (mesh_face.c); so inner edges are not felt. Contact
 * along a facet's normal is contact with the plane of its patch: the points that A would have on
 * that plane and that lie over the facet, and where A hangs over the border of the patch, the
 * points of the border. Hence on a flat region, however it is cut into triangles, A has the
 * contacts that it has on a plane.
 */
#include "collide/mesh/mesh_face.h"
#include "collide/broad/box_tree.h"

#include <math.h>

#define CORNERS 8
#define TIE     1e-7 /* of A's size */
#define SLACK   2e-3 /* of A's size: what curved shapes are drawn in by, and more */
#define OVER    1e-9 /* of A's size: how far beside a facet a point may lie */
#define TWIN    1e-7 /* of A's size: nearer points with one normal are one */

/* Contact of a corner of A with an edge or corner of the mesh. */
typedef struct corner_contact {
    cairn_vec3 d, on_mesh;
    double separation;
    uint64_t feature;
} corner_contact;

typedef struct query {
    const cairn_shape *a, *mesh;
    cairn_placement at; /* the mesh in A's frame */
    cairn_vec3 inside;  /* a point of A */
    double size, margin;
    cairn_manifold *out;
    int capacity, found;
    cairn_manifold spill;           /* what there is no room for */
    corner_contact corner[CORNERS]; /* that wait */
    int corners;
    int plane_patch;      /* -1: none yet */
    bool plane_turned;    /* side of the patch */
    cairn_manifold plane; /* A on the plane of that patch */
} query;

static int written(const query *q) {
    return q->found < q->capacity ? q->found : q->capacity;
}

/* Adds a contact along -d with on_mesh on the mesh, unless it is there already. The manifold:
 * one with this normal that has room when shared, else *own, which is opened with the first
 * point. */
static void add_point(query *q, cairn_vec3 d, cairn_vec3 on_mesh, double gap, uint64_t feature, cairn_manifold **own) {
    if (gap > q->margin)
        return;
    cairn_vec3 normal = cairn_vec3_scale(-1.0, d);
    double near = TWIN * q->size;
    cairn_manifold *m = own != NULL ? *own : NULL;
    for (int i = 0; i < written(q); i++) {
        cairn_manifold *o = &q->out[i];
        if (cairn_vec3_dot(o->normal, normal) < 1.0 - 1e-9)
            continue;
        for (int k = 0; k < o->count; k++) {
            cairn_vec3 e = cairn_vec3_sub(o->point[k].on_b, on_mesh);
            if (cairn_vec3_dot(e, e) <= near * near && fabs(o->point[k].gap - gap) <= near)
                return;
        }
        bool same = o->normal.x == normal.x && o->normal.y == normal.y && o->normal.z == normal.z;
        if (own == NULL && m == NULL && same && o->count < CAIRN_MANIFOLD_MAX)
            m = o;
    }
    if (m == NULL || m->count == CAIRN_MANIFOLD_MAX) {
        m = q->found < q->capacity ? &q->out[q->found] : &q->spill;
        q->found++;
        m->normal = normal;
        m->count = 0;
    }
    if (own != NULL)
        *own = m;
    cairn_manifold_add(m, cairn_vec3_add_scaled(on_mesh, gap, d), on_mesh, gap, feature);
}

/* A on the plane of the facet's patch. */
static void load_plane(query *q, const cairn_mesh_face *f) {
    int patch = f->mesh->patch[f->face];
    if (q->plane_patch == patch && q->plane_turned == f->turned)
        return;
    cairn_vec3 s, t;
    cairn_vec3_frame(f->n, &s, &t);
    cairn_placement at = {{{{s.x, t.x, f->n.x}, {s.y, t.y, f->n.y}, {s.z, t.z, f->n.z}}},
                          cairn_vec3_scale(f->level, f->n)};
    cairn_pair_plane(q->a, NULL, &at, q->margin, &q->plane);
    q->plane_patch = patch;
    q->plane_turned = f->turned;
}

/* Points of the patch's border under the part of A that looks at it. */
static void add_border(query *q, const cairn_mesh_face *f) {
    if (q->a->kind == CAIRN_SHAPE_SPHERE)
        return;
    cairn_polygon part;
    cairn_part_along(q->a, NULL, cairn_vec3_scale(-1.0, f->n), &part);
    double eps = OVER * q->size;
    cairn_vec3 side[3];
    for (int k = 0; k < 3; k++)
        side[k] = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(f->p[(k + 1) % 3], f->p[k]), f->n));
    for (int k = 0; k < 3 && part.count > 1; k++)
        cairn_polygon_clip(&part, side[k], cairn_vec3_dot(side[k], f->p[k]), eps, k);
    if (part.count < 2)
        return;
    for (int i = 0; i < part.count; i++) {
        bool border = false;
        for (int k = 0; k < 3; k++)
            border = border || (!cairn_mesh_face_flat(f, k) &&
                                fabs(cairn_vec3_dot(side[k], cairn_vec3_sub(part.point[i], f->p[k]))) <= 2.0 * eps);
        double gap = cairn_vec3_dot(f->n, part.point[i]) - f->level;
        if (border)
            add_point(q, f->n, cairn_vec3_add_scaled(part.point[i], -gap, f->n), gap,
                      cairn_feature_mix(part.id[i], (uint64_t)f->face + 1), NULL);
    }
}

/* Contact along the normal of the facet; points deeper than -deepest are none of its business.
 * Returns the least gap of A's own points over the facet; INFINITY: none is. */
static double meet_face(query *q, const cairn_mesh_face *f, bool border, double deepest) {
    double least = INFINITY;
    load_plane(q, f);
    for (int i = 0; i < q->plane.count; i++) {
        const cairn_contact *c = &q->plane.point[i];
        if (c->gap < -deepest || !cairn_mesh_face_below(f, c->on_b, OVER * q->size))
            continue;
        uint64_t patch = 2 * (uint64_t)q->plane_patch + (f->turned ? 1 : 0);
        add_point(q, f->n, c->on_b, c->gap, cairn_feature_mix(c->feature, patch + (UINT64_C(1) << 40)), NULL);
        least = fmin(least, c->gap);
    }
    if (border)
        add_border(q, f);
    return least;
}

static uint64_t spot_id(const cairn_mesh_face *f, cairn_spot spot) {
    if (spot.edge < 0)
        return (uint64_t)f->v[spot.vertex] + (UINT64_C(1) << 41);
    int p = f->v[spot.edge], r = f->v[(spot.edge + 1) % 3];
    return cairn_feature_mix((uint64_t)(p < r ? p : r), (uint64_t)(p < r ? r : p));
}

/* Contact along d at an edge or corner: the nearest points, and where a flat side or an edge of
 * A lies along an edge of the mesh, the ends of the common stretch. */
static void meet_feature(query *q, const cairn_mesh_face *f, cairn_vec3 d, cairn_spot spot, double separation,
                         cairn_vec3 on_mesh) {
    cairn_manifold room = {.normal = cairn_vec3_scale(-1.0, d)}, *own = NULL;
    uint64_t id = spot_id(f, spot);
    if (q->a->kind != CAIRN_SHAPE_SPHERE && spot.edge >= 0) {
        cairn_polygon part, edge = {.count = 2};
        for (int i = 0; i < 2; i++) {
            edge.point[i] = f->p[(spot.edge + i) % 3];
            edge.id[i] = (uint64_t)f->v[(spot.edge + i) % 3] + 1;
        }
        cairn_part_along(q->a, NULL, room.normal, &part);
        cairn_lay_parts(&part, &edge, q->size, q->margin, &room);
    }
    double least = INFINITY;
    for (int i = 0; i < room.count; i++) {
        const cairn_contact *c = &room.point[i];
        least = fmin(least, c->gap);
        add_point(q, d, c->on_b, c->gap, cairn_feature_mix(id, c->feature), &own);
    }
    if (least > separation + 1e-6 * q->size)
        add_point(q, d, on_mesh, separation, id, &own);
}

static double separation_along(const query *q, cairn_vec3 d, cairn_vec3 on_mesh) {
    cairn_core core = cairn_core_of(q->a, NULL);
    int corner;
    cairn_vec3 lowest = cairn_core_support(&core, cairn_vec3_scale(-1.0, d), &corner);
    return cairn_vec3_dot(d, cairn_vec3_sub(lowest, on_mesh)) - core.radius;
}

/* Largest separation over the cone that the directions span, climbed from the best of them. */
static double climb(const query *q, const cairn_vec3 *c, int count, cairn_vec3 on_mesh, cairn_vec3 *best) {
    double top = -INFINITY;
    for (int i = 0; i < count; i++) {
        double s = separation_along(q, c[i], on_mesh);
        *best = s > top ? c[i] : *best;
        top = fmax(top, s);
    }
    for (double step = 0.5; step > 1e-4; step *= 0.5)
        for (int i = 0; i < count; i++) {
            cairn_vec3 d = cairn_vec3_unit(cairn_vec3_add_scaled(*best, step, cairn_vec3_sub(c[i], *best)));
            double s = separation_along(q, d, on_mesh);
            *best = s > top ? d : *best;
            top = fmax(top, s);
        }
    return top;
}

/* A's corner pokes a little past an edge or corner of the surface: along the facet it would soon
 * be out, but that is no way out of the solid. The best direction between the normals that meet
 * there is. Facets that meet there find several: the best waits until all are known. */
static void meet_corner(query *q, const cairn_mesh_face *f, cairn_spot spot, double separation, cairn_vec3 on_mesh) {
    cairn_vec3 normal[3] = {f->n}, d;
    int count = 1, at = 0;
    for (int k = 0; k < 3; k++) {
        bool here = spot.edge == k || spot.vertex == k || (spot.vertex >= 0 && spot.vertex == (k + 1) % 3);
        int beside = f->mesh->beside[f->edge[k]];
        if (!here || beside < 0)
            continue;
        cairn_vec3 n = cairn_mat3_apply(&f->at->R, f->mesh->patch_normal[f->mesh->patch[beside / 3]]);
        normal[count++] = f->turned ? cairn_vec3_scale(-1.0, n) : n;
    }
    double s = climb(q, normal, count, on_mesh, &d);
    if (s < separation - SLACK * q->size)
        return;
    while (at < q->corners && cairn_vec3_length(cairn_vec3_sub(q->corner[at].on_mesh, on_mesh)) > 2.0 * SLACK * q->size)
        at++;
    if (at == CORNERS || (at < q->corners && q->corner[at].separation >= s))
        return;
    q->corners = at == q->corners ? at + 1 : q->corners;
    q->corner[at] = (corner_contact){d, on_mesh, s, spot_id(f, spot)};
}

/* Corners that wait, where no other contact is known. */
static void add_corners(query *q) {
    for (int i = 0; i < q->corners; i++) {
        const corner_contact *c = &q->corner[i];
        cairn_manifold *own = NULL;
        bool known = false;
        for (int j = 0; j < written(q); j++)
            for (int k = 0; k < q->out[j].count; k++)
                known = known || (q->out[j].point[k].gap < 0.0 &&
                                  cairn_vec3_length(cairn_vec3_sub(q->out[j].point[k].on_b, c->on_mesh)) <=
                                      2.0 * SLACK * q->size);
        if (!known)
            add_point(q, c->d, c->on_mesh, c->separation, c->feature, &own);
    }
}

/* Judges d and adds what is right. */
static void meet_along(query *q, const cairn_mesh_face *f, cairn_vec3 d, double separation, cairn_vec3 on_mesh,
                       double face_separation) {
    cairn_spot spot = cairn_mesh_face_locate(f, on_mesh);
    if (spot.edge < 0 && spot.vertex < 0 && 1.0 - cairn_vec3_dot(d, f->n) > 1e-8)
        spot = cairn_mesh_face_border(f, &on_mesh); /* d is not the normal: only rounding put the point inside */
    cairn_verdict verdict = cairn_mesh_face_judge(f, d, spot, face_separation);
    if (verdict == CAIRN_VERDICT_FEATURE)
        meet_feature(q, f, d, spot, separation, on_mesh);
    else if (verdict == CAIRN_VERDICT_FACE)
        meet_face(q, f, false, INFINITY);
    else if (meet_face(q, f, false, SLACK * q->size - separation) == INFINITY && separation < 0.0)
        meet_corner(q, f, spot, separation, on_mesh);
}

static void meet_sphere(query *q, const cairn_mesh_face *f, double face_separation) {
    cairn_spot spot;
    cairn_vec3 x = cairn_mesh_face_nearest(f, cairn_vec3_of(0, 0, 0), &spot);
    double distance = cairn_vec3_length(x);
    if (distance - q->a->radius > q->margin)
        return;
    if (spot.edge < 0 && spot.vertex < 0)
        meet_face(q, f, false, INFINITY);
    else if (distance > 0.0)
        meet_along(q, f, cairn_vec3_scale(-1.0 / distance, x), distance - q->a->radius, x, face_separation);
}

/* Nearest points of A drawn in and the facet are known; d: from the facet to A, fat: how far
 * they are apart. Where sharp rims and tips of A come nearer, those of A itself take their
 * place. */
static void sharpen(const query *q, const cairn_core *plate, double fat, cairn_vec3 *d, double *separation,
                    cairn_vec3 *on_mesh) {
    cairn_gap sharp;
    cairn_core a = cairn_core_of(q->a, NULL);
    if (!(fat > *separation + CAIRN_SHARP * q->size) || !cairn_core_gap(&a, plate, &sharp))
        return;
    cairn_vec3 away = cairn_vec3_scale(-1.0, sharp.normal);
    double s = separation_along(q, away, sharp.on_b);
    if (!(s > *separation - CAIRN_LEVEL * q->size))
        return;
    *d = away;
    *on_mesh = sharp.on_b;
    *separation = s;
}

/* Distance of A from the facet. False: too far, or they overlap and there is no way out but the
 * facet's normal. d: from the facet to A. */
static bool nearest_points(query *q, const cairn_mesh_face *f, cairn_vec3 *d, double *separation, cairn_vec3 *on_mesh,
                           bool *overlap) {
    cairn_shape room = {.radius = 0.0}, plate = {.kind = CAIRN_SHAPE_HULL};
    plate.hull.vertices = 3;
    plate.hull.vertex = f->p;
    double radius;
    cairn_core a = {cairn_shape_inset(q->a, &room, &radius), NULL, 0.0}, b = {&plate, NULL, 0.0};
    cairn_closest near;
    cairn_gjk(&a, &b, &near);
    *overlap = near.distance == 0.0;
    bool curved = q->a->kind == CAIRN_SHAPE_CYLINDER || q->a->kind == CAIRN_SHAPE_CONE ||
                  q->a->kind == CAIRN_SHAPE_ELLIPSOID;
    double depth = 0.0;
    cairn_vec3 on_a;
    if (near.distance - radius > q->margin + SLACK * q->size)
        return false;
    if (*overlap && (!curved || !cairn_epa(&a, &b, &near, &near.normal, &depth, &on_a, &near.on_b)))
        return false;
    *on_mesh = near.on_b;
    *d = cairn_vec3_scale(-1.0, near.normal);
    *separation = separation_along(q, *d, *on_mesh); /* not drawn in: rims and tips are sharp again */
    if (curved)
        sharpen(q, &b, near.distance - depth - radius, d, separation, on_mesh);
    return *separation <= q->margin;
}

/* Capsule, cylinder, cone; polytopes of which no face or edge lies over the facet. */
static void meet_nearest(query *q, const cairn_mesh_face *f, double face_separation, bool face_tried) {
    cairn_vec3 d, on_mesh;
    double separation;
    bool overlap;
    if (!nearest_points(q, f, &d, &separation, &on_mesh, &overlap)) {
        if (overlap && !face_tried)
            meet_face(q, f, true, INFINITY);
        return;
    }
    if (!face_tried && separation <= face_separation + TIE * q->size &&
        meet_face(q, f, true, INFINITY) <= face_separation + TIE * q->size)
        return;
    meet_along(q, f, d, separation, on_mesh, face_separation);
}

/* A face of A looks at the facet: which part of the facet lies under it, and what of that is
 * nearest. False: nothing, or not what of the whole facet is nearest. */
static bool under_face(query *q, const cairn_mesh_face *f, const cairn_mesh_face_axis *x, double face_separation) {
    const cairn_polytope *a = &q->a->hull;
    cairn_polygon part = {.count = 3};
    for (int k = 0; k < 3; k++) {
        part.point[k] = f->p[k];
        part.id[k] = (uint64_t)f->v[k] + 1;
    }
    cairn_polygon_clip_to_face(&part, a, x->face, NULL, a->normal[x->face], q->size);
    if (part.count == 0)
        return false;
    double least = INFINITY, level = a->offset[x->face], eps = 1e-6 * f->length;
    for (int i = 0; i < part.count; i++)
        least = fmin(least, cairn_vec3_dot(a->normal[x->face], part.point[i]) - level);
    cairn_spot spot = {-1, -1};
    int top = 0, first = -1;
    for (int i = 0; i < part.count; i++)
        if (cairn_vec3_dot(a->normal[x->face], part.point[i]) - level <= least + eps) {
            first = first < 0 ? i : first;
            top++;
        }
    if (top == 1)
        spot = cairn_mesh_face_locate(f, part.point[first]);
    for (int k = 0; k < 3 && top > 1; k++) {
        cairn_vec3 e = cairn_vec3_unit(cairn_vec3_sub(f->p[(k + 1) % 3], f->p[k]));
        bool all = true;
        for (int i = 0; i < part.count && all; i++)
            all = cairn_vec3_dot(a->normal[x->face], part.point[i]) - level > least + eps ||
                  cairn_vec3_length(cairn_vec3_cross(e, cairn_vec3_sub(part.point[i], f->p[k]))) <= 2.0 * eps;
        spot.edge = all && spot.edge < 0 ? k : spot.edge;
    }
    cairn_verdict verdict = cairn_mesh_face_judge(f, x->d, spot, face_separation);
    if (verdict == CAIRN_VERDICT_FEATURE)
        meet_feature(q, f, x->d, spot, least, part.point[first]);
    else if (verdict == CAIRN_VERDICT_FACE)
        meet_face(q, f, false, INFINITY);
    else if (meet_face(q, f, false, SLACK * q->size - least) == INFINITY && least < 0.0)
        meet_corner(q, f, spot, least, part.point[first]);
    return least <= x->separation + TIE * q->size;
}

/* Nearest points of an edge of A and one of the facet. False: they lie beyond the ends. */
static bool between_edges(query *q, const cairn_mesh_face *f, const cairn_mesh_face_axis *x, double face_separation) {
    const int *edge = q->a->hull.edge + 4 * x->edge_a;
    cairn_vec3 p = q->a->hull.vertex[edge[0]], d = cairn_vec3_sub(q->a->hull.vertex[edge[1]], p);
    cairn_vec3 o = f->p[x->edge], e = cairn_vec3_sub(f->p[(x->edge + 1) % 3], o), r = cairn_vec3_sub(o, p);
    double dd = cairn_vec3_dot(d, d), de = cairn_vec3_dot(d, e), ee = cairn_vec3_dot(e, e);
    double rd = cairn_vec3_dot(r, d), re = cairn_vec3_dot(r, e), det = dd * ee - de * de;
    double s = (rd * ee - re * de) / det, t = (rd * de - re * dd) / det;
    if (fmin(s, t) < -1e-9 || fmax(s, t) > 1.0 + 1e-9)
        return false;
    meet_along(q, f, x->d, x->separation, cairn_vec3_add_scaled(o, t, e), face_separation);
    return true;
}

static void meet_polytope(query *q, const cairn_mesh_face *f, double face_separation) {
    double tie = TIE * q->size;
    cairn_mesh_face_axis x = cairn_mesh_face_best_axis(&q->a->hull, f, q->margin, tie);
    if (x.separation > q->margin)
        return;
    if (x.separation <= face_separation + tie) {
        if (meet_face(q, f, true, INFINITY) <= face_separation + tie)
            return; /* else A's lowest point hangs over the border */
    } else if (x.face >= 0 ? under_face(q, f, &x, face_separation) : between_edges(q, f, &x, face_separation)) {
        return;
    }
    meet_nearest(q, f, face_separation, true);
}

static void meet_facet(query *q, int face) {
    cairn_mesh_face f;
    int corner;
    if (!cairn_mesh_face_set(&f, &q->mesh->mesh, &q->at, face, q->inside))
        return;
    cairn_core core = cairn_core_of(q->a, NULL);
    cairn_vec3 lowest = cairn_core_support(&core, cairn_vec3_scale(-1.0, f.n), &corner);
    double separation = cairn_vec3_dot(f.n, lowest) - core.radius - f.level;
    if (separation > q->margin)
        return;
    if (cairn_mesh_face_flat(&f, 0) && cairn_mesh_face_flat(&f, 1) && cairn_mesh_face_flat(&f, 2))
        meet_face(q, &f, false, INFINITY); /* whatever is at its corners, other facets there see it */
    else if (q->a->kind == CAIRN_SHAPE_SPHERE)
        meet_sphere(q, &f, separation);
    else if (q->a->kind == CAIRN_SHAPE_BOX || q->a->kind == CAIRN_SHAPE_HULL)
        meet_polytope(q, &f, separation);
    else
        meet_nearest(q, &f, separation, false);
}

/* Points by their names, so that their order does not depend on that of the triangles. */
static void sort_points(cairn_manifold *m) {
    for (int i = 1; i < m->count; i++) {
        cairn_contact c = m->point[i];
        int at = i;
        for (; at > 0 && m->point[at - 1].feature > c.feature; at--)
            m->point[at] = m->point[at - 1];
        m->point[at] = c;
    }
}

int cairn_pair_mesh(const cairn_shape *a, const cairn_shape *mesh, cairn_pose mesh_in_a, double margin,
                    cairn_manifold *out, int capacity) {
    cairn_vec3 extent = cairn_vec3_sub(a->local.high, a->local.low);
    query q = {.a = a,
               .mesh = mesh,
               .at = {cairn_quat_matrix(mesh_in_a.rotation), mesh_in_a.position},
               .size = fmax(extent.x, fmax(extent.y, extent.z)),
               .margin = margin,
               .out = out,
               .capacity = capacity,
               .plane_patch = -1};
    for (int i = 0; a->kind == CAIRN_SHAPE_HULL && i < a->hull.vertices; i++)
        q.inside = cairn_vec3_add_scaled(q.inside, 1.0 / a->hull.vertices, a->hull.vertex[i]);
    cairn_bounds box = cairn_shape_bounds(a, cairn_pose_relative(mesh_in_a, cairn_pose_identity()));
    double reach = margin + OVER * q.size;
    box = (cairn_bounds){{box.low.x - reach, box.low.y - reach, box.low.z - reach},
                         {box.high.x + reach, box.high.y + reach, box.high.z + reach}};
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    stack[top++] = (cairn_box_tree_range){0, 0, mesh->mesh.faces};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&mesh->mesh.node[r.node], &box))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++)
            meet_facet(&q, mesh->mesh.order[l]);
    }
    add_corners(&q);
    for (int i = 0; i < written(&q); i++)
        sort_points(&out[i]);
    return q.found;
}
