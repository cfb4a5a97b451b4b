/*
 * Forces against finite differences of the energy, tangents against those of the force, rigid motion, mass, steps that balance.
 */
#include "fem/part/inverted.h"
#include "support/fem_steps.h"

static const cairn_element_kind kinds[] = {CAIRN_ELEMENT_TET4, CAIRN_ELEMENT_TET10, CAIRN_ELEMENT_HEX8,
                                           CAIRN_ELEMENT_BEAM2};

/* x strained at random by about so much, and turned. */
static void strain(cairn_fem_part *p, double amount, uint64_t seed) {
    test_random r = {seed};
    cairn_quat q = cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(1, 2, -1)), 1.1);
    for (int i = 0; i < p->vectors; i++) {
        cairn_vec3 a = cairn_vec3_of(p->rest[3 * i] + amount * test_random_signed(&r),
                                     p->rest[3 * i + 1] + amount * test_random_signed(&r),
                                     p->rest[3 * i + 2] + amount * test_random_signed(&r));
        a = cairn_quat_rotate(q, a);
        p->x[3 * i] = a.x;
        p->x[3 * i + 1] = a.y;
        p->x[3 * i + 2] = a.z;
    }
}

static cairn_fem_part *sample_of(cairn_context *c, cairn_element_kind kind, cairn_fem_law law, bool project,
                                 double nu) {
    cairn_fem_material m = cairn_default_fem_material();
    m.law = law;
    m.E = 10.0;
    m.nu = nu;
    m.project = project;
    if (kind == CAIRN_ELEMENT_BEAM2) { /* with a corner, so that it is curved at rest */
        const cairn_vec3 point[] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {1.5, 0.2, 0.1}};
        cairn_fem_mesh *mesh = NULL;
        m.radius = 0.3;
        CHECK(cairn_fem_mesh_line(c, 4, point, &mesh) == CAIRN_OK);
        cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
        cairn_fem_mesh_release(mesh);
        return p;
    }
    return box_part(c, kind, cairn_vec3_of(1.0, 1.2, 0.8), (const int[]){2, 1, 1}, m);
}

static cairn_fem_part *sample(cairn_context *c, cairn_element_kind kind, cairn_fem_law law, bool project) {
    return sample_of(c, kind, law, project, 0.35);
}

/* Laws 4 to 7: the same with a volume that hardly changes. */
static cairn_fem_part *sample_by(cairn_context *c, cairn_element_kind kind, int law, bool project) {
    return sample_of(c, kind, (cairn_fem_law)(law % 4), project, law < 4 ? 0.35 : 0.499);
}

TEST(force_is_the_slope_of_the_energy) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < 8; law++) {
            cairn_fem_part *p = sample_by(c, kinds[kind], law, false);
            int n = 3 * p->vectors;
            double *f = doubles(n), *d = doubles(n), *y = doubles(n);
            test_random r = {7};
            strain(p, law < 4 ? 0.08 : 0.002, 3);
            cairn_fem_part_force(p, p->x, f);
            for (int round = 0; round < 3; round++) {
                double slope = 0.0, eps = 1e-5;
                for (int i = 0; i < n; i++) {
                    d[i] = test_random_signed(&r);
                    slope -= f[i] * d[i];
                }
                double energy[2];
                for (int side = 0; side < 2; side++) {
                    for (int i = 0; i < n; i++)
                        y[i] = p->x[i] + (side ? eps : -eps) * d[i];
                    energy[side] = cairn_fem_part_elastic(p, y);
                }
                double found = (energy[1] - energy[0]) / (2.0 * eps);
                double allowed = (law < 4 ? 1e-7 : 1e-4) * (1.0 + fabs(slope)); /* differences of steep energies */
                if (!(fabs(found - slope) <= allowed))
                    printf("%s %s\n", kind_name[kinds[kind]], law_name[law % 4]);
                CHECK_NEAR(found, slope, allowed);
            }
            free(f);
            free(d);
            free(y);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

TEST(exact_tangent_is_the_slope_of_the_force) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < 8; law++) {
            cairn_fem_part *p = sample_by(c, kinds[kind], law, false);
            int n = 3 * p->vectors;
            double *K = doubles(p->entries), *d = doubles(n), *y = doubles(n), *g = doubles(n), *f[2];
            f[0] = doubles(n);
            f[1] = doubles(n);
            test_random r = {9};
            double eps = 1e-6;
            strain(p, law < 4 ? 0.08 : 0.002, 5);
            stiffness(p, K);
            for (int i = 0; i < n; i++)
                d[i] = test_random_signed(&r);
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < n; i++)
                    y[i] = p->x[i] + (side ? eps : -eps) * d[i];
                cairn_fem_part_force(p, y, f[side]);
            }
            for (int i = 0; i < n; i++)
                y[i] = -(f[1][i] - f[0][i]) / (2.0 * eps);
            times(p, K, d, g);
            double error = distance(n, g, y) / norm(n, y);
            double allowed = law < 4 ? 1e-7 : 1e-5;
            if (!(error <= allowed))
                printf("%s %s\n", kind_name[kinds[kind]], law_name[law % 4]);
            CHECK_NEAR(error, 0.0, allowed);
            free(K);
            free(d);
            free(y);
            free(g);
            free(f[0]);
            free(f[1]);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

