/*
 * mesh.c: what contacts and rays need to know of a surface of triangles.
 *
 * Points at the same place are welded, edges are paired by a hash table, neighbours that lie in one plane (within FLAT_SINE and FLAT_HEIGHT)
 * make a patch with one normal and one level, so that a body that slides from triangle to triangle meets the very same plane. All
 * passes take linear time; the tree takes n log n.
 */
#include "shape.h"

#include "../base/core.h"
#include "tree.h"

#include <math.h>
#include <string.h>

#define FLAT_SINE   1e-5 /* of the angle between a triangle and the first one of its patch */
#define FLAT_HEIGHT 1e-7 /* of the mesh's size: corners over the plane of the first triangle */

typedef struct builder {
    cairn_vec3 *point, *patch_normal, *normal;
    double *patch_level;
    int *corner, *weld, *beside, *patch, *ring_start, *ring, *order, *stack;
    cairn_bounds *node, *box;
} builder;

/* What the finished mesh keeps. */
static void lay_out(cairn_arena *a, int points, int triangles, builder *b) {
    size_t p = (size_t)points, t = (size_t)triangles;
    b->point = cairn_arena_take(a, p, sizeof *b->point);
    b->corner = cairn_arena_take(a, 3 * t, sizeof(int));
    b->weld = cairn_arena_take(a, p, sizeof(int));
    b->beside = cairn_arena_take(a, 3 * t, sizeof(int));
    b->patch = cairn_arena_take(a, t, sizeof(int));
    b->patch_normal = cairn_arena_take(a, t, sizeof *b->patch_normal);
    b->patch_level = cairn_arena_take(a, t, sizeof(double));
    b->ring_start = cairn_arena_take(a, p + 1, sizeof(int));
    b->ring = cairn_arena_take(a, 6 * t, sizeof(int));
    b->order = cairn_arena_take(a, t, sizeof(int));
    b->node = cairn_arena_take(a, (size_t)cairn_tree_nodes(triangles), sizeof *b->node);
}

static size_t table_size(size_t items) {
    size_t size = 16;
    while (size < 2 * items)
        size *= 2;
    return size;
}

/* weld[i] = first point with the coordinates of point i (0 and -0 are the same). */
static void weld_points(builder *b, int points, int *table, size_t size) {
    for (size_t i = 0; i < size; i++)
        table[i] = -1;
    for (int i = 0; i < points; i++) {
        double x[3] = {b->point[i].x + 0.0, b->point[i].y + 0.0, b->point[i].z + 0.0};
        size_t at = (size_t)cairn_hash(CAIRN_HASH_START, x, sizeof x) & (size - 1);
        while (table[at] >= 0) {
            cairn_vec3 q = b->point[table[at]];
            if (q.x == x[0] && q.y == x[1] && q.z == x[2])
                break;
            at = (at + 1) & (size - 1);
        }
        if (table[at] < 0)
            table[at] = i;
        b->weld[i] = table[at];
    }
}

/* Ends of edge 3 t + k, welded. */
static void edge_ends(const builder *b, int edge, int *from, int *to) {
    int t = edge / 3, k = edge % 3;
    *from = b->weld[b->corner[3 * t + k]];
    *to = b->weld[b->corner[3 * t + (k + 1) % 3]];
}

/* Corners that fell together. */
static bool collapsed(const builder *b, int t) {
    int p = b->weld[b->corner[3 * t]], q = b->weld[b->corner[3 * t + 1]], r = b->weld[b->corner[3 * t + 2]];
    return p == q || q == r || r == p;
}

/* Triangles side by side. An edge that not exactly two triangles share, in opposite directions, has none. Returns the first such
 * edge; -1: there is none, the surface is closed. Collapsed triangles do not count: their neighbours meet each other. first, count, second: workspace
 * for 3 triangles. */
