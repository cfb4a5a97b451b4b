/*
 * fuzz_recording_bytes.c: a recording whose HDF5 file is damaged inside. A good file is made once; the input is a list of changes to it:
 *
 *     kind, place (3 bytes), value      kind 0: the byte is set; 1: value is added to it; 2: one of the numbers of 8 bytes that readers trip over is written;
 *                                       3: 8 bytes are copied from elsewhere; 4 to 7: the same with places counted in the numbers of arrays
 *
 * The superblock stays, so that every change is met by what reads the inside. Places 0 to 3 count only bytes that are no numbers of an array: headers, trees, heaps and tables
 * of names, which are a tenth of the file. Opening must end with a recording, of which everything can be read, or with a reason; and give all memory back.
 */
#define _POSIX_C_SOURCE 200809L

#include <cairn/view.h>

#include "counted.h"
#include "recorded.h"

#include <hdf5.h>
#include <string.h>

enum { SUPERBLOCK = 96, CHANGE = 5, CHANGES = 40 };

static char path[128], page[160];
static unsigned char good[RECORDED_ROOM];
static size_t size_all, place[2][RECORDED_ROOM], places[2]; /* bytes of the structure, bytes of arrays */
static bool is_array[RECORDED_ROOM];

static void clean(void) {
    remove(path);
    remove(page);
}

static void mark(haddr_t at, hsize_t bytes) {
    for (hsize_t i = at; at != HADDR_UNDEF && i < at + bytes && i < size_all; i++)
        is_array[i] = true;
}

/* Where the numbers of a dataset lie. */
static herr_t mark_dataset(hid_t group, const char *name, const H5O_info_t *info, void *user) {
    (void)user;
    if (info->type != H5O_TYPE_DATASET)
        return 0;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t chunks = 0, bytes, offset[H5S_MAX_RANK];
    unsigned filters;
    haddr_t at = H5Dget_offset(set);
    if (at != HADDR_UNDEF)
        mark(at, H5Dget_storage_size(set));
    else if (H5Dget_num_chunks(set, space, &chunks) >= 0)
        for (hsize_t i = 0; i < chunks; i++)
            if (H5Dget_chunk_info(set, space, i, offset, &filters, &at, &bytes) >= 0)
                mark(at, bytes);
    H5Sclose(space);
    H5Dclose(set);
    return 0;
}

static void record(void) {
    recorded_name(path, sizeof path);
    snprintf(page, sizeof page, "%s.bin", path);
    recorded_make(path, NULL);
    size_all = recorded_slurp(path, good);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0 || H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, mark_dataset, NULL) < 0)
        abort();
    H5Fclose(file);
    for (size_t i = SUPERBLOCK; i < size_all; i++)
        place[is_array[i]][places[is_array[i]]++] = i;
    if (places[0] == 0 || places[1] == 0)
        abort();
    atexit(clean);
}

static uint64_t trap(unsigned value) {
    static const uint64_t number[] = {0,         1,          UINT64_MAX,        UINT64_MAX - 1,           INT64_MAX,
                                      INT32_MAX, UINT32_MAX, (uint64_t)1 << 40, UINT64_C(1) << 63 | 1024, 96};
    const unsigned numbers = sizeof number / sizeof *number;
    if (value < numbers)
        return number[value];
    return value < 128 ? size_all - (value - numbers) : 8 * (uint64_t)(value - 128);
}

static void change(const uint8_t *data, unsigned char *to) {
    const size_t *at = place[data[0] % 8 >= 4];
    size_t count = places[data[0] % 8 >= 4];
    size_t here = at[(65536u * data[1] + 256u * data[2] + data[3]) % count], there = at[(here + 40u * data[4]) % count];
    uint64_t number = trap(data[4]);
    size_t room = here + 8 <= size_all ? 8 : size_all - here;
    switch (data[0] % 4) {
    case 0:
        to[here] = data[4];
        break;
    case 1:
        to[here] = (unsigned char)(to[here] + data[4]);
        break;
    case 2:
        memcpy(to + here, &number, room);
        break;
    default:
        if (there + 8 <= size_all)
            memmove(to + here, to + there, room);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned char made[RECORDED_ROOM];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (size_all == 0)
        record();
    cairn_context *context = counted_context();
    if (context == NULL)
        return 0;
    memcpy(made, good, size_all);
    for (size_t i = 0; i < CHANGES && CHANGE * (i + 1) <= size; i++)
        change(data + CHANGE * i, made);
    recorded_spill(path, made, size_all);
    cairn_recording *r = NULL;
    cairn_status status = cairn_recording_open(context, path, &r);
    if (status != CAIRN_OK && (cairn_error_message(context)[0] == '\0' || r != NULL))
        abort();
    if (status == CAIRN_OK) {
        recorded_look(r);
        cairn_view_write(r, NULL, "<!--DATA-->", NULL, 0, page, NULL);
        cairn_export_gltf(r, NULL, page);
    }
    cairn_recording_close(r);
    counted_end(context);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        abort();
    return 0;
}
