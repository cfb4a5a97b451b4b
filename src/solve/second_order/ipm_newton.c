/*
 * ipm_newton.c: interior point attempts and Newton polish [theory 5], shared by ipm, nsn and auto.
 *
 * Under the exact law every smoothing c of the slack jams on other problems, so up to three are
 * tried; the convex law has no use for a second attempt.
 */
#include "solve/second_order/ipm_newton.h"

#include "solve/infeasible/infeasible.h"

#include <math.h>
#include <string.h>

#define IPM_ITERATIONS 60
#define POLISH         150 /* factorisations of a polish with another attempt behind it, while it makes progress */
#define POLISH_SIGMA   100.0
#define PATH_HEAVY     1e8 /* multiply-adds of a factorisation from which thousands of them are too many */
#define PATH_POLISH    40
/* Largest natural map of a guess that is worth an attempt of the interior point: WARM_MAP;
 * WARM_STEP in time steps, whose guess is the last answer; WARM_CONVEX under the convex law, where
 * a cold start takes less; WARM_NEWTON where Newton's method is the only method. */
#define WARM_MAP        0.03
#define WARM_STEP       0.1
#define WARM_CONVEX     5e-3
#define WARM_NEWTON     1e-2
#define WARM_ITERATIONS 13 /* interior point iterations from a guess */
/* a polish follows when the natural map after them is below this and a tenth of the guess's */
#define WARM_POLISHED 1e-5
#define WARM_POLISH   6
/* multiply-adds of a factorisation below which splitting comes last, because it takes hundreds of
 * solves */
#define LIGHT        3e5
#define JAMMED       0.1  /* natural map of the interior point's last iterate below which splitting is tried */
#define SETTLED      10.0 /* tolerances at which Newton's method goes on after splitting */
#define NEWTON_MAP   5e-4 /* a guess with a larger natural map is not worth one step of Newton's method */
#define NEWTON_NEAR  1e-5
#define NEWTON_MOST  6
#define NEWTON_SIGMA 1e4
/* Contacts without joints: largest natural map of a guess that is followed by splitting, with at
 * most TRACK_ROWS rows and with more. Within TRACK_LEAST tolerances Newton's method is better. */
#define TRACK_FEW   0.1
#define TRACK_ROWS  120
#define TRACK_MANY  1e-3
#define TRACK_LEAST 3.0
#define ASIDE_MOST  8 /* factorisations of Newton's method where the interior point slows down */

static void layout(cairn_ipm_newton *w, const cairn_problem *problem) {
    if (w->has_ipm)
        cairn_ipm_layout(&w->ipm, &w->arena, problem);
    if (w->has_newton)
        cairn_newton_layout(&w->newton, &w->arena, problem);
    w->kept = cairn_arena_take(&w->arena, (size_t)problem->m, sizeof *w->kept);
    w->from = cairn_arena_take(&w->arena, (size_t)problem->m, sizeof *w->from);
    w->before = cairn_arena_take(&w->arena, (size_t)problem->m, sizeof *w->before);
}

cairn_status cairn_ipm_newton_create(cairn_run *run, bool want_ipm, size_t most, cairn_ipm_newton *w) {
    *w = (cairn_ipm_newton){0};
    w->has_ipm = want_ipm && cairn_ipm_refuses(run->problem, run->settings) == NULL;
    w->has_newton = cairn_newton_refuses(run->problem, run->settings) == NULL;
    if (!w->has_ipm && !w->has_newton)
        return CAIRN_OK;
    layout(w, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK)
        status = cairn_kkt_create_cached(run->problem, true, most, run->store, &w->kkt);
    if (status != CAIRN_OK) {
        cairn_ipm_newton_destroy(run->context, w);
        return status;
    }
    layout(w, run->problem);
    if (w->has_ipm)
        cairn_ipm_prepare(run, &w->ipm, w->kkt);
    if (w->has_newton)
        cairn_newton_prepare(run, &w->newton, w->kkt);
    w->has_path = w->has_ipm && cairn_kkt_flops(w->kkt) < PATH_HEAVY;
    w->has_track = w->has_ipm && cairn_track_fits(run);
    return CAIRN_OK;
}

