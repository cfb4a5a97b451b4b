/* padmm for rigid bodies in contact, four contacts side by side: the iterates of the general loop, its tests, two penalties in turn. */
#include "support/support.h"

/* Samples of cones between rigid bodies alone: faces of four contacts, single contacts, contacts with the ground. */
static const char *const samples[] = {"cairn", "spheres", "stack"};

typedef struct outcome {
    cairn_info info;
    int m;
    double *gamma;
} outcome;

/* Takes the problem. */
static outcome solve_it(cairn_context *context, cairn_problem *problem, const cairn_settings *settings) {
    outcome out = {.info = {.outcome = CAIRN_NUMERICAL}};
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    CHECK(cairn_solver_create(context, settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &out.info) == CAIRN_OK);
    out.m = cairn_problem_get(problem).m;
    out.gamma = calloc((size_t)out.m, sizeof *out.gamma);
    if (answer.gamma != NULL)
        memcpy(out.gamma, answer.gamma, (size_t)out.m * sizeof *out.gamma);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    return out;
}

static cairn_problem *make(cairn_context *context, const char *sample, int count, double kick, cairn_law law) {
    cairn_sample_def def = cairn_default_sample_def(sample);
    cairn_problem *problem = NULL;
    def.law = law;
    def.count = count;
    def.kick = kick;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static outcome solve(cairn_context *context, const char *sample, cairn_law law, const cairn_settings *settings) {
    return solve_it(context, make(context, sample, 40, 0.3, law), settings);
}

static double largest_difference(const outcome *a, const outcome *b) {
    double worst = 0.0, size = 0.0;
    for (int j = 0; j < a->m; j++) {
        worst = fmax(worst, fabs(a->gamma[j] - b->gamma[j]));
        size = fmax(size, fabs(a->gamma[j]));
    }
    return worst / size;
}

/* A stop of its own, which is never reached, makes padmm take the general loop. */
TEST(lanes_make_the_iterates_of_the_general_loop) {
    cairn_context *context = plain_context(1);
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++)
        for (int law = 0; law < 2; law++)
            for (int fixed = 0; fixed < 2; fixed++) {
                cairn_settings settings = cairn_default_settings("padmm");
                settings.tolerance = 1e-14; /* what 30 iterations have made is compared */
                settings.max_iterations = 30;
                settings.test_every = 1;
                settings.step_max = 3; /* with more of them the penalty leaves the range in which lanes follow */
                if (fixed)
                    settings.step_policy = CAIRN_STEP_FIXED;
                outcome lanes = solve(context, samples[s], (cairn_law)law, &settings);
                settings.eps_dual = 1e-300;
                outcome general = solve(context, samples[s], (cairn_law)law, &settings);
                CHECK(lanes.info.iterations == general.info.iterations);
                CHECK(lanes.info.factorizations == general.info.factorizations);
                CHECK_NEAR(lanes.info.rho, general.info.rho, 1e-9 * general.info.rho);
                CHECK_NEAR(lanes.info.primal, general.info.primal, 1e-6 * general.info.primal + 1e-12);
                CHECK_NEAR(lanes.info.dual, general.info.dual, 1e-6 * general.info.dual + 1e-12);
                CHECK(largest_difference(&lanes, &general) <= 1e-9);
                free(lanes.gamma);
                free(general.gamma);
            }
    cairn_context_destroy(context);
}

/* Fewer tests must not mean that an answer is missed for long. */
TEST(lanes_end_where_the_general_loop_ends) {
    cairn_context *context = plain_context(1);
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++)
        for (int law = 0; law < 2; law++) {
            cairn_settings settings = cairn_default_settings("padmm");
            settings.tolerance = 1e-6;
            outcome lanes = solve(context, samples[s], (cairn_law)law, &settings);
            settings.eps_dual = 1e-300;
            outcome general = solve(context, samples[s], (cairn_law)law, &settings);
            CHECK(lanes.info.outcome == CAIRN_SOLVED && general.info.outcome == CAIRN_SOLVED);
            CHECK(lanes.info.certificate.natural_map <= 1e-6);
            CHECK(lanes.info.iterations >= general.info.iterations &&
                  lanes.info.iterations <= general.info.iterations + 15);
            free(lanes.gamma);
            free(general.gamma);
        }
    cairn_context_destroy(context);
}

