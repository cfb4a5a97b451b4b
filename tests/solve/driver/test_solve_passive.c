/* Passive motions: no impulse gives energy, whatever the problem is. */
#include "support/support.h"

#include "solve/driver/passive_motion.h"

#include <float.h>
#include <math.h>

enum { BODIES_MOST = 5, BLOCKS_MOST = 24, M_MOST = 3 * BLOCKS_MOST, N_MOST = 6 * BODIES_MOST };

static uint64_t state = 1;

static double uniform(double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static int choose(int count) {
    return (int)uniform(0.0, count - 1e-9);
}

/* A random problem as arrays: bodies with masses over twelve decades, contacts, joints, motors, rows twice. */
typedef struct arrays {
    int n, m, blocks;
    double mass[N_MOST], D[M_MOST][N_MOST], k[N_MOST], b[M_MOST], C[M_MOST], given[M_MOST];
    bool has_given;
    cairn_block block[BLOCKS_MOST];
} arrays;

static void add_rows(arrays *a, int dim) {
    int first = choose(a->n / 6), second = choose(a->n / 6), before = a->m > 0 ? choose(a->m) : 0;
    bool again = a->m > 0 && choose(4) == 0, tiny = choose(8) == 0;
    for (int r = 0; r < dim; r++, a->m++) {
        for (int j = 0; j < a->n; j++)
            a->D[a->m][j] = again && before + r < a->m ? a->D[before + r][j] : 0.0;
        for (int l = 0; l < 6 && !(again && before + r < a->m); l++) {
            double size = l < 3 ? 1.0 : tiny ? 1e-6 : 0.5;
            a->D[a->m][6 * first + l] += size * uniform(-1, 1);
            if (second != first && l < 3)
                a->D[a->m][6 * second + l] -= a->D[a->m][6 * first + l];
            else if (second != first)
                a->D[a->m][6 * second + l] += size * uniform(-1, 1);
        }
        a->b[a->m] = choose(3) == 0 ? uniform(-30, 5) : 0.0;
        a->given[a->m] = a->has_given ? uniform(-3, 3) : 0.0;
        a->C[a->m] = choose(12) == 0 ? uniform(0, 1) : 0.0;
    }
}

static void make(arrays *a) {
    static const double mus[] = {0, 1e-6, 0.3, 1, 50, 1e8};
    *a = (arrays){.n = 6 * (1 + choose(BODIES_MOST)), .blocks = 1 + choose(BLOCKS_MOST), .has_given = choose(3) == 0};
    for (int body = 0; body < a->n / 6; body++) {
        double mass = pow(10.0, choose(2) == 0 ? uniform(-6, 6) : 0.0);
        for (int l = 0; l < 6; l++) {
            a->mass[6 * body + l] = l < 3 ? mass : mass * uniform(0.01, 0.2);
            a->k[6 * body + l] = a->mass[6 * body + l] * uniform(-5, 5);
        }
    }
    for (int i = 0; i < a->blocks; i++) {
        int kind = choose(8);
        a->block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = mus[choose(6)]};
        if (kind == 0)
            a->block[i] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 1 + choose(3)};
        if (kind == 1)
            a->block[i] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
        if (kind == 2)
            a->block[i] = (cairn_block){.set = CAIRN_SET_BOX, .dim = 1, .lo = choose(2) == 0 ? 0.5 : -1.0, .hi = 2.0};
        add_rows(a, a->block[i].dim);
    }
}

