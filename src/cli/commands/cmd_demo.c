/*
 * cmd_demo.c: `cairn demo`: a heap of stones, every method, and what the judge says, in words.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 7, OUTCOME_COLUMN = 1 };
static const double tolerance = 1e-8;      /* certificate asked of every method */
static const double time_limit_each = 2.0; /* seconds */

/* What one method did. */
typedef struct attempt {
    const char *method;
    cairn_info info;
} attempt;

static void explain(const cairn_sample_def *def, const cairn_problem_view *view) {
    printf(
        "%sA cairn of %d stones%s of about %g kg, in dry contact with friction %g at %d points. Somebody pushes the\n"
        "topmost stone sideways at %g m/s. Which impulses act at the contacts during the next %g s?\n\n",
        cli_bold(), def->count, cli_plain(), def->mass, def->mu, view->blocks, def->kick, def->step);
    printf("Each contact either opens, sticks or slides, and every stone feels all the others: a cone complementarity\n"
           "problem with %d velocities and %d impulses. Every method below starts from nothing and is asked for a\n"
           "certificate at %g: its answer must be exact for free velocities that differ from the true ones by at most\n"
           "that part of the largest. A judge that shares no code with the methods decides.\n\n",
           view->n, view->m, tolerance);
}

static void print_attempt(const cli_column *column, const attempt *a) {
    char iterations[16], factors[16], time[16], error[16], relative[16];
    const cairn_certificate *c = &a->info.certificate;
    snprintf(iterations, sizeof iterations, "%d", a->info.iterations);
    snprintf(factors, sizeof factors, "%d", a->info.factorizations);
    const char *cell[COLUMNS] = {a->method,
                                 cairn_outcome_name(a->info.outcome),
                                 iterations,
                                 factors,
                                 cli_seconds(a->info.load_seconds + a->info.seconds, time),
                                 cli_short(c->error, error),
                                 cli_short(c->relative, relative)};
    cli_table_row(column, COLUMNS, cell, OUTCOME_COLUMN, a->info.outcome == CAIRN_SOLVED ? cli_green() : cli_red());
    fflush(stdout);
}

/* Runs one method. CAIRN_ERROR_UNSUPPORTED: it does not take this problem. gamma, u (m): its
 * answer. */
static cairn_status run(cairn_context *context, const cairn_problem *problem, const char *method, attempt *result,
                        double *gamma, double *u) {
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    settings.time_limit = time_limit_each;
    cairn_solver *solver = NULL;
    cairn_answer answer;
    int m = cairn_problem_get(problem).m;
    result->method = method;
    cairn_status status = cairn_solver_create(context, &settings, &solver);
    if (status == CAIRN_OK)
        status = cairn_solver_load(solver, problem);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(solver, NULL, &answer, &result->info);
    for (int i = 0; status == CAIRN_OK && i < m; i++) {
        gamma[i] = answer.gamma[i];
        u[i] = answer.u[i];
    }
    cairn_solver_destroy(solver);
    return status;
}

/* How many contacts open, stick and slide, and what the floor carries. */
static void describe_answer(const cairn_sample_def *def, const cairn_problem_view *view, const double *gamma,
                            const double *u) {
    int open = 0, slide = 0, stick = 0;
    double largest = 0.0, floor_load = 0.0, weight = 0.0;
    for (int i = 0; i < view->blocks; i++)
        largest = fmax(largest, gamma[view->block_start[i]]);
    for (int i = 0; i < view->blocks; i++) {
        const double *g = gamma + view->block_start[i], *w = u + view->block_start[i];
        if (g[0] <= 1e-6 * largest)
            open++;
        else if (hypot(w[1], w[2]) > 1e-6)
            slide++;
        else
            stick++;
        if (view->D_index[view->D_start[view->block_start[i]]] / 6 ==
            view->D_index[view->D_start[view->block_start[i] + 1] - 1] / 6)
            floor_load += g[0];
    }
    for (int i = 0; i < view->bodies; i++)
        weight -= view->k[6 * i + 2];
    printf(
        "Of %d contacts %d carry load and stick, %d slide, %d carry nothing. The stones weigh %.6g N s over the step\n"
        "of %g s, and the ground gives back %.6g N s.\n\n",
        view->blocks, stick, slide, open, weight, def->step, floor_load);
}

