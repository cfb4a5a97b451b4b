/*
 * test_collide_mesh.c: convex shapes on meshes: a floor of triangles against a plane, tessellated convex solids against their hulls,
 * valleys, rims, thin sheets, rays against a search over all triangles.
 */
#include "../src/collide/narrow.h"
#include "mesh_samples.h"

static sample_mesh m; /* too large for the stack of a test */

enum { KINDS = 6, ROOM = 256 };

static cairn_vec3 vec_random(test_random *r, double s) {
    return cairn_vec3_of(s * test_random_signed(r), s * test_random_signed(r), s * test_random_signed(r));
}

static cairn_quat turn_random(test_random *r) {
    cairn_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    return cairn_quat_unit(q);
}

static cairn_shape *convex_random(cairn_context *context, test_random *r, int kind, double size) {
    double a = size * (0.3 + test_random_unit(r)), b = size * (0.3 + test_random_unit(r)),
           c = size * (0.3 + test_random_unit(r));
    cairn_vec3 corner[14];
    cairn_shape *s = NULL;
    for (int i = 0; i < 14; i++)
        corner[i] = vec_random(r, size);
    cairn_status status = kind == 0   ? cairn_shape_sphere(context, a, &s)
                          : kind == 1 ? cairn_shape_capsule(context, a, b, &s)
                          : kind == 2 ? cairn_shape_box(context, cairn_vec3_of(a, b, c), &s)
                          : kind == 3 ? cairn_shape_cylinder(context, a, b, &s)
                          : kind == 4 ? cairn_shape_cone(context, a, b, &s)
                                      : cairn_shape_hull(context, 14, corner, &s);
    CHECK(status == CAIRN_OK);
    return s;
}

/* A deepest point of a manifold list; NULL: no contact. */
static const cairn_contact *deepest(const cairn_manifold *list, int count, cairn_vec3 *normal) {
    const cairn_contact *best = NULL;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].count; k++)
            if (best == NULL || list[i].point[k].gap < best->gap) {
                best = &list[i].point[k];
                *normal = list[i].normal;
            }
    return best;
}

static bool has_point(const cairn_manifold *list, int count, cairn_vec3 on_b, double gap) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < list[i].count; k++) {
            const cairn_contact *c = &list[i].point[k];
            if (cairn_vec3_length(cairn_vec3_sub(c->on_b, on_b)) < 1e-6 && fabs(c->gap - gap) < 1e-9)
                return true;
        }
    return false;
}

/* Whatever the shape and its pose, on a flat floor of triangles it has the contacts that it has on a plane. */
TEST(floor_is_a_plane) {
    static cairn_manifold on_mesh[ROOM], on_plane[2];
    cairn_context *context = plain_context(1);
    test_random r = {11};
    cairn_shape *plane = NULL;
    CHECK(cairn_shape_plane(context, &plane) == CAIRN_OK);
    int touching = 0;
    for (int t = 0; t < 600; t++) {
        sample_floor(&m, &r, t % 3 == 0 ? 1 : 12, 4.0, NULL);
        cairn_shape *floor = sample_shape(context, &m), *s = convex_random(context, &r, t % KINDS, 0.5);
        CHECK(floor->mesh.patches == 1);
        cairn_pose tilt = {vec_random(&r, 3.0), turn_random(&r)}, above = {{0, 0, 0}, turn_random(&r)};
        cairn_bounds b = cairn_shape_bounds(s, above);
        if (t % 5 == 0) /* standing flat */
            above.rotation = cairn_quat_identity();
        double sink = t % 4 == 0 ? -1e-4 : t % 4 == 1 ? 0.0 : 0.2 * test_random_unit(&r);
        above.position = cairn_vec3_of(1.5 * test_random_signed(&r), 1.5 * test_random_signed(&r), sink - b.low.z);
        cairn_pose pose = cairn_pose_multiply(tilt, above);
        double margin = 0.3 * test_random_unit(&r);
        int n = cairn_collide(s, pose, floor, tilt, margin, on_mesh, ROOM);
        int p = cairn_collide(s, pose, plane, tilt, margin, on_plane, 2);
        touching += p;
        CHECK(n == p);
        CHECK(n == 0 || p == 0 || on_mesh[0].count == on_plane[0].count);
        for (int i = 0; i < n && p > 0; i++) {
            CHECK(cairn_vec3_length(cairn_vec3_sub(on_mesh[i].normal, on_plane[0].normal)) < 1e-12);
            for (int k = 0; k < on_mesh[i].count; k++)
                CHECK(has_point(on_plane, 1, on_mesh[i].point[k].on_b, on_mesh[i].point[k].gap));
        }
        cairn_shape_release(s);
        cairn_shape_release(floor);
    }
    CHECK(touching > 200);
    cairn_shape_release(plane);
    cairn_context_destroy(context);
}

