/*
 * engine_cairn.c: Cairn by its C interface, default settings, one thread. "at 1e-3" asks for a certificate of 1e-3 instead of
 * 1e-6, with the velocity error that goes with it by default (0.1 m/s); granular scenes are raced at that, also with the matrix-free method nncg.
 */
#include "engine_cairn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULTS, LOOSE, LOOSE_NNCG };

typedef struct cairn_run {
    cairn_context *context;
    cairn_world *world;
    cairn_body *body;
    int certified;
    double worst;
    cairn_step_report report;
} cairn_run;

static cairn_status make_shape(const setting *s, cairn_context *context, const setting_body *b, cairn_shape **out) {
    switch (b->shape) {
    case SETTING_PLANE:
        return cairn_shape_plane(context, out);
    case SETTING_BOX:
        return cairn_shape_box(context, b->half, out);
    case SETTING_SPHERE:
        return cairn_shape_sphere(context, b->half.x, out);
    case SETTING_HULL:
        return cairn_shape_hull(context, HULL_POINTS, s->hull, out);
    case SETTING_NONE:
        break;
    }
    *out = NULL;
    return CAIRN_OK;
}

bool setting_shapes(const setting *s, cairn_context *context, cairn_shape **shape) {
    for (int i = 0; i < s->bodies; i++) {
        const setting_body *b = &s->body[i];
        bool same = i > 0 && b->shape == b[-1].shape && memcmp(&b->half, &b[-1].half, sizeof b->half) == 0;
        if (same && shape[i - 1] != NULL) {
            shape[i] = shape[i - 1];
            cairn_shape_retain(shape[i]);
        } else if (make_shape(s, context, b, &shape[i]) != CAIRN_OK)
            return false;
    }
    return true;
}

static bool add_bodies(cairn_run *run, const setting *s, cairn_shape **shape) {
    for (int i = 0; i < s->bodies; i++) {
        const setting_body *b = &s->body[i];
        cairn_mass mass = {.mass = b->mass};
        cairn_body_def def = cairn_default_body_def();
        mass.inertia.m[0][0] = b->inertia.x;
        mass.inertia.m[1][1] = b->inertia.y;
        mass.inertia.m[2][2] = b->inertia.z;
        def.kind = b->mass > 0.0 ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_FIXED;
        def.mass = b->mass > 0.0 ? &mass : NULL;
        def.pose = b->pose;
        def.shape = shape[i];
        if (cairn_world_add_body(run->world, &def, &run->body[i]) != CAIRN_OK)
            return false;
    }
    return true;
}

static bool add_joints(cairn_run *run, const setting *s) {
    for (int i = 0; i < s->joints; i++) {
        const setting_joint *j = &s->joint[i];
        cairn_joint_def def = cairn_default_joint_def();
        cairn_joint joint;
        def.kind = CAIRN_JOINT_SPHERICAL;
        if (j->a >= 0)
            def.a = run->body[j->a];
        def.b = run->body[j->b];
        def.frame = (cairn_pose){j->point, cairn_quat_identity()};
        if (cairn_world_add_joint(run->world, &def, &joint) != CAIRN_OK)
            return false;
    }
    return true;
}

/* The world's first material is the one that bodies get by themselves. */
static bool make_world(cairn_run *run, const setting *s, int code) {
    cairn_world_def def = cairn_default_world_def();
    cairn_material_def rule = cairn_default_material_def();
    cairn_material first = {0};
    def.step = s->step;
    if (code == LOOSE_NNCG)
        def.solver = cairn_default_settings("nncg");
    if (code != DEFAULTS) {
        def.solver.tolerance = 1e-3;
        def.solver.tolerance_plain = 0.0;
    }
    rule.friction = s->mu;
    return cairn_world_create(run->context, &def, &run->world) == CAIRN_OK &&
           cairn_world_set_pair(run->world, first, first, &rule) == CAIRN_OK;
}

static void *create(const engine *e, const setting *s) {
    cairn_run *run = calloc(1, sizeof *run);
    cairn_shape **shape = calloc((size_t)s->bodies, sizeof *shape);
    cairn_context_def def = cairn_default_context_def();
    if (run == NULL || shape == NULL || (run->body = calloc((size_t)s->bodies, sizeof *run->body)) == NULL)
        return NULL;
    bool good = cairn_context_create(&def, &run->context) == CAIRN_OK && make_world(run, s, e->code) &&
                setting_shapes(s, run->context, shape) && add_bodies(run, s, shape) && add_joints(run, s);
    for (int i = 0; i < s->bodies; i++)
        cairn_shape_release(shape[i]);
    free(shape);
    return good ? run : NULL;
}

static bool step(void *data) {
    cairn_run *run = data;
    if (cairn_world_step(run->world, &run->report) != CAIRN_OK)
        return false;
    run->certified += run->report.certified;
    run->worst = fmax(run->worst, run->report.info.certificate.error);
    return true;
}

static void pose(void *data, int body, cairn_pose *out) {
    cairn_run *run = data;
    cairn_body_state state;
    if (cairn_world_body(run->world, run->body[body], &state) == CAIRN_OK)
        *out = state.pose;
}

static void word(void *data, engine_word *out) {
    const cairn_run *run = data;
    *out = (engine_word){.contacts = run->report.contacts,
                         .certified = run->certified,
                         .worst = run->worst,
                         .collide = run->report.seconds_collide,
                         .assemble = run->report.seconds_assemble,
                         .solve = run->report.seconds_solve};
}

static const engine table[] = {
    {"Cairn", " stack tower wall incline arch chain granular ", DEFAULTS, create, step, pose, word},
    {"Cairn at 1e-3", " granular ", LOOSE, create, step, pose, word},
    {"Cairn nncg at 1e-3", " granular ", LOOSE_NNCG, create, step, pose, word},
};

const engine *cairn_table(int *count, const char **words) {
    *count = (int)(sizeof table / sizeof *table);
    *words = "Cairn";
    return table;
}
