/*
 * sample_chain.c: a chain of light rods along x, from a fixed point to a heavy block that stands on
 * the floor [theory 7].
 *
 * Spherical joints (three bilateral rows) hold rod to ground, rod to rod and the last rod to the
 * middle of the block's near face; four cones carry the block. A kick sends the block away from the
 * fixed point before the step, so that the whole chain goes taut. Contacts come first, joints after
 * them, as FCLIB wants it.
 */
#include "samples/sample.h"

cairn_status cairn_sample_chain(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    int rods = def->count;
    cairn_status status = cairn_sample_begin(scene, rods + 1, rods + 5, false);
    if (status != CAIRN_OK)
        return status;
    double length = def->size, thick = 0.1 * length;
    double rod[3] = {length, thick, thick}, block[3] = {2.0 * length, 2.0 * length, 2.0 * length};
    for (int i = 0; i < rods; i++) {
        double place[3] = {(i + 0.5) * length, 0.0, length};
        cairn_sample_box(scene, place, 0.0, def->mass, rod);
    }
    double end = rods * length, place[3] = {end + length, 0.0, length};
    int heavy = cairn_sample_box(scene, place, 0.0, def->heavy, block);
    scene->body[heavy].velocity[0] = def->kick;

    double x[2] = {end, end + block[0]}, y[2] = {-0.5 * block[1], 0.5 * block[1]};
    cairn_sample_face(scene, CAIRN_GROUND, heavy, x, y, 0.0);
    for (int i = 0; i <= rods; i++) {
        double joint[3] = {i * length, 0.0, length};
        cairn_sample_joint(scene, i - 1, i, joint);
    }
    return CAIRN_OK;
}
