/*
 * penalty_rule.c: first penalties of [AKM] and steps of [AC], from the matrices alone.
 *
 *     ghadimi    1/sqrt(l_min(N) l_max(N))     [AKM (34)], [AC (13)]; l_min: the least one that is not 0
 *     dicairano  sqrt(l_min(H) l_max(H))       [AKM (35)], [AC (14)]
 *     acary      |H|_1 / |D'|_1                [AKM (36)], [AC (15)]
 *     normal     1                             [AKM (37)], [AC (16)]
 *     smaller    2/3                           [AC (17)]
 *     w          1/|N|, Frobenius              [AC (18)]
 *     eigen-w    1/l_max(N)                    [AC (19)], by a Lanczos run
 *
 * H, D, N are M, H', W of the papers; |.|_1 is the largest sum of absolute values over a column,
 * which for D' is a row of D. N has the compliance C. Where N or D is 0 the value is 1: nothing
 * depends on it.
 */
#include "solve/papers/penalty_rule.h"

#include "problem/analysis/analysis.h"

#include <math.h>

#define DELASSUS_LIMIT 1e9 /* bytes for the entries of N */

const char *cairn_penalty_refuses(const cairn_problem *problem, cairn_penalty_rule rule) {
    if (problem->local && (rule == CAIRN_PENALTY_DICAIRANO || rule == CAIRN_PENALTY_ACARY))
        return "it is in local form and the first penalty is a rule on H; choose normal, ghadimi or a number";
    return NULL;
}

/* Largest sum of |a_ij| over a column. */
static double column_norm(const cairn_csc *A) {
    double largest = 0.0;
    for (int j = 0; j < A->cols; j++) {
        double sum = 0.0;
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            sum += fabs(A->value[e]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* Largest sum of |D_ij| over a row of D; 0 for the local form. */
static double row_norm(const cairn_problem *p) {
    double largest = 0.0;
    for (int i = 0; i < p->n; i++)
        largest = fmax(largest, cairn_problem_row_size(p, p->body.body_of[i], i, NULL));
    return largest;
}

static cairn_status frobenius(const cairn_run *run, double *norm) {
    cairn_delassus N = {0};
    cairn_status status = cairn_operator_delassus(run->op, DELASSUS_LIMIT, &N);
    if (status != CAIRN_OK)
        return status;
    double square = 0.0;
    for (int64_t e = 0; e < N.offset[N.start[N.blocks]]; e++)
        square += N.value[e] * N.value[e];
    *norm = sqrt(square);
    cairn_delassus_free(run->context, &N);
    return CAIRN_OK;
}

static cairn_status ghadimi(const cairn_run *run, double *value) {
    double least = NAN, largest = NAN;
    cairn_status status = cairn_problem_spectrum(run->problem, CAIRN_SPECTRUM_N, &least, &largest);
    if (status != CAIRN_OK)
        return status;
    if (isnan(least) && !isnan(largest))
        return cairn_fail(run->context, CAIRN_ERROR_UNSUPPORTED,
                          "the rule ghadimi needs the least eigenvalue of N, which is out of reach for %d rows; choose "
                          "another rule or a number",
                          run->problem->m);
    *value = 1.0 / sqrt(least * largest);
    return CAIRN_OK;
}

cairn_status cairn_penalty_value(const cairn_run *run, cairn_penalty_rule rule, double *value) {
    const cairn_problem *p = run->problem;
    cairn_status status = CAIRN_OK;
    double least = NAN, largest = NAN;
    *value = 1.0;
    switch (rule) {
    case CAIRN_PENALTY_NUMBER:
        *value = run->settings->rho;
        break;
    case CAIRN_PENALTY_GHADIMI:
        status = ghadimi(run, value);
        break;
    case CAIRN_PENALTY_DICAIRANO:
        status = cairn_problem_spectrum(p, CAIRN_SPECTRUM_H, &least, &largest);
        *value = sqrt(least * largest);
        break;
    case CAIRN_PENALTY_ACARY:
        *value = column_norm(&p->A) / row_norm(p);
        break;
    case CAIRN_PENALTY_NORMAL:
        break;
    case CAIRN_PENALTY_SMALLER:
        *value = 2.0 / 3.0;
        break;
    case CAIRN_PENALTY_W:
        status = frobenius(run, &largest);
        *value = 1.0 / largest;
        break;
    case CAIRN_PENALTY_EIGEN_W:
        status = cairn_problem_spectrum(p, CAIRN_SPECTRUM_N_MAX, &least, &largest);
        *value = 1.0 / largest;
        break;
    }
    if (!(*value > 0.0) || !isfinite(*value))
        *value = 1.0;
    return status;
}
