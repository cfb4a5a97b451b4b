/*
 * cmd_solve.c: `cairn solve FILE...`: reads problems, solves them, prints what the judge says.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/solve_watch.h"

#include <stdlib.h>
#include <string.h>

/* What the command line asked for. */
typedef struct request {
    const char *method, *warm_start, *out, *trace, *cone;
    int law, directions, max_iterations, threads;
    double tolerance, tolerance_plain, time_limit;
    bool json;
    bool *headed; /* the head of the table was printed */
    cli_list options;
    cairn_settings settings;
    cli_column column[9];
} request;

enum { COLUMNS = 9, OUTCOME_COLUMN = 3 };

static void default_request(request *r) {
    *r = (request){.threads = 1, .tolerance = 1e-8, .tolerance_plain = -1.0};
    cairn_method_info first;
    if (cairn_method_get(0, &first) == CAIRN_OK)
        r->method = first.name;
}

/* The key nearest to a wrong one, NULL when none is near. */
static const char *closest_key(const char *method, const char *key) {
    enum { KEYS = 64 };
    cairn_option_info info[KEYS];
    const char *word[KEYS];
    int count = cairn_method_options(method, info, KEYS);
    count = count > KEYS ? KEYS : count;
    for (int i = 0; i < count; i++)
        word[i] = info[i].key;
    const char *meant = cairn_nearest(key, word, count);
    return meant != NULL && strcmp(meant, key) != 0 ? meant : NULL;
}

/* Applies one `--opt KEY=VALUE`. */
static int apply_option(request *r, const char *text) {
    char key[64], message[1024] = "";
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0' || equals - text >= (long)sizeof key)
        return cli_usage("solve", "--opt expects KEY=VALUE, got '%s'", text);
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    if (cairn_settings_set(&r->settings, key, equals + 1, message, sizeof message) == CAIRN_OK)
        return CLI_GO;
    const char *meant = closest_key(r->method, key);
    if (meant != NULL)
        return cli_usage("solve", "--opt %s: %s; did you mean '%s'? cairn methods %s lists all", text, message, meant,
                         r->method);
    return cli_usage("solve", "--opt %s: %s; cairn methods %s lists all", text, message, r->method);
}

static int make_settings(request *r) {
    if (r->method == NULL)
        return cli_usage("solve", "this build has no methods");
    int code = cli_check_method("solve", r->method);
    r->settings = cairn_default_settings(r->method);
    r->settings.tolerance = r->tolerance;
    if (r->tolerance_plain >= 0.0)
        r->settings.tolerance_plain = r->tolerance_plain;
    r->settings.time_limit = r->time_limit;
    r->settings.trace = r->trace != NULL;
    if (r->max_iterations > 0)
        r->settings.max_iterations = r->max_iterations;
    for (int i = 0; i < r->options.count && code == CLI_GO; i++)
        code = apply_option(r, r->options.item[i]);
    return code;
}

/* --out into a folder: FOLDER/NAME of a problem, to be freed. NULL: out of memory. */
static char *target_in(const char *folder, const char *path) {
    size_t size = strlen(folder) + strlen(path) + 2;
    char *joined = malloc(size);
    if (joined != NULL)
        snprintf(joined, size, "%s/%s", folder, cli_basename(path));
    return joined;
}

/* Nothing that is read is written over. */
static int check_targets(const request *r, int files, char **file) {
    int code = cli_check_target("solve", r->trace, r->out);
    if (code == CLI_GO)
        code = cli_check_target("solve", r->trace, r->warm_start);
    for (int i = 0; i < files && code == CLI_GO; i++) {
        char *joined = r->out != NULL && cli_is_directory(r->out) ? target_in(r->out, file[i]) : NULL;
        const char *target = joined != NULL ? joined : r->out;
        code = cli_check_target("solve", r->trace, file[i]);
        for (int j = 0; j < files && code == CLI_GO; j++)
            code = cli_check_target("solve", target, file[j]);
        if (code == CLI_GO)
            code = cli_check_target("solve", target, r->warm_start);
        free(joined);
    }
    return code;
}

