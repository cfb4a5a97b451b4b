/*
 * context.h: the inside of cairn_context. Only src/base includes this.
 */
#ifndef CAIRN_BASE_CONTEXT_H
#define CAIRN_BASE_CONTEXT_H

#include "base/core.h"

typedef struct cairn_pool cairn_pool;

/* Freed blocks that wait to be used again; see allocator.c. */
#define CAIRN_MEMORY_CLASSES 81
typedef struct cairn_memory {
    void *waiting[CAIRN_MEMORY_CLASSES];  /* lists, one a class of size */
    size_t bytes;                         /* in all lists */
    uint64_t taken[CAIRN_MEMORY_CLASSES]; /* when a block of the class was last asked for, */
    uint64_t takes;                       /* counted by what was asked for in all */
} cairn_memory;

struct cairn_context {
    cairn_context_def def;
    cairn_pool *pool;    /* NULL when threads == 1 */
    cairn_memory memory; /* of the default allocator */
    char message[512];   /* last error */
    int64_t live, own;   /* blocks of memory that were taken and not given back; those of the context itself */
    bool closing;        /* destroyed by its user; ends with its last object */
};

/* bytes > 0 at a multiple of 64; zeroed if clear is set, else as they come. NULL: the system
 * says no. */
void *cairn_memory_take(cairn_memory *kept, size_t bytes, bool clear);
void cairn_memory_give(cairn_memory *kept, void *memory); /* what take returned */
void cairn_memory_release(cairn_memory *kept);            /* back to the system with all that waits */

/* threads >= 2. The pool's own memory comes from the context's allocator. */
cairn_status cairn_pool_create(cairn_context *context, int threads, cairn_pool **pool);
void cairn_pool_destroy(cairn_context *context, cairn_pool *pool);
void cairn_pool_run(cairn_pool *pool, int count, int grain, cairn_parallel_body body, void *user);

#endif
