/*
 * test_world_rest.c: bodies at rest stay there, at the tolerance a world has by default: a velocity within the tolerance would be a creep.
 */
#include "support/world_scene.h"

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
        CHECK(s.hop < 1e-9); /* gaps below 1e-5 g h^2 = 1e-8 m are let be */
    }
}

TEST(cube_slides_with_the_acceleration_of_the_law) {
    static const double friction[] = {0.5, 0.55, 0.577};
    for (int k = 0; k < 3; k++) {
        slide s = run_cube(friction[k], 300);
        double a = 9.81 * (sin(SLOPE) - friction[k] * cos(SLOPE));
        CHECK_NEAR(s.speed / 3.0 / a, 1.0, 1e-9);
        CHECK(s.hop < 1e-10); /* some 1e-12 where it is solved to rounding, more where the last step was not polished */
    }
}

enum { ROWS = 6, COLUMNS = 5, STEPS = 80 };

/* A wall of bricks 4 x 2 x 2 m in bond, h = 0.02. Returns the factorisations of all steps after the first, and the lowest of the top row's brick. */
static int run_wall(double tolerance, int threads, double *map, double *sunk) {
    scene s = scene_make_to(tolerance, threads, 0.02, 0.4, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body last = {0, 0};
    int factorizations = 0;
    scene_plane(&s, (cairn_quat){1, 0, 0, 0});
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < COLUMNS; i++)
            last = scene_box(&s, cairn_vec3_of(2.0, 1.0, 1.0), CAIRN_BODY_DYNAMIC,
                             cairn_pose_at(4.0 * i + (j % 2 == 0 ? 0.0 : 1.8), 0.0, 1.0 + 2.0 * j));
    *map = 0.0;
    for (int i = 0; i < STEPS; i++) {
        cairn_step_report r = scene_step(&s);
        factorizations += i > 0 ? r.info.factorizations : 0;
        *map = fmax(*map, r.info.certificate.error);
    }
    *sunk = fabs(scene_state(&s, last).center.z - (2.0 * ROWS - 1.0));
    scene_end(&s);
    return factorizations;
}

/* A wall is solved once. Later steps take the last impulses, at a loose tolerance too, but for two steps of Newton's method now and then. */
TEST(walls_at_rest_are_solved_once) {
    static const double tolerance[] = {1e-3, 1e-4, 1e-6, 1e-8};
    for (int k = 0; k < 4; k++) {
        double map, sunk, other, lower;
        int factorizations = run_wall(tolerance[k], 1, &map, &sunk);
        CHECK(factorizations <= 4);
        CHECK(map < 5e-8);
        CHECK(sunk < 1e-8);
        CHECK(run_wall(tolerance[k], 2, &other, &lower) == factorizations && other == map && lower == sunk);
    }
}

/* Box on box, as large, turned and shifted by `off`: contacts and their names. */
static void check_corners(double off, const cairn_manifold *as) {
    cairn_context *context = plain_context(1);
    cairn_shape *box = NULL;
    cairn_manifold m = {.count = 0};
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.5, 0.3, 0.2), &box) == CAIRN_OK);
    cairn_pose on = {{off, -off, 0.4}, cairn_quat_exp(cairn_vec3_of(0, 0, off))};
    CHECK(cairn_collide(box, cairn_pose_at(0, 0, 0), box, on, 0.01, &m, 1) == 1);
    CHECK(m.count == as->count);
    for (int i = 0; i < m.count; i++)
        CHECK(m.point[i].feature == as->point[i].feature);
    cairn_shape_release(box);
    cairn_context_destroy(context);
}

/* Faces that all but cover each other touch in four points, which keep their names. */
TEST(corners_keep_their_names) {
    cairn_context *context = plain_context(1);
    cairn_shape *box = NULL;
    cairn_manifold m = {.count = 0};
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.5, 0.3, 0.2), &box) == CAIRN_OK);
    CHECK(cairn_collide(box, cairn_pose_at(0, 0, 0), box, cairn_pose_at(0, 0, 0.4), 0.01, &m, 1) == 1);
    CHECK(m.count == 4);
    check_corners(1e-7, &m);
    check_corners(-1e-7, &m);
    check_corners(3e-9, &m);
    cairn_shape_release(box);
    cairn_context_destroy(context);
}

/* Where a cube falls to that begins `gap` above the floor, h = 0.01. */
static double fall(double gap) {
    scene s = scene_make(1, 0.01, 0.4, 0.0, cairn_vec3_of(0, 0, -9.81));
    scene_plane(&s, (cairn_quat){1, 0, 0, 0});
    cairn_body cube = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1 + gap));
    scene_run(&s, 20);
    double z = scene_state(&s, cube).center.z - 0.1;
    scene_end(&s);
    return z;
}

/* Gaps and overlaps up to 1e-5 g h^2 = 9.81e-9 m count as touching; larger ones close. */
TEST(what_nearly_touches_touches) {
    CHECK_NEAR(fall(9e-9), 9e-9, 1e-11);
    CHECK_NEAR(fall(-9e-9), -9e-9, 1e-11);
    CHECK_NEAR(fall(1.1e-8), 0.0, 1e-11);
    CHECK_NEAR(fall(-1.1e-8), 0.0, 1e-11);
}

int main(void) {
    RUN(walls_at_rest_are_solved_once);
    RUN(corners_keep_their_names);
    RUN(what_nearly_touches_touches);
    RUN(cube_does_not_creep);
    RUN(cube_slides_with_the_acceleration_of_the_law);
    return test_end();
}
