/*
 * factor_renewal.c: what a renewal of a factorisation keeps.
 *
 * Some vertices change from one factorisation to the next: blocks of two of them have new numbers,
 * all others have not. Column k of L and its update depend on the blocks of vertex k and of all
 * vertices below k in the elimination tree. So
 *
 *     keep[k] = vertex k does not change, and keep[c] for every child c of k
 *
 * is a set of whole subtrees whose numbers stay as they are. It is largest when all vertices that
 * do not change are eliminated first, as the interior of a substructure is; that order may fill
 * more. With cost multiply-adds for all columns and renew for those that are not kept, the order
 * with the least cost + RENEWALS renew is taken; among the vertices of either kind the order found
 * before stays.
 */
#include "linalg/factor/factor_data.h"

#include <string.h>

#define RENEWALS 5.0 /* for every whole factorisation: an interior point takes about ten, ADMM two or three */

void cairn_pattern_moving(cairn_pattern *a) {
    int moving = 0;
    if (a->moving == NULL)
        return;
    for (int g = 0; g < a->groups; g++)
        for (int i = a->group_start[g]; i < a->group_start[g + 1]; i++)
            a->moving[a->vertex_of[i]] = a->changing[g] != 0;
    for (int v = 0; v < a->vertices; v++)
        moving += a->moving[v];
    if (moving == 0 || moving == a->vertices)
        a->moving = a->keep = NULL;
}

double cairn_pattern_keep(cairn_pattern *a) {
    double renew = 0.0;
    if (a->moving == NULL)
        return 0.0;
    for (int k = 0; k < a->vertices; k++)
        a->keep[k] = !a->moving[a->order[k]];
    for (int k = 0; k < a->vertices; k++) { /* children come before their parents */
        if (a->keep[k])
            continue;
        renew += 0.5 * cairn_vertex_rows(a, k) * (double)a->count[k] * a->count[k];
        if (a->parent[k] >= 0)
            a->keep[a->parent[k]] = false;
    }
    return renew;
}

void cairn_pattern_keep_first(cairn_pattern *a, double cost) {
    if (a->moving == NULL)
        return;
    int v = a->vertices, used = 0, *found = a->graph;
    double present = cost + RENEWALS * cairn_pattern_keep(a);
    memcpy(found, a->order, (size_t)v * sizeof(int));
    for (int moving = 0; moving < 2; moving++)
        for (int k = 0; k < v; k++)
            if (a->moving[found[k]] == (moving == 1))
                a->order[used++] = found[k];
    double first = cairn_pattern_tree(a);
    first += RENEWALS * cairn_pattern_keep(a);
    if (first < present)
        return;
    memcpy(a->order, found, (size_t)v * sizeof(int));
    cairn_pattern_tree(a);
}
