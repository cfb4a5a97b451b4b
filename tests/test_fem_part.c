/*
 * Forces against finite differences of the energy, tangents against those of the force, rigid motion, mass, steps that balance.
 */
#include "fem_samples.h"

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

static cairn_fem_part *sample(cairn_context *c, cairn_element_kind kind, cairn_fem_law law, bool project) {
    cairn_fem_material m = cairn_default_fem_material();
    m.law = law;
    m.E = 10.0;
    m.nu = 0.35;
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

TEST(force_is_the_slope_of_the_energy) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < 4; law++) {
            cairn_fem_part *p = sample(c, kinds[kind], (cairn_fem_law)law, false);
            int n = 3 * p->vectors;
            double *f = doubles(n), *d = doubles(n), *y = doubles(n);
            test_random r = {7};
            strain(p, 0.08, 3);
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
                if (!(fabs(found - slope) <= 1e-7 * (1.0 + fabs(slope))))
                    printf("%s %s\n", kind_name[kinds[kind]], law_name[law]);
                CHECK_NEAR(found, slope, 1e-7 * (1.0 + fabs(slope)));
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
        for (int law = 0; law < 4; law++) {
            cairn_fem_part *p = sample(c, kinds[kind], (cairn_fem_law)law, false);
            int n = 3 * p->vectors;
            double *K = doubles(p->entries), *d = doubles(n), *y = doubles(n), *g = doubles(n), *f[2];
            f[0] = doubles(n);
            f[1] = doubles(n);
            test_random r = {9};
            double eps = 1e-6;
            strain(p, 0.08, 5);
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
            if (!(error <= 1e-7))
                printf("%s %s\n", kind_name[kinds[kind]], law_name[law]);
            CHECK_NEAR(error, 0.0, 1e-7);
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

TEST(projected_tangents_bend_no_way_down) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < 4; law++) {
            cairn_fem_part *p = sample(c, kinds[kind], (cairn_fem_law)law, true);
            int n = 3 * p->vectors;
            double *K = doubles(p->entries), *d = doubles(n), *y = doubles(n);
            test_random r = {11};
            strain(p, 0.3, 13);
            stiffness(p, K);
            for (int round = 0; round < 200; round++) {
                double curve = 0.0;
                for (int i = 0; i < n; i++)
                    d[i] = test_random_signed(&r);
                times(p, K, d, y);
                for (int i = 0; i < n; i++)
                    curve += d[i] * y[i];
                CHECK(curve >= -1e-10);
            }
            for (int i = 0; i < p->entries; i++)
                CHECK(isfinite(K[i]));
            free(K);
            free(d);
            free(y);
            cairn_fem_part_destroy(p);
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

/* H v - k is the residual when the forces are linear in v; and held components move as told. */
TEST(write_and_residual_agree) {
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
            double *H = doubles(p->entries), *k = doubles(n), *v = doubles(n), *about = doubles(n), *y = doubles(n),
                   *residual = doubles(n);
            test_random r = {21};
            for (int i = 0; i < n; i++) {
                p->x[i] += 0.01 * test_random_signed(&r);
                p->v[i] = test_random_signed(&r);
                v[i] = test_random_signed(&r);
                about[i] = test_random_signed(&r);
                p->load[i] = test_random_signed(&r);
            }
            p->held[3] = 5;
            p->held_v[9] = v[9];
            p->held_v[11] = v[11];
            cairn_vec3 g = {1.0, 2.0, -9.0};
            for (int round = 0; round < 2; round++) {
                cairn_fem_part_write(p, 0.01, g, round == 0 ? NULL : about, H, k);
                times(p, H, v, y);
                cairn_fem_part_residual(p, 0.01, g, v, residual);
                for (int i = 0; i < n; i++)
                    y[i] -= k[i];
                CHECK_NEAR(distance(n, y, residual), 0.0, 1e-10 * norm(n, k));
                CHECK(residual[9] == 0.0 && residual[11] == 0.0 && residual[10] != 0.0);
            }
            for (int j = 0; j < n; j++) /* symmetric to the last bit */
                for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++)
                    for (int f = p->H_start[p->H_row[e]]; f < p->H_start[p->H_row[e] + 1]; f++)
                        if (p->H_row[f] == j)
                            CHECK(H[e] == H[f]);
            free(H);
            free(k);
            free(v);
            free(about);
            free(y);
            free(residual);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

TEST(threads_do_not_change_a_bit) {
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        cairn_context *c = plain_context(threads);
        cairn_fem_material m = cairn_default_fem_material();
        cairn_fem_part *p = box_part(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 1, 1), (const int[]){6, 5, 4}, m);
        int n = 3 * p->vectors;
        double *all = doubles(p->entries + n + 1);
        strain(p, 0.02, 17);
        cairn_fem_part_write(p, 0.01, cairn_vec3_of(0, 0, -9.81), NULL, all, all + p->entries);
        all[p->entries + n] = cairn_fem_part_elastic(p, p->x);
        if (first == NULL)
            first = all;
        else
            CHECK(memcmp(first, all, ((size_t)(p->entries + n) + 1) * sizeof *all) == 0);
        if (first != all)
            free(all);
        cairn_fem_part_destroy(p);
        cairn_context_destroy(c);
    }
    free(first);
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
            cairn_fem_part_write(p, 0.01, cairn_vec3_of(0, 0, -9.81), NULL, H, k);
            cairn_fem_part_residual(p, 0.01, cairn_vec3_of(0, 0, -9.81), p->v, k);
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
    RUN(projected_tangents_bend_no_way_down);
    RUN(turned_as_a_whole_nothing_pulls);
    RUN(mass_and_centre);
    RUN(write_and_residual_agree);
    RUN(threads_do_not_change_a_bit);
    RUN(bad_materials_are_refused);
    RUN(no_memory_is_no_disaster);
    return test_end();
}
