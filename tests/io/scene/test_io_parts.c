/*
 * test_io_parts.c: what scenes say of flexible parts beyond their meshes: holds on one node, loads, gravity of their own, notes on meshes and materials; reactions in recordings.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/support.h"

#include <math.h>
#include <unistd.h>

static char notes[4000];

static void hear(void *user, cairn_log_level level, const char *text) {
    (void)user;
    (void)level;
    size_t used = strlen(notes);
    snprintf(notes + used, sizeof notes - used, "%s\n", text);
}

static cairn_context *listening(void) {
    cairn_context_def o = cairn_default_context_def();
    cairn_context *context = NULL;
    o.log = hear;
    notes[0] = '\0';
    CHECK(cairn_context_create(&o, &context) == CAIRN_OK);
    return context;
}

static cairn_scene *parse(cairn_context *context, const char *part) {
    char text[8000];
    cairn_scene *scene = NULL;
    snprintf(text, sizeof text,
             "{\"step\": 0.01, \"gravity\": [0, 0, -10], \"parameters\": {\"p\": 2000},\n\"flexible\": [{\"name\": "
             "\"part\", %s}]}",
             part);
    if (cairn_scene_parse(context, text, strlen(text), "test.json", NULL, 0, &scene) != CAIRN_OK)
        return NULL;
    return scene;
}

#define CUBE \
    "\"mesh\": {\"box\": {\"edge\": [1, 1, 1], \"cells\": [2, 2, 2]}}, \"elastic\": {\"E\": 1e6, \"damping\": 0.02}"
#define LOW "\"hold\": [{\"box\": [[-1, -1, -0.5], [1, 1, -0.5]]}]"

/* What holds the part takes after some steps. */
static cairn_vec3 taken(const char *part, int steps, cairn_body_state *state) {
    cairn_context *context = listening();
    cairn_scene *scene = parse(context, part);
    cairn_body body;
    cairn_vec3 sum = {0, 0, 0};
    CHECK(scene != NULL);
    if (scene == NULL) {
        printf("%s\n", cairn_error_message(context));
        return sum;
    }
    cairn_step_report r;
    for (int i = 0; i < steps; i++)
        CHECK(cairn_scene_step(scene, &r) == CAIRN_OK && r.certified);
    CHECK(cairn_scene_find_body(scene, "part", &body) == CAIRN_OK);
    cairn_flexible_view v;
    CHECK(cairn_world_flexible(cairn_scene_world(scene), body, &v) == CAIRN_OK);
    CHECK(cairn_world_body(cairn_scene_world(scene), body, state) == CAIRN_OK);
    for (int i = 0; i < v.mesh.nodes && v.reaction != NULL; i++) {
        const double *f = v.reaction + (ptrdiff_t)3 * v.mesh.vector[i];
        sum = cairn_vec3_add(sum, cairn_vec3_of(f[0], f[1], f[2]));
    }
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
    return sum;
}

/* 1000 kg, weight 10000 N. */
TEST(loads) {
    static const struct {
        const char *part;
        cairn_vec3 sum;
    } sample[] = {
        {CUBE ", " LOW, {0, 0, 10000}},
        {CUBE ", " LOW ", \"gravity\": [0, 0, 0]", {0, 0, 0}},
        {CUBE ", " LOW ", \"gravity\": [3, \"=2\", 0]", {-3000, -2000, 0}},
        {CUBE ", " LOW ", \"force\": [0, \"=-100*min(t, 2)\", 500]", {0, 200, 9500}},
        {CUBE ", " LOW ", \"load\": [{\"box\": [[-1, -1, 0.5], [1, 1, 0.5]], \"pressure\": \"=p\"}]", {0, 0, 12000}},
        {CUBE ", " LOW ", \"load\": [{\"box\": [[-1, -1, 0.5], [1, 1, 0.5]], \"force\": [70, 0, 0]},"
              " {\"box\": [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]], \"force\": [1, 2, 3]}]",
         {-71, -2, 9997}},
        {CUBE ", " LOW ", \"load\": [{\"pressure\": 1000}]", {0, 0, 10000}},
    };
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        cairn_body_state state;
        cairn_vec3 sum = taken(sample[i].part, 400, &state);
        CHECK_NEAR(sum.x, sample[i].sum.x, 1.0);
        CHECK_NEAR(sum.y, sample[i].sum.y, 1.0);
        CHECK_NEAR(sum.z, sample[i].sum.z,
                   1.0 + 0.01 * fabs(sample[i].sum.z) * (i == 4)); /* the face shrinks a little */
    }
    cairn_body_state free; /* falls as its own gravity says */
    (void)taken(CUBE ", \"gravity\": [1, 0, 2]", 100, &free);
    CHECK_NEAR(free.velocity.x, 1.0, 1e-9);
    CHECK_NEAR(free.velocity.z, 2.0, 1e-9);
}

