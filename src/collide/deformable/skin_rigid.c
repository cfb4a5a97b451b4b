/*
 * skin_rigid.c: contacts of a deforming skin with a rigid shape.
 *
 *     nodes of the skin against the shape: a ball of radius 0 through the pair functions of rigid
 *         shapes; a plane needs nothing else
 *     corners of boxes, hulls and meshes against the skin's faces
 *     edges of boxes, hulls and meshes against those of the skin: skin_edge.c
 *     round shapes: the nearest point of every face near them, where it lies inside the face or on
 *         an edge; of a straight side or a flat end the corners of what it shares with the face
 *
 * Each is one point with the normal of the nearest feature, and is left out where the surfaces do
 * not look at each other. Nodes outside the faces of a box or hull count only when they are near:
 * see skin.c.
 */
#include "collide/narrow/narrowphase.h"
#include "collide/deformable/skin.h"

#include <math.h>

#define LOOKS      0.1
#define LOOKS_WELL 0.5
#define NEAR       0.1
#define DEEP       2.0  /* edges of the skin: what lies deeper behind a face is not its business */
#define LONGER     0.1  /* edges of the skin: how much longer the way out through a face that a node looks at may be */
#define FLAT       0.98 /* cosine: a side of a round shape lies on a face */
#define POINTS     4    /* of a mesh that one node may touch */

typedef struct query {
    const cairn_skin *skin;
    const cairn_shape *shape; /* convex, plane or mesh */
    cairn_pose pose;
    cairn_bounds box; /* of the shape, fattened by the margin */
    double margin, thickness;
    uint64_t part; /* of a compound */
    cairn_skin_contacts *list;
} query;

static bool holds(const cairn_bounds *b, cairn_vec3 p) {
    return p.x >= b->low.x && p.x <= b->high.x && p.y >= b->low.y && p.y <= b->high.y && p.z >= b->low.z &&
           p.z <= b->high.z;
}

static cairn_bounds fatten(cairn_bounds b, double m) {
    return (cairn_bounds){{b.low.x - m, b.low.y - m, b.low.z - m}, {b.high.x + m, b.high.y + m, b.high.z + m}};
}

static void add(const query *q, cairn_vec3 on_skin, cairn_vec3 on_shape, cairn_vec3 normal, double gap,
                uint64_t feature, cairn_spread spread, bool blind) {
    if (gap - q->thickness > q->margin)
        return;
    cairn_skin_contact c = {.on_a = on_skin,
                            .on_b = on_shape,
                            .normal = normal,
                            .gap = gap - q->thickness,
                            .feature = feature,
                            .a = spread,
                            .blind = blind};
    cairn_skin_contacts_add(q->list, &c);
}

static cairn_spread of_face(const cairn_skin *s, int f, const double *weight) {
    cairn_spread w = {0};
    for (int k = 0; k < 3; k++)
        if (weight[k] != 0.0) {
            w.vector[w.count] = s->face[3 * f + k];
            w.weight[w.count++] = weight[k];
        }
    return w;
}

static void meet_plane(const query *q) {
    const cairn_skin *s = q->skin;
    cairn_vec3 n = cairn_quat_rotate(q->pose.rotation, cairn_vec3_of(0, 0, 1)), down = cairn_vec3_scale(-1.0, n);
    for (int i = 0; i < s->nodes; i++) {
        cairn_vec3 p = s->x[s->node[i]];
        double gap = cairn_vec3_dot(n, cairn_vec3_sub(p, q->pose.position));
        if (gap - q->thickness > q->margin)
            continue;
        cairn_lookout look = cairn_skin_lookout(s, i);
        bool blind = gap > q->thickness && cairn_lookout_along(&look, down) < LOOKS;
        cairn_spread spread = {.count = 1, .vector = {s->node[i]}, .weight = {1.0}};
        add(q, p, cairn_vec3_add_scaled(p, -gap, n), down, gap,
            cairn_feature_name(CAIRN_FEATURE_NODE, q->part, (uint64_t)i, 0), spread, blind);
    }
}

/* Is the normal (from the node to the shape, world) that of a face? True for shapes without
 * faces. */
