/*
 * test_world_flexible.c: flexible parts in a world: weight on the floor, stacks, friction on an incline, threads, restart, refusals.
 */
#include "support/refusing.h"
#include "support/soft_scene.h"

#include <string.h>

#define G 9.81

static cairn_body add_box(scene *s, cairn_vec3 edge, const int *cells, double E, cairn_pose pose, double damping) {
    return add_soft_box(s, edge, cells, soft_material(E, damping), pose, NULL, 0);
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

/* The same with friction: a block on an incline stays below the threshold, and slides with g (sin - mu cos) above it. */
static double slide(double degrees, double mu, double time) {
    double angle = degrees * 3.14159265358979323846 / 180.0, h = 0.01;
    scene s = scene_make(1, h, mu, 0.0, cairn_vec3_of(G * sin(angle), 0, -G * cos(angle)));
    scene_plane(&s, cairn_quat_identity());
    const int cells[3] = {3, 3, 1};
    cairn_body block = add_box(&s, cairn_vec3_of(0.3, 0.3, 0.1), cells, 1e6, cairn_pose_at(0, 0, 0.05), 0.01);
    run(&s, 40, true); /* it settles */
    cairn_body_state state;
    CHECK(cairn_world_body(s.world, block, &state) == CAIRN_OK);
    double before = state.velocity.x;
    int steps = (int)(time / h + 0.5);
    run(&s, steps, true);
    CHECK(cairn_world_body(s.world, block, &state) == CAIRN_OK);
    scene_end(&s);
    return (state.velocity.x - before) / time;
}

TEST(incline) {
    double angle = 30.0 * 3.14159265358979323846 / 180.0;
    CHECK_NEAR(slide(30.0, 0.62, 0.2), 0.0, 1e-4);
    CHECK_NEAR(slide(30.0, 0.5, 0.2), G * (sin(angle) - 0.5 * cos(angle)), 0.02);
}

/* A rigid brick on a soft cushion, and two soft blocks: who lies below carries who lies above. */
TEST(stacks) {
    double h = 0.01;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_body floor = scene_plane(&s, cairn_quat_identity());
    const int cells[3] = {4, 4, 2}, few[3] = {2, 2, 2};
    cairn_body cushion = add_box(&s, cairn_vec3_of(0.4, 0.4, 0.1), cells, 1e5, cairn_pose_at(0, 0, 0.05), 0.02);
    cairn_body brick = scene_box(&s, cairn_vec3_of(0.08, 0.07, 0.05), CAIRN_BODY_DYNAMIC,
                                 cairn_pose_at(0.01, 0.02, 0.151));
    cairn_body low = add_box(&s, cairn_vec3_of(0.2, 0.2, 0.2), few, 1e5, cairn_pose_at(1, 0, 0.1), 0.02);
    cairn_body high = add_box(&s, cairn_vec3_of(0.16, 0.16, 0.16), few, 1e5, cairn_pose_at(1.01, 0.01, 0.281), 0.02);
    run(&s, 200, true);
    double mass = 1000.0 * 0.16 * 0.14 * 0.1, all = mass + 16.0 + 8.0 + 4.096;
    CHECK_NEAR(force_on(&s, brick, h).z, mass * G, 1e-3 * mass * G);
    CHECK_NEAR(force_on(&s, high, h).z, 4.096 * G, 1e-3 * 4.096 * G);
    CHECK_NEAR(force_on(&s, low, h).z, 8.0 * G, 1e-3 * 8.0 * G);
    CHECK_NEAR(-force_on(&s, floor, h).z, all * G, 1e-3 * all * G);
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(s.world, cushion, &view) == CAIRN_OK);
    CHECK(view.elastic > 0.0);
    double mises[200];
    CHECK(view.mesh.nodes <= 200 && cairn_world_flexible_mises(s.world, cushion, mises) == CAIRN_OK);
    CHECK(mises[0] > 0.0 && mises[0] < 1e5);
    scene_end(&s);
}

