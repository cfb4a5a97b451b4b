/*
 * fclib_write.c: a problem into an FCLIB file (docs/formats.md), in the oldest HDF5 encoding:
 * 32-bit integers and 64-bit floats, little-endian, one dimension, contiguous.
 *
 *     global:  M = H as triplets, [H G] = D as triplets, f = k, [w; b] = b
 *     local:   [W V; V' R] = N; W as compressed rows, V and R as triplets, [q; s] = b
 *
 * What FCLIB cannot hold goes into Cairn's own form (cairn_form_write.c). FCLIB has no field
 * for the law and none for u of equality rows (0 by definition): both are left out.
 */
#include "io/problem_file/fclib_write.h"

#include "io/hdf5/hdf5_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What FCLIB's numbers are in terms of the problem's blocks. */
static cairn_status describe(cairn_context *context, const char *path, const cairn_file *file, cairn_writer *w) {
    const cairn_problem_view *view = &w->view;
    w->own = !cairn_file_fits_fclib(file->problem);
    w->spacedim = file->spacedim == 2 ? 2 : 3;
    if (w->own) {
        w->rows = view->m;
        return cairn_own_check(context, path, view);
    }
    while (w->contacts < view->blocks && cairn_own_is_contact(view->block[w->contacts].set))
        w->contacts++;
    if (w->contacts > 0)
        w->spacedim = view->block[0].dim;
    w->rows = view->block_start[w->contacts];
    w->equalities = view->m - w->rows;
    return CAIRN_OK;
}

static cairn_status check_finite(cairn_context *context, const char *path, const char *name, const double *values,
                                 int count) {
    for (int k = 0; values != NULL && k < count; k++)
        if (!isfinite(values[k]))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: %s[%d] is %g, expected a finite number", path, name,
                              k, values[k]);
    return CAIRN_OK;
}

/* Only what could be read back is written. */
static cairn_status check_extras(cairn_context *context, const char *path, const cairn_file *file,
                                 const cairn_writer *w) {
    const char *text[] = {file->title, file->description, file->math_info};
    for (int k = 0; k < 3; k++)
        if (text[k] != NULL && strlen(text[k]) >= CAIRN_HDF5_STRING_MAX)
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: an info string has %zu bytes, expected less than %zu",
                              path, strlen(text[k]), CAIRN_HDF5_STRING_MAX);
    if (file->guesses > CAIRN_FCLIB_GUESSES_MAX)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: %d guesses, expected at most %d", path, file->guesses,
                          CAIRN_FCLIB_GUESSES_MAX);
    cairn_status status = CAIRN_OK;
    for (int k = -1; k < file->guesses && status == CAIRN_OK; k++) {
        const cairn_vectors *vectors = k < 0 ? &file->solution : &file->guess[k];
        status = check_finite(context, path, "v", vectors->v, w->view.n);
        if (status == CAIRN_OK)
            status = check_finite(context, path, "u", vectors->u, w->view.m);
        if (status == CAIRN_OK)
            status = check_finite(context, path, "r", vectors->r, w->view.m);
    }
    return status;
}

static void write_info(cairn_writer *w, const cairn_file *file, hid_t top) {
    if (file->title == NULL && file->description == NULL && file->math_info == NULL)
        return;
    hid_t info = cairn_write_group(w, top, "info");
    cairn_write_string(w, info, "title", file->title);
    cairn_write_string(w, info, "description", file->description);
    cairn_write_string(w, info, "math_info", file->math_info);
    cairn_write_close(w, info);
}

static void write_own(cairn_writer *w, const cairn_file *file, hid_t root) {
    hid_t top = cairn_write_group(w, root, w->view.local ? "cairn_block_solver" : "cairn_global");
    cairn_write_own(w, top);
    write_info(w, file, top);
    cairn_write_close(w, top);
}

