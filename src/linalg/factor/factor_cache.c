/*
 * factor_cache.c: finds a factor by its pattern. Patterns are compared entry by entry, not by a
 * hash: the first difference ends it.
 */
#include "linalg/factor/factor_cache.h"

#include "linalg/factor/factor_data.h"

#include <string.h>

static bool same(const int *a, const int *b, int count) {
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* True if both mark the same groups as changing; NULL: all groups change. */
static bool changes_alike(const unsigned char *a, const unsigned char *b, int groups) {
    return a == NULL || b == NULL ? a == b : memcmp(a, b, (size_t)groups) == 0;
}

static bool fits(const cairn_factor *f, int n, const int *start, const int *index, int groups, const int *group_start,
                 bool symmetric, const unsigned char *changing) {
    return f->n == n && f->symmetric == symmetric && f->groups == groups && same(f->start, start, n + 1) &&
           same(f->group_start, group_start, groups + 1) && same(f->index, index, start[n]) &&
           changes_alike(f->changing, changing, groups);
}

void cairn_factor_cache_empty(cairn_factor_cache *cache) {
    for (int i = 0; i < CAIRN_FACTOR_CACHE_PLACES; i++) {
        cairn_factor_destroy(cache->place[i]);
        cache->place[i] = NULL;
    }
}

/* The factor's own copy of the pattern, by which it is found again. */
static cairn_status note_pattern(cairn_factor *f, const int *index, int groups, const int *group_start,
                                 const unsigned char *changing) {
    size_t entries = (size_t)f->start[f->n];
    f->groups = groups;
    f->index = cairn_alloc_raw(f->context, entries, sizeof *f->index);
    f->group_start = cairn_alloc_raw(f->context, (size_t)groups + 1, sizeof *f->group_start);
    if (f->index == NULL || f->group_start == NULL)
        return CAIRN_ERROR_MEMORY;
    if (changing != NULL) {
        f->changing = cairn_alloc_raw(f->context, (size_t)groups, sizeof *f->changing);
        if (f->changing == NULL)
            return CAIRN_ERROR_MEMORY;
        memcpy(f->changing, changing, (size_t)groups);
    }
    memcpy(f->index, index, entries * sizeof *index);
    memcpy(f->group_start, group_start, ((size_t)groups + 1) * sizeof *group_start);
    return CAIRN_OK;
}

cairn_status cairn_factor_cache_analyze(cairn_factor_cache *cache, cairn_context *context, int n, const int *start,
                                        const int *index, int groups, const int *group_start, bool symmetric,
                                        size_t most, const unsigned char *changing, cairn_factor **factor) {
    if (cache == NULL)
        return cairn_factor_analyze_within(context, n, start, index, groups, group_start, symmetric, most, changing,
                                           factor);
    for (int i = 0; i < CAIRN_FACTOR_CACHE_PLACES; i++) {
        cairn_factor *f = cache->place[i];
        if (f == NULL || !fits(f, n, start, index, groups, group_start, symmetric, changing))
            continue;
        cache->place[i] = NULL;
        *factor = f;
        return CAIRN_OK;
    }
    cairn_factor_cache_empty(cache);
    cairn_factor *made = NULL;
    cairn_status status = cairn_factor_analyze_within(context, n, start, index, groups, group_start, symmetric, most,
                                                      changing, &made);
    if (status == CAIRN_OK)
        status = note_pattern(made, index, groups, group_start, changing);
    if (status != CAIRN_OK) {
        cairn_factor_destroy(made);
        return status;
    }
    *factor = made;
    return CAIRN_OK;
}

void cairn_factor_cache_return(cairn_factor_cache *cache, cairn_factor *factor) {
    for (int i = 0; cache != NULL && factor != NULL && i < CAIRN_FACTOR_CACHE_PLACES; i++)
        if (cache->place[i] == NULL) {
            cache->place[i] = factor;
            return;
        }
    cairn_factor_destroy(factor);
}
