/*
 * test_world_limits.c: steps that are stopped, steps without a solution, overlaps that joints forbid, answers that are all rounding.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};
static const cairn_quat straight = {1, 0, 0, 0};

/* A wall of bricks on a floor, falling a little, so that the steps have work to do. */
static scene make_wall(int threads, int substeps) {
    scene s = {.context = plain_context(threads)};
    cairn_world_def def = cairn_default_world_def();
    def.solver.tolerance = 1e-9;
    def.substeps = substeps;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    CHECK(cairn_world_add_material(
              s.world, &(cairn_material_def){.cookie = cairn_default_material_def().cookie, .friction = 0.4},
              &s.material) == CAIRN_OK);
    scene_plane(&s, straight);
    for (int i = 0; i < 40; i++)
        scene_box(&s, cairn_vec3_of(0.2, 0.1, 0.1), CAIRN_BODY_DYNAMIC,
                  cairn_pose_at(0.42 * (i % 5) + 0.1 * (i / 5 % 2), 0, 0.1005 + 0.2005 * (i / 5)));
    return s;
}

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(const scene *s) {
    saved b = {0};
    CHECK(cairn_world_save(s->world, NULL, 0, &b.size) == CAIRN_OK);
    b.bytes = malloc(b.size);
    CHECK(cairn_world_save(s->world, b.bytes, b.size, &b.size) == CAIRN_OK);
    return b;
}

static bool count_down(void *user) {
    int *left = user;
    return --*left > 0;
}

/* Stopped at any moment, in any part of a step, the world is what it was, and goes on as if nobody had stopped it. */
static void stop_and_go_on(int substeps) {
    scene through = make_wall(1, substeps), stopped = make_wall(1, substeps);
    int stops = 0;
    for (int i = 0; i < 12; i++) {
        saved before = save(&stopped);
        for (int at = 1; at < 60; at += 3) {
            int left = at;
            cairn_world_set_watch(stopped.world, count_down, &left);
            cairn_status status = cairn_world_step(stopped.world, NULL);
            cairn_world_set_watch(stopped.world, NULL, NULL);
            if (status == CAIRN_OK) { /* it was quicker */
                CHECK(cairn_world_load_state(stopped.world, before.bytes, before.size) == CAIRN_OK);
                break;
            }
            CHECK(status == CAIRN_ERROR_CANCELLED);
            CHECK_CONTAINS(cairn_error_message(stopped.context), "stopped");
            saved after = save(&stopped);
            CHECK(after.size == before.size && memcmp(after.bytes, before.bytes, after.size) == 0);
            free(after.bytes);
            stops++;
        }
        free(before.bytes);
        scene_run(&stopped, 1);
        scene_run(&through, 1);
        saved a = save(&stopped), b = save(&through);
        CHECK(a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0);
        free(a.bytes);
        free(b.bytes);
    }
    CHECK(stops > 10);
    scene_end(&stopped);
    scene_end(&through);
}

TEST(a_stopped_step_changes_nothing) {
    stop_and_go_on(1);
    stop_and_go_on(3);
}

static double sink(void *user, double time) {
    (void)user;
    return -0.5 * time;
}

/* A box on rails is driven into the floor: no velocity fits. The step says so, and nothing flies away. */
TEST(a_step_without_solution_stays_calm) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, down);
    scene_plane(&s, straight);
    cairn_body box = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1));
    cairn_body other = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(1, 0, 0.1));
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_PRISMATIC;
    def.b = box;
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.motion = sink;
    cairn_joint joint;
    CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    int failed = 0;
    for (int i = 0; i < 20; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        failed += !r.certified;
        CHECK(r.energy.kinetic < 10.0);
    }
    CHECK(failed == 20);
    CHECK(cairn_vec3_length(scene_state(&s, box).velocity) < 1.0);
    CHECK_NEAR(scene_state(&s, other).center.z, 0.1, 1e-9);
    scene_end(&s);
}

/* A motor without a limit of its force drives a slider against a limit of its way. No velocity fits; impulses grow until digits end, and still nothing passes for solved. The
 * slider stops at the limit. */
