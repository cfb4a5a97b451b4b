/*
 * Closed forms at rest: patch tests, bars, cantilevers, the elastica, the catenary; and the first frequency of a cantilever.
 */
#include "support/fem_steps.h"

static const cairn_vec3 no_gravity = {0, 0, 0};
static const double pi = 3.14159265358979323846;

/* The box's mesh with its inner corners moved at random; middles of TET10's edges stay half way. */
static cairn_fem_mesh *crooked_box(cairn_context *c, cairn_element_kind kind, cairn_vec3 edge, const int cells[3],
                                   double amount) {
    cairn_fem_mesh *box = NULL, *mesh = NULL;
    if (cairn_fem_mesh_box(c, kind, edge, cells, &box) != CAIRN_OK)
        exit(1);
    cairn_fem_mesh_view v = cairn_fem_mesh_get(box);
    cairn_vec3 *node = malloc((size_t)v.nodes * sizeof *node);
    bool *outer = calloc((size_t)v.nodes, sizeof *outer);
    test_random r = {4};
    for (int i = 0; i < v.skin_nodes; i++)
        outer[v.skin[i]] = true;
    for (int i = 0; i < v.nodes; i++) {
        cairn_vec3 move = {amount * test_random_signed(&r), amount * test_random_signed(&r),
                           amount * test_random_signed(&r)};
        node[i] = outer[i] ? v.node[i] : cairn_vec3_add(v.node[i], move);
    }
    static const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int e = 0; kind == CAIRN_ELEMENT_TET10 && e < v.elements; e++)
        for (int t = 0; t < 6; t++) {
            const int *corner = v.corner + v.start[e];
            node[corner[4 + t]] = cairn_vec3_scale(0.5,
                                                   cairn_vec3_add(node[corner[ends[t][0]]], node[corner[ends[t][1]]]));
        }
    mesh = moved_mesh(c, box, node);
    cairn_fem_mesh_release(box);
    free(node);
    free(outer);
    return mesh;
}

/* x = F X: the same stress everywhere, no force on inner nodes. Linear law: the stress in closed form. */
TEST(patch) {
    cairn_context *c = plain_context(1);
    const double F[9] = {1.02, 0.03, -0.01, 0.02, 0.97, 0.015, 0.0, -0.02, 1.01};
    for (int kind = 0; kind < 3; kind++)
        for (int way = 0; way < 8; way++) {
            int law = way % 4;
            cairn_fem_material m = cairn_default_fem_material();
            m.law = (cairn_fem_law)law;
            m.nu = way < 4 ? 0.3 : 0.4999;
            double size = 1.0 / (1.0 - 2.0 * m.nu);
            cairn_fem_mesh *mesh = crooked_box(c, (cairn_element_kind)kind, cairn_vec3_of(1, 1, 1),
                                               (const int[]){3, 3, 3}, 0.05);
            cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
            cairn_fem_mesh_release(mesh);
            int n = p->view.nodes, elements = p->view.elements;
            double *f = doubles(3 * n), *s = doubles(6 * elements), *e = doubles(6 * elements), *mises = doubles(n);
            for (int i = 0; i < n; i++)
                for (int r = 0; r < 3; r++)
                    p->x[3 * i + r] = F[3 * r] * p->rest[3 * i] + F[3 * r + 1] * p->rest[3 * i + 1] +
                                      F[3 * r + 2] * p->rest[3 * i + 2];
            cairn_fem_part_force(p, p->x, f);
            for (int i = 0, t = 0; i < n; i++)
                if (t < p->view.skin_nodes && p->view.skin[t] == i)
                    t++;
                else
                    CHECK_NEAR(norm(3, f + 3 * i), 0.0, 1e-9 * size);
            cairn_fem_part_stress(p, s, e, mises);
            for (int i = 0; i < elements; i++)
                CHECK_NEAR(distance(6, s, s + 6 * i), 0.0, 1e-8 * size);
            for (int i = 0; i < n; i++)
                CHECK_NEAR(mises[i], mises[0], 1e-8 * size);
            if (law == CAIRN_FEM_LINEAR) {
                double lambda = 1e6 * m.nu / (1.0 + m.nu) * size, mu = 0.5e6 / (1.0 + m.nu), trace = 0.0;
                CHECK_NEAR(s[0], lambda * trace + 2 * mu * 0.02, 1e-8 * size);
                CHECK_NEAR(s[1], 2 * mu * -0.03, 1e-8 * size);
                CHECK_NEAR(s[3], mu * 0.05, 1e-8);
                CHECK_NEAR(s[4], mu * -0.005, 1e-8);
                CHECK_NEAR(s[5], mu * -0.01, 1e-8);
                CHECK_NEAR(e[3], 0.025, 1e-14);
                double mean = (s[0] + s[1] + s[2]) / 3.0, square = 0.0; /* sqrt(3/2) |deviator| */
                for (int i = 0; i < 3; i++)
                    square += (s[i] - mean) * (s[i] - mean) + 2.0 * s[3 + i] * s[3 + i];
                CHECK_NEAR(mises[0], sqrt(1.5 * square), 1e-8 * size);
            } else {
                CHECK_NEAR(e[0], 0.5 * (1.02 * 1.02 + 0.02 * 0.02 - 1.0), 1e-14);
            }
            free(f);
            free(s);
            free(e);
            free(mises);
            cairn_fem_part_destroy(p);
        }
    cairn_context_destroy(c);
}

