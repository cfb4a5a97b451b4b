/*
 * query.c: what a world tells about its last step and its present state.
 */
#include "world_data.h"

cairn_status cairn_world_problem(const cairn_world *w, const cairn_problem **problem) {
    if (w->problem == NULL)
        return cairn_fail(w->context, CAIRN_ERROR_STATE, "no step of this world has solved a problem yet");
    *problem = w->problem;
    return CAIRN_OK;
}

double cairn_world_time(const cairn_world *w) {
    return w->time;
}

int64_t cairn_world_steps(const cairn_world *w) {
    return w->steps;
}

cairn_energy cairn_world_energy(const cairn_world *w) {
    cairn_energy energy = {0};
    for (int i = 1; i < w->slots; i++) {
        const cairn_rigid *r = &w->rigid[i];
        if (w->slot[i].generation % 2 == 0 || w->slot[i].kind != CAIRN_BODY_DYNAMIC)
            continue;
        energy.kinetic += 0.5 * r->mass * cairn_vec3_dot(r->v, r->v) +
                          0.5 * cairn_vec3_dot(r->w, cairn_mat3_apply(&r->inertia, r->w));
        energy.potential -= r->mass * cairn_vec3_dot(w->def.gravity, r->x);
    }
    return energy;
}
