/*
 * hdf5_heap.c: variable-length strings, read from HDF5's global heap without libhdf5.
 *
 * libhdf5 1.10 looks up a heap object by the number that the file gives without comparing it with
 * the number of objects: a damaged file makes it read wild memory. So the few structures are walked
 * here, inside the bytes of the file:
 *
 *     dataset      u32 length, u64 address of the collection, u32 number of the object
 *     collection   "GCOL", u8 version 1, 3 bytes, u64 size of all; then objects
 *     object       u16 number, u16 references, 4 bytes, u64 size, the data padded to 8 bytes; number 0 ends the list
 *
 * All little-endian. Only contiguous datasets in files with 8-byte offsets are read so.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/hdf5/hdf5_util.h"

#include <stdio.h>
#include <string.h>

#define REFERENCE_BYTES  16
#define COLLECTION_HEAD  16
#define COLLECTION_BYTES ((uint64_t)4 << 20) /* the largest collection looked at */

static uint64_t little_endian(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

bool cairn_hdf5_read_at(const cairn_hdf5 *h, uint64_t offset, size_t size, unsigned char *bytes) {
    if (offset > h->bytes || size > h->bytes - offset)
        return false;
    if (h->image != NULL) {
        memcpy(bytes, h->image + offset, size);
        return true;
    }
    FILE *stream = fopen(h->name, "rb");
    bool done = stream != NULL && fseeko(stream, (off_t)offset, SEEK_SET) == 0 && fread(bytes, 1, size, stream) == size;
    if (stream != NULL)
        fclose(stream);
    return done;
}

/* Where the object's data starts in the collection; 0 when it is not there or shorter than
 * length. */
static size_t find_object(const unsigned char *collection, size_t size, uint64_t number, uint64_t length) {
    size_t at = COLLECTION_HEAD;
    while (size - at >= COLLECTION_HEAD) {
        uint64_t found = little_endian(collection + at, 2), bytes = little_endian(collection + at + 8, 8);
        size_t left = size - at - COLLECTION_HEAD;
        if (found == 0 || bytes > left)
            return 0;
        if (found == number)
            return bytes >= length ? at + COLLECTION_HEAD : 0;
        size_t padded = ((size_t)bytes + 7) / 8 * 8;
        if (padded > left)
            return 0;
        at += COLLECTION_HEAD + padded;
    }
    return 0;
}

static cairn_status read_object(const cairn_hdf5 *h, const char *path, uint64_t address, uint64_t number,
                                uint64_t length, char **text) {
    unsigned char head[COLLECTION_HEAD];
    bool fits = cairn_hdf5_read_at(h, address, sizeof head, head) && memcmp(head, "GCOL\1", 5) == 0;
    uint64_t size = fits ? little_endian(head + 8, 8) : 0;
    if (size < COLLECTION_HEAD || size > COLLECTION_BYTES || size > h->bytes)
        return cairn_hdf5_bad(h, path, "damaged: its string is not in the global heap");
    unsigned char *collection = cairn_alloc(h->context, (size_t)size, 1);
    char *copy = collection != NULL ? cairn_alloc(h->context, (size_t)length + 1, 1) : NULL;
    cairn_status status = copy != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        size_t at = cairn_hdf5_read_at(h, address, (size_t)size, collection)
                        ? find_object(collection, (size_t)size, number, length)
                        : 0;
        if (at > 0)
            memcpy(copy, collection + at, (size_t)length);
        else
            status = cairn_hdf5_bad(h, path, "damaged: its string is not in the global heap");
    }
    cairn_free(h->context, collection);
    if (status == CAIRN_OK)
        *text = copy;
    else
        cairn_free(h->context, copy);
    return status;
}

cairn_status cairn_hdf5_read_heap_string(const cairn_hdf5 *h, const char *path, hid_t id, char **text) {
    unsigned char reference[REFERENCE_BYTES];
    hid_t creation = H5Fget_create_plist(h->file);
    hsize_t user_block = 0;
    size_t offset_size = 0, length_size = 0;
    bool known = creation >= 0 && H5Pget_userblock(creation, &user_block) >= 0 &&
                 H5Pget_sizes(creation, &offset_size, &length_size) >= 0;
    if (creation >= 0)
        H5Pclose(creation);
    haddr_t offset = H5Dget_offset(id);
    if (!known || offset_size != 8 || length_size != 8 || offset == HADDR_UNDEF)
        return cairn_hdf5_bad(h, path, "a variable-length string that is not contiguous, expected a fixed length");
    if (!cairn_hdf5_read_at(h, offset, sizeof reference, reference))
        return cairn_hdf5_bad(h, path, "damaged: its string is not in the file");
    uint64_t length = little_endian(reference, 4), address = little_endian(reference + 4, 8);
    if (length >= CAIRN_HDF5_STRING_MAX)
        return cairn_hdf5_bad(h, path, "a string of %llu bytes, expected less than %zu", (unsigned long long)length,
                              CAIRN_HDF5_STRING_MAX);
    if (length > 0)
        return read_object(h, path, address > h->bytes ? h->bytes : address + user_block,
                           little_endian(reference + 12, 4), length, text);
    *text = cairn_alloc(h->context, 1, 1);
    return *text != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}
