/*
 * test_solve_mt.c: ipm-mt: every variant answers, agrees with other methods, takes nearly the same iterations whatever the size, and no more with a
 * full warm start than without.
 */
#include "support/support.h"

#include "solve/papers/mt/mt_start.h"

static cairn_context *context;

static cairn_problem *sample(const char *name, int count, double mu, cairn_law law, int directions) {
    cairn_sample_def def = cairn_default_sample_def(name);
    def.mu = mu;
    def.law = law;
    def.count = count;
    def.layers = 3;
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    CHECK(cairn_problem_set_cone(problem, directions) == CAIRN_OK);
    return problem;
}

typedef struct answered {
    cairn_info info;
    double *gamma, *u, *v;
} answered;

static void forget(answered *a) {
    free(a->gamma);
    free(a->u);
    free(a->v);
}

/* options: "key=value key=value". */
static answered solve(const char *method, const char *options, const cairn_problem *problem, const double *guess) {
    cairn_problem_view view = cairn_problem_get(problem);
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = 1e-9;
    char text[128], message[256];
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        CHECK(cairn_settings_set(&settings, word, equals + 1, message, sizeof message) == CAIRN_OK);
    }
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    answered a = {.info = {.outcome = CAIRN_NUMERICAL}};
    a.gamma = calloc((size_t)view.m + 1, sizeof(double));
    a.u = calloc((size_t)view.m + 1, sizeof(double));
    a.v = calloc((size_t)view.n + 1, sizeof(double));
    cairn_guess from = {.gamma = guess};
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, guess != NULL ? &from : NULL, &answer, &a.info) == CAIRN_OK);
    if (answer.gamma != NULL) {
        memcpy(a.gamma, answer.gamma, (size_t)view.m * sizeof(double));
        memcpy(a.u, answer.u, (size_t)view.m * sizeof(double));
        memcpy(a.v, answer.v, (size_t)view.n * sizeof(double));
    }
    cairn_solver_destroy(solver);
    return a;
}

static const char *const variants[] = {"start=dapuzzo",          "start=nocedal",
                                       "steps=separate",         "units=si",
                                       "cheap_residuals=off",    "steps=separate cheap_residuals=off",
                                       "start=nocedal units=si", "start=nocedal steps=separate"};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Frictionless, with joints, with polyhedral cones under the associated law: v as other methods find it. */
TEST(every_variant_agrees) {
    static const struct {
        const char *name;
        int count;
        double mu;
        int directions;
        const char *other;
    } scene[] = {{"spheres", 64, 0.0, 0, "ipm"}, {"cairn", 14, 0.0, 0, "ipm"},     {"chain", 6, 0.0, 0, "ipm"},
                 {"wall", 4, 0.4, 6, "nsn"},     {"spheres", 27, 0.3, 8, "padmm"}, {"chain", 4, 0.4, 4, "lemke"}};
    for (int s = 0; s < 6; s++) {
        cairn_problem *problem = sample(scene[s].name, scene[s].count, scene[s].mu, CAIRN_LAW_ASSOCIATED,
                                        scene[s].directions);
        answered other = solve(scene[s].other, "", problem, NULL);
        CHECK(other.info.outcome == CAIRN_SOLVED);
        for (int k = 0; k < VARIANTS; k++) {
            answered mine = solve("ipm-mt", variants[k], problem, NULL);
            CHECK(mine.info.outcome == CAIRN_SOLVED);
            if (mine.info.outcome != CAIRN_SOLVED)
                printf("%s, %s: %s at %.1e; %s\n", scene[s].name, variants[k], cairn_outcome_name(mine.info.outcome),
                       mine.info.certificate.natural_map, mine.info.note);
            for (int i = 0; i < cairn_problem_get(problem).n; i++)
                CHECK_NEAR(mine.v[i], other.v[i], 1e-6);
            forget(&mine);
        }
        forget(&other);
        cairn_problem_destroy(problem);
    }
}

