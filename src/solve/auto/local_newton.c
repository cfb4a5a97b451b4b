/*
 * local_newton.c: Newton's method for a problem in local form [theory 1], a stage of auto.
 *
 * N = D'H^-1 D is found by problem/global_form.c, and nsn solves that problem from where splitting
 * has come to: splitting gets near answers whose contacts are on the edge of sliding, and then goes
 * to and fro. nsn has a judge of its own for the same limits; the run's judge has the last word. A
 * factorisation is dense, so this comes after splitting, and not where there are many rows.
 */
#include "solve/auto/local_newton.h"

#include <stdio.h>

#define ROWS_MOST 1500
#define MOST      300 /* factorisations from one place */

struct cairn_local_newton {
    cairn_solver *solver; /* NULL: N has no form on velocities */
    cairn_run *run;       /* while it is at work */
    char reason[128];     /* why not */
};

/* The iterations are the run's, and so are its limits. */
static bool count_iteration(void *user, const cairn_iteration *iteration) {
    const cairn_local_newton *moved = user;
    (void)iteration;
    moved->run->factorizations++;
    moved->run->solves++;
    return cairn_run_tick(moved->run, moved->run->best_gamma, false);
}

cairn_status cairn_local_newton_create(cairn_run *run, cairn_local_newton **out) {
    *out = NULL;
    if (!run->problem->local || run->problem->m > ROWS_MOST)
        return CAIRN_OK;
    cairn_local_newton *moved = cairn_alloc(run->context, 1, sizeof *moved);
    if (moved == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_settings settings = cairn_default_settings("nsn");
    settings.tolerance = run->settings->tolerance;
    settings.tolerance_plain = run->settings->tolerance_plain;
    settings.tolerance_velocity = run->settings->tolerance_velocity;
    settings.tolerance_angular = run->settings->tolerance_angular;
    settings.max_iterations = MOST;
    settings.repair = run->settings->repair;
    settings.on_iteration = count_iteration;
    settings.user = moved;
    cairn_status status = cairn_solver_create(run->context, &settings, &moved->solver);
    if (status == CAIRN_OK)
        status = cairn_solver_load(moved->solver, run->problem);
    if (status == CAIRN_ERROR_NUMERICAL || status == CAIRN_ERROR_UNSUPPORTED) {
        snprintf(moved->reason, sizeof moved->reason, "%s", cairn_error_message(run->context));
        cairn_solver_destroy(moved->solver);
        moved->solver = NULL;
        status = CAIRN_OK;
    }
    if (status == CAIRN_OK)
        *out = moved;
    else
        cairn_local_newton_destroy(run->context, moved);
    return status;
}

void cairn_local_newton_destroy(cairn_context *context, cairn_local_newton *moved) {
    if (moved == NULL)
        return;
    cairn_solver_destroy(moved->solver);
    cairn_free(context, moved);
}

bool cairn_local_newton_run(cairn_run *run, cairn_local_newton *moved, const double *gamma, cairn_status *status) {
    if (moved->solver == NULL)
        return false;
    cairn_guess guess = {.gamma = gamma};
    cairn_answer answer = {0};
    cairn_info info = {0};
    moved->run = run;
    *status = cairn_solver_solve(moved->solver, &guess, &answer, &info);
    if (*status == CAIRN_ERROR_NUMERICAL)
        *status = CAIRN_OK;
    if (*status != CAIRN_OK || (answer.gamma != NULL && cairn_run_test(run, answer.gamma)))
        return true;
    return info.outcome == CAIRN_CANCELLED;
}

const char *cairn_local_newton_reason(const cairn_local_newton *moved) {
    return moved != NULL ? moved->reason : "";
}
