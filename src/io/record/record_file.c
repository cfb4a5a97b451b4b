/*
 * record_file.c: rows of a recording in an HDF5 file (docs/formats.md).
 *
 * Every field is one extendible, chunked dataset, packed by shuffle and deflate when libhdf5 has
 * them. A chunk of a table (frames by bodies, say) is as wide as the table was when the file was
 * made, if that is not too much: frames are written, and read, one after the other. Rows are added
 * by record_append.c. Not checked: whether the values of a file make sense; its shape is.
 */
#include "io/record/record_file.h"
#include "base/input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_BYTES     131072
#define CHUNK_ROWS_MOST 4096
#define COLUMNS_LEAST   16 /* bodies or joints in one chunk of a table */
#define DEFLATE_LEVEL   1

static bool is_table(int field) {
    return cairn_field_get(field)->kind >= CAIRN_ROW_FRAME_BODY;
}

cairn_status cairn_store_broken(const cairn_store *s, const char *where, const char *what) {
    int error = s->output.error;
    return cairn_fail(s->context, CAIRN_ERROR_IO, "%s: %s: %s%s%s", s->path, where, what, error != 0 ? ": " : "",
                      error != 0 ? strerror(error) : "");
}

/* The type in the file and in memory; the caller closes it. */
static hid_t type_of(int field, bool native) {
    const cairn_field_info *info = cairn_field_get(field);
    if (info->type == CAIRN_FIELD_TEXT) {
        hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, (size_t)info->columns);
        return type;
    }
    hid_t file[] = {H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_I32LE, H5T_STD_U8LE};
    hid_t memory[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_UINT8};
    return H5Tcopy(native ? memory[info->type] : file[info->type]);
}

int cairn_store_extent(int field, int64_t rows, int64_t columns, hsize_t *dims) {
    const cairn_field_info *info = cairn_field_get(field);
    int rank = 0;
    dims[rank++] = (hsize_t)rows;
    if (is_table(field))
        dims[rank++] = (hsize_t)columns;
    if (info->columns > 1 && info->type != CAIRN_FIELD_TEXT)
        dims[rank++] = (hsize_t)info->columns;
    return rank;
}

/* The largest power of two that is not above x, at least 1. */
static int64_t power_below(int64_t x) {
    int64_t power = 1;
    while (2 * power <= x)
        power *= 2;
    return power;
}

/* columns: of the table when the file is made, 0: not known. Powers of two, so that whole chunks
 * of all fields end at the same frames. */
static hid_t creation_list(int field, int64_t columns) {
    hsize_t chunk[3];
    int64_t bytes = (int64_t)cairn_field_bytes(field), rows = power_below(CHUNK_BYTES / bytes);
    if (is_table(field)) {
        int64_t most = power_below(CHUNK_BYTES / bytes), least = COLUMNS_LEAST;
        columns = columns < least ? least : columns > most ? most : columns;
        rows = power_below(CHUNK_BYTES / (bytes * columns));
    }
    int rank = cairn_store_extent(field, rows > CHUNK_ROWS_MOST ? CHUNK_ROWS_MOST : rows, columns, chunk);
    hid_t list = cairn_hdf5_timeless();
    H5Pset_chunk(list, rank, chunk);
    double nothing = NAN;
    if (is_table(field))
        H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &nothing);
    if (H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0)
        H5Pset_shuffle(list);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        H5Pset_deflate(list, DEFLATE_LEVEL);
    return list;
}

static hid_t create_set(const cairn_store *s, int field, int64_t columns) {
    hsize_t dims[3], most[3];
    int rank = cairn_store_extent(field, 0, 0, dims);
    for (int k = 0; k < rank; k++)
        most[k] = dims[k] == 0 ? H5S_UNLIMITED : dims[k];
    hid_t space = H5Screate_simple(rank, dims, most), type = type_of(field, false),
          list = creation_list(field, columns);
    hid_t set = H5Dcreate2(s->file, cairn_field_get(field)->path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Tclose(type);
    H5Sclose(space);
    return set;
}

/* How the dataset is cut and packed. */
static bool learn_chunk(cairn_store *s, int field) {
    hsize_t chunk[3] = {1, 1, 1};
    unsigned flags, options[8];
    size_t count = 8;
    hid_t list = H5Dget_create_plist(s->set[field]);
    bool chunked = H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, 3, chunk) >= 1;
    bool packed = chunked && H5Pget_nfilters(list) == 2 &&
                  H5Pget_filter2(list, 0, &flags, &count, options, 0, NULL, NULL) == H5Z_FILTER_SHUFFLE;
    count = 8;
    packed = packed && H5Pget_filter2(list, 1, &flags, &count, options, 0, NULL, NULL) == H5Z_FILTER_DEFLATE;
    chunked = chunked && H5Pget_external_count(list) == 0;
    H5Pclose(list);
    s->chunk_rows[field] = (int64_t)chunk[0];
    s->chunk_columns[field] = is_table(field) ? (int64_t)chunk[1] : 0;
    s->packed[field] = packed && cairn_field_get(field)->type != CAIRN_FIELD_TEXT;
    return chunked;
}

