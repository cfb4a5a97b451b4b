/*
 * fclib_write_data.c: datasets and matrix groups of an FCLIB file (docs/formats.md 3).
 *
 * The problem's matrices are compressed columns with sorted rows. Triplets come out in that order;
 * compressed rows are the transpose, with sorted columns.
 */
#include "io/problem_file/fclib_write.h"

#include <stdio.h>
#include <string.h>

static void fail_io(cairn_writer *w, const char *what, const char *name) {
    if (w->status != CAIRN_OK)
        return;
    w->status = CAIRN_ERROR_IO;
    snprintf(w->message, sizeof w->message, "%s %s cannot be written (disk full?)", what, name);
}

hid_t cairn_write_group(cairn_writer *w, hid_t parent, const char *name) {
    if (w->status != CAIRN_OK)
        return H5I_INVALID_HID;
    hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        fail_io(w, "group", name);
    return group;
}

void cairn_write_close(cairn_writer *w, hid_t group) {
    if (group >= 0 && H5Gclose(group) < 0)
        fail_io(w, "a", "group");
}

static void write_dataset(cairn_writer *w, hid_t group, const char *name, hid_t stored, hid_t given, hid_t space,
                          const void *values) {
    hid_t list = cairn_hdf5_timeless();
    hid_t set = space < 0 || list < 0 ? H5I_INVALID_HID
                                      : H5Dcreate2(group, name, stored, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool done = set >= 0 && (values == NULL || H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    if (list >= 0)
        H5Pclose(list);
    if (space >= 0)
        H5Sclose(space);
    if (!done)
        fail_io(w, "dataset", name);
}

void cairn_write_ints(cairn_writer *w, hid_t group, const char *name, const int *values, int count) {
    hsize_t extent = (hsize_t)count;
    if (w->status == CAIRN_OK)
        write_dataset(w, group, name, H5T_STD_I32LE, H5T_NATIVE_INT, H5Screate_simple(1, &extent, NULL),
                      count > 0 ? values : NULL);
}

void cairn_write_reals(cairn_writer *w, hid_t group, const char *name, const double *values, int count) {
    hsize_t extent = (hsize_t)count;
    if (w->status == CAIRN_OK)
        write_dataset(w, group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &extent, NULL),
                      count > 0 ? values : NULL);
}

void cairn_write_string(cairn_writer *w, hid_t group, const char *name, const char *text) {
    if (w->status != CAIRN_OK || text == NULL)
        return;
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0)
        fail_io(w, "string", name);
    else
        write_dataset(w, group, name, type, type, H5Screate(H5S_SCALAR), text);
    if (type >= 0)
        H5Tclose(type);
}

/* A part of a matrix: rows [row, row + rows), columns [col, col + cols). */
typedef struct part {
    const int *start, *index;
    const double *value;
    int row, rows, col, cols;
} part;

static void write_head(cairn_writer *w, hid_t group, const part *a, int nz, int nzmax) {
    cairn_write_ints(w, group, "m", &a->rows, 1);
    cairn_write_ints(w, group, "n", &a->cols, 1);
    cairn_write_ints(w, group, "nz", &nz, 1);
    cairn_write_ints(w, group, "nzmax", &nzmax, 1);
}

static bool inside(const part *a, int e) {
    return a->index[e] >= a->row && a->index[e] < a->row + a->rows;
}

static int count_entries(const part *a) {
    int count = 0;
    for (int e = a->start[a->col]; e < a->start[a->col + a->cols]; e++)
        count += inside(a, e);
    return count;
}

