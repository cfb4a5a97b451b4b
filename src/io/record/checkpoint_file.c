/*
 * checkpoint_file.c: checkpoints of worlds in files. The bytes are those of cairn_world_save.
 */
#include "base/input.h"
#include "base/output.h"
#include "world/model/world_data.h"

#include <cairn/record.h>

cairn_status cairn_checkpoint_write(const cairn_world *world, const char *path) {
    if (world == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_context *context = world->context;
    size_t size = 0;
    cairn_output *output = NULL;
    cairn_status status = cairn_output_open(context, path, &output);
    if (status == CAIRN_OK)
        status = cairn_world_save(world, NULL, 0, &size);
    char *bytes = status == CAIRN_OK ? cairn_alloc_raw(context, size, 1) : NULL;
    if (status == CAIRN_OK && bytes == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = cairn_world_save(world, bytes, size, &size);
    if (status == CAIRN_OK)
        status = cairn_output_write(output, bytes, size);
    cairn_free(context, bytes);
    cairn_status closed = cairn_output_close(output, status == CAIRN_OK);
    return status == CAIRN_OK ? closed : status;
}

cairn_status cairn_checkpoint_read(cairn_world *world, const char *path) {
    if (world == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_context *context = world->context;
    char *bytes = NULL;
    size_t size = 0;
    if (path == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "checkpoint: path is NULL");
    cairn_status status = cairn_input_read(context, path, CAIRN_CHECKPOINT_MAGIC, SIZE_MAX / 4, &bytes, &size);
    if (status == CAIRN_OK)
        status = cairn_world_load_state(world, bytes, size);
    cairn_free(context, bytes);
    return status;
}
