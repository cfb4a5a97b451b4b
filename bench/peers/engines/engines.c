/*
 * engines.c: Cairn against Bullet, ODE, MuJoCo, Box3D and engines from npm on the same scenes in one run.
 *
 *     engines [options]
 *     --scenes A,B    stack, tower (both also with -overlap), wall, granular-1000, granular-4000, granular-16000, incline, arch, chain, chain-002; default: all
 *     --engines A,B   only configurations whose name begins like one of these
 *     --limit S       CPU seconds for one run; default 400. A run that is cut shows what it reached
 *     --repeats K     best CPU time of K runs; default 1. Runs above 20 s are not repeated
 *     --csv FILE      one line a run
 *
 * Every run has a process of its own. Engines are modules beside the program; those that are missing are skipped with a word. Tables are
 * Markdown. All figures but contacts and certificates are measured from poses, see measure.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "../guard.h"
#include "engine_cairn.h"
#include "measure.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULES = 7, RUNS_MAX = 40 };

typedef struct heat {
    const char *name, *scene;
    double number, step;
    const char *title;
} heat;

static const heat heats[] = {
    {"stack", "stack", 0.0, 0.0, "10 t on 10 kg, cubes of 1 m exactly in touch, h = .01, 5 s"},
    {"stack-overlap", "stack", 1e-4, 0.0, "The same, each 0.1 mm into the one below when it begins"},
    {"tower", "tower", 0.0, 0.0, "10 t on ten cubes of 10 kg, exactly in touch, h = .01, 5 s"},
    {"tower-overlap", "tower", 1e-4, 0.0, "The same, each 0.1 mm into the one below when it begins"},
    {"wall", "wall", 0.0, 0.0, "Four walls of ten rows of 15 bricks at rest, h = .02, 2 s"},
    {"granular-1000", "granular", 1000.0, 0.0, "1000 balls fall into a box, h = .005, 2 s"},
    {"granular-4000", "granular", 4000.0, 0.0, "4000 balls fall into a box, h = .005, 2 s"},
    {"granular-16000", "granular", 16000.0, 0.0, "16 000 balls fall into a box, h = .005, 2 s"},
    {"incline", "incline", 0.0, 0.0, "A cube on a slope of 30 degrees, h = .01, 3 s"},
    {"arch", "arch", 0.0, 0.0, "An arch of 25 stones, h = .01, 10 s"},
    {"chain", "chain", 0.0, 0.0, "19 rods of 1 kg and a block of 1000 kg, released level, h = .01, 5 s"},
    {"chain-002", "chain", 0.0, 0.002, "The same with h = .002"},
};
enum { HEATS = sizeof heats / sizeof *heats };

typedef struct request {
    const char *scenes, *engines, *csv;
    double limit;
    int repeats;
    int modules;
    const engine *table[MODULES];
    int count[MODULES];
} request;

typedef struct job {
    const engine *engine;
    const heat *heat;
    measures *out;
} job;

static void work(void *data) {
    job *j = data;
    if (strcmp(j->heat->scene, "incline") == 0)
        measure_incline(j->engine, j->out);
    else
        measure_run(j->engine, j->heat->scene, j->heat->number, j->heat->step, j->out);
}

/* The best CPU time of several runs; the rest is the same in each, or of the first. */
static measures race(const request *r, const engine *e, const heat *h) {
    measures best = {0}, *shared = guard_memory_create(sizeof *shared);
    for (int i = 0; shared != NULL && i < r->repeats; i++) {
        *shared = (measures){.certified = -1, .limit = r->limit};
        job j = {e, h, shared};
        guard_run(work, &j, r->limit);
        if (i == 0 || shared->cpu < best.cpu)
            best = *shared;
        if (shared->cpu > 20.0)
            break;
    }
    guard_memory_destroy(shared, sizeof *shared);
    return best;
}

