/*
 * cli.h: what the commands of the program share: exit codes, options, text tables, JSON, files.
 *
 * A command is `int cmd_<name>(int argc, char **argv)` with argv[0] its own name; it returns an
 * exit code. It describes itself with a cli_command, from which cli_parse reads options and prints
 * the help. Public headers only.
 */
#ifndef CAIRN_CLI_H
#define CAIRN_CLI_H

#include <cairn/cairn.h>
#include <stdio.h>

#if defined(__GNUC__)
#define CLI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define CLI_PRINTF(a, b)
#endif

/* Exit codes. Several files: the largest. */
enum {
    CLI_GO = -1,      /* not an exit code: cli_parse says go on */
    CLI_OK = 0,       /* solved, certified, done */
    CLI_UNSOLVED = 1, /* not solved, not certified, not possible */
    CLI_USAGE = 2,    /* the command line is wrong */
    CLI_BAD_FILE = 3  /* a file cannot be read, written or understood */
};

/* ---- options (options.c) ---- */

typedef enum cli_kind {
    CLI_FLAG,    /* bool: no value */
    CLI_TEXT,    /* const char *: any text that is not empty */
    CLI_CHOICE,  /* int: place in "a|b|c" */
    CLI_REAL,    /* double in [least, most] */
    CLI_INTEGER, /* int in [least, most] */
    CLI_LIST     /* cli_list: may be repeated */
} cli_kind;

#define CLI_TOLERANCE_MOST 0.99 /* a method takes less than 1 */
#define CLI_LIST_MAX       64
typedef struct cli_list {
    const char *item[CLI_LIST_MAX];
    int count;
} cli_list;

typedef struct cli_option {
    const char *name; /* "--tol" */
    cli_kind kind;
    void *target;       /* of the type that kind says; keeps its value when the option is absent */
    double least, most; /* numbers: the range, ends included */
    const char *value;  /* stands for the value in the help: "N"; CLI_CHOICE: "coulomb|associated" */
    const char *help;   /* one line */
} cli_option;

typedef struct cli_command {
    const char *name;     /* "solve" */
    const char *operands; /* "FILE...", for the usage line */
    const char *text;     /* what it does: lines, each ended by a newline */
    const char *examples; /* command lines that run, each ended by a newline */
    int least, most;      /* number of operands; most = -1: any number */
    const cli_option *option;
    int options;
} cli_command;

/* Reads options into their targets, in any order with the operands, `--x v` and `--x=v`; `--`
 * ends options. Operands are moved to argv[1] .. argv[*operands]. Returns CLI_GO, CLI_OK after
 * --help, or CLI_USAGE with a message printed. */
int cli_parse(const cli_command *command, int argc, char **argv, int *operands);

/* Prints "cairn NAME: message" and where the help is, to standard error; returns CLI_USAGE. */
int cli_usage(const char *name, const char *format, ...) CLI_PRINTF(2, 3);
/* Prints "cairn: message" to standard error. */
void cli_complain(const char *format, ...) CLI_PRINTF(1, 2);
/* Writes text between the tags of XML or HTML: what means something there is escaped, control
 * characters are left out. */
void cli_put_xml(FILE *out, const char *text);

/* CLI_GO when there is a method of this name, else CLI_USAGE with a message that suggests one. */
int cli_check_method(const char *command, const char *method);

#define CLI_CONE_HELP "friction cone: round, or polyhedral with N directions, even, 4 to 128 (default round)"
/* Reads the value of --cone: "round" or NULL: 0; "poly:N": N. CLI_GO, or CLI_USAGE with a
 * message printed. */
int cli_parse_cone(const char *command, const char *text, int *directions);
/* "round" or "poly:N" into text; returns text. */
const char *cli_cone_name(int directions, char text[16]);

/* ---- output (output.c) ---- */

/* One JSON object on one line of standard output. Keys are NULL inside arrays. NaN and
 * infinities become null. */
typedef struct cli_json {
    FILE *out;
    bool comma; /* the next item needs a comma before it */
} cli_json;
void cli_json_open(cli_json *json, const char *key, char bracket);  /* '{' or '[' */
void cli_json_close(cli_json *json, char bracket);                  /* '}' or ']' */
void cli_json_end(cli_json *json);                                  /* ends the line */
void cli_json_text(cli_json *json, const char *key, const char *s); /* s NULL: null */
void cli_json_real(cli_json *json, const char *key, double x);
void cli_json_int(cli_json *json, const char *key, long long i);
void cli_json_bool(cli_json *json, const char *key, bool b);

