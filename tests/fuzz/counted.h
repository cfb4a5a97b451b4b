/*
 * counted.h: a context whose memory is counted, for fuzzers: what the library takes it must give back, and no file may make it take much at once.
 */
#ifndef CAIRN_FUZZ_COUNTED_H
#define CAIRN_FUZZ_COUNTED_H

#include <cairn/base.h>

#include <stdlib.h>

#define COUNTED_MOST ((size_t)1 << 28) /* bytes of one block */

static int live;

static void *take(void *user, size_t bytes) {
    (void)user;
    void *memory = bytes <= COUNTED_MOST ? malloc(bytes) : NULL;
    live += memory != NULL;
    return memory;
}

static void give(void *user, void *memory) {
    (void)user;
    live -= memory != NULL;
    free(memory);
}

/* NULL: no memory. */
static inline cairn_context *counted_context(void) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    def.allocate = take;
    def.release = give;
    return cairn_context_create(&def, &context) == CAIRN_OK ? context : NULL;
}

/* Aborts when something was kept. */
static inline void counted_end(cairn_context *context) {
    cairn_context_destroy(context);
    if (live != 0)
        abort();
}

#endif
