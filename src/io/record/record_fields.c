/*
 * record_fields.c: the table of all fields of a recording (docs/formats.md), and blocks of rows.
 */
#include "io/record/record_fields.h"

#include <cairn/record.h>

#include <string.h>

static const cairn_field_info table[CAIRN_FIELDS] = {
    [CAIRN_F_SHAPE_KIND] = {"/shapes/kind", CAIRN_ROW_SHAPE, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_SHAPE_SIZE] = {"/shapes/size", CAIRN_ROW_SHAPE, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_SHAPE_POINT_FIRST] = {"/shapes/point_first", CAIRN_ROW_SHAPE, CAIRN_FIELD_LONG, 1, 1},
    [CAIRN_F_SHAPE_POINT_COUNT] = {"/shapes/point_count", CAIRN_ROW_SHAPE, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_SHAPE_TRIANGLE_FIRST] = {"/shapes/triangle_first", CAIRN_ROW_SHAPE, CAIRN_FIELD_LONG, 1, 1},
    [CAIRN_F_SHAPE_TRIANGLE_COUNT] = {"/shapes/triangle_count", CAIRN_ROW_SHAPE, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_SHAPE_CHILD_FIRST] = {"/shapes/child_first", CAIRN_ROW_SHAPE, CAIRN_FIELD_LONG, 1, 1},
    [CAIRN_F_SHAPE_CHILD_COUNT] = {"/shapes/child_count", CAIRN_ROW_SHAPE, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_SHAPE_HASH] = {"/shapes/hash", CAIRN_ROW_SHAPE, CAIRN_FIELD_LONG, 1, 1},
    [CAIRN_F_POINT] = {"/shapes/point", CAIRN_ROW_POINT, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_TRIANGLE] = {"/shapes/triangle", CAIRN_ROW_TRIANGLE, CAIRN_FIELD_INT, 3, 1},
    [CAIRN_F_CHILD_SHAPE] = {"/shapes/child_shape", CAIRN_ROW_CHILD, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_CHILD_POSE] = {"/shapes/child_pose", CAIRN_ROW_CHILD, CAIRN_FIELD_REAL, 7, 1},
    [CAIRN_F_BODY_NAME] = {"/bodies/name", CAIRN_ROW_BODY, CAIRN_FIELD_TEXT, CAIRN_RECORD_NAME, 1},
    [CAIRN_F_BODY_KIND] = {"/bodies/kind", CAIRN_ROW_BODY, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_BODY_SHAPE] = {"/bodies/shape", CAIRN_ROW_BODY, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_BODY_MASS] = {"/bodies/mass", CAIRN_ROW_BODY, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_BODY_CENTER] = {"/bodies/center", CAIRN_ROW_BODY, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_BODY_INERTIA] = {"/bodies/inertia", CAIRN_ROW_BODY, CAIRN_FIELD_REAL, 9, 1},
    [CAIRN_F_BODY_SLOT] = {"/bodies/slot", CAIRN_ROW_BODY, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_BODY_GENERATION] = {"/bodies/generation", CAIRN_ROW_BODY, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_JOINT_NAME] = {"/joints/name", CAIRN_ROW_JOINT, CAIRN_FIELD_TEXT, CAIRN_RECORD_NAME, 1},
    [CAIRN_F_JOINT_KIND] = {"/joints/kind", CAIRN_ROW_JOINT, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_JOINT_A] = {"/joints/a", CAIRN_ROW_JOINT, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_JOINT_B] = {"/joints/b", CAIRN_ROW_JOINT, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_JOINT_FRAME_A] = {"/joints/frame_a", CAIRN_ROW_JOINT, CAIRN_FIELD_REAL, 7, 1},
    [CAIRN_F_JOINT_FRAME_B] = {"/joints/frame_b", CAIRN_ROW_JOINT, CAIRN_FIELD_REAL, 7, 1},
    [CAIRN_F_JOINT_SLOT] = {"/joints/slot", CAIRN_ROW_JOINT, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_JOINT_GENERATION] = {"/joints/generation", CAIRN_ROW_JOINT, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_PART_BODY] = {"/flexible/body", CAIRN_ROW_PART, CAIRN_FIELD_INT, 1, 2},
    [CAIRN_F_PART_NODE_FIRST] = {"/flexible/node_first", CAIRN_ROW_PART, CAIRN_FIELD_LONG, 1, 2},
    [CAIRN_F_PART_NODE_COUNT] = {"/flexible/node_count", CAIRN_ROW_PART, CAIRN_FIELD_INT, 1, 2},
    [CAIRN_F_PART_FACE_FIRST] = {"/flexible/face_first", CAIRN_ROW_PART, CAIRN_FIELD_LONG, 1, 2},
    [CAIRN_F_PART_FACE_COUNT] = {"/flexible/face_count", CAIRN_ROW_PART, CAIRN_FIELD_INT, 1, 2},
    [CAIRN_F_PART_LINE_FIRST] = {"/flexible/line_first", CAIRN_ROW_PART, CAIRN_FIELD_LONG, 1, 2},
    [CAIRN_F_PART_LINE_COUNT] = {"/flexible/line_count", CAIRN_ROW_PART, CAIRN_FIELD_INT, 1, 2},
    [CAIRN_F_PART_ELEMENT_FIRST] = {"/flexible/element_first", CAIRN_ROW_PART, CAIRN_FIELD_LONG, 1, 3},
    [CAIRN_F_PART_ELEMENT_COUNT] = {"/flexible/element_count", CAIRN_ROW_PART, CAIRN_FIELD_INT, 1, 3},
    [CAIRN_F_FACE] = {"/flexible/face", CAIRN_ROW_FACE, CAIRN_FIELD_INT, 3, 2},
    [CAIRN_F_LINE] = {"/flexible/line", CAIRN_ROW_LINE, CAIRN_FIELD_INT, 2, 2},
    [CAIRN_F_LINE_RADIUS] = {"/flexible/line_radius", CAIRN_ROW_LINE, CAIRN_FIELD_REAL, 1, 2},
    [CAIRN_F_ELEMENT_KIND] = {"/flexible/element_kind", CAIRN_ROW_ELEMENT, CAIRN_FIELD_INT, 1, 3},
    [CAIRN_F_ELEMENT_NODE] = {"/flexible/element_node", CAIRN_ROW_ELEMENT, CAIRN_FIELD_INT, CAIRN_ELEMENT_NODES, 3},
    [CAIRN_F_STEP] = {"/frames/step", CAIRN_ROW_FRAME, CAIRN_FIELD_LONG, 1, 1},
    [CAIRN_F_TIME] = {"/frames/time", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_KINETIC] = {"/frames/kinetic", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_POTENTIAL] = {"/frames/potential", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_ELASTIC] = {"/frames/elastic", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 2},
    [CAIRN_F_FRICTION_WORK] = {"/frames/friction_work", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_IMPACT_WORK] = {"/frames/impact_work", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_CREATED_WORK] = {"/frames/created_work", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 4},
    [CAIRN_F_JOINT_WORK] = {"/frames/joint_work", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 4},
    [CAIRN_F_LOAD_WORK] = {"/frames/load_work", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 4},
    [CAIRN_F_CERTIFIED] = {"/frames/certified", CAIRN_ROW_FRAME, CAIRN_FIELD_BYTE, 1, 1},
    [CAIRN_F_UNCERTIFIED] = {"/frames/uncertified", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_OUTCOME] = {"/frames/outcome", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_NATURAL_MAP] = {"/frames/natural_map", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_ERROR] = {"/frames/error", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 6},
    [CAIRN_F_ERROR_ANGULAR] = {"/frames/error_angular", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 6},
    [CAIRN_F_ERROR_RMS] = {"/frames/error_rms", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 6},
    [CAIRN_F_ITERATIONS] = {"/frames/iterations", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_FACTORIZATIONS] = {"/frames/factorizations", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_PARTIAL_FACTORIZATIONS] = {"/frames/partial_factorizations", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 5},
    [CAIRN_F_LINEAR_SOLVES] = {"/frames/linear_solves", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_SOLVES] = {"/frames/solves", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_PROJECTIONS] = {"/frames/projections", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_MISSED] = {"/frames/missed", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_ROWS] = {"/frames/rows", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_DEEPEST] = {"/frames/deepest", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_DEPTH] = {"/frames/depth", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 7},
    [CAIRN_F_DEPTH_TOLERANCE] = {"/frames/depth_tolerance", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 1, 7},
    [CAIRN_F_APART] = {"/frames/apart", CAIRN_ROW_FRAME, CAIRN_FIELD_BYTE, 1, 7},
    [CAIRN_F_FALLBACKS] = {"/frames/fallbacks", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 7},
    [CAIRN_F_INVERTED] = {"/frames/inverted", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 8},
    [CAIRN_F_SECONDS] = {"/frames/seconds", CAIRN_ROW_FRAME, CAIRN_FIELD_REAL, 4, 1},
    [CAIRN_F_NOTE] = {"/frames/note", CAIRN_ROW_FRAME, CAIRN_FIELD_TEXT, CAIRN_RECORD_NOTE, 1},
    [CAIRN_F_CONTACT_FIRST] = {"/frames/contact_first", CAIRN_ROW_FRAME, CAIRN_FIELD_LONG, 1, 1},
    [CAIRN_F_CONTACT_COUNT] = {"/frames/contact_count", CAIRN_ROW_FRAME, CAIRN_FIELD_INT, 1, 1},
    [CAIRN_F_CONTACT_BODY] = {"/contacts/body", CAIRN_ROW_CONTACT, CAIRN_FIELD_INT, 2, 1},
    [CAIRN_F_CONTACT_POINT] = {"/contacts/point", CAIRN_ROW_CONTACT, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_CONTACT_NORMAL] = {"/contacts/normal", CAIRN_ROW_CONTACT, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_CONTACT_IMPULSE] = {"/contacts/impulse", CAIRN_ROW_CONTACT, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_CONTACT_GAP] = {"/contacts/gap", CAIRN_ROW_CONTACT, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_CONTACT_MU] = {"/contacts/mu", CAIRN_ROW_CONTACT, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_CONTACT_STATUS] = {"/contacts/status", CAIRN_ROW_CONTACT, CAIRN_FIELD_BYTE, 1, 1},
    [CAIRN_F_CONTACT_RESIDUAL] = {"/contacts/residual", CAIRN_ROW_CONTACT, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_POSITION] = {"/frames/position", CAIRN_ROW_FRAME_BODY, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_ROTATION] = {"/frames/rotation", CAIRN_ROW_FRAME_BODY, CAIRN_FIELD_REAL, 4, 1},
    [CAIRN_F_VELOCITY] = {"/frames/velocity", CAIRN_ROW_FRAME_BODY, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_ANGULAR_VELOCITY] = {"/frames/angular_velocity", CAIRN_ROW_FRAME_BODY, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_JOINT_COORDINATE] = {"/frames/joint_coordinate", CAIRN_ROW_FRAME_JOINT, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_JOINT_FORCE] = {"/frames/joint_force", CAIRN_ROW_FRAME_JOINT, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_JOINT_TORQUE] = {"/frames/joint_torque", CAIRN_ROW_FRAME_JOINT, CAIRN_FIELD_REAL, 3, 1},
    [CAIRN_F_JOINT_DRIVE] = {"/frames/joint_drive", CAIRN_ROW_FRAME_JOINT, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_JOINT_GAP] = {"/frames/joint_gap", CAIRN_ROW_FRAME_JOINT, CAIRN_FIELD_REAL, 1, 1},
    [CAIRN_F_NODE_POSITION] = {"/frames/node_position", CAIRN_ROW_FRAME_NODE, CAIRN_FIELD_REAL, 3, 2},
    [CAIRN_F_NODE_VELOCITY] = {"/frames/node_velocity", CAIRN_ROW_FRAME_NODE, CAIRN_FIELD_REAL, 3, 2},
    [CAIRN_F_NODE_MISES] = {"/frames/node_mises", CAIRN_ROW_FRAME_STRESS, CAIRN_FIELD_REAL, 1, 2},
    [CAIRN_F_NODE_REACTION] = {"/frames/node_reaction", CAIRN_ROW_FRAME_HELD, CAIRN_FIELD_REAL, 3, 8},
};