static bool put_attribute(hid_t file, const char *name, hid_t type, int count, const void *value) {
    hsize_t n = (hsize_t)count;
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
    bool there = H5Aexists(file, name) > 0;
    hid_t at = there ? H5Aopen(file, name, H5P_DEFAULT) : H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = at >= 0 && H5Awrite(at, type, value) >= 0;
    if (at >= 0)
        H5Aclose(at);
    H5Sclose(space);
    return done;
}

static bool put_text(hid_t file, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    bool done = put_attribute(file, name, type, 1, text);
    H5Tclose(type);
    return done;
}

/* The scene as a dataset of one string: attributes are too small for it. */
static bool put_scene(hid_t file, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), list = cairn_hdf5_timeless();
    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = H5Dcreate2(file, "/scene", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    return done;
}

static bool put_head(hid_t file, const cairn_store_head *head) {
    int version = CAIRN_RECORD_VERSION;
    uint64_t none = 0;
    return put_text(file, "format", "cairn-recording") && put_attribute(file, "version", H5T_NATIVE_INT, 1, &version) &&
           put_text(file, "cairn", cairn_version()) && put_text(file, "hdf5", H5_VERS_INFO) &&
           put_text(file, "instructions", head->instructions) && put_text(file, "method", head->method) &&
           put_text(file, "law", head->law) && put_attribute(file, "step", H5T_NATIVE_DOUBLE, 1, &head->step) &&
           put_attribute(file, "tolerance", H5T_NATIVE_DOUBLE, 1, &head->tolerance) &&
           put_attribute(file, "velocity_tolerance", H5T_NATIVE_DOUBLE, 1, &head->tolerance_velocity) &&
           put_attribute(file, "gravity", H5T_NATIVE_DOUBLE, 3, head->gravity) &&
           put_attribute(file, "id", H5T_NATIVE_UINT64, 1, &head->id) &&
           put_attribute(file, "records", H5T_NATIVE_UINT64, 1, &none) && put_scene(file, head->scene);
}

static void empty(cairn_context *context, const char *path, cairn_store *s) {
    *s = (cairn_store){.context = context,
                       .path = path,
                       .file = H5I_INVALID_HID,
                       .output = {.driver = H5I_INVALID_HID, .file = H5I_INVALID_HID},
                       .packer = {.context = context}};
    for (int f = 0; f < CAIRN_FIELDS; f++)
        s->set[f] = H5I_INVALID_HID;
}

cairn_status cairn_store_create(cairn_context *context, const char *path, const cairn_output *output,
                                const cairn_store_head *head, cairn_store *s) {
    static const char *const groups[] = {"/shapes", "/bodies", "/joints", "/flexible", "/frames", "/contacts"};
    empty(context, path, s);
    s->id = head->id;
    s->file = cairn_hdf5_output_open(&s->output, output, false);
    if (s->file < 0)
        return cairn_store_broken(s, "/", "cannot be created");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        hid_t group = H5Gcreate2(s->file, groups[g], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group < 0)
            return cairn_store_broken(s, groups[g], "cannot be written");
        H5Gclose(group);
    }
    for (int f = 0; f < CAIRN_FIELDS; f++) {
        s->set[f] = create_set(s, f, head->columns[cairn_field_get(f)->kind]);
        if (s->set[f] < 0)
            return cairn_store_broken(s, cairn_field_get(f)->path, "cannot be written");
        learn_chunk(s, f);
    }
    return put_head(s->file, head) ? CAIRN_OK : cairn_store_broken(s, "/", "its attributes cannot be written");
}

void cairn_store_text(const cairn_store *s, const char *name, char *text, size_t size) {
    char room[256] = "";
    hid_t at = H5Aexists(s->file, name) > 0 ? H5Aopen(s->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (at >= 0) {
        hid_t type = H5Aget_type(at);
        if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) < sizeof room)
            H5Aread(at, type, room);
        H5Tclose(type);
        H5Aclose(at);
    }
    size_t length = strlen(room) < size - 1 ? strlen(room) : size - 1;
    memcpy(text, room, length);
    text[length] = '\0';
}

