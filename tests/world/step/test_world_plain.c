/*
 * test_world_plain.c: problems that worlds write in place against the same from plain arrays, and the judge of contacts against the general one.
 */
#include "support/world_scene.h"

#include "problem/rigid_builder.h"
#include "problem/delassus/delassus_operator.h"
#include "world/island/assemble.h"

/* The same problem from the arrays that everyone may read. */
static cairn_problem *copy_of(cairn_context *context, const cairn_problem *p) {
    cairn_problem_view v = cairn_problem_get(p);
    cairn_problem_def def = cairn_default_problem_def();
    cairn_problem *made = NULL;
    def.law = v.law;
    def.n = v.n;
    def.m = v.m;
    def.H = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS, .rows = v.n, .cols = v.n};
    def.H.start = v.H_start, def.H.row = v.H_index, def.H.value = v.H_value;
    def.D = (cairn_sparse){.format = CAIRN_SPARSE_COLUMNS, .rows = v.n, .cols = v.m};
    def.D.start = v.D_start, def.D.row = v.D_index, def.D.value = v.D_value;
    def.k = v.k;
    def.b = v.b;
    def.C = v.C;
    def.blocks = v.blocks;
    def.block = v.block;
    def.bodies = v.bodies;
    def.body_start = v.body_start;
    CHECK(cairn_problem_create(context, &def, &made) == CAIRN_OK);
    return made;
}

static bool same_ints(int count, const int *a, const int *b) {
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* Everything but D's own indices, which hold zeros here and none there. */
static void check_same(const cairn_problem *p, const cairn_problem *q) {
    const cairn_body_blocks *a = &p->body, *b = &q->body;
    CHECK(p->n == q->n && p->m == q->m && p->blocks == q->blocks && p->bodies == q->bodies);
    CHECK(p->block_diagonal == q->block_diagonal && p->full_pattern == q->full_pattern && !p->unsymmetric);
    CHECK(same_ints(p->n + 1, p->A.start, q->A.start));
    CHECK(same_ints(p->A.start[p->n], p->A.index, q->A.index));
    CHECK(memcmp(p->A.value, q->A.value, (size_t)p->A.start[p->n] * sizeof(double)) == 0);
    CHECK(same_ints(p->blocks + 1, p->block_start, q->block_start));
    CHECK(same_ints(p->bodies + 1, p->body_start, q->body_start));
    CHECK(same_ints(p->n, a->body_of, b->body_of));
    CHECK(same_ints(p->blocks + 1, a->touch_start, b->touch_start));
    CHECK(same_ints(a->touch_start[p->blocks], a->touch, b->touch));
    CHECK(same_ints(p->blocks, a->width, b->width));
    CHECK(memcmp(a->rigid, b->rigid, (size_t)p->blocks) == 0);
    CHECK(memcmp(a->dense_start, b->dense_start, ((size_t)p->blocks + 1) * sizeof *a->dense_start) == 0);
    for (int64_t e = 0; e < a->dense_start[p->blocks]; e++)
        CHECK(a->dense[e] == b->dense[e]);
    CHECK(same_ints(p->bodies + 1, a->incident_start, b->incident_start));
    CHECK(same_ints(a->incident_start[p->bodies], a->incident, b->incident));
    for (int s = 0; s < a->incident_start[p->bodies]; s++)
        CHECK(a->incident_at[s] == b->incident_at[s]);
}

/* Figures of velocities that cancel are rounding alone. */
static void check_near(double a, double b) {
    CHECK((isinf(a) && isinf(b)) || fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)) + 1e-14);
}

