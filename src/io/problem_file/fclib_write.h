/*
 * fclib_write.h: the pieces an FCLIB file is written from. A writer keeps its first failure; later
 * calls then do nothing, so the callers read like the file.
 */
#ifndef CAIRN_IO_PROBLEM_FILE_FCLIB_WRITE_H
#define CAIRN_IO_PROBLEM_FILE_FCLIB_WRITE_H

#include "io/problem_file/fclib.h"

typedef struct cairn_writer {
    cairn_context *context;
    cairn_problem_view view;
    int spacedim, contacts, equalities;
    int rows; /* contact rows = spacedim * contacts; in the own form all rows */
    bool own; /* FCLIB cannot hold the problem */
    cairn_status status;
    char message[96]; /* of a failure that is not about memory */
} cairn_writer;

/* The new group, or -1 after a failure; -1 is accepted as a parent. */
hid_t cairn_write_group(cairn_writer *w, hid_t parent, const char *name);
void cairn_write_close(cairn_writer *w, hid_t group);
void cairn_write_ints(cairn_writer *w, hid_t group, const char *name, const int *values, int count);
void cairn_write_reals(cairn_writer *w, hid_t group, const char *name, const double *values, int count);
void cairn_write_string(cairn_writer *w, hid_t group, const char *name, const char *text); /* NULL: nothing */

/* ---- cairn_form_write.c ---- */
bool cairn_own_is_contact(cairn_set_kind set); /* what FCLIB's mu stands for: a polyhedral cone too */
cairn_status cairn_own_check(cairn_context *context, const char *path, const cairn_problem_view *view);
/* All of the problem but its info. */
void cairn_write_own(cairn_writer *w, hid_t top);
/* M and D, or N. */
void cairn_write_own_matrices(cairn_writer *w, hid_t top);

/* M, H, G of the problem in w->view; W, V, R of the local one. */
void cairn_write_global_matrices(cairn_writer *w, hid_t top);
void cairn_write_local_matrices(cairn_writer *w, hid_t top);

#endif
