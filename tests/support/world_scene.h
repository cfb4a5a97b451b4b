/*
 * world_scene.h: small worlds for tests: a floor, materials, bodies, joints.
 */
#ifndef CAIRN_TEST_WORLD_SCENE_H
#define CAIRN_TEST_WORLD_SCENE_H

#include "support.h"

#define QUARTER_TURN 1.5707963267948966

typedef struct scene {
    cairn_context *context;
    cairn_world *world;
    cairn_material material;
} scene;

/* A world without bodies, and one material. */
static inline scene scene_make_to(double tolerance, int threads, double h, double mu, double restitution,
                                  cairn_vec3 gravity) {
    scene s = {.context = plain_context(threads)};
    cairn_world_def def = cairn_default_world_def();
    def.step = h;
    def.gravity = gravity;
    def.solver.tolerance = tolerance;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    m.friction = mu;
    m.restitution = restitution;
    CHECK(cairn_world_add_material(s.world, &m, &s.material) == CAIRN_OK);
    return s;
}

static inline scene scene_make(int threads, double h, double mu, double restitution, cairn_vec3 gravity) {
    return scene_make_to(1e-10, threads, h, mu, restitution, gravity);
}

static inline void scene_end(scene *s) {
    cairn_world_destroy(s->world);
    cairn_context_destroy(s->context);
}

/* The shape is released. */
static inline cairn_body scene_add(scene *s, cairn_shape *shape, cairn_body_kind kind, cairn_pose pose, cairn_vec3 v,
                                   cairn_vec3 w) {
    cairn_body_def def = cairn_default_body_def();
    cairn_body body = {0, 0};
    def.kind = kind;
    def.shape = shape;
    def.pose = pose;
    def.velocity = v;
    def.angular_velocity = w;
    def.material = s->material;
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    cairn_shape_release(shape);
    return body;
}

/* A half space below the plane through the origin with normal n. */
static inline cairn_body scene_plane(scene *s, cairn_quat turn) {
    cairn_shape *shape = NULL;
    cairn_vec3 none = {0, 0, 0};
    CHECK(cairn_shape_plane(s->context, &shape) == CAIRN_OK);
    return scene_add(s, shape, CAIRN_BODY_FIXED, (cairn_pose){{0, 0, 0}, turn}, none, none);
}

static inline cairn_body scene_box(scene *s, cairn_vec3 half, cairn_body_kind kind, cairn_pose pose) {
    cairn_shape *shape = NULL;
    cairn_vec3 none = {0, 0, 0};
    CHECK(cairn_shape_box(s->context, half, &shape) == CAIRN_OK);
    return scene_add(s, shape, kind, pose, none, none);
}

static inline cairn_body scene_ball(scene *s, double r, cairn_vec3 at, cairn_vec3 v) {
    cairn_shape *shape = NULL;
    cairn_vec3 none = {0, 0, 0};
    CHECK(cairn_shape_sphere(s->context, r, &shape) == CAIRN_OK);
    return scene_add(s, shape, CAIRN_BODY_DYNAMIC, cairn_pose_at(at.x, at.y, at.z), v, none);
}

/* A body without shape. */
static inline cairn_body scene_mass(scene *s, cairn_vec3 at, double mass, cairn_vec3 inertia) {
    cairn_body_def def = cairn_default_body_def();
    cairn_mass m = {.mass = mass, .inertia = {{{inertia.x, 0, 0}, {0, inertia.y, 0}, {0, 0, inertia.z}}}};
    cairn_body body = {0, 0};
    def.pose.position = at;
    def.mass = &m;
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    return body;
}

static inline cairn_body_state scene_state(const scene *s, cairn_body body) {
    cairn_body_state st;
    CHECK(cairn_world_body(s->world, body, &st) == CAIRN_OK);
    return st;
}

static inline cairn_step_report scene_step(scene *s) {
    cairn_step_report r = {0};
    CHECK(cairn_world_step(s->world, &r) == CAIRN_OK);
    if (!r.certified)
        printf("not certified: %s, error %g m/s, depth %g of %g m, missed %d\n", r.info.note, r.info.certificate.error,
               r.depth, r.depth_tolerance, r.missed);
    CHECK(r.certified);
    return r;
}

static inline void scene_run(scene *s, int steps) {
    for (int i = 0; i < steps; i++)
        scene_step(s);
}

#endif
