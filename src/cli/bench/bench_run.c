/*
 * bench_run.c: goes through the cells, one solve at a time, and shows how far it is.
 *
 * Progress goes to standard error. On a terminal: one line redrawn ten times a second, with a bar
 * and the time left. Elsewhere: one plain line a cell. The time left takes the cost of a cell as
 * proportional to the size of its file.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"
#include "cli/solve_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 24, COLUMNS = 79 };

static void write_time(double seconds, char text[48]) {
    long s = seconds < 1e8 ? lround(seconds) : 100000000L;
    if (s >= 3600)
        snprintf(text, 48, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(text, 48, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(text, 48, "%ld s", s);
}

/* Seconds left, NAN while nothing is known. */
static double time_left(const bench_progress *p) {
    double elapsed = bench_clock() - p->started;
    return p->weight > 0.0 ? elapsed / p->weight * fmax(0.0, p->all - p->weight) : NAN;
}

void bench_progress_show(bench_progress *p, bool force) {
    double now = bench_clock();
    if (!p->terminal || (!force && now < p->next))
        return;
    char left[48] = "?", bar[BAR + 1];
    if (!isnan(time_left(p)))
        write_time(time_left(p), left);
    double share = p->all > 0.0 ? fmin(1.0, (p->weight + p->part * p->cell_weight) / p->all) : 1.0;
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    char text[COLUMNS + 1];
    int length = snprintf(text, sizeof text, "[%s] %d of %d, %s left  %s", bar, p->done + p->before,
                          p->cells + p->before, left, p->now);
    size_t last = length < 0 ? 0 : strlen(text); /* what does not fit is cut */
    for (bool full = last == COLUMNS; full && last > 0 && ((unsigned char)text[last - 1] & 0x80) != 0; last--)
        text[last - 1] = '\0'; /* a letter of several bytes may be cut: no part of it is shown */
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    p->shown = true;
    p->next = now + 0.1;
}

void bench_progress_clear(bench_progress *p) {
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static bool is_done(const bench_request *r, const bench_results *results, const bench_file *entry, int method, int law,
                    int tolerance) {
    return bench_results_find(results, entry->problem, r->method[method].label, cairn_law_name(r->law[law]),
                              r->tolerance[tolerance]) != NULL;
}

static int open_cells(const bench_request *r, const bench_results *results, const bench_file *entry) {
    int open = 0;
    for (int l = 0; l < r->laws; l++)
        for (int t = 0; t < r->tolerances; t++)
            for (int s = 0; s < r->methods; s++)
                open += !is_done(r, results, entry, s, l, t);
    return open;
}

static void tell_cell(bench_progress *p, const bench_results *results, const bench_file *entry,
                      const bench_method *method, cairn_law law, double tolerance) {
    const bench_line *line = bench_results_find(results, entry->problem, method->label, cairn_law_name(law), tolerance);
    if (line == NULL)
        return;
    p->solved += line->success;
    if (p->terminal)
        return;
    char time[16], map[16], text[24], left[48] = "?";
    if (!isnan(time_left(p)))
        write_time(time_left(p), left);
    fprintf(stderr, "%d of %d: %s, %s, %s, %s: %s, %s, relative error %s, %s; %s left\n", p->done + p->before,
            p->cells + p->before, entry->problem, method->label, cairn_law_name(law), bench_tolerance(tolerance, text),
            line->outcome, line->success ? "certified" : "not certified", cli_short(line->relative, map),
            cli_seconds(line->seconds, time), left);
}

/* All open cells of one problem. */
static int run_problem(const bench_request *r, cairn_context *context, const bench_file *entry, const cairn_file *file,
                       bench_results *results, bench_progress *p) {
    char now[512], text[24];
    for (int l = 0; l < r->laws; l++)
        for (int t = 0; t < r->tolerances; t++)
            for (int s = 0; s < r->methods; s++) {
                if (is_done(r, results, entry, s, l, t))
                    continue;
                snprintf(now, sizeof now, "%s, %s, %s, %s", entry->problem, r->method[s].label,
                         cairn_law_name(r->law[l]), bench_tolerance(r->tolerance[t], text));
                p->now = now;
                p->part = 0.0;
                bench_progress_show(p, true);
                cairn_problem_set_law(file->problem, r->law[l]);
                char *line = bench_cell_run(r, context, entry, file, &r->method[s], r->tolerance[t], p);
                if (line == NULL)
                    return watch_interrupted() ? CLI_UNSOLVED : CLI_BAD_FILE;
                int code = bench_results_append(results, line);
                free(line);
                if (code != CLI_GO)
                    return code;
                p->done++;
                p->weight += p->cell_weight;
                p->part = 0.0;
                tell_cell(p, results, entry, &r->method[s], r->law[l], r->tolerance[t]);
            }
    return CLI_GO;
}

/* Notes that a file was refused, once. CLI_GO: a kind of problem that is not supported;
 * CLI_BAD_FILE: a bad file. */
static int refuse(cairn_context *context, cairn_status status, const bench_file *entry, bench_results *results,
                  bench_progress *p) {
    char *text = NULL;
    size_t size = 0;
    const char *message = cairn_error_message(context);
    bench_progress_clear(p);
    cli_complain("left out: %s", message);
    for (int i = 0; i < results->refusals; i++)
        if (strcmp(results->refusal[i].file, entry->path) == 0 && strcmp(results->refusal[i].reason, message) == 0)
            return status == CAIRN_ERROR_UNSUPPORTED ? CLI_GO : CLI_BAD_FILE;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return CLI_BAD_FILE;
    cli_json json = {.out = out};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "kind", "refused");
    cli_json_text(&json, "file", entry->path);
    cli_json_text(&json, "reason", message);
    cli_json_close(&json, '}');
    int code = fclose(out) == 0 ? bench_results_append(results, text) : CLI_BAD_FILE;
    free(text);
    return code == CLI_GO && status == CAIRN_ERROR_UNSUPPORTED ? CLI_GO : CLI_BAD_FILE;
}

