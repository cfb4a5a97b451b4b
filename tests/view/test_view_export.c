/*
 * test_view_export.c: exports of a recording when memory or files fail: nothing leaks, nothing half-written stays.
 *
 * What is in the files is checked by other programs: tests/cli/cli_pictures.sh.
 */
#define _DEFAULT_SOURCE

#include "support/support.h"

#include <cairn/view.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

typedef cairn_status (*exporter)(cairn_recording *recording, const cairn_frame_choice *choice, const char *path);

static char folder[64], recording_path[96];

/* A soft block beside them and a rope in the air. */
static void add_flexible(cairn_context *context, cairn_world *world) {
    const int cells[] = {1, 1, 1};
    const cairn_vec3 point[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
    cairn_fem_material elastic = cairn_default_fem_material();
    cairn_flexible_def def = cairn_default_flexible_def();
    cairn_body body;
    def.elastics = 1;
    def.elastic = &elastic;
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            CHECK(cairn_fem_mesh_box(context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.2, 0.2, 0.2), cells, &def.mesh) ==
                  CAIRN_OK);
        else
            CHECK(cairn_fem_mesh_line(context, 3, point, &def.mesh) == CAIRN_OK);
        def.pose.position = cairn_vec3_of(0, 1, i == 0 ? 0.1 : 0.5);
        CHECK(cairn_world_add_flexible(world, &def, &body) == CAIRN_OK);
        cairn_fem_mesh_release(def.mesh);
    }
}

/* A ball and a box on a floor. */
static void record(int steps) {
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_record *record = NULL;
    cairn_shape *shape[3] = {NULL};
    cairn_body body;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &shape[0]) == CAIRN_OK && cairn_shape_sphere(context, 0.1, &shape[1]) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &shape[2]) == CAIRN_OK);
    for (int i = 0; i < 3; i++) {
        cairn_body_def def = cairn_default_body_def();
        def.kind = i == 0 ? CAIRN_BODY_FIXED : CAIRN_BODY_DYNAMIC;
        def.shape = shape[i];
        def.pose.position = cairn_vec3_of(0.5 * i, 0.0, i == 0 ? 0.0 : 0.1);
        def.velocity.x = i == 0 ? 0.0 : 0.3;
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    }
    add_flexible(context, world);
    CHECK(cairn_record_create(context, recording_path, world, NULL, NULL, &record) == CAIRN_OK);
    for (int i = 0; i < steps; i++) {
        cairn_step_report report;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    for (int i = 0; i < 3; i++)
        cairn_shape_release(shape[i]);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

/* Entries of a folder; removes those that are files when asked to. */
static int entries(const char *path, bool clear) {
    DIR *list = opendir(path);
    int count = 0;
    if (list == NULL)
        return 0;
    for (struct dirent *e = readdir(list); e != NULL; e = readdir(list)) {
        char name[400];
        if (e->d_name[0] == '.')
            continue;
        count++;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (clear && unlink(name) != 0) {
            entries(name, true);
            rmdir(name);
        }
    }
    closedir(list);
    return count;
}

/* Every allocation fails once. A single file is there at the end or not at all; a collection is there when its list is. */
static void fail_everywhere(exporter write, const char *name, bool single) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int failures = 0;
    for (int fail = 0;; fail += 1 + fail / 16) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        cairn_recording *recording = NULL;
        CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
        a.fail_at = a.allocations + fail;
        cairn_status status = write(recording, NULL, path);
        a.fail_at = -1;
        cairn_recording_close(recording);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK)
            break;
        failures++;
        CHECK(status == CAIRN_ERROR_MEMORY);
        CHECK(access(path, F_OK) != 0);
        CHECK(!single || entries(folder, false) == 0);
    }
    CHECK(failures > 5);
    CHECK(access(path, F_OK) == 0);
    entries(folder, true);
}

TEST(memory_that_fails) {
    fail_everywhere(cairn_export_gltf, "x.glb", true);
    fail_everywhere(cairn_export_vtkhdf, "x.vtkhdf", true);
    fail_everywhere(cairn_export_pvd, "x.pvd", false);
}

/* A choice of frames that is none is refused, and so is a place where nothing can be written. */
TEST(files_that_cannot_be_written) {
    static const exporter write[] = {cairn_export_gltf, cairn_export_vtkhdf, cairn_export_pvd};
    cairn_context *context = plain_context(1);
    cairn_recording *recording = NULL;
    CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
    for (int i = 0; i < 3; i++) {
        cairn_frame_choice choice = cairn_default_frame_choice();
        choice.every = 0;
        CHECK(write[i](recording, NULL, "/no/such/folder/x.pvd") == CAIRN_ERROR_IO);
        CHECK_CONTAINS(cairn_error_message(context), "/no/such/folder/x");
        CHECK(write[i](recording, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
        char never[128], beside[128];
        snprintf(never, sizeof never, "%s/never.pvd", folder);
        snprintf(beside, sizeof beside, "%s/never", folder);
        CHECK(write[i](recording, &choice, never) == CAIRN_ERROR_ARGUMENT);
        CHECK(access(never, F_OK) != 0 && access(beside, F_OK) != 0); /* not even a folder */
    }
    cairn_recording_close(recording);
    cairn_context_destroy(context);
}

/* How many shapes a .glb gets, also when memory fails. */
TEST(shapes_of_flexible_parts) {
    int frames = 0, shapes = 0, failures = 0;
    for (int fail = 0;; fail++) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        cairn_recording *recording = NULL;
        CHECK(cairn_recording_open(context, recording_path, &recording) == CAIRN_OK);
        a.fail_at = a.allocations + fail;
        cairn_status status = cairn_export_gltf_shapes(recording, NULL, &frames, &shapes);
        cairn_recording_close(recording);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK)
            break;
        failures++;
        CHECK(status == CAIRN_ERROR_MEMORY && frames == 0);
    }
    CHECK(failures > 5 && frames == 7 && shapes == 7);
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/cairn_exports_%ld", (long)getpid());
    snprintf(recording_path, sizeof recording_path, "%s.h5", folder);
    CHECK(mkdir(folder, 0777) == 0);
    record(6);
    RUN(memory_that_fails);
    RUN(files_that_cannot_be_written);
    RUN(shapes_of_flexible_parts);
    rmdir(folder);
    unlink(recording_path);
    return test_end();
}
