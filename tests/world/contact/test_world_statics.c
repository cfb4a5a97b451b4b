/*
 * test_world_statics.c: thresholds that are known exactly: what stands and what slips, and impacts in closed form.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};
static const cairn_quat straight = {1, 0, 0, 0};

/* Case 10: Moreau's law for three balls in a row. */
TEST(three_balls) {
    for (int k = 0; k < 3; k++) {
        double e = k == 2 ? 0.0 : 1.0, gap = k == 1 ? 0.02 : 0.0;
        double expected[3][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0, 1}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        scene s = scene_make(1, 0.01, 0.0, e, none);
        cairn_body b[3];
        for (int i = 0; i < 3; i++)
            b[i] = scene_ball(&s, 0.5, cairn_vec3_of((1.0 + gap) * i, 0, 0), cairn_vec3_of(i == 0, 0, 0));
        scene_run(&s, k == 1 ? 20 : 1);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(scene_state(&s, b[i]).velocity.x, expected[k][i], 1e-8);
        scene_end(&s);
    }
}

/* Case 12: beyond the critical friction the step still has a certified answer, and energy does not rise. */
TEST(painleve_rod) {
    for (int k = 0; k < 2; k++) {
        double mu = k == 0 ? 1.2 : 1.6, angle = atan(2.0), l = 0.5, r = 0.01;
        scene s = scene_make(1, 1e-3, mu, 0.0, down);
        scene_plane(&s, straight);
        cairn_shape *rod = NULL;
        CHECK(cairn_shape_capsule(s.context, r, l, &rod) == CAIRN_OK);
        cairn_quat turn = cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN - angle);
        cairn_pose pose = {cairn_vec3_of(0, 0, r + l * sin(angle)), turn};
        for (int side = 0; side < 2; side++) {
            pose.position.y = 5.0 * side;
            cairn_shape_retain(rod);
            scene_add(&s, rod, CAIRN_BODY_DYNAMIC, pose, cairn_vec3_of(side == 0 ? 3.0 : -3.0, 0, 0), none);
        }
        cairn_shape_release(rod);
        double energy = INFINITY;
        for (int i = 0; i < 300; i++) {
            cairn_step_report report = scene_step(&s);
            double now = report.energy.kinetic + report.energy.potential;
            CHECK(now <= energy + 1e-6 * fabs(energy) || i == 0);
            energy = now;
        }
        scene_end(&s);
    }
}

/* Case 13: a block that rocks loses 1 - (1 - 1.5 sin^2 a)^2 of its energy; it lifts when the ground accelerates above g b/h. */
TEST(rocking_block) {
    double b = 0.25, h = 1.0, w = 0.3;
    scene s = scene_make(1, 1e-3, 2.0, 0.0, none);
    scene_plane(&s, straight);
    cairn_shape *box = NULL;
    CHECK(cairn_shape_box(s.context, cairn_vec3_of(b, 1.0, h), &box) == CAIRN_OK);
    cairn_body body = scene_add(&s, box, CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, h), cairn_vec3_of(w * h, 0, -w * b),
                                cairn_vec3_of(0, w, 0));
    scene_step(&s);
    CHECK_NEAR(scene_state(&s, body).angular_velocity.y / w, 1.0 - 1.5 / 17.0, 1e-7);
    scene_end(&s);
    for (int k = 0; k < 2; k++) {
        double a = (k == 0 ? 0.99 : 1.01) * 9.81 * b / h;
        s = scene_make(1, 0.01, 2.0, 0.0, cairn_vec3_of(-a, 0, -9.81));
        scene_plane(&s, straight);
        body = scene_box(&s, cairn_vec3_of(b, 1.0, h), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, h));
        scene_run(&s, 50);
        double spin = fabs(scene_state(&s, body).angular_velocity.y);
        CHECK(k == 0 ? spin < 1e-7 : spin > 1e-2);
        scene_end(&s);
    }
}

