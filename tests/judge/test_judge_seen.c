/*
 * test_judge_seen.c: cases that an earlier certificate called right though they were wrong: slopes and floors with much friction, bodies between closing walls, light beside
 * heavy, problems without an answer, problems in other units. Nothing wrong may be called solved; judge_law.h says what is wrong.
 */
#include "support/judge_cases.h"
#include "support/world_scene.h"

static judge_case made;

/* ---- worlds ----------------------------------------------------------------------------------------------------------- */

#define SLOPE 0.3490658503988659 /* 20 degrees */

/* Axis of the cylinder across the slope (0): it rolls, at 2/3 g sin; along it (1) or upright (2): it sticks. */
static void cylinder_on_slope(double mu, double tolerance, int axis) {
    const double h = 0.01, g = 9.81;
    scene s = scene_make_to(tolerance, 1, h, mu, 0.0, (cairn_vec3){g * sin(SLOPE), 0, -g * cos(SLOPE)});
    cairn_shape *shape = NULL;
    double half = sqrt(0.5);
    cairn_quat turn[] = {{half, half, 0, 0}, {half, 0, half, 0}, {1, 0, 0, 0}};
    scene_plane(&s, cairn_quat_identity());
    CHECK(cairn_shape_cylinder(s.context, 0.5, 0.5, &shape) == CAIRN_OK);
    cairn_vec3 none = {0, 0, 0};
    cairn_body body = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, (cairn_pose){{0, 0, 0.5}, turn[axis]}, none, none);
    int certified = 0, steps = 30;
    for (int i = 1; i <= steps; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        certified += r.certified;
        cairn_body_state st = scene_state(&s, body);
        double speed = axis == 0 ? 2.0 / 3.0 * g * sin(SLOPE) * h * i : 0.0, allowed = 100.0 * tolerance * i + 1e-9;
        if (certified == i) { /* all so far: what the certificate allows may have summed up, and no more */
            CHECK_NEAR(st.velocity.x, speed, allowed + 0.02 * speed);
            CHECK(st.center.z > 0.5 - 100.0 * tolerance * h * i - 1e-6);
        }
    }
    printf("cylinder, mu %g, tolerance %g, axis %d: %d of %d steps certified\n", mu, tolerance, axis, certified, steps);
    scene_end(&s);
}

TEST(cylinders) {
    for (int axis = 0; axis < 3; axis++) {
        cylinder_on_slope(1e4, 1e-4, axis);
        cylinder_on_slope(1e6, 1e-6, axis);
        cylinder_on_slope(0.5, 1e-6, axis);
    }
}

TEST(ball_on_floor) {
    scene s = scene_make_to(1e-3, 1, 0.01, 1e3, 0.0, (cairn_vec3){0, 0, -9.81});
    scene_plane(&s, cairn_quat_identity());
    cairn_body ball = scene_ball(&s, 0.1, (cairn_vec3){0, 0, 0.3}, (cairn_vec3){0.5, 0, 0});
    int certified = 0;
    for (int i = 1; i <= 100; i++) {
        cairn_step_report r;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        certified += r.certified;
        if (certified == i)
            CHECK(scene_state(&s, ball).center.z > 0.09);
    }
    printf("ball, mu 1000, tolerance 0.001: %d of 100 steps certified, at %g m\n", certified,
           scene_state(&s, ball).center.z);
    scene_end(&s);
}

/* ---- one solve ---------------------------------------------------------------------------------------------------------- */

typedef struct solved {
    bool tried;
    cairn_outcome outcome;
    cairn_certificate certificate;
    bool wrong; /* called solved, and the examiner says no */
} solved;

