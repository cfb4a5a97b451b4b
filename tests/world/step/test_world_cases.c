/*
 * test_world_cases.c: motions that are known exactly, step by step through the whole engine.
 */
#include "support/support.h"

typedef struct scene {
    cairn_context *context;
    cairn_world *world;
    cairn_body floor;
} scene;

static scene make_scene(double h, double mu, double restitution, cairn_vec3 gravity, cairn_law law) {
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    def.step = h;
    def.gravity = gravity;
    def.law = law;
    def.solver.tolerance = 1e-12;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    cairn_material id;
    m.friction = mu;
    m.restitution = restitution;
    CHECK(cairn_world_add_material(s.world, &m, &id) == CAIRN_OK);
    cairn_shape *plane = NULL;
    CHECK(cairn_shape_plane(s.context, &plane) == CAIRN_OK);
    cairn_body_def floor = cairn_default_body_def();
    floor.kind = CAIRN_BODY_FIXED;
    floor.shape = plane;
    floor.material = id;
    CHECK(cairn_world_add_body(s.world, &floor, &s.floor) == CAIRN_OK);
    cairn_shape_release(plane);
    return s;
}

static cairn_body add(scene *s, cairn_shape *shape, cairn_vec3 at, cairn_vec3 v) {
    cairn_body_def def = cairn_default_body_def();
    cairn_body body = {0, 0};
    def.shape = shape;
    def.pose.position = at;
    def.velocity = v;
    def.material.slot = 1;
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    cairn_shape_release(shape);
    return body;
}

static cairn_body add_box(scene *s, cairn_vec3 half, cairn_vec3 at, cairn_vec3 v) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_box(s->context, half, &shape) == CAIRN_OK);
    return add(s, shape, at, v);
}

static cairn_body add_ball(scene *s, double r, cairn_vec3 at, cairn_vec3 v) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_sphere(s->context, r, &shape) == CAIRN_OK);
    return add(s, shape, at, v);
}

static cairn_body_state state(const scene *s, cairn_body body) {
    cairn_body_state st;
    CHECK(cairn_world_body(s->world, body, &st) == CAIRN_OK);
    return st;
}

static cairn_step_report step(scene *s) {
    cairn_step_report r;
    CHECK(cairn_world_step(s->world, &r) == CAIRN_OK);
    CHECK(r.certified);
    return r;
}

static void end_scene(scene *s) {
    cairn_world_destroy(s->world);
    cairn_context_destroy(s->context);
}

static const cairn_vec3 down = {0, 0, -9.81};

/* Case 4: gravity is tilted instead of the floor. */
TEST(block_on_an_incline) {
    for (int k = 0; k < 4; k++) {
        double mu = k == 0 ? 0.6 : k == 1 ? 0.578 : k == 2 ? 0.577 : 0.5, t = 0.52359877559829887;
        scene s = make_scene(0.01, mu, 0.0, cairn_vec3_of(9.81 * sin(t), 0, -9.81 * cos(t)), CAIRN_LAW_COULOMB);
        cairn_body b = add_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), cairn_vec3_of(0, 0, 0.1), cairn_vec3_of(0, 0, 0));
        for (int i = 0; i < 200; i++)
            step(&s);
        double expected = fmax(0.0, 9.81 * (sin(t) - mu * cos(t))) * 2.0;
        CHECK_NEAR(state(&s, b).velocity.x, expected, 1e-8);
        CHECK_NEAR(state(&s, b).center.z, 0.1, 1e-9);
        end_scene(&s);
    }
}

/* Case 5. */
TEST(sliding_to_rest) {
    scene s = make_scene(0.01, 0.5, 0.0, down, CAIRN_LAW_COULOMB);
    cairn_body b = add_box(&s, cairn_vec3_of(0.5, 0.5, 0.05), cairn_vec3_of(0, 0, 0.05), cairn_vec3_of(4.905, 0, 0));
    for (int i = 0; i < 100; i++)
        step(&s);
    CHECK_NEAR(state(&s, b).center.x, 2.427975, 1e-10);
    CHECK_NEAR(state(&s, b).velocity.x, 0.0, 1e-10);
    end_scene(&s);
}

