/*
 * mesh_check.c: what a mesh must not hold: bad numbers, inverted, flat and duplicate elements, lonely nodes.
 *
 * An element counts as inverted where det J < 0 at a point of its rule or at a node, J = dX/dxi, and as flat where det J is at most 1e-9 times the cube of its
 * longest distance from the first node. Not checked: elements that overlap, faces that meet without sharing their nodes.
 */
#include "fem/mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_MAX  50000000 /* nodes, elements */
#define FLAT       1e-9
#define TURN_LEAST (-0.87)

typedef struct checker {
    cairn_context *context;
    const cairn_fem_mesh_def *d;
    const cairn_fem_origin *origin; /* NULL: none */
    char text[1200];
} checker;

static int node_name(const checker *c, int node) {
    return c->origin != NULL ? c->origin->node[node] : node;
}

/* "mesh: element 3 (tet4, nodes 0 5 7 9)", or "a.msh: line 7: element ..." with the file's numbers */
static const char *name_element(checker *c, int e) {
    const cairn_fem_mesh_def *d = c->d;
    char *text = c->text;
    int size = (int)sizeof c->text, length, number = c->origin != NULL ? c->origin->element[e] : e;
    if (c->origin != NULL)
        length = snprintf(text, (size_t)size, "%.800s: line %d: ", c->origin->file, c->origin->line[e]);
    else
        length = snprintf(text, (size_t)size, "mesh: ");
    length += snprintf(text + length, (size_t)(size - length), "element %d (%s, nodes", number,
                       cairn_fem_element_of(d->kind[e])->name);
    for (int p = d->start[e]; p < d->start[e + 1]; p++) {
        int node = d->corner[p], known = node >= 0 && node < d->nodes;
        length += snprintf(text + length, (size_t)(size - length), " %d", known ? node_name(c, node) : node);
    }
    snprintf(text + length, (size_t)(size - length), ")");
    return text;
}

static const char *file_of(const checker *c) {
    return c->origin != NULL ? c->origin->file : "mesh";
}

static cairn_status check_counts(const checker *c) {
    cairn_context *context = c->context;
    const cairn_fem_mesh_def *d = c->d;
    if (d->nodes < 1 || d->nodes > COUNT_MAX || d->elements < 1 || d->elements > COUNT_MAX)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "mesh: %d nodes and %d elements; from 1 to %d of each are needed", d->nodes, d->elements,
                          COUNT_MAX);
    if (d->node == NULL || d->kind == NULL || d->start == NULL || d->corner == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: node, kind, start and corner must be given");
    for (int i = 0; i < d->nodes; i++)
        if (!isfinite(d->node[i].x) || !isfinite(d->node[i].y) || !isfinite(d->node[i].z))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: node %d is at (%g, %g, %g); a finite place is needed",
                              file_of(c), node_name(c, i), d->node[i].x, d->node[i].y, d->node[i].z);
    return CAIRN_OK;
}

static cairn_status check_corners(checker *c, int e) {
    cairn_context *context = c->context;
    const cairn_fem_mesh_def *d = c->d;
    const cairn_fem_element *element = cairn_fem_element_of(d->kind[e]);
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
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: there are nodes 0 to %d", name_element(c, e),
                              d->nodes - 1);
        for (int q = d->start[e]; q < p; q++)
            if (d->corner[q] == d->corner[p])
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s has node %d twice", name_element(c, e),
                                  node_name(c, d->corner[p]));
    }
    return CAIRN_OK;
}

