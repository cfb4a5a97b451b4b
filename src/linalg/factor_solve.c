/*
 * factor_solve.c: x <- A^-1 x from P A P' = L D U: y = P x, L y <- y, y <- D^-1 y, U y <- y, x = P' y.
 *
 * Both sweeps work on whole panels: the own rows by columns, the rows below by dense products with a
 * contiguous copy. Rows below a panel are handled in fours; the panel's pad of zeros takes the overhang.
 */
#include "factor_data.h"

static int round_up_to_4(int count) {
    return (count + 3) / 4 * 4;
}

/* sum(i) = sum_p a(i, p) y_p for i < rows (multiple of 4), p < width */
static void panel_times(int rows, int width, const double *restrict a, int stride, const double *restrict y,
                        double *restrict sum) {
    for (int i0 = 0; i0 < rows; i0 += 4) {
        double s[4] = {0.0};
        const double *column = a + i0;
        for (int p = 0; p < width; p++, column += stride)
            for (int i = 0; i < 4; i++)
                s[i] += column[i] * y[p];
        for (int i = 0; i < 4; i++)
            sum[i0 + i] = s[i];
    }
}

/* y_p -= sum_i a(i, p) z_i for i < rows (multiple of 4), p < width */
static void subtract_panel_transposed_times(int rows, int width, const double *restrict a, int stride,
                                            const double *restrict z, double *restrict y) {
    for (int p = 0; p < width; p++, a += stride) {
        double s[4] = {0.0};
        for (int i0 = 0; i0 < rows; i0 += 4)
            for (int i = 0; i < 4; i++)
                s[i] += a[i0 + i] * z[i0 + i];
        y[p] -= (s[0] + s[2]) + (s[1] + s[3]);
    }
}

/* y <- L^-1 y */
static void forward(cairn_factor *f, double *y) {
    for (int s = 0; s < f->panels; s++) {
        int width = cairn_panel_width(f, s), stride = cairn_panel_stride(f, s), below = cairn_panel_below(f, s);
        const double *l = f->lower + f->at[s];
        const int *row = f->row + f->row_start[s];
        double *own = y + f->first[s];
        for (int j = 0; j < width; j++)
            for (int i = j + 1; i < width; i++)
                own[i] -= l[i + (int64_t)j * stride] * own[j];
        panel_times(round_up_to_4(below), width, l + width, stride, own, f->column);
        for (int i = 0; i < below; i++)
            y[row[i]] -= f->column[i];
    }
}

/* y <- U^-1 D^-1 y */
static void backward(cairn_factor *f, double *y) {
    for (int s = f->panels - 1; s >= 0; s--) {
        int width = cairn_panel_width(f, s), stride = cairn_panel_stride(f, s), below = cairn_panel_below(f, s);
        const double *u = f->upper + f->at[s], *d = f->pivot + f->first[s];
        const int *row = f->row + f->row_start[s];
        double *own = y + f->first[s];
        for (int i = 0; i < below; i++)
            f->column[i] = y[row[i]];
        for (int i = below; i < round_up_to_4(below); i++)
            f->column[i] = 0.0;
        for (int j = 0; j < width; j++)
            own[j] /= d[j];
        subtract_panel_transposed_times(round_up_to_4(below), width, u + width, stride, f->column, own);
        for (int j = width - 1; j >= 0; j--)
            for (int i = j + 1; i < width; i++)
                own[j] -= u[i + (int64_t)j * stride] * own[i];
    }
}

void cairn_factor_solve(cairn_factor *f, double *x) {
    CAIRN_ASSERT(f->ready);
    for (int k = 0; k < f->n; k++)
        f->x[k] = x[f->order[k]];
    forward(f, f->x);
    backward(f, f->x);
    for (int k = 0; k < f->n; k++)
        x[f->order[k]] = f->x[k];
}
