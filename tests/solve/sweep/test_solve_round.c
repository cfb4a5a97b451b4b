/*
 * test_solve_round.c: sweeps over contacts between balls by frames and arms: they are found where they are, and nowhere else; velocities,
 * natural map and the law of a contact just visited are those of the problem's own matrices; impulses of the wrong size get the right one; the answer is
 * that of the general sweeps.
 */
#include "support/support.h"

#include "solve/sweep/sphere_kernel.h"

#include <math.h>
#include <string.h>

/* A problem with all that the sweeps ask of a run. */
typedef struct bench {
    cairn_context *context;
    cairn_problem *problem;
    cairn_settings settings;
    cairn_run run;
    cairn_sphere_kernel round;
    double *scale, *gamma, *v, *u;
} bench;

/* Nothing is spoiled. */
#define WHOLE (-1)

/* entry: of the dense rows of this block, counted from the last one on, to be changed a little; or WHOLE. */
static void open_bench(bench *b, const char *name, cairn_law law, int block, int entry) {
    cairn_sample_def def = cairn_default_sample_def(name);
    *b = (bench){.settings = cairn_default_settings("nncg")};
    CHECK(cairn_context_create(NULL, &b->context) == CAIRN_OK);
    def.count = 60;
    def.law = law;
    CHECK(cairn_sample_create(b->context, &def, &b->problem) == CAIRN_OK);
    cairn_problem *p = b->problem;
    if (entry != WHOLE)
        p->body.dense[p->body.dense_start[p->blocks - 1 - block] + entry] += 1e-6;
    b->scale = calloc((size_t)p->m, sizeof *b->scale);
    b->gamma = calloc((size_t)p->m, sizeof *b->gamma);
    b->u = calloc((size_t)p->m, sizeof *b->u);
    b->v = calloc((size_t)p->n, sizeof *b->v);
    b->run = (cairn_run){.context = b->context, .problem = p, .settings = &b->settings, .row_scale = b->scale};
    CHECK(cairn_operator_create(p, &b->run.op) == CAIRN_OK);
    for (int j = 0; j < p->m; j++)
        b->scale[j] = cairn_operator_scale(b->run.op)[j / 3];
    int groups = 0, *place = calloc((size_t)p->blocks, CAIRN_CONTACT_KERNEL_LANES * sizeof *place);
    CHECK(cairn_contact_kernel_fits(p) && cairn_contact_kernel_arrange(p, place, &groups) == CAIRN_OK);
    CHECK(cairn_sphere_kernel_create(&b->run, groups, place, &b->round) == CAIRN_OK);
    free(place);
}

static void close_bench(bench *b) {
    cairn_sphere_kernel_free(b->context, &b->round);
    cairn_operator_destroy(b->run.op);
    cairn_problem_destroy(b->problem);
    cairn_context_destroy(b->context);
    free(b->scale);
    free(b->gamma);
    free(b->u);
    free(b->v);
}

/* u of the impulses in the sweeps, from the problem's matrices. */
static void find_slip(bench *b) {
    cairn_sphere_kernel_get(&b->round, b->gamma);
    cairn_operator_velocity(b->run.op, b->gamma, b->v);
    cairn_operator_slip(b->run.op, b->v, b->gamma, b->u);
}

/* |gamma - P(gamma - u~/n)| of one block. */
static double miss(const bench *b, int block) {
    const cairn_block *own = &b->problem->block[block];
    int row = 3 * block;
    const double *gamma = b->gamma + row, *u = b->u + row;
    double phi = b->problem->law == CAIRN_LAW_COULOMB ? own->mu * hypot(u[1], u[2]) : 0.0, x[3], square = 0.0;
    for (int c = 0; c < 3; c++)
        x[c] = gamma[c] - (u[c] + (c == 0 ? phi : 0.0)) / b->scale[row];
    cairn_set_get(CAIRN_SET_CONE)->project(own, x, x);
    for (int c = 0; c < 3; c++)
        square += (x[c] - gamma[c]) * (x[c] - gamma[c]);
    return sqrt(square);
}

static bool is_round(const char *name, int block, int entry) {
    bench b;
    open_bench(&b, name, CAIRN_LAW_COULOMB, block, entry);
    bool found = b.round.memory != NULL;
    close_bench(&b);
    return found;
}

TEST(balls_are_found_and_nothing_else) {
    CHECK(is_round("pile", 0, WHOLE));
    CHECK(is_round("spheres", 0, WHOLE));
    CHECK(!is_round("cairn", 0, WHOLE));
}

