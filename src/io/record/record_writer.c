/*
 * record_writer.c: recording a run: a file with head and no frames, then a journal, then both
 * folded into one (record_journal.c).
 */
#define _POSIX_C_SOURCE 200809L

#include "base/output.h"
#include "world/flexible/flexible.h"
#include "world/model/world_data.h"
#include "io/record/record_writer.h"
#include "io/record/record_file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OPTIONS_COOKIE 0x5245434fu

cairn_record_options cairn_default_record_options(void) {
    return (cairn_record_options){.cookie = OPTIONS_COOKIE, .every = 1, .sync_every = 100};
}

static const char *instruction_set(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") ? "avx2" : "x86-64";
#else
    return "portable";
#endif
}

/* Tells this recording from others at the same path; only its journal must know it. */
static uint64_t new_id(const char *path) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t what[] = {(int64_t)now.tv_sec, (int64_t)now.tv_nsec, (int64_t)getpid()};
    uint64_t hash = cairn_hash(CAIRN_HASH_START, what, sizeof what);
    return cairn_hash(hash, path, strlen(path));
}

/* Columns of the tables of frames, as the world is now. */
static void count_columns(const cairn_world *w, int64_t *columns) {
    columns[CAIRN_ROW_FRAME_BODY] = w->slots - 1;
    columns[CAIRN_ROW_FRAME_JOINT] = w->joints - 1;
    for (int i = 1; i < w->slots; i++)
        if (w->slot[i].generation % 2 == 1 && w->slot[i].flex != NULL)
            columns[CAIRN_ROW_FRAME_NODE] += w->slot[i].flex->part->view.nodes;
    columns[CAIRN_ROW_FRAME_STRESS] = columns[CAIRN_ROW_FRAME_HELD] = columns[CAIRN_ROW_FRAME_NODE];
}

/* A file with head and no rows, in an output that the caller puts in its place. */
static cairn_status make_file(cairn_record *r, const cairn_world *w, const char *scene, uint64_t *id,
                              cairn_output **output) {
    cairn_status status = cairn_output_open_seeking(r->context, r->path, output);
    if (status != CAIRN_OK)
        return status;
    *id = new_id(r->path);
    cairn_store_head head = {.scene = scene != NULL ? scene : "",
                             .method = w->def.solver.method,
                             .law = w->def.law == CAIRN_LAW_ASSOCIATED ? "associated" : "coulomb",
                             .instructions = instruction_set(),
                             .step = w->def.step,
                             .tolerance = w->def.solver.tolerance,
                             .tolerance_velocity = w->def.tolerance_velocity,
                             .gravity = {w->def.gravity.x, w->def.gravity.y, w->def.gravity.z},
                             .id = *id};
    count_columns(w, head.columns);
    cairn_store store;
    status = cairn_store_create(r->context, r->path, *output, &head, &store);
    if (status == CAIRN_OK)
        status = cairn_store_flush(&store);
    cairn_status closed = cairn_store_close(&store);
    return status == CAIRN_OK ? closed : status;
}

/* What the file holds already, so that only new things are added. */
static cairn_status learn(cairn_record *r, uint64_t *id, uint64_t *records) {
    cairn_store s;
    cairn_status status = cairn_store_open(r->context, r->path, NULL, &s);
    *id = s.id;
    *records = s.records;
    for (int64_t i = 0; status == CAIRN_OK && i < s.rows[CAIRN_ROW_SHAPE]; i++) {
        uint64_t hash = 0;
        status = cairn_store_read(&s, CAIRN_F_SHAPE_HASH, i, 1, &hash);
        if (status == CAIRN_OK)
            status = cairn_record_know_shape(r, hash);
    }
    for (int kind = CAIRN_ROW_BODY; kind <= CAIRN_ROW_JOINT; kind++) {
        bool body = kind == CAIRN_ROW_BODY;
        for (int64_t i = 0; status == CAIRN_OK && i < s.rows[kind]; i++) {
            int32_t slot = 0, generation = 0;
            status = cairn_store_read(&s, body ? CAIRN_F_BODY_SLOT : CAIRN_F_JOINT_SLOT, i, 1, &slot);
            if (status == CAIRN_OK)
                status = cairn_store_read(&s, body ? CAIRN_F_BODY_GENERATION : CAIRN_F_JOINT_GENERATION, i, 1,
                                          &generation);
            if (status == CAIRN_OK && (slot < 1 || slot > INT32_MAX / 2))
                status = cairn_fail(r->context, CAIRN_ERROR_PARSE, "%s: slot %d of a body or joint", r->path, slot);
            cairn_known known = {(uint32_t)slot, (uint32_t)generation};
            if (status == CAIRN_OK)
                status = body ? cairn_record_know_body(r, known) : cairn_record_know_joint(r, known);
        }
    }
    for (int64_t i = 0; status == CAIRN_OK && i < s.rows[CAIRN_ROW_PART]; i++) {
        int32_t body = 0, nodes = 0;
        status = cairn_store_read(&s, CAIRN_F_PART_BODY, i, 1, &body);
        if (status == CAIRN_OK)
            status = cairn_store_read(&s, CAIRN_F_PART_NODE_COUNT, i, 1, &nodes);
        if (status == CAIRN_OK && (body < 0 || body >= r->bodies || nodes < 0))
            status = cairn_fail(r->context, CAIRN_ERROR_PARSE, "%s: /flexible/body: a number out of range", r->path);
        if (status == CAIRN_OK)
            status = cairn_record_know_part(r, body, nodes);
    }
    r->held = s.rows[CAIRN_ROW_FRAME_HELD] > 0;
    r->stress = r->stress && (s.rows[CAIRN_ROW_FRAME] == 0 || s.rows[CAIRN_ROW_FRAME_STRESS] > 0 || r->parts == 0);
    memcpy(r->total, s.rows, sizeof r->total);
    (void)cairn_store_close(&s);
    return status;
}

