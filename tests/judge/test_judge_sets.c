/*
 * test_judge_sets.c: the certificate on every set, under both laws, with bodies alone, coupled, without symmetry and in the local form: answers exact by construction, answers
 * that are none against the examiner, one block at a time against distances in closed form.
 */
#include "support/judge_cases.h"

static cairn_context *context;

enum { ALONE, COUPLED, SKEWED, SKEWED_BODIES, LOCAL, LOCAL_SKEWED, FORMS };

/* Six blocks whose sets go on from `first`, in this form; made anew from b after the matrices were skewed. */
static void make_case(judge_case *c, test_random *random, cairn_law law, int first, int form) {
    const double mu = 0.4;
    if (form == LOCAL || form == LOCAL_SKEWED)
        case_local(c, random, law, 6, first, 1, mu, 5, 0.5);
    else
        case_global(c, random, law, 6, first, 1, mu, 3.0, form == COUPLED || form == SKEWED);
    c->unsymmetric = form == SKEWED || form == SKEWED_BODIES || form == LOCAL_SKEWED;
    double *A = c->local ? c->N : c->H;
    int rows = c->local ? c->m : c->n;
    for (int i = 0; i < rows && c->unsymmetric; i++)
        for (int j = 0; j < i; j++) {
            bool there = A[i * CASE_ROWS + j] != 0.0;
            double skew = there ? 0.2 * test_random_signed(random) : 0.0;
            A[i * CASE_ROWS + j] += skew;
            A[j * CASE_ROWS + i] -= skew;
        }
    for (int i = 0; i < c->m; i++)
        c->C[i] = i % 3 == 0 ? 0.1 : 0.0;
    case_finish(c);
}

TEST(answers_exact_by_construction_are_certified_to_rounding) {
    static judge_case made;
    for (int law = 0; law < 2; law++)
        for (int form = 0; form < FORMS; form++)
            for (int seed = 0; seed < 20; seed++) {
                test_random random = {(uint64_t)(1000 * law + 100 * form + seed)};
                make_case(&made, &random, law == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED, seed, form);
                cairn_problem *problem = case_problem(context, &made);
                cairn_certificate c;
                CHECK(cairn_certify(problem, NULL, made.gamma, 1e-13, &c, NULL, NULL) == CAIRN_OK);
                CHECK(c.certified && c.error < 1e-14 && c.relative < 1e-14);
                CHECK(c.law == made.law && c.worst_block >= 0);
                cairn_problem_destroy(problem);
            }
}

/* Points, shifts, motions and figures of answers that are none: whatever points the judge takes, what it says of them is true, block by block. */
static void examine(const judge_case *c, const double *gamma, bool quick) {
    cairn_problem *problem = case_problem(context, c);
    cairn_judge *judge = NULL;
    cairn_certificate told;
    cairn_judged judged;
    examiner x = examiner_make(problem);
    const cairn_question question = {.gamma = gamma, .limits = {.velocity = 1e-9}, .quick = quick};
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    CHECK(cairn_judge_ask(judge, &question, &told, &judged) == CAIRN_OK);
    CHECK(examiner_off_graph(&x, judged.gamma, judged.u) == -1);
    wide worst = 0.0L, sum = 0.0L, largest = 0.0L, size;
    for (int i = 0; i < c->blocks; i++) {
        wide X = examiner_error(&x, i, -1, judged.gamma, judged.u, &size), length = 0.0L;
        int first = case_start(c, i), dim = c->block[i].dim;
        CHECK_NEAR(judged.error[i], (double)X, (double)(1e-13L * size));
        for (int r = first; r < first + dim; r++)
            length += (wide)judged.shift[r] * judged.shift[r];
        CHECK_NEAR((double)sqrtl(length), (double)X, (double)(1e-13L * size));
        worst = fmaxl(worst, X);
        largest = fmaxl(largest, size);
        sum += X * X;
    }
    CHECK_NEAR(told.error, (double)worst, (double)(1e-13L * largest));
    CHECK_NEAR(told.rms, (double)sqrtl(sum / c->blocks), (double)(1e-13L * largest));
    CHECK(told.certified == (told.error <= 1e-9) && isnan(told.relative) && isnan(told.plain));
    CHECK((judged.v == NULL) == c->local);
    for (int i = 0; i < c->n; i++) { /* v' = H^-1 (k + D gamma') */
        wide v = 0.0L, terms = 0.0L;
        for (int j = 0; j < c->n; j++) {
            wide load = c->k[j];
            for (int r = 0; r < c->m; r++)
                load += (wide)c->D[j * CASE_ROWS + r] * judged.gamma[r];
            v += x.G[i * c->n + j] * load;
            terms += fabsl(x.G[i * c->n + j] * load);
        }
        CHECK_NEAR(judged.v[i], (double)v, (double)(1e-14L * terms));
    }
    examiner_end(&x);
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
}

