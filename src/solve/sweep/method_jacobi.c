/*
 * method_jacobi.c: the projected fixed point iteration that [T21 TEST 1] and [T21 TEST 2] compare
 * with.
 *
 *     gamma <- P( gamma - omega u~/n ),   u = N gamma + r^,   u~ = u + Phi(u) for the exact Coulomb law
 *
 * n is the block scale n_i = trace(N_ii)/dim. It converges when omega times the largest eigenvalue
 * of N, scaled by n, is below 2, and that eigenvalue grows with the number of contacts of a body.
 * Then, for the associated law, the lengths |change of gamma| in the norm of n never grow. So omega
 * is halved when the length has grown by GROWN over the least one, or has had no new least one over
 * PATIENCE iterations; the least one is then forgotten. One product with N an iteration. primal:
 * largest change of an impulse; dual: largest n_i/omega times that change.
 */
#include "solve/infeasible/divergence.h"

#include <math.h>
#include <string.h>

#define GROWN     4.0
#define PATIENCE  500
#define OMEGA_MIN 1e-6

typedef struct workspace {
    double *gamma; /* m: the iterate */
    double *next;  /* m */
    double *u;     /* m: slip of gamma */
    double *v;     /* n */
    cairn_divergence growth;
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_free(context, w->gamma);
    cairn_free(context, w->next);
    cairn_free(context, w->u);
    cairn_free(context, w->v);
    cairn_divergence_free(context, &w->growth);
    cairn_free(context, w);
}

static cairn_status prepare(cairn_run *run, void **out) {
    size_t m = (size_t)run->problem->m;
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->gamma = cairn_alloc(run->context, m, sizeof *w->gamma);
    w->next = cairn_alloc(run->context, m, sizeof *w->next);
    w->u = cairn_alloc(run->context, m, sizeof *w->u);
    w->v = cairn_alloc(run->context, (size_t)run->problem->n, sizeof *w->v);
    cairn_status status = cairn_divergence_create(run->context, run->problem->m, &w->growth);
    if (status != CAIRN_OK || w->gamma == NULL || w->next == NULL || w->u == NULL || w->v == NULL) {
        release(run->context, w);
        return CAIRN_ERROR_MEMORY;
    }
    *out = w;
    return CAIRN_OK;
}

static void compute_slip(cairn_run *run, workspace *w) {
    cairn_operator_velocity(run->op, w->gamma, w->v);
    cairn_operator_slip(run->op, w->v, w->gamma, w->u);
}

/* One iteration; u is that of gamma before it. Returns the length of the change. */
static double step(cairn_run *run, workspace *w, double omega) {
    int m = run->problem->m;
    double square = 0.0;
    cairn_run_phi(run, w->u, w->next);
    for (int j = 0; j < m; j++)
        w->next[j] = w->gamma[j] - omega * (w->u[j] + w->next[j]) / run->row_scale[j];
    cairn_run_project(run, false, w->next, w->next);
    run->primal = run->dual = 0.0;
    for (int j = 0; j < m; j++) {
        double change = fabs(w->next[j] - w->gamma[j]);
        run->primal = fmax(run->primal, change);
        run->dual = fmax(run->dual, change * run->row_scale[j] / omega);
        square += run->row_scale[j] * change * change;
        w->gamma[j] = w->next[j];
    }
    return sqrt(square);
}

static cairn_status iterate(cairn_run *run, void *memory) {
    workspace *w = memory;
    size_t bytes = (size_t)run->problem->m * sizeof *w->gamma;
    double omega = run->settings->omega, least = INFINITY;
    int waited = 0;
    memset(w->gamma, 0, bytes);
    if (run->guess != NULL)
        cairn_run_project(run, false, run->guess, w->gamma);
    cairn_divergence_begin(&w->growth, run, w->gamma);
    if (run->guess != NULL && cairn_run_test(run, w->gamma))
        return CAIRN_OK;
    compute_slip(run, w);
    for (;;) {
        double length = step(run, w, omega);
        run->rho = omega;
        bool test = (run->iterations + 1) % run->settings->test_every == 0;
        bool accepted = test && cairn_run_test(run, w->gamma);
        if (test)
            memcpy(w->u, run->u, bytes);
        else
            compute_slip(run, w);
        if (!cairn_run_tick(run, w->gamma, test) || accepted) {
            if (accepted)
                run->outcome = CAIRN_SOLVED;
            return CAIRN_OK;
        }
        if (!cairn_divergence_check(&w->growth, run, w->gamma))
            return CAIRN_OK;
        waited = length < least ? 0 : waited + 1;
        least = fmin(least, length);
        if ((length > GROWN * least || waited >= PATIENCE) && omega > OMEGA_MIN) {
            omega *= 0.5;
            waited = 0;
            least = INFINITY;
        }
    }
}

const cairn_method cairn_method_jacobi = {
    .name = "jacobi",
    .summary = "projected fixed point iteration, all blocks at once",
    .paper = "baseline of [T21], TEST 1 and TEST 2",
    .accepts = "every problem",
    .options = "test_every omega",
    .defaults = "omega=0.3",
    .prepare = prepare,
    .run = iterate,
    .release = release,
};
