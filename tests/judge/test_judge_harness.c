/*
 * test_judge_harness.c: hostile answers to problems whose answers are known, through three doors: the library, `cairn check`, a step of a world.
 *
 * Every answer is judged by the library and examined by judge_law.h. Counted, and none may be: points off their graphs, figures below the truth, figures far above it,
 * wrong answers that pass, right ones that fail, figures that change with units, order or tangents, doors that disagree.
 */
#include "support/judge_cases.h"
#include "support/world_scene.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OFF_GRAPH,
    BELOW,
    ABOVE,
    WRONG_PASSED,
    RIGHT_FAILED,
    TOO_NEAR,
    UNITS,
    ORDER,
    TANGENTS,
    DOORS,
    MOVED,
    AGAIN,
    KINDS
};
static const char *const kind_name[KINDS] = {"points off their graph",
                                             "figures below the truth",
                                             "figures far above the truth",
                                             "wrong answers that pass",
                                             "right answers that fail",
                                             "figures below the distance known in closed form",
                                             "figures that change with units",
                                             "... with the order",
                                             "... with the tangents",
                                             "doors that disagree",
                                             "given impulses far from those certified",
                                             "certified answers that are refused when they are asked about again"};
static int violations[KINDS], judgements, certified_count, checks;

static int off_set[CAIRN_SET_CUSTOM + 2];

static void violate(int kind, const judge_case *c, int change, double figure, double expected) {
    if (violations[kind]++ < 5)
        printf("%s: %s, change %d: %.17g, expected %.17g\n", kind_name[kind], c->name, change, figure, expected);
}

/* ---- the changes -------------------------------------------------------------------------------------------------------- */

#define CHANGES 60

static const double change_scale[] = {1.0, 2.0, 0.5,  1.001, 1.000001, 1.0 - 1e-9, -1.0,
                                      0.0, 1e3, 1e12, 1e-12, 1e-310,   -0.5,       1e150};
#define SCALES 14

static void change_blocks(const judge_case *c, int change, test_random *random, double *g) {
    static const double angles[] = {1.5707963267948966, 1e-3, 3.141592653589793, 1e-8};
    double angle = angles[change & 3], swap;
    int where = (int)(test_random_bits(random) % (uint64_t)c->blocks);
    for (int i = 0; i < c->blocks; i++) {
        double *x = g + case_start(c, i), y[3];
        int dim = c->block[i].dim;
        if (change <= 3 && dim == 3) { /* turned tangents */
            y[1] = cos(angle) * x[1] - sin(angle) * x[2];
            x[2] = sin(angle) * x[1] + cos(angle) * x[2];
            x[1] = y[1];
        }
        if (change == 4 && dim == 3) {
            swap = x[1];
            x[1] = x[2];
            x[2] = swap;
        }
        for (int r = 0; r < dim; r++) {
            x[r] = change == 5 && r > 0 ? -x[r] : change == 6 && r == 0 ? -x[r] : x[r];
            x[r] = change == 7 && r > 0 ? 0.0 : change == 8 && r == 0 ? 1e3 * x[r] + 1.0 : x[r];
            x[r] = (change == 9 && i == 0) || (change == 10 && i == c->blocks - 1) || (change == 11 && i == where) ||
                           (change == 12 && i > 0)
                       ? 0.0
                       : x[r];
            if (change == 13 && r > 0) /* as much friction as there can be, anywhere */
                x[r] = fmin(c->block[i].mu, 1e3) * x[0] * (r == 1 ? 0.6 : 0.8);
            if (change == 14 && r == 0)
                x[r] += 1e-3;
        }
        if (change == 15 && i + 1 < c->blocks && c->block[i + 1].dim == dim) /* exchanged with its neighbour */
            for (int r = 0; r < dim; r++) {
                swap = x[r];
                x[r] = x[dim + r];
                x[dim + r] = swap;
            }
    }
}

