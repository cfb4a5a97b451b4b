/*
 * engine_box3d.c: Box3D, one thread, nothing sleeps. The number in a name is that of its substeps; 4 is what its manual recommends. "stiff" asks for the hardest
 * contacts and joints: both get the frequency of the substeps, of which it takes an eighth for contacts and a quarter for joints. Otherwise its own defaults.
 * A plane is a large box. Friction of a pair is the root of the product of both, so each body gets the coefficient itself.
 */
#include "engine.h"

#include <box3d/box3d.h>

#include <stdlib.h>

enum { STIFF = 1000 }; /* code: substeps, and STIFF */

#ifdef BOX3D_DOUBLE_PRECISION
typedef double place_number;
#define PRECISION "places in double precision"
#else
typedef float place_number;
#define PRECISION "single precision"
#endif

typedef struct box3d_run {
    b3WorldId world;
    b3BodyId *body; /* those of the setting, then one for the world's ends of joints */
    float step;
    int substeps;
} box3d_run;

static b3Vec3 vector_of(cairn_vec3 a) {
    return (b3Vec3){(float)a.x, (float)a.y, (float)a.z};
}

static float stiffest(const engine *e, const setting *s) {
    return (float)(e->code % STIFF / s->step);
}

static b3WorldId make_world(const engine *e, const setting *s) {
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = (b3Vec3){0.0f, 0.0f, -9.81f};
    def.enableSleep = false;
    def.workerCount = 1;
    if (e->code >= STIFF)
        def.contactHertz = stiffest(e, s);
    return b3CreateWorld(&def);
}

static bool add_hull(b3BodyId body, const b3ShapeDef *def, const setting *s) {
    b3Vec3 point[HULL_POINTS];
    for (int i = 0; i < HULL_POINTS; i++)
        point[i] = vector_of(s->hull[i]);
    b3HullData *hull = b3CreateHull(point, HULL_POINTS, HULL_POINTS);
    if (hull == NULL)
        return false;
    bool good = B3_IS_NON_NULL(b3CreateHullShape(body, def, hull));
    b3DestroyHull(hull);
    return good;
}

static bool add_box(b3BodyId body, const b3ShapeDef *def, cairn_vec3 half, double top) {
    b3Vec3 h = vector_of(half), centre = {0.0f, 0.0f, (float)(top - half.z)};
    b3BoxHull box = b3MakeOffsetBoxHull(h.x, h.y, h.z, centre);
    return B3_IS_NON_NULL(b3CreateHullShape(body, def, &box.base));
}

static bool add_shape(b3BodyId body, const setting *s, const setting_body *b) {
    b3ShapeDef def = b3DefaultShapeDef();
    def.baseMaterial.friction = (float)s->mu;
    switch (b->shape) {
    case SETTING_PLANE:
        return add_box(body, &def, cairn_vec3_of(s->reach, s->reach, 0.1 * s->reach), 0.0);
    case SETTING_BOX:
        return add_box(body, &def, b->half, b->half.z);
    case SETTING_SPHERE: {
        b3Sphere ball = {.radius = (float)b->half.x};
        return B3_IS_NON_NULL(b3CreateSphereShape(body, &def, &ball));
    }
    case SETTING_HULL:
        return add_hull(body, &def, s);
    case SETTING_NONE:
        break;
    }
    return true;
}

/* The mass is set last: a shape replaces it by one of its own. */
static bool add_body(box3d_run *run, const setting *s, int i) {
    const setting_body *b = &s->body[i];
    cairn_vec3 x = b->pose.position;
    cairn_quat q = b->pose.rotation;
    b3BodyDef def = b3DefaultBodyDef();
    def.type = b->mass > 0.0 ? b3_dynamicBody : b3_staticBody;
    def.position = (b3Pos){(place_number)x.x, (place_number)x.y, (place_number)x.z};
    def.rotation = (b3Quat){{(float)q.x, (float)q.y, (float)q.z}, (float)q.w};
    run->body[i] = b3CreateBody(run->world, &def);
    if (B3_IS_NULL(run->body[i]) || !add_shape(run->body[i], s, b))
        return false;
    if (b->mass > 0.0) {
        b3MassData mass = {.mass = (float)b->mass};
        mass.inertia.cx.x = (float)b->inertia.x;
        mass.inertia.cy.y = (float)b->inertia.y;
        mass.inertia.cz.z = (float)b->inertia.z;
        b3Body_SetMassData(run->body[i], mass);
    }
    return true;
}

static bool add_joint(const box3d_run *run, const engine *e, const setting *s, const setting_joint *j) {
    b3SphericalJointDef def = b3DefaultSphericalJointDef();
    def.base.bodyIdA = run->body[j->a >= 0 ? j->a : s->bodies];
    def.base.bodyIdB = run->body[j->b];
    cairn_pose a = j->a >= 0 ? s->body[j->a].pose : cairn_pose_identity();
    def.base.localFrameA.p = vector_of(cairn_pose_apply_inverse(a, j->point));
    def.base.localFrameB.p = vector_of(cairn_pose_apply_inverse(s->body[j->b].pose, j->point));
    if (e->code >= STIFF)
        def.base.constraintHertz = stiffest(e, s);
    return B3_IS_NON_NULL(b3CreateSphericalJoint(run->world, &def));
}

static void *create(const engine *e, const setting *s) {
    box3d_run *run = calloc(1, sizeof *run);
    if (run == NULL || (run->body = calloc((size_t)s->bodies + 1, sizeof *run->body)) == NULL)
        return NULL;
    b3BodyDef def = b3DefaultBodyDef();
    run->step = (float)s->step;
    run->substeps = e->code % STIFF;
    run->world = make_world(e, s);
    bool good = B3_IS_NON_NULL(run->world);
    for (int i = 0; good && i < s->bodies; i++)
        good = add_body(run, s, i);
    if (good && s->joints > 0)
        run->body[s->bodies] = b3CreateBody(run->world, &def);
    for (int i = 0; good && i < s->joints; i++)
        good = add_joint(run, e, s, &s->joint[i]);
    return good ? run : NULL;
}

static bool step(void *data) {
    const box3d_run *run = data;
    b3World_Step(run->world, run->step, run->substeps);
    return true;
}

static void pose(void *data, int body, cairn_pose *out) {
    const box3d_run *run = data;
    b3Pos x = b3Body_GetPosition(run->body[body]);
    b3Quat q = b3Body_GetRotation(run->body[body]);
    out->position = cairn_vec3_of(x.x, x.y, x.z);
    out->rotation = (cairn_quat){q.s, q.v.x, q.v.y, q.v.z};
}

static void word(void *data, engine_word *out) {
    (void)data;
    out->certified = -1;
}

#define ALL " stack tower wall granular incline arch chain "
static const engine table[] = {
    {"Box3D 4", ALL, 4, create, step, pose, word},
    {"Box3D stiff 8", ALL, STIFF + 8, create, step, pose, word},
    {"Box3D stiff 32", ALL, STIFF + 32, create, step, pose, word},
};

const engine *engine_table(int *count, const char **words) {
    *count = (int)(sizeof table / sizeof *table);
    *words = "Box3D " BOX3D_VERSION ", " PRECISION;
    return table;
}
