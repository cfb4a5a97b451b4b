/*
 * export_gltf_flexible.c: flexible parts in glTF: a mesh with morph targets. Shape 0 is the mesh;
 * target k holds what shape k adds to it. At the time of shape k its weight is 1 and all others are
 * 0; between two times the format blends linearly.
 *
 *     shapes   min(frames, SHAPES_MOST, BYTES_MOST / (24 vertices of all parts)),
 *              at least 2 when there are 2 frames: the first, the last, and others
 *              evenly between. Viewers have room for some hundred targets and look at all of them for every vertex.
 *
 * Vertices stand about the part's centre of mass, which the node's own track moves in every frame.
 * Rods are tubes of SIDES sides, two rings a beam; the direction in which a ring begins is carried
 * along with the beam, so that it does not jump.
 */
#include "view/export/export_gltf.h"
#include "view/export/export_vtk.h"
#include "view/export_file.h"

#include <math.h>
#include <string.h>

enum { SHAPES_MOST = 128, BYTES_MOST = 64000000, SIDES = 8 };

#define TURN 6.283185307179586

static int shapes_for(int frames, int64_t vertices) {
    int64_t most = vertices > 0 ? BYTES_MOST / (24 * vertices) : SHAPES_MOST;
    most = most > SHAPES_MOST ? SHAPES_MOST : most < 2 ? 2 : most;
    return frames < most ? frames : (int)most;
}

/* Vertices of the skin are the nodes that faces have. */
static cairn_status find_vertices(cairn_gltf *g, cairn_gltf_part *p, const cairn_recorded_part *part) {
    p->node = cairn_alloc(g->context, (size_t)part->nodes, sizeof *p->node);
    p->vertex = cairn_alloc(g->context, (size_t)part->nodes, sizeof *p->vertex);
    if (p->node == NULL || p->vertex == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < part->nodes; i++)
        p->vertex[i] = -1;
    for (int i = 0; i < 3 * part->faces; i++)
        if (p->vertex[part->face[i]] < 0) {
            p->vertex[part->face[i]] = p->skin;
            p->node[p->skin++] = part->face[i];
        }
    p->body = part->body;
    p->vertices = p->skin + 2 * SIDES * part->lines;
    p->triangles = part->faces + 2 * SIDES * part->lines;
    p->first = cairn_alloc(g->context, 6 * (size_t)p->vertices, sizeof *p->first);
    p->now = cairn_alloc(g->context, 6 * (size_t)p->vertices, sizeof *p->now);
    p->rod = cairn_alloc(g->context, 3 * (size_t)part->lines, sizeof *p->rod);
    return p->first != NULL && p->now != NULL && p->rod != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static void add_triangles(cairn_gltf *g, cairn_gltf_part *p, const cairn_recorded_part *part) {
    cairn_bytes list = {.context = g->context};
    for (int i = 0; i < 3 * part->faces; i++) {
        uint32_t corner = (uint32_t)p->vertex[part->face[i]];
        cairn_bytes_add(&list, &corner, sizeof corner);
    }
    for (int i = 0; i < part->lines; i++)
        for (int j = 0; j < SIDES; j++) {
            uint32_t a = (uint32_t)(p->skin + 2 * SIDES * i + j),
                     b = (uint32_t)(p->skin + 2 * SIDES * i + (j + 1) % SIDES);
            const uint32_t corner[] = {a, b, b + SIDES, a, b + SIDES, a + SIDES};
            cairn_bytes_add(&list, corner, sizeof corner);
        }
    g->data.failed = g->data.failed || list.failed;
    p->corner = cairn_gltf_accessor(g, list.data, list.size, CAIRN_GLTF_UNSIGNED, 3 * p->triangles, "SCALAR",
                                    CAIRN_GLTF_INDICES, "");
    cairn_bytes_free(&list);
}

static cairn_vec3 node_place(const cairn_frame *f, const cairn_recorded_part *part, int node) {
    const double *x = f->node_position + 3 * (part->first + node);
    return cairn_vec3_of(x[0], x[1], x[2]);
}

static void put_vertex(float *to, cairn_vec3 x, cairn_vec3 n) {
    to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z;
    to[3] = (float)n.x, to[4] = (float)n.y, to[5] = (float)n.z;
}

/* Places and normals (sums of the faces' normals, weighted by area) of the skin. */
static void take_skin(cairn_gltf_part *p, const cairn_frame *f, const cairn_recorded_part *part, cairn_vec3 middle) {
    for (int i = 0; i < p->skin; i++)
        put_vertex(p->now + (ptrdiff_t)6 * i, cairn_vec3_sub(node_place(f, part, p->node[i]), middle),
                   cairn_vec3_of(0, 0, 0));
    for (int i = 0; i < part->faces; i++) {
        const int *c = part->face + (ptrdiff_t)3 * i;
        cairn_vec3 a = node_place(f, part, c[0]), b = node_place(f, part, c[1]), d = node_place(f, part, c[2]);
        cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(b, a), cairn_vec3_sub(d, a));
        for (int k = 0; k < 3; k++) {
            float *to = p->now + (ptrdiff_t)6 * p->vertex[c[k]] + 3;
            to[0] += (float)n.x, to[1] += (float)n.y, to[2] += (float)n.z;
        }
    }
    for (int i = 0; i < p->skin; i++) {
        float *n = p->now + (ptrdiff_t)6 * i + 3, length = hypotf(hypotf(n[0], n[1]), n[2]);
        for (int k = 0; k < 3; k++)
            n[k] = length > 0.0F ? n[k] / length : k == 2 ? 1.0F : 0.0F;
    }
}

