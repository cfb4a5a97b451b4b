/*
 * cmd_bench.c: `cairn bench FILES|DIRS...`: every method on every problem, judged alike, with a
 * report.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options that need more than cli_parse does. */
typedef struct texts {
    const char *law, *cone, *tolerance;
    cli_list methods, add;
    bool report_only;
} texts;

static int read_tolerances(bench_request *r, const char *text) {
    for (const char *at = text;; at++) {
        char *end = NULL;
        double x = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !(x >= 1e-16 && x <= CLI_TOLERANCE_MOST))
            return cli_usage("bench", "--tol expects numbers from 1e-16 to 0.99 parted by commas, got '%s'", text);
        for (int i = 0; i < r->tolerances; i++)
            if (r->tolerance[i] == x)
                return cli_usage("bench", "--tol: %g is there twice", x);
        if (r->tolerances == BENCH_TOLERANCES_MAX)
            return cli_usage("bench", "--tol: more than %d tolerances", BENCH_TOLERANCES_MAX);
        r->tolerance[r->tolerances++] = x;
        if (*end == '\0')
            return CLI_GO;
        at = end;
    }
}

static int read_laws(bench_request *r, const char *text) {
    bool both = strcmp(text, "both") == 0;
    if (both || strcmp(text, "coulomb") == 0)
        r->law[r->laws++] = CAIRN_LAW_COULOMB;
    if (both || strcmp(text, "associated") == 0)
        r->law[r->laws++] = CAIRN_LAW_ASSOCIATED;
    return r->laws > 0 ? CLI_GO : cli_usage("bench", "--law expects coulomb, associated or both, got '%s'", text);
}

static int check_settings(const bench_request *r) {
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    int code = CLI_GO;
    for (int i = 0; i < r->methods && code == CLI_GO; i++) {
        cairn_solver *solver = NULL;
        if (cairn_solver_create(context, &r->method[i].settings, &solver) != CAIRN_OK)
            code = cli_usage("bench", "--methods: %s: %s", r->method[i].label, cairn_error_message(context));
        cairn_solver_destroy(solver);
    }
    cairn_context_destroy(context);
    return code;
}

static int make_request(bench_request *r, const texts *t) {
    int code = read_tolerances(r, t->tolerance);
    if (code == CLI_GO)
        code = read_laws(r, t->law);
    if (code == CLI_GO)
        code = cli_parse_cone("bench", t->cone, &r->directions);
    for (int i = 0; i < t->methods.count && code == CLI_GO; i++)
        code = bench_methods_read(r, t->methods.item[i]);
    if (code == CLI_GO && r->methods == 0)
        code = bench_methods_all(r);
    return code == CLI_GO ? check_settings(r) : code;
}

