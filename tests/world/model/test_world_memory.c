/*
 * test_world_memory.c: after warm-up neither a step nor its recording asks the system for memory.
 *
 * The program puts its own malloc, calloc and realloc before those of the C library, and counts. With the default allocator a context
 * keeps what was freed, so problems and solvers of a step live in the memory of those of the step before.
 */
#include "support/support.h"

#include <unistd.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS 1
#else
#define COUNTS 0
#endif

static long asked;

#if COUNTS
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
    asked++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    asked++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    asked++;
    return __libc_realloc(old, size);
}
#endif

static cairn_world *make(cairn_context *context, int boxes, bool joints) {
    cairn_world *world = NULL;
    cairn_shape *plane = NULL, *box = NULL;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    cairn_body body, before = {0, 0};
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    def = cairn_default_body_def();
    def.shape = box;
    for (int i = 0; i < boxes; i++) {
        def.pose.position = cairn_vec3_of(0.21 * (i % 4), 0.02 * (i % 3), 0.1 + 0.2 * (i / 4));
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
        if (joints && i % 4 == 1) {
            cairn_joint_def joint = cairn_default_joint_def();
            cairn_joint made;
            joint.kind = CAIRN_JOINT_DISTANCE;
            joint.a = before;
            joint.b = body;
            joint.has_frame_b = true;
            joint.frame_b.position = def.pose.position;
            CHECK(cairn_world_add_joint(world, &joint, &made) == CAIRN_OK);
        }
        before = body;
    }
    cairn_shape_release(plane);
    cairn_shape_release(box);
    return world;
}

static void run(int boxes, bool joints, int threads, int warm_up, int steps) {
    char path[64], other[80];
    snprintf(path, sizeof path, "/tmp/cairn_memory_%ld.h5", (long)getpid());
    cairn_context *context = plain_context(threads);
    cairn_world *world = make(context, boxes, joints);
    cairn_record *record = NULL;
    cairn_step_report report;
    CHECK(cairn_record_create(context, path, world, NULL, NULL, &record) == CAIRN_OK);
    for (int i = 0; i < warm_up + steps; i++) {
        if (i == warm_up)
            asked = 0;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    long during = asked;
    CHECK(report.contacts >= 4 * boxes);
    CHECK(during == 0);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(!COUNTS || asked > 0); /* the count counts */
    unlink(path);
    snprintf(other, sizeof other, "%s.journal", path);
    CHECK(access(other, F_OK) != 0);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

/* Soft blocks on a floor and on each other. */
static void run_flexible(int threads) {
    cairn_context *context = plain_context(threads);
    cairn_world *world = make(context, 2, false);
    cairn_fem_mesh *mesh = NULL;
    const int cells[3] = {2, 2, 2};
    cairn_fem_material elastic = cairn_default_fem_material();
    elastic.E = 1e5;
    elastic.damping_stiffness = 0.02;
    CHECK(cairn_fem_mesh_box(context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.2, 0.2, 0.2), cells, &mesh) == CAIRN_OK);
    cairn_flexible_def def = cairn_default_flexible_def();
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    for (int i = 0; i < 3; i++) {
        cairn_body body;
        def.pose.position = cairn_vec3_of(1.0 + 0.01 * i, 0.01 * i, 0.1 + 0.2 * i);
        CHECK(cairn_world_add_flexible(world, &def, &body) == CAIRN_OK);
    }
    cairn_fem_mesh_release(mesh);
    cairn_step_report report;
    for (int i = 0; i < 140; i++) {
        if (i == 100)
            asked = 0;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
    }
    CHECK(asked == 0);
    CHECK(report.contacts > 20);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

TEST(flexible_parts) {
    run_flexible(1);
    run_flexible(2);
}

/* The first answers of bodies at rest that are refined again come after some twenty steps: until then it is warm-up. */
TEST(boxes_at_rest) {
    run(40, false, 1, 60, 50);
}

/* Balls settle between four walls; then steps take what those before gave back. */
TEST(grains_at_rest) {
    cairn_context *context = plain_context(1);
    cairn_world_def settings = cairn_default_world_def();
    settings.solver = cairn_default_settings("nncg");
    settings.solver.tolerance = 1e-3;
    settings.solver.tolerance_plain = 0.0;
    settings.tolerance_velocity = 1e-2;
    settings.step = 0.005;
    cairn_world *world = NULL;
    cairn_shape *plane = NULL, *ball = NULL;
    cairn_step_report report = {0};
    CHECK(cairn_world_create(context, &settings, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK);
    CHECK(cairn_shape_sphere(context, 0.05, &ball) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    for (int i = 0; i < 4; i++) {
        cairn_vec3 out = cairn_vec3_of(i == 0 ? 1 : i == 2 ? -1 : 0, i == 1 ? 1 : i == 3 ? -1 : 0, 0);
        def.pose.position = cairn_vec3_scale(0.22, out);
        def.pose.rotation = cairn_quat_turn(cairn_vec3_of(-out.y, out.x, 0), -1.5707963267948966);
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    }
    def = cairn_default_body_def();
    def.shape = ball;
    for (int i = 0; i < 64; i++) {
        def.pose.position = cairn_vec3_of(0.1 * (i % 4) - 0.15 + 0.003 * (i % 7),
                                          0.1 * (i / 4 % 4) - 0.15 + 0.002 * (i % 5), 0.06 + 0.11 * (i / 16));
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    }
    for (int i = 0; i < 400; i++) {
        if (i == 350)
            asked = 0;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
    }
    CHECK(asked == 0);
    CHECK(report.certified && report.contacts > 64);
    cairn_shape_release(plane);
    cairn_shape_release(ball);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

TEST(joints_and_threads) {
    run(24, true, 2, 60, 50);
}

int main(void) {
    if (!COUNTS)
        SKIP("calls of the system's allocator cannot be counted in this build");
    RUN(boxes_at_rest);
    RUN(grains_at_rest);
    RUN(joints_and_threads);
    RUN(flexible_parts);
    return test_end();
}
