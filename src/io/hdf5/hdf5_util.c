/*
 * hdf5_util.c: opening HDF5 files and finding objects in them, with every failure turned into one
 * sentence.
 *
 * The superblock is looked at before libhdf5 sees the file: version, sizes of offsets, and the end
 * of file it states. What it does not check: the inner structure (object headers, trees, heaps) is
 * left to libhdf5. Callers hold libhdf5's automatic error printing off (H5E_BEGIN_TRY).
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "io/hdf5/hdf5_util.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define CACHE_ROOM (4u << 20)

#define SIGNATURE_BYTES  8
#define ROOT_NAMES       8  /* names listed in a message */
#define SUPERBLOCK_BYTES 64 /* as much of a superblock as is looked at */

static const unsigned char signature[SIGNATURE_BYTES] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

int64_t cairn_hdf5_signature(const unsigned char *bytes, size_t size) {
    size_t at = 0;
    while (size >= SIGNATURE_BYTES && at <= size - SIGNATURE_BYTES) {
        if (memcmp(bytes + at, signature, SIGNATURE_BYTES) == 0)
            return (int64_t)at;
        at = at == 0 ? 512 : 2 * at;
    }
    return -1;
}

static uint64_t little_endian(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* Versions 0 and 1: sizes at 13 and 14, addresses from 24 or 28. Versions 2 and 3: sizes at 9
 * and 10, addresses from 12. The end of file is the third address, counted from where the file
 * starts. */
cairn_status cairn_hdf5_check_superblock(cairn_context *context, const char *name, const unsigned char *superblock,
                                         size_t size, uint64_t *file_bytes) {
    int version = size > SIGNATURE_BYTES ? superblock[SIGNATURE_BYTES] : 0;
    if (size < 16)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: truncated: the HDF5 superblock is cut off", name);
    if (version > 3)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: HDF5 superblock version %d, expected 0 to 3", name, version);
    int offset_size = superblock[version < 2 ? 13 : 9], length_size = superblock[version < 2 ? 14 : 10];
    if ((offset_size != 8 && offset_size != 4) || (length_size != 8 && length_size != 4))
        return cairn_fail(context, CAIRN_ERROR_PARSE,
                          "%s: HDF5 superblock with offsets of %d bytes and lengths of %d bytes, expected 4 or 8", name,
                          offset_size, length_size);
    size_t end_at = (size_t)(version == 0 ? 24 : version == 1 ? 28 : 12) + 2 * (size_t)offset_size;
    if (size < end_at + (size_t)offset_size)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: truncated: the HDF5 superblock is cut off", name);
    uint64_t end = little_endian(superblock + end_at, offset_size);
    if (end > *file_bytes)
        return cairn_fail(context, CAIRN_ERROR_PARSE,
                          "%s: truncated: %" PRIu64 " bytes, expected %" PRIu64 " by the HDF5 superblock", name,
                          *file_bytes, end);
    *file_bytes = end;
    return CAIRN_OK;
}

cairn_status cairn_hdf5_probe(cairn_context *context, const char *path, FILE *stream, uint64_t *bytes, bool *hdf5) {
    unsigned char head[CAIRN_HDF5_USER_BLOCK + SUPERBLOCK_BYTES];
    size_t size = fread(head, 1, sizeof head, stream);
    if (ferror(stream))
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
    int64_t at = cairn_hdf5_signature(head, size < CAIRN_HDF5_USER_BLOCK + 8 ? size : CAIRN_HDF5_USER_BLOCK + 8);
    uint64_t all = *bytes;
    *hdf5 = at >= 0;
    if (at < 0)
        return CAIRN_OK;
    cairn_status status = cairn_hdf5_check_superblock(context, path, head + at, size - (size_t)at, bytes);
    if (*bytes < all)
        *bytes += (uint64_t)at < all - *bytes ? (uint64_t)at : all - *bytes;
    return status;
}

/* libhdf5 crashes where the cache of a file finds no memory, some 2.5 MB: it is not asked then. */
bool cairn_hdf5_has_room(void) {
    void *room = mmap(NULL, CACHE_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, CACHE_ROOM) == 0;
}

static cairn_status open_file(cairn_hdf5 *h, const char *path, hid_t access) {
    cairn_status status = cairn_hdf5_check_layout(h, "/"); /* opening the file opens its root group */
    if (status == CAIRN_OK && !cairn_hdf5_has_room())
        status = cairn_fail(h->context, CAIRN_ERROR_MEMORY, "%s: no memory is left to open it", h->name);
    h->file = access < 0 || status != CAIRN_OK ? H5I_INVALID_HID : H5Fopen(path, H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    if (status == CAIRN_OK && h->file < 0)
        status = cairn_fail(h->context, CAIRN_ERROR_PARSE, "%s: damaged: libhdf5 cannot open it", h->name);
    return status;
}

cairn_status cairn_hdf5_open_path(cairn_context *context, const char *path, uint64_t bytes, cairn_hdf5 *h) {
    *h = (cairn_hdf5){.context = context, .name = path, .bytes = bytes, .file = H5I_INVALID_HID};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    /* Reading needs no lock; network and read-only disks may have none. */
    if (access >= 0)
        H5Pset_file_locking(access, false, true);
#endif
    return open_file(h, path, access);
}

hid_t cairn_hdf5_timeless(void) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (list >= 0)
        H5Pset_obj_track_times(list, false);
    return list;
}

cairn_status cairn_hdf5_open_memory(cairn_context *context, const void *bytes, size_t size, const char *name,
                                    cairn_hdf5 *h) {
    *h = (cairn_hdf5){.context = context, .name = name, .bytes = size, .file = H5I_INVALID_HID, .image = bytes};
    /* The core driver takes files of the same name for one and the same, so the name must be
     * unique. */
    char unique[64];
    snprintf(unique, sizeof unique, "cairn-memory-%p", (void *)h);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool ready = access >= 0 && H5Pset_fapl_core(access, (size_t)1 << 16, false) >= 0;
    /* libhdf5 copies the bytes; its interface lacks the const. */
    union {
        const void *given;
        void *taken;
    } image = {.given = bytes};
    if (!ready || H5Pset_file_image(access, image.taken, size) < 0) {
        if (access >= 0)
            H5Pclose(access);
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "%s: libhdf5 cannot take an image of %zu bytes", name, size);
    }
    return open_file(h, unique, access);
}

