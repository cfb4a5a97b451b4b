/*
 * factors.c: Cairn's factorisation against CHOLMOD, LDL, MUMPS and Eigen on the matrices of matrices.h, one thread each, same run.
 *
 *     factors [options]
 *     --scenes A,B     of robot, stack, chain, wall, bars, pile4k, pile16k; default: all but pile16k
 *     --solvers A,B    of cairn, cholmod, ldl, mumps, eigen-ldlt, eigen-lu, study; default: all that were found
 *     --rounds K       best of K, interleaved; default 3
 *     --limit S        CPU seconds for one solver on one matrix; default 60
 *     --stack FILE     FCLIB file for "stack"; default ../shared/fclib/box_stacks/Box_Stacks-i1000-560-17.hdf5
 *     --csv FILE       one line a matrix and solver
 *
 * Times are CPU time. error is the componentwise backward error max_i |b - A x|_i / (|A| |x| + |b|)_i of one solve without
 * refinement.
 */
#define _DEFAULT_SOURCE
#include "../guard.h"
#include "solvers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct timing {
    int stage; /* how far it came: 1 analysed, 2 factored, 3 solved */
    double analyze, factor, solve;
    double error, entries;
} timing;

typedef struct request {
    const char *scenes, *solvers, *stack, *csv;
    int rounds;
    double limit;
} request;

typedef struct task {
    const linear_solver *solver;
    const linear_system *system;
    timing *result;
} task;

static const linear_solver *const ALL[] = {&solver_cairn,      &solver_cholmod,  &solver_ldl,  &solver_mumps,
                                           &solver_eigen_ldlt, &solver_eigen_lu, &solver_study};
enum { SOLVERS = sizeof ALL / sizeof ALL[0] };

/* See the head. Not finite when x is not. */
static double backward_error(const sparse *a, const double *b, const double *x) {
    double *residual = bench_need((size_t)a->rows, sizeof *residual), *size = bench_need((size_t)a->rows, sizeof *size);
    double largest = 0.0;
    for (int j = 0; j < a->cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            residual[a->index[k]] += a->value[k] * x[j];
            size[a->index[k]] += fabs(a->value[k] * x[j]);
        }
    for (int i = 0; i < a->rows; i++) {
        double ratio = fabs(b[i] - residual[i]) / (size[i] + fabs(b[i]));
        if (!(ratio <= largest))
            largest = ratio;
    }
    free(residual);
    free(size);
    return largest;
}

/* Keeps the smallest of several runs, the first of which meets cold caches and pages: at most 10, no more than 0.2 s. The last
 * state is returned, the others end with the process. */
static void *time_analyze(task *t) {
    void *state = NULL;
    for (double spent = 0.0, runs = 0; runs < 1 || (runs < 10 && spent < 0.2); runs++) {
        double begin = guard_clock();
        state = t->solver->analyze(t->system);
        double seconds = guard_clock() - begin;
        if (state == NULL)
            return NULL;
        spent += seconds;
        t->result->analyze = runs == 0 ? seconds : fmin(seconds, t->result->analyze);
    }
    return state;
}

/* Keeps the smallest of several runs: at most 50, no more than half a second. */
static void time_factor(task *t, void *state) {
    for (double spent = 0.0, runs = 0; runs < 1 || (runs < 50 && spent < 0.5); runs++) {
        double begin = guard_clock();
        bool done = t->solver->factor(state, t->system);
        double seconds = guard_clock() - begin;
        if (!done)
            return;
        spent += seconds;
        t->result->factor = runs == 0 ? seconds : fmin(seconds, t->result->factor);
    }
    t->result->entries = t->solver->entries(state);
    t->result->stage = 2;
}

static void time_solve(task *t, void *state, const double *b, double *x) {
    for (double spent = 0.0, runs = 0; runs < 1 || (runs < 100 && spent < 0.2); runs++) {
        double begin = guard_clock();
        bool done = t->solver->solve(state, b, x);
        double seconds = guard_clock() - begin;
        if (!done)
            return;
        spent += seconds;
        t->result->solve = runs == 0 ? seconds : fmin(seconds, t->result->solve);
    }
    t->result->error = backward_error(&t->system->A, b, x);
    t->result->stage = 3;
}

/* In the child process. */
static void work(void *data) {
    task *t = data;
    size_t n = (size_t)t->system->A.cols;
    double *b = bench_need(n, sizeof *b), *x = bench_need(n, sizeof *x);
    bench_random random = {7};
    for (size_t i = 0; i < n; i++)
        b[i] = 2.0 * random_uniform(&random) - 1.0;
    void *state = time_analyze(t);
    if (state == NULL)
        return;
    t->result->stage = 1;
    time_factor(t, state);
    if (t->result->stage == 2)
        time_solve(t, state, b, x);
}

/* The smaller times of two rounds. */
static void merge(timing *best, const timing *next) {
    if (best->stage < 3) {
        *best = *next;
        return;
    }
    if (next->stage < 3)
        return;
    best->analyze = fmin(best->analyze, next->analyze);
    best->factor = fmin(best->factor, next->factor);
    best->solve = fmin(best->solve, next->solve);
}

static bool listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *item = list; item != NULL; item = strchr(item, ',')) {
        item += *item == ',';
        if (strncmp(item, name, length) == 0 && (item[length] == '\0' || item[length] == ','))
            return true;
    }
    return false;
}

