/*
 * test_world_mesh.c: bodies on meshes: inner edges are not felt, kinematic meshes carry, moving meshes are refused.
 */
#include "collide/shape/shape.h"
#include "support/floor_samples.h"
#include "support/world_scene.h"

static sample_mesh m;

static cairn_body add_mesh(scene *s, cairn_body_kind kind, cairn_pose pose, cairn_vec3 v) {
    return scene_add(s, sample_shape(s->context, &m), kind, pose, v, cairn_vec3_of(0, 0, 0));
}

static cairn_body_state state_of(const scene *s, cairn_body body) {
    cairn_body_state state = {0};
    CHECK(cairn_world_body(s->world, body, &state) == CAIRN_OK);
    return state;
}

static cairn_shape *shape_of(scene *s, int kind) {
    cairn_shape *shape = NULL;
    cairn_status status = kind == 0   ? cairn_shape_box(s->context, cairn_vec3_of(0.15, 0.1, 0.05), &shape)
                          : kind == 1 ? cairn_shape_sphere(s->context, 0.05, &shape)
                          : kind == 2 ? cairn_shape_cylinder(s->context, 0.1, 0.05, &shape)
                                      : cairn_shape_capsule(s->context, 0.05, 0.1, &shape);
    CHECK(status == CAIRN_OK);
    return shape;
}

/* Without friction nothing on an even floor changes a velocity, whatever the floor is made of. */
TEST(slides_without_noticing_edges) {
    test_random r = {9};
    sample_floor(&m, &r, 40, 4.0, NULL);
    for (int kind = 0; kind < 4; kind++) {
        scene s = scene_make(1, 0.01, 0.0, 0.0, cairn_vec3_of(0, 0, -9.81));
        add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
        cairn_pose pose = {{-2.0, -1.0, 0.05}, {1, 0, 0, 0}};
        if (kind == 3)
            pose.rotation = cairn_quat_turn(cairn_vec3_of(1, 0, 0), QUARTER_TURN);
        cairn_body body = scene_add(&s, shape_of(&s, kind), CAIRN_BODY_DYNAMIC, pose, cairn_vec3_of(1.7, 0.9, 0.0),
                                    cairn_vec3_of(0, 0, 0));
        double worst = 0.0, turn = 0.0;
        for (int i = 0; i < 200; i++) {
            cairn_step_report report;
            CHECK(cairn_world_step(s.world, &report) == CAIRN_OK && report.certified);
            cairn_body_state b = state_of(&s, body);
            worst = fmax(worst, cairn_vec3_length(cairn_vec3_sub(b.velocity, cairn_vec3_of(1.7, 0.9, 0.0))));
            turn = fmax(turn, cairn_vec3_length(b.angular_velocity));
        }
        CHECK_NEAR(worst, 0.0, 1e-9);
        CHECK_NEAR(turn, 0.0, 1e-8);
        CHECK(state_of(&s, body).center.x > 1.3);
        scene_end(&s);
    }
}

/* With friction a box stops where it stops on a plane, and a ball rolls as on a plane. */
TEST(rubs_as_on_a_plane) {
    test_random r = {10};
    sample_floor(&m, &r, 30, 4.0, NULL);
    for (int kind = 0; kind < 2; kind++) {
        cairn_vec3 end[2], spin[2];
        for (int plane = 0; plane < 2; plane++) {
            scene s = scene_make(1, 0.005, 0.3, 0.0, cairn_vec3_of(0, 0, -9.81));
            if (plane)
                scene_plane(&s, cairn_quat_identity());
            else
                add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
            cairn_body body = scene_add(&s, shape_of(&s, kind), CAIRN_BODY_DYNAMIC, cairn_pose_at(-1.0, 0.0, 0.05),
                                        cairn_vec3_of(2.0, 0.5, 0.0), cairn_vec3_of(0, 0, kind == 0 ? 1.0 : 0.0));
            for (int i = 0; i < 150; i++)
                CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
            end[plane] = state_of(&s, body).center;
            spin[plane] = state_of(&s, body).angular_velocity;
            scene_end(&s);
        }
        CHECK(cairn_vec3_length(cairn_vec3_sub(end[0], end[1])) < 1e-6);
        CHECK(cairn_vec3_length(cairn_vec3_sub(spin[0], spin[1])) < 1e-5);
        CHECK(end[1].x > -0.4);
    }
}

