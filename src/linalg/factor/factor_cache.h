/*
 * factor_cache.h: factors that are not in use, kept for the next matrix with the same pattern: its
 * order, panels and memory are there already.
 *
 * A shelf holds two factors: that of H and that of the reduced system of one solver. Same pattern,
 * same order, same bits: what is found on it never shows in a result. A matrix that fits none of
 * them empties it, so that never more memory is taken than without it.
 */
#ifndef CAIRN_LINALG_FACTOR_FACTOR_CACHE_H
#define CAIRN_LINALG_FACTOR_FACTOR_CACHE_H

#include "linalg/factor/factor.h"

#define CAIRN_SHELF_PLACES 2

typedef struct cairn_shelf {
    cairn_factor *place[CAIRN_SHELF_PLACES]; /* NULL: empty */
} cairn_shelf;

/* cairn_factor_analyze_within, or a factor from the shelf, which must be given groups. shelf may
 * be NULL: then it is the former. */
cairn_status cairn_shelf_analyze(cairn_shelf *shelf, cairn_context *context, int n, const int *start, const int *index,
                                 int groups, const int *group_start, bool symmetric, size_t most,
                                 const unsigned char *changing, cairn_factor **factor);
/* Takes a factor that came from cairn_shelf_analyze with the same shelf; destroys it where there
 * is no shelf or no place. NULL allowed. */
void cairn_shelf_return(cairn_shelf *shelf, cairn_factor *factor);
void cairn_shelf_empty(cairn_shelf *shelf);

#endif
