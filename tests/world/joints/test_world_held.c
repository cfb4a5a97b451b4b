/*
 * test_world_held.c: bodies whose motion joints decide (world/island/prescribed_bodies.c): what they touch moves as if they were driven bodies, their mechanism takes one factorisation and carries the
 * load, and what cannot be taken apart is solved as one.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0}, ahead = {1, 0, 0};

enum { STEPS = 60 };
static const double h = 0.01;

/* Way of the paddle, m. */
static double forward(void *user, double t) {
    (void)user;
    return 0.3 * t + 0.6 * t * t;
}

static double one_ahead(void *user, double t) {
    return (user != NULL ? -1.0 : 1.0) * t;
}

static double two_ahead(void *user, double t) {
    (void)user;
    return 2.0 * t;
}

/* A slider along d from a (all zero: the ground) to b through point p; motion NULL: it slides freely. */
static cairn_joint slider(scene *s, cairn_body a, cairn_body b, cairn_vec3 p, cairn_vec3 d,
                          double (*motion)(void *, double), void *user) {
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint = {0, 0};
    def.kind = CAIRN_JOINT_PRISMATIC;
    def.a = a;
    def.b = b;
    def.frame = (cairn_pose){p, d.z == 1.0 ? cairn_quat_identity()
                                           : cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN)};
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.motion = motion;
    def.motion_user = user;
    CHECK(cairn_world_add_joint(s->world, &def, &joint) == CAIRN_OK);
    return joint;
}

/* A paddle pushes three boxes, two of them stacked, over the floor; and a door, when there is one. rails: it is held by an arm of two bodies that a slider drives; else it is a driven
 * body. */
typedef struct pushing {
    scene s;
    cairn_body paddle, box[3], door;
    cairn_joint drive;
} pushing;

static pushing make_pushing(int threads, bool rails, bool with_door) {
    pushing p = {.s = scene_make(threads, h, 0.4, 0.0, down)};
    cairn_body ground = {0, 0};
    scene_plane(&p.s, (cairn_quat){1, 0, 0, 0});
    p.paddle = scene_box(&p.s, cairn_vec3_of(0.1, 0.5, 0.1), rails ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_KINEMATIC,
                         cairn_pose_at(-0.35, 0, 0.2));
    for (int i = 0; i < 3; i++)
        p.box[i] = scene_box(&p.s, cairn_vec3_of(0.2, 0.2, 0.2), CAIRN_BODY_DYNAMIC,
                             cairn_pose_at(i == 2 ? 0.45 : 0.0, 0.05 * i, i == 1 ? 0.6 : 0.2));
    if (rails) {
        cairn_body arm = scene_mass(&p.s, cairn_vec3_of(-2, 0, 1), 50.0, cairn_vec3_of(5, 5, 5));
        cairn_joint_def grip = cairn_default_joint_def();
        cairn_joint joint;
        p.drive = slider(&p.s, ground, arm, cairn_vec3_of(-2, 0, 1), ahead, forward, NULL);
        grip.kind = CAIRN_JOINT_FIXED;
        grip.a = arm;
        grip.b = p.paddle;
        grip.frame = cairn_pose_at(-1, 0, 0.5);
        CHECK(cairn_world_add_joint(p.s.world, &grip, &joint) == CAIRN_OK);
    }
    if (with_door) {
        cairn_joint_def hinge = cairn_default_joint_def();
        cairn_joint joint;
        p.door = scene_box(&p.s, cairn_vec3_of(0.05, 0.4, 0.4), CAIRN_BODY_DYNAMIC, cairn_pose_at(-0.1, 0.75, 0.5));
        hinge.kind = CAIRN_JOINT_REVOLUTE;
        hinge.b = p.door;
        hinge.frame = cairn_pose_at(-0.1, 1.15, 0.5);
        CHECK(cairn_world_add_joint(p.s.world, &hinge, &joint) == CAIRN_OK);
    }
    return p;
}

/* Sum of the impulses on this body along x over h, N. */
static double push_on(const scene *s, cairn_body body) {
    double sum = 0.0;
    for (int i = 0; i < cairn_world_contact_count(s->world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s->world, i, &c) == CAIRN_OK);
        double sign = c.b.slot == body.slot ? 1.0 : c.a.slot == body.slot ? -1.0 : 0.0;
        sum += sign * c.impulse.x / h;
    }
    return sum;
}

