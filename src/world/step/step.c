/*
 * step.c: one time step [theory 7].
 *
 *     1. contacts at the present positions (overlap.c)
 *     2. free motion: gravity, loads, spin by the implicit midpoint
 *     3. contacts that impacts can close are found (impact_chains.c)
 *     4. solve; look again with the new speeds; contacts that would be violated, or that bodies which turn meet on their way (rotation_sweep.c), join, and the problem is solved again
 *     5. bodies move: x + h v, turn h (w + drift)
 *     6. overlaps deeper than velocities may leave, and joints that are open, are closed on positions (overlap.c), and what is left is judged
 *
 * In a part that is long against its bodies (sparing) the first problem has what touches alone, and it is solved without rebounds until no contact is missing.
 * Flexible parts may be solved again about their answer, with the same contacts, until they are in balance (world's newton). A part in which they turn far is cut into equal ones.
 * Joints are closed by Newton's method on the whole problem: each further solve is linearised about the last answer. When that does not close them the part is cut in the middle; where bodies
 * that turn would overlap deeply, or pass each other, it is cut when that begins. A part that stays bad is kept, and the step is not certified; one that has gained energy so is made anew by a motion
 * that cannot (solve/driver/passive_motion.h).
 *
 * A contact is in the problem when it is nearer than it can close in the step, by its free velocity, with a little slack. Nothing here depends on
 * anything but the state: contacts come sorted, and impulses of the last step belong to the state.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WARY      8.0  /* errors of velocities that contacts are looked for ahead of, where bodies are not at rest */
#define SPLIT_MAX 4    /* how often a part is halved at most, */
#define AT_ONCE   1e-6 /* of a part: bodies that meet before are those that touch when it begins */
#define LEAST     1e-4 /* of a step: parts that long are not cut for such */
#define GROWS \
    4.0 /* times the part before: how long the next one may be after a solve whose part was cut because bodies met on the way. Its impulses are a good guess then */
#define LONG       0.1  /* of its width: a body that falls further in a step has a long one, */
#define NEARLY     0.1  /* and its contacts touch nearly up to so much of that */
#define MANY       200  /* contacts that are worth further solves */
#define SHORTER    0.75 /* of a part that was cut and is not good yet: the next is no longer */
#define PARTS_MOST 300  /* from so many parts on none is cut any more */
#define ROUNDING   1e-6 /* of kinetic energy, where a part is not certified */
#define LEAP       0.02 /* of kinetic energy: what joints may make in a part that is good */
#define TURN_MOST \
    0.25 /* rad: parts that turn further are cut; fem/part/part_write.c brakes what turns so all the same, */
#define TURN_CUT      0.2 /* and single elements turn further than the mean: pieces that turn no further than this */
#define TORN          1e3 /* of tolerance_joint: the joints of the smallest part are torn apart */
#define MOST_SOLVES   15  /* of a part, as long as there are contacts that nobody expected */
#define SOLVES_IN_ALL 600 /* of a step: from then on every part takes one, and none is cut */
#define ROUNDS        300 /* of looking further ahead of impacts before a solve */
#define PATIENCE      4 /* and how many times max_resolves the smallest parts may take, as long as their joints close */

static bool in_use(const cairn_world *w, int i) {
    return w->slot[i].generation % 2 == 1;
}

static void free_motion(cairn_world *w) {
    double h = w->h;
    for (int i = 1; i < w->slots; i++) {
        const cairn_rigid *r = &w->rigid[i];
        w->start_v[i] = w->end_v[i] = r->v;
        w->start_w[i] = w->end_w[i] = w->free_w[i] = r->w;
        w->drift[i] = cairn_vec3_of(0, 0, 0);
        w->foreseen[i] = 0.0;
        if (!in_use(w, i) || w->slot[i].kind != CAIRN_BODY_DYNAMIC || w->slot[i].flex != NULL)
            continue;
        cairn_rigid_spin(r, h, &w->free_w[i], &w->drift[i]);
        w->end_v[i] = cairn_vec3_add_scaled(cairn_vec3_add_scaled(r->v, h, w->def.gravity), h / r->mass, r->force);
        w->end_w[i] = w->free_w[i];
        if (r->torque.x == 0.0 && r->torque.y == 0.0 && r->torque.z == 0.0)
            continue;
        cairn_vec3 tau = cairn_quat_rotate(cairn_quat_conjugate(r->q), r->torque);
        w->end_w[i] = cairn_vec3_add_scaled(w->free_w[i], h, cairn_mat3_solve(&r->inertia, tau));
    }
}

