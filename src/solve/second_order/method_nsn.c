/*
 * method_nsn.c: semismooth Newton on the augmented Lagrangian, alone; see newton.c. Equations:
 * [theory 1], the Alart-Curnier form of the exact Coulomb law.
 */
#include "solve/second_order/ipm_newton.h"

#include <stdio.h>

#define FACTORIZATIONS 1000

static cairn_status prepare(cairn_run *run, void **workspace) {
    return cairn_ipm_newton_prepare(run, false, workspace);
}

static cairn_status run_nsn(cairn_run *run, void *memory) {
    cairn_ipm_newton *w = memory;
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
    .accepts = "every problem whose compliance is uniform in a block",
    .options = "rho rho_bilateral",
    .defaults = "rho=100",
    .on_velocities = true,
    .refuses = cairn_newton_refuses,
    .prepare = prepare,
    .run = run_nsn,
    .release = cairn_ipm_newton_release,
};
