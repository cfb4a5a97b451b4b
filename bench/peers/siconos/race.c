/*
 * race.c: Cairn against Siconos Numerics on FCLIB files, same problems, same judge, same run.
 *
 *     race [options] FILE...
 *     --method A,B       Cairn's methods; default: the first of the table of methods. A:N gives it the local form, with
 *                        N formed beforehand as it is for the local peers
 *     --peers A,B        only these solvers of Siconos; default: all but Newton
 *     --newton           its semismooth Newton methods too
 *     --tolerance X      may be given several times; default 1e-4 and 1e-8
 *     --repeats K        best of K, interleaved; default 3. A contestant that has spent a second is not repeated
 *     --limit S          CPU seconds for one solve; default 20
 *     --files N          only N of the files, evenly spread
 *     --law X            coulomb (default) or associated; solvers that do not know the law stay out
 *     --csv FILE         one line a solve
 *     --jsonl FILE       the solvers of Siconos as lines for `cairn bench --add`, see docs/bench.md
 *
 * An answer is judged by cairn_certify from the impulses alone, whatever the solver says of itself.
 */
#define _DEFAULT_SOURCE
#include "peer.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHORT 0.02 /* seconds: solves that are done again in their process */
#define AGAIN 4    /* at most so often */

enum { METHODS = 8, PEERS = RACE_SICONOS_PEERS + METHODS, TOLERANCES = 8 };

typedef struct request {
    const char *method, *peers, *csv, *jsonl;
    cairn_law law;
    bool newton;
    int tolerances, repeats, files;
    double tolerance[TOLERANCES], limit;
    char name[METHODS][32]; /* of Cairn's columns */
    char method_name[METHODS][32];
    race_peer cairn[METHODS];
    const race_peer *peer[PEERS];
    int own, peer_count; /* Cairn's come first */
} request;

/* Is name an item of the comma separated list? */
static bool listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *item = list; item != NULL; item = strchr(item, ',')) {
        item += *item == ',';
        if (strncmp(item, name, length) == 0 && (item[length] == '\0' || item[length] == ','))
            return true;
    }
    return false;
}

/* One option and its value; returns how many arguments were used, 0: not understood. */
static int read_option(request *r, const char *key, const char *value) {
    if (strcmp(key, "--newton") == 0) {
        r->newton = true;
        return 1;
    }
    if (value == NULL)
        return 0;
    if (strcmp(key, "--method") == 0)
        r->method = value;
    else if (strcmp(key, "--peers") == 0)
        r->peers = value;
    else if (strcmp(key, "--csv") == 0)
        r->csv = value;
    else if (strcmp(key, "--jsonl") == 0)
        r->jsonl = value;
    else if (strcmp(key, "--law") == 0 && strcmp(value, "coulomb") == 0)
        r->law = CAIRN_LAW_COULOMB;
    else if (strcmp(key, "--law") == 0 && strcmp(value, "associated") == 0)
        r->law = CAIRN_LAW_ASSOCIATED;
    else if (strcmp(key, "--tolerance") == 0 && r->tolerances < TOLERANCES)
        r->tolerance[r->tolerances++] = atof(value);
    else if (strcmp(key, "--repeats") == 0)
        r->repeats = atoi(value);
    else if (strcmp(key, "--limit") == 0)
        r->limit = atof(value);
    else if (strcmp(key, "--files") == 0)
        r->files = atoi(value);
    else
        return 0;
    return 2;
}

/* Returns the index of the first file, -1 after a message. */
static int read_arguments(request *r, int argc, char **argv) {
    int at = 1;
    while (at < argc && strncmp(argv[at], "--", 2) == 0) {
        int used = read_option(r, argv[at], at + 1 < argc ? argv[at + 1] : NULL);
        if (used == 0) {
            fprintf(stderr, "race: %s: unknown option or value missing\n", argv[at]);
            return -1;
        }
        at += used;
    }
    if (at == argc || r->repeats < 1 || !(r->limit > 0.0)) {
        fprintf(stderr, "race: give at least one file, at least one repeat and a positive limit\n");
        return -1;
    }
    if (r->tolerances == 0) {
        r->tolerance[r->tolerances++] = 1e-4;
        r->tolerance[r->tolerances++] = 1e-8;
    }
    return at;
}