/* out = spin, by slot, in world axes. */
static void to_world_axes(const cairn_world *w, const cairn_vec3 *spin, cairn_vec3 *out) {
    for (int i = 1; i < w->slots; i++)
        out[i] = cairn_quat_rotate(w->rigid[i].q, spin[i]);
}

/* Velocity of the touching point of one side of a contact with a flexible part; start: when the step began, else at its end. */
static cairn_vec3 soft_velocity(const cairn_world *w, int slot, const cairn_spread *at, cairn_vec3 point, bool start) {
    if (at->count > 0) {
        const cairn_flex *f = w->slot[slot].flex;
        return cairn_spread_of(at, start ? f->part->v : f->end_v);
    }
    return cairn_vec3_add(
        (start ? w->start_v : w->end_v)[slot],
        cairn_vec3_cross((start ? w->start_spin : w->end_spin)[slot], cairn_vec3_sub(point, w->rigid[slot].x)));
}

/* The velocity of b's side against a's. */
static inline cairn_vec3 approach(const cairn_world *w, const cairn_touch *c, bool start) {
    if (c->soft)
        return cairn_vec3_sub(soft_velocity(w, c->b, &c->at[1], c->on_b, start),
                              soft_velocity(w, c->a, &c->at[0], c->on_a, start));
    const cairn_vec3 *v = start ? w->start_v : w->end_v, *spin = start ? w->start_spin : w->end_spin;
    cairn_vec3 arm_a = cairn_vec3_sub(c->on_a, w->rigid[c->a].x), arm_b = cairn_vec3_sub(c->on_b, w->rigid[c->b].x);
    cairn_vec3 va = cairn_vec3_add(v[c->a], cairn_vec3_cross(spin[c->a], arm_a));
    cairn_vec3 vb = cairn_vec3_add(v[c->b], cairn_vec3_cross(spin[c->b], arm_b));
    return cairn_vec3_sub(vb, va);
}

/* Normal and tangential velocity of contact c when the step began, or at its end; start_spin or end_spin is there. */
static inline cairn_vec3 slip(const cairn_world *w, const cairn_touch *c, bool start) {
    cairn_vec3 u = approach(w, c, start);
    return cairn_vec3_of(cairn_vec3_dot(c->normal, u), cairn_vec3_dot(c->tangent[0], u),
                         cairn_vec3_dot(c->tangent[1], u));
}

/* How far impacts may move each rigid body in this step, if they are like those of the last: h times its last change of velocity. */
static void find_unrest(cairn_world *w) {
    for (int i = 1; i < w->slots; i++) {
        const cairn_rigid *r = &w->rigid[i];
        bool moves = w->slot[i].kind == CAIRN_BODY_DYNAMIC && w->slot[i].flex == NULL;
        w->unrest[i] = !moves ? 0.0
                              : w->h * (cairn_vec3_length(cairn_vec3_sub(r->v, r->last_v)) +
                                        w->slot[i].reach * cairn_vec3_length(cairn_vec3_sub(r->w, r->last_w)));
    }
}

/* The same for both sides of a contact together. */
static double unrest(const cairn_world *w, const cairn_touch *c) {
    double sum = w->unrest[c->a] + w->unrest[c->b];
    if (c->soft && c->at[0].count > 0)
        sum += w->h * cairn_flex_unrest(w->slot[c->a].flex, &c->at[0]);
    if (c->soft && c->at[1].count > 0)
        sum += w->h * cairn_flex_unrest(w->slot[c->b].flex, &c->at[1]);
    return sum;
}

/* The same for a contact of a flexible part, beyond its free velocity u: either side may be held in this step while the other falls. Parts have so many points
 * that the wider reach of rigid bodies would double the problem at large steps. */
static double soft_reach(const cairn_world *w, const cairn_touch *c, double u) {
    double held = slip(w, c, true).x, fall = w->h * fabs(cairn_vec3_dot(w->def.gravity, c->normal));
    return w->h * fmax(0.0, u - (held - fall)) + 1e-6;
}

/* Is the way that a body falls from rest in this step long against how thin it is? */
static bool falls_far(const cairn_world *w, double width) {
    return 2.0 * w->h * w->h * cairn_vec3_length(w->def.gravity) > LONG * width;
}