static bool get_number(const cairn_store *s, const char *name, hid_t type, void *value) {
    hid_t at = H5Aexists(s->file, name) > 0 ? H5Aopen(s->file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t space = at >= 0 ? H5Aget_space(at) : H5I_INVALID_HID;
    bool done = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(at, type, value) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (at >= 0)
        H5Aclose(at);
    return done;
}

double cairn_store_real(const cairn_store *s, const char *name, double otherwise) {
    double value;
    return get_number(s, name, H5T_NATIVE_DOUBLE, &value) ? value : otherwise;
}

/* Opens one dataset and holds its shape against the table. h, unless NULL: the file as it is on
 * the disk, to be looked at before libhdf5 does. */
static cairn_status open_set(cairn_store *s, const cairn_hdf5 *h, int field) {
    const cairn_field_info *info = cairn_field_get(field);
    char group[CAIRN_HDF5_PATH];
    snprintf(group, sizeof group, "%.*s", (int)(strrchr(info->path, '/') - info->path), info->path);
    cairn_status status = h != NULL ? cairn_hdf5_check_layout(h, group) : CAIRN_OK;
    if (status == CAIRN_OK && h != NULL)
        status = cairn_hdf5_check_layout(h, info->path);
    if (status != CAIRN_OK)
        return status;
    s->set[field] = H5Dopen2(s->file, info->path, H5P_DEFAULT);
    if (s->set[field] < 0)
        return cairn_store_broken(s, info->path, "missing or not a dataset");
    hsize_t dims[4] = {0}, wanted[3];
    hid_t space = H5Dget_space(s->set[field]), type = H5Dget_type(s->set[field]), own = type_of(field, false);
    int rank = H5Sget_simple_extent_ndims(space);
    bool fits = rank >= 1 && rank <= 3 && H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    fits = fits && cairn_store_extent(field, (int64_t)dims[0], (int64_t)dims[1], wanted) == rank &&
           H5Tequal(type, own) > 0;
    for (int k = 0; fits && k < rank; k++)
        fits = dims[k] == wanted[k] && dims[k] <= INT32_MAX;
    H5Sclose(space);
    H5Tclose(type);
    H5Tclose(own);
    int64_t *rows = &s->rows[info->kind];
    int64_t found = (int64_t)dims[is_table(field) ? 1 : 0];
    if (fits && is_table(field))
        fits = (int64_t)dims[0] == s->rows[CAIRN_ROW_FRAME];
    bool first = field == 0 || cairn_field_get(field - 1)->kind != info->kind;
    if (fits && first)
        *rows = found;
    if (!fits || *rows != found)
        return cairn_fail(s->context, CAIRN_ERROR_PARSE, "%s: %s: its type or its size is not that of a recording",
                          s->path, info->path);
    /* datasets that grow are in chunks; libhdf5 follows the address of any other layout without
     * looking where it leads */
    if (!learn_chunk(s, field))
        return cairn_fail(s->context, CAIRN_ERROR_PARSE, "%s: %s: damaged: it is not stored in chunks", s->path,
                          info->path);
    s->written[field] = (int64_t)dims[0];
    return CAIRN_OK;
}

/* The file as it is on the disk, looked at before libhdf5 does. */
static cairn_status open_to_read(cairn_context *context, const char *path, cairn_hdf5 *h) {
    FILE *stream;
    uint64_t bytes = 0;
    bool hdf5 = false;
    cairn_status status = cairn_input_open(context, path, &stream, &bytes);
    if (status != CAIRN_OK)
        return status;
    status = cairn_hdf5_probe(context, path, stream, &bytes, &hdf5);
    fclose(stream);
    if (status == CAIRN_OK && !hdf5)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: not an HDF5 file, expected a recording of Cairn", path);
    return status == CAIRN_OK ? cairn_hdf5_open_path(context, path, bytes, h) : status;
}

cairn_status cairn_store_open(cairn_context *context, const char *path, const cairn_output *output, cairn_store *s) {
    empty(context, path, s);
    bool writing = output != NULL;
    cairn_hdf5 h = {.file = H5I_INVALID_HID};
    cairn_status status = writing ? CAIRN_OK : open_to_read(context, path, &h);
    s->file = writing ? cairn_hdf5_output_open(&s->output, output, true) : h.file;
    if (status != CAIRN_OK)
        return status;
    if (s->file < 0)
        return cairn_store_broken(s, "/", "damaged: libhdf5 cannot open it");
    char format[32];
    int version = 0;
    cairn_store_text(s, "format", format, sizeof format);
    if (strcmp(format, "cairn-recording") != 0)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: HDF5, but not a recording of Cairn", path);
    if (!get_number(s, "version", H5T_NATIVE_INT, &version) || version < 1 || version > CAIRN_RECORD_VERSION)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: a recording of version %d, expected 1 to %d", path, version,
                          CAIRN_RECORD_VERSION);
    if (writing && version < CAIRN_RECORD_VERSION)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED,
                          "%s: a recording of version %d can be read, but not gone on with", path, version);
    if (!get_number(s, "id", H5T_NATIVE_UINT64, &s->id) || !get_number(s, "records", H5T_NATIVE_UINT64, &s->records))
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: the attributes id and records are missing", path);
    for (int f = 0; f < CAIRN_FIELDS && status == CAIRN_OK; f++)
        if (cairn_field_get(f)->since <= version)
            status = open_set(s, writing ? NULL : &h, f);
    return status == CAIRN_OK && !writing ? cairn_hdf5_check_layout(&h, "/scene") : status;
}

