/*
 * The judge on every set: manufactured answers, brute-force figures, dense, sparse, local and unsymmetric matrices.
 */
#include "test_certificate_fixture.h"

static cairn_context *context;

/* Custom set: the half space sum(x) <= 1; its support is finite on multiples of (1, ..., 1) only. */
static void project_half_space(void *user, int dim, const double *x, double *projection) {
    double excess = -1.0;
    (void)user;
    for (int i = 0; i < dim; i++)
        excess += x[i];
    for (int i = 0; i < dim; i++)
        projection[i] = excess > 0.0 ? x[i] - excess / dim : x[i];
}

/* Custom set: the box [0, 1]^dim, with its support. */
static void project_unit_box(void *user, int dim, const double *x, double *projection) {
    (void)user;
    for (int i = 0; i < dim; i++)
        projection[i] = x[i] < 0.0 ? 0.0 : x[i] > 1.0 ? 1.0 : x[i];
}

static double support_unit_box(void *user, int dim, const double *direction) {
    double sum = 0.0;
    (void)user;
    for (int i = 0; i < dim; i++)
        sum += direction[i] > 0.0 ? direction[i] : 0.0;
    return sum;
}

static const cairn_custom_set half_space = {.project = project_half_space};
static const cairn_custom_set unit_box = {.project = project_unit_box, .support = support_unit_box};

#define KINDS 22
static cairn_block kind_of(int kind) {
    static const cairn_block table[KINDS] = {
        {.set = CAIRN_SET_BILATERAL, .dim = 3},
        {.set = CAIRN_SET_NONNEGATIVE, .dim = 2},
        {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.6},
        {.set = CAIRN_SET_CONE, .dim = 2, .mu = 1.5},
        {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.0},
        {.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.6},
        {.set = CAIRN_SET_DUAL_CONE, .dim = 2, .mu = 2.0},
        {.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.0},
        {.set = CAIRN_SET_BOX, .dim = 2, .lo = -0.4, .hi = 0.7},
        {.set = CAIRN_SET_BOX, .dim = 2, .lo = -0.4, .hi = INFINITY},
        {.set = CAIRN_SET_BALL, .dim = 5, .radius = 0.8},
        {.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.6, .cap = 0.5},
        {.set = CAIRN_SET_CAPPED_CONE, .dim = 2, .mu = 0.0, .cap = 0.5},
        {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.6, .adhesion = 0.5},
        {.set = CAIRN_SET_SHIFTED_CONE, .dim = 2, .mu = 0.0, .adhesion = 0.5},
        {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.6, .directions = 4},
        {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 1.4, .directions = 6},
        {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.3, .directions = 12},
        {.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.0, .directions = 8},
        {.set = CAIRN_SET_POLY_CONE, .dim = 2, .mu = 0.7, .directions = 2},
        {.set = CAIRN_SET_CUSTOM, .dim = 3, .custom = &half_space},
        {.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &unit_box},
    };
    return table[kind];
}

/* One block of every kind, each on a body of its own (or a diagonal block of N): D and H couple rows inside a body
 * only, unless coupled asks for more. */
static dense_problem *all_kinds(test_random *random, bool local, bool coupled, double skew) {
    dense_problem *dense = new_dense();
    int rows = 0;
    for (int i = 0; i < KINDS; i++) {
        dense->block[i] = kind_of(i);
        rows += dense->block[i].dim;
        dense->body_start[i + 1] = rows;
    }
    dense->blocks = KINDS;
    dense->m = rows;
    dense->n = local ? 0 : rows;
    dense->bodies = local ? 0 : KINDS;
    dense->unsymmetric = skew > 0.0;
    for (int body = 0; body < KINDS; body++)
        for (int i = dense->body_start[body]; i < dense->body_start[body + 1]; i++) {
            dense->C[i] = body % 3 == 0 ? 0.1 : 0.0;
            dense->H[i][i] += 2.0;
            for (int j = dense->body_start[body]; j < dense->body_start[body + 1]; j++) {
                dense->D[i][j] = (i == j) + 0.3 * test_random_signed(random);
                double sym = 0.2 * test_random_signed(random), anti = skew * test_random_signed(random);
                if (j < i) {
                    dense->H[i][j] = sym + anti;
                    dense->H[j][i] = sym - anti;
                }
            }
        }
    for (int i = 0; coupled && i + 5 < rows; i++) {
        double sym = 0.2 * test_random_signed(random), anti = skew * test_random_signed(random);
        bool one_sided = skew > 0.0 && i % 7 == 0; /* an entry without its mirror */
        dense->H[i][i + 5] += one_sided ? sym : sym + anti;
        dense->H[i + 5][i] += one_sided ? 0.0 : sym - anti;
        dense->D[i][(i * 7 + 3) % rows] += 0.3;
    }
    return dense;
}

