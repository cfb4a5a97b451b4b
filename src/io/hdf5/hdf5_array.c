/*
 * hdf5_array.c: reading datasets that may lie about themselves.
 *
 * Accepted: one dimension or a scalar; the standard integers of 8 to 64 bits and IEEE floats of 32
 * and 64 bits in either byte order; compact, contiguous or chunked layout; deflate, shuffle and
 * Fletcher32 filters. Refused: other types, external and virtual storage, other filters (they would
 * load code from plugins), partly written chunks, and extents that the file cannot hold: deflate
 * packs at most 1032 to 1, so a dataset of more than DEFLATE_RATIO times the file is a lie. Memory
 * is taken only after these checks.
 */
#include "io/hdf5/hdf5_util.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define DEFLATE_RATIO 1100

/* Our own type or nothing: exotic bit layouts never reach libhdf5's conversion. */
static bool standard_type(hid_t type, cairn_hdf5_type wanted) {
    const hid_t integers[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_U8LE,  H5T_STD_U16LE,
                              H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U16BE,
                              H5T_STD_U32BE, H5T_STD_U64BE, H5T_STD_I8BE,  H5T_STD_U8BE};
    const hid_t reals[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE};
    const hid_t *list = wanted == CAIRN_HDF5_REAL ? reals : integers;
    size_t count = wanted == CAIRN_HDF5_REAL ? sizeof reals / sizeof *reals : sizeof integers / sizeof *integers;
    for (size_t k = 0; k < count; k++)
        if (H5Tequal(type, list[k]) > 0)
            return true;
    return false;
}

static cairn_status check_type(const cairn_hdf5 *h, const char *path, hid_t id, cairn_hdf5_type wanted, size_t *size) {
    hid_t type = H5Dget_type(id);
    bool fits = type >= 0 && standard_type(type, wanted);
    *size = fits ? H5Tget_size(type) : 0;
    if (type >= 0)
        H5Tclose(type);
    if (!fits)
        return cairn_hdf5_bad(h, path, "wrong type, expected %s",
                              wanted == CAIRN_HDF5_REAL ? "32 or 64 bit IEEE floats" : "integers");
    return CAIRN_OK;
}

/* One dimension, or a scalar as one element, or nothing at all. */
static cairn_status check_space(const cairn_hdf5 *h, const char *path, hid_t space, hsize_t *count) {
    H5S_class_t class = H5Sget_simple_extent_type(space);
    *count = class == H5S_SCALAR ? 1 : 0;
    if (class == H5S_SCALAR || class == H5S_NULL)
        return CAIRN_OK;
    int rank = class == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank != 1)
        return cairn_hdf5_bad(h, path, "%d dimensions, expected one", rank);
    if (H5Sget_simple_extent_dims(space, count, NULL) != 1)
        return cairn_hdf5_bad(h, path, "damaged: libhdf5 cannot read its extent");
    if (*count > INT_MAX)
        return cairn_hdf5_bad(h, path, "%llu entries, expected at most %d", (unsigned long long)*count, INT_MAX);
    return CAIRN_OK;
}

static cairn_status check_filters(const cairn_hdf5 *h, const char *path, hid_t creation, bool *packed) {
    int filters = H5Pget_nfilters(creation);
    *packed = false;
    for (int k = 0; k < filters; k++) {
        unsigned flags = 0, configuration = 0;
        size_t values = 0;
        H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, 0, NULL, &configuration);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
            return cairn_hdf5_bad(h, path, "packed by HDF5 filter %d, expected deflate, shuffle or Fletcher32",
                                  (int)filter);
        *packed = *packed || filter == H5Z_FILTER_DEFLATE;
    }
    if (filters < 0 || filters > 4)
        return cairn_hdf5_bad(h, path, "%d HDF5 filters, expected at most 4", filters);
    return CAIRN_OK;
}

