/*
 * sample_spheres.c: a heap of equal spheres in a box without a lid, on a shaken face-centred
 * lattice [theory 7].
 *
 * Layers of side x side spheres, touching in the undisturbed lattice, and of (side - 1)^2 in the
 * hollows between them, by turns; side is the cube root of the number of spheres. Every centre is
 * then moved by up to spread * radius along each axis. Pairs, floor and walls nearer than a quarter
 * of the radius become contacts: some apart (b_N = gap/h), some overlapping (b_N = 0). Before the
 * step every sphere falls and drifts at up to 0.1 m/s.
 */
#include "samples/sample.h"

#include <math.h>

#define NEAR 0.25 /* contacts are made up to this gap, in radii */

typedef struct lattice {
    int side;
    double radius, rise; /* rise: height between two layers */
} lattice;

/* Layer and place of sphere i in the undisturbed lattice; returns the layer. */
static int lattice_place(const lattice *grid, int i, double place[3]) {
    int layer = 0, edge = grid->side;
    while (i >= edge * edge) {
        i -= edge * edge;
        layer++;
        edge = layer % 2 == 0 || grid->side == 1 ? grid->side : grid->side - 1;
    }
    double shift = edge == grid->side ? 1.0 : 2.0;
    place[0] = (2.0 * (i % edge) + shift) * grid->radius;
    place[1] = (2.0 * (i / edge) + shift) * grid->radius;
    place[2] = grid->radius + layer * grid->rise;
    return layer;
}

void cairn_sample_touch_pair(cairn_sample_scene *scene, int a, int b, double margin) {
    double radius = scene->def->size, normal[3], point[3], distance = 0.0;
    for (int i = 0; i < 3; i++) {
        normal[i] = scene->body[b].place[i] - scene->body[a].place[i];
        point[i] = 0.5 * (scene->body[b].place[i] + scene->body[a].place[i]);
        distance += normal[i] * normal[i];
    }
    distance = sqrt(distance);
    double gap = distance - 2.0 * radius;
    if (gap > margin * radius)
        return;
    for (int i = 0; i < 3; i++)
        normal[i] /= distance;
    cairn_sample_contact(scene, a, b, point, normal, gap);
}

void cairn_sample_touch_box(cairn_sample_scene *scene, int body, double width, double margin) {
    double radius = scene->def->size;
    for (int side = 0; side < 5; side++) {
        int axis = side < 4 ? side / 2 : 2;
        bool far_side = side % 2 == 1;
        double at = scene->body[body].place[axis], gap = (far_side ? width - at : at) - radius;
        if (gap > margin * radius)
            continue;
        double normal[3] = {0.0, 0.0, 0.0}, point[3];
        normal[axis] = far_side ? -1.0 : 1.0;
        for (int i = 0; i < 3; i++)
            point[i] = scene->body[body].place[i] - normal[i] * radius;
        cairn_sample_contact(scene, CAIRN_GROUND, body, point, normal, gap);
    }
}

cairn_status cairn_sample_spheres(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    lattice grid = {.side = 1, .radius = def->size};
    while ((int64_t)grid.side * grid.side * grid.side < def->count)
        grid.side++;
    grid.rise = (grid.side == 1 ? 2.0 : sqrt(2.0)) * def->size;
    /* Twelve neighbours, six of them later in the order, and at most three sides of the box. */
    cairn_status status = cairn_sample_begin(scene, def->count, 9 * def->count, false);
    if (status != CAIRN_OK)
        return status;
    uint64_t random = def->seed;
    for (int i = 0; i < def->count; i++) {
        double place[3];
        lattice_place(&grid, i, place);
        for (int axis = 0; axis < 3; axis++)
            place[axis] += def->spread * def->size * cairn_sample_signed(&random);
        int sphere = cairn_sample_sphere(scene, place, def->mass, def->size);
        for (int axis = 0; axis < 3; axis++)
            scene->body[sphere].velocity[axis] = 0.1 * (axis == 2 ? -cairn_sample_unit(&random)
                                                                  : cairn_sample_signed(&random));
    }
    int reach = 2 * grid.side * grid.side; /* neighbours are in the same or the next layer */
    for (int a = 0; a < def->count; a++) {
        cairn_sample_touch_box(scene, a, 2.0 * grid.side * def->size, NEAR);
        for (int b = a + 1; b < def->count && b <= a + reach; b++)
            cairn_sample_touch_pair(scene, a, b, NEAR);
    }
    return CAIRN_OK;
}