/* Pivots of K + 1e-9 max|K| that are below 0: none when no eigenvalue of K is. */
static int negative_pivots(cairn_fem_part *p) {
    double *K = doubles(p->entries);
    signed char *any = calloc(3 * (size_t)p->vectors, 1);
    cairn_factor *factor = NULL;
    stiffness(p, K);
    double most = 0.0;
    for (int e = 0; e < p->entries; e++)
        most = fmax(most, fabs(K[e]));
    for (int j = 0; j < 3 * p->vectors; j++)
        for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++)
            K[e] += p->H_row[e] == j ? 1e-9 * most : 0.0;
    CHECK(cairn_factor_analyze(p->context, 3 * p->vectors, p->H_start, p->H_row, 0, NULL, true, &factor) == CAIRN_OK);
    CHECK(cairn_factor_numeric(factor, K, any) == CAIRN_OK);
    int count = cairn_factor_negative_pivots(factor);
    cairn_factor_destroy(factor);
    free(K);
    free(any);
    return count;
}

TEST(projected_tangents_are_positive) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < (kind < 3 ? 8 : 1); law++) {
            int exact = 0;
            for (int round = 0; round < 4; round++) { /* from strained to inside out */
                for (int project = 0; project < 2; project++) {
                    cairn_fem_part *p = sample_by(c, kinds[kind], law, project);
                    strain(p, 0.05 * (1 << round), 13);
                    int negative = negative_pivots(p);
                    exact += project ? 0 : negative;
                    if (project && negative > 0)
                        printf("%s %s round %d: %d\n", kind_name[kinds[kind]], law_name[law % 4], round, negative);
                    CHECK(!project || negative == 0);
                    cairn_fem_part_destroy(p);
                }
            }
            CHECK(law > 3 ||
                  (exact > 0) == (law != CAIRN_FEM_LINEAR)); /* exact ones are not: the check above can fail */
        }
    cairn_context_destroy(c);
}

