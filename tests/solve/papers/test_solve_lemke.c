/*
 * test_solve_lemke.c: complementary pivoting: random and degenerate LCPs, problems with polyhedral cones under both laws, joints, compliance,
 * the plane, rays, limits, failing memory, threads.
 */
#include "support/support.h"

#include "solve/papers/lemke/lemke.h"

enum { ROWS = 40 };

typedef struct dense_lcp {
    int n;
    double M[ROWS * ROWS], q[ROWS];
} dense_lcp;

static cairn_context *context;

static void dense_row(const void *user, int i, double *out) {
    const dense_lcp *lcp = user;
    memcpy(out, lcp->M + i * lcp->n, (size_t)lcp->n * sizeof *out);
}

/* Pivots until the end or limit; returns the state, *pivots how many. */
static cairn_lemke_state run_lcp(const dense_lcp *lcp, bool plain, int limit, double *z, int *pivots) {
    cairn_arena arena = {0};
    cairn_lemke w = {.plain = plain};
    cairn_lemke_layout(&w, &arena, lcp->n);
    CHECK(cairn_arena_reserve(context, &arena) == CAIRN_OK);
    cairn_lemke_layout(&w, &arena, lcp->n);
    cairn_lemke_state state = cairn_lemke_begin(&w, context, lcp->n, dense_row, lcp, lcp->q);
    for (*pivots = 0; state == CAIRN_LEMKE_GOES_ON && *pivots < limit; ++*pivots)
        state = cairn_lemke_pivot(&w);
    cairn_lemke_point(&w, z);
    cairn_arena_free(context, &arena);
    return state;
}

/* Largest violation of z >= 0, w >= 0, w'z = 0. */
static double miss(const dense_lcp *lcp, const double *z) {
    double worst = 0.0;
    for (int i = 0; i < lcp->n; i++) {
        double w = lcp->q[i];
        for (int k = 0; k < lcp->n; k++)
            w += lcp->M[i * lcp->n + k] * z[k];
        worst = fmax(worst, fmax(-z[i], fmax(-w, fmin(w, z[i]))));
    }
    return worst;
}

/* M = A A'/n + skew: positive definite, so there is always an answer. */
TEST(random_definite_problems) {
    static dense_lcp lcp;
    double z[ROWS], A[ROWS * ROWS];
    for (int seed = 0; seed < 200; seed++) {
        test_random r = {(uint64_t)seed};
        lcp.n = 1 + seed % ROWS;
        int n = lcp.n, pivots;
        for (int e = 0; e < n * n; e++)
            A[e] = test_random_signed(&r);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) {
                double sum = i == k ? 0.1 : i < k ? 0.3 : -0.3;
                for (int l = 0; l < n; l++)
                    sum += A[i * n + l] * A[k * n + l] / n;
                lcp.M[i * n + k] = sum;
            }
        for (int i = 0; i < n; i++)
            lcp.q[i] = test_random_signed(&r);
        CHECK(run_lcp(&lcp, false, 1000, z, &pivots) == CAIRN_LEMKE_DONE);
        CHECK(miss(&lcp, z) < 1e-12);
    }
}

/* Small whole numbers: ties at every pivot. Taking the first of the tied rows cycles on some of them; the lexicographic
 * rule ends on all, and its answers are answers. */
TEST(degenerate_problems_end) {
    static dense_lcp lcp;
    test_random r = {7};
    int cycles = 0, answers = 0;
    for (int trial = 0; trial < 3000; trial++) {
        double z[ROWS];
        int pivots;
        lcp.n = 3 + (int)(4.0 * test_random_unit(&r));
        double low = test_random_unit(&r) < 0.5 ? -1.0 : -2.0;
        for (int e = 0; e < lcp.n * lcp.n; e++)
            lcp.M[e] = low + floor(5.0 * test_random_unit(&r));
        for (int i = 0; i < lcp.n; i++)
            lcp.q[i] = -floor(3.0 * test_random_unit(&r));
        cycles += run_lcp(&lcp, true, 300, z, &pivots) == CAIRN_LEMKE_GOES_ON;
        cairn_lemke_state state = run_lcp(&lcp, false, 300, z, &pivots);
        CHECK(state == CAIRN_LEMKE_DONE || state == CAIRN_LEMKE_RAY);
        if (state == CAIRN_LEMKE_DONE) {
            answers++;
            CHECK(miss(&lcp, z) < 1e-10);
        }
    }
    printf("degenerate problems: %d answers, the plain rule cycles on %d\n", answers, cycles);
    CHECK(cycles > 10 && answers > 500);
}

