/*
 * test_world_passive.c: worlds that nothing drives gain no energy, with any restitution and friction. What a step may gain without restitution is worked out contact by contact, and what it
 * gained is held against that; restarts and threads give the same bits.
 */
#include "world/model/world_data.h"
#include "support/world_scene.h"

static const cairn_vec3 none = {0, 0, 0};

static cairn_vec3 random_vec(test_random *r, double size) {
    double x = test_random_signed(r), y = test_random_signed(r), z = test_random_signed(r);
    return cairn_vec3_of(size * x, size * y, size * z);
}

static bool was_lowered(const cairn_step_report *r) {
    return strstr(r->info.note, "rebounds lowered") != NULL;
}

/* A body of one of seven kinds. */
static cairn_shape *any_shape(const scene *s, test_random *r) {
    cairn_shape *shape = NULL;
    int kind = (int)(7.0 * test_random_unit(r));
    cairn_vec3 corner[14], half = random_vec(r, 0.025);
    half = cairn_vec3_add(half, cairn_vec3_of(0.075, 0.075, 0.075));
    for (int i = 0; i < 14; i++)
        corner[i] = random_vec(r, 0.1);
    cairn_status status = kind == 0   ? cairn_shape_sphere(s->context, half.x, &shape)
                          : kind == 1 ? cairn_shape_box(s->context, half, &shape)
                          : kind == 2 ? cairn_shape_capsule(s->context, 0.5 * half.x, half.y, &shape)
                          : kind == 3 ? cairn_shape_cylinder(s->context, half.x, half.y, &shape)
                          : kind == 4 ? cairn_shape_cone(s->context, half.x, 2.0 * half.y, &shape)
                          : kind == 5 ? cairn_shape_ellipsoid(s->context, half, &shape)
                                      : cairn_shape_hull(s->context, 14, corner, &shape);
    CHECK(status == CAIRN_OK);
    return shape;
}

typedef struct thrown {
    uint64_t seed;
    double e, mu, g, compliance, adhesion;
    bool balls, rolling, pairs; /* balls alone; the world's rolling; every second body hangs on the one before */
    int bodies, threads;
} thrown;

/* Bodies of all kinds in a closed room, thrown around. */
static scene throw_around(const thrown *t) {
    scene s = {.context = plain_context(t->threads)};
    cairn_world_def def = cairn_default_world_def();
    cairn_material_def m = cairn_default_material_def();
    const double q = 0.70710678118654752;
    const cairn_quat turn[] = {{1, 0, 0, 0}, {q, q, 0, 0}, {q, -q, 0, 0}, {q, 0, q, 0}, {q, 0, -q, 0}, {0, 1, 0, 0}};
    const cairn_vec3 at[] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 4}};
    test_random r = {77 * t->seed};
    cairn_body last = {0, 0};
    def.step = 0.005;
    def.gravity = cairn_vec3_of(0, 0, -t->g);
    def.solver.tolerance = 1e-10;
    def.rolling = t->rolling;
    m.friction = t->mu;
    m.restitution = t->e;
    m.compliance = t->compliance;
    m.adhesion = t->adhesion;
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    CHECK(cairn_world_add_material(s.world, &m, &s.material) == CAIRN_OK);
    for (int i = 0; i < 6; i++) {
        cairn_shape *plane = NULL;
        CHECK(cairn_shape_plane(s.context, &plane) == CAIRN_OK);
        scene_add(&s, plane, CAIRN_BODY_FIXED, (cairn_pose){at[i], turn[i]}, none, none);
    }
    for (int i = 0; i < t->bodies; i++) {
        cairn_vec3 x = cairn_vec3_of(0.2 + 0.3 * (i % 3), 0.2 + 0.3 * (i / 3 % 3), 0.2 + 0.3 * (i / 9));
        cairn_shape *shape = NULL;
        if (t->balls)
            CHECK(cairn_shape_sphere(s.context, 0.05 + 0.05 * test_random_unit(&r), &shape) == CAIRN_OK);
        else
            shape = any_shape(&s, &r);
        cairn_quat orientation = cairn_quat_exp(random_vec(&r, 2.0));
        cairn_vec3 v = random_vec(&r, 3.0), w = random_vec(&r, 10.0);
        cairn_body body = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, (cairn_pose){x, orientation}, v, w);
        cairn_joint_def joint = cairn_default_joint_def();
        cairn_joint id;
        joint.kind = CAIRN_JOINT_SPHERICAL;
        joint.a = last;
        joint.b = body;
        joint.frame.position = cairn_vec3_sub(x, cairn_vec3_of(0.15, 0, 0));
        if (t->pairs && i % 3 == 1)
            CHECK(cairn_world_add_joint(s.world, &joint, &id) == CAIRN_OK);
        last = body;
    }
    return s;
}

