/*
 * test_world_parts.c: what surrounds flexible parts: holds that add up and what they take, pose and spin of the whole, parts that are crushed, elements that are inside out.
 */
#include "support/soft_scene.h"

#define G 9.81

/* Nodes of a mesh with low <= coordinate axis <= high. Returns how many. */
static int nodes_at(const cairn_fem_mesh_view *m, int axis, double low, double high, int *node) {
    int count = 0;
    for (int i = 0; i < m->nodes; i++) {
        const double x[3] = {m->node[i].x, m->node[i].y, m->node[i].z};
        if (x[axis] >= low && x[axis] <= high)
            node[count++] = i;
    }
    return count;
}

static cairn_flexible_view view_of(const scene *s, cairn_body body) {
    cairn_flexible_view view = {0};
    CHECK(cairn_world_flexible(s->world, body, &view) == CAIRN_OK);
    return view;
}

static cairn_vec3 reaction_at(const cairn_flexible_view *v, int node) {
    const double *r = v->reaction + (ptrdiff_t)3 * v->mesh.vector[node];
    return cairn_vec3_of(r[0], r[1], r[2]);
}

static cairn_vec3 reaction_of(const cairn_flexible_view *v) {
    cairn_vec3 sum = {0, 0, 0};
    for (int i = 0; i < v->mesh.nodes; i++)
        sum = cairn_vec3_add(sum, reaction_at(v, i));
    return sum;
}

static cairn_fem_mesh *cube(scene *s, cairn_element_kind kind) {
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(s->context, kind, cairn_vec3_of(1, 1, 1), (const int[]){2, 2, 2}, &mesh) == CAIRN_OK);
    return mesh;
}

/* Rollers on three faces that meet: in any order, an eighth of a cube under pressure from its free faces shrinks evenly, and the rollers feel pressure times area. */
TEST(rollers_on_adjacent_faces) {
    const double p = 1e3, E = 1e5;
    static const cairn_element_kind kind[] = {CAIRN_ELEMENT_TET4, CAIRN_ELEMENT_HEX8, CAIRN_ELEMENT_TET10};
    for (int e = 0; e < 3; e++)
        for (int turn = 0; turn < 3; turn++) {
            scene s = scene_make(1, 0.05, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
            cairn_fem_mesh *mesh = cube(&s, kind[e]);
            cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
            int node[3][200];
            cairn_flexible_hold hold[3];
            for (int i = 0; i < 3; i++) {
                int axis = (i + turn) % 3, count = nodes_at(&m, axis, -0.51, -0.49, node[i]);
                hold[i] = (cairn_flexible_hold){
                    .nodes = count, .node = node[i], .free_x = axis != 0, .free_y = axis != 1, .free_z = axis != 2};
            }
            cairn_fem_material elastic = soft_material(E, 0.05);
            elastic.law = CAIRN_FEM_LINEAR;
            cairn_body body = add_soft(&s, mesh, elastic, cairn_pose_at(0, 0, 0), hold, 3);
            for (int i = 0; i < 60; i++) {
                CHECK(cairn_world_press(s.world, body, NULL, p) == CAIRN_OK);
                scene_step(&s);
            }
            cairn_flexible_view v = view_of(&s, body);
            double shrunk = 0.0; /* evenly, by the law and the area that is left */
            for (int i = 0; i < v.mesh.nodes; i++)
                shrunk = fmax(shrunk, v.x[3 * v.mesh.vector[i]] + 0.5);
            CHECK_NEAR(shrunk, 1.0 - p * (1.0 - 2.0 * 0.3) / E, 5e-5);
            for (int i = 0; i < v.mesh.nodes; i++) {
                const double *x = v.x + (ptrdiff_t)3 * v.mesh.vector[i];
                CHECK_NEAR(x[0], -0.5 + shrunk * (v.mesh.node[i].x + 0.5), 1e-8);
                CHECK_NEAR(x[1], -0.5 + shrunk * (v.mesh.node[i].y + 0.5), 1e-8);
                CHECK_NEAR(x[2], -0.5 + shrunk * (v.mesh.node[i].z + 0.5), 1e-8);
            }
            cairn_vec3 r = reaction_of(&v);
            double sum = r.x + r.y + r.z;
            CHECK_NEAR(sum, 0.0, 1e-6 * p); /* pressure on all sides is in balance by itself */
            scene_end(&s);
        }
}

/* A block hangs on its upper nodes, is pushed at one of them and as a whole, and a rigid box hangs on it: the holds carry all of it. */
static void carried(cairn_element_kind kind, double yield) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_fem_mesh *mesh = NULL;
    int node[200];
    CHECK(cairn_fem_mesh_box(s.context, kind, cairn_vec3_of(0.2, 0.2, 0.2), (const int[]){2, 2, 2}, &mesh) == CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    cairn_flexible_hold hold = {.nodes = nodes_at(&m, 2, 0.0999, 0.1001, node), .node = node};
    cairn_fem_material elastic = soft_material(2e5, 0.02);
    elastic.yield = yield;
    cairn_body block = add_soft(&s, mesh, elastic, cairn_pose_at(0, 0, 1), &hold, 1);
    cairn_body box = scene_box(&s, cairn_vec3_of(0.05, 0.05, 0.05), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.8));
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint;
    def.kind = CAIRN_JOINT_SPHERICAL;
    def.a = box;
    def.b = block;
    def.frame = cairn_pose_at(0, 0, 0.9);
    CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    for (int i = 0; i < 300; i++) {
        CHECK(cairn_world_push_node(s.world, block, node[0], cairn_vec3_of(3, 0, 0)) == CAIRN_OK);
        CHECK(cairn_world_push(s.world, block, cairn_vec3_of(0, 5, 0), cairn_vec3_of(0, 0, 0)) == CAIRN_OK);
        scene_step(&s);
    }
    cairn_flexible_view v = view_of(&s, block);
    cairn_vec3 r = reaction_of(&v);
    CHECK_NEAR(r.x, -3.0, 0.02); /* the box still swings a little */
    CHECK_NEAR(r.y, -5.0, 0.02);
    CHECK_NEAR(r.z, (8.0 + 1.0) * G, 1e-2);
    for (int i = 0; i < v.mesh.nodes; i++)
        if (v.mesh.node[i].z < 0.0999)
            CHECK(cairn_vec3_length(reaction_at(&v, i)) == 0.0);
    scene_end(&s);
}

