/*
 * record_fields.h: what a recording is made of: rows of several kinds, each with its fields. One
 * table (record_fields.c) serves the journal, the HDF5 file and the reader.
 */
#ifndef CAIRN_IO_RECORD_RECORD_FIELDS_H
#define CAIRN_IO_RECORD_RECORD_FIELDS_H

#include "base/core.h"

#define CAIRN_RECORD_NAME 64  /* bytes of a name, with its NUL */
#define CAIRN_RECORD_NOTE 256 /* bytes of a solver's note, with its NUL */

/* Kinds of rows. The last five are tables in the file: frames by bodies, by joints, by nodes of
 * flexible parts, by nodes with stresses, by nodes with reactions. */
typedef enum cairn_row_kind {
    CAIRN_ROW_SHAPE = 0,
    CAIRN_ROW_POINT,
    CAIRN_ROW_TRIANGLE,
    CAIRN_ROW_CHILD,
    CAIRN_ROW_BODY,
    CAIRN_ROW_JOINT,
    CAIRN_ROW_PART,
    CAIRN_ROW_FACE,
    CAIRN_ROW_LINE,
    CAIRN_ROW_ELEMENT,
    CAIRN_ROW_FRAME,
    CAIRN_ROW_CONTACT,
    CAIRN_ROW_FRAME_BODY,
    CAIRN_ROW_FRAME_JOINT,
    CAIRN_ROW_FRAME_NODE,
    CAIRN_ROW_FRAME_STRESS,
    CAIRN_ROW_FRAME_HELD,
    CAIRN_ROW_KINDS
} cairn_row_kind;

typedef enum cairn_field_type {
    CAIRN_FIELD_REAL = 0, /* double */
    CAIRN_FIELD_LONG,     /* int64_t */
    CAIRN_FIELD_INT,      /* int32_t */
    CAIRN_FIELD_BYTE,     /* uint8_t */
    CAIRN_FIELD_TEXT      /* columns bytes, NUL at the end */
} cairn_field_type;

