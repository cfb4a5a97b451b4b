/*
 * record_reader.c: reading a recording: its tables when it is opened, its frames one by one.
 *
 * Numbers that lead from one table into another are checked when the file is opened, so that a
 * damaged file is refused and never followed.
 */
#define _POSIX_C_SOURCE 200809L

#include "fem/element/element.h"
#include "io/record/record_journal.h"
#include "io/record/record_file.h"

#include <cairn/record.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

struct cairn_recording {
    cairn_context *context;
    cairn_store store;
    cairn_rows table; /* shapes, bodies, joints */
    cairn_rows frame;
    char *path, *scene;
    char version[32], instructions[32], method[64], law[32];
    double step, tolerance, tolerance_velocity;
    bool live;
    cairn_output *folded; /* a copy with the journal in it, that goes with the recording; NULL: none */
    int64_t damaged;
};

/* All rows of the kinds before frames. */
static cairn_status read_tables(cairn_recording *r) {
    for (int k = 0; k < CAIRN_ROW_FRAME; k++)
        r->table.count[k] = r->store.rows[k];
    cairn_status status = cairn_rows_prepare(r->context, &r->table);
    for (int f = 0; f < CAIRN_FIELDS && status == CAIRN_OK; f++) {
        int kind = (int)cairn_field_get(f)->kind;
        if (kind < CAIRN_ROW_FRAME)
            status = cairn_store_read(&r->store, f, 0, r->table.count[kind], r->table.field[f]);
    }
    return status;
}

static cairn_status bad(const cairn_recording *r, int field) {
    return cairn_fail(r->context, CAIRN_ERROR_PARSE, "%s: %s: a number out of range", r->path,
                      cairn_field_get(field)->path);
}

static bool range_fits(const cairn_recording *r, int first, int count, int64_t row, int kind) {
    int64_t begin = ((int64_t *)r->table.field[first])[row], n = ((int32_t *)r->table.field[count])[row];
    return begin >= 0 && n >= 0 && begin <= r->table.count[kind] && n <= r->table.count[kind] - begin;
}

static bool within(const cairn_recording *r, int field, int64_t index, int low, int64_t high) {
    int value = ((int32_t *)r->table.field[field])[index];
    return value >= low && value < high;
}

static cairn_status check_shapes(const cairn_recording *r) {
    int64_t shapes = r->table.count[CAIRN_ROW_SHAPE];
    for (int64_t i = 0; i < shapes; i++) {
        if (!within(r, CAIRN_F_SHAPE_KIND, i, 0, CAIRN_SHAPE_ELLIPSOID + 1))
            return bad(r, CAIRN_F_SHAPE_KIND);
        if (!range_fits(r, CAIRN_F_SHAPE_POINT_FIRST, CAIRN_F_SHAPE_POINT_COUNT, i, CAIRN_ROW_POINT))
            return bad(r, CAIRN_F_SHAPE_POINT_FIRST);
        if (!range_fits(r, CAIRN_F_SHAPE_TRIANGLE_FIRST, CAIRN_F_SHAPE_TRIANGLE_COUNT, i, CAIRN_ROW_TRIANGLE))
            return bad(r, CAIRN_F_SHAPE_TRIANGLE_FIRST);
        if (!range_fits(r, CAIRN_F_SHAPE_CHILD_FIRST, CAIRN_F_SHAPE_CHILD_COUNT, i, CAIRN_ROW_CHILD))
            return bad(r, CAIRN_F_SHAPE_CHILD_FIRST);
        int64_t first = 3 * ((int64_t *)r->table.field[CAIRN_F_SHAPE_TRIANGLE_FIRST])[i];
        int64_t corners = 3 * (int64_t)((int32_t *)r->table.field[CAIRN_F_SHAPE_TRIANGLE_COUNT])[i];
        int points = ((int32_t *)r->table.field[CAIRN_F_SHAPE_POINT_COUNT])[i];
        for (int64_t k = 0; k < corners; k++)
            if (!within(r, CAIRN_F_TRIANGLE, first + k, 0, points))
                return bad(r, CAIRN_F_TRIANGLE);
    }
    const int32_t *kind = r->table.field[CAIRN_F_SHAPE_KIND], *child = r->table.field[CAIRN_F_CHILD_SHAPE];
    for (int64_t i = 0; i < r->table.count[CAIRN_ROW_CHILD]; i++)
        if (!within(r, CAIRN_F_CHILD_SHAPE, i, 0, shapes) || kind[child[i]] == CAIRN_SHAPE_COMPOUND)
            return bad(r, CAIRN_F_CHILD_SHAPE); /* a compound of compounds cannot be made, and could have no end */
    return CAIRN_OK;
}

