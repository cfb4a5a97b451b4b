/*
 * test_solve_modes.c: flexible parts: bars of springs that lie on each other, solved in modes and with a graded metric (src/solve/auto/reduced_basis.c, graded_metric.c).
 */
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 13, NODES = LENGTH * 4, BARS = 2, N = 3 * NODES * BARS, CONTACTS = LENGTH * 2 * BARS };

typedef struct bars {
    int H_row[200000], H_col[200000], H_count;
    double H_value[200000];
    int D_row[6 * 3 * CONTACTS + 64], D_col[6 * 3 * CONTACTS + 64], D_count;
    double D_value[6 * 3 * CONTACTS + 64];
    double k[N + 6], b[3 * CONTACTS + 6];
    cairn_block block[CONTACTS + 2];
    int body_start[NODES * BARS + 2], bodies, n, m, blocks;
} bars;

static void put_H(bars *s, int row, int col, double value) {
    s->H_row[s->H_count] = row;
    s->H_col[s->H_count] = col;
    s->H_value[s->H_count++] = value;
}

static void put_D(bars *s, int row, int col, double value) {
    s->D_row[s->D_count] = row;
    s->D_col[s->D_count] = col;
    s->D_value[s->D_count++] = value;
}

static int node_at(int bar, int x, int y, int z) {
    return bar * NODES + (x * 2 + y) * 2 + z;
}

static void spring(bars *s, int a, int b, const int *e, double stiffness) {
    double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double value = stiffness * e[i] * e[j] / square;
            put_H(s, 3 * a + i, 3 * a + j, value);
            put_H(s, 3 * b + i, 3 * b + j, value);
            put_H(s, 3 * a + i, 3 * b + j, -value);
            put_H(s, 3 * b + i, 3 * a + j, -value);
        }
}

/* Two bars with nodes of 10 g, one upon the other upon the floor, pushed sideways so that some contacts slide; normals along z. */
static bars *new_bars(double stiffness) {
    static const int way[9][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},  {1, 1, 0}, {1, 0, 1},
                                  {0, 1, 1}, {1, 1, 1}, {1, -1, 0}, {1, 0, -1}};
    static const int axis[3] = {2, 0, 1};
    bars *s = calloc(1, sizeof *s);
    if (s == NULL)
        exit(1);
    s->n = N;
    s->bodies = NODES * BARS;
    for (int i = 0; i <= s->bodies; i++)
        s->body_start[i] = 3 * i;
    for (int bar = 0; bar < BARS; bar++)
        for (int x = 0; x < LENGTH; x++)
            for (int y = 0; y < 2; y++)
                for (int z = 0; z < 2; z++) {
                    int a = node_at(bar, x, y, z);
                    for (int w = 0; w < 9; w++) {
                        int i = x + way[w][0], j = y + way[w][1], l = z + way[w][2];
                        if (i < LENGTH && j >= 0 && j < 2 && l >= 0 && l < 2)
                            spring(s, a, node_at(bar, i, j, l), way[w], stiffness);
                    }
                    for (int i = 0; i < 3; i++)
                        put_H(s, 3 * a + i, 3 * a + i, 0.01);
                    s->k[3 * a] = bar == 1 ? 0.0018 + 1e-4 * x : 0.0;
                    s->k[3 * a + 2] = -0.005;
                    if (z > 0)
                        continue;
                    for (int r = 0; r < 3; r++) {
                        put_D(s, 3 * a + axis[r], s->m + r, 1.0);
                        if (bar > 0)
                            put_D(s, 3 * node_at(bar - 1, x, y, 1) + axis[r], s->m + r, -1.0);
                    }
                    s->b[s->m] = 0.002 * (x % 3);
                    s->block[s->blocks++] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3};
                    s->m += 3;
                }
    return s;
}

static cairn_problem *make(cairn_context *context, bars *s, cairn_law law) {
    cairn_problem_def def = cairn_default_problem_def();
    def.n = s->n;
    def.m = s->m;
    def.law = law;
    def.H = (cairn_sparse){
        .rows = s->n, .cols = s->n, .entries = s->H_count, .row = s->H_row, .col = s->H_col, .value = s->H_value};
    def.D = (cairn_sparse){
        .rows = s->n, .cols = s->m, .entries = s->D_count, .row = s->D_row, .col = s->D_col, .value = s->D_value};
    def.k = s->k;
    def.b = s->b;
    def.blocks = s->blocks;
    def.block = s->block;
    def.bodies = s->bodies;
    def.body_start = s->body_start;
    cairn_problem *problem = NULL;
    return cairn_problem_create(context, &def, &problem) == CAIRN_OK ? problem : NULL;
}

