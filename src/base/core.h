/*
 * core.h: what every layer needs: memory through the context, error messages, arenas, timers,
 * parallel loops.
 *
 * Same bits for every number of threads: cairn_parallel cuts [0, count) into chunks of a fixed
 * grain, so what a chunk does never depends on who does it; a reduction writes one partial per
 * chunk and the caller adds them in order.
 */
#ifndef CAIRN_BASE_CORE_H
#define CAIRN_BASE_CORE_H

#include <cairn/base.h>

#if defined(__GNUC__)
#define CAIRN_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define CAIRN_PRINTF(a, b)
#endif

/* Hot loops are compiled twice and chosen when the program is loaded: for AVX2 and for every
 * x86-64. No fused multiply-add in either, so both give the same bits. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) && \
    defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAIRN_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CAIRN_CLONES
#endif

/* As CAIRN_CLONES, with fused multiply-adds in the AVX2 version: for loops that make or read a
 * factor, whose bits depend on the machine in any case (kernel_avx2.c). Only files named *_fma.c
 * may use it: CMakeLists.txt compiles them with -ffp-contract=fast and defines
 * CAIRN_CONTRACT_FAST for them; in any other file the macro is unknown to the compiler. */
#if defined(CAIRN_CONTRACT_FAST) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CAIRN_CLONES_FMA __attribute__((target_clones("arch=x86-64-v3", "default")))
#elif defined(CAIRN_CONTRACT_FAST)
#define CAIRN_CLONES_FMA CAIRN_CLONES
#endif

/* Helpers of clones: inside them or not compiled for AVX2 at all. */
#if defined(__GNUC__)
#define CAIRN_INLINE static inline __attribute__((always_inline))
#else
#define CAIRN_INLINE static inline
#endif

/* Our own bug, never bad input. Active in every build but release. */
#ifdef NDEBUG
#define CAIRN_ASSERT(condition) ((void)0)
#else
#include <assert.h>
#define CAIRN_ASSERT(condition) assert(condition)
#endif

/* Are the sizes of all numbers at most this? No for what is not a number. x may be NULL. */
static inline bool cairn_within(double most, int count, const double *x) {
    for (int i = 0; i < count && x != NULL; i++)
        if (!(x[i] <= most && x[i] >= -most))
            return false;
    return true;
}

/* Zeroed memory for count items of size bytes. NULL and a recorded message when the product
 * overflows or the allocator says no. A count of 0 gives a valid pointer. */
void *cairn_alloc(cairn_context *context, size_t count, size_t size);
/* Memory that is not cleared, else as cairn_alloc: for arrays that are filled before they are
 * read. NAN in debug builds. */
void *cairn_alloc_raw(cairn_context *context, size_t count, size_t size);
void cairn_free(cairn_context *context, void *memory); /* NULL allowed */

/* Records a message and returns status, so that `return cairn_fail(...)` reads well. context may
 * be NULL. */
cairn_status cairn_fail(cairn_context *context, cairn_status status, const char *format, ...) CAIRN_PRINTF(3, 4);
void cairn_log(cairn_context *context, cairn_log_level level, const char *format, ...) CAIRN_PRINTF(3, 4);

/* One block of memory handed out from the front. Sized first (take with base == NULL counts),
 * then used:
 *     cairn_arena a = {0}; layout(&a); cairn_arena_reserve(context, &a); layout(&a); */
typedef struct cairn_arena {
    char *base;      /* NULL while counting */
    size_t used;     /* bytes handed out or counted, multiple of 64 */
    size_t capacity; /* bytes reserved */
    bool overflow;   /* a size overflowed while counting */
} cairn_arena;
void *cairn_arena_take(cairn_arena *arena, size_t count,
                       size_t size); /* NULL while counting; else zeroed once by reserve */
/* Makes room for arena->used bytes (keeps a larger block), clears them, rewinds used to 0. */
cairn_status cairn_arena_reserve(cairn_context *context, cairn_arena *arena);
/* Makes room without clearing it; see cairn_alloc_raw. */
cairn_status cairn_arena_reserve_raw(cairn_context *context, cairn_arena *arena);
void cairn_arena_free(cairn_context *context, cairn_arena *arena);

/* Goes on from hash (first: CAIRN_HASH_START) with size more bytes. Same bytes, same number, on
 * every machine. */
#define CAIRN_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t cairn_hash(uint64_t hash, const void *bytes, size_t size);

double cairn_now(void);     /* monotonic wall clock, s */
double cairn_cpu_now(void); /* CPU time of the process, s */

/* Calls body(user, chunk, begin, end) for every chunk of [0, count), on the context's threads.
 * body must not call cairn_parallel. Small loops (one chunk) run in the caller. */
typedef void (*cairn_parallel_body)(void *user, int chunk, int begin, int end);
void cairn_parallel(cairn_context *context, int count, int grain, cairn_parallel_body body, void *user);
int cairn_chunks(int count, int grain); /* ceil(count / grain) */
/* Another context with the same allocator and log and one thread: for work on one thread of
 * `like`. */
cairn_status cairn_context_single(const cairn_context *like, cairn_context **context);
int cairn_thread_count(const cairn_context *context);

#endif
