/*
 * test_io_folding.c: the journal of a recording becomes its file: wide tables, many frames, continued ones, a folding that is stopped; chunks are what
 * shuffle and deflate say.
 */
#define _DEFAULT_SOURCE

#include "io/record/record_compress.h"
#include "support/record_files.h"
#include "support/support.h"

#include <unistd.h>
#include <zlib.h>

/* Unpacks a chunk as a reader of HDF5 does, and holds it against the numbers. */
static void check_chunk(cairn_packer *p, cairn_pack_memory *memory, const unsigned char *numbers, size_t count,
                        size_t width, bool smaller) {
    static unsigned char planes[8 * 70000];
    size_t size = 0;
    uLongf all = sizeof planes;
    CHECK(cairn_pack_chunk(p, numbers, count, width, memory, &size) == CAIRN_OK);
    CHECK(uncompress(planes, &all, p->packed, size) == Z_OK && all == count * width);
    bool same = true;
    for (size_t i = 0; i < count && same; i++)
        for (size_t j = 0; j < width && same; j++)
            same = planes[j * count + i] == numbers[i * width + j];
    CHECK(same);
    CHECK(size <= count * width + 64 + count * width / 1000);
    CHECK(!smaller || size < count * width / 2 + 128);
}

TEST(chunks_unpack) {
    static const size_t counts[] = {1, 2, 7, 4096, 65535, 65536, 70000}, widths[] = {1, 4, 8};
    static unsigned char noise[8 * 70000], same[8 * 70000], mixed[8 * 70000];
    cairn_context *context = plain_context(1);
    cairn_packer packer = {.context = context};
    test_random r = {5};
    for (size_t i = 0; i < sizeof noise; i++) {
        noise[i] = (unsigned char)(test_random_bits(&r) & 255U);
        same[i] = (unsigned char)(i % 8);
        mixed[i] = i % 8 > 5 ? (unsigned char)(i % 8) : noise[i];
    }
    for (size_t w = 0; w < 3; w++) {
        cairn_pack_memory memory = {{0}}, other = {{0}};
        for (size_t c = 0; c < 7; c++) {
            check_chunk(&packer, &memory, noise, counts[c], widths[w], false);
            check_chunk(&packer, &other, mixed, counts[c], widths[w], false);
        }
        for (int k = 0; k < 20; k++) /* what was noise is found to be packable again */
            check_chunk(&packer, &memory, same, 4096, widths[w], k > 16);
    }
    cairn_packer_free(&packer);
    cairn_context_destroy(context);
}

static cairn_body add_ball(cairn_world *world, cairn_shape *ball, cairn_vec3 at, cairn_vec3 velocity) {
    cairn_body_def def = cairn_default_body_def();
    cairn_body body = {0, 0};
    def.shape = ball;
    def.pose.position = at;
    def.velocity = velocity;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    return body;
}

enum { WIDE = 5000, WIDE_FRAMES = 7 };

/* More bodies than a chunk is wide, and a table that grows. */
TEST(wide_tables) {
    const char *path = file_name("wide.h5");
    cairn_context *context = plain_context(1);
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_shape *ball = NULL;
    cairn_record *record = NULL;
    def.gravity = cairn_vec3_of(0, 0, 0);
    CHECK(cairn_world_create(context, &def, &world) == CAIRN_OK);
    CHECK(cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK);
    static cairn_body body[WIDE + 3];
    static double x[WIDE_FRAMES][WIDE + 3];
    for (int i = 0; i < WIDE; i++)
        body[i] = add_ball(world, ball, cairn_vec3_of(i, 0, 0), cairn_vec3_of(0, 1.0 / (1 + i), 0));
    CHECK(cairn_record_create(context, path, world, NULL, NULL, &record) == CAIRN_OK);
    int bodies = WIDE;
    for (int k = 1; k < WIDE_FRAMES; k++) {
        if (k == 4)
            for (; bodies < WIDE + 3; bodies++)
                body[bodies] = add_ball(world, ball, cairn_vec3_of(bodies, 0, 0), cairn_vec3_of(0, 2, 0));
        cairn_step_report report;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
        for (int i = 0; i < bodies; i++) {
            cairn_body_state state;
            CHECK(cairn_world_body(world, body[i], &state) == CAIRN_OK);
            x[k][i] = state.pose.position.y;
        }
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    cairn_recording *recording = NULL;
    CHECK(cairn_recording_open(context, path, &recording) == CAIRN_OK);
    CHECK(cairn_recording_get(recording).frames == WIDE_FRAMES);
    for (int k = 1; k < WIDE_FRAMES; k++) {
        cairn_frame f;
        CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK && f.bodies == WIDE + 3);
        bool same = true;
        for (int i = 0; i < WIDE + 3; i++)
            same = same && (k < 4 && i >= WIDE ? isnan(f.position[3 * i + 1]) : f.position[3 * i + 1] == x[k][i]);
        CHECK(same);
    }
    cairn_recording_close(recording);
    remove_files(path);
    cairn_shape_release(ball);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

enum { LONG = 700, MIDDLE = 333 };

/* Boxes that fall on a floor and lie there: contacts enough for several chunks. */
static cairn_world *boxes(cairn_context *context) {
    cairn_world *world = NULL;
    cairn_shape *shape = NULL;
    cairn_body body;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &shape) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = shape;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    cairn_shape_release(shape);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.2, 0.15), &shape) == CAIRN_OK);
    for (int i = 0; i < 3; i++)
        add_ball(world, shape, cairn_vec3_of(0.01 * i, 0.02 * i, 0.2 + 0.33 * i), cairn_vec3_of(0, 0, 0));
    cairn_shape_release(shape);
    return world;
}

