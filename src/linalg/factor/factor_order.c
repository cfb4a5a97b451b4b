/*
 * factor_order.c: checks a symmetric pattern, finds its graph of vertices and the order of
 * elimination.
 *
 * Rows of one group (body, node, joint) have nearly the same neighbours. So a group is one vertex,
 * joined to another where any two of their rows meet, and everything symbolic is done on vertices
 * as if their blocks were dense. A group that has fewer than half of the entries this would give it
 * is taken apart, row by row. On large graphs nested dissection is tried too, and the order with
 * fewer multiply-adds is kept. Order: AMD, P. Amestoy, T. Davis, I. Duff, SIAM J. Matrix Anal.
 * Appl. 17 (1996), through libamd's amd_2, which works in memory given to it. Vertices carry no
 * weights: a group of six counts as one.
 */
#include "linalg/factor/factor_data.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

#define DISSECT_GROUPS 400 /* groups from which on dissection is worth a look */
#define DISSECT_WORK   3e4 /* multiply-adds a group by AMD's order from which on it is tried: it costs about 1e5 */

cairn_status cairn_pattern_check(cairn_context *context, int n, const int *start, const int *index, int groups,
                                 const int *group_start) {
    if (n < 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: n is %d, expected 0 or more", n);
    if (n > 0 && (start == NULL || index == NULL))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: the pattern is missing");
    if (n > 0 && start[0] != 0)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: start[0] is %d, expected 0", start[0]);
    for (int j = 0; j < n; j++) {
        if (start[j + 1] < start[j])
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: start decreases after column %d", j);
        bool diagonal = false;
        for (int p = start[j]; p < start[j + 1]; p++) {
            if (index[p] < 0 || index[p] >= n)
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: column %d has row %d, expected 0 to %d", j,
                                  index[p], n - 1);
            if (p > start[j] && index[p] <= index[p - 1])
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: rows of column %d do not rise at row %d", j,
                                  index[p]);
            diagonal |= index[p] == j;
        }
        if (!diagonal)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: column %d has no diagonal entry", j);
    }
    if (group_start == NULL)
        return CAIRN_OK;
    if (groups < 0 || group_start[0] != 0 || group_start[groups] != n)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: the groups do not cover rows 0 to %d", n - 1);
    for (int g = 0; g < groups; g++)
        if (group_start[g + 1] < group_start[g])
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "factor: group_start decreases after group %d", g);
    return CAIRN_OK;
}

/* ---- vertices and their graph ---- */

static void number_vertices(cairn_pattern *a) {
    for (int v = 0; v < a->vertices; v++)
        for (int i = a->vertex_start[v]; i < a->vertex_start[v + 1]; i++)
            a->vertex_of[i] = v;
}

/* One vertex a group with rows. */
static void take_groups(cairn_pattern *a) {
    int groups = a->group_start != NULL ? a->groups : a->n;
    a->vertices = 0;
    for (int g = 0; g < groups; g++) {
        int end = a->group_start != NULL ? a->group_start[g + 1] : g + 1;
        if (end > a->vertex_start[a->vertices])
            a->vertex_start[++a->vertices] = end;
    }
    number_vertices(a);
}

/* Whether every column of vertex v holds the same whole vertices. Counts neighbours, v included,
 * in *count. */
static bool scan_vertex(cairn_pattern *a, int v, int *count, int64_t *rows) {
    int j = a->vertex_start[v], length = a->start[j + 1] - a->start[j];
    bool same = true;
    for (int c = j + 1; c < a->vertex_start[v + 1] && same; c++)
        same = a->start[c + 1] - a->start[c] == length &&
               memcmp(a->index + a->start[c], a->index + a->start[j], (size_t)length * sizeof(int)) == 0;
    *count = 0;
    *rows = 0;
    for (int c = j; c < (same ? j + 1 : a->vertex_start[v + 1]); c++)
        for (int p = a->start[c], end = a->start[c + 1]; p < end;) {
            cairn_stretch piece = cairn_pattern_stretch(a, p, end);
            int whole = a->vertex_start[piece.vertex + 1] - a->vertex_start[piece.vertex];
            same = same && piece.length == whole;
            p += piece.length;
            if (a->mark[piece.vertex] != v) {
                a->mark[piece.vertex] = v;
                (*count)++;
                *rows += whole;
            }
        }
    return same;
}

