/*
 * record_journal.h: the file beside a recording that keeps what was reported until it is folded in.
 */
#ifndef CAIRN_IO_RECORD_JOURNAL_H
#define CAIRN_IO_RECORD_JOURNAL_H

#include "record_layout.h"

#include <cairn/record.h>

#define CAIRN_JOURNAL_SUFFIX ".journal"

typedef struct cairn_journal {
    cairn_context *context;
    char *path;
    int file;          /* -1: closed */
    int64_t bytes;     /* good ones */
    uint64_t sequence; /* of the next record */
    int unsynced;      /* records since the last fsync */
    int sync_every;
} cairn_journal;

/* Makes a new journal for the recording with this id, whose records begin with number first. Locked against other programs. */
cairn_status cairn_journal_create(cairn_context *context, const char *recording, uint64_t id, uint64_t first,
                                  int sync_every, cairn_journal *journal);
/* Fails when another program is writing this recording. */
cairn_status cairn_journal_check_free(cairn_context *context, const char *recording);
/* One record. When it returns, the record survives the end of this program by any means. */
cairn_status cairn_journal_append(cairn_journal *journal, const cairn_rows *rows);
void cairn_journal_close(cairn_journal *journal);

/* Folds the journal beside a recording, if there is one, into the file, and removes it. cut >= 0: then forgets frames after that step.
 * *live, unless NULL: another program is still writing the journal, and nothing was done (else that is an error).
 * watch, unless NULL, may stop it (record.h). */
cairn_status cairn_journal_fold(cairn_context *context, const char *recording, int64_t cut, bool *live,
                                cairn_fold_watch watch, void *user);

/* Flushes the file part to the disk and gives it the name of the recording. */
cairn_status cairn_journal_replace(cairn_context *context, const char *part, const char *recording);

#endif
