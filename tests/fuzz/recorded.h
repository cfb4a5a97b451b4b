/*
 * recorded.h: a small recording for the fuzzers of its reader: a plane, a compound of two boxes and a ball on a hinge, three steps.
 */
#ifndef CAIRN_FUZZ_RECORDED_H
#define CAIRN_FUZZ_RECORDED_H

#include <cairn/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RECORDED_ROOM = 1 << 18 };

static inline size_t recorded_slurp(const char *name, unsigned char *to) {
    FILE *in = fopen(name, "rb");
    size_t size = in != NULL ? fread(to, 1, RECORDED_ROOM, in) : 0;
    if (size == 0 || size == RECORDED_ROOM)
        abort();
    fclose(in);
    return size;
}

static inline void recorded_spill(const char *name, const void *bytes, size_t size) {
    FILE *out = fopen(name, "wb");
    if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
        abort();
}

/* A name for a file of this process, in memory where the system has such a folder. */
static inline void recorded_name(char *path, size_t size) {
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    snprintf(path, size, "%s/fuzz-recording-%ld.h5", folder, (long)getpid());
}

static inline bool recorded_add(cairn_world *world, cairn_shape *shape, cairn_body_kind kind, double x, double z,
                                cairn_body *body) {
    cairn_body_def def = cairn_default_body_def();
    def.kind = kind;
    def.shape = shape;
    def.pose = cairn_pose_at(x, 0, z);
    return cairn_world_add_body(world, &def, body) == CAIRN_OK;
}

/* Everything that a recording holds. */
static inline void recorded_look(cairn_recording *r) {
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

/* Records to path. before_close is called while the recording is open, when it is not NULL. */
static inline void recorded_make(const char *path, void (*before_close)(void)) {
    cairn_context *context = NULL;
    cairn_world *world = NULL;
    cairn_record *run = NULL;
    cairn_shape *box = NULL, *plane = NULL, *ball = NULL, *pair = NULL;
    cairn_body body[3];
    cairn_joint hinge;
    cairn_joint_def joint = cairn_default_joint_def();
    cairn_record_options options = cairn_default_record_options();
    cairn_step_report report;
    cairn_pose pose[2] = {cairn_pose_at(0, 0, 0.1), cairn_pose_at(0, 0, -0.1)};
    bool good = cairn_context_create(NULL, &context) == CAIRN_OK &&
                cairn_world_create(context, NULL, &world) == CAIRN_OK &&
                cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK &&
                cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK && cairn_shape_plane(context, &plane) == CAIRN_OK &&
                cairn_shape_compound(context, 2, (cairn_shape *[]){box, box}, pose, &pair) == CAIRN_OK &&
                recorded_add(world, plane, CAIRN_BODY_FIXED, 0, 0, &body[0]) &&
                recorded_add(world, pair, CAIRN_BODY_DYNAMIC, 0, 0.2, &body[1]) &&
                recorded_add(world, ball, CAIRN_BODY_DYNAMIC, 0.5, 0.1, &body[2]);
    joint.kind = CAIRN_JOINT_REVOLUTE;
    joint.a = body[1];
    joint.b = body[2];
    good = good && cairn_world_add_joint(world, &joint, &hinge) == CAIRN_OK &&
           cairn_record_create(context, path, world, "{}", &options, &run) == CAIRN_OK;
    for (int i = 0; i < 3 && good; i++)
        good = cairn_world_step(world, &report) == CAIRN_OK && cairn_record_step(run, world, &report) == CAIRN_OK;
    if (!good)
        abort();
    if (before_close != NULL)
        before_close();
    cairn_record_close(run);
    cairn_shape_release(box);
    cairn_shape_release(ball);
    cairn_shape_release(plane);
    cairn_shape_release(pair);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

#endif
