/*
 * overlap.c: bodies that overlap where a step begins or ends.
 *
 * Velocities keep contacts apart to first order. What bodies that turn leave, or scenes begin with, is parted on positions, so that nothing is thrown: min x'Hx/2, D_N'x + gap >= 0
 * (assemble.c). Joints that are open by more than a step may leave are closed in the same way. A step ends with that, and then no pair may be deeper than its tolerance: tolerance_depth,
 * or a share of how thin the thinner of both bodies is (of a flexible part 2 volume/area): what lies deeper in a thin wall would be beyond it, whether the wall can be pushed or not. Contacts that give way by design may go
 * deeper, up to half of the width.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHARE 0.01 /* of a body's width: how deep it may lie in another */
#define SOFT \
    5.0 /* times as deep where one is flexible: its faces move to first order, and overlaps leave at a bounded speed */
#define SWALLOWED   0.5 /* of the width, where contacts give way */
#define PART_TRIES  3
#define CLOSE_TRIES 8 /* where joints are open */
#define PART_AGAIN \
    4.0 /* of what is allowed: overlaps left by a parting that are parted again at once, not in the next step */
#define CLOSES  0.5  /* of the gap of joints: a closing that leaves more is taken back */
#define DEEPEST 0.75 /* of the tolerance: that much at most */

/* Open surfaces have no thickness, planes no other side. */
static double width_of(const cairn_world *w, int slot) {
    return w->slot[slot].width > 0.0 ? w->slot[slot].width : INFINITY;
}

double cairn_pair_width(const cairn_world *w, int a, int b) {
    return fmin(width_of(w, a), width_of(w, b));
}

double cairn_pair_tolerance(const cairn_world *w, int a, int b) {
    double width = cairn_pair_width(w, a, b);
    return isinf(width) || w->def.tolerance_depth == 0.0 ? SHARE * width : w->def.tolerance_depth;
}

double cairn_pair_allowed(const cairn_world *w, int a, int b) {
    double fall = 0.25 * w->h * w->h * cairn_vec3_length(w->def.gravity) + 1e-9;
    return fmin(fall, 0.25 * cairn_pair_tolerance(w, a, b));
}

/* Overlaps that are parted on positions: of rigid bodies, at contacts that do not give way. */
static bool is_parted(const cairn_touch *c) {
    return !cairn_touch_gives(c) && !c->soft;
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

/* One parting of what overlaps by up to `deep`, and one closing of joints. *moved: something did. */
static cairn_status part(cairn_world *w, double deep, cairn_step_report *report, bool *moved) {
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].active = w->now.item[i].gap <= deep && is_parted(&w->now.item[i]);
    cairn_world_place_joints(w);
    cairn_status status = cairn_world_part(w, report, moved);
    if (status == CAIRN_OK && *moved)
        status = cairn_world_collect_again(w);
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].active = false;
    return status;
}

/* Until nothing is too deep and no joint is open, or nothing moves any more. *first: how far joints were open. */
static cairn_status part_all(cairn_world *w, cairn_step_report *report, double *first, bool *any) {
    cairn_status status = CAIRN_OK;
    double limit = CAIRN_JOINT_OPEN * w->def.tolerance_joint;
    bool moved = true;
    for (int t = 0; status == CAIRN_OK && moved; t++) {
        double by_allowed, by_tolerance, deep = deepest(w, &by_allowed, &by_tolerance);
        double open = cairn_world_joints_open(w, 0.5 * limit);
        if (t == 0) {
            report->deepest = fmax(report->deepest, deep);
            *first = open;
        }
        bool slight = by_allowed <= PART_AGAIN && by_tolerance <= DEEPEST;
        bool enough = t >= (open > limit ? CLOSE_TRIES : PART_TRIES);
        if ((open <= limit && (by_allowed <= 1.0 || (t > 0 && slight))) || enough)
            return CAIRN_OK;
        if (t == 0)
            memcpy(w->rigid_apart, w->rigid, (size_t)w->slots * sizeof *w->rigid);
        moved = false;
        status = part(w, deep, report, &moved);
        *any = *any || moved;
    }
    return status;
}

cairn_status cairn_world_part_overlaps(cairn_world *w, cairn_step_report *report) {
    double open, limit = CAIRN_JOINT_OPEN * w->def.tolerance_joint;
    bool moved = false;
    cairn_status status = part_all(w, report, &open, &moved);
    if (status != CAIRN_OK || !moved || !(open > limit) || cairn_world_joints_open(w, 0.0) <= CLOSES * open)
        return status;
    memcpy(w->rigid, w->rigid_apart, (size_t)w->slots * sizeof *w->rigid); /* torn apart: too far to be linear */
    return cairn_world_look(w);
}

double cairn_touch_tolerance(const cairn_world *w, const cairn_touch *c) {
    double tolerance = cairn_pair_tolerance(w, c->a, c->b);
    if (c->soft && w->def.tolerance_depth == 0.0)
        tolerance *= SOFT;
    return cairn_touch_gives(c) ? fmax(tolerance, SWALLOWED * cairn_pair_width(w, c->a, c->b)) : tolerance;
}

void cairn_note_first(cairn_info *info, const char *words) {
    char said[sizeof info->note];
    memcpy(said, info->note, sizeof said);
    snprintf(info->note, sizeof info->note, "%s%s%.*s", words, said[0] != '\0' ? "; " : "",
             (int)(sizeof said - strlen(words) - 3), said);
}

void cairn_world_judge_depth(cairn_world *w, cairn_step_report *r) {
    double worst = 0.0;
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        double tolerance = cairn_touch_tolerance(w, c), share = -c->gap / tolerance;
        if (c->soft)
            r->deepest = fmax(r->deepest, -c->gap);
        if (!(share > worst))
            continue;
        worst = share;
        r->depth = -c->gap;
        r->depth_tolerance = tolerance;
        r->deep[0] = (cairn_body){(uint32_t)c->a, w->slot[c->a].generation};
        r->deep[1] = (cairn_body){(uint32_t)c->b, w->slot[c->b].generation};
    }
    r->apart = worst <= 1.0 && r->missed == 0;
    r->certified = r->certified && r->apart;
    char words[128];
    if (worst > 1.0) {
        snprintf(words, sizeof words, "bodies in slots %u and %u overlap by %.3g m, more than %.3g",
                 (unsigned)r->deep[0].slot, (unsigned)r->deep[1].slot, r->depth, r->depth_tolerance);
        cairn_note_first(&r->info, words);
    } else if (r->missed > 0) {
        snprintf(words, sizeof words,
                 "%d contacts came too late: bodies may have passed each other; a smaller step helps", r->missed);
        cairn_note_first(&r->info, words);
    }
    if (r->fallbacks > 0)
        cairn_note_first(&r->info, "no motion meets contacts and joints: bodies move so that no energy is gained");
}
