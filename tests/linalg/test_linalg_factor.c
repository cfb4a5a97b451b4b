/*
 * test_linalg_factor.c: sparse LDL' and LDU against dense elimination with pivoting, bad patterns, bad pivots,
 * failing memory.
 */
#include "support/test.h"
#include "support/refusing.h"
#include "linalg/factor/factor_data.h"

#include <stdbool.h>

/* ---- matrices: dense values with a pattern, and the same compressed --------------------------------------- */

#define MAX_N 320

typedef struct matrix {
    int n, groups;
    double dense[MAX_N][MAX_N];
    bool held[MAX_N][MAX_N];
    signed char sign[MAX_N];
    int group_start[MAX_N + 1];
    int start[MAX_N + 1], index[MAX_N * MAX_N];
    double value[MAX_N * MAX_N];
} matrix;

static matrix A; /* too large for the stack */

static int pick(test_random *r, int count) {
    return (int)(test_random_unit(r) * count);
}

static void compress(matrix *a) {
    int used = 0;
    for (int j = 0; j < a->n; j++) {
        a->start[j] = used;
        for (int i = 0; i < a->n; i++)
            if (a->held[i][j]) {
                a->index[used] = i;
                a->value[used++] = a->dense[i][j];
            }
    }
    a->start[a->n] = used;
}

/* Groups of 1 to 6 rows; every group meets itself, and about `edges` other groups each. */
static void draw_pattern(matrix *a, test_random *r, int n, double edges) {
    memset(a, 0, sizeof *a);
    a->n = n;
    for (int i = 0; i < n; i += 1 + pick(r, 6))
        a->group_start[a->groups++] = i;
    a->group_start[a->groups] = n;
    for (int g = 0; g < a->groups; g++)
        for (int h = 0; h <= g; h++) {
            if (h != g && test_random_unit(r) * a->groups > edges)
                continue;
            for (int i = a->group_start[g]; i < a->group_start[g + 1]; i++)
                for (int j = a->group_start[h]; j < a->group_start[h + 1]; j++)
                    a->held[i][j] = a->held[j][i] = true;
        }
}

/* Symmetric part positive definite on rows of sign +1 and negative definite on those of -1, mirrored in
 * between; skew: size of a skew part inside the parts of one sign. */
static void draw_values(matrix *a, test_random *r, double negative, double skew) {
    int n = a->n;
    for (int g = 0; g < a->groups; g++) {
        signed char sign = test_random_unit(r) < negative ? -1 : 1;
        for (int i = a->group_start[g]; i < a->group_start[g + 1]; i++)
            a->sign[i] = sign;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a->held[i][j]) {
                double even = test_random_signed(r),
                       odd = a->sign[i] == a->sign[j] ? skew * test_random_signed(r) : 0.0;
                a->dense[i][j] = even + odd;
                a->dense[j][i] = even - odd;
            }
    for (int i = 0; i < n; i++) {
        double sum = 0.1 + test_random_unit(r);
        for (int j = 0; j < n; j++)
            if (j != i && a->sign[j] == a->sign[i])
                sum += 0.5 * fabs(a->dense[i][j] + a->dense[j][i]);
        a->dense[i][i] = a->sign[i] * sum;
    }
    compress(a);
}

/* x <- A^-1 b by dense elimination with row pivoting. */
static void dense_solve(const matrix *a, const double *b, double *x) {
    static double m[MAX_N][MAX_N + 1];
    int n = a->n;
    for (int i = 0; i < n; i++) {
        memcpy(m[i], a->dense[i], (size_t)n * sizeof(double));
        m[i][n] = b[i];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[best][k]))
                best = i;
        for (int j = k; j <= n; j++) {
            double swap = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = m[i][k] / m[k][k];
            for (int j = k; j <= n; j++)
                m[i][j] -= factor * m[k][j];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = m[k][n];
        for (int j = k + 1; j < n; j++)
            x[k] -= m[k][j] * x[j];
        x[k] /= m[k][k];
    }
}

/* max_i |A x - b|_i / (|A| |x| + |b|)_i */
static double residual(const matrix *a, const double *x, const double *b) {
    double worst = 0.0;
    for (int i = 0; i < a->n; i++) {
        double sum = -b[i], size = fabs(b[i]);
        for (int j = 0; j < a->n; j++) {
            sum += a->dense[i][j] * x[j];
            size += fabs(a->dense[i][j] * x[j]);
        }
        if (!(fabs(sum) <= worst * size))
            worst = fabs(sum) / size;
    }
    return worst;
}