/* Tetrahedra of one material go four at a time, those of two by turns one by one: the same up to rounding, also where they are inside out. */
TEST(four_at_a_time_is_one_by_one) {
    cairn_context *c = plain_context(1);
    for (int round = 0; round < 8; round++) {
        cairn_fem_mesh *box = NULL, *mesh = NULL;
        CHECK(cairn_fem_mesh_box(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[]){2, 2, 2}, &box) ==
              CAIRN_OK);
        cairn_fem_mesh_view v = cairn_fem_mesh_get(box);
        int *group = calloc((size_t)v.elements, sizeof *group);
        for (int e = 0; e < v.elements; e++)
            group[e] = e & 1;
        cairn_fem_mesh_def def = cairn_default_fem_mesh_def();
        def.nodes = v.nodes;
        def.node = v.node;
        def.elements = v.elements;
        def.kind = v.kind;
        def.start = v.start;
        def.corner = v.corner;
        def.group = group;
        CHECK(cairn_fem_mesh_create(c, &def, &mesh) == CAIRN_OK);
        cairn_fem_material m[2];
        m[0] = cairn_default_fem_material();
        m[0].project = round & 1;
        m[0].damping_stiffness = 0.01;
        m[1] = m[0];
        double *H[2], *k[2], amount[] = {0.0, 0.03, 0.2, 0.8};
        int n = 3 * v.nodes, entries = 0;
        for (int way = 0; way < 2; way++) {
            cairn_fem_part *p = NULL;
            CHECK(cairn_fem_part_create(c, way ? mesh : box, 2, m, cairn_pose_identity(), &p) == CAIRN_OK);
            strain(p, amount[round / 2], 31);
            for (int i = 0; i < n; i++)
                p->v[i] = 0.1 * (i % 7) - 0.2;
            H[way] = doubles(p->entries);
            k[way] = doubles(n);
            entries = p->entries;
            cairn_fem_part_write(p, 0.1, cairn_vec3_of(0, 0, -9.81), H[way], k[way]);
            if (round >= 4)
                cairn_fem_part_aim(p, c, 0.1, p->v, k[way]);
            cairn_fem_part_destroy(p);
        }
        CHECK_NEAR(distance(entries, H[0], H[1]), 0.0, 1e-11 * norm(entries, H[0]));
        CHECK_NEAR(distance(n, k[0], k[1]), 0.0, 1e-11 * norm(n, k[0]));
        CHECK(memcmp(H[0], H[1], (size_t)entries * sizeof(double)) != 0 || amount[round / 2] == 0.8);
        for (int way = 0; way < 2; way++) {
            free(H[way]);
            free(k[way]);
        }
        free(group);
        cairn_fem_mesh_release(mesh);
        cairn_fem_mesh_release(box);
    }
    cairn_context_destroy(c);
}

/* A closed skin under pressure feels no force in all, one face p A; and a set is found by its name. */
TEST(pressure_on_the_skin) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 3; kind++) {
        cairn_fem_mesh *box = NULL, *mesh = NULL;
        CHECK(cairn_fem_mesh_box(c, kinds[kind], cairn_vec3_of(1, 2, 3), (const int[]){2, 2, 2}, &box) == CAIRN_OK);
        cairn_fem_mesh_view v = cairn_fem_mesh_get(box);
        int *top = calloc((size_t)v.nodes, sizeof *top), starts[] = {0, 0};
        for (int i = v.nodes - 1; i >= 0; i--)
            if (v.node[i].z > 1.49)
                top[starts[1]++] = i;
        const char *name = "top";
        cairn_fem_mesh_def def = cairn_default_fem_mesh_def();
        def.nodes = v.nodes;
        def.node = v.node;
        def.elements = v.elements;
        def.kind = v.kind;
        def.start = v.start;
        def.corner = v.corner;
        def.sets = 1;
        def.set_name = &name;
        def.set_start = starts;
        def.set_node = top;
        CHECK(cairn_fem_mesh_create(c, &def, &mesh) == CAIRN_OK);
        CHECK(cairn_fem_mesh_set(mesh, "top") == 0 && cairn_fem_mesh_set(mesh, "bottom") == -1);
        cairn_fem_part *p = part_of(c, mesh, cairn_default_fem_material(), cairn_pose_identity());
        unsigned char *chosen = calloc((size_t)v.nodes, 1);
        for (int i = 0; i < starts[1]; i++)
            chosen[top[i]] = 1;
        for (int round = 0; round < 2; round++) {
            double sum[3] = {0, 0, 0};
            memset(p->load, 0, 3 * (size_t)p->vectors * sizeof *p->load);
            cairn_fem_part_pressure(p, round == 0 ? NULL : chosen, 50.0);
            for (int i = 0; i < 3 * p->vectors; i++)
                sum[i % 3] += p->load[i];
            CHECK_NEAR(sum[0], 0.0, 1e-11);
            CHECK_NEAR(sum[1], 0.0, 1e-11);
            CHECK_NEAR(sum[2], round ? -100.0 : 0.0, 1e-11);
        }
        double *share = doubles(v.nodes);
        CHECK_NEAR(cairn_fem_part_shares(p, chosen, share), 2.0, 1e-12);
        CHECK_NEAR(cairn_fem_part_shares(p, NULL, share), 22.0, 1e-11);
        free(share);
        free(chosen);
        cairn_fem_part_destroy(p);
        cairn_fem_mesh_release(mesh);
        cairn_fem_mesh_release(box);
        free(top);
    }
    cairn_context_destroy(c);
}

