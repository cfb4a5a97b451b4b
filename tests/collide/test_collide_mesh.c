/*
 * test_collide_mesh.c: convex shapes on meshes: a floor of triangles against a plane, tessellated convex solids against their hulls,
 * valleys, rims, thin sheets, rays against a search over all triangles.
 */
#include "collide/narrow/narrowphase.h"
#include "support/floor_samples.h"

static sample_mesh m; /* too large for the stack of a test */

enum { KINDS = 7, ROOM = 256 };

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
                          : kind == 6 ? cairn_shape_ellipsoid(context, cairn_vec3_of(a, b, c), &s)
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
    int touching = 0, overlapping = 0, detours = 0;
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
        /* deep inside there may be no contact */
        CHECK(n <= ROOM && ((c != NULL) == (d != NULL) || d->gap < -0.01));
        cairn_pose relative = cairn_pose_relative(pose, at);
        cairn_placement place = {cairn_quat_matrix(relative.rotation), relative.position};
        cairn_core ca = cairn_core_of(s, NULL), cb = cairn_core_of(hull, &place);
        cairn_closest near;
        cairn_gjk(&ca, &cb, &near);
        double truth = near.distance > 0.0 ? near.distance - ca.radius : d != NULL ? d->gap : NAN;
        if (c != NULL && truth > -0.01) {
            touching++;
            overlapping += truth < 0.0;
            /* cylinders and cones are drawn in by 1e-3 of their size */
            int kind = (t / 2) % KINDS;
            double error = kind == 3 || kind == 4 ? 6e-4 : kind == 6 ? 1e-5 : 2e-6;
            bool fine = fabs(c->gap - truth) <= error;
            if (!fine && truth < 0.0) { /* edges and corners that just overlap: another way out may be found */
                detours++;
                fine = c->gap < 0.0 && c->gap > truth - 2e-4;
            }
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
    CHECK(touching > 500 && overlapping > 200 && detours < overlapping / 10);
    cairn_context_destroy(context);
}

/* Floor and wall: a ball in the corner touches both, one over the floor's edge to the wall only the floor. */
TEST(valleys) {
    static cairn_manifold list[ROOM];
    cairn_context *context = plain_context(1);
    m.points = m.triangles = 0;
    for (int k = 0; k < 3; k++) /* y = -1, 0, 1: out on the floor, the corner, up on the wall */
        for (int i = 0; i < 3; i++)
            sample_point(&m, i == 0 ? 2.0 : 0.0, k - 1.0, i == 2 ? 2.0 : 0.0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++) {
            int a = 3 * k + i, b = a + 1, c = a + 4, d = a + 3;
            sample_triangle(&m, a, d, c);
            sample_triangle(&m, a, c, b);
        }
    cairn_shape *mesh = sample_shape(context, &m), *ball = NULL, *box = NULL;
    CHECK(mesh->mesh.patches == 2 && !mesh->mesh.closed);
    CHECK(cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &box) == CAIRN_OK);
    cairn_pose origin = cairn_pose_identity();
    CHECK(cairn_collide(ball, cairn_pose_at(0.1, 0.0, 0.1), mesh, origin, 0.01, list, ROOM) == 2);
    CHECK(list[0].count == 1 && list[1].count == 1);
    CHECK_NEAR(cairn_vec3_dot(list[0].normal, list[1].normal), 0.0, 1e-12);
    CHECK(cairn_collide(ball, cairn_pose_at(0.2, 0.0, 0.1), mesh, origin, 0.01, list, ROOM) == 1);
    CHECK_NEAR(list[0].normal.z, -1.0, 1e-12);
    CHECK(cairn_collide(box, cairn_pose_at(0.1001, 0.0, 0.0999), mesh, origin, 0.01, list, ROOM) == 2);
    for (int i = 0; i < 2; i++) {
        bool down = list[i].normal.z < -0.5;
        CHECK(list[i].count >= 4); /* the wall ends above the box's lower corners: points of its border */
        CHECK_NEAR(list[i].point[0].gap, down ? -1e-4 : 1e-4, 1e-12);
        CHECK_NEAR(down ? list[i].normal.z : list[i].normal.x, -1.0, 1e-12);
    }
    cairn_shape_release(ball);
    cairn_shape_release(box);
    cairn_shape_release(mesh);
    cairn_context_destroy(context);
}

