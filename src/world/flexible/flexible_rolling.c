/*
 * flexible_rolling.c: round shapes roll over faces of a skin and along rods while these tilt.
 *
 *     gap of a face to a round shape = gap + n'u - t'R t/2,   t = sum over its nodes of (n'u_i) grad N_i: how far the face tilts
 *     a rod: the same with N_i' = dN_i/ds times its direction, N Hermite's cubics, over its four vectors
 *
 * The nearest point moves by R t (R: radii of curvature, shape_radii.c). A step that let the force act where the point was when it began would tilt a soft face too far,
 * the next one back, for ever. The force l of the contact (that of the last step) makes the second derivative of the gap a stiffness, which is positive:
 *
 *     H += h^2 l (grad N_i' R grad N_j) n n'        on the nodes i, j of the face
 *
 * It is a derivative and no force: what is at rest is the same without it.
 */
#include "world/flexible/flexible.h"

#include "collide/shape/shape.h"

#include <math.h>

/* Gradients of the weights of a face's corners in its plane. False: no area. */
static bool face_gradients(const cairn_skin *s, int face, cairn_vec3 g[3]) {
    const int *corner = s->face + 3 * (ptrdiff_t)face;
    cairn_vec3 x[3] = {s->x[corner[0]], s->x[corner[1]], s->x[corner[2]]};
    cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(x[1], x[0]), cairn_vec3_sub(x[2], x[0]));
    double square = cairn_vec3_dot(n, n);
    for (int k = 0; k < 3 && square > 0.0; k++)
        g[k] = cairn_vec3_scale(1.0 / square, cairn_vec3_cross(n, cairn_vec3_sub(x[(k + 2) % 3], x[(k + 1) % 3])));
    return square > 0.0;
}

/* R of the other side, which is rigid, in the world. out: its outward normal. */
static void radii(const cairn_world *w, int slot, int part, cairn_vec3 out, double R[9]) {
    const cairn_shape *shape = w->slot[slot].shape;
    cairn_pose pose = cairn_rigid_pose(&w->rigid[slot]);
    if (shape->kind == CAIRN_SHAPE_COMPOUND) {
        pose = cairn_pose_multiply(pose, shape->pose[part]);
        shape = shape->child[part];
    }
    double own[9];
    cairn_mat3 T = cairn_quat_matrix(pose.rotation);
    cairn_shape_radii(shape, cairn_mat3_apply_transposed(&T, out), own);
    for (int t = 0; t < 9; t++) {
        R[t] = 0.0;
        for (int u = 0; u < 9; u++)
            R[t] += T.m[t / 3][u / 3] * own[u] * T.m[t % 3][u % 3];
    }
}

/* H += a n n' between vectors i and j. */
static void add_block(cairn_flex *f, int i, int j, double a, cairn_vec3 normal) {
    const cairn_fem_part *p = f->part;
    const double n[3] = {normal.x, normal.y, normal.z};
    for (int c = 0; c < 3; c++) {
        int column = 3 * j + c, e = p->H_start[column];
        if (cairn_flex_held(f, j, c))
            continue;
        while (p->H_row[e] < 3 * i)
            e++;
        for (int r = 0; r < 3; r++) {
            if (cairn_flex_held(f, i, r))
                continue;
            f->H[e + r] += a * n[r] * n[c];
        }
    }
}

/* Gradients of Hermite's weights along a rod at the touching point. */
static void rod_gradients(const cairn_rods *rods, int piece, const cairn_spread *at, cairn_vec3 g[4]) {
    double y = fmin(1.0, fmax(0.0, 1.0 - at->weight[0])), l = rods->length[piece];
    double t = 0.5 - sin(asin(1.0 - 2.0 * y) / 3.0); /* y = t^2 (3 - 2t) */
    double slope[4] = {6.0 * t * (t - 1.0) / l, 1.0 + t * (3.0 * t - 4.0), -6.0 * t * (t - 1.0) / l,
                       t * (3.0 * t - 2.0)};
    cairn_vec3 along = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        along = cairn_vec3_add_scaled(along, slope[k], rods->x[at->vector[k]]);
    along = cairn_vec3_unit(along);
    for (int k = 0; k < 4; k++)
        g[k] = cairn_vec3_scale(slope[k], along);
}

static void add_contact(const cairn_world *w, const cairn_touch *c) {
    int side = c->at[0].count > 0 ? 0 : 1, number = cairn_feature_first(c->feature), other = side == 0 ? c->b : c->a;
    bool rod = cairn_feature_kind(c->feature) == CAIRN_FEATURE_ROD;
    cairn_flex *f = w->slot[side == 0 ? c->a : c->b].flex;
    const int *vector = rod ? c->at[side].vector : f->skin->face + 3 * (ptrdiff_t)number;
    cairn_vec3 g[4], out = cairn_vec3_scale(side == 0 ? -1.0 : 1.0, c->normal);
    double R[9];
    if (rod)
        rod_gradients(&f->rods, number, &c->at[side], g);
    else if (!face_gradients(f->skin, number, g))
        return;
    radii(w, other, rod ? 0 : cairn_feature_part(c->feature), out, R);
    for (int i = 0; i < 3 + rod; i++)
        for (int j = 0; j < 3 + rod; j++) {
            cairn_vec3 Rg = {R[0] * g[j].x + R[1] * g[j].y + R[2] * g[j].z,
                             R[3] * g[j].x + R[4] * g[j].y + R[5] * g[j].z,
                             R[6] * g[j].x + R[7] * g[j].y + R[8] * g[j].z};
            add_block(f, vector[i], vector[j], w->h * c->gamma[0] * cairn_vec3_dot(g[i], Rg), c->normal);
        }
}

void cairn_flex_roll(cairn_world *w) {
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        bool pair = c->soft && c->at[0].count > 0 && c->at[1].count > 0;
        int kind = cairn_feature_kind(c->feature);
        if (c->soft && !pair && c->gamma[0] > 0.0 && (kind == CAIRN_FEATURE_FACE || kind == CAIRN_FEATURE_ROD))
            add_contact(w, c);
    }
}
