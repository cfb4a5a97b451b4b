/*
 * test_world_chains.c: chains with heavy ends at large steps, drift of joints, parts of steps, islands and threads.
 */
#include "rigid/stiffness.h"
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81};

/* K t is how the torque falls when the body turns by t; the clamped matrix is symmetric, has no negative eigenvalue, and is K where K is. */
TEST(stiffness) {
    test_random r = {3};
    for (int k = 0; k < 50; k++) {
        cairn_vec3 x[4];
        for (int i = 0; i < 4; i++)
            x[i] = cairn_vec3_of(test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
        cairn_mat3 K = {{{0}}};
        cairn_stiffness_add(&K, x[0], x[1]);
        cairn_vec3 t = cairn_vec3_scale(1e-6, x[2]),
                   f = cairn_quat_rotate(cairn_quat_conjugate(cairn_quat_exp(t)), x[1]);
        cairn_vec3 change = cairn_vec3_sub(cairn_vec3_cross(x[0], f), cairn_vec3_cross(x[0], x[1]));
        CHECK(cairn_vec3_length(cairn_vec3_add(change, cairn_mat3_apply(&K, t))) < 1e-11);
        cairn_mat3 S = K;
        cairn_stiffness_clamp(&S);
        double form = cairn_vec3_dot(x[3], cairn_mat3_apply(&S, x[3]));
        CHECK(form >= -1e-14 && form >= cairn_vec3_dot(x[3], cairn_mat3_apply(&K, x[3])) - 1e-14);
        cairn_mat3 again = S;
        cairn_stiffness_clamp(&again);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(again.m[i / 3][i % 3], S.m[i / 3][i % 3], 1e-14);
    }
}

/* links rods of 0.5 m, 1 kg, held at the origin, and a block of the given mass; along x. */
static void hang_chain(scene *s, cairn_vec3 from, int links, double mass, cairn_joint_kind kind, cairn_body *last) {
    cairn_body before = {0, 0};
    double l = 0.5;
    for (int i = 0; i <= links; i++) {
        double m = i == links ? mass : 1.0, J = i == links ? m * l * l / 6.0 : m * l * l / 12.0;
        double along = i == links ? J : 2e-4;
        cairn_body body = scene_mass(s, cairn_vec3_add(from, cairn_vec3_of(l * (i + 0.5), 0, 0)), m,
                                     cairn_vec3_of(along, J, J));
        cairn_joint_def def = cairn_default_joint_def();
        cairn_joint joint;
        def.kind = kind;
        def.a = before;
        def.b = body;
        def.frame.position = cairn_vec3_add(from, cairn_vec3_of(l * i, 0, 0));
        def.frame.rotation = cairn_quat_turn(cairn_vec3_of(1, 0, 0), -QUARTER_TURN);
        CHECK(cairn_world_add_joint(s->world, &def, &joint) == CAIRN_OK);
        before = body;
    }
    *last = before;
}

TEST(heavy_chain) {
    for (int k = 0; k < 3; k++) {
        double mass = k == 2 ? 100.0 : 1000.0;
        scene s = scene_make(1, k == 2 ? 0.02 : 0.01, 0.5, 0.0, down);
        cairn_body last;
        hang_chain(&s, cairn_vec3_of(0, 0, 0), 19, mass, k == 1 ? CAIRN_JOINT_REVOLUTE : CAIRN_JOINT_SPHERICAL, &last);
        double worst = 0.0, swing = 0.0, error = 0.0;
        int solves = 0, steps = k == 2 ? 250 : 500;
        for (int i = 0; i < steps; i++) {
            cairn_step_report r = scene_step(&s);
            worst = fmax(worst, r.joint_gap);
            swing = fmax(swing, r.energy.kinetic);
            error = fmax(error, fabs(r.energy.kinetic + r.energy.potential));
            solves += r.solves;
        }
        CHECK(worst <= 1e-5);
        CHECK(error <= 0.015 * swing);
        CHECK(solves <= 3 * steps);
        CHECK(scene_state(&s, last).center.z > -10.3);
        scene_end(&s);
    }
}

/* 200 tonnes on hinged rods of a kilogram: the large impulses that it takes are not taken for a proof that there are none. */
TEST(heaviest_chain) {
    scene s = scene_make_to(1e-6, 1, 0.02, 0.5, 0.0, down);
    cairn_body last;
    hang_chain(&s, cairn_vec3_of(0, 0, 0), 19, 2e5, CAIRN_JOINT_REVOLUTE, &last);
    double swing = 0.0, error = 0.0;
    for (int i = 0; i < 250; i++) {
        cairn_step_report r = scene_step(&s);
        swing = fmax(swing, r.energy.kinetic);
        error = fmax(error, fabs(r.energy.kinetic + r.energy.potential));
    }
    CHECK(error <= 0.03 * swing);
    scene_end(&s);
}

/* A pendulum from 150 degrees (case 19): quarter period, closed joints, and first order in h. */
TEST(pendulum_from_150_degrees) {
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 4e-3 : 2e-3, start = 150.0 / 90.0 * QUARTER_TURN;
        scene s = scene_make(1, h, 0.5, 0.0, down);
        cairn_body b = scene_mass(&s, cairn_vec3_of(sin(start), 0, -cos(start)), 2.0, cairn_vec3_of(2e-4, 2e-4, 2e-4));
        cairn_joint_def def = cairn_default_joint_def();
        cairn_joint joint;
        def.kind = CAIRN_JOINT_REVOLUTE;
        def.b = b;
        def.frame.rotation = cairn_quat_turn(cairn_vec3_of(1, 0, 0), -QUARTER_TURN);
        CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
        double t = 0.0, before = 1.0, crossed = 0.0;
        while (crossed == 0.0 && t < 3.0) {
            CHECK(scene_step(&s).joint_gap <= 1e-5);
            t += h;
            double x = scene_state(&s, b).center.x;
            if (x <= 0.0)
                crossed = t - h * (-x) / (before - x);
            before = x;
        }
        error[k] = crossed / (0.25 * 1.762204 * 4.0 * QUARTER_TURN * sqrt(1.0001 / 9.81)) - 1.0;
        scene_end(&s);
    }
    CHECK(fabs(error[1]) < 3e-3 && fabs(error[1]) < 0.6 * fabs(error[0]) + 1e-5);
}

