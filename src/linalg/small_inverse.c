/*
 * small_inverse.c: Gauss and Jordan, and a bound by what is left.
 *
 * Symbols: R = I - G H. H^-1 - G = R H^-1 = (R + R^2 + ...) G, so with rho = largest row sum of |R|
 * < 1
 *     |H^-1 - G| <= |R||G|/(1 - rho) to first order
 * R is computed with a bound of its own rounding, Z is twice |R||G|, and rho > 1/4 is refused. Rows
 * that have nothing but their diagonal entry are inverted by themselves: to rounding, whatever the
 * others are. The result is a vector z with Z_jl <= z_j z_l: sqrt(c G_jj) with the least c that
 * does, in the units of the rows of G.
 */
#include "linalg/small_inverse.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define ENTRIES_MAX (CAIRN_INVERSE_MAX * CAIRN_INVERSE_MAX)

/* The row of a pivot that is not positive, or -1. */
static int eliminate(int size, const double *H, long double *G) {
    for (int e = 0; e < size * size; e++)
        G[e] = H[e];
    for (int k = 0; k < size; k++) {
        long double pivot = G[k * size + k];
        if (!(pivot > 0.0L) || !isfinite(pivot))
            return k;
        G[k * size + k] = 1.0L;
        for (int j = 0; j < size; j++)
            G[k * size + j] /= pivot;
        for (int i = 0; i < size; i++) {
            long double factor = G[i * size + k];
            if (i == k || factor == 0.0L)
                continue;
            G[i * size + k] = 0.0L;
            for (int j = 0; j < size; j++)
                G[i * size + j] -= factor * G[k * size + j];
        }
    }
    return -1;
}

/* Z, and whether G is an inverse at all. */
static bool bound(int size, const double *H, const long double *G, long double *Z) {
    long double R[ENTRIES_MAX], rho = 0.0L;
    for (int i = 0; i < size; i++) {
        long double row = 0.0L;
        for (int j = 0; j < size; j++) {
            long double sum = i == j, terms = i == j;
            for (int k = 0; k < size; k++) {
                sum -= G[i * size + k] * H[k * size + j];
                terms += fabsl(G[i * size + k] * H[k * size + j]);
            }
            R[i * size + j] = fabsl(sum) + (size + 2) * LDBL_EPSILON * terms;
            row += R[i * size + j];
        }
        rho = fmaxl(rho, row);
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            long double sum = 0.0L;
            for (int k = 0; k < size; k++)
                sum += R[i * size + k] * fabsl(G[k * size + j]);
            Z[i * size + j] = 2.0L * sum;
        }
    return rho <= 0.25L;
}

/* G and Z of the rows keep[0..count), which no other row touches. The row that fails, or -1. */
static int invert_rows(int size, const double *H, int count, const int *keep, long double *G, long double *Z) {
    double h[ENTRIES_MAX];
    long double g[ENTRIES_MAX], z[ENTRIES_MAX];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            h[i * count + j] = H[keep[i] * size + keep[j]];
    int failed = eliminate(count, h, g);
    if (failed >= 0)
        return keep[failed];
    if (!bound(count, h, g, z))
        return keep[0];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            G[keep[i] * size + keep[j]] = g[i * count + j];
            Z[keep[i] * size + keep[j]] = z[i * count + j];
        }
    return -1;
}

/* G and Z of all rows. */
static int invert(int size, const double *H, long double *G, long double *Z) {
    int keep[CAIRN_INVERSE_MAX], count = 0;
    memset(G, 0, (size_t)(size * size) * sizeof *G);
    memset(Z, 0, (size_t)(size * size) * sizeof *Z);
    for (int i = 0; i < size; i++) {
        bool alone = true;
        for (int j = 0; j < size; j++)
            alone = alone && (i == j || (H[i * size + j] == 0.0 && H[j * size + i] == 0.0));
        long double entry = H[i * size + i];
        if (!alone) {
            keep[count++] = i;
            continue;
        }
        if (!(entry > 0.0L) || !isfinite(1.0L / entry))
            return i;
        G[i * size + i] = 1.0L / entry;
        Z[i * size + i] = LDBL_EPSILON / entry;
    }
    return count > 0 ? invert_rows(size, H, count, keep, G, Z) : -1;
}

int cairn_inverse(int size, const double *H, long double *G, double *z) {
    long double Z[ENTRIES_MAX], c = 0.0L;
    int failed = invert(size, H, G, Z);
    for (int i = 0; i < size && failed < 0; i++)
        for (int j = 0; j < size; j++)
            c = fmaxl(c, Z[i * size + j] / sqrtl(G[i * size + i] * G[j * size + j]));
    for (int i = 0; i < size && failed < 0; i++) {
        z[i] = (double)sqrtl(c * G[i * size + i]) * (1.0 + 4.0 * DBL_EPSILON);
        failed = z[i] >= 0.0 ? -1 : i; /* no number where G_ii < 0 */
    }
    return failed;
}
