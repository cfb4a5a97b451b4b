/*
 * Made meshes and their skins, and meshes that are refused.
 */
#include "support/fem_samples.h"

static const double pi = 3.14159265358979323846;

/* Volume enclosed by the skin, from the divergence theorem. */
static double skin_volume(const cairn_fem_mesh_view *v) {
    double six = 0.0;
    for (int f = 0; f < v->faces; f++) {
        const int *c = v->face + 3 * f;
        six += cairn_vec3_dot(v->node[c[0]], cairn_vec3_cross(v->node[c[1]], v->node[c[2]]));
    }
    return six / 6.0;
}

/* Every edge of the skin twice, once each way; edges and nodes as listed; Euler's number 2. */
static void check_skin(const cairn_fem_mesh_view *v) {
    int *seen = calloc((size_t)v->edges, sizeof *seen), forward = 0;
    for (int t = 0; t < 3 * v->faces; t++) {
        int a = v->face[t], b = v->face[t % 3 == 2 ? t - 2 : t + 1], found = 0;
        for (int e = 0; e < v->edges; e++)
            if (v->edge[2 * e] == (a < b ? a : b) && v->edge[2 * e + 1] == (a < b ? b : a)) {
                seen[e] += a < b ? 1 : 100;
                found++;
            }
        forward += found == 1;
    }
    CHECK(forward == 3 * v->faces);
    for (int e = 0; e < v->edges; e++)
        CHECK(seen[e] == 101);
    for (int i = 1; i < v->skin_nodes; i++)
        CHECK(v->skin[i] > v->skin[i - 1]);
    CHECK(v->skin_nodes - v->edges + v->faces == 2);
    free(seen);
}

TEST(made_meshes_are_closed_and_full) {
    cairn_context *c = plain_context(1);
    for (int kind = 0; kind < 3; kind++)
        for (int shape = 0; shape < 4; shape++)
            for (int cells = 1; cells <= 3; cells++) {
                cairn_fem_mesh *mesh = NULL;
                cairn_element_kind k = (cairn_element_kind)kind;
                double exact = shape % 3 == 0 ? 6.0 : shape == 1 ? pi * 0.25 * 2.0 : 4.0 / 3.0 * pi * 0.125;
                cairn_status status =
                    shape == 0   ? cairn_fem_mesh_box(c, k, cairn_vec3_of(1, 2, 3), (const int[]){cells, 2, 1}, &mesh)
                    : shape == 1 ? cairn_fem_mesh_cylinder(c, k, 0.5, 2.0, cells, 3, &mesh)
                    : shape == 2
                        ? cairn_fem_mesh_sphere(c, k, 0.5, cells, &mesh)
                        : cairn_fem_mesh_box_of_six(c, k, cairn_vec3_of(1, 2, 3), (const int[]){cells, 2, 1}, &mesh);
                CHECK(status == CAIRN_OK);
                if (status != CAIRN_OK) {
                    printf("%s\n", cairn_error_message(c));
                    continue;
                }
                cairn_fem_mesh_view v = cairn_fem_mesh_get(mesh);
                if (shape % 3 == 0)
                    CHECK(v.elements == 2 * cells * (k == CAIRN_ELEMENT_HEX8 ? 1 : shape == 0 ? 5 : 6));
                if (cells < 3)
                    check_skin(&v);
                cairn_fem_material m = cairn_default_fem_material();
                m.density = 1.0;
                cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
                if (kind == CAIRN_ELEMENT_TET4 || shape % 3 == 0) /* faces of the others are bent, or not flat */
                    CHECK_NEAR(skin_volume(&v), p->mass, 1e-12);
                CHECK_NEAR(skin_volume(&v) / p->mass, 1.0, 0.04);
                CHECK(p->mass <= exact + 1e-12);
                if (shape % 3 == 0 || cells == 3)
                    CHECK_NEAR(p->mass / exact, 1.0, shape % 3 == 0 ? 1e-13 : 0.12);
                cairn_fem_part_destroy(p);
                cairn_fem_mesh_release(mesh);
            }
    cairn_context_destroy(c);
}

