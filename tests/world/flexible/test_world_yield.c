/*
 * test_world_yield.c: parts that flow: a bar's limit load, a block between plates, what stays after unloading, restart, refusals.
 */
#include "support/refusing.h"
#include "support/soft_scene.h"

#define G 9.81

static cairn_fem_material lead(double yield) {
    cairn_fem_material m = cairn_default_fem_material();
    m.E = 1e7;
    m.nu = 0.3;
    m.density = 1000.0;
    m.yield = yield;
    m.damping_mass = 20.0;
    return m;
}

static cairn_body add(scene *s, const int *cells, cairn_vec3 edge, cairn_fem_material m, cairn_pose pose,
                      const cairn_flexible_hold *hold, int holds) {
    return add_soft_box(s, edge, cells, m, pose, hold, holds);
}

static double most_mises(const scene *s, cairn_body body) {
    double mises[200], most = 0.0;
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(s->world, body, &view) == CAIRN_OK && view.mesh.nodes <= 200);
    CHECK(cairn_world_flexible_mises(s->world, body, mises) == CAIRN_OK);
    for (int i = 0; i < view.mesh.nodes; i++)
        most = fmax(most, mises[i]);
    return most;
}

/* A block between the floor and a plate that comes down, without friction. Stress and strain are those of the present shape: the block is 1 - e high, its strain ln(1 - e), its area A/(1 - e), so
 * that the plate's force is A/(1 - e) times E times the strain until that is sigma_y, and stays there; going up again it falls along E, and what stays is the strain less sigma_y/E. */
TEST(block_between_plates) {
    double h = 0.01, side = 0.1, yield = 1e5, strain = yield / 1e7, speed = 0.1 * strain * side / h;
    scene s = scene_make(1, h, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    const int cells[3] = {2, 2, 2};
    scene_plane(&s, cairn_quat_identity());
    cairn_fem_material m = lead(yield);
    m.density = 1.0; /* inertia is nothing here */
    cairn_body block = add(&s, cells, cairn_vec3_of(side, side, side), m, cairn_pose_at(0, 0, 0.5 * side), NULL, 0);
    cairn_body plate = scene_box(&s, cairn_vec3_of(0.2, 0.2, 0.05), CAIRN_BODY_KINEMATIC,
                                 cairn_pose_at(0, 0, side + 0.05));
    for (int i = 1; i <= 24; i++) {
        double way = i <= 15 ? i : 30 - i;
        CHECK(cairn_world_set_velocity(s.world, plate, cairn_vec3_of(0, 0, i <= 15 ? -speed : speed),
                                       cairn_vec3_of(0, 0, 0)) == CAIRN_OK);
        scene_step(&s);
        double sum = 0.0, height = 1.0 - 0.1 * strain * way, flown = -log(1.0 - 1.5 * strain) - strain;
        double stress = i <= 15 ? fmin(-log(height) / strain, 1.0) : fmax(0.0, (-log(height) - flown) / strain);
        for (int k = 0; k < cairn_world_contact_count(s.world); k++) {
            cairn_world_contact c;
            CHECK(cairn_world_contact_get(s.world, k, &c) == CAIRN_OK);
            if (c.a.slot == plate.slot || c.b.slot == plate.slot)
                sum += fabs(c.impulse.z) / h;
        }
        CHECK_NEAR(sum / (yield * side * side), stress / height, 1.5e-3);
        CHECK_NEAR(most_mises(&s, block) / yield, stress, 1.5e-3);
    }
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(s.world, block, &view) == CAIRN_OK);
    double top = 0.0;
    for (int i = 0; i < view.mesh.nodes; i++)
        top = fmax(top, view.x[3 * i + 2]);
    CHECK_NEAR((side - top) / side, 0.6 * strain, 1e-3 * strain); /* 0.1 of it is elastic still */
    scene_end(&s);
}

/* A bar held at its upper end, with a load at the lower one: F = 0.9 sigma_y A stretches it by e with E ln(1 + e)/(1 + e) = F/A and stays; F = sigma_y A is more than it bears once it is thinner: it
 * flows. */
