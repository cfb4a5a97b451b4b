/*
 * byte_columns.h: numbers on their way into the replay page: growing buffers, columns of integers,
 * deflate, text.
 */
#ifndef CAIRN_VIEW_BYTE_COLUMNS_H
#define CAIRN_VIEW_BYTE_COLUMNS_H

#include "base/core.h"

/* Bytes that grow. After the first failure nothing more is added, and failed says so. */
typedef struct cairn_bytes {
    cairn_context *context;
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} cairn_bytes;

void cairn_bytes_add(cairn_bytes *bytes, const void *data, size_t size);
void cairn_bytes_text(cairn_bytes *bytes, const char *text);
void cairn_bytes_print(cairn_bytes *bytes, const char *format, ...) CAIRN_PRINTF(2, 3);
/* Room for size more bytes at the end, not filled; NULL: no memory. */
unsigned char *cairn_bytes_room(cairn_bytes *bytes, size_t size);
void cairn_bytes_free(cairn_bytes *bytes);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, "<" is escaped: no text
 * can end a script element. */
void cairn_bytes_json(cairn_bytes *bytes, const char *text);
/* A JSON number, null when it is not finite. digits significant ones; 17 keep the bits. */
void cairn_bytes_real(cairn_bytes *bytes, double x, int digits);

/* count integers as four planes of bytes: the lowest byte of each, the next, ... Signs are
 * folded first (0, -1, 1, -2 ... become 0, 1, 2, 3 ...), so that numbers near 0 leave the upper
 * planes empty. */
void cairn_bytes_planes(cairn_bytes *bytes, size_t count, const int32_t *x);

/* Appends the deflated (zlib) bytes of from as text that can stand in a script element: seven
 * bits a character (docs/viewer.md). */
void cairn_bytes_deflate(cairn_bytes *bytes, const cairn_bytes *from);

/* x in units of quantum, to the nearest; limited to what 30 bits hold; 0 when x is not a number. */
int32_t cairn_quantise(double x, double quantum);
/* A number of any size in few bits: sign(x) round(64 log2(1 + |x|/least)), so steps of 1 %, and
 * of 1 % of least below it. */
int32_t cairn_quantise_log(double x, double least);

#endif
