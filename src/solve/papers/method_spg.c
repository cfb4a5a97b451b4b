/*
 * method_spg.c: spectral projected gradients with fall-back, preconditioned: the P-SPG-FB of
 * [T21 TEST 1].
 *
 *     min f = 1/2 gamma'N gamma + (r^ + s)'gamma over the sets; gradient g = N gamma + r^ + s
 *     d = P(gamma - alpha M g) - gamma,   M = 1/n_i (preconditioned) or I
 *     gamma <- gamma + lambda d,   lambda = 1 if f <= max of the last `history` values + 1e-4 g'd,
 *                                  else the least f along d
 *     alpha <- d'M^-1 d / d'N d   and   d'N d / (N d)'M (N d)   in turns (Barzilai and Borwein)
 *
 * M is a multiple of I in each block, so the projection in its metric is the Euclidean one. f is
 * quadratic: g, f and the line search follow from one product N d an iteration. Past values of f
 * are kept relative to the present one, and g'd, which loses its digits near the answer, is at most
 * -d'M^-1 d/alpha: both keep the line search sound to rounding.
 *
 * Associated law: s = 0, a convex problem. Exact Coulomb law: s = Phi(u) is frozen and renewed when
 * the convex problem is solved to a tenth of what the renewal would change, or after INNER_TESTS
 * tests. This fixed point may circle: fall-back, when the natural map has not improved over
 * PATIENCE tests, returns to the best candidate with renewals cut by half. For unsymmetric N the
 * gradient is not one and nothing is promised. primal: largest change of an impulse; dual: largest
 * component of M^-1 d/alpha.
 */
#include "solve/infeasible/divergence.h"

#include <math.h>
#include <string.h>

#define SUFFICIENT  1e-4
#define ALPHA_RANGE 1e8
#define INNER_TESTS 40
#define PATIENCE    200
#define HISTORY_MAX 100
#define RENEWAL_MIN 0.01

typedef struct workspace {
    double *gamma, *gradient, *frozen;  /* m each: iterate, g, s */
    double *direction, *image, *metric; /* m each: d, N d, M */
    double past[HISTORY_MAX];           /* last values of f, minus the present one; a ring */
    int filled, next;                   /* values of f in past, place of the next */
    double alpha, alpha_first;
    double renewal; /* share of a renewal of s that is taken */
    int inner;      /* tests since the last renewal */
    cairn_divergence growth;
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_free(context, w->gamma);
    cairn_free(context, w->gradient);
    cairn_free(context, w->frozen);
    cairn_free(context, w->direction);
    cairn_free(context, w->image);
    cairn_free(context, w->metric);
    cairn_divergence_free(context, &w->growth);
    cairn_free(context, w);
}

static cairn_status prepare(cairn_run *run, void **out) {
    size_t m = (size_t)run->problem->m;
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->gamma = cairn_alloc(run->context, m, sizeof *w->gamma);
    w->gradient = cairn_alloc(run->context, m, sizeof *w->gradient);
    w->frozen = cairn_alloc(run->context, m, sizeof *w->frozen);
    w->direction = cairn_alloc(run->context, m, sizeof *w->direction);
    w->image = cairn_alloc(run->context, m, sizeof *w->image);
    w->metric = cairn_alloc(run->context, m, sizeof *w->metric);
    cairn_status status = cairn_divergence_create(run->context, run->problem->m, &w->growth);
    if (status != CAIRN_OK || w->gamma == NULL || w->gradient == NULL || w->frozen == NULL || w->direction == NULL ||
        w->image == NULL || w->metric == NULL) {
        release(run->context, w);
        return CAIRN_ERROR_MEMORY;
    }
    *out = w;
    return CAIRN_OK;
}

/* Forgets the past values of f: another s makes another f. */
static void forget(workspace *w) {
    w->past[0] = 0.0;
    w->filled = 1;
    w->next = 1;
}

/* g = N gamma + r^ + s. */
static void compute_gradient(cairn_run *run, workspace *w) {
    cairn_operator_product(run->op, w->gamma, w->gradient);
    for (int j = 0; j < run->problem->m; j++)
        w->gradient[j] += run->free_slip[j] + w->frozen[j];
}

static void begin(cairn_run *run, workspace *w) {
    int m = run->problem->m;
    double largest = 0.0;
    memset(w->gamma, 0, (size_t)m * sizeof *w->gamma);
    memset(w->frozen, 0, (size_t)m * sizeof *w->frozen);
    if (run->guess != NULL)
        cairn_run_project(run, false, run->guess, w->gamma);
    for (int j = 0; j < m; j++) {
        w->metric[j] = run->settings->precondition ? 1.0 / run->row_scale[j] : 1.0;
        largest = fmax(largest, w->metric[j] * run->row_scale[j]);
    }
    w->alpha = w->alpha_first = largest > 0.0 ? 1.0 / largest : 1.0;
    w->renewal = 1.0;
    w->inner = 0;
    compute_gradient(run, w);
    cairn_run_phi(run, w->gradient, w->frozen);
    for (int j = 0; j < m; j++)
        w->gradient[j] += w->frozen[j];
    forget(w);
    cairn_divergence_begin(&w->growth, run, w->gamma);
}

/* Step length along d, from f's slope and curvature; moves the past values of f by the change of
 * the present one. */
