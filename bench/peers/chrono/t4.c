/*
 * t4.c: fifteen bars of finite elements fall on a heap (TEST 4 of [T21]), Cairn's steps against what Chrono's ADMM costs on the same steps.
 *
 *     t4 SCENE.json... [--steps N] [--every K]
 *
 * Chrono itself is no Debian package. Measured elsewhere, its ADMM takes 172 iterations a step on these scenes and about 17 factorisations: 2.0 s a step at 89 ms a
 * factorisation and 2.9 ms a solve. Every K-th step (default 4) this program writes its matrix
 *
 *     K = [ H   D ; D'  -Theta ]                    Theta: mean diagonal of each contact's block of N, by H's diagonal
 *
 * for the problem that Cairn has just solved, and times Eigen's SimplicialLDLT on it in the same process; Chrono's symbolic analysis, collision search and
 * assembly are left out in its favour. Cairn's time is CPU time of cairn_scene_step: collision, elements, assembly, solve, certificate.
 */
#include "../../common/whole.h"
#include "ldlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 172, FACTORIZATIONS = 17, STEPS_MAX = 1000 };

typedef struct sample {
    int contacts, certified, factorizations, solves;
    double cairn, collide, assemble, solver; /* s; the first one CPU time, the others shares of wall time */
    double factor, solve;                    /* of Eigen, CPU s; < 0: not measured */
    double error;                            /* of the step's certificate, m/s */
} sample;