static void change_entries(const judge_case *c, int change, test_random *random, double *g) {
    static const double entry[] = {1.0, -1.0, 1e-3, 0.0, 1e30, 1e300, NAN, INFINITY, -INFINITY, DBL_MAX};
    static const double noise[] = {1e-10, 1e-6, 1e-2, 1.0, 1e6, 1e18};
    static const double stress[] = {1.0, 1e6, 1e12, 1e18};
    int where = (int)(test_random_bits(random) % (uint64_t)c->m);
    if (change < 10)
        g[where] = change < 3 ? g[where] + entry[change] : entry[change];
    for (int r = 0; r < c->m; r++) {
        if (change >= 10 && change < 16)
            g[r] += noise[change - 10] * test_random_signed(random);
        if (change >= 16 && change < 20)
            g[r] += stress[change - 16] * c->stress[r];
        if (change == 20)
            g[r] = NAN;
        if (change == 21)
            g[r] = 1.0;
        if (change == 22)
            g[r] = c->u[r];
    }
    if (change == 23) /* all moved by one row */
        for (int r = 0; r + 1 < c->m; r++)
            g[r] = c->gamma[r + 1];
    if (change == 24) { /* an answer of the other law */
        int at = 0;
        double u[CAIRN_BLOCK_DIM_MAX];
        for (int i = 0; i < c->blocks; at += c->block[i++].dim)
            case_point(&c->block[i], c->law == CAIRN_LAW_COULOMB ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB, random,
                       g + at, u);
    }
}

/* Change number `change` of the known impulses. */
static void change_impulses(const judge_case *c, int change, double *g) {
    test_random random = {(uint64_t)(change + 1) * 977};
    memcpy(g, c->gamma, sizeof c->gamma);
    if (change < SCALES)
        for (int r = 0; r < c->m; r++)
            g[r] *= change_scale[change];
    else if (change < SCALES + 16)
        change_blocks(c, change - SCALES, &random, g);
    else if (change < SCALES + 16 + 25)
        change_entries(c, change - SCALES - 16, &random, g);
    else /* both */
        for (int r = 0; r < c->m; r++)
            g[r] = (g[r] + c->stress[r] * 1e3) * (1.0 + 1e-4 * test_random_signed(&random));
}

static bool changes_nothing(const judge_case *c, const double *g) {
    for (int r = 0; r < c->m; r++)
        if (!(g[r] == c->gamma[r]))
            return false;
    return c->manufactured;
}

/* ---- the first door ------------------------------------------------------------------------------------------------------ */

static const double tolerances[] = {1e-4, 1e-8, 1e-11};

/* One judgement against the examiner. Returns X. */
static void examine(const judge_case *c, const examiner *x, int change, bool right, const cairn_certificate *told,
                    const cairn_judged *judged) {
    judgements++;
    if (!isfinite(told->error)) {
        if (told->certified)
            violate(WRONG_PASSED, c, change, told->error, 0.0);
        return;
    }
    int off = examiner_off_graph(x, judged->gamma, judged->u);
    if (off >= 0 && !told->certified && told->error > 1e100)
        return; /* sizes at which double ends: told to be wrong, and wrong */
    if (off >= 0 && violations[OFF_GRAPH] < 5) {
        int first = case_start(c, off);
        printf("%s of dim %d, mu %g: (%g, %g, ...) N s, (%g, %g, ...) m/s\n", cairn_set_name(c->block[off].set),
               c->block[off].dim, c->block[off].mu, judged->gamma[first], judged->gamma[first + 1], judged->u[first],
               judged->u[first + 1]);
    }
    off_set[off >= 0 ? (int)c->block[off].set : CAIRN_SET_CUSTOM + 1]++;
    if (off >= 0)
        violate(told->certified ? WRONG_PASSED : OFF_GRAPH, c, change, off, -1.0);
    wide largest = 0.0L, turning = 0.0L, sizes = 0.0L, distance = 0.0L, size, term;
    for (int i = 0; i < c->blocks; i++) {
        wide X = examiner_error(x, i, 0, judged->gamma, judged->u, &size);
        turning = fmaxl(turning, examiner_error(x, i, 1, judged->gamma, judged->u, &term));
        if (judged->error[i] < X - 1e3L * LDBL_EPSILON * size)
            violate(BELOW, c, change, judged->error[i], (double)X);
        largest = fmaxl(largest, X);
        sizes = fmaxl(sizes, size + term);
    }
    if (told->error > (double)(largest * (1.0L + 1e-12L) + 1e-12L * sizes))
        violate(ABOVE, c, change, told->error, (double)largest);
    if (told->error_angular < (double)(turning - 1e-12L * sizes) ||
        told->error_angular > (double)(turning + 1e-12L * sizes))
        violate(BELOW, c, change, told->error_angular, (double)turning);
    if (told->certified) {
        wide excess = examiner_excess(x, told->tolerance, judged->gamma, judged->u);
        certified_count++;
        if (excess > 1.0L + 1e-9L)
            violate(WRONG_PASSED, c, change, (double)excess, 1.0);
    }
    if (right && !told->certified)
        violate(RIGHT_FAILED, c, change, told->relative, told->tolerance);
    if (told->error < c->least * (1.0 - 1e-12))
        violate(TOO_NEAR, c, change, told->error, c->least);
    if (c->lambda > 0.0 && c->law == CAIRN_LAW_ASSOCIATED &&
        c->manufactured) { /* |shift| >= lambda |g' - g| for monotone laws */
        for (int r = 0; r < c->m; r++)
            distance += ((wide)judged->gamma[r] - c->gamma[r]) * (judged->gamma[r] - c->gamma[r]);
        if (told->rms * sqrt(c->blocks) < (double)(c->lambda * sqrtl(distance) * (1.0L - 1e-9L) - 1e-12L * sizes))
            violate(TOO_NEAR, c, change, told->rms * sqrt(c->blocks), (double)(c->lambda * sqrtl(distance)));
    }
}

