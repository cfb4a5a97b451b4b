/*
 * fuzz_scene.c: arbitrary text as a scene. The reader must return, give all memory back and state a reason when it refuses.
 */
#include <cairn/scene.h>

#include "counted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cairn_context *context = counted_context();
    if (context == NULL)
        return 0;
    cairn_scene *scene = NULL;
    if (cairn_scene_parse(context, (const char *)data, size, "/nowhere/fuzz", NULL, 0, &scene) == CAIRN_OK)
        cairn_scene_destroy(scene);
    else if (cairn_error_message(context)[0] == '\0' || scene != NULL)
        abort();
    counted_end(context);
    return 0;
}
