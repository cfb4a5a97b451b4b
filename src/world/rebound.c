/*
 * rebound.c: frictionless rebounds that create no energy [theory 7].
 *
 * A step without friction has u+ = u_f + N gamma, 0 <= gamma _|_ u+ + b >= 0, where u_f is the velocity of free motion, b = phi/h, or e u- < 0 at contacts that close. Its
 * impulses change the kinetic energy by
 *
 *     W = gamma'(u_f + u+)/2 = -gamma'b - gamma'N gamma/2
 *
 * With all b >= 0 nothing is gained. With b = e u- for every contact that has an impulse (Moreau's law) nothing is gained either. But a contact that parts, u- > 0, may not be pressed
 * together by others: it has b = phi/h and not e u- > 0, which would let it close, and bodies overlap. Where such a contact is hit W may be positive (9 % of the energy of a pile was seen).
 *
 * Then the rebounds of the island are all lowered by the same share s: b = s e u-. W is continuous in s and not positive at s = 0, so there is a share at which nothing is gained. It is
 * enclosed by W < 0 and W > 0 and found by regula falsi, within 5 % of what the whole rebounds gained, or the best share below it after TRIES solves. Contacts stay apart, momentum stays
 * balanced, and the island's law is still one with a single coefficient, s e. Steps that gain nothing are untouched.
 *
 * An impact found while its bodies were still apart rebounds one step later [theory 7]. What it lost is `paid`: the rebound may bring back as much. Where other contacts of the island
 * gained at the same time it is less, so that kinetic energy and all that is paid never rise together.
 *
 * Small overlaps are closed by velocity, and bodies that turn bend away from their tangents (curve of cairn_touch): both may make a little energy, without restitution too, and are let pass.
 *
 * Not looked at: islands with friction, where Newton's law may create energy and the step reports it; contacts that give way or stick, which store energy; flexible parts.
 */
#include "rebound.h"
#include "assemble.h"

#include <math.h>

enum { TRIES = 8 };
#define NEAR 0.05 /* of the first gain: what may be lost below the share that gains nothing */

bool cairn_island_rebounds(const cairn_world *w, const cairn_island *island) {
    bool any = false;
    for (int i = 0; i < island->touches && !any; i++)
        any = w->now.item[island->touch[i]].restitution > 0.0;
    return any && island->elastic == 0;
}

bool cairn_island_is_smooth(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        if (c->mu > 0.0 || c->compliance > 0.0 || c->adhesion > 0.0)
            return false;
    }
    return !w->def.rolling;
}

/* Velocity of the point of a body, at the end of the step and by free motion. */
static void point_velocity(const cairn_world *w, int slot, cairn_vec3 point, cairn_vec3 *end, cairn_vec3 *freely) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_vec3 arm = cairn_vec3_sub(point, r->x), v = w->start_v[slot], spin = w->free_w[slot];
    if (w->held[slot].apart) {
        v = w->end_v[slot];
        spin = w->end_w[slot];
    } else if (w->slot[slot].kind == CAIRN_BODY_DYNAMIC) {
        cairn_vec3 tau = cairn_quat_rotate(cairn_quat_conjugate(r->q), r->torque);
        v = cairn_vec3_add_scaled(cairn_vec3_add_scaled(v, w->h, w->def.gravity), w->h / r->mass, r->force);
        spin = cairn_vec3_add_scaled(spin, w->h, cairn_mat3_solve(&r->inertia, tau));
    }
    *freely = cairn_vec3_add(v, cairn_vec3_cross(cairn_quat_rotate(r->q, spin), arm));
    *end = cairn_vec3_add(w->end_v[slot], cairn_vec3_cross(cairn_quat_rotate(r->q, w->end_w[slot]), arm));
}

/* Normal velocity of the contact at the end of the step and by free motion. */
static void normal_velocity(const cairn_world *w, const cairn_touch *c, double *end, double *freely) {
    cairn_vec3 a, b, free_a, free_b;
    point_velocity(w, c->a, c->on_a, &a, &free_a);
    point_velocity(w, c->b, c->on_b, &b, &free_b);
    *end = cairn_vec3_dot(c->normal, cairn_vec3_sub(b, a));
    *freely = cairn_vec3_dot(c->normal, cairn_vec3_sub(free_b, free_a));
}

/* How fast the contact must part though nothing rebounds: out of a small overlap, or off a tangent. */
static double push(const cairn_world *w, const cairn_touch *c, double share) {
    double plain = cairn_contact_bias(w, c, 0.0);
    return plain < 0.0 && cairn_contact_bias(w, c, share) == plain ? -plain : 0.0;
}

double cairn_island_gain(const cairn_world *w, const cairn_island *island, double share, double *allowed) {
    double gain = 0.0, error = island->info.certificate.error;
    *allowed = 0.0;
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        double end, freely;
        normal_velocity(w, c, &end, &freely);
        gain += 0.5 * c->gamma[0] * (end + freely) - c->paid;
        *allowed += fabs(c->gamma[0]) * (error + push(w, c, share) + 1e-12 * (1.0 + fabs(end) + fabs(freely)));
    }
    return gain;
}

void cairn_island_pay(cairn_world *w, const cairn_island *island) {
    double allowed, all = -cairn_island_gain(w, island, 1.0, &allowed), sum = 0.0;
    for (int i = 0; i < island->touches; i++) {
        cairn_touch *c = &w->now.item[island->touch[i]];
        double end, freely;
        normal_velocity(w, c, &end, &freely);
        bool late = c->gap > 1e-9 && c->gamma[0] > 0.0 && c->restitution > 0.0 && c->remembered == 0.0;
        c->pays = late ? fmax(0.0, -0.5 * c->gamma[0] * (end + freely)) : 0.0;
        sum += c->pays;
    }
    double share = sum > 0.0 ? fmin(1.0, fmax(0.0, all) / sum) : 0.0;
    for (int i = 0; i < island->touches; i++)
        w->now.item[island->touch[i]].pays *= share;
}

cairn_rebound_search cairn_rebound_begin(double gain) {
    return (cairn_rebound_search){.high = 1.0, .gain_high = gain, .first = gain};
}

bool cairn_rebound_next(cairn_rebound_search *s, double gain, double allowed) {
    s->tries++;
    bool gained = gain > allowed;
    if (s->share == s->low && s->tries > 1)
        return false; /* the best one, solved again */
    if (s->share == 0.0) {
        s->gain_low = fmin(gain, 0.0);
        if (gained)
            return false; /* not of restitution */
    } else if (gained) {
        s->high = s->share;
        s->gain_high = gain;
    } else {
        s->low = s->share;
        s->gain_low = gain;
        if (gain >= -NEAR * s->first || s->tries > TRIES)
            return false;
    }
    double aim = -0.5 * NEAR * s->first, wide = s->high - s->low;
    double part = (aim - s->gain_low) / fmax(s->gain_high - s->gain_low, 1e-300);
    s->share = s->tries > TRIES ? s->low : s->low + wide * fmin(fmax(part, 0.05), 0.95);
    return true;
}