/* Quadratic tetrahedra follow circles and spheres: their volume is nearer by far than that of straight ones, and never more. */
TEST(quadratic_meshes_are_round) {
    cairn_context *c = plain_context(1);
    for (int shape = 0; shape < 2; shape++)
        for (int cells = 2; cells <= 5; cells++) {
            double mass[2], exact = shape == 0 ? pi * 0.25 * 2.0 : 4.0 / 3.0 * pi * 0.125;
            for (int i = 0; i < 2; i++) {
                cairn_fem_mesh *mesh = NULL;
                cairn_element_kind k = i == 0 ? CAIRN_ELEMENT_TET4 : CAIRN_ELEMENT_TET10;
                cairn_status status = shape == 0 ? cairn_fem_mesh_cylinder(c, k, 0.5, 2.0, cells, 3, &mesh)
                                                 : cairn_fem_mesh_sphere(c, k, 0.5, cells, &mesh);
                CHECK(status == CAIRN_OK);
                cairn_fem_material m = cairn_default_fem_material();
                m.density = 1.0;
                cairn_fem_part *p = part_of(c, mesh, m, cairn_pose_identity());
                mass[i] = p->mass / exact - 1.0;
                cairn_fem_part_destroy(p);
                cairn_fem_mesh_release(mesh);
            }
            CHECK(mass[1] < 0.0 && mass[1] > 0.36 * mass[0]);
            CHECK(cells < 4 || mass[1] > -0.003);
        }
    cairn_context_destroy(c);
}

TEST(made_meshes_refuse_bad_sizes) {
    cairn_context *c = plain_context(1);
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_box(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, -2, 3), (const int[]){1, 1, 1}, &mesh) ==
          CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "(1, -2, 3)");
    CHECK(cairn_fem_mesh_box(c, CAIRN_ELEMENT_BEAM2, cairn_vec3_of(1, 2, 3), (const int[]){1, 1, 1}, &mesh) ==
          CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "tet4, tet10 or hex8");
    CHECK(cairn_fem_mesh_box(c, CAIRN_ELEMENT_TET4, cairn_vec3_of(1, 2, 3), (const int[]){1, 0, 1}, &mesh) ==
          CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "0 cells");
    CHECK(cairn_fem_mesh_sphere(c, CAIRN_ELEMENT_TET4, NAN, 1, &mesh) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_fem_mesh_cylinder(c, CAIRN_ELEMENT_TET4, 1.0, 0.0, 1, 1, &mesh) == CAIRN_ERROR_ARGUMENT);
    cairn_vec3 line[] = {{0, 0, 0}, {1, 0, 0}, {0.1, 0.01, 0}};
    CHECK(cairn_fem_mesh_line(c, 1, line, &mesh) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_fem_mesh_line(c, 3, line, &mesh) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "turns back at node 1");
    CHECK(mesh == NULL);
    cairn_context_destroy(c);
}

/* Two tetrahedra on a common face, to be spoiled. */
typedef struct small_mesh {
    cairn_vec3 node[6];
    cairn_element_kind kind[3];
    int start[4], corner[12], group[3];
    cairn_fem_mesh_def def;
} small_mesh;

static void make_small(small_mesh *s) {
    *s = (small_mesh){.node = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}},
                      .start = {0, 4, 8, 12},
                      .corner = {0, 1, 2, 3, 0, 2, 1, 4, 0, 0, 0, 0}};
    s->def = cairn_default_fem_mesh_def();
    s->def.nodes = 5;
    s->def.node = s->node;
    s->def.elements = 2;
    s->def.kind = s->kind;
    s->def.start = s->start;
    s->def.corner = s->corner;
    s->def.group = s->group;
}

static void expect(cairn_context *c, const small_mesh *s, const char *says) {
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_create(c, &s->def, &mesh) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), says);
    CHECK(mesh == NULL);
}

