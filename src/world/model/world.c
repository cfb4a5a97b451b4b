/*
 * world.c: making worlds, materials and bodies, and asking about them.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define VELOCITY_SHARE  100.0 /* m/s: tolerance_velocity over the solver's tolerance, unless given */
#define WORLD_COOKIE    0x574f524cu
#define MATERIAL_COOKIE 0x4d415445u
#define BODY_COOKIE     0x424f4459u

cairn_world_def cairn_default_world_def(void) {
    cairn_world_def def = {.cookie = WORLD_COOKIE,
                           .gravity = {0, 0, -9.81},
                           .step = 0.01,
                           .max_resolves = 5,
                           .tolerance_joint = 1e-5,
                           .substeps = 1,
                           .newton = 1,
                           .tolerance_force = 1e-3,
                           .gap_share = 1.0};
    def.solver = cairn_default_settings("auto");
    def.solver.tolerance = 1e-6;
    def.solver.tolerance_plain = 0.0;
    def.solver.refine = 8;
    return def;
}

cairn_material_def cairn_default_material_def(void) {
    return (cairn_material_def){.cookie = MATERIAL_COOKIE, .friction = 0.5};
}

cairn_body_def cairn_default_body_def(void) {
    return (cairn_body_def){.cookie = BODY_COOKIE, .pose = {{0, 0, 0}, {1, 0, 0, 0}}, .density = 1000.0};
}

cairn_status cairn_world_grow(cairn_context *context, void *array, int count, int *capacity, int needed, size_t size) {
    if (needed <= *capacity)
        return CAIRN_OK;
    size_t room = (size_t)needed + (size_t)needed / 2 + 8;
    void *larger = cairn_alloc(context, room, size);
    if (larger == NULL)
        return CAIRN_ERROR_MEMORY;
    void *old;
    memcpy(&old, array, sizeof old); /* array points to a pointer of any type */
    if (count > 0)
        memcpy(larger, old, (size_t)count * size);
    cairn_free(context, old);
    memcpy(array, &larger, sizeof larger);
    *capacity = (int)room;
    return CAIRN_OK;
}

#define STEP_LEAST    1e-12 /* s */
#define STEP_MOST     1e6
#define SUBSTEPS_MOST 1000000

