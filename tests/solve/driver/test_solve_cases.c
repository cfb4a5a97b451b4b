/* Closed forms through the public interface, by every method: two laws, three solutions, no solution, limits, settings. */
#include "support/support.h"

#define NO_GUESS NULL

/* Methods that need H and D say so when a problem has none. */
static bool refused(cairn_status status) {
    return status == CAIRN_ERROR_UNSUPPORTED;
}

typedef struct answer {
    cairn_info info;
    double gamma[64], u[64];
    cairn_status status;
} answer;

static answer solve_with(cairn_context *context, const cairn_problem *problem, cairn_settings settings) {
    answer out = {0};
    cairn_solver *solver = NULL;
    cairn_answer raw = {0};
    out.status = cairn_solver_create(context, &settings, &solver);
    if (out.status == CAIRN_OK)
        out.status = cairn_solver_load(solver, problem);
    if (out.status == CAIRN_OK)
        out.status = cairn_solver_solve(solver, NO_GUESS, &raw, &out.info);
    size_t m = (size_t)cairn_problem_get(problem).m;
    if (out.status == CAIRN_OK) {
        memcpy(out.gamma, raw.gamma, m * sizeof(double));
        memcpy(out.u, raw.u, m * sizeof(double));
    }
    cairn_solver_destroy(solver);
    return out;
}

static const char *method_name(int index) {
    cairn_method_info info;
    CHECK(cairn_method_get(index, &info) == CAIRN_OK);
    return info.name;
}

