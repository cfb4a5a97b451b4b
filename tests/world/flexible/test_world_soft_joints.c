/*
 * test_world_soft_joints.c: joints of flexible parts with each other, with rigid bodies and with the world; bodies on nodes that are held; Newton's iterations in contact.
 */
#include "support/soft_scene.h"

#define G 9.81

static cairn_body soft(scene *s, cairn_vec3 edge, const int *cells, double E, cairn_pose pose,
                       const cairn_flexible_hold *hold) {
    return add_soft_box(s, edge, cells, soft_material(E, 0.02), pose, hold, hold != NULL);
}

static cairn_joint join(scene *s, cairn_joint_kind kind, cairn_body a, cairn_body b, cairn_pose frame) {
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint = {0, 0};
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.frame = frame;
    CHECK(cairn_world_add_joint(s->world, &def, &joint) == CAIRN_OK);
    return joint;
}

static cairn_joint_state joint_of(const scene *s, cairn_joint joint) {
    cairn_joint_state state = {0};
    CHECK(cairn_world_joint(s->world, joint, &state) == CAIRN_OK);
    return state;
}

/* A chain: the world, a soft block, another, a rigid box, each hung on the middle of a face of the one above. */
TEST(chain_of_soft_and_rigid) {
    double h = 0.01;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    const int cells[3] = {2, 2, 2}, odd[3] = {3, 3, 2};
    cairn_body world = {0, 0};
    cairn_body first = soft(&s, cairn_vec3_of(0.2, 0.2, 0.2), cells, 2e5, cairn_pose_at(0, 0, -0.1), NULL);
    cairn_body second = soft(&s, cairn_vec3_of(0.2, 0.2, 0.2), odd, 2e5, cairn_pose_at(0, 0, -0.31), NULL);
    cairn_body box = scene_box(&s, cairn_vec3_of(0.05, 0.05, 0.05), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, -0.47));
    cairn_joint top = join(&s, CAIRN_JOINT_SPHERICAL, world, first, cairn_pose_at(0, 0, 0));
    cairn_joint_def def = cairn_default_joint_def(); /* a rod of 1 cm between a node and a point inside a face */
    cairn_joint rod, low;
    def.kind = CAIRN_JOINT_DISTANCE;
    def.a = first;
    def.b = second;
    def.frame = cairn_pose_at(0, 0, -0.2);
    def.frame_b = cairn_pose_at(0, 0, -0.21);
    def.has_frame_b = true;
    CHECK(cairn_world_add_joint(s.world, &def, &rod) == CAIRN_OK);
    low = join(&s, CAIRN_JOINT_SPHERICAL, box, second, cairn_pose_at(0, 0, -0.41));
    scene_run(&s, 250);
    CHECK_NEAR(joint_of(&s, top).force.z, 17.0 * G, 1e-3 * 17.0 * G);
    CHECK_NEAR(joint_of(&s, rod).force.z, 9.0 * G, 1e-3 * 9.0 * G);
    CHECK_NEAR(joint_of(&s, low).force.z, -1.0 * G, 2e-3 * G); /* on the soft block */
    CHECK(joint_of(&s, rod).gap < 1e-8 && joint_of(&s, low).gap < 1e-8);
    scene_end(&s);
}

/* A block that slides on a straight line through the world: g sin of its slope; another kept on a steep plane. */
TEST(sliding) {
    double h = 0.005, angle = 0.5;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    const int cells[3] = {2, 2, 2};
    cairn_body world = {0, 0};
    /* the line: z axis of the frame, in the plane y = 0, down by the angle */
    cairn_quat turn = cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN + angle);
    cairn_body bead = soft(&s, cairn_vec3_of(0.1, 0.1, 0.1), cells, 1e6, cairn_pose_at(0, 0, -0.05), NULL);
    cairn_joint line = join(&s, CAIRN_JOINT_POINT_ON_LINE, world, bead, (cairn_pose){{0, 0, 0}, turn});
    /* the plane: normal along the frame's z, tilted from the vertical; the block hangs below its point */
    cairn_body plate = soft(&s, cairn_vec3_of(0.1, 0.1, 0.1), cells, 1e6, cairn_pose_at(2, 0, -0.05), NULL);
    cairn_joint plane = join(&s, CAIRN_JOINT_POINT_ON_PLANE, world, plate,
                             (cairn_pose){{2, 0, 0}, cairn_quat_turn(cairn_vec3_of(0, 1, 0), angle)});
    scene_run(&s, 200);
    CHECK(joint_of(&s, line).gap < 1e-8 && joint_of(&s, plane).gap < 1e-8);
    cairn_vec3 v[2] = {scene_state(&s, bead).velocity, scene_state(&s, plate).velocity};
    double along[2] = {v[0].x * cos(angle) - v[0].z * sin(angle), v[1].x * cos(angle) - v[1].z * sin(angle)};
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(along[i], G * sin(angle) * 1.0, 0.35); /* it swings about its point while it slides */
    scene_end(&s);
}

