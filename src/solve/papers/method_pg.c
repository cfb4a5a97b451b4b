/*
 * method_pg.c: pg and apgd, projected gradients on the impulses, plain and accelerated [AC].
 *
 *     min f = 1/2 gamma'N gamma + (r^ + Phi(s))'gamma over the sets                                       [AC (8)]
 *     y = gamma_{k-1} + (k-2)/(k+1) (gamma_{k-1} - gamma_{k-2})   (pg: y = gamma_{k-1})                   [AC (9a)]
 *     gamma_k = P(y - rho_k M (N y + r^ + Phi))                                                           [AC (9b)]
 *
 * step_update=fixed, ratio1, ratio2: M = I, first step by one of seven rules [AC (13)-(19)]
 * (penalty_rule.c), changed by [AC algorithm 2] at gamma_{k-1} with [AC (20)] or [AC (21)].
 * stop=paper ends at the metric [AC (10)], under the exact law at [AC (22)] around it
 * [AC algorithm 3] (slip_term.c). A fixed step above 2/l_max(N) may diverge, which is an honest
 * failure.
 *
 * step_update=adaptive, the form used in practice: M = 1/n_i (precondition) or I; the step is cut
 * until d'N d <= d'M^-1 d/rho, d the step taken, and grows by GROW an iteration (pg), or with every
 * restart (apgd, because a growing step breaks its momentum); apgd forgets its momentum when the
 * step points uphill, (N y + r^ + Phi)'(gamma_k - gamma_{k-1}) > 0. The best iterate is kept by the
 * driver in every form.
 *
 * N is applied once per iteration: products of y follow from those of the iterates, and are renewed
 * whenever the certificate is looked at. primal: largest change of an impulse; dual: that over rho
 * M. For unsymmetric N nothing is promised.
 */
#include "solve/infeasible/divergence.h"
#include "solve/papers/penalty_rule.h"
#include "solve/papers/slip_term.h"

#include <math.h>
#include <string.h>

#define GROW        1.1
#define CUTS_MAX    200
#define STEP_RANGE  1e12 /* the step stays within this factor of its first value */
#define PAPER_EVERY 100  /* stop=paper: iterations between two looks at the natural map */

/* Vectors of m rows. */
typedef struct workspace {
    cairn_arena arena;
    cairn_divergence growth;
    cairn_slip_term term;
    bool accelerated, adaptive;
    double first, step;     /* rho of the rule, rho_k */
    int k;                  /* iterations since the momentum was forgotten */
    double *weight;         /* M^-1: n_i or 1 */
    double *gamma, *before; /* gamma_{k-1}, gamma_{k-2} */
    double *image, *image_before;
    double *y, *image_y; /* extrapolated point, N y */
    double *next, *image_next;
    double *trial, *change; /* work */
} workspace;

static const char *refuses(const cairn_problem *problem, const cairn_settings *settings) {
    return settings->step_update == CAIRN_UPDATE_ADAPTIVE ? NULL : cairn_penalty_refuses(problem, settings->step_size);
}

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_divergence_free(context, &w->growth);
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void layout(workspace *w, const cairn_problem *problem) {
    double **of_m[] = {&w->weight,  &w->gamma, &w->before,     &w->image, &w->image_before, &w->y,
                       &w->image_y, &w->next,  &w->image_next, &w->trial, &w->change};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = cairn_arena_take(&w->arena, (size_t)problem->m, sizeof(double));
    cairn_slip_term_layout(&w->term, &w->arena, problem);
}

static cairn_status prepare(cairn_run *run, bool accelerated, void **out) {
    const cairn_settings *settings = run->settings;
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    w->accelerated = accelerated;
    w->adaptive = settings->step_update == CAIRN_UPDATE_ADAPTIVE;
    layout(w, run->problem);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status == CAIRN_OK) {
        layout(w, run->problem);
        status = cairn_divergence_create(run->context, run->problem->m, &w->growth);
    }
    double largest = 0.0;
    for (int j = 0; status == CAIRN_OK && j < run->problem->m; j++) {
        w->weight[j] = w->adaptive && settings->precondition ? run->row_scale[j] : 1.0;
        largest = fmax(largest, run->row_scale[j] / w->weight[j]);
    }
    w->first = largest > 0.0 ? 1.0 / largest : 1.0;
    if (status == CAIRN_OK && !w->adaptive)
        status = cairn_penalty_value(run, settings->step_size, &w->first);
    if (status != CAIRN_OK) {
        release(run->context, w);
        return status;
    }
    *out = w;
    return CAIRN_OK;
}

static cairn_status prepare_plain(cairn_run *run, void **out) {
    return prepare(run, false, out);
}

static cairn_status prepare_accelerated(cairn_run *run, void **out) {
    return prepare(run, true, out);
}