/* Case 6: the convex law floats at h mu s, the exact one does not. */
TEST(dragged_block_floats_only_under_the_associated_law) {
    for (int law = 0; law < 2; law++) {
        scene s = make_scene(1e-3, 0.3, 0.0, down, law == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED);
        cairn_body b = add_box(&s, cairn_vec3_of(0.5, 0.5, 0.05), cairn_vec3_of(0, 0, 0.05), cairn_vec3_of(2, 0, 0));
        for (int i = 0; i < 2000; i++) {
            cairn_body_state st = state(&s, b);
            cairn_world_set_velocity(s.world, b, cairn_vec3_of(2, 0, st.velocity.z), cairn_vec3_of(0, 0, 0));
            cairn_world_push(s.world, b, cairn_vec3_of(0.3 * 9.81 * st.mass, 0, 0), cairn_vec3_of(0, 0, 0));
            step(&s);
        }
        CHECK_NEAR(state(&s, b).center.z - 0.05, law == 0 ? 0.0 : 6e-4, 1e-9);
        end_scene(&s);
    }
}

/* Case 7: a ball on an incline. */
TEST(ball_rolls_down) {
    double t = 0.3;
    scene s = make_scene(0.005, 0.5, 0.0, cairn_vec3_of(9.81 * sin(t), 0, -9.81 * cos(t)), CAIRN_LAW_COULOMB);
    cairn_body b = add_ball(&s, 0.2, cairn_vec3_of(0, 0, 0.2), cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < 200; i++)
        step(&s);
    CHECK_NEAR(state(&s, b).velocity.x, 5.0 / 7.0 * 9.81 * sin(t), 1e-8);
    CHECK_NEAR(state(&s, b).angular_velocity.y, state(&s, b).velocity.x / 0.2, 1e-8);
    end_scene(&s);
}

/* Case 8: a bowling ball. */
TEST(bowling_ball) {
    scene s = make_scene(0.001, 0.2, 0.0, down, CAIRN_LAW_COULOMB);
    cairn_body b = add_ball(&s, 0.11, cairn_vec3_of(0, 0, 0.11), cairn_vec3_of(3, 0, 0));
    double rolls = 0.0, x = 0.0;
    for (int i = 1; i <= 600; i++) {
        step(&s);
        cairn_body_state st = state(&s, b);
        if (rolls == 0.0 && fabs(st.velocity.x - 0.11 * st.angular_velocity.y) < 1e-9) {
            rolls = 0.001 * i;
            x = st.center.x;
        }
    }
    CHECK_NEAR(rolls, 0.436872, 0.001);
    CHECK_NEAR(x, 1.123385, 0.004);
    CHECK_NEAR(state(&s, b).velocity.x, 2.142857, 1e-6);
    end_scene(&s);
}

/* Case 9. */
TEST(bouncing_ball) {
    scene s = make_scene(0.001, 0.0, 0.5, down, CAIRN_LAW_COULOMB);
    cairn_body b = add_ball(&s, 0.1, cairn_vec3_of(0, 0, 1.1), cairn_vec3_of(0, 0, 0));
    double path = 0.0, rests = 0.0, z = 1.1;
    for (int i = 1; i <= 2000; i++) {
        step(&s);
        cairn_body_state st = state(&s, b);
        path += fabs(st.center.z - z);
        if (fabs(st.center.z - z) > 1e-7)
            rests = 0.001 * i;
        z = st.center.z;
    }
    CHECK_NEAR(rests, 1.354571, 0.005);
    CHECK_NEAR(path, 1.666667, 0.0025);
    CHECK_NEAR(z, 0.1, 1e-6);
    end_scene(&s);
}