/* Case 14: one cylinder on two; friction among them and with the floor. */
TEST(three_cylinders) {
    for (int k = 0; k < 4; k++) {
        double mu = k == 1 ? 0.2652 : 0.2707, mu_floor = k == 2 ? 0.0884 : 0.0903, r = 0.1;
        mu = k == 3 ? 0.3 : mu;
        scene s = scene_make(1, 0.01, mu, 0.0, down);
        cairn_material cylinders = s.material, floor;
        cairn_material_def rule = cairn_default_material_def();
        rule.friction = mu_floor;
        CHECK(cairn_world_add_material(s.world, &rule, &floor) == CAIRN_OK);
        CHECK(cairn_world_set_pair(s.world, cylinders, floor, &rule) == CAIRN_OK);
        s.material = floor;
        scene_plane(&s, straight);
        s.material = cylinders;
        cairn_body body[3];
        cairn_vec3 at[3] = {{-r, 0, r}, {r, 0, r}, {0, 0, r * (1.0 + sqrt(3.0))}};
        for (int i = 0; i < 3; i++) {
            cairn_shape *shape = NULL;
            CHECK(cairn_shape_cylinder(s.context, r, 0.2, &shape) == CAIRN_OK);
            cairn_pose pose = {at[i], cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN)};
            body[i] = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, pose, none, none);
        }
        scene_run(&s, 60);
        double sunk = at[2].z - scene_state(&s, body[2]).center.z;
        if (k == 0 || k == 3)
            CHECK_NEAR(sunk, 0.0, 1e-6);
        else
            CHECK(sunk > 1e-4);
        scene_end(&s);
    }
}

/* Case 15. */
TEST(ladder) {
    for (int k = 0; k < 2; k++) {
        double slope = 1.516667 * (k == 0 ? 1.01 : 0.99), angle = atan(slope), l = 1.0, r = 1e-3;
        scene s = scene_make(1, 0.01, 0.3, 0.0, down);
        scene_plane(&s, straight);
        scene_plane(&s, cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN));
        cairn_shape *rod = NULL;
        CHECK(cairn_shape_capsule(s.context, r, l, &rod) == CAIRN_OK);
        cairn_pose pose = {cairn_vec3_of(r + l * cos(angle), 0, r + l * sin(angle)),
                           cairn_quat_turn(cairn_vec3_of(0, 1, 0), angle - QUARTER_TURN)};
        cairn_body body = scene_add(&s, rod, CAIRN_BODY_DYNAMIC, pose, none, none);
        scene_run(&s, 50);
        double moved = fabs(scene_state(&s, body).center.z - pose.position.z);
        CHECK(k == 0 ? moved < 1e-6 : moved > 1e-3);
        scene_end(&s);
    }
}

/* Case 16: planks over a table's edge. */
TEST(harmonic_overhang) {
    for (int k = 0; k < 2; k++) {
        double share = k == 0 ? 0.99 : 1.01, L = 1.0, t = 0.05, x = 0.0;
        scene s = scene_make(1, 0.01, 0.5, 0.0, down);
        scene_box(&s, cairn_vec3_of(2, 1, 0.5), CAIRN_BODY_FIXED, cairn_pose_at(-2, 0, -0.5));
        cairn_body plank[5];
        for (int i = 0; i < 5; i++) { /* from the table upwards: plank i reaches L/(2 (5 - i)) beyond what is below */
            x += share * 0.5 * L / (5 - i);
            plank[i] = scene_box(&s, cairn_vec3_of(0.5 * L, 0.2, 0.5 * t), CAIRN_BODY_DYNAMIC,
                                 cairn_pose_at(x - 0.5 * L, 0, (i + 0.5) * t));
        }
        CHECK_NEAR(x, share * 1.1416667, 1e-6);
        scene_run(&s, 150);
        double sunk = 4.5 * t - scene_state(&s, plank[4]).center.z;
        CHECK(k == 0 ? fabs(sunk) < 1e-5 : sunk > 1e-3);
        scene_end(&s);
    }
}

