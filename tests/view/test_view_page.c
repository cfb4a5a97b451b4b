/*
 * test_view_page.c: the data of a replay page, unpacked again by code of its own and held against the recording.
 */
#define _DEFAULT_SOURCE

#include "support/support.h"

#include "view/byte_columns.h"
#include "support/page_blocks.h"

#include <math.h>
#include <unistd.h>

static char recording_path[64], page_path[64];
static const char template[] = "<html>\n<!--DATA-->\n</html>\n";

/* Four balls fall on a floor beside each other and one on top, and a box slides beside them; steps frames. */
static void record(int steps) {
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_record *record = NULL;
    cairn_shape *plane = NULL, *ball = NULL, *box = NULL;
    cairn_body body;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK && cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.15, 0.1), &box) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    for (int i = 0; i < 5; i++) {
        def = cairn_default_body_def();
        def.shape = ball;
        def.pose.position = cairn_vec3_of(0.21 * (i % 4) + 0.1 * (i / 4), 0.0, 0.1 + 0.3 * (i / 4));
        def.velocity.x = i == 4 ? 0.5 : 0.0;
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    }
    cairn_body top = body;
    def = cairn_default_body_def();
    def.shape = box;
    def.pose.position = cairn_vec3_of(0.0, 0.8, 0.12);
    def.velocity = cairn_vec3_of(1.0, 0.3, 0.0);
    def.angular_velocity = cairn_vec3_of(0.0, 0.3, 2.0);
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    cairn_record_options options = cairn_default_record_options();
    cairn_body_label label = {top, "</script><b>\"top\"\xff"};
    options.body_labels = 1;
    options.body_label = &label;
    const char *scene = "{\"title\": \"Balls \\\"here\\\"\"}";
    CHECK(cairn_record_create(context, recording_path, world, scene, &options, &record) == CAIRN_OK);
    for (int i = 0; i < steps; i++) {
        cairn_step_report report;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    cairn_shape_release(plane);
    cairn_shape_release(ball);
    cairn_shape_release(box);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

static cairn_recording *open_recording(cairn_context *context) {
    cairn_recording *recording = NULL;
    CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
    return recording;
}

TEST(series_and_heights_come_back) {
    cairn_context *context = plain_context(1);
    cairn_recording *recording = open_recording(context);
    cairn_view_report report;
    CHECK(cairn_view_write(recording, NULL, template, NULL, 0, page_path, &report) == CAIRN_OK);
    CHECK(report.frames == 41 && report.contacts_kept == report.contacts && report.contacts > 0);
    char *page = read_page(page_path);
    CHECK(strlen(page) == report.bytes);
    CHECK_CONTAINS(page, "\"title\":\"Balls \\u0022here\\u0022\"");
    CHECK_CONTAINS(page, "\\u003c/script\\u003e\\u003cb\\u003e\\u0022top\\u0022\\ufffd");
    CHECK(strstr(page, "<b>") == NULL && strstr(page, "<!--DATA-->") == NULL);
    size_t size = 0, bodies = 0;
    unsigned char *series = block(page, "series", &size), *tracks = block(page, "bodies-0", &bodies);
    CHECK(size % (8 * 41) == 0 && bodies == 4 * 15 * 6 * 41);
    double quantum = number_after(page, "\"quantum\":[");
    for (int k = 0; k < 41; k++) {
        cairn_frame f;
        double time;
        CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK);
        memcpy(&time, series + 8 * (41 + k), 8); /* the second series */
        CHECK(time == f.time);
        /* z of the upper ball, the fifth body that moves: second differences, summed up */
        int32_t x[41];
        for (size_t i = 0; i <= (size_t)k; i++) {
            int32_t r = plane_value(tracks + (size_t)4 * 2 * 6 * 41, 6 * 41, 4 * 41 + i);
            x[i] = i == 0 ? r : i == 1 ? x[0] + r : 2 * x[i - 1] - x[i - 2] + r;
        }
        CHECK(fabs(x[k] * quantum - f.position[3 * 5 + 2]) <= 0.51 * quantum);
    }
    free(series);
    free(tracks);
    free(page);
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

enum { COLUMNS = 16, MOST = 64 };

/* The columns of the contacts of all frames of the first chunk, what they are given less added again. first: frames + 1. */
static int32_t *all_columns(const unsigned char *x, size_t frames, size_t *first) {
    for (size_t f = 0; f < frames; f++)
        first[f + 1] = first[f] + (size_t)plane_value(x, frames, f);
    size_t n = first[frames];
    int32_t *v = calloc(n * COLUMNS + 1, sizeof *v); /* contact by contact */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            v[COLUMNS * i + k] = plane_value(x + 4 * frames + 4 * n * k, n, i);
    for (size_t f = 0; f < frames; f++)
        for (size_t i = first[f]; i < first[f + 1]; i++) {
            int32_t *c = v + COLUMNS * i, *left = i > first[f] ? c - COLUMNS : NULL, *before = NULL;
            size_t place = 0, met = 0;
            c[0] += left != NULL ? left[0] : 0;
            c[1] += left != NULL && left[0] == c[0] ? left[1] : 0;
            bool pair = left != NULL && left[0] == c[0] && left[1] == c[1];
            for (size_t j = first[f]; j < i; j++)
                place += v[COLUMNS * j] == c[0] && v[COLUMNS * j + 1] == c[1];
            for (size_t j = f > 0 ? first[f - 1] : i; j < first[f] && before == NULL; j++)
                if (v[COLUMNS * j] == c[0] && v[COLUMNS * j + 1] == c[1] && met++ == place)
                    before = v + COLUMNS * j;
            for (size_t k = 2; k < COLUMNS; k++) {
                const int32_t *from = before;
                if ((k >= 5 && k < 8 && pair) || (k < 5 && pair && before == NULL))
                    from = left;
                if (k == 8 || (k > 8 && k < 12 && before != NULL && before[8] != c[8]))
                    from = NULL;
                c[k] += from != NULL ? from[k] : 0;
            }
        }
    return v;
}

/* One contact of the page against the one of the recording at the same place among those of its bodies. */
static void check_contact(const char *page, const int32_t *c, const cairn_frame *f, int place, double strongest) {
    int found = -1;
    for (int i = 0; i < f->contacts && place >= 0; i++)
        if (f->contact_body[2 * i] == c[0] && f->contact_body[2 * i + 1] == c[1] && place-- == 0)
            found = i;
    CHECK(found >= 0);
    if (found < 0)
        return;
    double least = number_after(page, "\"leastGap\":"), quantum = number_after(page, "\"pointQuantum\":");
    int base = (int)number_after(page, "\"impulseBase\":");
    double most = 0.0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(f->contact_impulse[3 * found + k]));
    for (int k = 0; k < 3; k++) {
        double impulse = c[8] == 0 ? 0.0 : ldexp(c[9 + k], base + c[8]);
        CHECK(fabs(impulse - f->contact_impulse[3 * found + k]) <= 2.5e-4 * most + 6e-8 * strongest);
        CHECK(fabs(c[2 + k] * quantum - f->contact_point[3 * found + k]) <= 0.51 * quantum);
        CHECK(fabs(c[5 + k] / 8191.0 - f->contact_normal[3 * found + k]) <= 0.51 / 8191.0);
    }
    double gap = least * (exp2(abs(c[12]) / 64.0) - 1.0) * (c[12] < 0 ? -1 : 1);
    CHECK(fabs(gap - f->contact_gap[found]) <= 0.006 * (fabs(f->contact_gap[found]) + least));
    CHECK(c[14] == f->contact_status[found]);
    double residual = 1e-12 * (exp2(abs(c[15]) / 8.0) - 1.0);
    CHECK(fabs(residual - f->contact_residual[found]) <= 0.1 * f->contact_residual[found] + 1e-12);
}

