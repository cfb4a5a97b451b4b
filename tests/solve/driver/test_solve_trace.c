/*
 * test_solve_trace.c: a trace is looked at and changes nothing; it ends with the answer. Limits of settings are told whole, and rare tests do not count as stalling.
 */
#include "support/support.h"

#include <string.h>

typedef struct seen {
    int lines;
    double last; /* natural map of the last line, */
    double phi;  /* and |Phi(u)| */
} seen;

static bool see(void *user, const cairn_iteration *it) {
    seen *s = user;
    s->lines++;
    s->last = it->natural_map;
    s->phi = it->phi;
    return true;
}

static cairn_problem *sample(cairn_context *context, const char *name, const char *key, const char *value) {
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = NULL;
    char message[200] = "";
    if (key != NULL)
        CHECK(cairn_sample_set(&def, key, value, message, sizeof message) == CAIRN_OK);
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* The answer's impulses, for the caller to free; NULL: the method does not take the problem. */
static double *solve(cairn_context *context, const cairn_problem *problem, cairn_settings settings, cairn_info *info) {
    cairn_solver *solver = NULL;
    cairn_answer answer;
    double *gamma = NULL;
    if (cairn_solver_create(context, &settings, &solver) == CAIRN_OK &&
        cairn_solver_load(solver, problem) == CAIRN_OK && cairn_solver_solve(solver, NULL, &answer, info) == CAIRN_OK) {
        size_t bytes = (size_t)cairn_problem_get(problem).m * sizeof *gamma;
        gamma = malloc(bytes);
        if (gamma != NULL)
            memcpy(gamma, answer.gamma, bytes);
    }
    cairn_solver_destroy(solver);
    return gamma;
}

static void same_bits(cairn_context *context, const cairn_problem *problem, double tolerance) {
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_method_info method;
        cairn_info plain = {0}, traced = {0};
        CHECK(cairn_method_get(i, &method) == CAIRN_OK);
        cairn_settings settings = cairn_default_settings(method.name);
        settings.tolerance = tolerance;
        settings.max_iterations = 3000;
        double *a = solve(context, problem, settings, &plain);
        seen s = {0};
        settings.trace = true;
        settings.on_iteration = see;
        settings.user = &s;
        double *b = solve(context, problem, settings, &traced);
        CHECK((a == NULL) == (b == NULL));
        bool same = a == NULL || b == NULL || memcmp(a, b, (size_t)cairn_problem_get(problem).m * sizeof *a) == 0;
        CHECK(same && plain.iterations == traced.iterations && plain.outcome == traced.outcome);
        if (!same || plain.iterations != traced.iterations)
            printf("%s: %d and %d iterations\n", method.name, plain.iterations, traced.iterations);
        free(a);
        free(b);
    }
}

TEST(trace_changes_no_bit) {
    cairn_context *context = plain_context(1);
    const char *const name[] = {"cairn", "wall", "chain", "stack"};
    for (int i = 0; i < 4; i++) {
        cairn_problem *problem = sample(context, name[i], NULL, NULL);
        same_bits(context, problem, 1e-6);
        CHECK(cairn_problem_set_law(problem, CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
        CHECK(cairn_problem_set_cone(problem, 8) == CAIRN_OK);
        if (i == 3)
            same_bits(context, problem, 1e-6);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* |Phi(u)| of the last line is that of the answer; without a trace nobody computes it, and the associated law has none. */
TEST(trace_shows_the_slip_term) {
    cairn_context *context = plain_context(1);
    cairn_problem *problem = sample(context, "spheres", NULL, NULL);
    cairn_problem_view view = cairn_problem_get(problem);
    for (int pass = 0; pass < 3; pass++) {
        cairn_settings settings = cairn_default_settings("primal-admm");
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info info;
        seen s = {0};
        double square = 0.0;
        settings.tolerance = 1e-10;
        settings.max_iterations = 20000;
        settings.trace = pass != 1;
        settings.on_iteration = see;
        settings.user = &s;
        CHECK(cairn_problem_set_law(problem, pass == 2 ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB) == CAIRN_OK);
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
        for (int i = 0; i < view.blocks; i++) {
            double term = view.block[i].mu * hypot(answer.u[3 * i + 1], answer.u[3 * i + 2]);
            square += term * term;
        }
        printf("|Phi| %.9g, of the answer %.9g\n", s.phi, sqrt(square));
        if (pass == 0)
            CHECK(square > 0.0 && fabs(s.phi - sqrt(square)) <= 1e-6 * sqrt(square));
        CHECK(pass != 1 || isnan(s.phi));
        CHECK(pass != 2 || s.phi == 0.0);
        cairn_solver_destroy(solver);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* The last line of Lemke's trace is the answer, after the correction that follows the last pivot. */
TEST(lemke_shows_its_answer) {
    cairn_context *context = plain_context(1);
    cairn_problem *problem = sample(context, "cairn", "stones", "14");
    CHECK(cairn_problem_set_cone(problem, 8) == CAIRN_OK);
    cairn_settings settings = cairn_default_settings("lemke");
    seen s = {0};
    cairn_info info = {0};
    settings.trace = true;
    settings.on_iteration = see;
    settings.user = &s;
    double *gamma = solve(context, problem, settings, &info);
    CHECK(gamma != NULL && info.outcome == CAIRN_SOLVED);
    CHECK(s.lines == info.iterations && s.last <= settings.tolerance);
    printf("%d lines, the last at %.3g\n", s.lines, s.last);
    free(gamma);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* A test every 4500 iterations: 4000 without one are no stalling. */
TEST(rare_tests_are_no_stalling) {
    cairn_context *context = plain_context(1);
    cairn_problem *problem = sample(context, "cairn", "stones", "6");
    const char *const method[] = {"pgs", "padmm", "jacobi", "apgd"};
    for (int i = 0; i < 4; i++) {
        cairn_settings settings = cairn_default_settings(method[i]);
        cairn_info info = {0};
        settings.test_every = 4500;
        settings.max_iterations = 20000;
        settings.tolerance = 1e-6;
        free(solve(context, problem, settings, &info));
        CHECK(info.outcome == CAIRN_SOLVED);
        CHECK(info.iterations >= 4500);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

static void said(const char *method, const char *key, const char *value, const char *words) {
    char message[400] = "";
    cairn_settings settings = cairn_default_settings(method);
    CHECK(cairn_settings_set(&settings, key, value, message, sizeof message) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(message, words);
}

TEST(limits_are_told_whole) {
    said("padmm", "step_clamp", "1e15", "expected [1, 1e+12]");
    said("padmm", "step_clamp", "0.5", "expected >= 1");
    said("padmm", "step_max", "1e12", "expected [0, 2.14748e+09]");
    said("padmm", "rho", "1e31", "expected (0, 1e+30)");
    said("ipm-mt", "start", "least-squares", "expected dapuzzo|nocedal");
    cairn_option_info info[64];
    int count = cairn_method_options("ipm-mt", info, 64);
    for (int i = 0; i < count; i++)
        CHECK(strcmp(info[i].key, "start") != 0 || strcmp(info[i].range, "dapuzzo|nocedal") == 0);
    count = cairn_method_options("ipm", info, 64);
    for (int i = 0; i < count; i++)
        CHECK(strcmp(info[i].key, "start") != 0 || strcmp(info[i].range, "dapuzzo|nocedal|least-squares") == 0);
}

int main(void) {
    RUN(trace_changes_no_bit);
    RUN(trace_shows_the_slip_term);
    RUN(lemke_shows_its_answer);
    RUN(rare_tests_are_no_stalling);
    RUN(limits_are_told_whole);
    return test_end();
}
