/*
 * mesh_doubts.c: what may not be meant in a mesh that is right in form: pieces that share no node, and nodes at the place of another.
 *
 * Nodes are sorted along x, then each is compared with those behind it that are near enough along x.
 */
#include "fem/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>

#define SAME_PLACE 1e-6 /* of the mean length of an element's first edge */

/* The first node of the piece that i belongs to; shortens the way there. */
static int root_of(int *up, int i) {
    while (up[i] != i) {
        up[i] = up[up[i]];
        i = up[i];
    }
    return i;
}

static int count_pieces(const cairn_fem_mesh_view *v, int *up) {
    int pieces = v->nodes;
    for (int i = 0; i < v->nodes; i++)
        up[i] = i;
    for (int e = 0; e < v->elements; e++)
        for (int p = v->start[e] + 1; p < v->start[e + 1]; p++) {
            int a = root_of(up, v->corner[v->start[e]]), b = root_of(up, v->corner[p]);
            pieces -= a != b;
            up[a > b ? a : b] = a > b ? b : a;
        }
    return pieces;
}

typedef struct spot {
    cairn_vec3 at;
    int node;
} spot;

static int by_x(const void *a, const void *b) {
    const spot *p = a, *q = b;
    if (p->at.x != q->at.x)
        return p->at.x < q->at.x ? -1 : 1;
    return p->node < q->node ? -1 : p->node > q->node;
}

/* Nodes at the place of one with a lower number in the sorted list. */
static int count_twins(const cairn_fem_mesh_view *v, spot *list) {
    double length = 0.0;
    int twins = 0;
    for (int e = 0; e < v->elements; e++) {
        const int *node = v->corner + v->start[e];
        length += cairn_vec3_length(cairn_vec3_sub(v->node[node[1]], v->node[node[0]])) / v->elements;
    }
    for (int i = 0; i < v->nodes; i++)
        list[i] = (spot){v->node[i], i};
    qsort(list, (size_t)v->nodes, sizeof *list, by_x);
    for (int i = 1; i < v->nodes; i++)
        for (int k = i - 1; k >= 0 && list[i].at.x - list[k].at.x <= SAME_PLACE * length; k--)
            if (cairn_vec3_length(cairn_vec3_sub(list[i].at, list[k].at)) <= SAME_PLACE * length) {
                twins++;
                break;
            }
    return twins;
}

cairn_status cairn_fem_mesh_find_doubts(cairn_context *context, cairn_fem_mesh_view *view) {
    int *up = cairn_alloc(context, (size_t)view->nodes, sizeof *up);
    spot *list = cairn_alloc(context, (size_t)view->nodes, sizeof *list);
    cairn_status status = up != NULL && list != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        view->pieces = count_pieces(view, up);
        view->twins = count_twins(view, list);
    }
    cairn_free(context, up);
    cairn_free(context, list);
    return status;
}
