/*
 * test_world_flexible.c: flexible parts in a world: weight on the floor, stacks, friction on an incline, threads, restart, refusals.
 */
#include "world_scene.h"

#include <string.h>

#define G 9.81

static cairn_body add_box(scene *s, cairn_vec3 edge, const int *cells, double E, cairn_pose pose, double damping) {
    cairn_fem_mesh *mesh = NULL;
    cairn_body body = {0, 0};
    cairn_fem_material elastic = cairn_default_fem_material();
    elastic.E = E;
    elastic.damping_stiffness = damping;
    CHECK(cairn_fem_mesh_box(s->context, CAIRN_ELEMENT_TET4, edge, cells, &mesh) == CAIRN_OK);
    cairn_flexible_def def = cairn_default_flexible_def();
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    def.pose = pose;
    def.material = s->material;
    CHECK(cairn_world_add_flexible(s->world, &def, &body) == CAIRN_OK);
    cairn_fem_mesh_release(mesh);
    return body;
}

/* Sum of the forces that all contacts put on `body`. */
static cairn_vec3 force_on(const scene *s, cairn_body body, double h) {
    cairn_vec3 sum = {0, 0, 0};
    for (int i = 0; i < cairn_world_contact_count(s->world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s->world, i, &c) == CAIRN_OK);
        if (c.b.slot == body.slot)
            sum = cairn_vec3_add_scaled(sum, 1.0 / h, c.impulse);
        if (c.a.slot == body.slot)
            sum = cairn_vec3_add_scaled(sum, -1.0 / h, c.impulse);
    }
    return sum;
}

static void run(const scene *s, int steps, bool certified) {
    cairn_step_report r;
    for (int i = 0; i < steps; i++) {
        CHECK(cairn_world_step(s->world, &r) == CAIRN_OK);
        if (certified)
            CHECK(r.certified);
    }
}

/* A soft block comes to rest on the floor: contact forces carry its weight, and it is shorter by about m g L / (2 E A). */
TEST(weight) {
    double h = 0.01;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    scene_plane(&s, cairn_quat_identity());
    const int cells[3] = {3, 3, 3};
    cairn_body block = add_box(&s, cairn_vec3_of(0.2, 0.2, 0.2), cells, 1e5, cairn_pose_at(0, 0, 0.101), 0.02);
    run(&s, 150, true);
    cairn_body_state state;
    CHECK(cairn_world_body(s.world, block, &state) == CAIRN_OK);
    cairn_vec3 f = force_on(&s, block, h);
    CHECK_NEAR(f.z, 8.0 * G, 1e-4 * 8.0 * G);
    CHECK_NEAR(state.mass, 8.0, 1e-12);
    CHECK(cairn_vec3_length(state.velocity) < 1e-4);
    double sink = 0.1 - state.center.z;
    CHECK(sink > 0.0 && sink < 0.01);
    scene_end(&s);
}

int main(void) {
    RUN(weight);
    return test_end();
}