static void print_certificate(const attempt *a) {
    const cairn_certificate *c = &a->info.certificate;
    printf("%sThe certificate of %s, the fastest that solved it:%s %s at %g, law: %s\n", cli_bold(), a->method,
           cli_plain(), c->certified ? "certified" : "not certified", c->tolerance, cairn_law_name(c->law));
    char error[16], scale[16], rms[16];
    printf("  The answer is exact for free velocities within %s; the largest of them is %s.\n",
           cli_speed(c->error, error), cli_speed(c->scale, scale));
    printf("  In the mean over all contacts it is %s. The formula that other programs stop at says %.2g.\n",
           cli_speed(c->rms, rms), c->plain);
}

/* Runs every method; keeps the fastest certified answer. Returns an exit code. */
static int race(cairn_context *context, const cairn_sample_def *def, const cairn_problem *problem, double *work) {
    static const cli_column column[COLUMNS] = {{"method", -11}, {"outcome", -15}, {"iterations", 10}, {"factored", 8},
                                               {"time", 9},     {"error m/s", 9}, {"relative", 9}};
    cairn_problem_view view = cairn_problem_get(problem);
    double *gamma = work, *u = work + view.m, *best_gamma = work + 2 * view.m, *best_u = work + 3 * view.m;
    attempt best = {.method = NULL};
    bool default_solved = false;
    cli_table_head(column, COLUMNS);
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_method_info method;
        attempt now = {.method = NULL};
        if (cairn_method_get(i, &method) != CAIRN_OK)
            continue;
        cairn_status status = run(context, problem, method.name, &now, gamma, u);
        if (status == CAIRN_ERROR_UNSUPPORTED) {
            printf("%-11s  not for this problem: it accepts %s\n", method.name, method.accepts);
            continue;
        }
        if (status != CAIRN_OK)
            return cli_report(context, "demo", status, false);
        print_attempt(column, &now);
        bool solved = now.info.outcome == CAIRN_SOLVED && now.info.certificate.certified;
        default_solved = default_solved || (i == 0 && solved);
        if (solved && (best.method == NULL ||
                       now.info.load_seconds + now.info.seconds < best.info.load_seconds + best.info.seconds)) {
            best = now;
            for (int j = 0; j < view.m; j++) {
                best_gamma[j] = gamma[j];
                best_u[j] = u[j];
            }
        }
    }
    printf("\n");
    if (best.method != NULL) {
        describe_answer(def, &view, best_gamma, best_u);
        print_certificate(&best);
    }
    if (!default_solved)
        cli_complain("the default method did not solve the problem");
    return default_solved ? CLI_OK : CLI_UNSOLVED;
}

int cmd_demo(int argc, char **argv) {
    cairn_sample_def def = cairn_default_sample_def("cairn");
    const cli_option option[] = {
        {"--stones", CLI_INTEGER, &def.count, 1, 5000, "N", "number of stones (default 55)"},
        {"--kick", CLI_REAL, &def.kick, 0, 1000, "V", "speed of the topmost stone, m/s (default 0.5)"},
        {"--mu", CLI_REAL, &def.mu, 0, 100, "X", "friction coefficient (default 0.6)"},
    };
    const cli_command command = {
        "demo",
        "",
        "Makes a cairn, a heap of stones, solves one time step of it with every method and shows the certificate. "
        "Each\n"
        "method has two seconds. Exit code 0 means that the default method's answer is certified.\n",
        "  cairn demo\n  cairn demo --stones 140 --kick 2\n",
        0,
        0,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    cairn_problem *problem = NULL;
    cairn_status status = cairn_sample_create(context, &def, &problem);
    if (status != CAIRN_OK) {
        code = cli_report(context, "demo", status, false);
        cairn_context_destroy(context);
        return code;
    }
    cairn_problem_view view = cairn_problem_get(problem);
    double *work = malloc(4 * (size_t)view.m * sizeof *work);
    if (work != NULL) {
        explain(&def, &view);
        code = race(context, &def, problem, work);
    } else {
        cli_complain("out of memory");
        code = CLI_BAD_FILE;
    }
    free(work);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return code;
}
