/*
 * anitescu.c: the two experiments of [A]: Painleve's rod by the convex relaxation and by the exact law, and the Brazil nut.
 *
 *     anitescu painleve SCENE.json [--seconds S] [--set PATH=VALUE]... [--title TEXT] [--out FILE.csv]
 *     anitescu brazil-nut SCENE.json [--seconds S] [--set PATH=VALUE]... [--out FILE.csv]
 *
 * painleve: y = (x, z, theta, v_x, v_z, omega) of the rod at the end, after 1 s; y_QP by the associated law (one convex problem a step), y_LCP by the
 * exact law; h = 0.1/2^k, k = 0 ... 7, friction .3 and .75.
 * brazil-nut: height of the large ball over the mean of the small ones, shake by shake; CPU time and contacts of every step. [A] has steps of 0.1 s, 50 s,
 * 270 bodies, friction and restitution .5.
 */
#include "../common/whole.h"

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

/* A scene, and what is changed in it. */
typedef struct start {
    const char *path, *title;
    const cairn_scene_override *set;
    int sets;
} start;

/* The rod at the end: place, angle, velocity, spin, all in the plane y = 0. Adds steps that were not certified to *failed. */
static void fall(cairn_context *context, const start *from, double h, double mu, const char *law, double until,
                 double *y, int *failed) {
    char step[32], friction[32];
    cairn_scene_override set[SETS_MAX + 4] = {{"step", step}, {"mu", friction}, {"law", law}, {"tolerance", "1e-10"}};
    cairn_scene *scene;
    cairn_body rod;
    cairn_body_state s;
    cairn_step_report report;
    snprintf(step, sizeof step, "%.17g", h);
    snprintf(friction, sizeof friction, "%.17g", mu);
    memcpy(set + 4, from->set, (size_t)from->sets * sizeof *set);
    load(context, from->path, set, 4 + from->sets, &scene);
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

/* |y_QP - y_LCP| for one step length. */
static double difference(cairn_context *context, const start *from, double h, double mu, double until, int *failed) {
    double qp[PARTS], lcp[PARTS], sum = 0.0;
    fall(context, from, h, mu, "associated", until, qp, failed);
    fall(context, from, h, mu, "coulomb", until, lcp, failed);
    for (int i = 0; i < PARTS; i++)
        sum += (qp[i] - lcp[i]) * (qp[i] - lcp[i]);
    return sqrt(sum);
}

static void painleve(cairn_context *context, const start *from, double until, FILE *csv) {
    static const double mu[] = {0.3, 0.75};
    static const double paper[2][HALVINGS] = {
        {5.6314784e-2, 1.7416198e-2, 6.7389905e-3, 2.1011170e-3, 7.6112319e-4, 2.6647317e-4, 9.2498029e-5,
         3.2649217e-5},
        {1.5736018, 7.2176724e-1, 1.4580267e-1, 9.2969637e-2, 5.5543025e-3, 4.3982975e-3, 3.7537593e-3, 3.7007014e-4}};
    double now[2][HALVINGS];
    int failed = 0;
    printf("\n### %s\n\n| k | h, s | μ = 0.3: here | ratio to the one before | in the slides | μ = 0.75: here | in the "
           "slides |\n|---|---|---|---|---|---|---|\n",
           from->title);
    for (int k = 0; k < HALVINGS; k++) {
        double h = 0.1 / (1 << k);
        char ratio[16] = "";
        for (int f = 0; f < 2; f++) {
            now[f][k] = difference(context, from, h, mu[f], until, &failed);
            if (csv != NULL)
                fprintf(csv, "%g,%d,%.9g,%.6e,%.6e\n", mu[f], k, h, now[f][k], paper[f][k]);
        }
        if (k > 0)
            snprintf(ratio, sizeof ratio, "%.2f", now[0][k - 1] / now[0][k]);
        printf("| %d | %.6g | %.3e | %s | %.3e | %.3e | %.3e |\n", k, h, now[0][k], ratio, paper[0][k], now[1][k],
               paper[1][k]);
    }
    for (int f = 0; f < 2; f++)
        printf("\nFriction %g: mean ratio of one halving: %.2f here, %.2f in the slides.", mu[f],
               pow(now[f][0] / now[f][HALVINGS - 1], 1.0 / (HALVINGS - 1)),
               pow(paper[f][0] / paper[f][HALVINGS - 1], 1.0 / (HALVINGS - 1)));
    printf(" Steps not certified: %d.\n", failed);
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
    double used = 0.0, surfaced = -1.0, height = 0.0, contacts = 0.0;
    int most = 0;
    load(context, path, set, count, &scene);
    cairn_world *world = cairn_scene_world(scene);
    cairn_scene_info info = cairn_scene_get(scene);
    double period = parameter(scene, "period"), until = seconds > 0.0 ? seconds : info.until;
    if (cairn_scene_find_body(scene, "nut", &nut) != CAIRN_OK)
        whole_fail("nut", cairn_error_message(context));
    printf(
        "\n### Brazil nut at %g s: %d bodies, %g s, one shake every %g s, law %s\n\n| shakes | balls below the nut | "
        "height of the nut, m | ms a step so far |\n|---|---|---|---|\n",
        info.step, info.bodies, until, period, cairn_law_name(info.law));
    int every = (int)lround(period / info.step);
    for (; steps * info.step < until - 0.5 * info.step; steps++) {
        clock_t begin = clock();
        if (cairn_scene_step(scene, &report) != CAIRN_OK)
            whole_fail("step", cairn_error_message(context));
        double seconds_used = (double)(clock() - begin) / CLOCKS_PER_SEC;
        failed += !report.certified;
        used += seconds_used;
        contacts += report.contacts;
        most = report.contacts > most ? report.contacts : most;
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
    printf("\n\n### Cost of the Brazil nut at %g s, law %s\n\n| steps | certified | CPU, s | of simulated time | most "
           "contacts "
           "of a step | mean |\n|---|---|---|---|---|---|\n| %d | %d | %.1f | %.2f | %d | %.0f |\n",
           info.step, cairn_law_name(info.law), steps, steps - failed, used, used / (steps * info.step), most,
           contacts / steps);
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
    const char *title = "Painleve's rod";
    bool rod = strcmp(argv[1], "painleve") == 0;
    if (!rod && strcmp(argv[1], "brazil-nut") != 0)
        whole_fail(argv[1], "expected painleve or brazil-nut");
    for (int i = 3; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--title") == 0)
            title = argv[i + 1];
        else if (strcmp(argv[i], "--set") == 0 && sets < SETS_MAX && strchr(argv[i + 1], '=') != NULL) {
            char *value = strchr(argv[i + 1], '=');
            *value = '\0';
            set[sets++] = (cairn_scene_override){argv[i + 1], value + 1};
        } else if (strcmp(argv[i], "--out") == 0) {
            csv = fopen(argv[i + 1], "w");
            if (csv == NULL)
                whole_fail(argv[i + 1], "cannot be written");
        } else
            whole_fail(argv[i], "expected --seconds, --set PATH=VALUE, --title or --out");
    if (csv != NULL)
        fputs(rod ? "mu,k,h,here,paper\n" : "iteration,contacts,ms,certified\n", csv);
    cairn_context *context;
    cairn_context_def def = cairn_default_context_def();
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        whole_fail("context", "cannot be made");
    if (rod)
        painleve(context, &(start){argv[2], title, set, sets}, seconds > 0.0 ? seconds : 1.0, csv);
    else
        brazil_nut(context, argv[2], seconds, set, sets, csv);
    cairn_context_destroy(context);
    return csv != NULL && fclose(csv) != 0;
}