static cairn_factor *analyzed(cairn_context *context, const matrix *a, bool with_groups, bool symmetric) {
    cairn_factor *f = NULL;
    CHECK(cairn_factor_analyze(context, a->n, a->start, a->index, with_groups ? a->groups : 0,
                               with_groups ? a->group_start : NULL, symmetric, &f) == CAIRN_OK);
    return f;
}

/* Entries and multiply-adds by eliminating the pattern of A densely in the order the factor chose. */
static void check_counts(const matrix *a, const cairn_factor *f, bool symmetric) {
    static bool fill[MAX_N][MAX_N];
    int64_t entries = 0;
    double flops = 0.0;
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < a->n; j++)
            fill[i][j] = a->held[f->order[i]][f->order[j]];
    for (int k = 0; k < a->n; k++) {
        double c = 0.0;
        for (int i = k + 1; i < a->n; i++) {
            c += fill[i][k] ? 1.0 : 0.0;
            for (int j = k + 1; j < a->n; j++)
                fill[i][j] |= fill[i][k] && fill[j][k];
        }
        entries += (int64_t)(symmetric ? c : 2.0 * c);
        flops += symmetric ? c * (c + 1.0) / 2.0 : c * c;
    }
    CHECK(cairn_factor_entries(f) == entries);
    CHECK(cairn_factor_flops(f) == flops);
}

/* Factors and solves with and without groups, as LDL' if asked and as LDU always, and compares with dense. */
static void check_matrix(const matrix *a, test_random *r, bool symmetric) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    double b[MAX_N], reference[MAX_N], x[MAX_N], again[MAX_N], size = 0.0;
    for (int i = 0; i < a->n; i++)
        b[i] = test_random_signed(r);
    dense_solve(a, b, reference);
    for (int i = 0; i < a->n; i++)
        size = fmax(size, fabs(reference[i]));
    for (int variant = symmetric ? 0 : 2; variant < 4; variant++) {
        cairn_factor *f = analyzed(context, a, variant % 2 == 0, variant < 2);
        check_counts(a, f, variant < 2);
        int calls = c.calls;
        for (int repeat = 0; repeat < 2; repeat++) {
            double *out = repeat == 0 ? x : again;
            CHECK(cairn_factor_numeric(f, a->value, a->sign) == CAIRN_OK);
            CHECK(cairn_factor_failed_row(f) == -1);
            memcpy(out, b, sizeof b);
            cairn_factor_solve(f, out);
        }
        CHECK(c.calls == calls);
        CHECK(memcmp(x, again, (size_t)a->n * sizeof(double)) == 0);
        CHECK(residual(a, x, b) < 1e-12);
        for (int i = 0; i < a->n; i++)
            CHECK_NEAR(x[i], reference[i], 1e-10 * size);
        cairn_factor_destroy(f);
    }
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

/* ---- right answers ---------------------------------------------------------------------------------------- */

TEST(definite) {
    test_random r = {1};
    for (int trial = 0; trial < 30; trial++) {
        draw_pattern(&A, &r, 2 + pick(&r, 60), 3.0 * test_random_unit(&r));
        draw_values(&A, &r, 0.0, 0.0);
        check_matrix(&A, &r, true);
    }
}

TEST(quasi_definite) {
    test_random r = {2};
    for (int trial = 0; trial < 30; trial++) {
        draw_pattern(&A, &r, 2 + pick(&r, 60), 4.0 * test_random_unit(&r));
        draw_values(&A, &r, 0.5, 0.0);
        check_matrix(&A, &r, true);
    }
}

TEST(unsymmetric) {
    test_random r = {3};
    for (int trial = 0; trial < 30; trial++) {
        draw_pattern(&A, &r, 2 + pick(&r, 60), 3.0 * test_random_unit(&r));
        draw_values(&A, &r, 0.0, 2.0);
        check_matrix(&A, &r, false);
    }
}