/* The faces of a polytope, cut into fans, into m. */
static void surface_of(const cairn_polytope *p) {
    m.points = m.triangles = 0;
    for (int i = 0; i < p->vertices; i++)
        sample_point(&m, p->vertex[i].x, p->vertex[i].y, p->vertex[i].z);
    for (int f = 0; f < p->faces; f++)
        for (int i = p->face_start[f] + 1; i + 1 < p->face_start[f + 1]; i++)
            sample_triangle(&m, p->face_vertex[p->face_start[f]], p->face_vertex[i], p->face_vertex[i + 1]);
}

/* A tessellated convex solid is touched where its hull is: same gap, same normal, apart and with a little overlap. */
TEST(convex_meshes_are_hulls) {
    static cairn_manifold on_mesh[ROOM], on_hull[4];
    cairn_context *context = plain_context(1);
    test_random r = {5};
    int touching = 0, overlapping = 0;
    for (int t = 0; t < 1800; t++) {
        bool ball = t % 2 == 1;
        if (ball)
            sample_ball(&m, 1 + t % 4, 1.0);
        else
            sample_box(&m, 1 + t % 5, cairn_vec3_of(1.0, 0.7, 0.4 + test_random_unit(&r)));
        cairn_shape *hull = NULL;
        CHECK(cairn_shape_hull(context, m.points, m.point, &hull) == CAIRN_OK);
        if (ball)
            surface_of(&hull->hull);
        cairn_shape *mesh = sample_shape(context, &m), *s = convex_random(context, &r, (t / 2) % KINDS, 0.4);
        CHECK(mesh->mesh.closed);
        cairn_pose at = {vec_random(&r, 2.0), turn_random(&r)}, pose = {vec_random(&r, 3.0), turn_random(&r)};
        double margin = 5.0;
        if (t % 3 == 0) { /* move it to a gap of about -1e-4 */
            int p = cairn_collide(s, pose, hull, at, margin, on_hull, 4);
            cairn_vec3 n = {0, 0, 1};
            const cairn_contact *c = deepest(on_hull, p, &n);
            if (c != NULL && c->gap > 0.0) /* along the line of the nearest points */
                pose.position = cairn_vec3_add_scaled(pose.position, c->gap + 1e-4, n);
            margin = 0.05;
        }
        int p = cairn_collide(s, pose, hull, at, margin, on_hull, 4);
        int n = cairn_collide(s, pose, mesh, at, margin, on_mesh, ROOM);
        cairn_vec3 normal_mesh = {0, 0, 0}, normal_hull = {0, 0, 0};
        const cairn_contact *c = deepest(on_mesh, n, &normal_mesh), *d = deepest(on_hull, p, &normal_hull);
        CHECK(n <= ROOM && ((c != NULL) == (d != NULL) || d->gap < -0.01));
        if ((c != NULL) != (d != NULL) && d->gap >= -0.01)
            printf("case %d kind %d ball %d mesh %g hull %g\n", t, (t / 2) % KINDS, ball, c ? c->gap : NAN,
                   d ? d->gap : NAN);
        cairn_pose relative = cairn_pose_relative(pose, at);
        cairn_placement place = {cairn_quat_matrix(relative.rotation), relative.position};
        cairn_core ca = cairn_core_of(s, NULL), cb = cairn_core_of(hull, &place);
        cairn_closest near;
        cairn_gjk(&ca, &cb, &near);
        double truth = near.distance > 0.0 ? near.distance - ca.radius : d != NULL ? d->gap : NAN;
        if (c != NULL && truth > -0.01) {
            touching++;
            overlapping += truth < 0.0;
            bool curved = (t / 2) % KINDS == 3 || (t / 2) % KINDS == 4; /* drawn in by 1e-3 of its size */
            bool fine = fabs(c->gap - truth) <= (curved ? 6e-4 : 2e-6);
            if (!fine)
                printf("case %d kind %d ball %d: mesh %g, truth %g, normals %g\n", t, (t / 2) % KINDS, ball, c->gap,
                       truth, cairn_vec3_dot(normal_mesh, normal_hull));
            CHECK(fine);
            CHECK(truth < 0.0 || near.distance == 0.0 ||
                  cairn_vec3_dot(normal_mesh, cairn_quat_rotate(pose.rotation, near.normal)) > 1.0 - 1e-4);
        }
        for (int i = 0; i < n; i++)
            for (int k = 0; k < on_mesh[i].count; k++) {
                const cairn_contact *x = &on_mesh[i].point[k];
                cairn_vec3 e = cairn_vec3_sub(cairn_vec3_sub(x->on_b, x->on_a),
                                              cairn_vec3_scale(x->gap, on_mesh[i].normal));
                CHECK(cairn_vec3_length(e) < 1e-9 && x->gap <= margin);
            }
        cairn_shape_release(s);
        cairn_shape_release(hull);
        cairn_shape_release(mesh);
    }
    CHECK(touching > 500 && overlapping > 200);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(floor_is_a_plane);
    RUN(convex_meshes_are_hulls);
    return test_end();
}
