/*
 * test_collide_shapes.c: hulls, masses, bounds, and the pairs of the broadphase against brute force.
 */
#include "collide/broad/broadphase.h"
#include "support/support.h"

static cairn_vec3 vec_random(test_random *r) {
    return cairn_vec3_of(test_random_signed(r), test_random_signed(r), test_random_signed(r));
}

/* Every point inside every face; every corner on at least three faces; Euler's formula. */
static void check_hull(const cairn_shape *s, int n, const cairn_vec3 *point) {
    const cairn_polytope *p = &s->hull;
    CHECK(p->vertices - p->edges + p->faces == 2);
    for (int f = 0; f < p->faces; f++) {
        CHECK_NEAR(cairn_vec3_length(p->normal[f]), 1.0, 1e-12);
        for (int i = 0; i < n; i++)
            CHECK(cairn_vec3_dot(p->normal[f], point[i]) <= p->offset[f] + 1e-8);
        for (int i = p->face_start[f]; i < p->face_start[f + 1]; i++)
            CHECK_NEAR(cairn_vec3_dot(p->normal[f], p->vertex[p->face_vertex[i]]), p->offset[f], 1e-8);
    }
}

TEST(hull_of_random_points) {
    cairn_context *context = plain_context(1);
    test_random r = {3};
    static cairn_vec3 point[2000];
    for (int n = 4; n <= 2000; n = n * 3 / 2 + 1) {
        for (int i = 0; i < n; i++)
            point[i] = n % 2 ? cairn_vec3_unit(vec_random(&r)) : vec_random(&r);
        cairn_shape *s = NULL;
        CHECK(cairn_shape_hull(context, n, point, &s) == CAIRN_OK);
        check_hull(s, n, point);
        if (n % 2)
            CHECK(s->hull.vertices == n); /* points of a sphere are all corners */
        cairn_shape_release(s);
    }
    cairn_context_destroy(context);
}

TEST(hull_of_a_grid_is_a_box) {
    cairn_context *context = plain_context(1);
    cairn_vec3 point[5 * 6 * 7], half = {0.4, 0.75, 1.2};
    cairn_quat turn = cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(1, 2, 3)), 0.7);
    int n = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 7; k++)
                point[n++] = cairn_quat_rotate(
                    turn, cairn_vec3_of(half.x * (i - 2) / 2.0, half.y * (j - 2.5) / 2.5, half.z * (k - 3) / 3.0));
    cairn_shape *hull = NULL, *box = NULL;
    CHECK(cairn_shape_hull(context, n, point, &hull) == CAIRN_OK);
    CHECK(cairn_shape_box(context, half, &box) == CAIRN_OK);
    CHECK(hull->hull.vertices == 8 && hull->hull.faces == 6 && hull->hull.edges == 12);
    cairn_mass a, b;
    CHECK(cairn_shape_mass(hull, 700.0, &a) == CAIRN_OK && cairn_shape_mass(box, 700.0, &b) == CAIRN_OK);
    CHECK_NEAR(a.mass, b.mass, 1e-9);
    double trace_a = 0, trace_b = 0;
    for (int i = 0; i < 3; i++) {
        trace_a += a.inertia.m[i][i];
        trace_b += b.inertia.m[i][i];
    }
    CHECK_NEAR(trace_a, trace_b, 1e-9);
    cairn_shape_release(hull);
    cairn_shape_release(box);
    cairn_context_destroy(context);
}

