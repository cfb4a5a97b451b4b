/*
 * test_problem_analysis.c: ranks, eigenvalues, counts and the local form against closed forms and dense arithmetic.
 */
#include "support/support.h"

#include "problem/analysis/dense_spectrum.h"

#define PI 3.14159265358979323846

/* Second differences: eigenvalues 2 - 2 cos(k pi / (n + 1)), k = 1 .. n. */
TEST(sturm_on_second_differences) {
    enum { N = 40 };
    double d[N], e[N];
    for (int i = 0; i < N; i++) {
        d[i] = 2.0;
        e[i] = -1.0;
    }
    for (int k = 0; k < N; k++)
        CHECK_NEAR(cairn_sturm_eigenvalue(N, d, e, k), 2.0 - 2.0 * cos((k + 1) * PI / (N + 1)), 1e-14);
    CHECK(cairn_sturm_count(N, d, e, 0.0) == 0);
    CHECK(cairn_sturm_count(N, d, e, 2.0) == N / 2);
    CHECK(cairn_sturm_count(N, d, e, 4.0) == N);
}

/* A = Q diag(lambda) Q' with two reflections Q must give lambda back, zeros included. */
TEST(eigenvalues_of_a_rotated_diagonal) {
    enum { N = 12 };
    double A[N * N] = {0}, d[N], e[N];
    test_random random = {7};
    for (int k = 0; k < N; k++)
        A[k * N + k] = k < 3 ? 0.0 : pow(10.0, k - 8);
    for (int pass = 0; pass < 2; pass++) {
        double v[N], square = 0.0, B[N * N], Q[N * N];
        for (int i = 0; i < N; i++) {
            v[i] = test_random_signed(&random);
            square += v[i] * v[i];
        }
        for (int i = 0; i < N * N; i++)
            Q[i] = (i / N == i % N) - 2.0 * v[i / N] * v[i % N] / square;
        for (int i = 0; i < N * N; i++) {
            B[i] = 0.0;
            for (int k = 0; k < N; k++)
                B[i] += Q[(i / N) * N + k] * A[k * N + i % N];
        }
        for (int i = 0; i < N * N; i++) {
            A[i] = 0.0;
            for (int k = 0; k < N; k++)
                A[i] += B[(i / N) * N + k] * Q[k * N + i % N];
        }
    }
    double S[N * N];
    memcpy(S, A, sizeof S);
    cairn_tridiagonalize(N, A, d, e);
    for (int k = 0; k < N; k++)
        CHECK_NEAR(cairn_sturm_eigenvalue(N, d, e, k), k < 3 ? 0.0 : pow(10.0, k - 8), 1e-12);
    CHECK(cairn_rank_cholesky(N, S, 1e-13) == N - 3);
}

/* A product of a 20 x r and an r x 30 matrix has rank r. */
TEST(rank_of_products) {
    enum { ROWS = 20, COLS = 30 };
    test_random random = {3};
    for (int r = 0; r <= ROWS; r += 4) {
        double left[ROWS * ROWS], right[ROWS * COLS], A[ROWS * COLS], norm[COLS];
        for (int i = 0; i < ROWS * ROWS; i++)
            left[i] = test_random_signed(&random);
        for (int i = 0; i < ROWS * COLS; i++)
            right[i] = test_random_signed(&random);
        for (int j = 0; j < COLS; j++)
            for (int i = 0; i < ROWS; i++) {
                A[j * ROWS + i] = 0.0;
                for (int k = 0; k < r; k++)
                    A[j * ROWS + i] += left[k * ROWS + i] * right[k * COLS + j];
            }
        CHECK(cairn_rank_qr(ROWS, COLS, A, 1e-13, norm) == r);
    }
}

/* A ball between two walls: n = 3, one contact each side, the same tangents; H = diag(2, 2, 2), D = [I, -I].
 * N = D'D/2 has the eigenvalues 1 and 0, three times each. */
