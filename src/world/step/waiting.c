/*
 * waiting.c: where a part of a step that is not good has to be kept, because nothing is left of the step's allowance or it is too short to be cut.
 *
 * Bodies that would then enter or pass each other stop short of that: they move up to the time at which it begins and wait there
 * until the part ends, and so does all that contacts and joints of the problem connect them with. The next part finds them next to
 * each other, and has their contact from the start. Impulses are those of the answer. So are velocities, less the work of gravity
 * on the way that was not gone: all velocities of bodies that wait together are scaled by
 *
 *     s^2 = 1 - sum of t m g'v / T,   t the time that they wait, T = sum of v'Hv/2, where they fall.
 *
 * With impulses p = H (v - v_free) and p'v <= 0 also (s v)'H (s v - v_free) <= 0: no energy comes from this. Taken from the fall of
 * each body alone it would: bodies that lean over turn by their weight. The step is not certified.
 */
#include "base/groups.h"
#include "world/model/world_data.h"

#include <math.h>

void cairn_world_no_waits(cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        w->until[i] = INFINITY;
}

void cairn_world_wait(cairn_world *w, int a, int b, double time) {
    w->until[a] = fmin(w->until[a], time);
    w->until[b] = fmin(w->until[b], time);
}

/* Contacts that the answer closes and that no solve has had. */
static void wait_for_missed(cairn_world *w) {
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        if (!c->active || c->solved || c->soft)
            continue;
        cairn_vec3 arm_a = cairn_vec3_sub(c->on_a, w->rigid[c->a].x), arm_b = cairn_vec3_sub(c->on_b, w->rigid[c->b].x);
        cairn_vec3 va = cairn_vec3_add(w->end_v[c->a], cairn_vec3_cross(w->end_spin[c->a], arm_a));
        cairn_vec3 vb = cairn_vec3_add(w->end_v[c->b], cairn_vec3_cross(w->end_spin[c->b], arm_b));
        double u = cairn_vec3_dot(c->normal, cairn_vec3_sub(vb, va)), gap = fmax(0.0, c->gap);
        if (gap + w->h * u < 0.0)
            cairn_world_wait(w, c->a, c->b, gap / -u);
    }
}

static bool moves(const cairn_world *w, int slot) {
    const cairn_slot *s = &w->slot[slot];
    return s->generation % 2 == 1 && s->kind == CAIRN_BODY_DYNAMIC && s->flex == NULL;
}

/* What bodies that wait keep of their velocities; in a group all the same. */
static void pay_for_falls(cairn_world *w) {
    for (int i = 1; i < w->slots; i++) {
        w->keeps[i] = w->falls[i] = 0.0;
        w->until[i] = w->until[cairn_group_root(w->parent, i)];
    }
    for (int i = 1; i < w->slots; i++) { /* sums over a group, in its root */
        int root = cairn_group_root(w->parent, i);
        if (!(w->until[i] < w->h) || !moves(w, i))
            continue;
        w->falls[root] += w->rigid[i].mass * cairn_vec3_dot(w->def.gravity, w->end_v[i]);
        w->keeps[root] += cairn_kinetic(&w->rigid[i], w->end_v[i], w->end_w[i]);
    }
    for (int i = 1; i < w->slots; i++)
        if (cairn_group_root(w->parent, i) == i) {
            double lost = w->falls[i] > 0.0 ? (w->h - w->until[i]) * w->falls[i] / w->keeps[i] : 0.0;
            w->keeps[i] = sqrt(fmax(0.0, 1.0 - lost));
        }
    for (int i = 1; i < w->slots; i++)
        w->keeps[i] = w->keeps[cairn_group_root(w->parent, i)];
}

void cairn_world_join_waits(cairn_world *w) {
    wait_for_missed(w);
    for (int i = 1; i < w->slots; i++) {
        int root = cairn_group_root(w->parent, i);
        w->until[root] = fmin(w->until[root], w->until[i]);
    }
    pay_for_falls(w);
}
