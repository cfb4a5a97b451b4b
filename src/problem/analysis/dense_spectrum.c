/*
 * dense_spectrum.c: dense eigenvalues and ranks, for the analysis of a problem of [theory 1].
 *
 *     eigenvalues   Householder reduction to tridiagonal form; their values come from linalg/lanczos.h
 *     rank          Householder QR with column pivoting, or Cholesky with pivoting
 *     H = L L'      Cholesky inside the envelope of the lower triangle
 *
 * Textbook algorithms, for sizes up to a few thousand; no blocking. Only the envelope is
 * allocated. Values must be finite.
 */
#include "problem/analysis/dense_spectrum.h"

#include <float.h>
#include <math.h>

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* ---- eigenvalues ---- */

/* A <- A - v w' - w v' on the trailing part from row and column first on, lower triangle, column
 * by column. */
static void update_trailing(int n, int first, double *A, const double *v, const double *w) {
    for (int j = first; j < n; j++) {
        double *column = A + (size_t)j * (size_t)n;
        for (int i = j; i < n; i++)
            column[i] -= v[i] * w[j] + w[i] * v[j];
    }
}

/* y (from first on) = A v with the lower triangle of the trailing part of A. */
static void multiply_trailing(int n, int first, const double *A, const double *v, double *y) {
    for (int i = first; i < n; i++)
        y[i] = 0.0;
    for (int j = first; j < n; j++) {
        const double *column = A + (size_t)j * (size_t)n;
        double sum = column[j] * v[j];
        for (int i = j + 1; i < n; i++) {
            y[i] += column[i] * v[j];
            sum += column[i] * v[i];
        }
        y[j] += sum;
    }
}

/* Makes x (count) a Householder vector: x[0] becomes the leading entry of v, returns beta; I -
 * 2vv'/v'v takes x to (beta, 0, ...). *square is v'v, 0 when nothing is to be done. */
static double make_reflector(int count, double *x, double *square) {
    double scale = 0.0, sum = 0.0;
    for (int i = 0; i < count; i++)
        scale = fmax(scale, fabs(x[i]));
    *square = 0.0;
    if (scale == 0.0)
        return 0.0;
    for (int i = 0; i < count; i++) {
        double t = x[i] / scale;
        sum += t * t;
    }
    double beta = -copysign(scale * sqrt(sum), x[0]);
    x[0] -= beta;
    for (int i = 0; i < count; i++) /* scaled, so that squares neither overflow nor vanish */
        x[i] /= scale;
    for (int i = 0; i < count; i++)
        *square += x[i] * x[i];
    return beta;
}

void cairn_tridiagonalize(int n, double *A, double *d, double *e) {
    for (int k = 0; k < n; k++) {
        double *column = A + (size_t)k * (size_t)n, square = 0.0;
        d[k] = column[k];
        if (k + 1 == n)
            break;
        e[k + 1] = make_reflector(n - k - 1, column + k + 1, &square);
        if (square == 0.0)
            continue;
        /* p = 2Av/v'v, w = p - v (p'v)/v'v into the entries of d that are still free */
        double *w = d, dot = 0.0;
        multiply_trailing(n, k + 1, A, column, w);
        for (int i = k + 1; i < n; i++) {
            w[i] *= 2.0 / square;
            dot += w[i] * column[i];
        }
        for (int i = k + 1; i < n; i++)
            w[i] -= column[i] * dot / square;
        update_trailing(n, k + 1, A, column, w);
    }
}

/* ---- rank ---- */

/* Divides A (count numbers) by its largest entry, so that squares neither overflow nor vanish. */
static void normalize(size_t count, double *A) {
    double scale = 0.0;
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(A[i]));
    for (size_t i = 0; i < count && scale > 0.0; i++)
        A[i] /= scale;
}

/* column (from k on) <- (I - 2vv'/v'v) column; returns the square of its norm from k + 1 on. */
static double reflect(int rows, int k, const double *v, double square, double *column) {
    double dot = 0.0, norm = 0.0;
    for (int i = k; i < rows; i++)
        dot += v[i] * column[i];
    dot *= 2.0 / square;
    for (int i = k; i < rows; i++)
        column[i] -= dot * v[i];
    for (int i = k + 1; i < rows; i++)
        norm += column[i] * column[i];
    return norm;
}

int cairn_rank_qr(int rows, int cols, double *A, double tolerance, double *norm) {
    int most = rows < cols ? rows : cols;
    double largest = 0.0;
    normalize((size_t)rows * (size_t)cols, A);
    for (int j = 0; j < cols; j++) {
        norm[j] = 0.0;
        for (int i = 0; i < rows; i++)
            norm[j] += A[(size_t)j * (size_t)rows + (size_t)i] * A[(size_t)j * (size_t)rows + (size_t)i];
    }
    for (int k = 0; k < most; k++) {
        int best = k;
        for (int j = k + 1; j < cols; j++)
            best = norm[j] > norm[best] ? j : best;
        largest = k == 0 ? sqrt(norm[best]) : largest;
        if (!(sqrt(norm[best]) > tolerance * largest))
            return k;
        double *v = A + (size_t)k * (size_t)rows, *other = A + (size_t)best * (size_t)rows, square = 0.0;
        for (int i = 0; i < rows && best != k; i++)
            swap(&v[i], &other[i]);
        swap(&norm[k], &norm[best]);
        double beta = make_reflector(rows - k, v + k, &square);
        for (int j = k + 1; j < cols; j++)
            norm[j] = reflect(rows, k, v, square, A + (size_t)j * (size_t)rows);
        v[k] = beta;
    }
    return most;
}