const cairn_field_info *cairn_field_get(int field) {
    return &table[field];
}

size_t cairn_field_bytes(int field) {
    static const size_t bytes[] = {sizeof(double), sizeof(int64_t), sizeof(int32_t), 1, 1};
    return bytes[table[field].type] * (size_t)table[field].columns;
}

static size_t padded(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

size_t cairn_rows_size(const cairn_rows *rows) {
    size_t size = sizeof rows->count;
    for (int f = 0; f < CAIRN_FIELDS; f++) {
        int64_t count = rows->count[table[f].kind];
        if (count < 0 || (uint64_t)count > (SIZE_MAX / 2 - size) / cairn_field_bytes(f))
            return 0;
        size += padded((size_t)count * cairn_field_bytes(f));
    }
    return size;
}

static void place(cairn_rows *rows) {
    size_t at = sizeof rows->count;
    for (int f = 0; f < CAIRN_FIELDS; f++) {
        rows->field[f] = rows->block + at;
        at += padded((size_t)rows->count[table[f].kind] * cairn_field_bytes(f));
    }
    rows->size = at;
}

cairn_status cairn_rows_prepare(cairn_context *context, cairn_rows *rows) {
    size_t size = cairn_rows_size(rows);
    if (size == 0)
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "recording: a frame is too large for this machine");
    if (size > rows->capacity) {
        size_t room = size + size / 4;
        char *larger = cairn_alloc_raw(context, room, 1);
        if (larger == NULL)
            return CAIRN_ERROR_MEMORY;
        cairn_free(context, rows->block);
        rows->block = larger;
        rows->capacity = room;
    }
    memset(rows->block, 0, size);
    memcpy(rows->block, rows->count, sizeof rows->count);
    place(rows);
    return CAIRN_OK;
}

bool cairn_rows_open(cairn_rows *rows, size_t size) {
    if (size < sizeof rows->count)
        return false;
    memcpy(rows->count, rows->block, sizeof rows->count);
    if (cairn_rows_size(rows) != size)
        return false;
    place(rows);
    return true;
}

void cairn_rows_free(cairn_context *context, cairn_rows *rows) {
    cairn_free(context, rows->block);
    *rows = (cairn_rows){0};
}
