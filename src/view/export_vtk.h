/*
 * export_vtk.h: one frame as points and triangles in the world, for VTK's formats.
 */
#ifndef CAIRN_VIEW_EXPORT_VTK_H
#define CAIRN_VIEW_EXPORT_VTK_H

#include "skin.h"

/* Bodies of a frame that exist and have a shape. */
typedef struct cairn_scene_mesh {
    cairn_bytes point;    /* 3 floats */
    cairn_bytes corner;   /* 3 int64 a triangle */
    cairn_bytes body;     /* int32 a point */
    cairn_bytes velocity; /* 3 floats a point: of the body's centre of mass */
} cairn_scene_mesh;

void cairn_scene_mesh_fill(cairn_scene_mesh *mesh, cairn_recording *recording, const cairn_skins *surfaces,
                           const cairn_frame *frame);
bool cairn_scene_mesh_failed(const cairn_scene_mesh *mesh);
void cairn_scene_mesh_free(cairn_scene_mesh *mesh);

#endif
