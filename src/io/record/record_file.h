/*
 * record_file.h: a recording as an HDF5 file: created, appended to (record_append.c), cut back,
 * read.
 */
#ifndef CAIRN_IO_RECORD_RECORD_FILE_H
#define CAIRN_IO_RECORD_RECORD_FILE_H

#include "io/hdf5/hdf5_output.h"
#include "io/hdf5/hdf5_util.h"
#include "io/record/record_fields.h"
#include "io/record/record_compress.h"

typedef struct cairn_store {
    cairn_context *context;
    const char *path;         /* for messages */
    cairn_hdf5_output output; /* when it is written */
    hid_t file;
    hid_t set[CAIRN_FIELDS];
    int64_t rows[CAIRN_ROW_KINDS];    /* in the file; of the last two kinds: columns of bodies, of joints */
    uint64_t id;                      /* tells recordings apart */
    uint64_t records;                 /* journal records that are in */
    int64_t waiting[CAIRN_ROW_KINDS]; /* rows added since rows was counted; of tables: their columns */
    int64_t written[CAIRN_FIELDS];    /* rows of the dataset (tables: frames) */
    int64_t held[CAIRN_FIELDS];       /* rows behind them that are in memory */
    char *room[CAIRN_FIELDS];         /* of the held rows, field by field */
    size_t room_bytes[CAIRN_FIELDS];
    int64_t chunk_rows[CAIRN_FIELDS], chunk_columns[CAIRN_FIELDS]; /* shapes of chunks; columns: of tables */
    bool packed[CAIRN_FIELDS];                                     /* by shuffle and deflate, and numbers */
    cairn_packer packer;
    cairn_pack_memory memory[CAIRN_FIELDS];
    char *chunk; /* one chunk of a table */
    size_t chunk_bytes;
} cairn_store;

/* What a recording says of itself: attributes of the root group. */
typedef struct cairn_store_head {
    const char *scene, *method, *law, *instructions;
    double step, tolerance, tolerance_velocity, gravity[3];
    uint64_t id;
    int64_t columns[CAIRN_ROW_KINDS]; /* of tables, as far as they are known: chunks are made for them */
} cairn_store_head;

/* Makes a new file without rows. The caller closes the store in any case, and leaves it where it
 * is until then. */
cairn_status cairn_store_create(cairn_context *context, const char *path, const cairn_output *output,
                                const cairn_store_head *head, cairn_store *store);
/* Opens a file to read it; output, unless NULL, holds a copy of it that is opened instead, to be
 * written too. Everything that is not a recording is refused. */
cairn_status cairn_store_open(cairn_context *context, const char *path, const cairn_output *output, cairn_store *store);
/* Adds rows; they may wait in memory until the next flush. At most one frame. */
cairn_status cairn_store_append(cairn_store *store, const cairn_rows *rows);
/* Writes what waits, and the number of records. */
cairn_status cairn_store_flush(cairn_store *store);
/* Forgets frames after the one with the last step <= step, and their contacts. */
cairn_status cairn_store_cut(cairn_store *store, int64_t step);
/* Rows [first, first + count) of a field into room for them; of a table: one frame, first = its
 * number, count = columns. */
cairn_status cairn_store_read(const cairn_store *store, int field, int64_t first, int64_t count, void *out);
/* A text attribute into at most size bytes; "" when absent. */
void cairn_store_text(const cairn_store *store, const char *name, char *text, size_t size);
double cairn_store_real(const cairn_store *store, const char *name, double otherwise);
/* What waits is lost. Fails when the file could not be written whole. */
cairn_status cairn_store_close(cairn_store *store);

/* ---- between record_file.c and record_append.c ---- */

/* Sizes of a dataset with these rows (a table: frames) and columns of a table. Returns the rank. */
int cairn_store_extent(int field, int64_t rows, int64_t columns, hsize_t *dims);
/* A block of a dataset from or to memory by libhdf5: rows from first on; of tables all columns. */
bool cairn_store_transfer(const cairn_store *store, int field, int64_t first, int64_t rows, int64_t columns,
                          bool writing, void *data);
/* The number of records into the file, and everything to the system. */
bool cairn_store_note(const cairn_store *store);
/* The error of libhdf5 at a place of the file. */
cairn_status cairn_store_broken(const cairn_store *store, const char *where, const char *what);

#endif
