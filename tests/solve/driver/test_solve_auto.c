/*
 * test_solve_auto.c: what auto says it has done, what a guess costs (a good one little, a poor one never much more than
 * none), and the starting points of ipm.
 */
#include "support/support.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cairn_context *context;

static cairn_problem *sample(const char *name, int count) {
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = NULL;
    def.count = count;
    def.kick = 1.0;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static cairn_solver *load(const char *method, const cairn_problem *problem, double tolerance) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    cairn_solver *solver = NULL;
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    return solver;
}

static void check_note(const char *text, const char *format, int count) {
    char expected[160];
    snprintf(expected, sizeof expected, format, count);
    if (strcmp(text, expected) != 0)
        printf("note '%s', expected '%s'\n", text, expected);
    CHECK(strcmp(text, expected) == 0);
}

/* The words are part of the interface: programs may look for them. */
TEST(notes) {
    cairn_problem *wall = sample("wall", 5);
    cairn_solver *solver = load("auto", wall, 1e-8);
    cairn_info info;
    cairn_answer answer;
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    CHECK(info.outcome == CAIRN_SOLVED);
    check_note(info.note, "interior point: %d iterations", info.iterations);
    double *gamma = malloc((size_t)cairn_problem_get(wall).m * sizeof *gamma);
    memcpy(gamma, answer.gamma, (size_t)cairn_problem_get(wall).m * sizeof *gamma);
    cairn_guess guess = {.gamma = gamma};
    CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK);
    check_note(info.note, "the guess as it is: %d iterations", 0);
    for (int j = 0; j < cairn_problem_get(wall).m; j++)
        gamma[j] *= 1.0 + 1e-6 * (j % 7 - 3);
    CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK);
    CHECK_CONTAINS(info.note, "the guess as it is: 0 iterations to ");
    CHECK_CONTAINS(info.note, "; Newton from the guess: ");
    free(gamma);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(wall);

    cairn_problem *few = sample("cairn", 4);
    solver = load("auto", few, 1e-4);
    CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
    CHECK(info.outcome == CAIRN_SOLVED);
    CHECK_CONTAINS(info.note, "sweeps for few contacts: ");
    cairn_solver_destroy(solver);
    cairn_problem_destroy(few);
}

/* gamma (1 + size times a number in [-1, 1]), always the same. */
static void disturb(int m, const double *exact, double size, double *gamma) {
    unsigned state = 12345;
    for (int j = 0; j < m; j++) {
        state = state * 1664525u + 1013904223u;
        gamma[j] = exact[j] * (1.0 + size * (2.0 * (state >> 8) / 16777216.0 - 1.0));
    }
}

/* Factorisations and solves after a guess against none: small disturbances save, under the exact law those of a hundredth too, large ones
 * cost exactly nothing, and none costs a fifth more. hard: the interior point jams on it. */
static void guess_costs(const char *name, cairn_problem *problem, bool hard, const double *sizes, int count) {
    int m = cairn_problem_get(problem).m;
    bool exact_law = cairn_problem_get(problem).law == CAIRN_LAW_COULOMB;
    double *exact = malloc((size_t)m * sizeof *exact), *gamma = malloc((size_t)m * sizeof *gamma);
    cairn_solver *solver = load("auto", problem, 1e-8);
    cairn_answer answer;
    cairn_info cold, info;
    CHECK(cairn_solver_solve(solver, NULL, &answer, &cold) == CAIRN_OK);
    CHECK(cold.outcome == CAIRN_SOLVED && cold.factorizations > 0);
    memcpy(exact, answer.gamma, (size_t)m * sizeof *exact);
    double cost = cold.factorizations + 0.3 * cold.solves;
    for (int k = 0; k < count; k++) {
        cairn_guess guess = {.gamma = gamma};
        disturb(m, exact, sizes[k], gamma);
        CHECK(cairn_solver_solve(solver, &guess, NULL, &info) == CAIRN_OK);
        CHECK(info.outcome == CAIRN_SOLVED);
        double ratio = (info.factorizations + 0.3 * info.solves) / cost;
        if (!(ratio <= 1.2))
            printf("%s, %g: %.2f of a cold start\n", name, sizes[k], ratio);
        CHECK(ratio <= 1.2);
        CHECK(sizes[k] > 1e-6 || ratio < 0.7);
        CHECK(hard || !exact_law || sizes[k] > 1e-2 || ratio < 0.8);
        if (sizes[k] >= 1.0)
            CHECK(info.factorizations == cold.factorizations && info.solves == cold.solves);
    }
    cairn_solver_destroy(solver);
    free(exact);
    free(gamma);
}