/* A bar drawn by a force on its end strains evenly, whatever it is made of. */
TEST(force_on_a_face) {
    static const char *const element[] = {"tet4", "hex8", "tet10"};
    for (int e = 0; e < 3; e++) {
        char part[1000];
        snprintf(part, sizeof part,
                 "\"mesh\": {\"box\": {\"edge\": [2, 1, 1], \"cells\": [2, 2, 2], \"element\": \"%s\"}}, \"elastic\": "
                 "{\"E\": 1e6, \"nu\": 0.3, \"law\": \"linear\", \"damping\": 0.05}, \"gravity\": [0, 0, 0], \"hold\": "
                 "[{\"box\": [[-1, -1, -1], [-1, 1, 1]], \"free\": \"yz\"}, {\"box\": [[-1, -0.5, -1], [1, -0.5, 1]], "
                 "\"free\": \"xz\"}, {\"box\": [[-1, -1, -0.5], [1, 1, -0.5]], \"free\": \"xy\"}], \"load\": "
                 "[{\"box\": [[1, -1, -1], [1, 1, 1]], \"force\": [1000, 0, 0]}]",
                 element[e]);
        cairn_context *context = listening();
        cairn_scene *scene = parse(context, part);
        cairn_body body;
        cairn_flexible_view v;
        CHECK(scene != NULL);
        for (int i = 0; i < 400; i++)
            CHECK(cairn_scene_step(scene, NULL) == CAIRN_OK);
        CHECK(cairn_scene_find_body(scene, "part", &body) == CAIRN_OK);
        CHECK(cairn_world_flexible(cairn_scene_world(scene), body, &v) == CAIRN_OK);
        for (int i = 0; i < v.mesh.nodes; i++) {
            const double *x = v.x + (ptrdiff_t)3 * v.mesh.vector[i];
            CHECK_NEAR(x[0] - v.mesh.node[i].x, 1e-3 * (v.mesh.node[i].x + 1.0), 1e-8);
            CHECK_NEAR(x[1] - v.mesh.node[i].y, -3e-4 * (v.mesh.node[i].y + 0.5), 1e-8);
        }
        cairn_scene_destroy(scene);
        cairn_context_destroy(context);
    }
}