/* Normal and tangents of a contact applied to its impulse: what it makes of each m/s that b's side has against a's by drift. */
static double drift_work(const cairn_world *w, const cairn_touch *c) {
    const int slot[2] = {c->a, c->b};
    const cairn_vec3 point[2] = {c->on_a, c->on_b};
    cairn_vec3 p = cairn_vec3_scale(c->gamma[0], c->normal);
    double sum = 0.0;
    for (int k = 0; k < 2; k++)
        p = cairn_vec3_add_scaled(p, c->gamma[1 + k], c->tangent[k]);
    for (int k = 0; k < 2; k++) {
        const cairn_rigid *r = &w->rigid_before[slot[k]];
        cairn_vec3 turn = cairn_quat_rotate(r->q, w->drift[slot[k]]);
        double part = cairn_vec3_dot(p, cairn_vec3_cross(turn, cairn_vec3_sub(point[k], r->x)));
        sum += w->slot[slot[k]].kind != CAIRN_BODY_DYNAMIC ? 0.0 : k == 0 ? -part : part;
    }
    return sum;
}

/* What a step of one part may gain without restitution: W <= -gamma'b + m h^2 g^2/8, what is let pass (m h^2 g^2/4), b of overlaps, bends, drift and pulls over a gap; and by the answer's error. */
static double sources(const cairn_world *w, const cairn_step_report *r) {
    double h = w->h, g = cairn_vec3_length(w->def.gravity), made = 0.0, mass = 0.0, error = 0.0;
    for (int i = 0; i < w->last.count; i++) {
        const cairn_touch *c = &w->last.item[i];
        double size = sqrt(c->gamma[0] * c->gamma[0] + c->gamma[1] * c->gamma[1] + c->gamma[2] * c->gamma[2]);
        made += fabs(c->gamma[0]) * fmax(0.0, c->gamma[0] > 0.0 ? -c->gap : c->gap) / h - drift_work(w, c);
        made += fmax(0.0, -c->gamma[0] * c->curve[0]) - c->gamma[1] * c->curve[1] - c->gamma[2] * c->curve[2];
        error += size * (r->info.certificate.error + 1e-11);
    }
    for (int i = 1; i < w->slots; i++)
        mass += w->slot[i].kind == CAIRN_BODY_DYNAMIC ? w->rigid[i].mass : 0.0;
    return fmax(0.0, made) + 0.375 * mass * g * g * h * h + error;
}

static double waiting(const cairn_world *w) {
    double sum = 0.0;
    for (int i = 0; i < w->last.count; i++)
        sum += w->last.item[i].pays;
    return sum;
}

typedef struct tally {
    int steps, parts, uncertified, lowered;
    double most; /* gain of a step over what its sources may make */
} tally;

/* One step of a passive world: the works explain the change of energy, nothing is lost negatively, and what contacts have made, with what waits for its rebound, is no more than
 * the sources allow. */
