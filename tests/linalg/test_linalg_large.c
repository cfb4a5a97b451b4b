/*
 * test_linalg_large.c: factors large enough for blocks, tasks and threads, on elastic grids in space: right answers by
 * residual, the same bits for every number of threads and for vectors swept together, plain C against the fast
 * kernel, bad pivots in tasks and in the top.
 */
#include "support/test.h"
#include "linalg/factor/factor_data.h"

#include <stdbool.h>

/* side^3 nodes of `rows` rows each; a node meets the 26 around it, or the 6 nearest only. */
typedef struct grid {
    int n, nodes, rows;
    int *start, *index, *group_start;
    double *value;
    signed char *sign;
} grid;

static void *room(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        exit(1);
    return memory;
}

static bool neighbours(int side, int a, int b, bool nearest) {
    int x = abs(a % side - b % side), y = abs(a / side % side - b / side % side),
        z = abs(a / side / side - b / side / side);
    return x <= 1 && y <= 1 && z <= 1 && (!nearest || x + y + z <= 1);
}

/* Symmetric part definite on nodes of one sign; negative: share of nodes of sign -1; skew: size of a skew part. */
static grid make_grid(int side, int rows, bool nearest, double negative, double skew) {
    test_random r = {(uint64_t)(side * 100 + rows)};
    grid g = {.nodes = side * side * side, .rows = rows};
    g.n = g.nodes * rows;
    int most = g.nodes * (nearest ? 7 : 27) * rows * rows;
    g.start = room((size_t)g.n + 1, sizeof(int));
    g.index = room((size_t)most, sizeof(int));
    g.value = room((size_t)most, sizeof(double));
    g.group_start = room((size_t)g.nodes + 1, sizeof(int));
    g.sign = room((size_t)g.n, 1);
    for (int v = 0; v <= g.nodes; v++)
        g.group_start[v] = v * rows;
    for (int v = 0; v < g.nodes; v++)
        memset(g.sign + v * rows, test_random_unit(&r) < negative ? -1 : 1, (size_t)rows);
    int used = 0, reach = side * side + side + 1;
    for (int j = 0; j < g.n; j++) {
        int v = j / rows;
        g.start[j] = used;
        for (int u = v - reach < 0 ? 0 : v - reach; u < g.nodes && u <= v + reach; u++)
            for (int i = u * rows; neighbours(side, u, v, nearest) && i < (u + 1) * rows; i++) {
                /* values depend on the unordered pair, so that both triangles agree */
                test_random pair = {(uint64_t)(i < j ? i : j) * 1000003u + (uint64_t)(i < j ? j : i)};
                double even = test_random_signed(&pair), odd = skew * test_random_signed(&pair);
                bool same = g.sign[i] == g.sign[j];
                g.index[used] = i;
                g.value[used++] = i == j ? g.sign[i] * (double)(14 * rows) : even + (same ? (i < j ? odd : -odd) : 0.0);
            }
    }
    g.start[g.n] = used;
    return g;
}

static void free_grid(grid *g) {
    free(g->start);
    free(g->index);
    free(g->value);
    free(g->group_start);
    free(g->sign);
}

/* max_i |A x - b|_i / (|A| |x| + |b|)_i */
static double residual(const grid *g, const double *x, const double *b) {
    double *sum = room((size_t)g->n, sizeof(double)), *size = room((size_t)g->n, sizeof(double)), worst = 0.0;
    for (int j = 0; j < g->n; j++)
        for (int p = g->start[j]; p < g->start[j + 1]; p++) {
            sum[g->index[p]] += g->value[p] * x[j];
            size[g->index[p]] += fabs(g->value[p] * x[j]);
        }
    for (int i = 0; i < g->n; i++)
        if (!(fabs(sum[i] - b[i]) <= worst * (size[i] + fabs(b[i]))))
            worst = fabs(sum[i] - b[i]) / (size[i] + fabs(b[i]));
    free(sum);
    free(size);
    return worst;
}

static cairn_context *context_with(int threads) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    def.threads = threads;
    CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
    return context;
}

static cairn_factor *analyzed(cairn_context *context, const grid *g, bool symmetric) {
    cairn_factor *f = NULL;
    CHECK(cairn_factor_analyze(context, g->n, g->start, g->index, g->nodes, g->group_start, symmetric, &f) == CAIRN_OK);
    return f;
}

static void fill(const grid *g, int count, double *b) {
    test_random r = {77};
    for (int i = 0; i < count * g->n; i++)
        b[i] = test_random_signed(&r);
}

#define VECTORS 7 /* one full group and a part of one */

/* Answers of one and several threads: the same bits, vector by vector and together. Returns the first one in x. */
static void check_threads(const grid *g, bool symmetric, bool tasks, double *x) {
    size_t n = (size_t)g->n, bytes = n * sizeof(double);
    double *b = room(VECTORS * n, sizeof(double)), *single = room(VECTORS * n, sizeof(double));
    double *many = room(VECTORS * (n + 5), sizeof(double));
    fill(g, VECTORS, b);
    for (int threads = 1; threads <= 4; threads *= 2) {
        cairn_context *context = context_with(threads);
        cairn_factor *f = analyzed(context, g, symmetric);
        CHECK((f->tasks > 1) == tasks);
        CHECK(cairn_factor_numeric(f, g->value, g->sign) == CAIRN_OK);
        memcpy(single, b, VECTORS * bytes);
        for (int v = 0; v < VECTORS; v++) {
            memcpy(many + (size_t)v * (n + 5), b + (size_t)v * n, bytes);
            cairn_factor_solve(f, single + (size_t)v * n);
        }
        cairn_factor_solve_many(f, VECTORS, many, g->n + 5);
        for (int v = 0; v < VECTORS; v++)
            CHECK(memcmp(many + (size_t)v * (n + 5), single + (size_t)v * n, bytes) == 0);
        CHECK(residual(g, single, b) < 1e-13);
        if (threads == 1)
            memcpy(x, single, bytes);
        CHECK(memcmp(x, single, bytes) == 0);
        cairn_factor_destroy(f);
        cairn_context_destroy(context);
    }
    free(b);
    free(single);
    free(many);
}