static void clear_marks(cairn_pattern *a) {
    for (int v = 0; v < a->vertices; v++)
        a->mark[v] = -1;
}

/* Counts the edges, both ways; *sparse: some vertex has too few entries to count as dense; fills
 * uniform. */
static int64_t count_edges(cairn_pattern *a, bool *sparse) {
    int64_t edges = 0, rows = 0;
    int count = 0;
    a->uniform = true;
    *sparse = false;
    clear_marks(a);
    for (int v = 0; v < a->vertices; v++) {
        int first = a->vertex_start[v], last = a->vertex_start[v + 1];
        if (scan_vertex(a, v, &count, &rows)) {
            edges += count - 1;
            continue;
        }
        a->uniform = false;
        edges += count - 1;
        *sparse |= last - first > 1 && 2 * (int64_t)(a->start[last] - a->start[first]) < rows * (last - first);
    }
    return edges;
}

/* Takes sparse groups apart. The neighbours' sizes are those of the groups. */
static void split_sparse(cairn_pattern *a, int *starts) {
    int64_t rows = 0;
    int used = 0, count = 0;
    clear_marks(a);
    starts[0] = 0;
    for (int v = 0; v < a->vertices; v++) {
        int first = a->vertex_start[v], last = a->vertex_start[v + 1];
        scan_vertex(a, v, &count, &rows);
        bool apart = 2 * (int64_t)(a->start[last] - a->start[first]) < rows * (last - first);
        for (int i = apart ? first + 1 : last; i <= last; i++)
            starts[++used] = i;
    }
    memcpy(a->vertex_start, starts, ((size_t)used + 1) * sizeof(int));
    a->vertices = used;
    number_vertices(a);
}

static void fill_edges(cairn_pattern *a) {
    int used = 0;
    clear_marks(a);
    for (int v = 0; v < a->vertices; v++) {
        a->edge_start[v] = used;
        a->mark[v] = v;
        int first = a->vertex_start[v], last = a->uniform ? first + 1 : a->vertex_start[v + 1];
        for (int j = first; j < last; j++)
            for (int p = a->start[j], end = a->start[j + 1]; p < end;) {
                cairn_stretch piece = cairn_pattern_stretch(a, p, end);
                p += piece.length;
                if (a->mark[piece.vertex] != v) {
                    a->mark[piece.vertex] = v;
                    a->edge[used++] = piece.vertex;
                }
            }
    }
    a->edge_start[a->vertices] = used;
}

/* Walks the columns from left to right. Entries (i, j) of the columns i come by in the order of
 * j, so the mirror of each entry is the first one of column i not yet met. map: original row of
 * a column, NULL: itself. cursor: n */
static cairn_status check_mirror(cairn_context *context, int n, const int *start, const int *index, const int *map,
                                 int *cursor) {
    for (int j = 0; j < n; j++)
        cursor[j] = start[j];
    for (int j = 0; j < n; j++)
        for (int p = start[j]; p < start[j + 1]; p++) {
            int i = index[p];
            if (cursor[i] == start[i + 1] || index[cursor[i]] != j)
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                  "factor: the pattern is not symmetric at row %d, column %d", map ? map[i] : i,
                                  map ? map[j] : j);
            cursor[i]++;
        }
    return CAIRN_OK;
}

static void lay_out_graph(cairn_pattern *a, size_t edges) {
    cairn_arena *arena = &a->arena;
    size_t v = (size_t)a->vertices;
    a->zeros = cairn_arena_take(arena, v, sizeof(int64_t));
    a->cost = cairn_arena_take(arena, 2 * v, sizeof(double));
    int **of_v[] = {&a->edge_start, &a->order, &a->inverse,  &a->begin,        &a->parent,
                    &a->count,      &a->first, &a->panel_of, &a->panel_parent, &a->below};
    for (size_t k = 0; k < sizeof of_v / sizeof *of_v; k++)
        *of_v[k] = cairn_arena_take(arena, v + 1, sizeof(int));
    a->edge = cairn_arena_take(arena, edges, sizeof(int));
    a->work = cairn_arena_take(arena, 4 * v + 1, sizeof(int));
    a->place = cairn_arena_take(arena, (size_t)a->n, sizeof(int));
    a->moving = a->changing != NULL ? cairn_arena_take(arena, v, sizeof(bool)) : NULL;
    a->keep = a->changing != NULL ? cairn_arena_take(arena, v, sizeof(bool)) : NULL;
    a->graph = cairn_arena_take(arena, 9 * v + (size_t)a->graph_room, sizeof(int));
}