/* Draws z, sets gamma = P(z) and u~ = gamma - z, and backs out k and b so that (v, gamma) is an answer. */
static void manufacture(test_random *random, dense_problem *dense, double *v, double *gamma) {
    long double u[MAX_ROWS];
    for (int i = 0, first = 0; i < dense->blocks; first += dense->block[i++].dim) {
        const cairn_block *block = &dense->block[i];
        long double z[CAIRN_BLOCK_DIM_MAX], p[CAIRN_BLOCK_DIM_MAX];
        for (int j = 0; j < block->dim; j++)
            z[j] = 1.5 * test_random_signed(random);
        brute_project(block, z, p);
        for (int j = 0; j < block->dim; j++) {
            gamma[first + j] = (double)p[j];
            u[first + j] = p[j] - z[j];
        }
        if (dense->law == CAIRN_LAW_COULOMB)
            u[first] -= brute_phi(block, u + first);
    }
    for (int i = 0; i < dense->n; i++)
        v[i] = test_random_signed(random);
    for (int i = 0; i < dense->n; i++) {
        long double sum = 0.0L;
        for (int j = 0; j < dense->n; j++)
            sum += (long double)dense->H[i][j] * v[j];
        for (int j = 0; j < dense->m; j++)
            sum -= (long double)dense->D[i][j] * gamma[j];
        dense->k[i] = (double)sum;
    }
    for (int j = 0; j < dense->m; j++) {
        long double sum = u[j] - (long double)dense->C[j] * gamma[j];
        for (int i = 0; i < dense->n; i++)
            sum -= (long double)dense->D[i][j] * v[i];
        for (int i = 0; dense->n == 0 && i < dense->m; i++)
            sum -= (long double)dense->H[j][i] * gamma[i];
        dense->b[j] = (double)sum;
    }
}

static cairn_certificate judged(dense_problem *dense, const double *v, const double *gamma, double tolerance) {
    cairn_certificate certificate = {.natural_map = NAN};
    cairn_problem *problem = build(context, dense);
    CHECK(problem != NULL);
    if (problem != NULL)
        CHECK(cairn_certify(problem, v, gamma, tolerance, &certificate, NULL, NULL) == CAIRN_OK);
    cairn_problem_destroy(problem);
    return certificate;
}

TEST(manufactured_answers_are_certified_to_rounding) {
    double v[MAX_ROWS], gamma[MAX_ROWS];
    for (int seed = 0; seed < 40; seed++) {
        test_random random = {(uint64_t)seed};
        bool local = seed % 4 == 0, coupled = seed % 3 == 0;
        dense_problem *dense = all_kinds(&random, local, coupled, seed % 5 == 0 ? 0.3 : 0.0);
        dense->law = seed % 2 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED;
        manufacture(&random, dense, v, gamma);
        cairn_certificate c = judged(dense, v, gamma, 2e-15);
        CHECK(c.certified);
        CHECK_NEAR(c.natural_map, 0.0, 2e-15);
        CHECK_NEAR(c.natural_map_plain, 0.0, 2e-15);
        CHECK_NEAR(c.momentum, 0.0, 1e-15);
        CHECK_NEAR(c.worst_velocity, 0.0, 1e-14);
        CHECK_NEAR(c.cone, 0.0, 1e-15);
        CHECK_NEAR(c.gap, 0.0, 1e-13);
        CHECK_NEAR(c.dual, 0.0, 1e-14);
        free(dense);
    }
}

TEST(one_wrong_entry_is_found_and_named) {
    double v[MAX_ROWS], gamma[MAX_ROWS];
    for (int seed = 0; seed < 6; seed++) {
        test_random random = {100 + (uint64_t)seed};
        dense_problem *dense = all_kinds(&random, seed % 2 == 0, false, 0.0);
        manufacture(&random, dense, v, gamma);
        for (int i = 0; i < dense->blocks; i++)
            for (int j = dense->body_start[i]; j < dense->body_start[i + 1]; j++) {
                double kept = gamma[j];
                gamma[j] += 1e-3;
                cairn_certificate c = judged(dense, NULL, gamma, 1e-6);
                CHECK(!c.certified);
                CHECK(c.worst_block == i);
                CHECK(c.worst_velocity > 1e-4 && c.worst_velocity < 1e-1);
                gamma[j] = kept;
            }
        free(dense);
    }
}

