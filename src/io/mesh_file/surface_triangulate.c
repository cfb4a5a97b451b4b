/*
 * surface_triangulate.c: a polygon in space cut into triangles, ear by ear, seen along its mean
 * normal (Newell's sum).
 *
 * An ear is a corner that turns left and whose triangle holds no other corner. A polygon that
 * crosses itself may have none: the rest is then cut as a fan, so that there are always n - 2
 * triangles. Takes n^3 steps at worst, n^2 normally.
 */
#include "io/mesh_file/surface_file.h"

static cairn_vec3 mean_normal(const cairn_vec3 *point, int n, const int *loop) {
    cairn_vec3 sum = {0, 0, 0}, o = point[loop[0]];
    for (int i = 1; i + 1 < n; i++)
        sum = cairn_vec3_add(
            sum, cairn_vec3_cross(cairn_vec3_sub(point[loop[i]], o), cairn_vec3_sub(point[loop[i + 1]], o)));
    return sum;
}

/* Twice the area of a triangle seen along n. */
static double area(cairn_vec3 a, cairn_vec3 b, cairn_vec3 c, cairn_vec3 n) {
    return cairn_vec3_dot(n, cairn_vec3_cross(cairn_vec3_sub(b, a), cairn_vec3_sub(c, a)));
}

static bool holds(cairn_vec3 a, cairn_vec3 b, cairn_vec3 c, cairn_vec3 x, cairn_vec3 n) {
    return area(a, b, x, n) >= 0.0 && area(b, c, x, n) >= 0.0 && area(c, a, x, n) >= 0.0;
}

/* The corner to cut next among order[0 .. left); -1: there is no ear. */
static int find_ear(const cairn_vec3 *point, const int *order, int left, cairn_vec3 n) {
    for (int i = 0; i < left; i++) {
        int p = order[(i + left - 1) % left], q = order[i], r = order[(i + 1) % left];
        bool ear = area(point[p], point[q], point[r], n) > 0.0;
        for (int k = 0; k < left && ear; k++) {
            int x = order[k];
            ear = x == p || x == q || x == r || !holds(point[p], point[q], point[r], point[x], n);
        }
        if (ear)
            return i;
    }
    return -1;
}

void cairn_surface_cut(const cairn_vec3 *point, int n, const int *loop, int *order, int *corner) {
    cairn_vec3 normal = n > 3 ? mean_normal(point, n, loop) : cairn_vec3_of(0, 0, 1);
    int left = n, used = 0;
    bool fan = false;
    for (int i = 0; i < n; i++)
        order[i] = loop[i];
    while (left > 3) {
        int ear = fan ? 1 : find_ear(point, order, left, normal);
        fan = fan || ear < 0;
        ear = fan ? 1 : ear;
        corner[used++] = order[(ear + left - 1) % left];
        corner[used++] = order[ear];
        corner[used++] = order[(ear + 1) % left];
        left--;
        for (int i = ear; i < left; i++)
            order[i] = order[i + 1];
    }
    for (int i = 0; i < 3; i++)
        corner[used++] = order[i];
}