static double bowl(double x, double y) {
    return 0.1 * (x * x + y * y);
}

/* Balls and boxes come to rest in a bowl and do not sink in; fast ones do not go through. */
TEST(stays_in_a_bowl) {
    test_random r = {12};
    sample_floor(&m, &r, 30, 3.0, bowl);
    scene s = scene_make(2, 0.01, 0.4, 0.0, cairn_vec3_of(0, 0, -9.81));
    add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
    cairn_body body[8];
    for (int i = 0; i < 8; i++)
        body[i] = scene_add(&s, shape_of(&s, i % 4), CAIRN_BODY_DYNAMIC,
                            cairn_pose_at(0.5 * (i % 3) - 0.5, 0.5 * (i / 3) - 0.5, 1.0 + 0.1 * i),
                            cairn_vec3_of(0, 0, i < 4 ? 0.0 : -30.0), cairn_vec3_of(i, 1, 0));
    for (int i = 0; i < 200; i++) {
        cairn_step_report report;
        CHECK(cairn_world_step(s.world, &report) == CAIRN_OK && report.certified);
        CHECK(report.deepest < 5e-3); /* a cylinder that tumbles by 0.17 rad a step */
    }
    for (int i = 0; i < 8; i++) {
        cairn_vec3 x = state_of(&s, body[i]).center;
        CHECK(x.z > bowl(x.x, x.y));
    }
    scene_end(&s);
}

/* A kinematic mesh lifts and carries what lies on it. */
TEST(kinematic_mesh_carries) {
    test_random r = {13};
    sample_floor(&m, &r, 8, 1.0, NULL);
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    add_mesh(&s, CAIRN_BODY_KINEMATIC, cairn_pose_identity(), cairn_vec3_of(0.5, 0, 0.2));
    cairn_body body = scene_add(&s, shape_of(&s, 0), CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.05),
                                cairn_vec3_of(0.5, 0, 0.2), cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < 100; i++)
        CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
    cairn_vec3 x = state_of(&s, body).center;
    CHECK_NEAR(x.x, 0.5, 1e-6);
    CHECK_NEAR(x.z, 0.25, 1e-6);
    scene_end(&s);
}

enum { PIPE = 96 };

/* A pipe of PIPE strips about y, its inner radius 1 at the middles of the strips. */
static void make_pipe(test_random *r, bool soup) {
    double step = 6.283185307179586 / PIPE, radius = 1.0 / cos(0.5 * step);
    m.points = m.triangles = 0;
    for (int i = 0; i < PIPE; i++)
        for (int j = 0; j < 2; j++)
            sample_point(&m, radius * sin((i + 0.5) * step), 2.0 * j - 1.0, -radius * cos((i + 0.5) * step));
    for (int i = 0; i < PIPE; i++) {
        int a = 2 * i, b = 2 * ((i + 1) % PIPE);
        sample_triangle(&m, a, b, b + 1);
        sample_triangle(&m, a, b + 1, a + 1);
    }
    if (soup) {
        floor_to_soup(&m);
        for (int t = 0; t < m.triangles; t++) /* in another order round */
            for (int k = (int)(3.0 * test_random_unit(r)); k > 0; k--) {
                int *c = m.corner + 3 * t, first = c[0];
                c[0] = c[1];
                c[1] = c[2];
                c[2] = first;
            }
    }
}

/* Height over the bottom that a ball reaches on the other side, when its centre starts in the middle of strip -8, at this distance from the axis. Each bend takes the part
 * across of its velocity: v becomes v cos(step). */
static double height_reached(double distance) {
    double step = 6.283185307179586 / PIPE, energy = 9.81 * distance * (1.0 - cos(8.0 * step));
    for (int strip = -8;; strip++) {
        double height = distance - distance / cos(0.5 * step) * cos((strip + 0.5) * step);
        if (strip >= 0 && energy <= 9.81 * height)
            return energy / 9.81;
        energy -= (energy - 9.81 * height) * pow(sin(step), 2.0);
    }
}

