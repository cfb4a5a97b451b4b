/*
 * test_world_mesh.c: bodies on meshes: inner edges are not felt, kinematic meshes carry, moving meshes are refused.
 */
#include "mesh_samples.h"
#include "world_scene.h"

static sample_mesh m;

static cairn_body add_mesh(scene *s, cairn_body_kind kind, cairn_pose pose, cairn_vec3 v) {
    return scene_add(s, sample_shape(s->context, &m), kind, pose, v, cairn_vec3_of(0, 0, 0));
}

static cairn_body_state state_of(const scene *s, cairn_body body) {
    cairn_body_state state = {0};
    CHECK(cairn_world_body(s->world, body, &state) == CAIRN_OK);
    return state;
}

static cairn_shape *shape_of(scene *s, int kind) {
    cairn_shape *shape = NULL;
    cairn_status status = kind == 0   ? cairn_shape_box(s->context, cairn_vec3_of(0.15, 0.1, 0.05), &shape)
                          : kind == 1 ? cairn_shape_sphere(s->context, 0.05, &shape)
                          : kind == 2 ? cairn_shape_cylinder(s->context, 0.1, 0.05, &shape)
                                      : cairn_shape_capsule(s->context, 0.05, 0.1, &shape);
    CHECK(status == CAIRN_OK);
    return shape;
}

/* Without friction nothing on an even floor changes a velocity, whatever the floor is made of. */
TEST(slides_without_noticing_edges) {
    test_random r = {9};
    sample_floor(&m, &r, 40, 4.0, NULL);
    for (int kind = 0; kind < 4; kind++) {
        scene s = scene_make(1, 0.01, 0.0, 0.0, cairn_vec3_of(0, 0, -9.81));
        add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
        cairn_pose pose = {{-2.0, -1.0, 0.05}, {1, 0, 0, 0}};
        if (kind == 3)
            pose.rotation = cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN);
        cairn_body body = scene_add(&s, shape_of(&s, kind), CAIRN_BODY_DYNAMIC, pose, cairn_vec3_of(1.7, 0.9, 0.0),
                                    cairn_vec3_of(0, 0, 0));
        double worst = 0.0, turn = 0.0;
        for (int i = 0; i < 200; i++) {
            cairn_step_report report;
            CHECK(cairn_world_step(s.world, &report) == CAIRN_OK && report.certified);
            cairn_body_state b = state_of(&s, body);
            worst = fmax(worst, cairn_vec3_length(cairn_vec3_sub(b.velocity, cairn_vec3_of(1.7, 0.9, 0.0))));
            turn = fmax(turn, cairn_vec3_length(b.angular_velocity));
        }
        CHECK_NEAR(worst, 0.0, 1e-9);
        CHECK_NEAR(turn, 0.0, 1e-8);
        CHECK(state_of(&s, body).center.x > 1.3);
        scene_end(&s);
    }
}

/* With friction a box stops where it stops on a plane, and a ball rolls as on a plane. */
TEST(rubs_as_on_a_plane) {
    test_random r = {10};
    sample_floor(&m, &r, 30, 4.0, NULL);
    for (int kind = 0; kind < 2; kind++) {
        cairn_vec3 end[2], spin[2];
        for (int plane = 0; plane < 2; plane++) {
            scene s = scene_make(1, 0.005, 0.3, 0.0, cairn_vec3_of(0, 0, -9.81));
            if (plane)
                scene_plane(&s, cairn_quat_identity());
            else
                add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
            cairn_body body = scene_add(&s, shape_of(&s, kind), CAIRN_BODY_DYNAMIC, cairn_pose_at(-1.0, 0.0, 0.05),
                                        cairn_vec3_of(2.0, 0.5, 0.0), cairn_vec3_of(0, 0, kind == 0 ? 1.0 : 0.0));
            for (int i = 0; i < 150; i++)
                CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
            end[plane] = state_of(&s, body).center;
            spin[plane] = state_of(&s, body).angular_velocity;
            scene_end(&s);
        }
        CHECK(cairn_vec3_length(cairn_vec3_sub(end[0], end[1])) < 1e-6);
        CHECK(cairn_vec3_length(cairn_vec3_sub(spin[0], spin[1])) < 1e-5);
        CHECK(end[1].x > -0.4);
    }
}

static double bowl(double x, double y) {
    return 0.1 * (x * x + y * y);
}

/* Balls and boxes come to rest in a bowl and do not sink in; fast ones do not go through. */
TEST(stays_in_a_bowl) {
    test_random r = {12};
    sample_floor(&m, &r, 30, 3.0, bowl);
    scene s = scene_make(2, 0.01, 0.4, 0.0, cairn_vec3_of(0, 0, -9.81));
    add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
    cairn_body body[8];
    for (int i = 0; i < 8; i++)
        body[i] = scene_add(&s, shape_of(&s, i % 4), CAIRN_BODY_DYNAMIC,
                            cairn_pose_at(0.5 * (i % 3) - 0.5, 0.5 * (i / 3) - 0.5, 1.0 + 0.1 * i),
                            cairn_vec3_of(0, 0, i < 4 ? 0.0 : -30.0), cairn_vec3_of(i, 1, 0));
    for (int i = 0; i < 200; i++) {
        cairn_step_report report;
        CHECK(cairn_world_step(s.world, &report) == CAIRN_OK && report.certified);
        CHECK(report.deepest < 5e-3); /* a cylinder that tumbles by 0.17 rad a step */
    }
    for (int i = 0; i < 8; i++) {
        cairn_vec3 x = state_of(&s, body[i]).center;
        CHECK(x.z > bowl(x.x, x.y));
    }
    scene_end(&s);
}

/* A kinematic mesh lifts and carries what lies on it. */
TEST(kinematic_mesh_carries) {
    test_random r = {13};
    sample_floor(&m, &r, 8, 1.0, NULL);
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    add_mesh(&s, CAIRN_BODY_KINEMATIC, cairn_pose_identity(), cairn_vec3_of(0.5, 0, 0.2));
    cairn_body body = scene_add(&s, shape_of(&s, 0), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.05),
                                cairn_vec3_of(0.5, 0, 0.2), cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < 100; i++)
        CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
    cairn_vec3 x = state_of(&s, body).center;
    CHECK_NEAR(x.x, 0.5, 1e-6);
    CHECK_NEAR(x.z, 0.25, 1e-6);
    scene_end(&s);
}

TEST(free_mesh_is_refused) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
    sample_box(&m, 1, cairn_vec3_of(1, 1, 1));
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    def.shape = sample_shape(s.context, &m);
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "a body that moves freely needs convex pieces: a compound of hulls");
    cairn_shape_release(def.shape);
    scene_end(&s);
}

int main(void) {
    RUN(slides_without_noticing_edges);
    RUN(rubs_as_on_a_plane);
    RUN(stays_in_a_bowl);
    RUN(kinematic_mesh_carries);
    RUN(free_mesh_is_refused);
    return test_end();
}
