/*
 * record_compress.h: chunks of a dataset as the HDF5 filters shuffle and deflate make them, at a
 * fraction of their cost.
 */
#ifndef CAIRN_IO_RECORD_RECORD_COMPRESS_H
#define CAIRN_IO_RECORD_RECORD_COMPRESS_H

#include "base/core.h"

#define CAIRN_PACK_PLANES 8 /* bytes of the widest number */

/* Tools and rooms of one packer; all zero but the context: none yet. */
typedef struct cairn_packer {
    cairn_context *context;
    void *stream;          /* of zlib */
    unsigned char *plane;  /* one byte of every number */
    unsigned char *packed; /* the chunk's stream */
    size_t plane_bytes, packed_bytes;
} cairn_packer;

/* Chunks for which a plane of a dataset is not tried again. */
typedef struct cairn_pack_memory {
    unsigned char rest[CAIRN_PACK_PLANES];
} cairn_pack_memory;

/* Packs count numbers of width bytes (1 to 8). The stream is in packer->packed, *size bytes,
 * until the next call. */
cairn_status cairn_pack_chunk(cairn_packer *packer, const void *numbers, size_t count, size_t width,
                              cairn_pack_memory *memory, size_t *size);
void cairn_packer_free(cairn_packer *packer);

#endif
