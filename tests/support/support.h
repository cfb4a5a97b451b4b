/*
 * support.h: what several test programs share: an allocator that counts and can fail, small problems, test data.
 */
#ifndef CAIRN_TEST_SUPPORT_H
#define CAIRN_TEST_SUPPORT_H

#include <cairn/cairn.h>

#include "test.h"

/* Counts allocations and fails from the one numbered fail_at on (from 0); -1: never. */
typedef struct counting_allocator {
    int allocations, live, fail_at;
} counting_allocator;

static inline void *counting_allocate(void *user, size_t bytes) {
    counting_allocator *a = user;
    if (a->fail_at >= 0 && a->allocations >= a->fail_at)
        return NULL;
    a->allocations++;
    a->live++;
    return malloc(bytes);
}

static inline void counting_release(void *user, void *memory) {
    counting_allocator *a = user;
    a->live--;
    free(memory);
}

static inline cairn_context *counting_context(counting_allocator *a, int threads) {
    cairn_context_def def = cairn_default_context_def();
    def.allocate = counting_allocate;
    def.release = counting_release;
    def.allocator_user = a;
    def.threads = threads;
    cairn_context *context = NULL;
    return cairn_context_create(&def, &context) == CAIRN_OK ? context : NULL;
}

static inline cairn_context *plain_context(int threads) {
    cairn_context_def def = cairn_default_context_def();
    def.threads = threads;
    cairn_context *context = NULL;
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        exit(1);
    return context;
}

/* A local problem from a dense N (m x m, row by row), which may be unsymmetric. NULL when refused. */
static inline cairn_problem *local_problem_of(cairn_context *context, int m, const double *N, bool unsymmetric,
                                              const double *b, int blocks, const cairn_block *block, cairn_law law) {
    int *row = calloc((size_t)(m * m), sizeof *row), *col = calloc((size_t)(m * m), sizeof *col);
    for (int i = 0; i < m * m; i++) {
        row[i] = i / m;
        col[i] = i % m;
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.law = law;
    def.m = m;
    def.N = (cairn_sparse){
        .format = CAIRN_SPARSE_TRIPLET, .rows = m, .cols = m, .entries = m * m, .row = row, .col = col, .value = N};
    def.N_unsymmetric = unsymmetric;
    def.b = b;
    def.blocks = blocks;
    def.block = block;
    cairn_problem *problem = NULL;
    cairn_problem_create(context, &def, &problem);
    free(row);
    free(col);
    return problem;
}

/* The same for symmetric N. */
static inline cairn_problem *local_problem(cairn_context *context, int m, const double *N, const double *b, int blocks,
                                           const cairn_block *block, cairn_law law) {
    return local_problem_of(context, m, N, false, b, blocks, block, law);
}

/* Path of a file of the FCLIB collection; false when it is not there. */
static inline bool shared_path(const char *name, char *path, size_t size) {
    const char *root = getenv("CAIRN_SHARED");
    if (root != NULL)
        snprintf(path, size, "%s/fclib/%s", root, name);
    else
        snprintf(path, size, "%s/../shared/fclib/%s", CAIRN_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    fclose(file);
    return true;
}

#endif