static bool finite_vec(cairn_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static cairn_status check_world(cairn_context *context, const cairn_world_def *def) {
    if (def->cookie != WORLD_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: begin with cairn_default_world_def()");
    if (def->law != CAIRN_LAW_COULOMB && def->law != CAIRN_LAW_ASSOCIATED)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: no such law: %d", (int)def->law);
    if (!finite_vec(def->gravity))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: gravity is not finite");
    if (!(def->step >= STEP_LEAST && def->step <= STEP_MOST))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: the step is %g s, expected %g to %g s", def->step,
                          STEP_LEAST, STEP_MOST);
    if (!(def->tolerance_velocity >= 0.0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: tolerance_velocity is %g m/s; it must be 0 or more",
                          def->tolerance_velocity);
    if (def->max_resolves < 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: max_resolves is %d; it must not be negative",
                          def->max_resolves);
    if (!(def->tolerance_depth >= 0.0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: tolerance_depth is %g m; it must be 0 or more",
                          def->tolerance_depth);
    if (!(def->tolerance_joint > 0.0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: tolerance_joint is %g m; it must be positive",
                          def->tolerance_joint);
    if (def->substeps < 1 || def->substeps > SUBSTEPS_MOST)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: substeps is %d, expected 1 to %d", def->substeps,
                          SUBSTEPS_MOST);
    if (def->newton < 1)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: newton is %d; at least 1 is needed", def->newton);
    if (!(def->tolerance_force > 0.0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: tolerance_force is %g N; it must be positive",
                          def->tolerance_force);
    if (!(def->gap_share > 0.0 && def->gap_share <= 1.0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "world: gap_share is %g, expected a number above 0, at most 1",
                          def->gap_share);
    return CAIRN_OK;
}

cairn_status cairn_world_create(cairn_context *context, const cairn_world_def *def, cairn_world **world) {
    if (context == NULL || world == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_world_create: an argument is NULL");
    cairn_world_def standard = cairn_default_world_def();
    def = def != NULL ? def : &standard;
    cairn_status status = check_world(context, def);
    if (status != CAIRN_OK)
        return status;
    cairn_world *w = cairn_alloc(context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->context = context;
    w->def = *def;
    if (w->def.tolerance_velocity == 0.0)
        w->def.tolerance_velocity = VELOCITY_SHARE * def->solver.tolerance;
    w->def.solver.tolerance_velocity = w->def.tolerance_velocity;
    w->broad.context = context;
    w->slots = 1;  /* slot 0 is the world itself */
    w->joints = 1; /* slot 0 names nothing */
    cairn_material first;
    cairn_material_def plain = cairn_default_material_def();
    status = cairn_world_make_lanes(w);
    if (status == CAIRN_OK)
        status = cairn_world_grow_slots(w);
    if (status == CAIRN_OK)
        status = cairn_world_add_material(w, &plain, &first);
    if (status == CAIRN_OK)
        *world = w;
    else
        cairn_world_destroy(w);
    return status;
}

void cairn_world_destroy(cairn_world *w) {
    if (w == NULL || cairn_world_check(w, true, true, "cairn_world_destroy") != CAIRN_OK)
        return;
    for (int i = 1; i < w->slots; i++)
        cairn_world_empty_slot(w, i);
    cairn_world_free_lanes(w);
    void *owned[] = {w->stiff,      w->stiff_k,     w->parent,
                     w->group,      w->body_list,   w->touch_list,
                     w->joint_list, w->retired,     w->slot,
                     w->rigid,      w->number,      w->free_w,
                     w->drift,      w->end_v,       w->end_w,
                     w->start_v,    w->start_w,     w->turn,
                     w->start_spin, w->end_spin,    w->margin,
                     w->unrest,     w->member,      w->box,
                     w->still,      w->stale,       w->first_joint,
                     w->live,       w->material,    w->rule,
                     w->now.item,   w->before.item, w->rigid_before,
                     w->last.item,  w->spare.item,  w->met.item,
                     w->joint,      w->manifold,    w->skin_contacts.item,
                     w->held,       w->foreseen,    w->rigid_apart,
                     w->until,      w->bound,       w->keeps,
                     w->falls};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(w->context, owned[i]);
    cairn_broad_free(&w->broad);
    cairn_arena_free(w->context, &w->forecast_room);
    cairn_free(w->context, w);
}

static cairn_status check_material(cairn_world *w, const cairn_material_def *def) {
    if (def->cookie != MATERIAL_COOKIE)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "material: begin with cairn_default_material_def()");
    if (!(def->friction >= 0.0 && def->friction <= CAIRN_FRICTION_MAX))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "material: friction is %g; it must be between 0 and %g",
                          def->friction, CAIRN_FRICTION_MAX);
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "material: restitution is %g; it must be between 0 and 1",
                          def->restitution);
    if (!(def->compliance >= 0.0) || !isfinite(def->compliance))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "material: compliance is %g m/N; it must be 0 or more and finite", def->compliance);
    if (!(def->adhesion >= 0.0) || !isfinite(def->adhesion))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "material: adhesion is %g N; it must be 0 or more and finite", def->adhesion);
    if (!(def->cap >= 0.0) || !isfinite(def->cap))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "material: cap is %g N; it must be 0 or more and finite",
                          def->cap);
    if (def->cap > 0.0 && def->adhesion > 0.0)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "material: adhesion is %g N and cap %g N; a contact has one of the two", def->adhesion,
                          def->cap);
    return CAIRN_OK;
}

cairn_status cairn_world_add_material(cairn_world *w, const cairn_material_def *def, cairn_material *material) {
    cairn_status usable = cairn_world_check(w, true, def != NULL && material != NULL, "cairn_world_add_material");
    if (usable != CAIRN_OK)
        return usable;
    cairn_status status = check_material(w, def);
    if (status == CAIRN_OK)
        status = cairn_world_grow(w->context, &w->material, w->materials, &w->material_capacity, w->materials + 1,
                                  sizeof *w->material);
    if (status != CAIRN_OK)
        return status;
    w->material[w->materials] = *def;
    material->slot = (uint32_t)w->materials++;
    return CAIRN_OK;
}

