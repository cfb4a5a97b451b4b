/*
 * tessellate.c: shapes as triangles. Round shapes are profiles (radius, height, normal) turned
 * about z.
 */
#include "view/tessellate.h"

#include <math.h>

#define TURN 6.283185307179586

int cairn_skin_points(const cairn_skin *s) {
    return (int)(s->point.size / (3 * sizeof(float)));
}

int cairn_skin_triangles(const cairn_skin *s) {
    return (int)(s->corner.size / (3 * sizeof(int32_t)));
}

bool cairn_skin_failed(const cairn_skin *s) {
    return s->point.failed || s->normal.failed || s->corner.failed;
}

void cairn_skin_free(cairn_skin *s) {
    cairn_bytes_free(&s->point);
    cairn_bytes_free(&s->normal);
    cairn_bytes_free(&s->corner);
}

static void add_vertex(cairn_skin *s, double x, double y, double z, double nx, double ny, double nz) {
    const float p[] = {(float)x, (float)y, (float)z}, n[] = {(float)nx, (float)ny, (float)nz};
    cairn_bytes_add(&s->point, p, sizeof p);
    cairn_bytes_add(&s->normal, n, sizeof n);
}

static void add_triangle(cairn_skin *s, int a, int b, int c) {
    const int32_t corner[] = {a, b, c};
    cairn_bytes_add(&s->corner, corner, sizeof corner);
}

/* radius, height, radial and axial part of the normal; from below to above, seen from outside. */
typedef double profile_point[4];

static void revolve(cairn_skin *s, int count, const profile_point *p, int segments) {
    int first = cairn_skin_points(s), row = segments + 1;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= segments; j++) {
            double c = cos(TURN * (j % segments) / segments), d = sin(TURN * (j % segments) / segments);
            add_vertex(s, p[i][0] * c, p[i][0] * d, p[i][1], p[i][2] * c, p[i][2] * d, p[i][3]);
        }
    for (int i = 0; i + 1 < count; i++)
        for (int j = 0; j < segments; j++) {
            int at = first + i * row + j;
            if (p[i][0] > 0.0)
                add_triangle(s, at, at + 1, at + row + 1);
            if (p[i + 1][0] > 0.0)
                add_triangle(s, at, at + row + 1, at + row);
        }
}

/* A sphere, or with half > 0 a capsule. */
static void add_round(cairn_skin *s, double radius, double half, int segments) {
    profile_point p[40];
    int rings = segments / 2 < 16 ? segments / 2 : 16, count = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i <= rings; i++) {
            double angle = 0.25 * TURN * (side < 0 ? i - rings : i) / rings;
            bool pole = (side < 0 && i == 0) || (side > 0 && i == rings);
            if (side > 0 && i == 0 && half == 0.0)
                continue;
            p[count][0] = pole ? 0.0 : radius * cos(angle);
            p[count][1] = radius * sin(angle) + side * half;
            p[count][2] = pole ? 0.0 : cos(angle);
            p[count++][3] = sin(angle);
        }
    revolve(s, count, (const profile_point *)p, segments);
}

/* A ball of radius 1, stretched. */
static void add_ellipsoid(cairn_skin *s, const double *half, int segments) {
    int from = cairn_skin_points(s);
    add_round(s, 1.0, 0.0, segments);
    float *p = (float *)(void *)s->point.data, *n = (float *)(void *)s->normal.data;
    for (int i = from; i < cairn_skin_points(s) && !cairn_skin_failed(s); i++) {
        cairn_vec3 d = cairn_vec3_unit(
            cairn_vec3_of(n[3 * i] / half[0], n[3 * i + 1] / half[1], n[3 * i + 2] / half[2]));
        for (int k = 0; k < 3; k++)
            p[3 * i + k] = (float)(half[k] * p[3 * i + k]);
        n[3 * i] = (float)d.x;
        n[3 * i + 1] = (float)d.y;
        n[3 * i + 2] = (float)d.z;
    }
}

static void add_cylinder(cairn_skin *s, double r, double half, int segments) {
    const profile_point side[] = {{r, -half, 1, 0}, {r, half, 1, 0}};
    const profile_point low[] = {{0, -half, 0, -1}, {r, -half, 0, -1}}, high[] = {{r, half, 0, 1}, {0, half, 0, 1}};
    revolve(s, 2, side, segments);
    revolve(s, 2, low, segments);
    revolve(s, 2, high, segments);
}

static void add_cone(cairn_skin *s, double r, double height, int segments) {
    double slant = hypot(r, height), nr = height / slant, nz = r / slant;
    const profile_point side[] = {{r, -0.25 * height, nr, nz}, {0, 0.75 * height, nr, nz}};
    const profile_point low[] = {{0, -0.25 * height, 0, -1}, {r, -0.25 * height, 0, -1}};
    revolve(s, 2, side, segments);
    revolve(s, 2, low, segments);
}

static void add_box(cairn_skin *s, const double *half) {
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, first = cairn_skin_points(s);
        double sign = face % 2 == 0 ? 1.0 : -1.0, n[3] = {0};
        n[axis] = sign;
        for (int k = 0; k < 4; k++) {
            double p[3];
            p[axis] = sign * half[axis];
            p[u] = (k == 1 || k == 2 ? sign : -sign) * half[u];
            p[v] = (k >= 2 ? 1.0 : -1.0) * half[v];
            add_vertex(s, p[0], p[1], p[2], n[0], n[1], n[2]);
        }
        add_triangle(s, first, first + 1, first + 2);
        add_triangle(s, first, first + 2, first + 3);
    }
}