static cairn_status check_form(checker *c, int e) {
    cairn_context *context = c->context;
    const cairn_fem_mesh_def *d = c->d;
    const cairn_fem_element *element = cairn_fem_element_of(d->kind[e]);
    double X[3 * CAIRN_FEM_NODES_MAX], size = 0.0, least = INFINITY;
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
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s has length %g", name_element(c, e), size);
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
                      "%s is %s: its least Jacobian determinant is %g; a positive one is needed", name_element(c, e),
                      least < -flat ? "inverted" : "flat", least);
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
static cairn_status check_nodes(checker *c, int *owner) {
    cairn_context *context = c->context;
    const cairn_fem_mesh_def *d = c->d;
    memset(owner, 0, (size_t)d->nodes * sizeof *owner);
    for (int e = 0; e < d->elements; e++) {
        int vectors = cairn_fem_element_of(d->kind[e])->vectors;
        for (int p = d->start[e]; p < d->start[e + 1]; p++) {
            int *o = &owner[d->corner[p]], bit = vectors == 1 ? 1 : p == d->start[e] ? 2 : 4;
            if ((vectors == 1 && *o > 1) || (vectors == 2 && (*o & 1)))
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                  "%s: node %d belongs to a beam and to a solid; give each its own node",
                                  name_element(c, e), node_name(c, d->corner[p]));
            if (vectors == 2 && (*o & bit))
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                  "%s: two beams %s node %d; a line of beams runs in one direction through a node",
                                  name_element(c, e), bit == 2 ? "begin at" : "end at", node_name(c, d->corner[p]));
            *o |= bit;
        }
    }
    for (int i = 0; i < d->nodes; i++)
        if (owner[i] == 0)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: no element has node %d; every node needs one", i);
    return CAIRN_OK;
}

static cairn_status check_sets(const checker *c) {
    cairn_context *context = c->context;
    const cairn_fem_mesh_def *d = c->d;
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

/* A line of beams must not turn back on itself: the slope at the node would have no direction. ends: room, nodes. */
static cairn_status check_turns(checker *c, int *ends) {
    const cairn_fem_mesh_def *d = c->d;
    memset(ends, 0, (size_t)d->nodes * sizeof *ends);
    for (int e = 0; e < d->elements; e++)
        if (d->kind[e] == CAIRN_ELEMENT_BEAM2)
            ends[d->corner[d->start[e] + 1]] = e + 1;
    for (int e = 0; e < d->elements; e++) {
        const int *mine = d->corner + d->start[e], before = ends[mine[0]] - 1;
        if (d->kind[e] != CAIRN_ELEMENT_BEAM2 || before < 0)
            continue;
        const int *theirs = d->corner + d->start[before];
        cairn_vec3 a = cairn_vec3_unit(cairn_vec3_sub(d->node[theirs[1]], d->node[theirs[0]]));
        cairn_vec3 b = cairn_vec3_unit(cairn_vec3_sub(d->node[mine[1]], d->node[mine[0]]));
        if (cairn_vec3_dot(a, b) < TURN_LEAST)
            return cairn_fail(
                c->context, CAIRN_ERROR_ARGUMENT,
                "%s: the line of beams turns back at node %d; its direction there must change by less than "
                "about 150 degrees",
                name_element(c, e), node_name(c, mine[0]));
    }
    return CAIRN_OK;
}

cairn_status cairn_fem_mesh_check(cairn_context *context, const cairn_fem_mesh_def *d, const cairn_fem_origin *origin) {
    checker c = {context, d, origin, ""};
    cairn_status status = check_counts(&c);
    for (int e = 0; status == CAIRN_OK && e < d->elements; e++)
        status = check_corners(&c, e);
    for (int e = 0; status == CAIRN_OK && e < d->elements; e++)
        status = check_form(&c, e);
    if (status == CAIRN_OK)
        status = check_sets(&c);
    if (status != CAIRN_OK)
        return status;
    int *head = cairn_alloc(context, (size_t)d->nodes, sizeof *head), other = 0;
    int *next = cairn_alloc(context, (size_t)d->elements, sizeof *next);
    if (head == NULL || next == NULL) {
        status = CAIRN_ERROR_MEMORY;
    } else {
        int e = find_duplicate(d, head, next, &other);
        if (e >= 0)
            status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: element %d has the same nodes", name_element(&c, e),
                                origin != NULL ? origin->element[other] : other);
        if (status == CAIRN_OK)
            status = check_nodes(&c, head);
        if (status == CAIRN_OK)
            status = check_turns(&c, head);
    }
    cairn_free(context, head);
    cairn_free(context, next);
    return status;
}
