/*
 * anitescu.c: the two experiments of [A]: Painleve's rod by the convex relaxation and by the exact law, and the Brazil nut.
 *
 *     anitescu painleve SCENE.json [--seconds S] [--out FILE.csv]
 *     anitescu brazil-nut SCENE.json [--seconds S] [--set PATH=VALUE]... [--out FILE.csv]
 *
 * painleve: y = (x, z, theta, v_x, v_z, omega) of the rod at the end, after 1 s; y_QP by the associated law (one convex problem a step), y_LCP by the
 * exact law; h = 0.1/2^k, k = 0 ... 7, friction .3 and .75.
 * brazil-nut: height of the large ball over the mean of the small ones, shake by shake; CPU time and contacts of every step. [A] has steps of 0.1 s, 50 s,
 * 270 bodies, friction and restitution .5.
 */
#include "common/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void load(cairn_context *context, const char *path, const cairn_scene_override *set, int count,
                 cairn_scene **scene) {
    if (cairn_scene_load(context, path, set, count, scene) != CAIRN_OK)
        whole_fail(path, cairn_error_message(context));
}

/* ---- Painleve ---- */

enum { HALVINGS = 8, PARTS = 6, SETS_MAX = 16 };

/* The rod at the end: place, angle, velocity, spin, all in the plane y = 0. Adds steps that were not certified to *failed. */
static void fall(cairn_context *context, const char *path, double h, double mu, const char *law, double until,
                 double *y, int *failed) {
    char step[32], friction[32];
    cairn_scene_override set[] = {{"step", step}, {"mu", friction}, {"law", law}, {"tolerance", "1e-10"}};
    cairn_scene *scene;
    cairn_body rod;
    cairn_body_state s;
    cairn_step_report report;
    snprintf(step, sizeof step, "%.17g", h);
    snprintf(friction, sizeof friction, "%.17g", mu);
    load(context, path, set, 4, &scene);
    cairn_world *world = cairn_scene_world(scene);
    for (int i = 0; i < (int)lround(until / h); i++) {
        if (cairn_scene_step(scene, &report) != CAIRN_OK)
            whole_fail("step", cairn_error_message(context));
        *failed += !report.certified;
    }
    if (cairn_scene_find_body(scene, "rod", &rod) != CAIRN_OK || cairn_world_body(world, rod, &s) != CAIRN_OK)
        whole_fail("rod", cairn_error_message(context));
    cairn_vec3 axis = cairn_quat_rotate(s.pose.rotation, cairn_vec3_of(0, 0, 1));
    double now[PARTS] = {s.center.x,   s.center.z,   atan2(axis.x, axis.z),
                         s.velocity.x, s.velocity.z, s.angular_velocity.y};
    memcpy(y, now, sizeof now);
    cairn_scene_destroy(scene);
}

static void painleve(cairn_context *context, const char *path, double until, FILE *csv) {
    static const double mu[] = {0.3, 0.75};
    static const double paper[2][HALVINGS] = {
        {5.6314784e-2, 1.7416198e-2, 6.7389905e-3, 2.1011170e-3, 7.6112319e-4, 2.6647317e-4, 9.2498029e-5,
         3.2649217e-5},
        {1.5736018, 7.2176724e-1, 1.4580267e-1, 9.2969637e-2, 5.5543025e-3, 4.3982975e-3, 3.7537593e-3, 3.7007014e-4}};
    for (int f = 0; f < 2; f++) {
        double first = 0.0, last = 0.0;
        int failed = 0;
        printf("\n### Painleve's rod, friction %g\n\n| k | h | y_QP - y_LCP here | ratio to the one before | in the "
               "paper |\n|---|---|---|---|---|\n",
               mu[f]);
        for (int k = 0; k < HALVINGS; k++) {
            double h = 0.1 / (1 << k), qp[PARTS], lcp[PARTS], sum = 0.0;
            fall(context, path, h, mu[f], "associated", until, qp, &failed);
            fall(context, path, h, mu[f], "coulomb", until, lcp, &failed);
            for (int i = 0; i < PARTS; i++)
                sum += (qp[i] - lcp[i]) * (qp[i] - lcp[i]);
            double now = sqrt(sum);
            printf("| %d | %.7g | %.3e | %.2f | %.3e |\n", k, h, now, k > 0 ? last / now : NAN, paper[f][k]);
            if (csv != NULL)
                fprintf(csv, "%g,%d,%.9g,%.6e,%.6e\n", mu[f], k, h, now, paper[f][k]);
            first = k == 0 ? now : first;
            last = now;
        }
        printf("\nMean ratio of one halving: %.2f here, %.2f in the paper. Steps not certified: %d.\n",
               pow(first / last, 1.0 / (HALVINGS - 1)), pow(paper[f][0] / paper[f][HALVINGS - 1], 1.0 / (HALVINGS - 1)),
               failed);
    }
}

/* ---- Brazil nut ---- */