/* Numbers of nodes in a run of faces or lines. */
static bool nodes_fit(const cairn_recording *r, int field, int columns, int64_t first, int count, int nodes) {
    for (int64_t k = 0; k < (int64_t)columns * count; k++)
        if (!within(r, field, columns * first + k, 0, nodes))
            return false;
    return true;
}

/* Elements of a part: known kinds, as many of its nodes as the kind has. Returns the field that
 * is wrong, -1: none. */
static int wrong_element(const cairn_recording *r, int64_t part, int nodes) {
    int64_t first = ((int64_t *)r->table.field[CAIRN_F_PART_ELEMENT_FIRST])[part];
    int count = ((int32_t *)r->table.field[CAIRN_F_PART_ELEMENT_COUNT])[part];
    for (int64_t e = first; e < first + count; e++) {
        int kind = ((int32_t *)r->table.field[CAIRN_F_ELEMENT_KIND])[e];
        const cairn_fem_element *element = kind >= 0 ? cairn_fem_element_of((cairn_element_kind)kind) : NULL;
        if (element == NULL)
            return CAIRN_F_ELEMENT_KIND;
        for (int k = 0; k < CAIRN_ELEMENT_NODES; k++) {
            bool there = k < element->nodes;
            if (!within(r, CAIRN_F_ELEMENT_NODE, CAIRN_ELEMENT_NODES * e + k, there ? 0 : -1, there ? nodes : 0))
                return CAIRN_F_ELEMENT_NODE;
        }
    }
    return -1;
}

/* Parts name bodies, their own nodes one after the other, faces, lines and elements. */
static cairn_status check_parts(const cairn_recording *r) {
    int64_t next = 0;
    for (int64_t i = 0; i < r->table.count[CAIRN_ROW_PART]; i++) {
        int64_t first = ((int64_t *)r->table.field[CAIRN_F_PART_NODE_FIRST])[i];
        int nodes = ((int32_t *)r->table.field[CAIRN_F_PART_NODE_COUNT])[i];
        if (!within(r, CAIRN_F_PART_BODY, i, 0, r->table.count[CAIRN_ROW_BODY]))
            return bad(r, CAIRN_F_PART_BODY);
        if (first != next || nodes < 0)
            return bad(r, CAIRN_F_PART_NODE_FIRST);
        next += nodes;
        if (!range_fits(r, CAIRN_F_PART_FACE_FIRST, CAIRN_F_PART_FACE_COUNT, i, CAIRN_ROW_FACE))
            return bad(r, CAIRN_F_PART_FACE_FIRST);
        if (!range_fits(r, CAIRN_F_PART_LINE_FIRST, CAIRN_F_PART_LINE_COUNT, i, CAIRN_ROW_LINE))
            return bad(r, CAIRN_F_PART_LINE_FIRST);
        int64_t face = ((int64_t *)r->table.field[CAIRN_F_PART_FACE_FIRST])[i];
        int64_t line = ((int64_t *)r->table.field[CAIRN_F_PART_LINE_FIRST])[i];
        if (!nodes_fit(r, CAIRN_F_FACE, 3, face, ((int32_t *)r->table.field[CAIRN_F_PART_FACE_COUNT])[i], nodes))
            return bad(r, CAIRN_F_FACE);
        if (!nodes_fit(r, CAIRN_F_LINE, 2, line, ((int32_t *)r->table.field[CAIRN_F_PART_LINE_COUNT])[i], nodes))
            return bad(r, CAIRN_F_LINE);
        if (!range_fits(r, CAIRN_F_PART_ELEMENT_FIRST, CAIRN_F_PART_ELEMENT_COUNT, i, CAIRN_ROW_ELEMENT))
            return bad(r, CAIRN_F_PART_ELEMENT_FIRST);
        int wrong = wrong_element(r, i, nodes);
        if (wrong >= 0)
            return bad(r, wrong);
    }
    if (r->store.rows[CAIRN_ROW_FRAME_NODE] > next || r->store.rows[CAIRN_ROW_FRAME_STRESS] > next ||
        r->store.rows[CAIRN_ROW_FRAME_HELD] > next)
        return bad(r, CAIRN_F_NODE_POSITION);
    return CAIRN_OK;
}

