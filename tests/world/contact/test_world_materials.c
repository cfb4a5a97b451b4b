/*
 * test_world_materials.c: friction, restitution, compliance and adhesion, how materials combine, and rules for pairs: against closed forms.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81}, none = {0, 0, 0};

static cairn_material add_material(scene *s, double friction, double restitution, double compliance, double adhesion) {
    cairn_material_def m = cairn_default_material_def();
    cairn_material material = {0};
    m.friction = friction;
    m.restitution = restitution;
    m.compliance = compliance;
    m.adhesion = adhesion;
    CHECK(cairn_world_add_material(s->world, &m, &material) == CAIRN_OK);
    return material;
}

static cairn_shape *box_of(scene *s, double x, double y, double z) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_box(s->context, cairn_vec3_of(x, y, z), &shape) == CAIRN_OK);
    return shape;
}

static cairn_shape *ball_of(scene *s, double r) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_sphere(s->context, r, &shape) == CAIRN_OK);
    return shape;
}

/* A body sinks into what it rests on by force times compliance, shared by its contact points; compliances of both sides add. */
TEST(static_penetration_is_force_times_compliance) {
    static const double size[] = {1e-8, 1e-6, 1e-5}; /* m/N; the largest sinks by 4 mm a ball */
    for (int k = 0; k < 3; k++)
        for (int points = 1; points <= 4; points += 3) {
            scene s = scene_make(1, 0.01, 0.5, 0.0, down);
            cairn_material soft = add_material(&s, 0.5, 0.0, 0.25 * size[k], 0.0);
            cairn_material other = add_material(&s, 0.5, 0.0, 0.75 * size[k], 0.0);
            s.material = soft;
            scene_plane(&s, cairn_quat_identity());
            s.material = other;
            cairn_body b = scene_add(&s, points == 1 ? ball_of(&s, 0.2) : box_of(&s, 0.2, 0.2, 0.2), CAIRN_BODY_DYNAMIC,
                                     cairn_pose_at(0, 0, 0.2), none, none);
            double weight = 9.81 * scene_state(&s, b).mass;
            scene_run(&s, 300);
            cairn_body_state st = scene_state(&s, b);
            CHECK_NEAR(0.2 - st.center.z, weight * size[k] / points, 1e-4 * weight * size[k] + 1e-12);
            CHECK(cairn_vec3_length(st.velocity) < 1e-6);
            scene_end(&s);
        }
}

/* A ball hangs from the ceiling as long as adhesion bears its weight; the smaller of two adhesions counts. */
TEST(adhesion_bears_up_to_its_force) {
    for (int k = 0; k < 4; k++) {
        static const double share[4] = {1.001, 0.999, 3.0, 0.5}; /* of the weight */
        scene s = scene_make(1, 0.01, 0.5, 0.0, down);
        double weight = 9.81 * 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * 0.001;
        s.material = add_material(&s, 0.5, 0.0, 0.0, share[k] * weight);
        scene_plane(&s, cairn_quat_turn(cairn_vec3_of(1, 0, 0), 2.0 * QUARTER_TURN)); /* solid above z = 0 */
        s.material = add_material(&s, 0.5, 0.0, 0.0, 100.0 * weight);
        cairn_body b = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, -0.1), none);
        scene_run(&s, 100);
        double z = scene_state(&s, b).center.z;
        if (share[k] > 1.0)
            CHECK_NEAR(z, -0.1, 1e-6);
        else if (share[k] == 0.5)
            CHECK(z < -1.0); /* it let go at once and fell freely: adhesion has no reach */
        else
            CHECK(z < -0.1001);
        scene_end(&s);
    }
}

/* A ball that sticks to a wall does not slide down either: the associated cone is shifted by the adhesion. */
TEST(adhesion_gives_friction) {
    for (int k = 0; k < 2; k++) {
        scene s = scene_make(1, 0.01, 0.5, 0.0, down);
        double weight = 9.81 * 1000.0 * 0.008;
        s.material = add_material(&s, 0.5, 0.0, 0.0, (k == 0 ? 2.2 : 1.2) * weight / 4.0); /* four points, mu 0.5 */
        scene_plane(&s, cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN));            /* solid for x < 0 */
        cairn_body b = scene_add(&s, box_of(&s, 0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.1, 0, 0), none,
                                 none);
        scene_run(&s, 50);
        double z = scene_state(&s, b).center.z;
        CHECK(k == 0 ? z > -0.02 : z < -0.05);
        scene_end(&s);
    }
}