/* [MT] table 1: 16.7 to 19.4 iterations from 1200 to 13800 rows. */
TEST(iterations_hardly_grow) {
    static const int count[] = {27, 125, 512};
    int least = 1000, most = 0;
    for (int c = 0; c < 3; c++) {
        cairn_problem *problem = sample("spheres", count[c], 0.0, CAIRN_LAW_COULOMB, 0);
        answered a = solve("ipm-mt", "tolerance=1e-8", problem, NULL);
        CHECK(a.info.outcome == CAIRN_SOLVED);
        printf("%d contacts: %d iterations\n", cairn_problem_get(problem).blocks, a.info.iterations);
        least = a.info.iterations < least ? a.info.iterations : least;
        most = a.info.iterations > most ? a.info.iterations : most;
        forget(&a);
        cairn_problem_destroy(problem);
    }
    CHECK(most <= least + 6 && most < 25);
}

/* At rest the next step is the same problem, or nearly: loads off by a share. */
TEST(full_warm_start_is_never_worse) {
    static const char *const name[] = {"spheres", "cairn", "wall", "box-on-four", "cairn", "wall"};
    static const int count[] = {64, 30, 6, 1, 14, 4};
    static const int directions[] = {0, 0, 0, 0, 6, 8}; /* the last two with friction */
    static const double noise[] = {0.0, 1e-8, 1e-4, 1e-2, 1e-1};
    for (int s = 0; s < 6; s++) {
        double mu = directions[s] > 0 ? 0.4 : 0.0;
        cairn_problem *problem = sample(name[s], count[s], mu, CAIRN_LAW_ASSOCIATED, directions[s]);
        cairn_problem_view view = cairn_problem_get(problem);
        double *k = calloc((size_t)view.n, sizeof *k), *kept = calloc((size_t)view.n, sizeof *kept);
        memcpy(kept, view.k, (size_t)view.n * sizeof *k);
        answered last = solve("ipm-mt", "", problem, NULL);
        for (int e = 0; e < 5; e++) {
            test_random r = {3};
            for (int i = 0; i < view.n; i++)
                k[i] = kept[i] * (1.0 + noise[e] * test_random_signed(&r));
            CHECK(cairn_problem_set_vectors(problem, k, NULL) == CAIRN_OK);
            answered cold = solve("ipm-mt", "warm=none", problem, last.gamma);
            answered partial = solve("ipm-mt", "warm=partial", problem, last.gamma);
            answered full = solve("ipm-mt", "", problem, last.gamma);
            printf("%s, %g: cold %d, partial %d, full %d\n", name[s], noise[e], cold.info.iterations,
                   partial.info.iterations, full.info.iterations);
            CHECK(cold.info.outcome == CAIRN_SOLVED && partial.info.outcome == CAIRN_SOLVED &&
                  full.info.outcome == CAIRN_SOLVED);
            CHECK(full.info.iterations <= cold.info.iterations);
            CHECK(noise[e] > 0.0 || full.info.iterations == 0);
            forget(&cold);
            forget(&partial);
            forget(&full);
        }
        forget(&last);
        free(k);
        free(kept);
        cairn_problem_destroy(problem);
    }
}

/* At its own test the paper stops; whether that is enough the judge says. */
TEST(the_papers_own_stop) {
    cairn_problem *problem = sample("spheres", 64, 0.0, CAIRN_LAW_COULOMB, 0);
    answered strict = solve("ipm-mt", "stop=paper units=si tolerance=1e-12", problem, NULL);
    CHECK(strict.info.outcome == CAIRN_STALLED);
    CHECK_CONTAINS(strict.info.note, "own tolerances");
    CHECK(strict.info.certificate.natural_map < 1e-3);
    answered loose = solve("ipm-mt", "stop=paper units=si tolerance=1e-3", problem, NULL);
    CHECK(loose.info.outcome == CAIRN_SOLVED && loose.info.iterations == strict.info.iterations);
    answered tight = solve("ipm-mt", "stop=paper eps_tau=1e-11 tolerance=1e-6", problem, NULL);
    CHECK(tight.info.outcome == CAIRN_SOLVED && tight.info.iterations > strict.info.iterations);
    forget(&strict);
    forget(&loose);
    forget(&tight);
    cairn_problem_destroy(problem);
}

