/*
 * fuzz_fclib_raw.c: arbitrary bytes as a file. The reader must return, whatever they are.
 *
 * Most HDF5 images that the fuzzer makes die in libhdf5's own parser. libhdf5 1.10 loses memory on some of them, so leaks
 * are only looked for in the context's allocator.
 */
#include <cairn/io.h>

#include "counted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cairn_context *context = counted_context();
    if (context == NULL)
        return 0;
    cairn_file file = {0};
    if (cairn_file_read_memory(context, data, size, "fuzz", &file) == CAIRN_OK)
        cairn_file_clear(&file);
    else if (cairn_error_message(context)[0] == '\0' || file.problem != NULL)
        abort();
    counted_end(context);
    return 0;
}
