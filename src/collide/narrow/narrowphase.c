/*
 * narrowphase.c: from a pair of placed shapes to the function that knows them, and back to world
 * coordinates.
 *
 * Work is done in the frame of the first shape, so digits do not depend on how far from the origin
 * things happen. The table is filled for kind(A) <= kind(B); the other order swaps the shapes and
 * turns the normal round. A sphere has no turn worth knowing: spheres with each other and with
 * planes are met in world axes, from the difference of their places.
 */
#include "collide/narrow/narrowphase.h"

#include <math.h>

/* Places in the table: convex shapes, then the plane. */
enum { ELLIPSOID = CAIRN_SHAPE_PLANE, PLANE, PLACES };

static int place_of(cairn_shape_kind kind) {
    return kind == CAIRN_SHAPE_ELLIPSOID ? ELLIPSOID : kind == CAIRN_SHAPE_PLANE ? PLANE : (int)kind;
}

static const cairn_pair table[PLACES][PLACES] = {
    [CAIRN_SHAPE_SPHERE] = {[CAIRN_SHAPE_SPHERE] = cairn_pair_spheres,
                            [CAIRN_SHAPE_CAPSULE] = cairn_pair_sphere_capsule,
                            [CAIRN_SHAPE_BOX] = cairn_pair_sphere_convex,
                            [CAIRN_SHAPE_HULL] = cairn_pair_sphere_convex,
                            [CAIRN_SHAPE_CYLINDER] = cairn_pair_sphere_convex,
                            [CAIRN_SHAPE_CONE] = cairn_pair_sphere_convex,
                            [ELLIPSOID] = cairn_pair_convex,
                            [PLANE] = cairn_pair_plane},
    [CAIRN_SHAPE_CAPSULE] = {[CAIRN_SHAPE_CAPSULE] = cairn_pair_capsules,
                             [CAIRN_SHAPE_BOX] = cairn_pair_capsule_polytope,
                             [CAIRN_SHAPE_HULL] = cairn_pair_capsule_polytope,
                             [CAIRN_SHAPE_CYLINDER] = cairn_pair_convex,
                             [CAIRN_SHAPE_CONE] = cairn_pair_convex,
                             [ELLIPSOID] = cairn_pair_convex,
                             [PLANE] = cairn_pair_plane},
    [CAIRN_SHAPE_BOX] = {[CAIRN_SHAPE_BOX] = cairn_pair_polytopes,
                         [CAIRN_SHAPE_HULL] = cairn_pair_polytopes,
                         [CAIRN_SHAPE_CYLINDER] = cairn_pair_convex,
                         [CAIRN_SHAPE_CONE] = cairn_pair_convex,
                         [ELLIPSOID] = cairn_pair_convex,
                         [PLANE] = cairn_pair_plane},
    [CAIRN_SHAPE_HULL] = {[CAIRN_SHAPE_HULL] = cairn_pair_polytopes,
                          [CAIRN_SHAPE_CYLINDER] = cairn_pair_convex,
                          [CAIRN_SHAPE_CONE] = cairn_pair_convex,
                          [ELLIPSOID] = cairn_pair_convex,
                          [PLANE] = cairn_pair_plane},
    [CAIRN_SHAPE_CYLINDER] = {[CAIRN_SHAPE_CYLINDER] = cairn_pair_convex,
                              [CAIRN_SHAPE_CONE] = cairn_pair_convex,
                              [ELLIPSOID] = cairn_pair_convex,
                              [PLANE] = cairn_pair_plane},
    [CAIRN_SHAPE_CONE] =
        {[CAIRN_SHAPE_CONE] = cairn_pair_convex, [ELLIPSOID] = cairn_pair_convex, [PLANE] = cairn_pair_plane},
    [ELLIPSOID] = {[ELLIPSOID] = cairn_pair_convex, [PLANE] = cairn_pair_plane},
};

/* From the frame of the first shape, which lies at base, to the world; swapped: the first shape
 * is the caller's B. */
static void to_world(cairn_pose base, bool swapped, cairn_manifold *m) {
    cairn_mat3 R = cairn_quat_matrix(base.rotation);
    cairn_vec3 n = cairn_mat3_apply(&R, m->normal);
    m->normal = swapped ? cairn_vec3_scale(-1.0, n) : n;
    for (int i = 0; i < m->count; i++) {
        cairn_contact *c = &m->point[i];
        cairn_vec3 p = cairn_vec3_add(base.position, cairn_mat3_apply(&R, c->on_a));
        cairn_vec3 q = cairn_vec3_add(base.position, cairn_mat3_apply(&R, c->on_b));
        c->on_a = swapped ? q : p;
        c->on_b = swapped ? p : q;
    }
}

/* Two convex shapes (or a plane); world coordinates out. */
static bool collide_convex(const cairn_shape *a, cairn_pose pose_a, const cairn_shape *b, cairn_pose pose_b,
                           double margin, cairn_manifold *out) {
    bool swapped = place_of(a->kind) > place_of(b->kind);
    const cairn_shape *first = swapped ? b : a, *second = swapped ? a : b;
    cairn_pose base = swapped ? pose_b : pose_a, relative = cairn_pose_relative(base, swapped ? pose_a : pose_b);
    cairn_pair pair = table[place_of(first->kind)][place_of(second->kind)];
    cairn_placement at = {cairn_quat_matrix(relative.rotation), relative.position};
    if (pair == NULL || !pair(first, second, &at, margin, out))
        return false;
    to_world(base, swapped, out);
    return true;
}

/* A convex shape and a mesh, in either order; world coordinates out. Returns how many manifolds
 * there are. */
