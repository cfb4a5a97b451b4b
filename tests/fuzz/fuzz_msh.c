/*
 * fuzz_msh.c: arbitrary bytes as a Gmsh file. The reader must return, give all memory back and state a reason when it refuses; what it accepts
 * must be fit for a part and a step.
 */
#include <cairn/io.h>

#include "fem/part/part.h"
#include "counted.h"

#include <math.h>

static void use(cairn_context *context, cairn_fem_mesh *mesh) {
    cairn_fem_mesh_view v = cairn_fem_mesh_get(mesh);
    int groups = 0;
    for (int e = 0; e < v.elements; e++)
        groups = v.group[e] >= groups ? v.group[e] + 1 : groups;
    cairn_fem_material *material = calloc((size_t)groups, sizeof *material);
    for (int i = 0; i < groups; i++)
        material[i] = cairn_default_fem_material();
    cairn_fem_part *part = NULL;
    if (cairn_fem_part_create(context, mesh, groups, material, cairn_pose_identity(), &part) == CAIRN_OK) {
        double *H = calloc((size_t)part->entries, sizeof *H), *k = calloc(3 * (size_t)part->vectors, sizeof *k);
        if (H != NULL && k != NULL)
            cairn_fem_part_write(part, 0.01, cairn_vec3_of(0, 0, -9.81), H, k);
        free(H);
        free(k);
    }
    cairn_fem_part_destroy(part);
    free(material);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cairn_context *context = counted_context();
    if (context == NULL)
        return 0;
    cairn_fem_mesh *mesh = NULL;
    if (cairn_fem_mesh_parse(context, data, size, "fuzz", 1.0, &mesh) == CAIRN_OK)
        use(context, mesh);
    else if (cairn_error_message(context)[0] == '\0' || mesh != NULL)
        abort();
    cairn_fem_mesh_release(mesh);
    counted_end(context);
    return 0;
}