/* A unit vector across d, as near as can be to the one before. */
static cairn_vec3 across(cairn_vec3 d, const float *before) {
    cairn_vec3 u = cairn_vec3_of(before[0], before[1], before[2]);
    u = cairn_vec3_sub(u, cairn_vec3_scale(cairn_vec3_dot(u, d), d));
    if (cairn_vec3_length(u) < 0.1) { /* none before, or it turned by a right angle */
        cairn_vec3 other;
        cairn_vec3_frame(d, &u, &other);
    }
    return cairn_vec3_unit(u);
}

static void take_rods(cairn_gltf_part *p, const cairn_frame *f, const cairn_recorded_part *part, cairn_vec3 middle) {
    for (int i = 0; i < part->lines; i++) {
        cairn_vec3 end[] = {cairn_vec3_sub(node_place(f, part, part->line[2 * i]), middle),
                            cairn_vec3_sub(node_place(f, part, part->line[2 * i + 1]), middle)};
        cairn_vec3 d = cairn_vec3_unit(cairn_vec3_sub(end[1], end[0])), u = across(d, p->rod + (ptrdiff_t)3 * i),
                   v = cairn_vec3_cross(d, u);
        float *keep = p->rod + (ptrdiff_t)3 * i;
        keep[0] = (float)u.x, keep[1] = (float)u.y, keep[2] = (float)u.z;
        for (int j = 0; j < SIDES; j++) {
            cairn_vec3 n = cairn_vec3_add(cairn_vec3_scale(cos(TURN * j / SIDES), u),
                                          cairn_vec3_scale(sin(TURN * j / SIDES), v));
            for (int k = 0; k < 2; k++)
                put_vertex(p->now + (ptrdiff_t)6 * (p->skin + SIDES * (2 * i + k) + j),
                           cairn_vec3_add(end[k], cairn_vec3_scale(part->radius[i], n)), n);
        }
    }
}

/* Places and normals of shape k into the file: of shape 0 themselves, of the others the
 * differences. */
static void add_shape(cairn_gltf *g, cairn_gltf_part *p, int k) {
    cairn_bytes column[2] = {{.context = g->context}, {.context = g->context}};
    char limits[256];
    for (int i = 0; i < p->vertices; i++)
        for (int c = 0; c < 6; c++) {
            float x = p->now[6 * i + c] - (k > 0 ? p->first[6 * i + c] : 0.0F);
            cairn_bytes_add(&column[c / 3], &x, sizeof x);
        }
    bool failed = column[0].failed || column[1].failed;
    if (!failed) {
        cairn_gltf_limits((const float *)(const void *)column[0].data, p->vertices, 3, limits, sizeof limits);
        p->position[k] = cairn_gltf_accessor(g, column[0].data, column[0].size, CAIRN_GLTF_FLOAT, p->vertices, "VEC3",
                                             CAIRN_GLTF_VERTICES, limits);
        p->normal[k] = cairn_gltf_accessor(g, column[1].data, column[1].size, CAIRN_GLTF_FLOAT, p->vertices, "VEC3",
                                           CAIRN_GLTF_VERTICES, "");
    }
    g->data.failed = g->data.failed || failed;
    cairn_bytes_free(&column[0]);
    cairn_bytes_free(&column[1]);
}

