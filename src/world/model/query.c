/*
 * query.c: what a world tells about its last step and its present state.
 */
#include "world/flexible/flexible.h"

#include <math.h>

cairn_status cairn_world_problem(const cairn_world *w, const cairn_problem **problem) {
    cairn_status usable = cairn_world_check(w, false, problem != NULL, "cairn_world_problem");
    if (usable != CAIRN_OK)
        return usable;
    if (w->problem == NULL)
        return cairn_fail(w->context, CAIRN_ERROR_STATE,
                          "the last step had nothing to solve, or there was no step yet");
    *problem = w->problem;
    return CAIRN_OK;
}

double cairn_world_time(const cairn_world *w) {
    if (w == NULL)
        return 0.0;
    return w->time;
}

int64_t cairn_world_steps(const cairn_world *w) {
    if (w == NULL)
        return 0;
    return w->steps;
}

cairn_energy cairn_world_energy(const cairn_world *w) {
    if (w == NULL)
        return (cairn_energy){0};
    cairn_energy energy = {0};
    for (int i = 1; i < w->slots; i++) {
        const cairn_rigid *r = &w->rigid[i];
        if (w->slot[i].generation % 2 == 0 || w->slot[i].kind != CAIRN_BODY_DYNAMIC || w->slot[i].flex != NULL)
            continue;
        energy.kinetic += 0.5 * r->mass * cairn_vec3_dot(r->v, r->v) +
                          0.5 * cairn_vec3_dot(r->w, cairn_mat3_apply(&r->inertia, r->w));
        energy.potential -= r->mass * cairn_vec3_dot(w->def.gravity, r->x);
    }
    cairn_flex_energy(w, &energy);
    return energy;
}

/* Does the stretch 0 <= t <= reach of the ray pass through the box? */
static bool meets(const cairn_bounds *box, cairn_vec3 origin, cairn_vec3 direction, double reach) {
    const double low[3] = {box->low.x, box->low.y, box->low.z}, high[3] = {box->high.x, box->high.y, box->high.z};
    const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
    double first = 0.0, last = reach;
    for (int i = 0; i < 3; i++) {
        if (d[i] == 0.0) {
            if (o[i] < low[i] || o[i] > high[i])
                return false;
            continue;
        }
        double a = (low[i] - o[i]) / d[i], b = (high[i] - o[i]) / d[i];
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return first <= last;
}

static bool meet_body(const cairn_world *w, int slot, cairn_vec3 origin, cairn_vec3 d, double reach,
                      cairn_ray_hit *hit) {
    const cairn_flex *flex = cairn_flex_of(w, slot);
    const cairn_shape *shape = w->slot[slot].shape;
    if (flex != NULL)
        return cairn_flex_ray(flex, origin, d, reach, hit);
    if (shape == NULL)
        return false;
    cairn_pose pose = cairn_rigid_pose(&w->rigid[slot]);
    cairn_bounds box = cairn_shape_bounds(shape, pose);
    return meets(&box, origin, d, reach) && cairn_shape_ray(shape, pose, origin, d, reach, hit);
}

cairn_status cairn_world_ray(const cairn_world *w, cairn_vec3 origin, cairn_vec3 direction, double reach,
                             bool (*skip)(void *user, cairn_body body), void *user, cairn_world_hit *hit) {
    cairn_status usable = cairn_world_check(w, false, hit != NULL, "cairn_world_ray");
    if (usable != CAIRN_OK)
        return usable;
    double length = cairn_vec3_length(direction);
    if (!isfinite(cairn_vec3_length(origin)) || !(length > 0.0) || !isfinite(length))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "ray: the origin must be finite and the direction have a length above 0");
    if (!(reach >= 0.0))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "ray: reach is %g, expected a number >= 0", reach);
    cairn_vec3 d = cairn_vec3_scale(1.0 / length, direction);
    cairn_world_hit best = {.distance = reach};
    for (int i = 1; i < w->slots; i++) {
        const cairn_slot *slot = &w->slot[i];
        cairn_body body = {(uint32_t)i, slot->generation};
        if (slot->generation % 2 == 0 || (skip != NULL && skip(user, body)))
            continue;
        cairn_ray_hit found;
        if (!meet_body(w, i, origin, d, best.distance, &found))
            continue;
        if (best.body.slot == 0 || found.distance < best.distance)
            best = (cairn_world_hit){body, found.distance, found.point, found.normal};
    }
    *hit = best;
    return CAIRN_OK;
}
