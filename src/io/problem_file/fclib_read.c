/*
 * fclib_read.c: an FCLIB file into a problem (docs/formats.md).
 *
 *     global:  M v = H r + G l + f,  u = H'v + w,  G'v + b = 0
 *     local:   u = W r + V l + q,  V'r + R l + s = 0
 *
 * Sizes come from the matrices and are compared with the extents of the vectors before any memory
 * is taken by them.
 */
#include "io/problem_file/fclib.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const top_names[] = {"/fclib_global",        "/fclib_local",  "/fclib_global_rolling",
                                        "/fclib_local_rolling", "/cairn_global", "/cairn_block_solver"};
enum { TOP_OWN = 4, TOP_COUNT = 6 };

/* Which one of the top groups holds the problem. */
static cairn_status find_top(const cairn_hdf5 *h, int *top) {
    bool exists[TOP_COUNT];
    int found = 0;
    for (int k = 0; k < TOP_COUNT; k++) {
        cairn_status status = cairn_hdf5_look_group(h, top_names[k], &exists[k]);
        if (status != CAIRN_OK)
            return status;
        found += exists[k];
    }
    if (found > 1)
        return cairn_fail(
            h->context, CAIRN_ERROR_PARSE, "%s: %d problems (%s%s%s%s), expected one of /fclib_global and /fclib_local",
            h->name, found, exists[0] ? "global " : "", exists[1] ? "local " : "",
            exists[2] || exists[3] ? "rolling " : "", exists[TOP_OWN] || exists[TOP_OWN + 1] ? "Cairn's own" : "");
    if (exists[2] || exists[3])
        return cairn_fail(h->context, CAIRN_ERROR_UNSUPPORTED,
                          "%s: %s: a rolling friction problem; these are recognised but not supported yet", h->name,
                          top_names[exists[2] ? 2 : 3]);
    if (found == 0) {
        char names[200];
        cairn_hdf5_root_names(h, names, sizeof names);
        return cairn_fail(h->context, CAIRN_ERROR_PARSE,
                          "%s: HDF5, but not FCLIB: expected the group /fclib_global or /fclib_local, found %s",
                          h->name, names);
    }
    while (!exists[*top])
        ++*top;
    return CAIRN_OK;
}

/* spacedim, and the number of contacts from m = spacedim * contacts. */
static cairn_status read_contacts(const cairn_hdf5 *h, const char *top, const char *matrix, int m, cairn_raw *raw) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_join(top, "spacedim", path);
    cairn_status status = cairn_hdf5_read_int(h, top, "spacedim", &raw->spacedim);
    if (status == CAIRN_OK && raw->spacedim != 2 && raw->spacedim != 3)
        status = cairn_hdf5_bad(h, path, "%d, expected 2 or 3", raw->spacedim);
    if (status == CAIRN_OK && m % raw->spacedim != 0)
        status = cairn_hdf5_bad(h, matrix, "%d contact rows, expected a multiple of spacedim = %d", m, raw->spacedim);
    if (status == CAIRN_OK)
        raw->contacts = m / raw->spacedim;
    return status;
}

static cairn_status read_friction(const cairn_hdf5 *h, const char *vectors, cairn_raw *raw) {
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_join(vectors, "mu", path);
    cairn_status status = cairn_hdf5_read_reals(h, vectors, "mu", raw->contacts, &raw->mu);
    for (int k = 0; k < raw->contacts && status == CAIRN_OK; k++)
        if (raw->mu[k] < 0.0)
            status = cairn_hdf5_bad(h, path, "entry %d is %g, expected 0 or more", k, raw->mu[k]);
    return status;
}

/* The right-hand side of equality rows must not be there without its matrix. */
static cairn_status refuse_orphan(const cairn_hdf5 *h, const char *path, const char *matrix) {
    cairn_hdf5_kind kind;
    cairn_status status = cairn_hdf5_look(h, path, &kind);
    if (status == CAIRN_OK && kind != CAIRN_HDF5_ABSENT)
        return cairn_hdf5_bad(h, path, "given without its matrix %s", matrix);
    return status;
}

