/*
 * test_world_floors.c: bodies slide over one floor cut into triangles in many ways (floor_samples.h): inner edges are not felt, friction is that of a plane.
 */
#include "collide/shape/shape.h"
#include "support/floor_samples.h"
#include "support/world_scene.h"

static sample_mesh m;

enum { BODIES = 5 };

static const char *const body_name[BODIES] = {"box", "ball", "cylinder", "capsule", "hull"};

/* 0.1 high, lying on the plane z = 0 when its centre is at z = 0.05. */
static cairn_shape *body_shape(scene *s, int kind) {
    cairn_shape *shape = NULL;
    cairn_vec3 corner[12];
    for (int i = 0; i < 12; i++) {
        double turn = 1.0471975511965976 * (i % 6) + 0.1;
        corner[i] = cairn_vec3_of(0.12 * cos(turn), 0.09 * sin(turn), i < 6 ? -0.05 : 0.05);
    }
    cairn_status status = kind == 0   ? cairn_shape_box(s->context, cairn_vec3_of(0.15, 0.1, 0.05), &shape)
                          : kind == 1 ? cairn_shape_sphere(s->context, 0.05, &shape)
                          : kind == 2 ? cairn_shape_cylinder(s->context, 0.1, 0.05, &shape)
                          : kind == 3 ? cairn_shape_capsule(s->context, 0.05, 0.1, &shape)
                                      : cairn_shape_hull(s->context, 12, corner, &shape);
    CHECK(status == CAIRN_OK);
    return shape;
}

typedef struct slide {
    floor_kind floor;
    int body;
    double mu, speed, direction, x, y, turn;
    cairn_pose place; /* of the floor */
    int steps;
} slide;

typedef struct slid {
    cairn_body_state end;
    double unsteady, spin; /* largest change of velocity, largest angular velocity */
} slid;

/* The plane that the flat floor is taken for, in the floor's frame. */
static cairn_pose plane_of(const cairn_shape *mesh) {
    cairn_vec3 n = mesh->mesh.patch_normal[0], axis = {-n.y, n.x, 0.0};
    double sine = cairn_vec3_length(axis);
    cairn_pose pose = {cairn_vec3_scale(mesh->mesh.patch_level[0], n), {1, 0, 0, 0}};
    if (sine > 0.0)
        pose.rotation = cairn_quat_turn(cairn_vec3_scale(1.0 / sine, axis), asin(sine));
    return pose;
}

/* Slides over the floor, or over the plane that it is taken for. */
static slid run(const slide *c, bool plane) {
    cairn_vec3 none = {0, 0, 0}, up = cairn_quat_rotate(c->place.rotation, cairn_vec3_of(0, 0, 1));
    scene s = scene_make(1, 0.01, c->mu, 0.0, cairn_vec3_scale(-9.81, up));
    slid out = {.unsteady = 0.0};
    cairn_shape *mesh = sample_shape(s.context, &m), *flat = NULL;
    CHECK(cairn_shape_plane(s.context, &flat) == CAIRN_OK);
    cairn_pose level = plane_of(mesh), pose = {{c->x, c->y, 0.0}, {1, 0, 0, 0}};
    CHECK(mesh->mesh.patches == 1);
    cairn_vec3 n = mesh->mesh.patch_normal[0];
    pose.position.z = (mesh->mesh.patch_level[0] - n.x * c->x - n.y * c->y) / n.z + 0.05;
    pose.rotation = cairn_quat_turn(cairn_vec3_of(0, 0, 1), c->turn);
    if (c->body == 3)
        pose.rotation = cairn_quat_multiply(pose.rotation, cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN));
    if (plane)
        scene_add(&s, flat, CAIRN_BODY_FIXED, cairn_pose_multiply(c->place, level), none, none);
    else
        scene_add(&s, mesh, CAIRN_BODY_FIXED, c->place, none, none);
    cairn_shape_release(plane ? mesh : flat);
    cairn_vec3 v = {c->speed * cos(c->direction), c->speed * sin(c->direction), 0.0};
    v = cairn_quat_rotate(c->place.rotation, v);
    cairn_body body = scene_add(&s, body_shape(&s, c->body), CAIRN_BODY_DYNAMIC, cairn_pose_multiply(c->place, pose), v,
                                none);
    for (int i = 0; i < c->steps; i++) {
        scene_step(&s);
        cairn_body_state b = scene_state(&s, body);
        out.unsteady = fmax(out.unsteady, cairn_vec3_length(cairn_vec3_sub(b.velocity, v)));
        out.spin = fmax(out.spin, cairn_vec3_length(b.angular_velocity));
    }
    out.end = scene_state(&s, body);
    scene_end(&s);
    return out;
}