TEST(what_a_guess_costs) {
    static const char *const names[] = {"wall", "cairn", "spheres"};
    static const int counts[] = {8, 40, 64};
    static const double sizes[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0};
    for (int i = 0; i < 3; i++)
        for (int law = 0; law < 2; law++) {
            cairn_problem *problem = sample(names[i], counts[i]);
            CHECK(cairn_problem_set_law(problem, (cairn_law)law) == CAIRN_OK);
            guess_costs(names[i], problem, false, sizes, 7);
            cairn_problem_destroy(problem);
        }
}

/* Steps at which the interior point jams: attempts from a disturbed answer fail, and must end soon. */
TEST(hard_steps) {
    static const char *const names[] = {"box_stacks/Box_Stacks-i1000-364-5.hdf5",
                                        "box_stacks/Box_Stacks-i1000-549-24.hdf5"};
    static const double sizes[] = {1e-4, 3e-4};
    for (int i = 0; i < 2; i++) {
        char path[600];
        cairn_file file;
        if (!shared_path(names[i], path, sizeof path)) {
            printf("skipped: %s is not there\n", names[i]);
            continue;
        }
        CHECK(cairn_file_read(context, path, &file) == CAIRN_OK);
        guess_costs(names[i], file.problem, true, sizes, 2);
        cairn_file_clear(&file);
    }
}

/* Two unit masses on planes: one comes down at 0.1 m/s, the other leaves at 100 m/s. An impulse of 1 N s on the one that leaves has a natural map of about
 * 1e-2, no impulses one of 1e-3: such a guess is put aside. One that is nearly right is begun from. */
