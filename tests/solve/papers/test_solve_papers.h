/*
 * test_solve_papers.h: what the tests of primal-admm, pg and apgd share: settings from text, one solve, small problems, honesty.
 */
#ifndef CAIRN_TEST_SOLVE_PAPERS_H
#define CAIRN_TEST_SOLVE_PAPERS_H

#include "support/support.h"

enum { ROWS_MAX = 4096 };

typedef struct solution {
    cairn_status status;
    cairn_info info;
    double gamma[ROWS_MAX], u[ROWS_MAX];
} solution;

/* Settings of a method with "key=value key=value". */
static inline cairn_settings settings_from(const char *method, const char *options, double tolerance) {
    char text[256], message[1024];
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    settings.tolerance_plain = 0.0;
    snprintf(text, sizeof text, "%s", options);
    for (char *pair = strtok(text, " "); pair != NULL; pair = strtok(NULL, " ")) {
        char *equals = strchr(pair, '=');
        *equals = '\0';
        bool good = cairn_settings_set(&settings, pair, equals + 1, message, sizeof message) == CAIRN_OK;
        if (!good)
            printf("%s\n", message);
        CHECK(good);
    }
    return settings;
}

/* One solve; out is the caller's, because it is large. */
static inline void solve_into(cairn_context *context, const cairn_problem *problem, const cairn_settings *settings,
                              const cairn_guess *guess, solution *out) {
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    size_t bytes = (size_t)cairn_problem_get(problem).m * sizeof(double);
    memset(out, 0, sizeof *out);
    out->status = cairn_solver_create(context, settings, &solver);
    if (out->status == CAIRN_OK)
        out->status = cairn_solver_load(solver, problem);
    if (out->status == CAIRN_OK)
        out->status = cairn_solver_solve(solver, guess, &answer, &out->info);
    if (out->status == CAIRN_OK) {
        memcpy(out->gamma, answer.gamma, bytes);
        memcpy(out->u, answer.u, bytes);
    }
    cairn_solver_destroy(solver);
}