/* Deflection of the tip of a cantilever of square section, over that of a beam with shear (5/6 G A). */
static double cantilever(cairn_context *c, cairn_element_kind kind, const int cells[3]) {
    double L = 1.0, a = 0.1, load = -1.0;
    cairn_fem_material m = cairn_default_fem_material();
    m.E = 1e7;
    m.nu = 0.0;
    cairn_fem_part *p = box_part(c, kind, cairn_vec3_of(L, a, a), cells, m);
    hold_region(p, 0, -0.5 * L - 1e-9, -0.5 * L + 1e-9);
    load_region(p, 0, 0.5 * L - 1e-9, 0.5 * L + 1e-9, cairn_vec3_of(0, 0, load));
    stepper s = stepper_of(p);
    CHECK(settle(&s, 1e3, no_gravity, 8) < 1e-8);
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < p->vectors; i++)
        if (p->rest[3 * i] > 0.5 * L - 1e-9) {
            sum += p->x[3 * i + 2] - p->rest[3 * i + 2];
            count += 1.0;
        }
    double I = a * a * a * a / 12.0, G = 0.5 * m.E;
    double theory = load * (L * L * L / (3.0 * m.E * I) + L / (5.0 / 6.0 * G * a * a));
    stepper_free(&s);
    cairn_fem_part_destroy(p);
    printf("cantilever, %s, %d x %d x %d cells: %.4f of the deflection of a beam\n", kind_name[kind], cells[0],
           cells[1], cells[2], sum / count / theory);
    return sum / count / theory;
}

TEST(cantilevers_bend_as_beams_do) {
    cairn_context *c = plain_context(2);
    CHECK_NEAR(cantilever(c, CAIRN_ELEMENT_TET10, (const int[]){10, 1, 1}), 1.0, 0.01);
    CHECK_NEAR(cantilever(c, CAIRN_ELEMENT_HEX8, (const int[]){10, 1, 1}), 1.0, 0.01);
    CHECK_NEAR(cantilever(c, CAIRN_ELEMENT_HEX8, (const int[]){4, 1, 1}), 1.0, 0.03);
    CHECK_NEAR(cantilever(c, CAIRN_ELEMENT_HEX8, (const int[]){20, 2, 2}), 1.0, 0.01);
    double tets = cantilever(c, CAIRN_ELEMENT_TET4, (const int[]){40, 4, 4});
    CHECK(tets > 0.6 && tets < 1.0); /* linear tetrahedra are too stiff in bending */
    cairn_context_destroy(c);
}