/* One element that is good at its points and inside out at a corner; turned as a whole it stays good. */
TEST(inside_out_at_a_corner) {
    cairn_context *c = plain_context(1);
    static const cairn_element_kind bent[] = {CAIRN_ELEMENT_HEX8, CAIRN_ELEMENT_TET10};
    for (int k = 0; k < 2; k++) {
        cairn_fem_mesh *mesh = NULL;
        CHECK(cairn_fem_mesh_box(c, bent[k], cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1}, &mesh) == CAIRN_OK);
        cairn_pose pose = {{1, 2, 3}, cairn_quat_turn(cairn_vec3_unit(cairn_vec3_of(3, 1, 2)), 2.5)};
        cairn_fem_part *p = part_of(c, mesh, cairn_default_fem_material(), pose);
        CHECK(cairn_fem_part_inverted(p) == 0);
        /* the middle of an edge near one end turns the edge over there; a corner of a brick comes behind its three neighbours */
        int node = k == 0 ? 0 : p->view.corner[4], end = p->view.corner[k == 0 ? 6 : 1];
        double share = k == 0 ? 0.42 : 0.6;
        for (int i = 0; i < 3; i++)
            p->x[3 * node + i] += share * (p->x[3 * end + i] - p->x[3 * node + i]);
        int found = cairn_fem_part_inverted(p);
        CHECK(found > 0 && found <= (k == 0 ? 1 : 3));
        cairn_fem_part_destroy(p);
        cairn_fem_mesh_release(mesh);
    }
    cairn_context_destroy(c);
}

TEST(turned_as_a_whole_nothing_pulls) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < 4; law++) {
            cairn_fem_part *p = sample(c, kinds[kind], (cairn_fem_law)law, false);
            double *f = doubles(3 * p->vectors);
            strain(p, 0.0, 1);
            cairn_fem_part_force(p, p->x, f);
            if (law == CAIRN_FEM_LINEAR && kind < 3)
                CHECK(norm(3 * p->vectors, f) > 0.1); /* small displacements only */
            else
                CHECK_NEAR(norm(3 * p->vectors, f), 0.0, 1e-13 * 10.0);
            free(f);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

TEST(mass_and_centre) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 3; kind++)
        for (int consistent = 0; consistent < 2; consistent++) {
            cairn_fem_material m = cairn_default_fem_material();
            m.density = 700.0;
            m.consistent = consistent;
            cairn_fem_mesh *mesh = NULL;
            CHECK(cairn_fem_mesh_box(c, kinds[kind], cairn_vec3_of(1.0, 0.5, 0.25), (const int[]){3, 2, 2}, &mesh) ==
                  CAIRN_OK);
            cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_at(1.0, 2.0, 3.0));
            cairn_fem_mesh_release(mesh);
            CHECK_NEAR(p->mass, 87.5, 1e-11);
            cairn_vec3 centre = cairn_fem_part_center(p);
            CHECK_NEAR(centre.x, 1.0, 1e-13);
            CHECK_NEAR(centre.y, 2.0, 1e-13);
            CHECK_NEAR(centre.z, 3.0, 1e-13);
            for (int i = 0; i < p->vectors; i++) {
                p->v[3 * i] = 2.0;
                CHECK(p->lumped[i] > 0.0);
            }
            CHECK_NEAR(cairn_fem_part_kinetic(p), 175.0, 1e-10);
            CHECK_NEAR(cairn_fem_part_velocity(p).x, 2.0, 1e-13);
            CHECK_NEAR(cairn_fem_part_potential(p, cairn_vec3_of(0, 0, -9.81)), 87.5 * 9.81 * 3.0, 1e-9);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

