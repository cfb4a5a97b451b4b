/*
 * test_world_misuse.c: every public function with arguments that are not there, dead, foreign or of the wrong kind; callbacks that do what they must not; objects that
 * go in the wrong order. Each row runs in a process of its own, so that a crash has a name. The list of functions is read from the headers: one without a row fails.
 */
#define _DEFAULT_SOURCE

#include "support/support.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct fixture {
    cairn_context *context;
    cairn_world *world;
    cairn_shape *ball;
    cairn_body body, dead;
    cairn_joint gone;
    cairn_scene *scene;
    cairn_recording *recording;
    cairn_problem *problem;
    cairn_solver *solver;
    cairn_judge *judge;
    cairn_fem_mesh *mesh;
    char path[128];
} fixture;

static fixture f;
static cairn_vec3 zero;

#define REFUSED(call) ((call) == CAIRN_ERROR_ARGUMENT)

static void make_fixture(void) {
    static const char text[] =
        "{\"shapes\": {\"s\": {\"sphere\": {\"radius\": 0.1}}}, \"bodies\": [{\"name\": \"a\", \"shape\": \"s\"}]}";
    cairn_record *record = NULL;
    f.context = plain_context(1);
    snprintf(f.path, sizeof f.path, "/tmp/cairn_misuse_%ld.h5", (long)getpid());
    CHECK(cairn_world_create(f.context, NULL, &f.world) == CAIRN_OK);
    CHECK(cairn_shape_sphere(f.context, 0.1, &f.ball) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.shape = f.ball;
    CHECK(cairn_world_add_body(f.world, &def, &f.body) == CAIRN_OK &&
          cairn_world_add_body(f.world, &def, &f.dead) == CAIRN_OK);
    cairn_joint_def joint = cairn_default_joint_def();
    joint.kind = CAIRN_JOINT_SPHERICAL;
    joint.b = f.dead;
    CHECK(cairn_world_add_joint(f.world, &joint, &f.gone) == CAIRN_OK);
    CHECK(cairn_world_remove_joint(f.world, f.gone) == CAIRN_OK &&
          cairn_world_remove_body(f.world, f.dead) == CAIRN_OK);
    CHECK(cairn_scene_parse(f.context, text, sizeof text - 1, "text", NULL, 0, &f.scene) == CAIRN_OK);
    CHECK(cairn_record_create(f.context, f.path, f.world, NULL, NULL, &record) == CAIRN_OK &&
          cairn_record_close(record) == CAIRN_OK);
    CHECK(cairn_recording_open(f.context, f.path, &f.recording) == CAIRN_OK);
    cairn_sample_def sample = cairn_default_sample_def("stack");
    CHECK(cairn_sample_create(f.context, &sample, &f.problem) == CAIRN_OK);
    cairn_settings settings = cairn_default_settings("auto");
    CHECK(cairn_solver_create(f.context, &settings, &f.solver) == CAIRN_OK);
    CHECK(cairn_judge_create(f.problem, &f.judge) == CAIRN_OK);
    CHECK(cairn_fem_mesh_sphere(f.context, CAIRN_ELEMENT_TET4, 0.1, 2, &f.mesh) == CAIRN_OK);
}

static void free_fixture(void) {
    cairn_fem_mesh_release(f.mesh);
    cairn_judge_destroy(f.judge);
    cairn_solver_destroy(f.solver);
    cairn_problem_destroy(f.problem);
    cairn_recording_close(f.recording);
    cairn_scene_destroy(f.scene);
    cairn_shape_release(f.ball);
    cairn_world_destroy(f.world);
    cairn_context_destroy(f.context);
    unlink(f.path);
}

/* A kind of value that is none. */
#define NO_KIND(type) ((type)(int)(getpid() | 1000))

#define ROWS(ROW) \
    ROW(cairn_default_context_def, cairn_default_context_def().threads == 1) \
    ROW(cairn_context_create, \
        REFUSED(cairn_context_create(NULL, NULL)) && REFUSED(cairn_context_create(&(cairn_context_def){0}, &context))) \
    ROW(cairn_context_destroy, (cairn_context_destroy(NULL), true)) \
    ROW(cairn_error_message, cairn_error_message(NULL)[0] == '\0') \
    ROW(cairn_output_open, \
        REFUSED(cairn_output_open(NULL, "x", &output)) && REFUSED(cairn_output_open(f.context, NULL, &output)) && \
            REFUSED(cairn_output_open(f.context, "x", NULL)) && REFUSED(cairn_output_open(f.context, "", &output))) \
    ROW(cairn_output_descriptor, cairn_output_descriptor(NULL) == -1) \
    ROW(cairn_output_close, cairn_output_close(NULL, true) == CAIRN_OK) \
    ROW(cairn_output_check, REFUSED(cairn_output_check(NULL, "x")) && REFUSED(cairn_output_check(f.context, NULL))) \
    ROW(cairn_status_name, cairn_status_name(NO_KIND(cairn_status)) != NULL) \
    ROW(cairn_version, cairn_version() != NULL) \
    ROW(cairn_nearest, cairn_nearest(NULL, NULL, 0) == NULL && cairn_nearest("a", NULL, 3) == NULL) \
    ROW(cairn_shape_sphere, \
        REFUSED(cairn_shape_sphere(NULL, 1, &shape)) && REFUSED(cairn_shape_sphere(f.context, 1, NULL)) && \
            REFUSED(cairn_shape_sphere(f.context, -1, &shape)) && REFUSED(cairn_shape_sphere(f.context, NAN, &shape))) \
    ROW(cairn_shape_box, REFUSED(cairn_shape_box(NULL, zero, &shape)) && \
                             REFUSED(cairn_shape_box(f.context, zero, NULL)) && \
                             REFUSED(cairn_shape_box(f.context, zero, &shape))) \
    ROW(cairn_shape_ellipsoid, REFUSED(cairn_shape_ellipsoid(NULL, zero, &shape)) && \
                                   REFUSED(cairn_shape_ellipsoid(f.context, zero, NULL)) && \
                                   REFUSED(cairn_shape_ellipsoid(f.context, zero, &shape))) \
    ROW(cairn_shape_capsule, REFUSED(cairn_shape_capsule(NULL, 1, 1, &shape)) && \
                                 REFUSED(cairn_shape_capsule(f.context, 1, 1, NULL)) && \
                                 REFUSED(cairn_shape_capsule(f.context, 0, 1, &shape))) \
    ROW(cairn_shape_cylinder, REFUSED(cairn_shape_cylinder(NULL, 1, 1, &shape)) && \
                                  REFUSED(cairn_shape_cylinder(f.context, 1, 1, NULL)) && \
                                  REFUSED(cairn_shape_cylinder(f.context, 1, INFINITY, &shape))) \
    ROW(cairn_shape_cone, REFUSED(cairn_shape_cone(NULL, 1, 1, &shape)) && \
                              REFUSED(cairn_shape_cone(f.context, 1, 1, NULL)) && \
                              REFUSED(cairn_shape_cone(f.context, 0, 1, &shape))) \
    ROW(cairn_shape_hull, REFUSED(cairn_shape_hull(NULL, 1, &zero, &shape)) && \
                              REFUSED(cairn_shape_hull(f.context, 4, NULL, &shape)) && \
                              REFUSED(cairn_shape_hull(f.context, 1, &zero, NULL)) && \
                              REFUSED(cairn_shape_hull(f.context, -1, &zero, &shape))) \
    ROW(cairn_shape_plane, REFUSED(cairn_shape_plane(NULL, &shape)) && REFUSED(cairn_shape_plane(f.context, NULL))) \
    ROW(cairn_shape_mesh, REFUSED(cairn_shape_mesh(NULL, 1, &zero, 1, numbers, &shape)) && \
                              REFUSED(cairn_shape_mesh(f.context, 1, NULL, 1, numbers, &shape)) && \
                              REFUSED(cairn_shape_mesh(f.context, 1, &zero, 1, NULL, &shape)) && \
                              REFUSED(cairn_shape_mesh(f.context, -1, &zero, 1, numbers, &shape))) \
    ROW(cairn_shape_compound, REFUSED(cairn_shape_compound(NULL, 1, &f.ball, &pose, &shape)) && \
                                  REFUSED(cairn_shape_compound(f.context, 1, NULL, &pose, &shape)) && \
                                  REFUSED(cairn_shape_compound(f.context, 1, &f.ball, NULL, &shape)) && \
                                  REFUSED(cairn_shape_compound(f.context, -1, &f.ball, &pose, &shape))) \
    ROW(cairn_shape_retain, (cairn_shape_retain(NULL), true)) \
    ROW(cairn_shape_release, (cairn_shape_release(NULL), true)) \
    ROW(cairn_shape_kind_of, cairn_shape_kind_of(NULL) == CAIRN_SHAPE_SPHERE) \
    ROW(cairn_shape_kind_name, cairn_shape_kind_name(NO_KIND(cairn_shape_kind)) != NULL) \
    ROW(cairn_shape_closed, !cairn_shape_closed(NULL)) \
    ROW(cairn_shape_mass, REFUSED(cairn_shape_mass(NULL, 1, &mass)) && REFUSED(cairn_shape_mass(f.ball, 1, NULL)) && \
                              REFUSED(cairn_shape_mass(f.ball, -1, &mass))) \
    ROW(cairn_shape_bounds, cairn_shape_bounds(NULL, pose).low.x == 0) \
    ROW(cairn_collide, cairn_collide(NULL, pose, f.ball, pose, 0, NULL, 0) == 0 && \
                           cairn_collide(f.ball, pose, NULL, pose, 0, NULL, 0) == 0) \
    ROW(cairn_shape_ray, \
        !cairn_shape_ray(NULL, pose, zero, zero, 1, &ray_hit) && !cairn_shape_ray(f.ball, pose, zero, zero, 1, NULL)) \
    ROW(cairn_default_fem_mesh_def, cairn_default_fem_mesh_def().cookie != 0) \
    ROW(cairn_fem_mesh_create, REFUSED(cairn_fem_mesh_create(NULL, NULL, &mesh)) && \
                                   REFUSED(cairn_fem_mesh_create(f.context, NULL, &mesh)) && \
                                   REFUSED(cairn_fem_mesh_create(f.context, &(cairn_fem_mesh_def){0}, &mesh))) \
    ROW(cairn_fem_mesh_box_of_six, \
        REFUSED(cairn_fem_mesh_box_of_six(NULL, CAIRN_ELEMENT_HEX8, zero, numbers, &mesh)) && \
            REFUSED(cairn_fem_mesh_box_of_six(f.context, CAIRN_ELEMENT_HEX8, zero, NULL, &mesh)) && \
            REFUSED(cairn_fem_mesh_box_of_six(f.context, CAIRN_ELEMENT_HEX8, zero, numbers, &mesh))) \
    ROW(cairn_fem_mesh_box, \
        REFUSED(cairn_fem_mesh_box(NULL, CAIRN_ELEMENT_HEX8, zero, numbers, &mesh)) && \
            REFUSED(cairn_fem_mesh_box(f.context, CAIRN_ELEMENT_HEX8, zero, NULL, &mesh)) && \
            REFUSED(cairn_fem_mesh_box(f.context, CAIRN_ELEMENT_HEX8, zero, numbers, &mesh)) && \
            REFUSED(cairn_fem_mesh_box(f.context, NO_KIND(cairn_element_kind), zero, numbers, &mesh))) \
    ROW(cairn_fem_mesh_cylinder, \
        REFUSED(cairn_fem_mesh_cylinder(NULL, CAIRN_ELEMENT_HEX8, 1, 1, 2, 2, &mesh)) && \
            REFUSED(cairn_fem_mesh_cylinder(f.context, CAIRN_ELEMENT_HEX8, 1, 1, 2, 2, NULL)) && \
            REFUSED(cairn_fem_mesh_cylinder(f.context, CAIRN_ELEMENT_HEX8, -1, 1, 2, 2, &mesh))) \
    ROW(cairn_fem_mesh_sphere, REFUSED(cairn_fem_mesh_sphere(NULL, CAIRN_ELEMENT_TET4, 1, 2, &mesh)) && \
                                   REFUSED(cairn_fem_mesh_sphere(f.context, CAIRN_ELEMENT_TET4, 1, 2, NULL)) && \
                                   REFUSED(cairn_fem_mesh_sphere(f.context, CAIRN_ELEMENT_TET4, 1, -2, &mesh))) \
    ROW(cairn_fem_mesh_line, REFUSED(cairn_fem_mesh_line(NULL, 2, &zero, &mesh)) && \
                                 REFUSED(cairn_fem_mesh_line(f.context, 2, NULL, &mesh)) && \
                                 REFUSED(cairn_fem_mesh_line(f.context, -1, &zero, &mesh))) \
    ROW(cairn_fem_mesh_retain, (cairn_fem_mesh_retain(NULL), true)) \
    ROW(cairn_fem_mesh_release, (cairn_fem_mesh_release(NULL), true)) \
    ROW(cairn_fem_mesh_get, cairn_fem_mesh_get(NULL).nodes == 0) \
    ROW(cairn_fem_mesh_set, cairn_fem_mesh_set(NULL, "a") < 0 && cairn_fem_mesh_set(f.mesh, NULL) < 0) \
    ROW(cairn_default_fem_material, cairn_default_fem_material().density >= 0) \
    ROW(cairn_file_read, REFUSED(cairn_file_read(NULL, "x", &file)) && \
                             REFUSED(cairn_file_read(f.context, NULL, &file)) && \
                             REFUSED(cairn_file_read(f.context, "x", NULL))) \
    ROW(cairn_file_clear, (cairn_file_clear(NULL), true)) \
    ROW(cairn_solution_read, REFUSED(cairn_solution_read(NULL, "x", 1, 1, 0, &vectors)) && \
                                 REFUSED(cairn_solution_read(f.context, NULL, 1, 1, 0, &vectors)) && \
                                 REFUSED(cairn_solution_read(f.context, "x", -1, 1, 0, &vectors))) \
    ROW(cairn_vectors_clear, (cairn_vectors_clear(NULL, NULL), cairn_vectors_clear(f.context, NULL), true)) \
    ROW(cairn_file_write, \
        REFUSED(cairn_file_write(NULL, "x", &file)) && REFUSED(cairn_file_write(f.context, NULL, &file)) && \
            REFUSED(cairn_file_write(f.context, "x", NULL)) && REFUSED(cairn_file_write(f.context, "x", &file))) \
    ROW(cairn_file_fits_fclib, !cairn_file_fits_fclib(NULL)) \
    ROW(cairn_file_read_memory, REFUSED(cairn_file_read_memory(NULL, "x", 1, "x", &file)) && \
                                    REFUSED(cairn_file_read_memory(f.context, NULL, 1, "x", &file)) && \
                                    REFUSED(cairn_file_read_memory(f.context, "x", 1, "x", NULL))) \
    ROW(cairn_fem_mesh_read, REFUSED(cairn_fem_mesh_read(NULL, "x", 1, &mesh)) && \
                                 REFUSED(cairn_fem_mesh_read(f.context, NULL, 1, &mesh)) && \
                                 REFUSED(cairn_fem_mesh_read(f.context, "x", 1, NULL))) \
    ROW(cairn_fem_mesh_parse, REFUSED(cairn_fem_mesh_parse(NULL, "x", 1, "x", 1, &mesh)) && \
                                  REFUSED(cairn_fem_mesh_parse(f.context, NULL, 1, "x", 1, &mesh)) && \
                                  REFUSED(cairn_fem_mesh_parse(f.context, "x", 1, NULL, 1, &mesh)) && \
                                  REFUSED(cairn_fem_mesh_parse(f.context, "x", 1, "x", -1, &mesh))) \
    ROW(cairn_default_problem_def, cairn_default_problem_def().cookie != 0) \
    ROW(cairn_problem_create, REFUSED(cairn_problem_create(NULL, NULL, &problem)) && \
                                  REFUSED(cairn_problem_create(f.context, NULL, &problem)) && \
                                  REFUSED(cairn_problem_create(f.context, &(cairn_problem_def){0}, &problem))) \
    ROW(cairn_problem_destroy, (cairn_problem_destroy(NULL), true)) \
    ROW(cairn_problem_set_vectors, REFUSED(cairn_problem_set_vectors(NULL, NULL, NULL))) \
    ROW(cairn_problem_set_law, REFUSED(cairn_problem_set_law(NULL, CAIRN_LAW_COULOMB)) && \
                                   REFUSED(cairn_problem_set_law(f.problem, NO_KIND(cairn_law)))) \
    ROW(cairn_problem_set_cone, \
        REFUSED(cairn_problem_set_cone(NULL, 0)) && REFUSED(cairn_problem_set_cone(f.problem, -3))) \
    ROW(cairn_problem_set_block, REFUSED(cairn_problem_set_block(NULL, 0, &(cairn_block){0})) && \
                                     REFUSED(cairn_problem_set_block(f.problem, 0, NULL)) && \
                                     REFUSED(cairn_problem_set_block(f.problem, -1, &(cairn_block){0}))) \
    ROW(cairn_problem_get, cairn_problem_get(NULL).n == 0) \
    ROW(cairn_problem_to_local, \
        REFUSED(cairn_problem_to_local(NULL, &problem)) && REFUSED(cairn_problem_to_local(f.problem, NULL))) \
    ROW(cairn_problem_analyze, \
        REFUSED(cairn_problem_analyze(NULL, &analysis)) && REFUSED(cairn_problem_analyze(f.problem, NULL))) \
    ROW(cairn_problem_pointed, \
        REFUSED(cairn_problem_pointed(NULL, NULL, &pointed)) && REFUSED(cairn_problem_pointed(f.problem, NULL, NULL))) \
    ROW(cairn_certify, REFUSED(cairn_certify(NULL, NULL, NULL, 1, &certificate, NULL, NULL)) && \
                           REFUSED(cairn_certify(f.problem, NULL, NULL, 1, &certificate, NULL, NULL)) && \
                           REFUSED(cairn_certify(f.problem, NULL, NULL, 1, NULL, NULL, NULL))) \
    ROW(cairn_judge_create, REFUSED(cairn_judge_create(NULL, &judge)) && REFUSED(cairn_judge_create(f.problem, NULL))) \
    ROW(cairn_judge_load, REFUSED(cairn_judge_load(NULL, f.problem)) && REFUSED(cairn_judge_load(f.judge, NULL))) \
    ROW(cairn_judge_run, REFUSED(cairn_judge_run(NULL, NULL, NULL, 1, &certificate, NULL, NULL)) && \
                             REFUSED(cairn_judge_run(f.judge, NULL, NULL, 1, &certificate, NULL, NULL))) \
    ROW(cairn_judge_destroy, (cairn_judge_destroy(NULL), true)) \
    ROW(cairn_judge_prepare, REFUSED(cairn_judge_prepare(NULL))) \
    ROW(cairn_judge_ask, REFUSED(cairn_judge_ask(NULL, NULL, &certificate, NULL)) && \
                             REFUSED(cairn_judge_ask(f.judge, NULL, &certificate, NULL))) \
    ROW(cairn_law_name, cairn_law_name(NO_KIND(cairn_law)) != NULL) \
    ROW(cairn_set_name, cairn_set_name(NO_KIND(cairn_set_kind)) != NULL) \
    ROW(cairn_default_record_options, cairn_default_record_options().every == 1) \
    ROW(cairn_record_create, \
        REFUSED(cairn_record_create(NULL, "x", f.world, NULL, NULL, &record)) && \
            REFUSED(cairn_record_create(f.context, NULL, f.world, NULL, NULL, &record)) && \
            REFUSED(cairn_record_create(f.context, "x", NULL, NULL, NULL, &record)) && \
            REFUSED(cairn_record_create(f.context, "x", f.world, NULL, NULL, NULL)) && \
            REFUSED(cairn_record_create(f.context, "x", f.world, NULL, &(cairn_record_options){0}, &record))) \
    ROW(cairn_record_step, REFUSED(cairn_record_step(NULL, f.world, &report)) && record_refuses(cairn_record_step)) \
    ROW(cairn_record_frame, REFUSED(cairn_record_frame(NULL, f.world, &report)) && record_refuses(cairn_record_frame)) \
    ROW(cairn_record_close, cairn_record_close(NULL) == CAIRN_OK) \
    ROW(cairn_recording_open, REFUSED(cairn_recording_open(NULL, "x", &recording)) && \
                                  REFUSED(cairn_recording_open(f.context, NULL, &recording)) && \
                                  REFUSED(cairn_recording_open(f.context, "x", NULL))) \
    ROW(cairn_recording_open_watched, \
        REFUSED(cairn_recording_open_watched(NULL, "x", NULL, NULL, &recording)) && \
            REFUSED(cairn_recording_open_watched(f.context, NULL, NULL, NULL, &recording))) \
    ROW(cairn_recording_close, (cairn_recording_close(NULL), true)) \
    ROW(cairn_recording_get, cairn_recording_get(NULL).frames == 0) \
    ROW(cairn_recording_context, cairn_recording_context(NULL) == NULL) \
    ROW(cairn_recording_shape, REFUSED(cairn_recording_shape(NULL, 0, &(cairn_recorded_shape){0})) && \
                                   REFUSED(cairn_recording_shape(f.recording, 0, NULL)) && \
                                   REFUSED(cairn_recording_shape(f.recording, -1, &(cairn_recorded_shape){0}))) \
    ROW(cairn_recording_body, REFUSED(cairn_recording_body(NULL, 0, &(cairn_recorded_body){0})) && \
                                  REFUSED(cairn_recording_body(f.recording, 0, NULL)) && \
                                  REFUSED(cairn_recording_body(f.recording, 99, &(cairn_recorded_body){0}))) \
    ROW(cairn_recording_joint, REFUSED(cairn_recording_joint(NULL, 0, &(cairn_recorded_joint){0})) && \
                                   REFUSED(cairn_recording_joint(f.recording, 0, NULL)) && \
                                   REFUSED(cairn_recording_joint(f.recording, 99, &(cairn_recorded_joint){0}))) \
    ROW(cairn_recording_part, REFUSED(cairn_recording_part(NULL, 0, &(cairn_recorded_part){0})) && \
                                  REFUSED(cairn_recording_part(f.recording, 0, NULL)) && \
                                  REFUSED(cairn_recording_part(f.recording, 0, &(cairn_recorded_part){0}))) \
    ROW(cairn_recording_frame, REFUSED(cairn_recording_frame(NULL, 0, &frame)) && \
                                   REFUSED(cairn_recording_frame(f.recording, 0, NULL)) && \
                                   REFUSED(cairn_recording_frame(f.recording, INT64_MAX, &frame))) \
    ROW(cairn_recording_time, REFUSED(cairn_recording_time(NULL, 0, &real)) && \
                                  REFUSED(cairn_recording_time(f.recording, 0, NULL)) && \
                                  REFUSED(cairn_recording_time(f.recording, -1, &real))) \
    ROW(cairn_checkpoint_write, \
        REFUSED(cairn_checkpoint_write(NULL, "x")) && REFUSED(cairn_checkpoint_write(f.world, NULL))) \
    ROW(cairn_checkpoint_read, \
        REFUSED(cairn_checkpoint_read(NULL, "x")) && REFUSED(cairn_checkpoint_read(f.world, NULL))) \
    ROW(cairn_default_joint_def, cairn_default_joint_def().cookie != 0) \
    ROW(cairn_default_sample_def, (cairn_default_sample_def(NULL), true)) \
    ROW(cairn_sample_create, REFUSED(cairn_sample_create(NULL, NULL, &problem)) && \
                                 REFUSED(cairn_sample_create(f.context, NULL, &problem)) && \
                                 REFUSED(cairn_sample_create(f.context, &(cairn_sample_def){0}, &problem))) \
    ROW(cairn_sample_known, REFUSED(cairn_sample_known(NULL, NULL, 1, &real, &real)) && \
                                REFUSED(cairn_sample_known(f.context, NULL, 1, &real, &real))) \
    ROW(cairn_sample_set, REFUSED(cairn_sample_set(NULL, "a", "b", NULL, 0)) && \
                              REFUSED(cairn_sample_set(&sample, NULL, "b", NULL, 0)) && \
                              REFUSED(cairn_sample_set(&sample, "a", NULL, NULL, 0))) \
    ROW(cairn_sample_count, cairn_sample_count() > 0) \
    ROW(cairn_sample_get, \
        REFUSED(cairn_sample_get(-1, &(cairn_sample_info){0})) && REFUSED(cairn_sample_get(0, NULL))) \
    ROW(cairn_sample_parameters, cairn_sample_parameters(NULL, NULL, 0) <= 0) \
    ROW(cairn_scene_load, REFUSED(cairn_scene_load(NULL, "x", NULL, 0, &scene)) && \
                              REFUSED(cairn_scene_load(f.context, NULL, NULL, 0, &scene)) && \
                              REFUSED(cairn_scene_load(f.context, "x", NULL, 0, NULL))) \
    ROW(cairn_scene_parse, REFUSED(cairn_scene_parse(NULL, "{}", 2, "x", NULL, 0, &scene)) && \
                               REFUSED(cairn_scene_parse(f.context, NULL, 2, "x", NULL, 0, &scene)) && \
                               REFUSED(cairn_scene_parse(f.context, "{}", 2, NULL, NULL, 0, &scene)) && \
                               REFUSED(cairn_scene_parse(f.context, "{}", 2, "x", NULL, 3, &scene))) \
    ROW(cairn_scene_destroy, (cairn_scene_destroy(NULL), true)) \
    ROW(cairn_scene_world, cairn_scene_world(NULL) == NULL) \
    ROW(cairn_scene_step, REFUSED(cairn_scene_step(NULL, &report))) \
    ROW(cairn_scene_get, cairn_scene_get(NULL).bodies == 0) \
    ROW(cairn_scene_body, REFUSED(cairn_scene_body(NULL, 0, &body, &name)) && \
                              REFUSED(cairn_scene_body(f.scene, 0, NULL, &name)) && \
                              REFUSED(cairn_scene_body(f.scene, -1, &body, &name))) \
    ROW(cairn_scene_joint, REFUSED(cairn_scene_joint(NULL, 0, &joint, &name)) && \
                               REFUSED(cairn_scene_joint(f.scene, 0, NULL, &name)) && \
                               REFUSED(cairn_scene_joint(f.scene, 0, &joint, &name))) \
    ROW(cairn_scene_parameter, REFUSED(cairn_scene_parameter(NULL, 0, &name, &real)) && \
                                   REFUSED(cairn_scene_parameter(f.scene, 0, NULL, &real)) && \
                                   REFUSED(cairn_scene_parameter(f.scene, 0, &name, &real))) \
    ROW(cairn_scene_find_body, REFUSED(cairn_scene_find_body(NULL, "a", &body)) && \
                                   REFUSED(cairn_scene_find_body(f.scene, NULL, &body)) && \
                                   REFUSED(cairn_scene_find_body(f.scene, "b", &body))) \
    ROW(cairn_scene_find_joint, REFUSED(cairn_scene_find_joint(NULL, "a", &joint)) && \
                                    REFUSED(cairn_scene_find_joint(f.scene, NULL, &joint)) && \
                                    REFUSED(cairn_scene_find_joint(f.scene, "a", &joint))) \
    ROW(cairn_surface_read, REFUSED(cairn_surface_read(NULL, "x", 1, &surface)) && \
                                REFUSED(cairn_surface_read(f.context, NULL, 1, &surface)) && \
                                REFUSED(cairn_surface_read(f.context, "x", 1, NULL))) \
    ROW(cairn_surface_parse, REFUSED(cairn_surface_parse(NULL, "x", 1, "x", 1, &surface)) && \
                                 REFUSED(cairn_surface_parse(f.context, NULL, 1, "x", 1, &surface)) && \
                                 REFUSED(cairn_surface_parse(f.context, "x", 1, "x", NAN, &surface))) \
    ROW(cairn_surface_clear, (cairn_surface_clear(NULL, NULL), cairn_surface_clear(f.context, NULL), true)) \
    ROW(cairn_default_settings, (cairn_default_settings(NULL), true)) \
    ROW(cairn_settings_set, REFUSED(cairn_settings_set(NULL, "a", "b", NULL, 0)) && \
                                REFUSED(cairn_settings_set(&settings, NULL, "b", NULL, 0)) && \
                                REFUSED(cairn_settings_set(&settings, "rho", NULL, NULL, 0))) \
    ROW(cairn_solver_create, REFUSED(cairn_solver_create(NULL, &settings, &solver)) && \
                                 REFUSED(cairn_solver_create(f.context, &(cairn_settings){0}, &solver)) && \
                                 REFUSED(cairn_solver_create(f.context, &settings, NULL))) \
    ROW(cairn_solver_destroy, (cairn_solver_destroy(NULL), true)) \
    ROW(cairn_solver_load, REFUSED(cairn_solver_load(NULL, f.problem)) && REFUSED(cairn_solver_load(f.solver, NULL))) \
    ROW(cairn_solver_solve, REFUSED(cairn_solver_solve(NULL, NULL, &answer, &info)) && \
                                cairn_solver_solve(f.solver, NULL, &answer, &info) == CAIRN_ERROR_STATE) \
    ROW(cairn_outcome_name, cairn_outcome_name(NO_KIND(cairn_outcome)) != NULL) \
    ROW(cairn_method_count, cairn_method_count() > 0) \
    ROW(cairn_method_get, \
        REFUSED(cairn_method_get(-1, &(cairn_method_info){0})) && REFUSED(cairn_method_get(0, NULL))) \
    ROW(cairn_method_options, cairn_method_options(NULL, NULL, 0) <= 0 && cairn_method_options("none", NULL, 0) <= 0) \
    ROW(cairn_default_frame_choice, cairn_default_frame_choice().every == 1) \
    ROW(cairn_view_write, REFUSED(cairn_view_write(NULL, NULL, "<!--DATA-->", NULL, 0, "x", NULL)) && \
                              REFUSED(cairn_view_write(f.recording, NULL, "<!--DATA-->", NULL, 0, NULL, NULL)) && \
                              REFUSED(cairn_view_write(f.recording, NULL, NULL, NULL, 0, "/dev/null", NULL)) && \
                              REFUSED(cairn_view_write(f.recording, NULL, "<!--DATA-->", NULL, 0, f.path, NULL))) \
    ROW(cairn_export_pvd, REFUSED(cairn_export_pvd(NULL, NULL, "x.pvd")) && \
                              REFUSED(cairn_export_pvd(f.recording, NULL, NULL)) && \
                              REFUSED(cairn_export_pvd(f.recording, NULL, f.path))) \
    ROW(cairn_export_vtkhdf, REFUSED(cairn_export_vtkhdf(NULL, NULL, "x")) && \
                                 REFUSED(cairn_export_vtkhdf(f.recording, NULL, NULL)) && \
                                 REFUSED(cairn_export_vtkhdf(f.recording, NULL, f.path))) \
    ROW(cairn_export_gltf, REFUSED(cairn_export_gltf(NULL, NULL, "x")) && \
                               REFUSED(cairn_export_gltf(f.recording, NULL, NULL)) && \
                               REFUSED(cairn_export_gltf(f.recording, &(cairn_frame_choice){0}, "/dev/null"))) \
    ROW(cairn_export_gltf_shapes, REFUSED(cairn_export_gltf_shapes(NULL, NULL, numbers, numbers)) && \
                                      REFUSED(cairn_export_gltf_shapes(f.recording, NULL, NULL, numbers))) \
    ROW(cairn_default_world_def, cairn_default_world_def().step > 0) \
    ROW(cairn_world_create, \
        REFUSED(cairn_world_create(NULL, NULL, &world)) && REFUSED(cairn_world_create(f.context, NULL, NULL)) && \
            REFUSED(cairn_world_create(f.context, &(cairn_world_def){0}, &world)) && steps_refused()) \
    ROW(cairn_world_destroy, (cairn_world_destroy(NULL), true)) \
    ROW(cairn_default_material_def, cairn_default_material_def().friction > 0) \
    ROW(cairn_world_add_material, REFUSED(cairn_world_add_material(NULL, &material_def, &material)) && \
                                      REFUSED(cairn_world_add_material(f.world, NULL, &material)) && \
                                      REFUSED(cairn_world_add_material(f.world, &material_def, NULL)) && \
                                      REFUSED(cairn_world_add_material(f.world, &(cairn_material_def){0}, &material))) \
    ROW(cairn_world_set_pair, \
        REFUSED(cairn_world_set_pair(NULL, material, material, &material_def)) && \
            REFUSED(cairn_world_set_pair(f.world, material, material, NULL)) && \
            REFUSED(cairn_world_set_pair(f.world, (cairn_material){99}, material, &material_def))) \
    ROW(cairn_default_body_def, cairn_default_body_def().density > 0) \
    ROW(cairn_world_add_body, REFUSED(cairn_world_add_body(NULL, &body_def, &body)) && \
                                  REFUSED(cairn_world_add_body(f.world, NULL, &body)) && \
                                  REFUSED(cairn_world_add_body(f.world, &body_def, NULL)) && \
                                  REFUSED(cairn_world_add_body(f.world, &(cairn_body_def){0}, &body)) && \
                                  REFUSED(cairn_world_add_body(f.world, &body_def, &body))) \
    ROW(cairn_world_remove_body, REFUSED(cairn_world_remove_body(NULL, f.body)) && \
                                     REFUSED(cairn_world_remove_body(f.world, f.dead)) && \
                                     REFUSED(cairn_world_remove_body(f.world, foreign))) \
    ROW(cairn_default_flexible_def, cairn_default_flexible_def().cookie != 0) \
    ROW(cairn_world_add_flexible, REFUSED(cairn_world_add_flexible(NULL, &flexible_def, &body)) && \
                                      REFUSED(cairn_world_add_flexible(f.world, NULL, &body)) && \
                                      REFUSED(cairn_world_add_flexible(f.world, &flexible_def, &body)) && \
                                      REFUSED(cairn_world_add_flexible(f.world, &flexible_def, NULL))) \
    ROW(cairn_world_flexible, REFUSED(cairn_world_flexible(NULL, f.body, &view)) && \
                                  REFUSED(cairn_world_flexible(f.world, f.body, NULL)) && \
                                  REFUSED(cairn_world_flexible(f.world, f.body, &view)) && \
                                  REFUSED(cairn_world_flexible(f.world, f.dead, &view))) \
    ROW(cairn_world_flexible_mises, REFUSED(cairn_world_flexible_mises(NULL, f.body, &real)) && \
                                        REFUSED(cairn_world_flexible_mises(f.world, f.body, NULL)) && \
                                        REFUSED(cairn_world_flexible_mises(f.world, f.body, &real))) \
    ROW(cairn_world_push_node, REFUSED(cairn_world_push_node(NULL, f.body, 0, zero)) && \
                                   REFUSED(cairn_world_push_node(f.world, f.body, 0, zero)) && \
                                   REFUSED(cairn_world_push_node(f.world, foreign, 0, zero))) \
    ROW(cairn_world_press, REFUSED(cairn_world_press(NULL, f.body, NULL, 1)) && \
                               REFUSED(cairn_world_press(f.world, f.body, NULL, 1)) && \
                               REFUSED(cairn_world_press(f.world, f.dead, NULL, 1))) \
    ROW(cairn_world_body, \
        REFUSED(cairn_world_body(NULL, f.body, &state)) && REFUSED(cairn_world_body(f.world, f.body, NULL)) && \
            REFUSED(cairn_world_body(f.world, f.dead, &state)) && REFUSED(cairn_world_body(f.world, foreign, &state))) \
    ROW(cairn_world_set_velocity, \
        REFUSED(cairn_world_set_velocity(NULL, f.body, zero, zero)) && \
            REFUSED(cairn_world_set_velocity(f.world, f.dead, zero, zero)) && \
            REFUSED(cairn_world_set_velocity(f.world, f.body, cairn_vec3_of(NAN, 0, 0), zero))) \
    ROW(cairn_world_push, REFUSED(cairn_world_push(NULL, f.body, zero, zero)) && \
                              REFUSED(cairn_world_push(f.world, f.dead, zero, zero)) && \
                              REFUSED(cairn_world_push(f.world, f.body, cairn_vec3_of(NAN, 0, 0), zero))) \
    ROW(cairn_world_set_loads, (cairn_world_set_loads(NULL, NULL, NULL), true)) \
    ROW(cairn_world_add_joint, REFUSED(cairn_world_add_joint(NULL, &joint_def, &joint)) && \
                                   REFUSED(cairn_world_add_joint(f.world, NULL, &joint)) && \
                                   REFUSED(cairn_world_add_joint(f.world, &joint_def, NULL)) && \
                                   REFUSED(cairn_world_add_joint(f.world, &joint_def, &joint)) && \
                                   REFUSED(cairn_world_add_joint(f.world, &(cairn_joint_def){0}, &joint))) \
    ROW(cairn_world_weld, REFUSED(cairn_world_weld(NULL, f.body, 1, numbers, f.body, NULL)) && \
                              REFUSED(cairn_world_weld(f.world, f.body, 1, NULL, f.body, NULL)) && \
                              REFUSED(cairn_world_weld(f.world, f.body, 1, numbers, f.body, NULL))) \
    ROW(cairn_world_remove_joint, \
        REFUSED(cairn_world_remove_joint(NULL, f.gone)) && REFUSED(cairn_world_remove_joint(f.world, f.gone))) \
    ROW(cairn_world_joint, REFUSED(cairn_world_joint(NULL, f.gone, &joint_state)) && \
                               REFUSED(cairn_world_joint(f.world, f.gone, NULL)) && \
                               REFUSED(cairn_world_joint(f.world, f.gone, &joint_state))) \
    ROW(cairn_world_redundancy, REFUSED(cairn_world_redundancy(NULL, NULL, 0, &redundancy)) && \
                                    REFUSED(cairn_world_redundancy(f.world, NULL, 0, NULL)) && \
                                    REFUSED(cairn_world_redundancy(f.world, NULL, 5, &redundancy))) \
    ROW(cairn_energy_add, (cairn_energy_add(NULL, NULL), true)) \
    ROW(cairn_world_time, cairn_world_time(NULL) == 0) \
    ROW(cairn_world_steps, cairn_world_steps(NULL) == 0) \
    ROW(cairn_world_energy, cairn_world_energy(NULL).kinetic == 0) \
    ROW(cairn_world_step, REFUSED(cairn_world_step(NULL, NULL))) \
    ROW(cairn_world_set_watch, (cairn_world_set_watch(NULL, NULL, NULL), true)) \
    ROW(cairn_world_problem, REFUSED(cairn_world_problem(NULL, &of_world)) && \
                                 REFUSED(cairn_world_problem(f.world, NULL)) && \
                                 cairn_world_problem(f.world, &of_world) == CAIRN_ERROR_STATE) \
    ROW(cairn_world_contact_count, cairn_world_contact_count(NULL) == 0) \
    ROW(cairn_world_contact_get, REFUSED(cairn_world_contact_get(NULL, 0, &contact)) && \
                                     REFUSED(cairn_world_contact_get(f.world, 0, NULL)) && \
                                     REFUSED(cairn_world_contact_get(f.world, 0, &contact)) && \
                                     REFUSED(cairn_world_contact_get(f.world, -1, &contact))) \
    ROW(cairn_world_ray, REFUSED(cairn_world_ray(NULL, zero, zero, 1, NULL, NULL, &world_hit)) && \
                             REFUSED(cairn_world_ray(f.world, zero, zero, 1, NULL, NULL, NULL)) && \
                             REFUSED(cairn_world_ray(f.world, zero, zero, 1, NULL, NULL, &world_hit))) \
    ROW(cairn_world_save, REFUSED(cairn_world_save(NULL, NULL, 0, &size)) && \
                              REFUSED(cairn_world_save(f.world, NULL, 0, NULL)) && \
                              REFUSED(cairn_world_save(f.world, NULL, 100000, &size))) \
    ROW(cairn_world_load_state, REFUSED(cairn_world_load_state(NULL, "x", 1)) && \
                                    REFUSED(cairn_world_load_state(f.world, NULL, 1)) && \
                                    cairn_world_load_state(f.world, "x", 1) == CAIRN_ERROR_PARSE)

static bool record_refuses(cairn_status (*call)(cairn_record *, const cairn_world *, const cairn_step_report *)) {
    cairn_record *record = NULL;
    cairn_step_report report = {0};
    char path[160], journal[180];
    snprintf(path, sizeof path, "%s.own", f.path);
    snprintf(journal, sizeof journal, "%s.journal", path);
    bool good = cairn_record_create(f.context, path, f.world, NULL, NULL, &record) == CAIRN_OK &&
                REFUSED(call(record, NULL, &report)) && REFUSED(call(record, f.world, NULL));
    good = cairn_record_close(record) == CAIRN_OK && good;
    unlink(path);
    return good;
}

/* Steps that no run ends with. */
static bool steps_refused(void) {
    const double step[] = {0.0, -1.0, 1e-316, 1e-20, 1e9, INFINITY, NAN};
    cairn_world *world = NULL;
    bool good = true;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        cairn_world_def def = cairn_default_world_def();
        def.step = step[i];
        good = good && REFUSED(cairn_world_create(f.context, &def, &world)) &&
               strstr(cairn_error_message(f.context), "step") != NULL;
    }
    return good;
}