/* Journal record of a frame. What it made known is forgotten when it cannot be written. */
static cairn_status add_frame(cairn_record *r, const cairn_world *w, const cairn_step_report *report,
                              const cairn_record_options *labels) {
    int shapes = r->shapes, bodies = r->bodies, joints = r->joints, parts = r->parts;
    int64_t nodes = r->nodes;
    cairn_status status = cairn_record_gather(r, w, report, labels);
    if (status == CAIRN_OK)
        status = cairn_journal_append(&r->journal, &r->rows);
    if (status != CAIRN_OK) {
        r->shapes = shapes;
        r->bodies = bodies;
        r->joints = joints;
        r->parts = parts;
        r->nodes = nodes;
        return status;
    }
    for (int k = 0; k < CAIRN_ROW_FRAME_BODY; k++)
        r->total[k] += r->rows.count[k];
    r->since = (cairn_record_since){0};
    r->pending = false;
    return CAIRN_OK;
}

/* The present state, before any step of this run. */
static cairn_status first_frame(cairn_record *r, const cairn_world *w, const cairn_record_options *options) {
    cairn_step_report report = {.step = w->steps, .time = w->time, .certified = true, .joints_closed = true};
    report.energy = cairn_world_energy(w);
    return add_frame(r, w, &report, options);
}

/* A journal with steps of a recording that is not at path must not be overwritten. */
static cairn_status check_journal(cairn_record *r) {
    cairn_store store;
    if (!cairn_journal_holds_steps(r->journal.file))
        return CAIRN_OK;
    cairn_status status = cairn_store_open(r->context, r->path, NULL, &store);
    bool own = status == CAIRN_OK && cairn_journal_is_of(r->journal.file, store.id);
    (void)cairn_store_close(&store);
    if (own || status == CAIRN_ERROR_MEMORY)
        return status;
    return cairn_fail(r->context, CAIRN_ERROR_IO,
                      "%s: holds steps of another recording than %s; move it to that one, or remove it",
                      r->journal.path, r->path);
}

/* The file is put in its place when the journal has its first frame. */
static cairn_status begin_new(cairn_record *r, const cairn_world *w, const char *scene,
                              const cairn_record_options *options) {
    uint64_t id = 0;
    cairn_output *output = NULL;
    cairn_status status = make_file(r, w, scene, &id, &output);
    r->fresh = status == CAIRN_OK;
    if (status == CAIRN_OK)
        status = cairn_journal_begin(&r->journal, id, 0, options->sync_every);
    if (status == CAIRN_OK)
        status = first_frame(r, w, options);
    cairn_status closed = cairn_output_close(output, status == CAIRN_OK);
    return status == CAIRN_OK ? closed : status;
}

static cairn_status go_on(cairn_record *r, const cairn_world *w, const cairn_record_options *options) {
    uint64_t id = 0, records = 0;
    cairn_folded folded;
    cairn_status status = cairn_journal_fold(
        r->context, r->path, &(cairn_folding){r->journal.file, r->watch, r->watch_user}, w->steps, NULL, &folded);
    if (status == CAIRN_OK && folded.damaged > 0)
        cairn_log(r->context, CAIRN_LOG_WARNING, CAIRN_JOURNAL_DAMAGED, r->journal.path, (long long)folded.damaged);
    H5E_BEGIN_TRY {
        if (status == CAIRN_OK)
            status = learn(r, &id, &records);
    }
    H5E_END_TRY
    if (status == CAIRN_OK)
        status = cairn_journal_begin(&r->journal, id, records, options->sync_every);
    if (status == CAIRN_OK && r->total[CAIRN_ROW_FRAME] == 0)
        status = first_frame(r, w, options);
    return status;
}