static int collide_mesh(const cairn_shape *a, cairn_pose pose_a, const cairn_shape *b, cairn_pose pose_b, double margin,
                        cairn_manifold *out, int capacity) {
    bool swapped = a->kind == CAIRN_SHAPE_MESH;
    const cairn_shape *convex = swapped ? b : a, *mesh = swapped ? a : b;
    cairn_pose base = swapped ? pose_b : pose_a, relative = cairn_pose_relative(base, swapped ? pose_a : pose_b);
    if (!cairn_shape_convex(convex))
        return 0; /* neither of them moves freely */
    int found = cairn_pair_mesh(convex, mesh, relative, margin, out, capacity);
    for (int i = 0; i < found && i < capacity; i++)
        to_world(base, swapped, &out[i]);
    return found;
}

/* Two spheres, or a plane and a sphere in either order, without frames. */
static int collide_spheres(const cairn_shape *a, cairn_pose pose_a, const cairn_shape *b, cairn_pose pose_b,
                           double margin, cairn_manifold *out, int capacity) {
    cairn_vec3 d = cairn_vec3_sub(pose_b.position, pose_a.position), n;
    double gap, back = a->radius; /* of the surface of A from its place, along n */
    if (a->kind == b->kind) {
        double distance = cairn_vec3_length(d);
        gap = distance - a->radius - b->radius;
        n = distance > 0.0 ? cairn_vec3_scale(1.0 / distance, d) : cairn_vec3_of(0, 0, 1);
    } else {
        bool first = a->kind == CAIRN_SHAPE_SPHERE;
        cairn_mat3 R = cairn_quat_matrix(first ? pose_b.rotation : pose_a.rotation);
        n = cairn_vec3_scale(first ? -1.0 : 1.0, cairn_vec3_of(R.m[0][2], R.m[1][2], R.m[2][2]));
        double height = cairn_vec3_dot(n, d), radius = first ? a->radius : b->radius;
        gap = height - radius;
        back = first ? radius : 0.0;
        if (!first) /* the sphere's foot on the plane */
            pose_a.position = cairn_vec3_add_scaled(pose_b.position, -height, n);
    }
    if (gap > margin)
        return 0;
    if (capacity > 0) {
        cairn_vec3 on_a = cairn_vec3_add_scaled(pose_a.position, back, n);
        out->normal = n;
        out->count = 0;
        cairn_manifold_add(out, on_a, cairn_vec3_add_scaled(on_a, gap, n), gap, 1);
    }
    return 1;
}

static bool is_round(cairn_shape_kind a, cairn_shape_kind b) {
    return a == CAIRN_SHAPE_SPHERE && (b == CAIRN_SHAPE_SPHERE || b == CAIRN_SHAPE_PLANE);
}

static bool apart(cairn_bounds a, cairn_bounds b, double margin) {
    return a.low.x > b.high.x + margin || b.low.x > a.high.x + margin || a.low.y > b.high.y + margin ||
           b.low.y > a.high.y + margin || a.low.z > b.high.z + margin || b.low.z > a.high.z + margin;
}

int cairn_collide(const cairn_shape *a, cairn_pose pose_a, const cairn_shape *b, cairn_pose pose_b, double margin,
                  cairn_manifold *manifold, int capacity) {
    if (a == NULL || b == NULL || (manifold == NULL && capacity > 0))
        return 0;
    if (is_round(a->kind, b->kind) || is_round(b->kind, a->kind))
        return collide_spheres(a, pose_a, b, pose_b, margin, manifold, capacity);
    cairn_manifold here;
    if (a->kind < CAIRN_SHAPE_MESH && b->kind < CAIRN_SHAPE_MESH)
        return collide_convex(a, pose_a, b, pose_b, margin, capacity > 0 ? manifold : &here) ? 1 : 0;
    int found = 0, parts_a = a->kind == CAIRN_SHAPE_COMPOUND ? a->children : 1;
    int parts_b = b->kind == CAIRN_SHAPE_COMPOUND ? b->children : 1;
    for (int i = 0; i < parts_a; i++) {
        const cairn_shape *p = a->kind == CAIRN_SHAPE_COMPOUND ? a->child[i] : a;
        cairn_pose at_p = a->kind == CAIRN_SHAPE_COMPOUND ? cairn_pose_multiply(pose_a, a->pose[i]) : pose_a;
        cairn_bounds box = cairn_shape_bounds(p, at_p);
        for (int j = 0; j < parts_b; j++) {
            const cairn_shape *q = b->kind == CAIRN_SHAPE_COMPOUND ? b->child[j] : b;
            cairn_pose at_q = b->kind == CAIRN_SHAPE_COMPOUND ? cairn_pose_multiply(pose_b, b->pose[j]) : pose_b;
            if (parts_a * parts_b > 1 && apart(box, cairn_shape_bounds(q, at_q), margin))
                continue;
            cairn_manifold *out = found < capacity ? &manifold[found] : &here;
            int room = found < capacity ? capacity - found : 0, more;
            if (p->kind == CAIRN_SHAPE_MESH || q->kind == CAIRN_SHAPE_MESH)
                more = collide_mesh(p, at_p, q, at_q, margin, out, room);
            else
                more = collide_convex(p, at_p, q, at_q, margin, out) ? 1 : 0;
            for (int m = 0; m < more && m < room; m++)
                for (int k = 0; k < out[m].count; k++) /* the parts are in the name of the feature */
                    out[m].point[k].feature += ((uint64_t)i << 48) + ((uint64_t)j << 32);
            found += more;
        }
    }
    return found;
}