/* One that cycles without the rule, written out; its answer by hand: rows 3 and 4 hold z = 0 or w = 0. */
TEST(a_problem_that_cycles) {
    static dense_lcp lcp = {.n = 4, .M = {0, -1, 3, 0, 0, 2, 1, 1, -1, 2, 1, -1, 3, 0, -1, 3}, .q = {-1, -1, -1, -1}};
    double z[ROWS];
    int pivots;
    CHECK(run_lcp(&lcp, true, 1000, z, &pivots) == CAIRN_LEMKE_GOES_ON);
    CHECK(run_lcp(&lcp, false, 1000, z, &pivots) == CAIRN_LEMKE_DONE && pivots < 10);
    CHECK(miss(&lcp, z) < 1e-14);
}

TEST(rays_and_nothing_to_do) {
    static dense_lcp lcp = {.n = 2, .M = {-1, 0, 0, -1}, .q = {-1, -1}};
    double z[ROWS];
    int pivots;
    CHECK(run_lcp(&lcp, false, 100, z, &pivots) == CAIRN_LEMKE_RAY); /* -z - 1 >= 0 has no answer */
    lcp.q[0] = lcp.q[1] = 1.0;
    CHECK(run_lcp(&lcp, false, 100, z, &pivots) == CAIRN_LEMKE_DONE && pivots == 0);
    CHECK(z[0] == 0.0 && z[1] == 0.0);
    lcp.q[0] = NAN;
    CHECK(run_lcp(&lcp, false, 100, z, &pivots) == CAIRN_LEMKE_LOST);
}

/* ---- problems ---- */

static cairn_problem *sample(const char *name, int count, double mu, cairn_law law, int directions) {
    cairn_sample_def def = cairn_default_sample_def(name);
    def.mu = mu;
    def.law = law;
    def.count = count;
    def.layers = 3;
    def.kick = 1.0;
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    CHECK(cairn_problem_set_cone(problem, directions) == CAIRN_OK);
    return problem;
}

