/*
 * hdf5_layout.c: the layout of a dataset, looked at before libhdf5 opens it.
 *
 * libhdf5 divides by the sides of a chunk without looking whether they are zero, and the program ends with SIGFPE. Headers of version 1 have no checksum, so one damaged byte is enough; those of
 * version 2 have one, and libhdf5 checks it. HDF5 File Format Specification, IV.A.1.a (header), IV.A.2.i (layout), IV.A.2.q (continuation).
 *
 *     header:        version 1, 0, messages (2 bytes), references (4), bytes of the first block (4), 4 more; then the block
 *     message:       type (2), bytes (2), flags (1), 3 more; then its data
 *     layout:        version 3: class (2: chunks), dimensions d, address, d sides of 4 bytes; versions 1 and 2: d, class, 5 more, address, the same
 *     continuation:  address and length of a further block
 *
 * Not checked: anything else about the dataset.
 */
#include "hdf5_util.h"

#define BLOCK_MAX  65536
#define BLOCKS_MAX 64
#define LAYOUT     8
#define CONTINUED  16
#define CHUNKS     2

/* A place in the file, and how its numbers are written. */
typedef struct walk {
    const cairn_hdf5 *h;
    uint64_t base;         /* where the file begins: behind a user block */
    size_t offset, length; /* bytes of an address and of a length */
    uint64_t at[BLOCKS_MAX], bytes[BLOCKS_MAX];
    int blocks;
} walk;

static uint64_t number(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = count; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

static bool layout_fits(const walk *w, const unsigned char *data, size_t size) {
    if (size < 3 || data[0] > 3)
        return true; /* libhdf5 refuses it, or it is of a later version */
    bool third = data[0] == 3;
    size_t sides = third ? data[2] : data[1], at = (third ? 3 : 8) + w->offset;
    if (data[third ? 1 : 2] != CHUNKS)
        return true;
    for (size_t k = 0; k < sides; k++)
        if (at + 4 * k + 4 > size || number(data + at + 4 * k, 4) == 0)
            return false;
    return true;
}

/* All messages of a block. */
static bool block_fits(walk *w, const unsigned char *block, size_t size) {
    for (size_t at = 0; at + 8 <= size;) {
        size_t type = (size_t)number(block + at, 2), bytes = (size_t)number(block + at + 2, 2);
        const unsigned char *data = block + at + 8;
        if (bytes > size - at - 8)
            return true; /* libhdf5 says so itself */
        if (type == LAYOUT && !layout_fits(w, data, bytes))
            return false;
        if (type == CONTINUED && bytes >= w->offset + w->length && w->blocks < BLOCKS_MAX) {
            w->at[w->blocks] = number(data, w->offset);
            w->bytes[w->blocks++] = number(data + w->offset, w->length);
        }
        at += 8 + bytes;
    }
    return true;
}

static bool header_fits(walk *w, uint64_t address) {
    unsigned char head[16], block[BLOCK_MAX];
    if (!cairn_hdf5_read_at(w->h, w->base + address, sizeof head, head) || head[0] != 1)
        return true;
    w->at[w->blocks] = address + sizeof head;
    w->bytes[w->blocks++] = number(head + 8, 4);
    for (int k = 0; k < w->blocks; k++) {
        size_t size = w->bytes[k] < BLOCK_MAX ? (size_t)w->bytes[k] : BLOCK_MAX;
        if (cairn_hdf5_read_at(w->h, w->base + w->at[k], size, block) && !block_fits(w, block, size))
            return false;
    }
    return true;
}

cairn_status cairn_hdf5_check_layout(const cairn_hdf5 *h, const char *path) {
    hsize_t user_block = 0;
    size_t offset = 0, length = 0;
    hid_t creation = H5Fget_create_plist(h->file);
    bool known = creation >= 0 && H5Pget_userblock(creation, &user_block) >= 0 &&
                 H5Pget_sizes(creation, &offset, &length) >= 0;
    if (creation >= 0)
        H5Pclose(creation);
#if H5_VERSION_GE(1, 12, 0)
    H5L_info1_t link;
    bool hard = H5Lget_info1(h->file, path, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
#else
    H5L_info_t link;
    bool hard = H5Lget_info(h->file, path, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
#endif
    if (!known || !hard)
        return CAIRN_OK;
    walk w = {.h = h, .base = user_block, .offset = offset, .length = length};
    if (header_fits(&w, (uint64_t)link.u.address))
        return CAIRN_OK;
    return cairn_hdf5_bad(h, path, "damaged: a chunk of it has a side of 0 entries, or no sides");
}