/* The problem of the arrays; tie: H couples bodies. */
static cairn_problem *problem_of(cairn_context *context, const arrays *a, bool tie, cairn_law law) {
    static int H_row[3 * N_MOST], H_col[3 * N_MOST], D_row[M_MOST * N_MOST], D_col[M_MOST * N_MOST];
    static double H[3 * N_MOST], D[M_MOST * N_MOST];
    int H_count = 0, D_count = 0, body_start[BODIES_MOST + 1];
    for (int j = 0; j < a->n; j++) {
        H_row[H_count] = H_col[H_count] = j;
        H[H_count++] = a->mass[j];
        for (int side = 0; tie && j >= 6 && side < 2; side++) {
            H_row[H_count] = side == 0 ? j : j - 6;
            H_col[H_count] = side == 0 ? j - 6 : j;
            H[H_count++] = 0.3 * fmin(a->mass[j], a->mass[j - 6]);
        }
    }
    for (int j = 0; j < a->m; j++)
        for (int l = 0; l < a->n; l++)
            if (a->D[j][l] != 0.0) {
                D_row[D_count] = l;
                D_col[D_count] = j;
                D[D_count++] = a->D[j][l];
            }
    for (int body = 0; body <= a->n / 6; body++)
        body_start[body] = 6 * body;
    cairn_problem_def def = cairn_default_problem_def();
    def.law = law;
    def.n = a->n;
    def.m = a->m;
    def.H = (cairn_sparse){.rows = a->n, .cols = a->n, .entries = H_count, .row = H_row, .col = H_col, .value = H};
    def.D = (cairn_sparse){.rows = a->n, .cols = a->m, .entries = D_count, .row = D_row, .col = D_col, .value = D};
    def.k = a->k;
    def.b = a->b;
    def.C = a->C;
    def.blocks = a->blocks;
    def.block = a->block;
    def.bodies = a->n / 6;
    def.body_start = body_start;
    cairn_problem *problem = NULL;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    return problem;
}

/* Is gamma within the set, to rounding? */
static bool is_inside(const cairn_block *block, const double *gamma) {
    double tangent = block->dim == 3 ? hypot(gamma[1], gamma[2]) : 0.0;
    switch (block->set) {
    case CAIRN_SET_CONE:
        return gamma[0] >= 0.0 && tangent <= block->mu * gamma[0] * (1 + 1e-14) + 1e-300;
    case CAIRN_SET_NONNEGATIVE:
        return gamma[0] >= 0.0;
    case CAIRN_SET_BOX:
        return block->lo > 0.0 ? gamma[0] == 0.0 : gamma[0] >= block->lo && gamma[0] <= block->hi;
    default:
        return true;
    }
}

/* T(v) - T(v_f) + gamma'given from gamma alone, H diagonal; *size: of its terms. */
static double gain_of(const arrays *a, const double *gamma, double *size) {
    long double sum = 0, terms = 0;
    for (int l = 0; l < a->n; l++) {
        long double push = 0;
        for (int j = 0; j < a->m; j++)
            push += (long double)a->D[j][l] * gamma[j];
        sum += push * ((long double)a->k[l] + 0.5L * push) / a->mass[l];
        terms += fabsl(push) * (fabsl((long double)a->k[l]) + fabsl(push)) / a->mass[l];
    }
    for (int j = 0; j < a->m; j++) {
        sum += (long double)gamma[j] * a->given[j];
        terms += fabsl((long double)gamma[j] * a->given[j]);
    }
    *size = (double)terms;
    return (double)sum;
}

TEST(no_impulse_gives_energy) {
    cairn_context *context = plain_context(1);
    double worst = 0.0;
    int pushed = 0;
    for (int i = 0; i < 2000; i++) {
        static arrays a;
        double gamma[M_MOST], again[M_MOST], v[N_MOST], u[M_MOST], gain = 1.0, size;
        make(&a);
        cairn_problem *problem = problem_of(context, &a, false, i % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED);
        const double *given = a.has_given ? a.given : NULL;
        CHECK(cairn_passive_motion(problem, given, gamma, v, u, &gain, NULL) == CAIRN_OK);
        bool inside = true;
        for (int k = 0, row = 0; k < a.blocks; row += a.block[k++].dim)
            inside = inside && is_inside(&a.block[k], gamma + row);
        double true_gain = gain_of(&a, gamma, &size);
        CHECK(inside);
        CHECK(gain <= 0.0 && true_gain <= 1e-13 * size);
        worst = fmax(worst, size > 0.0 ? true_gain / size : 0.0);
        pushed += gain < 0.0;
        if (i % 100 == 0) {
            CHECK(cairn_passive_motion(problem, given, again, v, u, &gain, NULL) == CAIRN_OK);
            CHECK(memcmp(gamma, again, (size_t)a.m * sizeof *gamma) == 0);
        }
        cairn_problem_destroy(problem);
    }
    printf("energy gained at most %.1e of its terms; impulses in %d of 2000\n", worst, pushed);
    CHECK(pushed > 1700);
    cairn_context_destroy(context);
}