/* How near a contact must come for the first problem of a step. Where the step is sparing that are contacts that touch, or nearly: what the motion closes joins after the solve. */
static double first_reach(const cairn_world *w, const cairn_touch *c, double allowed) {
    double moved = unrest(w, c), error = fmin(allowed, w->h * w->def.tolerance_velocity);
    double reach = allowed + moved + WARY * fmin(moved, error);
    if (c->soft)
        return reach + soft_reach(w, c, slip(w, c, false).x) - allowed;
    double width = w->sparing ? cairn_pair_width(w, c->a, c->b) : 0.0;
    return w->sparing && falls_far(w, width) ? fmin(reach, NEARLY * width) : reach;
}

/* Marks contacts whose gap at the end of the step, to first order, is at most allowed, or what the unrest of their bodies may
 * close and, where these move, the velocity error that is granted: one contact that nobody thought of costs a solve of all others. Returns how many are new. */
static int activate(cairn_world *w, double allowed, bool restless) {
    int fresh = 0;
    for (int i = 1; i < w->slots; i++)
        w->turn[i] = cairn_vec3_add(w->end_w[i], w->drift[i]);
    to_world_axes(w, w->turn, w->end_spin);
    for (int i = 0; i < w->now.count; i++) {
        cairn_touch *c = &w->now.item[i];
        if (c->active || (restless && c->blind))
            continue;
        cairn_vec3 u = slip(w, c, false);
        double lift = w->def.law == CAIRN_LAW_ASSOCIATED ? c->mu * hypot(u.y, u.z)
                                                         : 0.0; /* sliding contacts float there */
        double reach = restless ? first_reach(w, c, allowed) : allowed;
        if (cairn_share_of_gap(w, c) * c->gap + w->h * (u.x - lift) > reach)
            continue;
        if (!c->soft && c->gap > cairn_pair_tolerance(w, c->a, c->b) && cairn_pair_whirls(w, c->a, c->b))
            continue;
        c->active = true;
        fresh++;
    }
    return fresh;
}

/* Contacts of the first problem. In a long step all that may close are most pairs of a heap, and few of them will push: where more than MANY are saved by that the step is sparing. */
static void activate_first(cairn_world *w) {
    double allowed = 2.0 * w->h * w->h * cairn_vec3_length(w->def.gravity) + 1e-6;
    bool far = false;
    for (int i = 1; i < w->slots && !far; i++)
        far = in_use(w, i) && w->slot[i].kind == CAIRN_BODY_DYNAMIC && falls_far(w, w->slot[i].width);
    w->sparing = false;
    int all = activate(w, allowed, true);
    if (!far || all <= MANY)
        return;
    w->sparing = true;
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].active = false;
    if (activate(w, allowed, true) + MANY < all)
        return;
    w->sparing = false;
    activate(w, allowed, true);
}

/* May any contact rebound? */
static bool rebounds(const cairn_world *w) {
    for (int i = 0; i < w->materials; i++)
        if (w->material[i].restitution > 0.0)
            return true;
    for (int i = 0; i < w->rules; i++)
        if (w->rule[i].def.restitution > 0.0)
            return true;
    return false;
}

/* Spins when the step began; normal velocities of contacts then, where anything asks for them: of those that were looked for anew, or of all. */
static void set_before(cairn_world *w, bool all) {
    if (!rebounds(w) && w->flexibles == 0)
        return;
    to_world_axes(w, w->start_w, w->start_spin);
    for (int i = 0; i < w->now.count; i++) {
        cairn_touch *c = &w->now.item[i];
        if (all || w->stale[c->a] != 0 || w->stale[c->b] != 0)
            c->before = slip(w, c, true).x;
    }
}

/* Contacts are looked for again where bodies may come further than their margins. *grown: there are such. */
static cairn_status look_further(cairn_world *w, bool *grown) {
    *grown = cairn_world_outgrown(w);
    if (!*grown)
        return CAIRN_OK;
    cairn_status status = cairn_world_collect_again(w);
    if (status != CAIRN_OK)
        return status;
    set_before(w, false);
    return w->def.rolling ? cairn_world_roll(w) : CAIRN_OK;
}

/* Follows the impacts of the present velocities to contacts that nobody has looked for yet, and on from there. */
static cairn_status follow_impacts(cairn_world *w) {
    bool faster = true, grown = true;
    cairn_status status = CAIRN_OK;
    for (int round = 0; round < ROUNDS && faster && grown && status == CAIRN_OK; round++) {
        status = cairn_world_follow_impacts(w, &faster);
        if (status == CAIRN_OK && faster)
            status = look_further(w, &grown);
    }
    return status;
}