/* Inside a pipe a ball loses at each bend between strips what the bend takes, and nothing else; in a soup it goes the same way. */
TEST(slides_in_a_pipe) {
    test_random r = {23};
    double top[2];
    for (int soup = 0; soup < 2; soup++) {
        make_pipe(&r, soup);
        scene s = scene_make(1, 0.00025, 0.0, 0.0, cairn_vec3_of(0, 0, -9.81));
        add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
        double turn = 8.0 * 6.283185307179586 / PIPE;
        cairn_body body = scene_add(&s, shape_of(&s, 1), CAIRN_BODY_DYNAMIC,
                                    cairn_pose_at(-0.95 * sin(turn), 0.03, -0.95 * cos(turn)), cairn_vec3_of(0, 0, 0),
                                    cairn_vec3_of(0, 0, 0));
        top[soup] = 0.0;
        for (int i = 0; i < 4800; i++) {
            scene_step(&s);
            cairn_vec3 x = state_of(&s, body).center;
            top[soup] = x.x > 0.0 ? fmax(top[soup], x.z + 0.95) : top[soup];
        }
        CHECK_NEAR(top[soup], height_reached(0.95), 5e-4);
        scene_end(&s);
    }
    CHECK(top[0] == top[1]);
}

/* A floor 2 x 2 m in strips along y, as a soup with noise: strip i goes from (x[i], z[i]) to the next. */
static void strips(test_random *r, int count, const double *x, const double *z) {
    m.points = m.triangles = 0;
    for (int i = 0; i + 1 < count; i++)
        for (int j = 0; j < 5; j++) {
            double y = -1.0 + 0.4 * j;
            int a = sample_point(&m, x[i], y, z[i]), b = sample_point(&m, x[i + 1], y, z[i + 1]);
            int c = sample_point(&m, x[i + 1], y + 0.4, z[i + 1]), d = sample_point(&m, x[i], y + 0.4, z[i]);
            sample_triangle(&m, a, b, c);
            sample_triangle(&m, a, c, d);
        }
    floor_to_soup(&m);
    floor_shake(&m, r, 2.0 * FLOOR_NOISE_SIZE);
}

/* A box that slides without friction does not get over a step of 1 mm. Of the velocity of a ball that meets a slope of 10 degrees the part along the slope is left. */
TEST(steps_and_slopes_are_obstacles) {
    const double step_x[4] = {-1, 0, 0, 1}, step_z[4] = {0, 0, 1e-3, 1e-3};
    const double slope_x[3] = {-1, 0, 1}, slope_z[3] = {0, 0, 0.17632698070846498};
    test_random r = {21};
    for (int slope = 0; slope < 2; slope++) {
        scene s = scene_make(1, 0.005, 0.0, 0.0, cairn_vec3_of(0, 0, -9.81));
        strips(&r, slope ? 3 : 4, slope ? slope_x : step_x, slope ? slope_z : step_z);
        add_mesh(&s, CAIRN_BODY_FIXED, cairn_pose_identity(), cairn_vec3_of(0, 0, 0));
        cairn_body body = scene_add(&s, shape_of(&s, slope ? 1 : 0), CAIRN_BODY_DYNAMIC,
                                    cairn_pose_at(-0.5, 0.03, 0.05), cairn_vec3_of(1.0, 0.0, 0.0),
                                    cairn_vec3_of(0, 0, 0));
        double c = cos(0.17453292519943295), most = 0.0, farthest = -1.0;
        for (int i = 0; i < 200; i++) {
            scene_step(&s);
            cairn_body_state b = state_of(&s, body);
            farthest = fmax(farthest, b.center.x);
            most = b.center.x > 0.0 ? fmax(most, cairn_vec3_length(b.velocity)) : most;
        }
        if (slope)
            CHECK(most > 0.95 * c && most < c + 1e-3);
        else /* it trips, falls back and moves away */
            CHECK(farthest < -0.13 && state_of(&s, body).velocity.x < 1e-6);
        scene_end(&s);
    }
}

