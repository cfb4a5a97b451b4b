/*
 * test_collide_thin.c: gaps of thin shapes, up to 1 to 100, against a search over all directions by support functions of the test's own.
 *
 * The largest separation over all unit n is the distance of convex shapes that are apart, and minus the depth of those that overlap. A search finds at most as much. So a gap must be that of its
 * normal, to 1e-4 of the thinner width, and no direction that the search finds may be better by more: what is deeper than a hundredth of that width is not certified.
 */
#include "collide/shape/shape.h"
#include "random/random_depth.h"
#include "support/support.h"

typedef struct solid {
    depth_shape depth;
    cairn_shape *shape;
    double width, point[36];
} solid;

static cairn_vec3 direction(test_random *r) {
    for (;;) {
        cairn_vec3 v = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
        double length = cairn_vec3_length(v);
        if (length > 0.1 && length < 1.0)
            return cairn_vec3_scale(1.0 / length, v);
    }
}

static cairn_quat turn(test_random *r) {
    cairn_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    return cairn_quat_unit(q);
}

/* The surface of a hull as a closed mesh; the hull is released. */
static cairn_status mesh_of(cairn_context *context, cairn_shape **shape) {
    const cairn_polytope *hull = &(*shape)->hull;
    cairn_shape *mesh = NULL;
    int corner[240], count = 0;
    for (int f = 0; f < hull->faces; f++)
        for (int i = hull->face_start[f] + 1; i + 1 < hull->face_start[f + 1]; i++) {
            corner[count++] = hull->face_vertex[hull->face_start[f]];
            corner[count++] = hull->face_vertex[i];
            corner[count++] = hull->face_vertex[i + 1];
        }
    cairn_status status = cairn_shape_mesh(context, hull->vertices, hull->vertex, count / 3, corner, &mesh);
    cairn_shape_release(*shape);
    *shape = mesh;
    return status;
}

static cairn_status make_hull(cairn_context *context, test_random *r, const double *half, solid *s) {
    cairn_vec3 point[12];
    for (int i = 0; i < 12; i++) {
        cairn_vec3 u = direction(r);
        point[i] = cairn_vec3_of(u.x * half[0], u.y * half[1], u.z * half[2]);
        memcpy(&s->point[3 * i], &point[i], sizeof point[i]);
    }
    bool mesh = s->depth.kind == CAIRN_SHAPE_MESH;
    s->depth.kind = CAIRN_SHAPE_HULL;
    s->depth.points = 12;
    s->depth.point = s->point;
    cairn_status status = cairn_shape_hull(context, 12, point, &s->shape);
    return status == CAIRN_OK && mesh ? mesh_of(context, &s->shape) : status;
}

/* One of three sizes is `thin` times those of the others. */
static void make_solid(cairn_context *context, test_random *r, cairn_shape_kind kind, double thin, solid *s) {
    double half[3];
    int flat = (int)(3.0 * test_random_unit(r));
    for (int k = 0; k < 3; k++)
        half[k] = (k == flat ? thin : 1.0) * (0.3 + 0.7 * test_random_unit(r));
    bool disc = test_random_unit(r) < 0.5;
    double small = half[flat], large = half[(flat + 1) % 3];
    *s = (solid){.depth = {.kind = kind, .pose = cairn_pose_identity()}};
    memcpy(s->depth.size, half, sizeof half);
    if (kind == CAIRN_SHAPE_CYLINDER || kind == CAIRN_SHAPE_CONE || kind == CAIRN_SHAPE_CAPSULE) {
        disc = disc && kind != CAIRN_SHAPE_CAPSULE;
        s->depth.size[0] = disc ? large : small;
        s->depth.size[1] = disc ? small : large;
    }
    const double *x = s->depth.size;
    cairn_vec3 sides = {x[0], x[1], x[2]};
    cairn_status status = kind == CAIRN_SHAPE_CAPSULE     ? cairn_shape_capsule(context, x[0], x[1], &s->shape)
                          : kind == CAIRN_SHAPE_BOX       ? cairn_shape_box(context, sides, &s->shape)
                          : kind == CAIRN_SHAPE_ELLIPSOID ? cairn_shape_ellipsoid(context, sides, &s->shape)
                          : kind == CAIRN_SHAPE_CYLINDER  ? cairn_shape_cylinder(context, x[0], x[1], &s->shape)
                          : kind == CAIRN_SHAPE_CONE      ? cairn_shape_cone(context, x[0], x[1], &s->shape)
                                                          : make_hull(context, r, half, s);
    CHECK(status == CAIRN_OK);
    s->width = depth_width(&s->depth);
}

