/* The base layer: contexts, memory, arenas, parallel loops with the same bits for any number of threads. */
#include "base/context.h"

#include "support/support.h"

TEST(defaults_and_cookie) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    CHECK(cairn_error_message(context)[0] == '\0');
    cairn_context_destroy(context);
    cairn_context_destroy(NULL);
    cairn_context_def def = {0};
    CHECK(cairn_context_create(&def, &context) == CAIRN_ERROR_ARGUMENT);
    def = cairn_default_context_def();
    def.threads = 0;
    CHECK(cairn_context_create(&def, &context) == CAIRN_ERROR_ARGUMENT);
    def.threads = 65;
    CHECK(cairn_context_create(&def, &context) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_context_create(NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_version(), ".");
    CHECK_CONTAINS(cairn_error_message(NULL), "");
    for (int status = 0; status <= CAIRN_ERROR_NUMERICAL; status++)
        CHECK(strcmp(cairn_status_name((cairn_status)status), "unknown status") != 0);
}

TEST(memory_is_checked_and_clear) {
    cairn_context *context = plain_context(1);
    CHECK(cairn_alloc(context, SIZE_MAX / 4, 8) == NULL);
    CHECK_CONTAINS(cairn_error_message(context), "out of memory");
    unsigned char *p = cairn_alloc(context, 100, 1);
    int sum = 0;
    for (int i = 0; p != NULL && i < 100; i++)
        sum += p[i];
    CHECK(sum == 0);
    cairn_free(context, p);
    cairn_free(context, NULL);
    p = cairn_alloc(context, 0, 8);
    CHECK(p != NULL);
    cairn_free(context, p);
    cairn_context_destroy(context);
}

/* Blocks of every size come back clean, aligned and apart after others were dirtied and freed, however the
 * context keeps them. */
TEST(freed_blocks_come_back_clear) {
    cairn_context *context = plain_context(1);
    static const size_t bytes[] = {1, 255, 256, 257, 320, 1000, 4096, 5000, 100000, 1 << 20, (1 << 24) - 1, 1 << 25};
    enum { SIZES = sizeof bytes / sizeof *bytes };
    unsigned char *held[SIZES][2];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SIZES; i++)
            for (int copy = 0; copy < 2; copy++) {
                unsigned char *p = held[i][copy] = cairn_alloc(context, bytes[i], 1);
                CHECK(p != NULL && (uintptr_t)p % 64 == 0);
                size_t dirty = 0;
                for (size_t k = 0; k < bytes[i]; k++)
                    dirty += p[k] != 0;
                CHECK(dirty == 0);
                memset(p, i + 1, bytes[i]);
            }
        for (int i = 0; i < SIZES; i++)
            for (int copy = 0; copy < 2; copy++) {
                CHECK(held[i][copy][0] == i + 1 && held[i][copy][bytes[i] - 1] == i + 1);
                cairn_free(context, held[i][copy]);
            }
    }
    double *raw = cairn_alloc_raw(context, 1000, sizeof *raw);
    CHECK(raw != NULL);
    for (int i = 0; i < 1000; i++)
        raw[i] = i;
    cairn_free(context, raw);
    CHECK(cairn_alloc_raw(context, SIZE_MAX / 4, 8) == NULL);
    cairn_context_destroy(context);
}

TEST(arena_counts_then_hands_out) {
    cairn_context *context = plain_context(1);
    cairn_arena arena = {0};
    CHECK(cairn_arena_take(&arena, 3, 8) == NULL);
    CHECK(cairn_arena_take(&arena, 100, 8) == NULL);
    size_t bytes = arena.used;
    CHECK(bytes == 64 + 832);
    CHECK(cairn_arena_reserve(context, &arena) == CAIRN_OK);
    double *a = cairn_arena_take(&arena, 3, 8), *b = cairn_arena_take(&arena, 100, 8);
    CHECK(a != NULL && b != NULL && (char *)b - (char *)a == 64);
    CHECK(arena.used == bytes);
    b[99] = 1.0;
    CHECK(cairn_arena_reserve(context, &arena) == CAIRN_OK); /* smaller or equal: same block, clean again */
    CHECK(b[99] == 0.0);
    cairn_arena_free(context, &arena);
    CHECK(cairn_arena_take(&arena, SIZE_MAX / 8, 16) == NULL);
    CHECK(arena.overflow);
    CHECK(cairn_arena_reserve(context, &arena) == CAIRN_ERROR_MEMORY);
    cairn_context_destroy(context);
}

typedef struct sum_task {
    const double *x;
    double partial[64];
} sum_task;

static void sum_chunk(void *user, int chunk, int begin, int end) {
    sum_task *task = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += task->x[i];
    task->partial[chunk] = sum;
}

