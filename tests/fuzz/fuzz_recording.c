/*
 * fuzz_recording.c: a recording whose journal is damaged, as a killed run may leave it: arbitrary bytes as the journal, and whole records whose numbers are changed
 * and whose checksums fit. Opening folds what it takes into the file, checks the tables, and reads every frame; a page of it is packed as well. All of it must return, give all memory
 * back and state a reason when it refuses.
 *
 * The HDF5 file itself is well made; fuzz_recording_bytes.c damages it. The tables in it are what the journal says.
 */
#define _POSIX_C_SOURCE 200809L

#include <cairn/view.h>

#include "base/core.h"
#include "counted.h"
#include "recorded.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = RECORDED_ROOM, HEAD = 24, MARK = 32 }; /* of the layout of src/io/record/record_journal.c */

static char path[128], journal[160], page[160];
static unsigned char file_bytes[ROOM], journal_bytes[ROOM];
static size_t file_size, journal_size;

static void clean(void) {
    remove(path);
    remove(journal);
    remove(page);
}

/* The file and the journal as they are before the recording is closed. */
static void keep(void) {
    file_size = recorded_slurp(path, file_bytes);
    journal_size = recorded_slurp(journal, journal_bytes);
}

static void record(void) {
    recorded_name(path, sizeof path);
    snprintf(journal, sizeof journal, "%s.journal", path);
    snprintf(page, sizeof page, "%s.bin", path);
    recorded_make(path, keep);
    atexit(clean);
}

/* data as changes of the good journal: triples of a place (two bytes) and what is added there; then checksums are made to fit. */
static size_t change(const uint8_t *data, size_t size, unsigned char *to) {
    memcpy(to, journal_bytes, journal_size);
    for (size_t i = 0; i + 2 < size; i += 3) {
        size_t at = HEAD + (256u * data[i] + data[i + 1]) % (journal_size - HEAD);
        to[at] = (unsigned char)(to[at] + data[i + 2]);
    }
    for (size_t at = HEAD; at + MARK <= journal_size;) {
        uint64_t bytes, good_bytes;
        memcpy(&good_bytes, journal_bytes + at + 16, sizeof good_bytes);
        memcpy(&bytes, to + at + 16, sizeof bytes);
        if (bytes > journal_size - at - MARK)
            break;
        uint64_t hash = cairn_hash(CAIRN_HASH_START, (const char *)to + at + 8, sizeof(uint64_t));
        hash = cairn_hash(hash, (const char *)to + at + MARK, bytes);
        memcpy(to + at + 24, &hash, sizeof hash);
        at += MARK + bytes;
        if (bytes != good_bytes)
            break;
    }
    return journal_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned char made[ROOM];
    if (file_size == 0)
        record();
    cairn_context *context = size > 0 ? counted_context() : NULL;
    if (context == NULL)
        return 0;
    bool raw = data[0] % 8 == 0;
    size_t length = raw ? size - 1 : change(data + 1, size - 1, made);
    if (raw && data[0] % 16 == 0 && length + HEAD < ROOM) { /* behind a head that fits */
        memcpy(made, journal_bytes, HEAD);
        memcpy(made + HEAD, data + 1, length);
        length += HEAD;
    } else if (raw) {
        memcpy(made, data + 1, length);
    }
    recorded_spill(path, file_bytes, file_size);
    recorded_spill(journal, made, length);
    cairn_recording *r = NULL;
    cairn_status status = cairn_recording_open(context, path, &r);
    if (status != CAIRN_OK && (cairn_error_message(context)[0] == '\0' || r != NULL))
        abort();
    if (status == CAIRN_OK) {
        recorded_look(r);
        cairn_view_write(r, NULL, "<!--DATA-->", NULL, 0, page, NULL);
        cairn_export_gltf(r, NULL, page);
    }
    cairn_recording_close(r);
    counted_end(context);
    return 0;
}
