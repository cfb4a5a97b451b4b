/*
 * threads.c: a small pool that runs the chunks of one loop at a time.
 *
 *     caller:  publish loop (mutex) -> wake workers -> take chunks -> wait until all workers are idle
 *     worker:  sleep until a new loop -> take chunks by an atomic counter -> report idle -> sleep
 *
 * Which thread takes a chunk is left to chance; what a chunk computes is not (see core.h). The pool holds
 * the state of one loop, and the caller leaves cairn_parallel only after every worker has left it.
 */
#define _POSIX_C_SOURCE 200809L
#include "context.h"

#include <pthread.h>
#include <stdatomic.h>

struct cairn_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;     /* a new loop, or the end */
    pthread_cond_t finished; /* a worker became idle */
    uint64_t generation;     /* counts loops; guarded by mutex */
    bool quit;               /* guarded by mutex */
    int busy;                /* workers still in the current loop; guarded by mutex */
    int workers;
    pthread_t *thread; /* workers */
    /* the current loop: written before generation is raised, read after */
    cairn_parallel_body body;
    void *user;
    int count, grain, chunks;
    atomic_int next; /* first chunk nobody has taken */
};

int cairn_chunks(int count, int grain) {
    return count > 0 ? (count - 1) / grain + 1 : 0;
}

static void run_chunk(cairn_parallel_body body, void *user, int count, int grain, int chunk) {
    int begin = chunk * grain;
    int end = count - begin > grain ? begin + grain : count;
    body(user, chunk, begin, end);
}

static void take_chunks(cairn_pool *pool) {
    for (;;) {
        int chunk = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (chunk >= pool->chunks)
            return;
        run_chunk(pool->body, pool->user, pool->count, pool->grain, chunk);
    }
}

static void *worker_main(void *argument) {
    cairn_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->quit && pool->generation == seen)
            pthread_cond_wait(&pool->wake, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->mutex);
        take_chunks(pool);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

void cairn_pool_run(cairn_pool *pool, int count, int grain, cairn_parallel_body body, void *user) {
    pthread_mutex_lock(&pool->mutex);
    pool->body = body;
    pool->user = user;
    pool->count = count;
    pool->grain = grain;
    pool->chunks = cairn_chunks(count, grain);
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->workers;
    pool->generation++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);

    take_chunks(pool);

    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->finished, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

cairn_status cairn_pool_create(cairn_context *context, int threads, cairn_pool **out) {
    cairn_pool *pool = cairn_alloc(context, 1, sizeof *pool);
    if (pool == NULL)
        return CAIRN_ERROR_MEMORY;
    pool->thread = cairn_alloc(context, (size_t)threads - 1, sizeof *pool->thread);
    if (pool->thread == NULL) {
        cairn_free(context, pool);
        return CAIRN_ERROR_MEMORY;
    }
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (int i = 0; i < threads - 1; i++) {
        if (pthread_create(&pool->thread[i], NULL, worker_main, pool) != 0) {
            cairn_pool_destroy(context, pool);
            return cairn_fail(context, CAIRN_ERROR_MEMORY, "the system refused to start worker thread %d of %d", i + 1,
                              threads - 1);
        }
        pool->workers++;
    }
    *out = pool;
    return CAIRN_OK;
}

void cairn_pool_destroy(cairn_context *context, cairn_pool *pool) {
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->workers; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    cairn_free(context, pool->thread);
    cairn_free(context, pool);
}

void cairn_parallel(cairn_context *context, int count, int grain, cairn_parallel_body body, void *user) {
    CAIRN_ASSERT(grain > 0);
    int chunks = cairn_chunks(count, grain);
    if (context->pool != NULL && chunks > 1) {
        cairn_pool_run(context->pool, count, grain, body, user);
        return;
    }
    for (int chunk = 0; chunk < chunks; chunk++)
        run_chunk(body, user, count, grain, chunk);
}