TEST(nor_where_bodies_are_coupled) {
    cairn_context *context = plain_context(1);
    for (int i = 0; i < 300; i++) {
        static arrays a;
        double gamma[M_MOST], v[N_MOST], u[M_MOST], gain = 1.0, free[N_MOST], before = 0.0, after = 0.0;
        make(&a);
        a.has_given = false;
        for (int l = 0; l < a.n; l++) { /* conditioned, so that T can be had by subtraction */
            a.k[l] /= a.mass[l];
            a.mass[l] = 1.0 + 0.1 * (l % 6);
        }
        arrays empty = a;
        memset(empty.D, 0, sizeof empty.D);
        cairn_problem *problem = problem_of(context, &a, true, CAIRN_LAW_COULOMB),
                      *none = problem_of(context, &empty, true, CAIRN_LAW_COULOMB);
        CHECK(cairn_passive_motion(none, NULL, gamma, free, u, &gain, NULL) == CAIRN_OK && gain == 0.0);
        CHECK(cairn_passive_motion(problem, NULL, gamma, v, u, &gain, NULL) == CAIRN_OK && gain <= 0.0);
        for (int l = 0; l < a.n; l++) {
            double Hv = a.mass[l] * v[l];
            Hv += l >= 6 ? 0.3 * fmin(a.mass[l], a.mass[l - 6]) * v[l - 6] : 0.0;
            Hv += l + 6 < a.n ? 0.3 * fmin(a.mass[l], a.mass[l + 6]) * v[l + 6] : 0.0;
            after += 0.5 * v[l] * Hv;
            before += 0.5 * free[l] * a.k[l];
        }
        CHECK(after <= before * (1 + 1e-12) && fabs(after - before - gain) <= 1e-10 * before);
        cairn_problem_destroy(problem);
        cairn_problem_destroy(none);
    }
    cairn_context_destroy(context);
}

/* One ball of 2 kg that falls at 3 m/s and slides at 1 m/s: it ends on the floor; friction takes mu times the normal impulse. An overlap pushes nothing out, an open gap holds
 * nothing. */
TEST(a_ball_is_stopped) {
    cairn_context *context = plain_context(1);
    for (int turn = 0; turn < 3; turn++) {
        arrays a = {.n = 6, .m = 3, .blocks = 1, .mass = {2, 2, 2, 2, 2, 2}, .k = {2, 0, -6, 0, 0, 0}};
        double gamma[3], v[6], u[3], gain;
        a.block[0] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.1};
        a.D[0][2] = a.D[1][0] = a.D[2][1] = 1.0;
        a.b[0] = turn == 0 ? 0.0 : turn == 1 ? -50.0 : 5.0;
        cairn_problem *problem = problem_of(context, &a, false, CAIRN_LAW_COULOMB);
        CHECK(cairn_passive_motion(problem, NULL, gamma, v, u, &gain, NULL) == CAIRN_OK);
        CHECK_NEAR(gamma[0], turn == 2 ? 0.0 : 6.0, 1e-9);
        CHECK_NEAR(v[2], turn == 2 ? -3.0 : 0.0, 1e-9);
        CHECK_NEAR(v[0], turn == 2 ? 1.0 : 0.7, 1e-9);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

TEST(memory_may_be_lacking) {
    arrays a;
    state = 7;
    make(&a);
    int fail_at = 0;
    for (cairn_status status = CAIRN_ERROR_MEMORY; status != CAIRN_OK; fail_at++) {
        counting_allocator allocator = {.fail_at = -1};
        cairn_context *context = counting_context(&allocator, 1);
        cairn_problem *problem = problem_of(context, &a, false, CAIRN_LAW_COULOMB);
        double gamma[M_MOST], v[N_MOST], u[M_MOST], gain;
        int live = allocator.live;
        allocator.fail_at = allocator.allocations + fail_at;
        status = cairn_passive_motion(problem, NULL, gamma, v, u, &gain, NULL);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        CHECK(status == CAIRN_OK || allocator.live <= live);
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
        CHECK(allocator.live == 0);
    }
    CHECK(fail_at > 1);
}

int main(void) {
    RUN(no_impulse_gives_energy);
    RUN(nor_where_bodies_are_coupled);
    RUN(a_ball_is_stopped);
    RUN(memory_may_be_lacking);
    return test_end();
}