static cairn_status check_tables(const cairn_recording *r) {
    int64_t shapes = r->table.count[CAIRN_ROW_SHAPE], bodies = r->table.count[CAIRN_ROW_BODY];
    for (int64_t i = 0; i < bodies; i++) {
        if (!within(r, CAIRN_F_BODY_KIND, i, 0, CAIRN_BODY_KINEMATIC + 1))
            return bad(r, CAIRN_F_BODY_KIND);
        if (!within(r, CAIRN_F_BODY_SHAPE, i, -1, shapes))
            return bad(r, CAIRN_F_BODY_SHAPE);
        ((char *)r->table.field[CAIRN_F_BODY_NAME])[(i + 1) * CAIRN_RECORD_NAME - 1] = '\0';
    }
    for (int64_t i = 0; i < r->table.count[CAIRN_ROW_JOINT]; i++) {
        if (!within(r, CAIRN_F_JOINT_KIND, i, 0, CAIRN_JOINT_GEAR + 1))
            return bad(r, CAIRN_F_JOINT_KIND);
        if (!within(r, CAIRN_F_JOINT_A, i, -1, bodies) || !within(r, CAIRN_F_JOINT_B, i, -1, bodies))
            return bad(r, CAIRN_F_JOINT_A);
        ((char *)r->table.field[CAIRN_F_JOINT_NAME])[(i + 1) * CAIRN_RECORD_NAME - 1] = '\0';
    }
    if (r->store.rows[CAIRN_ROW_FRAME_BODY] > bodies ||
        r->store.rows[CAIRN_ROW_FRAME_JOINT] > r->table.count[CAIRN_ROW_JOINT])
        return bad(r, CAIRN_F_POSITION);
    cairn_status status = check_parts(r);
    return status == CAIRN_OK ? check_shapes(r) : status;
}

/* The text of the scene; "" when the file has none that can be read. */
static cairn_status read_scene(cairn_recording *r) {
    hid_t set = H5Dopen2(r->store.file, "/scene", H5P_DEFAULT);
    hid_t type = set >= 0 ? H5Dget_type(set) : H5I_INVALID_HID;
    hid_t space = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID;
    bool good = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1;
    size_t size = good ? H5Tget_size(type) : 0;
    r->scene = cairn_alloc(r->context, size + 1, 1);
    if (r->scene != NULL && good && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->scene) < 0)
        r->scene[0] = '\0';
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return r->scene != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status open_file(cairn_recording *r) {
    cairn_status status = cairn_store_open(r->context, r->path, r->folded, &r->store);
    if (status == CAIRN_OK)
        status = read_tables(r);
    if (status == CAIRN_OK)
        status = check_tables(r);
    if (status == CAIRN_OK)
        status = read_scene(r);
    if (status != CAIRN_OK)
        return status;
    cairn_store_text(&r->store, "cairn", r->version, sizeof r->version);
    cairn_store_text(&r->store, "instructions", r->instructions, sizeof r->instructions);
    cairn_store_text(&r->store, "method", r->method, sizeof r->method);
    cairn_store_text(&r->store, "law", r->law, sizeof r->law);
    r->step = cairn_store_real(&r->store, "step", 0.0);
    r->tolerance = cairn_store_real(&r->store, "tolerance", 0.0);
    r->tolerance_velocity = cairn_store_real(&r->store, "velocity_tolerance", 0.0);
    return CAIRN_OK;
}

