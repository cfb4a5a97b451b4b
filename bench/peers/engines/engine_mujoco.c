/*
 * engine_mujoco.c: MuJoCo. The scene is written as its XML. Contacts are soft by design; "stiff" asks for the hardest that its manual
 * allows for the step (solref = 2 h, solimp 0.99 to 0.999), elliptic cones and passes against slip. A chain is either a tree, where joints cannot
 * open by construction, or free bodies that are connected by constraints.
 */
#define _DEFAULT_SOURCE
#include "engine.h"

#include <mujoco/mujoco.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLAIN, STIFF, STIFF_CONNECTED };

typedef struct mujoco_run {
    mjModel *model;
    mjData *data;
    const setting *s;
    int *place; /* by body: its number in the model, 0 for fixed ones */
} mujoco_run;

typedef struct text {
    char *at;
    size_t used, room;
} text;

static void put(text *t, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (n < 0 || t->at == NULL || t->used + (size_t)n + 1 > t->room)
        return;
    memcpy(t->at + t->used, line, (size_t)n + 1);
    t->used += (size_t)n;
}

/* Its own handlers write a log file where the program stands. */
static void no_word(const char *message) {
    (void)message;
}

static void give_up(const char *message) {
    fprintf(stderr, "MuJoCo: %s\n", message);
    _exit(1);
}

static void put_geom(text *t, const setting *s, const setting_body *b) {
    if (b->shape == SETTING_BOX)
        put(t, "<geom type='box' size='%.17g %.17g %.17g'/>", b->half.x, b->half.y, b->half.z);
    else if (b->shape == SETTING_SPHERE)
        put(t, "<geom type='sphere' size='%.17g'/>", b->half.x);
    else if (b->shape == SETTING_HULL)
        put(t, "<geom type='mesh' mesh='stone'/>");
    else if (b->shape == SETTING_PLANE)
        put(t, "<geom type='plane' size='%g %g 1' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'/>\n", s->reach,
            s->reach, b->pose.position.x, b->pose.position.y, b->pose.position.z, b->pose.rotation.w,
            b->pose.rotation.x, b->pose.rotation.y, b->pose.rotation.z);
}

static void put_inertia(text *t, const setting_body *b) {
    put(t, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", b->mass, b->inertia.x, b->inertia.y,
        b->inertia.z);
}

/* Bodies of a chain hang in each other; frames are those of the world when it begins. */
static void put_tree(text *t, const setting *s) {
    for (int i = 0; i < s->bodies; i++) {
        const setting_body *b = &s->body[i];
        cairn_vec3 from = i > 0 ? s->body[i - 1].pose.position : cairn_vec3_of(0, 0, 0);
        cairn_vec3 p = cairn_vec3_sub(b->pose.position, from);
        cairn_vec3 anchor = cairn_vec3_sub(s->joint[i].point, b->pose.position);
        put(t, "<body name='b%d' pos='%.17g %.17g %.17g'><joint type='ball' pos='%.17g %.17g %.17g'/>", i, p.x, p.y,
            p.z, anchor.x, anchor.y, anchor.z);
        put_inertia(t, b);
    }
    for (int i = 0; i < s->bodies; i++)
        put(t, "</body>");
    put(t, "\n</worldbody>\n");
}

static void put_bodies(text *t, const setting *s) {
    for (int i = 0; i < s->bodies; i++) {
        const setting_body *b = &s->body[i];
        if (b->mass > 0.0) {
            put(t, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>", i,
                b->pose.position.x, b->pose.position.y, b->pose.position.z, b->pose.rotation.w, b->pose.rotation.x,
                b->pose.rotation.y, b->pose.rotation.z);
            put_inertia(t, b);
        }
        put_geom(t, s, b);
        if (b->mass > 0.0)
            put(t, "</body>\n");
    }
    put(t, "</worldbody>\n");
    if (s->joints > 0)
        put(t, "<equality>\n");
    for (int i = 0; i < s->joints; i++) {
        const setting_joint *j = &s->joint[i];
        cairn_vec3 anchor = cairn_vec3_sub(j->point, s->body[j->b].pose.position);
        put(t, "<connect body1='b%d' anchor='%.17g %.17g %.17g'", j->b, anchor.x, anchor.y, anchor.z);
        if (j->a >= 0)
            put(t, " body2='b%d'", j->a);
        put(t, "/>\n");
    }
    if (s->joints > 0)
        put(t, "</equality>\n");
}

