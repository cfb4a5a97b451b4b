/*
 * fuzz_scene.c: arbitrary text as a scene. The reader must return, give all memory back and state a reason when it refuses.
 */
#include <cairn/scene.h>

#include <stdlib.h>

static int live;

static void *take(void *user, size_t bytes) {
    (void)user;
    void *memory = bytes <= (size_t)1 << 26 ? malloc(bytes) : NULL;
    live += memory != NULL;
    return memory;
}

static void give(void *user, void *memory) {
    (void)user;
    live -= memory != NULL;
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cairn_context_def def = cairn_default_context_def();
    def.allocate = take;
    def.release = give;
    cairn_context *context = NULL;
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        return 0;
    cairn_scene *scene = NULL;
    if (cairn_scene_parse(context, (const char *)data, size, "/nowhere/fuzz", NULL, 0, &scene) == CAIRN_OK)
        cairn_scene_destroy(scene);
    else if (cairn_error_message(context)[0] == '\0' || scene != NULL)
        abort();
    cairn_context_destroy(context);
    if (live != 0)
        abort();
    return 0;
}
