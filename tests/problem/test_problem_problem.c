/* The problem: matrices in every format, wrong input named, bodies found from the pattern. */
#include "support/support.h"

#include "problem/problem_data.h"

/* Two bodies of six rows, one contact between them, one bilateral on the second. */
typedef struct pair {
    double mass[12];
    int diagonal[12], diagonal_start[13];
    int d_row[48], d_col[48], d_count;
    double d_value[48];
    cairn_block block[2];
    cairn_problem_def def;
} pair;

static void make_pair(pair *p) {
    memset(p, 0, sizeof *p);
    test_random random = {3};
    for (int i = 0; i < 12; i++) {
        p->mass[i] = 1.0 + i;
        p->diagonal[i] = i;
        p->diagonal_start[i + 1] = i + 1;
    }
    for (int j = 0; j < 4; j++)
        for (int i = j < 3 ? 0 : 6; i < 12; i++) {
            p->d_row[p->d_count] = i;
            p->d_col[p->d_count] = j;
            p->d_value[p->d_count++] = test_random_signed(&random);
        }
    p->block[0] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    p->block[1] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 1};
    p->def = cairn_default_problem_def();
    p->def.n = 12;
    p->def.m = 4;
    p->def.H = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                              .rows = 12,
                              .cols = 12,
                              .row = p->diagonal,
                              .start = p->diagonal_start,
                              .value = p->mass};
    p->def.D = (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET,
                              .rows = 12,
                              .cols = 4,
                              .entries = p->d_count,
                              .row = p->d_row,
                              .col = p->d_col,
                              .value = p->d_value};
    p->def.blocks = 2;
    p->def.block = p->block;
}

TEST(bodies_found_and_view) {
    cairn_context *context = plain_context(1);
    pair p;
    make_pair(&p);
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &p.def, &problem) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    CHECK(view.n == 12 && view.m == 4 && view.blocks == 2 && !view.local && !view.unsymmetric);
    CHECK(view.bodies == 2 && view.bodies_found && view.block_diagonal && view.body_start[1] == 6);
    CHECK(view.block_start[1] == 3 && view.block_start[2] == 4);
    CHECK(view.D_start[4] == p.d_count);
    cairn_problem_destroy(problem);
    cairn_problem_destroy(NULL);
    cairn_context_destroy(context);
}

TEST(formats_agree) {
    cairn_context *context = plain_context(1);
    pair p;
    make_pair(&p);
    cairn_problem *a = NULL, *b = NULL;
    CHECK(cairn_problem_create(context, &p.def, &a) == CAIRN_OK);
    /* triplets backwards, each split in two halves, and an explicit zero */
    int row[97], col[97], count = 0;
    double value[97];
    for (int e = p.d_count - 1; e >= 0; e--)
        for (int half = 0; half < 2; half++) {
            row[count] = p.d_row[e];
            col[count] = p.d_col[e];
            value[count++] = 0.5 * p.d_value[e];
        }
    row[count] = 0;
    col[count] = 3;
    value[count++] = 0.0;
    p.def.D.entries = count;
    p.def.D.row = row;
    p.def.D.col = col;
    p.def.D.value = value;
    CHECK(cairn_problem_create(context, &p.def, &b) == CAIRN_OK);
    cairn_problem_view va = cairn_problem_get(a), vb = cairn_problem_get(b);
    CHECK(va.D_start[4] == vb.D_start[4]);
    CHECK(memcmp(va.D_index, vb.D_index, sizeof(int) * (size_t)va.D_start[4]) == 0);
    CHECK(memcmp(va.D_value, vb.D_value, sizeof(double) * (size_t)va.D_start[4]) == 0);
    cairn_problem_destroy(b);
    /* the transpose's columns are the rows */
    cairn_csc T;
    CHECK(cairn_csc_transpose(context, &a->D, &T) == CAIRN_OK);
    p.def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_ROWS, .rows = 12, .cols = 4, .col = T.index, .start = T.start, .value = T.value};
    CHECK(cairn_problem_create(context, &p.def, &b) == CAIRN_OK);
    vb = cairn_problem_get(b);
    CHECK(memcmp(va.D_value, vb.D_value, sizeof(double) * (size_t)va.D_start[4]) == 0);
    cairn_csc_free(context, &T);
    cairn_problem_destroy(a);
    cairn_problem_destroy(b);
    cairn_context_destroy(context);
}

