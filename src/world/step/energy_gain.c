/*
 * energy_gain.c: whether islands have more kinetic energy by their answer than they may.
 *
 *     T(end) <= (1 + share) T(free) + what was stored + sum of m (h g)^2       parts that are not certified: cairn_world_gains
 *     work of the joints <= share T(free) + what was stored + what closes them    certified ones too: cairn_world_leaps
 *
 * T(free) is that of free motion. Islands on which motors, imposed motions, kinematic bodies or flexible parts act are left out. Islands that lean on bodies that joints hold are weighed together
 * with those that hold them.
 */
#include "world/flexible/flexible.h"

#include <math.h>

void cairn_free_velocity(const cairn_world *w, int slot, cairn_vec3 *v, cairn_vec3 *spin) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_vec3 tau = cairn_quat_rotate(cairn_quat_conjugate(r->q), r->torque);
    *v = cairn_vec3_add_scaled(cairn_vec3_add_scaled(w->start_v[slot], w->h, w->def.gravity), w->h / r->mass, r->force);
    *spin = cairn_vec3_add_scaled(w->free_w[slot], w->h, cairn_mat3_solve(&r->inertia, tau));
}

double cairn_kinetic(const cairn_rigid *r, cairn_vec3 v, cairn_vec3 spin) {
    return 0.5 * r->mass * cairn_vec3_dot(v, v) + 0.5 * cairn_vec3_dot(spin, cairn_mat3_apply(&r->inertia, spin));
}

/* What contacts and joints that give way, and springs, have stored when the part begins, J. */
static double stored(const cairn_world *w, const cairn_island *island, bool doubted) {
    double sum = 0.0;
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        sum += c->compliance > 0.0 && c->gap < 0.0 ? 0.5 * c->gap * c->gap / c->compliance : 0.0;
    }
    for (int i = 0; i < island->joints; i++)
        sum += cairn_joint_stored(w, &w->joint[island->joint[i]], doubted);
    return sum;
}

/* Does anything but gravity, loads, what is stored, held bodies and what stands still act on it? */
static bool is_driven(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        if (w->slot[c->a].kind == CAIRN_BODY_KINEMATIC || w->slot[c->b].kind == CAIRN_BODY_KINEMATIC)
            return true;
    }
    for (int i = 0; i < island->joints; i++) {
        const cairn_joint_data *j = &w->joint[island->joint[i]].data;
        if (j->def.motor || j->def.motion != NULL || w->slot[j->a].kind == CAIRN_BODY_KINEMATIC ||
            w->slot[j->b].kind == CAIRN_BODY_KINEMATIC)
            return true;
    }
    return island->elastic > 0;
}

/* Does it hold bodies that others lean on, or lean on such? They hand energy on to each other. */
static bool is_tied(const cairn_world *w, const cairn_island *island) {
    bool tied = island->holds;
    for (int i = 0; i < island->touches && !tied; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        tied = w->held[c->a].apart || w->held[c->b].apart;
    }
    return tied;
}

/* Kinetic energy of islands, J. */
typedef struct kinetic_balance {
    double end, allowed; /* by their answer; by free motion, with what they have stored */
    bool driven;         /* something acts on one of them */
} kinetic_balance;

/* Kinetic energy of a body by free motion. */
static double free_energy(const cairn_world *w, int slot) {
    cairn_vec3 v, spin;
    cairn_free_velocity(w, slot, &v, &spin);
    return cairn_kinetic(&w->rigid[slot], v, spin);
}

/* What a body has that closes a joint with this speed, m/s or rad/s. */
static double closing_energy(const cairn_world *w, int slot, double speed) {
    double most = fmax(1.0, w->slot[slot].reach) * speed;
    return w->rigid[slot].mass * most * most;
}

/* Adds an island of a part that is not certified. share: of its kinetic energy, that is let pass. */
static void weigh(const cairn_world *w, const cairn_island *island, double share, kinetic_balance *sum) {
    double fall = w->h * cairn_vec3_length(w->def.gravity);
    sum->driven = sum->driven || is_driven(w, island) || (w->def.rolling && island->joints == 0);
    if (sum->driven)
        return;
    sum->allowed += stored(w, island, true);
    for (int k = 0; k < island->bodies; k++) {
        int slot = island->body[k];
        sum->end += cairn_kinetic(&w->rigid[slot], w->end_v[slot], w->end_w[slot]);
        sum->allowed += (1.0 + share) * free_energy(w, slot) + w->rigid[slot].mass * fall * fall;
    }
}

static bool gains(const kinetic_balance *sum) {
    return !sum->driven && !(sum->end <= sum->allowed);
}

bool cairn_world_gains(const cairn_world *w, double share) {
    kinetic_balance tied = {0};
    bool any = false;
    for (int i = 0; i < w->islands && !any; i++) {
        kinetic_balance own = {0};
        bool ties = is_tied(w, &w->island[i]);
        weigh(w, &w->island[i], share, ties ? &tied : &own);
        any = gains(&own);
    }
    return any || gains(&tied);
}

/* The speed that closes joints which are no more open than a step may leave them. */
static double closing_speed(const cairn_world *w, const cairn_island *island) {
    double most = 0.0;
    for (int i = 0; i < island->joints; i++)
        most = fmax(most, cairn_joint_open(w, &w->joint[island->joint[i]]));
    return most <= CAIRN_JOINT_OPEN * w->def.tolerance_joint ? most / w->h : 0.0;
}

bool cairn_world_leaps(const cairn_world *w, double share) {
    bool any = false;
    for (int i = 0; i < w->islands && !any; i++) {
        const cairn_island *island = &w->island[i];
        if (island->joints == 0 || is_tied(w, island) || is_driven(w, island))
            continue;
        double allowed = stored(w, island, false), closing = closing_speed(w, island);
        for (int k = 0; k < island->bodies; k++)
            allowed += share * free_energy(w, island->body[k]) + closing_energy(w, island->body[k], closing);
        any = !(cairn_island_joint_work(w, island) <= allowed);
    }
    return any;
}