cairn_status cairn_world_set_pair(cairn_world *w, cairn_material a, cairn_material b, const cairn_material_def *def) {
    cairn_status usable = cairn_world_check(w, true, def != NULL, "cairn_world_set_pair");
    if (usable != CAIRN_OK)
        return usable;
    w->looked_h = 0.0;
    cairn_status status = check_material(w, def);
    if (status != CAIRN_OK)
        return status;
    if (a.slot >= (uint32_t)w->materials || b.slot >= (uint32_t)w->materials)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "pair rule: there is no such material in this world");
    uint32_t low = a.slot < b.slot ? a.slot : b.slot, high = a.slot < b.slot ? b.slot : a.slot;
    for (int i = 0; i < w->rules; i++)
        if (w->rule[i].a == low && w->rule[i].b == high) {
            w->rule[i].def = *def;
            return CAIRN_OK;
        }
    status = cairn_world_grow(w->context, &w->rule, w->rules, &w->rule_capacity, w->rules + 1, sizeof *w->rule);
    if (status == CAIRN_OK)
        w->rule[w->rules++] = (cairn_pair_rule){low, high, *def};
    return status;
}

cairn_status cairn_world_grow_slots(cairn_world *w) {
    if (w->slots < w->slot_capacity)
        return CAIRN_OK;
    struct {
        void *array;
        size_t size;
    } by_slot[] = {{&w->slot, sizeof *w->slot},
                   {&w->rigid, sizeof *w->rigid},
                   {&w->rigid_before, sizeof *w->rigid_before},
                   {&w->rigid_apart, sizeof *w->rigid_apart},
                   {&w->number, sizeof *w->number},
                   {&w->free_w, sizeof *w->free_w},
                   {&w->drift, sizeof *w->drift},
                   {&w->end_v, sizeof *w->end_v},
                   {&w->end_w, sizeof *w->end_w},
                   {&w->start_v, sizeof *w->start_v},
                   {&w->start_w, sizeof *w->start_w},
                   {&w->turn, sizeof *w->turn},
                   {&w->start_spin, sizeof *w->start_spin},
                   {&w->end_spin, sizeof *w->end_spin},
                   {&w->margin, sizeof *w->margin},
                   {&w->unrest, sizeof *w->unrest},
                   {&w->foreseen, sizeof *w->foreseen},
                   {&w->box, sizeof *w->box},
                   {&w->still, sizeof *w->still},
                   {&w->stale, sizeof *w->stale},
                   {&w->until, sizeof *w->until},
                   {&w->keeps, sizeof *w->keeps},
                   {&w->falls, sizeof *w->falls},
                   {&w->bound, sizeof *w->bound},
                   {&w->live, sizeof *w->live},
                   {&w->stiff, sizeof *w->stiff},
                   {&w->stiff_k, sizeof *w->stiff_k},
                   {&w->parent, sizeof *w->parent},
                   {&w->group, sizeof *w->group},
                   {&w->body_list, sizeof *w->body_list},
                   {&w->held, sizeof *w->held},
                   {&w->first_joint, sizeof *w->first_joint}};
    int capacity = w->slot_capacity;
    for (size_t i = 0; i < sizeof by_slot / sizeof *by_slot; i++) {
        capacity = w->slot_capacity;
        cairn_status status = cairn_world_grow(w->context, by_slot[i].array, capacity, &capacity, w->slots + 1,
                                               by_slot[i].size);
        if (status != CAIRN_OK)
            return status;
    }
    if (w->slot_capacity == 0) {
        w->slot[0].kind = CAIRN_BODY_FIXED;
        w->rigid[0].q = cairn_quat_identity();
        w->number[0] = -1;
    }
    w->slot_capacity = capacity;
    return CAIRN_OK;
}

