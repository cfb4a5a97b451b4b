/*
 * fclib.h: what lies between a file and a problem: arrays as FCLIB has them, checked, in memory.
 */
#ifndef CAIRN_IO_PROBLEM_FILE_FCLIB_H
#define CAIRN_IO_PROBLEM_FILE_FCLIB_H

#include "io/hdf5/hdf5_util.h"

#include <cairn/io.h>

#define CAIRN_FCLIB_GUESSES_MAX 10000

/* A matrix that owns its arrays; view points into them. */
typedef struct cairn_matrix {
    int *index, *other; /* FCLIB's i and p */
    double *value;
    cairn_sparse view;
} cairn_matrix;

/* A friction problem with contacts*spacedim = m rows and p equality rows.
 *     global: A = M (n x n), B = H (n x m), E = G (n x p), f (n), w (m), s = b (p)
 *     local:  A = W (m x m), E = V (m x p), R (p x p), w = q (m), s (p) */
typedef struct cairn_raw {
    bool local;
    int spacedim, contacts, equalities;
    cairn_matrix A, B, E, R;
    double *f, *w, *s, *mu; /* s NULL when there are no equality rows */
} cairn_raw;

/* Cairn's own form of a problem that FCLIB cannot hold: cairn_form_read.c, cairn_form_write.c. */
enum { CAIRN_OWN_VERSION = 1, CAIRN_OWN_REALS = 6 };
extern const char *const cairn_own_real_names[CAIRN_OWN_REALS]; /* fields of a block, each a dataset */
/* The problem of /cairn_global or /cairn_block_solver. */
cairn_status cairn_own_read(const cairn_hdf5 *h, bool local, cairn_file *file);

void cairn_matrix_free(cairn_context *context, cairn_matrix *matrix);
void cairn_raw_free(cairn_context *context, cairn_raw *raw);

/* Checks what all formats share (friction coefficients, sums of sizes) and makes the problem. A
 * refusal by cairn_problem_create is reported as a fault of the file called name. */
cairn_status cairn_raw_build(cairn_context *context, const char *name, const cairn_raw *raw, cairn_file *file);

/* cairn_problem_create; a refusal is a fault of the file called name, unless memory ran out. */
cairn_status cairn_raw_create(cairn_context *context, const char *name, const cairn_problem_def *def,
                              cairn_problem **problem);

/* Reads the sizes of the matrix in a group, then its arrays. rows and cols are what is expected. */
cairn_status cairn_matrix_read_size(const cairn_hdf5 *h, const char *group, int *rows, int *cols);
cairn_status cairn_matrix_read(const cairn_hdf5 *h, const char *group, int rows, int cols, cairn_matrix *matrix);

/* All of an FCLIB file into an empty file struct; the caller clears it after a failure. */
cairn_status cairn_fclib_read(const cairn_hdf5 *h, cairn_file *file);
/* The vectors v, u, r, l of a group, for n velocities and rows contact rows; n = 0: v is not
 * looked for. Absent or never written: NULL. r is kept only when l is there too (equalities >
 * 0). */
cairn_status cairn_fclib_read_vectors(const cairn_hdf5 *h, const char *group, int n, int rows, int equalities,
                                      cairn_vectors *vectors);

/* Siconos' text. bytes need not end in NUL. */
cairn_status cairn_siconos_read(cairn_context *context, const char *name, const char *bytes, size_t size,
                                cairn_file *file);

#endif
