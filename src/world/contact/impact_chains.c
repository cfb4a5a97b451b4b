/*
 * impact_chains.c: which contacts the impacts of a step can close, found before it is solved.
 *
 * A solve with the contacts that close by free motion alone tells which contacts come next, the next solve which come
 * after those: a row of a thousand blocks would take a thousand solves. So impacts are followed from body to body
 * first, in the order of time, as if bodies moved along straight lines and stayed together once they have met:
 *
 *     gap(t) = gap + n'(x_b - x_a) + t n'(v_b - v_a),     x_i + t v_i the way of body i,  x_i = 0 until it is hit
 *     impact at time t, c = -n'(v_b - v_a) > 0:   v_a -= c M_b/(M_a + M_b) n,   v_b += c M_a/(M_a + M_b) n,
 *                             x_i += t (v_i before - v_i after)
 *
 * M is the mass of all bodies that a body is pushed by or pushes already, infinite with one that cannot be pushed.
 * Contacts that close join the problem, and bodies that are hit may come as far as their new speed takes them, so that
 * more contacts are looked for. This is a forecast: a contact that need not have joined changes no answer, and one that
 * was not foreseen is found after the solve, and the forecast goes on from the velocities that were solved.
 *
 * Left to the solves: spin that impacts change, bodies that whirl (rotation_sweep.c), contacts of flexible parts, impulses that
 * joints hand on.
 */
#include "base/groups.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define CREEP   4.0  /* of h g: slower contacts close by weight, and are in the problem already */
#define FURTHER 1.01 /* times its reach: contact points of a body */

/* Contacts of one pair, which close together. */
typedef struct run {
    int begin, end; /* in world->now */
    bool met;       /* its impact was followed: once, as bodies between closing walls would meet for ever */
} run;

typedef struct event {
    double time;
    int run;
} event;

/* Work of one forecast, in world->forecast. */
typedef struct forecast {
    cairn_world *w;
    double creep;
    int runs, events;
    run *run;
    int *first, *of;   /* slots + 1; runs of each body */
    int *root;         /* slots: bodies that impacts have joined */
    double *mass;      /* slots: of the bodies of a root */
    cairn_vec3 *v, *x; /* slots */
    double *speed;     /* slots: no point of the body is faster */
    event *queue;      /* a binary heap */
    int queue_room;
    bool faster; /* a body may come further than its margin */
} forecast;

static bool is_pushed(const cairn_world *w, int slot) {
    return w->slot[slot].kind == CAIRN_BODY_DYNAMIC && !w->held[slot].apart;
}

static bool before(event a, event b) {
    return a.time < b.time || (a.time == b.time && a.run < b.run);
}

static void push(forecast *f, event e) {
    int i = f->events++;
    for (int up = (i - 1) / 2; i > 0 && before(e, f->queue[up]); up = (i - 1) / 2) {
        f->queue[i] = f->queue[up];
        i = up;
    }
    f->queue[i] = e;
}

static event pop(forecast *f) {
    event top = f->queue[0], last = f->queue[--f->events];
    int i = 0;
    for (int down = 1; down < f->events; down = 2 * i + 1) {
        down += down + 1 < f->events && before(f->queue[down + 1], f->queue[down]);
        if (!before(f->queue[down], last))
            break;
        f->queue[i] = f->queue[down];
        i = down;
    }
    f->queue[i] = last;
    return top;
}

/* Normal velocity of a contact, and its gap at time 0 on these ways. */
static double approach(const forecast *f, const cairn_touch *c, double *gap) {
    const cairn_world *w = f->w;
    cairn_vec3 arm_a = cairn_vec3_sub(c->on_a, w->rigid[c->a].x), arm_b = cairn_vec3_sub(c->on_b, w->rigid[c->b].x);
    cairn_vec3 va = cairn_vec3_add(f->v[c->a], cairn_vec3_cross(w->end_spin[c->a], arm_a));
    cairn_vec3 vb = cairn_vec3_add(f->v[c->b], cairn_vec3_cross(w->end_spin[c->b], arm_b));
    *gap = c->gap + cairn_vec3_dot(c->normal, cairn_vec3_sub(f->x[c->b], f->x[c->a]));
    return cairn_vec3_dot(c->normal, cairn_vec3_sub(vb, va));
}

