/*
 * depth.c: bodies that overlap where a step begins or ends.
 *
 * Velocities keep contacts apart to first order. What bodies that turn leave, or scenes begin with, is parted on positions, so that nothing is thrown: min x'Hx/2, D_N'x + gap >= 0
 * (assemble.c). Joints that are open by more than a step may leave are closed in the same way. A step ends with that, and then no pair may be deeper than its tolerance: tolerance_depth, or a share of how thin the thinner of both bodies is. Bodies that cannot be pushed
 * have no say, nor have contacts that give way by design.
 */
#include "flex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHARE      0.01 /* of a body's width: how deep it may lie in another */
#define PART_TRIES 3
#define PART_AGAIN \
    4.0 /* of what is allowed: overlaps left by a parting that are parted again at once, not in the next step */
#define DEEPEST 0.75 /* of the tolerance: that much at most */

double cairn_pair_tolerance(const cairn_world *w, int a, int b) {
    double width = fmin(w->slot[a].kind == CAIRN_BODY_DYNAMIC ? w->slot[a].width : INFINITY,
                        w->slot[b].kind == CAIRN_BODY_DYNAMIC ? w->slot[b].width : INFINITY);
    return isinf(width) || w->def.tolerance_depth == 0.0 ? SHARE * width : w->def.tolerance_depth;
}

double cairn_pair_allowed(const cairn_world *w, int a, int b) {
    double fall = 0.25 * w->h * w->h * cairn_vec3_length(w->def.gravity) + 1e-9;
    return fmin(fall, 0.25 * cairn_pair_tolerance(w, a, b));
}

/* Overlaps that are parted on positions: of rigid bodies, at contacts that do not give way. */
static bool is_parted(const cairn_touch *c) {
    return c->compliance == 0.0 && !c->soft;
}

/* Deepest overlap among the rigid contacts found, and the largest in units of what is allowed, and of the tolerance. */
static double deepest(const cairn_world *w, double *by_allowed, double *by_tolerance) {
    double least = 0.0;
    *by_allowed = *by_tolerance = 0.0;
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        if (!(c->gap < 0.0) || !is_parted(c))
            continue;
        least = fmin(least, c->gap);
        *by_allowed = fmax(*by_allowed, -c->gap / cairn_pair_allowed(w, c->a, c->b));
        *by_tolerance = fmax(*by_tolerance, -c->gap / cairn_pair_tolerance(w, c->a, c->b));
    }
    return 0.0 - least;
}

cairn_status cairn_world_look(cairn_world *w) {
    for (int i = 1; i < w->slots; i++) {
        w->end_v[i] = w->rigid[i].v;
        w->end_w[i] = w->rigid[i].w;
        w->foreseen[i] = 0.0;
    }
    cairn_world_margins(w);
    cairn_status status = cairn_world_collect(w);
    w->looked_h = status == CAIRN_OK ? w->h : 0.0;
    return status;
}

cairn_status cairn_world_part_overlaps(cairn_world *w, cairn_step_report *report) {
    cairn_status status = CAIRN_OK;
    for (int t = 0; status == CAIRN_OK; t++) {
        double by_allowed, by_tolerance, deep = deepest(w, &by_allowed, &by_tolerance);
        if (t == 0)
            report->deepest = fmax(report->deepest, deep);
        bool slight = by_allowed <= PART_AGAIN && by_tolerance <= DEEPEST;
        bool open = cairn_world_joints_open(w, CAIRN_JOINT_OPEN * w->def.tolerance_joint);
        if ((!open && (by_allowed <= 1.0 || (t > 0 && slight))) || t == PART_TRIES)
            return CAIRN_OK;
        for (int i = 0; i < w->now.count; i++)
            w->now.item[i].active = w->now.item[i].gap <= deep && is_parted(&w->now.item[i]);
        cairn_world_place_joints(w);
        bool moved = false;
        status = cairn_world_part(w, report, &moved);
        if (status == CAIRN_OK && moved)
            status = cairn_world_collect_again(w);
        for (int i = 0; i < w->now.count; i++)
            w->now.item[i].active = false;
        if (!moved)
            return status;
    }
    return status;
}

void cairn_world_judge_depth(cairn_world *w, cairn_step_report *r) {
    double worst = -1.0;
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        double tolerance = cairn_pair_tolerance(w, c->a, c->b), share = -c->gap / tolerance;
        if (!is_parted(c) || !(c->gap < 0.0) || !(share > worst))
            continue;
        worst = share;
        r->depth = -c->gap;
        r->depth_tolerance = tolerance;
        r->deep[0] = (cairn_body){(uint32_t)c->a, w->slot[c->a].generation};
        r->deep[1] = (cairn_body){(uint32_t)c->b, w->slot[c->b].generation};
    }
    r->apart = worst <= 1.0 && r->missed == 0;
    r->certified = r->certified && r->apart;
}