static void write_triplets(cairn_writer *w, hid_t top, const char *name, const part *a) {
    int count = count_entries(a), at = 0;
    int *row = cairn_alloc(w->context, (size_t)count, sizeof *row);
    int *col = cairn_alloc(w->context, (size_t)count, sizeof *col);
    double *value = cairn_alloc(w->context, (size_t)count, sizeof *value);
    if (row == NULL || col == NULL || value == NULL) {
        w->status = CAIRN_ERROR_MEMORY;
    } else {
        for (int j = 0; j < a->cols; j++)
            for (int e = a->start[a->col + j]; e < a->start[a->col + j + 1]; e++)
                if (inside(a, e)) {
                    row[at] = a->index[e] - a->row;
                    col[at] = j;
                    value[at++] = a->value[e];
                }
        hid_t group = cairn_write_group(w, top, name);
        write_head(w, group, a, count, count);
        cairn_write_ints(w, group, "p", col, count);
        cairn_write_ints(w, group, "i", row, count);
        cairn_write_reals(w, group, "x", value, count);
        cairn_write_close(w, group);
    }
    cairn_free(w->context, row);
    cairn_free(w->context, col);
    cairn_free(w->context, value);
}

/* start (rows + 1), col and value (entries) of the transpose of the columns; start is zeroed. */
static void to_rows(const part *a, int *start, int *col, double *value) {
    for (int e = a->start[a->col]; e < a->start[a->col + a->cols]; e++)
        if (inside(a, e))
            start[a->index[e] - a->row + 1]++;
    for (int i = 0; i < a->rows; i++)
        start[i + 1] += start[i];
    for (int j = 0; j < a->cols; j++)
        for (int e = a->start[a->col + j]; e < a->start[a->col + j + 1]; e++)
            if (inside(a, e)) {
                int at = start[a->index[e] - a->row]++;
                col[at] = j;
                value[at] = a->value[e];
            }
    for (int i = a->rows; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

static void write_rows(cairn_writer *w, hid_t top, const char *name, const part *a) {
    int count = count_entries(a);
    int *start = cairn_alloc(w->context, (size_t)a->rows + 1, sizeof *start);
    int *col = cairn_alloc(w->context, (size_t)count, sizeof *col);
    double *value = cairn_alloc(w->context, (size_t)count, sizeof *value);
    if (start == NULL || col == NULL || value == NULL) {
        w->status = CAIRN_ERROR_MEMORY;
    } else {
        to_rows(a, start, col, value);
        hid_t group = cairn_write_group(w, top, name);
        write_head(w, group, a, -2, count);
        cairn_write_ints(w, group, "p", start, a->rows + 1);
        cairn_write_ints(w, group, "i", col, count);
        cairn_write_reals(w, group, "x", value, count);
        cairn_write_close(w, group);
    }
    cairn_free(w->context, start);
    cairn_free(w->context, col);
    cairn_free(w->context, value);
}

void cairn_write_global_matrices(cairn_writer *w, hid_t top) {
    const cairn_problem_view *view = &w->view;
    part M = {view->H_start, view->H_index, view->H_value, 0, view->n, 0, view->n};
    part H = {view->D_start, view->D_index, view->D_value, 0, view->n, 0, w->rows};
    part G = {view->D_start, view->D_index, view->D_value, 0, view->n, w->rows, w->equalities};
    write_triplets(w, top, "M", &M);
    write_triplets(w, top, "H", &H);
    if (w->equalities > 0)
        write_triplets(w, top, "G", &G);
}

void cairn_write_own_matrices(cairn_writer *w, hid_t top) {
    const cairn_problem_view *view = &w->view;
    int size = view->local ? view->m : view->n;
    part A = {view->H_start, view->H_index, view->H_value, 0, size, 0, size};
    part D = {view->D_start, view->D_index, view->D_value, 0, view->n, 0, view->m};
    write_triplets(w, top, view->local ? "N" : "M", &A);
    if (!view->local)
        write_triplets(w, top, "D", &D);
}

void cairn_write_local_matrices(cairn_writer *w, hid_t top) {
    const cairn_problem_view *view = &w->view;
    part W = {view->H_start, view->H_index, view->H_value, 0, w->rows, 0, w->rows};
    part V = {view->H_start, view->H_index, view->H_value, 0, w->rows, w->rows, w->equalities};
    part R = {view->H_start, view->H_index, view->H_value, w->rows, w->equalities, w->rows, w->equalities};
    write_rows(w, top, "W", &W);
    if (w->equalities > 0) {
        write_triplets(w, top, "V", &V);
        write_triplets(w, top, "R", &R);
    }
}