static bool along_face(const query *q, cairn_vec3 normal) {
    if (q->shape->kind != CAIRN_SHAPE_BOX && q->shape->kind != CAIRN_SHAPE_HULL)
        return true;
    cairn_vec3 n = cairn_quat_rotate(cairn_quat_conjugate(q->pose.rotation), cairn_vec3_scale(-1.0, normal));
    for (int f = 0; f < q->shape->hull.faces; f++)
        if (cairn_vec3_dot(n, q->shape->hull.normal[f]) > 1.0 - 1e-9)
            return true;
    return false;
}

/* Out of a box or hull through the nearest face that the node looks at; through the nearest of
 * all where that is a much longer way, as of a node that is crushed. */
static void way_out(const query *q, const cairn_lookout *look, cairn_vec3 p, cairn_vec3 *normal, cairn_contact *c) {
    const cairn_polytope *hull = &q->shape->hull;
    cairn_vec3 local = cairn_pose_apply_inverse(q->pose, p), way[2] = {{0, 0, 0}, {0, 0, 0}};
    double best[2] = {-INFINITY, -INFINITY}; /* of all, of those that it looks at */
    for (int f = 0; f < hull->faces; f++) {
        cairn_vec3 n = cairn_quat_rotate(q->pose.rotation, hull->normal[f]);
        double gap = cairn_vec3_dot(hull->normal[f], local) - hull->offset[f];
        bool looks = cairn_lookout_along(look, cairn_vec3_scale(-1.0, n)) >= LOOKS;
        for (int k = 0; k < 1 + looks; k++)
            if (gap > best[k]) {
                best[k] = gap;
                way[k] = n;
            }
    }
    int k = best[1] >= best[0] - LONGER * q->skin->length ? 1 : 0;
    *normal = cairn_vec3_scale(-1.0, way[k]);
    c->gap = best[k];
    c->on_b = cairn_vec3_add_scaled(p, -best[k], way[k]);
}

static void meet_node(const query *q, int i) {
    const cairn_skin *s = q->skin;
    cairn_vec3 p = s->x[s->node[i]];
    cairn_shape ball = {.kind = CAIRN_SHAPE_SPHERE};
    cairn_manifold found[POINTS];
    cairn_pose at = {p, cairn_quat_identity()};
    int count = cairn_collide(&ball, at, q->shape, q->pose, q->margin + q->thickness, found, POINTS);
    cairn_lookout look = {0};
    if (count > 0)
        look = cairn_skin_lookout(s, i);
    for (int m = 0; m < count && m < POINTS; m++) {
        cairn_contact *c = &found[m].point[0];
        cairn_vec3 n = found[m].normal;
        bool polytope = q->shape->kind == CAIRN_SHAPE_BOX || q->shape->kind == CAIRN_SHAPE_HULL;
        if (c->gap <= 0.0 && polytope)
            way_out(q, &look, p, &n, c);
        bool flat = along_face(q, n);
        if (c->gap > 0.0 && !flat && c->gap > NEAR * s->length)
            continue;
        bool blind = c->gap > 0.0 && cairn_lookout_along(&look, n) < (flat ? LOOKS : LOOKS_WELL);
        if (blind && !flat)
            continue;
        cairn_spread spread = {.count = 1, .vector = {s->node[i]}, .weight = {1.0}};
        add(q, p, c->on_b, n, c->gap, cairn_feature_name(CAIRN_FEATURE_NODE, q->part, (uint64_t)i, (uint64_t)m), spread,
            blind);
    }
}

/* Normals of the shape's faces around corner v, world. */
static cairn_lookout shape_lookout(const query *q, int v) {
    const cairn_polytope *hull = &q->shape->hull;
    cairn_lookout look = {0};
    for (int e = 0; e < hull->edges; e++)
        if (hull->edge[4 * e] == v || hull->edge[4 * e + 1] == v)
            for (int k = 2; k < 4 && look.count < 24; k++)
                look.normal[look.count++] = cairn_quat_rotate(q->pose.rotation, hull->normal[hull->edge[4 * e + k]]);
    return look;
}

