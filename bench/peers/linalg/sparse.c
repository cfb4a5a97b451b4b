/*
 * sparse.c: triplets to compressed columns by two counting sorts.
 */
#include "sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *bench_need(size_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (memory == NULL) {
        fprintf(stderr, "factors: out of memory\n");
        exit(1);
    }
    return memory;
}

static void grow(triplets *list) {
    int room = list->room > 0 ? 2 * list->room : 1024;
    int *row = bench_need((size_t)room, sizeof *row), *col = bench_need((size_t)room, sizeof *col);
    double *value = bench_need((size_t)room, sizeof *value);
    if (list->count > 0) {
        memcpy(row, list->row, (size_t)list->count * sizeof *row);
        memcpy(col, list->col, (size_t)list->count * sizeof *col);
        memcpy(value, list->value, (size_t)list->count * sizeof *value);
    }
    int count = list->count;
    triplets_clear(list);
    *list = (triplets){count, room, row, col, value};
}

void triplets_add(triplets *list, int row, int col, double value) {
    if (list->count == list->room)
        grow(list);
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->value[list->count++] = value;
}

void triplets_clear(triplets *list) {
    free(list->row);
    free(list->col);
    free(list->value);
    *list = (triplets){0};
}

/* The order that sorts keys 0..size-1, stable: order (count). before: an order to start from, NULL: as they are. */
static void sort_keys(int count, int size, const int *key, const int *before, int *order) {
    int *next = bench_need((size_t)size + 1, sizeof *next);
    for (int k = 0; k < count; k++)
        next[key[k] + 1]++;
    for (int i = 0; i < size; i++)
        next[i + 1] += next[i];
    for (int k = 0; k < count; k++) {
        int which = before != NULL ? before[k] : k;
        order[next[key[which]]++] = which;
    }
    free(next);
}

sparse sparse_compress(triplets *list, int rows, int cols) {
    size_t count = (size_t)list->count;
    int *by_row = bench_need(count, sizeof *by_row), *order = bench_need(count, sizeof *order);
    sort_keys(list->count, rows, list->row, NULL, by_row);
    sort_keys(list->count, cols, list->col, by_row, order);
    free(by_row);
    sparse a = {rows, cols, bench_need((size_t)cols + 1, sizeof *a.start), bench_need(count, sizeof *a.index),
                bench_need(count, sizeof *a.value)};
    int entries = 0, last_row = -1, last_col = -1;
    for (int k = 0; k < list->count; k++) {
        int which = order[k], row = list->row[which], col = list->col[which];
        if (row != last_row || col != last_col) {
            a.index[entries++] = row;
            a.start[col + 1]++;
        }
        a.value[entries - 1] += list->value[which];
        last_row = row;
        last_col = col;
    }
    for (int j = 0; j < cols; j++)
        a.start[j + 1] += a.start[j];
    free(order);
    triplets_clear(list);
    return a;
}

void sparse_clear(sparse *a) {
    free(a->start);
    free(a->index);
    free(a->value);
    *a = (sparse){0};
}
