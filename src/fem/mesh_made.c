/*
 * mesh_made.c: grids of bricks. A brick becomes one HEX8, or five tetrahedra: one in the middle and one at every second corner. Bricks with a common face are
 * cut the two different ways, so that the diagonals meet; a grid with even numbers of cells is its own mirror image. TET10 takes the middles of all edges as
 * further nodes, half way, numbered after the corners in the order in which the elements show them.
 */
#include "mesh_made.h"

#include <math.h>

#define CELLS_MAX 1000 /* along one direction */
#define NODES_MAX 20000000

/* Corners of the five tetrahedra of bricks (i + j + k) even and odd, order of HEX8. */
static const unsigned char cut[2][5][4] = {{{0, 5, 2, 7}, {1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0}, {6, 5, 7, 2}},
                                           {{1, 3, 4, 6}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}}};
static const unsigned char ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}; /* edges of TET10 */

typedef struct grid {
    int cells[3], corners; /* corners: nodes of the grid */
    int bricks;
} grid;

static int corner_of(const grid *g, int i, int j, int k, int a) {
    static const unsigned char step[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                             {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    return (i + step[a][0]) + (g->cells[0] + 1) * ((j + step[a][1]) + (g->cells[1] + 1) * (k + step[a][2]));
}

/* Elements of brick after brick into corner: 8 or 5 x stride numbers a brick. */
static void cut_bricks(const grid *g, bool tetrahedra, int stride, int *corner) {
    for (int k = 0; k < g->cells[2]; k++)
        for (int j = 0; j < g->cells[1]; j++)
            for (int i = 0; i < g->cells[0]; i++) {
                if (!tetrahedra) {
                    for (int a = 0; a < 8; a++)
                        *corner++ = corner_of(g, i, j, k, a);
                    continue;
                }
                for (int t = 0; t < 5; t++, corner += stride)
                    for (int a = 0; a < 4; a++)
                        corner[a] = corner_of(g, i, j, k, cut[(i + j + k) & 1][t][a]);
            }
}

/* Numbers the edges of tetrahedra (10 numbers each, 4 filled). head: corners; next, high: room for all edges. Returns nodes in all. */
static int number_edges(const grid *g, int elements, int *corner, int *head, int *next, int *high) {
    int edges = 0;
    for (int i = 0; i < g->corners; i++)
        head[i] = -1;
    for (int e = 0; e < elements; e++)
        for (int t = 0; t < 6; t++) {
            int *c = corner + 10 * e, a = c[ends[t][0]], b = c[ends[t][1]], low = a < b ? a : b, top = a < b ? b : a;
            int found = head[low];
            while (found >= 0 && high[found] != top)
                found = next[found];
            if (found < 0) {
                found = edges++;
                high[found] = top;
                next[found] = head[low];
                head[low] = found;
            }
            c[4 + t] = g->corners + found;
        }
    return g->corners + edges;
}

static void place_corners(const grid *g, cairn_fem_map map, const void *user, cairn_vec3 *node) {
    for (int k = 0; k <= g->cells[2]; k++)
        for (int j = 0; j <= g->cells[1]; j++)
            for (int i = 0; i <= g->cells[0]; i++)
                *node++ = map(user, 2.0 * i / g->cells[0] - 1.0, 2.0 * j / g->cells[1] - 1.0,
                              2.0 * k / g->cells[2] - 1.0);
}

/* Fills and makes the mesh. Room: node, kind, start, corner, work (two numbers an edge and one a corner). */
static cairn_status build(cairn_context *context, const grid *g, cairn_element_kind kind, cairn_fem_map map,
                          const void *user, cairn_vec3 *node, cairn_element_kind *kinds, int *start, int *corner,
                          int *work, cairn_fem_mesh **mesh) {
    bool tetrahedra = kind != CAIRN_ELEMENT_HEX8;
    int stride = cairn_fem_element_of(kind)->nodes, elements = tetrahedra ? 5 * g->bricks : g->bricks;
    cut_bricks(g, tetrahedra, stride, corner);
    place_corners(g, map, user, node);
    int nodes = g->corners;
    if (kind == CAIRN_ELEMENT_TET10) {
        nodes = number_edges(g, elements, corner, work, work + g->corners, work + g->corners + 6 * elements);
        for (int e = 0; e < elements; e++)
            for (int t = 0; t < 6; t++) {
                const int *c = corner + 10 * e;
                node[c[4 + t]] = cairn_vec3_scale(0.5, cairn_vec3_add(node[c[ends[t][0]]], node[c[ends[t][1]]]));
            }
    }
    for (int e = 0; e <= elements; e++)
        start[e] = stride * e;
    for (int e = 0; e < elements; e++)
        kinds[e] = kind;
    cairn_fem_mesh_def def = cairn_default_fem_mesh_def();
    def.nodes = nodes;
    def.node = node;
    def.elements = elements;
    def.kind = kinds;
    def.start = start;
    def.corner = corner;
    return cairn_fem_mesh_create(context, &def, mesh);
}

cairn_status cairn_fem_mesh_grid(cairn_context *context, const char *name, cairn_element_kind kind, const int cells[3],
                                 cairn_fem_map map, const void *user, cairn_fem_mesh **mesh) {
    if (kind != CAIRN_ELEMENT_TET4 && kind != CAIRN_ELEMENT_TET10 && kind != CAIRN_ELEMENT_HEX8)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s mesh: made of tet4, tet10 or hex8, not of kind %d", name,
                          (int)kind);
    for (int i = 0; i < 3; i++)
        if (cells[i] < 1 || cells[i] > CELLS_MAX)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                              "%s mesh: %d cells along one direction; 1 to %d are needed", name, cells[i], CELLS_MAX);
    int64_t all = (int64_t)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    if (all > NODES_MAX)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s mesh: %lld corners; at most %d", name, (long long)all,
                          NODES_MAX);
    grid g = {{cells[0], cells[1], cells[2]}, (int)all, cells[0] * cells[1] * cells[2]};
    size_t elements = (kind == CAIRN_ELEMENT_HEX8 ? 1 : 5) * (size_t)g.bricks;
    size_t edges = kind == CAIRN_ELEMENT_TET10 ? 6 * elements : 0;
    cairn_vec3 *node = cairn_alloc(context, (size_t)g.corners + edges, sizeof *node);
    cairn_element_kind *kinds = cairn_alloc(context, elements, sizeof *kinds);
    int *start = cairn_alloc(context, elements + 1, sizeof *start);
    int *corner = cairn_alloc(context, elements * (size_t)cairn_fem_element_of(kind)->nodes, sizeof *corner);
    int *work = cairn_alloc(context, (size_t)g.corners + 2 * edges, sizeof *work);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (node != NULL && kinds != NULL && start != NULL && corner != NULL && work != NULL)
        status = build(context, &g, kind, map, user, node, kinds, start, corner, work, mesh);
    cairn_free(context, node);
    cairn_free(context, kinds);
    cairn_free(context, start);
    cairn_free(context, corner);
    cairn_free(context, work);
    return status;
}
