/*
 * allocator.c: memory of a context. With the default allocator, freed blocks are kept and handed
 * out again.
 *
 * A time-stepping program makes and destroys problems and solvers of the same sizes step after
 * step, and a page that is fresh from the system costs more than most of what is done with it.
 * Blocks come in classes of size, four to each power of two; a freed block waits in the list of its
 * class for a request of that class, or for the end of the context. At most KEPT_MAX bytes wait,
 * and blocks above BLOCK_MAX never do. Where more would wait, blocks of the class that was not
 * asked for longest go back to the system: a heap that grows leaves blocks of all the sizes that it
 * had. An allocator of the user's is asked for every block and gets every block back at once.
 *
 *     system's block:   ... | header | memory, at a multiple of 64 ...
 */
#include "base/context.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_POWER 8 /* the smallest class has 2^8 bytes */
#define BLOCK_MAX   ((size_t)1 << (FIRST_POWER + (CAIRN_MEMORY_CLASSES - 1) / 4))
#define KEPT_MAX    ((size_t)512 << 20) /* a step of 100 000 contacts */
#define ALIGNMENT   ((size_t)64)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* reuse would hide what they look for */
#define KEEPS_BLOCKS false
#else
#define KEEPS_BLOCKS true
#endif

typedef struct header {
    void *raw; /* what the system gave */
    int class; /* CAIRN_MEMORY_CLASSES: never kept */
} header;

static header *header_of(void *memory) {
    return (header *)memory - 1;
}

static size_t class_size(int class) {
    return (size_t)(4 + class % 4) << (class / 4 + FIRST_POWER - 2);
}

/* The smallest class with room for bytes, at most BLOCK_MAX. */
static int class_of(size_t bytes) {
    int class = 0;
    while (class_size(class + 4) < bytes)
        class += 4;
    while (class_size(class) < bytes)
        class ++;
    return class;
}

/* A block from the system, zeroed. */
static void *take_fresh(size_t bytes, int class) {
    char *raw = calloc(1, bytes + sizeof(header) + ALIGNMENT);
    if (raw == NULL)
        return NULL;
    size_t used = (size_t)((uintptr_t)raw % ALIGNMENT), skip = sizeof(header);
    skip += (ALIGNMENT - (used + skip) % ALIGNMENT) % ALIGNMENT;
    char *memory = raw + skip;
    *header_of(memory) = (header){.raw = raw, .class = class};
    return memory;
}

/* Takes the first block off the list of a class. */
static void *take_first(cairn_memory *kept, int class) {
    void *memory = kept->waiting[class];
    memcpy(&kept->waiting[class], memory, sizeof memory);
    kept->bytes -= class_size(class);
    return memory;
}

void *cairn_memory_take(cairn_memory *kept, size_t bytes, bool clear) {
    if (!KEEPS_BLOCKS || bytes > BLOCK_MAX)
        return take_fresh(bytes, CAIRN_MEMORY_CLASSES);
    int class = class_of(bytes);
    void *memory = kept->waiting[class];
    kept->taken[class] = ++kept->takes;
    if (memory != NULL) {
        take_first(kept, class);
        if (clear)
            memset(memory, 0, bytes);
        return memory;
    }
    memory = take_fresh(class_size(class), class);
    if (memory == NULL && kept->bytes > 0) {
        cairn_memory_release(kept);
        memory = take_fresh(bytes, CAIRN_MEMORY_CLASSES);
    }
    return memory;
}

/* The class with waiting blocks that was asked for longest ago; something waits. */
static int oldest(const cairn_memory *kept) {
    int found = 0;
    for (int class = 0; class < CAIRN_MEMORY_CLASSES; class ++)
        if (kept->waiting[class] != NULL && (kept->waiting[found] == NULL || kept->taken[class] < kept->taken[found]))
            found = class;
    return found;
}

void cairn_memory_give(cairn_memory *kept, void *memory) {
    int class = header_of(memory)->class;
    if (class == CAIRN_MEMORY_CLASSES) {
        free(header_of(memory)->raw);
        return;
    }
    while (kept->bytes + class_size(class) > KEPT_MAX) /* which is more than one block has: something waits */
        free(header_of(take_first(kept, oldest(kept)))->raw);
    memcpy(memory, &kept->waiting[class], sizeof memory); /* its first bytes point to the next */
    kept->waiting[class] = memory;
    kept->bytes += class_size(class);
}

void cairn_memory_release(cairn_memory *kept) {
    for (int class = 0; class < CAIRN_MEMORY_CLASSES; class ++)
        for (void *memory = kept->waiting[class], *next; memory != NULL; memory = next) {
            memcpy(&next, memory, sizeof next);
            free(header_of(memory)->raw);
        }
    *kept = (cairn_memory){0};
}
