/*
 * kkt_symbolic.c: groups, pattern and maps of the saddle-point system [T21 (36)]; the layout is
 * drawn in kkt.c.
 */
#include "problem/kkt/kkt_data.h"

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

/* What only the symbolic work needs. */
typedef struct scratch {
    int *owner;       /* blocks: body that a bilateral block is given to */
    int *mark;        /* groups */
    int *list;        /* groups */
    int *next;        /* groups */
    cairn_csc mirror; /* H' where H couples bodies and lacks mirrors */
} scratch;

/* Gives every bilateral block to the body it touches that has the fewest such rows, and numbers
 * all rows. */
static void place_rows(cairn_kkt *kkt, const scratch *w) {
    const cairn_problem *p = kkt->problem;
    int *owner = w->owner, *extra = w->next;
    for (int i = 0; i < p->blocks; i++) {
        if (!cairn_kkt_is_saddle(p, i))
            continue;
        int first = p->body.touch_start[i], last = p->body.touch_start[i + 1];
        owner[i] = first < last ? p->body.touch[first] : 0;
        for (int t = first; t < last; t++)
            if (extra[p->body.touch[t]] < extra[owner[i]])
                owner[i] = p->body.touch[t];
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
}

/* Adds h to the list unless it is there already, as mark says. */
static inline int put(const scratch *w, int g, int h, int count) {
    if (w->mark[h] == g)
        return count;
    w->mark[h] = g;
    w->list[count] = h;
    return count + 1;
}

/* Lists the groups that share an entry with group g, itself first: bodies coupled by H, bodies
 * touched by the same eliminated block, and for a bilateral block its owner with all bodies it
 * touches. mark must not hold g. */
static int list_neighbours(const cairn_kkt *kkt, const scratch *w, int g) {
    const cairn_problem *p = kkt->problem;
    const cairn_csc *coupling[] = {&p->A, &w->mirror};
    int count = put(w, g, g, 0);
    for (int side = 0; side < (p->full_pattern ? 1 : 2) && !p->block_diagonal; side++)
        for (int e = coupling[side]->start[p->body_start[g]]; e < coupling[side]->start[p->body_start[g + 1]]; e++)
            count = put(w, g, p->body.body_of[coupling[side]->index[e]], count);
    for (int s = p->body.incident_start[g]; s < p->body.incident_start[g + 1]; s++) {
        int i = p->body.incident[s];
        if (cairn_kkt_is_saddle(p, i) && w->owner[i] != g) {
            count = put(w, g, w->owner[i], count);
            continue;
        }
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++)
            count = put(w, g, p->body.touch[t], count);
    }
    return count;
}

/* The neighbours of every group. They come out sorted because the relation is symmetric: group
 * after group enters the lists of its neighbours. */
