/*
 * cone_edges.c: the polyhedral cones of [theory 6] by their edges, for methods that know gamma >= 0
 * only.
 *
 *     nonnegative      G = I                              contact, mu = 0    G = e_N
 *     contact, mu > 0  columns (1, mu d_j)                plane              columns (1, mu), (1, -mu)
 *
 * The associated law on such a cone is u'g >= 0 for every column g, gamma = G lambda, lambda >= 0,
 * complementary: the convex relaxation of [A] as a quadratic program. The exact law with friction
 * has no such form.
 */
#include "solve/papers/mt/cone_edges.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static bool fits(const cairn_problem *p, const cairn_block *block) {
    if (!cairn_is_contact(block->set))
        return block->set == CAIRN_SET_BILATERAL || block->set == CAIRN_SET_NONNEGATIVE;
    return block->mu == 0.0 ||
           (p->law == CAIRN_LAW_ASSOCIATED && (block->set == CAIRN_SET_POLY_CONE || block->dim == 2));
}

const char *cairn_cone_edges_refuse(const cairn_problem *p, const cairn_settings *settings) {
    (void)settings;
    if (p->local)
        return "it is in local form; this method needs H and D";
    for (int i = 0; i < p->blocks; i++)
        if (!fits(p, &p->block[i]))
            return cairn_is_contact(p->block[i].set)
                       ? "it has friction; with --law associated and --cone poly:N it would be a quadratic program"
                       : "it has sets other than unilateral and bilateral rows and contacts";
    return NULL;
}

static int most_of(const cairn_block *block) {
    switch (block->set) {
    case CAIRN_SET_NONNEGATIVE:
        return block->dim;
    case CAIRN_SET_POLY_CONE:
        return block->directions;
    case CAIRN_SET_CONE:
        return block->dim == 2 ? 2 : 1;
    default:
        return 0;
    }
}

int64_t cairn_cone_edges_count(const cairn_problem *p) {
    int64_t count = 0;
    for (int i = 0; i < p->blocks; i++)
        count += most_of(&p->block[i]);
    return count;
}

void cairn_cone_edges_layout(cairn_cone_edges *w, cairn_arena *arena, const cairn_problem *p) {
    w->block = cairn_arena_take(arena, (size_t)p->blocks, sizeof *w->block);
    w->G = cairn_arena_take(arena, 3 * (size_t)cairn_cone_edges_count(p), sizeof(double));
}

static void fill_contact(cairn_cone_edges *w, const cairn_block *block, cairn_cone_edges_block *made) {
    bool plane = block->dim == 2;
    made->count = block->mu == 0.0 ? 1 : plane ? 2 : block->directions;
    for (int j = 0; j < made->count; j++) {
        double *g = w->G + 3 * (made->first + j), angle = 2.0 * PI * j / made->count;
        g[0] = 1.0;
        g[1] = block->mu == 0.0 ? 0.0 : plane ? (j == 0 ? block->mu : -block->mu) : block->mu * cos(angle);
        g[2] = block->mu == 0.0 || plane ? 0.0 : block->mu * sin(angle);
    }
}

bool cairn_cone_edges_fill(cairn_cone_edges *w, const cairn_problem *p, const double *row_scale) {
    w->blocks = w->count = 0;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *block = &p->block[i];
        if (!fits(p, block))
            return false;
        if (block->set == CAIRN_SET_BILATERAL)
            continue;
        int row = p->block_start[i];
        cairn_cone_edges_block *made = &w->block[w->blocks++];
        *made = (cairn_cone_edges_block){
            .row = row, .dim = block->dim, .block = i, .first = w->count, .count = block->dim};
        made->scale = row_scale != NULL ? 1.0 / sqrt(row_scale[row]) : 1.0;
        if (block->set != CAIRN_SET_NONNEGATIVE)
            fill_contact(w, block, made);
        made->unit = block->set == CAIRN_SET_NONNEGATIVE;
        w->count += made->count;
    }
    return true;
}

void cairn_cone_edges_velocity(const cairn_cone_edges *w, int i, const double *u, double *y) {
    const cairn_cone_edges_block *b = &w->block[i];
    for (int j = 0; j < b->count; j++) {
        const double *g = w->G + 3 * (b->first + j);
        double sum = b->unit ? u[j] : g[0] * u[0];
        for (int k = 1; k < b->dim && !b->unit; k++)
            sum += g[k] * u[k];
        y[j] = b->scale * sum;
    }
}

void cairn_cone_edges_impulse(const cairn_cone_edges *w, int i, const double *lambda, double *gamma) {
    const cairn_cone_edges_block *b = &w->block[i];
    for (int k = 0; k < b->dim; k++) {
        double sum = b->unit ? lambda[k] : 0.0;
        for (int j = 0; j < b->count && !b->unit; j++)
            sum += w->G[3 * (b->first + j) + k] * lambda[j];
        gamma[k] = b->scale * sum;
    }
}

void cairn_cone_edges_weight(const cairn_cone_edges *w, int i, const double *weight, double *B) {
    const cairn_cone_edges_block *b = &w->block[i];
    double square = b->scale * b->scale;
    memset(B, 0, (size_t)(b->dim * b->dim) * sizeof *B);
    for (int j = 0; j < b->count; j++) {
        const double *g = w->G + 3 * (b->first + j);
        if (b->unit) {
            B[j * (b->dim + 1)] = square * weight[j];
            continue;
        }
        for (int r = 0; r < b->dim; r++)
            for (int c = 0; c < b->dim; c++)
                B[r * b->dim + c] += square * weight[j] * g[r] * g[c];
    }
}

/* gamma_T/mu = p d_j + q d_{j+1} in the sector it lies in; what gamma_N has beyond p + q goes to
 * all directions alike, whose sum is 0. */
void cairn_cone_edges_split(const cairn_cone_edges *w, int i, const double *gamma, double *lambda) {
    const cairn_cone_edges_block *b = &w->block[i];
    for (int j = 0; j < b->count; j++)
        lambda[j] = b->unit ? fmax(0.0, gamma[j] / b->scale) : 0.0;
    if (b->unit)
        return;
    double normal = gamma[0] / b->scale, left = normal;
    if (b->count > 1 && normal > 0.0) {
        const double *first = w->G + 3 * b->first;
        double mu = first[1], x = gamma[1] / (b->scale * mu), y = b->dim == 3 ? gamma[2] / (b->scale * mu) : 0.0;
        double phi = 2.0 * PI / b->count, angle = atan2(y, x), length = hypot(x, y);
        if (angle < 0.0)
            angle += 2.0 * PI;
        int j = (int)(angle / phi) % b->count;
        double inside = angle - j * phi;
        double p = b->dim == 2 ? length : length * sin(phi - inside) / sin(phi);
        double q = b->dim == 2 ? 0.0 : length * sin(inside) / sin(phi);
        lambda[j] += p;
        lambda[(j + 1) % b->count] += fmax(0.0, q);
        left = fmax(0.0, normal - p - q);
    }
    for (int j = 0; j < b->count; j++)
        lambda[j] += fmax(0.0, left) / b->count;
}