static void meet_corner(const query *q, const cairn_bounds *near, int v, cairn_vec3 local) {
    cairn_vec3 p = cairn_pose_apply(q->pose, local), n;
    cairn_skin_spot spot;
    double gap;
    bool blind;
    if (!holds(near, p))
        return;
    cairn_lookout look = {0};
    if (q->shape->kind != CAIRN_SHAPE_MESH)
        look = shape_lookout(q, v);
    if (!cairn_skin_meet_point(q->skin, p, &look, q->margin + q->thickness, &spot, &n, &gap, &blind) ||
        spot.corner >= 0)
        return;
    add(q, spot.point, p, n, gap, cairn_feature_name(CAIRN_FEATURE_VERTEX, q->part, (uint64_t)v, 0),
        of_face(q->skin, spot.face, spot.weight), blind);
}

static void meet_corners(const query *q) {
    if (q->skin->faces == 0)
        return;
    cairn_bounds near = fatten(q->skin->face_tree[0], q->margin + q->thickness);
    bool mesh = q->shape->kind == CAIRN_SHAPE_MESH;
    int count = mesh ? q->shape->mesh.points : q->shape->hull.vertices;
    const cairn_vec3 *vertex = mesh ? q->shape->mesh.point : q->shape->hull.vertex;
    for (int v = 0; v < count; v++)
        meet_corner(q, &near, v, vertex[v]);
}

/* Another face that is nearer, by more than eps, where face f ends: then what is nearest on f is
 * not nearest on the skin. */
static bool covered(const cairn_skin *s, int f, const double *weight, cairn_vec3 point, cairn_vec3 d, double eps) {
    for (int k = 0; k < 3; k++) {
        if (weight[(k + 2) % 3] > 1e-9)
            continue;
        int e = s->beside[3 * f + k], g = s->edge_face[2 * e] == f ? s->edge_face[2 * e + 1] : s->edge_face[2 * e];
        if (g < 0)
            continue;
        if (g < f)
            return true; /* an edge belongs to the first of its faces */
        for (int c = 0; c < 3; c++)
            if (cairn_vec3_dot(cairn_vec3_sub(s->x[s->face[3 * g + c]], point), d) > eps)
                return true;
    }
    return false;
}

/* Weights of a point of face f. */
static void weights_at(const cairn_skin *s, int f, cairn_vec3 p, double *w) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        cairn_vec3 u = s->x[s->face[3 * f + (k + 1) % 3]], v = s->x[s->face[3 * f + (k + 2) % 3]];
        w[k] = cairn_vec3_dot(s->normal[f], cairn_vec3_cross(cairn_vec3_sub(u, p), cairn_vec3_sub(v, p)));
        sum += w[k];
    }
    for (int k = 0; k < 3; k++)
        w[k] = sum > 0.0 ? w[k] / sum : 0.0;
}

/* One point of face f, in the world, where a round shape lies over it along d. eps: see covered. */
static void add_on_face(const query *q, int f, cairn_vec3 on_skin, cairn_vec3 d, double gap, double eps, uint64_t id) {
    const cairn_skin *s = q->skin;
    double w[3];
    int inner = 0;
    weights_at(s, f, on_skin, w);
    for (int k = 0; k < 3; k++) {
        if (w[k] < -1e-6)
            return;
        w[k] = fmax(0.0, w[k]);
        inner += w[k] > 1e-3;
    }
    if (inner < 2 || cairn_vec3_dot(d, s->normal[f]) < LOOKS || covered(s, f, w, on_skin, d, eps))
        return; /* a node sees it, or another face */
    add(q, on_skin, cairn_vec3_add_scaled(on_skin, gap, d), d, gap,
        cairn_feature_name(CAIRN_FEATURE_FACE, q->part, (uint64_t)f, id), of_face(s, f, w), false);
}

/* A straight side or a flat end of the shape lies over face f: the corners of what they share.
 * False: it does not. corner, d: in the shape's frame. */
