/*
 * output.h: the one way to write a file; cairn_output in base.h says what it promises. Here is what
 * the layers above need besides.
 */
#ifndef CAIRN_BASE_OUTPUT_H
#define CAIRN_BASE_OUTPUT_H

#include "base/core.h"

/* As cairn_output_open, for a file that is not written from its beginning to its end (HDF5):
 * pipes and devices are refused. */
cairn_status cairn_output_open_seeking(cairn_context *context, const char *path, cairn_output **output);
/* A file without a name that is gone when the output is closed: beside path, or in TMPDIR where
 * that folder cannot be written. */
cairn_status cairn_output_scratch(cairn_context *context, const char *path, cairn_output **output);
/* All bytes, at the present place. */
cairn_status cairn_output_write(cairn_output *output, const void *bytes, size_t size);

bool cairn_write_all(int file, const void *bytes, size_t size); /* false: errno says why */
int cairn_keep_off_standard(int file); /* the same open file with a descriptor above 2; a negative one is left alone */

/* Flushes the folder of path to the disk: without this a power cut may undo a rename. Some file
 * systems cannot. */
void cairn_sync_folder(const char *path);

#endif
