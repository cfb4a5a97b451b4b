/*
 * problem_file.c: the entry points of io.h for reading: which reader a file needs, and giving its
 * memory back.
 *
 * libhdf5 prints errors by itself; it is silenced for the length of a call and
 * then set back as it was. H5close is never called: the application may use libhdf5 too.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/input.h"
#include "io/problem_file/fclib.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

void cairn_vectors_clear(cairn_context *context, cairn_vectors *vectors) {
    if (context == NULL || vectors == NULL)
        return;
    cairn_free(context, vectors->v);
    cairn_free(context, vectors->u);
    cairn_free(context, vectors->r);
    *vectors = (cairn_vectors){0};
}

void cairn_file_clear(cairn_file *file) {
    if (file == NULL || file->context == NULL)
        return;
    cairn_problem_destroy(file->problem);
    cairn_free(file->context, file->title);
    cairn_free(file->context, file->description);
    cairn_free(file->context, file->math_info);
    cairn_vectors_clear(file->context, &file->solution);
    for (int k = 0; k < file->guesses; k++)
        cairn_vectors_clear(file->context, &file->guess[k]);
    cairn_free(file->context, file->guess);
    cairn_free(file->context, file->note);
    *file = (cairn_file){0};
}

static cairn_status read_text(cairn_context *context, const char *path, FILE *stream, uint64_t bytes,
                              cairn_file *file) {
    if (bytes > INT_MAX)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: no HDF5 signature, and too long for text: %llu bytes", path,
                          (unsigned long long)bytes);
    char *text = cairn_alloc(context, (size_t)bytes, 1);
    if (text == NULL)
        return CAIRN_ERROR_MEMORY;
    rewind(stream);
    size_t size = fread(text, 1, (size_t)bytes, stream);
    cairn_status status;
    if (size != bytes)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: %zu bytes could be read, expected %llu", path, size,
                            (unsigned long long)bytes);
    else
        status = cairn_siconos_read(context, path, text, size, file);
    cairn_free(context, text);
    return status;
}

static cairn_status read_path(cairn_context *context, const char *path, cairn_file *file) {
    FILE *stream;
    uint64_t bytes = 0;
    bool hdf5 = false;
    cairn_status status = cairn_input_open(context, path, &stream, &bytes);
    if (status != CAIRN_OK)
        return status;
    status = cairn_hdf5_probe(context, path, stream, &bytes, &hdf5);
    if (status == CAIRN_OK && !hdf5)
        status = read_text(context, path, stream, bytes, file);
    fclose(stream);
    if (status != CAIRN_OK || !hdf5)
        return status;
    cairn_hdf5 h;
    status = cairn_hdf5_open_path(context, path, bytes, &h);
    if (status == CAIRN_OK)
        status = cairn_fclib_read(&h, file);
    cairn_hdf5_close(&h);
    return status;
}

static cairn_status read_memory(cairn_context *context, const void *bytes, size_t size, const char *name,
                                cairn_file *file) {
    int64_t at = cairn_hdf5_signature(bytes, size < CAIRN_HDF5_USER_BLOCK + 8 ? size : CAIRN_HDF5_USER_BLOCK + 8);
    if (at < 0)
        return cairn_siconos_read(context, name, bytes, size, file);
    uint64_t used = size;
    cairn_status status = cairn_hdf5_check_superblock(context, name, (const unsigned char *)bytes + at,
                                                      size - (size_t)at, &used);
    if (status != CAIRN_OK)
        return status;
    cairn_hdf5 h;
    status = cairn_hdf5_open_memory(context, bytes, size, name, &h);
    if (status == CAIRN_OK)
        status = cairn_fclib_read(&h, file);
    cairn_hdf5_close(&h);
    return status;
}

/* Hands over what was read, or throws it away. */
static cairn_status finish(cairn_status status, cairn_file *read, cairn_file *file) {
    if (status == CAIRN_OK)
        *file = *read;
    else
        cairn_file_clear(read);
    return status;
}