static cairn_solver *solver_for(cairn_context *context, double tolerance) {
    cairn_settings settings = cairn_default_settings("auto");
    settings.tolerance = tolerance;
    settings.tolerance_plain = 0.0;
    cairn_solver *solver = NULL;
    return cairn_solver_create(context, &settings, &solver) == CAIRN_OK ? solver : NULL;
}

/* Solves, and has another judge confirm the answer. */
static cairn_info solve(bars *s, cairn_law law, double *gamma) {
    cairn_context *context = plain_context(1);
    cairn_problem *problem = make(context, s, law);
    cairn_solver *solver = solver_for(context, 1e-6);
    cairn_info info = {0};
    cairn_answer answer = {0};
    cairn_certificate c = {0};
    CHECK(problem != NULL && solver != NULL);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    CHECK(info.outcome == CAIRN_SOLVED);
    CHECK(cairn_certify(problem, answer.v, answer.gamma, 1e-6, &c, NULL, NULL) == CAIRN_OK && c.certified);
    if (gamma != NULL)
        memcpy(gamma, answer.gamma, (size_t)s->m * sizeof *gamma);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return info;
}

TEST(stiff_parts_take_one_factorisation) {
    for (int law = 0; law < 2; law++) {
        bars *s = new_bars(3e7);
        cairn_info info = solve(s, law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB, NULL);
        CHECK(info.factorizations == 1);
        CHECK(info.solves <= 30);
        CHECK(strstr(info.note, "modes") != NULL);
        free(s);
    }
}

TEST(soft_parts_take_few) {
    for (int law = 0; law < 2; law++)
        for (int i = 0; i < 2; i++) {
            bars *s = new_bars(i ? 0.1 : 50.0);
            cairn_info info = solve(s, law ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB, NULL);
            CHECK(info.factorizations <= 8);
            CHECK(strstr(info.note, "interior") == NULL);
            free(s);
        }
}

/* The upper bar is held by a joint at one end; a rigid body of six rows lies on it. */
TEST(joints_and_rigid_bodies_beside_flexible_parts) {
    for (int i = 0; i < 2; i++) {
        bars *s = new_bars(i ? 3e7 : 50.0);
        int end = 3 * node_at(1, LENGTH - 1, 0, 1);
        for (int r = 0; r < 3; r++)
            put_D(s, end + r, s->m + r, 1.0);
        s->block[s->blocks++] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 3};
        s->m += 3;
        for (int r = 0; r < 6; r++)
            put_H(s, N + r, N + r, r < 3 ? 0.5 : 0.002);
        s->k[N + 2] = -0.25;
        s->bodies++;
        s->body_start[s->bodies] = N + 6;
        s->n = N + 6;
        int top = 3 * node_at(1, 4, 1, 1);
        static const int axis[3] = {2, 0, 1};
        for (int r = 0; r < 3; r++) {
            put_D(s, N + axis[r], s->m + r, 1.0);
            put_D(s, top + axis[r], s->m + r, -1.0);
        }
        s->block[s->blocks++] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3};
        s->m += 3;
        double gamma[3 * CONTACTS + 6];
        solve(s, CAIRN_LAW_COULOMB, gamma);
        CHECK_NEAR(gamma[s->m - 3], 0.25, 0.25); /* what holds the body */
        CHECK(gamma[s->m - 3] > 0.0);
        free(s);
    }
}