static void run(cairn_world *world, cairn_record *record, int64_t until) {
    while (cairn_world_steps(world) < until) {
        cairn_step_report report;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
}

static void check_same(cairn_context *context, const char *a, const char *b, int64_t frames) {
    cairn_recording *x = NULL, *y = NULL;
    int64_t contacts = 0;
    CHECK(cairn_recording_open(context, a, &x) == CAIRN_OK && cairn_recording_open(context, b, &y) == CAIRN_OK);
    CHECK(cairn_recording_get(x).frames == frames && cairn_recording_get(y).frames == frames);
    for (int64_t k = 0; k < frames; k++) {
        cairn_frame f, g;
        CHECK(cairn_recording_frame(x, k, &f) == CAIRN_OK && cairn_recording_frame(y, k, &g) == CAIRN_OK);
        CHECK(f.step == k && g.step == k && f.contacts == g.contacts && strcmp(f.note, g.note) == 0);
        CHECK(memcmp(f.rotation, g.rotation, 4 * 4 * sizeof(double)) == 0);
        CHECK(memcmp(f.contact_impulse, g.contact_impulse, (size_t)f.contacts * 3 * sizeof(double)) == 0);
        CHECK(memcmp(f.contact_body, g.contact_body, (size_t)f.contacts * 2 * sizeof(int32_t)) == 0);
        CHECK(memcmp(f.contact_status, g.contact_status, (size_t)f.contacts) == 0);
        contacts += f.contacts;
    }
    CHECK(contacts > 4096);
    cairn_recording_close(x);
    cairn_recording_close(y);
}

/* A recording that goes on in the middle of a chunk. */
TEST(many_frames_continued) {
    char through[256], path[256];
    snprintf(through, sizeof through, "%s", file_name("through.h5"));
    snprintf(path, sizeof path, "%s", file_name("continued.h5"));
    cairn_context *context = plain_context(1);
    cairn_world *a = boxes(context), *b = boxes(context);
    cairn_record *record = NULL;
    CHECK(cairn_record_create(context, through, a, NULL, NULL, &record) == CAIRN_OK);
    run(a, record, LONG);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    for (int64_t until = MIDDLE; until <= LONG; until += LONG - MIDDLE) {
        cairn_record_options options = cairn_default_record_options();
        options.resume = true;
        CHECK(cairn_record_create(context, path, b, NULL, &options, &record) == CAIRN_OK);
        run(b, record, until);
        CHECK(cairn_record_close(record) == CAIRN_OK);
    }
    check_same(context, through, path, LONG + 1);
    remove_files(through);
    remove_files(path);
    cairn_world_destroy(a);
    cairn_world_destroy(b);
    cairn_context_destroy(context);
}

typedef struct looker {
    int seen, most; /* calls; after how many it stops */
    double part;
} looker;

static bool look(void *user, double part) {
    looker *l = user;
    CHECK(part >= l->part && part <= 1.0);
    l->part = part;
    return l->seen++ < l->most;
}

/* Stopped at closing, stopped again at opening, then read: nothing is lost, and reading leaves the journal. */
TEST(stopped_folding) {
    char through[256], path[256], journal[300];
    snprintf(through, sizeof through, "%s", file_name("whole.h5"));
    snprintf(path, sizeof path, "%s", file_name("stopped.h5"));
    snprintf(journal, sizeof journal, "%s.journal", path);
    cairn_context *context = plain_context(1);
    cairn_world *a = boxes(context), *b = boxes(context);
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    looker at_close = {.most = 200}, at_open = {.most = 50}, free_look = {.most = LONG + 10};
    cairn_record_options options = cairn_default_record_options();
    CHECK(cairn_record_create(context, through, a, NULL, NULL, &record) == CAIRN_OK);
    run(a, record, LONG);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    options.watch = look;
    options.watch_user = &at_close;
    CHECK(cairn_record_create(context, path, b, NULL, &options, &record) == CAIRN_OK);
    run(b, record, LONG);
    CHECK(cairn_record_close(record) == CAIRN_ERROR_CANCELLED && at_close.seen == 201);
    CHECK_CONTAINS(cairn_error_message(context), "the next opening folds it");
    CHECK(access(journal, F_OK) == 0);
    CHECK(cairn_recording_open_watched(context, path, look, &at_open, &recording) == CAIRN_ERROR_CANCELLED);
    CHECK(access(journal, F_OK) == 0 && at_open.seen == 51);
    CHECK(cairn_recording_open_watched(context, path, look, &free_look, &recording) == CAIRN_OK);
    CHECK(free_look.seen == LONG + 1 && free_look.part == 1.0 && access(journal, F_OK) == 0);
    cairn_recording_close(recording);
    check_same(context, through, path, LONG + 1);
    remove_files(through);
    remove_files(path);
    cairn_world_destroy(a);
    cairn_world_destroy(b);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(chunks_unpack);
    RUN(wide_tables);
    RUN(many_frames_continued);
    RUN(stopped_folding);
    return test_end();
}
