/*
 * test_world_checkpoint.c: a world that is put back to a saved state goes on with the bits of running through.
 */
#include "base/core.h"
#include "support/support.h"

typedef struct scene {
    cairn_context *context;
    cairn_world *world;
    cairn_body box[8];
    cairn_joint hinge;
    cairn_body floor;
} scene;

static cairn_shape *box_shape(cairn_context *context, double half) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_box(context, cairn_vec3_of(half, half, half), &shape) == CAIRN_OK);
    return shape;
}

static cairn_body add_box(scene *s, double half, cairn_vec3 at, cairn_vec3 v) {
    cairn_body_def def = cairn_default_body_def();
    cairn_body body = {0, 0};
    def.shape = box_shape(s->context, half);
    def.pose.position = at;
    def.velocity = v;
    def.angular_velocity = cairn_vec3_of(0.3, -0.2, 0.5);
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    cairn_shape_release(def.shape);
    return body;
}

static double swing(void *user, double time) {
    (void)user;
    return 0.2 * sin(3.0 * time);
}

/* Boxes that fall on each other, a door with limits and friction, a driven arm. */
static scene make_by(const char *method, double gravity, int threads) {
    scene s = {.context = plain_context(threads)};
    cairn_world_def def = cairn_default_world_def();
    def.gravity.z = gravity;
    def.solver = cairn_default_settings(method);
    def.solver.tolerance = 1e-6;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    cairn_material bouncy;
    m.restitution = 0.4;
    CHECK(cairn_world_add_material(s.world, &m, &bouncy) == CAIRN_OK);
    cairn_body_def floor = cairn_default_body_def();
    CHECK(cairn_shape_plane(s.context, &floor.shape) == CAIRN_OK);
    floor.kind = CAIRN_BODY_FIXED;
    floor.material = bouncy;
    CHECK(cairn_world_add_body(s.world, &floor, &s.floor) == CAIRN_OK);
    cairn_shape_release(floor.shape);
    for (int i = 0; i < 8; i++)
        s.box[i] = add_box(&s, 0.1 + 0.01 * i, cairn_vec3_of(0.03 * i, -0.02 * i, 0.15 + 0.26 * i),
                           cairn_vec3_of(0.1 * i, 0.0, -0.5));
    cairn_joint_def joint = cairn_default_joint_def();
    joint.kind = CAIRN_JOINT_REVOLUTE;
    joint.a = s.box[6];
    joint.b = s.box[7];
    joint.frame.position = cairn_vec3_of(0.2, -0.13, 1.8);
    joint.coordinate = CAIRN_COORDINATE_TURN;
    joint.limited = true;
    joint.low = -0.3;
    joint.high = 0.4;
    joint.friction = 0.1;
    CHECK(cairn_world_add_joint(s.world, &joint, &s.hinge) == CAIRN_OK);
    joint = cairn_default_joint_def();
    joint.kind = CAIRN_JOINT_REVOLUTE;
    joint.b = s.box[5];
    joint.frame.position = cairn_vec3_of(0.2, -0.1, 1.4);
    joint.coordinate = CAIRN_COORDINATE_TURN;
    joint.motion = swing;
    cairn_joint arm;
    CHECK(cairn_world_add_joint(s.world, &joint, &arm) == CAIRN_OK);
    return s;
}

static scene make(double gravity, int threads) {
    return make_by("auto", gravity, threads);
}

static void end(scene *s) {
    cairn_world_destroy(s->world);
    cairn_context_destroy(s->context);
}

static void run(scene *s, int steps) {
    for (int i = 0; i < steps; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s->world, &r) == CAIRN_OK);
        CHECK(r.info.outcome == CAIRN_SOLVED && r.energy.kinetic < 1e4 && r.joint_gap < 1e-4); /* nothing blows up */
    }
}

typedef struct block {
    unsigned char *bytes;
    size_t size;
} block;

