/*
 * chrono.c: the wrecking ball of [T21] (TEST 2), Cairn's whole steps against what Chrono's ADMM costs on the same steps.
 *
 *     chrono SCENE.json [--until S] [--every K] [--tolerance X] [--csv FILE]
 *
 * Chrono itself is no Debian package. Measured elsewhere, its ADMM runs into its cap on nearly every step of this scene and takes 334 ms. The recipe: 100
 * solves and 20 factorisations (a new penalty every fifth iteration) a step, which gives 294 ms with the 9.8 and 0.98 ms measured for its matrix
 *
 *     K = [ H   D ; D'  -Theta ]                    Theta: mean diagonal of each contact's block of N
 *
 * and its symbolic analysis at every factorisation, which is left out here in its favour, like its collision search and assembly. Every K-th step (default 10) this program writes that
 * matrix for the step that Cairn has just made, all contacts in one piece, and times Eigen's SimplicialLDLT on it in the same process. It also times 50 sweeps of
 * over-relaxed Gauss-Seidel (PSOR-50, Cairn's own sweeps). Two rulers: the recipe with the matrix of Cairn's own contacts (4416 at rest), and with the matrix for which
 * 9.8 and 0.98 ms were measured beside Chrono's 334: the same walls with the contacts between neighbours in a row, 4 cm apart, that Chrono's margin finds as well (6659,
 * bench/peers/linalg/matrices.c). The first is the stricter one. Cairn's time is CPU time of cairn_scene_step: collision, assembly, solve, certificate.
 * Errors are those of the certificates of Cairn's step and of the sweeps; a recipe has none.
 */
#include "../../common/whole.h"
#include "../linalg/matrices.h"
#include "ldlt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHRONO_ITERATIONS = 100, CHRONO_FACTORIZATIONS = 20, PSOR_SWEEPS = 50, STEPS_MAX = 100000 };

typedef struct request {
    const char *scene, *csv;
    double until, tolerance;
    int every;
} request;

typedef struct sample {
    int step, contacts, certified;
    double cairn, factor, solve, psor; /* seconds of CPU time; factor < 0: not measured */
    double error, psor_error;          /* of the answers' certificates, m/s */
} sample;

/* ---- the full matrix ---- */

/* Columns of K, lower triangle: H above D', then -Theta. H is diagonal here. */
static void measure_ldlt(const cairn_problem *problem, sample *out) {
    cairn_problem_view p = cairn_problem_get(problem);
    int size = p.n + p.m, entries = p.n + p.D_start[p.m] + p.m;
    int *start = whole_need((size_t)size + 1, sizeof *start), *index = whole_need((size_t)entries, sizeof *index);
    int *next = whole_need((size_t)size + 1, sizeof *next);
    double *value = whole_need((size_t)entries, sizeof *value), *theta = whole_need((size_t)p.m, sizeof *theta);
    for (int j = 0; j < p.n; j++)
        start[j + 1] = 1;
    for (int k = 0; k < p.D_start[p.m]; k++)
        start[p.D_index[k] + 1]++;
    for (int j = 0; j < p.m; j++)
        start[p.n + j + 1] = 1;
    for (int j = 0; j < size; j++)
        next[j] = start[j + 1] += start[j];
    for (int j = size; j > 0; j--)
        next[j] = start[j - 1];
    for (int j = 0; j < p.n; j++) {
        index[next[j + 1]] = j;
        value[next[j + 1]++] = p.H_value[p.H_start[j]];
    }
    for (int b = 0; b < p.blocks; b++) {
        int first = p.block_start[b], last = p.block_start[b + 1];
        double sum = 0.0;
        for (int k = p.D_start[first]; k < p.D_start[last]; k++)
            sum += p.D_value[k] * p.D_value[k] / p.H_value[p.H_start[p.D_index[k]]];
        for (int j = first; j < last; j++)
            theta[j] = sum / (last - first);
    }
    for (int j = 0; j < p.m; j++) {
        for (int k = p.D_start[j]; k < p.D_start[j + 1]; k++) {
            int column = p.D_index[k];
            index[next[column + 1]] = p.n + j;
            value[next[column + 1]++] = p.D_value[k];
        }
        index[next[p.n + j + 1]] = p.n + j;
        value[next[p.n + j + 1]++] = -theta[j];
    }
    double analyze;
    if (!ldlt_time(size, start, index, value, &analyze, &out->factor, &out->solve))
        whole_fail("Eigen", "the matrix has no factor");
    free(start);
    free(index);
    free(next);
    free(value);
    free(theta);
}

