/*
 * floor_samples.h: one flat square floor cut into triangles in many ways: as exporters, scanners and careless tools leave it.
 */
#ifndef CAIRN_TEST_FLOOR_SAMPLES_H
#define CAIRN_TEST_FLOOR_SAMPLES_H

#include "mesh_samples.h"

typedef enum floor_kind {
    FLOOR_SHARED,      /* vertices shared */
    FLOOR_SOUP,        /* every triangle has its own vertices */
    FLOOR_T,           /* cells split 1, 2, 4 or 8 times: vertices of one side lie on edges of the other */
    FLOOR_T_OFF,       /* the same, and vertices lie a little off these edges, in all directions */
    FLOOR_SLIVERS,     /* cells 1e-5 of the others wide, and triangles of height 1e-5 of their length */
    FLOOR_NOISE,       /* 1e-7 of the size in every vertex */
    FLOOR_NOISE_SOUP,  /* 1e-7 of the size in every corner of every triangle: cracks and overlaps */
    FLOOR_UNEVEN,      /* vertices anywhere in their cells */
    FLOOR_MIXED,       /* cells of 1:1000 side by side */
    FLOOR_MIXED_NOISE, /* these as a soup with 1e-7 of the size in every corner */
    FLOOR_TWICE,       /* triangles twice, some the other way round, and triangles without area */
    FLOOR_WINDING,     /* triangles turned at random */
    FLOOR_KINDS
} floor_kind;

static const char *const floor_name[FLOOR_KINDS] = {"shared",  "soup",        "T",          "T off",
                                                    "slivers", "noise",       "noise soup", "uneven",
                                                    "mixed",   "mixed noise", "twice",      "winding"};

#define FLOOR_NOISE_SIZE 1e-7 /* of the floor's width */

/* Every triangle gets its own vertices. */
static inline void floor_to_soup(sample_mesh *m) {
    static cairn_vec3 point[SAMPLE_POINTS];
    for (int i = 0; i < 3 * m->triangles; i++) {
        point[i] = m->point[m->corner[i]];
        m->corner[i] = i;
    }
    m->points = 3 * m->triangles;
    memcpy(m->point, point, (size_t)m->points * sizeof *point);
}

static inline void floor_shake(sample_mesh *m, test_random *r, double noise) {
    for (int i = 0; i < m->points; i++) {
        cairn_vec3 d = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
        m->point[i] = cairn_vec3_add_scaled(m->point[i], noise, d);
    }
}

static inline void floor_turn(sample_mesh *m, int triangle) {
    int *c = m->corner + 3 * triangle, first = c[0];
    c[0] = c[1];
    c[1] = first;
}

/* Lines of cells at x[0 .. n], y[0 .. n]; every cell is split into 2 triangles with vertices of its own. */
static inline void floor_grid(sample_mesh *m, const double *x, const double *y, int n) {
    m->points = m->triangles = 0;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++)
            sample_point(m, x[i], y[j], 0.0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = j * (n + 1) + i;
            sample_triangle(m, a, a + 1, a + n + 2);
            sample_triangle(m, a, a + n + 2, a + n + 1);
        }
    for (int k = 0, half = 3 * m->triangles / 2; k < half; k++) { /* those in the middle come first */
        int c = m->corner[k];
        m->corner[k] = m->corner[half + k];
        m->corner[half + k] = c;
    }
}

/* n x n cells, each a grid of 1, 2, 4 or 8 cells, with vertices of its own. */
static inline void floor_levels(sample_mesh *m, test_random *r, int n, double half) {
    double cell = 2.0 * half / n;
    m->points = m->triangles = 0;
    for (int c = 0; c < n * n; c++) {
        int parts = 1 << (int)(3.999 * test_random_unit(r) * test_random_unit(r)), first = m->points;
        double x = -half + cell * (c % n), y = -half + cell * (c / n);
        for (int k = 0; k < (parts + 1) * (parts + 1); k++)
            sample_point(m, x + cell * (k % (parts + 1)) / parts, y + cell * (k / (parts + 1)) / parts, 0.0);
        for (int k = 0; k < parts * parts; k++) {
            int a = first + k / parts * (parts + 1) + k % parts;
            sample_triangle(m, a, a + 1, a + parts + 2);
            sample_triangle(m, a, a + parts + 2, a + parts + 1);
        }
    }
}

