/*
 * prescribed_nodes.c: nodes of flexible parts whose motion is given, and what they take to be held there.
 *
 * Entries on one node add up, component by component. Two entries that hold the same component must put it at the same place: this is checked when the part is made, and in every
 * step. The motion of an entry is asked for once a step.
 *
 * The reaction is the row of a held component in H v - k - D gamma as it was before the component was held, over the step.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define SAME_PLACE 1e-9 /* of the displacement */

static cairn_status check_hold(cairn_world *w, int i, const cairn_flexible_hold *h, int nodes) {
    if (h->nodes < 0 || (h->nodes > 0 && h->node == NULL))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: hold %d has %d nodes", i, h->nodes);
    for (int k = 0; k < h->nodes; k++)
        if (h->node[k] < 0 || h->node[k] >= nodes)
            return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                              "flexible part: hold %d names node %d; the mesh has %d nodes", i, h->node[k], nodes);
    return CAIRN_OK;
}

cairn_status cairn_flex_check_holds(cairn_world *w, const cairn_flexible_def *def) {
    int nodes = cairn_fem_mesh_get(def->mesh).nodes;
    cairn_status status = CAIRN_OK;
    if (def->holds < 0 || (def->holds > 0 && def->hold == NULL))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: %d holds", def->holds);
    for (int i = 0; i < def->holds && status == CAIRN_OK; i++)
        status = check_hold(w, i, &def->hold[i], nodes);
    return status;
}

/* The component is held by entry i too. An entry that moves it as the first does says nothing new. */
static void share(cairn_flex *f, const cairn_flexible_def *def, int at, int node, int i, int *shares) {
    const cairn_flexible_hold *first = &def->hold[f->hold_of[at]], *own = &def->hold[i];
    if (first->motion == own->motion && (own->motion == NULL || first->user == own->user))
        return;
    if (f->share != NULL)
        f->share[*shares] = (cairn_flex_share){at, node, i};
    ++*shares;
}

/* Returns how many components are held by entries of different motions; they go to f->share when that is there. */
static int take(cairn_flex *f, const cairn_flexible_def *def) {
    cairn_fem_part *p = f->part;
    int shares = 0;
    for (int k = 0; k < 3 * p->vectors; k++)
        f->hold_of[k] = -1;
    for (int i = 0; i < def->holds; i++) {
        const cairn_flexible_hold *h = &def->hold[i];
        const bool free[3] = {h->free_x, h->free_y, h->free_z};
        f->hold[i] = (cairn_flex_hold){.motion = h->motion, .user = h->user};
        for (int k = 0; k < h->nodes; k++) {
            int at = p->view.vector[h->node[k]];
            int next = h->node[k] + 1 < p->view.nodes ? p->view.vector[h->node[k] + 1] : p->vectors;
            for (int c = 0; c < 3; c++) {
                if (free[c])
                    continue;
                p->held[at] |= (unsigned char)(1 << c);
                if (f->hold_of[3 * at + c] < 0)
                    f->hold_of[3 * at + c] = i;
                else
                    share(f, def, 3 * at + c, h->node[k], i, &shares);
            }
            if (h->clamp && next - at == 2)
                p->held[at + 1] = 7; /* a slope that is held stays: hold_of is -1 */
        }
    }
    return shares;
}

cairn_status cairn_flex_take_holds(cairn_world *w, cairn_flex *f, const cairn_flexible_def *def) {
    f->holds = def->holds;
    f->shares = take(f, def);
    if (f->shares == 0)
        return CAIRN_OK;
    f->share = cairn_alloc(w->context, (size_t)f->shares, sizeof *f->share);
    if (f->share == NULL)
        return CAIRN_ERROR_MEMORY;
    (void)take(f, def);
    cairn_status status = cairn_flex_follow(w, f, w->time);
    return status == CAIRN_OK ? cairn_flex_follow(w, f, w->time + w->def.step) : status;
}

cairn_status cairn_flex_follow(const cairn_world *w, cairn_flex *f, double time) {
    for (int i = 0; i < f->holds; i++) {
        cairn_vec3 go = {0, 0, 0};
        if (f->hold[i].motion != NULL)
            go = f->hold[i].motion(f->hold[i].user, time);
        f->hold[i].way[0] = go.x;
        f->hold[i].way[1] = go.y;
        f->hold[i].way[2] = go.z;
    }
    for (int i = 0; i < f->shares; i++) {
        const cairn_flex_share *s = &f->share[i];
        int first = f->hold_of[s->at], c = s->at % 3;
        double one = f->hold[first].way[c], other = f->hold[s->hold].way[c];
        if (!(fabs(one - other) <= SAME_PLACE * fmax(fabs(one), fabs(other))))
            return cairn_fail(
                w->context, CAIRN_ERROR_ARGUMENT,
                "flexible part: holds %d and %d contradict each other: both hold node %d along %c, and at "
                "t = %g s move it by %g m and by %g m",
                first, s->hold, s->node, 'x' + c, time, one, other);
    }
    return CAIRN_OK;
}

