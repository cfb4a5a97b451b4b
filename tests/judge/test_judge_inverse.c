/*
 * test_judge_inverse.c: bodies whose block of H is ill conditioned. The judge's H^-1 is off there by more than the
 * rounding of sums, and the figure must count it: reference and filter against the truth in numbers of 113 bits.
 */
#include "support/judge_cases.h"

#include <float.h>

/* 113 bits of mantissa: __float128 on x86, where long double has 64; elsewhere long double itself. */
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 exact;
#else
typedef long double exact;
#endif

enum { SIZE = 6, COUNT = 3000 };

static cairn_context *context;
static int measured;
static double loosest; /* figure less truth, over what such an inverse is off by */

/* H = Q diag(1 ... 10^-digits) Q', rounded to double. Q: two reflections. */
static void make_block(judge_case *c, test_random *random, double digits) {
    double Q[SIZE][SIZE] = {{0}};
    for (int i = 0; i < SIZE; i++)
        Q[i][i] = 1.0;
    for (int pass = 0; pass < 2; pass++) {
        double a[SIZE], size = 0.0;
        for (int i = 0; i < SIZE; i++) {
            a[i] = test_random_signed(random);
            size += a[i] * a[i];
        }
        for (int i = 0; i < SIZE; i++) {
            double sum = 0.0;
            for (int j = 0; j < SIZE; j++)
                sum += Q[i][j] * a[j];
            for (int j = 0; j < SIZE; j++)
                Q[i][j] -= 2.0 * sum / size * a[j];
        }
    }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int l = 0; l < SIZE; l++)
                sum += Q[i][l] * Q[j][l] * pow(10.0, -digits * l / (SIZE - 1));
            c->H[i * CASE_ROWS + j] = c->H[j * CASE_ROWS + i] = sum;
        }
}

/* y = H^-1 x by elimination. */
static void solve(const judge_case *c, const exact *x, exact *y) {
    exact A[SIZE][SIZE + 1];
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            A[i][j] = c->H[i * CASE_ROWS + j];
        A[i][SIZE] = x[i];
    }
    for (int l = 0; l < SIZE; l++)
        for (int i = l + 1; i < SIZE; i++) {
            exact factor = A[i][l] / A[l][l];
            for (int j = l; j <= SIZE; j++)
                A[i][j] -= factor * A[l][j];
        }
    for (int i = SIZE - 1; i >= 0; i--) {
        y[i] = A[i][SIZE];
        for (int j = i + 1; j < SIZE; j++)
            y[i] -= A[i][j] * y[j];
        y[i] /= A[i][i];
    }
}

/* D'v (m) of the impulses gamma; size: the largest velocity. */
static void slips(const judge_case *c, const double *gamma, exact *w, double *size) {
    exact x[SIZE], v[SIZE];
    *size = 0.0;
    for (int i = 0; i < SIZE; i++) {
        x[i] = c->k[i];
        for (int r = 0; r < c->m; r++)
            x[i] += (exact)c->D[i * CASE_ROWS + r] * gamma[r];
    }
    solve(c, x, v);
    for (int r = 0; r < c->m; r++) {
        w[r] = 0;
        for (int i = 0; i < SIZE; i++)
            w[r] += c->D[i * CASE_ROWS + r] * v[i];
    }
    for (int i = 0; i < SIZE; i++)
        *size = fmax(*size, fabs((double)v[i]));
}

static double figure(cairn_judge *judge, const double *gamma, bool quick) {
    cairn_certificate c = {.error = NAN};
    const cairn_question question = {.gamma = gamma, .limits = {.velocity = 1e300}, .quick = quick};
    CHECK(cairn_judge_ask(judge, &question, &c, NULL) == CAIRN_OK);
    return c.error;
}

/* One body held by three rows of one bilateral block. The velocity that is left, which is X, is of the size of what
 * the inverse is off by: as often as not the judge's own velocities are smaller than the truth. */
static void run(test_random *random) {
    static judge_case c;
    double digits = 6.0 + 8.0 * test_random_unit(random), size, gamma[3];
    exact w[3], X = 0;
    memset(&c, 0, sizeof c);
    c.n = c.body = SIZE;
    c.m = 3;
    c.blocks = 1;
    c.block[0] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 3};
    make_block(&c, random, digits);
    for (int i = 0; i < SIZE; i++) {
        c.k[i] = test_random_signed(random);
        for (int r = 0; r < c.m; r++)
            c.D[i * CASE_ROWS + r] = test_random_signed(random);
    }
    for (int r = 0; r < c.m; r++)
        gamma[r] = test_random_signed(random);
    slips(&c, gamma, w, &size);
    double scale = pow(10.0, digits) * size * (double)LDBL_EPSILON;
    for (int r = 0; r < c.m; r++) {
        c.b[r] = -(double)w[r] + 0.3 * scale * test_random_signed(random);
        exact left = w[r] + c.b[r];
        X += left * left;
    }
    double truth = sqrt((double)X), grain = scale + 16.0 * size * DBL_EPSILON;
    cairn_problem *problem = case_problem(context, &c);
    cairn_judge *judge = NULL;
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    if (judge != NULL) {
        double whole = figure(judge, gamma, false), quick = figure(judge, gamma, true);
        CHECK(whole >= truth * (1.0 - 1e-12) && quick >= truth * (1.0 - 1e-12));
        loosest = fmax(loosest, (whole - truth) / grain);
        measured++;
    }
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
}

TEST(figures_count_what_the_inverse_is_off_by) {
    test_random random = {20};
    for (int i = 0; i < COUNT; i++)
        run(&random);
    printf("%d bodies with conditions of 1e6 to 1e14: at most %.2g times what an inverse is off by above the truth\n",
           measured, loosest);
    CHECK(measured == COUNT && loosest < 1e5);
}

int main(void) {
    context = plain_context(1);
    RUN(figures_count_what_the_inverse_is_off_by);
    cairn_context_destroy(context);
    return test_end();
}