/* With the speeds that came out, are there contacts that nobody thought of? They join, and so do those that they lead to. *fresh: how many of the first kind. */
static cairn_status look_again(cairn_world *w, int *fresh) {
    bool grown;
    cairn_status status = look_further(w, &grown);
    *fresh = status == CAIRN_OK ? activate(w, -1e-9, false) : 0;
    return status == CAIRN_OK && *fresh > 0 ? follow_impacts(w) : status;
}

/* Works of the impulses; what the next step must know. */
static void settle_contacts(cairn_world *w, cairn_step_report *report) {
    int kept = 0;
    to_world_axes(w, w->free_w, w->start_spin); /* works count from the spin without constraints */
    to_world_axes(w, w->end_w, w->end_spin);
    for (int i = 0; i < w->now.count; i++) {
        cairn_touch *c = &w->now.item[i];
        if (!c->active)
            continue;
        cairn_vec3 before = slip(w, c, true), after = slip(w, c, false);
        cairn_world_contact_work(w, c, before, after, &report->energy);
        bool still_open = c->gap > 1e-9 && c->gamma[0] > 0.0 && c->restitution > 0.0 && c->remembered == 0.0;
        c->remembered = still_open ? fmin(0.0, c->before) : 0.0;
        c->after[0] = after.x;
        c->after[1] = after.y;
        c->after[2] = after.z;
        if (kept != i)
            memcpy(&w->now.item[kept], c, c->soft ? sizeof *c : offsetof(cairn_touch, at));
        kept++;
    }
    w->now.count = kept;
    report->contacts = kept > report->contacts ? kept : report->contacts;
    cairn_touches done = w->now;
    if (report->substeps == 0) {
        w->now = w->before;
        w->before = w->last;
    } else {
        w->now = w->last;
    }
    w->last = done;
}

/* Work on elements, beginning there and done now, is part of assembling: no search for contacts. */
static double elements_begin(const cairn_world *w) {
    return w->flexibles > 0 ? cairn_now() : 0.0;
}

static void elements_end(const cairn_world *w, cairn_step_report *r, double begin) {
    r->seconds_assemble += w->flexibles > 0 ? cairn_now() - begin : 0.0;
}

static void move_bodies(cairn_world *w, cairn_step_report *report) {
    double h = w->h;
    report->bodies = 0;
    report->energy.kinetic = report->energy.potential = 0.0;
    for (int i = 1; i < w->slots; i++) {
        cairn_rigid *r = &w->rigid[i];
        if (!in_use(w, i) || w->slot[i].kind == CAIRN_BODY_FIXED)
            continue;
        if (w->slot[i].flex != NULL) {
            report->bodies++;
            continue;
        }
        r->last_v = r->v;
        r->last_w = r->w;
        r->v = w->end_v[i];
        r->w = w->end_w[i];
        double time = w->slot[i].kind == CAIRN_BODY_DYNAMIC ? fmin(h, w->until[i]) : h;
        cairn_rigid_move(r, time, r->v, cairn_vec3_add(r->w, w->drift[i]));
        report->bodies++;
        if (w->slot[i].kind != CAIRN_BODY_DYNAMIC)
            continue;
        if (time < h) {
            r->v = cairn_vec3_scale(w->keeps[i], r->v);
            r->w = cairn_vec3_scale(w->keeps[i], r->w);
        }
        report->energy.kinetic += 0.5 * r->mass * cairn_vec3_dot(r->v, r->v) +
                                  0.5 * cairn_vec3_dot(r->w, cairn_mat3_apply(&r->inertia, r->w));
        report->energy.potential -= r->mass * cairn_vec3_dot(w->def.gravity, r->x);
    }
    report->energy.elastic = 0.0;
    double begin = elements_begin(w);
    cairn_flex_move(w);
    cairn_flex_energy(w, &report->energy);
    elements_end(w, report, begin);
}

/* Impulses of the last part of a step as a guess for a part of another length. */
static void scale_joint_guess(cairn_world *w, double factor) {
    for (int i = 1; i < w->joints; i++)
        for (int k = 0; k < CAIRN_JOINT_ROWS && factor != 1.0; k++)
            w->joint[i].data.gamma[k] *= factor;
}

