/*
 * test_judge_certificate.c: figures of the certificate against distances known in closed form, its refusals, its memory, what a judge keeps between runs.
 */
#include "support/judge_cases.h"

static cairn_context *context;

static void clear(judge_case *c, int n, int m, int body) {
    memset(c, 0, sizeof *c);
    c->n = n;
    c->m = m;
    c->body = body;
    c->local = n == 0;
}

static cairn_block cone(int dim, double mu) {
    return (cairn_block){.set = CAIRN_SET_CONE, .dim = dim, .mu = mu};
}

/* With all that a report holds. */
static cairn_certificate judged(const judge_case *c, const double *v, const double *gamma, double tolerance) {
    cairn_certificate certificate = {.error = NAN};
    cairn_problem *problem = case_problem(context, c);
    CHECK(problem != NULL);
    if (problem != NULL)
        CHECK(cairn_certify(problem, v, gamma, tolerance, &certificate, NULL, NULL) == CAIRN_OK);
    cairn_problem_destroy(problem);
    return certificate;
}

/* Against limits in m/s and rad/s, as solvers ask. */
static cairn_certificate asked(const judge_case *c, const double *gamma, double velocity, double angular) {
    cairn_certificate certificate = {.error = NAN};
    cairn_problem *problem = case_problem(context, c);
    cairn_judge *judge = NULL;
    const cairn_question question = {.gamma = gamma, .limits = {.velocity = velocity, .angular = angular}};
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    CHECK(cairn_judge_ask(judge, &question, &certificate, NULL) == CAIRN_OK);
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
    return certificate;
}

/* ---- distances by hand ----------------------------------------------------------------------------------------------- */

/* One contact on N = I that meets its floor with (-1, 2, 0): as a local problem, or with H = D = I. */
static void single_contact(judge_case *c, bool local) {
    const double r[3] = {-1.0, 2.0, 0.0};
    clear(c, local ? 0 : 3, 3, 3);
    c->blocks = 1;
    c->block[0] = cone(3, 0.5);
    for (int i = 0; i < 3; i++)
        c->H[i * CASE_ROWS + i] = c->D[i * CASE_ROWS + i] = c->N[i * CASE_ROWS + i] = 1.0;
    memcpy(local ? c->b : c->k, r, sizeof r);
}

/* The answer of the associated law leaves at 0.6 m/s: under Coulomb's law, which wants 0, it is off by that and by nothing else. */
TEST(one_contact_under_both_laws) {
    const double exact[3] = {1.0, -0.5, 0.0}, relaxed[3] = {1.6, -0.8, 0.0};
    static judge_case made;
    for (int local = 0; local < 2; local++) {
        single_contact(&made, local != 0);
        cairn_certificate c = judged(&made, NULL, exact, 1e-15);
        CHECK(c.certified && c.error < 1e-16 && c.relative < 1e-16 && c.error >= c.rounding && c.rounding > 0.0);
        CHECK(c.worst_block == 0 && c.law == CAIRN_LAW_COULOMB && c.tolerance == 1e-15 && c.directions == 0);
        CHECK_NEAR(c.scale, sqrt(5.0), 1e-15);
        CHECK_NEAR(c.worst_u[1], 1.5, 1e-15);
        c = judged(&made, NULL, relaxed, 1e-3);
        CHECK(!c.certified);
        CHECK_NEAR(c.error, 0.6, 1e-15);
        CHECK_NEAR(c.rms, 0.6, 1e-15);
        CHECK_NEAR(c.relative, 0.6 / sqrt(5.0), 1e-15);
        CHECK_NEAR(c.excess, 600.0 / sqrt(5.0), 1e-12);
        for (int r = 0; r < 3; r++) {
            CHECK_NEAR(c.worst_gamma[r], relaxed[r], 1e-15);
            CHECK_NEAR(c.worst_u[r], r == 1 ? 1.2 : 0.0, 1e-15);
            CHECK_NEAR(c.worst_shift[r], r == 0 ? -0.6 : 0.0, 1e-15);
        }
        CHECK_NEAR(c.plain, 0.24, 1e-15); /* |(0.48, -0.24)| over |r^| = sqrt(5) */
        CHECK_NEAR(c.natural_map, c.plain, 1e-15);
        made.law = CAIRN_LAW_ASSOCIATED;
        c = judged(&made, NULL, relaxed, 1e-15);
        CHECK(c.certified && c.law == CAIRN_LAW_ASSOCIATED && c.error < 1e-15);
    }
}

