/*
 * rod.c: contacts of curves with a radius: each cubic piece is a row of capsules, which the pair
 * functions of rigid shapes know.
 *
 *     r(t) = (1 - 3t^2 + 2t^3) p + (t - 2t^2 + t^3) l s + (3t^2 - 2t^3) p' + (t^3 - t^2) l s',
 *         t from 0 to 1, l the length at rest
 *
 * A contact on a capsule acts at the curve's point beside it. Twist is not known to a curve:
 * friction does not turn it about itself.
 */
#include "collide/narrow/narrowphase.h"
#include "collide/deformable/skin.h"

#include <math.h>

#define CUTS   3 /* capsules a piece */
#define POINTS 16

cairn_spread cairn_rods_spread(const cairn_rods *r, int piece, double t) {
    double l = r->length[piece];
    cairn_spread w = {.count = 4,
                      .weight = {1.0 - t * t * (3.0 - 2.0 * t), l * t * (1.0 - t) * (1.0 - t), t * t * (3.0 - 2.0 * t),
                                 l * t * t * (t - 1.0)}};
    for (int k = 0; k < 4; k++)
        w.vector[k] = r->vector[4 * piece + k];
    return w;
}

static cairn_vec3 point_of(const cairn_rods *r, const cairn_spread *w) {
    cairn_vec3 p = {0, 0, 0};
    for (int k = 0; k < w->count; k++)
        p = cairn_vec3_add_scaled(p, w->weight[k], r->x[w->vector[k]]);
    return p;
}

/* Capsule number `cut` of a piece. */
static cairn_shape capsule(const cairn_rods *r, int piece, int cut, cairn_pose *pose) {
    cairn_spread from = cairn_rods_spread(r, piece, (double)cut / CUTS),
                 to = cairn_rods_spread(r, piece, (double)(cut + 1) / CUTS);
    cairn_vec3 p = point_of(r, &from), q = point_of(r, &to), d = cairn_vec3_sub(q, p);
    double length = cairn_vec3_length(d);
    cairn_vec3 z = length > 0.0 ? cairn_vec3_scale(1.0 / length, d) : cairn_vec3_of(0, 0, 1);
    cairn_quat turn = {1.0 + z.z, -z.y, z.x, 0.0}; /* from the z axis to d */
    if (z.z < -1.0 + 1e-9)
        turn = (cairn_quat){0, 1, 0, 0};
    *pose = (cairn_pose){cairn_vec3_scale(0.5, cairn_vec3_add(p, q)), cairn_quat_unit(turn)};
    cairn_shape shape = {.kind = CAIRN_SHAPE_CAPSULE, .radius = r->radius[piece], .half = 0.5 * length};
    double side = shape.radius, top = shape.radius + shape.half;
    shape.local = (cairn_bounds){{-side, -side, -top}, {side, side, top}};
    return shape;
}

/* Where on the piece a point beside a capsule lies. */
static cairn_spread beside(const cairn_rods *r, int piece, int cut, const cairn_shape *shape, cairn_pose pose,
                           cairn_vec3 p) {
    double z = cairn_pose_apply_inverse(pose, p).z, share = shape->half > 0.0 ? 0.5 + 0.5 * z / shape->half : 0.5;
    return cairn_rods_spread(r, piece, (cut + fmin(1.0, fmax(0.0, share))) / CUTS);
}

/* Does the piece before end where this one begins? */
static bool follows(const cairn_rods *r, int piece) {
    return piece > 0 && r->vector[4 * piece - 2] == r->vector[4 * piece];
}

cairn_bounds cairn_rods_bounds(const cairn_rods *r) {
    cairn_bounds sum = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < r->count; i++)
        for (int c = 0; c < CUTS; c++) {
            cairn_pose pose;
            cairn_shape shape = capsule(r, i, c, &pose);
            cairn_bounds b = cairn_shape_bounds(&shape, pose);
            sum.low = cairn_vec3_of(fmin(sum.low.x, b.low.x), fmin(sum.low.y, b.low.y), fmin(sum.low.z, b.low.z));
            sum.high = cairn_vec3_of(fmax(sum.high.x, b.high.x), fmax(sum.high.y, b.high.y),
                                     fmax(sum.high.z, b.high.z));
        }
    return sum;
}

