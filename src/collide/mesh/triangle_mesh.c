/*
 * triangle_mesh.c: what contacts and rays need to know of a surface of triangles: its faces
 * (triangulation.h), its flat regions, what surrounds a point, and a tree of boxes.
 *
 * All passes but the tree take linear time on surfaces whose faces meet edge to edge; the tree
 * takes n log n.
 */
#include "collide/shape/shape.h"

#include "base/core.h"
#include "collide/mesh/triangulation.h"
#include "collide/broad/box_tree.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    cairn_vec3 *point, *patch_normal;
    double *patch_level;
    int *corner, *face, *beside, *patch, *ring_start, *ring, *order;
    cairn_bounds *node;
} builder;

/* What the finished mesh keeps. */
static void lay_out(cairn_arena *a, int points, int triangles, int faces, builder *b) {
    size_t p = (size_t)points, f = (size_t)faces;
    b->point = cairn_arena_take(a, p, sizeof *b->point);
    b->corner = cairn_arena_take(a, 3 * (size_t)triangles, sizeof(int));
    b->face = cairn_arena_take(a, 3 * f, sizeof(int));
    b->beside = cairn_arena_take(a, 3 * f, sizeof(int));
    b->patch = cairn_arena_take(a, f, sizeof(int));
    b->patch_normal = cairn_arena_take(a, f, sizeof *b->patch_normal);
    b->patch_level = cairn_arena_take(a, f, sizeof(double));
    b->ring_start = cairn_arena_take(a, p + 1, sizeof(int));
    b->ring = cairn_arena_take(a, 6 * f, sizeof(int));
    b->order = cairn_arena_take(a, f, sizeof(int));
    b->node = cairn_arena_take(a, (size_t)cairn_box_tree_nodes(faces), sizeof *b->node);
}

/* Is edge e one inside a flat region: has another face along it the same patch? */
static bool inner(const builder *b, int e) {
    bool flat = false;
    for (int o = b->beside[e]; o >= 0 && o != e; o = b->beside[o])
        flat = flat || b->patch[o / 3] == b->patch[e / 3];
    return flat;
}

/* Which points lie inside a flat region: bent[v] = 0. patch_at (points): workspace. */
static void find_bent(const builder *b, int points, int faces, int *patch_at, unsigned char *bent) {
    for (int i = 0; i < points; i++)
        patch_at[i] = -1;
    for (int e = 0; e < 3 * faces; e++) {
        int v = b->face[e], patch = b->patch[e / 3];
        if (patch_at[v] >= 0 && patch_at[v] != patch)
            bent[v] = 1;
        patch_at[v] = patch;
        if (!inner(b, e))
            bent[v] = bent[b->face[cairn_edge_next(e)]] = 1;
    }
}

/* Which points edges join each bent point with. */
static void make_rings(builder *b, int points, int faces, const unsigned char *bent) {
    int *start = b->ring_start;
    for (int e = 0; e < 3 * faces; e++)
        start[b->face[e] + 1] += bent[b->face[e]] ? 2 : 0;
    for (int i = 0; i < points; i++)
        start[i + 1] += start[i];
    int end = start[points];
    for (int e = 3 * faces - 1; e >= 0; e--) { /* backwards: start moves from the end of a ring to its begin */
        int v = b->face[e], next = cairn_edge_next(e);
        if (!bent[v])
            continue;
        b->ring[--start[v + 1]] = b->face[next];
        b->ring[--start[v + 1]] = b->face[cairn_edge_next(next)];
    }
    for (int i = 0; i < points; i++) /* begins stand one place too far */
        start[i] = start[i + 1];
    start[points] = end;
}

static void make_tree(builder *b, int faces, cairn_bounds *box) {
    for (int f = 0; f < faces; f++) {
        cairn_vec3 p = b->point[b->face[3 * f]], q = b->point[b->face[3 * f + 1]], r = b->point[b->face[3 * f + 2]];
        box[f] = (cairn_bounds){{fmin(p.x, fmin(q.x, r.x)), fmin(p.y, fmin(q.y, r.y)), fmin(p.z, fmin(q.z, r.z))},
                                {fmax(p.x, fmax(q.x, r.x)), fmax(p.y, fmax(q.y, r.y)), fmax(p.z, fmax(q.z, r.z))}};
    }
    cairn_box_tree_build(box, faces, b->order, b->node);
}

/* Rings and tree. */
static cairn_status finish(cairn_context *context, builder *b, int points, int faces) {
    int *patch_at = cairn_alloc_raw(context, (size_t)points, sizeof *patch_at);
    unsigned char *bent = cairn_alloc(context, (size_t)points, 1);
    cairn_bounds *box = cairn_alloc_raw(context, (size_t)faces, sizeof *box);
    bool fine = patch_at != NULL && bent != NULL && box != NULL;
    if (fine) {
        find_bent(b, points, faces, patch_at, bent);
        make_rings(b, points, faces, bent);
        make_tree(b, faces, box);
    }
    cairn_free(context, patch_at);
    cairn_free(context, bent);
    cairn_free(context, box);
    return fine ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

/* Regions, rings and tree of a surface. */
static cairn_status keep(const cairn_triangulation *s, int triangles, const int *corner, cairn_mesh *out,
                         void **memory) {
    builder b;
    cairn_arena arena = {0};
    int patches = 0;
    lay_out(&arena, s->points, triangles, s->faces, &b);
    cairn_status status = cairn_arena_reserve(s->context, &arena);
    if (status != CAIRN_OK)
        return status;
    lay_out(&arena, s->points, triangles, s->faces, &b);
    memcpy(b.point, s->point, (size_t)s->points * sizeof *b.point);
    memcpy(b.corner, corner, 3 * (size_t)triangles * sizeof *b.corner);
    memcpy(b.face, s->face, 3 * (size_t)s->faces * sizeof *b.face);
    memcpy(b.beside, s->beside, 3 * (size_t)s->faces * sizeof *b.beside);
    status = cairn_triangulation_patches(s, b.patch, b.patch_normal, b.patch_level, &patches);
    if (status == CAIRN_OK)
        status = finish(s->context, &b, s->points, s->faces);
    if (status != CAIRN_OK) {
        cairn_arena_free(s->context, &arena);
        return status;
    }
    *memory = arena.base;
    *out = (cairn_mesh){.points = s->points,
                        .triangles = triangles,
                        .faces = s->faces,
                        .patches = patches,
                        .closed = s->closed,
                        .open = {s->open[0], s->open[1]},
                        .point = b.point,
                        .corner = b.corner,
                        .face = b.face,
                        .beside = b.beside,
                        .patch = b.patch,
                        .patch_normal = b.patch_normal,
                        .patch_level = b.patch_level,
                        .ring_start = b.ring_start,
                        .ring = b.ring,
                        .order = b.order,
                        .node = b.node};
    return CAIRN_OK;
}

cairn_status cairn_mesh_build(cairn_context *context, int points, const cairn_vec3 *point, int triangles,
                              const int *corner, cairn_mesh *out, void **memory) {
    cairn_triangulation s = {.context = context, .points = points, .point = point};
    cairn_status status = cairn_triangulation_make(&s, triangles, corner);
    if (status == CAIRN_OK)
        status = keep(&s, triangles, corner, out, memory);
    cairn_free(context, s.face);
    cairn_free(context, s.beside);
    return status;
}
