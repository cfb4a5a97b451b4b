/*
 * part_gain.c: what a step makes of kinetic and elastic energy that no force gives (part.h): works of the elements' impulses J_e = h f_e - K_e v, by elements, against what they store.
 */
#include "fem/part/part_data.h"

#include <math.h>

/* Sums, so many a piece: works along v and along the mean of v_l and v, the first without signs; energies of v - v_l, and of v_l and v. */
enum { ALONG, MEAN, SIZE, CHANGE, KINETIC, SUMS = CAIRN_FEM_SUMS };

typedef struct sweep {
    const cairn_fem_part *part;
    double h;
    const double *v; /* where the step ends */
    double *sum;
} sweep;

/* force <- force - K v of an element, K by blocks a <= b */
static void take_stiffness(int n, const double *K, const double *v, double *force) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++, K += 9)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    force[3 * i + r] -= K[3 * r + c] * v[3 * j + c];
                    if (i != j)
                        force[3 * j + c] -= K[3 * r + c] * v[3 * i + r];
                }
}

static void element_piece(void *user, int chunk, int begin, int end) {
    const sweep *s = user;
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    double *sum = s->sum + SUMS * (size_t)chunk, v[3 * CAIRN_FEM_NODES_MAX], now[3 * CAIRN_FEM_NODES_MAX],
           impulse[3 * CAIRN_FEM_NODES_MAX];
    for (int e = begin; e < end; e++) {
        const int *slot = w->slot + w->slot_start[e];
        const double *force = w->force + 3 * (size_t)w->slot_start[e], *K = w->K + 9 * (size_t)w->block_start[e];
        int n = w->slot_start[e + 1] - w->slot_start[e];
        double along = 0.0, before = 0.0;
        cairn_fem_collect(slot, n, s->v, v);
        cairn_fem_collect(slot, n, part->v, now);
        for (int t = 0; t < 3 * n; t++)
            impulse[t] = s->h * force[t];
        take_stiffness(n, K, v, impulse);
        for (int t = 0; t < 3 * n; t++) {
            along += impulse[t] * v[t];
            before += impulse[t] * now[t];
        }
        sum[ALONG] += along;
        sum[SIZE] += fabs(along);
        sum[MEAN] += 0.5 * (along + before);
    }
}

static void vector_piece(void *user, int chunk, int begin, int end) {
    const sweep *s = user;
    const cairn_fem_work *w = s->part->work;
    double *sum = s->sum + SUMS * (size_t)chunk;
    for (int i = begin; i < end; i++) {
        const double *now = s->part->v + 3 * i, *last = s->v + 3 * i;
        int first = w->lumped ? w->diagonal[i] : w->near_start[i], past = w->lumped ? first + 1 : w->near_start[i + 1];
        for (int p = first; p < past; p++)
            for (int c = 0; c < 3; c++) {
                double a = s->part->v[3 * w->near[p] + c], b = s->v[3 * w->near[p] + c];
                sum[CHANGE] += 0.5 * w->mass[p] * (last[c] - now[c]) * (b - a);
                sum[KINETIC] += 0.5 * w->mass[p] * (now[c] * a + last[c] * b);
            }
    }
}

/* all += the sums over so many things. */
static void add_up(sweep *s, cairn_context *context, int count, cairn_parallel_body piece, double all[SUMS]) {
    int sums = SUMS * cairn_chunks(count, CAIRN_FEM_GRAIN);
    for (int i = 0; i < sums; i++)
        s->sum[i] = 0.0;
    cairn_parallel(context, count, CAIRN_FEM_GRAIN, piece, s);
    for (int i = 0; i < sums; i++)
        all[i % SUMS] += s->sum[i];
}

cairn_fem_gain cairn_fem_part_gain(cairn_fem_part *part, cairn_context *context, double h, const double *v) {
    cairn_fem_work *w = part->work;
    sweep s = {part, h, v, w->sums};
    double *end = w->room, all[SUMS] = {0.0};
    for (int t = 0; t < 3 * part->vectors; t++)
        end[t] = part->x[t] + h * v[t];
    double before = cairn_fem_part_elastic_by(part, context, part->x),
           grown = cairn_fem_part_elastic_by(part, context, end) - before;
    add_up(&s, context, part->view.elements, element_piece, all);
    add_up(&s, context, part->vectors, vector_piece, all);
    return (cairn_fem_gain){.created = grown + all[ALONG] - all[CHANGE],
                            .mean = grown + all[MEAN],
                            .kinetic = all[KINETIC],
                            .elastic = before,
                            .work = all[SIZE]};
}