TEST(unsymmetric_saddle) {
    test_random r = {4};
    for (int trial = 0; trial < 30; trial++) {
        draw_pattern(&A, &r, 2 + pick(&r, 60), 4.0 * test_random_unit(&r));
        draw_values(&A, &r, 0.5, 2.0);
        check_matrix(&A, &r, false);
    }
}

/* Wide panels that are cut, high panels, and a matrix with many small ones. */
TEST(large) {
    test_random r = {5};
    const double edges[3] = {1000.0, 6.0, 1.2};
    const int n[3] = {101, 320, 320};
    for (int trial = 0; trial < 3; trial++) {
        draw_pattern(&A, &r, n[trial], edges[trial]);
        draw_values(&A, &r, 0.3, 0.0);
        check_matrix(&A, &r, true);
    }
}

/* [H D; D' -T]: bodies of six rows in a chain, contacts of three rows between neighbours, heavy and light rows. */
TEST(chain_of_bodies) {
    test_random r = {6};
    int bodies = 20, contacts = 19, n = 6 * bodies + 3 * contacts;
    memset(&A, 0, sizeof A);
    A.n = n;
    for (int g = 0; g < bodies + contacts; g++) {
        int begin = g < bodies ? 6 * g : 6 * bodies + 3 * (g - bodies), width = g < bodies ? 6 : 3;
        A.group_start[A.groups++] = begin;
        double mass = pow(10.0, 3.0 * test_random_signed(&r));
        for (int i = begin; i < begin + width; i++) {
            A.sign[i] = g < bodies ? 1 : -1;
            A.held[i][i] = true;
            A.dense[i][i] = g < bodies ? mass * (1.0 + test_random_unit(&r)) : -1e-3;
        }
        for (int i = begin; g >= bodies && i < begin + 3; i++)
            for (int j = 6 * (g - bodies); j < 6 * (g - bodies) + 12; j++) {
                A.held[i][j] = A.held[j][i] = true;
                A.dense[i][j] = A.dense[j][i] = test_random_signed(&r);
            }
    }
    A.group_start[A.groups] = n;
    compress(&A);
    counter c = {0};
    cairn_context *context = counted_context(&c);
    for (int variant = 0; variant < 4; variant++) {
        cairn_factor *f = analyzed(context, &A, variant % 2 == 0, variant < 2);
        double b[MAX_N], x[MAX_N];
        for (int i = 0; i < n; i++)
            x[i] = b[i] = test_random_signed(&r);
        CHECK(cairn_factor_numeric(f, A.value, A.sign) == CAIRN_OK);
        cairn_factor_solve(f, x);
        CHECK(residual(&A, x, b) < 1e-11);
        cairn_factor_destroy(f);
    }
    cairn_context_destroy(context);
}

/* The lower triangle alone decides a symmetric factor. */
TEST(symmetric_reads_lower_triangle) {
    test_random r = {7};
    counter c = {0};
    cairn_context *context = counted_context(&c);
    draw_pattern(&A, &r, 40, 2.0);
    draw_values(&A, &r, 0.0, 0.0);
    double x[MAX_N], y[MAX_N];
    for (int i = 0; i < A.n; i++)
        x[i] = y[i] = test_random_signed(&r);
    cairn_factor *f = analyzed(context, &A, true, true);
    CHECK(cairn_factor_numeric(f, A.value, NULL) == CAIRN_OK);
    cairn_factor_solve(f, x);
    for (int j = 0; j < A.n; j++)
        for (int p = A.start[j]; p < A.start[j + 1]; p++)
            if (A.index[p] < j)
                A.value[p] = 0.0;
    CHECK(cairn_factor_numeric(f, A.value, NULL) == CAIRN_OK);
    cairn_factor_solve(f, y);
    CHECK(memcmp(x, y, (size_t)A.n * sizeof(double)) == 0);
    cairn_factor_destroy(f);
    cairn_context_destroy(context);
}

/* One group of rows in a chain: far from dense, so it is taken apart and nothing fills in. */
TEST(sparse_groups_are_taken_apart) {
    test_random r = {8};
    counter c = {0};
    cairn_context *context = counted_context(&c);
    memset(&A, 0, sizeof A);
    A.n = 100;
    A.groups = 1;
    A.group_start[1] = A.n;
    for (int i = 0; i < A.n; i++)
        for (int j = 0; j < A.n; j++)
            A.held[i][j] = abs(i - j) <= 1;
    draw_values(&A, &r, 0.0, 0.0);
    check_matrix(&A, &r, true);
    cairn_factor *f = analyzed(context, &A, true, true);
    CHECK(cairn_factor_entries(f) == A.n - 1);
    cairn_factor_destroy(f);
    cairn_context_destroy(context);
}

