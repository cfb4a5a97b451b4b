/*
 * test_problem_judge_quick.c: the judge in double: its figures are those of the judge in long double where it says anything at all, and it says nothing where rounding may
 * decide: near exact answers, where free velocities cancel, at the ends of the range of doubles.
 */
#include "support.h"

#include "../src/problem/judge_contacts.h"
#include "../src/problem/judge_quick.h"

#include <math.h>
#include <string.h>

typedef struct bench {
    cairn_context *context;
    cairn_problem *problem;
    double *gamma, *v, *u, *w, *root, *own_v, *free_v;
} bench;

static void open_bench(bench *b, const char *name, int count, cairn_law law) {
    cairn_sample_def def = cairn_default_sample_def(name);
    *b = (bench){.context = plain_context(1)};
    def.count = count;
    def.law = law;
    CHECK(cairn_sample_create(b->context, &def, &b->problem) == CAIRN_OK);
    const cairn_problem *p = b->problem;
    size_t n = (size_t)p->n, m = (size_t)p->m;
    b->gamma = calloc(m, sizeof(double));
    b->u = calloc(m, sizeof(double));
    b->w = calloc(m, sizeof(double));
    b->v = calloc(n, sizeof(double));
    b->root = calloc(n, sizeof(double));
    b->own_v = calloc(n, sizeof(double));
    b->free_v = calloc(n, sizeof(double));
    CHECK(p->A.start[p->n] == p->n); /* H is diagonal */
    for (int i = 0; i < p->n; i++)
        b->root[i] = 1.0 / sqrt(p->A.value[i]);
}

static void close_bench(bench *b) {
    cairn_problem_destroy(b->problem);
    cairn_context_destroy(b->context);
    free(b->gamma);
    free(b->u);
    free(b->w);
    free(b->v);
    free(b->root);
    free(b->own_v);
    free(b->free_v);
}

/* Does the quick judge say anything about gamma? */
static bool speaks(bench *b, cairn_judge_tally *sums) {
    const cairn_judge_quick room = {b->root, b->own_v, b->free_v};
    double momentum = NAN;
    *sums = (cairn_judge_tally){.worst_block = -1};
    return cairn_judge_quick_run(b->problem, &room, NULL, b->gamma, b->u, sums, &momentum);
}

static void check_near(double a, double b) {
    CHECK(fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-13);
}

/* The judge at this tolerance, which may be quick, against the one in long double. */
static void compare(bench *b, double tolerance) {
    cairn_judge *own = NULL, *general = NULL;
    cairn_certificate c, d;
    CHECK(cairn_judge_create(b->problem, &own) == CAIRN_OK);
    CHECK(cairn_judge_create_general(b->problem, &general) == CAIRN_OK);
    CHECK(cairn_judge_run(own, b->v, b->gamma, tolerance, &c, b->u, NULL) == CAIRN_OK);
    CHECK(cairn_judge_run(general, b->v, b->gamma, tolerance, &d, b->w, NULL) == CAIRN_OK);
    CHECK(c.certified == d.certified && c.worst_block == d.worst_block);
    const double mine[] = {
        c.natural_map, c.natural_map_plain, c.momentum,  c.worst_velocity, c.slip,      c.rounding, c.cone, c.gap,
        c.dual,        c.worst_cone,        c.worst_gap, c.worst_gamma,    c.worst_slip};
    const double theirs[] = {
        d.natural_map, d.natural_map_plain, d.momentum,  d.worst_velocity, d.slip,      d.rounding, d.cone, d.gap,
        d.dual,        d.worst_cone,        d.worst_gap, d.worst_gamma,    d.worst_slip};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        check_near(mine[i], theirs[i]);
    for (int j = 0; j < b->problem->m; j++)
        check_near(b->u[j], b->w[j]);
    cairn_judge_destroy(own);
    cairn_judge_destroy(general);
}

/* Impulses that are no answer, of all signs, and velocities that are nobody's. */
TEST(figures_are_those_of_long_double) {
    static const int counts[] = {1, 2, 3, 5, 60};
    test_random random = {5};
    for (int i = 0; i < 20; i++) {
        bench b;
        cairn_judge_tally sums;
        open_bench(&b, i % 2 == 0 ? "pile" : "spheres", counts[i / 4],
                   i / 2 % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED);
        for (int j = 0; j < b.problem->m; j++)
            b.gamma[j] = 1e-3 * test_random_signed(&random);
        for (int j = 0; j < b.problem->n; j++)
            b.v[j] = test_random_signed(&random);
        CHECK(cairn_judge_quick_fits(b.problem));
        CHECK(speaks(&b, &sums));
        compare(&b, 1e-3);
        close_bench(&b);
    }
}

/* Answers to 1e-3 are judged in double, and the same as in long double; answers near rounding are not. */
TEST(answers_are_judged_in_double_only_far_above_rounding) {
    static const double tolerances[] = {1e-3, 1e-4, 1e-10};
    for (int i = 0; i < 3; i++) {
        bench b;
        cairn_judge_tally sums;
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info info;
        open_bench(&b, "pile", 60, CAIRN_LAW_COULOMB);
        cairn_settings settings = cairn_default_settings(tolerances[i] > 1e-6 ? "nncg" : "auto");
        settings.tolerance = tolerances[i];
        settings.tolerance_plain = 0.0;
        CHECK(cairn_solver_create(b.context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, b.problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
        memcpy(b.gamma, answer.gamma, (size_t)b.problem->m * sizeof(double));
        memcpy(b.v, answer.v, (size_t)b.problem->n * sizeof(double));
        CHECK(speaks(&b, &sums) == (tolerances[i] > 1e-6));
        compare(&b, 1e-3);
        cairn_solver_destroy(solver);
        close_bench(&b);
    }
}

/* Free velocities that cancel to 1e-5 of their terms; squares beyond the range of doubles; numbers that are none. */
TEST(hard_numbers_are_left_to_long_double) {
    cairn_judge_tally sums;
    static const double sizes[] = {1e-140, 1e-290, 1e140};
    test_random random = {9};
    for (int i = 0; i < 5; i++) {
        bench b;
        open_bench(&b, "pile", 20, CAIRN_LAW_COULOMB);
        cairn_problem *p = b.problem;
        double size = i < 3 ? sizes[i] : 1.0;
        for (int j = 0; j < p->n; j++)
            p->k[j] *= size;
        for (int j = 0; j < p->m; j++) {
            p->b[j] *= size;
            b.gamma[j] = i == 3 ? 0.0 : size * test_random_signed(&random);
        }
        if (i == 3) { /* r^ = 1e-5 of b */
            CHECK(speaks(&b, &sums));
            for (int j = 0; j < p->m; j++)
                p->b[j] -= (1.0 + 1e-5 * test_random_signed(&random)) * b.u[j];
        }
        if (i == 4)
            b.gamma[7] = NAN;
        CHECK(!speaks(&b, &sums) && sums.worst_block == -1);
        if (i != 4)
            compare(&b, 1e-3);
        close_bench(&b);
    }
}

int main(void) {
    RUN(figures_are_those_of_long_double);
    RUN(answers_are_judged_in_double_only_far_above_rounding);
    RUN(hard_numbers_are_left_to_long_double);
    return test_end();
}