static block save(const scene *s) {
    block b = {0};
    CHECK(cairn_world_save(s->world, NULL, 0, &b.size) == CAIRN_OK);
    b.bytes = malloc(b.size);
    CHECK(cairn_world_save(s->world, b.bytes, b.size, &b.size) == CAIRN_OK);
    return b;
}

static bool same(const block *a, const block *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

#define STEPS 90

static void restart_at_any_step(const char *method) {
    scene through = make_by(method, -9.81, 1);
    block at[STEPS + 1];
    int touched = 0;
    for (int i = 0; i <= STEPS; i++) {
        at[i] = save(&through);
        run(&through, 1);
        touched += cairn_world_contact_count(through.world);
    }
    CHECK(touched > 2 * STEPS);
    for (int i = 0; i < STEPS; i++) {
        scene again = make_by(method, -9.81, 2);
        CHECK(cairn_world_load_state(again.world, at[i].bytes, at[i].size) == CAIRN_OK);
        block b = save(&again);
        CHECK(same(&b, &at[i]));
        free(b.bytes);
        int left = STEPS - i < 3 ? STEPS - i : 3;
        run(&again, left);
        b = save(&again);
        CHECK(same(&b, &at[i + left]));
        free(b.bytes);
        end(&again);
    }
    CHECK(cairn_world_load_state(through.world, at[3].bytes, at[3].size) ==
          CAIRN_OK); /* the same world, back in time */
    run(&through, 40);
    block b = save(&through);
    CHECK(same(&b, &at[43]));
    free(b.bytes);
    for (int i = 0; i <= STEPS; i++)
        free(at[i].bytes);
    end(&through);
}

TEST(restart_at_any_step) {
    restart_at_any_step("auto");
}

/* Its iterations begin with the last impulses: they must be in the block. */
TEST(restart_of_an_iterative_method) {
    restart_at_any_step("padmm");
}

/* A body goes, another comes in its slot, a joint goes, a push waits for the next step. */
TEST(restart_after_changes) {
    scene through = make(-9.81, 1), again = make(-9.81, 1), plain = make(-9.81, 1);
    run(&through, 30);
    CHECK(cairn_world_remove_body(through.world, through.box[2]) == CAIRN_OK);
    CHECK(cairn_world_remove_joint(through.world, through.hinge) == CAIRN_OK);
    cairn_body extra = add_box(&through, 0.12, cairn_vec3_of(0.5, 0.5, 1.0), cairn_vec3_of(0, 0, -1));
    run(&through, 10);
    CHECK(cairn_world_remove_body(through.world, through.box[0]) == CAIRN_OK);
    CHECK(cairn_world_push(through.world, extra, cairn_vec3_of(30, 0, 5), cairn_vec3_of(0, 1, 0)) == CAIRN_OK);
    block saved = save(&through);
    run(&through, 30);
    block goal = save(&through);

    CHECK(cairn_world_load_state(plain.world, saved.bytes, saved.size) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(plain.context), "body 4 is a different one here");
    CHECK(cairn_world_remove_body(again.world, again.box[2]) == CAIRN_OK);
    add_box(&again, 0.12, cairn_vec3_of(0, 0, 50), cairn_vec3_of(0, 0, 0)); /* where it is now does not matter */
    CHECK(cairn_world_load_state(again.world, saved.bytes, saved.size) == CAIRN_OK);
    cairn_body_state state;
    CHECK(cairn_world_body(again.world, extra, &state) == CAIRN_OK);
    CHECK(cairn_world_body(again.world, through.box[0], &state) == CAIRN_ERROR_ARGUMENT);
    run(&again, 30);
    block b = save(&again);
    CHECK(same(&b, &goal));
    free(b.bytes);
    free(saved.bytes);
    free(goal.bytes);
    end(&through);
    end(&again);
    end(&plain);
}

/* Bodies of the loading world that the block does not know go away. */
TEST(later_bodies_are_removed) {
    scene s = make(-9.81, 1);
    run(&s, 5);
    block saved = save(&s);
    run(&s, 5);
    block goal = save(&s);
    CHECK(cairn_world_load_state(s.world, saved.bytes, saved.size) == CAIRN_OK);
    cairn_body extra = add_box(&s, 0.1, cairn_vec3_of(0, 0, 5), cairn_vec3_of(0, 0, 0));
    run(&s, 2);
    CHECK(cairn_world_load_state(s.world, saved.bytes, saved.size) == CAIRN_OK);
    cairn_body_state state;
    CHECK(cairn_world_body(s.world, extra, &state) == CAIRN_ERROR_ARGUMENT);
    run(&s, 5);
    block b = save(&s);
    CHECK(same(&b, &goal));
    free(b.bytes);
    free(saved.bytes);
    free(goal.bytes);
    end(&s);
}

TEST(wrong_blocks_are_refused) {
    scene s = make(-9.81, 1), other = make(-1.62, 1);
    run(&s, 40);
    block good = save(&s), b;
    CHECK(cairn_world_load_state(other.world, good.bytes, good.size) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(other.context), "other settings");
    CHECK(cairn_world_save(s.world, good.bytes, good.size - 1, &good.size) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "room for");
    CHECK(cairn_world_load_state(s.world, "no", 2) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(s.context), "not a checkpoint");
    CHECK(cairn_world_load_state(s.world, good.bytes, good.size - 8) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(s.context), "truncated");
    good.bytes[8] ^= 64;
    CHECK(cairn_world_load_state(s.world, good.bytes, good.size) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(s.context), "version");
    good.bytes[8] ^= 64;
    test_random r = {7};
    for (int i = 0; i < 2000; i++) {
        size_t at = (size_t)(test_random_bits(&r) % good.size);
        unsigned char flip = (unsigned char)(1u << (test_random_bits(&r) % 8));
        good.bytes[at] ^= flip;
        CHECK(cairn_world_load_state(s.world, good.bytes, good.size) == CAIRN_ERROR_PARSE);
        good.bytes[at] ^= flip;
    }
    for (int i = 0; i < 2;
         i++) { /* a checksum that fits does not make numbers of what is none: a place, a rotation of length 0 */
        uint32_t count[2];
        memcpy(count, good.bytes + 40, sizeof count);
        size_t at = 56 + 16 * ((size_t)count[0] + count[1]) + 24 + (i == 0 ? 0 : 24), wide = i == 0 ? 8 : 32;
        block changed = save(&s);
        memset(changed.bytes + at, i == 0 ? 0xff : 0, wide);
        uint64_t sum = cairn_hash(CAIRN_HASH_START, changed.bytes + 32, changed.size - 32);
        memcpy(changed.bytes + 24, &sum, sizeof sum);
        CHECK(cairn_world_load_state(s.world, changed.bytes, changed.size) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(s.context), "not a number");
        free(changed.bytes);
    }
    for (int i = 0; i < 2; i++) { /* so many steps that one more cannot be counted */
        const int64_t steps = i == 0 ? INT64_MAX : -1;
        uint32_t count[2];
        memcpy(count, good.bytes + 40, sizeof count);
        block changed = save(&s);
        memcpy(changed.bytes + 56 + 16 * ((size_t)count[0] + count[1]), &steps, sizeof steps);
        uint64_t sum = cairn_hash(CAIRN_HASH_START, changed.bytes + 32, changed.size - 32);
        memcpy(changed.bytes + 24, &sum, sizeof sum);
        CHECK(cairn_world_load_state(s.world, changed.bytes, changed.size) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(s.context), "number of steps");
        free(changed.bytes);
    }
    b = save(&s);
    CHECK(same(&b, &good)); /* a refused block changes nothing */
    free(b.bytes);
    free(good.bytes);
    end(&s);
    end(&other);
}

int main(void) {
    RUN(restart_at_any_step);
    RUN(restart_of_an_iterative_method);
    RUN(restart_after_changes);
    RUN(later_bodies_are_removed);
    RUN(wrong_blocks_are_refused);
    return test_end();
}
