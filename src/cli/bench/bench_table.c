/*
 * bench_table.c: sorts results into tables, one a law and tolerance; writes the CSV and the files
 * of the report.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_table(const bench_table *table, const bench_line *line) {
    return strcmp(table->law, line->law) == 0 && fabs(table->tolerance - line->tolerance) <= 1e-9 * line->tolerance;
}

/* The place of text among count words; it is added when it is not there. */
static int place_of(const char **word, int *count, const char *text) {
    for (int i = 0; i < *count; i++)
        if (strcmp(word[i], text) == 0)
            return i;
    word[*count] = text;
    return (*count)++;
}

/* Fills a table whose law and tolerance are set. */
static bool fill_table(const bench_results *results, bench_table *table) {
    table->problem = calloc((size_t)results->count, sizeof *table->problem);
    table->method = calloc((size_t)results->count, sizeof *table->method);
    if (table->problem == NULL || table->method == NULL)
        return false;
    for (int i = 0; i < results->count; i++)
        if (same_table(table, &results->line[i])) {
            place_of(table->problem, &table->problems, results->line[i].problem);
            place_of(table->method, &table->methods, results->line[i].method);
        }
    table->cell = calloc((size_t)table->problems * (size_t)table->methods, sizeof *table->cell);
    if (table->cell == NULL)
        return false;
    for (int i = 0; i < results->count; i++)
        if (same_table(table, &results->line[i])) {
            int p = place_of(table->problem, &table->problems, results->line[i].problem);
            int s = place_of(table->method, &table->methods, results->line[i].method);
            table->cell[p * table->methods + s] = &results->line[i];
        }
    return true;
}

/* Coulomb before associated, loose before tight. */
static int by_law(const void *a, const void *b) {
    const bench_table *x = a, *y = b;
    int law = strcmp(y->law, x->law);
    return law != 0 ? law : (x->tolerance < y->tolerance) - (x->tolerance > y->tolerance);
}

bool bench_tables_make(const bench_results *results, bench_tables *tables) {
    *tables = (bench_tables){.table = calloc((size_t)results->count + 1, sizeof *tables->table)};
    if (tables->table == NULL)
        return false;
    for (int i = 0; i < results->count; i++) {
        const bench_line *line = &results->line[i];
        bool known = false;
        for (int t = 0; t < tables->count && !known; t++)
            known = same_table(&tables->table[t], line);
        if (!known)
            tables->table[tables->count++] = (bench_table){.law = line->law, .tolerance = line->tolerance};
    }
    qsort(tables->table, (size_t)tables->count, sizeof *tables->table, by_law);
    for (int t = 0; t < tables->count; t++)
        if (!fill_table(results, &tables->table[t])) {
            bench_tables_free(tables);
            return false;
        }
    return true;
}

void bench_tables_free(bench_tables *tables) {
    for (int t = 0; t < tables->count; t++) {
        free(tables->table[t].problem);
        free(tables->table[t].method);
        free(tables->table[t].cell);
    }
    free(tables->table);
    *tables = (bench_tables){0};
}

const char *bench_tolerance(double x, char text[24]) {
    int exponent = (int)floor(log10(x) + 1e-9);
    double mantissa = x * pow(10.0, -exponent);
    if (exponent >= -1)
        snprintf(text, 24, "%.6g", x);
    else
        snprintf(text, 24, "%.4ge%d", mantissa, exponent);
    return text;
}

double *bench_table_ratios(const bench_table *table) {
    size_t cells = (size_t)table->problems * (size_t)table->methods;
    double *ratio = malloc((cells + 1) * sizeof *ratio);
    if (ratio == NULL)
        return NULL;
    for (size_t i = 0; i < cells; i++)
        ratio[i] = table->cell[i] != NULL && table->cell[i]->success ? table->cell[i]->seconds : (double)INFINITY;
    bench_profile_ratios(table->problems, table->methods, ratio, ratio);
    return ratio;
}

/* ---- CSV ---- */

static void csv_number(FILE *out, double x) {
    if (isfinite(x))
        fprintf(out, ",%.10g", x);
    else
        fputc(',', out);
}

bool bench_csv_write(const bench_results *results, FILE *out) {
    fputs("program,version,problem,contacts,n,m,method,spec,law,tolerance,outcome,success,iterations,factorizations,"
          "solves,"
          "seconds,load_seconds,solve_seconds,certificate_seconds,error,relative,plain,natural_map,"
          "file,note\n",
          out);
    for (int i = 0; i < results->count; i++) {
        const bench_line *l = &results->line[i];
        const char *first[] = {l->program, l->version, l->problem};
        for (int k = 0; k < 3; k++) {
            cli_csv_text(out, first[k]);
            fputs(k < 2 ? "," : "", out);
        }
        const double size[] = {l->contacts, l->n, l->m};
        for (int k = 0; k < 3; k++)
            csv_number(out, size[k]);
        const char *what[] = {l->method, l->spec, l->law};
        for (int k = 0; k < 3; k++) {
            fputc(',', out);
            cli_csv_text(out, what[k]);
        }
        csv_number(out, l->tolerance);
        fputc(',', out);
        cli_csv_text(out, l->outcome);
        fprintf(out, ",%d", l->success);
        const double number[] = {l->iterations,    l->factorizations,      l->solves, l->seconds,  l->load_seconds,
                                 l->solve_seconds, l->certificate_seconds, l->error,  l->relative, l->plain,
                                 l->natural_map};
        for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
            csv_number(out, number[k]);
        fputc(',', out);
        cli_csv_text(out, l->file);
        fputc(',', out);
        cli_csv_text(out, l->note);
        fputc('\n', out);
    }
    return ferror(out) == 0;
}

