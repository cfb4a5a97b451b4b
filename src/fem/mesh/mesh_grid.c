/*
 * mesh_grid.c: grids of bricks. A brick becomes one HEX8, or five tetrahedra: one in the middle and one at every second corner. Bricks with a common face are
 * cut the two different ways, so that the diagonals meet, or into six around the diagonal, all bricks alike; a grid with even numbers of cells is its own mirror image. TET10 takes the middles of all edges as
 * further nodes, numbered after the corners in the order in which the elements show them: half way between the corners, or where the map takes the middle of the edge if both
 * corners lie on one side of the grid. A cell with two sides on a sphere is nearly flat there: its edges are bent only as far as its elements stay good.
 */
#include "fem/mesh/mesh_grid.h"

#include <math.h>

#define CELLS_MAX 1000 /* along one direction */
#define NODES_MAX 20000000
#define GOOD      0.2 /* of the straight element's det J: what a bent one has at least */
#define HALVINGS  4   /* then it is straight */

/* Corners of the five tetrahedra of bricks (i + j + k) even and odd, order of HEX8. */
static const unsigned char cut[2][5][4] = {{{0, 5, 2, 7}, {1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0}, {6, 5, 7, 2}},
                                           {{1, 3, 4, 6}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}}};
static const unsigned char around[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                           {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
static const unsigned char ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}; /* edges of TET10 */

typedef struct grid {
    int cells[3], corners; /* corners: nodes of the grid */
    int bricks;
    int pieces; /* elements of a brick: 1, 5 or 6 */
} grid;

static int corner_of(const grid *g, int i, int j, int k, int a) {
    static const unsigned char step[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                             {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    return (i + step[a][0]) + (g->cells[0] + 1) * ((j + step[a][1]) + (g->cells[1] + 1) * (k + step[a][2]));
}

/* Elements of brick after brick into corner: 8 or pieces x stride numbers a brick. */
static void cut_bricks(const grid *g, int stride, int *corner) {
    for (int k = 0; k < g->cells[2]; k++)
        for (int j = 0; j < g->cells[1]; j++)
            for (int i = 0; i < g->cells[0]; i++) {
                if (g->pieces == 1) {
                    for (int a = 0; a < 8; a++)
                        *corner++ = corner_of(g, i, j, k, a);
                    continue;
                }
                const unsigned char(*piece)[4] = g->pieces == 5 ? cut[(i + j + k) & 1] : around;
                for (int t = 0; t < g->pieces; t++, corner += stride)
                    for (int a = 0; a < 4; a++)
                        corner[a] = corner_of(g, i, j, k, piece[t][a]);
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

/* The place of a corner in the cube [-1, 1]^3. */
static void cube_place(const grid *g, int corner, double u[3]) {
    const int at[3] = {corner % (g->cells[0] + 1), corner / (g->cells[0] + 1) % (g->cells[1] + 1),
                       corner / (g->cells[0] + 1) / (g->cells[1] + 1)};
    for (int i = 0; i < 3; i++)
        u[i] = 2.0 * at[i] / g->cells[i] - 1.0;
}

/* How far the middle of the edge between two corners lies from half way when the edge is on the surface. */
static cairn_vec3 bulge_of(const grid *g, cairn_fem_map map, const void *user, const cairn_vec3 *node, int a, int b) {
    double u[3], v[3];
    bool outer = false;
    cube_place(g, a, u);
    cube_place(g, b, v);
    for (int i = 0; i < 3; i++)
        outer = outer || (fabs(u[i]) == 1.0 && u[i] == v[i]);
    cairn_vec3 half = cairn_vec3_scale(0.5, cairn_vec3_add(node[a], node[b]));
    return outer ? cairn_vec3_sub(map(user, 0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1]), 0.5 * (u[2] + v[2])), half)
                 : cairn_vec3_of(0, 0, 0);
}

/* Least det J of a quadratic tetrahedron at its points and corners. */
static double least_det(const cairn_vec3 *node, const int *corner) {
    const cairn_fem_element *element = &cairn_fem_tet10;
    cairn_fem_rule rule;
    double X[30], least = INFINITY;
    for (int a = 0; a < 10; a++) {
        X[3 * a] = node[corner[a]].x;
        X[3 * a + 1] = node[corner[a]].y;
        X[3 * a + 2] = node[corner[a]].z;
    }
    element->stiffness_rule(&rule);
    for (int q = 0; q < rule.points; q++)
        least = fmin(least, cairn_fem_solid_gradient(element, X, rule.xi[q], NULL));
    for (int a = 0; a < element->corners; a++)
        least = fmin(least, cairn_fem_solid_gradient(element, X, element->place[a], NULL));
    return least;
}

/* Puts the middles of the edges of element corner where share of their bulge says. */
static void place_middles(const grid *g, const int *corner, const cairn_vec3 *bulge, const double *share,
                          cairn_vec3 *node) {
    for (int t = 0; t < 6; t++) {
        int m = corner[4 + t];
        cairn_vec3 half = cairn_vec3_scale(0.5, cairn_vec3_add(node[corner[ends[t][0]]], node[corner[ends[t][1]]]));
        node[m] = cairn_vec3_add_scaled(half, share[m - g->corners], bulge[m - g->corners]);
    }
}

/* Middles of all edges. An element that bending would spoil halves the share of its edges, and so on until none does; in the end they are straight. */
static void bend_edges(const grid *g, cairn_fem_map map, const void *user, int elements, const int *corner,
                       cairn_vec3 *bulge, double *share, cairn_vec3 *node) {
    for (int e = 0; e < elements; e++)
        for (int t = 0; t < 6; t++) {
            const int *c = corner + 10 * e;
            bulge[c[4 + t] - g->corners] = bulge_of(g, map, user, node, c[ends[t][0]], c[ends[t][1]]);
            share[c[4 + t] - g->corners] = 1.0;
        }
    bool again = true;
    for (int e = 0; e < elements; e++)
        place_middles(g, corner + 10 * e, bulge, share, node);
    for (int round = 0; again; round++) {
        again = false;
        for (int e = 0; e < elements; e++) {
            const int *c = corner + 10 * e;
            cairn_vec3 u = cairn_vec3_sub(node[c[1]], node[c[0]]), v = cairn_vec3_sub(node[c[2]], node[c[0]]);
            double straight = cairn_vec3_dot(cairn_vec3_cross(u, v), cairn_vec3_sub(node[c[3]], node[c[0]])),
                   bent = 0.0;
            for (int t = 0; t < 6; t++)
                bent += share[c[4 + t] - g->corners];
            if (bent == 0.0 || least_det(node, c) >= GOOD * straight)
                continue;
            for (int t = 0; t < 6; t++)
                share[c[4 + t] - g->corners] *= round < HALVINGS ? 0.5 : 0.0;
            again = true;
        }
        for (int e = 0; e < elements; e++)
            place_middles(g, corner + 10 * e, bulge, share, node);
    }
}

/* Fills and makes the mesh. Room: node, kind, start, corner, work (two numbers an edge and one a corner). */
static cairn_status build(cairn_context *context, const grid *g, cairn_element_kind kind, cairn_fem_map map,
                          const void *user, cairn_vec3 *node, cairn_element_kind *kinds, int *start, int *corner,
                          int *work, cairn_vec3 *bulge, double *share, cairn_fem_mesh **mesh) {
    int stride = cairn_fem_element_of(kind)->nodes, elements = g->pieces * g->bricks;
    cut_bricks(g, stride, corner);
    place_corners(g, map, user, node);
    int nodes = g->corners;
    if (kind == CAIRN_ELEMENT_TET10) {
        nodes = number_edges(g, elements, corner, work, work + g->corners, work + g->corners + 6 * elements);
        bend_edges(g, map, user, elements, corner, bulge, share, node);
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
                                 int tetrahedra, cairn_fem_map map, const void *user, cairn_fem_mesh **mesh) {
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
    grid g = {{cells[0], cells[1], cells[2]},
              (int)all,
              cells[0] * cells[1] * cells[2],
              kind == CAIRN_ELEMENT_HEX8 ? 1 : tetrahedra};
    size_t elements = (size_t)g.pieces * (size_t)g.bricks;
    size_t edges = kind == CAIRN_ELEMENT_TET10 ? 6 * elements : 0;
    cairn_vec3 *node = cairn_alloc(context, (size_t)g.corners + edges, sizeof *node);
    cairn_element_kind *kinds = cairn_alloc(context, elements, sizeof *kinds);
    int *start = cairn_alloc(context, elements + 1, sizeof *start);
    int *corner = cairn_alloc(context, elements * (size_t)cairn_fem_element_of(kind)->nodes, sizeof *corner);
    int *work = cairn_alloc(context, (size_t)g.corners + 2 * edges, sizeof *work);
    cairn_vec3 *bulge = cairn_alloc(context, edges, sizeof *bulge);
    double *share = cairn_alloc(context, edges, sizeof *share);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (bulge != NULL && share != NULL && node != NULL && kinds != NULL && start != NULL && corner != NULL &&
        work != NULL)
        status = build(context, &g, kind, map, user, node, kinds, start, corner, work, bulge, share, mesh);
    cairn_free(context, node);
    cairn_free(context, kinds);
    cairn_free(context, start);
    cairn_free(context, corner);
    cairn_free(context, work);
    cairn_free(context, bulge);
    cairn_free(context, share);
    return status;
}
