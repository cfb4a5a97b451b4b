/*
 * export_file.h: which frames an export takes, and files that are complete or not there.
 */
#ifndef CAIRN_VIEW_EXPORT_FILE_H
#define CAIRN_VIEW_EXPORT_FILE_H

#include "base/core.h"

#include <cairn/view.h>

/* The numbers of the chosen frames, to be freed; at least one. NULL: all frames. */
cairn_status cairn_frames_choose(cairn_recording *recording, const cairn_frame_choice *choice, int64_t **frame,
                                 int *count);

/* Before an export: recording and path are there, path can be written, and is none of the files
 * that the recording is read from. */
cairn_status cairn_export_begin(const cairn_recording *recording, const char *path);

typedef struct cairn_piece {
    const void *data;
    size_t size;
} cairn_piece;
/* A file of the pieces, one after the other. */
cairn_status cairn_view_file(cairn_context *context, const char *path, int pieces, const cairn_piece *piece);

#endif