/* Memory of the path, when it is first followed: few problems need it. */
static cairn_status prepare_path(cairn_run *run, cairn_ipm_newton *w) {
    if (w->road.base != NULL)
        return CAIRN_OK;
    w->road.used = 0;
    cairn_central_path_layout(&w->path, &w->road, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->road);
    if (status != CAIRN_OK)
        return status;
    cairn_central_path_layout(&w->path, &w->road, run->problem);
    cairn_central_path_prepare(run, &w->path, w->kkt);
    return CAIRN_OK;
}

/* Takes the memory of the stage that starts from a guess, once. */
static cairn_status prepare_track(cairn_run *run, cairn_ipm_newton *w) {
    if (w->trail.base != NULL)
        return CAIRN_OK;
    w->trail.used = 0;
    cairn_track_layout(&w->track, &w->trail, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->trail);
    if (status != CAIRN_OK)
        return status;
    cairn_track_layout(&w->track, &w->trail, run->problem);
    cairn_track_prepare(run, &w->track, w->kkt);
    return CAIRN_OK;
}

void cairn_ipm_newton_destroy(cairn_context *context, cairn_ipm_newton *w) {
    cairn_kkt_destroy(w->kkt);
    cairn_arena_free(context, &w->arena);
    cairn_arena_free(context, &w->road);
    cairn_arena_free(context, &w->trail);
    *w = (cairn_ipm_newton){0};
}

cairn_status cairn_ipm_newton_prepare(cairn_run *run, bool want_ipm, void **workspace) {
    cairn_ipm_newton *w = cairn_alloc(run->context, 1, sizeof *w);
    cairn_status status = w != NULL ? cairn_ipm_newton_create(run, want_ipm, SIZE_MAX, w) : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        *workspace = w;
    else
        cairn_free(run->context, w);
    return status;
}

void cairn_ipm_newton_release(cairn_context *context, void *workspace) {
    cairn_ipm_newton_destroy(context, workspace);
    cairn_free(context, workspace);
}

/* Makes the run what it was before the guess: what follows goes as a solve without one. A
 * candidate within the tolerance stays. */
static void put_aside(cairn_run *run, cairn_ipm_newton *w) {
    size_t bytes = (size_t)run->problem->m * sizeof *w->kept;
    if (run->passed || w->kept == NULL)
        return;
    memcpy(w->kept, run->best_gamma, bytes);
    w->kept_map = run->best_map;
    memset(run->best_gamma, 0, bytes);
    run->best_map = run->last_map = w->cold_map;
    run->stall_map = INFINITY;
    run->stalled_since = run->iterations;
}

void cairn_ipm_newton_recall(cairn_run *run, const cairn_ipm_newton *w) {
    if (run->finished || run->passed || !(w->kept_map < run->best_map))
        return;
    memcpy(run->best_gamma, w->kept, (size_t)run->problem->m * sizeof *w->kept);
    run->best_map = w->kept_map;
}

/* Contacts from the last step to this one; where that does not lead to the answer its best
 * candidate is the guess, *map its natural map at the contacts. True: the run is over, or
 * w->status says why not. */
static bool track(cairn_run *run, cairn_ipm_newton *w, double *map) {
    w->status = prepare_track(run, w);
    if (w->status != CAIRN_OK)
        return true;
    cairn_run_stage(run, "from the last step");
    if (cairn_track_run(run, &w->track))
        return true;
    if (run->best_map < *map) {
        memcpy(w->from, run->best_gamma, (size_t)run->problem->m * sizeof *w->from);
        run->guess = w->from;
    }
    cairn_operator_velocity(run->op, run->guess, run->v);
    cairn_operator_slip(run->op, run->v, run->guess, run->u);
    *map = cairn_run_touch_map(run, run->guess, run->u);
    return false;
}

/* Where all contacts of the guess stick, slide and part as they do in the answer this takes a
 * step or two; where they do not, the first step shows it. */
