/*
 * sweep.c: contacts that bodies which turn a lot meet on their way through the step.
 *
 * A step knows the points that are near when it begins, each with a gap that is linear in the velocities. A body that turns by a good part of a turn brings others round:
 * a cone that lands on its rim comes down with its tip. So after the solve every pair with such a body is looked at where the motion ends,
 *
 *     x + h v,  turn h (w + drift)
 *
 * and, if a centre has crossed a contact's plane by then, also on the way, in pieces no longer than what the shapes and their distance allow: thin plates are not stepped over. Where the
 * two overlap more than a part of their size, the way is halved down to where that begins. The contacts there are taken back to the start, each point with its body, with the normal that they have
 * there:
 *
 *     0 <= n'(p_b - p_a)/h + D_N'v
 *
 * These are plain contacts with open gaps, so they make no energy. They join when the velocities would close them, and the problem is solved again. What still overlaps deeply when no
 * contact can be added, because the motion is too far from linear, is counted: step.c then halves the step.
 */
#include "../collide/shape.h"
#include "world_data.h"

#include <math.h>
#include <string.h>

#define TURNS  0.1  /* rad in a step: bodies that turn less are not looked at */
#define MEETS  0.02 /* of the size: overlaps from here on are met by further contacts, */
#define SINKS  0.25 /* and from here on they are told */
#define PIECES 1000 /* of the way, at most */
#define HALVES 8
#define NAME   (UINT64_C(1) << 63) /* of features */

/* Two bodies on their way. */
typedef struct way {
    int a, b, first, end; /* slots; their contacts in world->now */
    double size;          /* least extent of the bodies that are pushed */
    double speed;         /* no two of their points approach faster */
    double gap;           /* when the step begins, of the nearest contact; at most 0 */
    cairn_rigid at[2];    /* where they were looked at last */
} way;

static bool is_pushed(const cairn_world *w, int slot) {
    return w->slot[slot].kind == CAIRN_BODY_DYNAMIC;
}

static cairn_rigid placed(const cairn_world *w, int slot, double t) {
    cairn_rigid r = w->rigid[slot];
    if (w->slot[slot].kind != CAIRN_BODY_FIXED)
        cairn_rigid_move(&r, t, w->end_v[slot], cairn_vec3_add(w->end_w[slot], w->drift[slot]));
    return r;
}

static double spin_of(const cairn_world *w, int slot) {
    return cairn_vec3_length(cairn_vec3_add(w->end_w[slot], w->drift[slot]));
}

/* Balls look the same however they turn, if they turn about their middle; planes are not turned fast. */
static bool turns_fast(const cairn_world *w, int slot) {
    const cairn_slot *s = &w->slot[slot];
    if (s->shape == NULL || s->kind == CAIRN_BODY_FIXED || s->shape->kind == CAIRN_SHAPE_PLANE)
        return false;
    cairn_vec3 o = w->rigid[slot].offset;
    if (s->shape->kind == CAIRN_SHAPE_SPHERE && o.x == 0.0 && o.y == 0.0 && o.z == 0.0)
        return false;
    return w->h * spin_of(w, slot) > TURNS;
}

static double size_of(const cairn_world *w, int slot) {
    const cairn_bounds *box = &w->slot[slot].shape->local;
    cairn_vec3 d = cairn_vec3_sub(box->high, box->low);
    return is_pushed(w, slot) ? fmin(d.x, fmin(d.y, d.z)) : INFINITY;
}

/* Overlaps up to this part of the size are let pass. */
static double limit(const cairn_world *w, const way *p, double part) {
    return fmax(2.0 * cairn_world_allowed(w), part * p->size) - p->gap;
}

/* The manifolds of the pair at time t within the margin, in world->manifold, and the least gap of them; INFINITY: none. */
static cairn_status look(cairn_world *w, way *p, double t, double margin, int *found, double *gap) {
    p->at[0] = placed(w, p->a, t);
    p->at[1] = placed(w, p->b, t);
    *gap = INFINITY;
    for (;;) {
        *found = cairn_collide(w->slot[p->a].shape, cairn_rigid_pose(&p->at[0]), w->slot[p->b].shape,
                               cairn_rigid_pose(&p->at[1]), margin, w->manifold, w->manifold_capacity);
        if (*found <= w->manifold_capacity)
            break;
        cairn_status status = cairn_world_grow(w->context, &w->manifold, 0, &w->manifold_capacity, *found,
                                               sizeof *w->manifold);
        if (status != CAIRN_OK)
            return status;
    }
    for (int m = 0; m < *found; m++)
        for (int i = 0; i < w->manifold[m].count; i++)
            *gap = fmin(*gap, w->manifold[m].point[i].gap);
    return CAIRN_OK;
}

