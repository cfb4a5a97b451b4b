/*
 * hdf5_layout.c: the header of a dataset or group, looked at before libhdf5 opens it.
 *
 * libhdf5 divides by the sides of a chunk without looking whether they are zero, and the program
 * ends with SIGFPE; what it does with a group is in hdf5_groups.c. Headers of version 1 have no
 * checksum, so one damaged byte is enough; those of version 2 have one, and libhdf5 checks it. HDF5
 * File Format Specification, II (superblock), IV.A.1.a (header), IV.A.2.i (layout), IV.A.2.q
 * (continuation), IV.A.2.r (symbol table).
 *
 *     header:        version 1, 0, messages (2 bytes), references (4), bytes of the first
 *                    block (4), 4 more; then the block
 *     message:       type (2), bytes (2), flags (1), 3 more; then its data
 *     layout:        version 3: class (2: chunks), dimensions d, address, d sides of 4 bytes;
 *                    versions 1 and 2: d, class, 5 more, address, the same
 *     continuation:  address and length of a further block
 *     symbol table:  addresses of the tree and of the heap
 *
 * Not checked: anything else about the object.
 */
#include "io/hdf5/hdf5_groups.h"

#define BLOCK_MAX  65536
#define BLOCKS_MAX 64
#define LAYOUT     8
#define CONTINUED  16
#define SYMBOLS    17
#define CHUNKS     2

/* A header's blocks. */
typedef struct walk {
    cairn_hdf5_place place;
    uint64_t at[BLOCKS_MAX], bytes[BLOCKS_MAX];
    int blocks;
} walk;

static const char *fault_of_layout(const walk *w, const unsigned char *data, size_t size) {
    if (size < 3 || data[0] > 3)
        return NULL; /* libhdf5 refuses it, or it is of a later version */
    bool third = data[0] == 3;
    size_t sides = third ? data[2] : data[1], at = (third ? 3 : 8) + w->place.offset;
    if (data[third ? 1 : 2] != CHUNKS)
        return NULL;
    for (size_t k = 0; k < sides; k++)
        if (at + 4 * k + 4 > size || cairn_hdf5_number(data + at + 4 * k, 4) == 0)
            return "damaged: a chunk of it has a side of 0 entries, or no sides";
    return NULL;
}

/* All messages of a block. */
static const char *fault_of_block(walk *w, const unsigned char *block, size_t size) {
    size_t offset = w->place.offset;
    const char *fault = NULL;
    for (size_t at = 0; at + 8 <= size && fault == NULL;) {
        size_t type = (size_t)cairn_hdf5_number(block + at, 2), bytes = (size_t)cairn_hdf5_number(block + at + 2, 2);
        const unsigned char *data = block + at + 8;
        if (bytes > size - at - 8)
            return NULL; /* libhdf5 says so itself */
        if (type == LAYOUT)
            fault = fault_of_layout(w, data, bytes);
        if (type == SYMBOLS && bytes >= 2 * offset)
            fault = cairn_hdf5_fault_of_group(&w->place, cairn_hdf5_number(data, offset),
                                              cairn_hdf5_number(data + offset, offset));
        if (type == CONTINUED && bytes >= offset + w->place.length && w->blocks < BLOCKS_MAX) {
            w->at[w->blocks] = cairn_hdf5_number(data, offset);
            w->bytes[w->blocks++] = cairn_hdf5_number(data + offset, w->place.length);
        }
        at += 8 + bytes;
    }
    return fault;
}

static const char *fault_of_header(walk *w, uint64_t address) {
    unsigned char head[16], block[BLOCK_MAX];
    const char *fault = NULL;
    if (!cairn_hdf5_bytes(&w->place, address, sizeof head, head) || head[0] != 1)
        return NULL;
    w->at[w->blocks] = address + sizeof head;
    w->bytes[w->blocks++] = cairn_hdf5_number(head + 8, 4);
    for (int k = 0; k < w->blocks && fault == NULL; k++) {
        size_t size = w->bytes[k] < BLOCK_MAX ? (size_t)w->bytes[k] : BLOCK_MAX;
        if (cairn_hdf5_bytes(&w->place, w->at[k], size, block))
            fault = fault_of_block(w, block, size);
        else
            fault = "damaged: its header leads out of the file";
    }
    return fault;
}

/* Where the file begins, its sizes, and the address of the root group's header: in the
 * superblock, behind 4 addresses and the place of its name (versions 0 and 1), or behind 3
 * addresses. libhdf5 need not have opened the file. */
static bool find_root(cairn_hdf5_place *p, uint64_t *address) {
    unsigned char head[16], number[8];
    uint64_t at = 0;
    while (cairn_hdf5_read_at(p->h, at, sizeof head, head) && cairn_hdf5_signature(head, sizeof head) != 0)
        at = at == 0 ? 512 : 2 * at;
    p->base = at;
    if (!cairn_hdf5_bytes(p, 0, sizeof head, head))
        return false;
    bool old = head[8] < 2;
    p->offset = head[old ? 13 : 9];
    p->length = head[old ? 14 : 10];
    size_t before = old ? (head[8] == 0 ? 24 : 28) + 5 * p->offset : 12 + 3 * p->offset;
    if (p->offset > 8 || p->length > 8 || !cairn_hdf5_bytes(p, before, p->offset, number))
        return false;
    *address = cairn_hdf5_number(number, p->offset);
    return true;
}

/* Any other object: where the link to it leads. The groups before it have been looked at. */
static bool find_linked(const cairn_hdf5 *h, const char *path, uint64_t *address) {
#if H5_VERSION_GE(1, 12, 0)
    H5L_info1_t link;
    bool hard = H5Lget_info1(h->file, path, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
#else
    H5L_info_t link;
    bool hard = H5Lget_info(h->file, path, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
#endif
    *address = hard ? (uint64_t)link.u.address : 0;
    return hard;
}

cairn_status cairn_hdf5_check_layout(const cairn_hdf5 *h, const char *path) {
    uint64_t address = 0;
    walk w = {.place = {.h = h}};
    if (!find_root(&w.place, &address) || (path[1] != '\0' && !find_linked(h, path, &address)))
        return CAIRN_OK;
    const char *fault = fault_of_header(&w, address);
    return fault == NULL ? CAIRN_OK : cairn_hdf5_bad(h, path, "%s", fault);
}
