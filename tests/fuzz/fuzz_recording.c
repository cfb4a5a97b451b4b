/*
 * fuzz_recording.c: a recording whose journal is damaged, as a killed run may leave it: arbitrary bytes as the journal, and whole records whose numbers are changed
 * and whose checksums fit. Opening folds what it takes into the file, checks the tables, and reads every frame; a page of it is packed as well. All of it must return, give all memory
 * back and state a reason when it refuses.
 *
 * The HDF5 file itself is well made: damage to its inner structures is libhdf5's to see (fuzz_fclib_raw.c). The tables in it are what the journal says.
 */
#define _POSIX_C_SOURCE 200809L

#include <cairn/record.h>
#include <cairn/view.h>

#include "../../src/base/core.h"
#include "counted.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 18, HEAD = 24, MARK = 32 }; /* of the layout of src/io/record_journal.c */

static char path[128], journal[160], page[160];
static unsigned char file_bytes[ROOM], journal_bytes[ROOM];
static size_t file_size, journal_size;

static size_t slurp(const char *name, unsigned char *to) {
    FILE *in = fopen(name, "rb");
    size_t size = in != NULL ? fread(to, 1, ROOM, in) : 0;
    if (size == 0 || size == ROOM)
        abort();
    fclose(in);
    return size;
}

static void spill(const char *name, const void *bytes, size_t size) {
    FILE *out = fopen(name, "wb");
    if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
        abort();
}

static void clean(void) {
    remove(path);
    remove(journal);
    remove(page);
}

static bool add(cairn_world *world, cairn_shape *shape, cairn_body_kind kind, double x, double z, cairn_body *body) {
    cairn_body_def def = cairn_default_body_def();
    def.kind = kind;
    def.shape = shape;
    def.pose = cairn_pose_at(x, 0, z);
    return cairn_world_add_body(world, &def, body) == CAIRN_OK;
}

/* A plane, a compound of two boxes and a ball on a hinge, three steps: the file and the journal as they are before the recording is closed. */
static void record(void) {
    cairn_context *context = NULL;
    cairn_world *world = NULL;
    cairn_record *run = NULL;
    cairn_shape *box = NULL, *plane = NULL, *ball = NULL, *pair = NULL;
    cairn_body body[3];
    cairn_joint hinge;
    cairn_joint_def joint = cairn_default_joint_def();
    cairn_record_options options = cairn_default_record_options();
    cairn_step_report report;
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    snprintf(path, sizeof path, "%s/fuzz-recording-%ld.h5", folder, (long)getpid());
    snprintf(journal, sizeof journal, "%s.journal", path);
    snprintf(page, sizeof page, "%s.bin", path);
    cairn_pose pose[2] = {cairn_pose_at(0, 0, 0.1), cairn_pose_at(0, 0, -0.1)};
    bool good = cairn_context_create(NULL, &context) == CAIRN_OK &&
                cairn_world_create(context, NULL, &world) == CAIRN_OK &&
                cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK &&
                cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK && cairn_shape_plane(context, &plane) == CAIRN_OK &&
                cairn_shape_compound(context, 2, (cairn_shape *[]){box, box}, pose, &pair) == CAIRN_OK &&
                add(world, plane, CAIRN_BODY_FIXED, 0, 0, &body[0]) &&
                add(world, pair, CAIRN_BODY_DYNAMIC, 0, 0.2, &body[1]) &&
                add(world, ball, CAIRN_BODY_DYNAMIC, 0.5, 0.1, &body[2]);
    joint.kind = CAIRN_JOINT_REVOLUTE;
    joint.a = body[1];
    joint.b = body[2];
    good = good && cairn_world_add_joint(world, &joint, &hinge) == CAIRN_OK &&
           cairn_record_create(context, path, world, "{}", &options, &run) == CAIRN_OK;
    for (int i = 0; i < 3 && good; i++)
        good = cairn_world_step(world, &report) == CAIRN_OK && cairn_record_step(run, world, &report) == CAIRN_OK;
    if (!good)
        abort();
    file_size = slurp(path, file_bytes);
    journal_size = slurp(journal, journal_bytes);
    cairn_record_close(run);
    cairn_shape_release(box);
    cairn_shape_release(ball);
    cairn_shape_release(plane);
    cairn_shape_release(pair);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
    atexit(clean);
}

/* data as changes of the good journal: triples of a place (two bytes) and what is added there; then checksums are made to fit. */
static size_t change(const uint8_t *data, size_t size, unsigned char *to) {
    memcpy(to, journal_bytes, journal_size);
    for (size_t i = 0; i + 2 < size; i += 3) {
        size_t at = HEAD + (256u * data[i] + data[i + 1]) % (journal_size - HEAD);
        to[at] = (unsigned char)(to[at] + data[i + 2]);
    }
    for (size_t at = HEAD; at + MARK <= journal_size;) {
        uint64_t bytes, good_bytes;
        memcpy(&good_bytes, journal_bytes + at + 16, sizeof good_bytes);
        memcpy(&bytes, to + at + 16, sizeof bytes);
        if (bytes > journal_size - at - MARK)
            break;
        uint64_t hash = cairn_hash(CAIRN_HASH_START, (const char *)to + at + 8, sizeof(uint64_t));
        hash = cairn_hash(hash, (const char *)to + at + MARK, bytes);
        memcpy(to + at + 24, &hash, sizeof hash);
        at += MARK + bytes;
        if (bytes != good_bytes)
            break;
    }
    return journal_size;
}

static void look(cairn_recording *r) {
    cairn_recording_info info = cairn_recording_get(r);
    cairn_recorded_shape shape;
    cairn_recorded_body body;
    cairn_recorded_joint joint;
    cairn_frame frame;
    for (int i = 0; i < info.shapes; i++)
        cairn_recording_shape(r, i, &shape);
    for (int i = 0; i < info.bodies; i++)
        cairn_recording_body(r, i, &body);
    for (int i = 0; i < info.joints; i++)
        cairn_recording_joint(r, i, &joint);
    for (int64_t i = 0; i < info.frames; i++)
        cairn_recording_frame(r, i, &frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned char made[ROOM];
    if (file_size == 0)
        record();
    cairn_context *context = size > 0 ? counted_context() : NULL;
    if (context == NULL)
        return 0;
    bool raw = data[0] % 8 == 0;
    size_t length = raw ? size - 1 : change(data + 1, size - 1, made);
    if (raw && data[0] % 16 == 0 && length + HEAD < ROOM) { /* behind a head that fits */
        memcpy(made, journal_bytes, HEAD);
        memcpy(made + HEAD, data + 1, length);
        length += HEAD;
    } else if (raw) {
        memcpy(made, data + 1, length);
    }
    spill(path, file_bytes, file_size);
    spill(journal, made, length);
    cairn_recording *r = NULL;
    cairn_status status = cairn_recording_open(context, path, &r);
    if (status != CAIRN_OK && (cairn_error_message(context)[0] == '\0' || r != NULL))
        abort();
    if (status == CAIRN_OK) {
        look(r);
        cairn_view_write(r, NULL, "<!--DATA-->", NULL, 0, page, NULL);
        cairn_export_gltf(r, NULL, page);
    }
    cairn_recording_close(r);
    counted_end(context);
    return 0;
}