/* Creation must fail with CAIRN_ERROR_ARGUMENT and the message must name the place. */
static void refused(cairn_context *context, const cairn_problem_def *def, const char *part) {
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, def, &problem) == CAIRN_ERROR_ARGUMENT);
    CHECK(problem == NULL);
    CHECK_CONTAINS(cairn_error_message(context), part);
}

TEST(wrong_input_is_named) {
    cairn_context *context = plain_context(1);
    pair p, q;
    make_pair(&p);
#define TRY(change, part) \
    do { \
        q = p; \
        q.def.H.value = q.mass; \
        q.def.H.row = q.diagonal; \
        q.def.H.start = q.diagonal_start; \
        q.def.D.row = q.d_row; \
        q.def.D.col = q.d_col; \
        q.def.D.value = q.d_value; \
        q.def.block = q.block; \
        change; \
        refused(context, &q.def, part); \
    } while (0)
    TRY(q.def.cookie = 0, "cairn_default_problem_def");
    TRY(q.def.m = 5, "4 rows");
    TRY(q.def.n = -1, "negative");
    TRY(q.def.law = (cairn_law)7, "law");
    TRY(q.block[0].mu = -1.0, "block 0 (cone)");
    TRY(q.block[0].mu = INFINITY, "block 0 (cone): mu must be finite");
    TRY(q.block[0].mu = NAN, "block 0 (cone)");
    TRY(q.block[0].dim = 4, "block 0 (cone)");
    TRY(q.block[1].set = (cairn_set_kind)77, "block 1");
    TRY(q.def.block = NULL, "block is NULL");
    TRY(q.def.H.rows = 11, "H is 11 x 12");
    TRY(q.def.D.cols = 3, "D is 12 x 3");
    TRY(q.mass[4] = 0.0, "H[4,4]");
    TRY(q.mass[4] = -2.0, "H[4,4]");
    TRY(q.mass[4] = INFINITY, "H.value[4]");
    TRY(q.diagonal[3] = 12, "H.row[3] is 12");
    TRY(q.diagonal_start[3] = 1, "H.start[3]");
    TRY(q.diagonal_start[0] = 1, "H.start[0]");
    TRY(q.def.H.start = NULL, "H.start is NULL");
    TRY(q.d_row[5] = -1, "D.row[5] is -1");
    TRY(q.d_col[5] = 4, "D.col[5] is 4");
    TRY(q.d_value[5] = NAN, "D.value[5]");
    TRY(q.def.D.value = NULL, "D.value is NULL");
    TRY(q.def.D.entries = -3, "D.entries");
    TRY(q.def.D.format = (cairn_sparse_format)9, "D.format");
    double k[12] = {0}, b[4] = {0}, C[4] = {0};
    k[11] = NAN;
    b[2] = INFINITY;
    C[1] = -1e-9;
    TRY(q.def.k = k, "k[11]");
    TRY(q.def.b = b, "b[2]");
    TRY(q.def.C = C, "C[1]");
    int bodies[3] = {0, 5, 11};
    TRY((q.def.bodies = 2, q.def.body_start = bodies), "body_start runs from 0 to 11");
    bodies[2] = 12;
    bodies[1] = 12;
    TRY((q.def.bodies = 2, q.def.body_start = bodies), "body_start[2]");
    TRY(q.def.bodies = 2, "body_start");
    TRY((q.def.n = 0, q.def.N = (cairn_sparse){.rows = 4, .cols = 4, .format = CAIRN_SPARSE_TRIPLET}), "local form");
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, NULL, &problem) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_create(NULL, &p.def, &problem) == CAIRN_ERROR_ARGUMENT);
    cairn_context_destroy(context);
}

TEST(symmetry_is_settled) {
    cairn_context *context = plain_context(1);
    double N[4] = {2.0, 0.5, 0.5 * (1.0 + 1e-15), 1.0}, b[2] = {0};
    cairn_block block = {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.3};
    cairn_problem *problem = local_problem(context, 2, N, b, 1, &block, CAIRN_LAW_COULOMB);
    CHECK(problem != NULL && !problem->unsymmetric);
    CHECK(problem->A.value[1] == problem->A.value[2]);
    cairn_problem_destroy(problem);
    N[2] = 0.6;
    CHECK(local_problem(context, 2, N, b, 1, &block, CAIRN_LAW_COULOMB) == NULL);
    CHECK_CONTAINS(cairn_error_message(context), "N_unsymmetric");
    N[3] = -1.0;
    CHECK(local_problem(context, 2, N, b, 1, &block, CAIRN_LAW_COULOMB) == NULL);
    CHECK_CONTAINS(cairn_error_message(context), "N[1,1]");
    cairn_context_destroy(context);
}

