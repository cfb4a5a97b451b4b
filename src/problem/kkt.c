/*
 * kkt.c: the saddle-point system of [T21 (36), (47a)], reduced to
 *
 *     [ S    D_b          ] [  v       ]   [ p + D_c (Theta_c + C_c)^-1 q_c ]      S = H + D_c (Theta_c + C_c)^-1 D_c'
 *     [ D_b' -Theta_b-C_b ] [ -gamma_b ] = [ q_b                            ]
 *     gamma_c = (Theta_c + C_c)^-1 (q_c - D_c'v)
 *
 * c: all blocks that are eliminated; b: bilateral blocks, which stay as saddle rows because 1/rho_b would ruin S
 * [theory 2]. Rows are cut into groups, one a body: the body's rows, then the bilateral rows given to it, so
 * that a joint's row never comes before a body it holds and its pivot is -(D_b'S^-1 D_b + Theta_b + C_b), not -Theta_b.
 *
 * Storage of the matrix: block columns. A column of group g lists the rows of g's neighbours, group after group:
 *
 *     value:  | column 0 of g: [nb 0][nb 1]... | column 1 of g: [nb 0][nb 1]... | ...      all of length height[g]
 *
 * so the block (h, g) sits at base + column*height[g] + row, and an eliminated constraint block knows the bases of the
 * pairs of bodies it touches. Assembly costs 2*dim*36 flops a pair; nothing is searched for.
 */
#include "kkt.h"

#include "../linalg/factor.h"

#include <math.h>
#include <string.h>

#define REFINE_MAX  3     /* steps */
#define REFINE_GOAL 1e-12 /* componentwise backward error that needs no refinement */

struct cairn_kkt {
    const cairn_problem *problem;
    cairn_context *context;
    int size; /* rows of the reduced system */
    int groups;
    int *group_first;     /* groups + 1: first position of each group */
    int *neighbour_start; /* groups + 1 */
    int *neighbour;       /* sorted groups that share an entry with this one, itself included */
    int *neighbour_row;   /* rows before this neighbour in a column of the group */
    int *start, *index;   /* the pattern, expanded */
    double *value;
    int *body_of;         /* n: body of a velocity row */
    int *position;        /* n + m: where a velocity row, then where a bilateral row stands; -1: eliminated */
    int *A_map;           /* entries of H (or N) -> value */
    int *row_map;         /* bilateral rows: for each entry of D two places, in the order of D's entries; others -1 */
    int *touch_start;     /* blocks + 1 */
    int *touch;           /* bodies an eliminated block touches, sorted */
    int64_t *pair_start;  /* blocks + 1 */
    int *pair;            /* touch x touch bases */
    int64_t *dense_start; /* blocks + 1 */
    double *dense;        /* D of an eliminated block: dim rows over the rows of its bodies */
    signed char *sign;    /* size */
    cairn_factor *factor;
    double *weight;  /* m: 1/(theta + C); bilateral rows: theta + C */
    double *theta;   /* m: theta + C */
    double *x;       /* size */
    double *t;       /* m */
    double *rp, *rq; /* n, m: residual */
    double *dv, *dg; /* n, m: correction */
    int refine;      /* steps for this factor, -1: not measured */
    double backward_error;
    int solves;
};

static int block_size(const cairn_kkt *kkt, int g) {
    return kkt->group_first[g + 1] - kkt->group_first[g];
}

static int group_height(const cairn_kkt *kkt, int g) {
    int last = kkt->neighbour_start[g + 1] - 1;
    return kkt->neighbour_row[last] + block_size(kkt, kkt->neighbour[last]);
}

/* Place of the block (row group h, column group g) in value. The pair must exist. */
static int block_base(const cairn_kkt *kkt, int h, int g) {
    int low = kkt->neighbour_start[g], high = kkt->neighbour_start[g + 1];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (kkt->neighbour[middle] <= h)
            low = middle;
        else
            high = middle;
    }
    CAIRN_ASSERT(kkt->neighbour[low] == h);
    return kkt->start[kkt->group_first[g]] + kkt->neighbour_row[low];
}