/* ---- files and summary ---- */

/* Sorts x; NAN for none. */
static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count) {
    if (count == 0)
        return (double)NAN;
    qsort(x, (size_t)count, sizeof *x, ascending);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

static void print_method(const bench_table *table, const double *ratio, int s, const cli_column *column, double *work) {
    char solved[32], best[16], twice[16], middle[16], total[16], worst[16];
    int count = 0;
    double sum = 0.0, map = -1.0; /* no answer yet */
    for (int p = 0; p < table->problems; p++) {
        const bench_line *line = table->cell[p * table->methods + s];
        if (line == NULL || (line->outcome != NULL && strcmp(line->outcome, "refused") == 0))
            continue;
        if (line->success) {
            work[count++] = line->seconds;
            sum += line->seconds;
        }
        if (!(line->relative <= map) && !isnan(map)) /* a NAN stays */
            map = line->relative;
    }
    if (map < 0.0)
        map = (double)NAN;
    snprintf(solved, sizeof solved, "%d of %d", count, table->problems);
    snprintf(best, sizeof best, "%.2f", bench_profile_share(table->problems, table->methods, ratio, s, 1.0));
    snprintf(twice, sizeof twice, "%.2f", bench_profile_share(table->problems, table->methods, ratio, s, 2.0));
    const char *cell[] = {
        table->method[s],     solved, best, twice, cli_seconds(median(work, count), middle), cli_seconds(sum, total),
        cli_short(map, worst)};
    bool all = count == table->problems;
    cli_table_row(column, 7, cell, 1, all ? cli_green() : cli_red());
}

static bool print_summary(const bench_table *table) {
    double *ratio = bench_table_ratios(table), *work = calloc((size_t)table->problems + 1, sizeof *work);
    bool good = ratio != NULL && work != NULL;
    int width = 6;
    char tolerance[24];
    for (int s = 0; s < table->methods; s++)
        width = (int)strlen(table->method[s]) > width ? (int)strlen(table->method[s]) : width;
    const cli_column column[] = {{"method", -width}, {"solved", 10}, {"rho(1)", 6},     {"rho(2)", 6},
                                 {"median", 9},      {"total", 9},   {"worst error", 9}};
    if (good) {
        printf("\n%s law, tolerance %s, %d problem%s\n", table->law, bench_tolerance(table->tolerance, tolerance),
               table->problems, table->problems == 1 ? "" : "s");
        cli_table_head(column, 7);
    }
    for (int s = 0; s < table->methods && good; s++)
        print_method(table, ratio, s, column, work);
    free(ratio);
    free(work);
    return good;
}

typedef struct report {
    const bench_results *results;
    const bench_tables *tables;
    const bench_table *table;
} report;

static bool write_csv(const report *r, FILE *out) {
    return bench_csv_write(r->results, out);
}

static bool write_svg(const report *r, FILE *out) {
    return bench_svg_write(r->table, out);
}

static bool write_html(const report *r, FILE *out) {
    return bench_html_write(r->results, r->tables, out);
}

/* Writes one file of the folder. */
static int write_file(const char *folder, const char *name, bool (*write)(const report *r, FILE *out),
                      const report *r) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    snprintf(path, size, "%s/%s", folder, name);
    cli_output out;
    cairn_context *context = cli_context(1);
    int code = context != NULL ? cli_output_open(context, path, &out) : CLI_BAD_FILE;
    if (code == CLI_GO) {
        bool good = write(r, out.stream);
        code = cli_output_close(context, &out, good);
        if (!good)
            cli_complain("%s: could not be written", path);
        code = good && code == CLI_GO ? CLI_OK : CLI_BAD_FILE;
    }
    cairn_context_destroy(context);
    free(path);
    return code;
}

int bench_report(const bench_results *results, const char *folder) {
    bench_tables tables;
    if (!bench_tables_make(results, &tables)) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    report r = {.results = results, .tables = &tables};
    int code = write_file(folder, "results.csv", write_csv, &r);
    for (int t = 0; t < tables.count && code == CLI_OK; t++) {
        char name[64], tolerance[24];
        r.table = &tables.table[t];
        snprintf(name, sizeof name, "profile-%s-%s.svg", r.table->law, bench_tolerance(r.table->tolerance, tolerance));
        code = write_file(folder, name, write_svg, &r);
        if (code == CLI_OK && !print_summary(r.table)) {
            cli_complain("out of memory");
            code = CLI_BAD_FILE;
        }
    }
    if (code == CLI_OK)
        code = write_file(folder, "report.html", write_html, &r);
    if (results->refusals > 0)
        printf("\nfiles left out:\n");
    for (int i = 0; i < results->refusals; i++)
        printf("  %s\n", results->refusal[i].reason);
    if (code == CLI_OK)
        printf("\n%s/report.html\n", folder);
    bench_tables_free(&tables);
    return code;
}
