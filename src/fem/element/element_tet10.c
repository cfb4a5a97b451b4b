/*
 * element_tet10.c: quadratic tetrahedron: corners 0 to 3, then the middles of edges 01 12 20 03 13 23.
 *
 *     corners N_i = L_i (2 L_i - 1), middles N_ij = 4 L_i L_j          L: the linear shape functions
 *
 * With straight edges the strain is linear: the rule of four points is exact for the linear law.
 */
#include "fem/element/element.h"

static const unsigned char ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void shape(const double xi[3], double *N, double (*dN)[3]) {
    static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double L[4] = {1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
    for (int a = 0; a < 4; a++) {
        if (N != NULL)
            N[a] = L[a] * (2.0 * L[a] - 1.0);
        for (int i = 0; dN != NULL && i < 3; i++)
            dN[a][i] = (4.0 * L[a] - 1.0) * dL[a][i];
    }
    for (int e = 0; e < 6; e++) {
        int a = ends[e][0], b = ends[e][1];
        if (N != NULL)
            N[4 + e] = 4.0 * L[a] * L[b];
        for (int i = 0; dN != NULL && i < 3; i++)
            dN[4 + e][i] = 4.0 * (L[a] * dL[b][i] + L[b] * dL[a][i]);
    }
}

static const double place[10][3] = {{0, 0, 0},     {1, 0, 0},   {0, 1, 0},   {0, 0, 1},     {0.5, 0, 0},
                                    {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
static const unsigned char face[4][4] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
/* of face a b c with middles p = ab, q = bc, r = ca: a p r, p b q, r q c, p q r */
static const unsigned char triangle[16][3] = {{0, 6, 4}, {6, 2, 5}, {4, 5, 1}, {6, 5, 4}, {0, 4, 7}, {4, 1, 8},
                                              {7, 8, 3}, {4, 8, 7}, {1, 5, 8}, {5, 2, 9}, {8, 9, 3}, {5, 9, 8},
                                              {0, 7, 6}, {7, 3, 9}, {6, 9, 2}, {7, 9, 6}};

const cairn_fem_element cairn_fem_tet10 = {.name = "tet10",
                                           .nodes = 10,
                                           .vectors = 1,
                                           .kept = 4 * 32,
                                           .pressures = 1,
                                           .shape = shape,
                                           .stiffness_rule = cairn_fem_rule_tet4,
                                           .mass_rule = cairn_fem_rule_tet64,
                                           .middle = {0.25, 0.25, 0.25},
                                           .place = place,
                                           .corners = 4,
                                           .faces = 4,
                                           .face_corners = 3,
                                           .face_triangles = 4,
                                           .face = face,
                                           .triangle = triangle,
                                           .prepare = cairn_fem_solid_prepare,
                                           .evaluate = cairn_fem_solid_evaluate,
                                           .turn = cairn_fem_solid_turn,
                                           .step = cairn_fem_solid_step,
                                           .applied = cairn_fem_solid_applied,
                                           .taut = cairn_fem_solid_taut,
                                           .stress = cairn_fem_solid_stress};
