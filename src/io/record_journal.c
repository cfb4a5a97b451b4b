/*
 * record_journal.c: an append-only journal of rows, and folding it into the HDF5 file.
 *
 *     head:    magic, version, byte order, id of the recording
 *     record:  mark, number, bytes, checksum of number and block, block (record_layout.h)
 *
 * A record is written by one call of the system and is then safe against the end of the program by any means; fsync, against the
 * end of the machine, follows every sync_every records. A record that is not whole, and all after it, is as if never written.
 * Folding works on a copy of the file that is renamed when it is complete; records that are in already are known by their number. So
 * it may be killed at any moment too.
 */
#define _DEFAULT_SOURCE

#include "record_journal.h"
#include "record_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC   "CairnJrn"
#define VERSION 1u
#define ORDER   0x01020304u
#define MARK    UINT64_C(0x5245434f52443031)

typedef struct head {
    char magic[8];
    uint32_t version, order;
    uint64_t id;
} head;

typedef struct mark {
    uint64_t mark, sequence, bytes, checksum;
} mark;

static uint64_t sum(uint64_t sequence, const void *block, size_t size) {
    uint64_t hash = cairn_hash(CAIRN_HASH_START, &sequence, sizeof sequence);
    return cairn_hash(hash, block, size);
}

static cairn_status fail(cairn_context *context, const char *path, const char *what) {
    return cairn_fail(context, CAIRN_ERROR_IO, "%s: %s: %s", path, what, strerror(errno));
}

