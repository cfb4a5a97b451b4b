/*
 * engine_ode.c: the Open Dynamics Engine, in double precision. "quick" is its iterative step, "exact" its pivoting solver of the whole
 * problem. Contacts of its convex hulls without a usable normal are left out, or it would stop. Friction is the pyramid that grows with the normal force; otherwise its own defaults.
 */
#include "engine.h"

#include <ode/ode.h>

#include <stdlib.h>
#include <string.h>

enum { QUICK_20 = 20, QUICK_100 = 100, EXACT = 0, CONTACTS_MAX = 16 };

/* A convex prism with six faces, as make_stone in setting.c numbers its corners. */
typedef struct stone {
    dReal plane[6 * 4], point[3 * HULL_POINTS];
    unsigned face[6 * 5];
} stone;

typedef struct ode_run {
    const setting *s;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body; /* 0 for fixed ones */
    cairn_pose *fixed;
    int iterations, touching;
    stone stone;
} ode_run;

static void set_pose(dGeomID geom, dBodyID body, cairn_pose p) {
    dQuaternion q = {p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z};
    if (body != 0) {
        dBodySetPosition(body, p.position.x, p.position.y, p.position.z);
        dBodySetQuaternion(body, q);
        if (geom != 0)
            dGeomSetBody(geom, body);
    } else if (geom != 0) {
        dGeomSetPosition(geom, p.position.x, p.position.y, p.position.z);
        dGeomSetQuaternion(geom, q);
    }
}

static void make_stone(ode_run *run) {
    static const unsigned char corner[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                               {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    stone *t = &run->stone;
    for (int i = 0; i < HULL_POINTS; i++) {
        t->point[3 * i] = run->s->hull[i].x;
        t->point[3 * i + 1] = run->s->hull[i].y;
        t->point[3 * i + 2] = run->s->hull[i].z;
    }
    for (int f = 0; f < 6; f++) {
        cairn_vec3 p[4];
        for (int i = 0; i < 4; i++)
            p[i] = run->s->hull[corner[f][i]];
        cairn_vec3 n = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(p[1], p[0]), cairn_vec3_sub(p[2], p[0])));
        int turned = cairn_vec3_dot(n, p[0]) < 0.0; /* corners must run counter-clockwise seen from outside */
        n = turned ? cairn_vec3_scale(-1.0, n) : n;
        t->plane[4 * f] = n.x;
        t->plane[4 * f + 1] = n.y;
        t->plane[4 * f + 2] = n.z;
        t->plane[4 * f + 3] = cairn_vec3_dot(n, p[0]);
        t->face[5 * f] = 4;
        for (int i = 0; i < 4; i++)
            t->face[5 * f + 1 + i] = corner[f][turned ? 3 - i : i];
    }
}

static dGeomID make_geom(ode_run *run, const setting_body *b) {
    stone *t = &run->stone;
    switch (b->shape) {
    case SETTING_BOX:
        return dCreateBox(run->space, 2 * b->half.x, 2 * b->half.y, 2 * b->half.z);
    case SETTING_SPHERE:
        return dCreateSphere(run->space, b->half.x);
    case SETTING_HULL:
        return dCreateConvex(run->space, t->plane, 6, t->point, HULL_POINTS, t->face);
    case SETTING_PLANE: {
        cairn_vec3 n = cairn_quat_rotate(b->pose.rotation, cairn_vec3_of(0, 0, 1));
        return dCreatePlane(run->space, n.x, n.y, n.z, cairn_vec3_dot(n, b->pose.position));
    }
    default:
        return 0;
    }
}

static void add_body(ode_run *run, int i) {
    const setting_body *b = &run->s->body[i];
    dGeomID geom = make_geom(run, b);
    run->fixed[i] = b->pose;
    if (b->mass > 0.0) {
        dMass mass;
        dMassSetParameters(&mass, b->mass, 0, 0, 0, b->inertia.x, b->inertia.y, b->inertia.z, 0, 0, 0);
        run->body[i] = dBodyCreate(run->world);
        dBodySetMass(run->body[i], &mass);
        set_pose(geom, run->body[i], b->pose);
    }
}

static void *create(const engine *e, const setting *s) {
    ode_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    dInitODE2(0);
    run->s = s;
    run->iterations = e->code;
    run->world = dWorldCreate();
    run->space = dHashSpaceCreate(0);
    run->contacts = dJointGroupCreate(0);
    run->body = calloc((size_t)s->bodies, sizeof *run->body);
    run->fixed = calloc((size_t)s->bodies, sizeof *run->fixed);
    if (run->body == NULL || run->fixed == NULL)
        return NULL;
    dWorldSetGravity(run->world, 0, 0, -9.81);
    if (run->iterations > 0)
        dWorldSetQuickStepNumIterations(run->world, run->iterations);
    make_stone(run);
    for (int i = 0; i < s->bodies; i++)
        add_body(run, i);
    for (int i = 0; i < s->joints; i++) {
        const setting_joint *j = &s->joint[i];
        dJointID joint = dJointCreateBall(run->world, 0);
        dJointAttach(joint, run->body[j->b], j->a < 0 ? 0 : run->body[j->a]);
        dJointSetBallAnchor(joint, j->point.x, j->point.y, j->point.z);
    }
    return run;
}

static void touch(void *data, dGeomID a, dGeomID b) {
    ode_run *run = data;
    dContact contact[CONTACTS_MAX];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == 0 && body_b == 0)
        return;
    int count = dCollide(a, b, CONTACTS_MAX, &contact[0].geom, sizeof *contact);
    for (int i = 0; i < count; i++) {
        const dReal *n = contact[i].geom.normal;
        if (!(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0.5)) /* its hulls give normals that are no numbers */
            continue;
        memset(&contact[i].surface, 0, sizeof contact[i].surface);
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = run->s->mu;
        dJointAttach(dJointCreateContact(run->world, run->contacts, &contact[i]), body_a, body_b);
    }
    run->touching += count;
}

static bool step(void *data) {
    ode_run *run = data;
    run->touching = 0;
    dSpaceCollide(run->space, run, touch);
    int good = run->iterations > 0 ? dWorldQuickStep(run->world, run->s->step) : dWorldStep(run->world, run->s->step);
    dJointGroupEmpty(run->contacts);
    return good != 0;
}

static void pose(void *data, int body, cairn_pose *out) {
    ode_run *run = data;
    *out = run->fixed[body];
    if (run->body[body] == 0)
        return;
    const dReal *x = dBodyGetPosition(run->body[body]), *q = dBodyGetQuaternion(run->body[body]);
    out->position = cairn_vec3_of(x[0], x[1], x[2]);
    out->rotation = (cairn_quat){q[0], q[1], q[2], q[3]};
}

static void word(void *data, engine_word *out) {
    out->contacts = ((ode_run *)data)->touching;
    out->certified = -1;
}

static const engine table[] = {
    {"ODE quick 20", " stack tower wall granular incline arch chain ", QUICK_20, create, step, pose, word},
    {"ODE quick 100", " stack tower wall incline arch chain ", QUICK_100, create, step, pose, word},
    {"ODE exact", " stack tower incline arch chain ", EXACT, create, step, pose, word},
};

const engine *engine_table(int *count, const char **words) {
    *count = (int)(sizeof table / sizeof *table);
    *words = "ODE 0.16, double precision";
    return table;
}
