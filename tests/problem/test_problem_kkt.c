/* The saddle-point system and the Delassus operator against dense algebra, with joints, redundancy and asymmetry. */
#include "support/support.h"

#include "problem/kkt/kkt.h"
#include "problem/delassus/delassus_operator.h"

enum { BODIES = 5, N = 6 * BODIES, CONTACTS = 7, JOINT_ROWS = 9, M = 3 * CONTACTS + JOINT_ROWS + 2 };

typedef struct dense_case {
    double H[N][N], D[N][M], k[N], b[M], C[M];
    cairn_block block[CONTACTS + 4 + 1];
    int blocks;
} dense_case;

/* Bodies with full 6 x 6 blocks (coupled along a chain when sparse), contacts between random pairs, joints of 5 and 3 rows, the
 * last repeated row for row (redundant), and a box. */
static cairn_problem *make_case(cairn_context *context, dense_case *c, bool sparse, double skew) {
    test_random random = {11};
    memset(c, 0, sizeof *c);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            bool coupled = i / 6 == j / 6 || (sparse && i / 6 == j / 6 + 1);
            double value = coupled ? 0.15 * test_random_signed(&random) : 0.0;
            c->H[i][j] = value + (i == j ? 1.0 + 3.0 * (i % 3) : 0.0) + (i != j && coupled ? skew : 0.0);
            c->H[j][i] = value + (i == j ? 1.0 + 3.0 * (i % 3) : 0.0) - (i != j && coupled ? skew : 0.0);
        }
    int row = 0;
    for (int block = 0; block < CONTACTS + 5; block++) {
        int dim = block < CONTACTS        ? 3
                  : block == CONTACTS     ? 5
                  : block == CONTACTS + 1 ? 2
                  : block == CONTACTS + 2 ? 2
                                          : 1;
        cairn_set_kind set = block < CONTACTS       ? CAIRN_SET_CONE
                             : block < CONTACTS + 3 ? CAIRN_SET_BILATERAL
                                                    : CAIRN_SET_BOX;
        int first = (int)(test_random_bits(&random) % BODIES), second = (int)(test_random_bits(&random) % BODIES);
        for (int r = 0; r < dim; r++)
            for (int i = 0; i < N; i++) {
                if (block == CONTACTS + 2) /* the same joint again */
                    c->D[i][row + r] = c->D[i][row + r - 2];
                else if (i / 6 == first || i / 6 == second)
                    c->D[i][row + r] = test_random_signed(&random);
            }
        c->block[c->blocks++] = (cairn_block){.set = set, .dim = dim, .mu = 0.5, .lo = -1, .hi = 1};
        row += dim;
    }
    for (int i = 0; i < N; i++)
        c->k[i] = test_random_signed(&random);
    for (int j = 0; j < M; j++) {
        c->b[j] = test_random_signed(&random);
        c->C[j] = j % 4 == 0 ? 0.1 : 0.0;
    }
    static int hr[N * N], hc[N * N], dr[N * M], dc[N * M];
    static double hv[N * N], dv[N * M];
    cairn_problem_def def = cairn_default_problem_def();
    def.n = N;
    def.m = M;
    def.H_unsymmetric = skew != 0.0;
    def.k = c->k;
    def.b = c->b;
    def.C = c->C;
    def.blocks = c->blocks;
    def.block = c->block;
    def.H = (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET, .rows = N, .cols = N, .row = hr, .col = hc, .value = hv};
    def.D = (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET, .rows = N, .cols = M, .row = dr, .col = dc, .value = dv};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            hr[def.H.entries] = i;
            hc[def.H.entries] = j;
            hv[def.H.entries++] = c->H[i][j];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            dr[def.D.entries] = i;
            dc[def.D.entries] = j;
            dv[def.D.entries++] = c->D[i][j];
        }
    cairn_problem *problem = NULL;
    cairn_status status = cairn_problem_create(context, &def, &problem);
    CHECK(status == CAIRN_OK);
    return problem;
}

