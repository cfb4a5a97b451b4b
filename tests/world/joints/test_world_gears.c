/*
 * test_world_gears.c: gears between wheels, bevel wheels and racks: rows against differences, motions in closed form, full turns.
 */
#include "rigid/joint.h"
#include "support/world_scene.h"

static cairn_joint add_joint(scene *s, const cairn_joint_def *def) {
    cairn_joint joint = {0, 0};
    CHECK(cairn_world_add_joint(s->world, def, &joint) == CAIRN_OK);
    return joint;
}

static cairn_joint hold(scene *s, cairn_joint_kind kind, cairn_body b, cairn_pose frame) {
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = kind;
    def.b = b;
    def.frame = frame;
    def.coordinate = kind == CAIRN_JOINT_REVOLUTE ? CAIRN_COORDINATE_TURN : CAIRN_COORDINATE_SLIDE;
    return add_joint(s, &def);
}

static cairn_joint_state state_of(const scene *s, cairn_joint j) {
    cairn_joint_state st = {0};
    CHECK(cairn_world_joint(s->world, j, &st) == CAIRN_OK);
    return st;
}

/* A body that moves on a carrier, in the world: where it is after a time, and its velocity and spin. */
typedef struct carried {
    cairn_rigid own; /* pose on the carrier */
    cairn_vec3 v, w; /* on the carrier; w in the body's axes */
} carried;

static cairn_rigid carried_at(const carried *c, cairn_rigid carrier, cairn_vec3 v, cairn_vec3 w, double time) {
    cairn_rigid r = c->own;
    cairn_rigid_move(&carrier, time, v, w);
    cairn_rigid_move(&r, time, c->v, c->w);
    r.x = cairn_vec3_add(carrier.x, cairn_quat_rotate(carrier.q, r.x));
    r.q = cairn_quat_multiply(carrier.q, r.q);
    return r;
}

static double row_times(const double *row, cairn_vec3 v, cairn_vec3 w) {
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z;
}

static cairn_vec3 random_vector(test_random *r) {
    return cairn_vec3_of(test_random_signed(r), test_random_signed(r), test_random_signed(r));
}

/* The row is the derivative of the gap, for turns and slides on either side, with axes on a body that moves and turns. */
TEST(rows_are_derivatives) {
    test_random r = {7};
    for (int trial = 0; trial < 80; trial++) {
        cairn_joint_data j = {.def = cairn_default_joint_def()};
        cairn_rigid carrier = {.q = cairn_quat_identity(), .mass = 1.0};
        cairn_vec3 v = {0, 0, 0}, w = {0, 0, 0};
        if (trial % 8 >= 4) {
            carrier.x = random_vector(&r);
            carrier.q = cairn_quat_exp(random_vector(&r));
            v = random_vector(&r);
            w = random_vector(&r);
        }
        carried side[2];
        cairn_pose frame[2];
        for (int k = 0; k < 2; k++) {
            frame[k] = (cairn_pose){random_vector(&r), cairn_quat_exp(random_vector(&r))};
            cairn_vec3 z = cairn_quat_rotate(frame[k].rotation, cairn_vec3_of(0, 0, 1));
            double angle = 3.0 * test_random_signed(&r);
            side[k].own = (cairn_rigid){.x = cairn_vec3_add_scaled(frame[k].position, 0.3 * test_random_signed(&r), z),
                                        .q = cairn_quat_multiply(cairn_quat_turn(z, angle), frame[k].rotation),
                                        .mass = 1.0};
            side[k].v = cairn_vec3_scale(test_random_signed(&r), z); /* what bearings leave free */
            side[k].w = cairn_quat_rotate(cairn_quat_conjugate(side[k].own.q),
                                          cairn_vec3_scale(test_random_signed(&r), z));
        }
        j.def.kind = CAIRN_JOINT_GEAR;
        j.def.ratio = 0.5 + test_random_unit(&r);
        j.def.slide_a = trial % 2 == 1;
        j.def.slide_b = trial / 2 % 2 == 1;
        j.at_a.rotation = j.at_b.rotation = cairn_quat_identity();
        j.in_a = frame[0];
        j.in_b = frame[1];
        double step = 1e-5, gap[2], rate = 0.0;
        for (int sign = -1; sign <= 1; sign += 2) {
            cairn_rigid a = carried_at(&side[0], carrier, v, w, sign * step);
            cairn_rigid b = carried_at(&side[1], carrier, v, w, sign * step), c = carrier;
            cairn_joint_rows rows;
            cairn_rigid_move(&c, sign * step, v, w);
            cairn_joint_write(&j, (cairn_joint_ends){&a, &b, &c}, 0.0, 1.0, &rows);
            gap[(sign + 1) / 2] = rows.row[0].gap;
        }
        cairn_rigid now[2] = {carried_at(&side[0], carrier, v, w, 0.0), carried_at(&side[1], carrier, v, w, 0.0)};
        cairn_joint_rows rows;
        cairn_joint_write(&j, (cairn_joint_ends){&now[0], &now[1], &carrier}, 0.0, 1.0, &rows);
        CHECK(rows.rows == 1);
        cairn_vec3 spin = cairn_quat_rotate(carrier.q, w);
        for (int k = 0; k < 2; k++) {
            cairn_vec3 vk = cairn_vec3_add(v, cairn_vec3_cross(spin, cairn_vec3_sub(now[k].x, carrier.x)));
            vk = cairn_vec3_add(vk, cairn_quat_rotate(carrier.q, side[k].v));
            cairn_vec3 wk = cairn_vec3_add(side[k].w, cairn_quat_rotate(cairn_quat_conjugate(side[k].own.q), w));
            rate += row_times(k == 0 ? rows.row[0].a : rows.row[0].b, vk, wk);
        }
        rate += row_times(rows.row[0].c, v, w);
        CHECK_NEAR(rate, (gap[1] - gap[0]) / (2.0 * step), 1e-8);
    }
}

