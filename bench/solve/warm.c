/*
 * warm.c: what a first guess saves, and what a poor one costs.
 *
 *     warm [--method NAME] [--tol T] [--law coulomb|associated] FILES...
 *
 * Cost of a solve: factorisations + 0.3 back-substitutions, which no other program on the machine changes.
 * 1. Files given one after the other that have as many contacts are taken as steps of one run: the second, solved from the
 *    answer of the first, over the second from zero.
 * 2. Every file, solved from guesses that lead astray: its own answer, each impulse times 1 + e times a random number
 *    (e from 1e-6 to 0.3), its answer with wrong signs, shuffled by contacts, a hundred times as large, and random numbers.
 * Solves that cost nothing from zero (sweeps alone) are left out of the ratios. Exit code 1: a solve was not certified.
 */
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOLVE 0.3 /* a back-substitution, in factorisations */
#define ABOVE 1.2

typedef struct list {
    double *value;
    int count, room;
} list;

typedef struct bench {
    cairn_context *context;
    cairn_settings settings;
    cairn_solver *solver; /* of the file in work */
    cairn_law law;
    list steps, poor;
    int failures;
} bench;

static void add(list *l, double value) {
    if (l->count == l->room) {
        l->room = l->room > 0 ? 2 * l->room : 64;
        l->value = realloc(l->value, (size_t)l->room * sizeof *l->value);
        if (l->value == NULL)
            exit(1);
    }
    l->value[l->count++] = value;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void report(const char *what, list *l) {
    int above = 0;
    if (l->count == 0) {
        printf("%s: none\n", what);
        return;
    }
    qsort(l->value, (size_t)l->count, sizeof *l->value, compare);
    for (int i = 0; i < l->count; i++)
        above += l->value[i] > ABOVE;
    printf("%s: %d ratios to the cost from zero, median %.2f, largest %.2f, above %.1f: %d\n", what, l->count,
           l->value[l->count / 2], l->value[l->count - 1], ABOVE, above);
}

/* Random number in [-1, 1). */
static double draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

/* Cost of a solve from gamma (NULL: from zero). answer may be NULL. */
static double cost(bench *b, const double *gamma, double *answer, int m) {
    cairn_guess guess = {.gamma = gamma};
    cairn_answer found;
    cairn_info info;
    if (cairn_solver_solve(b->solver, gamma != NULL ? &guess : NULL, &found, &info) != CAIRN_OK) {
        fprintf(stderr, "warm: %s\n", cairn_error_message(b->context));
        exit(1);
    }
    b->failures += info.outcome != CAIRN_SOLVED;
    if (answer != NULL)
        memcpy(answer, found.gamma, (size_t)m * sizeof *answer);
    return info.factorizations + SOLVE * info.solves;
}

/* Guess number kind from the answer; false: there are no more kinds. */
static bool mislead(int kind, const double *answer, double *guess, int m, uint64_t *state) {
    static const double disturbance[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3};
    int disturbances = sizeof disturbance / sizeof *disturbance;
    for (int j = 0; j < m; j++) {
        int other = (j + 3 * (m / 6)) % m;
        guess[j] = kind < disturbances        ? answer[j] * (1.0 + disturbance[kind] * draw(state))
                   : kind == disturbances     ? (j % 3 == 0 ? 5.0 : -3.0) * answer[j]
                   : kind == disturbances + 1 ? answer[other]
                   : kind == disturbances + 2 ? 100.0 * answer[j]
                                              : draw(state);
    }
    return kind < disturbances + 4;
}

/* Both parts for one file. before (rows entries): the answer of the file before, replaced by this one's. */
static void take(bench *b, const char *path, double **before, int *rows) {
    cairn_file file;
    if (cairn_file_read(b->context, path, &file) != CAIRN_OK ||
        cairn_problem_set_law(file.problem, b->law) != CAIRN_OK ||
        cairn_solver_create(b->context, &b->settings, &b->solver) != CAIRN_OK ||
        cairn_solver_load(b->solver, file.problem) != CAIRN_OK) {
        fprintf(stderr, "warm: %s: %s\n", path, cairn_error_message(b->context));
        exit(1);
    }
    int m = cairn_problem_get(file.problem).m;
    double *answer = malloc((size_t)m * sizeof *answer), *guess = malloc((size_t)m * sizeof *guess);
    if (answer == NULL || guess == NULL)
        exit(1);
    uint64_t state = 1;
    double cold = cost(b, NULL, answer, m);
    if (m == *rows && cold > 0.0)
        add(&b->steps, cost(b, *before, NULL, m) / cold);
    for (int kind = 0; cold > 0.0 && mislead(kind, answer, guess, m, &state); kind++) {
        double warm = cost(b, guess, NULL, m);
        add(&b->poor, warm / cold);
        if (warm > ABOVE * cold)
            printf("%s: guess %d costs %.1f, zero %.1f\n", path, kind, warm, cold);
    }
    free(guess);
    free(*before);
    *before = answer;
    *rows = m;
    cairn_solver_destroy(b->solver);
    cairn_file_clear(&file);
}

int main(int count, char **argument) {
    bench b = {0};
    const char *method = NULL;
    double tolerance = 1e-8;
    int first = 1;
    for (; first + 1 < count && strncmp(argument[first], "--", 2) == 0; first += 2) {
        if (strcmp(argument[first], "--method") == 0)
            method = argument[first + 1];
        else if (strcmp(argument[first], "--tol") == 0)
            tolerance = atof(argument[first + 1]);
        else if (strcmp(argument[first], "--law") == 0)
            b.law = strcmp(argument[first + 1], "associated") == 0 ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB;
    }
    b.settings = cairn_default_settings(method);
    b.settings.tolerance = tolerance;
    if (cairn_context_create(NULL, &b.context) != CAIRN_OK)
        return 1;
    double *before = NULL;
    int rows = -1;
    for (int i = first; i < count; i++)
        take(&b, argument[i], &before, &rows);
    report("step after step", &b.steps);
    report("poor guesses   ", &b.poor);
    printf("not certified: %d\n", b.failures);
    free(before);
    free(b.steps.value);
    free(b.poor.value);
    cairn_context_destroy(b.context);
    return b.failures > 0;
}
