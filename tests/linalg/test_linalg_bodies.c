/* Solves body by body against the factor they come from: chains, grids and dense graphs of bodies, new values, what is refused, memory. */
#include "support/support.h"

#include "linalg/factor/body_factor.h"

#include <math.h>
#include <string.h>

enum { BODIES_MAX = 40, ROWS_MAX = 6 * BODIES_MAX };

typedef struct bodies_matrix {
    int n, size, groups;
    int start[ROWS_MAX + 1], group[BODIES_MAX + 1];
    int index[ROWS_MAX * ROWS_MAX];
    double value[ROWS_MAX * ROWS_MAX];
} bodies_matrix;

/* kind 0: a chain, 1: a grid of five a row, 2: all with all. size: rows of a body. */
static bool coupled(int kind, int a, int b) {
    int apart = a < b ? b - a : a - b;
    return apart == 0 || kind == 2 || apart == 1 || (kind == 1 && apart == 5);
}

static void fill_values(bodies_matrix *m, uint64_t seed) {
    for (int j = 0; j < m->n; j++)
        for (int p = m->start[j]; p < m->start[j + 1]; p++) {
            int i = m->index[p], low = i < j ? i : j, high = i < j ? j : i;
            test_random random = {seed + 1000003u * (uint64_t)low + (uint64_t)high};
            test_random_bits(&random);
            m->value[p] = test_random_signed(&random) + (i == j ? 1.5 * m->n : 0.0);
        }
}

static bodies_matrix *make(int kind, int groups, int size) {
    bodies_matrix *m = calloc(1, sizeof *m);
    m->groups = groups;
    m->size = size;
    m->n = groups * size;
    int used = 0;
    for (int j = 0; j < m->n; j++) {
        m->start[j] = used;
        for (int i = 0; i < m->n; i++)
            if (coupled(kind, i / size, j / size))
                m->index[used++] = i;
    }
    m->start[m->n] = used;
    for (int g = 0; g <= groups; g++)
        m->group[g] = g * size;
    fill_values(m, 7);
    return m;
}

static cairn_factor *analyze(cairn_context *context, const bodies_matrix *m, bool symmetric) {
    cairn_factor *factor = NULL;
    CHECK(cairn_factor_analyze(context, m->n, m->start, m->index, m->groups, m->group, symmetric, &factor) == CAIRN_OK);
    return factor;
}

TEST(agrees_with_the_factor) {
    cairn_context *context = plain_context(1);
    for (int kind = 0; kind < 3; kind++)
        for (int groups = 1; groups <= 16; groups += kind == 2 ? 3 : 5) {
            bodies_matrix *m = make(kind, groups, 6);
            cairn_factor *factor = analyze(context, m, true);
            cairn_body_factor *body_factor = NULL;
            CHECK(cairn_body_factor_create(context, factor, &body_factor) == CAIRN_OK && body_factor != NULL);
            for (int again = 0; again < 2; again++) {
                double x[ROWS_MAX], y[ROWS_MAX], size = 0.0;
                fill_values(m, 7 + (uint64_t)again);
                CHECK(cairn_factor_numeric(factor, m->value, NULL) == CAIRN_OK);
                cairn_body_factor_refresh(body_factor);
                for (int i = 0; i < m->n; i++)
                    x[i] = y[i] = i % 7 - 2.5;
                cairn_factor_solve(factor, x);
                cairn_body_factor_solve(body_factor, y);
                for (int i = 0; i < m->n; i++)
                    size = fmax(size, fabs(x[i]));
                for (int i = 0; i < m->n; i++)
                    CHECK_NEAR(y[i], x[i], 1e-14 * size);
                CHECK(size > 0.0);
            }
            cairn_body_factor_destroy(body_factor);
            cairn_factor_destroy(factor);
            free(m);
        }
    cairn_context_destroy(context);
}

/* Bodies of three rows, unsymmetric factors, and panels too wide for one block. */
TEST(refuses_what_does_not_fit) {
    cairn_context *context = plain_context(1);
    for (int what = 0; what < 3; what++) {
        bodies_matrix *m = make(what == 2 ? 2 : 1, what == 2 ? 20 : 9, what == 0 ? 3 : 6);
        cairn_factor *factor = analyze(context, m, what != 1);
        cairn_body_factor *body_factor = (cairn_body_factor *)m;
        CHECK(cairn_body_factor_create(context, factor, &body_factor) == CAIRN_OK && body_factor == NULL);
        cairn_factor_destroy(factor);
        free(m);
    }
    cairn_context_destroy(context);
}

TEST(memory) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    bodies_matrix *m = make(1, 10, 6);
    cairn_factor *factor = analyze(context, m, true);
    int live = allocator.live, failures = 0;
    cairn_body_factor *body_factor = NULL;
    for (cairn_status status = CAIRN_ERROR_MEMORY; status != CAIRN_OK && failures < 10;) {
        allocator.fail_at = allocator.allocations + failures;
        status = cairn_body_factor_create(context, factor, &body_factor);
        CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && allocator.live == live && body_factor == NULL));
        failures += status != CAIRN_OK;
    }
    CHECK(failures > 0 && failures < 10);
    allocator.fail_at = allocator.allocations;
    CHECK(cairn_factor_numeric(factor, m->value, NULL) == CAIRN_OK);
    cairn_body_factor_refresh(body_factor);
    double x[ROWS_MAX] = {1.0};
    cairn_body_factor_solve(body_factor, x);
    cairn_body_factor_destroy(body_factor);
    CHECK(allocator.live == live);
    cairn_factor_destroy(factor);
    free(m);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(agrees_with_the_factor);
    RUN(refuses_what_does_not_fit);
    RUN(memory);
    return test_end();
}