/* The command line, quoted so that a shell takes it back. NULL: no memory. */
static char *quote_command(int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    fputs("cairn", out);
    for (int i = 0; i < argc; i++) {
        bool plain = argv[i][0] != '\0' && strpbrk(argv[i], " \t\n\"'\\$`*?[]{}()<>|&;#~!") == NULL;
        fputs(plain ? " " : " '", out);
        for (const char *s = argv[i]; *s != '\0'; s++)
            if (*s == '\'')
                fputs("'\\''", out);
            else
                fputc(*s, out);
        if (!plain)
            fputc('\'', out);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the head of results.jsonl ---- */

static char *make_head(const bench_request *r) {
    char *text = NULL;
    size_t size = 0;
    char cone[16];
    bench_machine machine;
    bench_machine_read(&machine);
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    cli_json json = {.out = out};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "kind", "bench");
    cli_json_int(&json, "schema", 1);
    cli_json_text(&json, "program", "cairn");
    cli_json_text(&json, "version", cairn_version());
    cli_json_text(&json, "command", r->command);
    cli_json_text(&json, "cone", cli_cone_name(r->directions, cone));
    cli_json_real(&json, "time_limit", r->time_limit);
    cli_json_int(&json, "repeat", r->repeat);
    cli_json_real(&json, "enough", r->enough);
    cli_json_int(&json, "max_iterations", r->max_iterations);
    cli_json_int(&json, "threads", r->threads);
    bench_machine_json(&machine, &json);
    cli_json_close(&json, '}');
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Numbers and texts of two heads that must agree for their times to be compared. */
static int compare_heads(const char *path, const char *old, const char *now) {
    static const struct {
        const char *key, *name;
    } must[] = {{"schema", "the schema"},         {"cone", "--cone"},      {"version", "Cairn's version"},
                {"time_limit", "--time-limit"},   {"repeat", "--repeat"},  {"enough", "--enough"},
                {"max_iterations", "--max-iter"}, {"threads", "--threads"}};
    for (size_t i = 0; i < sizeof must / sizeof must[0]; i++) {
        json_span a = json_member(old, must[i].key), b = json_member(now, must[i].key);
        if (a.at == NULL && strcmp(must[i].key, "cone") == 0 && strncmp(b.at, "\"round\"", b.length) == 0)
            continue; /* results from before there was a choice */
        if (a.at == NULL || a.length != b.length || strncmp(a.at, b.at, a.length) != 0)
            return cli_usage("bench",
                             "%s was made with another value of %s (%.*s, now %.*s): results would not "
                             "compare; choose another --out",
                             path, must[i].name, a.at != NULL ? (int)a.length : 4, a.at != NULL ? a.at : "none",
                             (int)b.length, b.at);
    }
    json_span a = json_member(old, "machine"), b = json_member(now, "machine");
    char *cpu_a = a.at != NULL ? json_string(a.at, "cpu") : NULL, *cpu_b = json_string(b.at, "cpu");
    int code = CLI_GO;
    if (cpu_a == NULL || cpu_b == NULL || strcmp(cpu_a, cpu_b) != 0)
        code = cli_usage("bench",
                         "%s was made on another processor (%s): times would not compare; choose another --out", path,
                         cpu_a != NULL ? cpu_a : "unknown");
    free(cpu_a);
    free(cpu_b);
    return code;
}

/* A label must mean the same method, a problem the same file, as in the results that are there. */
static int compare_cells(const bench_request *r, const bench_results *results) {
    for (int i = 0; i < results->count; i++) {
        const bench_line *line = &results->line[i];
        for (int s = 0; s < r->methods; s++)
            if (strcmp(line->method, r->method[s].label) == 0 &&
                (strcmp(line->spec, r->method[s].spec) != 0 || strcmp(line->program, "cairn") != 0))
                return cli_usage("bench", "%s: '%s' was %s '%s' before, now it is '%s'; choose another name or --out",
                                 results->path, line->method, line->program, line->spec, r->method[s].spec);
        for (int p = 0; p < r->files; p++)
            if (strcmp(line->program, "cairn") == 0 && strcmp(line->problem, r->file[p].problem) == 0 &&
                line->bytes != r->file[p].bytes)
                return cli_usage("bench",
                                 "%s: the problem %s had %.0f bytes before, now %s has %.0f; choose another --out",
                                 results->path, line->problem, line->bytes, r->file[p].path, r->file[p].bytes);
    }
    return CLI_GO;
}

static int write_head(const bench_request *r, bench_results *results) {
    char *head = make_head(r);
    if (head == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    int code = CLI_GO;
    bool known = false;
    for (int i = 0; i < results->heads && code == CLI_GO; i++) {
        code = compare_heads(results->path, results->head[i], head);
        known = known || strcmp(results->head[i], head) == 0;
    }
    if (code == CLI_GO)
        code = compare_cells(r, results);
    if (code == CLI_GO && !known)
        code = bench_results_append(results, head);
    free(head);
    return code;
}

/* ---- the command ---- */

/* Where nothing of what was named is there, nothing is begun; where some is, the rest is left
 * out. */
static int check_operands(int count, char **operand) {
    struct stat status;
    for (int i = 0; i < count; i++)
        if (stat(operand[i], &status) == 0)
            return CLI_GO;
    cli_complain("%s: cannot be opened: %s", operand[0], strerror(errno));
    return CLI_BAD_FILE;
}

static int bench_all(bench_request *r, const texts *t, int count, char **operand) {
    size_t size = strlen(r->out) + 32;
    char *path = malloc(size);
    bench_results results = {0};
    bool made = false;
    if (path == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    snprintf(path, size, "%s/results.jsonl", r->out);
    int code = t->report_only ? CLI_GO : check_operands(count, operand);
    if (code == CLI_GO && !t->report_only)
        code = bench_files_find(r, count, operand);
    if (code == CLI_GO)
        code = cli_make_folder(r->out, &made);
    if (code == CLI_GO)
        code = bench_results_open(&results, path, !t->report_only || t->add.count > 0);
    if (code == CLI_GO && !t->report_only)
        code = write_head(r, &results);
    for (int i = 0; i < t->add.count && code == CLI_GO; i++)
        code = bench_results_merge(&results, t->add.item[i]);
    if (code == CLI_GO) {
        code = t->report_only ? CLI_OK : bench_run(r, &results);
        int told = results.count > 0 || results.refusals > 0 ? bench_report(&results, r->out) : CLI_OK;
        code = told > code ? told : code;
    }
    bench_results_close(&results);
    bench_files_free(r);
    free(path);
    return code;
}

static const char bench_text[] =
    "Runs every method on every problem, one solve at a time, and writes into DIR: results.jsonl (a line per run),\n"
    "results.csv, a performance profile as SVG for each law and tolerance, and report.html, which needs no network.\n"
    "Whether a run counts as solved is decided by the certificate, whatever the method says. Folders are searched for\n"
    ".hdf5, .h5 and .dat. Ctrl-C ends cleanly; the same command goes on where it was. More methods, laws, tolerances\n"
    "or problems may be added to the same DIR later.\n\n"
    "A method with options is METHOD:KEY=VALUE:KEY=VALUE, and NAME@METHOD:... gives it a name for the tables. A comma "
    "or\n"
    "colon inside a value is written \\, or \\:\n";
static const char bench_examples[] =
    "  cairn bench problems/ --methods auto,ipm,padmm --out first\n"
    "  cairn bench problems/ --methods padmm,soft@padmm:rho=0.01:relaxation=1 --law both --tol 1e-4,1e-8 --out second\n"
    "  cairn bench --report-only --out second\n"
    "  cairn bench --report-only --add siconos.jsonl --out second\n";

int cmd_bench(int argc, char **argv) {
    char *quoted = quote_command(argc, argv);
    bench_request *r = calloc(1, sizeof *r);
    if (quoted == NULL || r == NULL) {
        cli_complain("out of memory");
        free(quoted);
        free(r);
        return CLI_BAD_FILE;
    }
    *r = (bench_request){
        .out = "bench-out", .command = quoted, .repeat = 3, .threads = 1, .time_limit = 20.0, .curve = 48};
    r->enough = 1.0;
    texts t = {.law = "coulomb", .tolerance = "1e-4,1e-8"};
    const cli_option option[] = {
        {"--methods", CLI_LIST, &t.methods, 0, 0, "A,B:KEY=VALUE,...", "methods (default: all); may be repeated"},
        {"--law", CLI_TEXT, &t.law, 0, 0, "coulomb|associated|both", "friction law (default coulomb)"},
        {"--cone", CLI_TEXT, &t.cone, 0, 0, "round|poly:N", CLI_CONE_HELP},
        {"--tol", CLI_TEXT, &t.tolerance, 0, 0, "X,Y,...",
         "certificates asked for, relative to the largest free velocity (default 1e-4,1e-8)"},
        {"--time-limit", CLI_REAL, &r->time_limit, 0, 1e9, "S", "most seconds for one solve, 0 for none (default 20)"},
        {"--max-iter", CLI_INTEGER, &r->max_iterations, 1, 2147483647, "N",
         "most iterations (default: the method's own)"},
        {"--repeat", CLI_INTEGER, &r->repeat, 1, BENCH_REPEAT_MAX, "K",
         "solve K times, the best time counts (default 3)"},
        {"--enough", CLI_REAL, &r->enough, 0, 1e9, "S", "no repeat once a run has taken S seconds in all (default 1)"},
        {"--threads", CLI_INTEGER, &r->threads, 1, 64, "N", "threads (default 1)"},
        {"--curve", CLI_INTEGER, &r->curve, 0, BENCH_CURVE_MAX, "N",
         "points kept of each convergence curve (default 48)"},
        {"--full-curves", CLI_FLAG, &r->full_curves, 0, 0, NULL,
         "one more solve, not timed, with the natural map of every iteration"},
        {"--out", CLI_TEXT, &r->out, 0, 0, "DIR", "where results go (default bench-out)"},
        {"--add", CLI_LIST, &t.add, 0, 0, "FILE.jsonl", "adds results of other programs; may be repeated"},
        {"--report-only", CLI_FLAG, &t.report_only, 0, 0, NULL, "solves nothing: makes the report of DIR again"},
    };
    const cli_command command = {
        "bench", "FILE|DIR...", bench_text, bench_examples, 0, -1, option, sizeof option / sizeof option[0]};
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code == CLI_GO && t.report_only != (operands == 0))
        code = t.report_only
                   ? cli_usage("bench", "--report-only takes no problems, got '%s'; the folder is --out", argv[1])
                   : cli_usage("bench", "no operand given: expected FILE|DIR...");
    if (code == CLI_GO)
        code = make_request(r, &t);
    if (code == CLI_GO)
        code = bench_all(r, &t, operands, argv + 1);
    free(quoted);
    free(r);
    return code;
}
