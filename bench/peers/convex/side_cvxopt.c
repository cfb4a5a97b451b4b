/*
 * side_cvxopt.c: CVXOPT's coneqp. The program goes to coneqp.py as numbers in a file, the answer comes back in another: whole
 * numbers as int, the rest as double, in the order written below. Only the call of coneqp is timed, by the script.
 */
#define _POSIX_C_SOURCE 200809L
#include "../guard.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_ints(FILE *out, const int *x, int count) {
    fwrite(x, sizeof *x, (size_t)count, out);
}

static void put_reals(FILE *out, const double *x, int count) {
    fwrite(x, sizeof *x, (size_t)count, out);
}

static void put_matrix(FILE *out, const triplets *t) {
    put_ints(out, t->row, t->count);
    put_ints(out, t->col, t->count);
    put_reals(out, t->value, t->count);
}

static bool write_program(const cone_program *p, const char *path) {
    FILE *out = fopen(path, "wb");
    if (out == NULL)
        return false;
    const int head[] = {p->variables, p->rows, p->equalities, p->cones, p->P.count, p->G.count, p->A.count};
    put_ints(out, head, 7);
    put_ints(out, p->size, p->cones);
    put_matrix(out, &p->P);
    put_matrix(out, &p->G);
    put_matrix(out, &p->A);
    put_reals(out, p->q, p->variables);
    put_reals(out, p->h, p->rows);
    put_reals(out, p->b, p->equalities);
    return fclose(out) == 0;
}

/* verdict, iterations, seconds, x, z, y: all as double. */
static void read_answer(const cone_program *p, const char *path, convex_result *result) {
    size_t count = (size_t)(3 + p->variables + p->rows + p->equalities);
    double *x = calloc(count, sizeof *x);
    FILE *in = fopen(path, "rb");
    if (x != NULL && in != NULL && fread(x, sizeof *x, count, in) == count) {
        result->verdict = (int)x[0];
        result->iterations = (int)x[1];
        result->seconds = x[2];
        program_impulses(p, x + 3, x + 3 + p->variables, x + 3 + p->variables + p->rows, result->gamma);
        result->finished = 1;
    }
    if (in != NULL)
        fclose(in);
    free(x);
}

typedef struct task {
    const char *script, *program, *answer, *tolerance;
} task;

static void run_script(void *data) {
    const task *t = data;
    execl("/usr/bin/python3", "python3", t->script, t->program, t->answer, t->tolerance, (char *)NULL);
}

/* Runs the script under the guard: the caller is not guarded itself. */
void convex_cvxopt(const cone_program *p, double tolerance, const char *script, double limit, convex_result *result) {
    char folder[] = "/tmp/cairn-convex-XXXXXX", program[64], answer[64], text[32];
    if (mkdtemp(folder) == NULL)
        return;
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(answer, sizeof answer, "%s/answer", folder);
    snprintf(text, sizeof text, "%.17g", tolerance);
    task t = {script, program, answer, text};
    if (write_program(p, program) && guard_run(run_script, &t, limit))
        read_answer(p, answer, result);
    unlink(program);
    unlink(answer);
    rmdir(folder);
}