/* A mass in kg that walls across its first axes hold, for k N s and b m/s along each of them: so many problems of one row, all the same. */
static cairn_problem *one_mass(double mass, double k, double b, int walls) {
    const double K[] = {k, walls > 1 ? k : 0.0, walls > 2 ? k : 0.0}, H[] = {mass, mass, mass}, D[] = {1.0, 1.0, 1.0};
    const double B[] = {b, b, b};
    const int i[] = {0, 1, 2};
    const cairn_block one = {.set = CAIRN_SET_NONNEGATIVE, .dim = 1}, block[] = {one, one, one};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = 3;
    def.m = walls;
    def.H = (cairn_sparse){.rows = 3, .cols = 3, .entries = 3, .row = i, .col = i, .value = H};
    def.D = (cairn_sparse){.rows = 3, .cols = walls, .entries = walls, .row = i, .col = i, .value = D};
    def.k = K;
    def.b = B;
    def.blocks = walls;
    def.block = block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* One ball of 1000 kg that rests: [MT table 2] has a gain of partial warm starts, which needs Nocedal's point to begin at y = A x - a. */
TEST(partial_warm_starts_gain) {
    cairn_problem *problem = one_mass(1000.0, -98.1, 0.0, 1);
    const double guess[] = {98.1};
    const char *const start[] = {"dapuzzo", "nocedal"};
    for (int s = 0; s < 2; s++) {
        int iterations[2];
        for (int partial = 0; partial < 2; partial++) {
            char text[96];
            snprintf(text, sizeof text, "stop=paper units=si tolerance=1e-6 warm=%s start=%s",
                     partial ? "partial" : "none", start[s]);
            answered a = solve("ipm-mt", text, problem, guess);
            CHECK(a.info.outcome == CAIRN_SOLVED);
            iterations[partial] = a.info.iterations;
            forget(&a);
        }
        printf("%s: cold %d, partial %d\n", start[s], iterations[0], iterations[1]);
        CHECK(s == 0 ? iterations[1] == iterations[0] : iterations[1] <= iterations[0] - 3);
    }
    cairn_problem_destroy(problem);
}

/* Newton's step of [MT (16)] for one unknown, G = A = 1: dy, dlambda for the target t. */
static void step_by_hand(double rd, double rp, double y, double lambda, double t, double *dy, double *dlambda) {
    double w = lambda / y, dx = (-rd - t / y - w * rp) / (1.0 + w);
    *dy = dx + rp;
    *dlambda = -t / y - w * *dy;
}

static double length_by_hand(double y, double dy, double lambda, double dlambda, double eta) {
    double a = dy < 0.0 ? fmin(1.0, -eta * y / dy) : 1.0;
    return dlambda < 0.0 ? fmin(a, -eta * lambda / dlambda) : a;
}

/* tau where start=nocedal begins, and an iteration later. */
static void two_measures(double k, double b, int walls, double tau[2]) {
    cairn_problem *problem = one_mass(1.0, k, b, walls);
    for (int i = 0; i < 2; i++) {
        char text[96];
        snprintf(text, sizeof text, "stop=paper units=si start=nocedal max_iterations=%d", i + 1);
        answered a = solve("ipm-mt", text, problem, NULL);
        tau[i] = a.info.rho;
        forget(&a);
    }
    cairn_problem_destroy(problem);
}

/* [MT (21)] from x = 1, y = 1 - 5, lambda = 1 with G = A = 1, c = 3: dx = -16/3, so that y = |-4 - 16/3| = 28/3, lambda = |-4/3|. With c = 2 and y = 2 it is
 * y = lambda = 1; then one iteration of three rows, with eta of their total. */
TEST(one_iteration_by_hand) {
    double y = 1.0, lambda = 1.0, rd = 2.0, rp = 1.0, dy, dlambda, tau[2];
    two_measures(-3.0, -5.0, 1, tau);
    CHECK_NEAR(tau[0], 112.0 / 9.0, 1e-12);
    step_by_hand(rd, rp, y, lambda, y * lambda, &dy, &dlambda);
    double a = length_by_hand(y, dy, lambda, dlambda, 1.0);
    double sigma = pow((y + a * dy) * (lambda + a * dlambda), 3.0);
    step_by_hand(rd, rp, y, lambda, 1.0 + dy * dlambda - sigma, &dy, &dlambda);
    a = length_by_hand(y, dy, lambda, dlambda, 0.9 + 0.1 * exp(-3.0));
    two_measures(-2.0, 1.0, 3, tau);
    printf("tau: %.12g, then %.12g\n", tau[0], tau[1]);
    CHECK_NEAR(tau[0], 1.0, 1e-12);
    CHECK_NEAR(tau[1], (y + a * dy) * (lambda + a * dlambda), 1e-12);
}

/* Slacks of either sign in the first Newton system. */
TEST(nocedal_as_the_authors_begin) {
    static const char *const name[] = {"spheres", "cairn", "chain", "box-on-four"};
    static const int size[] = {64, 14, 6, 1};
    for (int s = 0; s < 4; s++) {
        cairn_problem *problem = sample(name[s], size[s], 0.0, CAIRN_LAW_COULOMB, 0);
        answered other = solve("ipm", "", problem, NULL);
        answered mine = solve("ipm-mt", "stop=paper units=si start=nocedal tolerance=1e-4", problem, NULL);
        printf("%s: %d iterations, natural map %.1e\n", name[s], mine.info.iterations,
               mine.info.certificate.natural_map);
        CHECK(mine.info.outcome == CAIRN_SOLVED);
        for (int i = 0; i < cairn_problem_get(problem).n; i++)
            CHECK_NEAR(mine.v[i], other.v[i], 1e-3);
        forget(&mine);
        forget(&other);
        cairn_problem_destroy(problem);
    }
}

/* The exit holds y'lambda, not its mean over the rows, against eps_tau: rows times as much ends sooner, and there y'lambda is what was asked for. */
TEST(the_exit_takes_the_total) {
    cairn_problem *problem = sample("spheres", 64, 0.0, CAIRN_LAW_COULOMB, 0);
    int rows = cairn_problem_get(problem).blocks;
    double eps[] = {1e-2, 1e-2 * rows}, total[2] = {0.0, 0.0};
    int iterations[2];
    for (int k = 0; k < 2; k++) {
        char text[128];
        snprintf(text, sizeof text, "stop=paper units=si tolerance=1e-12 eps_rp=1e9 eps_rd=1e9 eps_tau=%.17g", eps[k]);
        answered a = solve("ipm-mt", text, problem, NULL);
        total[k] = rows * a.info.rho; /* rho is tau, the mean */
        iterations[k] = a.info.iterations;
        printf("%d rows, eps_tau=%g: %d iterations, y'lambda = %g\n", rows, eps[k], iterations[k], total[k]);
        forget(&a);
    }
    CHECK(iterations[1] < iterations[0]);
    CHECK(total[0] < eps[0] && total[1] < eps[1] && total[1] > eps[0]);
    cairn_problem_destroy(problem);
}

TEST(starting_points) {
    double slack[3] = {-2.0, 0.5, 4.0}, y[3], lambda[3];
    cairn_start_dapuzzo(3, slack, y, lambda);
    CHECK(y[0] == 1.0 && y[1] == 1.0 && y[2] == 4.0 && lambda[2] == 0.25);
    double dy[3] = {-4.0, 0.0, -0.5}, dl[3] = {9.0, -1.5, -8.0};
    for (int i = 0; i < 3; i++)
        y[i] = lambda[i] = 1.0;
    cairn_start_nocedal(3, dy, dl, y, lambda);
    CHECK(y[0] == 3.0 && y[1] == 1.0 && y[2] == 1.0);
    CHECK(lambda[0] == 10.0 && lambda[1] == 1.0 && lambda[2] == 7.0);
    cairn_start_lift(3, 2.0, y, lambda);
    CHECK(y[0] == 3.0 && y[1] == 2.0 && lambda[1] == 2.0 && lambda[2] == 7.0);
}

/* Soft rows: agreement with ipm where compliance is on every row, and where it differs from row to row. */
TEST(compliance) {
    enum { n = 4, m = 7 };
    double H[n] = {1, 2, 3, 4}, D[n * m], k[n] = {-3, -1, 1, -2}, b[m], C[m];
    int hi[n] = {0, 1, 2, 3}, dr[n * m], dc[n * m];
    test_random r = {11};
    for (int e = 0; e < n * m; e++) {
        dr[e] = e / m;
        dc[e] = e % m;
        D[e] = test_random_signed(&r);
    }
    for (int j = 0; j < m; j++) {
        b[j] = 0.1 * test_random_signed(&r);
        C[j] = 0.1 + 0.05 * j;
    }
    const cairn_block block[] = {{.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.6, .directions = 6},
                                 {.set = CAIRN_SET_NONNEGATIVE, .dim = 3},
                                 {.set = CAIRN_SET_BILATERAL, .dim = 1}};
    cairn_problem_def def = cairn_default_problem_def();
    def.law = CAIRN_LAW_ASSOCIATED;
    def.n = n;
    def.m = m;
    def.H = (cairn_sparse){.rows = n, .cols = n, .entries = n, .row = hi, .col = hi, .value = H};
    def.D = (cairn_sparse){.rows = n, .cols = m, .entries = n * m, .row = dr, .col = dc, .value = D};
    def.k = k;
    def.b = b;
    def.C = C;
    def.blocks = 3;
    def.block = block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    answered other = solve("padmm", "", problem, NULL);
    CHECK(other.info.outcome == CAIRN_SOLVED);
    for (int v = 0; v < VARIANTS; v++) {
        answered mine = solve("ipm-mt", variants[v], problem, NULL);
        CHECK(mine.info.outcome == CAIRN_SOLVED);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(mine.v[i], other.v[i], 1e-7);
        forget(&mine);
    }
    forget(&other);
    cairn_problem_destroy(problem);
}

TEST(refusals) {
    cairn_settings settings = cairn_default_settings("ipm-mt");
    cairn_solver *solver = NULL;
    cairn_problem *problem = sample("cairn", 6, 0.4, CAIRN_LAW_COULOMB, 6);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(context), "it has friction");
    CHECK(cairn_problem_set_law(problem, CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_problem_set_law(problem, CAIRN_LAW_COULOMB) == CAIRN_OK); /* behind the solver's back */
    cairn_info info;
    CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK && info.outcome == CAIRN_NUMERICAL);
    CHECK_CONTAINS(info.note, "changed");
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
}

int main(void) {
    context = plain_context(1);
    RUN(every_variant_agrees);
    RUN(iterations_hardly_grow);
    RUN(full_warm_start_is_never_worse);
    RUN(the_papers_own_stop);
    RUN(partial_warm_starts_gain);
    RUN(one_iteration_by_hand);
    RUN(nocedal_as_the_authors_begin);
    RUN(the_exit_takes_the_total);
    RUN(starting_points);
    RUN(compliance);
    RUN(refusals);
    cairn_context_destroy(context);
    return test_end();
}