static bool try_newton(cairn_run *run, cairn_ipm_newton *w, double map) {
    w->newton.hasty = true;
    bool over = cairn_newton_run(run, &w->newton, run->guess, NULL, NEWTON_SIGMA, NEWTON_MOST);
    if (!over && map < NEWTON_NEAR) /* softer, for contacts that begin or cease to slide */
        over = cairn_newton_run(run, &w->newton, run->guess, NULL, POLISH_SIGMA, NEWTON_MOST);
    w->newton.hasty = false;
    return over;
}

/* The natural map from which on a guess is not worth an attempt; nor is one with a larger map
 * than no impulses have. Without cones a cold start is the answer. */
static double largest_worth(const cairn_run *run, const cairn_ipm_newton *w) {
    if (!w->has_ipm)
        return WARM_NEWTON;
    if (w->ipm.cones.count == 0)
        return 0.0;
    if (run->problem->law != CAIRN_LAW_COULOMB)
        return WARM_CONVEX;
    return run->guess_v != NULL ? WARM_STEP : WARM_MAP;
}

/* Is the last step to be followed by splitting? Reactions of joints change a lot from step to
 * step: what their natural map says of a guess is no measure. */
static bool is_tracked(const cairn_run *run, const cairn_ipm_newton *w, double map) {
    if (!w->has_track || run->guess_v == NULL || run->settings->warm != CAIRN_WARM_FULL)
        return false;
    double most = run->problem->m <= TRACK_ROWS ? TRACK_FEW : TRACK_MANY;
    return w->ipm.joint_rows > 0 || (map > TRACK_LEAST * run->settings->tolerance && map < most);
}

bool cairn_ipm_newton_guess(cairn_run *run, cairn_ipm_newton *w, bool *warm) {
    *warm = false;
    w->kept_map = INFINITY;
    w->cold_map = run->guess_tested ? run->cold_map : run->best_map;
    if (run->guess == NULL)
        return false;
    if (!run->guess_tested) {
        cairn_run_stage(run, "the guess as it is");
        if (cairn_run_test(run, run->guess))
            return true;
    }
    double map = run->guess_tested ? run->guess_map : run->last_map;
    if (is_tracked(run, w, map) && track(run, w, &map))
        return true;
    if (w->polish_guess && w->has_newton && map < NEWTON_MAP) {
        cairn_run_stage(run, "Newton from the guess");
        if (try_newton(run, w, map))
            return true;
    }
    *warm = map < fmin(largest_worth(run, w), w->cold_map);
    if (!*warm)
        put_aside(run, w);
    return false;
}

/* Runs Newton's method where the interior point slows down. On failure, restores the previous
 * best candidate: Newton's last iterate is a poor restart point. */
static bool step_aside(cairn_run *run, void *user) {
    cairn_ipm_newton *w = user;
    size_t bytes = (size_t)run->problem->m * sizeof *w->before;
    if (w->aside_most == 0)
        return false;
    double map = run->best_map, last = run->last_map;
    memcpy(w->before, run->best_gamma, bytes);
    w->stepped_aside = true;
    if (cairn_newton_run(run, &w->newton, w->ipm.u, NULL, POLISH_SIGMA, w->aside_most))
        return true;
    if (run->passed)
        return false;
    memcpy(run->best_gamma, w->before, bytes);
    run->best_map = map;
    run->last_map = last;
    return false;
}

/* From the guess, with little to lose: what it has not reached in a few iterations a cold start
 * reaches as soon. */
static bool run_warm(cairn_run *run, cairn_ipm_newton *w) {
    double polished = fmin(WARM_POLISHED, 0.1 * run->best_map);
    cairn_run_stage(run, "interior point from the guess");
    w->aside_most = run->guess_v != NULL ? WARM_POLISH : 0; /* poor guesses from elsewhere must not cost that too */
    w->stepped_aside = false;
    if (cairn_ipm_run(run, &w->ipm, true, 1.0, 0.99, WARM_ITERATIONS))
        return true;
    if (w->has_newton && !w->stepped_aside && run->best_map < polished) {
        cairn_run_stage(run, "polish");
        if (cairn_newton_run(run, &w->newton, run->best_gamma, NULL, POLISH_SIGMA, WARM_POLISH))
            return true;
    }
    put_aside(run, w);
    return false;
}

