/*
 * convex_hull.c: convex hull of points by quickhull: triangles with lists of the points outside
 * them, then flat neighbours merged into faces.
 *
 *     visible from p: n'p - d > -eps, so that triangles in one plane with p are replaced and no triangle is a sliver
 *     eps = 1e-10 (largest coordinate difference): what is nearer to the hull than that is not a corner
 *
 * Does not check that coordinates are finite.
 */
#include "base/core.h"
#include "collide/shape/shape.h"

#include <string.h>

#define EPS_HULL 1e-10
#define EPS_FLAT 1e-9

typedef struct triangle {
    int corner[3], neighbour[3]; /* neighbour[i] shares the edge corner[i] -> corner[i + 1] */
    cairn_vec3 normal;
    double offset;
    int outside; /* first of the list of points outside, -1: none */
    int mark;    /* 0 free, 1 in use, 2 visible */
    int group;   /* face it belongs to after merging */
} triangle;

typedef struct builder {
    int n, triangles, capacity, free;
    const cairn_vec3 *point;
    triangle *t;
    int *next;    /* n: next point outside the same triangle */
    int *horizon; /* 3 per edge: from, to, triangle beyond */
    int *stack;
    int *at; /* n: triangle that begins at this corner of the horizon */
    double eps;
} builder;

static double above(const triangle *t, cairn_vec3 p) {
    return cairn_vec3_dot(t->normal, p) - t->offset;
}

static void set_plane(builder *b, triangle *t) {
    cairn_vec3 p = b->point[t->corner[0]], q = b->point[t->corner[1]], r = b->point[t->corner[2]];
    t->normal = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(q, p), cairn_vec3_sub(r, p)));
    t->offset = (cairn_vec3_dot(t->normal, p) + cairn_vec3_dot(t->normal, q) + cairn_vec3_dot(t->normal, r)) / 3.0;
}

static int new_triangle(builder *b, int p, int q, int r) {
    int i = b->free >= 0 ? b->free : b->triangles++;
    triangle *t = &b->t[i];
    if (b->free >= 0)
        b->free = t->outside;
    *t = (triangle){.corner = {p, q, r}, .neighbour = {-1, -1, -1}, .outside = -1, .mark = 1, .group = -1};
    set_plane(b, t);
    return i;
}

/* Puts p on the list of one of count triangles, the one it is farthest above; drops it when it
 * is above none. */
static void assign(builder *b, int p, int count, const int *of) {
    double best = b->eps;
    int where = -1;
    for (int i = 0; i < count; i++) {
        double d = above(&b->t[of[i]], b->point[p]);
        if (d > best) {
            best = d;
            where = of[i];
        }
    }
    if (where >= 0) {
        b->next[p] = b->t[where].outside;
        b->t[where].outside = p;
    }
}