/* At a loose tolerance auto takes two penalties in turn: two factorisations, whatever the number of iterations. */
TEST(two_penalties_in_turn) {
    for (int law = 0; law < 2; law++) {
        outcome first = {0};
        for (int threads = 1; threads <= 2; threads++) {
            cairn_context *context = plain_context(threads);
            cairn_settings settings = cairn_default_settings("auto");
            settings.tolerance = 1e-4;
            settings.tolerance_plain = 0.0;
            outcome made = solve(context, "cairn", (cairn_law)law, &settings);
            CHECK(made.info.outcome == CAIRN_SOLVED && made.info.certificate.certified);
            CHECK(strstr(made.info.note, "two penalties in turn") != NULL);
            CHECK(made.info.factorizations <= 2);
            if (threads == 1)
                first = made;
            else
                CHECK(memcmp(first.gamma, made.gamma, (size_t)made.m * sizeof *made.gamma) == 0);
            if (threads == 2)
                free(made.gamma);
            cairn_context_destroy(context);
        }
        free(first.gamma);
    }
}

/* The same problem beside a mass on a rail, which nothing touches: its one row is no body of six, so only one factor can be kept. Takes the problem. */
static cairn_problem *beside_a_rail(cairn_context *context, cairn_problem *plain) {
    cairn_problem *made = NULL;
    cairn_problem_view v = cairn_problem_get(plain);
    int entries = v.H_start[v.n];
    int *start = calloc((size_t)v.n + 2, sizeof *start), *index = calloc((size_t)entries + 1, sizeof *index);
    int *bodies = calloc((size_t)v.bodies + 2, sizeof *bodies);
    double *value = calloc((size_t)entries + 1, sizeof *value), *k = calloc((size_t)v.n + 1, sizeof *k);
    memcpy(start, v.H_start, ((size_t)v.n + 1) * sizeof *start);
    memcpy(index, v.H_index, (size_t)entries * sizeof *index);
    memcpy(value, v.H_value, (size_t)entries * sizeof *value);
    memcpy(k, v.k, (size_t)v.n * sizeof *k);
    memcpy(bodies, v.body_start, ((size_t)v.bodies + 1) * sizeof *bodies);
    start[v.n + 1] = entries + 1;
    index[entries] = v.n;
    value[entries] = 2.0;
    bodies[v.bodies + 1] = v.n + 1;
    cairn_problem_def def = cairn_default_problem_def();
    def.law = v.law;
    def.n = v.n + 1;
    def.m = v.m;
    def.H = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS, .rows = def.n, .cols = def.n};
    def.H.start = start, def.H.row = index, def.H.value = value;
    def.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS, .rows = def.n, .cols = v.m};
    def.D.start = v.D_start, def.D.row = v.D_index, def.D.value = v.D_value;
    def.k = k;
    def.b = v.b;
    def.blocks = v.blocks;
    def.block = v.block;
    def.bodies = v.bodies + 1;
    def.body_start = bodies;
    CHECK(cairn_problem_create(context, &def, &made) == CAIRN_OK);
    cairn_problem_destroy(plain);
    free(start);
    free(index);
    free(value);
    free(k);
    free(bodies);
    return made;
}

/* Then every turn factors again, and makes the iterates that two kept factors make: the same number of them, impulses equal but for rounding. */
TEST(two_penalties_with_one_factor) {
    cairn_context *context = plain_context(1);
    for (int law = 0; law < 2; law++) {
        cairn_settings settings = cairn_default_settings("auto");
        settings.tolerance = 5e-5;
        settings.tolerance_plain = 0.0;
        outcome two = solve_it(context, make(context, "pile", 60, 1.0, (cairn_law)law), &settings);
        cairn_problem *alone = make(context, "pile", 60, 1.0, (cairn_law)law);
        outcome one = solve_it(context, beside_a_rail(context, alone), &settings);
        CHECK(one.info.outcome == CAIRN_SOLVED && one.info.certificate.certified);
        CHECK(strstr(one.info.note, "two penalties in turn") != NULL);
        CHECK(two.info.factorizations == 2 && one.info.factorizations >= 6);
        CHECK(one.info.iterations == two.info.iterations && one.info.iterations > 160);
        CHECK(largest_difference(&two, &one) <= 1e-9);
        free(one.gamma);
        free(two.gamma);
    }
    cairn_context_destroy(context);
}

int main(void) {
    RUN(lanes_make_the_iterates_of_the_general_loop);
    RUN(lanes_end_where_the_general_loop_ends);
    RUN(two_penalties_in_turn);
    RUN(two_penalties_with_one_factor);
    return test_end();
}
