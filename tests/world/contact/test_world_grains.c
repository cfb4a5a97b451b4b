/*
 * test_world_grains.c: grains fall into a box and come to rest: every step is certified at 1e-3, overlaps stay small, and neither the number of
 * threads nor a restart changes a bit, with pairs, boxes and memory of other steps kept or not.
 */
#include "support/support.h"

#include <math.h>
#include <string.h>

#define ACROSS 5
#define LAYERS 6
#define STEPS  120
#define MARK   60

static cairn_world *make(cairn_context *context, const char *method) {
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_shape *plane = NULL, *ball = NULL;
    def.step = 0.005;
    def.solver = cairn_default_settings(method);
    def.solver.tolerance = 1e-3;
    def.solver.tolerance_plain = 0.0;
    def.tolerance_velocity = 1e-2;
    CHECK(cairn_world_create(context, &def, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK);
    CHECK(cairn_shape_sphere(context, 0.05, &ball) == CAIRN_OK);
    cairn_body_def body = cairn_default_body_def();
    cairn_body made;
    test_random r = {3};
    body.kind = CAIRN_BODY_FIXED;
    body.shape = plane;
    CHECK(cairn_world_add_body(world, &body, &made) == CAIRN_OK);
    for (int i = 0; i < 4; i++) {
        cairn_vec3 out = cairn_vec3_of(i == 0 ? 1 : i == 2 ? -1 : 0, i == 1 ? 1 : i == 3 ? -1 : 0, 0);
        body.pose.position = cairn_vec3_scale(0.06 * ACROSS, out);
        body.pose.rotation = cairn_quat_turn(cairn_vec3_of(-out.y, out.x, 0), -0.5 * acos(-1.0));
        CHECK(cairn_world_add_body(world, &body, &made) == CAIRN_OK);
    }
    body = cairn_default_body_def();
    body.shape = ball;
    for (int i = 0; i < ACROSS * ACROSS * LAYERS; i++) {
        cairn_vec3 place = cairn_vec3_of(0.11 * (i % ACROSS - 2), 0.11 * (i / ACROSS % ACROSS - 2),
                                         0.06 + 0.11 * (i / (ACROSS * ACROSS)));
        cairn_vec3 jitter = cairn_vec3_of(test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
        body.pose.position = cairn_vec3_add_scaled(place, 0.004, jitter);
        CHECK(cairn_world_add_body(world, &body, &made) == CAIRN_OK);
    }
    cairn_shape_release(plane);
    cairn_shape_release(ball);
    return world;
}

typedef struct block {
    void *bytes;
    size_t size;
} block;

static block save(const cairn_world *world) {
    block b = {0};
    CHECK(cairn_world_save(world, NULL, 0, &b.size) == CAIRN_OK);
    b.bytes = malloc(b.size);
    CHECK(cairn_world_save(world, b.bytes, b.size, &b.size) == CAIRN_OK);
    return b;
}

/* Steps from..to - 1 of a world of its own; begins at `start` unless that is empty. Checks what every step must hold. */
static block run(const char *method, int threads, const block *start, int from, int to, block *mark) {
    cairn_context *context = plain_context(threads);
    cairn_world *world = make(context, method);
    cairn_step_report report = {0};
    int certified = 0, contacts = 0;
    double deepest = 0.0;
    if (start != NULL)
        CHECK(cairn_world_load_state(world, start->bytes, start->size) == CAIRN_OK);
    for (int i = from; i < to; i++) {
        if (i == MARK && mark != NULL)
            *mark = save(world);
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        certified += report.certified;
        contacts = report.contacts > contacts ? report.contacts : contacts;
        deepest = fmax(deepest, report.deepest);
    }
    CHECK(certified == to - from);
    CHECK(contacts > ACROSS * ACROSS * LAYERS);
    CHECK(deepest < 1e-4);
    block end = save(world);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
    return end;
}

static void check(const char *method) {
    block mark = {0}, first = run(method, 1, NULL, 0, STEPS, &mark);
    for (int threads = 1; threads <= 4; threads *= 2) {
        block again = threads == 1 ? run(method, 1, &mark, MARK, STEPS, NULL)
                                   : run(method, threads, NULL, 0, STEPS, NULL);
        CHECK(again.size == first.size && memcmp(again.bytes, first.bytes, first.size) == 0);
        free(again.bytes);
    }
    free(mark.bytes);
    free(first.bytes);
}

TEST(sweeps_certify_every_step_with_the_same_bits) {
    check("nncg");
}

TEST(so_does_the_default_method) {
    check("auto");
}

int main(void) {
    RUN(sweeps_certify_every_step_with_the_same_bits);
    RUN(so_does_the_default_method);
    return test_end();
}