/* One function of a row for each public one. Not every row needs every variable. */
#if defined(__GNUC__)
#define MAYBE __attribute__((unused))
#else
#define MAYBE
#endif
#define FUNCTION(name, condition) \
    static bool row_##name(void) { \
        MAYBE cairn_context *context = NULL; \
        MAYBE cairn_output *output = NULL; \
        MAYBE cairn_shape *shape = NULL; \
        MAYBE cairn_fem_mesh *mesh = NULL; \
        MAYBE cairn_problem *problem = NULL; \
        MAYBE const cairn_problem *of_world = NULL; \
        MAYBE cairn_judge *judge = NULL; \
        MAYBE cairn_record *record = NULL; \
        MAYBE cairn_recording *recording = NULL; \
        MAYBE cairn_scene *scene = NULL; \
        MAYBE cairn_solver *solver = NULL; \
        MAYBE cairn_world *world = NULL; \
        MAYBE int numbers[3] = {0}; \
        MAYBE double real = 0.0; \
        MAYBE size_t size = 0; \
        MAYBE const char *text = NULL; \
        MAYBE cairn_pose pose = {{0, 0, 0}, {1, 0, 0, 0}}; \
        MAYBE cairn_mass mass; \
        MAYBE cairn_ray_hit ray_hit; \
        MAYBE cairn_file file = {0}; \
        MAYBE cairn_vectors vectors = {0}; \
        MAYBE cairn_analysis analysis; \
        MAYBE cairn_pointed pointed; \
        MAYBE cairn_certificate certificate; \
        MAYBE cairn_step_report report = {0}; \
        MAYBE cairn_frame frame; \
        MAYBE cairn_surface surface; \
        MAYBE cairn_answer answer; \
        MAYBE cairn_info info; \
        MAYBE cairn_sample_def sample = cairn_default_sample_def("stack"); \
        MAYBE cairn_settings settings = cairn_default_settings("auto"); \
        MAYBE cairn_material material = {0}; \
        MAYBE cairn_material_def material_def = cairn_default_material_def(); \
        MAYBE cairn_body body, foreign = {1000, 1}; \
        MAYBE cairn_body_def body_def = cairn_default_body_def(); /* no shape and no mass */ \
        MAYBE cairn_flexible_def flexible_def = cairn_default_flexible_def(); \
        MAYBE cairn_flexible_view view; \
        MAYBE cairn_body_state state; \
        MAYBE cairn_joint joint; \
        MAYBE cairn_joint_def joint_def = cairn_default_joint_def(); /* between the world and the world */ \
        MAYBE cairn_joint_state joint_state; \
        MAYBE cairn_redundancy redundancy; \
        MAYBE cairn_world_contact contact; \
        MAYBE cairn_world_hit world_hit; \
        MAYBE const char *name_of = NULL; \
        return condition; \
    }
