/*
 * triangulation_weld.c: which points are one, and the triangles that are left then.
 *
 * Points are kept in a hash table by cells of CELL times the reach, so that most of them ask one
 * cell. A point is the first one within reach that stands for itself: points that stand for
 * themselves are farther apart than the reach, and equal points are always one.
 */
#include "collide/mesh/triangulation.h"

#include "base/core.h"

#include <math.h>

/* side of a cell over the reach; 1 / (2 CELL CAIRN_MESH_NOISE) cells along the mesh fit into 16
 * bits */
#define CELL 32.0

typedef struct cells {
    cairn_vec3 low;
    double inverse; /* of the side of a cell */
    size_t mask;
    int *first; /* mask + 1: a point of the cell that stands for itself, -1 none */
    int *next;  /* points: another one of the same cell */
} cells;

static uint64_t cell_at(const cells *c, double x, double y, double z) {
    return (uint64_t)fmax(0.0, x * c->inverse) << 40 | (uint64_t)fmax(0.0, y * c->inverse) << 20 |
           (uint64_t)fmax(0.0, z * c->inverse);
}

/* Where the cell is in the table, or the free place for it. */
static size_t find_cell(const cells *c, const cairn_vec3 *point, uint64_t cell) {
    size_t at = cairn_table_place(cell, c->mask + 1);
    for (; c->first[at] >= 0; at = (at + 1) & c->mask) {
        cairn_vec3 p = cairn_vec3_sub(point[c->first[at]], c->low);
        if (cell_at(c, p.x, p.y, p.z) == cell)
            break;
    }
    return at;
}

/* The first point within reach of p that stands for itself; none: -1. r: p from the low corner. */
static int find_point(const cells *c, const cairn_triangulation *s, cairn_vec3 p, cairn_vec3 r, uint64_t own) {
    double d = s->reach;
    uint64_t seen[8];
    int count = 0, best = -1;
    for (int corner = 0; corner < 8; corner++) {
        uint64_t cell = cell_at(c, r.x + (corner & 1 ? d : -d), r.y + (corner & 2 ? d : -d),
                                r.z + (corner & 4 ? d : -d));
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || seen[i] == cell;
        if (known)
            continue;
        seen[count++] = cell;
        if (corner == 0 && cell == own && cell_at(c, r.x + d, r.y + d, r.z + d) == own)
            corner = 8; /* far from the walls of its cell */
        for (int i = c->first[find_cell(c, s->point, cell)]; i >= 0; i = c->next[i]) {
            cairn_vec3 e = cairn_vec3_sub(s->point[i], p);
            if (cairn_vec3_dot(e, e) <= d * d && (best < 0 || i < best))
                best = i;
        }
    }
    return best;
}

/* weld[i] = the point that point i is; only of those with weld[i] = 0, the others stay. */
static void weld_points(const cairn_triangulation *s, cells *c, int *weld) {
    for (size_t i = 0; i <= c->mask; i++)
        c->first[i] = -1;
    for (int i = 0; i < s->points; i++) {
        if (weld[i] < 0)
            continue;
        cairn_vec3 r = cairn_vec3_sub(s->point[i], c->low);
        uint64_t own = cell_at(c, r.x, r.y, r.z);
        weld[i] = find_point(c, s, s->point[i], r, own);
        if (weld[i] >= 0)
            continue;
        weld[i] = i;
        size_t at = find_cell(c, s->point, own);
        c->next[i] = c->first[at];
        c->first[at] = i;
    }
}

cairn_vec3 cairn_triangulation_area(const cairn_triangulation *s, int face) {
    const int *v = s->face + 3 * face;
    cairn_vec3 o = s->point[v[0]];
    return cairn_vec3_cross(cairn_vec3_sub(s->point[v[1]], o), cairn_vec3_sub(s->point[v[2]], o));
}

/* Is the face wider than half the reach? Its least height is the area over the longest edge. In
 * a narrower one the third corner lies over the middle of the longest edge, since no two corners
 * are within reach: the faces around it then meet at this corner. */
static bool has_width(const cairn_triangulation *s, int face) {
    const int *v = s->face + 3 * face;
    cairn_vec3 area = cairn_triangulation_area(s, face);
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        cairn_vec3 e = cairn_vec3_sub(s->point[v[(k + 1) % 3]], s->point[v[k]]);
        longest = fmax(longest, cairn_vec3_dot(e, e));
    }
    return cairn_vec3_dot(area, area) > 0.25 * s->reach * s->reach * longest;
}

/* The box of the corners; its low corner into *low. Points that no triangle has get weld = -1. */
static void measure(cairn_triangulation *s, int triangles, const int *corner, int *weld, cairn_vec3 *low) {
    cairn_vec3 high = {-INFINITY, -INFINITY, -INFINITY};
    *low = cairn_vec3_of(INFINITY, INFINITY, INFINITY);
    for (int i = 0; i < s->points; i++)
        weld[i] = -1;
    for (int i = 0; i < 3 * triangles; i++)
        weld[corner[i]] = 0;
    for (int i = 0; i < s->points; i++) {
        cairn_vec3 p = s->point[i];
        if (weld[i] < 0)
            continue;
        *low = cairn_vec3_of(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        high = cairn_vec3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    s->size = fmax(high.x - low->x, fmax(high.y - low->y, high.z - low->z));
    s->reach = 2.0 * CAIRN_MESH_NOISE * s->size;
}

cairn_status cairn_triangulation_weld(cairn_triangulation *s, int triangles, const int *corner) {
    size_t points = (size_t)s->points, size = cairn_table_size(points);
    cells c = {.mask = size - 1};
    int *weld = cairn_alloc_raw(s->context, points, sizeof *weld);
    c.first = cairn_alloc_raw(s->context, size, sizeof *c.first);
    c.next = cairn_alloc_raw(s->context, points, sizeof *c.next);
    s->face = cairn_alloc_raw(s->context, 3 * (size_t)triangles, sizeof *s->face);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (weld != NULL && c.first != NULL && c.next != NULL && s->face != NULL) {
        measure(s, triangles, corner, weld, &c.low);
        c.inverse = 1.0 / (CELL * s->reach);
        if (isfinite(c.inverse) && c.inverse > 0.0)
            weld_points(s, &c, weld);
        for (int t = 0; t < triangles; t++) {
            for (int k = 0; k < 3; k++)
                s->face[3 * s->faces + k] = weld[corner[3 * t + k]];
            s->faces += has_width(s, s->faces);
        }
        status = s->faces > 0
                     ? CAIRN_OK
                     : cairn_fail(
                           s->context, CAIRN_ERROR_ARGUMENT,
                           "mesh: none of the %d triangles has an area: none is wider than %g of the mesh's size",
                           triangles, CAIRN_MESH_NOISE);
    }
    cairn_free(s->context, weld);
    cairn_free(s->context, c.first);
    cairn_free(s->context, c.next);
    return status;
}
