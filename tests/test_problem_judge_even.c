/*
 * test_problem_judge_even.c: contacts judged in double inside the judge in long double. Bodies that are at rest but for 1e-12 m/s, whose forces cancel, have figures right to
 * 1e-6; contacts that slide, or of which double does not know, are left to long double.
 */
#include "support.h"

#include "../src/problem/judge_contacts.h"
#include "../src/problem/judge_even.h"
#include "../src/problem/judge_mass.h"

#include <math.h>
#include <string.h>

enum { INSIDE, APART, NEAR, EDGE, OUTSIDE };

typedef struct bench {
    cairn_context *context;
    cairn_problem *problem;
    double *gamma, *u, *w, *v, *root;
    long double *scale;
    int *odd;
} bench;

/* The same problem with inertias that are not diagonal. */
static void turn_axes(bench *b) {
    const cairn_problem *p = b->problem;
    int *start = calloc((size_t)p->n + 1, sizeof *start), *row = calloc(4 * (size_t)p->n, sizeof *row), at = 0;
    double *value = calloc(4 * (size_t)p->n, sizeof *value);
    for (int j = 0; j < p->n; j++) {
        int first = j % 6 < 3 ? j : j - j % 6 + 3, last = j % 6 < 3 ? j : first + 2;
        for (int i = first; i <= last; i++, at++) {
            row[at] = i;
            value[at] = (i == j ? 1.0 : 0.1) * sqrt(p->A.value[i] * p->A.value[j]);
        }
        start[j + 1] = at;
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.n = p->n;
    def.m = p->m;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = p->n, .cols = p->n, .row = row, .start = start, .value = value};
    def.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS,
                           .rows = p->n,
                           .cols = p->m,
                           .row = p->D.index,
                           .start = p->D.start,
                           .value = p->D.value};
    def.k = p->k;
    def.b = p->b;
    def.law = p->law;
    def.blocks = p->blocks;
    def.block = p->block;
    def.bodies = p->bodies;
    def.body_start = p->body_start;
    cairn_problem *turned = NULL;
    CHECK(cairn_problem_create(b->context, &def, &turned) == CAIRN_OK);
    CHECK(turned->A.start[p->n] > p->n);
    cairn_problem_destroy(b->problem);
    b->problem = turned;
    free(start);
    free(row);
    free(value);
}

static void open_bench(bench *b, int count, cairn_law law, bool turned) {
    cairn_sample_def def = cairn_default_sample_def("pile");
    *b = (bench){.context = plain_context(1)};
    def.count = count;
    def.law = law;
    CHECK(cairn_sample_create(b->context, &def, &b->problem) == CAIRN_OK);
    size_t n = (size_t)b->problem->n, m = (size_t)b->problem->m, blocks = (size_t)b->problem->blocks;
    b->root = calloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        b->root[i] = 1.0 / sqrt(b->problem->A.value[i]);
    if (turned)
        turn_axes(b);
    b->gamma = calloc(m, sizeof(double));
    b->u = calloc(m, sizeof(double));
    b->w = calloc(m, sizeof(double));
    b->v = calloc(n, sizeof(double));
    b->scale = calloc(blocks, sizeof *b->scale);
    b->odd = calloc(blocks, sizeof *b->odd);
}

static void close_bench(bench *b) {
    cairn_problem_destroy(b->problem);
    cairn_context_destroy(b->context);
    free(b->gamma);
    free(b->u);
    free(b->w);
    free(b->v);
    free(b->root);
    free(b->scale);
    free(b->odd);
}

/* kinds: 0: all inside; 1: some apart as well; 2: and some on the edge or outside; 3: those a trace inside instead, where velocities may push them out. */
static int kind_of(int block, int kinds) {
    if (kinds == 0 || (block % 7 != 3 && block % 7 != 5))
        return INSIDE;
    if (block % 7 == 3)
        return APART;
    return kinds == 1 ? INSIDE : kinds == 3 ? NEAR : block % 14 < 7 ? EDGE : OUTSIDE;
}

/* Impulses of size 1 that every load balances but for a velocity of about 1e-12: inside their cones, none at contacts that open, on edges, outside. */
static void set_at_rest(bench *b, int kinds, test_random *random) {
    cairn_problem *p = b->problem;
    for (int i = 0; i < p->blocks; i++) {
        double *gamma = b->gamma + 3 * i, mu = p->block[i].mu, angle = 3.0 * test_random_signed(random);
        int kind = kind_of(i, kinds);
        double push = 1.0 + 0.5 * test_random_signed(random);
        double share[] = {[INSIDE] = 0.3, [NEAR] = 1.0 - 1e-12, [EDGE] = 1.0, [OUTSIDE] = 1.1};
        double pull = kind == APART ? 0.0 : share[kind] * mu * push;
        gamma[0] = kind == APART ? 0.0 : push;
        gamma[1] = pull * cos(angle);
        gamma[2] = pull * sin(angle);
        p->b[3 * i] = kind == APART ? 0.01 : 0.0;
        p->b[3 * i + 1] = p->b[3 * i + 2] = 0.0;
    }
    cairn_problem_impulse(p, b->gamma, 0.0, p->k);
    for (int i = 0; i < p->n; i++)
        p->k[i] = -p->k[i] + 1e-12 * fabs(p->A.value[p->A.start[i]]) * test_random_signed(random);
}

static void check_near(double a, double b, double relative) {
    CHECK(fabs(a - b) <= relative * (fabs(a) + fabs(b)));
}

