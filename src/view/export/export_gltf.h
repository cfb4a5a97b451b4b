/*
 * export_gltf.h: what the parts of the glTF writer share.
 */
#ifndef CAIRN_VIEW_EXPORT_EXPORT_GLTF_H
#define CAIRN_VIEW_EXPORT_EXPORT_GLTF_H

#include "view/byte_columns.h"

#include <cairn/view.h>

/* Kinds of numbers and of use, as the format numbers them. */
enum { CAIRN_GLTF_FLOAT = 5126, CAIRN_GLTF_UNSIGNED = 5125, CAIRN_GLTF_VERTICES = 34962, CAIRN_GLTF_INDICES = 34963 };

/* A flexible part: a mesh with one target for each shape after the first. */
typedef struct cairn_gltf_part {
    int body, mesh;          /* mesh: -1 none */
    int vertices, triangles; /* of skin and rods together */
    int skin;                /* the first vertices are nodes of the skin */
    int *node;               /* skin: nodes of the part */
    int *vertex;             /* nodes of the part: their vertex, -1: inside */
    int corner;              /* accessor of the triangles */
    int *position, *normal;  /* shapes: accessors; the first one holds places, the others what is added to them */
    float *first, *now,
        *rod; /* 6 per vertex: place about the centre, normal; 3 per rod: a direction across it that turns with it */
} cairn_gltf_part;

typedef struct cairn_gltf {
    cairn_context *context;
    cairn_recording *recording;
    cairn_recording_info info;
    const int64_t *frame;
    int frames;
    cairn_bytes data;             /* the binary chunk */
    cairn_bytes views, accessors; /* JSON */
    int view_count, accessor_count;
    float *pose;          /* 8 per frame and body: position, rotation x y z w, present; body by body */
    unsigned char *moves; /* bodies; 2: it is not there all the time */
    unsigned char *soft;  /* bodies: a flexible part, which only its centre and its shape move */
    cairn_gltf_part *part;
    int parts, shapes; /* shapes of every part */
    int shape_time;    /* accessor: when they are taken */
    int shape_weight;  /* accessor: one row a shape */
} cairn_gltf;

/* Adds numbers as a view and an accessor; returns the accessor. limits: "" or text with min and
 * max. target 0: none. */
int cairn_gltf_accessor(cairn_gltf *g, const void *values, size_t size, int component, int count, const char *type,
                        int target, const char *limits);
/* min and max of count rows of width (1 or 3) numbers, as text. */
void cairn_gltf_limits(const float *x, int count, int width, char *text, size_t size);

/* Flexible parts (export_gltf_flexible.c). make finds vertices and triangles and takes the
 * shapes; meshes adds their meshes, the next one of which has the number *mesh; channels adds
 * their animations, the next sampler of which has the number *sampler. */
cairn_status cairn_gltf_parts_make(cairn_gltf *g);
void cairn_gltf_parts_meshes(cairn_gltf *g, int *mesh, cairn_bytes *out);
void cairn_gltf_parts_channels(const cairn_gltf *g, int *sampler, cairn_bytes *samplers, cairn_bytes *channels);
void cairn_gltf_parts_free(cairn_gltf *g);

#endif