static bool write_all(int file, const void *bytes, size_t size) {
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

static bool read_all(int file, void *bytes, size_t size) {
    char *at = bytes;
    while (size > 0) {
        ssize_t done = read(file, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

static char *joined(cairn_context *context, const char *path, const char *suffix) {
    size_t size = strlen(path) + strlen(suffix) + 1;
    char *text = cairn_alloc(context, size, 1);
    if (text != NULL)
        snprintf(text, size, "%s%s", path, suffix);
    return text;
}

cairn_status cairn_journal_create(cairn_context *context, const char *recording, uint64_t id, uint64_t first,
                                  int sync_every, cairn_journal *j) {
    *j = (cairn_journal){.context = context, .file = -1, .sequence = first, .sync_every = sync_every};
    head h = {.version = VERSION, .order = ORDER, .id = id};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    j->path = joined(context, recording, CAIRN_JOURNAL_SUFFIX);
    if (j->path == NULL)
        return CAIRN_ERROR_MEMORY;
    j->file = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
    if (j->file < 0)
        return fail(context, j->path, "cannot be created");
    if (flock(j->file, LOCK_EX | LOCK_NB) != 0)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: another program is writing this recording", j->path);
    if (ftruncate(j->file, 0) != 0 || !write_all(j->file, &h, sizeof h) || fsync(j->file) != 0)
        return fail(context, j->path, "cannot be written");
    j->bytes = sizeof h;
    return CAIRN_OK;
}

cairn_status cairn_journal_check_free(cairn_context *context, const char *recording) {
    char *path = joined(context, recording, CAIRN_JOURNAL_SUFFIX);
    if (path == NULL)
        return CAIRN_ERROR_MEMORY;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    cairn_status status = CAIRN_OK;
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: another program is writing this recording", path);
    if (file >= 0)
        close(file);
    cairn_free(context, path);
    return status;
}

cairn_status cairn_journal_append(cairn_journal *j, const cairn_rows *rows) {
    mark m = {.mark = MARK, .sequence = j->sequence, .bytes = rows->size};
    m.checksum = sum(m.sequence, rows->block, rows->size);
    if (!write_all(j->file, &m, sizeof m) || !write_all(j->file, rows->block, rows->size)) {
        cairn_status status = fail(j->context, j->path, "cannot be written");
        if (ftruncate(j->file, (off_t)j->bytes) != 0) /* a torn record ends the journal for every reader */
            return cairn_fail(j->context, CAIRN_ERROR_IO, "%s: a torn record cannot be removed: %s", j->path,
                              strerror(errno));
        return status;
    }
    j->bytes += (int64_t)(sizeof m + rows->size);
    j->sequence++;
    if (++j->unsynced < j->sync_every || j->sync_every == 0)
        return CAIRN_OK;
    j->unsynced = 0;
    return fsync(j->file) == 0 ? CAIRN_OK : fail(j->context, j->path, "cannot be flushed to the disk");
}

void cairn_journal_close(cairn_journal *j) {
    if (j->file >= 0)
        close(j->file);
    cairn_free(j->context, j->path);
    *j = (cairn_journal){.context = j->context, .file = -1};
}

/* A record holds one frame at most, and rows of its tables only with it. */
static bool well_made(const cairn_rows *rows) {
    int64_t frames = rows->count[CAIRN_ROW_FRAME];
    return frames == 1 ||
           (frames == 0 && rows->count[CAIRN_ROW_FRAME_BODY] == 0 && rows->count[CAIRN_ROW_FRAME_JOINT] == 0 &&
            rows->count[CAIRN_ROW_FRAME_NODE] == 0 && rows->count[CAIRN_ROW_FRAME_STRESS] == 0);
}

/* The next whole record into rows; false: there is none, or *status says why it cannot be taken. left: bytes of the file behind the
 * present place. */
static bool next_record(cairn_context *context, int file, int64_t *left, mark *m, cairn_rows *rows,
                        cairn_status *status) {
    if (*left < (int64_t)sizeof *m || !read_all(file, m, sizeof *m) || m->mark != MARK)
        return false;
    *left -= (int64_t)sizeof *m;
    if (m->bytes > (uint64_t)*left)
        return false;
    if (m->bytes > rows->capacity) {
        cairn_free(context, rows->block);
        rows->block = cairn_alloc_raw(context, (size_t)m->bytes, 1);
        rows->capacity = rows->block != NULL ? (size_t)m->bytes : 0;
        if (rows->block == NULL) {
            *status = CAIRN_ERROR_MEMORY;
            return false;
        }
    }
    *left -= (int64_t)m->bytes;
    return read_all(file, rows->block, (size_t)m->bytes) &&
           sum(m->sequence, rows->block, (size_t)m->bytes) == m->checksum && cairn_rows_open(rows, (size_t)m->bytes) &&
           well_made(rows);
}

/* Byte by byte from one open file to a new one. */
static cairn_status copy_file(cairn_context *context, const char *from, const char *to) {
    size_t size = (size_t)1 << 20;
    char *room = cairn_alloc_raw(context, size, 1);
    if (room == NULL)
        return CAIRN_ERROR_MEMORY;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    cairn_status status = in < 0    ? fail(context, from, "cannot be opened")
                          : out < 0 ? fail(context, to, "cannot be created")
                                    : CAIRN_OK;
    for (ssize_t got = 1; status == CAIRN_OK && got > 0;) {
        got = read(in, room, size);
        if (got < 0)
            status = fail(context, from, "cannot be read");
        else if (!write_all(out, room, (size_t)got))
            status = fail(context, to, "cannot be written");
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    cairn_free(context, room);
    return status;
}

/* A journal that is folded, and who looks on. */
typedef struct folding {
    int file; /* of the journal */
    cairn_fold_watch watch;
    void *user;
} folding;

/* All records of the journal that the store does not have. */
static cairn_status take_records(cairn_store *store, const folding *f) {
    struct stat st;
    head h;
    cairn_rows rows = {0};
    mark m;
    cairn_status status = CAIRN_OK;
    if (f->file < 0 || fstat(f->file, &st) != 0 || !read_all(f->file, &h, sizeof h) || memcmp(h.magic, MAGIC, 8) != 0 ||
        h.version != VERSION || h.order != ORDER || h.id != store->id)
        return CAIRN_OK; /* of another recording, or killed before it had a head */
    int64_t left = (int64_t)st.st_size - (int64_t)sizeof h;
    double all = (double)left;
    while (status == CAIRN_OK && next_record(store->context, f->file, &left, &m, &rows, &status)) {
        if (f->watch != NULL && !f->watch(f->user, 1.0 - (double)left / all)) {
            status = cairn_fail(
                store->context, CAIRN_ERROR_CANCELLED,
                "%s: stopped while its journal was folded in; nothing is lost, the next opening folds it", store->path);
            break;
        }
        if (m.sequence < store->records)
            continue;
        if (m.sequence > store->records)
            break;
        status = cairn_store_append(store, &rows);
        store->records++;
    }
    cairn_rows_free(store->context, &rows);
    return status;
}

static void sync_folder(const char *path) {
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL && (size_t)(slash - path) < sizeof folder - 1)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    int file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    fsync(file);
    close(file);
}

cairn_status cairn_journal_replace(cairn_context *context, const char *part, const char *recording) {
    int file = open(part, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && fsync(file) == 0;
    if (file >= 0)
        close(file);
    if (!done || rename(part, recording) != 0)
        return fail(context, recording, "cannot be replaced");
    sync_folder(recording);
    return CAIRN_OK;
}

static cairn_status fold(cairn_context *context, const char *recording, const char *part, const folding *journal,
                         int64_t cut) {
    cairn_store store;
    cairn_status status = copy_file(context, recording, part);
    if (status != CAIRN_OK)
        return status;
    status = cairn_store_open(context, part, true, &store);
    store.path = recording;
    if (status == CAIRN_OK)
        status = take_records(&store, journal);
    if (status == CAIRN_OK)
        status = cairn_store_flush(&store);
    if (status == CAIRN_OK && cut >= 0)
        status = cairn_store_cut(&store, cut);
    cairn_store_close(&store);
    return status == CAIRN_OK ? cairn_journal_replace(context, part, recording) : status;
}

cairn_status cairn_journal_fold(cairn_context *context, const char *recording, int64_t cut, bool *live,
                                cairn_fold_watch watch, void *user) {
    char *path = joined(context, recording, CAIRN_JOURNAL_SUFFIX), *part = joined(context, recording, ".part");
    cairn_status status = path != NULL && part != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    int file = status == CAIRN_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool busy = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0;
    if (live != NULL)
        *live = busy;
    if (status == CAIRN_OK && busy && live == NULL)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: another program is writing this recording", path);
    if (status == CAIRN_OK && !busy && (file >= 0 || cut >= 0)) {
        H5E_BEGIN_TRY {
            status = fold(context, recording, part, &(folding){file, watch, user}, cut);
        }
        H5E_END_TRY
        if (status == CAIRN_OK && file >= 0)
            unlink(path);
        else if (status != CAIRN_OK)
            unlink(part);
    }
    if (file >= 0)
        close(file);
    cairn_free(context, part);
    cairn_free(context, path);
    return status;
}