/* Every chunk must be there: a missing one would read as zeros that were never written. */
static cairn_status check_chunks(const cairn_hdf5 *h, const char *path, hid_t id, hid_t space, hid_t creation,
                                 hsize_t count, uint64_t limit) {
    hsize_t chunk = 0, chunks = 0;
    if (H5Pget_chunk(creation, 1, &chunk) != 1 || chunk == 0)
        return cairn_hdf5_bad(h, path, "damaged: libhdf5 cannot read its chunk size");
    if (chunk > limit)
        return cairn_hdf5_bad(h, path, "chunks of %llu entries, more than a file of %llu bytes can hold",
                              (unsigned long long)chunk, (unsigned long long)h->bytes);
    if (H5Dget_num_chunks(id, space, &chunks) < 0)
        return cairn_hdf5_bad(h, path, "damaged: libhdf5 cannot count its chunks");
    hsize_t needed = count / chunk + (count % chunk != 0);
    if (chunks < needed)
        return cairn_hdf5_bad(h, path, "%llu of %llu chunks were written", (unsigned long long)chunks,
                              (unsigned long long)needed);
    return CAIRN_OK;
}

/* How the values are stored, for a dataset of count > 0 elements of size bytes. */
static cairn_status check_storage(const cairn_hdf5 *h, const char *path, hid_t id, hid_t space, hid_t creation,
                                  hsize_t count, size_t size, bool *written) {
    H5D_layout_t layout = H5Pget_layout(creation);
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        return cairn_hdf5_bad(h, path, "a virtual dataset, expected values in this file");
    if (H5Pget_external_count(creation) != 0)
        return cairn_hdf5_bad(h, path, "values in another file, expected them in this one");
    bool packed = false;
    cairn_status status = check_filters(h, path, creation, &packed);
    if (status != CAIRN_OK)
        return status;
    *written = H5Dget_storage_size(id) > 0;
    if (!*written)
        return CAIRN_OK;
    if (size == 0)
        return cairn_hdf5_bad(h, path, "damaged: libhdf5 cannot read the size of its type");
    uint64_t limit = h->bytes / size;
    if (packed)
        limit = limit > UINT64_MAX / DEFLATE_RATIO ? UINT64_MAX : (h->bytes * DEFLATE_RATIO) / size;
    if (count > limit)
        return cairn_hdf5_bad(h, path, "%llu entries, more than a file of %llu bytes can hold",
                              (unsigned long long)count, (unsigned long long)h->bytes);
    return layout == H5D_CHUNKED ? check_chunks(h, path, id, space, creation, count, limit) : CAIRN_OK;
}

static cairn_status check_dataset(const cairn_hdf5 *h, const char *path, cairn_hdf5_type type, hid_t id, int *entries,
                                  bool *written) {
    size_t size = 0;
    hsize_t count = 0;
    cairn_status status = check_type(h, path, id, type, &size);
    if (status != CAIRN_OK)
        return status;
    hid_t space = H5Dget_space(id), creation = H5Dget_create_plist(id);
    if (space < 0 || creation < 0)
        status = cairn_hdf5_bad(h, path, "damaged: libhdf5 cannot read its extent or layout");
    if (status == CAIRN_OK)
        status = check_space(h, path, space, &count);
    *written = true;
    if (status == CAIRN_OK && count > 0)
        status = check_storage(h, path, id, space, creation, count, size, written);
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    *entries = (int)count;
    return status;
}

cairn_status cairn_hdf5_array_open(const cairn_hdf5 *h, const char *path, cairn_hdf5_type type,
                                   cairn_hdf5_array *array) {
    cairn_hdf5_kind kind;
    *array = (cairn_hdf5_array){.id = H5I_INVALID_HID};
    cairn_status status = cairn_hdf5_find(h, path, &array->id, &kind);
    if (status != CAIRN_OK || kind == CAIRN_HDF5_ABSENT)
        return status;
    if (kind == CAIRN_HDF5_GROUP)
        status = cairn_hdf5_bad(h, path, "a group, expected a dataset");
    else
        status = check_dataset(h, path, type, array->id, &array->count, &array->written);
    if (status != CAIRN_OK)
        cairn_hdf5_array_close(array);
    return status;
}

