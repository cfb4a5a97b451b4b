/*
 * tessellate.h: shapes as triangles, for programs that know no spheres and boxes.
 */
#ifndef CAIRN_VIEW_TESSELLATE_H
#define CAIRN_VIEW_TESSELLATE_H

#include "view/byte_columns.h"

#include <cairn/view.h>

/* Triangles with a normal at each corner; corners of edges are there once for each side. */
typedef struct cairn_skin {
    cairn_bytes point, normal; /* 3 floats each */
    cairn_bytes corner;        /* 3 int32 per triangle, counter-clockwise from outside */
} cairn_skin;

/* The triangles of a shape in its own frame, appended to surface. A plane becomes a square of
 * half side plane. segments: around a circle. */
void cairn_skin_add(cairn_skin *surface, const cairn_recording *recording, int shape, int segments, double plane);
int cairn_skin_points(const cairn_skin *surface);
int cairn_skin_triangles(const cairn_skin *surface);
bool cairn_skin_failed(const cairn_skin *surface);
void cairn_skin_free(cairn_skin *surface);

/* The surfaces of all shapes of a recording. */
typedef struct cairn_skins {
    cairn_context *context;
    cairn_skin *item;
    int count;
} cairn_skins;
/* Fine for few bodies, coarse for many. */
cairn_status cairn_skins_make(cairn_recording *recording, cairn_skins *surfaces);
void cairn_skins_free(cairn_skins *surfaces);

#endif
