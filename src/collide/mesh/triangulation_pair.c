/*
 * triangulation_pair.c: which faces of a surface lie beside each other, and on which side they are
 * seen from the front.
 *
 * Edges with the same ends are found by a hash table and linked in a ring: two in most places, more
 * where sheets branch. Two faces that go the same way along their common edge disagree about the
 * front: then the surface is not closed, and one of them is turned, from face to face.
 */
#include "collide/mesh/triangulation.h"

#include "base/core.h"

#define BOOK 16 /* faces along one edge that are linked; more are left alone, as if the surface ended there */

/* How many edges the ring of an edge has. *again: one of their faces has this third corner. */
static int walk_ring(const cairn_triangulation *s, int edge, int third, bool *again) {
    int count = 0, e = edge;
    *again = false;
    do {
        *again = *again || s->face[cairn_edge_next(cairn_edge_next(e))] == third;
        e = s->beside[e];
        count++;
    } while (e != edge);
    return count;
}

/* Links equal edges; an edge alone is its own neighbour. Faces that repeat another one are
 * marked by a corner of -1; returns whether there are any. */
static bool link_edges(cairn_triangulation *s, int *table, size_t size) {
    bool any = false;
    for (size_t i = 0; i < size; i++)
        table[i] = -1;
    for (int e = 0; e < 3 * s->faces; e++) {
        int from = s->face[e], to = s->face[cairn_edge_next(e)];
        uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
        size_t at = cairn_table_place(low << 32 | high, size);
        for (; table[at] >= 0; at = (at + 1) & (size - 1)) {
            int f = s->face[table[at]], g = s->face[cairn_edge_next(table[at])];
            if ((f == from && g == to) || (f == to && g == from))
                break;
        }
        int first = table[at];
        bool again = false;
        s->beside[e] = e;
        if (first < 0) {
            table[at] = e;
        } else if (walk_ring(s, first, s->face[cairn_edge_next(cairn_edge_next(e))], &again) < BOOK && !again) {
            s->beside[e] = s->beside[first];
            s->beside[first] = e;
        } else if (again && e % 3 == 0) { /* the face is left out, and its other edges are not looked at */
            s->face[e] = -1;
            any = true;
            e += 2;
        }
    }
    return any;
}

static void drop_marked(cairn_triangulation *s) {
    int kept = 0;
    for (int f = 0; f < s->faces; f++)
        if (s->face[3 * f] >= 0) {
            for (int k = 0; k < 3; k++)
                s->face[3 * kept + k] = s->face[3 * f + k];
            kept++;
        }
    s->faces = kept;
}

/* Closed or not; edges alone get -1. Returns whether two faces disagree about the front. */
static bool look_round(cairn_triangulation *s) {
    bool disagree = false, closed = true;
    for (int e = 0; e < 3 * s->faces; e++) {
        int other = s->beside[e];
        bool alone = other == e, two = !alone && s->beside[other] == e, same = two && s->face[other] == s->face[e];
        disagree = disagree || same;
        if (closed && (!two || same) && !s->turned) {
            s->open[0] = s->face[e];
            s->open[1] = s->face[cairn_edge_next(e)];
        }
        closed = closed && two && !same;
    }
    s->closed = closed && !s->turned;
    for (int e = 0; e < 3 * s->faces; e++)
        s->beside[e] = s->beside[e] == e ? -1 : s->beside[e];
    return disagree;
}

/* Turns faces so that they agree with those turned before; where a surface has one side only,
 * some edges stay as they are. turned, queue: faces. */
static void agree(cairn_triangulation *s, signed char *turned, int *queue) {
    for (int f = 0; f < s->faces; f++)
        turned[f] = -1;
    for (int seed = 0; seed < s->faces; seed++) {
        int count = 0;
        if (turned[seed] >= 0)
            continue;
        turned[seed] = 0;
        queue[count++] = seed;
        for (int i = 0; i < count; i++)
            for (int e = 3 * queue[i]; e < 3 * queue[i] + 3; e++) {
                int other = s->beside[e];
                if (other < 0 || s->beside[other] != e || turned[other / 3] >= 0)
                    continue;
                turned[other / 3] = turned[queue[i]] ^ (s->face[other] == s->face[e]);
                queue[count++] = other / 3;
            }
    }
    for (int f = 0; f < s->faces; f++)
        if (turned[f] == 1) {
            int second = s->face[3 * f + 1];
            s->face[3 * f + 1] = s->face[3 * f + 2];
            s->face[3 * f + 2] = second;
        }
}

cairn_status cairn_triangulation_pair(cairn_triangulation *s) {
    size_t edges = 3 * (size_t)s->faces, size = cairn_table_size(edges);
    cairn_free(s->context, s->beside);
    s->beside = cairn_alloc_raw(s->context, edges, sizeof *s->beside);
    int *table = cairn_alloc_raw(s->context, size, sizeof *table);
    cairn_status status = s->beside != NULL && table != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && link_edges(s, table, size)) {
        drop_marked(s);
        link_edges(s, table, size);
    }
    if (status == CAIRN_OK && look_round(s)) {
        signed char *turned = cairn_alloc_raw(s->context, (size_t)s->faces, 1);
        status = turned != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
        if (turned != NULL) {
            agree(s, turned, table);
            s->turned = true;
            link_edges(s, table, size);
            look_round(s);
        }
        cairn_free(s->context, turned);
    }
    cairn_free(s->context, table);
    return status;
}

cairn_status cairn_triangulation_make(cairn_triangulation *s, int triangles, const int *corner) {
    int cut = 1;
    cairn_status status = cairn_triangulation_weld(s, triangles, corner);
    if (status == CAIRN_OK)
        status = cairn_triangulation_pair(s);
    for (int round = 0; round < 4 && cut > 0 && status == CAIRN_OK; round++) {
        status = cairn_triangulation_cut(s, &cut);
        if (status == CAIRN_OK && cut > 0)
            status = cairn_triangulation_pair(s);
    }
    return status;
}
