/*
 * kkt_symbolic.c: groups, pattern and maps of the saddle-point system [T21 (36)]; the layout is drawn in kkt.c.
 */
#include "kkt_data.h"

#include <string.h>

static int block_size(const cairn_kkt *kkt, int g) {
    return kkt->group_first[g + 1] - kkt->group_first[g];
}

int cairn_kkt_height(const cairn_kkt *kkt, int g) {
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

int cairn_kkt_place(const cairn_kkt *kkt, int row, int col) {
    int h = group_of(kkt, row), g = group_of(kkt, col);
    return block_base(kkt, h, g) + (col - kkt->group_first[g]) * cairn_kkt_height(kkt, g) + row - kkt->group_first[h];
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
        if (!cairn_kkt_is_saddle(p, i))
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
            kkt->position[p->n + r] = cairn_kkt_is_saddle(p, i) ? extra[owner[i]]++ : -1;
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
        if (cairn_kkt_is_saddle(p, i) && touched > 0) {
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
            kkt->A_map[e] = cairn_kkt_place(kkt, kkt->position[p->A.index[e]], kkt->position[j]);
    for (int j = 0; j < p->m; j++) {
        int row = kkt->position[p->n + j];
        for (int e = p->D.start[j]; row >= 0 && e < p->D.start[j + 1]; e++) {
            kkt->row_map[2 * e] = cairn_kkt_place(kkt, row, kkt->position[p->D.index[e]]);
            kkt->row_map[2 * e + 1] = cairn_kkt_place(kkt, kkt->position[p->D.index[e]], row);
        }
    }
    return CAIRN_OK;
}

/* Counts, or fills when memory is there, what eliminated blocks touch. */
static void gather_touch(cairn_kkt *kkt, int *list) {
    const cairn_problem *p = kkt->problem;
    for (int i = 0; i < p->blocks; i++) {
        int touched = cairn_kkt_is_saddle(p, i) ? 0 : touched_bodies(kkt, i, list), width = 0;
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

cairn_status cairn_kkt_prepare_global(cairn_kkt *kkt) {
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

cairn_status cairn_kkt_prepare_local(cairn_kkt *kkt) {
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