/* The matrix of 6659 contacts: seconds of the recipe; *contacts: how many. */
static double measure_wall(int *contacts, sample *out) {
    scene s = scene_wall();
    linear_system a = system_full(&s);
    int size = a.A.cols, used = 0;
    int *start = whole_need((size_t)size + 1, sizeof *start);
    *contacts = s.blocks;
    for (int j = 0; j < size; j++) { /* the lower triangle, in place */
        start[j] = used;
        for (int k = a.A.start[j]; k < a.A.start[j + 1]; k++)
            if (a.A.index[k] >= j) {
                a.A.index[used] = a.A.index[k];
                a.A.value[used++] = a.A.value[k];
            }
    }
    start[size] = used;
    double analyze;
    if (!ldlt_time(size, start, a.A.index, a.A.value, &analyze, &out->factor, &out->solve))
        whole_fail("Eigen", "the matrix of the wall has no factor");
    free(start);
    system_clear(&a);
    scene_clear(&s);
    return CHRONO_FACTORIZATIONS * out->factor + CHRONO_ITERATIONS * out->solve;
}

static void measure_psor(cairn_context *context, const cairn_problem *problem, sample *out) {
    cairn_settings settings = cairn_default_settings("psor");
    cairn_solver *solver;
    cairn_answer answer;
    cairn_info info;
    settings.max_iterations = PSOR_SWEEPS;
    settings.tolerance = 1e-14;
    settings.test_every = PSOR_SWEEPS;
    if (cairn_solver_create(context, &settings, &solver) != CAIRN_OK ||
        cairn_solver_load(solver, problem) != CAIRN_OK || cairn_solver_solve(solver, NULL, &answer, &info) != CAIRN_OK)
        whole_fail("psor", cairn_error_message(context));
    out->psor = info.cpu_seconds;
    out->psor_error = info.certificate.error;
    cairn_solver_destroy(solver);
}

/* ---- the run ---- */

static int run(const request *r, cairn_context *context, sample *samples) {
    char tolerance[32];
    snprintf(tolerance, sizeof tolerance, "%.17g", r->tolerance);
    cairn_scene_override changes[] = {{"tolerance", tolerance}, {"velocity_tolerance", "1e-2"}};
    cairn_scene *wall;
    if (cairn_scene_load(context, r->scene, changes, 2, &wall) != CAIRN_OK)
        whole_fail(r->scene, cairn_error_message(context));
    whole w = {.context = context, .world = cairn_scene_world(wall)};
    double h = cairn_scene_get(wall).step;
    int steps = (int)lround(r->until / h);
    whole_add_wall(&w, wall);
    for (int i = 0; i < steps && i < STEPS_MAX; i++) {
        cairn_step_report report;
        whole_look(&w);
        double begin = whole_cpu_seconds();
        if (cairn_scene_step(wall, &report) != CAIRN_OK)
            whole_fail("step", cairn_error_message(context));
        samples[i] = (sample){.step = i + 1,
                              .contacts = report.contacts,
                              .certified = report.certified,
                              .cairn = whole_cpu_seconds() - begin,
                              .error = report.info.certificate.error,
                              .factor = -1.0};
        if ((i + 1) % r->every != 0)
            continue;
        whole_form form = {.step = h, .gravity = 9.81};
        cairn_problem *problem = whole_problem(&w, &form);
        measure_ldlt(problem, &samples[i]);
        measure_psor(context, problem, &samples[i]);
        cairn_problem_destroy(problem);
    }
    whole_clear(&w);
    cairn_scene_destroy(wall);
    return steps;
}

/* ---- the table ---- */

static double recipe(const sample *s) {
    return CHRONO_FACTORIZATIONS * s->factor + CHRONO_ITERATIONS * s->solve;
}