TEST(factorisations_of_a_load_are_counted_once) {
    bars *s = new_bars(3e7);
    cairn_context *context = plain_context(1);
    cairn_problem *problem = make(context, s, CAIRN_LAW_COULOMB);
    cairn_solver *solver = solver_for(context, 1e-6);
    cairn_info first, second, third;
    cairn_answer answer;
    double *gamma = calloc((size_t)s->m, sizeof *gamma);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &first) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &second) == CAIRN_OK);
    memcpy(gamma, answer.gamma, (size_t)s->m * sizeof *gamma);
    cairn_guess guess = {.gamma = gamma};
    CHECK(cairn_solver_solve(solver, &guess, &answer, &third) == CAIRN_OK);
    CHECK(first.factorizations == 1 && second.factorizations == 0 && third.factorizations == 0);
    CHECK(second.solves < first.solves);
    CHECK(third.solves == 2 && third.iterations == 0); /* H^-1 k and the guess's own velocity */
    for (int i = 0; i < s->n; i++)
        s->k[i] *= 1.0 + 0.02 * (i % 5);
    CHECK(cairn_problem_set_vectors(problem, s->k, NULL) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, &guess, &answer, &third) == CAIRN_OK);
    CHECK(third.outcome == CAIRN_SOLVED && third.factorizations <= 1); /* the guess, corrected in modes */
    CHECK(strstr(third.note, "modes") != NULL);
    free(gamma);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    free(s);
}

TEST(a_part_in_free_flight_takes_one_factorisation_and_one_solve) {
    bars *s = new_bars(50.0);
    s->m = s->blocks = s->D_count = 0;
    cairn_info info = solve(s, CAIRN_LAW_COULOMB, NULL);
    CHECK(info.factorizations == 1 && info.solves == 1);
    free(s);
}

/* New friction after the load reaches the problem in modes too. */
TEST(friction_may_change_between_solves) {
    bars *s = new_bars(3e7);
    cairn_context *context = plain_context(1);
    cairn_problem *problem = make(context, s, CAIRN_LAW_COULOMB);
    cairn_solver *solver = solver_for(context, 1e-6);
    cairn_info info;
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < s->blocks; j++) {
            s->block[j].mu = i ? 0.0 : 0.6;
            CHECK(cairn_problem_set_block(problem, j, &s->block[j]) == CAIRN_OK);
        }
        CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
        CHECK(info.outcome == CAIRN_SOLVED && info.factorizations == 1 - i);
    }
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    free(s);
}

TEST(same_bits_for_all_threads) {
    double *gamma[2] = {NULL, NULL};
    bars *s = new_bars(50.0);
    for (int i = 0; i < 2; i++) {
        cairn_context *context = plain_context(i ? 3 : 1);
        cairn_problem *problem = make(context, s, CAIRN_LAW_COULOMB);
        cairn_solver *solver = solver_for(context, 1e-6);
        cairn_answer answer = {0};
        CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, &answer, NULL) == CAIRN_OK);
        gamma[i] = calloc((size_t)s->m, sizeof(double));
        memcpy(gamma[i], answer.gamma, (size_t)s->m * sizeof(double));
        cairn_solver_destroy(solver);
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
    }
    CHECK(memcmp(gamma[0], gamma[1], (size_t)s->m * sizeof(double)) == 0);
    free(gamma[0]);
    free(gamma[1]);
    free(s);
}

TEST(a_second_solve_takes_no_memory_and_no_failure_leaks) {
    bars *s = new_bars(50.0);
    counting_allocator memory = {.fail_at = -1};
    cairn_context *context = counting_context(&memory, 1);
    cairn_problem *problem = make(context, s, CAIRN_LAW_COULOMB);
    cairn_solver *solver = solver_for(context, 1e-6);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    int loaded = memory.allocations;
    CHECK(cairn_solver_solve(solver, NULL, NULL, NULL) == CAIRN_OK);
    int before = memory.allocations;
    CHECK(before > loaded); /* modes are made by the first solve that needs them */
    CHECK(cairn_solver_solve(solver, NULL, NULL, NULL) == CAIRN_OK);
    CHECK(memory.allocations == before);
    cairn_solver_destroy(solver);
    for (int fail = 0; fail < before; fail += 3) {
        memory.fail_at = -1;
        solver = solver_for(context, 1e-6);
        memory.allocations = 0;
        memory.fail_at = fail;
        cairn_status status = cairn_solver_load(solver, problem);
        if (status == CAIRN_OK)
            status = cairn_solver_solve(solver, NULL, NULL, NULL);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        cairn_solver_destroy(solver);
    }
    memory.fail_at = -1;
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(memory.live == 0);
    free(s);
}

