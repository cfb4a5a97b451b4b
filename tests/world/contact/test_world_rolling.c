/*
 * test_world_rolling.c: Euler's disc, and what contacts that are linearised about the motion of a step change elsewhere: nothing.
 */
#include "support/world_scene.h"

#define RADIUS 0.0375
#define TILT   0.17453292519943295

static scene rolling_scene(double h, bool rolling) {
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    def.step = h;
    def.rolling = rolling;
    def.tolerance_depth =
        1e-5; /* the disc has next to no thickness, and a hundredth of that is less than a step of Euler's can keep */
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    CHECK(cairn_world_add_material(s.world, &m, &s.material) == CAIRN_OK);
    scene_plane(&s, cairn_quat_identity());
    return s;
}

/* A thin disc at angle TILT that rolls on its rim while its centre rests: its contact goes round with sqrt(4 g/(a sin tilt)). */
static cairn_body add_disc(scene *s, double rate) {
    const double half = 1e-6, mass = 0.4;
    cairn_body_def def = cairn_default_body_def();
    cairn_body body = {0, 0};
    cairn_mass m = {.mass = mass};
    m.inertia.m[0][0] = m.inertia.m[1][1] = 0.25 * mass * RADIUS * RADIUS;
    m.inertia.m[2][2] = 0.5 * mass * RADIUS * RADIUS;
    CHECK(cairn_shape_cylinder(s->context, RADIUS, half, &def.shape) == CAIRN_OK);
    def.mass = &m;
    def.material = s->material;
    def.pose = (cairn_pose){{0, 0, RADIUS * sin(TILT) + half * cos(TILT)},
                            cairn_quat_turn(cairn_vec3_of(0, 1, 0), TILT)};
    def.angular_velocity = cairn_vec3_scale(-rate * sin(TILT), cairn_vec3_of(cos(TILT), 0, -sin(TILT)));
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    cairn_shape_release(def.shape);
    return body;
}

/* Mean rate at which the lowest point goes round in the given time, rad/s; *tilt: angle at the end. */
static double rate_of(double h, bool rolling, double time, double *tilt) {
    double rate = sqrt(4.0 * 9.81 / (RADIUS * sin(TILT))), gone = 0.0, before = 0.0;
    scene s = rolling_scene(h, rolling);
    cairn_body disc = add_disc(&s, rate);
    int steps = (int)lround(time / h);
    for (int i = 0; i < steps; i++) {
        cairn_step_report r;
        cairn_body_state at;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        CHECK(r.certified);
        CHECK(cairn_world_body(s.world, disc, &at) == CAIRN_OK);
        cairn_vec3 axis = cairn_quat_rotate(at.pose.rotation, cairn_vec3_of(0, 0, 1));
        double now = atan2(axis.y, axis.x), turn = now - before;
        gone += turn > 2.0 * QUARTER_TURN    ? turn - 4.0 * QUARTER_TURN
                : turn < -2.0 * QUARTER_TURN ? turn + 4.0 * QUARTER_TURN
                                             : turn;
        before = now;
        *tilt = acos(fmin(1.0, fabs(axis.z)));
    }
    scene_end(&s);
    return gone / time;
}

/* Case 23. */
TEST(eulers_disc) {
    double tilt;
    CHECK_NEAR(rate_of(1e-3, true, 0.5, &tilt), 77.627, 0.08);
    CHECK_NEAR(tilt, TILT, 0.02 * TILT);
    CHECK_NEAR(rate_of(5e-4, true, 0.5, &tilt), 77.627, 0.04);
    CHECK_NEAR(tilt, TILT, 0.01 * TILT);
    rate_of(1e-3, false, 0.5, &tilt); /* a plain step lets it fall over */
    CHECK(tilt < 0.5 * TILT);
}

/* A ball that rolls and a box that slides have no curvature to feel. */
TEST(others_move_as_before) {
    cairn_vec3 at[2][2];
    for (int k = 0; k < 2; k++) {
        scene s = rolling_scene(0.01, k == 1);
        cairn_body ball = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, 0.1), cairn_vec3_of(3, 0, 0));
        cairn_body box = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.1), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 1, 0.1));
        CHECK(cairn_world_set_velocity(s.world, box, cairn_vec3_of(2, 0, 0), cairn_vec3_of(0, 0, 0)) == CAIRN_OK);
        for (int i = 0; i < 100; i++) {
            cairn_step_report r;
            CHECK(cairn_world_step(s.world, &r) == CAIRN_OK && r.certified);
        }
        cairn_body_state state;
        CHECK(cairn_world_body(s.world, ball, &state) == CAIRN_OK);
        at[k][0] = state.center;
        CHECK(cairn_world_body(s.world, box, &state) == CAIRN_OK);
        at[k][1] = state.center;
        scene_end(&s);
    }
    for (int b = 0; b < 2; b++)
        CHECK(cairn_vec3_length(cairn_vec3_sub(at[0][b], at[1][b])) < 1e-9);
}

int main(void) {
    RUN(eulers_disc);
    RUN(others_move_as_before);
    return test_end();
}
