/*
 * method_nsn.c: semismooth Newton on the augmented Lagrangian, alone; see newton.c. Equations: [theory 1], the Alart-Curnier form of
 * the exact Coulomb law.
 */
#include "newton.h"

#include <stdio.h>

#define FACTORIZATIONS 1000

typedef struct workspace {
    cairn_arena arena;
    cairn_kkt *kkt;
    cairn_newton newton;
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_kkt_destroy(w->kkt);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static cairn_status prepare(cairn_run *run, void **out) {
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_newton_layout(&w->newton, &w->arena, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK)
        status = cairn_kkt_create(run->problem, true, &w->kkt);
    if (status != CAIRN_OK) {
        release(run->context, w);
        return status;
    }
    cairn_newton_layout(&w->newton, &w->arena, run->problem);
    cairn_newton_prepare(run, &w->newton, w->kkt);
    *out = w;
    return CAIRN_OK;
}

static cairn_status run_nsn(cairn_run *run, void *memory) {
    workspace *w = memory;
    const double *from = run->guess != NULL ? run->guess : run->best_gamma;
    if (run->guess != NULL && cairn_run_test(run, run->guess))
        return CAIRN_OK;
    double sigma = run->guess_rho > 0.0 ? run->guess_rho : run->settings->rho;
    if (!cairn_newton_run(run, &w->newton, from, NULL, sigma, FACTORIZATIONS)) {
        run->outcome = CAIRN_STALLED;
        snprintf(run->note, sizeof run->note, "Newton's method made no more progress");
    }
    return CAIRN_OK;
}

const cairn_method cairn_method_nsn = {
    .name = "nsn",
    .summary = "semismooth Newton on the augmented Lagrangian, to the last digit",
    .paper = "Alart and Curnier's form of the law of [theory] 1",
    .accepts = "the global form; compliance uniform in a block",
    .options = "rho rho_bilateral",
    .defaults = "rho=100",
    .refuses = cairn_newton_refuses,
    .prepare = prepare,
    .run = run_nsn,
    .release = release,
};
