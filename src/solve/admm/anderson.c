/*
 * anderson.c: type-II Anderson acceleration, the "further research" of [T21 7].
 *
 *     fixed point x <- x + f(x);   dX, dF: differences of the last iterates (columns)
 *     c = argmin |f - dF c|,       next x = x + f - (dX + dF) c
 *
 * Norm: diag(weight), the metric in which the ADMM map is nonexpansive. The least squares problem
 * is solved by its normal equations with a small shift, which is enough for the few digits that the
 * coefficients need. Safeguard: an accelerated point is on probation; when |f| there exceeds that
 * of the last kept point, the plain step is taken instead and memory cleared.
 */
#include "solve/admm/anderson.h"

#include <math.h>
#include <string.h>

#define SHIFT     1e-10 /* relative to the trace of dF'dF */
#define PROBATION 1.0   /* of the safeguard, unless the caller sets another */

void cairn_anderson_layout(cairn_anderson *a, cairn_arena *arena, int memory, int size) {
    a->memory = memory;
    a->probation = PROBATION;
    a->size = memory > 0 ? size : 0;
    size_t rows = (size_t)a->size, columns = (size_t)memory;
    a->dx = cairn_arena_take(arena, rows * columns, sizeof(double));
    a->df = cairn_arena_take(arena, rows * columns, sizeof(double));
    a->x_last = cairn_arena_take(arena, rows, sizeof(double));
    a->f_last = cairn_arena_take(arena, rows, sizeof(double));
    a->plain = cairn_arena_take(arena, rows, sizeof(double));
    a->gram = cairn_arena_take(arena, columns * columns, sizeof(double));
    a->system = cairn_arena_take(arena, columns * columns, sizeof(double));
    a->coefficient = cairn_arena_take(arena, columns, sizeof(double));
}

void cairn_anderson_reset(cairn_anderson *a) {
    a->count = a->next = 0;
    a->have_last = a->trial = false;
    a->reference = INFINITY;
}

static double dot(int size, const double *x, const double *y) {
    double sum = 0.0;
    for (int i = 0; i < size; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Solves system c = c in place by Cholesky; false when it is not positive definite. */
static bool solve_small(int n, int stride, double *A, double *c) {
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = A[i * stride + j];
            for (int k = 0; k < j; k++)
                sum -= A[i * stride + k] * A[j * stride + k];
            if (i == j) {
                if (!(sum > 0.0))
                    return false;
                A[j * stride + j] = sqrt(sum);
            } else {
                A[i * stride + j] = sum / A[j * stride + j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            c[i] -= A[i * stride + k] * c[k];
        c[i] /= A[i * stride + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            c[i] -= A[k * stride + i] * c[k];
        c[i] /= A[i * stride + i];
    }
    return true;
}

/* Adds the newest differences as a column and its row of the Gram matrix. */
static void remember(cairn_anderson *a, const double *weight, const double *x, const double *f) {
    if (a->have_last) {
        double *dx = a->dx + (size_t)a->next * (size_t)a->size, *df = a->df + (size_t)a->next * (size_t)a->size;
        for (int i = 0; i < a->size; i++) {
            double s = sqrt(weight[i]);
            dx[i] = s * (x[i] - a->x_last[i]);
            df[i] = s * (f[i] - a->f_last[i]);
        }
        if (a->count < a->memory)
            a->count++;
        for (int c = 0; c < a->count; c++)
            a->gram[a->next * a->memory + c] = a->gram[c * a->memory + a->next] = dot(
                a->size, df, a->df + (size_t)c * (size_t)a->size);
        a->next = (a->next + 1) % a->memory;
    }
    memcpy(a->x_last, x, (size_t)a->size * sizeof *x);
    memcpy(a->f_last, f, (size_t)a->size * sizeof *f);
    a->have_last = true;
}

/* coefficient = argmin; false when there is nothing useful. */
static bool fit(cairn_anderson *a, const double *weight, const double *f) {
    double trace = 0.0;
    for (int c = 0; c < a->count; c++) {
        const double *df = a->df + (size_t)c * (size_t)a->size;
        double sum = 0.0;
        for (int i = 0; i < a->size; i++)
            sum += df[i] * sqrt(weight[i]) * f[i];
        a->coefficient[c] = sum;
        trace += a->gram[c * a->memory + c];
    }
    if (!(trace > 0.0) || !isfinite(trace))
        return false;
    memcpy(a->system, a->gram, (size_t)(a->memory * a->memory) * sizeof *a->gram);
    for (int c = 0; c < a->count; c++)
        a->system[c * a->memory + c] += SHIFT * trace;
    return solve_small(a->count, a->memory, a->system, a->coefficient);
}

void cairn_anderson_step(cairn_anderson *a, const double *weight, double *x, const double *f) {
    double length = 0.0;
    for (int i = 0; i < a->size; i++)
        length += weight[i] * f[i] * f[i];
    length = sqrt(length);
    if (a->trial && !(length <= a->probation * a->reference)) {
        memcpy(x, a->plain, (size_t)a->size * sizeof *x);
        cairn_anderson_reset(a);
        return;
    }
    remember(a, weight, x, f);
    a->reference = length;
    for (int i = 0; i < a->size; i++)
        a->plain[i] = x[i] + f[i];
    a->trial = a->count > 0 && fit(a, weight, f);
    memcpy(x, a->plain, (size_t)a->size * sizeof *x);
    for (int c = 0; a->trial && c < a->count; c++) {
        const double *dx = a->dx + (size_t)c * (size_t)a->size, *df = a->df + (size_t)c * (size_t)a->size;
        for (int i = 0; i < a->size; i++)
            x[i] -= a->coefficient[c] * (dx[i] + df[i]) / sqrt(weight[i]);
    }
}
