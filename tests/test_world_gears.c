/*
 * test_world_gears.c: gears between wheels, bevel wheels and racks: rows against differences, motions in closed form, full turns.
 */
#include "../src/rigid/joint.h"
#include "world_scene.h"

static cairn_joint add_joint(scene *s, const cairn_joint_def *def) {
    cairn_joint joint = {0, 0};
    CHECK(cairn_world_add_joint(s->world, def, &joint) == CAIRN_OK);
    return joint;
}

static cairn_joint hold(scene *s, cairn_joint_kind kind, cairn_body b, cairn_pose frame) {
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = kind;
    def.b = b;
    def.frame = frame;
    def.coordinate = kind == CAIRN_JOINT_REVOLUTE ? CAIRN_COORDINATE_TURN : CAIRN_COORDINATE_SLIDE;
    return add_joint(s, &def);
}

static cairn_joint_state state_of(const scene *s, cairn_joint j) {
    cairn_joint_state st = {0};
    CHECK(cairn_world_joint(s->world, j, &st) == CAIRN_OK);
    return st;
}

/* The row is the derivative of the gap, for turns and slides on either side. */
TEST(rows_are_derivatives) {
    test_random r = {7};
    for (int trial = 0; trial < 40; trial++) {
        cairn_joint_data j = {.def = cairn_default_joint_def()};
        cairn_vec3 axis[2], at[2];
        cairn_rigid body[2], plus[2], minus[2];
        cairn_pose frame[2];
        cairn_vec3 v[2], w[2];
        for (int k = 0; k < 2; k++) {
            at[k] = cairn_vec3_of(test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
            axis[k] = cairn_vec3_of(test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
            frame[k] = (cairn_pose){at[k], cairn_quat_exp(axis[k])};
            cairn_vec3 z = cairn_quat_rotate(frame[k].rotation, cairn_vec3_of(0, 0, 1));
            double angle = 3.0 * test_random_signed(&r);
            body[k] = (cairn_rigid){.x = cairn_vec3_add_scaled(at[k], 0.3 * test_random_signed(&r), z),
                                    .q = cairn_quat_multiply(cairn_quat_turn(z, angle), frame[k].rotation),
                                    .mass = 1.0};
            v[k] = cairn_vec3_scale(test_random_signed(&r), z); /* what bearings leave free */
            w[k] = cairn_quat_rotate(cairn_quat_conjugate(body[k].q), cairn_vec3_scale(test_random_signed(&r), z));
            plus[k] = minus[k] = body[k];
            cairn_rigid_move(&plus[k], 1e-5, v[k], w[k]);
            cairn_rigid_move(&minus[k], -1e-5, v[k], w[k]);
        }
        j.def.kind = CAIRN_JOINT_GEAR;
        j.def.frame = frame[0];
        j.def.has_frame_b = true;
        j.def.frame_b = frame[1];
        j.def.ratio = 0.5 + test_random_unit(&r);
        j.def.slide_a = trial % 2 == 1;
        j.def.slide_b = trial / 2 % 2 == 1;
        j.at_a.rotation = j.at_b.rotation = cairn_quat_identity();
        cairn_joint_rows now, p, m;
        cairn_joint_write(&j, &body[0], &body[1], 0.0, 1.0, &now);
        cairn_joint_write(&j, &plus[0], &plus[1], 0.0, 1.0, &p);
        cairn_joint_write(&j, &minus[0], &minus[1], 0.0, 1.0, &m);
        const double *x = now.row[0].a, *y = now.row[0].b;
        double rate = x[0] * v[0].x + x[1] * v[0].y + x[2] * v[0].z + x[3] * w[0].x + x[4] * w[0].y + x[5] * w[0].z +
                      y[0] * v[1].x + y[1] * v[1].y + y[2] * v[1].z + y[3] * w[1].x + y[4] * w[1].y + y[5] * w[1].z;
        CHECK(now.rows == 1);
        CHECK_NEAR(rate, (p.row[0].gap - m.row[0].gap) / 2e-5, 1e-8);
    }
}

/* Two wheels, axes parallel or at right angles: a constant torque T on the first turns it with T/(I_a + I_b/r^2), and after many turns the
 * wheels still fit. */
TEST(wheels) {
    for (int bevel = 0; bevel < 2; bevel++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double ratio = 2.5 * sign, torque = 3.0, ia = 0.2, ib = 0.5, h = 0.002;
            scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
            cairn_body a = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(ia, ia, ia));
            cairn_body b = scene_mass(&s, cairn_vec3_of(1, 0, 0), 2.0, cairn_vec3_of(ib, ib, ib));
            cairn_pose at = cairn_pose_identity(), other = cairn_pose_at(1, 0, 0);
            if (bevel)
                other.rotation = cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN);
            cairn_joint ja = hold(&s, CAIRN_JOINT_REVOLUTE, a, at), jb = hold(&s, CAIRN_JOINT_REVOLUTE, b, other);
            cairn_joint_def def = cairn_default_joint_def();
            def.kind = CAIRN_JOINT_GEAR;
            def.a = a;
            def.b = b;
            def.frame = at;
            def.has_frame_b = true;
            def.frame_b = other;
            def.ratio = ratio;
            cairn_joint gear = add_joint(&s, &def);
            int steps = 2000;
            for (int i = 0; i < steps; i++) {
                CHECK(cairn_world_push(s.world, a, cairn_vec3_of(0, 0, 0), cairn_vec3_of(0, 0, torque)) == CAIRN_OK);
                scene_step(&s);
            }
            double alpha = torque / (ia + ib / (ratio * ratio)), t = steps * h;
            CHECK_NEAR(state_of(&s, ja).coordinate, 0.5 * alpha * t * (t + h), 1e-3 * alpha * t * t);
            CHECK(state_of(&s, ja).coordinate > 60.0);
            CHECK_NEAR(state_of(&s, ja).coordinate + ratio * state_of(&s, jb).coordinate, 0.0, 1e-5);
            CHECK(state_of(&s, gear).gap < 1e-5);
            CHECK_NEAR(state_of(&s, gear).coordinate, state_of(&s, ja).coordinate, 1e-9);
            scene_end(&s);
        }
}