static int pair_edges(builder *b, int triangles, int *table, size_t size, int *first, int *count, int *second) {
    int open = -1, from, to, f, g;
    for (size_t i = 0; i < size; i++)
        table[i] = -1;
    for (int e = 0; e < 3 * triangles; e++) {
        if (collapsed(b, e / 3))
            continue;
        edge_ends(b, e, &from, &to);
        int end[2] = {from < to ? from : to, from < to ? to : from};
        size_t at = (size_t)cairn_hash(CAIRN_HASH_START, end, sizeof end) & (size - 1);
        while (table[at] >= 0) {
            edge_ends(b, table[at], &f, &g);
            if ((f == from && g == to) || (f == to && g == from))
                break;
            at = (at + 1) & (size - 1);
        }
        if (table[at] < 0)
            table[at] = e;
        first[e] = table[at];
        if (++count[first[e]] == 2)
            second[first[e]] = e;
    }
    for (int e = 0; e < 3 * triangles; e++) {
        b->beside[e] = -1;
        if (collapsed(b, e / 3))
            continue;
        int a = first[e], other = e == a ? second[a] : a;
        edge_ends(b, e, &from, &to);
        edge_ends(b, other, &f, &g);
        if (count[a] == 2 && f == to)
            b->beside[e] = other / 3;
        else
            open = open < 0 ? e : open;
    }
    return open;
}

/* Which points edges join each welded point with. */
static void make_rings(builder *b, int points, int triangles) {
    for (int i = 0; i < 3 * triangles; i++)
        b->ring_start[b->weld[b->corner[i]] + 1] += 2;
    for (int i = 0; i < points; i++)
        b->ring_start[i + 1] += b->ring_start[i];
    for (int t = triangles - 1; t >= 0; t--) /* backwards: ring_start moves from the end of a ring to its begin */
        for (int k = 0; k < 3; k++) {
            int p = b->weld[b->corner[3 * t + k]];
            b->ring[--b->ring_start[p + 1]] = b->weld[b->corner[3 * t + (k + 1) % 3]];
            b->ring[--b->ring_start[p + 1]] = b->weld[b->corner[3 * t + (k + 2) % 3]];
        }
    for (int i = 0; i < points; i++) /* begins stand one place too far */
        b->ring_start[i] = b->ring_start[i + 1];
    b->ring_start[points] = 6 * triangles;
}

/* Twice the area times the normal. */
static cairn_vec3 area_of(const builder *b, int t) {
    const int *c = b->corner + 3 * t;
    cairn_vec3 o = b->point[c[0]];
    return cairn_vec3_cross(cairn_vec3_sub(b->point[c[1]], o), cairn_vec3_sub(b->point[c[2]], o));
}

/* Does triangle t lie in the plane of triangle seed? */
static bool level_with(const builder *b, int t, int seed, double height) {
    cairn_vec3 n = b->normal[seed], o = b->point[b->corner[3 * seed]];
    bool level = cairn_vec3_dot(n, b->normal[t]) > 0.0 &&
                 cairn_vec3_length(cairn_vec3_cross(n, b->normal[t])) <= FLAT_SINE;
    for (int k = 0; k < 3 && level; k++)
        level = fabs(cairn_vec3_dot(n, cairn_vec3_sub(b->point[b->corner[3 * t + k]], o))) <= height;
    return level;
}

/* The plane of the triangles stack[0 .. count): mean normal by area, and the level halfway between the lowest and the highest
 * corner. */
static void set_plane(builder *b, int patch, int count) {
    cairn_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = cairn_vec3_add(sum, area_of(b, b->stack[i]));
    cairn_vec3 n = cairn_vec3_unit(sum);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3 * count; i++) {
        double height = cairn_vec3_dot(n, b->point[b->corner[3 * b->stack[i / 3] + i % 3]]);
        low = fmin(low, height);
        high = fmax(high, height);
    }
    b->patch_normal[patch] = n;
    b->patch_level[patch] = low + 0.5 * (high - low);
}

