/*
 * The explicit N against products with the operator, for the three forms of a problem, and its limits.
 */
#include "problem/delassus/jacobian_columns.h"
#include "support/test.h"

#include <cairn/samples.h>

#define N_MAX 24
#define M_MAX 20

/* A small random problem: kind 0 block-diagonal H, 1 sparse H, 2 local form; unsymmetric or not. */
static cairn_problem *make_problem(cairn_context *context, int kind, bool unsymmetric) {
    static const cairn_block block[] = {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5},
                                        {.set = CAIRN_SET_BILATERAL, .dim = 5},
                                        {.set = CAIRN_SET_NONNEGATIVE, .dim = 1},
                                        {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.1},
                                        {.set = CAIRN_SET_BALL, .dim = 4, .radius = 1}};
    test_random random = {(uint64_t)kind + 1};
    double H[N_MAX * N_MAX] = {0}, D[N_MAX * M_MAX] = {0}, N[M_MAX * M_MAX] = {0}, C[M_MAX];
    int n = 18, m = 15, body_start[] = {0, 6, 9, 15, 18};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            bool same = false;
            for (int b = 0; b < 4; b++)
                same = same || (j >= body_start[b] && i < body_start[b + 1]);
            if (same || (kind == 1 && i - j < 8))
                H[i * n + j] = H[j * n + i] = i == j ? 10.0 + i : test_random_signed(&random);
        }
    for (int i = 0, row = 0; i < 5; row += block[i++].dim)
        for (int c = row; c < row + block[i].dim; c++)
            for (int b = i % 3; b < i % 3 + 2; b++)
                for (int r = body_start[b]; r < body_start[b + 1]; r++)
                    D[r * m + c] = test_random_signed(&random);
    for (int i = 0; i < m; i++) {
        C[i] = i % 2 == 0 ? 0.25 : 0.0;
        for (int j = 0; j < i; j++)
            if ((i + j) % 4 == 0)
                N[i * m + j] = N[j * m + i] = 0.3 * test_random_signed(&random);
        N[i * m + i] = 5.0;
    }
    if (unsymmetric) {
        H[0 * n + 1] += 0.5;
        N[8 * m + 9] += 0.5; /* a block whose transpose is empty */
    }
    int row[N_MAX * N_MAX], col[N_MAX * N_MAX], d_row[N_MAX * M_MAX], d_col[N_MAX * M_MAX];
    int size = kind == 2 ? m : n;
    for (int i = 0; i < size * size; i++) {
        row[i] = i / size;
        col[i] = i % size;
    }
    for (int i = 0; i < n * m; i++) {
        d_row[i] = i / m;
        d_col[i] = i % m;
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.m = m;
    def.C = C;
    def.blocks = 5;
    def.block = block;
    cairn_sparse A = {.rows = size, .cols = size, .entries = size * size, .row = row, .col = col};
    if (kind == 2) {
        A.value = N;
        def.N = A;
        def.N_unsymmetric = unsymmetric;
    } else {
        A.value = H;
        def.n = n;
        def.H = A;
        def.H_unsymmetric = unsymmetric;
        def.D = (cairn_sparse){.rows = n, .cols = m, .entries = n * m, .row = d_row, .col = d_col, .value = D};
        def.bodies = 4;
        def.body_start = body_start;
    }
    cairn_problem *problem = NULL;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    return problem;
}

/* Largest difference between the blocks' product and the operator's, for every unit vector. */
static double compare(const cairn_problem *p, cairn_operator *op, const cairn_delassus *N) {
    double worst = 0.0, x[M_MAX], y[M_MAX];
    for (int column = 0; column < p->m; column++) {
        memset(x, 0, sizeof x);
        x[column] = 1.0;
        cairn_operator_product(op, x, y);
        for (int i = 0; i < p->blocks; i++) {
            for (int e = N->start[i]; e < N->start[i + 1]; e++) {
                int j = N->index[e], cols = p->block[j].dim;
                for (int r = 0; r < p->block[i].dim; r++)
                    for (int c = 0; c < cols; c++)
                        y[p->block_start[i] + r] -= N->value[N->offset[e] + r * cols + c] * x[p->block_start[j] + c];
            }
        }
        for (int i = 0; i < p->m; i++)
            worst = fmax(worst, fabs(y[i]));
    }
    return worst;
}

TEST(equals_products) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    for (int kind = 0; kind < 3; kind++)
        for (int unsymmetric = 0; unsymmetric < 2; unsymmetric++) {
            cairn_problem *problem = make_problem(context, kind, unsymmetric != 0);
            cairn_operator *op = NULL;
            cairn_delassus N = {0};
            CHECK(problem != NULL && problem->block_diagonal == (kind == 0));
            CHECK(cairn_operator_create(problem, &op) == CAIRN_OK);
            CHECK(cairn_operator_delassus(op, 1e9, &N) == CAIRN_OK);
            CHECK(compare(problem, op, &N) <= 1e-14);
            for (int i = 0; i < N.blocks; i++) {
                bool diagonal = false;
                for (int e = N.start[i]; e < N.start[i + 1]; e++) {
                    diagonal = diagonal || N.index[e] == i;
                    CHECK(e == N.start[i] || N.index[e] > N.index[e - 1]);
                }
                CHECK(diagonal);
            }
            CHECK(N.offset[N.start[N.blocks]] <= (int64_t)problem->m * problem->m);
            if (kind == 0) /* blocks 0 and 2, 2 and 3 share no body */
                CHECK(N.start[N.blocks] < 25);
            cairn_delassus_free(context, &N);
            cairn_operator_destroy(op);
            cairn_problem_destroy(problem);
        }
    cairn_context_destroy(context);
}

