/*
 * surface_load.c: pressure on the skin, and forces spread over faces of it, at the places of now.
 *
 *     area_a = integral over the face of N_a n dA        so that uniform pressure is uniform stress, whatever the element
 *
 * Faces of the skin come in the order of the elements and of their tables of faces (mesh_boundary.c): a face is outer when its first triangle is the next of the skin.
 */
#include "fem/part/part_data.h"

#include <math.h>

#define GAUSS 3 /* points along each direction: exact for bricks and quadratic tetrahedra */

/* Integrals of one face by the nodes of its element. */
typedef struct face_sums {
    double normal[CAIRN_FEM_NODES_MAX][3], size[CAIRN_FEM_NODES_MAX]; /* of N_a n dA, of N_a dA */
} face_sums;

/* The point (s, t) of face f, from -1 to 1 each, in natural coordinates, and its derivatives. A triangle is a square whose last corner lies on the first. */
static void point_of_face(const cairn_fem_element *e, int f, double s, double t, double xi[3], double ds[3],
                          double dt[3]) {
    const unsigned char *corner = e->face[f];
    const double *c[4] = {e->place[corner[0]], e->place[corner[1]], e->place[corner[2]],
                          e->place[corner[e->face_corners == 4 ? 3 : 0]]};
    for (int i = 0; i < 3; i++) {
        double a = c[0][i], b = c[1][i], g = c[2][i], d = c[3][i];
        xi[i] = 0.25 * ((1 - s) * (1 - t) * a + (1 + s) * (1 - t) * b + (1 + s) * (1 + t) * g + (1 - s) * (1 + t) * d);
        ds[i] = 0.25 * ((1 - t) * (b - a) + (1 + t) * (g - d));
        dt[i] = 0.25 * ((1 - s) * (d - a) + (1 + s) * (g - b));
    }
}

static void add_point(const cairn_fem_part *part, const cairn_fem_element *element, const int *node, const double xi[3],
                      const double ds[3], const double dt[3], double weight, face_sums *sums) {
    double N[CAIRN_FEM_NODES_MAX], dN[CAIRN_FEM_NODES_MAX][3], u[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    element->shape(xi, N, dN);
    for (int a = 0; a < element->nodes; a++) {
        const double *x = part->x + 3 * part->view.vector[node[a]];
        double along = dN[a][0] * ds[0] + dN[a][1] * ds[1] + dN[a][2] * ds[2];
        double across = dN[a][0] * dt[0] + dN[a][1] * dt[1] + dN[a][2] * dt[2];
        for (int i = 0; i < 3; i++) {
            u[i] += along * x[i];
            v[i] += across * x[i];
        }
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < element->nodes; a++) {
        sums->size[a] += weight * N[a] * size;
        for (int i = 0; i < 3; i++)
            sums->normal[a][i] += weight * N[a] * n[i];
    }
}

static void integrate(const cairn_fem_part *part, const cairn_fem_element *element, const int *node, int f,
                      face_sums *sums) {
    static const double place[GAUSS] = {-0.77459666924148337704, 0.0, 0.77459666924148337704},
                        weight[GAUSS] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    *sums = (face_sums){0};
    for (int i = 0; i < GAUSS; i++)
        for (int j = 0; j < GAUSS; j++) {
            double xi[3], ds[3], dt[3];
            point_of_face(element, f, place[i], place[j], xi, ds, dt);
            add_point(part, element, node, xi, ds, dt, weight[i] * weight[j], sums);
        }
}

/* Are all nodes of the face's triangles chosen? */
static bool is_chosen(const cairn_fem_element *element, const int *node, int f, const unsigned char *chosen) {
    for (int t = f * element->face_triangles; chosen != NULL && t < (f + 1) * element->face_triangles; t++)
        for (int i = 0; i < 3; i++)
            if (chosen[node[element->triangle[t][i]]] == 0)
                return false;
    return true;
}

/* Is the face the next of the skin, whose triangles begin at `next`? */
static bool is_outer(const cairn_fem_mesh_view *v, const cairn_fem_element *element, const int *node, int f, int next) {
    const unsigned char *corner = element->triangle[f * element->face_triangles];
    const int *skin = v->face + 3 * (ptrdiff_t)next;
    return next < v->faces && skin[0] == node[corner[0]] && skin[1] == node[corner[1]] && skin[2] == node[corner[2]];
}

/* Goes through the chosen faces. Pressure to the part's load, or shares by node when these are wanted; returns the area. */
static double visit(cairn_fem_part *part, const unsigned char *chosen, double pressure, double *share) {
    const cairn_fem_mesh_view *v = &part->view;
    double area = 0.0;
    for (int e = 0, next = 0; e < v->elements && next < v->faces; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        const int *node = v->corner + v->start[e];
        for (int f = 0; f < element->faces; f++) {
            face_sums sums;
            if (!is_outer(v, element, node, f, next))
                continue;
            next += element->face_triangles;
            if (!is_chosen(element, node, f, chosen))
                continue;
            integrate(part, element, node, f, &sums);
            for (int a = 0; a < element->nodes; a++) {
                double *load = part->load + 3 * v->vector[node[a]];
                area += sums.size[a];
                if (share != NULL)
                    share[node[a]] += sums.size[a];
                for (int i = 0; share == NULL && i < 3; i++)
                    load[i] -= pressure * sums.normal[a][i];
            }
        }
    }
    return area;
}

void cairn_fem_part_pressure(cairn_fem_part *part, const unsigned char *chosen, double pressure) {
    (void)visit(part, chosen, pressure, NULL);
}

double cairn_fem_part_shares(cairn_fem_part *part, const unsigned char *chosen, double *share) {
    for (int i = 0; i < part->view.nodes; i++)
        share[i] = 0.0;
    return visit(part, chosen, 0.0, share);
}