static uint64_t hash(uint64_t h, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (h ^ bits) * UINT64_C(0x100000001B3) + (h >> 29);
}

/* Stacks, a chain and a ball that hits one of the stacks: the same bits for every number of threads. */
static uint64_t run_groups(int threads, int *islands) {
    scene s = scene_make(threads, 0.01, 0.5, 0.0, down);
    scene_plane(&s, (cairn_quat){1, 0, 0, 0});
    cairn_body body[40], last;
    int bodies = 0;
    for (int stack = 0; stack < 5; stack++)
        for (int i = 0; i < 5; i++)
            body[bodies++] = scene_box(&s, cairn_vec3_of(0.5, 0.5, 0.25), CAIRN_BODY_DYNAMIC,
                                       cairn_pose_at(3.0 * stack, 0.1 * (i % 2), 0.25 + 0.5 * i));
    body[bodies++] = scene_ball(&s, 0.3, cairn_vec3_of(-1.2, 0, 1.2), cairn_vec3_of(12, 0, 0));
    hang_chain(&s, cairn_vec3_of(0, 20, 30), 6, 100.0, CAIRN_JOINT_SPHERICAL, &last);
    body[bodies++] = last;
    uint64_t h = 1;
    for (int i = 0; i < 60; i++) {
        cairn_step_report r = scene_step(&s);
        *islands = r.islands > *islands ? r.islands : *islands;
        h = hash(h, r.energy.kinetic);
        h = hash(h, r.info.certificate.natural_map);
        for (int k = 0; k < bodies; k++) {
            cairn_body_state st = scene_state(&s, body[k]);
            h = hash(hash(hash(h, st.center.x), st.center.z), st.angular_velocity.y);
        }
    }
    scene_end(&s);
    return h;
}

TEST(islands_and_threads) {
    int islands = 0;
    uint64_t one = run_groups(1, &islands);
    CHECK(islands >= 6);
    CHECK(run_groups(2, &islands) == one);
    CHECK(run_groups(4, &islands) == one);
}

/* Parts of a step: two halves end where two steps of half the length end. */
TEST(substeps) {
    double z[2];
    for (int k = 0; k < 2; k++) {
        cairn_context *context = plain_context(1);
        cairn_world_def def = cairn_default_world_def();
        cairn_world *world;
        def.step = k == 0 ? 0.01 : 0.005;
        def.substeps = k == 0 ? 2 : 1;
        CHECK(cairn_world_create(context, &def, &world) == CAIRN_OK);
        scene s = {.context = context, .world = world};
        cairn_body last;
        hang_chain(&s, cairn_vec3_of(0, 0, 0), 3, 5.0, CAIRN_JOINT_SPHERICAL, &last);
        scene_run(&s, k == 0 ? 50 : 100);
        z[k] = scene_state(&s, last).center.z;
        scene_end(&s);
    }
    CHECK_NEAR(z[0], z[1], 0.0);
}

/* A box on two hinges with one axis: five of ten rows are redundant, those of the second hinge; both carry the same. Three bars and four hinges in a
 * plane close a loop: 3 of 20 rows are redundant. */
