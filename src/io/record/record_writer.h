/*
 * record_writer.h: a recording in the making.
 */
#ifndef CAIRN_IO_RECORD_RECORD_WRITER_H
#define CAIRN_IO_RECORD_RECORD_WRITER_H

#include "io/record/record_journal.h"
#include "io/record/record_fields.h"

#include <cairn/record.h>

typedef struct cairn_known {
    uint32_t slot, generation;
} cairn_known;

typedef struct cairn_known_part {
    int body;      /* row */
    int64_t first; /* of its nodes */
    int nodes;
} cairn_known_part;

/* What a frame says of all steps since the frame before. */
typedef struct cairn_record_since {
    cairn_energy work; /* energies are not in it */
    int uncertified;
    double depth, depth_tolerance; /* of the step whose depth is the largest part of its tolerance */
    int overlapping;               /* steps that were not apart */
    int fallbacks;                 /* most of a step */
    int inverted;                  /* most of a step */
} cairn_record_since;

struct cairn_record {
    cairn_context *context;
    char *path;
    int every;
    cairn_journal journal;
    cairn_rows rows;
    int64_t total[CAIRN_ROW_KINDS]; /* rows in file and journal */
    int shapes, shape_capacity;     /* known ones, in the order of their rows */
    uint64_t *shape;                /* hashes */
    int bodies, body_capacity;
    cairn_known *body;
    int slots, slot_capacity;
    int *row_of_slot; /* newest row of a body's slot, -1: none */
    int joints, joint_capacity;
    cairn_known *joint;
    int parts, part_capacity;
    cairn_known_part *part; /* flexible parts, in the order of their rows */
    int64_t nodes;          /* of all of them */
    bool stress;            /* stresses are recorded */
    bool held;              /* reactions are recorded: a part has holds */
    cairn_record_since since;
    bool pending; /* the last step is not in a frame */
    bool fresh;   /* the journal holds nothing but what this recording put there */
    cairn_fold_watch watch;
    void *watch_user;
};

/* Rows of all that is new in the world, and a frame with this report. On failure nothing is
 * known that was not before. */
cairn_status cairn_record_gather(cairn_record *record, const cairn_world *world, const cairn_step_report *report,
                                 const cairn_record_options *labels);
/* Notes a body or shape or joint that is in the file already. */
cairn_status cairn_record_know_shape(cairn_record *record, uint64_t hash);
cairn_status cairn_record_know_body(cairn_record *record, cairn_known body);
cairn_status cairn_record_know_joint(cairn_record *record, cairn_known joint);
cairn_status cairn_record_know_part(cairn_record *record, int body, int nodes);
/* Flexible parts of a gathering (record_gather_flexible.c): those from number `first` on are
 * new. Counts their rows; fills them and the nodes of all. */
void cairn_record_count_parts(cairn_record *record, const cairn_world *world, int first, int64_t *count);
void cairn_record_fill_parts(cairn_record *record, const cairn_world *world, int first);

#endif
