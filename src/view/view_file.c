/*
 * view_file.c: files that are complete or not there: written under another name, then renamed.
 */
#define _POSIX_C_SOURCE 200809L

#include "view_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

cairn_status cairn_view_file(cairn_context *context, const char *path, int pieces, const cairn_piece *piece) {
    size_t room = strlen(path) + 32;
    char *part = cairn_alloc(context, room, 1);
    if (part == NULL)
        return CAIRN_ERROR_MEMORY;
    snprintf(part, room, "%s.part-%ld", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    bool good = file != NULL;
    for (int i = 0; good && i < pieces; i++)
        good = piece[i].size == 0 || fwrite(piece[i].data, 1, piece[i].size, file) == piece[i].size;
    int reason = errno;
    if (file != NULL && fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(part, path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good && file != NULL)
        unlink(part);
    cairn_free(context, part);
    return good ? CAIRN_OK : cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be written: %s", path, strerror(reason));
}
