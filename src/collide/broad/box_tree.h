/*
 * box_tree.h: a tree of boxes without pointers: the broadphase builds one over bodies in every
 * step, a mesh one over its triangles.
 *
 * Numbering is preorder by the number of boxes: the left child of node k is k + 1, the right one is
 * k + 2 left/CAIRN_BOX_TREE_LEAF. A node of n boxes has cairn_box_tree_left(n) of them in its left
 * half; a node of at most CAIRN_BOX_TREE_LEAF boxes is a leaf.
 */
#ifndef CAIRN_COLLIDE_BROAD_BOX_TREE_H
#define CAIRN_COLLIDE_BROAD_BOX_TREE_H

#include <cairn/collide.h>

#define CAIRN_BOX_TREE_LEAF  4
#define CAIRN_BOX_TREE_DEPTH 64

/* Nodes of a tree over n > 0 boxes. */
static inline int cairn_box_tree_nodes(int n) {
    return 2 * ((n + CAIRN_BOX_TREE_LEAF - 1) / CAIRN_BOX_TREE_LEAF) - 1;
}

/* Number of boxes in the left half: the largest CAIRN_BOX_TREE_LEAF 2^k below n, so that the tree
 * is no deeper than necessary. n > CAIRN_BOX_TREE_LEAF. */
static inline int cairn_box_tree_left(int n) {
    return CAIRN_BOX_TREE_LEAF << (31 - __builtin_clz((unsigned)(n - 1) / CAIRN_BOX_TREE_LEAF));
}

static inline bool cairn_bounds_touch(const cairn_bounds *a, const cairn_bounds *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Tree over n > 0 boxes: order (n) gets the boxes in the order of the leaves, node
 * (cairn_box_tree_nodes(n)) the bounds. Splits at the median of the longest axis of the centres.
 * Infinite boxes are allowed. */
void cairn_box_tree_build(const cairn_bounds *box, int n, int *order, cairn_bounds *node);
/* The bounds of a tree whose boxes moved; its order stays. */
void cairn_box_tree_refit(const cairn_bounds *box, int n, const int *order, cairn_bounds *node);

/* Which part of a tree a search looks at next. */
typedef struct cairn_box_tree_range {
    int node, begin, count;
} cairn_box_tree_range;

/* Pushes both halves of a range that is no leaf; the left one comes out first. Returns the new
 * height of the stack. */
static inline int cairn_box_tree_split(cairn_box_tree_range r, cairn_box_tree_range *stack, int top) {
    int left = cairn_box_tree_left(r.count);
    stack[top++] = (cairn_box_tree_range){r.node + 2 * (left / CAIRN_BOX_TREE_LEAF), r.begin + left, r.count - left};
    stack[top++] = (cairn_box_tree_range){r.node + 1, r.begin, left};
    return top;
}

#endif
