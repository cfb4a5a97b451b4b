/*
 * restitution.c: rebounds that create no energy [theory 7].
 *
 * The impulses gamma of the contacts of an island change the kinetic energy by
 *
 *     W = gamma'(u- + u+)/2
 *
 * with the relative velocities u at the contacts, u- when the step began (spin after the free motion), u+ at its end. Newton's law of restitution, u_N+ = -e u_N-, may make W > 0: with friction at
 * a single contact (a rod that sticks with its end while it rebounds; Kane), without friction where a contact that parts is hit by others, because it must not close (9 % of a pile's
 * energy was seen). See Glocker, Leine: Newton's and Poisson's impact law for the non-convex case. With b_N = 0, Moreau's inelastic law, gamma_N u_N+ = 0 and gamma_T'u_T+ <= 0, so
 * gamma'u+ <= 0, and
 *
 *     W = gamma'u+ - gamma'(u+ - u-)/2 = gamma'u+ - p'Hp/2 - h g'Hp/2 <= m h^2 g^2/8,    p = H^-1 D gamma
 *
 * b_N = gap/h > 0 lowers gamma'u+. So without rebounds only gravity's part of the step may gain, by h^2. Therefore the rebounds of an island whose gain min(W, gamma'u+) is positive are all lowered by the same
 * share s, b_N = s e u-. With friction the gain need not be continuous or monotone in s, but s = 0 gains nothing: [0, 1] is a bracket, and the search returns the largest share found whose certified
 * answer gains nothing: regula falsi, within 5 % of what the whole rebounds gained, or the best of TRIES solves. Contacts stay apart, momentum stays balanced, and the island's law is still
 * one with a single coefficient, s e. Islands that gain nothing are untouched.
 *
 * Contacts that give way store energy, overlap^2/(2 compliance); the gain counts what they store. An impact found while its bodies were still apart rebounds one step later [theory 7]. What it
 * lost is `paid`: the rebound may bring back as much. Where other contacts of the island gained at the same time it is less, so that kinetic energy, stored energy and all that is paid never
 * rise together.
 *
 * Overlaps closed by velocity, contacts that bend away from their tangents (curve of cairn_touch) and drift, which moves bodies beside their spin, make contacts part too: b_N < 0, b_T != 0. The share lowers these as
 * well, in islands without restitution too. What they leave of an overlap is parted on positions. W of flexible parts has what their elements add to kinetic and elastic energy. Not looked at:
 * islands with flexible parts, and `rolling`, without restitution.
 */
#include "world/island/restitution.h"
#include "world/island/assemble.h"
#include "world/flexible/flexible.h"

#include <math.h>

enum { TRIES = 8 };
#define SLACK   1e-3 /* of the energy of spins that turn by 1 rad in a step */
#define ELASTIC 1e-3 /* of the energies of flexible parts, which a step keeps no better */
#define NEAR    0.05 /* of the first gain: what may be lost below the share that gains nothing */

/* Has a contact of the island restitution? */
static bool rebounds(const cairn_world *w, const cairn_island *island) {
    bool any = false;
    for (int i = 0; i < island->touches && !any; i++)
        any = w->now.item[island->touch[i]].restitution > 0.0;
    return any;
}

bool cairn_island_may_gain(const cairn_world *w, const cairn_island *island) {
    return island->touches > 0 && ((!w->def.rolling && island->elastic == 0) || rebounds(w, island));
}

/* May this contact make more than closing() allows? */
static bool is_active(const cairn_world *w, const cairn_touch *c, double fall) {
    bool gives = c->restitution > 0.0 || c->compliance > 0.0 || c->adhesion > 0.0 || isfinite(c->cap) || c->soft;
    bool bends = c->curve[0] != 0.0 || c->curve[1] != 0.0 || c->curve[2] != 0.0;
    return gives || bends || c->gap < -fall || w->held[c->a].apart || w->held[c->b].apart;
}

bool cairn_island_could_gain(const cairn_world *w, const cairn_island *island) {
    double fall = w->h * w->h * cairn_vec3_length(w->def.gravity), drift = 0.0;
    bool any = island->elastic > 0;
    for (int i = 0; i < island->touches && !any; i++)
        any = is_active(w, &w->now.item[island->touch[i]], fall);
    for (int i = 0; i < island->bodies && !any; i++)
        drift = fmax(drift, w->slot[island->body[i]].reach * cairn_vec3_length(w->drift[island->body[i]]));
    return any || 2.0 * drift > island->info.certificate.error;
}

