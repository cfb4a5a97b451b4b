/*
 * siconos.h: the parts of reading Siconos' text files.
 */
#ifndef CAIRN_IO_PROBLEM_FILE_SICONOS_H
#define CAIRN_IO_PROBLEM_FILE_SICONOS_H

#include "io/problem_file/fclib.h"
#include "io/text/text_scan.h"

/* A Siconos matrix: dense, block or sparse. name is for messages. */
cairn_status cairn_scan_matrix(cairn_scan *scan, const char *name, cairn_matrix *matrix);

/* What stands behind a problem in Siconos' text. */
typedef struct cairn_siconos_vectors {
    bool none;             /* nothing at all */
    cairn_vectors vectors; /* owned by the reader: r, perhaps u, perhaps v; NULL where there are none */
    char note[256];        /* what was left out, and why; "" when nothing was */
} cairn_siconos_vectors;

/* Reads the rest of the text: siconos_vectors.c. Only texts of another kind of problem are
 * refused. */
cairn_status cairn_scan_rest(cairn_scan *scan, const cairn_raw *raw, cairn_siconos_vectors *rest);

#endif
