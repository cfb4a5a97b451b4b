/*
 * test_io_residual.c: the residuals of contacts that a recording holds are what the certificate measures: in a world of one island the largest
 * one is the certificate's error. And contacts that part are open, whatever traces of impulse a solver leaves.
 */
#define _DEFAULT_SOURCE

#include "support/support.h"

#include <math.h>
#include <unistd.h>

/* Three boxes on each other, sliding, turning and falling; frames hold residuals of a loose solve. */
static int compare(cairn_law law, const char *method, double tolerance, double adhesion) {
    char path[64];
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_shape *plane = NULL, *box = NULL;
    cairn_body body;
    snprintf(path, sizeof path, "/tmp/cairn_residual_%ld.h5", (long)getpid());
    cairn_world_def setup = cairn_default_world_def();
    setup.law = law;
    setup.solver = cairn_default_settings(method);
    setup.solver.tolerance = tolerance;
    setup.tolerance_velocity = 1.0;
    CHECK(cairn_world_create(context, &setup, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK &&
          cairn_shape_box(context, cairn_vec3_of(0.1, 0.15, 0.05), &box) == CAIRN_OK);
    cairn_material_def glue = cairn_default_material_def();
    glue.adhesion = adhesion;
    cairn_material material;
    CHECK(cairn_world_add_material(world, &glue, &material) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    def.material = material;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    for (int i = 0; i < 3; i++) {
        def = cairn_default_body_def();
        def.shape = box;
        def.material = material;
        def.density = 1000.0 * (i + 1);
        def.pose.position = cairn_vec3_of(0.02 * i, 0.0, 0.05 + 0.1 * i);
        def.velocity = cairn_vec3_of(1.0 + 0.5 * i, 0.2 * i, 0.0);
        def.angular_velocity = cairn_vec3_of(0.0, 0.0, 0.5 * i);
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    }
    CHECK(cairn_record_create(context, path, world, NULL, NULL, &record) == CAIRN_OK);
    for (int i = 0; i < 20; i++) {
        cairn_step_report report;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_record_step(record, world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(context, path, &recording) == CAIRN_OK);
    int told = 0;
    for (int k = 1; k <= 20; k++) {
        cairn_frame f;
        double worst = 0.0;
        CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK);
        for (int i = 0; i < f.contacts; i++)
            worst = fmax(worst, f.contact_residual[i]);
        CHECK(worst <= f.error * (1.0 + 1e-9) + 1e-15); /* that of a step is the worst of all its solves */
        told += worst > 1e-9;
    }
    cairn_recording_close(recording);
    cairn_shape_release(plane);
    cairn_shape_release(box);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
    unlink(path);
    return told;
}

TEST(coulomb) {
    CHECK(compare(CAIRN_LAW_COULOMB, "pgs", 1e-3, 0.0) > 5);
}

TEST(associated) {
    CHECK(compare(CAIRN_LAW_ASSOCIATED, "pgs", 1e-3, 0.0) > 5);
}

TEST(glue) {
    CHECK(compare(CAIRN_LAW_COULOMB, "padmm", 1e-3, 5.0) > 5);
}

/* A box tips over an edge: the contacts of the edge carry it, those of the edge that rises part. An interior point method leaves impulses there. */
TEST(traces_of_impulse_are_open) {
    char path[64];
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_shape *plane = NULL, *box = NULL;
    cairn_body body;
    snprintf(path, sizeof path, "/tmp/cairn_traces_%ld.h5", (long)getpid());
    cairn_world_def setup = cairn_default_world_def();
    setup.solver = cairn_default_settings("ipm");
    setup.gravity = cairn_vec3_of(15.0, 0.0, -9.81); /* more than the box can stand */
    CHECK(cairn_world_create(context, &setup, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK &&
          cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK);
    cairn_material_def rough = cairn_default_material_def();
    cairn_material material;
    rough.friction = 3.0;
    CHECK(cairn_world_add_material(world, &rough, &material) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    def.material = material;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    def.kind = CAIRN_BODY_DYNAMIC;
    def.shape = box;
    def.pose.position.z = 0.1;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    CHECK(cairn_record_create(context, path, world, NULL, NULL, &record) == CAIRN_OK);
    cairn_step_report report;
    CHECK(cairn_world_step(world, &report) == CAIRN_OK && report.certified);
    CHECK(cairn_record_step(record, world, &report) == CAIRN_OK && cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(context, path, &recording) == CAIRN_OK);
    cairn_frame f;
    int carrying = 0, traces = 0;
    CHECK(cairn_recording_frame(recording, 1, &f) == CAIRN_OK && f.contacts == 4);
    for (int i = 0; i < f.contacts; i++) {
        bool rising = f.contact_point[3 * i] < 0.0;
        CHECK((f.contact_status[i] == CAIRN_CONTACT_OPEN) == rising);
        carrying += !rising;
        traces += rising && f.contact_impulse[3 * i + 2] > 0.0;
    }
    CHECK(carrying == 2 && traces == 0);
    cairn_recording_close(recording);
    cairn_shape_release(plane);
    cairn_shape_release(box);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
    unlink(path);
}

/* A box that slides on a plane. */
static cairn_world *make_slider(cairn_context *context) {
    cairn_world *world = NULL;
    cairn_shape *plane = NULL, *box = NULL;
    cairn_body body;
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK &&
          cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = plane;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    def.kind = CAIRN_BODY_DYNAMIC;
    def.shape = box;
    def.pose.position.z = 0.1;
    def.velocity.x = 3.0;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    cairn_shape_release(plane);
    cairn_shape_release(box);
    return world;
}

/* A world that was just read has contacts, but no step behind it: its first frame has residuals all the same, of nothing. */
TEST(a_world_that_was_read) {
    char path[64];
    cairn_context *context = plain_context(1);
    cairn_world *first = make_slider(context), *second = make_slider(context);
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_frame f;
    size_t size = 0;
    snprintf(path, sizeof path, "/tmp/cairn_read_%ld.h5", (long)getpid());
    for (int i = 0; i < 3; i++)
        CHECK(cairn_world_step(first, NULL) == CAIRN_OK);
    CHECK(cairn_world_save(first, NULL, 0, &size) == CAIRN_OK && size > 0);
    void *bytes = malloc(size);
    CHECK(cairn_world_save(first, bytes, size, &size) == CAIRN_OK);
    CHECK(cairn_world_load_state(second, bytes, size) == CAIRN_OK);
    CHECK(cairn_record_create(context, path, second, NULL, NULL, &record) == CAIRN_OK);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(context, path, &recording) == CAIRN_OK);
    CHECK(cairn_recording_frame(recording, 0, &f) == CAIRN_OK && f.contacts == 4);
    for (int i = 0; i < f.contacts; i++)
        CHECK(f.contact_residual[i] >= 0.0 && f.contact_residual[i] < 1e-9);
    cairn_recording_close(recording);
    cairn_world_destroy(first);
    cairn_world_destroy(second);
    cairn_context_destroy(context);
    free(bytes);
    unlink(path);
}

int main(void) {
    RUN(coulomb);
    RUN(associated);
    RUN(glue);
    RUN(traces_of_impulse_are_open);
    RUN(a_world_that_was_read);
    return test_end();
}