/* One layer of skew bricks, of a material that shrinks across: the trilinear shapes alone give 0.35 for skew 0. */
TEST(skew_bricks_bend_too) {
    cairn_context *c = plain_context(1);
    for (int step = 0; step < 3; step++) {
        double L = 1.0, a = 0.1, skew = 0.02 * step, load = -1.0, sum = 0.0;
        int cells[3] = {10, 1, 1};
        cairn_fem_mesh *plain = NULL, *mesh = NULL;
        CHECK(cairn_fem_mesh_box(c, CAIRN_ELEMENT_HEX8, cairn_vec3_of(L, a, a), cells, &plain) == CAIRN_OK);
        cairn_fem_mesh_view v = cairn_fem_mesh_get(plain);
        cairn_vec3 node[64];
        for (int i = 0; i < v.nodes; i++) {
            node[i] = v.node[i];
            if (fabs(fabs(node[i].x) - 0.5 * L) > 1e-9)
                node[i].x += skew * (node[i].z > 0.0 ? 1.0 : -1.0);
        }
        mesh = moved_mesh(c, plain, node);
        cairn_fem_material m = cairn_default_fem_material();
        m.E = 1e7;
        m.nu = 0.3;
        cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
        cairn_fem_mesh_release(plain);
        cairn_fem_mesh_release(mesh);
        hold_region(p, 0, -0.5 * L - 1e-9, -0.5 * L + 1e-9);
        load_region(p, 0, 0.5 * L - 1e-9, 0.5 * L + 1e-9, cairn_vec3_of(0, 0, load));
        stepper s = stepper_of(p);
        CHECK(settle(&s, 1e3, no_gravity, 8) < 1e-8);
        for (int i = 0; i < p->vectors; i++)
            sum += p->rest[3 * i] > 0.5 * L - 1e-9 ? 0.25 * (p->x[3 * i + 2] - p->rest[3 * i + 2]) : 0.0;
        double theory = load * (L * L * L / (3.0 * m.E * a * a * a * a / 12.0) + L / (5.0 / 6.0 * m.E / 2.6 * a * a));
        printf("skew bricks, hex8, 10 x 1 x 1 cells, %.0f degrees: %.4f of the deflection of a beam\n",
               atan(2.0 * skew / a) * 57.29578, sum / theory);
        CHECK_NEAR(sum / theory, 1.0, 0.02 + 0.15 * step);
        stepper_free(&s);
        cairn_fem_part_destroy(p);
    }
    cairn_context_destroy(c);
}

/* Beams along x, clamped at the first node. */
static cairn_fem_part *rod(cairn_context *c, int beams, double L, cairn_fem_material m) {
    cairn_vec3 *point = calloc((size_t)beams + 1, sizeof *point);
    for (int i = 0; i <= beams; i++)
        point[i].x = L * i / beams;
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_line(c, beams + 1, point, &mesh) == CAIRN_OK);
    cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
    cairn_fem_mesh_release(mesh);
    free(point);
    p->held[0] = p->held[1] = 7;
    return p;
}

TEST(rod_under_a_small_and_a_large_load) {
    cairn_context *c = plain_context(1);
    cairn_fem_material m = cairn_default_fem_material();
    m.E = 1e9;
    m.radius = 0.01;
    m.project = false;
    double EI = m.E * pi * 1e-8 / 4.0;
    /* small: Euler and Bernoulli's P L^3 / 3 EI, exact for cubics */
    for (int beams = 1; beams <= 4; beams *= 2) {
        cairn_fem_part *p = rod(c, beams, 1.0, m);
        stepper s = stepper_of(p);
        p->load[3 * (p->vectors - 2) + 2] = -1e-4 * EI;
        settle(&s, 1e4, no_gravity, 20);
        CHECK_NEAR(p->x[3 * (p->vectors - 2) + 2] / (-1e-4 / 3.0), 1.0, 1e-5);
        stepper_free(&s);
        cairn_fem_part_destroy(p);
    }
    /* large: the elastica with P L^2/EI = 1 and 10, known from elliptic integrals; errors fall with the number of beams */
    const double known[2][3] = {{1.0, 0.30172, 0.05643}, {10.0, 0.81061, 0.55500}};
    for (int round = 0; round < 2; round++) {
        double last = 1.0;
        for (int beams = 4; beams <= 16; beams *= 2) {
            cairn_fem_part *p = rod(c, beams, 1.0, m);
            stepper s = stepper_of(p);
            for (int part = 1; part <= 10; part++) {
                p->load[3 * (p->vectors - 2) + 2] = -EI * known[round][0] * part / 10.0;
                settle(&s, 1e4, no_gravity, 12);
            }
            double *tip = p->x + 3 * (p->vectors - 2), down = -tip[2], back = 1.0 - tip[0];
            double error = fmax(fabs(down - known[round][1]), fabs(back - known[round][2]));
            CHECK(error < 0.5 * last || error < 1e-3);
            last = error;
            printf("elastica, P L^2/EI = %g, %d beams: error %.1e L\n", known[round][0], beams, error);
            stepper_free(&s);
            cairn_fem_part_destroy(p);
        }
        CHECK_NEAR(last, 0.0, 1e-3);
    }
    cairn_context_destroy(c);
}

