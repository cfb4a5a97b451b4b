/* Saddle-point systems that are kept for the next problem with the same pattern: found when they fit, never seen in a result. */
#include "support/support.h"

#include "problem/kkt/kkt.h"

/* A pyramid of stones: mass and size change its numbers, count its pattern. */
static cairn_problem *stones(cairn_context *context, int count, double mass, double size) {
    cairn_sample_def def = cairn_default_sample_def("cairn");
    cairn_problem *problem = NULL;
    def.count = count;
    def.mass = mass;
    def.size = size;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* Factors and solves in all ways; x (n), gamma (m). */
static void use(cairn_kkt *kkt, const cairn_problem *problem, int places, double *x, double *v, double *gamma) {
    cairn_problem_view view = cairn_problem_get(problem);
    double *theta = calloc((size_t)view.m, sizeof *theta), *p = calloc((size_t)view.n, sizeof *p);
    for (int j = 0; j < view.m; j++)
        theta[j] = 1.0 + 0.1 * (j % 5);
    for (int i = 0; i < view.n; i++)
        p[i] = x[i] = sin(i);
    if (places > 0)
        CHECK(cairn_kkt_prepare_bodies(kkt, places) == CAIRN_OK);
    CHECK(cairn_kkt_places(kkt) == (places == 2 ? 2 : 1));
    CHECK(cairn_kkt_factor(kkt, theta) == CAIRN_OK);
    cairn_kkt_solve_bodies(kkt, x);
    CHECK(cairn_kkt_solve(kkt, p, theta, v, gamma) == CAIRN_OK);
    free(theta);
    free(p);
}

TEST(what_is_found_never_shows) {
    cairn_context *context = plain_context(1);
    cairn_kkt_cache store = {0};
    cairn_problem *first = stones(context, 4, 1.0, 1.0), *second = stones(context, 4, 70.0, 0.3);
    cairn_problem_view view = cairn_problem_get(first);
    size_t n = (size_t)view.n, m = (size_t)view.m;
    double *a = calloc(2 * n + m, sizeof *a), *b = calloc(2 * n + m, sizeof *b);
    for (int places = 0; places < 3; places++) {
        cairn_kkt *kkt = NULL, *again = NULL, *fresh = NULL;
        CHECK(cairn_kkt_create_cached(first, false, SIZE_MAX, &store, &kkt) == CAIRN_OK);
        use(kkt, first, 2, a, a + n, a + 2 * n);
        cairn_kkt_choose(kkt, 1);
        cairn_kkt_destroy(kkt);
        CHECK(store.count == 1);
        CHECK(cairn_kkt_create_cached(second, false, SIZE_MAX, &store, &again) == CAIRN_OK);
        CHECK(again == kkt && store.count == 0 && cairn_kkt_solves(again) == 0);
        CHECK(cairn_kkt_create(second, false, &fresh) == CAIRN_OK);
        use(again, second, places, a, a + n, a + 2 * n);
        use(fresh, second, places, b, b + n, b + 2 * n);
        CHECK(memcmp(a, b, (2 * n + m) * sizeof *a) == 0);
        CHECK(cairn_kkt_solves(again) == cairn_kkt_solves(fresh));
        CHECK(cairn_kkt_backward_error(again) == cairn_kkt_backward_error(fresh));
        cairn_kkt_destroy(again);
        cairn_kkt_destroy(fresh);
    }
    free(a);
    free(b);
    cairn_kkt_cache_empty(&store);
    cairn_problem_destroy(first);
    cairn_problem_destroy(second);
    cairn_context_destroy(context);
}

TEST(only_what_fits_is_found) {
    counting_allocator a = {.fail_at = -1};
    cairn_context *context = counting_context(&a, 1);
    cairn_kkt_cache store = {0};
    cairn_problem *problem = stones(context, 3, 1.0, 1.0), *larger = stones(context, 4, 1.0, 1.0);
    int live = a.live;
    cairn_kkt *kkt = NULL, *other = NULL;
    CHECK(cairn_kkt_create_cached(problem, false, SIZE_MAX, &store, &kkt) == CAIRN_OK);
    cairn_kkt_destroy(kkt);
    CHECK(cairn_kkt_create_cached(problem, true, SIZE_MAX, &store, &other) == CAIRN_OK && other != kkt);
    cairn_kkt_destroy(other);
    CHECK(cairn_kkt_create_cached(larger, false, SIZE_MAX, &store, &other) == CAIRN_OK && other != kkt);
    cairn_kkt_destroy(other);
    CHECK(cairn_kkt_create_cached(problem, false, 1 << 20, &store, &other) == CAIRN_OK && other != kkt);
    cairn_kkt_destroy(other);
    CHECK(store.count == 4);
    for (int i = 0; i < CAIRN_KKT_CACHE_PLACES + 2; i++) { /* the oldest make room */
        cairn_problem *stack = stones(context, 2 + i, 1.0, 1.0);
        CHECK(cairn_kkt_create_cached(stack, false, (size_t)1 << (30 + i), &store, &other) == CAIRN_OK);
        cairn_kkt_destroy(other);
        cairn_problem_destroy(stack);
    }
    CHECK(store.count == CAIRN_KKT_CACHE_PLACES);
    cairn_kkt_cache_empty(&store);
    CHECK(a.live == live);
    cairn_problem_destroy(problem);
    cairn_problem_destroy(larger);
    cairn_context_destroy(context);
}

/* Two bodies, a contact of the first with something fixed and a joint between both, in two rows; zeros: entries of the contact that are left out, full: none of the joint's is. */
static cairn_problem *joint_and_contact(cairn_context *context, int zeros, bool full, cairn_set_kind second,
                                        double mass) {
    cairn_problem_def def = cairn_default_problem_def();
    int H_start[13], row[12], D_start[6] = {0}, D_row[48], at = 0;
    double value[12], D_value[48];
    for (int i = 0; i < 12; i++) {
        H_start[i] = row[i] = i;
        value[i] = mass * (1.0 + i);
    }
    H_start[12] = 12;
    for (int j = 0; j < 5; j++) {
        for (int i = 0; i < (j < 3 ? 6 : 12); i++) {
            if ((j == 0 && i >= 6 - zeros) || (j == 3 && i == 2 && !full))
                continue;
            D_row[at] = i;
            D_value[at++] = sin(1.0 + i + 7.0 * j);
        }
        D_start[j + 1] = at;
    }
    const cairn_block block[2] = {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, {.set = second, .dim = 2, .mu = 0.5}};
    const int body_start[3] = {0, 6, 12};
    def.n = 12;
    def.m = 5;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 12, .cols = 12, .row = row, .start = H_start, .value = value};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 12, .cols = 5, .row = D_row, .start = D_start, .value = D_value};
    def.blocks = 2;
    def.block = block;
    def.bodies = 2;
    def.body_start = body_start;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* Entries of D that are zero make no other pattern: bodies that a block touches count. What is found gives the bits of what is made. */
