/*
 * fuzz_fclib_structured.c: well-formed HDF5 with hostile contents. The first byte chooses global or local, in FCLIB's or Cairn's own form; then each
 * group of bytes replaces one dataset of a small valid file: path, kind of type, number of entries, values.
 * Everything happens in memory. A file that is accepted must be a problem whose view can be walked.
 */
#include <cairn/io.h>

#include "counted.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const paths[] = {
    "/fclib_global/spacedim",
    "/fclib_global/M/m",
    "/fclib_global/M/n",
    "/fclib_global/M/nz",
    "/fclib_global/M/i",
    "/fclib_global/M/p",
    "/fclib_global/M/x",
    "/fclib_global/H/m",
    "/fclib_global/H/n",
    "/fclib_global/H/nz",
    "/fclib_global/H/i",
    "/fclib_global/H/p",
    "/fclib_global/H/x",
    "/fclib_global/G/m",
    "/fclib_global/G/n",
    "/fclib_global/G/nz",
    "/fclib_global/G/i",
    "/fclib_global/G/p",
    "/fclib_global/G/x",
    "/fclib_global/vectors/f",
    "/fclib_global/vectors/w",
    "/fclib_global/vectors/mu",
    "/fclib_global/vectors/b",
    "/fclib_global/info/title",
    "/solution/v",
    "/solution/u",
    "/solution/r",
    "/solution/l",
    "/guesses/number_of_guesses",
    "/guesses/1/r",
    "/guesses/1/v",
    "/guesses/2/u",
    "/fclib_local/spacedim",
    "/fclib_local/W/m",
    "/fclib_local/W/n",
    "/fclib_local/W/nz",
    "/fclib_local/W/i",
    "/fclib_local/W/p",
    "/fclib_local/W/x",
    "/fclib_local/V/m",
    "/fclib_local/V/n",
    "/fclib_local/V/nz",
    "/fclib_local/V/i",
    "/fclib_local/V/p",
    "/fclib_local/V/x",
    "/fclib_local/R/m",
    "/fclib_local/R/n",
    "/fclib_local/R/nz",
    "/fclib_local/R/i",
    "/fclib_local/R/p",
    "/fclib_local/R/x",
    "/fclib_local/vectors/q",
    "/fclib_local/vectors/mu",
    "/fclib_local/vectors/s",
    "/fclib_local/info/description",
    "/fclib_global_rolling/x",
    "/cairn_global/version",
    "/cairn_global/M/n",
    "/cairn_global/M/x",
    "/cairn_global/D/m",
    "/cairn_global/D/n",
    "/cairn_global/D/i",
    "/cairn_global/vectors/f",
    "/cairn_global/vectors/b",
    "/cairn_global/vectors/C",
    "/cairn_global/blocks/set",
    "/cairn_global/blocks/dim",
    "/cairn_global/blocks/mu",
    "/cairn_global/blocks/lo",
    "/cairn_global/blocks/hi",
    "/cairn_global/blocks/radius",
    "/cairn_global/blocks/cap",
    "/cairn_global/blocks/adhesion",
    "/cairn_block_solver/N/m",
    "/cairn_block_solver/N/i",
    "/cairn_block_solver/N/x",
    "/cairn_block_solver/vectors/b",
    "/cairn_block_solver/vectors/C",
    "/cairn_block_solver/blocks/set",
    "/cairn_block_solver/blocks/dim",
    "/cairn_block_solver/blocks/lo",
    "/cairn_block_solver/blocks/radius",
};
enum { PATHS = sizeof paths / sizeof *paths, VALUES = 24 };

typedef struct input {
    const uint8_t *at, *end;
} input;

