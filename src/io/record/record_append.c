/*
 * record_append.c: rows added to the HDF5 file of a recording, many at a time.
 *
 * Rows are held in memory, field by field, and written in whole chunks: packed here
 * (record_compress.c) and handed to libhdf5 as they are (H5Dwrite_chunk). A chunk that is not full,
 * at the ends of what is added, goes the usual way (H5Dwrite). So no chunk is packed more than
 * once, or twice where a recording is continued in it. Behind the last column of a table chunks
 * hold the fill value, NaN, for a table that may grow.
 */
#include "io/record/record_file.h"

#include <math.h>
#include <string.h>

#define WAIT_BYTES ((size_t)16 << 20) /* held before whole chunks are written */
#define MOST_BYTES ((size_t)64 << 20) /* held after that: beyond it parts of chunks are written too */

static bool is_table(int field) {
    return cairn_field_get(field)->kind >= CAIRN_ROW_FRAME_BODY;
}

static size_t number_bytes(int field) {
    static const size_t bytes[] = {sizeof(double), sizeof(int64_t), sizeof(int32_t), 1, 1};
    return bytes[cairn_field_get(field)->type];
}

/* Bytes of one held row; of a table: of a frame. */
static size_t row_bytes(const cairn_store *s, int field) {
    size_t bytes = cairn_field_bytes(field);
    return is_table(field) ? bytes * (size_t)s->waiting[cairn_field_get(field)->kind] : bytes;
}

/* Room for bytes in all, of which the first used ones are kept. */
static cairn_status widen(cairn_context *context, char **room, size_t *have, size_t used, size_t bytes) {
    if (bytes <= *have)
        return CAIRN_OK;
    size_t wanted = bytes + bytes / 2 + 1024;
    char *larger = cairn_alloc_raw(context, wanted, 1);
    if (larger == NULL)
        return CAIRN_ERROR_MEMORY;
    if (used > 0)
        memcpy(larger, *room, used);
    cairn_free(context, *room);
    *room = larger;
    *have = wanted;
    return CAIRN_OK;
}

/* Columns [from, from + chunk_columns) of chunk_rows frames as one block; NaN beyond the last
 * column. */
static const void *cut_out(cairn_store *s, int field, const char *data, int64_t from) {
    size_t one = cairn_field_bytes(field), row = row_bytes(s, field);
    int64_t wide = s->chunk_columns[field], columns = s->waiting[cairn_field_get(field)->kind] - from;
    columns = columns < wide ? columns : wide;
    double nothing = NAN;
    for (int64_t r = 0; r < s->chunk_rows[field]; r++) {
        char *to = s->chunk + (size_t)(r * wide) * one;
        memcpy(to, data + (size_t)r * row + (size_t)from * one, (size_t)columns * one);
        for (size_t k = (size_t)columns * one; k < (size_t)wide * one; k += sizeof nothing)
            memcpy(to + k, &nothing, sizeof nothing);
    }
    return s->chunk;
}

static cairn_status put_chunk(cairn_store *s, int field, int64_t row, int64_t column, const void *data) {
    hsize_t offset[3] = {(hsize_t)row, is_table(field) ? (hsize_t)column : 0, 0};
    int64_t rows = s->chunk_rows[field] * (is_table(field) ? s->chunk_columns[field] : 1);
    size_t width = number_bytes(field), count = (size_t)rows * cairn_field_bytes(field) / width, size = 0;
    cairn_status status = cairn_pack_chunk(&s->packer, data, count, width, &s->memory[field], &size);
    if (status == CAIRN_OK && H5Dwrite_chunk(s->set[field], H5P_DEFAULT, 0, offset, size, s->packer.packed) < 0)
        status = cairn_store_broken(s, cairn_field_get(field)->path, "cannot be written");
    return status;
}

/* All chunks of chunk_rows rows; the first one begins with a chunk. */
static cairn_status put_chunks(cairn_store *s, int field, int64_t row, const char *data) {
    if (!is_table(field))
        return put_chunk(s, field, row, 0, data);
    int64_t columns = s->waiting[cairn_field_get(field)->kind], wide = s->chunk_columns[field];
    size_t bytes = (size_t)(s->chunk_rows[field] * wide) * cairn_field_bytes(field);
    cairn_status status = widen(s->context, &s->chunk, &s->chunk_bytes, 0, bytes);
    for (int64_t from = 0; from < columns && status == CAIRN_OK; from += wide)
        status = put_chunk(s, field, row, from, cut_out(s, field, data, from));
    return status;
}

