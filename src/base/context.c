/*
 * context.c: creation of contexts, memory through their allocator, error messages, the log, names.
 */
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_COOKIE UINT32_C(0x63616972)
#define MAX_THREADS    64

static void *default_allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void default_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

cairn_context_def cairn_default_context_def(void) {
    return (cairn_context_def){
        .cookie = CONTEXT_COOKIE, .threads = 1, .allocate = default_allocate, .release = default_release};
}

cairn_status cairn_context_create(const cairn_context_def *def, cairn_context **context) {
    cairn_context_def used = def != NULL ? *def : cairn_default_context_def();
    if (context == NULL || used.cookie != CONTEXT_COOKIE || used.allocate == NULL || used.release == NULL ||
        used.threads < 1 || used.threads > MAX_THREADS)
        return CAIRN_ERROR_ARGUMENT;

    cairn_context *made = used.allocate(used.allocator_user, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(made, 0, sizeof *made);
    made->def = used;

    if (used.threads > 1) {
        cairn_status status = cairn_pool_create(made, used.threads, &made->pool);
        if (status != CAIRN_OK) {
            used.release(used.allocator_user, made);
            return status;
        }
    }
    made->own = made->live;
    *context = made;
    return CAIRN_OK;
}

cairn_status cairn_context_single(const cairn_context *like, cairn_context **context) {
    cairn_context_def def = like->def;
    def.threads = 1;
    return cairn_context_create(&def, context);
}

static void end(cairn_context *context) {
    context->closing = false; /* the pool gives its memory back too */
    cairn_pool_destroy(context, context->pool);
    cairn_memory_release(&context->memory);
    context->def.release(context->def.allocator_user, context);
}

void cairn_context_destroy(cairn_context *context) {
    if (context == NULL || context->closing)
        return;
    if (context->live == context->own) {
        end(context);
        return;
    }
    cairn_log(context, CAIRN_LOG_WARNING,
              "cairn_context_destroy: there are still objects of this context; it stays until the last one is gone");
    context->closing = true;
}

const char *cairn_error_message(const cairn_context *context) {
    return context != NULL ? context->message : "";
}

int cairn_thread_count(const cairn_context *context) {
    return context->def.threads;
}

/* malloc and free, so that blocks may be kept between them. */
static bool is_default(const cairn_context *context) {
    return context->def.allocate == default_allocate && context->def.release == default_release;
}

static void *take(cairn_context *context, size_t count, size_t size, bool clear) {
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        cairn_fail(context, CAIRN_ERROR_MEMORY, "out of memory: %zu items of %zu bytes cannot be addressed", count,
                   size);
        return NULL;
    }
    size_t bytes = count * size > 0 ? count * size : 1;
    bool own = is_default(context);
    void *memory = own ? cairn_memory_take(&context->memory, bytes, clear)
                       : context->def.allocate(context->def.allocator_user, bytes);
    if (memory == NULL) {
        cairn_fail(context, CAIRN_ERROR_MEMORY, "out of memory: %zu bytes were refused", bytes);
        return NULL;
    }
    context->live++;
    if (!own && clear)
        memset(memory, 0, bytes);
#ifndef NDEBUG
    if (!clear)
        memset(memory, 0xff, bytes); /* NAN: whoever reads before writing shall notice */
#endif
    return memory;
}

void *cairn_alloc(cairn_context *context, size_t count, size_t size) {
    return take(context, count, size, true);
}

void *cairn_alloc_raw(cairn_context *context, size_t count, size_t size) {
    return take(context, count, size, false);
}

void cairn_free(cairn_context *context, void *memory) {
    if (memory == NULL)
        return;
    if (is_default(context))
        cairn_memory_give(&context->memory, memory);
    else
        context->def.release(context->def.allocator_user, memory);
    if (--context->live == context->own && context->closing)
        end(context);
}

cairn_status cairn_fail(cairn_context *context, cairn_status status, const char *format, ...) {
    if (context != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(context->message, sizeof context->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

void cairn_log(cairn_context *context, cairn_log_level level, const char *format, ...) {
    if (context->def.log == NULL)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->def.log(context->def.log_user, level, text);
}

const char *cairn_status_name(cairn_status status) {
    switch (status) {
    case CAIRN_OK:
        return "ok";
    case CAIRN_ERROR_ARGUMENT:
        return "wrong argument";
    case CAIRN_ERROR_MEMORY:
        return "out of memory";
    case CAIRN_ERROR_STATE:
        return "wrong state";
    case CAIRN_ERROR_IO:
        return "input/output error";
    case CAIRN_ERROR_PARSE:
        return "bad file";
    case CAIRN_ERROR_UNSUPPORTED:
        return "not supported";
    case CAIRN_ERROR_NUMERICAL:
        return "numerical failure";
    case CAIRN_ERROR_CANCELLED:
        return "stopped";
    }
    return "unknown status";
}

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *cairn_version(void) {
    return TEXT(CAIRN_VERSION_MAJOR) "." TEXT(CAIRN_VERSION_MINOR) "." TEXT(CAIRN_VERSION_PATCH);
}