/* Where a point of the body that was looked at was when the step began. */
static cairn_vec3 back(const cairn_world *w, const cairn_rigid *at, int slot, cairn_vec3 x) {
    cairn_vec3 own = cairn_quat_rotate(cairn_quat_conjugate(at->q), cairn_vec3_sub(x, at->x));
    return cairn_vec3_add(w->rigid[slot].x, cairn_quat_rotate(w->rigid[slot].q, own));
}

/* And where one of that time is. */
static cairn_vec3 carried(const cairn_world *w, const cairn_rigid *at, int slot, cairn_vec3 x) {
    cairn_vec3 own = cairn_quat_rotate(cairn_quat_conjugate(w->rigid[slot].q), cairn_vec3_sub(x, w->rigid[slot].x));
    return cairn_vec3_add(at->x, cairn_quat_rotate(at->q, own));
}

/* Is a pushed body's centre beyond the plane of a contact now? */
static bool crosses(const cairn_world *w, const way *p) {
    for (int i = p->first; i < p->end; i++) {
        const cairn_touch *c = &w->now.item[i];
        cairn_vec3 foot_a = carried(w, &p->at[0], p->a, c->on_a), foot_b = carried(w, &p->at[1], p->b, c->on_b);
        if ((is_pushed(w, p->b) && cairn_vec3_dot(c->normal, cairn_vec3_sub(w->rigid[p->b].x, c->on_a)) > 0.0 &&
             cairn_vec3_dot(c->normal, cairn_vec3_sub(p->at[1].x, foot_a)) < 0.0) ||
            (is_pushed(w, p->a) && cairn_vec3_dot(c->normal, cairn_vec3_sub(c->on_b, w->rigid[p->a].x)) > 0.0 &&
             cairn_vec3_dot(c->normal, cairn_vec3_sub(foot_b, p->at[0].x)) < 0.0))
            return true;
    }
    return false;
}

/* The first time, a piece after *before, at which the pair overlaps too much, or the last one that was looked at when there are too many; beyond h: it does not. */
static cairn_status walk(cairn_world *w, way *p, double nearest, double *before, double *t) {
    double gap = nearest;
    int found;
    *t = 0.0;
    for (int i = 0; i < PIECES && *t < w->h; i++) {
        *before = *t;
        *t = fmin(w->h, *t + fmax(gap, 0.25 * p->size) / p->speed);
        cairn_status status = look(w, p, *t, (w->h - *t) * p->speed, &found, &gap);
        if (status != CAIRN_OK || gap < -limit(w, p, MEETS))
            return status;
        if (found == 0)
            *t = INFINITY;
    }
    *t = *t < w->h ? *t : INFINITY;
    return CAIRN_OK;
}

/* One point of a manifold found on the way, if the velocities close it. */
static cairn_status add(cairn_world *w, const way *p, cairn_vec3 normal, const cairn_contact *at) {
    cairn_status status = cairn_world_grow(w->context, &w->met.item, w->met.count, &w->met.capacity, w->met.count + 1,
                                           sizeof *w->met.item);
    if (status != CAIRN_OK)
        return status;
    cairn_touch *c = &w->met.item[w->met.count];
    const cairn_touch *like = &w->now.item[p->first];
    memset(c, 0, sizeof *c);
    c->a = p->a;
    c->b = p->b;
    c->met = true;
    c->normal = normal;
    cairn_vec3_frame(normal, &c->tangent[0], &c->tangent[1]);
    c->on_a = back(w, &p->at[0], p->a, at->on_a);
    c->on_b = back(w, &p->at[1], p->b, at->on_b);
    c->gap = fmax(0.0, cairn_vec3_dot(normal, cairn_vec3_sub(c->on_b, c->on_a)));
    c->mu = like->mu;
    c->restitution = like->restitution;
    c->adhesion = like->adhesion;
    c->local = cairn_quat_rotate(cairn_quat_conjugate(w->rigid[p->a].q), cairn_vec3_sub(c->on_a, w->rigid[p->a].x));
    cairn_vec3 arm_a = cairn_vec3_sub(c->on_a, w->rigid[p->a].x), arm_b = cairn_vec3_sub(c->on_b, w->rigid[p->b].x);
    cairn_vec3 va = cairn_vec3_add(w->end_v[p->a], cairn_vec3_cross(w->end_spin[p->a], arm_a));
    cairn_vec3 vb = cairn_vec3_add(w->end_v[p->b], cairn_vec3_cross(w->end_spin[p->b], arm_b));
    if (c->gap + w->h * cairn_vec3_dot(normal, cairn_vec3_sub(vb, va)) > -1e-9)
        return CAIRN_OK;
    c->feature = NAME + (uint64_t)(p->end - p->first + w->met.count);
    w->met.count++;
    return CAIRN_OK;
}

