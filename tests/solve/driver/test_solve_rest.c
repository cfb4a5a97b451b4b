/*
 * test_solve_rest.c: light loads, as time steps make them, of bodies at rest whose last impulses are the guess.
 */
#include "support/support.h"

#include "problem/problem_data.h"
#include "solve/driver/step_solver.h"

#include <math.h>
#include <string.h>

/* A light load and a solve from a guess of bodies at rest; gamma: m numbers out. */
static cairn_info solve_lightly(cairn_context *context, const cairn_problem *p, const double *guess, double *gamma) {
    cairn_settings settings = cairn_default_settings("auto");
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    double *still = calloc((size_t)p->n, sizeof *still);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load_light(solver, p) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, &(cairn_guess){.gamma = guess, .v = still}, &answer, &info) == CAIRN_OK);
    memcpy(gamma, answer.gamma, (size_t)p->m * sizeof *gamma);
    cairn_solver_destroy(solver);
    free(still);
    return info;
}

/* Impulses that hold a body are taken as they are; if they are too weak it is solved. */
TEST(impulses_that_hold_are_kept) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("box-on-four");
    cairn_problem *p = NULL;
    CHECK(cairn_sample_create(context, &def, &p) == CAIRN_OK);
    double known[12], guess[12], gamma[12];
    CHECK(p->m == 12 && cairn_sample_known(context, &def, p->m, known, NULL) == CAIRN_OK);
    cairn_info info = solve_lightly(context, p, known, gamma);
    CHECK(info.outcome == CAIRN_SOLVED && info.iterations == 0 && info.checks == 1);
    CHECK(strncmp(info.note, "the guess as it is", 18) == 0);
    CHECK(info.certificate.error < 1e-14 && memcmp(gamma, known, sizeof known) == 0);
    for (int j = 0; j < 12; j++)
        guess[j] = 0.9 * known[j];
    info = solve_lightly(context, p, guess, gamma);
    CHECK(info.outcome == CAIRN_SOLVED && info.iterations > 0);
    double sum = 0.0, whole = 0.0;
    for (int j = 0; j < 12; j += 3) {
        sum += gamma[j];
        whole += known[j];
    }
    CHECK(fabs(sum - whole) < 1e-6 * whole);
    cairn_problem_destroy(p);
    cairn_context_destroy(context);
}

/* A body between two walls may be held by impulses that nothing made but themselves. It falls: no impulses at all are an answer, and go before the guess. */
TEST(no_impulses_go_before_a_guess_that_holds) {
    cairn_context *context = plain_context(1);
    const int H_start[7] = {0, 1, 2, 3, 4, 5, 6}, H_row[6] = {0, 1, 2, 3, 4, 5}, D_row[6] = {0, 1, 2, 0, 1, 2};
    const double one[6] = {1, 1, 1, 1, 1, 1}, D_value[6] = {1, 1, 1, -1, 1, 1}, k[6] = {0, 0, -0.1, 0, 0, 0};
    const cairn_block block[2] = {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5},
                                  {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}};
    const int body_start[2] = {0, 6};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = def.m = 6;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 6, .cols = 6, .row = H_row, .start = H_start, .value = one};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 6, .cols = 6, .row = D_row, .start = H_start, .value = D_value};
    def.k = k;
    def.blocks = 2;
    def.block = block;
    def.bodies = 1;
    def.body_start = body_start;
    cairn_problem *p = NULL;
    CHECK(cairn_problem_create(context, &def, &p) == CAIRN_OK);
    const double guess[6] = {1, 0, 0.05, 1, 0, 0.05};
    double gamma[6];
    cairn_certificate c;
    CHECK(cairn_certify(p, NULL, guess, 1e-12, &c, NULL, NULL) == CAIRN_OK && c.certified);
    cairn_info info = solve_lightly(context, p, guess, gamma);
    CHECK(info.outcome == CAIRN_SOLVED);
    for (int j = 0; j < 6; j++)
        CHECK(gamma[j] == 0.0);
    cairn_problem_destroy(p);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(impulses_that_hold_are_kept);
    RUN(no_impulses_go_before_a_guess_that_holds);
    return test_end();
}