/* Lower triangle of K by columns: H and D' below it, then -Theta. */
static void measure_ldlt(const cairn_problem *problem, sample *out) {
    cairn_problem_view p = cairn_problem_get(problem);
    int size = p.n + p.m, entries = p.H_start[p.n] + p.D_start[p.m] + p.m, at = 0;
    int *start = whole_need((size_t)size + 1, sizeof *start), *index = whole_need((size_t)entries, sizeof *index);
    int *row_start = whole_need((size_t)p.n + 1, sizeof *row_start);
    int *row = whole_need((size_t)p.D_start[p.m] + 1, sizeof *row);
    double *value = whole_need((size_t)entries, sizeof *value), *diagonal = whole_need((size_t)p.n, sizeof *diagonal);
    double *mirror = whole_need((size_t)p.D_start[p.m] + 1, sizeof *mirror);
    for (int k = 0; k < p.D_start[p.m]; k++)
        row_start[p.D_index[k] + 1]++;
    for (int i = 0; i < p.n; i++)
        row_start[i + 1] += row_start[i];
    for (int j = 0; j < p.m; j++)
        for (int k = p.D_start[j]; k < p.D_start[j + 1]; k++) {
            int to = row_start[p.D_index[k]]++;
            row[to] = p.n + j;
            mirror[to] = p.D_value[k];
        }
    for (int j = 0, from = 0; j < p.n; j++) {
        start[j] = at;
        for (int e = p.H_start[j]; e < p.H_start[j + 1]; e++) {
            if (p.H_index[e] < j)
                continue;
            if (p.H_index[e] == j)
                diagonal[j] = p.H_value[e];
            index[at] = p.H_index[e];
            value[at++] = p.H_value[e];
        }
        for (; from < row_start[j]; from++) { /* filling moved every start to the next one */
            index[at] = row[from];
            value[at++] = mirror[from];
        }
    }
    for (int b = 0; b < p.blocks; b++) {
        int first = p.block_start[b], last = p.block_start[b + 1];
        double sum = 0.0;
        for (int k = p.D_start[first]; k < p.D_start[last]; k++)
            sum += p.D_value[k] * p.D_value[k] / diagonal[p.D_index[k]];
        for (int j = first; j < last; j++) {
            start[p.n + j] = at;
            index[at] = p.n + j;
            value[at++] = -sum / (last - first);
        }
    }
    start[size] = at;
    double analyze;
    if (!ldlt_time(size, start, index, value, &analyze, &out->factor, &out->solve))
        whole_fail("Eigen", "the matrix has no factor");
    void *owned[] = {start, index, row_start, row, value, diagonal, mirror};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static double recipe(const sample *s) {
    return FACTORIZATIONS * s->factor + ITERATIONS * s->solve;
}

static void print(const char *scene, const sample *s, int steps) {
    double *value[5], error = 0.0;
    int measured = 0, certified = 0, most = 0;
    for (int k = 0; k < 5; k++)
        value[k] = whole_need((size_t)steps, sizeof **value);
    for (int i = 0; i < steps; i++) {
        value[0][i] = s[i].factorizations;
        value[1][i] = s[i].solves;
        value[2][i] = 1e3 * s[i].cairn;
        certified += s[i].certified;
        error = fmax(error, s[i].error);
        most = s[i].contacts > most ? s[i].contacts : most;
        if (s[i].factor < 0.0)
            continue;
        value[3][measured] = 1e3 * recipe(&s[i]);
        value[4][measured++] = s[i].cairn / recipe(&s[i]);
        printf(
            "%s: step %d, %d contacts: Cairn %.0f ms (contacts and elements %.0f, assembly %.0f, solver %.0f of wall "
            "time), %d factorisations, %d solves; Eigen %.1f ms a factorisation, %.2f a solve\n",
            scene, i + 1, s[i].contacts, 1e3 * s[i].cairn, 1e3 * s[i].collide, 1e3 * s[i].assemble, 1e3 * s[i].solver,
            s[i].factorizations, s[i].solves, 1e3 * s[i].factor, 1e3 * s[i].solve);
    }
    double factorizations = whole_median(value[0], steps), solves = whole_median(value[1], steps),
           own = whole_median(value[2], steps);
    double other = whole_median(value[3], measured), ratio = whole_median(value[4], measured);
    puts(
        "\n| scene | most contacts | certified | factorisations, median | solves, median | Cairn, median ms | Chrono's "
        "recipe, median ms | median of the ratios | largest error, m/s |\n|---|---|---|---|---|---|---|---|---|");
    printf("| %s | %d | %d of %d | %.0f | %.0f | %.0f | %.0f | %.3f | %.1e |\n\n", scene, most, certified, steps,
           factorizations, solves, own, other, ratio, error);
    for (int k = 0; k < 5; k++)
        free(value[k]);
}

static void run(cairn_context *context, const char *path, int steps, int every, sample *s) {
    cairn_scene *scene;
    if (cairn_scene_load(context, path, NULL, 0, &scene) != CAIRN_OK)
        whole_fail(path, cairn_error_message(context));
    for (int i = 0; i < steps; i++) {
        cairn_step_report report;
        const cairn_problem *problem;
        double begin = whole_cpu_seconds();
        if (cairn_scene_step(scene, &report) != CAIRN_OK)
            whole_fail("step", cairn_error_message(context));
        s[i] = (sample){.contacts = report.contacts,
                        .certified = report.certified,
                        .factorizations = report.info.factorizations,
                        .solves = report.info.solves,
                        .cairn = whole_cpu_seconds() - begin,
                        .collide = report.seconds_collide,
                        .assemble = report.seconds_assemble,
                        .solver = report.seconds_solve,
                        .error = report.info.certificate.error,
                        .factor = -1.0};
        if ((i + 1) % every == 0 && cairn_world_problem(cairn_scene_world(scene), &problem) == CAIRN_OK)
            measure_ldlt(problem, &s[i]);
    }
    cairn_scene_destroy(scene);
}

int main(int argc, char **argv) {
    int steps = 20, every = 4, scenes = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc)
            steps = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            every = (int)strtol(argv[++i], NULL, 10);
        else
            argv[++scenes] = argv[i];
    if (scenes == 0 || steps < 1 || steps > STEPS_MAX || every < 1)
        whole_fail("usage", "t4 SCENE.json... [--steps N] [--every K]");
    cairn_context *context;
    cairn_context_def def = cairn_default_context_def();
    sample *samples = whole_need(STEPS_MAX, sizeof *samples);
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        whole_fail("context", "cannot be made");
    for (int i = 1; i <= scenes; i++) {
        run(context, argv[i], steps, every, samples);
        print(argv[i], samples, steps);
    }
    cairn_context_destroy(context);
    free(samples);
    return 0;
}
