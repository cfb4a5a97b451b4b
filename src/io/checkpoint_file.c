/*
 * checkpoint_file.c: checkpoints of worlds in files. The bytes are those of cairn_world_save.
 */
#define _POSIX_C_SOURCE 200809L

#include "../world/world_data.h"
#include "record_journal.h"

#include <cairn/record.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cairn_status write_part(cairn_context *context, const char *part, const void *bytes, size_t size) {
    FILE *file = fopen(part, "wb");
    if (file == NULL)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be created: %s", part, strerror(errno));
    bool done = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) != 0 || !done)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be written: %s", part, strerror(errno));
    return CAIRN_OK;
}

cairn_status cairn_checkpoint_write(const cairn_world *world, const char *path) {
    cairn_context *context = world->context;
    if (path == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "checkpoint: path is NULL");
    size_t size = 0, length = strlen(path) + sizeof ".part";
    cairn_status status = cairn_world_save(world, NULL, 0, &size);
    char *part = cairn_alloc(context, length, 1), *bytes = cairn_alloc_raw(context, size, 1);
    if (part == NULL || bytes == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = cairn_world_save(world, bytes, size, &size);
    if (status == CAIRN_OK) {
        snprintf(part, length, "%s.part", path);
        status = write_part(context, part, bytes, size);
        if (status == CAIRN_OK)
            status = cairn_journal_replace(context, part, path);
        if (status != CAIRN_OK)
            unlink(part);
    }
    cairn_free(context, bytes);
    cairn_free(context, part);
    return status;
}

cairn_status cairn_checkpoint_read(cairn_world *world, const char *path) {
    cairn_context *context = world->context;
    if (path == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "checkpoint: path is NULL");
    FILE *file = fopen(path, "rb");
    struct stat st;
    if (file == NULL)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    cairn_status status = CAIRN_OK;
    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode))
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: not a regular file", path);
    size_t size = status == CAIRN_OK ? (size_t)st.st_size : 0;
    char *bytes = status == CAIRN_OK ? cairn_alloc_raw(context, size, 1) : NULL;
    if (status == CAIRN_OK && bytes == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && fread(bytes, 1, size, file) != size)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be read", path);
    if (status == CAIRN_OK)
        status = cairn_world_load_state(world, bytes, size);
    fclose(file);
    cairn_free(context, bytes);
    return status;
}