/* One number of one contact that is not as it should be is enough, in every lane: frames, the other body's, torques. The bodies of the last contacts are
 * known from earlier ones. */
TEST(one_number_is_enough) {
    bench b;
    open_bench(&b, "pile", CAIRN_LAW_COULOMB, 0, WHOLE);
    int blocks = b.problem->blocks, width[4];
    for (int i = 0; i < 4; i++)
        width[i] = b.problem->body.width[blocks - 1 - i];
    close_bench(&b);
    for (int i = 0; i < 4; i++)
        for (int e = 0; e < 3 * width[i]; e++)
            CHECK(i > 0 && e % 6 > 2 && e / width[i] > 0 ? true : !is_round("pile", i, e));
}

static void check_sweeps(const char *name, cairn_law law) {
    bench b;
    open_bench(&b, name, law, 0, WHOLE);
    if (b.round.memory == NULL)
        return;
    cairn_sphere_kernel_put(&b.round, NULL);
    cairn_sphere_kernel_change last = {0};
    for (int i = 0; i < 8; i++)
        last = cairn_sphere_kernel_iterate(&b.round, i > 1 ? 0.5 : 0.0, 1.0);
    double v_error = 0.0, visited = 0.0, error = 0.0, impulse = 0.0, slip = 0.0, worst = 0.0, most = 0.0;
    find_slip(&b);
    for (int body = 0; body < b.problem->bodies; body++)
        for (int c = 0; c < 3; c++)
            v_error = fmax(v_error, fabs(b.round.v[8 * body + c] - b.v[6 * body + c]));
    for (int l = 0; l < CAIRN_CONTACT_KERNEL_LANES; l++) /* the group that the sweep backwards ended with */
        if (b.round.row[l] >= 0)
            visited = fmax(visited, miss(&b, b.round.row[l] / 3));
    for (int i = 0; i < b.problem->blocks; i++) {
        double n = b.scale[3 * i], own = miss(&b, i);
        error += n * own * own;
        worst = fmax(worst, n * own);
        for (int j = 3 * i; j < 3 * i + 3; j++) {
            impulse += n * b.gamma[j] * b.gamma[j];
            slip += b.u[j] * b.u[j] / n;
            most = fmax(most, fabs(b.gamma[j]));
        }
    }
    cairn_sphere_kernel_error told = cairn_sphere_kernel_test(&b.round, 0.0);
    CHECK_NEAR(v_error, 0.0, 1e-11 * cairn_norm_max(b.problem->n, b.v));
    CHECK_NEAR(visited, 0.0, 1e-12 * most);
    CHECK(last.square > 0.0 && worst > 0.0); /* far from the answer, or the checks above say nothing */
    CHECK_NEAR(told.map, sqrt(error / fmax(impulse, slip)), 1e-9 * told.map);
    CHECK_NEAR(told.velocity, worst, 1e-9 * worst);
    cairn_sphere_kernel_refresh(&b.round);
    cairn_sphere_kernel_error again = cairn_sphere_kernel_test(&b.round, 0.0);
    CHECK_NEAR(again.map, told.map, 1e-9 * told.map);
    close_bench(&b);
}

TEST(sweeps_by_frames_and_arms_are_those_of_the_matrices) {
    const char *names[] = {"pile", "spheres"};
    for (int i = 0; i < 2; i++)
        for (int law = 0; law < 2; law++)
            check_sweeps(names[i], (cairn_law)law);
}

/* Sum of gamma'(u + lift), by the problem's matrices, for the impulses gamma; lift NULL: none, else what find_lift wrote. */
static double work_of(const bench *b, const double *gamma, const double *u, const double *lift) {
    double sum = 0.0;
    for (int j = 0; j < b->problem->m; j++)
        sum += gamma[j] * (u[j] + (j % 3 == 0 && lift != NULL ? lift[j / 3] : 0.0));
    return sum;
}

