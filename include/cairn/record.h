/*
 * record.h: recordings of worlds: one HDF5 file with all that a viewer or an evaluation needs (docs/formats.md), and checkpoints in files.
 *
 *     cairn_record_create -> cairn_record_step after every step -> cairn_record_close
 *     cairn_recording_open -> cairn_recording_frame ... -> cairn_recording_close
 *
 * While a run goes on, its steps are in a journal beside the file ("RUN.h5.journal"). When cairn_record_step returns, the step
 * survives the end of the program by any means. Closing folds the journal into the file, and so does going on with the recording of a run that was killed.
 * Reading changes nothing: it folds the journal of such a run into a copy of its own.
 */
#ifndef CAIRN_RECORD_H
#define CAIRN_RECORD_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_record cairn_record;

typedef struct cairn_body_label {
    cairn_body body;
    const char *name;
} cairn_body_label;
typedef struct cairn_joint_label {
    cairn_joint joint;
    const char *name;
} cairn_joint_label;

/* Called while a journal is folded into its file, with the part of it that is in, from 0 to 1. false stops: the call that folds then fails
 * with CAIRN_ERROR_CANCELLED, file and journal are what they were, and the next opening folds again. */
typedef bool (*cairn_fold_watch)(void *user, double part);

/* Names are cut to 63 bytes, with a warning in the log. What has none is called "body 3", "joint 2" after its slot. Labels are read by the call that
 * they are given to, and not kept. */
typedef struct cairn_record_options {
    uint32_t cookie;
    int every; /* steps to a frame; default 1. Works and counts of uncertified steps are summed over the steps between, the depth that was left and fall-backs are the worst */
    int sync_every; /* frames between two flushes to the disk (fsync); default 100; 0: only when closed. A killed program loses
                       nothing in any case; a machine that loses power may lose this many frames */
    bool
        resume; /* goes on with the recording at path: its frames after the world's present step are dropped. When there is
                       none it is made */
    bool stress;            /* von Mises' stress at the nodes of flexible parts too; default false */
    cairn_fold_watch watch; /* sees the folding when the recording is closed, and when it is continued; NULL: none */
    void *watch_user;
    int body_labels;
    const cairn_body_label *body_label;
    int joint_labels;
    const cairn_joint_label *joint_label;
} cairn_record_options;

CAIRN_API cairn_record_options cairn_default_record_options(void);

/* Begins a recording with a frame of the present state. An older file at path is replaced. scene_text (NULL: "") is kept in the file.
 * options may be NULL. */
CAIRN_API cairn_status cairn_record_create(cairn_context *context, const char *path, const cairn_world *world,
                                           const char *scene_text, const cairn_record_options *options,
                                           cairn_record **record);
/* After every step, with its report. Fails when the journal was removed or changed by somebody else. */
CAIRN_API cairn_status cairn_record_step(cairn_record *record, const cairn_world *world,
                                         const cairn_step_report *report);
/* A frame of the last step that cairn_record_step was given, with its report, where `every` left it out; nothing where it is recorded. Before a checkpoint, and at the end, so that no work is
 * lost to a recording that goes on from there. */
CAIRN_API cairn_status cairn_record_frame(cairn_record *record, const cairn_world *world,
                                          const cairn_step_report *report);
/* Folds the journal into the file. The record is gone also when this fails; the journal then stays, and can be read.
 * NULL allowed. */
CAIRN_API cairn_status cairn_record_close(cairn_record *record);

/* What the contact did in the step: no impulse, or surfaces that part with an impulse too small to change a velocity by the world's tolerance_velocity; an
 * impulse without sliding; sliding faster than tolerance_velocity; pushed with all it bears (cap of its material) and sinking faster than that. */
typedef enum cairn_contact_status {
    CAIRN_CONTACT_OPEN = 0,
    CAIRN_CONTACT_STICK,
    CAIRN_CONTACT_SLIP,
    CAIRN_CONTACT_CRUSH
} cairn_contact_status;

typedef struct cairn_recording cairn_recording;

/* Opens a recording, with the journal of a run that was killed. Neither is changed. What of the journal cannot be read is told in the log and counted in
 * cairn_recording_info. */
CAIRN_API cairn_status cairn_recording_open(cairn_context *context, const char *path, cairn_recording **recording);
/* The same, and watch (NULL: none) sees the folding. */
CAIRN_API cairn_status cairn_recording_open_watched(cairn_context *context, const char *path, cairn_fold_watch watch,
                                                    void *user, cairn_recording **recording);
CAIRN_API void cairn_recording_close(cairn_recording *recording); /* NULL allowed */

/* Texts and arrays here and below belong to the recording, until it is closed. */
typedef struct cairn_recording_info {
    int64_t frames;
    int shapes, bodies, joints, parts; /* ever seen; parts: flexible ones, which are bodies too */
    const char *scene;                 /* its text */
    const char *version;               /* of Cairn */
    const char *instructions;          /* "avx2", "x86-64", "portable" */
    const char *method, *law;
    double step;               /* s */
    double tolerance;          /* what the method aims at first, relative */
    double tolerance_velocity; /* certificate asked of the steps, m/s; 0: an older recording, which does not say */
    bool live;                 /* a run is still writing: its newest frames are not seen yet */
    const char *path;          /* as it was opened */
    int64_t
        damaged; /* places of the journal that cannot be read, or 1 for a journal of another recording; frames there are lost, those behind them are not */
} cairn_recording_info;
CAIRN_API cairn_recording_info cairn_recording_get(const cairn_recording *recording);
CAIRN_API cairn_context *cairn_recording_context(const cairn_recording *recording); /* that it was opened with */