/* Blocks of two groups that have no mirror: found on groups, named by rows. */
TEST(groups_without_mirror) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    int start[5] = {0, 4, 8, 10, 12}, index[12] = {0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 2, 3}, group_start[3] = {0, 2, 4};
    cairn_factor *f = NULL;
    CHECK(cairn_factor_analyze(context, 4, start, index, 2, group_start, true, &f) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "not symmetric at row 2, column 0");
    CHECK(f == NULL);
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

TEST(empty_and_single) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    int start[2] = {0, 1}, index[1] = {0}, group_start[3] = {0, 0, 1};
    double value[1] = {-4.0}, x[1] = {2.0};
    const signed char minus[1] = {-1};
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        cairn_factor *f = NULL;
        CHECK(cairn_factor_analyze(context, 0, start, index, 0, NULL, symmetric, &f) == CAIRN_OK);
        CHECK(cairn_factor_numeric(f, value, NULL) == CAIRN_OK);
        cairn_factor_solve(f, x);
        CHECK(cairn_factor_entries(f) == 0 && cairn_factor_flops(f) == 0.0);
        cairn_factor_destroy(f);

        f = NULL; /* more memory than allowed: refused, nothing is left */
        CHECK(cairn_factor_analyze_within(context, 1, start, index, 0, NULL, symmetric, 64, NULL, &f) ==
              CAIRN_ERROR_UNSUPPORTED);
        CHECK(f == NULL);
        CHECK(cairn_factor_analyze_within(context, 1, start, index, 0, NULL, symmetric, 100000, NULL, &f) == CAIRN_OK);
        cairn_factor_destroy(f);

        f = NULL; /* the first of the two groups is empty */
        CHECK(cairn_factor_analyze(context, 1, start, index, 2, group_start, symmetric, &f) == CAIRN_OK);
        CHECK(cairn_factor_numeric(f, value, minus) == CAIRN_OK);
        x[0] = 2.0;
        cairn_factor_solve(f, x);
        CHECK(x[0] == -0.5);
        CHECK(cairn_factor_entries(f) == 0);
        cairn_factor_destroy(f);
    }
    cairn_factor_destroy(NULL);
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

/* ---- what must be refused --------------------------------------------------------------------------------- */

static void check_refused(int n, const int *start, const int *index, int groups, const int *group_start,
                          const char *part) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    cairn_factor *f = NULL;
    CHECK(cairn_factor_analyze(context, n, start, index, groups, group_start, true, &f) == CAIRN_ERROR_ARGUMENT);
    CHECK(f == NULL);
    CHECK_CONTAINS(cairn_error_message(context), part);
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

TEST(bad_patterns) {
    const int start[4] = {0, 2, 5, 7}, index[7] = {0, 1, 0, 1, 2, 1, 2};
    const int no_diagonal[7] = {0, 1, 0, 1, 2, 0, 1}, unsorted[7] = {1, 0, 0, 1, 2, 1, 2};
    const int twice[7] = {0, 0, 0, 1, 2, 1, 2}, outside[7] = {0, 1, 0, 1, 3, 1, 2},
              negative[7] = {-1, 0, 0, 1, 2, 1, 2};
    const int lone_start[4] = {0, 2, 3, 4}, lone[4] = {0, 1, 1, 2}, upper_start[4] = {0, 1, 3, 4},
              upper[4] = {0, 0, 1, 2};
    const int shifted[4] = {1, 2, 5, 7}, falling[4] = {0, 5, 2, 7};
    const int short_groups[3] = {0, 1, 2}, late_groups[3] = {1, 2, 3}, falling_groups[4] = {0, 3, 1, 3};
    check_refused(3, start, no_diagonal, 0, NULL, "column 2 has no diagonal");
    check_refused(3, start, unsorted, 0, NULL, "column 0 do not rise");
    check_refused(3, start, twice, 0, NULL, "column 0 do not rise");
    check_refused(3, start, outside, 0, NULL, "column 1 has row 3");
    check_refused(3, start, negative, 0, NULL, "column 0 has row -1");
    check_refused(3, lone_start, lone, 0, NULL, "not symmetric at row 1, column 0");
    check_refused(3, upper_start, upper, 0, NULL, "not symmetric at row 0, column 1");
    check_refused(3, shifted, index, 0, NULL, "start[0]");
    check_refused(3, falling, index, 0, NULL, "column 0");
    check_refused(-1, start, index, 0, NULL, "n is -1");
    check_refused(3, start, NULL, 0, NULL, "missing");
    check_refused(3, start, index, 2, short_groups, "cover");
    check_refused(3, start, index, 2, late_groups, "cover");
    check_refused(3, start, index, -1, late_groups, "cover");
    check_refused(3, start, index, 3, falling_groups, "group 1");
}