/* The filter against the reference, on impulses that are no answer. */
static void check_judges(cairn_problem *p, test_random *random) {
    cairn_judge *judge = NULL;
    CHECK(cairn_judge_create(p, &judge) == CAIRN_OK);
    double *gamma = calloc((size_t)p->m, sizeof *gamma);
    for (int k = 0; k < 3; k++) {
        cairn_certificate quick, whole;
        for (int j = 0; j < p->m; j++)
            gamma[j] = k * test_random_signed(random);
        if (k == 2)
            p->b[0] += 0.25;
        cairn_question question = {.gamma = gamma, .limits = {.velocity = 1e-6}, .quick = true};
        CHECK(cairn_judge_ask(judge, &question, &quick, NULL) == CAIRN_OK);
        question.quick = false;
        CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
        CHECK(quick.certified == whole.certified && quick.worst_block == whole.worst_block);
        check_near(quick.error, whole.error);
        check_near(quick.rms, whole.rms);
    }
    gamma[0] = NAN;
    cairn_certificate c;
    CHECK(cairn_judge_run(judge, NULL, gamma, 1e-6, &c, NULL, NULL) == CAIRN_OK && !c.certified && isinf(c.error));
    cairn_judge_destroy(judge);
    free(gamma);
}

/* Steps, and looks at the problem of each. */
static void check_steps(scene *s, int steps, bool written) {
    test_random random = {7};
    int seen = 0;
    for (int i = 0; i < steps; i++) {
        const cairn_problem *p = NULL;
        CHECK(cairn_world_step(s->world, NULL) == CAIRN_OK);
        if (cairn_world_problem(s->world, &p) != CAIRN_OK || p == NULL)
            continue;
        CHECK((p->memory != NULL) == written);
        cairn_problem *q = copy_of(s->context, p);
        check_same(p, q);
        if (i % 5 == 0)
            check_judges(q, &random);
        cairn_problem_destroy(q);
        seen++;
    }
    CHECK(seen > steps / 2);
}

static scene heap(void) {
    scene s = scene_make(1, 0.005, 0.4, 0.0, cairn_vec3_of(0, 0, -9.81));
    scene_plane(&s, cairn_quat_identity());
    for (int i = 0; i < 27; i++)
        scene_ball(&s, 0.05, cairn_vec3_of(0.098 * (i % 3), 0.097 * (i / 3 % 3) + 0.003 * i, 0.051 + 0.11 * (i / 9)),
                   cairn_vec3_of(0, 0, 0));
    return s;
}

TEST(heaps_are_written_as_they_would_be_made) {
    scene s = heap();
    check_steps(&s, 30, true);
    scene_end(&s);
}

/* Turned boxes on a conveyor: bodies that move and cannot be pushed, inertia that is not one number, contacts of the two kinds. */
TEST(boxes_on_a_belt_are_written_as_they_would_be_made) {
    scene s = scene_make(1, 0.01, 0.3, 0.2, cairn_vec3_of(0, 0, -9.81));
    cairn_shape *belt = NULL;
    CHECK(cairn_shape_box(s.context, cairn_vec3_of(3, 3, 0.1), &belt) == CAIRN_OK);
    scene_add(&s, belt, CAIRN_BODY_KINEMATIC, cairn_pose_at(0, 0, -0.1), cairn_vec3_of(0.3, 0, 0),
              cairn_vec3_of(0, 0, 0.2));
    for (int i = 0; i < 4; i++) {
        cairn_quat turn = cairn_quat_turn(cairn_vec3_of(0, 0, 1), 0.3 * i);
        scene_box(&s, cairn_vec3_of(0.1, 0.15, 0.05), CAIRN_BODY_DYNAMIC,
                  (cairn_pose){cairn_vec3_of(0.01 * i, 0, 0.051 + 0.101 * i), turn});
    }
    check_steps(&s, 30, true);
    scene_end(&s);
}

