/*
 * base.h: version, status codes, and the context every other object hangs on.
 *
 * The library has no mutable globals. A context holds the allocator, the log, the worker threads and the
 * text of the last error. It may be used by one caller at a time; two threads use two contexts. With the default
 * allocator it keeps up to 64 MB of freed memory for the next object; destroying the context gives it back.
 *
 * Misuse. A pointer that is needed and NULL gives CAIRN_ERROR_ARGUMENT, or 0, false, NULL where a function has no status; NULL is allowed in every destroy,
 * clear, close and release function. Names of bodies and joints that are gone are refused. What cannot be told: an object that is used or destroyed after it was destroyed,
 * a pointer to something else, a name of another world that fits this one by chance, one context used by two threads at the same time.
 */
#ifndef CAIRN_BASE_H
#define CAIRN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

#if defined(__GNUC__) && !defined(CAIRN_STATIC)
#define CAIRN_API __attribute__((visibility("default")))
#else
#define CAIRN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. This says whether the call could be carried out, never whether a solve converged:
 * that is a cairn_outcome. When a call fails its outputs are untouched. */
typedef enum cairn_status {
    CAIRN_OK = 0,
    CAIRN_ERROR_ARGUMENT,    /* an argument or a definition is wrong */
    CAIRN_ERROR_MEMORY,      /* the allocator said no */
    CAIRN_ERROR_STATE,       /* the call does not fit the object's state (solve before load) */
    CAIRN_ERROR_IO,          /* a file could not be opened, read or written */
    CAIRN_ERROR_PARSE,       /* a file was read, and its contents are wrong */
    CAIRN_ERROR_UNSUPPORTED, /* meaningful, but this build or this method does not do it */
    CAIRN_ERROR_NUMERICAL,   /* a factorisation met a pivot it must not use */
    CAIRN_ERROR_CANCELLED    /* a callback said stop; nothing has changed */
} cairn_status;

typedef enum cairn_log_level { CAIRN_LOG_INFO = 0, CAIRN_LOG_WARNING = 1 } cairn_log_level;

typedef struct cairn_context cairn_context;

/* What a context is made from. Always start from cairn_default_context_def(). */
typedef struct cairn_context_def {
    uint32_t cookie;                             /* set by cairn_default_context_def; catches a forgotten call */
    int threads;                                 /* worker threads, the caller's included; default 1, at most 64.
                                                      Results have the same bits for every value. */
    void *(*allocate)(void *user, size_t bytes); /* returns memory aligned to 16 bytes or NULL; default malloc.
                                                      With several threads it must bear calls from all of them */
    void (*release)(void *user, void *memory);   /* accepts what allocate returned; default free */
    void *allocator_user;                        /* handed to both */
    void (*log)(void *user, cairn_log_level level, const char *message); /* default NULL: silence */
    void *log_user;
} cairn_context_def;

CAIRN_API cairn_context_def cairn_default_context_def(void);

/* def may be NULL for the defaults. On failure *context is untouched. */
CAIRN_API cairn_status cairn_context_create(const cairn_context_def *def, cairn_context **context);

/* Destroy after every object made with it: else the log says so, and the context stays until the last of them is gone. */
CAIRN_API void cairn_context_destroy(cairn_context *context);

/* One sentence on the last call that failed with this context; "" when none has. Never NULL. */
CAIRN_API const char *cairn_error_message(const cairn_context *context);

/* Files are written in one way by everything here, and programs may write theirs so too. A file is written beside its place, without a name
 * where the system can do that, and takes its place when it is complete: until then, and when anything fails, an older file is what it was,
 * and nothing is left beside it. It keeps the mode of the file it replaces. Links are followed. Pipes and character devices are written to directly; a pipe that
 * nobody reads for 5 s is refused, and so are folders, disks, files that are read-only, and a folder that is not there. A pipe whose reader goes
 * away raises SIGPIPE, as it does everywhere. */
typedef struct cairn_output cairn_output;
CAIRN_API cairn_status cairn_output_open(cairn_context *context, const char *path, cairn_output **output);
/* Where to write, from front to back; belongs to the output. -1 when that is NULL. */
CAIRN_API int cairn_output_descriptor(const cairn_output *output);
/* Puts the file in its place (keep), or drops it. The output is gone in any case, also when this fails. NULL allowed. */
CAIRN_API cairn_status cairn_output_close(cairn_output *output, bool keep);
/* Whether path can be written, told before the work is done. A pipe is not touched. */
CAIRN_API cairn_status cairn_output_check(cairn_context *context, const char *path);

CAIRN_API const char *cairn_status_name(cairn_status status);
CAIRN_API const char *cairn_version(void); /* "0.1.0" */

/* For messages about words that are not known: the one of count words with the fewest letters put in, left out, changed or swapped, or that
 * begins with text, when that is near enough to be a slip; else NULL. */
CAIRN_API const char *cairn_nearest(const char *text, const char *const *word, int count);

#ifdef __cplusplus
}
#endif
#endif