static double search(const cairn_run *run, workspace *w, double slope, double curvature) {
    int memory = run->settings->history;
    double most = w->past[0], lambda = 1.0;
    for (int i = 1; i < w->filled; i++)
        most = fmax(most, w->past[i]);
    if (slope + 0.5 * curvature > most + SUFFICIENT * slope && curvature > 0.0)
        lambda = fmin(1.0, -slope / curvature);
    double change = lambda * (slope + 0.5 * lambda * curvature);
    for (int i = 0; i < w->filled; i++)
        w->past[i] -= change;
    w->past[w->next % memory] = 0.0;
    w->next = (w->next + 1) % memory;
    w->filled = w->filled < memory ? w->filled + 1 : memory;
    return lambda;
}

/* One iteration. False when d = 0: gamma is an answer of the frozen problem to rounding. */
static bool step(cairn_run *run, workspace *w) {
    int m = run->problem->m;
    double slope = 0.0, curvature = 0.0, length = 0.0, image = 0.0, dual = 0.0, primal = 0.0;
    for (int j = 0; j < m; j++)
        w->direction[j] = w->gamma[j] - w->alpha * w->metric[j] * w->gradient[j];
    cairn_run_project(run, false, w->direction, w->direction);
    for (int j = 0; j < m; j++)
        w->direction[j] -= w->gamma[j];
    cairn_operator_product(run->op, w->direction, w->image);
    for (int j = 0; j < m; j++) {
        double d = w->direction[j], Nd = w->image[j], M = w->metric[j];
        slope += w->gradient[j] * d;
        curvature += d * Nd;
        length += d * d / M;
        image += Nd * M * Nd;
        primal = fmax(primal, fabs(d));
        dual = fmax(dual, fabs(d) / (M * w->alpha));
    }
    run->dual = dual;
    if (!(length > 0.0)) {
        run->primal = 0.0;
        return false;
    }
    slope = fmin(slope, -length / w->alpha);
    double lambda = search(run, w, slope, curvature);
    for (int j = 0; j < m; j++) {
        w->gamma[j] += lambda * w->direction[j];
        w->gradient[j] += lambda * w->image[j];
    }
    run->primal = lambda * primal;
    double alpha = run->iterations % 2 == 0 ? length / curvature : curvature / image;
    double low = w->alpha_first / ALPHA_RANGE, high = w->alpha_first * ALPHA_RANGE;
    w->alpha = curvature > 0.0 && isfinite(alpha) ? fmin(high, fmax(low, alpha)) : fmin(high, 10.0 * w->alpha);
    return true;
}

/* After a test: g from the u just computed, and s renewed when it is time. */
static void renew(cairn_run *run, workspace *w) {
    int m = run->problem->m;
    double frozen = 0.0, change = 0.0, *next = w->image, *map = w->direction;
    for (int j = 0; j < m; j++) {
        w->gradient[j] = run->u[j] + w->frozen[j];
        map[j] = w->gamma[j] - w->gradient[j] / run->row_scale[j];
    }
    if (run->problem->law != CAIRN_LAW_COULOMB)
        return;
    cairn_run_project(run, false, map, map);
    cairn_run_phi(run, run->u, next);
    for (int j = 0; j < m; j++) {
        double n = run->row_scale[j], miss = w->gamma[j] - map[j], move = next[j] - w->frozen[j];
        frozen += n * miss * miss;
        change += move * move / n;
    }
    if (frozen > 0.01 * change && ++w->inner < INNER_TESTS)
        return;
    w->inner = 0;
    for (int j = 0; j < m; j++) {
        double move = w->renewal * (next[j] - w->frozen[j]);
        w->frozen[j] += move;
        w->gradient[j] += move;
    }
    forget(w);
}

static void fall_back(cairn_run *run, workspace *w) {
    memcpy(w->gamma, run->best_gamma, (size_t)run->problem->m * sizeof *w->gamma);
    w->alpha = w->alpha_first;
    w->renewal = fmax(RENEWAL_MIN, 0.5 * w->renewal);
    w->inner = 0;
    compute_gradient(run, w);
    forget(w);
}

static cairn_status iterate(cairn_run *run, void *memory) {
    workspace *w = memory;
    double best = INFINITY;
    int waited = 0;
    begin(run, w);
    if (run->guess != NULL && cairn_run_test(run, w->gamma))
        return CAIRN_OK;
    for (;;) {
        bool down = step(run, w);
        run->rho = w->alpha;
        bool test = !down || (run->iterations + 1) % run->settings->test_every == 0;
        bool accepted = test && cairn_run_test(run, w->gamma);
        if (!cairn_run_tick(run, w->gamma, test) || accepted) {
            if (accepted)
                run->outcome = CAIRN_SOLVED;
            return CAIRN_OK;
        }
        if (!cairn_divergence_check(&w->growth, run, w->gamma))
            return CAIRN_OK;
        if (!test)
            continue;
        waited = run->last_map < best ? 0 : waited + 1;
        best = fmin(best, run->last_map);
        if (waited >= PATIENCE) {
            waited = 0;
            fall_back(run, w);
        } else {
            renew(run, w);
        }
        if (!down)
            w->alpha = w->alpha_first;
    }
}

const cairn_method cairn_method_spg = {
    .name = "spg",
    .summary = "preconditioned spectral projected gradients with fall-back",
    .paper = "P-SPG-FB, compared with in [T21] TEST 1 and TEST 2",
    .accepts = "every problem; made for symmetric ones",
    .options = "test_every precondition history",
    .defaults = "precondition=on",
    .prepare = prepare,
    .run = iterate,
    .release = release,
};
