/*
 * broadphase.h: all pairs of boxes that overlap, from a tree of boxes with some slack that serves
 * until one of them leaves it.
 */
#ifndef CAIRN_COLLIDE_BROAD_BROADPHASE_H
#define CAIRN_COLLIDE_BROAD_BROADPHASE_H

#include "base/core.h"
#include "collide/shape/shape.h"

typedef struct cairn_broad {
    cairn_context *context;
    int capacity;         /* boxes that there is room for */
    int *order;           /* capacity: boxes in the order of the leaves */
    cairn_bounds *node;   /* 2 capacity: bounds of the tree's nodes */
    int *first;           /* capacity + 1: pairs before those of box i */
    cairn_bounds *sorted; /* capacity: fat boxes in the order of the leaves */
    cairn_bounds *fat;    /* capacity: boxes with some slack, which the near pairs belong to */
    cairn_vec3 *low;      /* capacity: lower corners of the boxes when they were looked at last */
    unsigned char *still; /* capacity: likewise */
    int boxes;            /* of them; 0: none */
    int uses, wait;       /* how often the near pairs have served; how many more times there is to be no slack */
    int (*near)[2];       /* pairs i < j of fat boxes, sorted */
    int nears, near_room;
    int (*pair)[2];  /* found pairs i < j, sorted */
    int pairs, room; /* pairs found, pairs that there is room for */
} cairn_broad;

/* Finds all pairs i < j whose boxes overlap or touch and of which at least one moves. n boxes;
 * still[i] != 0: box i does not move (NULL: all move). Infinite boxes are allowed. Takes memory
 * only when there are more boxes or pairs than ever before. The result is sorted by i, then j,
 * whatever the number of threads and the boxes before. */
cairn_status cairn_broad_find(cairn_broad *broad, int n, const cairn_bounds *box, const unsigned char *still);
void cairn_broad_free(cairn_broad *broad);

#endif
