/*
 * page_flexible.c: flexible parts in a replay page: their skins and rods once, their nodes in each
 * frame.
 *
 *     block "nodes-k": for each of the 5 tracks, for each node of all parts,
 *         for each frame of the chunk one integer r, as in page_bodies.c:
 *     position (3, second differences), speed, von Mises' stress (differences)
 *
 * Positions have the quantum of bodies, speeds 1/4096 of the largest one of the run, stresses the
 * same; without stresses in the recording that track is 0. A node that does not exist keeps its
 * last numbers.
 *
 *     block "holds-k", where nodes are held: for each frame, for each part the force (3) that holds
 *         it in all, and the largest at a node, N, as 32-bit floats
 */
#include "view/page/page_data.h"

#include <math.h>

enum { TRACKS = 5, LEVELS = 4096 };

void cairn_view_scan_parts(cairn_view *v, const cairn_frame *f) {
    for (int i = 0; i < f->nodes; i++) {
        const double *x = f->node_velocity + (ptrdiff_t)3 * i;
        double speed = hypot(hypot(x[0], x[1]), x[2]);
        v->node_speed = speed > v->node_speed ? speed : v->node_speed; /* NAN: not there */
        if (f->node_mises != NULL && f->node_mises[i] > v->node_stress)
            v->node_stress = f->node_mises[i];
    }
    v->nodes = f->nodes > v->nodes ? f->nodes : v->nodes;
    v->held = v->held || f->node_reaction != NULL;
    for (int k = 0; k < v->info.parts; k++) {
        cairn_recorded_part part;
        if (cairn_recording_part(v->recording, k, &part) != CAIRN_OK || v->radius[part.body] > 0.0 ||
            part.body >= f->bodies)
            continue;
        const double *middle = f->position + (ptrdiff_t)3 * part.body;
        for (int i = 0; i < part.nodes && part.first + i < f->nodes; i++) {
            const double *x = f->node_position + 3 * (part.first + i);
            double away = hypot(hypot(x[0] - middle[0], x[1] - middle[1]), x[2] - middle[2]);
            v->radius[part.body] = fmax(v->radius[part.body], away); /* passes over NAN */
        }
    }
}

static void take_node(const cairn_view *v, const cairn_frame *f, int i, const int32_t *before, int32_t *now) {
    bool there = i < f->nodes && !isnan(f->node_position[3 * i]);
    for (int t = 0; t < TRACKS; t++)
        now[t] = before != NULL ? before[t] : 0;
    if (!there)
        return;
    const double *x = f->node_position + (ptrdiff_t)3 * i, *u = f->node_velocity + (ptrdiff_t)3 * i;
    for (int c = 0; c < 3; c++)
        now[c] = cairn_quantise(x[c], v->position_quantum);
    now[3] = v->node_speed > 0.0 ? cairn_quantise(hypot(hypot(u[0], u[1]), u[2]), v->node_speed / LEVELS) : 0;
    now[4] = v->node_stress > 0.0 && f->node_mises != NULL ? cairn_quantise(f->node_mises[i], v->node_stress / LEVELS)
                                                           : 0;
}

static void take_nodes(const cairn_view *v, const cairn_frame *f, int count, int k, int32_t *values) {
    for (int i = 0; i < v->nodes; i++) {
        int32_t now[TRACKS], before[TRACKS];
        for (int t = 0; t < TRACKS && k > 0; t++)
            before[t] = values[((ptrdiff_t)t * v->nodes + i) * count + k - 1];
        take_node(v, f, i, k > 0 ? before : NULL, now);
        for (int t = 0; t < TRACKS; t++)
            values[((ptrdiff_t)t * v->nodes + i) * count + k] = now[t];
    }
}