/* 2 x 2, mu = 2: Coulomb's law has three answers here, the associated law one. */
TEST(three_exact_answers_are_all_accepted) {
    const double answer[3][2] = {{0.0, 0.0}, {0.5, -1.0}, {0.5 / 0.36, -0.76 / 0.36}};
    static judge_case made;
    clear(&made, 0, 2, 1);
    made.blocks = 1;
    made.block[0] = cone(2, 2.0);
    made.N[0] = made.N[CASE_ROWS + 1] = 1.0;
    made.N[1] = made.N[CASE_ROWS] = 0.8;
    made.b[0] = 0.3;
    made.b[1] = 1.0;
    for (int i = 0; i < 3; i++) {
        made.law = CAIRN_LAW_COULOMB;
        CHECK(judged(&made, NULL, answer[i], 1e-15).certified);
        made.law = CAIRN_LAW_ASSOCIATED;
        CHECK(judged(&made, NULL, answer[i], 1e-15).certified == (i == 2));
        CHECK(i == 2 || judged(&made, NULL, answer[i], 1e-15).error > 0.1);
    }
}

/* Box of 2 kg at rest on four corners, h = 0.01: rows (normal, tangent, tangent) of corner r are (direction, r x direction). */
static void box_on_corners(judge_case *c) {
    const double place[4][3] = {{0.3, 0.2, -0.1}, {-0.3, 0.2, -0.1}, {-0.3, -0.2, -0.1}, {0.3, -0.2, -0.1}};
    const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, mass[6] = {2, 2, 2, 0.05, 0.08, 0.1};
    clear(c, 6, 12, 6);
    c->blocks = 4;
    for (int i = 0; i < 6; i++)
        c->H[i * CASE_ROWS + i] = mass[i];
    for (int k = 0; k < 4; k++) {
        c->block[k] = cone(3, 0.4);
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3; i++) {
                int j = (i + 1) % 3, l = (i + 2) % 3;
                c->D[i * CASE_ROWS + 3 * k + a] = axis[a][i];
                c->D[(3 + i) * CASE_ROWS + 3 * k + a] = place[k][j] * axis[a][l] - place[k][l] * axis[a][j];
            }
    }
    c->k[2] = -2.0 * 9.81 * 0.01;
}

TEST(box_on_four_corners_has_many_answers) {
    static judge_case made;
    box_on_corners(&made);
    double v[6] = {0}, gamma[12] = {0}, weight = -made.k[2];
    for (int step = 0; step <= 4; step++) { /* 0: a quarter each; 4: two opposite corners carry all */
        double shift = 0.0625 * step;
        for (int c = 0; c < 4; c++)
            gamma[3 * c] = weight * (0.25 + (c % 2 == 0 ? shift : -shift));
        cairn_certificate c = judged(&made, v, gamma, 1e-15);
        CHECK(c.certified && c.error < 1e-16 && c.motion < 1e-16);
    }
    gamma[0] = weight; /* the sum is right, the moment is not: the box turns */
    gamma[3] = gamma[6] = gamma[9] = 0.0;
    CHECK(!judged(&made, NULL, gamma, 1e-3).certified);
    CHECK(!judged(&made, v, gamma, 1e-3).certified && judged(&made, v, gamma, 1e-3).motion > 0.1);
}

/* A given v is judged as well: 1e-3 rad/s about y, where D reaches 0.3 m. */
TEST(a_given_velocity_is_judged) {
    static judge_case made;
    box_on_corners(&made);
    double v[6] = {0}, gamma[12] = {0};
    for (int c = 0; c < 4; c++)
        gamma[3 * c] = -made.k[2] / 4;
    CHECK(judged(&made, v, gamma, 1e-15).certified);
    v[4] = 1e-3;
    cairn_certificate c = judged(&made, v, gamma, 1e-6);
    CHECK(!c.certified && c.error < 1e-16);
    CHECK_NEAR(c.motion, 3e-4, 1e-15);
    CHECK(judged(&made, NULL, gamma, 1e-15).motion == 0.0);
}