TEST(vectors_law_and_blocks_change) {
    cairn_context *context = plain_context(1);
    pair p;
    make_pair(&p);
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &p.def, &problem) == CAIRN_OK);
    double k[12], b[4] = {1, 2, 3, 4};
    for (int i = 0; i < 12; i++)
        k[i] = i;
    CHECK(cairn_problem_set_vectors(problem, k, NULL) == CAIRN_OK);
    CHECK(cairn_problem_set_vectors(problem, NULL, b) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(problem);
    CHECK(view.k[7] == 7.0 && view.b[2] == 3.0);
    b[1] = NAN;
    CHECK(cairn_problem_set_vectors(problem, NULL, b) == CAIRN_ERROR_ARGUMENT);
    CHECK(view.b[0] == 1.0);
    CHECK(cairn_problem_set_law(problem, CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
    CHECK(cairn_problem_set_law(problem, (cairn_law)5) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_get(problem).law == CAIRN_LAW_ASSOCIATED);
    cairn_block block = p.block[0];
    block.mu = 0.9;
    CHECK(cairn_problem_set_block(problem, 0, &block) == CAIRN_OK);
    CHECK(view.block[0].mu == 0.9);
    block.mu = -1;
    CHECK(cairn_problem_set_block(problem, 0, &block) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_set_block(problem, 1, &p.block[0]) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_set_block(problem, 2, &block) == CAIRN_ERROR_ARGUMENT);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* A chain of 3-row nodes coupled by H gives nodes; uncoupled rows with odd counts give single rows or runs. */
TEST(node_blocks) {
    int H_start[64], H_index[256];
    int start[2] = {0, 0};
    for (int kind = 0; kind < 3; kind++) {
        int n = kind == 0 ? 9 : 7, entries = 0, bodies = 0, body_start[16];
        for (int j = 0; j < n; j++) {
            H_start[j] = entries;
            for (int i = 0; i < n; i++) {
                bool coupled = kind == 0   ? i / 3 - j / 3 <= 1 && j / 3 - i / 3 <= 1
                               : kind == 1 ? i == j
                                           : (i < 4) == (j < 4);
                if (coupled)
                    H_index[entries++] = i;
            }
        }
        H_start[n] = entries;
        cairn_csc H = {.rows = n, .cols = n, .start = H_start, .index = H_index};
        cairn_csc D = {.rows = n, .cols = 0, .start = start};
        cairn_find_bodies(&H, &D, 0, start, &bodies, body_start);
        CHECK(bodies == (kind == 0 ? 3 : kind == 1 ? 7 : 2));
        CHECK(body_start[bodies] == n);
        CHECK(body_start[1] == (kind == 0 ? 3 : kind == 1 ? 1 : 4));
    }
}

/* A constraint over three runs of six rows: these are not rigid bodies, and with diagonal H they are single rows. */
TEST(three_bodies_in_one_constraint) {
    int H_start[19], H_index[18], D_start[2] = {0, 3}, D_index[3] = {0, 6, 12}, block_start[2] = {0, 1}, bodies = 0;
    int body_start[19];
    for (int i = 0; i < 18; i++)
        H_start[i] = H_index[i] = i;
    H_start[18] = 18;
    cairn_csc H = {.rows = 18, .cols = 18, .start = H_start, .index = H_index};
    cairn_csc D = {.rows = 18, .cols = 1, .start = D_start, .index = D_index};
    cairn_find_bodies(&H, &D, 1, block_start, &bodies, body_start);
    CHECK(bodies == 18);
    D_start[1] = 2;
    cairn_find_bodies(&H, &D, 1, block_start, &bodies, body_start);
    CHECK(bodies == 3 && body_start[1] == 6);
}

TEST(failing_allocations) {
    pair p;
    make_pair(&p);
    for (int fail_at = 1;; fail_at++) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        a.fail_at = fail_at;
        cairn_problem *problem = NULL;
        cairn_status status = cairn_problem_create(context, &p.def, &problem);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        cairn_problem_destroy(problem);
        CHECK(a.live == 1);
        cairn_context_destroy(context);
        if (status == CAIRN_OK)
            break;
        CHECK(fail_at < 100);
    }
}

int main(void) {
    RUN(bodies_found_and_view);
    RUN(formats_agree);
    RUN(wrong_input_is_named);
    RUN(symmetry_is_settled);
    RUN(vectors_law_and_blocks_change);
    RUN(node_blocks);
    RUN(three_bodies_in_one_constraint);
    RUN(failing_allocations);
    return test_end();
}
