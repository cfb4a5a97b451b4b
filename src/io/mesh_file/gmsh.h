/*
 * gmsh.h: what a Gmsh file says, before it becomes a mesh.
 */
#ifndef CAIRN_IO_MESH_FILE_GMSH_H
#define CAIRN_IO_MESH_FILE_GMSH_H

#include "io/text/text_scan.h"

#include <cairn/fem.h>

#define CAIRN_GMSH_GROUPS_MAX 1000

/* Growing array of whole numbers. */
typedef struct cairn_gmsh_ints {
    int count, room;
    int *value;
} cairn_gmsh_ints;

/* An element type of Gmsh. kind: that of ours, -1: none, its elements only give sets of nodes,
 * -2: not read at all. */
typedef struct cairn_gmsh_type {
    const char *name;
    int dim, nodes, kind;
} cairn_gmsh_type;
/* NULL: no such number. */
const cairn_gmsh_type *cairn_gmsh_type_of(int number);

typedef struct cairn_gmsh_element {
    int type, tag, line;
    int first;           /* of its nodes (tags) in list */
    int physical, count; /* its physical groups in list: first and number */
} cairn_gmsh_element;

typedef struct cairn_gmsh_entity {
    int dim, tag, first, count; /* physical groups in list */
} cairn_gmsh_entity;

typedef struct cairn_gmsh_name {
    int dim, tag;
    char text[128];
} cairn_gmsh_name;

typedef struct cairn_gmsh {
    cairn_context *context;
    cairn_scan scan;
    bool version4;
    int nodes;
    int *node_tag;    /* nodes */
    cairn_vec3 *node; /* nodes */
    int elements;
    cairn_gmsh_element *element;
    int entities;
    cairn_gmsh_entity *entity;
    int names;
    cairn_gmsh_name *name;
    cairn_gmsh_ints list; /* nodes of elements, physical groups */
} cairn_gmsh;

cairn_status cairn_gmsh_push(cairn_context *context, cairn_gmsh_ints *list, int value);
/* Reads all sections. On failure the message is in scan. */
cairn_status cairn_gmsh_scan(cairn_gmsh *msh);
void cairn_gmsh_clear(cairn_gmsh *msh);
/* Makes the mesh. file: for messages. */
cairn_status cairn_gmsh_build(cairn_gmsh *msh, const char *file, double scale, cairn_fem_mesh **mesh);

#endif
