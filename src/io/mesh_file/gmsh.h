/*
 * gmsh.h: what a Gmsh file says, before it becomes a mesh.
 */
#ifndef CAIRN_IO_MESH_FILE_GMSH_H
#define CAIRN_IO_MESH_FILE_GMSH_H

#include "io/text/text_scan.h"

#include <cairn/fem.h>

#define CAIRN_MSH_GROUPS_MAX 1000

/* Growing array of whole numbers. */
typedef struct cairn_msh_ints {
    int count, room;
    int *value;
} cairn_msh_ints;

/* An element type of Gmsh. kind: that of ours, -1: none, its elements only give sets of nodes,
 * -2: not read at all. */
typedef struct cairn_msh_type {
    const char *name;
    int dim, nodes, kind;
} cairn_msh_type;
/* NULL: no such number. */
const cairn_msh_type *cairn_msh_type_of(int number);

typedef struct cairn_msh_element {
    int type, tag, line;
    int first;           /* of its nodes (tags) in list */
    int physical, count; /* its physical groups in list: first and number */
} cairn_msh_element;

typedef struct cairn_msh_entity {
    int dim, tag, first, count; /* physical groups in list */
} cairn_msh_entity;

typedef struct cairn_msh_name {
    int dim, tag;
    char text[128];
} cairn_msh_name;

typedef struct cairn_msh {
    cairn_context *context;
    cairn_scan scan;
    bool version4;
    int nodes;
    int *node_tag;    /* nodes */
    cairn_vec3 *node; /* nodes */
    int elements;
    cairn_msh_element *element;
    int entities;
    cairn_msh_entity *entity;
    int names;
    cairn_msh_name *name;
    cairn_msh_ints list; /* nodes of elements, physical groups */
} cairn_msh;

cairn_status cairn_msh_push(cairn_context *context, cairn_msh_ints *list, int value);
/* Reads all sections. On failure the message is in scan. */
cairn_status cairn_msh_scan(cairn_msh *msh);
void cairn_msh_clear(cairn_msh *msh);
/* Makes the mesh. file: for messages. */
cairn_status cairn_msh_build(cairn_msh *msh, const char *file, double scale, cairn_fem_mesh **mesh);

#endif
