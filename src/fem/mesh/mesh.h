/*
 * mesh.h: what a mesh holds, and the steps of making one.
 */
#ifndef CAIRN_FEM_MESH_MESH_H
#define CAIRN_FEM_MESH_MESH_H

#include "fem/element/element.h"

#include <stdatomic.h>

struct cairn_fem_mesh {
    cairn_context *context;
    atomic_int references;
    cairn_fem_mesh_view view; /* its arrays belong to the mesh */
    char *names;              /* text of the sets' names */
};

/* Where a mesh comes from, for messages: numbers of the file. */
typedef struct cairn_fem_origin {
    const char *file;
    const int *element, *line; /* elements: number and line in the file */
    const int *node;           /* nodes: number in the file */
} cairn_fem_origin;

/* The same as cairn_fem_mesh_create; origin NULL: numbers of the definition. */
cairn_status cairn_fem_mesh_create_from(cairn_context *context, const cairn_fem_mesh_def *def,
                                        const cairn_fem_origin *origin, cairn_fem_mesh **mesh);
/* Refuses what def must not hold; nothing is kept. */
cairn_status cairn_fem_mesh_check(cairn_context *context, const cairn_fem_mesh_def *def,
                                  const cairn_fem_origin *origin);
/* Fills faces, edges and skin of a view that has nodes and elements. */
cairn_status cairn_fem_mesh_find_skin(cairn_context *context, cairn_fem_mesh_view *view);
/* Counts pieces and twins of a view that has nodes and elements. */
cairn_status cairn_fem_mesh_find_doubts(cairn_context *context, cairn_fem_mesh_view *view);
/* Sorts n numbers, rising; n is small. */
static inline void cairn_fem_sort(int n, int *a) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j] < a[j - 1]; j--) {
            int t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
}

#endif