static double separation(const solid *a, const solid *b, cairn_vec3 n) {
    return cairn_vec3_dot(
        n, cairn_vec3_sub(depth_support(&b->depth, cairn_vec3_scale(-1.0, n)), depth_support(&a->depth, n)));
}

/* A normal that meets all parts of an ellipsoid's surface alike. */
static cairn_vec3 surface_normal(const solid *s, cairn_vec3 u) {
    const double *x = s->depth.size;
    if (s->depth.kind == CAIRN_SHAPE_ELLIPSOID)
        u = cairn_vec3_unit(cairn_vec3_of(u.x / x[0], u.y / x[1], u.z / x[2]));
    return cairn_quat_rotate(s->depth.pose.rotation, u);
}

static double climb(const solid *a, const solid *b, cairn_vec3 n, double best, test_random *r) {
    for (double step = 0.05; step > 1e-8;) {
        bool moved = false;
        double first = test_random_unit(r);
        cairn_vec3 t1, t2;
        cairn_vec3_frame(n, &t1, &t2);
        for (int i = 0; i < 12 && !moved; i++) {
            double turned = 6.283185307179586 * (first + i / 12.0);
            cairn_vec3 m = cairn_vec3_unit(
                cairn_vec3_add_scaled(cairn_vec3_add_scaled(n, step * cos(turned), t1), step * sin(turned), t2));
            double here = separation(a, b, m);
            moved = here > best;
            best = moved ? here : best;
            n = moved ? m : n;
        }
        step *= moved ? 1.2 : 0.5;
    }
    return best;
}