void cairn_hdf5_array_close(cairn_hdf5_array *array) {
    if (array->id >= 0)
        H5Oclose(array->id);
    array->id = H5I_INVALID_HID;
}

/* Opens a dataset that must exist; with count >= 0 also its length and that it was written are
 * checked. */
static cairn_status open_required(const cairn_hdf5 *h, const char *path, cairn_hdf5_type type, int count,
                                  cairn_hdf5_array *array) {
    cairn_status status = cairn_hdf5_array_open(h, path, type, array);
    if (status != CAIRN_OK)
        return status;
    if (array->id < 0)
        return cairn_hdf5_bad(h, path, "missing");
    if (count >= 0 && array->count != count)
        status = cairn_hdf5_bad(h, path, "%d entries, expected %d", array->count, count);
    else if (count >= 0 && !array->written)
        status = cairn_hdf5_bad(h, path, "%d entries that were never written", array->count);
    if (status != CAIRN_OK)
        cairn_hdf5_array_close(array);
    return status;
}

static cairn_status read_values(const cairn_hdf5 *h, const char *path, const cairn_hdf5_array *array, hid_t type,
                                void *values) {
    if (array->count > 0 && H5Dread(array->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return cairn_hdf5_bad(h, path, "damaged: libhdf5 cannot read its %d entries", array->count);
    return CAIRN_OK;
}

static cairn_status read_finite(const cairn_hdf5 *h, const char *path, const cairn_hdf5_array *array, double *values) {
    cairn_status status = read_values(h, path, array, H5T_NATIVE_DOUBLE, values);
    for (int k = 0; k < array->count && status == CAIRN_OK; k++)
        if (!isfinite(values[k]))
            status = cairn_hdf5_bad(h, path, "entry %d is %g, expected a finite number", k, values[k]);
    return status;
}

cairn_status cairn_hdf5_length(const cairn_hdf5 *h, const char *group, const char *name, cairn_hdf5_type type,
                               int *count) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_array array;
    cairn_hdf5_join(group, name, path);
    cairn_status status = open_required(h, path, type, -1, &array);
    *count = array.count;
    cairn_hdf5_array_close(&array);
    return status;
}

cairn_status cairn_hdf5_read_ints(const cairn_hdf5 *h, const char *group, const char *name, int count, int **values) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_array array;
    cairn_hdf5_join(group, name, path);
    cairn_status status = open_required(h, path, CAIRN_HDF5_INTEGER, count, &array);
    if (status != CAIRN_OK)
        return status;
    /* Through 64 bits, so that nothing is clipped unseen. */
    int64_t *wide = cairn_alloc(h->context, (size_t)count, sizeof *wide);
    int *narrow = wide != NULL ? cairn_alloc(h->context, (size_t)count, sizeof *narrow) : NULL;
    status = narrow == NULL ? CAIRN_ERROR_MEMORY : read_values(h, path, &array, H5T_NATIVE_INT64, wide);
    for (int k = 0; k < count && status == CAIRN_OK; k++) {
        if (wide[k] < INT_MIN || wide[k] > INT_MAX)
            status = cairn_hdf5_bad(h, path, "entry %d is %lld, expected at most 32 bits", k, (long long)wide[k]);
        else
            narrow[k] = (int)wide[k];
    }
    cairn_free(h->context, wide);
    cairn_hdf5_array_close(&array);
    if (status == CAIRN_OK)
        *values = narrow;
    else
        cairn_free(h->context, narrow);
    return status;
}

cairn_status cairn_hdf5_read_int(const cairn_hdf5 *h, const char *group, const char *name, int *value) {
    int *one = NULL;
    cairn_status status = cairn_hdf5_read_ints(h, group, name, 1, &one);
    if (status == CAIRN_OK)
        *value = one[0];
    cairn_free(h->context, one);
    return status;
}