/* Round shapes press between the nodes of a coarse cushion: the skin's faces carry them. */
TEST(round_shapes) {
    double h = 0.01;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    scene_plane(&s, cairn_quat_identity());
    const int cells[3] = {2, 2, 1};
    add_box(&s, cairn_vec3_of(1.0, 1.0, 0.2), cells, 1e6, cairn_pose_at(0, 0, 0.1), 0.02);
    cairn_body ball = scene_ball(&s, 0.05, cairn_vec3_of(0.21, 0.13, 0.2505), cairn_vec3_of(0, 0, 0));
    cairn_shape *egg = NULL;
    CHECK(cairn_shape_ellipsoid(s.context, cairn_vec3_of(0.06, 0.05, 0.04), &egg) == CAIRN_OK);
    cairn_vec3 none = {0, 0, 0};
    cairn_body lying = scene_add(&s, egg, CAIRN_BODY_DYNAMIC, cairn_pose_at(-0.22, 0.12, 0.2405), none, none);
    run(&s, 150, true);
    double m = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.05 * 0.05 * 0.05;
    CHECK_NEAR(force_on(&s, ball, h).z, m * G, 1e-2 * m * G);
    m = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.06 * 0.05 * 0.04;
    CHECK_NEAR(force_on(&s, lying, h).z, m * G, 1e-2 * m * G);
    scene_end(&s);
}

static cairn_vec3 up(void *user, double time) {
    return cairn_vec3_of(0, 0, *(double *)user * time);
}

/* A bar clamped at one end; held nodes follow their motion, and a force at the free end bends it by F L^3 / (3 E I) (less: linear tetrahedra are stiff). */
TEST(held) {
    double speed = 0.1;
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
    const int cells[3] = {20, 2, 2};
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 0.1, 0.1), cells, &mesh) == CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    int node[64], nodes = 0, tip = 0;
    for (int i = 0; i < m.nodes; i++) {
        if (m.node[i].x < -0.499)
            node[nodes++] = i;
        if (m.node[i].x > 0.499)
            tip = i;
    }
    cairn_flexible_hold hold = {.nodes = nodes, .node = node, .motion = up, .user = &speed};
    cairn_fem_material elastic = cairn_default_fem_material();
    elastic.E = 1e7;
    elastic.nu = 0.0;
    elastic.damping_stiffness = 0.05;
    cairn_flexible_def def = cairn_default_flexible_def();
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    def.holds = 1;
    def.hold = &hold;
    cairn_body bar;
    CHECK(cairn_world_add_flexible(s.world, &def, &bar) == CAIRN_OK);
    cairn_flexible_view view;
    for (int i = 0; i < 300; i++) {
        if (i == 100)
            speed = 0.0;
        CHECK(cairn_world_push_node(s.world, bar, tip, cairn_vec3_of(0, 0, 10.0)) == CAIRN_OK);
        run(&s, 1, true);
        CHECK(cairn_world_flexible(s.world, bar, &view) == CAIRN_OK);
        if (i == 99)
            CHECK_NEAR(view.x[3 * node[0] + 2] - m.node[node[0]].z, 0.1, 1e-9);
    }
    CHECK_NEAR(view.x[3 * node[0] + 2] - m.node[node[0]].z, 0.0, 1e-9);
    double theory = 10.0 / (3.0 * 1e7 * 1e-4 / 12.0), found = view.x[3 * tip + 2] - m.node[tip].z;
    CHECK(found > 0.5 * theory && found < 1.02 * theory);
    cairn_fem_mesh_release(mesh);
    scene_end(&s);
}