/* The journal of a run that was killed is read by folding it into a copy: file and journal stay
 * as they are. */
static cairn_status read_journal(cairn_recording *r, cairn_fold_watch watch, void *user) {
    char *path = cairn_journal_path(r->context, r->path);
    cairn_folded folded;
    if (path == NULL)
        return CAIRN_ERROR_MEMORY;
    int file = cairn_journal_open(path, &r->live);
    cairn_status status = CAIRN_OK;
    if (file >= 0 && cairn_journal_holds_steps(file)) {
        status = cairn_output_scratch(r->context, r->path, &r->folded);
        if (status == CAIRN_OK)
            status = cairn_journal_fold(r->context, r->path, &(cairn_folding){file, watch, user}, -1, r->folded,
                                        &folded);
        if (status == CAIRN_OK && folded.other)
            cairn_log(r->context, CAIRN_LOG_WARNING,
                      "%s: belongs to another recording than %s, or its head is damaged; it is left alone", path,
                      r->path);
        if (status == CAIRN_OK && folded.damaged > 0)
            cairn_log(r->context, CAIRN_LOG_WARNING, CAIRN_JOURNAL_DAMAGED, path, (long long)folded.damaged);
        if (status == CAIRN_OK) {
            r->damaged = folded.damaged + folded.other;
            if (!folded.folded) {
                (void)cairn_output_close(r->folded, false);
                r->folded = NULL;
            }
        }
    }
    if (file >= 0)
        close(file);
    cairn_free(r->context, path);
    return status;
}

cairn_status cairn_recording_open(cairn_context *context, const char *path, cairn_recording **recording) {
    return cairn_recording_open_watched(context, path, NULL, NULL, recording);
}

cairn_status cairn_recording_open_watched(cairn_context *context, const char *path, cairn_fold_watch watch, void *user,
                                          cairn_recording **recording) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (path == NULL || recording == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "recording: path or recording is NULL");
    if (access(path, R_OK) != 0)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: there is no such file, or it may not be read", path);
    cairn_recording *r = cairn_alloc(context, 1, sizeof *r);
    if (r == NULL)
        return CAIRN_ERROR_MEMORY;
    r->context = context;
    r->store.context = context;
    r->store.file = r->store.output.driver = H5I_INVALID_HID;
    for (int f = 0; f < CAIRN_FIELDS; f++)
        r->store.set[f] = H5I_INVALID_HID;
    r->path = cairn_alloc(context, strlen(path) + 1, 1);
    cairn_status status = r->path != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        memcpy(r->path, path, strlen(path) + 1);
        status = read_journal(r, watch, user);
    }
    H5E_BEGIN_TRY {
        if (status == CAIRN_OK)
            status = open_file(r);
    }
    H5E_END_TRY
    if (status == CAIRN_OK)
        *recording = r;
    else
        cairn_recording_close(r);
    return status;
}

void cairn_recording_close(cairn_recording *r) {
    if (r == NULL)
        return;
    H5E_BEGIN_TRY {
        (void)cairn_store_close(&r->store);
    }
    H5E_END_TRY(void) cairn_output_close(r->folded, false);
    cairn_rows_free(r->context, &r->table);
    cairn_rows_free(r->context, &r->frame);
    cairn_free(r->context, r->scene);
    cairn_free(r->context, r->path);
    cairn_free(r->context, r);
}

cairn_recording_info cairn_recording_get(const cairn_recording *r) {
    if (r == NULL)
        return (cairn_recording_info){0};
    return (cairn_recording_info){.frames = r->store.rows[CAIRN_ROW_FRAME],
                                  .shapes = (int)r->table.count[CAIRN_ROW_SHAPE],
                                  .bodies = (int)r->table.count[CAIRN_ROW_BODY],
                                  .joints = (int)r->table.count[CAIRN_ROW_JOINT],
                                  .parts = (int)r->table.count[CAIRN_ROW_PART],
                                  .scene = r->scene,
                                  .version = r->version,
                                  .instructions = r->instructions,
                                  .method = r->method,
                                  .law = r->law,
                                  .step = r->step,
                                  .tolerance = r->tolerance,
                                  .tolerance_velocity = r->tolerance_velocity,
                                  .live = r->live,
                                  .path = r->path,
                                  .damaged = r->damaged};
}

