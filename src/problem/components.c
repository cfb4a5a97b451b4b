/*
 * components.c: connected components from the patterns of D and H, or of N in the local form
 * [theory 1].
 */
#include "problem/components.h"

#include "base/groups.h"

static int block_of_row(const cairn_problem *p, int row) {
    int lo = 0, hi = p->blocks - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (p->block_start[mid] <= row)
            lo = mid;
        else
            hi = mid - 1;
    }
    return lo;
}

static void join_local(const cairn_problem *p, int *parent) {
    for (int i = 0; i < p->blocks; i++)
        for (int e = p->A.start[p->block_start[i]]; e < p->A.start[p->block_start[i + 1]]; e++)
            cairn_group_join(parent, p->bodies + i, p->bodies + block_of_row(p, p->A.index[e]));
}

static void join_global(const cairn_problem *p, int *parent) {
    for (int i = 0; i < p->blocks; i++)
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++)
            cairn_group_join(parent, p->bodies + i, p->body.touch[t]);
    for (int body = 0; body < p->bodies && !p->block_diagonal; body++)
        for (int e = p->A.start[p->body_start[body]]; e < p->A.start[p->body_start[body + 1]]; e++)
            cairn_group_join(parent, body, p->body.body_of[p->A.index[e]]);
}

/* Numbers the groups from `count` on, in the order of the members first .. last - 1 of which
 * they are. Returns the next number. */
static int number(int first, int last, int count, int *mark, int *component) {
    for (int i = first; i < last; i++) {
        int *root = &mark[component[i]];
        *root = *root < 0 ? count++ : *root;
        component[i] = *root;
    }
    return count;
}

int cairn_components_find(const cairn_problem *p, int *parent, int *component) {
    int all = p->bodies + p->blocks;
    for (int i = 0; i < all; i++)
        parent[i] = i;
    if (p->local)
        join_local(p, parent);
    else
        join_global(p, parent);
    for (int i = 0; i < all; i++)
        component[i] = cairn_group_root(parent, i);
    for (int i = 0; i < all; i++)
        parent[i] = -1;
    int count = number(p->bodies, all, 0, parent, component);
    number(0, p->bodies, count, parent, component);
    return count;
}
