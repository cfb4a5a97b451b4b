/*
 * test_world_impacts.c: impacts of many bodies with one coefficient of restitution create no energy, whatever parts and is hit, nor does an end that sticks while it rebounds; restarts and
 * threads give the same bits there; impacts that create nothing are left alone. Heaps with friction: test_world_passive.c.
 */
#include "world/model/world_data.h"
#include "support/world_scene.h"

static const cairn_vec3 none = {0, 0, 0}, down = {0, 0, -9.81};

enum { ACROSS = 3, BODIES = ACROSS * ACROSS * ACROSS };

static cairn_vec3 random_vec(test_random *r, double size) {
    double x = test_random_unit(r), y = test_random_unit(r), z = test_random_unit(r);
    return cairn_vec3_of(size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1));
}

/* Balls that touch their neighbours or nearly so, in a closed room; of seeds that three divides every fourth is a box. */
static scene heap(uint64_t seed, double e, cairn_vec3 gravity, int threads) {
    scene s = scene_make(threads, 0.005, 0.0, e, gravity);
    test_random r = {seed};
    const double q = 0.70710678118654752;
    const cairn_quat turn[] = {{1, 0, 0, 0}, {q, q, 0, 0}, {q, -q, 0, 0}, {q, 0, q, 0}, {q, 0, -q, 0}, {0, 1, 0, 0}};
    const cairn_vec3 at[] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    for (int i = 0; i < 6; i++) {
        cairn_shape *plane = NULL;
        CHECK(cairn_shape_plane(s.context, &plane) == CAIRN_OK);
        scene_add(&s, plane, CAIRN_BODY_FIXED, (cairn_pose){at[i], turn[i]}, none, none);
    }
    double pitch = 0.2 + (seed % 2 == 0 ? 0.0 : 0.002);
    for (int i = 0; i < BODIES; i++) {
        cairn_vec3 x = cairn_vec3_of(0.3 + pitch * (i % ACROSS), 0.3 + pitch * (i / ACROSS % ACROSS),
                                     0.3 + pitch * (i / ACROSS / ACROSS));
        bool box = seed % 3 == 0 && i % 4 == 3;
        cairn_shape *shape = NULL;
        cairn_vec3 v = random_vec(&r, 2.0);
        if (box)
            CHECK(cairn_shape_box(s.context, cairn_vec3_of(0.1, 0.1, 0.1), &shape) == CAIRN_OK);
        else
            CHECK(cairn_shape_sphere(s.context, 0.1, &shape) == CAIRN_OK);
        scene_add(&s, shape, CAIRN_BODY_DYNAMIC, cairn_pose_at(x.x, x.y, x.z), v, none);
    }
    return s;
}

/* Kinetic energy, and what impacts have lost whose rebound comes in the next step. */
static double energy_of(const scene *s) {
    double sum = cairn_world_energy(s->world).kinetic;
    for (int i = 0; i < s->world->last.count; i++)
        sum += s->world->last.item[i].pays;
    return sum;
}

static bool was_lowered(const cairn_step_report *r) {
    return strstr(r->info.note, "rebounds lowered") != NULL;
}

/* Boxes that turn bend away from the floor within a step, which may make a little energy. */
TEST(no_energy_is_created) {
    const double e[] = {0.3, 0.5, 0.8, 1.0};
    int lowered = 0;
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int k = 0; k < 4; k++) {
            scene s = heap(seed, e[k], none, 1);
            double last = energy_of(&s), first = last;
            for (int i = 0; i < 80; i++) {
                cairn_step_report r = scene_step(&s);
                double now = energy_of(&s);
                lowered += was_lowered(&r);
                CHECK(now <= last * (1.0 + (seed % 3 == 0 ? 1e-5 : 1e-8)));
                CHECK(e[k] < 1.0 || seed % 3 == 0 || now > 0.75 * first);
                last = now;
            }
            scene_end(&s);
        }
    CHECK(lowered > 40);
}

