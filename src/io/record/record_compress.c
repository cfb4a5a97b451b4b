/*
 * record_compress.c: shuffle and deflate of one chunk.
 *
 * The filter shuffle puts byte j of every number into plane j; deflate then packs the planes, one
 * after the other, as a zlib stream (RFC 1950: two bytes of head, blocks, Adler-32). Recorded
 * doubles are full of digits: their sign and exponent pack well, six of the eight planes hardly at
 * all, and trying costs nearly all the time. So each plane is a run of blocks of its own: packed,
 * or, where packing saves less than a quarter, stored as it is (RFC 1951, 3.2.4). A plane that was
 * stored is stored for the next RETRY chunks of its dataset without a try; bodies that come to
 * rest, whose digits repeat from frame to frame, are found that much later. Any reader of HDF5
 * opens the result: it is what its own filters could have written.
 *
 * Not checked: numbers that are wider than 8 bytes (texts go through libhdf5).
 */
#include "io/record/record_compress.h"

#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum { RETRY = 15, LEVEL = 1, STORED_MOST = 65535, STORED_HEAD = 5 };

static void *zlib_alloc(void *context, unsigned items, unsigned size) {
    return cairn_alloc_raw(context, items, size);
}

static void zlib_free(void *context, void *memory) {
    cairn_free(context, memory);
}

static bool widen(cairn_context *context, unsigned char **room, size_t *bytes, size_t wanted) {
    if (wanted <= *bytes)
        return true;
    cairn_free(context, *room);
    *room = cairn_alloc_raw(context, wanted, 1);
    *bytes = *room != NULL ? wanted : 0;
    return *room != NULL;
}

static cairn_status prepare(cairn_packer *p, size_t count, size_t width) {
    size_t heads = (count / STORED_MOST + 1) * STORED_HEAD * width;
    if (!widen(p->context, &p->plane, &p->plane_bytes, count + 1) ||
        !widen(p->context, &p->packed, &p->packed_bytes, count * width + heads + count + 4096))
        return CAIRN_ERROR_MEMORY;
    if (p->stream != NULL)
        return CAIRN_OK;
    z_stream *z = cairn_alloc(p->context, 1, sizeof *z);
    if (z == NULL)
        return CAIRN_ERROR_MEMORY;
    *z = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = p->context};
    if (deflateInit2(z, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        cairn_free(p->context, z);
        return cairn_fail(p->context, CAIRN_ERROR_MEMORY, "recording: zlib cannot begin");
    }
    p->stream = z;
    return CAIRN_OK;
}

/* Plane j of the numbers. */
static void gather(const unsigned char *from, size_t count, size_t width, unsigned char *plane) {
    for (size_t i = 0; i < count; i++)
        plane[i] = from[i * width];
}

static size_t store(const unsigned char *plane, size_t count, unsigned char *out) {
    unsigned char *at = out;
    for (size_t done = 0; done < count;) {
        size_t piece = count - done < STORED_MOST ? count - done : STORED_MOST;
        *at++ = 0;
        *at++ = (unsigned char)(piece & 255U);
        *at++ = (unsigned char)(piece >> 8);
        *at++ = (unsigned char)(~piece & 255U);
        *at++ = (unsigned char)(~piece >> 8 & 255U);
        memcpy(at, plane + done, piece);
        at += piece;
        done += piece;
    }
    return (size_t)(at - out);
}

/* Blocks of the packed plane, ended at a whole byte; 0: packing saves too little. */
static size_t squeeze(z_stream *z, const unsigned char *plane, size_t count, unsigned char *out) {
    size_t room = count - count / 4;
    deflateReset(z);
    z->next_in = plane;
    z->avail_in = (unsigned)count;
    z->next_out = out;
    z->avail_out = (unsigned)room;
    bool whole = deflate(z, Z_SYNC_FLUSH) == Z_OK && z->avail_in == 0 && z->avail_out > 0;
    return whole ? room - z->avail_out : 0;
}

cairn_status cairn_pack_chunk(cairn_packer *p, const void *numbers, size_t count, size_t width,
                              cairn_pack_memory *memory, size_t *size) {
    static const unsigned char head[] = {0x78, 0x01}, last[] = {0x03, 0x00};
    cairn_status status = prepare(p, count, width);
    if (status != CAIRN_OK)
        return status;
    unsigned char *at = p->packed;
    uLong check = adler32(0, NULL, 0);
    memcpy(at, head, sizeof head);
    at += sizeof head;
    for (size_t j = 0; j < width; j++) {
        const unsigned char *plane = width == 1 ? numbers : p->plane;
        if (width > 1)
            gather((const unsigned char *)numbers + j, count, width, p->plane);
        check = adler32(check, plane, (unsigned)count);
        size_t packed = 0;
        if (memory->rest[j] > 0)
            memory->rest[j]--;
        else if ((packed = squeeze(p->stream, plane, count, at)) == 0)
            memory->rest[j] = RETRY;
        at += packed > 0 ? packed : store(plane, count, at);
    }
    memcpy(at, last, sizeof last); /* an empty block that is the last */
    at += sizeof last;
    for (int k = 24; k >= 0; k -= 8)
        *at++ = (unsigned char)(check >> k & 255U);
    *size = (size_t)(at - p->packed);
    return CAIRN_OK;
}

void cairn_packer_free(cairn_packer *p) {
    if (p->stream != NULL)
        deflateEnd(p->stream);
    cairn_free(p->context, p->stream);
    cairn_free(p->context, p->plane);
    cairn_free(p->context, p->packed);
    *p = (cairn_packer){.context = p->context};
}
