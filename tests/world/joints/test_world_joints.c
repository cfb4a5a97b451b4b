/*
 * test_world_joints.c: rows of every joint against differences of their gaps, and motions known in closed form.
 */
#include "rigid/joint.h"
#include "support/support.h"

static cairn_vec3 vec_random(test_random *r, double s) {
    return cairn_vec3_of(s * test_random_signed(r), s * test_random_signed(r), s * test_random_signed(r));
}

static cairn_rigid body_random(test_random *r) {
    cairn_quat q = {1.0, 0.4 * test_random_signed(r), 0.4 * test_random_signed(r), 0.4 * test_random_signed(r)};
    return (cairn_rigid){.x = vec_random(r, 1.0), .q = cairn_quat_unit(q), .mass = 1.0};
}

/* d gap / dt along a random motion equals the row times the velocities, when the joint is nearly closed. */
TEST(rows_are_derivatives_of_gaps) {
    test_random r = {77};
    for (int kind = 0; kind <= CAIRN_JOINT_FREE; kind++) /* gears have a test of their own */
        for (int trial = 0; trial < 20; trial++) {
            cairn_joint_data j = {.def = cairn_default_joint_def()};
            cairn_rigid a = body_random(&r), b = body_random(&r);
            j.def.kind = (cairn_joint_kind)kind;
            j.def.coordinate = (cairn_coordinate)(1 + trial % 3);
            j.def.motor = kind == CAIRN_JOINT_FREE || j.def.coordinate == CAIRN_COORDINATE_TURN;
            j.at_a = (cairn_pose){vec_random(&r, 0.5), cairn_quat_exp(vec_random(&r, 1.0))};
            cairn_pose frame = cairn_pose_multiply((cairn_pose){a.x, a.q}, j.at_a);
            if (kind >= CAIRN_JOINT_DISTANCE) /* these are not closed at one pose only */
                frame.position = cairn_vec3_add(frame.position, vec_random(&r, 0.5));
            j.at_b = cairn_pose_relative((cairn_pose){b.x, b.q}, frame);
            if (kind == CAIRN_JOINT_UNIVERSAL)
                j.at_b.rotation = cairn_quat_multiply(j.at_b.rotation, cairn_quat_turn(cairn_vec3_of(1, 0, 0), 0.3));
            bool turn = j.def.coordinate == CAIRN_COORDINATE_TURN;
            if (turn && (kind == CAIRN_JOINT_SPHERICAL || kind >= CAIRN_JOINT_DISTANCE)) /* these may tilt */
                j.at_b.rotation = cairn_quat_multiply(j.at_b.rotation, cairn_quat_exp(vec_random(&r, 1.0)));
            cairn_vec3 va = vec_random(&r, 1.0), vb = vec_random(&r, 1.0), wa = vec_random(&r, 1.0),
                       wb = vec_random(&r, 1.0);
            double e = 1e-5;
            cairn_joint_rows now, plus, minus;
            cairn_rigid ap = a, am = a, bp = b, bm = b;
            cairn_rigid_move(&ap, e, va, wa);
            cairn_rigid_move(&am, -e, va, wa);
            cairn_rigid_move(&bp, e, vb, wb);
            cairn_rigid_move(&bm, -e, vb, wb);
            cairn_joint_write(&j, (cairn_joint_ends){&a, &b, NULL}, 0.0, 1.0, &now);
            cairn_joint_write(&j, (cairn_joint_ends){&ap, &bp, NULL}, 0.0, 1.0, &plus);
            cairn_joint_write(&j, (cairn_joint_ends){&am, &bm, NULL}, 0.0, 1.0, &minus);
            for (int k = 0; k < now.rows; k++) {
                const double *x = now.row[k].a, *y = now.row[k].b;
                double rate = x[0] * va.x + x[1] * va.y + x[2] * va.z + x[3] * wa.x + x[4] * wa.y + x[5] * wa.z +
                              y[0] * vb.x + y[1] * vb.y + y[2] * vb.z + y[3] * wb.x + y[4] * wb.y + y[5] * wb.z;
                double difference = (plus.row[k].gap - minus.row[k].gap) / (2.0 * e);
                if (now.row[k].drive != 0.0)
                    difference = (cairn_joint_coordinate(&j, (cairn_joint_ends){&ap, &bp, NULL}, 0.0) -
                                  cairn_joint_coordinate(&j, (cairn_joint_ends){&am, &bm, NULL}, 0.0)) /
                                 (2.0 * e);
                CHECK_NEAR(rate, difference, 1e-8);
            }
        }
}

