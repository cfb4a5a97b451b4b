/*
 * test_world_elastic.c: flexible parts against closed forms: a bar on a wall, a beam on a support; Newton's iterations; memory.
 */
#include "support/world_scene.h"

#define G 9.81

static cairn_body add(scene *s, cairn_fem_mesh *mesh, const cairn_fem_material *elastic, cairn_pose pose, cairn_vec3 v,
                      const cairn_flexible_hold *hold) {
    cairn_flexible_def def = cairn_default_flexible_def();
    cairn_body body = {0, 0};
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = elastic;
    def.material = s->material;
    def.pose = pose;
    def.velocity = v;
    def.holds = hold != NULL;
    def.hold = hold;
    CHECK(cairn_world_add_flexible(s->world, &def, &body) == CAIRN_OK);
    cairn_fem_mesh_release(mesh);
    return body;
}

static double floor_force(const scene *s, double h) {
    double sum = 0.0;
    for (int i = 0; i < cairn_world_contact_count(s->world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s->world, i, &c) == CAIRN_OK);
        sum += c.impulse.z / h;
    }
    return sum;
}

/* Case 22: a steel bar of 1 m hits a wall lengthwise with 10 m/s: it is in touch for 2 L/c = 3.8545e-4 s, with the force rho c A v = 40 472 N. The last wave leaves with
 * an error of the step's order. */
static void hit(double h, double *force, double *end, double *speed) {
    scene s = scene_make(1, h, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_fem_mesh *mesh = NULL;
    const int cells[3] = {1, 1, 50};
    scene_plane(&s, cairn_quat_identity());
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.01, 0.01, 1), cells, &mesh) == CAIRN_OK);
    cairn_fem_material steel = cairn_default_fem_material();
    steel.E = 2.1e11;
    steel.nu = 0.0;
    steel.density = 7800.0;
    cairn_body bar = add(&s, mesh, &steel, cairn_pose_at(0, 0, 0.5), cairn_vec3_of(0, 0, -10), NULL);
    int count = 0;
    *force = *end = 0.0;
    for (int i = 1; i * h < 4.6e-4; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK && r.certified);
        double now = floor_force(&s, h);
        if (i * h > 1e-4 && i * h < 2.9e-4) {
            *force += now;
            count++;
        }
        if (now > 0.05 * 40472.0)
            *end = i * h;
    }
    *force /= count;
    cairn_body_state state;
    CHECK(cairn_world_body(s.world, bar, &state) == CAIRN_OK);
    *speed = state.velocity.z;
    scene_end(&s);
}

TEST(bar_on_wall) {
    double force, end, speed, finer;
    hit(4e-6, &force, &end, &speed);
    CHECK_NEAR(force, 40472.0, 0.002 * 40472.0);
    CHECK_NEAR(end, 3.8545e-4, 2.0 * 4e-6);
    hit(2e-6, &force, &end, &finer);
    CHECK_NEAR(force, 40472.0, 0.0005 * 40472.0);
    CHECK_NEAR(end, 3.8545e-4, 2.0 * 2e-6);
    CHECK(speed > 8.0 && finer > speed && finer < 10.0); /* it leaves with 10 m/s as h goes to 0 */
}

/* A beam clamped at one end whose free end lies on a support, under its own weight w a metre: the support carries 3 w L/8 of it. */
TEST(propped_cantilever) {
    double h = 0.01, length = 1.0, thick = 0.1;
    scene s = scene_make(1, h, 0.0, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_fem_mesh *mesh = NULL;
    const int cells[3] = {20, 1, 2};
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET10, cairn_vec3_of(length, thick, thick), cells, &mesh) ==
          CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    int node[64], nodes = 0;
    for (int i = 0; i < m.nodes && nodes < 64; i++)
        if (m.node[i].x < -0.4999)
            node[nodes++] = i;
    cairn_flexible_hold hold = {.nodes = nodes, .node = node};
    cairn_fem_material elastic = cairn_default_fem_material();
    elastic.E = 2e8;
    elastic.nu = 0.0;
    elastic.damping_stiffness = 0.05;
    add(&s, mesh, &elastic, cairn_pose_at(0, 0, 0), cairn_vec3_of(0, 0, 0), &hold);
    /* a ridge near the free end, between two rows of nodes */
    scene_box(&s, cairn_vec3_of(0.002, 0.2, 0.1), CAIRN_BODY_FIXED, cairn_pose_at(0.488, 0, -0.15));
    cairn_step_report r;
    for (int i = 0; i < 150; i++)
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK && r.certified);
    double weight = 1000.0 * thick * thick * length * G;
    CHECK_NEAR(-floor_force(&s, h), 0.375 * weight, 0.01 * weight);
    scene_end(&s);
}

/* One big step of a soft beam that bends far: Newton's iterations bring every node into balance, one solve does not. */
TEST(newton) {
    for (int newton = 1; newton <= 20; newton += 19) {
        cairn_context *context = plain_context(1);
        cairn_world_def def = cairn_default_world_def();
        def.step = 0.1;
        def.newton = newton;
        def.tolerance_force = 1e-6;
        def.solver.tolerance = 1e-10;
        scene s = {.context = context};
        CHECK(cairn_world_create(context, &def, &s.world) == CAIRN_OK);
        cairn_fem_mesh *mesh = NULL;
        const int cells[3] = {8, 1, 1};
        CHECK(cairn_fem_mesh_box(context, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 0.1, 0.1), cells, &mesh) == CAIRN_OK);
        cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
        int node[8], nodes = 0;
        for (int i = 0; i < m.nodes; i++)
            if (m.node[i].x < -0.4999)
                node[nodes++] = i;
        cairn_flexible_hold hold = {.nodes = nodes, .node = node};
        cairn_fem_material elastic = cairn_default_fem_material();
        elastic.E = 1e5;
        add(&s, mesh, &elastic, cairn_pose_at(0, 0, 0), cairn_vec3_of(0, 0, 0), &hold);
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK && r.certified);
        if (newton == 1)
            CHECK(r.solves == 1);
        else
            CHECK(r.solves > 1 && r.solves < newton);
        scene_end(&s);
    }
}

int main(void) {
    RUN(bar_on_wall);
    RUN(propped_cantilever);
    RUN(newton);
    return test_end();
}
