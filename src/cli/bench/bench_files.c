/*
 * bench_files.c: which problems a bench runs on: files and folders of the command line, and short
 * names for them.
 *
 * The short name is the file's name without folder and ending. Where two files share it, both take
 * their ending back, then one folder more, until all names differ.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_MAX = 16 };

static bool is_problem_name(const char *name) {
    static const char *const ending[] = {".hdf5", ".h5", ".dat"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(name), letters = strlen(ending[i]);
        if (length > letters && strcmp(name + length - letters, ending[i]) == 0)
            return true;
    }
    return false;
}

static int add_file(bench_request *r, int *room, const char *path) {
    struct stat status;
    for (int i = 0; i < r->files; i++)
        if (strcmp(r->file[i].path, path) == 0)
            return CLI_GO;
    if (r->files == *room) {
        int more = *room > 0 ? 2 * *room : 64;
        bench_file *file = realloc(r->file, (size_t)more * sizeof *file);
        if (file == NULL) {
            cli_complain("out of memory");
            return CLI_BAD_FILE;
        }
        r->file = file;
        *room = more;
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    double bytes = stat(path, &status) == 0 ? (double)status.st_size : 0.0;
    r->file[r->files++] = (bench_file){copy, NULL, bytes};
    return CLI_GO;
}

static int add_folder(bench_request *r, int *room, const char *path, int depth);

/* One entry of a folder: a problem is added, a folder searched. */
static int add_entry(bench_request *r, int *room, const char *folder, const char *name, int depth) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    bool slash = folder[0] != '\0' && folder[strlen(folder) - 1] == '/';
    snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    int code = CLI_GO;
    if (cli_is_directory(path))
        code = depth < FOLDERS_MAX ? add_folder(r, room, path, depth + 1) : CLI_GO;
    else if (is_problem_name(name))
        code = add_file(r, room, path);
    free(path);
    return code;
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(bench_request *r, int *room, const char *path, int depth) {
    struct dirent **entry = NULL;
    int count = scandir(path, &entry, visible, by_name);
    if (count < 0) {
        cli_complain("%s: cannot be searched: %s", path, strerror(errno));
        return CLI_BAD_FILE;
    }
    int code = CLI_GO;
    for (int i = 0; i < count; i++) {
        if (code == CLI_GO)
            code = add_entry(r, room, path, entry[i]->d_name, depth);
        free(entry[i]);
    }
    free(entry);
    return code;
}

/* The last part of path: level 0 without ending, level 1 the name, from level 2 on with one
 * folder each. */
static char *short_name(const char *path, int level) {
    const char *begin = cli_basename(path);
    for (int i = 1; i < level && begin > path; i++) {
        begin--;
        while (begin > path && begin[-1] != '/')
            begin--;
    }
    char *name = strdup(begin);
    char *dot = name != NULL && level == 0 ? strrchr(name, '.') : NULL;
    if (dot != NULL && dot != name && is_problem_name(name))
        *dot = '\0';
    return name;
}

typedef struct named {
    const char *name;
    int index;
} named;

static int by_text(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* Names those that share theirs anew, at a level one higher; *again: something changed. */
static bool rename_equal(bench_request *r, named *sorted, int *level, bool *again) {
    for (int i = 0; i < r->files; i++)
        sorted[i] = (named){r->file[i].problem, i};
    qsort(sorted, (size_t)r->files, sizeof *sorted, by_text);
    *again = false;
    for (int i = 0; i < r->files; i++) {
        bool twin = (i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) == 0) ||
                    (i + 1 < r->files && strcmp(sorted[i].name, sorted[i + 1].name) == 0);
        level[sorted[i].index] = twin ? level[sorted[i].index] + 1 : level[sorted[i].index];
        *again = *again || twin;
    }
    for (int i = 0; i < r->files && *again; i++) {
        free(r->file[i].problem);
        r->file[i].problem = short_name(r->file[i].path, level[i]);
        if (r->file[i].problem == NULL)
            return false;
    }
    return true;
}

static bool name_problems(bench_request *r) {
    named *sorted = calloc((size_t)r->files + 1, sizeof *sorted);
    int *level = calloc((size_t)r->files + 1, sizeof *level);
    bool good = sorted != NULL && level != NULL, again = true;
    for (int i = 0; i < r->files && good; i++) {
        r->file[i].problem = short_name(r->file[i].path, 0);
        good = r->file[i].problem != NULL;
    }
    for (int round = 0; round < 64 && again && good; round++)
        good = rename_equal(r, sorted, level, &again);
    free(sorted);
    free(level);
    return good;
}

int bench_files_find(bench_request *r, int count, char *const *operand) {
    int room = 0, code = CLI_GO;
    for (int i = 0; i < count && code == CLI_GO; i++)
        code = cli_is_directory(operand[i]) ? add_folder(r, &room, operand[i], 0) : add_file(r, &room, operand[i]);
    if (code == CLI_GO && r->files == 0) {
        cli_complain("no problems found: folders are searched for .hdf5, .h5 and .dat");
        code = CLI_BAD_FILE;
    }
    if (code == CLI_GO && !name_problems(r)) {
        cli_complain("out of memory");
        code = CLI_BAD_FILE;
    }
    return code;
}

void bench_files_free(bench_request *r) {
    for (int i = 0; i < r->files; i++) {
        free(r->file[i].path);
        free(r->file[i].problem);
    }
    free(r->file);
    r->file = NULL;
    r->files = 0;
}