/* With forces linear in v, k does not depend on what is predicted; held components move as told. */
TEST(predictions_of_linear_forces_do_not_matter) {
    cairn_context *c = plain_context(1);
    cairn_fem_material m = cairn_default_fem_material();
    m.law = CAIRN_FEM_LINEAR;
    m.damping_mass = 0.3;
    m.damping_stiffness = 0.02;
    for (int kind = 0; kind < 3; kind++)
        for (int consistent = 0; consistent < 2; consistent++) {
            m.consistent = consistent;
            cairn_fem_part *p = box_part(c, kinds[kind], cairn_vec3_of(1, 1, 1), (const int[]){2, 2, 2}, m);
            int n = 3 * p->vectors;
            double *H = doubles(p->entries), *k = doubles(n), *about = doubles(n), *y = doubles(n);
            test_random r = {21};
            for (int i = 0; i < n; i++) {
                p->x[i] += 0.01 * test_random_signed(&r);
                p->v[i] = test_random_signed(&r);
                about[i] = test_random_signed(&r);
                p->load[i] = test_random_signed(&r);
            }
            p->held[3] = 5;
            p->held_v[9] = 0.7;
            p->held_v[11] = -0.4;
            cairn_vec3 g = {1.0, 2.0, -9.0};
            cairn_fem_part_write(p, 0.01, g, H, k);
            cairn_fem_part_aim(p, c, 0.01, about, y);
            CHECK_NEAR(distance(n, y, k), 0.0, 1e-10 * norm(n, k));
            times(p, H, about, y);
            double mass = y[9] / about[9];
            CHECK_NEAR(k[9], mass * 0.7, 1e-14 * mass);
            CHECK_NEAR(k[11], mass * -0.4, 1e-14 * mass);
            CHECK(y[10] / about[10] != mass);
            for (int j = 0; j < n; j++) /* symmetric to the last bit */
                for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++)
                    for (int f = p->H_start[p->H_row[e]]; f < p->H_start[p->H_row[e] + 1]; f++)
                        if (p->H_row[f] == j)
                            CHECK(H[e] == H[f]);
            free(H);
            free(k);
            free(about);
            free(y);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

/* H, k about two predictions and energy of a part that is cut into several pieces of work. */
static double *everything(cairn_context *c, int kind, int law, size_t *count) {
    cairn_fem_material m = cairn_default_fem_material();
    cairn_fem_mesh *mesh = NULL;
    cairn_vec3 point[200];
    m.law = (cairn_fem_law)law;
    m.consistent = kind == 1;
    m.damping_stiffness = 0.01;
    for (int i = 0; i < 200; i++)
        point[i] = cairn_vec3_of(0.1 * i, 0.02 * (i % 3), 0.0);
    if (kind == CAIRN_ELEMENT_BEAM2)
        CHECK(cairn_fem_mesh_line(c, 200, point, &mesh) == CAIRN_OK);
    else
        CHECK(cairn_fem_mesh_box(c, kinds[kind], cairn_vec3_of(1, 1, 1), (const int[]){5, 5, 4}, &mesh) == CAIRN_OK);
    cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
    cairn_fem_mesh_release(mesh);
    int n = 3 * p->vectors;
    double *all = doubles(p->entries + 2 * n + 1);
    strain(p, 0.02, 17);
    p->held[3] = 7;
    cairn_fem_part_write(p, 0.01, cairn_vec3_of(0, 0, -9.81), all, all + p->entries);
    cairn_fem_part_aim(p, c, 0.01, p->x, all + p->entries + n);
    all[p->entries + 2 * n] = cairn_fem_part_elastic(p, p->x);
    *count = (size_t)(p->entries + 2 * n) + 1;
    cairn_fem_part_destroy(p);
    return all;
}

TEST(threads_do_not_change_a_bit) {
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < (kind < 3 ? 4 : 1); law += 3) {
            double *first = NULL;
            for (int threads = 1; threads <= 4; threads *= 2) {
                cairn_context *c = plain_context(threads);
                size_t count = 0;
                double *all = everything(c, kind, law, &count);
                if (first == NULL)
                    first = all;
                else
                    CHECK(memcmp(first, all, count * sizeof *all) == 0);
                if (first != all)
                    free(all);
                cairn_context_destroy(c);
            }
            free(first);
        }
}