/* Is name one of the list's words, or does it begin with one? */
static bool listed(const char *list, const char *name, bool whole) {
    size_t length;
    for (const char *word = list; word != NULL; word = strchr(word, ','), word += word != NULL) {
        length = strcspn(word, ",");
        if (strncmp(word, name, length) == 0 && (!whole || name[length] == '\0'))
            return true;
    }
    return list == NULL;
}

/* ---- tables ---- */

static const char *ending(const measures *m) {
    if (!m->made)
        return "cannot hold the scene";
    if (m->finished)
        return "";
    return m->lost ? "lost" : "cut or ended";
}

static void print_head(const heat *h) {
    static const char *const columns[][2] = {
        {"stack", "10 t sinks, mm | deepest overlap, mm | CPU s per s"},
        {"tower", "10 t sinks, mm | deepest overlap, mm | CPU s per s"},
        {"wall", "drift, mm | deepest overlap, mm | ms a step"},
        {"granular", "mean overlap, mm | deepest, mm | ms a step | slowest step"},
        {"incline", "sticks from mu | acceleration error | creep in 3 s, m | hop, m | ms a step"},
        {"arch", "stands | crown sinks, mm | ms a step"},
        {"chain", "survives | largest gap, mm | ms a step"},
    };
    printf("\n### %s\n%s.\n\n| engine | ", h->name, h->title);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i][0], h->scene) == 0) {
            printf("%s | certified steps | note |\n|---|", columns[i][1]);
            for (const char *c = columns[i][1]; c != NULL; c = strchr(c, '|'), c += c != NULL)
                printf("---|");
            printf("---|---|\n");
        }
}

static int stack_layers(const heat *h) {
    return strcmp(h->scene, "tower") == 0 ? 11 : 2;
}

static void print_row(const heat *h, const engine *e, const measures *m) {
    double ms = m->steps > 0 ? 1e3 * m->cpu / m->steps : 0.0;
    bool some = m->steps > 0;
    printf("| %s | ", e->name);
    if (!some)
        printf("%s", strcmp(h->scene, "incline") == 0    ? "- | - | - | - | -"
                     : strcmp(h->scene, "granular") == 0 ? "- | - | - | -"
                                                         : "- | - | -");
    else if (strcmp(h->scene, "stack") == 0 || strcmp(h->scene, "tower") == 0)
        printf("%.3g | %.3g | %.4f", 1e3 * (m->fall + stack_layers(h) * h->number), 1e3 * m->depth, 0.1 * ms);
    else if (strcmp(h->scene, "wall") == 0)
        printf("%.3g | %.3g | %.3g", 1e3 * m->drift, 1e3 * m->depth, ms);
    else if (strcmp(h->scene, "granular") == 0)
        printf("%.3g | %.3g | %.3g | %.3g", 1e3 * m->mean_depth, 1e3 * m->depth, ms, 1e3 * m->cpu_worst);
    else if (strcmp(h->scene, "incline") == 0)
        printf("%.5f | %.2g | %.2g | %.2g | %.3g", m->threshold, m->slope_error, m->creep, m->hop, ms);
    else if (strcmp(h->scene, "arch") == 0)
        printf("%s | %.4g | %.3g", m->finished && m->fall < 0.5 ? "yes" : "no", 1e3 * m->fall, ms);
    else
        printf("%s | %.3g | %.3g", m->finished && m->joint_gap < 0.1 ? "yes" : "no", 1e3 * m->joint_gap, ms);
    if (m->certified >= 0 && some)
        printf(" | %d of %d", m->certified, m->steps);
    else
        printf(" | -");
    if (m->finished || !some)
        printf(" | %s |\n", ending(m));
    else
        printf(" | %s after %d steps |\n", ending(m), m->steps);
    fflush(stdout);
}