static int check_outputs(const request *r, int files, char **file) {
    if (files > 1 && r->trace != NULL)
        return cli_usage("solve", "--trace takes one problem, %d were given", files);
    if (files > 1 && r->out != NULL && !cli_is_directory(r->out))
        return cli_usage("solve", "--out must be an existing directory when there are several problems, got '%s'",
                         r->out);
    if (r->out != NULL && cli_is_directory(r->out))
        for (int i = 0; i < files; i++)
            for (int j = i + 1; j < files; j++)
                if (strcmp(cli_basename(file[i]), cli_basename(file[j])) == 0)
                    return cli_usage("solve", "--out %s: two problems are named %s", r->out, cli_basename(file[i]));
    return check_targets(r, files, file);
}

/* ---- one problem ---- */

static void print_json(const request *r, const char *path, const cairn_file *file, const cairn_info *info) {
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", path);
    cli_json_text(&json, "method", r->method);
    cli_json_law(&json, &info->certificate);
    cli_json_text(&json, "outcome", cairn_outcome_name(info->outcome));
    cli_json_int(&json, "iterations", info->iterations);
    cli_json_int(&json, "factorizations", info->factorizations);
    cli_json_int(&json, "partial_factorizations", info->partial_factorizations);
    cli_json_real(&json, "partial_share", info->partial_share);
    cli_json_int(&json, "solves", info->solves);
    cli_json_int(&json, "checks", info->checks);
    cli_json_int(&json, "repairs", info->repairs);
    cli_json_int(&json, "products", info->products);
    cli_json_real(&json, "seconds", info->load_seconds + info->seconds);
    cli_json_real(&json, "cpu_seconds", info->load_cpu_seconds + info->cpu_seconds);
    cli_json_real(&json, "load_seconds", info->load_seconds);
    cli_json_real(&json, "load_cpu_seconds", info->load_cpu_seconds);
    cli_json_certificate(&json, &info->certificate);
    cli_json_sizes(&json, file);
    cli_json_real(&json, "rho", info->rho);
    cli_json_text(&json, "note", info->note);
    cli_json_close(&json, '}');
    cli_json_end(&json);
}

static void print_row(const request *r, const char *path, const cairn_file *file, const cairn_info *info) {
    char contacts[16], iterations[16], time[16], error[16], relative[16], plain[16];
    snprintf(contacts, sizeof contacts, "%d", file->contacts);
    snprintf(iterations, sizeof iterations, "%d", info->iterations);
    const cairn_certificate *c = &info->certificate;
    const char *cell[COLUMNS] = {cli_basename(path),
                                 contacts,
                                 r->method,
                                 cairn_outcome_name(info->outcome),
                                 iterations,
                                 cli_seconds(info->load_seconds + info->seconds, time),
                                 cli_short(c->error, error),
                                 cli_short(c->relative, relative),
                                 cli_short(c->plain, plain)};
    bool solved = info->outcome == CAIRN_SOLVED;
    if (!*r->headed)
        cli_table_head(r->column, COLUMNS);
    *r->headed = true;
    cli_table_row(r->column, COLUMNS, cell, OUTCOME_COLUMN, solved ? cli_green() : cli_red());
    if (info->note[0] != '\0')
        printf("    %s\n", info->note);
}

/* Writes the problem with the answer as its solution. The arrays of the answer belong to the
 * solver: they go into a shallow copy of the file, which is not cleared. */
static cairn_status write_answer(cairn_context *context, const char *path, const cairn_file *file,
                                 const cairn_answer *answer) {
    cairn_file copy = *file;
    copy.solution = (cairn_vectors){(double *)answer->v, (double *)answer->u, (double *)answer->gamma};
    return cairn_file_write(context, path, &copy);
}

static int save(const request *r, cairn_context *context, const char *path, const cairn_file *file,
                const cairn_answer *answer) {
    if (r->out == NULL)
        return CLI_OK;
    const char *target = r->out;
    char *joined = NULL;
    if (cli_is_directory(r->out)) {
        target = joined = target_in(r->out, path);
        if (joined == NULL)
            return cli_report_text(path, CAIRN_ERROR_MEMORY, r->json, "%s: out of memory", path);
    }
    cairn_status status = write_answer(context, target, file, answer);
    int code = CLI_OK;
    if (status != CAIRN_OK) {
        cli_report(context, target, status, false);
        code = CLI_BAD_FILE;
    }
    free(joined);
    return code;
}

