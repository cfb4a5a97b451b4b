/*
 * test_io_flexible.c: flexible parts in scene files (what is read, what is refused and how it is said), and in recordings.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/record/record_fields.h"
#include "support/support.h"

#include <hdf5.h>
#include <unistd.h>

static const char head[] =
    "{\"step\": 0.01, \"gravity\": [0, 0, -10], \"parameters\": {\"E\": 1e5},"
    " \"bodies\": [{\"name\": \"floor\", \"shape\": {\"plane\": {}}},"
    " {\"name\": \"plate\", \"kind\": \"kinematic\", \"shape\": {\"box\": {\"size\": [1, 1, 0.1]}},"
    " \"position\": [0, 0, 2], \"velocity\": [0, 0, \"=0.1*t\"]}],\n";

static cairn_scene *parse(cairn_context *context, const char *rest, const cairn_scene_override *set, int sets) {
    char text[4000];
    cairn_scene *scene = NULL;
    snprintf(text, sizeof text, "%s%s}", head, rest);
    if (cairn_scene_parse(context, text, strlen(text), "test.json", set, sets, &scene) != CAIRN_OK)
        return NULL;
    return scene;
}

static const char good[] =
    "\"flexible\": [{\"name\": \"block\", \"mesh\": {\"box\": {\"edge\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}},"
    " \"elastic\": {\"E\": \"=E\", \"nu\": 0.2, \"density\": 500, \"damping\": 0.01, \"yield\": 800}, \"position\": "
    "[0, 0, 0.1]},"
    " {\"name\": \"hung\", \"mesh\": {\"box\": {\"edge\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 2], \"element\": "
    "\"hex8\"}},"
    " \"position\": [0, 0, 1.85]},"
    " {\"name\": \"arm\", \"mesh\": {\"box\": {\"edge\": [1, 0.1, 0.1], \"cells\": [4, 1, 1]}}, \"position\": [3, 0, "
    "1],"
    " \"hold\": [{\"box\": [[-0.5, -1, -1], [-0.5, 1, 1]], \"motion\": [0, 0, [[0, 0], [0.1, 0.01]]]}]},"
    " {\"name\": \"rope\", \"mesh\": {\"line\": {\"points\": [[0, 0, 0], [0.4, 0, 0]], \"cells\": 3}}, \"position\": "
    "[6, 0, 1],"
    " \"elastic\": {\"E\": 1e7, \"radius\": 0.02}, \"hold\": [{\"box\": [[0, 0, 0], [0, 0, 0]], \"clamp\": true}]}],"
    " \"joints\": [{\"name\": \"glue\", \"kind\": \"weld\", \"a\": \"plate\", \"b\": \"hung\","
    " \"box\": [[-1, -1, 0.1], [1, 1, 0.1]]}]";

TEST(scene_is_built) {
    cairn_context *context = plain_context(1);
    const cairn_scene_override set = {"E", "2e5"};
    cairn_scene *scene = parse(context, good, &set, 1);
    CHECK(scene != NULL);
    if (scene == NULL) {
        printf("%s\n", cairn_error_message(context));
        return;
    }
    cairn_scene_info info = cairn_scene_get(scene);
    CHECK(info.bodies == 6 && info.joints == 4);
    cairn_body block, arm;
    cairn_body_state state;
    CHECK(cairn_scene_find_body(scene, "block", &block) == CAIRN_OK);
    CHECK(cairn_world_body(cairn_scene_world(scene), block, &state) == CAIRN_OK);
    CHECK_NEAR(state.mass, 4.0, 1e-12);
    cairn_step_report report;
    for (int i = 0; i < 20; i++) {
        CHECK(cairn_scene_step(scene, &report) == CAIRN_OK);
        CHECK(report.certified);
    }
    CHECK(cairn_scene_find_body(scene, "arm", &arm) == CAIRN_OK);
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(cairn_scene_world(scene), arm, &view) == CAIRN_OK);
    for (int i = 0; i < view.mesh.nodes; i++)
        if (view.mesh.node[i].x < -0.499)
            CHECK_NEAR(view.x[3 * view.mesh.vector[i] + 2] - view.mesh.node[i].z - 1.0, 0.01, 1e-12);
    CHECK(report.energy.elastic > 0.0);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

static void refused(const char *rest, const char *said) {
    cairn_context *context = plain_context(1);
    cairn_scene *scene = parse(context, rest, NULL, 0);
    CHECK(scene == NULL);
    CHECK_CONTAINS(cairn_error_message(context), "test.json:2:");
    CHECK_CONTAINS(cairn_error_message(context), said);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

#define BOX "\"mesh\": {\"box\": {\"edge\": [1, 1, 1], \"cells\": [1, 1, 1]}}"

TEST(refusals) {
    refused("\"flexible\": [{}]", "flexible[0]: \"mesh\" is missing");
    refused("\"flexible\": [{\"mesh\": {\"ball\": {}}}]", "unknown key 'ball'");
    refused("\"flexible\": [{\"mesh\": {}}]", "one of box, cylinder, sphere, line, file");
    refused("\"flexible\": [{\"mesh\": {\"box\": {\"edge\": [1, 1, 1], \"cells\": [1, 0, 1]}}}]", "cells[1]");
    refused("\"flexible\": [{" BOX ", \"elastic\": {\"E\": 0}}]", "elastic.E");
    refused("\"flexible\": [{" BOX ", \"elastic\": {\"nu\": 0.5}}]", "flexible[0]");
    refused("\"flexible\": [{" BOX ", \"elastic\": {\"law\": \"neohookean\"}}]", "did you mean \"neo_hookean\"?");
    refused("\"flexible\": [{\"mesh\": {\"file\": {\"path\": \"nowhere.msh\"}}}]", "nowhere.msh");
    refused("\"flexible\": [{" BOX ", \"hold\": [{}]}]", "which nodes?");
    refused("\"flexible\": [{" BOX ", \"hold\": [{\"box\": [[5, 5, 5], [6, 6, 6]]}]}]",
            "no node of the mesh lies there");
    refused("\"flexible\": [{" BOX ", \"hold\": [{\"set\": \"top\"}]}]", "flexible[0].hold[0].set");
    refused("\"flexible\": [{" BOX ", \"hold\": [{\"box\": [[-1, -1, -1], [1, 1, 1]], \"free\": \"q\"}]}]", "x, y, z");
    refused("\"joints\": [{\"kind\": \"weld\", \"b\": \"plate\", \"box\": [[0, 0, 0], [1, 1, 1]]}]",
            "must be a flexible part");
    refused("\"joints\": [{\"kind\": \"spherical\", \"a\": \"plate\", \"set\": \"x\"}]",
            "belongs to joints of the kind");
}

TEST(recording) {
    cairn_context *context = plain_context(1);
    char path[64];
    snprintf(path, sizeof path, "/tmp/cairn_flexible_%ld.h5", (long)getpid());
    cairn_scene *scene = parse(context, good, NULL, 0);
    CHECK(scene != NULL);
    if (scene == NULL)
        return;
    cairn_world *world = cairn_scene_world(scene);
    cairn_record *record = NULL;
    cairn_record_options options = cairn_default_record_options();
    options.stress = true;
    CHECK(cairn_record_create(context, path, world, "text", &options, &record) == CAIRN_OK);
    cairn_step_report report;
    for (int i = 0; i < 5; i++) {
        CHECK(cairn_scene_step(scene, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    cairn_recording *read = NULL;
    CHECK(cairn_recording_open(context, path, &read) == CAIRN_OK);
    cairn_recording_info info = cairn_recording_get(read);
    CHECK(info.parts == 4 && info.frames == 6 && info.bodies == 6);
    cairn_frame frame;
    CHECK(cairn_recording_frame(read, 5, &frame) == CAIRN_OK);
    CHECK(frame.elastic == report.energy.elastic && frame.node_mises != NULL);
    int nodes = 0;
    for (int i = 0; i < info.parts; i++) {
        cairn_recorded_part part;
        cairn_recorded_body recorded;
        cairn_body body;
        cairn_flexible_view view;
        double mises[100];
        CHECK(cairn_recording_part(read, i, &part) == CAIRN_OK);
        CHECK(cairn_recording_body(read, part.body, &recorded) == CAIRN_OK);
        const char *const name[] = {"block", "hung", "arm", "rope"};
        CHECK(recorded.shape == -1 && cairn_scene_find_body(scene, name[i], &body) == CAIRN_OK);
        CHECK(cairn_world_flexible(world, body, &view) == CAIRN_OK && view.mesh.nodes <= 100);
        CHECK(cairn_world_flexible_mises(world, body, mises) == CAIRN_OK);
        CHECK(part.nodes == view.mesh.nodes && part.faces == view.mesh.faces && part.first == nodes);
        CHECK(part.lines == (i == 3 ? 3 : 0));
        for (int k = 0; k < 3 * part.faces; k++)
            CHECK(part.face[k] == view.mesh.face[k]);
        CHECK(part.elements == view.mesh.elements);
        for (int e = 0; e < part.elements; e++) {
            int many = view.mesh.start[e + 1] - view.mesh.start[e];
            CHECK(part.kind[e] == (int)view.mesh.kind[e]);
            for (int k = 0; k < CAIRN_ELEMENT_NODES; k++)
                CHECK(part.element[CAIRN_ELEMENT_NODES * e + k] ==
                      (k < many ? view.mesh.corner[view.mesh.start[e] + k] : -1));
        }
        for (int k = 0; k < part.nodes; k++) {
            const double *x = frame.node_position + 3 * (part.first + k);
            const double *v = frame.node_velocity + 3 * (part.first + k);
            for (int c = 0; c < 3; c++)
                CHECK(x[c] == view.x[3 * view.mesh.vector[k] + c] && v[c] == view.v[3 * view.mesh.vector[k] + c]);
            CHECK(frame.node_mises[part.first + k] == mises[k]);
        }
        nodes += part.nodes;
    }
    CHECK(frame.nodes == nodes);
    cairn_recording_close(read);
    /* going on with it */
    options.resume = true;
    CHECK(cairn_record_create(context, path, world, "text", &options, &record) == CAIRN_OK);
    CHECK(cairn_scene_step(scene, &report) == CAIRN_OK && cairn_record_step(record, world, &report) == CAIRN_OK);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(context, path, &read) == CAIRN_OK);
    CHECK(cairn_recording_get(read).parts == 4 && cairn_recording_get(read).frames == 7);
    CHECK(cairn_recording_frame(read, 6, &frame) == CAIRN_OK && frame.nodes == nodes);
    cairn_recording_close(read);
    unlink(path);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