/* The same figures from the second judge, for answers that are none. */
TEST(figures_equal_brute_force) {
    double v[MAX_ROWS], gamma[MAX_ROWS];
    const double skew[4] = {0.0, 1e-9, 0.3, 30.0};
    for (int seed = 0; seed < 48; seed++) {
        test_random random = {200 + (uint64_t)seed};
        dense_problem *dense = all_kinds(&random, seed % 4 == 0, seed % 3 == 0, skew[seed / 12]);
        dense->law = seed % 2 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED;
        manufacture(&random, dense, v, gamma);
        double noise = pow(10.0, -(double)(seed % 7));
        for (int i = 0; i < dense->n; i++)
            v[i] += noise * test_random_signed(&random);
        for (int j = 0; j < dense->m; j++)
            gamma[j] += noise * test_random_signed(&random);
        cairn_certificate c = judged(dense, v, gamma, 1e-8), brute = brute_certificate(dense, v, gamma);
        CHECK_NEAR(c.natural_map, brute.natural_map, 1e-13 * brute.natural_map + 1e-17);
        CHECK_NEAR(c.natural_map_plain, brute.natural_map_plain, 1e-13 * brute.natural_map_plain + 1e-17);
        CHECK_NEAR(c.momentum, brute.momentum, 1e-13 * brute.momentum + 1e-17);
        CHECK_NEAR(c.worst_velocity, brute.worst_velocity, 1e-13 * brute.worst_velocity + 1e-16);
        CHECK(c.worst_block == brute.worst_block);
        free(dense);
    }
}

/* Distance, support and its domain of one block with N = 0: there u = b, and the figures are those of the block. */
static cairn_certificate judged_alone(const cairn_block *block, const double *u, const double *gamma) {
    dense_problem *dense = new_dense();
    dense->law = CAIRN_LAW_ASSOCIATED;
    dense->m = block->dim;
    dense->blocks = 1;
    dense->block[0] = *block;
    memcpy(dense->b, u, (size_t)block->dim * sizeof *u);
    cairn_certificate c = judged(dense, NULL, gamma, 1e-8);
    free(dense);
    return c;
}

/* sup of -u'x over many points of the set that are projections of far and near samples. */
static double sampled_support(test_random *random, const cairn_block *block, const double *u, double reach) {
    double best = -INFINITY;
    for (int sample = 0; sample < 4000; sample++) {
        long double z[CAIRN_BLOCK_DIM_MAX], p[CAIRN_BLOCK_DIM_MAX], value = 0.0L;
        double step = sample < 2000 ? reach : 1e3 * reach, spread = sample % 2 ? 0.0 : reach;
        for (int j = 0; j < block->dim; j++)
            z[j] = -step * u[j] + spread * test_random_signed(random);
        brute_project(block, z, p);
        for (int j = 0; j < block->dim; j++)
            value -= u[j] * p[j];
        best = fmax(best, (double)value);
    }
    return best;
}

TEST(distance_and_gap_of_every_set) {
    for (int kind = 0; kind < KINDS; kind++) {
        cairn_block block = kind_of(kind);
        bool bounded = block.set == CAIRN_SET_BALL || block.set == CAIRN_SET_CAPPED_CONE ||
                       (block.set == CAIRN_SET_BOX && isfinite(block.hi)) || block.custom == &unit_box;
        for (int seed = 0; seed < 12; seed++) {
            test_random random = {300 + (uint64_t)seed};
            double u[CAIRN_BLOCK_DIM_MAX], gamma[CAIRN_BLOCK_DIM_MAX], product = 0.0;
            long double z[CAIRN_BLOCK_DIM_MAX], p[CAIRN_BLOCK_DIM_MAX], away = 0.0L;
            for (int j = 0; j < block.dim; j++) {
                u[j] = test_random_signed(&random);
                z[j] = gamma[j] = 2.0 * test_random_signed(&random);
                product += u[j] * gamma[j];
            }
            brute_project(&block, z, p);
            for (int j = 0; j < block.dim; j++)
                away += (z[j] - p[j]) * (z[j] - p[j]);
            cairn_certificate c = judged_alone(&block, u, gamma);
            CHECK_NEAR(c.cone, (double)sqrtl(away), 1e-15);
            CHECK_NEAR(c.worst_cone, c.cone, 0.0);
            CHECK_NEAR(c.worst_gap, c.gap, 0.0);
            if (bounded) {
                CHECK_NEAR(c.gap - product, sampled_support(&random, &block, u, 3.0), 1e-2);
                CHECK(c.gap - product >= sampled_support(&random, &block, u, 3.0) - 1e-14);
                CHECK(c.dual == 0.0);
            }
        }
    }
}