/* 1e-12 kg, ten times the impulse that holds it: it leaves with nine times the speed that it fell with. Beside velocities the impulse is nothing to the plain formula. */
TEST(the_plain_formula_passes_a_light_body_and_the_certificate_does_not) {
    static judge_case made;
    clear(&made, 2, 2, 2);
    made.blocks = 1;
    made.block[0] = cone(2, 0.3);
    for (int i = 0; i < 2; i++) {
        made.H[i * CASE_ROWS + i] = 1e-12;
        made.D[i * CASE_ROWS + i] = 1.0;
    }
    made.k[0] = -1e-12 * 0.0981;
    double right[2] = {1e-12 * 0.0981, 0.0}, wrong[2] = {10.0 * right[0], 0.0};
    CHECK(judged(&made, NULL, right, 1e-12).certified);
    cairn_certificate c = judged(&made, NULL, wrong, 1e-8);
    CHECK(!c.certified && c.plain < 2e-12);
    CHECK_NEAR(c.error, 9.0 * 0.0981, 1e-12);
    CHECK_NEAR(c.relative, 9.0, 1e-11);
}

/* A body between two walls that close in on it at 1 m/s: no answer is nearer than that, whatever the impulses. */
TEST(huge_impulses_do_not_pass_where_no_answer_exists) {
    static judge_case made;
    const double huge[2] = {1e9, 1e9};
    for (int local = 0; local < 2; local++) {
        case_row(&made, 1, 1.0, 1.0, CAIRN_LAW_COULOMB, false);
        if (local) {
            made.local = true;
            made.n = 0;
            made.N[0] = made.N[CASE_ROWS + 1] = 1.0;
            made.N[1] = made.N[CASE_ROWS] = -1.0;
        }
        cairn_certificate c = judged(&made, NULL, huge, 1e-8);
        CHECK_NEAR(c.error, 1.0, 1e-8);
        CHECK_NEAR(c.relative, 1.0, 1e-8);
        CHECK(!c.certified && c.natural_map < 2e-9);
        for (double G = 1e14; G < 1e40; G *= 7.0) { /* until no velocity is seen any more beside G */
            const double beyond[2] = {G, G};
            c = judged(&made, NULL, beyond, 1e-8);
            CHECK(!c.certified && c.error >= 1.0 - 1e-12);
        }
        made.b[0] = made.b[1] = 0.0; /* walls at rest: the body is held, however tightly */
        CHECK(asked(&made, huge, 1e-6, 0.0).certified && asked(&made, huge, 1e-6, 0.0).error < 1e-7);
        made.b[0] = made.b[1] = 1e-3; /* walls that withdraw: nothing holds it */
        CHECK(!judged(&made, NULL, huge, 1e-8).certified);
        CHECK_NEAR(judged(&made, NULL, huge, 1e-8).error, 1e-3, 1e-8);
    }
}

/* A plate of 1e-6 kg between two of 1e6 kg: impulses are the weights above. 1e-11 of one of them throws the light plate at 1 m/s. */
TEST(mass_ratio_of_1e12_is_read_to_rounding) {
    const double mass[3] = {1e6, 1e-6, 1e6};
    double gamma[3] = {0}, v[3] = {0}, above = 0.0;
    static judge_case made;
    clear(&made, 3, 3, 1);
    made.blocks = 3;
    for (int i = 2; i >= 0; i--) {
        made.H[i * CASE_ROWS + i] = mass[i];
        made.k[i] = -mass[i] * 0.125;
        made.D[i * CASE_ROWS + i] = 1.0;
        if (i > 0)
            made.D[(i - 1) * CASE_ROWS + i] = -1.0;
        made.block[i] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
        above += mass[i] * 0.125;
        gamma[i] = above;
    }
    cairn_certificate c = judged(&made, v, gamma, 1e-3); /* the sums of weights are rounded: 1e-11 N s on 1e-6 kg */
    CHECK(c.error < 2e-5 && c.rounding < 1e-6);
    gamma[1] *= 1.0 + 1e-11;
    c = judged(&made, NULL, gamma, 1e-3);
    CHECK(!c.certified && c.error > 0.5);
}

