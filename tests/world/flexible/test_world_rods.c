/*
 * test_world_rods.c: rods and cables in contact: with the floor, rigid and soft bodies and each other; a cable on a drum against Euler's formula.
 */
#include "support/soft_scene.h"

#define G  9.81
#define PI 3.14159265358979323846

static cairn_body add_rod(scene *s, int points, const cairn_vec3 *point, double E, double radius, double damping) {
    cairn_fem_mesh *mesh = NULL;
    cairn_fem_material elastic = soft_material(E, damping);
    elastic.radius = radius;
    CHECK(cairn_fem_mesh_line(s->context, points, point, &mesh) == CAIRN_OK);
    return add_soft(s, mesh, elastic, cairn_default_flexible_def().pose, NULL, 0);
}

static cairn_body straight_rod(scene *s, cairn_vec3 from, cairn_vec3 to, int beams, double E, double radius) {
    cairn_vec3 p[32];
    for (int i = 0; i <= beams; i++)
        p[i] = cairn_vec3_add_scaled(from, (double)i / beams, cairn_vec3_sub(to, from));
    return add_rod(s, beams + 1, p, E, radius, 0.01);
}

static double upward_on(const scene *s, cairn_body body, double h) {
    double sum = 0.0;
    for (int i = 0; i < cairn_world_contact_count(s->world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s->world, i, &c) == CAIRN_OK);
        if (c.b.slot == body.slot)
            sum += c.impulse.z / h;
        if (c.a.slot == body.slot)
            sum -= c.impulse.z / h;
    }
    return sum;
}

static double lowest(const scene *s, cairn_body body) {
    cairn_flexible_view view;
    double low = INFINITY;
    CHECK(cairn_world_flexible(s->world, body, &view) == CAIRN_OK);
    for (int i = 0; i < view.mesh.nodes; i++)
        low = fmin(low, view.x[3 * view.mesh.vector[i] + 2]);
    return low;
}

/* A rod falls onto the floor; on it, crosswise, another. */
TEST(on_the_floor_and_on_each_other) {
    double h = 0.005, r = 0.02, weight = 1000.0 * PI * r * r * 1.0 * G;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_body floor = scene_plane(&s, cairn_quat_identity());
    cairn_body low = straight_rod(&s, cairn_vec3_of(-0.5, 0.03, 0.021), cairn_vec3_of(0.5, 0.03, 0.021), 6, 1e7, r);
    cairn_body high = straight_rod(&s, cairn_vec3_of(0.01, -0.47, 0.1), cairn_vec3_of(0.01, 0.53, 0.1), 6, 1e7, r);
    scene_run(&s, 600);
    CHECK_NEAR(-upward_on(&s, floor, h), 2.0 * weight, 2e-3 * weight);
    CHECK_NEAR(upward_on(&s, low, h), weight, 2e-3 * weight);
    CHECK_NEAR(upward_on(&s, high, h), weight, 2e-3 * weight);
    CHECK_NEAR(lowest(&s, low), r, 1e-4);
    CHECK(lowest(&s, high) > r - 1e-4);
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(s.world, high, &view) == CAIRN_OK);
    CHECK_NEAR(view.x[3 * view.mesh.vector[3] + 2], 3.0 * r, 2e-3); /* it lies on the other */
    scene_end(&s);
}

