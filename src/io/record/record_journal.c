/*
 * record_journal.c: an append-only journal of rows, and folding it into the HDF5 file.
 *
 *     head:    magic, version, byte order, id of the recording
 *     record:  mark, number, bytes, checksum of number and block, block (record_fields.h)
 *
 * A record is written by one call of the system and is then safe against the end of the program by
 * any means; fsync, against the end of the machine, follows every sync_every records. A record that
 * is cut off at the end of the journal is as if never written. A damaged one is left out, and the
 * next mark with a right checksum is looked for: records behind it are good, unless they speak of
 * bodies that only the damaged one knew. Folding works on a copy of the file that takes its place
 * when it is complete; records that are in already are known by their number. So it may be killed
 * at any moment too. The journal is locked by whoever writes it.
 */
#define _DEFAULT_SOURCE

#include "io/record/record_journal.h"

#include "base/output.h"
#include "io/record/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC      "CairnJrn"
#define VERSION    1u
#define ORDER      0x01020304u
#define MARK       UINT64_C(0x5245434f52443031)
#define SEARCH     65536 /* bytes looked at together for a mark */
#define LOCK_TRIES 10

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

static bool read_at(int file, int64_t offset, void *bytes, size_t size) {
    char *at = bytes;
    while (size > 0) {
        ssize_t done = pread(file, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        offset += done;
        size -= (size_t)done;
    }
    return true;
}

static int64_t size_of(int file) {
    struct stat st;
    return fstat(file, &st) == 0 ? (int64_t)st.st_size : 0;
}

char *cairn_journal_path(cairn_context *context, const char *recording) {
    size_t size = strlen(recording) + sizeof CAIRN_JOURNAL_SUFFIX;
    char *text = cairn_alloc(context, size, 1);
    if (text != NULL)
        snprintf(text, size, "%s%s", recording, CAIRN_JOURNAL_SUFFIX);
    return text;
}

/* ---- writing ---- */

static bool is_at(int file, const char *path) {
    struct stat open_one, named;
    return fstat(file, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

cairn_status cairn_journal_lock(cairn_context *context, const char *recording, cairn_journal *j) {
    *j = (cairn_journal){.context = context, .file = -1};
    j->path = cairn_journal_path(context, recording);
    if (j->path == NULL)
        return CAIRN_ERROR_MEMORY;
    struct stat st;
    bool private = stat(recording, &st) == 0; /* the journal is as private as the file */
    for (int k = 0; k < LOCK_TRIES; k++) {
        j->file = cairn_keep_off_standard(
            open(j->path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NONBLOCK, private ? st.st_mode & 0666 : 0666));
        if (j->file < 0)
            return fail(context, j->path, "cannot be created");
        if (flock(j->file, LOCK_EX | LOCK_NB) != 0) {
            close(j->file);
            j->file = -1;
            return cairn_fail(context, CAIRN_ERROR_IO, "%s: another program is writing or reading this recording",
                              j->path);
        }
        if (is_at(j->file, j->path))
            return CAIRN_OK;
        close(j->file); /* whoever had it before has removed it meanwhile */
        j->file = -1;
    }
    return cairn_fail(context, CAIRN_ERROR_IO, "%s: other programs make and remove it all the time", j->path);
}

cairn_status cairn_journal_begin(cairn_journal *j, uint64_t id, uint64_t first, int sync_every) {
    head h = {.version = VERSION, .order = ORDER, .id = id};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    j->sequence = first;
    j->sync_every = sync_every;
    if (ftruncate(j->file, 0) != 0 || !cairn_write_all(j->file, &h, sizeof h) || fsync(j->file) != 0)
        return fail(j->context, j->path, "cannot be written");
    j->bytes = sizeof h;
    return CAIRN_OK;
}

/* True if another program removed or changed it. */
static cairn_status check_own(const cairn_journal *j) {
    struct stat st;
    if (fstat(j->file, &st) != 0)
        return fail(j->context, j->path, "cannot be looked at");
    if (st.st_nlink == 0)
        return cairn_fail(j->context, CAIRN_ERROR_IO, "%s: was removed while the recording goes on", j->path);
    if ((int64_t)st.st_size != j->bytes)
        return cairn_fail(j->context, CAIRN_ERROR_IO,
                          "%s: was changed while the recording goes on: %lld bytes, expected %lld", j->path,
                          (long long)st.st_size, (long long)j->bytes);
    return CAIRN_OK;
}

cairn_status cairn_journal_append(cairn_journal *j, const cairn_rows *rows) {
    mark m = {.mark = MARK, .sequence = j->sequence, .bytes = rows->size};
    cairn_status status = check_own(j);
    if (status != CAIRN_OK)
        return status;
    m.checksum = sum(m.sequence, rows->block, rows->size);
    if (!cairn_write_all(j->file, &m, sizeof m) || !cairn_write_all(j->file, rows->block, rows->size)) {
        status = fail(j->context, j->path, "cannot be written");
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

void cairn_journal_remove(cairn_journal *j) {
    if (j->file >= 0 && is_at(j->file, j->path))
        (void)unlink(j->path);
}

void cairn_journal_close(cairn_journal *j) {
    if (j->file >= 0)
        close(j->file);
    cairn_free(j->context, j->path);
    *j = (cairn_journal){.context = j->context, .file = -1};
}

/* ---- reading ---- */

bool cairn_journal_is_of(int file, uint64_t id) {
    head h;
    return read_at(file, 0, &h, sizeof h) && memcmp(h.magic, MAGIC, sizeof h.magic) == 0 && h.version == VERSION &&
           h.order == ORDER && h.id == id;
}

bool cairn_journal_holds_steps(int file) {
    return size_of(file) > (int64_t)sizeof(head);
}

/* A record holds one frame at most, and rows of its tables only with it. */
static bool well_made(const cairn_rows *rows) {
    int64_t frames = rows->count[CAIRN_ROW_FRAME];
    return frames == 1 || (frames == 0 && rows->count[CAIRN_ROW_FRAME_BODY] == 0 &&
                           rows->count[CAIRN_ROW_FRAME_JOINT] == 0 && rows->count[CAIRN_ROW_FRAME_NODE] == 0 &&
                           rows->count[CAIRN_ROW_FRAME_STRESS] == 0 && rows->count[CAIRN_ROW_FRAME_HELD] == 0);
}

/* Going through a journal. */
typedef struct reader {
    cairn_context *context;
    int file;
    int64_t at, size; /* the next byte; all */
    mark m;           /* of the present record */
    cairn_rows rows;
    cairn_status status;
} reader;

/* The record at a place into rows; false: there is none, or status says why it cannot be taken. */
static bool take_record(reader *r, int64_t at) {
    mark *m = &r->m;
    int64_t left = r->size - at - (int64_t)sizeof *m;
    if (left < 0 || !read_at(r->file, at, m, sizeof *m) || m->mark != MARK || m->bytes > (uint64_t)left)
        return false;
    if (m->bytes > r->rows.capacity) {
        cairn_free(r->context, r->rows.block);
        r->rows.block = cairn_alloc_raw(r->context, (size_t)m->bytes, 1);
        r->rows.capacity = r->rows.block != NULL ? (size_t)m->bytes : 0;
        if (r->rows.block == NULL) {
            r->status = CAIRN_ERROR_MEMORY;
            return false;
        }
    }
    size_t bytes = (size_t)m->bytes;
    return read_at(r->file, at + (int64_t)sizeof *m, r->rows.block, bytes) &&
           sum(m->sequence, r->rows.block, bytes) == m->checksum && cairn_rows_open(&r->rows, bytes) &&
           well_made(&r->rows);
}

/* The next place from `at` on with a mark; size: there is none. */
static int64_t find_mark(const reader *r, int64_t at) {
    const uint64_t wanted = MARK;
    char room[SEARCH];
    while (r->size - at >= (int64_t)sizeof wanted) {
        size_t bytes = r->size - at < SEARCH ? (size_t)(r->size - at) : SEARCH;
        if (!read_at(r->file, at, room, bytes))
            break;
        for (size_t k = 0; k + sizeof wanted <= bytes; k++)
            if (memcmp(room + k, &wanted, sizeof wanted) == 0)
                return at + (int64_t)k;
        at += (int64_t)(bytes - sizeof wanted) + 1;
    }
    return r->size;
}

/* The next good record; false: there is none. *damaged: something before it cannot be read. The
 * end of a record that was never written whole is no damage. */
static bool next_record(reader *r, bool *damaged) {
    int64_t from = r->at;
    bool cut_off = false;
    *damaged = false;
    while (r->at < r->size && r->status == CAIRN_OK) {
        if (take_record(r, r->at)) {
            *damaged = r->at > from;
            r->at += (int64_t)sizeof r->m + (int64_t)r->m.bytes;
            return true;
        }
        if (r->at == from)
            cut_off = r->size - from < (int64_t)sizeof r->m ||
                      (r->m.mark == MARK && r->m.bytes > (uint64_t)(r->size - from) - sizeof r->m);
        r->at = find_mark(r, r->at + 1);
    }
    *damaged = from < r->size && !cut_off;
    return false;
}

/* Rows behind a lost record fit when they know no bodies, joints or nodes that the store does
 * not. */
static bool fits(const cairn_store *s, const cairn_rows *rows) {
    static const int table[] = {CAIRN_ROW_FRAME_BODY, CAIRN_ROW_FRAME_JOINT},
                     kind[] = {CAIRN_ROW_BODY, CAIRN_ROW_JOINT};
    for (int k = 0; k < 2 && rows->count[CAIRN_ROW_FRAME] > 0; k++)
        if (rows->count[table[k]] != s->rows[kind[k]] + s->waiting[kind[k]] + rows->count[kind[k]])
            return false;
    return true;
}

/* All records of the journal that the store does not have. */
static cairn_status take_records(cairn_store *store, const cairn_folding *f, int64_t *damaged) {
    reader r = {.context = store->context, .file = f->file, .at = sizeof(head), .size = size_of(f->file)};
    double all = (double)(r.size - r.at);
    bool torn = false, lost = false;
    while (r.status == CAIRN_OK && next_record(&r, &torn)) {
        *damaged += torn;
        if (f->watch != NULL && !f->watch(f->user, 1.0 - (double)(r.size - r.at) / all)) {
            r.status = cairn_fail(
                store->context, CAIRN_ERROR_CANCELLED,
                "%s: stopped while its journal was folded in; nothing is lost, the next opening folds it", store->path);
            break;
        }
        if (r.m.sequence < store->records)
            continue;
        lost = lost || r.m.sequence > store->records;
        if (lost && !fits(store, &r.rows)) {
            *damaged += 1;
            break;
        }
        if (r.rows.count[CAIRN_ROW_FRAME] > 0) /* counts the contacts that are there, not those that were lost */
            *(int64_t *)r.rows.field[CAIRN_F_CONTACT_FIRST] = store->rows[CAIRN_ROW_CONTACT] +
                                                              store->waiting[CAIRN_ROW_CONTACT];
        r.status = cairn_store_append(store, &r.rows);
        store->records = r.m.sequence + 1;
        torn = false;
    }
    *damaged += torn;
    cairn_rows_free(store->context, &r.rows);
    return r.status;
}

/* Byte by byte. */
static cairn_status copy_file(cairn_context *context, const char *from, cairn_output *to) {
    size_t size = (size_t)1 << 20;
    char *room = cairn_alloc_raw(context, size, 1);
    if (room == NULL)
        return CAIRN_ERROR_MEMORY;
    int in = cairn_keep_off_standard(open(from, O_RDONLY | O_CLOEXEC));
    cairn_status status = in < 0 ? fail(context, from, "cannot be opened") : CAIRN_OK;
    for (ssize_t got = 1; status == CAIRN_OK && got > 0;) {
        got = read(in, room, size);
        status = got < 0 ? fail(context, from, "cannot be read") : cairn_output_write(to, room, (size_t)got);
    }
    if (in >= 0)
        close(in);
    cairn_free(context, room);
    return status;
}

static cairn_status fold_into(cairn_context *context, const char *recording, const cairn_folding *f, int64_t cut,
                              cairn_output *output, cairn_folded *result) {
    cairn_store store;
    cairn_status status = copy_file(context, recording, output);
    if (status != CAIRN_OK)
        return status;
    status = cairn_store_open(context, recording, output, &store);
    if (status == CAIRN_OK && f->file >= 0)
        status = take_records(&store, f, &result->damaged);
    if (status == CAIRN_OK)
        status = cairn_store_flush(&store);
    if (status == CAIRN_OK && cut >= 0)
        status = cairn_store_cut(&store, cut);
    result->records = store.records;
    cairn_status closed = cairn_store_close(&store);
    return status == CAIRN_OK ? closed : status;
}

/* The id of a recording, and how many records are in. */
static cairn_status learn(cairn_context *context, const char *recording, cairn_folded *result, uint64_t *id) {
    cairn_store store;
    cairn_status status = cairn_store_open(context, recording, NULL, &store);
    *id = store.id;
    result->records = store.records;
    (void)cairn_store_close(&store);
    return status;
}

static cairn_status fold(cairn_context *context, const char *recording, cairn_folding f, int64_t cut,
                         cairn_output *scratch, cairn_folded *result) {
    uint64_t id = 0;
    cairn_output *output = scratch;
    cairn_status status = learn(context, recording, result, &id);
    if (status == CAIRN_OK && f.file >= 0 && !cairn_journal_is_of(f.file, id)) {
        result->other = cairn_journal_holds_steps(f.file);
        f.file = -1;
    }
    bool steps = f.file >= 0 && cairn_journal_holds_steps(f.file);
    if (status != CAIRN_OK || (!steps && cut < 0))
        return status;
    result->folded = true;
    if (scratch == NULL)
        status = cairn_output_open_seeking(context, recording, &output);
    if (status == CAIRN_OK)
        status = fold_into(context, recording, &f, cut, output, result);
    if (scratch != NULL)
        return status;
    cairn_status closed = cairn_output_close(output, status == CAIRN_OK);
    return status == CAIRN_OK ? closed : status;
}

cairn_status cairn_journal_fold(cairn_context *context, const char *recording, const cairn_folding *folding,
                                int64_t cut, cairn_output *scratch, cairn_folded *result) {
    cairn_status status;
    *result = (cairn_folded){0};
    H5E_BEGIN_TRY {
        status = fold(context, recording, *folding, cut, scratch, result);
    }
    H5E_END_TRY
    return status;
}

int cairn_journal_open(const char *path, bool *live) {
    struct stat st;
    *live = false;
    int file = cairn_keep_off_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file < 0)
        return file;
    *live = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!*live && fstat(file, &st) == 0 && S_ISREG(st.st_mode))
        return file;
    close(file);
    return -1;
}