/* A soft block hangs welded under a fixed body, another by a spherical joint from the world. */
TEST(joints) {
    double h = 0.01;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -G));
    const int cells[3] = {2, 2, 2};
    cairn_body beam = scene_box(&s, cairn_vec3_of(0.2, 0.2, 0.05), CAIRN_BODY_FIXED, cairn_pose_at(0, 0, 0.15));
    cairn_body block = add_box(&s, cairn_vec3_of(0.2, 0.2, 0.2), cells, 1e5, cairn_pose_at(0, 0, 0), 0.02);
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(s.world, block, &view) == CAIRN_OK);
    int node[27], nodes = 0;
    for (int i = 0; i < view.mesh.nodes; i++)
        if (view.mesh.node[i].z > 0.099)
            node[nodes++] = i;
    CHECK(nodes == 9);
    cairn_joint weld[9], ball;
    CHECK(cairn_world_weld(s.world, block, nodes, node, beam, weld) == CAIRN_OK);
    cairn_body other = add_box(&s, cairn_vec3_of(0.2, 0.2, 0.2), cells, 1e5, cairn_pose_at(2, 0, 0), 0.02);
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_SPHERICAL;
    def.b = other;
    def.frame.position = cairn_vec3_of(2, 0, 0.1);
    CHECK(cairn_world_add_joint(s.world, &def, &ball) == CAIRN_OK);
    cairn_redundancy found;
    CHECK(cairn_world_redundancy(s.world, NULL, 0, &found) == CAIRN_OK);
    CHECK(found.rows == 30 && found.rank == 30);
    run(&s, 200, true);
    double sum = 0.0;
    cairn_joint_state state;
    for (int i = 0; i < 9; i++) {
        CHECK(cairn_world_joint(s.world, weld[i], &state) == CAIRN_OK);
        sum += state.force.z;
        CHECK(state.gap < 1e-9);
    }
    CHECK_NEAR(sum, 8.0 * G, 1e-3 * 8.0 * G);
    CHECK(cairn_world_joint(s.world, ball, &state) == CAIRN_OK);
    CHECK_NEAR(state.force.z, 8.0 * G, 1e-3 * 8.0 * G);
    def.kind = CAIRN_JOINT_REVOLUTE;
    CHECK(cairn_world_add_joint(s.world, &def, &ball) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "use a weld");
    def.kind = CAIRN_JOINT_SPHERICAL;
    def.frame.position.z = 1.0;
    CHECK(cairn_world_add_joint(s.world, &def, &ball) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "from the flexible part");
    scene_end(&s);
}

/* Blocks fall onto each other; the state after so many steps. */
static scene pile(int threads) {
    scene s = scene_make(threads, 0.01, 0.4, 0.0, cairn_vec3_of(0, 0, -G));
    scene_plane(&s, cairn_quat_identity());
    const int cells[3] = {2, 2, 2};
    for (int i = 0; i < 4; i++)
        add_box(&s, cairn_vec3_of(0.2, 0.15, 0.1), cells, 1e5,
                (cairn_pose){{0.02 * i, 0.01 * i, 0.06 + 0.12 * i}, cairn_quat_turn(cairn_vec3_of(0, 0, 1), 0.4 * i)},
                0.01);
    scene_box(&s, cairn_vec3_of(0.05, 0.05, 0.05), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.05, 0, 0.56));
    return s;
}

TEST(same_bits) {
    uint64_t print[3];
    const int threads[3] = {1, 2, 4};
    for (int t = 0; t < 3; t++) {
        scene s = pile(threads[t]);
        run(&s, 40, false);
        print[t] = fingerprint(&s);
        scene_end(&s);
    }
    CHECK(print[0] == print[1] && print[0] == print[2]);
    scene s = pile(1), r = pile(1);
    run(&s, 25, false);
    size_t size = 0;
    CHECK(cairn_world_save(s.world, NULL, 0, &size) == CAIRN_OK);
    unsigned char *bytes = malloc(size);
    CHECK(cairn_world_save(s.world, bytes, size, &size) == CAIRN_OK);
    CHECK(cairn_world_load_state(r.world, bytes, size) == CAIRN_OK);
    run(&r, 15, false);
    CHECK(fingerprint(&r) == print[0]);
    bytes[size / 2] ^= 1;
    CHECK(cairn_world_load_state(r.world, bytes, size) == CAIRN_ERROR_PARSE);
    free(bytes);
    scene_end(&s);
    scene_end(&r);
}