/* Case 17: 64 beads on a drum, joined by rods; the last one is pulled by almost and by a little more than the ratio. */
TEST(capstan) {
    enum { BEADS = 64 };
    for (int k = 0; k < 2; k++) {
        double delta = 2.0 * QUARTER_TURN / BEADS, R = 1.0, r = 0.01, low = 100.0;
        double high = low * 2.566862 * (k == 0 ? 0.98 : 1.005);
        scene s = scene_make(1, 0.01, 0.3, 0.0, none);
        cairn_shape *drum = NULL, *bead = NULL;
        CHECK(cairn_shape_cylinder(s.context, R, 0.5, &drum) == CAIRN_OK);
        CHECK(cairn_shape_sphere(s.context, r, &bead) == CAIRN_OK);
        scene_add(&s, drum, CAIRN_BODY_FIXED, (cairn_pose){none, cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN)},
                  none, none);
        cairn_body body[BEADS];
        cairn_vec3 at[BEADS + 2];
        for (int i = 0; i < BEADS + 2; i++)
            at[i] = cairn_vec3_of((R + r) * cos(i * delta), 0, (R + r) * sin(i * delta));
        for (int i = 0; i < BEADS; i++) {
            cairn_body_def def = cairn_default_body_def();
            cairn_mass heavy = {.mass = 0.1, .inertia = {{{1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 1e6}}}};
            def.shape = bead;
            def.mass = &heavy;
            def.pose.position = at[i + 1];
            def.material = s.material;
            CHECK(cairn_world_add_body(s.world, &def, &body[i]) == CAIRN_OK);
            cairn_joint_def j = cairn_default_joint_def();
            cairn_joint id;
            j.kind = CAIRN_JOINT_DISTANCE;
            j.frame.position = at[i];
            j.has_frame_b = true;
            j.frame_b.position = at[i + 1];
            j.b = body[i];
            if (i > 0) {
                j.a = body[i - 1];
                CHECK(cairn_world_add_joint(s.world, &j, &id) == CAIRN_OK);
            }
        }
        cairn_shape_release(bead);
        for (int i = 0; i < 20; i++) {
            cairn_vec3 first = cairn_vec3_unit(cairn_vec3_sub(at[0], at[1]));
            cairn_vec3 last = cairn_vec3_unit(cairn_vec3_sub(at[BEADS + 1], at[BEADS]));
            cairn_world_push(s.world, body[0], cairn_vec3_scale(low, first), none);
            cairn_world_push(s.world, body[BEADS - 1], cairn_vec3_scale(high, last), none);
            scene_step(&s);
        }
        double speed = cairn_vec3_length(scene_state(&s, body[BEADS - 1]).velocity);
        CHECK(k == 0 ? speed < 1e-6 : speed > 1e-3);
        scene_end(&s);
    }
}

/* Case 21: the sum is known although its parts are not. */
TEST(box_on_four_corners) {
    scene s = scene_make_to(1e-12, 1, 0.01, 0.5, 0.0, down);
    scene_plane(&s, straight);
    cairn_body body = scene_box(&s, cairn_vec3_of(0.5, 0.3, 0.2), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.2));
    double mass = scene_state(&s, body).mass;
    for (int i = 0; i < 20; i++) {
        scene_step(&s);
        double sum = 0.0;
        for (int c = 0; c < cairn_world_contact_count(s.world); c++) {
            cairn_world_contact contact;
            CHECK(cairn_world_contact_get(s.world, c, &contact) == CAIRN_OK);
            sum += contact.impulse.z;
        }
        CHECK_NEAR(sum / (0.01 * mass * 9.81), 1.0, 1e-10);
    }
    scene_end(&s);
}

/* Case 24: a capsule of 45 g between two fingers does not creep. */
TEST(pinched_capsule) {
    for (int k = 0; k < 3; k++) {
        double force = k == 0 ? 12.0 : k == 1 ? 30.0 : 60.0;
        scene s = scene_make_to(1e-12, 1, 0.01, 0.7, 0.0, down);
        cairn_shape *shape = NULL;
        CHECK(cairn_shape_capsule(s.context, 0.02, 0.05, &shape) == CAIRN_OK);
        cairn_mass mass;
        CHECK(cairn_shape_mass(shape, 1.0, &mass) == CAIRN_OK);
        cairn_body_def def = cairn_default_body_def();
        def.shape = shape;
        def.density = 0.045 / mass.mass;
        def.material = s.material;
        cairn_body body, finger[2];
        CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_OK);
        cairn_shape_release(shape);
        for (int side = 0; side < 2; side++) {
            double x = side == 0 ? -0.03 : 0.03;
            finger[side] = scene_box(&s, cairn_vec3_of(0.01, 0.03, 0.08), CAIRN_BODY_DYNAMIC, cairn_pose_at(x, 0, 0));
            cairn_joint_def j = cairn_default_joint_def();
            cairn_joint id;
            j.kind = CAIRN_JOINT_PRISMATIC;
            j.b = finger[side];
            j.frame = (cairn_pose){cairn_vec3_of(x, 0, 0), cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN)};
            CHECK(cairn_world_add_joint(s.world, &j, &id) == CAIRN_OK);
        }
        for (int i = 0; i < 200; i++) {
            for (int side = 0; side < 2; side++)
                cairn_world_push(s.world, finger[side], cairn_vec3_of(side == 0 ? force : -force, 0, 0), none);
            scene_step(&s);
        }
        CHECK_NEAR(scene_state(&s, body).velocity.z, 0.0, 1e-11);
        CHECK_NEAR(scene_state(&s, body).center.z, 0.0, 1e-9);
        scene_end(&s);
    }
}

