/*
 * mass_factor.c: analyses and factors H [theory 1], nodes as the blocks of its pattern.
 */
#include "problem/delassus/mass_factor.h"

cairn_status cairn_problem_factor_mass(const cairn_problem *p, cairn_factor_cache *cache, cairn_factor **out,
                                       int *failed) {
    cairn_pattern pattern = {0};
    cairn_factor *factor = NULL;
    double *value = NULL;
    cairn_status status = cairn_pattern_create(p->context, &p->A, p->unsymmetric ? &p->At : NULL, p->full_pattern,
                                               &pattern);
    if (status == CAIRN_OK) {
        value = cairn_alloc(p->context, (size_t)pattern.start[p->n], sizeof *value);
        status = value != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    }
    for (int e = 0; status == CAIRN_OK && e < p->A.start[p->n]; e++)
        value[pattern.map != NULL ? pattern.map[e] : e] = p->A.value[e];
    if (status == CAIRN_OK)
        status = cairn_factor_cache_analyze(cache, p->context, p->n, pattern.start, pattern.index, p->bodies,
                                            p->body_start, !p->unsymmetric, SIZE_MAX, NULL, &factor);
    if (status == CAIRN_OK)
        status = cairn_factor_numeric(factor, value, NULL);
    if (status == CAIRN_ERROR_NUMERICAL)
        *failed = cairn_factor_failed_row(factor);
    if (status == CAIRN_OK)
        *out = factor;
    else
        cairn_factor_destroy(factor);
    cairn_free(p->context, value);
    cairn_pattern_free(p->context, &pattern);
    return status;
}