TEST(what_is_said_of_wrong_answers_is_true) {
    static judge_case made;
    for (int law = 0; law < 2; law++)
        for (int form = 0; form < FORMS; form++)
            for (int seed = 0; seed < 28; seed++) {
                test_random random = {(uint64_t)(5000 + 1000 * law + 100 * form + seed)};
                double gamma[CASE_ROWS], noise = pow(10.0, -(double)(seed % 7));
                make_case(&made, &random, law == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED, seed, form);
                for (int j = 0; j < made.m; j++)
                    gamma[j] = made.gamma[j] + noise * test_random_signed(&random);
                examine(&made, gamma, seed % 2 == 0);
            }
}

/* One wrong number of one block: it is seen, and the figure is of its size. */
TEST(one_wrong_entry_is_found) {
    static judge_case made;
    for (int seed = 0; seed < 24; seed++) {
        test_random random = {(uint64_t)(9000 + seed)};
        make_case(&made, &random, seed % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED, seed, seed % FORMS);
        cairn_problem *problem = case_problem(context, &made);
        for (int i = 0; i < made.blocks; i++)
            for (int r = 0; r < made.block[i].dim && made.block[i].set == CAIRN_SET_BILATERAL; r++) {
                double gamma[CASE_ROWS];
                cairn_certificate c;
                memcpy(gamma, made.gamma, sizeof gamma);
                gamma[case_start(&made, i) + r] += 1e-3;
                CHECK(cairn_certify(problem, NULL, gamma, 1e-6, &c, NULL, NULL) == CAIRN_OK);
                CHECK(!c.certified && c.error > 1e-5 && c.error < 1e-1);
            }
        cairn_problem_destroy(problem);
    }
}

/* ---- one block with N = 0: its velocity is b, whatever the impulse --------------------------------------------------- */

static void project_half_space(void *user, int dim, const double *x, double *projection) { /* sum(x) <= 1 */
    double excess = -1.0;
    (void)user;
    for (int i = 0; i < dim; i++)
        excess += x[i];
    for (int i = 0; i < dim; i++)
        projection[i] = excess > 0.0 ? x[i] - excess / dim : x[i];
}

static cairn_certificate judged_alone(const cairn_block *block, cairn_law law, const double *gamma, const double *b) {
    static judge_case made;
    memset(&made, 0, sizeof made);
    made.law = law;
    made.local = true;
    made.body = 1;
    made.m = block->dim;
    made.blocks = 1;
    made.block[0] = *block;
    memcpy(made.b, b, (size_t)block->dim * sizeof *b);
    cairn_problem *problem = case_problem(context, &made);
    cairn_certificate c = {.error = NAN};
    CHECK(cairn_certify(problem, NULL, gamma, 1e-8, &c, NULL, NULL) == CAIRN_OK);
    cairn_problem_destroy(problem);
    return c;
}

