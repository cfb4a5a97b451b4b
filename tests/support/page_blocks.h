/*
 * page_blocks.h: the data of a replay page, unpacked by code that shares nothing with the writer (docs/viewer.md).
 */
#ifndef CAIRN_TEST_PAGE_BLOCKS_H
#define CAIRN_TEST_PAGE_BLOCKS_H

#include "test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

static inline char *read_page(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    CHECK(fread(text, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    return text;
}

/* The bytes of a block: seven bits a character, then inflate. NULL: there is none. */
static inline unsigned char *block(const char *page, const char *id, size_t *size) {
    char head[64];
    snprintf(head, sizeof head, "id=\"%s\">", id);
    const char *at = strstr(page, head);
    if (at == NULL)
        return NULL;
    at += strlen(head);
    size_t length = strcspn(at, "<"), packed = 0;
    unsigned char *bytes = calloc(length, 1), *out = calloc(1 << 20, 1);
    unsigned held = 0, bits = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned c = (unsigned char)at[i];
        CHECK(c != 0 && c != '\r' && (c < 0x80 || c == 0xC2));
        if (c == 0xC2) {
            unsigned which = (unsigned char)at[++i];
            CHECK(which >= 0x80 && which <= 0x82);
            c = which == 0x80 ? 0 : which == 0x81 ? '\r' : '<';
        }
        held |= c << bits;
        bits += 7;
        if (bits >= 8) {
            bytes[packed++] = (unsigned char)held;
            held >>= 8;
            bits -= 8;
        }
    }
    uLongf room = 1 << 20;
    CHECK(uncompress(out, &room, bytes, (uLong)packed) == Z_OK);
    free(bytes);
    *size = room;
    return out;
}

static inline int32_t plane_value(const unsigned char *x, size_t count, size_t i) {
    uint32_t folded = 0;
    for (size_t p = 0; p < 4; p++)
        folded |= (uint32_t)x[p * count + i] << 8 * p;
    return (int32_t)(folded >> 1) ^ -(int32_t)(folded & 1);
}

static inline double number_after(const char *page, const char *key) {
    const char *at = strstr(page, key);
    CHECK(at != NULL);
    return at != NULL ? strtod(at + strlen(key), NULL) : NAN;
}

#endif