/* Two wheels, axes parallel or at right angles: a constant torque T on the first turns it with T/(I_a + I_b/r^2), and after many turns the
 * wheels still fit. */
TEST(wheels) {
    for (int bevel = 0; bevel < 2; bevel++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double ratio = 2.5 * sign, torque = 3.0, ia = 0.2, ib = 0.5, h = 0.002;
            scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
            cairn_body a = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(ia, ia, ia));
            cairn_body b = scene_mass(&s, cairn_vec3_of(1, 0, 0), 2.0, cairn_vec3_of(ib, ib, ib));
            cairn_pose at = cairn_pose_identity(), other = cairn_pose_at(1, 0, 0);
            if (bevel)
                other.rotation = cairn_quat_turn(cairn_vec3_of(0, 1, 0), QUARTER_TURN);
            cairn_joint ja = hold(&s, CAIRN_JOINT_REVOLUTE, a, at), jb = hold(&s, CAIRN_JOINT_REVOLUTE, b, other);
            cairn_joint_def def = cairn_default_joint_def();
            def.kind = CAIRN_JOINT_GEAR;
            def.a = a;
            def.b = b;
            def.frame = at;
            def.has_frame_b = true;
            def.frame_b = other;
            def.ratio = ratio;
            cairn_joint gear = add_joint(&s, &def);
            int steps = 2000;
            for (int i = 0; i < steps; i++) {
                CHECK(cairn_world_push(s.world, a, cairn_vec3_of(0, 0, 0), cairn_vec3_of(0, 0, torque)) == CAIRN_OK);
                scene_step(&s);
            }
            double alpha = torque / (ia + ib / (ratio * ratio)), t = steps * h;
            CHECK_NEAR(state_of(&s, ja).coordinate, 0.5 * alpha * t * (t + h), 1e-3 * alpha * t * t);
            CHECK(state_of(&s, ja).coordinate > 60.0);
            CHECK_NEAR(state_of(&s, ja).coordinate + ratio * state_of(&s, jb).coordinate, 0.0, 1e-5);
            CHECK(state_of(&s, gear).gap < 1e-5);
            CHECK_NEAR(state_of(&s, gear).coordinate, state_of(&s, ja).coordinate, 1e-9);
            scene_end(&s);
        }
}