/* Makes a recording what an older version would have written: that number, and nothing that came later. */
static void make_older(const char *path, int version) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), attribute = H5Aopen(file, "version", H5P_DEFAULT);
    CHECK(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
    H5Aclose(attribute);
    for (int f = 0; f < CAIRN_FIELDS; f++)
        if (cairn_field_get(f)->since > version)
            CHECK(H5Ldelete(file, cairn_field_get(f)->path, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

TEST(recordings_of_older_versions) {
    for (int version = 1; version < CAIRN_RECORD_VERSION; version++) {
        cairn_context *context = plain_context(1);
        char path[64];
        snprintf(path, sizeof path, "/tmp/cairn_older_%ld.h5", (long)getpid());
        /* version 1 knows rigid bodies only */
        cairn_scene *scene = parse(context, version == 1 ? "\"title\": \"rigid\"" : good, NULL, 0);
        CHECK(scene != NULL);
        if (scene == NULL)
            return;
        cairn_world *world = cairn_scene_world(scene);
        cairn_record *record = NULL;
        cairn_record_options options = cairn_default_record_options();
        cairn_step_report report;
        CHECK(cairn_record_create(context, path, world, "text", &options, &record) == CAIRN_OK);
        for (int i = 0; i < 3; i++)
            CHECK(cairn_scene_step(scene, &report) == CAIRN_OK &&
                  cairn_record_step(record, world, &report) == CAIRN_OK);
        CHECK(cairn_record_close(record) == CAIRN_OK);
        make_older(path, version);
        cairn_recording *read = NULL;
        cairn_frame frame;
        CHECK(cairn_recording_open(context, path, &read) == CAIRN_OK);
        CHECK(cairn_recording_get(read).frames == 4);
        CHECK(cairn_recording_get(read).parts == (version == 1 ? 0 : 4));
        CHECK(cairn_recording_frame(read, 3, &frame) == CAIRN_OK && frame.time == report.time);
        CHECK((frame.nodes > 0) == (version > 1) && (version >= 4 || frame.joint_work == 0.0));
        CHECK(version >= 5 || frame.partial_factorizations == 0);
        CHECK(isnan(frame.error) == (version < 6) && isnan(frame.error_rms) == (version < 6));
        CHECK(isnan(frame.depth) == (version < 7) && isnan(frame.depth_tolerance) == (version < 7));
        CHECK(frame.apart && frame.fallbacks == 0);
        CHECK(frame.node_reaction == NULL && frame.inverted == 0); /* of version 8 */
        cairn_recorded_part part;
        if (version > 1)
            CHECK(cairn_recording_part(read, 0, &part) == CAIRN_OK && part.faces > 0 &&
                  (part.elements == 0) == (version == 2));
        cairn_recording_close(read);
        options.resume = true;
        CHECK(cairn_record_create(context, path, world, "text", &options, &record) == CAIRN_ERROR_UNSUPPORTED);
        CHECK_CONTAINS(cairn_error_message(context), "can be read, but not gone on with");
        make_older(path, 9);
        CHECK(cairn_recording_open(context, path, &read) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(context), "version 9, expected 1 to 8");
        unlink(path);
        cairn_scene_destroy(scene);
        cairn_context_destroy(context);
    }
}

int main(void) {
    RUN(scene_is_built);
    RUN(refusals);
    RUN(recording);
    RUN(recordings_of_older_versions);
    return test_end();
}
