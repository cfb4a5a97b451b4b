/*
 * groups.h: groups of things that are joined two by two (union-find). parent[i] = i at the start;
 * the smallest member of a group is its root, so that the groups do not depend on the order of the
 * joins.
 */
#ifndef CAIRN_BASE_GROUPS_H
#define CAIRN_BASE_GROUPS_H

static inline int cairn_group_root(int *parent, int i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static inline void cairn_group_join(int *parent, int a, int b) {
    a = cairn_group_root(parent, a);
    b = cairn_group_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

#endif
