/*
 * bench_measure.c: one problem, one method, one law, one tolerance: solved `repeat` times, judged,
 * reported as one line of JSON.
 *
 * The times are the solver's own: load (symbolic work) and solve, the judge not counted. The line
 * keeps all of them and the best. A run that the judge does not accept is not repeated: its time is
 * compared with nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"
#include "cli/solve_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What one curve keeps: at most `limit` points, evenly spread over those seen. */
typedef struct curve {
    int limit, count, stride, seen;
    int iteration[BENCH_CURVE_MAX + 1];
    double seconds[BENCH_CURVE_MAX + 1], map[BENCH_CURVE_MAX + 1];
} curve;

typedef struct cell {
    curve curve;
    bool record; /* the curve is being recorded */
    double limit;
    bench_progress *progress;
    int runs;
    double load[BENCH_REPEAT_MAX], solve[BENCH_REPEAT_MAX]; /* runs */
    int best;                                               /* run with the least load + solve */
    double certificate_seconds;
    cairn_info info; /* of the best run */
    cairn_certificate certificate;
    cairn_status status;
    char error[512];
} cell;

double bench_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void curve_add(curve *c, const cairn_iteration *it) {
    if (c->limit < 2 || !isfinite(it->natural_map) || c->seen++ % c->stride != 0)
        return;
    if (c->count == c->limit) {
        for (int i = 0; 2 * i < c->count; i++) {
            c->iteration[i] = c->iteration[2 * i];
            c->seconds[i] = c->seconds[2 * i];
            c->map[i] = c->map[2 * i];
        }
        c->count = (c->count + 1) / 2;
        c->stride *= 2;
        if ((c->seen - 1) % c->stride != 0)
            return;
    }
    c->iteration[c->count] = it->iteration;
    c->seconds[c->count] = it->seconds;
    c->map[c->count++] = it->natural_map;
}

/* The answer itself is the last point. */
static void curve_end(cell *c) {
    curve *k = &c->curve;
    if (k->limit < 2 || c->runs == 0 || !isfinite(c->certificate.natural_map))
        return;
    if (k->count > 0 && k->iteration[k->count - 1] >= c->info.iterations)
        k->count--;
    k->iteration[k->count] = c->info.iterations;
    k->seconds[k->count] = c->solve[c->best];
    k->map[k->count++] = c->certificate.natural_map;
}

static bool on_iteration(void *user, const cairn_iteration *it) {
    cell *c = user;
    if (c->record)
        curve_add(&c->curve, it);
    c->progress->part = c->limit > 0.0 ? fmin(1.0, it->seconds / c->limit) : 0.0;
    bench_progress_show(c->progress, false);
    return !watch_interrupted();
}

static void keep_error(cell *c, cairn_context *context, cairn_status status) {
    const char *message = cairn_error_message(context);
    c->status = status;
    snprintf(c->error, sizeof c->error, "%s", *message != '\0' ? message : cairn_status_name(status));
}

/* One solve from scratch; the best one is judged and kept. False: it could not be carried out. */
static bool run_once(cell *c, cairn_context *context, const cairn_problem *problem, const cairn_settings *settings,
                     bool timed) {
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    cairn_status status = cairn_solver_create(context, settings, &solver);
    if (status == CAIRN_OK)
        status = cairn_solver_load(solver, problem);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(solver, NULL, &answer, &info);
    if (status == CAIRN_OK && timed) {
        double total = info.load_seconds + info.seconds;
        c->load[c->runs] = info.load_seconds;
        c->solve[c->runs] = info.seconds;
        if (c->runs == 0 || total < c->load[c->best] + c->solve[c->best]) {
            double begin = bench_clock();
            status = cairn_certify(problem, answer.v, answer.gamma, settings->tolerance, &c->certificate, NULL, NULL);
            c->certificate_seconds = bench_clock() - begin;
            c->best = c->runs;
            c->info = info;
        }
        c->runs++;
    }
    if (status != CAIRN_OK)
        keep_error(c, context, status);
    cairn_solver_destroy(solver);
    return status == CAIRN_OK;
}

static void run_all(const bench_request *r, cell *c, cairn_context *context, const cairn_problem *problem,
                    cairn_settings settings) {
    double spent = 0.0;
    c->record = !r->full_curves;
    for (int k = 0; k < r->repeat && !watch_interrupted(); k++) {
        if (!run_once(c, context, problem, &settings, true))
            return;
        c->record = false;
        spent += c->load[k] + c->solve[k];
        if (!c->certificate.certified || spent > r->enough)
            break;
    }
    if (r->full_curves && !watch_interrupted()) {
        settings.trace = true;
        c->record = true;
        run_once(c, context, problem, &settings, false);
    }
}