TEST(refuses_what_is_too_large) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    for (int kind = 0; kind < 3; kind++) {
        cairn_problem *problem = make_problem(context, kind, false);
        cairn_operator *op = NULL;
        cairn_delassus N = {.blocks = -7};
        CHECK(cairn_operator_create(problem, &op) == CAIRN_OK);
        CHECK(cairn_operator_delassus(op, 100.0, &N) == CAIRN_ERROR_UNSUPPORTED);
        CHECK(N.blocks == -7);
        CHECK_CONTAINS(cairn_error_message(context), "15 rows");
        cairn_operator_destroy(op);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* An allocator that says no from the n-th call on. */
typedef struct failing {
    int left, live;
} failing;
static void *failing_allocate(void *user, size_t bytes) {
    failing *f = user;
    if (f->left-- <= 0)
        return NULL;
    f->live++;
    return malloc(bytes);
}
static void failing_release(void *user, void *memory) {
    ((failing *)user)->live--;
    free(memory);
}

TEST(survives_every_failed_allocation) {
    failing state = {.left = 1000000};
    cairn_context_def def = cairn_default_context_def();
    def.allocate = failing_allocate;
    def.release = failing_release;
    def.allocator_user = &state;
    cairn_context *context = NULL;
    CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
    for (int kind = 0; kind < 3; kind++) {
        cairn_problem *problem = make_problem(context, kind, false);
        cairn_operator *op = NULL;
        CHECK(cairn_operator_create(problem, &op) == CAIRN_OK);
        int before = state.live, tries = 0;
        cairn_status status = CAIRN_ERROR_MEMORY;
        for (; status != CAIRN_OK && tries < 100; tries++) {
            cairn_delassus N;
            state.left = tries;
            status = cairn_operator_delassus(op, 1e9, &N);
            state.left = 1000000;
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            if (status == CAIRN_OK)
                cairn_delassus_free(context, &N);
            CHECK(state.live == before);
        }
        CHECK(status == CAIRN_OK && tries > 5);
        cairn_operator_destroy(op);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
    CHECK(state.live == 0);
}

/* y = N x with that many threads. */
static void product_on_threads(int threads, const cairn_sample_def *sample, double *y, int room, int *m) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    cairn_problem *problem = NULL;
    cairn_operator *op = NULL;
    static double x[6000];
    def.threads = threads;
    CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
    CHECK(cairn_sample_create(context, sample, &problem) == CAIRN_OK);
    CHECK(cairn_operator_create(problem, &op) == CAIRN_OK);
    *m = problem->m;
    CHECK(*m <= room);
    for (int i = 0; i < *m; i++)
        x[i] = sin(0.3 + 1.7 * i);
    cairn_operator_product(op, x, y);
    cairn_operator_destroy(op);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* One thread goes block by block, several go body by body: the same sums in the same order. */
TEST(same_bits_for_every_number_of_threads) {
    static double one[6000], more[6000];
    const char *const name[2] = {"spheres", "chain"};
    for (int k = 0; k < 2; k++) {
        cairn_sample_def sample = cairn_default_sample_def(name[k]);
        sample.count = k == 0 ? 300 : 40;
        int m = 0, again = 0;
        product_on_threads(1, &sample, one, 6000, &m);
        for (int threads = 2; threads <= 3; threads++) {
            product_on_threads(threads, &sample, more, 6000, &again);
            CHECK(m > 100 && again == m && memcmp(one, more, (size_t)m * sizeof *one) == 0);
        }
    }
}

/* Solves side by side and one by one: the same bits. */
TEST(solves_side_by_side) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    for (int kind = 0; kind < 4; kind++) {
        cairn_problem *problem = make_problem(context, kind % 2, kind / 2 == 1);
        cairn_operator *op = NULL;
        double many[5 * N_MAX], one[N_MAX];
        CHECK(cairn_operator_create(problem, &op) == CAIRN_OK);
        for (int i = 0; i < 5 * problem->n; i++)
            many[i] = i % 11 - 4.0;
        cairn_operator_solve_many(op, 5, many);
        for (int c = 0; c < 5; c++) {
            for (int i = 0; i < problem->n; i++)
                one[i] = (c * problem->n + i) % 11 - 4.0;
            cairn_operator_solve(op, one, one);
            CHECK(memcmp(one, many + c * problem->n, (size_t)problem->n * sizeof *one) == 0);
        }
        cairn_operator_destroy(op);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

int main(void) {
    RUN(equals_products);
    RUN(same_bits_for_every_number_of_threads);
    RUN(refuses_what_is_too_large);
    RUN(survives_every_failed_allocation);
    RUN(solves_side_by_side);
    return test_end();
}
