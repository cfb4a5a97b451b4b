/*
 * run_energy.c: where the energy of a run went: a table with a line for each form that is not 0,
 * and what the time stepping itself made or took.
 *
 * That part is judged against the energy turned over: each joule that goes from one form to another
 * counts once, so it is half the sum of all changes. A box that falls turns over its potential
 * energy; that the stepping then takes half a per cent of it is its order of accuracy, not a loss
 * of the scene.
 */
#include "cli/run/run.h"

#include <math.h>

#define ROUNDING        1e-9  /* of the energy turned over */
#define ROUNDING_OF_ALL 1e-12 /* of the energy at the start or at the end */

double run_energy_of(const cairn_energy *e) {
    return e->kinetic + e->potential + e->elastic;
}

void run_count_energy(run_state *run, const cairn_energy *now) {
    const cairn_energy *before = run->done == 1 ? &run->start : &run->last.energy;
    double sum = fabs(now->kinetic - before->kinetic) + fabs(now->potential - before->potential) +
                 fabs(now->elastic - before->elastic) + fabs(now->friction) + fabs(now->impact) + fabs(now->created) +
                 fabs(now->joints) + fabs(now->loads) + fabs(now->damping) + fabs(now->flow);
    run->turned += 0.5 * sum;
    cairn_energy_add(&run->work, now);
}

double run_unexplained(const run_state *run) {
    const cairn_energy *w = &run->work;
    return run_energy_of(&run->last.energy) - run_energy_of(&run->start) -
           (w->joints + w->loads + w->created - w->friction - w->impact - w->damping - w->flow);
}

/* What is not more than this is rounding: of sums of what changed form, and of the energy that
 * there is. */
static double rounding(const run_state *run) {
    double there = fmax(fabs(run_energy_of(&run->start)), fabs(run_energy_of(&run->last.energy)));
    return fmax(ROUNDING * run->turned, ROUNDING_OF_ALL * there);
}

/* What is nothing but rounding is left out. */
static void print_row(const run_state *run, const char *name, double joules, const char *what) {
    if (fabs(joules) > rounding(run))
        printf("    %-26s %+12.6g%s%s\n", name, joules, *what != '\0' ? "  " : "", what);
}

/* Sum of the forms of energy: 0 where all of it is rounding. */
static double sum_of(const run_state *run, const cairn_energy *energy) {
    double sum = run_energy_of(energy);
    return fabs(sum) > ROUNDING * run->turned ? sum : 0.0;
}

void run_print_energy(const run_state *run) {
    const cairn_energy *w = &run->work;
    double rest = run_unexplained(run);
    char share[64] = "";
    if (run->turned > 0.0)
        snprintf(share, sizeof share, "%.3g %% of the %.4g J that changed form", 100.0 * fabs(rest) / run->turned,
                 run->turned);
    printf("  energy, J\n    %-26s %12.6g\n", "at the start", sum_of(run, &run->start));
    print_row(run, "joints", w->joints, "motors, imposed motions, springs");
    print_row(run, "loads and driven bodies", w->loads, "");
    print_row(run, "restitution", w->created, "made by contacts together, an error of the step");
    print_row(run, "friction", -w->friction, "");
    print_row(run, "impacts", -w->impact, "");
    print_row(run, "damping of flexible parts", -w->damping, "");
    print_row(run, "plastic flow", -w->flow, "");
    print_row(run, "time-stepping error", rest, share);
    printf("    %-26s %12.6g\n", "at the end", sum_of(run, &run->last.energy));
}
