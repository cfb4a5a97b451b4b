/*
 * bench.h: what the files of `cairn bench` share: the request, the lines of results.jsonl,
 * profiles, the report.
 *
 * A cell is one problem, one method, one law, one tolerance. results.jsonl holds one line per cell;
 * a later line of the same cell replaces an earlier one. Everything else (CSV, SVG, HTML) is made
 * from these lines and can be made again.
 */
#ifndef CAIRN_CLI_BENCH_BENCH_H
#define CAIRN_CLI_BENCH_BENCH_H

#include "cli/cli.h"

enum {
    BENCH_METHODS_MAX = 64,
    BENCH_TOLERANCES_MAX = 8,
    BENCH_LAWS = 2,
    BENCH_CURVE_MAX = 512,
    BENCH_REPEAT_MAX = 100
};

/* ---- what was asked for (cmd_bench.c, bench_methods.c) ---- */

typedef struct bench_method {
    char label[96]; /* what tables show: the spec, or the name before '@' */
    char spec[256]; /* method:key=value:key=value */
    cairn_settings settings;
} bench_method;

typedef struct bench_file {
    char *path;
    char *problem; /* short name, one of a kind in this bench */
    double bytes;  /* size of the file */
} bench_file;

typedef struct bench_request {
    const char *out, *command; /* folder; the command line as typed, quoted for a shell */
    int methods, tolerances, laws, repeat, max_iterations, threads, curve, files;
    int directions; /* of polyhedral friction cones; 0: round */
    bool full_curves;
    bench_method method[BENCH_METHODS_MAX];
    double tolerance[BENCH_TOLERANCES_MAX], time_limit, enough;
    cairn_law law[BENCH_LAWS];
    bench_file *file;
} bench_request;

/* Cuts `text` at the unescaped commas, '\' keeping the next letter; "label@method:key=value:..."
 * each. Fills methods with settings at their defaults plus the options. CLI_GO, or CLI_USAGE
 * after a message. */
int bench_methods_read(bench_request *r, const char *text);
/* Every method of the table. */
int bench_methods_all(bench_request *r);

/* ---- which files (bench_files.c) ---- */

/* Files and folders (searched to the bottom, sorted, for .hdf5, .h5 and .dat) into r->file, and
 * their short names. CLI_GO, or an exit code after a message. */
int bench_files_find(bench_request *r, int count, char *const *operand);
void bench_files_free(bench_request *r);

/* ---- the machine (bench_machine.c) ---- */

typedef struct bench_machine {
    char cpu[128], system[128], compiler[128], build[64];
    int cores;
    double memory; /* bytes */
} bench_machine;
void bench_machine_read(bench_machine *machine);
void bench_machine_json(const bench_machine *machine, cli_json *json);

/* ---- reading JSON (json_read.c) ---- */

/* A value inside a text: its first byte, and how many. NULL: absent. */
typedef struct json_span {
    const char *at;
    size_t length;
} json_span;
/* Is text one JSON object and nothing more? */
bool json_is_object(const char *text);
/* A member of the object that begins at `object`; the text must be valid. */
json_span json_member(const char *object, const char *key);
/* A number, NAN when absent, null or no number. */
double json_number(const char *object, const char *key);
/* The text of a string, to be freed; NULL when it is absent, no string, or memory is short. */
char *json_string(const char *object, const char *key);

/* ---- results (bench_store.c) ---- */

/* One cell. Strings are never NULL. Numbers that are not known are NAN. */
typedef struct bench_line {
    char *text; /* the whole line */
    char *program, *version, *problem, *file, *method, *spec, *law, *outcome, *note;
    double tolerance, bytes, contacts, n, m;
    double iterations, factorizations, solves;
    double seconds, load_seconds, solve_seconds, certificate_seconds;
    double error, relative, plain, natural_map; /* of the certificate */
    json_span curve;                            /* inside text */
    bool success;                               /* error within the tolerance, by the certificate alone */
} bench_line;

typedef struct bench_refusal {
    char *file, *reason;
} bench_refusal;