static void passive_step(cairn_world *w, tally *t) {
    cairn_step_report r = {0};
    double kinetic = cairn_world_energy(w).kinetic, waited = waiting(w);
    CHECK(cairn_world_step(w, &r) == CAIRN_OK);
    double made = r.energy.created - r.energy.friction - r.energy.impact, now = waiting(w);
    double size = kinetic + r.energy.kinetic + r.energy.friction + fabs(r.energy.impact);
    t->steps++;
    t->uncertified += !r.certified;
    t->lowered += was_lowered(&r);
    CHECK(r.energy.created >= 0.0 && r.energy.friction >= 0.0);
    if (r.substeps != 1) {
        t->parts++;
        return;
    }
    CHECK(r.energy.impact >= -waited - 1e-9 * size);
    CHECK(r.energy.created == 0.0 || r.energy.friction == 0.0);
    if (cairn_vec3_length(w->def.gravity) == 0.0 && r.joints == 0 && r.certified)
        CHECK_NEAR(r.energy.kinetic - kinetic, made, 1e-6 * size); /* free spin keeps its energy to that */
    double allowed = sources(w, &r) + fabs(r.energy.joints) + 1e-10 * size;
    t->most = fmax(t->most, (made + now - waited) / allowed);
    CHECK(made + now - waited <= allowed);
}

static tally passive_run(const thrown *t, int steps) {
    scene s = throw_around(t);
    tally sum = {0};
    for (int i = 0; i < steps; i++)
        passive_step(s.world, &sum);
    scene_end(&s);
    return sum;
}

/* Heaps of 5 to 30 bodies of all kinds, with and without weight: no step gains anything but what overlaps, bends and drift make. */
TEST(heaps_gain_nothing) {
    const double e[] = {0.0, 0.3, 0.7, 1.0}, mu[] = {0.0, 0.5, 1.0, 1.5};
    int lowered = 0, parts = 0, steps = 0, uncertified = 0;
    for (int i = 0; i < 32; i++) {
        thrown t = {.seed = 1 + (uint64_t)i,
                    .e = e[i % 4],
                    .mu = mu[i / 4 % 4],
                    .g = i < 16 ? 0.0 : 9.81,
                    .bodies = 5 + 25 * (i % 7) / 6,
                    .threads = 1};
        tally sum = passive_run(&t, 100);
        lowered += sum.lowered;
        parts += sum.parts;
        uncertified += sum.uncertified;
        steps += sum.steps;
    }
    CHECK(lowered > 100);
    CHECK(20 * parts < steps && 20 * uncertified < steps);
}

/* The same with rolling edges, in joints without drives, with balls that stick. */
TEST(others_gain_nothing) {
    const double e[] = {0.0, 0.5, 1.0};
    int lowered = 0;
    for (int i = 0; i < 9; i++) {
        thrown t = {.seed = 40 + (uint64_t)i, .e = e[i % 3], .mu = 0.5, .g = i < 3 ? 9.81 : 0.0, .bodies = 12};
        t.threads = 1;
        t.rolling = i / 3 == 0;
        t.pairs = i / 3 == 1;
        t.balls = i / 3 == 2;
        t.adhesion = i / 3 == 2 ? 20.0 : 0.0;
        lowered += passive_run(&t, 100).lowered;
    }
    CHECK(lowered > 15);
}

/* What balls have stored in contacts that give way, at the gaps with which the last step began. */
static double stored(const cairn_world *w) {
    double sum = 0.0;
    for (int i = 0; i < w->last.count; i++)
        sum += 0.5 * fmin(0.0, w->last.item[i].gap) * fmin(0.0, w->last.item[i].gap) / w->last.item[i].compliance;
    return sum;
}