static void lay_out_rows(cairn_pattern *a) {
    a->vertex_start = cairn_arena_take(&a->rows, (size_t)a->n + 1, sizeof(int));
    a->vertex_of = cairn_arena_take(&a->rows, (size_t)a->n, sizeof(int));
    a->mark = cairn_arena_take(&a->rows, (size_t)a->n + 1, sizeof(int));
}

cairn_status cairn_pattern_graph(cairn_context *context, cairn_pattern *a) {
    lay_out_rows(a);
    cairn_status status = cairn_arena_reserve(context, &a->rows);
    if (status != CAIRN_OK)
        return status;
    lay_out_rows(a);
    take_groups(a);
    bool sparse;
    int64_t edges = count_edges(a, &sparse);
    if (sparse) {
        int *starts = cairn_alloc(context, (size_t)a->n + 1, sizeof *starts);
        if (starts == NULL)
            return CAIRN_ERROR_MEMORY;
        split_sparse(a, starts);
        cairn_free(context, starts);
        edges = count_edges(a, &sparse);
    }
    int64_t room = edges + edges / 5 + a->vertices + 1;
    if (room > INT_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "factor: a pattern of %lld pairs is too large",
                          (long long)edges);
    a->graph_room = (int)room;
    lay_out_graph(a, (size_t)edges);
    status = cairn_arena_reserve(context, &a->arena);
    if (status != CAIRN_OK)
        return status;
    lay_out_graph(a, (size_t)edges);
    fill_edges(a);
    cairn_pattern_moving(a);
    return a->uniform ? check_mirror(context, a->vertices, a->edge_start, a->edge, a->vertex_start, a->mark)
                      : check_mirror(context, a->n, a->start, a->index, NULL, a->mark);
}

/* ---- the order ---- */

/* order <- AMD's */
static void order_by_amd(cairn_pattern *a) {
    int v = a->vertices, used = a->edge_start[v];
    int *begin = a->graph, *length = begin + v, *size = length + v, *next = size + v, *last = next + v,
        *head = last + v, *elements = head + v, *degree = elements + v, *mark = degree + v, *list = mark + v;
    for (int k = 0; k < v; k++) {
        begin[k] = a->edge_start[k];
        length[k] = a->edge_start[k + 1] - begin[k];
    }
    memcpy(list, a->edge, (size_t)used * sizeof(int));
    amd_2(v, begin, list, length, a->graph_room, used, size, next, last, head, elements, degree, mark, NULL, NULL);
    memcpy(a->order, last, (size_t)v * sizeof(int));
}

cairn_status cairn_pattern_order(cairn_context *context, cairn_pattern *a) {
    int v = a->vertices;
    cairn_status status = CAIRN_OK;
    if (v == 0)
        return CAIRN_OK;
    order_by_amd(a);
    double cost = cairn_pattern_tree(a);
    if (v >= DISSECT_GROUPS && cost >= DISSECT_WORK * v) {
        int *kept = a->graph, *rows = kept + v;
        memcpy(kept, a->order, (size_t)v * sizeof(int));
        for (int k = 0; k < v; k++)
            rows[k] = a->vertex_start[k + 1] - a->vertex_start[k];
        status = cairn_dissect(context, v, a->edge_start, a->edge, rows, a->order);
        double other = status == CAIRN_OK ? cairn_pattern_tree(a) : cost;
        if (other >= cost) {
            memcpy(a->order, kept, (size_t)v * sizeof(int));
            cairn_pattern_tree(a);
        }
        cost = fmin(cost, other);
    }
    if (status != CAIRN_OK)
        return status;
    cairn_pattern_keep_first(a, cost);
    cairn_pattern_postorder(a);
    cairn_pattern_keep(a);
    return CAIRN_OK;
}
