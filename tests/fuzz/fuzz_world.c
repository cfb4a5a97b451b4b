/*
 * fuzz_world.c: random worlds without end. The first byte is the class of the scene, the others the first random numbers of its generator.
 * A world must not crash, not give a number that is not finite, book its energy as it is, and have the same bits on any number of threads and
 * after a restart. Depths, energy and work are judged by test_random_worlds, which counts and goes on.
 */
#include "random/random_run.h"
#include "random/random_scene.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return -1;
    random_scene *scene = random_scene_make_from(data[0] % RANDOM_CLASSES, data + 1, size - 1);
    random_text text = {.size = 0};
    random_result result = {.steps = 0};
    const char *folder = getenv("TMPDIR");
    if (scene != NULL) {
        scene->steps = scene->steps < 20 ? scene->steps : 20;
        random_scene_print(scene, &text);
    }
    if (scene != NULL && !text.failed)
        random_run(text.data, text.size, folder != NULL ? folder : "/tmp", &result);
    static const int never[] = {FOUND_NAN, FOUND_BOOKS, FOUND_THREADS, FOUND_RESTART};
    for (int i = 0; i < (int)(sizeof never / sizeof never[0]); i++)
        if (result.found[never[i]].count > 0) {
            fprintf(stderr, "%s in step %lld\n%s\n", random_found_name(never[i]),
                    (long long)result.found[never[i]].step, text.data);
            abort();
        }
    free(text.data);
    random_scene_free(scene);
    return 0;
}