/* From the impulses of a step before: no modes, and a pattern that is known already. The answer lies in its cones, whatever the candidate of graded_metric.c does. */
TEST(soft_parts_go_on_from_a_guess) {
    bars *s = new_bars(50.0);
    double guess[3 * CONTACTS];
    solve(s, CAIRN_LAW_COULOMB, guess);
    for (int i = 0; i < s->n; i++)
        s->k[i] *= 1.01;
    cairn_context *context = plain_context(1);
    cairn_problem *problem = make(context, s, CAIRN_LAW_COULOMB);
    cairn_solver *solver = solver_for(context, 1e-6);
    cairn_info info = {0};
    cairn_answer answer = {0};
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, &(cairn_guess){.gamma = guess}, &answer, &info) == CAIRN_OK);
    CHECK(info.outcome == CAIRN_SOLVED && info.factorizations <= 3 && info.solves <= 30);
    CHECK(strstr(info.note, "modes") == NULL && strstr(info.note, "graded") != NULL);
    cairn_problem_view view = cairn_problem_get(problem);
    for (int i = 0; i < view.blocks; i++) {
        const double *g = answer.gamma + view.block_start[i], edge = view.block[i].mu * g[0];
        CHECK(view.block[i].set != CAIRN_SET_CONE || (g[0] >= 0.0 && hypot(g[1], g[2]) <= edge * (1.0 + 4e-16)));
    }
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    free(s);
}

/* A solver that is loaded again and again answers as a new one, bit by bit; what it keeps for a known pattern it need not make. */
TEST(kept_factors_do_not_show) {
    static const double stiffness[] = {50.0, 70.0, 70.0, 50.0};
    counting_allocator memory = {.fail_at = -1};
    cairn_context *context = counting_context(&memory, 1);
    cairn_solver *kept = solver_for(context, 1e-6);
    cairn_problem *problem[4] = {NULL};
    size_t made[4];
    for (int i = 0; i < 4; i++) {
        bars *s = new_bars(stiffness[i]);
        if (i == 2) /* the last contact moves to another node: as many entries, another pattern */
            for (int e = 0; e < s->D_count; e++)
                if (s->D_col[e] >= s->m - 3 && s->D_value[e] > 0.0)
                    s->D_row[e] -= 24;
        problem[i] = make(context, s, CAIRN_LAW_COULOMB);
        cairn_answer old = {0}, new = {0};
        int before = memory.allocations;
        CHECK(cairn_solver_load(kept, problem[i]) == CAIRN_OK);
        made[i] = (size_t)(memory.allocations - before);
        CHECK(cairn_solver_solve(kept, NULL, &old, NULL) == CAIRN_OK);
        cairn_solver *fresh = solver_for(context, 1e-6);
        CHECK(cairn_solver_load(fresh, problem[i]) == CAIRN_OK);
        CHECK(cairn_solver_solve(fresh, NULL, &new, NULL) == CAIRN_OK);
        CHECK(memcmp(old.gamma, new.gamma, (size_t)s->m * sizeof(double)) == 0);
        CHECK(memcmp(old.v, new.v, (size_t)s->n * sizeof(double)) == 0);
        cairn_solver_destroy(fresh);
        free(s);
    }
    CHECK(made[1] < made[0]); /* both factors are there */
    CHECK(made[2] > made[1]); /* one is not */
    cairn_solver_destroy(kept);
    for (int i = 0; i < 4; i++)
        cairn_problem_destroy(problem[i]);
    cairn_context_destroy(context);
    CHECK(memory.live == 0);
}

int main(void) {
    RUN(stiff_parts_take_one_factorisation);
    RUN(soft_parts_take_few);
    RUN(joints_and_rigid_bodies_beside_flexible_parts);
    RUN(factorisations_of_a_load_are_counted_once);
    RUN(a_part_in_free_flight_takes_one_factorisation_and_one_solve);
    RUN(friction_may_change_between_solves);
    RUN(same_bits_for_all_threads);
    RUN(a_second_solve_takes_no_memory_and_no_failure_leaks);
    RUN(soft_parts_go_on_from_a_guess);
    RUN(kept_factors_do_not_show);
    return test_end();
}
