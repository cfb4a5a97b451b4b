/*
 * stress.c: stresses and strains out.
 *
 *     Cauchy stress sigma = P F'/det F,   Green strain E = (F'F - 1)/2,   von Mises: sqrt(3/2) |sigma - tr sigma/3|
 */
#include "fem/part/part_data.h"

#include <math.h>

static double mises(const double s[6]) {
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

void cairn_fem_part_stress(const cairn_fem_part *part, double *stress, double *strain, double *mises_node) {
    const cairn_fem_mesh_view *v = &part->view;
    const cairn_fem_work *w = part->work;
    double *around = w->K; /* room: volume around each node */
    for (int i = 0; mises_node != NULL && i < v->nodes; i++)
        mises_node[i] = around[i] = 0.0;
    for (int e = 0; e < v->elements; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        int slot[CAIRN_FEM_NODES_MAX], n = cairn_fem_part_vectors(part, e, slot);
        double X[3 * CAIRN_FEM_NODES_MAX], x[3 * CAIRN_FEM_NODES_MAX], mine[6], e_mine[6];
        for (int t = 0; t < 3 * n; t++) {
            X[t] = part->rest[3 * slot[t / 3] + t % 3];
            x[t] = part->x[3 * slot[t / 3] + t % 3];
        }
        double volume = element->stress(element, &w->stuff[v->group[e]], w->kept + w->kept_start[e], X, x, mine,
                                        e_mine);
        for (int t = 0; t < 6; t++) {
            if (stress != NULL)
                stress[6 * (size_t)e + (size_t)t] = mine[t];
            if (strain != NULL)
                strain[6 * (size_t)e + (size_t)t] = e_mine[t];
        }
        for (int p = v->start[e]; mises_node != NULL && p < v->start[e + 1]; p++) {
            mises_node[v->corner[p]] += volume * mises(mine);
            around[v->corner[p]] += volume;
        }
    }
    for (int i = 0; mises_node != NULL && i < v->nodes; i++)
        mises_node[i] /= around[i];
}