static void check_grid(int side, int rows, bool nearest, double negative, bool tasks) {
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        grid g = make_grid(side, rows, nearest, negative, symmetric ? 0.0 : 0.5);
        double *x = room((size_t)g.n, sizeof(double));
        check_threads(&g, symmetric, tasks, x);
        free(x);
        free_grid(&g);
    }
}

TEST(same_bits_dense_grid) {
    check_grid(11, 3, false, 0.0, true);
}

TEST(same_bits_sparse_grid) {
    check_grid(11, 6, true, 0.4, true);
}

TEST(small_grid_has_no_tasks) {
    check_grid(4, 5, true, 0.3, false);
}

/* Plain C and the fast kernel differ by rounding only, on the same layout. */
TEST(kernels_agree) {
    CHECK(cairn_kernel_best() == (cairn_kernel_avx2() != NULL ? cairn_kernel_avx2() : &cairn_kernel_portable));
    if (cairn_kernel_avx2() == NULL) {
        SKIP("this processor has no AVX2");
        return;
    }
    for (int variant = 0; variant < 4; variant++) {
        bool symmetric = variant % 2 == 0;
        grid g = make_grid(variant < 2 ? 10 : 6, variant < 2 ? 3 : 5, variant >= 2, 0.3, symmetric ? 0.0 : 0.5);
        cairn_context *context = context_with(2);
        cairn_factor *f = analyzed(context, &g, symmetric);
        double *b = room((size_t)g.n, sizeof(double)), *x[2], size = 0.0;
        fill(&g, 1, b);
        for (int k = 0; k < 2; k++) {
            x[k] = room((size_t)g.n, sizeof(double));
            f->kernel = k == 0 ? &cairn_kernel_portable : cairn_kernel_avx2();
            CHECK(cairn_factor_numeric(f, g.value, g.sign) == CAIRN_OK);
            memcpy(x[k], b, (size_t)g.n * sizeof(double));
            cairn_factor_solve(f, x[k]);
            CHECK(residual(&g, x[k], b) < 1e-13);
        }
        for (int i = 0; i < g.n; i++)
            size = fmax(size, fabs(x[0][i]));
        for (int i = 0; i < g.n; i++)
            CHECK_NEAR(x[0][i], x[1][i], 1e-11 * size);
        CHECK(memcmp(x[0], x[1], (size_t)g.n * sizeof(double)) != 0); /* or one of them was never used */
        free(x[0]);
        free(x[1]);
        free(b);
        cairn_factor_destroy(f);
        cairn_context_destroy(context);
        free_grid(&g);
    }
}

/* Every row as the bad one in turn (some of them): found in tasks and in the top, the same for every number of threads;
 * of two bad ones the first in the order of elimination. */
TEST(bad_pivots) {
    grid g = make_grid(11, 3, false, 0.0, 0.0);
    for (int threads = 1; threads <= 2; threads++) {
        cairn_context *context = context_with(threads);
        cairn_factor *f = analyzed(context, &g, true);
        for (int k = 1; k < g.n - 1; k += threads == 1 ? 600 : 900) {
            int later = k + g.n / 4 < g.n ? k + g.n / 4 : g.n - 1; /* in another task, or in the top */
            int rows[2] = {f->order[k], f->order[later]}, entry[2];
            double kept[2];
            for (int i = 0; i < 2; i++) {
                entry[i] = g.start[rows[i]];
                while (g.index[entry[i]] != rows[i])
                    entry[i]++;
                kept[i] = g.value[entry[i]];
                g.value[entry[i]] = -1e3;
            }
            CHECK(cairn_factor_numeric(f, g.value, g.sign) == CAIRN_ERROR_NUMERICAL);
            CHECK(cairn_factor_failed_row(f) == rows[0]);
            CHECK_CONTAINS(cairn_error_message(context), "expected a positive number");
            for (int i = 0; i < 2; i++)
                g.value[entry[i]] = kept[i];
        }
        CHECK(cairn_factor_numeric(f, g.value, g.sign) == CAIRN_OK);
        CHECK(cairn_factor_failed_row(f) == -1);
        cairn_factor_destroy(f);
        cairn_context_destroy(context);
    }
    free_grid(&g);
}

/* Every width of panel around the block widths, and every rest modulo 4, as one dense panel. */
TEST(dense_widths) {
    const int widths[12] = {1, 2, 3, 5, 12, 47, 95, 97, 98, 191, 195, 770};
    for (int w = 0; w < 12; w++) {
        grid g = make_grid(1, widths[w], true, 0.0, 0.0);
        for (int j = 0; j < g.n; j++)
            g.value[g.start[j] + j] = 2.0 * g.n;
        double *x = room((size_t)g.n, sizeof(double));
        check_threads(&g, true, false, x);
        if (widths[w] < 200)
            check_threads(&g, false, false, x);
        free(x);
        free_grid(&g);
    }
}

int main(void) {
    RUN(same_bits_dense_grid);
    RUN(same_bits_sparse_grid);
    RUN(small_grid_has_no_tasks);
    RUN(kernels_agree);
    RUN(bad_pivots);
    RUN(dense_widths);
    return test_end();
}