static cairn_status find_neighbours(cairn_kkt *kkt, const scratch *w) {
    cairn_context *context = kkt->context;
    int64_t pairs = 0;
    kkt->neighbour_start = cairn_alloc(context, (size_t)kkt->groups + 1, sizeof *kkt->neighbour_start);
    if (kkt->neighbour_start == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(w->mark, -1, (size_t)kkt->groups * sizeof *w->mark);
    for (int g = 0; g < kkt->groups; g++) {
        w->next[g] = (int)pairs;
        pairs += list_neighbours(kkt, w, g);
        if (pairs > INT32_MAX)
            return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "the problem couples more than 2^31 pairs of bodies");
        kkt->neighbour_start[g + 1] = (int)pairs;
    }
    kkt->neighbour = cairn_alloc(context, (size_t)pairs, sizeof *kkt->neighbour);
    kkt->neighbour_row = cairn_alloc(context, (size_t)pairs, sizeof *kkt->neighbour_row);
    if (kkt->neighbour == NULL || kkt->neighbour_row == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(w->mark, -1, (size_t)kkt->groups * sizeof *w->mark);
    for (int g = 0; g < kkt->groups; g++)
        for (int count = list_neighbours(kkt, w, g), i = 0; i < count; i++)
            kkt->neighbour[w->next[w->list[i]]++] = g;
    return CAIRN_OK;
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
    kkt->start = cairn_alloc_raw(context, (size_t)kkt->size + 1, sizeof *kkt->start);
    kkt->index = cairn_alloc_raw(context, (size_t)entries, sizeof *kkt->index);
    kkt->value = cairn_alloc_raw(context, (size_t)entries, sizeof *kkt->value);
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

/* Where row j of bilateral block i goes: its diagonal entry; for each body that it touches the
 * first entry in its row, how far the next one is, and the first in its column. Returns what
 * follows in the map. */
static int *map_saddle_row(const cairn_kkt *kkt, int i, int j, int *map) {
    const cairn_problem *p = kkt->problem;
    int row = kkt->position[p->n + j], g = group_of(kkt, row), in_group = row - kkt->group_first[g];
    *map++ = cairn_kkt_place(kkt, row, row);
    for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
        int body = p->body.touch[t];
        *map++ = block_base(kkt, g, body) + in_group;
        *map++ = cairn_kkt_height(kkt, body);
        *map++ = block_base(kkt, body, g) + in_group * cairn_kkt_height(kkt, g);
    }
    return map;
}

/* Where the entries of H and of the bilateral rows go. */
static cairn_status map_entries(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    kkt->A_map = cairn_alloc_raw(kkt->context, (size_t)p->A.start[p->n], sizeof *kkt->A_map);
    size_t places = 0;
    for (int i = 0; i < p->blocks; i++)
        if (cairn_kkt_is_saddle(p, i))
            places += (size_t)(p->block[i].dim * (1 + 3 * (p->body.touch_start[i + 1] - p->body.touch_start[i])));
    kkt->row_map = cairn_alloc_raw(kkt->context, places, sizeof *kkt->row_map);
    if (kkt->A_map == NULL || kkt->row_map == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int j = 0; j < p->n; j++) {
        int g = p->body.body_of[j], column = (j - p->body_start[g]) * cairn_kkt_height(kkt, g);
        for (int e = p->A.start[j], base = 0, first = 0, last = 0; e < p->A.start[j + 1]; e++) {
            int i = p->A.index[e];
            if (i >= last) { /* rows rise: the next body of this column */
                int h = p->body.body_of[i];
                base = block_base(kkt, h, g) + column;
                first = p->body_start[h];
                last = p->body_start[h + 1];
            }
            kkt->A_map[e] = base + i - first;
        }
    }
    int *map = kkt->row_map;
    for (int i = 0; i < p->blocks; i++)
        for (int j = p->block_start[i]; j < p->block_start[i + 1] && cairn_kkt_is_saddle(p, i); j++)
            map = map_saddle_row(kkt, i, j, map);
    return CAIRN_OK;
}

static cairn_status take_scratch(cairn_kkt *kkt, scratch *w) {
    const cairn_problem *p = kkt->problem;
    size_t groups = (size_t)kkt->groups, blocks = (size_t)p->blocks;
    w->owner = cairn_alloc(kkt->context, blocks + 3 * groups, sizeof *w->owner);
    if (w->owner == NULL)
        return CAIRN_ERROR_MEMORY;
    w->mark = w->owner + blocks;
    w->list = w->mark + groups;
    w->next = w->list + groups;
    bool mirror = !p->block_diagonal && !p->full_pattern;
    return mirror ? cairn_csc_transpose(kkt->context, &p->A, &w->mirror) : CAIRN_OK;
}

/* Body number `which` that block i touches, plus 1; 0 when it touches fewer. */
static int touched_body(const cairn_problem *p, int i, int which) {
    int at = p->body.touch_start[i] + which;
    return at < p->body.touch_start[i + 1] ? p->body.touch[at] + 1 : 0;
}

static bool same_bodies(const cairn_problem *p, int i, int j) {
    int touched = p->body.touch_start[i + 1] - p->body.touch_start[i];
    return p->body.touch_start[j + 1] - p->body.touch_start[j] == touched &&
           memcmp(p->body.touch + p->body.touch_start[i], p->body.touch + p->body.touch_start[j],
                  (size_t)touched * sizeof *p->body.touch) == 0;
}

/* Sorts the eliminated blocks by the first two bodies they touch, neighbours that touch the same
 * bodies make a class. count: bodies + 2, other: blocks. */
static void sort_classes(cairn_kkt *kkt, int *count, int *other) {
    const cairn_problem *p = kkt->problem;
    int total = 0, *order = kkt->class_block;
    for (int i = 0; i < p->blocks; i++)
        if (!cairn_kkt_is_saddle(p, i))
            order[total++] = i;
    for (int which = 1; which >= 0; which--) { /* stable, the weaker key first */
        memset(count, 0, ((size_t)p->bodies + 2) * sizeof *count);
        for (int j = 0; j < total; j++)
            count[touched_body(p, order[j], which) + 1]++;
        for (int b = 0; b <= p->bodies; b++)
            count[b + 1] += count[b];
        for (int j = 0; j < total; j++)
            other[count[touched_body(p, order[j], which)]++] = order[j];
        memcpy(order, other, (size_t)total * sizeof *order);
    }
    for (int j = 0; j < total; j++)
        if (j == 0 || !same_bodies(p, order[j], order[j - 1]))
            kkt->class_start[kkt->classes++] = j;
    kkt->class_start[kkt->classes] = total;
}

/* Classes, and where their pairs of bodies begin in value. */
static cairn_status map_classes(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    cairn_context *context = kkt->context;
    size_t blocks = (size_t)p->blocks, widest = 0;
    kkt->class_start = cairn_alloc(context, blocks + 1, sizeof *kkt->class_start);
    kkt->class_block = cairn_alloc(context, blocks, sizeof *kkt->class_block);
    kkt->pair_start = cairn_alloc(context, blocks + 1, sizeof *kkt->pair_start);
    int *work = cairn_alloc(context, blocks + (size_t)p->bodies + 2, sizeof *work);
    bool all = kkt->class_start != NULL && kkt->class_block != NULL && kkt->pair_start != NULL && work != NULL;
    if (all)
        sort_classes(kkt, work + blocks, work);
    cairn_free(context, work);
    if (!all)
        return CAIRN_ERROR_MEMORY;
    for (int c = 0; c < kkt->classes; c++) {
        int i = kkt->class_block[kkt->class_start[c]];
        int64_t touched = p->body.touch_start[i + 1] - p->body.touch_start[i];
        size_t width = (size_t)p->body.width[i];
        kkt->pair_start[c + 1] = kkt->pair_start[c] + touched * touched;
        widest = width > widest ? width : widest;
    }
    kkt->pair = cairn_alloc(context, (size_t)kkt->pair_start[kkt->classes], sizeof *kkt->pair);
    kkt->sum = cairn_alloc(context, widest * widest, sizeof *kkt->sum);
    kkt->weighted = cairn_alloc(context, CAIRN_BLOCK_DIM_MAX * widest, sizeof *kkt->weighted);
    if (kkt->pair == NULL || kkt->sum == NULL || kkt->weighted == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int c = 0; c < kkt->classes; c++) {
        int i = kkt->class_block[kkt->class_start[c]];
        const int *touch = p->body.touch + p->body.touch_start[i];
        int touched = p->body.touch_start[i + 1] - p->body.touch_start[i];
        for (int a = 0; a < touched; a++)
            for (int b = 0; b < touched; b++)
                kkt->pair[kkt->pair_start[c] + a * touched + b] = block_base(kkt, touch[a], touch[b]);
    }
    return CAIRN_OK;
}

cairn_status cairn_kkt_prepare_global(cairn_kkt *kkt) {
    scratch w = {0};
    kkt->groups = kkt->problem->bodies;
    kkt->group_first = cairn_alloc(kkt->context, (size_t)kkt->groups + 1, sizeof *kkt->group_first);
    cairn_status status = kkt->group_first == NULL ? CAIRN_ERROR_MEMORY : take_scratch(kkt, &w);
    if (status == CAIRN_OK) {
        place_rows(kkt, &w);
        status = find_neighbours(kkt, &w);
    }
    if (status == CAIRN_OK)
        status = expand_pattern(kkt);
    if (status == CAIRN_OK)
        status = map_entries(kkt);
    if (status == CAIRN_OK)
        status = map_classes(kkt);
    cairn_free(kkt->context, w.owner);
    cairn_csc_free(kkt->context, &w.mirror);
    return status;
}

cairn_status cairn_kkt_prepare_local(cairn_kkt *kkt) {
    const cairn_problem *p = kkt->problem;
    cairn_pattern pattern;
    cairn_status status = cairn_pattern_create(kkt->context, &p->A, p->unsymmetric ? &p->At : NULL, p->full_pattern,
                                               &pattern);
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
