/*
 * method_pgs.c: block projected Gauss-Seidel and its over-relaxed form, baselines of [T21 TEST 2]
 * and of every engine.
 *
 *     for every block i:  x = answer of block i's own problem, all others fixed        (block_solve.c, exact laws)
 *                         gamma_i <- P( (1 - omega) gamma_i + omega x )                (omega = 1: gamma_i <- x)
 *
 * For the associated law and omega = 1 each visit lowers 1/2 gamma'N gamma + r^'gamma, so the
 * sweeps converge; with many bodies in a column slowly. omega > 1 and the Coulomb law come without
 * proof: when the natural map has not improved over PATIENCE tests or has grown by RUNAWAY, psor
 * goes on with omega = 1 from the best candidate. One iteration is one sweep, two when symmetric.
 * primal: largest change of an impulse; dual: largest n_i times that change.
 */
#include "solve/infeasible/divergence.h"
#include "solve/sweep/sweep.h"

#include <math.h>
#include <string.h>

#define REFRESH  50 /* sweeps between two computations of v from gamma */
#define PATIENCE 100
#define RUNAWAY  1e4

typedef struct workspace {
    cairn_sweep *sweep;
    cairn_divergence growth;
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    if (w->sweep != NULL)
        cairn_sweep_destroy(context, w->sweep);
    cairn_divergence_free(context, &w->growth);
    cairn_free(context, w);
}

static cairn_status prepare(cairn_run *run, void **out) {
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = cairn_sweep_create(run, &w->sweep);
    if (status == CAIRN_OK)
        status = cairn_divergence_create(run->context, run->problem->m, &w->growth);
    if (status == CAIRN_OK)
        *out = w;
    else
        release(run->context, w);
    return status;
}

/* The figures of the last sweep. */
static void measure(cairn_run *run, const cairn_sweep *sweep) {
    double velocity = 0.0;
    for (int j = 0; j < run->problem->m; j++)
        velocity = fmax(velocity, run->row_scale[j] * fabs(sweep->change[j]));
    run->primal = cairn_norm_max(run->problem->m, sweep->change);
    run->dual = velocity;
}

/* Goes back to the best candidate. */
static void fall_back(cairn_run *run, cairn_sweep *sweep) {
    memcpy(sweep->gamma, run->best_gamma, (size_t)run->problem->m * sizeof *sweep->gamma);
    cairn_sweep_refresh(run, sweep);
}

static cairn_status iterate(cairn_run *run, void *memory) {
    workspace *w = memory;
    cairn_sweep *sweep = w->sweep;
    const cairn_settings *settings = run->settings;
    int m = run->problem->m, waited = 0;
    double omega = settings->omega, best = INFINITY;
    memset(sweep->gamma, 0, (size_t)m * sizeof *sweep->gamma);
    if (run->guess != NULL)
        cairn_run_project(run, false, run->guess, sweep->gamma);
    cairn_sweep_refresh(run, sweep);
    cairn_divergence_begin(&w->growth, run, sweep->gamma);
    if (run->guess != NULL && cairn_run_test(run, sweep->gamma))
        return CAIRN_OK;
    for (;;) {
        if (run->iterations % REFRESH == REFRESH - 1)
            cairn_sweep_refresh(run, sweep);
        cairn_sweep_run(run, sweep, omega, false);
        if (settings->symmetric)
            cairn_sweep_run(run, sweep, omega, true);
        measure(run, sweep);
        run->rho = omega;
        bool test = (run->iterations + 1) % settings->test_every == 0;
        if (test)
            cairn_run_test(run, sweep->gamma);
        if (!cairn_run_tick(run, sweep->gamma, test) || !cairn_divergence_check(&w->growth, run, sweep->gamma))
            return CAIRN_OK;
        if (test && run->last_map < best) {
            best = run->last_map;
            waited = 0;
        } else if (test && (++waited >= PATIENCE || !(run->last_map <= RUNAWAY * best)) && omega > 1.0) {
            omega = 1.0;
            waited = 0;
            fall_back(run, sweep);
        }
    }
}

const cairn_method cairn_method_pgs = {
    .name = "pgs",
    .summary = "block projected Gauss-Seidel, exact for each block",
    .paper = "baseline of [T21]; nonlinear block Gauss-Seidel",
    .accepts = "every problem; with sparse H an explicit N of at most 2 GB",
    .options = "test_every omega symmetric colouring",
    .defaults = "omega=1",
    .prepare = prepare,
    .run = iterate,
    .release = release,
};

const cairn_method cairn_method_psor = {
    .name = "psor",
    .summary = "block projected over-relaxation: pgs with omega 1.5",
    .paper = "baseline of [T21]; projected SOR",
    .accepts = "every problem; with sparse H an explicit N of at most 2 GB",
    .options = "test_every omega symmetric colouring",
    .defaults = "omega=1.5",
    .prepare = prepare,
    .run = iterate,
    .release = release,
};