/* What was certified is itself an answer, and is certified when it is asked about: else `cairn check` refuses what `cairn solve` has solved. */
static void judge_again(const judge_case *c, cairn_judge *judge, int change, const cairn_certificate *told,
                        const cairn_judged *judged) {
    double again[CASE_ROWS];
    cairn_certificate second;
    memcpy(again, judged->gamma, (size_t)c->m * sizeof *again);
    cairn_question q = {.gamma = again, .limits = {.relative = told->tolerance}};
    CHECK(cairn_judge_ask(judge, &q, &second, NULL) == CAIRN_OK);
    bool custom = false; /* whose normal cones nobody knows but where its projection has led */
    for (int i = 0; i < c->blocks; i++)
        custom = custom || c->block[i].set == CAIRN_SET_CUSTOM;
    if (told->certified && !second.certified && !custom)
        violate(AGAIN, c, change, second.relative, told->relative);
}

/* All ways to ask about one answer. Returns X of the reference. */
static double judge_answer(const judge_case *c, const examiner *x, cairn_judge *judge, int change, const double *g) {
    bool right = changes_nothing(c, g);
    double reference = 0.0;
    for (int t = 0; t < 3; t++) {
        cairn_certificate told[3];
        for (int way = 0; way < 3; way++) { /* reference, filter, report */
            cairn_judged judged;
            cairn_question q = {
                .gamma = g, .limits = {.relative = tolerances[t]}, .quick = way == 1, .report = way == 2};
            CHECK(cairn_judge_ask(judge, &q, &told[way], &judged) == CAIRN_OK);
            examine(c, x, change, right, &told[way], &judged);
            judge_again(c, judge, change, &told[way], &judged);
        }
        bool small = true; /* no product overflows in double */
        for (int r = 0; r < c->m; r++)
            small = small && fabs(g[r]) < 1e120;
        /* a report also holds the given impulses against the limit: it may refuse what has a certified point beside it */
        bool more = told[2].certified && !told[0].certified;
        if (more || (small && told[1].certified && !told[0].certified))
            violate(DOORS, c, change, told[1].relative, told[0].relative);
        reference = told[0].error;
    }
    return reference;
}

/* A v that is not that of the impulses: wrong when it is off by more than the tolerance. */
static void judge_motions(const judge_case *c, const examiner *x, const cairn_problem *problem) {
    double v[CASE_ROWS], out[CASE_ROWS];
    cairn_certificate told;
    CHECK(cairn_certify(problem, NULL, c->gamma, 1e-8, &told, NULL, out) == CAIRN_OK);
    for (int change = 0; change < 6; change++) {
        memcpy(v, out, sizeof v);
        int body = change % (c->n / c->body), row = body * c->body;
        wide s = 0.0L, reach = 0.0L;
        for (int i = 0; i < c->blocks; i++)
            s = fmaxl(s, x->s[i]);
        for (int r = 0; r < c->m; r++)
            reach = fmaxl(reach, fabs(c->D[row * CASE_ROWS + r]));
        double step = change == 0 ? 0.0 : (double)(s / (reach > 0.0L ? reach : 1.0L)) * (change < 4 ? 1e-4 : -1.0);
        v[row] = change == 5 ? NAN : v[row] + step;
        CHECK(cairn_certify(problem, v, c->gamma, 1e-8, &told, NULL, NULL) == CAIRN_OK);
        judgements++;
        if (change == 0 && !told.certified)
            violate(RIGHT_FAILED, c, 100 + change, told.motion, 0.0);
        if (change > 0 && (step != 0.0 || change == 5) && told.certified)
            violate(WRONG_PASSED, c, 100 + change, told.motion, step);
    }
}

