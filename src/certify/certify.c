/*
 * certify.c: the judge's public questions, and what a report has beside the backward error.
 *
 * The judge measures the points of the graph that it took, and they alone decide about X
 * [certificate]. A report also compares what was given with what was judged, so that no other
 * impulses and no other motion pass in their name, and tells the formulas of other programs, which
 * decide nothing.
 */
#include "judge/judge.h"
#include "problem/natural_map.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    cairn_judge_mass_free(judge);
    cairn_factor_cache_empty(&judge->mass.cache);
    cairn_arena_free(judge->context, &judge->arena);
    cairn_free(judge->context, judge);
}

static void raise(double figure, double limit, double *worst, double *excess) {
    figure = isnan(figure) ? (double)INFINITY : figure;
    *worst = cairn_judge_raise(*worst, figure);
    *excess = cairn_judge_raise(*excess, cairn_judge_over(figure, limit));
}

/* Given impulses are held against the limits too: by how much their velocities differ from those
 * that were judged. */
static void compare_impulses(cairn_judge *judge, const cairn_question *q, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    const size_t size = (size_t)p->m * sizeof(double);
    const double *other = judge->other, *slip = other + (judge->u - judge->gamma),
                 *shift = other + (judge->shift - judge->gamma);
    double *u = judge->kept;
    if (p->m == 0 || memcmp(q->gamma, judge->gamma, size) == 0)
        return;
    if (memcmp(q->gamma, other, size) != 0)
        cairn_judge_velocities(judge, q->gamma, u, NULL);
    else /* the points that were not taken are these impulses, whose motion is known */
        for (int j = 0; j < p->m; j++)
            u[j] = slip[j] - shift[j];
    for (int i = 0; i < p->blocks; i++) {
        double square = 0.0;
        for (int r = p->block_start[i]; r < p->block_start[i + 1]; r++) {
            double d = u[r] - (judge->u[r] - judge->shift[r]); /* the velocity of the points' own motion */
            square += d * d;
        }
        raise(sqrt(square), cairn_judge_limit(judge, &q->limits, p->bodies + i, 0.0), &c->moved, &c->excess);
    }
}

/* And so is a given v: its distance from H^-1 (k + D gamma), each row by the largest entry of D
 * in it. */
static void compare_motion(cairn_judge *judge, const cairn_question *q, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    double *v = judge->packed, *reach = judge->mass.reach;
    cairn_judge_velocities(judge, q->gamma, NULL, v);
    cairn_problem_reach(p, reach);
    for (int j = 0; j < p->n; j++)
        raise(fabs(q->v[j] - v[j]) * reach[j],
              cairn_judge_limit(judge, &q->limits, p->body.body_of[j], fabs(v[j]) * reach[j]), &c->motion, &c->excess);
}

/* What only a report has: comparisons, and the formulas of others. */
static void add_report(cairn_judge *judge, const cairn_question *q, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    double *r = judge->kept, *u = (double *)judge->work;
    compare_impulses(judge, q, c);
    if (q->v != NULL && !p->local)
        compare_motion(judge, q, c);
    c->certified = c->certified && c->excess <= 1.0;
    if (judge->mass.coupled)
        cairn_judge_velocities(judge, NULL, r, NULL);
    else
        cairn_judge_velocities_quick(judge, NULL, r, NULL);
    for (int j = 0; j < p->m; j++)
        u[j] = judge->u[j] - judge->shift[j];
    c->natural_map = cairn_natural_map(p, judge->scale, false, r, judge->gamma, u);
    c->natural_map_round = c->directions > 0 ? cairn_natural_map(p, judge->scale, true, r, judge->gamma, u)
                                             : c->natural_map;
    c->plain = cairn_natural_map(p, NULL, false, r, judge->gamma, u);
}

/* The worst block's numbers, and the most directions of a polyhedral cone. */
static void tell_blocks(const cairn_judge *judge, cairn_certificate *c) {
    const cairn_problem *p = judge->problem;
    int worst = c->worst_block;
    for (int r = 0; worst >= 0 && r < 3 && r < p->block[worst].dim; r++) {
        int row = p->block_start[worst] + r;
        c->worst_gamma[r] = judge->gamma[row];
        c->worst_u[r] = judge->u[row];
        c->worst_shift[r] = judge->shift[row];
    }
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set == CAIRN_SET_POLY_CONE && p->block[i].directions > c->directions)
            c->directions = p->block[i].directions;
    c->natural_map = c->plain = c->natural_map_round = isinf(c->motion) ? (double)INFINITY : (double)NAN;
}

/* Asks `question` and answers `asked`. */
static cairn_status decide(cairn_judge *judge, const cairn_question *question, const cairn_question *asked,
                           cairn_certificate *certificate) {
    cairn_status status = cairn_judge_decide(judge, question, certificate);
    if (status != CAIRN_OK)
        return status;
    tell_blocks(judge, certificate);
    if (asked->report && !isinf(certificate->motion)) /* numbers that are none have no motion */
        add_report(judge, asked, certificate);
    return CAIRN_OK;
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
        *judged = (cairn_judged){judge->gamma, judge->u, judge->shift, p->local ? NULL : judge->v, judge->error};
    cairn_status status = decide(judge, question, question, certificate);
    if (status != CAIRN_OK || !question->report || certificate->certified)
        return status;
    /* points that are better by themselves may be too far from the given impulses: these as they
     * are, which come first in a quick question */
    cairn_question quick = {.gamma = question->gamma, .limits = *limits, .quick = true};
    status = decide(judge, &quick, question, certificate);
    return status == CAIRN_OK && !certificate->certified ? decide(judge, question, question, certificate) : status;
}

cairn_status cairn_judge_prepare(cairn_judge *judge) {
    return judge == NULL || judge->problem == NULL ? CAIRN_ERROR_ARGUMENT : cairn_judge_mass_factor(judge);
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
    if (u_out != NULL || v_out != NULL)
        cairn_judge_velocities(judge, gamma, u_out, v_out);
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