static cairn_info solve_in(cairn_context *where, const char *method, const cairn_problem *problem, double tolerance,
                           double *gamma, double *u) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    cairn_info info = {.outcome = CAIRN_NUMERICAL};
    size_t bytes = (size_t)cairn_problem_get(problem).m * sizeof(double);
    CHECK(cairn_solver_create(where, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    if (answer.gamma != NULL && gamma != NULL)
        memcpy(gamma, answer.gamma, bytes);
    if (answer.u != NULL && u != NULL)
        memcpy(u, answer.u, bytes);
    cairn_solver_destroy(solver);
    return info;
}

static void compare(const char *a, const char *b, const cairn_problem *problem, double tolerance, double within) {
    int m = cairn_problem_get(problem).m;
    double *u = calloc((size_t)m, sizeof *u), *other = calloc((size_t)m, sizeof *other);
    cairn_info first = solve_in(context, a, problem, tolerance, NULL, u);
    cairn_info second = solve_in(context, b, problem, tolerance, NULL, other);
    CHECK(first.outcome == CAIRN_SOLVED && second.outcome == CAIRN_SOLVED);
    if (first.outcome != CAIRN_SOLVED)
        printf("%s: %s; %s\n", a, cairn_outcome_name(first.outcome), first.note);
    for (int j = 0; j < m; j++)
        CHECK_NEAR(u[j], other[j], within);
    free(u);
    free(other);
}

TEST(samples_of_both_laws) {
    static const char *const name[] = {"cairn", "wall", "spheres", "chain"};
    static const int count[] = {6, 4, 18, 4};
    for (int s = 0; s < 4; s++)
        for (int directions = 4; directions <= 8; directions += 4) {
            cairn_problem *problem = sample(name[s], count[s], 0.4, CAIRN_LAW_ASSOCIATED, directions);
            compare("lemke", "padmm", problem, 1e-8, 1e-5); /* velocities are unique */
            CHECK(cairn_problem_set_law(problem, CAIRN_LAW_COULOMB) == CAIRN_OK);
            cairn_info info = solve_in(context, "lemke", problem, 1e-8, NULL, NULL);
            CHECK(info.outcome == CAIRN_SOLVED && info.certificate.directions == directions);
            cairn_problem_destroy(problem);
        }
}

/* Without friction all methods have one problem, whatever the cone. */
TEST(without_friction) {
    static const char *const other[] = {"ipm", "ipm-mt", "nsn", "padmm"};
    cairn_problem *problem = sample("spheres", 27, 0.0, CAIRN_LAW_COULOMB, 0);
    for (int k = 0; k < 4; k++)
        compare("lemke", other[k], problem, 1e-9, 1e-7);
    CHECK(cairn_problem_set_cone(problem, 6) == CAIRN_OK);
    compare("lemke", "padmm", problem, 1e-9, 1e-7);
    cairn_problem_destroy(problem);
}

/* A contact in the plane, a joint twice over, a unilateral row, compliance; local and global form. */
TEST(joints_plane_and_compliance) {
    enum { n = 6, m = 9 };
    double H[n], D[n * m], k[n], b[m], C[m];
    int hi[n], dr[n * m], dc[n * m];
    test_random r = {5};
    for (int law = 0; law < 2; law++)
        for (int soft = 0; soft < 2; soft++) {
            for (int i = 0; i < n; i++) {
                H[i] = 1.0 + i;
                hi[i] = i;
                k[i] = test_random_signed(&r) - (i == 0 ? 3.0 : 0.0);
            }
            for (int e = 0; e < n * m; e++) {
                dr[e] = e / m;
                dc[e] = e % m;
                D[e] = test_random_signed(&r) + (e % m == 0 && e / m == 0 ? 2.0 : 0.0);
                if (e % m == 8) /* the last joint row is the one before, twice */
                    D[e] = 2.0 * D[e - 1];
            }
            for (int j = 0; j < m; j++) {
                b[j] = j == 7 ? 0.1 : j == 8 ? 0.2 : 0.05 * test_random_signed(&r);
                C[j] = soft && j < 7 ? 0.05 : 0.0;
            }
            const cairn_block block[] = {{.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.5, .directions = 6},
                                         {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.3},
                                         {.set = CAIRN_SET_NONNEGATIVE, .dim = 2},
                                         {.set = CAIRN_SET_BILATERAL, .dim = 2}};
            cairn_problem_def def = cairn_default_problem_def();
            def.law = law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB;
            def.n = n;
            def.m = m;
            def.H = (cairn_sparse){.rows = n, .cols = n, .entries = n, .row = hi, .col = hi, .value = H};
            def.D = (cairn_sparse){.rows = n, .cols = m, .entries = n * m, .row = dr, .col = dc, .value = D};
            def.k = k;
            def.b = b;
            def.C = C;
            def.blocks = 4;
            def.block = block;
            cairn_problem *problem = NULL, *local = NULL;
            CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
            CHECK(cairn_problem_to_local(problem, &local) == CAIRN_OK);
            double u[m], other[m];
            cairn_info info = solve_in(context, "lemke", problem, 1e-9, NULL, u);
            CHECK(info.outcome == CAIRN_SOLVED);
            if (info.outcome != CAIRN_SOLVED)
                printf("law %d soft %d: %s %s\n", law, soft, cairn_outcome_name(info.outcome), info.note);
            info = solve_in(context, "lemke", local, 1e-9, NULL, other);
            CHECK(info.outcome == CAIRN_SOLVED);
            for (int j = 0; j < m && law == 1; j++)
                CHECK_NEAR(u[j], other[j], 1e-7);
            cairn_problem_destroy(local);
            cairn_problem_destroy(problem);
        }
}

/* Two walls that close on a body: no impulse helps. */
TEST(infeasible_is_told) {
    double N[4] = {1, -1, -1, 1}, b[2] = {-1, -1};
    const cairn_block block = {.set = CAIRN_SET_NONNEGATIVE, .dim = 2};
    cairn_problem *problem = local_problem(context, 2, N, b, 1, &block, CAIRN_LAW_COULOMB);
    cairn_info info = solve_in(context, "lemke", problem, 1e-8, NULL, NULL);
    CHECK(info.outcome == CAIRN_INFEASIBLE);
    cairn_problem_destroy(problem);
}

TEST(refusals) {
    cairn_problem *problem = sample("cairn", 6, 0.4, CAIRN_LAW_COULOMB, 0);
    cairn_settings settings = cairn_default_settings("lemke");
    cairn_solver *solver = NULL;
    settings.max_rows = 100;
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(context), "--cone poly:N");
    CHECK(cairn_problem_set_cone(problem, 8) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(context), "max_rows = 100");
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
}