/* Rank of the nut among all balls by height, 0: lowest, 1: highest. */
static double rank(const cairn_world *world, const cairn_scene *scene, cairn_body nut, double *height) {
    cairn_body_state s, n;
    int below = 0, count = 0, bodies = cairn_scene_get(scene).bodies;
    if (cairn_world_body(world, nut, &n) != CAIRN_OK)
        return NAN;
    for (int i = 0; i < bodies; i++) {
        cairn_body body;
        const char *name;
        if (cairn_scene_body(scene, i, &body, &name) != CAIRN_OK || strncmp(name, "ball", 4) != 0 ||
            cairn_world_body(world, body, &s) != CAIRN_OK)
            continue;
        count++;
        below += s.center.z < n.center.z;
    }
    *height = n.center.z;
    return count > 0 ? (double)below / count : NAN;
}

static double parameter(const cairn_scene *scene, const char *wanted) {
    int count = cairn_scene_get(scene).parameters;
    for (int i = 0; i < count; i++) {
        const char *name;
        double value;
        if (cairn_scene_parameter(scene, i, &name, &value) == CAIRN_OK && strcmp(name, wanted) == 0)
            return value;
    }
    whole_fail(wanted, "the scene has no such parameter");
    return NAN;
}

static void brazil_nut(cairn_context *context, const char *path, double seconds, const cairn_scene_override *set,
                       int count, FILE *csv) {
    cairn_scene *scene;
    cairn_body nut;
    cairn_step_report report;
    int failed = 0, steps = 0;
    double used = 0.0, surfaced = -1.0, height = 0.0;
    load(context, path, set, count, &scene);
    cairn_world *world = cairn_scene_world(scene);
    cairn_scene_info info = cairn_scene_get(scene);
    double period = parameter(scene, "period"), until = seconds > 0.0 ? seconds : info.until;
    if (cairn_scene_find_body(scene, "nut", &nut) != CAIRN_OK)
        whole_fail("nut", cairn_error_message(context));
    printf("\n### Brazil nut: %d bodies, h = %g s, %g s, one shake every %g s\n\n| shakes | balls below the nut | "
           "height of the nut, m | ms a step so far |\n|---|---|---|---|\n",
           info.bodies, info.step, until, period);
    int every = (int)lround(period / info.step);
    for (; steps * info.step < until - 0.5 * info.step; steps++) {
        clock_t begin = clock();
        if (cairn_scene_step(scene, &report) != CAIRN_OK)
            whole_fail("step", cairn_error_message(context));
        double seconds_used = (double)(clock() - begin) / CLOCKS_PER_SEC;
        failed += !report.certified;
        used += seconds_used;
        if (csv != NULL)
            fprintf(csv, "%d,%d,%.6g,%d\n", steps + 1, report.contacts, 1e3 * seconds_used, report.certified);
        if ((steps + 1) % every != 0)
            continue;
        int shakes = (steps + 1) / every;
        double share = rank(world, scene, nut, &height);
        if (surfaced < 0.0 && share >= 0.9)
            surfaced = shakes;
        if (shakes % 5 == 0) {
            printf("| %d | %.0f %% | %.3f | %.2f |\n", shakes, 100.0 * share, height, 1e3 * used / (steps + 1));
            fflush(stdout);
        }
    }
    if (surfaced > 0.0)
        printf("\nThe nut has nine tenths of the balls below it for the first time after %.0f shakes.", surfaced);
    else
        printf("\nThe nut has never nine tenths of the balls below it.");
    printf(" Steps: %d, not certified: %d, mean %.2f ms.\n", steps, failed, 1e3 * used / steps);
    cairn_scene_destroy(scene);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        puts("anitescu repeats the experiments of [A]; `make bench-anitescu` calls it.");
        return 0;
    }
    FILE *csv = NULL;
    double seconds = 0.0;
    cairn_scene_override set[SETS_MAX];
    int sets = 0;
    bool rod = strcmp(argv[1], "painleve") == 0;
    if (!rod && strcmp(argv[1], "brazil-nut") != 0)
        whole_fail(argv[1], "expected painleve or brazil-nut");
    for (int i = 3; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--set") == 0 && sets < SETS_MAX && strchr(argv[i + 1], '=') != NULL) {
            char *value = strchr(argv[i + 1], '=');
            *value = '\0';
            set[sets++] = (cairn_scene_override){argv[i + 1], value + 1};
        } else if (strcmp(argv[i], "--out") == 0) {
            csv = fopen(argv[i + 1], "w");
            if (csv == NULL)
                whole_fail(argv[i + 1], "cannot be written");
        } else
            whole_fail(argv[i], "expected --seconds, --set PATH=VALUE or --out");
    if (csv != NULL)
        fputs(rod ? "mu,k,h,here,paper\n" : "iteration,contacts,ms,certified\n", csv);
    cairn_context *context;
    cairn_context_def def = cairn_default_context_def();
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        whole_fail("context", "cannot be made");
    if (rod)
        painleve(context, argv[2], seconds > 0.0 ? seconds : 1.0, csv);
    else
        brazil_nut(context, argv[2], seconds, set, sets, csv);
    cairn_context_destroy(context);
    return csv != NULL && fclose(csv) != 0;
}
