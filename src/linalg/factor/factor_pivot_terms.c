/*
 * factor_pivot_terms.c: how large the terms are that a pivot is the sum of,
 *
 *     d_j = a_jj - sum_{k<j} l_jk d_k u_kj,
 *
 * from the factor itself. Rounding in d_j is of the size of these terms, not of the entries of row
 * j: rows of a saddle point matrix hold lengths beside masses, and in other units the same matrix
 * has rows whose largest entry is any number of times its pivot.
 */
#include "linalg/factor/factor_data.h"

#include <math.h>

/* Adds what the columns of one block give: k columns from column `begin` of panel s on, stored
 * at lower and upper (kernel.h). */
static void add_block(const cairn_factor *f, int s, int begin, int k, const double *lower, const double *upper,
                      double *terms) {
    int width = cairn_panel_width(f, s), below = cairn_panel_below(f, s), own = 4 * cairn_quads(width),
        first = f->first[s];
    const int *row = f->row + f->row_start[s];
    for (int c = 0; c < k; c++) {
        double d = f->pivot[first + begin + c];
        for (int i = begin + c + 1; i < own + below; i++) {
            if (i >= width && i < own)
                continue;
            int64_t at = 4 * ((int64_t)((i - begin) / 4) * k + c) + (i - begin) % 4;
            terms[i < own ? first + i : row[i - own]] += fabs(lower[at] * d * upper[at]);
        }
    }
}

void cairn_factor_terms(const cairn_factor *f, double *terms) {
    for (int j = 0; j < f->n; j++)
        terms[j] = fabs(f->pivot[j]);
    for (int s = 0; s < f->panels; s++) {
        int width = cairn_panel_width(f, s), block = cairn_block_width(width);
        int quads = cairn_quads(width) + cairn_quads(cairn_panel_below(f, s));
        int64_t at = f->at[s];
        for (int begin = 0; begin < width; begin += block) {
            int k = width - begin < block ? width - begin : block;
            add_block(f, s, begin, k, f->lower + at, f->upper + at, terms);
            at += 4 * (int64_t)k * (quads - begin / 4);
        }
    }
}
