/*
 * part_force.c: elastic energy of a part, its slope and its curvature, wherever its vectors are. A step (part_write.c) asks for none of them: they are what is told,
 * and what equilibria are found by.
 */
#include "fem/element/tet4_simd.h"
#include "fem/part/part_data.h"

#include <string.h>

/* What one evaluation of all elements wants. */
typedef struct sweep {
    cairn_context *context;
    const cairn_fem_part *part;
    const double *x;
    bool stiffness, force;
} sweep;

/* Energies of four elements alike; false: one by one. */
static bool energy_of_four(const sweep *s, int e, double *sum) {
    const cairn_fem_work *w = s->part->work;
    double energy[CAIRN_FEM_LANES];
    cairn_fem_quad quad;
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        quad.kept[l] = w->kept + w->kept_start[e + l];
        cairn_fem_collect(w->slot + w->slot_start[e + l], 4, s->x, quad.x[l]);
    }
    if (!cairn_fem_quad_energy(&w->stuff[s->part->view.group[e]], &quad, energy))
        return false;
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        *sum += energy[l];
    return true;
}

static void evaluate_piece(void *user, int chunk, int begin, int end) {
    const sweep *s = user;
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    double x[3 * CAIRN_FEM_NODES_MAX], sum = 0.0;
    for (int e = begin; e < end; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(part->view.kind[e]);
        if (!s->force && !s->stiffness && cairn_fem_part_alike(part, e, end) && energy_of_four(s, e, &sum)) {
            e += CAIRN_FEM_LANES - 1;
            continue;
        }
        cairn_fem_collect(w->slot + w->slot_start[e], element->nodes * element->vectors, s->x, x);
        sum += element->evaluate(element, &w->stuff[part->view.group[e]], w->kept + w->kept_start[e], x,
                                 s->force ? w->force + 3 * (size_t)w->slot_start[e] : NULL,
                                 s->stiffness ? w->K + 9 * (size_t)w->block_start[e] : NULL);
    }
    w->energy[chunk] = sum;
}

static void run(sweep *s) {
    cairn_parallel(s->context, s->part->view.elements, CAIRN_FEM_GRAIN, evaluate_piece, s);
}

/* Steps ask for the energy of the same places more than once: bit for bit the same. */
double cairn_fem_part_elastic_by(const cairn_fem_part *part, cairn_context *context, const double *x) {
    cairn_fem_work *w = part->work;
    size_t n = 3 * (size_t)part->vectors;
    for (int i = 0; i < w->seen_count; i++)
        if (memcmp(w->seen + (n + 1) * (size_t)i, x, n * sizeof *x) == 0)
            return w->seen[(n + 1) * (size_t)i + n];
    sweep s = {.context = context, .part = part, .x = x};
    run(&s);
    double sum = 0.0;
    for (int i = 0; i < cairn_chunks(part->view.elements, CAIRN_FEM_GRAIN); i++)
        sum += w->energy[i];
    double *seen = w->seen + (n + 1) * (size_t)w->seen_next;
    memcpy(seen, x, n * sizeof *x);
    seen[n] = sum;
    w->seen_next = (w->seen_next + 1) % CAIRN_FEM_SEEN;
    w->seen_count += w->seen_count < CAIRN_FEM_SEEN;
    return sum;
}

double cairn_fem_part_elastic(const cairn_fem_part *part, const double *x) {
    return cairn_fem_part_elastic_by(part, part->context, x);
}

void cairn_fem_part_force(const cairn_fem_part *part, const double *x, double *force) {
    sweep s = {.context = part->context, .part = part, .x = x, .force = true};
    run(&s);
    for (int i = 0; i < part->vectors; i++)
        cairn_fem_pull(part->work, i, force + 3 * i);
}

void cairn_fem_part_tangent(const cairn_fem_part *part, const double *x, double *K) {
    sweep s = {.context = part->context, .part = part, .x = x, .stiffness = true};
    run(&s);
    for (int i = 0; i < part->vectors; i++)
        cairn_fem_spread_row(part, i, 0.0, 0.0, K);
}