TEST(bad_shapes_are_refused) {
    cairn_context *context = plain_context(1);
    cairn_shape *s = NULL, *plane = NULL;
    cairn_vec3 flat[5] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}, {0.3, 0.2, 1}};
    CHECK(cairn_shape_sphere(context, -1.0, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "radius is -1");
    CHECK(cairn_shape_box(context, cairn_vec3_of(1, 0, 1), &s) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_shape_sphere(context, 1e200, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "radius is 1e+200 m; it must be between 1e-09 and 1e+09 m");
    CHECK(cairn_shape_box(context, cairn_vec3_of(1, 1e-300, 1), &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "between 1e-09 and 1e+09 m");
    CHECK(cairn_shape_ellipsoid(context, cairn_vec3_of(1, 1, 1e10), &s) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_shape_cone(context, 1.0, 1e10, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "height is 1e+10 m");
    CHECK(cairn_shape_hull(context, 5, flat, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "one plane");
    flat[2].x = NAN;
    CHECK(cairn_shape_hull(context, 5, flat, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "point 2");
    flat[2].x = -1e10;
    CHECK(cairn_shape_hull(context, 5, flat, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "at most 1e+09 m");
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK);
    CHECK(cairn_shape_compound(context, 1, &plane, (cairn_pose[]){cairn_pose_identity()}, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "plane");
    cairn_mass mass;
    CHECK(cairn_shape_mass(plane, 1.0, &mass) == CAIRN_ERROR_ARGUMENT);
    cairn_shape *ball = NULL;
    CHECK(cairn_shape_sphere(context, 1.0, &ball) == CAIRN_OK);
    CHECK(cairn_shape_mass(ball, 1e21, &mass) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "density is 1e+21 kg/m^3; it must be between 1e-15 and 1e+20 kg/m^3");
    cairn_shape_release(ball);
    int corner[3] = {0, 1, 9};
    flat[2].x = 0;
    CHECK(cairn_shape_mesh(context, 5, flat, 1, corner, &s) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "point 9 of 5");
    CHECK(s == NULL);
    cairn_shape_release(plane);
    cairn_context_destroy(context);
}

/* Random points of a solid give its second moments within a few parts in a thousand. */
TEST(masses_against_sampling) {
    cairn_context *context = plain_context(1);
    cairn_shape *s[5] = {NULL};
    CHECK(cairn_shape_sphere(context, 0.7, &s[0]) == CAIRN_OK);
    CHECK(cairn_shape_capsule(context, 0.4, 0.5, &s[1]) == CAIRN_OK);
    CHECK(cairn_shape_cylinder(context, 0.6, 0.8, &s[2]) == CAIRN_OK);
    CHECK(cairn_shape_cone(context, 0.8, 1.1, &s[3]) == CAIRN_OK);
    cairn_pose pose[2] = {cairn_pose_at(1.0, 0.2, 0.0),
                          {{-0.9, 0.1, 0.3}, cairn_quat_turn(cairn_vec3_of(0, 1, 0), 0.6)}};
    CHECK(cairn_shape_compound(context, 2, (cairn_shape *[]){s[1], s[3]}, pose, &s[4]) == CAIRN_OK);
    cairn_shape *probe = NULL;
    CHECK(cairn_shape_sphere(context, 1e-9, &probe) == CAIRN_OK);
    for (int k = 0; k < 5; k++) {
        enum { N = 200000 };
        test_random r = {99};
        double count = 0, first[3] = {0}, second[3][3] = {{0}}, side = k < 4 ? 1.0 : 2.0,
               box = 8.0 * side * side * side;
        for (int i = 0; i < N; i++) {
            cairn_vec3 x = cairn_vec3_scale(side, vec_random(&r));
            cairn_manifold m;
            if (cairn_collide(probe, (cairn_pose){x, {1, 0, 0, 0}}, s[k], cairn_pose_identity(), 0.0, &m, 1) == 0)
                continue;
            double v[3] = {x.x, x.y, x.z};
            count += 1.0;
            for (int a = 0; a < 3; a++) {
                first[a] += v[a];
                for (int b = 0; b < 3; b++)
                    second[a][b] += v[a] * v[b];
            }
        }
        cairn_mass mass;
        CHECK(cairn_shape_mass(s[k], 2.0, &mass) == CAIRN_OK);
        double unit = 2.0 * box / N, m = unit * count, c[3] = {first[0] / count, first[1] / count, first[2] / count};
        double trace = 0;
        for (int a = 0; a < 3; a++)
            trace += unit * second[a][a] - m * c[a] * c[a];
        CHECK_NEAR(mass.mass, m, 0.03 * m);
        CHECK_NEAR(mass.center.x, c[0], 0.02);
        CHECK_NEAR(mass.center.z, c[2], 0.02);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                CHECK_NEAR(mass.inertia.m[a][b], (a == b ? trace : 0.0) - (unit * second[a][b] - m * c[a] * c[b]),
                           0.03 * trace);
    }
    for (int k = 0; k < 5; k++)
        cairn_shape_release(s[k]);
    cairn_shape_release(probe);
    cairn_context_destroy(context);
}

static void shift(cairn_bounds *box, cairn_vec3 d) {
    box->low = cairn_vec3_add(box->low, d);
    box->high = cairn_vec3_add(box->high, d);
}

/* The found pairs are those of a comparison of all with all, in the same order. */
static bool holds_all_pairs(const cairn_broad *broad, int n, const cairn_bounds *box, const unsigned char *still) {
    int at = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            bool over = box[i].low.x <= box[j].high.x && box[j].low.x <= box[i].high.x &&
                        box[i].low.y <= box[j].high.y && box[j].low.y <= box[i].high.y &&
                        box[i].low.z <= box[j].high.z && box[j].low.z <= box[i].high.z;
            if (!over || (still[i] && still[j]))
                continue;
            if (at >= broad->pairs || broad->pair[at][0] != i || broad->pair[at][1] != j)
                return false;
            at++;
        }
    return at == broad->pairs;
}

TEST(broadphase_against_brute_force) {
    test_random r = {5};
    static cairn_bounds box[700];
    static unsigned char still[700];
    for (int n = 0; n <= 700; n = 2 * n + 1) {
        for (int i = 0; i < n; i++) {
            cairn_vec3 c = vec_random(&r), d = cairn_vec3_scale(i % 50 == 0 ? 0.6 : 0.1, vec_random(&r));
            d = cairn_vec3_of(fabs(d.x), fabs(d.y), fabs(d.z));
            box[i] = (cairn_bounds){cairn_vec3_sub(c, d), cairn_vec3_add(c, d)};
            still[i] = i % 7 == 0;
            if (i == 3)
                box[i] = (cairn_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        }
        for (int threads = 1; threads <= 4; threads *= 4) {
            cairn_context *context = plain_context(threads);
            cairn_broad broad = {.context = context};
            for (int move = 0; move < 20; move++) { /* creeping, then jumping, then at rest */
                double size = move < 6 ? 1e-4 : move < 12 ? 0.1 : 0.0;
                for (int i = 0; i < n && move > 0; i++)
                    shift(&box[i], cairn_vec3_scale(size, vec_random(&r)));
                CHECK(cairn_broad_find(&broad, n, box, still) == CAIRN_OK);
                CHECK(holds_all_pairs(&broad, n, box, still));
            }
            cairn_broad_free(&broad);
            cairn_context_destroy(context);
        }
    }
}

TEST(failing_allocations) {
    cairn_vec3 point[30];
    test_random r = {8};
    for (int i = 0; i < 30; i++)
        point[i] = vec_random(&r);
    for (int fail = 0;; fail++) {
        counting_allocator a = {0, 0, -1};
        cairn_context *context = counting_context(&a, 1);
        a.fail_at = a.allocations + fail;
        cairn_shape *hull = NULL, *box = NULL, *both = NULL;
        cairn_status status = cairn_shape_hull(context, 30, point, &hull);
        if (status == CAIRN_OK)
            status = cairn_shape_box(context, cairn_vec3_of(1, 1, 1), &box);
        if (status == CAIRN_OK)
            status = cairn_shape_compound(context, 2, (cairn_shape *[]){hull, box},
                                          (cairn_pose[]){cairn_pose_identity(), cairn_pose_at(1, 0, 0)}, &both);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        cairn_shape_release(hull);
        cairn_shape_release(box);
        cairn_shape_release(both);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK)
            break;
    }
}

/* Marching along the ray with a small ball finds the same hit. */
TEST(rays_against_marching) {
    cairn_context *context = plain_context(1);
    test_random r = {21};
    cairn_shape *s[7] = {NULL}, *probe = NULL;
    cairn_vec3 point[9];
    for (int i = 0; i < 9; i++)
        point[i] = vec_random(&r);
    CHECK(cairn_shape_sphere(context, 0.7, &s[0]) == CAIRN_OK);
    CHECK(cairn_shape_capsule(context, 0.4, 0.5, &s[1]) == CAIRN_OK);
    CHECK(cairn_shape_cylinder(context, 0.6, 0.8, &s[2]) == CAIRN_OK);
    CHECK(cairn_shape_cone(context, 0.8, 1.1, &s[3]) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.3, 0.5, 0.7), &s[4]) == CAIRN_OK);
    CHECK(cairn_shape_hull(context, 9, point, &s[5]) == CAIRN_OK);
    cairn_pose pose[2] = {cairn_pose_at(0.8, 0.2, 0.0),
                          {{-0.7, 0.1, 0.3}, cairn_quat_turn(cairn_vec3_of(0, 1, 0), 0.6)}};
    CHECK(cairn_shape_compound(context, 2, (cairn_shape *[]){s[1], s[3]}, pose, &s[6]) == CAIRN_OK);
    CHECK(cairn_shape_sphere(context, 1e-6, &probe) == CAIRN_OK);
    for (int k = 0; k < 7; k++)
        for (int trial = 0; trial < 60; trial++) {
            cairn_vec3 o = cairn_vec3_scale(2.0, vec_random(&r)),
                       d = cairn_vec3_unit(cairn_vec3_sub(cairn_vec3_scale(0.4, vec_random(&r)), o));
            cairn_pose at = {cairn_vec3_scale(0.3, vec_random(&r)),
                             cairn_quat_turn(cairn_vec3_unit(vec_random(&r)), 1.1)};
            cairn_ray_hit hit;
            bool found = cairn_shape_ray(s[k], at, o, d, 5.0, &hit);
            double t = 0.0, marched = -1.0; /* the gap to the nearest point is a safe step */
            while (t <= 5.0 && marched < 0.0) {
                cairn_manifold m[2];
                int n = cairn_collide(probe, (cairn_pose){cairn_vec3_add_scaled(o, t, d), {1, 0, 0, 0}}, s[k], at, 10.0,
                                      m, 2);
                double gap = 10.0;
                for (int i = 0; i < n; i++)
                    gap = fmin(gap, m[i].point[0].gap);
                if (gap < 2e-6)
                    marched = t;
                t += fmax(gap, 1e-6);
            }
            CHECK(found == (marched >= 0.0));
            if (found && marched >= 0.0) {
                CHECK_NEAR(hit.distance, marched, 1e-4);
                CHECK(cairn_vec3_dot(hit.normal, d) <= 1e-12);
            }
        }
    for (int k = 0; k < 7; k++)
        cairn_shape_release(s[k]);
    cairn_shape_release(probe);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(rays_against_marching);
    RUN(hull_of_random_points);
    RUN(hull_of_a_grid_is_a_box);
    RUN(bad_shapes_are_refused);
    RUN(masses_against_sampling);
    RUN(broadphase_against_brute_force);
    RUN(failing_allocations);
    return test_end();
}
