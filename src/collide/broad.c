/*
 * broad.c: pairs of overlapping boxes. A tree over the boxes, split at the median of the longest axis of their centres, then one
 * query a box for partners with a larger number: n log n + pairs.
 *
 * The tree is implicit: the left child of node k is k + 1, the right one comes after all nodes of the left half. Leaves hold up to LEAF boxes. Infinite boxes
 * (planes) would spoil the tree: their centres count as 0.
 */
#include "broad.h"

#include <math.h>
#include <string.h>

#define LEAF  4
#define GRAIN 64
#define DEPTH 64

static double center(const cairn_bounds *b, int axis) {
    double low = axis == 0 ? b->low.x : axis == 1 ? b->low.y : b->low.z;
    double high = axis == 0 ? b->high.x : axis == 1 ? b->high.y : b->high.z;
    double c = 0.5 * low + 0.5 * high;
    return isfinite(c) ? c : 0.0;
}

static bool touch(const cairn_bounds *a, const cairn_bounds *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static cairn_bounds join(const cairn_bounds *a, const cairn_bounds *b) {
    return (cairn_bounds){{fmin(a->low.x, b->low.x), fmin(a->low.y, b->low.y), fmin(a->low.z, b->low.z)},
                          {fmax(a->high.x, b->high.x), fmax(a->high.y, b->high.y), fmax(a->high.z, b->high.z)}};
}

/* Is box i before box j along the axis? Ties by number, so that the order is total. */
static bool before(const cairn_bounds *box, int axis, int i, int j) {
    double a = center(&box[i], axis), b = center(&box[j], axis);
    return a < b || (a == b && i < j);
}

/* Moves the `half` boxes that come first along the axis to the front of order[0 .. n). */
static void split(const cairn_bounds *box, int axis, int *order, int n, int half) {
    int low = 0, high = n - 1;
    while (low < high) {
        int pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(box, axis, order[i], pivot))
                i++;
            while (before(box, axis, pivot, order[j]))
                j--;
            if (i <= j) {
                int t = order[i];
                order[i++] = order[j];
                order[j--] = t;
            }
        }
        if (half <= j)
            high = j;
        else if (half >= i)
            low = i;
        else
            break;
    }
}

/* Number of leaves' boxes in the left half: the largest LEAF 2^k below n, so that the tree is as deep as need be. */
static int left_half(int n) {
    int left = LEAF;
    while (2 * left < n)
        left *= 2;
    return left;
}

static int longest_axis(const cairn_bounds *box, const int *order, int n) {
    double spread[3];
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; i++) {
            double c = center(&box[order[i]], axis);
            low = fmin(low, c);
            high = fmax(high, c);
        }
        spread[axis] = high - low;
    }
    return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
}

/* Orders leaves begin .. begin + n and writes the bounds of node k and of all below it; preorder numbering by the number of
 * leaves: the left child follows its parent, the right child comes after the whole left half. */
static cairn_bounds build(cairn_broad *b, const cairn_bounds *box, int begin, int n, int k) {
    cairn_bounds sum;
    if (n <= LEAF) {
        sum = box[b->order[begin]];
        for (int i = 1; i < n; i++)
            sum = join(&sum, &box[b->order[begin + i]]);
    } else {
        int left = left_half(n);
        split(box, longest_axis(box, b->order + begin, n), b->order + begin, n, left);
        cairn_bounds l = build(b, box, begin, left, k + 1);
        cairn_bounds r = build(b, box, begin + left, n - left, k + 2 * (left / LEAF));
        sum = join(&l, &r);
    }
    b->node[k] = sum;
    return sum;
}

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
    int stack[3 * DEPTH], top = 0, found = 0;
    stack[top++] = 0;
    stack[top++] = s->n;
    stack[top++] = 0;
    while (top > 0) {
        int k = stack[--top], n = stack[--top], begin = stack[--top];
        if (!touch(&b->node[k], &s->box[i]))
            continue;
        if (n > LEAF) {
            int left = left_half(n);
            stack[top++] = begin + left;
            stack[top++] = n - left;
            stack[top++] = k + 2 * (left / LEAF);
            stack[top++] = begin;
            stack[top++] = left;
            stack[top++] = k + 1;
            continue;
        }
        for (int l = begin; l < begin + n; l++) {
            int j = b->order[l];
            if (j <= i || !touch(&b->sorted[l], &s->box[i]) ||
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
    for (int i = 0; i < n; i++)
        b->order[i] = i;
    build(b, box, 0, n, 0);
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