TEST(a_full_inertia_is_judged_alike) {
    test_random random = {3};
    cairn_context *context = plain_context(1);
    cairn_problem *p = NULL;
    const double J[2][9] = {{2, 0.5, 0.1, 0.5, 3, -0.2, 0.1, -0.2, 1}, {1, 0, 0, 0, 2, 0, 0, 0, 3}};
    CHECK(cairn_direct_reserve(context, CAIRN_LAW_COULOMB, &(cairn_direct_size){.bodies = 2, .contacts = 2, .dim = 3},
                               &p) == CAIRN_OK);
    for (int i = 0; i < 2; i++)
        cairn_direct_body(p, i, 1.0 + i, J[i]);
    for (int i = 0; i < 2; i++) {
        const int body[2] = {i, 1};
        double *rows = cairn_direct_contact(p, i, 2 - i, body);
        for (int e = 0; e < 18 * (2 - i); e++)
            rows[e] = test_random_signed(&random);
        p->block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    }
    for (int j = 0; j < p->n; j++)
        p->k[j] = test_random_signed(&random);
    for (int j = 0; j < p->m; j++) {
        p->b[j] = test_random_signed(&random);
        p->C[j] = 0.1;
    }
    CHECK(cairn_direct_finish(p));
    cairn_problem *q = copy_of(context, p);
    check_same(p, q);
    check_judges(p, &random);
    p->k[3] = INFINITY;
    CHECK(!cairn_direct_finish(p));
    cairn_problem_destroy(p);
    cairn_problem_destroy(q);
    cairn_context_destroy(context);
}

/* Three bodies in a row with full inertias, masses 1, ratio, 1; k and the rows of size. cancels: b = -D'H^-1 k but for a little. */
static cairn_problem *row_of_bodies(cairn_context *context, test_random *random, double ratio, double size,
                                    double cancels) {
    cairn_problem *p = NULL;
    CHECK(cairn_direct_reserve(context, CAIRN_LAW_COULOMB, &(cairn_direct_size){.bodies = 3, .contacts = 3, .dim = 3},
                               &p) == CAIRN_OK);
    const double mass[3] = {1.0, ratio, 1.0};
    for (int i = 0; i < 3; i++) {
        const double m = mass[i], J[9] = {2 * m, 0.5 * m, 0.1 * m, 0.5 * m, 3 * m, -0.2 * m, 0.1 * m, -0.2 * m, m};
        cairn_direct_body(p, i, m, J);
    }
    for (int i = 0; i < 3; i++) {
        const int body[2] = {i < 2 ? i : 2, 2};
        int count = i < 2 ? 2 : 1;
        const int pair[2] = {i, i + 1};
        double *rows = cairn_direct_contact(p, i, count, i < 2 ? pair : body);
        for (int e = 0; e < 18 * count; e++)
            rows[e] = test_random_signed(random);
        p->block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    }
    for (int j = 0; j < p->n; j++)
        p->k[j] = size * mass[j / 6] * test_random_signed(random);
    for (int j = 0; j < p->m; j++) {
        p->b[j] = cancels > 0.0 ? 0.0 : size * test_random_signed(random);
        p->C[j] = 0.0;
    }
    CHECK(cairn_direct_finish(p));
    if (cancels > 0.0) {
        cairn_operator *op = NULL;
        double *gamma = calloc((size_t)p->m, sizeof *gamma), *u = calloc((size_t)p->m, sizeof *u);
        double *v = calloc((size_t)p->n, sizeof *v);
        CHECK(cairn_operator_create(p, &op) == CAIRN_OK);
        cairn_operator_solve(op, p->k, v);
        cairn_operator_slip(op, v, gamma, u);
        for (int j = 0; j < p->m; j++)
            p->b[j] = -u[j] * (1.0 + cancels * test_random_signed(random));
        cairn_operator_destroy(op);
        free(gamma), free(u), free(v);
    }
    return p;
}