/* Kane's double pendulum hits the ground with its end, which sticks: with Newton's law it gains. Two rods of 1 m at 20 and 30 degrees. */
TEST(kanes_pendulum) {
    const double angle[] = {0.34906585039886592, 0.52359877559829887}, spin[] = {-0.1, -0.2}, r = 1e-3;
    scene s = scene_make(1, 1e-5, 0.5, 0.9, none);
    scene_plane(&s, (cairn_quat){1, 0, 0, 0});
    cairn_vec3 at = {0, 0, r + cos(angle[0]) + cos(angle[1])}, v = none;
    cairn_body last = {0, 0};
    for (int i = 0; i < 2; i++) {
        cairn_vec3 half = cairn_vec3_of(0.5 * sin(angle[i]), 0, -0.5 * cos(angle[i])), w = {0, -spin[i], 0};
        cairn_shape *rod = NULL;
        cairn_joint id;
        cairn_joint_def joint = cairn_default_joint_def();
        CHECK(cairn_shape_capsule(s.context, r, 0.5, &rod) == CAIRN_OK);
        cairn_pose pose = {cairn_vec3_add(at, half), cairn_quat_turn(cairn_vec3_of(0, 1, 0), -angle[i])};
        v = cairn_vec3_add(v, cairn_vec3_cross(w, half));
        cairn_body body = scene_add(&s, rod, CAIRN_BODY_DYNAMIC, pose, v, w);
        joint.kind = CAIRN_JOINT_REVOLUTE;
        joint.a = last;
        joint.b = last = body;
        joint.frame = (cairn_pose){at, cairn_quat_turn(cairn_vec3_of(1, 0, 0), -QUARTER_TURN)};
        CHECK(cairn_world_add_joint(s.world, &joint, &id) == CAIRN_OK);
        v = cairn_vec3_add(v, cairn_vec3_cross(w, half));
        at = cairn_vec3_add_scaled(at, 2.0, half);
    }
    double before = cairn_world_energy(s.world).kinetic;
    cairn_step_report report = scene_step(&s);
    CHECK(was_lowered(&report));
    CHECK(report.energy.kinetic <= before * (1.0 + 1e-6) && report.energy.kinetic > 0.98 * before);
    scene_end(&s);
}

/* A rod hits the ground with its end, which sticks. With M = N^-1 of its end the impulse M(u+ - u-) makes (u+'Mu+ - u-'Mu-)/2, and u+ = (-s u_N-, 0): nothing for
 * s^2 = u-'Mu-/(M_NN u_N-^2). */
TEST(rod_that_sticks) {
    const double angle = 0.65, r = 0.01, l = 0.5;
    scene s = scene_make(1, 0.01, 1.0, 1.0, none);
    scene_plane(&s, (cairn_quat){1, 0, 0, 0});
    cairn_shape *rod = NULL;
    CHECK(cairn_shape_capsule(s.context, r, l, &rod) == CAIRN_OK);
    cairn_pose pose = {cairn_vec3_of(0, 0, r + l * cos(angle)), cairn_quat_turn(cairn_vec3_of(0, 1, 0), angle)};
    cairn_body body = scene_add(&s, rod, CAIRN_BODY_DYNAMIC, pose, cairn_vec3_of(0.5, 0, -1), none);
    const cairn_rigid *at = &s.world->rigid[1 + 1];
    double m = at->mass, J = at->inertia.m[1][1], x = -l * sin(angle), z = -l * cos(angle) - r;
    double Nxx = 1 / m + z * z / J, Nzz = 1 / m + x * x / J, Nxz = -x * z / J, det = Nxx * Nzz - Nxz * Nxz;
    double Mxx = Nzz / det, Mzz = Nxx / det, Mxz = -Nxz / det, u = 0.5, n = -1.0;
    double had = Mxx * u * u + 2 * Mxz * u * n + Mzz * n * n, share = sqrt(had / (Mzz * n * n));
    double before = cairn_world_energy(s.world).kinetic, gain = 0.5 * (Mzz * n * n - had);
    CHECK(gain > 0.18 * before && gain < 0.19 * before && share < 0.95); /* of Newton's law */
    cairn_step_report report = scene_step(&s);
    cairn_body_state end = scene_state(&s, body);
    double spin = end.angular_velocity.y, tip = end.velocity.z - spin * x, slip = end.velocity.x + spin * z;
    CHECK_NEAR(slip, 0.0, 1e-9);
    CHECK(tip <= share + 1e-9 && Mzz * (share * share - tip * tip) <= 2.0 * 0.05 * gain);
    CHECK(report.energy.kinetic <= before * (1.0 + 1e-9) && report.energy.created == 0.0);
    CHECK_NEAR(before - report.energy.kinetic, report.energy.friction + report.energy.impact, 1e-9 * before);
    scene_end(&s);
}

/* Two balls part slowly, a third hits one of them: the whole rebound would leave more than there was. By hand: v = (1, 0, a), the rebound of the first contact lowered to s, the second
 * one held together: v2 = v3 = v1 + s, and v1^2 + v2^2 + v3^2 = 1 + a^2 for s = sqrt(3)/2. */