static unsigned next(input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

static void put(hid_t file, const char *path, hid_t stored, hid_t given, hsize_t count, hid_t creation,
                const void *values) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Ldelete(file, path, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(file, path, stored, space, links, creation, H5P_DEFAULT);
    if (set >= 0 && values != NULL)
        H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

static void put_ints(hid_t file, const char *path, hsize_t count, const int *values) {
    put(file, path, H5T_STD_I32LE, H5T_NATIVE_INT, count, H5P_DEFAULT, values);
}

static void put_reals(hid_t file, const char *path, hsize_t count, const double *values) {
    put(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, H5P_DEFAULT, values);
}

/* A valid start: M = I (2 x 2), H = I; or W = I. One contact in the plane. */
static void put_valid(hid_t file, bool local) {
    const int two = 2, i[] = {0, 1}, p[] = {0, 1, 2};
    const double ones[] = {1.0, 1.0};
    const char *const matrices[] = {"/fclib_global/M", "/fclib_global/H", "/fclib_local/W"};
    const char *const sizes[] = {"m", "n", "nz", "nzmax"};
    char path[64];
    for (int k = local ? 2 : 0; k < (local ? 3 : 2); k++) {
        for (int s = 0; s < 4; s++) {
            strcpy(path, matrices[k]);
            strcat(strcat(path, "/"), sizes[s]);
            put_ints(file, path, 1, s == 2 && local ? &(int){-2} : &two);
        }
        put_ints(file, strcat(strcpy(path, matrices[k]), "/i"), 2, i);
        put_ints(file, strcat(strcpy(path, matrices[k]), "/p"), local ? 3 : 2, p);
        put_reals(file, strcat(strcpy(path, matrices[k]), "/x"), 2, ones);
    }
    put_ints(file, local ? "/fclib_local/spacedim" : "/fclib_global/spacedim", 1, &two);
    put_reals(file, local ? "/fclib_local/vectors/q" : "/fclib_global/vectors/w", 2, ones);
    put_reals(file, local ? "/fclib_local/vectors/mu" : "/fclib_global/vectors/mu", 1, ones);
    if (!local)
        put_reals(file, "/fclib_global/vectors/f", 2, ones);
}

/* The same sizes in Cairn's own form: a cone in the plane. */
static void put_valid_own(hid_t file, bool local) {
    static const char *const size[] = {"m", "n", "nz"};
    static const char *const real[] = {"mu", "lo", "hi", "radius", "cap", "adhesion"};
    const char *top = local ? "/cairn_block_solver" : "/cairn_global";
    const int one = 1, two = 2, cone = CAIRN_SET_CONE, i[] = {0, 1};
    const double ones[] = {1.0, 1.0};
    char path[64];
    for (int k = 0; k < (local ? 1 : 2); k++) {
        const char *matrix = local ? "N" : k == 0 ? "M" : "D";
        for (int s = 0; s < 3; s++) {
            snprintf(path, sizeof path, "%s/%s/%s", top, matrix, size[s]);
            put_ints(file, path, 1, &two);
        }
        for (int s = 0; s < 2; s++) {
            snprintf(path, sizeof path, "%s/%s/%s", top, matrix, s == 0 ? "i" : "p");
            put_ints(file, path, 2, i);
        }
        snprintf(path, sizeof path, "%s/%s/x", top, matrix);
        put_reals(file, path, 2, ones);
    }
    put_ints(file, local ? "/cairn_block_solver/version" : "/cairn_global/version", 1, &one);
    put_ints(file, local ? "/cairn_block_solver/blocks/set" : "/cairn_global/blocks/set", 1, &cone);
    put_ints(file, local ? "/cairn_block_solver/blocks/dim" : "/cairn_global/blocks/dim", 1, &two);
    put_reals(file, local ? "/cairn_block_solver/vectors/b" : "/cairn_global/vectors/b", 2, ones);
    put_reals(file, local ? "/cairn_block_solver/vectors/C" : "/cairn_global/vectors/C", 2, ones);
    if (!local)
        put_reals(file, "/cairn_global/vectors/f", 2, ones);
    for (int k = 0; k < 6; k++) {
        snprintf(path, sizeof path, "%s/blocks/%s", top, real[k]);
        put_reals(file, path, 1, ones);
    }
}

static double hostile_real(unsigned byte) {
    switch (byte) {
    case 255:
        return NAN;
    case 254:
        return INFINITY;
    case 253:
        return 1e308;
    case 252:
        return -1e-308;
    default:
        return ((double)byte - 16.0) / 8.0;
    }
}

static int hostile_int(unsigned byte) {
    const int far[] = {INT32_MAX, INT32_MIN, INT32_MAX - 1, 1 << 30, 65536, -65536};
    return byte >= 250 ? far[byte - 250] : (int)byte - 4;
}

/* Types and layouts that a file may have: standard, other sizes, packed, never written, a string, far too long. */
static void put_hostile(hid_t file, input *in) {
    const char *path = paths[next(in) % PATHS];
    unsigned kind = next(in) % 12, count = next(in) % VALUES;
    int ints[VALUES];
    double reals[VALUES];
    hsize_t chunk = 1 + next(in) % 8, huge = kind == 10 ? (hsize_t)1 << 40 : 2000000000;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), text = H5Tcopy(H5T_C_S1);
    for (unsigned k = 0; k < count; k++) {
        unsigned byte = next(in);
        ints[k] = hostile_int(byte);
        reals[k] = hostile_real(byte);
    }
    H5Tset_size(text, 1 + count);
    H5Pset_chunk(creation, 1, &chunk);
    if (kind & 1)
        H5Pset_deflate(creation, 1);
    switch (kind) {
    case 0:
    case 1:
        put_ints(file, path, count, ints);
        break;
    case 2:
    case 3:
        put_reals(file, path, count, reals);
        break;
    case 4:
        put(file, path, H5T_STD_I64BE, H5T_NATIVE_INT, count, creation, ints);
        break;
    case 5:
        put(file, path, H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, count, creation, reals);
        break;
    case 6:
        put(file, path, H5T_STD_I32LE, H5T_NATIVE_INT, count, H5P_DEFAULT, NULL);
        break;
    case 7:
        put(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, creation, NULL);
        break;
    case 8:
        put(file, path, text, text, 1, H5P_DEFAULT, reals);
        break;
    case 9:
        H5Ldelete(file, path, H5P_DEFAULT);
        break;
    default:
        put(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, huge, creation, NULL);
        break;
    }
    H5Tclose(text);
    H5Pclose(creation);
}

static unsigned char *make_image(const uint8_t *data, size_t size, size_t *bytes) {
    input in = {data, data + size};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, false);
    hid_t file = H5Fcreate("cairn-fuzz-image", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    unsigned form = next(&in);
    if (form & 2)
        put_valid_own(file, form & 1);
    else
        put_valid(file, form & 1);
    for (int k = 0; k < 24 && in.at < in.end; k++)
        put_hostile(file, &in);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t length = H5Fget_file_image(file, NULL, 0);
    unsigned char *image = length > 0 ? malloc((size_t)length) : NULL;
    if (image != NULL && H5Fget_file_image(file, image, (size_t)length) < 0) {
        free(image);
        image = NULL;
    }
    H5Fclose(file);
    *bytes = length > 0 ? (size_t)length : 0;
    return image;
}

/* Everything a solver would read. */
static double walk(const cairn_file *file) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    int cols = view.local ? view.m : view.n;
    double sum = 0.0;
    for (int e = 0; e < view.H_start[cols]; e++)
        sum += view.H_value[e] + view.b[0] * (view.H_index[e] < cols ? 1.0 : NAN);
    for (int e = 0; !view.local && e < view.D_start[view.m]; e++)
        sum += view.D_value[e] + view.k[view.D_index[e]];
    for (int k = 0; k < view.blocks; k++)
        sum += view.block[k].mu + view.block[k].radius + view.C[view.block_start[k]];
    for (int k = -1; k < file->guesses; k++) {
        const cairn_vectors *vectors = k < 0 ? &file->solution : &file->guess[k];
        for (int row = 0; row < view.m; row++)
            sum += (vectors->u != NULL ? vectors->u[row] : 0.0) + (vectors->r != NULL ? vectors->r[row] : 0.0);
        for (int row = 0; row < view.n; row++)
            sum += vectors->v != NULL ? vectors->v[row] : 0.0;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t bytes = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    unsigned char *image = make_image(data, size, &bytes);
    cairn_context *context = image != NULL ? counted_context() : NULL;
    if (context == NULL) {
        free(image);
        return 0;
    }
    cairn_file file = {0};
    if (cairn_file_read_memory(context, image, bytes, "fuzz", &file) == CAIRN_OK) {
        volatile double sum = walk(&file);
        (void)sum;
        cairn_file_clear(&file);
    } else if (cairn_error_message(context)[0] == '\0') {
        abort();
    }
    counted_end(context);
    free(image);
    if (H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0)
        abort();
    return 0;
}