/* Dense Gaussian elimination with pivoting: A x = b in place. */
static void dense_solve(int n, double *A, double *b) {
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int r = c; r < n; r++)
            if (fabs(A[r * n + c]) > fabs(A[p * n + c]))
                p = r;
        for (int j = 0; j < n; j++) {
            double t = A[c * n + j];
            A[c * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        double t = b[c];
        b[c] = b[p];
        b[p] = t;
        for (int r = c + 1; r < n; r++) {
            double f = A[r * n + c] / A[c * n + c];
            for (int j = c; j < n; j++)
                A[r * n + j] -= f * A[c * n + j];
            b[r] -= f * b[c];
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        for (int j = c + 1; j < n; j++)
            b[c] -= A[c * n + j] * b[j];
        b[c] /= A[c * n + c];
    }
}

static void check_kkt(bool sparse, double skew) {
    cairn_context *context = plain_context(1);
    static dense_case c;
    cairn_problem *problem = make_case(context, &c, sparse, skew);
    cairn_kkt *kkt = NULL;
    CHECK(cairn_kkt_create(problem, false, &kkt) == CAIRN_OK);
    test_random random = {5};
    double theta[M], p[N], q[M], v[N], gamma[M];
    static double K[(N + M) * (N + M)], x[N + M];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < c.blocks; i++)
            for (int j = problem->block_start[i]; j < problem->block_start[i + 1]; j++)
                theta[j] = c.block[i].set == CAIRN_SET_BILATERAL ? 1e-9 : pow(10.0, -2.0 * round);
        memset(K, 0, sizeof K);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++)
                K[i * (N + M) + j] = c.H[i][j];
            for (int j = 0; j < M; j++)
                K[i * (N + M) + N + j] = K[(N + j) * (N + M) + i] = c.D[i][j];
            x[i] = p[i] = test_random_signed(&random);
        }
        for (int j = 0; j < M; j++) {
            K[(N + j) * (N + M) + N + j] = -theta[j] - c.C[j];
            x[N + j] = q[j] = test_random_signed(&random);
        }
        /* the repeated joint gets a consistent right-hand side, or the answer is of size 1e9 */
        for (int r = 0; r < 2; r++) {
            int j = 3 * CONTACTS + 7 + r;
            theta[j] = 1e-9;
            x[N + j] = q[j] = q[j - 2];
        }
        CHECK(cairn_kkt_factor(kkt, theta) == CAIRN_OK);
        CHECK(cairn_kkt_solve(kkt, p, q, v, gamma) == CAIRN_OK);
        CHECK(cairn_kkt_backward_error(kkt) < 1e-12);
        dense_solve(N + M, K, x);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(v[i], x[i], 1e-9 * (1.0 + fabs(x[i])));
        CHECK(cairn_kkt_solve(kkt, p, q, v, gamma) == CAIRN_OK); /* the second solve takes the measured path */
        for (int i = 0; i < N; i++)
            CHECK_NEAR(v[i], x[i], 1e-9 * (1.0 + fabs(x[i])));
    }
    theta[0] = 0.0;
    CHECK(cairn_kkt_factor(kkt, theta) == CAIRN_ERROR_NUMERICAL);
    cairn_kkt_destroy(kkt);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(kkt_block_diagonal) {
    check_kkt(false, 0.0);
}

TEST(kkt_sparse) {
    check_kkt(true, 0.0);
}

TEST(kkt_unsymmetric) {
    check_kkt(false, 1e-3);
    check_kkt(true, 0.1);
}

