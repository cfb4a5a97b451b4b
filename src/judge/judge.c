/*
 * judge.c: the public questions: is this the exact answer of a problem whose free velocities differ by at most X? [certificate]
 *
 * An answer is held against up to three limits: X_c <= relative s_c of every component c, or the grain of its data, 16 eps (|D|'|H^-1 k| + |b|), where that is more: no
 * answer is better than its data; X in m/s; X of the rows in rad/s. Components are found from the patterns of D and H (of N in the local form). The filter speaks first where it
 * may; its figure is never below the truth, so what it lets pass has passed. What it refuses by a clear margin is refused, the rest goes to the reference.
 *
 * Not checked: that the answer is unique; that callbacks of custom sets tell the truth; that the problem holds every contact.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SPARE \
    0.01 /* of the limit in m/s: what is left of momentum where H couples bodies and v was given needs no factor */
#define CLEAR 0.1 /* of the figure: rounding that is less does not matter to a refusal */

/* ---- creation ------------------------------------------------------------------------------------------------------- */

static size_t inverse_entries(const cairn_problem *p) {
    size_t entries = 0;
    for (int body = 0; body < p->bodies && !p->local; body++) {
        size_t size = (size_t)(p->body_start[body + 1] - p->body_start[body]);
        entries += size * size;
    }
    return entries;
}

static void layout(cairn_judge *judge) {
    cairn_arena *a = &judge->arena;
    const cairn_problem *p = judge->problem;
    size_t n = (size_t)p->n, m = (size_t)p->m, blocks = (size_t)p->blocks, bodies = (size_t)p->bodies;
    size_t inverse = inverse_entries(p), real = sizeof(double), more = sizeof(long double);
    judge->mass.start = cairn_arena_take(a, bodies + 1, sizeof *judge->mass.start);
    judge->mass.inverse = cairn_arena_take(a, inverse, more);
    judge->mass.slack = cairn_arena_take(a, inverse, more);
    judge->mass.rounded = cairn_arena_take(a, inverse, real);
    judge->mass.loose = cairn_arena_take(a, inverse, real);
    judge->scale = cairn_arena_take(a, blocks, real);
    judge->component = cairn_arena_take(a, bodies + blocks, sizeof *judge->component);
    judge->terms = cairn_arena_take(a, bodies, sizeof *judge->terms);
    judge->parent = cairn_arena_take(a, bodies + blocks, sizeof *judge->parent);
    judge->k = cairn_arena_take(a, n, real);
    judge->b = cairn_arena_take(a, m, real);
    judge->free = cairn_arena_take(a, blocks, real);
    judge->grain = cairn_arena_take(a, blocks, real);
    judge->gamma = cairn_arena_take(a, m, real);
    judge->u = cairn_arena_take(a, m, real);
    judge->shift = cairn_arena_take(a, m, real);
    judge->v = cairn_arena_take(a, n, real);
    judge->error = cairn_arena_take(a, blocks, real);
    judge->turning = cairn_arena_take(a, blocks, real);
    judge->rounding = cairn_arena_take(a, blocks, real);
    judge->packed = cairn_arena_take(a, n, real);
    judge->kept = cairn_arena_take(a, m, real);
    judge->mass.reach = cairn_arena_take(a, n, real);
    judge->state = cairn_arena_take(a, blocks, 1);
    judge->work = cairn_arena_take(a, 5 * n + 3 * m, more);
}

static int root_of(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int a, int b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Joins what H couples, or N: bodies, then blocks. block_of (m): whose row it is, local form only. */
static void join_all(const cairn_problem *p, int *parent) {
    for (int i = 0; i < p->blocks && !p->local; i++)
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++)
            join(parent, p->bodies + i, p->body.touch[t]);
    for (int body = 0; body < p->bodies && !p->local && !p->block_diagonal; body++)
        for (int e = p->A.start[p->body_start[body]]; e < p->A.start[p->body_start[body + 1]]; e++)
            join(parent, body, p->body.body_of[p->A.index[e]]);
    for (int i = 0; i < p->blocks && p->local; i++)
        for (int e = p->A.start[p->block_start[i]]; e < p->A.start[p->block_start[i + 1]]; e++) {
            int lo = 0, hi = p->blocks - 1, row = p->A.index[e];
            while (lo < hi) {
                int mid = (lo + hi + 1) / 2;
                if (p->block_start[mid] <= row)
                    lo = mid;
                else
                    hi = mid - 1;
            }
            join(parent, p->bodies + i, p->bodies + lo);
        }
}