typedef enum cairn_field {
    CAIRN_F_SHAPE_KIND = 0,
    CAIRN_F_SHAPE_SIZE,
    CAIRN_F_SHAPE_POINT_FIRST,
    CAIRN_F_SHAPE_POINT_COUNT,
    CAIRN_F_SHAPE_TRIANGLE_FIRST,
    CAIRN_F_SHAPE_TRIANGLE_COUNT,
    CAIRN_F_SHAPE_CHILD_FIRST,
    CAIRN_F_SHAPE_CHILD_COUNT,
    CAIRN_F_SHAPE_HASH,
    CAIRN_F_POINT,
    CAIRN_F_TRIANGLE,
    CAIRN_F_CHILD_SHAPE,
    CAIRN_F_CHILD_POSE,
    CAIRN_F_BODY_NAME,
    CAIRN_F_BODY_KIND,
    CAIRN_F_BODY_SHAPE,
    CAIRN_F_BODY_MASS,
    CAIRN_F_BODY_CENTER,
    CAIRN_F_BODY_INERTIA,
    CAIRN_F_BODY_SLOT,
    CAIRN_F_BODY_GENERATION,
    CAIRN_F_JOINT_NAME,
    CAIRN_F_JOINT_KIND,
    CAIRN_F_JOINT_A,
    CAIRN_F_JOINT_B,
    CAIRN_F_JOINT_FRAME_A,
    CAIRN_F_JOINT_FRAME_B,
    CAIRN_F_JOINT_SLOT,
    CAIRN_F_JOINT_GENERATION,
    CAIRN_F_PART_BODY,
    CAIRN_F_PART_NODE_FIRST,
    CAIRN_F_PART_NODE_COUNT,
    CAIRN_F_PART_FACE_FIRST,
    CAIRN_F_PART_FACE_COUNT,
    CAIRN_F_PART_LINE_FIRST,
    CAIRN_F_PART_LINE_COUNT,
    CAIRN_F_PART_ELEMENT_FIRST,
    CAIRN_F_PART_ELEMENT_COUNT,
    CAIRN_F_FACE,
    CAIRN_F_LINE,
    CAIRN_F_LINE_RADIUS,
    CAIRN_F_ELEMENT_KIND,
    CAIRN_F_ELEMENT_NODE,
    CAIRN_F_STEP,
    CAIRN_F_TIME,
    CAIRN_F_KINETIC,
    CAIRN_F_POTENTIAL,
    CAIRN_F_ELASTIC,
    CAIRN_F_FRICTION_WORK,
    CAIRN_F_IMPACT_WORK,
    CAIRN_F_CREATED_WORK,
    CAIRN_F_JOINT_WORK,
    CAIRN_F_LOAD_WORK,
    CAIRN_F_CERTIFIED,
    CAIRN_F_UNCERTIFIED,
    CAIRN_F_OUTCOME,
    CAIRN_F_NATURAL_MAP,
    CAIRN_F_ERROR,
    CAIRN_F_ERROR_ANGULAR,
    CAIRN_F_ERROR_RMS,
    CAIRN_F_ITERATIONS,
    CAIRN_F_FACTORIZATIONS,
    CAIRN_F_PARTIAL_FACTORIZATIONS,
    CAIRN_F_LINEAR_SOLVES,
    CAIRN_F_SOLVES,
    CAIRN_F_PROJECTIONS,
    CAIRN_F_MISSED,
    CAIRN_F_ROWS,
    CAIRN_F_DEEPEST,
    CAIRN_F_DEPTH,
    CAIRN_F_DEPTH_TOLERANCE,
    CAIRN_F_APART,
    CAIRN_F_FALLBACKS,
    CAIRN_F_INVERTED,
    CAIRN_F_SECONDS,
    CAIRN_F_NOTE,
    CAIRN_F_CONTACT_FIRST,
    CAIRN_F_CONTACT_COUNT,
    CAIRN_F_CONTACT_BODY,
    CAIRN_F_CONTACT_POINT,
    CAIRN_F_CONTACT_NORMAL,
    CAIRN_F_CONTACT_IMPULSE,
    CAIRN_F_CONTACT_GAP,
    CAIRN_F_CONTACT_MU,
    CAIRN_F_CONTACT_STATUS,
    CAIRN_F_CONTACT_RESIDUAL,
    CAIRN_F_POSITION,
    CAIRN_F_ROTATION,
    CAIRN_F_VELOCITY,
    CAIRN_F_ANGULAR_VELOCITY,
    CAIRN_F_JOINT_COORDINATE,
    CAIRN_F_JOINT_FORCE,
    CAIRN_F_JOINT_TORQUE,
    CAIRN_F_JOINT_DRIVE,
    CAIRN_F_JOINT_GAP,
    CAIRN_F_NODE_POSITION,
    CAIRN_F_NODE_VELOCITY,
    CAIRN_F_NODE_MISES,
    CAIRN_F_NODE_REACTION,
    CAIRN_FIELDS
} cairn_field;

typedef struct cairn_field_info {
    const char *path; /* in the HDF5 file */
    cairn_row_kind kind;
    cairn_field_type type;
    int columns;
    int since; /* version of the format that it came with: 0 and 1 are the first */
} cairn_field_info;

#define CAIRN_RECORD_VERSION 8

const cairn_field_info *cairn_field_get(int field);
size_t cairn_field_bytes(int field); /* of one row */

/* Rows of every kind in one block, field after field, behind the counts. The block is what a
 * journal record holds. */
typedef struct cairn_rows {
    int64_t count[CAIRN_ROW_KINDS];
    void *field[CAIRN_FIELDS];
    char *block;
    size_t size, capacity;
} cairn_rows;

/* Room for the rows in count, zeroed; sets field. */
cairn_status cairn_rows_prepare(cairn_context *context, cairn_rows *rows);
/* Bytes of the block for rows->count; 0: they overflow or are negative. */
size_t cairn_rows_size(const cairn_rows *rows);
/* Takes counts and fields from a block of size bytes in rows->block; false: it does not fit. */
bool cairn_rows_open(cairn_rows *rows, size_t size);
void cairn_rows_free(cairn_context *context, cairn_rows *rows);

#endif