/* Cairn's methods from the list, then the peers. False after a message: there is no such method. */
static bool choose_peers(request *r) {
    cairn_method_info first;
    if (r->method == NULL && cairn_method_get(0, &first) == CAIRN_OK)
        r->method = first.name;
    for (const char *item = r->method; item != NULL && r->own < METHODS; r->own++) {
        const char *comma = strchr(item, ',');
        size_t length = comma != NULL ? (size_t)(comma - item) : strlen(item);
        bool given_n = length > 2 && strncmp(item + length - 2, ":N", 2) == 0;
        snprintf(r->name[r->own], sizeof r->name[r->own], "%.*s", (int)length, item);
        snprintf(r->method_name[r->own], sizeof r->method_name[r->own], "%.*s", (int)length - (given_n ? 2 : 0), item);
        r->cairn[r->own] = (race_peer){
            .name = r->name[r->own], .solve = race_solve_cairn, .method = r->method_name[r->own], .given_n = given_n};
        r->peer[r->peer_count++] = &r->cairn[r->own];
        if (cairn_method_options(r->method_name[r->own], NULL, 0) < 0) {
            fprintf(stderr, "race: Cairn has no method '%s'\n", r->method_name[r->own]);
            return false;
        }
        item = comma != NULL ? comma + 1 : NULL;
    }
    for (int i = 0; i < RACE_SICONOS_PEERS; i++) {
        if (!(r->law == CAIRN_LAW_COULOMB ? race_siconos[i].coulomb : race_siconos[i].associated))
            continue;
        if (r->peers != NULL ? listed(r->peers, race_siconos[i].name) : r->newton || !race_siconos[i].newton)
            r->peer[r->peer_count++] = &race_siconos[i];
    }
    return true;
}

static void problem_clear(race_problem *p) {
    cairn_judge_destroy(p->judge);
    if (p->made)
        cairn_problem_destroy(p->local);
    cairn_file_clear(&p->file);
}