/* Contacts of all frames: bodies, impulses, points, normals, gaps, residuals. */
TEST(contacts_come_back) {
    cairn_context *context = plain_context(1);
    cairn_recording *recording = open_recording(context);
    CHECK(cairn_view_write(recording, NULL, template, "other", 0, page_path, NULL) == CAIRN_OK);
    char *page = read_page(page_path);
    CHECK_CONTAINS(page, "\"title\":\"other\"");
    size_t size = 0, frames = 41, first[MOST] = {0};
    unsigned char *x = block(page, "contacts-0", &size);
    int32_t *columns = all_columns(x, frames, first);
    CHECK(size == 4 * frames + 4 * COLUMNS * first[frames] && first[frames] > 40);
    int several = 0;
    for (size_t f = 0; f < frames; f++) {
        cairn_frame frame;
        double strongest = 0.0;
        CHECK(cairn_recording_frame(recording, (int64_t)f, &frame) == CAIRN_OK);
        CHECK(first[f + 1] - first[f] == (size_t)frame.contacts);
        for (int i = 0; i < 3 * frame.contacts; i++)
            strongest = fmax(strongest, fabs(frame.contact_impulse[i]));
        for (size_t i = first[f]; i < first[f + 1]; i++) {
            const int32_t *c = columns + COLUMNS * i;
            int place = 0;
            for (size_t j = first[f]; j < i; j++)
                place += columns[COLUMNS * j] == c[0] && columns[COLUMNS * j + 1] == c[1];
            several += place > 0;
            check_contact(page, c, &frame, place, strongest);
        }
    }
    CHECK(several > 0); /* pairs with more than one contact */
    free(columns);
    free(x);
    free(page);
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

TEST(frames_are_chosen) {
    cairn_context *context = plain_context(1);
    cairn_recording *recording = open_recording(context);
    cairn_view_report report;
    cairn_frame_choice choice = cairn_default_frame_choice();
    choice.every = 4;
    CHECK(cairn_view_write(recording, &choice, template, NULL, 0, page_path, &report) == CAIRN_OK);
    CHECK(report.frames == 11);
    choice.from = 0.1;
    choice.to = 0.2;
    CHECK(cairn_view_write(recording, &choice, template, NULL, 0, page_path, &report) == CAIRN_OK);
    CHECK(report.frames == 3);
    choice.from = 7.0;
    choice.to = 8.0;
    CHECK(cairn_view_write(recording, &choice, template, NULL, 0, page_path, &report) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "no frame of the recording's 41 lies from 7 s to 8 s");
    choice.every = 0;
    CHECK(cairn_view_write(recording, &choice, template, NULL, 0, page_path, &report) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_view_write(recording, NULL, "no mark", NULL, 0, page_path, &report) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_view_write(recording, NULL, template, NULL, 0, "/no/such/folder/x.html", NULL) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(context), "/no/such/folder/x.html: cannot be written");
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

TEST(a_limit_thins_out_contacts) {
    cairn_context *context = plain_context(1);
    cairn_recording *recording = open_recording(context);
    cairn_view_report all, some;
    CHECK(cairn_view_write(recording, NULL, template, NULL, 0, page_path, &all) == CAIRN_OK);
    CHECK(cairn_view_write(recording, NULL, template, NULL, all.bytes - 300, page_path, &some) == CAIRN_OK);
    CHECK(some.bytes <= all.bytes - 300 && some.contacts == all.contacts && some.contacts_kept < some.contacts);
    CHECK(cairn_view_write(recording, NULL, template, NULL, 10, page_path, &some) == CAIRN_OK);
    CHECK(some.contacts_kept == 0);
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

TEST(planes_and_letters) {
    cairn_context *context = plain_context(1);
    cairn_bytes b = {.context = context};
    const int32_t x[] = {0, -1, 1, -2, INT32_MAX, INT32_MIN, 300};
    cairn_bytes_planes(&b, 7, x);
    for (size_t i = 0; i < 7; i++)
        CHECK(plane_value(b.data, 7, i) == x[i]);
    CHECK(b.data[1] == 1 && b.data[2] == 2 && b.data[3] == 3);
    CHECK(cairn_quantise(0.26, 0.1) == 3 && cairn_quantise(NAN, 0.1) == 0 && cairn_quantise(1e300, 0.1) == 1 << 29);
    CHECK(cairn_quantise_log(0.0, 1e-12) == 0 && cairn_quantise_log(-1e-9, 1e-9) == -64);
    CHECK(cairn_quantise_log(3e-12, 1e-12) == 128);
    cairn_bytes_free(&b);
    cairn_context_destroy(context);
}

/* Every allocation fails once; nothing leaks, and the file of before stays. */
TEST(memory_that_fails) {
    for (int fail = 0;; fail += 1 + fail / 8) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        cairn_recording *recording = open_recording(context);
        a.fail_at = a.allocations + fail;
        cairn_status status = cairn_view_write(recording, NULL, template, NULL, 5000, page_path, NULL);
        a.fail_at = -1;
        cairn_recording_close(recording);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK)
            break;
        CHECK(status == CAIRN_ERROR_MEMORY);
    }
}

int main(void) {
    snprintf(recording_path, sizeof recording_path, "/tmp/cairn_page_%ld.h5", (long)getpid());
    snprintf(page_path, sizeof page_path, "/tmp/cairn_page_%ld.html", (long)getpid());
    record(40);
    RUN(series_and_heights_come_back);
    RUN(contacts_come_back);
    RUN(frames_are_chosen);
    RUN(a_limit_thins_out_contacts);
    RUN(planes_and_letters);
    RUN(memory_that_fails);
    unlink(recording_path);
    unlink(page_path);
    return test_end();
}
