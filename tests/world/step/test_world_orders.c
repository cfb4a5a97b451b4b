/*
 * test_world_orders.c: motions known exactly, at several steps: errors stay below what a method of first order allows and fall with the step; thresholds from both sides.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};
static const cairn_quat straight = {1, 0, 0, 0};

/* Case 7: a sphere rolls iff mu >= 2/7 tan, else it slips with g (sin - mu cos); exact at any step. */
TEST(sphere_on_an_incline) {
    const double t = 0.5, g = 9.81;
    for (int k = 0; k < 6; k++) {
        double h = k < 2 ? 0.02 : k < 4 ? 0.01 : 0.002, mu = 2.0 / 7.0 * tan(t) * (k % 2 == 0 ? 1.01 : 0.99);
        scene s = scene_make(1, h, mu, 0.0, cairn_vec3_of(g * sin(t), 0, -g * cos(t)));
        scene_plane(&s, straight);
        cairn_body b = scene_ball(&s, 0.2, cairn_vec3_of(0, 0, 0.2), none);
        scene_run(&s, (int)lround(1.0 / h));
        cairn_body_state st = scene_state(&s, b);
        double a = k % 2 == 0 ? 5.0 / 7.0 * g * sin(t) : g * (sin(t) - mu * cos(t));
        double slip = st.velocity.x - 0.2 * st.angular_velocity.y;
        CHECK_NEAR(st.velocity.x, a, 1e-9);
        CHECK(k % 2 == 0 ? fabs(slip) < 1e-9 : slip > 1e-2);
        scene_end(&s);
    }
}

/* Case 8: place at 0.6 s, when the ball rolls. */
TEST(bowling_ball) {
    double before = INFINITY;
    for (double h = 0.008; h > 0.0009; h *= 0.5) {
        scene s = scene_make(1, h, 0.2, 0.0, down);
        scene_plane(&s, straight);
        cairn_body b = scene_ball(&s, 0.11, cairn_vec3_of(0, 0, 0.11), cairn_vec3_of(3, 0, 0));
        scene_run(&s, (int)lround(0.6 / h));
        double error = fabs(scene_state(&s, b).center.x - (1.123385 + 2.142857 * (0.6 - 0.436872)));
        CHECK_NEAR(scene_state(&s, b).velocity.x, 15.0 / 7.0, 1e-9);
        CHECK(error <= 0.5 * h && error < 0.6 * before);
        before = error;
        scene_end(&s);
    }
}

/* Case 9: when it rests and how far it went; not monotone in h, but of first order. */
TEST(bouncing_ball) {
    static const double step[] = {0.02, 0.01, 0.005, 0.002, 0.001, 0.0005};
    for (int k = 0; k < 6; k++) {
        double h = step[k], path = 0.0, rests = 0.0, z = 1.1;
        scene s = scene_make(1, h, 0.0, 0.5, down);
        scene_plane(&s, straight);
        cairn_body b = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, z), none);
        for (int i = 1; i * h < 2.0; i++) {
            scene_step(&s);
            double now = scene_state(&s, b).center.z;
            path += fabs(now - z);
            rests = fabs(now - z) > 1e-7 ? i * h : rests;
            z = now;
        }
        CHECK(fabs(rests - 1.354571) <= 5.0 * h && fabs(path - 1.666667) <= 2.5 * h);
        CHECK_NEAR(z, 0.1, 1e-6);
        scene_end(&s);
    }
}

/* Case 18: half cycles lose 0.01962 each; five of them, and then it rests at 0.0019. */
static double oscillate(double h, int *turns) {
    scene s = scene_make(1, h, 0.5, 0.0, none);
    cairn_body b = scene_mass(&s, cairn_vec3_of(0, 0, 0.1), 1.0, cairn_vec3_of(1, 1, 1));
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint;
    def.kind = CAIRN_JOINT_PRISMATIC;
    def.b = b;
    def.has_frame_b = true;
    def.frame_b.position = cairn_vec3_of(0, 0, 0.1);
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.stiffness = 100.0;
    def.friction = 0.981;
    CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    double worst = 0.0, last = 0.1, way = -1.0;
    *turns = 0;
    for (int i = 0; i * h < 2.5; i++) {
        scene_step(&s);
        double now = scene_state(&s, b).center.z;
        if ((now - last) * way < -1e-9) { /* it has turned round */
            way = -way;
            ++*turns;
            worst = fmax(worst, fabs(fabs(last) - (0.1 - 0.01962 * *turns)));
        }
        last = now;
    }
    worst = fmax(worst, fabs(fabs(last) - 0.0019));
    scene_end(&s);
    return worst;
}

