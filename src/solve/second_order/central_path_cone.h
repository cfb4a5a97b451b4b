/*
 * central_path_cone.h: one cone of the path of central_path.c: exact gaps, Nesterov-Todd scaling,
 * Coulomb's derivative.
 *
 * All cones are Lorentz cones x_0 >= |x_T| in three components; shorter ones have zeros behind. A
 * gap is x_0 - |x_T|, always carried along and never computed by subtraction, because near the end
 * it has lost all its digits otherwise.
 */
#ifndef CAIRN_SOLVE_SECOND_ORDER_CENTRAL_PATH_CONE_H
#define CAIRN_SOLVE_SECOND_ORDER_CENTRAL_PATH_CONE_H

/* What an iteration needs of one cone. */
typedef struct cairn_cone_scaling {
    double W[9], Wi[9]; /* Nesterov-Todd scaling and its inverse: W z = Wi s = lambda */
    double lambda[3];
    double det;  /* lambda_0^2 - |lambda_T|^2 */
    double G[3]; /* first row of ds/dy; the rest is the identity */
    double B[9]; /* W^-2 G */
} cairn_cone_scaling;

/* Gap of s = (y_0 + R, y_T), R = sqrt(|y_T|^2 + c y_0^2), for c > 0, from y: y_0 + c y_0^2/(R +
 * |y_T|), without cancellation. */
double cairn_cone_coulomb_gap(double c, const double *y);
/* Change of the gap of x along a*d, without cancellation. */
double cairn_cone_gap_change(const double *x, const double *d, double a);
/* Largest a with x + a d in the cone (1e10: no limit); gap: that of x. */
double cairn_cone_step(const double *x, double gap, const double *d);
/* Everything in the struct at (y, z). */
void cairn_cone_scale(double c, const double *y, double s_gap, const double *z, double z_gap, cairn_cone_scaling *out);
/* t = -z + W^-1 (lambda \ (level e)). */
void cairn_cone_target(const cairn_cone_scaling *c, const double *z, double level, double *t);

#endif
