/*
 * test_world_grip.c: round bodies on and between soft ones come to rest and stay there: no rocking of faces, no creep of what friction holds.
 */
#include "support/soft_scene.h"

#define G 9.81

static cairn_body soft_box(scene *s, cairn_vec3 edge, const int *cells, double E, cairn_pose pose,
                           const cairn_flexible_hold *hold) {
    cairn_fem_material elastic = soft_material(E, 0.02);
    elastic.nu = 0.4;
    return add_soft_box(s, edge, cells, elastic, pose, hold, hold != NULL);
}

/* How far the body's acceleration jumps at most from step to step: slow rolling is smooth, shaking is not. */
static double unrest(scene *s, cairn_body body, int steps, double h) {
    double most = 0.0;
    cairn_vec3 v = scene_state(s, body).velocity, before = {0, 0, 0};
    for (int i = 0; i < steps; i++) {
        scene_step(s);
        cairn_vec3 now = scene_state(s, body).velocity, change = cairn_vec3_sub(now, v);
        if (i > 0)
            most = fmax(most, cairn_vec3_length(cairn_vec3_sub(change, before)) / h);
        before = change;
        v = now;
    }
    return most;
}

/* On a cushion: a cylinder on its side, one on its end, a cone. */
TEST(on_a_cushion) {
    double h = 0.01;
    for (int kind = 1; kind < 4; kind++) {
        scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
        cairn_shape *shape = NULL;
        cairn_vec3 none = {0, 0, 0};
        const int cells[3] = {5, 5, 1};
        cairn_quat turn = cairn_quat_identity();
        double high = 0.1;
        scene_plane(&s, cairn_quat_identity());
        soft_box(&s, cairn_vec3_of(0.9, 0.9, 0.15), cells, 5e4, cairn_pose_at(0, 0, 0.075), NULL);
        if (kind == 3)
            CHECK(cairn_shape_cone(s.context, 0.1, 0.3, &shape) == CAIRN_OK);
        else
            CHECK(cairn_shape_cylinder(s.context, 0.1, 0.1, &shape) == CAIRN_OK);
        if (kind == 1)
            turn = cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(0.3, 1, 0)), QUARTER_TURN);
        if (kind == 3)
            high = 0.075;
        cairn_body body = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, (cairn_pose){{0.02, 0.01, 0.15 + high}, turn}, none,
                                    none);
        scene_run(&s, 90);
        double shaking = unrest(&s, body, 20, h);
        CHECK(shaking < 0.5);
        scene_end(&s);
    }
}

static cairn_vec3 close_in(void *user, double time) {
    double way = 0.008 * fmin(1.0, time / 0.3);
    return cairn_vec3_of(*(const double *)user * way, 0, 0);
}

/* An egg between two pads that close and hold it in the air: it hangs still. */
TEST(held_by_friction) {
    double h = 0.01, side[2] = {1.0, -1.0};
    scene s = scene_make(1, h, 0.6, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_shape *egg = NULL;
    cairn_vec3 none = {0, 0, 0};
    CHECK(cairn_shape_ellipsoid(s.context, cairn_vec3_of(0.022, 0.03, 0.022), &egg) == CAIRN_OK);
    cairn_body body = scene_add(&s, egg, CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.022), none, none);
    cairn_body table = scene_box(&s, cairn_vec3_of(0.01, 0.05, 0.01), CAIRN_BODY_FIXED, cairn_pose_at(0, 0, -0.01));
    for (int k = 0; k < 2; k++) {
        const int cells[3] = {2, 6, 8};
        int node[96], nodes = 0;
        cairn_fem_mesh *mesh = NULL; /* the same as the pad's: to name the nodes of its back */
        CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.02, 0.03, 0.04), cells, &mesh) ==
              CAIRN_OK);
        cairn_fem_mesh_view view = cairn_fem_mesh_get(mesh);
        for (int i = 0; i < view.nodes && nodes < 96; i++)
            if (side[k] * view.node[i].x < -0.0099)
                node[nodes++] = i;
        cairn_flexible_hold hold = {.nodes = nodes, .node = node, .motion = close_in, .user = &side[k]};
        soft_box(&s, cairn_vec3_of(0.02, 0.03, 0.04), cells, 1.5e5, cairn_pose_at(-side[k] * 0.034, 0, 0.025), &hold);
        cairn_fem_mesh_release(mesh);
    }
    scene_run(&s, 40);
    CHECK(cairn_world_remove_body(s.world, table) == CAIRN_OK);
    scene_run(&s, 50);
    double z = scene_state(&s, body).center.z, shaking = unrest(&s, body, 20, h);
    CHECK(z > 0.02);
    CHECK_NEAR(scene_state(&s, body).center.z, z, 2e-6);
    CHECK(shaking < 1e-3);
    scene_end(&s);
}

int main(void) {
    RUN(on_a_cushion);
    RUN(held_by_friction);
    return test_end();
}