TEST(coulomb_oscillator) {
    double before = INFINITY;
    for (double h = 8e-4; h > 0.9e-4; h *= 0.5) {
        int turns;
        double error = oscillate(h, &turns);
        CHECK(turns == 4); /* and the fifth half cycle ends in rest */
        CHECK(error <= 5.0 * h && error < 0.6 * before);
        before = error;
    }
}

/* Case 20 while it swings: every joint twice changes no motion. */
TEST(doubled_joints_swing_alike) {
    enum { LINKS = 5 };
    cairn_vec3 at[2][LINKS];
    for (int twice = 0; twice < 2; twice++) {
        scene s = scene_make(1, 0.01, 0.5, 0.0, down);
        cairn_body link[LINKS];
        for (int i = 0; i < LINKS; i++) {
            link[i] = scene_mass(&s, cairn_vec3_of(0.25 + 0.5 * i, 0, 0), 1.5, cairn_vec3_of(0.03, 0.03, 0.03));
            cairn_joint_def def = cairn_default_joint_def();
            cairn_joint id;
            def.kind = i % 2 == 0 ? CAIRN_JOINT_SPHERICAL : CAIRN_JOINT_UNIVERSAL;
            def.frame.position = cairn_vec3_of(0.5 * i, 0, 0);
            def.a = i > 0 ? link[i - 1] : (cairn_body){0, 0};
            def.b = link[i];
            if (def.kind == CAIRN_JOINT_UNIVERSAL) { /* z of a and x of b at a right angle */
                def.has_frame_b = true;
                def.frame_b = def.frame;
            }
            for (int k = 0; k <= twice; k++)
                CHECK(cairn_world_add_joint(s.world, &def, &id) == CAIRN_OK);
        }
        scene_run(&s, 100);
        for (int i = 0; i < LINKS; i++)
            at[twice][i] = scene_state(&s, link[i]).center;
        scene_end(&s);
    }
    double most = 0.0;
    for (int i = 0; i < LINKS; i++)
        most = fmax(most, cairn_vec3_length(cairn_vec3_sub(at[0][i], at[1][i])));
    CHECK(most < 1e-9 && at[0][LINKS - 1].z < -1.0);
}

/* Case 12: N_NN - mu |N_NT| of the rod's contact is negative, so that pushing lifts the tip no more, iff mu > (4 + t^2)/(3 t). */
TEST(painleve_threshold) {
    for (int k = 0; k < 8; k++) {
        double t = k < 4 ? 2.0 : 1.0, critical = (4.0 + t * t) / (3.0 * t), angle = atan(t), l = 0.5, r = 1e-4;
        double mu = critical * (k % 2 == 0 ? 0.999 : 1.001);
        scene s = scene_make(1, 1e-3, mu, 0.0, down);
        scene_plane(&s, straight);
        cairn_body_def def = cairn_default_body_def();
        cairn_mass thin = {.mass = 1.0, .inertia = {{{l * l / 3.0, 0, 0}, {0, l * l / 3.0, 0}, {0, 0, 1e-6}}}};
        cairn_body body;
        CHECK(cairn_shape_capsule(s.context, r, l, &def.shape) == CAIRN_OK);
        def.mass = &thin;
        def.material = s.material;
        def.velocity = cairn_vec3_of(k % 4 < 2 ? 2.0 : -2.0, 0, 0);
        def.pose = (cairn_pose){cairn_vec3_of(0, 0, r + l * sin(angle)),
                                cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN - angle)};
        CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_OK);
        cairn_shape_release(def.shape);
        scene_step(&s);
        const cairn_problem *problem = NULL;
        CHECK(cairn_world_problem(s.world, &problem) == CAIRN_OK);
        cairn_problem *local = NULL;
        CHECK(cairn_problem_to_local(problem, &local) == CAIRN_OK);
        cairn_problem_view view = cairn_problem_get(local);
        CHECK(view.m == 3);
        double pushes = 0.0, across = 0.0; /* N_NN, |N_NT|: the first column of N */
        for (int e = view.H_start[0]; e < view.H_start[1]; e++) {
            pushes += view.H_index[e] == 0 ? view.H_value[e] : 0.0;
            across = view.H_index[e] > 0 ? hypot(across, view.H_value[e]) : across;
        }
        pushes -= mu * across;
        CHECK(k % 2 == 0 ? pushes > 0.0 : pushes < 0.0);
        cairn_problem_destroy(local);
        scene_end(&s);
    }
}