void cairn_hdf5_close(cairn_hdf5 *h) {
    if (h->file >= 0)
        H5Fclose(h->file);
    h->file = H5I_INVALID_HID;
}

cairn_status cairn_hdf5_bad(const cairn_hdf5 *h, const char *path, const char *format, ...) {
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return cairn_fail(h->context, CAIRN_ERROR_PARSE, "%s: %s: %s", h->name, path, text);
}

void cairn_hdf5_join(const char *group, const char *name, char path[CAIRN_HDF5_PATH]) {
    snprintf(path, CAIRN_HDF5_PATH, "%s/%s", group, name);
}

/* One step of the walk: the object called name in parent. so_far is the path up to it, for
 * messages. */
static cairn_status step(const cairn_hdf5 *h, hid_t parent, const char *name, const char *so_far, hid_t *id) {
    *id = H5I_INVALID_HID;
    htri_t exists = H5Lexists(parent, name, H5P_DEFAULT);
    if (exists == 0)
        return CAIRN_OK;
    H5L_info_t link;
    if (exists < 0 || H5Lget_info(parent, name, &link, H5P_DEFAULT) < 0)
        return cairn_hdf5_bad(h, so_far, "damaged: libhdf5 cannot look it up");
    if (link.type != H5L_TYPE_HARD)
        return cairn_hdf5_bad(h, so_far, "a soft or external link, expected the object itself");
    cairn_status status = cairn_hdf5_check_layout(h, so_far);
    if (status != CAIRN_OK)
        return status;
    *id = H5Oopen(parent, name, H5P_DEFAULT);
    if (*id < 0)
        return cairn_hdf5_bad(h, so_far, "damaged: libhdf5 cannot open it");
    return CAIRN_OK;
}

cairn_status cairn_hdf5_find(const cairn_hdf5 *h, const char *path, hid_t *id, cairn_hdf5_kind *kind) {
    char so_far[CAIRN_HDF5_PATH] = "", name[CAIRN_HDF5_PATH];
    hid_t parent = h->file;
    *id = H5I_INVALID_HID;
    *kind = CAIRN_HDF5_ABSENT;
    for (const char *at = path + 1;;) {
        size_t length = strcspn(at, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        snprintf(so_far, sizeof so_far, "%.*s", (int)(at + length - path), path);
        hid_t next;
        cairn_status status = step(h, parent, name, so_far, &next);
        if (parent != h->file)
            H5Oclose(parent);
        if (status != CAIRN_OK || next < 0)
            return status;
        bool last = at[length] == '\0';
        H5I_type_t type = H5Iget_type(next);
        if (!last && type != H5I_GROUP) {
            H5Oclose(next);
            return cairn_hdf5_bad(h, so_far, "not a group");
        }
        if (last && type != H5I_GROUP && type != H5I_DATASET) {
            H5Oclose(next);
            return cairn_hdf5_bad(h, so_far, "neither a group nor a dataset");
        }
        if (last) {
            *id = next;
            *kind = type == H5I_GROUP ? CAIRN_HDF5_GROUP : CAIRN_HDF5_DATASET;
            return CAIRN_OK;
        }
        parent = next;
        at += length + 1;
    }
}

cairn_status cairn_hdf5_look(const cairn_hdf5 *h, const char *path, cairn_hdf5_kind *kind) {
    hid_t id;
    cairn_status status = cairn_hdf5_find(h, path, &id, kind);
    if (id >= 0)
        H5Oclose(id);
    return status;
}

cairn_status cairn_hdf5_look_group(const cairn_hdf5 *h, const char *path, bool *exists) {
    cairn_hdf5_kind kind;
    cairn_status status = cairn_hdf5_look(h, path, &kind);
    *exists = kind != CAIRN_HDF5_ABSENT;
    if (status == CAIRN_OK && kind == CAIRN_HDF5_DATASET)
        return cairn_hdf5_bad(h, path, "a dataset, expected a group");
    return status;
}

void cairn_hdf5_root_names(const cairn_hdf5 *h, char *text, size_t size) {
    H5G_info_t info;
    size_t used = 0;
    snprintf(text, size, "nothing");
    if (H5Gget_info(h->file, &info) < 0)
        return;
    for (hsize_t k = 0; k < info.nlinks && k <= ROOT_NAMES && used < size; k++) {
        char name[48] = "";
        if (k < ROOT_NAMES &&
            H5Lget_name_by_idx(h->file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT) < 0)
            return;
        for (char *c = name; *c != '\0'; c++)
            if (!isprint((unsigned char)*c))
                *c = '?';
        int written = snprintf(text + used, size - used, "%s%s", k == 0 ? "/" : ", /", k < ROOT_NAMES ? name : "...");
        if (written < 0)
            return;
        used += (size_t)written;
    }
}
