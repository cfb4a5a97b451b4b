/*
 * judge.c: is this the exact answer of a problem whose free velocities differ by at most X? [certificate]
 *
 * An answer is held against up to three limits: X_c <= relative s_c of every component c, or the grain of its data, 16 eps (|D|'|H^-1 k| + |b|), where that is more: no
 * answer is better than its data; X in m/s; X of the rows in rad/s. Components are found from the patterns of D and H (of N in the local form). The filter speaks first where it
 * may; its figure is never below the truth, so what it lets pass has passed. What it refuses by a clear margin is refused, the rest goes to the reference.
 *
 * Not checked: that the answer is unique; that callbacks of custom sets tell the truth; that the problem holds every contact.
 */
#include "judge/judge.h"

#include "problem/components.h"
#include "problem/delassus/block_scales.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SPARE 0.01 /* of the limit in m/s: momentum that may be left where H couples bodies and v was given */
#define CLEAR 0.1  /* of the figure: rounding that is less does not matter to a refusal */

/* ---- creation ------------------------------------------------------------------------------------------------------- */
static void take(cairn_arena *arena, size_t size, int arrays, double **const *array) {
    for (int i = 0; i < arrays; i++)
        *array[i] = cairn_arena_take(arena, size, sizeof(double));
}

static void layout(cairn_judge *judge) {
    cairn_arena *a = &judge->arena;
    cairn_judge_mass *mass = &judge->mass;
    const cairn_problem *p = judge->problem;
    size_t n = (size_t)p->n, m = (size_t)p->m, blocks = (size_t)p->blocks, bodies = (size_t)p->bodies, entries = 0;
    for (int body = 0; body < p->bodies && !p->local; body++) {
        size_t size = (size_t)(p->body_start[body + 1] - p->body_start[body]);
        entries += size * size;
    }
    mass->inverse = cairn_arena_take(a, entries, sizeof *mass->inverse);
    judge->work = cairn_arena_take(a, 5 * n + 3 * m, sizeof *judge->work);
    take(a, entries, 1, (double **const[]){&mass->rounded});
    take(a, n, 4, (double **const[]){&mass->loose, &mass->reach, &judge->k, &judge->packed});
    take(a, m, 2, (double **const[]){&judge->b, &judge->kept});
    take(a, blocks, 3, (double **const[]){&judge->scale, &judge->free, &judge->grain});
    size_t begin = a->used;
    take(a, m, 3, (double **const[]){&judge->gamma, &judge->u, &judge->shift});
    take(a, n, 1, (double **const[]){&judge->v});
    take(a, blocks, 3, (double **const[]){&judge->error, &judge->turning, &judge->rounding});
    judge->answer_size = a->used - begin;
    judge->other = cairn_arena_take(a, judge->answer_size, 1);
    mass->start = cairn_arena_take(a, bodies, sizeof *mass->start);
    judge->component = cairn_arena_take(a, bodies + blocks, sizeof *judge->component);
    judge->parent = cairn_arena_take(a, bodies + blocks, sizeof *judge->parent);
    judge->left = cairn_arena_take(a, bodies, sizeof *judge->left);
}

static void find_sizes(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    judge->odd = false;
    for (int i = 0; i < p->blocks; i++) {
        judge->odd = judge->odd || p->block[i].set == CAIRN_SET_POLY_CONE || p->block[i].set == CAIRN_SET_CUSTOM;
        judge->widest = !p->local && p->body.width[i] > judge->widest ? p->body.width[i] : judge->widest;
        judge->tallest = p->block[i].dim > judge->tallest ? p->block[i].dim : judge->tallest;
    }
}

