/*
 * output.c: the one way to write a file.
 *
 *     regular file   written without a name in the folder of the target (O_TMPFILE), or as
 *                    "FILE.part-PID-K" where the system has no such files; flushed to the disk;
 *                    then renamed. Until then the old file is whole, and a program that is killed
 *                    leaves nothing
 *     link           followed; the file that it leads to is replaced
 *     device, pipe   written to directly, unless the writer must seek
 *
 * A file that is replaced keeps its mode, and its owner where the system allows it. Not checked:
 * whether there is room on the disk.
 */
#define _GNU_SOURCE

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS_MAX       40  /* that lead on to the next */
#define TEMPORARY_TRIES 100 /* names */
#define PIPE_TRIES      500 /* of 10 ms, for a reader to come */

struct cairn_output {
    cairn_context *context;
    int file;
    bool direct;           /* a device or a pipe */
    bool nameless;         /* part is a name for this process alone */
    char path[PATH_MAX];   /* as it was given, for messages */
    char target[PATH_MAX]; /* what gets the file's name: behind all links */
    char part[PATH_MAX];   /* where it is written */
};

static cairn_status refuse(const cairn_output *o, const char *why) {
    return cairn_fail(o->context, CAIRN_ERROR_IO, "%s: cannot be written: %s", o->path, why);
}