/* Case 11: a ball hits a plane at an angle. */
TEST(oblique_impact) {
    scene s = make_scene(0.01, 0.1, 0.5, cairn_vec3_of(0, 0, 0), CAIRN_LAW_COULOMB);
    cairn_body b = add_ball(&s, 1.0, cairn_vec3_of(0, 0, 1.0), cairn_vec3_of(2, 0, -3));
    for (int i = 0; i < 3; i++)
        step(&s);
    cairn_body_state st = state(&s, b);
    CHECK_NEAR(st.velocity.x, 1.55, 1e-12);
    CHECK_NEAR(st.velocity.z, 1.5, 1e-12);
    CHECK_NEAR(st.angular_velocity.y, 1.125, 1e-12);
    end_scene(&s);
}

/* A ball at 60 m/s neither tunnels through a thin plate nor sinks in. */
TEST(fast_ball) {
    for (int e = 0; e < 2; e++) {
        scene s = make_scene(0.02, 0.3, 0.5 * e, cairn_vec3_of(0, 0, 0), CAIRN_LAW_COULOMB);
        cairn_body b = add_ball(&s, 0.1, cairn_vec3_of(0, 0, 5.037), cairn_vec3_of(0, 0, -60));
        for (int i = 0; i < 20; i++) {
            step(&s);
            CHECK(state(&s, b).center.z >= 0.1 - 1e-9);
        }
        CHECK_NEAR(state(&s, b).velocity.z, 30.0 * e, 1e-8);
        end_scene(&s);
    }
}

/* A box that is hit meets its neighbour 4 cm away within the step, however many others lie still. */
TEST(neighbour_of_a_box_that_is_hit) {
    for (int others = 0; others <= 40; others += 40) {
        scene s = make_scene(0.02, 0.4, 0.0, down, CAIRN_LAW_COULOMB);
        cairn_vec3 half = {0.5, 0.5, 0.5}, none = {0, 0, 0};
        add_ball(&s, 0.5, cairn_vec3_of(-1.001, 0, 0.5), cairn_vec3_of(16, 0, 0));
        add_box(&s, half, cairn_vec3_of(0, 0, 0.5), none);
        add_box(&s, half, cairn_vec3_of(1.04, 0, 0.5), none);
        for (int i = 0; i < others; i++)
            add_box(&s, half, cairn_vec3_of(2.0 * i, 20, 0.5), none);
        step(&s);
        cairn_step_report r = step(&s);
        CHECK(r.deepest < 1e-3);
        end_scene(&s);
    }
}

/* Two faces 3 degrees apart, edges crossed: the upper box turns by twice that angle in a step and does not come down into the lower one. */
TEST(box_that_turns_flat) {
    scene s = make_scene(0.02, 0.4, 0.0, cairn_vec3_of(0, 0, 0), CAIRN_LAW_COULOMB);
    cairn_vec3 none = {0, 0, 0}, tilt = {0.03, 0.03, 0};
    cairn_body_def def = cairn_default_body_def();
    cairn_shape *box = NULL;
    cairn_body body;
    add_box(&s, cairn_vec3_of(1, 1, 0.5), cairn_vec3_of(0, 0, 0.5), none);
    CHECK(cairn_shape_box(s.context, cairn_vec3_of(1, 1, 0.5), &box) == CAIRN_OK);
    def.shape = box;
    def.pose = (cairn_pose){{0.5, 0.5, 1.532}, cairn_quat_exp(tilt)};
    def.angular_velocity = cairn_vec3_scale(-2.0 / 0.02, tilt);
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_OK);
    cairn_shape_release(box);
    step(&s);
    CHECK(cairn_world_contact_count(s.world) > 0);
    CHECK(step(&s).deepest < 5e-3);
    end_scene(&s);
}

