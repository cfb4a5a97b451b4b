/*
 * io.h: problems and answers in files. FCLIB (HDF5) is read and written, Siconos' text (.dat) is read. Meshes from Gmsh.
 *
 * Every type, extent and index of a file is checked before memory is taken or an array is walked. A bad
 * file gives CAIRN_ERROR_PARSE and a message that names the file, the dataset and what was expected.
 */
#ifndef CAIRN_IO_H
#define CAIRN_IO_H

#include "problem.h"
#include "fem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vectors that go with a problem; NULL where the file has none. A dataset that exists but was never written
 * (no storage) counts as none. */
typedef struct cairn_vectors {
    double *v; /* n */
    double *u; /* m */
    double *r; /* m: gamma. With equality rows, r holds the contacts' rows first, then l */
} cairn_vectors;

/* A problem file in memory. Equality rows (FCLIB's G, b or V, R, s) become bilateral blocks of one row each,
 * after the contacts. */
typedef struct cairn_file {
    cairn_problem *problem;                /* owned; law is CAIRN_LAW_COULOMB until changed */
    int spacedim;                          /* 2 or 3 */
    int contacts;                          /* number of contacts */
    int equalities;                        /* equality rows p; 0 in Cairn's own form */
    bool local;                            /* /fclib_local or FC2D/FC3D text */
    bool own;                              /* read from Cairn's own form: limits, motors, compliance, adhesion */
    char *title, *description, *math_info; /* owned; NULL when absent */
    cairn_vectors solution;                /* owned */
    int guesses;                           /* number of stored guesses */
    cairn_vectors *guess;                  /* owned; guesses */
    char *note;                            /* owned; what a text holds beside the problem and was left out; or NULL */
    cairn_context *context;
} cairn_file;

/* Chooses the reader by content: HDF5 signature, else Siconos text. */
CAIRN_API cairn_status cairn_file_read(cairn_context *context, const char *path, cairn_file *file);
CAIRN_API void cairn_file_clear(cairn_file *file);

/* Reads only /solution of an FCLIB file, or the answer behind the problem in Siconos' text, for a problem with sizes n,
 * m (p equality rows included in m). Fails with a clear message when nothing was stored. */
CAIRN_API cairn_status cairn_solution_read(cairn_context *context, const char *path, int n, int m, int equalities,
                                           cairn_vectors *vectors);
CAIRN_API void cairn_vectors_clear(cairn_context *context, cairn_vectors *vectors);

/* Writes an FCLIB file: problem, info, solution and guesses where present. Written beside and renamed: an
 * interrupted write leaves the old file. FCLIB holds cones of one dimension, then bilaterals, and C = 0; any other problem is written in Cairn's own
 * form (docs/formats.md), which cairn_file_read reads and other readers of FCLIB refuse. Sets of your own: CAIRN_ERROR_UNSUPPORTED. */
CAIRN_API cairn_status cairn_file_write(cairn_context *context, const char *path, const cairn_file *file);

/* Whether FCLIB can hold a problem. */
CAIRN_API bool cairn_file_fits_fclib(const cairn_problem *problem);

/* Reads FCLIB from memory (for tests and embedding). */
CAIRN_API cairn_status cairn_file_read_memory(cairn_context *context, const void *bytes, size_t size, const char *name,
                                              cairn_file *file);

/* A mesh from a file of Gmsh (.msh), text, version 2.2 or 4.1; places are multiplied by scale. Tetrahedra of 4 and 10 nodes and hexahedra of 8
 * become elements; in a file without volumes lines become beams. The physical groups of the elements by rising number are groups 0, 1, ...; every
 * physical group gives a set of nodes with its name. Messages name the line, the element and its nodes by Gmsh's numbers. */
CAIRN_API cairn_status cairn_fem_mesh_read(cairn_context *context, const char *path, double scale,
                                           cairn_fem_mesh **mesh);
/* The same from memory; name is for messages. */
CAIRN_API cairn_status cairn_fem_mesh_parse(cairn_context *context, const void *bytes, size_t size, const char *name,
                                            double scale, cairn_fem_mesh **mesh);

#ifdef __cplusplus
}
#endif
#endif
