/*
 * broad.c: pairs of overlapping boxes. A tree over the boxes (tree.c), then one query a box for partners with a larger number:
 * n log n + pairs.
 */
#include "broad.h"

#include "tree.h"

#define GRAIN 64

typedef struct search {
    cairn_broad *broad;
    const cairn_bounds *box;
    const unsigned char *still;
    int n;
    bool fill;
} search;

/* Partners j > i of box i; writes them sorted when fill, returns how many. */
static int partners(const search *s, int i, int *out) {
    const cairn_broad *b = s->broad;
    cairn_tree_range stack[CAIRN_TREE_DEPTH];
    int top = 0, found = 0;
    stack[top++] = (cairn_tree_range){0, 0, s->n};
    while (top > 0) {
        cairn_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&b->node[r.node], &s->box[i]))
            continue;
        if (r.count > CAIRN_TREE_LEAF) {
            top = cairn_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++) {
            int j = b->order[l];
            if (j <= i || !cairn_bounds_touch(&b->sorted[l], &s->box[i]) ||
                (s->still != NULL && s->still[i] != 0 && s->still[j] != 0))
                continue;
            if (s->fill) { /* keep the list sorted */
                int at = found;
                while (at > 0 && out[2 * (at - 1) + 1] > j) {
                    out[2 * at + 1] = out[2 * (at - 1) + 1];
                    at--;
                }
                out[2 * found] = i;
                out[2 * at + 1] = j;
            }
            found++;
        }
    }
    return found;
}

static void search_chunk(void *user, int chunk, int begin, int end) {
    const search *s = user;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (s->fill)
            partners(s, i, &s->broad->pair[s->broad->first[i]][0]);
        else
            s->broad->first[i + 1] = partners(s, i, NULL);
}

static cairn_status make_room(cairn_broad *b, int n) {
    if (n <= b->capacity)
        return CAIRN_OK;
    size_t room = (size_t)n + (size_t)n / 2;
    int *order = cairn_alloc(b->context, room, sizeof *order),
        *first = cairn_alloc(b->context, room + 1, sizeof *first);
    cairn_bounds *node = cairn_alloc(b->context, 2 * room, sizeof *node);
    cairn_bounds *sorted = cairn_alloc(b->context, room, sizeof *sorted);
    if (order == NULL || first == NULL || node == NULL || sorted == NULL) {
        cairn_free(b->context, order);
        cairn_free(b->context, first);
        cairn_free(b->context, node);
        cairn_free(b->context, sorted);
        return CAIRN_ERROR_MEMORY;
    }
    cairn_free(b->context, b->order);
    cairn_free(b->context, b->first);
    cairn_free(b->context, b->node);
    cairn_free(b->context, b->sorted);
    b->order = order;
    b->first = first;
    b->node = node;
    b->sorted = sorted;
    b->capacity = (int)room;
    return CAIRN_OK;
}

cairn_status cairn_broad_find(cairn_broad *b, int n, const cairn_bounds *box, const unsigned char *still) {
    b->pairs = 0;
    if (n < 2)
        return CAIRN_OK;
    cairn_status status = make_room(b, n);
    if (status != CAIRN_OK)
        return status;
    cairn_tree_build(box, n, b->order, b->node);
    for (int l = 0; l < n; l++)
        b->sorted[l] = box[b->order[l]];
    search s = {.broad = b, .box = box, .still = still, .n = n};
    cairn_parallel(b->context, n, GRAIN, search_chunk, &s);
    b->first[0] = 0;
    for (int i = 0; i < n; i++)
        b->first[i + 1] += b->first[i];
    if (b->first[n] == 0)
        return CAIRN_OK;
    if (b->first[n] > b->room) {
        size_t room = (size_t)b->first[n] + (size_t)b->first[n] / 2;
        int(*pair)[2] = cairn_alloc(b->context, room, sizeof *pair);
        if (pair == NULL)
            return CAIRN_ERROR_MEMORY;
        cairn_free(b->context, b->pair);
        b->pair = pair;
        b->room = (int)room;
    }
    s.fill = true;
    cairn_parallel(b->context, n, GRAIN, search_chunk, &s);
    b->pairs = b->first[n];
    return CAIRN_OK;
}

void cairn_broad_free(cairn_broad *b) {
    cairn_free(b->context, b->order);
    cairn_free(b->context, b->first);
    cairn_free(b->context, b->node);
    cairn_free(b->context, b->sorted);
    cairn_free(b->context, b->pair);
    *b = (cairn_broad){.context = b->context};
}
