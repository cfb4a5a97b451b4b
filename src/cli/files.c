/*
 * files.c: what commands do with files: contexts, paths, stored solutions.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <string.h>
#include <sys/stat.h>

const char *cli_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

bool cli_is_directory(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

cairn_context *cli_context(int threads) {
    cairn_context_def def = cairn_default_context_def();
    def.threads = threads;
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

/* Why the solution of path does not fit the problem, when the reason is a different problem; CLI_GO if it is not. */
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
