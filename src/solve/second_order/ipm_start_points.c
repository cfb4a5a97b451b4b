/*
 * ipm_start_points.c: the starting points of [MT 2.4] carried from numbers to cones.
 *
 *     dapuzzo   y = L u raised to a gap of 1, z = s(y)^-1 in the algebra of the cone: s o z = e
 *               [MT (22)]
 *     nocedal   y, z after an affine step from e, with max(1, |x|) of both eigenvalues x_0 + |x_T|,
 *               x_0 - |x_T| [MT (21)]
 *
 * For cones of one component these are the formulas of the paper. Does not check that u is finite.
 */
#include "solve/second_order/cone_algebra.h"

#include <math.h>

/* x <- the vector with the same frame and the eigenvalues max(1, |x_0 + |x_T||), max(1, |x_0 -
 * |x_T||). */
static void reflect(double *x0, double *x1, double *x2, int dim) {
    double length = sqrt(*x1 * *x1 + *x2 * *x2);
    double high = fmax(1.0, fabs(*x0 + length)), low = fmax(1.0, fabs(*x0 - length));
    if (dim == 1) {
        *x0 = fmax(1.0, fabs(*x0));
        return;
    }
    double turn = length > 0.0 ? 0.5 * (high - low) / length : 0.0;
    *x0 = 0.5 * (high + low);
    *x1 *= turn;
    *x2 *= turn;
}

void cairn_cones_start_dapuzzo(cairn_cones *cones, const double *u) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        int l = c % CAIRN_LANES;
        for (int j = 0; j < 3; j++) {
            k->y[j][l] = k->L[j][l] * u[k->row[j][l]];
            k->z[j][l] = j == 0 ? 1.0 : 0.0;
        }
    }
    cairn_cones_set_gaps(cones);
    cairn_cones_raise(cones, 1.0);
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        int l = c % CAIRN_LANES;
        double length = sqrt(k->y[1][l] * k->y[1][l] + k->y[2][l] * k->y[2][l]);
        double det = k->dim[l] == 1 ? k->y[0][l] * k->y[0][l] : k->y_gap[l] * (k->y_gap[l] + 2.0 * length);
        k->z[0][l] = (k->dim[l] == 1 ? k->y[0][l] : k->y_gap[l] + length) / det;
        k->z[1][l] = -k->y[1][l] / det;
        k->z[2][l] = -k->y[2][l] / det;
    }
    cairn_cones_set_gaps(cones);
}

void cairn_cones_start_centre(cairn_cones *cones) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        for (int j = 0, l = c % CAIRN_LANES; j < 3; j++)
            k->y[j][l] = k->z[j][l] = j == 0 ? 1.0 : 0.0;
    }
    cairn_cones_set_gaps(cones);
}

void cairn_cones_start_nocedal(cairn_cones *cones, int way) {
    for (int c = 0; c < cones->count; c++) {
        cairn_cone_tile *k = &cones->tile[c / CAIRN_LANES];
        int l = c % CAIRN_LANES;
        for (int j = 0; j < 3; j++) {
            k->y[j][l] += k->way[way].dy[j][l];
            k->z[j][l] += k->way[way].dz[j][l];
        }
        reflect(&k->y[0][l], &k->y[1][l], &k->y[2][l], k->dim[l]);
        reflect(&k->z[0][l], &k->z[1][l], &k->z[2][l], k->dim[l]);
    }
    cairn_cones_set_gaps(cones);
}
