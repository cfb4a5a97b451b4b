/*
 * random_run.c: see random_run.h.
 */
#include "random_run.h"

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    cairn_context *context;
    cairn_scene *scene;
    cairn_world *world;
    int bodies, joints;
} run;

static void fail(random_result *result, int64_t step, const char *what, const char *message) {
    if (result->found[FOUND_FAILED].count == 0)
        snprintf(result->text, sizeof result->text, "%s: %s", what, message);
    random_found_add(result, FOUND_FAILED, step, 0);
}

static void end(run *r) {
    cairn_scene_destroy(r->scene);
    cairn_context_destroy(r->context);
}

static bool begin(run *r, const char *text, size_t size, int threads, random_result *result) {
    cairn_context_def def = cairn_default_context_def();
    *r = (run){.context = NULL};
    def.threads = threads;
    if (cairn_context_create(&def, &r->context) != CAIRN_OK) {
        fail(result, 0, "context", "not created");
        return false;
    }
    if (cairn_scene_parse(r->context, text, size, "random.json", NULL, 0, &r->scene) != CAIRN_OK) {
        fail(result, 0, "scene", cairn_error_message(r->context));
        end(r);
        return false;
    }
    cairn_scene_info info = cairn_scene_get(r->scene);
    r->world = cairn_scene_world(r->scene);
    r->bodies = info.bodies;
    r->joints = info.joints;
    return true;
}

/* FNV-1a of words; sums of bits, so that -0 and 0, and every NAN, count as different. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* Of the state: places, velocities, nodes, contacts with impulses, forces of joints. */
static uint64_t hash_of(const run *r) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    const char *name;
    for (int i = 0; i < r->bodies; i++) {
        cairn_body body;
        cairn_body_state state;
        cairn_flexible_view view;
        if (cairn_scene_body(r->scene, i, &body, &name) != CAIRN_OK ||
            cairn_world_body(r->world, body, &state) != CAIRN_OK)
            return 0;
        hash = mix(hash, &state.pose, sizeof state.pose);
        hash = mix(hash, &state.velocity, sizeof state.velocity);
        hash = mix(hash, &state.angular_velocity, sizeof state.angular_velocity);
        if (cairn_world_flexible(r->world, body, &view) == CAIRN_OK) {
            hash = mix(hash, view.x, 3 * sizeof *view.x * (size_t)view.mesh.vectors);
            hash = mix(hash, view.v, 3 * sizeof *view.v * (size_t)view.mesh.vectors);
        }
    }
    for (int i = 0; i < cairn_world_contact_count(r->world); i++) {
        cairn_world_contact contact;
        if (cairn_world_contact_get(r->world, i, &contact) == CAIRN_OK)
            hash = mix(hash, &contact.impulse, sizeof contact.impulse);
    }
    for (int i = 0; i < r->joints; i++) {
        cairn_joint joint;
        cairn_joint_state state;
        if (cairn_scene_joint(r->scene, i, &joint, &name) == CAIRN_OK &&
            cairn_world_joint(r->world, joint, &state) == CAIRN_OK) {
            hash = mix(hash, &state.force, sizeof state.force);
            hash = mix(hash, &state.torque, sizeof state.torque);
        }
    }
    return hash;
}

static bool step(run *r, int64_t number, random_result *result, cairn_step_report *report) {
    if (cairn_scene_step(r->scene, report) == CAIRN_OK)
        return true;
    fail(result, number, "step", cairn_error_message(r->context));
    return false;
}

/* Counted work of a step: iterations and factorisations of its largest island, summed over its solves, and the solves. A factorisation counts as
 * 20 iterations, a solve as 10: collision, matrices, certificate. */
static double work_of(const cairn_step_report *report) {
    return (double)report->most_iterations + 20.0 * report->most_factorizations + 10.0 * report->solves;
}

typedef struct plain {
    uint64_t *hash; /* steps */
    random_told *told;
    void *block; /* the checkpoint in the middle */
    size_t block_size;
    int64_t middle, steps; /* that were done */
} plain;

