/*
 * export_gltf.c: a recording as binary glTF 2.0 (.glb): one mesh for each shape, one node for each
 * body, one animation with the poses.
 *
 * Flexible parts are meshes with morph targets (export_gltf_flexible.c).
 * glTF has y up: all bodies hang below a node that turns z to y. Bodies that are not there in a
 * frame have scale 0. Planes become squares. Contacts have no place in the format.
 */
#include "view/export/export_gltf.h"
#include "view/tessellate.h"
#include "view/export_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int cairn_gltf_accessor(cairn_gltf *g, const void *values, size_t size, int component, int count, const char *type,
                        int target, const char *limits) {
    static const char zero[4];
    cairn_bytes_print(&g->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
                      g->view_count > 0 ? ",\n" : "", g->data.size, size);
    if (target != 0)
        cairn_bytes_print(&g->views, ",\"target\":%d", target);
    cairn_bytes_text(&g->views, "}");
    cairn_bytes_print(&g->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"%s}",
                      g->accessor_count > 0 ? ",\n" : "", g->view_count, component, count, type, limits);
    cairn_bytes_add(&g->data, values, size);
    cairn_bytes_add(&g->data, zero, (4 - size % 4) % 4);
    g->view_count++;
    return g->accessor_count++;
}

void cairn_gltf_limits(const float *x, int count, int width, char *text, size_t size) {
    float low[3] = {0}, high[3] = {0};
    for (int i = 0; i < count; i++)
        for (int c = 0; c < width; c++) {
            low[c] = i == 0 ? x[c] : fminf(low[c], x[i * width + c]);
            high[c] = i == 0 ? x[c] : fmaxf(high[c], x[i * width + c]);
        }
    if (width == 1)
        snprintf(text, size, ",\"min\":[%.9g],\"max\":[%.9g]", (double)low[0], (double)high[0]);
    else
        snprintf(text, size, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1],
                 (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

/* Meshes of all shapes that have triangles; mesh[i] is that of shape i, -1: none. Returns their
 * number. */
static int add_meshes(cairn_gltf *g, const cairn_skins *surfaces, int *mesh, cairn_bytes *out) {
    int count = 0;
    for (int i = 0; i < surfaces->count; i++) {
        const cairn_skin *s = &surfaces->item[i];
        char limits[256];
        mesh[i] = -1;
        if (cairn_skin_triangles(s) == 0)
            continue;
        int points = cairn_skin_points(s);
        cairn_gltf_limits((const float *)(const void *)s->point.data, points, 3, limits, sizeof limits);
        int position = cairn_gltf_accessor(g, s->point.data, s->point.size, CAIRN_GLTF_FLOAT, points, "VEC3",
                                           CAIRN_GLTF_VERTICES, limits);
        int normal = cairn_gltf_accessor(g, s->normal.data, s->normal.size, CAIRN_GLTF_FLOAT, points, "VEC3",
                                         CAIRN_GLTF_VERTICES, "");
        int corner = cairn_gltf_accessor(g, s->corner.data, s->corner.size, CAIRN_GLTF_UNSIGNED,
                                         3 * cairn_skin_triangles(s), "SCALAR", CAIRN_GLTF_INDICES, "");
        cairn_bytes_print(out,
                          "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"indices\":%d,"
                          "\"material\":%d}]}",
                          count > 0 ? ",\n" : "", position, normal, corner, i % 8);
        mesh[i] = count++;
    }
    return count;
}

static cairn_status read_poses(cairn_gltf *g) {
    for (int k = 0; k < g->frames; k++) {
        cairn_frame f;
        cairn_status status = cairn_recording_frame(g->recording, g->frame[k], &f);
        if (status != CAIRN_OK)
            return status;
        for (int i = 0; i < g->info.bodies; i++) {
            float *to = g->pose + 8 * ((ptrdiff_t)i * g->frames + k);
            bool there = i < f.bodies && !isnan(f.position[3 * i]);
            if (k > 0)
                memcpy(to, to - 8, 7 * sizeof *to);
            else
                to[6] = 1.0F;
            to[7] = there ? 1.0F : 0.0F;
            if (!there) {
                g->moves[i] = 2;
                continue;
            }
            static const double straight[] = {1.0, 0.0, 0.0, 0.0};
            const double *q = g->soft[i] ? straight : f.rotation + (ptrdiff_t)4 * i;
            double sign =
                k > 0 && (double)to[3] * q[1] + (double)to[4] * q[2] + (double)to[5] * q[3] + (double)to[6] * q[0] < 0.0
                    ? -1.0
                    : 1.0;
            const double now[7] = {f.position[3 * i], f.position[3 * i + 1], f.position[3 * i + 2],
                                   sign * q[1],       sign * q[2],           sign * q[3],
                                   sign * q[0]};
            for (int c = 0; c < 7; c++) {
                if (k > 0 && to[c] != (float)now[c] && g->moves[i] == 0)
                    g->moves[i] = 1;
                to[c] = (float)now[c];
            }
        }
    }
    return CAIRN_OK;
}

/* One track of a body: width numbers from column on. */
static int add_track(cairn_gltf *g, int body, int column, int width, const char *type) {
    cairn_bytes track = {.context = g->context};
    for (int k = 0; k < g->frames; k++) {
        const float *p = g->pose + 8 * ((ptrdiff_t)body * g->frames + k);
        for (int c = 0; c < width; c++)
            cairn_bytes_add(&track, &p[column == 7 ? 7 : column + c], sizeof *p);
    }
    g->data.failed = g->data.failed || track.failed;
    int accessor = cairn_gltf_accessor(g, track.data, track.size, CAIRN_GLTF_FLOAT, g->frames, type, 0, "");
    cairn_bytes_free(&track);
    return accessor;
}

static void add_animation(cairn_gltf *g, int time, cairn_bytes *samplers, cairn_bytes *channels) {
    static const char *const path[] = {"translation", "rotation", "scale"};
    int count = 0;
    for (int i = 0; i < g->info.bodies; i++)
        for (int t = 0; t < 3 && g->moves[i] > 0; t++) {
            if (t == 2 && g->moves[i] < 2)
                continue;
            int accessor = add_track(g, i, t == 0 ? 0 : t == 1 ? 3 : 7, t == 1 ? 4 : 3, t == 1 ? "VEC4" : "VEC3");
            cairn_bytes_print(samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}",
                              count > 0 ? ",\n" : "", time, accessor, t == 2 ? "STEP" : "LINEAR");
            cairn_bytes_print(channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                              count > 0 ? ",\n" : "", count, i + 1, path[t]);
            count++;
        }
    cairn_gltf_parts_channels(g, &count, samplers, channels);
}

static void add_nodes(const cairn_gltf *g, const int *mesh, cairn_bytes *out) {
    cairn_bytes_text(out, "{\"name\":\"world\",\"rotation\":[-0.70710678,0,0,0.70710678],\"children\":[");
    for (int i = 0; i < g->info.bodies; i++)
        cairn_bytes_print(out, "%s%d", i > 0 ? "," : "", i + 1);
    cairn_bytes_text(out, "]}");
    for (int i = 0; i < g->info.bodies; i++) {
        cairn_recorded_body body;
        const float *p = g->pose + 8 * (ptrdiff_t)i * g->frames;
        if (cairn_recording_body(g->recording, i, &body) != CAIRN_OK)
            continue;
        cairn_bytes_text(out, ",\n{\"name\":");
        cairn_bytes_json(out, body.name);
        cairn_bytes_print(out, ",\"translation\":[%.9g,%.9g,%.9g]", (double)p[0], (double)p[1], (double)p[2]);
        cairn_bytes_print(out, ",\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (double)p[3], (double)p[4], (double)p[5],
                          (double)p[6]);
        if (p[7] == 0.0F)
            cairn_bytes_text(out, ",\"scale\":[0,0,0]");
        int own = body.shape >= 0 ? mesh[body.shape] : -1;
        for (int k = 0; k < g->parts && g->soft[i]; k++)
            own = g->part[k].body == i ? g->part[k].mesh : own;
        if (own >= 0)
            cairn_bytes_print(out, ",\"mesh\":%d", own);
        cairn_bytes_text(out, "}");
    }
}

static void add_materials(cairn_bytes *out) {
    /* linear red, green, blue of the replay page's families */
    static const double colour[8][3] = {{0.60, 0.45, 0.29}, {0.11, 0.24, 0.42}, {0.48, 0.12, 0.07}, {0.26, 0.37, 0.14},
                                        {0.69, 0.46, 0.10}, {0.27, 0.17, 0.32}, {0.10, 0.37, 0.33}, {0.58, 0.27, 0.31}};
    for (int i = 0; i < 8; i++)
        cairn_bytes_print(out,
                          "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%g,%g,%g,1],\"metallicFactor\":0,"
                          "\"roughnessFactor\":0.8}}",
                          i > 0 ? ",\n" : "", colour[i][0], colour[i][1], colour[i][2]);
}

/* The JSON chunk from its parts. */
static void put_json(cairn_gltf *g, const int *mesh, const cairn_bytes *meshes, int time, cairn_bytes *json) {
    cairn_bytes samplers = {.context = g->context}, channels = samplers;
    add_animation(g, time, &samplers, &channels);
    cairn_bytes_print(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Cairn %s\"},\"scene\":0,",
                      cairn_version());
    cairn_bytes_text(json, "\"scenes\":[{\"nodes\":[0]}],\n\"nodes\":[");
    add_nodes(g, mesh, json);
    cairn_bytes_text(json, "],\n\"materials\":[");
    add_materials(json);
    if (meshes->size > 0) {
        cairn_bytes_text(json, "],\n\"meshes\":[");
        cairn_bytes_add(json, meshes->data, meshes->size);
    }
    if (samplers.size > 0) {
        cairn_bytes_text(json, "],\n\"animations\":[{\"name\":\"run\",\"samplers\":[");
        cairn_bytes_add(json, samplers.data, samplers.size);
        cairn_bytes_text(json, "],\"channels\":[");
        cairn_bytes_add(json, channels.data, channels.size);
        cairn_bytes_text(json, "]}");
    }
    cairn_bytes_print(json, "],\n\"buffers\":[{\"byteLength\":%zu}],\n\"bufferViews\":[", g->data.size);
    cairn_bytes_add(json, g->views.data, g->views.size);
    cairn_bytes_text(json, "],\n\"accessors\":[");
    cairn_bytes_add(json, g->accessors.data, g->accessors.size);
    cairn_bytes_text(json, "]}");
    while (json->size % 4 != 0 && !json->failed)
        cairn_bytes_text(json, " ");
    json->failed = json->failed || samplers.failed || channels.failed || meshes->failed || g->views.failed ||
                   g->accessors.failed || g->data.failed;
    cairn_bytes_free(&samplers);
    cairn_bytes_free(&channels);
}

static void put_word(unsigned char *at, size_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static cairn_status write_glb(cairn_gltf *g, const cairn_bytes *json, const char *path) {
    unsigned char head[20] = {0}, middle[8] = {0};
    if (json->size + g->data.size > UINT32_MAX - 64)
        return cairn_fail(g->context, CAIRN_ERROR_UNSUPPORTED,
                          "%s: larger than 4 GB, which .glb cannot be; take fewer frames", path);
    memcpy(head, "glTF", 4);
    put_word(head + 4, 2);
    put_word(head + 8, 28 + json->size + g->data.size);
    put_word(head + 12, json->size);
    memcpy(head + 16, "JSON", 4);
    put_word(middle, g->data.size);
    memcpy(middle + 4, "BIN", 4);
    const cairn_piece piece[] = {
        {head, sizeof head}, {json->data, json->size}, {middle, sizeof middle}, {g->data.data, g->data.size}};
    return cairn_view_file(g->context, path, 4, piece);
}

static cairn_status make_glb(cairn_gltf *g, int *mesh, const char *path) {
    cairn_skins surfaces = {0};
    cairn_bytes meshes = {.context = g->context}, json = meshes, times = meshes;
    cairn_status status = cairn_skins_make(g->recording, &surfaces);
    if (status == CAIRN_OK)
        status = cairn_gltf_parts_make(g);
    if (status == CAIRN_OK)
        status = read_poses(g);
    for (int k = 0; k < g->frames && status == CAIRN_OK; k++) {
        double time = 0.0, begin = 0.0;
        status = cairn_recording_time(g->recording, g->frame[k], &time);
        if (status == CAIRN_OK)
            status = cairn_recording_time(g->recording, g->frame[0], &begin);
        float since = (float)(time - begin);
        cairn_bytes_add(&times, &since, sizeof since);
    }
    if (status == CAIRN_OK && times.failed)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        char limits[256];
        int count = add_meshes(g, &surfaces, mesh, &meshes);
        cairn_gltf_parts_meshes(g, &count, &meshes);
        cairn_gltf_limits((const float *)(const void *)times.data, g->frames, 1, limits, sizeof limits);
        int time = cairn_gltf_accessor(g, times.data, times.size, CAIRN_GLTF_FLOAT, g->frames, "SCALAR", 0, limits);
        put_json(g, mesh, &meshes, time, &json);
        status = json.failed ? CAIRN_ERROR_MEMORY : write_glb(g, &json, path);
    }
    cairn_skins_free(&surfaces);
    cairn_bytes_free(&meshes);
    cairn_bytes_free(&json);
    cairn_bytes_free(&times);
    return status;
}

cairn_status cairn_export_gltf(cairn_recording *recording, const cairn_frame_choice *choice, const char *path) {
    cairn_status status = cairn_export_begin(recording, path);
    if (status != CAIRN_OK)
        return status;
    cairn_gltf g = {.context = cairn_recording_context(recording), .recording = recording};
    int64_t *frame = NULL;
    g.info = cairn_recording_get(recording);
    g.data.context = g.views.context = g.accessors.context = g.context;
    status = cairn_frames_choose(recording, choice, &frame, &g.frames);
    if (status != CAIRN_OK)
        return status;
    g.frame = frame;
    int *mesh = cairn_alloc(g.context, (size_t)g.info.shapes, sizeof *mesh);
    g.pose = cairn_alloc(g.context, 8 * (size_t)g.info.bodies * (size_t)g.frames, sizeof *g.pose);
    g.moves = cairn_alloc(g.context, (size_t)g.info.bodies, 1);
    g.soft = cairn_alloc(g.context, (size_t)g.info.bodies, 1);
    bool room = mesh != NULL && g.pose != NULL && g.moves != NULL && g.soft != NULL;
    status = room ? make_glb(&g, mesh, path) : CAIRN_ERROR_MEMORY;
    cairn_free(g.context, mesh);
    cairn_free(g.context, g.pose);
    cairn_free(g.context, g.moves);
    cairn_free(g.context, g.soft);
    cairn_gltf_parts_free(&g);
    cairn_free(g.context, frame);
    cairn_bytes_free(&g.data);
    cairn_bytes_free(&g.views);
    cairn_bytes_free(&g.accessors);
    return status;
}