static int group_of(const cairn_kkt *kkt, int position) {
    int low = 0, high = kkt->groups;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (kkt->group_first[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int place(const cairn_kkt *kkt, int row, int col) {
    int h = group_of(kkt, row), g = group_of(kkt, col);
    return block_base(kkt, h, g) + (col - kkt->group_first[g]) * group_height(kkt, g) + row - kkt->group_first[h];
}

static bool is_saddle(const cairn_problem *p, int block) {
    return p->block[block].set == CAIRN_SET_BILATERAL;
}

/* Bodies that a constraint block touches, sorted, into list (room for all entries). */
static int touched_bodies(const cairn_kkt *kkt, int block, int *list) {
    const cairn_problem *p = kkt->problem;
    int count = 0;
    for (int e = p->D.start[p->block_start[block]]; e < p->D.start[p->block_start[block + 1]]; e++) {
        int body = kkt->body_of[p->D.index[e]], at = count;
        while (at > 0 && list[at - 1] > body)
            at--;
        if (at > 0 && list[at - 1] == body)
            continue;
        memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
        list[at] = body;
        count++;
    }
    return count;
}

/* Gives every bilateral block to the body it touches that has the fewest such rows, and numbers all rows. */
static cairn_status place_rows(cairn_kkt *kkt, int *list) {
    const cairn_problem *p = kkt->problem;
    cairn_context *context = kkt->context;
    int *owner = cairn_alloc(context, (size_t)p->blocks, sizeof *owner);
    int *extra = cairn_alloc(context, (size_t)p->bodies + 1, sizeof *extra);
    if (owner == NULL || extra == NULL) {
        cairn_free(context, owner);
        cairn_free(context, extra);
        return CAIRN_ERROR_MEMORY;
    }
    for (int i = 0; i < p->blocks; i++) {
        if (!is_saddle(p, i))
            continue;
        int count = touched_bodies(kkt, i, list);
        for (int c = 1; c < count; c++)
            if (extra[list[c]] < extra[list[0]])
                list[0] = list[c];
        owner[i] = count > 0 ? list[0] : 0;
        extra[owner[i]] += p->block[i].dim;
    }
    for (int body = 0; body < p->bodies; body++) {
        int own = p->body_start[body + 1] - p->body_start[body];
        kkt->group_first[body + 1] = kkt->group_first[body] + own + extra[body];
        for (int i = p->body_start[body]; i < p->body_start[body + 1]; i++)
            kkt->position[i] = kkt->group_first[body] + i - p->body_start[body];
        extra[body] = kkt->group_first[body] + own; /* next free position */
    }
    for (int i = 0; i < p->blocks; i++)
        for (int r = p->block_start[i]; r < p->block_start[i + 1]; r++)
            kkt->position[p->n + r] = is_saddle(p, i) ? extra[owner[i]]++ : -1;
    kkt->size = kkt->group_first[p->bodies];
    cairn_free(context, owner);
    cairn_free(context, extra);
    return CAIRN_OK;
}

/* Pairs of groups that share an entry, as triplets: every clique of touched bodies, and the couplings of H. row NULL:
 * count only. */
static int64_t list_pairs(const cairn_kkt *kkt, int *list, int *row, int *col) {
    const cairn_problem *p = kkt->problem;
    int64_t count = 0;
#define PUT(a, b) \
    do { \
        if (row != NULL) { \
            row[count] = (a); \
            col[count] = (b); \
        } \
        count++; \
    } while (0)
    for (int g = 0; g < kkt->groups; g++)
        PUT(g, g);
    for (int j = 0; j < p->n; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) {
            int a = kkt->body_of[p->A.index[e]], b = kkt->body_of[j];
            if (a != b) {
                PUT(a, b);
                PUT(b, a);
            }
        }
    for (int i = 0; i < p->blocks; i++) {
        int touched = touched_bodies(kkt, i, list);
        if (is_saddle(p, i) && touched > 0) {
            int home = group_of(kkt, kkt->position[p->n + p->block_start[i]]);
            for (int a = 0; a < touched; a++) {
                PUT(list[a], home);
                PUT(home, list[a]);
            }
        } else {
            for (int a = 0; a < touched; a++)
                for (int b = 0; b < touched; b++)
                    if (a != b)
                        PUT(list[a], list[b]);
        }
    }
#undef PUT
    return count;
}

static cairn_status find_neighbours(cairn_kkt *kkt, int *list) {
    cairn_context *context = kkt->context;
    int64_t count = list_pairs(kkt, list, NULL, NULL);
    if (count > INT32_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "the problem couples more than 2^31 pairs of bodies");
    int *row = cairn_alloc(context, (size_t)count, sizeof *row);
    int *col = cairn_alloc(context, (size_t)count, sizeof *col);
    double *one = cairn_alloc(context, (size_t)count, sizeof *one);
    cairn_status status = row == NULL || col == NULL || one == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
    cairn_csc quotient = {0};
    if (status == CAIRN_OK) {
        list_pairs(kkt, list, row, col);
        for (int64_t e = 0; e < count; e++)
            one[e] = 1.0;
        cairn_sparse pairs = {.format = CAIRN_SPARSE_TRIPLET,
                              .rows = kkt->groups,
                              .cols = kkt->groups,
                              .entries = (int)count,
                              .row = row,
                              .col = col,
                              .value = one};
        status = cairn_csc_create(context, "quotient graph", &pairs, &quotient);
    }
    cairn_free(context, row);
    cairn_free(context, col);
    cairn_free(context, one);
    if (status != CAIRN_OK)
        return status;
    kkt->neighbour_start = quotient.start;
    kkt->neighbour = quotient.index;
    cairn_free(context, quotient.value);
    kkt->neighbour_row = cairn_alloc(context, (size_t)quotient.start[kkt->groups], sizeof *kkt->neighbour_row);
    return kkt->neighbour_row == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

/* Expands the quotient graph into the pattern of the reduced system. */
static cairn_status expand_pattern(cairn_kkt *kkt) {
    cairn_context *context = kkt->context;
    int64_t entries = 0;
    for (int g = 0; g < kkt->groups; g++) {
        int rows = 0;
        for (int e = kkt->neighbour_start[g]; e < kkt->neighbour_start[g + 1]; e++) {
            kkt->neighbour_row[e] = rows;
            rows += block_size(kkt, kkt->neighbour[e]);
        }
        entries += (int64_t)rows * block_size(kkt, g);
    }
    if (entries > INT32_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "the system has more than 2^31 entries");
    kkt->start = cairn_alloc(context, (size_t)kkt->size + 1, sizeof *kkt->start);
    kkt->index = cairn_alloc(context, (size_t)entries, sizeof *kkt->index);
    kkt->value = cairn_alloc(context, (size_t)entries, sizeof *kkt->value);
    if (kkt->start == NULL || kkt->index == NULL || kkt->value == NULL)
        return CAIRN_ERROR_MEMORY;
    int at = 0;
    for (int g = 0; g < kkt->groups; g++)
        for (int c = kkt->group_first[g]; c < kkt->group_first[g + 1]; c++) {
            kkt->start[c] = at;
            for (int e = kkt->neighbour_start[g]; e < kkt->neighbour_start[g + 1]; e++)
                for (int r = kkt->group_first[kkt->neighbour[e]]; r < kkt->group_first[kkt->neighbour[e] + 1]; r++)
                    kkt->index[at++] = r;
        }
    kkt->start[kkt->size] = at;
    return CAIRN_OK;
}

/* Where the entries of H and of the bilateral rows go. */
static cairn_status map_entries(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    kkt->A_map = cairn_alloc(kkt->context, (size_t)p->A.start[p->n], sizeof *kkt->A_map);
    kkt->row_map = cairn_alloc(kkt->context, 2 * (size_t)p->D.start[p->m], sizeof *kkt->row_map);
    if (kkt->A_map == NULL || kkt->row_map == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int j = 0; j < p->n; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++)
            kkt->A_map[e] = place(kkt, kkt->position[p->A.index[e]], kkt->position[j]);
    for (int j = 0; j < p->m; j++) {
        int row = kkt->position[p->n + j];
        for (int e = p->D.start[j]; row >= 0 && e < p->D.start[j + 1]; e++) {
            kkt->row_map[2 * e] = place(kkt, row, kkt->position[p->D.index[e]]);
            kkt->row_map[2 * e + 1] = place(kkt, kkt->position[p->D.index[e]], row);
        }
    }
    return CAIRN_OK;
}

/* Counts, or fills when memory is there, what eliminated blocks touch. */
static void gather_touch(cairn_kkt *kkt, int *list) {
    const cairn_problem *p = kkt->problem;
    for (int i = 0; i < p->blocks; i++) {
        int touched = is_saddle(p, i) ? 0 : touched_bodies(kkt, i, list), width = 0;
        for (int a = 0; a < touched; a++)
            width += p->body_start[list[a] + 1] - p->body_start[list[a]];
        kkt->touch_start[i + 1] = kkt->touch_start[i] + touched;
        kkt->pair_start[i + 1] = kkt->pair_start[i] + (int64_t)touched * touched;
        kkt->dense_start[i + 1] = kkt->dense_start[i] + (int64_t)width * p->block[i].dim;
        if (kkt->touch == NULL)
            continue;
        memcpy(kkt->touch + kkt->touch_start[i], list, (size_t)touched * sizeof *list);
        for (int a = 0; a < touched; a++)
            for (int b = 0; b < touched; b++)
                kkt->pair[kkt->pair_start[i] + a * touched + b] = block_base(kkt, list[a], list[b]);
        double *dense = kkt->dense + kkt->dense_start[i];
        for (int r = 0; touched > 0 && r < p->block[i].dim; r++) {
            int a = 0, before = 0;
            for (int e = p->D.start[p->block_start[i] + r]; e < p->D.start[p->block_start[i] + r + 1]; e++) {
                while (p->D.index[e] >= p->body_start[list[a] + 1]) {
                    before += p->body_start[list[a] + 1] - p->body_start[list[a]];
                    a++;
                }
                dense[r * width + before + p->D.index[e] - p->body_start[list[a]]] = p->D.value[e];
            }
        }
    }
}

static cairn_status map_blocks(cairn_kkt *kkt, int *list) {
    cairn_context *context = kkt->context;
    size_t blocks = (size_t)kkt->problem->blocks;
    kkt->touch_start = cairn_alloc(context, blocks + 1, sizeof *kkt->touch_start);
    kkt->pair_start = cairn_alloc(context, blocks + 1, sizeof *kkt->pair_start);
    kkt->dense_start = cairn_alloc(context, blocks + 1, sizeof *kkt->dense_start);
    if (kkt->touch_start == NULL || kkt->pair_start == NULL || kkt->dense_start == NULL)
        return CAIRN_ERROR_MEMORY;
    gather_touch(kkt, list);
    kkt->pair = cairn_alloc(context, (size_t)kkt->pair_start[blocks], sizeof *kkt->pair);
    kkt->dense = cairn_alloc(context, (size_t)kkt->dense_start[blocks], sizeof *kkt->dense);
    if (kkt->pair == NULL || kkt->dense == NULL)
        return CAIRN_ERROR_MEMORY;
    kkt->touch = cairn_alloc(context, (size_t)kkt->touch_start[blocks], sizeof *kkt->touch);
    if (kkt->touch == NULL)
        return CAIRN_ERROR_MEMORY;
    gather_touch(kkt, list);
    return CAIRN_OK;
}

static cairn_status prepare_global(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    cairn_context *context = kkt->context;
    kkt->groups = p->bodies;
    kkt->group_first = cairn_alloc(context, (size_t)p->bodies + 1, sizeof *kkt->group_first);
    kkt->body_of = cairn_alloc(context, (size_t)p->n, sizeof *kkt->body_of);
    int *list = cairn_alloc(context, (size_t)p->n + 1, sizeof *list);
    cairn_status status = kkt->group_first == NULL || kkt->body_of == NULL || list == NULL ? CAIRN_ERROR_MEMORY
                                                                                           : CAIRN_OK;
    if (status == CAIRN_OK) {
        for (int body = 0; body < p->bodies; body++)
            for (int i = p->body_start[body]; i < p->body_start[body + 1]; i++)
                kkt->body_of[i] = body;
        status = place_rows(kkt, list);
    }
    if (status == CAIRN_OK)
        status = find_neighbours(kkt, list);
    if (status == CAIRN_OK)
        status = expand_pattern(kkt);
    if (status == CAIRN_OK)
        status = map_entries(kkt);
    if (status == CAIRN_OK)
        status = map_blocks(kkt, list);
    cairn_free(context, list);
    return status;
}

static cairn_status prepare_local(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    cairn_pattern pattern;
    cairn_status status = cairn_pattern_create(kkt->context, &p->A, &pattern);
    if (status != CAIRN_OK)
        return status;
    kkt->size = p->m;
    kkt->groups = p->blocks;
    kkt->start = pattern.start;
    kkt->index = pattern.index;
    kkt->A_map = pattern.map;
    kkt->group_first = cairn_alloc(kkt->context, (size_t)p->blocks + 1, sizeof *kkt->group_first);
    kkt->value = cairn_alloc(kkt->context, (size_t)pattern.start[p->m], sizeof *kkt->value);
    if (kkt->group_first == NULL || kkt->value == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(kkt->group_first, p->block_start, ((size_t)p->blocks + 1) * sizeof *kkt->group_first);
    return CAIRN_OK;
}

static cairn_status take_vectors(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    cairn_context *context = kkt->context;
    size_t n = (size_t)p->n, m = (size_t)p->m;
    kkt->sign = cairn_alloc(context, (size_t)kkt->size, sizeof *kkt->sign);
    kkt->x = cairn_alloc(context, (size_t)kkt->size, sizeof *kkt->x);
    double **of_m[] = {&kkt->weight, &kkt->theta, &kkt->t, &kkt->rq, &kkt->dg};
    double **of_n[] = {&kkt->rp, &kkt->dv};
    bool all = kkt->sign != NULL && kkt->x != NULL;
    for (int i = 0; i < 5; i++) {
        *of_m[i] = cairn_alloc(context, m, sizeof(double));
        all = all && *of_m[i] != NULL;
    }
    for (int i = 0; i < 2; i++) {
        *of_n[i] = cairn_alloc(context, n, sizeof(double));
        all = all && *of_n[i] != NULL;
    }
    if (!all)
        return CAIRN_ERROR_MEMORY;
    memset(kkt->sign, 1, (size_t)kkt->size);
    for (int j = 0; !p->local && j < p->m; j++)
        if (kkt->position[p->n + j] >= 0)
            kkt->sign[kkt->position[p->n + j]] = -1;
    return CAIRN_OK;
}

cairn_status cairn_kkt_create(const cairn_problem *problem, cairn_kkt **out) {
    cairn_context *context = problem->context;
    cairn_kkt *kkt = cairn_alloc(context, 1, sizeof *kkt);
    if (kkt == NULL)
        return CAIRN_ERROR_MEMORY;
    kkt->problem = problem;
    kkt->context = context;
    kkt->position = cairn_alloc(context, (size_t)problem->n + (size_t)problem->m, sizeof *kkt->position);
    cairn_status status = kkt->position == NULL ? CAIRN_ERROR_MEMORY
                          : problem->local      ? prepare_local(kkt)
                                                : prepare_global(kkt);
    if (status == CAIRN_OK)
        status = take_vectors(kkt);
    if (status == CAIRN_OK)
        status = cairn_factor_analyze(context, kkt->size, kkt->start, kkt->index, kkt->groups, kkt->group_first,
                                      !problem->unsymmetric, &kkt->factor);
    if (status != CAIRN_OK) {
        cairn_kkt_destroy(kkt);
        return status;
    }
    *out = kkt;
    return CAIRN_OK;
}

void cairn_kkt_destroy(cairn_kkt *kkt) {
    if (kkt == NULL)
        return;
    cairn_context *context = kkt->context;
    cairn_factor_destroy(kkt->factor);
    void *owned[] = {kkt->group_first,
                     kkt->neighbour_start,
                     kkt->neighbour,
                     kkt->neighbour_row,
                     kkt->start,
                     kkt->index,
                     kkt->value,
                     kkt->body_of,
                     kkt->position,
                     kkt->A_map,
                     kkt->row_map,
                     kkt->touch_start,
                     kkt->touch,
                     kkt->pair_start,
                     kkt->pair,
                     kkt->dense_start,
                     kkt->dense,
                     kkt->sign,
                     kkt->weight,
                     kkt->theta,
                     kkt->x,
                     kkt->t,
                     kkt->rp,
                     kkt->rq,
                     kkt->dv,
                     kkt->dg,
                     kkt};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(context, owned[i]);
}

/* value(pair a, b) += D_a' diag(weight) D_b for one eliminated block. */
static void add_block(cairn_kkt *kkt, int i) {
    const cairn_problem *p = kkt->problem;
    int touched = kkt->touch_start[i + 1] - kkt->touch_start[i], dim = p->block[i].dim;
    if (touched == 0)
        return;
    const int *touch = kkt->touch + kkt->touch_start[i];
    const int *pair = kkt->pair + kkt->pair_start[i];
    const double *dense = kkt->dense + kkt->dense_start[i], *weight = kkt->weight + p->block_start[i];
    int width = (int)((kkt->dense_start[i + 1] - kkt->dense_start[i]) / dim);
    for (int b = 0, column = 0; b < touched; b++) {
        int columns = p->body_start[touch[b] + 1] - p->body_start[touch[b]], height = group_height(kkt, touch[b]);
        for (int c = 0; c < columns; c++, column++)
            for (int a = 0, before = 0; a < touched; a++) {
                int rows = p->body_start[touch[a] + 1] - p->body_start[touch[a]];
                double *to = kkt->value + pair[a * touched + b] + (ptrdiff_t)c * height;
                for (int k = 0; k < dim; k++) {
                    double f = weight[k] * dense[k * width + column];
                    const double *from = dense + k * width + before;
                    if (f != 0.0)
                        for (int r = 0; r < rows; r++)
                            to[r] += f * from[r];
                }
                before += rows;
            }
    }
}

static void assemble_global(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    for (int e = 0; e < p->A.start[p->n]; e++)
        kkt->value[kkt->A_map[e]] = p->A.value[e];
    for (int i = 0; i < p->blocks; i++) {
        if (!is_saddle(p, i)) {
            add_block(kkt, i);
            continue;
        }
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++) {
            for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++) {
                kkt->value[kkt->row_map[2 * e]] = p->D.value[e];
                kkt->value[kkt->row_map[2 * e + 1]] = p->D.value[e];
            }
            int at = kkt->position[p->n + j];
            kkt->value[place(kkt, at, at)] = -kkt->theta[j];
        }
    }
}

static void assemble_local(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    for (int e = 0; e < p->A.start[p->m]; e++)
        kkt->value[kkt->A_map[e]] = p->A.value[e];
    for (int j = 0; j < p->m; j++) {
        int at = kkt->start[j];
        while (kkt->index[at] != j)
            at++;
        kkt->value[at] += kkt->theta[j];
    }
}

cairn_status cairn_kkt_factor(cairn_kkt *kkt, const double *theta) {
    const cairn_problem *p = kkt->problem;
    for (int j = 0; j < p->m; j++) {
        kkt->theta[j] = theta[j] + p->C[j];
        kkt->weight[j] = 1.0 / kkt->theta[j];
        if (!(theta[j] > 0.0) || !isfinite(kkt->weight[j]))
            return cairn_fail(kkt->context, CAIRN_ERROR_NUMERICAL, "the penalty of row %d is %g, expected > 0", j,
                              theta[j]);
    }
    memset(kkt->value, 0, (size_t)kkt->start[kkt->size] * sizeof *kkt->value);
    if (p->local)
        assemble_local(kkt);
    else
        assemble_global(kkt);
    kkt->refine = -1;
    return cairn_factor_numeric(kkt->factor, kkt->value, kkt->sign);
}

/* One back-substitution of the reduced system. */
static void solve_once(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    const cairn_problem *problem = kkt->problem;
    int n = problem->n, m = problem->m;
    kkt->solves++;
    if (problem->local) {
        memcpy(gamma, q, (size_t)m * sizeof *gamma);
        cairn_factor_solve(kkt->factor, gamma);
        return;
    }
    const int *position = kkt->position;
    for (int j = 0; j < m; j++)
        kkt->t[j] = position[n + j] < 0 ? kkt->weight[j] * q[j] : 0.0;
    memcpy(v, p, (size_t)n * sizeof *v);
    cairn_csc_gather(kkt->context, &problem->Dt, kkt->t, 1.0, v);
    for (int i = 0; i < n; i++)
        kkt->x[position[i]] = v[i];
    for (int j = 0; j < m; j++)
        if (position[n + j] >= 0)
            kkt->x[position[n + j]] = q[j];
    cairn_factor_solve(kkt->factor, kkt->x);
    for (int i = 0; i < n; i++)
        v[i] = kkt->x[position[i]];
    cairn_csc_gather(kkt->context, &problem->D, v, 0.0, gamma);
    for (int j = 0; j < m; j++)
        gamma[j] = position[n + j] < 0 ? kkt->weight[j] * (q[j] - gamma[j]) : -kkt->x[position[n + j]];
}

/* rp = p - (Hv - D gamma), rq = q - (D'v + (Theta + C) gamma); local: rq = q - (N + Theta + C) gamma. */
static void residual(cairn_kkt *kkt, const double *p, const double *q, const double *v, const double *gamma) {
    const cairn_problem *problem = kkt->problem;
    int n = problem->n, m = problem->m;
    if (problem->local) {
        cairn_problem_multiply(problem, gamma, 0.0, kkt->rq);
    } else {
        cairn_problem_multiply(problem, v, 0.0, kkt->rp);
        for (int i = 0; i < n; i++)
            kkt->rp[i] = p[i] - kkt->rp[i];
        cairn_csc_gather(kkt->context, &problem->Dt, gamma, 1.0, kkt->rp);
        cairn_csc_gather(kkt->context, &problem->D, v, 0.0, kkt->rq);
    }
    for (int j = 0; j < m; j++)
        kkt->rq[j] = q[j] - kkt->rq[j] - kkt->theta[j] * gamma[j];
}

/* sum of |A_ej x_e| over column j. */
static double absolute_column(const cairn_csc *A, int j, const double *x) {
    double sum = 0.0;
    for (int e = A->start[j]; e < A->start[j + 1]; e++)
        sum += fabs(A->value[e] * x[A->index[e]]);
    return sum;
}

/* max over rows of |residual| / (|matrix| |answer| + |right-hand side|), after residual(). */
static double backward_error(const cairn_kkt *kkt, const double *p, const double *q, const double *v,
                             const double *gamma) {
    const cairn_problem *problem = kkt->problem;
    const cairn_csc *rows = problem->unsymmetric ? &problem->At : &problem->A;
    double worst = 0.0;
    for (int i = 0; i < problem->n; i++) {
        double size = absolute_column(rows, i, v) + absolute_column(&problem->Dt, i, gamma) + fabs(p[i]);
        if (!(fabs(kkt->rp[i]) <= worst * size))
            worst = fabs(kkt->rp[i]) / size;
    }
    for (int j = 0; j < problem->m; j++) {
        double size = problem->local ? absolute_column(rows, j, gamma) : absolute_column(&problem->D, j, v);
        size += kkt->theta[j] * fabs(gamma[j]) + fabs(q[j]);
        if (!(fabs(kkt->rq[j]) <= worst * size))
            worst = fabs(kkt->rq[j]) / size;
    }
    return worst;
}

static void correct(cairn_kkt *kkt, double *v, double *gamma) {
    const cairn_problem *problem = kkt->problem;
    solve_once(kkt, kkt->rp, kkt->rq, kkt->dv, kkt->dg);
    for (int i = 0; i < problem->n; i++)
        v[i] += kkt->dv[i];
    for (int j = 0; j < problem->m; j++)
        gamma[j] += kkt->dg[j];
}

/* Refines until the backward error is at rounding or stops falling; remembers how many steps that took. */
static void measure(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    residual(kkt, p, q, v, gamma);
    kkt->backward_error = backward_error(kkt, p, q, v, gamma);
    for (kkt->refine = 0; kkt->refine < REFINE_MAX && kkt->backward_error > REFINE_GOAL; kkt->refine++) {
        correct(kkt, v, gamma);
        residual(kkt, p, q, v, gamma);
        double error = backward_error(kkt, p, q, v, gamma);
        bool slow = !(error < 0.5 * kkt->backward_error);
        kkt->backward_error = error;
        if (slow)
            break;
    }
}

cairn_status cairn_kkt_solve(cairn_kkt *kkt, const double *p, const double *q, double *v, double *gamma) {
    solve_once(kkt, p, q, v, gamma);
    if (kkt->refine < 0) {
        measure(kkt, p, q, v, gamma);
    } else {
        for (int step = 0; step < kkt->refine; step++) {
            residual(kkt, p, q, v, gamma);
            correct(kkt, v, gamma);
        }
    }
    double sum = 0.0;
    for (int j = 0; j < kkt->problem->m; j++)
        sum += gamma[j] - gamma[j]; /* 0, or NAN where gamma is not finite */
    for (int i = 0; i < kkt->problem->n; i++)
        sum += v[i] - v[i];
    if (sum != 0.0 || isnan(sum))
        return cairn_fail(kkt->context, CAIRN_ERROR_NUMERICAL, "the solve gave a number that is not finite");
    return CAIRN_OK;
}

double cairn_kkt_backward_error(const cairn_kkt *kkt) {
    return kkt->backward_error;
}

int cairn_kkt_solves(const cairn_kkt *kkt) {
    return kkt->solves;
}

int64_t cairn_kkt_entries(const cairn_kkt *kkt) {
    return cairn_factor_entries(kkt->factor);
}
