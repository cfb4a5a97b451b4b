/*
 * islands.c: bodies that nothing connects are problems of their own.
 *
 * Two bodies that can be pushed belong together when an active contact or a joint holds both. Islands are numbered by their first body; bodies,
 * contacts and joints keep their order within an island, so the problems do not depend on anything but the state. A body whose motion joints decide is like
 * one that cannot be pushed where it touches others (prescribed_bodies.c).
 */
#include "world/flexible/flexible.h"

#include "base/groups.h"

/* With several threads, small islands are shared out among lanes; an island that outweighs its share takes all threads itself. */
#define SHARED_ROWS 1000

static bool pushed(const cairn_world *w, int slot) {
    return slot > 0 && w->slot[slot].kind == CAIRN_BODY_DYNAMIC && !(w->parting && w->slot[slot].flex != NULL);
}

/* The same for contacts. */
static bool yields(const cairn_world *w, int slot) {
    return pushed(w, slot) && !w->held[slot].apart;
}

/* Joins the islands of both ends; those that cannot be pushed join nothing. number 0: the body is in the problem. */
static void join(cairn_world *w, int a, int b) {
    if (pushed(w, a))
        w->number[a] = 0;
    if (pushed(w, b))
        w->number[b] = 0;
    if (!pushed(w, a) || !pushed(w, b))
        return;
    cairn_group_join(w->parent, a, b);
}

static bool has_rows(const cairn_joint_slot *j) {
    return j->generation % 2 == 1 && j->rows.rows > 0;
}

static void connect(cairn_world *w) {
    for (int i = 0; i < w->slots; i++) {
        w->number[i] = -1;
        w->parent[i] = i;
    }
    for (int i = 1; i < w->slots && w->flexibles > 0; i++)
        if (w->slot[i].generation % 2 == 1 && w->slot[i].flex != NULL && !w->parting)
            w->number[i] = 0; /* moves by its own matrix even when nothing touches it */
    w->members = 0;
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        if (!c->active)
            continue;
        bool a = yields(w, c->a), b = yields(w, c->b);
        join(w, a ? c->a : 0, b ? c->b : 0);
        w->member[w->members++] = (cairn_member){i, a ? c->a : c->b};
    }
    for (int i = 1; i < w->joints; i++)
        if (has_rows(&w->joint[i])) {
            const cairn_joint_data *j = &w->joint[i].data;
            join(w, j->a, j->b);
            if (j->carrier > 0)
                join(w, pushed(w, j->a) ? j->a : j->b, j->carrier);
        }
}

/* Held bodies whose contacts are for their mechanism after all: with what cannot be pushed, or with a body of an island that has held bodies itself and so would wait for others as
 * others wait for it. Returns whether there are any; all is to be connected anew then. */
static bool release(cairn_world *w) {
    bool any = false;
    for (int i = 0; i < w->slots; i++)
        w->group[i] = 0;
    for (int i = 1; i < w->slots; i++)
        if (w->held[i].apart)
            w->group[cairn_group_root(w->parent, i)] = 1;
    for (int i = 0; i < w->members; i++) {
        const cairn_touch *c = &w->now.item[w->member[i].touch];
        bool *a = &w->held[c->a].apart, *b = &w->held[c->b].apart;
        if (!*a && !*b)
            continue;
        int other = *a ? c->b : c->a;
        if (yields(w, other) && w->group[cairn_group_root(w->parent, other)] == 0)
            continue;
        *a = *b = false;
        any = true;
    }
    return any;
}

static int island_of(const cairn_world *w, int a, int b) {
    return w->group[pushed(w, a) ? a : b];
}

/* Counts bodies, contacts and joints of each island. group[slot]: the island of a body. */
static void count(cairn_world *w, bool positions) {
    for (int i = 1; i < w->slots; i++) {
        if (w->number[i] < 0)
            continue;
        int root = cairn_group_root(w->parent, i);
        if (root == i) {
            w->group[i] = w->islands;
            w->island[w->islands] = (cairn_island){0};
            w->islands++;
        }
        w->group[i] = w->group[root];
        cairn_island *island = &w->island[w->group[i]];
        w->number[i] = island->n;
        island->n += cairn_slot_rows(w, i);
        island->groups += cairn_slot_groups(w, i);
        island->elastic += w->slot[i].flex != NULL ? cairn_slot_rows(w, i) : 0;
        island->blocks += cairn_slot_own_blocks(w, i);
        island->m += cairn_slot_own_rows(w, i);
        island->holds = island->holds || w->held[i].apart;
        island->bodies++;
    }
    for (int i = 0; i < w->members; i++) {
        cairn_island *island = &w->island[w->group[w->member[i].body]];
        island->touches++;
        island->blocks++;
        island->m += positions ? 1 : 3;
    }
    for (int i = 1; i < w->joints; i++)
        if (has_rows(&w->joint[i])) {
            cairn_island *island = &w->island[island_of(w, w->joint[i].data.a, w->joint[i].data.b)];
            island->joints++;
            island->blocks += w->joint[i].rows.blocks;
            island->m += w->joint[i].rows.rows;
        }
}

