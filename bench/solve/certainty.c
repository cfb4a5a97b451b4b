/*
 * certainty.c: how often a method certifies problems it was not tuned on: every problem given, changed in every way of
 * tests/support/changes.h, under both laws.
 *
 *     certainty [--method NAME] [--tol T] [--law coulomb|associated] [--change NAME] [--seed N] [--limit SECONDS] [--all] FILES|SAMPLES...
 *
 * A sample is written NAME:key=value,key=value, as for `cairn generate`. Without any, a few small samples are taken. One line
 * for each solve that was not certified (--all: for each), then a table: certified and proven infeasible of tried, factorisations and
 * seconds. The time limit ends a solve as a failure; it only saves the bench's time.
 */
#include "../../tests/support/changes.h"

#include <stdio.h>

typedef struct options {
    const char *method, *change;
    double tolerance, limit;
    int law; /* -1: both */
    uint64_t seed;
    bool all;
} options;

typedef struct tally {
    int tried, certified, infeasible, plain;
    long factorizations;
    double seconds;
} tally;

static cairn_problem *open_problem(cairn_context *context, const char *name, cairn_file *file) {
    *file = (cairn_file){0};
    const char *colon = strchr(name, ':');
    if (colon == NULL) {
        if (cairn_file_read(context, name, file) == CAIRN_OK)
            return file->problem;
        fprintf(stderr, "%s: %s\n", name, cairn_error_message(context));
        return NULL;
    }
    char text[256], message[200];
    snprintf(text, sizeof text, "%.*s", (int)(colon - name), name);
    cairn_sample_def def = cairn_default_sample_def(text);
    snprintf(text, sizeof text, "%s", colon + 1);
    for (char *key = strtok(text, ","); key != NULL; key = strtok(NULL, ",")) {
        char *equals = strchr(key, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        if (cairn_sample_set(&def, key, equals + 1, message, sizeof message) != CAIRN_OK)
            fprintf(stderr, "%s: %s\n", name, message);
    }
    cairn_problem *problem = NULL;
    if (cairn_sample_create(context, &def, &problem) != CAIRN_OK)
        fprintf(stderr, "%s: %s\n", name, cairn_error_message(context));
    return problem;
}

static void solve(cairn_context *context, const options *o, const char *name, const char *change,
                  cairn_problem *problem, tally *count) {
    cairn_settings settings = cairn_default_settings(o->method);
    settings.tolerance = o->tolerance;
    settings.time_limit = o->limit;
    cairn_solver *solver = NULL;
    cairn_info info = {0};
    cairn_status status = cairn_solver_create(context, &settings, &solver);
    if (status == CAIRN_OK)
        status = cairn_solver_load(solver, problem);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(solver, NULL, NULL, &info);
    bool good = status == CAIRN_OK && info.outcome == CAIRN_SOLVED;
    const char *law = cairn_law_name(cairn_problem_get(problem).law), *slash = strrchr(name, '/');
    count->tried++;
    count->certified += good;
    count->plain += good && info.certificate.plain <= o->tolerance;
    count->infeasible += status == CAIRN_OK && info.outcome == CAIRN_INFEASIBLE;
    count->factorizations += info.factorizations;
    count->seconds += info.seconds;
    if (status != CAIRN_OK)
        printf("%s %s %s: %s\n", slash != NULL ? slash + 1 : name, change, law, cairn_error_message(context));
    else if (o->all || !good)
        printf("%-34s %-10s %-10s %-10s it %5d f %4d s %5d %7.3f s map %.1e plain %.1e %s\n",
               slash != NULL ? slash + 1 : name, change, law, cairn_outcome_name(info.outcome), info.iterations,
               info.factorizations, info.solves, info.seconds, info.certificate.natural_map, info.certificate.plain,
               info.note);
    fflush(stdout);
    cairn_solver_destroy(solver);
}

static void run(cairn_context *context, const options *o, const char *name, tally table[][2]) {
    cairn_file file;
    cairn_problem *problem = open_problem(context, name, &file);
    for (int c = 0; problem != NULL && c < CHANGES; c++) {
        cairn_problem *changed = NULL;
        if (o->change != NULL && strcmp(o->change, change_names[c]) != 0)
            continue;
        if (change_problem(context, problem, change_names[c], o->seed, &changed) != CAIRN_OK) {
            fprintf(stderr, "%s, %s: %s\n", name, change_names[c], cairn_error_message(context));
            continue;
        }
        for (int law = 0; law < 2; law++)
            if ((o->law < 0 || o->law == law) && cairn_problem_set_law(changed, (cairn_law)law) == CAIRN_OK)
                solve(context, o, name, change_names[c], changed, &table[c][law]);
        cairn_problem_destroy(changed);
    }
    if (file.problem == NULL)
        cairn_problem_destroy(problem);
    cairn_file_clear(&file);
}

static int usage(void) {
    fprintf(stderr, "usage: certainty [--method NAME] [--tol T] [--law coulomb|associated] [--change NAME] [--seed N] "
                    "[--limit SECONDS] [--all] FILES|NAME:key=value,...\n");
    return 2;
}

int main(int argc, char **argv) {
    options o = {.method = "auto", .tolerance = 1e-8, .limit = 20.0, .law = -1, .seed = 1};
    static tally table[CHANGES][2], total;
    static const char *small[] = {"cairn:stones=30", "wall:kick=1", "spheres:spheres=64", "chain:", "box-on-four:"};
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        const char *key = argv[first] + 2;
        if (strcmp(key, "all") == 0) {
            o.all = true;
            continue;
        }
        if (++first == argc)
            return usage();
        const char *value = argv[first];
        if (strcmp(key, "method") == 0)
            o.method = value;
        else if (strcmp(key, "tol") == 0)
            o.tolerance = atof(value);
        else if (strcmp(key, "law") == 0)
            o.law = value[0] == 'a';
        else if (strcmp(key, "change") == 0)
            o.change = value;
        else if (strcmp(key, "seed") == 0)
            o.seed = strtoull(value, NULL, 10);
        else if (strcmp(key, "limit") == 0)
            o.limit = atof(value);
        else
            return usage();
    }
    cairn_context *context = NULL;
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 1;
    for (int i = first; i < argc; i++)
        run(context, &o, argv[i], table);
    for (int i = 0; first >= argc && i < (int)(sizeof small / sizeof *small); i++)
        run(context, &o, small[i], table);
    printf("%-12s %-11s %9s %10s %10s %8s %9s\n", "change", "law", "certified", "plain too", "infeasible", "factors",
           "seconds");
    for (int c = 0; c < CHANGES; c++)
        for (int law = 0; law < 2; law++) {
            const tally *t = &table[c][law];
            if (t->tried == 0)
                continue;
            printf("%-12s %-11s %4d/%-4d %10d %10d %8.1f %9.2f\n", change_names[c], cairn_law_name((cairn_law)law),
                   t->certified, t->tried, t->plain, t->infeasible, (double)t->factorizations / t->tried, t->seconds);
            total.tried += t->tried;
            total.certified += t->certified;
            total.infeasible += t->infeasible;
            total.plain += t->plain;
            total.seconds += t->seconds;
        }
    printf("%s at %g: %d of %d certified (%d with the plain figure too), %d proven infeasible, %.1f s\n", o.method,
           o.tolerance, total.certified, total.tried, total.plain, total.infeasible, total.seconds);
    cairn_context_destroy(context);
    return 0;
}
