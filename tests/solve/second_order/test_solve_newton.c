/* ipm, nsn and auto: agreement with the splitting methods, joints, compliance, no friction, unsymmetric H, warm starts. */
#include "support/support.h"

static const char *const second_order[] = {"ipm", "nsn", "auto"};

/* Two bodies on the floor and on each other, a joint, a unilateral row: 6-row bodies with full blocks of H. */
typedef struct scene {
    double mu, compliance, skew;
    bool joint;
} scene;

enum { N = 12, M = 3 * 5 + 3 + 1 };

static cairn_problem *make_scene(cairn_context *context, scene s, cairn_law law) {
    test_random random = {42};
    static double H[N * N], D[N * M];
    static int hr[N * N], hc[N * N], dr[N * M], dc[N * M];
    double k[N], b[M], C[M];
    cairn_block block[7];
    int blocks = 0, rows = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double value = i == j ? 2.0 + i % 3 : 0.1 * (1 + (i + j) % 3) + (i > j ? s.skew : -s.skew);
            H[i * N + j] = i / 6 == j / 6 ? value : 0.0;
            hr[i * N + j] = i;
            hc[i * N + j] = j;
        }
    memset(D, 0, sizeof D);
    for (int c = 0; c < 7; c++) {
        int dim = c < 5 ? 3 : c == 5 ? (s.joint ? 3 : 0) : 1;
        if (dim == 0)
            continue;
        for (int r = 0; r < dim; r++)
            for (int i = 0; i < N; i++)
                if (c % 3 == 2 || i / 6 == c % 2)
                    D[i * M + rows + r] = test_random_signed(&random) + (r == 0 && i % 6 == 2 ? 2.0 : 0.0);
        cairn_set_kind set = c < 5 ? CAIRN_SET_CONE : c == 5 ? CAIRN_SET_BILATERAL : CAIRN_SET_NONNEGATIVE;
        block[blocks++] = (cairn_block){.set = set, .dim = dim, .mu = s.mu};
        rows += dim;
    }
    for (int e = 0; e < N * M; e++) {
        dr[e] = e / M;
        dc[e] = e % M < rows ? e % M : 0;
        D[e] = e % M < rows ? D[e] : 0.0;
    }
    for (int i = 0; i < N; i++)
        k[i] = i % 6 == 2 ? -3.0 : test_random_signed(&random);
    for (int j = 0; j < M; j++) {
        b[j] = 0.1 * test_random_signed(&random);
        C[j] = s.compliance;
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.law = law;
    def.n = N;
    def.m = rows;
    def.H_unsymmetric = s.skew != 0.0;
    def.H = (cairn_sparse){.rows = N, .cols = N, .entries = N * N, .row = hr, .col = hc, .value = H};
    def.D = (cairn_sparse){.rows = N, .cols = rows, .entries = N * M, .row = dr, .col = dc, .value = D};
    def.k = k;
    def.b = b;
    def.C = C;
    def.blocks = blocks;
    def.block = block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static cairn_info solve(cairn_context *context, const char *method, const cairn_problem *problem, double *u) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = 1e-10;
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    cairn_info info = {.outcome = CAIRN_NUMERICAL};
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    if (answer.u != NULL)
        memcpy(u, answer.u, (size_t)cairn_problem_get(problem).m * sizeof *u);
    cairn_solver_destroy(solver);
    return info;
}

TEST(scenes_agree_with_splitting) {
    cairn_context *context = plain_context(1);
    int total = 0;
    for (int variant = 0; variant < 32; variant++) {
        scene s = {.mu = variant & 1 ? 0.4 : 0.0,
                   .compliance = variant & 2 ? 0.05 : 0.0,
                   .skew = variant & 4 ? 0.02 : 0.0,
                   .joint = (variant & 8) != 0};
        cairn_law law = variant & 16 ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB;
        cairn_problem *problem = make_scene(context, s, law);
        double reference[M], u[M];
        CHECK(solve(context, "padmm", problem, reference).outcome == CAIRN_SOLVED);
        int m = cairn_problem_get(problem).m;
        for (int i = 0; i < 3; i++) {
            cairn_info info = solve(context, second_order[i], problem, u);
            CHECK(info.outcome == CAIRN_SOLVED);
            total += i == 0 ? info.iterations : 0;
            for (int j = 0; j < m; j++) /* small friction: one answer under both laws */
                CHECK_NEAR(u[j], reference[j], 1e-6);
        }
        cairn_problem_destroy(problem);
    }
    printf("interior point: %d iterations for 32 scenes\n", total);
    CHECK(total <= 600); /* a wrong direction is mended by the polish, but it takes more */
    cairn_context_destroy(context);
}

