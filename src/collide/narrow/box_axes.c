/*
 * box_axes.c: separating axes and face contacts of two boxes.
 *
 * With B's axes in A's frame as the columns of R, half sides a and b and centres t apart, the
 * fifteen axes separate by
 *
 *     A's face i     |t_i| - a_i - sum_j |R_ij| b_j
 *     B's face j     |t'R_j| - b_j - sum_i |R_ij| a_i
 *     edges i, j     (|n't| - a_k |R_lj| - a_l |R_kj| - b_p |R_iq| - b_q |R_ip|) / |n|
 *                    n = e_i x R_j, |n|^2 = R_kj^2 + R_lj^2
 *
 * where i, k, l and j, p, q are 0, 1, 2 in cyclic order. A face contact cuts one rectangle by the
 * four sides of the other, in the frame of the box whose face it is, where a side is one coordinate
 * against one number. Faces, corners, edges and names are those of box_polytope.c and clip.c: what
 * pair_polytopes.c would find for the same polytopes.
 *
 * The corner of the other box that lies deepest below the face is always one of its opposed face,
 * so that none need be looked for.
 */
#include "base/core.h"
#include "collide/narrow/polytope_axes.h"

#include <math.h>
#include <string.h>

#define CORNERS_MAX 8 /* four corners, and one more for each of four cuts */

static const int next[3] = {1, 2, 0}, after[3] = {2, 0, 1};
/* Of each face: its corners, and in the same order what lies beyond its sides, as the face that
 * looks there. */
