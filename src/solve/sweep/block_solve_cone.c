/*
 * block_solve_cone.c: one frictional contact, exact Coulomb law or associated law, to rounding
 * [theory 1].
 *
 *     u = N gamma + q,   N = [ n  w' ; w  T ] symmetric positive semidefinite, dim 2 or 3
 *
 * For a given normal impulse c the tangential one is friction on a disc of radius mu c,
 *
 *     gamma_T(c) = argmin 1/2 x'T x + (q_T + c w)'x,  |x| <= mu c,
 *     (T + lambda I) gamma_T = -(q_T + c w),  u_T = -lambda gamma_T,
 *
 * lambda = 0 sticking, else the root of |gamma_T| = mu c by Newton on 1/|gamma_T|, which rises to
 * it from the left. Then c is the root of one scalar function,
 *
 *     F(c) = n c + w'gamma_T(c) + q_N  [ - mu |u_T(c)| for the associated law ],
 *
 * by Newton inside a bracket. F(0) >= 0 is an open contact. For the associated law F is the
 * derivative of a convex function. For the exact law F is continuous and does not fall below 0 in
 * the end, because w'(T + lambda)^-1 w <= n; it may have several roots, each of them an answer
 * [theory 1 (4)]; sticking is tried first. Everything happens in the eigenvectors of T, so that T
 * may be singular and mu may be 0.
 */
#include "solve/sweep/block_solve.h"

#include <float.h>
#include <math.h>

#define NEWTON_STEPS  80
#define SECULAR_STEPS 60
#define GROWTH        8.0  /* of the normal impulse in one step */
#define FLAT          1e-9 /* slope of F, relative to N_NN */
#define ROUNDING_FLAT 1e-12
#define ROUNDING      (4.0 * DBL_EPSILON) /* of F, relative to its terms */

typedef struct contact {
    int tangents;
    bool coulomb;
    double mu, n, q_n;
    double value[2];     /* eigenvalues of T, >= 0 */
    double cosine, sine; /* first eigenvector (cosine, sine), second (-sine, cosine) */
    double w[2], q[2];   /* w and q_T in the eigenvectors */
    double x[2];         /* gamma_T of the last evaluation, likewise */
} contact;

/* Eigenvectors of the symmetric [a b; b d] by one rotation. */
static void diagonalize(double a, double b, double d, contact *c) {
    c->cosine = 1.0;
    c->sine = 0.0;
    if (b != 0.0) {
        double tau = (d - a) / (2.0 * b);
        double t = tau >= 0.0 ? -1.0 / (tau + sqrt(1.0 + tau * tau)) : 1.0 / (-tau + sqrt(1.0 + tau * tau));
        c->cosine = 1.0 / sqrt(1.0 + t * t);
        c->sine = t * c->cosine;
        a += t * b;
        d -= t * b;
    }
    c->value[0] = fmax(0.0, a);
    c->value[1] = fmax(0.0, d);
}

static void load(int dim, double mu, bool coulomb, const double *N, const double *q, contact *c) {
    *c = (contact){.tangents = dim - 1, .coulomb = coulomb, .mu = mu, .n = N[0], .q_n = q[0], .cosine = 1.0};
    if (dim == 2) {
        c->value[0] = fmax(0.0, N[3]);
        c->w[0] = N[1];
        c->q[0] = q[1];
        return;
    }
    diagonalize(N[4], N[5], N[8], c);
    c->w[0] = c->cosine * N[1] + c->sine * N[2];
    c->w[1] = -c->sine * N[1] + c->cosine * N[2];
    c->q[0] = c->cosine * q[1] + c->sine * q[2];
    c->q[1] = -c->sine * q[1] + c->cosine * q[2];
}

/* x = gamma_T for the load p on the disc of radius r > 0; returns lambda. */
static double friction(contact *c, const double *p, double r) {
    double lambda = 0.0;
    for (int k = 0; k < c->tangents; k++)
        lambda = fmax(lambda, fabs(p[k]) / r - c->value[k]);
    for (int step = 0; step < SECULAR_STEPS; step++) {
        double square = 0.0, slope = 0.0;
        for (int k = 0; k < c->tangents; k++) {
            double t = c->value[k] + lambda;
            c->x[k] = t > 0.0 ? -p[k] / t : 0.0; /* t = 0 only where p = 0 */
            square += c->x[k] * c->x[k];
            slope += t > 0.0 ? c->x[k] * c->x[k] / t : 0.0;
        }
        double length = sqrt(square);
        if (length <= r * (1.0 + 2.0 * DBL_EPSILON) || !(slope > 0.0))
            break;
        double next = lambda + square / slope * (length - r) / r;
        if (!(next > lambda))
            break;
        lambda = next;
    }
    return lambda;
}

