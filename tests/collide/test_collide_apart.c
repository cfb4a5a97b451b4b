/*
 * test_collide_apart.c: spheres and planes that are left out before they are met: none that has a contact, and all whose gap is beyond the margin by more than rounding.
 */
#include "support/support.h"

#include "collide/narrow/narrowphase.h"

#include <math.h>

static cairn_quat any_turn(test_random *random) {
    cairn_vec3 axis = cairn_vec3_of(test_random_signed(random), test_random_signed(random), test_random_signed(random));
    return cairn_quat_turn(cairn_vec3_unit(axis), 3.0 * test_random_signed(random));
}

/* Pairs whose gap is the margin times 1 + off, off from 0 to 1e-16 and to 0.1, either side; far from the origin too. */
TEST(nothing_that_touches_is_left_out) {
    cairn_context *context = plain_context(1);
    cairn_shape *shape[3] = {0}, *box = NULL;
    CHECK(cairn_shape_sphere(context, 0.05, &shape[0]) == CAIRN_OK);
    CHECK(cairn_shape_sphere(context, 0.7, &shape[1]) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &shape[2]) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK);
    test_random random = {3};
    int left_out = 0, met = 0;
    for (int i = 0; i < 20000; i++) {
        int plane = i % 3; /* 0: two spheres; 1: the plane first; 2: second */
        double far = i % 5 == 0 ? 1e4 : 1.0, margin = i % 7 == 0 ? 0.0 : 0.01 * fabs(test_random_signed(&random));
        double off = (i % 2 == 0 ? 1.0 : -1.0) * pow(10.0, -1.0 - 15.0 * fabs(test_random_signed(&random)));
        double gap = margin + off * (margin + 0.1);
        cairn_vec3 from = cairn_vec3_of(far * test_random_signed(&random), far * test_random_signed(&random),
                                        far * test_random_signed(&random));
        cairn_pose first = {from, any_turn(&random)}, second = {from, any_turn(&random)};
        const cairn_shape *a = shape[0], *b = shape[1];
        if (plane == 0) {
            cairn_vec3 n = cairn_quat_rotate(any_turn(&random), cairn_vec3_of(0, 0, 1));
            second.position = cairn_vec3_add_scaled(from, 0.75 + gap, n);
        } else {
            cairn_pose *flat = plane == 1 ? &first : &second, *ball = plane == 1 ? &second : &first;
            double radius = plane == 1 ? 0.7 : 0.05;
            cairn_vec3 place = cairn_vec3_of(test_random_signed(&random), test_random_signed(&random), radius + gap);
            ball->position = cairn_vec3_add(flat->position, cairn_quat_rotate(flat->rotation, place));
            a = plane == 1 ? shape[2] : a;
            b = plane == 2 ? shape[2] : b;
        }
        bool apart = cairn_surely_apart(a, &first.position, &first.rotation, b, &second.position, &second.rotation,
                                        margin);
        cairn_manifold m;
        int found = cairn_collide(a, first, b, second, margin, &m, 1);
        CHECK(!(apart && found > 0));
        CHECK(apart || off < 1e-9 + 1e-13 * far);
        left_out += apart;
        met += found;
    }
    CHECK(left_out > 5000 && met > 5000);
    cairn_vec3 here = {0, 0, 0}, there = {0, 0, 100};
    cairn_quat q = cairn_quat_identity();
    CHECK(!cairn_surely_apart(shape[0], &here, &q, box, &there, &q, 0.0)); /* not its business */
    CHECK(!cairn_surely_apart(box, &here, &q, shape[2], &there, &q, 0.0));
    CHECK(!cairn_surely_apart(box, &here, &q, shape[0], &there, &q, 0.0));
    for (int i = 0; i < 3; i++)
        cairn_shape_release(shape[i]);
    cairn_shape_release(box);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(nothing_that_touches_is_left_out);
    return test_end();
}