/* Mass ratios, free velocities that cancel, small ones: the points that the filter certifies the reference certifies too. */
TEST(hard_numbers_are_judged_alike) {
    const double ratios[] = {1.0, 1e6, 1e-6}, sizes[] = {1.0, 1e-100, 1e100}, cancels[] = {0.0, 1e-6, 1e-12, 1e-14};
    cairn_context *context = plain_context(1);
    test_random random = {17};
    for (int i = 0; i < 36; i++) {
        double size = sizes[i / 4 % 3];
        cairn_problem *p = row_of_bodies(context, &random, ratios[i / 12], size, cancels[i % 4]);
        cairn_judge *judge = NULL;
        double gamma[9];
        CHECK(cairn_judge_create(p, &judge) == CAIRN_OK);
        for (int k = 0; k < 2; k++) {
            cairn_certificate quick, whole;
            for (int j = 0; j < 9; j++)
                gamma[j] = k * size * test_random_signed(&random);
            cairn_question question = {.gamma = gamma, .limits = {.velocity = 1e-300}};
            CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
            for (int l = 0; l < 4; l++) {
                question.limits.velocity = (const double[]){0.5, 1.0 - 1e-12, 1.0 + 1e-12, 2.0}[l] * whole.error +
                                           1e-300;
                cairn_judged judged;
                double points[9];
                question.gamma = gamma;
                question.quick = true;
                CHECK(cairn_judge_ask(judge, &question, &quick, &judged) == CAIRN_OK);
                memcpy(points, judged.gamma, sizeof points);
                question.gamma = points;
                question.quick = false;
                CHECK(cairn_judge_ask(judge, &question, &whole, NULL) == CAIRN_OK);
                CHECK(!quick.certified || whole.certified);
            }
        }
        cairn_judge_destroy(judge);
        cairn_problem_destroy(p);
    }
    cairn_context_destroy(context);
}

static bool same_numbers(int count, const double *a, const double *b) {
    for (int i = 0; i < count; i++)
        if (!(a[i] == b[i]))
            return false;
    return true;
}

/* Both ways of writing an island's problem, from the state that the last step has left: the same numbers, to the last bit. */
static void check_writers(cairn_world *w, const cairn_island *island, bool positions) {
    cairn_lane lane[2] = {{.context = w->context}, {.context = w->context}};
    cairn_builder s = {.positions = positions, .rebound = 1.0}, t = s;
    cairn_problem *p = NULL, *q = NULL;
    CHECK(cairn_island_is_plain(w, island));
    CHECK(cairn_island_write_plain(w, &lane[0], island, &s, &p) == CAIRN_OK && p->memory != NULL);
    CHECK(cairn_island_write(w, &lane[1], island, &t) == CAIRN_OK);
    CHECK(cairn_island_problem(w, &lane[1], &t, &q) == CAIRN_OK && q->memory == NULL);
    check_same(p, q);
    CHECK(same_numbers(p->n, p->k, q->k) && same_numbers(p->m, p->C, q->C));
    for (int j = 0; j < p->m; j++)
        CHECK(fabs(p->b[j] - q->b[j]) <= 1e-15 * fabs(q->b[j])); /* sums in another order */
    CHECK(same_numbers(p->m, s.guess, t.guess) && same_numbers(p->n, s.v, t.v) && same_numbers(p->m, s.C, t.C));
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *a = &p->block[i], *b = &q->block[i];
        CHECK(a->set == b->set && a->dim == b->dim && a->mu == b->mu && a->radius == b->radius);
        CHECK(a->lo == b->lo && a->hi == b->hi && a->adhesion == b->adhesion);
    }
    cairn_problem_destroy(p);
    cairn_problem_destroy(q);
    cairn_arena_free(w->context, &lane[0].room);
    cairn_arena_free(w->context, &lane[1].room);
}

/* The gap that a joint tells of is that of its bodies where they are. */
static void check_gaps(const cairn_world *w) {
    for (int i = 1; i < w->joints; i++) {
        const cairn_joint_data *j = &w->joint[i].data;
        cairn_joint_ends ends = {&w->rigid[j->a], &w->rigid[j->b], &w->rigid[j->carrier]};
        cairn_joint_rows rows;
        double gap = 0.0;
        cairn_joint_write_gaps(j, ends, w->time, w->h, &rows);
        for (int k = 0; k < rows.rows; k++)
            gap = fmax(gap, fabs(rows.row[k].gap));
        CHECK(fabs(gap - j->gap) <= 1e-15);
    }
}