TEST(samples) {
    cairn_context *context = plain_context(1);
    static const char *const names[] = {"stack", "stack-pull", "cairn", "wall", "spheres", "chain", "box-on-four"};
    static double u[65536];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int law = 0; law < 2; law++) {
            cairn_sample_def def = cairn_default_sample_def(names[k]);
            def.law = (cairn_law)law;
            cairn_problem *problem = NULL;
            CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
            CHECK(cairn_problem_get(problem).m <= 65536);
            cairn_info ipm = solve(context, "ipm", problem, u), both = solve(context, "auto", problem, u);
            CHECK(ipm.outcome == CAIRN_SOLVED && ipm.iterations <= 60);
            CHECK(both.outcome == CAIRN_SOLVED);
            cairn_problem_destroy(problem);
        }
    cairn_context_destroy(context);
}

/* Sets the interior point has no barrier for: auto goes on with splitting, nsn takes them as they are. */
TEST(every_set) {
    cairn_context *context = plain_context(1);
    static double u[4096];
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (int law = 0; law < 2; law++) {
            cairn_sample_def def = cairn_default_sample_def("manufactured");
            def.seed = seed;
            def.law = (cairn_law)law;
            cairn_problem *problem = NULL;
            CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
            CHECK(solve(context, "auto", problem, u).outcome == CAIRN_SOLVED);
            cairn_problem_destroy(problem);
        }
    cairn_context_destroy(context);
}

/* Sets without a barrier, and compliances that differ in a block. */
TEST(refusals_say_why) {
    cairn_context *context = plain_context(1);
    double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0, 0};
    cairn_block block = {.set = CAIRN_SET_BALL, .dim = 3, .radius = 0.5};
    cairn_problem *problem = local_problem(context, 3, I, b, 1, &block, CAIRN_LAW_COULOMB);
    cairn_settings settings = cairn_default_settings("ipm");
    cairn_solver *solver = NULL;
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(context), "sets other than");
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* A warm start from a slightly different load: fewer factorisations; a poor one costs no more than a cold start and a look. */
TEST(warm_starts) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    double *gamma = calloc((size_t)view.m, sizeof *gamma), *k = calloc((size_t)view.n, sizeof *k);
    for (int i = 0; i < 3; i++) {
        cairn_settings settings = cairn_default_settings(second_order[i]);
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info cold, warm, poor;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, &answer, &cold) == CAIRN_OK);
        memcpy(gamma, answer.gamma, (size_t)view.m * sizeof *gamma);
        for (int j = 0; j < view.n; j++)
            k[j] = view.k[j] * (1.0 + 1e-4 * (j % 3));
        CHECK(cairn_problem_set_vectors(problem, k, NULL) == CAIRN_OK);
        cairn_guess guess = {.gamma = gamma};
        CHECK(cairn_solver_solve(solver, &guess, &answer, &warm) == CAIRN_OK);
        CHECK(warm.outcome == CAIRN_SOLVED && warm.factorizations < cold.factorizations);
        for (int j = 0; j < view.m; j++)
            gamma[j] = 1e3 * (j % 3 == 0);
        CHECK(cairn_solver_solve(solver, &guess, &answer, &poor) == CAIRN_OK);
        CHECK(poor.outcome == CAIRN_SOLVED);
        if (i != 1)
            CHECK(poor.factorizations <= cold.factorizations + 3);
        for (int j = 0; j < view.n; j++)
            k[j] = view.k[j] / (1.0 + 1e-4 * (j % 3));
        CHECK(cairn_problem_set_vectors(problem, k, NULL) == CAIRN_OK);
        cairn_solver_destroy(solver);
    }
    free(gamma);
    free(k);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(scenes_agree_with_splitting);
    RUN(samples);
    RUN(every_set);
    RUN(refusals_say_why);
    RUN(warm_starts);
    return test_end();
}
