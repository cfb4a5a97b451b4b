/*
 * test_solve_local.c: methods that work on velocities, given problems in local form: the global form made for them has the same N, they agree
 * with auto, re-solves read new data, what cannot be made is refused with a reason, memory.
 */
#include "support/support.h"

#include "problem/delassus/delassus_operator.h"

#include <math.h>
#include <string.h>

enum { M_MAX = 30, BLOCKS = 10 };

static const char *const movers[] = {"ipm", "nsn", "primal-admm"};

/* A local problem of ten cones: N = R'(I + K) R with R of `rank` rows, K antisymmetric of that size; blocks far apart do not couple. */
static cairn_problem *make(cairn_context *context, int rank, double twist, cairn_law law, double *N) {
    static double R[M_MAX][M_MAX], G[M_MAX][M_MAX];
    cairn_block block[BLOCKS];
    double b[M_MAX];
    test_random random = {(uint64_t)rank + 11};
    for (int q = 0; q < rank; q++)
        for (int j = 0; j < M_MAX; j++)
            R[q][j] = test_random_signed(&random) * (1.0 + 30.0 * (q % 3 == 0));
    for (int p = 0; p < rank; p++)
        for (int q = 0; q <= p; q++) {
            double k = twist * test_random_signed(&random);
            G[p][q] = p == q ? 1.0 : k;
            G[q][p] = p == q ? 1.0 : -k;
        }
    for (int i = 0; i < M_MAX; i++)
        for (int j = 0; j < M_MAX; j++) {
            N[i * M_MAX + j] = 0.0;
            for (int p = 0; p < rank; p++)
                for (int q = 0; q < rank; q++)
                    N[i * M_MAX + j] += R[p][i] * G[p][q] * R[q][j];
        }
    for (int j = 0; j < M_MAX; j++) { /* b in the range of N, pressing */
        b[j] = 0.0;
        for (int q = 0; q < rank; q++)
            b[j] += 3.0 * R[q][j] * (q % 4 - 1.5);
    }
    for (int i = 0; i < BLOCKS; i++)
        block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.1 + 0.05 * i};
    return local_problem_of(context, M_MAX, N, true, b, BLOCKS, block, law);
}

TEST(the_global_form_has_the_same_matrix) {
    cairn_context *context = plain_context(1);
    double N[M_MAX * M_MAX], unit[M_MAX], column[M_MAX];
    for (int rank = 1; rank <= 30; rank += 29)
        for (int twisted = 0; twisted < 2; twisted++) {
            cairn_problem *problem = make(context, rank, 0.2 * twisted, CAIRN_LAW_COULOMB, N), *global = NULL;
            cairn_operator *op = NULL;
            CHECK(cairn_problem_to_global(problem, &global) == CAIRN_OK);
            CHECK(cairn_problem_get(global).n == rank && !cairn_problem_get(global).local);
            CHECK(cairn_operator_create(global, &op) == CAIRN_OK);
            double largest = 0.0;
            for (int i = 0; i < M_MAX * M_MAX; i++)
                largest = fmax(largest, fabs(N[i]));
            for (int j = 0; j < M_MAX; j++) {
                memset(unit, 0, sizeof unit);
                unit[j] = 1.0;
                cairn_operator_product(op, unit, column);
                for (int i = 0; i < M_MAX; i++)
                    CHECK_NEAR(column[i], N[i * M_MAX + j], 1e-12 * largest);
            }
            cairn_operator_destroy(op);
            cairn_problem_destroy(global);
            cairn_problem_destroy(problem);
        }
    cairn_context_destroy(context);
}

/* u of the answer; the slip is unique where impulses are not. */
static cairn_info solve(cairn_context *context, const char *method, const cairn_problem *problem, double *u) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = 1e-8;
    cairn_solver *solver = NULL;
    cairn_answer answer = {0};
    cairn_info info = {0};
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    CHECK(answer.v == NULL);
    memcpy(u, answer.u, M_MAX * sizeof *u);
    cairn_solver_destroy(solver);
    return info;
}

/* Under the associated law the slip of a symmetric N is unique; under Coulomb's the certificate alone decides. */
TEST(methods_on_velocities_take_the_local_form) {
    cairn_context *context = plain_context(1);
    double N[M_MAX * M_MAX], u[M_MAX], reference[M_MAX];
    for (int rank = 12; rank <= 24; rank += 6)
        for (int twisted = 0; twisted < 2; twisted++)
            for (int law = 0; law < 2; law++) {
                cairn_problem *problem = make(context, rank, 0.01 * twisted,
                                              law == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED, N);
                CHECK(solve(context, "auto", problem, reference).outcome == CAIRN_SOLVED);
                double size = 0.0;
                for (int j = 0; j < M_MAX; j++)
                    size = fmax(size, fabs(reference[j]));
                for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) {
                    cairn_info info = solve(context, movers[i], problem, u);
                    if (info.outcome != CAIRN_SOLVED)
                        printf("%s, rank %d, twisted %d, law %d: %s\n", movers[i], rank, twisted, law,
                               cairn_outcome_name(info.outcome));
                    CHECK(info.outcome == CAIRN_SOLVED && info.certificate.motion == 0.0);
                    for (int j = 0; law == 1 && j < M_MAX; j++)
                        CHECK_NEAR(u[j], reference[j], 1e-5 * size);
                }
                cairn_problem_destroy(problem);
            }
    cairn_context_destroy(context);
}