/* What the solves of a part of a step have left. */
typedef struct remains {
    cairn_joint_gap gap; /* of the joints */
    bool timed;          /* deep pairs were found on the way, */
    double when;         /* the first of them at this time, s into the part */
    int deep; /* pairs that overlap deeply where the answer leads, or pass through each other; or contacts that come too late for them */
    bool swept;  /* contacts were met on the way, */
    bool jammed; /* and taken out again */
} remains;

/* How many contacts that give way would end so deep that their bodies come out on the other side. */
static int swallowed(const cairn_world *w) {
    int count = 0;
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        if (c->active && !c->soft && c->compliance > 0.0)
            count += c->gap + w->h * slip(w, c, false).x < fmin(c->gap, -cairn_touch_tolerance(w, c));
    }
    return count;
}

/* Contacts that the answer asks for: those that it would violate, else those that bodies which turn a lot meet on their way. They join. *fresh: how many. */
static cairn_status find_more(cairn_world *w, cairn_step_report *r, remains *left, int *fresh) {
    cairn_world_no_waits(w);
    cairn_status status = look_again(w, fresh);
    r->missed = left->deep = *fresh;
    left->timed = false;
    if (status != CAIRN_OK || *fresh > 0 || w->unsolved)
        return status;
    status = cairn_world_sweep(w, !left->jammed, fresh, &left->deep, &left->when);
    left->timed = left->deep > 0;
    left->deep += *fresh == 0 ? swallowed(w) : 0;
    r->missed = left->deep;
    if (status == CAIRN_OK && *fresh > 0) {
        left->swept = true;
        set_before(w, true);
        activate(w, -1e-9, false);
    }
    return status;
}

/* What solves have said of certificates. */
typedef struct claims {
    bool certified, failed;
    int fallbacks;
    cairn_info info;
} claims;

static claims claims_of(const cairn_world *w, const cairn_step_report *r) {
    return (claims){r->certified, w->failed, r->fallbacks, r->info};
}

/* What solves that do not count have said since then is forgotten; their work counts. */
static void unsay(cairn_world *w, cairn_step_report *r, const claims *before) {
    cairn_info counts = r->info;
    r->info = before->info;
    r->info.iterations = counts.iterations;
    r->info.factorizations = counts.factorizations;
    r->info.partial_factorizations = counts.partial_factorizations;
    r->info.partial_share = counts.partial_share;
    r->info.solves = counts.solves;
    r->certified = before->certified;
    r->fallbacks = before->fallbacks;
    w->failed = before->failed;
}

/* A solve. When it fails with contacts that were met on the way, they go and the others are solved without them: bodies may be jammed
 * between those that are driven. What the failed solve said does not count, its work does. */
static cairn_status solve(cairn_world *w, cairn_step_report *r, remains *left) {
    claims before = claims_of(w, r);
    cairn_status status = cairn_world_solve(w, r);
    if (status != CAIRN_OK || !left->swept || left->jammed || (!w->unsolved && r->certified == before.certified))
        return status;
    left->jammed = true;
    cairn_world_forget_met(w);
    unsay(w, r, &before);
    return cairn_world_solve(w, r);
}

/* H and k of flexible parts. */
static void write_parts(cairn_world *w, cairn_step_report *r) {
    double begin = elements_begin(w);
    cairn_flex_write(w);
    elements_end(w, r, begin);
}

/* The contacts of a sparing part: it is solved without rebounds until none is missing. */
static cairn_status solve_ahead(cairn_world *w, cairn_step_report *r) {
    claims before = claims_of(w, r);
    int fresh = 1;
    cairn_status status = CAIRN_OK;
    w->ahead = true;
    for (int t = 0; t < 2 * MOST_SOLVES && fresh > 0 && status == CAIRN_OK && cairn_world_may_resolve(w); t++) {
        status = cairn_world_solve(w, r);
        if (status == CAIRN_OK)
            status = look_again(w, &fresh);
    }
    w->ahead = false;
    unsay(w, r, &before);
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].solved = false;
    cairn_world_write_joints(w, false);
    return status;
}

