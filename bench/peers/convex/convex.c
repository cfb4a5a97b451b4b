/*
 * convex.c: general solvers of convex programs on the associated problem of FCLIB files, as lines for `cairn bench --add`.
 *
 *     convex [options] --jsonl OUT FILE...
 *     --solvers A,B      cvxopt, ipopt; default both
 *     --tolerance X      may be given several times; default 1e-4 and 1e-8
 *     --limit S          CPU seconds for one solve; default 20
 *     --repeats K        best of K; default 3. A solver that has spent a second is not repeated
 *     --files N          only N of the files, evenly spread
 *     --script PATH      coneqp.py
 *
 * The answers are judged by cairn_judge_run from the impulses alone. The solvers stop at tests of their own; each is run with its tolerance
 * at a tenth of the one asked for and, when the judge does not accept that answer, at a thousandth and a hundred-thousandth. The time of the run
 * that was accepted counts, the others do not.
 */
#define _POSIX_C_SOURCE 200809L
#include "../guard.h"
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLERANCES = 8 };

typedef struct request {
    const char *solvers, *jsonl, *script;
    int tolerances, repeats, files;
    double tolerance[TOLERANCES], limit;
} request;

typedef struct task {
    const request *r;
    const cone_program *program;
    double own;
    convex_result *result;
} task;

static void work_ipopt(void *data) {
    task *t = data;
    convex_ipopt(t->program, t->own, t->result);
}

static void solve_ipopt(task *t) {
    guard_run(work_ipopt, t, t->r->limit);
}

static void solve_cvxopt(task *t) {
    convex_cvxopt(t->program, t->own, t->r->script, t->r->limit, t->result);
}

typedef struct peer {
    const char *name, *program, *version, *note;
    void (*solve)(task *t);
} peer;

static const peer peers[] = {
    {"cvxopt", "CVXOPT", "1.3", "coneqp; its own tolerances at a tenth or less of the one asked for", solve_cvxopt},
    {"ipopt", "Ipopt", "3.11",
     "cones as t - |w|^2/t >= 0, adaptive barrier, MUMPS; its own tolerance at a tenth or less of the one asked for",
     solve_ipopt},
};
enum { PEERS = sizeof peers / sizeof peers[0] };

/* One option and its value; false: not understood. */
static bool read_option(request *r, const char *key, const char *value) {
    if (strcmp(key, "--solvers") == 0)
        r->solvers = value;
    else if (strcmp(key, "--jsonl") == 0)
        r->jsonl = value;
    else if (strcmp(key, "--script") == 0)
        r->script = value;
    else if (strcmp(key, "--tolerance") == 0 && r->tolerances < TOLERANCES)
        r->tolerance[r->tolerances++] = atof(value);
    else if (strcmp(key, "--limit") == 0)
        r->limit = atof(value);
    else if (strcmp(key, "--repeats") == 0)
        r->repeats = atoi(value);
    else if (strcmp(key, "--files") == 0)
        r->files = atoi(value);
    else
        return false;
    return true;
}

/* ---- one cell ---- */

typedef struct cell {
    bool finished, solved;
    int iterations, verdict;
    double seconds, own;
    cairn_certificate certificate;
} cell;

/* One solve at the solver's own tolerance; kept when it is better than what is there. Returns the seconds it took. */
static double solve_once(task *t, const peer *p, cairn_judge *judge, double tolerance, cell *c) {
    cairn_certificate certificate;
    memset(t->result, 0, sizeof *t->result + (size_t)t->program->m * sizeof(double));
    p->solve(t);
    if (!t->result->finished)
        return t->r->limit;
    if (cairn_judge_run(judge, NULL, t->result->gamma, tolerance, &certificate, NULL, NULL) != CAIRN_OK)
        return t->result->seconds;
    bool solved = certificate.certified;
    bool better = !c->finished || (solved && !c->solved) || (solved && t->result->seconds < c->seconds) ||
                  (!c->solved && certificate.relative < c->certificate.relative);
    if (better)
        *c = (cell){true, solved, t->result->iterations, t->result->verdict, t->result->seconds, t->own, certificate};
    return t->result->seconds;
}

static cell solve_cell(task *t, const peer *p, cairn_judge *judge, double tolerance) {
    cell c = {0};
    for (int i = 0; i < 3 && !c.solved; i++) {
        t->own = fmax(1e-14, tolerance * (i == 0 ? 1e-1 : i == 1 ? 1e-3 : 1e-5));
        double spent = solve_once(t, p, judge, tolerance, &c);
        for (int k = 1; k < t->r->repeats && c.solved && spent < 1.0; k++)
            spent += solve_once(t, p, judge, tolerance, &c);
        if (spent >= t->r->limit)
            break;
    }
    return c;
}

static void put_number(FILE *out, const char *key, double x) {
    if (isfinite(x))
        fprintf(out, ", \"%s\": %.9g", key, x);
    else
        fprintf(out, ", \"%s\": null", key);
}