/* Steps; after each the islands of joints alone, and the only island there is when all contacts that were found are in it. Returns how many were looked at. */
static int check_joint_steps(scene *s, int steps) {
    cairn_world *w = s->world;
    int seen = 0;
    for (int i = 0; i < steps; i++) {
        cairn_step_report report;
        CHECK(cairn_world_step(w, &report) == CAIRN_OK);
        CHECK(report.info.cpu_seconds == 0.0 && report.info.load_cpu_seconds == 0.0 && report.info.seconds > 0.0);
        check_gaps(w);
        cairn_touches now = w->now;
        w->now = w->last;
        for (int k = 0; k < w->islands; k++) {
            const cairn_island *island = &w->island[k];
            bool whole = w->islands == 1 && island->touches == w->last.count;
            for (int c = 0; c < island->touches && whole; c++)
                whole = island->touch[c] == c;
            int rows = 3 * island->touches;
            for (int j = 0; j < island->joints; j++)
                rows += w->joint[island->joint[j]].rows.rows;
            if (island->joints == 0 || (island->touches > 0 && !whole) ||
                rows != island->m) /* gaps were closed on positions since */
                continue;
            check_writers(w, island, false);
            seen++;
        }
        w->now = now;
    }
    return seen;
}

static cairn_joint_def joint_between(cairn_joint_kind kind, cairn_body a, cairn_body b, cairn_vec3 at) {
    cairn_joint_def d = cairn_default_joint_def();
    d.kind = kind;
    d.a = a;
    d.b = b;
    d.frame.position = at;
    return d;
}

static void join(scene *s, cairn_joint_def d) {
    cairn_joint joint;
    CHECK(cairn_world_add_joint(s->world, &d, &joint) == CAIRN_OK);
}

/* Joints of many kinds in one tree, with all drives, on a body whose motion is given; a gear on a carrier that turns. */
TEST(joints_are_written_as_they_would_be_made) {
    scene s = scene_make(1, 0.005, 0.3, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body none = {0, 0}, link[8];
    cairn_body driven = scene_add(&s, NULL, CAIRN_BODY_KINEMATIC, cairn_pose_at(0, 0, 0), cairn_vec3_of(0.1, 0, 0),
                                  cairn_vec3_of(0, 0, 0.4));
    for (int i = 0; i < 8; i++)
        link[i] = scene_mass(&s, cairn_vec3_of(0.4 * (i + 1), 0.02 * i, 0), 1.0 + i, cairn_vec3_of(0.1, 0.2, 0.25));
    const cairn_joint_kind kinds[] = {CAIRN_JOINT_REVOLUTE, CAIRN_JOINT_SPHERICAL,   CAIRN_JOINT_UNIVERSAL,
                                      CAIRN_JOINT_FIXED,    CAIRN_JOINT_CYLINDRICAL, CAIRN_JOINT_POINT_ON_PLANE};
    for (int i = 0; i < 6; i++) { /* links are added in falling order to some: the order of the rows is another */
        cairn_body before = i == 0 ? driven : link[i - 1];
        cairn_joint_def d = joint_between(kinds[i], i % 2 == 0 ? before : link[i], i % 2 == 0 ? link[i] : before,
                                          cairn_vec3_of(0.4 * i + 0.2, 0, 0));
        if (i == 0) {
            d.coordinate = CAIRN_COORDINATE_TURN;
            d.motor = d.limited = true;
            d.speed = 0.5;
            d.motor_limit = 2.0;
            d.low = -0.5;
            d.high = 0.02;
            d.friction = 0.1;
        }
        if (i == 4) {
            d.coordinate = CAIRN_COORDINATE_SLIDE;
            d.stiffness = 100.0;
            d.damping = 1.0;
        }
        d.compliance = i == 1 ? 1e-6 : 0.0;
        join(&s, d);
    }
    for (int i = 6; i < 8;
         i++) /* two wheels on link 2 and a gear between them, whose part of the carrier is nothing for i = 7 */
        join(&s, joint_between(CAIRN_JOINT_REVOLUTE, link[2], link[i], cairn_vec3_of(0.4 * (i + 1), 0.02 * i, 0)));
    cairn_joint_def gear = joint_between(CAIRN_JOINT_GEAR, link[6], link[7], cairn_vec3_of(2.8, 0.12, 0));
    gear.carrier = link[2];
    gear.ratio = 0.5;
    join(&s, gear);
    cairn_joint_def far = joint_between(CAIRN_JOINT_DISTANCE, none, link[5], cairn_vec3_of(2.4, 0.1, 2));
    far.has_frame_b = true;
    far.frame_b = cairn_pose_at(2.4, 0.1, 0);
    join(&s, far);
    CHECK(check_joint_steps(&s, 12) >= 12);
    scene_end(&s);
}

/* A carrier between two equal wheels that turn against each other: the gear wants nothing of it, and does not touch it. */
TEST(what_a_joint_wants_nothing_of_is_not_touched) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_body arm = scene_mass(&s, cairn_vec3_of(0, 0, 0), 1.0, cairn_vec3_of(1, 1, 1));
    cairn_body wheel[2];
    for (int i = 0; i < 2; i++) {
        wheel[i] = scene_mass(&s, cairn_vec3_of(i, 0, 0), 1.0, cairn_vec3_of(1, 1, 1));
        join(&s, joint_between(CAIRN_JOINT_REVOLUTE, arm, wheel[i], cairn_vec3_of(i, 0, 0)));
    }
    cairn_joint_def gear = joint_between(CAIRN_JOINT_GEAR, wheel[0], wheel[1], cairn_vec3_of(0, 0, 0));
    gear.carrier = arm;
    gear.ratio = -1.0;
    join(&s, gear);
    CHECK(check_joint_steps(&s, 3) == 3);
    const cairn_problem *p = NULL;
    CHECK(cairn_world_problem(s.world, &p) == CAIRN_OK && p->blocks == 3);
    CHECK(p->body.touch_start[3] - p->body.touch_start[2] == 2);
    scene_end(&s);
}