/* Flat regions; returns how many. */
static int find_patches(builder *b, int triangles, double size) {
    int patches = 0;
    for (int t = 0; t < triangles; t++) {
        cairn_vec3 area = area_of(b, t);
        bool some = cairn_vec3_length(area) > 0.0 && isfinite(cairn_vec3_length(area)) && !collapsed(b, t);
        b->patch[t] = some ? -2 : -1; /* -2: to be found */
        b->normal[t] = some ? cairn_vec3_unit(area) : cairn_vec3_of(0, 0, 0);
    }
    for (int seed = 0; seed < triangles; seed++) {
        if (b->patch[seed] != -2)
            continue;
        int count = 0;
        b->stack[count++] = seed;
        b->patch[seed] = patches;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                int o = b->beside[3 * b->stack[i] + k];
                if (o < 0 || b->patch[o] != -2 || !level_with(b, o, seed, FLAT_HEIGHT * size))
                    continue;
                b->patch[o] = patches;
                b->stack[count++] = o;
            }
        set_plane(b, patches++, count);
    }
    return patches;
}

static void make_tree(builder *b, int triangles) {
    for (int t = 0; t < triangles; t++) {
        cairn_vec3 p = b->point[b->corner[3 * t]], q = b->point[b->corner[3 * t + 1]],
                   r = b->point[b->corner[3 * t + 2]];
        b->box[t] = (cairn_bounds){{fmin(p.x, fmin(q.x, r.x)), fmin(p.y, fmin(q.y, r.y)), fmin(p.z, fmin(q.z, r.z))},
                                   {fmax(p.x, fmax(q.x, r.x)), fmax(p.y, fmax(q.y, r.y)), fmax(p.z, fmax(q.z, r.z))}};
    }
    cairn_tree_build(b->box, triangles, b->order, b->node);
}

static void finish(const builder *b, int points, int triangles, int open, int patches, cairn_mesh *out) {
    *out = (cairn_mesh){.points = points,
                        .triangles = triangles,
                        .patches = patches,
                        .closed = open < 0,
                        .open_edge = open,
                        .point = b->point,
                        .corner = b->corner,
                        .weld = b->weld,
                        .beside = b->beside,
                        .patch = b->patch,
                        .patch_normal = b->patch_normal,
                        .patch_level = b->patch_level,
                        .ring_start = b->ring_start,
                        .ring = b->ring,
                        .order = b->order,
                        .node = b->node};
}

cairn_status cairn_mesh_build(cairn_context *context, int points, const cairn_vec3 *point, int triangles,
                              const int *corner, cairn_mesh *out, void **memory) {
    builder b;
    cairn_arena arena = {0};
    lay_out(&arena, points, triangles, &b);
    cairn_status status = cairn_arena_reserve(context, &arena);
    if (status != CAIRN_OK)
        return status;
    lay_out(&arena, points, triangles, &b);
    memcpy(b.point, point, (size_t)points * sizeof *point);
    memcpy(b.corner, corner, 3 * (size_t)triangles * sizeof *corner);
    size_t t = (size_t)triangles, size = table_size(3 * t > (size_t)points ? 3 * t : (size_t)points);
    int *table = cairn_alloc_raw(context, size, sizeof *table), *work = cairn_alloc(context, 9 * t, sizeof *work);
    b.box = cairn_alloc_raw(context, t, sizeof *b.box);
    b.normal = cairn_alloc_raw(context, t, sizeof *b.normal);
    int patches = 0;
    status = CAIRN_ERROR_MEMORY;
    if (table != NULL && work != NULL && b.box != NULL && b.normal != NULL) {
        weld_points(&b, points, table, size);
        int open = pair_edges(&b, triangles, table, size, work, work + 3 * t, work + 6 * t);
        make_rings(&b, points, triangles);
        make_tree(&b, triangles);
        cairn_vec3 extent = cairn_vec3_sub(b.node[0].high, b.node[0].low);
        b.stack = work;
        patches = find_patches(&b, triangles, fmax(extent.x, fmax(extent.y, extent.z)));
        finish(&b, points, triangles, open, patches, out);
        status = patches > 0 ? CAIRN_OK
                             : cairn_fail(context, CAIRN_ERROR_ARGUMENT, "mesh: none of the %d triangles has an area",
                                          triangles);
    }
    cairn_free(context, table);
    cairn_free(context, work);
    cairn_free(context, b.box);
    cairn_free(context, b.normal);
    if (status == CAIRN_OK)
        *memory = arena.base;
    else
        cairn_arena_free(context, &arena);
    return status;
}