TEST(one_contact_both_laws) {
    cairn_context *context = plain_context(1);
    double N[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 2, 0};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    for (int law = 0; law < 2; law++) {
        cairn_problem *problem = local_problem(context, 3, N, b, 1, &block, (cairn_law)law);
        for (int i = 0; i < cairn_method_count(); i++) {
            cairn_settings settings = cairn_default_settings(method_name(i));
            settings.tolerance = 1e-10;
            answer a = solve_with(context, problem, settings);
            if (refused(a.status))
                continue;
            CHECK(a.status == CAIRN_OK && a.info.outcome == CAIRN_SOLVED && a.info.certificate.certified);
            CHECK_NEAR(a.gamma[0], law ? 1.6 : 1.0, 1e-8);
            CHECK_NEAR(a.gamma[1], law ? -0.8 : -0.5, 1e-8);
            CHECK_NEAR(a.gamma[2], 0.0, 1e-8);
            CHECK_NEAR(a.u[0], law ? 0.6 : 0.0, 1e-8);
            CHECK_NEAR(a.u[1], law ? 1.2 : 1.5, 1e-8);
        }
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* A contact that does not slide, whatever pushes it: the impulses that stop all motion. */
TEST(huge_friction_sticks) {
    cairn_context *context = plain_context(1);
    double N[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 2, 0};
    for (int i = 0; i < cairn_method_count(); i++)
        for (double mu = 1e4; mu < 2e8; mu *= 100.0) {
            cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = mu};
            cairn_problem *problem = local_problem(context, 3, N, b, 1, &block, CAIRN_LAW_COULOMB);
            answer a = solve_with(context, problem, cairn_default_settings(method_name(i)));
            bool good = a.info.outcome != CAIRN_SOLVED ||
                        (fabs(a.gamma[0] - 1.0) < 1e-7 && fabs(a.gamma[1] + 2.0) < 1e-7);
            if (!refused(a.status) && (!good || a.info.outcome != CAIRN_SOLVED))
                printf("%s, mu %g: %s\n", method_name(i), mu, cairn_outcome_name(a.info.outcome));
            CHECK(refused(a.status) || (a.status == CAIRN_OK && good));
            CHECK(i > 0 || a.info.outcome == CAIRN_SOLVED);
            cairn_problem_destroy(problem);
        }
    cairn_context_destroy(context);
}

/* 2D block with three exact solutions 0, (.5, -1), (25/18, -19/9): any of them, certified; the associated law: the last. */
TEST(three_solutions) {
    cairn_context *context = plain_context(1);
    double N[4] = {1, 0.8, 0.8, 1}, b[2] = {0.3, 1};
    const double known[3][2] = {{0, 0}, {0.5, -1}, {25.0 / 18.0, -25.0 / 9.0 + 2.0 / 3.0}};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 2, .mu = 2.0};
    for (int law = 0; law < 2; law++) {
        cairn_problem *problem = local_problem(context, 2, N, b, 1, &block, (cairn_law)law);
        for (int i = 0; i < cairn_method_count(); i++) {
            answer a = solve_with(context, problem, cairn_default_settings(method_name(i)));
            if (refused(a.status))
                continue;
            CHECK(a.info.outcome == CAIRN_SOLVED);
            bool found = false;
            for (int s = law ? 2 : 0; s < 3; s++)
                found = found || fabs(a.gamma[0] - known[s][0]) + fabs(a.gamma[1] - known[s][1]) < 1e-4;
            CHECK(found);
        }
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

TEST(infeasible_is_said) {
    cairn_context *context = plain_context(1);
    double N[9] = {0}, b[3] = {-1, 0, 0};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    for (int law = 0; law < 2; law++) {
        cairn_problem *problem = local_problem(context, 3, N, b, 1, &block, (cairn_law)law);
        for (int i = 0; i < cairn_method_count(); i++) {
            answer a = solve_with(context, problem, cairn_default_settings(method_name(i)));
            if (refused(a.status))
                continue;
            CHECK(a.status == CAIRN_OK && a.info.outcome == CAIRN_INFEASIBLE && !a.info.certificate.certified);
            CHECK_CONTAINS(a.info.note, "no answer exists");
        }
        cairn_problem_destroy(problem);
    }
    /* two joints that contradict each other */
    double J[4] = {1, 1, 1, 1}, c[2] = {-1, 1};
    cairn_block joints[2] = {{.set = CAIRN_SET_BILATERAL, .dim = 1}, {.set = CAIRN_SET_BILATERAL, .dim = 1}};
    cairn_problem *problem = local_problem(context, 2, J, c, 2, joints, CAIRN_LAW_COULOMB);
    answer a = solve_with(context, problem, cairn_default_settings("padmm"));
    CHECK(a.info.outcome == CAIRN_INFEASIBLE);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* A body squeezed between two walls that close in on it: no velocity fits, in global form. */
TEST(squeezed_body_is_infeasible) {
    cairn_context *context = plain_context(1);
    int zero[2] = {0, 0}, column[2] = {0, 1};
    double one[1] = {1.0}, sides[2] = {1.0, -1.0}, b[2] = {-1.0, -1.0};
    cairn_block block[2] = {{.set = CAIRN_SET_NONNEGATIVE, .dim = 1}, {.set = CAIRN_SET_NONNEGATIVE, .dim = 1}};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = 1;
    def.m = 2;
    def.H = (cairn_sparse){.rows = 1, .cols = 1, .entries = 1, .row = zero, .col = zero, .value = one};
    def.D = (cairn_sparse){.rows = 1, .cols = 2, .entries = 2, .row = zero, .col = column, .value = sides};
    def.b = b;
    def.blocks = 2;
    def.block = block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    for (int i = 0; i < cairn_method_count(); i++) {
        answer a = solve_with(context, problem, cairn_default_settings(method_name(i)));
        printf("squeezed, %s: %s\n", method_name(i), cairn_outcome_name(a.info.outcome));
        CHECK(a.status == CAIRN_OK && a.info.outcome != CAIRN_SOLVED);
        if (strstr(method_name(i), "admm") != NULL || strcmp(method_name(i), "auto") == 0)
            CHECK(a.info.outcome == CAIRN_INFEASIBLE);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* Box on four corners: sum of normal impulses is the weight, although each is not unique. */
TEST(box_on_four_corners) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("box-on-four");
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    double weight = def.mass * def.gravity * def.step;
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_settings settings = cairn_default_settings(method_name(i));
        settings.tolerance = 1e-12;
        answer a = solve_with(context, problem, settings);
        if (refused(a.status))
            continue;
        CHECK(a.info.outcome == CAIRN_SOLVED);
        CHECK_NEAR(a.gamma[0] + a.gamma[3] + a.gamma[6] + a.gamma[9], weight, 1e-10 * weight);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(no_rows_and_free_flight) {
    cairn_context *context = plain_context(1);
    double N[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {1, 0, 0};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    cairn_problem *problem = local_problem(context, 3, N, b, 1, &block, CAIRN_LAW_COULOMB);
    cairn_problem *empty = local_problem(context, 0, N, b, 0, &block, CAIRN_LAW_COULOMB);
    for (int i = 0; i < cairn_method_count(); i++) {
        answer a = solve_with(context, problem, cairn_default_settings(method_name(i)));
        CHECK(refused(a.status) ||
              (a.info.outcome == CAIRN_SOLVED && a.info.iterations == 0 && a.gamma[0] == 0.0 && a.u[0] == 1.0));
        a = solve_with(context, empty, cairn_default_settings(method_name(i)));
        CHECK(refused(a.status) || (a.status == CAIRN_OK && a.info.outcome == CAIRN_SOLVED));
    }
    cairn_problem_destroy(problem);
    cairn_problem_destroy(empty);
    cairn_context_destroy(context);
}

static bool stop_at_three(void *user, const cairn_iteration *iteration) {
    *(int *)user = iteration->iteration;
    return iteration->iteration < 3;
}

TEST(limits_and_cancellation) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("stack-pull");
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_settings settings = cairn_default_settings(method_name(i));
        settings.tolerance = 1e-14;
        settings.max_iterations = 4;
        answer a = solve_with(context, problem, settings);
        if (refused(a.status))
            continue;
        CHECK(a.info.outcome == CAIRN_ITERATION_LIMIT && a.info.iterations == 4);
        CHECK(!a.info.certificate.certified);
        int seen = 0;
        settings.user = &seen;
        settings.on_iteration = stop_at_three;
        a = solve_with(context, problem, settings);
        CHECK(a.info.outcome == CAIRN_CANCELLED && seen == 3 && a.info.iterations == 3);
        settings.on_iteration = NULL;
        settings.max_iterations = 100000000;
        settings.time_limit = 1e-6;
        a = solve_with(context, problem, settings);
        CHECK(a.info.outcome == CAIRN_TIME_LIMIT);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(settings_by_name) {
    char message[300] = "";
    cairn_settings s = cairn_default_settings("padmm");
    CHECK(cairn_settings_set(&s, "rho", "0.5", message, sizeof message) == CAIRN_OK && s.rho == 0.5);
    CHECK(cairn_settings_set(&s, "step_policy", "spectral", message, sizeof message) == CAIRN_OK &&
          s.step_policy == CAIRN_STEP_SPECTRAL);
    CHECK(cairn_settings_set(&s, "coulomb", "outer", message, sizeof message) == CAIRN_OK &&
          s.coulomb == CAIRN_COULOMB_OUTER);
    const char *bad[][3] = {{"rho", "0", "rho"},
                            {"rho", "1x", "rho"},
                            {"rho", "nan", "rho"},
                            {"rho", "", "rho"},
                            {"omega", "1", "no setting"},
                            {"relaxation", "2", "relaxation"},
                            {"anderson", "1.5", "anderson"},
                            {"coulomb", "in", "inside"},
                            {"colour", "on", "no setting"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cairn_settings before = s;
        CHECK(cairn_settings_set(&s, bad[i][0], bad[i][1], message, sizeof message) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(message, bad[i][2]);
        CHECK(memcmp(&s, &before, sizeof s) == 0);
    }
    cairn_option_info options[64];
    for (int i = 0; i < cairn_method_count(); i++) {
        int count = cairn_method_options(method_name(i), options, 64);
        CHECK(count > 4 && count <= 64);
        for (int k = 0; k < count; k++) { /* every default is accepted as text */
            cairn_settings t = cairn_default_settings(method_name(i));
            CHECK(cairn_settings_set(&t, options[k].key, options[k].value, message, sizeof message) == CAIRN_OK);
        }
    }
    CHECK(cairn_method_options("none", options, 64) == -1);
    cairn_context *context = plain_context(1);
    cairn_solver *solver = NULL;
    s = cairn_default_settings("none");
    CHECK(cairn_solver_create(context, &s, &solver) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "no method 'none'");
    memset(s.method, 'x', sizeof s.method); /* no end */
    CHECK(cairn_solver_create(context, &s, &solver) == CAIRN_ERROR_ARGUMENT);
    s = cairn_default_settings("admm");
    s.relaxation = 2.5;
    CHECK(cairn_solver_create(context, &s, &solver) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "relaxation");
    s = (cairn_settings){0};
    CHECK(cairn_solver_create(context, &s, &solver) == CAIRN_ERROR_ARGUMENT);
    s = cairn_default_settings("admm");
    CHECK(cairn_solver_create(context, &s, &solver) == CAIRN_OK);
    cairn_info info;
    CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_ERROR_STATE);
    CHECK(cairn_solver_load(solver, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_solver_load(NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_solver_solve(NULL, NULL, NULL, &info) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_set_law(NULL, CAIRN_LAW_COULOMB) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_set_vectors(NULL, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_set_block(NULL, 0, NULL) == CAIRN_ERROR_ARGUMENT);
    cairn_solver_destroy(solver);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(one_contact_both_laws);
    RUN(huge_friction_sticks);
    RUN(three_solutions);
    RUN(infeasible_is_said);
    RUN(squeezed_body_is_infeasible);
    RUN(box_on_four_corners);
    RUN(no_rows_and_free_flight);
    RUN(limits_and_cancellation);
    RUN(settings_by_name);
    return test_end();
}