/* Shape k of all parts, of the frame with this number. A part that is not there keeps its shape. */
static cairn_status take_shapes(cairn_gltf *g, int k, int64_t frame) {
    cairn_frame f;
    cairn_status status = cairn_recording_frame(g->recording, frame, &f);
    for (int i = 0; i < g->parts && status == CAIRN_OK; i++) {
        cairn_gltf_part *p = &g->part[i];
        cairn_recorded_part part;
        status = cairn_recording_part(g->recording, i, &part);
        if (status != CAIRN_OK || p->vertices == 0)
            continue;
        if (k == 0)
            for (int j = 0; j < p->vertices; j++)
                p->now[6 * j + 5] = 1.0F;
        if (cairn_part_present(&f, &part)) {
            const double *x = f.position + (ptrdiff_t)3 * p->body;
            take_skin(p, &f, &part, cairn_vec3_of(x[0], x[1], x[2]));
            take_rods(p, &f, &part, cairn_vec3_of(x[0], x[1], x[2]));
        }
        if (k == 0)
            memcpy(p->first, p->now, 6 * (size_t)p->vertices * sizeof *p->now);
        add_shape(g, p, k);
    }
    return status != CAIRN_OK ? status : g->data.failed ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

/* The chosen frame of shape k. */
static int frame_of(const cairn_gltf *g, int k) {
    return g->shapes > 1 ? (int)((int64_t)k * (g->frames - 1) / (g->shapes - 1)) : 0;
}

/* Times of the shapes, and the weights of all targets at each of them. */
static cairn_status add_weights(cairn_gltf *g) {
    cairn_bytes times = {.context = g->context}, weights = times;
    double begin = 0.0, time = 0.0;
    char limits[256];
    cairn_status status = cairn_recording_time(g->recording, g->frame[0], &begin);
    for (int k = 0; k < g->shapes && status == CAIRN_OK; k++) {
        status = cairn_recording_time(g->recording, g->frame[frame_of(g, k)], &time);
        float since = (float)(time - begin);
        cairn_bytes_add(&times, &since, sizeof since);
        for (int target = 1; target < g->shapes; target++) {
            float weight = target == k ? 1.0F : 0.0F;
            cairn_bytes_add(&weights, &weight, sizeof weight);
        }
    }
    if (status == CAIRN_OK && (times.failed || weights.failed))
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        cairn_gltf_limits((const float *)(const void *)times.data, g->shapes, 1, limits, sizeof limits);
        g->shape_time = cairn_gltf_accessor(g, times.data, times.size, CAIRN_GLTF_FLOAT, g->shapes, "SCALAR", 0,
                                            limits);
        g->shape_weight = cairn_gltf_accessor(g, weights.data, weights.size, CAIRN_GLTF_FLOAT,
                                              g->shapes * (g->shapes - 1), "SCALAR", 0, "");
    }
    cairn_bytes_free(&times);
    cairn_bytes_free(&weights);
    return status;
}

/* Vertices of all parts, and how many shapes they get. */
static cairn_status find_parts(cairn_gltf *g) {
    int64_t vertices = 0;
    g->part = cairn_alloc(g->context, (size_t)g->info.parts, sizeof *g->part);
    if (g->part == NULL)
        return CAIRN_ERROR_MEMORY;
    g->parts = g->info.parts;
    for (int i = 0; i < g->parts; i++) {
        cairn_recorded_part part;
        cairn_status status = cairn_recording_part(g->recording, i, &part);
        if (status == CAIRN_OK)
            status = find_vertices(g, &g->part[i], &part);
        if (status != CAIRN_OK)
            return status;
        vertices += g->part[i].vertices;
    }
    g->shapes = shapes_for(g->frames, vertices);
    return CAIRN_OK;
}

