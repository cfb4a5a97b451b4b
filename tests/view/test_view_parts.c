/*
 * test_view_parts.c: flexible parts in a replay page, unpacked by code of its own and held against the recording.
 */
#define _DEFAULT_SOURCE

#include "support/support.h"

#include "support/page_blocks.h"

#include <cairn/view.h>

#include <math.h>
#include <unistd.h>

enum { STEPS = 24, GONE = 16, TRACKS = 5 };

static char recording_path[64], page_path[64];
static const char template[] = "<html>\n<!--DATA-->\n</html>\n";

static cairn_body add_part(cairn_context *context, cairn_world *world, bool rope) {
    const int cells[] = {2, 1, 1};
    const cairn_vec3 point[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0.05}};
    cairn_fem_material elastic = cairn_default_fem_material();
    cairn_flexible_def def = cairn_default_flexible_def();
    cairn_body body = {0};
    def.elastics = 1;
    def.elastic = &elastic;
    elastic.E = rope ? 1e7 : 3e4;
    elastic.radius = 0.013;
    if (rope)
        CHECK(cairn_fem_mesh_line(context, 3, point, &def.mesh) == CAIRN_OK);
    else
        CHECK(cairn_fem_mesh_box(context, CAIRN_ELEMENT_HEX8, cairn_vec3_of(0.4, 0.2, 0.2), cells, &def.mesh) ==
              CAIRN_OK);
    def.pose.position = cairn_vec3_of(0, rope ? 1 : 0, rope ? 0.5 : 0.12);
    def.angular_velocity = cairn_vec3_of(0, rope ? 3 : 0, 0);
    CHECK(cairn_world_add_flexible(world, &def, &body) == CAIRN_OK);
    cairn_fem_mesh_release(def.mesh);
    return body;
}

