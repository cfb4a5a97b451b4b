/*
 * test_io_record.c: recordings hold what the world said, survive kill -9, and go on after a checkpoint.
 */
#define _DEFAULT_SOURCE

#include "support/record_files.h"
#include "support/support.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct scene {
    cairn_context *context;
    cairn_world *world;
    cairn_body box[4];
} scene;

static cairn_body add(scene *s, cairn_body_kind kind, cairn_shape *shape, cairn_vec3 at) {
    cairn_body_def def = cairn_default_body_def();
    cairn_body body = {0, 0};
    def.kind = kind;
    def.shape = shape;
    def.pose.position = at;
    def.angular_velocity = cairn_vec3_of(0.1, 0.2, kind == CAIRN_BODY_FIXED ? 0.0 : 0.3);
    CHECK(cairn_world_add_body(s->world, &def, &body) == CAIRN_OK);
    cairn_shape_release(shape);
    return body;
}

static cairn_shape *new_box(cairn_context *context) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.2, 0.15), &shape) == CAIRN_OK);
    return shape;
}

static scene make(void) {
    scene s = {.context = plain_context(1)};
    CHECK(cairn_world_create(s.context, NULL, &s.world) == CAIRN_OK);
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_plane(s.context, &shape) == CAIRN_OK);
    add(&s, CAIRN_BODY_FIXED, shape, cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < 4; i++)
        s.box[i] = add(&s, CAIRN_BODY_DYNAMIC, new_box(s.context), cairn_vec3_of(0.02 * i, 0, 0.2 + 0.35 * i));
    cairn_joint_def joint = cairn_default_joint_def();
    cairn_joint made;
    joint.kind = CAIRN_JOINT_DISTANCE;
    joint.a = s.box[3];
    joint.frame.position = cairn_vec3_of(0, 0, 1.3);
    joint.has_frame_b = true;
    joint.frame_b.position = cairn_vec3_of(0, 1, 1.3);
    CHECK(cairn_world_add_joint(s.world, &joint, &made) == CAIRN_OK);
    return s;
}

static void end(scene *s) {
    cairn_world_destroy(s->world);
    cairn_context_destroy(s->context);
}

static cairn_step_report step(scene *s) {
    cairn_step_report report;
    CHECK(cairn_world_step(s->world, &report) == CAIRN_OK);
    return report;
}

static bool same_vec(const double *a, cairn_vec3 b) {
    return a[0] == b.x && a[1] == b.y && a[2] == b.z;
}

/* A frame holds exactly what the world says now. row: that of the first box. */
static void check_frame(const scene *s, const cairn_frame *f, const cairn_step_report *report, int row) {
    CHECK(f->step == report->step && f->time == report->time);
    CHECK(f->kinetic == report->energy.kinetic && f->potential == report->energy.potential);
    const cairn_certificate *said = &report->info.certificate;
    CHECK(f->error == said->error && f->error_angular == said->error_angular && f->error_rms == said->rms);
    CHECK(isnan(f->natural_map) && f->certified == report->certified);
    CHECK(f->depth == report->depth && f->depth_tolerance == report->depth_tolerance && f->apart == report->apart);
    CHECK(f->fallbacks == report->fallbacks);
    CHECK(f->iterations == report->info.iterations && f->factorizations == report->info.factorizations);
    CHECK(f->seconds_total == report->seconds_total && strcmp(f->note, report->info.note) == 0);
    CHECK(f->contacts == cairn_world_contact_count(s->world));
    for (int i = 0; i < 4; i++) {
        cairn_body_state state;
        if (cairn_world_body(s->world, s->box[i], &state) != CAIRN_OK)
            continue;
        CHECK(same_vec(f->position + 3 * (row + i), state.pose.position));
        CHECK(same_vec(f->velocity + 3 * (row + i), state.velocity));
        CHECK(same_vec(f->angular_velocity + 3 * (row + i), state.angular_velocity));
        CHECK(f->rotation[4 * (row + i)] == state.pose.rotation.w);
    }
    for (int i = 0; i < f->contacts; i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(s->world, i, &c) == CAIRN_OK);
        CHECK(same_vec(f->contact_point + 3 * i, c.point) && same_vec(f->contact_normal + 3 * i, c.normal));
        CHECK(same_vec(f->contact_impulse + 3 * i, c.impulse) && f->contact_gap[i] == c.gap);
        CHECK(f->contact_body[2 * i] == (int)c.a.slot - 1 && f->contact_body[2 * i + 1] == (int)c.b.slot - 1);
    }
    cairn_joint_state joint;
    CHECK(cairn_world_joint(s->world, (cairn_joint){1, 1}, &joint) == CAIRN_OK);
    CHECK(same_vec(f->joint_force, joint.force) && same_vec(f->joint_torque, joint.torque));
    CHECK(f->joint_gap[0] == joint.gap);
}