/* Finds the warm start in the file itself or in another one; *gamma stays NULL when none is
 * asked for. Vectors read from another file are left in *other. */
static int find_warm_start(const request *r, cairn_context *context, const char *path, const cairn_file *file,
                           cairn_vectors *other, const double **gamma) {
    if (r->warm_start == NULL)
        return CLI_GO;
    if (strcmp(r->warm_start, "guess") == 0) {
        if (file->guesses < 1 || file->guess[0].r == NULL)
            return cli_report_text(path, CAIRN_ERROR_PARSE, r->json,
                                   "%s stores no guess to start from: guesses/1/r is absent or was never written",
                                   path);
        *gamma = file->guess[0].r;
        return CLI_GO;
    }
    int code = cli_solution_read(context, r->warm_start, path, file, true, r->json, other);
    *gamma = other->r;
    return code;
}

static int solve_loaded(const request *r, cairn_context *context, const char *path, const cairn_file *file,
                        cairn_solver *solver, const cairn_guess *guess) {
    cairn_answer answer;
    cairn_info info;
    cairn_status status = cairn_solver_load(solver, file->problem);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(solver, guess, &answer, &info);
    watch_clear(r->settings.user);
    if (status != CAIRN_OK)
        return cli_report(context, path, status, r->json);
    if (r->json)
        print_json(r, path, file, &info);
    else
        print_row(r, path, file, &info);
    int saved = save(r, context, path, file, &answer);
    int code = info.outcome == CAIRN_SOLVED ? CLI_OK : CLI_UNSOLVED;
    return saved > code ? saved : code;
}

static int solve_file(const request *r, cairn_context *context, const char *path) {
    cairn_file file;
    int code = cli_file_read(context, path, r->json, &file);
    if (code != CLI_GO)
        return code;
    cairn_vectors other = {0};
    cairn_guess guess = {0};
    cairn_solver *solver = NULL;
    code = find_warm_start(r, context, path, &file, &other, &guess.gamma);
    guess.v = r->settings.warm_velocity ? other.v : NULL;
    if (code == CLI_GO) {
        cairn_status status = cli_set_law_and_cone(file.problem, r->law, r->directions);
        if (status == CAIRN_OK)
            status = cairn_solver_create(context, &r->settings, &solver);
        code = status == CAIRN_OK ? solve_loaded(r, context, path, &file, solver, guess.gamma != NULL ? &guess : NULL)
                                  : cli_report(context, path, status, r->json);
    }
    cairn_solver_destroy(solver);
    cairn_vectors_clear(context, &other);
    cairn_file_clear(&file);
    return code;
}

static void make_columns(request *r, int files, char **file) {
    const cli_column column[COLUMNS] = {
        {"file", -4}, {"contacts", 8},  {"method", -6},  {"outcome", -15}, {"iterations", 10},
        {"time", 9},  {"error m/s", 9}, {"relative", 9}, {"plain", 9},
    };
    memcpy(r->column, column, sizeof column);
    int width = 4, method = (int)strlen(r->method);
    for (int i = 0; i < files; i++) {
        int length = (int)strlen(cli_basename(file[i]));
        width = length > width ? length : width;
    }
    r->column[0].width = -width;
    r->column[2].width = method > 6 ? -method : -6;
}

/* Settings that contradict each other are wrong usage, whatever the problems are. */
static int check_settings(const request *r, cairn_context *context) {
    cairn_solver *solver = NULL;
    cairn_status status = cairn_solver_create(context, &r->settings, &solver);
    cairn_solver_destroy(solver);
    return status == CAIRN_OK ? CLI_GO : cli_usage("solve", "%s", cairn_error_message(context));
}

