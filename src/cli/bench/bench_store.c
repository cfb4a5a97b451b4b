/*
 * bench_store.c: results.jsonl in memory and on disk. docs/bench.md describes its lines.
 *
 * A line is appended whole and flushed, so that an interruption costs at most the line being
 * written. Such a rest is found when the file is opened again: it has no newline, and it is cut
 * away. Anything else that is not understood is an error.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int no_memory(void) {
    cli_complain("out of memory");
    return CLI_BAD_FILE;
}

/* Makes place for one more item of `size` bytes. */
static bool grow(void **items, int count, int *room, size_t size) {
    if (count < *room)
        return true;
    int more = *room > 0 ? 2 * *room : 64;
    void *larger = realloc(*items, (size_t)more * size);
    if (larger == NULL)
        return false;
    *items = larger;
    *room = more;
    return true;
}

static void line_free(bench_line *line) {
    char *owned[] = {line->text,   line->program, line->version, line->problem, line->file,
                     line->method, line->spec,    line->law,     line->outcome, line->note};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* A member, or a copy of what stands for it when it is absent. */
static char *string_or(const char *object, const char *key, const char *absent) {
    char *text = json_string(object, key);
    return text != NULL ? text : strdup(absent);
}

static void read_numbers(bench_line *line) {
    const char *s = line->text;
    json_span certificate = json_member(s, "certificate"), sizes = json_member(s, "sizes");
    const char *c = certificate.at != NULL ? certificate.at : "{}", *z = sizes.at != NULL ? sizes.at : "{}";
    line->tolerance = json_number(s, "tolerance");
    line->bytes = json_number(s, "bytes");
    line->contacts = json_number(z, "contacts");
    line->n = json_number(z, "n");
    line->m = json_number(z, "m");
    line->iterations = json_number(s, "iterations");
    line->factorizations = json_number(s, "factorizations");
    line->solves = json_number(s, "solves");
    line->seconds = json_number(s, "seconds");
    line->load_seconds = json_number(s, "load_seconds");
    line->solve_seconds = json_number(s, "solve_seconds");
    line->certificate_seconds = json_number(s, "certificate_seconds");
    line->natural_map = json_number(c, "natural_map");
    line->error = json_number(c, "error");
    line->relative = json_number(c, "relative");
    line->plain = json_number(c, "plain");
    line->curve = json_member(s, "curve");
    /* The judge's word, where it was asked for the same tolerance: it also knows the grain of
     * the data, and judges v. */
    json_span certified = json_member(c, "certified");
    bool asked = certified.at != NULL && fabs(json_number(c, "tolerance") - line->tolerance) <= 1e-9 * line->tolerance;
    bool good = asked ? *certified.at == 't' && line->relative >= 0.0 : line->relative <= line->tolerance;
    line->success = good && line->seconds >= 0.0;
}

/* Fills a line from its text, which it takes over. CLI_GO, or an exit code after a message, with
 * nothing left to free. */
static int read_line(char *text, const char *where, bench_line *line) {
    static const char *const needed[] = {"problem", "method", "law"};
    *line = (bench_line){.text = text};
    for (int i = 0; i < 3; i++)
        if (json_member(text, needed[i]).at == NULL || *json_member(text, needed[i]).at != '"') {
            cli_complain("%s: a result without \"%s\"", where, needed[i]);
            free(text);
            return CLI_BAD_FILE;
        }
    line->problem = json_string(text, "problem");
    line->method = json_string(text, "method");
    line->law = json_string(text, "law");
    line->program = string_or(text, "program", "unknown");
    line->version = string_or(text, "version", "");
    line->file = string_or(text, "file", "");
    line->spec = string_or(text, "spec", line->method != NULL ? line->method : "");
    line->outcome = string_or(text, "outcome", "unknown");
    line->note = string_or(text, "note", "");
    read_numbers(line);
    int code = CLI_GO;
    if (line->problem == NULL || line->method == NULL || line->law == NULL || line->program == NULL ||
        line->version == NULL || line->file == NULL || line->spec == NULL || line->outcome == NULL ||
        line->note == NULL)
        code = no_memory();
    else if (!(line->tolerance > 0.0)) {
        cli_complain("%s: a result without a positive \"tolerance\"", where);
        code = CLI_BAD_FILE;
    } else if (strcmp(line->law, "coulomb") != 0 && strcmp(line->law, "associated") != 0) {
        cli_complain("%s: \"law\" is '%s', expected coulomb or associated", where, line->law);
        code = CLI_BAD_FILE;
    }
    if (code != CLI_GO)
        line_free(line);
    return code;
}

static bench_line *find(const bench_results *results, const char *problem, const char *method, const char *law,
                        double tolerance) {
    for (int i = 0; i < results->count; i++) {
        bench_line *line = &results->line[i];
        if (strcmp(line->problem, problem) == 0 && strcmp(line->method, method) == 0 && strcmp(line->law, law) == 0 &&
            fabs(line->tolerance - tolerance) <= 1e-9 * tolerance)
            return line;
    }
    return NULL;
}

const bench_line *bench_results_find(const bench_results *results, const char *problem, const char *method,
                                     const char *law, double tolerance) {
    return find(results, problem, method, law, tolerance);
}

static int take_result(bench_results *results, char *text, const char *where) {
    bench_line line;
    int code = read_line(text, where, &line);
    if (code != CLI_GO)
        return code;
    bench_line *old = find(results, line.problem, line.method, line.law, line.tolerance);
    if (old != NULL) {
        line_free(old);
        *old = line;
        return CLI_GO;
    }
    if (!grow((void **)&results->line, results->count, &results->room, sizeof line)) {
        line_free(&line);
        return no_memory();
    }
    results->line[results->count++] = line;
    return CLI_GO;
}

static int take_refusal(bench_results *results, const char *text) {
    bench_refusal refusal = {string_or(text, "file", "?"), string_or(text, "reason", "")};
    if (refusal.file == NULL || refusal.reason == NULL ||
        !grow((void **)&results->refusal, results->refusals, &results->refusal_room, sizeof refusal)) {
        free(refusal.file);
        free(refusal.reason);
        return no_memory();
    }
    for (int i = 0; i < results->refusals; i++)
        if (strcmp(results->refusal[i].file, refusal.file) == 0) {
            free(results->refusal[i].file);
            free(results->refusal[i].reason);
            results->refusal[i] = refusal;
            return CLI_GO;
        }
    results->refusal[results->refusals++] = refusal;
    return CLI_GO;
}

int bench_results_take(bench_results *results, const char *text, const char *where) {
    if (!json_is_object(text)) {
        cli_complain("%s: not a JSON object", where);
        return CLI_BAD_FILE;
    }
    char *kind = string_or(text, "kind", "run"), *copy = strdup(text);
    int code = CLI_GO;
    if (kind == NULL || copy == NULL) {
        code = no_memory();
    } else if (strcmp(kind, "run") == 0) {
        code = take_result(results, copy, where);
        copy = NULL;
    } else if (strcmp(kind, "refused") == 0) {
        code = take_refusal(results, text);
    } else if (strcmp(kind, "bench") == 0) {
        if (grow((void **)&results->head, results->heads, &results->head_room, sizeof *results->head)) {
            results->head[results->heads++] = copy;
            copy = NULL;
        } else {
            code = no_memory();
        }
    } else {
        cli_complain("%s: \"kind\" is '%s', expected bench, run or refused", where, kind);
        code = CLI_BAD_FILE;
    }
    free(kind);
    free(copy);
    return code;
}

int bench_results_append(bench_results *results, const char *text) {
    int code = bench_results_take(results, text, results->path);
    if (code != CLI_GO)
        return code;
    fputs(text, results->file);
    fputc('\n', results->file);
    if (fflush(results->file) != 0 || ferror(results->file)) {
        cli_complain("%s: cannot be written: %s", results->path, strerror(errno));
        return CLI_BAD_FILE;
    }
    return CLI_GO;
}

/* Gives every line of path to take(data, line, where). *whole: bytes up to the last newline. A
 * file that is not there is empty when may_miss. */
static int each_line(const char *path, bool may_miss, int (*take)(void *data, const char *line, const char *where),
                     void *data, long *whole) {
    char *line = NULL, *where = malloc(strlen(path) + 32);
    size_t size = 0;
    int code = CLI_GO;
    bool missing = false;
    FILE *in = where != NULL ? cli_input(path, may_miss ? &missing : NULL) : NULL;
    *whole = 0;
    if (in == NULL) {
        if (where != NULL && !missing)
            code = CLI_BAD_FILE;
        free(where);
        return code;
    }
    int first = getc(in);
    if (first != EOF && memchr("{ \t\r\n", first, 5) == NULL) { /* before a line is looked for that may have no end */
        cli_complain("%s:1: not a JSON object", path);
        code = CLI_BAD_FILE;
    }
    rewind(in);
    for (int number = 1; code == CLI_GO; number++) {
        ssize_t length = getline(&line, &size, in);
        if (length < 0 || line[length - 1] != '\n')
            break;
        *whole += (long)length;
        line[length - 1] = '\0';
        snprintf(where, strlen(path) + 32, "%s:%d", path, number);
        if (line[strspn(line, " \t\r")] != '\0')
            code = take(data, line, where);
    }
    free(line);
    free(where);
    fclose(in);
    return code;
}

static int take_any(void *data, const char *line, const char *where) {
    return bench_results_take(data, line, where);
}

/* Cuts the rest after the last newline away and says so. */
static int cut_rest(const char *path, long whole) {
    FILE *file = fopen(path, "r+");
    if (file == NULL)
        return CLI_GO; /* not there yet, or fopen for appending says why */
    int code = CLI_GO;
    fseek(file, 0, SEEK_END);
    long all = ftell(file);
    if (all > whole) {
        cli_complain("%s: the last line was cut off by an interruption and is left out", path);
        if (ftruncate(fileno(file), whole) != 0) {
            cli_complain("%s: cannot be shortened: %s", path, strerror(errno));
            code = CLI_BAD_FILE;
        }
    }
    fclose(file);
    return code;
}

int bench_results_open(bench_results *results, const char *path, bool append) {
    long whole = 0;
    *results = (bench_results){.path = strdup(path)};
    if (results->path == NULL)
        return no_memory();
    int code = each_line(path, append, take_any, results, &whole);
    if (code == CLI_GO && append)
        code = cut_rest(path, whole);
    if (code == CLI_GO && append) {
        results->file = fopen(path, "a");
        if (results->file == NULL) {
            cli_complain("%s: cannot be written: %s", path, strerror(errno));
            code = CLI_BAD_FILE;
        }
    }
    if (code != CLI_GO)
        bench_results_close(results);
    return code;
}

void bench_results_close(bench_results *results) {
    for (int i = 0; i < results->count; i++)
        line_free(&results->line[i]);
    for (int i = 0; i < results->refusals; i++) {
        free(results->refusal[i].file);
        free(results->refusal[i].reason);
    }
    for (int i = 0; i < results->heads; i++)
        free(results->head[i]);
    free(results->line);
    free(results->refusal);
    free(results->head);
    free(results->path);
    if (results->file != NULL)
        fclose(results->file);
    *results = (bench_results){0};
}

/* ---- merging ---- */

typedef struct merge {
    bench_results *results;
    int added, known;
} merge;

/* Appends a result unless the same text is there. Heads and refusals of the other file stay
 * there. */
static int take_other(void *data, const char *line, const char *where) {
    merge *m = data;
    bench_results one = {0};
    int code = bench_results_take(&one, line, where);
    if (code == CLI_GO && one.count == 1) {
        const bench_line *other = &one.line[0];
        const bench_line *old = find(m->results, other->problem, other->method, other->law, other->tolerance);
        if (old != NULL && strcmp(old->text, line) == 0) {
            m->known++;
        } else {
            code = bench_results_append(m->results, line);
            m->added++;
        }
    }
    bench_results_close(&one);
    return code;
}

int bench_results_merge(bench_results *results, const char *path) {
    merge m = {.results = results};
    long whole = 0;
    int code = each_line(path, false, take_other, &m, &whole);
    if (code == CLI_GO)
        fprintf(stderr, "%s: %d results added, %d were there already\n", path, m.added, m.known);
    return code;
}