static bool positive_definite(const cairn_mat3 *J) {
    double m1 = J->m[0][0], m2 = J->m[0][0] * J->m[1][1] - J->m[0][1] * J->m[1][0];
    cairn_vec3 a = {J->m[0][0], J->m[0][1], J->m[0][2]}, b = {J->m[1][0], J->m[1][1], J->m[1][2]},
               c = {J->m[2][0], J->m[2][1], J->m[2][2]};
    return m1 > 0.0 && m2 > 0.0 && cairn_vec3_dot(a, cairn_vec3_cross(b, c)) > 0.0;
}

/* Of a mass that was given. */
static cairn_status check_inertia(cairn_world *w, cairn_mass *mass) {
    if (!finite_vec(mass->center))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the centre of mass is not finite");
    double(*J)[3] = mass->inertia.m;
    double trace = J[0][0] + J[1][1] + J[2][2], slack = 1e-9 * trace;
    if (!isfinite(trace))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the inertia is not finite");
    if (fabs(J[0][1] - J[1][0]) > slack || fabs(J[0][2] - J[2][0]) > slack || fabs(J[1][2] - J[2][1]) > slack)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the inertia is not symmetric");
    if (!positive_definite(&mass->inertia))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the inertia is not positive definite");
    return CAIRN_OK;
}

static cairn_status check_body(cairn_world *w, const cairn_body_def *def, cairn_mass *mass) {
    if (def->cookie != BODY_COOKIE)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: begin with cairn_default_body_def()");
    if ((unsigned)def->kind > CAIRN_BODY_KINEMATIC)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: no such kind: %d", (int)def->kind);
    if (!finite_vec(def->pose.position) || !finite_vec(def->velocity) || !finite_vec(def->angular_velocity))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: position or velocity is not finite");
    cairn_quat q = def->pose.rotation;
    if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) <= 1e-6))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "body: the rotation (%g, %g, %g, %g) is not a quaternion of length 1", q.w, q.x, q.y, q.z);
    if (def->material.slot >= (uint32_t)w->materials)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: there is no such material in this world");
    bool moves = def->kind == CAIRN_BODY_DYNAMIC;
    cairn_shape_kind shape = def->shape != NULL ? cairn_shape_kind_of(def->shape) : CAIRN_SHAPE_SPHERE;
    if (shape == CAIRN_SHAPE_PLANE && def->kind != CAIRN_BODY_FIXED)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: a plane can only be the shape of a fixed body");
    if (shape == CAIRN_SHAPE_MESH && moves)
        return cairn_fail(
            w->context, CAIRN_ERROR_ARGUMENT,
            "body: a mesh can be the shape of a fixed or kinematic body; a body that moves freely needs convex "
            "pieces: a compound of hulls (or one hull, if its hollows do not matter)");
    *mass = (cairn_mass){0};
    if (!moves)
        return CAIRN_OK;
    if (def->mass == NULL && def->shape == NULL)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: neither mass nor shape is given");
    if (def->mass != NULL) {
        *mass = *def->mass;
    } else {
        cairn_status status = cairn_shape_mass(def->shape, def->density, mass);
        if (status != CAIRN_OK)
            return status;
    }
    if (!(mass->mass >= CAIRN_MASS_MIN && mass->mass <= CAIRN_MASS_MAX))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the mass is %g kg; it must be between %g and %g kg",
                          mass->mass, CAIRN_MASS_MIN, CAIRN_MASS_MAX);
    return def->mass != NULL ? check_inertia(w, mass) : CAIRN_OK;
}

/* Farthest corner of the shape's own box from the centre of mass: an upper bound of the reach. */
static double reach_of(const cairn_shape *shape, cairn_vec3 center) {
    if (shape == NULL)
        return 0.0;
    cairn_bounds b = cairn_shape_bounds(shape, cairn_pose_identity());
    cairn_vec3 d = {fmax(b.high.x - center.x, center.x - b.low.x), fmax(b.high.y - center.y, center.y - b.low.y),
                    fmax(b.high.z - center.z, center.z - b.low.z)};
    return cairn_vec3_length(d);
}