TEST(joints_are_found_again) {
    cairn_context *context = plain_context(1);
    cairn_problem *first = joint_and_contact(context, 0, true, CAIRN_SET_BILATERAL, 1.0);
    cairn_problem *other[] = {joint_and_contact(context, 3, true, CAIRN_SET_BILATERAL, 5.0),
                              joint_and_contact(context, 0, false, CAIRN_SET_BILATERAL, 1.0),
                              joint_and_contact(context, 0, true, CAIRN_SET_NONNEGATIVE, 1.0)};
    const double theta[5] = {1.0, 1.1, 1.2, 1e-6, 2e-6};
    double p[12], a[17], b[17];
    for (int i = 0; i < 12; i++)
        p[i] = cos(i);
    for (int k = 0; k < 3; k++) {
        cairn_kkt_cache store = {0};
        cairn_kkt *kkt = NULL, *again = NULL, *fresh = NULL;
        CHECK(cairn_kkt_create_cached(first, false, SIZE_MAX, &store, &kkt) == CAIRN_OK);
        CHECK(cairn_kkt_factor(kkt, theta) == CAIRN_OK && cairn_kkt_solve(kkt, p, theta, a, a + 12) == CAIRN_OK);
        cairn_kkt_destroy(kkt);
        CHECK(store.count == 1);
        CHECK(cairn_kkt_create_cached(other[k], false, SIZE_MAX, &store, &again) == CAIRN_OK);
        CHECK((again == kkt) == (k < 2));
        CHECK(cairn_kkt_create(other[k], false, &fresh) == CAIRN_OK);
        CHECK(cairn_kkt_factor(again, theta) == CAIRN_OK && cairn_kkt_solve(again, p, theta, a, a + 12) == CAIRN_OK);
        CHECK(cairn_kkt_factor(fresh, theta) == CAIRN_OK && cairn_kkt_solve(fresh, p, theta, b, b + 12) == CAIRN_OK);
        CHECK(memcmp(a, b, sizeof a) == 0);
        cairn_kkt_destroy(again);
        cairn_kkt_destroy(fresh);
        cairn_kkt_cache_empty(&store);
        cairn_problem_destroy(other[k]);
    }
    cairn_problem_destroy(first);
    cairn_context_destroy(context);
}

TEST(failing_allocations) {
    for (int fail_at = 0;; fail_at++) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        cairn_problem *problem = stones(context, 3, 1.0, 1.0);
        cairn_kkt_cache store = {0};
        cairn_kkt *kkt = NULL;
        int live = a.live;
        a.fail_at = a.allocations + fail_at;
        cairn_status status = cairn_kkt_create_cached(problem, false, SIZE_MAX, &store, &kkt);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        cairn_kkt_destroy(kkt);
        cairn_kkt_cache_empty(&store);
        CHECK(a.live == live);
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
        if (status == CAIRN_OK)
            break;
    }
}

int main(void) {
    RUN(what_is_found_never_shows);
    RUN(only_what_fits_is_found);
    RUN(joints_are_found_again);
    RUN(failing_allocations);
    return test_end();
}
