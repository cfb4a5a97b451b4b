/*
 * solver_cairn.c: Cairn's own factorisation, through the private header of its layer.
 */
#include "solvers.h"

#include "../../../src/linalg/factor/factor.h"

#include <string.h>

typedef struct state {
    cairn_factor *factor;
    size_t bytes;
} state;

static void *analyze(const linear_system *a) {
    cairn_context *context;
    state *s = bench_need(1, sizeof *s);
    s->bytes = (size_t)a->A.cols * sizeof(double);
    if (cairn_context_create(NULL, &context) != CAIRN_OK ||
        cairn_factor_analyze(context, a->A.cols, a->A.start, a->A.index, a->groups, a->group_start, true, &s->factor) !=
            CAIRN_OK)
        return NULL;
    return s;
}

static bool factor(void *data, const linear_system *a) {
    state *s = data;
    return cairn_factor_numeric(s->factor, a->A.value, a->sign) == CAIRN_OK;
}

static bool solve(void *data, const double *b, double *x) {
    state *s = data;
    memcpy(x, b, s->bytes);
    cairn_factor_solve(s->factor, x);
    return true;
}

static double entries(void *data) {
    state *s = data;
    return (double)cairn_factor_entries(s->factor);
}

const linear_solver solver_cairn = {"cairn", "Cairn's LDL' without pivoting", analyze, factor, solve, entries};
