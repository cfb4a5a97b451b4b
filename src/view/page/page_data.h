/*
 * page_data.h: what the parts of the replay page's writer share. docs/viewer.md describes the data.
 */
#ifndef CAIRN_VIEW_PAGE_PAGE_DATA_H
#define CAIRN_VIEW_PAGE_PAGE_DATA_H

#include "view/byte_columns.h"

#include <cairn/view.h>

/* The figures of a frame, in the order of the block "series". */
typedef enum cairn_series {
    CAIRN_SERIES_STEP = 0,
    CAIRN_SERIES_TIME,
    CAIRN_SERIES_KINETIC,
    CAIRN_SERIES_POTENTIAL,
    CAIRN_SERIES_ELASTIC,  /* in flexible parts */
    CAIRN_SERIES_FRICTION, /* lost since the recording began */
    CAIRN_SERIES_IMPACT,
    CAIRN_SERIES_CERTIFIED,
    CAIRN_SERIES_UNCERTIFIED, /* steps since the frame before in the page */
    CAIRN_SERIES_OUTCOME,
    CAIRN_SERIES_NOTE, /* number of the note in the list of notes */
    CAIRN_SERIES_ERROR,
    CAIRN_SERIES_ERROR_ANGULAR,
    CAIRN_SERIES_ERROR_RMS,
    CAIRN_SERIES_ITERATIONS,
    CAIRN_SERIES_FACTORIZATIONS,
    CAIRN_SERIES_LINEAR_SOLVES,
    CAIRN_SERIES_SOLVES,
    CAIRN_SERIES_PROJECTIONS,
    CAIRN_SERIES_MISSED,
    CAIRN_SERIES_ROWS,
    CAIRN_SERIES_DEEPEST,
    CAIRN_SERIES_CONTACTS,
    CAIRN_SERIES_STICK,
    CAIRN_SERIES_SLIP,
    CAIRN_SERIES_STRONGEST, /* largest impulse, N s */
    CAIRN_SERIES_RESIDUAL,  /* largest residual of a contact, m/s: over all islands */
    CAIRN_SERIES_REACTION,  /* largest force of a joint, N */
    CAIRN_SERIES_COLLIDE,
    CAIRN_SERIES_ASSEMBLE,
    CAIRN_SERIES_SOLVE,
    CAIRN_SERIES_TOTAL,
    CAIRN_SERIES_PARTIAL_FACTORIZATIONS,
    CAIRN_SERIES_DEPTH, /* left by the worst step since the frame before in the page, m */
    CAIRN_SERIES_DEPTH_TOLERANCE,
    CAIRN_SERIES_FALLBACKS, /* most of a step since the frame before in the page */
    CAIRN_SERIES_INVERTED,  /* the same */
    CAIRN_SERIES_COUNT
} cairn_series;

const char *cairn_series_name(int series);

typedef struct cairn_box {
    double low[3], high[3];
} cairn_box;

enum {
    CAIRN_TRACKS = 15, /* numbers per body and frame: position, rotation, velocity, spin, island, present */
    CAIRN_NOTES = 64,  /* different notes that are kept; later ones count as the last */
    CAIRN_IMPULSE_BITS = 12
};

typedef struct cairn_view {
    cairn_context *context;
    cairn_recording *recording;
    cairn_recording_info info;
    int64_t *frame; /* frames: their numbers in the recording */
    int frames, chunk;

    int *moving; /* bodies that are not fixed, or whose pose changes */
    int movings;
    double *radius;     /* info.bodies: of a ball that holds the shape; 0: none or no end */
    double *middle;     /* 3 per body: centre of that ball in the shape's frame */
    double *first_pose; /* 7 per body, of the first frame; NAN: not there */
    double *series;     /* CAIRN_SERIES_COUNT x frames */
    double *mu;         /* mus: different coefficients of friction */
    int mus, mu_capacity;
    char note[CAIRN_NOTES][256];
    int notes;
    cairn_box start, end,
        all; /* of the bodies that move: most of them in the first and the last frame; all in all. low > high: empty */
    double position_quantum, velocity_quantum, spin_quantum;
    double point_quantum, least_gap; /* of contacts */
    int impulse_base;                /* impulses are m 2^(base + e) */

    int nodes;                      /* of all flexible parts */
    bool held;                      /* what holds them is recorded */
    double node_speed, node_stress; /* largest ones, m/s and Pa */

    int64_t contacts, kept;
    double share; /* of the contacts of a frame that are kept */
    int *parent;  /* info.bodies: of the islands' union */
} cairn_view;

/* Looks at all frames: series, bounds, who moves, quanta. */
cairn_status cairn_view_scan(cairn_view *view);
/* Grows a box by a ball about x. */
void cairn_box_grow(cairn_box *box, const double *x, double radius);
/* A point (x, y, z) of a body's frame in the world, to at (3). pose: position, rotation w x y z. */
void cairn_view_place(const double *pose, double x, double y, double z, double *at);
/* Radius and centre of a ball that holds a shape; 0: it has no end, or there is none. */
double cairn_view_ball(const cairn_recording *recording, int shape, double *middle);

/* The blocks of all chunks, as script elements, appended to out. */
cairn_status cairn_view_bodies(cairn_view *view, cairn_bytes *out);   /* and joints */
cairn_status cairn_view_contacts(cairn_view *view, cairn_bytes *out); /* sets kept */
/* Flexible parts (page_flexible.c): largest figures and radii; blocks "nodes-k"; their place in
 * the description. */
void cairn_view_scan_parts(cairn_view *view, const cairn_frame *frame);
cairn_status cairn_view_nodes(cairn_view *view, cairn_bytes *out);
cairn_status cairn_view_holds(cairn_view *view, cairn_bytes *out);
void cairn_view_meta_parts(const cairn_view *view, cairn_bytes *out);
/* Differences of one track over the count frames of a chunk, in place: first or second ones. */
void cairn_view_difference(int count, bool second, int32_t *x);

/* One block as a script element: deflated, as text. raw is emptied. */
void cairn_view_block(cairn_bytes *out, const char *name, int number, cairn_bytes *raw);
/* The description of the run as JSON in a script element. */
void cairn_view_meta(const cairn_view *view, const char *title, cairn_bytes *out);

#endif