/* gamma_{k-2} = gamma_{k-1}: the momentum begins anew. */
static void forget(const cairn_run *run, workspace *w) {
    size_t bytes = (size_t)run->problem->m * sizeof(double);
    memcpy(w->before, w->gamma, bytes);
    memcpy(w->image_before, w->image, bytes);
    w->k = 1;
}

static void begin(cairn_run *run, workspace *w) {
    memset(w->gamma, 0, (size_t)run->problem->m * sizeof(double));
    cairn_slip_term_begin(run, &w->term);
    if (run->guess != NULL)
        cairn_run_project(run, false, run->guess, w->gamma);
    cairn_operator_product(run->op, w->gamma, w->image);
    if (run->guess != NULL && run->settings->s_update != CAIRN_S_NONE) {
        for (int j = 0; j < run->problem->m; j++)
            w->trial[j] = w->image[j] + run->free_slip[j];
        cairn_run_phi(run, w->trial, w->term.phi);
    }
    w->step = w->first;
    forget(run, w);
    cairn_divergence_begin(&w->growth, run, w->gamma);
}

/* to = P(from - step M (image + r^ + Phi)), image = N from. No aliasing. */
static void descend(const cairn_run *run, const workspace *w, double step, const double *from, const double *image,
                    double *to) {
    for (int j = 0; j < run->problem->m; j++)
        to[j] = from[j] - step * (image[j] + run->free_slip[j] + w->term.phi[j]) / w->weight[j];
    cairn_run_project(run, false, to, to);
}

/* With d = to - from: change = d and, by one product, out = N d; d'M^-1 d, d'N d, |N d|^2. */
static void measure(const cairn_run *run, workspace *w, const double *from, const double *to, double *out, double *dd,
                    double *dNd, double *square) {
    *dd = *dNd = *square = 0.0;
    for (int j = 0; j < run->problem->m; j++)
        w->change[j] = to[j] - from[j];
    cairn_operator_product(run->op, w->change, out);
    for (int j = 0; j < run->problem->m; j++) {
        *dd += w->weight[j] * w->change[j] * w->change[j];
        *dNd += w->change[j] * out[j];
        *square += out[j] * out[j];
    }
}

/* [AC algorithm 2] at gamma_{k-1}; trial and image_next are work. */
static void update_by_ratio(const cairn_run *run, workspace *w) {
    const cairn_settings *settings = run->settings;
    double ratio = 0.0;
    for (int cut = 0; cut < CUTS_MAX; cut++) {
        double dd, dNd, square;
        descend(run, w, w->step, w->gamma, w->image, w->trial);
        measure(run, w, w->gamma, w->trial, w->image_next, &dd, &dNd, &square);
        if (!(dd > 0.0))
            return; /* no step, no ratio */
        ratio = w->step * (settings->step_update == CAIRN_UPDATE_RATIO1 ? sqrt(square / dd) : dNd / dd);
        if (!(ratio > settings->ratio_max))
            break;
        w->step *= settings->ratio_shrink;
    }
    if (ratio < settings->ratio_min && w->step < STEP_RANGE * w->first)
        w->step /= settings->ratio_shrink;
}

/* next and N next from y, by the adaptive step. */
static void adaptive_step(const cairn_run *run, workspace *w) {
    int m = run->problem->m;
    for (int cut = 0; cut < CUTS_MAX; cut++) {
        double dd, dNd, square;
        descend(run, w, w->step, w->y, w->image_y, w->next);
        measure(run, w, w->y, w->next, w->trial, &dd, &dNd, &square);
        if (!(dNd > dd / w->step) || !(dd > 0.0))
            break;
        w->step = fmin(run->settings->ratio_shrink * w->step, dd / dNd);
    }
    for (int j = 0; j < m; j++)
        w->image_next[j] = w->image_y[j] + w->trial[j];
}

/* One iteration: next, N next, residuals. True when the step from gamma points uphill at y. */
static bool iterate(cairn_run *run, workspace *w) {
    int m = run->problem->m;
    double beta = w->accelerated ? (w->k - 2.0) / (w->k + 1.0) : 0.0, slope = 0.0, primal = 0.0, dual = 0.0;
    if (run->settings->step_update == CAIRN_UPDATE_RATIO1 || run->settings->step_update == CAIRN_UPDATE_RATIO2)
        update_by_ratio(run, w);
    for (int j = 0; j < m; j++) {
        w->y[j] = w->gamma[j] + beta * (w->gamma[j] - w->before[j]);
        w->image_y[j] = w->image[j] + beta * (w->image[j] - w->image_before[j]);
    }
    if (w->adaptive) {
        adaptive_step(run, w);
    } else {
        descend(run, w, w->step, w->y, w->image_y, w->next);
        cairn_operator_product(run->op, w->next, w->image_next);
    }
    for (int j = 0; j < m; j++) {
        double d = w->next[j] - w->gamma[j];
        slope += (w->image_y[j] + run->free_slip[j] + w->term.phi[j]) * d;
        primal = fmax(primal, fabs(d));
        dual = fmax(dual, fabs(d) * w->weight[j]);
    }
    run->primal = primal;
    run->dual = dual / w->step;
    run->rho = w->step;
    return slope > 0.0;
}

