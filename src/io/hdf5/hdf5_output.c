/*
 * hdf5_output.c: a file driver of libhdf5 that can fail without harm.
 *
 * When a write fails, libhdf5 cannot close the file any more: it keeps what it could not write,
 * tries again when the program exits, and crashes in its exit handler. This driver therefore tells
 * libhdf5 of the first failed write alone, so that the work ends; from then on it drops what is
 * written and says that all is well. What went wrong is kept for the caller, who drops the file.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/hdf5/hdf5_output.h"
#include "io/hdf5/hdf5_util.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most) {
    (void)name;
    (void)most;
    cairn_hdf5_output *const *given = H5Pget_driver_info(access);
    struct stat st;
    if (given == NULL || fstat((*given)->descriptor, &st) != 0)
        return NULL;
    (*given)->end = (flags & H5F_ACC_TRUNC) != 0 ? 0 : (haddr_t)st.st_size;
    return &(*given)->base;
}

static herr_t driver_close(H5FD_t *file) {
    (void)file; /* the descriptor is not ours */
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags) {
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const cairn_hdf5_output *)file)->allocated;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((cairn_hdf5_output *)file)->allocated = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type) {
    (void)type;
    return ((const cairn_hdf5_output *)file)->end;
}

/* Beyond the end of the file are zeros. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *bytes) {
    const cairn_hdf5_output *f = (const cairn_hdf5_output *)file;
    char *at = bytes;
    (void)type;
    (void)transfer;
    while (size > 0) {
        ssize_t got = pread(f->descriptor, at, size, (off_t)address);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0) {
            memset(at, 0, size);
            return 0;
        }
        at += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *bytes) {
    cairn_hdf5_output *f = (cairn_hdf5_output *)file;
    const char *at = bytes;
    (void)type;
    (void)transfer;
    while (size > 0 && f->error == 0) {
        ssize_t done = pwrite(f->descriptor, at, size, (off_t)address);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            f->error = done < 0 ? errno : EIO;
            return -1;
        }
        at += done;
        address += (haddr_t)done;
        size -= (size_t)done;
    }
    if (address + size > f->end)
        f->end = address + size;
    return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
    cairn_hdf5_output *f = (cairn_hdf5_output *)file;
    (void)transfer;
    (void)closing;
    if (f->error == 0 && f->allocated != f->end && ftruncate(f->descriptor, (off_t)f->allocated) != 0)
        f->error = errno;
    f->end = f->allocated;
    return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)512, /* from here on they are free for everybody */
#endif
    .name = "cairn",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(cairn_hdf5_output *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t cairn_hdf5_output_open(cairn_hdf5_output *h, const cairn_output *output, bool existing) {
    *h = (cairn_hdf5_output){
        .descriptor = cairn_output_descriptor(output), .driver = H5FDregister(&driver_class), .file = H5I_INVALID_HID};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (cairn_hdf5_has_room() && h->driver >= 0 && access >= 0 && H5Pset_driver(access, h->driver, &h) >= 0)
        h->file = existing ? H5Fopen("cairn", H5F_ACC_RDWR, access)
                           : H5Fcreate("cairn", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0)
        H5Pclose(access);
    return h->file;
}

bool cairn_hdf5_output_close(cairn_hdf5_output *h) {
    bool good = h->file >= 0;
    if (h->file >= 0) {
        good = H5Fflush(h->file, H5F_SCOPE_GLOBAL) >= 0;
        good = H5Fclose(h->file) >= 0 && good;
    }
    if (h->driver >= 0)
        H5FDunregister(h->driver);
    h->file = h->driver = H5I_INVALID_HID;
    return good && h->error == 0;
}