/* The boxes go where a driven paddle pushes them. The mechanism is factored once, whatever happens at the boxes, and its slider carries what these push back with. */
TEST(paddle_on_rails_pushes_as_a_driven_one) {
    pushing p = make_pushing(1, true, false), q = make_pushing(1, false, false);
    double pushed = 0.0, mass_arm = 50.0, mass_paddle = 1000.0 * 0.2 * 1.0 * 0.2;
    for (int i = 0; i < STEPS; i++) {
        double t = i * h, v = (forward(NULL, t + h) - forward(NULL, t)) / h;
        double before = scene_state(&p.s, p.paddle).velocity.x;
        cairn_joint_state drive;
        CHECK(cairn_world_set_velocity(q.s.world, q.paddle, cairn_vec3_of(v, 0, 0), none) == CAIRN_OK);
        cairn_step_report r = scene_step(&p.s);
        scene_step(&q.s);
        CHECK(r.jointed_factorizations <= 1 && r.jointed_iterations <= 2 && r.islands > 1);
        for (int k = 0; k < 3; k++) {
            cairn_vec3 a = scene_state(&p.s, p.box[k]).center, b = scene_state(&q.s, q.box[k]).center;
            CHECK(cairn_vec3_length(cairn_vec3_sub(a, b)) < 1e-7);
        }
        CHECK(cairn_world_joint(p.s.world, p.drive, &drive) == CAIRN_OK);
        double back = push_on(&p.s, p.paddle);
        CHECK_NEAR(drive.drive, (mass_arm + mass_paddle) * (v - before) / h - back, 1e-6 * (1.0 + fabs(drive.drive)));
        pushed = fmin(pushed, back);
    }
    CHECK(pushed < -500.0);
    CHECK(scene_state(&p.s, p.box[2]).center.x > 0.6);
    scene_end(&p.s);
    scene_end(&q.s);
}

/* A door on its hinge is a mechanism too, but none that holds anything: the paddle still is a body whose motion is given. */
TEST(held_body_pushes_a_door) {
    pushing p = make_pushing(1, true, true), q = make_pushing(1, false, true);
    for (int i = 0; i < STEPS; i++) {
        double t = i * h, v = (forward(NULL, t + h) - forward(NULL, t)) / h;
        CHECK(cairn_world_set_velocity(q.s.world, q.paddle, cairn_vec3_of(v, 0, 0), none) == CAIRN_OK);
        scene_step(&p.s);
        scene_step(&q.s);
    }
    cairn_body_state a = scene_state(&p.s, p.door), b = scene_state(&q.s, q.door);
    CHECK(cairn_vec3_length(cairn_vec3_sub(a.center, b.center)) < 1e-6);
    CHECK(fabs(a.pose.rotation.z) > 0.05); /* it was opened */
    scene_end(&p.s);
    scene_end(&q.s);
}

static double around(void *user, double t) {
    (void)user;
    return 1.5 * t;
}

/* A bar that a hinge turns about an axis that is none of its own, so that it would wobble if it could, sweeps a box away like one that is driven. */
TEST(bar_that_turns_askew) {
    cairn_vec3 end[2];
    for (int kind = 0; kind < 2; kind++) {
        scene s = scene_make_to(1e-8, 1, h, 0.4, 0.0, down);
        cairn_vec3 up = {0, 0, 1};
        cairn_pose askew = {{0, 0, 0.3}, cairn_quat_turn(cairn_vec3_of(0, 1, 0), 0.2)};
        scene_plane(&s, (cairn_quat){1, 0, 0, 0});
        cairn_body bar = scene_box(&s, cairn_vec3_of(0.8, 0.05, 0.05),
                                   kind == 0 ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_KINEMATIC, askew);
        cairn_body box = scene_box(&s, cairn_vec3_of(0.2, 0.2, 0.25), CAIRN_BODY_DYNAMIC,
                                   cairn_pose_at(0.6, 0.5, 0.25));
        if (kind == 0) {
            cairn_joint_def hinge = cairn_default_joint_def();
            cairn_joint joint;
            hinge.kind = CAIRN_JOINT_REVOLUTE;
            hinge.b = bar;
            hinge.frame = cairn_pose_at(0, 0, 0.3);
            hinge.coordinate = CAIRN_COORDINATE_TURN;
            hinge.motion = around;
            CHECK(cairn_world_add_joint(s.world, &hinge, &joint) == CAIRN_OK);
        } else {
            CHECK(cairn_world_set_velocity(s.world, bar, none, cairn_vec3_scale(1.5, up)) == CAIRN_OK);
        }
        scene_run(&s, 100);
        end[kind] = scene_state(&s, box).center;
        scene_end(&s);
    }
    CHECK(fabs(end[0].x - 0.6) > 0.05);
    CHECK(cairn_vec3_length(cairn_vec3_sub(end[0], end[1])) < 1e-5);
}

/* The same bits with any number of threads. */
TEST(threads_give_the_same_bits) {
    cairn_body_state end[3][4];
    static const int threads[] = {1, 2, 4};
    for (int k = 0; k < 3; k++) {
        pushing p = make_pushing(threads[k], true, true);
        scene_run(&p.s, STEPS);
        for (int i = 0; i < 4; i++)
            end[k][i] = scene_state(&p.s, i < 3 ? p.box[i] : p.door);
        scene_end(&p.s);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0 && memcmp(end[0], end[2], sizeof end[0]) == 0);
}