static bool takes_part(const request *r, int solver) {
    return ALL[solver]->analyze != NULL && (r->solvers == NULL || listed(r->solvers, ALL[solver]->name));
}

static void print_form(const char *name, const char *form, const linear_system *a, const timing *best, const request *r,
                       FILE *csv) {
    printf("%s, %s: %d rows, %d entries\n", name, form, a->A.rows, a->A.start[a->A.cols]);
    printf("  %-12s %10s %10s %10s %10s %9s %13s %12s\n", "solver", "analyze", "factor", "solve", "fill", "error",
           "factor/cairn", "solve/cairn");
    for (int j = 0; j < SOLVERS; j++) {
        const timing *t = &best[j];
        if (!takes_part(r, j))
            continue;
        if (t->stage == 3)
            printf("  %-12s %10.3f %10.3f %10.4f %10.0f %9.1e %13.2f %12.2f\n", ALL[j]->name, 1e3 * t->analyze,
                   1e3 * t->factor, 1e3 * t->solve, t->entries, t->error, t->factor / best[0].factor,
                   t->solve / best[0].solve);
        else
            printf("  %-12s %10s\n", ALL[j]->name, t->stage == 0 ? "no analysis" : "no factor");
        if (csv != NULL)
            fprintf(csv, "%s,%s,%d,%d,%s,%d,%.9g,%.9g,%.9g,%.0f,%.3g\n", name, form, a->A.rows, a->A.start[a->A.cols],
                    ALL[j]->name, t->stage == 3, t->analyze, t->factor, t->solve, t->entries, t->error);
    }
    fflush(stdout);
}

/* All solvers on one matrix, round by round. A solver that failed once is not asked again. */
static void race_form(const request *r, const char *name, const char *form, const linear_system *a, FILE *csv) {
    timing best[SOLVERS] = {{0}};
    timing *result = guard_memory_create(sizeof *result);
    for (int round = 0; result != NULL && round < r->rounds; round++)
        for (int j = 0; j < SOLVERS; j++) {
            if (!takes_part(r, j) || (round > 0 && best[j].stage < 3))
                continue;
            task t = {ALL[j], a, result};
            memset(result, 0, sizeof *result);
            if (guard_run(work, &t, r->limit))
                merge(&best[j], result);
        }
    guard_memory_destroy(result, sizeof *result);
    print_form(name, form, a, best, r, csv);
}

static void race_scene(const request *r, const char *name, FILE *csv) {
    scene s;
    if (!scene_make(name, r->stack, &s)) {
        printf("%s: left out (cannot read %s)\n\n", name, r->stack);
        return;
    }
    linear_system full = system_full(&s), reduced = system_reduced(&s);
    printf("== %s: %d velocities, %d contacts, %d joints\n", name, s.H.rows, s.blocks - s.joints, s.joints);
    race_form(r, name, "K", &full, csv);
    race_form(r, name, "S", &reduced, csv);
    printf("\n");
    system_clear(&full);
    system_clear(&reduced);
    scene_clear(&s);
}

static bool read_option(request *r, const char *key, const char *value) {
    if (strcmp(key, "--scenes") == 0)
        r->scenes = value;
    else if (strcmp(key, "--solvers") == 0)
        r->solvers = value;
    else if (strcmp(key, "--rounds") == 0)
        r->rounds = atoi(value);
    else if (strcmp(key, "--limit") == 0)
        r->limit = atof(value);
    else if (strcmp(key, "--stack") == 0)
        r->stack = value;
    else if (strcmp(key, "--csv") == 0)
        r->csv = value;
    else
        return false;
    return true;
}

/* The dense kernels of CHOLMOD and MUMPS must run on one thread; they read this before main does. */
static void one_thread(char **argv) {
    if (getenv("OPENBLAS_NUM_THREADS") == NULL) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
}

int main(int argc, char **argv) {
    static const char *const name[] = {"robot", "stack", "chain", "wall", "bars", "pile4k", "pile16k"};
    request r = {.scenes = "robot,stack,chain,wall,bars,pile4k",
                 .stack = "../shared/fclib/box_stacks/Box_Stacks-i1000-560-17.hdf5",
                 .rounds = 3,
                 .limit = 60.0};
    one_thread(argv);
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !read_option(&r, argv[i], argv[i + 1])) {
            fprintf(stderr, "factors: %s: unknown option or value missing\n", argv[i]);
            return 2;
        }
    FILE *csv = r.csv != NULL ? fopen(r.csv, "w") : NULL;
    if (r.csv != NULL && csv == NULL) {
        fprintf(stderr, "factors: cannot write %s\n", r.csv);
        return 1;
    }
    if (csv != NULL)
        fprintf(csv, "scene,form,rows,entries,solver,solved,analyze,factor,solve,fill,error\n");
    for (int j = 0; j < SOLVERS; j++)
        printf("%-12s %s%s\n", ALL[j]->name, ALL[j]->note, ALL[j]->analyze == NULL ? ": not found" : "");
    printf("CPU milliseconds, one thread, best of %d rounds; fill as each solver counts\n\n", r.rounds);
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        if (listed(r.scenes, name[i]))
            race_scene(&r, name[i], csv);
    return csv != NULL && fclose(csv) != 0;
}
