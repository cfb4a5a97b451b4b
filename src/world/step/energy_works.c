/*
 * energy_works.c: where the energy of a step goes [theory 7].
 *
 * A step changes the kinetic energy of the rigid bodies by h f'm + gamma'D'm, m = (v + v*)/2, where v* is the velocity when the step began, spin after the free
 * motion: implicit midpoint keeps the energy of the spin. So each impulse and each load has its share, exact but for the momentum that the solver leaves over:
 *
 *     friction, impact, created:  of contacts, by the velocity of one side against the other; created is what all of them together made
 *     joints:  on the bodies that are not driven, by all rows, and by what tension adds to H
 *     loads:   forces and torques, and what holds kinematic bodies on their way against contacts
 *
 * What kinetic, potential and elastic energy change beyond these is the time stepping's own: x + h v instead of x + h m under gravity (it adds up to at most h/2 g'mv),
 * bodies that were parted; and the forces of flexible parts, which are implicit. Damping takes h v'R v of the velocities at the end, flow -gamma u of its rows.
 */
#include "world/flexible/flexible.h"

#include <math.h>

void cairn_energy_add(cairn_energy *sum, const cairn_energy *step) {
    if (sum == NULL || step == NULL)
        return;
    sum->friction += step->friction;
    sum->impact += step->impact;
    sum->created += step->created;
    sum->joints += step->joints;
    sum->loads += step->loads;
    sum->damping += step->damping;
    sum->flow += step->flow;
}

/* Half the sum. */
static cairn_vec3 mean(cairn_vec3 a, cairn_vec3 b) {
    return cairn_vec3_scale(0.5, cairn_vec3_add(a, b));
}

static bool is_driven(const cairn_world *w, int slot) {
    return w->slot[slot].generation % 2 == 1 && w->slot[slot].kind == CAIRN_BODY_KINEMATIC;
}

/* Work of impulse p on a body whose motion is given. */
static double given_work(const cairn_world *w, int slot, cairn_vec3 point, cairn_vec3 p) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_vec3 spin = cairn_quat_rotate(r->q, w->end_w[slot]);
    return cairn_vec3_dot(p, cairn_vec3_add(w->end_v[slot], cairn_vec3_cross(spin, cairn_vec3_sub(point, r->x))));
}

void cairn_world_contact_work(const cairn_world *w, const cairn_touch *c, cairn_vec3 before, cairn_vec3 after,
                              cairn_energy *energy) {
    energy->impact -= 0.5 * c->gamma[0] * (before.x + after.x);
    energy->friction -= 0.5 * (c->gamma[1] * (before.y + after.y) + c->gamma[2] * (before.z + after.z));
    if (!is_driven(w, c->a) && !is_driven(w, c->b))
        return;
    cairn_vec3 p = cairn_vec3_scale(c->gamma[0], c->normal);
    for (int k = 0; k < 2; k++)
        p = cairn_vec3_add_scaled(p, c->gamma[1 + k], c->tangent[k]);
    if (is_driven(w, c->a))
        energy->loads += given_work(w, c->a, c->on_a, p);
    if (is_driven(w, c->b))
        energy->loads -= given_work(w, c->b, c->on_b, p);
}

/* Of one end of a joint; row: its part of the row. */
static double end_work(const cairn_world *w, const cairn_joint_slot *j, int end, int slot, const double *row) {
    if (slot == 0 || w->slot[slot].kind != CAIRN_BODY_DYNAMIC)
        return 0.0;
    cairn_vec3 along = {row[0], row[1], row[2]}, about = {row[3], row[4], row[5]};
    if (end < 2 && j->at[end].count > 0) {
        const cairn_flex *f = w->slot[slot].flex;
        return cairn_vec3_dot(along,
                              mean(cairn_spread_of(&j->at[end], f->part->v), cairn_spread_of(&j->at[end], f->end_v)));
    }
    return cairn_vec3_dot(along, mean(w->start_v[slot], w->end_v[slot])) +
           cairn_vec3_dot(about, mean(w->free_w[slot], w->end_w[slot]));
}

static double joint_work(const cairn_world *w, int joint) {
    const cairn_joint_slot *j = &w->joint[joint];
    double work = 0.0;
    for (int k = 0; j->generation % 2 == 1 && k < j->rows.rows; k++) {
        const cairn_joint_row *r = &j->rows.row[k];
        work += j->data.gamma[k] *
                (end_work(w, j, 0, j->data.a, r->a) + end_work(w, j, 1, j->data.b, r->b) +
                 (j->data.def.kind == CAIRN_JOINT_GEAR ? end_work(w, j, 2, j->data.carrier, r->c) : 0.0));
    }
    return work;
}