/* A rope that is taken away after GONE steps, and a soft block that falls on a floor. */
static void record(bool stress) {
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_record *record = NULL;
    cairn_shape *plane = NULL;
    cairn_body body;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK && cairn_shape_plane(context, &plane) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    cairn_body rope = add_part(context, world, true);
    add_part(context, world, false);
    cairn_record_options options = cairn_default_record_options();
    options.stress = stress;
    CHECK(cairn_record_create(context, recording_path, world, "{}", &options, &record) == CAIRN_OK);
    for (int i = 0; i < STEPS; i++) {
        cairn_step_report report;
        if (i == GONE)
            CHECK(cairn_world_remove_body(world, rope) == CAIRN_OK);
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    cairn_shape_release(plane);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

/* Track t of node i: what is given less the frames before, summed up. x: count numbers. */
static void unpack(const unsigned char *block, size_t nodes, size_t count, size_t t, size_t i, int32_t *x) {
    for (size_t k = 0; k < count; k++) {
        int32_t r = plane_value(block + 4 * t * nodes * count, nodes * count, i * count + k);
        if (t < 3)
            x[k] = k == 0 ? r : k == 1 ? x[0] + r : 2 * x[k - 1] - x[k - 2] + r;
        else
            x[k] = k == 0 ? r : x[k - 1] + r;
    }
}

/* One frame of a node that was unpacked against the recording; gone: what it last was stays. */
static void check_node(const cairn_frame *f, size_t i, const int32_t now[TRACKS], const int32_t before[TRACKS],
                       const double unit[3]) {
    const double *x = f->node_position + 3 * i, *v = f->node_velocity + 3 * i;
    if (isnan(x[0])) {
        for (int t = 0; t < TRACKS; t++)
            CHECK(now[t] == before[t]);
        return;
    }
    for (int c = 0; c < 3; c++)
        CHECK(fabs(now[c] * unit[0] - x[c]) <= 0.51 * unit[0]);
    CHECK(fabs(now[3] * unit[1] - hypot(hypot(v[0], v[1]), v[2])) <= 0.51 * unit[1]);
    CHECK(fabs(now[4] * unit[2] - (f->node_mises != NULL ? f->node_mises[i] : 0.0)) <= 0.51 * unit[2]);
}

static void check_page(bool stress) {
    cairn_context *context = plain_context(1);
    cairn_recording *recording = NULL;
    record(stress);
    CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
    CHECK(cairn_view_write(recording, NULL, template, NULL, 0, page_path, NULL) == CAIRN_OK);
    char *page = read_page(page_path);
    size_t size = 0, nodes = (size_t)number_after(page, "\"nodes\":"), count = STEPS + 1, gone = 0;
    const char *units = strstr(page, "\"nodeQuantum\":[");
    double unit[3] = {0};
    CHECK(units != NULL && sscanf(units, "\"nodeQuantum\":[%lf,%lf,%lf]", &unit[0], &unit[1], &unit[2]) == 3);
    CHECK(unit[0] > 0.0 && unit[1] > 0.0 && (unit[2] > 0.0) == stress && unit[0] < 1e-3);
    unsigned char *block_0 = block(page, "nodes-0", &size);
    CHECK(block_0 != NULL && nodes == 3 + 12 && size == 4 * TRACKS * nodes * count);
    int32_t x[TRACKS][STEPS + 1];
    for (size_t i = 0; i < nodes && block_0 != NULL; i++) {
        for (size_t t = 0; t < TRACKS; t++)
            unpack(block_0, nodes, count, t, i, x[t]);
        for (size_t k = 0; k < count; k++) {
            cairn_frame f;
            int32_t now[TRACKS], before[TRACKS];
            CHECK(cairn_recording_frame(recording, (int64_t)k, &f) == CAIRN_OK && (size_t)f.nodes == nodes);
            for (int t = 0; t < TRACKS; t++) {
                now[t] = x[t][k];
                before[t] = x[t][k > 0 ? k - 1 : 0];
            }
            check_node(&f, i, now, before, unit);
            gone += isnan(f.node_position[3 * i]) ? 1 : 0;
        }
    }
    CHECK(gone == 3 * (STEPS - GONE));
    free(block_0);
    free(page);
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

TEST(nodes_come_back) {
    check_page(true);
    check_page(false);
}

/* A list of whole numbers behind a key. */
static void check_list(const char *at, const char *key, int count, const int *x) {
    at = strstr(at, key);
    CHECK(at != NULL);
    at += at != NULL ? strlen(key) : 0;
    for (int i = 0; i < count; i++) {
        char *end;
        CHECK(strtol(at, &end, 10) == x[i] && end > at && *end == (i + 1 < count ? ',' : ']'));
        at = end + 1;
    }
    CHECK(count > 0 || *at == ']');
}

/* Skins, beams and radii as recorded; the ball about a part holds it. */
TEST(parts_are_described) {
    cairn_context *context = plain_context(1);
    cairn_recording *recording = NULL;
    CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
    CHECK(cairn_view_write(recording, NULL, template, NULL, 0, page_path, NULL) == CAIRN_OK);
    char *page = read_page(page_path);
    const char *at = strstr(page, "\"parts\":[");
    CHECK(at != NULL && cairn_recording_get(recording).parts == 2);
    for (int k = 0; k < 2 && at != NULL; k++) {
        cairn_recorded_part part;
        CHECK(cairn_recording_part(recording, k, &part) == CAIRN_OK);
        at = strstr(at + 1, "{\"body\":");
        CHECK(at != NULL && number_after(at, "\"body\":") == part.body &&
              number_after(at, "\"first\":") == (double)part.first);
        CHECK(number_after(at, "\"nodes\":") == part.nodes && part.lines == (k == 0 ? 2 : 0));
        check_list(at, "\"faces\":[", 3 * part.faces, part.face);
        check_list(at, "\"lines\":[", 2 * part.lines, part.line);
        if (k == 0)
            CHECK_NEAR(number_after(at, "\"radius\":["), 0.013, 1e-9);
    }
    double radius[3] = {0};
    const char *list = strstr(page, "],\n\"radius\":[");
    CHECK(list != NULL && sscanf(list, "],\n\"radius\":[%lf,%lf,%lf", &radius[0], &radius[1], &radius[2]) == 3);
    CHECK(radius[1] > 0.09 && radius[1] < 0.13 && radius[2] > 0.24 && radius[2] < 0.26);
    free(page);
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

/* Every allocation fails once; nothing leaks. */
TEST(memory_that_fails) {
    int failures = 0;
    for (int fail = 0;; fail += 1 + fail / 16) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        cairn_recording *recording = NULL;
        CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
        a.fail_at = a.allocations + fail;
        cairn_status status = cairn_view_write(recording, NULL, template, NULL, 0, page_path, NULL);
        a.fail_at = -1;
        cairn_recording_close(recording);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK)
            break;
        failures++;
        CHECK(status == CAIRN_ERROR_MEMORY);
    }
    CHECK(failures > 10);
}

int main(void) {
    snprintf(recording_path, sizeof recording_path, "/tmp/cairn_parts_%ld.h5", (long)getpid());
    snprintf(page_path, sizeof page_path, "/tmp/cairn_parts_%ld.html", (long)getpid());
    RUN(nodes_come_back);
    RUN(parts_are_described);
    RUN(memory_that_fails);
    unlink(recording_path);
    unlink(page_path);
    return test_end();
}
