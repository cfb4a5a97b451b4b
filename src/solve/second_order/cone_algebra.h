/*
 * cone_algebra.h: the cones of the interior point method, eight side by side.
 *
 * All cones are Lorentz cones x_0 >= |x_T| in three components; shorter ones have zeros behind. A
 * gap is x_0 - |x_T|, always carried along and never computed by subtraction, because near the end
 * it has lost all its digits otherwise.
 *
 * A tile holds eight cones, component by component, so that the same operation on eight cones is
 * one or two instructions; every sum goes lane by lane over the tiles and then over the lanes,
 * whatever the processor. The last tile is filled up with cones that take part in nothing: live =
 * 0, L = 0.
 */
#ifndef CAIRN_SOLVE_SECOND_ORDER_CONE_ALGEBRA_H
#define CAIRN_SOLVE_SECOND_ORDER_CONE_ALGEBRA_H

#define CAIRN_LANES 8

typedef double cairn_lanes[CAIRN_LANES];

typedef struct cairn_cone_tile {
    cairn_lanes live; /* 1, or 0 for a cone that only fills up */
    cairn_lanes c;    /* smoothing of the exact law; 0: associated, or no tangent */
    cairn_lanes L[3]; /* y = L u, gamma = L z; 0 behind short cones */
    cairn_lanes E[3]; /* L C L */
    cairn_lanes y[3], z[3];
    cairn_lanes y_gap, z_gap; /* gap of the slack s(y), and of z */
    cairn_lanes rp[3];        /* L(D'v + b + C gamma) - y */
    cairn_lanes t[3];         /* target, softened: (I + B E)^-1 of it */
    struct {
        cairn_lanes dy[3], dz[3];
    } way[2]; /* two directions */
    /* Nesterov-Todd scaling: W z = W^-1 s = lambda, W = [w_0 w_T'; w_T I + w_T w_T'/(1 + w_0)] /
     * shrink */
    cairn_lanes w[3], shrink;
    cairn_lanes lambda[3], det; /* det = lambda_0^2 - |lambda_T|^2 */
    cairn_lanes G[3];           /* first row of ds/dy; the rest is the identity */
    cairn_lanes B[9];           /* W^-2 ds/dy row by row, softened */
    cairn_lanes M[9];           /* (I + B E)^-1; compliant problems only */
    int row[3][CAIRN_LANES];    /* rows of the problem; m where there is none */
    int weight[CAIRN_LANES];    /* where the cone's part of a block of weights begins */
    int ld[CAIRN_LANES];        /* rows of that block */
    int dim[CAIRN_LANES];
} cairn_cone_tile;

typedef struct cairn_cones {
    int count, tiles;
    cairn_cone_tile *tile;
} cairn_cones;

/* Everything from w to B at (y, z), and t = -z. */
void cairn_cones_scale(cairn_cones *cones);
/* t = -z + W^-1 (lambda \ (level e - weight (W^-1 G dy) o (W dz))) with the direction way. */
void cairn_cones_target(cairn_cones *cones, double level, double weight, int way);
/* Compliant problems: B <- (I + B E)^-1 B, and (I + B E)^-1 is kept in M. Then t <- M t. */
void cairn_cones_soften(cairn_cones *cones);
void cairn_cones_soften_target(cairn_cones *cones);
/* h (m + 1) = L (t - B rp) in the cones' rows. */
void cairn_cones_respond(const cairn_cones *cones, double *h);
/* The direction way from h = D'dv (m + 1): x = rp + L h, dz = t - B x, dy = x + E dz. Returns
 * the largest step that keeps every cone, at most 1e10; for cones under the exact law y_0 > 0 is
 * enough. */
double cairn_cones_direct(cairn_cones *cones, const double *h, int way);
/* Mean of s(y + a dy)'(z + a dz). */
double cairn_cones_mean_after(const cairn_cones *cones, double a, int way);
/* y, z and their gaps a step a further; rp <- (1 - a) rp, as Newton's equations say. */
void cairn_cones_move(cairn_cones *cones, double a, int way);
/* rp from u (m + 1). */
void cairn_cones_residual(cairn_cones *cones, const double *u);
/* The mean of s'z from the gaps; *largest: max |rp|. */
double cairn_cones_mean(const cairn_cones *cones, double *largest);
/* gamma (m + 1) = L z in the cones' rows. */
void cairn_cones_impulse(const cairn_cones *cones, double *gamma);
/* Weights L B L as blocks, to B (dim x dim row by row for each block of the problem). */
void cairn_cones_weights(const cairn_cones *cones, double *B);
/* Gaps from y and z by subtraction. */
void cairn_cones_set_gaps(cairn_cones *cones);
/* Raises every gap to at least level. */
void cairn_cones_raise(cairn_cones *cones, double level);

/* Starting points (ipm_start_points.c): from the slip u (m + 1); the centre y = z = e; from y, z
 * and the direction way. */
void cairn_cones_start_dapuzzo(cairn_cones *cones, const double *u);
void cairn_cones_start_centre(cairn_cones *cones);
void cairn_cones_start_nocedal(cairn_cones *cones, int way);

#endif