/* Of what tension adds to the inertia of a rigid body. */
static double tension_work(const cairn_world *w, int slot) {
    if (!w->stiffened || w->slot[slot].flex != NULL)
        return 0.0;
    cairn_vec3 pull = cairn_vec3_sub(w->stiff_k[slot], cairn_mat3_apply(&w->stiff[slot], w->end_w[slot]));
    return cairn_vec3_dot(mean(w->free_w[slot], w->end_w[slot]), pull);
}

double cairn_island_joint_work(const cairn_world *w, const cairn_island *island) {
    double work = 0.0;
    for (int i = 0; i < island->joints; i++)
        work += joint_work(w, island->joint[i]);
    for (int i = 0; i < island->bodies; i++)
        work += tension_work(w, island->body[i]);
    return work;
}

/* Forces and torques of one body; tension too where it adds to H. */
static void body_work(const cairn_world *w, int slot, cairn_energy *energy) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_vec3 turn = mean(w->free_w[slot], w->end_w[slot]);
    cairn_vec3 torque = cairn_quat_rotate(cairn_quat_conjugate(r->q), r->torque);
    energy->loads += w->h *
                     (cairn_vec3_dot(r->force, mean(w->start_v[slot], w->end_v[slot])) + cairn_vec3_dot(torque, turn));
    energy->joints += tension_work(w, slot);
}

/* Forces on the nodes of a flexible part. */
static double node_work(const cairn_world *w, const cairn_flex *f) {
    double work = 0.0;
    for (int k = 0; k < 3 * f->part->vectors; k++)
        if (f->part->load[k] != 0.0 && !cairn_flex_held(f, k / 3, k % 3))
            work += 0.5 * w->h * f->part->load[k] * (f->part->v[k] + f->end_v[k]);
    return work;
}

/* Taken by plastic flow: stress times plastic strain rate, h V s:p, p = -u. */
static double flow_work(const cairn_flex *f) {
    double work = 0.0;
    for (int k = 0; f->yield != NULL && k < CAIRN_FEM_YIELD_ROWS * f->part->view.elements; k++)
        work -= cairn_fem_yield_impulse(f->yield, k) * f->yield->u[k];
    return work;
}

/* Velocity of the point of one side when the step began. */
static cairn_vec3 start_velocity(const cairn_world *w, int slot, const cairn_spread *at, cairn_vec3 point) {
    const cairn_rigid *r = &w->rigid[slot];
    if (at->count > 0)
        return cairn_spread_of(at, w->slot[slot].flex->part->v);
    return cairn_vec3_add(w->start_v[slot],
                          cairn_vec3_cross(cairn_quat_rotate(r->q, w->free_w[slot]), cairn_vec3_sub(point, r->x)));
}

/* Contacts hand energy on, one to another and from normals to tangents, so that single works have either sign. What friction and impact of this part of the step have made together is
 * created, but for what earlier impacts lost whose rebounds came now. energy: of all parts of the step so far. */
static void net_contacts(const cairn_world *w, cairn_energy *energy) {
    double impact = 0.0, back = 0.0;
    if (energy->friction >= 0.0 && energy->impact >= 0.0)
        return;
    for (int i = 0; i < w->last.count; i++) {
        const cairn_touch *c = &w->last.item[i];
        const cairn_spread *at = cairn_touch_sides(c);
        cairn_vec3 before = cairn_vec3_sub(start_velocity(w, c->b, &at[1], c->on_b),
                                           start_velocity(w, c->a, &at[0], c->on_a));
        impact -= 0.5 * c->gamma[0] * (cairn_vec3_dot(c->normal, before) + c->after[0]);
        back += c->paid;
    }
    double least = fmin(0.0, energy->impact - impact) - back, lent = fmin(0.0, energy->friction);
    energy->friction -= lent;
    energy->impact += lent;
    double missing = fmax(0.0, least - energy->impact), rubbed = fmin(missing, energy->friction);
    energy->impact += missing;
    energy->friction -= rubbed;
    energy->created += missing - rubbed;
}

void cairn_world_works(const cairn_world *w, cairn_energy *energy) {
    for (int i = 1; i < w->slots; i++) {
        if (w->slot[i].generation % 2 == 0 || w->slot[i].kind != CAIRN_BODY_DYNAMIC)
            continue;
        if (w->slot[i].flex != NULL) {
            energy->loads += node_work(w, w->slot[i].flex);
            energy->damping += w->slot[i].flex->heat;
            energy->flow += flow_work(w->slot[i].flex);
        } else {
            body_work(w, i, energy);
        }
    }
    for (int i = 1; i < w->joints; i++)
        energy->joints += joint_work(w, i);
    net_contacts(w, energy);
}