/* Impulses on the graph, velocities off it by a known distance. e: 0.01. */
TEST(distances_in_closed_form) {
    static const cairn_custom_set half_space = {.project = project_half_space};
    const cairn_law exact = CAIRN_LAW_COULOMB, convex = CAIRN_LAW_ASSOCIATED;
    const double e = 0.01;
    const struct {
        cairn_block block;
        cairn_law law;
        double gamma[3], b[3], distance;
    } table[] = {
        {{.set = CAIRN_SET_BILATERAL, .dim = 3}, exact, {5, -6, 7}, {0.3, 0, -0.4}, 0.5},
        {{.set = CAIRN_SET_NONNEGATIVE, .dim = 1}, exact, {1}, {e}, e},                       /* held, leaves */
        {{.set = CAIRN_SET_NONNEGATIVE, .dim = 1}, exact, {0}, {-e}, e},                      /* open, enters */
        {{.set = CAIRN_SET_NONNEGATIVE, .dim = 2}, exact, {0, 1}, {2, -e}, e},                /* the first may leave */
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, exact, {0, 0, 0}, {-e, 7, 7}, e},      /* open, enters */
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, exact, {9, 1, 1}, {0.3, 0, 0.4}, 0.5}, /* sticks, moves */
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, exact, {2, -1, 0}, {e, 1.5, 0}, e},    /* slides, leaves */
        {{.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.5}, exact, {2, -1}, {-e, 1.5}, e},         /* slides, enters */
        {{.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.5}, exact, {20, 10}, {0, e}, e},           /* friction pushes */
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.0}, exact, {3, 0, 0}, {e, 5, -5}, e}, /* smooth: tangents are free */
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 1e8}, exact, {3, 4, 0}, {0, 0.3, 0.4}, 0.5},
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 1e8}, exact, {0, 0, 0}, {-e, 0, 0}, e},
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, convex, {9, 1, 1}, {0.3, 0, 0.4}, 0.5},
        {{.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.75},
         convex,
         {4, -3},
         {0.6, 0.8 + e},
         0.6 * e}, /* along the slant (0.8, -0.6) */
        {{.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, convex, {0, 0, 0}, {-e, 0, 0}, e},
        {{.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.5}, exact, {9, 1, 1}, {0.3, 0, 0.4}, 0.5},
        {{.set = CAIRN_SET_DUAL_CONE, .dim = 3, .mu = 0.0},
         exact,
         {0, 5, 0},
         {1, 0, e},
         e}, /* a half space: tangents are held */
        {{.set = CAIRN_SET_BOX, .dim = 2, .lo = -1, .hi = 2}, exact, {-1, 2}, {3, -4}, 0},
        {{.set = CAIRN_SET_BOX, .dim = 2, .lo = -1, .hi = 2}, exact, {-1, 2}, {-0.3, 0.4}, 0.5},
        {{.set = CAIRN_SET_BOX, .dim = 2, .lo = -1, .hi = INFINITY}, exact, {0, 1e6}, {-0.3, 0.4}, 0.5},
        {{.set = CAIRN_SET_BALL, .dim = 3, .radius = 2}, exact, {1, 0, 0}, {0, 0.3, 0.4}, 0.5},
        {{.set = CAIRN_SET_BALL, .dim = 3, .radius = 2}, exact, {2, 0, 0}, {-3, 0, 0}, 0},
        {{.set = CAIRN_SET_BALL, .dim = 2, .radius = 0},
         exact,
         {0, 0},
         {-3, 5},
         0}, /* a point: every velocity goes with it */
        /* the point turns with the velocity: gamma' along gamma - b */
        {{.set = CAIRN_SET_BALL, .dim = 2, .radius = 2}, exact, {2, 0}, {-1, e}, 2 * e / hypot(3, e)},
        {{.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.5, .cap = 2},
         exact,
         {2, 0, 0},
         {-3, e, 0},
         e}, /* crushes, slides */
        {{.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.5, .cap = 2}, exact, {1, 0.1, 0}, {0.003, 0, 0.004}, 0.005},
        {{.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .mu = 0.5, .cap = 0}, exact, {0, 0, 0}, {-3, 4, 5}, 0},
        {{.set = CAIRN_SET_SHIFTED_CONE, .dim = 2, .mu = 0.5, .adhesion = 1}, exact, {-1, 0}, {-e, 0}, e},
        {{.set = CAIRN_SET_SHIFTED_CONE, .dim = 2, .mu = 0.5, .adhesion = 1}, exact, {-1, 0}, {1, 1}, 0},
        {{.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.5, .adhesion = 1},
         exact,
         {0, 0.1, 0},
         {0.003, 0, 0.004},
         0.005},
        {{.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.5, .directions = 8}, exact, {0, 0, 0}, {-e, 1, 1}, e},
        {{.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.5, .directions = 8},
         exact,
         {2, 1, 0},
         {e, -1, 0},
         e}, /* at a corner */
        {{.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.5, .directions = 8}, convex, {9, 0, 0}, {0.3, 0, 0.4}, 0.5},
        {{.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &half_space}, exact, {-5, 1}, {0.3, 0.4}, 0.5},
        {{.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &half_space}, exact, {0, 1}, {-3, -3}, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        cairn_certificate c = judged_alone(&table[i].block, table[i].law, table[i].gamma, table[i].b);
        if (!(fabs(c.error - table[i].distance) <= 2e-14))
            printf("entry %zu, %s\n", i, cairn_set_name(table[i].block.set));
        CHECK_NEAR(c.error, table[i].distance, 2e-14);
        CHECK(c.certified == (table[i].distance == 0.0));
        for (int r = 0; r < table[i].block.dim && r < 3; r++) /* the shift is what lies between u' and b */
            CHECK_NEAR(c.worst_u[r] - c.worst_shift[r], table[i].b[r], 1e-15);
    }
}

