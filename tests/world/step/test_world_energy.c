/*
 * test_world_energy.c: where the energy of steps goes: after every step the works of contacts, joints and loads explain what kinetic and potential energy have
 * changed, but for gravity's h/2 g'mv of a step along x + h v; and works that are known in closed form.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};
static const cairn_quat straight = {1, 0, 0, 0};

typedef struct balance {
    double start, scale; /* energy when it began; energies that went through */
    cairn_vec3 momentum; /* when it began */
    cairn_energy work;
} balance;

static cairn_vec3 momentum_of(const scene *s, int bodies, const cairn_body *body) {
    cairn_vec3 sum = none;
    for (int i = 0; i < bodies; i++) {
        cairn_body_state st = scene_state(s, body[i]);
        sum = cairn_vec3_add_scaled(sum, st.mass, st.velocity);
    }
    return sum;
}

static balance begin(const scene *s, int bodies, const cairn_body *body) {
    cairn_energy e = cairn_world_energy(s->world);
    return (balance){.start = e.kinetic + e.potential, .momentum = momentum_of(s, bodies, body)};
}

/* One step, and what is left over of the balance since the beginning, over the energies that went through. */
static double left_over(scene *s, balance *b, int bodies, const cairn_body *body, double h, cairn_vec3 gravity) {
    cairn_step_report r = scene_step(s);
    cairn_energy *w = &b->work;
    cairn_energy_add(w, &r.energy);
    cairn_vec3 gained = cairn_vec3_sub(momentum_of(s, bodies, body), b->momentum);
    double change = r.energy.kinetic + r.energy.potential - b->start,
           works = w->joints + w->loads + w->created - w->friction - w->impact,
           gravitys = -0.5 * h * cairn_vec3_dot(gravity, gained);
    b->scale = fmax(b->scale, r.energy.kinetic + w->friction + fabs(w->impact) + fabs(w->joints) + fabs(w->loads));
    CHECK(w->created >= 0.0 && w->friction >= -1e-9 * b->scale);
    return fabs(change - works - gravitys) / b->scale;
}

/* A long box tumbles over the floor and comes to rest. */
TEST(contacts) {
    for (int e = 0; e < 2; e++) {
        scene s = scene_make(1, 0.005, 0.4, 0.5 * e, down);
        scene_plane(&s, straight);
        cairn_shape *shape = NULL;
        CHECK(cairn_shape_box(s.context, cairn_vec3_of(0.3, 0.1, 0.05), &shape) == CAIRN_OK);
        cairn_pose pose = {cairn_vec3_of(0, 0, 0.6), cairn_quat_exp(cairn_vec3_of(0.4, 0.7, 0.2))};
        cairn_body body = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, pose, cairn_vec3_of(1, 0.5, 0),
                                    cairn_vec3_of(3, -8, 5));
        balance b = begin(&s, 1, &body);
        for (int i = 0; i < 300; i++) {
            double left = left_over(&s, &b, 1, &body, 0.005, down);
            CHECK(left < (e == 1 ? 1e-3 : 1e-9)); /* overlaps of a fast corner are parted: that is not in the works */
        }
        CHECK(b.work.friction > 0.1 * b.scale && b.work.impact > 0.1 * b.scale);
        CHECK(b.work.joints == 0.0 && b.work.loads == 0.0);
        scene_end(&s);
    }
}

/* Case 5: all of the kinetic energy is rubbed off. Case 9: what a bounce loses. */
TEST(losses_in_closed_form) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, down);
    scene_plane(&s, straight);
    cairn_body box = scene_box(&s, cairn_vec3_of(0.5, 0.5, 0.05), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.05));
    CHECK(cairn_world_set_velocity(s.world, box, cairn_vec3_of(4.905, 0, 0), none) == CAIRN_OK);
    cairn_energy sum = {0};
    for (int i = 0; i < 110; i++) {
        cairn_step_report r = scene_step(&s);
        cairn_energy_add(&sum, &r.energy);
    }
    CHECK_NEAR(sum.friction / (0.5 * scene_state(&s, box).mass * 4.905 * 4.905), 1.0, 1e-9);
    scene_end(&s);
    s = scene_make(1, 0.01, 0.0, 0.5, none);
    scene_plane(&s, straight);
    cairn_body ball = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, 0.137), cairn_vec3_of(0, 0, -2));
    sum = (cairn_energy){0};
    for (int i = 0; i < 10; i++) {
        cairn_step_report r = scene_step(&s);
        cairn_energy_add(&sum, &r.energy);
    }
    CHECK_NEAR(scene_state(&s, ball).velocity.z, 1.0, 1e-9);
    CHECK_NEAR(sum.impact / (0.5 * scene_state(&s, ball).mass * 4.0), 0.75, 1e-9);
    CHECK_NEAR(sum.created, 0.0, 1e-12);
    scene_end(&s);
}

static double wave(void *user, double t) {
    (void)user;
    return 0.3 * sin(4.0 * t);
}