static const unsigned char corner_of[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                              {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
static const unsigned char side_of[6][4] = {{2, 5, 3, 4}, {4, 3, 5, 2}, {4, 1, 5, 0},
                                            {0, 5, 1, 4}, {0, 3, 1, 2}, {2, 1, 3, 0}};

/* The edge of a box along its axis i that lies farthest along d (own frame). */
static int box_edge(int i, const double d[3]) {
    int j = i == 0 ? 1 : 0, k = i == 2 ? 1 : 2;
    return 4 * i + (d[j] >= 0.0 ? 1 : 0) + (d[k] >= 0.0 ? 2 : 0);
}

static void set_edges(const double R[3][3], const double t[3], int i, int j, cairn_axis *out) {
    int k = next[i], l = after[i];
    double n[3] = {0.0}, d[3];
    double side = t[l] * R[k][j] - t[k] * R[l][j] >= 0.0 ? 1.0 : -1.0;
    double scale = side / sqrt(R[k][j] * R[k][j] + R[l][j] * R[l][j]);
    n[k] = -scale * R[l][j];
    n[l] = scale * R[k][j];
    for (int c = 0; c < 3; c++)
        d[c] = -(R[k][c] * n[k] + R[l][c] * n[l]);
    out->normal = cairn_vec3_of(n[0], n[1], n[2]);
    out->edge_a = box_edge(i, n);
    out->edge_b = box_edge(j, d);
}

/* Separation along the edges i and j, all numbers known when it is compiled; -INFINITY: they
 * span no axis. Q: |R|. */
CAIRN_INLINE double edge_separation(const double R[3][3], const double Q[3][3], const double a[3], const double b[3],
                                    const double t[3], int i, int j) {
    int k = (i + 1) % 3, l = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
    double square = R[k][j] * R[k][j] + R[l][j] * R[l][j];
    if (square <= CAIRN_EDGES_PARALLEL * CAIRN_EDGES_PARALLEL)
        return -INFINITY;
    double apart = fabs(t[l] * R[k][j] - t[k] * R[l][j]) - (a[k] * Q[l][j] + a[l] * Q[k][j]) -
                   (b[p] * Q[i][q] + b[q] * Q[i][p]);
    return apart / sqrt(square);
}

CAIRN_INLINE void try_edges(const double R[3][3], const double Q[3][3], const double a[3], const double b[3],
                            const double t[3], int i, int j, double *most, int *at) {
    double separation = edge_separation(R, Q, a, b, t, i, j);
    if (separation > *most) {
        *most = separation;
        *at = 3 * i + j;
    }
}

/* The best of the nine pairs of edges into *best. least: what both faces separate by. */
static void best_edges(const double R[3][3], const double Q[3][3], const double a[3], const double b[3],
                       const double t[3], double least, cairn_axis *best) {
    int at = 0;
    double most = -INFINITY;
    try_edges(R, Q, a, b, t, 0, 0, &most, &at);
    try_edges(R, Q, a, b, t, 0, 1, &most, &at);
    try_edges(R, Q, a, b, t, 0, 2, &most, &at);
    try_edges(R, Q, a, b, t, 1, 0, &most, &at);
    try_edges(R, Q, a, b, t, 1, 1, &most, &at);
    try_edges(R, Q, a, b, t, 1, 2, &most, &at);
    try_edges(R, Q, a, b, t, 2, 0, &most, &at);
    try_edges(R, Q, a, b, t, 2, 1, &most, &at);
    try_edges(R, Q, a, b, t, 2, 2, &most, &at);
    best->separation = most;
    best->face = -1;
    if (most > least)
        set_edges(R, t, at / 3, at % 3, best);
}

bool cairn_boxes_axes(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, double margin,
                      cairn_axis *of_a, cairn_axis *of_b, cairn_axis *edges) {
    const double(*R)[3] = at->R.m;
    double ha[3] = {a->extent.x, a->extent.y, a->extent.z}, hb[3] = {b->extent.x, b->extent.y, b->extent.z};
    double t[3] = {at->t.x, at->t.y, at->t.z}, Q[3][3], most_a = -INFINITY, most_b = -INFINITY;
    int face_a = 0, face_b = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            Q[i][j] = fabs(R[i][j]);
        double separation = fabs(t[i]) - (Q[i][0] * hb[0] + Q[i][1] * hb[1] + Q[i][2] * hb[2]) - ha[i];
        if (separation > most_a) {
            most_a = separation;
            face_a = 2 * i + (t[i] > 0.0);
        }
    }
    if (most_a > margin)
        return false;
    for (int j = 0; j < 3; j++) {
        double along = R[0][j] * t[0] + R[1][j] * t[1] + R[2][j] * t[2];
        double separation = fabs(along) - (Q[0][j] * ha[0] + Q[1][j] * ha[1] + Q[2][j] * ha[2]) - hb[j];
        if (separation > most_b) {
            most_b = separation;
            face_b = 2 * j + (along < 0.0);
        }
    }
    if (most_b > margin)
        return false;
    best_edges(R, (const double(*)[3])Q, ha, hb, t, most_a > most_b ? most_a : most_b, edges);
    if (edges->separation > margin)
        return false;
    int j = face_b / 2;
    double side = face_b % 2 == 0 ? 1.0 : -1.0;
    of_a->separation = most_a;
    of_a->normal = a->hull.normal[face_a];
    of_a->face = face_a;
    of_b->separation = most_b;
    of_b->normal = cairn_vec3_of(side * R[0][j], side * R[1][j], side * R[2][j]);
    of_b->face = face_b;
    return true;
}

/* A polygon in the frame of the box whose face cuts it. */
typedef struct patch {
    int count;
    double low[3], high[3]; /* of the four corners that it began with */
    double x[CORNERS_MAX][3];
    uint64_t id[CORNERS_MAX];
} patch;

/* What of `from` does not lie beyond side x_axis = sign limit, up to eps, into `to`. False: all
 * of it, and nothing is written. side: number of the cut. */
static bool cut(const patch *from, int axis, double sign, double limit, double eps, int side, patch *to) {
    double height[CORNERS_MAX], most = -INFINITY;
    for (int i = 0; i < from->count; i++) {
        height[i] = sign * from->x[i][axis] - limit;
        most = height[i] > most ? height[i] : most;
    }
    if (!(most > eps))
        return false;
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        int j = i + 1 < from->count ? i + 1 : 0;
        bool in_i = height[i] <= eps, in_j = height[j] <= eps;
        if (in_i) {
            memcpy(to->x[count], from->x[i], sizeof to->x[count]);
            to->id[count++] = from->id[i];
        }
        if (in_i != in_j) {
            double s = height[i] / (height[i] - height[j]);
            s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
            for (int c = 0; c < 3; c++)
                to->x[count][c] = from->x[i][c] + s * (from->x[j][c] - from->x[i][c]);
            to->id[count++] = cairn_feature_mix(cairn_feature_mix(from->id[i], from->id[j]), (uint64_t)side + 1);
        }
    }
    to->count = count;
    return true;
}

/* Drops points that lie on an earlier one. */
static void drop_twins(patch *p, double eps) {
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        bool twin = false;
        for (int j = 0; j < kept && !twin; j++) {
            double x = p->x[i][0] - p->x[j][0], y = p->x[i][1] - p->x[j][1], z = p->x[i][2] - p->x[j][2];
            twin = x * x + y * y + z * z <= eps * eps;
        }
        if (twin)
            continue;
        if (kept != i) {
            memcpy(p->x[kept], p->x[i], sizeof p->x[kept]);
            p->id[kept] = p->id[i];
        }
        kept++;
    }
    p->count = kept;
}