static double stretch(double load, int steps) {
    double h = 0.01, side = 0.02, length = 0.1;
    scene s = scene_make(1, h, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    const int cells[3] = {1, 1, 3};
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(side, side, length), cells, &mesh) ==
          CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    int top[4], low[4], tops = 0, lows = 0;
    for (int i = 0; i < m.nodes; i++) {
        if (m.node[i].z > 0.499 * length)
            top[tops++] = i;
        if (m.node[i].z < -0.499 * length)
            low[lows++] = i;
    }
    cairn_flexible_hold hold[2] = {{.nodes = tops, .node = top, .free_x = true, .free_y = true},
                                   {.nodes = 1, .node = top}};
    cairn_body bar = add(&s, cells, cairn_vec3_of(side, side, length), lead(1e5), cairn_pose_at(0, 0, 0), hold, 2);
    cairn_fem_mesh_release(mesh);
    cairn_flexible_view view = {0};
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < lows; k++)
            CHECK(cairn_world_push_node(s.world, bar, low[k], cairn_vec3_of(0, 0, -0.25 * load * 1e5 * side * side)) ==
                  CAIRN_OK);
        scene_step(&s);
        CHECK(most_mises(&s, bar) < 1e5 * (1.0 + 1e-6));
    }
    CHECK(cairn_world_flexible(s.world, bar, &view) == CAIRN_OK);
    double found = (-0.5 * length - view.x[3 * low[0] + 2]) / (length * 1e5 / 1e7);
    scene_end(&s);
    return found;
}

TEST(limit_load_of_a_bar) {
    CHECK_NEAR(stretch(0.9, 100), 0.912, 0.004);
    double some = stretch(1.0, 1), more = stretch(1.0, 2);
    CHECK(some > 1.5 && more > 1.8 * some);
}

static cairn_vec3 pull(void *user, double time) {
    (void)user;
    return cairn_vec3_of(0, 0, -0.004 * time);
}

/* A bar of a material that hardens, drawn out by 4 %: Kirchhoff's stress tau = sigma_y + Y p at ln(1 + e) = tau/E + p, and the force tau A/(1 + e). */
static void draw(double Y) {
    double side = 0.02, length = 0.1, E = 1e7;
    scene s = scene_make(1, 0.01, 0.0, 0.0, cairn_vec3_of(0, 0, 0));
    const int cells[3] = {1, 1, 3};
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(side, side, length), cells, &mesh) ==
          CAIRN_OK);
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    int end[2][4], count[2] = {0, 0};
    for (int i = 0; i < m.nodes; i++)
        if (fabs(m.node[i].z) > 0.499 * length) {
            int k = m.node[i].z < 0.0;
            end[k][count[k]++] = i;
        }
    cairn_flexible_hold hold[3] = {{.nodes = 4, .node = end[0], .free_x = true, .free_y = true},
                                   {.nodes = 1, .node = end[0]},
                                   {.nodes = 4, .node = end[1], .free_x = true, .free_y = true, .motion = pull}};
    cairn_fem_material material = lead(1e5);
    material.hardening = Y;
    cairn_body bar = add(&s, cells, cairn_vec3_of(side, side, length), material, cairn_pose_at(0, 0, 0), hold, 3);
    cairn_fem_mesh_release(mesh);
    cairn_flexible_view view = {0};
    for (int i = 0; i < 100; i++)
        scene_step(&s);
    CHECK(cairn_world_flexible(s.world, bar, &view) == CAIRN_OK);
    double force = 0.0, e = 0.04, tau = (1e5 + Y * log1p(e)) / (1.0 + Y / E);
    for (int i = 0; i < 4; i++)
        force -= view.reaction[3 * view.mesh.vector[end[1][i]] + 2];
    printf("hardening %g Pa: stress %.6g Pa, force %.6g N; closed form %.6g Pa, %.6g N\n", Y, most_mises(&s, bar),
           force, tau, tau * side * side / (1.0 + e));
    CHECK_NEAR(most_mises(&s, bar), tau, 2e-3 * tau);
    CHECK_NEAR(force, tau * side * side / (1.0 + e), 2e-3 * tau * side * side);
    scene_end(&s);
}

