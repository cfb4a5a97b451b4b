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

/* The same groups change; NULL: all. */
static bool changes_alike(const unsigned char *a, const unsigned char *b, int groups) {
    return a == NULL || b == NULL ? a == b : memcmp(a, b, (size_t)groups) == 0;
}

static bool fits(const cairn_factor *f, int n, const int *start, const int *index, int groups, const int *group_start,
                 bool symmetric, const unsigned char *changing) {
    return f->n == n && f->symmetric == symmetric && f->groups == groups && same(f->start, start, n + 1) &&
           same(f->group_start, group_start, groups + 1) && same(f->index, index, start[n]) &&
           changes_alike(f->changing, changing, groups);
}

void cairn_shelf_empty(cairn_shelf *shelf) {
    for (int i = 0; i < CAIRN_SHELF_PLACES; i++) {
        cairn_factor_destroy(shelf->place[i]);
        shelf->place[i] = NULL;
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

cairn_status cairn_shelf_analyze(cairn_shelf *shelf, cairn_context *context, int n, const int *start, const int *index,
                                 int groups, const int *group_start, bool symmetric, size_t most,
                                 const unsigned char *changing, cairn_factor **factor) {
    if (shelf == NULL)
        return cairn_factor_analyze_within(context, n, start, index, groups, group_start, symmetric, most, changing,
                                           factor);
    for (int i = 0; i < CAIRN_SHELF_PLACES; i++) {
        cairn_factor *f = shelf->place[i];
        if (f == NULL || !fits(f, n, start, index, groups, group_start, symmetric, changing))
            continue;
        shelf->place[i] = NULL;
        *factor = f;
        return CAIRN_OK;
    }
    cairn_shelf_empty(shelf);
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

void cairn_shelf_return(cairn_shelf *shelf, cairn_factor *factor) {
    for (int i = 0; shelf != NULL && factor != NULL && i < CAIRN_SHELF_PLACES; i++)
        if (shelf->place[i] == NULL) {
            shelf->place[i] = factor;
            return;
        }
    cairn_factor_destroy(factor);
}
