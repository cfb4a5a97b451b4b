/*
 * test_io_fixture.h: small FCLIB files made with libhdf5 itself, in memory, not with the writer under test.
 */
#ifndef CAIRN_TEST_IO_FIXTURE_H
#define CAIRN_TEST_IO_FIXTURE_H

#include "support/support.h"

#include <hdf5.h>

/* A new file that lives in memory only. */
static inline hid_t image_begin(void) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, false);
    hid_t file = H5Fcreate("cairn-test-image", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

/* Closes the file and returns its bytes, to be freed. */
static inline unsigned char *image_end(hid_t file, size_t *size) {
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t needed = H5Fget_file_image(file, NULL, 0);
    unsigned char *bytes = malloc((size_t)needed);
    H5Fget_file_image(file, bytes, (size_t)needed);
    H5Fclose(file);
    *size = (size_t)needed;
    return bytes;
}

/* One dataset at a path whose groups are made on the way; replaces what is there. values NULL: never written.
 * creation may be H5P_DEFAULT. rank 0 is a scalar. */
static inline void put(hid_t file, const char *path, hid_t stored, hid_t given, int rank, const hsize_t *extent,
                       hid_t creation, const void *values) {
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5E_BEGIN_TRY {
        H5Ldelete(file, path, H5P_DEFAULT);
    }
    H5E_END_TRY
    hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, NULL);
    hid_t set = H5Dcreate2(file, path, stored, space, links, creation, H5P_DEFAULT);
    if (values != NULL)
        H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

static inline void put_ints(hid_t file, const char *path, const int *values, int count) {
    hsize_t extent = (hsize_t)count;
    put(file, path, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &extent, H5P_DEFAULT, values);
}

static inline void put_int(hid_t file, const char *path, int value) {
    put_ints(file, path, &value, 1);
}

static inline void put_reals(hid_t file, const char *path, const double *values, int count) {
    hsize_t extent = (hsize_t)count;
    put(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &extent, H5P_DEFAULT, values);
}

static inline void put_unwritten(hid_t file, const char *path, int count) {
    hsize_t extent = (hsize_t)count;
    put(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &extent, H5P_DEFAULT, NULL);
}

static inline void put_text(hid_t file, const char *path, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    put(file, path, type, type, 0, NULL, H5P_DEFAULT, text);
    H5Tclose(type);
}

static inline void put_matrix(hid_t file, const char *group, int m, int n, int nz, int entries, const int *i,
                              const int *p, int starts, const double *x) {
    char path[128];
    const char *names[] = {"m", "n", "nz", "nzmax"};
    int values[] = {m, n, nz, entries + 7}; /* nzmax is wrong in real files too */
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s", group, names[k]);
        put_int(file, path, values[k]);
    }
    snprintf(path, sizeof path, "%s/i", group);
    put_ints(file, path, i, entries);
    snprintf(path, sizeof path, "%s/p", group);
    put_ints(file, path, p, starts);
    snprintf(path, sizeof path, "%s/x", group);
    put_reals(file, path, x, entries);
}

static const double global_f[4] = {1.0, -2.5, 0x1.fffffffffffffp-3, 1e-300};
static const double global_w[6] = {0.1, 0.2, 0.3, -0.1, -0.2, 1.0 / 3.0};
static const double global_mu[2] = {0.3, 0.0};

/* Two contacts in 3D on four velocities. M is given as unsorted triplets with a repeat and an explicit zero:
 *     M = [2 .5 0 0; .5 2 0 0; 0 0 1 0; 0 0 0 1],  H is 4 x 6.                                              */
static inline void put_global(hid_t file) {
    const int Mi[] = {3, 0, 1, 0, 1, 2, 2, 0, 3}, Mp[] = {3, 0, 1, 1, 0, 2, 2, 3, 0};
    const double Mx[] = {1.0, 2.0, 2.0, 0.5, 0.5, 0.75, 0.25, 0.0, 0.0};
    const int Hi[] = {2, 0, 1, 3, 3, 0}, Hp[] = {5, 0, 1, 2, 3, 4};
    const double Hx[] = {1.0 / 3.0, 1.0, -1.0, 2.0, 0.1, -0.7};
    put_int(file, "/fclib_global/spacedim", 3);
    put_matrix(file, "/fclib_global/M", 4, 4, 9, 9, Mi, Mp, 9, Mx);
    put_matrix(file, "/fclib_global/H", 4, 6, 6, 6, Hi, Hp, 6, Hx);
    put_reals(file, "/fclib_global/vectors/f", global_f, 4);
    put_reals(file, "/fclib_global/vectors/w", global_w, 6);
    put_reals(file, "/fclib_global/vectors/mu", global_mu, 2);
}

/* One contact in 2D with one equality row: W = [2 1; 1 3] as compressed rows, V = [1; -1], R = [4]. */
static inline void put_local(hid_t file, bool equality) {
    const int Wi[] = {0, 1, 0, 1}, Wp[] = {0, 2, 4};
    const double Wx[] = {2.0, 1.0, 1.0, 3.0}, q[] = {-1.0, 0.25}, mu[] = {0.5};
    put_int(file, "/fclib_local/spacedim", 2);
    put_matrix(file, "/fclib_local/W", 2, 2, -2, 4, Wi, Wp, 3, Wx);
    put_reals(file, "/fclib_local/vectors/q", q, 2);
    put_reals(file, "/fclib_local/vectors/mu", mu, 1);
    if (!equality)
        return;
    const int Vi[] = {0, 1}, Vp[] = {0, 2}, Ri[] = {0}, Rp[] = {0};
    const double Vx[] = {1.0, -1.0}, Rx[] = {4.0}, s[] = {0.125};
    put_matrix(file, "/fclib_local/V", 2, 1, -1, 2, Vi, Vp, 2, Vx);
    put_matrix(file, "/fclib_local/R", 1, 1, 1, 1, Ri, Rp, 1, Rx);
    put_reals(file, "/fclib_local/vectors/s", s, 1);
}

/* Reads and frees the image. */
static inline cairn_status read_image(cairn_context *context, hid_t file, cairn_file *out) {
    size_t size;
    unsigned char *bytes = image_end(file, &size);
    cairn_status status = cairn_file_read_memory(context, bytes, size, "image", out);
    free(bytes);
    return status;
}

/* Entry of a compressed-column matrix. */
static inline double entry_of(const int *start, const int *index, const double *value, int row, int col) {
    for (int e = start[col]; e < start[col + 1]; e++)
        if (index[e] == row)
            return value[e];
    return 0.0;
}

static inline double H_of(const cairn_file *file, int row, int col) {
    cairn_problem_view v = cairn_problem_get(file->problem);
    return entry_of(v.H_start, v.H_index, v.H_value, row, col);
}

static inline double D_of(const cairn_file *file, int row, int col) {
    cairn_problem_view v = cairn_problem_get(file->problem);
    return entry_of(v.D_start, v.D_index, v.D_value, row, col);
}

/* libhdf5 must hold nothing open once a call is over. */
static inline int open_handles(void) {
    return (int)H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
}

#endif
