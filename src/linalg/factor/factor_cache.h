/*
 * factor_cache.h: factors that are not in use, kept for the next matrix with the same pattern: its
 * order, panels and memory are there already.
 *
 * A cache holds two factors: that of H and that of the reduced system of one solver. A matrix with
 * the same pattern gets the same order and the same bits as from a new factor. A matrix that fits
 * neither empties the cache, so that no more memory is taken than without it.
 */
#ifndef CAIRN_LINALG_FACTOR_FACTOR_CACHE_H
#define CAIRN_LINALG_FACTOR_FACTOR_CACHE_H

#include "linalg/factor/factor.h"

#define CAIRN_FACTOR_CACHE_PLACES 2

typedef struct cairn_factor_cache {
    cairn_factor *place[CAIRN_FACTOR_CACHE_PLACES]; /* NULL: empty */
} cairn_factor_cache;

/* cairn_factor_analyze_within, or a factor from the cache, which must be given groups. cache may
 * be NULL: then it is the former. */
cairn_status cairn_factor_cache_analyze(cairn_factor_cache *cache, cairn_context *context, int n, const int *start,
                                        const int *index, int groups, const int *group_start, bool symmetric,
                                        size_t most, const unsigned char *changing, cairn_factor **factor);
/* Takes a factor that came from cairn_factor_cache_analyze with the same cache; destroys it when
 * there is no cache or no free place. NULL allowed. */
void cairn_factor_cache_return(cairn_factor_cache *cache, cairn_factor *factor);
void cairn_factor_cache_empty(cairn_factor_cache *cache);

#endif