TEST(a_guess_worse_than_none) {
    static const int column[] = {0, 1, 2, 3, 4, 5}, start[] = {0, 1, 2, 3, 4, 5, 6}, body[] = {0, 3, 6};
    static const double one[] = {1, 1, 1, 1, 1, 1}, k[] = {-0.1, 0.01, 0.0, 100.0, 0.0, 0.0};
    static const double worse[] = {0, 0, 0, 1, 0, 0}, near[] = {0.1, -0.0099, 0, 0, 0, 0};
    cairn_block block[2] = {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = def.m = 6;
    def.H = def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 6, .cols = 6, .row = column, .start = start, .value = one};
    def.k = k;
    def.blocks = 2;
    def.block = block;
    def.bodies = 2;
    def.body_start = body;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    cairn_solver *solver = load("auto", problem, 1e-8);
    cairn_guess guess = {.gamma = worse};
    cairn_info info;
    CHECK(cairn_solver_solve(solver, &guess, NULL, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    CHECK_CONTAINS(info.note, "; interior point: ");
    CHECK(strstr(info.note, "interior point from the guess") == NULL);
    guess.gamma = near;
    CHECK(cairn_solver_solve(solver, &guess, NULL, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    CHECK_CONTAINS(info.note, "; interior point from the guess: ");
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
}

/* One contact is solved by one visit, whatever the guess: no factorisation. */
TEST(one_contact) {
    static const int column[] = {0, 1, 2}, start[] = {0, 1, 2, 3}, body[] = {0, 3};
    static const double mass[] = {2, 2, 2}, one[] = {1, 1, 1}, k[] = {-3.0, 4.0, 1.0},
                        guess_gamma[] = {2.9, -1.2, -0.3};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.4};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = def.m = 3;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 3, .cols = 3, .row = column, .start = start, .value = mass};
    def.D = def.H;
    def.D.value = one;
    def.k = k;
    def.blocks = 1;
    def.block = &block;
    def.bodies = 1;
    def.body_start = body;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    cairn_solver *solver = load("auto", problem, 1e-8);
    cairn_guess guess = {.gamma = guess_gamma};
    cairn_answer answer;
    cairn_info info;
    CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    CHECK(info.factorizations == 0 && info.iterations <= 5);
    CHECK_NEAR(answer.gamma[0], 3.0, 1e-12); /* slides: friction is 0.4 of it, against the free slip (4, 1) */
    CHECK_NEAR(answer.gamma[1], -1.2 * 4.0 / sqrt(17.0), 1e-12);
    CHECK_NEAR(answer.gamma[2], -1.2 / sqrt(17.0), 1e-12);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
}

/* Every start leads to the same answer; a guess that is not to be used changes nothing. */
TEST(starts_of_ipm) {
    static const char *const starts[] = {"least-squares", "dapuzzo", "nocedal"}, *const warms[] = {"full", "partial",
                                                                                                   "none"};
    for (int law = 0; law < 2; law++) {
        cairn_problem *problem = sample("wall", 6);
        CHECK(cairn_problem_set_law(problem, (cairn_law)law) == CAIRN_OK);
        int m = cairn_problem_get(problem).m;
        double *gamma = malloc((size_t)m * sizeof *gamma);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                cairn_settings settings = cairn_default_settings("ipm");
                char message[200];
                cairn_solver *solver = NULL;
                cairn_answer answer;
                cairn_info cold, warm;
                CHECK(cairn_settings_set(&settings, "start", starts[i], message, sizeof message) == CAIRN_OK);
                CHECK(cairn_settings_set(&settings, "warm", warms[j], message, sizeof message) == CAIRN_OK);
                CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
                CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
                CHECK(cairn_solver_solve(solver, NULL, &answer, &cold) == CAIRN_OK);
                disturb(m, answer.gamma, 1e-5, gamma);
                cairn_guess guess = {.gamma = gamma};
                CHECK(cairn_solver_solve(solver, &guess, NULL, &warm) == CAIRN_OK);
                CHECK(cold.outcome == CAIRN_SOLVED && warm.outcome == CAIRN_SOLVED);
                CHECK(j != 0 || warm.factorizations < cold.factorizations);
                CHECK(j != 2 || (warm.factorizations == cold.factorizations && warm.solves == cold.solves));
                if (j == 1)
                    CHECK_CONTAINS(warm.note, "from the guess");
                cairn_solver_destroy(solver);
            }
        free(gamma);
        cairn_problem_destroy(problem);
    }
    cairn_settings settings = cairn_default_settings("ipm-mt");
    CHECK(settings.start == CAIRN_START_DAPUZZO);
    settings = cairn_default_settings("ipm");
    CHECK(settings.start == CAIRN_START_LEAST_SQUARES);
}

/* Few contacts begin with sweeps; what the stages behind them need is made by the first solve that gets there. Every allocation of that
 * solve fails in turn, and each time the solver stays usable; the second solve takes nothing and gives the same bits. */
TEST(later_stages_take_their_memory_once) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *counting = counting_context(&allocator, 1);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    cairn_problem *problem = NULL;
    def.count = 4;
    def.kick = 1.0;
    CHECK(cairn_sample_create(counting, &def, &problem) == CAIRN_OK);
    cairn_settings settings = cairn_default_settings("auto");
    settings.tolerance = 1e-12;
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    double gamma[120];
    int m = cairn_problem_get(problem).m, tries = 0;
    CHECK(m <= 120 && cairn_solver_create(counting, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (; status != CAIRN_OK && tries < 300; tries++) {
        allocator.fail_at = allocator.allocations + tries;
        status = cairn_solver_solve(solver, NULL, &answer, &info);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
    }
    CHECK(status == CAIRN_OK && info.outcome == CAIRN_SOLVED && tries > 5);
    CHECK_CONTAINS(info.note, "interior point");
    memcpy(gamma, answer.gamma, (size_t)m * sizeof *gamma);
    allocator.fail_at = allocator.allocations;
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    CHECK(memcmp(gamma, answer.gamma, (size_t)m * sizeof *gamma) == 0);
    allocator.fail_at = -1;
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(counting);
    CHECK(allocator.live == 0);
}

int main(void) {
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    RUN(notes);
    RUN(what_a_guess_costs);
    RUN(hard_steps);
    RUN(a_guess_worse_than_none);
    RUN(one_contact);
    RUN(starts_of_ipm);
    cairn_context_destroy(context);
    RUN(later_stages_take_their_memory_once);
    return test_end();
}