/* A roof of 10 degrees: a level box touches it along its ridge, with the normal of the box; a ball beside the ridge touches its slope. */
TEST(ridges_are_felt) {
    static cairn_manifold list[16];
    const double x[3] = {-1, 0, 1}, z[3] = {-0.087488663525924, 0, -0.087488663525924};
    test_random r = {22};
    scene s = scene_make(1, 0.01, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    strips(&r, 3, x, z);
    cairn_shape *roof = sample_shape(s.context, &m), *box = shape_of(&s, 0), *ball = shape_of(&s, 1);
    CHECK(roof->mesh.patches == 2);
    int n = cairn_collide(box, cairn_pose_at(0.01, 0.03, 0.05), roof, cairn_pose_identity(), 1e-3, list, 16), on = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < list[i].count; k++) {
            CHECK_NEAR(list[i].point[k].on_b.x, 0.0, 1e-5);
            CHECK_NEAR(list[i].normal.z, -1.0, 1e-9);
            on++;
        }
    CHECK(on >= 2);
    n = cairn_collide(ball, cairn_pose_at(0.2, 0.03, 0.0339), roof, cairn_pose_identity(), 1e-2, list, 16);
    CHECK(n == 1 && list[0].count == 1);
    CHECK_NEAR(list[0].normal.x, -0.087155742747658, 1e-6);
    cairn_shape_release(roof);
    cairn_shape_release(box);
    cairn_shape_release(ball);
    scene_end(&s);
}

/* A crack of noise is none; one of 1e-5 of the size is a crack, and a ball sinks into a slot. */
TEST(cracks_are_cracks) {
    static cairn_manifold list[16];
    const double width[3] = {1e-7, 2e-5, 0.02};
    scene s = scene_make(1, 0.01, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_shape *ball = shape_of(&s, 1);
    for (int i = 0; i < 3; i++) {
        m.points = m.triangles = 0;
        for (int side = -1; side <= 1; side += 2) {
            double in = 0.5 * width[i] * side;
            int a = sample_point(&m, in, -1, 0), b = sample_point(&m, side, -1, 0), c = sample_point(&m, side, 1, 0),
                d = sample_point(&m, in, 1, 0);
            sample_triangle(&m, a, side > 0 ? b : c, side > 0 ? c : b);
            sample_triangle(&m, a, side > 0 ? c : d, side > 0 ? d : c);
        }
        cairn_shape *mesh = sample_shape(s.context, &m);
        cairn_ray_hit hit;
        CHECK(mesh->mesh.patches == (i == 0 ? 1 : 2));
        CHECK(cairn_shape_ray(mesh, cairn_pose_identity(), cairn_vec3_of(0.0, 0.3, 1), cairn_vec3_of(0, 0, -1), 2.0,
                              &hit) == (i == 0));
        double half = 0.5 * width[i], deep = 0.05 - sqrt(0.05 * 0.05 - half * half);
        int n = cairn_collide(ball, cairn_pose_at(0, 0.3, 0.05 - deep), mesh, cairn_pose_identity(), 1e-3, list, 16);
        CHECK(n == (i == 0 ? 1 : 2));
        for (int k = 0; k < n; k++)
            CHECK_NEAR(list[k].point[0].gap, 0.0, 1e-9);
        cairn_shape_release(mesh);
    }
    cairn_shape_release(ball);
    scene_end(&s);
}

TEST(free_mesh_is_refused) {
    scene s = scene_make(1, 0.01, 0.5, 0.0, cairn_vec3_of(0, 0, 0));
    sample_box(&m, 1, cairn_vec3_of(1, 1, 1));
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    def.shape = sample_shape(s.context, &m);
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "a body that moves freely needs convex pieces: a compound of hulls");
    cairn_shape_release(def.shape);
    scene_end(&s);
}

int main(void) {
    RUN(slides_without_noticing_edges);
    RUN(rubs_as_on_a_plane);
    RUN(stays_in_a_bowl);
    RUN(kinematic_mesh_carries);
    RUN(slides_in_a_pipe);
    RUN(steps_and_slopes_are_obstacles);
    RUN(ridges_are_felt);
    RUN(cracks_are_cracks);
    RUN(free_mesh_is_refused);
    return test_end();
}