typedef struct scene {
    cairn_context *context;
    cairn_world *world;
} scene;

static scene make_scene(double h, cairn_vec3 gravity) {
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    def.step = h;
    def.gravity = gravity;
    def.solver.tolerance = 1e-10;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    return s;
}

/* A body without shape. */
static cairn_body add_mass(scene *s, cairn_vec3 at, double mass, double inertia) {
    cairn_body_def def = cairn_default_body_def();
    cairn_mass m = {.mass = mass, .inertia = {{{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}}};
    cairn_body body = {0, 0};
    def.pose.position = at;
    def.mass = &m;
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    return body;
}

static cairn_joint add_joint(scene *s, const cairn_joint_def *def) {
    cairn_joint joint = {0, 0};
    CHECK(cairn_world_add_joint(s->world, def, &joint) == CAIRN_OK);
    return joint;
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

/* z of the frame along y of the world. */
static cairn_quat along_y(void) {
    return cairn_quat_turn(cairn_vec3_of(1, 0, 0), -1.5707963267948966);
}

/* Case 19: quarter period from 90 degrees; first order in h. */
TEST(pendulum) {
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 2e-3 : 1e-3;
        scene s = make_scene(h, down);
        cairn_body b = add_mass(&s, cairn_vec3_of(1, 0, 0), 2.0, 2e-4);
        cairn_joint_def def = cairn_default_joint_def();
        def.kind = CAIRN_JOINT_REVOLUTE;
        def.b = b;
        def.frame.rotation = along_y();
        def.coordinate = CAIRN_COORDINATE_TURN;
        cairn_joint j = add_joint(&s, &def);
        double t = 0.0, before = 1.0, crossed = 0.0;
        cairn_joint_state st = {0};
        while (crossed == 0.0 && t < 2.0) {
            step(&s);
            t += h;
            cairn_body_state state;
            CHECK(cairn_world_body(s.world, b, &state) == CAIRN_OK);
            if (state.center.x <= 0.0)
                crossed = t - h * (-state.center.x) / (before - state.center.x);
            before = state.center.x;
        }
        CHECK(cairn_world_joint(s.world, j, &st) == CAIRN_OK);
        CHECK(st.gap < 1e-4);
        CHECK_NEAR(fabs(st.coordinate), 1.5707963, 0.01);
        error[k] = crossed / (0.25 * 1.180341 * 6.283185307179586 * sqrt(1.0001 / 9.81)) - 1.0;
        end_scene(&s);
    }
    CHECK(fabs(error[1]) < 2e-3 && fabs(error[1]) < 0.6 * fabs(error[0]) + 1e-5);
}

/* Case 20: joint k from the free end carries k m g; every joint twice changes nothing. */
TEST(hanging_chain) {
    for (int twice = 0; twice < 2; twice++) {
        enum { LINKS = 8 };
        scene s = make_scene(0.01, down);
        cairn_body link[LINKS];
        cairn_joint joint[LINKS];
        for (int i = 0; i < LINKS; i++) {
            link[i] = add_mass(&s, cairn_vec3_of(0, 0, -0.25 - 0.5 * i), 1.5, 0.03);
            cairn_joint_def def = cairn_default_joint_def();
            def.kind = CAIRN_JOINT_SPHERICAL;
            def.frame.position = cairn_vec3_of(0, 0, -0.5 * i);
            if (i > 0)
                def.a = link[i - 1];
            def.b = link[i];
            joint[i] = add_joint(&s, &def);
            if (twice)
                add_joint(&s, &def);
        }
        for (int i = 0; i < 50; i++)
            step(&s);
        for (int i = 0; i < LINKS; i++) {
            cairn_joint_state st;
            cairn_body_state body;
            CHECK(cairn_world_joint(s.world, joint[i], &st) == CAIRN_OK);
            CHECK(cairn_world_body(s.world, link[i], &body) == CAIRN_OK);
            CHECK_NEAR(st.force.z * (twice ? 2.0 : 1.0), (LINKS - i) * 1.5 * 9.81, 1e-4);
            CHECK_NEAR(body.center.z, -0.25 - 0.5 * i, 1e-8);
            CHECK(st.gap < 1e-8);
        }
        end_scene(&s);
    }
}

/* Case 18: spring 100 N/m, mass 1, dry friction 0.981 N. */
TEST(coulomb_oscillator) {
    scene s = make_scene(1e-4, cairn_vec3_of(0, 0, 0));
    cairn_body b = add_mass(&s, cairn_vec3_of(0, 0, 0.1), 1.0, 1.0);
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_PRISMATIC;
    def.b = b;
    def.has_frame_b = true;
    def.frame_b.position = cairn_vec3_of(0, 0, 0.1);
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.stiffness = 100.0;
    def.friction = 0.981;
    cairn_joint j = add_joint(&s, &def);
    double turn[8];
    int turns = 0;
    double last = 0.1, before = 0.1;
    for (int i = 0; i < 20000; i++) {
        step(&s);
        cairn_joint_state st;
        CHECK(cairn_world_joint(s.world, j, &st) == CAIRN_OK);
        if (turns < 8 && (st.coordinate - last) * (last - before) < 0.0)
            turn[turns++] = last;
        before = last;
        last = st.coordinate;
    }
    CHECK(turns >= 4);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(fabs(turn[k]), 0.1 - 0.01962 * (k + 1), 5e-4);
    CHECK_NEAR(fabs(last), 0.0019, 5e-4);
    end_scene(&s);
}

static double wave(void *user, double t) {
    (void)user;
    return 0.5 * t * t;
}

/* Imposed motion is met at the end of each step; a motor reaches its speed unless its limit is too small; a limit stops. */
TEST(drives) {
    scene s = make_scene(0.01, cairn_vec3_of(0, 0, 0));
    cairn_body b[4];
    cairn_joint j[4];
    for (int i = 0; i < 4; i++) {
        b[i] = add_mass(&s, cairn_vec3_of(2.0 * i, 0, 0), 2.0, 0.5);
        cairn_joint_def def = cairn_default_joint_def();
        def.kind = CAIRN_JOINT_REVOLUTE;
        def.b = b[i];
        def.frame.position = cairn_vec3_of(2.0 * i, 0, 0);
        def.coordinate = CAIRN_COORDINATE_TURN;
        if (i == 0)
            def.motion = wave;
        def.motor = i > 0;
        def.speed = 3.0;
        def.motor_limit = i == 1 ? 1000.0 : 0.5;
        def.limited = i == 3;
        def.low = -1.0;
        def.high = 0.7;
        j[i] = add_joint(&s, &def);
    }
    cairn_joint_state st;
    for (int i = 1; i <= 150; i++) {
        step(&s);
        CHECK(cairn_world_joint(s.world, j[0], &st) == CAIRN_OK);
        CHECK_NEAR(st.coordinate, 0.5 * (0.01 * i) * (0.01 * i), 1e-6);
        CHECK(cairn_world_joint(s.world, j[1], &st) == CAIRN_OK);
        CHECK_NEAR(st.coordinate, 0.03 * i, 1e-3 * i);
        CHECK(cairn_world_joint(s.world, j[2], &st) == CAIRN_OK);
        CHECK_NEAR(st.drive, 0.5, 1e-6);
    }
    CHECK(cairn_world_joint(s.world, j[2], &st) == CAIRN_OK);
    CHECK_NEAR(st.coordinate, 0.5 * 1.0 * 1.5 * 1.51, 0.01);
    CHECK(cairn_world_joint(s.world, j[3], &st) == CAIRN_OK);
    CHECK_NEAR(st.coordinate, 0.7, 1e-4);
    end_scene(&s);
}

TEST(bad_joints_are_refused) {
    scene s = make_scene(0.01, down);
    cairn_body b = add_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, 1.0);
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint j = {0, 0};
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "both ends are the world");
    def.b = b;
    def.motor = true;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "coordinate");
    def.coordinate = CAIRN_COORDINATE_TURN;
    def.kind = CAIRN_JOINT_PRISMATIC;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "holds the coordinate turn");
    def.kind = CAIRN_JOINT_REVOLUTE;
    def.rest = NAN;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "rest is not finite");
    def = cairn_default_joint_def();
    def.b = b;
    def.b.generation += 2;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "no such body");
    def.b = b;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_OK);
    CHECK(cairn_world_remove_body(s.world, b) == CAIRN_ERROR_STATE);
    CHECK(cairn_world_remove_joint(s.world, j) == CAIRN_OK);
    CHECK(cairn_world_remove_joint(s.world, j) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_remove_body(s.world, b) == CAIRN_OK);
    end_scene(&s);
}

int main(void) {
    RUN(rows_are_derivatives_of_gaps);
    RUN(pendulum);
    RUN(hanging_chain);
    RUN(coulomb_oscillator);
    RUN(drives);
    RUN(bad_joints_are_refused);
    return test_end();
}
