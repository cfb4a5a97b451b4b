/*
 * test_world_crush.c: contacts that crush: a push of at most cap, and dents that stay, against closed forms.
 */
#include "support/world_scene.h"

static const cairn_vec3 none = {0, 0, 0};
static const double MASS = 10.0, GRAVITY = 9.81;

static cairn_material crushable(scene *s, double friction, double compliance, double cap) {
    cairn_material_def m = cairn_default_material_def();
    cairn_material material = {0};
    m.friction = friction;
    m.compliance = compliance;
    m.cap = cap;
    CHECK(cairn_world_add_material(s->world, &m, &material) == CAIRN_OK);
    return material;
}

/* A cube of 0.2 m and 10 kg on a floor, each of whose corners bears `cap`. */
static scene cube_on_floor(double h, double friction, double compliance, double cap, double speed, cairn_body *cube) {
    scene s = scene_make(1, h, friction, 0.0, (cairn_vec3){0, 0, -GRAVITY});
    cairn_shape *shape = NULL;
    cairn_body_def def = cairn_default_body_def();
    s.material = crushable(&s, friction, 0.25 * compliance, 2.0 * cap);
    scene_plane(&s, cairn_quat_identity());
    def.material = crushable(&s, friction, 0.75 * compliance, cap); /* the smaller cap counts, compliances add */
    def.density = MASS / 0.008;
    def.pose.position.z = 0.1;
    def.velocity.z = -speed;
    CHECK(cairn_shape_box(s.context, cairn_vec3_of(0.1, 0.1, 0.1), &shape) == CAIRN_OK);
    def.shape = shape;
    CHECK(cairn_world_add_body(s.world, &def, cube) == CAIRN_OK);
    cairn_shape_release(shape);
    return s;
}

static void push_for(scene *s, cairn_body body, cairn_vec3 force, cairn_vec3 torque, int steps) {
    for (int i = 0; i < steps; i++) {
        CHECK(cairn_world_push(s->world, body, force, torque) == CAIRN_OK);
        scene_step(s);
    }
}

/* Pushed by less than its corners bear a block stays; by more it sinks with the rest of the force, whatever the solver. */
TEST(what_a_corner_does_not_bear_accelerates) {
    static const double share[3] = {0.999, 1.001, 1.5}; /* of what four corners bear */
    static const char *const method[3] = {"auto", "pgs", "padmm"};
    for (int k = 0; k < 9; k++) {
        double h = 1e-3, cap = 50.0, force = share[k / 3] * 4.0 * cap - MASS * GRAVITY;
        scene s = scene_make(1, h, 0.5, 0.0, none);
        cairn_world_destroy(s.world);
        cairn_world_def def = cairn_default_world_def();
        def.step = h;
        def.solver = cairn_default_settings(method[k % 3]);
        def.solver.tolerance = 1e-10;
        CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
        s.material = crushable(&s, 0.5, 0.0, cap);
        scene_plane(&s, cairn_quat_identity());
        cairn_body b = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1));
        double mass = scene_state(&s, b).mass;
        force += (MASS - mass) * GRAVITY;
        push_for(&s, b, (cairn_vec3){0, 0, -force}, none, 100);
        double a = fmax(0.0, (share[k / 3] - 1.0) * 4.0 * cap / mass);
        CHECK_NEAR(scene_state(&s, b).velocity.z, -a * 100.0 * h, 1e-9);
        CHECK_NEAR(scene_state(&s, b).center.z, 0.1 - 0.5 * a * 100.0 * 101.0 * h * h, 1e-9);
        scene_end(&s);
    }
}

/* An impact is braked by what the corners bear: the dent is v^2/(2 (4 cap/m - g)) deep, to first order in h, and stays. All that was lost was lost by the impact. */
TEST(the_dent_of_an_impact) {
    const double cap = 100.0, speed = 1.0, braking = 4.0 * cap / MASS - GRAVITY, depth = 0.5 * speed * speed / braking;
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 1e-3 : 1e-4, impact = 0.0;
        cairn_body b;
        scene s = cube_on_floor(h, 0.5, 0.0, cap, speed, &b);
        for (int i = 0; i < (int)(0.1 / h); i++)
            impact += scene_step(&s).energy.impact;
        double sunk = 0.1 - scene_state(&s, b).center.z;
        CHECK_NEAR(sunk, depth, 0.6 * speed * h);
        CHECK_NEAR(impact, 0.5 * MASS * speed * speed + MASS * GRAVITY * depth, 5.0 * MASS * GRAVITY * speed * h);
        CHECK(cairn_vec3_length(scene_state(&s, b).velocity) < 1e-9);
        scene_end(&s);
    }
}

/* A block that is lifted out of its dent and let go again lands at the bottom of the dent, not on its rim, and crushes no further: its weight is borne. */
TEST(a_dent_stays_when_the_block_is_lifted) {
    cairn_body b;
    scene s = cube_on_floor(1e-3, 0.5, 0.0, 100.0, 1.0, &b);
    scene_run(&s, 100);
    double bottom = scene_state(&s, b).center.z;
    push_for(&s, b, (cairn_vec3){0, 0, MASS * (GRAVITY + 4.0)}, none, 50); /* up by 5 mm and a bit more, of 16 */
    CHECK(scene_state(&s, b).center.z > bottom + 4e-3);
    int aloft = 0;
    for (int i = 0; i < 400; i++) {
        scene_step(&s);
        aloft += scene_state(&s, b).center.z > bottom + 1e-4;
    }
    CHECK(aloft > 50);
    double landed = 0.5 * 0.2 * 0.2 + 0.2 * 0.2 / (2.0 * GRAVITY); /* no more than the height of this fall */
    CHECK(scene_state(&s, b).center.z <= bottom + 1e-9 && scene_state(&s, b).center.z > bottom - landed);
    scene_end(&s);
}