/* ---- H that couples nodes -------------------------------------------------------------------------------------------- */

/* A string of 12 nodes of two rows, soft and stiff, symmetric or not, with contacts on three nodes each. */
TEST(coupled_nodes_against_the_examiner) {
    static judge_case made;
    for (int variant = 0; variant < 4; variant++) {
        test_random random = {400 + (uint64_t)variant};
        double gamma[CASE_ROWS], stiff = variant < 2 ? 1.0 : 1e9, skew = variant % 2 ? 0.4 * stiff : 0.0;
        memset(&made, 0, sizeof made);
        made.n = 24;
        made.body = 2;
        made.m = 18;
        made.blocks = 6;
        made.unsymmetric = skew > 0.0;
        for (int i = 0; i < 24; i++) {
            made.H[i * CASE_ROWS + i] = 2.0 * stiff + 0.5;
            made.k[i] = test_random_signed(&random);
            if (i > 0) {
                made.H[i * CASE_ROWS + i - 1] = -stiff + skew;
                made.H[(i - 1) * CASE_ROWS + i] = -stiff - skew;
            }
        }
        for (int c = 0; c < 6; c++) {
            made.block[c] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.2 * c};
            case_point(&made.block[c], CAIRN_LAW_COULOMB, &random, made.gamma + 3 * c, made.u + 3 * c);
            for (int e = 0; e < 12; e++)
                made.D[(5 * c + e) % 24 * CASE_ROWS + 3 * c + e % 3] = test_random_signed(&random);
        }
        case_finish(&made);
        cairn_problem *problem = case_problem(context, &made);
        cairn_certificate c;
        CHECK(cairn_certify(problem, NULL, made.gamma, 1e-13, &c, NULL, NULL) == CAIRN_OK && c.certified);
        cairn_problem_destroy(problem);
        for (int j = 0; j < 18; j++)
            gamma[j] = made.gamma[j] + 0.01 * test_random_signed(&random);
        examine(&made, gamma, false);
    }
}

/* Two nodes of 1 kg held together by a spring so stiff that they are one body: it lies on the floor, one contact a node, after 0.1 s of free
 * fall. Twice the true impulses throw it up at 0.981 m/s; the nodes' own blocks of H, 1e-12/kg, see no error in that. */
TEST(a_stiff_part_is_judged_as_the_body_that_it_is) {
    static judge_case made;
    const double stiff = 1e12, speed = 0.981;
    for (int wrong = 0; wrong < 2; wrong++) {
        double v[6] = {0}, gamma[6] = {0};
        memset(&made, 0, sizeof made);
        made.n = made.m = 6;
        made.body = 3;
        made.blocks = 2;
        for (int i = 0; i < 6; i++) {
            made.H[i * CASE_ROWS + i] = 1.0 + stiff;
            made.H[i * CASE_ROWS + (i + 3) % 6] = -stiff;
            made.D[i * CASE_ROWS + i] = 1.0;
        }
        for (int c = 0; c < 2; c++) {
            made.block[c] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3};
            made.k[3 * c] = -speed;
            gamma[3 * c] = wrong ? 2.0 * speed : speed;
            v[3 * c] = wrong ? speed : 0.0;
        }
        cairn_problem *problem = case_problem(context, &made);
        cairn_certificate c;
        CHECK(cairn_certify(problem, v, gamma, 1e-6, &c, NULL, NULL) == CAIRN_OK);
        CHECK(c.certified == !wrong);
        CHECK_NEAR(c.error, wrong ? speed : 0.0, 1e-6 * speed);
        CHECK_NEAR(c.relative, wrong ? 1.0 : 0.0, 1e-6);
        cairn_problem_destroy(problem);
    }
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    context = plain_context(1);
    RUN(answers_exact_by_construction_are_certified_to_rounding);
    RUN(what_is_said_of_wrong_answers_is_true);
    RUN(one_wrong_entry_is_found);
    RUN(distances_in_closed_form);
    RUN(coupled_nodes_against_the_examiner);
    RUN(a_stiff_part_is_judged_as_the_body_that_it_is);
    cairn_context_destroy(context);
    return test_end();
}