/* Friction of a pair: geometric mean, or the rule for the pair. */
TEST(friction_of_pairs) {
    for (int rule = 0; rule < 2; rule++) {
        scene s = scene_make(1, 0.001, 0.5, 0.0, down);
        cairn_material a = add_material(&s, 0.2, 0.0, 0.0, 0.0), b = add_material(&s, 0.8, 0.0, 0.0, 0.0);
        if (rule == 1) {
            cairn_material_def def = cairn_default_material_def();
            def.friction = 0.1;
            CHECK(cairn_world_set_pair(s.world, b, a, &def) == CAIRN_OK);
        }
        s.material = a;
        scene_plane(&s, cairn_quat_identity());
        s.material = b;
        cairn_body body = scene_add(&s, box_of(&s, 0.2, 0.2, 0.02), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.02),
                                    cairn_vec3_of(2, 0, 0), none);
        scene_run(&s, 200);
        CHECK_NEAR(scene_state(&s, body).velocity.x, 2.0 - (rule == 1 ? 0.1 : 0.4) * 9.81 * 0.2, 1e-4);
        scene_end(&s);
    }
}

/* Restitution of a pair: the larger one, or the rule. Rise after a fall of 1 m is e^2. */
TEST(restitution_of_pairs) {
    for (int rule = 0; rule < 2; rule++) {
        scene s = scene_make(1, 0.001, 0.5, 0.0, down);
        cairn_material a = add_material(&s, 0.2, 0.1, 0.0, 0.0), b = add_material(&s, 0.8, 0.6, 0.0, 0.0);
        if (rule == 1) {
            cairn_material_def def = cairn_default_material_def();
            def.restitution = 0.9;
            CHECK(cairn_world_set_pair(s.world, a, b, &def) == CAIRN_OK);
        }
        s.material = a;
        scene_plane(&s, cairn_quat_identity());
        s.material = b;
        cairn_body body = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, 1.1), none);
        double top = 0.0, e = rule == 1 ? 0.9 : 0.6;
        for (int i = 0; i < 1000; i++) {
            scene_step(&s);
            if (i > 460)
                top = fmax(top, scene_state(&s, body).center.z - 0.1);
        }
        CHECK_NEAR(top, e * e, 0.01);
        scene_end(&s);
    }
}

TEST(bad_materials_are_refused) {
    scene s = scene_make(1, 0.001, 0.5, 0.0, down);
    static const double bad[5][4] = {{-1, 0, 0, 0}, {0, 1.5, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, NAN}, {1e7, 0, 0, 0}};
    static const char *const message[5] = {"friction is -1; it must be between 0 and 1e+06",
                                           "restitution is 1.5; it must be between 0 and 1", "compliance is -1 m/N",
                                           "adhesion is nan N", "friction is 1e+07; it must be between 0 and 1e+06"};
    for (int i = 0; i < 5; i++) {
        cairn_material_def m = cairn_default_material_def();
        cairn_material material;
        m.friction = bad[i][0];
        m.restitution = bad[i][1];
        m.compliance = bad[i][2];
        m.adhesion = bad[i][3];
        CHECK(cairn_world_add_material(s.world, &m, &material) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(cairn_error_message(s.context), message[i]);
    }
    scene_end(&s);
}

/* A mass that is given, and one that follows from size and density. */
TEST(bad_masses_are_refused) {
    scene s = scene_make(1, 0.001, 0.5, 0.0, down);
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    cairn_mass mass = {.mass = 1e31, .inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    def.mass = &mass;
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "the mass is 1e+31 kg; it must be between 1e-30 and 1e+30 kg");
    mass.mass = 1e-31;
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    def.mass = NULL;
    def.density = 1e10;
    CHECK(cairn_shape_sphere(s.context, 1e8, &def.shape) == CAIRN_OK);
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "it must be between 1e-30 and 1e+30 kg");
    cairn_shape_release(def.shape);
    scene_end(&s);
}

int main(void) {
    RUN(static_penetration_is_force_times_compliance);
    RUN(adhesion_bears_up_to_its_force);
    RUN(adhesion_gives_friction);
    RUN(friction_of_pairs);
    RUN(restitution_of_pairs);
    RUN(bad_materials_are_refused);
    RUN(bad_masses_are_refused);
    return test_end();
}
