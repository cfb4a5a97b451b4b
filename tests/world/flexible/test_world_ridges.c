/*
 * test_world_ridges.c: soft blocks on thin rigid edges with no node above them: the edges of the skin carry the weight, on boxes, hulls and meshes. And fast ones.
 */
#include "support/soft_scene.h"

#define G 9.81

static cairn_body soft_block(scene *s, cairn_vec3 edge, const int *cells, cairn_pose pose, double E) {
    return add_soft_box(s, edge, cells, soft_material(E, 0.02), pose, NULL, 0);
}

/* Corners of a prism with its sharp edge along y at z = 0, 0.1 wide and 0.2 deep at the bottom, 1 m long. */
static void prism_points(cairn_vec3 *p) {
    for (int i = 0; i < 2; i++) {
        double y = i == 0 ? -0.5 : 0.5;
        p[3 * i] = cairn_vec3_of(0, y, 0);
        p[3 * i + 1] = cairn_vec3_of(-0.05, y, -0.2);
        p[3 * i + 2] = cairn_vec3_of(0.05, y, -0.2);
    }
}

typedef enum ridge { RIDGE_BOX, RIDGE_HULL, RIDGE_MESH, RIDGE_SHEET, RIDGE_RIM, RIDGES } ridge;

static cairn_shape *ridge_shape(const scene *s, ridge kind) {
    cairn_vec3 p[6];
    cairn_shape *shape = NULL;
    const int solid[24] = {0, 4, 1, 0, 3, 4, 1, 5, 2, 1, 4, 5, 2, 3, 0, 2, 5, 3, 0, 1, 2, 3, 5, 4};
    const int sheet[12] = {0, 1, 4, 0, 4, 3, 2, 0, 3, 2, 3, 5}; /* both sides, seen from below: an open surface */
    const int rim[6] = {0, 1, 4, 0, 4, 3};                      /* one side: its upper rim carries */
    prism_points(p);
    cairn_status status = CAIRN_OK;
    if (kind == RIDGE_BOX)
        status = cairn_shape_box(s->context, cairn_vec3_of(0.001, 0.5, 0.1), &shape);
    else if (kind == RIDGE_HULL)
        status = cairn_shape_hull(s->context, 6, p, &shape);
    else if (kind == RIDGE_MESH)
        status = cairn_shape_mesh(s->context, 6, p, 8, solid, &shape);
    else
        status = cairn_shape_mesh(s->context, 6, p, kind == RIDGE_SHEET ? 4 : 2, kind == RIDGE_SHEET ? sheet : rim,
                                  &shape);
    CHECK(status == CAIRN_OK);
    return shape;
}

/* A block, thrown from `high` above, comes to rest on two slanted ridges with no node above either: they carry it, and it never sinks in. */
static void lie(ridge kind, double high, double speed, double h) {
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_vec3 none = {0, 0, 0};
    double level = kind == RIDGE_BOX ? -0.1 : 0.0, lowest = INFINITY, sum = 0.0;
    cairn_quat turn = cairn_quat_turn(cairn_vec3_of(0, 0, 1), 0.1);
    for (int i = 0; i < 2; i++)
        scene_add(&s, ridge_shape(&s, kind), CAIRN_BODY_FIXED, (cairn_pose){{i == 0 ? -0.11 : 0.09, 0, level}, turn},
                  none, none);
    const int cells[3] = {2, 2, 1};
    cairn_body block = soft_block(&s, cairn_vec3_of(0.4, 0.4, 0.1), cells, cairn_pose_at(0, 0, 0.05 + high), 1e6);
    CHECK(cairn_world_set_velocity(s.world, block, cairn_vec3_of(0, 0, -speed), none) == CAIRN_OK);
    for (int i = 0; i < (int)(1.0 / h); i++) {
        scene_step(&s);
        lowest = fmin(lowest, scene_state(&s, block).center.z);
    }
    for (int i = 0; i < cairn_world_contact_count(s.world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s.world, i, &c) == CAIRN_OK);
        sum += fabs(c.impulse.z) / h;
    }
    CHECK_NEAR(sum, 16.0 * G, 1e-3 * 16.0 * G);
    CHECK_NEAR(scene_state(&s, block).center.z, 0.05, 2e-4);
    CHECK(lowest > (speed < 5.0 ? 0.0495 : 0.045));
    scene_end(&s);
}

TEST(ridges_carry) {
    for (int kind = 0; kind < RIDGES; kind++) {
        lie((ridge)kind, 1e-4, 0.0, 0.01);
        lie((ridge)kind, 1e-4, 2.0, 0.02);
    }
}

/* 0.1 m in a step, as much as the block is thick. */
TEST(nothing_tunnels) {
    for (int kind = 0; kind < RIDGES; kind++)
        lie((ridge)kind, 0.33, 10.0, 0.01);
}

/* Two soft blocks meet with 10 to 40 m/s, up to two of their lengths in a step; and one that hits a thin plate. They never pass through. */
TEST(fast_blocks_meet) {
    for (int k = 0; k < 3; k++) {
        double h = 0.01, speed = 5.0 * (1 << k);
        scene s = scene_make(1, h, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
        const int cells[3] = {2, 2, 2}, other[3] = {3, 3, 3};
        cairn_vec3 none = {0, 0, 0};
        cairn_body a = soft_block(&s, cairn_vec3_of(0.2, 0.2, 0.2), cells, cairn_pose_at(-0.517, 0, 0), 1e8);
        cairn_body b = soft_block(&s, cairn_vec3_of(0.2, 0.2, 0.2), other, cairn_pose_at(0.5, 0, 0), 1e8);
        cairn_body c = soft_block(&s, cairn_vec3_of(0.2, 0.2, 0.2), cells, cairn_pose_at(-0.517, 5, 0), 1e8);
        scene_box(&s, cairn_vec3_of(0.002, 0.5, 0.5), CAIRN_BODY_FIXED, cairn_pose_at(0.013, 5, 0));
        CHECK(cairn_world_set_velocity(s.world, a, cairn_vec3_of(speed, 0, 0), none) == CAIRN_OK);
        CHECK(cairn_world_set_velocity(s.world, b, cairn_vec3_of(-speed, 0, 0), none) == CAIRN_OK);
        CHECK(cairn_world_set_velocity(s.world, c, cairn_vec3_of(2.0 * speed, 0, 0), none) == CAIRN_OK);
        for (int i = 0; i < 40; i++) {
            cairn_step_report r = scene_step(&s);
            CHECK(r.missed == 0);
            CHECK(scene_state(&s, a).center.x < scene_state(&s, b).center.x - 0.02);
            CHECK(scene_state(&s, c).center.x < 0.0);
        }
        CHECK(scene_state(&s, a).velocity.x < 0.1 * speed && scene_state(&s, b).velocity.x > -0.1 * speed);
        scene_end(&s);
    }
}

int main(void) {
    RUN(ridges_carry);
    RUN(nothing_tunnels);
    RUN(fast_blocks_meet);
    return test_end();
}
