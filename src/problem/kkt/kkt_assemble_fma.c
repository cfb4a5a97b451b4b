/*
 * kkt_assemble_fma.c: the entries of the reduced system of kkt.c [T21 (47a)]: S = H + sum_i D_i W_i
 * D_i', bilateral rows, -Theta_b - C_b.
 *
 * Blocks that touch the same bodies make a class: four to eight contacts between two stones are
 * usual. With [D_a' D_b'] = E_i (dim x width), a class sums its dense square
 *
 *     sum_i E_i' (W_i E_i)        width x width, column by column
 *
 * and adds it to the pairs of bodies at once. For contacts of rigid bodies 1000 flops each, with no
 * index inside; the order of all sums depends on the pattern alone. W_i: diag(weight), or a full
 * block.
 */
#include "problem/kkt/kkt_data.h"

#include <string.h>

typedef double quad __attribute__((vector_size(32)));
typedef double duo __attribute__((vector_size(16)));

/* F = W E for a block with three rows. */
CAIRN_INLINE void weigh_three(int width, const double *restrict weight, const double *restrict B,
                              const double *restrict E, double *restrict F) {
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < width; c++)
            F[k * width + c] = B == NULL
                                   ? weight[k] * E[k * width + c]
                                   : B[3 * k] * E[c] + B[3 * k + 1] * E[width + c] + B[3 * k + 2] * E[2 * width + c];
}

/* sum (12 x 12) += E'F, E and F with three rows: a contact between two rigid bodies. */
CAIRN_INLINE void add_twelve(const double *E, const double *F, double *sum) {
    quad e[9], s;
    for (int q = 0; q < 9; q++)
        memcpy(&e[q], E + 4 * q, sizeof e[q]);
    for (int c = 0; c < 12; c++) {
        double f0 = F[c], f1 = F[12 + c], f2 = F[24 + c];
        for (int q = 0; q < 3; q++, sum += 4) {
            memcpy(&s, sum, sizeof s);
            s += e[q] * f0 + e[3 + q] * f1 + e[6 + q] * f2;
            memcpy(sum, &s, sizeof s);
        }
    }
}

/* sum += E'F for one rigid body: 6 x 6. */
CAIRN_INLINE void add_six(const double *E, const double *F, double *sum) {
    quad e[3], s;
    duo g[3], t;
    for (int k = 0; k < 3; k++) {
        memcpy(&e[k], E + 6 * k, sizeof e[k]);
        memcpy(&g[k], E + 6 * k + 4, sizeof g[k]);
    }
    for (int c = 0; c < 6; c++, sum += 6) {
        double f0 = F[c], f1 = F[6 + c], f2 = F[12 + c];
        memcpy(&s, sum, sizeof s);
        memcpy(&t, sum + 4, sizeof t);
        s += e[0] * f0 + e[1] * f1 + e[2] * f2;
        t += g[0] * f0 + g[1] * f1 + g[2] * f2;
        memcpy(sum, &s, sizeof s);
        memcpy(sum + 4, &t, sizeof t);
    }
}

/* sum += E'F for blocks of any width. */
CAIRN_INLINE void add_three(int width, const double *restrict E, const double *restrict F, double *restrict sum) {
    const double *E1 = E + width, *E2 = E + 2 * width;
    for (int c = 0; c < width; c++, sum += width) {
        double f0 = F[c], f1 = F[width + c], f2 = F[2 * width + c];
        for (int r = 0; r < width; r++)
            sum[r] += E[r] * f0 + E1[r] * f1 + E2[r] * f2;
    }
}

/* sum += E'(W E) for any number of rows; F: room for W E. */
CAIRN_INLINE void add_any(int dim, int width, const double *restrict weight, const double *restrict B,
                          const double *restrict E, double *restrict F, double *restrict sum) {
    for (int k = 0; k < dim; k++) {
        double *f = F + k * width;
        for (int c = 0; c < width; c++)
            f[c] = B == NULL ? weight[k] * E[k * width + c] : B[k * dim] * E[c];
        for (int l = 1; B != NULL && l < dim; l++)
            for (int c = 0; c < width; c++)
                f[c] += B[k * dim + l] * E[l * width + c];
    }
    for (int c = 0; c < width; c++, sum += width)
        for (int k = 0; k < dim; k++)
            for (int r = 0; r < width; r++)
                sum[r] += E[k * width + r] * F[k * width + c];
}

/* An open contact has none. */
CAIRN_INLINE bool no_weight(int dim, const double *B) {
    for (int e = 0; e < dim * dim; e++)
        if (B[e] != 0.0)
            return false;
    return true;
}

