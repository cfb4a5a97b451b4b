/*
 * clip.c: convex polygons cut by planes (Sutherland and Hodgman), with names for the points that
 * appear, and manifolds.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

uint64_t cairn_feature_mix(uint64_t a, uint64_t b) {
    uint64_t z = a * UINT64_C(0x9E3779B97F4A7C15) + b + UINT64_C(0x632BE59BD9B4E019);
    z = (z ^ (z >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
    return z ^ (z >> 29);
}

void cairn_polygon_clip(cairn_polygon *p, cairn_vec3 n, double d, double eps, int plane) {
    static const int room = 2 * CAIRN_FACE_CORNERS_MAX;
    double height[2 * CAIRN_FACE_CORNERS_MAX];
    bool any = false;
    for (int i = 0; i < p->count; i++) {
        height[i] = cairn_vec3_dot(n, p->point[i]) - d;
        any = any || height[i] > eps;
    }
    if (!any)
        return;
    cairn_polygon q;
    q.count = 0;
    for (int i = 0; i < p->count && q.count + 2 <= room; i++) {
        int j = i + 1 < p->count ? i + 1 : 0;
        bool in_i = height[i] <= eps, in_j = height[j] <= eps;
        if (in_i) {
            q.point[q.count] = p->point[i];
            q.id[q.count++] = p->id[i];
        }
        if (in_i != in_j) {
            double t = height[i] / (height[i] - height[j]);
            t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
            q.point[q.count] = cairn_vec3_add_scaled(p->point[i], t, cairn_vec3_sub(p->point[j], p->point[i]));
            q.id[q.count++] = cairn_feature_mix(cairn_feature_mix(p->id[i], p->id[j]), (uint64_t)plane + 1);
        }
    }
    p->count = q.count;
    for (int i = 0; i < q.count; i++) {
        p->point[i] = q.point[i];
        p->id[i] = q.id[i];
    }
}

void cairn_polygon_thin(cairn_polygon *p, cairn_vec3 n) {
    if (p->count <= CAIRN_MANIFOLD_MAX)
        return;
    bool taken[2 * CAIRN_FACE_CORNERS_MAX] = {false};
    double far[2 * CAIRN_FACE_CORNERS_MAX];
    int last = 0, kept = 0;
    for (int i = 1; i < p->count; i++)
        if (cairn_vec3_dot(n, p->point[i]) < cairn_vec3_dot(n, p->point[last]))
            last = i;
    for (int i = 0; i < p->count; i++)
        far[i] = INFINITY;
    for (int k = 0; k < CAIRN_MANIFOLD_MAX; k++) {
        int next = -1;
        taken[last] = true;
        for (int i = 0; i < p->count; i++) {
            cairn_vec3 d = cairn_vec3_sub(p->point[i], p->point[last]);
            far[i] = fmin(far[i], cairn_vec3_dot(d, d));
            if (!taken[i] && (next < 0 || far[i] > far[next]))
                next = i;
        }
        last = next;
    }
    for (int i = 0; i < p->count; i++)
        if (taken[i]) {
            p->point[kept] = p->point[i];
            p->id[kept++] = p->id[i];
        }
    p->count = kept;
}

void cairn_polygon_drop_twins(cairn_polygon *p, double eps) {
    int kept = 0;
    for (int i = 0; i < p->count; i++) {
        bool twin = false;
        for (int j = 0; j < kept && !twin; j++) {
            cairn_vec3 d = cairn_vec3_sub(p->point[i], p->point[j]);
            twin = cairn_vec3_dot(d, d) <= eps * eps;
        }
        if (!twin) {
            p->point[kept] = p->point[i];
            p->id[kept++] = p->id[i];
        }
    }
    p->count = kept;
}

void cairn_polygon_clip_to_face(cairn_polygon *polygon, const cairn_polytope *p, int f, const cairn_placement *at,
                                cairn_vec3 n, double size) {
    int begin = p->face_start[f], end = p->face_start[f + 1];
    for (int i = begin; i < end && polygon->count > 0; i++) {
        cairn_vec3 u = p->vertex[p->face_vertex[i]], w = p->vertex[p->face_vertex[i + 1 < end ? i + 1 : begin]];
        if (at != NULL) {
            u = cairn_place(at, u);
            w = cairn_place(at, w);
        }
        cairn_vec3 side = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(w, u), n));
        cairn_polygon_clip(polygon, side, cairn_vec3_dot(side, u), CAIRN_RIM * size, i - begin);
    }
    cairn_polygon_drop_twins(polygon, CAIRN_RIM * size);
}

void cairn_manifold_add(cairn_manifold *out, cairn_vec3 on_a, cairn_vec3 on_b, double gap, uint64_t feature) {
    if (out->count >= CAIRN_MANIFOLD_MAX)
        return;
    out->point[out->count++] = (cairn_contact){.on_a = on_a, .on_b = on_b, .gap = gap, .feature = feature};
}
