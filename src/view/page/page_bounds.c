/*
 * page_bounds.c: how large shapes are: boxes and balls that hold them.
 */
#include "view/page/page_data.h"

#include <math.h>

/* Grows the box of a shape, placed by pose (position, rotation). */
static void shape_box(const cairn_recording *recording, int index, const double *pose, cairn_box *box);

void cairn_box_grow(cairn_box *box, const double *x, double radius) {
    for (int i = 0; i < 3; i++) {
        box->low[i] = fmin(box->low[i], x[i] - radius);
        box->high[i] = fmax(box->high[i], x[i] + radius);
    }
}

/* A point of the shape's frame. */
void cairn_view_place(const double *pose, double x, double y, double z, double *at) {
    cairn_quat q = {pose[3], pose[4], pose[5], pose[6]};
    cairn_vec3 p = cairn_quat_rotate(q, cairn_vec3_of(x, y, z));
    at[0] = pose[0] + p.x;
    at[1] = pose[1] + p.y;
    at[2] = pose[2] + p.z;
}

static void box_corners(const double *pose, const double *low, const double *high, cairn_box *box) {
    for (int k = 0; k < 8; k++) {
        double at[3];
        cairn_view_place(pose, k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2], at);
        cairn_box_grow(box, at, 0.0);
    }
}

static void child_boxes(const cairn_recording *recording, int index, const cairn_recorded_shape *s, const double *pose,
                        cairn_box *box) {
    cairn_quat q = {pose[3], pose[4], pose[5], pose[6]};
    for (int i = 0; i < s->children; i++) {
        const double *p = s->child_pose + (ptrdiff_t)7 * i;
        double child[7];
        cairn_view_place(pose, p[0], p[1], p[2], child);
        cairn_quat turn = cairn_quat_multiply(q, (cairn_quat){p[3], p[4], p[5], p[6]});
        child[3] = turn.w;
        child[4] = turn.x;
        child[5] = turn.y;
        child[6] = turn.z;
        if (s->child[i] < index)
            shape_box(recording, s->child[i], child, box);
    }
}

static void shape_box(const cairn_recording *recording, int index, const double *pose, cairn_box *box) {
    cairn_recorded_shape s;
    if (cairn_recording_shape(recording, index, &s) != CAIRN_OK)
        return;
    double r = s.size[0], h = s.size[1], at[3];
    const double round_low[] = {-r, -r, -h}, round_high[] = {r, r, h};
    const double cone_low[] = {-r, -r, -0.25 * h}, cone_high[] = {r, r, 0.75 * h};
    const double box_low[] = {-s.size[0], -s.size[1], -s.size[2]};
    switch (s.kind) {
    case CAIRN_SHAPE_SPHERE:
        cairn_box_grow(box, pose, r);
        break;
    case CAIRN_SHAPE_CAPSULE:
        for (int end = -1; end <= 1; end += 2) {
            cairn_view_place(pose, 0.0, 0.0, end * h, at);
            cairn_box_grow(box, at, r);
        }
        break;
    case CAIRN_SHAPE_CYLINDER:
        box_corners(pose, round_low, round_high, box);
        break;
    case CAIRN_SHAPE_CONE:
        box_corners(pose, cone_low, cone_high, box);
        break;
    case CAIRN_SHAPE_BOX:
    case CAIRN_SHAPE_ELLIPSOID:
        box_corners(pose, box_low, s.size, box);
        break;
    case CAIRN_SHAPE_PLANE:
        break;
    case CAIRN_SHAPE_HULL:
    case CAIRN_SHAPE_MESH:
        for (int i = 0; i < s.points; i++) {
            cairn_view_place(pose, s.point[3 * i], s.point[3 * i + 1], s.point[3 * i + 2], at);
            cairn_box_grow(box, at, 0.0);
        }
        break;
    case CAIRN_SHAPE_COMPOUND:
        child_boxes(recording, index, &s, pose, box);
        break;
    }
}

double cairn_view_ball(const cairn_recording *recording, int shape, double *middle) {
    static const double origin[7] = {0, 0, 0, 1, 0, 0, 0};
    cairn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (shape >= 0)
        shape_box(recording, shape, origin, &box);
    middle[0] = middle[1] = middle[2] = 0.0;
    if (!(box.low[0] <= box.high[0]))
        return 0.0;
    double square = 0.0;
    cairn_recorded_shape s;
    for (int c = 0; c < 3; c++) {
        middle[c] = 0.5 * (box.low[c] + box.high[c]);
        square += 0.25 * (box.high[c] - box.low[c]) * (box.high[c] - box.low[c]);
    }
    bool ball = cairn_recording_shape(recording, shape, &s) == CAIRN_OK && s.kind == CAIRN_SHAPE_SPHERE;
    return ball ? s.size[0] : sqrt(square);
}
