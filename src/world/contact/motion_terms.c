/*
 * motion_terms.c: contacts linearised about the motion of the step, as an option.
 *
 *     b_N = phi(q + h v_l)/h - D_N(q)'v_l          instead of phi(q)/h                                          [theory 7]
 *     b_T = (D_T(q + h v_l/2) - D_T(q))'v_l        instead of 0
 *
 * A plain step takes the gap of the material point that touches when it begins. On the rim of a disc another point is lowest at the end, by a term of
 * second order in h that a disc which rolls fast feels in every step: Euler's disc turns far too slowly. Here the gap is looked up where the present
 * velocities lead (v_l with the spin's drift), for the contact of the same feature; contacts that are not found there, and those of flexible parts, stay plain. Tangents are carried along
 * with the normal. The terms do not depend on the answer, so the problem is of the same kind, but nothing keeps the energy from
 * rising: the step reports it.
 *
 * cairn_world_bend does a part of this for every world: the normal term alone, where contacts that already push would be left overlapping because their
 * bodies turn while they slide along each other, by about h^2/2 times spin times slip: a brick along a ball.
 */
#include "world/model/world_data.h"

#include <math.h>

#define WIDER 3.0  /* times the margin: how far a contact may have come */
#define TURNS 0.02 /* rad in a step: bodies that turn less do not bend */

/* A contact at other poses of its bodies. */
typedef struct elsewhere {
    cairn_rigid a, b;
    cairn_vec3 on_a, on_b, normal;
    double gap;
} elsewhere;

static cairn_rigid moved(const cairn_world *w, int slot, double h) {
    cairn_rigid r = w->rigid[slot];
    if (w->slot[slot].kind != CAIRN_BODY_FIXED)
        cairn_rigid_move(&r, h, w->start_v[slot], cairn_vec3_add(w->start_w[slot], w->drift[slot]));
    return r;
}

/* The point with the feature of c among found manifolds. */
static bool pick(const cairn_world *w, int found, const cairn_touch *c, elsewhere *out) {
    for (int m = 0; m < found; m++)
        for (int p = 0; p < w->manifold[m].count; p++) {
            const cairn_contact *at = &w->manifold[m].point[p];
            if (at->feature != c->feature)
                continue;
            out->on_a = at->on_a;
            out->on_b = at->on_b;
            out->normal = w->manifold[m].normal;
            out->gap = at->gap;
            return true;
        }
    return false;
}

/* Contact c after the time h. */
static cairn_status find(cairn_world *w, const cairn_touch *c, double h, elsewhere *out, bool *is_there) {
    out->a = moved(w, c->a, h);
    out->b = moved(w, c->b, h);
    int found;
    for (;;) {
        found = cairn_collide(w->slot[c->a].shape, cairn_rigid_pose(&out->a), w->slot[c->b].shape,
                              cairn_rigid_pose(&out->b), WIDER * (w->margin[c->a] + w->margin[c->b]), w->manifold,
                              w->manifold_capacity);
        if (found <= w->manifold_capacity)
            break;
        cairn_status status = cairn_world_grow(w->context, &w->manifold, 0, &w->manifold_capacity, found,
                                               sizeof *w->manifold);
        if (status != CAIRN_OK)
            return status;
    }
    *is_there = pick(w, found, c, out);
    return CAIRN_OK;
}

/* Velocity of the contact point of `at` for the velocities when the step began, along d. */
static double along(const cairn_world *w, const cairn_touch *c, const elsewhere *at, cairn_vec3 d) {
    cairn_vec3 turn_a = cairn_vec3_add(w->start_w[c->a], w->drift[c->a]);
    cairn_vec3 turn_b = cairn_vec3_add(w->start_w[c->b], w->drift[c->b]);
    cairn_vec3 va = cairn_vec3_add(
        w->start_v[c->a], cairn_vec3_cross(cairn_quat_rotate(at->a.q, turn_a), cairn_vec3_sub(at->on_a, at->a.x)));
    cairn_vec3 vb = cairn_vec3_add(
        w->start_v[c->b], cairn_vec3_cross(cairn_quat_rotate(at->b.q, turn_b), cairn_vec3_sub(at->on_b, at->b.x)));
    return cairn_vec3_dot(d, cairn_vec3_sub(vb, va));
}