TEST(three_balls) {
    const double a = 0.5;
    scene s = scene_make(1, 0.005, 0.0, 1.0, none);
    const double x[] = {0.0, 0.2, 0.4}, v[] = {1.0, 0.0, a};
    cairn_body ball[3];
    for (int i = 0; i < 3; i++)
        ball[i] = scene_ball(&s, 0.1, cairn_vec3_of(x[i], 0, 0), cairn_vec3_of(v[i], 0, 0));
    double before = cairn_world_energy(s.world).kinetic;
    cairn_step_report r = scene_step(&s);
    double after = r.energy.kinetic, u[3], momentum = 0.0;
    for (int i = 0; i < 3; i++) {
        u[i] = scene_state(&s, ball[i]).velocity.x;
        momentum += u[i];
    }
    CHECK_NEAR(momentum, 1.0 + a, 1e-9);
    CHECK(after <= before * (1.0 + 1e-9) && after > 0.98 * before);
    CHECK(was_lowered(&r));
    CHECK_NEAR(u[1], u[2], 1e-9); /* the second contact was hit, and does not close */
    CHECK(u[1] - u[0] > 0.85 && u[1] - u[0] <= sqrt(0.75) + 1e-6);
    scene_end(&s);
}

/* Impacts that create nothing are those of Moreau's law: three balls in touch, and with a gap. */
TEST(untouched) {
    for (int k = 0; k < 2; k++) {
        scene s = scene_make(1, 0.005, 0.0, 1.0, none);
        cairn_body ball[3];
        for (int i = 0; i < 3; i++)
            ball[i] = scene_ball(&s, 0.1, cairn_vec3_of((0.2 + 0.013 * k) * i, 0, 0), cairn_vec3_of(i == 0, 0, 0));
        for (int i = 0; i < 16; i++) {
            cairn_step_report r = scene_step(&s);
            CHECK(!was_lowered(&r));
        }
        CHECK_NEAR(scene_state(&s, ball[0]).velocity.x, k == 0 ? -1.0 / 3.0 : 0.0, 1e-6);
        CHECK_NEAR(scene_state(&s, ball[2]).velocity.x, k == 0 ? 2.0 / 3.0 : 1.0, 1e-6);
        scene_end(&s);
    }
}

/* With weight, by several threads, and after a restart before every step: the same bits. */
TEST(same_bits) {
    scene a = heap(4, 1.0, down, 1), b = heap(4, 1.0, down, 2), c = heap(4, 1.0, down, 1);
    static char state[1 << 20];
    int lowered = 0;
    for (int i = 0; i < 60; i++) {
        size_t size = 0;
        CHECK(cairn_world_save(a.world, state, sizeof state, &size) == CAIRN_OK && size <= sizeof state);
        CHECK(cairn_world_load_state(c.world, state, size) == CAIRN_OK);
        cairn_step_report r = scene_step(&a), q = scene_step(&b), p = scene_step(&c);
        lowered += was_lowered(&r);
        CHECK(memcmp(&r.energy, &q.energy, sizeof r.energy) == 0);
        CHECK(memcmp(&r.energy, &p.energy, sizeof r.energy) == 0);
    }
    CHECK(lowered > 0);
    scene_end(&a);
    scene_end(&b);
    scene_end(&c);
}

/* Balls in a row with equal gaps, the first one shot at the others, or all of them at a wall. Those that meet within the
 * step are known: the first ball and the k that go with it have come gap k(k+1)/2 when they meet the next one, and the
 * ball behind k others meets them k gaps after the first one met the wall. Impacts lead to these contacts and no others. */
TEST(impacts_lead_as_far_as_the_step) {
    enum { ROW = 24 };
    const double h = 0.01, speed = 30.0, reach = h * speed;
    for (int train = 0; train < 2; train++)
        for (int i = 1; i <= 40; i++) {
            double gap = 0.05 / (i + 0.3);
            scene s = scene_make(1, h, 0.0, 0.0, none);
            int meet = 0;
            if (train)
                scene_box(&s, cairn_vec3_of(0.5, 1, 1), CAIRN_BODY_FIXED, cairn_pose_at(0.5 + 0.6 * reach, 0, 0));
            for (int k = 0; k < ROW; k++) {
                double x = train ? -0.5 - k * (1.0 + gap) : k * (1.0 + gap);
                scene_ball(&s, 0.5, cairn_vec3_of(x, 0, 0), cairn_vec3_of(train || k == 0 ? speed : 0.0, 0, 0));
                meet += train ? 0.6 * reach + k * gap < reach : k > 0 && 0.5 * gap * k * (k + 1) < reach;
            }
            cairn_step_report r = scene_step(&s);
            CHECK(meet > 0 && r.contacts == meet && r.solves == 1);
            scene_end(&s);
        }
}

int main(void) {
    RUN(no_energy_is_created);
    RUN(kanes_pendulum);
    RUN(rod_that_sticks);
    RUN(three_balls);
    RUN(untouched);
    RUN(same_bits);
    RUN(impacts_lead_as_far_as_the_step);
    return test_end();
}