/* A box slides along a heavy ball while it turns towards it: the face does not sink in by h^2/2 times spin times slip, 1 cm. */
TEST(box_that_turns_along_a_ball) {
    scene s = make_scene(0.02, 0.0, 0.0, cairn_vec3_of(0, 0, 0), CAIRN_LAW_COULOMB);
    cairn_shape *ball = NULL;
    CHECK(cairn_shape_sphere(s.context, 4.0, &ball) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    def.kind = CAIRN_BODY_FIXED;
    def.shape = ball;
    def.pose.position = cairn_vec3_of(0, 0, 10);
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_OK);
    cairn_shape_release(ball);
    body = add_box(&s, cairn_vec3_of(2, 2, 1), cairn_vec3_of(0, 0, 15), cairn_vec3_of(12, 0, 0));
    CHECK(cairn_world_set_velocity(s.world, body, cairn_vec3_of(12, 0, 0), cairn_vec3_of(0, -4, 0)) == CAIRN_OK);
    double deepest = 0.0;
    for (int i = 0; i < 8; i++) {
        cairn_world_push(s.world, body, cairn_vec3_of(0, 0, -3e6), cairn_vec3_of(0, 0, 0));
        double found = step(&s).deepest;
        deepest = i > 1 ? fmax(deepest, found) : 0.0; /* the first step is an impact */
    }
    CHECK(deepest < 2e-3);
    end_scene(&s);
}

/* Ten boxes in exact touch stay where they are; energy never rises. */
TEST(stack_at_rest) {
    scene s = make_scene(0.01, 0.5, 0.0, down, CAIRN_LAW_COULOMB);
    cairn_body box[10];
    for (int i = 0; i < 10; i++)
        box[i] = add_box(&s, cairn_vec3_of(0.5, 0.5, 0.25), cairn_vec3_of(0, 0, 0.25 + 0.5 * i),
                         cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < 100; i++) {
        cairn_step_report r = step(&s);
        CHECK(r.contacts == 40 && r.solves == 1);
    }
    for (int i = 0; i < 10; i++) {
        CHECK_NEAR(state(&s, box[i]).center.z, 0.25 + 0.5 * i, 1e-7);
        CHECK_NEAR(state(&s, box[i]).center.x, 0.0, 1e-7);
    }
    double sum = 0.0;
    for (int i = 0; i < cairn_world_contact_count(s.world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s.world, i, &c) == CAIRN_OK);
        if (c.a.slot == s.floor.slot)
            sum += c.impulse.z;
    }
    CHECK_NEAR(sum, 10 * 500.0 * 9.81 * 0.01, 1e-4);
    end_scene(&s);
}

/* Boxes that overlap by 5 mm are parted without being thrown. */
TEST(overlaps_are_removed_on_positions) {
    scene s = make_scene(0.01, 0.5, 0.0, down, CAIRN_LAW_COULOMB);
    cairn_body box[10];
    for (int i = 0; i < 10; i++)
        box[i] = add_box(&s, cairn_vec3_of(0.5, 0.5, 0.25), cairn_vec3_of(0, 0, 0.25 + 0.495 * i - 0.005),
                         cairn_vec3_of(0, 0, 0));
    double fastest = 0.0;
    for (int i = 0; i < 20; i++) {
        step(&s);
        for (int k = 0; k < 10; k++)
            fastest = fmax(fastest, state(&s, box[k]).velocity.z);
    }
    CHECK(fastest < 1e-6);
    CHECK_NEAR(state(&s, box[9]).center.z, 4.75, 1e-4);
    end_scene(&s);
}

int main(void) {
    RUN(block_on_an_incline);
    RUN(sliding_to_rest);
    RUN(dragged_block_floats_only_under_the_associated_law);
    RUN(ball_rolls_down);
    RUN(bowling_ball);
    RUN(bouncing_ball);
    RUN(oblique_impact);
    RUN(fast_ball);
    RUN(neighbour_of_a_box_that_is_hit);
    RUN(box_that_turns_flat);
    RUN(box_that_turns_along_a_ball);
    RUN(stack_at_rest);
    RUN(overlaps_are_removed_on_positions);
    return test_end();
}
