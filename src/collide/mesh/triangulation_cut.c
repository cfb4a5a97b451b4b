/*
 * triangulation_cut.c: faces whose edges carry points of other faces are cut there, so that all
 * faces meet edge to edge.
 *
 * Such an edge has no other face, nor have the edges that end at the point; only these are looked
 * at. A face is cut from a point on one of its edges to the corner across, then both pieces are.
 * Pieces that a point pinches to a line are left out.
 */
#include "collide/mesh/triangulation.h"

#include "base/core.h"
#include "collide/broad/box_tree.h"

#include <math.h>
#include <stdlib.h>

#define PER_FACE 16 /* points that lie on the edges of a face, in the mean, before a mesh is refused */

typedef struct mark {
    int edge, point;
    double along; /* from the begin of the edge */
} mark;

typedef struct cutter {
    cairn_triangulation *s;
    int points, *point; /* ends of edges that have no other face */
    int *order;
    cairn_bounds *box, *node;
    int marks, room;
    mark *mark;
    int pieces, *piece; /* 3 per piece */
    cairn_status status;
} cutter;

/* Marks first .. end on an edge. */
typedef struct span {
    int first, end;
} span;

static void expand(cairn_bounds *b, cairn_vec3 p, double d) {
    b->low = cairn_vec3_of(fmin(b->low.x, p.x - d), fmin(b->low.y, p.y - d), fmin(b->low.z, p.z - d));
    b->high = cairn_vec3_of(fmax(b->high.x, p.x + d), fmax(b->high.y, p.y + d), fmax(b->high.z, p.z + d));
}

static const cairn_bounds nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* Does the line from p along the unit e pass the box by more than d? */
static bool passes(const cairn_bounds *b, cairn_vec3 p, cairn_vec3 e, double d) {
    cairn_vec3 middle = cairn_vec3_scale(0.5, cairn_vec3_add(b->low, b->high));
    double radius = 0.5 * cairn_vec3_length(cairn_vec3_sub(b->high, b->low)) + d;
    return cairn_vec3_length(cairn_vec3_cross(e, cairn_vec3_sub(middle, p))) > radius;
}

static bool add_mark(cutter *c, int edge, int point, double along) {
    if (c->marks / PER_FACE > c->s->faces) {
        cairn_vec3 p = c->s->point[point];
        c->status = cairn_fail(c->s->context, CAIRN_ERROR_ARGUMENT,
                               "mesh: points lie on edges of other triangles more than %d times, the last one at (%g, "
                               "%g, %g); triangles that share an edge must not lie over each other",
                               c->marks, p.x, p.y, p.z);
        return false;
    }
    if (c->marks == c->room) {
        int room = 2 * c->room + 64;
        mark *more = cairn_alloc_raw(c->s->context, (size_t)room, sizeof *more);
        if (more == NULL) {
            c->status = CAIRN_ERROR_MEMORY;
            return false;
        }
        for (int i = 0; i < c->marks; i++)
            more[i] = c->mark[i];
        cairn_free(c->s->context, c->mark);
        c->mark = more;
        c->room = room;
    }
    c->mark[c->marks++] = (mark){edge, point, along};
    return true;
}

/* Marks the points that lie on an edge, between its ends. */
static bool search(cutter *c, int edge) {
    const cairn_triangulation *s = c->s;
    int from = s->face[edge], to = s->face[cairn_edge_next(edge)], top = 0;
    cairn_vec3 p = s->point[from], way = cairn_vec3_sub(s->point[to], p), e = cairn_vec3_unit(way);
    cairn_bounds box = nothing;
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    expand(&box, p, s->reach);
    expand(&box, s->point[to], s->reach);
    stack[top++] = (cairn_box_tree_range){0, 0, c->points};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&c->node[r.node], &box) || passes(&c->node[r.node], p, e, s->reach))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++) {
            int v = c->point[c->order[l]];
            cairn_vec3 x = cairn_vec3_sub(s->point[v], p);
            double along = cairn_vec3_dot(e, x);
            if (v != from && v != to && along > 0.0 && along < cairn_vec3_length(way) &&
                cairn_vec3_length(cairn_vec3_cross(e, x)) <= s->reach && !add_mark(c, edge, v, along))
                return false;
        }
    }
    return true;
}