/* The report is about the impulses that were given: where they are far from the only right ones, it must not say that they are right. */
static void judge_given(const judge_case *c, const examiner *x, const cairn_problem *problem, int change,
                        const double *g) {
    cairn_certificate told;
    CHECK(cairn_certify(problem, NULL, g, 1e-8, &told, NULL, NULL) == CAIRN_OK);
    if (!told.certified)
        return;
    for (int i = 0; i < c->blocks; i++)
        for (int r = x->p.block_start[i]; r < x->p.block_start[i + 1]; r++) {
            wide a, b, off = examiner_slip(x, g, r, &a) - examiner_slip(x, c->gamma, r, &b);
            if (fabsl(off) > 1e-3L * x->s[i]) {
                violate(MOVED, c, change, (double)off, 0.0);
                return;
            }
        }
}

/* X of the same answer when the problem is told otherwise. */
static double figure_told(cairn_context *context, const judge_case *c, const double *g) {
    cairn_problem *problem = case_problem(context, c);
    cairn_judge *judge = NULL;
    cairn_certificate told = {.error = NAN};
    cairn_question q = {.gamma = g, .limits = {.relative = 1e-8}};
    CHECK(problem != NULL && cairn_judge_create(problem, &judge) == CAIRN_OK);
    if (judge != NULL)
        CHECK(cairn_judge_ask(judge, &q, &told, NULL) == CAIRN_OK);
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
    return told.error;
}

static void compare(int kind, const judge_case *c, const examiner *x, int change, const double *g, double X, double Y) {
    wide sizes = 0.0L, size, s = 0.0L;
    for (int r = 0; r < c->m; r++) {
        examiner_slip(x, g, r, &size);
        sizes = fmaxl(sizes, size);
    }
    for (int i = 0; i < c->blocks; i++)
        s = fmaxl(s, x->s[i]);
    if (!(sizes < 1e12L * s)) /* the data are lost in rounding, which may choose another point */
        return;
    if (X > 1e-3 * (double)s && Y > 1e-3 * (double)s &&
        fabs(X - Y) < 0.01 * X) /* far beyond every limit two points may be as near as each other */
        return;
    if (isfinite(X) != isfinite(Y) || (isfinite(X) && fabs(X - Y) > 1e-9 * X + 1e-13 * (double)sizes))
        violate(kind, c, change, Y, X);
}

static void tell_otherwise(cairn_context *context, const judge_case *c, const examiner *x, int change, const double *g,
                           double X) {
    static const double units[][3] = {{1e12, 1, 1}, {1e-12, 1, 1},    {1, 1e6, 1},
                                      {1, 1, 1e6},  {1e9, 1e-6, 1e3}, {0x1p40, 0x1p-20, 4}};
    static judge_case other;
    double y[CASE_ROWS];
    bool custom = false, soft = false;
    for (int r = 0; r < c->m; r++)
        soft = soft || c->C[r] != 0.0; /* of the rows as they are: other tangents would be another problem */
    for (int i = 0; i < c->blocks; i++)
        custom = custom || c->block[i].set == CAIRN_SET_CUSTOM;
    const double *u = units[change % 6];
    if (!custom) { /* which have a size of their own */
        other = *c;
        memcpy(y, g, sizeof y);
        case_units(&other, u[0], u[1], u[2], y);
        bool finite = true;
        for (int r = 0; r < c->m; r++)
            finite = finite && isfinite(y[r]) == isfinite(g[r]);
        if (finite)
            compare(UNITS, c, x, change, g, X, figure_told(context, &other, y) * u[2] / u[1]);
    }
    other = *c;
    memcpy(y, g, sizeof y);
    case_reverse(&other, y);
    compare(ORDER, c, x, change, g, X, figure_told(context, &other, y));
    if (soft)
        return;
    other = *c;
    memcpy(y, g, sizeof y);
    case_turn(&other, 0.7 + change, y);
    compare(TANGENTS, c, x, change, g, X, figure_told(context, &other, y));
}

