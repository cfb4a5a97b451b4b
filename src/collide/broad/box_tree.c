/*
 * box_tree.c: building a tree of boxes: n log n, no memory but the caller's.
 *
 * Infinite boxes (planes) would spoil the tree: their centres count as 0.
 */
#include "collide/broad/box_tree.h"

#include <math.h>

static double center(const cairn_bounds *b, int axis) {
    double low = axis == 0 ? b->low.x : axis == 1 ? b->low.y : b->low.z;
    double high = axis == 0 ? b->high.x : axis == 1 ? b->high.y : b->high.z;
    double c = 0.5 * low + 0.5 * high;
    return isfinite(c) ? c : 0.0;
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

/* Orders order[0 .. n): halves along the longest axis, down to the leaves. */
static void arrange(const cairn_bounds *box, int n, int *order) {
    if (n <= CAIRN_BOX_TREE_LEAF)
        return;
    int left = cairn_box_tree_left(n);
    split(box, longest_axis(box, order, n), order, n, left);
    arrange(box, left, order);
    arrange(box, n - left, order + left);
}

/* Writes the bounds of node[0] and of all below it. */
static cairn_bounds bound(const cairn_bounds *box, int n, const int *order, cairn_bounds *node) {
    cairn_bounds sum;
    if (n <= CAIRN_BOX_TREE_LEAF) {
        sum = box[order[0]];
        for (int i = 1; i < n; i++)
            sum = join(&sum, &box[order[i]]);
    } else {
        int left = cairn_box_tree_left(n);
        cairn_bounds l = bound(box, left, order, node + 1);
        cairn_bounds r = bound(box, n - left, order + left, node + 2 * (left / CAIRN_BOX_TREE_LEAF));
        sum = join(&l, &r);
    }
    node[0] = sum;
    return sum;
}

void cairn_box_tree_build(const cairn_bounds *box, int n, int *order, cairn_bounds *node) {
    for (int i = 0; i < n; i++)
        order[i] = i;
    arrange(box, n, order);
    cairn_box_tree_refit(box, n, order, node);
}

void cairn_box_tree_refit(const cairn_bounds *box, int n, const int *order, cairn_bounds *node) {
    if (n > 0)
        bound(box, n, order, node);
}