/* kkt->sum of one class. */
CAIRN_CLONES_FMA static void sum_class(cairn_kkt *kkt, int class, int width, const double *B) {
    const cairn_problem *p = kkt->problem;
    double *sum = kkt->sum, *F = kkt->weighted;
    memset(sum, 0, (size_t)width * (size_t)width * sizeof *sum);
    for (int j = kkt->class_start[class]; j < kkt->class_start[class + 1]; j++) {
        int i = kkt->class_block[j], dim = p->block[i].dim;
        const double *E = p->body.dense + p->body.dense_start[i], *weight = kkt->weight + p->block_start[i];
        const double *full = B != NULL ? B + kkt->B_start[i] : NULL;
        if (full != NULL && no_weight(dim, full))
            continue;
        if (dim == 3 && width == 12) {
            weigh_three(12, weight, full, E, F);
            add_twelve(E, F, sum);
        } else if (dim == 3 && width == 6) {
            weigh_three(6, weight, full, E, F);
            add_six(E, F, sum);
        } else if (dim == 3) {
            weigh_three(width, weight, full, E, F);
            add_three(width, E, F, sum);
        } else {
            add_any(dim, width, weight, full, E, F, sum);
        }
    }
}

/* to (rows x columns, columns apart by height) += from (columns apart by width). */
CAIRN_INLINE void add_pair(int rows, int columns, const double *restrict from, int width, double *restrict to,
                           int height) {
    for (int c = 0; c < columns; c++, from += width, to += height)
        for (int r = 0; r < rows; r++)
            to[r] += from[r];
}

/* value(pair a, b) += what one class has summed. */
CAIRN_CLONES static void spread_class(cairn_kkt *kkt, int class, int width) {
    const cairn_problem *p = kkt->problem;
    int i = kkt->class_block[kkt->class_start[class]], touched = p->body.touch_start[i + 1] - p->body.touch_start[i];
    const int *touch = p->body.touch + p->body.touch_start[i], *pair = kkt->pair + kkt->pair_start[class];
    const double *from = kkt->sum;
    for (int b = 0; b < touched; b++) {
        int columns = p->body_start[touch[b] + 1] - p->body_start[touch[b]], height = cairn_kkt_height(kkt, touch[b]);
        for (int a = 0, before = 0; a < touched; a++) {
            int rows = p->body_start[touch[a] + 1] - p->body_start[touch[a]];
            double *to = kkt->value + pair[a * touched + b];
            if (rows == 6 && columns == 6)
                add_pair(6, 6, from + before, width, to, height);
            else
                add_pair(rows, columns, from + before, width, to, height);
            before += rows;
        }
        from += columns * width;
    }
}

static void assemble_H(const cairn_kkt *kkt, double *value) {
    const cairn_problem *p = kkt->problem;
    for (int e = 0; e < p->A.start[p->A.cols]; e++)
        value[kkt->A_map[e]] = p->A.value[e];
}

static void assemble_all(cairn_kkt *kkt) {
    memset(kkt->value, 0, (size_t)kkt->start[kkt->size] * sizeof *kkt->value);
    assemble_H(kkt, kkt->value);
}

void cairn_kkt_assemble_base(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    const int *map = kkt->row_map;
    assemble_H(kkt, kkt->base); /* what neither H nor a bilateral row has an entry for is zero from the beginning */
    for (int i = 0; i < p->blocks; i++) {
        const double *row = p->body.dense + p->body.dense_start[i];
        for (int j = p->block_start[i]; j < p->block_start[i + 1] && cairn_kkt_is_saddle(p, i); j++) {
            kkt->base[*map++] = -kkt->theta[j];
            for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++, map += 3) {
                int body = p->body.touch[t], size = p->body_start[body + 1] - p->body_start[body];
                double *across = kkt->base + map[0], *down = kkt->base + map[2];
                memcpy(down, row, (size_t)size * sizeof *down);
                for (int k = 0; k < size; k++, across += map[1])
                    *across = row[k];
                row += size;
            }
        }
    }
}

static void assemble_local(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    for (int j = 0; j < p->m; j++) {
        int at = kkt->start[j];
        while (kkt->index[at] != j)
            at++;
        kkt->value[at] += kkt->theta[j];
    }
}

/* value <- base: all of it, or what eliminated blocks have changed since. */
static void take_base(cairn_kkt *kkt) {
    for (int g = 0; g < kkt->groups; g++) {
        size_t from = (size_t)kkt->start[kkt->group_first[g]], to = (size_t)kkt->start[kkt->group_first[g + 1]];
        if (!kkt->settled || kkt->changing == NULL || kkt->changing[g])
            memcpy(kkt->value + from, kkt->base + from, (to - from) * sizeof *kkt->value);
    }
}

void cairn_kkt_assemble(cairn_kkt *kkt, const double *B) {
    const cairn_problem *p = kkt->problem;
    if (kkt->base != NULL)
        take_base(kkt);
    else
        assemble_all(kkt);
    if (p->local) {
        assemble_local(kkt);
        return;
    }
    for (int class = 0; class < kkt->classes; class ++) {
        int width = p->body.width[kkt->class_block[kkt->class_start[class]]];
        if (width == 0)
            continue;
        sum_class(kkt, class, width, B);
        spread_class(kkt, class, width);
    }
}
