/*
 * fuzz_surface.c: arbitrary bytes as a surface, and what is read as a mesh: contacts and a ray. The reader must return, give all memory back
 * and state a reason when it refuses; what it gives must be fit for a shape or refused with a reason.
 */
#include <cairn/scene.h>

#include "counted.h"

static void use(cairn_context *context, const cairn_surface *s) {
    cairn_shape *mesh = NULL, *box = NULL;
    cairn_manifold room[8];
    cairn_ray_hit hit;
    cairn_vec3 half = {1, 0.5, 0.25}, o = {0, 0, 9}, down = {0, 0, -1};
    for (int i = 0; i < 3 * s->triangles; i++)
        if (s->corner[i] < 0 || s->corner[i] >= s->points)
            abort();
    if (cairn_shape_mesh(context, s->points, s->point, s->triangles, s->corner, &mesh) == CAIRN_OK &&
        cairn_shape_box(context, half, &box) == CAIRN_OK) {
        cairn_collide(box, cairn_pose_at(0.1, 0.2, 0.3), mesh, cairn_pose_identity(), 0.5, room, 8);
        cairn_shape_ray(mesh, cairn_pose_identity(), o, down, 100.0, &hit);
        cairn_mass mass;
        cairn_shape_mass(mesh, 1.0, &mass);
    }
    cairn_shape_release(mesh);
    cairn_shape_release(box);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cairn_context *context = counted_context();
    if (context == NULL)
        return 0;
    cairn_surface surface = {0};
    if (cairn_surface_parse(context, data, size, "fuzz", 1.0, &surface) == CAIRN_OK)
        use(context, &surface);
    else if (cairn_error_message(context)[0] == '\0' || surface.point != NULL)
        abort();
    cairn_surface_clear(context, &surface);
    counted_end(context);
    return 0;
}
