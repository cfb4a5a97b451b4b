/*
 * block_solve.c: the problem of one block by its set [theory 1].
 *
 *     bilateral             gamma = -N^-1 q, with 1e-13 n_i added to the diagonal so that redundant
 *                           rows keep their share
 *     nonnegative, box      Gauss-Seidel over the components, each exact
 *     cone                  exact: block_solve_cone.c
 *     shifted cone          the cone of gamma + a e_N with q - a N e_N, associated law
 *     dual cone, ball,      projected steps gamma <- P(gamma - (N gamma + q)/L), L >= largest eigenvalue of N_ii
 *     capped and polyhedral
 *     cone, custom
 *
 * The last two rows stop after LOCAL_STEPS or when a step is below rounding: the sweeps around them
 * do the rest.
 */
#include "solve/sweep/block_solve.h"

#include "sets/sets.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LOCAL_STEPS 25
#define TINY        1e-13

void cairn_block_invert(int dim, const double *N, double scale, double *inverse) {
    double a[CAIRN_BLOCK_DIM_MAX * CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < dim * dim; i++) {
        bool diagonal = i % (dim + 1) == 0;
        a[i] = N[i] + (diagonal ? TINY * scale : 0.0);
        inverse[i] = diagonal ? 1.0 : 0.0;
    }
    /* Gauss-Jordan without pivoting: the matrix is positive definite. A pivot lost to rounding
     * is raised. */
    for (int c = 0; c < dim; c++) {
        double pivot = fmax(a[c * dim + c], TINY * scale);
        for (int j = 0; j < dim; j++) {
            a[c * dim + j] /= pivot;
            inverse[c * dim + j] /= pivot;
        }
        for (int r = 0; r < dim; r++) {
            double f = a[r * dim + c];
            if (r == c || f == 0.0)
                continue;
            for (int j = 0; j < dim; j++) {
                a[r * dim + j] -= f * a[c * dim + j];
                inverse[r * dim + j] -= f * inverse[c * dim + j];
            }
        }
    }
}

/* u = N gamma + q. */
static void slip(int dim, const double *N, const double *q, const double *gamma, double *u) {
    for (int r = 0; r < dim; r++) {
        u[r] = q[r];
        for (int c = 0; c < dim; c++)
            u[r] += N[r * dim + c] * gamma[c];
    }
}

/* One projected step of the length step; returns its largest component. Phi as the law wants it. */
static double projected_step(const cairn_block_solver *l, double step, const double *q, double *gamma) {
    double u[CAIRN_BLOCK_DIM_MAX] = {0}, x[CAIRN_BLOCK_DIM_MAX], change = 0.0;
    int dim = l->block->dim;
    slip(dim, l->N, q, gamma, u);
    if (l->coulomb && l->block->set == CAIRN_SET_CONE)
        u[0] += l->block->mu * (dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]));
    if (l->coulomb && l->block->set == CAIRN_SET_POLY_CONE)
        u[0] += l->block->mu * cairn_poly_speed(l->block, u);
    for (int i = 0; i < dim; i++)
        x[i] = gamma[i] - step * u[i];
    cairn_set_get(l->block->set)->project(l->block, x, x);
    for (int i = 0; i < dim; i++) {
        change = fmax(change, fabs(x[i] - gamma[i]));
        gamma[i] = x[i];
    }
    return change;
}

static double largest(int dim, const double *x) {
    double most = 0.0;
    for (int i = 0; i < dim; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void solve_by_steps(const cairn_block_solver *l, const double *q, double *gamma) {
    int dim = l->block->dim;
    double square = 0.0; /* |N|_F >= largest eigenvalue */
    for (int i = 0; i < dim * dim; i++)
        square += l->N[i] * l->N[i];
    double step = square > 0.0 ? 1.0 / sqrt(square) : 1.0 / l->scale;
    for (int i = 0; i < LOCAL_STEPS; i++)
        if (!(projected_step(l, step, q, gamma) > DBL_EPSILON * largest(dim, gamma)))
            break;
}

/* Boxes, component by component. */
static void solve_box(const cairn_block_solver *l, double lo, double hi, const double *q, double *gamma) {
    int dim = l->block->dim;
    for (int step = 0; step < (dim > 1 ? LOCAL_STEPS : 1); step++) {
        double change = 0.0;
        for (int r = 0; r < dim; r++) {
            double u = q[r], pivot = l->N[r * dim + r] > 0.0 ? l->N[r * dim + r] : l->scale;
            for (int c = 0; c < dim; c++)
                u += l->N[r * dim + c] * gamma[c];
            double x = fmin(hi, fmax(lo, gamma[r] - u / pivot));
            change = fmax(change, fabs(x - gamma[r]));
            gamma[r] = x;
        }
        if (!(change > DBL_EPSILON * largest(dim, gamma)))
            break;
    }
}

/* A Newton step from the last gamma, so that what N does not see stays as it is. */
static void solve_bilateral(const cairn_block_solver *l, const double *q, double *gamma) {
    double u[CAIRN_BLOCK_DIM_MAX];
    int dim = l->block->dim;
    for (int step = 0; step < 2; step++) {
        slip(dim, l->N, q, gamma, u);
        for (int r = 0; r < dim; r++)
            for (int c = 0; c < dim; c++)
                gamma[r] -= l->inverse[r * dim + c] * u[c];
    }
}

static void solve_cone(const cairn_block_solver *l, const double *q, double *gamma) {
    if (!cairn_block_solve_cone(l->block->dim, l->block->mu, l->coulomb, l->N, q, gamma))
        projected_step(l, 1.0 / l->scale, q, gamma);
}

static void solve_shifted(const cairn_block_solver *l, const double *q, double *gamma) {
    int dim = l->block->dim;
    double a = l->block->adhesion, moved[3], x[3];
    for (int r = 0; r < dim; r++) {
        moved[r] = q[r] - a * l->N[r * dim];
        x[r] = gamma[r] + (r == 0 ? a : 0.0);
    }
    if (cairn_block_solve_cone(dim, l->block->mu, false, l->N, moved, x)) {
        x[0] -= a;
        memcpy(gamma, x, (size_t)dim * sizeof *x);
    } else {
        projected_step(l, 1.0 / l->scale, q, gamma);
    }
}

void cairn_block_solve(const cairn_block_solver *local, const double *q, double *gamma) {
    switch (local->block->set) {
    case CAIRN_SET_BILATERAL:
        solve_bilateral(local, q, gamma);
        break;
    case CAIRN_SET_NONNEGATIVE:
        solve_box(local, 0.0, INFINITY, q, gamma);
        break;
    case CAIRN_SET_BOX:
        solve_box(local, local->block->lo, local->block->hi, q, gamma);
        break;
    case CAIRN_SET_CONE:
        solve_cone(local, q, gamma);
        break;
    case CAIRN_SET_SHIFTED_CONE:
        solve_shifted(local, q, gamma);
        break;
    default:
        solve_by_steps(local, q, gamma);
    }
}