static void check_operator(bool sparse, double skew) {
    cairn_context *context = plain_context(2);
    static dense_case c;
    cairn_problem *problem = make_case(context, &c, sparse, skew);
    cairn_operator *op = NULL;
    CHECK(cairn_operator_create(problem, &op) == CAIRN_OK);
    test_random random = {9};
    double gamma[M], v[N], u[M], product[M], H[N * N], w[N];
    for (int j = 0; j < M; j++)
        gamma[j] = test_random_signed(&random);
    for (int i = 0; i < N; i++) {
        w[i] = c.k[i];
        for (int j = 0; j < M; j++)
            w[i] += c.D[i][j] * gamma[j];
        for (int j = 0; j < N; j++)
            H[i * N + j] = c.H[i][j];
    }
    dense_solve(N, H, w);
    cairn_operator_velocity(op, gamma, v);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(v[i], w[i], 1e-12);
    cairn_operator_slip(op, v, gamma, u);
    double zero[M] = {0}, free_v[N], free_u[M];
    cairn_operator_velocity(op, zero, free_v);
    cairn_operator_slip(op, free_v, zero, free_u);
    cairn_operator_product(op, gamma, product);
    for (int j = 0; j < M; j++) {
        double sum = c.C[j] * gamma[j] + c.b[j];
        for (int i = 0; i < N; i++)
            sum += c.D[i][j] * w[i];
        CHECK_NEAR(u[j], sum, 1e-12);
        CHECK_NEAR(product[j], u[j] - free_u[j], 1e-12);
    }
    /* N_ii: exact for block-diagonal H */
    const int *start;
    const double *diagonal;
    CHECK(cairn_operator_diagonal(op, &diagonal, &start) == CAIRN_OK);
    for (int i = 0; !sparse && i < c.blocks; i++) {
        int row = problem->block_start[i], dim = c.block[i].dim;
        double trace = 0.0;
        for (int s = 0; s < dim; s++) {
            double unit[M] = {0};
            unit[row + s] = 1.0;
            cairn_operator_product(op, unit, product);
            for (int r = 0; r < dim; r++)
                CHECK_NEAR(diagonal[start[i] + r * dim + s], product[row + r], 1e-12);
            trace += product[row + s];
        }
        CHECK_NEAR(cairn_operator_scale(op)[i], trace / dim, 1e-12);
    }
    cairn_operator_destroy(op);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(operator_against_dense) {
    check_operator(false, 0.0);
    check_operator(true, 0.0);
    check_operator(false, 1e-2);
    check_operator(true, 0.1);
}

/* A chain of LINKS bodies with joints of five rows; contacts on the last two bodies. */
enum { LINKS = 9, CHAIN_N = 6 * LINKS, CHAIN_M = 5 * (LINKS - 1) + 6 };

static cairn_problem *make_chain(cairn_context *context) {
    static int hr[36 * LINKS], hc[36 * LINKS], dr[12 * CHAIN_M], dc[12 * CHAIN_M];
    static double hv[36 * LINKS], dv[12 * CHAIN_M], k[CHAIN_N], b[CHAIN_M];
    cairn_block block[LINKS + 1];
    test_random random = {21};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = CHAIN_N;
    def.m = CHAIN_M;
    def.k = k;
    def.b = b;
    def.block = block;
    def.blocks = LINKS + 1;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_TRIPLET, .rows = CHAIN_N, .cols = CHAIN_N, .row = hr, .col = hc, .value = hv};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_TRIPLET, .rows = CHAIN_N, .cols = CHAIN_M, .row = dr, .col = dc, .value = dv};
    for (int i = 0; i < CHAIN_N; i++)
        for (int j = i / 6 * 6; j < i / 6 * 6 + 6; j++) {
            hr[def.H.entries] = i;
            hc[def.H.entries] = j;
            hv[def.H.entries++] = i == j ? 2.0 + i % 3 : 0.1;
        }
    for (int i = 0, row = 0; i <= LINKS; i++) {
        bool joint = i < LINKS - 1;
        block[i] = (cairn_block){.set = joint ? CAIRN_SET_BILATERAL : CAIRN_SET_CONE, .dim = joint ? 5 : 3, .mu = 0.4};
        for (int r = 0; r < block[i].dim; r++, row++)
            for (int body = joint ? i : LINKS - 2; body < (joint ? i + 2 : i); body++)
                for (int c = 0; c < 6; c++) {
                    dr[def.D.entries] = 6 * body + c;
                    dc[def.D.entries] = row;
                    dv[def.D.entries++] = test_random_signed(&random);
                }
    }
    for (int i = 0; i < CHAIN_N; i++)
        k[i] = test_random_signed(&random);
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* Of the factorisations of one system all but the first keep the links. Their answers are those of a system made anew. */
TEST(links_are_kept) {
    counting_allocator a = {.fail_at = -1};
    cairn_context *context = counting_context(&a, 1);
    cairn_problem *problem = make_chain(context);
    test_random random = {2};
    double theta[CHAIN_M], p[CHAIN_N], q[CHAIN_M], v[2][CHAIN_N], gamma[2][CHAIN_M], B[25 * LINKS + 9];
    for (int full = 0; full < 2; full++) {
        cairn_kkt *kkt = NULL;
        CHECK(cairn_kkt_create(problem, full, &kkt) == CAIRN_OK);
        for (int round = 0; round < 5; round++) {
            bool whole = round == 0 || round == 3;
            for (int j = 0; j < CHAIN_M; j++) {
                bool joint = j < 5 * (LINKS - 1);
                theta[j] = joint ? round < 3 ? 1e-6 : 1e-5 : test_random_unit(&random) + 0.01;
                q[j] = gamma[0][j] = gamma[1][j] = test_random_signed(&random);
            }
            for (int i = 0; i < CHAIN_N; i++)
                p[i] = test_random_signed(&random);
            for (size_t e = 0; e < sizeof B / sizeof *B; e++)
                B[e] = test_random_unit(&random);
            cairn_kkt *fresh = NULL;
            int taken = a.allocations;
            CHECK((full ? cairn_kkt_factor_blocks(kkt, B, theta) : cairn_kkt_factor(kkt, theta)) == CAIRN_OK);
            CHECK(a.allocations == taken);
            CHECK(whole ? cairn_kkt_share(kkt) == 1.0 : cairn_kkt_share(kkt) > 0.0 && cairn_kkt_share(kkt) < 0.5);
            CHECK(cairn_kkt_create(problem, full, &fresh) == CAIRN_OK);
            CHECK((full ? cairn_kkt_factor_blocks(fresh, B, theta) : cairn_kkt_factor(fresh, theta)) == CAIRN_OK);
            cairn_kkt *both[] = {kkt, fresh};
            for (int i = 0; i < 2; i++)
                CHECK((full ? cairn_kkt_solve_blocks(both[i], 1, p, q, v[i], gamma[i])
                            : cairn_kkt_solve(both[i], p, q, v[i], gamma[i])) == CAIRN_OK);
            CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0 && memcmp(gamma[0], gamma[1], sizeof gamma[0]) == 0);
            cairn_kkt_destroy(fresh);
        }
        cairn_kkt_destroy(kkt);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(failing_allocations) {
    static dense_case c;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int fail_at = 0;; fail_at++) {
            counting_allocator a = {.fail_at = -1};
            cairn_context *context = counting_context(&a, 1);
            cairn_problem *problem = make_case(context, &c, sparse, 0.0);
            int live = a.live;
            a.fail_at = a.allocations + fail_at;
            cairn_kkt *kkt = NULL;
            cairn_operator *op = NULL;
            cairn_status first = cairn_kkt_create(problem, false, &kkt);
            cairn_status second = cairn_operator_create(problem, &op);
            CHECK(first == CAIRN_OK || first == CAIRN_ERROR_MEMORY);
            CHECK(second == CAIRN_OK || second == CAIRN_ERROR_MEMORY);
            cairn_kkt_destroy(kkt);
            cairn_operator_destroy(op);
            CHECK(a.live == live);
            cairn_problem_destroy(problem);
            cairn_context_destroy(context);
            if (first == CAIRN_OK && second == CAIRN_OK)
                break;
        }
}

