/*
 * test_collide_curved.c: smooth surfaces cut into triangles: a ball, pipes from outside and inside, a wave. As a soup, with edges cut on one side and with noise they have the
 * contacts that they have with shared vertices, and normals lie within those of the faces around.
 */
#include "collide/narrow/narrowphase.h"
#include "support/floor_samples.h"

static sample_mesh m;

enum { SURFACES = 4, FORMS = 4, ROOM = 256 };

static const char *const surface_name[SURFACES] = {"ball", "pipe", "tube", "wave"};
static const char *const form_name[FORMS] = {"shared", "soup", "T", "noise soup"};

static double wave(double x, double y) {
    return 0.1 * sin(2.0 * x) * cos(1.5 * y);
}

/* A pipe about y of radius 1, seen from outside, or from inside. */
static void make_pipe(bool inside) {
    enum { AROUND = 48, ALONG = 12 };
    m.points = m.triangles = 0;
    for (int j = 0; j <= ALONG; j++)
        for (int i = 0; i < AROUND; i++) {
            double turn = 6.283185307179586 * (i + 0.5 * (j % 2)) / AROUND;
            sample_point(&m, sin(turn), -1.0 + 2.0 * j / ALONG, cos(turn));
        }
    for (int j = 0; j < ALONG; j++)
        for (int i = 0; i < AROUND; i++) {
            int a = j * AROUND + i, b = j * AROUND + (i + 1) % AROUND, c = b + AROUND, d = a + AROUND;
            sample_triangle(&m, a, inside ? c : b, inside ? b : c);
            sample_triangle(&m, a, inside ? d : c, inside ? c : d);
        }
}

/* Every third triangle is cut into four at the middles of its edges, with vertices of its own: the surface stays as it was. */
static void cut_some(void) {
    for (int t = 0, count = m.triangles; t < count; t += 3) {
        int v[3], w[3];
        for (int k = 0; k < 3; k++) {
            cairn_vec3 p = m.point[m.corner[3 * t + k]], q = m.point[m.corner[3 * t + (k + 1) % 3]];
            v[k] = sample_point(&m, p.x, p.y, p.z);
            w[k] = sample_point(&m, 0.5 * (p.x + q.x), 0.5 * (p.y + q.y), 0.5 * (p.z + q.z));
        }
        for (int k = 0; k < 3; k++) {
            m.corner[3 * t + k] = w[k];
            sample_triangle(&m, v[k], w[k], w[(k + 2) % 3]);
        }
    }
}

static cairn_shape *surface(cairn_context *context, int kind, int form) {
    test_random r = {1};
    if (kind == 0)
        sample_ball(&m, 8, 1.0);
    else if (kind == 3)
        sample_floor(&m, &r, 20, 2.0, wave);
    else
        make_pipe(kind == 2);
    if (form == 1 || form == 3)
        floor_to_soup(&m);
    if (form == 2)
        cut_some();
    if (form == 3)
        floor_shake(&m, &r, (kind == 3 ? 4.0 : 2.0) * FLOOR_NOISE_SIZE);
    return sample_shape(context, &m);
}

static cairn_shape *body_of(cairn_context *context, int kind) {
    cairn_shape *s = NULL;
    cairn_status status = kind == 0   ? cairn_shape_sphere(context, 0.2, &s)
                          : kind == 1 ? cairn_shape_capsule(context, 0.1, 0.2, &s)
                          : kind == 2 ? cairn_shape_box(context, cairn_vec3_of(0.2, 0.15, 0.1), &s)
                                      : cairn_shape_cylinder(context, 0.15, 0.1, &s);
    CHECK(status == CAIRN_OK);
    return s;
}

/* A pose near the surface, and which way is away from it. */
static cairn_pose pose_near(test_random *r, int kind, double height, cairn_vec3 *away) {
    double turn = 6.283185307179586 * test_random_unit(r), s = test_random_signed(r), t = test_random_signed(r);
    cairn_vec3 on = {sin(turn), 0.6 * s, cos(turn)}, up = {sin(turn), 0, cos(turn)};
    if (kind == 0) {
        on = cairn_vec3_unit(cairn_vec3_of(s, t, test_random_signed(r)));
        up = on;
    } else if (kind == 3) {
        on = cairn_vec3_of(1.5 * s, 1.5 * t, wave(1.5 * s, 1.5 * t));
        up = cairn_vec3_unit(
            cairn_vec3_of(-0.2 * cos(2.0 * on.x) * cos(1.5 * on.y), 0.15 * sin(2.0 * on.x) * sin(1.5 * on.y), 1.0));
    }
    *away = kind == 2 ? cairn_vec3_scale(-1.0, up) : up;
    cairn_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    return (cairn_pose){cairn_vec3_add_scaled(on, height, *away), cairn_quat_unit(q)};
}

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

