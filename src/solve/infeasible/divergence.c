/*
 * divergence.c: fixed point methods tell an infeasible problem by their drift: gamma_k - gamma_j
 * turns into a direction d of the recession cone with N d = 0 and r'd < 0. It is looked at when the
 * number of iterations has doubled, and at once when gamma has grown by 1e8; run.c does the proof
 * [theory 1].
 */
#include "solve/infeasible/divergence.h"

#include <math.h>
#include <string.h>

#define FIRST_LOOK 16
#define RUNAWAY    1e8

cairn_status cairn_divergence_create(cairn_context *context, int m, cairn_divergence *growth) {
    growth->from = cairn_alloc_raw(context, (size_t)m, sizeof *growth->from);
    growth->direction = cairn_alloc_raw(context, (size_t)m, sizeof *growth->direction);
    growth->work = cairn_alloc_raw(context, (size_t)m, sizeof *growth->work);
    return growth->from == NULL || growth->direction == NULL || growth->work == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

void cairn_divergence_free(cairn_context *context, cairn_divergence *growth) {
    cairn_free(context, growth->from);
    cairn_free(context, growth->direction);
    cairn_free(context, growth->work);
}

void cairn_divergence_begin(cairn_divergence *growth, const cairn_run *run, const double *gamma) {
    memcpy(growth->from, gamma, (size_t)run->problem->m * sizeof *gamma);
    growth->first = 0.0;
    growth->next = FIRST_LOOK;
}

bool cairn_divergence_check(cairn_divergence *growth, cairn_run *run, const double *gamma) {
    int m = run->problem->m;
    double size = cairn_norm_max(m, gamma);
    if (!isfinite(size)) {
        cairn_run_broken(run, "the impulses are no longer finite");
        return false;
    }
    if (growth->first == 0.0)
        growth->first = size;
    bool runaway = growth->first > 0.0 && size > RUNAWAY * growth->first;
    if (run->iterations < growth->next && !runaway)
        return true;
    for (int j = 0; j < m; j++)
        growth->direction[j] = gamma[j] - growth->from[j];
    if (cairn_run_infeasible(run, growth->direction, growth->work))
        return false;
    memcpy(growth->from, gamma, (size_t)m * sizeof *gamma);
    if (runaway)
        growth->first = size;
    while (growth->next <= run->iterations)
        growth->next *= 2;
    return true;
}
