/*
 * element_tet4.c: linear tetrahedron: corners 0 to 3, N = (1 - r - s - t, r, s, t). Constant strain: one point is exact.
 */
#include "fem/element/element.h"

static void shape(const double xi[3], double *N, double (*dN)[3]) {
    if (N != NULL) {
        N[0] = 1.0 - xi[0] - xi[1] - xi[2];
        for (int i = 0; i < 3; i++)
            N[i + 1] = xi[i];
    }
    if (dN != NULL)
        for (int i = 0; i < 3; i++) {
            dN[0][i] = -1.0;
            for (int a = 0; a < 3; a++)
                dN[a + 1][i] = a == i ? 1.0 : 0.0;
        }
}

static const double place[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const unsigned char face[4][4] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
static const unsigned char triangle[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

const cairn_fem_element cairn_fem_tet4 = {.name = "tet4",
                                          .nodes = 4,
                                          .vectors = 1,
                                          .kept = 13,
                                          .shape = shape,
                                          .stiffness_rule = cairn_fem_rule_tet1,
                                          .mass_rule = cairn_fem_rule_tet4,
                                          .middle = {0.25, 0.25, 0.25},
                                          .place = place,
                                          .corners = 4,
                                          .faces = 4,
                                          .face_corners = 3,
                                          .face_triangles = 1,
                                          .face = face,
                                          .triangle = triangle,
                                          .prepare = cairn_fem_solid_prepare,
                                          .evaluate = cairn_fem_solid_evaluate,
                                          .turn = cairn_fem_solid_turn,
                                          .step = cairn_fem_solid_step,
                                          .applied = cairn_fem_solid_applied,
                                          .taut = cairn_fem_solid_taut,
                                          .stress = cairn_fem_solid_stress};