/* Farthest point from the points chosen so far: from a point, a line, a plane. */
static int farthest(const builder *b, int chosen, const int *corner, double *distance) {
    int best = -1;
    *distance = 0.0;
    cairn_vec3 o = b->point[corner[0]], line = {0, 0, 0}, normal = {0, 0, 0};
    if (chosen >= 2)
        line = cairn_vec3_unit(cairn_vec3_sub(b->point[corner[1]], o));
    if (chosen >= 3)
        normal = cairn_vec3_unit(cairn_vec3_cross(line, cairn_vec3_sub(b->point[corner[2]], o)));
    for (int i = 0; i < b->n; i++) {
        cairn_vec3 x = cairn_vec3_sub(b->point[i], o);
        double d = chosen == 1   ? cairn_vec3_length(x)
                   : chosen == 2 ? cairn_vec3_length(cairn_vec3_cross(line, x))
                                 : fabs(cairn_vec3_dot(normal, x));
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

/* The first tetrahedron. False: the points are flat. */
static bool first_simplex(builder *b) {
    static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int c[4] = {0};
    double d;
    for (int i = 1; i < b->n; i++)
        if (b->point[i].x < b->point[c[0]].x)
            c[0] = i;
    for (int k = 1; k < 4; k++) {
        c[k] = farthest(b, k, c, &d);
        if (c[k] < 0 || d <= 10.0 * b->eps)
            return false;
    }
    cairn_vec3 o = b->point[c[0]], e1 = cairn_vec3_sub(b->point[c[1]], o), e2 = cairn_vec3_sub(b->point[c[2]], o);
    if (cairn_vec3_dot(cairn_vec3_cross(e1, e2), cairn_vec3_sub(b->point[c[3]], o)) > 0.0) {
        int t = c[1];
        c[1] = c[2];
        c[2] = t;
    }
    int all[4];
    for (int f = 0; f < 4; f++) {
        all[f] = new_triangle(b, c[face[f][0]], c[face[f][1]], c[face[f][2]]);
        memcpy(b->t[all[f]].neighbour, beside[f], sizeof beside[f]);
    }
    for (int i = 0; i < b->n; i++)
        if (i != c[0] && i != c[1] && i != c[2] && i != c[3])
            assign(b, i, 4, all);
    return true;
}

/* Marks what p sees, from triangle start on, and collects the horizon. Returns its length. */
static int find_horizon(builder *b, int start, cairn_vec3 p, int *seen, int *seen_count) {
    int top = 0, edges = 0;
    *seen_count = 0;
    b->stack[top++] = start;
    b->t[start].mark = 2;
    while (top > 0) {
        int i = b->stack[--top];
        seen[(*seen_count)++] = i;
        for (int k = 0; k < 3; k++) {
            int j = b->t[i].neighbour[k];
            if (b->t[j].mark == 2)
                continue;
            if (above(&b->t[j], p) > -b->eps) {
                b->t[j].mark = 2;
                b->stack[top++] = j;
            }
        }
    }
    for (int s = 0; s < *seen_count; s++)
        for (int k = 0; k < 3; k++) {
            const triangle *t = &b->t[seen[s]];
            if (b->t[t->neighbour[k]].mark == 2)
                continue;
            b->horizon[3 * edges] = t->corner[k];
            b->horizon[3 * edges + 1] = t->corner[(k + 1) % 3];
            b->horizon[3 * edges + 2] = t->neighbour[k];
            edges++;
        }
    return edges;
}

/* Replaces what p sees by a fan over the horizon. fresh, seen: workspace for triangle numbers.
 * False: the horizon is not a simple loop, which rounding can cause; p is then left out. */
static bool add_point(builder *b, int start, int p, int *seen, int *fresh) {
    int seen_count, edges = find_horizon(b, start, b->point[p], seen, &seen_count);
    bool simple = edges >= 3 && b->triangles + edges <= b->capacity;
    for (int e = 0; e < edges; e++)
        b->at[b->horizon[3 * e]] = -1;
    for (int e = 0; e < edges; e++) {
        simple = simple && b->at[b->horizon[3 * e]] < 0;
        b->at[b->horizon[3 * e]] = e;
    }
    if (!simple) {
        for (int s = 0; s < seen_count; s++)
            b->t[seen[s]].mark = 1;
        return false;
    }
    for (int e = 0; e < edges; e++)
        fresh[e] = new_triangle(b, b->horizon[3 * e], b->horizon[3 * e + 1], p);
    for (int e = 0; e < edges; e++) {
        triangle *t = &b->t[fresh[e]];
        int beyond = b->horizon[3 * e + 2], after = fresh[b->at[t->corner[1]]];
        t->neighbour[0] = beyond;
        t->neighbour[1] = after;
        b->t[after].neighbour[2] = fresh[e];
        for (int k = 0; k < 3; k++)
            if (b->t[beyond].corner[k] == t->corner[1] && b->t[beyond].corner[(k + 1) % 3] == t->corner[0])
                b->t[beyond].neighbour[k] = fresh[e];
    }
    for (int s = 0; s < seen_count; s++) {
        triangle *t = &b->t[seen[s]];
        for (int q = t->outside, after; q >= 0; q = after) {
            after = b->next[q];
            if (q != p)
                assign(b, q, edges, fresh);
        }
        t->mark = 0;
        t->outside = b->free;
        b->free = seen[s];
    }
    return true;
}

static void grow(builder *b, int *seen, int *fresh) {
    for (int i = 0; i < b->triangles; i++) {
        while (b->t[i].mark == 1 && b->t[i].outside >= 0) {
            int best = b->t[i].outside;
            for (int p = best; p >= 0; p = b->next[p])
                if (above(&b->t[i], b->point[p]) > above(&b->t[i], b->point[best]))
                    best = p;
            if (add_point(b, i, best, seen, fresh)) {
                i = -1; /* freed slots before this one may hold new triangles */
                break;
            }
            int *link = &b->t[i].outside; /* leave the point out */
            while (*link != best)
                link = &b->next[*link];
            *link = b->next[best];
        }
    }
}

/* Gives triangles in one plane the same group. Returns the number of groups. */
static int merge_flat(builder *b) {
    int groups = 0;
    double flat = b->eps * (EPS_FLAT / EPS_HULL);
    for (int i = 0; i < b->triangles; i++) {
        if (b->t[i].mark != 1 || b->t[i].group >= 0)
            continue;
        int top = 0;
        b->stack[top++] = i;
        b->t[i].group = groups;
        while (top > 0) {
            const triangle *t = &b->t[b->stack[--top]];
            for (int k = 0; k < 3; k++) {
                triangle *o = &b->t[t->neighbour[k]];
                bool level = o->group < 0 && cairn_vec3_dot(o->normal, b->t[i].normal) > 0.9;
                for (int c = 0; c < 3 && level; c++)
                    level = fabs(above(&b->t[i], b->point[o->corner[c]])) <= flat;
                if (level) {
                    o->group = groups;
                    b->stack[top++] = t->neighbour[k];
                }
            }
        }
        groups++;
    }
    return groups;
}

/* Is corner p met by three groups or more? Collinear points on an edge of a face are not
 * corners. first[2p], first[2p + 1]: groups seen so far. */
static void count_groups(const builder *b, int *first, unsigned char *count) {
    for (int i = 0; i < b->triangles; i++)
        for (int k = 0; b->t[i].mark == 1 && k < 3; k++) {
            int p = b->t[i].corner[k], g = b->t[i].group;
            if (count[p] == 0 || (count[p] == 1 && first[2 * p] != g) ||
                (count[p] == 2 && first[2 * p] != g && first[2 * p + 1] != g)) {
                if (count[p] < 2)
                    first[2 * p + count[p]] = g;
                count[p]++;
            }
        }
}

/* Walks round group g; writes its corners that three groups meet. Returns how many. */
static int walk(const builder *b, int g, const unsigned char *count, int *loop, int limit) {
    int start = -1, side = 0, corners = 0;
    for (int i = 0; i < b->triangles && start < 0; i++)
        for (int k = 0; b->t[i].mark == 1 && b->t[i].group == g && k < 3; k++)
            if (b->t[b->t[i].neighbour[k]].group != g) {
                start = i;
                side = k;
                break;
            }
    int i = start, k = side;
    do {
        int p = b->t[i].corner[k];
        if (count[p] >= 3 && corners < limit)
            loop[corners++] = p;
        /* turn about the end of this edge until an edge of the rim comes */
        int end = b->t[i].corner[(k + 1) % 3];
        k = (k + 1) % 3;
        while (b->t[b->t[i].neighbour[k]].group == g) {
            i = b->t[i].neighbour[k];
            for (k = 0; b->t[i].corner[k] != end;)
                k++;
        }
    } while (i != start || k != side);
    return corners;
}

typedef struct output {
    cairn_vec3 *vertex, *normal;
    double *offset;
    int *face_start, *face_vertex, *edge;
} output;

static void lay_out(cairn_arena *a, int corners, int faces, output *o) {
    o->vertex = cairn_arena_take(a, (size_t)corners, sizeof *o->vertex);
    o->normal = cairn_arena_take(a, (size_t)faces, sizeof *o->normal);
    o->offset = cairn_arena_take(a, (size_t)faces, sizeof *o->offset);
    o->face_start = cairn_arena_take(a, (size_t)faces + 1, sizeof(int));
    o->face_vertex = cairn_arena_take(a, (size_t)(2 * (corners + faces)), sizeof(int));
    o->edge = cairn_arena_take(a, (size_t)(4 * (corners + faces)), sizeof(int));
}

/* Normal of a face by Newell's sum; the offset keeps every corner inside. */
static void face_plane(const cairn_vec3 *vertex, int corners, const int *loop, cairn_vec3 *normal, double *offset) {
    cairn_vec3 sum = {0, 0, 0}, o = vertex[loop[0]];
    for (int i = 1; i + 1 < corners; i++)
        sum = cairn_vec3_add(
            sum, cairn_vec3_cross(cairn_vec3_sub(vertex[loop[i]], o), cairn_vec3_sub(vertex[loop[i + 1]], o)));
    *normal = cairn_vec3_unit(sum);
    *offset = cairn_vec3_dot(*normal, o);
    for (int i = 1; i < corners; i++)
        *offset = fmax(*offset, cairn_vec3_dot(*normal, vertex[loop[i]]));
}

/* Edges from the loops: each is met twice, in opposite directions. */
static int find_edges(const output *o, int faces) {
    int edges = 0;
    for (int f = 0; f < faces; f++)
        for (int i = o->face_start[f]; i < o->face_start[f + 1]; i++) {
            int p = o->face_vertex[i], q = o->face_vertex[i + 1 < o->face_start[f + 1] ? i + 1 : o->face_start[f]], e;
            for (e = 0; e < edges; e++)
                if (o->edge[4 * e] == q && o->edge[4 * e + 1] == p)
                    break;
            if (e < edges) {
                o->edge[4 * e + 3] = f;
                continue;
            }
            o->edge[4 * e] = p;
            o->edge[4 * e + 1] = q;
            o->edge[4 * e + 2] = f;
            o->edge[4 * e + 3] = -1;
            edges++;
        }
    return edges;
}

/* Faces, corners and edges of the finished hull. number: workspace for 3n integers; count: n
 * bytes, cleared. */
static cairn_status extract(cairn_context *context, builder *b, int *number, unsigned char *count, cairn_polytope *out,
                            void **memory) {
    int faces = merge_flat(b), corners = 0;
    count_groups(b, number, count);
    for (int i = 0; i < b->n; i++)
        corners += count[i] >= 3;
    cairn_arena arena = {0};
    output o;
    lay_out(&arena, corners, faces, &o);
    cairn_status status = cairn_arena_reserve(context, &arena);
    if (status != CAIRN_OK)
        return status;
    lay_out(&arena, corners, faces, &o);
    for (int i = 0, c = 0; i < b->n; i++)
        if (count[i] >= 3) {
            o.vertex[c] = b->point[i];
            number[2 * b->n + i] = c++;
        }
    bool fine = true;
    for (int f = 0, used = 0, limit = 2 * (corners + faces); f < faces; f++) {
        int here = walk(b, f, count, o.face_vertex + used, limit - used);
        for (int i = used; i < used + here; i++)
            o.face_vertex[i] = number[2 * b->n + o.face_vertex[i]];
        fine = fine && here >= 3 && here <= CAIRN_FACE_CORNERS_MAX;
        if (here >= 3)
            face_plane(o.vertex, here, o.face_vertex + used, &o.normal[f], &o.offset[f]);
        used += here;
        o.face_start[f + 1] = used;
    }
    int edges = fine ? find_edges(&o, faces) : 0;
    for (int e = 0; e < edges; e++)
        fine = fine && o.edge[4 * e + 3] >= 0;
    if (!fine || corners - edges + faces != 2) {
        cairn_arena_free(context, &arena);
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "convex hull: the points are too close to flat, or a face has more than %d corners",
                          CAIRN_FACE_CORNERS_MAX);
    }
    *out = (cairn_polytope){.vertices = corners,
                            .faces = faces,
                            .edges = edges,
                            .vertex = o.vertex,
                            .normal = o.normal,
                            .offset = o.offset,
                            .face_start = o.face_start,
                            .face_vertex = o.face_vertex,
                            .edge = o.edge};
    *memory = arena.base;
    return CAIRN_OK;
}

cairn_status cairn_hull_build(cairn_context *context, int n, const cairn_vec3 *point, cairn_polytope *out,
                              void **memory) {
    builder b = {.n = n, .point = point, .capacity = 6 * n + 64, .free = -1};
    cairn_vec3 low = point[0], high = point[0];
    for (int i = 1; i < n; i++) {
        low = cairn_vec3_of(fmin(low.x, point[i].x), fmin(low.y, point[i].y), fmin(low.z, point[i].z));
        high = cairn_vec3_of(fmax(high.x, point[i].x), fmax(high.y, point[i].y), fmax(high.z, point[i].z));
    }
    b.eps = EPS_HULL * fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    size_t room = (size_t)b.capacity, points = (size_t)n;
    b.t = cairn_alloc(context, room, sizeof *b.t);
    int *integers = cairn_alloc(context, 6 * room + 5 * points, sizeof *integers);
    unsigned char *count = cairn_alloc(context, points, 1);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (b.t != NULL && integers != NULL && count != NULL) {
        b.stack = integers;
        b.horizon = integers + room;
        b.next = integers + 6 * room;
        b.at = b.next + points;
        if (!first_simplex(&b)) {
            status = cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                "convex hull: all %d points lie in one plane, on one line or in one point", n);
        } else {
            grow(&b, integers + 4 * room, integers + 5 * room);
            status = extract(context, &b, b.at + points, count, out, memory);
        }
    }
    cairn_free(context, b.t);
    cairn_free(context, integers);
    cairn_free(context, count);
    return status;
}
