/*
 * test_world_long.c: steps that are long against their bodies: heaps of balls that fall further in a step than they are thick. Contacts stay few, every step is certified, and balls stay out of
 * each other and in their box; looked at here pair by pair.
 */
#include "support/world_scene.h"

enum { SIDE = 4, LAYERS = 7, BALLS = SIDE * SIDE * LAYERS, STEPS = 20, MOST_CONTACTS = 10 * BALLS };
static const double radius = 0.05, inside = 0.46;

typedef struct heap {
    scene s;
    cairn_body ball[BALLS], wall[5];
} heap;

static cairn_body add_wall(heap *a, cairn_vec3 half, cairn_vec3 at) {
    return scene_box(&a->s, half, CAIRN_BODY_KINEMATIC, cairn_pose_at(at.x, at.y, at.z));
}

static heap make(int threads, cairn_law law, double restitution) {
    heap a = {.s = {.context = plain_context(threads)}};
    cairn_world_def def = cairn_default_world_def();
    test_random random = {11};
    def.step = 0.1;
    def.law = law;
    def.solver = cairn_default_settings("nncg");
    def.solver.tolerance = 1e-3;
    CHECK(cairn_world_create(a.s.context, &def, &a.s.world) == CAIRN_OK);
    cairn_material_def m = cairn_default_material_def();
    m.restitution = restitution;
    CHECK(cairn_world_add_material(a.s.world, &m, &a.s.material) == CAIRN_OK);
    double away = 0.5 * inside + 0.1;
    a.wall[0] = add_wall(&a, cairn_vec3_of(0.5, 0.5, 0.1), cairn_vec3_of(0, 0, -0.1));
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? (i ? away : -away) : 0.0, y = i < 2 ? 0.0 : (i == 2 ? away : -away);
        a.wall[1 + i] = add_wall(&a, cairn_vec3_of(i < 2 ? 0.1 : 0.5, i < 2 ? 0.5 : 0.1, 2.0),
                                 cairn_vec3_of(x, y, 1.9));
    }
    for (int i = 0; i < BALLS; i++) {
        double jitter = 0.002 * test_random_signed(&random);
        cairn_vec3 at = {(i % SIDE - 1.5) * 0.11 + jitter, (i / SIDE % SIDE - 1.5) * 0.11 - jitter,
                         0.06 + 0.11 * (i / (SIDE * SIDE))};
        a.ball[i] = scene_ball(&a.s, radius, at, cairn_vec3_of(0, 0, 0));
    }
    return a;
}

/* The deepest overlap of two balls, or of a ball with the box, whose floor is at this height. */
static double deepest(const heap *a, double floor, cairn_vec3 *x) {
    double least = INFINITY;
    for (int i = 0; i < BALLS; i++) {
        x[i] = scene_state(&a->s, a->ball[i]).center;
        least = fmin(least, fmin(x[i].z - floor, 0.5 * inside - fmax(fabs(x[i].x), fabs(x[i].y))) - radius);
        for (int j = 0; j < i; j++)
            least = fmin(least, cairn_vec3_length(cairn_vec3_sub(x[i], x[j])) - 2.0 * radius);
    }
    return -least;
}

/* Shakes the box; x: where the balls end. */
static void shake(int threads, cairn_law law, double restitution, cairn_vec3 *x) {
    heap a = make(threads, law, restitution);
    for (int k = 0; k < STEPS; k++) {
        double v = sin(0.4 * acos(-1.0) * k);
        for (int i = 0; i < 5; i++)
            CHECK(cairn_world_set_velocity(a.s.world, a.wall[i], cairn_vec3_of(0, 0, v), cairn_vec3_of(0, 0, 0)) ==
                  CAIRN_OK);
        cairn_step_report r = scene_step(&a.s);
        CHECK(r.substeps == 1 && r.missed == 0 && r.apart && r.contacts <= MOST_CONTACTS);
        double floor = scene_state(&a.s, a.wall[0]).center.z + 0.1;
        CHECK(deepest(&a, floor, x) <= 1e-3); /* a hundredth of a ball */
    }
    scene_end(&a.s);
}

TEST(shaken_heaps) {
    cairn_vec3 x[BALLS];
    for (int law = 0; law < 2; law++)
        for (int e = 0; e < 2; e++)
            shake(1, law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB, 0.5 * e, x);
}

TEST(threads_do_not_matter) {
    cairn_vec3 x[3][BALLS];
    for (int t = 0; t < 3; t++)
        shake(1 + t, CAIRN_LAW_COULOMB, 0.5, x[t]);
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(x[0], x[2], sizeof x[0]) == 0);
}

int main(void) {
    RUN(shaken_heaps);
    RUN(threads_do_not_matter);
    return test_end();
}