TEST(hardening) {
    draw(0.0);
    draw(1e6);
    draw(1e7);
}

/* A ball dents a plate: contact, friction and flow in one problem; the same bits for two threads and after a restart while it happens. */
static scene dent(int threads, cairn_body *ball, cairn_body *plate) {
    scene s = scene_make(threads, 0.002, 0.3, 0.0, cairn_vec3_of(0, 0, -G));
    const int cells[3] = {3, 3, 1};
    scene_plane(&s, cairn_quat_identity());
    *plate = add(&s, cells, cairn_vec3_of(0.1, 0.1, 0.03), lead(450.0), cairn_pose_at(0, 0, 0.015), NULL, 0);
    *ball = scene_ball(&s, 0.03, cairn_vec3_of(0.004, 0.003, 0.0605), cairn_vec3_of(0, 0, -1.0));
    return s;
}

TEST(ball_dents_a_plate) {
    cairn_body ball, plate;
    scene s = dent(1, &ball, &plate), t = dent(2, &ball, &plate), r = dent(1, &ball, &plate);
    scene_run(&s, 10);
    size_t size = 0;
    CHECK(cairn_world_save(s.world, NULL, 0, &size) == CAIRN_OK);
    unsigned char *bytes = malloc(size);
    CHECK(cairn_world_save(s.world, bytes, size, &size) == CAIRN_OK);
    CHECK(most_mises(&s, plate) > 400.0);
    scene_run(&s, 15);
    scene_run(&t, 25);
    CHECK(cairn_world_load_state(r.world, bytes, size) == CAIRN_OK);
    scene_run(&r, 15);
    CHECK(fingerprint(&s) == fingerprint(&t) && fingerprint(&s) == fingerprint(&r));
    free(bytes);
    scene_run(&s, 150);
    cairn_flexible_view view;
    CHECK(cairn_world_flexible(s.world, plate, &view) == CAIRN_OK);
    double lowest = 1.0; /* of the upper side */
    for (int i = 0; i < view.mesh.nodes; i++)
        if (view.mesh.node[i].z > 0.0149)
            lowest = fmin(lowest, view.x[3 * i + 2]);
    CHECK(lowest < 0.0295); /* the dent stays */
    CHECK(most_mises(&s, plate) < 450.05);
    scene_end(&s);
    scene_end(&t);
    scene_end(&r);
}

static double volume_of(const cairn_flexible_view *v) {
    double sum = 0.0;
    for (int e = 0; e < v->mesh.elements; e++) {
        cairn_vec3 p[4];
        for (int k = 0; k < 4; k++) {
            const double *x = v->x + 3 * (ptrdiff_t)v->mesh.vector[v->mesh.corner[v->mesh.start[e] + k]];
            p[k] = cairn_vec3_of(x[0], x[1], x[2]);
        }
        sum += cairn_vec3_dot(cairn_vec3_sub(p[1], p[0]),
                              cairn_vec3_cross(cairn_vec3_sub(p[2], p[0]), cairn_vec3_sub(p[3], p[0]))) /
               6.0;
    }
    return sum;
}

/* A block of lead under a press that comes down to 0.3 of its height: it keeps its volume. */
TEST(what_flows_keeps_its_volume) {
    for (int k = 0; k < 2; k++) {
        double h = 0.01, side = 0.1, speed = 0.1;
        scene s = scene_make(1, h, k == 0 ? 0.0 : 0.3, 0.0, cairn_vec3_of(0, 0, 0));
        const int cells[3] = {4, 4, 4};
        cairn_fem_material m = lead(1.2e7);
        cairn_flexible_view view;
        m.E = 1.6e10;
        m.nu = 0.44;
        m.density = 11340.0;
        m.damping_mass = 0.0;
        scene_plane(&s, cairn_quat_identity());
        cairn_body block = add(&s, cells, cairn_vec3_of(side, side, side), m, cairn_pose_at(0, 0, 0.5 * side), NULL, 0);
        cairn_body press = scene_box(&s, cairn_vec3_of(0.3, 0.3, 0.02), CAIRN_BODY_KINEMATIC,
                                     cairn_pose_at(0, 0, side + 0.02));
        CHECK(cairn_world_set_velocity(s.world, press, cairn_vec3_of(0, 0, -speed), cairn_vec3_of(0, 0, 0)) ==
              CAIRN_OK);
        scene_run(&s, 70);
        CHECK(cairn_world_flexible(s.world, block, &view) == CAIRN_OK);
        printf("pressed to 0.3 of its height, friction %.1f: %.5f of its volume\n", k == 0 ? 0.0 : 0.3,
               volume_of(&view) / 1e-3);
        CHECK_NEAR(volume_of(&view), 1e-3, 1e-5);
        scene_end(&s);
    }
}

