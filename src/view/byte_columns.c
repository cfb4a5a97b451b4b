/*
 * byte_columns.c: growing buffers, columns of integers, deflate (zlib, RFC 1950), and bytes as text
 * of seven bits a character.
 */
#include "view/byte_columns.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

unsigned char *cairn_bytes_room(cairn_bytes *b, size_t size) {
    if (b->failed)
        return NULL;
    if (size > b->capacity - b->size) {
        size_t wanted = b->size + size, room = wanted + wanted / 2 + 256;
        unsigned char *larger = wanted < size ? NULL : cairn_alloc_raw(b->context, room, 1);
        if (larger == NULL) {
            b->failed = true;
            return NULL;
        }
        if (b->size > 0)
            memcpy(larger, b->data, b->size);
        cairn_free(b->context, b->data);
        b->data = larger;
        b->capacity = room;
    }
    unsigned char *at = b->data + b->size;
    b->size += size;
    return at;
}

void cairn_bytes_add(cairn_bytes *b, const void *data, size_t size) {
    unsigned char *at = cairn_bytes_room(b, size);
    if (at != NULL && size > 0)
        memcpy(at, data, size);
}

void cairn_bytes_text(cairn_bytes *b, const char *text) {
    cairn_bytes_add(b, text, strlen(text));
}

void cairn_bytes_print(cairn_bytes *b, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CAIRN_ASSERT(length >= 0 && length < (int)sizeof text);
    cairn_bytes_add(b, text, (size_t)length);
}

void cairn_bytes_free(cairn_bytes *b) {
    cairn_free(b->context, b->data);
    *b = (cairn_bytes){.context = b->context};
}

/* Length of the UTF-8 sequence at s, 0 when it is not valid. */
static int sequence(const unsigned char *s) {
    int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

void cairn_bytes_json(cairn_bytes *b, const char *text) {
    cairn_bytes_text(b, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
        int length = sequence(s);
        if (length == 0)
            cairn_bytes_text(b, "\\ufffd");
        else if (length == 1 && (*s < 0x20 || *s == '"' || *s == '\\' || *s == '<' || *s == '>' || *s == 0x7F))
            cairn_bytes_print(b, "\\u%04x", *s);
        else
            cairn_bytes_add(b, s, (size_t)length);
        s += length == 0 ? 1 : length;
    }
    cairn_bytes_text(b, "\"");
}

void cairn_bytes_real(cairn_bytes *b, double x, int digits) {
    if (isfinite(x))
        cairn_bytes_print(b, "%.*g", digits, x);
    else
        cairn_bytes_text(b, "null");
}

void cairn_bytes_planes(cairn_bytes *b, size_t count, const int32_t *x) {
    unsigned char *at = cairn_bytes_room(b, 4 * count);
    for (size_t i = 0; at != NULL && i < count; i++) {
        uint32_t folded = (uint32_t)x[i] << 1;
        folded = x[i] < 0 ? ~folded : folded;
        for (size_t plane = 0; plane < 4; plane++)
            at[plane * count + i] = (unsigned char)(folded >> 8 * plane);
    }
}

static void *zlib_alloc(void *context, unsigned count, unsigned size) {
    return cairn_alloc_raw(context, count, size);
}

static void zlib_free(void *context, void *memory) {
    cairn_free(context, memory);
}

/* The deflated bytes of from, into packed. Differences are mostly noise: short matches are not
 * worth it (Z_FILTERED: smaller, and sooner done than by the default). */
static void deflate_bytes(cairn_bytes *packed, const cairn_bytes *from) {
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = packed->context};
    if (from->failed || deflateInit2(&stream, 7, Z_DEFLATED, 15, 9, Z_FILTERED) != Z_OK) {
        packed->failed = true;
        return;
    }
    static const unsigned char nothing[1];
    enum { PIECE = 1 << 20 };
    size_t done = 0;
    int ended = Z_OK;
    stream.next_in = from->size > 0 ? from->data : nothing;
    while (ended == Z_OK) {
        if (stream.avail_in == 0 && done < from->size) {
            size_t piece = from->size - done < PIECE ? from->size - done : PIECE;
            stream.next_in = from->data + done;
            stream.avail_in = (unsigned)piece;
            done += piece;
        }
        unsigned char *at = cairn_bytes_room(packed, PIECE / 4);
        if (at == NULL)
            break;
        stream.next_out = at;
        stream.avail_out = PIECE / 4;
        ended = deflate(&stream, done == from->size ? Z_FINISH : Z_NO_FLUSH);
        packed->size -= stream.avail_out;
    }
    packed->failed = packed->failed || ended != Z_STREAM_END;
    deflateEnd(&stream);
}

/* Bits in order, the lowest of the first byte first, seven to a character. The three characters
 * that HTML changes or that could end a script element, NUL, CR and <, are written as U+0080,
 * U+0081, U+0082: two bytes of UTF-8, one unit of a script's string. */
static void add_text(cairn_bytes *b, size_t size, const unsigned char *x) {
    size_t characters = (8 * size + 6) / 7;
    unsigned char *begin = cairn_bytes_room(b, 2 * characters), *at = begin;
    unsigned held = 0, bits = 0;
    size_t next = 0;
    for (size_t i = 0; at != NULL && i < characters; i++) {
        if (bits < 7 && next < size) {
            held |= (unsigned)x[next++] << bits;
            bits += 8;
        }
        unsigned c = held & 127U;
        held >>= 7;
        bits = bits > 7 ? bits - 7 : 0;
        if (c == 0 || c == '\r' || c == '<') {
            *at++ = 0xC2;
            *at++ = (unsigned char)(c == 0 ? 0x80 : c == '\r' ? 0x81 : 0x82);
        } else
            *at++ = (unsigned char)c;
    }
    if (at != NULL)
        b->size -= 2 * characters - (size_t)(at - begin);
}

void cairn_bytes_deflate(cairn_bytes *b, const cairn_bytes *from) {
    cairn_bytes packed = {.context = b->context};
    deflate_bytes(&packed, from);
    b->failed = b->failed || packed.failed;
    add_text(b, packed.size, packed.data);
    cairn_bytes_free(&packed);
}

int32_t cairn_quantise(double x, double quantum) {
    const double most = 1 << 29;
    double steps = x / quantum;
    return isnan(steps) ? 0 : (int32_t)lrint(fmax(-most, fmin(most, steps)));
}

int32_t cairn_quantise_log(double x, double least) {
    int32_t size = cairn_quantise(64.0 * log2(1.0 + fabs(x) / least), 1.0);
    return x < 0.0 ? -size : size;
}