#define name text
ROWS(FUNCTION)
#undef name

typedef struct row {
    const char *function;
    bool (*call)(void);
} row;
#define ENTRY(name, condition) {#name, row_##name},
static const row rows[] = {ROWS(ENTRY)};
enum { COUNT = sizeof rows / sizeof *rows };

TEST(every_function_refuses_misuse) {
    for (int i = 0; i < COUNT; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(rows[i].call() ? 0 : 1);
        int status = -1;
        bool good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!good)
            printf("%s: %s\n", rows[i].function, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "did not refuse");
        CHECK(good);
    }
}

static bool has_row(const char *function, size_t length) {
    for (int i = 0; i < COUNT; i++)
        if (strlen(rows[i].function) == length && strncmp(rows[i].function, function, length) == 0)
            return true;
    return false;
}

/* Every CAIRN_API ... name( of a header. Returns how many. */
static int check_header(const char *path) {
    static char text[1 << 17];
    FILE *in = fopen(path, "r");
    size_t size = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
    int found = 0;
    CHECK(in != NULL && size > 0 && size < sizeof text - 1);
    if (in != NULL)
        fclose(in);
    text[size] = '\0';
    for (char *at = strstr(text, "CAIRN_API "); at != NULL; at = strstr(at + 1, "CAIRN_API ")) {
        const char *line = at; /* an indented declaration counts, a macro's definition or a comment does not */
        while (line > text && line[-1] != '\n')
            line--;
        if (strchr("#/*", line[strspn(line, " \t")]) != NULL)
            continue;
        const char *end = strchr(at, '('), *begin = end;
        while (begin > at &&
               (begin[-1] == '_' || (begin[-1] >= '0' && begin[-1] <= '9') || (begin[-1] >= 'a' && begin[-1] <= 'z')))
            begin--;
        bool known = has_row(begin, (size_t)(end - begin));
        if (!known)
            printf("%s: %.*s has no row in this test\n", path, (int)(end - begin), begin);
        CHECK(known);
        found++;
    }
    return found;
}