/* x NULL: only the outcome is wanted. */
static solved solve(cairn_context *context, cairn_problem *problem, const examiner *x, const char *method,
                    double tolerance, int iterations, double *u, double *gamma) {
    cairn_settings settings = cairn_default_settings(method);
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    solved result = {0};
    settings.tolerance = tolerance;
    settings.max_iterations = iterations;
    cairn_problem_view p = cairn_problem_get(problem);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    if (cairn_solver_load(solver, problem) == CAIRN_OK &&
        cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK) {
        result.tried = true;
        result.outcome = info.outcome;
        result.certificate = info.certificate;
        if (u != NULL)
            memcpy(u, answer.u, (size_t)p.m * sizeof *u);
        if (gamma != NULL)
            memcpy(gamma, answer.gamma, (size_t)p.m * sizeof *gamma);
        if (info.outcome == CAIRN_SOLVED && x != NULL) {
            int off = examiner_off_graph(x, answer.gamma, answer.u);
            wide excess = examiner_excess(x, tolerance, answer.gamma, answer.u);
            result.wrong = off >= 0 || !(excess <= 1.0L + 1e-9L) || !info.certificate.certified;
            if (result.wrong)
                printf("%s, %s, %g: solved, yet block %d is off its graph, excess %Lg\n", method, cairn_law_name(p.law),
                       tolerance, off, excess);
        }
    }
    cairn_solver_destroy(solver);
    return result;
}

