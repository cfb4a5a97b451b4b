/*
 * threads.c: a small pool that runs the chunks of one loop at a time.
 *
 *     caller:  publish loop (mutex) -> wake sleepers -> take chunks -> wait until all workers are idle
 *     worker:  wait for a new loop -> take chunks by an atomic counter -> report idle -> wait
 *
 * Loops often follow each other within microseconds, and waking a thread takes about ten of them.
 * So who waits looks a while before it sleeps.
 *
 * Which thread takes a chunk is left to chance; what a chunk computes is not (see core.h). The pool
 * holds the state of one loop, and the caller leaves cairn_parallel only after every worker has
 * left it.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/context.h"

#include <pthread.h>
#include <stdatomic.h>

#define LOOKS 1500 /* at the other side before going to sleep: some ten microseconds */

struct cairn_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;      /* a new loop, or the end */
    pthread_cond_t finished;  /* the last worker became idle */
    atomic_ullong generation; /* counts loops; raised under the mutex */
    atomic_bool quit;         /* set under the mutex */
    atomic_int busy;          /* workers still in the current loop */
    int sleepers;             /* workers that wait for wake; guarded by mutex */
    int workers;
    pthread_t *thread; /* workers */
    /* the current loop: written before generation is raised, read after */
    cairn_parallel_body body;
    void *user;
    int count, grain, chunks;
    atomic_int next; /* first chunk that is not taken */
};

/* Leaves the core to its other half, where there is one. */
static inline void rest(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#endif
}

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

/* Whether there is something to do for a worker that has seen that many loops. */
static bool called(cairn_pool *pool, unsigned long long seen) {
    return atomic_load_explicit(&pool->generation, memory_order_acquire) != seen ||
           atomic_load_explicit(&pool->quit, memory_order_acquire);
}

static void wait_for_call(cairn_pool *pool, unsigned long long seen) {
    for (int look = 0; look < LOOKS; look++) {
        if (called(pool, seen))
            return;
        rest();
    }
    pthread_mutex_lock(&pool->mutex);
    pool->sleepers++;
    while (!called(pool, seen))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    pool->sleepers--;
    pthread_mutex_unlock(&pool->mutex);
}

static void *worker_main(void *argument) {
    cairn_pool *pool = argument;
    unsigned long long seen = 0;
    for (;;) {
        wait_for_call(pool, seen);
        if (atomic_load_explicit(&pool->quit, memory_order_acquire))
            return NULL;
        seen = atomic_load_explicit(&pool->generation, memory_order_acquire);
        take_chunks(pool);
        if (atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->finished);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

void cairn_pool_run(cairn_pool *pool, int count, int grain, cairn_parallel_body body, void *user) {
    pthread_mutex_lock(&pool->mutex);
    pool->body = body;
    pool->user = user;
    pool->count = count;
    pool->grain = grain;
    pool->chunks = cairn_chunks(count, grain);
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->busy, pool->workers, memory_order_relaxed);
    atomic_fetch_add_explicit(&pool->generation, 1, memory_order_release);
    if (pool->sleepers > 0)
        pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);

    take_chunks(pool);

    for (int look = 0; look < LOOKS; look++) {
        if (atomic_load_explicit(&pool->busy, memory_order_acquire) == 0)
            return;
        rest();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load_explicit(&pool->busy, memory_order_acquire) > 0)
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
    atomic_store_explicit(&pool->quit, true, memory_order_release);
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