/* size: sphere (r, 0, 0); capsule, cylinder (r, half the axis, 0); cone (r, height, 0); box half sides; ellipsoid half axes. */
typedef struct cairn_recorded_shape {
    cairn_shape_kind kind;
    double size[3];
    int points, triangles, children;
    const double *point;      /* 3 a point: of a hull or a mesh */
    const int *triangle;      /* 3 a triangle: points, counter-clockwise from outside */
    const int *child;         /* shapes */
    const double *child_pose; /* 7 a child: position, rotation (w, x, y, z) */
} cairn_recorded_shape;
CAIRN_API cairn_status cairn_recording_shape(const cairn_recording *recording, int index, cairn_recorded_shape *shape);

typedef struct cairn_recorded_body {
    const char *name;
    cairn_body_kind kind;
    int shape;             /* -1: none */
    double mass;           /* kg; 0 when it cannot be pushed */
    const double *center;  /* 3: of mass, in the shape's frame */
    const double *inertia; /* 9: about it, row by row */
} cairn_recorded_body;
CAIRN_API cairn_status cairn_recording_body(const cairn_recording *recording, int index, cairn_recorded_body *body);

typedef struct cairn_recorded_joint {
    const char *name;
    cairn_joint_kind kind;
    int a, b;                        /* bodies; -1: the world */
    const double *frame_a, *frame_b; /* 7: in the shapes' frames of a and b */
} cairn_recorded_joint;
CAIRN_API cairn_status cairn_recording_joint(const cairn_recording *recording, int index, cairn_recorded_joint *joint);

#define CAIRN_ELEMENT_NODES 10 /* most nodes of an element */

/* A flexible part: a body without a shape, whose position in frames is its centre of mass. */
typedef struct cairn_recorded_part {
    int body;
    int nodes, faces, lines;
    int64_t first;        /* of its nodes in the arrays of a frame */
    const int *face;      /* 3 a face of the outer skin: nodes of the part, from 0, counter-clockwise from outside */
    const int *line;      /* 2 a beam: nodes of the part */
    const double *radius; /* lines: m */
    int elements;         /* 0 in recordings of older versions */
    const int *kind;      /* elements: cairn_element_kind */
    const int
        *element; /* CAIRN_ELEMENT_NODES an element: nodes of the part in the order of fem.h, -1 behind the last */
} cairn_recorded_part;
CAIRN_API cairn_status cairn_recording_part(const cairn_recording *recording, int index, cairn_recorded_part *part);

/* One frame. Arrays are valid until the next call for a frame. What did not exist at the time is NAN. */
typedef struct cairn_frame {
    int64_t step;
    double time;
    int bodies, joints, contacts;
    const double *position;                                         /* 3 a body: of the shape's frame */
    const double *rotation;                                         /* 4 a body: w, x, y, z */
    const double *velocity;                                         /* 3 a body: of the centre of mass */
    const double *angular_velocity;                                 /* 3 a body: world axes */
    const int *contact_body;                                        /* 2 a contact */
    const double *contact_point, *contact_normal, *contact_impulse; /* 3 a contact; as in cairn_world_contact */
    const double *contact_gap, *contact_mu;
    const double *contact_residual; /* how far from its law, m/s, as the certificate measures it */
    const uint8_t *contact_status;  /* cairn_contact_status */
    const double *joint_coordinate, *joint_drive, *joint_gap;
    const double *joint_force, *joint_torque;    /* 3 a joint: on b */
    int nodes;                                   /* of all flexible parts */
    const double *node_position, *node_velocity; /* 3 a node */
    const double *node_mises;                    /* Pa; NULL: not recorded */
    const double
        *node_reaction; /* 3 a node: what holds it, N; 0 where nothing is held; NULL: no part has holds, or of an
                                    older recording */
    double kinetic, potential, elastic; /* J */
    double friction_work, impact_work;  /* J, lost since the frame before */
    double created_work, joint_work,
        load_work; /* J, come in since the frame before: cairn_energy; 0 in recordings of older versions */
    bool certified;
    int uncertified; /* steps since the frame before that were not */
    cairn_outcome outcome;
    double error; /* of the certificate: exact for free velocities within this, m/s; NAN: of an older recording */
    double error_angular; /* the same of rows in rad/s */
    double error_rms;     /* root of the mean square over the blocks, m/s */
    double natural_map;   /* of older recordings; NAN in new ones */
    int iterations, factorizations, partial_factorizations, linear_solves, solves, projections, missed, rows;
    double deepest; /* m */
    double depth;   /* overlap that was left, m, */
    double
        depth_tolerance; /* and how deep it might be: of the step since the frame before that came nearest to that, or went furthest beyond; 0: nothing overlapped; NAN: of an older recording */
    bool
        apart; /* in every step since the frame before no bodies were left deeper in each other, and none was missed; true in recordings of older versions */
    int fallbacks; /* most islands of a step since the frame before that moved without meeting their rows, as no such motion was found; 0 in recordings of older versions */
    int inverted; /* most elements of flexible parts that were inside out after a step since the frame before; 0 in recordings of older versions */
    double seconds_collide, seconds_assemble, seconds_solve, seconds_total;
    const char *note; /* of the solver */
} cairn_frame;
CAIRN_API cairn_status cairn_recording_frame(cairn_recording *recording, int64_t index, cairn_frame *frame);
/* The time of a frame alone, s. */
CAIRN_API cairn_status cairn_recording_time(cairn_recording *recording, int64_t index, double *time);

/* Checkpoints in files; cairn_world_save and cairn_world_load_state say what they hold. A write is complete or leaves the old file. */
CAIRN_API cairn_status cairn_checkpoint_write(const cairn_world *world, const char *path);
CAIRN_API cairn_status cairn_checkpoint_read(cairn_world *world, const char *path);

#ifdef __cplusplus
}
#endif
#endif
