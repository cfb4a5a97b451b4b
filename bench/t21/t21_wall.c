/*
 * t21_wall.c: TEST 2 of [T21]: one step of the wrecking ball, solved by several methods, each iteration traced.
 *
 *     t21_wall SCENE.json FOLDER [--step N] [--most N] [--compliance X]
 *
 * Runs the scene to step N (default 26, just after the ball has met the first wall), writes that step's problem in one piece, and solves it
 * cold with the associated law of the paper by ADMM, P-ADMM (both with the paper's settings), projected Jacobi and P-SPG-FB, rigid and with a
 * compliance of X m/N (default 1e-7) along every normal. FOLDER/NAME.csv is the trace of a method, as `cairn solve --trace` writes it.
 * Prints iterations, factorisations and figures at the end of each.
 */
#include "../common/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *scene, *folder;
    int step, most;
    double compliance;
} request;

typedef struct method {
    const char *trace, *name, *options; /* options: KEY=VALUE with blanks between */
} method;

static const method methods[] = {
    {"admm", "admm", "relaxation=1 step_root=off"},
    {"padmm", "padmm", "relaxation=1 step_grow=1"},
    {"padmm_default", "padmm", ""},
    {"jacobi", "jacobi", ""},
    {"spg", "spg", ""},
};

typedef struct traced {
    FILE *out;
    double violation; /* of the last iteration */
} traced;

static bool trace(void *user, const cairn_iteration *i) {
    traced *t = user;
    FILE *out = t->out;
    t->violation = i->violation;
    double values[] = {i->primal, i->dual, i->rho, i->natural_map, i->violation};
    fprintf(out, "%d,%d,%d", i->iteration, i->factorizations, i->solves);
    for (size_t j = 0; j < sizeof values / sizeof *values; j++)
        if (isnan(values[j]))
            fputs(",", out);
        else
            fprintf(out, ",%.9g", values[j]);
    fprintf(out, ",%.9g\n", i->seconds);
    return true;
}

static void set_options(cairn_settings *settings, const char *options) {
    char text[128], message[256];
    snprintf(text, sizeof text, "%s", options);
    for (char *key = strtok(text, " "); key != NULL; key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');
        *value++ = '\0';
        if (cairn_settings_set(settings, key, value, message, sizeof message) != CAIRN_OK)
            whole_fail(key, message);
    }
}

static void solve(const request *r, cairn_context *context, const cairn_problem *problem, const method *m,
                  const char *kind) {
    char path[512];
    cairn_settings settings = cairn_default_settings(m->name);
    cairn_solver *solver;
    cairn_info info;
    snprintf(path, sizeof path, "%s/wall_%s_%s.csv", r->folder, kind, m->trace);
    FILE *out = fopen(path, "w");
    traced seen = {.out = out, .violation = NAN};
    if (out == NULL)
        whole_fail(path, "cannot be written");
    fputs("iteration,factorizations,solves,primal,dual,rho,natural_map,violation,seconds\n", out);
    set_options(&settings, m->options);
    settings.tolerance = 1e-8;
    settings.max_iterations = r->most;
    settings.test_every = 1;
    settings.trace = true;
    settings.on_iteration = trace;
    settings.user = &seen;
    if (cairn_solver_create(context, &settings, &solver) != CAIRN_OK ||
        cairn_solver_load(solver, problem) != CAIRN_OK || cairn_solver_solve(solver, NULL, NULL, &info) != CAIRN_OK)
        whole_fail(m->name, cairn_error_message(context));
    printf("| %s | %s | %s | %d | %d | %.1e | %.1e |\n", kind, m->trace, cairn_outcome_name(info.outcome),
           info.iterations, info.factorizations, info.certificate.natural_map, seen.violation);
    fflush(stdout);
    cairn_solver_destroy(solver);
    if (fclose(out) != 0)
        whole_fail(path, "could not be written in full");
}

static void run(const request *r, cairn_context *context) {
    cairn_scene *scene;
    if (cairn_scene_load(context, r->scene, NULL, 0, &scene) != CAIRN_OK)
        whole_fail(r->scene, cairn_error_message(context));
    whole w = {.context = context, .world = cairn_scene_world(scene)};
    cairn_step_report report = {0};
    whole_add_wall(&w, scene);
    for (int i = 0; i < r->step; i++) {
        whole_look(&w);
        if (cairn_scene_step(scene, &report) != CAIRN_OK)
            whole_fail("step", cairn_error_message(context));
    }
    printf("TEST 2, step %d, t = %.2f s: %d bodies, %d contacts\n\n", r->step, report.time, w.bodies, report.contacts);
    puts("| contacts | method | outcome | iterations | factorisations | natural map | penetrating velocity, m/s "
         "|\n|---|---|---|---|---|---|---|");
    for (int soft = 0; soft < 2; soft++) {
        whole_form form = {.step = cairn_scene_get(scene).step,
                           .gravity = 9.81,
                           .law = CAIRN_LAW_ASSOCIATED,
                           .compliance = soft ? r->compliance : 0.0};
        cairn_problem *problem = whole_problem(&w, &form);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            solve(r, context, problem, &methods[i], soft ? "soft" : "rigid");
        cairn_problem_destroy(problem);
    }
    whole_clear(&w);
    cairn_scene_destroy(scene);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        puts("t21_wall traces methods on one step of the wrecking ball; `make bench-t21` calls it.");
        return 0;
    }
    request r = {.scene = argv[1], .folder = argv[2], .step = 26, .most = 500, .compliance = 1e-7};
    for (int i = 3; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--step") == 0)
            r.step = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--most") == 0)
            r.most = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--compliance") == 0)
            r.compliance = strtod(argv[i + 1], NULL);
        else
            whole_fail(argv[i], "expected --step, --most or --compliance");
    cairn_context *context;
    cairn_context_def def = cairn_default_context_def();
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        whole_fail("context", "cannot be made");
    run(&r, context);
    cairn_context_destroy(context);
    return 0;
}