static void add(cairn_skin_contacts *list, const cairn_contact *p, cairn_vec3 normal, double thickness,
                uint64_t feature, cairn_spread a, cairn_spread b) {
    cairn_skin_contact c = {.on_a = p->on_a,
                            .on_b = p->on_b,
                            .normal = normal,
                            .gap = p->gap - thickness,
                            .feature = feature,
                            .a = a,
                            .b = b};
    cairn_skin_contacts_add(list, &c);
}

void cairn_rods_meet_shape(const cairn_rods *r, const cairn_shape *shape, cairn_pose pose, double margin,
                           double thickness, cairn_skin_contacts *list) {
    for (int i = 0; i < r->count; i++)
        for (int cut = 0; cut < CUTS; cut++) {
            cairn_pose at;
            cairn_shape own = capsule(r, i, cut, &at);
            cairn_manifold found[POINTS];
            int count = cairn_collide(&own, at, shape, pose, margin + thickness, found, POINTS);
            for (int m = 0; m < count && m < POINTS; m++)
                for (int k = 0; k < found[m].count; k++) {
                    const cairn_contact *p = &found[m].point[k];
                    double z = cairn_pose_apply_inverse(at, p->on_a).z;
                    if (z < -own.half + 1e-9 * own.half && (cut > 0 || follows(r, i)))
                        continue; /* the end that the capsule before has too */
                    add(list, p, found[m].normal, thickness,
                        cairn_feature_name(CAIRN_FEATURE_ROD, (uint64_t)cut, (uint64_t)i, (uint64_t)(POINTS * m + k)),
                        beside(r, i, cut, &own, at, p->on_a), (cairn_spread){0});
                }
        }
}

void cairn_rods_meet_skin(const cairn_rods *r, const cairn_skin *skin, double margin, double thickness,
                          cairn_skin_contacts *list) {
    for (int i = 0; i < r->count; i++)
        for (int cut = 0; cut < CUTS; cut++) {
            cairn_spread own = cairn_rods_spread(r, i, (double)cut / CUTS);
            cairn_vec3 p = point_of(r, &own), n;
            cairn_skin_spot spot;
            const cairn_lookout any = {0};
            double gap;
            bool blind; /* never: a rod looks everywhere */
            if (!cairn_skin_meet_point(skin, p, &any, margin + thickness + r->radius[i], &spot, &n, &gap, &blind))
                continue;
            cairn_spread other = {0};
            for (int k = 0; k < 3; k++)
                if (spot.weight[k] != 0.0) {
                    other.vector[other.count] = skin->face[3 * spot.face + k];
                    other.weight[other.count++] = spot.weight[k];
                }
            cairn_contact c = {
                .on_a = cairn_vec3_add_scaled(p, -r->radius[i], n), .on_b = spot.point, .gap = gap - r->radius[i]};
            add(list, &c, cairn_vec3_scale(-1.0, n), thickness,
                cairn_feature_name(CAIRN_FEATURE_ROD, (uint64_t)cut, (uint64_t)i, 0), own, other);
        }
}

void cairn_rods_meet_rods(const cairn_rods *a, const cairn_rods *b, double margin, double thickness,
                          cairn_skin_contacts *list) {
    for (int i = 0; i < CUTS * a->count; i++) {
        cairn_pose at, to;
        cairn_shape own = capsule(a, i / CUTS, i % CUTS, &at);
        cairn_bounds box = cairn_shape_bounds(&own, at);
        double m = margin + thickness;
        box = (cairn_bounds){{box.low.x - m, box.low.y - m, box.low.z - m},
                             {box.high.x + m, box.high.y + m, box.high.z + m}};
        for (int j = 0; j < CUTS * b->count; j++) {
            cairn_shape other = capsule(b, j / CUTS, j % CUTS, &to);
            cairn_bounds near = cairn_shape_bounds(&other, to);
            cairn_manifold found;
            if (!cairn_bounds_touch(&box, &near) || cairn_collide(&own, at, &other, to, m, &found, 1) == 0)
                continue;
            for (int k = 0; k < found.count; k++)
                add(list, &found.point[k], found.normal, thickness,
                    cairn_feature_name(CAIRN_FEATURE_ROD, (uint64_t)k, (uint64_t)i, (uint64_t)j),
                    beside(a, i / CUTS, i % CUTS, &own, at, found.point[k].on_a),
                    beside(b, j / CUTS, j % CUTS, &other, to, found.point[k].on_b));
        }
    }
}
