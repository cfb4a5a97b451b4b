/*
 * test_world_rest.c: bodies at rest stay there, at the tolerance a world has by default: a velocity within the tolerance would be a creep.
 */
#include "world_scene.h"

#define SLOPE 0.52359877559829887

typedef struct slide {
    double path, speed, hop; /* along the slope, m and m/s; largest height over it, m */
} slide;

/* Case 4: a cube of 0.2 m and 1 kg on a slope of 30 degrees, default settings. */
static slide run_cube(double mu, int steps) {
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    m.friction = mu;
    CHECK(cairn_world_add_material(s.world, &m, &s.material) == CAIRN_OK);
    cairn_vec3 across = {0, 1, 0}, normal = {sin(SLOPE), 0, cos(SLOPE)}, along = {cos(SLOPE), 0, -sin(SLOPE)};
    cairn_quat turn = cairn_quat_turn(across, SLOPE);
    scene_plane(&s, turn);
    cairn_pose pose = {cairn_vec3_scale(0.1, normal), turn};
    cairn_body cube = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, pose);
    slide out = {0};
    for (int i = 0; i < steps; i++) {
        cairn_step_report r;
        cairn_body_state at;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        CHECK(r.certified);
        CHECK(cairn_world_body(s.world, cube, &at) == CAIRN_OK);
        out.path = cairn_vec3_dot(at.center, along);
        out.speed = cairn_vec3_dot(at.velocity, along);
        out.hop = fmax(out.hop, fabs(cairn_vec3_dot(at.center, normal) - 0.1));
    }
    scene_end(&s);
    return out;
}

TEST(cube_does_not_creep) {
    static const double friction[] = {0.578, 0.6, 0.8};
    for (int k = 0; k < 3; k++) {
        slide s = run_cube(friction[k], 10000);
        CHECK(fabs(s.path) < 1e-10);
        CHECK(fabs(s.speed) < 1e-11);
        CHECK(s.hop < 1e-12);
    }
}

TEST(cube_slides_with_the_acceleration_of_the_law) {
    static const double friction[] = {0.5, 0.55, 0.577};
    for (int k = 0; k < 3; k++) {
        slide s = run_cube(friction[k], 300);
        double a = 9.81 * (sin(SLOPE) - friction[k] * cos(SLOPE));
        CHECK_NEAR(s.speed / 3.0 / a, 1.0, 1e-9);
        CHECK(s.hop < 1e-11);
    }
}

int main(void) {
    RUN(cube_does_not_creep);
    RUN(cube_slides_with_the_acceleration_of_the_law);
    return test_end();
}
