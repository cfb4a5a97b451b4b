/*
 * soft_scene.h: flexible parts for tests of worlds.
 */
#ifndef CAIRN_TESTS_SOFT_SCENE_H
#define CAIRN_TESTS_SOFT_SCENE_H

#include "world_scene.h"

#include <stdint.h>
#include <stdlib.h>

static inline cairn_fem_material soft_material(double E, double damping) {
    cairn_fem_material elastic = cairn_default_fem_material();
    elastic.E = E;
    elastic.damping_stiffness = damping;
    return elastic;
}

/* Adds a part of one material and lets the mesh go. hold: holds of them. */
static inline cairn_body add_soft(scene *s, cairn_fem_mesh *mesh, cairn_fem_material elastic, cairn_pose pose,
                                  const cairn_flexible_hold *hold, int holds) {
    cairn_body body = {0, 0};
    cairn_flexible_def def = cairn_default_flexible_def();
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &elastic;
    def.pose = pose;
    def.material = s->material;
    def.holds = holds;
    def.hold = hold;
    CHECK(cairn_world_add_flexible(s->world, &def, &body) == CAIRN_OK);
    cairn_fem_mesh_release(mesh);
    return body;
}

/* The same with a box of linear tetrahedra. */
static inline cairn_body add_soft_box(scene *s, cairn_vec3 edge, const int *cells, cairn_fem_material elastic,
                                      cairn_pose pose, const cairn_flexible_hold *hold, int holds) {
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(s->context, CAIRN_ELEMENT_TET4, edge, cells, &mesh) == CAIRN_OK);
    return add_soft(s, mesh, elastic, pose, hold, holds);
}

/* Of the whole state, as a checkpoint holds it. */
static inline uint64_t fingerprint(const scene *s) {
    size_t size = 0;
    CHECK(cairn_world_save(s->world, NULL, 0, &size) == CAIRN_OK);
    unsigned char *bytes = malloc(size);
    CHECK(cairn_world_save(s->world, bytes, size, &size) == CAIRN_OK);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    free(bytes);
    return hash;
}

#endif