/* A swinging chain with a heavy end, whose joints have a motor, a spring with a damper, dry friction and an imposed motion. */
TEST(joints) {
    enum { LINKS = 6 };
    for (int substeps = 1; substeps <= 2; substeps++) {
        scene s = {.context = plain_context(1)};
        cairn_world_def settings = cairn_default_world_def();
        settings.gravity = down;
        settings.substeps = substeps;
        settings.solver.tolerance = 1e-12;
        CHECK(cairn_world_create(s.context, &settings, &s.world) == CAIRN_OK);
        cairn_body link[LINKS];
        for (int i = 0; i < LINKS; i++) {
            double mass = i == LINKS - 1 ? 100.0 : 1.0;
            link[i] = scene_mass(&s, cairn_vec3_of(0.25 + 0.5 * i, 0, 0), mass, cairn_vec3_of(0.02, 0.04, 0.03));
            cairn_joint_def def = cairn_default_joint_def();
            cairn_joint id;
            def.kind = CAIRN_JOINT_REVOLUTE;
            def.frame = (cairn_pose){
                cairn_vec3_of(0.5 * i, 0, 0),
                cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(1, 0.2 * (i % 2), 0)), -QUARTER_TURN)};
            def.a = i > 0 ? link[i - 1] : (cairn_body){0, 0};
            def.b = link[i];
            def.coordinate = CAIRN_COORDINATE_TURN;
            def.motor = i == 1;
            def.speed = 2.0;
            def.motor_limit = 30.0;
            def.stiffness = i == 2 ? 20.0 : 0.0;
            def.damping = i == 2 ? 3.0 : 0.0;
            def.friction = i == 3 ? 5.0 : 0.0;
            def.motion = i == 4 ? wave : NULL;
            CHECK(cairn_world_add_joint(s.world, &def, &id) == CAIRN_OK);
        }
        balance b = begin(&s, LINKS, link);
        for (int i = 0; i < 100; i++) {
            CHECK(cairn_world_push(s.world, link[2], cairn_vec3_of(0, 3, 0), cairn_vec3_of(0.1, 0, 0.2)) == CAIRN_OK);
            CHECK(left_over(&s, &b, LINKS, link, 0.01 / substeps, down) < 1e-8);
        }
        CHECK(fabs(b.work.joints) > 1e-3 * b.scale && b.work.loads != 0.0);
        scene_end(&s);
    }
}

/* Dry friction of a hinge stops a wheel: it takes all that the wheel had. A plate that rises lifts a box: m g times the way, and what sets it moving. */
TEST(drives_in_closed_form) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, none);
    cairn_body wheel = scene_mass(&s, none, 2.0, cairn_vec3_of(0.5, 0.5, 0.5));
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint id;
    def.kind = CAIRN_JOINT_REVOLUTE;
    def.b = wheel;
    def.coordinate = CAIRN_COORDINATE_TURN;
    def.friction = 1.5;
    CHECK(cairn_world_add_joint(s.world, &def, &id) == CAIRN_OK);
    CHECK(cairn_world_set_velocity(s.world, wheel, none, cairn_vec3_of(0, 0, 2)) == CAIRN_OK);
    cairn_energy sum = {0};
    for (int i = 0; i < 100; i++) {
        cairn_step_report r = scene_step(&s); /* the last ones have velocities of 1e-320 */
        cairn_energy_add(&sum, &r.energy);
    }
    CHECK_NEAR(sum.joints, -0.5 * 0.5 * 4.0, 1e-9);
    scene_end(&s);

    s = scene_make(1, 0.01, 0.5, 0.0, down);
    cairn_body plate = scene_box(&s, cairn_vec3_of(1, 1, 0.1), CAIRN_BODY_KINEMATIC, cairn_pose_at(0, 0, -0.1));
    cairn_body box = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1));
    CHECK(cairn_world_set_velocity(s.world, plate, cairn_vec3_of(0.5, 0, 0.4), none) == CAIRN_OK);
    double m = scene_state(&s, box).mass;
    sum = (cairn_energy){0};
    for (int i = 0; i < 100; i++) {
        cairn_step_report r = scene_step(&s);
        cairn_energy_add(&sum, &r.energy);
    }
    /* the first step gives it the plate's speed: half of that work becomes kinetic energy, half is lost in the impact and to friction */
    double kinetic = 0.5 * m * (0.25 + 0.16), first = 9.81 * 0.01 * 0.4 * m;
    CHECK_NEAR(sum.loads, 2.0 * kinetic + m * 9.81 * 0.4 * 1.0, 1e-6);
    CHECK_NEAR(sum.impact + sum.friction, kinetic + 0.5 * first, 1e-6);
    scene_end(&s);
}

/* Slivers that turn by up to fifty radians a step, about no axis of theirs: their energy stays, in every step. */
TEST(fast_spin_makes_no_energy) {
    scene s = scene_make(1, 0.0125, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
    static const double spin[] = {3.0, 30.0, 300.0, 1600.0, 4000.0};
    cairn_body body[5];
    for (int i = 0; i < 5; i++) {
        body[i] = scene_mass(&s, cairn_vec3_of(i, 0, 0), 0.05, cairn_vec3_of(2e-6, 3e-5, 3.1e-5));
        cairn_vec3 w = cairn_vec3_of(0.15 * spin[i], -spin[i], 0.13 * spin[i]);
        CHECK(cairn_world_set_velocity(s.world, body[i], cairn_vec3_of(0, 0, 0), w) == CAIRN_OK);
    }
    double before = cairn_world_energy(s.world).kinetic;
    for (int k = 0; k < 200; k++) {
        double now = scene_step(&s).energy.kinetic;
        CHECK_NEAR(now, before, 1e-4 * before);
        if (!(now < 2.0 * before))
            break;
    }
    scene_end(&s);
}

int main(void) {
    RUN(contacts);
    RUN(losses_in_closed_form);
    RUN(joints);
    RUN(drives_in_closed_form);
    RUN(fast_spin_makes_no_energy);
    return test_end();
}