/* ---- the second door ----------------------------------------------------------------------------------------------------- */

/* Exit code of `cairn check`, -1 where the file cannot hold the problem. */
static int check_code(cairn_context *context, const judge_case *c, cairn_problem *problem, const double *g,
                      double tolerance) {
    char path[64], command[512];
    struct stat there;
    const char *program = getenv("CAIRN") != NULL ? getenv("CAIRN") : "../cairn";
    double r[CASE_ROWS], u[CASE_ROWS] = {0};
    if (stat(program, &there) != 0 || c->has_angular)
        return -1;
    snprintf(path, sizeof path, "judge_harness_%ld.hdf5", (long)getpid());
    memcpy(r, g, sizeof r);
    cairn_file file = {
        .problem = problem, .spacedim = 3, .local = c->local, .context = context, .solution = {.u = u, .r = r}};
    for (int i = 0; i < c->blocks; i++) {
        bool cone = c->block[i].set == CAIRN_SET_CONE;
        file.contacts += cone;
        file.equalities += c->block[i].set == CAIRN_SET_BILATERAL ? c->block[i].dim : 0;
        file.spacedim = cone ? c->block[i].dim : file.spacedim;
        if (c->block[i].set == CAIRN_SET_CUSTOM)
            return -1;
    }
    if (cairn_file_write(context, path, &file) != CAIRN_OK) /* as it does when a number is not finite */
        return -1;
    snprintf(command, sizeof command, "%s check %s --law %s --tol %g > /dev/null 2> /dev/null", program, path,
             cairn_law_name(c->law), tolerance);
    int code = system(command);
    remove(path);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -2;
}

static void check_door(cairn_context *context, const judge_case *c, cairn_problem *problem, int change,
                       const double *g) {
    double tolerance = change % 2 == 0 ? 1e-4 : 1e-8;
    cairn_certificate told;
    CHECK(cairn_certify(problem, NULL, g, tolerance, &told, NULL, NULL) == CAIRN_OK);
    int code = check_code(context, c, problem, g, tolerance);
    if (code == -1)
        return;
    checks++;
    if ((code == 0) != told.certified)
        violate(DOORS, c, change, code, told.certified ? 0.0 : 1.0);
}

/* ---- all cases ----------------------------------------------------------------------------------------------------------- */

static void run_case(cairn_context *context, const judge_case *c, int number) {
    cairn_problem *problem = case_problem(context, c);
    cairn_judge *judge = NULL;
    CHECK(problem != NULL);
    if (problem == NULL)
        return;
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    examiner x = examiner_make(problem);
    if (c->manufactured && examiner_off_graph(&x, c->gamma, c->u) >= 0)
        violate(OFF_GRAPH, c, -1, examiner_off_graph(&x, c->gamma, c->u), -1.0);
    for (int change = 0; change < CHANGES; change++) {
        double g[CASE_ROWS];
        change_impulses(c, change, g);
        double X = judge_answer(c, &x, judge, change, g);
        if (c->manufactured && c->lambda > 0.0)
            judge_given(c, &x, problem, change, g);
        if ((change + number) % 5 == 0)
            tell_otherwise(context, c, &x, change, g, X);
        if ((change + 7 * number) % 37 == 0)
            check_door(context, c, problem, change, g);
    }
    if (!c->local && c->manufactured)
        judge_motions(c, &x, problem);
    examiner_end(&x);
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
}

static judge_case made;

TEST(manufactured) {
    cairn_context *context = plain_context(1);
    test_random random = {20261};
    for (int i = 0; i < 120; i++) {
        cairn_law law = i % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED;
        double ratio = i % 7 == 3 ? 1e12 : i % 7 == 5 ? 1e-6 : 1.0;
        case_global(&made, &random, law, 3 + i % 4, i, i % 3, case_friction(i / 2), ratio, i % 5 == 4);
        for (int r = 0; r < made.m && i % 8 == 6; r++) /* some rows give way */
            made.C[r] = 0.1 * test_random_unit(&random);
        made.has_angular = i % 8 == 7;
        for (int b = 0; b < made.blocks && made.has_angular; b++)
            for (int r = 0; r < made.block[b].dim; r++)
                made.angular[case_start(&made, b) + r] = b % 3 == 0;
        case_finish(&made);
        run_case(context, &made, i);
        case_local(&made, &random, law, 2 + i % 5, i, 1 + i % 2, case_friction(i), 1 + i % 5, i % 3 == 0 ? 0.0 : 0.1);
        run_case(context, &made, i);
    }
    cairn_context_destroy(context);
}

