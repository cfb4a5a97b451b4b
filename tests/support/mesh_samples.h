/*
 * mesh_samples.h: meshes for tests: floors cut into uneven triangles, tessellated boxes, balls.
 */
#ifndef CAIRN_TEST_MESH_SAMPLES_H
#define CAIRN_TEST_MESH_SAMPLES_H

#include "support.h"

enum { SAMPLE_POINTS = 24576, SAMPLE_TRIANGLES = 8192 };

typedef struct sample_mesh {
    int points, triangles;
    cairn_vec3 point[SAMPLE_POINTS];
    int corner[3 * SAMPLE_TRIANGLES];
} sample_mesh;

static inline int sample_point(sample_mesh *m, double x, double y, double z) {
    m->point[m->points] = cairn_vec3_of(x, y, z);
    return m->points++;
}

static inline void sample_triangle(sample_mesh *m, int a, int b, int c) {
    int *corner = m->corner + 3 * m->triangles++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

/* n x n cells of a square of the given half width; inner points are moved and diagonals chosen at random. height(x, y): NULL is 0. */
static inline void sample_floor(sample_mesh *m, test_random *r, int n, double half, double (*height)(double, double)) {
    m->points = m->triangles = 0;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            bool inner = i > 0 && j > 0 && i < n && j < n;
            double cell = 2.0 * half / n, x = -half + cell * i, y = -half + cell * j;
            x += inner ? 0.2 * cell * test_random_signed(r) : 0.0;
            y += inner ? 0.2 * cell * test_random_signed(r) : 0.0;
            sample_point(m, x, y, height != NULL ? height(x, y) : 0.0);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
            if (test_random_unit(r) < 0.5) {
                sample_triangle(m, a, b, c);
                sample_triangle(m, a, c, d);
            } else {
                sample_triangle(m, a, b, d);
                sample_triangle(m, b, c, d);
            }
        }
}

/* A box of half sides h, every face cut into 2 n^2 triangles; points of different faces are not shared. */
static inline void sample_box(sample_mesh *m, int n, cairn_vec3 h) {
    m->points = m->triangles = 0;
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, first = m->points;
        double side = face % 2 == 0 ? -1.0 : 1.0;
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                double s = -1.0 + 2.0 * i / n, t = -1.0 + 2.0 * j / n, x[3];
                x[axis] = side;
                x[(axis + 1) % 3] = side > 0.0 ? s : t;
                x[(axis + 2) % 3] = side > 0.0 ? t : s;
                sample_point(m, h.x * x[0], h.y * x[1], h.z * x[2]);
            }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                int a = first + j * (n + 1) + i, b = a + 1, c = a + n + 2, d = a + n + 1;
                sample_triangle(m, a, b, c);
                sample_triangle(m, a, c, d);
            }
    }
}

/* A ball of radius r: an octahedron, each face cut into n^2 triangles and blown up. Points of different faces are not shared. */
static inline void sample_ball(sample_mesh *m, int n, double r) {
    m->points = m->triangles = 0;
    for (int face = 0; face < 8; face++) {
        cairn_vec3 x = {face & 1 ? -1.0 : 1.0, 0, 0}, y = {0, face & 2 ? -1.0 : 1.0, 0},
                   z = {0, 0, face & 4 ? -1.0 : 1.0};
        bool turned = ((face & 1) + (face >> 1 & 1) + (face >> 2 & 1)) % 2 == 1;
        int first = m->points;
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n - j; i++) {
                cairn_vec3 q = cairn_vec3_add(cairn_vec3_scale(i, x),
                                              cairn_vec3_add(cairn_vec3_scale(j, y), cairn_vec3_scale(n - i - j, z)));
                q = cairn_vec3_scale(r, cairn_vec3_unit(q));
                sample_point(m, q.x, q.y, q.z);
            }
        for (int j = 0, row = first; j < n; j++) {
            int next = row + n - j + 1;
            for (int i = 0; i < n - j; i++) {
                int a = row + i, b = row + i + 1, c = next + i, d = next + i + 1;
                sample_triangle(m, a, turned ? c : b, turned ? b : c);
                if (i + 1 < n - j)
                    sample_triangle(m, b, turned ? c : d, turned ? d : c);
            }
            row = next;
        }
    }
}

static inline cairn_shape *sample_shape(cairn_context *context, const sample_mesh *m) {
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_mesh(context, m->points, m->point, m->triangles, m->corner, &shape) == CAIRN_OK);
    return shape;
}

#endif