TEST(bad_meshes_are_refused) {
    cairn_context *c = plain_context(1);
    small_mesh s;
    cairn_fem_mesh *mesh = NULL;
    make_small(&s);
    CHECK(cairn_fem_mesh_create(c, &s.def, &mesh) == CAIRN_OK);
    CHECK(cairn_fem_mesh_get(mesh).faces == 6);
    cairn_fem_mesh_retain(mesh);
    cairn_fem_mesh_release(mesh);
    cairn_fem_mesh_release(mesh);
    mesh = NULL;

    s.def.cookie = 0;
    expect(c, &s, "cairn_default_fem_mesh_def");
    make_small(&s);
    s.def.nodes = 0;
    expect(c, &s, "0 nodes");
    make_small(&s);
    s.node[2].y = NAN;
    expect(c, &s, "node 2 is at");
    make_small(&s);
    s.corner[1] = 5;
    expect(c, &s, "nodes 0 to 4");
    make_small(&s);
    s.corner[1] = -1;
    expect(c, &s, "element 0 (tet4, nodes 0 -1 2 3)");
    make_small(&s);
    s.corner[5] = 0;
    expect(c, &s, "has node 0 twice");
    make_small(&s);
    s.corner[5] = 1;
    s.corner[6] = 2;
    expect(c, &s, "element 1 (tet4, nodes 0 1 2 4) is inverted");
    make_small(&s);
    s.node[3].z = 1e-11;
    expect(c, &s, "is flat");
    make_small(&s);
    s.def.elements = 1;
    expect(c, &s, "no element has node 4");
    make_small(&s);
    s.def.elements = 3;
    memcpy(s.corner + 8, (const int[]){3, 2, 1, 0}, 4 * sizeof(int));
    memcpy(s.corner + 8, (const int[]){1, 2, 0, 3}, 4 * sizeof(int));
    expect(c, &s, "element 0 has the same nodes");
    make_small(&s);
    s.kind[1] = (cairn_element_kind)17;
    expect(c, &s, "kind 17");
    make_small(&s);
    s.start[1] = 3;
    expect(c, &s, "4 nodes are needed");
    make_small(&s);
    s.group[1] = -2;
    expect(c, &s, "group -2");
    make_small(&s); /* a third tetrahedron on the same face */
    s.def.nodes = 6;
    s.def.elements = 3;
    s.node[5] = cairn_vec3_of(0.2, 0.2, 2.0);
    memcpy(s.corner + 8, (const int[]){0, 1, 2, 5}, 4 * sizeof(int));
    expect(c, &s, "three elements share the face");
    make_small(&s); /* a beam that hangs on a solid */
    s.def.nodes = 6;
    s.def.elements = 3;
    s.node[5] = cairn_vec3_of(2, 0, 0);
    s.kind[2] = CAIRN_ELEMENT_BEAM2;
    s.start[3] = 10;
    memcpy(s.corner + 8, (const int[]){1, 5}, 2 * sizeof(int));
    expect(c, &s, "belongs to a beam and to a solid");
    make_small(&s);
    const char *names[] = {"a"};
    const int starts[] = {0, 1}, nodes[] = {7};
    s.def.sets = 1;
    s.def.set_name = names;
    s.def.set_start = starts;
    s.def.set_node = nodes;
    expect(c, &s, "set 'a' has node 7");
    cairn_context_destroy(c);
}

TEST(groups_need_materials) {
    cairn_context *c = plain_context(1);
    small_mesh s;
    cairn_fem_mesh *mesh = NULL;
    cairn_fem_part *p = NULL;
    cairn_fem_material m[2] = {cairn_default_fem_material(), cairn_default_fem_material()};
    make_small(&s);
    s.group[1] = 1;
    m[1].density = 3000.0;
    CHECK(cairn_fem_mesh_create(c, &s.def, &mesh) == CAIRN_OK);
    CHECK(cairn_fem_part_create(c, mesh, 1, m, cairn_pose_identity(), &p) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(c), "element 1 is of group 1");
    CHECK(cairn_fem_part_create(c, mesh, 2, m, cairn_pose_identity(), &p) == CAIRN_OK);
    CHECK_NEAR(p->mass, 4000.0 / 6.0, 1e-9);
    cairn_fem_part_destroy(p);
    cairn_fem_mesh_release(mesh);
    cairn_context_destroy(c);
}

int main(void) {
    RUN(made_meshes_are_closed_and_full);
    RUN(quadratic_meshes_are_round);
    RUN(made_meshes_refuse_bad_sizes);
    RUN(bad_meshes_are_refused);
    RUN(groups_need_materials);
    return test_end();
}
