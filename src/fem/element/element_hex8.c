/*
 * element_hex8.c: trilinear brick on [-1, 1]^3: corners (-,-,-) (+,-,-) (+,+,-) (-,+,-), then the same at the top.
 *
 *     N_a = (1 + r r_a)(1 + s s_a)(1 + t t_a)/8            2 x 2 x 2 points of Gauss
 *     modes 1 - r^2, 1 - s^2, 1 - t^2                       [Wilson]; gradients J0^-T (-2 xi_k e_k) j0/j, J0 and j0 in the middle [Taylor]
 *
 * Trilinear shapes alone cannot bend without shear: the modes, which are the element's own (incompatible_modes.c), can. With the gradients of the middle, scaled by j0/j, they do
 * no work under constant stress, so that the patch test is passed by bricks of any shape.
 */
#include "fem/element/element.h"

static const double place[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                   {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

static void shape(const double xi[3], double *N, double (*dN)[3]) {
    for (int a = 0; a < 8; a++) {
        const double *p = place[a];
        double f[3] = {1.0 + xi[0] * p[0], 1.0 + xi[1] * p[1], 1.0 + xi[2] * p[2]};
        if (N != NULL)
            N[a] = 0.125 * f[0] * f[1] * f[2];
        for (int i = 0; dN != NULL && i < 3; i++)
            dN[a][i] = 0.125 * p[i] * f[(i + 1) % 3] * f[(i + 2) % 3];
    }
}

static void mode_gradients(const cairn_fem_element *e, const double *X, const double xi[3], double det,
                           double (*G)[3]) {
    double N[8][3], middle = cairn_fem_solid_gradient(e, X, e->middle, N);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) { /* row k of J0^-1 = sum over corners of place_k dN/dX */
            double sum = 0.0;
            for (int a = 0; a < 8; a++)
                sum += place[a][k] * N[a][i];
            G[k][i] = -2.0 * xi[k] * sum * middle / det;
        }
}

static const unsigned char face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
static const unsigned char triangle[12][3] = {{0, 3, 2}, {0, 2, 1}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                              {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

const cairn_fem_element cairn_fem_hex8 = {.name = "hex8",
                                          .nodes = 8,
                                          .vectors = 1,
                                          .kept = 8 * 38,
                                          .modes = 3,
                                          .pressures = 4,
                                          .lean = CAIRN_FEM_MODES_LEAN(8, 3),
                                          .shape = shape,
                                          .mode_gradients = mode_gradients,
                                          .stiffness_rule = cairn_fem_rule_hex8,
                                          .mass_rule = cairn_fem_rule_hex27,
                                          .middle = {0, 0, 0},
                                          .place = place,
                                          .corners = 8,
                                          .faces = 6,
                                          .face_corners = 4,
                                          .face_triangles = 2,
                                          .face = face,
                                          .triangle = triangle,
                                          .prepare = cairn_fem_solid_prepare,
                                          .evaluate = cairn_fem_modes_evaluate,
                                          .turn = cairn_fem_solid_turn,
                                          .step = cairn_fem_modes_step,
                                          .applied = cairn_fem_modes_applied,
                                          .taut = cairn_fem_solid_taut,
                                          .stress = cairn_fem_solid_stress};