/* Impulses of the wrong size get the right one: gamma'(u + mu |u_T| n) vanishes, the lift as it was before; v goes with them. */
static void check_resize(cairn_law law, double size, double least, double most) {
    bench b;
    open_bench(&b, "pile", law, 0, WHOLE);
    int m = b.problem->m;
    double *old = calloc((size_t)m, sizeof *old), *lift = calloc((size_t)m, sizeof *lift), v_error = 0.0;
    cairn_sphere_kernel_put(&b.round, NULL);
    for (int i = 0; i < 8; i++)
        cairn_sphere_kernel_iterate(&b.round, i > 1 ? 0.5 : 0.0, 1.0);
    cairn_sphere_kernel_get(&b.round, b.gamma);
    for (int j = 0; j < m; j++)
        b.gamma[j] *= size;
    cairn_sphere_kernel_put(&b.round, b.gamma);
    find_slip(&b);
    for (int i = 0; i < b.problem->blocks && law == CAIRN_LAW_COULOMB; i++)
        lift[i] = b.problem->block[i].mu * hypot(b.u[3 * i + 1], b.u[3 * i + 2]);
    memcpy(old, b.gamma, (size_t)m * sizeof *old);
    double before = work_of(&b, old, b.u, lift), factor = cairn_sphere_kernel_resize(&b.round, 2.0);
    find_slip(&b);
    double after = work_of(&b, old, b.u, lift);
    CHECK(factor >= least && factor <= most);
    if (factor > 0.0 && factor < 2.0)
        CHECK_NEAR(after, 0.0, 1e-9 * fabs(before));
    for (int j = 0; j < m; j++)
        CHECK_NEAR(b.gamma[j], factor * old[j], 1e-12 * fabs(old[j]));
    for (int i = 0; i < 6 * b.problem->bodies; i++)
        if (i % 6 < 3)
            v_error = fmax(v_error, fabs(b.round.v[8 * (i / 6) + i % 6] - b.v[i]));
    CHECK_NEAR(v_error, 0.0, 1e-11 * cairn_norm_max(b.problem->n, b.v));
    free(old);
    free(lift);
    close_bench(&b);
}

TEST(impulses_of_the_wrong_size_get_the_right_one) {
    check_resize(CAIRN_LAW_ASSOCIATED, 1.0, 0.8, 1.3);
    check_resize(CAIRN_LAW_ASSOCIATED, 10.0, 0.08, 0.13);
    check_resize(CAIRN_LAW_COULOMB, 1.0, 0.8, 1.3);
    check_resize(CAIRN_LAW_COULOMB, 0.01, 2.0, 2.0); /* no more than was asked for */
}

/* Iterations of a pile from `size` times its answer. */
static int iterations_from(double size) {
    cairn_context *context = NULL;
    cairn_sample_def def = cairn_default_sample_def("pile");
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_settings settings = cairn_default_settings("nncg");
    cairn_answer answer;
    cairn_info info = {0};
    def.count = 400;
    settings.tolerance = 1e-3;
    settings.tolerance_plain = 0.0;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.certificate.certified);
    double *gamma = calloc((size_t)problem->m, sizeof *gamma);
    for (int j = 0; j < problem->m; j++)
        gamma[j] = size * answer.gamma[j];
    cairn_guess guess = {.gamma = gamma};
    CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK && info.certificate.certified);
    free(gamma);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return info.iterations;
}

TEST(a_guess_of_the_wrong_size_costs_little) {
    CHECK(iterations_from(1.0) == 0);
    CHECK(iterations_from(20.0) <= 200); /* 142 */
}

/* Colours use the general sweeps: the same answer of a convex problem, to what was asked for. */
TEST(the_answer_is_that_of_the_general_sweeps) {
    cairn_context *context = NULL;
    cairn_sample_def def = cairn_default_sample_def("pile");
    cairn_problem *problem = NULL;
    def.count = 100;
    def.law = CAIRN_LAW_ASSOCIATED;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    double *v[2], largest = 0.0, apart = 0.0;
    for (int k = 0; k < 2; k++) {
        cairn_settings settings = cairn_default_settings("nncg");
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info info;
        settings.tolerance = 1e-10;
        settings.max_iterations = 20000;
        settings.colouring = k == 1;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK && info.certificate.certified);
        v[k] = calloc((size_t)problem->n, sizeof *v[k]);
        memcpy(v[k], answer.v, (size_t)problem->n * sizeof *v[k]);
        cairn_solver_destroy(solver);
    }
    for (int i = 0; i < problem->n; i++) {
        largest = fmax(largest, fabs(v[0][i]));
        apart = fmax(apart, fabs(v[0][i] - v[1][i]));
    }
    CHECK_NEAR(apart, 0.0, 1e-7 * (1.0 + largest));
    free(v[0]);
    free(v[1]);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(balls_are_found_and_nothing_else);
    RUN(one_number_is_enough);
    RUN(sweeps_by_frames_and_arms_are_those_of_the_matrices);
    RUN(impulses_of_the_wrong_size_get_the_right_one);
    RUN(a_guess_of_the_wrong_size_costs_little);
    RUN(the_answer_is_that_of_the_general_sweeps);
    return test_end();
}