cairn_status cairn_world_take_slot(cairn_world *w, int *slot) {
    int at = w->free_slot > 1 ? w->free_slot : 1;
    while (at < w->slots && w->slot[at].generation % 2 == 1)
        at++;
    w->free_slot = at;
    if (at == w->slots) {
        cairn_status status = cairn_world_grow_slots(w);
        if (status != CAIRN_OK)
            return status;
        w->slots++;
    }
    *slot = at;
    return CAIRN_OK;
}

void cairn_world_empty_slot(cairn_world *w, int at) {
    cairn_shape_unhold(w->slot[at].shape);
    w->flexibles -= w->slot[at].flex != NULL;
    cairn_flex_destroy(w->context, w->slot[at].flex);
    w->slot[at].shape = NULL;
    w->slot[at].flex = NULL;
}

cairn_status cairn_world_add_body(cairn_world *w, const cairn_body_def *def, cairn_body *body) {
    cairn_status usable = cairn_world_check(w, true, def != NULL && body != NULL, "cairn_world_add_body");
    if (usable != CAIRN_OK)
        return usable;
    cairn_mass mass;
    cairn_status status = check_body(w, def, &mass);
    if (status != CAIRN_OK)
        return status;
    int at;
    status = cairn_world_take_slot(w, &at);
    if (status != CAIRN_OK)
        return status;
    cairn_slot *s = &w->slot[at];
    *s = (cairn_slot){.generation = s->generation + 1,
                      .kind = def->kind,
                      .shape = def->shape,
                      .material = def->material.slot,
                      .width = def->shape != NULL ? cairn_shape_width(def->shape) : INFINITY,
                      .reach = reach_of(def->shape, mass.center)};
    w->looked_h = 0.0;
    if (s->shape != NULL)
        cairn_shape_hold(s->shape);
    cairn_quat q = cairn_quat_unit(def->pose.rotation);
    cairn_pose pose = {def->pose.position, q};
    bool fixed = def->kind == CAIRN_BODY_FIXED;
    cairn_vec3 none = {0, 0, 0};
    w->rigid[at] = (cairn_rigid){.x = cairn_pose_apply(pose, mass.center),
                                 .q = q,
                                 .v = fixed ? none : def->velocity,
                                 .w = fixed ? none : cairn_quat_rotate(cairn_quat_conjugate(q), def->angular_velocity),
                                 .mass = mass.mass,
                                 .inertia = mass.inertia,
                                 .offset = cairn_vec3_scale(-1.0, mass.center)};
    w->rigid[at].last_v = w->rigid[at].v;
    w->rigid[at].last_w = w->rigid[at].w;
    *body = (cairn_body){(uint32_t)at, s->generation};
    return CAIRN_OK;
}

int cairn_world_find(const cairn_world *w, cairn_body body) {
    if (body.slot > 0 && body.slot < (uint32_t)w->slots && body.generation % 2 == 1 &&
        w->slot[body.slot].generation == body.generation)
        return (int)body.slot;
    cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "there is no such body in this world (slot %u)", body.slot);
    return 0;
}

cairn_status cairn_world_remove_body(cairn_world *w, cairn_body body) {
    cairn_status usable = cairn_world_check(w, true, true, "cairn_world_remove_body");
    if (usable != CAIRN_OK)
        return usable;
    int at = cairn_world_find(w, body);
    if (at == 0)
        return CAIRN_ERROR_ARGUMENT;
    for (int i = 1; i < w->joints; i++)
        if (w->joint[i].generation % 2 == 1 &&
            (w->joint[i].data.a == at || w->joint[i].data.b == at || w->joint[i].data.carrier == at))
            return cairn_fail(w->context, CAIRN_ERROR_STATE, "body: a joint still holds it; remove the joint first");
    cairn_world_empty_slot(w, at);
    w->looked_h = 0.0;
    w->slot[at].generation++;
    w->free_slot = at < w->free_slot ? at : w->free_slot;
    int kept = 0; /* a body that takes this slot must not inherit contacts */
    for (int i = 0; i < w->last.count; i++)
        if (w->last.item[i].a != at && w->last.item[i].b != at)
            w->last.item[kept++] = w->last.item[i];
    w->last.count = kept;
    return CAIRN_OK;
}