cairn_status cairn_export_gltf_shapes(cairn_recording *recording, const cairn_frame_choice *choice, int *frames,
                                      int *shapes) {
    if (recording == NULL || frames == NULL || shapes == NULL)
        return cairn_fail(cairn_recording_context(recording), CAIRN_ERROR_ARGUMENT,
                          "cairn_export_gltf_shapes: an argument is NULL");
    cairn_gltf g = {.context = cairn_recording_context(recording), .recording = recording};
    int64_t *frame = NULL;
    g.info = cairn_recording_get(recording);
    cairn_status status = cairn_frames_choose(recording, choice, &frame, &g.frames);
    if (status == CAIRN_OK && g.info.parts > 0)
        status = find_parts(&g);
    if (status == CAIRN_OK) {
        *frames = g.frames;
        *shapes = g.shapes;
    }
    cairn_gltf_parts_free(&g);
    cairn_free(g.context, frame);
    return status;
}

cairn_status cairn_gltf_parts_make(cairn_gltf *g) {
    if (g->info.parts == 0)
        return CAIRN_OK;
    cairn_status status = find_parts(g);
    for (int i = 0; i < g->parts && status == CAIRN_OK; i++) {
        cairn_recorded_part part;
        status = cairn_recording_part(g->recording, i, &part);
        if (status == CAIRN_OK && g->part[i].vertices > 0)
            add_triangles(g, &g->part[i], &part);
        g->soft[g->part[i].body] = 1;
    }
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < g->parts; i++) {
        g->part[i].position = cairn_alloc(g->context, (size_t)g->shapes, sizeof *g->part[i].position);
        g->part[i].normal = cairn_alloc(g->context, (size_t)g->shapes, sizeof *g->part[i].normal);
        if (g->part[i].position == NULL || g->part[i].normal == NULL)
            return CAIRN_ERROR_MEMORY;
    }
    status = g->shapes > 1 ? add_weights(g) : CAIRN_OK;
    for (int k = 0; k < g->shapes && status == CAIRN_OK; k++)
        status = take_shapes(g, k, g->frame[frame_of(g, k)]);
    return status;
}

void cairn_gltf_parts_meshes(cairn_gltf *g, int *mesh, cairn_bytes *out) {
    for (int i = 0; i < g->parts; i++) {
        cairn_gltf_part *p = &g->part[i];
        p->mesh = -1;
        if (p->vertices == 0)
            continue;
        cairn_bytes_print(out,
                          "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,"
                          "\"material\":%d",
                          *mesh > 0 ? ",\n" : "", p->position[0], p->normal[0], p->corner, (i + 1) % 8);
        for (int k = 1; k < g->shapes; k++)
            cairn_bytes_print(out, "%s{\"POSITION\":%d,\"NORMAL\":%d}", k == 1 ? ",\"targets\":[" : ",", p->position[k],
                              p->normal[k]);
        cairn_bytes_text(out, g->shapes > 1 ? "]}]}" : "}]}");
        p->mesh = (*mesh)++;
    }
}

void cairn_gltf_parts_channels(const cairn_gltf *g, int *sampler, cairn_bytes *samplers, cairn_bytes *channels) {
    int shared = -1;
    for (int i = 0; i < g->parts && g->shapes > 1; i++) {
        if (g->part[i].mesh < 0)
            continue;
        if (shared < 0) {
            shared = *sampler;
            cairn_bytes_print(samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
                              *sampler > 0 ? ",\n" : "", g->shape_time, g->shape_weight);
            (*sampler)++;
        }
        cairn_bytes_print(channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"weights\"}}",
                          channels->size > 0 ? ",\n" : "", shared, g->part[i].body + 1);
    }
}

void cairn_gltf_parts_free(cairn_gltf *g) {
    for (int i = 0; i < g->parts; i++) {
        void *owned[] = {g->part[i].node,  g->part[i].vertex, g->part[i].position, g->part[i].normal,
                         g->part[i].first, g->part[i].now,    g->part[i].rod};
        for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
            cairn_free(g->context, owned[k]);
    }
    cairn_free(g->context, g->part);
    g->part = NULL;
    g->parts = 0;
}
