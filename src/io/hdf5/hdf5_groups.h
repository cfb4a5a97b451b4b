/*
 * hdf5_groups.h: an HDF5 file as bytes, for what must be looked at before libhdf5 does.
 */
#ifndef CAIRN_IO_HDF5_HDF5_GROUPS_H
#define CAIRN_IO_HDF5_HDF5_GROUPS_H

#include "io/hdf5/hdf5_util.h"

/* Where the file's addresses count from, and how it writes numbers. */
typedef struct cairn_hdf5_place {
    const cairn_hdf5 *h;
    uint64_t base;         /* behind a user block */
    size_t offset, length; /* bytes of an address and of a length, 4 or 8 */
} cairn_hdf5_place;

/* A little-endian number of so many bytes. */
uint64_t cairn_hdf5_number(const unsigned char *bytes, size_t count);
bool cairn_hdf5_inside(const cairn_hdf5_place *p, uint64_t address, uint64_t size);
/* Bytes at an address; false: they are not in the file. */
bool cairn_hdf5_bytes(const cairn_hdf5_place *p, uint64_t address, size_t size, unsigned char *bytes);
/* What is wrong with the tree and the heap of a group; NULL: nothing that libhdf5 cannot see. */
const char *cairn_hdf5_fault_of_group(const cairn_hdf5_place *p, uint64_t tree, uint64_t heap);

#endif