/* Balls on contacts that give way: the gain of a step, with what is stored more when the next one begins. */
TEST(give_gains_nothing) {
    for (int i = 0; i < 6; i++) {
        thrown t = {.seed = 60 + (uint64_t)i, .e = 0.5 * (i % 3), .mu = 0.5, .bodies = 12, .balls = true, .threads = 1};
        t.compliance = i < 3 ? 1e-6 : 1e-4;
        scene s = throw_around(&t);
        double before = cairn_world_energy(s.world).kinetic, store = 0.0, wait = 0.0, gain = 0.0, start = before;
        for (int k = 0; k < 150; k++) {
            cairn_step_report r = scene_step(&s);
            double now = stored(s.world);
            CHECK(k == 0 || gain + now - store <= 1e-6 * start);
            gain = r.energy.kinetic - before + waiting(s.world) - wait;
            before = r.energy.kinetic;
            wait = waiting(s.world);
            store = now;
        }
        CHECK(before < start);
        scene_end(&s);
    }
}

/* Thin plates that tumble by several radians a step hit the ground. By drift one would gain 6 % in a certified step. */
TEST(fast_tumble) {
    for (int i = 40; i < 60; i++) {
        scene s = scene_make(1, 0.005, 1.5, 0.0, none);
        test_random r = {77 + (uint64_t)i};
        cairn_shape *plate = NULL;
        cairn_vec3 spin = random_vec(&r, 600.0);
        scene_plane(&s, (cairn_quat){1, 0, 0, 0});
        CHECK(cairn_shape_box(s.context, cairn_vec3_of(0.2, 0.1, 0.002), &plate) == CAIRN_OK);
        cairn_pose pose = {cairn_vec3_of(0, 0, 0.3), cairn_quat_exp(spin)};
        scene_add(&s, plate, CAIRN_BODY_DYNAMIC, pose, cairn_vec3_of(0, 0, -20), spin);
        double before = cairn_world_energy(s.world).kinetic;
        for (int k = 0; k < 12; k++) {
            double now = scene_step(&s).energy.kinetic;
            CHECK(now <= before * (1.0 + 2e-3));
            before = now;
        }
        scene_end(&s);
    }
}

/* What an inelastic law gains at most in this step, J, from a body's velocities: impulses p on it change its energy by p'u' - p'p/2m - h g'p/2, and the first term is none (tests/random/random_judge.c). */
static double turned_by_gravity(cairn_vec3 before, cairn_vec3 after, double mass, double h, cairn_vec3 gravity) {
    cairn_vec3 fall = cairn_vec3_scale(h, gravity), d = cairn_vec3_sub(cairn_vec3_sub(after, before), fall);
    return fmax(0.0, -0.5 * mass * (cairn_vec3_dot(d, d) + cairn_vec3_dot(fall, d)));
}

/* Ellipsoids that turn by half a radian a step and touch a smooth plate, without restitution. By drift and the bend of the contact one would gain 15 %, less than m h^2 g^2/4. */
TEST(slow_tumble) {
    const cairn_vec3 gravity = {0, 0, -9.81};
    const double h = 0.02;
    for (int i = 0; i < 12; i++) {
        scene s = scene_make(1, h, 0.0, 0.0, gravity);
        test_random r = {501 + (uint64_t)i};
        cairn_shape *shape = NULL;
        CHECK(cairn_shape_ellipsoid(s.context, cairn_vec3_of(0.0094, 0.0114, 0.0065), &shape) == CAIRN_OK);
        scene_box(&s, cairn_vec3_of(0.1, 0.1, 0.01), CAIRN_BODY_FIXED, cairn_pose_at(0, 0, -0.01));
        cairn_pose pose = {cairn_vec3_of(0, 0, 0.06), cairn_quat_exp(random_vec(&r, 3.0))};
        cairn_body body = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, pose, none, random_vec(&r, 40.0));
        cairn_body_state a = scene_state(&s, body);
        double before = cairn_world_energy(s.world).kinetic;
        for (int k = 0; k < 40; k++) {
            cairn_step_report report = scene_step(&s);
            cairn_body_state b = scene_state(&s, body);
            double work = 0.5 * h * b.mass * cairn_vec3_dot(gravity, cairn_vec3_add(a.velocity, b.velocity));
            double allowed = 2e-3 * (before + report.energy.kinetic) +
                             turned_by_gravity(a.velocity, b.velocity, b.mass, h, gravity);
            for (int c = 0; c < cairn_world_contact_count(s.world); c++) { /* overlaps that are left to velocities */
                cairn_world_contact touch;
                CHECK(cairn_world_contact_get(s.world, c, &touch) == CAIRN_OK);
                allowed += cairn_vec3_length(touch.impulse) * fmax(0.0, -touch.gap) / h;
            }
            CHECK(report.substeps > 1 || report.energy.kinetic - before - work <= allowed);
            before = report.energy.kinetic;
            a = b;
        }
        scene_end(&s);
    }
}