/* A sheet with a rim is solid from either side; a box that hangs over its rim has contacts where the rim is. */
TEST(rims_and_sheets) {
    static cairn_manifold list[ROOM];
    cairn_context *context = plain_context(1);
    test_random r = {3};
    sample_floor(&m, &r, 6, 1.0, NULL);
    cairn_shape *sheet = sample_shape(context, &m), *box = NULL, *ball = NULL;
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.2, 0.2, 0.2), &box) == CAIRN_OK);
    CHECK(cairn_shape_sphere(context, 0.2, &ball) == CAIRN_OK);
    for (int side = -1; side <= 1; side += 2) {
        int n = cairn_collide(box, cairn_pose_at(0.95, 0.1, side * 0.2), sheet, cairn_pose_identity(), 0.01, list,
                              ROOM);
        double far = -1.0;
        CHECK(n == 1 && list[0].count >= 4);
        CHECK_NEAR(list[0].normal.z, -side, 1e-12);
        for (int k = 0; n > 0 && k < list[0].count; k++)
            far = fmax(far, list[0].point[k].on_b.x);
        CHECK_NEAR(far, 1.0, 1e-9);
        CHECK(cairn_collide(ball, cairn_pose_at(0.2, 0.1, side * 0.19), sheet, cairn_pose_identity(), 0.01, list,
                            ROOM) == 1);
        CHECK_NEAR(list[0].point[0].gap, -0.01, 1e-12);
        CHECK_NEAR(list[0].normal.z, -side, 1e-12);
    }
    /* beyond the rim, at its level: along the sheet */
    CHECK(cairn_collide(ball, cairn_pose_at(1.195, 0.03, 0.0), sheet, cairn_pose_identity(), 0.01, list, ROOM) == 1);
    CHECK_NEAR(list[0].normal.x, -1.0, 1e-9);
    CHECK_NEAR(list[0].point[0].gap, -0.005, 1e-9);
    cairn_shape_release(box);
    cairn_shape_release(ball);
    cairn_shape_release(sheet);
    cairn_context_destroy(context);
}

/* Little room: the number says how much is needed, and what fits is right. */
TEST(little_room) {
    static cairn_manifold list[ROOM];
    cairn_context *context = plain_context(1);
    m.points = m.triangles = 0;
    for (int i = 0; i < 20; i++) { /* teeth */
        int a = sample_point(&m, 0.1 * i, -1, 0), b = sample_point(&m, 0.1 * i + 0.1, -1, 0);
        sample_triangle(&m, a, b, sample_point(&m, 0.1 * i + 0.05, 0, 0.01));
        sample_triangle(&m, b, a, sample_point(&m, 0.1 * i + 0.05, -1.5, -0.5));
    }
    cairn_shape *mesh = sample_shape(context, &m), *box = NULL;
    CHECK(cairn_shape_box(context, cairn_vec3_of(1, 1, 0.1), &box) == CAIRN_OK);
    cairn_pose pose = cairn_pose_at(1.0, 0.5, 0.11);
    int n = cairn_collide(box, pose, mesh, cairn_pose_identity(), 0.02, list, ROOM);
    CHECK(n >= 18 && n < ROOM);
    for (int room = 0; room < n; room++)
        CHECK(cairn_collide(box, pose, mesh, cairn_pose_identity(), 0.02, list, room) > room);
    CHECK(cairn_collide(mesh, cairn_pose_identity(), box, pose, 0.02, list, ROOM) == n);
    CHECK(list[0].normal.z > 0.5);
    cairn_shape_release(box);
    cairn_shape_release(mesh);
    cairn_context_destroy(context);
}