TEST(threads_do_not_change_bits) {
    double *gamma[2];
    for (int t = 0; t < 2; t++) {
        cairn_context *own = plain_context(t == 0 ? 1 : 3), *kept = context;
        context = own;
        cairn_problem *problem = sample("spheres", 40, 0.4, CAIRN_LAW_COULOMB, 6);
        int m = cairn_problem_get(problem).m;
        gamma[t] = calloc((size_t)m, sizeof **gamma);
        CHECK(solve_in(own, "lemke", problem, 1e-8, gamma[t], NULL).outcome == CAIRN_SOLVED);
        if (t == 1)
            CHECK(memcmp(gamma[0], gamma[1], (size_t)m * sizeof **gamma) == 0);
        cairn_problem_destroy(problem);
        context = kept;
        cairn_context_destroy(own);
    }
    free(gamma[0]);
    free(gamma[1]);
}

/* Every allocation of a load fails once; a solve takes none. */
TEST(failing_memory) {
    static const char *const method[] = {"lemke", "ipm-mt"};
    for (int k = 0; k < 2; k++) {
        counting_allocator counter = {.fail_at = -1};
        cairn_context *own = counting_context(&counter, 1), *kept = context;
        context = own;
        cairn_problem *problem = sample("cairn", 4, 0.4, CAIRN_LAW_ASSOCIATED, 4);
        context = kept;
        cairn_settings settings = cairn_default_settings(method[k]);
        cairn_solver *solver = NULL;
        CHECK(cairn_solver_create(own, &settings, &solver) == CAIRN_OK);
        int before = counter.allocations, live = counter.live;
        cairn_status status = CAIRN_ERROR_MEMORY;
        int failures = 0;
        for (int at = 0; status != CAIRN_OK && at < 1000; at++) {
            counter.fail_at = counter.allocations + at;
            status = cairn_solver_load(solver, problem);
            CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && counter.live <= live + 1));
            failures += status != CAIRN_OK;
        }
        counter.fail_at = -1;
        CHECK(status == CAIRN_OK && failures > 3 && counter.allocations > before);
        int after = counter.allocations;
        cairn_info info;
        CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
        CHECK(counter.allocations == after);
        cairn_solver_destroy(solver);
        cairn_problem_destroy(problem);
        cairn_context_destroy(own);
        CHECK(counter.live == 0);
    }
}

int main(void) {
    context = plain_context(1);
    RUN(random_definite_problems);
    RUN(degenerate_problems_end);
    RUN(a_problem_that_cycles);
    RUN(rays_and_nothing_to_do);
    RUN(samples_of_both_laws);
    RUN(without_friction);
    RUN(joints_plane_and_compliance);
    RUN(infeasible_is_told);
    RUN(refusals);
    RUN(threads_do_not_change_bits);
    RUN(failing_memory);
    cairn_context_destroy(context);
    return test_end();
}