TEST(reactions_carry) {
    carried(CAIRN_ELEMENT_TET4, 0.0);
    carried(CAIRN_ELEMENT_HEX8, 0.0);
    carried(CAIRN_ELEMENT_TET4, 1e6); /* stresses as multipliers */
}

static cairn_vec3 sway(void *user, double t) {
    return cairn_vec3_of(*(const double *)user * sin(3.0 * t), 0, 0);
}

/* A part whose nodes are all held and swayed: force = mass times acceleration, to the step's order, and the work is in the balance of energy. */
TEST(reactions_of_motion) {
    double size = 0.2, h = 0.001;
    scene s = scene_make(1, h, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_fem_mesh *mesh = cube(&s, CAIRN_ELEMENT_TET4);
    int node[200];
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    cairn_flexible_hold hold = {.nodes = nodes_at(&m, 0, -1, 1, node), .node = node, .motion = sway, .user = &size};
    cairn_body body = add_soft(&s, mesh, soft_material(1e5, 0.0), cairn_pose_at(0, 0, 0), &hold, 1);
    double work = 0.0, start = 0.0;
    for (int i = 0; i < 400; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK && r.certified);
        if (i == 0)
            start = r.energy.kinetic;
        else
            work += r.energy.loads;
        CHECK_NEAR(r.energy.kinetic - start, work, 1e-6 * (1.0 + start));
    }
    double t = cairn_world_time(s.world) - 0.5 * h; /* the mean over the step before the last half */
    cairn_flexible_view v = view_of(&s, body);
    CHECK_NEAR(reaction_of(&v).x, -1000.0 * 9.0 * size * sin(3.0 * (t - 0.5 * h)), 1.0);
    scene_end(&s);
}

static cairn_status try_holds(scene *s, const cairn_flexible_hold *hold, int holds, cairn_body *body) {
    cairn_flexible_def def = cairn_default_flexible_def();
    cairn_fem_material elastic = soft_material(1e5, 0.0);
    cairn_fem_mesh *mesh = cube(s, CAIRN_ELEMENT_TET4);
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    def.material = s->material;
    def.holds = holds;
    def.hold = hold;
    cairn_status status = cairn_world_add_flexible(s->world, &def, body);
    cairn_fem_mesh_release(mesh);
    return status;
}

static cairn_vec3 late(void *user, double t) {
    return cairn_vec3_of(t > *(const double *)user ? 0.01 : 0.0, 0, 0);
}

