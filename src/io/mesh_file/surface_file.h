/*
 * surface_file.h: the parts of reading surfaces.
 */
#ifndef CAIRN_IO_MESH_FILE_SURFACE_FILE_H
#define CAIRN_IO_MESH_FILE_SURFACE_FILE_H

#include "base/core.h"

#include <cairn/scene.h>

#define CAIRN_SURFACE_MAX 20000000 /* points, triangles */

/* Room for so many points and triangles; all zero. */
cairn_status cairn_surface_take(cairn_context *context, int points, int triangles, cairn_surface *surface);

/* All bytes of a file, to be freed by the caller. */
cairn_status cairn_bytes_read(cairn_context *context, const char *path, char **bytes, size_t *size);

/* Wavefront OBJ. The caller has set the "C" locale. */
cairn_status cairn_surface_obj(cairn_context *context, const char *text, size_t size, const char *name,
                               cairn_surface *surface);

/* Cuts the polygon of n >= 3 points, numbers loop[0 .. n), into n - 2 triangles; works also
 * where it is not convex. order: workspace for n integers. */
void cairn_surface_cut(const cairn_vec3 *point, int n, const int *loop, int *order, int *corner);

#endif
