/*
 * test_world_share.c: gap_share, gamma of [A]: how much of a gap or an overlap a step closes.
 */
#include "support/world_scene.h"

static scene make(double share, cairn_vec3 gravity) {
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    def.gravity = gravity;
    def.gap_share = share;
    def.solver.tolerance = 1e-10;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    CHECK(cairn_world_add_material(s.world, &m, &s.material) == CAIRN_OK);
    return s;
}

static const double shares[] = {0.1, 0.5, 0.9, 1.0};
enum { SHARES = sizeof shares / sizeof shares[0] };

/* v_N = -gamma gap/h when it is hit, so (1 - gamma)^k of the gap is left after k steps. */
TEST(ball_that_comes_near) {
    for (int i = 0; i < SHARES; i++) {
        scene s = make(shares[i], cairn_vec3_of(0, 0, 0));
        scene_plane(&s, (cairn_quat){1, 0, 0, 0});
        cairn_body ball = scene_ball(&s, 0.5, cairn_vec3_of(0, 0, 0.52), cairn_vec3_of(0, 0, -10));
        for (int k = 1; k <= 6; k++) {
            scene_step(&s);
            CHECK_NEAR(scene_state(&s, ball).center.z - 0.5, 0.02 * pow(1.0 - shares[i], k), 1e-11);
        }
        scene_end(&s);
    }
}

/* An overlap that velocities are left with, below g h^2/4, goes in the same way: weight keeps the contact closed, and nothing is thrown. */
TEST(overlap_that_goes) {
    for (int i = 0; i < SHARES; i++) {
        scene s = make(shares[i], cairn_vec3_of(0, 0, -9.81));
        scene_plane(&s, (cairn_quat){1, 0, 0, 0});
        cairn_body ball = scene_ball(&s, 0.5, cairn_vec3_of(0, 0, 0.5 - 2e-4), cairn_vec3_of(0, 0, 0));
        for (int k = 1; k <= 4; k++) {
            scene_step(&s);
            double left = 2e-4 * pow(1.0 - shares[i], k), touching = 1e-8;
            CHECK_NEAR(scene_state(&s, ball).center.z - 0.5, -left, touching);
        }
        scene_end(&s);
    }
}

/* A joint that is open by less than what is closed on positions. */
TEST(joint_that_closes) {
    for (int i = 0; i < SHARES; i++) {
        scene s = make(shares[i], cairn_vec3_of(0, 0, 0));
        cairn_joint_def d = cairn_default_joint_def();
        cairn_joint joint;
        d.kind = CAIRN_JOINT_SPHERICAL;
        d.b = scene_mass(&s, cairn_vec3_of(1, 0, 0), 2.0, cairn_vec3_of(0.1, 0.1, 0.1));
        d.has_frame_b = true;
        d.frame_b = cairn_pose_at(5e-5, 0, 0);
        CHECK(cairn_world_add_joint(s.world, &d, &joint) == CAIRN_OK);
        for (int k = 1; k <= 3; k++) {
            cairn_step_report r = scene_step(&s);
            CHECK_NEAR(r.joint_gap, 5e-5 * pow(1.0 - shares[i], k), 1e-10);
        }
        scene_end(&s);
    }
}

/* What gives way lies as deep as its give says, whatever the share: weight times compliance. */
TEST(give_is_not_concerned) {
    for (int i = 0; i < SHARES; i++) {
        scene s = make(shares[i], cairn_vec3_of(0, 0, -9.81));
        cairn_material_def m = cairn_default_material_def();
        m.compliance = 1e-7;
        CHECK(cairn_world_add_material(s.world, &m, &s.material) == CAIRN_OK);
        scene_plane(&s, (cairn_quat){1, 0, 0, 0});
        cairn_body ball = scene_ball(&s, 0.5, cairn_vec3_of(0, 0, 0.5), cairn_vec3_of(0, 0, 0));
        double mass = scene_state(&s, ball).mass, depth = 9.81 * mass * 2e-7;
        for (int k = 0; k < 200; k++)
            scene_step(&s);
        CHECK_NEAR(scene_state(&s, ball).center.z - 0.5, -depth, 1e-6 * depth);
        scene_end(&s);
    }
}

TEST(bad_shares) {
    static const double bad[] = {0.0, -1.0, 1.0000001, NAN, INFINITY};
    cairn_context *context = plain_context(1);
    for (int i = 0; i < 5; i++) {
        cairn_world *world = NULL;
        cairn_world_def def = cairn_default_world_def();
        def.gap_share = bad[i];
        CHECK(cairn_world_create(context, &def, &world) == CAIRN_ERROR_ARGUMENT && world == NULL);
        CHECK_CONTAINS(cairn_error_message(context), "gap_share is");
    }
    cairn_scene *read = NULL;
    const char *text = "{\"gap_share\": 1.5}";
    CHECK(cairn_scene_parse(context, text, strlen(text), "x", NULL, 0, &read) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "gap_share: expected a number above 0, at most 1, found 1.5");
    cairn_context_destroy(context);
}

int main(void) {
    RUN(ball_that_comes_near);
    RUN(overlap_that_goes);
    RUN(joint_that_closes);
    RUN(give_is_not_concerned);
    RUN(bad_shares);
    return test_end();
}
