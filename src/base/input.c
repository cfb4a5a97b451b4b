/*
 * input.c: the one way to read a file.
 *
 * Files are opened without waiting (O_NONBLOCK), then looked at. A pipe must give its first byte,
 * or its end, within WAIT_MS; after that its writer sets the pace.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/input.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 5000
#define FIRST   ((size_t)1 << 16) /* room to begin with */

static cairn_status refuse(cairn_context *context, const char *path, const char *why) {
    return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be read: %s", path, why);
}

/* pipes: they are allowed too. */
static cairn_status open_file(cairn_context *context, const char *path, bool pipes, int *file, struct stat *st) {
    if (*path == '\0')
        return cairn_fail(context, CAIRN_ERROR_IO, "the name of a file to read is empty");
    *file = cairn_keep_off_standard(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (*file < 0)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const char *why = NULL;
    if (fstat(*file, st) != 0)
        why = strerror(errno);
    else if (S_ISDIR(st->st_mode))
        why = "it is a folder, expected a file";
    else if (!S_ISREG(st->st_mode) && !(pipes && S_ISFIFO(st->st_mode)))
        why = S_ISFIFO(st->st_mode) ? "it is a pipe, not a regular file"
                                    : "it is a device or a socket, not a regular file";
    struct pollfd wait = {.fd = *file, .events = POLLIN};
    if (why == NULL && S_ISFIFO(st->st_mode) && poll(&wait, 1, WAIT_MS) <= 0)
        why = "it is a pipe, and nobody writes into it";
    if (why == NULL && fcntl(*file, F_SETFL, fcntl(*file, F_GETFL) & ~O_NONBLOCK) == 0)
        return CAIRN_OK;
    cairn_status status = refuse(context, path, why != NULL ? why : strerror(errno));
    close(*file);
    *file = -1;
    return status;
}

cairn_status cairn_input_open(cairn_context *context, const char *path, FILE **stream, uint64_t *bytes) {
    struct stat st;
    int file = -1;
    cairn_status status = open_file(context, path, false, &file, &st);
    if (status != CAIRN_OK)
        return status;
    *stream = fdopen(file, "rb");
    if (*stream == NULL) {
        close(file);
        return refuse(context, path, strerror(errno));
    }
    *bytes = (uint64_t)st.st_size;
    return CAIRN_OK;
}

/* Reads to the end; *room grows as needed. */
static cairn_status read_to_end(cairn_context *context, int file, const char *path, const char *begins, size_t most,
                                size_t capacity, char **room, size_t *used) {
    size_t letters = begins != NULL ? strlen(begins) : 0;
    *used = 0;
    *room = cairn_alloc_raw(context, capacity, 1);
    while (*room != NULL) {
        ssize_t got = read(file, *room + *used, capacity - *used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(context, path, strerror(errno));
        *used += (size_t)got;
        if (*used > most)
            return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: more than %zu bytes; files of its kind are smaller",
                              path, most);
        if (got == 0 || (*used >= letters && letters > 0 && memcmp(*room, begins, letters) != 0))
            return CAIRN_OK;
        if (*used < capacity)
            continue;
        char *larger = cairn_alloc_raw(context, 2 * capacity, 1);
        if (larger != NULL)
            memcpy(larger, *room, *used);
        cairn_free(context, *room);
        *room = larger;
        capacity *= 2;
    }
    return CAIRN_ERROR_MEMORY;
}

cairn_status cairn_input_read(cairn_context *context, const char *path, const char *begins, size_t most, char **bytes,
                              size_t *size) {
    struct stat st;
    int file = -1;
    char *room = NULL;
    size_t used = 0;
    cairn_status status = open_file(context, path, true, &file, &st);
    if (status != CAIRN_OK)
        return status;
    bool sized = S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= most;
    if (S_ISREG(st.st_mode) && st.st_size > 0 && !sized)
        status = cairn_fail(context, CAIRN_ERROR_PARSE, "%s: more than %zu bytes; files of its kind are smaller", path,
                            most);
    else
        status = read_to_end(context, file, path, begins, most,
                             sized && begins == NULL ? (size_t)st.st_size + 1 : FIRST, &room, &used);
    close(file);
    if (status == CAIRN_OK) {
        *bytes = room;
        *size = used;
    } else {
        cairn_free(context, room);
    }
    return status;
}