static void find_components(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    int *parent = judge->parent, all = p->bodies + p->blocks;
    for (int i = 0; i < all; i++)
        parent[i] = i;
    join_all(p, parent);
    judge->others = 0;
    for (int i = 0; i < all; i++)
        judge->component[i] = root_of(parent, i);
    for (int i = 0; i < all; i++) /* from here on the place of a root holds its number */
        parent[i] = -1;
    judge->components = 0;
    for (int i = p->bodies; i < p->bodies + all; i++) { /* blocks first: a body without any has a number past theirs */
        int at = i < all ? i : i - all;
        bool first = parent[judge->component[at]] < 0;
        if (i == all)
            judge->components = judge->others;
        if (first)
            parent[judge->component[at]] = judge->others++;
        judge->component[at] = parent[judge->component[at]];
    }
    if (p->bodies == 0)
        judge->components = judge->others;
}

static void find_sizes(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    judge->widest = 0;
    judge->odd = false;
    for (int i = 0; i < p->blocks; i++)
        judge->odd = judge->odd || p->block[i].set == CAIRN_SET_POLY_CONE || p->block[i].set == CAIRN_SET_CUSTOM;
    for (int body = 0; body < p->bodies; body++)
        judge->terms[body] = 0;
    for (int i = 0; i < p->blocks && !p->local; i++) {
        judge->widest = p->body.width[i] > judge->widest ? p->body.width[i] : judge->widest;
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++)
            judge->terms[p->body.touch[t]] += p->block[i].dim;
    }
}

