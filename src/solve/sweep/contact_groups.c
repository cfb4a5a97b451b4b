/*
 * contact_groups.c: contacts in groups of four that share no body, so that a group is visited at
 * once.
 *
 * Contacts are taken in the order of the blocks; each goes to the earliest open group that has room
 * and none of its bodies. WINDOW groups are open at a time: the order of a sweep stays that of the
 * blocks up to a few dozen contacts, which keeps both its convergence and its caches. Bodies hold a
 * bit for each open group that they are in. A group that no contact joins any more is closed with
 * empty lanes. Integers alone decide: the same groups everywhere.
 */
#include "solve/sweep/contact_kernel.h"

#include <string.h>

#define LANES  CAIRN_CONTACT_KERNEL_LANES
#define WINDOW 32

typedef struct arrangement {
    const cairn_problem *problem;
    int *place;
    uint32_t *inside; /* bodies: bit g % WINDOW for an open group g */
    uint32_t full;    /* likewise: groups without room */
    int first;        /* the oldest open group */
    int last;         /* the newest that has a contact, + 1 */
    int count[WINDOW];
} arrangement;

static void close_first(arrangement *a) {
    const cairn_body_blocks *d = &a->problem->body;
    int slot = a->first % WINDOW;
    uint32_t bit = UINT32_C(1) << slot;
    for (int l = 0; l < a->count[slot]; l++) {
        int block = a->place[LANES * a->first + l];
        for (int e = d->touch_start[block]; e < d->touch_start[block + 1]; e++)
            a->inside[d->touch[e]] &= ~bit;
    }
    a->full &= ~bit;
    a->count[slot] = 0;
    a->first++;
}

static void add(arrangement *a, int block) {
    const cairn_body_blocks *d = &a->problem->body;
    int begin = d->touch_start[block], end = d->touch_start[block + 1], group;
    uint32_t busy = a->full;
    for (int e = begin; e < end; e++)
        busy |= a->inside[d->touch[e]];
    if (~busy == 0)
        close_first(a), busy &= ~(UINT32_C(1) << ((a->first - 1) % WINDOW));
    for (group = a->first; (busy >> (group % WINDOW)) & 1; group++)
        continue;
    int slot = group % WINDOW;
    for (int l = LANES * a->last; l < LANES * (group + 1); l++)
        a->place[l] = -1;
    if (group >= a->last)
        a->last = group + 1;
    a->place[LANES * group + a->count[slot]++] = block;
    for (int e = begin; e < end; e++)
        a->inside[d->touch[e]] |= UINT32_C(1) << slot;
    if (a->count[slot] == LANES)
        a->full |= UINT32_C(1) << slot;
    while (a->first < a->last && a->count[a->first % WINDOW] == LANES)
        close_first(a);
}

cairn_status cairn_contact_kernel_arrange(const cairn_problem *problem, int *place, int *groups) {
    arrangement a = {.problem = problem, .place = place};
    a.inside = cairn_alloc(problem->context, (size_t)problem->bodies, sizeof *a.inside);
    if (a.inside == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < problem->blocks; i++)
        add(&a, i);
    *groups = a.last;
    cairn_free(problem->context, a.inside);
    return CAIRN_OK;
}

void cairn_contact_kernel_split(const int *order, int colours, int *colour_start, int *place, int *groups) {
    int made = 0;
    for (int c = 0; c < colours; c++) {
        int begin = colour_start[c], end = colour_start[c + 1];
        colour_start[c] = made;
        for (int i = begin; i < end; i += LANES, made++)
            for (int l = 0; l < LANES; l++)
                place[LANES * made + l] = i + l < end ? order[i + l] : -1;
    }
    colour_start[colours] = *groups = made;
}