/* A chain of length L between supports d apart: half span d/2 = a asinh(L / 2a), sag a (cosh(d / 2a) - 1). */
TEST(cable_hangs_as_a_catenary) {
    cairn_context *c = plain_context(1);
    int beams = 20;
    double L = 1.2, d = 1.0;
    cairn_vec3 point[21];
    double half = 0.0, low = 0.1, high = 3.0; /* at rest an arc of angle 2 half: sin(half)/half = d/L */
    for (int round = 0; round < 200; round++) {
        half = 0.5 * (low + high);
        if (sin(half) / half > d / L)
            low = half;
        else
            high = half;
    }
    for (int i = 0; i <= beams; i++) {
        double t = half * (2.0 * i / beams - 1.0), R = 0.5 * L / half;
        point[i] = cairn_vec3_of(R * sin(t), 0.0, R * (cos(half) - cos(t)));
    }
    cairn_fem_material m = cairn_default_fem_material();
    m.E = 1e9;
    m.radius = 1e-4;
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_line(c, beams + 1, point, &mesh) == CAIRN_OK);
    cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
    cairn_fem_mesh_release(mesh);
    p->held[0] = p->held[2 * beams] = 7;
    stepper s = stepper_of(p);
    settle(&s, 0.03, cairn_vec3_of(0, 0, -9.81), 400);
    CHECK(settle(&s, 10.0, cairn_vec3_of(0, 0, -9.81), 100) < 1e-7);
    low = 0.1;
    high = 10.0;
    for (int round = 0; round < 200; round++) {
        double a = 0.5 * (low + high);
        if (2.0 * a * sinh(d / (2.0 * a)) > L)
            low = a;
        else
            high = a;
    }
    double sag = low * (cosh(d / (2.0 * low)) - 1.0);
    for (int i = 0; i <= beams; i++) {
        const double *x = p->x + 6 * i;
        CHECK_NEAR(x[2], low * cosh(x[0] / low) - low - sag, 3e-3 * sag);
    }
    printf("catenary, %d beams: sag %.5f, closed form %.5f\n", beams, -p->x[6 * (beams / 2) + 2], sag);
    CHECK_NEAR(p->x[6 * (beams / 2) + 2], -sag, 3e-3 * sag);
    stepper_free(&s);
    cairn_fem_part_destroy(p);
    cairn_context_destroy(c);
}

/* Lowest w^2 of K y = w^2 M y by inverse iteration; held vectors stay 0. h = 1: H - M = K; M from h = 0. */
static double lowest_frequency(cairn_fem_part *p) {
    int n = 3 * p->vectors;
    double *K = doubles(p->entries), *M = doubles(p->entries), *k = doubles(n), *y = doubles(n), *My = doubles(n);
    cairn_factor *factor = NULL;
    double square = 0.0;
    cairn_fem_part_write(p, 1e4, no_gravity, K, k);
    cairn_fem_part_write(p, 0.0, no_gravity, M, k);
    for (int e = 0; e < p->entries; e++)
        K[e] = (K[e] - M[e]) * 1e-8;
    for (int i = 0; i < n; i++) /* held rows of K: 1 */
        for (int e = p->H_start[i]; e < p->H_start[i + 1]; e++)
            if (p->H_row[e] == i && (p->held[i / 3] >> i % 3 & 1))
                K[e] = 1.0;
    CHECK(cairn_factor_analyze(p->context, n, p->H_start, p->H_row, 0, NULL, true, &factor) == CAIRN_OK);
    CHECK(cairn_factor_numeric(factor, K, NULL) == CAIRN_OK);
    test_random r = {3};
    for (int i = 0; i < n; i++)
        y[i] = p->held[i / 3] ? 0.0 : test_random_signed(&r);
    for (int round = 0; round < 30; round++) {
        times(p, M, y, My);
        for (int i = 0; i < n; i++)
            y[i] = p->held[i / 3] ? 0.0 : My[i];
        cairn_factor_solve(factor, y);
        double up = 0.0, down = 0.0;
        times(p, M, y, k);
        for (int i = 0; i < n; i++) {
            up += y[i] * My[i];
            down += y[i] * k[i];
        }
        square = up / down;
        double scale = 1.0 / sqrt(down);
        for (int i = 0; i < n; i++)
            y[i] *= scale;
    }
    cairn_factor_destroy(factor);
    free(K);
    free(M);
    free(k);
    free(y);
    free(My);
    return sqrt(square);
}

