/* The ADMM family: manufactured problems, agreement, warm start, same bits, no allocation on a re-solve. */
#include "support/support.h"

static const char *const family[] = {"admm", "padmm", "fadmm", "pfadmm"};

/* Solves a sample and returns the info; u (m) is copied when not NULL. */
static cairn_info solve_sample(cairn_context *context, const cairn_sample_def *def, const cairn_settings *settings,
                               double *u) {
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    cairn_info info = {.outcome = CAIRN_NUMERICAL};
    CHECK(cairn_sample_create(context, def, &problem) == CAIRN_OK);
    CHECK(cairn_solver_create(context, settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    if (u != NULL && answer.u != NULL)
        memcpy(u, answer.u, (size_t)cairn_problem_get(problem).m * sizeof *u);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    return info;
}

TEST(manufactured_mixes_of_every_set) {
    cairn_context *context = plain_context(1);
    static double known[4096], u[4096];
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int law = 0; law < 2; law++) {
            cairn_sample_def def = cairn_default_sample_def("manufactured");
            def.seed = seed;
            def.law = (cairn_law)law;
            def.count = 4 + 7 * (int)seed;
            cairn_problem *problem = NULL;
            CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
            int m = cairn_problem_get(problem).m;
            cairn_problem_destroy(problem);
            CHECK(m <= 4096 && cairn_sample_known(context, &def, m, NULL, known) == CAIRN_OK);
            for (int i = 0; i < 4; i++) {
                cairn_settings settings = cairn_default_settings(family[i]);
                cairn_info info = solve_sample(context, &def, &settings, u);
                bool plain = family[i][0] != 'p'; /* one penalty for all: slow where scales differ */
                CHECK(info.outcome == CAIRN_SOLVED || plain);
                if (info.outcome != CAIRN_SOLVED || law == CAIRN_LAW_COULOMB)
                    continue; /* the exact law may have several answers; the convex one has one u */
                double error = 0.0, size = 0.0;
                for (int j = 0; j < m; j++) {
                    error = fmax(error, fabs(u[j] - known[j]));
                    size = fmax(size, fabs(known[j]));
                }
                CHECK(error <= 1e-4 * size);
            }
        }
    cairn_context_destroy(context);
}

TEST(options_agree) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    def.count = 12;
    def.kick = 0.3;
    def.law = CAIRN_LAW_ASSOCIATED;
    static double reference[8192], u[8192];
    cairn_settings settings = cairn_default_settings("padmm");
    settings.tolerance = 1e-10;
    CHECK(solve_sample(context, &def, &settings, reference).outcome == CAIRN_SOLVED);
    const char *variants[][2] = {{"step_policy", "fixed"},    {"step_policy", "balanced-normalized"},
                                 {"step_policy", "spectral"}, {"step_root", "on"},
                                 {"relaxation", "1"},         {"anderson", "8"},
                                 {"step_every", "20"},        {"rho", "3"},
                                 {"step_grow", "1"}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char message[200];
        cairn_settings other = settings;
        CHECK(cairn_settings_set(&other, variants[i][0], variants[i][1], message, sizeof message) == CAIRN_OK);
        cairn_info info = solve_sample(context, &def, &other, u);
        CHECK(info.outcome == CAIRN_SOLVED);
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(u[j], reference[j], 1e-7);
    }
    def.law = CAIRN_LAW_COULOMB;
    for (int mode = 0; mode < 3; mode++) {
        cairn_settings other = settings;
        other.tolerance = 1e-6;
        other.coulomb = (cairn_coulomb_mode)mode;
        CHECK(solve_sample(context, &def, &other, NULL).outcome == CAIRN_SOLVED);
    }
    cairn_context_destroy(context);
}

/* Mass ratios do not hurt the preconditioned methods. */
TEST(mass_ratio) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("stack");
    def.heavy = 1e7;
    cairn_settings settings = cairn_default_settings("padmm");
    CHECK(solve_sample(context, &def, &settings, NULL).outcome == CAIRN_SOLVED);
    cairn_context_destroy(context);
}

