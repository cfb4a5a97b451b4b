/*
 * mesh_grid.h: meshes from a grid of bricks, kept as bricks or cut into tetrahedra.
 */
#ifndef CAIRN_FEM_MESH_MESH_GRID_H
#define CAIRN_FEM_MESH_MESH_GRID_H

#include "fem/mesh/mesh.h"

/* Where the corner (u, v, w) of the grid goes; u, v, w in [-1, 1]. */
typedef cairn_vec3 (*cairn_fem_map)(const void *user, double u, double v, double w);

/* A grid of cells[0] x cells[1] x cells[2] bricks, x fastest, as elements of that kind. name: of the shape, for messages. */
cairn_status cairn_fem_mesh_grid(cairn_context *context, const char *name, cairn_element_kind kind, const int cells[3],
                                 int tetrahedra, cairn_fem_map map, const void *user, cairn_fem_mesh **mesh);

#endif