/* The judge against the one for all problems; twice, since a second run keeps scales. terms: what slips are summed from. */
static void compare(bench *b, double terms) {
    cairn_judge *own = NULL, *general = NULL;
    cairn_certificate c, d;
    CHECK(cairn_judge_create(b->problem, &own) == CAIRN_OK);
    CHECK(cairn_judge_create_general(b->problem, &general) == CAIRN_OK);
    CHECK(cairn_judge_run(general, NULL, b->gamma, 1e-6, &d, b->w, b->v) == CAIRN_OK);
    for (int turn = 0; turn < 2; turn++) {
        CHECK(cairn_judge_run(own, NULL, b->gamma, 1e-6, &c, b->u, NULL) == CAIRN_OK);
        CHECK(c.certified == d.certified && c.worst_block == d.worst_block);
        check_near(c.natural_map, d.natural_map, 1e-6);
        check_near(c.natural_map_plain, d.natural_map_plain, 1e-6);
        check_near(c.worst_velocity, d.worst_velocity, 1e-6);
        check_near(c.cone, d.cone, 1e-9);
        check_near(c.dual, d.dual, 1e-6);
        check_near(c.slip, d.slip, 1e-9);
        check_near(c.rounding, d.rounding, 1e-9);
        check_near(c.worst_gamma, d.worst_gamma, 1e-9);
        check_near(c.worst_slip, d.worst_slip, 1e-6);
        CHECK(fabs(c.gap - d.gap) <= 1e-9 * fabs(d.gap) + 1e-15 * b->problem->blocks);
        for (int j = 0; j < b->problem->m; j++)
            CHECK(fabs(b->u[j] - b->w[j]) <= 1e-6 * fabs(b->w[j]) + 1e-18 * terms);
    }
    cairn_judge_destroy(own);
    cairn_judge_destroy(general);
}

/* How many contacts are left; v is v^. */
static int left(bench *b) {
    cairn_judge_tally sums, kept;
    cairn_judge_even even = {.root = b->root, .v = b->v, .free = b->v, .scale = b->scale, .odd = b->odd};
    return cairn_judge_even_run(b->problem, &even, b->gamma, NULL, &sums, &kept);
}

/* The map of no impulses that a run comes by is the one of a certificate. */
static void compare_idle(bench *b) {
    cairn_judge *judge = NULL;
    cairn_certificate c;
    double *none = calloc((size_t)b->problem->m, sizeof *none);
    CHECK(cairn_judge_create(b->problem, &judge) == CAIRN_OK);
    CHECK(cairn_judge_run(judge, NULL, b->gamma, 1e-6, &c, NULL, NULL) == CAIRN_OK);
    double idle = cairn_judge_idle_map(judge);
    CHECK(cairn_judge_run(judge, NULL, none, 1e-6, &c, NULL, NULL) == CAIRN_OK && c.natural_map > 0.01);
    check_near(idle, c.natural_map, 1e-9);
    cairn_judge_destroy(judge);
    free(none);
}

TEST(bodies_at_rest_are_judged_as_in_long_double) {
    static const int counts[] = {1, 2, 3, 60};
    test_random random = {17};
    for (int i = 0; i < 64; i++) {
        bench b;
        int kinds = i / 4 % 4, edges = 0;
        bool turned = i / 16 % 2 == 1;
        open_bench(&b, counts[i % 4], i / 32 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED, turned);
        set_at_rest(&b, kinds, &random);
        compare(&b, 1e-4);
        compare_idle(&b);
        for (int k = 0; k < b.problem->blocks; k++)
            edges += kind_of(k, kinds) >= EDGE;
        if (!turned && kinds < 3)
            CHECK(left(&b) == edges);
        close_bench(&b);
    }
}

/* Velocities of rounding's size beside terms of size 1, impulses at the ends of the range: nothing is even, and the figures are those of long double all the same. */
TEST(what_double_does_not_know_is_left) {
    test_random random = {23};
    static const double sizes[] = {1.0, 1e-140, 1e140};
    for (int i = 0; i < 3; i++) {
        bench b;
        open_bench(&b, 40, CAIRN_LAW_COULOMB, false);
        set_at_rest(&b, 0, &random);
        cairn_problem *p = b.problem;
        for (int j = 0; j < p->m; j++)
            b.gamma[j] *= sizes[i];
        for (int j = 0; j < p->n; j++)
            p->k[j] = sizes[i] * (p->k[j] + (i == 0 ? p->A.value[p->A.start[j]] : 0.0));
        if (i == 0) { /* all bodies move at 1 m/s, and b takes it away but for 1e-11 */
            cairn_judge *judge = NULL;
            cairn_certificate c;
            CHECK(cairn_judge_create(p, &judge) == CAIRN_OK);
            CHECK(cairn_judge_run(judge, NULL, b.gamma, 1e-6, &c, b.u, NULL) == CAIRN_OK);
            for (int j = 0; j < p->m; j++)
                p->b[j] = -b.u[j] * (1.0 + 1e-11 * test_random_signed(&random));
            cairn_judge_destroy(judge);
        }
        compare(&b, sizes[i]);
        CHECK(left(&b) < 0);
        close_bench(&b);
    }
}

int main(void) {
    RUN(bodies_at_rest_are_judged_as_in_long_double);
    RUN(what_double_does_not_know_is_left);
    return test_end();
}
