/*
 * block_scales.c: block scales [theory 1] from inverses of the bodies' blocks.
 */
#include "problem/delassus/block_scales.h"

#include <math.h>
#include <string.h>

/* d'G d, G row by row; inlined with a size that the compiler sees. */
CAIRN_INLINE double form_of(int size, const double *G, const double *d) {
    double form = 0.0;
    for (int a = 0; a < size; a++) {
        double sum = 0.0;
        for (int c = 0; c < size; c++)
            sum += G[a * size + c] * d[c];
        form += d[a] * sum;
    }
    return form;
}

/* trace(D_i' G D_i) of block i. */
static double trace_of(const cairn_problem *p, const int64_t *start, const double *inverse, int i) {
    const double *d = p->body.dense + p->body.dense_start[i];
    double trace = 0.0;
    for (int r = 0; r < p->block[i].dim; r++)
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
            int body = p->body.touch[t], size = p->body_start[body + 1] - p->body_start[body];
            const double *G = inverse + start[body];
            trace += size == 6 ? form_of(6, G, d) : form_of(size, G, d);
            d += size;
        }
    return trace;
}

void cairn_problem_scales(const cairn_problem *p, const int64_t *start, const double *G,
                          const cairn_mass_components *pieces, double *scale) {
    double N[CAIRN_BLOCK_DIM_MAX * CAIRN_BLOCK_DIM_MAX] = {0};
    for (int i = 0; i < p->blocks; i++) {
        int dim = p->block[i].dim;
        double trace = p->local ? 0.0 : trace_of(p, start, G, i);
        if (pieces != NULL) {
            memset(N, 0, sizeof N);
            cairn_mass_components_add(p, pieces, i, N);
        }
        for (int r = 0; r < dim; r++) {
            int row = p->block_start[i] + r;
            trace += N[r * dim + r] + p->C[row];
            for (int e = p->local ? p->A.start[row] : 0; p->local && e < p->A.start[row + 1]; e++)
                trace += p->A.index[e] == row ? p->A.value[e] : 0.0;
        }
        scale[i] = trace > 0.0 && isfinite(trace) ? trace / dim : 1.0;
    }
}