TEST(first_frequency_of_a_cantilever) {
    cairn_context *c = plain_context(1);
    cairn_fem_material m = cairn_default_fem_material();
    m.E = 1e7;
    m.nu = 0.0;
    m.radius = 0.01;
    double root = 1.87510406871 * 1.87510406871;
    cairn_fem_part *p = rod(c, 6, 1.0, m);
    double ratio = lowest_frequency(p) / (root * sqrt(m.E * 0.25 * 1e-4 / m.density));
    printf("first frequency, 6 beams: %.6f of a beam's\n", ratio);
    CHECK_NEAR(ratio, 1.0, 1e-4);
    cairn_fem_part_destroy(p);
    for (int consistent = 0; consistent < 2; consistent++) {
        m.consistent = consistent;
        p = box_part(c, CAIRN_ELEMENT_TET10, cairn_vec3_of(1.0, 0.05, 0.06), (const int[]){12, 1, 1}, m);
        hold_region(p, 0, -0.51, -0.499);
        ratio = lowest_frequency(p) / (root * sqrt(m.E * 0.05 * 0.05 / 12.0 / m.density));
        printf("first frequency, tet10, 12 x 1 x 1 cells, %s mass: %.4f of a beam's\n",
               consistent ? "consistent" : "lumped", ratio);
        CHECK_NEAR(ratio, 1.0, 0.02);
        cairn_fem_part_destroy(p);
    }
    cairn_context_destroy(c);
}

/* A bar pulled along its axis: neo-Hookean stress in closed form from the stretch across. */
TEST(bar_pulled_far) {
    cairn_context *c = plain_context(1);
    cairn_fem_material m = cairn_default_fem_material();
    m.law = CAIRN_FEM_NEO_HOOKEAN;
    m.E = 1.0;
    m.nu = 0.3;
    double lambda = 0.3 / (1.3 * 0.4), mu = 1.0 / 2.6, a = 1.6;
    cairn_fem_part *p = box_part(c, CAIRN_ELEMENT_HEX8, cairn_vec3_of(1, 1, 1), (const int[]){2, 2, 2}, m);
    for (int i = 0; i < p->vectors; i++) { /* symmetry planes, and the pulled face */
        const double *X = p->rest + 3 * i;
        p->held[i] = (unsigned char)((X[0] < -0.4 || X[0] > 0.4 ? 1 : 0) | (X[1] < -0.4 ? 2 : 0) |
                                     (X[2] < -0.4 ? 4 : 0));
        if (X[0] > 0.4)
            p->x[3 * i] += a - 1.0;
    }
    stepper s = stepper_of(p);
    CHECK(settle(&s, 1e6, no_gravity, 30) < 1e-9);
    double b = p->x[3 * (p->vectors - 1) + 1] - p->x[3 * (p->vectors - 1) + 1 - 3 * 2 * 3]; /* stretch across */
    double J = a * b * b, across = mu * b + (lambda * log(J) - mu) / b, along = mu * a + (lambda * log(J) - mu) / a;
    CHECK_NEAR(across, 0.0, 1e-9);
    double *f = doubles(3 * p->vectors), pull = 0.0;
    cairn_fem_part_force(p, p->x, f);
    for (int i = 0; i < p->vectors; i++)
        if (p->rest[3 * i] > 0.4)
            pull -= f[3 * i];
    CHECK_NEAR(pull, along, 1e-9);
    free(f);
    stepper_free(&s);
    cairn_fem_part_destroy(p);
    cairn_context_destroy(c);
}

int main(void) {
    RUN(patch);
    RUN(cantilevers_bend_as_beams_do);
    RUN(skew_bricks_bend_too);
    RUN(rod_under_a_small_and_a_large_load);
    RUN(cable_hangs_as_a_catenary);
    RUN(first_frequency_of_a_cantilever);
    RUN(bar_pulled_far);
    return test_end();
}