/* A wheel of radius r on a rack: x = r theta; a weight on the rack turns the wheel. */
TEST(rack_and_pinion) {
    double radius = 0.3, mass = 2.0, inertia = 0.4, h = 0.005;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body wheel = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(inertia, inertia, inertia));
    cairn_body rack = scene_mass(&s, cairn_vec3_of(radius, 0, 0), mass, cairn_vec3_of(1, 1, 1));
    cairn_pose axle = {{0, 0, 0}, cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN)}; /* z along -y */
    cairn_pose guide = cairn_pose_at(radius, 0, 0);
    cairn_joint turn = hold(&s, CAIRN_JOINT_REVOLUTE, wheel, axle),
                slide = hold(&s, CAIRN_JOINT_PRISMATIC, rack, guide);
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_GEAR;
    def.a = wheel;
    def.b = rack;
    def.frame = axle;
    def.has_frame_b = true;
    def.frame_b = guide;
    def.slide_b = true;
    def.ratio = -1.0 / radius;
    add_joint(&s, &def);
    scene_run(&s, 200);
    double a = -9.81 * mass / (mass + inertia / (radius * radius)), t = 200 * h;
    CHECK_NEAR(state_of(&s, slide).coordinate, 0.5 * a * t * (t + h), 1e-3);
    CHECK_NEAR(state_of(&s, turn).coordinate * radius, state_of(&s, slide).coordinate, 1e-5);
    scene_end(&s);
}

TEST(bad_gears_are_refused) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body a = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(1, 1, 1));
    cairn_body b = scene_mass(&s, cairn_vec3_of(1, 0, 0), 1.0, cairn_vec3_of(1, 1, 1));
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint j;
    def.kind = CAIRN_JOINT_GEAR;
    def.a = a;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "a gear needs two bodies");
    def.b = b;
    def.ratio = 0.0;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "the ratio of a gear is 0");
    def.ratio = 1.0;
    def.coordinate = CAIRN_COORDINATE_TURN;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "drive one of the joints that it connects");
    scene_end(&s);
}

int main(void) {
    RUN(rows_are_derivatives);
    RUN(wheels);
    RUN(rack_and_pinion);
    RUN(bad_gears_are_refused);
    return test_end();
}