/* A part of a step that is made anew by the passive motion (world->torn) does not move as the answer that was certified: the step must not keep its certificate. */
TEST(made_anew_is_not_certified) {
    scene s = scene_make(1, 0.001, 0.5, 0.0, cairn_vec3_of(0, 0, -9.81));
    cairn_body ball = scene_ball(&s, 0.1, cairn_vec3_of(0, 0, -1), none);
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint;
    def.kind = CAIRN_JOINT_SPHERICAL;
    def.b = ball;
    CHECK(cairn_world_add_joint(s.world, &def, &joint) == CAIRN_OK);
    for (int torn = 0; torn < 2; torn++) {
        cairn_step_report r = {0};
        s.world->torn = torn;
        CHECK(cairn_world_step(s.world, &r) == CAIRN_OK);
        CHECK(r.joints_closed && r.apart && r.fallbacks == torn && r.certified == !torn);
        s.world->torn = false;
    }
    scene_end(&s);
}

/* A scene that gained 5 % of its energy by Newton's law with friction. */
TEST(energy_rises) {
    char path[512];
    cairn_context *context = plain_context(1);
    cairn_scene *fault = NULL;
    if (!shared_path("../faults/energy-rises.json", path, sizeof path)) {
        puts("skipped: no faults/energy-rises.json in ../shared");
        cairn_context_destroy(context);
        return;
    }
    CHECK(cairn_scene_load(context, path, NULL, 0, &fault) == CAIRN_OK);
    cairn_world *w = cairn_scene_world(fault);
    cairn_energy e = cairn_world_energy(w);
    double start = e.kinetic + e.potential;
    tally sum = {0};
    for (int i = 0; i < 80; i++) {
        passive_step(w, &sum);
        e = cairn_world_energy(w);
        CHECK(e.kinetic + e.potential <= start);
    }
    CHECK(sum.lowered > 0);
    cairn_scene_destroy(fault);
    cairn_context_destroy(context);
}

/* By several threads, and after a restart before every step: the same bits. */
TEST(same_bits) {
    thrown t = {.seed = 4, .e = 1.0, .mu = 0.5, .g = 9.81, .bodies = 20, .threads = 1}, two = t;
    two.threads = 2;
    scene a = throw_around(&t), b = throw_around(&two), c = throw_around(&t);
    static char state[1 << 20];
    int lowered = 0;
    for (int i = 0; i < 60; i++) {
        size_t size = 0;
        CHECK(cairn_world_save(a.world, state, sizeof state, &size) == CAIRN_OK && size <= sizeof state);
        CHECK(cairn_world_load_state(c.world, state, size) == CAIRN_OK);
        cairn_step_report r = scene_step(&a), q = scene_step(&b), p = scene_step(&c);
        lowered += was_lowered(&r);
        CHECK(memcmp(&r.energy, &q.energy, sizeof r.energy) == 0);
        CHECK(memcmp(&r.energy, &p.energy, sizeof r.energy) == 0);
    }
    CHECK(lowered > 0);
    scene_end(&a);
    scene_end(&b);
    scene_end(&c);
}

int main(void) {
    RUN(heaps_gain_nothing);
    RUN(others_gain_nothing);
    RUN(give_gains_nothing);
    RUN(fast_tumble);
    RUN(slow_tumble);
    RUN(made_anew_is_not_certified);
    RUN(energy_rises);
    RUN(same_bits);
    return test_end();
}