/* Domains of the support functions, and its value at their nearest point. */
TEST(dual_distances_in_closed_form) {
    const double g[2] = {0.25, 0.5};
    double zero[2] = {0.0, 0.0};
    cairn_block block = {.set = CAIRN_SET_BILATERAL, .dim = 2};
    CHECK_NEAR(judged_alone(&block, (double[]){3.0, -4.0}, zero).dual, 5.0, 1e-15);
    block.set = CAIRN_SET_NONNEGATIVE;
    CHECK_NEAR(judged_alone(&block, (double[]){3.0, -4.0}, zero).dual, 4.0, 1e-15);
    CHECK_NEAR(judged_alone(&block, (double[]){3.0, 4.0}, g).gap, 2.75, 1e-15);
    block = (cairn_block){.set = CAIRN_SET_BOX, .dim = 2, .lo = -INFINITY, .hi = 2.0};
    CHECK_NEAR(judged_alone(&block, (double[]){3.0, -4.0}, zero).dual, 3.0, 1e-15);
    CHECK_NEAR(judged_alone(&block, (double[]){3.0, -4.0}, zero).gap, 8.0, 1e-15);
    block = (cairn_block){.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.75}; /* dual slant (0.6, 0.8) */
    CHECK_NEAR(judged_alone(&block, (double[]){0.0, -1.0}, zero).dual, 0.6, 1e-15);
    CHECK_NEAR(judged_alone(&block, (double[]){-1.0, 0.5}, zero).dual, hypot(1.0, 0.5), 1e-15);
    CHECK_NEAR(judged_alone(&block, (double[]){0.75, 1.0}, zero).dual, 0.0, 1e-15);
    for (int dim = 2; dim <= 3; dim++) { /* mu = 0 and points on the axis, where no tangent shows the way */
        cairn_block line = {.set = CAIRN_SET_CONE, .dim = dim, .mu = 0.0};
        CHECK_NEAR(judged_alone(&line, (double[]){1.0, 0.0, 0.0}, (double[]){-1.0, 0.0, 0.0}).cone, 1.0, 0.0);
        CHECK_NEAR(judged_alone(&line, (double[]){1.0, 5.0, 0.0}, (double[]){-1.0, 0.0, 0.0}).worst_velocity, 1.0, 0.0);
        CHECK_NEAR(judged_alone(&line, (double[]){-1.0, 5.0, 0.0}, (double[]){2.0, 0.0, 0.0}).dual, 1.0, 0.0);
        line.set = CAIRN_SET_DUAL_CONE;
        CHECK_NEAR(judged_alone(&line, (double[]){0.0, 0.0, 0.0}, (double[]){-1.0, 7.0, 0.0}).cone, 1.0, 0.0);
        CHECK_NEAR(judged_alone(&line, (double[]){-2.0, 0.0, 0.0}, (double[]){0.0, 7.0, 0.0}).dual, 2.0, 0.0);
    }
    block.set = CAIRN_SET_DUAL_CONE; /* its dual: slant (0.8, 0.6) */
    CHECK_NEAR(judged_alone(&block, (double[]){0.0, -1.0}, zero).dual, 0.8, 1e-15);
    block = (cairn_block){.set = CAIRN_SET_SHIFTED_CONE, .dim = 2, .mu = 0.75, .adhesion = 2.0};
    CHECK_NEAR(judged_alone(&block, (double[]){3.0, 1.0}, zero).gap, 6.0, 1e-15);
    CHECK_NEAR(judged_alone(&block, (double[]){0.0, 1.0}, zero).gap, 2.0 * 0.48, 1e-15);
    CHECK_NEAR(judged_alone(&block, (double[]){0.0, 1.0}, zero).dual, 0.6, 1e-15);
    block = (cairn_block){.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &half_space}; /* support not known */
    CHECK(judged_alone(&block, (double[]){3.0, 1.0}, g).gap == 0.0);
    CHECK(judged_alone(&block, (double[]){3.0, 1.0}, g).dual == 0.0);
}

