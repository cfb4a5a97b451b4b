/*
 * block_pattern.c: a pattern with whole blocks: where any entry of A couples two bodies or nodes,
 * all of their rows and columns.
 *
 * For H of [T21 (36)]. Entries of a stiffness matrix come and go with the state: an element that is
 * not deformed has zeros that the next step fills. With whole blocks the pattern depends on what is
 * coupled alone, and the order of elimination can be kept from step to step
 * (linalg/factor/factor_cache.h). The order is one of bodies anyway.
 */
#include "problem/problem_data.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Bodies that the columns of a body couple with, rising, in list; their first rows in the new
 * columns in at. seen: bodies, below 0 before. Returns how many rows that are. */
static int neighbours(const cairn_problem *p, const cairn_pattern *from, int body, int *seen, int *list, int *at,
                      int *count) {
    *count = 0;
    for (int j = p->body_start[body]; j < p->body_start[body + 1]; j++)
        for (int e = from->start[j]; e < from->start[j + 1]; e++) {
            int other = p->body.body_of[from->index[e]];
            if (seen[other] != body)
                list[(*count)++] = other;
            seen[other] = body;
        }
    qsort(list, (size_t)*count, sizeof *list, by_value);
    int rows = 0;
    for (int k = 0; k < *count; k++) {
        at[list[k]] = rows;
        rows += p->body_start[list[k] + 1] - p->body_start[list[k]];
    }
    return rows;
}

/* Columns of one body in the new pattern, which begin at `to`. */
static void fill_columns(const cairn_problem *p, int body, const int *list, int count, int rows, int to, int *index) {
    int *first = index + to, r = 0;
    for (int k = 0; k < count; k++)
        for (int i = p->body_start[list[k]]; i < p->body_start[list[k] + 1]; i++)
            first[r++] = i;
    for (int c = 1; c < p->body_start[body + 1] - p->body_start[body]; c++)
        memcpy(first + (int64_t)c * rows, first, (size_t)rows * sizeof *first);
}

cairn_status cairn_pattern_fill_blocks(const cairn_problem *p, cairn_pattern *pattern) {
    cairn_context *context = p->context;
    size_t n = (size_t)p->n, bodies = (size_t)p->bodies;
    int *seen = cairn_alloc(context, bodies, sizeof *seen), *list = cairn_alloc(context, bodies, sizeof *list);
    int *at = cairn_alloc(context, bodies, sizeof *at), *start = cairn_alloc(context, n + 1, sizeof *start),
        *index = NULL;
    bool all = seen != NULL && list != NULL && at != NULL && start != NULL;
    for (int pass = 0; all && pass < 2; pass++) { /* counts, then fills */
        int64_t total = 0;
        for (size_t i = 0; i < bodies; i++)
            seen[i] = -1;
        for (int body = 0; body < p->bodies; body++) {
            int count, rows = neighbours(p, pattern, body, seen, list, at, &count);
            if (pass == 1)
                fill_columns(p, body, list, count, rows, (int)total, index);
            for (int j = p->body_start[body]; j < p->body_start[body + 1]; j++, total += rows) {
                start[j] = (int)total;
                for (int e = p->A.start[j]; pass == 1 && e < p->A.start[j + 1]; e++) {
                    int row = p->A.index[e], other = p->body.body_of[row];
                    pattern->map[e] = start[j] + at[other] + row - p->body_start[other];
                }
            }
            if (total > INT32_MAX / 2)
                all = false;
        }
        start[p->n] = (int)total;
        if (pass == 0 && all)
            index = cairn_alloc_raw(context, (size_t)total, sizeof *index);
        all = all && index != NULL;
    }
    cairn_free(context, seen);
    cairn_free(context, list);
    cairn_free(context, at);
    cairn_free(context, all ? pattern->start : start);
    cairn_free(context, all ? pattern->index : index);
    if (!all)
        return CAIRN_ERROR_MEMORY;
    pattern->start = start;
    pattern->index = index;
    return CAIRN_OK;
}