/* Lists of the members, one island after the other. */
static void fill(cairn_world *w) {
    int body = 0, touch = 0, joint = 0;
    for (int i = 0; i < w->islands; i++) {
        cairn_island *island = &w->island[i];
        island->body = w->body_list + body;
        island->touch = touch + island->touches > 0 ? w->touch_list + touch : NULL; /* there may be no list */
        island->joint = joint + island->joints > 0 ? w->joint_list + joint : NULL;
        body += island->bodies;
        touch += island->touches;
        joint += island->joints;
        island->bodies = island->touches = island->joints = 0;
    }
    for (int i = 1; i < w->slots; i++)
        if (w->number[i] >= 0) {
            cairn_island *island = &w->island[w->group[i]];
            island->body[island->bodies++] = i;
        }
    for (int i = 0; i < w->members; i++) {
        cairn_island *island = &w->island[w->group[w->member[i].body]];
        island->touch[island->touches++] = w->member[i].touch;
    }
    for (int i = 1; i < w->joints; i++)
        if (has_rows(&w->joint[i])) {
            cairn_island *island = &w->island[island_of(w, w->joint[i].data.a, w->joint[i].data.b)];
            island->joint[island->joints++] = i;
        }
}

cairn_status cairn_world_split(cairn_world *w, bool positions) {
    cairn_status status = cairn_world_grow(w->context, &w->member, 0, &w->member_capacity, w->now.count,
                                           sizeof *w->member);
    if (status != CAIRN_OK)
        return status;
    bool held = cairn_world_find_held(w);
    do
        connect(w);
    while (held && release(w));
    w->islands = 0;
    int n = 0, had = w->island_capacity;
    for (int i = 1; i < w->slots; i++)
        n += w->number[i] == 0 && cairn_group_root(w->parent, i) == i;
    status = cairn_world_grow(w->context, &w->island, had, &w->island_capacity, n, sizeof *w->island);
    if (status == CAIRN_OK)
        status = cairn_world_grow(w->context, &w->touch_list, 0, &w->touch_list_capacity, w->now.count,
                                  sizeof *w->touch_list);
    if (status == CAIRN_OK)
        status = cairn_world_grow(w->context, &w->joint_list, 0, &w->joint_list_capacity, w->joints,
                                  sizeof *w->joint_list);
    if (status != CAIRN_OK)
        return status;
    count(w, positions);
    fill(w);
    return CAIRN_OK;
}

typedef struct shares {
    cairn_world *world;
    cairn_island_work work;
    void *user;
} shares;

static void run_lane(void *user, int lane, int begin, int end) {
    shares *s = user;
    (void)begin;
    (void)end;
    for (int i = 0; i < s->world->islands; i++) {
        cairn_island *island = &s->world->island[i];
        if (island->lane == lane + 1)
            island->status = s->work(s->world, &s->world->lane[lane + 1], island, s->user);
    }
}

/* What an island costs, in rows. */
static int work_of(const cairn_island *island) {
    return island->m + island->elastic;
}

/* Each island to the lane with the fewest rows so far. Who solves what is settled beforehand, so that a lane's memory is that of
 * the step before when the islands are. */
static void share_out(cairn_world *w) {
    for (int l = 0; l < w->lanes; l++)
        w->lane[l].rows = 0;
    for (int i = 0; i < w->islands; i++) {
        if (w->island[i].lane <= 0)
            continue;
        int least = 1;
        for (int l = 2; l < w->lanes; l++)
            if (w->lane[l].rows < w->lane[least].rows)
                least = l;
        w->island[i].lane = least;
        w->lane[least].rows += work_of(&w->island[i]);
    }
}

