/*
 * page_bodies.c: the poses of a chunk of frames as integers that are mostly small.
 *
 *     block "bodies-k": for each of the 15 tracks, for each body that moves, for each frame of the chunk one integer r:
 *     x_0 = r_0, x_1 = x_0 + r_1, then x_f = x_(f-1) + r_f, and for positions and rotations
 *     x_f = 2 x_(f-1) - x_(f-2) + r_f
 *
 * Tracks: position (3), rotation (4, w x y z in units of 1/16384, of the sign nearer to the frame
 * before), velocity (3), spin (3), island (the smallest body in it, -1: none), present (0 or 1; a
 * body that is not there keeps its last numbers).
 *
 * Islands: bodies that can be pushed and hang together by contacts of the step or by joints.
 *
 *     block "joints-k": for each frame, for each joint: coordinate, drive, gap, force (3), torque (3) as 32-bit floats
 */
#include "view/page/page_data.h"

#include "base/groups.h"

#include <math.h>
#include <string.h>

enum { ISLAND = 13, PRESENT = 14, JOINT_REALS = 9 };

static bool pushed(const cairn_view *v, int body) {
    cairn_recorded_body b;
    return body >= 0 && cairn_recording_body(v->recording, body, &b) == CAIRN_OK && b.kind == CAIRN_BODY_DYNAMIC;
}

static void find_islands(cairn_view *v, const cairn_frame *f) {
    for (int i = 0; i < v->info.bodies; i++)
        v->parent[i] = i;
    for (int i = 0; i < f->contacts; i++) {
        int a = f->contact_body[2 * i], b = f->contact_body[2 * i + 1];
        if (pushed(v, a) && pushed(v, b))
            cairn_group_join(v->parent, a, b);
    }
    for (int i = 0; i < f->joints; i++) {
        cairn_recorded_joint j;
        if (isnan(f->joint_gap[i]) || cairn_recording_joint(v->recording, i, &j) != CAIRN_OK)
            continue;
        if (pushed(v, j.a) && pushed(v, j.b))
            cairn_group_join(v->parent, j.a, j.b);
    }
}

/* The numbers of one body in a frame; before: those of the frame before, NULL in the first of a
 * chunk. */
static void take_body(cairn_view *v, const cairn_frame *f, int body, const int32_t *before, int32_t *x) {
    bool there = body < f->bodies && !isnan(f->position[3 * body]);
    if (!there) {
        if (before != NULL)
            memcpy(x, before, CAIRN_TRACKS * sizeof *x);
        x[PRESENT] = 0;
        return;
    }
    const double *q = f->rotation + (ptrdiff_t)4 * body;
    double turn = q[0]; /* the sign of a rotation: w >= 0, or nearer to the frame before */
    if (before != NULL && before[PRESENT])
        turn = q[0] * before[3] + q[1] * before[4] + q[2] * before[5] + q[3] * before[6];
    for (int c = 0; c < 3; c++) {
        x[c] = cairn_quantise(f->position[3 * body + c], v->position_quantum);
        x[7 + c] = cairn_quantise(f->velocity[3 * body + c], v->velocity_quantum);
        x[10 + c] = cairn_quantise(f->angular_velocity[3 * body + c], v->spin_quantum);
    }
    for (int c = 0; c < 4; c++)
        x[3 + c] = cairn_quantise(turn < 0.0 ? -q[c] : q[c], 1.0 / 16384);
    x[ISLAND] = pushed(v, body) ? cairn_group_root(v->parent, body) : -1;
    x[PRESENT] = 1;
}

void cairn_view_difference(int count, bool second, int32_t *x) {
    for (int f = count - 1; f >= 1; f--) {
        uint32_t guess = (uint32_t)x[f - 1];
        if (second && f >= 2)
            guess = 2 * guess - (uint32_t)x[f - 2];
        x[f] = (int32_t)((uint32_t)x[f] - guess);
    }
}

static void add_joints(const cairn_view *v, const cairn_frame *f, cairn_bytes *raw) {
    for (int i = 0; i < v->info.joints; i++) {
        float x[JOINT_REALS];
        for (int c = 0; c < JOINT_REALS; c++)
            x[c] = NAN;
        if (i < f->joints) {
            x[0] = (float)f->joint_coordinate[i];
            x[1] = (float)f->joint_drive[i];
            x[2] = (float)f->joint_gap[i];
            for (int c = 0; c < 3; c++) {
                x[3 + c] = (float)f->joint_force[3 * i + c];
                x[6 + c] = (float)f->joint_torque[3 * i + c];
            }
        }
        cairn_bytes_add(raw, x, sizeof x);
    }
}

/* Tracks of a chunk: values[(track * bodies + body) * count + frame]. */
static cairn_status take_chunk(cairn_view *v, int begin, int count, int32_t *values, cairn_bytes *joints) {
    int32_t now[CAIRN_TRACKS] = {0}, before[CAIRN_TRACKS];
    for (int k = 0; k < count; k++) {
        cairn_frame f;
        cairn_status status = cairn_recording_frame(v->recording, v->frame[begin + k], &f);
        if (status != CAIRN_OK)
            return status;
        find_islands(v, &f);
        add_joints(v, &f, joints);
        for (int i = 0; i < v->movings; i++) {
            for (int t = 0; t < CAIRN_TRACKS && k > 0; t++)
                before[t] = values[((ptrdiff_t)t * v->movings + i) * count + k - 1];
            memset(now, 0, sizeof now);
            take_body(v, &f, v->moving[i], k > 0 ? before : NULL, now);
            for (int t = 0; t < CAIRN_TRACKS; t++)
                values[((ptrdiff_t)t * v->movings + i) * count + k] = now[t];
        }
    }
    return CAIRN_OK;
}

void cairn_view_block(cairn_bytes *out, const char *name, int number, cairn_bytes *raw) {
    if (number < 0)
        cairn_bytes_print(out, "<script type=\"text/plain\" id=\"%s\">", name);
    else
        cairn_bytes_print(out, "<script type=\"text/plain\" id=\"%s-%d\">", name, number);
    cairn_bytes_deflate(out, raw);
    cairn_bytes_text(out, "</script>\n");
    raw->size = 0;
}

cairn_status cairn_view_bodies(cairn_view *v, cairn_bytes *out) {
    size_t tracks = (size_t)CAIRN_TRACKS * (size_t)v->movings;
    int32_t *values = cairn_alloc(v->context, tracks * (size_t)v->chunk, sizeof *values);
    cairn_bytes raw = {.context = v->context}, joints = {.context = v->context};
    cairn_status status = values != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int begin = 0; begin < v->frames && status == CAIRN_OK; begin += v->chunk) {
        int count = v->frames - begin < v->chunk ? v->frames - begin : v->chunk;
        status = take_chunk(v, begin, count, values, &joints);
        if (status != CAIRN_OK)
            break;
        for (size_t t = 0; t < tracks; t++)
            cairn_view_difference(count, t < 7 * (size_t)v->movings, values + t * (size_t)count);
        for (size_t t = 0; t < CAIRN_TRACKS; t++)
            cairn_bytes_planes(&raw, (size_t)v->movings * (size_t)count,
                               values + t * (size_t)v->movings * (size_t)count);
        if (raw.failed || joints.failed)
            status = CAIRN_ERROR_MEMORY;
        cairn_view_block(out, "bodies", begin / v->chunk, &raw);
        if (v->info.joints > 0)
            cairn_view_block(out, "joints", begin / v->chunk, &joints);
    }
    cairn_bytes_free(&raw);
    cairn_bytes_free(&joints);
    cairn_free(v->context, values);
    return status;
}
