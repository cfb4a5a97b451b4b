/*
 * fem_samples.h: parts and small helpers that the tests of finite elements share.
 */
#ifndef CAIRN_TEST_FEM_SAMPLES_H
#define CAIRN_TEST_FEM_SAMPLES_H

#include "fem/part/part.h"
#include "support.h"

static const char *const kind_name[] = {"tet4", "tet10", "hex8", "beam2"};
static const char *const law_name[] = {"corotational", "linear", "svk", "neo_hookean"};

static inline cairn_fem_part *part_of(cairn_context *context, cairn_fem_mesh *mesh, cairn_fem_material material,
                                      cairn_pose pose) {
    cairn_fem_part *part = NULL;
    if (cairn_fem_part_create(context, mesh, 1, &material, pose, &part) != CAIRN_OK) {
        printf("part refused: %s\n", cairn_error_message(context));
        exit(1);
    }
    return part;
}

/* The mesh with other places of its nodes. */
static inline cairn_fem_mesh *moved_mesh(cairn_context *context, const cairn_fem_mesh *from, const cairn_vec3 *node) {
    cairn_fem_mesh_view v = cairn_fem_mesh_get(from);
    cairn_fem_mesh_def def = cairn_default_fem_mesh_def();
    cairn_fem_mesh *mesh = NULL;
    def.nodes = v.nodes;
    def.node = node;
    def.elements = v.elements;
    def.kind = v.kind;
    def.start = v.start;
    def.corner = v.corner;
    if (cairn_fem_mesh_create(context, &def, &mesh) != CAIRN_OK) {
        printf("mesh refused: %s\n", cairn_error_message(context));
        exit(1);
    }
    return mesh;
}

/* A box of cells x cells x cells; the mesh belongs to the part alone. */
static inline cairn_fem_part *box_part(cairn_context *context, cairn_element_kind kind, cairn_vec3 edge,
                                       const int cells[3], cairn_fem_material material) {
    cairn_fem_mesh *mesh = NULL;
    if (cairn_fem_mesh_box(context, kind, edge, cells, &mesh) != CAIRN_OK) {
        printf("mesh refused: %s\n", cairn_error_message(context));
        exit(1);
    }
    cairn_fem_part *part = part_of(context, mesh, material, cairn_pose_identity());
    cairn_fem_mesh_release(mesh);
    return part;
}

static inline double *doubles(int count) {
    double *room = calloc((size_t)count + 1, sizeof *room);
    if (room == NULL)
        exit(1);
    return room;
}

/* y = A x for the part's pattern. */
static inline void times(const cairn_fem_part *p, const double *A, const double *x, double *y) {
    for (int i = 0; i < 3 * p->vectors; i++)
        y[i] = 0.0;
    for (int j = 0; j < 3 * p->vectors; j++)
        for (int e = p->H_start[j]; e < p->H_start[j + 1]; e++)
            y[p->H_row[e]] += A[e] * x[j];
}

/* K alone at the part's x, exact or projected. */
static inline void stiffness(cairn_fem_part *p, double *K) {
    cairn_fem_part_tangent(p, p->x, K);
}

/* K of a step from the part's x: H with h = 1 less H with h = 0, which is M. No damping. */
static inline void step_stiffness(cairn_fem_part *p, double *K) {
    double *M = doubles(p->entries), *k = doubles(3 * p->vectors);
    cairn_vec3 none = {0, 0, 0};
    cairn_fem_part_write(p, 1.0, none, K, k);
    cairn_fem_part_write(p, 0.0, none, M, k);
    for (int e = 0; e < p->entries; e++)
        K[e] -= M[e];
    free(M);
    free(k);
}

static inline double norm(int n, const double *a) {
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static inline double distance(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

#endif