TEST(rays_against_all_triangles) {
    cairn_context *context = plain_context(1);
    test_random r = {17};
    int hits = 0, inside = 0;
    for (int t = 0; t < 400; t++) {
        if (t % 2 == 0)
            sample_ball(&m, 5, 1.0);
        else
            sample_floor(&m, &r, 10, 1.0, NULL);
        cairn_shape *mesh = sample_shape(context, &m);
        cairn_pose pose = {vec_random(&r, 1.0), turn_random(&r)};
        cairn_vec3 o = vec_random(&r, 2.0), d = cairn_vec3_unit(vec_random(&r, 1.0));
        if (t % 8 == 0)
            o = cairn_vec3_add(pose.position, vec_random(&r, 0.3));
        double reach = 4.0 * test_random_unit(&r), best = INFINITY;
        cairn_vec3 ol = cairn_pose_apply_inverse(pose, o);
        cairn_vec3 dl = cairn_quat_rotate(cairn_quat_conjugate(pose.rotation), d), normal = {0, 0, 0};
        for (int i = 0; i < m.triangles; i++) { /* by volumes of tetrahedra */
            cairn_vec3 a = cairn_vec3_sub(m.point[m.corner[3 * i]], ol),
                       b = cairn_vec3_sub(m.point[m.corner[3 * i + 1]], ol);
            cairn_vec3 c = cairn_vec3_sub(m.point[m.corner[3 * i + 2]], ol);
            double u = cairn_vec3_dot(dl, cairn_vec3_cross(a, b)), v = cairn_vec3_dot(dl, cairn_vec3_cross(b, c));
            double w = cairn_vec3_dot(dl, cairn_vec3_cross(c, a));
            if ((u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0)) {
                double s = cairn_vec3_dot(a, cairn_vec3_cross(b, c)) / (u + v + w);
                if (s >= 0.0 && s < best) {
                    best = s;
                    normal = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(b, a), cairn_vec3_sub(c, a)));
                }
            }
        }
        bool began_inside = mesh->mesh.closed && best < INFINITY && cairn_vec3_dot(normal, dl) > 0.0;
        cairn_ray_hit hit;
        bool any = cairn_shape_ray(mesh, pose, o, d, reach, &hit);
        CHECK(any == (began_inside || best <= reach));
        if (any && !began_inside) {
            CHECK_NEAR(hit.distance, best, 1e-9);
            CHECK_NEAR(fabs(cairn_vec3_dot(cairn_quat_rotate(pose.rotation, normal), hit.normal)), 1.0, 1e-9);
            CHECK(cairn_vec3_dot(hit.normal, d) < 0.0);
        }
        CHECK(!began_inside || hit.distance == 0.0);
        hits += any;
        inside += began_inside;
        cairn_shape_release(mesh);
    }
    CHECK(hits > 60 && inside > 30);
    cairn_context_destroy(context);
}

/* Welding, closedness, mass. */
TEST(closed_or_not) {
    cairn_context *context = plain_context(1);
    cairn_mass mass;
    sample_box(&m, 3, cairn_vec3_of(0.5, 1.0, 1.5));
    for (int i = 0; i < m.points; i++)
        m.point[i] = cairn_vec3_add(m.point[i], cairn_vec3_of(3, 4, 5));
    cairn_shape *mesh = sample_shape(context, &m);
    CHECK(cairn_shape_closed(mesh) && mesh->mesh.patches == 6);
    CHECK(cairn_shape_mass(mesh, 2.0, &mass) == CAIRN_OK);
    CHECK_NEAR(mass.mass, 12.0, 1e-9);
    CHECK_NEAR(mass.center.y, 4.0, 1e-9);
    CHECK_NEAR(mass.inertia.m[0][0], 12.0 * (4.0 + 9.0) / 12.0, 1e-9);
    cairn_shape_release(mesh);
    /* without two opposite sides the area vectors still cancel, and yet it is open */
    sample_mesh *tube = &m;
    sample_box(tube, 1, cairn_vec3_of(1, 1, 1));
    tube->triangles = 8;
    mesh = sample_shape(context, tube);
    CHECK(!cairn_shape_closed(mesh));
    CHECK(cairn_shape_mass(mesh, 2.0, &mass) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "not closed, so it has no mass: no triangle, or more than one, fits");
    cairn_shape_release(mesh);
    /* inside out */
    sample_box(&m, 2, cairn_vec3_of(1, 1, 1));
    for (int i = 0; i < m.triangles; i++) {
        int c = m.corner[3 * i];
        m.corner[3 * i] = m.corner[3 * i + 1];
        m.corner[3 * i + 1] = c;
    }
    mesh = sample_shape(context, &m);
    CHECK(cairn_shape_closed(mesh) && cairn_shape_mass(mesh, 2.0, &mass) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "counter-clockwise");
    cairn_shape_release(mesh);
    /* no area at all */
    cairn_vec3 line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    int corner[6] = {0, 1, 2, 1, 1, 0};
    CHECK(cairn_shape_mesh(context, 3, line, 2, corner, &mesh) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "none of the 2 triangles has an area");
    /* a heap of triangles whose edges lie on one line */
    m.points = m.triangles = 0;
    for (int i = 0; i < 400; i++)
        sample_triangle(&m, sample_point(&m, -1.0 - 0.01 * i, 0, 0), sample_point(&m, 1.0 + 0.01 * i, 0, 0),
                        sample_point(&m, 0, 1.0 + 0.01 * i, 1));
    CHECK(cairn_shape_mesh(context, m.points, m.point, m.triangles, m.corner, &mesh) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "triangles that share an edge must not lie over each other");
    cairn_context_destroy(context);
}