/* Medians of times and largest errors over steps first .. last - 1. */
static void print_part(const char *name, const sample *s, int first, int last, double wall) {
    int measured = 0, certified = 0, count = last - first, most = 0;
    double *cairn = whole_need((size_t)count, sizeof *cairn), *chrono = whole_need((size_t)count, sizeof *chrono);
    double *psor = whole_need((size_t)count, sizeof *psor), sum = 0.0;
    double error = 0.0, psor_error = 0.0;
    for (int i = first; i < last; i++) {
        cairn[i - first] = s[i].cairn;
        sum += s[i].cairn;
        error = fmax(error, s[i].error);
        certified += s[i].certified;
        most = s[i].contacts > most ? s[i].contacts : most;
        if (s[i].factor < 0.0)
            continue;
        chrono[measured] = recipe(&s[i]);
        psor[measured++] = s[i].psor;
        psor_error = fmax(psor_error, s[i].psor_error);
    }
    double mine = whole_median(cairn, count), theirs = whole_median(chrono, measured);
    printf("| %s | %d | %d of %d | %.1f | %.1f | %.1f | %.3f | %.3f | %.1f | %.1e | %.1e |\n", name, most, certified,
           count, 1e3 * mine, 1e3 * sum / count, 1e3 * theirs, mine / theirs, mine / wall,
           1e3 * whole_median(psor, measured), error, psor_error);
    free(cairn);
    free(chrono);
    free(psor);
}

static void print(const request *r, const sample *s, int steps) {
    int impact = 0, contacts = 0;
    sample ruler;
    double wall = measure_wall(&contacts, &ruler);
    while (impact < steps && s[impact].contacts == s[0].contacts)
        impact++;
    puts("| step | contacts | Cairn ms | factor ms | solve ms | Chrono's recipe ms | PSOR-50 ms "
         "| Cairn's error, m/s | PSOR-50's error, m/s |\n|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < steps; i++)
        if (s[i].factor >= 0.0)
            printf("| %d | %d | %.1f | %.2f | %.3f | %.1f | %.1f | %.1e | %.1e |\n", s[i].step, s[i].contacts,
                   1e3 * s[i].cairn, 1e3 * s[i].factor, 1e3 * s[i].solve, 1e3 * recipe(&s[i]), 1e3 * s[i].psor,
                   s[i].error, s[i].psor_error);
    printf("\nCertified at %g. Chrono's recipe: %d factorisations and %d solves a step.\n\n", r->tolerance,
           CHRONO_FACTORIZATIONS, CHRONO_ITERATIONS);
    printf("Chrono's margin finds more contacts: %d. Their matrix takes %.2f ms to factor and %.3f ms to solve here, "
           "the recipe "
           "%.1f ms.\n\n",
           contacts, 1e3 * ruler.factor, 1e3 * ruler.solve, 1e3 * wall);
    printf(
        "| part | most contacts | certified steps | Cairn, median ms | mean ms | recipe with these contacts, median "
        "ms | ratio "
        "of medians | ratio to the recipe with %d contacts | PSOR-50, median ms "
        "| Cairn, largest error, m/s | PSOR-50, largest error, m/s |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        contacts);
    if (impact > 1)
        print_part("at rest, before the impact", s, 1, impact, wall);
    if (impact < steps)
        print_part("after the impact", s, impact, steps, wall);
}

static int write_csv(const char *path, const sample *s, int steps) {
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        fprintf(stderr, "chrono: cannot write %s\n", path);
        return 1;
    }
    fputs("step,contacts,certified,cairn,factor,solve,psor,error,psor_error\n", out);
    for (int i = 0; i < steps; i++)
        fprintf(out, "%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.3g,%.3g\n", s[i].step, s[i].contacts, s[i].certified, s[i].cairn,
                s[i].factor, s[i].solve, s[i].psor, s[i].error, s[i].psor_error);
    return fclose(out) != 0;
}

int main(int argc, char **argv) {
    request r = {.until = 4.0, .tolerance = 1e-4, .every = 10};
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--until") == 0)
            r.until = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--every") == 0)
            r.every = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--tolerance") == 0)
            r.tolerance = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--csv") == 0)
            r.csv = argv[i + 1];
        else
            whole_fail(argv[i], "expected --until, --every, --tolerance or --csv");
    if (argc < 2 || r.every < 1 || !(r.until > 0.0 && r.until < 100.0))
        whole_fail("usage", "chrono SCENE.json [--until S] [--every K] [--tolerance X] [--csv FILE]");
    r.scene = argv[1];
    cairn_context *context;
    cairn_context_def def = cairn_default_context_def();
    sample *samples = whole_need(STEPS_MAX, sizeof *samples);
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        whole_fail("context", "cannot be made");
    int steps = run(&r, context, samples);
    print(&r, samples, steps);
    int bad = r.csv != NULL && write_csv(r.csv, samples, steps);
    cairn_context_destroy(context);
    free(samples);
    return bad;
}
