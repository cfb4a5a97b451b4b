/*
 * method_auto.c: auto: begins with the scheme that pays, and switches by counts and certificate, never by the clock.
 *
 *     1. a warm start whose natural map is good is tested, then used by every stage below
 *     2. interior point with the Coulomb law inside, then Newton's polish; three smoothings of the exact law [theory 5]
 *     3. preconditioned ADMM [T21 (47)] from the best candidate so far, then the polish again
 *
 * Stage 2 is for the global form with cones, unilateral and bilateral rows; other problems begin with stage 3, whose polish needs the global form. What was
 * done is said in the note of the result.
 */
#include "admm.h"
#include "ipm.h"
#include "newton.h"

#include <stdio.h>
#include <string.h>

#define IPM_ITERATIONS 60
#define WARM_MAP       1e-2 /* a guess with a larger natural map is worse than none */
#define POLISH         40   /* factorisations of a polish with another attempt behind it */
#define LAST_POLISH    200
#define ADMM_SLICE     1500 /* ADMM iterations between two polishes */

typedef struct workspace {
    cairn_arena arena;
    cairn_kkt *kkt; /* of all stages; NULL when only the splitting fits, which then has its own */
    bool has_ipm, has_newton;
    cairn_ipm ipm;
    cairn_newton newton;
    void *admm;
    double *start; /* m: where the ADMM begins */
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    if (w->admm != NULL)
        cairn_admm_release(context, w->admm);
    cairn_kkt_destroy(w->kkt);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void layout(workspace *w, const cairn_problem *problem) {
    w->start = cairn_arena_take(&w->arena, (size_t)problem->m, sizeof(double));
    if (w->has_ipm)
        cairn_ipm_layout(&w->ipm, &w->arena, problem);
    if (w->has_newton)
        cairn_newton_layout(&w->newton, &w->arena, problem);
}

static cairn_status prepare(cairn_run *run, void **out) {
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->has_ipm = cairn_ipm_refuses(run->problem, run->settings) == NULL;
    w->has_newton = cairn_newton_refuses(run->problem, run->settings) == NULL;
    layout(w, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK && (w->has_ipm || w->has_newton))
        status = cairn_kkt_create(run->problem, true, &w->kkt);
    if (status == CAIRN_OK)
        status = cairn_admm_prepare(run, true, w->kkt, &w->admm);
    if (status != CAIRN_OK) {
        release(run->context, w);
        return status;
    }
    layout(w, run->problem);
    if (w->has_ipm)
        cairn_ipm_prepare(run, &w->ipm, w->kkt);
    if (w->has_newton)
        cairn_newton_prepare(run, &w->newton, w->kkt);
    *out = w;
    return CAIRN_OK;
}

/* Stage 2. True: the run is over. */
static bool interior_point(cairn_run *run, workspace *w, bool warm) {
    static const double smooth[] = {1.0, 10.0, 0.01};
    for (int i = 0, attempts = 1; i < attempts; i++) {
        if (cairn_ipm_run(run, &w->ipm, warm && i == 0, smooth[i], IPM_ITERATIONS))
            return true;
        attempts = w->ipm.coulomb ? 3 : 1;
        if (w->has_newton && cairn_newton_run(run, &w->newton, run->best_gamma, NULL, 100.0, POLISH))
            return true;
    }
    return false;
}

/* Stage 3. True: the run is over. */
static bool splitting(cairn_run *run, workspace *w) {
    for (int slice = 0;; slice++) {
        int before = run->iterations;
        memcpy(w->start, run->best_gamma, (size_t)run->problem->m * sizeof *w->start);
        run->guess = run->best_map < WARM_MAP || slice > 0 ? w->start : NULL;
        if (cairn_admm_run(run, w->admm, w->has_newton ? ADMM_SLICE << slice : 0))
            return true;
        if (!w->has_newton || run->iterations == before)
            return false;
        if (cairn_newton_run(run, &w->newton, run->best_gamma, NULL, 100.0, LAST_POLISH))
            return true;
        if (slice == 3)
            return false;
    }
}

static cairn_status run_auto(cairn_run *run, void *memory) {
    workspace *w = memory;
    bool warm = false;
    char trail[96] = "";
    if (run->guess != NULL) {
        if (cairn_run_test(run, run->guess))
            return CAIRN_OK;
        warm = run->last_map < WARM_MAP;
        if (!warm)
            run->guess = NULL;
    }
    if (w->has_ipm) {
        if (interior_point(run, w, warm))
            return CAIRN_OK;
        snprintf(trail, sizeof trail, "interior point and Newton reached %.1e; ", run->best_map);
    }
    if (!splitting(run, w) && run->outcome == CAIRN_ITERATION_LIMIT)
        run->outcome = CAIRN_STALLED;
    if (run->note[0] == '\0')
        snprintf(run->note, sizeof run->note, "%ssplitting reached %.1e", trail, run->best_map);
    return CAIRN_OK;
}

const cairn_method cairn_method_auto = {
    .name = "auto",
    .summary = "interior point, Newton and splitting in turn; needs no tuning",
    .paper = "[MT], [T21] and Newton's method, switched by counts and certificate",
    .accepts = "every problem",
    .options = "test_every rho rho_bilateral step_every step_grow relaxation",
    .defaults = "relaxation=1.6 step_grow=1.2",
    .prepare = prepare,
    .run = run_auto,
    .release = release,
};