/* A sample with "key=value key=value". */
static inline cairn_problem *sample(cairn_context *context, const char *name, const char *options, cairn_law law) {
    char text[256], message[256];
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = NULL;
    def.law = law;
    snprintf(text, sizeof text, "%s", options);
    for (char *pair = strtok(text, " "); pair != NULL; pair = strtok(NULL, " ")) {
        char *equals = strchr(pair, '=');
        *equals = '\0';
        CHECK(cairn_sample_set(&def, pair, equals + 1, message, sizeof message) == CAIRN_OK);
    }
    if (cairn_sample_create(context, &def, &problem) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    CHECK(problem != NULL && cairn_problem_get(problem).m <= ROWS_MAX);
    return problem;
}

/* "solved" exactly when a second look agrees; every number finite. */
static inline void check_honest(const cairn_problem *problem, const solution *s, double tolerance) {
    cairn_certificate again;
    int m = cairn_problem_get(problem).m;
    bool finite = true;
    CHECK(s->status == CAIRN_OK);
    for (int j = 0; j < m; j++)
        finite = finite && isfinite(s->gamma[j]) && isfinite(s->u[j]);
    CHECK(finite);
    CHECK(cairn_certify(problem, NULL, s->gamma, tolerance, &again, NULL, NULL) == CAIRN_OK);
    CHECK((s->info.outcome == CAIRN_SOLVED) == again.certified);
    CHECK(s->info.outcome == CAIRN_SOLVED || s->info.outcome == CAIRN_ITERATION_LIMIT ||
          s->info.outcome == CAIRN_STALLED || s->info.outcome == CAIRN_NUMERICAL);
}

/* One contact between a unit point mass and the floor: N = I, r^ = (-1, 2, 0), mu = 0.5, in global form. */
static inline cairn_problem *point_mass(cairn_context *context, double mass, cairn_law law) {
    int index[3] = {0, 1, 2};
    double H[3] = {mass, mass, mass}, D[3] = {1, 1, 1}, b[3] = {-1, 2, 0}, k[3] = {0};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    cairn_problem_def def = cairn_default_problem_def();
    def.law = law;
    def.n = def.m = 3;
    def.H = (cairn_sparse){.rows = 3, .cols = 3, .entries = 3, .row = index, .col = index, .value = H};
    def.D = (cairn_sparse){.rows = 3, .cols = 3, .entries = 3, .row = index, .col = index, .value = D};
    def.k = k;
    def.b = b;
    def.blocks = 1;
    def.block = &block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* Load with every allocation failing in turn; then two solves, cold and warm, that take no memory. */
static inline void check_memory(const char *method, const char *options, int most) {
    static double gamma[ROWS_MAX];
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    cairn_problem *problem = sample(context, "manufactured", "blocks=11", CAIRN_LAW_ASSOCIATED);
    cairn_settings settings = settings_from(method, options, 1e-6);
    cairn_solver *solver = NULL;
    cairn_info info = {0};
    cairn_answer answer = {0};
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    int before = allocator.live, tries = 0;
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (; status != CAIRN_OK && tries < most; tries++) {
        allocator.fail_at = allocator.allocations + tries;
        status = cairn_solver_load(solver, problem);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        CHECK(status == CAIRN_OK || allocator.live <= before + 1); /* the driver keeps its arena */
    }
    CHECK(status == CAIRN_OK);
    allocator.fail_at = -1;
    int taken = allocator.allocations;
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    size_t bytes = (size_t)cairn_problem_get(problem).m * sizeof(double);
    memcpy(gamma, answer.gamma, bytes);
    int cold = info.iterations;
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.iterations == cold);
    CHECK(memcmp(gamma, answer.gamma, bytes) == 0); /* nothing is left over from the solve before */
    cairn_guess guess = {.gamma = gamma};
    CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    CHECK(info.iterations <= 1 && info.iterations < cold);
    CHECK(allocator.allocations == taken);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

/* The same bits for 1, 2, 4 threads. */
static inline void check_threads(const char *method, const char *options) {
    static solution first, other;
    for (int threads = 1; threads <= 4; threads *= 2) {
        cairn_context *context = plain_context(threads);
        cairn_problem *problem = sample(context, "spheres", "spheres=216", CAIRN_LAW_COULOMB);
        cairn_settings settings = settings_from(method, options, 1e-8);
        settings.max_iterations = 60;
        solve_into(context, problem, &settings, NULL, threads == 1 ? &first : &other);
        CHECK(first.status == CAIRN_OK && first.info.iterations > 3);
        if (threads > 1)
            CHECK(other.info.iterations == first.info.iterations &&
                  memcmp(other.gamma, first.gamma, sizeof first.gamma) == 0);
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
    }
}

/* Every kind of set, compliance, both laws: certified, and the known slip under the associated law, where it is unique. */
static inline void check_manufactured(const char *method, const char *options, double tolerance) {
    static solution s;
    static double known[ROWS_MAX];
    for (int law = 0; law < 2; law++)
        for (int seed = 1; seed <= 2; seed++) {
            char text[64];
            cairn_context *context = plain_context(1);
            snprintf(text, sizeof text, "blocks=24 seed=%d", seed);
            cairn_problem *problem = sample(context, "manufactured", text, (cairn_law)law);
            cairn_sample_def def = cairn_default_sample_def("manufactured");
            char message[128];
            def.law = (cairn_law)law;
            def.seed = (uint64_t)seed;
            CHECK(cairn_sample_set(&def, "blocks", "24", message, sizeof message) == CAIRN_OK);
            int m = cairn_problem_get(problem).m;
            CHECK(cairn_sample_known(context, &def, m, NULL, known) == CAIRN_OK);
            cairn_settings settings = settings_from(method, options, tolerance);
            solve_into(context, problem, &settings, NULL, &s);
            CHECK(s.status == CAIRN_OK && s.info.outcome == CAIRN_SOLVED && s.info.certificate.certified);
            if (s.info.outcome != CAIRN_SOLVED)
                printf("%s %s law %d seed %d: %s %d %g %s\n", method, options, law, seed,
                       cairn_outcome_name(s.info.outcome), s.info.iterations, s.info.certificate.natural_map,
                       s.info.note);
            for (int j = 0; j < m && law == CAIRN_LAW_ASSOCIATED; j++)
                CHECK_NEAR(s.u[j], known[j], 1e4 * tolerance);
            cairn_problem_destroy(problem);
            cairn_context_destroy(context);
        }
}

/* Frictionless contacts: both laws are one, and every method finds the same velocities. */
static inline void check_agreement(const char *method, const char *options) {
    static solution s, reference;
    cairn_context *context = plain_context(1);
    for (int kind = 0; kind < 2; kind++)
        for (int law = kind; law < 2; law++) { /* mu = 0: both laws; friction: the associated one, which is convex */
            cairn_problem *problem = sample(context, "spheres", kind == 0 ? "spheres=27 mu=0" : "spheres=27",
                                            (cairn_law)law);
            cairn_settings settings = settings_from(method, options, 1e-8), ipm = settings_from("ipm", "", 1e-10);
            solve_into(context, problem, &ipm, NULL, &reference);
            solve_into(context, problem, &settings, NULL, &s);
            CHECK(reference.info.outcome == CAIRN_SOLVED && s.info.outcome == CAIRN_SOLVED);
            double size = 0.0, difference = 0.0;
            for (int j = 0; j < cairn_problem_get(problem).m; j++) {
                size = fmax(size, fabs(reference.u[j]));
                difference = fmax(difference, fabs(reference.u[j] - s.u[j]));
            }
            CHECK(difference <= 1e-5 * size);
            cairn_problem_destroy(problem);
        }
    cairn_context_destroy(context);
}

#endif