/* Case `index` of a body on a floor: speeds from 0.3 to 6 m/s in any direction from anywhere; floors that are turned and 1 km away. */
static slide slide_of(test_random *r, floor_kind floor, int body, double mu) {
    slide c = {.floor = floor, .body = body, .mu = mu, .place = cairn_pose_identity()};
    c.speed = 0.3 * pow(20.0, test_random_unit(r));
    c.direction = 6.283185307179586 * test_random_unit(r);
    double way = fmin(2.0, c.speed);
    c.x = -0.5 * way * cos(c.direction) + 0.2 * test_random_signed(r);
    c.y = -0.5 * way * sin(c.direction) + 0.2 * test_random_signed(r);
    c.steps = (int)(100.0 * way / c.speed);
    c.turn = 6.283185307179586 * test_random_unit(r);
    if (test_random_unit(r) < 0.5) {
        cairn_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)};
        c.place = (cairn_pose){{1000.0 * test_random_signed(r), 700.0, -400.0}, cairn_quat_unit(q)};
    }
    return c;
}

static bool noisy(floor_kind kind) {
    return kind == FLOOR_NOISE || kind == FLOOR_NOISE_SOUP || kind == FLOOR_MIXED_NOISE || kind == FLOOR_T_OFF;
}

/* Without friction nothing changes a velocity. A floor with noise is a plane that leans by less than 1e-7. */
TEST(slides_as_on_a_plane) {
    for (int floor = 0; floor < FLOOR_KINDS; floor++)
        for (int body = 0; body < BODIES; body++) {
            test_random r = {(uint64_t)(100 * floor + body + 1)};
            floor_make(&m, &r, (floor_kind)floor, 4.0);
            slide c = slide_of(&r, (floor_kind)floor, body, 0.0);
            slid on = run(&c, false), ideal = run(&c, true);
            double off = cairn_vec3_length(cairn_vec3_sub(on.end.velocity, ideal.end.velocity));
            if (off > 1e-9 * c.speed || on.spin > 1e-8 || on.unsteady > (noisy(c.floor) ? 1e-6 : 1e-9) * c.speed)
                printf("floor %s, %s: unsteady %.1e spin %.1e, beside the plane %.1e\n", floor_name[floor],
                       body_name[body], on.unsteady, on.spin, off);
            CHECK(off <= 1e-9 * c.speed);
            CHECK(on.spin <= 1e-8);
            CHECK(on.unsteady <= (noisy(c.floor) ? 1e-6 : 1e-9) * c.speed);
        }
}

/* How far a body slides in steps of 0.01 s that does not turn: v_k = v_0 - k mu g h, until it stands. */
static double sliding_way(const slide *c) {
    double way = 0.0;
    for (int k = 1; k <= c->steps; k++)
        way += 0.01 * fmax(0.0, c->speed - k * c->mu * 9.81 * 0.01);
    return way;
}

/* With friction a body goes the way it goes on a plane; one that lies flat that of the closed form. */
TEST(rubs_as_on_a_plane) {
    for (int floor = 0; floor < FLOOR_KINDS; floor++)
        for (int body = 0; body < BODIES; body++) {
            test_random r = {(uint64_t)(100 * floor + body + 7)};
            floor_make(&m, &r, (floor_kind)floor, 4.0);
            slide c = slide_of(&r, (floor_kind)floor, body, 0.3);
            slid on = run(&c, false), ideal = run(&c, true);
            double off = cairn_vec3_length(cairn_vec3_sub(on.end.center, ideal.end.center));
            double turned = cairn_vec3_length(cairn_vec3_sub(on.end.angular_velocity, ideal.end.angular_velocity));
            if (off > 1e-6 || turned > 1e-5)
                printf("floor %s, %s: beside the plane %.1e m, %.1e rad/s\n", floor_name[floor], body_name[body], off,
                       turned);
            CHECK(off <= 1e-6);
            CHECK(turned <= 1e-5);
            cairn_vec3 start = cairn_pose_apply(c.place, cairn_vec3_of(c.x, c.y, 0.05));
            double way = cairn_vec3_length(cairn_vec3_sub(on.end.center, start)), ideal_way = sliding_way(&c);
            bool flat = body == 0 || body == 2 || body == 4;
            if (flat && fabs(way - ideal_way) > 1e-6)
                printf("floor %s, %s: %.9g m, closed form %.9g m\n", floor_name[floor], body_name[body], way,
                       ideal_way);
            CHECK(!flat || fabs(way - ideal_way) <= 1e-6);
        }
}

int main(void) {
    RUN(slides_as_on_a_plane);
    RUN(rubs_as_on_a_plane);
    return test_end();
}
