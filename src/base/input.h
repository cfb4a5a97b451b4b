/*
 * input.h: the one way to read a file: a regular file, or a pipe that has a writer. Devices
 * and folders are refused, and nothing is waited for without end.
 */
#ifndef CAIRN_BASE_INPUT_H
#define CAIRN_BASE_INPUT_H

#include "base/core.h"

#include <stdio.h>

/* All bytes, to be freed with cairn_free; more than `most` are refused. A file that does not
 * begin with the text `begins`, unless NULL, is read no further: a wrong file may be large. */
cairn_status cairn_input_read(cairn_context *context, const char *path, const char *begins, size_t most, char **bytes,
                              size_t *size);
/* A regular file and its size. */
cairn_status cairn_input_open(cairn_context *context, const char *path, FILE **stream, uint64_t *bytes);

#endif
