/*
 * test_world_kinds.c: kinds of joints and drives against motions in closed form: universal, point on line, point on plane, cylindrical, dampers and springs.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};

static cairn_joint add_joint(scene *s, const cairn_joint_def *def) {
    cairn_joint joint = {0, 0};
    CHECK(cairn_world_add_joint(s->world, def, &joint) == CAIRN_OK);
    return joint;
}

/* The turn that takes z to direction d. */
static cairn_quat z_to(cairn_vec3 d) {
    cairn_vec3 axis = cairn_vec3_cross(cairn_vec3_of(0, 0, 1), d);
    return cairn_quat_turn(cairn_vec3_unit(axis), atan2(cairn_vec3_length(axis), d.z));
}

static double turning(void *user, double t) {
    (void)user;
    return 2.0 * t;
}

/* Two shafts at an angle of 0.6 rad, joined by a universal joint: tan(out) = tan(in) cos(angle), over a whole turn. */
TEST(universal_joint) {
    const double bend = 0.6;
    scene s = scene_make(1, 0.005, 0.5, 0.0, down);
    cairn_vec3 direction[2] = {{1, 0, 0}, {cos(bend), sin(bend), 0}};
    cairn_body shaft[2];
    cairn_joint bearing[2];
    for (int i = 0; i < 2; i++) {
        cairn_joint_def def = cairn_default_joint_def();
        shaft[i] = scene_mass(&s, cairn_vec3_scale(i == 0 ? -0.5 : 0.5, direction[i]), 2.0,
                              cairn_vec3_of(0.1, 0.1, 0.1));
        def.kind = CAIRN_JOINT_REVOLUTE;
        def.b = shaft[i];
        def.frame = (cairn_pose){cairn_vec3_scale(i == 0 ? -0.5 : 0.5, direction[i]), z_to(direction[i])};
        def.coordinate = CAIRN_COORDINATE_TURN;
        def.motion = i == 0 ? turning : NULL;
        bearing[i] = add_joint(&s, &def);
    }
    cairn_joint_def cross =
        cairn_default_joint_def(); /* z of a stands on both axes; x of b, at a right angle to it, on its own */
    cross.kind = CAIRN_JOINT_UNIVERSAL;
    cross.a = shaft[0];
    cross.b = shaft[1];
    cross.has_frame_b = true;
    cross.frame_b.rotation = cairn_quat_turn(cairn_vec3_of(0, 0, 1), bend + QUARTER_TURN);
    add_joint(&s, &cross);
    double worst = 0.0, uneven = 0.0;
    for (int i = 1; i <= 630; i++) {
        scene_step(&s);
        cairn_joint_state in, out;
        CHECK(cairn_world_joint(s.world, bearing[0], &in) == CAIRN_OK);
        CHECK(cairn_world_joint(s.world, bearing[1], &out) == CAIRN_OK);
        double expected = atan2(sin(in.coordinate) * cos(bend), cos(in.coordinate));
        double error = remainder(out.coordinate - expected, 4.0 * QUARTER_TURN);
        worst = fmax(worst, fabs(error));
        uneven = fmax(uneven, fabs(out.coordinate - in.coordinate));
    }
    CHECK(worst < 2e-4 && uneven > 0.09);
    scene_end(&s);
}

/* Beads slide without friction along a line and in a plane, both inclined; a sleeve falls along its axis and keeps its spin. */
TEST(lines_planes_sleeves) {
    const double h = 0.01;
    const int steps = 100;
    cairn_vec3 d = cairn_vec3_unit(cairn_vec3_of(1, 2, 3));
    for (int kind = 0; kind < 3; kind++) {
        scene s = scene_make(1, h, 0.5, 0.0, down);
        cairn_body b = scene_mass(&s, none, 1.5, cairn_vec3_of(0.1, 0.1, 0.1));
        cairn_joint_def def = cairn_default_joint_def();
        def.kind = kind == 0   ? CAIRN_JOINT_POINT_ON_LINE
                   : kind == 1 ? CAIRN_JOINT_POINT_ON_PLANE
                               : CAIRN_JOINT_CYLINDRICAL;
        def.b = b;
        def.frame.rotation = z_to(d);
        add_joint(&s, &def);
        if (kind == 2)
            CHECK(cairn_world_set_velocity(s.world, b, none, cairn_vec3_scale(5.0, d)) == CAIRN_OK);
        scene_run(&s, steps);
        cairn_vec3 along = cairn_vec3_scale(cairn_vec3_dot(down, d), d);
        cairn_vec3 a = kind == 1 ? cairn_vec3_sub(down, along) : along;
        cairn_body_state st = scene_state(&s, b);
        cairn_vec3 v = cairn_vec3_scale(steps * h, a), x = cairn_vec3_scale(0.5 * h * h * steps * (steps + 1), a);
        CHECK(cairn_vec3_length(cairn_vec3_sub(st.velocity, v)) < 1e-8);
        CHECK(cairn_vec3_length(cairn_vec3_sub(st.center, x)) < 1e-8);
        if (kind == 2)
            CHECK(cairn_vec3_length(cairn_vec3_sub(st.angular_velocity, cairn_vec3_scale(5.0, d))) < 1e-8);
        scene_end(&s);
    }
}

