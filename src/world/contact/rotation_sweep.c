/*
 * rotation_sweep.c: contacts that bodies which turn meet on their way through the step.
 *
 * A step knows the points that are near when it begins, each with a gap that is linear in the velocities. Bodies that
 * do not turn stay apart by that, however fast they are: the plane of the nearest points separates convex shapes, and
 * goes on to. A body that turns by h w = a leaves that by up to a^2/2 of its reach and brings other points round: a
 * cone that lands on its rim comes down with its tip. So after the solve every pair is looked at in which a body turns
 * by more than TURNS, or so far that this may reach half of the depth tolerance: where the motion ends,
 *
 *     x + h v,  turn h (w + drift)
 *
 * and, if the pair moves by more than half of its thickness by then, also on the way, in pieces no longer than what the
 * shapes and their distance allow. Where the two overlap more than the tolerance the way is halved down to where that
 * begins. The contacts there are taken back to the start, each point with its body, with the normal that they have
 * there:
 *
 *     0 <= n'(p_b - p_a)/h + D_N'v
 *
 * These are plain contacts with open gaps, so they make no energy. They join when the velocities would close them, and
 * the problem is solved again. What still overlaps deeply when no contact can be added, because the motion is too far
 * from linear, is counted, and the time at which it begins is told: step.c makes the step of two parts there. Bodies
 * that turn by more than WHIRLS go that way at once, and of their contacts those alone are in a problem that touch when
 * its part begins.
 */
#include "collide/shape/shape.h"
#include "world/model/world_data.h"

#include <math.h>
#include <string.h>

#define TURNS  0.1   /* rad in a step: bodies that turn more are looked at */
#define WHIRLS 0.5   /* rad: nothing linear holds any more */
#define SLIGHT 1e-3  /* rad: turns that nobody looks at; they leave 5e-7 of the reach */
#define SINKS  0.1   /* of the width: overlaps from here on are told */
#define PIECE  0.25  /* of both widths: of the way */
#define PIECES 20000 /* of the way, at most */
#define HALVES 8
#define NAME   (UINT64_C(1) << 63) /* of features */

/* Two bodies on their way. */
typedef struct way {
    int a, b, first, end; /* slots; their contacts in world->now */
    double tolerance;     /* of overlaps, */
    double width;         /* of the thinner body */
    double thick;         /* sum of both widths; that of the body that is pushed with a plane */
    double speed;         /* no two of their points approach faster */
    double nearest, gap;  /* gap of the nearest contact when the step begins; the same if it is below 0 */
    bool shorter;         /* nothing is solved yet: the part may end at any time */
    cairn_rigid at[2];    /* where they were looked at last */
} way;

static bool is_pushed(const cairn_world *w, int slot) {
    return w->slot[slot].kind == CAIRN_BODY_DYNAMIC;
}

static cairn_vec3 between(cairn_vec3 from, cairn_vec3 to, double share) {
    return cairn_vec3_add_scaled(from, share, cairn_vec3_sub(to, from));
}

/* shorter: where a part of length t would end, as free velocities grow with its length; else where it is at time t of this part. */
static cairn_rigid placed(const cairn_world *w, int slot, double t, bool shorter) {
    cairn_rigid r = w->rigid[slot];
    if (w->slot[slot].kind == CAIRN_BODY_FIXED)
        return r;
    cairn_vec3 v = w->end_v[slot], turn = cairn_vec3_add(w->end_w[slot], w->drift[slot]);
    if (shorter) {
        v = between(w->start_v[slot], v, t / w->h);
        turn = between(w->start_w[slot], turn, t / w->h);
    }
    cairn_rigid_move(&r, t, v, turn);
    return r;
}

static double spin_of(const cairn_world *w, int slot) {
    return cairn_vec3_length(cairn_vec3_add(w->end_w[slot], w->drift[slot]));
}

/* By how much a body turns in the step, rad. Balls look the same however they turn, if they turn about their middle. */
static double turn_of(const cairn_world *w, int slot) {
    const cairn_slot *s = &w->slot[slot];
    if (s->shape == NULL || s->kind == CAIRN_BODY_FIXED)
        return 0.0;
    cairn_vec3 o = w->rigid[slot].offset;
    if (s->shape->kind == CAIRN_SHAPE_SPHERE && o.x == 0.0 && o.y == 0.0 && o.z == 0.0)
        return 0.0;
    return w->h * spin_of(w, slot);
}

/* How far points of a body that turns leave their tangents, m. */
static double bow_of(const cairn_world *w, int slot) {
    double turn = fmin(2.0, turn_of(w, slot));
    return turn > 0.0 ? 0.5 * turn * turn * w->slot[slot].reach : 0.0;
}