/* The first count held rows of a field into the file, whose dataset is long enough. */
static cairn_status put_rows(cairn_store *s, int field, int64_t count) {
    int64_t first = s->written[field], whole = s->chunk_rows[field], columns = s->waiting[cairn_field_get(field)->kind];
    size_t row = row_bytes(s, field);
    if (row == 0)
        return CAIRN_OK;
    int64_t head = s->packed[field] ? (whole - first % whole) % whole : count, done = head < count ? head : count;
    if (done > 0 && !cairn_store_transfer(s, field, first, done, columns, true, s->room[field]))
        return cairn_store_broken(s, cairn_field_get(field)->path, "cannot be written");
    cairn_status status = CAIRN_OK;
    for (; count - done >= whole && status == CAIRN_OK; done += whole)
        status = put_chunks(s, field, first + done, s->room[field] + (size_t)done * row);
    if (status == CAIRN_OK && done < count &&
        !cairn_store_transfer(s, field, first + done, count - done, columns, true, s->room[field] + (size_t)done * row))
        return cairn_store_broken(s, cairn_field_get(field)->path, "cannot be written");
    return status;
}

/* Held rows into the file: those that fill chunks, or all. */
static cairn_status write_held(cairn_store *s, bool all) {
    for (int f = 0; f < CAIRN_FIELDS; f++) {
        int64_t end = s->written[f] + s->held[f];
        int64_t count = (all ? end : end - end % s->chunk_rows[f]) - s->written[f];
        if (count <= 0)
            continue;
        int kind = (int)cairn_field_get(f)->kind;
        hsize_t dims[3];
        cairn_store_extent(f, s->written[f] + count,
                           s->rows[kind] > s->waiting[kind] ? s->rows[kind] : s->waiting[kind], dims);
        if (H5Dset_extent(s->set[f], dims) < 0)
            return cairn_store_broken(s, cairn_field_get(f)->path, "cannot be written");
        cairn_status status = put_rows(s, f, count);
        if (status != CAIRN_OK)
            return status;
        s->written[f] += count;
        s->held[f] -= count;
        if (s->held[f] > 0 && row_bytes(s, f) > 0)
            memmove(s->room[f], s->room[f] + (size_t)count * row_bytes(s, f), (size_t)s->held[f] * row_bytes(s, f));
    }
    for (int k = 0; k < CAIRN_ROW_KINDS && all; k++) {
        if (k < CAIRN_ROW_FRAME_BODY)
            s->rows[k] += s->waiting[k];
        else if (s->waiting[k] > s->rows[k])
            s->rows[k] = s->waiting[k];
        s->waiting[k] = 0;
    }
    return CAIRN_OK;
}

static size_t held_bytes(const cairn_store *s) {
    size_t bytes = 0;
    for (int f = 0; f < CAIRN_FIELDS; f++)
        bytes += (size_t)s->held[f] * row_bytes(s, f);
    return bytes;
}

cairn_status cairn_store_append(cairn_store *s, const cairn_rows *rows) {
    cairn_status status = CAIRN_OK;
    bool frame = rows->count[CAIRN_ROW_FRAME] > 0, other = false;
    for (int k = CAIRN_ROW_FRAME_BODY; k < CAIRN_ROW_KINDS; k++)
        other = other || (frame && s->waiting[CAIRN_ROW_FRAME] > 0 && rows->count[k] != s->waiting[k]);
    if (other) /* held frames are as wide as each other */
        status = write_held(s, true);
    for (int k = CAIRN_ROW_FRAME_BODY; k < CAIRN_ROW_KINDS && frame; k++)
        s->waiting[k] = rows->count[k];
    for (int f = 0; f < CAIRN_FIELDS && status == CAIRN_OK; f++) {
        int kind = (int)cairn_field_get(f)->kind;
        size_t used = (size_t)s->held[f] * row_bytes(s, f), more = (size_t)rows->count[kind] * cairn_field_bytes(f);
        status = widen(s->context, &s->room[f], &s->room_bytes[f], used, used + more);
        if (status == CAIRN_OK && more > 0)
            memcpy(s->room[f] + used, rows->field[f], more);
        s->held[f] += is_table(f) ? rows->count[CAIRN_ROW_FRAME] : rows->count[kind];
    }
    for (int k = 0; k < CAIRN_ROW_FRAME_BODY; k++)
        s->waiting[k] += rows->count[k];
    if (status == CAIRN_OK && held_bytes(s) > WAIT_BYTES)
        status = write_held(s, false);
    if (status == CAIRN_OK && held_bytes(s) > MOST_BYTES)
        status = write_held(s, true);
    return status;
}

cairn_status cairn_store_flush(cairn_store *s) {
    cairn_status status = write_held(s, true);
    if (status == CAIRN_OK && !cairn_store_note(s))
        status = cairn_store_broken(s, "/", "cannot be written");
    return status;
}
