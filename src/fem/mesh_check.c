/*
 * mesh_check.c: what a mesh must not hold: bad numbers, inverted, flat and duplicate elements, lonely nodes.
 *
 * An element counts as inverted where det J < 0 at a point of its rule or at a node, J = dX/dxi, and as flat where det J is at most 1e-9 times the cube of its
 * longest distance from the first node. Not checked: elements that overlap, faces that meet without sharing their nodes.
 */
#include "mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_MAX 50000000 /* nodes, elements */
#define FLAT      1e-9

/* "element 3 (tet4, nodes 0 5 7 9)" */
static const char *name_element(const cairn_fem_mesh_def *d, int e, char *text, size_t size) {
    int length = snprintf(text, size, "element %d (%s, nodes", e, cairn_fem_element_of(d->kind[e])->name);
    for (int p = d->start[e]; p < d->start[e + 1] && length > 0 && (size_t)length < size; p++)
        length += snprintf(text + length, size - (size_t)length, " %d", d->corner[p]);
    if (length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ")");
    return text;
}

static cairn_status check_counts(cairn_context *context, const cairn_fem_mesh_def *d) {
    if (d->nodes < 1 || d->nodes > COUNT_MAX || d->elements < 1 || d->elements > COUNT_MAX)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "mesh: %d nodes and %d elements; from 1 to %d of each are needed", d->nodes, d->elements,
                          COUNT_MAX);
    if (d->node == NULL || d->kind == NULL || d->start == NULL || d->corner == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: node, kind, start and corner must be given");
    for (int i = 0; i < d->nodes; i++)
        if (!isfinite(d->node[i].x) || !isfinite(d->node[i].y) || !isfinite(d->node[i].z))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                              "mesh: node %d is at (%g, %g, %g); a finite place is needed", i, d->node[i].x,
                              d->node[i].y, d->node[i].z);
    return CAIRN_OK;
}

static cairn_status check_corners(cairn_context *context, const cairn_fem_mesh_def *d, int e) {
    const cairn_fem_element *element = cairn_fem_element_of(d->kind[e]);
    char text[200];
    if (element == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: element %d is of kind %d, which there is not", e,
                          (int)d->kind[e]);
    if (d->start[e] < 0 || d->start[e + 1] - d->start[e] != element->nodes || (e == 0 && d->start[0] != 0))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "mesh: element %d (%s) has corners %d to %d; %d nodes are needed, element after element", e,
                          element->name, d->start[e], d->start[e + 1] - 1, element->nodes);
    if (d->group != NULL && (d->group[e] < 0 || d->group[e] > COUNT_MAX))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "mesh: element %d is of group %d; a number from 0 on is needed", e, d->group[e]);
    for (int p = d->start[e]; p < d->start[e + 1]; p++) {
        if (d->corner[p] < 0 || d->corner[p] >= d->nodes)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: %s: there are nodes 0 to %d",
                              name_element(d, e, text, sizeof text), d->nodes - 1);
        for (int q = d->start[e]; q < p; q++)
            if (d->corner[q] == d->corner[p])
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: %s has node %d twice",
                                  name_element(d, e, text, sizeof text), d->corner[p]);
    }
    return CAIRN_OK;
}

static cairn_status check_form(cairn_context *context, const cairn_fem_mesh_def *d, int e) {
    const cairn_fem_element *element = cairn_fem_element_of(d->kind[e]);
    double X[3 * CAIRN_FEM_NODES_MAX], size = 0.0, least = INFINITY;
    char text[200];
    for (int a = 0; a < element->nodes; a++) {
        cairn_vec3 p = cairn_vec3_sub(d->node[d->corner[d->start[e] + a]], d->node[d->corner[d->start[e]]]);
        X[3 * a] = p.x;
        X[3 * a + 1] = p.y;
        X[3 * a + 2] = p.z;
        size = fmax(size, cairn_vec3_length(p));
    }
    if (element->shape == NULL) {
        if (size > 0.0 && isfinite(size))
            return CAIRN_OK;
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: %s has length %g",
                          name_element(d, e, text, sizeof text), size);
    }
    cairn_fem_rule rule;
    element->stiffness_rule(&rule);
    for (int q = 0; q < rule.points; q++)
        least = fmin(least, cairn_fem_solid_gradient(element, X, rule.xi[q], NULL));
    for (int a = 0; a < element->corners; a++)
        least = fmin(least, cairn_fem_solid_gradient(element, X, element->place[a], NULL));
    double flat = FLAT * size * size * size;
    if (least > flat && isfinite(least))
        return CAIRN_OK;
    return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                      "mesh: %s is %s: its least Jacobian determinant is %g; a positive one is needed",
                      name_element(d, e, text, sizeof text), least < -flat ? "inverted" : "flat", least);
}

