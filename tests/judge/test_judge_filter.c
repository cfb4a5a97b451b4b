/*
 * test_judge_filter.c: the filter in double against the truth in long double and against the reference: what it tells of its points is never below the truth, and above it by no
 * more than twice its own bound of rounding and 20 eps of itself; what it certifies the reference certifies. Terms that cancel, huge impulses, mass ratios of 1e12.
 */
#include "support/judge_cases.h"

static cairn_context *context;
static int seen, near_bound; /* measurements, and those of which a tenth or more of the figure is rounding */
static double tightest;      /* how much of the bound rounding has ever used */

/* What the filter says of gamma with no limit that matters: it always settles, so that the reference is not asked. */
static cairn_certificate filtered(cairn_judge *judge, const double *gamma, const double *v, bool near,
                                  cairn_judged *judged) {
    cairn_certificate c;
    const cairn_question question = {
        .gamma = gamma, .v = v, .limits = {.velocity = 1e300}, .quick = true, .near = near};
    CHECK(cairn_judge_ask(judge, &question, &c, judged) == CAIRN_OK && c.certified);
    return c;
}

/* Every block against the truth about the same points. u' is handed out rounded to double, eps/2 |u'|, which the bound counts too. */
static void check_truth(const examiner *x, const cairn_certificate *c, const cairn_judged *judged) {
    CHECK(examiner_off_graph(x, judged->gamma, judged->u) == -1);
    for (int i = 0; i < x->p.blocks; i++) {
        wide size, X = examiner_error(x, i, -1, judged->gamma, judged->u, &size), own = 64.0L * LDBL_EPSILON * size,
                   u = 0.0L;
        for (int r = x->p.block_start[i]; r < x->p.block_start[i + 1]; r++)
            u += fabs(judged->u[r]);
        own += 0.5L * DBL_EPSILON * u;
        CHECK(judged->error[i] >= X - own);
        if (i != c->worst_block)
            continue;
        wide rounding = c->rounding;
        own += 20.0L * DBL_EPSILON * X; /* the figure is rounded up */
        CHECK(judged->error[i] <= X + 2.0L * rounding + own);
        CHECK(c->error >= judged->error[i] && rounding > 0.0L);
        wide used = fmaxl(0.0L, fabsl(judged->error[i] - rounding - X) - own) /
                    rounding; /* what rounding did to the length itself */
        tightest = fmax(tightest, (double)used);
        near_bound += rounding > 0.1L * judged->error[i];
        seen++;
    }
}

/* Sets that the judge knows by their projection alone: the filter leaves them to the reference, whose points have velocities that go with the impulses, not found from them. */
static bool is_odd(const judge_case *c) {
    for (int i = 0; i < c->blocks; i++)
        if (c->block[i].set == CAIRN_SET_POLY_CONE || c->block[i].set == CAIRN_SET_CUSTOM)
            return true;
    return false;
}

/* Limits about the filter's own figure: the reference agrees with every yes of the filter about the points that it took, and about the impulses as they were given. */
static void check_reference(const judge_case *c, cairn_judge *judge, const double *gamma, double figure) {
    static const double share[] = {0.3, 0.999, 1.0, 1.001, 2.0, 100.0};
    for (int i = 0; i < 6; i++) {
        cairn_certificate quick, whole;
        cairn_judged judged;
        double points[CASE_ROWS];
        cairn_question question = {.gamma = gamma, .limits = {.velocity = share[i] * figure}, .quick = true};
        CHECK(cairn_judge_ask(judge, &question, &quick, &judged) == CAIRN_OK);
        memcpy(points, judged.gamma, (size_t)c->m * sizeof *points);
        CHECK(quick.certified || share[i] < 1.0);
        CHECK(quick.certified == (quick.error <= question.limits.velocity));
        question.quick = false;
        CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
        CHECK(whole.certified || share[i] < 1.0); /* below it the two may take other points */
        question.gamma = points;
        CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
        CHECK(is_odd(c) || (whole.error <= quick.error && (!quick.certified || whole.certified)));
    }
}

/* A report of the last answer that is not measured again says what a whole report of it says; impulses that are not the last answer's are measured. */
static void check_measured(cairn_judge *judge, int m, const double *gamma) {
    cairn_certificate last, again, whole;
    cairn_judged judged;
    double points[CASE_ROWS];
    for (int near = 0; near < 2; near++) {
        cairn_question question = {.gamma = gamma, .limits = {.velocity = 1e300}, .quick = true, .near = near != 0};
        CHECK(cairn_judge_ask(judge, &question, &last, &judged) == CAIRN_OK);
        memcpy(points, judged.gamma, (size_t)m * sizeof *points);
        question = (cairn_question){
            .gamma = points, .limits = question.limits, .quick = true, .report = true, .measured = true};
        CHECK(cairn_judge_ask(judge, &question, &again, NULL) == CAIRN_OK);
        CHECK(again.certified && again.error <= last.error && !isnan(again.plain));
        question.measured = false;
        CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
        CHECK(whole.certified && !isnan(whole.plain));
        points[0] += 1.0 + fabs(points[0]);
        question.measured = true;
        CHECK(cairn_judge_ask(judge, &question, &again, NULL) == CAIRN_OK);
        question.measured = false;
        CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
        CHECK(memcmp(&again, &whole, sizeof whole) == 0);
    }
}