/* Velocities at a contact, of b's side against a's. */
typedef struct velocities {
    cairn_vec3 start, end, path; /* when the step began, at its end; along which it moves in the step */
} velocities;

/* Adds those of the point of one body; at: of a flexible part. A body whose motion is given moves alike in the whole step. */
static void add_side(const cairn_world *w, int slot, const cairn_spread *at, cairn_vec3 point, double sign,
                     velocities *u) {
    const cairn_rigid *r = &w->rigid[slot];
    if (at->count > 0) {
        const cairn_flex *f = w->slot[slot].flex;
        cairn_vec3 last = cairn_spread_of(at, f->end_v);
        u->start = cairn_vec3_add_scaled(u->start, sign, cairn_spread_of(at, f->part->v));
        u->end = cairn_vec3_add_scaled(u->end, sign, last);
        u->path = cairn_vec3_add_scaled(u->path, sign, last);
        return;
    }
    if (w->slot[slot].kind == CAIRN_BODY_FIXED)
        return;
    bool given = w->held[slot].apart || w->slot[slot].kind != CAIRN_BODY_DYNAMIC;
    cairn_vec3 arm = cairn_vec3_sub(point, r->x), end = cairn_quat_rotate(r->q, w->end_w[slot]);
    cairn_vec3 start = given ? end : cairn_quat_rotate(r->q, w->free_w[slot]);
    cairn_vec3 path = cairn_vec3_add(end, cairn_quat_rotate(r->q, w->drift[slot]));
    cairn_vec3 start_v = given ? w->end_v[slot] : w->start_v[slot];
    u->start = cairn_vec3_add_scaled(u->start, sign, cairn_vec3_add(start_v, cairn_vec3_cross(start, arm)));
    u->end = cairn_vec3_add_scaled(u->end, sign, cairn_vec3_add(w->end_v[slot], cairn_vec3_cross(end, arm)));
    u->path = cairn_vec3_add_scaled(u->path, sign, cairn_vec3_add(w->end_v[slot], cairn_vec3_cross(path, arm)));
}

static velocities velocities_of(const cairn_world *w, const cairn_touch *c) {
    velocities u = {0};
    const cairn_spread *at = cairn_touch_sides(c);
    add_side(w, c->a, &at[0], c->on_a, -1.0, &u);
    add_side(w, c->b, &at[1], c->on_b, 1.0, &u);
    return u;
}

/* What the contact has stored more at the end of the step, J. */
static double stored(const cairn_world *w, const cairn_touch *c, const velocities *u) {
    if (c->compliance == 0.0)
        return 0.0;
    double before = fmax(0.0, -c->gap), after = fmax(0.0, -c->gap - w->h * cairn_vec3_dot(c->normal, u->path));
    return 0.5 * (after - before) * (after + before) / c->compliance;
}

/* What the impact of the contact has lost when its rebound comes in the next step. */
static double late_loss(const cairn_touch *c, const velocities *u) {
    bool late = c->gap > 1e-9 && c->gamma[0] > 0.0 && c->restitution > 0.0 && c->remembered == 0.0;
    double normal = cairn_vec3_dot(c->normal, cairn_vec3_add(u->start, u->end));
    return late ? fmax(0.0, -0.5 * c->gamma[0] * normal) : 0.0;
}

/* What is let pass where bodies turn: the implicit midpoint of spins keeps their energy no better. */
static double slack(const cairn_world *w, const cairn_island *island) {
    double sum = 0.0;
    for (int i = 0; i < island->bodies; i++) {
        int slot = island->body[i];
        cairn_vec3 spin = w->free_w[slot];
        double turn = fmin(w->h * cairn_vec3_length(spin), 1.0);
        if (w->slot[slot].kind == CAIRN_BODY_DYNAMIC && w->slot[slot].flex == NULL)
            sum += 0.5 * SLACK * turn * turn * cairn_vec3_dot(spin, cairn_mat3_apply(&w->rigid[slot].inertia, spin));
    }
    return sum;
}