/* With give the contact is elastic up to cap and perfectly plastic beyond: of the work of the impact 2 cap^2 C are stored, and lift the block again, out of a
 * dent that is as much deeper as the rest of the work. */
TEST(elastic_before_it_crushes) {
    const double cap = 100.0, C = 1e-5, speed = 1.0, h = 1e-4;
    double stored = 2.0 * cap * cap * C, weight = MASS * GRAVITY;
    double dent = (0.5 * MASS * speed * speed + weight * cap * C - stored) / (4.0 * cap - weight);
    double lowest = 1.0, top = 0.0;
    cairn_body b;
    scene s = cube_on_floor(h, 0.5, C, cap, speed, &b);
    for (int i = 0; i < 1000; i++) {
        scene_step(&s);
        double z = scene_state(&s, b).center.z;
        top = z < lowest ? z : fmax(top, z);
        lowest = fmin(lowest, z);
    }
    CHECK_NEAR(0.1 - lowest, dent + cap * C, 1.3 * speed * h); /* of first order */
    CHECK_NEAR(top - lowest, stored / weight, 0.05 * stored / weight);
    scene_end(&s);
}

/* Where all corners crush, friction holds mu cap each, whatever presses: sideways the block goes with the rest of the force. A torque keeps it from tipping. */
TEST(friction_of_crushed_corners) {
    const double cap = 50.0, mu = 0.4, h = 1e-3, side = 100.0, down = 300.0;
    cairn_body b;
    scene s = cube_on_floor(h, mu, 0.0, cap, 0.0, &b);
    push_for(&s, b, (cairn_vec3){side, 0, -down}, (cairn_vec3){0, -0.1 * 4.0 * mu * cap, 0}, 50);
    cairn_vec3 v = scene_state(&s, b).velocity;
    CHECK_NEAR(v.x, 50.0 * h * (side - 4.0 * mu * cap) / MASS, 1e-8);
    CHECK_NEAR(v.z, -50.0 * h * (down + MASS * GRAVITY - 4.0 * cap) / MASS, 1e-8);
    scene_end(&s);
}

/* A state saved while the floor is crushed goes on with the same bits: the dent is in it. */
TEST(a_dent_is_saved) {
    static unsigned char bytes[1 << 16];
    size_t size = 0;
    cairn_body b, c;
    scene s = cube_on_floor(1e-3, 0.5, 0.0, 100.0, 1.0, &b), other = cube_on_floor(1e-3, 0.5, 0.0, 100.0, 1.0, &c);
    scene_run(&s, 50);
    push_for(&s, b, (cairn_vec3){0, 0, MASS * (GRAVITY + 4.0)}, none, 20);
    CHECK(cairn_world_save(s.world, bytes, sizeof bytes, &size) == CAIRN_OK);
    CHECK(cairn_world_load_state(other.world, bytes, size) == CAIRN_OK);
    scene_run(&s, 200);
    scene_run(&other, 200);
    cairn_body_state x = scene_state(&s, b), y = scene_state(&other, c);
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    scene_end(&s);
    scene_end(&other);
}

/* A cap of 0 is none: the other one's counts, and a rule of the pair lifts it. */
TEST(caps_of_pairs) {
    for (int k = 0; k < 4; k++) { /* the floor's cap: none, larger, the smaller one; none with a rule */
        static const double floor_cap[4] = {0.0, 80.0, 30.0, 0.0}, counts[4] = {50.0, 50.0, 30.0, INFINITY};
        scene s = scene_make(1, 1e-3, 0.5, 0.0, none);
        cairn_material floor = crushable(&s, 0.5, 0.0, floor_cap[k]), block = crushable(&s, 0.5, 0.0, 50.0);
        cairn_material_def rule = cairn_default_material_def();
        s.material = floor;
        scene_plane(&s, cairn_quat_identity());
        s.material = block;
        cairn_body b = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.1));
        if (k == 3)
            CHECK(cairn_world_set_pair(s.world, block, floor, &rule) == CAIRN_OK);
        push_for(&s, b, (cairn_vec3){0, 0, -240.0}, none, 10);
        CHECK_NEAR(scene_state(&s, b).velocity.z, -fmax(0.0, 240.0 - 4.0 * counts[k]) / 8.0 * 0.01, 1e-9);
        scene_end(&s);
    }
}

TEST(bad_caps_are_refused) {
    scene s = scene_make(1, 0.001, 0.5, 0.0, none);
    cairn_material material;
    cairn_material_def m = cairn_default_material_def();
    CHECK(m.cap == 0.0);
    static const double bad[3] = {INFINITY, -1.0, NAN};
    for (int i = 0; i < 3; i++) {
        m.cap = bad[i];
        CHECK(cairn_world_add_material(s.world, &m, &material) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(cairn_error_message(s.context), "it must be 0 or more and finite");
    }
    m.cap = 5.0;
    m.adhesion = 1.0;
    CHECK(cairn_world_set_pair(s.world, s.material, s.material, &m) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "adhesion is 1 N and cap 5 N; a contact has one of the two");
    scene_end(&s);
}

int main(void) {
    RUN(what_a_corner_does_not_bear_accelerates);
    RUN(the_dent_of_an_impact);
    RUN(a_dent_stays_when_the_block_is_lifted);
    RUN(elastic_before_it_crushes);
    RUN(friction_of_crushed_corners);
    RUN(a_dent_is_saved);
    RUN(caps_of_pairs);
    RUN(bad_caps_are_refused);
    return test_end();
}