cairn_status cairn_world_each_island(cairn_world *w, bool holds, cairn_island_work work, void *user) {
    int64_t total = 0;
    int small = 0;
    for (int i = 0; i < w->islands; i++)
        total += w->island[i].holds == holds ? work_of(&w->island[i]) : 0;
    for (int i = 0; i < w->islands; i++) {
        cairn_island *island = &w->island[i];
        bool alone = w->lanes < 2 ||
                     (work_of(island) >= SHARED_ROWS && (int64_t)work_of(island) * (w->lanes - 1) > total);
        island->lane = island->holds != holds ? -1 : alone ? 0 : 1;
        small += island->lane == 1;
    }
    for (int i = 0; i < w->islands; i++)
        if (w->island[i].lane == 0 || (small == 1 && w->island[i].lane == 1)) {
            w->island[i].lane = 0;
            w->island[i].status = work(w, &w->lane[0], &w->island[i], user);
            if (w->island[i].status != CAIRN_OK)
                return w->island[i].status;
        }
    if (small > 1) {
        shares s = {.world = w, .work = work, .user = user};
        share_out(w);
        cairn_parallel(w->context, w->lanes - 1, 1, run_lane, &s);
    }
    for (int i = 0; i < w->islands; i++)
        if (w->island[i].lane >= 0 && w->island[i].status != CAIRN_OK) {
            for (int l = 1; l < w->lanes; l++)
                if (cairn_error_message(w->lane[l].context)[0] != '\0')
                    cairn_fail(w->context, w->island[i].status, "%s", cairn_error_message(w->lane[l].context));
            return w->island[i].status;
        }
    return CAIRN_OK;
}

/* Told of each iteration of a lane's solvers. */
static bool watch(void *user, const cairn_iteration *iteration) {
    cairn_lane *lane = user;
    const cairn_world *w = lane->world;
    const cairn_settings *s = &w->def.solver;
    bool asked = s->on_iteration == NULL || s->on_iteration(s->user, iteration);
    bool go_on = asked && (w->go_on == NULL || w->go_on(w->go_on_user));
    lane->stopped = lane->stopped || !go_on;
    return go_on;
}

/* The first lane works in the world's own context; the others have one each, with one thread. */
cairn_status cairn_world_make_lanes(cairn_world *w) {
    bool alone = w->def.solver.on_iteration != NULL; /* a callback is not asked from several threads at once */
    int threads = cairn_thread_count(w->context), lanes = threads > 1 && !alone ? threads + 1 : 1;
    w->lane = cairn_alloc(w->context, (size_t)lanes, sizeof *w->lane);
    if (w->lane == NULL)
        return CAIRN_ERROR_MEMORY;
    w->lanes = lanes;
    cairn_settings positions = cairn_default_settings("auto");
    positions.tolerance = 1e-4; /* of overlaps that are a few times what is left in peace anyway */
    positions.tolerance_plain = 0.0;
    cairn_settings velocities = w->def.solver;
    cairn_settings roughly = cairn_default_settings("nncg");
    roughly.tolerance = 1e-2; /* a hundredth of an overlap that will be found again if it matters */
    roughly.tolerance_plain = 0.0;
    roughly.test_every = 3;
    roughly.max_iterations = 60;
    cairn_settings *settings[] = {&velocities, &positions, &roughly};
    for (int i = 0; i < lanes; i++) {
        cairn_lane *lane = &w->lane[i];
        cairn_status status = CAIRN_OK;
        lane->world = w;
        for (int k = 0; k < CAIRN_LANE_SOLVERS; k++) {
            settings[k]->on_iteration = watch;
            settings[k]->user = lane;
        }
        if (i == 0)
            lane->context = w->context;
        else
            status = cairn_context_single(w->context, &lane->context);
        for (int k = 0; k < CAIRN_LANE_SOLVERS && status == CAIRN_OK; k++)
            status = cairn_solver_create(lane->context, settings[k], &lane->solver[k]);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

void cairn_world_free_lanes(cairn_world *w) {
    for (int i = 0; i < w->lanes; i++)
        for (int k = 0; k < CAIRN_LANE_SOLVERS; k++)
            cairn_solver_destroy(w->lane[i].solver[k]);
    for (int i = 0; i < w->retired_count; i++)
        cairn_problem_destroy(w->retired[i]);
    for (int i = 0; i < w->island_capacity; i++) {
        cairn_problem_destroy(w->island[i].problem);
    }
    for (int i = 0; i < w->lanes; i++) {
        if (w->lane[i].context != NULL)
            cairn_arena_free(w->lane[i].context, &w->lane[i].room);
        if (i > 0)
            cairn_context_destroy(w->lane[i].context);
    }
    cairn_free(w->context, w->lane);
    cairn_free(w->context, w->island);
}