bool cairn_write_all(int file, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size > 0) {
        ssize_t done = write(file, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

int cairn_keep_off_standard(int file) {
    if (file < 0 || file > STDERR_FILENO)
        return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(file);
    return moved;
}

/* The folder of a path: "." when the path names none. */
static void folder_of(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, PATH_MAX, ".");
    else
        snprintf(folder, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

void cairn_sync_folder(const char *path) {
    char folder[PATH_MAX];
    folder_of(path, folder);
    int file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    close(file);
}

/* Follows links, also one whose end is not there yet. Descriptors of the process (/dev/stdout,
 * /dev/fd/N) are links that no text describes: *direct. */
static cairn_status follow(cairn_output *o, bool *direct) {
    snprintf(o->target, sizeof o->target, "%s", o->path);
    for (int k = 0; k < LINKS_MAX; k++) {
        char next[PATH_MAX], folder[PATH_MAX];
        *direct = strncmp(o->target, "/proc/", 6) == 0 || strncmp(o->target, "/dev/fd/", 8) == 0;
        struct stat st;
        if (*direct || lstat(o->target, &st) != 0 || !S_ISLNK(st.st_mode))
            return CAIRN_OK;
        ssize_t length = readlink(o->target, next, sizeof next - 1);
        if (length < 0)
            return refuse(o, strerror(errno));
        next[length] = '\0';
        folder_of(o->target, folder);
        size_t room = next[0] == '/' ? 0 : strlen(folder) + 1;
        if (room + (size_t)length >= sizeof o->target)
            return refuse(o, strerror(ENAMETOOLONG));
        if (room > 0) {
            memcpy(o->target, folder, room - 1);
            o->target[room - 1] = '/';
        }
        memcpy(o->target + room, next, (size_t)length + 1);
    }
    return refuse(o, strerror(ELOOP));
}

/* A pipe is opened when it has a reader; the wait for one is limited. */
static int open_pipe(const char *path) {
    const struct timespec pause = {0, 10000000};
    for (int k = 0;; k++) {
        int file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0)
            (void)fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
        if (file >= 0 || errno != ENXIO || k == PIPE_TRIES)
            return file;
        nanosleep(&pause, NULL);
    }
}

static cairn_status open_direct(cairn_output *o, mode_t mode) {
    if (S_ISBLK(mode) || S_ISSOCK(mode))
        return refuse(o, S_ISBLK(mode) ? "it is a disk, expected a file" : "it is a socket, expected a file");
    o->direct = true;
    o->file = S_ISFIFO(mode) ? open_pipe(o->path) : open(o->path, O_WRONLY | O_NOCTTY | O_APPEND | O_CLOEXEC);
    o->file = cairn_keep_off_standard(o->file);
    if (o->file >= 0)
        return CAIRN_OK;
    return refuse(o, S_ISFIFO(mode) && errno == ENXIO ? "it is a pipe that nobody reads" : strerror(errno));
}

/* A file without a name in a folder; false: errno says why. */
static bool open_nameless(cairn_output *o, const char *folder, mode_t mode) {
#ifdef O_TMPFILE
    o->file = cairn_keep_off_standard(open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
    if (o->file < 0)
        return false;
    snprintf(o->part, sizeof o->part, "/proc/self/fd/%d", o->file);
    o->nameless = access(o->part, F_OK) == 0;
    if (o->nameless)
        return true;
    close(o->file);
    o->file = -1;
#else
    (void)folder;
    (void)mode;
#endif
    errno = EOPNOTSUPP;
    return false;
}

/* The k-th name beside the target; false: it is too long. */
static bool name_part(cairn_output *o, int k) {
    if (snprintf(o->part, sizeof o->part, "%s.part-%ld-%d", o->target, (long)getpid(), k) < (int)sizeof o->part)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static bool open_named(cairn_output *o, mode_t mode) {
    for (int k = 0; k < TEMPORARY_TRIES && name_part(o, k); k++) {
        o->file = cairn_keep_off_standard(open(o->part, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode));
        if (o->file >= 0 || errno != EEXIST)
            break;
    }
    return o->file >= 0;
}

/* old: the file that will be replaced, or NULL. Its mode is given before the first byte. */
static cairn_status open_beside(cairn_output *o, const struct stat *old) {
    char folder[PATH_MAX];
    mode_t mode = old != NULL ? 0600 : 0666;
    folder_of(o->target, folder);
    bool open_now = open_nameless(o, folder, mode);
    if (!open_now && (errno == EISDIR || errno == EOPNOTSUPP || errno == EINVAL))
        open_now = open_named(o, mode);
    struct stat place;
    int fault = errno;
    if (!open_now && (fault == ENOENT || fault == ENOTDIR) && (stat(folder, &place) != 0 || !S_ISDIR(place.st_mode))) {
        char why[PATH_MAX + 64];
        snprintf(why, sizeof why, "there is no folder '%s'", folder);
        return refuse(o, why);
    }
    if (!open_now)
        return refuse(o, fault == ENOENT ? "no files can be made in its folder" : strerror(fault));
    if (old != NULL) {
        if (fchown(o->file, old->st_uid, old->st_gid) != 0 && errno != EPERM)
            return refuse(o, strerror(errno));
        (void)fchmod(o->file, old->st_mode & 07777);
    }
    return CAIRN_OK;
}

static cairn_status open_target(cairn_output *o, bool seeks) {
    bool direct = false;
    struct stat st;
    bool there = stat(o->path, &st) == 0;
    if (there && S_ISDIR(st.st_mode))
        return refuse(o, "it is a folder, expected a file");
    cairn_status status = follow(o, &direct);
    if (status != CAIRN_OK)
        return status;
    if (there && (direct || !S_ISREG(st.st_mode)))
        return seeks ? refuse(o, "it is a pipe or a device, expected a file: HDF5 is not written from front to back")
                     : open_direct(o, st.st_mode);
    if (there && faccessat(AT_FDCWD, o->target, W_OK, AT_EACCESS) != 0)
        return refuse(o, errno == EACCES ? "it is read-only" : strerror(errno));
    return open_beside(o, there ? &st : NULL);
}

static cairn_status make(cairn_context *context, const char *path, cairn_output **output) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (path == NULL || output == NULL || *path == '\0')
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "output: path or output is NULL, or path is empty");
    if (strlen(path) >= PATH_MAX - 64)
        return cairn_fail(context, CAIRN_ERROR_IO,
                          "%.80s...: cannot be written: the name has %zu bytes, expected less than %d", path,
                          strlen(path), PATH_MAX - 64);
    cairn_output *o = cairn_alloc(context, 1, sizeof *o);
    if (o == NULL)
        return CAIRN_ERROR_MEMORY;
    o->context = context;
    o->file = -1;
    snprintf(o->path, sizeof o->path, "%s", path);
    *output = o;
    return CAIRN_OK;
}

/* Closes without keeping anything. */
static void discard(cairn_output *o) {
    if (o->file >= 0)
        close(o->file);
    if (o->file >= 0 && !o->direct && !o->nameless && o->part[0] != '\0')
        (void)unlink(o->part);
    cairn_free(o->context, o);
}

static cairn_status open_output(cairn_context *context, const char *path, bool seeks, cairn_output **output) {
    cairn_output *o = NULL;
    cairn_status status = make(context, path, output != NULL ? &o : NULL);
    if (status != CAIRN_OK)
        return status;
    status = open_target(o, seeks);
    if (status == CAIRN_OK)
        *output = o;
    else
        discard(o);
    return status;
}

cairn_status cairn_output_open(cairn_context *context, const char *path, cairn_output **output) {
    return open_output(context, path, false, output);
}

cairn_status cairn_output_open_seeking(cairn_context *context, const char *path, cairn_output **output) {
    return open_output(context, path, true, output);
}

cairn_status cairn_output_check(cairn_context *context, const char *path) {
    cairn_output *o = NULL;
    struct stat st;
    if (path != NULL && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
        return context != NULL ? CAIRN_OK : CAIRN_ERROR_ARGUMENT; /* opening it would be the writing */
    cairn_status status = open_output(context, path, false, &o);
    if (status == CAIRN_OK)
        discard(o);
    return status;
}

cairn_status cairn_output_scratch(cairn_context *context, const char *path, cairn_output **output) {
    cairn_output *o = NULL;
    char folder[PATH_MAX];
    cairn_status status = make(context, path, &o);
    if (status != CAIRN_OK)
        return status;
    folder_of(path, folder);
    const char *other = getenv("TMPDIR");
    other = other != NULL && *other == '/' ? other : "/tmp";
    bool good = open_nameless(o, folder, 0600) || open_nameless(o, other, 0600);
    for (int k = 0; !good && k < 2; k++) { /* a name for as long as it takes; removed by discard */
        int length = snprintf(o->target, sizeof o->target, "%s/cairn-scratch", k == 0 ? folder : other);
        good = length < (int)sizeof o->target && open_named(o, 0600);
    }
    if (good)
        *output = o;
    else {
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: no place for a copy, neither there nor in %s: %s", path,
                            other, strerror(errno));
        discard(o);
    }
    return status;
}

int cairn_output_descriptor(const cairn_output *o) {
    return o != NULL ? o->file : -1;
}

cairn_status cairn_output_write(cairn_output *o, const void *bytes, size_t size) {
    return cairn_write_all(o->file, bytes, size) ? CAIRN_OK : refuse(o, strerror(errno));
}

/* Gives a file without a name one beside the target. */
static bool name_it(cairn_output *o) {
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", o->file);
    for (int k = 0; k < TEMPORARY_TRIES && name_part(o, k); k++) {
        if (linkat(AT_FDCWD, from, AT_FDCWD, o->part, AT_SYMLINK_FOLLOW) == 0) {
            o->nameless = false;
            return true;
        }
        if (errno != EEXIST)
            break;
    }
    return false;
}

cairn_status cairn_output_close(cairn_output *o, bool keep) {
    if (o == NULL)
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    if (keep && !o->direct) {
        bool good = fsync(o->file) == 0 && (!o->nameless || name_it(o)) && rename(o->part, o->target) == 0;
        if (good) {
            o->part[0] = '\0';
            cairn_sync_folder(o->target);
        } else {
            status = refuse(o, strerror(errno));
        }
    }
    discard(o);
    return status;
}