cairn_status cairn_judge_load(cairn_judge *judge, const cairn_problem *problem) {
    if (judge == NULL || problem == NULL || problem->context != judge->context)
        return cairn_fail(judge ? judge->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_judge_load: an argument is NULL, or the problem belongs to another context");
    cairn_judge_mass_free(judge);
    judge->problem = problem;
    judge->has_free = false;
    judge->momentum = 0.0; /* the local form has none */
    judge->components = 0;
    judge->arena.used = 0;
    char *memory = judge->arena.base;
    judge->arena.base = NULL;
    layout(judge);
    judge->arena.base = memory;
    cairn_status status = cairn_arena_reserve_raw(judge->context, &judge->arena);
    if (status == CAIRN_OK) {
        layout(judge);
        find_sizes(judge);
        status = cairn_judge_mass_make(judge);
    }
    if (status != CAIRN_OK)
        judge->problem = NULL;
    return status;
}

cairn_status cairn_judge_create(const cairn_problem *problem, cairn_judge **judge) {
    if (problem == NULL || judge == NULL)
        return cairn_fail(problem ? problem->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_judge_create: an argument is NULL");
    cairn_judge *made = cairn_alloc(problem->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->context = problem->context;
    cairn_status status = cairn_judge_load(made, problem);
    if (status == CAIRN_OK)
        *judge = made;
    else
        cairn_judge_destroy(made);
    return status;
}

void cairn_judge_destroy(cairn_judge *judge) {
    if (judge == NULL)
        return;
    cairn_context *context = judge->context;
    cairn_judge_mass_free(judge);
    cairn_arena_free(context, &judge->arena);
    cairn_free(context, judge);
}

/* ---- one question --------------------------------------------------------------------------------------------------- */

static void find_free(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    size_t n = (size_t)p->n * sizeof(double), m = (size_t)p->m * sizeof(double);
    if (judge->has_free && memcmp(judge->k, p->k, n) == 0 && memcmp(judge->b, p->b, m) == 0)
        return;
    if (judge->components == 0)
        find_components(judge);
    cairn_judge_measure_free(judge);
    memcpy(judge->k, p->k, n);
    memcpy(judge->b, p->b, m);
    judge->has_free = true;
}

static double at_least(double x, double y) { /* a NAN stays */
    return x <= y ? y : x;
}

/* Figure over limit: at most 1 passes. Nothing is within a limit of 0 but 0. */
static double over(double figure, double limit) {
    return figure == 0.0 ? 0.0 : limit > 0.0 ? figure / limit : (double)INFINITY;
}

/* X of block i, both kinds of rows and momentum counted, in the numbers of either unit. */
static double figure_of(const cairn_judge *judge, int i) {
    bool mixed = judge->problem->angular != NULL;
    double linear = judge->error[i], turning = mixed ? judge->turning[i] : 0.0;
    return (turning == 0.0 ? linear : hypot(linear, turning)) + judge->momentum;
}

/* Excess of block i over its limits. */
static double excess_of(const cairn_judge *judge, const cairn_limits *limits, int i) {
    double excess = 0.0;
    if (limits->relative > 0.0) {
        int c = judge->component[judge->problem->bodies + i];
        excess = over(figure_of(judge, i), at_least(limits->relative * judge->free[c], judge->grain[c]));
    }
    if (limits->velocity > 0.0)
        excess = at_least(excess, (judge->error[i] + judge->momentum) / limits->velocity);
    if (limits->angular > 0.0 && judge->problem->angular != NULL)
        excess = at_least(excess, judge->turning[i] / limits->angular);
    return isnan(excess) ? (double)INFINITY : excess;
}

static void tell_worst(const cairn_judge *judge, int i, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    c->worst_block = i;
    c->rounding = judge->rounding[i];
    for (int r = 0; r < 3; r++) {
        bool has = r < p->block[i].dim;
        int row = p->block_start[i] + r;
        c->worst_gamma[r] = has ? judge->gamma[row] : 0.0;
        c->worst_u[r] = has ? judge->u[row] : 0.0;
        c->worst_shift[r] = has ? judge->shift[row] : 0.0;
    }
}

/* The figures of the last answer. */
static void summarize(const cairn_judge *judge, const cairn_limits *limits, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    double sum = 0.0, worst = -1.0;
    *c = (cairn_certificate){.worst_block = -1, .law = p->law, .relative = limits->relative > 0.0 ? 0.0 : (double)NAN};
    c->tolerance = limits->relative;
    c->tolerance_velocity = limits->velocity;
    c->tolerance_angular = limits->angular;
    for (int i = 0; i < p->blocks; i++) {
        double excess = excess_of(judge, limits, i), figure = figure_of(judge, i);
        c->error = at_least(c->error, judge->error[i] + judge->momentum);
        if (p->angular != NULL)
            c->error_angular = at_least(c->error_angular, judge->turning[i]);
        c->excess = at_least(c->excess, excess);
        sum += figure * figure;
        if (limits->relative > 0.0) {
            double s = judge->free[judge->component[p->bodies + i]], ratio = over(figure, s);
            if (ratio >= c->relative) {
                c->relative = ratio;
                c->scale = s;
            }
        }
        if (excess > worst || (excess == worst && figure > figure_of(judge, c->worst_block))) {
            worst = excess;
            tell_worst(judge, i, c);
        }
        if (p->block[i].set == CAIRN_SET_POLY_CONE && p->block[i].directions > c->directions)
            c->directions = p->block[i].directions;
    }
    if (p->blocks == 0)
        c->error = judge->momentum;
    c->rms = p->blocks > 0 ? sqrt(sum / p->blocks) : 0.0;
    c->natural_map = c->plain = c->natural_map_round = NAN;
    bool limited = limits->relative > 0.0 || limits->velocity > 0.0 || limits->angular > 0.0;
    c->certified = limited && c->excess <= 1.0;
}

static bool all_finite(int count, const double *x) {
    for (int i = 0; i < count && x != NULL; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* What is said of numbers that are none. */
static void tell_broken(cairn_judge *judge, const cairn_limits *limits, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    double none = INFINITY;
    *c = (cairn_certificate){.worst_block = p->blocks > 0 ? 0 : -1, .law = p->law, .tolerance = limits->relative};
    c->error = c->relative = c->excess = c->rms = c->motion = none;
    c->natural_map = c->plain = c->natural_map_round = none;
    for (int j = 0; j < p->m; j++)
        judge->gamma[j] = judge->u[j] = judge->shift[j] = NAN;
    for (int j = 0; j < p->n; j++)
        judge->v[j] = NAN;
    for (int i = 0; i < p->blocks; i++)
        judge->error[i] = none;
}

/* Given impulses and a given v are held against the limits too: by how much they differ, in velocities, from what was judged. And other formulas. */
static void add_report(cairn_judge *judge, const cairn_question *q, cairn_certificate *c) {
    c->moved = cairn_judge_moved(judge, q->gamma, &q->limits, &c->excess);
    cairn_judge_natural_maps(judge, &c->natural_map, &c->plain, &c->natural_map_round);
    if (q->v != NULL && !judge->problem->local)
        c->motion = cairn_judge_motion(judge, q->v, q->gamma, &q->limits, &c->excess);
    c->excess = isnan(c->excess) ? (double)INFINITY : c->excess;
    c->certified = c->certified && c->excess <= 1.0;
}

/* Largest impulse that squares without overflow in double. */
static bool is_moderate(int count, const double *x) {
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= 1e100))
            return false;
    return true;
}

/* Measures one choice of points: the filter where it may speak and decides, else the reference. */
static void measure(cairn_judge *judge, const cairn_question *q, bool as_given, const double *gamma,
                    cairn_certificate *c) {
    const double *hint = q->report ? NULL : q->v;
    if (q->quick && !judge->mass.coupled && !judge->odd && is_moderate(judge->problem->m, gamma)) {
        cairn_judge_measure_quick(judge, as_given, hint, gamma);
        summarize(judge, &q->limits, c);
        if (c->certified || c->rounding <= CLEAR * c->error)
            return;
    }
    cairn_judge_measure_exact(judge, as_given, hint, gamma);
    summarize(judge, &q->limits, c);
}

cairn_status cairn_judge_ask(cairn_judge *judge, const cairn_question *question, cairn_certificate *certificate,
                             cairn_judged *judged) {
    if (judge == NULL || judge->problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    const cairn_problem *p = judge->problem;
    const cairn_limits *limits = question != NULL ? &question->limits : NULL;
    if (question == NULL || (question->gamma == NULL && p->m > 0) || certificate == NULL)
        return cairn_fail(judge->context, CAIRN_ERROR_ARGUMENT, "certificate: an argument is NULL");
    if (!(limits->relative >= 0.0 && limits->velocity >= 0.0 && limits->angular >= 0.0))
        return cairn_fail(judge->context, CAIRN_ERROR_ARGUMENT, "certificate: a tolerance is negative or not a number");
    if (judged != NULL)
        *judged = (cairn_judged){.gamma = judge->gamma,
                                 .u = judge->u,
                                 .v = p->local ? NULL : judge->v,
                                 .shift = judge->shift,
                                 .error = judge->error,
                                 .scale = judge->scale};
    if (!all_finite(p->m, question->gamma) || !all_finite(p->n, question->v)) {
        tell_broken(judge, limits, certificate);
        return CAIRN_OK;
    }
    bool in_velocity = limits->velocity > 0.0 && limits->relative == 0.0 && question->v != NULL && !question->report;
    judge->spare = in_velocity && judge->mass.coupled ? SPARE * limits->velocity : 0.0;
    cairn_status status = judge->mass.coupled && !in_velocity ? cairn_judge_mass_factor(judge) : CAIRN_OK;
    if (status != CAIRN_OK)
        return status;
    if (limits->relative > 0.0)
        find_free(judge);
    measure(judge, question, true, question->gamma, certificate);
    if (!certificate->certified || !question->quick) { /* points near by may be better */
        cairn_certificate given = *certificate;
        memcpy(judge->kept, judge->gamma, (size_t)p->m * sizeof *judge->kept);
        measure(judge, question, false, question->gamma, certificate);
        if (given.excess <= certificate->excess && !(question->quick && certificate->certified))
            measure(judge, question, true, judge->kept, certificate);
    }
    if (question->report)
        add_report(judge, question, certificate);
    return CAIRN_OK;
}

cairn_status cairn_judge_prepare(cairn_judge *judge) {
    if (judge == NULL || judge->problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    return judge->mass.coupled ? cairn_judge_mass_factor(judge) : CAIRN_OK;
}

cairn_status cairn_judge_run(cairn_judge *judge, const double *v, const double *gamma, double tolerance,
                             cairn_certificate *certificate, double *u_out, double *v_out) {
    if (judge == NULL || judge->problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (!(tolerance >= 0.0))
        return cairn_fail(judge->context, CAIRN_ERROR_ARGUMENT, "certificate: the tolerance is %g, expected >= 0",
                          tolerance);
    cairn_question question = {
        .v = v, .gamma = gamma, .limits = {.relative = fmax(tolerance, DBL_MIN)}, .report = true};
    cairn_status status = cairn_judge_ask(judge, &question, certificate, NULL);
    if (status != CAIRN_OK)
        return status;
    certificate->tolerance = tolerance;
    const cairn_problem *p = judge->problem;
    if ((u_out != NULL || v_out != NULL) && all_finite(p->m, gamma)) {
        cairn_judge_velocities(judge, gamma, u_out, v_out);
        return CAIRN_OK;
    }
    for (int j = 0; j < p->m && u_out != NULL; j++)
        u_out[j] = NAN;
    for (int j = 0; j < p->n && v_out != NULL; j++)
        v_out[j] = NAN;
    return CAIRN_OK;
}

cairn_status cairn_certify(const cairn_problem *problem, const double *v, const double *gamma, double tolerance,
                           cairn_certificate *certificate, double *u_out, double *v_out) {
    if (problem == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_judge *judge = NULL;
    cairn_status status = cairn_judge_create(problem, &judge);
    if (status == CAIRN_OK)
        status = cairn_judge_run(judge, v, gamma, tolerance, certificate, u_out, v_out);
    cairn_judge_destroy(judge);
    return status;
}