/* Parts in free flight that turn, elastic or near what tears them: certified, two factorisations a step (H, and H with the stresses), energy and shape as they were. */
TEST(flight) {
    static const struct {
        double E, yield, spin;
    } flown[] = {{1e7, 1e5, 9.9}, {1.6e10, 1.2e7, 9.9}, {1e7, 1e4, 20.0}, {1e9, 1e4, 20.0}, {1.6e10, 1e4, 20.0}};
    for (int k = 0; k < 5; k++) {
        scene s = {.context = plain_context(1)};
        cairn_world_def def = cairn_default_world_def();
        cairn_material_def surface = cairn_default_material_def();
        def.gravity = cairn_vec3_of(0, 0, 0);
        CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
        CHECK(cairn_world_add_material(s.world, &surface, &s.material) == CAIRN_OK);
        const int cells[3] = {2, 2, 2};
        cairn_fem_material m = lead(flown[k].yield);
        m.E = flown[k].E;
        m.density = 11340.0;
        m.damping_mass = 0.0;
        cairn_body body = add(&s, cells, cairn_vec3_of(0.1, 0.1, 0.1), m, cairn_pose_at(0, 0, 0), NULL, 0);
        CHECK(cairn_world_set_velocity(s.world, body, cairn_vec3_of(1, 0, 2),
                                       cairn_vec3_of(0, 0.3 * flown[k].spin, flown[k].spin)) == CAIRN_OK);
        double first = cairn_world_energy(s.world).kinetic, most = 0.0;
        int factorizations = 0;
        for (int i = 0; i < 100; i++) {
            cairn_step_report r = scene_step(&s); /* certified */
            most = fmax(most, (r.energy.kinetic + r.energy.elastic) / first - 1.0);
            factorizations = r.info.factorizations > factorizations ? r.info.factorizations : factorizations;
        }
        cairn_flexible_view view;
        CHECK(cairn_world_flexible(s.world, body, &view) == CAIRN_OK);
        double widest = 0.0; /* of the distances from the centre, over those at rest */
        cairn_vec3 center = scene_state(&s, body).center;
        for (int i = 0; i < view.mesh.nodes; i++) {
            cairn_vec3 at = cairn_vec3_of(view.x[3 * i], view.x[3 * i + 1], view.x[3 * i + 2]);
            double far = cairn_vec3_length(cairn_vec3_sub(at, center)), rest = cairn_vec3_length(view.mesh.node[i]);
            widest = rest > 0.0 ? fmax(widest, fabs(far / rest - 1.0)) : widest;
        }
        printf("flight %d: energy gained %.2g, at most %d factorisations a step, shape off by %.2g\n", k, most,
               factorizations, widest);
        CHECK(most < 0.01 && factorizations <= 2 && widest < 1e-3);
        scene_end(&s);
    }
}

