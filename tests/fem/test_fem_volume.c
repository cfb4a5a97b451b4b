/*
 * Material that hardly changes its volume, in elements with pressures of their own: a tube and a cantilever against closed forms, a bonded block against a finer one, at
 * nu = 0.499 and 0.4999 as at 0.3; pressures without a checkerboard.
 */
#include "support/fem_steps.h"

static const cairn_vec3 no_gravity = {0, 0, 0};
static const double ratios[] = {0.3, 0.45, 0.499, 0.4999};
enum { RATIOS = 4 };

static cairn_fem_material rubber(double nu) {
    cairn_fem_material m = cairn_default_fem_material();
    m.law = CAIRN_FEM_LINEAR;
    m.E = 1.0;
    m.nu = nu;
    return m;
}

/* A quarter of a tube, inner radius 1, outer 2: a box of height, angle and radius, bent. */
static cairn_fem_part *tube(cairn_context *c, cairn_element_kind kind, const int cells[3], double nu) {
    cairn_fem_mesh *box = NULL, *mesh = NULL;
    CHECK(cairn_fem_mesh_box(c, kind, cairn_vec3_of(1, 1, 1), cells, &box) == CAIRN_OK);
    cairn_fem_mesh_view v = cairn_fem_mesh_get(box);
    cairn_vec3 *node = malloc((size_t)v.nodes * sizeof *node);
    for (int i = 0; i < v.nodes; i++) {
        double r = 1.5 + v.node[i].x, angle = (v.node[i].y + 0.5) * 1.5707963267948966;
        node[i] = cairn_vec3_of(r * cos(angle), r * sin(angle), 0.2 * v.node[i].z);
    }
    mesh = moved_mesh(c, box, node);
    cairn_fem_part *p = part_of(c, mesh, rubber(nu), cairn_pose_identity());
    unsigned char *inner = calloc((size_t)v.nodes, 1);
    for (int i = 0; i < v.nodes; i++) {
        p->held[i] = (unsigned char)((v.node[i].y > 0.4999 ? 1 : 0) | (v.node[i].y < -0.4999 ? 2 : 0) |
                                     (fabs(v.node[i].z) > 0.4999 ? 4 : 0));
        inner[i] = v.node[i].x < -0.4999;
    }
    cairn_fem_part_pressure(p, inner, 1e-3);
    free(inner);
    free(node);
    cairn_fem_mesh_release(box);
    cairn_fem_mesh_release(mesh);
    return p;
}

/* Displacement of the inner wall over Lame's in plane strain. The pressure is the same everywhere; rough: root of the mean square of what the elements' differ from it. */
static double widened(cairn_context *c, cairn_element_kind kind, const int cells[3], double nu, double *rough) {
    cairn_fem_part *p = tube(c, kind, cells, nu);
    stepper s = stepper_of(p);
    double sum = 0.0, exact = (1.0 + nu) * 1e-3 / 3.0 * ((1.0 - 2.0 * nu) + 4.0);
    int count = 0;
    CHECK(settle(&s, 1e6, no_gravity, 3) < 1e-9);
    for (int i = 0; i < p->vectors; i++) {
        double r = hypot(p->rest[3 * i], p->rest[3 * i + 1]);
        if (r < 1.0 + 1e-9) {
            sum += hypot(p->x[3 * i], p->x[3 * i + 1]) - r;
            count++;
        }
    }
    double *stress = doubles(6 * p->view.elements), pull = 2.0 / 9.0 * (1.0 + nu) * 1e-3, square = 0.0;
    cairn_fem_part_stress(p, stress, NULL, NULL);
    for (int e = 0; e < p->view.elements; e++) {
        double off = (stress[6 * e] + stress[6 * e + 1] + stress[6 * e + 2]) / 3.0 - pull;
        square += off * off / p->view.elements;
    }
    *rough = sqrt(square) / pull;
    free(stress);
    stepper_free(&s);
    cairn_fem_part_destroy(p);
    return sum / count / exact;
}

TEST(tube_under_pressure) {
    static const struct {
        cairn_element_kind kind;
        int cells[3];
    } mesh[] = {{CAIRN_ELEMENT_HEX8, {4, 8, 1}}, {CAIRN_ELEMENT_HEX8, {8, 16, 1}}, {CAIRN_ELEMENT_TET10, {3, 4, 1}}};
    cairn_context *c = plain_context(1);
    for (int k = 0; k < 3; k++) {
        printf("tube, %s, %d x %d cells:", kind_name[mesh[k].kind], mesh[k].cells[0], mesh[k].cells[1]);
        for (int r = 0; r < RATIOS; r++) {
            double rough, found = widened(c, mesh[k].kind, mesh[k].cells, ratios[r], &rough);
            printf(" %.4f (pressures %.3f apart)", found, rough);
            CHECK(rough < (mesh[k].kind == CAIRN_ELEMENT_HEX8 ? 0.02 : 0.1));
            CHECK_NEAR(found, 1.0, k == 0 ? 0.02 : 0.01);
        }
        printf(" of Lame's widening at nu = 0.3, 0.45, 0.499, 0.4999\n");
    }
    cairn_context_destroy(c);
}