/* New b, mu and law are read by the next solve, as a fresh solver reads them; a new kind of set must be loaded. */
TEST(solves_again_with_new_data) {
    cairn_context *context = plain_context(1);
    double N[M_MAX * M_MAX], b[M_MAX], fresh[M_MAX];
    cairn_problem *problem = make(context, 18, 0.0, CAIRN_LAW_COULOMB, N);
    cairn_problem_view view = cairn_problem_get(problem);
    cairn_settings settings = cairn_default_settings("ipm");
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    settings.tolerance = 1e-8;
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    for (int j = 0; j < M_MAX; j++)
        b[j] = 0.5 * view.b[M_MAX - 1 - j] + 0.5 * view.b[j];
    cairn_block slippery = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.02};
    CHECK(cairn_problem_set_vectors(problem, NULL, b) == CAIRN_OK);
    CHECK(cairn_problem_set_block(problem, 4, &slippery) == CAIRN_OK);
    CHECK(cairn_problem_set_law(problem, CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.outcome == CAIRN_SOLVED);
    CHECK(solve(context, "ipm", problem, fresh).outcome == CAIRN_SOLVED);
    CHECK(memcmp(fresh, answer.u, sizeof fresh) == 0);
    CHECK(cairn_problem_set_cone(problem, 8) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_ERROR_STATE);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* Not positive semidefinite; an antisymmetric part outside the range; zero. */
TEST(refuses_what_has_no_global_form) {
    cairn_context *context = plain_context(1);
    double indefinite[9] = {1, 2, 0, 2, 1, 0, 0, 0, 1}, outside[9] = {1, 0, 0, 0, 0, 1e-3, 0, -1e-3, 0}, none[9] = {0};
    double b[3] = {-1, 0, 0};
    const double *matrix[] = {indefinite, outside, none};
    static const char *const words[] = {"positive semidefinite", "outside the range", "N is zero"};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    for (int i = 0; i < 3; i++) {
        cairn_problem *problem = local_problem_of(context, 3, matrix[i], true, b, 1, &block, CAIRN_LAW_COULOMB);
        cairn_settings settings = cairn_default_settings("nsn");
        cairn_solver *solver = NULL;
        CHECK(problem != NULL && cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, problem) != CAIRN_OK);
        CHECK_CONTAINS(cairn_error_message(context), words[i]);
        cairn_solver_destroy(solver);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

static cairn_info solve_auto(cairn_context *context, const cairn_problem *problem) {
    cairn_settings settings = cairn_default_settings("auto");
    settings.tolerance = 1e-8;
    cairn_solver *solver = NULL;
    cairn_info info = {0};
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
    cairn_solver_destroy(solver);
    return info;
}

/* A heap in local form, at which splitting alone does not get there. */
TEST(auto_polishes_the_local_form) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("spheres");
    cairn_problem *heap = NULL, *local = NULL;
    def.count = 60;
    def.mu = 0.7;
    CHECK(cairn_sample_create(context, &def, &heap) == CAIRN_OK && cairn_problem_to_local(heap, &local) == CAIRN_OK);
    cairn_info info = solve_auto(context, local);
    CHECK(info.outcome == CAIRN_SOLVED && info.certificate.certified && info.factorizations > 0);
    CHECK_CONTAINS(info.note, "polish");
    cairn_problem_destroy(local);
    cairn_problem_destroy(heap);
    cairn_context_destroy(context);
}

/* u_1 + u_2 = -gamma_1 - gamma_2 - 2 is below 0 whatever the impulses are: N is not positive semidefinite, and the note says so. */
TEST(auto_names_a_matrix_that_is_not_positive) {
    cairn_context *context = plain_context(1);
    double N[4] = {1, -2, -2, 1}, b[2] = {-1, -1};
    cairn_block block[2] = {{.set = CAIRN_SET_NONNEGATIVE, .dim = 1}, {.set = CAIRN_SET_NONNEGATIVE, .dim = 1}};
    cairn_problem *problem = local_problem_of(context, 2, N, false, b, 2, block, CAIRN_LAW_COULOMB);
    cairn_info info = solve_auto(context, problem);
    CHECK(info.outcome != CAIRN_SOLVED && !info.certificate.certified);
    CHECK_CONTAINS(info.note, "N is not positive semidefinite: row");
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(failing_allocations) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    double N[M_MAX * M_MAX];
    for (int twisted = 0; twisted < 2; twisted++) {
        cairn_problem *problem = make(context, 9, 0.1 * twisted, CAIRN_LAW_COULOMB, N);
        cairn_settings settings = cairn_default_settings("ipm");
        cairn_solver *solver = NULL;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        int before = allocator.live, tries = 0;
        cairn_status status = CAIRN_ERROR_MEMORY;
        for (; status != CAIRN_OK && tries < 500; tries++) {
            allocator.fail_at = allocator.allocations + tries;
            status = cairn_solver_load(solver, problem);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            CHECK(status == CAIRN_OK || allocator.live <= before + 1); /* the driver keeps its arena */
        }
        CHECK(status == CAIRN_OK && tries > 20);
        allocator.fail_at = -1;
        cairn_solver_destroy(solver);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

int main(void) {
    RUN(the_global_form_has_the_same_matrix);
    RUN(methods_on_velocities_take_the_local_form);
    RUN(solves_again_with_new_data);
    RUN(refuses_what_has_no_global_form);
    RUN(auto_polishes_the_local_form);
    RUN(auto_names_a_matrix_that_is_not_positive);
    RUN(failing_allocations);
    return test_end();
}