TEST(closing_walls) {
    cairn_context *context = plain_context(1);
    const int count[] = {8, 20, 40};
    for (int i = 0; i < 3; i++) {
        case_row(&made, count[i], 1.0, 1.0, CAIRN_LAW_COULOMB, false);
        cairn_problem *problem = case_problem(context, &made);
        for (int t = 0; t < 2; t++)
            for (int m = 0; m < cairn_method_count(); m++) {
                cairn_method_info info;
                CHECK(cairn_method_get(m, &info) == CAIRN_OK);
                solved r = solve(context, problem, NULL, info.name, t == 0 ? 1e-4 : 1e-8, 2000, NULL, NULL);
                CHECK(!(r.tried && r.outcome == CAIRN_SOLVED));
            }
        for (double G = 1.0; G <= 1e18; G *= 10.0)
            for (int shape = 0; shape < 3; shape++) { /* even, with the best slope, with a hump */
                double gamma[CASE_ROWS];
                cairn_certificate told;
                for (int r = 0; r < made.m; r++)
                    gamma[r] = G + (shape == 1 ? fabs(r - 0.5 * count[i]) / count[i] : shape == 2 ? G * (r % 3) : 0.0);
                CHECK(cairn_certify(problem, NULL, gamma, 1e-4, &told, NULL, NULL) == CAIRN_OK);
                CHECK(!told.certified && told.error >= made.least * (1.0 - 1e-12));
            }
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* A heavy body comes down on the floor at 1 m/s, a light one beside it at 0.2 m/s; a third contact, open, is between them. */
TEST(light_beside_heavy) {
    cairn_context *context = plain_context(1);
    int passed = 0;
    for (double mass = 1e8; mass <= 1e16; mass *= 10.0) {
        case_row(&made, 2, 0.0, 1.0, CAIRN_LAW_COULOMB, false);
        made.H[0] = mass;
        memset(made.D, 0, sizeof made.D);
        made.D[0] = made.D[CASE_ROWS + 1] = 1.0;
        made.D[2] = 1.0, made.D[CASE_ROWS + 2] = -1.0;
        made.k[0] = -mass;
        made.k[1] = -0.2;
        made.b[2] = 2.0;
        cairn_problem *problem = case_problem(context, &made);
        examiner x = examiner_make(problem);
        cairn_certificate told;
        for (double part = 0.0; part < 0.99; part += 0.1) {
            double gamma[3] = {mass, 0.2 * part, 0.0}; /* the light one is stopped in part */
            CHECK(cairn_certify(problem, NULL, gamma, 1e-4, &told, NULL, NULL) == CAIRN_OK);
            passed += told.certified;
        }
        double right[3] = {mass, 0.2, 0.0};
        CHECK(cairn_certify(problem, NULL, right, 1e-8, &told, NULL, NULL) == CAIRN_OK && told.certified);
        for (int t = 0; t < 2; t++)
            CHECK(!solve(context, problem, &x, "auto", t == 0 ? 1e-4 : 1e-8, 2000, NULL, NULL).wrong);
        examiner_end(&x);
        cairn_problem_destroy(problem);
    }
    printf("light beside heavy: %d wrong answers pass\n", passed);
    CHECK(passed == 0);
    cairn_context_destroy(context);
}

/* ---- random problems ------------------------------------------------------------------------------------------------------ */

TEST(random_problems) {
    cairn_context *context = plain_context(1);
    test_random random = {1};
    int count = 0, wrong = 0, certified = 0;
    for (int i = 0; i < 300; i++) {
        cairn_law law = i % 2 == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED;
        double mu = case_friction(2 + (i / 2) % 6);
        if (i % 3 == 0)
            case_local(&made, &random, law, 2 + i % 5, 0, 0, mu, 1 + i % 4, 0.0);
        else
            case_global(&made, &random, law, 2 + i % 5, 0, 0, mu, i % 4 == 1 ? 1e6 : 1.0, i % 7 == 0);
        for (int r = 0; r < made.m && i % 5 != 0; r++) /* any data: with rank missing there may be no answer */
            made.b[r] = test_random_signed(&random);
        cairn_problem *problem = case_problem(context, &made);
        examiner x = examiner_make(problem);
        solved r = solve(context, problem, &x, "auto", i % 4 < 2 ? 1e-4 : 1e-8, 400, NULL, NULL);
        count += r.tried;
        certified += r.outcome == CAIRN_SOLVED;
        wrong += r.wrong;
        examiner_end(&x);
        cairn_problem_destroy(problem);
    }
    printf("random problems: %d tried, %d solved, %d wrong\n", count, certified, wrong);
    CHECK(count == 300 && certified > 150 && wrong == 0);
    cairn_context_destroy(context);
}

/* No answer: d in the cone with D d = 0 and b'd < 0, all in small integers, so that nothing is rounded. Then every u = D'v + b has u'd = b'd < 0,
 * and u must be in the dual cone. Least X: -b'd / sum |d_i|. */
static void without_answer(test_random *random, int number) {
    bool cones = number % 2 == 0;
    int d[CASE_ROWS], sum = 0;
    memset(&made, 0, sizeof made);
    snprintf(made.name, sizeof made.name, "plane problem %d without an answer", number);
    made.law = CAIRN_LAW_ASSOCIATED;
    made.body = 1;
    made.blocks = 3 + number % 4;
    made.n = 2 + number % 3;
    double length = 0.0;
    for (int i = 0; i < made.blocks; i++) {
        made.block[i] = cones ? (cairn_block){.set = CAIRN_SET_CONE, .dim = 2, .mu = 1.0}
                              : (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
        d[made.m] = 1 + (int)(test_random_bits(random) % 2);
        length += d[made.m];
        made.m++;
        if (cones) {
            d[made.m] = (int)(test_random_bits(random) % 3) - 1;
            length += hypot(d[made.m - 1], d[made.m]) - d[made.m - 1];
            made.m++;
        }
    }
    for (int row = 0; row < made.n; row++) {
        made.H[row * CASE_ROWS + row] = 1.0;
        for (int i = 0; i < 3 + made.m; i++) {
            int p = (int)(test_random_bits(random) % (uint64_t)made.m),
                q = (int)(test_random_bits(random) % (uint64_t)made.m);
            if (p == q)
                continue;
            made.D[row * CASE_ROWS + p] += d[q];
            made.D[row * CASE_ROWS + q] -= d[p];
        }
    }
    for (int r = 0; r < made.m; r++) {
        made.b[r] = (int)(test_random_bits(random) % 5) - 2;
        sum += (int)made.b[r] * d[r];
    }
    while (sum >= 0) {
        made.b[0] -= 1.0;
        sum -= d[0];
    }
    made.least = -sum / length;
}

TEST(no_answer) {
    static const char *const method[] = {"auto", "padmm", "splitmetric", "pgs", "ipm", "nncg"};
    cairn_context *context = plain_context(1);
    test_random random = {52};
    int tried = 0, called_solved = 0, called_infeasible = 0;
    for (int i = 0; i < 60; i++) {
        without_answer(&random, i);
        cairn_problem *problem = case_problem(context, &made);
        for (int m = 0; m < 6; m++)
            for (int t = 0; t < 2; t++) {
                double gamma[CASE_ROWS];
                cairn_certificate told;
                solved r = solve(context, problem, NULL, method[m], t == 0 ? 1e-4 : 1e-8, 1000, NULL, gamma);
                tried += r.tried;
                called_solved += r.tried && r.outcome == CAIRN_SOLVED;
                called_infeasible += r.tried && r.outcome == CAIRN_INFEASIBLE;
                if (!r.tried)
                    continue;
                CHECK(cairn_certify(problem, NULL, gamma, 1e-4, &told, NULL, NULL) == CAIRN_OK);
                CHECK(!told.certified && told.error >= made.least * (1.0 - 1e-12));
            }
        cairn_problem_destroy(problem);
    }
    printf("no answer: %d solves, %d called solved, %d called infeasible\n", tried, called_solved, called_infeasible);
    CHECK(tried > 500 && called_solved == 0);
    cairn_context_destroy(context);
}

/* ---- all methods ------------------------------------------------------------------------------------------------------------ */

TEST(methods) {
    cairn_context *context = plain_context(1);
    int tried = 0, called_solved = 0, wrong = 0;
    for (int k = 0; k < cairn_sample_count(); k++) {
        cairn_sample_info sample;
        CHECK(cairn_sample_get(k, &sample) == CAIRN_OK);
        cairn_sample_def def = cairn_default_sample_def(sample.name);
        cairn_problem *problem = NULL;
        def.count = strcmp(sample.name, "wall") == 0 ? 3 : def.count > 10 ? 10 : def.count;
        def.layers = def.layers > 3 ? 3 : def.layers;
        if (def.place > def.count)
            def.place = def.count;
        if (cairn_sample_create(context, &def, &problem) != CAIRN_OK) {
            printf("%s: %s\n", sample.name, cairn_error_message(context));
            CHECK(false);
            continue;
        }
        cairn_problem_view p = cairn_problem_get(problem);
        for (int law = 0; law < 2 && p.m <= 400; law++) {
            CHECK(cairn_problem_set_law(problem, (cairn_law)law) == CAIRN_OK);
            examiner x = examiner_make(problem);
            for (int m = 0; m < cairn_method_count(); m++)
                for (int t = 0; t < 2; t++) {
                    cairn_method_info info;
                    CHECK(cairn_method_get(m, &info) == CAIRN_OK);
                    solved r = solve(context, problem, &x, info.name, t == 0 ? 1e-4 : 1e-8, 2000, NULL, NULL);
                    tried += r.tried;
                    called_solved += r.tried && r.outcome == CAIRN_SOLVED;
                    wrong += r.wrong;
                }
            examiner_end(&x);
        }
        cairn_problem_destroy(problem);
    }
    printf("methods: %d solves, %d called solved, %d of them wrong\n", tried, called_solved, wrong);
    CHECK(called_solved > 200 && wrong == 0);
    cairn_context_destroy(context);
}

/* ---- units ------------------------------------------------------------------------------------------------------------------ */

/* The same with masses and lengths in other units; bodies have three rows in m/s, then three in rad/s. */
static cairn_problem *in_units(cairn_context *context, const cairn_problem *problem, double mass, double length) {
    cairn_problem_view p = cairn_problem_get(problem);
    size_t h = (size_t)p.H_start[p.n], d = (size_t)p.D_start[p.m];
    double *H = calloc(h, sizeof *H), *D = calloc(d, sizeof *D), *k = calloc((size_t)p.n, sizeof *k),
           *b = calloc((size_t)p.m, sizeof *b);
    for (int j = 0; j < p.n; j++) {
        double a = j % 6 < 3 ? 1.0 : length;
        k[j] = p.k[j] * mass * length * a;
        for (int e = p.H_start[j]; e < p.H_start[j + 1]; e++)
            H[e] = p.H_value[e] * mass * a * (p.H_index[e] % 6 < 3 ? 1.0 : length);
    }
    for (int r = 0; r < p.m; r++) {
        b[r] = p.b[r] * length;
        for (int e = p.D_start[r]; e < p.D_start[r + 1]; e++)
            D[e] = p.D_value[e] * (p.D_index[e] % 6 < 3 ? 1.0 : length);
    }
    cairn_problem_def def = cairn_default_problem_def();
    cairn_problem *made_problem = NULL;
    def.law = p.law, def.n = p.n, def.m = p.m, def.k = k, def.b = b, def.blocks = p.blocks, def.block = p.block;
    def.bodies = p.bodies, def.body_start = p.body_start;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = p.n, .cols = p.n, .start = p.H_start, .row = p.H_index, .value = H};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = p.n, .cols = p.m, .start = p.D_start, .row = p.D_index, .value = D};
    CHECK(cairn_problem_create(context, &def, &made_problem) == CAIRN_OK);
    free(H), free(D), free(k), free(b);
    return made_problem;
}

TEST(units) {
    char path[512];
    if (!shared_path("box_stacks/Box_Stacks-i0024-549-101.hdf5", path, sizeof path)) {
        SKIP("no FCLIB test data");
        return;
    }
    cairn_context *context = plain_context(1);
    cairn_file file;
    CHECK(cairn_file_read(context, path, &file) == CAIRN_OK);
    cairn_problem_view p = cairn_problem_get(file.problem);
    static const double unit[][2] = {{1, 1}, {1e9, 1}, {1, 1e6}, {1e9, 1e6}};
    size_t m = (size_t)p.m;
    double *u = calloc(2 * m, sizeof *u), *gamma = calloc(m, sizeof *gamma), *first = u + m, largest = 0.0;
    cairn_judge *judge = NULL;
    CHECK(cairn_judge_create(file.problem, &judge) == CAIRN_OK);
    for (int i = 0; i < 16; i++) {
        CHECK(cairn_problem_set_law(file.problem, i < 8 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
        cairn_problem *other = in_units(context, file.problem, unit[i % 4][0], unit[i % 4][1]);
        double off = 0.0, slip = 0.0, tolerance = i % 8 < 4 ? 1e-4 : 1e-8;
        solved r = solve(context, other, NULL, "auto", tolerance, 3000, NULL, gamma);
        cairn_certificate told;
        cairn_judged judged;
        for (size_t j = 0; j < m; j++)
            gamma[j] /= unit[i % 4][0] * unit[i % 4][1];
        cairn_question q = {.gamma = gamma, .limits = {.relative = tolerance}};
        CHECK(cairn_judge_ask(judge, &q, &told, &judged) == CAIRN_OK);
        largest = i % 4 == 0 ? 0.0 : largest;
        for (size_t j = 0; j < m; j++) {
            u[j] = judged.u[j] - judged.shift[j]; /* the motion as it is, without the shift */
            slip = fmax(slip, fabs(judged.u[j]));
            if (i % 4 == 0) {
                first[j] = u[j];
                largest = fmax(largest, fabs(u[j]));
            }
            off = fmax(off, fabs(u[j] - first[j]));
        }
        printf("%s, tolerance %g, masses x %g, lengths x %g: %s, X/s = %.3g there, %.3g here; largest u' %.3g, D'v + b "
               "%.3g, X %.3g, s %.3g "
               "m/s; differs by %.3g\n",
               cairn_law_name(told.law), tolerance, unit[i % 4][0], unit[i % 4][1], cairn_outcome_name(r.outcome),
               r.certificate.relative, told.relative, slip, largest, told.error, told.scale, off);
        if (r.outcome == CAIRN_SOLVED) { /* an answer is one in any units */
            CHECK(told.relative <= 1.01 * tolerance);
            if (off > 1e-3 * largest)
                printf("    %s\n", off <= 4.0 * told.error
                                       ? "the difference is within what the shifts allow"
                                       : "both are exact for such shifts: the answer is not unique");
        }
        cairn_problem_destroy(other);
    }
    cairn_judge_destroy(judge);
    free(u);
    free(gamma);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(cylinders);
    RUN(ball_on_floor);
    RUN(closing_walls);
    RUN(light_beside_heavy);
    RUN(random_problems);
    RUN(no_answer);
    RUN(methods);
    RUN(units);
    return test_end();
}
