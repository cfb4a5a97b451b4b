/*
 * export_vtk.h: one frame as points and cells in the world, for VTK's formats.
 */
#ifndef CAIRN_VIEW_EXPORT_EXPORT_VTK_H
#define CAIRN_VIEW_EXPORT_EXPORT_VTK_H

#include "view/tessellate.h"

/* VTK's numbers of cells. */
enum { CAIRN_VTK_VERTEX = 1, CAIRN_VTK_LINE = 3, CAIRN_VTK_TRIANGLE = 5 };

/* Bodies of a frame that exist and have a shape. */
typedef struct cairn_scene_mesh {
    cairn_bytes point;    /* 3 floats */
    cairn_bytes corner;   /* 3 int64 per triangle */
    cairn_bytes body;     /* int32 per point */
    cairn_bytes velocity; /* 3 floats per point: of the body's centre of mass */
} cairn_scene_mesh;

void cairn_scene_mesh_fill(cairn_scene_mesh *mesh, cairn_recording *recording, const cairn_skins *surfaces,
                           const cairn_frame *frame);
bool cairn_scene_mesh_failed(const cairn_scene_mesh *mesh);
void cairn_scene_mesh_free(cairn_scene_mesh *mesh);

/* The cells of a flexible part: its elements; in recordings without them its skin and its beams. */
typedef struct cairn_part_cells {
    cairn_bytes corner; /* int64: nodes of the part from 0, cell by cell */
    cairn_bytes end;    /* int64 a cell: corners up to its last one */
    cairn_bytes type;   /* uint8 a cell: VTK's number */
    cairn_bytes radius; /* double a cell: m, of a beam; 0 for all others */
} cairn_part_cells;

/* All flexible parts of a recording. */
typedef struct cairn_parts {
    cairn_context *context;
    cairn_part_cells *item;
    double *start; /* 3 per node: its place in the first frame that has it; NAN: none has */
    int count;
    bool stress; /* frames hold von Mises' stress */
} cairn_parts;
cairn_status cairn_parts_make(cairn_recording *recording, cairn_parts *parts);
void cairn_parts_free(cairn_parts *parts);

/* Is the part there in a frame? */
bool cairn_part_present(const cairn_frame *frame, const cairn_recorded_part *part);
/* Displacements (3 doubles per node: place less that in parts->start) and speeds (1 per node, m/s)
 * of a part that is there; out is emptied first. */
void cairn_part_displacement(const cairn_parts *parts, const cairn_frame *frame, const cairn_recorded_part *part,
                             cairn_bytes *out);
void cairn_part_speed(const cairn_frame *frame, const cairn_recorded_part *part, cairn_bytes *out);

#endif