/* Largest angle by which the contact leaves the normals of the faces that come within reach of its point; d: from the surface. */
static double beyond(const cairn_mesh *mesh, cairn_vec3 x, cairn_vec3 d, double reach) {
    cairn_vec3 n[64];
    int count = 0;
    double worst = 0.0;
    for (int f = 0; f < mesh->faces && count < 64; f++) {
        cairn_vec3 p = mesh->point[mesh->face[3 * f]], q = mesh->point[mesh->face[3 * f + 1]],
                   r = mesh->point[mesh->face[3 * f + 2]];
        cairn_shape plate = {.kind = CAIRN_SHAPE_HULL}, dot = {.kind = CAIRN_SHAPE_SPHERE};
        cairn_vec3 corner[3] = {p, q, r};
        cairn_placement at = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, x};
        plate.hull.vertices = 3;
        plate.hull.vertex = corner;
        cairn_core a = {&plate, NULL, 0.0}, b = {&dot, &at, 0.0};
        cairn_closest near;
        if (fmin(p.x, fmin(q.x, r.x)) > x.x + reach || fmax(p.x, fmax(q.x, r.x)) < x.x - reach)
            continue;
        cairn_gjk(&a, &b, &near);
        if (near.distance <= reach)
            n[count++] = cairn_vec3_unit(cairn_vec3_cross(cairn_vec3_sub(q, p), cairn_vec3_sub(r, p)));
    }
    for (int i = 0; i < count; i++) {
        double widest = 0.0;
        for (int j = 0; j < count; j++)
            widest = fmax(widest, cairn_vec3_length(cairn_vec3_sub(n[i], n[j])));
        worst = fmax(worst, cairn_vec3_length(cairn_vec3_sub(d, n[i])) - widest);
    }
    return count > 0 ? worst : INFINITY;
}

/* A pose with a gap of -1e-3 to 1e-3 to the surface: from a place farther away towards its nearest point. */
static cairn_pose pose_at_gap(test_random *r, const cairn_shape *body, const cairn_shape *mesh, int kind) {
    static cairn_manifold list[ROOM];
    cairn_vec3 away, n = {0, 0, 0};
    cairn_pose pose = pose_near(r, kind, 0.35, &away);
    double gap = 1e-3 * test_random_signed(r);
    int count = cairn_collide(body, pose, mesh, cairn_pose_identity(), 0.4, list, ROOM);
    const cairn_contact *c = deepest(list, count, &n);
    CHECK(c != NULL && c->gap > 0.0);
    if (c != NULL)
        pose.position = cairn_vec3_add_scaled(pose.position, c->gap - gap, n);
    return pose;
}

/* Normals lie within those of the faces around; the deepest contact is where it is with shared vertices, and a soup has the very same contacts. */
TEST(forms_do_not_matter) {
    static cairn_manifold list[ROOM], plain[ROOM];
    cairn_context *context = plain_context(1);
    for (int kind = 0; kind < SURFACES; kind++) {
        cairn_shape *shared = surface(context, kind, 0);
        for (int form = 0; form < FORMS; form++) {
            cairn_shape *mesh = surface(context, kind, form);
            CHECK(mesh->mesh.closed == (kind == 0));
            test_random r = {(uint64_t)kind + 3};
            double worst = 0.0, gaps = 0.0;
            for (int t = 0; t < 200; t++) {
                cairn_shape *body = body_of(context, t % 4);
                cairn_vec3 n = {0, 0, 0}, o = {0, 0, 0};
                cairn_pose pose = pose_at_gap(&r, body, shared, kind);
                int count = cairn_collide(body, pose, mesh, cairn_pose_identity(), 0.01, list, ROOM);
                int same = cairn_collide(body, pose, shared, cairn_pose_identity(), 0.01, plain, ROOM);
                const cairn_contact *c = deepest(list, count, &n), *d = deepest(plain, same, &o);
                CHECK(c != NULL && d != NULL);
                if (form == 1)
                    CHECK(count == same && memcmp(&n, &o, sizeof n) == 0 && c->gap == d->gap);
                gaps = fmax(gaps, c != NULL && d != NULL ? fabs(c->gap - d->gap) : INFINITY);
                if (c != NULL)
                    worst = fmax(worst, beyond(&mesh->mesh, c->on_b, cairn_vec3_scale(-1.0, n), 1e-5));
                for (int i = 0; i < count && t % 4 != 3; i++) /* far points of a cylinder's line are not on the mesh */
                    for (int k = 0; k < list[i].count; k++)
                        worst = fmax(worst, beyond(&mesh->mesh, list[i].point[k].on_b,
                                                   cairn_vec3_scale(-1.0, list[i].normal), 1e-5));
                cairn_shape_release(body);
            }
            if (worst > 1e-5 || gaps > 1e-6)
                printf("%s, %s: %.1e beyond the normals, gaps differ by %.1e\n", surface_name[kind], form_name[form],
                       worst, gaps);
            CHECK(worst <= 1e-5);
            CHECK(gaps <= 1e-6);
            cairn_shape_release(mesh);
        }
        cairn_shape_release(shared);
    }
    cairn_context_destroy(context);
}

int main(void) {
    RUN(forms_do_not_matter);
    return test_end();
}
