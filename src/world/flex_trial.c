/*
 * flex_trial.c: the first guess of a part that can flow and that nothing touches: as if it did not flow.
 *
 * Without flow u = D'v + C gamma + b = 0 for all stresses, so that
 *
 *     (H + D C^-1 D') v = k - D C^-1 b,    gamma = -C^-1 (D'v + b)
 *
 * with a matrix of H's pattern. Where all gamma lie in their balls this is the answer; else what is outside goes to the ball.
 */
#include "linalg/factor/factor.h"
#include "assemble.h"
#include "flex.h"

#include <math.h>
#include <string.h>

/* A (the pattern of H) += D C^-1 D', rhs -= D C^-1 b */
static void add_stresses(const cairn_builder *s, double *A, double *rhs) {
    for (int r = 0; r < s->m; r++)
        for (int p = s->D_start[r]; p < s->D_start[r + 1]; p++) {
            int column = s->D_row[p], at = s->H_start[column];
            double share = s->D_value[p] / s->C[r];
            rhs[column] -= share * s->b[r];
            for (int q = s->D_start[r]; q < s->D_start[r + 1]; q++) { /* rows rise in both */
                while (s->H_row[at] < s->D_row[q])
                    at++;
                A[at] += share * s->D_value[q];
            }
        }
}

/* gamma of v, each block in its ball. */
static void find_stresses(const cairn_builder *s, const double *v, double *gamma) {
    for (int k = 0, r = 0; k < s->blocks; r += s->block[k].dim, k++) {
        double square = 0.0;
        for (int i = r; i < r + s->block[k].dim; i++) {
            double u = s->b[i];
            for (int p = s->D_start[i]; p < s->D_start[i + 1]; p++)
                u += s->D_value[p] * v[s->D_row[p]];
            gamma[i] = -u / s->C[i];
            square += gamma[i] * gamma[i];
        }
        double share = fmin(1.0, s->block[k].radius / fmax(sqrt(square), 1e-300));
        for (int i = r; i < r + s->block[k].dim; i++)
            gamma[i] *= share;
    }
}

cairn_status cairn_island_try_elastic(const cairn_world *w, cairn_lane *lane, const cairn_island *island,
                                      cairn_builder *s) {
    if (island->bodies != 1 || s->m == 0 || s->m != cairn_slot_own_rows(w, island->body[0]))
        return CAIRN_OK;
    size_t n = (size_t)s->n, entries = (size_t)s->H_start[s->n];
    double *A = cairn_alloc(lane->context, n + entries, sizeof *A), *v = A + entries;
    cairn_factor *factor = NULL;
    if (A == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(A, s->H_value, entries * sizeof *A);
    memcpy(v, s->k, n * sizeof *v);
    add_stresses(s, A, v);
    cairn_status status = cairn_factor_analyze(lane->context, s->n, s->H_start, s->H_row, 0, NULL, true, &factor);
    if (status == CAIRN_OK)
        status = cairn_factor_numeric(factor, A, NULL);
    if (status == CAIRN_OK) {
        cairn_factor_solve(factor, v);
        memcpy(s->v, v, n * sizeof *v);
        find_stresses(s, v, s->guess);
    }
    cairn_factor_destroy(factor);
    cairn_free(lane->context, A);
    return status == CAIRN_ERROR_MEMORY ? status : CAIRN_OK; /* else the guess is what it was */
}