cairn_status cairn_flex_follow_all(cairn_world *w, double time) {
    cairn_status status = CAIRN_OK;
    for (int i = 1; i < w->slots && w->flexibles > 0 && status == CAIRN_OK; i++)
        if (w->slot[i].generation % 2 == 1 && w->slot[i].flex != NULL)
            status = cairn_flex_follow(w, w->slot[i].flex, time);
    return status;
}

void cairn_flex_clear_reactions(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++)
        if (w->slot[i].flex != NULL && w->slot[i].flex->holds > 0)
            memset(w->slot[i].flex->reaction, 0, 3 * (size_t)w->slot[i].flex->part->vectors * sizeof(double));
}

/* Subtracts D gamma of a spread point. */
static void subtract(cairn_flex *f, const cairn_spread *at, cairn_vec3 impulse) {
    for (int k = 0; k < at->count; k++) {
        double *r = f->residual + 3 * at->vector[k], weight = at->weight[k];
        r[0] -= weight * impulse.x;
        r[1] -= weight * impulse.y;
        r[2] -= weight * impulse.z;
    }
}

static void subtract_contact(cairn_world *w, const cairn_touch *c) {
    cairn_vec3 impulse = cairn_vec3_scale(c->gamma[0], c->normal);
    for (int k = 0; k < 2; k++)
        impulse = cairn_vec3_add_scaled(impulse, c->gamma[k + 1], c->tangent[k]);
    if (c->at[0].count > 0)
        subtract(w->slot[c->a].flex, &c->at[0], cairn_vec3_scale(-1.0, impulse));
    if (c->at[1].count > 0)
        subtract(w->slot[c->b].flex, &c->at[1], impulse);
}

static void subtract_joint(cairn_world *w, const cairn_joint_slot *j) {
    for (int k = 0; k < j->rows.rows; k++) {
        const double *a = j->rows.row[k].a, *b = j->rows.row[k].b, g = j->data.gamma[k];
        if (j->at[0].count > 0)
            subtract(w->slot[j->data.a].flex, &j->at[0], cairn_vec3_of(g * a[0], g * a[1], g * a[2]));
        if (j->at[1].count > 0)
            subtract(w->slot[j->data.b].flex, &j->at[1], cairn_vec3_of(g * b[0], g * b[1], g * b[2]));
    }
}

static cairn_flex *held_part(const cairn_world *w, int slot) {
    cairn_flex *f = w->slot[slot].generation % 2 == 1 ? w->slot[slot].flex : NULL;
    return f != NULL && f->holds > 0 ? f : NULL;
}

/* Of one part, from its balance; its work by the mean of the velocities before and after. */
static double react(const cairn_world *w, cairn_flex *f) {
    double work = 0.0;
    if (f->yield != NULL)
        cairn_fem_yield_pull(f->yield, f->residual);
    for (int k = 0; k < 3 * f->part->vectors; k++) {
        if (!cairn_flex_held(f, k / 3, k % 3))
            continue;
        f->reaction[k] += f->residual[k] / w->def.step;
        work += 0.5 * f->residual[k] * (f->part->v[k] + f->end_v[k]);
    }
    return work;
}

double cairn_flex_react(cairn_world *w) {
    double work = 0.0;
    bool any = false;
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        cairn_flex *f = held_part(w, i);
        if (f == NULL)
            continue;
        any = true;
        cairn_fem_part_holding(f->part, w->h, w->def.gravity, f->end_v, f->residual);
    }
    if (!any)
        return 0.0;
    for (int i = 0; i < w->now.count; i++)
        if (w->now.item[i].active && w->now.item[i].soft)
            subtract_contact(w, &w->now.item[i]);
    for (int i = 1; i < w->joints; i++)
        if (w->joint[i].generation % 2 == 1)
            subtract_joint(w, &w->joint[i]);
    for (int i = 1; i < w->slots; i++)
        if (held_part(w, i) != NULL)
            work += react(w, held_part(w, i));
    return work;
}