/* Elements with the same nodes, in any order. head (nodes), next (elements). */
static int find_duplicate(const cairn_fem_mesh_def *d, int *head, int *next, int *other) {
    for (int i = 0; i < d->nodes; i++)
        head[i] = -1;
    for (int e = 0; e < d->elements; e++) {
        int mine[CAIRN_FEM_NODES_MAX], count = d->start[e + 1] - d->start[e];
        memcpy(mine, d->corner + d->start[e], (size_t)count * sizeof *mine);
        cairn_fem_sort(count, mine);
        for (int f = head[mine[0]]; f >= 0; f = next[f]) {
            int theirs[CAIRN_FEM_NODES_MAX];
            if (d->start[f + 1] - d->start[f] != count)
                continue;
            memcpy(theirs, d->corner + d->start[f], (size_t)count * sizeof *theirs);
            cairn_fem_sort(count, theirs);
            if (memcmp(mine, theirs, (size_t)count * sizeof *mine) == 0) {
                *other = f;
                return e;
            }
        }
        next[e] = head[mine[0]];
        head[mine[0]] = e;
    }
    return -1;
}

/* Which elements a node has: 0 none, 1 solids, 2 beams. In a beam's node at most one beam begins and one ends. */
static cairn_status check_nodes(cairn_context *context, const cairn_fem_mesh_def *d, int *owner) {
    char text[200];
    memset(owner, 0, (size_t)d->nodes * sizeof *owner);
    for (int e = 0; e < d->elements; e++) {
        int vectors = cairn_fem_element_of(d->kind[e])->vectors;
        for (int p = d->start[e]; p < d->start[e + 1]; p++) {
            int *o = &owner[d->corner[p]], bit = vectors == 1 ? 1 : p == d->start[e] ? 2 : 4;
            if ((vectors == 1 && *o > 1) || (vectors == 2 && (*o & 1)))
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                  "mesh: node %d belongs to a beam and to a solid; give each its own node (%s)",
                                  d->corner[p], name_element(d, e, text, sizeof text));
            if (vectors == 2 && (*o & bit))
                return cairn_fail(
                    context, CAIRN_ERROR_ARGUMENT,
                    "mesh: two beams %s node %d; a line of beams runs in one direction through a node (%s)",
                    bit == 2 ? "begin at" : "end at", d->corner[p], name_element(d, e, text, sizeof text));
            *o |= bit;
        }
    }
    for (int i = 0; i < d->nodes; i++)
        if (owner[i] == 0)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: no element has node %d; every node needs one", i);
    return CAIRN_OK;
}

static cairn_status check_sets(cairn_context *context, const cairn_fem_mesh_def *d) {
    if (d->sets < 0 || d->sets > COUNT_MAX ||
        (d->sets > 0 && (d->set_start == NULL || d->set_node == NULL || d->set_name == NULL)))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: %d sets without names, starts or nodes", d->sets);
    for (int s = 0; s < d->sets; s++) {
        if (d->set_name[s] == NULL || d->set_start[0] != 0 || d->set_start[s + 1] < d->set_start[s])
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                              "mesh: set %d has no name, or its nodes begin after they end", s);
        for (int p = d->set_start[s]; p < d->set_start[s + 1]; p++)
            if (d->set_node[p] < 0 || d->set_node[p] >= d->nodes)
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: set '%s' has node %d; there are nodes 0 to %d",
                                  d->set_name[s], d->set_node[p], d->nodes - 1);
    }
    return CAIRN_OK;
}

cairn_status cairn_fem_mesh_check(cairn_context *context, const cairn_fem_mesh_def *d) {
    cairn_status status = check_counts(context, d);
    for (int e = 0; status == CAIRN_OK && e < d->elements; e++)
        status = check_corners(context, d, e);
    for (int e = 0; status == CAIRN_OK && e < d->elements; e++)
        status = check_form(context, d, e);
    if (status == CAIRN_OK)
        status = check_sets(context, d);
    if (status != CAIRN_OK)
        return status;
    int *head = cairn_alloc(context, (size_t)d->nodes, sizeof *head), other = 0;
    int *next = cairn_alloc(context, (size_t)d->elements, sizeof *next);
    if (head == NULL || next == NULL) {
        status = CAIRN_ERROR_MEMORY;
    } else {
        int e = find_duplicate(d, head, next, &other);
        char text[200];
        if (e >= 0)
            status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: %s has the nodes of element %d too",
                                name_element(d, e, text, sizeof text), other);
        else
            status = check_nodes(context, d, head);
    }
    cairn_free(context, head);
    cairn_free(context, next);
    return status;
}
