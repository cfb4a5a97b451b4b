/*
 * fem.c: what the matrix of a flexible part costs: microseconds an element for force, stiffness and gathering, by kind and law, and the entries of H
 * written a second beside what memset writes. fem [cells [threads]]
 */
#include "fem/part/part.h"

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"tet4", "tet10", "hex8", "beam2"};
static const char *const laws[] = {"corotational", "linear", "svk", "neo_hookean"};

/* One thread: time of the processor, which others do not lengthen much; more: time of the wall. */
static double now(const cairn_fem_part *p) {
    return cairn_thread_count(p->context) == 1 ? cairn_cpu_now() : cairn_now();
}

static double best_write(cairn_fem_part *p, double *H, double *k) {
    double best = 1e9, spent = 0.0;
    for (int round = 0; round < 200 && (round < 5 || spent < 0.3); round++) {
        double begin = now(p);
        cairn_fem_part_write(p, 1e-3, cairn_vec3_of(0, 0, -9.81), H, k);
        double took = now(p) - begin;
        best = took < best ? took : best;
        spent += took;
    }
    return best;
}

static cairn_status make_mesh(cairn_context *c, int kind, int cells, cairn_fem_mesh **mesh) {
    if (kind < CAIRN_ELEMENT_BEAM2)
        return cairn_fem_mesh_box(c, (cairn_element_kind)kind, cairn_vec3_of(1, 1, 1),
                                  (const int[]){cells, cells, cells}, mesh);
    int points = 5 * cells * cells;
    cairn_vec3 *point = calloc((size_t)points, sizeof *point);
    for (int i = 0; point != NULL && i < points; i++)
        point[i].x = 0.01 * i;
    cairn_status status = cairn_fem_mesh_line(c, points, point, mesh);
    free(point);
    return status;
}

static void run(cairn_context *c, int kind, int law, int cells, double nu) {
    cairn_fem_mesh *mesh = NULL;
    cairn_fem_part *p = NULL;
    cairn_fem_material m = cairn_default_fem_material();
    m.law = (cairn_fem_law)law;
    m.nu = nu;
    if (make_mesh(c, kind, cells, &mesh) != CAIRN_OK ||
        cairn_fem_part_create(c, mesh, 1, &m, cairn_pose_identity(), &p) != CAIRN_OK) {
        fprintf(stderr, "%s\n", cairn_error_message(c));
        exit(1);
    }
    unsigned state = 1;
    for (int i = 0; i < 3 * p->vectors; i++) { /* strained by some percent: some elements squeezed, some stretched */
        state = state * 1664525u + 1013904223u;
        p->x[i] += 0.02 / cells * ((state >> 8) * 0x1p-23 - 1.0);
    }
    double *H = calloc((size_t)p->entries, sizeof *H), *k = calloc(3 * (size_t)p->vectors, sizeof *k);
    double took = best_write(p, H, k), begin = now(p);
    memset(H, 1, (size_t)p->entries * sizeof *H);
    double set = now(p) - begin;
    printf("| %s | %s | %d | %d | %.2f | %.0f | %.0f |\n", kinds[kind], kind == 3 ? "" : laws[law], p->view.elements,
           p->entries, 1e6 * took / p->view.elements, 1e-6 * p->entries / took, 1e-6 * p->entries / set);
    free(H);
    free(k);
    cairn_fem_part_destroy(p);
    cairn_fem_mesh_release(mesh);
}

int main(int count, char **argument) {
    int cells = count > 1 ? atoi(argument[1]) : 10;
    cairn_context_def def = cairn_default_context_def();
    def.threads = count > 2 ? atoi(argument[2]) : 1;
    double nu = count > 3 ? atof(argument[3]) : 0.3;
    cairn_context *c = NULL;
    if (cells < 1 || cells > 100 || !(nu > -1.0 && nu < 0.5) || cairn_context_create(&def, &c) != CAIRN_OK) {
        fprintf(stderr, "usage: fem [cells [threads [nu]]], cells from 1 to 100\n");
        return 2;
    }
    printf("| element | law | elements | entries of H | us an element | million entries/s | memset "
           "|\n|---|---|---|---|---|---|---|\n");
    for (int kind = 0; kind < 4; kind++)
        for (int law = 0; law < (kind == 3 ? 1 : 4); law++)
            run(c, kind, law, cells, nu);
    cairn_context_destroy(c);
    return 0;
}
