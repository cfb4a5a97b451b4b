/*
 * test_world_changes.c: bodies and joints that come and go while a world runs, in contact and held by joints; names of what is gone; wrong calls.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};
static const cairn_quat straight = {1, 0, 0, 0};

/* The lowest box of a stack at rest is taken away: the others fall by the law, hit the floor and rest again. Nobody speaks of the one that is gone. */
TEST(a_body_in_contact_is_removed) {
    const double h = 0.01;
    scene s = scene_make(1, h, 0.5, 0.0, down);
    scene_plane(&s, straight);
    cairn_body box[3];
    for (int i = 0; i < 3; i++)
        box[i] = scene_box(&s, cairn_vec3_of(0.5, 0.5, 0.25), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.25 + 0.5 * i));
    scene_run(&s, 20);
    CHECK(cairn_world_contact_count(s.world) == 12);
    CHECK(cairn_world_remove_body(s.world, box[0]) == CAIRN_OK);
    CHECK(cairn_world_contact_count(s.world) == 4); /* those between the two that are left */
    cairn_body_state state;
    cairn_world_contact contact;
    CHECK(cairn_world_body(s.world, box[0], &state) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_push(s.world, box[0], none, none) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_remove_body(s.world, box[0]) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "no such body");
    for (int i = 0; i < 20; i++) {
        scene_step(&s);
        for (int c = 0; c < cairn_world_contact_count(s.world); c++)
            CHECK(cairn_world_contact_get(s.world, c, &contact) == CAIRN_OK && contact.a.slot != box[0].slot &&
                  contact.b.slot != box[0].slot);
    }
    CHECK_NEAR(scene_state(&s, box[2]).velocity.z, -9.81 * 20 * h, 1e-8);
    scene_run(&s, 80);
    CHECK_NEAR(scene_state(&s, box[1]).center.z, 0.25, 1e-6);
    CHECK_NEAR(scene_state(&s, box[2]).center.z, 0.75, 1e-6);
    /* one that takes the free slot has a name of its own, and no impulses of the old one */
    cairn_body fresh = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(3, 0, 2));
    CHECK(fresh.slot == box[0].slot && fresh.generation != box[0].generation);
    CHECK(cairn_world_body(s.world, box[0], &state) == CAIRN_ERROR_ARGUMENT);
    scene_step(&s);
    CHECK_NEAR(scene_state(&s, fresh).velocity.z, -9.81 * h, 1e-12);
    scene_end(&s);
}

/* A pendulum: its joint is cut at the bottom, it flies on; then a joint catches it again. */
TEST(a_body_held_by_a_joint_is_let_go) {
    const double h = 0.005;
    scene s = scene_make(1, h, 0.3, 0.0, down);
    cairn_body bob = scene_ball(&s, 0.1, cairn_vec3_of(1, 0, 0), none);
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint rope[2];
    def.kind = CAIRN_JOINT_SPHERICAL;
    def.b = bob;
    for (int i = 0; i < 2; i++) /* twice: one of them is redundant */
        CHECK(cairn_world_add_joint(s.world, &def, &rope[i]) == CAIRN_OK);
    CHECK(cairn_world_remove_body(s.world, bob) == CAIRN_ERROR_STATE);
    CHECK_CONTAINS(cairn_error_message(s.context), "a joint still holds it");
    while (scene_state(&s, bob).center.x > 0.0)
        scene_step(&s);
    cairn_body_state at = scene_state(&s, bob);
    CHECK(cairn_world_remove_joint(s.world, rope[0]) == CAIRN_OK);
    cairn_joint_state reaction;
    CHECK(cairn_world_joint(s.world, rope[0], &reaction) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "no such joint");
    scene_step(
        &s); /* the other one still holds: 3 m g at the bottom of a swing from the side, of a ball of this size a little less */
    CHECK(cairn_world_joint(s.world, rope[1], &reaction) == CAIRN_OK);
    CHECK_NEAR(reaction.force.z / (at.mass * 9.81), 3.0, 0.05);
    CHECK(cairn_world_remove_joint(s.world, rope[1]) == CAIRN_OK);
    at = scene_state(&s, bob);
    scene_run(&s, 40);
    CHECK_NEAR(scene_state(&s, bob).center.x, at.center.x + 40 * h * at.velocity.x, 1e-9);
    CHECK_NEAR(scene_state(&s, bob).velocity.z, at.velocity.z - 9.81 * 40 * h, 1e-9);
    def.frame.position = scene_state(&s, bob).center;
    CHECK(cairn_world_add_joint(s.world, &def, &rope[0]) == CAIRN_OK);
    CHECK(rope[0].generation > 1); /* a slot that was used, another name */
    cairn_step_report r = scene_step(&s);
    CHECK(r.joints == 1 && cairn_vec3_length(scene_state(&s, bob).velocity) < 1e-8);
    CHECK(cairn_world_remove_joint(s.world, rope[0]) == CAIRN_OK);
    CHECK(cairn_world_remove_body(s.world, bob) == CAIRN_OK);
    CHECK(scene_step(&s).bodies == 0);
    scene_end(&s);
}