cairn_status cairn_file_read(cairn_context *context, const char *path, cairn_file *file) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (path == NULL || file == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_file_read: an argument is NULL");
    cairn_file read = {.context = context};
    cairn_status status;
    H5E_BEGIN_TRY {
        status = read_path(context, path, &read);
    }
    H5E_END_TRY
    return finish(status, &read, file);
}

cairn_status cairn_file_read_memory(cairn_context *context, const void *bytes, size_t size, const char *name,
                                    cairn_file *file) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if ((bytes == NULL && size > 0) || name == NULL || file == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_file_read_memory: an argument is NULL");
    cairn_file read = {.context = context};
    cairn_status status;
    H5E_BEGIN_TRY {
        status = read_memory(context, bytes, size, name, &read);
    }
    H5E_END_TRY
    return finish(status, &read, file);
}

/* The answer behind the problem of a text. */
static cairn_status read_text_solution(cairn_context *context, const char *path, FILE *stream, uint64_t bytes, int n,
                                       int m, cairn_vectors *vectors) {
    cairn_file file = {.context = context};
    cairn_status status = read_text(context, path, stream, bytes, &file);
    if (status == CAIRN_OK) {
        cairn_problem_view view = cairn_problem_get(file.problem);
        const cairn_vectors *s = &file.solution;
        if (view.n != n || view.m != m)
            status = cairn_fail(context, CAIRN_ERROR_PARSE, "%s: %d velocities and %d rows, expected %d and %d", path,
                                view.n, view.m, n, m);
        else if (s->v == NULL && s->u == NULL && s->r == NULL)
            status = cairn_fail(context, CAIRN_ERROR_PARSE, "%s: no answer behind the problem%s%s", path,
                                file.note != NULL ? ": " : ", expected a reaction", file.note != NULL ? file.note : "");
    }
    if (status == CAIRN_OK) {
        *vectors = file.solution;
        file.solution = (cairn_vectors){0};
    }
    cairn_file_clear(&file);
    return status;
}

static cairn_status read_solution(cairn_context *context, const char *path, int n, int m, int equalities,
                                  cairn_vectors *vectors) {
    FILE *stream;
    uint64_t bytes = 0;
    bool hdf5 = false, exists = false;
    cairn_status status = cairn_input_open(context, path, &stream, &bytes);
    if (status != CAIRN_OK)
        return status;
    status = cairn_hdf5_probe(context, path, stream, &bytes, &hdf5);
    if (status == CAIRN_OK && !hdf5)
        status = read_text_solution(context, path, stream, bytes, n, m, vectors);
    fclose(stream);
    if (status != CAIRN_OK || !hdf5)
        return status;
    cairn_hdf5 h;
    status = cairn_hdf5_open_path(context, path, bytes, &h);
    if (status == CAIRN_OK)
        status = cairn_hdf5_look_group(&h, "/solution", &exists);
    if (status == CAIRN_OK && !exists)
        status = cairn_hdf5_bad(&h, "/solution", "missing");
    if (status == CAIRN_OK)
        status = cairn_fclib_read_vectors(&h, "/solution", n, m - equalities, equalities, vectors);
    if (status == CAIRN_OK && vectors->v == NULL && vectors->u == NULL && vectors->r == NULL)
        status = cairn_hdf5_bad(&h, "/solution",
                                "no values: v, u and r (with l for equality rows) are missing or were never written");
    cairn_hdf5_close(&h);
    return status;
}

cairn_status cairn_solution_read(cairn_context *context, const char *path, int n, int m, int equalities,
                                 cairn_vectors *vectors) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (path == NULL || vectors == NULL || n < 0 || equalities < 0 || m < equalities)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "cairn_solution_read: an argument is NULL, or n = %d, m = %d, equalities = %d do not fit", n,
                          m, equalities);
    cairn_vectors read = {0};
    cairn_status status;
    H5E_BEGIN_TRY {
        status = read_solution(context, path, n, m, equalities, &read);
    }
    H5E_END_TRY
    if (status == CAIRN_OK)
        *vectors = read;
    return status;
}