static void compare(const judge_case *c, const double *gamma) {
    cairn_problem *problem = case_problem(context, c);
    cairn_judge *judge = NULL;
    cairn_judged judged;
    examiner x = examiner_make(problem);
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    cairn_certificate told = filtered(judge, gamma, NULL, false, &judged);
    check_truth(&x, &told, &judged);
    check_reference(c, judge, gamma, told.error);
    if (!c->local) { /* a hint says where to look for points; what is said of them is as true */
        double v[CASE_ROWS];
        memcpy(v, judged.v, (size_t)c->n * sizeof *v);
        v[0] += 1e-3;
        told = filtered(judge, gamma, v, false, &judged);
        check_truth(&x, &told, &judged);
        told = filtered(judge, gamma, v, true, &judged);
        check_truth(&x, &told, &judged);
    }
    check_measured(judge, c->m, gamma);
    examiner_end(&x);
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
}

static void shake(const judge_case *c, double noise, test_random *random, double *gamma) {
    for (int j = 0; j < c->m; j++)
        gamma[j] = c->gamma[j] * (1.0 + noise * test_random_signed(random));
}

static const double noises[] = {0.0, 1e-15, 1e-12, 1e-6, 1e-2, 1.0};

/* Exact answers, where all is rounding, and answers further and further from them, with masses 1 : 1e12 and back. */
TEST(every_set_and_mass_ratio) {
    static const double ratios[] = {1.0, 1e4, 1e12, 1e-12};
    static judge_case made;
    for (int i = 0; i < 480; i++) {
        test_random random = {(uint64_t)i};
        double gamma[CASE_ROWS];
        cairn_law law = i % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED;
        bool cones = i % 3 == 0; /* else all sets in turn */
        if (i % 5 == 4)
            case_local(&made, &random, law, 6, i, cones ? 0 : 1, 0.5, 5, 0.1);
        else
            case_global(&made, &random, law, 6, i, cones ? 0 : 1, 0.5, ratios[i / 2 % 4], false);
        shake(&made, noises[i / 8 % 6], &random, gamma);
        compare(&made, gamma);
    }
}

/* Impulses of 1e4 to 1e16 N s whose velocities b takes away again: figures are far above the velocities, and still never below the truth. All of it in ordinary numbers, in
 * numbers near 1e-100 and in numbers near 1e90. */
TEST(huge_impulses_and_terms_that_cancel) {
    static const double sizes[] = {1e4, 1e8, 1e12, 1e16}, units[] = {1.0, 1e-100, 1e90};
    static judge_case made;
    for (int i = 0; i < 360; i++) {
        test_random random = {1000 + (uint64_t)i};
        double gamma[CASE_ROWS];
        if (i % 5 == 4)
            case_local(&made, &random, CAIRN_LAW_COULOMB, 6, 0, 0, 0.5, 5, 0.1);
        else
            case_global(&made, &random, CAIRN_LAW_COULOMB, 6, 0, 0, 0.5, i % 3 == 0 ? 1e6 : 1.0, false);
        for (int j = 0; j < made.m; j++) {
            made.gamma[j] *= sizes[i % 4] * units[i / 4 % 3];
            made.u[j] *= units[i / 4 % 3];
        }
        for (int j = 0; j < made.n; j++)
            made.k[j] *= units[i / 4 % 3];
        case_finish(&made);
        shake(&made, noises[i / 8 % 6], &random, gamma);
        compare(&made, gamma);
    }
}

/* Self-stress between walls, at rest and closing in: where rounding drowns the velocity the filter must not pass it at 1 m/s. */
TEST(self_stress) {
    static judge_case made;
    for (int K = 1; K <= 20; K += 3)
        for (int closing = 0; closing < 2; closing++)
            for (double G = 1.0; G < 1e30; G *= 37.0) {
                double gamma[CASE_ROWS];
                case_row(&made, K, closing ? 1.0 : 0.0, 0.3, CAIRN_LAW_COULOMB, false);
                for (int j = 0; j < made.m; j++)
                    gamma[j] = G * (1.0 + (j % 2) * 1e-16 * G);
                compare(&made, gamma);
                cairn_problem *problem = case_problem(context, &made);
                cairn_judge *judge = NULL;
                cairn_certificate c;
                const cairn_question question = {
                    .gamma = gamma, .limits = {.velocity = 0.99 * made.least}, .quick = true};
                CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
                if (closing) {
                    CHECK(cairn_judge_ask(judge, &question, &c, NULL) == CAIRN_OK);
                    CHECK(!c.certified && c.error >= made.least);
                }
                cairn_judge_destroy(judge);
                cairn_problem_destroy(problem);
            }
}

/* The bound is one that rounding comes near to, and never beyond. */
TEST(the_bound_was_put_to_the_test) {
    printf("%d measurements, %d of which rounding is a tenth or more; it has used up to %.2g of its bound\n", seen,
           near_bound, tightest);
    CHECK(seen > 1500 && near_bound > 300);
    CHECK(tightest <= 1.0 + 1e-3 && tightest > 1e-3);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    context = plain_context(1);
    RUN(every_set_and_mass_ratio);
    RUN(huge_impulses_and_terms_that_cancel);
    RUN(self_stress);
    RUN(the_bound_was_put_to_the_test);
    cairn_context_destroy(context);
    return test_end();
}