/* An overlap that is left to velocities: what closing it may bring, up to what a step of gravity brings. */
static double closing(const cairn_world *w, const cairn_touch *c) {
    double fall = w->h * cairn_vec3_length(w->def.gravity);
    return c->gamma[0] * fmin(fmax(0.0, -c->gap) / w->h, fall);
}

/* What elements of flexible parts add to kinetic and elastic energy, J. */
static double elastic(const cairn_world *w, cairn_lane *lane, const cairn_island *island, double *size) {
    double sum = 0.0;
    for (int i = 0; i < island->bodies; i++) {
        const cairn_flex *f = w->slot[island->body[i]].flex;
        if (f == NULL)
            continue;
        cairn_fem_gain gain = cairn_fem_part_gain(f->part, lane->context, w->h, f->end_v);
        sum += gain.mean;
        *size += gain.kinetic + gain.elastic;
    }
    return sum;
}

cairn_island_gain cairn_island_gains(const cairn_world *w, cairn_lane *lane, const cairn_island *island) {
    cairn_island_gain sum = {0};
    double error = island->info.certificate.error, after = 0.0, other = 0.0;
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        velocities u = velocities_of(w, c);
        cairn_vec3 p = cairn_vec3_scale(c->gamma[0], c->normal);
        for (int k = 0; k < 2; k++)
            p = cairn_vec3_add_scaled(p, c->gamma[1 + k], c->tangent[k]);
        after += cairn_vec3_dot(p, u.end);
        sum.all += 0.5 * cairn_vec3_dot(p, cairn_vec3_add(u.start, u.end));
        other += stored(w, c, &u) - c->paid;
        sum.late += late_loss(c, &u);
        double speed = cairn_vec3_length(u.start) + cairn_vec3_length(u.end);
        sum.allowed += cairn_vec3_length(p) * (error + 1e-12 * (1.0 + speed)) + closing(w, c);
    }
    double size = 0.0;
    sum.all += elastic(w, lane, island, &size);
    sum.allowed += slack(w, island) + ELASTIC * size;
    sum.rebounds = fmin(sum.all, after) + other;
    sum.all += other;
    return sum;
}

void cairn_island_pay(cairn_world *w, cairn_lane *lane, const cairn_island *island) {
    cairn_island_gain gain = rebounds(w, island) ? cairn_island_gains(w, lane, island) : (cairn_island_gain){0};
    double share = gain.late > 0.0 ? fmin(1.0, fmax(0.0, -gain.all) / gain.late) : 0.0;
    for (int i = 0; i < island->touches; i++) {
        cairn_touch *c = &w->now.item[island->touch[i]];
        velocities u = share > 0.0 ? velocities_of(w, c) : (velocities){0};
        c->pays = share * late_loss(c, &u);
    }
}

cairn_rebound_search cairn_rebound_begin(double gain) {
    return (cairn_rebound_search){.high = 1.0, .gain_high = gain, .first = gain};
}

/* The share to try between those that gain nothing and something; the best one when there were enough tries. */
static double next_share(const cairn_rebound_search *s) {
    double aim = s->limit - 0.5 * NEAR * s->first;
    double part = (aim - s->gain_low) / fmax(s->gain_high - s->gain_low, 1e-300);
    return s->tries > TRIES ? s->low : s->low + (s->high - s->low) * fmin(fmax(part, 0.05), 0.95);
}

bool cairn_rebound_next(cairn_rebound_search *s, double gain, double allowed, bool certified) {
    bool good = certified && gain <= s->limit + allowed;
    s->tries++;
    if (s->tries == 1) { /* none of the rebounds */
        s->limit = fmax(gain, 0.0);
        s->gain_low = gain;
        if (!certified || s->first <= s->limit + allowed) { /* they are not to blame */
            s->share = s->low = 1.0;
            return true;
        }
    } else if (s->share == s->low) { /* the best one, solved again: it may have another answer */
        if (good || s->low == 1.0 || (s->low == 0.0 && certified))
            return false;
        s->share = s->low = s->low > 0.0 ? 0.0 : 1.0;
        return true;
    } else if (good) {
        s->low = s->share;
        s->gain_low = gain;
        if (gain >= s->limit - NEAR * s->first || s->tries > TRIES)
            return false;
    } else {
        s->high = s->share;
        s->gain_high = fmax(gain, s->limit);
    }
    s->share = next_share(s);
    return true;
}