static void write_problem(cairn_writer *w, const cairn_file *file, hid_t root) {
    const cairn_problem_view *view = &w->view;
    hid_t top = cairn_write_group(w, root, view->local ? "fclib_local" : "fclib_global");
    cairn_write_ints(w, top, "spacedim", &w->spacedim, 1);
    if (view->local)
        cairn_write_local_matrices(w, top);
    else
        cairn_write_global_matrices(w, top);
    hid_t vectors = cairn_write_group(w, top, "vectors");
    if (!view->local)
        cairn_write_reals(w, vectors, "f", view->k, view->n);
    cairn_write_reals(w, vectors, view->local ? "q" : "w", view->b, w->rows);
    if (w->equalities > 0)
        cairn_write_reals(w, vectors, view->local ? "s" : "b", view->b + w->rows, w->equalities);
    double *mu = cairn_alloc(w->context, (size_t)w->contacts, sizeof *mu);
    if (mu == NULL)
        w->status = CAIRN_ERROR_MEMORY;
    for (int k = 0; k < w->contacts && mu != NULL; k++)
        mu[k] = view->block[k].mu;
    cairn_write_reals(w, vectors, "mu", mu, w->contacts);
    cairn_free(w->context, mu);
    cairn_write_close(w, vectors);
    write_info(w, file, top);
    cairn_write_close(w, top);
}

static void write_vectors(cairn_writer *w, hid_t parent, const char *name, const cairn_vectors *vectors) {
    hid_t group = cairn_write_group(w, parent, name);
    if (vectors->v != NULL && !w->view.local)
        cairn_write_reals(w, group, "v", vectors->v, w->view.n);
    if (vectors->u != NULL)
        cairn_write_reals(w, group, "u", vectors->u, w->rows);
    if (vectors->r != NULL)
        cairn_write_reals(w, group, "r", vectors->r, w->rows);
    if (vectors->r != NULL && w->equalities > 0)
        cairn_write_reals(w, group, "l", vectors->r + w->rows, w->equalities);
    cairn_write_close(w, group);
}

static void write_everything(cairn_writer *w, const cairn_file *file, hid_t root) {
    if (w->own)
        write_own(w, file, root);
    else
        write_problem(w, file, root);
    if (file->solution.v != NULL || file->solution.u != NULL || file->solution.r != NULL)
        write_vectors(w, root, "solution", &file->solution);
    if (file->guesses > 0) {
        hid_t guesses = cairn_write_group(w, root, "guesses");
        cairn_write_ints(w, guesses, "number_of_guesses", &file->guesses, 1);
        for (int k = 0; k < file->guesses; k++) {
            char name[16];
            snprintf(name, sizeof name, "%d", k + 1);
            write_vectors(w, guesses, name, &file->guess[k]);
        }
        cairn_write_close(w, guesses);
    }
}

static cairn_status write_path(cairn_writer *w, const char *path, const cairn_file *file) {
    cairn_output *output = NULL;
    cairn_status status = cairn_output_open_seeking(w->context, path, &output);
    if (status != CAIRN_OK)
        return status;
    cairn_hdf5_output h;
    hid_t root = cairn_hdf5_output_open(&h, output, false);
    if (root >= 0) {
        write_everything(w, file, root);
        status = w->status;
        if (status != CAIRN_OK && status != CAIRN_ERROR_MEMORY)
            status = cairn_fail(w->context, status, "%s: %s", path, w->message);
    }
    bool written = cairn_hdf5_output_close(&h);
    if (h.error != 0 || (status == CAIRN_OK && !written))
        status = cairn_fail(w->context, CAIRN_ERROR_IO, "%s: cannot be written: %s", path,
                            h.error != 0 ? strerror(h.error) : "libhdf5 gives no reason");
    cairn_status closed = cairn_output_close(output, status == CAIRN_OK);
    return status == CAIRN_OK ? closed : status;
}

cairn_status cairn_file_write(cairn_context *context, const char *path, const cairn_file *file) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (path == NULL || file == NULL || file->problem == NULL || file->guesses < 0 ||
        (file->guesses > 0 && file->guess == NULL))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "cairn_file_write: an argument, the problem or an announced guess is NULL");
    cairn_writer w = {.context = context, .view = cairn_problem_get(file->problem)};
    cairn_status status = describe(context, path, file, &w);
    if (status == CAIRN_OK)
        status = check_extras(context, path, file, &w);
    if (status != CAIRN_OK)
        return status;
    if (w.view.law != CAIRN_LAW_COULOMB)
        cairn_log(context, CAIRN_LOG_WARNING, "%s: FCLIB does not hold the law; it will be read back as %s", path,
                  cairn_law_name(CAIRN_LAW_COULOMB));
    H5E_BEGIN_TRY {
        status = write_path(&w, path, file);
    }
    H5E_END_TRY
    return status;
}
