/*
 * engine_node.c: engines that npm has and Debian has not, in Node: MuJoCo 3, Rapier and Jolt, compiled to WebAssembly by their makers. node/peer.mjs runs one scene and answers
 * through pipes. Their lengths count like those of all others; their times are of WebAssembly, as their names say. Without Node or the packages there is no engine here.
 */
#define _DEFAULT_SOURCE
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 400.0 /* seconds of steps; then the run is cut */

enum { MUJOCO = 0, RAPIER = 1000, JOLT = 2000 }; /* code: an engine and its option */

typedef struct node_run {
    const setting *s;
    pid_t child;
    int to, from;
    double *answer; /* seconds, 7 a body */
    double spent;
} node_run;

static void put_list(FILE *out, const char *key, int count, const double *x) {
    fprintf(out, ",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.17g", i > 0 ? "," : "", x[i]);
    fputc(']', out);
}

static void put_setting(FILE *out, const setting *s) {
    static const char *const shape[] = {"none", "plane", "box", "sphere", "hull"};
    fprintf(out, "{\"step\":%.17g,\"mu\":%.17g,\"reach\":%.17g,\"bodies\":[", s->step, s->mu, s->reach);
    for (int i = 0; i < s->bodies; i++) {
        const setting_body *b = &s->body[i];
        const double pose[] = {b->pose.position.x, b->pose.position.y, b->pose.position.z, b->pose.rotation.w,
                               b->pose.rotation.x, b->pose.rotation.y, b->pose.rotation.z};
        const double half[] = {b->half.x, b->half.y, b->half.z}, inertia[] = {b->inertia.x, b->inertia.y, b->inertia.z};
        fprintf(out, "%s{\"shape\":\"%s\",\"mass\":%.17g", i > 0 ? "," : "", shape[b->shape], b->mass);
        put_list(out, "pose", 7, pose);
        put_list(out, "half", 3, half);
        put_list(out, "inertia", 3, inertia);
        fputc('}', out);
    }
    fputs("],\"joints\":[", out);
    for (int i = 0; i < s->joints; i++) {
        const double point[] = {s->joint[i].point.x, s->joint[i].point.y, s->joint[i].point.z};
        fprintf(out, "%s{\"a\":%d,\"b\":%d", i > 0 ? "," : "", s->joint[i].a, s->joint[i].b);
        put_list(out, "point", 3, point);
        fputc('}', out);
    }
    fputs("],\"hull\":[", out);
    for (int i = 0; s->hulls && i < HULL_POINTS; i++)
        fprintf(out, "%s[%.17g,%.17g,%.17g]", i > 0 ? "," : "", s->hull[i].x, s->hull[i].y, s->hull[i].z);
    fputs("]}\n", out);
}

static bool read_all(int from, void *bytes, size_t size) {
    char *at = bytes;
    while (size > 0) {
        ssize_t got = read(from, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int to, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t done = write(to, bytes, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

static pid_t begin(const char *name, const char *option, int *to, int *from) {
    const char *folder = getenv("CAIRN_NODE_PEERS");
    int in[2], out[2];
    char script[4096];
    snprintf(script, sizeof script, "%s/peer.mjs", folder != NULL ? folder : ".");
    if (pipe(in) != 0 || pipe(out) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        int answers = fcntl(out[1], F_DUPFD, 10);
        dup2(in[0], STDIN_FILENO);
        dup2(answers, 3);
        for (int i = 4; i < 64; i++)
            close(i);
        execlp("node", "node", "--no-warnings", script, name, option, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    *to = in[1];
    *from = out[0];
    return child;
}

static void *create(const engine *e, const setting *s) {
    static const char *const name[] = {"mujoco", "rapier", "jolt"};
    node_run *run = calloc(1, sizeof *run);
    char option[16], *text = NULL, good = 'n';
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (run == NULL || out == NULL || (run->answer = calloc((size_t)s->bodies * 7 + 1, sizeof(double))) == NULL)
        return NULL;
    put_setting(out, s);
    fclose(out);
    run->s = s;
    snprintf(option, sizeof option, "%d", e->code % RAPIER);
    run->child = begin(name[e->code / RAPIER], option, &run->to, &run->from);
    bool made = run->child > 0 && write_all(run->to, text, size) && read_all(run->from, &good, 1) && good == 'y';
    free(text);
    for (int i = 0; i < s->bodies; i++) {
        cairn_pose p = s->body[i].pose;
        const double start[] = {p.position.x, p.position.y, p.position.z, p.rotation.w,
                                p.rotation.x, p.rotation.y, p.rotation.z};
        memcpy(run->answer + 1 + 7 * i, start, sizeof start);
    }
    return made ? run : NULL;
}

static bool step(void *data) {
    node_run *run = data;
    bool good = write_all(run->to, "\n", 1) &&
                read_all(run->from, run->answer, (1 + 7 * (size_t)run->s->bodies) * sizeof(double));
    run->spent += run->answer[0];
    if (run->spent > MOST)
        _exit(0); /* cut */
    return good;
}

static void pose(void *data, int body, cairn_pose *out) {
    const node_run *run = data;
    const double *p = run->answer + 1 + 7 * body;
    out->position = cairn_vec3_of(p[0], p[1], p[2]);
    out->rotation = (cairn_quat){p[3], p[4], p[5], p[6]};
}

static void word(void *data, engine_word *out) {
    const node_run *run = data;
    out->certified = -1;
    out->clock = run->answer[0];
}

#define ALL " stack tower wall granular incline arch chain "
static const engine table[] = {
    {"MuJoCo 3.14 (WebAssembly)", ALL, MUJOCO, create, step, pose, word},
    {"MuJoCo 3.14 stiff (WebAssembly)", " stack tower incline arch chain ", MUJOCO + 1, create, step, pose, word},
    {"Rapier (WebAssembly)", ALL, RAPIER, create, step, pose, word},
    {"Rapier 100 (WebAssembly)", ALL, RAPIER + 100, create, step, pose, word},
    {"Jolt (WebAssembly)", ALL, JOLT, create, step, pose, word},
    {"Jolt 100 (WebAssembly)", ALL, JOLT + 100, create, step, pose, word},
};

const engine *engine_table(int *count, const char **words) {
    *count = (int)(sizeof table / sizeof *table);
    *words = "in Node: MuJoCo 3.14, Rapier 0.21, Jolt 1.1, as WebAssembly";
    const char *folder = getenv("CAIRN_NODE_PEERS");
    char script[4096];
    snprintf(script, sizeof script, "%s/node_modules", folder != NULL ? folder : ".");
    if (access(script, R_OK) != 0 || system("command -v node >/dev/null 2>&1") != 0) {
        *count = 0;
        *words = "node: not here, skipped (Node or its packages are not installed)";
    }
    return table;
}