static void run_plain(const char *text, size_t size, int64_t steps, const char *path, plain *p, random_result *result) {
    run r;
    cairn_record *record = NULL;
    cairn_record_options options = cairn_default_record_options();
    options.sync_every = 0;
    if (!begin(&r, text, size, 1, result))
        return;
    if (cairn_record_create(r.context, path, r.world, text, &options, &record) != CAIRN_OK)
        fail(result, 0, "record", cairn_error_message(r.context));
    for (int64_t i = 0; i < steps && record != NULL; i++) {
        cairn_step_report report;
        if (i == p->middle && cairn_world_save(r.world, NULL, 0, &p->block_size) == CAIRN_OK) {
            p->block = malloc(p->block_size);
            if (p->block == NULL || cairn_world_save(r.world, p->block, p->block_size, &p->block_size) != CAIRN_OK)
                fail(result, i, "save", cairn_error_message(r.context));
        }
        if (!step(&r, i + 1, result, &report))
            break;
        if (cairn_record_step(record, r.world, &report) != CAIRN_OK) {
            fail(result, i + 1, "record", cairn_error_message(r.context));
            break;
        }
        p->hash[i] = hash_of(&r);
        p->told[i] = (random_told){report.substeps, work_of(&report)};
        p->steps = i + 1;
    }
    if (cairn_record_close(record) != CAIRN_OK)
        fail(result, p->steps, "record", cairn_error_message(r.context));
    end(&r);
}

/* The same steps again; from the checkpoint when block is not NULL. */
static void run_again(const char *text, size_t size, int threads, const plain *p, bool restart, random_result *result) {
    run r;
    if (!begin(&r, text, size, threads, result))
        return;
    if (restart && cairn_world_load_state(r.world, p->block, p->block_size) != CAIRN_OK)
        fail(result, p->middle, "load", cairn_error_message(r.context));
    for (int64_t i = restart ? p->middle : 0; i < p->steps && result->found[FOUND_FAILED].count == 0; i++) {
        cairn_step_report report;
        if (!step(&r, i + 1, result, &report))
            break;
        if (hash_of(&r) != p->hash[i]) {
            random_found_add(result, restart ? FOUND_RESTART : FOUND_THREADS, i + 1, 0);
            break;
        }
    }
    end(&r);
}

static void judge(const char *path, const char *text, const plain *p, random_result *result) {
    random_facts facts = random_facts_read(text);
    cairn_context *context = NULL;
    cairn_recording *recording = NULL;
    if (cairn_context_create(NULL, &context) != CAIRN_OK || cairn_recording_open(context, path, &recording) != CAIRN_OK)
        fail(result, 0, "recording", cairn_error_message(context));
    else if (!random_judge(recording, &facts, p->told, p->steps, result))
        random_found_add(result, FOUND_FAILED, 0, 0);
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

/* Steps until the scene ends; 0: it cannot be read. */
static int64_t steps_of(const char *text, size_t size, random_result *result) {
    run r;
    int64_t steps = 0;
    if (begin(&r, text, size, 1, result)) {
        cairn_scene_info info = cairn_scene_get(r.scene);
        steps = (int64_t)fmin(1e5, floor(info.until / info.step + 0.5));
        end(&r);
    }
    return steps;
}

void random_run(const char *text, size_t size, const char *folder, random_result *result) {
    char path[500];
    int64_t steps = steps_of(text, size, result);
    plain p = {.middle = steps / 2};
    snprintf(path, sizeof path, "%s/random-%ld.h5", folder, (long)getpid());
    p.hash = calloc((size_t)steps + 1, sizeof *p.hash);
    p.told = calloc((size_t)steps + 1, sizeof *p.told);
    if (p.hash == NULL || p.told == NULL) {
        fail(result, 0, "memory", "none");
    } else if (steps > 0) {
        run_plain(text, size, steps, path, &p, result);
        if (p.steps > 0)
            judge(path, text, &p, result);
        if (result->found[FOUND_FAILED].count == 0) {
            run_again(text, size, 4, &p, false, result);
            if (p.block != NULL)
                run_again(text, size, 2, &p, true, result);
        }
    }
    unlink(path);
    free(p.hash);
    free(p.told);
    free(p.block);
}
