/*
 * surface.h: shapes as triangles, for programs that know no spheres and boxes.
 */
#ifndef CAIRN_VIEW_SURFACE_H
#define CAIRN_VIEW_SURFACE_H

#include "pack.h"

#include <cairn/view.h>

/* Triangles with a normal at each corner; corners of edges are there once for each side. */
typedef struct cairn_surface {
    cairn_bytes point, normal; /* 3 floats each */
    cairn_bytes corner;        /* 3 int32 a triangle, counter-clockwise from outside */
} cairn_surface;

/* The triangles of a shape in its own frame, appended to surface. A plane becomes a square of half side plane. segments: around a circle. */
void cairn_surface_add(cairn_surface *surface, const cairn_recording *recording, int shape, int segments, double plane);
int cairn_surface_points(const cairn_surface *surface);
int cairn_surface_triangles(const cairn_surface *surface);
bool cairn_surface_failed(const cairn_surface *surface);
void cairn_surface_free(cairn_surface *surface);

/* The surfaces of all shapes of a recording. */
typedef struct cairn_surfaces {
    cairn_context *context;
    cairn_surface *item;
    int count;
} cairn_surfaces;
/* Fine for few bodies, coarse for many. */
cairn_status cairn_surfaces_make(cairn_recording *recording, cairn_surfaces *surfaces);
void cairn_surfaces_free(cairn_surfaces *surfaces);

#endif