TEST(holds_that_contradict) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
    int node[3] = {0, 1, 2}, other[2] = {2, 5};
    double size = 0.1, when = 0.035;
    cairn_body body = {0, 0};
    cairn_flexible_hold hold[3] = {{.nodes = 3, .node = node},
                                   {.nodes = 2, .node = other, .motion = sway, .user = &size}};
    CHECK(try_holds(&s, hold, 2, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "holds 0 and 1 contradict each other: both hold node 2 along x");
    hold[0].free_x = true; /* they share y and z, where both stay */
    CHECK(try_holds(&s, hold, 2, &body) == CAIRN_OK);
    scene_run(&s, 3);
    CHECK(cairn_world_remove_body(s.world, body) == CAIRN_OK);
    /* seen only when it happens: the step fails, and the world is as it was */
    hold[0].free_x = false;
    hold[1] = (cairn_flexible_hold){.nodes = 2, .node = other, .motion = late, .user = &when};
    double from = cairn_world_time(s.world);
    when += from;
    CHECK(try_holds(&s, hold, 2, &body) == CAIRN_OK);
    scene_run(&s, 3);
    uint64_t before = fingerprint(&s);
    CHECK(cairn_world_step(s.world, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "both hold node 2 along x");
    CHECK(fingerprint(&s) == before);
    scene_end(&s);
}

/* Hundreds of holds, a node each. */
TEST(many_holds) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, -G));
    static int node[27];
    static cairn_flexible_hold hold[27 * 8];
    cairn_body body = {0, 0};
    for (int i = 0; i < 27 * 8; i++) {
        node[i % 27] = i % 27;
        hold[i] = (cairn_flexible_hold){.nodes = i % 27 < 26, .node = node + i % 27, .free_z = true};
    }
    CHECK(try_holds(&s, hold, 27 * 8, &body) == CAIRN_OK);
    scene_run(&s, 5);
    cairn_flexible_view v = view_of(&s, body);
    for (int i = 0; i < 26; i++)
        CHECK_NEAR(v.x[3 * i], v.mesh.node[i].x, 1e-15);
    CHECK(v.x[2] < v.mesh.node[0].z - 0.01);
    scene_end(&s);
}

/* ---- pose and spin ---- */

/* Turns all places and velocities of a part rigidly: its pose follows exactly. */
static void turned(cairn_element_kind kind, bool consistent) {
    scene s = scene_make(1, 1e-4, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_fem_mesh *mesh = NULL;
    const cairn_vec3 points[] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0.2, 0}, {1, 0.5, 0.3}};
    if (kind == CAIRN_ELEMENT_BEAM2)
        CHECK(cairn_fem_mesh_line(s.context, 4, points, &mesh) == CAIRN_OK);
    else
        CHECK(cairn_fem_mesh_box(s.context, kind, cairn_vec3_of(0.4, 0.2, 0.1), (const int[]){3, 2, 2}, &mesh) ==
              CAIRN_OK);
    cairn_fem_material elastic = soft_material(1e4, 0.0);
    elastic.consistent = consistent;
    cairn_pose pose = {{100, -50, 7}, cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(1, 2, 3)), 0.7)};
    cairn_body body = add_soft(&s, mesh, elastic, pose, NULL, 0);
    cairn_body_state b = scene_state(&s, body);
    CHECK_NEAR(fabs(b.pose.rotation.w - pose.rotation.w) + fabs(b.pose.rotation.z - pose.rotation.z), 0.0, 1e-12);
    cairn_vec3 spin = {0.3, -1.0, 2.0};
    CHECK(cairn_world_set_velocity(s.world, body, cairn_vec3_of(1, 2, 3), spin) == CAIRN_OK);
    b = scene_state(&s, body);
    CHECK_NEAR(cairn_vec3_length(cairn_vec3_sub(b.angular_velocity, spin)), 0.0, 1e-9);
    scene_run(&s, 200); /* turns by .0445 rad: second order is what its own inertia tensor does */
    b = scene_state(&s, body);
    CHECK(cairn_vec3_length(cairn_vec3_sub(b.angular_velocity, spin)) < 0.1);
    cairn_quat step = cairn_quat_multiply(b.pose.rotation, cairn_quat_conjugate(pose.rotation));
    double angle = 2.0 * asin(fmin(1.0, cairn_vec3_length(cairn_vec3_of(step.x, step.y, step.z))));
    CHECK_NEAR(angle, 0.02 * cairn_vec3_length(spin), 0.02 * 0.02 * cairn_vec3_length(spin));
    scene_end(&s);
}

TEST(pose_is_that_of_the_mass) {
    turned(CAIRN_ELEMENT_TET4, false);
    turned(CAIRN_ELEMENT_TET4, true);
    turned(CAIRN_ELEMENT_HEX8, false);
    turned(CAIRN_ELEMENT_TET10, false);
    turned(CAIRN_ELEMENT_BEAM2, false);
}

