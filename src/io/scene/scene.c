/*
 * scene.c: reading a scene: files and what they include, settings of the world, then its parts in
 * order.
 *
 * Files are kept outer first. A setting, parameter, material or shape of an outer file wins over
 * that of a file it includes; bodies, joints and pairs of all files are there together. Every
 * setting is checked in every file, also where it is not used.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/input.h"
#include "io/scene/scene_data.h"

#include <stdio.h>
#include <string.h>

enum { INCLUDE_DEPTH_MAX = 8 };

static const char *const top_keys[] = {"$schema",
                                       "title",
                                       "comment",
                                       "include",
                                       "parameters",
                                       "gravity",
                                       "step",
                                       "until",
                                       "law",
                                       "method",
                                       "tolerance",
                                       "velocity_tolerance",
                                       "joint_tolerance",
                                       "depth_tolerance",
                                       "substeps",
                                       "rolling",
                                       "gap_share",
                                       "options",
                                       "shapes",
                                       "materials",
                                       "pairs",
                                       "bodies",
                                       "flexible",
                                       "newton",
                                       "force_tolerance",
                                       "joints"};
#define STEPS_MAX 1e9 /* of a run */

static const char *const law_words[] = {"coulomb", "associated"};

/* ---- files ---- */

static cairn_status read_file(cairn_context *context, const char *path, char **text, size_t *size) {
    return cairn_input_read(context, path, NULL, CAIRN_JSON_BYTES_MAX, text, size);
}

bool cairn_reader_path(cairn_reader *r, const cairn_json *v, char path[CAIRN_SCENE_PATH_MAX]) {
    const char *file = cairn_reader_text(r, v), *slash = strrchr(v->name, '/');
    if (r->status != CAIRN_OK)
        return false;
    int folder = slash != NULL && file[0] != '/' ? (int)(slash - v->name) + 1 : 0;
    if (snprintf(path, CAIRN_SCENE_PATH_MAX, "%.*s%s", folder, v->name, file) >= CAIRN_SCENE_PATH_MAX)
        cairn_reader_fail(r, v, "the path of the file is longer than %d bytes", CAIRN_SCENE_PATH_MAX - 1);
    return r->status == CAIRN_OK;
}

static void add_document(cairn_reader *r, const char *text, size_t size, const char *name, int depth);

static void include(cairn_reader *r, const cairn_json *v, int depth) {
    char path[CAIRN_SCENE_PATH_MAX], *text = NULL;
    size_t size = 0;
    if (depth >= INCLUDE_DEPTH_MAX || r->scene->documents >= CAIRN_SCENE_FILES_MAX) {
        cairn_reader_fail(r, v, "files include each other without end, or more than %d deep", INCLUDE_DEPTH_MAX);
        return;
    }
    if (!cairn_reader_path(r, v, path))
        return;
    cairn_status status = read_file(r->context, path, &text, &size);
    if (status != CAIRN_OK) {
        cairn_reader_fail_inside(r, v, status);
        return;
    }
    add_document(r, text, size, path, depth + 1);
    cairn_free(r->context, text);
}

static void add_document(cairn_reader *r, const char *text, size_t size, const char *name, int depth) {
    cairn_scene *s = r->scene;
    cairn_json_document *document = NULL;
    r->status = cairn_json_parse(r->context, text, size, name, &document);
    if (r->status != CAIRN_OK)
        return;
    s->document[s->documents++] = document;
    if (depth == 0 && cairn_json_root(document)->kind == CAIRN_JSON_OBJECT)
        cairn_reader_set(r);
    const cairn_json *root = cairn_json_root(document);
    if (!cairn_reader_keys(r, root, top_keys, sizeof top_keys / sizeof *top_keys))
        return;
    const cairn_json *list = cairn_json_member(root, "include");
    if (list == NULL || !cairn_reader_list(r, list, 0, CAIRN_SCENE_FILES_MAX, "a list of files"))
        return;
    for (const cairn_json *v = list->first; v != NULL && r->status == CAIRN_OK; v = v->next)
        include(r, v, depth);
}

/* ---- settings ---- */

/* What the method's settings are called, for a key that is not one. */
static const char *nearest_option(const char *method, const char *key) {
    cairn_option_info info[64];
    const char *known[64];
    int count = cairn_method_options(method, info, 64);
    for (int i = 0; i < count && i < 64; i++)
        known[i] = info[i].key;
    return cairn_nearest(key, known, count < 64 ? count : 64);
}