static cairn_status read_global(const cairn_hdf5 *h, cairn_raw *raw) {
    const char *vectors = "/fclib_global/vectors", *G = "/fclib_global/G";
    int n = 0, cols = 0, rows = 0, m = 0;
    bool equalities = false;
    cairn_status status = cairn_matrix_read_size(h, "/fclib_global/M", &n, &cols);
    if (status == CAIRN_OK && (n < 1 || n != cols))
        status = cairn_hdf5_bad(h, "/fclib_global/M", "%d x %d, expected square and at least 1 x 1", n, cols);
    if (status == CAIRN_OK)
        status = cairn_matrix_read_size(h, "/fclib_global/H", &rows, &m);
    if (status == CAIRN_OK)
        status = read_contacts(h, "/fclib_global", "/fclib_global/H", m, raw);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "f", n, &raw->f);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "w", m, &raw->w);
    if (status == CAIRN_OK)
        status = read_friction(h, vectors, raw);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, "/fclib_global/M", n, n, &raw->A);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, "/fclib_global/H", n, m, &raw->B);
    if (status == CAIRN_OK)
        status = cairn_hdf5_look_group(h, G, &equalities);
    if (status == CAIRN_OK && !equalities)
        return refuse_orphan(h, "/fclib_global/vectors/b", G);
    if (status == CAIRN_OK)
        status = cairn_matrix_read_size(h, G, &rows, &raw->equalities);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "b", raw->equalities, &raw->s);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, G, n, raw->equalities, &raw->E);
    return status;
}

static cairn_status read_local(const cairn_hdf5 *h, cairn_raw *raw) {
    const char *vectors = "/fclib_local/vectors", *V = "/fclib_local/V", *R = "/fclib_local/R";
    int rows = 0, m = 0;
    bool has_V = false, has_R = false;
    cairn_status status = cairn_matrix_read_size(h, "/fclib_local/W", &m, &rows);
    if (status == CAIRN_OK && m != rows)
        status = cairn_hdf5_bad(h, "/fclib_local/W", "%d x %d, expected square", m, rows);
    if (status == CAIRN_OK)
        status = read_contacts(h, "/fclib_local", "/fclib_local/W", m, raw);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "q", m, &raw->w);
    if (status == CAIRN_OK)
        status = read_friction(h, vectors, raw);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, "/fclib_local/W", m, m, &raw->A);
    if (status == CAIRN_OK)
        status = cairn_hdf5_look_group(h, V, &has_V);
    if (status == CAIRN_OK)
        status = cairn_hdf5_look_group(h, R, &has_R);
    if (status == CAIRN_OK && !has_V && !has_R)
        return refuse_orphan(h, "/fclib_local/vectors/s", V);
    if (status == CAIRN_OK && has_V != has_R)
        status = cairn_hdf5_bad(h, has_V ? R : V, "missing, although %s is there", has_V ? V : R);
    if (status == CAIRN_OK)
        status = cairn_matrix_read_size(h, V, &rows, &raw->equalities);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "s", raw->equalities, &raw->s);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, V, m, raw->equalities, &raw->E);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, R, raw->equalities, raw->equalities, &raw->R);
    return status;
}

static cairn_status read_info(const cairn_hdf5 *h, const char *top, cairn_file *file) {
    char group[CAIRN_HDF5_PATH];
    bool exists;
    cairn_hdf5_join(top, "info", group);
    cairn_status status = cairn_hdf5_look_group(h, group, &exists);
    if (status == CAIRN_OK && exists)
        status = cairn_hdf5_read_string(h, group, "title", &file->title);
    if (status == CAIRN_OK && exists)
        status = cairn_hdf5_read_string(h, group, "description", &file->description);
    if (status == CAIRN_OK && exists)
        status = cairn_hdf5_read_string(h, group, "math_info", &file->math_info);
    return status;
}

/* Room for count + extra values, then the count of them that are stored; *values stays NULL when
 * none are. */
static cairn_status read_vector(const cairn_hdf5 *h, const char *group, const char *name, int count, int extra,
                                double **values) {
    bool found = false;
    cairn_hdf5_array array;
    char path[CAIRN_HDF5_PATH];
    cairn_hdf5_join(group, name, path);
    cairn_status status = cairn_hdf5_array_open(h, path, CAIRN_HDF5_REAL, &array);
    bool there = status == CAIRN_OK && array.id >= 0;
    cairn_hdf5_array_close(&array);
    if (!there)
        return status;
    double *taken = cairn_alloc(h->context, (size_t)count + (size_t)extra, sizeof *taken);
    if (taken == NULL)
        return CAIRN_ERROR_MEMORY;
    status = cairn_hdf5_read_optional(h, group, name, count, taken, &found);
    if (found)
        *values = taken;
    else
        cairn_free(h->context, taken);
    return status;
}