cairn_status cairn_judge_load(cairn_judge *judge, const cairn_problem *problem) {
    if (judge == NULL || problem == NULL || problem->context != judge->context)
        return cairn_fail(judge ? judge->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_judge_load: an argument is NULL, or the problem belongs to another context");
    cairn_judge_mass_free(judge);
    judge->problem = problem;
    judge->has_free = judge->scaled = judge->answered = false;
    judge->momentum = 0.0;
    judge->components = judge->widest = judge->tallest = 0;
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

/* ---- limits ----------------------------------------------------------------------------------------------------------- */
double cairn_judge_limit(const cairn_judge *judge, const cairn_limits *limits, int i, double own) {
    if (!(limits->relative > 0.0))
        return limits->velocity;
    int c = judge->component[i];
    bool blocks = c < judge->components;
    return fmax(limits->relative * fmax(blocks ? judge->free[c] : 0.0, own),
                fmax(blocks ? judge->grain[c] : 0.0, 16.0 * DBL_EPSILON * own));
}

/* X of block i, both kinds of rows and momentum counted, in the numbers of either unit. */
static double figure_of(const cairn_judge *judge, int i) {
    double linear = judge->error[i], turning = judge->turning[i];
    return (turning == 0.0 ? linear : hypot(linear, turning)) + judge->momentum;
}

/* Excess of block i over its limits. */
static double excess_of(const cairn_judge *judge, const cairn_limits *limits, int i) {
    double excess = 0.0;
    if (limits->relative > 0.0)
        excess = cairn_judge_over(figure_of(judge, i),
                                  cairn_judge_limit(judge, limits, judge->problem->bodies + i, 0.0));
    if (limits->velocity > 0.0)
        excess = cairn_judge_raise(excess, (judge->error[i] + judge->momentum) / limits->velocity);
    if (limits->angular > 0.0)
        excess = cairn_judge_raise(excess, judge->turning[i] / limits->angular);
    return isnan(excess) ? (double)INFINITY : excess;
}

/* ---- one question ----------------------------------------------------------------------------------------------------- */
static void find_free(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    size_t n = (size_t)p->n * sizeof(double), m = (size_t)p->m * sizeof(double);
    if (judge->has_free && memcmp(judge->k, p->k, n) == 0 && memcmp(judge->b, p->b, m) == 0)
        return;
    if (judge->components == 0)
        judge->components = cairn_components_find(p, judge->parent, judge->component);
    if (!cairn_judge_free_quick(judge))
        cairn_judge_free_exact(judge);
    memcpy(judge->k, p->k, n);
    memcpy(judge->b, p->b, m);
    judge->has_free = true;
}

/* The figures of the last answer. */
static void summarize(const cairn_judge *judge, const cairn_limits *limits, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    double sum = 0.0, worst = -1.0;
    *c = (cairn_certificate){.worst_block = -1,
                             .law = p->law,
                             .error = judge->momentum,
                             .relative = limits->relative > 0.0 ? 0.0 : (double)NAN,
                             .tolerance = limits->relative,
                             .tolerance_velocity = limits->velocity,
                             .tolerance_angular = limits->angular};
    for (int i = 0; i < p->blocks; i++) {
        double excess = excess_of(judge, limits, i), figure = figure_of(judge, i);
        c->error = cairn_judge_raise(c->error, judge->error[i] + judge->momentum);
        c->error_angular = cairn_judge_raise(c->error_angular, judge->turning[i]);
        c->excess = cairn_judge_raise(c->excess, excess);
        sum += figure * figure;
        double s = limits->relative > 0.0 ? judge->free[judge->component[p->bodies + i]] : 0.0;
        if (cairn_judge_over(figure, s) >= c->relative) {
            c->relative = cairn_judge_over(figure, s);
            c->scale = s;
        }
        if (excess > worst || (excess == worst && figure > figure_of(judge, c->worst_block))) {
            worst = excess;
            c->worst_block = i;
        }
    }
    c->rounding = c->worst_block >= 0 ? judge->rounding[c->worst_block] : 0.0;
    c->rms = p->blocks > 0 ? sqrt(sum / p->blocks) : 0.0;
    bool limited = limits->relative > 0.0 || limits->velocity > 0.0 || limits->angular > 0.0;
    c->certified = limited && c->excess <= 1.0;
}

/* What is said of numbers that are none. */
static void tell_broken(cairn_judge *judge, const cairn_limits *limits, cairn_certificate *c) {
    memset(judge->gamma, 0xff, judge->answer_size); /* NAN */
    for (int i = 0; i < judge->problem->blocks; i++)
        judge->error[i] = judge->turning[i] = judge->rounding[i] = INFINITY;
    summarize(judge, limits, c);
    c->error = c->relative = c->excess = c->rms = c->motion = INFINITY;
    c->certified = false;
}

/* One choice of points: the filter where it may speak and decides, else the reference. hint: v, or NULL. */
static void measure(cairn_judge *judge, const cairn_question *q, bool as_given, const double *hint,
                    cairn_certificate *c) {
    const cairn_judge_mass *m = &judge->mass;
    if (!judge->scaled && (!as_given || judge->odd)) {
        cairn_problem_scales(judge->problem, m->start, m->rounded, m->coupled ? &m->pieces : NULL, judge->scale);
        judge->scaled = true;
    }
    if (q->quick && cairn_judge_measure_quick(judge, as_given, hint, q->gamma)) {
        summarize(judge, &q->limits, c);
        if (c->certified || c->rounding <= CLEAR * c->error)
            return;
    }
    cairn_judge_measure_exact(judge, as_given, hint, q->gamma);
    summarize(judge, &q->limits, c);
}

cairn_status cairn_judge_decide(cairn_judge *judge, const cairn_question *q, cairn_certificate *certificate) {
    const cairn_problem *p = judge->problem;
    size_t m = (size_t)p->m * sizeof *q->gamma;
    bool in_velocity = q->limits.velocity > 0.0 && q->limits.relative == 0.0 && q->v != NULL && !q->report;
    bool known = q->measured && judge->answered && !judge->mass.coupled && memcmp(q->gamma, judge->gamma, m) == 0;
    judge->spare = in_velocity ? SPARE * q->limits.velocity : 0.0;
    cairn_status status = in_velocity ? CAIRN_OK : cairn_judge_mass_factor(judge);
    if (status != CAIRN_OK)
        return status;
    if (q->limits.relative > 0.0)
        find_free(judge);
    judge->answered = cairn_within(DBL_MAX, p->m, q->gamma) && cairn_within(DBL_MAX, p->n, q->v);
    if (!judge->answered) {
        tell_broken(judge, &q->limits, certificate);
        return CAIRN_OK;
    }
    bool as_given = known || !q->near;
    const double *hint = known ? judge->v : q->report ? NULL : q->v;
    if (known)
        summarize(judge, &q->limits, certificate);
    else
        measure(judge, q, as_given, hint, certificate);
    if (certificate->certified && q->quick && !q->report)
        return CAIRN_OK;
    const cairn_certificate first = *certificate; /* the other points may be better */
    const double momentum = judge->momentum;
    memcpy(judge->other, judge->gamma, judge->answer_size);
    measure(judge, q, !as_given, hint, certificate);
    bool same = (q->report || !q->quick) && first.certified == certificate->certified;
    bool back = same ? first.error <= 1.0001 * certificate->error : first.excess <= certificate->excess;
    if (back) {
        memcpy(judge->gamma, judge->other, judge->answer_size);
        judge->momentum = momentum;
        *certificate = first;
    }
    return CAIRN_OK;
}