TEST(threads_give_the_same_bits) {
    enum { COUNT = 10007, GRAIN = 331 };
    static double x[COUNT];
    test_random random = {7};
    for (int i = 0; i < COUNT; i++)
        x[i] = test_random_signed(&random);
    sum_task reference = {.x = x};
    for (int threads = 1; threads <= 8; threads *= 2) {
        cairn_context *context = plain_context(threads);
        CHECK(cairn_thread_count(context) == threads);
        for (int repeat = 0; repeat < 50; repeat++) {
            sum_task task = {.x = x};
            cairn_parallel(context, COUNT, GRAIN, sum_chunk, &task);
            if (threads == 1 && repeat == 0)
                reference = task;
            CHECK(memcmp(task.partial, reference.partial, sizeof task.partial) == 0);
        }
        cairn_parallel(context, 0, GRAIN, sum_chunk, NULL);
        cairn_context_destroy(context);
    }
    CHECK(cairn_chunks(COUNT, GRAIN) == 31 && cairn_chunks(0, 5) == 0 && cairn_chunks(5, 5) == 1);
}

static void mark_chunk(void *user, int chunk, int begin, int end) {
    int *seen = user;
    (void)chunk;
    for (int i = begin; i < end; i++)
        seen[i]++;
}

/* Sizes that are used now push out those that were used once; nothing is written to these blocks, so they cost no memory. */
TEST(old_sizes_make_room_for_new_ones) {
    cairn_memory kept = {0};
    const size_t large = (size_t)200 << 20, small = (size_t)120 << 20;
    void *old[3], *now[2];
    for (int i = 0; i < 3; i++)
        old[i] = cairn_memory_take(&kept, large, false);
    for (int i = 0; i < 2; i++)
        now[i] = cairn_memory_take(&kept, small, false);
    CHECK(old[0] != NULL && old[1] != NULL && old[2] != NULL && now[0] != NULL && now[1] != NULL);
    for (int i = 0; i < 3; i++)
        cairn_memory_give(&kept, old[i]);
    size_t full = kept.bytes;
    CHECK(full <= (size_t)512 << 20);
    for (int i = 0; i < 2; i++)
        cairn_memory_give(&kept, now[i]);
    CHECK(kept.bytes <= (size_t)512 << 20);
    for (int i = 0; i < 2 && full > 0; i++) { /* 0: blocks are never kept in this build */
        size_t before = kept.bytes;
        now[i] = cairn_memory_take(&kept, small, false);
        CHECK(kept.bytes < before); /* from the list, not from the system */
    }
    for (int i = 0; i < 2 && full > 0; i++)
        cairn_memory_give(&kept, now[i]);
    cairn_memory_release(&kept);
    CHECK(kept.bytes == 0);
}

/* The word that was meant: one that is longer only where nothing is as near. */
TEST(nearest_words) {
    static const char *const word[] = {"stack-pull", "stack", "wall-rest", "wall", "dominoes"};
    CHECK(strcmp(cairn_nearest("stac", word, 5), "stack") == 0 && strcmp(cairn_nearest("wal", word, 5), "wall") == 0);
    CHECK(strcmp(cairn_nearest("dominos", word, 5), "dominoes") == 0 && cairn_nearest("xyz", word, 5) == NULL);
}

TEST(every_index_once) {
    for (int threads = 1; threads <= 3; threads++)
        for (int count = 0; count <= 101; count += 101 / 4) {
            int seen[128] = {0};
            cairn_context *context = plain_context(threads);
            cairn_parallel(context, count, 7, mark_chunk, seen);
            for (int i = 0; i < 128; i++)
                CHECK(seen[i] == (i < count));
            cairn_context_destroy(context);
        }
}

TEST(failing_allocations_of_a_context) {
    for (int fail_at = 0; fail_at < 10; fail_at++) {
        counting_allocator a = {.fail_at = fail_at};
        cairn_context *context = counting_context(&a, 3);
        int needed = a.allocations;
        if (context != NULL) {
            CHECK(needed <= fail_at);
            cairn_context_destroy(context);
            CHECK(a.live == 0);
            return;
        }
        CHECK(a.live == 0);
    }
    CHECK(false); /* a context needs fewer than 10 allocations */
}

int main(void) {
    RUN(defaults_and_cookie);
    RUN(memory_is_checked_and_clear);
    RUN(freed_blocks_come_back_clear);
    RUN(arena_counts_then_hands_out);
    RUN(threads_give_the_same_bits);
    RUN(old_sizes_make_room_for_new_ones);
    RUN(nearest_words);
    RUN(every_index_once);
    RUN(failing_allocations_of_a_context);
    return test_end();
}