/* A pendulum of two boxes that lies on the floor: contacts and joints in one island. */
TEST(contacts_and_joints_are_written_as_they_would_be_made) {
    scene s = scene_make(1, 0.005, 0.4, 0.0, cairn_vec3_of(0, 0, -9.81));
    scene_plane(&s, cairn_quat_identity());
    cairn_body box[3];
    for (int i = 0; i < 3; i++)
        box[i] = scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.05), CAIRN_BODY_DYNAMIC, cairn_pose_at(0.25 * i, 0, 0.05));
    for (int i = 0; i < 2; i++)
        join(&s, joint_between(i == 0 ? CAIRN_JOINT_REVOLUTE : CAIRN_JOINT_SPHERICAL, box[i + 1], box[i],
                               cairn_vec3_of(0.25 * i + 0.125, 0, 0.05)));
    CHECK(check_joint_steps(&s, 10) > 5);
    scene_end(&s);
}

/* One body with this mass in its rows and this inertia, and a block of three rows. */
static cairn_problem *one_body(cairn_context *context, test_random *random, double mass, const double *J) {
    cairn_problem *p = NULL;
    const cairn_direct_size size = {.bodies = 1, .contacts = 1, .dim = 3};
    const int body = 0;
    CHECK(cairn_direct_reserve(context, CAIRN_LAW_COULOMB, &size, &p) == CAIRN_OK);
    cairn_direct_body(p, 0, mass, J);
    double *rows = cairn_direct_contact(p, 0, 1, &body);
    for (int e = 0; e < 18; e++)
        rows[e] = test_random_signed(random);
    p->block[0] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5};
    for (int i = 0; i < 6; i++)
        p->k[i] = test_random_signed(random);
    for (int r = 0; r < 3; r++) {
        p->b[r] = 0.0;
        p->C[r] = 0.01 * r;
    }
    CHECK(cairn_direct_finish(p));
    return p;
}