int cairn_rank_cholesky(int n, double *A, double tolerance) {
    double largest = 0.0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int j = k + 1; j < n; j++)
            if (A[(size_t)j * (size_t)n + (size_t)j] > A[(size_t)best * (size_t)n + (size_t)best])
                best = j;
        double pivot = A[(size_t)best * (size_t)n + (size_t)best];
        largest = k == 0 ? pivot : largest;
        if (!(pivot > tolerance * largest))
            return k;
        double *a = A + (size_t)k * (size_t)n, *b = A + (size_t)best * (size_t)n;
        if (best != k) { /* swap rows and columns k and best of the trailing part, lower triangle */
            swap(&a[k], &b[best]);
            for (int i = k + 1; i < best; i++)
                swap(&a[i], &A[(size_t)i * (size_t)n + (size_t)best]);
            for (int i = best + 1; i < n; i++)
                swap(&a[i], &b[i]);
        }
        double root = sqrt(pivot);
        for (int i = k + 1; i < n; i++)
            a[i] /= root;
        for (int j = k + 1; j < n; j++) {
            double *column = A + (size_t)j * (size_t)n, factor = a[j];
            for (int i = j; i < n && factor != 0.0; i++)
                column[i] -= factor * a[i];
        }
    }
    return n;
}

/* ---- H = L L' ---- */

/* Row i of L before the division by its pivot: entries of the symmetric part of H, then minus
 * the products of rows. */
static bool factor_row(cairn_envelope *L, int i) {
    int first = L->first[i];
    double *row = L->value + L->start[i]; /* row[j - first] is L_ij */
    for (int j = first; j <= i; j++) {
        const double *other = L->value + L->start[j];
        double sum = row[j - first];
        for (int k = first > L->first[j] ? first : L->first[j]; k < j; k++)
            sum -= row[k - first] * other[k - L->first[j]];
        if (j == i && !(sum > 0.0))
            return false;
        row[j - first] = j < i ? sum / other[j - L->first[j]] : sqrt(sum);
    }
    return true;
}

static void gather(const cairn_csc *H, cairn_envelope *L) {
    for (int j = 0; j < L->n; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++) {
            int low = H->index[e] < j ? H->index[e] : j, high = H->index[e] < j ? j : H->index[e];
            L->value[L->start[high] + (size_t)(low - L->first[high])] += (low == high ? 1.0 : 0.5) * H->value[e];
        }
}

cairn_status cairn_envelope_create(cairn_context *context, const cairn_csc *H, cairn_envelope *L) {
    int n = H->cols;
    *L = (cairn_envelope){.n = n};
    L->first = cairn_alloc(context, (size_t)n, sizeof *L->first);
    L->start = cairn_alloc(context, (size_t)n + 1, sizeof *L->start);
    cairn_status status = L->first != NULL && L->start != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int i = 0; i < n && status == CAIRN_OK; i++)
        L->first[i] = i;
    for (int j = 0; j < n && status == CAIRN_OK; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++) {
            int low = H->index[e] < j ? H->index[e] : j, high = H->index[e] < j ? j : H->index[e];
            L->first[high] = low < L->first[high] ? low : L->first[high];
        }
    for (int i = 0; i < n && status == CAIRN_OK; i++)
        L->start[i + 1] = L->start[i] + (size_t)(i - L->first[i] + 1);
    if (status == CAIRN_OK && (L->value = cairn_alloc(context, L->start[n], sizeof *L->value)) == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        gather(H, L);
    for (int i = 0; i < n && status == CAIRN_OK; i++)
        if (!factor_row(L, i))
            status = cairn_fail(context, CAIRN_ERROR_NUMERICAL, "H is not positive definite at row %d", i);
    if (status != CAIRN_OK)
        cairn_envelope_free(context, L);
    return status;
}

void cairn_envelope_free(cairn_context *context, cairn_envelope *L) {
    cairn_free(context, L->value);
    cairn_free(context, L->start);
    cairn_free(context, L->first);
    *L = (cairn_envelope){0};
}

void cairn_envelope_forward(const cairn_envelope *L, double *x) {
    int begin = 0;
    while (begin < L->n && x[begin] == 0.0)
        begin++;
    for (int i = begin; i < L->n; i++) {
        const double *row = L->value + L->start[i];
        double sum = x[i];
        for (int k = begin > L->first[i] ? begin : L->first[i]; k < i; k++)
            sum -= row[k - L->first[i]] * x[k];
        x[i] = sum / row[i - L->first[i]];
    }
}