TEST(bad_materials_are_refused) {
    cairn_context *c = plain_context(1);
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1}, &mesh) == CAIRN_OK);
    struct {
        double E, nu, density, a, b;
        const char *says;
    } bad[] = {{0.0, 0.3, 1.0, 0, 0, "E is 0"},
               {-1.0, 0.3, 1.0, 0, 0, "E is -1"},
               {NAN, 0.3, 1.0, 0, 0, "E is"},
               {1.0, 0.5, 1.0, 0, 0, "nu is 0.5"},
               {1.0, -1.0, 1.0, 0, 0, "nu is -1"},
               {1.0, 0.3, 0.0, 0, 0, "density is 0"},
               {1.0, 0.3, 1.0, -1, 0, "damping_mass is -1"},
               {1.0, 0.3, 1.0, 0, INFINITY, "damping_stiffness is inf"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cairn_fem_material m[2] = {cairn_default_fem_material(), cairn_default_fem_material()};
        m[1].E = bad[i].E;
        m[1].nu = bad[i].nu;
        m[1].density = bad[i].density;
        m[1].damping_mass = bad[i].a;
        m[1].damping_stiffness = bad[i].b;
        cairn_fem_part *p = NULL;
        CHECK(cairn_fem_part_create(c, mesh, 2, m, cairn_pose_identity(), &p) == CAIRN_ERROR_ARGUMENT);
        CHECK_CONTAINS(cairn_error_message(c), bad[i].says);
        CHECK_CONTAINS(cairn_error_message(c), "material 1");
        CHECK(p == NULL);
    }
    cairn_fem_material forgotten = {0};
    cairn_fem_part *p = NULL;
    CHECK(cairn_fem_part_create(c, mesh, 1, &forgotten, cairn_pose_identity(), &p) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "cairn_default_fem_material");
    cairn_fem_mesh_release(mesh);
    cairn_context_destroy(c);
}

TEST(no_memory_is_no_disaster) {
    for (int fail = 0; fail < 200; fail++) {
        counting_allocator a = {.fail_at = -1};
        cairn_context *c = counting_context(&a, 1);
        int base = a.live;
        a.fail_at = a.allocations + fail;
        cairn_fem_material m = cairn_default_fem_material();
        cairn_fem_mesh *mesh = NULL;
        cairn_fem_part *p = NULL;
        cairn_status status = cairn_fem_mesh_box(c, CAIRN_ELEMENT_TET10, cairn_vec3_of(1, 1, 1), (const int[]){1, 1, 1},
                                                 &mesh);
        if (status == CAIRN_OK)
            status = cairn_fem_part_create(c, mesh, 1, &m, cairn_pose_identity(), &p);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        CHECK((p != NULL) == (status == CAIRN_OK));
        if (status == CAIRN_OK) { /* steps take nothing */
            int before = a.allocations;
            double *H = doubles(p->entries), *k = doubles(3 * p->vectors);
            cairn_fem_part_write(p, 0.01, cairn_vec3_of(0, 0, -9.81), H, k);
            cairn_fem_part_aim(p, c, 0.01, p->v, k);
            cairn_fem_part_apply(p, 0.01, p->v, p->v);
            CHECK(a.allocations == before);
            free(H);
            free(k);
        }
        cairn_fem_part_destroy(p);
        cairn_fem_mesh_release(mesh);
        CHECK(a.live == base);
        cairn_context_destroy(c);
        if (status == CAIRN_OK)
            return;
    }
    CHECK(false);
}

int main(void) {
    RUN(force_is_the_slope_of_the_energy);
    RUN(exact_tangent_is_the_slope_of_the_force);
    RUN(projected_tangents_are_positive);
    RUN(four_at_a_time_is_one_by_one);
    RUN(pressure_on_the_skin);
    RUN(inside_out_at_a_corner);
    RUN(turned_as_a_whole_nothing_pulls);
    RUN(mass_and_centre);
    RUN(predictions_of_linear_forces_do_not_matter);
    RUN(threads_do_not_change_a_bit);
    RUN(bad_materials_are_refused);
    RUN(no_memory_is_no_disaster);
    return test_end();
}