static int run_file(const bench_request *r, cairn_context *context, const bench_file *entry, bench_results *results,
                    bench_progress *p, bool *bad) {
    int open = open_cells(r, results, entry);
    if (open == 0)
        return CLI_GO;
    cairn_file file;
    p->now = entry->problem;
    p->cell_weight = fmax(1.0, entry->bytes);
    bench_progress_show(p, true);
    cairn_status status = cairn_file_read(context, entry->path, &file);
    if (status != CAIRN_OK) {
        p->all -= open * p->cell_weight;
        p->cells -= open;
        *bad = refuse(context, status, entry, results, p) != CLI_GO || *bad;
        return CLI_GO;
    }
    if (file.note != NULL) {
        bench_progress_clear(p);
        cli_complain("%s: %s", entry->path, file.note);
    }
    status = cairn_problem_set_cone(file.problem, r->directions);
    int code = CLI_BAD_FILE;
    if (status == CAIRN_OK)
        code = run_problem(r, context, entry, &file, results, p);
    else
        cli_report(context, entry->path, status, false);
    cairn_file_clear(&file);
    return code;
}

int bench_run(const bench_request *r, bench_results *results) {
    bench_progress p = {.terminal = isatty(STDERR_FILENO) != 0, .started = bench_clock(), .now = ""};
    cairn_context *context = cli_context(r->threads);
    watch *w = NULL;
    if (context == NULL)
        return CLI_BAD_FILE;
    int code = watch_create(NULL, NULL, 0, &w);
    for (int i = 0; i < r->files; i++) {
        int open = open_cells(r, results, &r->file[i]);
        p.cells += open;
        p.before += r->methods * r->laws * r->tolerances - open;
        p.all += open * fmax(1.0, r->file[i].bytes);
    }
    if (p.before > 0)
        fprintf(stderr, "%d of %d runs are in %s already\n", p.before, p.before + p.cells, results->path);
    bool bad = false;
    for (int i = 0; i < r->files && code == CLI_GO && !watch_interrupted(); i++)
        code = run_file(r, context, &r->file[i], results, &p, &bad);
    bench_progress_clear(&p);
    if (watch_interrupted()) {
        cli_complain("interrupted: %d of %d runs are done and kept in %s; the same command goes on from there",
                     p.done + p.before, p.cells + p.before, results->path);
        code = CLI_UNSOLVED;
    }
    if (w != NULL)
        watch_destroy(w);
    cairn_context_destroy(context);
    return code != CLI_GO ? code : bad ? CLI_BAD_FILE : CLI_OK;
}
