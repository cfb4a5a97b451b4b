/*
 * skin_pair.c: contacts of two deforming skins: nodes of either against the faces of the other, and
 * sharp edges that cross.
 *
 * A node that lies on a node of the other skin is met from both sides; the second time is left out.
 */
#include "collide/deformable/skin.h"

#include <math.h>

static bool holds(const cairn_bounds *b, cairn_vec3 p, double m) {
    return p.x >= b->low.x - m && p.x <= b->high.x + m && p.y >= b->low.y - m && p.y <= b->high.y + m &&
           p.z >= b->low.z - m && p.z <= b->high.z + m;
}

/* Nodes of `from` against faces of `to`. turned: `from` is the second of the pair. */
static void meet_nodes(const cairn_skin *from, const cairn_skin *to, bool turned, double margin, double thickness,
                       cairn_skin_contacts *list) {
    for (int i = 0; i < from->nodes; i++) {
        cairn_vec3 p = from->x[from->node[i]], n;
        cairn_skin_spot spot;
        double gap;
        bool blind;
        if (!holds(&to->face_tree[0], p, margin + thickness))
            continue;
        cairn_lookout look = cairn_skin_lookout(from, i);
        if (!cairn_skin_meet_point(to, p, &look, margin + thickness, &spot, &n, &gap, &blind) ||
            (turned && spot.corner >= 0 && gap <= 1e-6 * to->length))
            continue;
        cairn_spread own = {.count = 1, .vector = {from->node[i]}, .weight = {1.0}}, other = {0};
        for (int k = 0; k < 3; k++)
            if (spot.weight[k] != 0.0) {
                other.vector[other.count] = to->face[3 * spot.face + k];
                other.weight[other.count++] = spot.weight[k];
            }
        cairn_skin_contact c = {.on_a = turned ? spot.point : p,
                                .on_b = turned ? p : spot.point,
                                .normal = turned ? n : cairn_vec3_scale(-1.0, n),
                                .gap = gap - thickness,
                                .feature = cairn_feature_name(CAIRN_FEATURE_NODE, turned ? 1 : 0, (uint64_t)i, 0),
                                .a = turned ? other : own,
                                .b = turned ? own : other,
                                .blind = blind};
        cairn_skin_contacts_add(list, &c);
    }
}

static void meet_edge(const cairn_skin *a, int i, const cairn_sharp *own, const cairn_skin *b, double margin,
                      double thickness, cairn_skin_contacts *list) {
    cairn_bounds box = a->edge_box[i];
    double m = margin + thickness;
    box = (cairn_bounds){{box.low.x - m, box.low.y - m, box.low.z - m},
                         {box.high.x + m, box.high.y + m, box.high.z + m}};
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    stack[top++] = (cairn_box_tree_range){0, 0, b->edges};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&b->edge_tree[r.node], &box))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++) {
            int j = b->edge_order[l];
            cairn_sharp other;
            cairn_vec3 d;
            double s, t, gap;
            if (!cairn_bounds_touch(&b->edge_box[j], &box) || !cairn_skin_sharp(b, j, false, &other) ||
                !cairn_sharp_cross(own, &other, &s, &t, &d, &gap) || gap - thickness > margin ||
                gap < -CAIRN_CROSSED * fmin(a->length, b->length))
                continue;
            cairn_vec3 p = cairn_vec3_add_scaled(own->from, s, cairn_vec3_sub(own->to, own->from));
            cairn_skin_contact c = {
                .on_a = p,
                .on_b = cairn_vec3_add_scaled(p, gap, d),
                .normal = d,
                .gap = gap - thickness,
                .feature = cairn_feature_name(CAIRN_FEATURE_EDGES, 0, (uint64_t)i, (uint64_t)j),
                .a = {.count = 2, .vector = {a->edge[2 * i], a->edge[2 * i + 1]}, .weight = {1.0 - s, s}},
                .b = {.count = 2, .vector = {b->edge[2 * j], b->edge[2 * j + 1]}, .weight = {1.0 - t, t}}};
            cairn_skin_contacts_add(list, &c);
        }
    }
}

void cairn_skin_meet_skin(const cairn_skin *a, const cairn_skin *b, double margin, double thickness,
                          cairn_skin_contacts *list) {
    if (a->faces == 0 || b->faces == 0)
        return;
    meet_nodes(a, b, false, margin, thickness, list);
    meet_nodes(b, a, true, margin, thickness, list);
    for (int i = 0; i < a->edges; i++) {
        cairn_sharp own;
        if (holds(&b->edge_tree[0], a->x[a->edge[2 * i]], margin + thickness + 2.0 * a->length) &&
            cairn_skin_sharp(a, i, false, &own))
            meet_edge(a, i, &own, b, margin, thickness, list);
    }
}