/* gamma_k becomes gamma_{k-1}. */
static void advance(workspace *w) {
    double *gamma = w->before, *image = w->image_before;
    w->before = w->gamma;
    w->image_before = w->image;
    w->gamma = w->next;
    w->image = w->image_next;
    w->next = gamma;
    w->image_next = image;
    w->k++;
}

/* The metric of [AC (10)] at gamma. */
static double metric(const cairn_run *run, workspace *w) {
    int m = run->problem->m;
    double g = run->settings->g_d, square = 0.0;
    for (int j = 0; j < m; j++)
        w->trial[j] = w->gamma[j] - g * (w->image[j] + run->free_slip[j] + w->term.phi[j]);
    cairn_run_project(run, false, w->trial, w->trial);
    for (int j = 0; j < m; j++)
        square += (w->gamma[j] - w->trial[j]) * (w->gamma[j] - w->trial[j]);
    return sqrt(square) / (m * g);
}

/* N gamma from the test just made. N gamma_{k-2} moves by the same, or the momentum would feed
 * on the difference. */
static void renew_image(const cairn_run *run, workspace *w) {
    for (int j = 0; j < run->problem->m; j++) {
        double drift = run->u[j] - run->free_slip[j] - w->image[j];
        w->image[j] += drift;
        w->image_before[j] += drift;
    }
}

/* Renews s. True when the method has nothing more to offer. */
static bool renew(cairn_run *run, workspace *w, bool tested, bool *fresh) {
    bool by_paper = run->settings->stop == CAIRN_STOP_PAPER;
    bool done = by_paper && metric(run, w) < run->settings->eps_metric;
    for (int j = 0; j < run->problem->m && cairn_slip_term_reads(run, &w->term, done); j++)
        w->trial[j] = w->image[j] + run->free_slip[j];
    if (by_paper)
        return cairn_slip_term_paper(run, &w->term, done, w->trial, fresh);
    return cairn_slip_term_certificate(run, &w->term, tested, w->gamma, w->trial, fresh);
}

static cairn_status run_gradient(cairn_run *run, void *memory) {
    workspace *w = memory;
    const cairn_settings *settings = run->settings;
    bool by_paper = settings->stop == CAIRN_STOP_PAPER;
    begin(run, w);
    if (run->guess != NULL && cairn_run_test(run, w->gamma))
        return CAIRN_OK;
    for (;;) {
        bool fresh = false, uphill = iterate(run, w);
        advance(w);
        bool over = by_paper && renew(run, w, false, &fresh);
        int count = run->iterations + 1;
        bool test = over || count == settings->max_iterations ||
                    count % (by_paper ? PAPER_EVERY : settings->test_every) == 0;
        bool accepted = test && cairn_run_test(run, w->gamma);
        if (test)
            renew_image(run, w);
        if (!by_paper && !accepted)
            over = renew(run, w, test, &fresh);
        if (!cairn_run_tick(run, w->gamma, test))
            return CAIRN_OK;
        if (over) {
            cairn_slip_term_end(run, &w->term);
            return CAIRN_OK;
        }
        if (!cairn_divergence_check(&w->growth, run, w->gamma))
            return CAIRN_OK;
        bool restart = uphill && w->adaptive && settings->gradient_restart;
        if (fresh || restart)
            forget(run, w);
        if (w->adaptive && (restart || !w->accelerated) && w->step < STEP_RANGE * w->first)
            w->step *= GROW;
    }
}

#define PG_OPTIONS \
    "test_every s_update stop eps_external step_size step_update ratio_max ratio_min ratio_shrink g_d eps_metric " \
    "precondition"

const cairn_method cairn_method_pg = {
    .name = "pg",
    .summary = "projected gradients on impulses: seven step sizes, three updates, or an adaptive step",
    .paper = "[AC], baseline of Algorithm 1",
    .accepts = "every problem; made for symmetric ones",
    .options = PG_OPTIONS,
    .defaults = "precondition=on",
    .refuses = refuses,
    .prepare = prepare_plain,
    .run = run_gradient,
    .release = release,
};

const cairn_method cairn_method_apgd = {
    .name = "apgd",
    .summary = "the same, accelerated; restarted where the momentum points uphill",
    .paper = "[AC] Algorithms 1-3, (6)-(22)",
    .accepts = "every problem; made for symmetric ones",
    .options = PG_OPTIONS " gradient_restart",
    .defaults = "precondition=on",
    .refuses = refuses,
    .prepare = prepare_accelerated,
    .run = run_gradient,
    .release = release,
};