/* Is what is known of the pair when the step begins too little? */
static bool turns_much(const cairn_world *w, int a, int b) {
    return turn_of(w, a) > TURNS || turn_of(w, b) > TURNS ||
           bow_of(w, a) + bow_of(w, b) > 0.5 * cairn_pair_tolerance(w, a, b);
}

bool cairn_pair_whirls(const cairn_world *w, int a, int b) {
    return turn_of(w, a) > WHIRLS || turn_of(w, b) > WHIRLS;
}

/* Overlap from which contacts are added. */
static double limit(const way *p) {
    return p->tolerance - p->gap;
}

/* The manifolds of the pair at time t within the margin, in world->manifold, and their least gap; INFINITY: none. */
static cairn_status look(cairn_world *w, way *p, double t, double margin, int *found, double *gap) {
    p->at[0] = placed(w, p->a, t, p->shorter);
    p->at[1] = placed(w, p->b, t, p->shorter);
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

/* The first time, a piece after *before, at which the pair overlaps too much, or the last one that was looked at when
 * there are too many; beyond h: it does not. */
static cairn_status walk(cairn_world *w, way *p, double *before, double *t) {
    double gap = fmax(0.0, p->nearest);
    int found;
    *t = 0.0;
    for (int i = 0; i < PIECES && *t < w->h; i++) {
        *before = *t;
        *t = fmin(w->h, *t + fmax(gap, PIECE * p->thick) / p->speed);
        cairn_status status = look(w, p, *t, (w->h - *t) * p->speed, &found, &gap);
        if (status != CAIRN_OK || gap < -limit(p))
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
    c->cap = like->cap;
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

/* Halves the time between free and t, where the overlap becomes too large. */
static cairn_status narrow(cairn_world *w, way *p, double *free, double *t) {
    for (int i = 0; i < HALVES; i++) {
        double middle = 0.5 * (*free + *t), gap;
        int found;
        cairn_status status = look(w, p, middle, 0.0, &found, &gap);
        if (status != CAIRN_OK)
            return status;
        *(gap < -limit(p) ? t : free) = middle;
    }
    return CAIRN_OK;
}

/* The contacts of time t. */
static cairn_status add_all(cairn_world *w, way *p, double t) {
    double gap;
    int found;
    cairn_status status = look(w, p, t, limit(p), &found, &gap);
    for (int m = 0; m < found && status == CAIRN_OK; m++)
        for (int i = 0; i < w->manifold[m].count && status == CAIRN_OK; i++)
            status = add(w, p, w->manifold[m].normal, &w->manifold[m].point[i]);
    return status;
}

static double finite_or(double x, double other) {
    return isinf(x) ? other : x;
}

/* As way.speed, when the part begins. */
static double start_speed(const cairn_world *w, const way *p) {
    double speed = cairn_vec3_length(cairn_vec3_sub(w->start_v[p->b], w->start_v[p->a]));
    for (int i = 0; i < 2; i++) {
        int slot = i == 0 ? p->a : p->b;
        if (w->slot[slot].kind != CAIRN_BODY_FIXED)
            speed += w->slot[slot].reach * cairn_vec3_length(w->start_w[slot]);
    }
    return speed;
}

/* How deep the pair may come: what its contacts give way under their impulses is no overlap. */
static double depth_allowed(const cairn_world *w, const way *p) {
    double most = 0.0;
    for (int i = p->first; i < p->end; i++) {
        const cairn_touch *c = &w->now.item[i];
        most = c->solved ? fmax(most, c->compliance * c->gamma[0] / w->h) : most;
    }
    return fmin(cairn_touch_tolerance(w, &w->now.item[p->first]), cairn_pair_tolerance(w, p->a, p->b) + most);
}

static void measure(const cairn_world *w, way *p) {
    const double width[2] = {w->slot[p->a].width, w->slot[p->b].width};
    p->tolerance = depth_allowed(w, p);
    p->width = cairn_pair_width(w, p->a, p->b);
    p->thick = finite_or(width[0], p->width) + finite_or(width[1], p->width);
    p->speed = cairn_vec3_length(cairn_vec3_sub(w->end_v[p->b], w->end_v[p->a]));
    for (int i = 0; i < 2; i++) {
        int slot = i == 0 ? p->a : p->b;
        p->speed += w->slot[slot].kind == CAIRN_BODY_FIXED ? 0.0 : w->slot[slot].reach * spin_of(w, slot);
    }
    if (p->shorter) /* x(t) = t v(t), and v(t) grows along a line: no faster than at the start and twice the change */
        p->speed = fmax(p->speed, start_speed(w, p)) + fabs(p->speed - start_speed(w, p));
    p->nearest = INFINITY;
    for (int i = p->first; i < p->end; i++)
        p->nearest = fmin(p->nearest, w->now.item[i].gap);
    p->gap = fmin(0.0, p->nearest);
}

/* One pair. *deep: counts it if it ends, or went, too deep; *when: no later than that begins. */
static cairn_status follow(cairn_world *w, way *p, bool meet, int *deep, double *when) {
    double gap, free = 0.0, t = w->h;
    int found;
    measure(w, p);
    if (!(w->h * p->speed > p->nearest + limit(p)))
        return CAIRN_OK;
    cairn_status status = look(w, p, w->h, 0.0, &found, &gap);
    if (status != CAIRN_OK)
        return status;
    bool over = gap<-limit(p), passes = w->h * p->speed> 0.5 * p->thick;
    bool sunk = gap < p->gap - SINKS * p->width;
    if (passes)
        status = walk(w, p, &free, &t);
    if (status != CAIRN_OK || !(passes ? t <= w->h : over))
        return status;
    status = narrow(w, p, &free, &t);
    if (status != CAIRN_OK)
        return status;
    int before = w->met.count;
    bool whirls = cairn_pair_whirls(w, p->a, p->b);
    if (meet && !whirls)
        status = add_all(w, p, t);
    if (whirls || sunk || (passes && w->met.count == before) || (passes && !over)) {
        (*deep)++;
        *when = fmin(*when, free);
        cairn_world_wait(w, p->a, p->b, free);
    }
    return status;
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

/* Does any body turn so much that pairs of it may have to be looked at? */
static bool any_turns(const cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        if (w->slot[i].generation % 2 == 1 && w->slot[i].flex == NULL && turn_of(w, i) > SLIGHT)
            return true;
    return false;
}

cairn_status cairn_world_sweep(cairn_world *w, bool meet, int *fresh, int *deep, double *when) {
    cairn_status status = CAIRN_OK;
    *fresh = *deep = 0;
    *when = w->h;
    if (!any_turns(w))
        return CAIRN_OK;
    w->met.count = 0;
    way p = {0};
    for (p.first = 0; p.first < w->now.count && status == CAIRN_OK; p.first = p.end) {
        const cairn_touch *c = &w->now.item[p.first];
        p.a = c->a;
        p.b = c->b;
        for (p.end = p.first; p.end < w->now.count && c->a == w->now.item[p.end].a && c->b == w->now.item[p.end].b;)
            p.end++;
        if (!c->soft && turns_much(w, p.a, p.b))
            status = follow(w, &p, meet, deep, when);
    }
    *fresh = w->met.count;
    return status == CAIRN_OK && w->met.count > 0 ? merge(w) : status;
}

/* Bodies that contacts of the problem or joints act on. */
static void find_bound(cairn_world *w) {
    memset(w->bound, 0, (size_t)w->slots * sizeof *w->bound);
    for (int i = 0; i < w->now.count; i++)
        if (w->now.item[i].active)
            w->bound[w->now.item[i].a] = w->bound[w->now.item[i].b] = 1;
    for (int i = 1; i < w->joints; i++) {
        const cairn_joint_slot *j = &w->joint[i];
        if (j->generation % 2 == 1)
            w->bound[j->data.a] = w->bound[j->data.b] = 1;
        if (j->generation % 2 == 1 && j->data.carrier > 0)
            w->bound[j->data.carrier] = 1;
    }
}

static bool is_free(const cairn_world *w, int slot) {
    return w->slot[slot].flex == NULL && (!is_pushed(w, slot) || w->bound[slot] == 0);
}

cairn_status cairn_world_foresee(cairn_world *w, int *deep, double *when) {
    cairn_status status = CAIRN_OK;
    *deep = 0;
    *when = w->h;
    if (!any_turns(w))
        return CAIRN_OK;
    find_bound(w);
    way p = {.shorter = true};
    for (p.first = 0; p.first < w->now.count && status == CAIRN_OK; p.first = p.end) {
        const cairn_touch *c = &w->now.item[p.first];
        p.a = c->a;
        p.b = c->b;
        for (p.end = p.first; p.end < w->now.count && c->a == w->now.item[p.end].a && c->b == w->now.item[p.end].b;)
            p.end++;
        bool hard = !c->soft && !cairn_touch_gives(c) && cairn_pair_whirls(w, p.a, p.b);
        if (hard && is_free(w, p.a) && is_free(w, p.b))
            status = follow(w, &p, false, deep, when);
    }
    return status;
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