cairn_status cairn_fclib_read_vectors(const cairn_hdf5 *h, const char *group, int n, int rows, int equalities,
                                      cairn_vectors *vectors) {
    cairn_vectors read = {0};
    bool complete = true;
    cairn_status status = CAIRN_OK;
    if (n > 0)
        status = read_vector(h, group, "v", n, 0, &read.v);
    if (status == CAIRN_OK)
        status = read_vector(h, group, "u", rows, equalities, &read.u);
    if (status == CAIRN_OK)
        status = read_vector(h, group, "r", rows, equalities, &read.r);
    if (status == CAIRN_OK && read.r != NULL && equalities > 0)
        status = cairn_hdf5_read_optional(h, group, "l", equalities, read.r + rows, &complete);
    if (!complete) {
        cairn_free(h->context, read.r);
        read.r = NULL;
    }
    if (status == CAIRN_OK)
        *vectors = read;
    else
        cairn_vectors_clear(h->context, &read);
    return status;
}

static cairn_status read_guesses(const cairn_hdf5 *h, int n, int rows, cairn_file *file) {
    bool exists;
    int count = 0;
    char group[CAIRN_HDF5_PATH];
    cairn_status status = cairn_hdf5_look_group(h, "/guesses", &exists);
    if (status != CAIRN_OK || !exists)
        return status;
    status = cairn_hdf5_read_int(h, "/guesses", "number_of_guesses", &count);
    if (status == CAIRN_OK && (count < 0 || count > CAIRN_FCLIB_GUESSES_MAX))
        status = cairn_hdf5_bad(h, "/guesses/number_of_guesses", "%d, expected 0 to %d", count,
                                CAIRN_FCLIB_GUESSES_MAX);
    if (status != CAIRN_OK || count == 0)
        return status;
    file->guess = cairn_alloc(h->context, (size_t)count, sizeof *file->guess);
    if (file->guess == NULL)
        return CAIRN_ERROR_MEMORY;
    file->guesses = count;
    for (int k = 0; k < count && status == CAIRN_OK; k++) {
        snprintf(group, sizeof group, "/guesses/%d", k + 1);
        status = cairn_hdf5_look_group(h, group, &exists);
        if (status == CAIRN_OK && !exists)
            status = cairn_hdf5_bad(h, group, "missing, number_of_guesses is %d", count);
        if (status == CAIRN_OK)
            status = cairn_fclib_read_vectors(h, group, n, rows, file->equalities, &file->guess[k]);
    }
    return status;
}

/* The problem in FCLIB's form. */
static cairn_status read_plain(const cairn_hdf5 *h, bool local, cairn_file *file) {
    cairn_raw raw = {.local = local};
    cairn_status status = local ? read_local(h, &raw) : read_global(h, &raw);
    if (status == CAIRN_OK)
        status = cairn_raw_build(h->context, h->name, &raw, file);
    cairn_raw_free(h->context, &raw);
    return status;
}

cairn_status cairn_fclib_read(const cairn_hdf5 *h, cairn_file *file) {
    bool solution = false;
    int top = 0, n = 0, rows = 0;
    cairn_status status = find_top(h, &top);
    if (status == CAIRN_OK)
        status = top >= TOP_OWN ? cairn_own_read(h, top > TOP_OWN, file) : read_plain(h, top == 1, file);
    if (status == CAIRN_OK) {
        cairn_problem_view view = cairn_problem_get(file->problem);
        n = view.n;
        rows = view.m - file->equalities;
        status = read_info(h, top_names[top], file);
    }
    if (status == CAIRN_OK)
        status = cairn_hdf5_look_group(h, "/solution", &solution);
    if (status == CAIRN_OK && solution)
        status = cairn_fclib_read_vectors(h, "/solution", n, rows, file->equalities, &file->solution);
    if (status == CAIRN_OK)
        status = read_guesses(h, n, rows, file);
    return status;
}
