/*
 * method_ipm.c: ipm: the interior point iteration of ipm.c, then the polish of newton.c; [theory 5] and the conic
 * form of [MT 2].
 */
#include "ipm.h"
#include "newton.h"

#include <stdio.h>

#define ITERATIONS  60
#define WARM_MAP    1e-2 /* a guess with a larger natural map is worse than none */
#define POLISH      40   /* factorisations of the polish after each attempt */
#define LAST_POLISH 200

typedef struct workspace {
    cairn_arena arena;
    cairn_kkt *kkt;
    cairn_ipm ipm;
    cairn_newton newton;
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_kkt_destroy(w->kkt);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void layout(workspace *w, const cairn_problem *problem) {
    cairn_ipm_layout(&w->ipm, &w->arena, problem);
    cairn_newton_layout(&w->newton, &w->arena, problem);
}

static cairn_status prepare(cairn_run *run, void **out) {
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    layout(w, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK)
        status = cairn_kkt_create(run->problem, true, &w->kkt);
    if (status != CAIRN_OK) {
        release(run->context, w);
        return status;
    }
    layout(w, run->problem);
    cairn_ipm_prepare(run, &w->ipm, w->kkt);
    cairn_newton_prepare(run, &w->newton, w->kkt);
    *out = w;
    return CAIRN_OK;
}

static cairn_status run_ipm(cairn_run *run, void *memory) {
    workspace *w = memory;
    bool warm = false;
    if (run->guess != NULL) {
        if (cairn_run_test(run, run->guess))
            return CAIRN_OK;
        warm = run->last_map < WARM_MAP;
    }
    /* each smoothing of the exact law jams on other problems; the convex law has no use for a second attempt */
    static const double smooth[] = {1.0, 10.0, 0.01};
    int attempts = 1;
    for (int i = 0; i < attempts; i++) {
        if (cairn_ipm_run(run, &w->ipm, warm && i == 0, smooth[i], ITERATIONS))
            return CAIRN_OK;
        attempts = w->ipm.coulomb ? 3 : 1;
        if (cairn_newton_run(run, &w->newton, run->best_gamma, NULL, 100.0, i + 1 < attempts ? POLISH : LAST_POLISH))
            return CAIRN_OK;
    }
    run->outcome = CAIRN_STALLED;
    snprintf(run->note, sizeof run->note, "the interior point and its polish made no more progress");
    return CAIRN_OK;
}

const cairn_method cairn_method_ipm = {
    .name = "ipm",
    .summary = "interior point with the Coulomb law in Newton's matrix, then a Newton polish",
    .paper = "[MT] carried to cones; Nesterov and Todd's scaling",
    .accepts = "the global form with cones, unilateral and bilateral rows",
    .options = "rho_bilateral",
    .defaults = "",
    .refuses = cairn_ipm_refuses,
    .prepare = prepare,
    .run = run_ipm,
    .release = release,
};