static bool are_joined(forecast *f, int a, int b) {
    return cairn_group_root(f->root, a) == cairn_group_root(f->root, b);
}

/* The first contact of the run that closes within the step; NULL: none does. */
static const cairn_touch *next_of(forecast *f, int r, double *time, double *closing) {
    const cairn_touch *found = NULL, *first = &f->w->now.item[f->run[r].begin];
    *time = f->w->h;
    if (f->run[r].met || f->speed[first->a] + f->speed[first->b] < f->creep)
        return NULL;
    if (are_joined(f, first->a, first->b) || cairn_pair_whirls(f->w, first->a, first->b))
        return NULL;
    for (int i = f->run[r].begin; i < f->run[r].end; i++) {
        const cairn_touch *c = &f->w->now.item[i];
        double gap, u = approach(f, c, &gap), at = fmax(0.0, gap) / -u;
        if (u < -f->creep && at < *time) {
            *time = at;
            *closing = -u;
            found = c;
        }
    }
    return found;
}

static double *mass_of(forecast *f, int slot) {
    return &f->mass[cairn_group_root(f->root, slot)];
}

/* Bodies that go on together. One that cannot be pushed stands in the way of the other, and joins nothing. */
static void join(forecast *f, int a, int b) {
    double mass = *mass_of(f, a) + *mass_of(f, b);
    bool pushed[2] = {is_pushed(f->w, a), is_pushed(f->w, b)};
    if (pushed[0] && pushed[1])
        cairn_group_join(f->root, a, b);
    if (pushed[0])
        *mass_of(f, a) = mass;
    else if (pushed[1])
        *mass_of(f, b) = mass;
}

/* Runs of a body that has another way now. */
static void look_at(forecast *f, int slot, double now) {
    for (int i = f->first[slot]; i < f->first[slot + 1] && f->events < f->queue_room; i++) {
        double time, closing;
        if (next_of(f, f->of[i], &time, &closing) != NULL)
            push(f, (event){fmax(now, time), f->of[i]});
    }
}

/* v[slot] += change n at this time. */
static void deflect(forecast *f, int slot, double change, cairn_vec3 n, double time) {
    cairn_world *w = f->w;
    if (change == 0.0 || !is_pushed(w, slot))
        return;
    f->v[slot] = cairn_vec3_add_scaled(f->v[slot], change, n);
    f->speed[slot] += fabs(change);
    f->x[slot] = cairn_vec3_add_scaled(f->x[slot], -change * time, n);
    w->foreseen[slot] = fmax(w->foreseen[slot], cairn_vec3_length(f->v[slot]));
    f->faster = true;
}

/* Contacts of the run that would be closed by the end of the step join, and its bodies go on together. */
static void meet(forecast *f, int r, const cairn_touch *c, double time, double closing) {
    cairn_world *w = f->w;
    f->run[r].met = true;
    for (int i = f->run[r].begin; i < f->run[r].end; i++) {
        double gap, u = approach(f, &w->now.item[i], &gap);
        w->now.item[i].active = w->now.item[i].active || gap + w->h * u < 0.0;
    }
    double a = *mass_of(f, c->a), b = *mass_of(f, c->b);
    if (isinf(a) && isinf(b)) { /* each held by others: whichever is free of its own gives way */
        a = is_pushed(w, c->a) ? w->rigid[c->a].mass : INFINITY;
        b = is_pushed(w, c->b) ? w->rigid[c->b].mass : INFINITY;
    }
    double share = isinf(a) && isinf(b) ? 0.0 : isinf(b) ? 1.0 : isinf(a) ? 0.0 : b / (a + b);
    double change = closing * (1.0 + (c->gap <= 1e-9 ? c->restitution : 0.0));
    deflect(f, c->a, -change * share, c->normal, time);
    deflect(f, c->b, isinf(b) ? 0.0 : change * (1.0 - share), c->normal, time);
    join(f, c->a, c->b);
    look_at(f, c->a, time);
    look_at(f, c->b, time);
}