/* ---- the line ---- */

static void write_array(cli_json *json, const char *key, const double *x, int count) {
    cli_json_open(json, key, '[');
    for (int i = 0; i < count; i++)
        cli_json_real(json, NULL, x[i]);
    cli_json_close(json, ']');
}

/* Three digits are enough for a picture. */
static void write_curve(FILE *out, const curve *c) {
    fprintf(out, ", \"curve\": {\"iteration\": [");
    for (int i = 0; i < c->count; i++)
        fprintf(out, "%s%d", i > 0 ? "," : "", c->iteration[i]);
    fprintf(out, "], \"seconds\": [");
    for (int i = 0; i < c->count; i++)
        fprintf(out, "%s%.3g", i > 0 ? "," : "", c->seconds[i]);
    fprintf(out, "], \"natural_map\": [");
    for (int i = 0; i < c->count; i++)
        fprintf(out, "%s%.3g", i > 0 ? "," : "", c->map[i]);
    fprintf(out, "]}");
}

static void write_run(cli_json *json, const cell *c) {
    const cairn_info *info = &c->info;
    double total[BENCH_REPEAT_MAX];
    for (int k = 0; k < c->runs; k++)
        total[k] = c->load[k] + c->solve[k];
    cli_json_int(json, "iterations", info->iterations);
    cli_json_int(json, "factorizations", info->factorizations);
    cli_json_int(json, "solves", info->solves);
    cli_json_int(json, "checks", info->checks);
    cli_json_int(json, "repairs", info->repairs);
    cli_json_int(json, "products", info->products);
    cli_json_real(json, "seconds", total[c->best]);
    cli_json_real(json, "load_seconds", c->load[c->best]);
    cli_json_real(json, "solve_seconds", c->solve[c->best]);
    cli_json_real(json, "certificate_seconds", c->certificate_seconds);
    cli_json_real(json, "cpu_seconds", info->load_cpu_seconds + info->cpu_seconds);
    write_array(json, "all_seconds", total, c->runs);
    write_array(json, "all_load_seconds", c->load, c->runs);
    cli_json_certificate(json, &c->certificate);
}

static void write_line(FILE *out, const bench_request *r, const bench_file *entry, const cairn_file *file,
                       const bench_method *method, double tolerance, const cell *c) {
    cli_json json = {.out = out};
    char cone[16];
    bool ran = c->status == CAIRN_OK;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "kind", "run");
    cli_json_text(&json, "program", "cairn");
    cli_json_text(&json, "version", cairn_version());
    cli_json_text(&json, "problem", entry->problem);
    cli_json_text(&json, "file", entry->path);
    cli_json_real(&json, "bytes", entry->bytes);
    cli_json_text(&json, "method", method->label);
    cli_json_text(&json, "spec", method->spec);
    cli_json_text(&json, "law", cairn_law_name(cairn_problem_get(file->problem).law));
    cli_json_text(&json, "cone", cli_cone_name(r->directions, cone));
    cli_json_real(&json, "tolerance", tolerance);
    cli_json_real(&json, "time_limit", r->time_limit);
    cli_json_text(&json, "outcome",
                  ran                                    ? cairn_outcome_name(c->info.outcome)
                  : c->status == CAIRN_ERROR_UNSUPPORTED ? "refused"
                                                         : "error");
    cli_json_text(&json, "note", ran ? c->info.note : c->error);
    cli_json_sizes(&json, file);
    if (ran) {
        write_run(&json, c);
        if (c->curve.count > 0)
            write_curve(out, &c->curve);
    }
    cli_json_close(&json, '}');
}

char *bench_cell_run(const bench_request *r, cairn_context *context, const bench_file *entry, const cairn_file *file,
                     const bench_method *method, double tolerance, bench_progress *progress) {
    char *text = NULL;
    size_t size = 0;
    cell *c = calloc(1, sizeof *c);
    FILE *out = c != NULL ? open_memstream(&text, &size) : NULL;
    if (out == NULL) {
        free(c);
        cli_complain("out of memory");
        return NULL;
    }
    cairn_settings settings = method->settings;
    settings.tolerance = tolerance;
    settings.on_iteration = on_iteration;
    settings.user = c;
    c->curve.limit = r->curve;
    c->curve.stride = 1;
    c->limit = settings.time_limit;
    c->progress = progress;
    run_all(r, c, context, file->problem, settings);
    curve_end(c);
    bool good = !watch_interrupted();
    if (good)
        write_line(out, r, entry, file, method, tolerance, c);
    good = fclose(out) == 0 && good;
    free(c);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}