cairn_context *cairn_recording_context(const cairn_recording *r) {
    if (r == NULL)
        return NULL;
    return r->context;
}

static cairn_status check_index(const cairn_recording *r, const char *what, int64_t index, int64_t count) {
    if (index >= 0 && index < count)
        return CAIRN_OK;
    return cairn_fail(r->context, CAIRN_ERROR_ARGUMENT, "%s: %s %lld of %lld", r->path, what, (long long)index,
                      (long long)count);
}

static int whole(const cairn_rows *rows, int field, int64_t row) {
    return ((int32_t *)rows->field[field])[row];
}

static double real(const cairn_rows *rows, int field, int64_t row) {
    return ((double *)rows->field[field])[row];
}

cairn_status cairn_recording_shape(const cairn_recording *r, int index, cairn_recorded_shape *shape) {
    if (r == NULL || shape == NULL)
        return cairn_fail(r != NULL ? r->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_recording_shape: an argument is NULL");
    const cairn_rows *t = &r->table;
    cairn_status status = check_index(r, "shape", index, t->count[CAIRN_ROW_SHAPE]);
    if (status != CAIRN_OK)
        return status;
    int64_t point = ((int64_t *)t->field[CAIRN_F_SHAPE_POINT_FIRST])[index];
    int64_t triangle = ((int64_t *)t->field[CAIRN_F_SHAPE_TRIANGLE_FIRST])[index];
    int64_t child = ((int64_t *)t->field[CAIRN_F_SHAPE_CHILD_FIRST])[index];
    *shape = (cairn_recorded_shape){.kind = (cairn_shape_kind)whole(t, CAIRN_F_SHAPE_KIND, index),
                                    .points = whole(t, CAIRN_F_SHAPE_POINT_COUNT, index),
                                    .triangles = whole(t, CAIRN_F_SHAPE_TRIANGLE_COUNT, index),
                                    .children = whole(t, CAIRN_F_SHAPE_CHILD_COUNT, index),
                                    .point = (double *)t->field[CAIRN_F_POINT] + 3 * point,
                                    .triangle = (int32_t *)t->field[CAIRN_F_TRIANGLE] + 3 * triangle,
                                    .child = (int32_t *)t->field[CAIRN_F_CHILD_SHAPE] + child,
                                    .child_pose = (double *)t->field[CAIRN_F_CHILD_POSE] + 7 * child};
    for (int k = 0; k < 3; k++)
        shape->size[k] = real(t, CAIRN_F_SHAPE_SIZE, 3 * (int64_t)index + k);
    return CAIRN_OK;
}

cairn_status cairn_recording_body(const cairn_recording *r, int index, cairn_recorded_body *body) {
    if (r == NULL || body == NULL)
        return cairn_fail(r != NULL ? r->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_recording_body: an argument is NULL");
    const cairn_rows *t = &r->table;
    cairn_status status = check_index(r, "body", index, t->count[CAIRN_ROW_BODY]);
    if (status != CAIRN_OK)
        return status;
    *body = (cairn_recorded_body){.name = (char *)t->field[CAIRN_F_BODY_NAME] + (ptrdiff_t)CAIRN_RECORD_NAME * index,
                                  .kind = (cairn_body_kind)whole(t, CAIRN_F_BODY_KIND, index),
                                  .shape = whole(t, CAIRN_F_BODY_SHAPE, index),
                                  .mass = real(t, CAIRN_F_BODY_MASS, index),
                                  .center = (double *)t->field[CAIRN_F_BODY_CENTER] + (ptrdiff_t)3 * index,
                                  .inertia = (double *)t->field[CAIRN_F_BODY_INERTIA] + (ptrdiff_t)9 * index};
    return CAIRN_OK;
}

cairn_status cairn_recording_joint(const cairn_recording *r, int index, cairn_recorded_joint *joint) {
    if (r == NULL || joint == NULL)
        return cairn_fail(r != NULL ? r->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_recording_joint: an argument is NULL");
    const cairn_rows *t = &r->table;
    cairn_status status = check_index(r, "joint", index, t->count[CAIRN_ROW_JOINT]);
    if (status != CAIRN_OK)
        return status;
    *joint = (cairn_recorded_joint){.name = (char *)t->field[CAIRN_F_JOINT_NAME] + (ptrdiff_t)CAIRN_RECORD_NAME * index,
                                    .kind = (cairn_joint_kind)whole(t, CAIRN_F_JOINT_KIND, index),
                                    .a = whole(t, CAIRN_F_JOINT_A, index),
                                    .b = whole(t, CAIRN_F_JOINT_B, index),
                                    .frame_a = (double *)t->field[CAIRN_F_JOINT_FRAME_A] + (ptrdiff_t)7 * index,
                                    .frame_b = (double *)t->field[CAIRN_F_JOINT_FRAME_B] + (ptrdiff_t)7 * index};
    return CAIRN_OK;
}

cairn_status cairn_recording_part(const cairn_recording *r, int index, cairn_recorded_part *part) {
    if (r == NULL || part == NULL)
        return cairn_fail(r != NULL ? r->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_recording_part: an argument is NULL");
    const cairn_rows *t = &r->table;
    cairn_status status = check_index(r, "flexible part", index, t->count[CAIRN_ROW_PART]);
    if (status != CAIRN_OK)
        return status;
    int64_t face = ((int64_t *)t->field[CAIRN_F_PART_FACE_FIRST])[index];
    int64_t line = ((int64_t *)t->field[CAIRN_F_PART_LINE_FIRST])[index];
    int64_t element = ((int64_t *)t->field[CAIRN_F_PART_ELEMENT_FIRST])[index];
    *part = (cairn_recorded_part){.body = whole(t, CAIRN_F_PART_BODY, index),
                                  .nodes = whole(t, CAIRN_F_PART_NODE_COUNT, index),
                                  .faces = whole(t, CAIRN_F_PART_FACE_COUNT, index),
                                  .lines = whole(t, CAIRN_F_PART_LINE_COUNT, index),
                                  .first = ((int64_t *)t->field[CAIRN_F_PART_NODE_FIRST])[index],
                                  .face = (int32_t *)t->field[CAIRN_F_FACE] + 3 * face,
                                  .line = (int32_t *)t->field[CAIRN_F_LINE] + 2 * line,
                                  .radius = (double *)t->field[CAIRN_F_LINE_RADIUS] + line,
                                  .elements = whole(t, CAIRN_F_PART_ELEMENT_COUNT, index),
                                  .kind = (int32_t *)t->field[CAIRN_F_ELEMENT_KIND] + element,
                                  .element = (int32_t *)t->field[CAIRN_F_ELEMENT_NODE] + CAIRN_ELEMENT_NODES * element};
    return CAIRN_OK;
}

/* Rows of frame k into r->frame. */
static cairn_status read_frame(cairn_recording *r, int64_t k) {
    int64_t first = 0;
    int32_t contacts = 0;
    cairn_status status = cairn_store_read(&r->store, CAIRN_F_CONTACT_FIRST, k, 1, &first);
    if (status == CAIRN_OK)
        status = cairn_store_read(&r->store, CAIRN_F_CONTACT_COUNT, k, 1, &contacts);
    if (status != CAIRN_OK)
        return status;
    int64_t all = r->store.rows[CAIRN_ROW_CONTACT];
    if (first < 0 || contacts < 0 || first > all || contacts > all - first)
        return bad(r, CAIRN_F_CONTACT_FIRST);
    r->frame.count[CAIRN_ROW_FRAME] = 1;
    r->frame.count[CAIRN_ROW_CONTACT] = contacts;
    r->frame.count[CAIRN_ROW_FRAME_BODY] = r->store.rows[CAIRN_ROW_FRAME_BODY];
    for (int kind = CAIRN_ROW_FRAME_JOINT; kind < CAIRN_ROW_KINDS; kind++)
        r->frame.count[kind] = r->store.rows[kind];
    status = cairn_rows_prepare(r->context, &r->frame);
    for (int f = 0; f < CAIRN_FIELDS && status == CAIRN_OK; f++) {
        int kind = (int)cairn_field_get(f)->kind;
        if (kind >= CAIRN_ROW_FRAME)
            status = cairn_store_read(&r->store, f, kind == CAIRN_ROW_CONTACT ? first : k, r->frame.count[kind],
                                      r->frame.field[f]);
    }
    for (int64_t i = 0; i < 2 * (int64_t)contacts && status == CAIRN_OK; i++) {
        int body = whole(&r->frame, CAIRN_F_CONTACT_BODY, i);
        if (body < 0 || body >= r->table.count[CAIRN_ROW_BODY])
            status = bad(r, CAIRN_F_CONTACT_BODY);
    }
    return status;
}

/* A figure that older recordings do not have. */
static double real_since(const cairn_recording *r, int field) {
    return r->store.set[field] >= 0 ? real(&r->frame, field, 0) : NAN;
}

static void give_frame(const cairn_recording *r, cairn_frame *frame) {
    const cairn_rows *f = &r->frame;
    const double *seconds = f->field[CAIRN_F_SECONDS];
    ((char *)f->field[CAIRN_F_NOTE])[CAIRN_RECORD_NOTE - 1] = '\0';
    *frame = (cairn_frame){.step = *(int64_t *)f->field[CAIRN_F_STEP],
                           .time = real(f, CAIRN_F_TIME, 0),
                           .bodies = (int)f->count[CAIRN_ROW_FRAME_BODY],
                           .joints = (int)f->count[CAIRN_ROW_FRAME_JOINT],
                           .contacts = (int)f->count[CAIRN_ROW_CONTACT],
                           .position = f->field[CAIRN_F_POSITION],
                           .rotation = f->field[CAIRN_F_ROTATION],
                           .velocity = f->field[CAIRN_F_VELOCITY],
                           .angular_velocity = f->field[CAIRN_F_ANGULAR_VELOCITY],
                           .contact_body = f->field[CAIRN_F_CONTACT_BODY],
                           .contact_point = f->field[CAIRN_F_CONTACT_POINT],
                           .contact_normal = f->field[CAIRN_F_CONTACT_NORMAL],
                           .contact_impulse = f->field[CAIRN_F_CONTACT_IMPULSE],
                           .contact_gap = f->field[CAIRN_F_CONTACT_GAP],
                           .contact_mu = f->field[CAIRN_F_CONTACT_MU],
                           .contact_residual = f->field[CAIRN_F_CONTACT_RESIDUAL],
                           .contact_status = f->field[CAIRN_F_CONTACT_STATUS],
                           .joint_coordinate = f->field[CAIRN_F_JOINT_COORDINATE],
                           .joint_drive = f->field[CAIRN_F_JOINT_DRIVE],
                           .joint_gap = f->field[CAIRN_F_JOINT_GAP],
                           .joint_force = f->field[CAIRN_F_JOINT_FORCE],
                           .joint_torque = f->field[CAIRN_F_JOINT_TORQUE],
                           .kinetic = real(f, CAIRN_F_KINETIC, 0),
                           .potential = real(f, CAIRN_F_POTENTIAL, 0),
                           .elastic = real(f, CAIRN_F_ELASTIC, 0),
                           .nodes = (int)f->count[CAIRN_ROW_FRAME_NODE],
                           .node_position = f->field[CAIRN_F_NODE_POSITION],
                           .node_velocity = f->field[CAIRN_F_NODE_VELOCITY],
                           .node_mises = f->count[CAIRN_ROW_FRAME_STRESS] == f->count[CAIRN_ROW_FRAME_NODE] &&
                                                 f->count[CAIRN_ROW_FRAME_NODE] > 0
                                             ? f->field[CAIRN_F_NODE_MISES]
                                             : NULL,
                           .node_reaction = f->count[CAIRN_ROW_FRAME_HELD] == f->count[CAIRN_ROW_FRAME_NODE] &&
                                                    f->count[CAIRN_ROW_FRAME_NODE] > 0
                                                ? f->field[CAIRN_F_NODE_REACTION]
                                                : NULL,
                           .friction_work = real(f, CAIRN_F_FRICTION_WORK, 0),
                           .impact_work = real(f, CAIRN_F_IMPACT_WORK, 0),
                           .created_work = real(f, CAIRN_F_CREATED_WORK, 0),
                           .joint_work = real(f, CAIRN_F_JOINT_WORK, 0),
                           .load_work = real(f, CAIRN_F_LOAD_WORK, 0),
                           .certified = *(uint8_t *)f->field[CAIRN_F_CERTIFIED] != 0,
                           .uncertified = whole(f, CAIRN_F_UNCERTIFIED, 0),
                           .outcome = (cairn_outcome)whole(f, CAIRN_F_OUTCOME, 0),
                           .natural_map = real(f, CAIRN_F_NATURAL_MAP, 0),
                           .error = real_since(r, CAIRN_F_ERROR),
                           .error_angular = real_since(r, CAIRN_F_ERROR_ANGULAR),
                           .error_rms = real_since(r, CAIRN_F_ERROR_RMS),
                           .iterations = whole(f, CAIRN_F_ITERATIONS, 0),
                           .factorizations = whole(f, CAIRN_F_FACTORIZATIONS, 0),
                           .partial_factorizations = whole(f, CAIRN_F_PARTIAL_FACTORIZATIONS, 0),
                           .linear_solves = whole(f, CAIRN_F_LINEAR_SOLVES, 0),
                           .solves = whole(f, CAIRN_F_SOLVES, 0),
                           .projections = whole(f, CAIRN_F_PROJECTIONS, 0),
                           .missed = whole(f, CAIRN_F_MISSED, 0),
                           .rows = whole(f, CAIRN_F_ROWS, 0),
                           .deepest = real(f, CAIRN_F_DEEPEST, 0),
                           .depth = real_since(r, CAIRN_F_DEPTH),
                           .depth_tolerance = real_since(r, CAIRN_F_DEPTH_TOLERANCE),
                           .apart = r->store.set[CAIRN_F_APART] < 0 || *(uint8_t *)f->field[CAIRN_F_APART] != 0,
                           .fallbacks = whole(f, CAIRN_F_FALLBACKS, 0),
                           .inverted = whole(f, CAIRN_F_INVERTED, 0),
                           .seconds_collide = seconds[0],
                           .seconds_assemble = seconds[1],
                           .seconds_solve = seconds[2],
                           .seconds_total = seconds[3],
                           .note = f->field[CAIRN_F_NOTE]};
}

cairn_status cairn_recording_time(cairn_recording *r, int64_t index, double *time) {
    if (r == NULL || time == NULL)
        return cairn_fail(r != NULL ? r->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_recording_time: an argument is NULL");
    cairn_status status = check_index(r, "frame", index, r->store.rows[CAIRN_ROW_FRAME]);
    H5E_BEGIN_TRY {
        if (status == CAIRN_OK)
            status = cairn_store_read(&r->store, CAIRN_F_TIME, index, 1, time);
    }
    H5E_END_TRY
    return status;
}

cairn_status cairn_recording_frame(cairn_recording *r, int64_t index, cairn_frame *frame) {
    if (r == NULL || frame == NULL)
        return cairn_fail(r != NULL ? r->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_recording_frame: an argument is NULL");
    cairn_status status = check_index(r, "frame", index, r->store.rows[CAIRN_ROW_FRAME]);
    H5E_BEGIN_TRY {
        if (status == CAIRN_OK)
            status = read_frame(r, index);
    }
    H5E_END_TRY
    if (status == CAIRN_OK)
        give_frame(r, frame);
    return status;
}