TEST(joints_alone_need_one_factorisation) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("chain");
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    /* the chain's joints without its contacts */
    int rows = 0, blocks = 0, first = -1;
    for (int i = 0; i < view.blocks; i++)
        if (view.block[i].set == CAIRN_SET_BILATERAL) {
            first = first < 0 ? view.block_start[i] : first;
            rows = view.block_start[i + 1] - first;
            blocks++;
        }
    CHECK(blocks > 1);
    int *start = calloc((size_t)rows + 1, sizeof *start);
    for (int j = 0; j <= rows; j++)
        start[j] = view.D_start[first + j] - view.D_start[first];
    cairn_block *block = calloc((size_t)blocks, sizeof *block);
    for (int i = 0, k = 0; i < view.blocks; i++)
        if (view.block[i].set == CAIRN_SET_BILATERAL)
            block[k++] = view.block[i];
    cairn_problem_def joints = cairn_default_problem_def();
    joints.n = view.n;
    joints.m = rows;
    joints.H = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                              .rows = view.n,
                              .cols = view.n,
                              .row = view.H_index,
                              .start = view.H_start,
                              .value = view.H_value};
    joints.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                              .rows = view.n,
                              .cols = rows,
                              .row = view.D_index + view.D_start[first],
                              .start = start,
                              .value = view.D_value + view.D_start[first]};
    joints.k = view.k;
    joints.b = view.b + first;
    joints.blocks = blocks;
    joints.block = block;
    cairn_problem *alone = NULL;
    CHECK(cairn_problem_create(context, &joints, &alone) == CAIRN_OK);
    for (int i = 0; i < 4; i++) {
        cairn_settings settings = cairn_default_settings(family[i]);
        cairn_solver *solver = NULL;
        cairn_info info;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, alone) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
        CHECK(info.outcome == CAIRN_SOLVED && info.factorizations == 1 && info.iterations <= 6);
        cairn_solver_destroy(solver);
    }
    free(start);
    free(block);
    cairn_problem_destroy(alone);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(warm_start_and_resolve_without_allocation) {
    counting_allocator a = {.fail_at = -1};
    cairn_context *context = counting_context(&a, 2);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    def.count = 12;
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    double *gamma = calloc((size_t)view.m, sizeof *gamma), *k = calloc((size_t)view.n, sizeof *k);
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_method_info method;
        CHECK(cairn_method_get(i, &method) == CAIRN_OK);
        cairn_settings settings = cairn_default_settings(method.name);
        settings.tolerance = 1e-5;
        settings.anderson = i == 0 ? 5 : 0;
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info cold, again, warm;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        cairn_status loaded = cairn_solver_load(solver, problem);
        CHECK(loaded == CAIRN_OK || loaded == CAIRN_ERROR_UNSUPPORTED);
        if (loaded != CAIRN_OK) { /* not for round cones */
            cairn_solver_destroy(solver);
            continue;
        }
        int before = a.allocations;
        CHECK(cairn_solver_solve(solver, NULL, &answer, &cold) == CAIRN_OK);
        memcpy(gamma, answer.gamma, (size_t)view.m * sizeof *gamma);
        CHECK(cairn_solver_solve(solver, NULL, &answer, &again) == CAIRN_OK);
        CHECK(again.iterations == cold.iterations && memcmp(gamma, answer.gamma, (size_t)view.m * sizeof *gamma) == 0);
        cairn_guess guess = {.gamma = gamma, .rho = cold.rho};
        CHECK(cairn_solver_solve(solver, &guess, &answer, &warm) == CAIRN_OK);
        if (cold.outcome == CAIRN_SOLVED)
            CHECK(warm.outcome == CAIRN_SOLVED && warm.iterations <= cold.iterations / 2);
        for (int j = 0; j < view.n; j++)
            k[j] = 1.001 * view.k[j];
        CHECK(cairn_problem_set_vectors(problem, k, NULL) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, &guess, &answer, &warm) == CAIRN_OK);
        CHECK(a.allocations == before);
        gamma[0] = NAN;
        CHECK(cairn_solver_solve(solver, &guess, &answer, &warm) == CAIRN_ERROR_ARGUMENT);
        cairn_solver_destroy(solver);
        for (int j = 0; j < view.n; j++)
            k[j] = view.k[j] / 1.001;
        CHECK(cairn_problem_set_vectors(problem, k, NULL) == CAIRN_OK);
    }
    free(gamma);
    free(k);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(a.live == 0);
}

