/*
 * work_allowance.c: the counted work that a step may take, shared by all that it solves.
 *
 *     work of a solve = iterations + 20 factorisations of the island that had most, + 10
 *
 * A step has ALL of it, or ALL_ROW for each row of its largest problem: what happens at one end of a heap must reach the other by sweeps, so that large problems take more iterations. Every solve, those that part overlaps and the
 * passive motion (solve/driver/passive_motion.h) take from it. A solve gets half of what is left, so that there is always something for the next; the step is cut no more when less than FOR_CUTS is left, and problems are
 * not solved again for contacts that were missed when less than FOR_MORE is. With nothing left a solve still gets LEAST, enough for the sweeps of a few contacts; what that leaves unsolved
 * moves as solve/driver/passive_motion.h says, and the step is not certified. These are counts: results do not depend on the clock.
 *
 * Substeps get their shares one after the other; a step with more than SUBSTEPS of them has more. Methods other than auto have limits of their own, set by the user.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define ALL      17000.0
#define ALL_ROW  20.0
#define FOR_CUTS 0.25
#define FOR_MORE 0.125
#define LEAST    60.0
#define SOLVE    10.0
#define SUBSTEPS 4
#define FLOW     20.0 /* times all of it where stresses of flexible parts flow, which takes long */

static bool flows(const cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++)
        if (w->slot[i].flex != NULL && w->slot[i].flex->yield != NULL)
            return true;
    return false;
}

void cairn_world_allow(cairn_world *w, int substep) {
    int substeps = w->def.substeps;
    if (substep == 0)
        w->work = w->work_rows = 0.0;
    w->work_all = ALL * (substep + 1) / (substeps < SUBSTEPS ? substeps : SUBSTEPS) * (flows(w) ? FLOW : 1.0);
    if (strcmp(w->def.solver.method, "auto") != 0)
        w->work_all = INFINITY;
}

/* All that has been granted so far. */
static double granted(const cairn_world *w, int rows) {
    return fmax(w->work_all, ALL_ROW * fmax(w->work_rows, rows));
}

double cairn_world_allowance(const cairn_world *w, int rows) {
    return fmax(LEAST, 0.5 * (granted(w, rows) - w->work));
}

void cairn_world_spend(cairn_world *w, double work, int rows) {
    w->work += work + SOLVE;
    w->work_rows = fmax(w->work_rows, rows);
}

bool cairn_world_may_cut(const cairn_world *w) {
    return w->work <= (1.0 - FOR_CUTS) * granted(w, 0);
}

bool cairn_world_may_resolve(const cairn_world *w) {
    return w->work <= (1.0 - FOR_MORE) * granted(w, 0);
}
