/*
 * test_solve_piles.c: sweeps over packed contacts and nncg, on piles of spheres and on stones: a contact just visited obeys
 * its law, other methods agree, threads change no bit, memory that runs out late is survived by auto.
 */
#include "support/support.h"

#include "solve/sweep/sweep.h"

#include <math.h>
#include <string.h>

static cairn_problem *sample(cairn_context *context, const char *name, int count, cairn_law law) {
    cairn_sample_def def = cairn_default_sample_def(name);
    cairn_problem *problem = NULL;
    def.count = count;
    def.law = law;
    CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* |gamma - P(gamma - u~/n)| of one block, relative to gamma, from gamma alone. */
static double miss(cairn_run *run, const double *gamma, int block, double *v, double *u) {
    const cairn_block *b = &run->problem->block[block];
    int row = 3 * block;
    double n = cairn_operator_scale(run->op)[block], x[3], error = 0.0;
    cairn_operator_velocity(run->op, gamma, v);
    cairn_operator_slip(run->op, v, gamma, u);
    double phi = run->problem->law == CAIRN_LAW_COULOMB ? b->mu * hypot(u[row + 1], u[row + 2]) : 0.0;
    for (int c = 0; c < 3; c++)
        x[c] = gamma[row + c] - (u[row + c] + (c == 0 ? phi : 0.0)) / n;
    cairn_set_get(CAIRN_SET_CONE)->project(b, x, x);
    for (int c = 0; c < 3; c++)
        error = fmax(error, fabs(x[c] - gamma[row + c]));
    return error / (cairn_norm_max(run->problem->m, gamma) + 1e-300);
}

/* visits: of each group; sliding contacts with a full N_ii come near their answer visit by visit. */
static void check_last_visit(const char *name, int count, int visits, double tolerance, cairn_law law) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    cairn_problem *problem = sample(context, name, count, law);
    cairn_settings settings = cairn_default_settings("nncg");
    int m = problem->m;
    double *scale = calloc((size_t)m, sizeof *scale), *u = calloc((size_t)m, sizeof *u);
    double *v = calloc((size_t)problem->n, sizeof *v);
    cairn_run run = {.context = context, .problem = problem, .settings = &settings, .row_scale = scale};
    cairn_sweep *sweep = NULL;
    CHECK(cairn_operator_create(problem, &run.op) == CAIRN_OK);
    for (int j = 0; j < m; j++)
        scale[j] = cairn_operator_scale(run.op)[j / 3];
    CHECK(cairn_sweep_create(&run, &sweep) == CAIRN_OK && sweep->is_packed);
    cairn_sweep_refresh(&run, sweep);
    double worst = 0.0;
    for (int i = 0; i < 3; i++)
        cairn_sweep_run(&run, sweep, 1.0, false);
    for (int i = 0; i < sweep->packed.groups; i++) {
        for (int k = 0; k < visits; k++)
            cairn_contact_kernel_visit(&run, &sweep->packed, 1.0, i, i + 1, false, false, sweep->gamma, sweep->change,
                                       sweep->v);
        for (int l = 0; l < CAIRN_CONTACT_KERNEL_LANES; l++)
            if (sweep->packed.group[i].row[l] < m)
                worst = fmax(worst, miss(&run, sweep->gamma, sweep->packed.group[i].row[l] / 3, v, u));
    }
    CHECK_NEAR(worst, 0.0, tolerance);
    cairn_sweep_destroy(context, sweep);
    cairn_operator_destroy(run.op);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    free(scale);
    free(u);
    free(v);
}

/* Every contact is in one lane, no body in two lanes of a group, and few lanes are empty. */
TEST(groups_share_no_body) {
    const char *names[] = {"pile", "spheres", "cairn", "stack"};
    for (int k = 0; k < 4; k++) {
        cairn_context *context = NULL;
        CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
        cairn_problem *p = sample(context, names[k], 60, CAIRN_LAW_COULOMB);
        int groups = 0, seen = 0, conflicts = 0,
            *place = calloc((size_t)p->blocks, CAIRN_CONTACT_KERNEL_LANES * sizeof *place);
        int *in = calloc((size_t)p->bodies, sizeof *in);
        bool *once = calloc((size_t)p->blocks, sizeof *once);
        CHECK(cairn_contact_kernel_arrange(p, place, &groups) == CAIRN_OK);
        for (int i = 0; i < CAIRN_CONTACT_KERNEL_LANES * groups; i++) {
            if (place[i] < 0)
                continue;
            seen += !once[place[i]];
            conflicts += once[place[i]];
            once[place[i]] = true;
            for (int e = p->body.touch_start[place[i]]; e < p->body.touch_start[place[i] + 1]; e++) {
                conflicts += in[p->body.touch[e]] == i / CAIRN_CONTACT_KERNEL_LANES + 1;
                in[p->body.touch[e]] = i / CAIRN_CONTACT_KERNEL_LANES + 1;
            }
        }
        CHECK(seen == p->blocks && conflicts == 0);
        CHECK(k == 3 || CAIRN_CONTACT_KERNEL_LANES * groups < p->blocks + p->blocks / 4 + 40);
        free(place);
        free(in);
        free(once);
        cairn_problem_destroy(p);
        cairn_context_destroy(context);
    }
}