/* A string of 25 nodes with two rows each: H tridiagonal, coupled across nodes. */
TEST(sparse_H_equals_the_dense_reference) {
    for (int variant = 0; variant < 4; variant++) {
        test_random random = {400 + (uint64_t)variant};
        dense_problem *dense = new_dense();
        double v[MAX_ROWS], gamma[MAX_ROWS], u_out[MAX_ROWS], v_out[MAX_ROWS];
        double stiff = variant < 2 ? 1.0 : 1e9, skew = variant % 2 ? 0.4 * stiff : 0.0;
        dense->n = 50;
        dense->bodies = 25;
        dense->m = 30;
        dense->blocks = 10;
        dense->unsymmetric = skew > 0.0;
        for (int i = 0; i <= 25; i++)
            dense->body_start[i] = 2 * i;
        for (int i = 0; i < 50; i++) {
            dense->H[i][i] = 2.0 * stiff + 0.5;
            if (i > 0) {
                dense->H[i][i - 1] = -stiff + skew;
                dense->H[i - 1][i] = -stiff - skew;
            }
        }
        for (int c = 0; c < 10; c++) {
            dense->block[c] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.1 * c};
            for (int e = 0; e < 12; e++)
                dense->D[(5 * c + e) % 50][3 * c + e % 3] = test_random_signed(&random);
        }
        manufacture(&random, dense, v, gamma);
        cairn_problem *problem = build(context, dense);
        cairn_certificate c;
        CHECK(cairn_certify(problem, NULL, gamma, 1e-14, &c, u_out, v_out) == CAIRN_OK);
        CHECK(c.certified || stiff > 1.0); /* k is rounded: a stiff H makes more of that */
        long double u[MAX_ROWS], r[MAX_ROWS], own[MAX_ROWS];
        for (int i = 0; i < 50; i++)
            v[i] *= 1.01;
        for (int j = 0; j < 30; j++)
            gamma[j] += 0.01 * test_random_signed(&random);
        CHECK(cairn_certify(problem, v, gamma, 1e-8, &c, u_out, v_out) == CAIRN_OK);
        brute_velocities(dense, gamma, u, r, own);
        for (int i = 0; i < 50; i++)
            CHECK_NEAR(v_out[i], (double)own[i], 4e-16 * fmax(1.0, fabs(v_out[i])));
        for (int j = 0; j < 30; j++)
            CHECK_NEAR(u_out[j], (double)u[j], 4e-16 * fmax(1.0, fabs(u_out[j])));
        cairn_certificate brute = brute_certificate(dense, v, gamma);
        CHECK_NEAR(c.natural_map, brute.natural_map, 1e-13 * brute.natural_map + 1e-17);
        CHECK_NEAR(c.momentum, brute.momentum, 1e-13 * brute.momentum);
        CHECK_NEAR(c.worst_velocity, brute.worst_velocity, 1e-13 * brute.worst_velocity + 1e-17);
        CHECK(c.worst_block == brute.worst_block);
        cairn_problem_destroy(problem);
        free(dense);
    }
}

/* Two nodes of 1 kg held together by a spring so stiff that they are one body: it lies on the floor, one contact a node, after 0.1 s of free
 * fall. Twice the true impulses would throw it up at 0.981 m/s; the nodes' own blocks of H, 1e-12/kg, see no error in that. */
TEST(a_stiff_part_is_judged_as_the_body_that_it_is) {
    for (int wrong = 0; wrong < 2; wrong++) {
        dense_problem *dense = new_dense();
        const double stiff = 1e12, speed = 0.981;
        double v[MAX_ROWS] = {0}, gamma[MAX_ROWS] = {0};
        dense->n = 6;
        dense->bodies = 2;
        dense->m = 6;
        dense->blocks = 2;
        for (int i = 0; i <= 2; i++)
            dense->body_start[i] = 3 * i;
        for (int i = 0; i < 6; i++) {
            dense->H[i][i] = 1.0 + stiff;
            dense->H[i][(i + 3) % 6] = -stiff;
            dense->D[i][i] = 1.0;
        }
        for (int c = 0; c < 2; c++) {
            dense->block[c] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3};
            dense->k[3 * c] = -speed;
            gamma[3 * c] = wrong ? 2.0 * speed : speed;
            v[3 * c] = wrong ? speed : 0.0;
        }
        cairn_problem *problem = build(context, dense);
        cairn_certificate c;
        CHECK(cairn_certify(problem, v, gamma, 1e-6, &c, NULL, NULL) == CAIRN_OK);
        CHECK(c.certified == !wrong);
        CHECK_NEAR(c.worst_velocity, wrong ? speed : 0.0, 1e-3);
        CHECK_NEAR(c.natural_map, wrong ? 0.5 * sqrt(2.0) : 0.0, 0.3);
        cairn_problem_destroy(problem);
        free(dense);
    }
}

int main(void) {
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 1;
    RUN(manufactured_answers_are_certified_to_rounding);
    RUN(one_wrong_entry_is_found_and_named);
    RUN(figures_equal_brute_force);
    RUN(distance_and_gap_of_every_set);
    RUN(dual_distances_in_closed_form);
    RUN(sparse_H_equals_the_dense_reference);
    RUN(a_stiff_part_is_judged_as_the_body_that_it_is);
    cairn_context_destroy(context);
    return test_end();
}