/* Solves until no contact is missing and the joints close, up to 1 + resolves times. */
static cairn_status solve_until_closed(cairn_world *w, int resolves, cairn_step_report *r, remains *left) {
    if (w->sparing && rebounds(w)) {
        cairn_status status = solve_ahead(w, r);
        if (status != CAIRN_OK)
            return status;
    }
    double before = INFINITY;
    for (int t = 0;; t++) {
        int fresh = 0;
        cairn_status status = solve(w, r, left);
        if (status == CAIRN_OK)
            status = find_more(w, r, left, &fresh);
        if (status != CAIRN_OK)
            return status;
        cairn_joint_gap *gap = &left->gap;
        *gap = cairn_world_joint_gap(w);
        bool closed = gap->size <= w->def.tolerance_joint, stuck = t > 1 && !(gap->size < 0.7 * before);
        bool enough = t >= (fresh > 0 ? (w->sparing ? 2 : 1) * MOST_SOLVES : resolves) || r->solves >= SOLVES_IN_ALL ||
                      !cairn_world_may_resolve(w);
        if ((fresh == 0 && (closed || stuck || w->unsolved)) || enough)
            return CAIRN_OK;
        before = gap->size;
        cairn_world_write_joints(w, false);
    }
}

/* One part of a step, of length h, up to its first solve. */
static cairn_status begin(cairn_world *w, double h, cairn_step_report *r) {
    w->h = h;
    bool grown;
    cairn_status status = w->looked_h == h ? CAIRN_OK : cairn_world_look(w);
    if (status == CAIRN_OK)
        status = cairn_world_part_overlaps(w, r);
    w->looked_h = 0.0;
    if (status != CAIRN_OK)
        return status;
    w->share = 1.0;
    free_motion(w);
    status = cairn_flex_follow_all(w, w->time + h);
    cairn_flex_begin(w);
    if (status == CAIRN_OK)
        status = look_further(w, &grown);
    if (status != CAIRN_OK)
        return status;
    double factor = w->last_h > 0.0 ? h / w->last_h : 1.0;
    cairn_world_recall(w, factor);
    status = w->def.rolling ? cairn_world_roll(w) : cairn_world_bend(w);
    if (status != CAIRN_OK)
        return status;
    scale_joint_guess(w, factor);
    cairn_world_write_joints(w, true);
    write_parts(w, r);
    set_before(w, true);
    find_unrest(w);
    activate_first(w);
    return follow_impacts(w);
}

/* One part of a step, of length h, up to its answer. */
static cairn_status attempt(cairn_world *w, double h, int resolves, cairn_step_report *r, remains *left) {
    cairn_status status = begin(w, h, r);
    return status == CAIRN_OK ? solve_until_closed(w, resolves, r, left) : status;
}

static void settle(cairn_world *w, cairn_step_report *r, cairn_joint_gap gap) {
    r->energy.loads += cairn_flex_react(w);
    settle_contacts(w, r);
    double begin = elements_begin(w);
    cairn_flex_apply(w);
    elements_end(w, r, begin);
    cairn_world_works(w, &r->energy);
    move_bodies(w, r);
    cairn_world_settle_joints(w);
    w->time += w->h;
    w->last_h = w->h;
    if (gap.size > r->joint_gap) {
        r->joint_gap = gap.size;
        r->joint_turns = gap.turn;
        r->worst_joint = (cairn_joint){(uint32_t)gap.slot, w->joint[gap.slot].generation};
    }
    r->substeps++;
}

static void recall_joint_guess(cairn_world *w) {
    for (int i = 1; i < w->joints; i++)
        for (int k = 0; k < CAIRN_JOINT_ROWS; k++)
            w->joint[i].data.gamma[k] = w->joint[i].guess[k];
}

/* The part once more, from where it began. */
static cairn_status make_anew(cairn_world *w, double h, int resolves, bool torn, cairn_step_report *r, remains *left) {
    *left = (remains){0};
    recall_joint_guess(w);
    w->torn = torn;
    cairn_status status = attempt(w, h, resolves, r, left);
    w->torn = false;
    return status;
}

/* A part that is kept though it is not certified, or leaves its joints wide open: they are torn apart, and near such a place a velocity that closes them to first order may be a thousand times too
 * large. It is made once more by motions that gain no energy (solve/driver/passive_motion.h), and kept so where it gained any, or where that leaves the smaller gap. Else it is solved again, with less work left: that may gain too. */
static cairn_status give_way(cairn_world *w, double h, int resolves, cairn_step_report *r, remains *left) {
    double rigid = left->gap.size;
    bool gained = cairn_world_gains(w, ROUNDING);
    if (!gained && !(rigid > TORN * w->def.tolerance_joint))
        return CAIRN_OK;
    cairn_status status = make_anew(w, h, 0, true, r, left);
    if (status != CAIRN_OK || gained || left->gap.size < rigid)
        return status;
    status = make_anew(w, h, resolves, false, r, left);
    return status == CAIRN_OK && cairn_world_gains(w, ROUNDING) ? make_anew(w, h, 0, true, r, left) : status;
}