TEST(by_hand) {
    cairn_context *context = plain_context(1);
    for (int i = 0; i < 40; i++) {
        double mass = i % 3 == 0 ? 1e-12 : i % 3 == 1 ? 1.0 : 1e12;
        case_ball(&made, mass, case_friction(i), i % 4 == 3 ? 0.3 : -0.5, i % 2 == 0 ? 0.4 : -40.0);
        run_case(context, &made, i);
    }
    for (int K = 1; K <= 40; K += 3)
        for (int i = 0; i < 4; i++) {
            case_row(&made, K, i < 2 ? 1.0 : 0.0, i % 2 == 0 ? 1.0 : 1e9, CAIRN_LAW_COULOMB, false);
            run_case(context, &made, K + i);
        }
    cairn_context_destroy(context);
}

/* The same joint three times: reactions are not unique, and any share of them is right. */
TEST(redundant_joints) {
    cairn_context *context = plain_context(1);
    test_random random = {5};
    for (int i = 0; i < 10; i++) {
        case_global(&made, &random, i % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED, 3, 0, 0, 0.5, 1.0,
                    i % 3 == 0);
        int first = made.m;
        for (int j = 0; j < 3; j++) {
            made.block[made.blocks++] = (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 3};
            for (int r = 0; r < 3; r++, made.m++) {
                made.gamma[made.m] = test_random_signed(&random);
                made.stress[made.m] = j == 2 ? -2.0 : 1.0;
                for (int row = 0; row < made.n; row++)
                    made.D[row * CASE_ROWS + made.m] = j == 0 ? test_random_signed(&random)
                                                              : made.D[row * CASE_ROWS + first + r];
            }
        }
        case_finish(&made);
        run_case(context, &made, i);
        cairn_problem *problem = case_problem(context, &made);
        double g[CASE_ROWS];
        cairn_certificate told;
        for (int r = 0; r < made.m; r++)
            g[r] = made.gamma[r] + 1e3 * made.stress[r];
        CHECK(cairn_certify(problem, NULL, g, 1e-8, &told, NULL, NULL) == CAIRN_OK);
        if (!told.certified)
            violate(RIGHT_FAILED, &made, 200, told.relative, 1e-8);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* Two heaps that do not touch: what is fast in one does not excuse the other. */
TEST(two_components) {
    cairn_context *context = plain_context(1);
    case_ball(&made, 1.0, 0.5, -1e9, 0.0);
    judge_case slow;
    case_ball(&slow, 1.0, 0.5, -1e-3, 0.0);
    made.n = made.m = 6;
    made.blocks = 2;
    made.block[1] = made.block[0];
    for (int i = 0; i < 3; i++) {
        made.H[(3 + i) * CASE_ROWS + 3 + i] = made.D[(3 + i) * CASE_ROWS + 3 + i] = 1.0;
        made.k[3 + i] = slow.k[i];
        made.gamma[3 + i] = slow.gamma[i];
        made.u[3 + i] = slow.u[i];
    }
    run_case(context, &made, 0);
    cairn_problem *problem = case_problem(context, &made);
    double v[6];
    cairn_certificate told;
    CHECK(cairn_certify(problem, NULL, made.gamma, 1e-8, &told, NULL, v) == CAIRN_OK && told.certified);
    v[3] = -1e-3; /* the slow ball goes on as if there were no floor */
    CHECK(cairn_certify(problem, v, made.gamma, 1e-8, &told, NULL, NULL) == CAIRN_OK);
    if (told.certified)
        violate(WRONG_PASSED, &made, 300, told.motion, 0.0);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* ---- the third door ------------------------------------------------------------------------------------------------------ */

/* Balls in a row between two blocks that close in: no step can be right once all touch. */
TEST(step_between_closing_walls) {
    for (int K = 1; K <= 9; K += 4) {
        scene s = scene_make_to(1e-6, 1, 0.01, 0.5, 0.0, (cairn_vec3){0, 0, 0});
        for (int side = -1; side <= 1; side += 2) {
            cairn_body wall = scene_box(&s, (cairn_vec3){0.5, 2, 2}, CAIRN_BODY_KINEMATIC,
                                        cairn_pose_at(side * (0.5 + 0.1 * K), 0, 0));
            CHECK(cairn_world_set_velocity(s.world, wall, (cairn_vec3){-side, 0, 0}, (cairn_vec3){0, 0, 0}) ==
                  CAIRN_OK);
        }
        for (int i = 0; i < K; i++)
            scene_ball(&s, 0.1, (cairn_vec3){0.1 * (2 * i + 1 - K), 0, 0}, (cairn_vec3){0, 0, 0});
        for (int i = 0; i < 3; i++) {
            cairn_step_report r;
            CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
            judgements++;
            if (r.certified) {
                snprintf(made.name, sizeof made.name, "step: %d balls between closing walls", K);
                violate(WRONG_PASSED, &made, i, r.info.certificate.error, 2.0 / (K + 1));
            }
        }
        scene_end(&s);
    }
}

/* A light ball falls on a heavy one that lies on the floor: it stops, or the step says no. */
TEST(step_light_on_heavy) {
    for (int decade = 0; decade <= 12; decade += 3) {
        scene s = scene_make_to(1e-6, 1, 0.01, 0.5, 0.0, (cairn_vec3){0, 0, 0});
        scene_plane(&s, cairn_quat_identity());
        scene_ball(&s, 1.0, (cairn_vec3){0, 0, 1}, (cairn_vec3){0, 0, 0});
        cairn_shape *shape = NULL;
        CHECK(cairn_shape_sphere(s.context, 0.1, &shape) == CAIRN_OK);
        cairn_body_def def = cairn_default_body_def();
        cairn_body light;
        def.shape = shape;
        def.density = 1e6 * pow(10.0, -decade);
        def.pose = cairn_pose_at(0, 0, 2.1);
        def.velocity = (cairn_vec3){0, 0, -0.2};
        def.material = s.material;
        CHECK(cairn_world_add_body(s.world, &def, &light) == CAIRN_OK);
        cairn_shape_release(shape);
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        judgements++;
        double speed = scene_state(&s, light).velocity.z;
        snprintf(made.name, sizeof made.name, "step: a ball on one 1e%d times heavier", decade - 3);
        if (r.certified && fabs(speed) > 1e-4)
            violate(WRONG_PASSED, &made, decade, speed, 0.0);
        if (!r.certified)
            violate(RIGHT_FAILED, &made, decade, r.info.certificate.error, 0.0);
        scene_end(&s);
    }
}

/* An impulse whose square overflows in double: a contact that leaves with 1.5 m/s must not be certified with a push at its cap. */
TEST(squares_that_overflow) {
    cairn_context *context = plain_context(1);
    case_ball(&made, 1.0, 1e4, 1.5, 0.0);
    snprintf(made.name, sizeof made.name, "capped cone, tangent impulse 1e300");
    made.H[2 * CASE_ROWS + 2] = 2.0;
    made.block[0].set = CAIRN_SET_CAPPED_CONE;
    made.block[0].cap = 0.8;
    cairn_problem *problem = case_problem(context, &made);
    cairn_judge *judge = NULL;
    examiner x = examiner_make(problem);
    CHECK(cairn_judge_create(problem, &judge) == CAIRN_OK);
    double g[CASE_ROWS] = {0.0, 1e300, 0.0};
    judge_answer(&made, &x, judge, 400, g);
    examiner_end(&x);
    cairn_judge_destroy(judge);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(no_violations) {
    printf("%d judgements, %d certified, %d runs of cairn check\n", judgements, certified_count, checks);
    for (int i = 0; i <= CAIRN_SET_CUSTOM && violations[OFF_GRAPH] > 0; i++)
        printf("    off the graph: %s %d\n", cairn_set_name((cairn_set_kind)i), off_set[i]);
    for (int i = 0; i < KINDS; i++) {
        printf("    %-50s %d\n", kind_name[i], violations[i]);
        CHECK(violations[i] == 0);
    }
    CHECK(judgements > 10000 && certified_count > 1000 && checks > 100);
}

int main(void) {
    RUN(manufactured);
    RUN(by_hand);
    RUN(redundant_joints);
    RUN(two_components);
    RUN(step_between_closing_walls);
    RUN(step_light_on_heavy);
    RUN(squares_that_overflow);
    RUN(no_violations);
    return test_end();
}