/* The solver's inverse of a body, and its scale against the trace of N_ii, to the last bit whichever is asked for first. */
static void check_rigid_operator(const cairn_problem *p) {
    cairn_operator *first = NULL, *second = NULL;
    const double *N = NULL;
    const int *start = NULL;
    CHECK(cairn_operator_create(p, &first) == CAIRN_OK && cairn_operator_create(p, &second) == CAIRN_OK);
    double scale = cairn_operator_scale(first)[0];
    CHECK(cairn_operator_diagonal(second, &N, &start) == CAIRN_OK);
    CHECK(scale == cairn_operator_scale(second)[0]);
    CHECK(scale == (N[0] + N[4] + N[8]) / 3.0);
    const double *G = cairn_operator_body_inverse(first, 0);
    double H[36] = {0};
    for (int j = 0; j < 6; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++)
            H[6 * p->A.index[e] + j] = p->A.value[e];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double sum = 0.0, size = 0.0;
            for (int k = 0; k < 6; k++) {
                sum += H[6 * i + k] * G[6 * k + j];
                size += fabs(H[6 * i + k] * G[6 * k + j]);
            }
            CHECK(G[6 * i + j] == G[6 * j + i]);
            CHECK(fabs(sum - (i == j)) <= 1e-14 * (1.0 + size));
        }
    cairn_operator_destroy(first);
    cairn_operator_destroy(second);
}

TEST(rigid_bodies_have_one_inverse) {
    test_random random = {11};
    cairn_context *context = plain_context(1);
    const double J[][9] = {{2, 0.5, 0.1, 0.5, 3, -0.2, 0.1, -0.2, 1},
                           {2, 0.5, 0, 0.5, 3, 0, 0, 0, 1},
                           {1, 0.999999, 0, 0.999999, 1, 0.0001, 0, 0.0001, 5},
                           {1e-9, 1e-10, 0, 1e-10, 1e-3, 1e-5, 0, 1e-5, 1e-3},
                           {1e6, 1, 2, 1, 10, 3, 2, 3, 10}};
    for (size_t i = 0; i < sizeof J / sizeof *J; i++)
        for (int k = 0; k < 3; k++) {
            cairn_problem *p = one_body(context, &random, k == 0 ? 1.0 : k == 1 ? 1e-3 : 1e4, J[i]);
            check_rigid_operator(p);
            cairn_problem_destroy(p);
        }
    cairn_context_destroy(context);
}

/* Whoever factors says no, and where. */
TEST(inertias_that_are_not_positive_are_refused) {
    test_random random = {12};
    cairn_context *context = plain_context(1);
    const double J[][9] = {
        {1, 2, 0, 2, 1, 0, 0, 0, 1}, {1, 0, 0.5, 0, 1, 1, 0.5, 1, 1}, {-1, 0.1, 0, 0.1, 1, 0, 0, 0, 1}};
    const char *row[] = {"at row 4", "at row 5", "at row 3"};
    for (size_t i = 0; i < sizeof J / sizeof *J; i++) {
        cairn_problem *p = one_body(context, &random, 1.0, J[i]);
        cairn_operator *op = NULL;
        cairn_judge *judge = NULL;
        CHECK(cairn_operator_create(p, &op) == CAIRN_ERROR_NUMERICAL);
        CHECK(cairn_judge_create(p, &judge) == CAIRN_ERROR_NUMERICAL && judge == NULL);
        CHECK(strstr(cairn_error_message(context), row[i]) != NULL);
        cairn_problem_destroy(p);
    }
    cairn_context_destroy(context);
}

int main(void) {
    RUN(heaps_are_written_as_they_would_be_made);
    RUN(boxes_on_a_belt_are_written_as_they_would_be_made);
    RUN(a_full_inertia_is_judged_alike);
    RUN(hard_numbers_are_judged_alike);
    RUN(joints_are_written_as_they_would_be_made);
    RUN(what_a_joint_wants_nothing_of_is_not_touched);
    RUN(contacts_and_joints_are_written_as_they_would_be_made);
    RUN(rigid_bodies_have_one_inverse);
    RUN(inertias_that_are_not_positive_are_refused);
    return test_end();
}
