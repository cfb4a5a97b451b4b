/*
 * skin_edge.c: edges of rigid boxes, hulls and meshes against those edges of a deforming skin that
 * are no hollows: a ridge presses between nodes.
 *
 * Of a mesh only edges count that stand out: bent outwards by more than FLAT, and rims, where a
 * surface ends. A rim has both sides of its triangle, each turned a little to where the surface
 * ends, so that the directions between them are those that lead away from it. A surface that is not
 * closed has two sides: what is a hollow on one stands out on the other.
 */
#include "collide/shape/shape.h"
#include "collide/deformable/skin.h"

#include <math.h>

#define FLAT 0.996 /* cosine between triangles: bent by less than 5 degrees */
#define RIM  0.1   /* sine: how far the sides of a rim are turned outwards */

typedef struct query {
    const cairn_skin *skin;
    const cairn_shape *shape;
    cairn_pose pose;
    double margin, thickness;
    uint64_t part;
    cairn_skin_contacts *list;
} query;

static cairn_bounds fatten(cairn_bounds b, double m) {
    return (cairn_bounds){{b.low.x - m, b.low.y - m, b.low.z - m}, {b.high.x + m, b.high.y + m, b.high.z + m}};
}

/* Edge e of the skin against one of the shape. */
static void meet_pair(const query *q, int e, uint64_t index, const cairn_sharp *own) {
    const cairn_skin *s = q->skin;
    cairn_sharp sharp;
    cairn_vec3 d;
    double at, other, gap;
    if (!cairn_skin_sharp(s, e, true, &sharp) || !cairn_sharp_cross(&sharp, own, &at, &other, &d, &gap) ||
        gap < -CAIRN_CROSSED * s->length || gap - q->thickness > q->margin)
        return;
    cairn_vec3 p = cairn_vec3_add_scaled(sharp.from, at, cairn_vec3_sub(sharp.to, sharp.from));
    cairn_skin_contact c = {
        .on_a = p,
        .on_b = cairn_vec3_add_scaled(p, gap, d),
        .normal = d,
        .gap = gap - q->thickness,
        .feature = cairn_feature_name(CAIRN_FEATURE_EDGES, q->part, (uint64_t)e, index),
        .a = {.count = 2, .vector = {s->edge[2 * e], s->edge[2 * e + 1]}, .weight = {1.0 - at, at}}};
    cairn_skin_contacts_add(q->list, &c);
}

/* Edge `index` of the shape, in the world, against those of the skin. */
static void meet_edge(const query *q, uint64_t index, const cairn_sharp *own) {
    const cairn_skin *s = q->skin;
    cairn_bounds box = {{fmin(own->from.x, own->to.x), fmin(own->from.y, own->to.y), fmin(own->from.z, own->to.z)},
                        {fmax(own->from.x, own->to.x), fmax(own->from.y, own->to.y), fmax(own->from.z, own->to.z)}};
    box = fatten(box, q->margin + q->thickness);
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    stack[top++] = (cairn_box_tree_range){0, 0, s->edges};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&s->edge_tree[r.node], &box))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++)
            meet_pair(q, s->edge_order[l], index, own);
    }
}

static void meet_hull(const query *q) {
    const cairn_polytope *hull = &q->shape->hull;
    for (int e = 0; e < hull->edges; e++) {
        const int *at = hull->edge + 4 * e;
        cairn_sharp own = {cairn_pose_apply(q->pose, hull->vertex[at[0]]),
                           cairn_pose_apply(q->pose, hull->vertex[at[1]]),
                           {cairn_quat_rotate(q->pose.rotation, hull->normal[at[2]]),
                            cairn_quat_rotate(q->pose.rotation, hull->normal[at[3]])}};
        meet_edge(q, (uint64_t)e, &own);
    }
}

/* Edge e of the mesh, in its frame; false: it does not stand out, or another face along it has
 * it. */
static bool mesh_edge(const cairn_mesh *m, int e, cairn_sharp *sharp) {
    int beside = m->beside[e], next = e % 3 == 2 ? e - 2 : e + 1;
    if (beside >= 0 && beside < e)
        return false;
    cairn_vec3 n = m->patch_normal[m->patch[e / 3]];
    sharp->from = m->point[m->face[e]];
    sharp->to = m->point[m->face[next]];
    if (beside < 0) {
        cairn_vec3 out = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(sharp->to, sharp->from), n));
        sharp->normal[0] = cairn_vec3_unit(cairn_vec3_add_scaled(n, RIM, out));
        sharp->normal[1] = cairn_vec3_unit(cairn_vec3_add_scaled(cairn_vec3_scale(-1.0, n), RIM, out));
        return true;
    }
    sharp->normal[0] = n;
    sharp->normal[1] = m->patch_normal[m->patch[beside / 3]];
    cairn_vec3 inward = cairn_vec3_cross(n, cairn_vec3_sub(sharp->to, sharp->from));
    bool hollow = cairn_vec3_dot(sharp->normal[1], inward) > 0.0; /* the other side leans over this one */
    for (int i = 0; hollow && i < 2; i++)
        sharp->normal[i] = cairn_vec3_scale(-1.0, sharp->normal[i]);
    return !(hollow && m->closed) && cairn_vec3_dot(sharp->normal[0], sharp->normal[1]) < FLAT;
}

static void meet_face(const query *q, int face) {
    for (int e = 3 * face; e < 3 * face + 3; e++) {
        cairn_sharp own;
        if (!mesh_edge(&q->shape->mesh, e, &own))
            continue;
        own.from = cairn_pose_apply(q->pose, own.from);
        own.to = cairn_pose_apply(q->pose, own.to);
        own.normal[0] = cairn_quat_rotate(q->pose.rotation, own.normal[0]);
        own.normal[1] = cairn_quat_rotate(q->pose.rotation, own.normal[1]);
        meet_edge(q, (uint64_t)e, &own);
    }
}

/* The skin's box as seen from the mesh: a box around its corners. */
static cairn_bounds seen_from(cairn_pose pose, cairn_bounds b) {
    cairn_bounds out = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 8; i++) {
        cairn_vec3 p = cairn_pose_apply_inverse(
            pose, cairn_vec3_of(i & 1 ? b.high.x : b.low.x, i & 2 ? b.high.y : b.low.y, i & 4 ? b.high.z : b.low.z));
        out.low = cairn_vec3_of(fmin(out.low.x, p.x), fmin(out.low.y, p.y), fmin(out.low.z, p.z));
        out.high = cairn_vec3_of(fmax(out.high.x, p.x), fmax(out.high.y, p.y), fmax(out.high.z, p.z));
    }
    return out;
}

static void meet_mesh(const query *q) {
    const cairn_mesh *m = &q->shape->mesh;
    cairn_bounds box = seen_from(q->pose, fatten(q->skin->edge_tree[0], q->margin + q->thickness));
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    stack[top++] = (cairn_box_tree_range){0, 0, m->faces};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&m->node[r.node], &box))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++)
            meet_face(q, m->order[l]);
    }
}

void cairn_skin_meet_edges(const cairn_skin *skin, const cairn_shape *shape, cairn_pose pose, double margin,
                           double thickness, uint64_t part, cairn_skin_contacts *list) {
    query q = {skin, shape, pose, margin, thickness, part, list};
    if (skin->edges == 0)
        return;
    if (shape->kind == CAIRN_SHAPE_MESH)
        meet_mesh(&q);
    else
        meet_hull(&q);
}
