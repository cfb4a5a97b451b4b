/*
 * arena.c: one block of memory handed out from the front, in steps of 64 bytes.
 */
#include "base/core.h"

#include <string.h>

#define STEP ((size_t)64)

void *cairn_arena_take(cairn_arena *arena, size_t count, size_t size) {
    size_t bytes; /* no division: there are hundreds of these in a step of a small world */
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4 - arena->used) {
        arena->overflow = true;
        return NULL;
    }
    bytes = (bytes + STEP - 1) / STEP * STEP;
    size_t at = arena->used;
    arena->used += bytes;
    if (arena->base == NULL)
        return NULL;
    CAIRN_ASSERT(arena->used <= arena->capacity);
    return arena->base + at;
}

static cairn_status reserve(cairn_context *context, cairn_arena *arena, bool clear) {
    if (arena->overflow)
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "out of memory: the workspace cannot be addressed");
    if (arena->base == NULL || arena->capacity < arena->used) {
        size_t bytes = arena->used + STEP;
        char *memory = clear ? cairn_alloc(context, bytes, 1) : cairn_alloc_raw(context, bytes, 1);
        if (memory == NULL)
            return CAIRN_ERROR_MEMORY;
        cairn_free(context, arena->base);
        arena->base = memory;
        arena->capacity = arena->used;
    } else if (clear) {
        memset(arena->base, 0, arena->used);
    }
    arena->used = 0;
    return CAIRN_OK;
}

cairn_status cairn_arena_reserve(cairn_context *context, cairn_arena *arena) {
    return reserve(context, arena, true);
}

cairn_status cairn_arena_reserve_raw(cairn_context *context, cairn_arena *arena) {
    return reserve(context, arena, false);
}

void cairn_arena_free(cairn_context *context, cairn_arena *arena) {
    cairn_free(context, arena->base);
    *arena = (cairn_arena){0};
}
