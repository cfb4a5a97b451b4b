/*
 * context.h: the inside of cairn_context. Only src/base includes this.
 */
#ifndef CAIRN_BASE_CONTEXT_H
#define CAIRN_BASE_CONTEXT_H

#include "core.h"

typedef struct cairn_pool cairn_pool;

struct cairn_context {
    cairn_context_def def;
    cairn_pool *pool;  /* NULL when threads == 1 */
    char message[512]; /* last error */
};

/* threads >= 2. The pool's own memory comes from the context's allocator. */
cairn_status cairn_pool_create(cairn_context *context, int threads, cairn_pool **pool);
void cairn_pool_destroy(cairn_context *context, cairn_pool *pool);
void cairn_pool_run(cairn_pool *pool, int count, int grain, cairn_parallel_body body, void *user);

#endif
