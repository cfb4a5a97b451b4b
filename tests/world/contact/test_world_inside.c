/*
 * test_world_inside.c: what is in a closed box stays there. Sheets, rods and blades fly at up to 1 km/s and turn at up to 1e4 rad/s in a box
 * with thin walls, which stands or flies itself. Inside is inside whatever the way within a step was, so places alone tell whether a wall was
 * passed. They are judged by corners and half widths; nothing of src/collide is used.
 */
#include "support/world_scene.h"

#define HALF 0.5   /* m: the box within, half of it */
#define WALL 0.001 /* m: half of a wall's thickness */

typedef enum inmate { SHEET, DISC, ROD, BLADE, INMATES } inmate;

static const cairn_vec3 half_size[INMATES] = {
    {0.3, 0.3, 0.001}, {0.3, 0.3, 0.001}, {0.3, 0.01, 0.01}, {0.3, 0.03, 0.0005}};

static cairn_shape *inmate_shape(const scene *s, inmate kind) {
    cairn_shape *shape = NULL;
    CHECK((kind == DISC ? cairn_shape_cylinder(s->context, 0.3, 0.002, &shape)
                        : cairn_shape_box(s->context, half_size[kind], &shape)) == CAIRN_OK);
    return shape;
}

/* Six plates that cover each other's rims. */
static cairn_shape *hollow(const scene *s) {
    cairn_shape *plate[6] = {NULL}, *all = NULL;
    cairn_pose pose[6];
    for (int i = 0; i < 6; i++) {
        double half[3] = {HALF + 2 * WALL, HALF + 2 * WALL, HALF + 2 * WALL}, at[3] = {0, 0, 0};
        half[i / 2] = WALL;
        at[i / 2] = (i % 2 == 0 ? -1 : 1) * (HALF + WALL);
        CHECK(cairn_shape_box(s->context, cairn_vec3_of(half[0], half[1], half[2]), &plate[i]) == CAIRN_OK);
        pose[i] = cairn_pose_at(at[0], at[1], at[2]);
    }
    CHECK(cairn_shape_compound(s->context, 6, plate, pose, &all) == CAIRN_OK);
    for (int i = 0; i < 6; i++)
        cairn_shape_release(plate[i]);
    return all;
}

/* How far the inmate sticks out of the room within the walls, m; below 0: it does not. */
static double sticks_out(const scene *s, cairn_body box, cairn_body body, inmate kind) {
    cairn_pose room = scene_state(s, box).pose, at = scene_state(s, body).pose;
    cairn_quat turn = cairn_quat_multiply(cairn_quat_conjugate(room.rotation), at.rotation);
    cairn_vec3 x = cairn_quat_rotate(cairn_quat_conjugate(room.rotation), cairn_vec3_sub(at.position, room.position));
    const double own[3] = {half_size[kind].x, half_size[kind].y, half_size[kind].z}, place[3] = {x.x, x.y, x.z};
    cairn_mat3 R = cairn_quat_matrix(turn);
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double reach = kind == DISC ? own[0] * hypot(R.m[i][0], R.m[i][1]) + own[2] * fabs(R.m[i][2]) : 0.0;
        for (int k = 0; k < 3 && kind != DISC; k++)
            reach += fabs(R.m[i][k]) * own[k];
        most = fmax(most, fabs(place[i]) + reach - HALF);
    }
    return most;
}

typedef struct outcome {
    int steps, told;
    double deepest, worst; /* in a wall, m: in certified steps, in all */
    double astray;         /* momentum that nobody gave, of that at the start */
} outcome;

static cairn_vec3 momentum(const scene *s, cairn_body a, cairn_body b) {
    cairn_body_state one = scene_state(s, a), other = scene_state(s, b);
    return cairn_vec3_add(cairn_vec3_scale(one.mass, one.velocity), cairn_vec3_scale(other.mass, other.velocity));
}

/* One box, one inmate, 20 steps. Rods rebound. */
static void fly(inmate kind, double speed, double spin, bool free_box, outcome *sum) {
    const cairn_vec3 none = {0, 0, 0};
    scene s = scene_make_to(1e-6, 1, 0.01, 0.3, kind == ROD ? 0.5 : 0.0, none);
    cairn_quat turn = cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(1, 0.4, 0.3)), 0.7);
    cairn_body box = scene_add(&s, hollow(&s), free_box ? CAIRN_BODY_DYNAMIC : CAIRN_BODY_FIXED, cairn_pose_at(0, 0, 0),
                               none, none);
    cairn_body body = scene_add(&s, inmate_shape(&s, kind), CAIRN_BODY_DYNAMIC, (cairn_pose){{0.03, -0.02, 0.05}, turn},
                                cairn_vec3_of(0.8 * speed, 0.36 * speed, -0.48 * speed),
                                cairn_vec3_of(0.6 * spin, -0.48 * spin, 0.64 * spin));
    cairn_vec3 first = free_box ? momentum(&s, box, body) : none;
    CHECK(sticks_out(&s, box, body, kind) < 0.0);
    for (int i = 0; i < 20; i++) {
        cairn_step_report r = {0};
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        sum->steps++;
        sum->told += !r.certified;
        double deep = sticks_out(&s, box, body, kind);
        sum->deepest = fmax(sum->deepest, r.certified ? deep : 0.0);
        sum->worst = fmax(sum->worst, deep);
        if (free_box) {
            double off = cairn_vec3_length(cairn_vec3_sub(momentum(&s, box, body), first));
            sum->astray = fmax(sum->astray, off / cairn_vec3_length(first));
        }
    }
    scene_end(&s);
}

TEST(nothing_leaves_a_box) {
    const double speed[] = {20, 200, 1000}, spin[] = {0, 100, 1000, 10000};
    static const char *const name[INMATES] = {"sheet", "disc", "rod", "blade"};
    int told = 0, steps = 0;
    for (int kind = 0; kind < INMATES; kind++)
        for (int free_box = 0; free_box < 2; free_box++)
            for (int w = 0; w < 4; w++) {
                outcome sum = {0};
                for (int v = TEST_SANITIZED ? 2 : 0; v < 3; v++)
                    fly((inmate)kind, speed[v], spin[w], free_box, &sum);
                printf("%s in a box that %s, %g rad/s: %d of %d steps told, at most %.2g m deep, momentum to %.0e\n",
                       name[kind], free_box ? "flies" : "stands", spin[w], sum.told, sum.steps, sum.worst, sum.astray);
                CHECK(sum.deepest <= 2.01e-5); /* the tolerance: a hundredth of the wall */
                CHECK(sum.worst <= WALL);
                CHECK(sum.astray < 1e-9);
                told += sum.told;
                steps += sum.steps;
            }
    printf("%d of %d steps told\n", told, steps);
    CHECK(told <= steps / 12); /* those that whirl at 1e4 rad/s in a box that flies */
}

int main(void) {
    RUN(nothing_leaves_a_box);
    return test_end();
}