/* Where the exact law has jammed the interior point: to near the tolerance by splitting. True:
 * the run is over, or w->status says why not. */
static bool settle(cairn_run *run, cairn_ipm_newton *w) {
    double goal = SETTLED * cairn_run_aim(run);
    if (!w->ipm.coulomb || !(run->best_map < JAMMED) || run->best_map <= goal)
        return false;
    w->status = prepare_track(run, w);
    if (w->status != CAIRN_OK)
        return true;
    cairn_run_stage(run, "splitting that knows the contacts");
    run->stalled_since = run->iterations; /* a new stage: its stall counter starts here */
    memcpy(w->from, run->best_gamma, (size_t)run->problem->m * sizeof *w->from);
    return cairn_track_settle(run, &w->track, w->from, goal);
}

/* Where the first attempt fails there may be no answer at all. True: that is proven, or
 * w->status says why not. */
static bool is_impossible(cairn_run *run, cairn_ipm_newton *w) {
    bool proven;
    w->status = cairn_run_prove(run, &proven);
    return w->status != CAIRN_OK || proven;
}

bool cairn_ipm_newton_run(cairn_run *run, cairn_ipm_newton *w, bool warm, int last_polish) {
    static const double smooth[] = {1.0, 10.0, 0.01}, damping[] = {0.99, 0.95, 0.95};
    w->ipm.aside = w->has_newton ? step_aside : NULL;
    w->ipm.user = w;
    w->ipm.heavy = run->heavy;
    if (warm && run_warm(run, w))
        return true;
    w->aside_most = ASIDE_MOST;
    int split = cairn_kkt_flops(w->kkt) < LIGHT ? 2 : 0; /* the attempt after which splitting is tried */
    for (int i = 0, attempts = 1; i < attempts; i++) {
        cairn_run_stage(run, i == 0 ? "interior point" : "again");
        w->ipm.goal = i == 0 ? w->goal : 0.0;
        w->ipm.heavy = run->heavy && i == 0;
        if (cairn_ipm_run(run, &w->ipm, false, smooth[i], damping[i], IPM_ITERATIONS))
            return true;
        if (i == 0 && is_impossible(run, w))
            return true;
        if (i == split && w->has_track && settle(run, w))
            return true;
        bool near = run->best_map <= SETTLED * run->settings->tolerance;
        if (i == split && !near && w->between != NULL && w->ipm.coulomb && w->between(run, w->user))
            return true;
        attempts = w->ipm.coulomb ? 3 : 1;
        int polish = i + 1 < attempts ? POLISH : last_polish;
        if (!w->has_newton)
            continue;
        cairn_run_stage(run, "polish");
        if (cairn_newton_run(run, &w->newton, run->best_gamma, NULL, POLISH_SIGMA, polish))
            return true;
    }
    return false;
}

bool cairn_ipm_newton_path(cairn_run *run, cairn_ipm_newton *w, double smooth, int limit) {
    static const double goal[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0};
    if (!w->has_path || !w->ipm.coulomb)
        return false;
    w->status = prepare_path(run, w);
    if (w->status != CAIRN_OK)
        return true;
    if (!cairn_central_path_begin(run, &w->path, smooth))
        return false;
    cairn_run_stage(run, "path through its folds");
    int first = run->factorizations;
    for (size_t i = 0; i < sizeof goal / sizeof *goal; i++) {
        cairn_central_path_end end = cairn_central_path_follow(run, &w->path, goal[i],
                                                               limit - (run->factorizations - first));
        if (end == CAIRN_CENTRAL_PATH_OVER)
            return true;
        if (w->has_newton && cairn_newton_run(run, &w->newton, w->path.h, NULL, POLISH_SIGMA, PATH_POLISH))
            return true;
        if (end == CAIRN_CENTRAL_PATH_LOST)
            return false;
    }
    return false;
}