typedef struct bench_results {
    bench_line *line; /* count; one per cell */
    int count, room;
    bench_refusal *refusal; /* refusals */
    int refusals, refusal_room;
    char **head; /* heads: the lines that tell how the results were made, oldest first */
    int heads, head_room;
    char *path;
    FILE *file; /* open for appending; NULL: read only */
} bench_results;

/* Reads path if it exists. A last line that was cut off is taken away when append is true.
 * CLI_GO or an exit code after a message. */
int bench_results_open(bench_results *results, const char *path, bool append);
void bench_results_close(bench_results *results);
/* Takes one line of text (no newline) as if it had been read; where names the place for
 * messages. */
int bench_results_take(bench_results *results, const char *text, const char *where);
/* Takes a line and appends it to the file, flushed. CLI_GO or an exit code after a message. */
int bench_results_append(bench_results *results, const char *text);
/* The cell, NULL when it is not there. */
const bench_line *bench_results_find(const bench_results *results, const char *problem, const char *method,
                                     const char *law, double tolerance);
/* Appends the lines of another file that are not there yet. */
int bench_results_merge(bench_results *results, const char *path);

/* ---- running (bench_run.c, bench_measure.c) ---- */

/* What is seen while it runs. */
typedef struct bench_progress {
    bool terminal, shown;
    double started, next; /* clock */
    double weight, all;   /* bytes of the cells done in this run, and of all that were to do */
    double part;          /* share of the time limit that the current solve has used */
    int done, cells;      /* cells */
    int before;           /* cells that were done already */
    const char *now;      /* problem, method, ... of the current solve */
    double cell_weight;   /* of the current cell */
    int solved;           /* cells certified */
} bench_progress;
double bench_clock(void);
void bench_progress_show(bench_progress *progress, bool force);
void bench_progress_clear(bench_progress *progress);

/* One cell: solves `repeat` times, certifies, and returns the line (to be freed), NULL when
 * interrupted or memory is short. */
char *bench_cell_run(const bench_request *r, cairn_context *context, const bench_file *entry, const cairn_file *file,
                     const bench_method *method, double tolerance, bench_progress *progress);

/* Runs every cell that is not there yet. CLI_OK, CLI_UNSOLVED after an interrupt, CLI_BAD_FILE
 * when a file could not be read. */
int bench_run(const bench_request *r, bench_results *results);

/* ---- profiles (bench_profile.c) ---- */

/*
 * Dolan and More's performance profile. t[p*methods + s] is the cost of method s on problem p,
 * INFINITY when it did not solve it. The ratio is r[p,s] = t[p,s] / min over s of t[p,s], INFINITY
 * where t is or where no method solved p; rho_s(tau) is the share of all problems with r[p,s] <=
 * tau.
 */
void bench_profile_ratios(int problems, int methods, const double *t, double *ratio);
/* rho_s(tau) of the ratios. */
double bench_profile_share(int problems, int methods, const double *ratio, int method, double tau);

/* ---- the report (bench_table.c, bench_svg.c, bench_html.c) ---- */

/* One law and tolerance: every method on every problem. */
typedef struct bench_table {
    const char *law;
    double tolerance;
    int problems, methods;
    const char **problem, **method;
    const bench_line **cell; /* problems * methods; NULL: not run */
} bench_table;
typedef struct bench_tables {
    bench_table *table;
    int count;
} bench_tables;
bool bench_tables_make(const bench_results *results, bench_tables *tables);
void bench_tables_free(bench_tables *tables);

/* 1e-08 as "1e-8", 0.5 as "0.5": for names and titles; returns text. */
const char *bench_tolerance(double x, char text[24]);
/* Profile ratios of load + solve times, to be freed; NULL: no memory. */
double *bench_table_ratios(const bench_table *table);

bool bench_csv_write(const bench_results *results, FILE *out);
bool bench_svg_write(const bench_table *table, FILE *out);
bool bench_html_write(const bench_results *results, const bench_tables *tables, FILE *out);

/* Writes results.csv, profile-LAW-TOLERANCE.svg and report.html into the folder, and a summary
 * to standard output. */
int bench_report(const bench_results *results, const char *folder);

#endif
