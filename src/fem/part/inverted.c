/*
 * inverted.c: elements that are inside out: det dx/dxi <= 0 at a point of the rule or at a corner, x the places of now. At rest it is positive there (mesh_check.c), so that
 * det F <= 0 is the same. Inner modes do not count: they move no node.
 */
#include "fem/part/inverted.h"

#include "fem/part/part_data.h"

#define PLACES_MAX (CAIRN_FEM_POINTS_MAX + 8)

/* Derivatives of the shape functions of one kind at the points that are looked at. */
typedef struct places {
    const cairn_fem_element *element;
    int count;
    double dN[PLACES_MAX][CAIRN_FEM_NODES_MAX][3];
} places;

static void find_places(const cairn_fem_element *element, places *at) {
    cairn_fem_rule rule;
    at->element = element;
    at->count = 0;
    element->stiffness_rule(&rule);
    for (int q = 0; q < rule.points; q++)
        element->shape(rule.xi[q], NULL, at->dN[at->count++]);
    for (int a = 0; rule.points > 1 && a < element->corners; a++) /* with one point it is the same everywhere */
        element->shape(element->place[a], NULL, at->dN[at->count++]);
}

static bool is_inverted(const cairn_fem_part *part, int e, const places *at) {
    const cairn_fem_mesh_view *v = &part->view;
    const int *node = v->corner + v->start[e];
    for (int q = 0; q < at->count; q++) {
        double J[3][3] = {{0}};
        for (int a = 0; a < at->element->nodes; a++) {
            const double *x = part->x + 3 * v->vector[node[a]], *d = at->dN[q][a];
            for (int t = 0; t < 9; t++)
                J[t / 3][t % 3] += x[t / 3] * d[t % 3];
        }
        double det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) +
                     J[0][1] * (J[1][2] * J[2][0] - J[1][0] * J[2][2]) +
                     J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
        if (!(det > 0.0))
            return true;
    }
    return false;
}

int cairn_fem_part_inverted(const cairn_fem_part *part) {
    const cairn_fem_mesh_view *v = &part->view;
    places at = {.element = NULL};
    int count = 0;
    for (int e = 0; e < v->elements; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        if (element->shape == NULL)
            continue;
        if (element != at.element)
            find_places(element, &at);
        count += is_inverted(part, e, &at);
    }
    return count;
}