static void put_cell(FILE *out, const char *problem, const cairn_file *file, const peer *p, double tolerance,
                     const cell *c) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    fprintf(out, "{\"kind\": \"run\", \"program\": \"%s\", \"version\": \"%s\", \"problem\": \"", p->program,
            p->version);
    for (const char *s = problem; *s != '\0'; s++)
        if (*s != '"' && *s != '\\' && (unsigned char)*s >= 0x20)
            fputc(*s, out);
    fprintf(out, "\", \"method\": \"%s\", \"law\": \"associated\", \"tolerance\": %g", p->name, tolerance);
    fprintf(out, ", \"sizes\": {\"n\": %d, \"m\": %d, \"contacts\": %d}", view.n, view.m, file->contacts);
    fprintf(out, ", \"outcome\": \"%s\"", !c->finished ? "no answer" : c->verdict == 0 ? "solved" : "not solved");
    if (c->finished) {
        put_number(out, "seconds", c->seconds);
        put_number(out, "own_tolerance", c->own);
        fprintf(out, ", \"iterations\": %d, \"certificate\": {\"tolerance\": %g", c->iterations, tolerance);
        put_number(out, "relative", c->certificate.relative);
        put_number(out, "natural_map", c->certificate.natural_map);
        put_number(out, "plain", c->certificate.plain);
        put_number(out, "error", c->certificate.error);
        fputs("}", out);
    }
    fprintf(out, ", \"note\": \"%s\"}\n", p->note);
    fflush(out);
}

/* ---- files ---- */

static bool wanted(const request *r, const char *name) {
    return r->solvers == NULL || strstr(r->solvers, name) != NULL;
}

static void run_program(const request *r, const char *name, const cairn_file *file, const cone_program *program,
                        FILE *out) {
    cairn_judge *judge = NULL;
    size_t bytes = sizeof(convex_result) + (size_t)program->m * sizeof(double);
    convex_result *result = guard_memory_create(bytes);
    if (result == NULL || cairn_judge_create(file->problem, &judge) != CAIRN_OK)
        fprintf(stderr, "left out: %s: no judge\n", name);
    task t = {r, program, 0.0, result};
    for (int i = 0; i < r->tolerances && judge != NULL; i++)
        for (int j = 0; j < PEERS; j++) {
            if (!wanted(r, peers[j].name))
                continue;
            cell c = solve_cell(&t, &peers[j], judge, r->tolerance[i]);
            put_cell(out, name, file, &peers[j], r->tolerance[i], &c);
            fprintf(stderr, "%s, %s, %g: %s, relative error %.2e, %.1f ms\n", name, peers[j].name, r->tolerance[i],
                    c.solved     ? "certified"
                    : c.finished ? "not certified"
                                 : "no answer",
                    c.finished ? c.certificate.relative : (double)NAN, 1e3 * c.seconds);
        }
    cairn_judge_destroy(judge);
    guard_memory_destroy(result, bytes);
}

static void run_file(const request *r, cairn_context *context, const char *path, FILE *out) {
    cairn_file file;
    cone_program program;
    const char *why, *slash = strrchr(path, '/');
    char name[256];
    snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot != NULL)
        *dot = '\0';
    if (cairn_file_read(context, path, &file) != CAIRN_OK) {
        fprintf(stderr, "left out: %s\n", cairn_error_message(context));
        return;
    }
    cairn_problem_set_law(file.problem, CAIRN_LAW_ASSOCIATED);
    if (program_create(file.problem, &program, &why)) {
        run_program(r, name, &file, &program, out);
        program_clear(&program);
    } else {
        fprintf(stderr, "left out: %s: %s\n", path, why);
    }
    cairn_file_clear(&file);
}

int main(int argc, char **argv) {
    request r = {.repeats = 3, .limit = 20.0, .script = "bench/peers/convex/coneqp.py"};
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2)
        if (!read_option(&r, argv[at], argv[at + 1])) {
            fprintf(stderr, "convex: %s: unknown option\n", argv[at]);
            return 2;
        }
    if (r.tolerances == 0) {
        r.tolerance[r.tolerances++] = 1e-4;
        r.tolerance[r.tolerances++] = 1e-8;
    }
    cairn_context *context;
    FILE *out = r.jsonl != NULL ? fopen(r.jsonl, "w") : NULL;
    if (at >= argc || out == NULL || !(r.limit > 0.0) || cairn_context_create(NULL, &context) != CAIRN_OK) {
        fprintf(stderr, "convex: give --jsonl OUT that can be written, a positive limit, and files\n");
        return 2;
    }
    int files = argc - at, chosen = r.files > 0 && r.files < files ? r.files : files;
    for (int i = 0; i < chosen; i++)
        run_file(&r, context, argv[at + (int)((int64_t)i * files / chosen)], out);
    cairn_context_destroy(context);
    return fclose(out) == 0 ? 0 : 1;
}