TEST(impulses_of_1e150_and_of_1e_minus_150) {
    static judge_case made;
    for (int sign = -1; sign <= 1; sign += 2) {
        double unit = pow(10.0, 150.0 * sign);
        single_contact(&made, false);
        double exact[3] = {unit, -0.5 * unit, 0.0}, wrong[3] = {1.6 * unit, -0.8 * unit, 0.0};
        for (int i = 0; i < 3; i++)
            made.k[i] *= unit;
        CHECK(judged(&made, NULL, exact, 1e-15).certified);
        cairn_certificate c = judged(&made, NULL, wrong, 1e-3);
        CHECK(!c.certified);
        CHECK_NEAR(c.relative, 0.6 / sqrt(5.0), 1e-14);
        for (int i = 0; i < 3; i++) { /* heavy or light as well: 1e300 kg in all */
            made.H[i * CASE_ROWS + i] = unit;
            made.k[i] *= unit;
            exact[i] *= unit;
        }
        CHECK(judged(&made, NULL, exact, 1e-15).certified);
    }
}

/* Two balls that know nothing of each other: each is measured by its own fall, 1 m/s and 1e-3 m/s, and both are off by 1e-4 m/s. */
TEST(components_have_scales_of_their_own) {
    static judge_case made;
    clear(&made, 4, 4, 2);
    made.blocks = 2;
    for (int i = 0; i < 4; i++) {
        made.H[i * CASE_ROWS + i] = 2.0;
        made.D[i * CASE_ROWS + i] = 1.0;
    }
    made.block[0] = made.block[1] = cone(2, 0.5);
    made.k[0] = -2.0;
    made.k[2] = -2e-3;
    const double gamma[4] = {2.0 + 2e-4, 0.0, 2e-3 + 2e-4, 0.0};
    cairn_certificate c = judged(&made, NULL, gamma, 1e-3);
    CHECK(!c.certified && c.worst_block == 1);
    CHECK_NEAR(c.error, 1e-4, 1e-15);
    CHECK_NEAR(c.relative, 0.1, 1e-12);
    CHECK_NEAR(c.scale, 1e-3, 1e-18);
    CHECK(judged(&made, NULL, gamma, 0.11).certified);
    made.D[2 * CASE_ROWS] = -1e-9; /* a touch, and there is one scale */
    c = judged(&made, NULL, gamma, 1e-3);
    CHECK(c.certified);
    CHECK_NEAR(c.relative, 1e-4, 1e-9);
}

/* Rows in rad/s have a figure and a limit of their own. */
TEST(turning_rows_are_told_apart) {
    static judge_case made;
    clear(&made, 2, 2, 2);
    made.blocks = 1;
    made.block[0] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 2};
    made.has_angular = true;
    made.angular[1] = 1;
    for (int i = 0; i < 2; i++)
        made.H[i * CASE_ROWS + i] = made.D[i * CASE_ROWS + i] = 1.0;
    made.k[0] = -3e-4;
    made.k[1] = 4e-4;
    const double gamma[2] = {0};
    cairn_certificate c = asked(&made, gamma, 1e-3, 1e-3);
    CHECK(c.certified && c.tolerance_velocity == 1e-3 && c.tolerance_angular == 1e-3 && isnan(c.relative));
    CHECK_NEAR(c.error, 3e-4, 1e-18);
    CHECK_NEAR(c.error_angular, 4e-4, 1e-18);
    CHECK(!asked(&made, gamma, 2e-4, 1e-3).certified && !asked(&made, gamma, 1e-3, 2e-4).certified);
    CHECK_NEAR(asked(&made, gamma, 1e-3, 2e-4).excess, 2.0, 1e-12);
    CHECK(asked(&made, gamma, 3.1e-4, 4.1e-4).certified);
    CHECK_NEAR(judged(&made, NULL, gamma, 1e-3).relative, 1.0, 1e-14); /* nothing was done against the free motion */
}

/* ---- refusals -------------------------------------------------------------------------------------------------------- */