TEST(indefinite_mass_is_refused) {
    cairn_context *context = plain_context(1);
    int row[4] = {0, 0, 1, 1}, col[4] = {0, 1, 0, 1}, zero[2] = {0, 0};
    double value[4] = {1.0, 2.0, 2.0, 1.0}, none[1] = {0};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = 2;
    def.H = (cairn_sparse){.rows = 2, .cols = 2, .entries = 4, .row = row, .col = col, .value = value};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 2, .cols = 0, .start = zero, .row = zero, .value = none};
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    cairn_operator *op = NULL;
    CHECK(cairn_operator_create(problem, &op) == CAIRN_ERROR_NUMERICAL);
    CHECK_CONTAINS(cairn_error_message(context), "not positive definite");
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* Two penalties, two places: each solve is that of its own factor. */
TEST(two_places_hold_two_factors) {
    cairn_context *context = plain_context(1);
    cairn_sample_def def = cairn_default_sample_def("cairn");
    cairn_problem *problem = NULL;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    cairn_kkt *both = NULL, *one = NULL;
    CHECK(cairn_kkt_create(problem, false, &both) == CAIRN_OK && cairn_kkt_create(problem, false, &one) == CAIRN_OK);
    CHECK(cairn_kkt_places(both) == 1);
    CHECK(cairn_kkt_prepare_bodies(both, 2) == CAIRN_OK && cairn_kkt_prepare_bodies(one, 1) == CAIRN_OK);
    CHECK(cairn_kkt_places(both) == 2 && cairn_kkt_places(one) == 1 && cairn_kkt_is_symmetric(both));
    double *theta = calloc((size_t)view.m, sizeof *theta), *x = calloc((size_t)view.n, sizeof *x);
    double *y = calloc((size_t)view.n, sizeof *y);
    const double penalty[] = {0.1, 7.0};
    for (int place = 0; place < 2; place++) {
        for (int j = 0; j < view.m; j++)
            theta[j] = penalty[place] * (1.0 + 0.1 * (j % 5));
        cairn_kkt_choose(both, place);
        CHECK(cairn_kkt_factor(both, theta) == CAIRN_OK);
    }
    for (int place = 0; place < 2; place++) {
        for (int j = 0; j < view.m; j++)
            theta[j] = penalty[place] * (1.0 + 0.1 * (j % 5));
        CHECK(cairn_kkt_factor(one, theta) == CAIRN_OK);
        for (int i = 0; i < view.n; i++)
            x[i] = y[i] = sin(i);
        cairn_kkt_choose(both, place);
        cairn_kkt_solve_bodies(both, x);
        cairn_kkt_solve_bodies(one, y);
        CHECK(memcmp(x, y, (size_t)view.n * sizeof *x) == 0);
    }
    free(theta);
    free(x);
    free(y);
    cairn_kkt_destroy(both);
    cairn_kkt_destroy(one);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(kkt_block_diagonal);
    RUN(kkt_sparse);
    RUN(kkt_unsymmetric);
    RUN(operator_against_dense);
    RUN(links_are_kept);
    RUN(failing_allocations);
    RUN(indefinite_mass_is_refused);
    RUN(two_places_hold_two_factors);
    return test_end();
}