cairn_status cairn_world_body(const cairn_world *w, cairn_body body, cairn_body_state *state) {
    cairn_status usable = cairn_world_check(w, false, state != NULL, "cairn_world_body");
    if (usable != CAIRN_OK)
        return usable;
    int at = cairn_world_find(w, body);
    if (at == 0)
        return CAIRN_ERROR_ARGUMENT;
    const cairn_rigid *r = &w->rigid[at];
    *state = (cairn_body_state){.pose = cairn_rigid_pose(r),
                                .center = r->x,
                                .velocity = r->v,
                                .angular_velocity = cairn_quat_rotate(r->q, r->w),
                                .mass = r->mass > 0.0 ? r->mass : INFINITY};
    return CAIRN_OK;
}

cairn_status cairn_world_set_velocity(cairn_world *w, cairn_body body, cairn_vec3 velocity,
                                      cairn_vec3 angular_velocity) {
    cairn_status usable = cairn_world_check(w, false, true, "cairn_world_set_velocity");
    if (usable != CAIRN_OK)
        return usable;
    int at = cairn_world_find(w, body);
    if (at == 0)
        return CAIRN_ERROR_ARGUMENT;
    if (!finite_vec(velocity) || !finite_vec(angular_velocity))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the velocity is not finite");
    if (w->slot[at].kind == CAIRN_BODY_FIXED)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: a fixed body has no velocity; make it kinematic");
    if (w->slot[at].flex != NULL)
        return cairn_flex_set_velocity(w, at, velocity, angular_velocity);
    w->rigid[at].v = velocity;
    w->rigid[at].w = cairn_quat_rotate(cairn_quat_conjugate(w->rigid[at].q), angular_velocity);
    w->rigid[at].last_v = w->rigid[at].v;
    w->rigid[at].last_w = w->rigid[at].w;
    return CAIRN_OK;
}

cairn_status cairn_world_push(cairn_world *w, cairn_body body, cairn_vec3 force, cairn_vec3 torque) {
    cairn_status usable = cairn_world_check(w, false, true, "cairn_world_push");
    if (usable != CAIRN_OK)
        return usable;
    int at = cairn_world_find(w, body);
    if (at == 0)
        return CAIRN_ERROR_ARGUMENT;
    if (!finite_vec(force) || !finite_vec(torque))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: the load is not finite");
    if (w->slot[at].flex != NULL)
        return cairn_flex_push(w, at, force, torque);
    w->rigid[at].force = cairn_vec3_add(w->rigid[at].force, force);
    w->rigid[at].torque = cairn_vec3_add(w->rigid[at].torque, torque);
    return CAIRN_OK;
}

void cairn_world_set_watch(cairn_world *w, bool (*go_on)(void *user), void *user) {
    if (w == NULL)
        return;
    w->go_on = go_on;
    w->go_on_user = user;
}

void cairn_world_set_loads(cairn_world *w, void (*loads)(void *user, cairn_world *world, double time), void *user) {
    if (w == NULL)
        return;
    w->loads = loads;
    w->loads_user = user;
}

int cairn_world_contact_count(const cairn_world *w) {
    if (w == NULL)
        return 0;
    return w->last.count;
}

cairn_status cairn_world_contact_get(const cairn_world *w, int index, cairn_world_contact *contact) {
    cairn_status usable = cairn_world_check(w, false, contact != NULL, "cairn_world_contact_get");
    if (usable != CAIRN_OK)
        return usable;
    if (index < 0 || index >= w->last.count)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "contact %d of %d", index, w->last.count);
    const cairn_touch *c = &w->last.item[index];
    cairn_vec3 impulse = cairn_vec3_scale(c->gamma[0], c->normal);
    for (int k = 0; k < 2; k++)
        impulse = cairn_vec3_add_scaled(impulse, c->gamma[k + 1], c->tangent[k]);
    *contact = (cairn_world_contact){.a = {(uint32_t)c->a, w->slot[c->a].generation},
                                     .b = {(uint32_t)c->b, w->slot[c->b].generation},
                                     .point = c->on_b,
                                     .normal = c->normal,
                                     .impulse = impulse,
                                     .gap = c->gap,
                                     .mu = c->mu};
    return CAIRN_OK;
}
