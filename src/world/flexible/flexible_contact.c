/*
 * flexible_contact.c: contacts of flexible parts with rigid shapes and with each other.
 */
#include "world/flexible/flexible.h"

#include <math.h>

#define ANCHOR \
    0.02 /* of a part's reach: how far a joint's origin may lie beside it; beams are looked at in 64 places */

static cairn_bounds join(cairn_bounds a, cairn_bounds b) {
    return (cairn_bounds){{fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
                          {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

cairn_bounds cairn_flex_bounds(const cairn_flex *f) {
    cairn_bounds b = cairn_rods_bounds(&f->rods);
    if (f->skin != NULL)
        b = join(b, f->skin->face_tree[0]);
    double t = f->thickness;
    return (cairn_bounds){{b.low.x - t, b.low.y - t, b.low.z - t}, {b.high.x + t, b.high.y + t, b.high.z + t}};
}

/* The contacts from `from` on were found with the sides exchanged. */
static void turn_round(cairn_skin_contacts *list, int from) {
    for (int i = from; i < list->count; i++) {
        cairn_skin_contact *c = &list->item[i];
        cairn_vec3 on = c->on_a;
        cairn_spread at = c->a;
        c->on_a = c->on_b;
        c->on_b = on;
        c->a = c->b;
        c->b = at;
        c->normal = cairn_vec3_scale(-1.0, c->normal);
    }
}

static void with_rigid(const cairn_world *w, const cairn_flex *f, int other, double margin, cairn_skin_contacts *list) {
    const cairn_shape *shape = w->slot[other].shape;
    cairn_pose pose = cairn_rigid_pose(&w->rigid[other]);
    if (f->skin != NULL)
        cairn_skin_meet_shape(f->skin, shape, pose, margin, f->thickness, list);
    cairn_rods_meet_shape(&f->rods, shape, pose, margin, f->thickness, list);
}

static void with_part(const cairn_flex *f, const cairn_flex *g, double margin, cairn_skin_contacts *list) {
    double thickness = f->thickness + g->thickness;
    if (f->skin != NULL && g->skin != NULL)
        cairn_skin_meet_skin(f->skin, g->skin, margin, thickness, list);
    if (g->skin != NULL)
        cairn_rods_meet_skin(&f->rods, g->skin, margin, thickness, list);
    int from = list->count;
    if (f->skin != NULL)
        cairn_rods_meet_skin(&g->rods, f->skin, margin, thickness, list);
    turn_round(list, from);
    cairn_rods_meet_rods(&f->rods, &g->rods, margin, thickness, list);
}

/* o + t d meets the plane at a + v e + w f: t, v, w by Cramer's rule, volumes of tetrahedra. */
bool cairn_flex_ray(const cairn_flex *f, cairn_vec3 o, cairn_vec3 d, double reach, cairn_ray_hit *hit) {
    bool found = false;
    for (int i = 0; f->skin != NULL && i < f->skin->faces; i++) {
        const int *corner = f->skin->face + 3 * (ptrdiff_t)i;
        cairn_vec3 a = f->skin->x[corner[0]], e = cairn_vec3_sub(f->skin->x[corner[1]], a),
                   g = cairn_vec3_sub(f->skin->x[corner[2]], a), n = cairn_vec3_cross(e, g);
        double slope = cairn_vec3_dot(n, d);
        if (!(slope < 0.0)) /* from behind, along it, or no area */
            continue;
        cairn_vec3 to = cairn_vec3_sub(o, a), side = cairn_vec3_cross(to, d);
        double t = -cairn_vec3_dot(n, to) / slope, v = cairn_vec3_dot(g, side) / -slope,
               w = -cairn_vec3_dot(e, side) / -slope;
        if (t < 0.0 || t > reach || v < 0.0 || w < 0.0 || v + w > 1.0)
            continue;
        reach = t;
        *hit = (cairn_ray_hit){t, cairn_vec3_add_scaled(o, t, d), cairn_vec3_unit(n)};
        found = true;
    }
    return found;
}

bool cairn_flex_pushes(const cairn_world *w, int slot, const cairn_spread *at, cairn_vec3 d) {
    if (at->count == 0)
        return w->slot[slot].kind == CAIRN_BODY_DYNAMIC;
    const cairn_flex *f = w->slot[slot].flex;
    const double along[3] = {fabs(d.x), fabs(d.y), fabs(d.z)};
    for (int k = 0; k < at->count; k++)
        for (int c = 0; c < 3; c++)
            if (fabs(at->weight[k]) > 1e-3 && along[c] > 1e-3 && !cairn_flex_held(f, at->vector[k], c))
                return true;
    return false;
}

cairn_status cairn_flex_collide(cairn_world *w, int a, int b, double margin) {
    cairn_skin_contacts *list = &w->skin_contacts;
    const cairn_flex *f = w->slot[a].flex, *g = w->slot[b].flex;
    list->context = w->context;
    list->count = 0;
    list->failed = false;
    if (f != NULL && g != NULL) {
        with_part(f, g, margin, list);
    } else if (f != NULL) {
        with_rigid(w, f, b, margin, list);
    } else {
        with_rigid(w, g, a, margin, list);
        turn_round(list, 0);
    }
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        const cairn_skin_contact *c = &list->item[i];
        if (cairn_flex_pushes(w, a, &c->a, c->normal) || cairn_flex_pushes(w, b, &c->b, c->normal))
            list->item[kept++] = *c;
    }
    list->count = kept;
    return list->failed ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

/* The nearest point of the rods' axes to p; *distance: how far. */
static cairn_spread nearest_rod(const cairn_rods *r, cairn_vec3 p, double *distance) {
    cairn_spread best = {0};
    *distance = INFINITY;
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k <= 64; k++) {
            cairn_spread at = cairn_rods_spread(r, i, k / 64.0);
            double d = cairn_vec3_length(cairn_vec3_sub(cairn_spread_of(&at, &r->x[0].x), p));
            if (d < *distance) {
                *distance = d;
                best = at;
            }
        }
    return best;
}

cairn_status cairn_flex_anchor(cairn_world *w, int slot, cairn_vec3 place, cairn_spread *at) {
    const cairn_flex *f = w->slot[slot].flex;
    const cairn_lookout any = {0};
    double distance, reach = w->slot[slot].reach;
    *at = nearest_rod(&f->rods, place, &distance);
    if (f->skin != NULL) {
        cairn_skin_refresh(f->skin);
        cairn_skin_spot spot = cairn_skin_nearest(f->skin, place, 2.0 * reach, &any);
        if (spot.face >= 0 && spot.distance < distance) {
            distance = spot.distance;
            *at = (cairn_spread){0};
            for (int k = 0; k < 3; k++)
                if (spot.weight[k] != 0.0) {
                    at->vector[at->count] = f->skin->face[3 * spot.face + k];
                    at->weight[at->count++] = spot.weight[k];
                }
        }
    }
    if (!(distance <= ANCHOR * reach))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "joint: (%g, %g, %g) is %g m from the flexible part; the frame's origin must lie on its skin "
                          "or on a beam's axis",
                          place.x, place.y, place.z, distance);
    return CAIRN_OK;
}
