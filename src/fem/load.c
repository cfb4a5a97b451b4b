/*
 * load.c: pressure on the skin: on every triangle -p times its area along the outward normal, a third to each corner; at the places of now.
 */
#include "part_data.h"

static bool in_set(const cairn_fem_mesh_view *v, int set, int node) {
    int low = v->set_start[set], high = v->set_start[set + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (v->set_node[middle] == node)
            return true;
        if (v->set_node[middle] < node)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return false;
}

static cairn_vec3 place_of(const cairn_fem_part *part, int node) {
    const double *x = part->x + 3 * part->view.vector[node];
    return cairn_vec3_of(x[0], x[1], x[2]);
}

void cairn_fem_part_pressure(cairn_fem_part *part, int set, double pressure) {
    const cairn_fem_mesh_view *v = &part->view;
    for (int f = 0; f < v->faces; f++) {
        const int *corner = v->face + 3 * f;
        if (set >= 0 && !(in_set(v, set, corner[0]) && in_set(v, set, corner[1]) && in_set(v, set, corner[2])))
            continue;
        cairn_vec3 a = place_of(part, corner[0]), b = place_of(part, corner[1]), c = place_of(part, corner[2]);
        cairn_vec3 twice = cairn_vec3_cross(cairn_vec3_sub(b, a), cairn_vec3_sub(c, a));
        for (int i = 0; i < 3; i++) {
            double *load = part->load + 3 * v->vector[corner[i]];
            load[0] -= pressure / 6.0 * twice.x;
            load[1] -= pressure / 6.0 * twice.y;
            load[2] -= pressure / 6.0 * twice.z;
        }
    }
}