cairn_status cairn_view_nodes(cairn_view *v, cairn_bytes *out) {
    if (v->nodes == 0)
        return CAIRN_OK;
    size_t tracks = (size_t)TRACKS * (size_t)v->nodes;
    int32_t *values = cairn_alloc(v->context, tracks * (size_t)v->chunk, sizeof *values);
    cairn_bytes raw = {.context = v->context};
    cairn_status status = values != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int begin = 0; begin < v->frames && status == CAIRN_OK; begin += v->chunk) {
        int count = v->frames - begin < v->chunk ? v->frames - begin : v->chunk;
        for (int k = 0; k < count && status == CAIRN_OK; k++) {
            cairn_frame f;
            status = cairn_recording_frame(v->recording, v->frame[begin + k], &f);
            if (status == CAIRN_OK)
                take_nodes(v, &f, count, k, values);
        }
        if (status != CAIRN_OK)
            break;
        for (size_t t = 0; t < tracks; t++)
            cairn_view_difference(count, t < 3 * (size_t)v->nodes, values + t * (size_t)count);
        for (size_t t = 0; t < TRACKS; t++)
            cairn_bytes_planes(&raw, (size_t)v->nodes * (size_t)count, values + t * (size_t)v->nodes * (size_t)count);
        if (raw.failed)
            status = CAIRN_ERROR_MEMORY;
        cairn_view_block(out, "nodes", begin / v->chunk, &raw);
    }
    cairn_bytes_free(&raw);
    cairn_free(v->context, values);
    return status;
}

static void add_holds(const cairn_view *v, const cairn_frame *f, cairn_bytes *raw) {
    for (int k = 0; k < v->info.parts; k++) {
        cairn_recorded_part part = {0};
        double sum[3] = {0.0, 0.0, 0.0}, most = 0.0;
        if (f->node_reaction != NULL && cairn_recording_part(v->recording, k, &part) == CAIRN_OK)
            for (int64_t i = part.first; i < part.first + part.nodes && i < f->nodes; i++) {
                const double *r = f->node_reaction + 3 * i;
                most = fmax(most, hypot(hypot(r[0], r[1]), r[2])); /* passes over NAN */
                for (int c = 0; c < 3; c++)
                    sum[c] += r[c];
            }
        const float x[4] = {(float)sum[0], (float)sum[1], (float)sum[2], (float)most};
        cairn_bytes_add(raw, x, sizeof x);
    }
}

cairn_status cairn_view_holds(cairn_view *v, cairn_bytes *out) {
    cairn_status status = CAIRN_OK;
    cairn_bytes raw = {.context = v->context};
    for (int begin = 0; v->held && begin < v->frames && status == CAIRN_OK; begin += v->chunk) {
        for (int k = begin; k < v->frames && k < begin + v->chunk && status == CAIRN_OK; k++) {
            cairn_frame f;
            status = cairn_recording_frame(v->recording, v->frame[k], &f);
            if (status == CAIRN_OK)
                add_holds(v, &f, &raw);
        }
        if (status == CAIRN_OK && raw.failed)
            status = CAIRN_ERROR_MEMORY;
        if (status == CAIRN_OK)
            cairn_view_block(out, "holds", begin / v->chunk, &raw);
    }
    cairn_bytes_free(&raw);
    return status;
}

static void put_list(cairn_bytes *out, const char *name, int count, const int *x) {
    cairn_bytes_print(out, ",\"%s\":[", name);
    for (int i = 0; i < count; i++)
        cairn_bytes_print(out, "%s%d", i > 0 ? "," : "", x[i]);
    cairn_bytes_text(out, "]");
}

void cairn_view_meta_parts(const cairn_view *v, cairn_bytes *out) {
    const double unit[] = {v->position_quantum, v->node_speed / LEVELS, v->node_stress / LEVELS};
    cairn_bytes_print(out, ",\n\"held\":%s,\"nodes\":%d,\"nodeQuantum\":[", v->held ? "true" : "false", v->nodes);
    for (int i = 0; i < 3; i++) {
        cairn_bytes_text(out, i > 0 ? "," : "");
        cairn_bytes_real(out, unit[i], 17);
    }
    cairn_bytes_text(out, "],\"parts\":[");
    for (int k = 0; k < v->info.parts; k++) {
        cairn_recorded_part part;
        if (cairn_recording_part(v->recording, k, &part) != CAIRN_OK)
            continue;
        cairn_bytes_print(out, "%s{\"body\":%d,\"first\":%lld,\"nodes\":%d", k > 0 ? ",\n" : "\n", part.body,
                          (long long)part.first, part.nodes);
        put_list(out, "faces", 3 * part.faces, part.face);
        put_list(out, "lines", 2 * part.lines, part.line);
        cairn_bytes_text(out, ",\"radius\":[");
        for (int i = 0; i < part.lines; i++) {
            cairn_bytes_text(out, i > 0 ? "," : "");
            cairn_bytes_real(out, part.radius[i], 7);
        }
        cairn_bytes_text(out, "]}");
    }
    cairn_bytes_text(out, "]");
}
