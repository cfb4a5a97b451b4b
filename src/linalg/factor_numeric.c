/*
 * factor_numeric.c: P A P' = L D U, panel by panel, without pivoting; U = L' in the symmetric case.
 *
 * Left-looking. With l, u the rows of L and of U' (panels as in factor_data.h), panel t becomes
 *
 *     T(i, j) <- A(i, j) - sum_p l(i, p) d_p u(j, p)      p over the columns of all earlier panels that have
 *     T'(i, j) <- A(j, i) - sum_p u(i, p) d_p l(j, p)     row j, then over the earlier columns of t itself
 *     d_j = T(j, j),  l(i, j) = T(i, j) / d_j,  u(i, j) = T'(i, j) / d_j
 *
 * Both lines are one kernel with l and u exchanged. An earlier panel waits in the list of the panel that owns
 * the next of its rows. The order of all sums depends on the pattern alone. A quasi-definite A has the factors for every P:
 * R. Vanderbei, SIAM J. Optim. 5 (1995).
 *
 * Not checked: that a symmetric matrix is symmetric in its values (its lower triangle is read), growth of L and U.
 * A pivot whose reciprocal overflows counts as not finite.
 */
#include "factor_data.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* c, packed for the kernel: c(j, p) = d_p y(j, p), j < count, p < width; four j beside each other, zeros at the
 * end. y: count rows of a panel with that stride. */
static void pack_coefficients(int count, int width, const double *y, int stride, const double *d, double *c) {
    for (int j0 = 0; j0 < count; j0 += 4)
        for (int p = 0; p < width; p++)
            for (int j = j0; j < j0 + 4; j++)
                *c++ = j < count ? d[p] * y[j + (int64_t)p * stride] : 0.0;
}

/* Two neighbouring doubles, added and multiplied one by one: what every 64-bit processor does in one go. */
typedef double pair __attribute__((vector_size(16)));

/* sum[j][i] = sum_p x(i, p) c(j, p) for i, j < 4. Each sum runs over p in rising order. */
static void multiply_tile(int width, const double *x, int stride, const double *c, double sum[4][4]) {
    pair a0 = {0.0}, a1 = {0.0}, a2 = {0.0}, a3 = {0.0}; /* rows 0, 1 of columns 0 to 3 */
    pair b0 = {0.0}, b1 = {0.0}, b2 = {0.0}, b3 = {0.0}; /* rows 2, 3 */
    for (int p = 0; p < width; p++, x += stride, c += 4) {
        pair low = {x[0], x[1]}, high = {x[2], x[3]};
        a0 += low * c[0];
        b0 += high * c[0];
        a1 += low * c[1];
        b1 += high * c[1];
        a2 += low * c[2];
        b2 += high * c[2];
        a3 += low * c[3];
        b3 += high * c[3];
    }
    const pair all[8] = {a0, b0, a1, b1, a2, b2, a3, b3};
    memcpy(sum, all, sizeof all);
}

/* t(place_i, place_j) -= sum_p x(i, p) c(j, p) for j < count, i from j's block of four on to rows, p < width.
 * Works on tiles of 4 x 4 from the diagonal downwards; a tile on the diagonal also changes entries above it,
 * which nobody reads. x is read up to three rows past its end. t and x do not overlap. */
static void subtract_product(int rows, int count, int width, const double *x, int stride, const double *c,
                             const int *place, double *t, int t_stride) {
    for (int i0 = 0; i0 < rows; i0 += 4) {
        int i_count = rows - i0 < 4 ? rows - i0 : 4;
        for (int j0 = 0; j0 < count && j0 <= i0; j0 += 4) {
            int j_count = count - j0 < 4 ? count - j0 : 4;
            double sum[4][4];
            multiply_tile(width, x + i0, stride, c + (int64_t)j0 * width, sum);
            for (int j = 0; j < j_count; j++) {
                double *column = t + (int64_t)place[j0 + j] * t_stride;
                for (int i = 0; i < i_count; i++)
                    column[place[i0 + i]] -= sum[j][i];
            }
        }
    }
}

/* Panel t <- entries of A; sets the places of its rows. */
static void gather_panel(cairn_factor *f, int t, const double *value) {
    int width = cairn_panel_width(f, t), below = cairn_panel_below(f, t);
    size_t bytes = (size_t)(f->at[t + 1] - f->at[t]) * sizeof(double);
    memset(f->lower + f->at[t], 0, bytes);
    if (!f->symmetric)
        memset(f->upper + f->at[t], 0, bytes);
    int64_t end = f->at[f->panels];
    for (int q = f->gather_start[t]; q < f->gather_start[t + 1]; q++) {
        int64_t target = f->target[q];
        if (target < end)
            f->lower[target] = value[f->source[q]];
        else
            f->upper[target - end] = value[f->source[q]];
    }
    for (int i = 0; i < width; i++)
        f->place[f->first[t] + i] = i;
    for (int i = 0; i < below; i++)
        f->place[f->row[f->row_start[t] + i]] = width + i;
}

/* Puts panel s into the list of the panel that owns its next row, if there is one. */
static void wait_for_next(cairn_factor *f, int s) {
    int used = f->position[s] - cairn_panel_width(f, s);
    if (used < cairn_panel_below(f, s)) {
        int owner = f->panel_of[f->row[f->row_start[s] + used]];
        f->next[s] = f->head[owner];
        f->head[owner] = s;
    }
}