bool cairn_store_transfer(const cairn_store *s, int field, int64_t first, int64_t rows, int64_t columns, bool writing,
                          void *data) {
    hsize_t begin[3] = {(hsize_t)first, 0, 0}, count[3];
    int rank = cairn_store_extent(field, rows, columns, count);
    hid_t space = H5Dget_space(s->set[field]), memory = H5Screate_simple(rank, count, NULL);
    hid_t type = type_of(field, true);
    bool done = space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, count, NULL) >= 0;
    if (done && writing)
        done = H5Dwrite(s->set[field], type, memory, space, H5P_DEFAULT, data) >= 0;
    else if (done)
        done = H5Dread(s->set[field], type, memory, space, H5P_DEFAULT, data) >= 0;
    H5Tclose(type);
    H5Sclose(memory);
    H5Sclose(space);
    return done;
}

bool cairn_store_note(const cairn_store *s) {
    return put_attribute(s->file, "records", H5T_NATIVE_UINT64, 1, &s->records) &&
           H5Fflush(s->file, H5F_SCOPE_GLOBAL) >= 0;
}

cairn_status cairn_store_read(const cairn_store *s, int field, int64_t first, int64_t count, void *out) {
    if (count == 0)
        return CAIRN_OK;
    if (s->set[field] < 0) { /* of an older format */
        memset(out, 0, (size_t)count * cairn_field_bytes(field));
        return CAIRN_OK;
    }
    bool table = is_table(field);
    if (!cairn_store_transfer(s, field, first, table ? 1 : count, count, false, out))
        return cairn_store_broken(s, cairn_field_get(field)->path, "cannot be read");
    return CAIRN_OK;
}

cairn_status cairn_store_cut(cairn_store *s, int64_t step) {
    int64_t kept = s->rows[CAIRN_ROW_FRAME], contacts = s->rows[CAIRN_ROW_CONTACT];
    cairn_status status = CAIRN_OK;
    while (kept > 0 && status == CAIRN_OK) {
        int64_t at = 0;
        status = cairn_store_read(s, CAIRN_F_STEP, kept - 1, 1, &at);
        if (status != CAIRN_OK || at <= step)
            break;
        status = cairn_store_read(s, CAIRN_F_CONTACT_FIRST, --kept, 1, &contacts);
    }
    if (status != CAIRN_OK)
        return status;
    if (contacts < 0 || contacts > s->rows[CAIRN_ROW_CONTACT])
        return cairn_fail(s->context, CAIRN_ERROR_PARSE, "%s: /frames/contact_first: beyond the contacts", s->path);
    s->rows[CAIRN_ROW_FRAME] = kept;
    s->rows[CAIRN_ROW_CONTACT] = contacts;
    for (int f = 0; f < CAIRN_FIELDS; f++) {
        int kind = (int)cairn_field_get(f)->kind;
        hsize_t dims[3];
        if (kind < CAIRN_ROW_FRAME)
            continue;
        cairn_store_extent(f, is_table(f) ? kept : s->rows[kind], s->rows[kind], dims);
        if (H5Dset_extent(s->set[f], dims) < 0)
            return cairn_store_broken(s, cairn_field_get(f)->path, "cannot be cut");
        s->written[f] = (int64_t)dims[0];
    }
    return CAIRN_OK;
}

cairn_status cairn_store_close(cairn_store *s) {
    cairn_status status = CAIRN_OK;
    for (int f = 0; f < CAIRN_FIELDS; f++) {
        if (s->set[f] >= 0)
            H5Dclose(s->set[f]);
        cairn_free(s->context, s->room[f]);
    }
    if (s->output.driver >= 0) {
        bool good = cairn_hdf5_output_close(&s->output);
        if (!good)
            status = cairn_fail(s->context, CAIRN_ERROR_IO, "%s: cannot be written: %s", s->path,
                                s->output.error != 0 ? strerror(s->output.error) : "libhdf5 gives no reason");
    } else if (s->file >= 0) {
        H5Fclose(s->file);
    }
    cairn_free(s->context, s->chunk);
    cairn_packer_free(&s->packer);
    empty(s->context, s->path, s);
    return status;
}