/* Breaks one value, expects a failure at the row, mends it, expects success. */
static void check_bad_value(cairn_factor *f, counter *c, int entry, double bad, int row) {
    double kept = A.value[entry], x[MAX_N], b[MAX_N];
    int calls = c->calls;
    A.value[entry] = bad;
    CHECK(cairn_factor_numeric(f, A.value, A.sign) == CAIRN_ERROR_NUMERICAL);
    CHECK(cairn_factor_failed_row(f) == row);
    A.value[entry] = kept;
    CHECK(cairn_factor_numeric(f, A.value, A.sign) == CAIRN_OK);
    CHECK(cairn_factor_failed_row(f) == -1);
    for (int i = 0; i < A.n; i++)
        x[i] = b[i] = i + 1;
    cairn_factor_solve(f, x);
    CHECK(residual(&A, x, b) < 1e-12);
    CHECK(c->calls == calls);
}

/* Any row, when it comes first among its neighbours, fails by its own diagonal entry; later rows fail too when
 * that entry is wrong enough. */
TEST(bad_pivots) {
    test_random r = {8};
    counter c = {0};
    cairn_context *context = counted_context(&c);
    for (int variant = 0; variant < 2; variant++) {
        draw_pattern(&A, &r, 50, 2.0);
        draw_values(&A, &r, 0.4, 0.0);
        cairn_factor *f = analyzed(context, &A, true, variant == 0);
        for (int row = 0; row < A.n; row++) {
            int entry = A.start[row];
            while (A.index[entry] != row)
                entry++;
            check_bad_value(f, &c, entry, NAN, row);
            check_bad_value(f, &c, entry, A.sign[row] * INFINITY, row);
            check_bad_value(f, &c, entry, A.sign[row] * -1e3, row);
            CHECK_CONTAINS(cairn_error_message(context), A.sign[row] > 0 ? "positive" : "negative");
        }
        cairn_factor_destroy(f);
    }
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

/* [1 1; 1 1 + e] is singular in all but the last bits for small e; [1 0; 0 t] has a tiny pivot, but in no
 * comparison with its own row. */
TEST(tiny_pivots) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    const int start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
    double singular[4] = {1.0, 1.0, 1.0, 1.0}, nearly[4] = {1.0, 1.0, 1.0, 1.0 + 0x1p-51};
    double regular[4] = {1.0, 1.0, 1.0, 1.0 + 0x1p-48}, small[4] = {1.0, 0.0, 0.0, 1e-200};
    double zero[4] = {0.0, 0.0, 0.0, 1.0}, smallest[4] = {1.0, 0.0, 0.0, 0x1p-1074};
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        cairn_factor *f = NULL;
        CHECK(cairn_factor_analyze(context, 2, start, index, 0, NULL, symmetric, &f) == CAIRN_OK);
        int last = f->order[1];
        CHECK(cairn_factor_numeric(f, singular, NULL) == CAIRN_ERROR_NUMERICAL);
        CHECK(cairn_factor_failed_row(f) == last);
        if (last == 1) {
            CHECK(cairn_factor_numeric(f, nearly, NULL) == CAIRN_ERROR_NUMERICAL);
            CHECK(cairn_factor_failed_row(f) == 1);
        }
        CHECK(cairn_factor_numeric(f, regular, NULL) == CAIRN_OK);
        CHECK(cairn_factor_numeric(f, small, NULL) == CAIRN_OK);
        CHECK(cairn_factor_numeric(f, zero, NULL) == CAIRN_ERROR_NUMERICAL);
        CHECK(cairn_factor_failed_row(f) == 0);
        CHECK(cairn_factor_numeric(f, smallest, NULL) == CAIRN_ERROR_NUMERICAL);
        CHECK(cairn_factor_failed_row(f) == 1);
        cairn_factor_destroy(f);
    }
    cairn_context_destroy(context);
}