/* Panel t -= what earlier panel s adds to it. */
static void apply_panel(cairn_factor *f, int t, int s) {
    int width = cairn_panel_width(f, s), stride = cairn_panel_stride(f, s), t_stride = cairn_panel_stride(f, t);
    int begin = f->position[s], rows = width + cairn_panel_below(f, s) - begin, count = 0;
    const int *row = f->row + f->row_start[s] + (begin - width);
    const double *d = f->pivot + f->first[s];
    for (int i = 0; i < rows; i++)
        f->relative[i] = f->place[row[i]];
    while (count < rows && row[count] < f->first[t + 1])
        count++;
    const double *l = f->lower + f->at[s] + begin, *u = f->upper + f->at[s] + begin;
    pack_coefficients(count, width, u, stride, d, f->coefficient);
    subtract_product(rows, count, width, l, stride, f->coefficient, f->relative, f->lower + f->at[t], t_stride);
    if (!f->symmetric) {
        pack_coefficients(count, width, l, stride, d, f->coefficient);
        subtract_product(rows, count, width, u, stride, f->coefficient, f->relative, f->upper + f->at[t], t_stride);
    }
    f->position[s] = begin + count;
}

/* The header's rule for the pivot of column j. Records and returns the failure. */
static cairn_status check_pivot(cairn_factor *f, int j, double d, const signed char *sign) {
    int row = f->order[j], wanted = sign != NULL ? sign[row] : 1;
    double least = f->n * DBL_EPSILON * f->row_max[row];
    if (isfinite(d) && isfinite(1.0 / d) && d * wanted > 0.0 && fabs(d) > least)
        return CAIRN_OK;
    f->failed_row = row;
    return cairn_fail(f->context, CAIRN_ERROR_NUMERICAL,
                      "factor: the pivot of row %d is %g, expected a %s number larger than %g in size", row, d,
                      wanted > 0 ? "positive" : "negative", least);
}

/* x(i) -= y(i) * factor, i < count */
static void subtract_multiple(int count, double factor, const double *restrict y, double *restrict x) {
    for (int i = 0; i < count; i++)
        x[i] -= y[i] * factor;
}

/* Factors panel t in itself, four columns at a time. */
static cairn_status finish_panel(cairn_factor *f, int t, const signed char *sign) {
    int width = cairn_panel_width(f, t), stride = cairn_panel_stride(f, t), height = stride - CAIRN_PANEL_PAD;
    double *l = f->lower + f->at[t], *u = f->upper + f->at[t], *d = f->pivot + f->first[t];
    for (int i = 0; i < height; i++)
        f->relative[i] = i;
    for (int j0 = 0; j0 < width; j0 += 4) {
        int j1 = j0 + 4 < width ? j0 + 4 : width;
        if (j0 > 0) {
            pack_coefficients(j1 - j0, j0, u + j0, stride, d, f->coefficient);
            if (!f->symmetric)
                pack_coefficients(j1 - j0, j0, l + j0, stride, d, f->coefficient + 4 * j0);
            subtract_product(height - j0, j1 - j0, j0, l + j0, stride, f->coefficient, f->relative + j0, l, stride);
            if (!f->symmetric)
                subtract_product(height - j0, j1 - j0, j0, u + j0, stride, f->coefficient + 4 * j0, f->relative + j0, u,
                                 stride);
        }
        for (int j = j0; j < j1; j++) {
            double *lj = l + (int64_t)j * stride, *uj = u + (int64_t)j * stride;
            for (int p = j0; p < j; p++) {
                const double *lp = l + (int64_t)p * stride, *up = u + (int64_t)p * stride;
                subtract_multiple(height - j, d[p] * up[j], lp + j, lj + j);
                if (!f->symmetric)
                    subtract_multiple(height - j, d[p] * lp[j], up + j, uj + j);
            }
            d[j] = lj[j];
            cairn_status status = check_pivot(f, f->first[t] + j, d[j], sign);
            if (status != CAIRN_OK)
                return status;
            double inverse = 1.0 / d[j];
            for (int i = j + 1; i < height; i++)
                lj[i] *= inverse;
            if (!f->symmetric)
                for (int i = j + 1; i < height; i++)
                    uj[i] *= inverse;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_factor_numeric(cairn_factor *f, const double *value, const signed char *sign) {
    f->ready = false;
    f->failed_row = -1;
    for (int i = 0; i < f->n; i++)
        f->row_max[i] = 0.0;
    for (int p = 0; p < f->nonzeros; p++) {
        double size = fabs(value[p]), *largest = &f->row_max[f->index[p]];
        *largest = size > *largest ? size : *largest;
    }
    for (int s = 0; s < f->panels; s++)
        f->head[s] = -1;
    for (int t = 0; t < f->panels; t++) {
        gather_panel(f, t, value);
        for (int s = f->head[t], following; s >= 0; s = following) {
            following = f->next[s];
            apply_panel(f, t, s);
            wait_for_next(f, s);
        }
        cairn_status status = finish_panel(f, t, sign);
        if (status != CAIRN_OK)
            return status;
        f->position[t] = cairn_panel_width(f, t);
        wait_for_next(f, t);
    }
    f->ready = true;
    return CAIRN_OK;
}