static int by_place(const void *a, const void *b) {
    const mark *x = a, *y = b;
    if (x->edge != y->edge)
        return x->edge < y->edge ? -1 : 1;
    if (x->along != y->along)
        return x->along < y->along ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

/* The ends of edges without another face, each once, and a tree over them. seen: points of the
 * surface, 0. */
static void gather(cutter *c, unsigned char *seen) {
    const cairn_triangulation *s = c->s;
    for (int e = 0; e < 3 * s->faces; e++)
        for (int end = 0; end < 2 && s->beside[e] < 0; end++) {
            int v = s->face[end == 0 ? e : cairn_edge_next(e)];
            if (seen[v])
                continue;
            seen[v] = 1;
            c->box[c->points] = nothing;
            expand(&c->box[c->points], s->point[v], 0.0);
            c->point[c->points++] = v;
        }
    cairn_box_tree_build(c->box, c->points, c->order, c->node);
}

static span before(span s, int middle) {
    return (span){s.first, middle};
}

static span after(span s, int middle) {
    return (span){middle + 1, s.end};
}

/* Cuts the triangle with corners v and marks on[k] on the edge from corner k to the next; writes
 * the pieces. */
static void cut(cutter *c, const int v[3], const span on[3]) {
    const span none = {0, 0};
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
        return;
    int k = 0;
    for (int i = 1; i < 3; i++)
        k = on[i].end - on[i].first > on[k].end - on[k].first ? i : k;
    if (on[k].end <= on[k].first) {
        for (int i = 0; i < 3; i++)
            c->piece[3 * c->pieces + i] = v[i];
        c->pieces++;
        return;
    }
    int a = v[k], b = v[(k + 1) % 3], d = v[(k + 2) % 3], middle = on[k].first + (on[k].end - on[k].first) / 2;
    int p = c->mark[middle].point;
    cut(c, (int[3]){a, p, d}, (span[3]){before(on[k], middle), none, on[(k + 2) % 3]});
    cut(c, (int[3]){p, b, d}, (span[3]){after(on[k], middle), on[(k + 1) % 3], none});
}

static void cut_faces(cutter *c) {
    const cairn_triangulation *s = c->s;
    int at = 0;
    for (int f = 0; f < s->faces; f++) {
        span on[3];
        for (int k = 0; k < 3; k++) {
            on[k].first = at;
            while (at < c->marks && c->mark[at].edge == 3 * f + k)
                at++;
            on[k].end = at;
        }
        cut(c, s->face + 3 * f, on);
    }
}

/* Marks of all edges that have no other face, in order. */
static cairn_status find_marks(cutter *c, int open) {
    cairn_triangulation *s = c->s;
    size_t n = 2 * (size_t)open;
    unsigned char *seen = cairn_alloc(s->context, (size_t)s->points, 1);
    c->point = cairn_alloc_raw(s->context, n, sizeof *c->point);
    c->order = cairn_alloc_raw(s->context, n, sizeof *c->order);
    c->box = cairn_alloc_raw(s->context, n, sizeof *c->box);
    c->node = cairn_alloc_raw(s->context, (size_t)cairn_box_tree_nodes((int)n), sizeof *c->node);
    bool found = true, fine = seen != NULL && c->point != NULL && c->order != NULL && c->box != NULL && c->node != NULL;
    if (fine)
        gather(c, seen);
    for (int e = 0; e < 3 * s->faces && fine && found; e++)
        found = s->beside[e] >= 0 || search(c, e);
    if (c->marks > 0)
        qsort(c->mark, (size_t)c->marks, sizeof *c->mark, by_place);
    cairn_free(s->context, seen);
    return fine ? c->status : CAIRN_ERROR_MEMORY;
}

cairn_status cairn_triangulation_cut(cairn_triangulation *s, int *cuts) {
    cutter c = {.s = s};
    cairn_status status = CAIRN_OK;
    int open = 0;
    for (int e = 0; e < 3 * s->faces; e++)
        open += s->beside[e] < 0;
    if (open > 0)
        status = find_marks(&c, open);
    *cuts = c.marks;
    if (status == CAIRN_OK && c.marks > 0) {
        c.piece = cairn_alloc_raw(s->context, 3 * ((size_t)s->faces + (size_t)c.marks), sizeof *c.piece);
        status = c.piece != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    }
    if (c.piece != NULL) {
        cut_faces(&c);
        cairn_free(s->context, s->face);
        s->face = c.piece;
        s->faces = c.pieces;
    }
    cairn_free(s->context, c.point);
    cairn_free(s->context, c.order);
    cairn_free(s->context, c.box);
    cairn_free(s->context, c.node);
    cairn_free(s->context, c.mark);
    return status;
}