static void put_model(text *t, const setting *s, int code) {
    bool stiff = code != PLAIN;
    put(t, "<mujoco><option timestep='%.17g' gravity='0 0 -9.81'%s/>\n", s->step,
        stiff ? " cone='elliptic' noslip_iterations='50' integrator='implicit'" : "");
    if (s->bodies > 200)
        put(t, "<size njmax='%d' nconmax='%d' nstack='%d'/>\n", 60 * s->bodies, 15 * s->bodies, 400000000);
    put(t, "<default><geom friction='%.17g 0 0'", s->mu);
    if (stiff)
        put(t, " solref='%.17g 1' solimp='0.99 0.999 0.0001'", 2.0 * s->step);
    put(t, "/>");
    if (stiff)
        put(t, "<equality solref='%.17g 1' solimp='0.99 0.999 0.0001'/>", 2.0 * s->step);
    put(t, "</default>\n");
    if (s->hulls) {
        put(t, "<asset><mesh name='stone' vertex='");
        for (int i = 0; i < HULL_POINTS; i++)
            put(t, "%.17g %.17g %.17g ", s->hull[i].x, s->hull[i].y, s->hull[i].z);
        put(t, "'/></asset>\n");
    }
    put(t, "<worldbody>\n");
    if (s->joints > 0 && code != STIFF_CONNECTED)
        put_tree(t, s);
    else
        put_bodies(t, s);
    put(t, "</mujoco>\n");
}

static void *create(const engine *e, const setting *s) {
    mujoco_run *run = calloc(1, sizeof *run);
    mjVFS *files = malloc(sizeof *files);
    text t = {.room = 4096 + 512 * (size_t)(s->bodies + s->joints)};
    t.at = calloc(t.room, 1);
    char error[500] = "";
    if (run == NULL || files == NULL || t.at == NULL || (run->place = calloc((size_t)s->bodies, sizeof(int))) == NULL)
        return NULL;
    mju_user_warning = no_word;
    mju_user_error = give_up;
    put_model(&t, s, e->code);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "scene.xml", (int)t.used);
    memcpy(files->filedata[0], t.at, t.used);
    run->s = s;
    run->model = mj_loadXML("scene.xml", files, error, sizeof error);
    run->data = run->model != NULL ? mj_makeData(run->model) : NULL;
    free(t.at);
    if (run->data == NULL) {
        fprintf(stderr, "MuJoCo: %s\n", error);
        return NULL;
    }
    for (int i = 0, moving = 0; i < s->bodies; i++)
        run->place[i] = s->body[i].mass > 0.0 ? ++moving : 0;
    mj_forward(run->model, run->data);
    return run;
}

static bool step(void *data) {
    mujoco_run *run = data;
    mj_step(run->model, run->data);
    return true;
}

/* Model bodies: 0 is the world, then the moving ones in order. */
static void pose(void *data, int body, cairn_pose *out) {
    mujoco_run *run = data;
    int place = run->place[body];
    *out = run->s->body[body].pose;
    if (place == 0)
        return;
    /* Frames of the state after the step: mj_step leaves those before it. */
    const mjtNum *q = run->data->qpos + 7 * (place - 1);
    if (run->model->nq == 7 * (run->model->nbody - 1)) {
        out->position = cairn_vec3_of(q[0], q[1], q[2]);
        out->rotation = (cairn_quat){q[3], q[4], q[5], q[6]};
        return;
    }
    if (body == 0)
        mj_kinematics(run->model, run->data);
    const mjtNum *x = run->data->xpos + 3 * place, *r = run->data->xquat + 4 * place;
    out->position = cairn_vec3_of(x[0], x[1], x[2]);
    out->rotation = (cairn_quat){r[0], r[1], r[2], r[3]};
}

static void word(void *data, engine_word *out) {
    mujoco_run *run = data;
    out->contacts = run->data->ncon;
    out->certified = -1;
    /* It starts anew by itself when numbers run away. */
    out->broken = run->data->warning[mjWARN_BADQPOS].number + run->data->warning[mjWARN_BADQVEL].number +
                      run->data->warning[mjWARN_BADQACC].number >
                  0;
}

static const engine table[] = {
    {"MuJoCo", " stack tower wall granular incline arch chain ", PLAIN, create, step, pose, word},
    {"MuJoCo stiff", " stack tower incline arch chain ", STIFF, create, step, pose, word},
    {"MuJoCo stiff, connected", " chain ", STIFF_CONNECTED, create, step, pose, word},
};

const engine *engine_table(int *count, const char **words) {
    *count = (int)(sizeof table / sizeof *table);
    *words = "MuJoCo 2.2.2";
    return table;
}
