/*
 * fuzz_fclib_raw.c: arbitrary bytes as a file. The reader must return, whatever they are.
 *
 * Most HDF5 images that the fuzzer makes die in libhdf5's own parser. libhdf5 1.10 loses memory on some of them, so leaks
 * are only looked for in the context's allocator.
 */
#include <cairn/io.h>

#include <stdlib.h>

static int live;

static void *take(void *user, size_t bytes) {
    (void)user;
    void *memory = bytes <= (size_t)1 << 28 ? malloc(bytes) : NULL;
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
    cairn_file file = {0};
    if (cairn_file_read_memory(context, data, size, "fuzz", &file) == CAIRN_OK)
        cairn_file_clear(&file);
    else if (cairn_error_message(context)[0] == '\0' || file.problem != NULL)
        abort();
    cairn_context_destroy(context);
    if (live != 0)
        abort();
    return 0;
}
