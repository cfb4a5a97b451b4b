/*
 * fuzz_checkpoint.c: arbitrary bytes as a checkpoint, as they are and as the state of a block whose head and checksum fit. Loading must return, give all memory back and
 * state a reason when it refuses; a world with any numbers in its state may be stepped: that may fail, not crash.
 */
#include <cairn/world.h>

#include "base/core.h"
#include "counted.h"

#include <string.h>

enum { ROOM = 1 << 15, HEAD = 56, CHECKED_FROM = 32, TAG = 16 }; /* of the layout of src/world/model/checkpoint.c */

/* Numbers without sense can keep a solver busy for long: it is stopped. */
static bool go_on(void *user) {
    return ++*(int *)user < 300;
}

static cairn_world *make(cairn_context *context) {
    cairn_world *world = NULL;
    cairn_shape *box = NULL, *plane = NULL;
    cairn_body_def def = cairn_default_body_def();
    cairn_joint_def joint = cairn_default_joint_def();
    cairn_body body[3];
    cairn_joint hinge;
    bool good = cairn_world_create(context, NULL, &world) == CAIRN_OK &&
                cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK &&
                cairn_shape_plane(context, &plane) == CAIRN_OK;
    for (int i = 0; i < 3 && good; i++) {
        def.kind = i == 0 ? CAIRN_BODY_FIXED : CAIRN_BODY_DYNAMIC;
        def.shape = i == 0 ? plane : box;
        def.pose = cairn_pose_at(0.5 * i, 0, i == 0 ? 0.0 : 0.1);
        good = cairn_world_add_body(world, &def, &body[i]) == CAIRN_OK;
    }
    joint.kind = CAIRN_JOINT_REVOLUTE;
    joint.a = body[1];
    joint.b = body[2];
    good = good && cairn_world_add_joint(world, &joint, &hinge) == CAIRN_OK &&
           cairn_world_step(world, NULL) == CAIRN_OK;
    cairn_shape_release(box);
    cairn_shape_release(plane);
    if (!good)
        abort();
    return world;
}

/* data as the state of the block: its first byte is the number of contacts, the rest overwrites numbers. */
static size_t dress(const cairn_world *world, const uint8_t *data, size_t size, unsigned char *block) {
    size_t all = 0;
    uint32_t slots, joints;
    if (cairn_world_save(world, block, ROOM, &all) != CAIRN_OK)
        abort();
    memcpy(&slots, block + HEAD - 16, sizeof slots);
    memcpy(&joints, block + HEAD - 12, sizeof joints);
    size_t begin = HEAD + (slots + (size_t)joints) * TAG;
    for (size_t i = 0; i < size && i + begin < all; i++)
        block[begin + i] ^= data[i];
    uint64_t sum = cairn_hash(CAIRN_HASH_START, (const char *)block + CHECKED_FROM, all - CHECKED_FROM);
    memcpy(block + 24, &sum, sizeof sum);
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static unsigned char block[ROOM];
    cairn_context *context = size > 0 ? counted_context() : NULL;
    if (context == NULL)
        return 0;
    cairn_world *world = make(context);
    bool dressed = data[0] % 4 != 0;
    size_t length = dressed ? dress(world, data + 1, size - 1, block) : 0;
    cairn_status status = cairn_world_load_state(world, dressed ? block : data + 1, dressed ? length : size - 1);
    int asked = 0;
    cairn_world_set_watch(world, go_on, &asked);
    if (status == CAIRN_OK)
        for (int i = 0; i < 2; i++)
            cairn_world_step(world, NULL);
    else if (cairn_error_message(context)[0] == '\0')
        abort();
    cairn_world_destroy(world);
    counted_end(context);
    return 0;
}