/* Where a part that is not good is cut: where the first pair would begin to overlap deeply; in the middle for joints; early where pairs overlap at once. 0: it is small enough, and kept. again: it ends
 * where an attempt before it was cut, and was to be good: shorter by a quarter at least, as it might go on so by a hair's breadth at a time. */
static double cut_of(const cairn_world *w, double h, bool again, const remains *left) {
    double whole = w->def.step / w->def.substeps;
    bool timed = left->gap.size <= CAIRN_JOINT_OPEN * w->def.tolerance_joint && left->timed;
    if (!timed)
        return h > 1.5 * whole / (1 << SPLIT_MAX) ? 0.5 * h : 0.0;
    if (left->when > AT_ONCE * h)
        return fmin(left->when, h * (again ? SHORTER : 1.0 - AT_ONCE));
    return h > whole * LEAST ? h / 16.0 : 0.0;
}

static bool may_cut(const cairn_world *w, const cairn_step_report *r) {
    return r->substeps < PARTS_MOST && r->solves < SOLVES_IN_ALL && cairn_world_may_cut(w);
}

/* Bodies that nothing acts on and that whirl show without a solve where the part must be cut. */
static cairn_status foresee(cairn_world *w, double h, bool again, remains *left, double *cut) {
    cairn_world_no_waits(w);
    cairn_status status = cairn_world_foresee(w, &left->deep, &left->when);
    if (status == CAIRN_OK && left->deep > 0) {
        left->timed = true;
        *cut = cut_of(w, h, again, left);
    }
    return status;
}

/* The stretch h in one part, or in two when the joints do not close or bodies sink in. again: it is what such a cut has left. What the failed attempt said of certificates does not count. */
static cairn_status advance(cairn_world *w, double h, bool again, cairn_step_report *r) {
    remains left = {0};
    cairn_step_report before = *r;
    if (!again && h > w->stretch && may_cut(w, r)) {
        double first = w->stretch;
        cairn_status status = advance(w, first, true, r);
        return status == CAIRN_OK ? advance(w, h - first, false, r) : status;
    }
    for (int i = 1; i < w->joints; i++)
        for (int k = 0; k < CAIRN_JOINT_ROWS; k++)
            w->joint[i].guess[k] = w->joint[i].data.gamma[k];
    bool smallest = h < 1.5 * w->def.step / w->def.substeps / (1 << SPLIT_MAX);
    int resolves = smallest ? PATIENCE * w->def.max_resolves : w->def.max_resolves;
    double cut = 0.0;
    w->failed = w->creates = false;
    cairn_status status = begin(w, h, r);
    if (status == CAIRN_OK && may_cut(w, r) && cairn_flex_turn(w) > TURN_MOST)
        cut = h / ceil(cairn_flex_turn(w) / TURN_CUT);
    if (status == CAIRN_OK && may_cut(w, r) && cut == 0.0)
        status = foresee(w, h, again, &left, &cut);
    if (status == CAIRN_OK && cut == 0.0)
        status = solve_until_closed(w, resolves, r, &left);
    if (status != CAIRN_OK)
        return status;
    bool good = left.gap.size <= CAIRN_JOINT_OPEN * w->def.tolerance_joint && left.deep == 0;
    good = good && (cut > 0.0 || !(w->creates || cairn_world_leaps(w, LEAP)));
    if (cut == 0.0 && !good && !w->unsolved && may_cut(w, r)) {
        cut = cut_of(w, h, again, &left);
        w->stretch = left.timed && cut > 0.0 ? 0.0 : w->stretch;
    }
    if (cut == 0.0) {
        if (!good || w->failed)
            status = give_way(w, h, resolves, r, &left);
        if (status != CAIRN_OK)
            return status;
        r->missed += before.missed;
        if (left.deep > 0)
            cairn_world_join_waits(w);
        settle(w, r, left.gap);
        w->stretch = isinf(w->stretch) ? INFINITY : GROWS * h;
        return CAIRN_OK;
    }
    r->certified = before.certified;
    r->missed = before.missed;
    r->fallbacks = before.fallbacks;
    recall_joint_guess(w);
    status = advance(w, cut, true, r);
    return status == CAIRN_OK ? advance(w, h - cut, false, r) : status;
}