TEST(every_function_has_a_row) {
    const char folder[] = CAIRN_SOURCE_DIR "/include/cairn";
    DIR *list = opendir(folder);
    int found = 0;
    CHECK(list != NULL);
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        char path[1024];
        size_t length = strlen(entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0)
            found += check_header(path);
    }
    if (list != NULL)
        closedir(list);
    CHECK(found == COUNT);
}

/* ---- callbacks, order, threads ---- */

typedef struct visit {
    cairn_context *context;
    int calls, refused;
} visit;

static void misbehave(void *user, cairn_world *world, double time) {
    visit *v = user;
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    (void)time;
    v->calls++;
    def.shape = f.ball;
    v->refused += cairn_world_step(world, NULL) == CAIRN_ERROR_STATE;
    v->refused += cairn_world_add_body(world, &def, &body) == CAIRN_ERROR_STATE;
    v->refused += cairn_world_remove_body(world, f.body) == CAIRN_ERROR_STATE;
    v->refused += strstr(cairn_error_message(v->context), "callback") != NULL;
    cairn_world_destroy(world);
    v->refused += strstr(cairn_error_message(v->context), "cairn_world_destroy") != NULL;
}

TEST(callbacks_cannot_destroy_or_change_their_world) {
    visit v = {.context = f.context};
    cairn_world_set_loads(f.world, misbehave, &v);
    CHECK(cairn_world_step(f.world, NULL) == CAIRN_OK && v.calls == 1 && v.refused == 5);
    cairn_world_set_loads(f.world, NULL, NULL);
    CHECK(cairn_world_step(f.world, NULL) == CAIRN_OK && cairn_world_steps(f.world) == 2);
}

