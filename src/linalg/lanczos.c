/*
 * lanczos.c: extreme eigenvalues of a symmetric operator M by Lanczos' three-term recurrence.
 *
 *     e_{k+1} x_{k+1} = M x_k - d_k x_k - e_k x_{k-1},   d_k = x_k'M x_k,   |x_k| = 1
 *
 * The eigenvalues of the tridiagonal matrix of d and e lie inside the spectrum of M; the outer ones
 * find the outer ones of M first. Orthogonality is not restored: rounding makes copies of values
 * found, which does no harm at the ends. They are taken by bisection with Sturm counts: the signs
 * of the pivots of T - xI tell how many eigenvalues are below x (Sylvester's law of inertia).
 *
 * Upper bound: with a start drawn evenly from the sphere, k steps and M positive semidefinite,
 *
 *     P(lambda_max - theta > epsilon lambda_max) <= 1.648 sqrt(n) exp(-sqrt(epsilon) (2 k - 1))
 *
 * (J. Kuczynski, H. Wozniakowski, SIAM J. Matrix Anal. Appl. 13 (1992), theorem 4.2). epsilon is
 * chosen so that the right side is RISK; then lambda_max <= theta / (1 - epsilon). On 10^5 rows
 * epsilon is 0.18 after 30 steps and 0.06 after 50; below 13 steps it is more than 1 and upper is
 * infinite. The start is a fixed pseudo-random one. As orthogonality is lost, n steps need not find
 * all eigenvalues: only a vanishing e ends a run early.
 *
 * Not checked: that M is symmetric, and semidefinite for upper.
 */
#include "linalg/lanczos.h"

#include <float.h>
#include <math.h>

#define RISK 1e-8 /* of an upper bound that is none */

int cairn_sturm_count(int n, const double *d, const double *e, double x) {
    int count = 0;
    double pivot = 1.0;
    for (int i = 0; i < n; i++) {
        double coupling = i > 0 ? e[i] * (e[i] / pivot) : 0.0;
        pivot = d[i] - x - coupling;
        if (fabs(pivot) < DBL_MIN) /* a pivot of 0: move x by less than rounding */
            pivot = -DBL_MIN;
        count += pivot < 0.0;
    }
    return count;
}

double cairn_sturm_eigenvalue(int n, const double *d, const double *e, int k) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) { /* Gershgorin's discs */
        double radius = (i > 0 ? fabs(e[i]) : 0.0) + (i + 1 < n ? fabs(e[i + 1]) : 0.0);
        low = fmin(low, d[i] - radius);
        high = fmax(high, d[i] + radius);
    }
    for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high)) {
        if (cairn_sturm_count(n, d, e, middle) > k)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* A number in (0, 1). */
static double next_uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* x (n) of length 1, its direction evenly distributed: normal numbers, two at a time. */
static void draw_start(int n, double *x) {
    uint64_t state = 20;
    double square = 0.0;
    for (int i = 0; i < n; i += 2) {
        double radius = sqrt(-2.0 * log(next_uniform(&state))), angle = 6.283185307179586 * next_uniform(&state);
        x[i] = radius * cos(angle);
        if (i + 1 < n)
            x[i + 1] = radius * sin(angle);
    }
    for (int i = 0; i < n; i++)
        square += x[i] * x[i];
    for (int i = 0; i < n; i++)
        x[i] /= sqrt(square);
}

/* y <- M x - d x - e before; returns |y|. *d is filled. */
static double step(int n, cairn_lanczos_product multiply, void *user, const double *x, const double *before, double e,
                   double *y, double *d) {
    double dot = 0.0, square = 0.0;
    multiply(user, x, y);
    for (int i = 0; i < n; i++)
        dot += x[i] * y[i];
    for (int i = 0; i < n; i++) {
        y[i] -= dot * x[i] + e * before[i];
        square += y[i] * y[i];
    }
    *d = dot;
    return sqrt(square);
}

/* See the head. exhausted: the space searched holds every eigenvector that the start has a part
 * in. */
static double upper_bound(int n, int steps, double largest, bool exhausted) {
    if (exhausted)
        return largest + n * DBL_EPSILON * fabs(largest);
    double root = log(1.648 * sqrt(n) / RISK) / (2 * steps - 1), epsilon = root * root;
    return epsilon < 1.0 ? largest / (1.0 - epsilon) : INFINITY;
}

cairn_extremes cairn_lanczos(int n, int steps, cairn_lanczos_product multiply, void *user, double *work) {
    double d[CAIRN_LANCZOS_STEPS] = {0.0}, e[CAIRN_LANCZOS_STEPS + 1] = {0.0}, scale = 0.0;
    double *x = work, *before = work + n, *y = before + n;
    cairn_extremes out = {0};
    bool exhausted = false;
    if (n == 0)
        return out;
    draw_start(n, x);
    for (int i = 0; i < n; i++)
        before[i] = 0.0;
    while (out.steps < steps && !exhausted) {
        int k = out.steps++;
        e[k + 1] = step(n, multiply, user, x, before, e[k], y, &d[k]);
        if (!isfinite(d[k]) || !isfinite(e[k + 1]))
            return (cairn_extremes){NAN, NAN, NAN, out.steps};
        scale = fmax(scale, fabs(d[k]) + e[k + 1]);
        exhausted = e[k + 1] <= 8.0 * sqrt(n) * DBL_EPSILON * scale;
        double *free_one = before;
        for (int i = 0; i < n && !exhausted; i++)
            y[i] /= e[k + 1];
        before = x;
        x = y;
        y = free_one;
    }
    out.smallest = cairn_sturm_eigenvalue(out.steps, d, e, 0);
    out.largest = cairn_sturm_eigenvalue(out.steps, d, e, out.steps - 1);
    out.upper = upper_bound(n, out.steps, out.largest, exhausted);
    return out;
}