/* A wheel of radius r on a rack: x = r theta; a weight on the rack turns the wheel. */
TEST(rack_and_pinion) {
    double radius = 0.3, mass = 2.0, inertia = 0.4, h = 0.005;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body wheel = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(inertia, inertia, inertia));
    cairn_body rack = scene_mass(&s, cairn_vec3_of(radius, 0, 0), mass, cairn_vec3_of(1, 1, 1));
    cairn_pose axle = {{0, 0, 0}, cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN)}; /* z along -y */
    cairn_pose guide = cairn_pose_at(radius, 0, 0);
    cairn_joint turn = hold(&s, CAIRN_JOINT_REVOLUTE, wheel, axle),
                slide = hold(&s, CAIRN_JOINT_PRISMATIC, rack, guide);
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_GEAR;
    def.a = wheel;
    def.b = rack;
    def.frame = axle;
    def.has_frame_b = true;
    def.frame_b = guide;
    def.slide_b = true;
    def.ratio = -1.0 / radius;
    add_joint(&s, &def);
    scene_run(&s, 200);
    double a = -9.81 * mass / (mass + inertia / (radius * radius)), t = 200 * h;
    CHECK_NEAR(state_of(&s, slide).coordinate, 0.5 * a * t * (t + h), 1e-3);
    CHECK_NEAR(state_of(&s, turn).coordinate * radius, state_of(&s, slide).coordinate, 1e-5);
    scene_end(&s);
}

/* Sun, one planet on a carrier, ring. Willis: (w_sun - w_arm)/(w_ring - w_arm) = -teeth_ring/teeth_sun. */
typedef struct planetary {
    double sun, planet, ring; /* radii */
    double I_sun, I_planet, I_ring, I_arm, mass;
    cairn_body body[4]; /* sun, planet, ring, arm */
    cairn_joint turn[4];
} planetary;

static cairn_joint mesh(scene *s, cairn_body a, cairn_body b, cairn_pose at_a, cairn_pose at_b, cairn_body carrier,
                        double ratio) {
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_GEAR;
    def.a = a;
    def.b = b;
    def.frame = at_a;
    def.has_frame_b = true;
    def.frame_b = at_b;
    def.carrier = carrier;
    def.ratio = ratio;
    return add_joint(s, &def);
}

/* All in the plane of x and y, or in a plane that turned puts it to. */
static planetary make_planetary(scene *s, cairn_quat turned) {
    planetary g = {.sun = 0.2, .planet = 0.15, .I_sun = 0.3, .I_planet = 0.1, .I_ring = 0.8, .I_arm = 0.4, .mass = 2.0};
    g.ring = g.sun + 2.0 * g.planet;
    double reach = g.sun + g.planet, inertia[4] = {g.I_sun, g.I_planet, g.I_ring, g.I_arm};
    cairn_pose centre = {{0, 0, 0}, turned}, axle = {cairn_quat_rotate(turned, cairn_vec3_of(reach, 0, 0)), turned};
    for (int i = 0; i < 4; i++)
        g.body[i] = scene_mass(s, i == 1 ? axle.position : centre.position, g.mass,
                               cairn_vec3_of(inertia[i], inertia[i], inertia[i]));
    for (int i = 0; i < 4; i++)
        if (i != 1)
            g.turn[i] = hold(s, CAIRN_JOINT_REVOLUTE, g.body[i], centre);
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_REVOLUTE;
    def.a = g.body[3];
    def.b = g.body[1];
    def.frame = axle;
    def.coordinate = CAIRN_COORDINATE_TURN;
    g.turn[1] = add_joint(s, &def);
    mesh(s, g.body[0], g.body[1], centre, axle, g.body[3], g.planet / g.sun);
    mesh(s, g.body[1], g.body[2], axle, centre, g.body[3], -g.ring / g.planet); /* teeth inside the ring */
    return g;
}

static double turn_of(const scene *s, const planetary *g, int i) {
    return state_of(s, g->turn[i]).coordinate;
}

/* Without a held wheel, torques on sun and ring: two free turns, closed form by Lagrange's equations; the ratio of Willis holds after many turns.
 * Bodies of isotropic inertia, so that nothing else turns. */