/* Sheets that meet along one line: each is touched, and a book of many pages takes no time. */
TEST(sheets_that_branch) {
    static cairn_manifold list[ROOM];
    cairn_context *context = plain_context(1);
    cairn_shape *ball = NULL;
    CHECK(cairn_shape_sphere(context, 0.1, &ball) == CAIRN_OK);
    /* a floor cut along x = 0 by a fin below it: the line is not felt */
    m.points = m.triangles = 0;
    int a = sample_point(&m, 0, -1, 0), b = sample_point(&m, 0, 1, 0), west = sample_point(&m, -1, 0, 0),
        east = sample_point(&m, 1, 0, 0), low = sample_point(&m, 0, 0, -1);
    sample_triangle(&m, a, b, west);
    sample_triangle(&m, b, a, east);
    sample_triangle(&m, a, b, low);
    cairn_shape *mesh = sample_shape(context, &m);
    CHECK(mesh->mesh.patches == 2 && !mesh->mesh.closed);
    CHECK(cairn_collide(ball, cairn_pose_at(0.01, 0.1, 0.0999), mesh, cairn_pose_identity(), 0.01, list, ROOM) == 1);
    CHECK_NEAR(list[0].normal.z, -1.0, 1e-12);
    cairn_shape_release(mesh);
    /* the same with a valley instead of the floor: over its east side the ball touches that alone */
    m.point[east].z = 0.1;
    mesh = sample_shape(context, &m);
    CHECK(mesh->mesh.patches == 3);
    CHECK(cairn_collide(ball, cairn_pose_at(0.03, 0.1, 0.1034), mesh, cairn_pose_identity(), 0.01, list, ROOM) == 1);
    CHECK_NEAR(list[0].normal.x, 0.1 / sqrt(1.01), 1e-12);
    cairn_shape_release(mesh);
    /* folded back onto itself: two fronts */
    m.triangles = 2;
    m.point[east] = cairn_vec3_of(-0.5, 0.1, 0.0);
    mesh = sample_shape(context, &m);
    CHECK(mesh->mesh.patches == 2);
    cairn_shape_release(mesh);
    m.points = m.triangles = 0;
    for (int i = 0; i < SAMPLE_TRIANGLES; i++) {
        double turn = 6.283185307179586 * i / SAMPLE_TRIANGLES;
        if (i == 0) {
            a = sample_point(&m, 0, 0, -1);
            b = sample_point(&m, 0, 0, 1);
        }
        sample_triangle(&m, a, b, sample_point(&m, cos(turn), sin(turn), 0));
    }
    mesh = sample_shape(context, &m);
    CHECK(mesh->mesh.patches == SAMPLE_TRIANGLES);
    cairn_shape_release(mesh);
    cairn_shape_release(ball);
    cairn_context_destroy(context);
}

/* Every allocation may fail, also those for surfaces that are cut and turned. */
TEST(memory_may_fail) {
    for (int kind = 0; kind < FLOOR_KINDS; kind++) {
        test_random r = {31};
        floor_make(&m, &r, (floor_kind)kind, 1.0);
        for (int fail = 0; fail < 100; fail++) {
            counting_allocator a = {.fail_at = fail};
            cairn_context *context = counting_context(&a, 1);
            if (context == NULL)
                continue;
            cairn_shape *mesh = NULL;
            cairn_status status = cairn_shape_mesh(context, m.points, m.point, m.triangles, m.corner, &mesh);
            CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && mesh == NULL));
            cairn_shape_release(mesh);
            cairn_context_destroy(context);
            CHECK(a.live == 0);
            if (status == CAIRN_OK)
                break;
        }
    }
}

int main(void) {
    RUN(floor_is_a_plane);
    RUN(convex_meshes_are_hulls);
    RUN(valleys);
    RUN(rims_and_sheets);
    RUN(little_room);
    RUN(rays_against_all_triangles);
    RUN(closed_or_not);
    RUN(sheets_that_branch);
    RUN(memory_may_fail);
    return test_end();
}