TEST(refusals) {
    scene s = scene_make(1, 0.01, 0.4, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_fem_mesh *mesh = NULL;
    const int cells[3] = {1, 1, 1};
    int far = 99;
    cairn_body body;
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), cells, &mesh) == CAIRN_OK);
    cairn_fem_material elastic = cairn_default_fem_material();
    cairn_flexible_def def = cairn_default_flexible_def();
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "no mesh");
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    elastic.nu = 0.5;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    elastic.nu = 0.3;
    def.thickness = -1.0;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "thickness is -1 m");
    def.thickness = 0.0;
    cairn_flexible_hold hold = {.nodes = 1, .node = &far};
    def.holds = 1;
    def.hold = &hold;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "names node 99; the mesh has 8 nodes");
    def.holds = 0;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_OK);
    CHECK(cairn_world_push_node(s.world, body, 8, cairn_vec3_of(0, 0, 1)) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_push(s.world, body, cairn_vec3_of(0, 0, 1), cairn_vec3_of(1, 0, 0)) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_press(s.world, body, "top", 1.0) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_world_press(s.world, body, NULL, 1.0) == CAIRN_OK);
    run(&s, 3, true);
    CHECK(cairn_world_remove_body(s.world, body) == CAIRN_OK);
    run(&s, 1, true);
    cairn_fem_mesh_release(mesh);
    scene_end(&s);
}

/* A part cannot be added, welded or moved for want of memory: the world stays as it was, and nothing leaks. */
TEST(no_memory) {
    int refused = 0;
    for (int refuse = 1; refuse < 4000; refuse += refuse < 60 ? 1 : 37) {
        counter count = {0};
        scene s = {.context = counted_context(&count)};
        CHECK(cairn_world_create(s.context, NULL, &s.world) == CAIRN_OK);
        scene_plane(&s, cairn_quat_identity());
        cairn_fem_mesh *mesh = NULL;
        const int cells[3] = {1, 1, 1};
        CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.2, 0.2, 0.2), cells, &mesh) ==
              CAIRN_OK);
        cairn_fem_material elastic = cairn_default_fem_material();
        cairn_flexible_def def = cairn_default_flexible_def();
        def.mesh = mesh;
        def.elastics = 1;
        def.elastic = &elastic;
        def.pose.position.z = 0.1;
        cairn_body body = {0, 0};
        cairn_joint joint[2];
        const int node[2] = {0, 7};
        count.refuse = count.calls + refuse;
        uint64_t before = fingerprint(&s);
        cairn_status status = cairn_world_add_flexible(s.world, &def, &body);
        if (status == CAIRN_OK) {
            before = fingerprint(&s);
            status = cairn_world_weld(s.world, body, 2, node, (cairn_body){0, 0}, joint);
        }
        if (status == CAIRN_OK) {
            before = fingerprint(&s);
            status = cairn_world_step(s.world, NULL);
        }
        bool reached = count.calls >= count.refuse;
        CHECK(status == (reached ? CAIRN_ERROR_MEMORY : CAIRN_OK));
        if (status != CAIRN_OK)
            CHECK(fingerprint(&s) == before);
        refused += status != CAIRN_OK;
        count.refuse = 0;
        cairn_fem_mesh_release(mesh);
        scene_end(&s);
        CHECK(count.live == 0);
        if (!reached)
            break;
    }
    CHECK(refused > 40);
}

int main(void) {
    RUN(weight);
    RUN(incline);
    RUN(stacks);
    RUN(round_shapes);
    RUN(held);
    RUN(joints);
    RUN(same_bits);
    RUN(refusals);
    RUN(no_memory);
    return test_end();
}
