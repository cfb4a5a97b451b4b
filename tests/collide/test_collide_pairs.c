/*
 * test_collide_pairs.c: contacts of random pairs against a search over all directions.
 *
 * For convex A and B the largest separation over all unit n, min_B n'x - max_A n'x, is the distance when they are apart and minus
 * the depth when they overlap. The test has support functions of its own.
 */
#include "support/support.h"

typedef struct solid {
    cairn_shape_kind kind;
    double r, h;
    cairn_vec3 half, *corner;
    int corners;
    cairn_shape *shape;
    cairn_pose pose;
} solid;

static cairn_vec3 vec_random(test_random *r, double s) {
    return cairn_vec3_of(s * test_random_signed(r), s * test_random_signed(r), s * test_random_signed(r));
}

static cairn_quat turn_random(test_random *r) {
    cairn_quat q = {test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    return cairn_quat_unit(q);
}

/* Largest n'x over the solid. */
static double reach(const solid *s, cairn_vec3 n) {
    cairn_vec3 d = cairn_quat_rotate(cairn_quat_conjugate(s->pose.rotation), n);
    double flat = sqrt(d.x * d.x + d.y * d.y), value = 0.0;
    switch (s->kind) {
    case CAIRN_SHAPE_SPHERE:
        value = s->r;
        break;
    case CAIRN_SHAPE_CAPSULE:
        value = s->r + s->h * fabs(d.z);
        break;
    case CAIRN_SHAPE_ELLIPSOID:
        value = cairn_vec3_length(cairn_vec3_of(s->half.x * d.x, s->half.y * d.y, s->half.z * d.z));
        break;
    case CAIRN_SHAPE_BOX:
        value = s->half.x * fabs(d.x) + s->half.y * fabs(d.y) + s->half.z * fabs(d.z);
        break;
    case CAIRN_SHAPE_CYLINDER:
        value = s->r * flat + s->h * fabs(d.z);
        break;
    case CAIRN_SHAPE_CONE:
        value = fmax(0.75 * s->h * d.z, s->r * flat - 0.25 * s->h * d.z);
        break;
    default:
        value = -INFINITY;
        for (int i = 0; i < s->corners; i++)
            value = fmax(value, cairn_vec3_dot(d, s->corner[i]));
    }
    return value + cairn_vec3_dot(n, s->pose.position);
}

static double separation(const solid *a, const solid *b, cairn_vec3 n) {
    return -reach(b, cairn_vec3_scale(-1.0, n)) - reach(a, n);
}

/* Largest separation: a grid of directions, then a search with shrinking steps from the best few. */
static double largest_separation(const solid *a, const solid *b) {
    enum { GRID = 600, STARTS = 4 };
    cairn_vec3 best[STARTS];
    double value[STARTS];
    for (int k = 0; k < STARTS; k++)
        value[k] = -INFINITY;
    for (int i = 0; i < GRID; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / GRID, p = 2.399963229728653 * i, r = sqrt(1.0 - z * z);
        cairn_vec3 n = {r * cos(p), r * sin(p), z};
        double here = separation(a, b, n);
        for (int k = 0; k < STARTS; k++)
            if (here > value[k]) {
                for (int j = STARTS - 1; j > k; j--) {
                    value[j] = value[j - 1];
                    best[j] = best[j - 1];
                }
                value[k] = here;
                best[k] = n;
                break;
            }
    }
    double top = -INFINITY;
    for (int k = 0; k < STARTS; k++) {
        cairn_vec3 n = best[k], t1, t2;
        for (double step = 0.06; step > 1e-9;) {
            bool moved = false;
            cairn_vec3_frame(n, &t1, &t2);
            for (int j = 0; j < 16; j++) {
                double c = cos(0.39269908169872414 * j), s = sin(0.39269908169872414 * j);
                cairn_vec3 m = cairn_vec3_unit(
                    cairn_vec3_add_scaled(cairn_vec3_add_scaled(n, step * c, t1), step * s, t2));
                double here = separation(a, b, m);
                if (here > value[k]) {
                    value[k] = here;
                    n = m;
                    moved = true;
                    break;
                }
            }
            step *= moved ? 1.0 : 0.5;
        }
        top = fmax(top, value[k]);
    }
    return top;
}

static void make_solid(cairn_context *context, test_random *r, cairn_shape_kind kind, solid *s, cairn_vec3 *room) {
    *s = (solid){.kind = kind, .r = 0.3 + test_random_unit(r), .h = 0.3 + test_random_unit(r), .corner = room};
    s->half = cairn_vec3_of(0.3 + test_random_unit(r), 0.3 + test_random_unit(r), 0.3 + test_random_unit(r));
    s->corners = 12;
    for (int i = 0; i < s->corners; i++)
        room[i] = vec_random(r, 1.0);
    cairn_status status = kind == CAIRN_SHAPE_SPHERE      ? cairn_shape_sphere(context, s->r, &s->shape)
                          : kind == CAIRN_SHAPE_CAPSULE   ? cairn_shape_capsule(context, s->r, s->h, &s->shape)
                          : kind == CAIRN_SHAPE_ELLIPSOID ? cairn_shape_ellipsoid(context, s->half, &s->shape)
                          : kind == CAIRN_SHAPE_BOX       ? cairn_shape_box(context, s->half, &s->shape)
                          : kind == CAIRN_SHAPE_CYLINDER  ? cairn_shape_cylinder(context, s->r, s->h, &s->shape)
                          : kind == CAIRN_SHAPE_CONE      ? cairn_shape_cone(context, s->r, s->h, &s->shape)
                                                          : cairn_shape_hull(context, s->corners, room, &s->shape);
    CHECK(status == CAIRN_OK);
}

/* How far x lies outside (positive) or inside a solid: largest n'x - reach over directions, found by the same search with a point. */
static double outside(const solid *s, cairn_vec3 x) {
    solid point = {.kind = CAIRN_SHAPE_SPHERE, .pose = {x, {1, 0, 0, 0}}};
    return largest_separation(s, &point);
}

/* One pair at a distance near `target`: all that a manifold promises. Returns false when a check failed. */
static bool check_pair(const solid *a, const solid *b, double margin, double tolerance, bool points) {
    cairn_manifold m, swapped;
    double truth = largest_separation(a, b);
    int before = test_bad_checks, found = cairn_collide(a->shape, a->pose, b->shape, b->pose, margin, &m, 1);
    if (found == 0) {
        CHECK(truth > margin - tolerance);
        return test_bad_checks == before;
    }
    double least = INFINITY;
    truth = fmax(truth, separation(a, b, m.normal)); /* the search may stop on a ridge */
    CHECK_NEAR(cairn_vec3_length(m.normal), 1.0, 1e-12);
    CHECK(m.count >= 1 && m.count <= CAIRN_MANIFOLD_MAX);
    for (int i = 0; i < m.count; i++) {
        const cairn_contact *c = &m.point[i];
        cairn_vec3 d = cairn_vec3_sub(cairn_vec3_sub(c->on_b, c->on_a), cairn_vec3_scale(c->gap, m.normal));
        CHECK_NEAR(cairn_vec3_length(d), 0.0, 1e-9);
        CHECK(c->gap <= margin + 1e-12);
        least = fmin(least, c->gap);
        for (int j = 0; j < i; j++)
            CHECK(m.point[j].feature != c->feature);
        if (points) {
            CHECK(outside(a, c->on_a) <= 1e-5);
            CHECK(outside(b, c->on_b) <= 1e-5);
        }
    }
    CHECK(truth <= margin + tolerance);
    if (truth <= 0.0)
        CHECK_NEAR(least, truth, tolerance);
    else
        CHECK(least >= truth - tolerance);
    CHECK(cairn_collide(b->shape, b->pose, a->shape, a->pose, margin, &swapped, 1) == 1);
    CHECK(swapped.count == m.count || truth > 0.0);
    if (truth <= -tolerance)
        CHECK_NEAR(separation(b, a, swapped.normal), separation(a, b, m.normal), tolerance);
    return test_bad_checks == before;
}

static void random_pairs(cairn_shape_kind kind_a, cairn_shape_kind kind_b, int pairs, double tolerance) {
    cairn_context *context = plain_context(1);
    test_random r = {17 + 100 * (uint64_t)kind_a + (uint64_t)kind_b};
    cairn_vec3 room[2][12];
    for (int k = 0; k < pairs; k++) {
        solid a, b;
        make_solid(context, &r, kind_a, &a, room[0]);
        make_solid(context, &r, kind_b, &b, room[1]);
        a.pose = (cairn_pose){vec_random(&r, 5.0), turn_random(&r)};
        b.pose = (cairn_pose){a.pose.position, turn_random(&r)};
        cairn_vec3 way = cairn_vec3_unit(vec_random(&r, 1.0));
        double target = k % 3 == 0   ? 0.05 * test_random_unit(&r)
                        : k % 3 == 1 ? -0.05 * test_random_unit(&r)
                                     : -0.3 * test_random_unit(&r);
        double low = 0.0, high = 8.0;
        while (high - low > 1e-6) { /* move B out until the separation is the target */
            double middle = 0.5 * (low + high);
            b.pose.position = cairn_vec3_add_scaled(a.pose.position, middle, way);
            double rough = -INFINITY; /* along the way is enough for a guess */
            rough = fmax(separation(&a, &b, way), rough);
            if (rough < target)
                low = middle;
            else
                high = middle;
        }
        if (!check_pair(&a, &b, 0.1, tolerance, k % 4 == 0))
            printf("    pair %d of %s and %s\n", k, cairn_shape_kind_name(kind_a), cairn_shape_kind_name(kind_b));
        cairn_shape_release(a.shape);
        cairn_shape_release(b.shape);
    }
    cairn_context_destroy(context);
}

TEST(random_pairs_of_all_kinds) {
    for (int a = 0; a < CAIRN_SHAPE_PLANE; a++)
        for (int b = a; b < CAIRN_SHAPE_PLANE; b++)
            random_pairs((cairn_shape_kind)a, (cairn_shape_kind)b, 24,
                         a >= CAIRN_SHAPE_CYLINDER || b >= CAIRN_SHAPE_CYLINDER ? 2e-3 : 2e-6);
    for (int a = 0; a < CAIRN_SHAPE_PLANE; a++)
        random_pairs((cairn_shape_kind)a, CAIRN_SHAPE_ELLIPSOID, 24, 2e-3);
    random_pairs(CAIRN_SHAPE_ELLIPSOID, CAIRN_SHAPE_ELLIPSOID, 24, 2e-3);
}

/* Two boxes, faces 2.4 degrees apart, edges crossed: the manifold has the crossing first and corners over the face, none nearer, each where it
 * says it is. */
TEST(crossed_edges_of_faces_that_all_but_touch) {
    cairn_context *context = plain_context(1);
    cairn_vec3 half = {1, 1, 1};
    cairn_shape *box = NULL;
    CHECK(cairn_shape_box(context, half, &box) == CAIRN_OK);
    for (int swap = 0; swap < 2; swap++) {
        cairn_pose low = cairn_pose_identity();
        cairn_pose high = {{0.5, 0.5, 2.03}, cairn_quat_exp(cairn_vec3_of(0.03, 0.03, 0))};
        cairn_manifold m = {.count = 0};
        CHECK(cairn_collide(box, swap ? high : low, box, swap ? low : high, 0.2, &m, 1) == 1);
        CHECK(m.count >= 3);
        for (int i = 0; i < m.count; i++) {
            const cairn_contact *c = &m.point[i];
            CHECK(c->gap >= m.point[0].gap);
            CHECK_NEAR(cairn_vec3_dot(m.normal, cairn_vec3_sub(c->on_b, c->on_a)), c->gap, 1e-12);
            cairn_vec3 bottom = swap ? c->on_b : c->on_a, top = swap ? c->on_a : c->on_b;
            top = cairn_quat_rotate(cairn_quat_conjugate(high.rotation), cairn_vec3_sub(top, high.position));
            CHECK_NEAR(bottom.z, 1.0, 2e-3);
            CHECK_NEAR(top.z, -1.0, 2e-3);
            CHECK(fmax(fabs(bottom.x), fabs(bottom.y)) < 1.01 && fmax(fabs(top.x), fabs(top.y)) < 1.01);
        }
    }
    cairn_shape_release(box);
    cairn_context_destroy(context);
}

/* Is every contact of one manifold, up to the name, one of the other? */
static bool alike(const cairn_manifold *m, const cairn_manifold *o) {
    bool same = m->count == o->count && cairn_vec3_length(cairn_vec3_sub(m->normal, o->normal)) < 1e-9;
    for (int i = 0; same && i < m->count; i++) {
        double least = INFINITY;
        for (int k = 0; k < o->count; k++)
            least = fmin(least, cairn_vec3_length(cairn_vec3_sub(m->point[i].on_a, o->point[k].on_a)) +
                                    cairn_vec3_length(cairn_vec3_sub(m->point[i].on_b, o->point[k].on_b)) +
                                    fabs(m->point[i].gap - o->point[k].gap));
        same = least < 1e-8;
    }
    return same;
}

/* Two boxes have code of their own: its contacts are those of a box and the hull of the other's corners. Turns from a milliradian to any. No two contacts have
 * one name. */
TEST(boxes_meet_like_their_hulls) {
    static const double turn[4] = {1e-3, 0.02, 0.3, 3.0};
    cairn_context *context = plain_context(1);
    test_random r = {77};
    int met = 0;
    for (int t = 0; t < 4000; t++) {
        cairn_shape *box[2], *hull;
        cairn_vec3 corner[8], half[2];
        cairn_pose pose[2];
        for (int i = 0; i < 2; i++) {
            half[i] = cairn_vec3_of(0.3 + test_random_unit(&r), 0.3 + test_random_unit(&r), 0.3 + test_random_unit(&r));
            CHECK(cairn_shape_box(context, half[i], &box[i]) == CAIRN_OK);
            pose[i] = (cairn_pose){vec_random(&r, 1.2), cairn_quat_exp(vec_random(&r, turn[t % 4]))};
        }
        for (int i = 0; i < 8; i++)
            corner[i] = cairn_vec3_of(i & 1 ? half[1].x : -half[1].x, i & 2 ? half[1].y : -half[1].y,
                                      i & 4 ? half[1].z : -half[1].z);
        CHECK(cairn_shape_hull(context, 8, corner, &hull) == CAIRN_OK);
        cairn_manifold m = {.count = 0}, o = {.count = 0};
        double margin = 0.3 * test_random_unit(&r);
        int found = cairn_collide(box[0], pose[0], box[1], pose[1], margin, &m, 1);
        CHECK(cairn_collide(box[0], pose[0], hull, pose[1], margin, &o, 1) == found);
        CHECK(found == 0 || alike(&m, &o));
        for (int i = 0; i < m.count; i++)
            for (int k = 0; k < i; k++)
                CHECK(m.point[i].feature != m.point[k].feature);
        met += found;
        cairn_shape_release(box[0]);
        cairn_shape_release(box[1]);
        cairn_shape_release(hull);
    }
    CHECK(met > 2000);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(boxes_meet_like_their_hulls);
    RUN(random_pairs_of_all_kinds);
    RUN(crossed_edges_of_faces_that_all_but_touch);
    return test_end();
}