static void refused(const char *part, const char *said) {
    cairn_context *context = listening();
    cairn_scene *scene = parse(context, part);
    CHECK(scene == NULL);
    CHECK_CONTAINS(cairn_error_message(context), "test.json:2:");
    CHECK_CONTAINS(cairn_error_message(context), said);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

TEST(refusals) {
    refused(CUBE ", \"load\": [{}]", "flexible[0].load[0]: expected \"force\"");
    refused(CUBE ", \"load\": [{\"force\": [1, 2, 3], \"pressure\": 3}]", "one of the two");
    refused(CUBE ", \"load\": [{\"force\": [1, 2, 3]}]", "flexible[0].load[0]: which nodes?");
    refused(CUBE ", \"load\": [{\"force\": [1, 2], \"set\": \"a\"}]", "flexible[0].load[0].force");
    refused(CUBE ", \"load\": [{\"pressure\": 1, \"box\": [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]}]",
            "flexible[0].load[0]: no face of the mesh has all of its nodes there");
    refused(CUBE ", \"load\": [{\"pressure\": \"=q\"}]", "flexible[0].load[0].pressure");
    refused(CUBE ", \"load\": [{\"presure\": 1}]", "did you mean 'pressure'?");
    refused(CUBE ", \"gravity\": 3", "flexible[0].gravity");
    refused(CUBE ", \"hold\": [{\"box\": [[-1, -1, -0.5], [1, 1, -0.5]]}, {\"box\": [[-1, -1, -0.5], [0, 1, -0.5]], "
                 "\"motion\": [0, 0, \"=t\"]}]",
            "holds 0 and 1 contradict each other: both hold node 0 along z");
    cairn_context *context = listening();
    cairn_scene *scene = parse(context, CUBE ", \"force\": [0, \"=1/(0.05 - t)^0.5\", 0]");
    cairn_status status = CAIRN_OK;
    CHECK(scene != NULL);
    for (int i = 0; i < 10 && status == CAIRN_OK; i++)
        status = cairn_scene_step(scene, NULL);
    CHECK(status == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "flexible[0].force[1]: '1/(0.05 - t)^0.5' is not finite at t =");
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

/* A hundred rollers: more than 64 entries. */
TEST(many_holds) {
    static char part[8000];
    size_t used = (size_t)snprintf(part, sizeof part, CUBE ", \"hold\": [");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(part + used, sizeof part - used,
                                 "%s{\"box\": [[-1,-1,-0.5],[1,1,-0.5]],\"free\": \"%s\"}", i > 0 ? "," : "",
                                 i % 2 ? "xy" : "yz");
    snprintf(part + used, sizeof part - used, "]");
    cairn_body_state state;
    cairn_vec3 sum = taken(part, 200, &state);
    CHECK_NEAR(sum.z, 10000.0, 1.0);
}

static void noted(const char *part, const char *said, bool wanted) {
    cairn_context *context = listening();
    cairn_scene *scene = parse(context, part);
    CHECK(scene != NULL);
    CHECK((strstr(notes, said) != NULL) == wanted);
    if ((strstr(notes, said) != NULL) != wanted)
        printf("%s\n%s\n%s\n", part, notes, scene == NULL ? cairn_error_message(context) : "");
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

/* Two tetrahedra in a file: apart, touching without being joined, joined. */
static void write_pair(const char *path, double apart, bool joined) {
    FILE *out = fopen(path, "w");
    static const char head[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n";
    if (joined)
        fprintf(out,
                "%s5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 "
                "1 2 5 3 4\n$EndElements\n",
                head);
    else
        fprintf(out,
                "%s8\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 %g 0 0\n6 %g 1 1\n7 %g 1 0\n8 %g 0 "
                "1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 1 1 5 6 7 8\n$EndElements\n",
                head, 1 + apart, 1 + apart, apart, apart);
    fclose(out);
}

TEST(notes_on_meshes) {
    char path[64], part[200];
    snprintf(path, sizeof path, "/tmp/cairn_mass_components_%ld.msh", (long)getpid());
    snprintf(part, sizeof part, "\"mesh\": {\"file\": {\"path\": \"%s\"}}", path);
    write_pair(path, 0.5, false);
    noted(part, "the mesh has 2 pieces that share no node: they move apart", true);
    write_pair(path, 0.0, false);
    noted(part, "the mesh has 2 pieces that share no node, and 3 nodes at the place of another", true);
    write_pair(path, 0.0, true);
    noted(part, "pieces", false);
    noted(part, "place of another", false);
    unlink(path);
    noted(CUBE, "pieces", false);
}

TEST(notes_on_locking) {
#define MADE(element, nu) \
    "\"mesh\": {\"box\": {\"edge\": [1, 1, 1], \"cells\": [2, 2, 2], \"element\": \"" element \
    "\"}}, \"elastic\": {\"nu\": " nu "}"
    noted(MADE("tet4", "0.49"), "nu is 0.49: linear tetrahedra are too stiff", true);
    noted(MADE("tet4", "0.45"), "too stiff", false);
    noted(MADE("hex8", "0.4999"), "too stiff", false); /* they have pressures of their own */
    noted(MADE("tet10", "0.4999"), "too stiff", false);
}

/* Reactions in a recording: those of the world, bit by bit, and the same after a restart. */
TEST(recording) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/cairn_reactions_%ld.h5", (long)getpid());
    cairn_context *context = listening();
    cairn_scene *scene = parse(context, CUBE ", " LOW ", \"force\": [10, 0, 0]"),
                *again = parse(context, CUBE ", " LOW ", \"force\": [10, 0, 0]");
    CHECK(scene != NULL && again != NULL);
    cairn_world *world = cairn_scene_world(scene);
    cairn_record *record = NULL;
    cairn_recording *read = NULL;
    cairn_step_report r;
    cairn_frame frame;
    cairn_body body;
    cairn_flexible_view v, w;
    CHECK(cairn_record_create(context, path, world, "", NULL, &record) == CAIRN_OK);
    for (int i = 0; i < 5; i++)
        CHECK(cairn_scene_step(scene, &r) == CAIRN_OK && cairn_record_step(record, world, &r) == CAIRN_OK);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(context, path, &read) == CAIRN_OK && cairn_recording_frame(read, 5, &frame) == CAIRN_OK);
    CHECK(cairn_scene_find_body(scene, "part", &body) == CAIRN_OK && cairn_world_flexible(world, body, &v) == CAIRN_OK);
    CHECK(frame.node_reaction != NULL && frame.inverted == 0);
    for (int i = 0; i < 3 * v.mesh.nodes && frame.node_reaction != NULL; i++)
        CHECK(frame.node_reaction[i] == v.reaction[3 * v.mesh.vector[i / 3] + i % 3]);
    CHECK(fabs(frame.node_reaction[2]) > 1.0);
    size_t size = 0;
    CHECK(cairn_world_save(world, NULL, 0, &size) == CAIRN_OK);
    unsigned char *bytes = malloc(size);
    CHECK(cairn_world_save(world, bytes, size, &size) == CAIRN_OK);
    CHECK(cairn_world_load_state(cairn_scene_world(again), bytes, size) == CAIRN_OK);
    CHECK(cairn_world_flexible(cairn_scene_world(again), body, &w) == CAIRN_OK);
    CHECK(memcmp(v.reaction, w.reaction, 3 * (size_t)v.mesh.vectors * sizeof(double)) == 0);
    free(bytes);
    cairn_recording_close(read);
    unlink(path);
    cairn_scene_destroy(scene);
    cairn_scene_destroy(again);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(loads);
    RUN(force_on_a_face);
    RUN(refusals);
    RUN(many_holds);
    RUN(notes_on_meshes);
    RUN(notes_on_locking);
    RUN(recording);
    return test_end();
}