/* Thin rows of cells among wide ones; and in some triangles a vertex close to an edge, so that the three pieces are thin, too. */
static inline void floor_slivers(sample_mesh *m, test_random *r, double half) {
    enum { WIDE = 16 };
    double x[2 * WIDE + 1], cell = 2.0 * half / WIDE;
    for (int i = 0; i <= 2 * WIDE; i++)
        x[i] = -half + cell * (i / 2) + (i % 2) * (i % 4 == 1 ? 1e-5 : 1e-6) * cell;
    floor_grid(m, x, x, 2 * WIDE);
    for (int t = 0, count = m->triangles; t < count; t++) {
        int *c = m->corner + 3 * t;
        cairn_vec3 p = m->point[c[0]], q = m->point[c[1]], s = m->point[c[2]];
        double area = cairn_vec3_length(cairn_vec3_cross(cairn_vec3_sub(q, p), cairn_vec3_sub(s, p)));
        if (area < 0.5 * cell * cell || test_random_unit(r) < 0.5)
            continue;
        double w = 0.2 + 0.6 * test_random_unit(r);
        cairn_vec3 on = cairn_vec3_add_scaled(p, w, cairn_vec3_sub(q, p));
        on = cairn_vec3_add_scaled(on, 1e-5, cairn_vec3_sub(s, on));
        int v = sample_point(m, on.x, on.y, 0.0), a = c[0], b = c[1], d = c[2];
        c[2] = v;
        sample_triangle(m, b, d, v);
        sample_triangle(m, d, a, v);
    }
}

/* Lines drawn together towards the middle: cells of 1 : 1000. */
static inline void floor_mixed(sample_mesh *m, double half) {
    enum { LINES = 24 };
    double x[2 * LINES + 1];
    for (int i = 0; i <= LINES; i++) {
        x[LINES + i] = half * (exp(7.5 * i / LINES) - 1.0) / (exp(7.5) - 1.0);
        x[LINES - i] = -x[LINES + i];
    }
    floor_grid(m, x, x, 2 * LINES);
}

static inline void floor_twice(sample_mesh *m, test_random *r) {
    for (int t = 0, count = m->triangles; t < count; t++) {
        const int *c = m->corner + 3 * t;
        double kind = 6.0 * test_random_unit(r);
        if (kind < 1.0)
            sample_triangle(m, c[1], c[2], c[0]);
        else if (kind < 2.0)
            sample_triangle(m, c[1], c[0], c[2]);
        else if (kind < 3.0)
            sample_triangle(m, c[0], c[1], c[0]);
        else if (kind < 4.0) /* three points of one line */
            sample_triangle(m, c[0], c[1],
                            sample_point(m, 0.5 * (m->point[c[0]].x + m->point[c[1]].x),
                                         0.5 * (m->point[c[0]].y + m->point[c[1]].y), 0.0));
    }
}

/* The floor z = 0, |x|, |y| <= half. */
static inline void floor_make(sample_mesh *m, test_random *r, floor_kind kind, double half) {
    double noise = 2.0 * half * FLOOR_NOISE_SIZE;
    if (kind == FLOOR_T || kind == FLOOR_T_OFF)
        floor_levels(m, r, 16, half);
    else if (kind == FLOOR_SLIVERS)
        floor_slivers(m, r, half);
    else if (kind == FLOOR_MIXED || kind == FLOOR_MIXED_NOISE)
        floor_mixed(m, half);
    else
        sample_floor(m, r, 24, half, NULL);
    if (kind == FLOOR_UNEVEN)
        for (int i = 0; i < m->points; i++)
            if (fabs(m->point[i].x) < half - 1e-9 && fabs(m->point[i].y) < half - 1e-9) {
                m->point[i].x += 0.12 * half / 24 * test_random_signed(r);
                m->point[i].y += 0.12 * half / 24 * test_random_signed(r);
            }
    if (kind == FLOOR_SOUP || kind == FLOOR_NOISE_SOUP || kind == FLOOR_MIXED_NOISE)
        floor_to_soup(m);
    if (kind == FLOOR_NOISE || kind == FLOOR_NOISE_SOUP || kind == FLOOR_MIXED_NOISE || kind == FLOOR_T_OFF)
        floor_shake(m, r, noise);
    if (kind == FLOOR_TWICE)
        floor_twice(m, r);
    if (kind == FLOOR_WINDING)
        for (int t = 0; t < m->triangles; t++)
            if (test_random_unit(r) < 0.5)
                floor_turn(m, t);
}

#endif