static cairn_problem *squeezed_ball(cairn_context *context, const double *C) {
    static const int row[] = {0, 1, 2, 0, 1, 2}, col[] = {0, 1, 2, 3, 4, 5};
    static const double D[] = {1, 1, 1, -1, -1, -1}, H[] = {2, 2, 2}, k[] = {1, 2, 3};
    static const double b[] = {0.5, 0, 0, -0.25, 0, 0};
    const cairn_block block[] = {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.2},
                                 {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.9}};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = 3;
    def.m = 6;
    def.H = (cairn_sparse){CAIRN_SPARSE_TRIPLET, 3, 3, 3, row, row, NULL, H};
    def.D = (cairn_sparse){CAIRN_SPARSE_TRIPLET, 3, 6, 6, row, col, NULL, D};
    def.k = k;
    def.b = b;
    def.C = C;
    def.blocks = 2;
    def.block = block;
    cairn_problem *problem = NULL;
    cairn_problem_create(context, &def, &problem);
    return problem;
}

TEST(squeezed_ball) {
    cairn_context *context = plain_context(1);
    cairn_problem *problem = squeezed_ball(context, NULL);
    cairn_analysis a;
    CHECK(cairn_problem_analyze(problem, &a) == CAIRN_OK);
    CHECK(a.rank == 3);
    CHECK_NEAR(a.N_min, 1.0, 1e-14);
    CHECK_NEAR(a.N_max, 1.0, 1e-14);
    CHECK_NEAR(a.H_min, 2.0, 1e-14);
    CHECK_NEAR(a.H_max, 2.0, 1e-14);
    CHECK(a.set_count[CAIRN_SET_CONE] == 2 && a.set_count[CAIRN_SET_BILATERAL] == 0);
    CHECK(a.mu_min == 0.2 && a.mu_max == 0.9);
    CHECK(a.diagonal && a.H_entries == 3 && a.D_entries == 6);
    CHECK(a.mass_min == 2.0 && a.mass_max == 2.0);
    cairn_problem_destroy(problem);
    /* compliance on every row makes N regular: eigenvalues 1.5 and 0.5 */
    const double C[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    problem = squeezed_ball(context, C);
    CHECK(cairn_problem_analyze(problem, &a) == CAIRN_OK);
    CHECK(a.rank == 6 && a.C_max == 0.5);
    CHECK_NEAR(a.N_min, 0.5, 1e-14);
    CHECK_NEAR(a.N_max, 1.5, 1e-14);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* A chain of size nodes with H = second differences + shift, a contact and two joint rows near one end. */
static cairn_problem *long_chain(cairn_context *context, int size, double skew) {
    int *row = calloc((size_t)(3 * size), sizeof *row), *col = calloc((size_t)(3 * size), sizeof *col), entries = 0;
    double *value = calloc((size_t)(3 * size), sizeof *value);
    for (int i = 0; i < size; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < size) {
                row[entries] = i;
                col[entries] = j;
                value[entries++] = i == j ? 2.5 : j > i ? -1.0 + skew : -1.0 - skew;
            }
    const int D_row[] = {0, 1, 2, 5, 4, 7}, D_col[] = {0, 1, 2, 2, 3, 4};
    const double D[] = {1, 1, 1, 0.5, 1, 3}, C[] = {0.1, 0, 0, 0, 0};
    const cairn_block block[] = {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, {.set = CAIRN_SET_BILATERAL, .dim = 2}};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = size;
    def.m = 5;
    def.H = (cairn_sparse){CAIRN_SPARSE_TRIPLET, size, size, entries, row, col, NULL, value};
    def.H_unsymmetric = skew != 0.0;
    def.D = (cairn_sparse){CAIRN_SPARSE_TRIPLET, size, 5, 6, D_row, D_col, NULL, D};
    def.C = C;
    def.blocks = 2;
    def.block = block;
    cairn_problem *problem = NULL;
    cairn_problem_create(context, &def, &problem);
    free(value);
    free(col);
    free(row);
    return problem;
}

TEST(sparse_H_dense_and_estimated) {
    cairn_context *context = plain_context(1);
    const int size[] = {300, 2000};
    for (int i = 0; i < 2; i++) {
        cairn_problem *problem = long_chain(context, size[i], 0.0);
        cairn_analysis a;
        CHECK(cairn_problem_analyze(problem, &a) == CAIRN_OK);
        double least = 2.5 - 2.0 * cos(PI / (size[i] + 1)), largest = 2.5 + 2.0 * cos(PI / (size[i] + 1));
        CHECK(a.H_estimated == (size[i] > 1500));
        CHECK(!a.diagonal && a.rank == 5 && a.unsymmetry == 0.0);
        double slack = a.H_estimated ? 0.02 : 1e-12;
        CHECK(a.H_min >= least - 1e-12 && a.H_min <= least * (1.0 + slack));
        CHECK(a.H_max <= largest + 1e-12 && a.H_max >= largest * (1.0 - slack));
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

TEST(given_N) {
    const double N[] = {2, 2, 0, 2, 2, 0, 0, 0, 3};
    const cairn_block block = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    cairn_context *context = plain_context(1);
    cairn_problem *problem = local_problem(context, 3, N, NULL, 1, &block, CAIRN_LAW_COULOMB);
    cairn_analysis a;
    CHECK(cairn_problem_analyze(problem, &a) == CAIRN_OK);
    CHECK(a.rank == 2);
    CHECK_NEAR(a.N_min, 3.0, 1e-14);
    CHECK_NEAR(a.N_max, 4.0, 1e-14);
    CHECK(isnan(a.H_min) && isnan(a.mass_min) && a.body_dim_max == 0);
    cairn_problem *local = NULL;
    CHECK(cairn_problem_to_local(problem, &local) == CAIRN_ERROR_ARGUMENT && local == NULL);
    CHECK_CONTAINS(cairn_error_message(context), "local");
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* The judge must see the same u, and the same certificate, in both forms. */
static void check_local(cairn_problem *problem, int m, double tolerance) {
    cairn_problem *local = NULL;
    CHECK(cairn_problem_to_local(problem, &local) == CAIRN_OK);
    if (local == NULL)
        return;
    cairn_problem_view view = cairn_problem_get(local);
    CHECK(view.local && view.n == 0 && view.m == m && view.unsymmetric == cairn_problem_get(problem).unsymmetric);
    test_random random = {11};
    for (int trial = 0; trial < 3; trial++) {
        double gamma[6], u[6], w[6];
        for (int i = 0; i < m; i++)
            gamma[i] = test_random_signed(&random);
        cairn_certificate global_form, local_form;
        CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &global_form, u, NULL) == CAIRN_OK);
        CHECK(cairn_certify(local, NULL, gamma, 1e-8, &local_form, w, NULL) == CAIRN_OK);
        for (int i = 0; i < m; i++)
            CHECK_NEAR(w[i], u[i], tolerance);
        CHECK_NEAR(local_form.plain, global_form.plain, 10.0 * tolerance);
    }
    cairn_problem_destroy(local);
}

TEST(local_form) {
    const double C[] = {0.5, 0, 0, 0, 0.25, 0};
    cairn_context *context = plain_context(1);
    cairn_problem *ball = squeezed_ball(context, C), *chain = long_chain(context, 30, 0.0),
                  *skewed = long_chain(context, 30, 0.1);
    check_local(ball, 6, 1e-14);
    check_local(chain, 5, 1e-13);
    check_local(skewed, 5, 1e-13);
    cairn_analysis a;
    CHECK(cairn_problem_analyze(skewed, &a) == CAIRN_OK);
    CHECK_NEAR(a.unsymmetry, 0.2 / 2.5, 1e-15);
    cairn_problem_destroy(skewed);
    cairn_problem_destroy(chain);
    cairn_problem_destroy(ball);
    cairn_context_destroy(context);
}

/* Every allocation fails once; nothing leaks and outputs stay untouched. */
TEST(allocations_fail) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    cairn_problem *problem = long_chain(context, 40, 0.0);
    int before = allocator.live;
    for (int which = 0; which < 2; which++) {
        cairn_status status = CAIRN_ERROR_MEMORY;
        int tries = 0;
        for (; status == CAIRN_ERROR_MEMORY && tries < 1000; tries++) {
            cairn_analysis a;
            cairn_problem *local = NULL;
            allocator.fail_at = allocator.allocations + tries;
            status = which == 0 ? cairn_problem_analyze(problem, &a) : cairn_problem_to_local(problem, &local);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            CHECK(status == CAIRN_OK || local == NULL);
            cairn_problem_destroy(local);
            CHECK(allocator.live == before);
        }
        CHECK(status == CAIRN_OK && tries > 3);
    }
    allocator.fail_at = -1;
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

int main(void) {
    RUN(sturm_on_second_differences);
    RUN(eigenvalues_of_a_rotated_diagonal);
    RUN(rank_of_products);
    RUN(squeezed_ball);
    RUN(sparse_H_dense_and_estimated);
    RUN(given_N);
    RUN(local_form);
    RUN(allocations_fail);
    return test_end();
}