/* A part that its spin tears: it flows in every step. */
TEST(torn_in_flight) {
    scene s = {.context = plain_context(1)};
    cairn_world_def def = cairn_default_world_def();
    cairn_material_def surface = cairn_default_material_def();
    def.gravity = cairn_vec3_of(0, 0, 0);
    CHECK(cairn_world_create(s.context, &def, &s.world) == CAIRN_OK);
    CHECK(cairn_world_add_material(s.world, &surface, &s.material) == CAIRN_OK);
    const int cells[3] = {2, 2, 2};
    cairn_fem_material m = lead(1e4);
    m.E = 1e7;
    m.density = 11340.0;
    m.damping_mass = 0.0;
    cairn_body body = add(&s, cells, cairn_vec3_of(0.1, 0.1, 0.1), m, cairn_pose_at(0, 0, 0), NULL, 0);
    CHECK(cairn_world_set_velocity(s.world, body, cairn_vec3_of(0, 0, 0), cairn_vec3_of(0, 9, 30)) == CAIRN_OK);
    double first = cairn_world_energy(s.world).kinetic, last = first;
    int factorizations = 0;
    for (int i = 0; i < 100; i++) {
        cairn_step_report r = scene_step(&s);
        factorizations += r.info.factorizations;
        last = r.energy.kinetic + r.energy.elastic;
    }
    printf("torn: %.2f factorisations a step, %.3f of its energy left\n", factorizations / 100.0, last / first);
    CHECK(factorizations <= 400 && last < 0.9 * first);
    scene_end(&s);
}

TEST(refusals) {
    scene s = scene_make(1, 0.01, 0.3, 0.0, cairn_vec3_of(0, 0, 0));
    cairn_fem_mesh *mesh = NULL;
    const int cells[3] = {1, 1, 1};
    cairn_body body;
    cairn_fem_material m = lead(1e5);
    cairn_flexible_def def = cairn_default_flexible_def();
    CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_HEX8, cairn_vec3_of(1, 1, 1), cells, &mesh) == CAIRN_OK);
    def.mesh = mesh;
    def.elastics = 1;
    def.elastic = &m;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(s.context), "only tet4 yields");
    m.yield = -1.0;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(s.context), "yield is -1");
    m.yield = 0.0;
    CHECK(cairn_world_add_flexible(s.world, &def, &body) == CAIRN_OK);
    cairn_fem_mesh_release(mesh);
    scene_end(&s);
}

/* Memory runs out while a part that flows is made or moved: nothing leaks. */
TEST(memory) {
    int refused = 0;
    for (int refuse = 1; refuse < 4000; refuse += refuse < 70 ? 1 : 41) {
        counter count = {0};
        scene s = {.context = counted_context(&count)};
        cairn_fem_mesh *mesh = NULL;
        const int cells[3] = {1, 1, 1};
        cairn_body body = {0, 0};
        cairn_fem_material m = lead(1e5);
        cairn_flexible_def def = cairn_default_flexible_def();
        CHECK(cairn_world_create(s.context, NULL, &s.world) == CAIRN_OK);
        scene_plane(&s, cairn_quat_identity());
        CHECK(cairn_fem_mesh_box(s.context, CAIRN_ELEMENT_TET4, cairn_vec3_of(0.2, 0.2, 0.2), cells, &mesh) ==
              CAIRN_OK);
        def.mesh = mesh;
        def.elastics = 1;
        def.elastic = &m;
        def.pose.position.z = 0.1;
        count.refuse = count.calls + refuse;
        cairn_status status = cairn_world_add_flexible(s.world, &def, &body);
        if (status == CAIRN_OK)
            status = cairn_world_step(s.world, NULL);
        bool reached = count.calls >= count.refuse;
        CHECK(status == (reached ? CAIRN_ERROR_MEMORY : CAIRN_OK));
        refused += status != CAIRN_OK;
        count.refuse = 0;
        for (int i = 0; i < 5 && !reached; i++)
            CHECK(cairn_world_step(s.world, NULL) == CAIRN_OK);
        cairn_fem_mesh_release(mesh);
        scene_end(&s);
        CHECK(count.live == 0);
        if (!reached)
            break;
    }
    CHECK(refused > 40);
}

int main(void) {
    RUN(limit_load_of_a_bar);
    RUN(hardening);
    RUN(ball_dents_a_plate);
    RUN(what_flows_keeps_its_volume);
    RUN(flight);
    RUN(torn_in_flight);
    RUN(refusals);
    RUN(memory);
    RUN(block_between_plates);
    return test_end();
}