TEST(a_motor_of_any_force_against_a_limit) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, down);
    cairn_body b = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(0.1, 0.1, 0.1));
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint;
    def.kind = CAIRN_JOINT_PRISMATIC;
    def.b = b;
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.motor = def.limited = true;
    def.speed = 0.3;
    def.motor_limit = INFINITY;
    def.low = -INFINITY;
    def.high = 0.05;
    CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    for (int i = 0; i < 40; i++) {
        cairn_step_report r;
        cairn_joint_state state;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        CHECK(cairn_world_joint(s.world, joint, &state) == CAIRN_OK);
        CHECK(r.certified == (i < 16) && state.coordinate < 0.054);
        CHECK(i < 16 || state.coordinate > 0.048);
    }
    scene_end(&s);
}

/* Two boxes overlap; one of them is held by a joint: the other one gives way, and the joint stays closed. */
TEST(joints_hold_while_overlaps_are_parted) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, none);
    cairn_body held = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0));
    cairn_body free_one = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.01, 0, 0.18));
    cairn_joint_def def = cairn_default_joint_def();
    def.b = held;
    cairn_joint joint;
    CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    cairn_step_report r = scene_step(&s);
    CHECK(r.projections > 0);
    CHECK_NEAR(cairn_vec3_length(scene_state(&s, held).center), 0.0, 1e-9);
    CHECK_NEAR(scene_state(&s, free_one).center.z, 0.2, 1e-5);
    CHECK_NEAR(scene_state(&s, free_one).velocity.z, 0.0, 1e-9);
    scene_end(&s);
}

/* Bodies of one joint do not touch each other unless it is asked for. */
TEST(bodies_of_a_joint) {
    for (int k = 0; k < 2; k++) {
        scene s = scene_make(1, 0.01, 0.5, 0.0, none);
        cairn_body a = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0));
        cairn_body b = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.2, 0, 0));
        cairn_joint_def def = cairn_default_joint_def();
        def.kind = CAIRN_JOINT_REVOLUTE;
        def.a = a;
        def.b = b;
        def.frame.position = cairn_vec3_of(0.1, 0, 0);
        def.collide = k == 1;
        cairn_joint joint;
        CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
        CHECK(scene_step(&s).contacts == (k == 1 ? 4 : 0));
        scene_end(&s);
    }
}

/* One row, r^ = v_1 + 3 v_2 + b: its terms cancel to `left`. */
static cairn_certificate judge_rest(double left) {
    cairn_context *context = plain_context(1);
    const int H_start[] = {0, 1, 2}, H_row[] = {0, 1}, D_start[] = {0, 2}, D_row[] = {0, 1}, bodies[] = {0, 1, 2};
    const double H[] = {2.0, 5.0}, D[] = {1.0, 3.0}, k[] = {2.0 * 0.3, 5.0 * 0.1}, b[] = {-0.3 - 3.0 * 0.1 + left};
    const double gamma[] = {0.0};
    const cairn_block block = {.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = 2;
    def.m = def.blocks = 1;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 2, .cols = 2, .row = H_row, .start = H_start, .value = H};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 2, .cols = 1, .row = D_row, .start = D_start, .value = D};
    def.k = k;
    def.b = b;
    def.block = &block;
    def.bodies = 2;
    def.body_start = bodies;
    cairn_problem *problem = NULL;
    cairn_certificate c;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &c, NULL, NULL) == CAIRN_OK);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return c;
}

/* What the data round to is no error at any tolerance; what is larger is. */
TEST(rounding_is_no_error) {
    cairn_certificate c = judge_rest(-3e-16);
    CHECK(c.certified && c.error < 1e-15);
    c = judge_rest(-1e-13);
    CHECK(!c.certified && c.moved > 0.9e-13);
    CHECK(!judge_rest(-1e-2).certified);
}

int main(void) {
    RUN(a_stopped_step_changes_nothing);
    RUN(a_step_without_solution_stays_calm);
    RUN(a_motor_of_any_force_against_a_limit);
    RUN(joints_hold_while_overlaps_are_parted);
    RUN(bodies_of_a_joint);
    RUN(rounding_is_no_error);
    return test_end();
}