static void add_facets(cairn_skin *s, const cairn_recorded_shape *shape) {
    for (int t = 0; t < shape->triangles; t++) {
        cairn_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const double *x = shape->point + (ptrdiff_t)3 * shape->triangle[3 * t + k];
            p[k] = cairn_vec3_of(x[0], x[1], x[2]);
        }
        cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(p[1], p[0]), cairn_vec3_sub(p[2], p[0]));
        double length = cairn_vec3_length(n);
        n = length > 0.0 ? cairn_vec3_scale(1.0 / length, n) : cairn_vec3_of(0, 0, 1);
        int first = cairn_skin_points(s);
        for (int k = 0; k < 3; k++)
            add_vertex(s, p[k].x, p[k].y, p[k].z, n.x, n.y, n.z);
        add_triangle(s, first, first + 1, first + 2);
    }
}

/* Moves what was added from vertex `from` on by a pose: position, rotation. */
static void move(cairn_skin *s, int from, const double *pose) {
    cairn_quat q = {pose[3], pose[4], pose[5], pose[6]};
    float *p = (float *)(void *)s->point.data, *n = (float *)(void *)s->normal.data;
    for (int i = from; i < cairn_skin_points(s) && !cairn_skin_failed(s); i++) {
        cairn_vec3 x = cairn_quat_rotate(q, cairn_vec3_of(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
        cairn_vec3 d = cairn_quat_rotate(q, cairn_vec3_of(n[3 * i], n[3 * i + 1], n[3 * i + 2]));
        p[3 * i] = (float)(x.x + pose[0]);
        p[3 * i + 1] = (float)(x.y + pose[1]);
        p[3 * i + 2] = (float)(x.z + pose[2]);
        n[3 * i] = (float)d.x;
        n[3 * i + 1] = (float)d.y;
        n[3 * i + 2] = (float)d.z;
    }
}

void cairn_skin_add(cairn_skin *s, const cairn_recording *recording, int index, int segments, double plane) {
    cairn_recorded_shape shape;
    if (cairn_recording_shape(recording, index, &shape) != CAIRN_OK)
        return;
    const double *size = shape.size;
    switch (shape.kind) {
    case CAIRN_SHAPE_SPHERE:
        add_round(s, size[0], 0.0, segments);
        break;
    case CAIRN_SHAPE_CAPSULE:
        add_round(s, size[0], size[1], segments);
        break;
    case CAIRN_SHAPE_ELLIPSOID:
        add_ellipsoid(s, size, segments);
        break;
    case CAIRN_SHAPE_BOX:
        add_box(s, size);
        break;
    case CAIRN_SHAPE_CYLINDER:
        add_cylinder(s, size[0], size[1], segments);
        break;
    case CAIRN_SHAPE_CONE:
        add_cone(s, size[0], size[1], segments);
        break;
    case CAIRN_SHAPE_HULL:
    case CAIRN_SHAPE_MESH:
        add_facets(s, &shape);
        break;
    case CAIRN_SHAPE_PLANE: {
        int first = cairn_skin_points(s);
        for (int k = 0; k < 4; k++)
            add_vertex(s, k == 1 || k == 2 ? plane : -plane, k >= 2 ? plane : -plane, 0.0, 0.0, 0.0, 1.0);
        add_triangle(s, first, first + 1, first + 2);
        add_triangle(s, first, first + 2, first + 3);
        break;
    }
    case CAIRN_SHAPE_COMPOUND:
        for (int i = 0; i < shape.children; i++) {
            int from = cairn_skin_points(s);
            if (shape.child[i] < index)
                cairn_skin_add(s, recording, shape.child[i], segments, plane);
            move(s, from, shape.child_pose + (ptrdiff_t)7 * i);
        }
        break;
    }
}

/* Half the side of the square that stands for a plane: it reaches beyond all bodies of the first
 * frame. */
static cairn_status plane_half(cairn_recording *recording, double *half) {
    cairn_frame f;
    cairn_status status = cairn_recording_frame(recording, 0, &f);
    *half = 1.0;
    for (int i = 0; status == CAIRN_OK && i < 3 * f.bodies; i++)
        if (isfinite(f.position[i]))
            *half = fmax(*half, 2.0 * fabs(f.position[i]));
    return status;
}

cairn_status cairn_skins_make(cairn_recording *recording, cairn_skins *surfaces) {
    cairn_recording_info info = cairn_recording_get(recording);
    cairn_context *context = cairn_recording_context(recording);
    int segments = info.bodies <= 200 ? 32 : info.bodies <= 2000 ? 16 : 10;
    double half = 1.0;
    *surfaces = (cairn_skins){.context = context};
    cairn_status status = plane_half(recording, &half);
    if (status != CAIRN_OK)
        return status;
    surfaces->item = cairn_alloc(context, (size_t)info.shapes, sizeof *surfaces->item);
    if (surfaces->item == NULL)
        return CAIRN_ERROR_MEMORY;
    surfaces->count = info.shapes;
    for (int i = 0; i < info.shapes; i++) {
        cairn_skin *s = &surfaces->item[i];
        s->point.context = s->normal.context = s->corner.context = context;
        cairn_skin_add(s, recording, i, segments, half);
        if (cairn_skin_failed(s))
            return CAIRN_ERROR_MEMORY;
    }
    return CAIRN_OK;
}

void cairn_skins_free(cairn_skins *surfaces) {
    for (int i = 0; i < surfaces->count; i++)
        cairn_skin_free(&surfaces->item[i]);
    cairn_free(surfaces->context, surfaces->item);
    *surfaces = (cairn_skins){0};
}