TEST(numbers_that_are_none_never_pass) {
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    static judge_case made;
    box_on_corners(&made);
    cairn_problem *problem = case_problem(context, &made);
    double v[6] = {0}, gamma[12] = {0}, u_out[12], v_out[6];
    for (int c = 0; c < 4; c++)
        gamma[3 * c] = -made.k[2] / 4;
    for (int i = 0; i < 3; i++) {
        cairn_certificate c = {.certified = true};
        double kept = gamma[7];
        gamma[7] = bad[i];
        CHECK(cairn_certify(problem, v, gamma, 1e300, &c, u_out, v_out) == CAIRN_OK);
        CHECK(!c.certified && isinf(c.error) && isinf(c.relative) && isinf(c.excess) && isinf(c.rms));
        CHECK(isinf(c.plain) && isinf(c.natural_map) && c.worst_block >= 0 && isnan(u_out[0]) && isnan(v_out[0]));
        gamma[7] = kept;
        v[3] = bad[i];
        CHECK(cairn_certify(problem, v, gamma, 1e300, &c, NULL, NULL) == CAIRN_OK);
        CHECK(!c.certified && isinf(c.error) && isinf(c.motion));
        v[3] = 0.0;
        CHECK(cairn_certify(problem, v, gamma, 1e-15, &c, NULL, NULL) == CAIRN_OK && c.certified);
    }
    cairn_problem_destroy(problem);
}

static void project_to_nan(void *user, int dim, const double *x, double *projection) {
    (void)user;
    (void)x;
    for (int i = 0; i < dim; i++)
        projection[i] = NAN;
}

TEST(a_custom_set_that_returns_nan_never_passes) {
    const cairn_custom_set custom = {.project = project_to_nan};
    const double gamma[3] = {0};
    static judge_case made;
    for (int local = 0; local < 2; local++) {
        single_contact(&made, local != 0);
        made.block[0] = (cairn_block){.set = CAIRN_SET_CUSTOM, .dim = 3, .custom = &custom};
        cairn_certificate c = judged(&made, NULL, gamma, 1e300);
        CHECK(!c.certified && isinf(c.error) && isinf(c.excess));
    }
}

TEST(nothing_over_nothing_is_nothing) {
    static judge_case made;
    const double zero[3] = {0};
    single_contact(&made, false);
    memset(made.k, 0, sizeof made.k);
    cairn_certificate c = judged(&made, zero, zero, 0.0);
    CHECK(c.certified && c.error == 0.0 && c.relative == 0.0 && c.motion == 0.0 && c.plain == 0.0 && c.rms == 0.0);
    memset(made.D, 0, sizeof made.D); /* no mobility: nothing can be done about b */
    made.b[0] = -1.0;
    c = judged(&made, NULL, zero, 1e-8);
    CHECK(!c.certified);
    CHECK_NEAR(c.error, 1.0, 1e-15);
    CHECK_NEAR(c.relative, 1.0, 1e-15);
}

TEST(problem_without_constraints) {
    static judge_case made;
    double v[3] = {-1.0, 2.0, 0.0};
    single_contact(&made, false);
    made.m = made.blocks = 0;
    cairn_certificate c = judged(&made, v, NULL, 1e-15);
    CHECK(c.certified && c.worst_block == -1 && c.error == 0.0 && c.motion == 0.0);
    v[1] = 2.1;
    CHECK(!judged(&made, v, NULL, 1e-3).certified);
    CHECK_NEAR(judged(&made, v, NULL, 1e-3).motion, 0.1, 1e-15);
}

