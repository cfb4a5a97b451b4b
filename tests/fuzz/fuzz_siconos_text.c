/*
 * fuzz_siconos_text.c: arbitrary text. The reader must return, give all memory back and state a reason when it refuses.
 */
#include <cairn/io.h>

#include "counted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* HDF5 images are for the other fuzzers. */
    if (size > 0 && data[0] == 0x89)
        return 0;
    cairn_context *context = counted_context();
    if (context == NULL)
        return 0;
    cairn_file file = {0};
    if (cairn_file_read_memory(context, data, size, "fuzz", &file) == CAIRN_OK) {
        /* What was left out has a reason; what was kept is the first guess too. */
        if ((file.note != NULL && file.note[0] == '\0') || (file.solution.r != NULL && file.guesses != 1))
            abort();
        cairn_file_clear(&file);
    } else if (cairn_error_message(context)[0] == '\0' || file.problem != NULL)
        abort();
    counted_end(context);
    return 0;
}
