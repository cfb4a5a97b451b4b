/*
 * large.c: how time and memory grow from 10 000 to 100 000 contacts, for the matrix-free path (nncg) and the direct one (nsn).
 *
 *     large [--direct N] [--iterations N] [--mu X] [--law coulomb|associated] [--method NAME]
 *
 * Piles of spheres (cairn generate pile), friction X (0.1). For each size: time of load, least time of an iteration, time of one certificate and memory taken
 * by problem and solver, all per contact; then NAME (nncg) solves to 1e-6 with at most N iterations (0: not at all; 5000). The
 * direct path does two factorisations on piles of at most --direct contacts. Memory is counted in an allocator, not by the system.
 */
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int spheres[] = {3300, 6600, 16000, 33000};
enum { SIZES = sizeof spheres / sizeof *spheres, REPEATS = 3, HEAD = 16 };

typedef struct meter {
    size_t now, most;
} meter;

static void *take(void *user, size_t bytes) {
    meter *m = user;
    char *memory = malloc(bytes + HEAD);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &bytes, sizeof bytes);
    m->now += bytes;
    m->most = m->now > m->most ? m->now : m->most;
    return memory + HEAD;
}

static void give(void *user, void *memory) {
    meter *m = user;
    size_t bytes;
    if (memory == NULL)
        return;
    memcpy(&bytes, (char *)memory - HEAD, sizeof bytes);
    m->now -= bytes;
    free((char *)memory - HEAD);
}

static double now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void fail(cairn_context *context, const char *what) {
    fprintf(stderr, "large: %s: %s\n", what, cairn_error_message(context));
    exit(1);
}

typedef struct figures {
    double load, iteration; /* seconds of processor time */
    size_t bytes;
    int factorizations;
} figures;

typedef struct stopwatch {
    double first, last; /* processor time at the end of the first iteration, and of the last */
} stopwatch;

static bool tell(void *user, const cairn_iteration *iteration) {
    stopwatch *watch = user;
    watch->last = now();
    if (iteration->iteration == 1)
        watch->first = watch->last;
    return true;
}

/* Load and a few iterations of a method, the least of REPEATS. What happens once a solve is not counted: making the workspace, the certificate. */
static figures measure(cairn_context *context, meter *memory, const cairn_problem *problem, const char *method,
                       int iterations) {
    figures out = {.load = 1e30, .iteration = 1e30};
    cairn_settings settings = cairn_default_settings(method);
    settings.max_iterations = iterations;
    settings.tolerance = 1e-12;
    settings.test_every = 10;
    stopwatch watch;
    settings.on_iteration = tell;
    settings.user = &watch;
    for (int i = 0; i < REPEATS; i++) {
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info info;
        size_t before = memory->now;
        memory->most = before;
        if (cairn_solver_create(context, &settings, &solver) != CAIRN_OK)
            fail(context, method);
        double start = now();
        if (cairn_solver_load(solver, problem) != CAIRN_OK)
            fail(context, method);
        double loaded = now();
        if (cairn_solver_solve(solver, NULL, &answer, &info) != CAIRN_OK)
            fail(context, method);
        double each = (watch.last - watch.first) / (info.iterations - 1);
        out.load = loaded - start < out.load ? loaded - start : out.load;
        out.iteration = each < out.iteration ? each : out.iteration;
        out.bytes = memory->most - before;
        out.factorizations = info.factorizations;
        cairn_solver_destroy(solver);
    }
    return out;
}

/* To 1e-6, load and certificate counted. */
static void solve(cairn_context *context, meter *memory, const cairn_problem *problem, const char *method,
                  int iterations, int contacts) {
    cairn_settings settings = cairn_default_settings(method);
    cairn_solver *solver = NULL;
    cairn_answer answer;
    cairn_info info;
    settings.max_iterations = iterations;
    settings.tolerance = 1e-6;
    size_t before = memory->now;
    memory->most = before;
    double start = now();
    if (cairn_solver_create(context, &settings, &solver) != CAIRN_OK ||
        cairn_solver_load(solver, problem) != CAIRN_OK || cairn_solver_solve(solver, NULL, &answer, &info) != CAIRN_OK)
        fail(context, method);
    double seconds = now() - start;
    printf("    %s to 1e-6: %s, natural map %.1e, %d iterations, %.1f s, %.3f us a contact and iteration, %.0f MB\n",
           method, cairn_outcome_name(info.outcome), info.certificate.natural_map, info.iterations, seconds,
           1e6 * seconds / contacts / info.iterations, 1e-6 * (double)(memory->most - before));
    cairn_solver_destroy(solver);
}

static double judge_seconds(cairn_context *context, const cairn_problem *problem, int m) {
    double *gamma = calloc((size_t)m, sizeof *gamma), best = 1e30;
    for (int i = 0; gamma != NULL && i < REPEATS; i++) {
        cairn_certificate certificate;
        double start = now();
        if (cairn_certify(problem, NULL, gamma, 1e-6, &certificate, NULL, NULL) != CAIRN_OK)
            fail(context, "certificate");
        best = now() - start < best ? now() - start : best;
    }
    free(gamma);
    return best;
}

static void report(const char *path, int contacts, const figures *f) {
    printf("    %-12s load %7.2f us, iteration %8.3f us, memory %6.0f bytes a contact; load %.3f s, iteration %.4f s, "
           "%.0f MB\n",
           path, 1e6 * f->load / contacts, 1e6 * f->iteration / contacts, (double)f->bytes / contacts, f->load,
           f->iteration, 1e-6 * (double)f->bytes);
}

int main(int count, char **argument) {
    int direct = 21000, iterations = 5000;
    double mu = 0.1;
    const char *law = "coulomb", *method = "nncg";
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(argument[i], "--direct") == 0)
            direct = atoi(argument[i + 1]);
        else if (strcmp(argument[i], "--iterations") == 0)
            iterations = atoi(argument[i + 1]);
        else if (strcmp(argument[i], "--mu") == 0)
            mu = atof(argument[i + 1]);
        else if (strcmp(argument[i], "--law") == 0)
            law = argument[i + 1];
        else if (strcmp(argument[i], "--method") == 0)
            method = argument[i + 1];
    }
    for (int i = 0; i < SIZES; i++) {
        meter memory = {0};
        cairn_context_def def = cairn_default_context_def();
        cairn_context *context = NULL;
        cairn_problem *problem = NULL;
        cairn_sample_def sample = cairn_default_sample_def("pile");
        def.allocate = take;
        def.release = give;
        def.allocator_user = &memory;
        def.threads = 1;
        sample.count = spheres[i];
        sample.mu = mu;
        sample.law = strcmp(law, "associated") == 0 ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB;
        if (cairn_context_create(&def, &context) != CAIRN_OK ||
            cairn_sample_create(context, &sample, &problem) != CAIRN_OK)
            fail(context, "pile");
        cairn_problem_view view = cairn_problem_get(problem);
        int contacts = view.blocks;
        printf("%d spheres, %d contacts: problem %.0f bytes a contact, certificate %.2f us a contact\n", spheres[i],
               contacts, (double)memory.now / contacts, 1e6 * judge_seconds(context, problem, view.m) / contacts);
        figures f = measure(context, &memory, problem, "nncg", 61);
        report("matrix-free", contacts, &f);
        if (contacts <= direct) {
            f = measure(context, &memory, problem, "nsn", 2);
            report("direct", contacts, &f);
        }
        if (iterations > 0)
            solve(context, &memory, problem, method, iterations, contacts);
        fflush(stdout);
        cairn_problem_destroy(problem);
        cairn_context_destroy(context);
    }
    return 0;
}