TEST(wrong_arguments_and_wrong_matrices) {
    static judge_case made;
    single_contact(&made, false);
    cairn_problem *problem = case_problem(context, &made);
    cairn_certificate c;
    cairn_judge *judge = NULL;
    double gamma[3] = {0};
    CHECK(cairn_certify(NULL, NULL, gamma, 1e-8, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_certify(problem, NULL, NULL, 1e-8, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "NULL");
    CHECK(cairn_certify(problem, NULL, gamma, 1e-8, NULL, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_certify(problem, NULL, gamma, NAN, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_certify(problem, NULL, gamma, -1.0, &c, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "tolerance");
    CHECK(cairn_judge_create(NULL, &judge) == CAIRN_ERROR_ARGUMENT && judge == NULL);
    CHECK(cairn_judge_create(problem, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    CHECK(cairn_judge_ask(judge, NULL, &c, NULL) == CAIRN_ERROR_ARGUMENT);
    const cairn_limits bad[] = {{.relative = -1.0}, {.velocity = NAN}, {.velocity = 1.0, .angular = -1e-9}};
    for (int i = 0; i < 3; i++) {
        const cairn_question question = {.gamma = gamma, .limits = bad[i]};
        CHECK(cairn_judge_ask(judge, &question, &c, NULL) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(cairn_error_message(context), "tolerance");
    }
    CHECK(cairn_judge_load(judge, NULL) == CAIRN_ERROR_ARGUMENT);
    cairn_judge_destroy(judge);
    cairn_judge_destroy(NULL);
    cairn_problem_destroy(problem);

    made.H[1] = made.H[CASE_ROWS] = 2.0; /* positive diagonal, not positive definite */
    for (int coupled = 0; coupled < 2; coupled++) {
        made.body = coupled ? 1 : 3;
        problem = case_problem(context, &made);
        c.error = 42.0;
        CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &c, NULL, NULL) == CAIRN_ERROR_NUMERICAL);
        CHECK_CONTAINS(cairn_error_message(context), "not positive definite at row 1");
        CHECK(c.error == 42.0);
        cairn_problem_destroy(problem);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* kind 0: bodies alone; 1: H couples them; 2: the same without symmetry; 3: local. */
static void memory_case(judge_case *c, int kind) {
    test_random random = {7};
    if (kind == 3)
        case_local(c, &random, CAIRN_LAW_COULOMB, 9, 0, 1, 0.4, 6, 0.5);
    else
        case_global(c, &random, CAIRN_LAW_COULOMB, 9, 0, 1, 0.4, 1.0, kind > 0);
    if (kind == 2) {
        c->unsymmetric = true;
        c->H[2 * CASE_ROWS + 8] *= 0.5;
        c->H[1 * CASE_ROWS + 7] = 0.0; /* an entry without its mirror */
    }
}

TEST(every_failing_allocation_is_survived) {
    static judge_case made;
    for (int kind = 0; kind < 4; kind++) {
        counting_allocator memory = {.fail_at = -1};
        cairn_context *counting = counting_context(&memory, 1);
        memory_case(&made, kind);
        cairn_problem *problem = case_problem(counting, &made);
        CHECK(problem != NULL);
        int live = memory.live, tries = 0;
        cairn_status status = CAIRN_ERROR_MEMORY;
        for (; status != CAIRN_OK && tries < 1000; tries++) {
            cairn_certificate c;
            memory.allocations = 0;
            memory.fail_at = tries;
            status = cairn_certify(problem, NULL, made.gamma, 1e-8, &c, NULL, NULL);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            CHECK(memory.live == live);
        }
        CHECK(tries > 2 && tries < 1000);
        memory.fail_at = -1;
        cairn_problem_destroy(problem);
        cairn_context_destroy(counting);
        CHECK(memory.live == 0);
    }
}

/* The same figures in every bit; NAN equals NAN. */
static bool same_figures(const cairn_certificate *a, const cairn_certificate *b) {
    return a->error == b->error && a->relative == b->relative && a->scale == b->scale && a->excess == b->excess &&
           a->rms == b->rms && a->rounding == b->rounding && a->motion == b->motion &&
           a->worst_block == b->worst_block && a->certified == b->certified && a->law == b->law &&
           a->plain == b->plain && a->natural_map == b->natural_map && a->error_angular == b->error_angular;
}

/* s is kept between runs: new k alone, new b alone, and the old ones again are read as a fresh judge reads them. */
TEST(a_judge_keeps_free_motion_only_while_k_and_b_stay) {
    static judge_case made;
    for (int kind = 0; kind < 4; kind++) {
        memory_case(&made, kind);
        cairn_problem *problem = case_problem(context, &made);
        cairn_judge *judge = NULL;
        double gamma[CASE_ROWS], first = NAN;
        for (int j = 0; j < made.m; j++)
            gamma[j] = made.gamma[j] + 0.1;
        CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
        for (int change = 0; change < 4; change++) {
            cairn_certificate kept, fresh;
            made.k[0] += change == 1 ? 30.0 : change == 3 ? -30.0 : 0.0;
            made.b[0] += change == 2 ? -512.0 : change == 3 ? 512.0 : 0.0;
            CHECK(cairn_problem_set_vectors(problem, made.local ? NULL : made.k, made.b) == CAIRN_OK);
            CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &kept, NULL, NULL) == CAIRN_OK);
            CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &fresh, NULL, NULL) == CAIRN_OK);
            CHECK(same_figures(&kept, &fresh));
            if (change == 0)
                first = kept.scale;
            CHECK(change != 2 || kept.scale > 100.0);
        }
        cairn_certificate last;
        CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &last, NULL, NULL) == CAIRN_OK);
        CHECK_NEAR(last.scale, first, 1e-9);
        cairn_judge_destroy(judge);
        cairn_problem_destroy(problem);
    }
}

/* No memory is taken after the first question, and new data of the problem are read; a judge that loads another problem judges that one. */
TEST(a_judge_runs_without_memory_and_reads_new_data) {
    static judge_case made, other;
    for (int kind = 0; kind < 4; kind++) {
        counting_allocator memory = {.fail_at = -1};
        cairn_context *counting = counting_context(&memory, 1);
        memory_case(&made, kind);
        cairn_problem *problem = case_problem(counting, &made);
        cairn_judge *judge = NULL;
        cairn_certificate first, second, fresh;
        double gamma[CASE_ROWS], u[CASE_ROWS], u_fresh[CASE_ROWS];
        for (int j = 0; j < made.m; j++)
            gamma[j] = made.gamma[j] + 0.01 * (j % 3);
        CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
        CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &first, NULL, NULL) == CAIRN_OK);
        int calls = memory.allocations;
        for (int i = 0; i < CASE_ROWS; i++)
            made.k[i] = made.b[i] = 0.3 * i;
        for (int i = 0; i < made.blocks; i++)
            made.block[i].mu = 0.9;
        made.law = CAIRN_LAW_ASSOCIATED;
        CHECK(cairn_problem_set_vectors(problem, made.local ? NULL : made.k, made.b) == CAIRN_OK);
        for (int i = 0; i < made.blocks; i++)
            CHECK(cairn_problem_set_block(problem, i, &made.block[i]) == CAIRN_OK);
        CHECK(cairn_problem_set_law(problem, made.law) == CAIRN_OK);
        int before = memory.allocations;
        CHECK(cairn_judge_run(judge, NULL, gamma, 1e-8, &second, u, NULL) == CAIRN_OK);
        CHECK(memory.allocations == before && before >= calls);
        cairn_problem *again = case_problem(counting, &made);
        CHECK(cairn_certify(again, NULL, gamma, 1e-8, &fresh, u_fresh, NULL) == CAIRN_OK);
        CHECK(same_figures(&second, &fresh) && memcmp(u, u_fresh, (size_t)made.m * sizeof *u) == 0);
        CHECK(second.error != first.error);
        memory_case(&other, (kind + 1) % 4);
        cairn_problem *third = case_problem(counting, &other);
        CHECK(cairn_judge_load(judge, third) == CAIRN_OK);
        CHECK(cairn_judge_run(judge, NULL, other.gamma, 1e-8, &second, NULL, NULL) == CAIRN_OK);
        CHECK(cairn_certify(third, NULL, other.gamma, 1e-8, &fresh, NULL, NULL) == CAIRN_OK);
        CHECK(same_figures(&second, &fresh));
        cairn_judge_destroy(judge);
        cairn_problem_destroy(problem);
        cairn_problem_destroy(again);
        cairn_problem_destroy(third);
        cairn_context_destroy(counting);
        CHECK(memory.live == 0);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    context = plain_context(1);
    RUN(one_contact_under_both_laws);
    RUN(three_exact_answers_are_all_accepted);
    RUN(box_on_four_corners_has_many_answers);
    RUN(a_given_velocity_is_judged);
    RUN(the_plain_formula_passes_a_light_body_and_the_certificate_does_not);
    RUN(huge_impulses_do_not_pass_where_no_answer_exists);
    RUN(mass_ratio_of_1e12_is_read_to_rounding);
    RUN(impulses_of_1e150_and_of_1e_minus_150);
    RUN(components_have_scales_of_their_own);
    RUN(turning_rows_are_told_apart);
    RUN(numbers_that_are_none_never_pass);
    RUN(a_custom_set_that_returns_nan_never_passes);
    RUN(nothing_over_nothing_is_nothing);
    RUN(problem_without_constraints);
    RUN(wrong_arguments_and_wrong_matrices);
    RUN(every_failing_allocation_is_survived);
    RUN(a_judge_keeps_free_motion_only_while_k_and_b_stay);
    RUN(a_judge_runs_without_memory_and_reads_new_data);
    cairn_context_destroy(context);
    return test_end();
}