static bool meet_side(const query *q, int f, const cairn_vec3 corner[3], cairn_vec3 d) {
    cairn_polygon side, face = {.count = 3};
    cairn_manifold found = {.normal = d};
    cairn_part_along(q->shape, NULL, cairn_vec3_scale(-1.0, d), &side);
    if (side.count < 2)
        return false;
    for (int k = 0; k < 3; k++) {
        face.point[k] = corner[k];
        face.id[k] = (uint64_t)k + 1;
    }
    cairn_lay_parts(&face, &side, q->skin->length, q->margin + q->thickness, &found);
    for (int i = 0; i < found.count; i++)
        add_on_face(q, f, cairn_pose_apply(q->pose, found.point[i].on_a), cairn_quat_rotate(q->pose.rotation, d),
                    found.point[i].gap, INFINITY, found.point[i].feature & 0xffffff);
    return found.count > 0;
}

/* The nearest point of face f to a round shape, in the shape's frame; where the shape's core
 * reaches through the face, its deepest point. */
static void meet_round_face(const query *q, int f) {
    const cairn_skin *s = q->skin;
    cairn_vec3 corner[3], n = cairn_quat_rotate(cairn_quat_conjugate(q->pose.rotation), s->normal[f]);
    for (int k = 0; k < 3; k++)
        corner[k] = cairn_pose_apply_inverse(q->pose, s->x[s->face[3 * f + k]]);
    cairn_shape plate = {.kind = CAIRN_SHAPE_HULL};
    plate.hull.vertices = 3;
    plate.hull.vertex = corner;
    cairn_core a = {&plate, NULL, 0.0}, b = cairn_core_of(q->shape, NULL);
    cairn_closest near;
    cairn_gjk(&a, &b, &near);
    cairn_vec3 d = near.normal, on_skin = near.on_a;
    double gap = near.distance - b.radius;
    if (near.distance == 0.0) {
        int ignored;
        cairn_vec3 deepest = cairn_core_support(&b, cairn_vec3_scale(-1.0, n), &ignored);
        gap = cairn_vec3_dot(n, cairn_vec3_sub(deepest, corner[0]));
        on_skin = cairn_vec3_add_scaled(deepest, -gap, n);
        gap -= b.radius;
        d = n;
        if (gap < -DEEP * s->length)
            return; /* it lies behind a face that was turned over */
    }
    if (gap - q->thickness > q->margin || (cairn_vec3_dot(d, n) > FLAT && meet_side(q, f, corner, d)))
        return;
    add_on_face(q, f, cairn_pose_apply(q->pose, on_skin), cairn_quat_rotate(q->pose.rotation, d), gap, 1e-9 * s->length,
                0);
}

static void meet_round(const query *q) {
    const cairn_skin *s = q->skin;
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    if (s->faces > 0)
        stack[top++] = (cairn_box_tree_range){0, 0, s->faces};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&s->face_tree[r.node], &q->box))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++)
            if (cairn_bounds_touch(&s->face_box[s->face_order[l]], &q->box))
                meet_round_face(q, s->face_order[l]);
    }
}

static void meet_piece(const query *q) {
    if (q->shape->kind == CAIRN_SHAPE_PLANE) {
        meet_plane(q);
        return;
    }
    for (int i = 0; i < q->skin->nodes; i++)
        if (holds(&q->box, q->skin->x[q->skin->node[i]]))
            meet_node(q, i);
    bool flat = q->shape->kind == CAIRN_SHAPE_BOX || q->shape->kind == CAIRN_SHAPE_HULL;
    if (flat || q->shape->kind == CAIRN_SHAPE_MESH) {
        meet_corners(q);
        cairn_skin_meet_edges(q->skin, q->shape, q->pose, q->margin, q->thickness, q->part, q->list);
    } else {
        meet_round(q);
    }
}

void cairn_skin_meet_shape(const cairn_skin *skin, const cairn_shape *shape, cairn_pose pose, double margin,
                           double thickness, cairn_skin_contacts *list) {
    bool many = shape->kind == CAIRN_SHAPE_COMPOUND;
    for (int i = 0; i < (many ? shape->children : 1); i++) {
        query q = {.skin = skin,
                   .shape = many ? shape->child[i] : shape,
                   .pose = many ? cairn_pose_multiply(pose, shape->pose[i]) : pose,
                   .margin = margin,
                   .thickness = thickness,
                   .part = (uint64_t)i,
                   .list = list};
        q.box = fatten(cairn_shape_bounds(q.shape, q.pose), margin + thickness);
        meet_piece(&q);
    }
}