/* A cantilever 10 : 1 : 1 whose root may grow narrower: beam theory holds for every nu. Deflection over that of a beam with shear. */
static double bent(cairn_context *c, cairn_element_kind kind, const int cells[3], double nu) {
    const double a = 0.1, load = -1e-6;
    cairn_fem_part *p = box_part(c, kind, cairn_vec3_of(1.0, a, a), cells, rubber(nu));
    for (int i = 0; i < p->vectors; i++)
        if (p->rest[3 * i] < -0.4999)
            p->held[i] = (unsigned char)(1 | (fabs(p->rest[3 * i + 1]) < 1e-9 ? 2 : 0) |
                                         (fabs(p->rest[3 * i + 2]) < 1e-9 ? 4 : 0));
    unsigned char *end = calloc((size_t)p->vectors, 1);
    double *share = doubles(p->vectors), sum = 0.0;
    for (int i = 0; i < p->vectors; i++)
        end[i] = p->rest[3 * i] > 0.4999;
    double area = cairn_fem_part_shares(p, end, share);
    for (int i = 0; i < p->vectors; i++)
        p->load[3 * i + 2] = load * share[i] / area;
    stepper s = stepper_of(p);
    CHECK(settle(&s, 1e6, no_gravity, 3) < 1e-7);
    for (int i = 0; i < p->vectors; i++)
        sum += share[i] / area * (p->x[3 * i + 2] - p->rest[3 * i + 2]);
    double I = a * a * a * a / 12.0, G = 0.5 / (1.0 + nu), kappa = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    stepper_free(&s);
    free(share);
    free(end);
    cairn_fem_part_destroy(p);
    return sum / (load * (1.0 / (3.0 * I) + 1.0 / (kappa * G * a * a)));
}

TEST(cantilever) {
    static const struct {
        cairn_element_kind kind;
        int cells[3];
    } mesh[] = {{CAIRN_ELEMENT_HEX8, {10, 2, 2}},
                {CAIRN_ELEMENT_HEX8, {20, 2, 2}},
                {CAIRN_ELEMENT_TET10, {10, 2, 2}},
                {CAIRN_ELEMENT_TET10, {20, 2, 2}}};
    cairn_context *c = plain_context(1);
    for (int k = 0; k < 4; k++) {
        printf("cantilever, %s, %d x 2 x 2 cells:", kind_name[mesh[k].kind], mesh[k].cells[0]);
        for (int r = 0; r < RATIOS; r++) {
            double found = bent(c, mesh[k].kind, mesh[k].cells, ratios[r]);
            printf(" %.4f", found);
            CHECK_NEAR(found, 1.0, 0.03);
        }
        printf(" of a beam's deflection\n");
    }
    cairn_context_destroy(c);
}

/* A cube, bonded to plates above and below and squeezed by a per cent. Force on a plate. */
static double bonded(cairn_context *c, cairn_element_kind kind, int cells, double nu) {
    cairn_fem_part *p = box_part(c, kind, cairn_vec3_of(1, 1, 1), (const int[]){cells, cells, cells}, rubber(nu));
    double *f = doubles(3 * p->vectors), force = 0.0;
    for (int i = 0; i < p->vectors; i++)
        if (fabs(p->rest[3 * i + 2]) > 0.4999) {
            p->held[i] = 7;
            p->x[3 * i + 2] *= 0.99;
        }
    stepper s = stepper_of(p);
    CHECK(settle(&s, 1e6, no_gravity, 3) < 1e-7);
    cairn_fem_part_force(p, p->x, f);
    for (int i = 0; i < p->vectors; i++)
        force += p->rest[3 * i + 2] > 0.4999 ? f[3 * i + 2] : 0.0;
    stepper_free(&s);
    free(f);
    cairn_fem_part_destroy(p);
    return force;
}

/* The force converges with the square of the cells' size at every nu, from above. A block that cannot change its volume must flow sideways, in a parabola, so that it takes more cells. */
TEST(bonded_block) {
    cairn_context *c = plain_context(2);
    for (int kind = 1; kind < 3; kind++) {
        cairn_element_kind element = (cairn_element_kind)kind;
        int cells = element == CAIRN_ELEMENT_HEX8 ? 4 : 2;
        double last = 0.0;
        printf("bonded cube, %s, %d cells high: force over that of twice as many", kind_name[kind], cells);
        for (int r = 0; r < RATIOS; r++) {
            double ratio = bonded(c, element, cells, ratios[r]) / bonded(c, element, 2 * cells, ratios[r]);
            printf(" %.4f", ratio);
            CHECK(ratio > 1.0 && ratio - 1.0 < (r == 0 ? 0.02 : 0.055));
            CHECK(r < RATIOS - 1 || fabs(ratio - last) < 1e-3); /* nothing grows with 1/(1 - 2 nu) */
            last = ratio;
        }
        printf("\n");
    }
    cairn_context_destroy(c);
}

int main(void) {
    RUN(tube_under_pressure);
    RUN(cantilever);
    RUN(bonded_block);
    return test_end();
}
