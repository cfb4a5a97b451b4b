/*
 * files.c: what commands do with files: contexts, paths, stored solutions.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *cli_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

bool cli_is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int cli_make_folder(const char *path, bool *made) {
    *made = mkdir(path, 0777) == 0;
    int error = errno;
    if (*made || cli_is_directory(path))
        return CLI_GO;
    return cli_report_text(path, CAIRN_ERROR_IO, false, "%s: %s%s", path,
                           error == EEXIST ? "it is a file, expected a folder" : "the folder cannot be made: ",
                           error == EEXIST ? "" : strerror(error));
}

bool cli_same_file(const char *a, const char *b) {
    struct stat x, y;
    return strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

int cli_check_target(const char *command, const char *out, const char *in) {
    struct stat st;
    if (out == NULL || in == NULL || !cli_same_file(out, in) || (stat(out, &st) == 0 && !S_ISREG(st.st_mode)))
        return CLI_GO;
    return cli_usage(command, "'%s' would be written over '%s', which is read; choose another name", out, in);
}

FILE *cli_input(const char *path, bool *missing) {
    struct stat st;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const char *why = file < 0 || fstat(file, &st) != 0 ? strerror(errno) : NULL;
    if (missing != NULL)
        *missing = file < 0 && errno == ENOENT;
    if (why == NULL && !S_ISREG(st.st_mode))
        why = "not a regular file";
    FILE *stream = why == NULL ? fdopen(file, "r") : NULL;
    if (stream == NULL && file >= 0)
        close(file);
    if (stream == NULL && !(missing != NULL && *missing))
        cli_complain("%s: cannot be read: %s", path, why != NULL ? why : strerror(errno));
    return stream;
}

int cli_output_open(cairn_context *context, const char *path, cli_output *out) {
    *out = (cli_output){.path = path};
    cairn_status status = cairn_output_open(context, path, &out->output);
    if (status == CAIRN_OK) {
        int file = dup(cairn_output_descriptor(out->output));
        out->stream = file >= 0 ? fdopen(file, "w") : NULL;
        if (out->stream == NULL && file >= 0)
            close(file);
        if (out->stream != NULL)
            return CLI_GO;
        cli_complain("%s: cannot be written: %s", path, strerror(errno));
        cairn_output_close(out->output, false);
        return CLI_BAD_FILE;
    }
    cli_report(context, path, status, false);
    return CLI_BAD_FILE;
}

bool cli_output_good(cli_output *out) {
    return fflush(out->stream) == 0 && !ferror(out->stream);
}

int cli_output_close(cairn_context *context, cli_output *out, bool good) {
    if (out->stream == NULL)
        return CLI_GO;
    errno = 0;
    bool written = cli_output_good(out);
    int reason = errno;
    written = fclose(out->stream) == 0 && written;
    if (good && !written)
        cli_complain("%s: cannot be written: %s", out->path, strerror(reason != 0 ? reason : errno));
    cairn_status status = cairn_output_close(out->output, good && written);
    if (status != CAIRN_OK)
        cli_report(context, out->path, status, false);
    *out = (cli_output){0};
    return good && (!written || status != CAIRN_OK) ? CLI_BAD_FILE : CLI_GO;
}

void cli_csv_text(FILE *out, const char *text) {
    fputc('"', out);
    if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL)
        fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* Prints warnings of the library as messages of the command. */
static void tell(void *user, cairn_log_level level, const char *message) {
    (void)user;
    if (level == CAIRN_LOG_WARNING)
        cli_complain("%s", message);
}

cairn_context *cli_context(int threads) {
    cairn_context_def def = cairn_default_context_def();
    def.threads = threads;
    def.log = tell;
    cairn_context *context = NULL;
    cairn_status status = cairn_context_create(&def, &context);
    if (status != CAIRN_OK) {
        cli_complain("no context: %s", cairn_status_name(status));
        return NULL;
    }
    return context;
}

int cli_file_read(cairn_context *context, const char *path, bool json, cairn_file *file) {
    cairn_status status = cairn_file_read(context, path, file);
    if (status == CAIRN_OK && file->note != NULL)
        cli_complain("%s: %s", path, file->note);
    if (status == CAIRN_OK)
        return CLI_GO;
    cli_report(context, path, status, json);
    return CLI_BAD_FILE;
}

/* Why the solution of path does not fit the problem, when the reason is a different problem;
 * CLI_GO if it is not. */
static int explain_mismatch(cairn_context *context, const char *path, const char *problem_path, const cairn_file *file,
                            bool json) {
    cairn_file other;
    if (cairn_file_read(context, path, &other) != CAIRN_OK)
        return CLI_GO;
    int code = CLI_GO;
    cairn_problem_view mine = cairn_problem_get(file->problem), theirs = cairn_problem_get(other.problem);
    if (other.contacts != file->contacts)
        code = cli_report_text(path, CAIRN_ERROR_ARGUMENT, json,
                               "%s is a solution for %d contacts, but %s has %d: the contacts differ", path,
                               other.contacts, problem_path, file->contacts);
    else if (theirs.n != mine.n || theirs.m != mine.m)
        code = cli_report_text(path, CAIRN_ERROR_ARGUMENT, json,
                               "%s is a solution for %d velocities and %d rows, but %s has %d and %d", path, theirs.n,
                               theirs.m, problem_path, mine.n, mine.m);
    cairn_file_clear(&other);
    return code;
}

int cli_solution_read(cairn_context *context, const char *path, const char *problem_path, const cairn_file *file,
                      bool need_r, bool json, cairn_vectors *vectors) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    *vectors = (cairn_vectors){0};
    cairn_status status = cairn_solution_read(context, path, view.n, view.m, file->equalities, vectors);
    if (status != CAIRN_OK) {
        char message[512];
        snprintf(message, sizeof message, "%s", cairn_error_message(context));
        int code = explain_mismatch(context, path, problem_path, file, json);
        if (code != CLI_GO)
            return code;
        cli_report_text(path, status, json, "%s", message);
        return CLI_BAD_FILE;
    }
    if (need_r && vectors->r == NULL) {
        int code = cli_report_text(path, CAIRN_ERROR_PARSE, json,
                                   "%s stores no impulses: solution/r is absent or was never written%s", path,
                                   vectors->u != NULL ? " (it stores u, which is not enough)" : "");
        cairn_vectors_clear(context, vectors);
        return code;
    }
    return CLI_GO;
}

cairn_status cli_set_law_and_cone(cairn_problem *problem, int law, int directions) {
    cairn_status status = cairn_problem_set_law(problem, law == 0 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED);
    return status == CAIRN_OK ? cairn_problem_set_cone(problem, directions) : status;
}
