/*
 * export_file.c: an export as a file that is complete or not there.
 */
#define _POSIX_C_SOURCE 200809L

#include "view/export_file.h"

#include "base/output.h"

#include <stdio.h>
#include <sys/stat.h>

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

cairn_status cairn_export_begin(const cairn_recording *recording, const char *path) {
    if (recording == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_context *context = cairn_recording_context(recording);
    if (path == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "export: path is NULL");
    const char *from = cairn_recording_get(recording).path;
    char journal[4096];
    snprintf(journal, sizeof journal, "%s.journal", from);
    if (same_file(path, from) || same_file(path, journal))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "%s: this is the recording itself, or its journal; choose another name", path);
    return cairn_output_check(context, path);
}

cairn_status cairn_view_file(cairn_context *context, const char *path, int pieces, const cairn_piece *piece) {
    cairn_output *output = NULL;
    cairn_status status = cairn_output_open(context, path, &output);
    for (int i = 0; status == CAIRN_OK && i < pieces; i++)
        status = cairn_output_write(output, piece[i].data, piece[i].size);
    cairn_status closed = cairn_output_close(output, status == CAIRN_OK);
    return status == CAIRN_OK ? closed : status;
}