static cairn_vec3 rise(void *user, double time) {
    return cairn_vec3_of(0, 0, *(const double *)user * time);
}

/* A box lies on nodes that are held and rise: it is carried up with them, and they feel its weight. */
TEST(held_nodes_carry) {
    double h = 0.01, speed = 0.2;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    const int cells[3] = {4, 4, 1};
    cairn_fem_mesh *mesh = NULL;
    int node[32], nodes = 0;
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.4, 0.4, 0.1), cells, &mesh) == CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    for (int i = 0; i < m.nodes && nodes < 32; i++)
        if (m.node[i].z > 0.0499)
            node[nodes++] = i;
    cairn_flexible_hold hold = {.nodes = nodes, .node = node, .motion = rise, .user = &speed};
    cairn_body table = soft(&s, cairn_vec3_of(0.4, 0.4, 0.1), cells, 1e5, cairn_pose_at(0, 0, -0.05), &hold);
    cairn_body box = scene_box(&s, cairn_vec3_of(0.07, 0.06, 0.05), CAIRN_BODY_DYNAMIC,
                               cairn_pose_at(0.01, 0.02, 0.05));
    scene_run(&s, 100);
    cairn_body_state state = scene_state(&s, box);
    CHECK_NEAR(state.center.z, 0.05 + speed * 1.0, 1e-6);
    CHECK_NEAR(state.velocity.z, speed, 1e-6);
    double sum = 0.0, weight = 1000.0 * 0.14 * 0.12 * 0.1 * G;
    for (int i = 0; i < cairn_world_contact_count(s.world); i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s.world, i, &c) == CAIRN_OK);
        sum += c.b.slot == box.slot ? c.impulse.z / h : -c.impulse.z / h;
    }
    CHECK_NEAR(sum, weight, 1e-5 * weight);
    CHECK(table.slot != box.slot);
    cairn_fem_mesh_release(mesh);
    scene_end(&s);
}

/* A soft beam dropped across two ledges in steps in which it bends far: Newton's iterations end below the tolerance, and more of them change nothing. */
static double bent(int newton, int *most) {
    cairn_context *context = plain_context(1);
    cairn_world_def def = cairn_default_world_def();
    def.step = 0.02;
    def.newton = newton;
    def.tolerance_force = 1e-5;
    def.solver.tolerance = 1e-11;
    scene s = {.context = context};
    CHECK(cairn_world_create(context, &def, &s.world) == CAIRN_OK);
    cairn_material_def material = cairn_default_material_def();
    CHECK(cairn_world_add_material(s.world, &material, &s.material) == CAIRN_OK);
    const int cells[3] = {10, 1, 1};
    cairn_body beam = soft(&s, cairn_vec3_of(1, 0.1, 0.1), cells, 3e5, cairn_pose_at(0, 0, 0.051), NULL);
    for (int i = 0; i < 2; i++)
        scene_box(&s, cairn_vec3_of(0.1, 0.2, 0.1), CAIRN_BODY_FIXED, cairn_pose_at(i == 0 ? -0.5 : 0.5, 0, -0.1));
    *most = 0;
    for (int i = 0; i < 25; i++) {
        cairn_step_report r = scene_step(&s);
        *most = r.solves > *most ? r.solves : *most;
    }
    double z = scene_state(&s, beam).center.z;
    scene_end(&s);
    return z;
}

TEST(newton_in_contact) {
    int most[3];
    double once = bent(1, &most[0]), some = bent(25, &most[1]), more = bent(60, &most[2]);
    CHECK(most[1] > 2 && most[1] < 25 && most[2] == most[1]);
    CHECK(some == more);
    CHECK(fabs(once - some) > 1e-5); /* one solve a step is another answer */
}

int main(void) {
    RUN(chain_of_soft_and_rigid);
    RUN(sliding);
    RUN(held_nodes_carry);
    RUN(newton_in_contact);
    return test_end();
}