static int solve_all(request *r, int files, char **file) {
    cairn_context *context = cli_context(r->threads);
    if (context == NULL)
        return CLI_BAD_FILE;
    watch *w = NULL;
    bool headed = false;
    r->headed = &headed;
    int worst = check_settings(r, context);
    if (worst == CLI_GO && r->out != NULL && !cli_is_directory(r->out) &&
        cairn_output_check(context, r->out) != CAIRN_OK) {
        cli_report(context, r->out, CAIRN_ERROR_IO, false); /* reported before the solve, not after it */
        worst = CLI_BAD_FILE;
    }
    if (worst == CLI_GO)
        worst = watch_create(context, r->trace, r->settings.max_iterations, &w);
    if (worst == CLI_GO) {
        worst = CLI_OK;
        r->settings.on_iteration = watch_iteration;
        r->settings.user = w;
        for (int i = 0; i < files && !watch_interrupted(); i++) {
            watch_begin(w, cli_basename(file[i]));
            int code = solve_file(r, context, file[i]);
            worst = code > worst ? code : worst;
        }
        if (watch_interrupted() && worst == CLI_OK)
            worst = CLI_UNSOLVED;
        int traced = watch_destroy(w);
        worst = traced > worst ? traced : worst;
    }
    cairn_context_destroy(context);
    return worst;
}

int cmd_solve(int argc, char **argv) {
    request r;
    default_request(&r);
    const cli_option option[] = {
        {"--method", CLI_TEXT, &r.method, 0, 0, "NAME",
         "the method; cairn methods lists them, the first is the default"},
        {"--law", CLI_CHOICE, &r.law, 0, 0, "coulomb|associated", "friction law (default coulomb)"},
        {"--cone", CLI_TEXT, &r.cone, 0, 0, "round|poly:N", CLI_CONE_HELP},
        {"--tol", CLI_REAL, &r.tolerance, 1e-16, CLI_TOLERANCE_MOST, "X",
         "certificate asked for, relative to the largest free velocity (default 1e-8)"},
        {"--tol-plain", CLI_REAL, &r.tolerance_plain, 0, 1, "X",
         "secondary target for the plain figure, the formula of other programs; 0: none (default: as --tol)"},
        {"--max-iter", CLI_INTEGER, &r.max_iterations, 1, 2147483647, "N",
         "most iterations (default: the method's own)"},
        {"--time-limit", CLI_REAL, &r.time_limit, 0, 1e9, "S", "most seconds for one problem, 0 for none (default 0)"},
        {"--opt", CLI_LIST, &r.options, 0, 0, "KEY=VALUE", "a setting of the method; may be repeated"},
        {"--warm-start", CLI_TEXT, &r.warm_start, 0, 0, "guess|FILE",
         "start from the stored guess, or from solution/r of FILE"},
        {"--threads", CLI_INTEGER, &r.threads, 1, 64, "N",
         "threads (default 1); the answer has the same bits for any N"},
        {"--out", CLI_TEXT, &r.out, 0, 0, "FILE", "write problem and solution as FCLIB; several problems: a directory"},
        {"--trace", CLI_TEXT, &r.trace, 0, 0, "FILE.csv",
         "write one line per iteration (slow: every residual is computed)"},
        {"--json", CLI_FLAG, &r.json, 0, 0, NULL, "one JSON object a problem on standard output, nothing else"},
    };
    const cli_command command = {
        "solve",
        "FILE...",
        "Solves problems (FCLIB or Siconos text) and certifies each answer with a judge that shares no code with the\n"
        "solver. Exit code 0 means that every problem is solved at the tolerance asked for. Ctrl-C stops the current\n"
        "solve and reports the best answer so far.\n",
        "  cairn solve problem.hdf5\n"
        "  cairn solve *.hdf5 --tol 1e-6 --json\n"
        "  cairn solve problem.hdf5 --out solved.hdf5\n"
        "  cairn solve problem.hdf5 --law associated --max-iter 500 --trace trace.csv\n"
        "  cairn solve problem.hdf5 --warm-start solved.hdf5\n"
        "  cairn solve problem.hdf5 --cone poly:8\n",
        1,
        -1,
        option,
        sizeof option / sizeof option[0],
    };
    int files = 0;
    int code = cli_parse(&command, argc, argv, &files);
    if (code == CLI_GO)
        code = cli_parse_cone("solve", r.cone, &r.directions);
    if (code == CLI_GO)
        code = make_settings(&r);
    if (code == CLI_GO)
        code = check_outputs(&r, files, argv + 1);
    if (code != CLI_GO)
        return code;
    make_columns(&r, files, argv + 1);
    return solve_all(&r, files, argv + 1);
}