/* Tangent t turned as little as brings it into the plane of normal n. */
static cairn_vec3 carried(cairn_vec3 t, cairn_vec3 n) {
    cairn_vec3 flat = cairn_vec3_add_scaled(t, -cairn_vec3_dot(t, n), n);
    double length = cairn_vec3_length(flat);
    return length > 0.0 ? cairn_vec3_scale(1.0 / length, flat) : t;
}

cairn_status cairn_world_roll(cairn_world *w) {
    for (int i = 0; i < w->now.count; i++) {
        cairn_touch *c = &w->now.item[i];
        if (w->slot[c->a].flex != NULL || w->slot[c->b].flex != NULL)
            continue;
        elsewhere here = {w->rigid[c->a], w->rigid[c->b], c->on_a, c->on_b, c->normal, c->gap}, end, middle;
        bool at_end, in_the_middle;
        cairn_status status = find(w, c, w->h, &end, &at_end);
        if (status == CAIRN_OK)
            status = find(w, c, 0.5 * w->h, &middle, &in_the_middle);
        if (status != CAIRN_OK)
            return status;
        if (!at_end || !in_the_middle)
            continue;
        c->curve[0] = (end.gap - c->gap) / w->h - along(w, c, &here, c->normal);
        for (int k = 0; k < 2; k++)
            c->curve[1 + k] = along(w, c, &middle, carried(c->tangent[k], middle.normal)) -
                              along(w, c, &here, c->tangent[k]);
    }
    return CAIRN_OK;
}

/* Balls and planes look the same however they turn. */
static bool turns_unseen(const cairn_shape *shape) {
    cairn_shape_kind kind = cairn_shape_kind_of(shape);
    return kind == CAIRN_SHAPE_SPHERE || kind == CAIRN_SHAPE_PLANE;
}

/* How far the bodies of a contact that pushed in the last step turn against each other, rad. */
static double turn_of(const cairn_world *w, const cairn_touch *c) {
    const int slot[2] = {c->a, c->b};
    cairn_vec3 spin = {0, 0, 0};
    if (!(c->gamma[0] > 0.0) || c->soft)
        return 0.0;
    for (int i = 0; i < 2; i++)
        if (!turns_unseen(w->slot[slot[i]].shape))
            spin = cairn_vec3_add_scaled(spin, i == 0 ? -1.0 : 1.0,
                                         cairn_quat_rotate(w->rigid[slot[i]].q, w->start_w[slot[i]]));
    return w->h * cairn_vec3_length(spin);
}

/* Such a contact, if turn and slip bring it deeper than overlaps may be. */
static cairn_status bend(cairn_world *w, cairn_touch *c, double turn) {
    elsewhere here = {w->rigid[c->a], w->rigid[c->b], c->on_a, c->on_b, c->normal, c->gap}, end;
    double slip = hypot(along(w, c, &here, c->tangent[0]), along(w, c, &here, c->tangent[1]));
    bool at_end;
    if (!(0.5 * turn * w->h * slip > cairn_pair_allowed(w, c->a, c->b)))
        return CAIRN_OK;
    cairn_status status = find(w, c, w->h, &end, &at_end);
    if (status == CAIRN_OK && at_end)
        c->curve[0] = fmin(0.0, (end.gap - c->gap) / w->h - along(w, c, &here, c->normal));
    return status;
}

/* May two rigid bodies turn so much against each other that it shows? */
static bool turns_show(const cairn_world *w) {
    const double half = 0.49 * TURNS; /* of either, with room for rounding */
    for (int i = 1; i < w->slots; i++)
        if (w->slot[i].shape != NULL && !turns_unseen(w->slot[i].shape) &&
            !(w->h * cairn_vec3_length(w->start_w[i]) < half))
            return true;
    return false;
}

cairn_status cairn_world_bend(cairn_world *w) {
    cairn_status status = CAIRN_OK;
    if (!turns_show(w))
        return CAIRN_OK;
    for (int i = 0; i < w->now.count && status == CAIRN_OK; i++) {
        double turn = turn_of(w, &w->now.item[i]);
        if (turn >= TURNS)
            status = bend(w, &w->now.item[i], turn);
    }
    return status;
}
