/*
 * hdf5_output.h: HDF5 files on a descriptor of ours (base/output.h) instead of a name.
 */
#ifndef CAIRN_IO_HDF5_HDF5_OUTPUT_H
#define CAIRN_IO_HDF5_HDF5_OUTPUT_H

#include "base/output.h"

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

/* Stays where it is while the file is open: the driver keeps its address. */
typedef struct cairn_hdf5_output {
    H5FD_t base;            /* first: libhdf5 sees this alone */
    haddr_t allocated, end; /* what libhdf5 uses of the file; what is there */
    int descriptor;         /* of a cairn_output, which outlives this */
    int error;              /* errno of the first write that failed; 0: none */
    hid_t driver, file;
} cairn_hdf5_output;

/* A new HDF5 file, or (existing) the one that the output holds already. Its id, also in h->file;
 * negative: it cannot be. Closed in any case. */
hid_t cairn_hdf5_output_open(cairn_hdf5_output *h, const cairn_output *output, bool existing);
/* Closes the file, after all that belongs to it. False: something of it was not written. */
bool cairn_hdf5_output_close(cairn_hdf5_output *h);

#endif
