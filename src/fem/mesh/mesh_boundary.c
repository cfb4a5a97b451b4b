/*
 * mesh_boundary.c: the outer skin of solids: faces that one element alone has, as triangles, with their edges and nodes.
 *
 * Faces are matched by their corners, in lists by the smallest one. Order: elements as given, their faces as in the element's table;
 * edges in the order in which the triangles show them. A face that three elements share is no surface: refused.
 */
#include "fem/mesh/mesh.h"

#include <string.h>

/* A face while it is matched: its corners, rising, the fourth -1 for triangles. */
typedef struct face_key {
    int corner[4];
    int next;  /* in the list of corner[0], -1: last */
    int count; /* elements that have it */
} face_key;

static face_key key_of(const cairn_fem_element *e, const int *corner, int f) {
    face_key key = {{-1, -1, -1, -1}, -1, 1};
    for (int i = 0; i < e->face_corners; i++)
        key.corner[i] = corner[e->face[f][i]];
    cairn_fem_sort(e->face_corners, key.corner);
    return key;
}

/* key (all faces), head (nodes): first face of each list; owner (all faces): the one it was found equal to. */
static cairn_status match(cairn_context *context, const cairn_fem_mesh_view *v, face_key *key, int *head, int *owner) {
    int count = 0;
    for (int i = 0; i < v->nodes; i++)
        head[i] = -1;
    for (int e = 0; e < v->elements; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        for (int f = 0; f < element->faces; f++, count++) {
            key[count] = key_of(element, v->corner + v->start[e], f);
            int *first = &head[key[count].corner[0]], found = *first;
            while (found >= 0 && memcmp(key[found].corner, key[count].corner, sizeof key[found].corner) != 0)
                found = key[found].next;
            owner[count] = found >= 0 ? found : count;
            if (found < 0) {
                key[count].next = *first;
                *first = count;
            } else if (++key[found].count > 2) {
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                  "mesh: three elements share the face of nodes %d %d %d; element %d is one of them",
                                  key[found].corner[0], key[found].corner[1], key[found].corner[2], e);
            }
        }
    }
    return CAIRN_OK;
}

/* Triangles of the faces that only one element has; face NULL: count only. */
static int outer_triangles(const cairn_fem_mesh_view *v, const face_key *key, const int *owner, int *face) {
    int count = 0, triangles = 0;
    for (int e = 0; e < v->elements; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        for (int f = 0; f < element->faces; f++, count++) {
            if (key[owner[count]].count > 1)
                continue;
            for (int t = 0; t < element->face_triangles; t++, triangles++)
                for (int i = 0; face != NULL && i < 3; i++)
                    face[3 * triangles + i] =
                        v->corner[v->start[e] + element->triangle[f * element->face_triangles + t][i]];
        }
    }
    return triangles;
}

/* Edges of the triangles, each once, smaller node first. head (nodes) and next (3 faces) are room. */
static int outer_edges(const cairn_fem_mesh_view *v, int *head, int *next, int *edge) {
    int edges = 0;
    for (int i = 0; i < v->nodes; i++)
        head[i] = -1;
    for (int t = 0; t < 3 * v->faces; t++) {
        int a = v->face[t], b = v->face[t % 3 == 2 ? t - 2 : t + 1], low = a < b ? a : b, high = a < b ? b : a;
        int found = head[low];
        while (found >= 0 && edge[2 * found + 1] != high)
            found = next[found];
        if (found >= 0)
            continue;
        edge[2 * edges] = low;
        edge[2 * edges + 1] = high;
        next[edges] = head[low];
        head[low] = edges++;
    }
    return edges;
}

/* Edges and nodes of the skin. */
static cairn_status trace(cairn_context *context, cairn_fem_mesh_view *v, int *head) {
    size_t most = 3 * (size_t)v->faces;
    int *next = cairn_alloc(context, most, sizeof *next);
    int *edge = cairn_alloc(context, 2 * most, sizeof *edge);
    int *skin = cairn_alloc(context, most < (size_t)v->nodes ? most : (size_t)v->nodes, sizeof *skin);
    v->edge = edge;
    v->skin = skin;
    if (next == NULL || edge == NULL || skin == NULL) {
        cairn_free(context, next);
        return CAIRN_ERROR_MEMORY;
    }
    v->edges = outer_edges(v, head, next, edge);
    cairn_free(context, next);
    memset(head, 0, (size_t)v->nodes * sizeof *head);
    for (int t = 0; t < 3 * v->faces; t++)
        head[v->face[t]] = 1;
    for (int i = 0; i < v->nodes; i++)
        if (head[i])
            skin[v->skin_nodes++] = i;
    return CAIRN_OK;
}

cairn_status cairn_fem_mesh_find_skin(cairn_context *context, cairn_fem_mesh_view *v) {
    size_t all = 0;
    for (int e = 0; e < v->elements; e++)
        all += (size_t)cairn_fem_element_of(v->kind[e])->faces;
    face_key *key = cairn_alloc(context, all, sizeof *key);
    int *owner = cairn_alloc(context, all, sizeof *owner);
    int *head = cairn_alloc(context, (size_t)v->nodes, sizeof *head);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (key != NULL && owner != NULL && head != NULL)
        status = match(context, v, key, head, owner);
    if (status == CAIRN_OK) {
        v->faces = outer_triangles(v, key, owner, NULL);
        int *face = cairn_alloc(context, 3 * (size_t)v->faces, sizeof *face);
        v->face = face;
        if (face != NULL)
            outer_triangles(v, key, owner, face);
        else
            status = CAIRN_ERROR_MEMORY;
    }
    if (status == CAIRN_OK)
        status = trace(context, v, head);
    cairn_free(context, key);
    cairn_free(context, owner);
    cairn_free(context, head);
    return status;
}