TEST(a_contact_just_visited_obeys_its_law) {
    const char *names[] = {"pile", "spheres", "cairn"}; /* stones: N_ii is full */
    for (int i = 0; i < 3; i++)
        for (int law = 0; law < 2; law++)
            check_last_visit(names[i], 60, i < 2 ? 1 : 100, i < 2 ? 1e-12 : 1e-8, (cairn_law)law);
}

typedef struct outcome {
    cairn_info info;
    double *v; /* n */
} outcome;

static outcome run_method(cairn_context *context, const cairn_problem *problem, const cairn_settings *settings) {
    outcome out = {0};
    cairn_solver *solver = NULL;
    cairn_answer answer;
    CHECK(cairn_solver_create(context, settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &out.info) == CAIRN_OK);
    out.v = calloc((size_t)problem->n, sizeof *out.v);
    memcpy(out.v, answer.v, (size_t)problem->n * sizeof *out.v);
    cairn_solver_destroy(solver);
    return out;
}

/* The velocity of the associated law is unique. */
TEST(nncg_agrees_with_the_interior_point) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    cairn_problem *problem = sample(context, "pile", 100, CAIRN_LAW_ASSOCIATED);
    cairn_settings sweeps = cairn_default_settings("nncg"), direct = cairn_default_settings("ipm");
    sweeps.tolerance = direct.tolerance = 1e-8;
    outcome a = run_method(context, problem, &sweeps), b = run_method(context, problem, &direct);
    CHECK(a.info.outcome == CAIRN_SOLVED && b.info.outcome == CAIRN_SOLVED);
    CHECK(a.info.factorizations == 0);
    double worst = 0.0;
    for (int i = 0; i < problem->n; i++)
        worst = fmax(worst, fabs(a.v[i] - b.v[i]));
    CHECK_NEAR(worst, 0.0, 1e-5);
    free(a.v);
    free(b.v);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(nncg_needs_fewer_sweeps_than_pgs) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    cairn_problem *problem = sample(context, "pile", 300, CAIRN_LAW_COULOMB);
    cairn_settings with = cairn_default_settings("nncg"), without = cairn_default_settings("pgs");
    with.tolerance = without.tolerance = 1e-6;
    outcome a = run_method(context, problem, &with), b = run_method(context, problem, &without);
    CHECK(a.info.outcome == CAIRN_SOLVED);
    CHECK(2 * a.info.iterations < b.info.iterations); /* two sweeps an iteration */
    free(a.v);
    free(b.v);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

TEST(same_bits_for_every_number_of_threads) {
    outcome first = {0};
    for (int threads = 1; threads <= 4; threads *= 2) {
        cairn_context_def def = cairn_default_context_def();
        cairn_context *context = NULL;
        def.threads = threads;
        CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
        cairn_problem *problem = sample(context, "pile", 400, CAIRN_LAW_COULOMB);
        cairn_settings settings = cairn_default_settings("nncg");
        settings.colouring = true;
        settings.max_iterations = 60;
        outcome a = run_method(context, problem, &settings);
        if (threads == 1) {
            first = a;
        } else {
            CHECK(memcmp(a.v, first.v, (size_t)problem->n * sizeof *a.v) == 0);
            free(a.v);
        }
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
    }
    free(first.v);
}

/* Heavy problems make auto take the workspace of the sweeps, last of all. */
TEST(auto_survives_late_failures) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    cairn_problem *problem = sample(context, "spheres", 700, CAIRN_LAW_COULOMB);
    cairn_settings settings = cairn_default_settings("auto");
    int whole = 0;
    for (int left = 0; left <= 24; left += 2) {
        cairn_solver *solver = NULL;
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        int before = allocator.live, from = allocator.allocations;
        allocator.fail_at = left == 0 ? -1 : from + whole - left;
        cairn_status status = cairn_solver_load(solver, problem);
        CHECK(status == (left == 0 ? CAIRN_OK : CAIRN_ERROR_MEMORY));
        CHECK(left == 0 || allocator.live <= before + 1); /* the driver keeps its arena */
        whole = left == 0 ? allocator.allocations - from : whole;
        allocator.fail_at = -1;
        cairn_solver_destroy(solver);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

int main(void) {
    RUN(groups_share_no_body);
    RUN(a_contact_just_visited_obeys_its_law);
    RUN(nncg_agrees_with_the_interior_point);
    RUN(nncg_needs_fewer_sweeps_than_pgs);
    RUN(same_bits_for_every_number_of_threads);
    RUN(auto_survives_late_failures);
    return test_end();
}
