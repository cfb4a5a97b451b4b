/*
 * method_ipm.c: ipm: the interior point iteration of ipm.c, then the polish of newton.c; [theory 5]
 * and the conic form of [MT 2]; starting points and warm starts of [MT 2.4] and [MT 4.2] as
 * settings.
 */
#include "solve/second_order/ipm_newton.h"

#include <stdio.h>

#define LAST_POLISH 200  /* factorisations */
#define PATH        3000 /* factorisations along the path */

static cairn_status prepare(cairn_run *run, void **workspace) {
    return cairn_ipm_newton_prepare(run, true, workspace);
}

static cairn_status run_ipm(cairn_run *run, void *memory) {
    cairn_ipm_newton *w = memory;
    bool warm;
    w->status = CAIRN_OK;
    if (run->settings->warm == CAIRN_WARM_NONE)
        run->guess = NULL;
    if (!cairn_ipm_newton_guess(run, memory, &warm) && !cairn_ipm_newton_run(run, memory, warm, LAST_POLISH) &&
        !cairn_ipm_newton_path(run, memory, 1.0, PATH)) {
        run->outcome = CAIRN_STALLED;
        snprintf(run->note, sizeof run->note, "no more progress");
    }
    cairn_ipm_newton_recall(run, memory);
    return w->status;
}

const cairn_method cairn_method_ipm = {
    .name = "ipm",
    .summary = "interior point with the Coulomb law in Newton's matrix, then a Newton polish",
    .paper = "[MT] carried to cones; Nesterov and Todd's scaling",
    .accepts = "cones, unilateral and bilateral rows",
    .options = "start warm rho_bilateral",
    .defaults = "",
    .on_velocities = true,
    .refuses = cairn_ipm_refuses,
    .prepare = prepare,
    .run = run_ipm,
    .release = cairn_ipm_newton_release,
};