static void lay_out(cairn_arena *a, forecast *f, int slots, int contacts) {
    f->run = cairn_arena_take(a, (size_t)contacts, sizeof *f->run);
    f->first = cairn_arena_take(a, (size_t)slots + 2, sizeof *f->first);
    f->of = cairn_arena_take(a, 2 * (size_t)contacts, sizeof *f->of);
    f->root = cairn_arena_take(a, (size_t)slots, sizeof *f->root);
    f->mass = cairn_arena_take(a, (size_t)slots, sizeof *f->mass);
    f->v = cairn_arena_take(a, (size_t)slots, sizeof *f->v);
    f->x = cairn_arena_take(a, (size_t)slots, sizeof *f->x);
    f->speed = cairn_arena_take(a, (size_t)slots, sizeof *f->speed);
    f->queue_room = 16 * contacts + 16;
    f->queue = cairn_arena_take(a, (size_t)f->queue_room, sizeof *f->queue);
}

/* Runs of rigid bodies, and which of them are whose. */
static void find_runs(forecast *f) {
    const cairn_world *w = f->w;
    memset(f->first, 0, ((size_t)w->slots + 2) * sizeof *f->first);
    for (int i = 0, end; i < w->now.count; i = end) {
        const cairn_touch *c = &w->now.item[i];
        for (end = i + 1; end < w->now.count && w->now.item[end].a == c->a && w->now.item[end].b == c->b;)
            end++;
        if (c->soft)
            continue;
        f->run[f->runs++] = (run){i, end, false};
        f->first[c->a + 2]++;
        f->first[c->b + 2]++;
    }
    for (int i = 2; i < w->slots + 2; i++)
        f->first[i] += f->first[i - 1];
    for (int r = 0; r < f->runs; r++) {
        const cairn_touch *c = &w->now.item[f->run[r].begin];
        f->of[f->first[c->a + 1]++] = r;
        f->of[f->first[c->b + 1]++] = r;
    }
}

/* Ways without impacts; bodies that push each other in the last solve by more than their weight go on together. */
static void begin(forecast *f) {
    const cairn_world *w = f->w;
    for (int i = 0; i < w->slots; i++) {
        f->root[i] = i;
        f->mass[i] = is_pushed(w, i) ? w->rigid[i].mass : INFINITY;
        f->v[i] = w->end_v[i];
        f->x[i] = cairn_vec3_of(0, 0, 0);
        double spin = cairn_vec3_length(w->end_spin[i]); /* planes reach to infinity and do not turn */
        f->speed[i] = cairn_vec3_length(w->end_v[i]) + (spin > 0.0 ? FURTHER * w->slot[i].reach * spin : 0.0);
    }
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        double light = fmin(is_pushed(w, c->a) ? w->rigid[c->a].mass : INFINITY,
                            is_pushed(w, c->b) ? w->rigid[c->b].mass : INFINITY);
        if (c->solved && c->gamma[0] > light * f->creep && !are_joined(f, c->a, c->b))
            join(f, c->a, c->b);
    }
}

cairn_status cairn_world_follow_impacts(cairn_world *w, bool *faster) {
    forecast f = {.w = w, .creep = CREEP * w->h * cairn_vec3_length(w->def.gravity) + w->def.tolerance_velocity};
    *faster = false;
    cairn_arena *room = &w->forecast_room;
    char *memory = room->base;
    room->base = NULL;
    room->used = 0;
    lay_out(room, &f, w->slots, w->now.count);
    room->base = memory;
    cairn_status status = cairn_arena_reserve_raw(w->context, room);
    if (status != CAIRN_OK)
        return status;
    lay_out(room, &f, w->slots, w->now.count);
    find_runs(&f);
    begin(&f);
    for (int r = 0; r < f.runs; r++) {
        double time, closing;
        if (next_of(&f, r, &time, &closing) != NULL)
            push(&f, (event){time, r});
    }
    while (f.events > 0) {
        event e = pop(&f);
        double time, closing;
        const cairn_touch *c = next_of(&f, e.run, &time, &closing);
        if (c == NULL)
            continue;
        if (time > e.time && f.events > 0 && f.queue[0].time < time)
            push(&f, (event){time, e.run}); /* it closes later than was thought */
        else
            meet(&f, e.run, c, fmax(time, e.time), closing);
    }
    *faster = f.faster;
    return CAIRN_OK;
}
