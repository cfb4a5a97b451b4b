/*
 * test_world_allowance.c: no step takes more work than a bound, whatever it is asked; what that leaves undone is told, and enters nothing.
 */
#include "world/model/world_data.h"
#include "support/world_scene.h"

#include <string.h>

#define BOUND 20000.0

/* As the random worlds count it. */
static double work_of(const cairn_step_report *r) {
    return r->most_iterations + 20.0 * r->most_factorizations + 10.0 * r->solves;
}

static cairn_shape *box(const scene *s, double x, double y, double z) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_box(s->context, cairn_vec3_of(x, y, z), &shape) == CAIRN_OK);
    return shape;
}

/* Six walls around a cube. */
static void add_room(scene *s, double half) {
    const cairn_vec3 none = {0, 0, 0};
    for (int side = -1; side <= 1; side += 2) {
        scene_add(s, box(s, 0.1, half, half), CAIRN_BODY_FIXED, cairn_pose_at(side * (half + 0.1), 0, 0), none, none);
        scene_add(s, box(s, half, 0.1, half), CAIRN_BODY_FIXED, cairn_pose_at(0, side * (half + 0.1), 0), none, none);
        scene_add(s, box(s, half, half, 0.1), CAIRN_BODY_FIXED, cairn_pose_at(0, 0, side * (half + 0.1)), none, none);
    }
}

/* Blades that whirl against the walls of a room, and each other: hundreds of impacts in each step. None leaves the room, and none is left beyond a wall where the step has no work left. */
TEST(whirling_blades) {
    scene s = scene_make_to(1e-6, 1, 0.05, 0.0, 0.9, cairn_vec3_of(0, 0, -9.81));
    cairn_body blade[12];
    double most = 0.0, deepest = 0.0;
    int told = 0;
    add_room(&s, 0.35);
    for (int i = 0; i < 12; i++)
        blade[i] = scene_add(&s, box(&s, 0.1, 0.02, 0.002), CAIRN_BODY_DYNAMIC,
                             cairn_pose_at(0.22 * (i % 3 - 1), 0.3 * (i / 3 % 2) - 0.15, 0.3 * (i / 6) - 0.15),
                             cairn_vec3_of(i % 5 - 2, i % 3 - 1, 0), cairn_vec3_of(5e3 * (i % 4 - 1.5), 50 * i, 1e4));
    for (int i = 0; i < 20; i++) {
        cairn_step_report r = {0};
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        CHECK(r.certified || r.info.note[0] != '\0');
        most = fmax(most, work_of(&r));
        deepest = fmax(deepest, r.depth);
        told += !r.certified;
        for (int k = 0; k < 12; k++) {
            cairn_vec3 x = scene_state(&s, blade[k]).center;
            CHECK(fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))) < 0.35);
        }
    }
    printf("whirling blades: %d of 20 steps told, work %.0f, %.2g m deep\n", told, most, deepest);
    CHECK(most <= BOUND);
    CHECK(told > 0 && told <= 12);
    CHECK(deepest <= 0.01 * 0.004); /* the depth tolerance, in steps with nothing left too */
    scene_end(&s);
}

/* One blade that whirls at 1e4 rad/s in a box hardly larger than it. Parts that begin near the impulses of the one before cost little. */
TEST(parts_are_cheap) {
    scene s = scene_make_to(1e-6, 1, 0.01, 0.0, 0.9, cairn_vec3_of(0, 0, -9.81));
    double sum = 0.0;
    int parts = 0;
    add_room(&s, 0.11);
    scene_add(&s, box(&s, 0.1, 0.02, 0.002), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0), cairn_vec3_of(1, 0, -10),
              cairn_vec3_of(0, 1e4, 0));
    for (int i = 0; i < 20; i++) {
        cairn_step_report r = {0};
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        sum += work_of(&r);
        parts += r.substeps;
    }
    printf("parts: %d, work %.0f\n", parts, sum);
    CHECK(parts > 60 && sum <= 100.0 * parts);
    scene_end(&s);
}

/* A chain of heavy and light links between walls that are further apart than it is long: no motion closes its joints. */
TEST(joints_beyond_reach) {
    scene s = scene_make_to(1e-6, 1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, -9.81));
    const cairn_vec3 none = {0, 0, 0};
    cairn_body last = scene_add(&s, box(&s, 0.1, 0.1, 0.1), CAIRN_BODY_FIXED, cairn_pose_at(-0.2, 0, 0), none, none);
    double most = 0.0;
    int told = 0;
    for (int i = 0; i <= 10; i++) {
        bool wall = i == 10;
        cairn_body next = scene_add(&s, box(&s, i % 2 ? 0.002 : 0.09, 0.05, 0.05),
                                    wall ? CAIRN_BODY_FIXED : CAIRN_BODY_DYNAMIC,
                                    cairn_pose_at(0.2 * i + (wall ? 0.5 : 0.0), 0, 0), none, none);
        cairn_joint_def def = cairn_default_joint_def();
        cairn_joint joint;
        def.kind = CAIRN_JOINT_SPHERICAL;
        def.a = last;
        def.b = next;
        def.frame = cairn_pose_at(0.2 * i - 0.1, 0, 0);
        def.has_frame_b = wall;
        def.frame_b = cairn_pose_at(0.2 * i + 0.4, 0, 0);
        CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
        last = next;
    }
    for (int i = 0; i < 20; i++) {
        cairn_step_report r = {0};
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        most = fmax(most, work_of(&r));
        told += !r.certified;
    }
    printf("joints beyond reach: %d of 20 steps told, work %.0f\n", told, most);
    CHECK(told == 20 && most <= BOUND);
    scene_end(&s);
}

/* A contact that an answer closes and that no solve has had: its bodies wait where they meet, and with them those that they are connected with. */
TEST(missed_contacts_are_waited_for) {
    scene s = scene_make(1, 0.01, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < 3; i++) /* the first two touch, the third comes at 10 m/s from 20 mm */
        scene_ball(&s, 0.1, cairn_vec3_of(0.2 * i + (i == 2 ? 0.02 : 0.0), 0, 0),
                   cairn_vec3_of(i == 2 ? -10.0 : 0.0, 0, 0));
    cairn_world *w = s.world;
    w->h = 0.01;
    CHECK(cairn_world_look(w) == CAIRN_OK);
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].active = true;
    CHECK(w->now.count == 2 && cairn_world_split(w, false) == CAIRN_OK);
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].solved = w->now.item[i].gap < 1e-9;
    memset(w->end_spin, 0, (size_t)w->slots * sizeof *w->end_spin);
    cairn_world_no_waits(w);
    cairn_world_join_waits(w);
    for (int i = 1; i < w->slots; i++)
        CHECK_NEAR(w->until[i], 0.002, 1e-12);
    scene_end(&s);
}

int main(void) {
    RUN(missed_contacts_are_waited_for);
    RUN(whirling_blades);
    RUN(parts_are_cheap);
    RUN(joints_beyond_reach);
    return test_end();
}