#define STEPS 60

/* Whether a dataset holds the time at which it was made. */
static bool has_time(const char *path, const char *name) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
#if H5_VERSION_GE(1, 12, 0)
    H5O_info2_t info;
    CHECK(H5Oget_info3(set, &info, H5O_INFO_TIME) >= 0);
#else
    H5O_info_t info;
    CHECK(H5Oget_info2(set, &info, H5O_INFO_TIME) >= 0);
#endif
    H5Dclose(set);
    H5Fclose(file);
    return info.ctime != 0;
}

TEST(frames_hold_what_the_world_said) {
    const char *path = file_name("frames.h5");
    scene a = make(), b = make();
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_step_report reports[STEPS];
    cairn_record_options options = cairn_default_record_options();
    cairn_body_label label = {a.box[1], "second box"};
    options.body_labels = 1;
    options.body_label = &label;
    CHECK(cairn_record_create(a.context, path, a.world, "{ \"title\": \"boxes\" }", &options, &record) == CAIRN_OK);
    for (int i = 0; i < STEPS; i++) {
        reports[i] = step(&a);
        CHECK(cairn_record_step(record, a.world, &reports[i]) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(!has_time(path, "/scene") && !has_time(path, "/frames/time"));
    CHECK(cairn_recording_open(a.context, path, &recording) == CAIRN_OK);
    cairn_recording_info info = cairn_recording_get(recording);
    CHECK(info.frames == STEPS + 1 && info.bodies == 5 && info.joints == 1 && info.shapes == 2 && !info.live);
    CHECK(strcmp(info.scene, "{ \"title\": \"boxes\" }") == 0 && strcmp(info.method, "auto") == 0);
    CHECK(info.step == 0.01 && strcmp(info.version, cairn_version()) == 0 && info.instructions[0] != '\0');
    cairn_recorded_body body;
    cairn_recorded_shape shape;
    cairn_recorded_joint joint;
    CHECK(cairn_recording_body(recording, 2, &body) == CAIRN_OK);
    CHECK(strcmp(body.name, "second box") == 0 && body.shape == 1 && fabs(body.mass - 24.0) < 1e-12);
    CHECK(cairn_recording_body(recording, 3, &body) == CAIRN_OK && strcmp(body.name, "body 4") == 0);
    CHECK(cairn_recording_body(recording, 5, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_recording_shape(recording, 1, &shape) == CAIRN_OK);
    CHECK(shape.kind == CAIRN_SHAPE_BOX && shape.size[1] == 0.2);
    CHECK(cairn_recording_joint(recording, 0, &joint) == CAIRN_OK);
    CHECK(joint.kind == CAIRN_JOINT_DISTANCE && joint.a == 4 && joint.b == -1 && joint.frame_b[1] == 1.0);
    cairn_frame frame;
    int touched = 0;
    for (int i = 0; i < STEPS; i++) {
        cairn_step_report report = step(&b);
        report.seconds_total = reports[i].seconds_total;
        CHECK(cairn_recording_frame(recording, i + 1, &frame) == CAIRN_OK);
        check_frame(&b, &frame, &report, 1);
        touched += frame.contacts;
    }
    CHECK(touched > 50);
    CHECK(cairn_recording_frame(recording, STEPS + 1, &frame) == CAIRN_ERROR_ARGUMENT);
    cairn_recording_close(recording);
    remove_files(path);
    end(&a);
    end(&b);
}

/* A frame of several steps says the depth that is the largest part of its tolerance, whether bodies were apart in all of them, and the most fall-backs. */
TEST(frames_hold_the_worst_depth) {
    static const struct {
        double depth, tolerance;
        bool apart;
        int fallbacks;
    } said[] = {{2e-3, 1e-2, true, 0},  {1e-3, 1e-3, true, 0}, {0, 0, true, 0},        {5e-3, 1e-2, true, 0},
                {0, 0, true, 0},        {0, 0, true, 0},       {4e-3, 1e-3, false, 2}, {9e-3, 1e-2, true, 3},
                {3e-3, 1e-2, false, 1}, {0, 0, true, 0},       {0, 0, true, 0},        {0, 0, true, 0}};
    const char *path = file_name("depth.h5");
    scene s = make();
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_record_options options = cairn_default_record_options();
    options.every = 5;
    CHECK(cairn_record_create(s.context, path, s.world, NULL, &options, &record) == CAIRN_OK);
    for (int i = 0; i < 12; i++) {
        cairn_step_report report = step(&s);
        report.depth = said[i].depth;
        report.depth_tolerance = said[i].tolerance;
        report.apart = said[i].apart;
        report.fallbacks = said[i].fallbacks;
        CHECK(cairn_record_step(record, s.world, &report) == CAIRN_OK);
        if (i == 11)
            CHECK(cairn_record_frame(record, s.world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(s.context, path, &recording) == CAIRN_OK);
    static const double depth[] = {0, 1e-3, 4e-3, 0}, tolerance[] = {0, 1e-3, 1e-3, 0};
    static const int fallbacks[] = {0, 0, 3, 0};
    CHECK(cairn_recording_get(recording).frames == 4);
    for (int k = 0; k < 4; k++) {
        cairn_frame f;
        CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK);
        CHECK(f.depth == depth[k] && f.depth_tolerance == tolerance[k]);
        CHECK(f.apart == (k != 2) && f.fallbacks == fallbacks[k]);
    }
    cairn_recording_close(recording);
    remove_files(path);
    end(&s);
}

/* Bodies that come and go, several steps to a frame, and shapes with points. */
TEST(bodies_come_and_go) {
    const char *path = file_name("change.h5");
    scene s = make();
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_record_options options = cairn_default_record_options();
    options.every = 5;
    CHECK(cairn_record_create(s.context, path, s.world, NULL, &options, &record) == CAIRN_OK);
    double work = 0.0;
    for (int i = 1; i <= 50; i++) {
        if (i == 22) {
            const cairn_vec3 point[] = {{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}, {0.05, 0.05, 0.05}};
            cairn_shape *hull = NULL, *compound = NULL;
            CHECK(cairn_shape_hull(s.context, 5, point, &hull) == CAIRN_OK);
            cairn_pose pose[2] = {cairn_pose_at(0.3, 0, 0), cairn_pose_at(-0.3, 0, 0)};
            cairn_shape *child[2] = {hull, hull};
            CHECK(cairn_shape_compound(s.context, 2, child, pose, &compound) == CAIRN_OK);
            cairn_shape_release(hull);
            CHECK(cairn_world_remove_body(s.world, s.box[0]) == CAIRN_OK);
            add(&s, CAIRN_BODY_DYNAMIC, compound, cairn_vec3_of(3, 0, 1)); /* takes the slot */
        }
        cairn_step_report report = step(&s);
        work += report.energy.friction;
        CHECK(cairn_record_step(record, s.world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(s.context, path, &recording) == CAIRN_OK);
    cairn_recording_info info = cairn_recording_get(recording);
    CHECK(info.frames == 11 && info.bodies == 6 && info.shapes == 4);
    cairn_recorded_shape shape;
    CHECK(cairn_recording_shape(recording, 2, &shape) == CAIRN_OK);
    CHECK(shape.kind == CAIRN_SHAPE_HULL && shape.points == 4 && shape.triangles == 4);
    CHECK(cairn_recording_shape(recording, 3, &shape) == CAIRN_OK);
    CHECK(shape.kind == CAIRN_SHAPE_COMPOUND && shape.children == 2 && shape.child[1] == 2);
    CHECK(shape.child_pose[7] == -0.3 && shape.child_pose[10] == 1.0);
    cairn_frame f;
    double recorded = 0.0;
    for (int k = 0; k < 11; k++) {
        CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK);
        CHECK(f.step == 5 * k && f.bodies == 6);
        CHECK(isnan(f.position[3 * 1]) == (k > 4));  /* the first box */
        CHECK(isnan(f.position[3 * 5]) == (k <= 4)); /* the compound */
        recorded += f.friction_work;
    }
    CHECK_NEAR(recorded, work, 1e-12);
    cairn_recording_close(recording);
    remove_files(path);
    end(&s);
}

/* A run that was killed after its checkpoint goes on: the recording is that of running through. */
TEST(resume) {
    char path[256], through[256], checkpoint[256];
    snprintf(path, sizeof path, "%s", file_name("resume.h5"));
    snprintf(through, sizeof through, "%s", file_name("through.h5"));
    snprintf(checkpoint, sizeof checkpoint, "%s", file_name("checkpoint"));
    scene a = make(), b = make(), c = make();
    cairn_record *ra = NULL, *rb = NULL, *rc = NULL;
    CHECK(cairn_record_create(a.context, through, a.world, NULL, NULL, &ra) == CAIRN_OK);
    CHECK(cairn_record_create(b.context, path, b.world, NULL, NULL, &rb) == CAIRN_OK);
    for (int i = 1; i <= 60; i++) {
        cairn_step_report report = step(&a);
        CHECK(cairn_record_step(ra, a.world, &report) == CAIRN_OK);
        if (i > 45)
            continue;
        report = step(&b);
        CHECK(cairn_record_step(rb, b.world, &report) == CAIRN_OK);
        if (i == 40)
            CHECK(cairn_checkpoint_write(b.world, checkpoint) == CAIRN_OK);
    }
    cairn_recording *x = NULL, *y = NULL;
    CHECK(cairn_recording_open(c.context, path, &x) == CAIRN_OK && cairn_recording_get(x).live);
    cairn_recording_close(x);
    cairn_record_options options = cairn_default_record_options();
    options.resume = true;
    CHECK(cairn_record_create(c.context, path, c.world, NULL, &options, &rc) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(c.context), "another program is writing or reading");
    CHECK(cairn_record_close(ra) == CAIRN_OK);
    CHECK(cairn_record_close(rb) == CAIRN_OK);
    CHECK(cairn_checkpoint_read(c.world, checkpoint) == CAIRN_OK);
    CHECK(cairn_record_create(c.context, path, c.world, NULL, &options, &rc) == CAIRN_OK);
    for (int i = 41; i <= 60; i++) {
        cairn_step_report report = step(&c);
        CHECK(cairn_record_step(rc, c.world, &report) == CAIRN_OK);
    }
    CHECK(cairn_record_close(rc) == CAIRN_OK);
    CHECK(cairn_recording_open(a.context, through, &x) == CAIRN_OK);
    CHECK(cairn_recording_open(a.context, path, &y) == CAIRN_OK);
    CHECK(cairn_recording_get(x).frames == 61 && cairn_recording_get(y).frames == 61);
    CHECK(cairn_recording_get(y).bodies == 5 && cairn_recording_get(y).shapes == 2);
    CHECK(cairn_recording_get(y).tolerance_velocity == 100.0 * cairn_recording_get(y).tolerance);
    for (int k = 0; k < 61; k++) {
        cairn_frame f, g;
        CHECK(cairn_recording_frame(x, k, &f) == CAIRN_OK && cairn_recording_frame(y, k, &g) == CAIRN_OK);
        CHECK(f.step == g.step && f.contacts == g.contacts && f.error == g.error);
        CHECK(memcmp(f.position, g.position, 5 * 3 * sizeof(double)) == 0);
        CHECK(memcmp(f.contact_impulse, g.contact_impulse, (size_t)f.contacts * 3 * sizeof(double)) == 0);
    }
    cairn_recording_close(x);
    cairn_recording_close(y);
    remove_files(path);
    remove_files(through);
    unlink(checkpoint);
    end(&a);
    end(&b);
    end(&c);
}

/* Every fifth step, stopped and gone on with between two frames: the works are those of running through. */
TEST(resume_between_frames) {
    char path[256], checkpoint[256];
    snprintf(path, sizeof path, "%s", file_name("between.h5"));
    snprintf(checkpoint, sizeof checkpoint, "%s", file_name("between"));
    scene a = make(), b = make();
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    cairn_record_options options = cairn_default_record_options();
    options.every = 5;
    options.resume = true;
    double impact = 0.0, friction = 0.0;
    for (int part = 0; part < 2; part++) {
        scene *s = part == 0 ? &a : &b;
        if (part == 1)
            CHECK(cairn_checkpoint_read(b.world, checkpoint) == CAIRN_OK);
        CHECK(cairn_record_create(s->context, path, s->world, NULL, &options, &record) == CAIRN_OK);
        cairn_step_report report = {0};
        for (int i = part == 0 ? 1 : 24; i <= (part == 0 ? 23 : 50); i++) {
            report = step(s);
            impact += report.energy.impact;
            friction += report.energy.friction;
            CHECK(cairn_record_step(record, s->world, &report) == CAIRN_OK);
        }
        CHECK(cairn_record_frame(record, s->world, &report) == CAIRN_OK);
        CHECK(cairn_checkpoint_write(s->world, checkpoint) == CAIRN_OK);
        CHECK(cairn_record_close(record) == CAIRN_OK);
    }
    CHECK(cairn_recording_open(a.context, path, &recording) == CAIRN_OK);
    CHECK(cairn_recording_get(recording).frames == 12); /* 0, 5 ... 20, 23, 25 ... 50 */
    for (int k = 0; k < 12; k++) {
        cairn_frame f;
        CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK && f.step == (k < 5    ? 5 * k
                                                                                : k == 5 ? 23
                                                                                         : 5 * k - 5));
        impact -= f.impact_work;
        friction -= f.friction_work;
    }
    CHECK_NEAR(impact, 0.0, 1e-12);
    CHECK_NEAR(friction, 0.0, 1e-12);
    cairn_recording_close(recording);
    remove_files(path);
    unlink(checkpoint);
    end(&a);
    end(&b);
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "rb");
    size_t got = file != NULL ? fread(bytes, 1, size, file) : 0;
    if (file != NULL)
        fclose(file);
    return got;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static int64_t frames_of(const scene *s, const char *path) {
    cairn_recording *recording = NULL;
    CHECK(cairn_recording_open(s->context, path, &recording) == CAIRN_OK);
    int64_t frames = recording != NULL ? cairn_recording_get(recording).frames : -1;
    cairn_recording_close(recording);
    return frames;
}

/* A journal that is cut gives the records before the cut, one with a flipped bit all but the one that has it; one that was folded in before gives none.
 * Reading changes neither file nor journal, and tells the damage. */
TEST(damaged_journals) {
    char path[256], journal[300];
    snprintf(path, sizeof path, "%s", file_name("damage.h5"));
    snprintf(journal, sizeof journal, "%s.journal", path);
    static unsigned char whole[1 << 18], file[1 << 20], work[1 << 18], again[1 << 20];
    scene s = make();
    cairn_record *record = NULL;
    size_t ends[11], size = 0;
    CHECK(cairn_record_create(s.context, path, s.world, NULL, NULL, &record) == CAIRN_OK);
    ends[0] = read_bytes(journal, whole, sizeof whole);
    for (int i = 1; i <= 10; i++) {
        cairn_step_report report = step(&s);
        CHECK(cairn_record_step(record, s.world, &report) == CAIRN_OK);
        ends[i] = size = read_bytes(journal, whole, sizeof whole);
    }
    size_t head = read_bytes(path, file, sizeof file);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(frames_of(&s, path) == 11);
    write_bytes(journal, whole, size); /* killed after the file was renamed, before the journal was removed */
    CHECK(frames_of(&s, path) == 11);
    test_random r = {3};
    for (int t = 0; t < 12; t++) {
        size_t at = ends[0] + (size_t)(test_random_bits(&r) % (size - ends[0]));
        int before = 0;
        while (ends[before] <= at)
            before++;
        memcpy(work, whole, size);
        work[at] ^= 16;
        write_bytes(path, file, head);
        write_bytes(journal, work, t % 3 == 0 ? at : size); /* cut, or damaged */
        cairn_recording *recording = NULL;
        CHECK(cairn_recording_open(s.context, path, &recording) == CAIRN_OK);
        cairn_recording_info info = cairn_recording_get(recording);
        CHECK(info.frames == (t % 3 == 0 ? before : 10));
        CHECK(t % 3 == 0 || info.damaged == 1 || before == 10);
        for (int64_t k = 0; k < info.frames; k++) {
            cairn_frame frame;
            CHECK(cairn_recording_frame(recording, k, &frame) == CAIRN_OK);
            CHECK(frame.step == (t % 3 != 0 && k >= before ? k + 1 : k));
        }
        cairn_recording_close(recording);
        CHECK(read_bytes(path, again, sizeof again) == head && memcmp(again, file, head) == 0);
        CHECK(read_bytes(journal, again, sizeof again) == (t % 3 == 0 ? at : size) &&
              memcmp(again, work, t % 3 == 0 ? at : size) == 0);
    }
    remove_files(path);
    end(&s);
}

/* Runs, reports every step through the pipe when it is recorded, closes; never returns. */
static void child(const char *path, int report_to) {
    scene s = make();
    cairn_record *record = NULL;
    if (cairn_record_create(s.context, path, s.world, "killed", NULL, &record) != CAIRN_OK)
        _exit(1);
    for (int i = 0; i < STEPS; i++) {
        cairn_step_report report = step(&s);
        if (cairn_record_step(record, s.world, &report) != CAIRN_OK ||
            write(report_to, &report.step, sizeof report.step) != sizeof report.step)
            _exit(1);
    }
    if (cairn_record_close(record) != CAIRN_OK)
        _exit(1);
    _exit(0);
}

TEST(kill_at_random_moments) {
    const char *path = file_name("kill.h5");
    scene s = make();
    double z[STEPS + 1];
    cairn_body_state state;
    for (int i = 0; i <= STEPS; i++) {
        CHECK(cairn_world_body(s.world, s.box[3], &state) == CAIRN_OK);
        z[i] = state.pose.position.z;
        step(&s);
    }
    test_random random = {2024};
    int killed = 0, in_the_midst = 0;
    for (int t = 0; t < 50; t++) {
        remove_files(path);
        int ends[2];
        int64_t reported = 0, wait_for = (int64_t)(test_random_unit(&random) * 1.2 * STEPS), seen;
        CHECK(pipe(ends) == 0);
        pid_t pid = fork();
        if (pid == 0) {
            close(ends[0]);
            child(path, ends[1]);
        }
        close(ends[1]);
        while (reported < wait_for && read(ends[0], &seen, sizeof seen) == sizeof seen)
            reported = seen;
        usleep((useconds_t)(test_random_unit(&random) * (wait_for > STEPS ? 20000 : 500)));
        kill(pid, SIGKILL);
        int how = 0;
        waitpid(pid, &how, 0);
        while (read(ends[0], &seen, sizeof seen) == sizeof seen)
            reported = seen;
        close(ends[0]);
        killed += WIFSIGNALED(how);
        if (reported == 0 && access(path, F_OK) != 0)
            continue; /* killed before there was a file */
        cairn_recording *recording = NULL;
        CHECK(cairn_recording_open(s.context, path, &recording) == CAIRN_OK);
        if (recording == NULL)
            continue;
        int64_t frames = cairn_recording_get(recording).frames;
        in_the_midst += frames < STEPS + 1;
        CHECK(frames >= reported + (reported > 0));
        for (int64_t k = 0; k < frames; k++) {
            cairn_frame f;
            CHECK(cairn_recording_frame(recording, k, &f) == CAIRN_OK && f.step == k);
            CHECK(f.position[3 * 4 + 2] == z[k]);
        }
        cairn_recording_close(recording);
    }
    CHECK(killed > 5 && in_the_midst > 5);
    remove_files(path);
    end(&s);
}

TEST(wrong_files) {
    const char *path = file_name("wrong.h5");
    scene s = make();
    cairn_recording *recording = NULL;
    cairn_record *record = NULL;
    CHECK(cairn_recording_open(s.context, "/tmp/no such file", &recording) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(s.context), "no such file");
    FILE *file = fopen(path, "wb");
    fputs("no HDF5 at all", file);
    fclose(file);
    CHECK(cairn_recording_open(s.context, path, &recording) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(s.context), "not an HDF5 file");
    CHECK(cairn_checkpoint_read(s.world, path) == CAIRN_ERROR_PARSE);
    CHECK(cairn_record_create(s.context, "/no such folder/x.h5", s.world, NULL, NULL, &record) == CAIRN_ERROR_IO);
    cairn_record_options options = cairn_default_record_options();
    options.every = 0;
    CHECK(cairn_record_create(s.context, path, s.world, NULL, &options, &record) == CAIRN_ERROR_ARGUMENT);
    remove_files(path);
    end(&s);
}

/* 8 bytes of the file are overwritten while it is opened; what was said is in the context. */
static cairn_status open_with(cairn_context *context, const char *path, long at, uint64_t number) {
    uint64_t old = 0;
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, at, SEEK_SET) == 0 && fread(&old, sizeof old, 1, file) == 1 &&
          fseek(file, at, SEEK_SET) == 0 && fwrite(&number, sizeof number, 1, file) == 1 && fflush(file) == 0);
    cairn_recording *recording = NULL;
    cairn_status status = cairn_recording_open(context, path, &recording);
    cairn_recording_close(recording);
    CHECK(fseek(file, at, SEEK_SET) == 0 && fwrite(&old, sizeof old, 1, file) == 1 && fclose(file) == 0);
    return status;
}

/* Undefined addresses in the trees, nodes and heaps of the groups, free lists that run in circles, and arrays that are said to lie in one piece: libhdf5 would crash, or take memory until there is none. */
static void damage_and_open(void) {
    const char *path = file_name("damaged.h5");
    static unsigned char bytes[1 << 20];
    scene s = make();
    cairn_record *record = NULL;
    CHECK(cairn_record_create(s.context, path, s.world, "x", NULL, &record) == CAIRN_OK &&
          cairn_record_close(record) == CAIRN_OK);
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    int found = 0;
    CHECK(size > 1000 && size < sizeof bytes && fclose(file) == 0);
    for (size_t at = 0; at + 48 <= size; at += 8) {
        bool tree = memcmp(bytes + at, "TREE\0", 5) == 0, node = memcmp(bytes + at, "SNOD", 4) == 0;
        bool heap = memcmp(bytes + at, "HEAP", 4) == 0;
        if (!tree && !node && !heap)
            continue;
        found++;
        CHECK(open_with(s.context, path, (long)at + (tree ? 32 : node ? 16 : 24), UINT64_MAX) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(s.context), "its table of names leads out of the file");
        uint64_t first = 0, data = 0;
        memcpy(&first, bytes + at + 16, sizeof first);
        memcpy(&data, bytes + at + 24, sizeof data);
        if (heap && first != 1) {
            CHECK(open_with(s.context, path, (long)(data + first), first) == CAIRN_ERROR_PARSE);
            CHECK_CONTAINS(cairn_error_message(s.context), "runs in a circle");
        }
    }
    CHECK(found >= 21);
    found = 0;
    for (size_t at = 0; at + 16 <= size; at += 8) { /* layouts in chunks: a message of type 8, version 3, class 2 */
        if (bytes[at] != 8 || bytes[at + 1] != 0 || bytes[at + 8] != 3 || bytes[at + 9] != 2)
            continue;
        found++;
        for (unsigned char class = 0; class < 2; class ++) {
            uint64_t other;
            memcpy(&other, bytes + at + 8, sizeof other);
            other = (other & ~UINT64_C(0xff00)) | (uint64_t) class << 8;
            CHECK(open_with(s.context, path, (long)at + 8, other) != CAIRN_OK);
            if (class == 1)
                CHECK_CONTAINS(cairn_error_message(s.context), "not stored in chunks");
        }
    }
    CHECK(found >= 20);
    remove_files(path);
    end(&s);
}

TEST(damaged_structure) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int before = test_bad_checks;
        damage_and_open();
        fflush(stdout);
        _exit(test_bad_checks == before ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Every allocation of a recording fails once: an error, no leak, no file half written. */
TEST(memory_runs_out) {
    const char *path = file_name("memory.h5");
    scene s = make();
    cairn_step_report report = step(&s);
    int done = 0;
    for (int fail_at = 0; fail_at < 200 && !done; fail_at++) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *context = counting_context(&a, 1);
        cairn_record *record = NULL;
        int live = a.live;
        a.fail_at = a.allocations + fail_at;
        cairn_status status = cairn_record_create(context, path, s.world, "x", NULL, &record);
        if (status == CAIRN_OK)
            status = cairn_record_step(record, s.world, &report);
        cairn_status closed = cairn_record_close(record);
        done = status == CAIRN_OK && closed == CAIRN_OK;
        CHECK(done || status == CAIRN_ERROR_MEMORY || closed == CAIRN_ERROR_MEMORY);
        CHECK(a.live == live);
        cairn_context_destroy(context);
    }
    CHECK(done);
    remove_files(path);
    end(&s);
}

/* A joint of every kind comes back from the file, the last one included. */
TEST(every_kind_of_joint) {
    const char *path = file_name("joints.h5");
    scene s = make();
    int made = 1; /* make() has one */
    for (int kind = 0; kind <= CAIRN_JOINT_GEAR; kind++) {
        cairn_joint_def joint = cairn_default_joint_def();
        cairn_joint name;
        joint.kind = (cairn_joint_kind)kind;
        joint.a = s.box[0];
        joint.b = s.box[1];
        joint.coordinate = kind == CAIRN_JOINT_FREE ? CAIRN_COORDINATE_SLIDE : CAIRN_COORDINATE_NONE;
        joint.damping = kind == CAIRN_JOINT_FREE ? 1.0 : 0.0;
        joint.has_frame_b = kind == CAIRN_JOINT_DISTANCE;
        joint.frame_b.position = cairn_vec3_of(0, 0, 1);
        CHECK(cairn_world_add_joint(s.world, &joint, &name) == CAIRN_OK);
        made++;
    }
    cairn_record *record = NULL;
    cairn_recording *recording = NULL;
    CHECK(cairn_record_create(s.context, path, s.world, "x", NULL, &record) == CAIRN_OK);
    CHECK(cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(s.context, path, &recording) == CAIRN_OK);
    for (int i = 0; recording != NULL && i < made; i++) {
        cairn_recorded_joint joint;
        CHECK(cairn_recording_joint(recording, i, &joint) == CAIRN_OK);
        CHECK(i == 0 || (int)joint.kind == i - 1);
    }
    cairn_recording_close(recording);
    remove_files(path);
    end(&s);
}

int main(void) {
    RUN(frames_hold_what_the_world_said);
    RUN(frames_hold_the_worst_depth);
    RUN(bodies_come_and_go);
    RUN(resume);
    RUN(resume_between_frames);
    RUN(damaged_journals);
    RUN(kill_at_random_moments);
    RUN(wrong_files);
    RUN(damaged_structure);
    RUN(memory_runs_out);
    RUN(every_kind_of_joint);
    return test_end();
}
