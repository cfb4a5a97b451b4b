/*
 * test_cli_export.c: `cairn export` writes every frame of a recording, with all digits.
 */
#define _DEFAULT_SOURCE

#include "support/support.h"

#include "cli/cli.h"

#include <unistd.h>

static char folder[64], path[64];

/* Lines of a table; the last one into text. -1: there is no such file. */
static int lines(const char *name, char *text, size_t size) {
    char file_path[160];
    snprintf(file_path, sizeof file_path, "%s/%s", folder, name);
    FILE *file = fopen(file_path, "r");
    if (file == NULL)
        return -1;
    int count = 0;
    while (fgets(text, (int)size, file) != NULL)
        count++;
    fclose(file);
    unlink(file_path);
    return count;
}

static int run(const char *recording) {
    char name[] = "export", to[] = "--to", csv[] = "csv", o[] = "-o", in[64], out[64];
    snprintf(in, sizeof in, "%s", recording);
    snprintf(out, sizeof out, "%s", folder);
    char *argv[] = {name, in, to, csv, o, out, NULL};
    return cmd_export(6, argv);
}

TEST(every_frame_is_written) {
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_record *record = NULL;
    cairn_shape *plane = NULL, *ball = NULL;
    cairn_body body;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK && cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    def = cairn_default_body_def();
    def.shape = ball;
    def.pose.position.z = 0.1;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    cairn_record_options options = cairn_default_record_options();
    cairn_body_label label = {body, "a \"ball\""};
    options.body_labels = 1;
    options.body_label = &label;
    CHECK(cairn_record_create(context, path, world, NULL, &options, &record) == CAIRN_OK);
    cairn_step_report report;
    for (int i = 0; i < 3; i++) {
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(run(path) == CLI_OK);
    char text[1024];
    double kinetic = 0.0, potential = 0.0, time = 0.0;
    CHECK(lines("frames.csv", text, sizeof text) == 1 + 4);
    CHECK(sscanf(text, "3,%lf,%lf,%lf", &time, &kinetic, &potential) == 3);
    CHECK(time == report.time && kinetic == report.energy.kinetic && potential == report.energy.potential);
    CHECK(lines("poses.csv", text, sizeof text) == 1 + 4 * 2);
    CHECK_CONTAINS(text, ",1,\"a \"\"ball\"\"\",0,");
    CHECK(lines("contacts.csv", text, sizeof text) == 1 + 3);
    CHECK_CONTAINS(text, ",0,\"body 1\",1,\"a \"\"ball\"\"\",stick,");
    CHECK(lines("bodies.csv", text, sizeof text) == 1 + 2);
    CHECK_CONTAINS(text, "1,\"a \"\"ball\"\"\",dynamic,1,");
    CHECK(lines("shapes.csv", text, sizeof text) == 1 + 2);
    CHECK_CONTAINS(text, "1,sphere,0.10000000000000001,");
    CHECK(lines("joints.csv", text, sizeof text) == 1);
    CHECK(lines("reactions.csv", text, sizeof text) == 1);
    rmdir(folder);
    unlink(path);
    CHECK(run("/tmp/no such recording.h5") == CLI_BAD_FILE);
    cairn_shape_release(plane);
    cairn_shape_release(ball);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/cairn_export_%ld", (long)getpid());
    snprintf(path, sizeof path, "/tmp/cairn_export_%ld.h5", (long)getpid());
    RUN(every_frame_is_written);
    return test_end();
}