static void read_options(cairn_reader *r, const cairn_json *all, cairn_settings *solver) {
    if (all->kind != CAIRN_JSON_OBJECT) {
        cairn_reader_fail(r, all, "expected an object {key: value, ...} of settings; cairn methods NAME lists them");
        return;
    }
    for (const cairn_json *v = all->first; v != NULL && r->status == CAIRN_OK; v = v->next) {
        char value[64], message[300] = "";
        if (v->kind == CAIRN_JSON_STRING && v->text[0] != '=')
            snprintf(value, sizeof value, "%s", v->text);
        else if (v->kind == CAIRN_JSON_BOOL)
            snprintf(value, sizeof value, "%s", v->number != 0.0 ? "true" : "false");
        else
            snprintf(value, sizeof value, "%.17g", cairn_reader_number(r, v, CAIRN_RANGE_ANY));
        if (r->status != CAIRN_OK || cairn_settings_set(solver, v->key, value, message, sizeof message) == CAIRN_OK)
            continue;
        const char *meant = nearest_option(solver->method, v->key);
        bool other = meant != NULL && strcmp(meant, v->key) != 0;
        cairn_reader_fail(r, v, "%s%s%s%s", message, other ? "; did you mean '" : "", other ? meant : "",
                          other ? "'?" : "");
    }
}

static void read_method(cairn_reader *r, const cairn_json *v, cairn_settings *solver) {
    const char *known[64];
    int count = 0;
    for (int i = 0; i < cairn_method_count() && count < 64; i++) {
        cairn_method_info info;
        if (cairn_method_get(i, &info) == CAIRN_OK)
            known[count++] = info.name;
    }
    int chosen = cairn_reader_choice(r, v, known, count);
    if (r->status != CAIRN_OK)
        return;
    double tolerance = solver->tolerance;
    *solver = cairn_default_settings(known[chosen]);
    cairn_settings usual = cairn_default_world_def().solver;
    solver->tolerance = tolerance;
    solver->tolerance_plain = usual.tolerance_plain;
    solver->refine = usual.refine;
}

/* The settings of one file; outer files are read last, so they win. */
static void read_settings(cairn_reader *r, const cairn_json *root) {
    cairn_scene *s = r->scene;
    const cairn_json *title = cairn_json_member(root, "title"), *comment = cairn_json_member(root, "comment");
    const cairn_json *gravity = cairn_json_member(root, "gravity"), *law = cairn_json_member(root, "law");
    const cairn_json *method = cairn_json_member(root, "method"), *options = cairn_json_member(root, "options");
    const cairn_json *substeps = cairn_json_member(root, "substeps"), *rolling = cairn_json_member(root, "rolling");
    const cairn_json *newton = cairn_json_member(root, "newton");
    if (title != NULL)
        s->title = cairn_reader_text(r, title);
    if (comment != NULL)
        s->comment = cairn_reader_text(r, comment);
    if (gravity != NULL)
        s->def.gravity = cairn_reader_vec3(r, gravity, CAIRN_RANGE_ANY);
    s->def.step = cairn_reader_number_or(r, root, "step", CAIRN_RANGE_POSITIVE, s->def.step);
    s->until = cairn_reader_number_or(r, root, "until", CAIRN_RANGE_NOT_NEGATIVE, s->until);
    if (r->status == CAIRN_OK && s->until / s->def.step > STEPS_MAX)
        cairn_reader_fail(r, root, "until is %g s and step %g s: %g steps, expected at most %g", s->until, s->def.step,
                          s->until / s->def.step, STEPS_MAX);
    s->def.tolerance_velocity = cairn_reader_number_or(r, root, "velocity_tolerance", CAIRN_RANGE_POSITIVE,
                                                       s->def.tolerance_velocity);
    s->def.tolerance_joint = cairn_reader_number_or(r, root, "joint_tolerance", CAIRN_RANGE_POSITIVE,
                                                    s->def.tolerance_joint);
    s->def.tolerance_depth = cairn_reader_number_or(r, root, "depth_tolerance", CAIRN_RANGE_NOT_NEGATIVE,
                                                    s->def.tolerance_depth);
    if (substeps != NULL)
        s->def.substeps = cairn_reader_count(r, substeps, 1, 1000);
    if (rolling != NULL)
        s->def.rolling = cairn_reader_bool(r, rolling);
    s->def.gap_share = cairn_reader_number_or(r, root, "gap_share", CAIRN_RANGE_POSITIVE, s->def.gap_share);
    if (r->status == CAIRN_OK && !(s->def.gap_share <= 1.0))
        cairn_reader_fail(r, cairn_json_member(root, "gap_share"), "expected a number above 0, at most 1, found %.10g",
                          s->def.gap_share);
    if (newton != NULL)
        s->def.newton = cairn_reader_count(r, newton, 1, 1000);
    s->def.tolerance_force = cairn_reader_number_or(r, root, "force_tolerance", CAIRN_RANGE_POSITIVE,
                                                    s->def.tolerance_force);
    if (law != NULL)
        s->def.law = cairn_reader_choice(r, law, law_words, 2) == 1 ? CAIRN_LAW_ASSOCIATED : CAIRN_LAW_COULOMB;
    if (method != NULL)
        read_method(r, method, &s->def.solver);
    s->def.solver.tolerance = cairn_reader_number_or(r, root, "tolerance", CAIRN_RANGE_POSITIVE,
                                                     s->def.solver.tolerance);
    if (r->status == CAIRN_OK && !(s->def.solver.tolerance < 1.0))
        cairn_reader_fail(r, cairn_json_member(root, "tolerance"), "expected a number above 0 and below 1, found %.10g",
                          s->def.solver.tolerance);
    if (options != NULL)
        read_options(r, options, &s->def.solver);
}