static cairn_status begin(cairn_record *r, const cairn_world *w, const char *scene,
                          const cairn_record_options *options) {
    bool goes_on = options->resume && access(r->path, F_OK) == 0;
    cairn_output *place = NULL; /* reported before there is a journal */
    cairn_status status = cairn_output_open_seeking(r->context, r->path, &place);
    (void)cairn_output_close(place, false);
    if (status == CAIRN_OK)
        status = cairn_journal_lock(r->context, r->path, &r->journal);
    r->fresh = status == CAIRN_OK && !cairn_journal_holds_steps(r->journal.file);
    H5E_BEGIN_TRY {
        if (status == CAIRN_OK)
            status = check_journal(r);
        if (status == CAIRN_OK)
            status = goes_on ? go_on(r, w, options) : begin_new(r, w, scene, options);
    }
    H5E_END_TRY
    if (status != CAIRN_OK && r->fresh)
        cairn_journal_remove(&r->journal);
    return status;
}

static void release(cairn_record *r) {
    void *owned[] = {r->path, r->shape, r->body, r->row_of_slot, r->joint, r->part};
    cairn_journal_close(&r->journal);
    cairn_rows_free(r->context, &r->rows);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(r->context, owned[i]);
    cairn_free(r->context, r);
}

cairn_status cairn_record_create(cairn_context *context, const char *path, const cairn_world *world, const char *scene,
                                 const cairn_record_options *options, cairn_record **record) {
    cairn_record_options standard = cairn_default_record_options();
    options = options != NULL ? options : &standard;
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (path == NULL || world == NULL || record == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "recording: path, world or record is NULL");
    if (options->body_labels < 0 || (options->body_labels > 0 && options->body_label == NULL) ||
        options->joint_labels < 0 || (options->joint_labels > 0 && options->joint_label == NULL))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "recording: labels are announced and not there");
    if (options->cookie != OPTIONS_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "recording: begin with cairn_default_record_options()");
    if (options->every < 1 || options->sync_every < 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "recording: every is %d and sync_every %d; they must be at least 1 and 0", options->every,
                          options->sync_every);
    cairn_record *r = cairn_alloc(context, 1, sizeof *r);
    if (r == NULL)
        return CAIRN_ERROR_MEMORY;
    *r = (cairn_record){.context = context,
                        .every = options->every,
                        .stress = options->stress,
                        .watch = options->watch,
                        .watch_user = options->watch_user,
                        .journal = {.context = context, .file = -1}};
    r->path = cairn_alloc(context, strlen(path) + 1, 1);
    cairn_status status = r->path != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        memcpy(r->path, path, strlen(path) + 1);
        status = begin(r, world, scene, options);
    }
    if (status == CAIRN_OK)
        *record = r;
    else
        release(r);
    return status;
}

static void add_step(cairn_record_since *since, const cairn_step_report *report) {
    cairn_energy_add(&since->work, &report->energy);
    since->uncertified += !report->certified;
    since->overlapping += !report->apart;
    since->fallbacks = report->fallbacks > since->fallbacks ? report->fallbacks : since->fallbacks;
    since->inverted = report->inverted > since->inverted ? report->inverted : since->inverted;
    if (since->depth_tolerance == 0.0 ||
        report->depth * since->depth_tolerance > since->depth * report->depth_tolerance) {
        since->depth = report->depth;
        since->depth_tolerance = report->depth_tolerance;
    }
}

cairn_status cairn_record_step(cairn_record *r, const cairn_world *w, const cairn_step_report *report) {
    if (r == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (w == NULL || report == NULL)
        return cairn_fail(r->context, CAIRN_ERROR_ARGUMENT, "recording: world or report is NULL");
    cairn_record_since before = r->since;
    add_step(&r->since, report);
    r->pending = true;
    if (report->step % r->every != 0)
        return CAIRN_OK;
    cairn_status status = add_frame(r, w, report, NULL);
    if (status != CAIRN_OK)
        r->since = before;
    return status;
}

cairn_status cairn_record_frame(cairn_record *r, const cairn_world *w, const cairn_step_report *report) {
    if (r == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (w == NULL || report == NULL)
        return cairn_fail(r->context, CAIRN_ERROR_ARGUMENT, "recording: world or report is NULL");
    return r->pending ? add_frame(r, w, report, NULL) : CAIRN_OK;
}

/* From the open journal, whatever has become of its name. */
static cairn_status fold_own(cairn_record *r) {
    cairn_folded folded;
    cairn_status status = cairn_journal_fold(
        r->context, r->path, &(cairn_folding){r->journal.file, r->watch, r->watch_user}, -1, NULL, &folded);
    if (status != CAIRN_OK)
        return status;
    if (folded.damaged > 0 || folded.records != r->journal.sequence)
        return cairn_fail(r->context, CAIRN_ERROR_IO,
                          "%s: was damaged or changed while the recording went on: %s has %lld of %lld records, and "
                          "%lld places could not be read",
                          r->journal.path, r->path, (long long)folded.records, (long long)r->journal.sequence,
                          (long long)folded.damaged);
    cairn_journal_remove(&r->journal);
    return CAIRN_OK;
}

cairn_status cairn_record_close(cairn_record *r) {
    if (r == NULL)
        return CAIRN_OK;
    cairn_status status = fold_own(r);
    release(r);
    return status;
}
