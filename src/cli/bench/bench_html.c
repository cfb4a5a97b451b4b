/*
 * bench_html.c: report.html: the page of src/cli/bench/report/ with style, script and results put
 * in. Nothing is loaded from anywhere.
 *
 * The results are one JSON object in the page. Runs are arrays to keep it small; report.js names
 * their places.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The files of src/cli/bench/report/, each ended by a NUL; made by the build. */
extern const char bench_report_html[], bench_report_look[], bench_report_css[], bench_report_js[];

/* The different methods and problems: the first line of each. */
typedef struct names {
    const bench_line **method, **problem;
    int methods, problems;
} names;

static const char *name_of(const bench_line *line, bool method) {
    return method ? line->method : line->problem;
}

/* The place of the line's method or problem; it is added when it is not there. */
static int place_of(const bench_line **known, int *count, const bench_line *line, bool method) {
    for (int i = 0; i < *count; i++)
        if (strcmp(name_of(known[i], method), name_of(line, method)) == 0)
            return i;
    known[*count] = line;
    return (*count)++;
}

static void write_methods(cli_json *json, const names *x) {
    cli_json_open(json, "methods", '[');
    for (int i = 0; i < x->methods; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", x->method[i]->method);
        cli_json_text(json, "spec", x->method[i]->spec);
        cli_json_text(json, "program", x->method[i]->program);
        cli_json_text(json, "version", x->method[i]->version);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void write_problems(cli_json *json, const names *x) {
    cli_json_open(json, "problems", '[');
    for (int i = 0; i < x->problems; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", x->problem[i]->problem);
        cli_json_real(json, "contacts", x->problem[i]->contacts);
        cli_json_real(json, "n", x->problem[i]->n);
        cli_json_real(json, "m", x->problem[i]->m);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* A number with few digits: enough for tables and pictures. */
static void put_number(FILE *out, double x, int digits) {
    if (isfinite(x))
        fprintf(out, ",%.*g", digits, x);
    else
        fputs(",null", out);
}

static void write_cell(cli_json *json, const bench_line *l, int p, int s) {
    const double number[] = {l->seconds,    l->load_seconds,   l->solve_seconds, l->certificate_seconds,
                             l->iterations, l->factorizations, l->solves,        l->relative,
                             l->plain,      l->natural_map,    l->error};
    cli_json_open(json, NULL, '[');
    fprintf(json->out, "%d,%d,%d", p, s, l->success);
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
        put_number(json->out, number[k], k < 7 ? 7 : 3);
    json->comma = true;
    cli_json_text(json, NULL, l->outcome);
    cli_json_text(json, NULL, l->note);
    if (l->curve.at != NULL)
        fprintf(json->out, ",%.*s", (int)l->curve.length, l->curve.at);
    cli_json_close(json, ']');
}

/* One law and tolerance: its runs, and shares of the profiles at tau = 1, 2, 10 and infinity,
 * which the page checks its own figures with. */
static bool write_table(cli_json *json, const bench_table *table, names *x) {
    double *ratio = bench_table_ratios(table);
    if (ratio == NULL)
        return false;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "law", table->law);
    cli_json_real(json, "tolerance", table->tolerance);
    cli_json_open(json, "runs", '[');
    for (int p = 0; p < table->problems; p++)
        for (int s = 0; s < table->methods; s++) {
            const bench_line *line = table->cell[p * table->methods + s];
            if (line != NULL)
                write_cell(json, line, place_of(x->problem, &x->problems, line, false),
                           place_of(x->method, &x->methods, line, true));
        }
    cli_json_close(json, ']');
    cli_json_open(json, "shares", '[');
    for (int s = 0; s < table->methods; s++) {
        const double tau[] = {1.0, 2.0, 10.0, 1e300};
        cli_json_open(json, NULL, '[');
        cli_json_text(json, NULL, table->method[s]);
        for (int k = 0; k < 4; k++)
            cli_json_real(json, NULL, bench_profile_share(table->problems, table->methods, ratio, s, tau[k]));
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    free(ratio);
    return true;
}

static bool write_data(const bench_results *results, const bench_tables *tables, names *x, FILE *out) {
    cli_json json = {.out = out};
    for (int i = 0; i < results->count; i++) {
        place_of(x->method, &x->methods, &results->line[i], true);
        place_of(x->problem, &x->problems, &results->line[i], false);
    }
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "version", cairn_version());
    cli_json_open(&json, "heads", '[');
    for (int i = 0; i < results->heads; i++)
        fprintf(out, "%s%s", i > 0 ? "," : "", results->head[i]);
    cli_json_close(&json, ']');
    cli_json_open(&json, "refusals", '[');
    for (int i = 0; i < results->refusals; i++)
        cli_json_text(&json, NULL, results->refusal[i].reason);
    cli_json_close(&json, ']');
    write_methods(&json, x);
    write_problems(&json, x);
    cli_json_open(&json, "tables", '[');
    bool good = true;
    for (int t = 0; t < tables->count && good; t++)
        good = write_table(&json, &tables->table[t], x);
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    return good;
}

/* The data as a text without '<', which would be able to end the page's script. NULL: no memory. */
static char *make_data(const bench_results *results, const bench_tables *tables) {
    size_t count = (size_t)results->count + 1, size = 0;
    names x = {calloc(count, sizeof *x.method), calloc(count, sizeof *x.problem), 0, 0};
    char *text = NULL;
    FILE *out = x.method != NULL && x.problem != NULL ? open_memstream(&text, &size) : NULL;
    bool good = out != NULL && write_data(results, tables, &x, out);
    if (out != NULL)
        good = fclose(out) == 0 && good;
    free(x.method);
    free(x.problem);
    if (!good) {
        free(text);
        text = NULL;
    }
    return text;
}

static void put_data(FILE *out, const char *data) {
    for (; *data != '\0'; data++)
        if (*data == '<')
            fputs("\\u003c", out);
        else
            fputc(*data, out);
}

bool bench_html_write(const bench_results *results, const bench_tables *tables, FILE *out) {
    char *data = make_data(results, tables);
    if (data == NULL)
        return false;
    static const char *const mark[] = {"/*STYLE*/", "/*DATA*/", "/*SCRIPT*/"};
    const char *at = bench_report_html;
    for (int i = 0; i < 3; i++) {
        const char *found = strstr(at, mark[i]);
        if (found == NULL)
            break;
        fwrite(at, 1, (size_t)(found - at), out);
        if (i == 0)
            fputs(bench_report_look, out);
        if (i == 1)
            put_data(out, data);
        else
            fputs(i == 0 ? bench_report_css : bench_report_js, out);
        at = found + strlen(mark[i]);
    }
    fputs(at, out);
    free(data);
    return ferror(out) == 0;
}
