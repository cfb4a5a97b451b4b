/*
 * hdf5_free_list.c: the free lists of HDF5's local heaps, looked at before libhdf5 follows them.
 *
 * libhdf5 1.10 walks the list of free blocks of a local heap without counting: a damaged file whose list runs in a circle
 * makes it take memory until there is none. So every local heap of the file is found by its signature and walked here:
 *
 *     heap        "HEAP", u8 version 0, 3 bytes, u64 size of the data, u64 first free block, u64 address of the data
 *     free block  u64 offset of the next one (1: none), u64 size; inside the data
 *
 * Little-endian, 8-byte offsets: all that old files of this kind have. A list longer than the data has room for is
 * a circle. Bytes that only look like a heap are harmless: they are refused only if they hold such a circle.
 */
#define _POSIX_C_SOURCE 200809L

#include "hdf5_util.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAP_BYTES      32
#define BLOCK_BYTES     16
#define LIST_END        1
#define LIST_NONE       UINT64_MAX
#define SIGNATURE_LIMIT 8200 /* bytes in which the signature is looked for */

static uint64_t number_at(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Does the free list of the heap at this place run in a circle? base: where the file's addresses count from. */
static bool runs_in_circle(const unsigned char *bytes, uint64_t size, uint64_t base, const unsigned char *heap) {
    uint64_t length = number_at(heap + 8), next = number_at(heap + 16), data = number_at(heap + 24);
    if (data > size || base > size - data || length > size - base - data)
        return false; /* libhdf5 sees that by itself */
    const unsigned char *segment = bytes + base + data;
    for (uint64_t count = 0; next != LIST_END && next != LIST_NONE; count++) {
        if (length < BLOCK_BYTES || next > length - BLOCK_BYTES)
            return false;
        if (count > length / BLOCK_BYTES)
            return true;
        next = number_at(segment + next);
    }
    return false;
}

static bool any_circle(const unsigned char *bytes, uint64_t size) {
    if (size < HEAP_BYTES)
        return false;
    int64_t superblock = cairn_hdf5_signature(bytes, size < SIGNATURE_LIMIT ? (size_t)size : SIGNATURE_LIMIT);
    uint64_t base = superblock > 0 ? (uint64_t)superblock : 0;
    const unsigned char *at = bytes, *last = bytes + (size - HEAP_BYTES);
    while (at <= last && (at = memchr(at, 'H', (size_t)(last - at) + 1)) != NULL) {
        if (memcmp(at, "HEAP\0", 5) == 0 && runs_in_circle(bytes, size, base, at))
            return true;
        at++;
    }
    return false;
}

cairn_status cairn_hdf5_check_free_lists(const cairn_hdf5 *h) {
    const unsigned char *bytes = h->image;
    void *mapped = MAP_FAILED;
    if (bytes == NULL && h->bytes > 0) {
        int file = open(h->name, O_RDONLY);
        if (file >= 0) {
            mapped = mmap(NULL, (size_t)h->bytes, PROT_READ, MAP_PRIVATE, file, 0);
            close(file);
        }
        if (mapped == MAP_FAILED)
            return cairn_fail(h->context, CAIRN_ERROR_IO, "%s: cannot be mapped into memory", h->name);
        bytes = mapped;
    }
    bool circle = bytes != NULL && any_circle(bytes, h->bytes);
    if (mapped != MAP_FAILED)
        munmap(mapped, (size_t)h->bytes);
    if (circle)
        return cairn_fail(h->context, CAIRN_ERROR_PARSE, "%s: damaged: the free list of a local heap runs in a circle",
                          h->name);
    return CAIRN_OK;
}