/* Joints that stayed open make a step that is not certified; the note begins with them. */
static void judge_joints(const cairn_world *w, cairn_step_report *r) {
    double allowed = CAIRN_JOINT_OPEN * w->def.tolerance_joint;
    char words[128];
    r->joints_closed = r->joint_gap <= allowed;
    if (r->joints_closed)
        return;
    r->certified = false;
    snprintf(words, sizeof words, "the joint in slot %u stays open by %.3g %s, more than %.3g",
             (unsigned)r->worst_joint.slot, r->joint_gap, r->joint_turns ? "rad" : "m", allowed);
    cairn_note_first(&r->info, words);
}

void cairn_world_drop_loads(cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        w->rigid[i].force = w->rigid[i].torque = cairn_vec3_of(0, 0, 0);
    cairn_flex_drop_loads(w);
}

/* Remembers the state, or puts it back after parts of a step that failed. */
static void keep_state(cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        w->rigid_before[i] = w->rigid[i];
    cairn_flex_keep(w);
    for (int i = 1; i < w->joints; i++)
        w->joint[i].before = w->joint[i].data;
}

static void put_back(cairn_world *w, double time, double last_h, int parts) {
    w->looked_h = 0.0;
    for (int i = 1; i < w->slots; i++)
        w->rigid[i] = w->rigid_before[i];
    cairn_flex_put_back(w);
    for (int i = 1; i < w->joints; i++)
        w->joint[i].data = w->joint[i].before;
    for (int i = 1; i < w->joints; i++)
        w->joint[i].open = INFINITY;
    w->time = time;
    w->last_h = last_h;
    if (parts > 0) {
        cairn_touches spoiled = w->last;
        w->last = w->before;
        w->before = spoiled;
    }
}

/* Overlaps that the motion has left are parted, and judged; the contacts found are those that the next step begins with. */
static cairn_status end_step(cairn_world *w, cairn_step_report *r) {
    int projections = r->projections;
    w->h = w->def.step / w->def.substeps;
    cairn_status status = cairn_world_look(w);
    if (status == CAIRN_OK)
        status = cairn_world_part_overlaps(w, r);
    if (status != CAIRN_OK)
        return status;
    cairn_world_judge_depth(w, r);
    if (r->projections > projections) {
        cairn_energy now = cairn_world_energy(w);
        r->energy.potential = now.potential;
        r->energy.kinetic = now.kinetic;
    }
    return CAIRN_OK;
}

static cairn_status step(cairn_world *w, cairn_step_report *report) {
    cairn_step_report r = {.certified = true};
    double begin = cairn_now(), start = w->time, end = start + w->def.step, last_h = w->last_h;
    keep_state(w);
    cairn_world_clear_reactions(w);
    cairn_flex_clear_reactions(w);
    if (w->loads != NULL)
        w->loads(w->loads_user, w, w->time);
    for (int i = 0; i < w->def.substeps; i++) {
        cairn_world_allow(w, i);
        w->stretch = INFINITY;
        cairn_status status = advance(w, w->def.step / w->def.substeps, false, &r);
        if (status != CAIRN_OK) {
            put_back(w, start, last_h, r.substeps);
            return status;
        }
    }
    cairn_status status = end_step(w, &r);
    if (status != CAIRN_OK) {
        put_back(w, start, last_h, r.substeps);
        return status;
    }
    w->time = end;
    cairn_world_drop_loads(w);
    for (int i = 1; i < w->joints; i++)
        r.joints += w->joint[i].generation % 2 == 1;
    judge_joints(w, &r);
    double judged = elements_begin(w);
    cairn_flex_judge_inverted(w, &r);
    elements_end(w, &r, judged);
    cairn_world_find_opposed(w, r.opposed);
    r.step = ++w->steps;
    r.time = w->time;
    r.seconds_total = cairn_now() - begin;
    r.seconds_collide = r.seconds_total - r.seconds_assemble - r.seconds_solve;
    if (report != NULL)
        *report = r;
    return CAIRN_OK;
}

cairn_status cairn_world_step(cairn_world *w, cairn_step_report *report) {
    cairn_status status = cairn_world_enter(w, "cairn_world_step");
    if (status != CAIRN_OK)
        return status;
    status = step(w, report);
    cairn_world_leave(w);
    return status;
}
