/*
 * factor_order.c: checks a symmetric pattern and finds the order of elimination.
 *
 * Rows of one group (body, node, joint) have nearly the same neighbours. So the minimum degree order is taken on
 * the quotient graph, one vertex a group, an edge where any two rows of two groups meet, and each group is
 * written out as its rows. On large graphs nested dissection is tried too, and the order with fewer multiply-adds is kept.
 * Order: AMD, P. Amestoy, T. Davis, I. Duff, SIAM J. Matrix Anal. Appl. 17 (1996), through
 * libamd's amd_2, which works in memory given to it. Vertices carry no weights: a group of six counts as one.
 */
#include "factor_data.h"

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

/* Walks the columns from left to right. Entries (i, j) of the columns i come by in the order of j, so the mirror
 * of each entry is the first one of column i not yet met. */
cairn_status cairn_pattern_mirror(cairn_context *context, cairn_pattern *a) {
    int *cursor = a->work;
    for (int j = 0; j < a->n; j++)
        cursor[j] = a->start[j];
    for (int j = 0; j < a->n; j++) {
        for (int p = a->start[j]; p < a->start[j + 1]; p++) {
            int i = a->index[p];
            if (cursor[i] == a->start[i + 1] || a->index[cursor[i]] != j)
                return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                                  "factor: the pattern is not symmetric at row %d, column %d", i, j);
            a->transpose[p] = cursor[i]++;
        }
    }
    return CAIRN_OK;
}

/* The neighbours of every group, without itself, each once: list[begin[g]] .. Returns their number. */
static int quotient_graph(const cairn_pattern *a, int *begin, int *length, int *list, int *mark, int *group_of) {
    for (int g = 0; g < a->groups; g++) {
        mark[g] = -1;
        for (int i = a->group_start[g]; i < a->group_start[g + 1]; i++)
            group_of[i] = g;
    }
    int used = 0;
    for (int g = 0; g < a->groups; g++) {
        begin[g] = used;
        mark[g] = g;
        for (int p = a->start[a->group_start[g]]; p < a->start[a->group_start[g + 1]]; p++) {
            int other = group_of[a->index[p]];
            if (mark[other] != g) {
                mark[other] = g;
                list[used++] = other;
            }
        }
        length[g] = used - begin[g];
    }
    return used;
}

/* The quotient graph, kept for a second order. */
typedef struct quotient {
    int *start, *list, *rows; /* groups + 1, edges, groups */
    int *order;               /* groups: by dissection */
    int *work;                /* 5 groups */
    cairn_arena arena;
} quotient;

static void lay_out_quotient(quotient *q, size_t groups, size_t edges) {
    q->start = cairn_arena_take(&q->arena, groups + 1, sizeof(int));
    q->list = cairn_arena_take(&q->arena, edges, sizeof(int));
    q->rows = cairn_arena_take(&q->arena, groups, sizeof(int));
    q->order = cairn_arena_take(&q->arena, groups, sizeof(int));
    q->work = cairn_arena_take(&q->arena, 5 * groups, sizeof(int));
}

static cairn_status keep_quotient(cairn_context *context, const cairn_pattern *a, const int *begin, const int *list,
                                  int used, quotient *q) {
    lay_out_quotient(q, (size_t)a->groups, (size_t)used);
    cairn_status status = cairn_arena_reserve(context, &q->arena);
    if (status != CAIRN_OK)
        return status;
    lay_out_quotient(q, (size_t)a->groups, (size_t)used);
    memcpy(q->start, begin, (size_t)a->groups * sizeof(int));
    memcpy(q->list, list, (size_t)used * sizeof(int));
    q->start[a->groups] = used;
    for (int g = 0; g < a->groups; g++)
        q->rows[g] = a->group_start[g + 1] - a->group_start[g];
    return CAIRN_OK;
}

/* Multiply-adds when groups are eliminated as dense blocks in that order, by walking every group's paths in the
 * elimination tree of groups: sum of rows * (rows below)^2 / 2. */
static double order_cost(const quotient *q, int groups, const int *order) {
    int *inverse = q->work, *parent = inverse + groups, *ancestor = parent + groups, *mark = ancestor + groups,
        *below = mark + groups;
    for (int k = 0; k < groups; k++)
        inverse[order[k]] = k;
    for (int i = 0; i < groups; i++) {
        parent[i] = ancestor[i] = mark[i] = -1;
        below[i] = 0;
        for (int p = q->start[order[i]]; p < q->start[order[i] + 1]; p++)
            for (int k = inverse[q->list[p]], up; k >= 0 && k < i; k = up) {
                up = ancestor[k];
                ancestor[k] = i;
                if (up < 0)
                    parent[k] = i;
            }
    }
    for (int i = 0; i < groups; i++)
        for (int p = q->start[order[i]]; p < q->start[order[i] + 1]; p++)
            for (int k = inverse[q->list[p]]; k < i && mark[k] != i; k = parent[k]) {
                mark[k] = i;
                below[k] += q->rows[order[i]];
            }
    double cost = 0.0;
    for (int k = 0; k < groups; k++) {
        double rows = q->rows[order[k]], all = rows + below[k];
        cost += 0.5 * rows * all * all;
    }
    return cost;
}

cairn_status cairn_pattern_order(cairn_context *context, cairn_pattern *a) {
    int groups = a->groups;
    if (a->n == 0)
        return CAIRN_OK;
    int *begin = a->graph, *length = begin + groups, *size = length + groups, *next = size + groups,
        *last = next + groups, *head = last + groups, *elements = head + groups, *degree = elements + groups,
        *mark = degree + groups, *list = mark + groups;
    int used = quotient_graph(a, begin, length, list, mark, a->work);
    quotient q = {0};
    cairn_status status = groups >= DISSECT_GROUPS ? keep_quotient(context, a, begin, list, used, &q) : CAIRN_OK;
    if (status == CAIRN_OK)
        amd_2(groups, begin, list, length, a->graph_room, used, size, next, last, head, elements, degree, mark, NULL,
              NULL);
    const int *order = last;
    if (status == CAIRN_OK && groups >= DISSECT_GROUPS) {
        double cost = order_cost(&q, groups, last);
        if (cost >= DISSECT_WORK * groups) {
            status = cairn_dissect(context, groups, q.start, q.list, q.rows, q.order);
            if (status == CAIRN_OK && order_cost(&q, groups, q.order) < cost)
                order = q.order;
        }
    }
    for (int g = 0, k = 0; g < groups && status == CAIRN_OK; g++)
        for (int i = a->group_start[order[g]]; i < a->group_start[order[g] + 1]; i++)
            a->order[k++] = i;
    for (int k = 0; k < a->n && status == CAIRN_OK; k++)
        a->inverse[a->order[k]] = k;
    cairn_arena_free(context, &q.arena);
    return status;
}