static double searched(const solid *a, const solid *b, test_random *r) {
    cairn_vec3 best[3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    double value[3] = {-INFINITY, -INFINITY, -INFINITY}, most = -INFINITY;
    for (int i = 0; i < 450; i++) { /* each third begins from one way to spread directions */
        int k = i % 3;
        cairn_vec3 u = direction(r), n = k == 0 ? u : surface_normal(k == 1 ? a : b, u);
        double here = separation(a, b, n);
        best[k] = here > value[k] ? n : best[k];
        value[k] = fmax(value[k], here);
    }
    for (int k = 0; k < 3; k++)
        most = fmax(most, climb(a, b, best[k], value[k], r));
    return most;
}

/* What is wrong with a pair, in units of the thinner width. */
typedef struct error {
    double normal, gap; /* a better normal is known; the gap is not that of its normal */
    bool lost;          /* there is no contact */
} error;

static error error_of(const solid *a, const solid *b, test_random *r) {
    static cairn_manifold list[128];
    double width = fmin(a->width, b->width), truth = searched(a, b, r), least = INFINITY;
    cairn_vec3 n = {0, 0, 0};
    int found = cairn_collide(a->shape, a->depth.pose, b->shape, b->depth.pose, 0.1 * width, list, 128);
    for (int m = 0; m < found && m < 128; m++)
        for (int i = 0; i < list[m].count; i++)
            if (list[m].point[i].gap < least) {
                least = list[m].point[i].gap;
                n = list[m].normal;
            }
    if (found == 0)
        return (error){.lost = truth < 0.099 * width};
    double own = separation(a, b, n);
    return (error){fmax(0.0, truth - own) / width, fabs(least - own) / width, false};
}

/* Pairs with a gap of 2 % of the thinner width, and with overlaps of 0.01 % and 1 % of it, anywhere on their surfaces. The largest errors of those that are apart, or overlap. */
static void check_pairs(cairn_shape_kind ka, double thin_a, cairn_shape_kind kb, double thin_b, int pairs,
                        double allowed, int lost_allowed) {
    static const double aim[3] = {0.02, -1e-4, -0.01};
    cairn_context *context = plain_context(1);
    test_random r = {100 * (uint64_t)ka + (uint64_t)kb + 7};
    error worst = {0};
    int lost = 0;
    for (int i = 0; i < pairs; i++) {
        solid a, b;
        make_solid(context, &r, ka, thin_a, &a);
        make_solid(context, &r, kb, thin_b, &b);
        a.depth.pose.rotation = turn(&r);
        b.depth.pose.rotation = turn(&r);
        cairn_vec3 n = surface_normal(i % 2 ? &a : &b, direction(&r));
        cairn_vec3 on_a = depth_support(&a.depth, n), on_b = depth_support(&b.depth, cairn_vec3_scale(-1.0, n));
        double gap = aim[i % 3] * fmin(a.width, b.width);
        b.depth.pose.position = cairn_vec3_sub(cairn_vec3_add_scaled(on_a, gap, n), on_b);
        error e = error_of(&a, &b, &r);
        lost += e.lost;
        CHECK(!e.lost || gap < 0.0);
        worst.normal = fmax(worst.normal, e.normal);
        worst.gap = fmax(worst.gap, e.gap);
        cairn_shape_release(a.shape);
        cairn_shape_release(b.shape);
    }
    if (worst.normal > allowed || worst.gap > allowed || lost > lost_allowed)
        printf("%s 1:%g, %s 1:%g: normal %.1e, gap %.1e, %d lost\n", cairn_shape_kind_name(ka), 1.0 / thin_a,
               cairn_shape_kind_name(kb), 1.0 / thin_b, worst.normal, worst.gap, lost);
    CHECK(worst.normal <= allowed && worst.gap <= allowed && lost <= lost_allowed);
    cairn_context_destroy(context);
}

/* Cylinders and cones were drawn in by 0.1 % of their size and had round rims: thin bodies at them were 10 % of their width too deep, or had no contact. */
TEST(thin_convex_pairs) {
    static const cairn_shape_kind kind[6] = {CAIRN_SHAPE_ELLIPSOID, CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_CONE,
                                             CAIRN_SHAPE_CAPSULE,   CAIRN_SHAPE_BOX,      CAIRN_SHAPE_HULL};
    static const double thin[3][2] = {{1.0, 1.0}, {0.01, 1.0}, {0.01, 0.01}};
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 6; b++)
            for (int t = 0; t < 3; t++)
                check_pairs(kind[a], thin[t][0], kind[b], thin[t][1], 18, 1e-4, 0);
}

/* Thin shapes on the surface of a thick solid. */
TEST(thin_shapes_on_meshes) {
    check_pairs(CAIRN_SHAPE_ELLIPSOID, 1.0, CAIRN_SHAPE_MESH, 1.0, 60, 1e-4, 0);
    check_pairs(CAIRN_SHAPE_ELLIPSOID, 0.01, CAIRN_SHAPE_MESH, 1.0, 60, 1e-4, 0);
    check_pairs(CAIRN_SHAPE_CAPSULE, 1.0, CAIRN_SHAPE_MESH, 1.0, 60, 1e-4, 0);
    check_pairs(CAIRN_SHAPE_CAPSULE, 0.01, CAIRN_SHAPE_MESH, 1.0, 60, 1e-4, 0);
}

/* Sharp edges of a blade of triangles. A facet that has the middle of the other shape behind it is not asked, and of an edge or a corner the other one has to tell. */
TEST(blades_of_triangles) {
    check_pairs(CAIRN_SHAPE_ELLIPSOID, 1.0, CAIRN_SHAPE_MESH, 0.1, 120, 1e-4, 0);
    check_pairs(CAIRN_SHAPE_ELLIPSOID, 1.0, CAIRN_SHAPE_MESH, 0.01, 120, 1e-4, 0);
    check_pairs(CAIRN_SHAPE_CAPSULE, 1.0, CAIRN_SHAPE_MESH, 0.01, 120, 1e-4, 0);
}

int main(void) {
    RUN(thin_convex_pairs);
    RUN(thin_shapes_on_meshes);
    RUN(blades_of_triangles);
    return test_end();
}