/* Two masses and a row that holds them together, in any units: what must hold is that pivots have digits, not that they are as large as the lengths beside them. */
TEST(units_do_not_matter) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    const int start[4] = {0, 3, 6, 9}, index[9] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const signed char sign[3] = {1, 1, -1};
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        cairn_factor *f = NULL;
        CHECK(cairn_factor_analyze(context, 3, start, index, 0, NULL, symmetric, &f) == CAIRN_OK);
        for (int power = -30; power <= 30; power += 5) {
            double m = pow(10.0, power), value[9] = {m, 0.0, 1.0, 0.0, 3.0 * m, -1.0, 1.0, -1.0, 0.0};
            double x[3] = {m, 0.0, 0.0}; /* the first moves with 1, the second not: together with 1/4 */
            CHECK(cairn_factor_numeric(f, value, sign) == CAIRN_OK);
            cairn_factor_solve(f, x);
            CHECK_NEAR(x[0], 0.25, 1e-12);
            CHECK_NEAR(x[1], 0.25, 1e-12);
            CHECK_NEAR(x[2], 0.75 * m, 1e-12 * m);
        }
        cairn_factor_destroy(f);
    }
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

/* All terms of a definite matrix are positive: they sum up to its diagonal. One dense panel in one block, in several. */
TEST(terms_of_pivots) {
    counter c = {0};
    cairn_context *context = counted_context(&c);
    static const int sizes[] = {1, 7, 90, 97, 250, 320};
    static double terms[MAX_N];
    test_random r = {17};
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes; t++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            draw_pattern(&A, &r, sizes[t], sizes[t] > 90 ? 1e9 : 3.0);
            for (int i = 0; i < A.n; i++)
                for (int j = 0; j <= i; j++)
                    A.dense[i][j] = A.dense[j][i] = i == j ? 2.0 * A.n + i : test_random_signed(&r);
            compress(&A);
            cairn_factor *f = analyzed(context, &A, true, symmetric);
            CHECK(cairn_factor_numeric(f, A.value, NULL) == CAIRN_OK);
            cairn_factor_terms(f, terms);
            for (int j = 0; j < A.n; j++)
                CHECK_NEAR(terms[j], A.dense[f->order[j]][f->order[j]], 1e-11 * A.n);
            cairn_factor_destroy(f);
        }
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

TEST(failing_memory) {
    test_random r = {9};
    draw_pattern(&A, &r, 60, 2.0);
    draw_values(&A, &r, 0.0, 0.0);
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        counter c = {0};
        cairn_context *context = counted_context(&c);
        int refused = 0;
        for (bool done = false; !done; refused++) {
            cairn_factor *f = NULL;
            c.calls = 0;
            c.refuse = refused + 1;
            cairn_status status = cairn_factor_analyze(context, A.n, A.start, A.index, A.groups, A.group_start,
                                                       symmetric, &f);
            done = status == CAIRN_OK;
            CHECK(done || status == CAIRN_ERROR_MEMORY);
            CHECK(done == (f != NULL));
            CHECK(done || c.live == 1);
            cairn_factor_destroy(f);
        }
        CHECK(refused >= 3);
        cairn_context_destroy(context);
        CHECK(c.live == 0);
    }
}

int main(void) {
    RUN(definite);
    RUN(quasi_definite);
    RUN(unsymmetric);
    RUN(unsymmetric_saddle);
    RUN(large);
    RUN(chain_of_bodies);
    RUN(symmetric_reads_lower_triangle);
    RUN(sparse_groups_are_taken_apart);
    RUN(groups_without_mirror);
    RUN(empty_and_single);
    RUN(bad_patterns);
    RUN(bad_pivots);
    RUN(tiny_pivots);
    RUN(units_do_not_matter);
    RUN(terms_of_pivots);
    RUN(failing_memory);
    return test_end();
}