/* ---- all of it ---- */

static void build(cairn_reader *r) {
    cairn_scene *s = r->scene;
    cairn_reader_parameters(r);
    for (int d = s->documents - 1; d >= 0 && r->status == CAIRN_OK; d--)
        read_settings(r, cairn_json_root(s->document[d]));
    if (r->status != CAIRN_OK)
        return;
    cairn_status status = cairn_world_create(r->context, &s->def, &s->world);
    if (status != CAIRN_OK) {
        cairn_reader_fail_inside(r, cairn_json_root(s->document[0]), status);
        return;
    }
    cairn_reader_materials(r);
    cairn_reader_shapes(r);
    for (int part = 0; part < 4; part++)
        for (int d = 0; d < s->documents && r->status == CAIRN_OK; d++) {
            static const char *const name[4] = {"pairs", "bodies", "flexible", "joints"};
            const cairn_json *list = cairn_json_member(cairn_json_root(s->document[d]), name[part]);
            if (list == NULL)
                continue;
            if (part == 0)
                cairn_reader_pairs(r, list);
            else if (part == 1)
                cairn_reader_bodies(r, list);
            else if (part == 2)
                cairn_reader_flexible(r, list);
            else
                cairn_reader_joints(r, list);
        }
    if (r->status == CAIRN_OK)
        cairn_reader_doubts(r);
}

static cairn_status keep_text(cairn_scene *s, const char *text, size_t size) {
    s->text = cairn_alloc(s->context, size + 1, 1);
    if (s->text == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(s->text, text, size);
    s->text_size = size;
    return CAIRN_OK;
}

cairn_status cairn_scene_parse(cairn_context *context, const char *text, size_t size, const char *name,
                               const cairn_scene_override *overrides, int count, cairn_scene **scene) {
    if (context == NULL || text == NULL || name == NULL || scene == NULL || (overrides == NULL && count > 0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_scene_parse: an argument is NULL");
    cairn_scene *s = cairn_alloc(context, 1, sizeof *s);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    s->context = context;
    s->def = cairn_default_world_def();
    s->until = 2.0;
    s->title = s->comment = "";
    cairn_reader r = {.context = context, .scene = s, .override = overrides, .overrides = count};
    r.status = keep_text(s, text, size);
    if (r.status == CAIRN_OK)
        add_document(&r, text, size, name, 0);
    if (r.status == CAIRN_OK)
        build(&r);
    for (int i = 0; i < r.shapes; i++)
        cairn_shape_release(r.shape[i].shape);
    cairn_free(context, r.shape);
    cairn_free(context, r.material);
    cairn_free(context, r.rule);
    if (r.status != CAIRN_OK) {
        cairn_scene_destroy(s);
        return r.status;
    }
    cairn_energy energy = cairn_world_energy(s->world);
    s->start_energy = energy.kinetic + energy.potential + energy.elastic;
    *scene = s;
    return CAIRN_OK;
}

cairn_status cairn_scene_load(cairn_context *context, const char *path, const cairn_scene_override *overrides,
                              int count, cairn_scene **scene) {
    if (context == NULL || path == NULL || scene == NULL || (overrides == NULL && count > 0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_scene_load: an argument is NULL");
    char *text = NULL;
    size_t size = 0;
    cairn_status status = read_file(context, path, &text, &size);
    if (status == CAIRN_OK)
        status = cairn_scene_parse(context, text, size, path, overrides, count, scene);
    cairn_free(context, text);
    return status;
}

void cairn_scene_destroy(cairn_scene *s) {
    if (s == NULL)
        return;
    cairn_context *context = s->context;
    cairn_world_destroy(s->world);
    for (int i = 0; i < s->motions; i++)
        cairn_motion_free(context, s->motion[i]);
    for (int i = 0; i < s->loads; i++)
        for (int k = 0; k < 3; k++) {
            cairn_formula_free(context, &s->load[i].linear[k]);
            cairn_formula_free(context, &s->load[i].angular[k]);
        }
    cairn_names_free(context, &s->bodies);
    cairn_names_free(context, &s->joints);
    cairn_free(context, s->motion);
    for (int i = 0; i < s->paths; i++)
        cairn_free(context, s->path[i]);
    cairn_free(context, s->path);
    cairn_free(context, s->load);
    cairn_scene_free_pushes(s);
    cairn_free(context, s->variable);
    cairn_free(context, s->text);
    for (int i = 0; i < s->documents; i++)
        cairn_json_destroy(s->document[i]);
    cairn_free(context, s);
}