cairn_status cairn_hdf5_read_reals(const cairn_hdf5 *h, const char *group, const char *name, int count,
                                   double **values) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_array array;
    cairn_hdf5_join(group, name, path);
    cairn_status status = open_required(h, path, CAIRN_HDF5_REAL, count, &array);
    if (status != CAIRN_OK)
        return status;
    double *taken = cairn_alloc(h->context, (size_t)count, sizeof *taken);
    status = taken == NULL ? CAIRN_ERROR_MEMORY : read_finite(h, path, &array, taken);
    cairn_hdf5_array_close(&array);
    if (status == CAIRN_OK)
        *values = taken;
    else
        cairn_free(h->context, taken);
    return status;
}

cairn_status cairn_hdf5_read_optional(const cairn_hdf5 *h, const char *group, const char *name, int count,
                                      double *values, bool *found) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_array array;
    *found = false;
    cairn_hdf5_join(group, name, path);
    cairn_status status = cairn_hdf5_array_open(h, path, CAIRN_HDF5_REAL, &array);
    if (status != CAIRN_OK || array.id < 0)
        return status;
    if (array.count != count)
        status = cairn_hdf5_bad(h, path, "%d entries, expected %d", array.count, count);
    else if (array.written)
        status = read_finite(h, path, &array, values);
    *found = status == CAIRN_OK && array.written;
    cairn_hdf5_array_close(&array);
    return status;
}

static cairn_status read_fixed(const cairn_hdf5 *h, const char *path, hid_t id, hid_t type, char **text) {
    size_t size = H5Tget_size(type);
    if (size == 0 || size > CAIRN_HDF5_STRING_MAX || size > h->bytes)
        return cairn_hdf5_bad(h, path, "a string of %zu bytes, expected 1 to %zu and no more than the file", size,
                              CAIRN_HDF5_STRING_MAX);
    char *read = cairn_alloc(h->context, size + 1, 1);
    if (read == NULL)
        return CAIRN_ERROR_MEMORY;
    if (H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) < 0) {
        cairn_free(h->context, read);
        return cairn_hdf5_bad(h, path, "libhdf5 cannot read the string");
    }
    *text = read;
    return CAIRN_OK;
}

cairn_status cairn_hdf5_read_string(const cairn_hdf5 *h, const char *group, const char *name, char **text) {
    char path[CAIRN_HDF5_PATH];
    hid_t id;
    cairn_hdf5_kind kind;
    *text = NULL;
    cairn_hdf5_join(group, name, path);
    cairn_status status = cairn_hdf5_find(h, path, &id, &kind);
    if (status != CAIRN_OK || kind == CAIRN_HDF5_ABSENT)
        return status;
    if (kind == CAIRN_HDF5_GROUP) {
        H5Oclose(id);
        return cairn_hdf5_bad(h, path, "a group, expected a string");
    }
    hid_t type = H5Dget_type(id), space = H5Dget_space(id), creation = H5Dget_create_plist(id);
    hsize_t count = 0;
    bool written = false;
    if (type < 0 || space < 0 || creation < 0 || H5Tget_class(type) != H5T_STRING)
        status = cairn_hdf5_bad(h, path, "wrong type, expected a string");
    if (status == CAIRN_OK)
        status = check_space(h, path, space, &count);
    if (status == CAIRN_OK && count != 1)
        status = cairn_hdf5_bad(h, path, "%llu strings, expected one", (unsigned long long)count);
    if (status == CAIRN_OK)
        status = check_storage(h, path, id, space, creation, 1, H5Tget_size(type), &written);
    if (status == CAIRN_OK && written)
        status = H5Tis_variable_str(type) > 0 ? cairn_hdf5_read_heap_string(h, path, id, text)
                                              : read_fixed(h, path, id, type, text);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (creation >= 0)
        H5Pclose(creation);
    H5Oclose(id);
    return status;
}