/* A straight rod: no spin about itself, and its rotation follows where it points. */
TEST(straight_rod) {
    scene s = scene_make(1, 1e-3, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_fem_mesh *mesh = NULL;
    const cairn_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    CHECK(cairn_fem_mesh_line(s.context, 3, points, &mesh) == CAIRN_OK);
    cairn_body body = add_soft(&s, mesh, soft_material(1e6, 0.0), cairn_pose_at(0, 0, 0), NULL, 0);
    CHECK(cairn_world_set_velocity(s.world, body, cairn_vec3_of(0, 0, 0), cairn_vec3_of(3, 0, 1)) == CAIRN_OK);
    scene_run(&s, 300);
    cairn_body_state b = scene_state(&s, body);
    cairn_flexible_view v = view_of(&s, body);
    cairn_vec3 along = cairn_vec3_unit(cairn_vec3_of(v.x[12] - v.x[0], v.x[13] - v.x[1], v.x[14] - v.x[2]));
    cairn_vec3 seen = cairn_quat_rotate(b.pose.rotation, cairn_vec3_of(1, 0, 0));
    CHECK_NEAR(cairn_vec3_length(cairn_vec3_sub(along, seen)), 0.0, 1e-4); /* it bends a little */
    CHECK_NEAR(cairn_vec3_dot(b.angular_velocity, along), 0.0, 1e-6);
    CHECK(b.angular_velocity.z > 0.8 && along.y > 0.2);
    scene_end(&s);
}

/* ---- crushed ---- */

static cairn_vec3 come_down(void *user, double t) {
    return cairn_vec3_of(0, 0, -*(const double *)user * fmin(t, 0.48));
}

/* A press 4 cm thick whose lower side begins at 10.05 cm: a rigid box, or a part all of whose nodes are held and come down. */
static cairn_body add_press(scene *s, bool flexible, double *speed) {
    cairn_fem_mesh *mesh = NULL;
    int node[200];
    if (!flexible)
        return scene_box(s, cairn_vec3_of(0.2, 0.2, 0.02), CAIRN_BODY_KINEMATIC, cairn_pose_at(0, 0, 0.1205));
    CHECK(cairn_fem_mesh_box(s->context, CAIRN_ELEMENT_HEX8, cairn_vec3_of(0.4, 0.4, 0.04), (const int[]){5, 5, 1},
                             &mesh) == CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    cairn_flexible_hold hold = {
        .nodes = nodes_at(&m, 0, -1, 1, node), .node = node, .motion = come_down, .user = speed};
    return add_soft(s, mesh, soft_material(1e6, 0.0), cairn_pose_at(0, 0, 0.1205), &hold, 1);
}

/* A block between the floor and a press that comes down to a twentieth of its height. Returns how far a node of its skin lies in the floor or the press at most. */
static double crush(cairn_element_kind kind, cairn_fem_law law, bool flexible, int *inverted, int *certified_inverted) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_fem_mesh *mesh = NULL;
    scene_plane(&s, cairn_quat_identity());
    CHECK(cairn_fem_mesh_box(s.context, kind, cairn_vec3_of(0.1, 0.1, 0.1), (const int[]){3, 3, 3}, &mesh) == CAIRN_OK);
    cairn_fem_material elastic = soft_material(1e5, 0.001);
    elastic.law = law;
    cairn_body block = add_soft(&s, mesh, elastic, cairn_pose_at(0, 0, 0.05), NULL, 0);
    double worst = 0.0, down = 0.2;
    cairn_body press = add_press(&s, flexible, &down);
    *inverted = *certified_inverted = 0;
    for (int i = 0; i < 60; i++) {
        cairn_step_report r;
        cairn_vec3 speed = {0, 0, i < 48 ? -down : 0.0};
        CHECK(flexible || cairn_world_set_velocity(s.world, press, speed, cairn_vec3_of(0, 0, 0)) == CAIRN_OK);
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        *inverted = r.inverted > *inverted ? r.inverted : *inverted;
        *certified_inverted += r.inverted > 0 && r.certified;
        if (r.inverted > 0) {
            CHECK_CONTAINS(r.info.note, "inside out");
            CHECK(r.inverted_part.slot == block.slot);
        }
        cairn_flexible_view v = view_of(&s, block);
        double bottom = scene_state(&s, press).pose.position.z - 0.02, here = 0.0;
        for (int k = 0; k < v.mesh.skin_nodes; k++) {
            const double *x = v.x + (ptrdiff_t)3 * v.mesh.vector[v.mesh.skin[k]];
            bool under = fabs(x[0]) < 0.19 && fabs(x[1]) < 0.19;
            here = fmax(here, fmax(-x[2], under ? x[2] - bottom : 0.0));
        }
        CHECK(here <= r.deepest + 1e-9 || r.missed > 0); /* and what there is is told */
        worst = fmax(worst, here);
    }
    scene_end(&s);
    return worst;
}

TEST(crushed_parts_stay_outside) {
    static const cairn_element_kind kind[] = {CAIRN_ELEMENT_TET4, CAIRN_ELEMENT_HEX8, CAIRN_ELEMENT_TET10};
    static const cairn_fem_law law[] = {CAIRN_FEM_COROTATIONAL, CAIRN_FEM_SVK, CAIRN_FEM_NEO_HOOKEAN};
    const int kinds = TEST_SANITIZED ? 1 : 3;
    int seen = 0;
    for (int k = 0; k < kinds; k++)
        for (int l = 0; l < 3; l++) {
            int inverted, certified;
            double worst = crush(kind[k], law[l], false, &inverted, &certified);
            if (worst > 1e-4)
                printf("kind %d law %d: %g m\n", k, l, worst);
            CHECK(worst < 1e-4 && certified == 0);
            seen += inverted > 0;
            if (law[l] != CAIRN_FEM_SVK)
                continue;
            worst = crush(kind[k], law[l], true, &inverted, &certified); /* the law that collapses first */
            if (worst > 1e-4)
                printf("kind %d law %d, between parts: %g m\n", k, l, worst);
            CHECK(certified == 0);
            CHECK(worst < 1e-4 ||
                  kind[k] == CAIRN_ELEMENT_TET10); /* inside out they are torn apart: docs/flexible.md */
        }
    CHECK(seen >= (TEST_SANITIZED ? 1 : 4)); /* else nothing was crushed */
}

/* A cube with one corner pushed through: inside out while it is held so. */
TEST(inside_out) {
    static const cairn_element_kind kind[] = {CAIRN_ELEMENT_TET4, CAIRN_ELEMENT_HEX8, CAIRN_ELEMENT_TET10};
    for (int k = 0; k < 3; k++)
        for (int far = 0; far < 2; far++) {
            scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
            cairn_fem_mesh *mesh = cube(&s, kind[k]);
            cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
            static int node[200];
            double way = far ? 1.5 : 0.05;
            int count = nodes_at(&m, 0, 0.49, 0.51, node);
            cairn_flexible_hold hold = {.nodes = count, .node = node, .motion = late, .user = &(double){1e9}};
            cairn_body body = add_soft(&s, mesh, soft_material(1e5, 0.0), cairn_pose_at(0, 0, 0), &hold, 1);
            cairn_flexible_view v = view_of(&s, body);
            double *x = (double *)(uintptr_t)v.x;
            for (int i = 0; i < count; i++)
                x[3 * v.mesh.vector[node[i]]] = 0.5 - way;
            cairn_step_report r;
            CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
            CHECK(far ? r.inverted == 0 || !r.certified : r.inverted == 0 && r.certified);
            scene_end(&s);
        }
}

/* A block that begins in the floor: how deep is told, and judged by a twentieth of 2 volume/area, until it has come out. */
TEST(depth_of_parts_is_judged) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, -G));
    cairn_body floor = scene_plane(&s, cairn_quat_identity());
    double deep = 0.005, allowed = 0.05 * 0.1 / 3.0;
    cairn_body block = add_soft_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), (const int[]){2, 2, 2}, soft_material(1e6, 0.01),
                                    cairn_pose_at(0, 0, 0.05 - deep), NULL, 0);
    for (int i = 0; i < 10; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        double left = fmax(0.0, deep - 0.001 * (i + 1)); /* 0.1 m/s */
        CHECK_NEAR(r.deepest, left, 1e-4);
        CHECK_NEAR(r.depth, left, 1e-4);
        CHECK(r.certified == (left < allowed) && r.apart == r.certified);
        if (left > 0.0) {
            CHECK_NEAR(r.depth_tolerance, allowed, 1e-12);
            CHECK((r.deep[0].slot == floor.slot) + (r.deep[1].slot == block.slot) == 2);
        }
        if (!r.certified)
            CHECK_CONTAINS(r.info.note, "overlap by 0.00");
    }
    scene_end(&s);
}

int main(void) {
    RUN(rollers_on_adjacent_faces);
    RUN(reactions_carry);
    RUN(reactions_of_motion);
    RUN(holds_that_contradict);
    RUN(many_holds);
    RUN(pose_is_that_of_the_mass);
    RUN(straight_rod);
    RUN(crushed_parts_stay_outside);
    RUN(inside_out);
    RUN(depth_of_parts_is_judged);
    return test_end();
}