TEST(redundant_rows) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body box = scene_box(&s, cairn_vec3_of(0.5, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0));
    double weight = scene_state(&s, box).mass * 9.81;
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint[2];
    def.kind = CAIRN_JOINT_REVOLUTE;
    def.b = box;
    for (int i = 0; i < 2; i++)
        CHECK(cairn_world_add_joint(s.world, &def, &joint[i]) == CAIRN_OK);
    cairn_redundant_row row[8];
    cairn_redundancy found;
    CHECK(cairn_world_redundancy(s.world, row, 8, &found) == CAIRN_OK);
    CHECK(found.rows == 10 && found.rank == 5 && found.redundant == 5);
    for (int i = 0; i < 5; i++)
        CHECK(row[i].joint.slot == joint[1].slot && row[i].row == i);
    scene_run(&s, 5);
    cairn_joint_state state[2];
    for (int i = 0; i < 2; i++) {
        CHECK(cairn_world_joint(s.world, joint[i], &state[i]) == CAIRN_OK);
        CHECK_NEAR(state[i].force.z, 0.5 * weight, 1e-6 * weight); /* least norm: half each */
    }
    scene_end(&s);

    s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_body bar[3];
    for (int i = 0; i < 3; i++)
        bar[i] = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(i, 0.5 * (i == 1), 0));
    const double at[4][2] = {{-0.5, 0}, {0.5, 0.5}, {1.5, 0.5}, {2.5, 0}};
    for (int i = 0; i < 4; i++) {
        def.a = i == 0 ? (cairn_body){0, 0} : bar[i - 1];
        def.b = i == 3 ? (cairn_body){0, 0} : bar[i];
        def.frame.position = cairn_vec3_of(at[i][0], at[i][1], 0);
        CHECK(cairn_world_add_joint(s.world, &def, &joint[0]) == CAIRN_OK);
    }
    CHECK(cairn_world_redundancy(s.world, NULL, 0, &found) == CAIRN_OK);
    CHECK(found.rows == 20 && found.rank == 17 && found.redundant == 3); /* 18 freedoms, one is left */
    scene_end(&s);
}

/* Three boxes on hinges fall on the floor, all lengths times 4^power and times times 2^power. Writes where they are, in units of the boxes. */
static void drop_boxes(int power, cairn_vec3 place[3]) {
    const double scale = pow(4.0, power), time = pow(2.0, power);
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    def.step = 0.01 * time;
    def.tolerance_velocity = 1e-6 * time;
    def.tolerance_joint = 1e-6 * fmin(scale, 1.0);
    def.solver.tolerance = 1e-9;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    scene_plane(&s, (cairn_quat){1, 0, 0, 0});
    cairn_body box[3];
    cairn_joint_def joint = cairn_default_joint_def();
    joint.kind = CAIRN_JOINT_REVOLUTE;
    joint.frame.rotation = cairn_quat_turn(cairn_vec3_of(1, 0, 0), -QUARTER_TURN);
    for (int i = 0; i < 3; i++) {
        cairn_joint hinge;
        box[i] = scene_box(&s, cairn_vec3_of(0.4 * scale, 0.3 * scale, 0.2 * scale), CAIRN_BODY_DYNAMIC,
                           cairn_pose_at(i * scale, 0, 0.6 * scale));
        joint.a = i > 0 ? box[i - 1] : (cairn_body){0, 0};
        joint.b = box[i];
        joint.frame.position = cairn_vec3_of((i - 0.5) * scale, 0, 0.6 * scale);
        CHECK(i == 0 || cairn_world_add_joint(s.world, &joint, &hinge) == CAIRN_OK);
    }
    scene_run(&s, 60);
    for (int i = 0; i < 3; i++)
        place[i] = cairn_vec3_scale(1.0 / scale, scene_state(&s, box[i]).center);
    scene_end(&s);
}

/* Boxes of 60 micrometres and of 100 km do what boxes of a metre do. */
TEST(units_do_not_matter) {
    cairn_vec3 one[3], other[3];
    drop_boxes(0, one);
    CHECK(one[1].z < 0.3);
    for (int power = -7; power <= 8; power += 5) {
        drop_boxes(power, other);
        for (int i = 0; i < 3; i++)
            CHECK(cairn_vec3_length(cairn_vec3_sub(one[i], other[i])) < 1e-4);
    }
}

int main(void) {
    RUN(stiffness);
    RUN(heavy_chain);
    RUN(heaviest_chain);
    RUN(pendulum_from_150_degrees);
    RUN(islands_and_threads);
    RUN(substeps);
    RUN(redundant_rows);
    RUN(units_do_not_matter);
    return test_end();
}