/* 27 balls in touch. Thrown at each other, without friction and with one e, they make no energy, and lose none for e = 1. Thrown in all directions, contacts that part are
 * hit by others: without restitution no energy is made; with it what is made is told. */
TEST(impacts_of_many) {
    for (int k = 0; k < 30; k++) {
        double e = k % 3 == 0 ? 0.0 : k % 3 == 1 ? 0.6 : 1.0;
        bool together = k < 15;
        scene s = scene_make(1, 0.005, 0.0, e, none);
        test_random random = {(uint64_t)(17 + k / 3)};
        for (int i = 0; i < 27; i++) {
            int place[3] = {i % 3, i / 3 % 3, i / 9};
            cairn_vec3 at = {0.4 * place[0], 0.4 * place[1], 0.4 * place[2]};
            cairn_vec3 v = {test_random_signed(&random), test_random_signed(&random), test_random_signed(&random)};
            if (together) /* neighbours come closer */
                v = cairn_vec3_of(-1.1 * place[0], -0.7 * place[1], -0.4 * (1 + k) * place[2]);
            scene_ball(&s, 0.2, at, v);
        }
        double before = cairn_world_energy(s.world).kinetic;
        cairn_step_report r = scene_step(&s);
        CHECK(r.contacts >= 20);
        CHECK_NEAR(r.energy.kinetic, before - r.energy.impact + r.energy.created, 1e-9 * before);
        if (together || e == 0.0)
            CHECK(r.energy.kinetic <= before * (1.0 + 1e-9));
        if (together && e == 1.0)
            CHECK_NEAR(r.energy.kinetic, before, 1e-8 * before);
        scene_end(&s);
    }
}

/* A spinning ball bounces off a plane with friction: a rebound that comes a step late gives back what its impact took, and nothing is gained. */
TEST(bounce_with_spin) {
    for (int k = 0; k < 6; k++) {
        scene s = scene_make(1, 0.005, 0.7, k % 2 == 0 ? 0.8 : 1.0, none);
        scene_plane(&s, straight);
        cairn_shape *ball = NULL;
        CHECK(cairn_shape_sphere(s.context, 0.1, &ball) == CAIRN_OK);
        scene_add(&s, ball, CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1 + 0.013 * (k / 2)), cairn_vec3_of(1, 2, -3),
                  cairn_vec3_of(-40, 30, 10));
        double start = cairn_world_energy(s.world).kinetic, end = start;
        cairn_energy sum = {0};
        for (int i = 0; i < 20; i++) {
            cairn_step_report r = scene_step(&s);
            end = r.energy.kinetic;
            CHECK(end <= start * (1.0 + 1e-9));
            cairn_energy_add(&sum, &r.energy);
        }
        CHECK(sum.friction > 0.01 * start && sum.created <= 1e-9 * start && sum.impact >= -1e-9 * start);
        CHECK_NEAR(start - end, sum.friction + sum.impact, 1e-9 * start);
        scene_end(&s);
    }
}

int main(void) {
    RUN(sphere_on_an_incline);
    RUN(bowling_ball);
    RUN(bouncing_ball);
    RUN(coulomb_oscillator);
    RUN(doubled_joints_swing_alike);
    RUN(painleve_threshold);
    RUN(impacts_of_many);
    RUN(bounce_with_spin);
    return test_end();
}