/* An elastic ball is hit from below by a plate that rises at 2 m/s: it leaves as from a driven plate, with twice the speed of the plate more than it came with. */
TEST(ball_rebounds_from_a_held_plate) {
    double top[2];
    for (int kind = 0; kind < 2; kind++) {
        scene s = scene_make(1, 0.01, 0.0, 1.0, down);
        cairn_body ground = {0, 0},
                   plate = scene_box(&s, cairn_vec3_of(1, 1, 0.1),
                                     kind == 0 ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_KINEMATIC, cairn_pose_at(0, 0, 0));
        cairn_body ball = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, 0.511), none);
        if (kind == 0)
            slider(&s, ground, plate, none, cairn_vec3_of(0, 0, 1), two_ahead, NULL);
        else
            CHECK(cairn_world_set_velocity(s.world, plate, cairn_vec3_of(0, 0, 2), none) == CAIRN_OK);
        scene_run(&s, 20);
        top[kind] = scene_state(&s, ball).velocity.z;
        scene_end(&s);
    }
    CHECK_NEAR(top[0], top[1], 1e-9);
    CHECK_NEAR(top[0], 4.0 - 9.81 * (0.2 - 2.0 * 0.14), 0.7); /* it falls until 0.14 s */
}

/* Two carriages come towards each other at 1 m/s. Each carries a bead on a rod, and drives that of the other one before it: each mechanism would wait for the other, so they
 * are one problem, and each drive carries the blow at once. */
TEST(mechanisms_that_lean_on_each_other) {
    scene s = scene_make(1, h, 0.0, 0.0, none);
    cairn_body ground = {0, 0}, carriage[2], bead[2];
    cairn_joint drive[2];
    double mass = 1000.0 * 0.2 * 0.2 * 3.0, worst = 0.0, most = 0.0;
    static char other_way;
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? 1.0 : -1.0;
        carriage[i] = scene_box(&s, cairn_vec3_of(0.1, 0.1, 1.5), CAIRN_BODY_DYNAMIC, cairn_pose_at(-sign, 0, 0));
        bead[i] = scene_ball(&s, 0.1, cairn_vec3_of(0.795 * sign, 0, sign), none);
        drive[i] = slider(&s, ground, carriage[i], cairn_vec3_of(-sign, 0, 0), ahead, one_ahead,
                          i == 0 ? NULL : &other_way);
        slider(&s, carriage[i], bead[i], cairn_vec3_of(0.795 * sign, 0, sign), ahead, NULL, NULL);
    }
    for (int i = 0; i < 30; i++) {
        double before = scene_state(&s, carriage[0]).velocity.x;
        cairn_joint_state state;
        scene_step(&s);
        CHECK(cairn_world_joint(s.world, drive[0], &state) == CAIRN_OK);
        double push = push_on(&s, carriage[0]);
        worst = fmax(worst, fabs(state.drive - mass * (scene_state(&s, carriage[0]).velocity.x - before) / h + push));
        most = fmin(most, push);
    }
    CHECK(worst < 1e-4 && most < -100.0);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(scene_state(&s, carriage[i]).velocity.x, i == 0 ? 1.0 : -1.0, 1e-8);
        CHECK_NEAR(scene_state(&s, bead[i]).velocity.x, i == 0 ? -1.0 : 1.0, 1e-8);
    }
    scene_end(&s);
}

/* Driven against a wall that does not give way, or two against each other: there is no such motion, and the steps say so. */
TEST(no_way_is_told) {
    for (int kind = 0; kind < 2; kind++) {
        scene s = scene_make_to(1e-8, 1, h, 0.3, 0.0, none);
        cairn_body ground = {0, 0}, box[2];
        static char other_way;
        for (int i = 0; i < 2; i++) {
            double x = i == 0 ? 0.0 : 0.405;
            box[i] = scene_box(&s, cairn_vec3_of(0.2, 0.2, 0.2),
                               i == 1 && kind == 0 ? CAIRN_BODY_FIXED : CAIRN_BODY_DYNAMIC, cairn_pose_at(x, 0, 0));
            if (i == 0 || kind == 1)
                slider(&s, ground, box[i], cairn_vec3_of(x, 0, 0), ahead, one_ahead, i == 0 ? NULL : &other_way);
        }
        int told = 0;
        for (int i = 0; i < 5; i++) {
            cairn_step_report r;
            CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
            told += !r.certified;
        }
        CHECK(told > 0);
        scene_end(&s);
    }
}

/* Two joints that want different motions of a body: what one of them says is not taken for its motion. */
TEST(joints_that_disagree_are_told) {
    scene s = scene_make_to(1e-8, 1, h, 0.3, 0.0, none);
    cairn_body ground = {0, 0},
               box = scene_box(&s, cairn_vec3_of(0.2, 0.2, 0.2), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0));
    scene_box(&s, cairn_vec3_of(0.2, 0.2, 0.2), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.4, 0, 0));
    slider(&s, ground, box, none, ahead, one_ahead, NULL);
    slider(&s, ground, box, none, ahead, two_ahead, NULL);
    cairn_step_report r;
    CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
    CHECK(!r.certified);
    scene_end(&s);
}

int main(void) {
    RUN(paddle_on_rails_pushes_as_a_driven_one);
    RUN(held_body_pushes_a_door);
    RUN(bar_that_turns_askew);
    RUN(threads_give_the_same_bits);
    RUN(ball_rebounds_from_a_held_plate);
    RUN(mechanisms_that_lean_on_each_other);
    RUN(no_way_is_told);
    RUN(joints_that_disagree_are_told);
    return test_end();
}
