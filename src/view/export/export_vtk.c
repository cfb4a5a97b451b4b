/*
 * export_vtk.c: all bodies of a frame as one surface in the world.
 */
#include "view/export/export_vtk.h"

#include <math.h>

static void add_body(cairn_scene_mesh *m, const cairn_skin *s, const cairn_frame *f, int body) {
    const double *x = f->position + (ptrdiff_t)3 * body, *r = f->rotation + (ptrdiff_t)4 * body;
    const double *v = f->velocity + (ptrdiff_t)3 * body;
    cairn_quat q = {r[0], r[1], r[2], r[3]};
    const float *p = (const float *)(const void *)s->point.data;
    const int32_t *corner = (const int32_t *)(const void *)s->corner.data;
    const float velocity[] = {(float)v[0], (float)v[1], (float)v[2]};
    const int32_t number = body;
    int64_t first = (int64_t)(m->point.size / (3 * sizeof(float)));
    for (int i = 0; i < cairn_skin_points(s); i++) {
        cairn_vec3 turned = cairn_quat_rotate(q, cairn_vec3_of(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
        const float at[] = {(float)(x[0] + turned.x), (float)(x[1] + turned.y), (float)(x[2] + turned.z)};
        cairn_bytes_add(&m->point, at, sizeof at);
        cairn_bytes_add(&m->body, &number, sizeof number);
        cairn_bytes_add(&m->velocity, velocity, sizeof velocity);
    }
    for (int i = 0; i < 3 * cairn_skin_triangles(s); i++) {
        int64_t at = first + corner[i];
        cairn_bytes_add(&m->corner, &at, sizeof at);
    }
}

void cairn_scene_mesh_fill(cairn_scene_mesh *m, cairn_recording *recording, const cairn_skins *surfaces,
                           const cairn_frame *frame) {
    cairn_context *context = cairn_recording_context(recording);
    m->point.context = m->corner.context = m->body.context = m->velocity.context = context;
    m->point.size = m->corner.size = m->body.size = m->velocity.size = 0;
    for (int i = 0; i < frame->bodies; i++) {
        cairn_recorded_body body;
        if (isnan(frame->position[3 * i]) || cairn_recording_body(recording, i, &body) != CAIRN_OK || body.shape < 0)
            continue;
        add_body(m, &surfaces->item[body.shape], frame, i);
    }
}

bool cairn_scene_mesh_failed(const cairn_scene_mesh *m) {
    return m->point.failed || m->corner.failed || m->body.failed || m->velocity.failed;
}

void cairn_scene_mesh_free(cairn_scene_mesh *m) {
    cairn_bytes_free(&m->point);
    cairn_bytes_free(&m->corner);
    cairn_bytes_free(&m->body);
    cairn_bytes_free(&m->velocity);
}