/* Number of the face whose normal looks most against d. */
static int opposed(const double d[3]) {
    int k = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    k = fabs(d[2]) > fabs(d[k]) ? 2 : k;
    return 2 * k + (d[k] < 0.0);
}

/* The face of `box` (half sides h) that looks most against direction d, both in its own frame,
 * whose points x become M x + t. */
static void load_face(const double h[3], const double d[3], const double M[3][3], const double t[3], patch *out) {
    int face = opposed(d), f = face / 2, u = next[f], v = after[f];
    double side = face % 2 == 0 ? -h[f] : h[f];
    for (int c = 0; c < 3; c++) {
        double middle = t[c] + side * M[c][f], along = h[u] * M[c][u], across = h[v] * M[c][v];
        double low = middle - across, high = middle + across, wide = fabs(along) + fabs(across);
        out->low[c] = middle - wide;
        out->high[c] = middle + wide;
        for (int i = 0; i < 4; i++) {
            int corner = corner_of[face][i];
            double row = corner >> v & 1 ? high : low;
            out->x[i][c] = corner >> u & 1 ? row + along : row - along;
        }
    }
    for (int i = 0; i < 4; i++)
        out->id[i] = (uint64_t)corner_of[face][i] + 1;
    out->count = 4;
}

/* Cuts the patch in room[0] by the sides of face f of a box with half sides h; room[1] is for
 * the cuts. Returns the one that holds the rest. */
static patch *cut_to_face(patch room[2], const double h[3], int f, double eps, bool *cut_off) {
    int now = 0;
    *cut_off = false;
    for (int s = 0; s < 4 && room[now].count > 0; s++) {
        int look = side_of[f][s], axis = look / 2;
        double beyond = (look % 2 == 0 ? -room[0].low[axis] : room[0].high[axis]) - h[axis];
        if (beyond <= 0.5 * eps) /* far from rounding of what is cut from eps on */
            continue;
        if (cut(&room[now], axis, look % 2 == 0 ? -1.0 : 1.0, h[axis], eps, s, &room[1 - now])) {
            now = 1 - now;
            *cut_off = true;
        }
    }
    return &room[now];
}

void cairn_boxes_face(const cairn_shape *a, const cairn_shape *b, const cairn_placement *at, const cairn_axis *x,
                      bool of_b, double margin, double size, uint64_t base, cairn_manifold *out) {
    const cairn_shape *face = of_b ? b : a, *other = of_b ? a : b;
    double h[3] = {face->extent.x, face->extent.y, face->extent.z}, M[3][3], t[3], n[3], d[3];
    double o[3] = {other->extent.x, other->extent.y, other->extent.z}, shift[3] = {at->t.x, at->t.y, at->t.z};
    int k = x->face / 2;
    double side = x->face % 2 == 0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) { /* the other box in the frame of this one */
        for (int j = 0; j < 3; j++)
            M[i][j] = of_b ? at->R.m[j][i] : at->R.m[i][j];
        t[i] = of_b ? -(at->R.m[0][i] * shift[0] + at->R.m[1][i] * shift[1] + at->R.m[2][i] * shift[2]) : shift[i];
        n[i] = of_b ? side * at->R.m[i][k] : i == k ? side : 0.0;
    }
    for (int j = 0; j < 3; j++)
        d[j] = side * M[k][j];
    patch room[2];
    bool cut_off;
    double eps = CAIRN_RIM * size;
    load_face(o, d, (const double(*)[3])M, t, &room[0]);
    patch *p = cut_to_face(room, h, x->face, eps, &cut_off);
    if (cut_off || o[0] <= eps || o[1] <= eps || o[2] <= eps)
        drop_twins(p, eps);
    for (int i = 0; i < p->count; i++) {
        double gap = side * p->x[i][k] - h[k];
        if (gap > margin)
            continue;
        cairn_vec3 q = {p->x[i][0], p->x[i][1], p->x[i][2]};
        if (of_b)
            q = cairn_place(at, q);
        cairn_vec3 foot = cairn_vec3_add_scaled(q, -gap, cairn_vec3_of(n[0], n[1], n[2]));
        cairn_manifold_add(out, of_b ? q : foot, of_b ? foot : q, gap, base ^ p->id[i]);
    }
}

bool cairn_box_over(const cairn_shape *box, int f, cairn_vec3 point, double eps) {
    double h[3] = {box->extent.x, box->extent.y, box->extent.z}, x[3] = {point.x, point.y, point.z};
    int u = next[f / 2], v = after[f / 2];
    return fabs(x[u]) - h[u] <= eps && fabs(x[v]) - h[v] <= eps;
}
