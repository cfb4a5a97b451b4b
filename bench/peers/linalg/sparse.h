/*
 * sparse.h: a list of triplets and compressed columns, for the generated matrices.
 *
 * The benches stop the program when memory runs out: bench_need prints a message and exits.
 */
#ifndef CAIRN_PEERS_SPARSE_H
#define CAIRN_PEERS_SPARSE_H

#include <stddef.h>

/* Triplets; repeated positions are summed by sparse_compress. */
typedef struct triplets {
    int count, room;
    int *row, *col;
    double *value;
} triplets;

/* Compressed columns, rows sorted in each. */
typedef struct sparse {
    int rows, cols;
    int *start; /* cols + 1 */
    int *index;
    double *value;
} sparse;

void *bench_need(size_t count, size_t bytes); /* zeroed */
void triplets_add(triplets *list, int row, int col, double value);
void triplets_clear(triplets *list);

/* Frees the list. Entries that are exactly zero stay: they are part of the pattern. */
sparse sparse_compress(triplets *list, int rows, int cols);
void sparse_clear(sparse *a);

#endif