/* Over the edge of a rigid box, and over a soft block: they carry it. */
TEST(on_rigid_and_soft_bodies) {
    double h = 0.005, r = 0.01, weight = 1000.0 * PI * r * r * 0.8 * G;
    scene s = scene_make(1, h, 0.6, 0.0, cairn_vec3_of(0, 0, -G));
    scene_plane(&s, cairn_quat_identity());
    cairn_body box = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_FIXED, cairn_pose_at(0, 0, 0.1));
    cairn_body over = straight_rod(&s, cairn_vec3_of(-0.4, 0.01, 0.212), cairn_vec3_of(0.4, 0.01, 0.212), 12, 1e7, r);
    cairn_fem_mesh *mesh = NULL;
    const int cells[3] = {3, 3, 3};
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.2, 0.2, 0.2), cells, &mesh) == CAIRN_OK);
    cairn_fem_material elastic = cairn_default_fem_material();
    elastic.E = 2e5;
    elastic.damping_stiffness = 0.02;
    cairn_flexible_def def = cairn_default_flexible_def();
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    def.material = s.material;
    def.pose = cairn_pose_at(0, 2, 0.1);
    cairn_body block, soft;
    CHECK(cairn_world_add_flexible(s.world, &def, &block) == CAIRN_OK);
    cairn_fem_mesh_release(mesh);
    soft = straight_rod(&s, cairn_vec3_of(-0.4, 2.01, 0.212), cairn_vec3_of(0.4, 2.01, 0.212), 12, 1e7, r);
    scene_run(&s, 500);
    CHECK_NEAR(upward_on(&s, over, h), weight, 5e-3 * weight);
    CHECK_NEAR(upward_on(&s, soft, h), weight, 5e-3 * weight);
    CHECK_NEAR(-upward_on(&s, box, h), weight, 5e-3 * weight);
    CHECK_NEAR(upward_on(&s, block, h), 8.0 * G, 5e-3 * 8.0 * G); /* what the floor gives less what the rod takes */
    CHECK(lowest(&s, over) > 0.1 && lowest(&s, soft) > 0.1);      /* bent down at the ends, not fallen through */
    scene_end(&s);
}

/* A cable over a fixed drum with weights at its ends, half a turn: it slips when one is more than exp(mu pi) times the other (Euler). Returns how fast the heavier one
 * sinks after a second. */
static double capstan(double ratio) {
    double h = 0.005, drum = 0.1, r = 0.003, mu = 0.3, hang = 0.25;
    scene s = scene_make(1, h, mu, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_shape *shape = NULL;
    cairn_vec3 p[64], none = {0, 0, 0};
    CHECK(cairn_shape_cylinder(s.context, drum, 0.2, &shape) == CAIRN_OK);
    scene_add(&s, shape, CAIRN_BODY_FIXED,
              (cairn_pose){{0, 0, 0}, cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN)}, none, none);
    int count = 0;
    for (int i = 0; i < 8; i++)
        p[count++] = cairn_vec3_of(-drum - r, 0, -hang + hang * i / 8.0);
    for (int i = 0; i <= 16; i++)
        p[count++] = cairn_vec3_of(-(drum + r) * cos(PI * i / 16.0), 0, (drum + r) * sin(PI * i / 16.0));
    for (int i = 1; i <= 8; i++)
        p[count++] = cairn_vec3_of(drum + r, 0, -hang * i / 8.0);
    cairn_body cable = add_rod(&s, count, p, 2e8, r, 1e-3), weight[2];
    for (int i = 0; i < 2; i++) {
        double m = i == 0 ? 1.0 : ratio;
        weight[i] = scene_mass(&s, p[i == 0 ? 0 : count - 1], m, cairn_vec3_of(1e-3, 1e-3, 1e-3));
        cairn_joint_def def = cairn_default_joint_def();
        cairn_joint joint;
        def.kind = CAIRN_JOINT_SPHERICAL;
        def.a = weight[i];
        def.b = cable;
        def.frame.position = p[i == 0 ? 0 : count - 1];
        CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    }
    scene_run(&s, 60);
    double before = scene_state(&s, weight[1]).center.z;
    scene_run(&s, 20);
    double fall = before - scene_state(&s, weight[1]).center.z;
    scene_end(&s);
    return fall;
}

TEST(drum) {
    double limit = exp(0.3 * PI);
    CHECK(fabs(capstan(0.97 * limit)) < 1e-4);
    CHECK(capstan(1.05 * limit) > 1e-3);
}

int main(void) {
    RUN(on_the_floor_and_on_each_other);
    RUN(on_rigid_and_soft_bodies);
    RUN(drum);
    return test_end();
}