/* Case 4 for longer, and case 7 for a cylinder: threshold and acceleration. */
TEST(inclines) {
    double t = 0.52359877559829887;
    scene s = scene_make(1, 0.01, 0.58, 0.0, cairn_vec3_of(9.81 * sin(t), 0, -9.81 * cos(t)));
    scene_plane(&s, straight);
    cairn_body body = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1));
    scene_run(&s, 3000);
    CHECK_NEAR(scene_state(&s, body).velocity.x, 0.0, 1e-9);
    CHECK_NEAR(scene_state(&s, body).center.x, 0.0, 1e-9);
    scene_end(&s);
    for (int k = 0; k < 2; k++) {
        double mu = tan(t) / 3.0 * (k == 0 ? 1.02 : 0.98);
        s = scene_make(1, 0.005, mu, 0.0, cairn_vec3_of(9.81 * sin(t), 0, -9.81 * cos(t)));
        scene_plane(&s, straight);
        cairn_shape *shape = NULL;
        CHECK(cairn_shape_cylinder(s.context, 0.2, 0.1, &shape) == CAIRN_OK);
        cairn_pose pose = {cairn_vec3_of(0, 0, 0.2), cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN)};
        body = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, pose, none, none);
        scene_run(&s, 200);
        double a = k == 0 ? 2.0 / 3.0 * 9.81 * sin(t) : 9.81 * (sin(t) - mu * cos(t));
        cairn_body_state st = scene_state(&s, body);
        CHECK_NEAR(st.velocity.x, a, 1e-6);
        double slip = st.velocity.x - 0.2 * st.angular_velocity.y;
        CHECK(k == 0 ? fabs(slip) < 1e-6 : slip > 1e-2);
        scene_end(&s);
    }
}

/* Momentum balances to rounding; without restitution kinetic energy never rises. */
TEST(balances) {
    scene s = scene_make(1, 0.01, 0.4, 0.0, none);
    test_random random = {5};
    cairn_body body[12];
    for (int i = 0; i < 12; i++) {
        cairn_shape *shape = NULL;
        CHECK(cairn_shape_box(s.context, cairn_vec3_of(0.2 + 0.02 * i, 0.25, 0.3), &shape) == CAIRN_OK);
        cairn_vec3 at = {1.1 * (i % 3), 1.1 * (i / 3 % 2), 1.1 * (i / 6)};
        cairn_vec3 v = cairn_vec3_add(cairn_vec3_scale(-2.0, cairn_vec3_sub(at, cairn_vec3_of(1.1, 0.5, 0.5))),
                                      cairn_vec3_of(test_random_signed(&random), test_random_signed(&random), 0));
        body[i] = scene_add(&s, shape, CAIRN_BODY_DYNAMIC,
                            (cairn_pose){at, cairn_quat_exp(cairn_vec3_of(0.3 * i, 0.1 * i, 0))}, v,
                            cairn_vec3_of(test_random_signed(&random), 1, 0));
    }
    cairn_vec3 before = none;
    double size = 0.0, energy = INFINITY;
    for (int i = 0; i < 12; i++) {
        cairn_body_state st = scene_state(&s, body[i]);
        before = cairn_vec3_add_scaled(before, st.mass, st.velocity);
        size += st.mass * cairn_vec3_length(st.velocity);
    }
    int touched = 0;
    for (int k = 0; k < 100; k++) {
        cairn_step_report report = scene_step(&s);
        touched += report.contacts;
        CHECK(report.energy.kinetic <= energy * (1.0 + 1e-9));
        energy = report.energy.kinetic;
    }
    CHECK(touched > 100);
    for (int i = 0; i < 12; i++) {
        cairn_body_state st = scene_state(&s, body[i]);
        before = cairn_vec3_add_scaled(before, -st.mass, st.velocity);
    }
    CHECK(cairn_vec3_length(before) <= 1e-12 * size);
    scene_end(&s);
}

int main(void) {
    RUN(three_balls);
    RUN(painleve_rod);
    RUN(rocking_block);
    RUN(three_cylinders);
    RUN(ladder);
    RUN(harmonic_overhang);
    RUN(capstan);
    RUN(box_on_four_corners);
    RUN(pinched_capsule);
    RUN(inclines);
    RUN(balances);
    return test_end();
}