/* "law" and "cone" of a certificate. */
void cli_json_law(cli_json *json, const cairn_certificate *certificate);
void cli_json_certificate(cli_json *json, const cairn_certificate *certificate);
void cli_json_sizes(cli_json *json, const cairn_file *file);

/* The context's last error as {"file", "error", "status"} on standard output when json, and
 * always as "cairn: ..." on standard error. Returns the exit code: CLI_UNSOLVED for unsupported
 * and numerical, else CLI_BAD_FILE. */
int cli_report(cairn_context *context, const char *file, cairn_status status, bool json);
/* Reports a message of the command's own as cairn_report does. */
int cli_report_text(const char *file, cairn_status status, bool json, const char *format, ...) CLI_PRINTF(4, 5);

/* A text table written row by row: widths are known before. */
typedef struct cli_column {
    const char *title;
    int width; /* negative: flush left */
} cli_column;
void cli_table_head(const cli_column *column, int columns);
/* cell[i] NULL: empty. colour: of the cell number coloured, "" for none; see cli_green. */
void cli_table_row(const cli_column *column, int columns, const char *const *cell, int coloured, const char *colour);
/* Escape sequences, or "" unless standard output is a terminal and NO_COLOR is unset. */
const char *cli_green(void);
const char *cli_red(void);
const char *cli_bold(void);
const char *cli_plain(void); /* ends any of them */

/* Short numbers for people: at most 12 characters and a NUL into text[16]; returns text. */
const char *cli_short(double x, char text[16]);
const char *cli_speed(double x, char text[16]); /* m/s, mm/s, um/s or nm/s by size */
const char *cli_seconds(double s, char text[16]);

/* ---- files (files.c) ---- */

/* The part after the last '/'. */
const char *cli_basename(const char *path);
bool cli_is_directory(const char *path);
/* A folder that is there, or is made. *made: it was not there. CLI_GO, or it was said why not. */
int cli_make_folder(const char *path, bool *made);
/* Two names of one file. */
bool cli_same_file(const char *a, const char *b);
/* Wrong usage when a command would write over what it reads; NULL is no file. CLI_GO: it does
 * not. */
int cli_check_target(const char *command, const char *out, const char *in);
/* A regular file to be read as text; NULL after a message. missing, unless NULL: it is not
 * there, and nothing is said. */
FILE *cli_input(const char *path, bool *missing);

/* A file that is written through stdio (cairn_output in base.h). */
typedef struct cli_output {
    FILE *stream;
    cairn_output *output;
    const char *path;
} cli_output;
int cli_output_open(cairn_context *context, const char *path,
                    cli_output *out); /* CLI_GO, or CLI_BAD_FILE after a message */
/* Has everything reached the file? Then it can be put in its place. */
bool cli_output_good(cli_output *out);
/* Puts it in its place when `good`, else drops it. CLI_GO, or CLI_BAD_FILE after a message. Does
 * nothing when it is not open. */
int cli_output_close(cairn_context *context, cli_output *out, bool good);

/* A cell of a table: quoted, and harmless to a spreadsheet: a text that it would take for a
 * formula gets an apostrophe in front. */
void cli_csv_text(FILE *out, const char *text);

/* A context with so many threads, or NULL after a message on standard error. */
cairn_context *cli_context(int threads);

/* Reads a problem; CLI_GO, or CLI_BAD_FILE after a report. */
int cli_file_read(cairn_context *context, const char *path, bool json, cairn_file *file);

/* Gives a problem the law (place in "coulomb|associated") and the cone of the command line. */
cairn_status cli_set_law_and_cone(cairn_problem *problem, int law, int directions);

/* Reads the stored solution at path for the problem in file (path may be that file itself). On
 * failure reports why, which includes a different number of contacts, and returns an exit code;
 * CLI_GO on success. need_r: r must be there. */
int cli_solution_read(cairn_context *context, const char *path, const char *problem_path, const cairn_file *file,
                      bool need_r, bool json, cairn_vectors *vectors);

/* ---- scenes that ship (cmd_scenes.c; the table is made from scenes/ by CMake) ---- */

typedef struct cli_scene {
    const char *name, *text;
} cli_scene;
extern const cli_scene cli_scene_table[];
extern const int cli_scene_count;
const char *cli_scene_text(const char *name);    /* NULL: none of that name */
const char *cli_scene_closest(const char *name); /* NULL: none is similar */

/* ---- the commands ---- */

int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_methods(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_scenes(int argc, char **argv);
int cmd_solve(int argc, char **argv);

#endif