/* Reads, forms N, prepares the judge. False after a message: the file is left out. */
static bool problem_read(cairn_context *context, const char *path, cairn_law law, race_problem *p) {
    const char *slash = strrchr(path, '/');
    *p = (race_problem){.made = false};
    snprintf(p->name, sizeof p->name, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(p->name, '.');
    if (dot != NULL)
        *dot = '\0';
    if (cairn_file_read(context, path, &p->file) != CAIRN_OK) {
        fprintf(stderr, "left out: %s\n", cairn_error_message(context));
        return false;
    }
    cairn_problem_view view = cairn_problem_get(p->file.problem);
    bool fits = p->file.spacedim == 3 && p->file.equalities == 0 && view.m > 0;
    p->local = p->file.problem;
    cairn_problem_set_law(p->file.problem, law);
    if (fits && !view.local) {
        double begin = guard_clock();
        p->made = cairn_problem_to_local(p->file.problem, &p->local) == CAIRN_OK;
        p->forming = guard_clock() - begin;
        fits = p->made;
    }
    fits = fits && cairn_judge_create(p->file.problem, &p->judge) == CAIRN_OK;
    if (!fits) {
        fprintf(stderr, "left out: %s: not a problem of 3D contacts alone\n", path);
        problem_clear(p);
    }
    return fits;
}

typedef struct solve_task {
    const race_peer *peer;
    const race_problem *problem;
    double tolerance;
    race_result *result;
} solve_task;

/* A short solve is done again in the same process, and the faster one counts: the first one pays for the pages that a
 * new process has not touched yet, which a program that solves step after step does not. */
static void solve_work(void *data) {
    solve_task *task = data;
    race_result *result = task->result;
    task->peer->solve(task->peer, task->problem, task->tolerance, result);
    for (int again = 0; again < AGAIN && result->finished && result->seconds < SHORT; again++) {
        double seconds = result->seconds, inner = result->inner;
        task->peer->solve(task->peer, task->problem, task->tolerance, result);
        if (result->seconds > seconds) {
            result->seconds = seconds;
            result->inner = inner;
        }
    }
}

static size_t result_bytes(int m) {
    return sizeof(race_result) + (size_t)m * sizeof(double);
}

/* One more solve of one contestant, and what the judge says of it. The smallest time of judged answers stays. */
static void race_once(const request *r, const race_peer *peer, const race_problem *problem, double tolerance,
                      race_result *result, race_cell *cell) {
    cell->tried = true;
    cell->runs++;
    double before = cell->seconds;
    solve_task task = {peer, problem, tolerance, result};
    memset(result, 0, result_bytes(cairn_problem_get(problem->file.problem).m));
    if (!guard_run(solve_work, &task, r->limit) || !result->finished) {
        cell->spent += r->limit;
        return;
    }
    cell->spent += result->seconds;
    if (cell->finished && result->seconds >= before)
        return;
    cairn_certificate certificate = {.relative = (double)INFINITY, .plain = (double)INFINITY};
    if (cairn_judge_run(problem->judge, NULL, result->gamma, tolerance, &certificate, NULL, NULL) != CAIRN_OK)
        return;
    cell->finished = true;
    cell->iterations = result->iterations;
    cell->verdict = result->verdict;
    cell->seconds = result->seconds;
    cell->inner = result->inner;
    bool formed = peer->method != NULL ? peer->given_n : !peer->global;
    cell->forming = formed ? problem->forming : 0.0;
    cell->reduction = !formed ? 0.0 : peer->method != NULL ? problem->forming : problem->reduction;
    cell->relative = isnan(certificate.relative) ? (double)INFINITY : certificate.relative;
    cell->plain = isnan(certificate.plain) ? (double)INFINITY : certificate.plain;
}

static void reduce_work(void *data) {
    solve_task *task = data;
    race_reduce_siconos(NULL, task->problem, 0.0, task->result);
    for (int again = 0; again < AGAIN && task->result->finished && task->result->seconds < SHORT; again++) {
        double seconds = task->result->seconds;
        race_reduce_siconos(NULL, task->problem, 0.0, task->result);
        task->result->seconds = fmin(seconds, task->result->seconds);
    }
}

/* How long Siconos takes to form N, and Cairn once its pages are touched: the best of a few. */
static void time_forming(const request *r, race_problem *problem) {
    if (!problem->made)
        return;
    for (int again = 0; again < AGAIN && problem->forming < SHORT; again++) {
        cairn_problem *local = NULL;
        double begin = guard_clock();
        cairn_status status = cairn_problem_to_local(problem->file.problem, &local);
        double seconds = guard_clock() - begin;
        if (status == CAIRN_OK)
            cairn_problem_destroy(local);
        problem->forming = fmin(problem->forming, seconds);
    }
    race_result *result = guard_memory_create(sizeof *result);
    if (result == NULL)
        return;
    solve_task task = {NULL, problem, 0.0, result};
    bool done = guard_run(reduce_work, &task, r->limit) && result->finished;
    problem->reduction = done ? result->seconds : (double)INFINITY;
    guard_memory_destroy(result, sizeof *result);
}

/* All contestants on one problem, turn by turn. */
static void race_problem_run(const request *r, const race_problem *problem, double tolerance, race_cell *row) {
    cairn_problem_view view = cairn_problem_get(problem->file.problem);
    race_result *result = guard_memory_create(result_bytes(view.m));
    if (result == NULL)
        return;
    for (int k = 0; k < r->repeats; k++)
        for (int j = 0; j < r->peer_count; j++)
            if (!(r->peer[j]->global && view.local) && (k == 0 || row[j].spent < 1.0))
                race_once(r, r->peer[j], problem, tolerance, result, &row[j]);
    guard_memory_destroy(result, result_bytes(view.m));
}

/* Races over the files; all arrays are already there. Returns the number of problems. */
static int race_files(const request *r, int files, char **file, race_table *table, char (*name)[64], int *contacts) {
    cairn_context *context;
    int problems = 0, wanted = r->files > 0 && r->files < files ? r->files : files;
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 0;
    for (int i = 0; i < wanted; i++) {
        race_problem problem;
        if (!problem_read(context, file[(int64_t)i * files / wanted], r->law, &problem))
            continue;
        memcpy(name[problems], problem.name, sizeof name[problems]);
        contacts[problems] = problem.file.contacts;
        time_forming(r, &problem);
        for (int t = 0; t < r->tolerances; t++)
            race_problem_run(r, &problem, r->tolerance[t], &table[t].cell[problems * r->peer_count]);
        fprintf(stderr, "\r%d of %d: %-40.40s", i + 1, wanted, problem.name);
        problem_clear(&problem);
        problems++;
    }
    fprintf(stderr, "\n");
    cairn_context_destroy(context);
    return problems;
}

static int report(const request *r, race_table *table) {
    for (int j = 0; j < r->own; j++)
        printf("%-10s Cairn %s, load and solve%s\n", r->peer[j]->name, cairn_version(),
               r->peer[j]->given_n ? ", local form with N formed beforehand" : "");
    for (int j = r->own; j < r->peer_count; j++)
        printf("%-10s %s\n", r->peer[j]->name, r->peer[j]->note);
    printf("marks      p: only the plain formula is within the tolerance, s: only the certificate, x: neither, "
           "none -: no answer in %g s\n\n",
           r->limit);
    for (int t = 0; t < r->tolerances; t++)
        race_print(&table[t], stdout);
    FILE *csv = r->csv != NULL ? fopen(r->csv, "w") : NULL;
    if (r->csv != NULL && csv == NULL) {
        fprintf(stderr, "race: cannot write %s\n", r->csv);
        return 1;
    }
    for (int t = 0; csv != NULL && t < r->tolerances; t++)
        race_print_csv(&table[t], t == 0, csv);
    if (csv != NULL && fclose(csv) != 0)
        return 1;
    FILE *lines = r->jsonl != NULL ? fopen(r->jsonl, "w") : NULL;
    if (r->jsonl != NULL && lines == NULL) {
        fprintf(stderr, "race: cannot write %s\n", r->jsonl);
        return 1;
    }
    for (int t = 0; lines != NULL && t < r->tolerances; t++)
        race_print_jsonl(&table[t], lines);
    return lines != NULL && fclose(lines) != 0;
}

/* The dense kernels that Siconos calls must run on one thread; they read this before main does. */
static void one_thread(char **argv) {
    if (getenv("OPENBLAS_NUM_THREADS") == NULL) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
}

int main(int argc, char **argv) {
    one_thread(argv);
    request r = {.repeats = 3, .limit = 20.0};
    int first = read_arguments(&r, argc, argv);
    if (first < 0 || !choose_peers(&r))
        return 2;
    int files = argc - first, status = 1;
    char(*name)[64] = calloc((size_t)files, sizeof *name);
    const char **names = calloc((size_t)files, sizeof *names);
    int *contacts = calloc((size_t)files, sizeof *contacts);
    race_cell *cell = calloc((size_t)(files * r.peer_count * r.tolerances), sizeof *cell);
    if (name != NULL && names != NULL && contacts != NULL && cell != NULL) {
        race_table table[TOLERANCES];
        for (int t = 0; t < r.tolerances; t++)
            table[t] = (race_table){.tolerance = r.tolerance[t],
                                    .law = r.law,
                                    .peers = r.peer_count,
                                    .own = r.own,
                                    .peer = r.peer,
                                    .name = names,
                                    .contacts = contacts,
                                    .cell = cell + t * files * r.peer_count};
        int problems = race_files(&r, files, argv + first, table, name, contacts);
        for (int i = 0; i < problems; i++)
            names[i] = name[i];
        for (int t = 0; t < r.tolerances; t++)
            table[t].problems = problems;
        status = report(&r, table);
    }
    free(name);
    free(names);
    free(contacts);
    free(cell);
    return status;
}