TEST(planetary_gear) {
    double h = 0.005, on_sun = 2.0, on_ring = -0.7;
    cairn_quat plane[2] = {cairn_quat_identity(), cairn_quat_turn(cairn_vec3_of(0.6, 0.8, 0), 0.7)};
    for (int which = 0; which < 2; which++) {
        scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
        planetary g = make_planetary(&s, plane[which]);
        cairn_vec3 z = cairn_quat_rotate(plane[which], cairn_vec3_of(0, 0, 1)), none = {0, 0, 0};
        int steps = 800;
        for (int i = 0; i < steps; i++) {
            CHECK(cairn_world_push(s.world, g.body[0], none, cairn_vec3_scale(on_sun, z)) == CAIRN_OK);
            CHECK(cairn_world_push(s.world, g.body[2], none, cairn_vec3_scale(on_ring, z)) == CAIRN_OK);
            scene_step(&s);
        }
        double sun = turn_of(&s, &g, 0), planet = turn_of(&s, &g, 1), ring = turn_of(&s, &g, 2),
               arm = turn_of(&s, &g, 3);
        CHECK(fabs(sun) > 30.0);
        CHECK_NEAR(sun - arm + (g.ring / g.sun) * (ring - arm), 0.0, 1e-4);
        CHECK_NEAR((sun - arm) + (g.planet / g.sun) * planet, 0.0, 1e-4);
        /* arm = (sun r_s + ring r_r)/(r_s + r_r), planet against the world = arm - (sun - arm) r_s/r_p */
        double p = g.sun / (g.sun + g.ring), q = 1.0 - p, k = g.sun / g.planet, reach = g.sun + g.planet;
        double ps = p - k * (1.0 - p), pr = q + k * q; /* planet = ps sun + pr ring */
        double I = g.I_arm + g.mass * reach * reach;
        double a = g.I_sun + I * p * p + g.I_planet * ps * ps, b = I * p * q + g.I_planet * ps * pr,
               c = g.I_ring + I * q * q + g.I_planet * pr * pr, det = a * c - b * b, t = steps * h;
        double sun_rate = (c * on_sun - b * on_ring) / det, ring_rate = (a * on_ring - b * on_sun) / det;
        CHECK_NEAR(sun, 0.5 * sun_rate * t * (t + h), 2e-3 * fabs(sun));
        CHECK_NEAR(ring, 0.5 * ring_rate * t * (t + h), 2e-3 * fabs(ring));
        scene_end(&s);
    }
}

/* The ring held: the arm turns r_s/(r_s + r_r) times as fast as the sun. */
TEST(reduction) {
    double h = 0.005;
    scene s = scene_make(1, h, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
    planetary g = make_planetary(&s, cairn_quat_identity());
    cairn_joint_def def = cairn_default_joint_def();
    def.kind = CAIRN_JOINT_FIXED;
    def.b = g.body[2];
    add_joint(&s, &def);
    for (int i = 0; i < 400; i++) {
        CHECK(cairn_world_push(s.world, g.body[0], cairn_vec3_of(0, 0, 0), cairn_vec3_of(0, 0, 1.0)) == CAIRN_OK);
        scene_step(&s);
    }
    double sun = turn_of(&s, &g, 0);
    CHECK(sun > 4.0);
    CHECK_NEAR(turn_of(&s, &g, 3), sun * g.sun / (g.sun + g.ring), 1e-5);
    cairn_redundant_row row;
    cairn_redundancy found;
    CHECK(cairn_world_redundancy(s.world, &row, 1, &found) == CAIRN_OK);
    CHECK(found.rank == found.rows - 5); /* the ring's bearing says nothing that its weld does not */
    CHECK(cairn_world_remove_body(s.world, g.body[3]) == CAIRN_ERROR_STATE);
    scene_end(&s);
}

TEST(bad_gears_are_refused) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body a = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(1, 1, 1));
    cairn_body b = scene_mass(&s, cairn_vec3_of(1, 0, 0), 1.0, cairn_vec3_of(1, 1, 1));
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint j;
    def.kind = CAIRN_JOINT_GEAR;
    def.a = a;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "a gear needs two bodies");
    def.b = b;
    def.ratio = 0.0;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "the ratio of a gear is 0");
    def.ratio = 1.0;
    def.coordinate = CAIRN_COORDINATE_TURN;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "drive one of the joints that it connects");
    def.coordinate = CAIRN_COORDINATE_NONE;
    def.carrier = b;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "the carrier of a gear is one of its wheels");
    def.carrier = (cairn_body){77, 1};
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "77");
    def.kind = CAIRN_JOINT_REVOLUTE;
    def.carrier = b;
    CHECK(cairn_world_add_joint(s.world, &def, &j) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "only gears have a carrier");
    scene_end(&s);
}

int main(void) {
    RUN(rows_are_derivatives);
    RUN(wheels);
    RUN(rack_and_pinion);
    RUN(planetary_gear);
    RUN(reduction);
    RUN(bad_gears_are_refused);
    return test_end();
}