/* F(c), its derivative, and the size of its terms; leaves gamma_T in x. */
static double evaluate(contact *c, double normal, double *slope, double *size) {
    double p[2] = {0}, r = c->mu * normal, lambda = 0.0;
    double F = c->n * normal + c->q_n;
    *size = c->n * normal + fabs(c->q_n);
    *slope = c->n;
    c->x[0] = c->x[1] = 0.0;
    for (int k = 0; k < c->tangents; k++)
        p[k] = c->q[k] + normal * c->w[k];
    if (!(r > 0.0)) {
        if (!c->coulomb)
            F -= c->mu * hypot(p[0], p[1]);
        return F;
    }
    lambda = friction(c, p, r);
    double coupling = 0.0, stretch = 0.0, push = 0.0; /* w'x, x'Mx, x'Mw with M = (T + lambda)^-1 */
    for (int k = 0; k < c->tangents; k++) {
        double t = c->value[k] + lambda, M = t > 0.0 ? 1.0 / t : 0.0;
        coupling += c->w[k] * c->x[k];
        stretch += c->x[k] * M * c->x[k];
        push += c->x[k] * M * c->w[k];
        *slope -= c->w[k] * M * c->w[k];
        *size += fabs(c->w[k]) * M * (fabs(c->q[k]) + normal * fabs(c->w[k]));
    }
    F += coupling;
    if (lambda > 0.0 && stretch > 0.0) {
        double rate = -(c->mu * r + push) / stretch; /* d lambda / dc */
        *slope -= push * rate;
        if (!c->coulomb) {
            F -= c->mu * lambda * r;
            *slope -= c->mu * c->mu * (rate * normal + lambda);
            *size += c->mu * lambda * r;
        }
    }
    return F;
}

/* gamma = -N^-1 q when that is in the cone: sticking. */
static bool stick(contact *c, double *normal) {
    double n = c->n, load = c->q_n;
    for (int k = 0; k < c->tangents; k++) {
        if (!(c->value[k] > 0.0))
            return false;
        n -= c->w[k] * c->w[k] / c->value[k];
        load -= c->w[k] * c->q[k] / c->value[k];
    }
    if (!(n > 1e-12 * c->n))
        return false;
    *normal = -load / n;
    for (int k = 0; k < c->tangents; k++)
        c->x[k] = -(c->q[k] + *normal * c->w[k]) / c->value[k];
    return *normal >= 0.0 && hypot(c->x[0], c->x[1]) <= c->mu * *normal;
}

/* Root of F from the guess; F(0) < 0. False when F stays below 0. */
static bool root(contact *c, double guess, double *normal) {
    double low = 0.0, high = INFINITY, x = guess, slope, size;
    for (int step = 1; step <= NEWTON_STEPS; step++) {
        double F = evaluate(c, x, &slope, &size);
        *normal = x;
        bool flat = fabs(slope) <= FLAT * c->n; /* N is singular along this branch: F stays where it is */
        if (fabs(F) <= (flat ? ROUNDING_FLAT : ROUNDING) * size)
            return true;
        if (F < 0.0)
            low = x;
        else
            high = x;
        double next = slope > 0.0 ? fmin(x - F / slope, GROWTH * x) : INFINITY;
        bool halve = step % 8 == 0 && isfinite(high);
        if (!(next > low && next < high) || halve || !isfinite(next))
            next = isfinite(high) ? 0.5 * (low + high) : GROWTH * x;
        if (!isfinite(next) || next > 1e200)
            return false;
        if (fabs(next - x) <= DBL_EPSILON * x)
            return true;
        x = next;
    }
    return isfinite(high);
}

bool cairn_block_solve_cone(int dim, double mu, bool coulomb, const double *N, const double *q, double *gamma) {
    contact c;
    double slope, size, normal = 0.0;
    load(dim, mu, coulomb, N, q, &c);
    double last = gamma[0], open = evaluate(&c, 0.0, &slope, &size);
    if (open >= 0.0) {
        for (int k = 0; k < dim; k++)
            gamma[k] = 0.0;
        return true;
    }
    if (!stick(&c, &normal)) {
        double guess = last > 0.0 ? last : -open / c.n;
        if (!(c.n > 0.0) || !(guess > 0.0) || !isfinite(guess) || !root(&c, guess, &normal))
            return false;
    }
    gamma[0] = normal;
    gamma[1] = c.cosine * c.x[0] - c.sine * c.x[1];
    if (dim == 3)
        gamma[2] = c.sine * c.x[0] + c.cosine * c.x[1];
    return true;
}
