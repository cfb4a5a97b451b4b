/*
 * record_journal.h: the file beside a recording that keeps what was reported until it is folded in.
 */
#ifndef CAIRN_IO_RECORD_RECORD_JOURNAL_H
#define CAIRN_IO_RECORD_RECORD_JOURNAL_H

#include "io/record/record_fields.h"

#include <cairn/record.h>

#define CAIRN_JOURNAL_SUFFIX ".journal"
/* With its path and how many places. */
#define CAIRN_JOURNAL_DAMAGED \
    "%s: is damaged: %lld places cannot be read, and frames that were there are lost; all others are read"

typedef struct cairn_journal {
    cairn_context *context;
    char *path;
    int file;          /* -1: closed */
    int64_t bytes;     /* good ones: all that it should have */
    uint64_t sequence; /* of the next record */
    int unsynced;      /* records since the last fsync */
    int sync_every;
} cairn_journal;

char *cairn_journal_path(cairn_context *context, const char *recording); /* to be freed; NULL: no memory */

/* Opens the journal beside a recording, or makes an empty one, and locks it against other
 * programs until it is closed. Nothing in it is changed. */
cairn_status cairn_journal_lock(cairn_context *context, const char *recording, cairn_journal *journal);
/* Empties it for the recording with this id, whose records begin with number first. */
cairn_status cairn_journal_begin(cairn_journal *journal, uint64_t id, uint64_t first, int sync_every);
/* One record. When it returns, the record survives the end of this program by any means. Fails
 * when another program has removed or changed the journal. */
cairn_status cairn_journal_append(cairn_journal *journal, const cairn_rows *rows);
/* Removes it, if it still has its name. */
void cairn_journal_remove(cairn_journal *journal);
void cairn_journal_close(cairn_journal *journal);

/* Whether an open journal belongs to the recording with this id; whether there is anything
 * behind its head. */
bool cairn_journal_is_of(int file, uint64_t id);
bool cairn_journal_holds_steps(int file);
/* Opens a journal to read it; -1: there is none, or another program is still writing it (*live). */
int cairn_journal_open(const char *path, bool *live);

/* A journal that is folded, and who looks on (record.h). */
typedef struct cairn_folding {
    int file; /* of the journal; -1: none */
    cairn_fold_watch watch;
    void *user;
} cairn_folding;

typedef struct cairn_folded {
    bool other;       /* the journal is not of this recording; it was left alone */
    bool folded;      /* something was to be done */
    uint64_t records; /* that are in the file now */
    int64_t damaged;  /* places of the journal that cannot be read */
} cairn_folded;

/* Folds a journal into its recording, and leaves the journal as it is. cut >= 0: then forgets
 * frames after that step. scratch, unless NULL, gets the result instead of the recording, and
 * nothing is changed. */
cairn_status cairn_journal_fold(cairn_context *context, const char *recording, const cairn_folding *folding,
                                int64_t cut, cairn_output *scratch, cairn_folded *result);

#endif
