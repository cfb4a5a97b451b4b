/*
 * refusing.h: a context that counts its allocations and refuses one of them, for the tests of src/linalg.
 */
#ifndef CAIRN_TEST_REFUSING_H
#define CAIRN_TEST_REFUSING_H

#include "test.h"
#include "base/core.h"

#include <stdlib.h>

typedef struct counter {
    int calls, live, refuse; /* refuse: number of the call to refuse, 0: none */
} counter;

static inline void *counted_allocate(void *user, size_t bytes) {
    counter *c = user;
    if (++c->calls == c->refuse)
        return NULL;
    c->live++;
    return malloc(bytes);
}

static inline void counted_release(void *user, void *memory) {
    counter *c = user;
    c->live--;
    free(memory);
}

static inline cairn_context *counted_context(counter *c) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    def.allocate = counted_allocate;
    def.release = counted_release;
    def.allocator_user = c;
    CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
    return context;
}

#endif