/* A damper: v falls by 1 + h c/m a step. A spring with one: m g/k in the end, at any stiffness. */
TEST(dampers_and_springs) {
    const double h = 0.01, c = 30.0, m = 1.5;
    scene s = scene_make(1, h, 0.5, 0.0, none);
    cairn_body b = scene_mass(&s, none, m, cairn_vec3_of(0.1, 0.1, 0.1));
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_PRISMATIC;
    def.b = b;
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.damping = c;
    add_joint(&s, &def);
    CHECK(cairn_world_set_velocity(s.world, b, cairn_vec3_of(0, 0, 2), none) == CAIRN_OK);
    for (int i = 1; i <= 20; i++) {
        scene_step(&s);
        CHECK_NEAR(scene_state(&s, b).velocity.z, 2.0 * pow(1.0 + h * c / m, -i), 1e-9);
    }
    scene_end(&s);
    for (double k = 1e2; k < 1e9; k *= 100.0) {
        s = scene_make(1, h, 0.5, 0.0, down);
        b = scene_mass(&s, none, m, cairn_vec3_of(0.1, 0.1, 0.1));
        def.b = b;
        def.stiffness = k;
        add_joint(&s, &def);
        scene_run(&s, 400);
        CHECK_NEAR(scene_state(&s, b).center.z * k / (m * 9.81), -1.0, 1e-4);
        scene_end(&s);
    }
}

/* A spherical joint that may twist from -0.1 to 0.3 rad, hung up beside its body, which tilts by 90 degrees and spins: the twist stays within its
 * limits and meets both; imposed, it is what it shall be. */
TEST(twist_of_a_ball_joint) {
    for (int imposed = 0; imposed < 2; imposed++) {
        scene s = scene_make(1, 0.01, 0.5, 0.0, down);
        cairn_body b = scene_mass(&s, cairn_vec3_of(0.3, 0.1, -0.3), 1.5, cairn_vec3_of(0.05, 0.08, 0.06));
        cairn_joint_def def = cairn_default_joint_def();
        def.kind = CAIRN_JOINT_SPHERICAL;
        def.b = b;
        def.coordinate = CAIRN_COORDINATE_TURN;
        def.limited = imposed == 0;
        def.low = -0.1;
        def.high = 0.3;
        def.motion = imposed == 1 ? turning : NULL;
        cairn_joint joint = add_joint(&s, &def);
        CHECK(cairn_world_set_velocity(s.world, b, none, cairn_vec3_of(1, 2, 4)) == CAIRN_OK);
        double low = 0.0, high = 0.0, error = 0.0, tilt = 0.0;
        for (int i = 1; i <= 200; i++) {
            cairn_joint_state state;
            scene_step(&s);
            CHECK(cairn_world_joint(s.world, joint, &state) == CAIRN_OK);
            low = fmin(low, state.coordinate);
            high = fmax(high, state.coordinate);
            error = fmax(error, fabs(state.coordinate - 0.02 * i));
            tilt = fmax(tilt, acos(cairn_quat_rotate(scene_state(&s, b).pose.rotation, cairn_vec3_of(0, 0, 1)).z));
        }
        CHECK(tilt > 1.0 && tilt < 2.8);
        if (imposed == 0)
            CHECK(low > -0.10002 && low < -0.09 && high < 0.30002 && high > 0.29);
        else
            CHECK(error < 2e-5);
        scene_end(&s);
    }
}

int main(void) {
    RUN(universal_joint);
    RUN(lines_planes_sleeves);
    RUN(dampers_and_springs);
    RUN(twist_of_a_ball_joint);
    return test_end();
}
