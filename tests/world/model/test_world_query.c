/*
 * test_world_query.c: what a world is asked while it runs: rays, and loads that follow the state.
 */
#include "support/world_scene.h"

static const cairn_quat straight = {1, 0, 0, 0};
static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};

static bool skip_one(void *user, cairn_body body) {
    return body.slot == ((const cairn_body *)user)->slot;
}

/* A column of boxes on a plane, looked at from above, from the side, and past them. */
static void test_rays(void) {
    scene s = scene_make(1, 0.01, 0.4, 0, down);
    cairn_body plane = scene_plane(&s, straight), box[3];
    for (int i = 0; i < 3; i++)
        box[i] = scene_box(&s, cairn_vec3_of(0.5, 0.5, 0.5), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.5 + 2.0 * i));
    cairn_world_hit hit;
    CHECK(cairn_world_ray(s.world, cairn_vec3_of(0, 0, 10), cairn_vec3_of(0, 0, -3), INFINITY, NULL, NULL, &hit) ==
          CAIRN_OK);
    CHECK(hit.body.slot == box[2].slot && hit.body.generation == box[2].generation);
    CHECK_NEAR(hit.distance, 5.0, 1e-12);
    CHECK_NEAR(hit.normal.z, 1.0, 1e-12);
    CHECK(cairn_world_ray(s.world, cairn_vec3_of(0, 0, 10), cairn_vec3_of(0, 0, -1), INFINITY, skip_one, &box[2],
                          &hit) == CAIRN_OK);
    CHECK(hit.body.slot == box[1].slot);
    CHECK_NEAR(hit.point.z, 3.0, 1e-12);
    CHECK(cairn_world_ray(s.world, cairn_vec3_of(-4, 0, 0.25), cairn_vec3_of(1, 0, 0), 3.0, NULL, NULL, &hit) ==
          CAIRN_OK);
    CHECK(hit.body.slot == 0); /* ends before the box */
    CHECK(cairn_world_ray(s.world, cairn_vec3_of(-4, 0, 0.25), cairn_vec3_of(1, 0, 0), 4.0, NULL, NULL, &hit) ==
          CAIRN_OK);
    CHECK(hit.body.slot == box[0].slot);
    CHECK_NEAR(hit.distance, 3.5, 1e-12);
    CHECK(cairn_world_ray(s.world, cairn_vec3_of(3, 0, 4), cairn_vec3_of(0, 0, -1), 10, NULL, NULL, &hit) == CAIRN_OK);
    CHECK(hit.body.slot == plane.slot);
    CHECK_NEAR(hit.distance, 4.0, 1e-12);
    CHECK(cairn_world_remove_body(s.world, box[2]) == CAIRN_OK);
    CHECK(cairn_world_ray(s.world, cairn_vec3_of(0, 0, 10), cairn_vec3_of(0, 0, -1), 20, NULL, NULL, &hit) == CAIRN_OK);
    CHECK(hit.body.slot == box[1].slot);
    CHECK(cairn_world_ray(s.world, none, none, 1, NULL, NULL, &hit) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "direction");
    CHECK(cairn_world_ray(s.world, none, down, NAN, NULL, NULL, &hit) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "reach");
    scene_end(&s);
}

typedef struct spring {
    cairn_body body;
    double stiffness;
    int calls;
} spring;

static void pull_home(void *user, cairn_world *world, double time) {
    spring *p = user;
    cairn_body_state state;
    CHECK_NEAR(time, cairn_world_time(world), 0.0);
    CHECK(cairn_world_body(world, p->body, &state) == CAIRN_OK);
    CHECK(cairn_world_push(world, p->body, cairn_vec3_scale(-p->stiffness, state.center), none) == CAIRN_OK);
    p->calls++;
}

/* A spring by callback is symplectic Euler's: v+ = v - h w^2 x, x+ = x + h v+, step by step. A step that was stopped has not used the load up. */
static void test_loads(void) {
    scene s = scene_make(1, 0.01, 0.4, 0, none);
    cairn_body body = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.3, 0, 0));
    cairn_body_state state;
    CHECK(cairn_world_body(s.world, body, &state) == CAIRN_OK);
    spring p = {body, 40.0 * state.mass, 0};
    cairn_world_set_loads(s.world, pull_home, &p);
    double x = 0.3, v = 0.0, h = 0.01;
    for (int i = 0; i < 200; i++) {
        CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
        v -= h * 40.0 * x;
        x += h * v;
        CHECK(cairn_world_body(s.world, body, &state) == CAIRN_OK);
        CHECK_NEAR(state.center.x, x, 1e-12);
    }
    CHECK(p.calls == 200);
    cairn_world_set_loads(s.world, NULL, NULL);
    CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
    CHECK(cairn_world_body(s.world, body, &state) == CAIRN_OK);
    CHECK_NEAR(state.velocity.x, v, 1e-12);
    scene_end(&s);
}

/* A soft block is met at its skin, also where it has fallen to. */
static void test_soft_rays(void) {
    scene s = scene_make(1, 0.01, 0.4, 0, down);
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[3]){2, 3, 2}, &mesh) ==
          CAIRN_OK);
    cairn_flexible_def def = cairn_default_flexible_def();
    cairn_fem_material material = cairn_default_fem_material();
    cairn_body block;
    cairn_world_hit hit;
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &material;
    def.pose.position = cairn_vec3_of(0, 0, 5);
    CHECK(cairn_world_add_flexible(s.world, &def, &block) == CAIRN_OK);
    cairn_fem_mesh_release(mesh);
    for (int i = 0; i < 2; i++) {
        cairn_body_state state;
        CHECK(cairn_world_body(s.world, block, &state) == CAIRN_OK);
        CHECK(cairn_world_ray(s.world, cairn_vec3_of(0.13, 0.2, 10), cairn_vec3_of(0, 0, -2), 20, NULL, NULL, &hit) ==
              CAIRN_OK);
        CHECK(hit.body.slot == block.slot && hit.normal.z > 1.0 - 1e-9);
        CHECK_NEAR(hit.point.z, state.center.z + 0.5, 1e-9);
        CHECK(cairn_world_ray(s.world, cairn_vec3_of(0.51, 0.2, 10), cairn_vec3_of(0, 0, -1), 20, NULL, NULL, &hit) ==
              CAIRN_OK);
        CHECK(hit.body.slot == 0);
        CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
    }
    scene_end(&s);
}

int main(void) {
    RUN(rays);
    RUN(soft_rays);
    RUN(loads);
    return test_end();
}
