/*
 * fclib_matrix.c: one FCLIB matrix group {m, n, nz, nzmax, p, i, x} (docs/formats.md).
 *
 *     nz >= 0   triplets: i rows, p columns, x values, nz of each
 *     nz = -1   compressed columns: p has n + 1 starts, i the rows
 *     nz = -2   compressed rows: p has m + 1 starts, i the columns
 *
 * nzmax is room that some writer had, not a length: it is not read. Compressed i and x may be
 * longer than the last start says. Repeats and explicit zeros are passed on; cairn_problem_create
 * sums and drops them.
 */
#include "io/problem_file/fclib.h"

#include <string.h>

void cairn_matrix_free(cairn_context *context, cairn_matrix *matrix) {
    cairn_free(context, matrix->index);
    cairn_free(context, matrix->other);
    cairn_free(context, matrix->value);
    *matrix = (cairn_matrix){0};
}

static cairn_status read_size(const cairn_hdf5 *h, const char *group, const char *name, int *value) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_join(group, name, path);
    cairn_status status = cairn_hdf5_read_int(h, group, name, value);
    if (status == CAIRN_OK && *value < 0)
        return cairn_hdf5_bad(h, path, "%d, expected 0 or more", *value);
    return status;
}

cairn_status cairn_matrix_read_size(const cairn_hdf5 *h, const char *group, int *rows, int *cols) {
    bool exists;
    cairn_status status = cairn_hdf5_look_group(h, group, &exists);
    if (status == CAIRN_OK && !exists)
        status = cairn_hdf5_bad(h, group, "missing");
    if (status == CAIRN_OK)
        status = read_size(h, group, "m", rows);
    if (status == CAIRN_OK)
        status = read_size(h, group, "n", cols);
    return status;
}

static cairn_status check_index(const cairn_hdf5 *h, const char *group, const char *name, const int *index, int count,
                                int limit) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_join(group, name, path);
    for (int k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= limit)
            return cairn_hdf5_bad(h, path, "entry %d is %d, expected 0 to %d", k, index[k], limit - 1);
    return CAIRN_OK;
}

static cairn_status check_starts(const cairn_hdf5 *h, const char *group, const int *start, int count, int entries) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_join(group, "p", path);
    if (start[0] != 0)
        return cairn_hdf5_bad(h, path, "entry 0 is %d, expected 0", start[0]);
    for (int k = 0; k < count; k++)
        if (start[k + 1] < start[k])
            return cairn_hdf5_bad(h, path, "entry %d is %d, expected at least %d", k + 1, start[k + 1], start[k]);
    if (start[count] > entries)
        return cairn_hdf5_bad(h, path, "entry %d is %d, expected at most the %d entries of i", count, start[count],
                              entries);
    return CAIRN_OK;
}

static cairn_status read_triplets(const cairn_hdf5 *h, const char *group, int nz, cairn_matrix *matrix) {
    cairn_sparse *view = &matrix->view;
    cairn_status status = cairn_hdf5_read_ints(h, group, "i", nz, &matrix->index);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_ints(h, group, "p", nz, &matrix->other);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, group, "x", nz, &matrix->value);
    if (status == CAIRN_OK)
        status = check_index(h, group, "i", matrix->index, nz, view->rows);
    if (status == CAIRN_OK)
        status = check_index(h, group, "p", matrix->other, nz, view->cols);
    view->format = CAIRN_SPARSE_TRIPLET;
    view->entries = nz;
    view->row = matrix->index;
    view->col = matrix->other;
    view->value = matrix->value;
    return status;
}

static cairn_status read_compressed(const cairn_hdf5 *h, const char *group, bool by_rows, cairn_matrix *matrix) {
    cairn_sparse *view = &matrix->view;
    int lines = by_rows ? view->rows : view->cols, entries = 0, starts = 0;
    char path[CAIRN_HDF5_PATH];
    cairn_status status = cairn_hdf5_length(h, group, "p", CAIRN_HDF5_INTEGER, &starts);
    /* Compared this way round because lines + 1 may overflow. */
    cairn_hdf5_join(group, "p", path);
    if (status == CAIRN_OK && starts - 1 != lines)
        status = cairn_hdf5_bad(h, path, "%d entries, expected %lld", starts, (long long)lines + 1);
    if (status == CAIRN_OK)
        status = cairn_hdf5_length(h, group, "i", CAIRN_HDF5_INTEGER, &entries);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_ints(h, group, "p", starts, &matrix->other);
    if (status == CAIRN_OK)
        status = check_starts(h, group, matrix->other, lines, entries);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_ints(h, group, "i", entries, &matrix->index);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, group, "x", entries, &matrix->value);
    if (status == CAIRN_OK)
        status = check_index(h, group, "i", matrix->index, matrix->other[lines], by_rows ? view->cols : view->rows);
    view->format = by_rows ? CAIRN_SPARSE_ROWS : CAIRN_SPARSE_COLUMNS;
    view->entries = status == CAIRN_OK ? matrix->other[lines] : 0;
    view->row = by_rows ? NULL : matrix->index;
    view->col = by_rows ? matrix->index : NULL;
    view->start = matrix->other;
    view->value = matrix->value;
    return status;
}

cairn_status cairn_matrix_read(const cairn_hdf5 *h, const char *group, int rows, int cols, cairn_matrix *matrix) {
    int m = 0, n = 0, nz = 0;
    char path[CAIRN_HDF5_PATH];
    cairn_status status = cairn_matrix_read_size(h, group, &m, &n);
    if (status == CAIRN_OK && (m != rows || n != cols))
        status = cairn_hdf5_bad(h, group, "%d x %d by its m and n, expected %d x %d", m, n, rows, cols);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_int(h, group, "nz", &nz);
    cairn_hdf5_join(group, "nz", path);
    if (status == CAIRN_OK && nz < -2)
        status = cairn_hdf5_bad(h, path, "%d, expected -2, -1 or the number of triplets", nz);
    if (status != CAIRN_OK)
        return status;
    matrix->view = (cairn_sparse){.rows = rows, .cols = cols};
    status = nz >= 0 ? read_triplets(h, group, nz, matrix) : read_compressed(h, group, nz == -2, matrix);
    if (status != CAIRN_OK)
        cairn_matrix_free(h->context, matrix);
    return status;
}
