/*
 * hdf5_groups.c: the names of a group in the old format, looked at before libhdf5 follows them.
 *
 * libhdf5 1.10 follows addresses that are not in the file (an undefined one, 2^64 - 1, ends in
 * SIGSEGV or SIGABRT), and walks the free list of a local heap without counting until memory ends.
 * Nothing of this has a checksum. HDF5 File Format Specification, III.A.1 (tree), III.B (node),
 * III.D (heap).
 *
 *     tree        "TREE", type 0, level, entries n (2 bytes), 2 addresses;
 *                 then n times a key (a length) and the address of a child
 *     node        "SNOD", version 1, 0, entries n (2 bytes); then n entries
 *     entry       place of the name in the heap, address of the header, kind of cache (4), 4 more,
 *                 16 of cache: kind 1: addresses of tree and heap; kind 2: a soft link
 *     heap        "HEAP", version 0, 3 more, size of the data, place of the first free block, address of the data
 *     free block  place of the next one (1: none), size; inside the data
 *
 * Not checked: names, keys and their order; libhdf5 does that.
 */
#include "io/hdf5/hdf5_groups.h"

#include <string.h>

#define LEVELS_MAX 16
#define LIST_END   1

static const char not_whole[] = "damaged: its table of names leads out of the file";

uint64_t cairn_hdf5_number(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = count; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

bool cairn_hdf5_inside(const cairn_hdf5_place *p, uint64_t address, uint64_t size) {
    uint64_t all = p->h->bytes;
    return p->base <= all && address <= all - p->base && size <= all - p->base - address;
}

bool cairn_hdf5_bytes(const cairn_hdf5_place *p, uint64_t address, size_t size, unsigned char *bytes) {
    return cairn_hdf5_inside(p, address, size) && cairn_hdf5_read_at(p->h, p->base + address, size, bytes);
}

/* The numbers at the beginning of a block with this signature; false: it is not there. */
static bool head(const cairn_hdf5_place *p, uint64_t address, const char *signature, size_t size,
                 unsigned char *bytes) {
    return cairn_hdf5_bytes(p, address, size, bytes) && memcmp(bytes, signature, 4) == 0;
}

static const char *fault_of_heap(const cairn_hdf5_place *p, uint64_t address) {
    unsigned char h[8 + 3 * 8], link[8];
    if (!head(p, address, "HEAP", 8 + 2 * p->length + p->offset, h))
        return not_whole;
    uint64_t size = cairn_hdf5_number(h + 8, p->length), next = cairn_hdf5_number(h + 8 + p->length, p->length);
    uint64_t data = cairn_hdf5_number(h + 8 + 2 * p->length, p->offset), block = 2 * p->length;
    if (!cairn_hdf5_inside(p, data, size))
        return not_whole;
    /* A list that ends before it leads out of the data has at most size / block blocks. */
    for (uint64_t count = 0; next != LIST_END && size >= block && next <= size - block; count++) {
        if (count > size / block)
            return "damaged: the free list of a local heap runs in a circle";
        if (!cairn_hdf5_bytes(p, data + next, p->length, link))
            return not_whole;
        next = cairn_hdf5_number(link, p->length);
    }
    return NULL; /* a list that leads out is for libhdf5 to refuse */
}

static bool entry_fits(const cairn_hdf5_place *p, const unsigned char *entry) {
    uint64_t kind = cairn_hdf5_number(entry + 2 * p->offset, 4);
    const unsigned char *cache = entry + 2 * p->offset + 8;
    bool group = kind == 1, link = kind == 2; /* a soft link has no header */
    return (link || cairn_hdf5_inside(p, cairn_hdf5_number(entry + p->offset, p->offset), 1)) &&
           (!group || (cairn_hdf5_inside(p, cairn_hdf5_number(cache, p->offset), 1) &&
                       cairn_hdf5_inside(p, cairn_hdf5_number(cache + p->offset, p->offset), 1)));
}

static bool node_fits(const cairn_hdf5_place *p, uint64_t address) {
    unsigned char node[8], entry[2 * 8 + 24];
    size_t size = 2 * p->offset + 24;
    if (!head(p, address, "SNOD", sizeof node, node))
        return false;
    uint64_t entries = cairn_hdf5_number(node + 6, 2);
    for (uint64_t k = 0; k < entries; k++)
        if (!cairn_hdf5_bytes(p, address + sizeof node + k * size, size, entry) || !entry_fits(p, entry))
            return false;
    return true;
}

/* level: that the tree must have, -1: any. *left: nodes that may still be looked at; a file has
 * no room for more. */
static bool tree_fits(const cairn_hdf5_place *p, uint64_t address, int level, uint64_t *left) {
    unsigned char tree[8], child[8];
    if (*left == 0 || !head(p, address, "TREE", sizeof tree, tree) || tree[5] >= LEVELS_MAX ||
        (level >= 0 && tree[5] != level))
        return false;
    (*left)--;
    uint64_t entries = cairn_hdf5_number(tree + 6, 2), first = address + sizeof tree + 2 * p->offset + p->length;
    for (uint64_t k = 0; k < entries; k++) {
        if (!cairn_hdf5_bytes(p, first + k * (p->offset + p->length), p->offset, child))
            return false;
        uint64_t next = cairn_hdf5_number(child, p->offset);
        if (tree[5] > 0 ? !tree_fits(p, next, tree[5] - 1, left) : !node_fits(p, next))
            return false;
    }
    return true;
}

const char *cairn_hdf5_fault_of_group(const cairn_hdf5_place *p, uint64_t tree, uint64_t heap) {
    uint64_t left = p->h->bytes / 8;
    return tree_fits(p, tree, -1, &left) ? fault_of_heap(p, heap) : not_whole;
}