/* What is asked wrongly is refused with a sentence, and nothing changes. */
TEST(wrong_calls) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, down);
    cairn_body box = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 1)), other;
    cairn_body_def def = {0};
    cairn_world_contact contact;
    cairn_world_hit hit;
    const cairn_problem *problem;
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "cairn_default_body_def");
    def = cairn_default_body_def();
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT); /* neither shape nor mass */
    cairn_mass mass = {.mass = 1.0, .inertia = {{{1, 0.1, 0}, {0.2, 1, 0}, {0, 0, 1}}}};
    def.mass = &mass;
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "not symmetric");
    mass.inertia.m[0][1] = 0.2;
    mass.inertia.m[2][2] = INFINITY;
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "not finite");
    mass.inertia.m[2][2] = 1.0;
    mass.center.y = NAN;
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "centre of mass");
    mass.center.y = 0.0;
    def.pose.rotation.x = NAN;
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "not a quaternion of length 1");
    def.pose.rotation.x = 0.0;
    def.kind = (cairn_body_kind)3;
    CHECK(cairn_world_add_body(s.world, &def, &other) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "no such kind");
    cairn_world_def wrong = cairn_default_world_def();
    cairn_world *world = NULL;
    wrong.law = (cairn_law)2;
    CHECK(cairn_world_create(s.context, &wrong, &world) == CAIRN_ERROR_ARGUMENT && world == NULL);
    CHECK_CONTAINS(cairn_error_message(s.context), "no such law");
    CHECK(cairn_world_problem(s.world, &problem) == CAIRN_ERROR_STATE);
    CHECK(cairn_world_contact_get(s.world, 0, &contact) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_contact_get(s.world, -1, &contact) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_set_velocity(s.world, box, cairn_vec3_of(NAN, 0, 0), none) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_push(s.world, box, cairn_vec3_of(INFINITY, 0, 0), none) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_ray(s.world, none, none, 1.0, NULL, NULL, &hit) == CAIRN_ERROR_ARGUMENT);
    scene_step(&s);
    CHECK_NEAR(scene_state(&s, box).velocity.z, -0.0981, 1e-14);
    scene_end(&s);
}

/* Many come and go: slots are used again, and what is left is what was left. */
TEST(slots_are_used_again) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, none);
    cairn_body body[50];
    for (int i = 0; i < 50; i++)
        body[i] = scene_ball(&s, 0.1, cairn_vec3_of(i, 0, 0), none);
    for (int i = 10; i < 40; i++)
        CHECK(cairn_world_remove_body(s.world, body[i]) == CAIRN_OK);
    for (int i = 10; i < 45; i++) {
        cairn_body b = scene_ball(&s, 0.1, cairn_vec3_of(i, 5, 0), none);
        CHECK(b.slot == (i < 40 ? body[i].slot : (uint32_t)(51 + i - 40))); /* the lowest that is free */
    }
    CHECK(scene_step(&s).bodies == 55);
    scene_end(&s);
}

/* A world that nothing was put into steps, and so does one that is empty again. */
TEST(nothing_moves) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, down);
    const cairn_problem *problem;
    cairn_world_hit hit;
    for (int i = 0; i < 3; i++)
        CHECK(scene_step(&s).bodies == 0);
    CHECK(cairn_world_problem(s.world, &problem) == CAIRN_ERROR_STATE);
    CHECK_CONTAINS(cairn_error_message(s.context), "nothing to solve");
    CHECK(cairn_world_ray(s.world, none, cairn_vec3_of(0, 0, 1), 1.0, NULL, NULL, &hit) == CAIRN_OK);
    CHECK(hit.body.generation == 0);
    scene_end(&s);
}

int main(void) {
    RUN(a_body_in_contact_is_removed);
    RUN(a_body_held_by_a_joint_is_let_go);
    RUN(wrong_calls);
    RUN(slots_are_used_again);
    RUN(nothing_moves);
    return test_end();
}