/* The contacts between times free and t, where the overlap becomes too large. */
static cairn_status add_all(cairn_world *w, way *p, double free, double t) {
    double gap, most = limit(w, p, MEETS);
    int found;
    for (int i = 0; i < HALVES; i++) {
        double middle = 0.5 * (free + t);
        cairn_status status = look(w, p, middle, 0.0, &found, &gap);
        if (status != CAIRN_OK)
            return status;
        if (gap < -most)
            t = middle;
        else
            free = middle;
    }
    cairn_status status = look(w, p, t, most, &found, &gap);
    for (int m = 0; m < found && status == CAIRN_OK; m++)
        for (int i = 0; i < w->manifold[m].count && status == CAIRN_OK; i++)
            status = add(w, p, w->manifold[m].normal, &w->manifold[m].point[i]);
    return status;
}

/* One pair. *deep: counts it if it ends, or went, too deep. */
static cairn_status follow(cairn_world *w, way *p, bool meet, int *deep) {
    double nearest = INFINITY, gap, before = 0.0, t = w->h;
    int found;
    p->size = fmin(size_of(w, p->a), size_of(w, p->b));
    p->speed = cairn_vec3_length(cairn_vec3_sub(w->end_v[p->b], w->end_v[p->a]));
    for (int i = 0; i < 2; i++) {
        int slot = i == 0 ? p->a : p->b;
        p->speed += w->slot[slot].kind == CAIRN_BODY_FIXED ? 0.0 : w->slot[slot].reach * spin_of(w, slot);
    }
    for (int i = p->first; i < p->end; i++)
        nearest = fmin(nearest, w->now.item[i].gap);
    p->gap = fmin(0.0, nearest);
    if (!(w->h * p->speed > nearest + limit(w, p, MEETS)))
        return CAIRN_OK;
    cairn_status status = look(w, p, w->h, 0.0, &found, &gap);
    if (status != CAIRN_OK)
        return status;
    bool over = gap < -limit(w, p, MEETS), sunk = gap < -limit(w, p, SINKS), crossed = crosses(w, p);
    if (crossed)
        status = walk(w, p, fmax(0.0, nearest), &before, &t);
    if (status != CAIRN_OK || !(crossed ? t <= w->h : over))
        return status;
    *deep += crossed || sunk;
    return meet ? add_all(w, p, before, t) : CAIRN_OK;
}

static bool pair_after(const cairn_touch *c, const cairn_touch *d) {
    return c->a > d->a || (c->a == d->a && c->b > d->b);
}

/* Puts the new contacts behind those of their pairs. */
static cairn_status merge(cairn_world *w) {
    int i = w->now.count - 1, j = w->met.count - 1, k = i + j + 1;
    cairn_status status = cairn_world_grow(w->context, &w->now.item, w->now.count, &w->now.capacity, k + 1,
                                           sizeof *w->now.item);
    if (status != CAIRN_OK)
        return status;
    w->now.count = k + 1;
    for (; j >= 0; k--) {
        if (i >= 0 && pair_after(&w->now.item[i], &w->met.item[j]))
            w->now.item[k] = w->now.item[i--];
        else
            w->now.item[k] = w->met.item[j--];
    }
    return CAIRN_OK;
}

static bool any_turns_fast(const cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        if (w->slot[i].generation % 2 == 1 && w->slot[i].flex == NULL && turns_fast(w, i))
            return true;
    return false;
}

cairn_status cairn_world_sweep(cairn_world *w, bool meet, int *fresh, int *deep) {
    cairn_status status = CAIRN_OK;
    *fresh = *deep = 0;
    if (!any_turns_fast(w))
        return CAIRN_OK;
    w->met.count = 0;
    way p = {0};
    for (p.first = 0; p.first < w->now.count && status == CAIRN_OK; p.first = p.end) {
        const cairn_touch *c = &w->now.item[p.first];
        p.a = c->a;
        p.b = c->b;
        for (p.end = p.first; p.end < w->now.count && c->a == w->now.item[p.end].a && c->b == w->now.item[p.end].b;)
            p.end++;
        if (c->soft || c->compliance > 0.0 || (!turns_fast(w, c->a) && !turns_fast(w, c->b)))
            continue;
        status = follow(w, &p, meet, deep);
    }
    *fresh = w->met.count;
    return status == CAIRN_OK && w->met.count > 0 ? merge(w) : status;
}

void cairn_world_forget_met(cairn_world *w) {
    int kept = 0;
    for (int i = 0; i < w->now.count; i++) {
        w->now.item[i].solved = false;
        if (!w->now.item[i].met)
            w->now.item[kept++] = w->now.item[i];
    }
    w->now.count = kept;
}
