/*
 * Parts in motion by themselves: free fall, a spinning bar, vibration whose energy only falls.
 */
#include "support/fem_steps.h"

static const cairn_vec3 no_gravity = {0, 0, 0};

TEST(falls_as_a_whole) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 3; kind++)
        for (int consistent = 0; consistent < 2; consistent++) {
            cairn_fem_material m = cairn_default_fem_material();
            m.consistent = consistent;
            m.damping_stiffness = 1e-3;
            cairn_fem_part *p = box_part(c, (cairn_element_kind)kind, cairn_vec3_of(1, 0.5, 0.5),
                                         (const int[]){2, 1, 1}, m);
            stepper s = stepper_of(p);
            for (int i = 0; i < 20; i++)
                step(&s, 0.01, cairn_vec3_of(0, 0, -9.81), 1);
            for (int i = 0; i < p->vectors; i++) {
                CHECK_NEAR(p->v[3 * i + 2], -9.81 * 0.2, 1e-10);
                CHECK_NEAR(p->x[3 * i], p->rest[3 * i], 1e-10);
            }
            CHECK_NEAR(cairn_fem_part_elastic(p, p->x), 0.0, 1e-12);
            stepper_free(&s);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

/* A bar turns about its middle: it is longer by rho w^2 L^3 / 12 E, and by nothing else. */
TEST(spinning_bar_has_no_other_strain) {
    cairn_context *c = plain_context(1);
    const cairn_element_kind kinds[] = {CAIRN_ELEMENT_TET4, CAIRN_ELEMENT_HEX8, CAIRN_ELEMENT_BEAM2};
    for (int kind = 0; kind < 3; kind++) {
        cairn_fem_material m = cairn_default_fem_material();
        m.E = 2e6;
        m.nu = 0.0;
        m.radius = 0.05;
        m.damping_stiffness = 1e-3;
        cairn_fem_part *p;
        if (kinds[kind] == CAIRN_ELEMENT_BEAM2) {
            const cairn_vec3 point[] = {{-0.5, 0, 0}, {-0.25, 0, 0}, {0, 0, 0}, {0.25, 0, 0}, {0.5, 0, 0}};
            cairn_fem_mesh *mesh = NULL;
            CHECK(cairn_fem_mesh_line(c, 5, point, &mesh) == CAIRN_OK);
            p = part_of(c, mesh, m, cairn_pose_identity());
            cairn_fem_mesh_release(mesh);
        } else {
            p = box_part(c, kinds[kind], cairn_vec3_of(1.0, 0.1, 0.1), (const int[]){10, 1, 1}, m);
        }
        double w = 6.0, h = 4e-4;
        for (int i = 0; i < p->vectors; i++) {
            p->v[3 * i] = -w * p->x[3 * i + 1];
            p->v[3 * i + 1] = w * p->x[3 * i];
        }
        double kinetic = cairn_fem_part_kinetic(p);
        stepper s = stepper_of(p);
        int last = kinds[kind] == CAIRN_ELEMENT_BEAM2 ? p->vectors - 2 : p->view.nodes - 1, first = 0;
        if (kinds[kind] != CAIRN_ELEMENT_BEAM2) /* ends of one edge along x */
            last = 10;
        double longest = 0.0, shortest = 10.0, mean = 0.0;
        int steps = 2618, counted = 0; /* one turn */
        for (int i = 0; i < steps; i++) {
            step(&s, h, no_gravity, 1);
            double now = distance(3, p->x + 3 * first, p->x + 3 * last);
            if (i > steps / 2) {
                longest = fmax(longest, now);
                shortest = fmin(shortest, now);
                mean += now;
                counted++;
            }
        }
        mean /= counted;
        double after = cairn_fem_part_kinetic(p), w2 = w * w * after / kinetic;
        CHECK_NEAR((mean - 1.0) / (m.density * w2 / (12.0 * m.E)), 1.0, 0.08);
        CHECK(longest - shortest < 2e-4);
        CHECK_NEAR(after / kinetic, 1.0, 0.005); /* it is longer, and neither damping nor the step brakes its turning */
        stepper_free(&s);
        cairn_fem_part_destroy(p);
    }
    cairn_context_destroy(c);
}

TEST(energy_of_free_vibration_only_falls) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < (kind < 3 ? 4 : 1); law++)
            for (int damped = 0; damped < 2; damped++) {
                cairn_fem_material m = cairn_default_fem_material();
                m.law = (cairn_fem_law)law;
                m.E = 1e5;
                m.radius = 0.05;
                if (damped) {
                    m.damping_mass = 0.5;
                    m.damping_stiffness = 1e-3;
                }
                cairn_fem_part *p;
                if (kind == CAIRN_ELEMENT_BEAM2) {
                    const cairn_vec3 point[] = {{-0.5, 0, 0}, {-0.2, 0, 0}, {0.2, 0, 0}, {0.5, 0, 0}};
                    cairn_fem_mesh *mesh = NULL;
                    CHECK(cairn_fem_mesh_line(c, 4, point, &mesh) == CAIRN_OK);
                    p = part_of(c, mesh, m, cairn_pose_identity());
                    cairn_fem_mesh_release(mesh);
                    p->held[0] = p->held[1] = 7;
                } else {
                    p = box_part(c, (cairn_element_kind)kind, cairn_vec3_of(1.0, 0.2, 0.2), (const int[]){3, 1, 1}, m);
                    hold_region(p, 0, -0.51, -0.49);
                }
                for (int i = 0; i < p->vectors; i++)
                    if (p->held[i] == 0)
                        p->v[3 * i + 2] = 0.5;
                stepper s = stepper_of(p);
                double energy = cairn_fem_part_kinetic(p), start = energy;
                for (int i = 0; i < (kind == CAIRN_ELEMENT_HEX8 ? 40 : 100); i++) { /* bricks take longest */
                    double left = step(&s, 0.005, no_gravity, 12);
                    double now = cairn_fem_part_kinetic(p) + cairn_fem_part_elastic(p, p->x);
                    CHECK_NEAR(left, 0.0, 1e-6);
                    if (!(now <= energy + 1e-9 * start))
                        printf("%s %s step %d\n", kind_name[kind], law_name[law], i);
                    CHECK(now <= energy + 1e-9 * start);
                    energy = now;
                }
                CHECK(energy < 0.96 * start);
                stepper_free(&s);
                cairn_fem_part_destroy(p);
            }
    cairn_context_destroy(c);
}

int main(void) {
    RUN(falls_as_a_whole);
    RUN(spinning_bar_has_no_other_strain);
    RUN(energy_of_free_vibration_only_falls);
    return test_end();
}