/* [T21 Algorithm 2]: with warm_velocity the first y is that of the velocities given, without it that of H^-1(k + D gamma) and they count for nothing. */
TEST(velocities_of_a_guess) {
    static const char *const name[] = {"admm", "padmm", "fadmm", "pfadmm"};
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    def.count = 12;
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    double *gamma = calloc((size_t)view.m, sizeof *gamma), *v = calloc((size_t)view.n, sizeof *v);
    for (int i = 0; i < 4; i++) {
        int iterations[2][2]; /* off, on; right, wrong velocities */
        cairn_answer answer;
        cairn_info cold, warm;
        for (int on = 0; on < 2; on++) {
            cairn_settings settings = cairn_default_settings(name[i]);
            cairn_solver *solver = NULL;
            settings.tolerance = 1e-5;
            settings.test_every = 1;
            settings.warm_velocity = on == 1;
            CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
            CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
            CHECK(cairn_solver_solve(solver, NULL, &answer, &cold) == CAIRN_OK);
            memcpy(v, answer.v, (size_t)view.n * sizeof *v);
            for (int j = 0; j < view.m; j++)
                gamma[j] = 1.01 * answer.gamma[j];
            for (int wrong = 0; wrong < 2; wrong++) {
                cairn_guess guess = {.gamma = gamma, .v = v, .rho = cold.rho};
                for (int j = 0; j < view.n && wrong == 1; j++)
                    v[j] = 100.0 * (v[j] + 1.0);
                CHECK(cairn_solver_solve(solver, &guess, &answer, &warm) == CAIRN_OK);
                CHECK(warm.outcome == CAIRN_SOLVED);
                iterations[on][wrong] = warm.iterations;
            }
            v[0] = NAN;
            cairn_guess bad = {.gamma = gamma, .v = v};
            cairn_status status = cairn_solver_solve(solver, &bad, &answer, &warm);
            CHECK(status == (on == 1 ? CAIRN_ERROR_ARGUMENT : CAIRN_OK));
            cairn_solver_destroy(solver);
        }
        CHECK(iterations[0][0] == iterations[0][1]);
        CHECK(iterations[1][0] < iterations[1][1]);
        CHECK(iterations[1][0] != iterations[0][0]);
    }
    free(gamma);
    free(v);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* Large enough that loops are cut into several chunks. */
TEST(same_bits_for_any_number_of_threads) {
    static double first[40000];
    for (int i = 0; i < cairn_method_count(); i++)
        for (int threads = 1; threads <= 4; threads *= 2) {
            cairn_context *context = plain_context(threads);
            cairn_method_info method;
            CHECK(cairn_method_get(i, &method) == CAIRN_OK);
            cairn_sample_def def = cairn_default_sample_def("wall");
            def.count = 12;
            def.layers = 12;
            cairn_problem *problem = NULL;
            cairn_solver *solver = NULL;
            cairn_answer answer;
            cairn_info info;
            CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
            int m = cairn_problem_get(problem).m;
            CHECK(m > 1536 && m <= 40000);
            cairn_settings settings = cairn_default_settings(method.name);
            settings.max_iterations = 40;
            settings.colouring = true;
            settings.anderson = strcmp(method.name, "padmm") == 0 ? 5 : 0;
            CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
            cairn_status loaded = cairn_solver_load(solver, problem);
            CHECK(loaded == CAIRN_OK || loaded == CAIRN_ERROR_UNSUPPORTED);
            if (loaded == CAIRN_OK) {
                CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
                if (threads == 1)
                    memcpy(first, answer.gamma, (size_t)m * sizeof *first);
                CHECK(memcmp(first, answer.gamma, (size_t)m * sizeof *first) == 0);
            }
            cairn_solver_destroy(solver);
            cairn_problem_destroy(problem);
            cairn_context_destroy(context);
        }
}

TEST(failing_allocations) {
    cairn_sample_def def = cairn_default_sample_def("box-on-four");
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_method_info method;
        CHECK(cairn_method_get(i, &method) == CAIRN_OK);
        for (int fail_at = 0;; fail_at++) {
            counting_allocator a = {.fail_at = -1};
            cairn_context *context = counting_context(&a, 1);
            cairn_problem *problem = NULL;
            CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
            int live = a.live;
            a.fail_at = a.allocations + fail_at;
            cairn_settings settings = cairn_default_settings(method.name);
            cairn_solver *solver = NULL;
            cairn_status status = cairn_solver_create(context, &settings, &solver);
            if (status == CAIRN_OK)
                status = cairn_solver_load(solver, problem);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY || status == CAIRN_ERROR_UNSUPPORTED);
            cairn_solver_destroy(solver);
            CHECK(a.live == live);
            cairn_problem_destroy(problem);
            cairn_context_destroy(context);
            if (status != CAIRN_ERROR_MEMORY)
                break;
        }
    }
}

/* The method's own two tolerances of the paper; stopping early is not called solved. */
TEST(own_tolerances) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    cairn_settings settings = cairn_default_settings("admm");
    settings.eps_primal = 1e-2;
    settings.eps_dual = 1e-2;
    settings.tolerance = 1e-13;
    cairn_info info = solve_sample(context, &def, &settings, NULL);
    CHECK(info.outcome == CAIRN_STALLED && !info.certificate.certified);
    CHECK_CONTAINS(info.note, "own tolerances");
    cairn_context_destroy(context);
}

int main(void) {
    RUN(manufactured_mixes_of_every_set);
    RUN(options_agree);
    RUN(mass_ratio);
    RUN(joints_alone_need_one_factorisation);
    RUN(warm_start_and_resolve_without_allocation);
    RUN(velocities_of_a_guess);
    RUN(same_bits_for_any_number_of_threads);
    RUN(failing_allocations);
    RUN(own_tolerances);
    return test_end();
}
