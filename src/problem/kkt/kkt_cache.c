/*
 * kkt_cache.c: saddle-point systems [T21 (36)] that are not in use, found again by their pattern.
 * Patterns are compared number by number, not by a hash.
 *
 * What a system is made of besides numbers follows from: the rows of each body, the pattern of H,
 * the bodies that each block touches, the rows of the block and which blocks are bilateral.
 * Problems in local form are not kept.
 */
#include "problem/kkt/kkt_data.h"

#include <string.h>

/* The pattern as one row of arrays. */
typedef struct part {
    const int *from;
    size_t count;
} part;

enum { PARTS = 6 };

static void list_parts(const cairn_problem *p, part out[PARTS]) {
    out[0] = (part){p->body_start, (size_t)p->bodies + 1};
    out[1] = (part){p->block_start, (size_t)p->blocks + 1};
    out[2] = (part){p->body.touch_start, (size_t)p->blocks + 1};
    out[3] = (part){p->body.touch, (size_t)p->body.touch_start[p->blocks]};
    out[4] = (part){p->A.start, (size_t)p->n + 1};
    out[5] = (part){p->A.index, (size_t)p->A.start[p->n]};
}

/* The system's own copy of its pattern. */
static cairn_status note_pattern(cairn_kkt *kkt, size_t most) {
    part of[PARTS];
    size_t total = 0;
    list_parts(kkt->problem, of);
    for (int i = 0; i < PARTS; i++)
        total += of[i].count;
    kkt->pattern = cairn_alloc_raw(kkt->context, total, sizeof *kkt->pattern);
    if (kkt->pattern == NULL)
        return CAIRN_ERROR_MEMORY;
    int *to = kkt->pattern;
    for (int i = 0; i < PARTS; i++) {
        memcpy(to, of[i].from, of[i].count * sizeof *to);
        to += of[i].count;
    }
    kkt->pattern_bodies = kkt->problem->bodies;
    kkt->pattern_blocks = kkt->problem->blocks;
    kkt->most = most;
    return CAIRN_OK;
}

/* Are the same blocks bilateral? */
static bool same_saddles(const cairn_kkt *kkt, const cairn_problem *p) {
    for (int i = 0; i < p->blocks; i++)
        if (cairn_kkt_is_saddle(p, i) != (kkt->position[p->n + p->block_start[i]] >= 0))
            return false;
    return true;
}

/* Arrays that say how long later ones are come first. */
static bool fits(const cairn_kkt *kkt, const cairn_problem *p, bool unsymmetric, size_t most) {
    part of[PARTS];
    if (kkt->pattern_bodies != p->bodies || kkt->pattern_blocks != p->blocks ||
        kkt->unsymmetric_blocks != unsymmetric || kkt->most != most || kkt->matrix_unsymmetric != p->unsymmetric ||
        kkt->matrix_full != p->full_pattern || kkt->matrix_diagonal != p->block_diagonal)
        return false;
    list_parts(p, of);
    const int *at = kkt->pattern;
    for (int i = 0; i < PARTS; i++) {
        if (memcmp(at, of[i].from, of[i].count * sizeof *at) != 0)
            return false;
        at += of[i].count;
    }
    return same_saddles(kkt, p);
}

/* As it was when it was made, for another problem. */
static void begin_anew(cairn_kkt *kkt, const cairn_problem *p) {
    kkt->problem = p;
    kkt->settled = false;
    kkt->prepared = kkt->place = 0;
    kkt->B = NULL;
    kkt->refine = 0;
    kkt->backward_error = 0.0;
    kkt->solves = 0;
}

cairn_status cairn_kkt_create_cached(const cairn_problem *problem, bool unsymmetric, size_t most,
                                     cairn_kkt_cache *store, cairn_kkt **out) {
    if (store == NULL || problem->local)
        return cairn_kkt_create_within(problem, unsymmetric, most, out);
    for (int i = 0; i < store->count; i++) {
        cairn_kkt *kkt = store->place[i];
        if (!fits(kkt, problem, unsymmetric, most))
            continue;
        store->count--;
        memmove(&store->place[i], &store->place[i + 1], (size_t)(store->count - i) * sizeof(cairn_kkt *));
        begin_anew(kkt, problem);
        *out = kkt;
        return CAIRN_OK;
    }
    cairn_kkt *made;
    cairn_status status = cairn_kkt_create_within(problem, unsymmetric, most, &made);
    if (status != CAIRN_OK)
        return status;
    if (cairn_factor_bytes(made->factor) <= CAIRN_KKT_CACHE_BYTES) {
        made->store = store;
        made->matrix_unsymmetric = problem->unsymmetric;
        made->matrix_full = problem->full_pattern;
        made->matrix_diagonal = problem->block_diagonal;
        status = note_pattern(made, most);
    }
    if (status != CAIRN_OK) {
        made->store = NULL;
        cairn_kkt_destroy(made);
        return status;
    }
    *out = made;
    return CAIRN_OK;
}

void cairn_kkt_cache_take(cairn_kkt_cache *store, cairn_kkt *kkt) {
    if (store->count == CAIRN_KKT_CACHE_PLACES) {
        cairn_kkt *oldest = store->place[--store->count];
        oldest->store = NULL;
        cairn_kkt_destroy(oldest);
    }
    memmove(&store->place[1], &store->place[0], (size_t)store->count * sizeof(cairn_kkt *));
    store->place[0] = kkt;
    store->count++;
    kkt->problem = NULL;
}

void cairn_kkt_cache_empty(cairn_kkt_cache *store) {
    while (store->count > 0) {
        cairn_kkt *kkt = store->place[--store->count];
        kkt->store = NULL;
        cairn_kkt_destroy(kkt);
    }
}
