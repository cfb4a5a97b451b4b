/*
 * sample_stones.c: cuboids on cuboids: a cairn, a wall in running bond, one box. Faces that touch
 * have four contacts, at the corners of their common rectangle. [theory 7]; the brick is that of
 * [T21 TEST 2], length : depth : height = 3.96 : 4 : 2.
 *
 * In the cairn layer l has (L - l)^2 stones, each set on the corners of four stones below, so that
 * it has 16 contacts; stones are laid from below until there are count of them, L being the least
 * that suffices. The last stone laid is the one that may be kicked. Within a layer there is air
 * between the stones.
 */
#include "samples/sample.h"

#define JOINT_WIDTH 0.01 /* air between neighbours, relative to the distance of their centres */

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Box `upper` of these sizes on box `lower` of its own: contacts when they overlap in plan. */
static void rest_on(cairn_sample_scene *scene, int lower, const double *lower_size, int upper,
                    const double *upper_size) {
    const double *p = scene->body[lower].place, *q = scene->body[upper].place;
    double x[2] = {larger(p[0] - lower_size[0] / 2, q[0] - upper_size[0] / 2),
                   smaller(p[0] + lower_size[0] / 2, q[0] + upper_size[0] / 2)};
    double y[2] = {larger(p[1] - lower_size[1] / 2, q[1] - upper_size[1] / 2),
                   smaller(p[1] + lower_size[1] / 2, q[1] + upper_size[1] / 2)};
    double least = 1e-6 * upper_size[0]; /* rounding is not overlap */
    if (x[1] - x[0] > least && y[1] - y[0] > least)
        cairn_sample_face(scene, lower, upper, x, y, q[2] - upper_size[2] / 2);
}

static void rest_on_ground(cairn_sample_scene *scene, int body, const double *size) {
    const double *p = scene->body[body].place;
    double x[2] = {p[0] - size[0] / 2, p[0] + size[0] / 2}, y[2] = {p[1] - size[1] / 2, p[1] + size[1] / 2};
    cairn_sample_face(scene, CAIRN_GROUND, body, x, y, p[2] - size[2] / 2);
}

cairn_status cairn_sample_cairn(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    int side = 1;
    while ((int64_t)side * (side + 1) * (2 * side + 1) / 6 < def->count)
        side++;
    int ground = side * side < def->count ? side * side : def->count;
    cairn_status status = cairn_sample_begin(scene, def->count, 4 * ground + 16 * (def->count - ground), false);
    if (status != CAIRN_OK)
        return status;
    uint64_t random = def->seed;
    double pitch = def->size / (1.0 - JOINT_WIDTH), size[3] = {def->size, def->size, 0.5 * def->size};
    int below = 0; /* first stone of the layer below */
    for (int layer = 0, laid = 0; laid < def->count; layer++) {
        int edge = side - layer, first = laid;
        for (int i = 0; i < edge * edge && laid < def->count; i++, laid++) {
            int column = i % edge, row = i / edge;
            double place[3] = {(column + 0.5 * layer) * pitch, (row + 0.5 * layer) * pitch, (layer + 0.5) * size[2]};
            double mass = def->mass * (1.0 + def->spread * cairn_sample_signed(&random));
            int stone = cairn_sample_box(scene, place, 0.0, mass, size);
            if (layer == 0)
                rest_on_ground(scene, stone, size);
            for (int corner = 0; layer > 0 && corner < 4; corner++)
                rest_on(scene, below + (row + (corner >> 1)) * (edge + 1) + column + (corner & 1), size, stone, size);
        }
        below = first;
    }
    scene->body[def->count - 1].velocity[0] = def->kick;
    return CAIRN_OK;
}

/* Length of brick i of a row, in distances between bricks: rows of odd number begin and end with
 * half a brick. */
static double brick_length(int row, int i, int bricks) {
    return row % 2 == 1 && (i == 0 || i == bricks - 1) ? 0.5 : 1.0;
}

cairn_status cairn_sample_wall(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    int bodies = def->layers * def->count + def->layers / 2;
    cairn_status status = cairn_sample_begin(scene, bodies, 8 * bodies, false); /* a brick rests on two at most */
    if (status != CAIRN_OK)
        return status;
    double pitch = def->size / (1.0 - JOINT_WIDTH), air = pitch - def->size;
    double depth = def->size * 4.0 / 3.96, height = def->size * 2.0 / 3.96;
    int below = 0, below_count = 0;
    for (int row = 0; row < def->layers; row++) {
        int bricks = def->count + row % 2, first = scene->bodies;
        double left = 0.0;
        for (int i = 0; i < bricks; i++) {
            double length = brick_length(row, i, bricks), size[3] = {length * pitch - air, depth, height};
            double place[3] = {left + 0.5 * length * pitch, 0.0, (row + 0.5) * height};
            int brick = cairn_sample_box(scene, place, 0.0, def->mass * size[0] / def->size, size);
            left += length * pitch;
            if (row == 0)
                rest_on_ground(scene, brick, size);
            for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < below_count; j++) {
                double under = brick_length(row - 1, j, below_count);
                double under_size[3] = {under * pitch - air, depth, height};
                rest_on(scene, below + j, under_size, brick, size);
            }
        }
        below = first;
        below_count = bricks;
    }
    scene->body[below + below_count / 2].velocity[1] = def->kick;
    return CAIRN_OK;
}

cairn_status cairn_sample_box_on_four(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    cairn_status status = cairn_sample_begin(scene, 1, 4, true);
    if (status != CAIRN_OK)
        return status;
    double size[3] = {def->size, def->size, def->size}, place[3] = {0.0, 0.0, 0.5 * def->size};
    rest_on_ground(scene, cairn_sample_box(scene, place, 0.0, def->mass, size), size);
    for (int i = 0; i < 4; i++)
        scene->gamma[3 * i] = 0.25 * def->mass * def->gravity * def->step;
    return CAIRN_OK;
}