static void count_warning(void *user, cairn_log_level level, const char *message) {
    int *count = user;
    *count += level == CAIRN_LOG_WARNING &&
              (strstr(message, "there are still objects") != NULL || strstr(message, "released too often") != NULL);
}

/* A context that is destroyed first, and twice, stays until its last object is gone; a shape that bodies hold is not released too often. */
TEST(wrong_order) {
    int warnings = 0;
    counting_allocator a = {.fail_at = -1};
    cairn_context_def def = cairn_default_context_def();
    def.allocate = counting_allocate;
    def.release = counting_release;
    def.allocator_user = &a;
    def.log = count_warning;
    def.log_user = &warnings;
    for (int threads = 1; threads <= 2; threads++) {
        cairn_context *context = NULL;
        cairn_world *world = NULL;
        cairn_shape *shape = NULL;
        cairn_body body;
        def.threads = threads;
        warnings = 0;
        CHECK(cairn_context_create(&def, &context) == CAIRN_OK &&
              cairn_world_create(context, NULL, &world) == CAIRN_OK);
        CHECK(cairn_shape_sphere(context, 0.1, &shape) == CAIRN_OK);
        cairn_body_def ball = cairn_default_body_def();
        ball.shape = shape;
        CHECK(cairn_world_add_body(world, &ball, &body) == CAIRN_OK);
        cairn_shape_release(shape);
        cairn_shape_release(shape);
        CHECK(warnings == 1);
        cairn_context_destroy(context);
        cairn_context_destroy(context);
        CHECK(warnings == 2 && a.live > 0);
        CHECK(cairn_world_step(world, NULL) == CAIRN_OK);
        cairn_world_destroy(world);
        CHECK(a.live == 0);
    }
}

typedef struct other_thread {
    cairn_world *world;
    cairn_status status;
} other_thread;

static void *step_it(void *user) {
    other_thread *o = user;
    o->status = cairn_world_step(o->world, NULL);
    return NULL;
}

static void let_other_step(void *user, cairn_world *world, double time) {
    other_thread *o = user;
    pthread_t thread;
    (void)time;
    o->world = world;
    if (pthread_create(&thread, NULL, step_it, o) == 0)
        pthread_join(thread, NULL);
}

TEST(one_world_from_two_threads) {
    other_thread o = {.status = CAIRN_OK};
    cairn_world_set_loads(f.world, let_other_step, &o);
    int64_t before = cairn_world_steps(f.world);
    CHECK(cairn_world_step(f.world, NULL) == CAIRN_OK && o.status == CAIRN_ERROR_STATE);
    CHECK(cairn_world_steps(f.world) == before + 1);
    cairn_world_set_loads(f.world, NULL, NULL);
}

int main(void) {
    make_fixture();
    RUN(every_function_has_a_row);
    RUN(every_function_refuses_misuse);
    RUN(callbacks_cannot_destroy_or_change_their_world);
    RUN(wrong_order);
    RUN(one_world_from_two_threads);
    free_fixture();
    return test_end();
}
