/* padmm for rigid bodies in contact, four contacts side by side: the iterates of the general loop, its tests, two penalties in turn. */
#include "support.h"

/* Samples of cones between rigid bodies alone: faces of four contacts, single contacts, contacts with the ground. */
static const char *const samples[] = {"cairn", "spheres", "stack"};

typedef struct outcome {
    cairn_info info;
    int m;
    double *gamma;
} outcome;

static outcome solve(cairn_context *context, const char *sample, cairn_law law, const cairn_settings *settings) {
    outcome out = {.info = {.outcome = CAIRN_NUMERICAL}};
    cairn_sample_def def = cairn_default_sample_def(sample);
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    def.law = law;
    def.count = 40;
    def.kick = 0.3;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
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

int main(void) {
    RUN(lanes_make_the_iterates_of_the_general_loop);
    RUN(lanes_end_where_the_general_loop_ends);
    RUN(two_penalties_in_turn);
    return test_end();
}