static void print_csv(FILE *out, const heat *h, const engine *e, const measures *m) {
    fprintf(out,
            "%s,\"%s\",%d,%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%.6g,%d,%d,%.3g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,"
            "%.6f\n",
            h->name, e->name, m->made, m->finished, m->lost, m->steps, m->cpu, m->cpu_worst, m->drift, m->fall,
            m->highest, m->depth, m->mean_depth, m->overlaps, m->joint_gap, m->contacts, m->certified, m->worst,
            m->collide, m->assemble, m->solve, m->creep, m->hop, m->slope_error, m->threshold);
    fflush(out);
}

static void run_heat(const request *r, const heat *h, FILE *csv) {
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %s ", h->scene);
    print_head(h);
    for (int t = 0; t < r->modules; t++)
        for (int i = 0; i < r->count[t]; i++) {
            const engine *e = &r->table[t][i];
            if (strstr(e->scenes, spaced) == NULL || !listed(r->engines, e->name, false))
                continue;
            measures m = race(r, e, h);
            print_row(h, e, &m);
            if (csv != NULL)
                print_csv(csv, h, e, &m);
        }
}

/* ---- the program ---- */

/* Modules beside the program. */
static void load_modules(request *r) {
    static const char *const names[MODULES - 1] = {"bullet", "bullet64", "ode", "mujoco", "box3d", "node"};
    char self[PATH_MAX] = "", path[PATH_MAX + 64];
    const char *words = "";
    r->table[r->modules++] = cairn_table(&r->count[0], &words);
    printf("- %s %s\n", words, cairn_version());
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return;
    const char *folder = dirname(self);
    for (int i = 0; i < MODULES - 1; i++) {
        snprintf(path, sizeof path, "%s/engine_%s.so", folder, names[i]);
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        engine_table_function list = NULL;
        void *found = module != NULL ? dlsym(module, "engine_table") : NULL;
        memcpy(&list, &found, sizeof list);
        if (list == NULL) {
            printf("- %s: not here, skipped (its package is not installed)\n", names[i]);
            continue;
        }
        r->table[r->modules] = list(&r->count[r->modules], &words);
        r->modules++;
        printf("- %s\n", words);
    }
}

static bool read_arguments(request *r, int argc, char **argv) {
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value == NULL) {
            fprintf(stderr, "engines: %s: a value is missing\n", name);
            return false;
        }
        if (strcmp(name, "--scenes") == 0)
            r->scenes = value;
        else if (strcmp(name, "--engines") == 0)
            r->engines = value;
        else if (strcmp(name, "--csv") == 0)
            r->csv = value;
        else if (strcmp(name, "--limit") == 0)
            r->limit = strtod(value, NULL);
        else if (strcmp(name, "--repeats") == 0)
            r->repeats = (int)strtol(value, NULL, 10);
        else {
            fprintf(stderr, "engines: %s: expected --scenes, --engines, --limit, --repeats or --csv\n", name);
            return false;
        }
    }
    if (!(r->limit > 0.0) || r->repeats < 1) {
        fprintf(stderr, "engines: --limit and --repeats must be positive\n");
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    request r = {.limit = 400.0, .repeats = 1};
    if (!read_arguments(&r, argc, argv))
        return 2;
    FILE *csv = r.csv != NULL ? fopen(r.csv, "w") : NULL;
    if (r.csv != NULL && csv == NULL) {
        fprintf(stderr, "engines: cannot write %s\n", r.csv);
        return 1;
    }
    if (csv != NULL)
        fputs("scene,engine,made,finished,lost,steps,cpu,cpu_worst,drift,fall,highest,depth,mean_depth,overlaps,joint_"
              "gap,contacts,certified,worst_certificate,collide,assemble,solve,creep,hop,slope_error,threshold\n",
              csv);
    load_modules(&r);
    int chosen = 0;
    for (int i = 0; i < HEATS; i++)
        if (listed(r.scenes, heats[i].name, true)) {
            run_heat(&r, &heats[i], csv);
            chosen++;
        }
    if (chosen == 0)
        fprintf(stderr, "engines: --scenes %s names none of the scenes\n", r.scenes);
    bool bad = csv != NULL && fclose(csv) != 0;
    return bad || chosen == 0;
}
